/* Whether sweeps have converged. With the changes c_n = |zhat - z| over all unknowns and nodes,
 * relative to rtol max |z_i| + atol, and q = c_n / c_{n-1}, what is left after sweep n is
 *
 *   q / (1 - q) c_n
 *
 * where errors contract geometrically; the change itself may be far smaller than the error (a
 * coupling that contracts by 0.9: ten times). What is accepted are the zhat of the last sweep.
 * Where z is not updated plainly their errors are not those of the next z: with Newton's correction
 * d about z + d - zhat, otherwise not known, so that the change itself has to be small. */
#include "core/vec.h"
#include "wave/iteration/wave.h"

#define TARGET 0.01 /* error of the iteration, relative to the tolerance */
#define CLOSE 0.05  /* the same of an update that is not plain, see below */
#define NOISE 1     /* changes up to here that do not shrink any more are noise of the subsystems */
#define PATIENCE 3  /* sweeps that do not contract before it is said */
#define LONG 15     /* the same where they might come to a limit */
#define SAME 0.05   /* difference of changes that repeat each other, */
#define AS_LARGE 0.02   /* and of their sizes */
#define SEEN 1          /* changes above which a rate is not noise */
#define ROUND_OFF 2e-15 /* of a variable, that no tolerance goes below */
#define GROWN 10        /* growth that is taken for divergence where changes go up and down */
#define STEADY 0.3      /* part of the growth that the derivatives predict which is taken for it */
#define EXPLODED 1e12   /* growth of the change that no window outlives */

static void wave_find_scales(dae__wave *w)
{
  int n = w->f->unknowns;
  dae__zero(n, w->scale);
  for (int k = 0; k < w->computed.nodes; k++)
    for (int i = 0; i < n; i++)
      w->scale[i] = fmax(w->scale[i], fmax(fabs(dae__wave_at(&w->given, k)[i]),
                                           fabs(dae__wave_at(&w->computed, k)[i])));
}

/* what counts as 1: the tolerance, and what round-off allows */
static double wave_weight_of(const dae__wave *w, int i)
{
  return fmax(w->opts.rtol * w->scale[i] + w->opts.atol, ROUND_OFF * w->scale[i]);
}

static double wave_norm_at(const dae__wave *w, int node, const double *x)
{
  const double *here = x + (size_t)node * (size_t)w->f->unknowns;
  double most = 0;
  for (int i = 0; i < w->f->unknowns; i++) {
    double a = fabs(here[i]) / wave_weight_of(w, i);
    if (!(a <= most)) /* a NaN stays */
      most = a;
  }
  return most;
}

/* [WHM11 (10)]: positions, states, algebraic variables, multipliers at the end, between sweeps */
static double wave_end_norm(const dae__wave *w)
{
  int end = w->computed.nodes - 1, n = w->f->unknowns;
  const double *now = dae__wave_at(&w->computed, end);
  double most = 0;
  for (int i = 0; i < n; i++)
    if (w->f->steady[i])
      most = fmax(most, fabs(now[i] - w->end_before[i]) / wave_weight_of(w, i));
  dae__copy(n, now, w->end_before);
  return most;
}

static double wave_norm(dae__wave *w)
{
  double most = 0;
  wave_find_scales(w);
  if (w->opts.stop == DAE_WAVE_STOP_END)
    return wave_end_norm(w);
  for (int k = 0; k < w->computed.nodes; k++) {
    double here = wave_norm_at(w, k, w->change);
    if (!(here <= most))
      most = here;
  }
  return most;
}

/* The change comes back with the other sign: after one sweep, or for Jacobi, whose two halves of a
 * Gauss-Seidel iteration alternate, after two. */
static bool wave_repeats(dae__wave *w)
{
  int n = w->f->unknowns * w->computed.nodes, back = w->jacobi ? 2 : 1;
  const double *earlier = w->jacobi ? w->earlier_change : w->last_change;
  double sum = 0;
  if (w->trial.sweep <= back)
    return false;
  for (int i = 0; i < n; i++)
    w->before[i] = w->change[i] + earlier[i];
  for (int k = 0; k < w->computed.nodes; k++)
    sum = fmax(sum, wave_norm_at(w, k, w->before));
  double size = w->jacobi ? w->trial.rate * w->trial.last_rate : w->trial.rate;
  return w->trial.change > 0 && sum <= SAME * w->trial.change && fabs(size - 1) <= AS_LARGE;
}

/* how far the direct zhat are from where Newton's correction leads */
static double wave_off_newton(const dae__wave *w)
{
  const dae__interface *f = w->f;
  double most = 0;
  for (int k = 0; k < w->computed.nodes; k++)
    for (int d = 0; d < f->directs; d++) {
      int i = f->unknown_of[d];
      double delta = w->delta[(size_t)k * (size_t)f->directs + (size_t)d];
      double change = w->change[(size_t)k * (size_t)f->unknowns + (size_t)i];
      most = fmax(most, fabs(delta - change) / wave_weight_of(w, i));
    }
  return most;
}

/* what was found may be accepted although the next waveforms would not be these */
static bool wave_is_close(const dae__wave *w)
{
  switch (w->trial.update) {
  case DAE_WAVE_PLAIN:
  case DAE_WAVE_SLACK:
    return true;
  case DAE_WAVE_SCHUR:
    return wave_off_newton(w) <= CLOSE;
  case DAE_WAVE_XI:
    return w->jacobi ? w->trial.change <= CLOSE : wave_off_newton(w) <= CLOSE;
  default:
    return w->trial.change <= CLOSE;
  }
}

static bool wave_converged(const dae__wave *w)
{
  const dae__trial_window *o = &w->trial;
  bool seen = !isnan(o->rate);
  double q = seen ? o->rate : w->m->rate;
  if (w->opts.sweeps > 0)
    return o->sweep >= w->opts.sweeps;
  if (w->opts.stop != DAE_WAVE_STOP_ERROR)
    return o->change <= 1;
  if (o->change <= 1e-6 * TARGET) /* nothing is left to change */
    return true;
  if (!seen && !(q < 1))
    return false;
  if (q < 1 && q / (1 - q) * o->change <= TARGET && wave_is_close(w))
    return true;
  return o->change <= NOISE && o->rate * o->last_rate >= 1;
}

/* Growth that is not to be waited for: of a plain sweep that does not contract, or where a shorter
 * window can be tried at once. */
static bool wave_hopeless(const dae__wave *w)
{
  bool plain = w->trial.update == DAE_WAVE_PLAIN || w->trial.update == DAE_WAVE_RELAX;
  return (w->opts.window == 0 && !plain) || (plain && !(w->m->rho < 1)) ||
         w->trial.change > EXPLODED * w->trial.first_change;
}

/* Forms of Jacobi's that take two sweeps for a step [E07 (28)]: rates are those of two sweeps, seen
 * at every second one. */
static bool wave_in_pairs(const dae__wave *w)
{
  return w->jacobi && (w->trial.update == DAE_WAVE_XI || w->trial.update == DAE_WAVE_SLACK);
}

static void wave_measure(dae__wave *w)
{
  dae__trial_window *o = &w->trial;
  double change = wave_norm(w), before = wave_in_pairs(w) ? o->last : o->change;
  o->last_rate = wave_in_pairs(w) && o->sweep % 2 == 1 ? o->last_rate : o->rate;
  o->rate = o->sweep > (wave_in_pairs(w) ? 2 : 1) ? change / before : NAN;
  o->last = o->change;
  o->change = change;
  if (o->sweep == 1)
    o->first_change = o->least = change;
  o->least = fmin(o->least, change);
  if (o->last > SEEN && !isnan(o->rate))
    o->worst_rate = fmax(o->worst_rate, o->rate);
}

/* Whether changes grow as the derivatives say, and not towards a limit as those of a cycle do. */
static bool wave_grows_steadily(const dae__wave *w)
{
  const dae__trial_window *o = &w->trial;
  double rho = w->m->rho;
  if (o->growing < PATIENCE)
    return o->sweep > LONG && o->change > GROWN * o->least;
  return !(rho > 1) || o->growing >= LONG || o->rate >= 1 + STEADY * (rho - 1);
}

dae__sweep_outcome dae__wave_test_convergence(dae__wave *w)
{
  dae__trial_window *o = &w->trial;
  wave_measure(w);
  bool cycle = wave_repeats(w), half = wave_in_pairs(w) && o->sweep % 2 == 1 && w->opts.sweeps == 0;
  dae__copy(w->f->unknowns * w->computed.nodes, w->last_change, w->earlier_change);
  dae__copy(w->f->unknowns * w->computed.nodes, w->change, w->last_change);
  if (isnan(o->change) || isinf(o->change))
    return DAE__SWEEP_DIVERGED;
  if (!half && wave_converged(w))
    return DAE__SWEEP_CONVERGED;
  o->growing = o->rate >= 1 ? o->growing + 1 : 0;
  o->cycling = cycle && !wave_in_pairs(w) ? o->cycling + 1 : 0;
  if (o->cycling >= PATIENCE && w->opts.sweeps == 0)
    return DAE__SWEEP_CYCLE;
  if (w->opts.sweeps == 0 && wave_grows_steadily(w) && wave_hopeless(w))
    return DAE__SWEEP_DIVERGED;
  return o->sweep >= o->max_sweeps && w->opts.sweeps == 0 ? DAE__SWEEP_LIMIT : DAE__SWEEP_CONTINUE;
}
