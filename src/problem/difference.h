/* Derivatives by differences, where the user gave none. */
#ifndef DAEDAL_PROBLEM_DIFFERENCE_H
#define DAEDAL_PROBLEM_DIFFERENCE_H

#include "core/arena.h"
#include <daedal/pattern.h>
#include <daedal/status.h>
#include <stdbool.h>

/* A function of the vector that is varied, x -> out. */
typedef dae_status dae__difference_fn(void *context, const double *x, double *out, dae_error *err);

typedef struct dae__difference {
  const dae_pattern *pattern;
  bool fine;       /* fourth order, for derivatives that enter a residual; else first order */
  double relative; /* increment, relative to the size of x; to be enlarged where fn is noisy */
  int colours;
  int *start;  /* colours + 1 offsets into column */
  int *column; /* columns sorted by colour */
  double *x, *step, *base, *moved;
} dae__difference;

/* Colours the columns of the pattern, which must live as long as the object. Out of memory shows
 * in dae__arena_failed. */
dae__difference dae__difference_create(dae__arena *arena, const dae_pattern *pattern, bool fine);

/* Values of the Jacobian of fn at x: 1 + colours calls of fn, 4 colours where fine. */
dae_status dae__difference_jacobian(dae__difference *d, dae__difference_fn *fn, void *context,
                                    const double *x, double *values, dae_error *err);

#endif
