/* Start values of all variables. */
#ifndef DAEDAL_MODEL_EXPAND_START_H
#define DAEDAL_MODEL_EXPAND_START_H

#include "model/expand/expand.h"

/* The start value of an element as a node; expr may be NULL: 0. (lookup.c) */
dae__node dae__start_node(dae__expander *x, int symbol, int instance, int element,
                          const dae__expr *expr);

/* The start values of all leaves of variables and of rates of coordinates at time t, in memory of
 * the loader; NULL after a mistake. */
const double *dae__start_values(dae__expander *x, double t);

#endif
