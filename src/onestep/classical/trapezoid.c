/* Steps of the trapezoidal rule: x1, y1 from
 *
 *   M(x1) k - f(x1, y1) = 0,   -F(x1, y1) = 0   at t1,   k = 2 (x1 - x0)/h - k_0,
 *
 * by Newton's method with the matrix 2/h M + (M k)_x - J, J = d(f,F)/d(x,y), which is kept from
 * step to step as long as the iteration converges fast. */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/solver.h"
#include "onestep/classical/classical.h"
#include "step/newton.h"

/* Ratio of a shortened last step to the step size below which the slope at its end is evaluated, as
 * the slope k is accurate to round-off/h only. Chosen, not measured. */
#define SHORT_STEP 0.1
/* Relative change of the step size above which the matrix is factored again: only shortened last
 * steps exceed it. Chosen, not measured. */
#define SAME_STEP 1e-6

typedef struct memory {
  bool factored;
  double h; /* step size of the factored matrix */
  long iterations, jacobians, factorisations;
} memory;

typedef struct trapezoid {
  const dae_adapter *adapter;
  dae__semi *s;
  double rtol, atol, step;
  memory *memory;     /* state saved with the integrator */
  double *z, *k, *R;  /* iterate (x1, y1), slope k, residual */
  double *M, *Ms, *J; /* values at the iterate */
  dae__semi_matrix matrix;
  dae__solver *solver;
} trapezoid;

/* k = 2 (x1 - x0)/h - k_0 */
static void trapezoid_slope(const trapezoid *o, const dae_step *step)
{
  for (int i = 0; i < o->s->nx; i++)
    o->k[i] = 2 * (o->z[i] - step->from.z[i]) / step->h - step->from.dz[i];
}

/* Evaluates and factors the Newton matrix at the iterate of the last residual. */
static dae_status trapezoid_factor(trapezoid *o, const dae_step *step, dae_error *err)
{
  dae__semi *s = o->s;
  char name[64] = "";
  DAE__TRY(dae__semi_J(s, NULL, step->t + step->h, o->z, o->J, err));
  if (!s->constant_mass)
    DAE__TRY(dae__semi_Ms(s, step->t + step->h, o->z, o->k, o->Ms, err));
  dae__semi_matrix_fill(&o->matrix, 2 / step->h, o->M, s->constant_mass ? NULL : o->Ms, o->J);
  dae_status status = dae__solver_factor(o->solver, o->matrix.values);
  o->memory->factored = status == DAE_OK;
  o->memory->h = step->h;
  o->memory->jacobians++;
  o->memory->factorisations++;
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  int column = dae__solver_column(o->solver);
  if (column >= 0)
    dae__semi_variable_name(s->p, column, name, sizeof name);
  return dae__fail(err, DAE_ERROR_SINGULAR, name[0] ? name : NULL,
                   "the iteration matrix of the step is singular%s%s: the equations do not "
                   "determine its end, or 2/h is an eigenvalue",
                   name[0] ? " at " : "", name);
}

/* Newton iteration from the state extrapolated along the slope at the start (along_slope) or from
 * the start, with a new matrix if fresh. */
static dae_status trapezoid_newton(trapezoid *o, const dae_step *step, bool along_slope, bool fresh,
                                   dae_error *err)
{
  int n = o->s->n, worst = 0;
  double t = step->t + step->h;
  char name[64];
  dae__newton_exact_outcome outcome =
      fresh ? DAE__NEWTON_EXACT_REFRESH : DAE__NEWTON_EXACT_CONTINUE;
  dae__newton_exact it = dae__newton_exact_begin(o->rtol, o->atol, fresh);
  dae__copy(n, step->from.z, o->z);
  if (along_slope)
    dae__axpy(o->s->nx, step->h, step->from.dz, o->z);
  while (outcome < DAE__NEWTON_EXACT_DONE) {
    trapezoid_slope(o, step); /* residual R = M k - (f, F) */
    DAE__TRY(dae__semi_rhs(o->s, t, o->z, o->R, err));
    DAE__TRY(dae__semi_M(o->s, t, o->z, o->M, err));
    dae__scale(n, -1, o->R);
    dae__matrix_times(&o->s->M, o->M, 1, o->k, o->R);
    if (outcome == DAE__NEWTON_EXACT_REFRESH)
      DAE__TRY(trapezoid_factor(o, step, err));
    it.fresh = it.fresh || outcome == DAE__NEWTON_EXACT_REFRESH;
    dae__solver_solve(o->solver, o->R);
    dae__axpy(n, -1, o->R, o->z);
    o->memory->iterations++;
    outcome = dae__newton_exact_test(
        &it, dae__newton_exact_change(&it, n, o->adapter->atol_scale, o->R, o->z, &worst));
    if (outcome != DAE__NEWTON_EXACT_DONE) /* the last change is round-off */
      o->adapter->limiting->change = worst;
  }
  trapezoid_slope(o, step);
  if (outcome == DAE__NEWTON_EXACT_DONE)
    return DAE_OK;
  dae__semi_equation_name(o->s->p, worst, name, sizeof name);
  return dae__fail(err, DAE_ERROR_STEP, name,
                   "Newton's method does not converge with step size %.3g, worst in the equation "
                   "of %s",
                   step->h, name);
}

/* ---- functions of the stepper table ---- */

static void trapezoid_begin(void *self, double t, const dae_point *start)
{
  (void)t, (void)start;
  ((trapezoid *)self)->memory->factored = false;
}

/* If the iteration fails, it is repeated from the start of the step with a new matrix. */
static dae_status trapezoid_attempt(void *self, const dae_step *step, double *error, dae_error *err)
{
  trapezoid *o = self;
  dae_error why = dae_error_none();
  bool fresh = !o->memory->factored || fabs(step->h / o->memory->h - 1) > SAME_STEP;
  *error = 0; /* no error estimate: steps are fixed */
  dae_status status = trapezoid_newton(o, step, true, fresh, &why);
  if (status == DAE_ERROR_CALLBACK || status == DAE_ERROR_MEMORY) {
    if (err)
      *err = why;
    return status;
  }
  if (status)
    DAE__TRY(trapezoid_newton(o, step, false, true, err));
  dae__copy(o->adapter->size, o->z, step->to.z);
  dae__copy(o->adapter->nx, o->k, step->to.dz);
  return DAE_OK;
}

static dae_status trapezoid_complete(void *self, const dae_step *step, dae_error *err)
{
  const trapezoid *o = self;
  if (step->h < SHORT_STEP * o->step)
    return dae__adapter_complete(o->adapter, step->t + step->h, step->to.z, step->to.dz, err);
  return DAE_OK;
}

static void trapezoid_count(const void *self, dae_stats *stats)
{
  const memory *m = ((const trapezoid *)self)->memory;
  stats->iterations += m->iterations;
  stats->jacobians += m->jacobians;
  stats->factorisations += m->factorisations;
}

static void trapezoid_free(void *self)
{
  dae__solver_free(((trapezoid *)self)->solver);
}

static const dae_stepper_table trapezoid_verbs = {.begin = trapezoid_begin,
                                                  .attempt = trapezoid_attempt,
                                                  .complete = trapezoid_complete,
                                                  .dense_output = dae__classical_dense_output,
                                                  .count = trapezoid_count,
                                                  .free = trapezoid_free};

dae_status dae__trapezoid_create(dae__arena *arena, const dae_adapter *adapter,
                                 const dae_step_options *opts, dae__stepper *out, dae_error *err)
{
  trapezoid *o = DAE__ALLOC(arena, trapezoid, 1);
  DAE__TRY(dae__arena_status(arena, err));
  dae__semi *s = adapter->forms->s;
  *o = (trapezoid){
      .adapter = adapter, .s = s, .rtol = opts->rtol, .atol = opts->atol, .step = opts->step};
  o->memory = DAE__STATE(arena, memory, 1);
  DAE__VECTORS(arena, s->n, &o->z, &o->R);
  o->k = DAE__ALLOC(arena, double, s->nx);
  o->M = DAE__ALLOC(arena, double, dae__pattern_count(&s->M));
  o->Ms = DAE__ALLOC(arena, double, dae__pattern_count(&s->Ms));
  o->J = DAE__ALLOC(arena, double, dae__pattern_count(&s->J));
  o->matrix = dae__semi_matrix_create(arena, s);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__LIMIT_TRUTH(arena, &o->memory->factored, 1);
  DAE__LIMIT_COUNTER(arena, &o->memory->iterations, 3);
  *out = (dae__stepper){
      .table = &trapezoid_verbs, .self = o, .order = 2, .control = dae__controller_defaults(3)};
  return dae__solver_create(arena, &o->matrix.pattern, &o->solver, err);
}
