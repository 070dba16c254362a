/* One level of constraints r(x) = 0, and everything that is done with it, whatever the form of the
 * problem: projection of x near the constraints, consistent start from any distance, independent
 * rows, names for messages. A form gives a table of functions and the saddle matrix of its
 * minimum-norm corrections
 *
 *   [ M   A'     ] [ d ]   [  0 ]
 *   [ A  -delta I] [ . ] = [ -r ],   A = [G; K],   x += d.
 *
 * Levels: positions and velocities of a mechanical problem, y and z of the momentum form, the
 * rows of a semi-explicit problem that contain no algebraic variable. */
#ifndef DAEDAL_PROBLEM_LEVEL_H
#define DAEDAL_PROBLEM_LEVEL_H

#include "core/arena.h"
#include "linalg/saddle/saddle.h"
#include "linalg/solver.h"

typedef struct dae__level dae__level;

typedef struct dae__level_table {
  /* l->residual = r at x; where `scaled` is true also l->scale = size of the terms of each row, and
   * the Jacobian at x that this takes. */
  dae_status (*residual)(dae__level *l, const double *x, bool scaled, dae_error *err);
  /* Values of M, G, K at x, the point of the last residual. At a start (l->start) that residual was
   * scaled, and rows of other levels are not needed. A level with a solver of its own is factored
   * too. */
  dae_status (*jacobian)(dae__level *l, const double *x, dae_error *err);
  /* Name of unknown i of x, or from l->n on of constraint row i - l->n, for messages. */
  const char *(*name)(const dae__level *l, int i, char *text, size_t size);
  /* What a constraint row belongs to, such as a joint; NULL: itself, "": not listed. The function
   * is NULL where rows have no groups. */
  const char *(*group)(const dae__level *l, int row);
} dae__level_table;

struct dae__level {
  const dae__level_table *table;
  void *self;
  const char *where; /* level in messages of the start, such as " at position level" */
  int n, rows;       /* unknowns and constraint rows; the rows are the first ones of [G; K] */

  /* matrix of corrections; the values are those of the last point evaluated */
  dae__saddle *saddle;
  dae__solver *solver; /* solver of a matrix that is not such a saddle matrix, else NULL */
  const dae_pattern *M, *G, *K;
  double *M_values, *G_values, *K_values;
  const double *stretch, *row_size; /* d = S e and r = D^-1 r of scaled matrices; NULL: ones */
  const bool *active; /* rows of [G; K] that are in use; others are masked. NULL: all */
  double shift;       /* delta of the projection, relative to A M^-1 A' */
  bool *factored;     /* saved state: there is a factorisation of some earlier point */
  long *factorisations;

  /* one projection or start */
  double t, *x;
  const bool *fixed;                /* entries of x that do not move; NULL: none */
  bool start;                       /* consistent start, else projection */
  double *residual, *scale, *terms; /* all rows of [G; K] */
  double *d, *trial, *diagonal;     /* correction and multipliers; point; diagonal */
};

/* Allocates the vectors of a level whose n, G and K are set. */
void dae__level_alloc(dae__arena *arena, dae__level *l);

/* Projects l->x from a point near the constraints onto them, in the norm of M; no change where the
 * residuals are below DAE__ON_CONSTRAINT. An existing factorisation is reused while it reduces the
 * residual well. *moved becomes true where x changes. DAE_ERROR_RECOVERABLE names the constraint.
 */
dae_status dae__level_project(dae__level *l, bool *moved, dae_error *err);

/* Projects l->x onto the constraints from any distance by Levenberg-Marquardt steps; fixed entries
 * do not move. DAE_ERROR_START names the constraints that cannot be met. Leaves no factorisation of
 * use. */
dae_status dae__level_start(dae__level *l, dae_error *err);

/* Factors the saddle matrix of the current values, masked rows taken out; DAE_ERROR_SINGULAR names
 * the variable or constraint. */
dae_status dae__level_factor(dae__level *l, double shift, dae_error *err);
/* Records the status of a factorisation of the saddle matrix, and names the variable or constraint
 * of DAE_ERROR_SINGULAR. */
dae_status dae__level_factored(dae__level *l, dae_status status, dae_error *err);

/* Clears rows[i] of marked rows of [G; K] that depend on the other marked ones up to tol, earlier
 * rows preferred; *rank: number of rows left. Works in temporary memory. */
dae_status dae__level_independent(const dae__level *l, double tol, const dae_env *env, bool *rows,
                                  int *rank, dae_error *err);
/* Coefficients c of A_i = sum_j c_j A_j over the active rows j, for a row i that depends on them,
 * with their factorisation. */
void dae__level_combination(const dae__level *l, int i, double *c);
/* Appends "constraint a depends on b, c" for the dependent row i; returns the number of names after
 * "on". Of a row of a group, such as a joint, appends once for all its rows "J6 repeats 1 of 5
 * conditions that J1 to J5 already set"; -1: an earlier row has done that. active: the independent
 * rows of [G; K], needed where there are groups. Works in l->terms. */
int dae__level_describe(const dae__level *l, int i, const bool *active, char *text, size_t size);

/* Names of rows or of their groups, separated by commas. */
typedef struct dae__level_names {
  int count, first; /* number of names, and index of the first row */
  char text[256];
} dae__level_names;
/* Names of the rows with |value_i| > tol size_i (size NULL: ones). */
dae__level_names dae__level_list(const dae__level *l, int rows, const double *value, double tol,
                                 const double *size);
/* Norm of the residuals of a row and of the rows of its group; text: its name. */
double dae__level_gap(const dae__level *l, int row, char *text, size_t size);

/* Size of the terms of each row: scale_i = sum_j |A_ij| (|x_j| + 1e-3 max |x|). */
void dae__row_scale(const dae_pattern *pattern, const double *A, const double *x, double *scale);

/* Appends formatted text to the string `text`, a buffer of the given size. */
__attribute__((format(printf, 3, 4))) void dae__append(char *text, size_t size, const char *format,
                                                       ...);

#endif
