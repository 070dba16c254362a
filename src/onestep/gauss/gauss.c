/* Steps of Gauss collocation. With x = (q, v, u), q' = v and slopes k of (v, u),
 *
 *   (V, U)_i = (v, u)_0 + h sum_j a_ij k_j,   Q_i = q_0 + c_i h v_0 + h^2 sum_j (A A)_ij k_j
 *   k_i = k(t_0 + c_i h, Q_i, V_i, U_i)
 *
 * and the end alike with b and b' A. Iteration takes no matrix: in every sweep k_i is evaluated at
 * what the slopes are so far, beginning with the polynomial through those of the step before, both
 * ends among them. It contracts as h^2 where forces do not depend on v. That polynomial is in error
 * by some thousand times more at the last node than at the first ones, whose slopes the first sweep
 * therefore leaves as they are.
 *
 * Error of variable steps: gamma h (k_0 - p(0)), where p is the polynomial through k_1 ... k_s, and
 * the same of q with v; gamma = |det A|^(1/s) = (s! / (2s)!)^(1/s). That is O(h^(s+1)), while the
 * step itself is in error by O(h^(2s+1)): the tolerance is mapped, 0.1 tol^((s+1)/(2s)), which
 * makes the error of the step follow tol. The iteration ends at 0.1^(2s/(s+1)) of the tolerance,
 * with a fixed step at round-off.
 *
 * What is not smooth within a step, and what begins to act at its end: gauss_error.c. */
#include "onestep/gauss/gauss.h"
#include "core/error.h"
#include "core/vec.h"
#include "quadrature/lagrange.h"
#include <float.h>

#define SAFETY 0.75 /* as of the explicit pairs: 1 % of steps are rejected, with 0.9 it is 7 % */
#define NEAR 0.2    /* of a step: nodes whose slopes are foreseen well */
#define ROUND_OFF 4 /* changes of so many units in the last place are none */

/* The fewest evaluations for the digits reached on six mechanisms, in the mean of fits through
 * tolerances from 1e-2 to 1e-9; 4 stages wait longer for each other. */
int dae__gauss_stages(double rtol)
{
  return rtol > 1e-7 ? 5 : 6;
}

/* ---- iteration ---- */

void dae__gauss_weigh(dae__gauss *o, const double *x)
{
  int nx = o->adapter->nx;
  double unit = o->fixed ? DBL_EPSILON * (1 + dae__max_abs(nx, x)) : o->atol;
  double rtol = o->fixed ? 0 : o->rtol;
  for (int i = 0; i < nx; i++)
    o->inverse[i] = 1 / (rtol * fabs(x[i]) + unit);
}

/* all slopes once, from that of a stage on, and x1 */
static dae_status gauss_sweep(dae__gauss *o, const dae__rk_step *step, int from, double *K,
                              dae_error *err)
{
  const dae__rk_adapter *adapter = o->adapter;
  const dae__gauss_point *end = o->stage + o->s;
  double *k = dae__gauss_slope(o, K, from + 1);
  for (const dae__gauss_point *p = o->stage + from; p < end; p++, k += o->stride) {
    o->move(o, step->h, step->from.z, K, p, o->z);
    dae_status status =
        adapter->table->slopes(adapter->self, false, step->t + p->x * step->h, o->z, k, err);
    DAE__TRY(status);
  }
  o->move(o, step->h, step->from.z, K, &o->end, step->to.z);
  return DAE_OK;
}

/* ---- the verbs ---- */

static dae_status gauss_iterate(dae__gauss *o, const dae__rk_step *step, double *K, dae_error *err)
{
  const dae__rk_adapter *adapter = o->adapter;
  dae__gauss_sweeps now = {0};
  int from = dae__gauss_predict(o, step, K) ? o->near : 0;
  o->move(o, step->h, step->from.z, K, &o->end, o->before);
  for (;;) {
    bool enough;
    dae_status status = gauss_sweep(o, step, from, K, err);
    o->memory->iterations++;
    DAE__TRY(status);
    DAE__TRY(dae__gauss_test_convergence(o, step->h, step->to.z, &now, &enough, err));
    if (enough)
      break;
    from = 0;
    dae__copy(adapter->nx, step->to.z, o->before);
  }
  dae__gauss_add_rest(o, &now, step->to.z);
  return DAE_OK;
}

static dae_status gauss_attempt(void *self, const dae__rk_step *step, double *error, dae_error *err)
{
  dae__gauss *o = self;
  const dae__rk_adapter *adapter = o->adapter;
  double *K = o->K[!o->memory->last];
  int ny = adapter->size - adapter->nx;
  dae__gauss_weigh(o, step->from.z);
  dae__copy(ny, step->from.z + adapter->nx, o->z + adapter->nx);
  DAE__TRY(gauss_iterate(o, step, K, err));
  dae__copy(ny, o->z + adapter->nx, step->to.z + adapter->nx);
  *error = o->fixed ? 0 : dae__gauss_estimate(o, step->h, K);
  return DAE_OK;
}

static dae_status gauss_complete_step(void *self, const dae__rk_step *step, dae_error *err)
{
  dae__gauss *o = self;
  const dae__rk_adapter *adapter = o->adapter;
  dae__gauss_memory *m = o->memory;
  double t = step->t + step->h;
  DAE__TRY(
      adapter->table->project_and_accelerate
          ? adapter->table->project_and_accelerate(adapter->self, t, step->to.z, step->to.dz, err)
          : adapter->table->slopes(adapter->self, false, t, step->to.z, step->to.dz, err));
  if (dae__gauss_surprises(o, step->h, step->to.dz))
    return dae__fail(err, DAE_ERROR_STEP, NULL,
                     "the forces at the end of a step are not those that its stages lead to");
  m->last = !m->last;
  m->h = step->h;
  m->fine = m->missed = false;
  dae__copy(adapter->nx, step->to.dz, dae__gauss_slope(o, o->K[m->last], o->s + 1));
  return DAE_OK;
}

static void gauss_begin(void *self)
{
  dae__gauss_memory *m = ((dae__gauss *)self)->memory;
  m->h = m->beta = m->delta = 0;
}

static void gauss_count(const void *self, dae_stats *stats)
{
  stats->iterations += ((const dae__gauss *)self)->memory->iterations;
}

static const dae__stepper_table gauss_verbs = {.begin = gauss_begin,
                                               .attempt = gauss_attempt,
                                               .complete = gauss_complete_step,
                                               .dense_output = dae__gauss_dense_output,
                                               .refine = dae__gauss_refine,
                                               .count = gauss_count};

/* ---- creation ---- */

/* the stages, the end, and h (k_0 - p(0)) */
static void gauss_make_points(dae__gauss *o, const dae__collocation_rule *r)
{
  double at_zero[DAE__COLLOCATION_STAGES],
      single[DAE__COLLOCATION_STAGES + 1] = {1}, twice[DAE__COLLOCATION_STAGES + 1] = {0};
  dae__collocation_values(r, 0, at_zero);
  for (int i = 0; i < o->s; i++) {
    o->c[i] = r->c[i];
    o->near += r->c[i] < NEAR;
    dae__gauss_point_create(o, 1, o->s, i > 0 ? i - 1 : o->s - 1, r->c[i], r->A[i], r->A2[i],
                            &o->stage[i]);
    single[i + 1] = -at_zero[i];
    for (int j = 0; j < o->s; j++)
      twice[j + 1] -= at_zero[i] * r->A[i][j];
  }
  dae__gauss_point_create(o, 1, o->s, o->s - 1, 1, r->b, r->B2, &o->end);
  dae__gauss_point_create(o, 0, o->s + 1, o->s, 0, single, twice, &o->start);
  dae__collocation_values(r, 1, o->at_end);
  for (int d = 1; d <= 2; d++) {
    o->rough_start[d - 1][0] = 1;
    for (int j = 0; j < o->s - d; j++) {
      o->rough_start[d - 1][j + 1] = -dae__lagrange_weight(o->s - d, r->c, j, 0);
      o->rough_end[d - 1][j] = dae__lagrange_weight(o->s - d, r->c + d, j, 1);
    }
  }
}

static void gauss_make_polynomials(dae__gauss *o)
{
  const dae__collocation_rule *rule = dae__collocation_tabulated(o->s, false);
  const dae__gauss_nodes *nodes = dae__gauss_nodes_tabulated(o->s);
  dae__collocation_rule own_rule;
  dae__gauss_nodes own_nodes;
  if (!rule) {
    own_rule = dae__collocation_create(o->s, false);
    rule = &own_rule;
  }
  if (!nodes) {
    own_nodes = dae__gauss_nodes_create(o->s);
    nodes = &own_nodes;
  }
  gauss_make_points(o, rule);
  o->wide = nodes->wide;
  o->fine = nodes->fine;
  for (int i = 0; i < o->s + 2; i++) {
    o->node[i] = (dae__pair){o->wide.x[i], o->wide.x[i]};
    for (int j = 0; j < i; j++)
      o->apart[i][j] = 1 / (o->wide.x[i] - o->wide.x[j]);
  }
}

/* gamma over the mapped tolerance, and the stop value */
static void gauss_make_scales(dae__gauss *o)
{
  double s = o->s, gamma = 1;
  for (int i = 1; i <= o->s; i++)
    gamma /= s + i; /* s! / (2s)! */
  o->gamma = pow(gamma, 1 / s);
  o->scale = o->gamma / (0.1 * pow(o->rtol, (s + 1) / (2 * s) - 1));
  o->stop = o->fixed ? ROUND_OFF : pow(0.1, 2 * s / (s + 1));
}

static void gauss_alloc_memory(dae__gauss *o, dae__arena *arena)
{
  int nx = o->adapter->nx;
  o->memory = DAE__STATE(arena, dae__gauss_memory, 1);
  for (int k = 0; k < 2; k++)
    o->K[k] = DAE__STATE(arena, double, (size_t)(o->s + 2) * o->stride);
  o->F = DAE__STATE(arena, double, (size_t)o->fine.n * o->stride);
  o->missed = DAE__STATE(arena, double, nx);
  o->z = DAE__ALLOC(arena, double, o->adapter->size);
  o->before = DAE__ALLOC(arena, double, nx);
  o->change = DAE__ALLOC(arena, double, nx);
  o->inverse = DAE__ALLOC(arena, double, nx);
  o->zero = DAE__ALLOC(arena, double, nx);
  o->error = DAE__ALLOC(arena, double, nx);
}

dae_status dae__gauss_create(dae__arena *arena, const dae__rk_adapter *adapter,
                             const dae_rk_options *opts, int stages, dae__stepper *out,
                             dae_error *err)
{
  dae__gauss *o = DAE__UNINIT(arena, dae__gauss, 1);
  if (!o)
    return dae__out_of_memory(err);
  o->adapter = adapter;
  o->s = stages ? stages : dae__gauss_stages(opts->rtol);
  o->n2 = adapter->s ? 0 : adapter->m->nq;
  o->stride = (size_t)(adapter->nx + 7) / 8 * 8;
  o->rtol = opts->rtol;
  o->atol = opts->atol;
  o->fixed = opts->step > 0;
  o->near = 0;
  o->share = adapter->nx > 0 ? 1.0 / adapter->nx : 0;
  o->move = dae__gauss_mover(o, o->s);
  o->move_start = dae__gauss_mover(o, o->s + 1);
  gauss_make_polynomials(o);
  gauss_make_scales(o);
  gauss_alloc_memory(o, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *out = (dae__stepper){.table = &gauss_verbs,
                        .self = o,
                        .order = 2 * o->s,
                        .control = dae__controller_defaults(o->s + 1)};
  out->control.safety = SAFETY;
  return DAE_OK;
}
