/* Newton's method with full matrices, damped by the natural monotonicity test: a step d is taken as
 * far as the simplified Newton step at the new point, with the same matrix, is shorter than d.
 * That test does not depend on how equations are scaled; the norm relates each unknown to its own
 * size. */
#include "problem/semi_explicit/semi_newton.h"
#include "core/error.h"
#include "core/vec.h"
#include <float.h>

#define MAX_ITERATIONS 60
#define SMALLEST_DAMPING 1e-6
/* unknowns are not resolved below this share of the largest of their kind */
#define RESOLVED 1e-3

dae_status dae__semi_newton_create(dae__arena *arena, const dae_pattern *pattern, int split,
                                   dae__semi_newton *out, dae_error *err)
{
  int n = pattern->cols;
  *out = (dae__semi_newton){.n = n, .split = split, .settled = 1e-9, .singular = -1};
  out->pattern = pattern;
  out->values = DAE__ALLOC(arena, double, dae__pattern_count(pattern));
  double **vectors[] = {&out->typical, &out->column, &out->r,     &out->step,
                        &out->next,    &out->trial,  &out->weight};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = DAE__ALLOC(arena, double, n);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  return dae__solver_create(arena, pattern, &out->solver, err);
}

void dae__semi_newton_free(dae__semi_newton *w)
{
  dae__solver_free(w->solver);
}

static void newton_scale_columns(dae__semi_newton *w)
{
  const dae_pattern *p = w->pattern;
  for (int j = 0; j < w->n; j++) {
    double max = dae__max_abs(p->start[j + 1] - p->start[j], w->values + p->start[j]);
    w->column[j] = max > 0 ? max : 1;
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      w->values[e] /= w->column[j];
  }
}

/* an unknown that the matrix hardly determines: large in matrix\b for some b */
static int newton_find_loose(dae__semi_newton *w)
{
  int loose = 0;
  for (int i = 0; i < w->n; i++)
    w->next[i] = 1 + 0.5 * sin(i + 1);
  dae__solver_solve(w->solver, w->next);
  for (int i = 1; i < w->n; i++)
    if (!(fabs(w->next[i]) <= fabs(w->next[loose])))
      loose = i;
  return loose;
}

dae_status dae__semi_newton_factor(dae__semi_newton *w, const dae__semi_system *system,
                                   const double *u, dae_error *err)
{
  DAE__TRY(system->matrix(system->self, u, w->values, err));
  newton_scale_columns(w);
  dae_status status = dae__solver_factor(w->solver, w->values);
  w->singular = status == DAE_ERROR_SINGULAR ? dae__solver_column(w->solver) : -1;
  if (status == DAE_OK && dae__solver_rcond(w->solver) < w->tolerance) {
    w->singular = newton_find_loose(w);
    status = DAE_ERROR_SINGULAR;
  }
  if (status == DAE_ERROR_RECOVERABLE || status == DAE_ERROR_MEMORY)
    dae__fail(err, status, NULL,
              status == DAE_ERROR_MEMORY ? "out of memory"
                                         : "a matrix has an entry that is not a finite number");
  return status;
}

void dae__semi_newton_apply(dae__semi_newton *w, double *b)
{
  dae__solver_solve(w->solver, b);
  for (int j = 0; j < w->n; j++)
    b[j] /= w->column[j];
}

/* step = -matrix\r */
static void newton_find_step(dae__semi_newton *w, const double *r, double *step)
{
  for (int i = 0; i < w->n; i++)
    step[i] = -r[i];
  dae__semi_newton_apply(w, step);
}

static void newton_find_weights(dae__semi_newton *w, int from, int to, const double *u)
{
  double largest = fmax(dae__max_abs(to - from, u + from), dae__max_abs(to - from, w->step + from));
  for (int j = from; j < to; j++) {
    double floor = w->typical[j] > 0 ? w->typical[j] : RESOLVED * largest;
    w->weight[j] = fmax(floor, fabs(u[j])) + DBL_MIN;
  }
}

static double semi_newton_norm(const dae__semi_newton *w, const double *step)
{
  double max = 0;
  for (int j = 0; j < w->n; j++) {
    double ratio = fabs(step[j]) / w->weight[j];
    if (!(ratio <= max))
      max = ratio;
  }
  return max;
}

/* u += lambda step, r there; lambda as large as the test allows */
static dae_status newton_advance(dae__semi_newton *w, const dae__semi_system *system, double size,
                                 double *u, dae_error *err)
{
  dae_status status = DAE_ERROR_START;
  for (double lambda = 1; lambda > SMALLEST_DAMPING; lambda /= 2) {
    dae__copy(w->n, u, w->trial);
    dae__axpy(w->n, lambda, w->step, w->trial);
    status = system->residual(system->self, w->trial, w->r, err);
    if (status == DAE_ERROR_RECOVERABLE)
      continue;
    DAE__TRY(status);
    newton_find_step(w, w->r, w->next);
    /* near the solution round-off decides, and the full step is as good as any */
    if (semi_newton_norm(w, w->next) <= (1 - lambda / 4) * size || size < w->settled) {
      dae__copy(w->n, w->trial, u);
      return DAE_OK;
    }
    status = DAE_ERROR_START;
  }
  return status;
}

dae_status dae__semi_newton_solve(dae__semi_newton *w, const dae__semi_system *system, double *u,
                                  dae_error *err)
{
  double before = INFINITY;
  dae_status status = system->residual(system->self, u, w->r, err);
  for (int i = 0; i < MAX_ITERATIONS && !status; i++) {
    DAE__TRY(dae__semi_newton_factor(w, system, u, err));
    newton_find_step(w, w->r, w->step);
    newton_find_weights(w, 0, w->split, u);
    newton_find_weights(w, w->split, w->n, u);
    double size = semi_newton_norm(w, w->step);
    if (!isfinite(size))
      return DAE_ERROR_START;
    status = newton_advance(w, system, size, u, err);
    if (!status && (size <= 4 * DBL_EPSILON || (size < w->settled && size > 0.5 * before)))
      return DAE_OK;
    before = size;
  }
  return status ? status : DAE_ERROR_START;
}
