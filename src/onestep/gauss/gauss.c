/* Steps of Gauss collocation. With x = (q, v, u), q' = v and slopes k of (v, u),
 *
 *   (V, U)_i = (v, u)_0 + h sum_j a_ij k_j,   Q_i = q_0 + c_i h v_0 + h^2 sum_j (A A)_ij k_j
 *   k_i = k(t_0 + c_i h, Q_i, V_i, U_i)
 *
 * and x1 by the weights b for (v, u), b' A for q. They are solved by functional iteration, without
 * a matrix: a sweep evaluates every k_i at the state given by the newest slopes. Initial slopes are
 * extrapolated by the polynomial through the slopes of the last step, both ends among them. The
 * iteration contracts as h^2 where forces do not depend on v. The extrapolation error is some
 * thousand times larger at the last node than at the first ones, whose slopes the first sweep
 * therefore keeps.
 *
 * Convergence test. With u_j the change of x1 by sweep j, relative to the tolerance, theta / (1 -
 * theta) |u_j| is left after sweep j, where theta = |u_j| / |u_(j-1)|. The first change comes from
 * the extrapolated slopes, whose error differs from node to node, so that |u_2| / |u_1| may by
 * chance be far below the contraction of the later sweeps: theta is at least the rate |u_3| / |u_2|
 * measured in an earlier step, which scales as h where forces depend on v and as h^2 where they do
 * not; the larger of both is taken.
 *
 * The share of the tolerance that a step may leave decreases with the number of steps (share.h).
 *
 * Error estimate of variable steps: e_s = gamma h (k_0 - p(0)), p the polynomial through k_1 ...
 * k_s, and likewise for q with the slopes v; gamma = |det A|^(1/s) = (s! / (2s)!)^(1/s). It is
 * O(h^(s+1)), the error of the step O(h^(2s+1)): the tolerance is mapped, 0.1 tol^((s+1)/(2s)), so
 * that the error of the step follows tol. The iteration begins with a tenth of the error of
 * such a step, 0.1 0.1^(2s/(s+1)) of the tolerance; with a fixed step it ends at round-off.
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
#include "onestep/host/share.h"
#include "onestep/host/smoothness.h"
#include "quadrature/nodes.h"
#include "step/norm.h"
#include <float.h>
#include <math.h>

/* ---- constants ---- */

/* Tolerance above which 5 stages are used, and 6 below: the value of fewest evaluations per digit
 * of accuracy on six mechanisms, in the mean of fits through tolerances from 1e-2 to 1e-9. Four
 * stages have longer dependency chains per digit. */
#define FIVE_STAGES_RTOL 1e-7
/* Safety factor of step size control: 1 % of steps are rejected, 7 % with a factor of 0.9. */
#define SAFETY_FACTOR 0.75
/* Node, as a fraction of the step, up to which the first sweep keeps the extrapolated slopes; one
 * node more or less takes 0 to 3 % more evaluations. */
#define EARLY_NODE 0.2
/* Change of x1 at which the iteration of a fixed step ends, in units in the last place; chosen, not
 * measured. */
#define ROUND_OFF_UNITS 4

/* Constants of the convergence test. In parentheses: range of values within which the evaluations
 * for 4, 6 and 8 digits of 22 problems change by less than 5 % in the geometric mean; values
 * without a range are chosen, not measured. */
#define MAX_SWEEPS 12            /* largest number of sweeps of a variable step (6 to 20) */
#define MAX_SWEEPS_FIXED 200     /* largest number of sweeps of a fixed step */
#define SLOWEST_RATE 0.8         /* contraction above which the iteration fails */
#define FIRST_CHANGE_STOP 1e-3   /* first change that ends the iteration / stop value */
#define STOP_SHARE 0.1           /* error of the iteration / error of the step (0.03 to 1) */
#define MAX_ROUND_OFF_CHANGE 1e6 /* largest stagnating change of a fixed step, in round-off */

int dae__gauss_stages(double rtol)
{
  return rtol > FIVE_STAGES_RTOL ? 5 : 6;
}

/* ---- convergence test ---- */

/* Functional iteration of one attempt. A change is the root mean square of u, the change of x1 by a
 * sweep relative to the tolerance. */
typedef struct iteration {
  int sweeps;
  double stop;                    /* error at which sweeps end, relative to the tolerance */
  double change, previous_change; /* changes by the last sweep and by the sweep before it */
  double slowest;                 /* least contraction that earlier steps let expect */
} iteration;

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
static iteration gauss_begin_iteration(const dae__gauss *o, double h)
{
  const dae__gauss_memory *m = o->memory;
  if (o->fixed)
    return (iteration){.stop = o->stop};
  double share = dae__step_share(m->steps), q = m->measured_h > 0 ? h / m->measured_h : 0;
  return (iteration){.stop = fmax(share * o->stop, o->round_off),
                     .slowest = m->rate * fmax(q, q * q)};
}

/* Whether further sweeps reach stop within the sweep limit, by the present convergence rate. */
static bool gauss_may_converge(const dae__gauss *o, const iteration *it, double stop)
{
  double theta = it->change / it->previous_change, left = theta / (1 - theta) * it->change;
  if (o->fixed)
    return theta < 1 && it->sweeps < MAX_SWEEPS_FIXED;
  for (int i = it->sweeps; i < MAX_SWEEPS && left > stop; i++)
    left *= theta;
  return theta < SLOWEST_RATE && left <= stop;
}

/* Convergence test after a sweep with end x1; *done: converged. DAE_ERROR_STEP: the iteration does
 * not converge. */
static dae_status gauss_test_convergence(dae__gauss *o, double h, const double *x1, iteration *it,
                                         bool *done, dae_error *err)
{
  dae__gauss_memory *m = o->memory;
  bool may_converge;
  it->previous_change = it->change;
  it->change = gauss_change(o, x1);
  if (++it->sweeps == 1) {
    *done = it->change <= FIRST_CHANGE_STOP * it->stop;
    may_converge = isfinite(it->change);
  } else {
    if (it->sweeps == 3)
      m->rate = it->change / it->previous_change, m->measured_h = h;
    /* the share of a late step is not insisted on where slow convergence or round-off of the
     * evaluations prevents it */
    bool reaches = gauss_may_converge(o, it, it->stop);
    double theta = fmax(it->change / it->previous_change, it->slowest);
    *done = theta < 1 && theta * it->change <= (reaches ? it->stop : o->stop) * (1 - theta);
    if (!*done && o->fixed)
      *done = it->change >= it->previous_change && it->change <= MAX_ROUND_OFF_CHANGE;
    may_converge = *done || reaches || gauss_may_converge(o, it, o->stop);
  }
  return may_converge ? DAE_OK
                      : dae__fail(err, DAE_ERROR_STEP, NULL,
                                  "the functional iteration of the stages does not converge: the "
                                  "problem may be stiff, try radau");
}

/* ---- iteration ---- */

/* One sweep: slopes of the stages from `first` on, then x1. */
static dae_status gauss_sweep(dae__gauss *o, const dae_step *step, int first, double *K,
                              dae_error *err)
{
  const dae_adapter *adapter = o->adapter;
  const dae__gauss_point *end = o->rule.stage + o->s;
  double *k = dae__gauss_slope(o, K, first + 1);
  for (const dae__gauss_point *p = o->rule.stage + first; p < end; p++, k += o->stride) {
    o->state(o, step->h, step->from.z, K, p, o->z);
    DAE__TRY(adapter->table->slopes(adapter->self, false, step->t + p->x * step->h, o->z, k, err));
  }
  o->state(o, step->h, step->from.z, K, &o->rule.end, step->to.z);
  return DAE_OK;
}

static dae_status gauss_iterate(dae__gauss *o, const dae_step *step, double *K, dae_error *err)
{
  iteration it = gauss_begin_iteration(o, step->h);
  int first = dae__gauss_predict(o, step, K) ? o->rule.early_stages : 0, nx = o->adapter->nx;
  o->state(o, step->h, step->from.z, K, &o->rule.end, o->previous_end);
  for (;;) {
    bool done;
    dae_status status = gauss_sweep(o, step, first, K, err);
    o->memory->iterations++;
    o->memory->work += o->s;
    o->memory->stiffness = (it.sweeps + 1) / (double)MAX_SWEEPS;
    DAE__TRY(status);
    status = gauss_test_convergence(o, step->h, step->to.z, &it, &done, err);
    /* fixed steps: the last change is round-off */
    if (status || (o->adapter->limiting->wanted && done != o->fixed)) {
      double most = 0;
      for (int i = 0; i < nx; i++) {
        double d = fabs((step->to.z[i] - o->previous_end[i]) * o->inverse_weight[i]);
        if (d > most)
          most = d, o->adapter->limiting->change = i;
      }
    }
    DAE__TRY(status);
    if (done)
      break;
    first = 0;
    dae__copy(nx, step->to.z, o->previous_end);
  }
  return DAE_OK;
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

/* Weighted root mean square of sum_j w_j k_j - k over the entries of v' and u'; k = NULL: k = 0. */
static double gauss_slope_defect(const dae__gauss *o, int n, const double *w, const double *K,
                                 const double *k)
{
  size_t i = (size_t)o->n2, nx = (size_t)o->adapter->nx, all = nx - i;
  dae__pair sum = {0, 0};
  for (; i + 2 <= nx; i += 2) {
    dae__pair d = {0, 0};
    if (k)
      d -= dae__pair_from_anywhere(k + i);
    for (int j = 0; j < n; j++)
      d += w[j] * dae__pair_from_anywhere(K + (size_t)j * o->stride + i);
    d *= dae__pair_from_anywhere(o->inverse_weight + i);
    sum += d * d;
  }
  double rest = i < nx && k ? -k[i] : 0;
  for (int j = 0; i < nx && j < n; j++)
    rest += w[j] * K[(size_t)j * o->stride + i];
  rest *= i < nx ? o->inverse_weight[i] : 0;
  return all > 0 ? sqrt((dae__pair_sum(sum) + rest * rest) / (double)all) : 0;
}

/* Error estimate: the larger of e_s relative to the mapped tolerance and, with three or more
 * stages, e_s rho^(s-1) relative to the tolerance. */
static double gauss_estimate_error(dae__gauss *o, double h, const double *K)
{
  double gamma = o->rule.gamma;
  o->state_start(o, h, o->zero, K, &o->rule.start_defect, o->error);
  double size = gauss_norm(o->adapter->nx, o->error, o->inverse_weight), mapped = o->scale * size;
  if (o->s < 3 || DAE__NONSMOOTH_FACTOR * gamma * size <= fmax(mapped, 1))
    return mapped;
  int n2 = o->n2;
  double estimate = gauss_norm(o->adapter->nx - n2, o->error + n2, o->inverse_weight + n2),
         low_order = 0;
  for (int d = 1; d <= 2; d++)
    low_order = fmax(low_order, h * gauss_slope_defect(o, o->s + 1 - d,
                                                       o->rule.low_order_start[d - 1], K, NULL));
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
    low_order = fmax(low_order, h * gauss_slope_defect(o, o->s - d, o->rule.low_order_end[d - 1],
                                                       dae__gauss_slope(o, K, d + 1), dz));
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
  DAE__TRY(gauss_iterate(o, step, K, err));
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
    rule->node[i] = (dae__pair){x[i], x[i]};
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
  o->state = dae__gauss_select_kernel(o, s);
  o->state_start = dae__gauss_select_kernel(o, s + 1);
  gauss_make_rule(o, opts, arena);
  o->scale = o->rule.gamma / (0.1 * pow(o->rtol, (s + 1.) / (2. * s) - 1));
  o->stop = o->fixed ? ROUND_OFF_UNITS : STOP_SHARE * pow(0.1, 2. * s / (s + 1.));
  o->round_off = ROUND_OFF_UNITS * DBL_EPSILON / o->rtol;
  o->memory = DAE__STATE(arena, dae__gauss_memory, 1);
  for (int k = 0; k < 2; k++)
    o->K[k] = DAE__STATE(arena, double, (size_t)(s + 2) * o->stride);
  o->z = DAE__ALLOC(arena, double, adapter->size);
  DAE__VECTORS(arena, nx, &o->previous_end, &o->inverse_weight, &o->zero, &o->error);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__LIMIT(arena, &o->memory->last, 1, 0, 1);
  DAE__LIMIT_COUNTER(arena, &o->memory->iterations, 2);
  *out = (dae__stepper){.table = &gauss_verbs,
                        .self = o,
                        .order = 2 * s,
                        .second_order = true,
                        .stiffness = &o->memory->stiffness,
                        .work = &o->memory->work,
                        .control = dae__controller_defaults(s + 1)};
  out->control.safety = SAFETY_FACTOR;
  return DAE_OK;
}
