/* Results as files. */
#ifndef DAEDAL_BENCH_REPORT_H
#define DAEDAL_BENCH_REPORT_H

#include "chains.h"
#include "models.h"
#include "summary.h"

/* All that was measured; what was not is empty. */
typedef struct bench_results {
  bench_table *tables[MOST_CASES];
  int count;
  chain_results chains;
  model_results models;
} bench_results;

/* A line for every run of the problems. */
dae_status report_csv(const bench_results *r, const char *path, dae_error *err);
/* Time over error for every problem, and all tables. */
dae_status report_page(const bench_results *r, const char *path, dae_error *err);

#endif
