/* One step of the Lie-group method after the other. A step of order 4 is five of order 2, of sizes
 * g, g, 1 - 4g, g, g times h with g = 1/(4 - 4^(1/3)) [Suzuki]; constraints hold after each of
 * them. The error of a variable step is that between one step h and two steps h/2, which are what
 * is taken:
 *
 *   err = (fine - coarse) / (2^p - 1),   h_next = h clip(0.9 err^(-1/(p+1)), 0.2, 4) */
#include "core/error.h"
#include "core/log.h"
#include "core/vec.h"
#include "lie/integrator.h"
#include "step/norm.h"
#include <float.h>

bool dae__lie_can_retry(dae_status status)
{
  return status == DAE_ERROR_RECOVERABLE || status == DAE_ERROR_SINGULAR ||
         status == DAE_ERROR_STEP;
}

/* ---- one step ---- */

/* from (t, from) by h; of the result only z and the y of the step */
static dae_status advance(dae__lie *o, double t, double h, const dae__lie_point *from,
                          const dae__lie_point *to, dae_error *err)
{
  const dae__semi *s = o->body.s;
  const double g = 1 / (4 - cbrt(4)), parts[5] = {g, g, 1 - 4 * g, g, g};
  int count = o->order == 4 ? 5 : 1;
  double *x = o->x, *slope = to->dz;
  dae__copy(s->nx, from->z, x);
  dae__copy(s->nx, from->dz, slope);
  dae__copy(s->ny, from->y, to->y);
  for (int i = 0; i < count; i++) {
    double part = count == 1 ? h : parts[i] * h;
    dae_status status = dae__lie_step_solve(&o->step, t, part, x, slope, to->y, err);
    if (status)
      return status;
    for (int k = 0; k < s->nx; k++) { /* the mean slope, to predict the next one */
      slope[k] = (o->step.z1[k] - x[k]) / part;
      x[k] = o->step.z1[k];
    }
    dae__copy(s->ny, o->step.z1 + s->nx, to->y);
    t += part;
  }
  dae__copy(s->nx, x, to->z);
  dae__copy(s->ny, to->y, to->z + s->nx);
  return DAE_OK;
}

/* y and slopes that belong to x at t; where y is not determined, the step's own */
static dae_status settle(dae__lie *o, double t, const dae__lie_point *p, bool *undetermined,
                         dae_error *err)
{
  dae_status status = o->body.table->slopes(o->body.self, false, t, p->z, p->dz, err);
  *undetermined = status == DAE_ERROR_SINGULAR;
  return status == DAE_ERROR_SINGULAR ? DAE_OK : status;
}

/* y may be undetermined at a point, as where a problem starts; but not twice in a row */
static dae_status not_determined(const dae__lie *o, dae_error *err)
{
  const dae__semi *s = o->body.s;
  char name[64] = "y";
  int row = 0;
  while (row < s->ny - 1 && !s->hidden[row])
    row++;
  if (s->ny > 0)
    dae__semi_equation_name(s->p, s->nx + row, name, sizeof name);
  return dae__fail(err, DAE_ERROR_SINGULAR, name,
                   "F_x f_y is singular, so that y is not determined by the equation of %s and its "
                   "like: the index is higher than 2",
                   name);
}

static void copy_point(const dae__semi *s, const dae__lie_point *from, const dae__lie_point *to)
{
  dae__copy(s->n, from->z, to->z);
  dae__copy(s->n, from->dz, to->dz);
  dae__copy(s->ny, from->y, to->y);
}

/* the step that ends in `next` becomes the last one */
static dae_status take_over(dae__lie *o, double t, double t_middle, dae_error *err)
{
  dae__lie_stand *m = o->stand;
  bool undetermined;
  dae_status status = settle(o, t, &o->next, &undetermined, err);
  if (!status && undetermined && m->undetermined)
    return not_determined(o, err);
  if (status)
    return status;
  copy_point(o->body.s, &o->now, &o->previous);
  copy_point(o->body.s, &o->half, &o->middle);
  copy_point(o->body.s, &o->next, &o->now);
  m->undetermined = undetermined;
  m->t_previous = m->t;
  m->t_middle = t_middle;
  m->t = t;
  m->stats.steps++;
  return DAE_OK;
}

static dae_status give_up(const dae__lie *o, double h, const dae_error *why, const char *hint,
                          dae_error *err)
{
  bool own = why->status == DAE_ERROR_CALLBACK || why->status == DAE_ERROR_MEMORY;
  dae_status status = own ? why->status : DAE_ERROR_STEP;
  dae__fail(err, status, why->equation[0] ? why->equation : NULL,
            "the integration stops at t = %.10g with step size %.3g: %s%s", o->stand->t, h,
            why->text, hint);
  dae__fail_at(err, o->stand->t, h);
  return status;
}

dae_status dae__lie_fixed_step(dae__lie *o, double t_stop, dae_error *err)
{
  dae__lie_stand *m = o->stand;
  dae_error why = dae_error_none();
  double t = m->t_origin + (double)(m->done + 1) * o->opts.step;
  bool whole = t_stop - t > -1e-9 * o->opts.step;
  t = fabs(t_stop - t) <= 1e-9 * o->opts.step || !whole ? t_stop : t;
  dae_status status = advance(o, m->t, t - m->t, &o->now, &o->next, &why);
  if (!status)
    status = take_over(o, t, m->t, &why);
  if (status)
    return give_up(o, o->opts.step, &why, "; the step is fixed, try a smaller one", err);
  m->done += whole;
  return DAE_OK;
}

/* ---- variable steps ---- */

/* names the x whose error is largest */
static void name_worst(const dae__lie *o, const char *what, dae_error *why)
{
  const dae__semi *s = o->body.s;
  char name[64];
  int worst = 0;
  double most = -1;
  for (int i = 0; i < s->nx; i++) {
    double rate = fabs(o->now.dz[i]) / (o->opts.rtol * fabs(o->now.z[i]) + o->opts.atol);
    if (!(rate <= most))
      most = rate, worst = i;
  }
  dae__semi_variable_name(s->p, worst, name, sizeof name);
  dae__fail(why, DAE_ERROR_STEP, name, "%s, fastest in %s", what, name);
}

/* one step, and two of half the size; *error: of the two */
static dae_status halves(dae__lie *o, double h, double *error, dae_error *err)
{
  const dae__semi *s = o->body.s;
  double t = o->stand->t;
  bool undetermined;
  dae_status status = advance(o, t, h, &o->now, &o->coarse, err);
  if (!status)
    status = advance(o, t, h / 2, &o->now, &o->half, err);
  if (!status)
    status = settle(o, t + h / 2, &o->half, &undetermined, err);
  if (!status)
    status = advance(o, t + h / 2, h / 2, &o->half, &o->next, err);
  if (status)
    return status;
  dae__weights(s->nx, o->opts.rtol, o->opts.atol, o->now.z, o->weight);
  for (int i = 0; i < s->nx; i++)
    o->x[i] = o->next.z[i] - o->coarse.z[i];
  *error = dae__norm(s->nx, o->x, o->weight) / (pow(2, o->order) - 1);
  return DAE_OK;
}

#define SHRUNK                                                                                     \
  "the step size has shrunk to round-off, or the error test fails at every one: the motion may "   \
  "have a singularity here or be discontinuous"

static dae_status attempt(dae__lie *o, double h, double t, dae_error *why)
{
  dae__lie_stand *m = o->stand;
  double next = h, error = NAN;
  dae_status status = halves(o, h, &error, why);
  bool good = !status && dae__controller_judge(&m->controller, h, error, &next);
  if (good)
    status = take_over(o, t, m->t + h / 2, why);
  else if (!status)
    name_worst(o, SHRUNK, why);
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

dae_status dae__lie_variable_step(dae__lie *o, double t_stop, dae_error *err)
{
  dae__lie_stand *m = o->stand;
  dae_error why = dae_error_none(), stuck = why; /* stuck: not by its error */
  for (int failures = 0; failures < o->opts.max_failures; failures++) {
    double planned = m->h;
    bool last = m->t + planned * (1 + 1e-10) >= t_stop;
    double h = last ? t_stop - m->t : planned;
    if (h < 4 * DBL_EPSILON * fmax(fabs(m->t), fabs(t_stop)) && !last) {
      name_worst(o, SHRUNK, &why);
      break;
    }
    long by_error = m->stats.rejected_by_error;
    dae_status status = attempt(o, h, last ? t_stop : m->t + h, &why);
    if (!status && last) /* it was cut short */
      m->h = fmax(m->h, planned);
    if (!status && !dae__crawls(&m->crawl, &m->stats, m->t, t_stop))
      return DAE_OK;
    if (!status) {
      name_worst(o, DAE__CRAWL_TEXT, &why);
      return give_up(o, h, &why, "", err);
    }
    if (!dae__lie_can_retry(status))
      return give_up(o, h, &why, "", err);
    if (m->stats.rejected_by_error == by_error)
      stuck = why;
  }
  return give_up(o, m->h, stuck.equation[0] ? &stuck : &why, "", err);
}

/* ---- starting ---- */

/* h |x'| is to be a small part of the size of the motion; the estimate corrects it */
static double first_step(const dae__lie *o, double t_stop)
{
  const dae__semi *s = o->body.s;
  double rate = DBL_MIN, most = t_stop - o->stand->t;
  if (o->opts.max_step > 0)
    most = fmin(most, o->opts.max_step);
  if (o->opts.first_step > 0)
    return fmin(o->opts.first_step, most);
  for (int i = 0; i < s->nx; i++) {
    double size = fabs(o->now.z[i]) + o->opts.atol / o->opts.rtol;
    rate = fmax(rate, fabs(o->now.dz[i]) / size);
  }
  double h = pow(o->opts.rtol, 1.0 / (o->order + 1)) / rate;
  return fmin(fmin(h, 0.1 * (t_stop - o->stand->t)), most);
}

void dae__lie_begin(dae__lie *o, double t_stop)
{
  dae__lie_stand *m = o->stand;
  dae__controller_options control = dae__controller_defaults(o->order + 1);
  control.beta = 0;
  control.max_factor = 4;
  control.max_step = o->opts.max_step;
  dae__controller_reset(&m->controller, &control);
  m->h = first_step(o, t_stop);
  m->crawl = dae__crawl_begin(m->t, &m->stats);
  m->t_origin = m->t;
  m->done = 0;
  m->started = true;
}
