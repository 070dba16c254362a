/* The columns of a result: t; the columns that the plan lists, or else variables in the order of
 * the state vector, their rates, multipliers; the outputs of the plan. */
#ifndef DAEDAL_RUN_COLUMNS_H
#define DAEDAL_RUN_COLUMNS_H

#include "core/arena.h"

#include <daedal/run.h>

typedef struct dae__columns {
  const dae_run_plan *plan;
  int count;
  const char **names;
  int variables;  /* columns 1 ... variables are entries of the state vector: */
  int *entry;     /* which ones */
  double *values; /* of the last row filled in */
} dae__columns;

dae_status dae__columns_create(dae__arena *arena, const dae_run_plan *plan, dae__columns *out,
                               dae_error *err);

/* values = the row at (t, y) */
dae_status dae__columns_fill(const dae__columns *columns, double t, const double *y,
                             dae_error *err);

#endif
