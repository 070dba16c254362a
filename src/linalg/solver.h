/* Linear systems with a fixed pattern and changing values: analyse once, factor, solve.
 *
 * Small or dense matrices are solved by dense LU, sparse ones by KLU. Rows are scaled by their
 * largest entry before pivoting. KLU keeps its pivot order while the reciprocal condition
 * estimate allows (refactor -> rcond -> full factor). */
#ifndef DAEDAL_LINALG_SOLVER_H
#define DAEDAL_LINALG_SOLVER_H

#include "core/arena.h"
#include <daedal/pattern.h>
#include <daedal/status.h>
#include <stdbool.h>

/* Number of unknowns up to which a dense matrix is faster for any pattern: beyond it, problems
 * whose pattern is optional use one. Chosen, not measured. */
#define DAE__DENSE_UP_TO 30

typedef struct dae__solver dae__solver;

/* Analyses the pattern, which must live as long as the solver. The values that its factors are
 * computed from are state of the arena, whose load rebuilds them bit by bit. On failure *out is
 * NULL. */
dae_status dae__solver_create(dae__arena *arena, const dae_pattern *pattern, dae__solver **out,
                              dae_error *err);

/* Solver for the matrix of a simplified Newton iteration, whose solutions need not be accurate to
 * the last digit: up to DAE__SMALL_N unknowns the fastest kernel is used. */
dae_status dae__solver_create_iteration(dae__arena *arena, const dae_pattern *pattern,
                                        dae__solver **out, dae_error *err);

/* Replaces the pattern of a solver that dae__solver_create_iteration or dae__zsolver_create made
 * for at most DAE__SMALL_N unknowns by another of no more unknowns. */
void dae__solver_set_pattern(dae__solver *solver, const dae_pattern *pattern);

/* Lets the solver of a sparse matrix factor it by fronts in the order of a plan, which was made for
 * its pattern and lives as long; NULL: no plan. Other solvers do without. The caller checks the
 * arena. */
struct dae__fronts_plan;
void dae__solver_set_plan(dae__arena *arena, const struct dae__fronts_plan *plan,
                          dae__solver *solver);
/* Whether a plan would be used. */
bool dae__solver_takes_plan(const dae__solver *solver);

/* Factors the matrix with these values. DAE_ERROR_SINGULAR: see dae__solver_column. No message
 * is written: the caller knows what the column means. Values that are not finite are
 * DAE_ERROR_RECOVERABLE. */
dae_status dae__solver_factor(dae__solver *solver, const double *values);

/* Column at which the last factorisation failed, -1 if it succeeded or the column is not known. */
int dae__solver_column(const dae__solver *solver);

/* Checks a matrix for regularity, in temporary memory: DAE_OK, or DAE_ERROR_SINGULAR without a
 * message, with *column as dae__solver_column. */
dae_status dae__solver_check_regular(const dae_env *env, const dae_pattern *pattern,
                                     const double *values, int *column, dae_error *err);

/* Solution b = A\b; does not allocate. */
void dae__solver_solve(dae__solver *solver, double *b);

/* Cheap estimate of the reciprocal condition number of the last factorisation. */
double dae__solver_rcond(const dae__solver *solver);

/* Makes the next factorisation independent of earlier ones by a new search for pivots. */
void dae__solver_reset(dae__solver *solver);

/* Name of the backend: "dense", "lapack", "klu". */
const char *dae__solver_kind(const dae__solver *solver);
void dae__solver_free(dae__solver *solver); /* Frees memory outside the arena; NULL is allowed. */

/* Solver for the last n columns of a matrix in its rows from first_row on, a square block. */
typedef struct dae__block_solver {
  dae_pattern pattern; /* pattern of the block, n x n */
  int *entry;          /* entry of the matrix for each entry of the block */
  double *values;
  dae__solver *solver; /* NULL for n = 0 */
} dae__block_solver;

dae_status dae__block_solver_create(dae__arena *arena, const dae_pattern *matrix, int first_row,
                                    int n, dae__block_solver *out, dae_error *err);
/* Factors the block of the matrix with these values, as dae__solver_factor. */
dae_status dae__block_solver_factor(dae__block_solver *block, const double *values);

#endif
