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
 * That holds where forces are smooth. Where they jump or bend within a step, its error is of the
 * size of the estimate. It shows in e_(s-1) and e_(s-2), the same with fewer stages: those of
 * smooth forces shrink from one to the next by rho = e_s / max(e_(s-1), e_(s-2)) or more, and the
 * step is in error by less than e_s rho^(s-1), while rho is near 1 where they are not smooth. So
 * e_s rho^(s-1) has to be below the tolerance itself, too: with 4 to 6 stages and one jump or bend,
 * wherever it is, the error is at most 4.5 times the larger of that and of the same at the end.
 *
 * The nodes leave out the last few hundredths of a step: what begins to act there shows in k at the
 * end, which is evaluated once the step has been accepted. Where gamma h (k - p(1)) is several
 * times what these tolerances allow, the step is given up after all. */
#include "rk/gauss.h"
#include "core/error.h"
#include "core/vec.h"
#include "spark/curve.h"
#include <float.h>

#define MOST 12        /* sweeps of a variable step, */
#define MOST_FIXED 200 /* and of a fixed one, which cannot be made smaller */
#define SLOW 0.8       /* contraction from which on it is given up */
#define SAFETY 0.75    /* as of the explicit pairs: 1 % of steps are rejected, with 0.9 it is 7 % */
#define SURPRISE 5     /* error at the end, relative to the mapped tolerance, */
#define MISSED 2       /* and of what is not smooth, at which a step is not taken */
#define AT_ONCE 1e-3   /* of the stop value: the first change that is enough */
#define FARTHEST 10    /* a step so many times as long as the last one is not predicted from it */
#define ROUND_OFF 4    /* changes of so many units in the last place are none, */
#define BEARABLE 1e6   /* and those that do not get smaller are so up to here */

/* The fewest evaluations for the digits reached on six mechanisms, in the mean of fits through
 * tolerances from 1e-2 to 1e-9; 4 stages wait longer for each other. */
int dae__gauss_stages(double rtol)
{
  return rtol > 1e-7 ? 5 : 6;
}

/* ---- states and slopes ---- */

void dae__gauss_point_create(const dae__gauss *o, int first, int n, double x, const double *single,
                             const double *twice, dae__gauss_point *out)
{
  out->from = (size_t)first * o->stride;
  out->count = n;
  out->x = x;
  for (int j = 0; j < n; j++) {
    out->single[j] = (dae__pair){single[j], single[j]};
    out->twice[j] = (dae__pair){twice[j], twice[j]};
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

/* two of q and v where q' = v, from i on */
KERNEL void move_two(const dae__gauss *o, int n, double h, const double *x0, const double *K,
                     const dae__gauss_point *p, size_t i, double *restrict z)
{
  size_t stride = o->stride, n2 = (size_t)o->n2;
  const double *at = K + p->from + n2 + i;
  dae__pair slope = dae__pair_from_anywhere(at);
  dae__pair q[2] = {p->twice[0] * slope, {0, 0}}, v[2] = {p->single[0] * slope, {0, 0}};
#pragma GCC unroll 6
  for (int j = 1; j < n; j++) { /* two sums each: none waits for all of the others */
    at += stride;
    slope = dae__pair_from_anywhere(at);
    q[j % 2] += p->twice[j] * slope;
    v[j % 2] += p->single[j] * slope;
  }
  /* what the slopes do not bear on is there before them */
  dae__pair start = dae__pair_from_anywhere(x0 + i) + h * p->x * dae__pair_from_anywhere(K + i);
  dae__pair_to(z + i, start + h * h * (q[0] + q[1]));
  dae__pair_to(z + n2 + i, dae__pair_from_anywhere(x0 + n2 + i) + h * (v[0] + v[1]));
}

/* an even number of q and v, and nothing else */
KERNEL void move_even(const dae__gauss *o, int n, double h, const double *x0, const double *K,
                      const dae__gauss_point *p, double *restrict z)
{
  for (size_t i = 0; i < (size_t)o->n2; i += 2)
    move_two(o, n, h, x0, K, p, i, z);
}

/* any number of q and v, and u, which is all of x where there is no q */
KERNEL void move(const dae__gauss *o, int n, double h, const double *x0, const double *K,
                 const dae__gauss_point *p, double *restrict z)
{
  size_t stride = o->stride, n2 = (size_t)o->n2, nx = (size_t)o->body->nx, i = 0;
  const double *k = K + p->from;
  for (; i + 2 <= n2; i += 2)
    move_two(o, n, h, x0, K, p, i, z);
  if (i < n2) {
    z[i] = x0[i] + h * p->x * K[i] + h * h * sum_one(n, p->twice, k + n2 + i, stride);
    z[n2 + i] = x0[n2 + i] + h * sum_one(n, p->single, k + n2 + i, stride);
  }
  for (i = 2 * n2; i + 2 <= nx; i += 2)
    dae__pair_to(z + i, dae__pair_from_anywhere(x0 + i) + h * sum_two(n, p->single, k + i, stride));
  if (i < nx)
    z[i] = x0[i] + h * sum_one(n, p->single, k + i, stride);
}

/* with the stages of those tolerances that are asked for most, and any */
#define MOVE(name, kernel, n)                                                                      \
  static void name(const dae__gauss *o, double h, const double *x0, const double *K,               \
                   const dae__gauss_point *p, double *z)                                           \
  {                                                                                                \
    kernel(o, n, h, x0, K, p, z);                                                                  \
  }
MOVE(move_even_by_5, move_even, 5)
MOVE(move_even_by_6, move_even, 6)
MOVE(move_by_5, move, 5)
MOVE(move_by_6, move, 6)
MOVE(move_by_any, move, p->count)

static dae__gauss_move *mover(const dae__gauss *o)
{
  bool even = o->n2 % 2 == 0 && o->body->nx == 2 * o->n2;
  if (o->s == 5)
    return even ? move_even_by_5 : move_by_5;
  if (o->s == 6)
    return even ? move_even_by_6 : move_by_6;
  return move_by_any;
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

/* ---- prediction ---- */

/* The polynomial through slopes k_0 ... k_n at x_0 ... x_n, the last step's, in the form of Newton,
 *
 *   p(x) = d_n + (x - x_n) (d_(n-1) + (x - x_(n-1)) (... + (x - x_1) d_0)),
 *
 * d_j the divided difference of k_j ... k_n. */
KERNEL void divide(const dae__gauss *o, int n, dae__pair *d)
{
#pragma GCC unroll 8
  for (int last = 0; last < n; last++)
#pragma GCC unroll 8
    for (int j = 0; j < n - last; j++)
      d[j] = (d[j + 1] - d[j]) * o->apart[j + 1 + last][j];
}

KERNEL dae__pair evaluate(int n, const dae__pair *d, const double *gap)
{
  dae__pair p = d[0];
#pragma GCC unroll 8
  for (int j = 1; j <= n; j++)
    p = p * gap[j] + d[j];
  return p;
}

/* two numbers of K_1 ... K_s, or one, the first of a slope being i; n = s + 1 */
KERNEL void foresee(const dae__gauss *o, int n, double gap[][DAE__NODAL_MOST], size_t i, bool two,
                    double *K)
{
  const double *last = o->K[o->memory->last] + i;
  double *to = K + i;
  dae__pair d[DAE__NODAL_MOST];
#pragma GCC unroll 8
  for (int j = 0; j <= n; j++, last += o->stride)
    d[j] = two ? dae__pair_from_anywhere(last) : (dae__pair){*last, 0};
  divide(o, n, d);
  for (int k = 0; k < n - 1; k++) {
    dae__pair p = evaluate(n, d, gap[k]);
    to += o->stride;
    if (two)
      dae__pair_to(to, p);
    else
      *to = p[0];
  }
}

/* q: the step over the last one */
KERNEL void extrapolate(const dae__gauss *o, int n, double q, double *K)
{
  double gap[DAE__COLLOCATION_STAGES][DAE__NODAL_MOST];
  size_t i = (size_t)o->n2, nx = (size_t)o->body->nx;
  for (int k = 0; k < n - 1; k++)
#pragma GCC unroll 8
    for (int j = 0; j <= n; j++)
      gap[k][j] = 1 + q * o->c[k] - o->wide.x[j];
  for (; i + 2 <= nx; i += 2)
    foresee(o, n, gap, i, true, K);
  if (i < nx)
    foresee(o, n, gap, i, false, K);
}

#define EXTRAPOLATE(name, n)                                                                       \
  static void name(const dae__gauss *o, double q, double *K)                                       \
  {                                                                                                \
    extrapolate(o, n, q, K);                                                                       \
  }
EXTRAPOLATE(extrapolate_by_5, 6)
EXTRAPOLATE(extrapolate_by_6, 7)
EXTRAPOLATE(extrapolate_by_any, o->s + 1)

/* K_1 ... K_s by the last step, or all as at the start */
static void predict(dae__gauss *o, const dae__rk_leg *leg, double *K)
{
  const dae__gauss_memory *m = o->memory;
  int nx = o->body->nx;
  dae__copy(nx, leg->from.dz, K);
  dae__copy(o->n2, leg->from.z + o->n2, K);
  if (m->h > 0 && leg->h <= FARTHEST * m->h)
    (o->s == 5   ? extrapolate_by_5
     : o->s == 6 ? extrapolate_by_6
                 : extrapolate_by_any)(o, leg->h / m->h, K);
  else
    for (int i = 1; i <= o->s; i++)
      dae__copy(nx, leg->from.dz, dae__gauss_slope(o, K, i));
}

/* ---- iteration ---- */

void dae__gauss_weigh(dae__gauss *o, const double *x)
{
  int nx = o->body->nx;
  double unit = o->fixed ? DBL_EPSILON * (1 + dae__max_abs(nx, x)) : o->atol;
  double rtol = o->fixed ? 0 : o->rtol;
  for (int i = 0; i < nx; i++)
    o->inverse[i] = 1 / (rtol * fabs(x[i]) + unit);
}

static double norm(int n, const double *x, const double *y, const double *inverse)
{
  dae__pair sum = {0, 0};
  int i = 0;
  for (; i + 2 <= n; i += 2) {
    dae__pair d = (dae__pair_from_anywhere(x + i) - dae__pair_from_anywhere(y + i)) *
                  dae__pair_from_anywhere(inverse + i);
    sum += d * d;
  }
  double rest = i < n ? (x[i] - y[i]) * inverse[i] : 0;
  return n > 0 ? sqrt((dae__pair_sum(sum) + rest * rest) / n) : 0;
}

/* all slopes once; *change: of x1 */
static dae_status sweep(dae__gauss *o, const dae__rk_leg *leg, double *K, double *change,
                        dae_error *err)
{
  const dae__rk_body *body = o->body;
  for (int i = 0; i < o->s; i++) {
    o->move(o, leg->h, leg->from.z, K, &o->stage[i], o->z);
    dae_status status = body->table->slopes(body->self, false, leg->t + o->c[i] * leg->h, o->z,
                                            dae__gauss_slope(o, K, i + 1), err);
    if (status)
      return status;
  }
  o->move(o, leg->h, leg->from.z, K, &o->end, leg->to.z);
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

/* |sum_j w_j k_j - k| over v and u, relative to the tolerance; k = NULL: 0 */
static double slopes_apart(const dae__gauss *o, int n, const double *w, const double *K,
                           const double *k)
{
  size_t i = (size_t)o->n2, nx = (size_t)o->body->nx, all = nx - i;
  dae__pair sum = {0, 0};
  for (; i + 2 <= nx; i += 2) {
    dae__pair d = {0, 0};
    if (k)
      d -= dae__pair_from_anywhere(k + i);
    for (int j = 0; j < n; j++)
      d += w[j] * dae__pair_from_anywhere(K + (size_t)j * o->stride + i);
    d *= dae__pair_from_anywhere(o->inverse + i);
    sum += d * d;
  }
  double rest = i < nx && k ? -k[i] : 0;
  for (int j = 0; i < nx && j < n; j++)
    rest += w[j] * K[(size_t)j * o->stride + i];
  rest *= i < nx ? o->inverse[i] : 0;
  return all > 0 ? sqrt((dae__pair_sum(sum) + rest * rest) / (double)all) : 0;
}

/* rho^(s-1) */
static double smoothness(const dae__gauss *o, double fine, double rough)
{
  double rho = fine < rough ? fine / rough : 1, power = 1;
  for (int i = 1; i < o->s; i++)
    power *= rho;
  return power;
}

/* relative to the mapped tolerance, or where forces are not smooth to the tolerance */
static double estimate(dae__gauss *o, double h, const double *K)
{
  o->move_any(o, h, o->zero, K, &o->start, o->error);
  double size = norm(o->body->nx, o->error, o->zero, o->inverse), mapped = o->scale * size;
  if (o->s < 3 || o->gamma * size <= fmax(mapped, 1))
    return mapped;
  int n2 = o->n2;
  double fine = norm(o->body->nx - n2, o->error + n2, o->zero, o->inverse + n2), rough = 0;
  for (int d = 1; d <= 2; d++)
    rough = fmax(rough, h * slopes_apart(o, o->s + 1 - d, o->rough_start[d - 1], K, NULL));
  double plain = o->gamma * size * smoothness(o, fine, rough);
  return plain <= mapped ? mapped : plain; /* a NaN stays */
}

static dae_status attempt(void *self, const dae__rk_leg *leg, double *error, dae_error *err)
{
  dae__gauss *o = self;
  const dae__rk_body *body = o->body;
  double *K = o->K[!o->memory->last], before = INFINITY, change;
  bool enough = false;
  dae__gauss_weigh(o, leg->from.z);
  predict(o, leg, K);
  dae__copy(body->size - body->nx, leg->from.z + body->nx, o->z + body->nx);
  o->move(o, leg->h, leg->from.z, K, &o->end, o->before);
  for (int count = 1; !enough; count++) {
    dae_status status = sweep(o, leg, K, &change, err);
    o->memory->iterations++;
    if (status)
      return status;
    status = judge(o, count, change, before, &enough, err);
    if (status)
      return status;
    before = change;
  }
  dae__copy(body->size - body->nx, o->z + body->nx, leg->to.z + body->nx);
  *error = o->fixed ? 0 : estimate(o, leg->h, K);
  return DAE_OK;
}

/* whether k at the end is not what the stages led to expect */
static bool surprises(dae__gauss *o, double h, const double *dz)
{
  double *K = o->K[!o->memory->last];
  if (o->fixed)
    return false;
  double fine = h * slopes_apart(o, o->s, o->at_end, dae__gauss_slope(o, K, 1), dz);
  if (!(o->scale * fine <= SURPRISE))
    return true;
  if (o->s < 3 || o->gamma * fine <= MISSED)
    return false;
  double rough = 0;
  for (int d = 1; d <= 2; d++)
    rough = fmax(rough, h * slopes_apart(o, o->s - d, o->rough_end[d - 1],
                                         dae__gauss_slope(o, K, d + 1), dz));
  return o->gamma * fine * smoothness(o, fine, rough) > MISSED;
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
  m->fine = m->missed = false;
  dae__copy(body->nx, leg->to.dz, dae__gauss_slope(o, o->K[m->last], o->s + 1));
  return DAE_OK;
}

static void begin(void *self)
{
  ((dae__gauss *)self)->memory->h = 0;
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
    dae__gauss_point_create(o, 1, o->s, r->c[i], r->A[i], r->A2[i], &o->stage[i]);
    single[i + 1] = -at_zero[i];
    for (int j = 0; j < o->s; j++)
      twice[j + 1] -= at_zero[i] * r->A[i][j];
  }
  dae__gauss_point_create(o, 1, o->s, 1, r->b, r->B2, &o->end);
  dae__gauss_point_create(o, 0, o->s + 1, 0, single, twice, &o->start);
  dae__collocation_values(r, 1, o->at_end);
  for (int d = 1; d <= 2; d++) {
    o->rough_start[d - 1][0] = 1;
    for (int j = 0; j < o->s - d; j++) {
      o->rough_start[d - 1][j + 1] = -dae__lagrange_weight(o->s - d, r->c, j, 0);
      o->rough_end[d - 1][j] = dae__lagrange_weight(o->s - d, r->c + d, j, 1);
    }
  }
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
  for (int i = 1; i < o->s + 2; i++)
    for (int j = 0; j < i; j++)
      o->apart[i][j] = 1 / (o->wide.x[i] - o->wide.x[j]);
}

/* gamma over the mapped tolerance, and the stop value */
static void make_scales(dae__gauss *o)
{
  double s = o->s, gamma = 1;
  for (int i = 1; i <= o->s; i++)
    gamma /= s + i; /* s! / (2s)! */
  o->gamma = pow(gamma, 1 / s);
  o->scale = o->gamma / (0.1 * pow(o->rtol, (s + 1) / (2 * s) - 1));
  o->stop = o->fixed ? ROUND_OFF : pow(0.1, 2 * s / (s + 1));
}

static void take_memory(dae__gauss *o, dae__arena *arena)
{
  int nx = o->body->nx;
  o->memory = DAE__KEEP(arena, dae__gauss_memory, 1);
  for (int k = 0; k < 2; k++)
    o->K[k] = DAE__KEEP(arena, double, (size_t)(o->s + 2) * o->stride);
  o->F = DAE__KEEP(arena, double, (size_t)o->fine.n * o->stride);
  o->missed = DAE__KEEP(arena, double, nx);
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
  dae__gauss *o = DAE__ROOM(arena, dae__gauss, 1);
  if (!o)
    return dae__out_of_memory(err);
  o->body = body;
  o->s = stages ? stages : dae__gauss_stages(opts->rtol);
  o->n2 = body->s ? 0 : body->m->nq;
  o->stride = (size_t)(body->nx + 7) / 8 * 8;
  o->rtol = opts->rtol;
  o->atol = opts->atol;
  o->fixed = opts->step > 0;
  o->move = mover(o);
  o->move_any = move_by_any;
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
