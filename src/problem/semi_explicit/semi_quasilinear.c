/* Consistent start where M is singular. The equations without derivatives are not known one by one;
 * a step of the backward Euler method
 *
 *   M (x1 - x0)/h - f(t,x1,y1) = 0,   -F(t,x1,y1) = 0,   h = 1e-10 tau,   tau = max|M|/max|J|
 *
 * moves x0 along the kernel of M until the equations without derivatives hold, and otherwise by
 * round-off. M is held at x0 and the step is repeated from x1 until nothing moves. Slopes are those
 * of longer steps, extrapolated to h = 0:
 *
 *   s(h) = (x(t+h) - x)/h,   x' = (8 s(h/4) - 6 s(h/2) + s(h))/3 + O(h^3)
 *
 * The index is 1 where the inverse of the matrix M/h - J stays bounded as h goes to zero; it grows
 * like 1/h for index 2. */
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "linalg/rank.h"
#include "problem/semi_explicit/semi_newton.h"
#include <stdio.h>

/* Step size of the backward Euler steps that find the consistent point, in units of tau. Chosen: x
 * moves along its slopes by round-off only. */
#define JUMP_STEP 1e-10
/* Relative change below which Newton's method may stagnate in a backward Euler step of size
 * JUMP_STEP tau: a large change along the kernel of M leaves round-off of about 1e-16/JUMP_STEP in
 * M (x1 - x0)/h, which the next step, with a small change, removes. */
#define JUMP_STAGNATION 1e-5
/* Largest number of backward Euler steps to the consistent point. Chosen, not measured. */
#define MAX_JUMPS 20
/* Change of x by a backward Euler step, relative to max(|x_j|, rms of x), below which x counts as
 * consistent. Chosen, not measured. */
#define KEPT_CHANGE 1e-8
/* Backward Euler steps whose slopes are extrapolated: largest and smallest step size in units of
 * tau, and relative error estimate at which the slopes are accepted. Chosen, not measured. */
#define FIRST_SLOPE_STEP 1e-3
#define LAST_SLOPE_STEP 1e-9
#define ACCEPTED_SLOPE_ERROR 1e-7
/* Step sizes h, in units of tau, between which the growth of (M/h - J)^-1 is measured, and the
 * growth above which the index is higher than 1. Chosen: the inverse grows by 100 for index 2. */
#define LONG_PROBE 1e-5
#define SHORT_PROBE 1e-7
#define INDEX_GROWTH 10

/* A backward Euler step from x0 with the unknowns u = (x1 - x0, y). */
typedef struct euler {
  dae__semi_quasilinear *q;
  double t, h;
  bool frozen;        /* M is held at x0 during the step */
  double *x0, *z, *u; /* n entries each: x0, iterate (x1, y), unknowns */
  double *slope, *Ms, *typical;
  double *before[3]; /* slopes by three step sizes; also scratch */
  dae__semi_matrix matrix;
  dae__semi_newton newton;
} euler;

static dae_status quasilinear_euler_create(euler *e, dae_error *err)
{
  dae__semi *s = e->q->s;
  dae__arena *arena = e->q->arena;
  double **vectors[] = {&e->x0,      &e->z,         &e->u,         &e->slope,
                        &e->typical, &e->before[0], &e->before[1], &e->before[2]};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = DAE__ALLOC(arena, double, s->n);
  e->Ms = DAE__ALLOC(arena, double, dae__pattern_count(&s->Ms));
  e->matrix = dae__semi_matrix_create(arena, s);
  DAE__TRY(dae__arena_status(arena, err));
  return dae__semi_newton_create(arena, &e->matrix.pattern, s->nx, &e->newton, err);
}

/* e->z = (x0 + u_x, y), and M at e->z unless it is frozen at x0. */
static dae_status quasilinear_set_point(euler *e, const double *u, dae_error *err)
{
  dae__semi *s = e->q->s;
  dae__copy(s->n, u, e->z);
  dae__axpy(s->nx, 1, e->x0, e->z);
  return e->frozen || s->constant_mass ? DAE_OK : dae__semi_M(s, e->t, e->z, e->q->M, err);
}

static dae_status quasilinear_residual(void *self, const double *u, double *r, dae_error *err)
{
  euler *e = self;
  dae__semi *s = e->q->s;
  DAE__TRY(quasilinear_set_point(e, u, err));
  DAE__TRY(dae__semi_rhs(s, e->t, e->z, r, err));
  dae__scale(s->n, -1, r);
  dae__matrix_times(&s->M, e->q->M, 1 / e->h, u, r);
  return DAE_OK;
}

static dae_status quasilinear_matrix(void *self, const double *u, double *values, dae_error *err)
{
  euler *e = self;
  dae__semi *s = e->q->s;
  bool vary = !e->frozen && !s->constant_mass;
  DAE__TRY(quasilinear_set_point(e, u, err));
  DAE__TRY(dae__semi_J(s, e->q->fine, e->t, e->z, e->q->J, err));
  if (vary) {
    for (int j = 0; j < s->nx; j++)
      e->slope[j] = u[j] / e->h;
    DAE__TRY(dae__semi_Ms(s, e->t, e->z, e->slope, e->Ms, err));
  }
  dae__semi_matrix_fill(&e->matrix, 1 / e->h, e->q->M, vary ? e->Ms : NULL, e->q->J);
  dae__copy(dae__pattern_count(&e->matrix.pattern), e->matrix.values, values);
  return DAE_OK;
}

/* Backward Euler step of size h from x0, ending at time t; e->u = (x1 - x0, y). */
static dae_status quasilinear_euler_step(euler *e, double t, double h, const double *y,
                                         dae_error *err)
{
  dae__semi *s = e->q->s;
  dae__semi_system system = {e, quasilinear_residual, quasilinear_matrix, NULL};
  e->t = t;
  e->h = h;
  dae__zero(s->nx, e->u);
  dae__copy(s->ny, y + s->nx, e->u + s->nx);
  dae__copy(s->n, e->typical, e->newton.typical);
  return dae__semi_newton_solve(&e->newton, &system, e->u, err);
}

/* ---- messages ---- */

/* Adds a message to the errors of Newton's method, which come without one. */
static dae_status quasilinear_explain(const euler *e, double t, dae_status status, dae_error *err)
{
  char name[64];
  if (status == DAE_ERROR_SINGULAR) {
    dae__semi_variable_name(e->q->s->p, e->newton.singular > 0 ? e->newton.singular : 0, name,
                            sizeof name);
    dae__fail(
        err, DAE_ERROR_START, name,
        "M is singular, and the equations without derivatives do not determine %s: the index is "
        "higher than 1. Differentiate the equation that constrains it, or use the mechanical form",
        name);
  } else if (status == DAE_ERROR_START) {
    dae__fail(err, DAE_ERROR_START, NULL,
              "M is singular, and no point near the start was found at which the equations without "
              "derivatives hold: give better start values");
  } else {
    return status;
  }
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_START;
}

/* ---- backward Euler steps ---- */

/* typical_j = max(|x_j|, rms of x); zero for y, whose size is taken from the iterates. */
static void quasilinear_find_typical(euler *e, const double *x)
{
  int nx = e->q->s->nx;
  double rms = nx > 0 ? sqrt(dae__dot(nx, x, x) / nx) : 0;
  for (int j = 0; j < nx; j++)
    e->typical[j] = fmax(fabs(x[j]), rms > 0 ? rms : 1);
}

/* Moves the state vector y along the kernel of M onto the equations without derivatives, by
 * backward Euler steps of size h. */
static dae_status quasilinear_jump_by(euler *e, double t, double h, double *y, dae_error *err)
{
  dae__semi *s = e->q->s;
  double before = INFINITY, stagnation = e->newton.stagnation;
  e->frozen = true;
  for (int i = 0; i < MAX_JUMPS; i++) {
    quasilinear_find_typical(e, y);
    dae__copy(s->n, y, e->x0);
    dae_status status = dae__semi_M(s, t, y, e->q->M, err);
    e->newton.stagnation = JUMP_STAGNATION;
    if (!status)
      status = quasilinear_euler_step(e, t, h, y, err);
    e->newton.stagnation = stagnation;
    if (status)
      return quasilinear_explain(e, t, status, err);
    double moved = 0;
    for (int j = 0; j < s->nx; j++)
      moved = fmax(moved, fabs(e->u[j]) / e->typical[j]);
    dae__copy(s->ny, e->u + s->nx, y + s->nx);
    if (moved <= KEPT_CHANGE && (i == 0 || moved > 0.5 * before))
      return DAE_OK;
    dae__axpy(s->nx, 1, e->u, y);
    before = moved;
  }
  return before <= KEPT_CHANGE ? DAE_OK : quasilinear_explain(e, t, DAE_ERROR_START, err);
}

/* dy = slopes extrapolated from backward Euler steps of size h, h/2, h/4; *error: error estimate
 * relative to the largest slope. */
static dae_status quasilinear_slopes(euler *e, double t, double h, const double *y, double *dy,
                                     double *error, dae_error *err)
{
  int nx = e->q->s->nx;
  double largest = 0, differs = 0;
  for (int k = 0; k < 3; k++, h /= 2) {
    DAE__TRY(quasilinear_euler_step(e, t + h, h, y, err));
    for (int j = 0; j < nx; j++)
      e->before[k][j] = e->u[j] / h;
  }
  for (int j = 0; j < nx; j++) {
    double s1 = e->before[0][j], s2 = e->before[1][j], s4 = e->before[2][j];
    dy[j] = (8 * s4 - 6 * s2 + s1) / 3;
    largest = fmax(largest, fabs(dy[j]));
    differs = fmax(differs, fabs(dy[j] - (2 * s4 - s2)));
  }
  *error = largest > 0 ? differs / largest : 0;
  return DAE_OK;
}

/* dy = slopes with the smallest error estimate: the fastest motion may be much faster than tau, so
 * that steps are shortened until the estimate is accepted. */
static dae_status quasilinear_find_slopes(euler *e, double t, double tau, const double *y,
                                          double *dy, dae_error *err)
{
  dae__semi *s = e->q->s;
  double best = INFINITY, error;
  dae_status status = DAE_OK;
  e->frozen = false;
  dae__copy(s->n, y, e->x0);
  quasilinear_find_typical(e, y);
  for (double h = FIRST_SLOPE_STEP * tau; h > LAST_SLOPE_STEP * tau && best > ACCEPTED_SLOPE_ERROR;
       h /= 10) {
    status = quasilinear_slopes(e, t, h, y, e->slope, &error, err);
    if (status == DAE_OK && error < best) {
      best = error;
      dae__copy(s->nx, e->slope, dy);
    }
  }
  return best < INFINITY ? DAE_OK : quasilinear_explain(e, t, status, err);
}

/* ---- the index ---- */

/* e->before[from + k] = (M/h - J)^-1 b_k for k < count, with generic right sides b_k. */
static dae_status quasilinear_probe(euler *e, double h, int from, int count, dae_error *err)
{
  dae__semi *s = e->q->s;
  const dae_pattern *p = &s->J;
  e->h = h;
  DAE__TRY(quasilinear_matrix(e, e->u, e->newton.values, err));
  dae_status status = dae__semi_newton_factor(&e->newton, err);
  for (int k = 0; k < count && !status; k++) {
    double *b = e->before[from + k];
    dae__zero(s->n, b);
    for (int c = 0; c < p->cols; c++)
      for (int i = p->start[c]; i < p->start[c + 1]; i++)
        b[p->row[i]] = fmax(b[p->row[i]], fabs(e->q->J[i]));
    for (int i = 0; i < s->n; i++)
      b[i] *= sin(i + 1 + 1.7 * k);
    dae__semi_newton_apply(&e->newton, 1, b, b);
  }
  return status;
}

/* Refuses an index higher than 1, where (M/h - J)^-1 grows as h shrinks, naming the unknown that
 * grows. */
static dae_status quasilinear_check_index(euler *e, double t, double tau, const double *y,
                                          dae_error *err)
{
  dae__semi *s = e->q->s;
  e->frozen = true;
  e->t = t;
  dae__copy(s->n, y, e->x0);
  dae__zero(s->nx, e->u);
  dae__copy(s->ny, y + s->nx, e->u + s->nx);
  dae_status status = quasilinear_probe(e, LONG_PROBE * tau, 0, 2, err);
  if (!status)
    status = quasilinear_probe(e, SHORT_PROBE * tau, 2, 1, err);
  for (int j = 0; j < s->n && !status; j++)
    if (fabs(e->before[2][j]) > INDEX_GROWTH * (fabs(e->before[0][j]) + fabs(e->before[1][j]))) {
      e->newton.singular = j;
      status = DAE_ERROR_SINGULAR;
    }
  return quasilinear_explain(e, t, status, err);
}

/* ---- consistent start ---- */

static dae_status quasilinear_diagnose(euler *e, double t, const double *y, dae_diagnosis *find,
                                       dae_error *err)
{
  dae__semi *s = e->q->s;
  int rank = 0;
  bool *active = DAE__ALLOC(e->q->arena, bool, s->nx);
  DAE__TRY(dae__arena_status(e->q->arena, err));
  for (int i = 0; i < s->nx; i++)
    active[i] = true;
  dae_status status = dae__semi_M(s, t, y, e->q->M, err);
  DAE__TRY(status);
  status = dae__rank_rows(&s->M, e->q->M, DAE__RANK_TOLERANCE, dae__arena_env(e->q->arena), active,
                          NULL, &rank, NULL);
  if (status)
    return dae__out_of_memory(err);
  *find = (dae_diagnosis){.index = 1, .dof = rank, .constraints = s->ny, .rank = s->ny};
  snprintf(find->text, sizeof find->text, "M is singular (rank %d of %d): quasi-linear, index 1\n",
           rank, s->nx);
  return DAE_OK;
}

dae_status dae__semi_quasilinear_consistent(dae__semi_quasilinear *q, double t, double *y,
                                            double *dy, dae_diagnosis *find, dae_error *err)
{
  euler e = {.q = q};
  double M = dae__max_abs(dae__pattern_count(&q->s->M), q->M);
  double J = dae__max_abs(dae__pattern_count(&q->s->J), q->J);
  double tau = M > 0 && J > 0 ? M / J : 1;
  dae_status status = quasilinear_euler_create(&e, err);
  if (!status)
    status = quasilinear_check_index(&e, t, tau, y, err);
  /* y onto the equations without derivatives. Where x moves by more than KEPT_CHANGE along its
   * slopes in every step, the steps are too long, since tau does not depend on f: the start is
   * repeated with shorter ones. */
  bool jump = !status;
  if (jump)
    dae__copy(q->s->n, y, e.before[0]);
  for (int i = 0; jump && i < 3; i++) {
    dae__copy(q->s->n, e.before[0], y);
    status = quasilinear_jump_by(&e, t, JUMP_STEP * pow(0.01, i) * tau, y, err);
    jump = status == DAE_ERROR_START;
  }
  if (!status)
    status = quasilinear_find_slopes(&e, t, tau, y, dy, err);
  if (!status && find)
    status = quasilinear_diagnose(&e, t, y, find, err);
  dae__semi_newton_free(&e.newton);
  return status;
}
