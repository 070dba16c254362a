/* Polynomials through values at nodes x_1 ... x_n of [0,1]: p(x) = sum_j l_j(x) p_j. */
#ifndef DAEDAL_QUADRATURE_NODAL_H
#define DAEDAL_QUADRATURE_NODAL_H

#define DAE__NODAL_MOST 16 /* nodes */

typedef struct dae__nodal {
  int n;
  double x[DAE__NODAL_MOST];
  double inverse[DAE__NODAL_MOST]; /* 1 / prod_(i != j) (x_j - x_i) */
  /* a Gauss rule that integrates l_j and x l_j */
  int points;
  double at[DAE__NODAL_MOST / 2 + 1], weight[DAE__NODAL_MOST / 2 + 1];
} dae__nodal;

/* n from 1 to DAE__NODAL_MOST, all different */
dae__nodal dae__nodal_create(int n, const long double *x);

/* w_j = l_j(x), for any x: */
void dae__nodal_values(const dae__nodal *p, double x, double *w);
/* single_j = int_0^x l_j, twice_j = int_0^x (x - tau) l_j(tau) dtau. */
void dae__nodal_integrals(const dae__nodal *p, double x, double *single, double *twice);

#endif
