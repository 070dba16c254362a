/* Verification of an iterated run by a run of the same problem as a single system: the rows of the
 * first are kept, the second has rows at their times, and the differences are reported. */
#ifndef DAEDAL_RUN_VERIFY_H
#define DAEDAL_RUN_VERIFY_H

#include "run/columns.h"

typedef struct dae__verify {
  dae_env env;
  int columns; /* of a row, t among them */
  long count, capacity;
  double *rows; /* one after the other */
} dae__verify;

dae__verify dae__verify_create(const dae_env *env, int columns);
void dae__verify_free(dae__verify *v);

/* A row of the first run. */
dae_status dae__verify_keep(dae__verify *v, const double *row, dae_error *err);

/* The second run, with the tolerances of the summary, which gets the differences.
 * DAE_ERROR_CHECK: the second run failed. */
dae_status dae__verify_run(const dae__verify *v, const dae__columns *columns, dae_summary *summary,
                           dae_error *err);

#endif
