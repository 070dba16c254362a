/* What comes out of the problems, beside the targets. */
#ifndef DAEDAL_BENCH_SUMMARY_H
#define DAEDAL_BENCH_SUMMARY_H

#include "results.h"
#include "sheet.h"

/* One problem: what each contender needs, and the ratios. */
void summary_problem(const bench_table *t, sheet *s);
/* All problems: ratios, verdicts and geometric means. */
void summary_all(bench_table *const *tables, int count, sheet *s);

/* "met" or "missed" behind a figure that has a target */
const char *summary_verdict(bool met);

#endif
