/* Comparison of a run with a second one: of a dynamic iteration with a run of the assembled system
 * (`verify`), of any run with one at a tenth of its tolerances (`check_error`). The rows of the
 * first run are kept, the second run has rows at the same times, and the differences are reported.
 */
#ifndef DAEDAL_RUN_VERIFY_H
#define DAEDAL_RUN_VERIFY_H

#include "run/columns.h"

typedef struct dae__verify {
  dae_env env;
  int columns; /* number of columns of a row, including t */
  long count, capacity;
  double *rows; /* values of all rows, one row after the other */
} dae__verify;

void dae__verify_free(dae__verify *v);

/* Makes room for `count` rows; those that are kept stay. */
dae_status dae__verify_reserve(dae__verify *v, long count, dae_error *err);
/* Keeps a row of the first run. */
dae_status dae__verify_keep(dae__verify *v, const double *row, dae_error *err);

/* Runs the problem as a single system, with the tolerances in the summary, and adds the differences
 * to the summary. DAE_ERROR_CHECK: the second run failed. */
dae_status dae__verify_run(const dae__verify *v, const dae__columns *columns, dae_summary *summary,
                           dae_error *err);

/* Runs the problem again at a tenth of the tolerances in the summary, or of the fixed step, by
 * another method where one applies, and adds the differences of all columns to the summary. A
 * failure of the second run is a message of the summary. */
dae_status dae__check_error_run(const dae__verify *v, const dae__columns *columns,
                                dae_summary *summary, dae_error *err);

#endif
