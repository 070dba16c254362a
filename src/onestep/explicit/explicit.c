/* Steps of explicit pairs (explicit.h).
 *
 * An attempt computes k_1 ... k_(s-1), x1, and an error estimate in the norm with weights w_i =
 * atol_i + rtol max(|x0_i|, |x1_i|), of x only. Completion projects x1 onto the constraints and
 * computes k_s by one evaluation; k_s is the first slope of the next step. The pair of order 5
 * needs k_s for its estimate and therefore projects in the attempt. An accepted step takes s
 * evaluations, a rejected one s (order 5) or s - 1 (order 8).
 *
 * The slopes of the last completed step are kept for dense output; the next attempt uses another
 * buffer. */
#include "onestep/explicit/explicit.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/mutant.h"
#include "core/vec.h"
#include "step/norm.h"
#include <float.h>

/* Safety factor of step size control: the value of fewest evaluations per digit of accuracy, on
 * eight mechanisms at 2 to 9 digits. Less than 1 % of steps are rejected (10 % with 0.9), and the
 * error of both pairs follows the tolerance more closely. */
#define SAFETY_FACTOR 0.7
/* Error of a step relative to the tolerance: errors of steps add up, those over jumps of forces
 * with an estimate up to 5 times too small. Measured: evaluations for equal accuracy do not depend
 * on it (0.01 to 1); with 1 a tenth of smooth runs, and a quarter of those with jumps, exceed 30
 * tolerances at their end. */
#define STEP_SHARE 0.03
/* Largest growth of the step size, [HNW93 II.5], as in DOP853. */
#define MAX_STEP_GROWTH 6
/* Distance of the last two stages, in units of round-off of x1, below which no stiffness is
 * computed from it; chosen, not measured. */
#define STIFFNESS_NOISE 100

typedef struct memory {
  int last;     /* index in K of the slopes of the last completed step */
  bool refined; /* the extra slopes of the last completed step are computed */
  double stiffness;
} memory;

typedef struct explicit_stepper {
  const dae_adapter *adapter;
  const dae__explicit_pair *pair;
  double rtol, atol;
  size_t stride; /* distance of two slopes in K, in doubles */
  dae__combination stage[DAE__EXPLICIT_MAX_SLOPES], estimate[2];
  memory *memory;         /* state saved with the integrator */
  double *K[2];           /* saved: slopes k_i of the last step and of the attempt */
  double *z;              /* state at which slopes are evaluated */
  double *inverse_weight; /* reciprocal weights 1 / w_i of the error norm */
  double *error[2];       /* error estimates h sum_j e_j k_j */
  double *zero;
  double stage_distance; /* |x1 - X_(s-1)| of the attempt, two states at its end (c = 1) */
} explicit_stepper;

static double *explicit_slope(const explicit_stepper *o, double *K, int i)
{
  return K + (size_t)i * o->stride;
}

/* ---- attempt ---- */

/* Slopes k_from ... k_(to-1); o->z has the guess of y. dense: slopes of dense output. */
static dae_status explicit_slopes(explicit_stepper *o, const dae_step *step, bool dense, int from,
                                  int to, double *K, dae_error *err)
{
  const dae_adapter *adapter = o->adapter;
  for (int i = from; i < to; i++) {
    dae__combine(&o->stage[i], adapter->nx, step->h, K, step->from.z, o->z);
    DAE__TRY(adapter->table->slopes(adapter->self, dense, step->t + o->pair->c[i] * step->h, o->z,
                                    explicit_slope(o, K, i), err));
  }
  return DAE_OK;
}

/* Sets inverse_weight and stage_distance of the attempt. */
static void explicit_set_weights(explicit_stepper *o, const double *x0, const double *x1)
{
  const double *scale = o->adapter->atol_scale;
  double sum = 0;
  for (int i = 0; i < o->adapter->nx; i++) {
    double a = fabs(x0[i]), b = fabs(x1[i]);
    o->inverse_weight[i] = 1 / (o->atol * scale[i] + o->rtol * (a > b ? a : b));
    double d = (x1[i] - o->z[i]) * o->inverse_weight[i];
    sum += d * d;
  }
  o->stage_distance = sqrt(sum);
}

/* Error relative to the tolerance [HNW93 II.4], by two estimates for order 8 [HNW93 II.10]. */
static double explicit_estimate_error(explicit_stepper *o, double h, const double *K)
{
  int n = o->adapter->nx;
  const double *inverse = o->inverse_weight;
  double E[2] = {0};
  for (int k = 0; k < o->pair->estimates; k++) {
    const double *x = o->error[k];
    double sum = 0;
    dae__combine(&o->estimate[k], n, h, K, o->zero, o->error[k]);
    for (int i = 0; i < n; i++)
      sum += (x[i] * inverse[i]) * (x[i] * inverse[i]);
    E[k] = sum;
  }
  double both = E[0] + 0.01 * E[1]; /* a NaN propagates to the result */
  return DAE__MUTATE(explicit_error, n == 0 || both == 0 ? 0 : E[0] / sqrt(both * n) / STEP_SHARE,
                     1e-4 * (E[0] / sqrt(both * n)));
}

/* Projects x1 and computes k_s there. */
static dae_status explicit_finish(explicit_stepper *o, const dae_step *step, double *K,
                                  dae_error *err)
{
  dae_status status =
      dae__adapter_complete(o->adapter, step->t + step->h, step->to.z, step->to.dz, err);
  dae__copy(o->adapter->nx, step->to.dz, explicit_slope(o, K, o->pair->stages));
  return status;
}

static dae_status explicit_attempt(void *self, const dae_step *step, double *error, dae_error *err)
{
  explicit_stepper *o = self;
  int nx = o->adapter->nx, ny = o->adapter->size - nx, stages = o->pair->stages;
  double *K = o->K[!o->memory->last];
  dae_limiting *limiting = o->adapter->limiting;
  dae__copy(nx, step->from.dz, K);
  dae__copy(ny, step->from.z + nx, o->z + nx);
  DAE__TRY(explicit_slopes(o, step, false, 1, stages, K, err));
  dae__combine(&o->stage[stages], nx, step->h, K, step->from.z, step->to.z);
  dae__copy(ny, o->z + nx, step->to.z + nx); /* guess of y1: y of the last stage */
  explicit_set_weights(o, step->from.z, step->to.z);
  if (o->pair->closed)
    DAE__TRY(explicit_finish(o, step, K, err));
  *error = explicit_estimate_error(o, step->h, K);
  if (limiting->wanted || !(*error <= 1))
    limiting->error = dae__largest_scaled(nx, o->error[0], o->inverse_weight);
  return DAE_OK;
}

/* ---- completion ---- */

/* Ratio of h |k_s - k_(s-1)| / |x1 - X_(s-1)| to the stability limit [HW96 IV.2]; 0: both
 * differences are round-off. */
static double explicit_measure_stiffness(const explicit_stepper *o, const dae_step *step, double *K)
{
  const dae__explicit_pair *p = o->pair;
  const double *last = explicit_slope(o, K, p->stages),
               *before = explicit_slope(o, K, p->stages - 1);
  double sum = 0, noise = 0;
  for (int i = 0; i < o->adapter->nx; i++) {
    double d = (last[i] - before[i]) * o->inverse_weight[i],
           e = step->to.z[i] * o->inverse_weight[i];
    sum += d * d;
    noise += e * e;
  }
  bool shows = o->stage_distance > STIFFNESS_NOISE * DBL_EPSILON * sqrt(noise);
  return shows ? step->h * sqrt(sum) / o->stage_distance / p->stability_limit : 0;
}

static dae_status explicit_complete_step(void *self, const dae_step *step, dae_error *err)
{
  explicit_stepper *o = self;
  double *K = o->K[!o->memory->last];
  if (!o->pair->closed)
    DAE__TRY(explicit_finish(o, step, K, err));
  *o->memory =
      (memory){.last = !o->memory->last, .stiffness = explicit_measure_stiffness(o, step, K)};
  return DAE_OK;
}

/* ---- dense output ---- */

/* Time derivative of dense output at x: sum of the derivatives of its weights. */
static void explicit_dense_rate(const explicit_stepper *o, const dae_step *step, double x,
                                double *dz)
{
  const dae__explicit_pair *p = o->pair;
  int kind = o->memory->refined ? DAE__EXPLICIT_REFINED : DAE__EXPLICIT_LOW_ORDER;
  double w[DAE__EXPLICIT_MAX_SLOPES] = {0}, rest = 1 - x, share = 6 * x * rest / step->h,
         basis = x * x * rest * rest, rate = 2 * x * rest * (1 - 2 * x);
  w[0] = rest * (1 - 3 * x);
  w[p->stages] = -x * (2 - 3 * x);
  for (int m = 0; m < p->terms[kind]; m++) { /* basis *= x or 1 - x in turn */
    for (int j = 0; j <= p->stages + p->extra; j++)
      w[j] += rate * p->d[kind][m][j];
    rate = m % 2 ? rate * rest - basis : rate * x + basis;
    basis *= m % 2 ? rest : x;
  }
  for (int i = 0; i < o->adapter->nx; i++)
    dz[i] = share * (step->to.z[i] - step->from.z[i]);
  for (int j = 0; j < DAE__EXPLICIT_MAX_SLOPES; j++)
    if (w[j] != 0)
      dae__axpy(o->adapter->nx, w[j], explicit_slope(o, o->K[o->memory->last], j), dz);
}

static dae_status explicit_dense_output(void *self, const dae_step *step, double x,
                                        dae_dense accuracy, const dae_point *out, dae_error *err)
{
  explicit_stepper *o = self;
  const dae_adapter *adapter = o->adapter;
  const dae__explicit_pair *p = o->pair;
  const double *a = step->from.z, *b = step->to.z;
  double *z = out->z;
  if (p->extra > 0 && accuracy != DAE_DENSE_RAW && !o->memory->refined) {
    int first = p->stages + 1;
    dae__copy(o->adapter->size, step->from.z, o->z);
    DAE__TRY(explicit_slopes(o, step, true, first, first + p->extra, o->K[o->memory->last], err));
    o->memory->refined = true;
  }
  int kind = o->memory->refined ? DAE__EXPLICIT_REFINED : DAE__EXPLICIT_LOW_ORDER;
  double w[DAE__EXPLICIT_MAX_SLOPES] = {0}, rest = 1 - x, basis = x * x * rest * rest,
         share = x * x * (3 - 2 * x);
  /* weights of the slopes in p(x) apart from those in D: Hermite's cubic, then F_m */
  w[0] = x * rest * rest;
  w[p->stages] = -x * x * rest;
  for (int m = 0; m < p->terms[kind]; m++) {
    for (int j = 0; j <= p->stages + p->extra; j++)
      w[j] += basis * p->d[kind][m][j];
    basis *= m % 2 ? rest : x;
  }
  dae__combination c;
  dae__combination_set(&c, DAE__EXPLICIT_MAX_SLOPES, w, o->stride);
  dae__combine(&c, adapter->nx, step->h, o->K[o->memory->last], a, z);
  for (int i = 0; i < adapter->nx; i++)
    z[i] += share * (b[i] - a[i]);
  for (int i = adapter->nx; i < adapter->size; i++)
    z[i] = a[i] + x * (b[i] - a[i]);
  if (out->dz && accuracy == DAE_DENSE_RAW)
    explicit_dense_rate(o, step, x, out->dz);
  return DAE_OK;
}

/* ---- creation ---- */

static const dae_stepper_table explicit_verbs = {.attempt = explicit_attempt,
                                                 .complete = explicit_complete_step,
                                                 .dense_output = explicit_dense_output};

dae_status dae__explicit_create(dae__arena *arena, const dae_adapter *adapter,
                                const dae_step_options *opts, int order, dae__stepper *out,
                                dae_error *err)
{
  DAE__ASSERT(order == 5 || order == 8);
  explicit_stepper *o = DAE__UNINIT(arena, explicit_stepper, 1);
  const dae__explicit_pair *pair = order == 5 ? &dae__explicit_pair5 : &dae__explicit_pair8;
  DAE__TRY(dae__arena_status(arena, err));
  int nx = adapter->nx, slopes = pair->stages + 1 + pair->extra;
  o->adapter = adapter;
  o->pair = pair;
  o->rtol = opts->rtol;
  o->atol = opts->atol;
  o->stride = (size_t)(nx + 7) / 8 * 8;
  o->memory = DAE__STATE(arena, memory, 1);
  for (int k = 0; k < 2; k++) {
    o->K[k] = DAE__STATE(arena, double, (size_t)slopes * o->stride);
    o->error[k] = DAE__ALLOC(arena, double, nx);
  }
  o->z = DAE__ALLOC(arena, double, adapter->size);
  DAE__VECTORS(arena, nx, &o->inverse_weight, &o->zero);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__LIMIT(arena, &o->memory->last, 1, 0, 1);
  DAE__LIMIT_TRUTH(arena, &o->memory->refined, 1);
  for (int i = 1; i <= pair->stages + pair->extra; i++)
    dae__combination_set(&o->stage[i], i, pair->a[i], o->stride);
  for (int k = 0; k < pair->estimates; k++)
    dae__combination_set(&o->estimate[k], DAE__EXPLICIT_MAX_SLOPES, pair->e[k], o->stride);
  *out = (dae__stepper){.table = &explicit_verbs,
                        .self = o,
                        .order = pair->order,
                        .second_order = true,
                        .conserves = !pair->closed,
                        .stiffness = &o->memory->stiffness,
                        .control = dae__controller_defaults(pair->estimate_order)};
  out->control.safety = SAFETY_FACTOR;
  out->control.max_factor = MAX_STEP_GROWTH;
  return DAE_OK;
}
