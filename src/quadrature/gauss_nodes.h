/* Nodes of the dense output of Gauss collocation. */
#ifndef DAEDAL_QUADRATURE_GAUSS_NODES_H
#define DAEDAL_QUADRATURE_GAUSS_NODES_H

#include "quadrature/nodal.h"

/* Nodes 0, c_1 ... c_s, 1; and 2s nodes of Chebyshev. */
typedef struct dae__gauss_nodes {
  dae__nodal wide, fine;
} dae__gauss_nodes;

/* for 1 to 8 stages; by a table, NULL: they are not in it */
dae__gauss_nodes dae__gauss_nodes_create(int s);
const dae__gauss_nodes *dae__gauss_nodes_tabulated(int s);

#endif
