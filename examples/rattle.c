/* A method of one's own: RATTLE [HLW06 VII.1.4] for mechanics with holonomic constraints, of order
 * 2, symmetric, and symplectic where the forces come from a potential. docs/adding_a_method.md
 * explains it.
 *
 *   M (v_half - v0) = h/2 (f(t0,q0,v0) - G(q0)' l),    q1 = q0 + h v_half,   0 = g(t1,q1)
 *   M (v1 - v_half) = h/2 (f(t1,q1,v1) - G(q1)' m),    0 = g_t + G v1 at (t1,q1)
 *
 * Unknowns are q1, v_half and l, then v1 and m. Accelerations that satisfy the constraints,
 * M a = f - G' lambda, are a first guess of both force terms; the rest is a correction along
 * G(q0)', and a projection along G(q1)'. Forces that depend on v1 are iterated.
 *
 *     cc rattle.c -ldaedal -lm && ./a.out */
#include <daedal/daedal.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_ITERATIONS 50 /* of each of the two solves of a step */

typedef struct rattle {
  const dae_adapter *adapter;
  int nq;
  double *v_half, *d, *g; /* workspace: nq, nq, ng */
  long *iterations;       /* saved with the integrator */
} rattle;

static double size(int n, const double *x)
{
  double max = 0;
  for (int i = 0; i < n; i++)
    max = fmax(max, fabs(x[i]));
  return max;
}

/* q1 = q0 + h v_half onto g = 0, by corrections of v_half along G(q0)' */
static dae_status drift(rattle *o, const dae_step *step, dae_error *err)
{
  const dae_adapter *a = o->adapter;
  double h = step->h, *q = step->to.z, *v = o->v_half;
  for (int k = 0; k < MAX_ITERATIONS; k++) {
    for (int i = 0; i < o->nq; i++)
      q[i] = step->from.z[i] + h * v[i];
    dae_status status = a->table->residual(a->self, step->t + h, step->to.z, o->g, err);
    for (int i = 0; i < a->problem->mechanical->ng; i++)
      o->g[i] /= -h;
    if (!status) /* matrix at the start, factored in the first iteration */
      status = a->table->correct(a->self, step->t, k ? NULL : step->from.z, o->g, o->d, err);
    if (status)
      return status;
    for (int i = 0; i < o->nq; i++)
      v[i] += o->d[i];
    ++*o->iterations;
    if (h * size(o->nq, o->d) <= 4 * DBL_EPSILON * (size(o->nq, q) + h * size(o->nq, v)))
      return DAE_OK;
  }
  return dae_error_set(err, DAE_ERROR_STEP, NULL, "the positions do not reach the constraints");
}

/* v1 = v_half + h/2 a(t1,q1,v1), projected, with the acceleration a and the multipliers there */
static dae_status kick(rattle *o, const dae_step *step, dae_error *err)
{
  const dae_adapter *a = o->adapter;
  double t = step->t + step->h, *v = step->to.z + o->nq, *dv = step->to.dz + o->nq;
  for (int k = 0; k < MAX_ITERATIONS; k++) {
    memcpy(o->d, v, (size_t)o->nq * sizeof *v);
    dae_status status = a->table->slopes(a->self, false, t, step->to.z, step->to.dz, err);
    for (int i = 0; i < o->nq; i++)
      v[i] = o->v_half[i] + step->h / 2 * dv[i];
    if (!status && a->table->project)
      status = a->table->project(a->self, false, t, step->to.z, err);
    if (status)
      return status;
    for (int i = 0; i < o->nq; i++)
      o->d[i] -= v[i];
    ++*o->iterations;
    if (size(o->nq, o->d) <= 1e-14 * (size(o->nq, v) + step->h * size(o->nq, dv)))
      return DAE_OK;
  }
  return dae_error_set(err, DAE_ERROR_STEP, NULL,
                       "the velocities do not converge: forces that depend on them are too stiff");
}

static dae_status attempt(void *self, const dae_step *step, double *error, dae_error *err)
{
  rattle *o = self;
  const double *v = step->from.z + o->nq, *dv = step->from.dz + o->nq;
  *error = 0; /* fixed steps need no estimate */
  memcpy(step->to.z, step->from.z, (size_t)o->adapter->size * sizeof *v);
  for (int i = 0; i < o->nq; i++)
    o->v_half[i] = v[i] + step->h / 2 * dv[i];
  dae_status status = drift(o, step, err);
  for (int i = 0; i < o->nq; i++)
    step->to.z[o->nq + i] = o->v_half[i] + step->h / 2 * dv[i];
  return status ? status : kick(o, step, err);
}

static dae_status complete(void *self, const dae_step *step, dae_error *err)
{
  const rattle *o = self;
  (void)err;
  memcpy(step->to.dz, step->to.z + o->nq, (size_t)o->nq * sizeof *step->to.z); /* q' = v */
  return DAE_OK;
}

static dae_status dense_output(void *self, const dae_step *step, double x, dae_dense accuracy,
                               const dae_point *out, dae_error *err)
{
  const dae_adapter *adapter = ((const rattle *)self)->adapter;
  (void)accuracy, (void)err;
  dae_hermite(adapter, step, x, out->z);
  if (out->dz)
    dae_hermite_rate(adapter, step, x, out->dz);
  return DAE_OK;
}

static void count(const void *self, dae_stats *stats)
{
  stats->iterations += *((const rattle *)self)->iterations;
}

static dae_status create_stepper(dae_arena *arena, const dae_adapter *adapter, const void *opts,
                                 void **self, dae_error *err)
{
  const dae_mechanical *m = adapter->problem->mechanical;
  (void)opts;
  rattle *o = *self = dae_arena_alloc(arena, 1, sizeof *o);
  double *work = dae_arena_alloc(arena, (size_t)(2 * m->nq + m->ng), sizeof *work);
  long *iterations = dae_arena_state(arena, 1, sizeof *iterations);
  if (!o || !work || !iterations)
    return dae_error_set(err, DAE_ERROR_MEMORY, NULL, "out of memory");
  *o = (rattle){adapter, m->nq, work, work + m->nq, work + 2 * m->nq, iterations};
  return DAE_OK;
}

static dae_status check_problem(const dae_problem *problem, dae_error *err)
{
  const dae_mechanical *p = problem->mechanical;
  if (!p || p->nk + p->nu + p->nw > 0 || !p->constant_mass)
    return dae_error_set(
        err, DAE_ERROR_UNSUPPORTED, "rattle",
        "rattle takes mechanics with a constant mass matrix and holonomic constraints, "
        "without extra states and algebraic variables: use spark-lobatto");
  return DAE_OK;
}

static const dae_onestep_method method = {
    .name = "rattle",
    .order = 2,
    .check_problem = check_problem,
    .create = create_stepper,
    .stepper = {
        .attempt = attempt, .complete = complete, .dense_output = dense_output, .count = count}};

static dae_status accepts(const dae_problem *problem, dae_error *err)
{
  return dae_onestep_accepts(&method, problem, err);
}

static dae_status create(const dae_problem *problem, const dae_start *start, const void *opts,
                         const dae_env *env, dae_integrator **out, dae_error *err)
{
  return dae_onestep_create(&method, opts, NULL, problem, start, env, out, err);
}

/* the method as a row of the registry */
extern const dae_method rattle_method;
const dae_method rattle_method = {
    .name = "rattle",
    .summary = "constrained mechanics with a constant mass matrix: order 2, symplectic",
    .reference = "HLW06",
    .options = &dae_step_option_table,
    .options_size = sizeof(dae_step_options),
    .defaults = dae_step_defaults,
    .fixed_step = true,
    .accepts = accepts,
    .create = create};

/* ---- a run ---- */

int main(void)
{
  const char text[] = "model pendulum\n"
                      "coord x = 1, y = 0\n"
                      "kinetic (x'^2 + y'^2)/2\n"
                      "potential 9.81*y\n"
                      "constraint rod: x^2 + y^2 = 1\n";
  dae_error err = dae_error_none();
  dae_step_options opts;
  dae_step_defaults(&opts);
  opts.step = 0.01;
  dae_run_plan plan = {.method = &rattle_method, .options = &opts};
  dae_model *model = NULL;
  dae_summary summary;
  dae_status status = dae_model_parse("pendulum", text, sizeof text - 1, NULL, NULL, &model, &err);
  if (!status) {
    dae_model_plan(model, &plan);
    plan.to = 100;
    status = dae_run(&plan, NULL, &summary, &err);
  }
  if (status < 0)
    fprintf(stderr, "%s\n", err.text);
  else
    printf("%ld steps, drift %.1e, energy changed by %.1e\n", summary.stats.steps,
           summary.position_drift, summary.energy_change);
  dae_model_free(model);
  return status < 0;
}
