/* Columns of a result: t; the columns listed in the plan or, without a list, variables in the order
 * of the state vector, their rates, multipliers; the outputs of the plan. */
#ifndef DAEDAL_RUN_COLUMNS_H
#define DAEDAL_RUN_COLUMNS_H

#include "core/arena.h"

#include <daedal/run.h>

typedef struct dae__columns {
  const dae_run_plan *plan;
  int count;
  const char **names;
  int variables;  /* number of columns, 1 ... variables, that are entries of the state vector */
  int *entry;     /* index in the state vector of each of these columns */
  double *values; /* values of the last row that was filled in */
} dae__columns;

dae_status dae__columns_create(dae__arena *arena, const dae_run_plan *plan, dae__columns *out,
                               dae_error *err);

/* Sets the values of all columns for the row at (t, y). */
dae_status dae__columns_fill(const dae__columns *columns, double t, const double *y,
                             dae_error *err);

#endif
