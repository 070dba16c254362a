/* One SPARK step after the other.
 *
 *   predict -> modified Newton -> error estimate -> project -> take over, choose the step
 *
 * With variable steps the estimate compares the derivative at the start of the step with that of
 * the polynomial of degree s through the start and the stages,
 *
 *   err = gamma0 h (u'(t0) - U'(t0)),   u = (y, z),   gamma0 = |det A|^(1/s):
 *
 * O(h^(s+1)), while the step itself is in error by O(h^(2s+1)). The tolerance is therefore mapped,
 * 0.1 tol^((s+1)/(2s)), which makes the error of the step follow tol. (Extrapolating the polynomial
 * to the end of the step instead would estimate nothing where there is no g: it then is that of a
 * collocation method.) The iteration goes as far as the tolerance asks, and the projection cleans
 * the constraints. A fixed step iterates to round-off; then the step itself keeps the constraints,
 * and projection finds nothing to do. */
#include "spark/step.h"
#include "core/error.h"
#include "core/log.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include "step/norm.h"
#include <float.h>

#define GOAL 0.02      /* part of the tolerance that the iteration may leave */
#define MOST 30        /* iterations of a variable step, */
#define MOST_FIXED 200 /* and of a fixed one, which cannot be made smaller */

/* ---- between the two views of a state ---- */

void dae__spark_split(const dae__spark *o, const double *state, double *y, double *z)
{
  const dae__mech *m = o->m;
  dae__copy(m->nq, state, y);
  dae__copy(m->nu, state + m->at.u, y + m->nq);
  dae__copy(m->nq, state + m->at.v, z);
}

void dae__spark_join(const dae__spark *o, const double *y, const double *z, double *state)
{
  const dae__mech *m = o->m;
  dae__copy(m->nq, y, state);
  dae__copy(m->nu, y + m->nq, state + m->at.u);
  dae__copy(m->nq, z, state + m->at.v);
}

/* ---- one attempt ---- */

/* weights of the iteration: the tolerance, or with a fixed step the size of the motion */
static void weigh(dae__spark *o)
{
  const dae__face *c = &o->stages.face;
  bool fixed = o->opts.step > 0;
  double rtol = fixed ? 0 : o->opts.rtol, atol = fixed ? 1 : o->opts.atol;
  if (fixed)
    atol += dae__max_abs(c->nz, o->z);
  dae__weights(c->ny, rtol, atol, o->y, o->y_weight);
  dae__weights(c->nz, rtol, atol, o->z, o->z_weight);
}

/* |det A|^(1/s), from one eigenvalue of each pair */
static double mean_eigenvalue(const dae__spark_transform *tr)
{
  double sum = tr->blocks ? 0 : -tr->s * log(tr->s + 1.0); /* not known: about right */
  for (int i = 0; i < tr->blocks; i++)
    sum += (i < tr->reals ? 1 : 2) * log(cabs(tr->mu[i]));
  return exp(sum / tr->s);
}

void dae__spark_prepare_estimate(dae__spark *o)
{
  int s = o->stages.s;
  o->map = 0.1 * pow(o->opts.rtol, (s + 1.0) / (2 * s) - 1);
  o->gamma0 = mean_eigenvalue(&o->transform);
  for (int i = 0; i <= s; i++)
    o->derivative[i] = dae__stages_derivative_weight(&o->stages, s + 1, i, 0);
}

/* square sum of h (u'(t0) - U'(t0)) relative to the weights */
static double missed(dae__spark *o, int n, const double *values, const double *rate,
                     const double *weight)
{
  double sum = 0;
  for (int k = 0; k < n; k++) {
    double e = o->stages.h * rate[k];
    for (int i = 0; i <= o->stages.s; i++)
      e -= o->derivative[i] * values[i * n + k];
    sum += pow(e / weight[k], 2);
  }
  return sum;
}

static double estimate(dae__spark *o)
{
  const dae__face *c = &o->stages.face;
  dae__spark_split(o, o->rate, o->y_rate, o->z_rate);
  double sum = missed(o, c->ny, o->stages.now.Y, o->y_rate, o->y_weight) +
               missed(o, c->nz, o->stages.now.Z, o->z_rate, o->z_weight);
  return o->gamma0 / o->map * sqrt(sum / (c->ny + c->nz));
}

/* changes that round-off makes, relative to the weights: Z takes part in g/h */
static double noise(const dae__spark *o, double h)
{
  const dae__face *c = &o->stages.face;
  double least = INFINITY;
  for (int i = 0; i < c->nz; i++)
    least = fmin(least, o->z_weight[i]);
  double size = dae__max_abs(c->nz, o->z) + dae__max_abs(c->ny, o->y) / h;
  return c->nz > 0 ? 4 * DBL_EPSILON * size / least : 0;
}

static dae_status solve(dae__spark *o, double h, dae_error *err)
{
  bool fixed = o->opts.step > 0;
  weigh(o);
  double floor = fixed ? 0 : noise(o, h);
  dae__stages_goal goal = {.y_weight = o->y_weight,
                           .z_weight = o->z_weight,
                           .goal = fixed ? 2 * DBL_EPSILON : fmax(GOAL, floor),
                           .bearable = fixed ? 1e-10 : fmax(0.3, 10 * floor),
                           .most = fixed ? MOST_FIXED : MOST};
  return dae__stages_solve(&o->stages, o->memory->t, h, o->y, o->z, &goal, err);
}

/* the state at the end of the step that was solved, projected, and its derivative, for the next
 * error estimate and for dense output */
static dae_status take_over(dae__spark *o, double t, dae_error *err)
{
  dae__stages *st = &o->stages;
  int last = st->s + 1, ny = st->face.ny, nz = st->face.nz;
  double *y1 = st->now.Y + (size_t)last * (size_t)ny, *z1 = st->now.Z + (size_t)last * (size_t)nz;
  dae__spark_join(o, y1, z1, o->shown_state);
  if (o->opts.project) {
    dae_status status =
        dae__motion_project(o->motion, t, o->shown_state, o->shown_state + o->m->at.v, NULL, err);
    if (status)
      return status;
    dae__spark_split(o, o->shown_state, y1, z1);
  }
  dae__copy(o->m->at.size, o->rate, o->shown_rate);
  dae_status status = dae__motion_accelerate(o->motion, t, o->shown_state, o->shown_rate, err);
  if (status) /* the last accepted step stays as it is */
    return status;
  dae__stages_accept(st);
  dae__copy(o->m->at.size, o->rate, o->previous_rate);
  dae__copy(o->m->at.size, o->shown_rate, o->rate);
  dae__copy(o->m->at.size, o->shown_state, o->state);
  dae__spark_split(o, o->state, o->y, o->z);
  o->memory->t_previous = o->memory->t;
  o->memory->t = t;
  o->memory->stats.steps++;
  return DAE_OK;
}

static dae_status give_up(const dae__spark *o, double h, const dae_error *why, const char *hint,
                          dae_error *err)
{
  bool own = why->status == DAE_ERROR_CALLBACK || why->status == DAE_ERROR_MEMORY;
  dae_status status = own ? why->status : DAE_ERROR_STEP;
  dae__fail(err, status, why->equation[0] ? why->equation : NULL,
            "the integration stops at t = %.10g with step size %.3g: %s%s", o->memory->t, h,
            why->text, hint);
  dae__fail_at(err, o->memory->t, h);
  return status;
}

#define SHRUNK                                                                                     \
  "the step size has shrunk to round-off, or the error test fails at every one: the motion may "   \
  "have a singularity here or be discontinuous"

/* names the variable that changes fastest, for failures that no equation is to blame for */
static void name_fastest(const dae__spark *o, const char *what, dae_error *why)
{
  const dae__mech *m = o->m;
  char name[64];
  int fastest = 0;
  double most = -1;
  for (int i = 0; i < m->at.w; i++) {
    double rate = fabs(o->rate[i]) / (o->opts.rtol * fabs(o->state[i]) + o->opts.atol);
    if (!(rate <= most))
      most = rate, fastest = i;
  }
  dae_problem_variable(&(dae_problem){.mechanical = m->p}, fastest, name, sizeof name);
  dae__fail(why, DAE_ERROR_STEP, name, "%s, fastest in %s", what, name);
}

bool dae__spark_can_retry(dae_status status)
{
  return status == DAE_ERROR_RECOVERABLE || status == DAE_ERROR_SINGULAR ||
         status == DAE_ERROR_STEP;
}

/* ---- steps ---- */

dae_status dae__spark_fixed_step(dae__spark *o, double t_stop, dae_error *err)
{
  dae__spark_memory *m = o->memory;
  dae_error why = dae_error_none();
  double t = m->t_origin + (double)(m->done + 1) * o->opts.step;
  bool whole = t_stop - t > -1e-9 * o->opts.step;
  t = fabs(t_stop - t) <= 1e-9 * o->opts.step || !whole ? t_stop : t;
  dae_status status = solve(o, t - m->t, &why);
  if (!status)
    status = take_over(o, t, &why);
  if (status)
    return give_up(o, o->opts.step, &why, "; the step is fixed, try a smaller one", err);
  m->done += whole;
  return DAE_OK;
}

/* one attempt at a step that ends at t; the size to try next is chosen. DAE_ERROR_STEP: its error
 * is too large, or it does not converge */
static dae_status attempt(dae__spark *o, double h, double t, dae_error *why)
{
  dae__spark_memory *m = o->memory;
  double next = h;
  dae_status status = solve(o, h, why);
  double error = status ? NAN : estimate(o);
  bool good = !status && dae__controller_judge(&m->controller, h, error, &next);
  if (good)
    status = take_over(o, t, why);
  else if (!status)
    name_fastest(o, SHRUNK, why);
  dae__log(o->env, DAE_LOG_DEBUG, "t = %.10g, h = %.3g: %s, error %.3g", t, h,
           status ? why->text
           : good ? "accepted"
                  : "error too large",
           error);
  if (status) {
    m->stats.rejected_by_convergence += status != DAE_ERROR_RECOVERABLE;
    m->stats.rejected_by_callback += status == DAE_ERROR_RECOVERABLE;
    m->h = dae__controller_failed(&m->controller, h, 0.4);
    return status;
  }
  m->stats.rejected_by_error += !good;
  m->h = next;
  return good ? DAE_OK : DAE_ERROR_STEP;
}

dae_status dae__spark_variable_step(dae__spark *o, double t_stop, dae_error *err)
{
  dae__spark_memory *m = o->memory;
  dae_error why = dae_error_none();
  for (int failures = 0; failures < o->opts.max_failures; failures++) {
    double planned = m->h;
    bool last = m->t + planned * (1 + 1e-10) >= t_stop;
    double h = last ? t_stop - m->t : planned;
    if (h < 4 * DBL_EPSILON * fmax(fabs(m->t), fabs(t_stop)) && !last) {
      name_fastest(o, SHRUNK, &why);
      break;
    }
    dae_status status = attempt(o, h, last ? t_stop : m->t + h, &why);
    if (!status && last) /* it was cut short */
      m->h = fmax(m->h, planned);
    if (!status && !dae__crawls(&m->crawl, &m->stats, m->t, t_stop))
      return DAE_OK;
    if (!status) {
      name_fastest(o, DAE__CRAWL_TEXT, &why);
      return give_up(o, h, &why, "", err);
    }
    if (!dae__spark_can_retry(status))
      return give_up(o, h, &why, "", err);
  }
  return give_up(o, m->h, &why, "", err);
}

/* ---- starting ---- */

/* h |y'| is to be a small part of the size of the motion; the estimate corrects it */
static double first_step(const dae__spark *o, double t_stop)
{
  const dae__mech *m = o->m;
  double rate = DBL_MIN, most = t_stop - o->memory->t;
  if (o->opts.max_step > 0)
    most = fmin(most, o->opts.max_step);
  if (o->opts.first_step > 0)
    return fmin(o->opts.first_step, most);
  for (int i = 0; i < m->at.w; i++) {
    double scale = fabs(o->state[i]) + o->opts.atol / o->opts.rtol;
    rate = fmax(rate, fabs(o->rate[i]) / scale);
  }
  double h = pow(o->opts.rtol, 1.0 / (o->order + 1)) / rate;
  return fmin(fmin(h, 0.1 * (t_stop - o->memory->t)), most);
}

void dae__spark_begin(dae__spark *o, double t_stop)
{
  const dae__mech *m = o->m;
  dae__controller_options control = dae__controller_defaults(o->stages.s + 1);
  control.max_step = o->opts.max_step;
  dae__spark_split(o, o->state, o->y, o->z);
  dae__stages_begin(&o->stages, o->state + m->at.lambda, o->state + m->at.psi);
  dae__controller_reset(&o->memory->controller, &control);
  o->memory->h = first_step(o, t_stop);
  o->memory->crawl = dae__crawl_begin(o->memory->t, &o->memory->stats);
  o->memory->t_origin = o->memory->t;
  o->memory->done = 0;
  o->memory->started = true;
}
