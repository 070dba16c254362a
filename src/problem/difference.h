/* Derivatives by finite differences, where the user gave none: Jacobians with coloured columns, and
 * directional derivatives along a path. */
#ifndef DAEDAL_PROBLEM_DIFFERENCE_H
#define DAEDAL_PROBLEM_DIFFERENCE_H

#include "core/arena.h"
#include <daedal/pattern.h>
#include <daedal/status.h>
#include <stdbool.h>

/* Relative increment where fn is itself a difference, good to about 1e-12. Chosen, not measured. */
#define DAE__NOISY_INCREMENT 1e-6

/* Function x -> out whose Jacobian is formed. */
typedef dae_status dae__difference_fn(void *context, const double *x, double *out, dae_error *err);

typedef struct dae__difference {
  const dae_pattern *pattern;
  bool fine;       /* fourth order, for derivatives that enter a residual; else first order */
  double relative; /* increment, relative to the size of x; larger where fn is noisy */
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

/* Value of a path at the parameter e; the path is differenced around e = 0. */
typedef dae_status dae__path_fn(void *context, double e, double *out, dae_error *err);

typedef struct dae__path {
  dae__path_fn *fn;
  void *context;
  int n;               /* entries of a value */
  double length;       /* e in which a value may change by about its size */
  const double *scale; /* n: size of the terms of a value, which bounds its round-off from below;
                          NULL: the size of the value itself */
} dae__path;

typedef struct dae__along {
  double *sample; /* values at the points of a formula */
  double *trial;
} dae__along;

/* For values of up to n entries. Out of memory shows in dae__arena_failed. */
dae__along dae__along_create(dae__arena *arena, int n);

/* First (order 1) or second (order 2) derivative at e = 0 by formulas of sixth order, to about
 * 1e-14 and 1e-12 of the terms over the length. A shorter time scale of the path is found by
 * smaller increments; one-sided formulas serve where fn refuses the other side. A constant value
 * has the derivative 0 exactly. */
dae_status dae__along_rate(dae__along *a, const dae__path *path, int order, double *out,
                           dae_error *err);

#endif
