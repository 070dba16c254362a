/* The driver of one-step methods: attempt, error test, completion, next step size.
 *
 *   fixed steps     end at t_origin + k step, the last one at t_stop; a failed step ends the run
 *   variable steps  a controller selects the size by the error; a failed step is repeated with a
 *                   smaller size, and after a failed iteration the size is bounded for some steps
 *
 * A step that passes the error test is accepted once its completion succeeds, and not before: a
 * failed completion counts as a failed attempt. */
#include "core/env.h"
#include "core/error.h"
#include "core/log.h"
#include "core/mutant.h"
#include "core/tolerances.h"
#include "onestep/host/integrator.h"
#include "step/smooth/smooth.h"
#include <float.h>
#include <math.h>

/* Ratio of the step size after a failed iteration to the size at which it failed: for the next
 * attempt, and as the bound of the descriptor's bounded_steps after that. Chosen, not measured. */
#define FAILED_STEP_FACTOR 0.4
#define FAILED_STEP_BOUND 0.7
/* Distance to t_stop, relative to the step size, below which a step ends at t_stop: for fixed and
 * for variable steps. Round-off of sums of steps; chosen. */
#define SAME_FIXED_END 1e-9
#define SAME_VARIABLE_END 1e-10

bool dae__can_retry(dae_status status)
{
  return status == DAE_ERROR_RECOVERABLE || status == DAE_ERROR_SINGULAR ||
         status == DAE_ERROR_STEP;
}

/* ---- failures ---- */

double dae__onestep_largest_rate(const dae__onestep *o, double rtol, double atol, char *name,
                                 size_t size)
{
  double largest = 0;
  int fastest = 0;
  for (int i = 0; i < o->adapter.nx; i++) {
    double weight = rtol * fabs(o->now.z[i]) + atol * o->adapter.atol_scale[i];
    double rate = fabs(o->now.dz[i]) / weight;
    if (!(rate <= largest))
      largest = rate, fastest = i;
  }
  if (name)
    (void)dae_problem_variable(o->adapter.problem, fastest, name, size);
  return largest;
}

/* Remainder of a constraint row after elimination of the others below which a stop is attributed to
 * the row. At a remainder d, round-off moves positions by its part 1/d, and accelerations by its
 * part 1/d^3; the time spent there is a part d of that of the motion, so that velocities are off by
 * eps/d^2. The steps become small where that is above rtol. */
static double driver_remainder(const dae__onestep *o)
{
  return fmax(DAE__NEARLY_DEPENDENT, sqrt(DBL_EPSILON / o->control.rtol));
}

/* Diagnosis of a step size that tends to zero: names a constraint that becomes dependent, else the
 * equation of the failed attempt, if it has one, else the variable that changes fastest. An attempt
 * that a callback refused keeps its own error. */
static void driver_diagnose(const dae__onestep *o, const char *what, const dae_error *failed,
                            dae_error *why)
{
  const dae_adapter *a = &o->adapter;
  char name[64] = "";
  if (failed->status != DAE_ERROR_RECOVERABLE && a->table->rank &&
      a->table->rank(a->self, o->driver->t, o->now.z, driver_remainder(o), name, sizeof name)) {
    dae__fail(why, DAE_ERROR_STEP, name,
              "the step size tends to zero where constraint %s becomes dependent on the "
              "others: the mechanism may be at a dead point, or come apart",
              name);
    return;
  }
  if (failed->equation[0]) {
    *why = *failed;
    return;
  }
  dae__onestep_largest_rate(o, o->control.rtol, o->control.atol, name, sizeof name);
  dae__fail(why, DAE_ERROR_STEP, name, "%s; the fastest change is in %s", what, name);
}

static dae_status driver_give_up(const dae__onestep *o, double h, const dae_error *why,
                                 const char *hint, dae_error *err)
{
  bool own = why->status == DAE_ERROR_CALLBACK || why->status == DAE_ERROR_MEMORY ||
             why->status == DAE_ERROR_INTERRUPTED;
  dae_status status = own ? why->status : DAE_ERROR_STEP;
  dae__fail(err, status, why->equation[0] ? why->equation : NULL,
            "the integration stops at t = %.10g with step size %.3g: %s%s", o->driver->t, h,
            why->text, hint);
  dae__fail_at(err, o->driver->t, h);
  return status;
}

/* ---- steps ---- */

static dae_status driver_fixed_step(dae__onestep *o, double t_stop, dae_error *err)
{
  dae__driver_memory *k = o->driver;
  dae_error why = dae_error_none();
  double step = o->control.step, t = k->t_origin + (double)(k->done + 1) * step, error;
  bool whole = t_stop - t > -SAME_FIXED_END * step;
  t = fabs(t_stop - t) <= SAME_FIXED_END * step || !whole ? t_stop : t;
  dae_status status = t > k->t ? dae__onestep_attempt(o, t - k->t, &error, &why)
                               : dae__fail(&why, DAE_ERROR_STEP, NULL, "no time is left");
  if (!status)
    dae__limits_count_accepted(&o->limits);
  if (!status)
    status = dae__onestep_complete(o, t, &why);
  if (status)
    return driver_give_up(o, step, &why, "; the step is fixed, try a smaller one", err);
  k->done += whole;
  return DAE_OK;
}

/* Attempts a step of size h that ends at t, after a number of failures, and sets the next step
 * size; a failed attempt over a jump is replaced by a step across it. DAE_ERROR_STEP: the error is
 * too large, or the iteration does not converge. */
static dae_status driver_try_step(dae__onestep *o, double h, double t, int failures, dae_error *why)
{
  dae__driver_memory *k = o->driver;
  double next = h, error = NAN;
  dae_status status = dae__onestep_attempt(o, h, &error, why);
  bool good =
      !status && DAE__MUTATE(driver_error_test, error <= 1, error <= 30); /* false for NaN */
  bool diverged = status == DAE_ERROR_STEP;
  if (good)
    status = dae__onestep_complete(o, t, why);
  if (good && !status)
    dae__limits_count_accepted(&o->limits);
  else
    dae__limits_count_failed(&o->limits, diverged);
  dae__log(o->env, DAE_LOG_DEBUG, "t = %.10g, h = %.3g: %s, error %.3g", t, h,
           status ? why->text
           : good ? "accepted"
                  : "error too large",
           error);
  if (status) {
    k->stats.rejected_by_convergence += status != DAE_ERROR_RECOVERABLE;
    k->stats.rejected_by_callback += status == DAE_ERROR_RECOVERABLE;
    k->h = dae__controller_failed(&k->controller, h, FAILED_STEP_FACTOR);
    if (status == DAE_ERROR_STEP)
      k->bound = FAILED_STEP_BOUND * h, k->bounded = o->descriptor.bounded_steps;
  } else {
    dae__controller_propose(&k->controller, h, error, &next);
    k->stats.rejected_by_error += !good;
    k->bounded -= good && k->bounded > 0;
    k->h = k->bounded > 0 ? fmin(next, k->bound) : next;
  }
  if (good && !status)
    return DAE_OK;
  bool crossed = false;
  /* the first step size is a guess, too large more often than over a jump */
  bool guessed = k->controller.h == 0 && failures == 0;
  bool suspected =
      failures >= DAE__CROSSING_FAILURES || (error > DAE__CROSSING_LEAST_ERROR && !guessed);
  if (suspected && (!status || status == DAE_ERROR_STEP)) {
    dae_error failed;
    dae__error_clear(&failed);
    dae_status crossing = dae__onestep_cross(o, h, &crossed, &failed);
    if (crossing) {
      *why = failed;
      return crossing;
    }
  }
  return crossed ? DAE_OK : status ? status : DAE_ERROR_STEP;
}

static dae_status driver_variable_step(dae__onestep *o, double t_stop, dae_error *err)
{
  dae__driver_memory *k = o->driver;
  /* failed: error of the last attempt that was not rejected by the error test */
  dae_error why, failed;
  dae__error_clear(&why);
  dae__error_clear(&failed);
  for (int failures = 0; failures < o->control.max_failures; failures++) {
    DAE__TRY(dae__env_proceed(o->env, err));
    double planned = k->h;
    bool last = k->t + planned * (1 + SAME_VARIABLE_END) >= t_stop;
    /* the size is the difference of the rounded ends: round-off of their sum is no drift of time */
    double end = last ? t_stop : k->t + planned, h = end - k->t;
    if (h < dae__smallest_step(k->t, t_stop) && !last)
      break;
    long by_error = k->stats.rejected_by_error;
    dae_status status = driver_try_step(o, h, end, failures, &why);
    /* next step size: the planned one at least, since h was shortened to end at t_stop */
    if (!status && last)
      k->h = fmax(k->h, planned), k->t = fmin(k->t, t_stop);
    if (!status && !dae__is_stalled(&k->stall, &k->stats, k->t, t_stop))
      return DAE_OK;
    if (!status) {
      dae__error_clear(&failed);
      driver_diagnose(o, DAE__STALL_TEXT, &failed, &why);
    }
    if (!status || !dae__can_retry(status))
      return driver_give_up(o, h, &why, "", err);
    if (k->stats.rejected_by_error == by_error)
      failed = why;
    if (o->descriptor.select_after_failure)
      DAE__TRY(o->descriptor.select_after_failure(o, h, err));
  }
  driver_diagnose(o,
                  "the step size has shrunk to round-off, or the error test fails at "
                  "every step size: the solution may have a singularity here or be "
                  "discontinuous",
                  &failed, &why);
  return driver_give_up(o, k->h, &why, "", err);
}

/* Smallest automatic first step, over the smallest step size. Chosen, not measured. */
#define FIRST_STEP_MIN 16

/* Automatic first step size: h |x'| is a small part of |x|; the error test corrects it. */
static double driver_first_step(const dae__onestep *o, double t_stop)
{
  const dae_step_options *c = &o->control;
  double left = t_stop - o->driver->t, limit = c->max_step > 0 ? fmin(left, c->max_step) : left;
  /* an instant just behind a restart: a part of the time left would be round-off */
  double least = FIRST_STEP_MIN * dae__smallest_step(o->driver->t, t_stop);
  double given = o->first_step == 0 && o->smooth ? dae__smooth_cut(o->smooth) : o->first_step;
  if (given > 0)
    return fmin(fmax(given, least), limit);
  double rate = fmax(dae__onestep_largest_rate(o, 1, c->atol / c->rtol, NULL, 0), DBL_MIN);
  int order = o->stepper[o->memory->current].order;
  double h = fmin(pow(c->rtol, 1.0 / (order + 1)) / rate, 0.1 * left);
  if (o->largest_first > 0)
    h = fmin(h, o->largest_first);
  return fmin(fmax(h, least), limit);
}

dae_status dae__onestep_advance(dae__onestep *o, double t_stop, dae_error *err)
{
  dae__driver_memory *k = o->driver;
  bool fixed = o->control.step > 0, left = false;
  if (k->leaving > 0 && k->t + k->leaving < t_stop)
    DAE__TRY(dae__onestep_cross(o, k->leaving, &left, err));
  if (left)
    return DAE_OK;
  if (!k->started) {
    dae__onestep_switch_stepper(o, o->memory->current);
    k->h = driver_first_step(o, t_stop);
    if (!o->memory->crossed)
      k->stall = dae__stall_begin(k->t, &k->stats);
    k->bounded = 0;
    k->t_origin = k->t;
    k->done = 0;
    k->started = true;
  }
  DAE__TRY(fixed ? driver_fixed_step(o, t_stop, err) : driver_variable_step(o, t_stop, err));
  return k->t >= t_stop ? DAE_END : DAE_OK;
}
