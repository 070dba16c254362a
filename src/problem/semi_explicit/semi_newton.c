/* Newton's method with the exact matrix in every iteration, damped by the natural monotonicity
 * test: a step d is shortened until the simplified Newton step at the new point, with the same
 * matrix, is shorter than d. This test does not depend on the scaling of equations; its norm
 * relates each unknown to its own size. */
#include "problem/semi_explicit/semi_newton.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include <float.h>

/* Largest number of Newton iterations. Chosen, not measured. */
#define MAX_NEWTON_ITERATIONS 60
/* Smallest damping factor of a Newton step. Chosen, not measured. */
#define MIN_DAMPING 1e-6
/* Smallest weight of an unknown in the norm of steps, as a fraction of the largest unknown of its
 * group. Chosen, not measured. */
#define MIN_WEIGHT 1e-3
/* Steps that count as round-off, in units of the effect of the round-off of the rows. Chosen, not
 * measured. */
#define ROUND_OFF_STEPS 4
/* Relative change of the unknowns below which a stagnating Newton iteration counts as converged to
 * round-off. Chosen, not measured. */
#define STAGNATION_CHANGE 1e-9

dae_status dae__semi_newton_create(dae__arena *arena, const dae_pattern *pattern, int split,
                                   dae__semi_newton *out, dae_error *err)
{
  int n = pattern->cols;
  *out =
      (dae__semi_newton){.n = n, .split = split, .stagnation = STAGNATION_CHANGE, .singular = -1};
  out->pattern = pattern;
  out->values = DAE__ALLOC(arena, double, dae__pattern_count(pattern));
  double **vectors[] = {&out->typical, &out->column, &out->r,     &out->step,
                        &out->next,    &out->trial,  &out->weight};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = DAE__ALLOC(arena, double, n);
  DAE__TRY(dae__arena_status(arena, err));
  return dae__solver_create(arena, pattern, &out->solver, err);
}

void dae__semi_newton_free(dae__semi_newton *w)
{
  dae__solver_free(w->solver);
}

dae_status dae__semi_newton_factor(dae__semi_newton *w, dae_error *err)
{
  const dae_pattern *p = w->pattern;
  for (int j = 0; j < w->n; j++) {
    double max = dae__max_abs(p->start[j + 1] - p->start[j], w->values + p->start[j]);
    w->column[j] = max > 0 ? max : 1;
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      w->values[e] /= w->column[j];
  }
  dae_status status = dae__solver_factor(w->solver, w->values);
  w->singular = status == DAE_ERROR_SINGULAR ? dae__solver_column(w->solver) : -1;
  if (status == DAE_OK && dae__solver_rcond(w->solver) < w->tolerance) {
    /* an unknown that is nearly undetermined is large in the solution for most right sides */
    for (int i = 0; i < w->n; i++)
      w->next[i] = 1 + 0.5 * sin(i + 1);
    dae__solver_solve(w->solver, w->next);
    w->singular = 0;
    for (int i = 1; i < w->n; i++)
      if (!(fabs(w->next[i]) <= fabs(w->next[w->singular])))
        w->singular = i;
    status = DAE_ERROR_SINGULAR;
  }
  if (status == DAE_ERROR_RECOVERABLE || status == DAE_ERROR_MEMORY)
    dae__fail(err, status, NULL,
              status == DAE_ERROR_MEMORY ? "out of memory"
                                         : "a matrix has an entry that is not a finite number");
  return status;
}

void dae__semi_newton_apply(dae__semi_newton *w, double factor, const double *b, double *x)
{
  for (int i = 0; i < w->n; i++)
    x[i] = factor * b[i];
  dae__solver_solve(w->solver, x);
  for (int j = 0; j < w->n; j++)
    x[j] /= w->column[j];
}

static void newton_find_weights(dae__semi_newton *w, int from, int to, const double *u)
{
  double largest = fmax(dae__max_abs(to - from, u + from), dae__max_abs(to - from, w->step + from));
  for (int j = from; j < to; j++) {
    double floor = w->typical[j] > 0 ? w->typical[j] : MIN_WEIGHT * largest;
    w->weight[j] = fmax(floor, fabs(u[j])) + DBL_MIN;
  }
}

static double newton_norm(const dae__semi_newton *w, const double *step)
{
  double max = 0;
  for (int j = 0; j < w->n; j++) {
    double ratio = fabs(step[j]) / w->weight[j];
    if (!(ratio <= max))
      max = ratio;
  }
  return max;
}

/* Damped Newton step: u += lambda step, with the largest lambda that passes the monotonicity test;
 * w->r = r at the new u. */
static dae_status newton_advance(dae__semi_newton *w, const dae__semi_system *system, double size,
                                 double *u, dae_error *err)
{
  dae_status status = DAE_ERROR_START;
  for (double lambda = 1; lambda > MIN_DAMPING; lambda /= 2) {
    dae__copy(w->n, u, w->trial);
    dae__axpy(w->n, lambda, w->step, w->trial);
    status = system->residual(system->self, w->trial, w->r, err);
    if (status == DAE_ERROR_RECOVERABLE)
      continue;
    DAE__TRY(status);
    dae__semi_newton_apply(w, -1, w->r, w->next);
    /* near the solution round-off dominates the test, and the full step is accepted */
    if (newton_norm(w, w->next) <= (1 - lambda / 4) * size || size < w->stagnation) {
      dae__copy(w->n, w->trial, u);
      return DAE_OK;
    }
    status = DAE_ERROR_START;
  }
  return status;
}

/* Whether the last step is round-off of the rows. The norm of steps does not show it where unknowns
 * pass zero: it relates them to their own size. */
static dae_status newton_is_round_off(dae__semi_newton *w, const dae__semi_system *system,
                                      bool *yes, dae_error *err)
{
  *yes = false;
  if (!system->round_off)
    return DAE_OK;
  DAE__TRY(system->round_off(system->self, w->trial, err));
  dae__zero(w->n, w->weight);
  for (int k = 0; k < 2; k++) { /* two choices of signs, against cancellation */
    for (int i = 0; i < w->n; i++)
      w->next[i] = (k * i) % 2 ? -w->trial[i] : w->trial[i];
    dae__semi_newton_apply(w, ROUND_OFF_STEPS, w->next, w->next);
    for (int j = 0; j < w->n; j++)
      w->weight[j] = fmax(w->weight[j], fabs(w->next[j]));
  }
  *yes = true;
  for (int j = 0; j < w->n; j++)
    *yes = *yes && fabs(w->step[j]) <= w->weight[j] + DBL_MIN;
  return DAE_OK;
}

dae_status dae__semi_newton_solve(dae__semi_newton *w, const dae__semi_system *system, double *u,
                                  dae_error *err)
{
  double before = INFINITY;
  dae_status status = system->residual(system->self, u, w->r, err);
  for (int i = 0; i < MAX_NEWTON_ITERATIONS && !status; i++) {
    DAE__TRY(system->matrix(system->self, u, w->values, err));
    DAE__TRY(dae__semi_newton_factor(w, err));
    dae__semi_newton_apply(w, -1, w->r, w->step);
    newton_find_weights(w, 0, w->split, u);
    newton_find_weights(w, w->split, w->n, u);
    double size = newton_norm(w, w->step);
    if (!isfinite(size))
      return DAE_ERROR_START;
    status = newton_advance(w, system, size, u, err);
    if (!status && (size <= 4 * DBL_EPSILON || (size < w->stagnation && size > 0.5 * before)))
      return DAE_OK;
    if (status == DAE_ERROR_START || (!status && size > 0.5 * before)) {
      bool done;
      DAE__TRY(newton_is_round_off(w, system, &done, err));
      if (done)
        return DAE_OK;
    }
    before = size;
  }
  return status ? status : DAE_ERROR_START;
}

/* ---- slopes ---- */

dae_status dae__semi_slopes_prepare(dae__arena *arena, dae__semi *s, dae__semi_slopes *out,
                                    dae_error *err)
{
  *out = (dae__semi_slopes){.s = s};
  out->M = DAE__ALLOC(arena, double, dae__pattern_count(&s->M));
  out->J = DAE__ALLOC(arena, double, dae__pattern_count(&s->J));
  out->F_t = DAE__ALLOC(arena, double, s->ny);
  DAE__VECTORS(arena, s->n, &out->u, &out->point, &out->later);
  if (!s->p->J)
    out->fine = dae__difference_create(arena, &s->J, true);
  int *start = DAE__ALLOC(arena, int, s->ny + 1);
  DAE__TRY(dae__arena_status(arena, err));
  for (int j = 0; j <= s->ny; j++)
    start[j] = s->J.start[s->nx + j] - s->J.start[s->nx];
  out->J_y = (dae_pattern){s->n, s->ny, start, s->J.row + s->J.start[s->nx]};
  return DAE_OK;
}

dae_status dae__semi_slopes_create(dae__arena *arena, dae__surface *surface,
                                   dae__semi_slopes *slopes, dae_error *err)
{
  dae__semi *s = slopes->s;
  dae__block blocks[3] = {
      {.pattern = &s->M}, {.col = s->nx, .pattern = &slopes->J_y}, {.row = s->nx}};
  slopes->surface = surface;
  blocks[2].pattern = surface ? &surface->A : NULL;
  slopes->pattern = dae__blocks_merge(arena, s->n, s->n, blocks, surface ? 3 : 2);
  slopes->M_at = blocks[0];
  slopes->J_y_at = blocks[1];
  slopes->A_at = blocks[2];
  DAE__TRY(dae__arena_status(arena, err));
  dae_status status = dae__semi_newton_create(arena, &slopes->pattern, s->nx, &slopes->newton, err);
  slopes->newton.tolerance = DAE__SEMI_SINGULAR;
  return status;
}

static dae_status slopes_residual(void *self, const double *u, double *r, dae_error *err)
{
  dae__semi_slopes *w = self;
  dae__semi *s = w->s;
  dae__copy(s->ny, u + s->nx, w->point + s->nx);
  DAE__TRY(dae__semi_rhs(s, w->t, w->point, r, err));
  dae__scale(s->n, -1, r);
  dae__matrix_times(&s->M, w->M, 1, u, r);
  for (int i = 0; i < s->ny; i++)
    if (s->hidden[i])
      r[s->nx + i] = w->F_t[i];
  if (w->surface)
    dae__matrix_times(&w->surface->A, w->surface->A_values, 1, u, r + s->nx);
  return DAE_OK;
}

static dae_status slopes_matrix(void *self, const double *u, double *values, dae_error *err)
{
  dae__semi_slopes *w = self;
  dae__copy(w->s->ny, u + w->s->nx, w->point + w->s->nx);
  dae_status status = dae__semi_J(w->s, &w->fine, w->t, w->point, w->J, err);
  dae__zero(dae__pattern_count(&w->pattern), values);
  dae__block_add(&w->M_at, 1, w->M, values);
  dae__block_add(&w->J_y_at, -1, w->J + w->s->J.start[w->s->nx], values);
  if (w->surface)
    dae__block_add(&w->A_at, 1, w->surface->A_values, values);
  return status;
}

/* Rows are sums of terms that are as large as those of their derivatives, J_ij z_j and, by time,
 * r_t t. */
static dae_status slopes_round_off(void *self, double *r, dae_error *err)
{
  dae__semi_slopes *w = self;
  dae__semi *s = w->s;
  double t = w->t, *later = w->later;
  DAE__TRY(dae__semi_rhs(s, t + DBL_EPSILON * fabs(t), w->point, later, err));
  DAE__TRY(dae__semi_rhs(s, t, w->point, r, err));
  for (int i = 0; i < s->n; i++)
    r[i] = fabs(later[i] - r[i]) + DBL_EPSILON * fabs(r[i]);
  for (int j = 0; j < s->n; j++)
    for (int e = s->J.start[j]; e < s->J.start[j + 1]; e++)
      r[s->J.row[e]] += DBL_EPSILON * fabs(w->J[e] * w->point[j]);
  for (int i = 0; i < s->ny; i++)
    if (s->hidden[i])
      r[s->nx + i] = DBL_EPSILON * fabs(w->F_t[i]);
  for (int j = 0; w->surface && j < s->nx; j++)
    for (int e = w->surface->A.start[j]; e < w->surface->A.start[j + 1]; e++)
      r[s->nx + w->surface->A.row[e]] += DBL_EPSILON * fabs(w->surface->A_values[e] * w->u[j]);
  return DAE_OK;
}

dae_status dae__semi_slopes_solve(dae__semi_slopes *slopes, double t, double *z, double *dx,
                                  dae_error *err)
{
  dae__semi *s = slopes->s;
  dae__semi_system system = {slopes, slopes_residual, slopes_matrix, slopes_round_off};
  DAE__ASSERT(slopes->newton.solver); /* dae__semi_slopes_create comes first */
  slopes->t = t;
  dae__copy(s->nx, z, slopes->point);
  DAE__TRY(dae__semi_M(s, t, z, slopes->M, err));
  if (slopes->surface) {
    DAE__TRY(dae__surface_jacobian(slopes->surface, t, z, err));
    DAE__TRY(dae__surface_rate(slopes->surface, t, z, slopes->F_t, err));
  }
  /* initial guess of the slopes: f where M is the identity, else zero */
  dae__zero(s->nx, slopes->u);
  if (!s->p->M)
    DAE__TRY(dae__semi_rhs(s, t, z, slopes->u, err));
  dae__copy(s->ny, z + s->nx, slopes->u + s->nx);
  DAE__TRY(dae__semi_newton_solve(&slopes->newton, &system, slopes->u, err));
  dae__copy(s->ny, slopes->u + s->nx, z + s->nx);
  dae__copy(s->nx, slopes->u, dx);
  return DAE_OK;
}

/* ---- index 2 ---- */

void dae__semi_index_2_free(dae__semi_index_2 *i2)
{
  if (!i2)
    return;
  dae__surface_free(i2->surface);
  dae__semi_newton_free(&i2->slopes.newton);
  dae__arena_free(i2->arena);
}

dae_status dae__semi_index_2_create(dae__semi *s, dae__semi_index_2 **out, dae_error *err)
{
  *out = NULL;
  dae__arena *arena = dae__arena_create(dae__arena_env(s->arena));
  dae__semi_index_2 *i2 = DAE__ALLOC(arena, dae__semi_index_2, 1);
  if (!i2) {
    dae__arena_free(arena);
    return dae__out_of_memory(err);
  }
  i2->arena = arena;
  dae_status status = dae__semi_slopes_prepare(arena, s, &i2->slopes, err);
  if (!status && s->hidden_count > 0)
    status = dae__surface_create(arena, s, &i2->surface, err);
  if (!status)
    status = dae__semi_slopes_create(arena, i2->surface, &i2->slopes, err);
  if (status)
    dae__semi_index_2_free(i2);
  else
    *out = i2;
  return status;
}

dae_status dae__semi_index_2_project(dae__semi_index_2 *i2, double t, double *z, dae_error *err)
{
  if (!i2->surface)
    return DAE_OK;
  i2->surface->memory->factored = i2->surface->memory->evaluated = false;
  return dae__surface_project(i2->surface, t, z, err);
}
