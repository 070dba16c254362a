/* Newton's method on (x1, y). Its matrix is sparse except for the derivative of sigma, of rank one:
 *
 *   [ M + theta (M d)_x - theta h sigma f_x    -h sigma f_y ]   [ h sigma' f ]
 *   [ theta F_x   or   F_x(x1)/h                    F_y     ] - [      0     ] (ds/dx1)',
 *
 * d = x1 - x0, and is inverted by the Sherman-Morrison formula. Where sigma saturates, as in stiff
 * steps, Newton's method with this derivative diverges: then Newton's method with constant sigma
 * and updates of sigma alternate (lagged sigma). */
#include "onestep/lie/step.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "onestep/lie/factor.h"
#include "step/newton.h"

/* Tuning constants; chosen, not measured. */
#define MAX_NEWTON_ITERATIONS 20
/* Largest number of updates of a lagged sigma. */
#define MAX_SIGMA_UPDATES 60
/* Change of a lagged sigma below which x1 does not change any more. */
#define SIGMA_CONVERGED 4e-15
/* Contraction of Newton's method above which its matrix is evaluated again. */
#define JACOBIAN_REFRESH_CONTRACTION 0.05

/* ---- creation ---- */

dae_status dae__lie_step_create(dae__arena *arena, const dae__forms *forms,
                                const dae_lie_options *opts, dae__lie_step *out, dae_error *err)
{
  dae__semi *s = forms->s;
  int n = s->n, nx = s->nx, J = dae__pattern_count(&s->J);
  size_t m = (size_t)s->ny;
  dae__lie_step *o = out;
  *o = (dae__lie_step){.s = s,
                       .active = forms->active,
                       .theta = opts->theta,
                       .kappa = opts->kappa,
                       .iteration = opts->lie_iteration,
                       .inner_tol = fmax(opts->inner_tol, DAE__LIE_CONVERGED),
                       .outer_tol = fmax(opts->outer_tol, DAE__LIE_CONVERGED)};
  o->memory = DAE__STATE(arena, dae__lie_memory, 1);
  if (o->memory) {
    DAE__LIMIT_TRUTH(arena, &o->memory->factored, 1);
    DAE__LIMIT_COUNTER(arena, &o->memory->iterations, 5);
  }
  o->M = DAE__ALLOC(arena, double, dae__pattern_count(&s->M));
  o->Ms = DAE__ALLOC(arena, double, dae__pattern_count(&s->Ms));
  double **vectors[] = {&o->z1, &o->zb, &o->f, &o->R, &o->p, &o->delta, &o->row, &o->F_end};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = DAE__ALLOC(arena, double, n);
  double **jacobians[] = {&o->J_mid, &o->J_end, &o->J};
  for (size_t i = 0; i < sizeof jacobians / sizeof *jacobians; i++)
    *jacobians[i] = DAE__ALLOC(arena, double, J);
  if (o->iteration == DAE_LIE_NESTED) {
    o->columns = DAE__ALLOC(arena, double, (size_t)nx *m);
    o->B = DAE__ALLOC(arena, double, m *m);
    o->pivot = DAE__ALLOC(arena, int, m);
    DAE__TRY(dae__arena_status(arena, err));
    return s->p->M ? dae__solver_create(arena, &s->M, &o->solver, err) : DAE_OK;
  }
  o->unit = dae__pattern_diagonal(arena, s->ny);
  o->block[0] = (dae__block){.pattern = &s->M};
  o->block[1] = (dae__block){.pattern = &s->Ms};
  o->block[2] = (dae__block){.pattern = &s->J};
  o->block[3] = (dae__block){.row = nx, .col = nx, .pattern = &o->unit};
  if (!dae__arena_failed(arena))
    o->pattern = dae__blocks_merge(arena, n, n, o->block, o->active ? 4 : 3);
  if (!dae__arena_failed(arena))
    o->matrix = DAE__ALLOC(arena, double, dae__pattern_count(&o->pattern));
  return dae__arena_failed(arena) ? dae__out_of_memory(err)
                                  : dae__solver_create(arena, &o->pattern, &o->solver, err);
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
  for (int i = 0; i < nx; i++) /* ds/dx1 at constant q = |xb|^2 + kappa^2 */
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
  DAE__TRY(dae__semi_rhs(s, tb, o->zb, o->f, err));
  if (s->hidden_count > 0)
    DAE__TRY(dae__semi_F(s, o->t + o->h, o->z1, s->hidden, o->F_end, err));
  return dae__semi_M(s, tb, o->zb, o->M, err);
}

dae_status dae__lie_linearise(dae__lie_step *o, dae_error *err)
{
  DAE__TRY(dae__semi_J(o->s, NULL, o->t + o->theta * o->h, o->zb, o->J_mid, err));
  return o->s->hidden_count > 0 ? dae__semi_J(o->s, NULL, o->t + o->h, o->z1, o->J_end, err)
                                : DAE_OK;
}

/* ---- the matrix ---- */

dae_status dae__lie_factor(dae__lie_step *o, const char *what, const double *values, dae_error *err)
{
  const dae__semi *s = o->s;
  char name[64] = "";
  dae_status status = dae__solver_factor(o->solver, values);
  o->memory->factored = true;
  o->memory->factorisations++;
  if (status != DAE_ERROR_SINGULAR)
    return status == DAE_ERROR_MEMORY ? dae__out_of_memory(err) : status;
  int column = dae__solver_column(o->solver);
  if (column >= 0)
    dae__semi_variable_name(s->p, column, name, sizeof name);
  return dae__fail(err, status, name[0] ? name : NULL, "%s is singular%s%s%s", what,
                   name[0] ? " at " : "", name,
                   o->iteration == DAE_LIE_NESTED ? ""
                   : column >= s->nx ? ": the equations do not determine it; the index may be "
                                       "higher than declared, or constraints depend on each other"
                                     : ": M may be singular");
}

/* Evaluates and factors the matrix at the iterate, without the derivative of sigma. */
static dae_status lie_factor_at_iterate(dae__lie_step *o, dae_error *err)
{
  dae__semi *s = o->s;
  DAE__TRY(dae__lie_linearise(o, err));
  for (int j = 0; j < s->n; j++) {
    double weight = j < s->nx ? o->theta : 1;
    for (int e = s->J.start[j]; e < s->J.start[j + 1]; e++) {
      int row = s->J.row[e];
      if (row < s->nx)
        o->J[e] = weight * o->h * o->sigma * o->J_mid[e];
      else if (s->hidden[row - s->nx])
        o->J[e] = j < s->nx ? -o->J_end[e] / o->h : 0;
      else
        o->J[e] = -weight * o->J_mid[e];
    }
  }
  dae__zero(dae__pattern_count(&o->pattern), o->matrix);
  dae__block_add(&o->block[0], 1, o->M, o->matrix);
  if (!s->constant_mass) {
    DAE__TRY(dae__semi_Ms(s, o->t + o->theta * o->h, o->zb, o->delta, o->Ms, err));
    dae__block_add(&o->block[1], o->theta, o->Ms, o->matrix);
  }
  dae__block_add(&o->block[2], -1, o->J, o->matrix);
  for (int i = 0; o->active && i < s->ny; i++)
    if (!o->active[i])
      o->matrix[o->block[3].map[i]] += 1;
  o->memory->jacobians++;
  return dae__lie_factor(o, "the matrix of the step", o->matrix, err);
}

/* Newton increment R = matrix\(-(M delta - h sigma f, F)), with the derivative of sigma unless
 * sigma is held constant */
static void lie_increment(dae__lie_step *o, bool held)
{
  const dae__semi *s = o->s;
  int nx = s->nx;
  DAE__ASSERT(o->memory->factored);
  dae__zero(nx, o->R);
  dae__matrix_times(&s->M, o->M, 1, o->delta, o->R);
  dae__axpy(nx, -o->h * o->sigma, o->f, o->R);
  for (int i = 0; i < s->ny; i++)
    o->R[nx + i] = o->active && !o->active[i] ? o->z1[nx + i]
                   : s->hidden[i]             ? o->F_end[i] / o->h
                                              : o->f[nx + i];
  dae__scale(s->n, -1, o->R);
  dae__solver_solve(o->solver, o->R);
  if (held || o->sigma_s == 0)
    return;
  dae__zero(s->n, o->p);
  dae__axpy(nx, o->h * o->sigma_s, o->f, o->p);
  dae__solver_solve(o->solver, o->p);
  double below = 1 - dae__dot(nx, o->row, o->p);
  dae__axpy(s->n, dae__dot(nx, o->row, o->R) / below, o->p, o->R);
}

void dae__lie_filter(dae__lie_step *o, double *d)
{
  const dae__semi *s = o->s;
  if (o->iteration == DAE_LIE_NESTED)
    return;
  dae__zero(s->n, o->R);
  dae__matrix_times(&s->M, o->M, 1, d, o->R);
  dae__solver_solve(o->solver, o->R);
  dae__copy(s->nx, o->R, d);
}

/* ---- the iteration ---- */

double dae__lie_change(dae__lie_step *o)
{
  int nx = o->s->nx, ny = o->s->ny;
  double h = fabs(o->h), x_most = dae__max_abs(nx, o->R), y_most = dae__max_abs(ny, o->R + nx);
  double x = x_most / (1 + dae__max_abs(nx, o->x0));
  double y = h * y_most / (1 + h * dae__max_abs(ny, o->z1 + nx));
  bool of_x = !(x < y), round_off = x <= DAE__NEWTON_EXACT_NOISE && y <= DAE__NEWTON_EXACT_NOISE;
  for (int i = of_x ? 0 : nx; i < (of_x ? nx : nx + ny) && !round_off; i++)
    if (!(fabs(o->R[i]) < (of_x ? x_most : y_most)))
      o->worst = i;
  return isnan(x) || isnan(y) ? NAN : fmax(x, y);
}

dae_status dae__lie_failed(const dae__lie_step *o, const char *failure, const char *advice,
                           dae_error *err)
{
  char name[64];
  dae__semi_equation_name(o->s->p, o->worst < 0 ? 0 : o->worst, name, sizeof name);
  return dae__fail(err, DAE_ERROR_STEP, name,
                   "the %s with step size %.3g, worst in the equation of %s%s", failure, o->h, name,
                   advice);
}

/* Newton's method from the iterate z1; held: sigma is held constant */
static dae_status lie_newton(dae__lie_step *o, bool held, dae_error *err)
{
  double before = INFINITY;
  bool fresh = false;
  for (int i = 0; i < MAX_NEWTON_ITERATIONS; i++) {
    double s = dae__lie_middle(o);
    if (!held)
      o->sigma = dae__lie_sigma(o->theta, s, &o->sigma_s);
    if (!isfinite(o->sigma))
      break;
    DAE__TRY(dae__lie_evaluate(o, err));
    if (!fresh)
      DAE__TRY(lie_factor_at_iterate(o, err));
    lie_increment(o, held);
    dae__axpy(o->s->n, 1, o->R, o->z1);
    o->memory->iterations++;
    double change = dae__lie_change(o);
    if (change <= DAE__LIE_CONVERGED ||
        (change > before / 2 && change <= DAE__LIE_STAGNATION_TOLERANCE))
      return DAE_OK;
    if (!isfinite(change) || (i > 2 && change > 2 * before))
      break;
    fresh = change < JACOBIAN_REFRESH_CONTRACTION * before;
    before = change;
  }
  return dae__lie_failed(o, "iteration does not converge", "", err);
}

/* Newton's method with lagged sigma, 1 at first, which is updated between the solves */
static dae_status lie_newton_lagged(dae__lie_step *o, dae_error *err)
{
  double derivative;
  o->memory->lagged++;
  for (int i = 0; i < MAX_SIGMA_UPDATES; i++) {
    DAE__TRY(lie_newton(o, true, err));
    double next = dae__lie_sigma(o->theta, dae__lie_middle(o), &derivative);
    double change = fabs(next - o->sigma);
    if (!isfinite(next))
      break;
    o->sigma = next;
    if (change <= SIGMA_CONVERGED)
      return lie_newton(o, true, err);
  }
  return dae__lie_failed(o, "iteration does not converge", "", err);
}

dae_status dae__lie_step_solve(dae__lie_step *o, double t, double h, const double *x0,
                               const double *dx, const double *y, dae_error *err)
{
  dae_status status = DAE_OK;
  o->t = t;
  o->h = h;
  o->x0 = x0;
  o->worst = -1;
  for (int lagged = 0; lagged < 2; lagged++) {
    /* prediction by Euler's method [L13 (16)], or, since that diverges in stiff steps, by x0 */
    for (int i = 0; i < o->s->nx; i++)
      o->z1[i] = x0[i] + (lagged ? 0 : h * dx[i]);
    dae__copy(o->s->ny, y, o->z1 + o->s->nx);
    o->sigma = 1; /* kappa = inf is the midpoint rule, sigma = 1 */
    if (o->iteration == DAE_LIE_NESTED)
      return dae__lie_nested(o, err);
    if (isinf(o->kappa))
      return lie_newton(o, true, err);
    status = lagged ? lie_newton_lagged(o, err) : lie_newton(o, false, err);
    if (status != DAE_ERROR_STEP && status != DAE_ERROR_RECOVERABLE)
      break;
  }
  return status;
}
