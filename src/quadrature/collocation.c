#include "quadrature/collocation.h"
#include "quadrature/lobatto.h"

static void collocation_round_matrix(const dae__small *A, double (*out)[DAE__COLLOCATION_STAGES])
{
  for (int i = 0; i < A->rows; i++)
    for (int j = 0; j < A->cols; j++)
      out[i][j] = (double)A->at[i][j];
}

dae__collocation_rule dae__collocation_create(int s, bool radau)
{
  dae__collocation_rule r = {.s = s, .radau = radau};
  dae__rule rule = radau ? dae__rule_radau(s) : dae__rule_gauss(s);
  dae__small A = dae__collocation(&rule, s, rule.c), A2 = dae__small_times(&A, &A);
  collocation_round_matrix(&A, r.A);
  collocation_round_matrix(&A2, r.A2);
  for (int j = 0; j < s; j++) {
    long double B2 = 0;
    for (int i = 0; i < s; i++)
      B2 += rule.b[i] * A.at[i][j];
    r.c[j] = (double)rule.c[j];
    r.b[j] = (double)rule.b[j];
    r.B2[j] = (double)B2;
  }
  r.nodes = dae__nodal_create(s, rule.c);
  return r;
}

/* ---- weights ---- */

void dae__collocation_values(const dae__collocation_rule *r, double x, double *w)
{
  dae__nodal_values(&r->nodes, x, w);
}

void dae__collocation_integrals(const dae__collocation_rule *r, double x, double *single,
                                double *twice)
{
  dae__nodal_integrals(&r->nodes, x, single, twice);
}
