/* Steps of Gauss collocation. With x = (q, v, u), q' = v and slopes k of (v, u),
 *
 *   (V, U)_i = (v, u)_0 + h sum_j a_ij k_j,   Q_i = q_0 + c_i h v_0 + h^2 sum_j (A A)_ij k_j
 *   k_i = k(t_0 + c_i h, Q_i, V_i, U_i)
 *
 * and x1 by the weights b for (v, u), b' A for q. They are solved by functional iteration
 * (gauss_iteration.c).
 *
 * Error estimate of variable steps: e_s = gamma h (k_0 - p(0)), p the polynomial through k_1 ...
 * k_s, and likewise for q with the slopes v; gamma = |det A|^(1/s) = (s! / (2s)!)^(1/s). It is
 * O(h^(s+1)), the error of the step O(h^(2s+1)): the tolerance is mapped, 0.1 tol^((s+1)/(2s)), so
 * that the error of the step follows tol. The iteration begins with a tenth of the error of
 * such a step, 0.1 0.1^(2s/(s+1)) of the tolerance, and ends early where an estimate above the
 * tolerance is certain; with a fixed step it ends at round-off.
 *
 * Discontinuities: the guard of smoothness.h, by e_(s-1) and e_(s-2). With 4 to 6 stages and one
 * jump of a force or its derivative anywhere in the step, the error is at most 4.5 times the larger
 * of e_s rho^(s-1) at the start and at the end of the step. No node lies in the last few hundredths
 * of a step. A force that sets in there changes the slope k at the end, which is evaluated after
 * the error test: if gamma h (k - p(1)) is several times these tolerances, the step is rejected
 * nevertheless (end-point discontinuity check). */
#include "onestep/gauss/gauss.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "onestep/host/smoothness.h"
#include "quadrature/nodes.h"
#include "step/norm.h"
#include <float.h>
#include <limits.h>
#include <math.h>

/* ---- constants ---- */

/* Tolerance above which 5 stages are used, and 6 below: the value of fewest evaluations per digit
 * of accuracy on six mechanisms, in the mean of fits through tolerances from 1e-2 to 1e-9. Four
 * stages have longer dependency chains per digit. */
#define FIVE_STAGES_RTOL 1e-7
/* Safety factor of step size control: 1 % of steps are rejected, 7 % with a factor of 0.9. */
#define SAFETY_FACTOR 0.75
/* Node, as a fraction of the step, up to which the first sweep keeps the extrapolated slopes: they
 * are more accurate than what a state by the other extrapolated slopes gives. */
#define EARLY_NODE 0.2
/* Change of x1 at which the iteration of a fixed step ends, in units in the last place; chosen, not
 * measured. */
#define ROUND_OFF_UNITS 4

/* Error of the iteration over the error of the step: evaluations for 4, 6 and 8 digits of 22
 * problems change by less than 5 % in the geometric mean from 0.03 to 1. */
#define STOP_SHARE 0.1

int dae__gauss_stages(double rtol)
{
  return rtol > FIVE_STAGES_RTOL ? 5 : 6;
}

/* ---- error estimate ---- */

/* weighted root mean square of the n entries of x */
static double gauss_norm(int n, const double *x, const double *inverse_weight)
{
  dae__pair sum = {0, 0};
  int i = 0;
  for (; i + 2 <= n; i += 2) {
    dae__pair d = dae__pair_from_anywhere(x + i) * dae__pair_from_anywhere(inverse_weight + i);
    sum += d * d;
  }
  double rest = i < n ? x[i] * inverse_weight[i] : 0;
  return n > 0 ? sqrt((dae__pair_sum(sum) + rest * rest) / n) : 0;
}

/* Weighted root mean square of sum_j w_j k_j - k over the entries of v' and u'; k = NULL: k = 0.
 * Inlined with a constant n. */
static inline __attribute__((always_inline)) double
gauss_defect_of(const dae__gauss *o, const int n, const double *w, const double *K, const double *k)
{
  size_t i = (size_t)o->n2, nx = (size_t)o->adapter->nx, stride = o->stride, all = nx - i;
  dae__pair sum = {0, 0};
  for (; i + 2 <= nx; i += 2) {
    dae__pair d = {0, 0};
    if (k)
      d -= dae__pair_from_anywhere(k + i);
#pragma GCC unroll 6
    for (int j = 0; j < n; j++)
      d += w[j] * dae__pair_from_anywhere(K + (size_t)j * stride + i);
    d *= dae__pair_from_anywhere(o->inverse_weight + i);
    sum += d * d;
  }
  double rest = 0;
  if (i < nx) {
    rest = k ? -k[i] : 0;
    for (int j = 0; j < n; j++)
      rest += w[j] * K[(size_t)j * stride + i];
    rest *= o->inverse_weight[i];
  }
  return all > 0 ? sqrt((dae__pair_sum(sum) + rest * rest) / (double)all) : 0;
}

static double gauss_slope_defect(const dae__gauss *o, int n, const double *w, const double *K,
                                 const double *k)
{
  switch (n) { /* the numbers of dae__gauss_stages, and those of one and two slopes less */
  case 3:
    return gauss_defect_of(o, 3, w, K, k);
  case 4:
    return gauss_defect_of(o, 4, w, K, k);
  case 5:
    return gauss_defect_of(o, 5, w, K, k);
  case 6:
    return gauss_defect_of(o, 6, w, K, k);
  default:
    return gauss_defect_of(o, n, w, K, k);
  }
}

double dae__gauss_mapped_error(dae__gauss *o, double h, const double *K)
{
  o->state_start(o, h, o->zero, K, &o->rule.start_defect, o->error);
  return o->scale * gauss_norm(o->adapter->nx, o->error, o->inverse_weight);
}

/* Error estimate: the larger of e_s relative to the mapped tolerance and, with three or more
 * stages, e_s rho^(s-1) relative to the tolerance. */
static double gauss_estimate_error(dae__gauss *o, double h, const double *K)
{
  double gamma = o->rule.gamma, mapped = dae__gauss_mapped_error(o, h, K), size = mapped / o->scale;
  if (o->s < 3 || DAE__NONSMOOTH_FACTOR * gamma * size <= dae__larger(mapped, 1))
    return mapped;
  int n2 = o->n2;
  double estimate = gauss_norm(o->adapter->nx - n2, o->error + n2, o->inverse_weight + n2),
         low_order = 0;
  for (int d = 1; d <= 2; d++)
    low_order = dae__larger(
        h * gauss_slope_defect(o, o->s + 1 - d, o->rule.low_order_start[d - 1], K, NULL),
        low_order);
  double unmapped = gamma * size * dae__nonsmooth_factor(o->s, estimate, low_order);
  return unmapped <= mapped ? mapped : unmapped; /* a NaN is returned */
}

/* End-point discontinuity check: true if the slope dz at the end deviates from p(1). */
static bool gauss_end_is_discontinuous(dae__gauss *o, double h, const double *dz)
{
  double *K = o->K[!o->memory->last], gamma = o->rule.gamma;
  if (o->fixed)
    return false;
  double estimate =
      h * gauss_slope_defect(o, o->s, o->rule.end_value, dae__gauss_slope(o, K, 1), dz);
  if (!(o->scale * estimate <= DAE__MAX_END_ERROR))
    return true;
  if (o->s < 3 || gamma * estimate <= DAE__MAX_END_ERROR_NONSMOOTH)
    return false;
  double low_order = 0;
  for (int d = 1; d <= 2; d++)
    low_order = dae__larger(h * gauss_slope_defect(o, o->s - d, o->rule.low_order_end[d - 1],
                                                   dae__gauss_slope(o, K, d + 1), dz),
                            low_order);
  return gamma * estimate * dae__nonsmooth_factor(o->s, estimate, low_order) >
         DAE__MAX_END_ERROR_NONSMOOTH;
}

/* ---- functions of the stepper table ---- */

static dae_status gauss_attempt(void *self, const dae_step *step, double *error, dae_error *err)
{
  dae__gauss *o = self;
  int nx = o->adapter->nx, ny = o->adapter->size - nx;
  const double *x = step->from.z;
  double *K = o->K[!o->memory->last], rtol = o->fixed ? 0 : o->rtol;
  double unit = o->fixed ? DBL_EPSILON * (1 + dae__max_abs(nx, x)) : o->atol;
  dae__inverse_weights(nx, rtol, unit, o->fixed ? NULL : o->adapter->atol_scale, x,
                       o->inverse_weight);
  dae__copy(ny, x + nx, o->z + nx);
  DAE__TRY(dae__gauss_iterate(o, step, K, err));
  dae__copy(ny, o->z + nx, step->to.z + nx);
  *error = o->fixed ? 0 : gauss_estimate_error(o, step->h, K);
  if (!o->fixed && (o->adapter->limiting->wanted || !(*error <= 1)))
    o->adapter->limiting->error = dae__largest_scaled(nx, o->error, o->inverse_weight);
  return DAE_OK;
}

static dae_status gauss_complete_step(void *self, const dae_step *step, dae_error *err)
{
  dae__gauss *o = self;
  dae__gauss_memory *m = o->memory;
  DAE__TRY(dae__adapter_complete(o->adapter, step->t + step->h, step->to.z, step->to.dz, err));
  if (gauss_end_is_discontinuous(o, step->h, step->to.dz)) {
    o->adapter->limiting->error = dae__largest_scaled(o->adapter->nx, o->error, o->inverse_weight);
    return dae__fail(err, DAE_ERROR_STEP, NULL,
                     "step rejected: force discontinuity near the end of the step");
  }
  m->last = !m->last;
  m->h = step->h;
  m->steps++;
  *o->dense.memory = (dae__polynomial_memory){0};
  dae__copy(o->adapter->nx, step->to.dz, dae__gauss_slope(o, o->K[m->last], o->s + 1));
  return DAE_OK;
}

/* Dense output by the slopes at 0, c_1 ... c_s, 1 has order s + 2, and an error of a fraction of
 * the tolerance in most steps. */
static dae_status gauss_dense_output(void *self, const dae_step *step, double x, dae_dense accuracy,
                                     const dae_point *out, dae_error *err)
{
  dae__gauss *o = self;
  const double *K = o->K[o->memory->last];
  if (accuracy != DAE_DENSE_RAW)
    DAE__TRY(dae__polynomial_refine(&o->dense, step, K, err));
  dae__polynomial_output(&o->dense, step, K, x, out->z, out->dz);
  return DAE_OK;
}

/* ---- other functions of the stepper table ---- */

static void gauss_begin(void *self, double t, const dae_point *start)
{
  (void)t, (void)start;
  dae__gauss_memory *m = ((dae__gauss *)self)->memory;
  m->h = m->rate = m->measured_h = 0;
}

static void gauss_count(const void *self, dae_stats *stats)
{
  stats->iterations += ((const dae__gauss *)self)->memory->iterations;
}

static const dae_stepper_table gauss_verbs = {.begin = gauss_begin,
                                              .attempt = gauss_attempt,
                                              .complete = gauss_complete_step,
                                              .dense_output = gauss_dense_output,
                                              .count = gauss_count};

/* ---- creation ---- */

static void gauss_make_points(dae__gauss *o, const dae__collocation_rule *r)
{
  dae__gauss_rule *rule = &o->rule;
  int s = o->s;
  double at_zero[DAE__COLLOCATION_STAGES_MAX],
      single[DAE__COLLOCATION_STAGES_MAX + 1] = {1}, twice[DAE__COLLOCATION_STAGES_MAX + 1] = {0};
  dae__nodal_values(&r->nodes, 0, at_zero);
  rule->early_stages = 0;
  for (int i = 0; i < s; i++) {
    rule->c[i] = r->c[i];
    rule->early_stages += r->c[i] < EARLY_NODE;
    dae__gauss_point_create(o, 1, s, i > 0 ? i - 1 : s - 1, r->c[i], r->A[i], r->A2[i],
                            &rule->stage[i]);
    single[i + 1] = -at_zero[i];
    for (int j = 0; j < s; j++)
      twice[j + 1] -= at_zero[i] * r->A[i][j];
  }
  dae__gauss_point_create(o, 1, s, s - 1, 1, r->b, r->B2, &rule->end);
  dae__gauss_point_create(o, 0, s + 1, s, 0, single, twice, &rule->start_defect);
  dae__nodal_values(&r->nodes, 1, rule->end_value);
  for (int d = 1; d <= 2; d++) {
    rule->low_order_start[d - 1][0] = 1;
    for (int j = 0; j < s - d; j++) {
      rule->low_order_start[d - 1][j + 1] = -dae__lagrange_weight(s - d, r->c, j, 0);
      rule->low_order_end[d - 1][j] = dae__lagrange_weight(s - d, r->c + d, j, 1);
    }
  }
}

static void gauss_make_rule(dae__gauss *o, const dae_step_options *opts, dae__arena *arena)
{
  dae__gauss_rule *rule = &o->rule;
  const dae__collocation_rule *tabulated = dae__collocation_tabulated(o->s, false);
  const dae__dense_nodes *nodes = dae__gauss_nodes_tabulated(o->s);
  dae__collocation_rule own_rule;
  dae__dense_nodes own_nodes;
  if (!tabulated) {
    own_rule = dae__collocation_create(o->s, false);
    tabulated = &own_rule;
  }
  if (!nodes) {
    own_nodes = dae__gauss_nodes_create(o->s);
    nodes = &own_nodes;
  }
  gauss_make_points(o, tabulated);
  dae__polynomial_create(arena, o->adapter, opts, 2 * o->s, nodes, (int)o->stride, &o->dense);
  o->dense.collocated = true;
  for (int i = 0; i < o->s + 2; i++) {
    const double *x = nodes->wide.x;
    rule->node[i] = x[i];
    for (int j = 0; j < i; j++)
      rule->inverse_distance[i][j] = 1 / (x[i] - x[j]);
  }
  double gamma = 1;
  for (int i = 1; i <= o->s; i++)
    gamma /= o->s + i; /* product s! / (2s)! */
  rule->gamma = pow(gamma, 1 / (double)o->s);
}

dae_status dae__gauss_create(dae__arena *arena, const dae_adapter *adapter,
                             const dae_step_options *opts, int stages, dae__stepper *out,
                             dae_error *err)
{
  DAE__ASSERT(stages >= 0 && stages <= DAE__COLLOCATION_STAGES_MAX);
  dae__gauss *o = DAE__UNINIT(arena, dae__gauss, 1);
  DAE__TRY(dae__arena_status(arena, err));
  int nx = adapter->nx, s = stages ? stages : dae__gauss_stages(opts->rtol);
  o->adapter = adapter;
  o->s = s;
  o->n2 = adapter->forms->s ? 0 : adapter->forms->m->nq;
  o->stride = (size_t)(nx + 7) / 8 * 8;
  o->rtol = opts->rtol;
  o->atol = opts->atol;
  o->fixed = opts->step > 0;
  o->inverse_nx = nx > 0 ? 1.0 / nx : 0;
  dae__gauss_select_kernels(o, INT_MAX);
  gauss_make_rule(o, opts, arena);
  o->scale = o->rule.gamma / (0.1 * pow(o->rtol, (s + 1.) / (2. * s) - 1));
  o->stop = o->fixed ? ROUND_OFF_UNITS : STOP_SHARE * pow(0.1, 2. * s / (s + 1.));
  o->round_off = ROUND_OFF_UNITS * DBL_EPSILON / o->rtol;
  o->memory = DAE__STATE(arena, dae__gauss_memory, 1);
  for (int k = 0; k < 2; k++)
    o->K[k] = DAE__STATE(arena, double, (size_t)(s + 2) * o->stride);
  o->z = DAE__ALLOC(arena, double, adapter->size);
  DAE__VECTORS(arena, nx, &o->previous_end, &o->inverse_weight, &o->zero, &o->error, &o->evaluated);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__LIMIT(arena, &o->memory->last, 1, 0, 1);
  DAE__LIMIT_COUNTER(arena, &o->memory->iterations, 2);
  *out = (dae__stepper){.table = &gauss_verbs,
                        .self = o,
                        .order = 2 * s,
                        .second_order = true,
                        .conserves = true,
                        .stiffness = &o->memory->stiffness,
                        .work = &o->memory->work,
                        .control = dae__controller_defaults(s + 1)};
  out->control.safety = SAFETY_FACTOR;
  return DAE_OK;
}
