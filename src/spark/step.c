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
#include "step/norm.h"
#include <float.h>

#define GOAL 0.02      /* part of the tolerance that the iteration may leave */
#define BOUND 0.7      /* of a step at which the iteration failed: */
#define BOUNDED 20     /* so many steps are not larger */
#define MOST 30        /* iterations of a variable step, */
#define MOST_FIXED 200 /* and of a fixed one, which cannot be made smaller */

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
static double mean_eigenvalue(const dae__spark_transform *tr, int s)
{
  double sum = tr->blocks ? 0 : -s * log(s + 1.0); /* not known: about right */
  for (int i = 0; i < tr->blocks; i++)
    sum += (i < tr->reals ? 1 : 2) * log(cabs(tr->mu[i]));
  return exp(sum / s);
}

void dae__spark_prepare_estimate(dae__spark *o)
{
  const dae__stages *st = &o->stages;
  bool inside = st->nodes == st->s + 2;
  o->compared = inside ? st->s + 1 : st->nodes;
  o->map = 0.1 * pow(o->opts.rtol, fmin((double)o->compared / o->order, 1) - 1);
  o->gamma0 = mean_eigenvalue(&o->transform, st->s);
  for (int i = 0; i < o->compared; i++)
    o->derivative[i] = dae__derivative_weight(o->compared, st->node, i, 0);
}

/* square sum of h (u'(t0) - U'(t0)) relative to the weights */
static double missed(dae__spark *o, int n, const double *values, const double *rate,
                     const double *weight)
{
  double sum = 0;
  for (int k = 0; k < n; k++) {
    double e = o->stages.h * rate[k];
    for (int i = 0; i < o->compared; i++)
      e -= o->derivative[i] * values[o->stages.at[i] * n + k];
    sum += pow(e / weight[k], 2);
  }
  return sum;
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

/* what round-off alone would give does not count: in steps that are cut very short it is all there
 * is, and in directions that the projection cleans */
static double estimate(dae__spark *o)
{
  const dae__face *c = &o->stages.face;
  double sum = 0, allowed = 0;
  dae__face_split(&o->body.face, o->rate, o->y_rate, o->z_rate);
  sum += missed(o, c->ny, o->stages.now.Y, o->y_rate, o->y_weight);
  sum += missed(o, c->nz, o->stages.now.Z, o->z_rate, o->z_weight);
  for (int i = 0; i < o->compared; i++)
    allowed += fabs(o->derivative[i]) * noise(o, o->stages.h);
  double error = sqrt(sum / (c->ny + c->nz)) - allowed;
  return o->gamma0 / o->map * (error < 0 ? 0 : error); /* a NaN stays */
}

static dae_status solve(dae__spark *o, double t, double h, const double *y, const double *z,
                        dae_error *err)
{
  bool fixed = o->opts.step > 0;
  weigh(o);
  double floor = fixed ? 0 : noise(o, h);
  dae__stages_goal goal = {.y_weight = o->y_weight,
                           .z_weight = o->z_weight,
                           .goal = fixed ? 2 * DBL_EPSILON : fmax(GOAL, floor),
                           .bearable = fixed ? 1e-10 : fmax(0.3, 10 * floor),
                           .most = fixed ? MOST_FIXED : MOST,
                           .full = fixed};
  return dae__stages_solve(&o->stages, t, h, y, z, &goal, err);
}

/* the state at the end of the step that was solved, projected, in shown_state, and its derivative,
 * for the next error estimate and for dense output, in shown_rate */
static dae_status finish(dae__spark *o, double t, dae_error *err)
{
  dae__stages *st = &o->stages;
  const dae__body *body = &o->body;
  double *y1 = dae__stage_vector(st->now.Y, st->s + 1, st->face.ny);
  double *z1 = dae__stage_vector(st->now.Z, st->s + 1, st->face.nz);
  dae__copy(body->size, o->state, o->shown_state);
  dae__copy(body->size, o->rate, o->shown_rate);
  dae__face_join(&body->face, y1, z1, o->shown_state);
  dae_status status = DAE_OK;
  if (o->opts.project)
    status = body->table->project(body->self, false, t, o->shown_state, err);
  if (!status)
    dae__face_split(&body->face, o->shown_state, y1, z1);
  return status ? status
                : body->table->accelerate(body->self, false, t, o->shown_state, o->shown_rate, err);
}

/* the step that was solved becomes the last accepted one; where this fails, that stays as it is */
static dae_status take_over(dae__spark *o, double t, dae_error *err)
{
  dae__spark_memory *m = o->memory;
  dae_status status = finish(o, t, err);
  if (status)
    return status;
  m->t_middle = o->stages.halfway ? o->t_half : m->t;
  dae__stages_accept(&o->stages);
  dae__copy(o->body.size, o->rate, o->previous_rate);
  dae__copy(o->body.size, o->shown_rate, o->rate);
  dae__copy(o->body.size, o->shown_state, o->state);
  dae__face_split(&o->body.face, o->state, o->y, o->z);
  m->t_previous = m->t;
  m->t = t;
  m->stats.steps++;
  return DAE_OK;
}

/* ---- two steps of half the size ---- */

/* square sum of the differences relative to the weights */
static double distance(int n, const double *a, const double *b, const double *weight)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += pow((a[i] - b[i]) / weight[i], 2);
  return sum;
}

/* the error of the two halves, whose end is the step at hand: (halves - whole) / (2^order - 1) */
static double compare_halves(dae__spark *o)
{
  const dae__stages *st = &o->stages;
  int ny = st->face.ny, nz = st->face.nz, last = st->s + 1;
  double sum = distance(ny, dae__stage_vector(st->now.Y, last, ny), o->y_whole, o->y_weight) +
               distance(nz, dae__stage_vector(st->now.Z, last, nz), o->z_whole, o->z_weight);
  double error = sqrt(sum / (ny + nz)) - 2 * noise(o, st->h);
  return (error < 0 ? 0 : error) / (pow(2, o->order) - 1);
}

static dae_status solve_halves(dae__spark *o, double h, double *error, dae_error *err)
{
  dae__stages *st = &o->stages;
  int ny = st->face.ny, nz = st->face.nz, last = st->s + 1;
  double t = o->memory->t;
  o->t_half = t + h / 2;
  dae_status status = solve(o, t, h, o->y, o->z, err);
  if (status)
    return status;
  dae__copy(ny, dae__stage_vector(st->now.Y, last, ny), o->y_whole);
  dae__copy(nz, dae__stage_vector(st->now.Z, last, nz), o->z_whole);
  status = solve(o, t, h / 2, o->y, o->z, err);
  if (!status)
    status = finish(o, o->t_half, err);
  if (status)
    return status;
  dae__copy(o->body.size, o->shown_rate, o->middle_rate);
  dae__face_split(&o->body.face, o->shown_state, o->y_middle, o->z_middle);
  dae__stages_halve(st);
  status = solve(o, o->t_half, h / 2, o->y_middle, o->z_middle, err);
  *error = status ? NAN : compare_halves(o);
  return status;
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

/* the largest rate of change of y and z relative to these tolerances; *fastest: which entry of the
 * state vector (may be NULL) */
static double largest_rate(const dae__spark *o, double rtol, double atol, int *fastest)
{
  const dae__face *c = &o->body.face;
  double most = 0;
  for (int i = 0; i < c->ny + c->nz; i++) {
    int at = i < c->ny ? c->y_at[i] : c->z_at[i - c->ny];
    double rate = fabs(o->rate[at]) / (rtol * fabs(o->state[at]) + atol);
    if (rate <= most)
      continue;
    most = rate;
    if (fastest)
      *fastest = at;
  }
  return most;
}

/* names the variable that changes fastest, for failures that no equation is to blame for */
static void name_fastest(const dae__spark *o, const char *what, dae_error *why)
{
  char name[64];
  int fastest = 0;
  largest_rate(o, o->opts.rtol, o->opts.atol, &fastest);
  dae_problem_variable(&o->body.face.problem, fastest, name, sizeof name);
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
  dae_status status = solve(o, m->t, t - m->t, o->y, o->z, &why);
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
  double next = h, error = NAN;
  dae_status status;
  dae__stages_unhalve(&o->stages);
  if (o->opts.estimate == DAE_SPARK_ESTIMATE_DOUBLING)
    status = solve_halves(o, h, &error, why);
  else
    status = solve(o, m->t, h, o->y, o->z, why);
  if (!status && o->opts.estimate == DAE_SPARK_ESTIMATE_EMBEDDED)
    error = estimate(o);
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
    if (status == DAE_ERROR_STEP)
      m->bound = BOUND * h, m->bounded = BOUNDED;
    return status;
  }
  m->stats.rejected_by_error += !good;
  m->bounded -= good && m->bounded > 0;
  m->h = m->bounded > 0 ? fmin(next, m->bound) : next;
  return good ? DAE_OK : DAE_ERROR_STEP;
}

dae_status dae__spark_variable_step(dae__spark *o, double t_stop, dae_error *err)
{
  dae__spark_memory *m = o->memory;
  dae_error why = dae_error_none(), stuck = why; /* stuck: not by its error */
  for (int failures = 0; failures < o->opts.max_failures; failures++) {
    double planned = m->h;
    bool last = m->t + planned * (1 + 1e-10) >= t_stop;
    double h = last ? t_stop - m->t : planned;
    if (h < 4 * DBL_EPSILON * fmax(fabs(m->t), fabs(t_stop)) && !last) {
      name_fastest(o, SHRUNK, &why);
      break;
    }
    long by_error = m->stats.rejected_by_error;
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
    if (m->stats.rejected_by_error == by_error)
      stuck = why;
  }
  return give_up(o, m->h, stuck.equation[0] ? &stuck : &why, "", err);
}

/* ---- starting ---- */

/* h |y'| is to be a small part of the size of the motion; the estimate corrects it */
static double first_step(const dae__spark *o, double t_stop)
{
  double most = t_stop - o->memory->t;
  if (o->opts.max_step > 0)
    most = fmin(most, o->opts.max_step);
  if (o->opts.first_step > 0)
    return fmin(o->opts.first_step, most);
  double rate = fmax(largest_rate(o, 1, o->opts.atol / o->opts.rtol, NULL), DBL_MIN);
  double h = pow(o->opts.rtol, 1.0 / (o->order + 1)) / rate;
  return fmin(fmin(h, 0.1 * (t_stop - o->memory->t)), most);
}

void dae__spark_begin(dae__spark *o, double t_stop)
{
  const dae__face *c = &o->body.face;
  bool doubling = o->opts.estimate == DAE_SPARK_ESTIMATE_DOUBLING;
  dae__controller_options control = dae__controller_defaults(doubling ? o->order + 1 : o->compared);
  control.max_step = o->opts.max_step;
  dae__face_split(&o->body.face, o->state, o->y, o->z);
  dae__stages_begin(&o->stages, o->state + c->lambda, o->state + c->psi);
  dae__controller_reset(&o->memory->controller, &control);
  o->memory->h = first_step(o, t_stop);
  o->memory->crawl = dae__crawl_begin(o->memory->t, &o->memory->stats);
  o->memory->bounded = 0;
  o->memory->t_origin = o->memory->t;
  o->memory->done = 0;
  o->memory->started = true;
}
