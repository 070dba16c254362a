/* Steps of the trapezoidal rule and of radau-iia: all stages X_i, Y_i at once from
 *
 *   M(X_i) k_i - f(X_i, Y_i) = 0,   -F(X_i, Y_i) = 0   at t0 + c_i h,
 *
 * with k_i as in the scheme (classical.h), by Newton's method with the matrix
 *
 *   [ d_ij/h M(X_i) + delta_ij ((M k_i)_x - J_i) ],   J = d(f,F)/d(x,y),
 *
 * which is kept from step to step as long as the iteration converges fast. M may be singular if the
 * scheme does not use k_0. Dense output is Hermite's cubic; with singular M, where slopes at the
 * ends are not defined, it is the polynomial through the stages for x and y. */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/solver.h"
#include "onestep/classical/classical.h"
#include "step/newton.h"

/* Ratio of a shortened last step to the step size below which the slope at its end is evaluated, as
 * the slope of the stages is accurate to round-off/h only. Chosen, not measured. */
#define SHORT_STEP 0.1
/* Relative change of the step size above which the matrix is factored again: only shortened last
 * steps exceed it. Chosen, not measured. */
#define SAME_STEP 1e-6

#define STAGES DAE__CLASSICAL_MAX_STAGES

typedef struct memory {
  bool factored;
  double h; /* step size of the factored matrix */
  long iterations, jacobians, factorisations;
} memory;

typedef struct implicit {
  const dae_adapter *adapter;
  dae__classical_scheme scheme;
  dae__semi *s;
  double rtol, atol, step;
  memory *memory; /* state saved with the integrator */

  double t, h; /* start and size of the attempted step */
  const double *z0, *k0;
  double *Z, *K, *R; /* states (X_i, Y_i), slopes k_i and residuals of all stages */
  double *M;         /* M(X_i) of all stages */
  double *Ms, *J;
  double *stages; /* saved: states Z of the last step, for singular problems */

  dae_pattern pattern;
  dae__block M_at[STAGES][STAGES], Ms_at[STAGES], J_at[STAGES];
  double *matrix;
  dae__solver *solver;
} implicit;

static double *implicit_stage(const implicit *o, int i)
{
  return o->Z + (size_t)i * (size_t)o->s->n;
}

static double *implicit_slope(const implicit *o, int i)
{
  return o->K + (size_t)i * (size_t)o->s->nx;
}

/* ---- stage system ---- */

/* k_i = sum_j d_ij (X_j - x0)/h + e k_0 */
static void implicit_find_slopes(implicit *o)
{
  int nx = o->s->nx, stages = o->scheme.stages;
  for (int i = 0; i < stages; i++) {
    double *k = implicit_slope(o, i);
    for (int l = 0; l < nx; l++) {
      double sum = 0;
      for (int j = 0; j < stages; j++)
        sum += o->scheme.a[i][j] * (implicit_stage(o, j)[l] - o->z0[l]);
      k[l] = sum / o->h + (o->scheme.e != 0 ? o->scheme.e * o->k0[l] : 0);
    }
  }
}

/* residuals R_i = (M(X_i) k_i - f, -F) of all stages */
static dae_status implicit_residual(implicit *o, dae_error *err)
{
  dae__semi *s = o->s;
  size_t count = (size_t)dae__pattern_count(&s->M);
  implicit_find_slopes(o);
  for (int i = 0; i < o->scheme.stages; i++) {
    double *R = o->R + (size_t)i * (size_t)s->n, *z = implicit_stage(o, i),
           *M = o->M + (size_t)i * count, t = o->t + o->scheme.c[i] * o->h;
    DAE__TRY(dae__semi_rhs(s, t, z, R, err));
    DAE__TRY(dae__semi_M(s, t, z, M, err));
    dae__scale(s->n, -1, R);
    dae__matrix_times(&s->M, M, 1, implicit_slope(o, i), R);
  }
  return DAE_OK;
}

/* Evaluates and factors the Newton matrix at the iterate of the last residual. */
static dae_status implicit_factor(implicit *o, dae_error *err)
{
  dae__semi *s = o->s;
  int stages = o->scheme.stages;
  size_t count = (size_t)dae__pattern_count(&s->M);
  char name[64] = "";
  dae__zero(dae__pattern_count(&o->pattern), o->matrix);
  for (int i = 0; i < stages; i++) {
    double *z = implicit_stage(o, i), t = o->t + o->scheme.c[i] * o->h;
    DAE__TRY(dae__semi_J(s, t, z, o->J, err));
    if (!s->constant_mass)
      DAE__TRY(dae__semi_Ms(s, t, z, implicit_slope(o, i), o->Ms, err));
    for (int j = 0; j < stages; j++)
      dae__block_add(&o->M_at[i][j], o->scheme.a[i][j] / o->h, o->M + (size_t)i * count, o->matrix);
    if (!s->constant_mass)
      dae__block_add(&o->Ms_at[i], 1, o->Ms, o->matrix);
    dae__block_add(&o->J_at[i], -1, o->J, o->matrix);
  }
  dae_status status = dae__solver_factor(o->solver, o->matrix);
  o->memory->factored = status == DAE_OK;
  o->memory->h = o->h;
  o->memory->jacobians++;
  o->memory->factorisations++;
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  int column = dae__solver_column(o->solver);
  if (column >= 0)
    dae__semi_variable_name(s->p, column % s->n, name, sizeof name);
  return dae__fail(err, DAE_ERROR_SINGULAR, name[0] ? name : NULL,
                   "the iteration matrix of the step is singular%s%s: the equations do not "
                   "determine the stages, or 1/h is an eigenvalue",
                   name[0] ? " at " : "", name);
}

/* Newton iteration of the stages from states extrapolated along the slope at the start
 * (along_slope) or from constant states, with a new matrix if fresh. */
static dae_status implicit_newton(implicit *o, bool along_slope, bool fresh, dae_error *err)
{
  int size = o->scheme.stages * o->s->n, worst = 0;
  char name[64];
  dae__newton_exact_outcome outcome =
      fresh ? DAE__NEWTON_EXACT_REFRESH : DAE__NEWTON_EXACT_CONTINUE;
  dae__newton_exact it = dae__newton_exact_begin(o->rtol, o->atol, fresh);
  for (int i = 0; i < o->scheme.stages; i++) {
    dae__copy(o->s->n, o->z0, implicit_stage(o, i));
    if (along_slope)
      dae__axpy(o->s->nx, o->scheme.c[i] * o->h, o->k0, implicit_stage(o, i));
  }
  while (outcome < DAE__NEWTON_EXACT_DONE) {
    DAE__TRY(implicit_residual(o, err));
    if (outcome == DAE__NEWTON_EXACT_REFRESH)
      DAE__TRY(implicit_factor(o, err));
    it.fresh = it.fresh || outcome == DAE__NEWTON_EXACT_REFRESH;
    dae__solver_solve(o->solver, o->R);
    dae__axpy(size, -1, o->R, o->Z);
    o->memory->iterations++;
    outcome = dae__newton_exact_test(&it, dae__newton_exact_change(&it, size, o->R, o->Z, &worst));
  }
  implicit_find_slopes(o);
  if (outcome == DAE__NEWTON_EXACT_DONE)
    return DAE_OK;
  dae__semi_equation_name(o->s->p, worst % o->s->n, name, sizeof name);
  return dae__fail(err, DAE_ERROR_STEP, name,
                   "Newton's method does not converge with step size %.3g, worst in the equation "
                   "of %s",
                   o->h, name);
}

/* ---- functions of the stepper table ---- */

static void implicit_begin(void *self, double t, const dae_point *start)
{
  (void)t, (void)start;
  ((implicit *)self)->memory->factored = false;
}

/* The end of the step is the last stage. If the iteration fails, it is repeated from constant
 * states with a new matrix. */
static dae_status implicit_attempt(void *self, const dae_step *step, double *error, dae_error *err)
{
  implicit *o = self;
  int last = o->scheme.stages - 1;
  dae_error why = dae_error_none();
  bool fresh = !o->memory->factored || fabs(step->h / o->memory->h - 1) > SAME_STEP;
  *error = 0; /* no error estimate: steps are fixed */
  o->t = step->t, o->h = step->h, o->z0 = step->from.z, o->k0 = step->from.dz;
  dae_status status = implicit_newton(o, true, fresh, &why);
  if (status == DAE_ERROR_CALLBACK || status == DAE_ERROR_MEMORY) {
    if (err)
      *err = why;
    return status;
  }
  if (status)
    DAE__TRY(implicit_newton(o, false, true, err));
  dae__copy(o->adapter->size, implicit_stage(o, last), step->to.z);
  dae__copy(o->adapter->nx, implicit_slope(o, last), step->to.dz);
  return DAE_OK;
}

static dae_status implicit_complete_step(void *self, const dae_step *step, dae_error *err)
{
  implicit *o = self;
  const dae_adapter *adapter = o->adapter;
  double t = step->t + step->h;
  if (step->h < SHORT_STEP * o->step && !adapter->singular) {
    if (adapter->table->project)
      DAE__TRY(adapter->table->project(adapter->self, false, t, step->to.z, err));
    DAE__TRY(adapter->table->slopes(adapter->self, false, t, step->to.z, step->to.dz, err));
  }
  if (o->stages)
    dae__copy(o->scheme.stages * adapter->size, o->Z, o->stages);
  return DAE_OK;
}

/* out = linear combination of the start and the stages of the last step, with weight[0] of the
 * start, for n entries */
static void implicit_combine_stages(const implicit *o, const dae_step *step, int n,
                                    const double *weight, double *out)
{
  dae__zero(n, out);
  dae__axpy(n, weight[0], step->from.z, out);
  for (int i = 0; i < o->scheme.stages; i++)
    dae__axpy(n, weight[i + 1], o->stages + (size_t)i * (size_t)o->adapter->size, out);
}

static dae_status implicit_dense_output(void *self, const dae_step *step, double x,
                                        dae_dense accuracy, const dae_point *out, dae_error *err)
{
  implicit *o = self;
  double value[STAGES + 1], slope[STAGES + 1];
  (void)accuracy, (void)err;
  if (!o->stages) {
    dae_hermite(o->adapter, step, x, out->z);
    return DAE_OK;
  }
  dae__classical_collocation(&o->scheme, x, value, slope);
  implicit_combine_stages(o, step, o->adapter->size, value, out->z);
  if (!out->dz)
    return DAE_OK;
  dae__zero(o->adapter->size, out->dz);
  implicit_combine_stages(o, step, o->adapter->nx, slope, out->dz);
  dae__scale(o->adapter->nx, 1 / step->h, out->dz);
  return DAE_OK;
}

static void implicit_count(const void *self, dae_stats *stats)
{
  const memory *m = ((const implicit *)self)->memory;
  stats->iterations += m->iterations;
  stats->jacobians += m->jacobians;
  stats->factorisations += m->factorisations;
}

static dae_status implicit_reload(void *self, dae_error *err)
{
  implicit *o = self;
  dae_status status = o->memory->factored ? dae__solver_reload(o->solver) : DAE_OK;
  return status ? dae__fail(err, status, NULL, "load: a factorisation cannot be rebuilt") : DAE_OK;
}

static void implicit_release(void *self)
{
  dae__solver_free(((implicit *)self)->solver);
}

static const dae_stepper_table implicit_verbs = {.begin = implicit_begin,
                                                 .attempt = implicit_attempt,
                                                 .complete = implicit_complete_step,
                                                 .dense_output = implicit_dense_output,
                                                 .count = implicit_count,
                                                 .reload = implicit_reload,
                                                 .free = implicit_release};

/* ---- creation ---- */

static void implicit_merge_blocks(implicit *o, dae__arena *arena)
{
  const dae__semi *s = o->s;
  int count = 0, stages = o->scheme.stages;
  dae__block blocks[STAGES * (STAGES + 2)];
  for (int i = 0; i < stages; i++) {
    for (int j = 0; j < stages; j++)
      blocks[count++] = (dae__block){.row = i * s->n, .col = j * s->n, .pattern = &s->M};
    blocks[count++] = (dae__block){.row = i * s->n, .col = i * s->n, .pattern = &s->Ms};
    blocks[count++] = (dae__block){.row = i * s->n, .col = i * s->n, .pattern = &s->J};
  }
  o->pattern = dae__blocks_merge(arena, stages * s->n, stages * s->n, blocks, count);
  for (int i = 0, at = 0; i < stages; i++) {
    for (int j = 0; j < stages; j++)
      o->M_at[i][j] = blocks[at++];
    o->Ms_at[i] = blocks[at++];
    o->J_at[i] = blocks[at++];
  }
}

dae_status dae__classical_implicit_create(dae__arena *arena, const dae_adapter *adapter,
                                          const dae__classical_scheme *scheme,
                                          const dae_step_options *opts, dae__stepper *out,
                                          dae_error *err)
{
  implicit *o = DAE__ALLOC(arena, implicit, 1);
  if (!o)
    return dae__out_of_memory(err);
  dae__semi *s = adapter->forms->s;
  size_t stages = (size_t)scheme->stages, n = (size_t)s->n, nx = (size_t)s->nx;
  *o = (implicit){.adapter = adapter,
                  .scheme = *scheme,
                  .s = s,
                  .rtol = opts->rtol,
                  .atol = opts->atol,
                  .step = opts->step};
  if (adapter->singular)
    o->stages = DAE__STATE(arena, double, stages *(size_t)adapter->size);
  o->memory = DAE__STATE(arena, memory, 1);
  o->Z = DAE__ALLOC(arena, double, stages *n);
  o->K = DAE__ALLOC(arena, double, stages *nx);
  o->R = DAE__ALLOC(arena, double, stages *n);
  o->M = DAE__ALLOC(arena, double, stages *(size_t)dae__pattern_count(&s->M));
  o->Ms = DAE__ALLOC(arena, double, dae__pattern_count(&s->Ms));
  o->J = DAE__ALLOC(arena, double, dae__pattern_count(&s->J));
  implicit_merge_blocks(o, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  o->matrix = DAE__ALLOC(arena, double, dae__pattern_count(&o->pattern));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *out = (dae__stepper){.table = &implicit_verbs,
                        .self = o,
                        .order = scheme->order,
                        .control = dae__controller_defaults(scheme->order + 1)};
  dae_status status = dae__solver_create(arena, &o->pattern, &o->solver, err);
  if (status)
    implicit_release(o);
  return status;
}
