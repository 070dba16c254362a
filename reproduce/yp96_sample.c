/* Medians of runs with slightly different tolerances, of TOL - 2 % to TOL + 2 %: the counts of a
 * single run depend on chance. */
#include "yp96.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RUNS 21
#define SHIFT 0.02

static int sample_compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Median and range of the values of all runs, of which the failed ones are INFINITY. */
static void sample_reduce(yp96_sample *s, int k, double *values)
{
  int good = s->runs - s->failed;
  qsort(values, (size_t)s->runs, sizeof *values, sample_compare);
  s->median[k] = isinf(values[s->runs / 2]) ? NAN : values[s->runs / 2];
  s->spread[k] = (rep_spread){good ? values[0] : NAN, good ? values[good - 1] : NAN};
}

bool yp96_sample_run(rep_report *report, bool single, yp96_measure *measure, const void *user,
                     yp96_sample *s)
{
  double all[REP_QUANTITIES][RUNS], values[REP_QUANTITIES];
  char trouble[256];
  *s = (yp96_sample){.runs = single ? 1 : RUNS};
  for (int i = 0; i < s->runs; i++) {
    double shift = single ? 0 : SHIFT * (2.0 * i / (RUNS - 1) - 1);
    for (int k = 0; k < REP_QUANTITIES; k++)
      values[k] = 0;
    if (!measure(report, user, shift, values, trouble))
      return false;
    for (int k = 0; k < REP_QUANTITIES; k++)
      all[k][i] = trouble[0] ? INFINITY : values[k];
    if (trouble[0] && s->failed++ == 0)
      snprintf(s->trouble, sizeof s->trouble, "%.200s", trouble);
  }
  for (int k = 0; k < REP_QUANTITIES; k++)
    sample_reduce(s, k, all[k]);
  if (s->failed > 0 && !single) {
    memcpy(trouble, s->trouble, sizeof trouble);
    snprintf(s->trouble, sizeof s->trouble, "%d of %d runs stop: %.200s", s->failed, s->runs,
             trouble);
  }
  return true;
}
