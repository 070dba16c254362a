#include "quadrature/nodal.h"
#include "quadrature/nodes.h"

dae__nodal dae__nodal_create(int n, const long double *x)
{
  dae__nodal p = {.n = n};
  dae__rule exact = dae__rule_gauss(n / 2 + 1); /* degree 2 (n/2 + 1) - 1 >= n */
  for (int j = 0; j < n; j++) {
    long double product = 1;
    for (int i = 0; i < n; i++)
      if (i != j)
        product *= x[j] - x[i];
    p.x[j] = (double)x[j];
    p.inverse[j] = (double)(1 / product);
  }
  p.points = exact.n;
  for (int k = 0; k < exact.n; k++) {
    p.at[k] = (double)exact.c[k];
    p.weight[k] = (double)exact.b[k];
  }
  return p;
}

/* l_j(x) = inverse_j prod_(i<j) (x - x_i) prod_(i>j) (x - x_i) */
void dae__nodal_values(const dae__nodal *p, double x, double *w)
{
  double before = 1, after = 1;
  for (int j = 0; j < p->n; j++) {
    w[j] = p->inverse[j] * before;
    before *= x - p->x[j];
  }
  for (int j = p->n - 1; j >= 0; j--) {
    w[j] *= after;
    after *= x - p->x[j];
  }
}

void dae__nodal_integrals(const dae__nodal *p, double x, double *single, double *twice)
{
  double value[DAE__NODAL_MOST];
  for (int j = 0; j < p->n; j++)
    single[j] = twice[j] = 0;
  for (int k = 0; k < p->points; k++) { /* by the Gauss rule */
    double once = x * p->weight[k], again = once * (x * (1 - p->at[k]));
    dae__nodal_values(p, x * p->at[k], value);
    for (int j = 0; j < p->n; j++) {
      single[j] += once * value[j];
      twice[j] += again * value[j];
    }
  }
}
