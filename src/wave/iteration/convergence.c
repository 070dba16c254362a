/* Convergence test of a sweep. With the changes c_n = |zhat - z| over all unknowns and nodes,
 * relative to rtol max |z_i| + atol_i, and the rate q = c_n / c_{n-1}, the error after sweep n is
 *
 *   q / (1 - q) c_n
 *
 * for geometric convergence; the change itself may be far smaller than the error (q = 0.9: nine
 * times). The zhat of the last sweep are accepted, whose error differs from that of the next z
 * unless the update is plain: by about z + d - zhat with a Newton correction d, by an unknown
 * amount for other updates, so that the change itself has to be small. */
#include "core/mutant.h"
#include "core/vec.h"
#include "wave/iteration/wave.h"

/* Tuning constants; changes and errors relative to the tolerance; chosen, not measured. */
#define MAX_ITERATION_ERROR 0.01 /* estimated error of accepted waveforms */
/* norm of z + d - zhat, or of zhat - z, unless the update is plain */
#define MAX_NEWTON_DISTANCE 0.05
/* changes below this that do not contract are noise of subsystems */
#define MAX_NOISE_CHANGE 1
#define MIN_RATE_CHANGE 1 /* changes above this whose rate is not noise */
/* change over MAX_ITERATION_ERROR that is accepted without a rate */
#define NO_CHANGE 1e-6
/* sweeps in a row without contraction that count as divergence */
#define GROWING_SWEEPS 3
/* limit of such sweeps while rho > 1 and the growth is below rho's */
#define MAX_GROWING_SWEEPS 15
#define CYCLE_DIFFERENCE 0.05      /* relative difference of changes that alternate in sign */
#define CYCLE_RATE_DIFFERENCE 0.02 /* largest |rate - 1| of a cycle */
#define ROUND_OFF 2e-15            /* round-off of a variable relative to its size */
#define DIVERGENCE_GROWTH 10       /* change over the smallest change that counts as divergence */
#define PREDICTED_GROWTH 0.3       /* share of rho - 1 from which growth is attributed to rho */
#define OVERFLOW_GROWTH 1e12       /* change over the first change that ends any iteration */

/* Error weight of unknown i: its tolerance, at least its round-off. */
static double convergence_weight(const dae__wave *w, int i)
{
  return fmax(w->opts.rtol * w->scale[i] + w->atol[i], ROUND_OFF * w->scale[i]);
}

/* Maximum of the weighted |x_i| over all unknowns and nodes, in units of the tolerance; a NaN is
 * propagated. *largest: its unknown, kept where all x_i are zero. */
static double convergence_norm(const dae__wave *w, const double *x, int *largest)
{
  int n = w->f->unknowns;
  double most = 0;
  for (int k = 0; k < w->computed.nodes; k++)
    for (int i = 0; i < n; i++) {
      double a = fabs(x[(size_t)k * (size_t)n + (size_t)i]) / convergence_weight(w, i);
      if (!(a <= most) && !isnan(most))
        most = a, *largest = i;
    }
  return most;
}

/* Norm of the change zhat - z over all nodes, and the unknown *largest of it. Option stop = end:
 * norm of the change between two sweeps of positions, states, algebraic variables and multipliers
 * at the end of the window [WHM11 (10)]. */
static double convergence_change(dae__wave *w, int *largest)
{
  int n = w->f->unknowns, nodes = w->computed.nodes;
  double most = 0;
  dae__zero(n, w->scale);
  for (int k = 0; k < nodes; k++)
    for (int i = 0; i < n; i++)
      w->scale[i] = fmax(w->scale[i], fmax(fabs(dae__wave_at(&w->given, k)[i]),
                                           fabs(dae__wave_at(&w->computed, k)[i])));
  if (w->opts.stop != DAE_WAVE_STOP_END)
    return convergence_norm(w, w->change, largest);
  const double *end = dae__wave_at(&w->computed, nodes - 1);
  for (int i = 0; i < n; i++)
    if (w->f->in_end_norm[i] &&
        fabs(end[i] - w->previous_end[i]) / convergence_weight(w, i) > most) {
      most = fabs(end[i] - w->previous_end[i]) / convergence_weight(w, i);
      *largest = i;
    }
  dae__copy(n, end, w->previous_end);
  return most;
}

/* Measures change and rate; the rate over two sweeps, after every second one, where these are one
 * step of the iteration. */
static void convergence_measure(dae__wave *w)
{
  dae__trial_window *o = &w->trial;
  bool pairs = w->variant.pairs;
  int largest = -1;
  double change = convergence_change(w, &largest), before = pairs ? o->last_change : o->change;
  w->limits.now.change = largest < 0 ? -1 : w->f->entry[largest];
  o->last_rate = pairs && o->sweep % 2 == 1 ? o->last_rate : o->rate;
  o->rate = o->sweep > (pairs ? 2 : 1) ? change / before : NAN;
  o->last_change = o->change;
  o->change = change;
  if (o->sweep == 1)
    o->first_change = o->min_change = change;
  o->min_change = fmin(o->min_change, change);
  if (o->last_change > MIN_RATE_CHANGE && !isnan(o->rate))
    o->worst_rate = fmax(o->worst_rate, o->rate);
}

/* Whether the change is the negative of the change one sweep before; for Jacobi, which interleaves
 * two Gauss-Seidel iterations, two sweeps before. */
static bool convergence_is_cycle(dae__wave *w)
{
  int n = w->f->unknowns * w->computed.nodes, back = w->jacobi ? 2 : 1;
  const double *earlier = w->jacobi ? w->older_change : w->last_change;
  if (w->trial.sweep <= back)
    return false;
  for (int i = 0; i < n; i++)
    w->previous[i] = w->change[i] + earlier[i];
  int largest = 0;
  double sum = convergence_norm(w, w->previous, &largest);
  double rate = w->jacobi ? w->trial.rate * w->trial.last_rate : w->trial.rate;
  return w->trial.change > 0 && sum <= CYCLE_DIFFERENCE * w->trial.change &&
         fabs(rate - 1) <= CYCLE_RATE_DIFFERENCE;
}

/* Whether the accepted zhat is close enough to the z of the next sweep. */
static bool convergence_is_close(const dae__wave *w)
{
  const dae__interface *f = w->f;
  dae_wave_update update = w->trial.update;
  if (update == DAE_WAVE_PLAIN || w->variant.plain)
    return true;
  if (update != DAE_WAVE_SCHUR && !w->variant.newton)
    return w->trial.change <= MAX_NEWTON_DISTANCE;
  double most = 0;
  for (int k = 0; k < w->computed.nodes; k++)
    for (int d = 0; d < f->directs; d++) {
      int i = f->unknown_of[d];
      double delta = w->delta[(size_t)k * (size_t)f->directs + (size_t)d];
      double change = w->change[(size_t)k * (size_t)f->unknowns + (size_t)i];
      most = fmax(most, fabs(delta - change) / convergence_weight(w, i));
    }
  return most <= MAX_NEWTON_DISTANCE;
}

static bool convergence_reached(const dae__wave *w)
{
  const dae__trial_window *o = &w->trial;
  bool measured = !isnan(o->rate);
  double q = measured ? o->rate : w->m->rate;
  if (w->opts.sweeps > 0)
    return o->sweep >= w->opts.sweeps;
  if (w->opts.stop != DAE_WAVE_STOP_ERROR)
    return DAE__MUTATE(wave_converged, o->change <= 1, true);
  if (o->change <= NO_CHANGE * MAX_ITERATION_ERROR)
    return true;
  if (!measured && !(q < 1))
    return false;
  if (q < 1 &&
      DAE__MUTATE(wave_iteration_error, q / (1 - q) * o->change <= MAX_ITERATION_ERROR,
                  q / (1 - q) * o->change <= 1e6 * MAX_ITERATION_ERROR) &&
      convergence_is_close(w))
    return true;
  return o->change <= MAX_NOISE_CHANGE && o->rate * o->last_rate >= 1;
}

/* Divergence test: whether the changes grow at the rate that rho predicts, not towards the limit of
 * a cycle, and further sweeps are useless, because a plain sweep does not contract or a shorter
 * window is allowed. */
static bool convergence_is_lost(const dae__wave *w)
{
  const dae__trial_window *o = &w->trial;
  double rho = w->m->rho;
  bool plain = o->update == DAE_WAVE_PLAIN || o->update == DAE_WAVE_RELAX;
  bool grows = o->growing < GROWING_SWEEPS
                   ? o->sweep > MAX_GROWING_SWEEPS && o->change > DIVERGENCE_GROWTH * o->min_change
                   : !(rho > 1) || o->growing >= MAX_GROWING_SWEEPS ||
                         o->rate >= 1 + PREDICTED_GROWTH * (rho - 1);
  return grows && ((w->opts.window == 0 && !plain) || (plain && !(rho < 1)) ||
                   o->change > OVERFLOW_GROWTH * o->first_change);
}

dae__sweep_outcome dae__wave_test_convergence(dae__wave *w)
{
  dae__trial_window *o = &w->trial;
  bool tested = w->opts.sweeps == 0, pairs = w->variant.pairs;
  convergence_measure(w);
  bool cycle = convergence_is_cycle(w), half = pairs && o->sweep % 2 == 1 && tested;
  dae__copy(w->f->unknowns * w->computed.nodes, w->last_change, w->older_change);
  dae__copy(w->f->unknowns * w->computed.nodes, w->change, w->last_change);
  if (isnan(o->change) || isinf(o->change))
    return DAE__SWEEP_DIVERGED;
  if (!half && convergence_reached(w))
    return DAE__SWEEP_CONVERGED;
  o->growing = DAE__MUTATE(wave_grows, o->rate >= 1 ? o->growing + 1 : 0, 0);
  o->cycling = cycle && !pairs ? o->cycling + 1 : 0;
  if (o->cycling >= GROWING_SWEEPS && tested)
    return DAE__SWEEP_CYCLE;
  if (tested && convergence_is_lost(w))
    return DAE__SWEEP_DIVERGED;
  return o->sweep >= o->max_sweeps && tested ? DAE__SWEEP_LIMIT : DAE__SWEEP_CONTINUE;
}
