/* Steps of Gauss collocation. With x = (q, v, u), q' = v and slopes k of (v, u),
 *
 *   (V, U)_i = (v, u)_0 + h sum_j a_ij k_j,   Q_i = q_0 + c_i h v_0 + h^2 sum_j (A A)_ij k_j
 *   k_i = k(t_0 + c_i h, Q_i, V_i, U_i)
 *
 * and the end alike with b and b' A. Iteration takes no matrix: in every sweep k_i is evaluated at
 * what the slopes are so far, beginning with the polynomial through those of the step before, both
 * ends among them. It contracts as h^2 where forces do not depend on v.
 *
 * Error of variable steps: gamma h (k_0 - p(0)), where p is the polynomial through k_1 ... k_s, and
 * the same of q with v; gamma = |det A|^(1/s) = (s! / (2s)!)^(1/s). That is O(h^(s+1)), while the
 * step itself is in error by O(h^(2s+1)): the tolerance is mapped, 0.1 tol^((s+1)/(2s)), which
 * makes the error of the step follow tol. The iteration ends at 0.1^(2s/(s+1)) of the tolerance,
 * with a fixed step at round-off.
 *
 * The nodes leave out the last few hundredths of a step: what begins to act there shows in k at the
 * end, which is evaluated once the step has been accepted. Where gamma h (k - p(1)) is several
 * times what the tolerance allows, the step is given up after all. */
#include "rk/gauss.h"
#include "core/error.h"
#include "core/vec.h"
#include <float.h>

#define MOST 12        /* sweeps of a variable step, */
#define MOST_FIXED 200 /* and of a fixed one, which cannot be made smaller */
#define SLOW 0.8       /* contraction from which on it is given up */
#define SAFETY 0.75    /* as of the explicit pairs: 1 % of steps are rejected, with 0.9 it is 7 % */
#define SURPRISE 5   /* error at the end, relative to the tolerance, at which a step is not taken */
#define AT_ONCE 1e-3 /* of the stop value: the first change that is enough */
#define REMEMBERED 40 /* steps for which a failure of the iteration tells something */
#define FARTHEST 10   /* a step so many times as long as the last one is not predicted from it */
#define ROUND_OFF 4   /* changes of so many units in the last place are none, */
#define BEARABLE 1e6  /* and those that do not get smaller are so up to here */

/* The fewest evaluations for the digits reached on eleven mechanisms at 3 to 12 digits, of which
 * there are one or two more than the tolerance asks for. */
int dae__gauss_stages(double rtol)
{
  return rtol > 1e-6 ? 4 : rtol > 1e-9 ? 5 : 6;
}

/* ---- states and slopes ---- */

void dae__gauss_point_create(int first, int n, double x, const double *single, const double *twice,
                             dae__gauss_point *out)
{
  out->first = first;
  out->count = n;
  out->x = x;
  for (int j = 0; j < n; j++) {
    out->single[j] = single[j];
    out->twice[j] = twice[j];
  }
}

void dae__gauss_point_scale(dae__gauss_point *p, double h)
{
  for (int j = 0; j < p->count; j++) {
    double once = h * p->single[j], again = h * (h * p->twice[j]);
    p->by_h[j] = (dae__pair){once, once};
    p->by_h2[j] = (dae__pair){again, again};
  }
}

#define KERNEL static inline __attribute__((always_inline))

/* sum_j w_j k_j of two entries, k_j being `stride` apart */
KERNEL dae__pair sum_two(int n, const dae__pair *w, const double *k, size_t stride)
{
  dae__pair sum = {0, 0};
#pragma GCC unroll 6
  for (int j = 0; j < n; j++, k += stride)
    sum += w[j] * dae__pair_from_anywhere(k);
  return sum;
}

KERNEL double sum_one(int n, const dae__pair *w, const double *k, size_t stride)
{
  double sum = 0;
  for (int j = 0; j < n; j++, k += stride)
    sum += w[j][0] * *k;
  return sum;
}

/* q and v where q' = v: h2 of them, two at a time, whose slopes k and v0 are given */
KERNEL void move_q(const dae__gauss *o, int n, double h, const double *x0, const double *K,
                   const dae__gauss_point *p, double *restrict z)
{
  size_t stride = o->stride, n2 = (size_t)o->n2, i = 0;
  const double *k = K + (size_t)p->first * stride + n2;
  double hx = h * p->x;
  for (; i + 2 <= n2; i += 2) {
    dae__pair q[2] = {{0, 0}, {0, 0}}, v[2] = {{0, 0}, {0, 0}};
    const double *at = k + i;
#pragma GCC unroll 6
    for (int j = 0; j < n;
         j++, at += stride) { /* two sums each: none waits for all of the others */
      dae__pair slope = dae__pair_from_anywhere(at);
      q[j % 2] += p->by_h2[j] * slope;
      v[j % 2] += p->by_h[j] * slope;
    }
    q[0] += hx * dae__pair_from_anywhere(K + i); /* v0 */
    dae__pair_to(z + i, dae__pair_from_anywhere(x0 + i) + (q[0] + q[1]));
    dae__pair_to(z + n2 + i, dae__pair_from_anywhere(x0 + n2 + i) + (v[0] + v[1]));
  }
  if (i < n2) {
    z[i] = x0[i] + (sum_one(n, p->by_h2, k + i, stride) + hx * K[i]);
    z[n2 + i] = x0[n2 + i] + sum_one(n, p->by_h, k + i, stride);
  }
}

/* u, and all of x where there is no q */
KERNEL void move_u(const dae__gauss *o, int n, const double *x0, const double *K,
                   const dae__gauss_point *p, double *restrict z)
{
  size_t stride = o->stride, i = 2 * (size_t)o->n2, nx = (size_t)o->body->nx;
  const double *k = K + (size_t)p->first * stride;
  for (; i + 2 <= nx; i += 2)
    dae__pair_to(z + i, dae__pair_from_anywhere(x0 + i) + sum_two(n, p->by_h, k + i, stride));
  if (i < nx)
    z[i] = x0[i] + sum_one(n, p->by_h, k + i, stride);
}

KERNEL void move(const dae__gauss *o, int n, double h, const double *x0, const double *K,
                 const dae__gauss_point *p, double *restrict z)
{
  move_q(o, n, h, x0, K, p, z);
  move_u(o, n, x0, K, p, z);
}

/* with the stages of those tolerances that are asked for most, and any */
#define MOVE(name, n)                                                                              \
  static __attribute__((noinline)) void name(const dae__gauss *o, double h, const double *x0,      \
                                             const double *K, const dae__gauss_point *p,           \
                                             double *z)                                            \
  {                                                                                                \
    move(o, n, h, x0, K, p, z);                                                                    \
  }
MOVE(move_by_4, 4)
MOVE(move_by_5, 5)
MOVE(move_by_6, 6)
MOVE(move_by_any, p->count)

void dae__gauss_state(const dae__gauss *o, double h, const double *x0, const double *K,
                      const dae__gauss_point *p, double *z)
{
  if (p->count == 4)
    move_by_4(o, h, x0, K, p, z);
  else if (p->count == 5)
    move_by_5(o, h, x0, K, p, z);
  else if (p->count == 6)
    move_by_6(o, h, x0, K, p, z);
  else
    move_by_any(o, h, x0, K, p, z);
}

void dae__gauss_combine(const dae__gauss *o, int n, const double *w, const double *K, double *k)
{
  size_t i = (size_t)o->n2, nx = (size_t)o->body->nx;
  for (; i + 2 <= nx; i += 2) {
    dae__pair sum = {0, 0};
    for (int j = 0; j < n; j++)
      sum += w[j] * dae__pair_from_anywhere(K + (size_t)j * o->stride + i);
    dae__pair_to(k + i, sum);
  }
  if (i < nx) {
    k[i] = 0;
    for (int j = 0; j < n; j++)
      k[i] += w[j] * K[(size_t)j * o->stride + i];
  }
}

/* K_1 ... K_s by the last step, or all as at the start */
static void predict(dae__gauss *o, const dae__rk_leg *leg, double *K)
{
  const dae__gauss_memory *m = o->memory;
  int nx = o->body->nx;
  double q = m->h > 0 ? leg->h / m->h : INFINITY, w[DAE__NODAL_MOST];
  dae__copy(nx, leg->from.dz, K);
  dae__copy(o->n2, leg->from.z + o->n2, K);
  for (int i = 0; i < o->s; i++) {
    double *k = dae__gauss_slope(o, K, i + 1);
    if (q <= FARTHEST) {
      dae__nodal_values(&o->wide, 1 + q * o->c[i], w);
      dae__gauss_combine(o, o->s + 2, w, o->K[m->last], k);
    } else {
      dae__copy(nx, leg->from.dz, k);
    }
  }
}

/* ---- iteration ---- */

void dae__gauss_weigh(dae__gauss *o, const double *x)
{
  int nx = o->body->nx;
  double unit = DBL_EPSILON * (1 + dae__max_abs(nx, x));
  for (int i = 0; i < nx; i++)
    o->inverse[i] = 1 / (o->fixed ? unit : o->rtol * fabs(x[i]) + o->atol);
}

static double norm(int n, const double *x, const double *y, const double *inverse)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double d = (x[i] - y[i]) * inverse[i];
    sum += d * d;
  }
  return n > 0 ? sqrt(sum / n) : 0;
}

/* all slopes once; *change: of x1 */
static dae_status sweep(dae__gauss *o, const dae__rk_leg *leg, double *K, double *change,
                        dae_error *err)
{
  const dae__rk_body *body = o->body;
  for (int i = 0; i < o->s; i++) {
    dae__gauss_state(o, leg->h, leg->from.z, K, &o->stage[i], o->z);
    dae_status status = body->table->slopes(body->self, false, leg->t + o->c[i] * leg->h, o->z,
                                            dae__gauss_slope(o, K, i + 1), err);
    if (status)
      return status;
  }
  dae__gauss_state(o, leg->h, leg->from.z, K, &o->end, leg->to.z);
  *change = norm(body->nx, leg->to.z, o->before, o->inverse);
  dae__copy(body->nx, leg->to.z, o->before);
  return DAE_OK;
}

static dae_status give_up(dae_error *err)
{
  return dae__fail(err, DAE_ERROR_STEP, NULL,
                   "the iteration of the stages does not converge: the motion may be stiff, which "
                   "radau is for");
}

/* whether the sweeps so far are enough; DAE_ERROR_STEP: they never will be */
static dae_status judge(const dae__gauss *o, int count, double change, double before, bool *enough,
                        dae_error *err)
{
  double theta = count > 1 ? change / before : 0, left = theta / (1 - theta) * change;
  *enough = count > 1 ? theta < 1 && left <= o->stop : change <= AT_ONCE * o->stop;
  if (*enough || count == 1)
    return isfinite(change) ? DAE_OK : give_up(err);
  if (o->fixed) {
    *enough = theta >= 1 && change <= BEARABLE;
    return *enough || (theta < 1 && count < MOST_FIXED) ? DAE_OK : give_up(err);
  }
  for (int i = count; i < MOST && left > o->stop; i++)
    left *= theta;
  return theta < SLOW && left <= o->stop ? DAE_OK : give_up(err);
}

/* ---- the verbs ---- */

static double estimate(dae__gauss *o, double h, const double *K)
{
  dae__gauss_state(o, h, o->zero, K, &o->start, o->error);
  return o->scale * norm(o->body->nx, o->error, o->zero, o->inverse);
}

static dae_status attempt(void *self, const dae__rk_leg *leg, double *error, dae_error *err)
{
  dae__gauss *o = self;
  const dae__rk_body *body = o->body;
  double *K = o->K[!o->memory->last], before = INFINITY, change;
  bool enough = false;
  for (int i = 0; i < o->s; i++)
    dae__gauss_point_scale(&o->stage[i], leg->h);
  dae__gauss_point_scale(&o->end, leg->h);
  dae__gauss_point_scale(&o->start, leg->h);
  dae__gauss_weigh(o, leg->from.z);
  predict(o, leg, K);
  dae__copy(body->size - body->nx, leg->from.z + body->nx, o->z + body->nx);
  dae__gauss_state(o, leg->h, leg->from.z, K, &o->end, o->before);
  for (int count = 1; !enough; count++) {
    dae_status status = sweep(o, leg, K, &change, err);
    o->memory->iterations++;
    if (status)
      return status;
    status = judge(o, count, change, before, &enough, err);
    if (status) {
      o->memory->limit = leg->h;
      o->memory->since = 0;
      return status;
    }
    before = change;
  }
  dae__copy(body->size - body->nx, o->z + body->nx, leg->to.z + body->nx);
  *error = o->fixed ? 0 : estimate(o, leg->h, K);
  return DAE_OK;
}

/* whether k at the end is not what the stages led to expect */
static bool surprises(dae__gauss *o, double h, const double *dz)
{
  double *K = o->K[!o->memory->last], *p = o->error, sum = 0;
  dae__gauss_combine(o, o->s, o->at_end, dae__gauss_slope(o, K, 1), p);
  for (int i = o->n2; i < o->body->nx; i++) {
    double d = h * (dz[i] - p[i]) * o->inverse[i];
    sum += d * d;
  }
  return !o->fixed && !(o->scale * sqrt(sum / o->body->nx) <= SURPRISE);
}

static dae_status settle(void *self, const dae__rk_leg *leg, dae_error *err)
{
  dae__gauss *o = self;
  const dae__rk_body *body = o->body;
  dae__gauss_memory *m = o->memory;
  double t = leg->t + leg->h;
  dae_status status = body->table->arrive
                          ? body->table->arrive(body->self, t, leg->to.z, leg->to.dz, err)
                          : body->table->slopes(body->self, false, t, leg->to.z, leg->to.dz, err);
  if (status)
    return status;
  if (surprises(o, leg->h, leg->to.dz))
    return dae__fail(err, DAE_ERROR_STEP, NULL,
                     "the forces at the end of a step are not those that its stages lead to");
  m->last = !m->last;
  m->h = leg->h;
  m->fine = false;
  m->since += m->since < REMEMBERED;
  dae__copy(body->nx, leg->to.dz, dae__gauss_slope(o, o->K[m->last], o->s + 1));
  return DAE_OK;
}

static void begin(void *self)
{
  dae__gauss_memory *m = ((dae__gauss *)self)->memory;
  m->h = m->limit = 0;
}

/* what limits its steps is the iteration, which shows only where it fails */
static double stiffness(const void *self)
{
  const dae__gauss_memory *m = ((const dae__gauss *)self)->memory;
  return m->limit > 0 && m->since < REMEMBERED ? m->h / m->limit : 0;
}

static void count(const void *self, dae_stats *stats)
{
  stats->iterations += ((const dae__gauss *)self)->memory->iterations;
}

static const dae__stepper_table verbs = {.begin = begin,
                                         .attempt = attempt,
                                         .settle = settle,
                                         .between = dae__gauss_between,
                                         .refine = dae__gauss_refine,
                                         .stiffness = stiffness,
                                         .count = count};

/* ---- creation ---- */

/* the stages, the end, and h (k_0 - p(0)) */
static void make_points(dae__gauss *o, const dae__collocation_rule *r)
{
  double at_zero[DAE__COLLOCATION_STAGES],
      single[DAE__COLLOCATION_STAGES + 1] = {1}, twice[DAE__COLLOCATION_STAGES + 1] = {0};
  dae__collocation_values(r, 0, at_zero);
  for (int i = 0; i < o->s; i++) {
    o->c[i] = r->c[i];
    dae__gauss_point_create(1, o->s, r->c[i], r->A[i], r->A2[i], &o->stage[i]);
    single[i + 1] = -at_zero[i];
    for (int j = 0; j < o->s; j++)
      twice[j + 1] -= at_zero[i] * r->A[i][j];
  }
  dae__gauss_point_create(1, o->s, 1, r->b, r->B2, &o->end);
  dae__gauss_point_create(0, o->s + 1, 0, single, twice, &o->start);
  dae__collocation_values(r, 1, o->at_end);
}

static void make_polynomials(dae__gauss *o)
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
  make_points(o, rule);
  o->wide = nodes->wide;
  o->fine = nodes->fine;
}

/* gamma over the mapped tolerance, and the stop value */
static void make_scales(dae__gauss *o)
{
  double s = o->s, gamma = 1;
  for (int i = 1; i <= o->s; i++)
    gamma /= s + i; /* s! / (2s)! */
  o->scale = pow(gamma, 1 / s) / (0.1 * pow(o->rtol, (s + 1) / (2 * s) - 1));
  o->stop = o->fixed ? ROUND_OFF : pow(0.1, 2 * s / (s + 1));
}

static void take_memory(dae__gauss *o, dae__arena *arena)
{
  int nx = o->body->nx;
  o->memory = DAE__KEEP(arena, dae__gauss_memory, 1);
  for (int k = 0; k < 2; k++)
    o->K[k] = DAE__KEEP(arena, double, (size_t)(o->s + 2) * o->stride);
  o->F = DAE__KEEP(arena, double, (size_t)o->fine.n * o->stride);
  o->z = DAE__TAKE(arena, double, o->body->size);
  o->before = DAE__TAKE(arena, double, nx);
  o->inverse = DAE__TAKE(arena, double, nx);
  o->zero = DAE__TAKE(arena, double, nx);
  o->error = DAE__TAKE(arena, double, nx);
}

dae_status dae__gauss_create(dae__arena *arena, const dae__rk_body *body,
                             const dae_rk_options *opts, int stages, dae__stepper *out,
                             dae_error *err)
{
  dae__gauss *o = DAE__TAKE(arena, dae__gauss, 1);
  if (!o)
    return dae__out_of_memory(err);
  o->body = body;
  o->s = stages ? stages : dae__gauss_stages(opts->rtol);
  o->n2 = body->s ? 0 : body->m->nq;
  o->stride = (size_t)(body->nx + 7) / 8 * 8;
  o->rtol = opts->rtol;
  o->atol = opts->atol;
  o->fixed = opts->step > 0;
  make_polynomials(o);
  make_scales(o);
  take_memory(o, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *out = (dae__stepper){
      .table = &verbs, .self = o, .order = 2 * o->s, .control = dae__controller_defaults(o->s + 1)};
  out->control.safety = SAFETY;
  return DAE_OK;
}
