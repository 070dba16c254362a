/* One attempt at a step: predict, Newton, error test, projection. */
#include "core/error.h"
#include "core/log.h"
#include "core/vec.h"
#include "linalg/pair.h"
#include "multistep/host.h"
#include "step/norm.h"
#include <float.h>

/* share of the tolerance that the Newton iteration may leave, as in DASSL */
#define NEWTON_GOAL 0.33
/* share of the tolerance that one step may use: errors add up over steps (car axis, rtol 1e-9: 5.99
 * correct digits with all of it, see docs/methods/bdf.md) */
#define SHARE 0.3
/* cj may change by this factor before a new matrix is formed, as in DASSL */
#define CJ_CHANGE 0.6

/* ---- norms ---- */

void dae__bdf_weigh(dae__bdf *s, const double *Y)
{
  double share = dae__bdf_strict(s) ? SHARE : 1, rtol = share * s->rtol, atol = share * s->atol;
  for (int i = 0; i < s->tested; i++)
    s->inverse[i] = 1 / (rtol * fabs(Y[i]) + atol);
}

void dae__bdf_look_at_roles(dae__bdf *s)
{
  s->all_tested = true;
  s->part = s->tested > 0 ? 1.0 / s->tested : 0;
  for (int i = 0; i < s->tested; i++)
    s->all_tested = s->all_tested && s->corrector.role[i] == DAE__TEST_FULL;
}

/* of unknowns that are all in the error test; two sums, as each waits for itself */
static double bdf_plain_norm(int n, const double *x, const double *inverse, double part)
{
  dae__pair even = {0, 0}, odd = {0, 0};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    dae__pair a = dae__pair_from_anywhere(x + i) * dae__pair_from_anywhere(inverse + i);
    dae__pair b = dae__pair_from_anywhere(x + i + 2) * dae__pair_from_anywhere(inverse + i + 2);
    even += a * a;
    odd += b * b;
  }
  for (; i < n; i++)
    even[0] += x[i] * inverse[i] * (x[i] * inverse[i]);
  return sqrt(dae__pair_sum(even + odd) * part);
}

static double bdf_norm_of(const dae__bdf *s, const double *x, dae__test_role last,
                          double multiplier)
{
  double sum = 0;
  int count = 0;
  if (s->all_tested)
    return bdf_plain_norm(s->tested, x, s->inverse, s->part);
  for (int i = 0; i < s->tested; i++) {
    unsigned char role = s->corrector.role[i];
    if (role > last)
      continue;
    double ratio = x[i] * s->inverse[i] * (role == DAE__TEST_MULTIPLIER ? multiplier : 1);
    sum += ratio * ratio;
    count++;
  }
  return count ? sqrt(sum / count) : 0;
}

double dae__bdf_error_norm(const dae__bdf *s, const double *x)
{
  return bdf_norm_of(s, x, DAE__TEST_FULL, 1);
}

int dae__bdf_worst(const dae__bdf *s, const double *x)
{
  int worst = 0;
  double max = -1;
  for (int i = 0; i < s->tested && i < s->corrector.size; i++)
    if (s->corrector.role[i] == DAE__TEST_FULL && !(fabs(x[i] * s->inverse[i]) <= max))
      max = fabs(x[i] * s->inverse[i]), worst = i;
  return worst;
}

static double bdf_newton_norm(const dae__bdf *s, const double *x, double cj)
{
  return bdf_norm_of(s, x, DAE__TEST_MULTIPLIER, dae__bdf_strict(s) ? fmin(1, 1 / cj) : 1);
}

/* ---- one attempt ---- */

static dae__attempt bdf_failed(dae_status status)
{
  if (status == DAE_ERROR_RECOVERABLE)
    return DAE__REFUSED;
  return status == DAE_ERROR_SINGULAR ? DAE__NOT_CONVERGED : DAE__FATAL;
}

static dae_status bdf_predict(dae__bdf *s, double t)
{
  const dae__corrector *c = &s->corrector;
  dae__history_predict(&s->history, s->Y, s->dY);
  return c->table->predict ? c->table->predict(c->self, t, s->Y, s->dY, &s->last) : DAE_OK;
}

/* Y += delta, with what goes with it */
static void bdf_move(dae__bdf *s, double cj)
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

/* norm that an increment has by round-off alone. |Y| is at most about 1/rtol: where an increment is
 * ten times what that makes of it, it need not be known */
static double bdf_round_off(const dae__bdf *s, double norm, double cj)
{
  const double part = 100 * DBL_EPSILON;
  return norm * SHARE * s->rtol > 10 * part ? 0 : part * bdf_newton_norm(s, s->Y, cj);
}

/* Newton from the predictor with the matrix at hand; where that is new the prediction stands */
static dae__attempt bdf_iterate(dae__bdf *s, double t, double cj, int most, bool stands)
{
  const dae__corrector *c = &s->corrector;
  dae__bdf_memory *m = s->m;
  double factor = 2 / (1 + cj / m->cj_matrix);
  dae_status predicted = stands && !c->table->predict ? DAE_OK : bdf_predict(s, t);
  if (predicted)
    return bdf_failed(predicted);
  dae__zero(c->n, s->e);
  dae__newton_begin(&m->newton, !dae__bdf_strict(s), most);
  if (c->table->project) /* matrices of constrained motions age faster */
    m->newton.rate = 0;
  for (;;) {
    dae_status status =
        c->table->increment(c->self, t, s->Y, s->dY, cj, factor, s->delta, &s->last);
    if (status)
      return bdf_failed(status);
    m->stats.iterations++;
    bdf_move(s, cj);
    double norm = bdf_newton_norm(s, s->delta, cj);
    switch (dae__newton_test(&m->newton, norm, bdf_round_off(s, norm, cj), NEWTON_GOAL)) {
    case DAE__NEWTON_DONE:
      return DAE__ACCEPTED;
    case DAE__NEWTON_FAILED:
      s->why = (dae__bdf_reason){.what = "the Newton iteration does not converge",
                                 .hint = "",
                                 .worst = dae__bdf_worst(s, s->delta)};
      return DAE__NOT_CONVERGED;
    case DAE__NEWTON_GO_ON:
      break;
    }
  }
}

dae_status dae__bdf_setup(dae__bdf *s, double t, double cj)
{
  const dae__corrector *c = &s->corrector;
  dae_status status = c->table->setup(c->self, t, s->Y, s->dY, cj, &s->last);
  dae__bdf_look_at_roles(s);
  return status;
}

static dae__attempt bdf_new_matrix(dae__bdf *s, double t, double cj)
{
  dae_status status = bdf_predict(s, t);
  if (!status)
    status = dae__bdf_setup(s, t, cj);
  s->m->has_matrix = status == DAE_OK;
  s->m->cj_matrix = cj;
  dae__newton_forget(&s->m->newton);
  return status ? bdf_failed(status) : DAE__ACCEPTED;
}

/* solves for Y at t; an old matrix gets a second chance as a new one */
static dae__attempt bdf_correct(dae__bdf *s, double t, double cj, int most)
{
  dae__bdf_memory *m = s->m;
  double change = cj / m->cj_matrix;
  bool fresh = !m->has_matrix || change < CJ_CHANGE || change > 1 / CJ_CHANGE;
  dae__attempt result = fresh ? bdf_new_matrix(s, t, cj) : DAE__ACCEPTED;
  if (cj != m->cj_last)
    dae__newton_forget(&m->newton);
  m->cj_last = cj;
  if (result == DAE__ACCEPTED)
    result = bdf_iterate(s, t, cj, most, fresh);
  if (result == DAE__NOT_CONVERGED && !fresh) {
    result = bdf_new_matrix(s, t, cj);
    if (result == DAE__ACCEPTED)
      result = bdf_iterate(s, t, cj, most, true);
  }
  if (result != DAE__ACCEPTED)
    m->has_matrix = false;
  return result;
}

/* e += what the projection changes */
static dae__attempt bdf_project(dae__bdf *s, double t)
{
  const dae__corrector *c = &s->corrector;
  if (!c->table->project || !s->project)
    return DAE__ACCEPTED;
  dae__copy(c->n, s->Y, s->scratch);
  dae_status status = c->table->project(c->self, t, s->Y, &s->last);
  for (int i = 0; i < c->n; i++)
    s->e[i] += s->Y[i] - s->scratch[i];
  return status ? bdf_failed(status) : DAE__ACCEPTED;
}

/* one line for each attempt */
static void bdf_log_attempt(const dae__bdf *s, const dae__trial *trial, dae__attempt result,
                            double error)
{
  static const char *const text[] = {[DAE__ACCEPTED] = "accepted",
                                     [DAE__ERROR_TOO_LARGE] = "error too large",
                                     [DAE__NOT_CONVERGED] = "no convergence",
                                     [DAE__REFUSED] = "refused by a callback",
                                     [DAE__FATAL] = "failed"};
  dae__log(s->env, DAE_LOG_DEBUG, "t = %.10g, h = %.3g, order %d: %s, error %.3g, iterations %d",
           trial->t, trial->h, s->history.memory->order, text[result], error, s->m->newton.m + 1);
}

dae__attempt dae__bdf_try(dae__bdf *s, const dae__trial *trial, dae__estimate *est)
{
  int order_before = s->history.memory->order_old;
  s->why.what = NULL;
  dae__bdf_weigh(s, dae__history_phi(&s->history, 0));
  dae__formula formula = dae__history_prepare(&s->history, trial->h, s->m->order);
  dae__attempt result = bdf_correct(s, trial->t, formula.cj,
                                    trial->test_error ? DAE__NEWTON_MAX : DAE__NEWTON_MAX_FIXED);
  est->error = NAN;
  if (result == DAE__ACCEPTED) {
    *est = dae__bdf_estimate(s, formula);
    if (trial->test_error && !(est->error <= 1))
      result = DAE__ERROR_TOO_LARGE;
  }
  if (result == DAE__ERROR_TOO_LARGE)
    s->why = (dae__bdf_reason){.what = "the error test fails at every step size",
                               .hint = ": the motion may be discontinuous there, or the "
                                       "tolerances are below what can be reached",
                               .worst = dae__bdf_worst(s, s->e)};
  if (result == DAE__ACCEPTED)
    result = bdf_project(s, trial->t);
  bdf_log_attempt(s, trial, result, est->error);
  if (result != DAE__ACCEPTED) {
    dae__history_undo(&s->history);
    return result;
  }
  if (trial->test_error)
    dae__bdf_choose(s, *est, order_before, trial->rejected);
  dae__history_accept(&s->history, trial->t, s->e);
  return DAE__ACCEPTED;
}
