#include "rk/collocation.h"
#include "spark/lobatto.h"

/* ---- creation ---- */

/* 1 / prod_(i != j) (c_j - c_i) */
static double inverse_product(const dae__rule *rule, int j)
{
  long double product = 1;
  for (int i = 0; i < rule->n; i++)
    if (i != j)
      product *= rule->c[j] - rule->c[i];
  return (double)(1 / product);
}

static void round_matrix(const dae__small *A, double (*out)[DAE__COLLOCATION_STAGES])
{
  for (int i = 0; i < A->rows; i++)
    for (int j = 0; j < A->cols; j++)
      out[i][j] = (double)A->at[i][j];
}

dae__collocation_rule dae__collocation_create(int s, bool radau)
{
  dae__collocation_rule r = {.s = s, .radau = radau};
  dae__rule rule = radau ? dae__rule_radau(s) : dae__rule_gauss(s),
            exact = dae__rule_gauss(s / 2 + 1);
  dae__small A = dae__collocation(&rule, s, rule.c), A2 = dae__small_times(&A, &A);
  round_matrix(&A, r.A);
  round_matrix(&A2, r.A2);
  for (int j = 0; j < s; j++) {
    long double B2 = 0;
    for (int i = 0; i < s; i++)
      B2 += rule.b[i] * A.at[i][j];
    r.c[j] = (double)rule.c[j];
    r.b[j] = (double)rule.b[j];
    r.B2[j] = (double)B2;
    r.inverse[j] = inverse_product(&rule, j);
  }
  r.points = exact.n; /* degree 2 (s/2 + 1) - 1 >= s */
  for (int k = 0; k < exact.n; k++) {
    r.at[k] = (double)exact.c[k];
    r.weight[k] = (double)exact.b[k];
  }
  return r;
}

/* ---- weights ---- */

/* l_j(x) = inverse_j prod_(i<j) (x - c_i) prod_(i>j) (x - c_i) */
void dae__collocation_values(const dae__collocation_rule *r, double x, double *w)
{
  double before = 1, after = 1;
  for (int j = 0; j < r->s; j++) {
    w[j] = r->inverse[j] * before;
    before *= x - r->c[j];
  }
  for (int j = r->s - 1; j >= 0; j--) {
    w[j] *= after;
    after *= x - r->c[j];
  }
}

/* int_0^x (x - tau)^power l_j(tau) dtau / x^(1 + power), by the Gauss rule */
static void integrate(const dae__collocation_rule *r, double x, int power, double *w)
{
  double value[DAE__COLLOCATION_STAGES];
  for (int j = 0; j < r->s; j++)
    w[j] = 0;
  for (int k = 0; k < r->points; k++) {
    double weight = r->weight[k] * (power ? 1 - r->at[k] : 1);
    dae__collocation_values(r, x * r->at[k], value);
    for (int j = 0; j < r->s; j++)
      w[j] += weight * value[j];
  }
}

void dae__collocation_integrals(const dae__collocation_rule *r, double x, double *w)
{
  integrate(r, x, 0, w);
  for (int j = 0; j < r->s; j++)
    w[j] *= x;
}

void dae__collocation_double_integrals(const dae__collocation_rule *r, double x, double *w)
{
  integrate(r, x, 1, w);
  for (int j = 0; j < r->s; j++)
    w[j] *= x * x;
}
