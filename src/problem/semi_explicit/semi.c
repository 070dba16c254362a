/* Evaluations of a semi-explicit problem: the user's callbacks with results checked, missing
 * derivatives by coloured differences; the iteration matrix; classification of the rows of F. */
#include "problem/semi_explicit/semi.h"
#include "core/assert.h"
#include "core/env.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/problem.h"
#include <float.h>
#include <stdio.h>

/* Distance of the second point at which dF/dy is tested for zero rows, relative to the size of the
 * variables. Chosen, not measured. */
#define NEAR_DISTANCE 0.01

/* ---- creation ---- */

/* The user's pattern of J, with all columns of x in the rows of F where F_y has more columns
 * without an entry than rows: some rows with y are then of index 2 (semi_mixed.c). */
static dae_pattern semi_mixed_pattern(dae__semi *s, dae__arena *arena)
{
  const dae_pattern *user = s->p->J_pattern;
  bool *with_y = DAE__ALLOC(arena, bool, s->ny);
  int columns = 0, rows = 0;
  for (int j = s->nx; j < s->n && with_y; j++) {
    bool empty = true;
    for (int e = user->start[j]; e < user->start[j + 1]; e++)
      if (user->row[e] >= s->nx)
        with_y[user->row[e] - s->nx] = true, empty = false;
    columns += empty;
  }
  for (int i = 0; i < s->ny && with_y; i++)
    rows += !with_y[i];
  if (!with_y || columns <= rows || rows + columns == 2 * s->ny)
    return *user;
  dae_pattern F_x = dae__pattern_dense(arena, s->ny, s->nx);
  dae__block blocks[2] = {{.pattern = user}, {.row = s->nx, .pattern = &F_x}};
  dae_pattern J = dae__blocks_merge(arena, s->n, s->n, blocks, 2);
  s->J_user = blocks[0];
  s->J_values = DAE__ALLOC(arena, double, dae__pattern_count(user));
  return J;
}

static void semi_alloc(dae__semi *s, dae__arena *arena)
{
  const dae_semi_explicit *p = s->p;
  int nx = s->nx;
  s->evaluations = DAE__STATE(arena, long, 1);
  DAE__LIMIT_COUNTER(arena, s->evaluations, 1);
  s->in = DAE__ALLOC(arena, double, p->nin);
  s->hidden = DAE__ALLOC(arena, bool, s->ny);
  s->mixed = DAE__STATE(arena, bool, 1);
  s->pivot = DAE__STATE(arena, int, s->ny);
  DAE__LIMIT_TRUTH(arena, s->mixed, 1);
  DAE__LIMIT(arena, s->pivot, s->ny, -1, s->ny - 1);
  s->M = !p->M          ? dae__pattern_diagonal(arena, nx)
         : p->M_pattern ? *p->M_pattern
                        : dae__pattern_dense(arena, nx, nx);
  s->J = p->J_pattern ? semi_mixed_pattern(s, arena) : dae__pattern_dense(arena, s->n, s->n);
  s->Ms = s->constant_mass ? dae__pattern_empty(arena, nx, nx)
          : p->Ms_pattern  ? *p->Ms_pattern
                           : dae__pattern_dense(arena, nx, nx);
  if (dae__arena_failed(arena))
    return;
  s->M_values = DAE__ALLOC(arena, double, dae__pattern_count(&s->M));
  if (!p->J)
    s->dJ = dae__difference_create(arena, &s->J, false);
  if (!s->constant_mass && !p->Ms_x)
    s->dMs = dae__difference_create(arena, &s->Ms, false);
}

dae_status dae__semi_create(dae__arena *arena, const dae_problem *problem, dae__semi **out,
                            dae_error *err)
{
  const dae_semi_explicit *p = problem->semi_explicit;
  *out = NULL;
  DAE__TRY(dae_problem_validate(problem, err));
  dae__semi *s = DAE__ALLOC(arena, dae__semi, 1);
  DAE__TRY(dae__arena_status(arena, err));
  *s = (dae__semi){.p = p,
                   .nx = p->nx,
                   .ny = p->ny,
                   .n = p->nx + p->ny,
                   .sparse = p->J_pattern != NULL,
                   .constant_mass = !p->M || p->constant_mass,
                   .arena = arena,
                   .stop = dae__env_stopping(dae__arena_env(arena)),
                   .input = problem->input,
                   .input_user = problem->input_user,
                   .why = problem->why};
  semi_alloc(s, arena);
  DAE__TRY(dae__arena_status(arena, err));
  *out = s;
  return DAE_OK;
}

/* ---- names ---- */

const char *dae__semi_variable_name(const dae_semi_explicit *p, int i, char *text, size_t size)
{
  dae_problem_variable(&(dae_problem){.semi_explicit = p}, i, text, size);
  return text;
}

const char *dae__semi_equation_name(const dae_semi_explicit *p, int i, char *text, size_t size)
{
  bool algebraic = i >= p->nx;
  const char *const *names = algebraic ? p->F_names : p->f_names;
  int k = algebraic ? i - p->nx : i;
  if (!names || !names[k])
    return dae__semi_variable_name(p, i, text, size);
  snprintf(text, size, "%s", names[k]);
  return text;
}

/* ---- evaluations ---- */

/* Refuses values that are not finite. out: n rows of (f, F) from row `first` on, of which those
 * with wanted[i] are checked, NULL: all. */
static dae_status semi_check_rows(const dae__semi *s, int n, const double *out, int first,
                                  const bool *wanted, double t, dae_error *err)
{
  char name[64];
  if (dae__all_finite(n, out))
    return DAE_OK;
  for (int i = 0; i < n; i++) {
    if (isfinite(out[i]) || (wanted && !wanted[i]))
      continue;
    dae__semi_equation_name(s->p, first + i, name, sizeof name);
    dae__fail(err, DAE_ERROR_RECOVERABLE, name,
              "the %s of the equation of %s is not a finite number",
              first + i < s->nx ? "right side" : "residual", name);
    dae__fail_at(err, t, NAN);
    return DAE_ERROR_RECOVERABLE;
  }
  return DAE_OK;
}

static dae_status semi_check_matrix(const dae_pattern *p, const double *values, const char *what,
                                    double t, dae_error *err)
{
  if (dae__all_finite(dae__pattern_count(p), values))
    return DAE_OK;
  dae__fail(err, DAE_ERROR_RECOVERABLE, what,
            "the matrix %s has an entry that is not a finite number", what);
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_RECOVERABLE;
}

dae_status dae__semi_inputs(dae__semi *s, double t, dae_error *err)
{
  if (s->stop)
    DAE__TRY(dae__env_proceed(s->stop, err));
  return s->input ? dae__callback_status(s->why, s->input(s->input_user, t, s->in), "input", t, err)
                  : DAE_OK;
}

static dae_semi_explicit_at semi_point(const dae__semi *s, double t, const double *z)
{
  return (dae_semi_explicit_at){.t = t, .x = z, .y = z + s->nx, .in = s->in};
}

dae_status dae__semi_F(dae__semi *s, double t, const double *z, const bool *wanted, double *F,
                       dae_error *err)
{
  dae_semi_explicit_at at = semi_point(s, t, z);
  DAE__TRY(dae__semi_inputs(s, t, err));
  if (s->ny > 0)
    DAE__TRY(dae__callback_status(s->why, s->p->F(s->p->user, &at, F), "F", t, err));
  DAE__TRY(*s->mixed ? dae__semi_mixed_F(s, t, z, F, err) : DAE_OK);
  return semi_check_rows(s, s->ny, F, s->nx, wanted, t, err);
}

dae_status dae__semi_F_t(dae__semi *s, double t, const double *z, const bool *wanted, double *F_t,
                         dae_error *err)
{
  dae_semi_explicit_at at = semi_point(s, t, z);
  char name[64];
  DAE__ASSERT(s->p->F_t);
  DAE__TRY(dae__semi_inputs(s, t, err));
  DAE__TRY(dae__callback_status(s->why, s->p->F_t(s->p->user, &at, F_t), "F_t", t, err));
  for (int i = 0; i < s->ny; i++)
    if (!isfinite(F_t[i]) && (!wanted || wanted[i])) {
      dae__semi_equation_name(s->p, s->nx + i, name, sizeof name);
      dae__fail(err, DAE_ERROR_RECOVERABLE, name,
                "the time derivative F_t of the equation of %s is not a finite number", name);
      dae__fail_at(err, t, NAN);
      return DAE_ERROR_RECOVERABLE;
    }
  return *s->mixed ? dae__semi_mixed_F_t(s, t, z, F_t, err) : DAE_OK;
}

dae_status dae__semi_rhs(dae__semi *s, double t, const double *z, double *fF, dae_error *err)
{
  const dae_semi_explicit *p = s->p;
  dae_semi_explicit_at at = semi_point(s, t, z);
  dae_status status = s->input || s->stop ? dae__semi_inputs(s, t, err) : DAE_OK;
  ++*s->evaluations;
  DAE__TRY(status);
  int code = s->nx > 0 ? p->f(p->user, &at, fF) : 0;
  if (code)
    return dae__callback_status(s->why, code, "f", t, err);
  code = s->ny > 0 ? p->F(p->user, &at, fF + s->nx) : 0;
  if (code)
    return dae__callback_status(s->why, code, "F", t, err);
  DAE__TRY(*s->mixed ? dae__semi_mixed_F(s, t, z, fF + s->nx, err) : DAE_OK);
  /* entry by entry: paired loads would wait for the callback's stores to reach the cache */
  double sum = 0;
  for (int i = 0; i < s->n; i++)
    sum += 0 * fF[i];
  return sum == 0 ? DAE_OK : semi_check_rows(s, s->n, fF, 0, NULL, t, err);
}

dae_status dae__semi_M(dae__semi *s, double t, const double *z, double *M, dae_error *err)
{
  dae_semi_explicit_at at = semi_point(s, t, z);
  DAE__TRY(dae__semi_inputs(s, t, err));
  if (s->p->M)
    DAE__TRY(dae__callback_status(s->why, s->p->M(s->p->user, &at, M), "M", t, err));
  for (int i = 0; i < s->nx && !s->p->M; i++)
    M[i] = 1;
  return semi_check_matrix(&s->M, M, "M", t, err);
}

/* ---- derivatives ---- */

/* Context of differences: the problem, the time at which z is varied, and the vector a of M a. */
typedef struct vary {
  dae__semi *s;
  double t;
  const double *a;
} vary;

static dae_status semi_rhs_of_z(void *context, const double *z, double *out, dae_error *err)
{
  vary *c = context;
  return dae__semi_rhs(c->s, c->t, z, out, err);
}

dae_status dae__semi_J(dae__semi *s, dae__difference *d, double t, const double *z, double *J,
                       dae_error *err)
{
  dae_semi_explicit_at at = semi_point(s, t, z);
  double *values = s->J_values ? s->J_values : J;
  bool mixed = *s->mixed;
  DAE__TRY(dae__semi_inputs(s, t, err));
  *s->mixed = false; /* differences of the user's F */
  dae_status status =
      s->p->J
          ? dae__callback_status(s->why, s->p->J(s->p->user, &at, values), "J", t, err)
          : dae__difference_jacobian(d ? d : &s->dJ, semi_rhs_of_z, &(vary){s, t, NULL}, z, J, err);
  *s->mixed = mixed;
  if (s->p->J && s->J_values) {
    dae__zero(dae__pattern_count(&s->J), J);
    dae__block_add(&s->J_user, 1, values, J);
  }
  if (!status && mixed)
    status = dae__semi_mixed_J(s, d, t, z, J, err);
  return status ? status : semi_check_matrix(&s->J, J, "J", t, err);
}

/* out = M(t,x) a; M does not depend on y. */
static dae_status semi_Ma_of_x(void *context, const double *x, double *out, dae_error *err)
{
  vary *c = context;
  dae_status status = dae__semi_M(c->s, c->t, x, c->s->M_values, err);
  dae__zero(c->s->nx, out);
  dae__matrix_times(&c->s->M, c->s->M_values, 1, c->a, out);
  return status;
}

dae_status dae__semi_Ms(dae__semi *s, double t, const double *z, const double *a, double *Ms,
                        dae_error *err)
{
  dae_semi_explicit_at at = semi_point(s, t, z);
  if (s->constant_mass)
    return DAE_OK;
  DAE__TRY(s->p->Ms_x
               ? dae__callback_status(s->why, s->p->Ms_x(s->p->user, &at, a, Ms), "Ms_x", t, err)
               : dae__difference_jacobian(&s->dMs, semi_Ma_of_x, &(vary){s, t, a}, z, Ms, err));
  return semi_check_matrix(&s->Ms, Ms, "Ms_x", t, err);
}

/* ---- the iteration matrix ---- */

dae__semi_matrix dae__semi_matrix_create(dae__arena *arena, const dae__semi *s)
{
  dae__block blocks[3] = {{.pattern = &s->M}, {.pattern = &s->Ms}, {.pattern = &s->J}};
  dae__semi_matrix matrix = {0};
  matrix.pattern = dae__blocks_merge(arena, s->n, s->n, blocks, 3);
  matrix.M = blocks[0];
  matrix.Ms = blocks[1];
  matrix.J = blocks[2];
  if (!dae__arena_failed(arena))
    matrix.values = DAE__ALLOC(arena, double, dae__pattern_count(&matrix.pattern));
  return matrix;
}

void dae__semi_matrix_fill(dae__semi_matrix *matrix, double c, const double *M, const double *Ms,
                           const double *J)
{
  int count = dae__pattern_count(&matrix->pattern);
  if (dae__pattern_count(matrix->J.pattern) == count) { /* J has the entries of the whole matrix */
    dae__negate(count, J, matrix->values);
  } else {
    dae__zero(count, matrix->values);
    dae__block_add(&matrix->J, -1, J, matrix->values);
  }
  if (M)
    dae__block_add(&matrix->M, c, M, matrix->values);
  if (Ms)
    dae__block_add(&matrix->Ms, 1, Ms, matrix->values);
}

/* ---- the mass matrix in iterations ---- */

dae__semi_mass dae__semi_mass_create(dae__arena *arena, dae__semi *s)
{
  int count = dae__pattern_count(&s->M), constant = s->constant_mass ? count : 0;
  return (dae__semi_mass){.s = s,
                          .values = DAE__ALLOC(arena, double, count),
                          .entry = DAE__ALLOC(arena, dae__semi_mass_entry, constant)};
}

dae_status dae__semi_mass_at(dae__semi_mass *m, double t, const double *z, dae_error *err)
{
  const dae_pattern *p = &m->s->M;
  if (m->known)
    return DAE_OK;
  DAE__TRY(dae__semi_M(m->s, t, z, m->values, err));
  m->known = m->s->constant_mass;
  m->count = 0;
  for (int j = 0; m->known && j < p->cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      if (m->values[e] != 0)
        m->entry[m->count++] = (dae__semi_mass_entry){m->values[e], p->row[e], j, e};
  return DAE_OK;
}

void dae__semi_mass_times(const dae__semi_mass *m, double a, const double *x, double *r)
{
  if (!m->known) {
    dae__matrix_times(&m->s->M, m->values, a, x, r);
    return;
  }
  for (int i = 0; i < m->count; i++) {
    dae__semi_mass_entry e = m->entry[i];
    r[e.row] += a * x[e.col] * e.value;
  }
}

void dae__semi_mass_add(const dae__semi_mass *m, double a, const dae__block *block, double *matrix)
{
  if (!m->known) {
    dae__block_add(block, a, m->values, matrix);
    return;
  }
  for (int i = 0; i < m->count; i++)
    matrix[block->map[m->entry[i].at]] += a * m->entry[i].value;
}

/* ---- rows of F without y ---- */

/* Clears hidden[i] where row i of dF/dy is not zero up to round-off; returns the number of rows
 * that remain. */
static int semi_keep_zero_rows(const dae__semi *s, const double *J, double *scratch)
{
  double *in_x = scratch, *in_y = scratch + s->n; /* largest entry of each row of J_x and J_y */
  int count = 0;
  dae__zero(2 * s->n, scratch);
  for (int j = 0; j < s->n; j++)
    for (int e = s->J.start[j]; e < s->J.start[j + 1]; e++) {
      double *size = j < s->nx ? in_x : in_y;
      size[s->J.row[e]] = fmax(size[s->J.row[e]], fabs(J[e]));
    }
  for (int i = 0; i < s->ny; i++) {
    s->hidden[i] = s->hidden[i] && in_y[s->nx + i] <= 10 * DBL_EPSILON * in_x[s->nx + i];
    count += s->hidden[i];
  }
  return count;
}

void dae__semi_near(const dae__semi *s, const double *J, const double *z, double *near)
{
  for (int j = 0; j < s->n; j++)
    near[j] = j < s->nx ? 0 : 1;
  for (int e = 0; e < s->J.start[s->n]; e++) /* states that stay, as discrete variables do */
    if (J[e] != 0)
      near[s->J.row[e]] = 1;
  for (int kind = 0; kind < 2; kind++) {
    int from = kind ? s->nx : 0, to = kind ? s->n : s->nx;
    double size = dae__max_abs(to - from, z + from);
    for (int j = from; j < to; j++)
      near[j] = z[j] + near[j] * NEAR_DISTANCE * (1 + 0.5 * sin(j + 1)) * (size > 0 ? size : 1);
  }
}

/* A row of F counts as free of y if its dF/dy vanishes at z and at a second point near z: dF/dy of
 * the equation y^2 = x vanishes at y = 0 only. */
dae_status dae__semi_classify(dae__semi *s, dae__difference *d, double t, const double *z,
                              double *J, double *scratch, dae_error *err)
{
  double *near = scratch + 2 * s->n;
  if (s->classified)
    return DAE_OK;
  if (*s->mixed) { /* J is that of the rows replaced */
    *s->mixed = false;
    DAE__TRY(dae__semi_J(s, d, t, z, J, err));
  }
  for (int i = 0; i < s->ny; i++)
    s->hidden[i] = true;
  s->hidden_count = semi_keep_zero_rows(s, J, scratch);
  if (s->hidden_count > 0) {
    dae__semi_near(s, J, z, near);
    if (dae__semi_J(s, d, t, near, J, NULL) == DAE_OK)
      s->hidden_count = semi_keep_zero_rows(s, J, scratch);
    DAE__TRY(dae__semi_J(s, d, t, z, J, err));
  }
  s->classified = true;
  return DAE_OK;
}
