/* Collocation with slopes k_1 ... k_s at the Gauss or Radau IIA nodes c of [0,1], in double. They
 * define the polynomial
 *
 *   k(x) = sum_j l_j(x) k_j,     a_ij = int_0^(c_i) l_j,     b_j = int_0^1 l_j,
 *
 * and where q' = v, v' = k: Q_i = q0 + c_i h v0 + h^2 sum_j (A A)_ij k_j, and at the end b' A in
 * place of A A. */
#ifndef DAEDAL_QUADRATURE_COLLOCATION_H
#define DAEDAL_QUADRATURE_COLLOCATION_H

#include "quadrature/nodal.h"
#include <stdbool.h>
#include <stddef.h>

#define DAE__COLLOCATION_STAGES 12 /* most */

typedef struct dae__collocation_rule {
  int s;
  bool radau; /* c_s = 1, order 2s - 1; else Gauss, order 2s */
  double c[DAE__COLLOCATION_STAGES], b[DAE__COLLOCATION_STAGES];
  double A[DAE__COLLOCATION_STAGES][DAE__COLLOCATION_STAGES];
  double A2[DAE__COLLOCATION_STAGES][DAE__COLLOCATION_STAGES]; /* A A */
  double B2[DAE__COLLOCATION_STAGES];                          /* b' A */
  dae__nodal nodes;                                            /* k(x) */
} dae__collocation_rule;

/* s from 1 to DAE__COLLOCATION_STAGES */
dae__collocation_rule dae__collocation_create(int s, bool radau);
/* The same by a table of those that tolerances ask for; NULL: it is not in it. */
const dae__collocation_rule *dae__collocation_tabulated(int s, bool radau);

/* w_j = l_j(x), for any x: */
void dae__collocation_values(const dae__collocation_rule *rule, double x, double *w);
/* single_j = int_0^x l_j, twice_j = int_0^x (x - tau) l_j(tau) dtau. */
void dae__collocation_integrals(const dae__collocation_rule *rule, double x, double *single,
                                double *twice);

#endif
