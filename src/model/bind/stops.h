/* Edges of narrow features of the functions of time in the motion, at which steps end. */
#ifndef DAEDAL_MODEL_BIND_STOPS_H
#define DAEDAL_MODEL_BIND_STOPS_H

#include "model/bind/bind.h"

typedef struct dae__stops dae__stops;

/* The functions of time and discretes in the motion (expand/time_functions.c), in the arena,
 * independent of the graph; NULL: there are none, or after an error. */
dae__stops *dae__bind_stops(dae__binder *b);
/* Whether the functions hold discretes, so that the edges depend on held values. */
bool dae__stops_are_held(const dae__stops *stops);
/* Ascending times of the edges, with the present held values, between `from` and `to`, at most max;
 * returns their number, also if it exceeds max, where t has no meaning. For dae_run_plan.stops. */
int dae__stops_find(void *stops, double from, double to, int max, double *t);

#endif
