/* The BDF host: variable step, variable order 1 to 5, fixed leading coefficient, by the rules of
 * DASSL [BCP96 chapter 5]. It knows nothing of the system solved; that is the corrector's.
 *
 *   predict Y, Y' -> Newton -> error test -> project -> take over, choose order and step
 *
 * Deviations, unless the option `rules` says dassl: multipliers stand in no test, or weighted by
 * the step size; the rate of Newton's iteration is estimated anew in every step, which costs a
 * second iteration and saves more; a step may use a share of the tolerance only; select.c has two
 * more. In any case, the accepted value is projected before it enters the history (option
 * `project`), and with a fixed step the k + 1 values that BDF k needs at the start come from a run
 * with variable steps at a tight tolerance. */
#include "multistep/host.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include <float.h>

/* largest order of a damped run: those beyond do not damp all oscillations */
#define DAMPED_ORDER 2
/* tolerance of the start values of fixed steps, relative to that of the run */
#define START_SHARE 1e-3

/* records a reason that has a variable's name in it */
static void bdf_diagnose(dae__bdf *s, const char *what, const char *where, int variable,
                         const char *hint)
{
  char name[64];
  dae_problem_variable(&s->corrector.problem, variable, name, sizeof name);
  dae__fail(&s->last, DAE_ERROR_STEP, name, "%s, %s %s%s", what, where, name, hint);
}

static dae_status bdf_give_up(dae__bdf *s, double t, double h, const char *hint, dae_error *err)
{
  if (s->why.what)
    bdf_diagnose(s, s->why.what, "worst in", s->why.worst, s->why.hint);
  dae_error why = s->last;
  bool own = why.status == DAE_ERROR_CALLBACK || why.status == DAE_ERROR_MEMORY;
  dae_status status = own ? why.status : DAE_ERROR_STEP;
  dae__fail(err, status, why.equation[0] ? why.equation : NULL,
            "the integration stops at t = %.10g with step size %.3g: %s%s", t, h, why.text, hint);
  dae__fail_at(err, t, h);
  return status;
}

/* names the variable that changes fastest, for a step size that shrank without a failure */
static void bdf_name_fastest(dae__bdf *s, const char *what)
{
  dae__history_predict(&s->history, s->Y, s->dY);
  s->why.what = NULL;
  bdf_diagnose(s, what, "fastest in", dae__bdf_worst(s, s->dY), "");
}

/* what two times that are meant to be the same may differ by */
static double host_round_off(double t, double t_stop)
{
  return 4 * DBL_EPSILON * fmax(fabs(t), fabs(t_stop));
}

/* the error of a first step of order 1, h^2 |y''|, is to be a hundredth of the tolerance, where
 * |y''| is guessed as |y'|^2 / |y|; DASSL asks for h |y'| to be half of it */
static double bdf_first_step(const dae__bdf *s, double t_stop)
{
  double h = 1e-3 * (t_stop - s->m->t);
  double size = dae__bdf_error_norm(s, s->Y), rate = dae__bdf_error_norm(s, s->dY);
  double change = dae__bdf_strict(s) ? fmax(0.5, 0.1 * sqrt(size)) : 0.5;
  if (s->opts.first_step > 0)
    return fmin(s->opts.first_step, t_stop - s->m->t);
  h = rate > change / h ? change / rate : h;
  return fmax(h, 16 * dae__smallest_step(s->m->t, t_stop));
}

/* one accepted step of variable size that ends at t_stop at the latest */
static dae_status bdf_variable_step(dae__bdf *s, double t_stop, dae_error *err)
{
  dae__bdf_memory *m = s->m;
  double t = s->history.memory->t;
  double smallest = dae__smallest_step(t, t_stop);
  dae__estimate est = {0};
  int errors = 0;
  for (int failures = 0;; failures++) {
    double h = s->opts.max_step > 0 ? fmin(m->h, s->opts.max_step) : m->h;
    bool last = t + h * (1 + 1e-10) >= t_stop;
    h = last ? t_stop - t : h;
    if (h < smallest && !last && failures == 0)
      bdf_name_fastest(
          s, "the step size has shrunk to round-off: the motion may have a singularity here");
    if ((h < smallest && !last) || failures >= s->opts.max_failures)
      return bdf_give_up(s, t, h, "", err);
    dae__trial trial = {last ? t_stop : t + h, h, true, errors > 0};
    dae__attempt result = dae__bdf_try(s, &trial, &est);
    if (result == DAE__ACCEPTED)
      break;
    if (result == DAE__FATAL)
      return bdf_give_up(s, t, h, "", err);
    errors += result == DAE__ERROR_TOO_LARGE;
    dae__bdf_reduce(s, result, est, errors);
  }
  m->stats.steps++;
  if (dae__is_stalled(&m->stall, &m->stats, s->history.memory->t, t_stop)) {
    bdf_name_fastest(s, DAE__STALL_TEXT);
    return bdf_give_up(s, s->history.memory->t, s->history.memory->h, "", err);
  }
  return DAE_OK;
}

/* ---- starting ---- */

/* history of order 1 from a consistent state */
static void bdf_begin(dae__bdf *s, double t, const double *y, const double *dy, double t_stop)
{
  dae__bdf_memory *m = s->m;
  s->corrector.table->start(s->corrector.self, y, dy, s->Y, s->dY);
  m->t = m->t_previous = t;
  m->order = 1;
  m->growing = true;
  m->held = false;
  dae__bdf_watch_begin(&m->watch);
  m->stall = dae__stall_begin(t, &m->stats);
  m->started = true;
  m->has_matrix = false;
  dae__newton_forget(&m->newton);
  m->cj_last = 0;
  dae__bdf_look_at_roles(s);
  dae__bdf_weigh(s, s->Y);
  m->h = bdf_first_step(s, t_stop);
  dae__history_start(&s->history, t, m->h, s->Y, s->dY);
}

/* fixed steps: values at t + j h, j = 0 ... k, by tight variable steps; history of order k */
static dae_status bdf_begin_fixed(dae__bdf *s, double t_stop, dae_error *err)
{
  dae__bdf_memory *m = s->m;
  size_t n = (size_t)s->corrector.n;
  double t = m->t, h = s->opts.step;
  int k = s->opts.order;
  while (k > 1 && t + k * h > t_stop + 1e-9 * h)
    k--;
  h = fmin(h, t_stop - t);
  long steps = m->stats.steps;
  s->rtol = fmax(START_SHARE * s->opts.rtol, s->corrector.floor);
  s->atol = fmax(START_SHARE * s->opts.atol, s->corrector.floor);
  s->max_order = DAE__MAX_ORDER;
  s->project = false; /* its corrections, from 1e-12 on, would be noise at such tolerances */
  bdf_begin(s, t, s->state, s->rate, t + h);
  dae_status status = DAE_OK;
  dae__copy(s->corrector.n, s->Y, s->start_values);
  for (int j = 1; j <= k && !status; j++) {
    double goal = t + j * h;
    while (!status && s->history.memory->t < goal)
      status = bdf_variable_step(s, goal, err);
    dae__copy(s->corrector.n, dae__history_phi(&s->history, 0), s->start_values + n * (size_t)j);
  }
  s->rtol = s->opts.rtol;
  s->atol = s->opts.atol;
  s->max_order = s->opts.order;
  s->project = s->opts.project;
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

/* ---- fixed steps ---- */

static double bdf_grid_time(const dae__bdf *s, long i, double t_stop)
{
  double t = s->m->t_origin + (double)i * s->opts.step;
  return t_stop - t <= 1e-9 * s->opts.step ? t_stop : t;
}

/* a step that ends at a stop between two grid points does not count */
static void bdf_count_step(dae__bdf *s, double t)
{
  dae__bdf_memory *m = s->m;
  double grid = m->t_origin + (double)(m->done + 1) * s->opts.step;
  m->stats.steps++;
  if (t >= grid - fmax(1e-9 * s->opts.step, host_round_off(t, grid)))
    m->done++;
}

static dae_status bdf_fixed_step(dae__bdf *s, double t_stop, dae_error *err)
{
  dae__bdf_memory *m = s->m;
  dae__estimate est;
  double t = bdf_grid_time(s, m->done + 1, t_stop);
  double h = t - s->history.memory->t;
  if (fabs(h - s->opts.step) < 1e-9 * s->opts.step)
    h = s->opts.step;
  m->order = s->history.memory->order_old < s->opts.order ? s->history.memory->order_old + 1
                                                          : s->opts.order;
  dae__trial trial = {t, h, false, false};
  dae__attempt result = dae__bdf_try(s, &trial, &est);
  if (result != DAE__ACCEPTED)
    return bdf_give_up(s, s->history.memory->t, h, "; the step is fixed, try a smaller one", err);
  bdf_count_step(s, t);
  return DAE_OK;
}

/* ---- the verbs ---- */

static dae_status bdf_step_fixed(dae__bdf *s, double t_stop, dae_error *err)
{
  dae__bdf_memory *m = s->m;
  dae_status status = DAE_OK;
  if (!m->started)
    status = bdf_begin_fixed(s, t_stop, err);
  if (!status && m->ahead == 0)
    return bdf_fixed_step(s, t_stop, err);
  if (!status) {
    m->ahead--;
    bdf_count_step(s, s->history.memory->t - (double)m->ahead * s->history.memory->h_old);
  }
  return status;
}

static dae_status bdf_host_step(void *self, double t_stop, dae_error *err)
{
  dae__bdf *s = self;
  dae__bdf_memory *m = s->m;
  dae_status status;
  bool fixed = s->opts.step > 0;
  double t = m->t;
  if (t_stop - t < host_round_off(t, t_stop)) { /* round-off, as between 0.3 and 3 * 0.1 */
    m->t = t_stop;
    return DAE_END;
  }
  if (fixed) {
    status = bdf_step_fixed(s, t_stop, err);
  } else {
    if (!m->started)
      bdf_begin(s, m->t, s->state, s->rate, t_stop);
    status = bdf_variable_step(s, t_stop, err);
  }
  DAE__TRY(status);
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

static dae_status bdf_host_interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  dae__bdf *s = self;
  const dae__corrector *c = &s->corrector;
  if (!s->m->started) {
    dae__copy(c->size, s->state, y);
    if (dy)
      dae__copy(c->size, s->rate, dy);
    return DAE_OK;
  }
  dae__history_interpolate(&s->history, t, s->scratch, s->delta);
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

static void bdf_host_interpolate_raw(void *self, double t, double *y)
{
  dae__bdf *s = self;
  if (s->m->started)
    dae__history_interpolate(&s->history, t, s->scratch, s->delta);
  dae__copy(s->corrector.size, s->m->started ? s->scratch : s->state, y);
}

static dae_status bdf_host_restart(void *self, double t, const double *y, dae_error *err)
{
  dae__bdf *s = self;
  dae__copy(s->corrector.size, y, s->scratch_state);
  dae_status status = s->corrector.table->consistent(s->corrector.self, t, NULL, s->scratch_state,
                                                     s->scratch_rate, err);
  if (!status && s->opts.damp)
    status = dae__bdf_slow_manifold_start(s, t, NULL, s->scratch_state, s->scratch_rate, err);
  DAE__TRY(status);
  dae__copy(s->corrector.size, s->scratch_state, s->state);
  dae__copy(s->corrector.size, s->scratch_rate, s->rate);
  s->m->t = s->m->t_previous = t;
  s->m->started = false;
  s->m->ahead = 0;
  s->m->stats.restarts++;
  return DAE_OK;
}

/* The whole history is shifted: differences of its values stay what they are. */
static dae_status bdf_host_adjust(void *self, const double *y, dae_error *err)
{
  dae__bdf *s = self;
  double *phi = dae__history_phi(&s->history, 0);
  if (!s->m->started || s->m->ahead > 0)
    return bdf_host_restart(self, s->m->t, y, err);
  dae_status status = bdf_host_interpolate(self, s->m->t, s->scratch_state, NULL, err);
  for (int i = 0; i < s->corrector.size && !status; i++)
    phi[i] += y[i] - s->scratch_state[i];
  return status;
}

static dae_stats bdf_host_stats(const void *self)
{
  const dae__bdf *s = self;
  dae_stats stats = s->m->stats;
  s->corrector.table->stats(s->corrector.self, &stats);
  return stats;
}

static dae_status bdf_host_reload(void *self, dae_error *err)
{
  dae__bdf *s = self;
  dae_status status = s->corrector.table->reload(s->corrector.self);
  return status ? dae__fail(err, status, NULL, "the factorisation could not be rebuilt") : DAE_OK;
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
    .reload = bdf_host_reload,
    .free = bdf_host_free,
};

static void bdf_alloc_memory(dae__bdf *s, dae__arena *arena)
{
  int n = s->corrector.n, size = s->corrector.size;
  s->m = DAE__STATE(arena, dae__bdf_memory, 1);
  s->history = dae__history_create(arena, n);
  s->state = DAE__STATE(arena, double, size);
  s->rate = DAE__STATE(arena, double, size);
  s->scratch_state = DAE__ALLOC(arena, double, size);
  s->scratch_rate = DAE__ALLOC(arena, double, size);
  double **vectors[] = {&s->Y, &s->dY, &s->e, &s->delta, &s->inverse, &s->scratch, &s->through};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = DAE__ALLOC(arena, double, n);
  if (s->opts.step > 0)
    s->start_values = DAE__ALLOC(arena, double, (size_t)n *(size_t)(s->opts.order + 1));
}

dae_status dae__bdf_host_create(dae__arena *arena, const dae__corrector *corrector,
                                const dae_bdf_options *opts, double t, const bool *fixed, double *y,
                                double *dy, dae_integrator **out, dae_error *err)
{
  dae__bdf *s = DAE__ALLOC(arena, dae__bdf, 1);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  s->corrector = *corrector;
  s->env = dae__arena_env(arena);
  for (int i = 0; i < corrector->n; i++)
    if (corrector->role[i] != DAE__TEST_NONE)
      s->tested = i + 1;
  s->opts = *opts;
  if (opts->damp && !corrector->table->filter)
    return dae__fail(err, DAE_ERROR_OPTION, "damp",
                     "%s has no damped mode: bdf-cs and bdf-cm have one", corrector->method);
  if (opts->damp) {
    s->opts.order = opts->order < DAMPED_ORDER ? opts->order : DAMPED_ORDER;
    s->opts.filter = true;
  }
  s->rtol = opts->rtol;
  s->atol = opts->atol;
  s->max_order = s->opts.order;
  s->project = opts->project;
  bdf_alloc_memory(s, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  s->m->t = s->m->t_previous = t;
  s->last = dae_error_none();
  dae_status status = opts->damp ? dae__bdf_slow_manifold_start(s, t, fixed, y, dy, err) : DAE_OK;
  if (status)
    return dae__start_status(status, err);
  dae__copy(corrector->size, y, s->state);
  dae__copy(corrector->size, dy, s->rate);
  s->table = bdf_verbs;
  s->table.method = corrector->method;
  status = dae__integrator_create(arena, &s->table, s, out);
  return status ? dae__out_of_memory(err) : DAE_OK;
}
