/* Steps of explicit pairs (pair.h).
 *
 * An attempt finds k_1 ... k_(s-1), x1, and its error in the norm of w_i = atol + rtol max(|x0_i|,
 * |x1_i|) over x: multipliers are not in it. To settle puts x1 onto its constraints and finds k_s,
 * by one evaluation: the first slope of the next step.
 *
 * The pair of order 5 needs k_s for its estimate, and arrives already in the attempt. So an
 * accepted step takes s evaluations, and one that is rejected as many (order 5) or s - 1 (order 8).
 *
 * The slopes of the last settled step are kept, for what lies between its ends; the next attempt
 * fills another buffer. */
#include "onestep/explicit/explicit.h"
#include "core/error.h"
#include "core/vec.h"
#include "onestep/explicit/pair.h"
#include "onestep/host/combine.h"
#include <float.h>

typedef struct memory {
  int last;  /* buffer of the step settled last */
  bool fine; /* its extra slopes are there */
  double stiffness;
} memory;

typedef struct explicit_stepper {
  const dae__rk_adapter *adapter;
  const dae__pair *pair;
  double rtol, atol;
  size_t stride; /* from slope to slope */
  dae__combination stage[DAE__PAIR_SLOPES], estimate[2];
  memory *memory;             /* kept */
  double *K[2];               /* kept */
  double *z;                  /* where slopes are evaluated */
  double *inverse, *error[2]; /* 1 / w, estimates */
  double *zero;
  double apart; /* |x1 - X_(s-1)| of the last attempt */
} explicit_stepper;

static double *explicit_slope(const explicit_stepper *o, double *K, int i)
{
  return K + (size_t)i * o->stride;
}

/* ---- attempt ---- */

/* k_1 ... k_(s-1), and x1; y of the last stage is the guess there */
static dae_status explicit_stages(explicit_stepper *o, const dae__rk_step *step, double *K,
                                  dae_error *err)
{
  const dae__rk_adapter *adapter = o->adapter;
  const dae__pair *p = o->pair;
  dae__copy(adapter->nx, step->from.dz, K);
  dae__copy(adapter->size - adapter->nx, step->from.z + adapter->nx, o->z + adapter->nx);
  for (int i = 1; i < p->stages; i++) {
    dae__combine(&o->stage[i], adapter->nx, step->h, K, step->from.z, o->z);
    DAE__TRY(adapter->table->slopes(adapter->self, false, step->t + p->c[i] * step->h, o->z,
                                    explicit_slope(o, K, i), err));
  }
  dae__combine(&o->stage[p->stages], adapter->nx, step->h, K, step->from.z, step->to.z);
  dae__copy(adapter->size - adapter->nx, o->z + adapter->nx, step->to.z + adapter->nx);
  return DAE_OK;
}

/* 1 / w, and how far apart the last two points at c = 1 are */
static void explicit_weigh(explicit_stepper *o, const double *x0, const double *x1)
{
  double sum = 0;
  for (int i = 0; i < o->adapter->nx; i++) {
    double a = fabs(x0[i]), b = fabs(x1[i]);
    o->inverse[i] = 1 / (o->atol + o->rtol * (a > b ? a : b));
    double d = (x1[i] - o->z[i]) * o->inverse[i];
    sum += d * d;
  }
  o->apart = sqrt(sum);
}

static double explicit_square_sum(int n, const double *x, const double *inverse)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (x[i] * inverse[i]) * (x[i] * inverse[i]);
  return sum;
}

/* [HNW93 II.4], [HNW93 II.10] */
static double explicit_estimate(explicit_stepper *o, double h, const double *K)
{
  int n = o->adapter->nx;
  double E[2] = {0};
  for (int k = 0; k < o->pair->estimates; k++) {
    dae__combine(&o->estimate[k], n, h, K, o->zero, o->error[k]);
    E[k] = explicit_square_sum(n, o->error[k], o->inverse);
  }
  double both = E[0] + 0.01 * E[1]; /* a NaN stays */
  return n == 0 || both == 0 ? 0 : E[0] / sqrt(both * n);
}

/* x1 onto its constraints, and its slope */
static dae_status explicit_project(explicit_stepper *o, const dae__rk_step *step, dae_error *err)
{
  const dae__rk_adapter *adapter = o->adapter;
  double t = step->t + step->h;
  return adapter->table->project_and_accelerate
             ? adapter->table->project_and_accelerate(adapter->self, t, step->to.z, step->to.dz,
                                                      err)
             : adapter->table->slopes(adapter->self, false, t, step->to.z, step->to.dz, err);
}

static dae_status explicit_attempt(void *self, const dae__rk_step *step, double *error,
                                   dae_error *err)
{
  explicit_stepper *o = self;
  double *K = o->K[!o->memory->last];
  dae_status status = explicit_stages(o, step, K, err);
  DAE__TRY(status);
  explicit_weigh(o, step->from.z, step->to.z);
  if (o->pair->closed) {
    status = explicit_project(o, step, err);
    dae__copy(o->adapter->nx, step->to.dz, explicit_slope(o, K, o->pair->stages));
  }
  *error = explicit_estimate(o, step->h, K);
  return status;
}

/* ---- settle ---- */

/* Differences that are round-off say nothing. */
static double explicit_stiffness_of(const explicit_stepper *o, const dae__rk_step *step, double *K)
{
  const dae__pair *p = o->pair;
  const double *last = explicit_slope(o, K, p->stages),
               *before = explicit_slope(o, K, p->stages - 1);
  double sum = 0, noise = 0;
  for (int i = 0; i < o->adapter->nx; i++) {
    double d = (last[i] - before[i]) * o->inverse[i], e = step->to.z[i] * o->inverse[i];
    sum += d * d;
    noise += e * e;
  }
  bool shows = o->apart > 100 * DBL_EPSILON * sqrt(noise);
  return shows ? step->h * sqrt(sum) / o->apart / p->reach : 0;
}

static dae_status explicit_complete_step(void *self, const dae__rk_step *step, dae_error *err)
{
  explicit_stepper *o = self;
  double *K = o->K[!o->memory->last];
  if (!o->pair->closed) {
    DAE__TRY(explicit_project(o, step, err));
    dae__copy(o->adapter->nx, step->to.dz, explicit_slope(o, K, o->pair->stages));
  }
  *o->memory = (memory){.last = !o->memory->last, .stiffness = explicit_stiffness_of(o, step, K)};
  return DAE_OK;
}

static double explicit_stiffness(const void *self)
{
  return ((const explicit_stepper *)self)->memory->stiffness;
}

/* ---- between the ends ---- */

static dae_status explicit_refine(void *self, const dae__rk_step *step, dae_error *err)
{
  explicit_stepper *o = self;
  const dae__rk_adapter *adapter = o->adapter;
  const dae__pair *p = o->pair;
  double *K = o->K[o->memory->last];
  dae__copy(adapter->size, step->from.z, o->z);
  for (int i = p->stages + 1; i <= p->stages + p->extra; i++) {
    dae__combine(&o->stage[i], adapter->nx, step->h, K, step->from.z, o->z);
    DAE__TRY(adapter->table->slopes(adapter->self, true, step->t + p->c[i] * step->h, o->z,
                                    explicit_slope(o, K, i), err));
  }
  o->memory->fine = true;
  return DAE_OK;
}

/* weights of the slopes in p(x) [pair.h], but for those of D */
static void explicit_weights_at(const explicit_stepper *o, double x, double w[DAE__PAIR_SLOPES])
{
  const dae__pair *p = o->pair;
  int kind = o->memory->fine ? DAE__PAIR_FINE : DAE__PAIR_ROUGH;
  double rest = 1 - x, basis = x * x * rest * rest;
  for (int j = 0; j < DAE__PAIR_SLOPES; j++)
    w[j] = 0;
  w[0] = x * rest * rest;
  w[p->stages] = -x * x * rest;
  for (int m = 0; m < p->terms[kind]; m++) {
    for (int j = 0; j <= p->stages + p->extra; j++)
      w[j] += basis * p->d[kind][m][j];
    basis *= m % 2 ? rest : x;
  }
}

static void explicit_dense_output(void *self, const dae__rk_step *step, double x, double *z)
{
  explicit_stepper *o = self;
  const dae__rk_adapter *adapter = o->adapter;
  const double *a = step->from.z, *b = step->to.z;
  double w[DAE__PAIR_SLOPES], share = x * x * (3 - 2 * x);
  explicit_weights_at(o, x, w);
  dae__combination c;
  dae__combination_set(&c, DAE__PAIR_SLOPES, w, o->stride);
  dae__combine(&c, adapter->nx, step->h, o->K[o->memory->last], a, z);
  for (int i = 0; i < adapter->nx; i++)
    z[i] += share * (b[i] - a[i]);
  for (int i = adapter->nx; i < adapter->size; i++)
    z[i] = a[i] + x * (b[i] - a[i]);
}

/* ---- creation ---- */

static const dae__stepper_table verbs5 = {.attempt = explicit_attempt,
                                          .complete = explicit_complete_step,
                                          .dense_output = explicit_dense_output,
                                          .stiffness = explicit_stiffness};
static const dae__stepper_table verbs8 = {.attempt = explicit_attempt,
                                          .complete = explicit_complete_step,
                                          .dense_output = explicit_dense_output,
                                          .refine = explicit_refine,
                                          .stiffness = explicit_stiffness};

/* Safety: measured on eight mechanisms at 2 to 9 digits, the fewest evaluations for the digits
 * reached; few steps are rejected then (below 1 %, with 0.9 it is 10 %), and the error of both
 * pairs follows the tolerance more closely. Factor: [HNW93 II.5], as in DOP853. */
static dae__controller_options explicit_control(const dae__pair *pair)
{
  dae__controller_options c = dae__controller_defaults(pair->estimate_order);
  c.safety = 0.7;
  c.max_factor = 6;
  return c;
}

static void explicit_alloc_memory(explicit_stepper *o, dae__arena *arena)
{
  int nx = o->adapter->nx, slopes = o->pair->stages + 1 + o->pair->extra;
  o->memory = DAE__STATE(arena, memory, 1);
  for (int k = 0; k < 2; k++) {
    o->K[k] = DAE__STATE(arena, double, (size_t)slopes * o->stride);
    o->error[k] = DAE__ALLOC(arena, double, nx);
  }
  o->z = DAE__ALLOC(arena, double, o->adapter->size);
  o->inverse = DAE__ALLOC(arena, double, nx);
  o->zero = DAE__ALLOC(arena, double, nx);
}

dae_status dae__explicit_create(dae__arena *arena, const dae__rk_adapter *adapter,
                                const dae_rk_options *opts, int order, dae__stepper *out,
                                dae_error *err)
{
  explicit_stepper *o = DAE__UNINIT(arena, explicit_stepper, 1);
  const dae__pair *pair = order == 5 ? &dae__pair5 : &dae__pair8;
  if (!o)
    return dae__out_of_memory(err);
  o->adapter = adapter;
  o->pair = pair;
  o->rtol = opts->rtol;
  o->atol = opts->atol;
  o->stride = (size_t)(adapter->nx + 7) / 8 * 8;
  explicit_alloc_memory(o, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int i = 1; i <= pair->stages + pair->extra; i++)
    dae__combination_set(&o->stage[i], i, pair->a[i], o->stride);
  for (int k = 0; k < pair->estimates; k++)
    dae__combination_set(&o->estimate[k], DAE__PAIR_SLOPES, pair->e[k], o->stride);
  *out = (dae__stepper){.table = pair->extra ? &verbs8 : &verbs5,
                        .self = o,
                        .order = pair->order,
                        .control = explicit_control(pair)};
  return DAE_OK;
}
