/* What the benches measure: CPU time, peak memory, correct digits. */
#ifndef DAEDAL_BENCH_MEASURE_H
#define DAEDAL_BENCH_MEASURE_H

#include "problems/problems.h"

#include <daedal/integrator.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

/* CPU seconds of this process */
static inline double bench_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* seconds that reading the clock takes */
static inline double bench_reading(void)
{
  static double least = -1;
  for (int i = 0; least < 0 || (i > 0 && i < 1000); i++) {
    double begin = bench_now(), took = bench_now() - begin;
    least = least < 0 ? took : fmin(least, took);
  }
  return least;
}

/* CPU seconds since then, without that: half a microsecond is 2 % of the shortest runs */
static inline double bench_since(double begin)
{
  return bench_now() - begin - bench_reading();
}

/* largest resident size of this process so far, in MB */
static inline double bench_peak_memory(void)
{
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return (double)use.ru_maxrss / 1024;
}

/* correct digits, -log10 max |y_i - ref_i| / (1 + |ref_i|) over the known ones of the first count
 * entries */
static inline double bench_mescd(const test_problem *p, int count, const double *y)
{
  double worst = DBL_EPSILON;
  for (int i = 0; i < count; i++)
    if (!isnan(p->reference[i]))
      worst = fmax(worst, fabs(y[i] - p->reference[i]) / (1 + fabs(p->reference[i])));
  return -log10(worst);
}

/* ends the bench with the library's message */
static inline void bench_check(dae_status status, const char *what, const dae_error *err)
{
  if (status >= 0)
    return;
  fprintf(stderr, "%s: %s\n", what, err->text);
  exit(1);
}

/* the method's options with rtol = atol = tol, the rest as by default; release them with free */
static inline void *bench_options(const dae_method *method, double tol)
{
  char text[32];
  dae_error err;
  void *opts = malloc(method->options_size);
  if (!opts)
    exit(1);
  method->defaults(opts);
  snprintf(text, sizeof text, "%.17g", tol);
  bench_check(dae_options_set(method->options, opts, "rtol", text, &err), method->name, &err);
  bench_check(dae_options_set(method->options, opts, "atol", text, &err), method->name, &err);
  return opts;
}

#endif
