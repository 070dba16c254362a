/* The stability limit of orders 3 to 5.
 *
 * These formulas amplify oscillations e^(i w t) for w h between nearly 0 and about 2 to 5. A
 * mechanism with weakly damped fast modes that nobody excited wakes them: they grow until the error
 * test sees them, and hold the step at w h = 0.5 to 1 from then on, whatever the slow motion would
 * allow. BDF 2 damps them at every step size, so the question is where to leave the higher orders
 * for it.
 *
 * With r_j = |h^(j+1) y^(j+1)|, which is j + 1 times the local error estimate of order j, the mean
 * ratio
 *
 *   theta = (r_k / r_2)^(1/(k-2))
 *
 * is w h of the motion that limits the step: mostly 0.5 to 0.8 at the stability limit, mostly below
 * 0.4 where accuracy limits it (measured in docs/methods/bdf.md; the amplifier at 1e-4 is above 0.4
 * in four steps of ten, so that a single step says little). Once theta has been large in most of
 * some steps, order 2 is tried for a while. If it brings the run on faster than before it is tried
 * twice as long the next time, else suspicion has to last longer. */
#include "core/vec.h"
#include "multistep/host.h"

#define LIMIT_ORDER 2
#define UNRESOLVED 0.45 /* theta above which an oscillation limits the step */
#define DYING 1.1       /* growth of the step that order 2 would allow */
/* net steps of suspicion, and steps of a trial: first and largest */
#define PATIENCE 12
#define MOST_PATIENCE 200
#define FIRST_TRIAL 60
#define LONG_TRIAL 240
#define LONGEST_TRIAL 1000000

void dae__bdf_watch_begin(dae__bdf_watch *w)
{
  *w = (dae__bdf_watch){.patience = PATIENCE, .trial = FIRST_TRIAL};
}

int dae__bdf_max_order(const dae__bdf *s)
{
  return s->m->watch.limited && s->max_order > LIMIT_ORDER ? LIMIT_ORDER : s->max_order;
}

/* local error estimate of an attempt at order k > 2, at order 2 */
static double bdf_stability_at_order_2(dae__bdf *s, const dae__estimate *est)
{
  const dae__history_memory *m = s->history.memory;
  int n = s->corrector.n, k = m->order;
  if (k <= LIMIT_ORDER + 2)
    return k == LIMIT_ORDER + 1 ? est->lower : est->lower2;
  dae__copy(n, s->e, s->scratch);
  for (int j = k; j > LIMIT_ORDER; j--)
    dae__axpy(n, 1, dae__history_phi(&s->history, j), s->scratch);
  return m->sigma[LIMIT_ORDER] * dae__bdf_estimate_norm(s, s->scratch);
}

/* theta > UNRESOLVED */
static bool bdf_stability_unresolved(int k, const dae__estimate *est, double two)
{
  double limit = 1;
  for (int j = LIMIT_ORDER; j < k; j++)
    limit *= UNRESOLVED;
  return (k + 1) * est->here > limit * (LIMIT_ORDER + 1) * two;
}

/* the step that an estimate of order k would allow */
static double bdf_stability_allowed(const dae__bdf *s, int k, double estimate)
{
  return s->history.memory->h * pow(2 * estimate + 1e-4, -1.0 / (k + 1));
}

/* whether order 2 has been tried long enough, and what that says: either it is the faster one by
 * now, or at first the oscillation dies away, so that it is going to be */
static void bdf_stability_judge_trial(dae__bdf *s, const dae__estimate *est)
{
  dae__bdf_watch *w = &s->m->watch;
  long steps = s->m->stats.steps - w->since;
  double h = bdf_stability_allowed(s, s->history.memory->order, est->here);
  bool pays = h > w->h || (w->trial < LONG_TRIAL && h > DYING * w->h2);
  if (steps < FIRST_TRIAL || (pays && steps < w->trial))
    return;
  w->trial = pays ? 2 * w->trial : FIRST_TRIAL;
  w->patience = pays ? PATIENCE : 2 * w->patience;
  w->trial = w->trial < LONGEST_TRIAL ? w->trial : LONGEST_TRIAL;
  w->patience = w->patience < MOST_PATIENCE ? w->patience : MOST_PATIENCE;
  w->limited = false;
  w->suspicion = 0;
}

/* counts the steps that an unresolved oscillation limits; a step that could grow is not limited */
static bool bdf_stability_suspects(dae__bdf *s, const dae__estimate *est, double *two)
{
  dae__bdf_watch *w = &s->m->watch;
  if (s->history.memory->h > s->history.memory->h_old)
    w->suspicion /= 2;
  *two = bdf_stability_at_order_2(s, est);
  if (bdf_stability_unresolved(s->history.memory->order, est, *two))
    w->suspicion++;
  else if (w->suspicion > 0)
    w->suspicion--;
  return w->suspicion >= w->patience;
}

bool dae__bdf_watch_limit(dae__bdf *s, const dae__estimate *est, double *estimate)
{
  dae__bdf_watch *w = &s->m->watch;
  double two;
  if (!s->opts.stability || !dae__bdf_strict(s) || s->max_order <= LIMIT_ORDER)
    return false;
  if (w->limited)
    bdf_stability_judge_trial(s, est);
  if (w->limited || s->history.memory->order <= LIMIT_ORDER ||
      !bdf_stability_suspects(s, est, &two))
    return false;
  w->limited = true;
  w->since = s->m->stats.steps;
  w->h = s->history.memory->h;
  w->h2 = fmin(w->h, bdf_stability_allowed(s, LIMIT_ORDER, two));
  *estimate = two;
  return true;
}
