/* Projection, consistent start and rank of one level of constraints.
 *
 * The start takes Levenberg-Marquardt steps: delta is proportional to |r|^2, which converges
 * quadratically even where constraints are dependent, and ends at the least-squares point where
 * they contradict each other. Columns of fixed values are removed.
 *
 * The residual of a row is measured by the size of its terms: |A| |x| and |r| itself, which
 * contains terms that are not of the form A x, such as a length. The size never decreases during an
 * iteration, so that a value that shrinks, such as a velocity that must vanish, is measured by its
 * initial terms.
 *
 * A dependent row a of A is the combination a = sum_j c_j A_j of the others, where c solves
 * M x + A'c = a', A x = 0 with x = 0. */
#include "problem/level.h"
#include "core/error.h"
#include "core/mutant.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "linalg/rank.h"
#include <float.h>
#include <stdarg.h>
#include <stdio.h>

void dae__append(char *text, size_t size, const char *format, ...)
{
  size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  if (used + 1 < size)
    vsnprintf(text + used, size - used, format, args);
  va_end(args);
}

void dae__level_alloc(dae__arena *arena, dae__level *l)
{
  int all = l->G->rows + l->K->rows;
  double **vectors[] = {&l->residual, &l->scale, &l->terms, &l->d, &l->diagonal, &l->trial};
  int sizes[] = {all, all, all, l->n + all, l->n + all, l->n};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = DAE__ALLOC(arena, double, sizes[i]);
}

/* ---- residuals ---- */

void dae__row_scale(const dae_pattern *pattern, const double *A, const double *x, double *scale)
{
  double floor = 1e-3 * dae__max_abs(pattern->cols, x);
  dae__zero(pattern->rows, scale);
  for (int j = 0; j < pattern->cols; j++)
    for (int e = pattern->start[j]; e < pattern->start[j + 1]; e++)
      scale[pattern->row[e]] += fabs(A[e]) * (fabs(x[j]) + floor);
}

/* Largest residual at x relative to the terms of its row, and that row; first: x is the initial
 * point, else the size of the terms is the largest so far. */
static dae_status level_measure(dae__level *l, const double *x, bool first, double *worst, int *row,
                                dae_error *err)
{
  bool scaled = first || l->start;
  const double *r = l->residual, *scale = l->scale;
  double *terms = l->terms;
  DAE__TRY(l->table->residual(l, x, scaled, err));
  *worst = 0;
  for (int i = 0; i < l->rows && scaled; i++)
    if (first || scale[i] + fabs(r[i]) > terms[i])
      terms[i] = scale[i] + fabs(r[i]);
  for (int i = 0; i < l->rows; i++) {
    /* below DBL_MIN no relative accuracy is left: where all of x has vanished */
    double ratio = fabs(r[i]) < DBL_MIN ? 0 : fabs(r[i]) / terms[i];
    if (!(ratio <= *worst))
      *worst = ratio, *row = i;
  }
  return DAE_OK;
}

/* ---- corrections ---- */

dae_status dae__level_factored(dae__level *l, dae_status status, dae_error *err)
{
  char name[64];
  *l->factored = status == DAE_OK;
  ++*l->factorisations;
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  int column = dae__saddle_column(l->saddle);
  if (column < 0)
    return dae__fail(err, status, NULL,
                     "the matrix [M A'; A 0] is singular: a coordinate has no mass and no "
                     "constraint that determines it, or constraints are dependent");
  l->table->name(l, column, name, sizeof name);
  return dae__fail(err, status, name,
                   column >= l->n ? "constraint %s depends on the others at this point, or cannot "
                                    "be met: the matrix [M A'; A 0] is singular"
                                  : "neither mass nor constraints determine the motion of %s: give "
                                    "it kinetic energy, or check the constraints that contain it",
                   name);
}

/* Removes the columns of fixed values from A, and their coupling from M; the diagonal added holds
 * them in place. */
static void level_hold_fixed(dae__level *l)
{
  const dae_pattern *const pattern[] = {l->G, l->K, l->M};
  double *values[] = {l->G_values, l->K_values, l->M_values};
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < pattern[k]->cols; j++)
      for (int e = pattern[k]->start[j]; e < pattern[k]->start[j + 1]; e++) {
        int i = pattern[k]->row[e];
        if (k < 2 ? l->fixed[j] : i != j && (l->fixed[i] || l->fixed[j]))
          values[k][e] = 0;
      }
  for (int j = 0; j < l->n; j++)
    l->diagonal[j] = l->fixed[j];
}

dae_status dae__level_factor(dae__level *l, double shift, dae_error *err)
{
  int all = l->G->rows + l->K->rows, last = l->start ? l->rows : all;
  bool changed = shift > 0 || l->start; /* shifted or masked: the matrix has a diagonal */
  for (int i = 0; i < all && !changed; i++)
    changed = l->active && !l->active[i];
  if (changed)
    dae__zero(l->n, l->diagonal);
  if (DAE__MUTATE(fixed_values, l->start && l->fixed, false))
    level_hold_fixed(l);
  if (shift > 0) { /* relative to A M^-1 A' */
    double a = fmax(dae__max_abs(dae__pattern_count(l->G), l->G_values),
                    dae__max_abs(dae__pattern_count(l->K), l->K_values));
    double mass = dae__max_abs(dae__pattern_count(l->M), l->M_values);
    shift *= mass > 0 && a > 0 ? a * a / mass : 1;
  }
  for (int i = 0; i < all && changed; i++)
    l->diagonal[l->n + i] = i < last && (!l->active || l->active[i]) ? -shift : 1;
  dae_status status = dae__saddle_factor(l->saddle, l->M_values, l->G_values, l->K_values,
                                         changed ? l->diagonal : NULL);
  return dae__level_factored(l, status, err);
}

/* l->d = correction of x for the current residual; returns its size. */
static double level_correct(dae__level *l)
{
  double *b = l->d + l->n;
  dae__zero(l->n + l->G->rows + l->K->rows, l->d);
  for (int i = 0; i < l->rows; i++)
    b[i] = DAE__MUTATE(saddle_sign, -l->residual[i], l->residual[i]);
  for (int i = 0; l->row_size && i < l->rows; i++)
    b[i] /= l->row_size[i];
  if (l->solver)
    dae__solver_solve(l->solver, l->d);
  else
    dae__saddle_solve(l->saddle, l->d, b);
  for (int j = 0; l->stretch && j < l->n; j++)
    l->d[j] *= l->stretch[j];
  return dae__max_abs(l->n, l->d);
}

/* ---- projection ---- */

dae_status dae__level_project(dae__level *l, bool *moved, dae_error *err)
{
  double now, before = INFINITY, size = 0, change = INFINITY;
  int row = 0;
  char name[64];
  for (int i = 0; i < DAE__PROJECTION_ITERATIONS; i++) {
    DAE__TRY(level_measure(l, l->x, i == 0, &now, &row, err));
    if (DAE__MUTATE(projection_tolerance, now <= DAE__ON_CONSTRAINT,
                    now <= 1e6 * DAE__ON_CONSTRAINT))
      return DAE_OK;
    bool refactor = !*l->factored || now > DAE__PROJECTION_REDUCTION * before;
    if (refactor)
      DAE__TRY(l->table->jacobian(l, l->x, err));
    if (refactor && !l->solver)
      DAE__TRY(dae__level_factor(l, l->shift, err));
    *moved = true;
    size = dae__max_abs(l->n, l->x);
    change = level_correct(l);
    dae__axpy(l->n, 1, l->d, l->x);
    if (change <= 4 * DBL_EPSILON * size)
      return DAE_OK;
    before = now;
  }
  if (change <= DAE__PROJECTION_NOISE * size)
    return DAE_OK;
  l->table->name(l, l->n + row, name, sizeof name);
  dae__fail(err, DAE_ERROR_RECOVERABLE, name, "the projection onto constraint %s does not converge",
            name);
  dae__fail_at(err, l->t, NAN);
  return DAE_ERROR_RECOVERABLE;
}

/* ---- consistent start ---- */

/* Fails with DAE_ERROR_START, naming the constraints that are not met. */
static dae_status level_refuse(const dae__level *l, double size, dae_error *err)
{
  dae__level_names list = dae__level_list(l, l->rows, l->residual, DAE__START_MET, l->terms);
  bool held = false;
  char name[64], group[64];
  double gap = dae__level_gap(l, list.first, group, sizeof group);
  for (int j = 0; l->fixed && j < l->n; j++)
    held = held || l->fixed[j];
  dae__fail(err, DAE_ERROR_START, l->table->name(l, l->n + list.first, name, sizeof name),
            "the start cannot be made consistent: %s %s cannot be met%s%s (relative residual "
            "%.2g; %s misses by %.2g). %s",
            list.count > 1 ? "the constraints" : "constraint", list.text,
            held ? " with the values that are fixed" : "", l->where, size, group, gap,
            list.count > 1
                ? "They contradict each other, or the start is too far away: check them, or "
                  "give better start values."
                : "Check it, release fixed values, or give better start values.");
  dae__fail_at(err, l->t, NAN);
  return DAE_ERROR_START;
}

/* One Levenberg-Marquardt step from l->x, whose residual has been measured: accepted where it
 * reduces the largest relative residual *size or the norm of the residual, which short steps always
 * do. *stop: the iteration has converged, or does not get further. */
static dae_status level_start_step(dae__level *l, double *damping, double *size, int *row,
                                   bool *stop, dae_error *err)
{
  double next, before = dae__dot(l->rows, l->residual, l->residual);
  double shift = fmax(*damping * fmin(1, *size * *size), DAE__START_MIN_SHIFT);
  DAE__TRY(l->table->jacobian(l, l->x, err));
  if (!l->solver)
    DAE__TRY(dae__level_factor(l, shift, err));
  *stop = level_correct(l) <= DBL_EPSILON * dae__max_abs(l->n, l->x);
  for (int j = 0; j < l->n; j++)
    l->trial[j] = l->x[j] + l->d[j];
  dae_status status = level_measure(l, l->trial, false, &next, row, err);
  if (!status && (next < *size || dae__dot(l->rows, l->residual, l->residual) < before)) {
    dae__copy(l->n, l->trial, l->x);
    *damping = fmax(*damping / 10, DAE__START_MIN_DAMPING);
    *stop = *stop || (next > 0.5 * *size && *size < DAE__START_MET);
    *size = next;
  } else if (!status || status == DAE_ERROR_RECOVERABLE) {
    status = level_measure(l, l->x, false, size, row, err);
    *damping *= 10;
    *stop = *stop || *size < DAE__START_MET || *damping > DAE__START_MAX_DAMPING;
  }
  return status;
}

dae_status dae__level_start(dae__level *l, dae_error *err)
{
  double size, damping = 1;
  bool stop = false;
  int row = 0;
  l->start = true;
  dae_status status = level_measure(l, l->x, true, &size, &row, err);
  stop = !status && size <= 4 * DBL_EPSILON;
  for (int i = 0; i < DAE__START_ITERATIONS && !status && !stop && size > 0; i++)
    status = level_start_step(l, &damping, &size, &row, &stop, err);
  l->start = false;
  *l->factored = false; /* the factors are those of a shifted matrix without fixed columns */
  return !status && DAE__MUTATE(start_tolerance, size > DAE__START_MET, size > 1e6 * DAE__START_MET)
             ? level_refuse(l, size, err)
             : status;
}

/* ---- independent rows ---- */

dae_status dae__level_independent(const dae__level *l, double tol, const dae_env *env, bool *rows,
                                  int *rank, dae_error *err)
{
  dae__block blocks[2] = {{.pattern = l->G}, {.row = l->G->rows, .pattern = l->K}};
  dae__arena *arena = dae__arena_create(env);
  dae_status status = DAE_ERROR_MEMORY;
  double *values = NULL;
  if (arena) {
    dae_pattern A = dae__blocks_merge(arena, l->G->rows + l->K->rows, l->n, blocks, 2);
    if (!dae__arena_failed(arena))
      values = DAE__ALLOC(arena, double, dae__pattern_count(&A));
    if (!dae__arena_failed(arena)) {
      dae__block_add(&blocks[0], 1, l->G_values, values);
      dae__block_add(&blocks[1], 1, l->K_values, values);
      status = dae__rank_rows(&A, values, DAE__MUTATE(rank_tolerance, tol, 1e4 * tol), env, rows,
                              NULL, rank, NULL);
    }
  }
  dae__arena_free(arena);
  return status
             ? dae__fail(err, status, NULL, "the rank of the constraints cannot be determined: %s",
                         dae_status_text(status))
             : DAE_OK;
}

void dae__level_combination(const dae__level *l, int i, double *c)
{
  const dae_pattern *p = i < l->G->rows ? l->G : l->K;
  const double *A = i < l->G->rows ? l->G_values : l->K_values;
  int row = i < l->G->rows ? i : i - l->G->rows;
  dae__zero(l->n, l->trial);
  for (int j = 0; j < p->cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      if (p->row[e] == row)
        l->trial[j] = A[e];
  dae__zero(l->G->rows + l->K->rows, c);
  dae__saddle_solve(l->saddle, l->trial, c);
}
