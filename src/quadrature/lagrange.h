/* Lagrange polynomials in double precision. */
#ifndef DAEDAL_QUADRATURE_LAGRANGE_H
#define DAEDAL_QUADRATURE_LAGRANGE_H

/* Weight of the value at node i in the value at x of the polynomial through n nodes. */
double dae__lagrange_weight(int n, const double *node, int i, double x);
/* Weight of the value at node i in the derivative at node k of the polynomial through n nodes. */
double dae__lagrange_derivative_weight(int n, const double *node, int i, int k);

#endif
