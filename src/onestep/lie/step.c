/* The step by Newton on (x1, y). Its matrix is sparse but for the derivative of sigma, of rank one:
 *
 *   [ M + theta (M d)_x - theta h sigma f_x    -h sigma f_y ]   [ h sigma' f ]
 *   [ theta F_x   or   F_x(x1)/h                    F_y     ] - [      0     ] (ds/dx1)',
 *
 * d = x1 - x0, and is solved with by the formula of Sherman and Morrison. Where sigma saturates, as
 * in stiff steps, the derivative leads astray: then sigma is held while Newton converges, evaluated
 * anew, and so on. */
#include "onestep/lie/step.h"
#include "core/error.h"
#include "core/vec.h"
#include "onestep/lie/factor.h"

#define MOST 20        /* Newton iterations */
#define MOST_LAGGED 60 /* values of sigma that are held */
#define REFRESHED 0.05 /* the matrix is evaluated anew where changes shrink by less */

/* ---- creation ---- */

static void lie_alloc_memory(dae__lie_step *o, dae__arena *arena)
{
  const dae__semi *s = o->s;
  int n = s->n, nx = s->nx, J = dae__pattern_count(&s->J);
  o->memory = DAE__STATE(arena, dae__lie_memory, 1);
  o->z1 = DAE__ALLOC(arena, double, n);
  o->zb = DAE__ALLOC(arena, double, n);
  o->M = DAE__ALLOC(arena, double, dae__pattern_count(&s->M));
  o->Ms = DAE__ALLOC(arena, double, dae__pattern_count(&s->Ms));
  o->J_mid = DAE__ALLOC(arena, double, J);
  o->J_end = DAE__ALLOC(arena, double, J);
  o->J = DAE__ALLOC(arena, double, J);
  o->f = DAE__ALLOC(arena, double, n);
  o->F_end = DAE__ALLOC(arena, double, s->ny);
  o->delta = DAE__ALLOC(arena, double, nx);
  o->R = DAE__ALLOC(arena, double, n);
  o->p = DAE__ALLOC(arena, double, n);
  o->row = DAE__ALLOC(arena, double, nx);
  o->unit = dae__pattern_diagonal(arena, s->ny);
}

static dae_status lie_create_newton(dae__lie_step *o, dae__arena *arena, dae_error *err)
{
  const dae__semi *s = o->s;
  const dae__block blocks[4] = {{.pattern = &s->M},
                                {.pattern = &s->Ms},
                                {.pattern = &s->J},
                                {.row = s->nx, .col = s->nx, .pattern = &o->unit}};
  for (int i = 0; i < 4; i++)
    o->block[i] = blocks[i];
  o->pattern = dae__blocks_merge(arena, s->n, s->n, o->block, o->adapter->active ? 4 : 3);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  o->matrix = DAE__ALLOC(arena, double, dae__pattern_count(&o->pattern));
  return dae__arena_failed(arena) ? dae__out_of_memory(err)
                                  : dae__solver_create(arena, &o->pattern, &o->solver, err);
}

static dae_status lie_create_nested(dae__lie_step *o, dae__arena *arena, dae_error *err)
{
  const dae__semi *s = o->s;
  size_t n = (size_t)s->nx, m = (size_t)s->ny;
  o->columns = DAE__ALLOC(arena, double, n *m);
  o->B = DAE__ALLOC(arena, double, m *m);
  o->dy = DAE__ALLOC(arena, double, m);
  o->pivot = DAE__ALLOC(arena, int, m);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  return s->p->M ? dae__solver_create(arena, &s->M, &o->mass, err) : DAE_OK;
}

dae_status dae__lie_step_create(dae__arena *arena, const dae__lie_adapter *adapter,
                                const dae_lie_options *opts, dae__lie_step *out, dae_error *err)
{
  dae__lie_step *o = out;
  *o = (dae__lie_step){.adapter = adapter,
                       .s = adapter->s,
                       .theta = opts->theta,
                       .kappa = opts->kappa,
                       .iteration = opts->lie_iteration,
                       .inner = fmax(opts->inner_tol, DAE__LIE_GOAL),
                       .outer = fmax(opts->outer_tol, DAE__LIE_GOAL)};
  lie_alloc_memory(o, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  return o->iteration == DAE_LIE_NESTED ? lie_create_nested(o, arena, err)
                                        : lie_create_newton(o, arena, err);
}

void dae__lie_step_free(dae__lie_step *o)
{
  dae__solver_free(o->solver);
  dae__solver_free(o->mass);
}

dae_status dae__lie_step_reload(dae__lie_step *o)
{
  dae_status status = o->memory->factored ? dae__solver_reload(o->solver) : DAE_OK;
  return !status && o->memory->mass_factored ? dae__solver_reload(o->mass) : status;
}

/* ---- evaluation ---- */

double dae__lie_middle(dae__lie_step *o)
{
  int nx = o->s->nx;
  double inner = 0, q = o->kappa * o->kappa;
  for (int i = 0; i < nx; i++) {
    o->delta[i] = o->z1[i] - o->x0[i];
    o->zb[i] = o->x0[i] + o->theta * o->delta[i];
    inner += o->delta[i] * o->zb[i];
    q += o->zb[i] * o->zb[i];
  }
  dae__copy(o->s->ny, o->z1 + nx, o->zb + nx);
  for (int i = 0; i < nx; i++) /* ds/dx1, but for the term that s itself gives */
    o->row[i] = (o->zb[i] + o->theta * o->delta[i]) / q;
  double s = inner / q;
  for (int i = 0; i < nx; i++)
    o->row[i] -= 2 * o->theta * s * o->zb[i] / q;
  return s;
}

dae_status dae__lie_evaluate(dae__lie_step *o, dae_error *err)
{
  dae__semi *s = o->s;
  double tb = o->t + o->theta * o->h;
  dae_status status = dae__semi_rhs(s, tb, o->zb, o->f, err);
  if (!status && s->hidden_count > 0)
    status = dae__semi_F(s, o->t + o->h, o->z1, s->hidden, o->F_end, err);
  return status ? status : dae__semi_M(s, tb, o->zb, o->M, err);
}

/* R = (M delta - h sigma f, F) */
static void lie_residual(dae__lie_step *o)
{
  const dae__semi *s = o->s;
  const bool *active = o->adapter->active;
  dae__zero(s->nx, o->R);
  dae__matrix_times(&s->M, o->M, 1, o->delta, o->R);
  dae__axpy(s->nx, -o->h * o->sigma, o->f, o->R);
  for (int i = 0; i < s->ny; i++)
    o->R[s->nx + i] = active && !active[i] ? o->z1[s->nx + i]
                      : s->hidden[i]       ? o->F_end[i] / o->h
                                           : o->f[s->nx + i];
}

/* ---- the matrix ---- */

/* J = what is subtracted from M + theta (M delta)_x */
static void lie_compose(dae__lie_step *o)
{
  const dae__semi *s = o->s;
  for (int j = 0; j < s->n; j++) {
    double part = j < s->nx ? o->theta : 1;
    for (int e = s->J.start[j]; e < s->J.start[j + 1]; e++) {
      int row = s->J.row[e];
      if (row < s->nx)
        o->J[e] = part * o->h * o->sigma * o->J_mid[e];
      else if (s->hidden[row - s->nx])
        o->J[e] = j < s->nx ? -o->J_end[e] / o->h : 0;
      else
        o->J[e] = -part * o->J_mid[e];
    }
  }
}

static dae_status lie_singular(const dae__lie_step *o, dae_error *err)
{
  const dae__semi *s = o->s;
  int column = dae__solver_column(o->solver);
  char name[64] = "";
  if (column >= 0)
    dae__semi_variable_name(s->p, column, name, sizeof name);
  return dae__fail(err, DAE_ERROR_SINGULAR, name, "the matrix of the step is singular%s%s: %s",
                   name[0] ? " at " : "", name,
                   column >= s->nx ? "the equations do not determine it; the index may be higher "
                                     "than declared, or constraints depend on each other"
                                   : "M may be singular");
}

static dae_status lie_factor(dae__lie_step *o, dae_error *err)
{
  dae__semi *s = o->s;
  double tb = o->t + o->theta * o->h;
  const bool *active = o->adapter->active;
  dae_status status = dae__semi_J(s, tb, o->zb, o->J_mid, err);
  if (!status && s->hidden_count > 0)
    status = dae__semi_J(s, o->t + o->h, o->z1, o->J_end, err);
  if (!status && !s->constant_mass)
    status = dae__semi_Ms(s, tb, o->zb, o->delta, o->Ms, err);
  DAE__TRY(status);
  lie_compose(o);
  dae__zero(dae__pattern_count(&o->pattern), o->matrix);
  dae__block_add(&o->block[0], 1, o->M, o->matrix);
  if (!s->constant_mass)
    dae__block_add(&o->block[1], o->theta, o->Ms, o->matrix);
  dae__block_add(&o->block[2], -1, o->J, o->matrix);
  for (int i = 0; active && i < s->ny; i++)
    if (!active[i])
      o->matrix[o->block[3].map[i]] += 1;
  status = dae__solver_factor(o->solver, o->matrix);
  o->memory->factored = true;
  o->memory->jacobians++;
  o->memory->factorisations++;
  if (status == DAE_ERROR_SINGULAR)
    return lie_singular(o, err);
  return status == DAE_ERROR_MEMORY ? dae__out_of_memory(err) : status;
}

/* R = matrix\(-R), the derivative of sigma included unless it is held */
static void lie_solve(dae__lie_step *o, bool held)
{
  int nx = o->s->nx;
  dae__scale(o->s->n, -1, o->R);
  dae__solver_solve(o->solver, o->R);
  if (held || o->sigma_s == 0)
    return;
  dae__zero(o->s->n, o->p);
  dae__axpy(nx, o->h * o->sigma_s, o->f, o->p);
  dae__solver_solve(o->solver, o->p);
  double below = 1 - dae__dot(nx, o->row, o->p);
  dae__axpy(o->s->n, dae__dot(nx, o->row, o->R) / below, o->p, o->R);
}

/* ---- the iteration ---- */

double dae__lie_change(const dae__lie_step *o, const double *dx, const double *dy)
{
  const dae__semi *s = o->s;
  double h = fabs(o->h), x = dae__max_abs(s->nx, dx) / (1 + dae__max_abs(s->nx, o->x0));
  double y = h * dae__max_abs(s->ny, dy) / (1 + h * dae__max_abs(s->ny, o->z1 + s->nx));
  return isnan(x) || isnan(y) ? NAN : fmax(x, y);
}

/* names the equation whose variable changes most */
static dae_status lie_not_converged(const dae__lie_step *o, dae_error *err)
{
  const dae__semi *s = o->s;
  char name[64];
  int worst = 0;
  double most = -1;
  for (int i = 0; i < s->n; i++) {
    double change = fabs(o->R[i]) * (i < s->nx ? 1 : fabs(o->h));
    if (change > most)
      most = change, worst = i;
  }
  dae__semi_equation_name(s->p, worst, name, sizeof name);
  return dae__fail(err, DAE_ERROR_STEP, name,
                   "the iteration does not converge with step size %.3g, worst in the equation of "
                   "%s",
                   o->h, name);
}

/* Newton from z1; held: sigma stays */
static dae_status lie_newton(dae__lie_step *o, bool held, dae_error *err)
{
  double before = INFINITY;
  bool fresh = false;
  for (int i = 0; i < MOST; i++) {
    double s = dae__lie_middle(o);
    if (!held)
      o->sigma = dae__lie_sigma(o->theta, s, &o->sigma_s);
    if (!isfinite(o->sigma))
      break;
    dae_status status = dae__lie_evaluate(o, err);
    if (!status && !fresh)
      status = lie_factor(o, err);
    DAE__TRY(status);
    lie_residual(o);
    lie_solve(o, held);
    dae__axpy(o->s->n, 1, o->R, o->z1);
    o->memory->iterations++;
    double change = dae__lie_change(o, o->R, o->R + o->s->nx);
    if (change <= DAE__LIE_GOAL || (change > before / 2 && change <= DAE__LIE_BEARABLE))
      return DAE_OK;
    if (!isfinite(change) || (i > 2 && change > 2 * before))
      break;
    fresh = change < REFRESHED * before;
    before = change;
  }
  return lie_not_converged(o, err);
}

/* Euler's prediction [L13 (16)] */
static void lie_predict(dae__lie_step *o, const double *dx, const double *y)
{
  for (int i = 0; i < o->s->nx; i++)
    o->z1[i] = o->x0[i] + o->h * dx[i];
  dae__copy(o->s->ny, y, o->z1 + o->s->nx);
}

/* sigma is held, and evaluated anew after each convergence */
static dae_status lie_lag(dae__lie_step *o, dae_error *err)
{
  double derivative;
  o->memory->lagged++;
  o->sigma = 1;
  for (int i = 0; i < MOST_LAGGED; i++) {
    DAE__TRY(lie_newton(o, true, err));
    double next = dae__lie_sigma(o->theta, dae__lie_middle(o), &derivative);
    double change = fabs(next - o->sigma);
    if (!isfinite(next))
      break;
    o->sigma = next;
    if (change <= 4e-15) /* a further one would not change x1 */
      return lie_newton(o, true, err);
  }
  return lie_not_converged(o, err);
}

dae_status dae__lie_step_solve(dae__lie_step *o, double t, double h, const double *x0,
                               const double *dx, const double *y, dae_error *err)
{
  o->t = t;
  o->h = h;
  o->x0 = x0;
  lie_predict(o, dx, y);
  if (o->iteration == DAE_LIE_NESTED)
    return dae__lie_nested(o, err);
  if (isinf(o->kappa)) { /* the midpoint rule */
    o->sigma = 1;
    return lie_newton(o, true, err);
  }
  dae_status status = lie_newton(o, false, err);
  if (status == DAE_ERROR_STEP || status == DAE_ERROR_RECOVERABLE) {
    lie_predict(o, dx, y);
    status = lie_lag(o, err);
  }
  return status;
}
