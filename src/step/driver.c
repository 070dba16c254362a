#include "step/driver.h"
#include "core/error.h"
#include "core/log.h"
#include <float.h>
#include <math.h>

/* Ratio of the step size after a failed iteration to the size at which it failed: for the next
 * attempt, and as the bound of the dae__driver.bounded steps after that. Chosen, not measured. */
#define FAILED_STEP_FACTOR 0.4
#define FAILED_STEP_BOUND 0.7
/* Distance to t_stop, relative to the step size, below which a step ends at t_stop: for fixed and
 * for variable steps. Round-off of sums of steps; chosen. */
#define SAME_FIXED_END 1e-9
#define SAME_VARIABLE_END 1e-10

bool dae__driver_can_retry(dae_status status)
{
  return status == DAE_ERROR_RECOVERABLE || status == DAE_ERROR_SINGULAR ||
         status == DAE_ERROR_STEP;
}

/* Diagnosis of a failure without an equation of its own: names a constraint that becomes dependent,
 * or the variable that changes fastest. */
static void spark_driver_diagnose(const dae__driver *m, const char *what, dae_error *why)
{
  char name[64] = "";
  if (m->table->stuck && m->table->stuck(m->self, name, sizeof name)) {
    dae__fail(why, DAE_ERROR_STEP, name,
              "the step size tends to zero where constraint %s becomes dependent on the "
              "others: the mechanism may be at a dead point, or come apart",
              name);
    return;
  }
  m->table->rate(m->self, m->rtol, m->atol, name, sizeof name);
  dae__fail(why, DAE_ERROR_STEP, name, "%s; the fastest change is in %s", what, name);
}

static dae_status spark_driver_give_up(const dae__driver *m, double h, const dae_error *why,
                                       const char *hint, dae_error *err)
{
  bool own = why->status == DAE_ERROR_CALLBACK || why->status == DAE_ERROR_MEMORY;
  dae_status status = own ? why->status : DAE_ERROR_STEP;
  dae__fail(err, status, why->equation[0] ? why->equation : NULL,
            "the integration stops at t = %.10g with step size %.3g: %s%s", m->memory->t, h,
            why->text, hint);
  dae__fail_at(err, m->memory->t, h);
  return status;
}

static dae_status driver_accept(dae__driver *m, double t, dae_error *err)
{
  DAE__TRY(m->table->accept(m->self, t, err));
  m->memory->t_previous = m->memory->t;
  m->memory->t = t;
  m->memory->stats.steps++;
  return DAE_OK;
}

/* ---- fixed steps ---- */

static dae_status spark_driver_fixed_step(dae__driver *m, double t_stop, dae_error *err)
{
  dae__driver_memory *k = m->memory;
  dae_error why = dae_error_none();
  double t = k->t_origin + (double)(k->done + 1) * m->step, error;
  bool whole = t_stop - t > -SAME_FIXED_END * m->step;
  t = fabs(t_stop - t) <= SAME_FIXED_END * m->step || !whole ? t_stop : t;
  dae_status status = m->table->attempt(m->self, t - k->t, &error, &why);
  if (!status)
    status = driver_accept(m, t, &why);
  if (status)
    return spark_driver_give_up(m, m->step, &why, "; the step is fixed, try a smaller one", err);
  k->done += whole;
  return DAE_OK;
}

/* ---- variable steps ---- */

/* Attempts a step of size h that ends at t, and sets the next step size. DAE_ERROR_STEP: the error
 * is too large, or the iteration does not converge. */
static dae_status spark_driver_try_step(dae__driver *m, double h, double t, dae_error *why)
{
  dae__driver_memory *k = m->memory;
  double next = h, error = NAN;
  dae_status status = m->table->attempt(m->self, h, &error, why);
  bool good = !status && dae__controller_propose(&k->controller, h, error, &next);
  if (good)
    status = driver_accept(m, t, why);
  dae__log(m->env, DAE_LOG_DEBUG, "t = %.10g, h = %.3g: %s, error %.3g", t, h,
           status ? why->text
           : good ? "accepted"
                  : "error too large",
           error);
  if (status) {
    k->stats.rejected_by_convergence += status != DAE_ERROR_RECOVERABLE;
    k->stats.rejected_by_callback += status == DAE_ERROR_RECOVERABLE;
    k->h = dae__controller_failed(&k->controller, h, FAILED_STEP_FACTOR);
    if (status == DAE_ERROR_STEP)
      k->bound = FAILED_STEP_BOUND * h, k->bounded = m->bounded;
    return status;
  }
  k->stats.rejected_by_error += !good;
  k->bounded -= good && k->bounded > 0;
  k->h = k->bounded > 0 ? fmin(next, k->bound) : next;
  return good ? DAE_OK : DAE_ERROR_STEP;
}

static dae_status spark_driver_variable_step(dae__driver *m, double t_stop, dae_error *err)
{
  dae__driver_memory *k = m->memory;
  /* failed: error of the last attempt that was not rejected by the error test */
  dae_error why, failed;
  dae__error_clear(&why);
  dae__error_clear(&failed);
  for (int failures = 0; failures < m->max_failures; failures++) {
    double planned = k->h;
    bool last = k->t + planned * (1 + SAME_VARIABLE_END) >= t_stop;
    double h = last ? t_stop - k->t : planned;
    if (h < dae__smallest_step(k->t, t_stop) && !last)
      break;
    long by_error = k->stats.rejected_by_error;
    dae_status status = spark_driver_try_step(m, h, last ? t_stop : k->t + h, &why);
    /* next step size: the planned one at least, since h was shortened to end at t_stop */
    if (!status && last)
      k->h = fmax(k->h, planned);
    if (!status && !dae__is_stalled(&k->stall, &k->stats, k->t, t_stop))
      return DAE_OK;
    if (!status) {
      spark_driver_diagnose(m, DAE__STALL_TEXT, &why);
      return spark_driver_give_up(m, h, &why, "", err);
    }
    if (!dae__driver_can_retry(status))
      return spark_driver_give_up(m, h, &why, "", err);
    if (k->stats.rejected_by_error == by_error)
      failed = why;
  }
  if (!failed.equation[0])
    spark_driver_diagnose(m,
                          "the step size has shrunk to round-off, or the error test fails at "
                          "every step size: the solution may have a singularity here or be "
                          "discontinuous",
                          &why);
  return spark_driver_give_up(m, k->h, failed.equation[0] ? &failed : &why, "", err);
}

/* ---- start ---- */

/* Automatic first step size: h |y'| is a small part of |y|; the error test corrects it. */
static double spark_driver_first_step(const dae__driver *m, double t_stop)
{
  double left = t_stop - m->memory->t, limit = m->max_step > 0 ? fmin(left, m->max_step) : left;
  if (m->first_step > 0)
    return fmin(m->first_step, limit);
  double rate = fmax(m->table->rate(m->self, 1, m->atol / m->rtol, NULL, 0), DBL_MIN);
  double h = fmin(pow(m->rtol, 1.0 / (m->order + 1)) / rate, 0.1 * left);
  if (m->largest_first > 0)
    h = fmin(h, m->largest_first);
  return fmin(h, limit);
}

dae_status dae__driver_step(dae__driver *m, double t_stop, dae_error *err)
{
  dae__driver_memory *k = m->memory;
  if (!k->started) {
    m->table->begin(m->self);
    m->control.max_step = m->max_step;
    dae__controller_reset(&k->controller, &m->control);
    k->h = spark_driver_first_step(m, t_stop);
    k->stall = dae__stall_begin(k->t, &k->stats);
    k->bounded = 0;
    k->t_origin = k->t;
    k->done = 0;
    k->started = true;
  }
  DAE__TRY(m->step > 0 ? spark_driver_fixed_step(m, t_stop, err)
                       : spark_driver_variable_step(m, t_stop, err));
  return k->t >= t_stop ? DAE_END : DAE_OK;
}

void dae__driver_reset(dae__driver *m, double t)
{
  m->memory->t = m->memory->t_previous = t;
  m->memory->started = false;
}

/* ---- view and messages ---- */

dae_view dae__driver_view(const dae__driver *m, int size)
{
  const dae__driver_memory *k = m->memory;
  return (dae_view){.t = k->t,
                    .t_previous = k->t_previous,
                    .h_next = m->step > 0 ? m->step : k->h,
                    .order = k->started ? m->order : 0,
                    .size = size};
}

dae_status dae__driver_dense_output_failed(const dae__driver *m, double t, dae_status status,
                                           const dae_error *why, dae_error *err)
{
  status = dae__driver_can_retry(status) ? DAE_ERROR_STEP : status;
  dae__fail(err, status, why->equation[0] ? why->equation : NULL,
            "dense output at t = %.10g failed: %s", t, why->text);
  dae__fail_at(err, t, m->memory->h);
  return status;
}
