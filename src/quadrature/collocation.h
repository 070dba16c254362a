/* Collocation with slopes k_1 ... k_s at the Gauss or Radau IIA nodes c of [0,1], in double. The
 * slopes define the polynomial
 *
 *   k(x) = sum_j l_j(x) k_j,     a_ij = int_0^(c_i) l_j,     b_j = int_0^1 l_j.
 *
 * For q' = v, v' = k: Q_i = q0 + c_i h v0 + h^2 sum_j (A A)_ij k_j, with b' A in place of A A at
 * the end of the step. */
#ifndef DAEDAL_QUADRATURE_COLLOCATION_H
#define DAEDAL_QUADRATURE_COLLOCATION_H

#include <stdbool.h>
#include <stddef.h>

#define DAE__NODAL_MAX                                                                             \
  24 /* largest number of nodes of a dae__nodal, the largest order of SPARK                        \
      */

/* Lagrange basis on nodes x_1 ... x_n of [0,1], for polynomials p(x) = sum_j l_j(x) p_j. */
typedef struct dae__nodal {
  int n;
  double x[DAE__NODAL_MAX];
  double inverse[DAE__NODAL_MAX]; /* factor of l_j, 1 / prod_(i != j) (x_j - x_i) */
  /* number of points of the Gauss rule, which is exact for l_j and x l_j */
  int points;
  double at[DAE__NODAL_MAX / 2 + 4], weight[DAE__NODAL_MAX / 2 + 4]; /* and zeros */
} dae__nodal;

/* Values w_j = l_j(x) of the Lagrange basis, for any x. */
void dae__nodal_values(const dae__nodal *p, double x, double *w);
/* Integrals of the Lagrange basis: single_j = int_0^x l_j, twice_j = int_0^x (x - tau) l_j(tau)
 * dtau. */
void dae__nodal_integrals(const dae__nodal *p, double x, double *single, double *twice);

#define DAE__COLLOCATION_STAGES_MAX 12 /* largest number of stages of a collocation method */

typedef struct dae__collocation_rule {
  int s;
  bool radau; /* true: Radau IIA, c_s = 1, order 2s - 1; false: Gauss, order 2s */
  double c[DAE__COLLOCATION_STAGES_MAX], b[DAE__COLLOCATION_STAGES_MAX];
  double A[DAE__COLLOCATION_STAGES_MAX][DAE__COLLOCATION_STAGES_MAX];
  double A2[DAE__COLLOCATION_STAGES_MAX][DAE__COLLOCATION_STAGES_MAX]; /* matrix product A A */
  double B2[DAE__COLLOCATION_STAGES_MAX];                              /* row vector b' A */
  /* Lagrange basis l_j on the nodes c */
  dae__nodal nodes;
} dae__collocation_rule;

/* Computes a rule with s stages, s from 1 to DAE__COLLOCATION_STAGES_MAX. */
dae__collocation_rule dae__collocation_create(int s, bool radau);
/* Rule of dae__collocation_create from a table; NULL: not tabulated. */
const dae__collocation_rule *dae__collocation_tabulated(int s, bool radau);

/* Nodes of the dense output of a collocation method: wide has both ends of the step and the inner
 * stages; fine has Chebyshev nodes, at least as many. */
typedef struct dae__dense_nodes {
  dae__nodal wide, fine;
} dae__dense_nodes;

/* Nodes of the dense output with n wide nodes x, 0 and 1 among them. */
dae__dense_nodes dae__dense_nodes_create(int n, const long double *x, int fine);
/* Nodes of the dense output of Gauss collocation with s stages, s from 1 to 12;
 * dae__gauss_nodes_tabulated: from a table, NULL: not tabulated. */
dae__dense_nodes dae__gauss_nodes_create(int s);
const dae__dense_nodes *dae__gauss_nodes_tabulated(int s);

#endif
