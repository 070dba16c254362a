/* The Lobatto III matrices on s nodes, and what they satisfy of
 *
 *   C(k)   sum_j a_ij c_j^(l-1) = c_i^l / l                for l = 1..k
 *   D(k)   sum_i b_i c_i^(l-1) a_ij = b_j (1 - c_j^l) / l  for l = 1..k
 *
 *   IIIA   C(s), D(s-2)     collocation
 *   IIIB   C(s-2), D(s)     partner of IIIA
 *   IIIC   C(s-1), D(s-1)   with a_i1 = b_1
 *   IIIC*  C(s-1), D(s-1)   partner of IIIC, with a_is = 0
 *   IIID   C(s-1), D(s-1)   mean of IIIC and IIIC*
 *
 * [HW96 IV.5], [J98] for C* and D. */
#include "quadrature/lobatto.h"
#include <stdbool.h>
#include <string.h>

dae__small dae__collocation(const dae__rule *rule, int rows, const long double *x)
{
  dae__small A = dae__small_zero(rows, rule->n);
  for (int i = 0; i < rows; i++)
    if (x[i] == 1)
      memcpy(A.at[i], rule->b, sizeof rule->b);
    else
      dae__lagrange_integrals(rule->n, rule->c, x[i], A.at[i]);
  return A;
}

dae__small dae__partner(const dae__small *Ab, const long double *b, const long double *bt)
{
  dae__small At = dae__small_zero(Ab->cols, Ab->rows);
  for (int i = 0; i < At.rows; i++)
    for (int j = 0; j < At.cols; j++)
      At.at[i][j] = bt[j] * (1 - Ab->at[j][i] / b[i]);
  return At;
}

/* With l_j the Lagrange polynomials of the nodes but the first, which is 0:
 * a_ij = int_0^(c_i) l_j - b_1 l_j(0). Then b_1 p(0) + sum_(j>1) a_ij p(c_j) = int_0^(c_i) p for
 * every p of degree s - 2, which is C(s-1). */
static dae__small lobatto_c(const dae__rule *rule)
{
  int s = rule->n, n = s - 1;
  const long double *c = rule->c, *later = c + 1, *b = rule->b;
  dae__small A = dae__small_zero(s, s);
  for (int i = 0; i < n; i++) {
    A.at[i][0] = b[0];
    dae__lagrange_integrals(n, later, c[i], A.at[i] + 1);
    for (int j = 0; j < n; j++)
      A.at[i][j + 1] -= b[0] * dae__lagrange(n, later, j, 0);
  }
  memcpy(A.at[n], b, sizeof rule->b); /* what the last row comes to */
  return A;
}

static dae__small lobatto_mean(const dae__small *A, const dae__small *B)
{
  dae__small C = *A;
  for (int i = 0; i < A->rows; i++)
    for (int j = 0; j < A->cols; j++)
      C.at[i][j] = (A->at[i][j] + B->at[i][j]) / 2;
  return C;
}

dae__small dae__lobatto(const dae__rule *rule, dae_spark_hat hat)
{
  bool from_a = hat == DAE_SPARK_HAT_A || hat == DAE_SPARK_HAT_B;
  dae__small A = from_a ? dae__collocation(rule, rule->n, rule->c) : lobatto_c(rule);
  if (hat == DAE_SPARK_HAT_A || hat == DAE_SPARK_HAT_C)
    return A;
  dae__small partner = dae__partner(&A, rule->b, rule->b);
  return hat == DAE_SPARK_HAT_D ? lobatto_mean(&A, &partner) : partner;
}
