/* Functional iteration of a Gauss step, without a matrix: a sweep evaluates every slope k_i at the
 * state given by the newest slopes. It contracts as h^2 where forces do not depend on v.
 *
 * Initial slopes are extrapolated by the polynomial through the slopes of the last step, both ends
 * among them. The extrapolation error is proportional to psi(x), the product of the distances from
 * these nodes, and some thousand times larger at the last stage than at the first ones. The first
 * sweep therefore keeps the slopes of the first stages. Each slope that it evaluates is a further
 * node of the polynomial, and corrects the slopes of the stages behind it in proportion to psi: the
 * slopes of the last stages are evaluated at states that are some ten times more accurate. For x' =
 * i omega x and q'' = -omega^2 q, h omega from 0.3 to 1.5, what is left after the sweep is 10 to 80
 * times smaller than without the correction, a sweep less for most steps.
 *
 * Convergence test. With u_j the change of x1 by sweep j, relative to the tolerance, theta / (1 -
 * theta) |u_j| is left after sweep j, where theta = |u_j| / |u_(j-1)|. The first sweep changes
 * extrapolated slopes, so that |u_2| / |u_1| is far below the contraction: theta is at least the
 * contraction of earlier steps, which scales as h where forces depend on v and as h^2 where they do
 * not; the larger of both is taken. Where none is known, a third sweep measures it. Its |u_3| /
 * |u_2| may be too large, since u_2 hides what the correction has removed from x1 and not from the
 * slopes; it does not show divergence, and |u_4| / |u_3| replaces it. After a fourth sweep, which
 * has two ratios of its own, a step does not wait for the contraction extrapolated from others.
 *
 * The share of the tolerance that a step may leave decreases with the number of steps (share.h).
 *
 * Early rejection: the slopes, and so the error estimate, change by less in later sweeps than in
 * this one. Where the estimate exceeds the tolerance by more than it changed in this sweep, the
 * step is going to be rejected, and the iteration ends. */
#include "core/error.h"
#include "core/mutant.h"
#include "core/vec.h"
#include "onestep/gauss/gauss.h"
#include "onestep/host/share.h"
#include <math.h>

/* Constants of the convergence test. In parentheses: range of values within which the evaluations
 * for 4, 6 and 8 digits of 22 problems change by less than 5 % in the geometric mean; values
 * without a range are chosen, not measured. */
#define MAX_SWEEPS 12            /* largest number of sweeps of a variable step (6 to 20) */
#define MAX_SWEEPS_FIXED 200     /* largest number of sweeps of a fixed step */
#define SLOWEST_RATE 0.8         /* contraction above which the iteration fails */
#define SMALL_CHANGE 1e-3        /* change that ends the iteration at any rate / stop value */
#define MAX_ROUND_OFF_CHANGE 1e6 /* largest stagnating change of a fixed step, in round-off */

/* Functional iteration of one attempt. A change is the root mean square of u, the change of x1 by a
 * sweep relative to the tolerance. */
typedef struct iteration {
  int sweeps;
  bool corrected;                 /* the first sweep corrects extrapolated slopes */
  double stop;                    /* error at which sweeps end, relative to the tolerance */
  double change, previous_change; /* changes by the last sweep and by the sweep before it */
  double first_change;
  double rate;     /* largest contraction from the third sweep on */
  double slowest;  /* least contraction that earlier steps let expect; 0: not known */
  double estimate; /* error estimate after the last sweep; 0: none */
  bool enough;     /* the error is below the stop value of the first step */
} iteration;

/* ---- convergence test ---- */

static double gauss_change(const dae__gauss *o, const double *x1)
{
  int n = o->adapter->nx, i = 0;
  dae__pair sum = {0, 0};
  for (; i + 2 <= n; i += 2) {
    dae__pair d = dae__pair_from_anywhere(x1 + i) - dae__pair_from_anywhere(o->previous_end + i),
              u = d * dae__pair_from_anywhere(o->inverse_weight + i);
    sum += u * u;
  }
  double rest = i < n ? (x1[i] - o->previous_end[i]) * o->inverse_weight[i] : 0;
  return sqrt((dae__pair_sum(sum) + rest * rest) * o->inverse_nx);
}

/* Values of an iteration at its begin: stop value by the number of steps so far, not below
 * round-off, and contraction measured in an earlier step. */
static iteration gauss_begin_iteration(const dae__gauss *o, double h, bool extrapolated)
{
  const dae__gauss_memory *m = o->memory;
  if (o->fixed)
    return (iteration){.stop = o->stop};
  double share = dae__step_share(m->steps), q = m->measured_h > 0 ? h / m->measured_h : 0;
  return (iteration){.corrected = extrapolated,
                     .stop = dae__larger(share * o->stop, o->round_off),
                     .slowest = m->rate * dae__larger(q, q * q)};
}

/* Measures the contraction by the last two changes. That of the first two is one only where the
 * initial slopes are not extrapolated. */
static void gauss_measure_rate(dae__gauss *o, double h, iteration *it)
{
  dae__gauss_memory *m = o->memory;
  double ratio = it->change / it->previous_change;
  if (it->sweeps > 2)
    it->rate = it->sweeps > 4 ? dae__larger(ratio, it->rate) : ratio;
  if (it->sweeps > 3)
    it->slowest = fmin(it->slowest, it->rate);
  if (it->sweeps > 2 || !it->corrected)
    m->rate = it->sweeps > 2 ? it->rate : ratio, m->measured_h = h;
}

/* Whether further sweeps reach stop within the sweep limit, by the present convergence rate. */
static bool gauss_may_converge(const dae__gauss *o, const iteration *it, double stop)
{
  double theta = it->change / it->previous_change, left = theta / (1 - theta) * it->change;
  if (o->fixed)
    return theta < 1 && it->sweeps < MAX_SWEEPS_FIXED;
  if (it->corrected && it->sweeps == 3 && it->change < it->first_change)
    return true;
  for (int i = it->sweeps; i < MAX_SWEEPS && left > stop; i++)
    left *= theta;
  return theta < SLOWEST_RATE && left <= stop;
}

/* Convergence test after a sweep with end x1; *done: converged. DAE_ERROR_STEP: the iteration does
 * not converge. */
static dae_status gauss_test_convergence(dae__gauss *o, double h, const double *x1, iteration *it,
                                         bool *done, dae_error *err)
{
  bool may_converge = true;
  it->previous_change = it->change;
  it->change = gauss_change(o, x1);
  *done = DAE__MUTATE(gauss_small_change, it->change <= SMALL_CHANGE * it->stop,
                      it->change <= 1e6 * it->stop);
  if (++it->sweeps == 1) {
    it->first_change = it->change;
    may_converge = isfinite(it->change);
  } else if (!*done) {
    bool known = !it->corrected || it->slowest > 0 || it->sweeps > 2;
    gauss_measure_rate(o, h, it);
    /* the share of a late step is not insisted on where slow convergence or round-off of the
     * evaluations prevents it */
    bool reaches = gauss_may_converge(o, it, it->stop);
    double theta = dae__larger(it->change / it->previous_change, it->slowest);
    double left = theta < 1 ? theta / (1 - theta) * it->change : INFINITY;
    it->enough = left <= o->stop;
    *done = known && DAE__MUTATE(gauss_converged, left <= (reaches ? it->stop : o->stop),
                                 left <= 1e6 * o->stop);
    if (!*done && o->fixed)
      *done = it->change >= it->previous_change && it->change <= MAX_ROUND_OFF_CHANGE;
    may_converge = *done || reaches || gauss_may_converge(o, it, o->stop);
  }
  return may_converge ? DAE_OK
                      : dae__fail(err, DAE_ERROR_STEP, NULL,
                                  "the functional iteration of the stages does not converge: the "
                                  "problem may be stiff, try radau");
}

/* Whether the error estimate is going to exceed the tolerance. */
static bool gauss_is_hopeless(dae__gauss *o, double h, const double *K, iteration *it)
{
  if (o->fixed)
    return false;
  double before = it->estimate;
  it->estimate = dae__gauss_mapped_error(o, h, K);
  return before > 0 && it->estimate - fabs(it->estimate - before) > 1;
}

/* ---- sweeps ---- */

/* One sweep: slopes of the stages from `first` on, then x1; psi (may be NULL): later slopes are
 * corrected by those evaluated. */
static dae_status gauss_sweep(dae__gauss *o, const dae_step *step, int first, double *psi,
                              double *K, dae_error *err)
{
  const dae_adapter *adapter = o->adapter;
  const double t = step->t, h = step->h, *x0 = step->from.z;
  double *z = o->z, *k = dae__gauss_slope(o, K, first + 1);
  for (int i = first; i < o->s; i++, k += o->stride) {
    const dae__gauss_point *p = o->rule.stage + i;
    bool corrects = psi && i + 1 < o->s;
    o->state(o, h, x0, K, p, z);
    DAE__TRY(adapter->table->slopes(adapter->self, false, t + p->x * h, z,
                                    corrects ? o->evaluated : k, err));
    if (corrects)
      dae__gauss_correct(o, i, psi, K);
  }
  o->state(o, h, x0, K, &o->rule.end, step->to.z);
  return DAE_OK;
}

/* variable with the largest change by the last sweep */
static void gauss_name_limit(const dae__gauss *o, const double *x1)
{
  double most = 0;
  for (int i = 0; i < o->adapter->nx; i++) {
    double d = fabs((x1[i] - o->previous_end[i]) * o->inverse_weight[i]);
    if (d > most)
      most = d, o->adapter->limiting->change = i;
  }
}

dae_status dae__gauss_iterate(dae__gauss *o, const dae_step *step, double *K, dae_error *err)
{
  double psi[DAE__COLLOCATION_STAGES_MAX] = {0};
  bool extrapolated = dae__gauss_predict(o, step, K, psi), done = false;
  iteration it = gauss_begin_iteration(o, step->h, extrapolated);
  int first = extrapolated ? o->rule.early_stages : 0;
  o->state(o, step->h, step->from.z, K, &o->rule.end, o->previous_end);
  while (!done) {
    dae_status status =
        gauss_sweep(o, step, first, it.corrected && it.sweeps == 0 ? psi : NULL, K, err);
    o->memory->iterations++;
    o->memory->work += o->s;
    if (!it.enough)
      o->memory->stiffness = (it.sweeps + 1) / (double)MAX_SWEEPS;
    DAE__TRY(status);
    status = gauss_test_convergence(o, step->h, step->to.z, &it, &done, err);
    /* fixed steps: the last change is round-off */
    if (status || (o->adapter->limiting->wanted && done != o->fixed))
      gauss_name_limit(o, step->to.z);
    DAE__TRY(status);
    done = done || gauss_is_hopeless(o, step->h, K, &it);
    first = 0;
    if (!done)
      dae__copy(o->adapter->nx, step->to.z, o->previous_end);
  }
  return DAE_OK;
}
