/* One modified, or richer, Newton iteration of the stage system. */
#ifndef DAEDAL_ONESTEP_SPARK_SIMPLIFIED_H
#define DAEDAL_ONESTEP_SPARK_SIMPLIFIED_H

#include "onestep/spark/stages.h"

/* From what was evaluated at the iterate, whose Y belongs to its Z: moves Z, L and Psi; returns the
 * largest change of Z relative to the weights. */
double dae__simplified_increment(dae__stages *st, const double *weight);
/* The multiplier that it moved most, or where there are none the variable: entry of (z, lambda,
 * psi). */
int dae__simplified_worst(const dae__stages *st);

#endif
