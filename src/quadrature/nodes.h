/* Quadrature rules on [0,1], their Lagrange polynomials and their Runge-Kutta matrices. */
#ifndef DAEDAL_QUADRATURE_NODES_H
#define DAEDAL_QUADRATURE_NODES_H

#include "quadrature/small_matrix.h"

/* Legendre polynomial P_n(x) and its derivative, on [-1,1] */
void dae__legendre(int n, long double x, long double *P, long double *dP);

typedef struct dae__rule {
  int n;
  long double c[DAE__SMALL_SIZE], b[DAE__SMALL_SIZE]; /* nodes c in ascending order, weights b */
} dae__rule;

/* Gauss, Radau IIA (with the node 1) and Lobatto rules with n nodes, n from 1 (Lobatto 2) to
 * DAE__SMALL_SIZE; exact for degree 2n - 1, 2n - 2, 2n - 3. */
dae__rule dae__rule_gauss(int n);
dae__rule dae__rule_radau(int n);
dae__rule dae__rule_lobatto(int n);

/* Lagrange polynomial l_j at x, which is 1 at c[j] and 0 at the other n - 1 nodes. */
long double dae__lagrange(int n, const long double *c, int j, long double x);
/* Integrals int_0^x l_j of the Lagrange polynomials, j = 0..n-1. */
void dae__lagrange_integrals(int n, const long double *c, long double x, long double *integrals);
/* Weight of the value at node i in the value at x of the polynomial through n nodes. */
double dae__lagrange_weight(int n, const double *node, int i, double x);
/* Weight of the value at node i in the derivative at node k of the polynomial through n nodes. */
double dae__lagrange_derivative_weight(int n, const double *node, int i, int k);

/* Matrix a_ij = int_0^(x_i) l_j for the nodes of a rule; a row with x_i = 1 is b exactly. */
dae__small dae__collocation_matrix(const dae__rule *rule, int rows, const long double *x);
/* Symplectic partner of the matrix Ab (nt x s): at_ij = bt_j (1 - ab_ji / b_i). */
dae__small dae__symplectic_partner(const dae__small *Ab, const long double *b,
                                   const long double *bt);
/* Runge-Kutta matrix of the Lobatto III family that the hat selects, DAE_SPARK_HAT_A or later. */
dae__small dae__lobatto_matrix(const dae__rule *rule, dae_spark_hat hat);

#endif
