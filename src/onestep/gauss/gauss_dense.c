/* Dense output of a Gauss step. Without refinement, x is the integral of the polynomial through the
 * slopes at 0, c_1 ... c_s, 1, which the step has evaluated: its order is s + 2, and its error a
 * fraction of the tolerance for most steps. Slopes k at two more points give an error estimate: the
 * error of x is about a fifth of h |k - p|, measured on five mechanisms at tolerances from 1e-3 to
 * 1e-10. If that is too large, dense output is refined: x becomes the integral of a polynomial
 * through slopes at 2s Chebyshev points x_i, both ends among them, found by functional iteration,
 *
 *   k_i <- k(t0 + x_i h, X_i),   X_i by the newest slopes of all points,
 *
 * which raises the order by one per sweep. The difference between x1 and the integral at the
 * end, the end defect, is distributed by x^2 (3 - 2x): dense output passes through both ends. */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/gauss/gauss.h"
#include <math.h>

/* Largest number of sweeps of a variable step. Chosen, not measured. */
#define MAX_DENSE_SWEEPS 10
/* Largest h |k - p| of accurate dense output: relative to the tolerance, where 2 is an error of x
 * of 0.4 tolerances; with fixed steps in units of round-off. */
#define DENSE_TOLERANCE 2
#define DENSE_TOLERANCE_FIXED 8
/* Largest ratio of h |k - p| after the first sweep to its value before, measured on five mechanisms
 * at tolerances from 1e-3 to 1e-10. */
#define FIRST_SWEEP_RATE 0.25
/* Ratio of two successive changes above which the sweeps end; tests/order/test_engines_order.c
 * checks that dense output is within 2 rtol. */
#define SLOWEST_DENSE_RATE 0.7
/* Ratio of the last change to the first below which the refined slopes are used although the
 * tolerance is not reached; checked by tests/order/test_engines_order.c. */
#define USEFUL_REDUCTION 0.5

/* ---- states ---- */

/* z = state at x by integration of the polynomial through the slopes K at the nodes, from the start
 * of the step */
static void gauss_integrate(const dae__gauss *o, const dae_step *step, const dae__nodal *nodes,
                            const double *K, double x, double *z)
{
  double single[DAE__NODAL_MAX], twice[DAE__NODAL_MAX];
  dae__gauss_point p;
  dae__nodal_integrals(nodes, x, single, twice);
  dae__gauss_point_create(o, 0, nodes->n, nodes->n - 1, x, single, twice, &p);
  dae__gauss_state_any(o, step->h, step->from.z, K, &p, z);
}

static void gauss_find_end_defect(dae__gauss *o, const dae_step *step, const dae__nodal *nodes,
                                  const double *K)
{
  gauss_integrate(o, step, nodes, K, 1, o->previous_end);
  for (int i = 0; i < o->adapter->nx; i++)
    o->end_defect[i] = step->to.z[i] - o->previous_end[i];
}

/* z = integral of the slopes from the start to x, plus the end defect times x^2 (3 - 2x) */
static void gauss_dense_state(const dae__gauss *o, const dae_step *step, const dae__nodal *nodes,
                              const double *K, double x, double *z)
{
  gauss_integrate(o, step, nodes, K, x, z);
  dae__axpy(o->adapter->nx, x * x * (3 - 2 * x), o->end_defect, z);
}

/* ---- refinement ---- */

/* Evaluates the slope k of the state o->z at x; *change = max(*change, largest h |k - p| relative
 * to the tolerance). */
static dae_status gauss_evaluate_slope(dae__gauss *o, const dae_step *step, double x,
                                       const double *p, double *k, double *change, dae_error *err)
{
  const dae_adapter *adapter = o->adapter;
  DAE__TRY(adapter->table->slopes(adapter->self, true, step->t + x * step->h, o->z, k, err));
  for (int j = o->n2; j < adapter->nx; j++) {
    double d = step->h * fabs(k[j] - p[j]) * o->inverse_weight[j];
    *change = d <= *change ? *change : d; /* a NaN is kept */
  }
  return DAE_OK;
}

/* Tests at two Chebyshev points whether the polynomial through the slopes of the step is accurate
 * enough. */
static dae_status gauss_check_polynomial(dae__gauss *o, const dae_step *step, bool *accurate,
                                         dae_error *err)
{
  const dae__nodal *nodes = &o->rule.step_nodes, *dense = &o->rule.dense_nodes;
  double *K = o->K[o->memory->last], w[DAE__NODAL_MAX], change = 0;
  gauss_find_end_defect(o, step, nodes, K);
  for (int i = dense->n / 2 - 2; i <= dense->n / 2; i += 2) {
    double x = dense->x[i];
    dae__nodal_values(nodes, x, w);
    dae__gauss_combine(o, o->s + 2, w, K, o->error);
    gauss_dense_state(o, step, nodes, K, x, o->z);
    DAE__TRY(gauss_evaluate_slope(o, step, x, o->error, o->previous_end, &change, err));
  }
  *accurate = change <= DENSE_TOLERANCE;
  return DAE_OK;
}

/* One sweep over the inner Chebyshev points; *change: largest change of a slope, as h |k - p|
 * relative to the tolerance. */
static dae_status gauss_sweep_dense(dae__gauss *o, const dae_step *step, double *change,
                                    dae_error *err)
{
  const dae__nodal *nodes = &o->rule.dense_nodes;
  *change = 0;
  gauss_find_end_defect(o, step, nodes, o->F);
  for (int i = 1; i < nodes->n - 1; i++) {
    double *k = dae__gauss_slope(o, o->F, i);
    gauss_dense_state(o, step, nodes, o->F, nodes->x[i], o->z);
    DAE__TRY(gauss_evaluate_slope(o, step, nodes->x[i], k, o->previous_end, change, err));
    dae__copy(o->adapter->nx, o->previous_end, k);
  }
  return DAE_OK;
}

/* Iterates the slopes at the Chebyshev points, from the values there of the polynomial through the
 * slopes of the step, until the extrapolated next change is within the tolerance. Without
 * convergence dense output uses that polynomial. */
static dae_status gauss_refine_slopes(dae__gauss *o, const dae_step *step, dae_error *err)
{
  const double *K = o->K[o->memory->last];
  int order_sweeps = o->s - 1 > 2 ? o->s - 1 : 2,
      max_sweeps = o->fixed ? order_sweeps : MAX_DENSE_SWEEPS;
  double tolerance = o->fixed ? DENSE_TOLERANCE_FIXED : DENSE_TOLERANCE;
  double w[DAE__NODAL_MAX], first = 0, previous = 0, change = 0, next = INFINITY;
  dae__copy(o->n2, K, o->F); /* v0, the first entries of K_0 */
  for (int i = 0; i < o->rule.dense_nodes.n; i++) {
    dae__nodal_values(&o->rule.step_nodes, o->rule.dense_nodes.x[i], w);
    dae__gauss_combine(o, o->s + 2, w, K, dae__gauss_slope(o, o->F, i));
  }
  for (int i = 0; i < max_sweeps && next > tolerance; i++) {
    DAE__TRY(gauss_sweep_dense(o, step, &change, err));
    if (i > 0 && !(change < SLOWEST_DENSE_RATE * previous))
      break;
    first = i == 0 ? change : first;
    next = o->fixed ? change : change * (i == 0 ? FIRST_SWEEP_RATE : change / previous);
    previous = change;
  }
  o->memory->refined = next <= tolerance || change < USEFUL_REDUCTION * first;
  return DAE_OK;
}

static dae_status gauss_refine(dae__gauss *o, const dae_step *step, dae_error *err)
{
  bool accurate = false;
  dae__gauss_set_weights(o, step->from.z);
  dae__copy(o->adapter->size, step->from.z, o->z);
  dae_status status =
      o->fixed || o->s < 3 ? DAE_OK : gauss_check_polynomial(o, step, &accurate, err);
  if (!status && !accurate)
    status = gauss_refine_slopes(o, step, err);
  o->memory->has_end_defect = false;
  o->memory->checked = true;
  return dae__can_retry(status) ? DAE_OK : status;
}

dae_status dae__gauss_dense_output(void *self, const dae_step *step, double x, dae_dense accuracy,
                                   const dae_point *out, dae_error *err)
{
  dae__gauss *o = self;
  const dae_adapter *adapter = o->adapter;
  dae__gauss_memory *m = o->memory;
  if (accuracy != DAE_DENSE_RAW && !m->checked)
    DAE__TRY(gauss_refine(o, step, err));
  const dae__nodal *nodes = m->refined ? &o->rule.dense_nodes : &o->rule.step_nodes;
  const double *K = m->refined ? o->F : o->K[m->last];
  if (!m->has_end_defect)
    gauss_find_end_defect(o, step, nodes, K);
  m->has_end_defect = true;
  gauss_dense_state(o, step, nodes, K, x, out->z);
  for (int i = adapter->nx; i < adapter->size; i++)
    out->z[i] = step->from.z[i] + x * (step->to.z[i] - step->from.z[i]);
  return DAE_OK;
}
