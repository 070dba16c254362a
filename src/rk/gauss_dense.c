/* Between the ends of a Gauss step. At first x by the polynomial through the slopes at 0, c_1 ...
 * c_s, 1, which are there: of order s + 1. Then by one through slopes at 2s Chebyshev points x_i,
 * both ends among them, found by sweeps as those of the stages,
 *
 *   k_i <- k(t0 + x_i h, X_i),   X_i by the slopes of all points so far,
 *
 * which gain an order each. What the sums miss of the end is shared out as x^2 (3 - 2x), so that
 * the ends stay where the step has put them. */
#include "core/vec.h"
#include "rk/gauss.h"
#include "step/march.h"

#define MOST 10   /* sweeps of a variable step */
#define GOOD 0.1  /* change, relative to the tolerance, at which it is fine enough */
#define SLOW 0.7  /* where a change is more than this part of the one before, sweeping ends, */
#define WORTH 0.5 /* and was of use if it has become this part of the first */

/* x of z at x by slopes at nodes */
static void follow(const dae__gauss *o, const dae__rk_leg *leg, const dae__nodal *nodes,
                   const double *K, double x, double *z)
{
  double single[DAE__NODAL_MOST], twice[DAE__NODAL_MOST];
  dae__gauss_point p;
  dae__nodal_integrals(nodes, x, single);
  dae__nodal_double_integrals(nodes, x, twice);
  dae__gauss_point_create(0, nodes->n, x, single, twice, &p);
  dae__gauss_point_scale(&p, leg->h);
  dae__gauss_state(o, leg->h, leg->from.z, K, &p, z);
}

/* o->error: what they miss of the end */
static void find_missed(dae__gauss *o, const dae__rk_leg *leg, const dae__nodal *nodes,
                        const double *K)
{
  follow(o, leg, nodes, K, 1, o->before);
  for (int i = 0; i < o->body->nx; i++)
    o->error[i] = leg->to.z[i] - o->before[i];
}

static void state_at(const dae__gauss *o, const dae__rk_leg *leg, const dae__nodal *nodes,
                     const double *K, double x, double *z)
{
  follow(o, leg, nodes, K, x, z);
  dae__axpy(o->body->nx, x * x * (3 - 2 * x), o->error, z);
}

void dae__gauss_between(void *self, const dae__rk_leg *leg, double x, double *z)
{
  dae__gauss *o = self;
  const dae__rk_body *body = o->body;
  const dae__nodal *nodes = o->memory->fine ? &o->fine : &o->wide;
  const double *K = o->memory->fine ? o->F : o->K[o->memory->last];
  find_missed(o, leg, nodes, K);
  state_at(o, leg, nodes, K, x, z);
  for (int i = body->nx; i < body->size; i++)
    z[i] = leg->from.z[i] + x * (leg->to.z[i] - leg->from.z[i]);
}

/* ---- sweeps ---- */

/* slopes at the points as the rough polynomial has them; those at both ends stay */
static void begin_fine(dae__gauss *o)
{
  double w[DAE__NODAL_MOST];
  dae__copy(o->n2, o->K[o->memory->last], o->F); /* v0 */
  for (int i = 0; i < o->fine.n; i++) {
    dae__nodal_values(&o->wide, o->fine.x[i], w);
    dae__gauss_combine(o, o->s + 2, w, o->K[o->memory->last], dae__gauss_slope(o, o->F, i));
  }
}

/* all slopes inside once; *change: the largest of h k, relative to the tolerance */
static dae_status sweep(dae__gauss *o, const dae__rk_leg *leg, double *change, dae_error *err)
{
  const dae__rk_body *body = o->body;
  double *k = o->before;
  *change = 0;
  find_missed(o, leg, &o->fine, o->F);
  for (int i = 1; i < o->fine.n - 1; i++) {
    double x = o->fine.x[i], *K = dae__gauss_slope(o, o->F, i);
    state_at(o, leg, &o->fine, o->F, x, o->z);
    dae_status status = body->table->slopes(body->self, true, leg->t + x * leg->h, o->z, k, err);
    if (status)
      return status;
    for (int j = o->n2; j < body->nx; j++) {
      double d = leg->h * fabs(k[j] - K[j]) * o->inverse[j];
      *change = d <= *change ? *change : d; /* a NaN stays */
    }
    dae__copy(body->nx, k, K);
  }
  return DAE_OK;
}

dae_status dae__gauss_refine(void *self, const dae__rk_leg *leg, dae_error *err)
{
  dae__gauss *o = self;
  dae__gauss_memory *m = o->memory;
  int gained = o->s - 1 > 2 ? o->s - 1 : 2, most = o->fixed ? gained : MOST;
  double good = o->fixed ? 8 : GOOD, first = 0, before = INFINITY, change = INFINITY;
  dae__gauss_weigh(o, leg->from.z);
  dae__copy(o->body->size, leg->from.z, o->z);
  begin_fine(o);
  for (int i = 0; i < most && change > good; i++) {
    dae_status status = sweep(o, leg, &change, err);
    if (status) /* the rough polynomial is what there is */
      return dae__march_can_retry(status) ? DAE_OK : status;
    first = i == 0 ? change : first;
    if (!(change < SLOW * before))
      break;
    before = change;
  }
  m->fine = change <= good || change < WORTH * first;
  return DAE_OK;
}
