/* Rows of index 1 and 2 that share algebraic variables, as in a wheelset: F_y is not zero, but of
 * constant rank r < ny. r rows F1 determine r of the variables, y1 = Y(t,x), and in the others,
 *
 *   F2(t, x, Y(t,x)) = 0,   d/dx = F2_x - F2_y1 F1_y1^-1 F1_x,   d/dt likewise,   d/dy = 0,
 *
 * no y remains: they are of index 2. Every evaluation of a row F2 is replaced by this one, so that
 * a method sees rows with y and rows without. An implicit method that meets F1 at its stages has
 * the same solution either way. Y(t,x) is found from the y of each evaluation anew: nothing is
 * saved. */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/dense.h"
#include "linalg/rank.h"
#include "problem/level.h"
#include "problem/semi_explicit/semi.h"
#include <float.h>
#include <string.h>

/* Remainder of a row of F_y after elimination, relative to its largest entry, below which the row
 * counts as dependent. Chosen, not measured: differences are accurate to about 1e-12. */
#define DEPENDENT_ROW 1e-9
/* Largest number of Newton iterations for Y(t,x), rate of convergence above which the matrix is
 * evaluated anew, and residual, relative to the terms of its row, at which a stagnating iteration
 * counts as converged to round-off. Chosen, not measured. */
#define MAX_ITERATIONS 30
#define SLOW_RATE 0.1
#define STAGNATION 1e-11

struct dae__semi_mixed {
  int rank;
  int *row, *col, *order; /* rows F1 and columns y1, as rows and columns of J; pivots of F1_y1 */
  double *z, *F, *J;      /* (x, Y(t,x)), and F and J there */
  double *A, *B;          /* factors of F1_y1, and all rows of F_y1, column-major */
  double *d, *scale;      /* right sides, and the size of the terms of each row of J (x, y1) */
};

/* ---- classification ---- */

/* Independent rows of F_y among active, with the pivot columns; rows of smaller change[i] are
 * preferred, since they remain regular along the motion. */
static dae_status mixed_rank(const dae__semi *s, const double *J, const double *change,
                             bool *active, int *pivot, int *rank, dae_error *err)
{
  int ny = s->ny, all = s->J.start[s->n] - s->J.start[s->nx], count = 0;
  dae__arena *arena = dae__arena_create(dae__arena_env(s->arena));
  int *start = DAE__ALLOC(arena, int, 3 * ny + 1);
  int *row = DAE__ALLOC(arena, int, all);
  double *values = DAE__ALLOC(arena, double, all + ny);
  bool *chosen = DAE__ALLOC(arena, bool, ny);
  if (!arena || dae__arena_failed(arena)) {
    dae__arena_free(arena);
    return dae__out_of_memory(err);
  }
  int *row_at = start + ny + 1, *column = row_at + ny; /* row by place in the order of change */
  double *dense = values + all;
  for (int i = 0; i < ny; i++) {
    int k = i;
    for (; k > 0 && change[row_at[k - 1]] > change[i]; k--)
      row_at[k] = row_at[k - 1];
    row_at[k] = i;
  }
  for (int j = 0; j < ny; j++) {
    dae__zero(ny, dense);
    for (int e = s->J.start[s->nx + j]; e < s->J.start[s->nx + j + 1]; e++)
      if (s->J.row[e] >= s->nx)
        dense[s->J.row[e] - s->nx] = J[e];
    for (int k = 0; k < ny; k++)
      if (dense[row_at[k]] != 0)
        row[count] = k, values[count++] = dense[row_at[k]];
    start[j + 1] = count;
  }
  for (int k = 0; k < ny; k++)
    chosen[k] = active[row_at[k]];
  dae_pattern F_y = {ny, ny, start, row};
  dae_status status = dae__rank_rows(&F_y, values, DEPENDENT_ROW, dae__arena_env(s->arena), chosen,
                                     column, rank, NULL);
  for (int k = 0; k < ny && !status; k++) {
    active[row_at[k]] = chosen[k];
    pivot[row_at[k]] = column[k];
  }
  dae__arena_free(arena);
  return status == DAE_ERROR_MEMORY ? dae__out_of_memory(err) : status;
}

/* Entries of J that the rows F2 need: all columns of x. Within a pattern of the user they exist
 * where there are more columns without an entry in F_y than rows (dae__semi_create). */
static bool mixed_has_entries(const dae__semi *s)
{
  bool all = true;
  for (int j = 0; j < s->nx; j++)
    for (int i = 0, e = s->J.start[j]; i < s->ny && all; i++) {
      while (e < s->J.start[j + 1] && s->J.row[e] < s->nx + i)
        e++;
      all = s->pivot[i] >= 0 || (e < s->J.start[j + 1] && s->J.row[e] == s->nx + i);
    }
  return all;
}

dae_status dae__semi_classify_mixed(dae__semi *s, dae__difference *d, double t, const double *z,
                                    double *J, double *scratch, bool *found, dae_error *err)
{
  int count = dae__pattern_count(&s->J), rank = 0, rank_near = 0, without_y = s->hidden_count;
  double *near = scratch, *change = scratch + s->n, *largest = change + s->n;
  bool *active = DAE__ALLOC(s->arena, bool, 2 * s->ny);
  double *J_near = DAE__ALLOC(s->arena, double, count);
  *found = false;
  DAE__TRY(dae__arena_status(s->arena, err));
  for (int i = 0; i < 2 * s->ny; i++)
    active[i] = !s->hidden[i % s->ny];
  DAE__TRY(dae__semi_J(s, d, t, z, J, err));
  dae__semi_near(s, J, z, near);
  if (dae__semi_J(s, d, t, near, J_near, NULL) != DAE_OK)
    return DAE_OK;
  /* relative change of the rows of F_y from z to the point near it */
  dae__zero(2 * s->n, change);
  for (int e = s->J.start[s->nx]; e < count; e++) {
    int i = s->J.row[e] - s->nx;
    if (i < 0)
      continue;
    change[i] = fmax(change[i], fabs(J[e] - J_near[e]));
    largest[i] = fmax(largest[i], fabs(J[e]));
  }
  for (int i = 0; i < s->ny; i++)
    change[i] =
        largest[i] > 0 && change[i] > DEPENDENT_ROW * largest[i] ? change[i] / largest[i] : 0;
  DAE__TRY(mixed_rank(s, J_near, change, active + s->ny, s->pivot, &rank_near, err));
  DAE__TRY(mixed_rank(s, J, change, active, s->pivot, &rank, err));
  if (rank != rank_near || rank == 0 || rank == s->ny - without_y || !mixed_has_entries(s))
    return DAE_OK;
  s->hidden_count = 0;
  for (int i = 0; i < s->ny; i++)
    s->hidden_count += s->hidden[i] = s->pivot[i] < 0;
  *found = *s->mixed = true;
  return DAE_OK;
}

/* ---- Y(t,x) ---- */

/* Memory and row lists of the reduction, from the saved pivots. */
static dae_status mixed_prepare(dae__semi *s, dae_error *err)
{
  struct dae__semi_mixed *w = s->reduction;
  size_t ny = (size_t)s->ny;
  if (!w) {
    w = DAE__ALLOC(s->arena, struct dae__semi_mixed, 1);
    DAE__TRY(dae__arena_status(s->arena, err));
    w->row = DAE__ALLOC(s->arena, int, 3 * ny);
    w->z = DAE__ALLOC(s->arena, double, 4 * s->n);
    w->J = DAE__ALLOC(s->arena, double, dae__pattern_count(&s->J));
    w->A = DAE__ALLOC(s->arena, double, 2 * ny * ny);
    DAE__TRY(dae__arena_status(s->arena, err));
    w->col = w->row + ny;
    w->order = w->col + ny;
    w->F = w->z + s->n;
    w->d = w->F + s->n;
    w->scale = w->d + s->n;
    w->B = w->A + ny * ny;
    s->reduction = w;
  }
  w->rank = 0;
  for (int i = 0; i < s->ny; i++)
    if (s->pivot[i] >= 0)
      w->row[w->rank] = s->nx + i, w->col[w->rank++] = s->nx + s->pivot[i];
  return DAE_OK;
}

/* J at w->z, F_y1 and the factors of F1_y1. */
static dae_status mixed_factor(dae__semi *s, dae__difference *d, double t, dae_error *err)
{
  struct dae__semi_mixed *w = s->reduction;
  char name[64];
  int r = w->rank;
  DAE__TRY(dae__semi_J(s, d, t, w->z, w->J, err));
  dae__row_scale(&s->J, w->J, w->z, w->scale);
  for (int c = 0; c < r; c++) {
    double *column = w->B + (size_t)c * (size_t)s->ny;
    dae__zero(s->ny, column);
    for (int e = s->J.start[w->col[c]]; e < s->J.start[w->col[c] + 1]; e++)
      if (s->J.row[e] >= s->nx)
        column[s->J.row[e] - s->nx] = w->J[e];
    for (int i = 0; i < r; i++)
      w->A[(size_t)c * (size_t)r + (size_t)i] = column[w->row[i] - s->nx];
  }
  int failed = dae__lu_factor(r, w->A, w->order);
  if (!failed)
    return DAE_OK;
  dae__semi_variable_name(s->p, w->col[failed - 1], name, sizeof name);
  return dae__fail(err, DAE_ERROR_RECOVERABLE, name,
                   "the equations of index 1 do not determine %s at this point: the index changes",
                   name);
}

/* Newton's method for y1 at fixed x: w->z = (x, Y(t,x)) and w->F = F there. */
static dae_status mixed_solve(dae__semi *s, dae__difference *d, double t, const double *z,
                              dae_error *err)
{
  struct dae__semi_mixed *w = s->reduction;
  double before = INFINITY, rate = INFINITY;
  dae__copy(s->n, z, w->z);
  DAE__TRY(dae__semi_F(s, t, w->z, NULL, w->F, err));
  for (int k = 0; k < MAX_ITERATIONS; k++) {
    if (!(rate <= SLOW_RATE))
      DAE__TRY(mixed_factor(s, d, t, err));
    double size = 0;
    for (int i = 0; i < w->rank; i++) {
      w->d[i] = w->F[w->row[i] - s->nx];
      size = fmax(size, fabs(w->d[i]) / (w->scale[w->row[i]] + DBL_MIN));
    }
    if (size <= DBL_EPSILON || (size < STAGNATION && size > 0.5 * before))
      return DAE_OK;
    dae__lu_solve(w->rank, w->A, w->order, w->d);
    for (int i = 0; i < w->rank; i++)
      w->z[w->col[i]] -= w->d[i];
    DAE__TRY(dae__semi_F(s, t, w->z, NULL, w->F, err));
    rate = size / before;
    before = size;
  }
  char name[64];
  dae__semi_variable_name(s->p, w->col[0], name, sizeof name);
  return dae__fail(err, DAE_ERROR_RECOVERABLE, name,
                   "Newton's method for the variables of index 1, as %s, does not converge", name);
}

/* ---- evaluations ---- */

/* Entry of row i of F2 from the entry b of F2 and the column w->d = F1_y1^-1 (column of F1). */
static double mixed_entry(const dae__semi *s, int i, double b)
{
  const struct dae__semi_mixed *w = s->reduction;
  for (int c = 0; c < w->rank; c++)
    b -= w->B[(size_t)c * (size_t)s->ny + (size_t)i] * w->d[c];
  return b;
}

dae_status dae__semi_mixed_F(dae__semi *s, double t, const double *z, double *F, dae_error *err)
{
  DAE__TRY(mixed_prepare(s, err));
  *s->mixed = false; /* the evaluations within are those of the user */
  dae_status status = mixed_solve(s, NULL, t, z, err);
  *s->mixed = true;
  if (status)
    return status;
  /* the round-off of y1, of which F1 is the residual, is taken out of F2 */
  struct dae__semi_mixed *w = s->reduction;
  for (int i = 0; i < w->rank; i++)
    w->d[i] = w->F[w->row[i] - s->nx];
  dae__lu_solve(w->rank, w->A, w->order, w->d);
  for (int i = 0; i < s->ny; i++)
    F[i] = s->hidden[i] ? mixed_entry(s, i, w->F[i]) : F[i];
  return DAE_OK;
}

dae_status dae__semi_mixed_F_t(dae__semi *s, double t, const double *z, double *F_t, dae_error *err)
{
  struct dae__semi_mixed *w;
  DAE__TRY(mixed_prepare(s, err));
  *s->mixed = false;
  dae_status status = mixed_solve(s, NULL, t, z, err);
  w = s->reduction;
  if (!status)
    status = mixed_factor(s, NULL, t, err);
  if (!status)
    status = dae__semi_F_t(s, t, w->z, NULL, w->F, err);
  *s->mixed = true;
  if (status)
    return status;
  for (int i = 0; i < w->rank; i++)
    w->d[i] = w->F[w->row[i] - s->nx];
  dae__lu_solve(w->rank, w->A, w->order, w->d);
  for (int i = 0; i < s->ny; i++)
    F_t[i] = s->hidden[i] ? mixed_entry(s, i, w->F[i]) : F_t[i];
  return DAE_OK;
}

dae_status dae__semi_mixed_J(dae__semi *s, dae__difference *d, double t, const double *z, double *J,
                             dae_error *err)
{
  DAE__TRY(mixed_prepare(s, err));
  *s->mixed = false;
  dae_status status = mixed_solve(s, d, t, z, err);
  if (!status)
    status = mixed_factor(s, d, t, err);
  *s->mixed = true;
  const struct dae__semi_mixed *w = s->reduction;
  for (int j = 0; j < s->n && !status; j++) {
    dae__zero(s->n, w->F);
    for (int e = s->J.start[j]; e < s->J.start[j + 1]; e++)
      w->F[s->J.row[e]] = w->J[e];
    for (int i = 0; i < w->rank; i++)
      w->d[i] = w->F[w->row[i]];
    if (j < s->nx)
      dae__lu_solve(w->rank, w->A, w->order, w->d);
    for (int e = s->J.start[j]; e < s->J.start[j + 1]; e++) {
      int i = s->J.row[e] - s->nx;
      if (i >= 0 && s->hidden[i])
        J[e] = j < s->nx ? mixed_entry(s, i, w->J[e]) : 0;
    }
  }
  return status;
}
