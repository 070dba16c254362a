/* When the sweeps of a Gauss step are enough. What they change its end by comes to lie on a line
 * soon: with u_j the change by sweep j, relative to the tolerance,
 *
 *   u_(j+1) = beta u_j,   so that beta / (1 - beta) u_j is left after sweep j,
 *
 * which is added at the end: one sweep for nothing. Then some delta |u_j| is left, where delta is
 * by how much beta may be off: by how much it was, judged by that of an earlier step. Both are
 * measured by the second and third change, and go with h^2. The first change is that of what was
 * foreseen, at one node better than at another, and says nothing about them; so a step may end
 * after two sweeps where they are known.
 *
 * Most of all that saves sweeps where the fastest mode of a motion binds them, whose beta hardly
 * changes: 14 % of the evaluations of the car axis, up to 5 % of other mechanisms. */
#include "core/error.h"
#include "onestep/gauss/gauss.h"

#define MOST 12        /* sweeps of a variable step, */
#define MOST_FIXED 200 /* and of a fixed one, which cannot be made smaller */
#define SLOW 0.8       /* contraction from which on it is given up */
#define AT_ONCE 1e-3   /* of the stop value: the first change that is enough, */
#define SECOND 0.5     /* and what may be left after two sweeps */
#define FAST 0.1       /* convergence that is fast: |u_(j+1)| / |u_j| */
#define STAYS 0.5      /* of delta from one step that measures it to the next */
#define FADES 1.5      /* delta where it is relied upon, not measured */
#define BEARABLE 1e6   /* changes by round-off that do not get smaller are none up to here */

/* of u, and of u with the change before, each in two parts */
typedef struct sums {
  dae__pair squares, products;
} sums;

static inline __attribute__((always_inline)) sums
gauss_add_up(const dae__gauss *o, const double *x1, bool keep, bool with_last)
{
  int n = o->adapter->nx, i = 0;
  double *last = o->change;
  sums s = {{0, 0}, {0, 0}};
  for (; i + 2 <= n; i += 2) {
    dae__pair d = dae__pair_from_anywhere(x1 + i) - dae__pair_from_anywhere(o->before + i),
              u = d * dae__pair_from_anywhere(o->inverse + i);
    s.squares += u * u;
    if (with_last)
      s.products += u * dae__pair_from_anywhere(last + i);
    if (keep)
      dae__pair_to(last + i, u);
  }
  if (i < n) {
    double u = (x1[i] - o->before[i]) * o->inverse[i];
    s.squares[0] += u * u;
    s.products[0] += with_last ? u * last[i] : 0;
    if (keep)
      last[i] = u;
  }
  return s;
}

static void gauss_compare(const dae__gauss *o, const double *x1, dae__gauss_sweeps *now)
{
  int count = ++now->count;
  sums s = count == 1   ? gauss_add_up(o, x1, false, false)
           : count == 2 ? gauss_add_up(o, x1, true, false)
                        : gauss_add_up(o, x1, true, true);
  now->before = now->change;
  now->change = dae__pair_sum(s.squares) * o->share;
  now->along = dae__pair_sum(s.products) * o->share;
}

static dae_status gauss_give_up(dae_error *err)
{
  return dae__fail(err, DAE_ERROR_STEP, NULL,
                   "the iteration of the stages does not converge: the motion may be stiff, which "
                   "radau is for");
}

static double gauss_square(double x)
{
  return x * x;
}

/* beta and delta by the second and third change; now->beta */
static void gauss_measure(dae__gauss_memory *m, double h, dae__gauss_sweeps *now)
{
  double size = 1 / now->before, per = 1 / (h * h), old = m->beta * h * h;
  double beta = now->beta = now->along * size, theta2 = now->change * size;
  double off = sqrt(fmax(theta2 - 2 * beta * old + old * old, 0)) * per;
  m->delta = m->delta > 0 ? fmax(off, STAYS * m->delta) : sqrt(theta2) * per;
  m->beta = beta * per;
}

/* |u_j| theta / (1 - theta) <= stop, theta = |u_j| / |u_(j-1)| */
static bool gauss_nothing_left(const dae__gauss *o, const dae__gauss_sweeps *now)
{
  return now->change <= o->stop * (sqrt(now->before) - sqrt(now->change));
}

/* delta |u_j| <= bound */
static bool gauss_little_left(const dae__gauss *o, double h, const dae__gauss_sweeps *now,
                              double bound)
{
  return gauss_square(o->memory->delta * h * h) * now->change <= gauss_square(bound);
}

/* After the second sweep and later ones; now->beta for what is added. Where sweeps converge slowly,
 * steps are too long for them rather than too inaccurate, which has to show: nothing is added. */
static bool gauss_suffice(dae__gauss *o, double h, dae__gauss_sweeps *now)
{
  dae__gauss_memory *m = o->memory;
  if (o->fixed || !(now->change < gauss_square(FAST) * now->before)) {
    m->delta = now->count > 2 ? 0 : m->delta;
    return now->change < now->before && gauss_nothing_left(o, now);
  }
  if (now->count == 2) {
    if (!(m->delta > 0 && fabs(m->beta * h * h) < FAST))
      return gauss_nothing_left(o, now);
    now->beta = m->beta * h * h;
    return gauss_little_left(o, h, now, SECOND * o->stop);
  }
  if (now->count == 3)
    gauss_measure(m, h, now);
  else
    now->beta = now->along / now->before;
  return gauss_little_left(o, h, now, o->stop) || gauss_nothing_left(o, now);
}

/* whether further sweeps may do */
static bool gauss_hopeful(const dae__gauss *o, const dae__gauss_sweeps *now)
{
  if (now->count == 2 && now->change < gauss_square(FAST) * now->before)
    return true;
  double theta = sqrt(now->change / now->before), left = theta / (1 - theta) * sqrt(now->change);
  if (o->fixed)
    return theta < 1 && now->count < MOST_FIXED;
  for (int i = now->count; i < MOST && left > o->stop; i++)
    left *= theta;
  return theta < SLOW && left <= o->stop;
}

dae_status dae__gauss_test_convergence(dae__gauss *o, double h, const double *x1,
                                       dae__gauss_sweeps *now, bool *enough, dae_error *err)
{
  gauss_compare(o, x1, now);
  if (now->count == 1) {
    *enough = now->change <= gauss_square(AT_ONCE * o->stop);
    return isfinite(now->change) ? DAE_OK : gauss_give_up(err);
  }
  *enough = gauss_suffice(o, h, now);
  if (*enough && now->count == 2)
    o->memory->delta *= FADES;
  if (!*enough && o->fixed)
    *enough = now->change >= now->before && now->change <= gauss_square(BEARABLE);
  return *enough || gauss_hopeful(o, now) ? DAE_OK : gauss_give_up(err);
}

void dae__gauss_add_rest(const dae__gauss *o, const dae__gauss_sweeps *now, double *x1)
{
  double rest = now->beta / (1 - now->beta);
  for (int i = 0; i < o->adapter->nx; i++)
    x1[i] += rest * (x1[i] - o->before[i]);
}
