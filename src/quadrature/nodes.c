/* Quadrature rules on [0,1] by their defining polynomials, and the Runge-Kutta matrices on their
 * nodes. With x = 2c - 1 the n nodes are the roots of
 *
 *   Gauss         P_n                 b = 1 / ((1 - x^2) P_n'(x)^2)
 *   Radau IIA     P_n - P_(n-1)       b = (1 + x) / (2 n^2 P_(n-1)(x)^2)
 *   Lobatto       P_n - P_(n-2)       b = 1 / (n (n-1) P_(n-1)(x)^2)
 *
 * where P_n are Legendre's polynomials [HW96 IV.5]. The Lobatto III matrices on s nodes satisfy
 * some of
 *
 *   C(k)   sum_j a_ij c_j^(l-1) = c_i^l / l                for l = 1..k
 *   D(k)   sum_i b_i c_i^(l-1) a_ij = b_j (1 - c_j^l) / l  for l = 1..k
 *
 *   IIIA   C(s), D(s-2)     collocation
 *   IIIB   C(s-2), D(s)     symplectic partner of IIIA
 *   IIIC   C(s-1), D(s-1)   with a_i1 = b_1
 *   IIIC*  C(s-1), D(s-1)   symplectic partner of IIIC, with a_is = 0
 *   IIID   C(s-1), D(s-1)   mean of IIIC and IIIC*
 *
 * [HW96 IV.5], [J98] for C* and D. */
#include "quadrature/nodes.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define PI 3.14159265358979323846264338327950288L
/* largest number of Newton iterations for a root; up to 13 nodes none takes more than 7 */
#define NEWTON_ITERATIONS_MAX 100

void dae__legendre(int n, long double x, long double *P, long double *dP)
{
  long double before = 0, dbefore = 0;
  *P = 1;
  *dP = 0;
  for (int k = 1; k <= n; k++) {
    long double next = ((2 * k - 1) * x * *P - (k - 1) * before) / k;
    long double dnext = dbefore + (2 * k - 1) * *P;
    before = *P;
    dbefore = *dP;
    *P = next;
    *dP = dnext;
  }
}

static long double nodes_legendre(int n, long double x)
{
  long double P, dP;
  dae__legendre(n, x, &P, &dP);
  return P;
}

/* Nodes of a rule in ascending order: roots of P_n - P_m (m < 0: of P_n) by Newton's method,
 * starting at x = cos(angle), on the polynomial divided by the linear factors of the roots found
 * before. */
static dae__rule nodes_by_newton(int n, int m, long double first_angle, long double spacing)
{
  dae__rule rule = {.n = n};
  long double x[DAE__SMALL_SIZE];
  for (int k = 0; k < n; k++) {
    x[k] = cosl(first_angle + k * spacing);
    for (int i = 0; i < NEWTON_ITERATIONS_MAX; i++) {
      long double P, dP, Q = 0, dQ = 0, others = 0;
      dae__legendre(n, x[k], &P, &dP);
      if (m >= 0)
        dae__legendre(m, x[k], &Q, &dQ);
      if (P == Q)
        break;
      for (int j = 0; j < k; j++)
        others += 1 / (x[k] - x[j]);
      long double dx = (P - Q) / (dP - dQ - (P - Q) * others);
      x[k] -= dx;
      if (fabsl(dx) <= LDBL_EPSILON)
        break;
    }
  }
  for (int k = 0; k < n; k++)
    rule.c[k] = (1 + x[n - 1 - k]) / 2;
  return rule;
}

dae__rule dae__rule_gauss(int n)
{
  long double spacing = PI / (n + 0.5L);
  dae__rule rule = nodes_by_newton(n, -1, 0.75L * spacing, spacing);
  for (int i = 0; i < n; i++) {
    long double x = 2 * rule.c[i] - 1, P, dP;
    dae__legendre(n, x, &P, &dP);
    rule.b[i] = 1 / ((1 - x * x) * dP * dP);
  }
  return rule;
}

dae__rule dae__rule_radau(int n)
{
  dae__rule rule = nodes_by_newton(n, n - 1, 0, PI / (n - 0.5L));
  for (int i = 0; i < n; i++) {
    long double x = 2 * rule.c[i] - 1, P = nodes_legendre(n - 1, x);
    rule.b[i] = (1 + x) / (2 * n * n * P * P);
  }
  return rule;
}

dae__rule dae__rule_lobatto(int n)
{
  dae__rule rule = nodes_by_newton(n, n - 2, 0, PI / (n - 1));
  rule.c[0] = 0; /* exact value: Newton's method ends with a rounding error */
  for (int i = 0; i < n; i++) {
    long double P = nodes_legendre(n - 1, 2 * rule.c[i] - 1);
    rule.b[i] = 1 / (n * (n - 1) * P * P);
  }
  return rule;
}

long double dae__lagrange(int n, const long double *c, int j, long double x)
{
  long double l = 1;
  for (int i = 0; i < n; i++)
    if (i != j)
      l *= (x - c[i]) / (c[j] - c[i]);
  return l;
}

/* Quadrature by the Gauss rule that is exact for degree n - 1; l_j is the product of its factors
 * before j and after j. */
void dae__lagrange_integrals(int n, const long double *c, long double x, long double *integrals)
{
  dae__rule gauss = dae__rule_gauss(n / 2 + 1);
  for (int j = 0; j < n; j++)
    integrals[j] = 0;
  for (int k = 0; k < gauss.n; k++) {
    long double at = x * gauss.c[k], before[DAE__SMALL_SIZE], product = x * gauss.b[k];
    for (int j = 0; j < n; j++) {
      before[j] = product;
      product *= at - c[j];
    }
    product = 1;
    for (int j = n - 1; j >= 0; j--) {
      integrals[j] += before[j] * product;
      product *= at - c[j];
    }
  }
  for (int j = 0; j < n; j++) {
    long double product = 1;
    for (int i = 0; i < n; i++)
      if (i != j)
        product *= c[j] - c[i];
    integrals[j] /= product;
  }
}

/* ---- Runge-Kutta matrices ---- */

dae__small dae__collocation_matrix(const dae__rule *rule, int rows, const long double *x)
{
  dae__small A = dae__small_zero(rows, rule->n);
  for (int i = 0; i < rows; i++)
    if (x[i] == 1)
      memcpy(A.at[i], rule->b, sizeof rule->b);
    else
      dae__lagrange_integrals(rule->n, rule->c, x[i], A.at[i]);
  return A;
}

dae__small dae__symplectic_partner(const dae__small *Ab, const long double *b,
                                   const long double *bt)
{
  dae__small At = dae__small_zero(Ab->cols, Ab->rows);
  for (int i = 0; i < At.rows; i++)
    for (int j = 0; j < At.cols; j++)
      At.at[i][j] = bt[j] * (1 - Ab->at[j][i] / b[i]);
  return At;
}

/* Lobatto IIIC: with l_j the Lagrange polynomials of all nodes but the first, which is 0,
 * a_ij = int_0^(c_i) l_j - b_1 l_j(0). Then b_1 p(0) + sum_(j>1) a_ij p(c_j) = int_0^(c_i) p for
 * every p of degree s - 2, which is C(s-1). Its last row is b. */
dae__small dae__lobatto_matrix(const dae__rule *rule, dae_spark_hat hat)
{
  int s = rule->n;
  const long double *c = rule->c, *later = c + 1, *b = rule->b;
  bool from_a = hat == DAE_SPARK_HAT_A || hat == DAE_SPARK_HAT_B;
  dae__small A = from_a ? dae__collocation_matrix(rule, s, c) : dae__small_zero(s, s);
  for (int i = 0; !from_a && i < s - 1; i++) {
    A.at[i][0] = b[0];
    dae__lagrange_integrals(s - 1, later, c[i], A.at[i] + 1);
    for (int j = 0; j < s - 1; j++)
      A.at[i][j + 1] -= b[0] * dae__lagrange(s - 1, later, j, 0);
  }
  if (!from_a)
    memcpy(A.at[s - 1], b, sizeof rule->b);
  if (hat == DAE_SPARK_HAT_A || hat == DAE_SPARK_HAT_C)
    return A;
  dae__small partner = dae__symplectic_partner(&A, rule->b, rule->b);
  for (int i = 0; hat == DAE_SPARK_HAT_D && i < A.rows; i++)
    for (int j = 0; j < A.cols; j++)
      partner.at[i][j] = (A.at[i][j] + partner.at[i][j]) / 2;
  return partner;
}

/* ---- Lagrange polynomials in double precision ---- */

double dae__lagrange_weight(int n, const double *node, int i, double x)
{
  double l = 1;
  for (int j = 0; j < n; j++)
    if (j != i)
      l *= (x - node[j]) / (node[i] - node[j]);
  return l;
}

double dae__lagrange_derivative_weight(int n, const double *node, int i, int k)
{
  double w = i == k ? 0 : 1;
  for (int j = 0; j < n && i == k; j++)
    w += j == k ? 0 : 1 / (node[k] - node[j]);
  for (int j = 0; j < n && i != k; j++)
    if (j != i)
      w *= j == k ? 1 / (node[i] - node[k]) : (node[k] - node[j]) / (node[i] - node[j]);
  return w;
}
