/* The BDF host: variable step, variable order 1 to 5, fixed leading coefficient, by the rules of
 * DASSL [BCP96 chapter 5]. It knows nothing of the system solved; that is the corrector's.
 *
 *   predict Y, Y' -> Newton -> error test -> project -> take over, choose order and step
 *
 * Deviations, unless the option `rules` says dassl: multipliers are weighted by the step size in the
 * Newton test; its rate is estimated anew in every step, which costs a second iteration and saves
 * more; a step may use a share of the tolerance only. In any case, the accepted value is projected
 * before it enters the history (option `project`), and with a fixed step the k + 1 values that BDF k
 * needs at the start come from a run with variable steps at a tight tolerance. */
#include "bdf/bdf.h"
#include "core/error.h"
#include "core/vec.h"
#include "step/history.h"
#include "step/integrator.h"
#include "step/newton.h"
#include "step/norm.h"
#include <float.h>

/* share of the tolerance that the Newton iteration may leave, as in DASSL */
#define NEWTON_GOAL 0.33
/* share of the tolerance that one step may use: errors add up over steps (car axis, rtol 1e-9: 5.99
 * correct digits with all of it, see docs/methods/bdf.md) */
#define SHARE 0.3
/* error estimates below this share of the tolerance are made of what Newton leaves and tell nothing
 * of the order */
#define NOISE 0.01
/* cj may change by this factor before a new matrix is formed, as in DASSL */
#define CJ_CHANGE 0.6
/* tolerance of the start values of fixed steps */
#define START_TOLERANCE 1e-13

/* Everything the next step depends on, besides the history. */
typedef struct memory {
  double t, t_previous; /* of the last step shown outside */
  double h;             /* step to try */
  int order;            /* order to try */
  int order_shown;
  int steady;           /* steps accepted at this order since it changed */
  bool started;
  bool held;            /* the step must not grow yet */
  bool growing;         /* initial phase: order and step grow at every step */
  bool has_matrix;
  double cj_matrix;     /* cj of the iteration matrix */
  double cj_last;
  dae__newton newton;
  /* fixed steps */
  double t_origin;
  long done;            /* steps from t_origin */
  long ahead;           /* start values not yet shown */
  dae_stats stats;
} memory;

typedef struct host {
  dae__corrector corrector;
  dae_bdf_options opts;
  double rtol, atol;    /* in force */
  int max_order;        /* in force */
  memory *m;            /* kept */
  dae__history history;
  dae__integrator_table table;
  double *state, *rate; /* kept: where the motion started, and its derivative */
  double *Y, *dY, *e, *delta, *weight, *scratch, *scratch_state, *scratch_rate;
  double *start_values; /* fixed steps: order + 1 vectors */
  dae_error last;       /* why the last attempt failed */
} host;

/* What became of one attempt at a step. */
typedef enum attempt { ACCEPTED, ERROR_TOO_LARGE, NOT_CONVERGED, REFUSED, FATAL } attempt;

typedef struct trial {
  bool test_error; /* else the step is fixed */
  bool rejected;   /* a larger one was rejected by the error test */
} trial;

/* Norms of the error estimates of the current order and its neighbours. */
typedef struct estimate {
  double error;             /* to be at most 1 */
  double here, lower, raise; /* local error estimates at orders k, k - 1, k + 1 */
  int order;                /* k or k - 1, what the estimates speak for */
  double chosen;            /* estimate at that order */
} estimate;

/* ---- norms ---- */

static void set_weights(host *s, const double *Y)
{
  double share = s->opts.rules == DAE_BDF_RULES_DASSL ? 1 : SHARE;
  dae__weights(s->corrector.n, share * s->rtol, share * s->atol, Y, s->weight);
}

static double norm_of(const host *s, const double *x, dae__test_role last, double multiplier)
{
  double sum = 0;
  int count = 0;
  for (int i = 0; i < s->corrector.n; i++) {
    unsigned char role = s->corrector.role[i];
    if (role > last)
      continue;
    double ratio = x[i] / s->weight[i] * (role == DAE__TEST_MULTIPLIER ? multiplier : 1);
    sum += ratio * ratio;
    count++;
  }
  return count ? sqrt(sum / count) : 0;
}

static double error_norm(const host *s, const double *x) { return norm_of(s, x, DAE__TEST_FULL, 1); }

static double newton_norm(const host *s, const double *x, double cj)
{
  bool plain = s->opts.rules == DAE_BDF_RULES_DASSL;
  return norm_of(s, x, DAE__TEST_MULTIPLIER, plain ? 1 : fmin(1, 1 / cj));
}

/* ---- one attempt ---- */

static attempt failed(dae_status status)
{
  if (status == DAE_ERROR_RECOVERABLE)
    return REFUSED;
  return status == DAE_ERROR_SINGULAR ? NOT_CONVERGED : FATAL;
}

/* Newton from the predictor with the matrix at hand */
static attempt iterate(host *s, double t, double cj)
{
  const dae__corrector *c = &s->corrector;
  memory *m = s->m;
  double factor = 2 / (1 + cj / m->cj_matrix);
  dae__history_predict(&s->history, s->Y, s->dY);
  dae__zero(c->n, s->e);
  double round_off = 100 * DBL_EPSILON * newton_norm(s, s->Y, cj);
  dae__newton_begin(&m->newton, s->opts.rules == DAE_BDF_RULES_DASSL);
  for (;;) {
    dae_status status =
        c->table->increment(c->self, t, s->Y, s->dY, cj, factor, s->delta, &s->last);
    if (status)
      return failed(status);
    m->stats.iterations++;
    dae__axpy(c->n, 1, s->delta, s->Y);
    dae__axpy(c->n, cj, s->delta, s->dY);
    dae__axpy(c->n, 1, s->delta, s->e);
    switch (dae__newton_judge(&m->newton, newton_norm(s, s->delta, cj), round_off, NEWTON_GOAL)) {
    case DAE__NEWTON_DONE:
      return ACCEPTED;
    case DAE__NEWTON_FAILED:
      dae__fail(&s->last, DAE_ERROR_STEP, NULL, "the Newton iteration does not converge");
      return NOT_CONVERGED;
    case DAE__NEWTON_GO_ON:
      break;
    }
  }
}

static attempt new_matrix(host *s, double t, double cj)
{
  const dae__corrector *c = &s->corrector;
  dae__history_predict(&s->history, s->Y, s->dY);
  dae_status status = c->table->setup(c->self, t, s->Y, s->dY, cj, &s->last);
  s->m->has_matrix = status == DAE_OK;
  s->m->cj_matrix = cj;
  s->m->newton.speed = DAE__SPEED_UNKNOWN;
  return status ? failed(status) : ACCEPTED;
}

/* solves for Y at t; an old matrix gets a second chance as a new one */
static attempt correct(host *s, double t, double cj)
{
  memory *m = s->m;
  double change = cj / m->cj_matrix;
  bool fresh = !m->has_matrix || change < CJ_CHANGE || change > 1 / CJ_CHANGE;
  attempt result = fresh ? new_matrix(s, t, cj) : ACCEPTED;
  if (cj != m->cj_last)
    m->newton.speed = DAE__SPEED_UNKNOWN;
  m->cj_last = cj;
  if (result == ACCEPTED)
    result = iterate(s, t, cj);
  if (result == NOT_CONVERGED && !fresh) {
    result = new_matrix(s, t, cj);
    if (result == ACCEPTED)
      result = iterate(s, t, cj);
  }
  if (result != ACCEPTED)
    m->has_matrix = false;
  return result;
}

/* estimates at orders k, k - 1, k - 2 and whether to lower the order [BCP96 (5.2.12)] */
static estimate estimate_error(host *s, dae__formula formula)
{
  const dae__history_memory *m = s->history.memory;
  int n = s->corrector.n, k = m->order;
  double norm = error_norm(s, s->e);
  estimate est = {.error = formula.error * norm, .here = m->sigma[k] * norm, .order = k};
  est.chosen = est.here;
  if (k == 1)
    return est;
  for (int i = 0; i < n; i++)
    s->scratch[i] = s->e[i] + dae__history_phi(&s->history, k)[i];
  est.lower = m->sigma[k - 1] * error_norm(s, s->scratch);
  bool lower;
  if (k == 2) {
    lower = k * est.lower <= 0.5 * (k + 1) * est.here;
  } else {
    dae__axpy(n, 1, dae__history_phi(&s->history, k - 1), s->scratch);
    double lower2 = m->sigma[k - 2] * error_norm(s, s->scratch);
    lower = fmax(k * est.lower, (k - 1) * lower2) <= (k + 1) * est.here;
  }
  if (lower) {
    est.order = k - 1;
    est.chosen = est.lower;
  }
  return est;
}

/* ---- after an attempt ---- */

/* the order for the next step, from the estimates around k; may raise */
static void choose_order(host *s, estimate *est, int order_before)
{
  const dae__history_memory *m = s->history.memory;
  int n = s->corrector.n, k = m->order;
  if (est->order < k || k == s->max_order || k + 1 >= m->same || k - order_before == 1)
    return;
  for (int i = 0; i < n; i++)
    s->scratch[i] = s->e[i] - dae__history_phi(&s->history, k + 1)[i];
  est->raise = error_norm(s, s->scratch) / (k + 2);
  double here = (k + 1) * est->here, raise = (k + 2) * est->raise;
  if (k == 1) {
    if (raise < 0.5 * here)
      est->order = 2, est->chosen = est->raise;
  } else if (k * est->lower <= fmin(here, raise)) {
    est->order = k - 1, est->chosen = est->lower;
  } else if (raise < here) {
    est->order = k + 1, est->chosen = est->raise;
  }
}

/* step for order k + 1 from a local error estimate: doubled, kept, or reduced */
static double next_step(double h, int order, double local_error)
{
  double r = pow(2 * local_error + 1e-4, -1.0 / (order + 1));
  if (r >= 2)
    return 2 * h;
  return r <= 1 ? h * fmax(0.5, fmin(0.9, r)) : h;
}

static void choose_next(host *s, estimate est, int order_before, bool rejected)
{
  memory *m = s->m;
  double h = s->history.memory->h;
  int k = s->history.memory->order;
  bool strict = s->opts.rules == DAE_BDF_RULES_STRICT;
  if ((est.order < k && (est.error > NOISE || !strict)) || k == s->max_order)
    m->growing = false;
  if (m->growing) {
    m->order = k + 1;
    m->h = 2 * h;
    return;
  }
  /* the differences carry the old order's error for some steps after a change: the estimates are
   * then no reason to go back, and a raised order no reason to enlarge the step too; nor is a lower
   * order of use where this one can keep the step */
  m->steady = k == order_before ? m->steady + 1 : 0;
  if (strict && est.order < k && (m->steady < k || next_step(h, k, est.here) >= h)) {
    est.order = k;
    est.chosen = est.here;
    est.lower = INFINITY;
  }
  choose_order(s, &est, order_before);
  m->order = est.order;
  m->h = next_step(h, est.order, est.chosen);
  /* growing again right after a rejection fails again, and the order, which is judged after k + 2
   * equal steps, is never raised: the stall of DASSL codes on the transistor amplifier */
  m->held = rejected || (m->held && s->history.memory->same <= k + 1);
  if (strict && (est.order > k || m->held))
    m->h = fmin(m->h, h);
}

/* e += what the projection changes */
static attempt project(host *s, double t)
{
  const dae__corrector *c = &s->corrector;
  if (!c->table->project || !s->opts.project)
    return ACCEPTED;
  dae__copy(c->n, s->Y, s->scratch);
  dae_status status = c->table->project(c->self, t, s->Y, &s->last);
  for (int i = 0; i < c->n; i++)
    s->e[i] += s->Y[i] - s->scratch[i];
  return status ? failed(status) : ACCEPTED;
}

/* predict, correct, test, project; on success the history has moved on */
static attempt try_step(host *s, double t_new, double h, const trial *how, estimate *est)
{
  dae__history_memory *history = s->history.memory;
  int order_before = history->order_old;
  set_weights(s, dae__history_phi(&s->history, 0));
  dae__formula formula = dae__history_prepare(&s->history, h, s->m->order);
  attempt result = correct(s, t_new, formula.cj);
  if (result == ACCEPTED) {
    *est = estimate_error(s, formula);
    if (how->test_error && !(est->error <= 1))
      result = ERROR_TOO_LARGE;
  }
  if (result == ACCEPTED)
    result = project(s, t_new);
  if (result != ACCEPTED) {
    dae__history_undo(&s->history);
    return result;
  }
  if (how->test_error)
    choose_next(s, *est, order_before, how->rejected);
  dae__history_accept(&s->history, t_new, s->e);
  return ACCEPTED;
}

/* the unknown with the largest error, by name */
static void name_worst(host *s)
{
  int worst = 0;
  double max = 0;
  for (int i = 0; i < s->corrector.size; i++)
    if (s->corrector.role[i] == DAE__TEST_FULL && fabs(s->e[i] / s->weight[i]) > max)
      max = fabs(s->e[i] / s->weight[i]), worst = i;
  char name[64];
  dae_problem_variable(&s->corrector.problem, worst, name, sizeof name);
  dae__fail(&s->last, DAE_ERROR_STEP, name,
            "the error test fails at every step size, worst in %s: the motion may be discontinuous "
            "there, or the tolerances are below what can be reached", name);
}

/* new step size and order after a failed attempt; count includes it */
static void reduce(host *s, attempt why, estimate est, int count)
{
  memory *m = s->m;
  double r = 0.25;
  if (why == ERROR_TOO_LARGE) {
    m->stats.rejected_by_error++;
    m->growing = false;
    if (count > 2) { /* the past does not fit: as at a start */
      m->order = 1;
      m->growing = s->opts.rules == DAE_BDF_RULES_STRICT;
    } else if (s->opts.rules == DAE_BDF_RULES_DASSL || m->order <= s->history.memory->order_old) {
      m->order = est.order;
    } else { /* just raised: the error is still that of the lower order */
      est.chosen = est.here;
    }
    if (count == 1)
      r = fmax(0.25, fmin(0.9, 0.9 * pow(2 * est.chosen + 1e-4, -1.0 / (m->order + 1))));
  } else {
    m->growing = false;
    m->stats.rejected_by_convergence += why == NOT_CONVERGED;
    m->stats.rejected_by_callback += why == REFUSED;
  }
  m->h = r * s->history.memory->h;
}

static dae_status give_up(host *s, double t, double h, const char *hint, dae_error *err)
{
  dae_error why = s->last;
  dae_status status = why.status == DAE_ERROR_CALLBACK ? DAE_ERROR_CALLBACK : DAE_ERROR_STEP;
  dae__fail(err, status, why.equation[0] ? why.equation : NULL,
            "the integration stops at t = %.10g with step size %.3g: %s%s", t, h, why.text, hint);
  dae__fail_at(err, t, h);
  return status;
}

static double smallest_step(double t, double t_stop)
{
  return 4 * DBL_EPSILON * fmax(fabs(t), fabs(t_stop));
}

static double first_step(const host *s, double t_stop)
{
  double h = 1e-3 * (t_stop - s->m->t);
  double rate = error_norm(s, s->dY);
  if (s->opts.first_step > 0)
    return fmin(s->opts.first_step, t_stop - s->m->t);
  h = rate > 0.5 / h ? 0.5 / rate : h;
  return fmax(h, 16 * smallest_step(s->m->t, t_stop));
}

/* one accepted step of variable size that ends at t_stop at the latest */
static dae_status variable_step(host *s, double t_stop, dae_error *err)
{
  memory *m = s->m;
  double t = s->history.memory->t;
  double smallest = smallest_step(t, t_stop);
  estimate est = {0};
  int errors = 0;
  for (int failures = 0;; failures++) {
    double h = s->opts.max_step > 0 ? fmin(m->h, s->opts.max_step) : m->h;
    bool last = t + h * (1 + 1e-10) >= t_stop;
    h = last ? t_stop - t : h;
    if ((h < smallest && !last) || failures >= s->opts.max_failures)
      return give_up(s, t, h, "", err);
    attempt result = try_step(s, last ? t_stop : t + h, h, &(trial){true, errors > 0}, &est);
    if (result == ACCEPTED)
      break;
    if (result == FATAL)
      return give_up(s, t, h, "", err);
    if (result == ERROR_TOO_LARGE)
      name_worst(s);
    errors += result == ERROR_TOO_LARGE;
    reduce(s, result, est, errors);
  }
  m->stats.steps++;
  return DAE_OK;
}

/* ---- starting ---- */

/* history of order 1 from a consistent state */
static void begin(host *s, double t, const double *y, const double *dy, double t_stop)
{
  memory *m = s->m;
  s->corrector.table->start(s->corrector.self, y, dy, s->Y, s->dY);
  m->t = m->t_previous = t;
  m->order = 1;
  m->growing = true;
  m->started = true;
  m->has_matrix = false;
  m->newton.speed = DAE__SPEED_UNKNOWN;
  m->cj_last = 0;
  set_weights(s, s->Y);
  m->h = first_step(s, t_stop);
  dae__history_start(&s->history, t, m->h, s->Y, s->dY);
}

/* fixed steps: values at t + j h, j = 0 ... k, by tight variable steps; history of order k */
static dae_status begin_fixed(host *s, double t_stop, dae_error *err)
{
  memory *m = s->m;
  size_t n = (size_t)s->corrector.n;
  double t = m->t, h = s->opts.step;
  int k = s->opts.order;
  while (k > 1 && t + k * h > t_stop + 1e-9 * h)
    k--;
  h = fmin(h, t_stop - t);
  long steps = m->stats.steps;
  s->rtol = s->atol = START_TOLERANCE;
  s->max_order = DAE__MAX_ORDER;
  begin(s, t, s->state, s->rate, t + h);
  dae_status status = DAE_OK;
  dae__copy(s->corrector.n, s->Y, s->start_values);
  for (int j = 1; j <= k && !status; j++) {
    double goal = t + j * h;
    while (!status && s->history.memory->t < goal)
      status = variable_step(s, goal, err);
    dae__copy(s->corrector.n, dae__history_phi(&s->history, 0), s->start_values + n * (size_t)j);
  }
  s->rtol = s->opts.rtol;
  s->atol = s->opts.atol;
  s->max_order = s->opts.order;
  m->stats.steps = steps;
  m->started = status == DAE_OK;
  if (status)
    return status;
  dae__history_start_from(&s->history, t + k * h, h, k, s->start_values);
  m->has_matrix = false;
  m->order = k;
  m->t_origin = t;
  m->ahead = k;
  m->done = 0;
  return DAE_OK;
}

/* ---- fixed steps ---- */

static double grid_time(const host *s, long i, double t_stop)
{
  double t = s->m->t_origin + (double)i * s->opts.step;
  return t_stop - t <= 1e-9 * s->opts.step ? t_stop : t;
}

static dae_status fixed_step(host *s, double t_stop, dae_error *err)
{
  memory *m = s->m;
  estimate est;
  double t = grid_time(s, m->done + 1, t_stop);
  double h = t - s->history.memory->t;
  if (fabs(h - s->opts.step) < 1e-9 * s->opts.step)
    h = s->opts.step;
  m->order = s->history.memory->order_old < s->opts.order ? s->history.memory->order_old + 1
                                                          : s->opts.order;
  attempt result = try_step(s, t, h, &(trial){false, false}, &est);
  if (result != ACCEPTED)
    return give_up(s, s->history.memory->t, h, "; the step is fixed, try a smaller one", err);
  m->done++;
  m->stats.steps++;
  return DAE_OK;
}

/* ---- the verbs ---- */

static dae_status step_fixed(host *s, double t_stop, dae_error *err)
{
  memory *m = s->m;
  dae_status status = DAE_OK;
  if (!m->started)
    status = begin_fixed(s, t_stop, err);
  if (!status && m->ahead == 0)
    return fixed_step(s, t_stop, err);
  if (!status) {
    m->ahead--;
    m->done++;
    m->stats.steps++;
  }
  return status;
}

static dae_status host_step(void *self, double t_stop, dae_error *err)
{
  host *s = self;
  memory *m = s->m;
  dae_status status;
  bool fixed = s->opts.step > 0;
  double t = m->t;
  if (fixed) {
    status = step_fixed(s, t_stop, err);
  } else {
    if (!m->started)
      begin(s, m->t, s->state, s->rate, t_stop);
    status = variable_step(s, t_stop, err);
  }
  if (status)
    return status;
  m->t_previous = t;
  m->t = fixed && m->ahead > 0 ? grid_time(s, m->done, t_stop) : s->history.memory->t;
  m->order_shown = s->history.memory->order_old;
  return m->t >= t_stop ? DAE_END : DAE_OK;
}

static dae_view host_view(const void *self)
{
  const host *s = self;
  return (dae_view){.t = s->m->t,
                    .t_previous = s->m->t_previous,
                    .h_next = s->opts.step > 0 ? s->opts.step : s->m->h,
                    .order = s->m->order_shown,
                    .size = s->corrector.size};
}

static dae_status host_interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  host *s = self;
  const dae__corrector *c = &s->corrector;
  if (!s->m->started) {
    dae__copy(c->size, s->state, y);
    if (dy)
      dae__copy(c->size, s->rate, dy);
    return DAE_OK;
  }
  dae__history_interpolate(&s->history, t, s->scratch, s->delta);
  dae_status status = DAE_OK;
  if (c->table->project && s->opts.project)
    status = c->table->project(c->self, t, s->scratch, err);
  return status ? status : c->table->output(c->self, t, s->scratch, s->delta, y, dy, err);
}

static dae_status host_restart(void *self, double t, const double *y, dae_error *err)
{
  host *s = self;
  dae__copy(s->corrector.size, y, s->scratch_state);
  dae_status status = s->corrector.table->consistent(s->corrector.self, t, NULL, s->scratch_state,
                                                     s->scratch_rate, err);
  if (status)
    return status;
  dae__copy(s->corrector.size, s->scratch_state, s->state);
  dae__copy(s->corrector.size, s->scratch_rate, s->rate);
  s->m->t = s->m->t_previous = t;
  s->m->started = false;
  s->m->ahead = 0;
  s->m->stats.restarts++;
  return DAE_OK;
}

static dae_stats host_stats(const void *self)
{
  const host *s = self;
  dae_stats stats = s->m->stats;
  s->corrector.table->stats(s->corrector.self, &stats);
  return stats;
}

static dae_status host_reload(void *self, dae_error *err)
{
  host *s = self;
  dae_status status = s->corrector.table->reload(s->corrector.self);
  return status ? dae__fail(err, status, NULL, "the factorisation could not be rebuilt") : DAE_OK;
}

static void host_free(void *self)
{
  host *s = self;
  s->corrector.table->free(s->corrector.self);
}

static const dae__integrator_table verbs = {
    .step = host_step,
    .view = host_view,
    .interpolate = host_interpolate,
    .restart = host_restart,
    .stats = host_stats,
    .reload = host_reload,
    .free = host_free,
};

static void take_memory(host *s, dae__arena *arena)
{
  int n = s->corrector.n, size = s->corrector.size;
  s->m = DAE__KEEP(arena, memory, 1);
  s->history = dae__history_create(arena, n);
  s->state = DAE__KEEP(arena, double, size);
  s->rate = DAE__KEEP(arena, double, size);
  s->scratch_state = DAE__TAKE(arena, double, size);
  s->scratch_rate = DAE__TAKE(arena, double, size);
  double **vectors[] = {&s->Y, &s->dY, &s->e, &s->delta, &s->weight, &s->scratch};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = DAE__TAKE(arena, double, n);
  if (s->opts.step > 0)
    s->start_values = DAE__TAKE(arena, double, (size_t)n * (size_t)(s->opts.order + 1));
}

dae_status dae__bdf_host_create(dae__arena *arena, const dae__corrector *corrector,
                                const dae_bdf_options *opts, double t, const double *y,
                                const double *dy, dae_integrator **out, dae_error *err)
{
  host *s = DAE__TAKE(arena, host, 1);
  if (dae__arena_failed(arena))
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "out of memory");
  s->corrector = *corrector;
  s->opts = *opts;
  s->rtol = opts->rtol;
  s->atol = opts->atol;
  s->max_order = opts->order;
  take_memory(s, arena);
  if (dae__arena_failed(arena))
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "out of memory");
  s->m->t = s->m->t_previous = t;
  s->last = dae_error_none();
  dae__copy(corrector->size, y, s->state);
  dae__copy(corrector->size, dy, s->rate);
  s->table = verbs;
  s->table.method = corrector->method;
  dae_status status = dae__integrator_create(arena, &s->table, s, out);
  return status ? dae__fail(err, status, NULL, "out of memory") : DAE_OK;
}
