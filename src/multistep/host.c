/* The BDF host: variable step, variable order 1 to 5, fixed leading coefficient, by the rules of
 * DASSL [BCP96 chapter 5]. The equations are known to the corrector only.
 *
 *   predict Y, Y' -> Newton -> error test -> project -> accept, select order and step
 *
 * Deviations, unless the option `rules` says dassl: multipliers are in no test, or in the Newton
 * test with the step size as a weight; the contraction rate of the Newton iteration is estimated in
 * every step, at the price of a second iteration, which is less than the savings; the error of a
 * step is limited to a fraction of the tolerance; two further deviations are described in select.c.
 * With both rules, the accepted value is projected before it enters the history (option `project`),
 * and with a fixed step the k + 1 start values of BDF k are computed with variable steps at a tight
 * tolerance. */
#include "multistep/host.h"
#include "core/assert.h"
#include "core/env.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include "problem/problem.h"
#include <float.h>

/* ---- failures ---- */

/* ends the integration with a message that names the variable of s->why, or that of s->last */
static dae_status bdf_give_up(dae__bdf *s, double t, double h, const char *hint, dae_error *err)
{
  const dae__bdf_reason *r = &s->why;
  const dae__corrector *c = &s->corrector;
  char name[64];
  if (r->what && c->table->rank &&
      c->table->rank(c->self, s->history.memory->t, dae__history_phi(&s->history, 0), name,
                     sizeof name)) {
    dae__fail(&s->last, DAE_ERROR_STEP, name,
              "%s where constraint %s becomes dependent on the others: the mechanism may be at a "
              "dead point, or come apart",
              r->what, name);
  } else if (r->what) {
    dae_problem_variable(&s->corrector.problem, r->worst < 0 ? 0 : r->worst, name, sizeof name);
    dae__fail(&s->last, DAE_ERROR_STEP, name, "%s, %s in %s%s", r->what,
              r->fastest ? "fastest" : "worst", name, r->hint);
  }
  dae_error why = s->last;
  bool own = why.status == DAE_ERROR_CALLBACK || why.status == DAE_ERROR_MEMORY ||
             why.status == DAE_ERROR_INTERRUPTED;
  dae_status status = own ? why.status : DAE_ERROR_STEP;
  dae__fail(err, status, why.equation[0] ? why.equation : NULL,
            "the integration stops at t = %.10g with step size %.3g: %s%s", t, h, why.text, hint);
  dae__fail_at(err, t, h);
  return status;
}

/* names the variable with the largest derivative, for a step size that became small without a
 * failed attempt */
static void bdf_name_fastest(dae__bdf *s, const char *what)
{
  dae__history_predict(&s->history, s->Y, s->dY);
  s->why = (dae__bdf_reason){.what = what,
                             .hint = "",
                             .worst = dae__bdf_worst(s, s->dY, DAE__TEST_FULL, 1),
                             .fastest = true};
}

/* relative difference of two times that are equal in exact arithmetic */
#define TIME_ROUND_OFF (4 * DBL_EPSILON)

/* ---- variable steps ---- */

static dae_status bdf_complete_crossing(void *self, double t, double *z, double *dz, dae_error *err)
{
  const dae__corrector *c = &((dae__bdf *)self)->corrector;
  return c->table->slopes(c->self, t, z, dz, err);
}

/* Step across a discontinuity in place of a failed attempt of size h (step/crossing.h), or, with
 * m->leaving, away from it, to a start of the motion; *size: its size, 0: none. */
static dae_status bdf_cross(dae__bdf *s, double h, double *size, dae_error *err)
{
  dae__bdf_memory *m = s->m;
  int n = s->corrector.size;
  double t = m->t, leaving = m->leaving;
  m->leaving = *size = 0;
  if (s->crossing.nx == 0)
    return DAE_OK;
  /* a first step that fails is repeated with a smaller size */
  if (!m->started && leaving == 0)
    return DAE_OK;
  s->table.interpolate_raw(s, t, s->before, s->before_rate);
  if (m->started && !dae__crossing_possible(&s->crossing, h, s->before, s->before_rate))
    return DAE_OK;
  /* the rate of the history is not exact */
  dae_status status = bdf_complete_crossing(s, t, s->before, s->before_rate, err);
  if (!status)
    status = (leaving > 0 ? dae__crossing_leave : dae__crossing_locate)(
        &s->crossing, t, h, s->before, s->before_rate, size, s->scratch_state, err);
  if (!status && *size > 0)
    status = bdf_complete_crossing(s, t + *size, s->scratch_state, s->scratch_rate, err);
  if (status || *size == 0) {
    *size = 0;
    return status == DAE_ERROR_CALLBACK || status == DAE_ERROR_MEMORY ? status : DAE_OK;
  }
  dae__copy(n, s->scratch_state, s->state);
  dae__copy(n, s->scratch_rate, s->rate);
  m->leaving = leaving > 0 ? 0 : h;
  m->started = false;
  m->stats.steps++;
  return DAE_OK;
}

/* makes one accepted step of variable size, which ends at t_stop at the latest; *crossed: its size
 * if it was made across a discontinuity, 0 otherwise */
static dae_status bdf_variable_step(dae__bdf *s, double t_stop, double *crossed, dae_error *err)
{
  dae__bdf_memory *m = s->m;
  double t = s->history.memory->t;
  double smallest = dae__smallest_step(t, t_stop);
  dae__bdf_estimate est = {0};
  int errors = 0;
  *crossed = 0;
  for (int failures = 0;; failures++) {
    DAE__TRY(dae__env_proceed(s->env, err));
    double h = s->opts.max_step > 0 ? fmin(m->h, s->opts.max_step) : m->h;
    bool last = t + h * (1 + 1e-10) >= t_stop;
    h = last ? t_stop - t : h;
    if (h < smallest && !last && failures == 0)
      bdf_name_fastest(
          s, "the step size is reduced to round-off: the motion may have a singularity here");
    if ((h < smallest && !last) || failures >= s->opts.max_failures)
      return bdf_give_up(s, t, h, "", err);
    dae__bdf_attempt attempt = {last ? t_stop : t + h, h, true, errors > 0};
    dae__bdf_outcome outcome = dae__bdf_attempt_step(s, &attempt, &est);
    if (outcome == DAE__BDF_ACCEPTED)
      break;
    if (outcome == DAE__BDF_FATAL)
      return bdf_give_up(s, t, h, "", err);
    errors += outcome == DAE__BDF_ERROR_TOO_LARGE;
    dae__bdf_select_smaller(s, outcome, est, errors);
    if (outcome != DAE__BDF_REFUSED && (failures >= DAE__CROSSING_FAILURES ||
                                        (failures > 0 && est.error > DAE__CROSSING_LEAST_ERROR)))
      DAE__TRY(bdf_cross(s, h, crossed, err));
    if (*crossed > 0)
      return DAE_OK;
  }
  m->stats.steps++;
  if (dae__is_stalled(&m->stall, &m->stats, s->history.memory->t, t_stop)) {
    bdf_name_fastest(s, DAE__STALL_TEXT);
    return bdf_give_up(s, s->history.memory->t, s->history.memory->h, "", err);
  }
  return DAE_OK;
}

/* Starts a history of order 1 at a consistent state. First step size: the local error of order 1,
 * h^2 |y''|, is a hundredth of the tolerance, with the estimate |y'|^2 / |y| of |y''|; in DASSL h
 * |y'| is half of the tolerance. */
static void bdf_begin(dae__bdf *s, double t, const double *y, const double *dy, double t_stop)
{
  dae__bdf_memory *m = s->m;
  bool behind_jump = m->t_previous < m->t;
  m->first_step = m->stats.steps;
  m->noise = 1;
  dae__bdf_set_state(s, y, dy);
  m->t = m->t_previous = t;
  m->order = 1;
  m->growing = true;
  m->held = false;
  m->stability =
      (dae__bdf_stability){.needed = DAE__BDF_FIRST_EVIDENCE, .trial = DAE__BDF_FIRST_TRIAL};
  if (!behind_jump)
    m->stall = dae__stall_begin(t, &m->stats);
  m->started = true;
  m->has_matrix = false;
  dae__newton_forget(&m->newton);
  m->cj_last = 0;
  double h = 1e-3 * (t_stop - t);
  /* after an event the largest share: events that accumulate need steps above the resolution of
   * time, and the error test rejects a step that is too large */
  double part = s->strict && m->stats.restarts > 0 ? s->share / DAE__BDF_LARGEST_SHARE : 1;
  double size = part * dae__bdf_error_norm(s, s->Y), rate = part * dae__bdf_error_norm(s, s->dY);
  double change = s->strict ? fmax(0.5, 0.1 * sqrt(size)) : 0.5;
  h = rate > change / h ? change / rate : h;
  m->h = s->opts.first_step > 0 ? fmin(s->opts.first_step, t_stop - t)
                                : fmax(h, 16 * dae__smallest_step(t, t_stop));
  dae__history_start(&s->history, t, m->h, s->Y, s->dY);
}

/* ---- fixed steps ---- */

/* computes start values at t + j h, j = 0 ... k, by variable steps at a tight tolerance, and starts
 * a history of order k */
static dae_status bdf_begin_fixed(dae__bdf *s, double t_stop, dae_error *err)
{
  dae__bdf_memory *m = s->m;
  size_t n = (size_t)s->corrector.n;
  double t = m->t, h = s->opts.step;
  int k = s->opts.order;
  while (k > 1 && t + k * h > t_stop + DAE__BDF_GRID_TOLERANCE * h)
    k--;
  h = fmin(h, t_stop - t);
  long steps = m->stats.steps;
  s->rtol = fmax(DAE__BDF_START_TOLERANCE * s->opts.rtol, s->corrector.floor);
  s->atol = fmax(DAE__BDF_START_TOLERANCE * s->opts.atol, s->corrector.floor);
  s->max_order = DAE__MAX_ORDER;
  /* corrections by the projection, of size 1e-12, are round-off noise at such tolerances */
  s->project = false;
  bdf_begin(s, t, s->state, s->rate, t + h);
  dae_status status = DAE_OK;
  int nx = s->crossing.nx;
  double crossed;
  s->crossing.nx = 0; /* start values belong to one history */
  dae__copy(s->corrector.n, s->Y, s->start_values);
  for (int j = 1; j <= k && !status; j++) {
    double goal = t + j * h;
    while (!status && s->history.memory->t < goal)
      status = bdf_variable_step(s, goal, &crossed, err);
    dae__copy(s->corrector.n, dae__history_phi(&s->history, 0), s->start_values + n * (size_t)j);
  }
  s->rtol = s->opts.rtol;
  s->atol = s->opts.atol;
  s->max_order = s->opts.order;
  s->project = s->opts.project;
  s->crossing.nx = nx;
  m->stats.steps = steps;
  m->started = status == DAE_OK;
  DAE__TRY(status);
  dae__history_start_from(&s->history, t + k * h, h, k, s->start_values);
  m->has_matrix = false;
  m->order = k;
  m->t_origin = t;
  m->ahead = k;
  m->done = 0;
  return DAE_OK;
}

static double bdf_grid_time(const dae__bdf *s, long i, double t_stop)
{
  double t = s->m->t_origin + (double)i * s->opts.step;
  return t_stop - t <= DAE__BDF_GRID_TOLERANCE * s->opts.step ? t_stop : t;
}

/* counts a step that ends at a grid point, not a step that ends at t_stop between two grid
 * points */
static void bdf_count_step(dae__bdf *s, double t)
{
  dae__bdf_memory *m = s->m;
  double grid = m->t_origin + (double)(m->done + 1) * s->opts.step;
  m->stats.steps++;
  if (t >= grid - fmax(DAE__BDF_GRID_TOLERANCE * s->opts.step,
                       TIME_ROUND_OFF * fmax(fabs(t), fabs(grid))))
    m->done++;
}

/* makes one fixed step, or proceeds to the next start value after t */
static dae_status bdf_fixed_step(dae__bdf *s, double t_stop, dae_error *err)
{
  dae__bdf_memory *m = s->m;
  const dae__history_memory *past = s->history.memory;
  dae__bdf_estimate est;
  if (!m->started)
    DAE__TRY(bdf_begin_fixed(s, t_stop, err));
  if (m->ahead > 0) {
    m->ahead--;
    bdf_count_step(s, past->t - (double)m->ahead * past->h_old);
    return DAE_OK;
  }
  double t = bdf_grid_time(s, m->done + 1, t_stop);
  double h = t - past->t;
  if (fabs(h - s->opts.step) < DAE__BDF_GRID_TOLERANCE * s->opts.step)
    h = s->opts.step;
  m->order = past->order_old < s->opts.order ? past->order_old + 1 : s->opts.order;
  dae__bdf_attempt attempt = {t, h, false, false};
  if (dae__bdf_attempt_step(s, &attempt, &est) != DAE__BDF_ACCEPTED)
    return bdf_give_up(s, past->t, h, "; the step is fixed, try a smaller one", err);
  bdf_count_step(s, t);
  return DAE_OK;
}

/* ---- functions of the integrator's table ---- */

static dae_status bdf_host_step(void *self, double t_stop, dae_error *err)
{
  dae__bdf *s = self;
  dae__bdf_memory *m = s->m;
  bool fixed = s->opts.step > 0;
  double t = m->t;
  /* t and t_stop equal up to round-off, as 0.3 and 3 * 0.1 */
  if (t_stop - t < TIME_ROUND_OFF * fmax(fabs(t), fabs(t_stop))) {
    m->t = t_stop;
    return DAE_END;
  }
  if (fixed) {
    DAE__TRY(bdf_fixed_step(s, t_stop, err));
  } else {
    double crossed = 0;
    if (m->leaving > 0 && t + m->leaving < t_stop)
      DAE__TRY(bdf_cross(s, m->leaving, &crossed, err));
    if (crossed == 0 && !m->started)
      bdf_begin(s, m->t, s->state, s->rate, t_stop);
    if (crossed == 0)
      DAE__TRY(bdf_variable_step(s, t_stop, &crossed, err));
    if (crossed > 0) {
      m->t_previous = t;
      m->t = fmin(t + crossed, t_stop);
      m->order_shown = 0;
      return m->t >= t_stop ? DAE_END : DAE_OK;
    }
  }
  m->t_previous = t;
  m->t = fixed && m->ahead > 0 ? bdf_grid_time(s, m->done, t_stop) : s->history.memory->t;
  m->order_shown = s->history.memory->order_old;
  return m->t >= t_stop ? DAE_END : DAE_OK;
}

static dae_view bdf_host_view(const void *self)
{
  const dae__bdf *s = self;
  return (dae_view){.t = s->m->t,
                    .t_previous = s->m->t_previous,
                    .h_next = s->opts.step > 0 ? s->opts.step : s->m->h,
                    .order = s->m->order_shown,
                    .size = s->corrector.size};
}

static void bdf_host_interpolate_raw(void *self, double t, double *y, double *dy)
{
  dae__bdf *s = self;
  const dae__bdf_memory *m = s->m;
  dae_step step = {.t = m->t_previous,
                   .h = m->t - m->t_previous,
                   .from = {s->before, s->before_rate},
                   .to = {s->state, s->rate}};
  if (!m->started && t < m->t) {
    dae__crossing_interpolate(&s->crossing, &step, (t - step.t) / step.h, y, dy);
    return;
  }
  if (m->started) {
    dae__history_interpolate(&s->history, s->corrector.size, t, y, dy);
    return;
  }
  dae__copy(s->corrector.size, s->state, y);
  if (dy)
    dae__copy(s->corrector.size, s->rate, dy);
}

static dae_status bdf_host_interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  dae__bdf *s = self;
  const dae__corrector *c = &s->corrector;
  if (!s->m->started && t < s->m->t) { /* step across a discontinuity */
    bdf_host_interpolate_raw(self, t, y, NULL);
    return c->table->consistent(c->self, t, NULL, y, dy ? dy : s->scratch_rate, err);
  }
  if (!s->m->started) {
    dae__copy(c->size, s->state, y);
    if (dy)
      dae__copy(c->size, s->rate, dy);
    return DAE_OK;
  }
  dae__history_interpolate(&s->history, s->history.n, t, s->scratch, s->delta);
  dae_error why = dae_error_none();
  dae_status status = c->table->output(c->self, t, s->scratch, s->delta, y, dy, &why);
  if (status == DAE_OK)
    return DAE_OK;
  bool point = status == DAE_ERROR_RECOVERABLE || status == DAE_ERROR_SINGULAR;
  status = point ? DAE_ERROR_STEP : status;
  dae__fail(err, status, why.equation[0] ? why.equation : NULL,
            "dense output at t = %.10g failed: %s", t, why.text);
  dae__fail_at(err, t, s->history.memory->h_old);
  return status;
}

static dae_status bdf_host_restart(void *self, double t, const double *y, dae_error *err)
{
  dae__bdf *s = self;
  const dae__corrector *c = &s->corrector;
  dae__copy(c->size, y, s->scratch_state);
  DAE__TRY(c->table->consistent(c->self, t, NULL, s->scratch_state, s->scratch_rate, err));
  dae__copy(c->size, s->scratch_state, s->state);
  dae__copy(c->size, s->scratch_rate, s->rate);
  s->m->t = s->m->t_previous = t;
  s->m->started = false;
  s->m->leaving = 0;
  s->m->ahead = 0;
  s->m->stats.restarts++;
  return DAE_OK;
}

/* shifts the whole history by the change of the state; divided differences do not change */
static dae_status bdf_host_adjust(void *self, const double *y, dae_error *err)
{
  dae__bdf *s = self;
  double *phi = dae__history_phi(&s->history, 0);
  if (!s->m->started || s->m->ahead > 0)
    return bdf_host_restart(self, s->m->t, y, err);
  DAE__TRY(bdf_host_interpolate(self, s->m->t, s->scratch_state, NULL, err));
  for (int i = 0; i < s->corrector.size; i++)
    phi[i] += y[i] - s->scratch_state[i];
  return DAE_OK;
}

static dae_stats bdf_host_stats(const void *self)
{
  const dae__bdf *s = self;
  dae_stats stats = s->m->stats;
  s->corrector.table->stats(s->corrector.self, &stats);
  return stats;
}

static dae_limits bdf_host_limits(const void *self, int i)
{
  const dae__bdf *s = self;
  dae_limits count = s->limits.m->count[i];
  if (s->opts.step > 0) /* fixed steps have no error test */
    count.steps = count.rejected = 0;
  return count;
}

static dae_status bdf_host_reload(void *self, dae_error *err)
{
  (void)err;
  dae__bdf_update_roles(self);
  return DAE_OK;
}

static void bdf_host_free(void *self)
{
  dae__bdf *s = self;
  s->corrector.table->free(s->corrector.self);
}

static const dae__integrator_table bdf_verbs = {
    .step = bdf_host_step,
    .view = bdf_host_view,
    .interpolate = bdf_host_interpolate,
    .interpolate_raw = bdf_host_interpolate_raw,
    .restart = bdf_host_restart,
    .adjust = bdf_host_adjust,
    .stats = bdf_host_stats,
    .limits = bdf_host_limits,
    .reload = bdf_host_reload,
    .free = bdf_host_free,
};

/* ---- creation ---- */

static void bdf_alloc_memory(dae__bdf *s, dae__arena *arena)
{
  int n = s->corrector.n, size = s->corrector.size;
  s->m = DAE__STATE(arena, dae__bdf_memory, 1);
  s->history = dae__history_create(arena, n);
  dae__limits_create(arena, size, &s->limits);
  s->state = DAE__STATE(arena, double, size);
  s->rate = DAE__STATE(arena, double, size);
  s->before = DAE__STATE(arena, double, size);
  s->before_rate = DAE__STATE(arena, double, size);
  DAE__VECTORS(arena, size, &s->scratch_state, &s->scratch_rate);
  s->crossing.work = DAE__ALLOC(arena, double, DAE__CROSSING_VECTORS *size);
  double **vectors[] = {&s->Y,          &s->dY,      &s->e,       &s->delta, &s->inverse_weight,
                        &s->atol_scale, &s->scratch, &s->filtered};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = DAE__ALLOC(arena, double, n);
  if (s->opts.step > 0)
    s->start_values = DAE__ALLOC(arena, double, (size_t)n *(size_t)(s->opts.order + 1));
  if (!dae__arena_failed(arena)) {
    /* Limits of the saved integers and truth values */
    dae__bdf_memory *m = s->m;
    dae__bdf_stability *w = &m->stability;
    dae__history_memory *past = s->history.memory;
    DAE__LIMIT_FINITE(arena, &m->t, 3); /* t, t_previous, h */
    DAE__LIMIT_FINITE(arena, &past->t, 2);
    DAE__LIMIT_FINITE(arena, s->history.phi, s->corrector.n * DAE__HISTORY);
    DAE__LIMIT_FINITE(arena, past->psi_before, 2 * DAE__HISTORY); /* and psi */
    DAE__LIMIT_FINITE(arena, s->state, s->corrector.size);
    DAE__LIMIT_FINITE(arena, &m->leaving, 1);
    DAE__LIMIT(arena, &m->order, 1, 0, DAE__MAX_ORDER);
    DAE__LIMIT_COUNTER(arena, &m->order_shown, 1);
    DAE__LIMIT_TRUTH(arena, &m->started, 2);
    DAE__LIMIT_TRUTH(arena, &m->growing, 2);
    DAE__LIMIT_COUNTER(arena, &m->stall.steps, 3);
    DAE__LIMIT_COUNTER(arena, &w->evidence, 2);
    DAE__LIMIT_TRUTH(arena, &w->limited, 1);
    DAE__LIMIT_COUNTER(arena, &w->since, 2);
    DAE__LIMIT_COUNTER(arena, &m->newton.m, 2);
    DAE__LIMIT_COUNTER(arena, &m->done, 1);
    DAE__LIMIT(arena, &m->ahead, 1, 0, s->opts.order);
    DAE__LIMIT_STATS(arena, &m->stats);
    DAE__LIMIT(arena, &past->order, 1, 0, DAE__MAX_ORDER);
    DAE__LIMIT(arena, &past->order_old, 2, 0, DAE__MAX_ORDER + 2);
  }
}

dae_status dae__bdf_host_create(dae__arena *arena, const dae__corrector *corrector,
                                const dae_bdf_options *opts, double t, const double *y,
                                const double *dy, dae_integrator **out, dae_error *err)
{
  const dae__corrector_table *table = corrector->table;
  DAE__ASSERT(table->start && table->setup && table->increment && table->output);
  DAE__ASSERT(table->consistent && table->stats && table->free);
  dae__bdf *s = DAE__ALLOC(arena, dae__bdf, 1);
  DAE__TRY(dae__arena_status(arena, err));
  s->corrector = *corrector;
  s->env = dae__arena_env(arena);
  for (int i = 0; i < corrector->n; i++)
    if (corrector->role[i] != DAE__TEST_NONE)
      s->tested = i + 1;
  s->opts = *opts;
  s->strict = opts->rules == DAE_BDF_RULES_ACCURATE;
  s->opts.filter = opts->filter || opts->damp;
  s->rtol = opts->rtol;
  s->atol = opts->atol;
  s->max_order = s->opts.order;
  s->project = opts->project;
  bdf_alloc_memory(s, arena);
  DAE__TRY(dae__arena_status(arena, err));
  dae__problem_atol_scale(&corrector->problem, opts->atol, corrector->n, s->atol_scale);
  /* other forms test no algebraic variables, and their forces jump within the error test */
  const dae_semi_explicit *semi = corrector->problem.semi_explicit;
  s->crossing = (dae__crossing){.nx = semi && !semi->M && opts->step == 0 ? semi->nx : 0,
                                .size = corrector->size,
                                .rtol = opts->rtol,
                                .atol = opts->atol,
                                .atol_scale = s->atol_scale,
                                .complete = bdf_complete_crossing,
                                .self = s,
                                .work = s->crossing.work};
  s->m->t = s->m->t_previous = t;
  s->m->noise = 1;
  s->last = dae_error_none();
  dae__copy(corrector->size, y, s->state);
  dae__copy(corrector->size, dy, s->rate);
  s->table = bdf_verbs;
  s->table.method = corrector->method;
  dae_status status = dae__integrator_create(arena, &s->table, s, out);
  return status ? dae__out_of_memory(err) : DAE_OK;
}
