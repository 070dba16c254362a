/* Between the ends of a Gauss step. At first x by the polynomial through the slopes at 0, c_1 ...
 * c_s, 1, which are there: of order s + 2, and good to a part of the tolerance for most steps. That
 * is looked at: slopes k at two points tell what they are off by, and x then is off by a fifth of
 * h |k - p|, measured on five mechanisms at tolerances from 1e-3 to 1e-10. Where it is not good
 * enough, x is found by a polynomial through slopes at 2s Chebyshev points x_i, both ends among
 * them, found by sweeps as those of the stages,
 *
 *   k_i <- k(t0 + x_i h, X_i),   X_i by the slopes of all points so far,
 *
 * which gain an order each. What the sums miss of the end is shared out as x^2 (3 - 2x), so that
 * the ends stay where the step has put them. */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/gauss/gauss.h"
#include "step/driver.h"

#define MOST 10   /* sweeps of a variable step */
#define GOOD 2    /* h |k - p|, relative to the tolerance, at which x is good enough */
#define GAIN 0.25 /* what the first sweep leaves of it, at most: measured as above */
#define SLOW 0.7  /* where a change is more than this part of the one before, sweeping ends, */
#define WORTH 0.5 /* and was of use if it has become this part of the first */

/* x of z at x by slopes at nodes */
static void gauss_follow(const dae__gauss *o, const dae__rk_step *step, const dae__nodal *nodes,
                         const double *K, double x, double *z)
{
  double single[DAE__NODAL_MOST], twice[DAE__NODAL_MOST];
  dae__gauss_point p;
  dae__nodal_integrals(nodes, x, single, twice);
  dae__gauss_point_create(o, 0, nodes->n, nodes->n - 1, x, single, twice, &p);
  dae__gauss_move_by_any(o, step->h, step->from.z, K, &p, z);
}

/* o->missed: what they miss of the end */
static void gauss_find_missed(dae__gauss *o, const dae__rk_step *step, const dae__nodal *nodes,
                              const double *K)
{
  gauss_follow(o, step, nodes, K, 1, o->before);
  for (int i = 0; i < o->adapter->nx; i++)
    o->missed[i] = step->to.z[i] - o->before[i];
}

static void gauss_state_at(const dae__gauss *o, const dae__rk_step *step, const dae__nodal *nodes,
                           const double *K, double x, double *z)
{
  gauss_follow(o, step, nodes, K, x, z);
  dae__axpy(o->adapter->nx, x * x * (3 - 2 * x), o->missed, z);
}

void dae__gauss_dense_output(void *self, const dae__rk_step *step, double x, double *z)
{
  dae__gauss *o = self;
  const dae__rk_adapter *adapter = o->adapter;
  dae__gauss_memory *m = o->memory;
  const dae__nodal *nodes = m->fine ? &o->fine : &o->wide;
  const double *K = m->fine ? o->F : o->K[m->last];
  if (!m->missed)
    gauss_find_missed(o, step, nodes, K);
  m->missed = true;
  gauss_state_at(o, step, nodes, K, x, z);
  for (int i = adapter->nx; i < adapter->size; i++)
    z[i] = step->from.z[i] + x * (step->to.z[i] - step->from.z[i]);
}

/* ---- sweeps ---- */

/* slopes at the points as the rough polynomial has them; those at both ends stay */
static void gauss_begin_fine(dae__gauss *o)
{
  double w[DAE__NODAL_MOST];
  dae__copy(o->n2, o->K[o->memory->last], o->F); /* v0 */
  for (int i = 0; i < o->fine.n; i++) {
    dae__nodal_values(&o->wide, o->fine.x[i], w);
    dae__gauss_combine(o, o->s + 2, w, o->K[o->memory->last], dae__gauss_slope(o, o->F, i));
  }
}

/* The slope at x, X by slopes at nodes; *change: the largest h |k - p|, relative to the tolerance,
 * if it is more. */
static dae_status gauss_look(dae__gauss *o, const dae__rk_step *step, double x, const double *p,
                             double *k, double *change, dae_error *err)
{
  const dae__rk_adapter *adapter = o->adapter;
  dae_status status =
      adapter->table->slopes(adapter->self, true, step->t + x * step->h, o->z, k, err);
  for (int j = o->n2; !status && j < adapter->nx; j++) {
    double d = step->h * fabs(k[j] - p[j]) * o->inverse[j];
    *change = d <= *change ? *change : d; /* a NaN stays */
  }
  return status;
}

/* whether the rough polynomial is good enough, by two of the points */
static dae_status gauss_probe(dae__gauss *o, const dae__rk_step *step, bool *good, dae_error *err)
{
  double *K = o->K[o->memory->last], w[DAE__NODAL_MOST], change = 0;
  dae_status status = DAE_OK;
  gauss_find_missed(o, step, &o->wide, K);
  for (int i = o->fine.n / 2 - 2; !status && i <= o->fine.n / 2; i += 2) {
    double x = o->fine.x[i];
    dae__nodal_values(&o->wide, x, w);
    dae__gauss_combine(o, o->s + 2, w, K, o->error);
    gauss_state_at(o, step, &o->wide, K, x, o->z);
    status = gauss_look(o, step, x, o->error, o->before, &change, err);
  }
  *good = !status && change <= GOOD;
  return status;
}

/* all slopes inside once */
static dae_status gauss_dense_sweep(dae__gauss *o, const dae__rk_step *step, double *change,
                                    dae_error *err)
{
  dae_status status = DAE_OK;
  *change = 0;
  gauss_find_missed(o, step, &o->fine, o->F);
  for (int i = 1; !status && i < o->fine.n - 1; i++) {
    double *K = dae__gauss_slope(o, o->F, i);
    gauss_state_at(o, step, &o->fine, o->F, o->fine.x[i], o->z);
    status = gauss_look(o, step, o->fine.x[i], K, o->before, change, err);
    if (!status)
      dae__copy(o->adapter->nx, o->before, K);
  }
  return status;
}

/* sweeps until the next one would change little; the rough polynomial stays where that does not
 * come to anything */
static dae_status gauss_improve(dae__gauss *o, const dae__rk_step *step, dae_error *err)
{
  int gained = o->s - 1 > 2 ? o->s - 1 : 2, most = o->fixed ? gained : MOST;
  double good = o->fixed ? 8 : GOOD, first = 0, before = 0, change = 0, next = INFINITY;
  gauss_begin_fine(o);
  for (int i = 0; i < most && next > good; i++) {
    DAE__TRY(gauss_dense_sweep(o, step, &change, err));
    if (i > 0 && !(change < SLOW * before))
      break;
    first = i == 0 ? change : first;
    next = o->fixed ? change : change * (i == 0 ? GAIN : change / before);
    before = change;
  }
  o->memory->fine = next <= good || change < WORTH * first;
  return DAE_OK;
}

dae_status dae__gauss_refine(void *self, const dae__rk_step *step, dae_error *err)
{
  dae__gauss *o = self;
  bool enough = false;
  dae__gauss_weigh(o, step->from.z);
  dae__copy(o->adapter->size, step->from.z, o->z);
  dae_status status = o->fixed || o->s < 3 ? DAE_OK : gauss_probe(o, step, &enough, err);
  if (!status && !enough)
    status = gauss_improve(o, step, err);
  o->memory->missed = false; /* it is found anew for the polynomial that is there now */
  return dae__driver_can_retry(status) ? DAE_OK : status;
}
