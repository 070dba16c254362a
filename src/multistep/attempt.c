/* One attempt at a BDF step: prediction, Newton iteration, error test, projection. */
#include "core/assert.h"
#include "core/error.h"
#include "core/log.h"
#include "core/mutant.h"
#include "core/vec.h"
#include "linalg/pair.h"
#include "multistep/host.h"
#include "step/norm.h"
#include <float.h>

/* ---- norms ---- */

/* share of the tolerance for the error of the next step */
static double bdf_share(const dae__bdf *s)
{
  if (!s->strict || s->m->stability.limited)
    return s->strict ? DAE__BDF_LARGEST_SHARE : 1;
  bool second = s->corrector.problem.mechanical != NULL; /* errors of the phase are second sums */
  double first = second ? DAE__BDF_MECHANICAL_SHARE : DAE__BDF_SHARE;
  double count = second ? DAE__BDF_MECHANICAL_SHARE_STEPS : DAE__BDF_SHARE_STEPS;
  double root = pow(s->rtol, 1.0 / DAE__MAX_ORDER);
  double steps = (double)(s->m->stats.steps - s->m->first_step);
  double share = first * root / (1 + steps * root / count), smallest = s->corrector.floor / s->rtol;
  return fmin(DAE__BDF_LARGEST_SHARE, s->m->noise * fmax(share, smallest));
}

/* weights of the unknowns from first to last - 1, at least the round-off of the largest of them */
static void bdf_set_coupled_weights(dae__bdf *s, const double *Y, int first, int last)
{
  double largest = 0;
  for (int i = first; i < last; i++)
    largest = fmax(largest, fabs(Y[i]));
  double most = 1 / (DAE__BDF_ROUND_OFF * s->corrector.floor * largest);
  for (int i = first; i < last; i++)
    s->inverse_weight[i] = fmin(s->inverse_weight[i], most);
}

static void bdf_set_weights(dae__bdf *s, const double *Y)
{
  const dae__corrector *c = &s->corrector;
  s->share = bdf_share(s);
  double rtol = s->share * s->rtol, atol = s->share * s->atol;
  dae__inverse_weights(s->tested, rtol, atol, s->atol_scale, Y, s->inverse_weight);
  if (s->strict) {
    bdf_set_coupled_weights(s, Y, 0, c->positions);
    bdf_set_coupled_weights(s, Y, c->positions, c->velocities);
  }
}

static bool bdf_projects(const dae__corrector *c)
{
  return c->table->project && (!c->projects || *c->projects);
}

void dae__bdf_update_roles(dae__bdf *s)
{
  s->all_tested = true;
  s->tested_share = s->tested > 0 ? 1.0 / s->tested : 0;
  for (int i = 0; i < s->tested; i++)
    s->all_tested = s->all_tested && s->corrector.role[i] == DAE__TEST_FULL;
}

void dae__bdf_set_state(dae__bdf *s, const double *y, const double *dy)
{
  s->corrector.table->start(s->corrector.self, y, dy, s->Y, s->dY);
  dae__bdf_update_roles(s);
  bdf_set_weights(s, s->Y);
}

/* weighted norm over the unknowns with roles up to `last`; multiplier: factor of unknowns with the
 * role DAE__TEST_MULTIPLIER */
static double bdf_norm_of(const dae__bdf *s, const double *x, dae__test_role last,
                          double multiplier)
{
  const double *inverse = s->inverse_weight;
  double sum = 0;
  int n = s->tested, count = 0, i = 0;
  if (s->all_tested) { /* two independent sums, for speed */
    dae__pair even = {0, 0}, odd = {0, 0};
    for (; i + 4 <= n; i += 4) {
      dae__pair a = dae__pair_from_anywhere(x + i) * dae__pair_from_anywhere(inverse + i);
      dae__pair b = dae__pair_from_anywhere(x + i + 2) * dae__pair_from_anywhere(inverse + i + 2);
      even += a * a;
      odd += b * b;
    }
    for (; i < n; i++)
      even[0] += x[i] * inverse[i] * (x[i] * inverse[i]);
    return sqrt(dae__pair_sum(even + odd) * s->tested_share);
  }
  for (; i < n; i++) {
    unsigned char role = s->corrector.role[i];
    if (role > last)
      continue;
    double ratio = x[i] * inverse[i] * (role == DAE__TEST_MULTIPLIER ? multiplier : 1);
    sum += ratio * ratio;
    count++;
  }
  return count ? sqrt(sum / count) : 0;
}

double dae__bdf_error_norm(const dae__bdf *s, const double *x)
{
  return bdf_norm_of(s, x, DAE__TEST_FULL, 1);
}

int dae__bdf_worst(const dae__bdf *s, const double *x, dae__test_role last, double multiplier)
{
  const unsigned char *role = s->corrector.role;
  int worst = -1, n = s->tested < s->corrector.size ? s->tested : s->corrector.size;
  double most = 0;
  for (int i = 0; i < n; i++) {
    double ratio = fabs(x[i] * s->inverse_weight[i]);
    if (!(ratio <= most) && role[i] <= last) {
      ratio *= role[i] == DAE__TEST_MULTIPLIER ? multiplier : 1;
      if (!(ratio <= most))
        most = ratio, worst = i;
    }
  }
  return worst;
}

/* ---- one attempt ---- */

static dae__bdf_outcome bdf_failed(dae_status status)
{
  if (status == DAE_ERROR_RECOVERABLE)
    return DAE__BDF_REFUSED;
  return status == DAE_ERROR_SINGULAR ? DAE__BDF_NOT_CONVERGED : DAE__BDF_FATAL;
}

/* predictions Y and Y', and the corrections e of the extrapolated values so far */
static dae_status bdf_predict(dae__bdf *s, double t)
{
  const dae__corrector *c = &s->corrector;
  dae__history_predict(&s->history, s->Y, s->dY);
  dae__zero(s->tested, s->e);
  /* Unknowns that are in no test, the multipliers. Their iteration error is not limited, and the
   * extrapolation by order k multiplies it by up to 2^(k+1) - 1, more than a Newton iteration with
   * an old matrix reduces it. Where the last correction was larger than the last change, the last
   * value is the better prediction, and the iteration error decays. */
  const dae__history *past = &s->history;
  const double *last = dae__history_phi(past, 0), *change = dae__history_phi(past, 1);
  const double *correction = dae__history_phi(past, past->memory->order_old + 1);
  for (int i = s->tested; i < s->corrector.n; i++) {
    bool constant = DAE__MUTATE(bdf_predictor, fabs(correction[i]) > fabs(change[i]),
                                fabs(correction[i]) <= fabs(change[i]));
    s->e[i] = constant ? last[i] - s->Y[i] : 0;
    s->Y[i] = constant ? last[i] : s->Y[i];
  }
  return c->table->predict ? c->table->predict(c->self, t, s->Y, s->dY, &s->last) : DAE_OK;
}

/* adds the Newton increment: Y += delta, Y' += cj delta, e += delta */
static void bdf_add_increment(dae__bdf *s, double cj)
{
  const double *restrict delta = s->delta;
  double *restrict Y = s->Y, *restrict dY = s->dY, *restrict e = s->e;
  int n = s->corrector.n, i = 0;
  for (; i + 2 <= n; i += 2) {
    dae__pair d = dae__pair_from_anywhere(delta + i);
    dae__pair_to(Y + i, dae__pair_from_anywhere(Y + i) + d);
    dae__pair_to(dY + i, dae__pair_from_anywhere(dY + i) + cj * d);
    dae__pair_to(e + i, dae__pair_from_anywhere(e + i) + d);
  }
  if (i < n) {
    Y[i] += delta[i];
    dY[i] += cj * delta[i];
    e[i] += delta[i];
  }
}

/* Counts the rate that the test of an increment measured; before: number of increments before it.
 */
static void bdf_count_rate(dae__bdf_memory *m, int before, dae__newton_verdict verdict)
{
  bool divergent = verdict == DAE__NEWTON_FAILED && m->newton.m == before;
  double rate = divergent ? 1 : m->newton.rate;
  if (before == 0 || !(rate > 0))
    return;
  dae_stats *n = &m->stats;
  ++*(rate < 0.01  ? &n->rates_0_01
      : rate < 0.1 ? &n->rates_0_1
      : rate < 0.5 ? &n->rates_0_5
                   : &n->rates_1);
}

/* Newton iteration from the predictor with the current matrix; predicted: whether Y and Y' are the
 * values of the predictor already */
static dae__bdf_outcome bdf_iterate(dae__bdf *s, double t, double cj, int max_iterations,
                                    bool predicted)
{
  const dae__corrector *c = &s->corrector;
  dae__bdf_memory *m = s->m;
  double factor = 2 / (1 + cj / m->cj_matrix), multiplier = s->strict ? fmin(1, 1 / cj) : 1;
  int rest = s->corrector.size - s->tested; /* lambda and psi; mu is zero but for errors */
  DAE__ASSERT(m->has_matrix);
  dae_status status = predicted && !c->table->predict ? DAE_OK : bdf_predict(s, t);
  if (status)
    return bdf_failed(status);
  dae__newton_begin(&m->newton, !s->strict, max_iterations);
  /* forgets the contraction of earlier steps: with constraints the iteration matrix becomes
   * outdated faster */
  if (bdf_projects(c))
    m->newton.rate = 0;
  for (;;) {
    status = c->table->increment(c->self, t, s->Y, s->dY, cj, factor, s->delta, &s->last);
    if (status)
      return bdf_failed(status);
    m->stats.iterations++;
    bdf_add_increment(s, cj);
    /* the weighted norm of Y is at most about 1/rtol: an increment much larger than the round-off
     * of that needs no comparison with it */
    double norm = bdf_norm_of(s, s->delta, DAE__TEST_MULTIPLIER, multiplier);
    double part = 100 * DBL_EPSILON, round_off = 0;
    if (!(norm * s->share * s->rtol > 10 * part))
      round_off = part * bdf_norm_of(s, s->Y, DAE__TEST_MULTIPLIER, multiplier);
    int before = m->newton.m;
    dae__newton_verdict verdict =
        dae__newton_test(&m->newton, norm, round_off, DAE__BDF_NEWTON_TOLERANCE);
    if (norm > round_off)
      bdf_count_rate(m, before, verdict);
    if (verdict == DAE__NEWTON_FAILED || (verdict == DAE__NEWTON_DONE && s->limits.now.wanted))
      s->limits.now.change = dae__bdf_worst(s, s->delta, DAE__TEST_MULTIPLIER, multiplier);
    switch (verdict) {
    case DAE__NEWTON_DONE:
      if (!s->strict || predicted || rest == 0)
        return DAE__BDF_ACCEPTED;
      /* no convergence of the multipliers, which are in no test, if the last increment is a large
       * part of them: an old matrix may contract the tested unknowns and expand their error */
      double change = dae__max_abs(rest, s->delta + s->tested);
      bool large = change > DAE__BDF_MULTIPLIER_CHANGE * dae__max_abs(rest, s->Y + s->tested);
      return large ? DAE__BDF_NOT_CONVERGED : DAE__BDF_ACCEPTED;
    case DAE__NEWTON_FAILED:
      s->why = (dae__bdf_reason){.what = "the Newton iteration does not converge",
                                 .hint = "",
                                 .worst = s->limits.now.change};
      return DAE__BDF_NOT_CONVERGED;
    case DAE__NEWTON_CONTINUE:
      break;
    }
  }
}

dae_status dae__bdf_setup(dae__bdf *s, double t, double cj)
{
  const dae__corrector *c = &s->corrector;
  dae_status status = c->table->setup(c->self, t, s->Y, s->dY, cj, &s->last);
  dae__bdf_update_roles(s);
  return status;
}

static dae__bdf_outcome bdf_new_matrix(dae__bdf *s, double t, double cj)
{
  dae_status status = bdf_predict(s, t);
  if (!status)
    status = dae__bdf_setup(s, t, cj);
  s->m->has_matrix = status == DAE_OK;
  s->m->cj_matrix = cj;
  dae__newton_forget(&s->m->newton);
  return status ? bdf_failed(status) : DAE__BDF_ACCEPTED;
}

/* solves for Y at t; if the iteration does not converge with an old matrix, it is repeated with a
 * new one */
static dae__bdf_outcome bdf_correct(dae__bdf *s, double t, double cj, int max_iterations)
{
  dae__bdf_memory *m = s->m;
  double change = cj / m->cj_matrix;
  bool fresh = !m->has_matrix || change < DAE__BDF_CJ_RATIO || change > 1 / DAE__BDF_CJ_RATIO;
  dae__bdf_outcome outcome = fresh ? bdf_new_matrix(s, t, cj) : DAE__BDF_ACCEPTED;
  if (cj != m->cj_last)
    dae__newton_forget(&m->newton);
  m->cj_last = cj;
  if (outcome == DAE__BDF_ACCEPTED)
    outcome = bdf_iterate(s, t, cj, max_iterations, fresh);
  if (outcome == DAE__BDF_NOT_CONVERGED && !fresh) {
    outcome = bdf_new_matrix(s, t, cj);
    if (outcome == DAE__BDF_ACCEPTED)
      outcome = bdf_iterate(s, t, cj, max_iterations, true);
  }
  bool noise = m->has_matrix && m->newton.first <= DAE__BDF_NOISE_INCREMENT;
  if (outcome == DAE__BDF_NOT_CONVERGED && noise && s->share < DAE__BDF_LARGEST_SHARE)
    m->noise *= DAE__BDF_NOISE_GROWTH;
  if (outcome != DAE__BDF_ACCEPTED)
    m->has_matrix = false;
  return outcome;
}

dae__bdf_outcome dae__bdf_attempt_step(dae__bdf *s, const dae__bdf_attempt *attempt,
                                       dae__bdf_estimate *est)
{
  static const char *const text[] = {[DAE__BDF_ACCEPTED] = "accepted",
                                     [DAE__BDF_ERROR_TOO_LARGE] = "error too large",
                                     [DAE__BDF_NOT_CONVERGED] = "no convergence",
                                     [DAE__BDF_REFUSED] = "refused by a callback",
                                     [DAE__BDF_FATAL] = "failed"};
  const dae__corrector *c = &s->corrector;
  int order_before = s->history.memory->order_old;
  int max_iterations = attempt->test_error ? DAE__NEWTON_MAX : DAE__NEWTON_MAX_FIXED;
  s->why.what = NULL;
  dae__limits_begin(&s->limits);
  bdf_set_weights(s, dae__history_phi(&s->history, 0));
  dae__formula formula = dae__history_prepare(&s->history, attempt->h, s->m->order);
  dae__bdf_outcome outcome = bdf_correct(s, attempt->t, formula.cj, max_iterations);
  bool diverged = outcome == DAE__BDF_NOT_CONVERGED;
  est->error = NAN;
  if (outcome == DAE__BDF_ACCEPTED) {
    *est = dae__bdf_estimate_errors(s, formula);
    if (attempt->test_error && !(DAE__MUTATE(bdf_error_test, est->error <= 1, est->error <= 100)))
      outcome = DAE__BDF_ERROR_TOO_LARGE;
  }
  if (outcome == DAE__BDF_ERROR_TOO_LARGE)
    s->why = (dae__bdf_reason){.what = "the error test fails at every step size",
                               .hint = ": the motion may be discontinuous there, or the "
                                       "tolerances are below the attainable accuracy",
                               .worst = s->limits.now.error};
  if (outcome == DAE__BDF_ACCEPTED && bdf_projects(c) &&
      DAE__MUTATE(bdf_projects, s->project, false)) {
    dae__copy(c->n, s->Y, s->scratch);
    dae_status status = c->table->project(c->self, attempt->t, s->Y, &s->last);
    for (int i = 0; i < c->n; i++) /* the correction by the projection is added to e */
      s->e[i] += DAE__MUTATE(bdf_projection_history, s->Y[i] - s->scratch[i],
                             10 * (s->scratch[i] - s->Y[i]));
    outcome = status                             ? bdf_failed(status)
              : dae__all_finite(s->tested, s->Y) ? DAE__BDF_ACCEPTED
                                                 : DAE__BDF_NOT_CONVERGED;
  }
  dae__log(s->env, DAE_LOG_DEBUG, "t = %.10g, h = %.3g, order %d: %s, error %.3g, iterations %d",
           attempt->t, attempt->h, s->history.memory->order, text[outcome], est->error,
           s->m->newton.m + 1);
  if (outcome != DAE__BDF_ACCEPTED) {
    dae__limits_count_failed(&s->limits, diverged);
    dae__history_undo(&s->history);
    return outcome;
  }
  dae__limits_count_accepted(&s->limits);
  s->m->noise = fmax(1, DAE__BDF_NOISE_DECAY * s->m->noise);
  if (attempt->test_error)
    dae__bdf_select_next(s, *est, order_before, attempt->rejected);
  dae__history_accept(&s->history, attempt->t, s->e);
  return DAE__BDF_ACCEPTED;
}
