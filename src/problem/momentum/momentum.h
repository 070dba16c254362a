/* A problem in the momentum form as the methods see it: every quantity can be evaluated, whatever
 * the user gave, and results of callbacks are checked.
 *
 *   y' = v,   d/dt p = f + r,   0 = g,   0 = gdot = g_t + g_y v,   0 = k
 *
 * The state vector is (y, z, lambda, psi). */
#ifndef DAEDAL_PROBLEM_MOMENTUM_MOMENTUM_H
#define DAEDAL_PROBLEM_MOMENTUM_MOMENTUM_H

#include "core/arena.h"
#include "linalg/pattern.h"
#include "linalg/solver.h"
#include "problem/difference.h"
#include <daedal/problem.h>

/* Functions of the momentum form. */
typedef enum dae__momentum_quantity {
  DAE__V,
  DAE__P,
  DAE__F,
  DAE__R,
  DAE__G,
  DAE__GDOT,
  DAE__K
} dae__momentum_quantity;

/* Derivatives of the functions v, p, f, r, g, gdot, k of the momentum form; GDOT_Z = g_y v_z. */
typedef enum dae__momentum_part {
  DAE__V_Y,
  DAE__V_Z,
  DAE__P_Y,
  DAE__P_Z,
  DAE__F_Y,
  DAE__F_Z,
  DAE__F_PSI,
  DAE__R_Y,
  DAE__R_LAMBDA,
  DAE__G_Y,
  DAE__GDOT_Y,
  DAE__GDOT_Z,
  DAE__K_Y,
  DAE__K_Z,
  DAE__MOMENTUM_PARTS
} dae__momentum_part;

typedef struct dae__momentum_layout {
  int z, lambda, psi, size; /* offsets, where y has 0; size of the vector */
} dae__momentum_layout;

dae__momentum_layout dae__momentum_layout_of(const dae_momentum *p);

/* A derivative as the user's description gives it. */
typedef struct dae__momentum_given {
  const char *name;           /* name for messages, such as "v_y" */
  dae_momentum_fn *fn;        /* callback without a multiplier, or NULL */
  dae_momentum_fn_s *fn_s;    /* callback with a multiplier, or NULL */
  const dae_pattern *pattern; /* pattern of the derivative; NULL: none was given */
  int rows, cols;
} dae__momentum_given;

dae__momentum_given dae__momentum_given_of(const dae_momentum *p, dae__momentum_part part);

typedef struct dae__momentum {
  const dae_momentum *p;
  const dae_env *stop; /* environment that may stop the work, NULL: none may */
  dae__momentum_layout at;
  int ny, nz, ng, nk, nc;                   /* sizes; nc = ng + nk constraint rows */
  dae_pattern pattern[DAE__MOMENTUM_PARTS]; /* patterns in use: the user's, or defaults */
  bool given[DAE__MOMENTUM_PARTS];          /* exact derivatives, the user's or by definition */
  bool exact_gdot;      /* gdot is exact: g_y and g_t are the user's, or g_t is zero */
  long *evaluations;    /* number of evaluations of f; saved state */
  const dae_error *why; /* error that callbacks report, see dae_problem */

  dae__difference difference[DAE__MOMENTUM_PARTS]; /* differences for derivatives not given */
  dae__along along;        /* directional derivatives of up to ny, nz or nc entries */
  double *v, *g_t, *scale; /* scratch of gdot: v, g_t, size of terms */
  double *g_y, *v_z, *row; /* scratch of gdot and g_y v_z */
} dae__momentum;

/* Validates a problem in momentum form and prepares its evaluations; all memory is the arena's. */
dae_status dae__momentum_create(dae__arena *arena, const dae_problem *problem, dae__momentum **out,
                                dae_error *err);

/* Name of constraint row `row` of (g, k), and of entry i of (y, z), for messages. */
const char *dae__momentum_constraint_name(const dae_momentum *p, int row, char *text, size_t size);
const char *dae__momentum_variable_name(const dae_momentum *p, int i, char *text, size_t size);

/* Evaluates one of v, p, f, r, g, gdot, k; multiplier: psi for f, lambda for r, else unused. r is
 * zero for a problem without g. A callback that refuses and a result that is not finite are
 * DAE_ERROR_RECOVERABLE, naming the equation; a callback that fails is DAE_ERROR_CALLBACK. */
dae_status dae__momentum_eval(dae__momentum *m, dae__momentum_quantity quantity,
                              const dae_momentum_at *at, const double *multiplier, double *out,
                              dae_error *err);
/* Number of entries of a quantity. */
int dae__momentum_rows(const dae__momentum *m, dae__momentum_quantity quantity);
/* Error of gdot relative to the terms g_y y of g: 0 where g_y and g_t are the user's, else the
 * error of differences. */
double dae__momentum_gdot_error(const dae__momentum *m, const double *y, const double *v);
/* Values of one derivative in the order of its pattern; multiplier: psi for DAE__F_*, lambda for
 * DAE__R_*, else unused. */
dae_status dae__momentum_jacobian(dae__momentum *m, dae__momentum_part part,
                                  const dae_momentum_at *at, const double *multiplier,
                                  double *values, dae_error *err);

#endif
