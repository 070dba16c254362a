/* Order and step size, by the rules of DASSL [BCP96 section 5.2]: the order follows the estimates
 * of the local error at neighbouring orders, the step is doubled, kept or reduced.
 *
 * Deviations, unless the option `rules` says dassl, against the stall of DASSL codes on the
 * transistor amplifier: order 2 is reduced to 1 only if it does not allow the present step size; a
 * step that was just reduced, or whose order was just raised, does not grow.
 *
 * The stability limit of orders 3 to 5. These formulas amplify oscillations e^(i w t) for w h
 * between nearly 0 and about 2 to 5. In a mechanism with weakly damped fast modes, even modes that
 * are not excited grow until the error test detects them, and limit the step to w h = 0.5 to 1 from
 * then on, even if the slow motion would allow larger steps. BDF 2 damps them at every step size.
 * With r_j = |h^(j+1) y^(j+1)|, which is j + 1 times the local error estimate of order j, the mean
 * ratio
 *
 *   theta = (r_k / r_2)^(1/(k-2))
 *
 * is w h of the motion that limits the step: mostly 0.5 to 0.8 at the stability limit, mostly below
 * 0.4 where accuracy limits it (measured in docs/methods/bdf.md; the amplifier at 1e-4 is above 0.4
 * in four steps of ten, so that a single step is weak evidence). After a number of steps with
 * mostly large theta, order 2 is tried. If order 2 allows larger steps than before, the next trial
 * is twice as long, else the next trial needs more evidence. */
#include "core/mutant.h"
#include "core/vec.h"
#include "multistep/host.h"

/* ---- error estimates ---- */

/* norm of an error estimate, filtered if the option `filter` is set */
static double bdf_estimate_norm(dae__bdf *s, const double *x)
{
  if (!s->corrector.table->filter || !s->opts.filter)
    return dae__bdf_error_norm(s, x);
  s->corrector.table->filter(s->corrector.self, s->m->cj_matrix, x, s->filtered);
  return dae__bdf_error_norm(s, s->filtered);
}

dae__bdf_estimate dae__bdf_estimate_errors(dae__bdf *s, dae__formula formula)
{
  const dae__history_memory *m = s->history.memory;
  int n = s->corrector.n, k = m->order;
  double norm = bdf_estimate_norm(s, s->e);
  dae__bdf_estimate est = {.error = formula.error * norm, .here = m->sigma[k] * norm, .order = k};
  if (s->limits.now.wanted || !(est.error <= 1)) {
    bool filtered = s->corrector.table->filter && s->opts.filter;
    s->limits.now.error = dae__bdf_worst(s, filtered ? s->filtered : s->e, DAE__TEST_FULL, 1);
  }
  est.selected = est.here;
  if (k == 1)
    return est;
  for (int i = 0; i < n; i++)
    s->scratch[i] = s->e[i] + dae__history_phi(&s->history, k)[i];
  est.lower = m->sigma[k - 1] * bdf_estimate_norm(s, s->scratch);
  bool lower;
  if (k == 2) {
    lower = k * est.lower <= 0.5 * (k + 1) * est.here;
  } else {
    dae__axpy(n, 1, dae__history_phi(&s->history, k - 1), s->scratch);
    est.lower2 = m->sigma[k - 2] * bdf_estimate_norm(s, s->scratch);
    lower = fmax(k * est.lower, (k - 1) * est.lower2) <= (k + 1) * est.here;
  }
  if (lower) {
    est.order = k - 1;
    est.selected = est.lower;
  }
  return est;
}

/* ---- stability limit ---- */

static int bdf_order_limit(const dae__bdf *s)
{
  bool limited = s->m->stability.limited && s->max_order > DAE__BDF_STABLE_ORDER;
  return limited ? DAE__BDF_STABLE_ORDER : s->max_order;
}

/* step size allowed by a local error estimate at order k */
static double bdf_stability_allowed(const dae__bdf *s, int k, double estimate)
{
  return s->history.memory->h * pow(2 * estimate + 1e-4, -1.0 / (k + 1));
}

/* updates the net count of steps limited by an unresolved oscillation, theta >
 * DAE__BDF_UNRESOLVED_THETA; growing steps halve the count. Returns whether the count reaches its
 * threshold; *at_2: local error estimate at order 2 of an attempt at order k > 2 */
static bool bdf_stability_evidence(dae__bdf *s, const dae__bdf_estimate *est, double *at_2)
{
  dae__bdf_stability *w = &s->m->stability;
  const dae__history_memory *m = s->history.memory;
  int n = s->corrector.n, k = m->order;
  double limit = 1;
  if (m->h > m->h_old)
    w->evidence /= 2;
  if (k <= DAE__BDF_STABLE_ORDER + 2) {
    *at_2 = k == DAE__BDF_STABLE_ORDER + 1 ? est->lower : est->lower2;
  } else {
    dae__copy(n, s->e, s->scratch);
    for (int j = k; j > DAE__BDF_STABLE_ORDER; j--)
      dae__axpy(n, 1, dae__history_phi(&s->history, j), s->scratch);
    *at_2 = m->sigma[DAE__BDF_STABLE_ORDER] * bdf_estimate_norm(s, s->scratch);
  }
  for (int j = DAE__BDF_STABLE_ORDER; j < k; j++)
    limit *= DAE__BDF_UNRESOLVED_THETA;
  if ((k + 1) * est->here > limit * (DAE__BDF_STABLE_ORDER + 1) * *at_2)
    w->evidence++;
  else if (w->evidence > 0)
    w->evidence--;
  return w->evidence >= w->needed;
}

/* whether order 2 is used from now on; *estimate: local error at order 2. A trial of order 2 that
 * is long enough ends; it was successful if order 2 allows larger steps than before the trial or,
 * in a short trial, if its steps grow because the oscillation decays. */
static bool bdf_stability_limits(dae__bdf *s, const dae__bdf_estimate *est, double *estimate)
{
  dae__bdf_stability *w = &s->m->stability;
  double at_2;
  if (!s->opts.stability || !s->strict || s->max_order <= DAE__BDF_STABLE_ORDER)
    return false;
  long steps = s->m->stats.steps - w->since;
  double h = w->limited ? bdf_stability_allowed(s, s->history.memory->order, est->here) : 0;
  bool pays = h > w->h || (w->trial < DAE__BDF_LONG_TRIAL && h > DAE__BDF_DECAY_GROWTH * w->h2);
  if (w->limited && steps >= DAE__BDF_FIRST_TRIAL && !(pays && steps < w->trial)) {
    w->trial = pays ? 2 * w->trial : DAE__BDF_FIRST_TRIAL;
    w->needed = pays ? DAE__BDF_FIRST_EVIDENCE : 2 * w->needed;
    w->trial = w->trial < DAE__BDF_LONGEST_TRIAL ? w->trial : DAE__BDF_LONGEST_TRIAL;
    w->needed = w->needed < DAE__BDF_LARGEST_EVIDENCE ? w->needed : DAE__BDF_LARGEST_EVIDENCE;
    w->limited = false;
    w->evidence = 0;
  }
  if (w->limited || s->history.memory->order <= DAE__BDF_STABLE_ORDER ||
      !bdf_stability_evidence(s, est, &at_2))
    return false;
  w->limited = true;
  w->since = s->m->stats.steps;
  w->h = s->history.memory->h;
  w->h2 = fmin(w->h, bdf_stability_allowed(s, DAE__BDF_STABLE_ORDER, at_2));
  *estimate = at_2;
  return true;
}

/* ---- order and step size ---- */

/* selects the order of the next step from the estimates at orders k - 1, k and k + 1 */
static void bdf_select_order(dae__bdf *s, dae__bdf_estimate *est, int order_before)
{
  const dae__history_memory *m = s->history.memory;
  int n = s->corrector.n, k = m->order;
  if (est->order < k || k == bdf_order_limit(s) || k + 1 >= m->same || k - order_before == 1)
    return;
  for (int i = 0; i < n; i++)
    s->scratch[i] = s->e[i] - dae__history_phi(&s->history, k + 1)[i];
  est->higher = bdf_estimate_norm(s, s->scratch) / (k + 2);
  double here = (k + 1) * est->here, higher = (k + 2) * est->higher;
  if (k == 1) {
    if (higher < 0.5 * here)
      est->order = 2, est->selected = est->higher;
  } else if (k * est->lower <= fmin(here, higher)) {
    est->order = k - 1, est->selected = est->lower;
  } else if (DAE__MUTATE(bdf_order, higher < here, false)) {
    est->order = k + 1, est->selected = est->higher;
  }
}

/* next step size for an order and its local error estimate: doubled, kept, or reduced */
static double bdf_select_step(double h, int order, double local_error)
{
  double x = 2 * local_error + 1e-4; /* ratio of step sizes r = x^(-1 / (order + 1)) */
  if (DAE__MUTATE(bdf_smaller_step, x <= ldexp(1, -(order + 1)), x <= 1))
    return 2 * h;
  return x >= 1 ? h * fmax(0.5, fmin(0.9, pow(x, -1.0 / (order + 1)))) : h;
}

void dae__bdf_select_next(dae__bdf *s, dae__bdf_estimate est, int order_before, bool rejected)
{
  dae__bdf_memory *m = s->m;
  double h = s->history.memory->h;
  int k = s->history.memory->order;
  bool strict = s->strict;
  if (est.order < k || k >= bdf_order_limit(s))
    m->growing = false;
  if (m->growing) {
    m->order = k + 1;
    m->h = 2 * h;
    return;
  }
  /* order 2 is not reduced to 1, which is seldom efficient, as long as it allows the present step
   * size */
  if (strict && k == 2 && est.order < k && bdf_select_step(h, k, est.here) >= h) {
    est.order = k;
    est.selected = est.here;
    est.lower = INFINITY;
  }
  if (bdf_stability_limits(s, &est, &est.selected))
    est.order = bdf_order_limit(s);
  else
    bdf_select_order(s, &est, order_before);
  m->order = est.order;
  m->h = bdf_select_step(h, est.order, est.selected);
  /* growth of the step size is suppressed for k + 1 steps after a rejection: a step that grows at
   * once is rejected again, and the order, which is raised after k + 2 equal steps only, never
   * rises: the stall of DASSL codes on the transistor amplifier */
  m->held = rejected || (m->held && s->history.memory->same <= k + 1);
  if (strict && (est.order > k || m->held))
    m->h = fmin(m->h, h);
}

void dae__bdf_select_smaller(dae__bdf *s, dae__bdf_outcome outcome, dae__bdf_estimate est,
                             int count)
{
  dae__bdf_memory *m = s->m;
  double r = 0.25;
  m->growing = false;
  if (outcome == DAE__BDF_ERROR_TOO_LARGE) {
    m->stats.rejected_by_error++;
    m->order = count > 2 ? 1 : est.order;
    if (count == 1)
      r = fmax(0.25, fmin(0.9, 0.9 * pow(2 * est.selected + 1e-4, -1.0 / (m->order + 1))));
  } else {
    m->stats.rejected_by_convergence += outcome == DAE__BDF_NOT_CONVERGED;
    m->stats.rejected_by_callback += outcome == DAE__BDF_REFUSED;
  }
  m->h = r * s->history.memory->h;
}
