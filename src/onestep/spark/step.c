/* One SPARK step after the other.
 *
 *   predict -> modified Newton -> error estimate -> project -> take over, choose the step
 *
 * With variable steps the estimate compares the derivative at the start of the step with that of
 * the polynomial of degree s through the start and the stages,
 *
 *   err = gamma0 h (u'(t0) - U'(t0)),   u = (y, z),   gamma0 = |det A|^(1/s):
 *
 * O(h^(s+1)), while the step itself is in error by O(h^(2s+1)). The tolerance is therefore mapped,
 * 0.1 tol^((s+1)/(2s)), which makes the error of the step follow tol. (Extrapolating the polynomial
 * to the end of the step instead would estimate nothing where there is no g: it then is that of a
 * collocation method.) The iteration goes as far as the tolerance asks, and the projection cleans
 * the constraints. A fixed step iterates to round-off; then the step itself keeps the constraints,
 * and projection finds nothing to do. */
#include "onestep/spark/step.h"
#include "core/error.h"
#include "core/vec.h"
#include "step/norm.h"
#include <float.h>

#define GOAL 0.02    /* part of the tolerance that the iteration may leave */
#define DOUBTFUL 0.3 /* contraction above which the embedded estimate is looked at, by halves; */
#define LOOKS 2      /* then again after so many times as many steps */
#define LARGEST_FACTOR 1e3
#define MOST 30        /* iterations of a variable step, */
#define MOST_FIXED 200 /* and of a fixed one, which cannot be made smaller */

/* ---- one attempt ---- */

/* weights of the iteration: the tolerance, or with a fixed step the size of the motion */
static void step_weigh(dae__spark *o)
{
  const dae__face *c = &o->stages.face;
  bool fixed = o->opts.step > 0;
  double rtol = fixed ? 0 : o->opts.rtol, atol = fixed ? 1 : o->opts.atol;
  if (fixed)
    atol += dae__max_abs(c->nz, o->z);
  dae__weights(c->ny, rtol, atol, o->y, o->y_weight);
  dae__weights(c->nz, rtol, atol, o->z, o->z_weight);
}

/* |det A|^(1/s), from one eigenvalue of each pair */
static double spark_mean_eigenvalue(const dae__spark_transform *tr, int s)
{
  double sum = tr->blocks ? 0 : -s * log(s + 1.0); /* not known: about right */
  for (int i = 0; i < tr->blocks; i++)
    sum += (i < tr->reals ? 1 : 2) * log(cabs(tr->mu[i]));
  return exp(sum / s);
}

void dae__spark_prepare_estimate(dae__spark *o)
{
  const dae__stages *st = &o->stages;
  bool inside = st->nodes == st->s + 2;
  o->compared = inside ? st->s + 1 : st->nodes;
  *o->scale = (dae__spark_scale){.factor = 1};
  o->map = 0.1 * pow(o->opts.rtol, fmin((double)o->compared / o->driver.order, 1) - 1);
  o->gamma0 = spark_mean_eigenvalue(&o->transform, st->s);
  for (int i = 0; i < o->compared; i++)
    o->derivative[i] = dae__derivative_weight(o->compared, st->node, i, 0);
}

/* square sum of h (u'(t0) - U'(t0)) relative to the weights */
static double spark_missed(dae__spark *o, int n, const double *values, const double *rate,
                           const double *weight)
{
  double sum = 0;
  for (int k = 0; k < n; k++) {
    double e = o->stages.h * rate[k];
    for (int i = 0; i < o->compared; i++)
      e -= o->derivative[i] * values[o->stages.at[i] * n + k];
    sum += pow(e / weight[k], 2);
  }
  return sum;
}

/* changes that round-off makes, relative to the weights: Z takes part in g/h */
static double spark_noise(const dae__spark *o, double h)
{
  const dae__face *c = &o->stages.face;
  double least = INFINITY;
  for (int i = 0; i < c->nz; i++)
    least = fmin(least, o->z_weight[i]);
  double size = dae__max_abs(c->nz, o->z) + dae__max_abs(c->ny, o->y) / h;
  return c->nz > 0 ? 4 * DBL_EPSILON * size / least : 0;
}

/* what round-off alone would give does not count: in steps that are cut very short it is all there
 * is, and in directions that the projection cleans */
static double spark_estimate(dae__spark *o)
{
  const dae__face *c = &o->stages.face;
  double sum = 0, weights = 0;
  dae__face_split(&o->body.face, o->rate, o->y_rate, o->z_rate);
  sum += spark_missed(o, c->ny, o->stages.now.Y, o->y_rate, o->y_weight);
  sum += spark_missed(o, c->nz, o->stages.now.Z, o->z_rate, o->z_weight);
  for (int i = 0; i < o->compared; i++)
    weights += fabs(o->derivative[i]);
  double error = sqrt(sum / (c->ny + c->nz)) - weights * spark_noise(o, o->stages.h);
  return o->gamma0 / o->map * (error < 0 ? 0 : error); /* a NaN stays */
}

static dae_status spark_solve(dae__spark *o, double t, double h, const double *y, const double *z,
                              dae_error *err)
{
  bool fixed = o->opts.step > 0;
  step_weigh(o);
  double floor = fixed ? 0 : spark_noise(o, h);
  dae__stages_goal goal = {.y_weight = o->y_weight,
                           .z_weight = o->z_weight,
                           .goal = fixed ? 2 * DBL_EPSILON : fmax(GOAL, floor),
                           .bearable = fixed ? 1e-10 : fmax(0.3, 10 * floor),
                           .most = fixed ? MOST_FIXED : MOST,
                           .full = fixed};
  return dae__stages_solve(&o->stages, t, h, y, z, &goal, err);
}

/* the state at the end of the step that was solved, projected, in shown_state, and its derivative,
 * for the next error estimate and for dense output, in shown_rate */
static dae_status spark_finish(dae__spark *o, double t, dae_error *err)
{
  dae__stages *st = &o->stages;
  const dae__body *body = &o->body;
  double *y1 = dae__stage_vector(st->now.Y, st->s + 1, st->face.ny);
  double *z1 = dae__stage_vector(st->now.Z, st->s + 1, st->face.nz);
  dae__copy(body->size, o->state, o->shown_state);
  dae__copy(body->size, o->rate, o->shown_rate);
  dae__face_join(&body->face, y1, z1, o->shown_state);
  dae_status status = DAE_OK;
  if (o->opts.project)
    status = body->table->project(body->self, false, t, o->shown_state, err);
  if (!status)
    dae__face_split(&body->face, o->shown_state, y1, z1);
  return status ? status
                : body->table->accelerate(body->self, false, t, o->shown_state, o->shown_rate, err);
}

/* the step that was solved becomes the last accepted one; where this fails, that stays as it is */
static dae_status spark_accept(void *self, double t, dae_error *err)
{
  dae__spark *o = self;
  DAE__TRY(spark_finish(o, t, err));
  *o->t_middle = o->stages.halfway ? o->t_half : o->driver.memory->t;
  dae__stages_accept(&o->stages);
  dae__copy(o->body.size, o->rate, o->previous_rate);
  dae__copy(o->body.size, o->shown_rate, o->rate);
  dae__copy(o->body.size, o->shown_state, o->state);
  dae__face_split(&o->body.face, o->state, o->y, o->z);
  return DAE_OK;
}

/* ---- two steps of half the size ---- */

/* square sum of the differences relative to the weights */
static double spark_distance(int n, const double *a, const double *b, const double *weight)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += pow((a[i] - b[i]) / weight[i], 2);
  return sum;
}

/* how far the end of the step at hand is from the end kept in y_other, z_other */
static double spark_compare(dae__spark *o)
{
  const dae__stages *st = &o->stages;
  int ny = st->face.ny, nz = st->face.nz, last = st->s + 1;
  double sum = spark_distance(ny, dae__stage_vector(st->now.Y, last, ny), o->y_other, o->y_weight) +
               spark_distance(nz, dae__stage_vector(st->now.Z, last, nz), o->z_other, o->z_weight);
  double error = sqrt(sum / (ny + nz)) - 2 * spark_noise(o, o->t_half - o->driver.memory->t);
  return error < 0 ? 0 : error;
}

static void spark_keep_end(dae__spark *o)
{
  const dae__stages *st = &o->stages;
  int ny = st->face.ny, nz = st->face.nz, last = st->s + 1;
  dae__copy(ny, dae__stage_vector(st->now.Y, last, ny), o->y_other);
  dae__copy(nz, dae__stage_vector(st->now.Z, last, nz), o->z_other);
}

static dae_status spark_solve_halves(dae__spark *o, double h, dae_error *err)
{
  double t = o->driver.memory->t;
  o->t_half = t + h / 2;
  DAE__TRY(spark_solve(o, t, h / 2, o->y, o->z, err));
  DAE__TRY(spark_finish(o, o->t_half, err));
  dae__copy(o->body.size, o->shown_rate, o->middle_rate);
  dae__face_split(&o->body.face, o->shown_state, o->y_middle, o->z_middle);
  dae__stages_halve(&o->stages);
  return spark_solve(o, o->t_half, h / 2, o->y_middle, o->z_middle, err);
}

/* the step at hand by halves, too, which are what is taken; *T: how far the whole one was off */
static dae_status spark_double_up(dae__spark *o, double h, double *T, dae_error *err)
{
  spark_keep_end(o);
  dae_status status = spark_solve_halves(o, h, err);
  *T = status ? NAN : spark_compare(o);
  return status;
}

/* ---- steps ---- */

/* The embedded estimate misses what the constraints add to the error where their curvature, times
 * the multipliers, is stiff. There the iteration contracts slowly. So in such steps, but not in all
 * of them, the error T of the step is found by halves, in tolerances. Where it is too large, the
 * estimate E, of order n, is multiplied from then on by what makes it 1 where T is 1, since T goes
 * with E^((p+1)/n). */
static bool spark_doubtful(const dae__spark *o)
{
  return o->driver.memory->stats.steps >= o->scale->due &&
         dae__stages_contraction(&o->stages) > DOUBTFUL;
}

static void spark_learn(dae__spark *o, double E, double T)
{
  double *factor = &o->scale->factor;
  double right = fmax(pow(T, (double)o->compared / (o->driver.order + 1)) / E, 1);
  if (E > 0 && (T > 1 || right < *factor))
    *factor = fmin(right, LARGEST_FACTOR);
  o->scale->due = LOOKS * (o->driver.memory->stats.steps + 1);
}

static dae_status spark_attempt(void *self, double h, double *error, dae_error *err)
{
  dae__spark *o = self;
  bool fixed = o->opts.step > 0, doubling = o->opts.estimate == DAE_SPARK_ESTIMATE_DOUBLING;
  double T;
  dae__stages_unhalve(&o->stages);
  dae_status status = spark_solve(o, o->driver.memory->t, h, o->y, o->z, err);
  if (status || fixed)
    return status;
  double E = spark_estimate(o);
  bool look = doubling || spark_doubtful(o);
  status = look ? spark_double_up(o, h, &T, err) : DAE_OK;
  if (look && !status && !doubling)
    spark_learn(o, E, T);
  *error = status ? NAN : doubling ? T / (pow(2, o->driver.order) - 1) : o->scale->factor * E;
  return status;
}

static double spark_largest_rate(const void *self, double rtol, double atol, char *name,
                                 size_t size)
{
  const dae__spark *o = self;
  const dae__face *c = &o->body.face;
  double most = 0;
  int fastest = 0;
  for (int i = 0; i < c->ny + c->nz; i++) {
    int at = i < c->ny ? c->y_at[i] : c->z_at[i - c->ny];
    double rate = fabs(o->rate[at]) / (rtol * fabs(o->state[at]) + atol);
    if (!(rate <= most))
      most = rate, fastest = at;
  }
  if (name)
    dae_problem_variable(&c->problem, fastest, name, size);
  return most;
}

/* rows of [g_y v_z; k_z] of which less than this is left after elimination are all but dependent */
#define ALL_BUT 1e-6

static bool spark_stuck(const void *self, char *name, size_t size)
{
  const dae__spark *o = self;
  return dae__face_dependent(&o->body.face, o->driver.env, o->driver.memory->t, o->y, o->z, ALL_BUT,
                             name, size);
}

static void spark_begin(void *self)
{
  dae__spark *o = self;
  const dae__face *c = &o->body.face;
  dae__face_split(c, o->state, o->y, o->z);
  dae__stages_begin(&o->stages, o->state + c->lambda, o->state + c->psi);
}

const dae__driver_table dae__spark_driver = {.begin = spark_begin,
                                             .attempt = spark_attempt,
                                             .accept = spark_accept,
                                             .rate = spark_largest_rate,
                                             .stuck = spark_stuck};
