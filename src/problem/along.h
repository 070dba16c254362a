/* Derivatives along a path by differences of sixth order, for rates that stand in equations and
 * decide the accuracy of what is solved from them. */
#ifndef DAEDAL_PROBLEM_ALONG_H
#define DAEDAL_PROBLEM_ALONG_H

#include "core/arena.h"
#include <daedal/status.h>

/* The value at parameter e of the path, which is looked at around e = 0. */
typedef dae_status dae__path_fn(void *context, double e, double *out, dae_error *err);

typedef struct dae__path {
  dae__path_fn *fn;
  void *context;
  int n;               /* entries of a value */
  double length;       /* e in which a value may change by about its size */
  const double *scale; /* n: the terms of a value, whose round-off it has, where they are larger
                          than the value; NULL: they are not */
} dae__path;

typedef struct dae__along {
  double *sample; /* values at the points of a formula */
  double *trial;
} dae__along;

/* For values of up to n entries. Out of memory shows in dae__arena_failed. */
dae__along dae__along_create(dae__arena *arena, int n);

/* First and second derivative at e = 0, to about 1e-14 and 1e-12 of the terms over the length. A
 * path that turns out to be shorter is looked at more closely; one that fn refuses on one side is
 * differenced on the other. A value that does not change has the derivative 0 exactly. */
dae_status dae__along_rate(dae__along *a, const dae__path *path, double *out, dae_error *err);
dae_status dae__along_second_rate(dae__along *a, const dae__path *path, double *out,
                                  dae_error *err);

#endif
