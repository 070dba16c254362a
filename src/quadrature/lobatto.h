/* The Lobatto III matrices on one set of nodes. */
#ifndef DAEDAL_QUADRATURE_LOBATTO_H
#define DAEDAL_QUADRATURE_LOBATTO_H

#include "quadrature/nodes.h"

/* a_ij = int_0^(x_i) l_j for the nodes of a rule; rows of x = 1 are the weights b exactly. */
dae__small dae__collocation(const dae__rule *rule, int rows, const long double *x);
/* at_ij = bt_j (1 - ab_ji / b_i), the symplectic partner of Ab (nt x s) */
dae__small dae__partner(const dae__small *Ab, const long double *b, const long double *bt);

/* The matrix of a Lobatto rule that a hat names; DAE_SPARK_HAT_A and later. */
dae__small dae__lobatto(const dae__rule *rule, dae_spark_hat hat);

#endif
