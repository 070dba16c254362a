/* Order and step size, by the rules of DASSL [BCP96 section 5.2]: the order follows the estimates
 * of the local error at neighbouring orders, the step is doubled, kept or reduced.
 *
 * Deviations, unless the option `rules` says dassl, against the stall of DASSL codes on the
 * transistor amplifier: order 2 is left for 1 only if it cannot keep the step; a step that was just
 * reduced, or whose order was just raised, does not grow. */
#include "core/vec.h"
#include "multistep/host.h"

double dae__bdf_estimate_norm(dae__bdf *s, const double *x)
{
  if (!s->corrector.table->filter || !s->opts.filter)
    return dae__bdf_error_norm(s, x);
  s->corrector.table->filter(s->corrector.self, s->m->cj_matrix, x, s->through);
  return dae__bdf_error_norm(s, s->through);
}

dae__estimate dae__bdf_estimate(dae__bdf *s, dae__formula formula)
{
  const dae__history_memory *m = s->history.memory;
  int n = s->corrector.n, k = m->order;
  double norm = dae__bdf_estimate_norm(s, s->e);
  dae__estimate est = {.error = formula.error * norm, .here = m->sigma[k] * norm, .order = k};
  est.chosen = est.here;
  if (k == 1)
    return est;
  for (int i = 0; i < n; i++)
    s->scratch[i] = s->e[i] + dae__history_phi(&s->history, k)[i];
  est.lower = m->sigma[k - 1] * dae__bdf_estimate_norm(s, s->scratch);
  bool lower;
  if (k == 2) {
    lower = k * est.lower <= 0.5 * (k + 1) * est.here;
  } else {
    dae__axpy(n, 1, dae__history_phi(&s->history, k - 1), s->scratch);
    est.lower2 = m->sigma[k - 2] * dae__bdf_estimate_norm(s, s->scratch);
    lower = fmax(k * est.lower, (k - 1) * est.lower2) <= (k + 1) * est.here;
  }
  if (lower) {
    est.order = k - 1;
    est.chosen = est.lower;
  }
  return est;
}

/* the order for the next step, from the estimates around k; may raise */
static void bdf_choose_order(dae__bdf *s, dae__estimate *est, int order_before)
{
  const dae__history_memory *m = s->history.memory;
  int n = s->corrector.n, k = m->order;
  if (est->order < k || k == dae__bdf_max_order(s) || k + 1 >= m->same || k - order_before == 1)
    return;
  for (int i = 0; i < n; i++)
    s->scratch[i] = s->e[i] - dae__history_phi(&s->history, k + 1)[i];
  est->raise = dae__bdf_estimate_norm(s, s->scratch) / (k + 2);
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
static double bdf_next_step(double h, int order, double local_error)
{
  double x = 2 * local_error + 1e-4; /* r = x^(-1 / (order + 1)) */
  if (x <= ldexp(1, -(order + 1)))
    return 2 * h;
  return x >= 1 ? h * fmax(0.5, fmin(0.9, pow(x, -1.0 / (order + 1)))) : h;
}

void dae__bdf_choose(dae__bdf *s, dae__estimate est, int order_before, bool rejected)
{
  dae__bdf_memory *m = s->m;
  double h = s->history.memory->h;
  int k = s->history.memory->order;
  bool strict = dae__bdf_strict(s);
  if (est.order < k || k >= dae__bdf_max_order(s))
    m->growing = false;
  if (m->growing) {
    m->order = k + 1;
    m->h = 2 * h;
    return;
  }
  /* BDF 1 is seldom of use: order 2 is kept as long as it can keep the step */
  if (strict && k == 2 && est.order < k && bdf_next_step(h, k, est.here) >= h) {
    est.order = k;
    est.chosen = est.here;
    est.lower = INFINITY;
  }
  if (dae__bdf_watch_limit(s, &est, &est.chosen))
    est.order = dae__bdf_max_order(s);
  else
    bdf_choose_order(s, &est, order_before);
  m->order = est.order;
  m->h = bdf_next_step(h, est.order, est.chosen);
  /* growing again right after a rejection fails again, and the order, which is judged after k + 2
   * equal steps, is never raised: the stall of DASSL codes on the transistor amplifier */
  m->held = rejected || (m->held && s->history.memory->same <= k + 1);
  if (strict && (est.order > k || m->held))
    m->h = fmin(m->h, h);
}

void dae__bdf_reduce(dae__bdf *s, dae__attempt why, dae__estimate est, int count)
{
  dae__bdf_memory *m = s->m;
  double r = 0.25;
  m->growing = false;
  if (why == DAE__ERROR_TOO_LARGE) {
    m->stats.rejected_by_error++;
    m->order = count > 2 ? 1 : est.order;
    if (count == 1)
      r = fmax(0.25, fmin(0.9, 0.9 * pow(2 * est.chosen + 1e-4, -1.0 / (m->order + 1))));
  } else {
    m->stats.rejected_by_convergence += why == DAE__NOT_CONVERGED;
    m->stats.rejected_by_callback += why == DAE__REFUSED;
  }
  m->h = r * s->history.memory->h;
}
