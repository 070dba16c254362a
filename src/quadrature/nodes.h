/* Quadrature rules on [0,1] and the polynomials that go with them. */
#ifndef DAEDAL_QUADRATURE_NODES_H
#define DAEDAL_QUADRATURE_NODES_H

#include "quadrature/small_matrix.h"

/* P_n(x) and P_n'(x) of Legendre, on [-1,1] */
void dae__legendre(int n, long double x, long double *P, long double *dP);

typedef struct dae__rule {
  int n;
  long double c[DAE__SMALL_SIZE], b[DAE__SMALL_SIZE]; /* nodes in ascending order, weights */
} dae__rule;

/* n from 1 (Lobatto 2) to DAE__SMALL_SIZE; exact for degree 2n - 1, 2n - 2, 2n - 3. Radau is the
 * one with the node 1. */
dae__rule dae__rule_gauss(int n);
dae__rule dae__rule_radau(int n);
dae__rule dae__rule_lobatto(int n);

/* l_j(x), the Lagrange polynomial that is 1 at c[j] and 0 at the others of n nodes. */
long double dae__lagrange(int n, const long double *c, int j, long double x);
/* Their integrals from 0 to x, for j = 0..n-1. */
void dae__lagrange_integrals(int n, const long double *c, long double x, long double *integrals);

#endif
