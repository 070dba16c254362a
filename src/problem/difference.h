/* Derivatives by finite differences, where the user gave none: Jacobians with coloured columns, and
 * directional derivatives along a path. */
#ifndef DAEDAL_PROBLEM_DIFFERENCE_H
#define DAEDAL_PROBLEM_DIFFERENCE_H

#include "core/arena.h"
#include <daedal/pattern.h>
#include <daedal/status.h>
#include <stdbool.h>

/* Relative increment for differences of a function that is itself formed by differences, accurate
 * to about 1e-12. Chosen, not measured. */
#define DAE__NOISY_INCREMENT 1e-6

/* Function x -> out whose Jacobian is formed by differences. */
typedef dae_status dae__difference_fn(void *context, const double *x, double *out, dae_error *err);

typedef struct dae__difference {
  const dae_pattern *pattern;
  bool fine;       /* formula of fourth order, for derivatives in a residual; else of first order */
  double relative; /* increment of x_j relative to its size; larger where fn is noisy */
  int colours;
  int *start;  /* colours + 1 offsets into column, a range for each colour */
  int *column; /* indices of the columns, sorted by colour */
  double *x, *step, *base, *moved;
} dae__difference;

/* Difference scheme of a Jacobian: colours the columns of the pattern, which must outlive the
 * result. Out of memory shows in dae__arena_failed. */
dae__difference dae__difference_create(dae__arena *arena, const dae_pattern *pattern, bool fine);

/* Values of the Jacobian of fn at x by 1 + colours calls of fn, or 4 colours where the formula is
 * of fourth order. */
dae_status dae__difference_jacobian(dae__difference *d, dae__difference_fn *fn, void *context,
                                    const double *x, double *values, dae_error *err);

/* Value of a path at the parameter e; the path is differenced around e = 0. */
typedef dae_status dae__path_fn(void *context, double e, double *out, dae_error *err);

typedef struct dae__path {
  dae__path_fn *fn;
  void *context;
  int n;               /* entries of a value of fn */
  double length;       /* range of e over which a value of fn may change by about its size */
  const double *scale; /* n: size of the terms of a value of fn, which bounds its round-off from
                          below; NULL: the size of the value itself */
} dae__path;

typedef struct dae__along {
  double *sample; /* values of the path at the points of a difference formula */
  double *trial;
} dae__along;

/* Work memory of dae__along_rate, for paths with values of up to n entries. Out of memory shows in
 * dae__arena_failed. */
dae__along dae__along_create(dae__arena *arena, int n);

/* First (order 1) or second (order 2) derivative of a path at e = 0 by difference formulas of sixth
 * order, accurate to about 1e-14 and 1e-12 of the terms over path->length. A path that varies over
 * a shorter range of e is resolved by smaller increments; one-sided formulas are used where fn
 * refuses points on the other side. The derivative of a constant path is exactly 0. */
dae_status dae__along_rate(dae__along *a, const dae__path *path, int order, double *out,
                           dae_error *err);

#endif
