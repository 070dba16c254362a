/* Steps of Rosenbrock methods (rosenbrock.h): one factorisation and a back substitution for every
 * stage, no iteration. Every step takes the Jacobian at its start, and the derivative by time there
 * as a difference, so that an accepted step takes s + 1 evaluations and one more where it ends; a
 * rejected one takes s - 1.
 *
 * The last two or three stages are steps of a simplified Newton iteration towards the end of the
 * step. What is left of F there is the product of the last one, which is within the tolerance, and
 * the change of the Jacobian over the step.
 *
 * The increments of the last settled step are kept, for what lies between its ends; the next
 * attempt fills another buffer. */
#include "onestep/rosenbrock/rosenbrock.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/solver.h"
#include "onestep/host/sums.h"
#include "problem/semi_explicit/semi.h"
#include <float.h>

/* of the tolerance that one step may use: errors add up, and between the ends of a step of order 4
 * they are larger (Akzo Nobel at 1e-5: 0.7 tolerances, with a share of 1 1.4) */
#define SHARE 0.5
/* of what y moves by within a step, see error_of: from 0.01 to 1 no pulse of a rectifier is passed
 * by, and rows between the steps are off by half a tolerance to 0.04 of it
 * (tests/laws/test_circuits.c); without, steps run through half a period */
#define DRIVEN 0.1

/* tolerance below which the error of one difference, 1e-8 or so, would show: with steps of 0.01 in
 * the tenth digit */
#define FINE 1e-8

typedef struct memory {
  int last;       /* buffer of the step settled last */
  bool known_end; /* f0 belongs to the end of that step */
  long jacobians, factorisations;
} memory;

typedef struct rosenbrock {
  const dae__rk_adapter *adapter;
  dae__semi *s;
  const dae__rosenbrock_table *table;
  double rtol, atol; /* of errors of a step */
  memory *memory;    /* kept */
  double *u[2];      /* kept: increments, stage after stage */
  double *f0;        /* kept: (f, F) where the step begins, */
  double *f_t, *J;   /* its derivatives, */
  bool known;        /* which are those of the point (t0, z0), */
  double t0, *z0;
  bool driven; /* and f_t is not zero */
  bool fine;   /* f_t is found by two differences */
  dae__semi_mass M;
  dae__semi_matrix matrix;
  dae__solver *solver;
  double *z, *rhs, *sum; /* a stage */
} rosenbrock;

static double *rosenbrock_stage_of(double *u, int n, int i)
{
  return u + (size_t)i * (size_t)n;
}

/* ---- where a step begins ---- */

/* f_t, F_t by differences that stay within the step: one, or (4 f(dt) - f(2 dt) - 3 f(0))/(2 dt)
 * where tolerances are tight. With motions of time scale h their errors, dt/h or its square, and
 * the round-off of t, eps t/dt, are about the same. */
static dae_status rosenbrock_differ_by_time(rosenbrock *o, const dae__rk_step *step, dae_error *err)
{
  const double h = step->h, *z = step->from.z, noise = DBL_EPSILON * fmax(fabs(step->t), h);
  double t = step->t + (o->fine ? fmin(cbrt(noise * h * h), h / 2) : fmin(sqrt(noise * h), h));
  double dt = t - step->t, rate = dt > 0 ? 1 / dt : 0;
  dae_status status = dae__semi_rhs(o->s, t, z, o->f_t, err);
  if (!status && o->fine)
    status = dae__semi_rhs(o->s, t + dt, z, o->rhs, err);
  o->driven = false;
  for (int i = 0; i < o->s->n && !status; i++) {
    double d = o->f_t[i] - o->f0[i];
    o->f_t[i] = rate * (o->fine ? 2 * d - 0.5 * (o->rhs[i] - o->f0[i]) : d);
    o->driven = o->driven || o->f_t[i] != 0;
  }
  return status;
}

/* whether f0 is that of the point: inputs may have changed since the last step */
static bool rosenbrock_has_f0(const rosenbrock *o, const dae__rk_step *step)
{
  return o->memory->known_end &&
         memcmp(o->f0, step->from.dz, (size_t)o->s->nx * sizeof *o->f0) == 0;
}

static dae_status rosenbrock_look(rosenbrock *o, const dae__rk_step *step, dae_error *err)
{
  dae_status status =
      rosenbrock_has_f0(o, step) ? DAE_OK : dae__semi_rhs(o->s, step->t, step->from.z, o->f0, err);
  o->memory->known_end = false;
  if (!status)
    status = rosenbrock_differ_by_time(o, step, err);
  if (!status)
    status = dae__semi_J(o->s, step->t, step->from.z, o->J, err);
  o->memory->jacobians++;
  o->known = !status;
  o->t0 = step->t;
  dae__copy(o->s->n, step->from.z, o->z0);
  return status;
}

/* whether that has been done: for a larger step that was rejected, or for the size of the first */
static bool rosenbrock_looked(const rosenbrock *o, const dae__rk_step *step)
{
  return o->known && o->t0 == step->t &&
         memcmp(o->z0, step->from.z, (size_t)o->s->n * sizeof *o->z0) == 0;
}

/* ---- attempt ---- */

static dae_status rosenbrock_not_factored(const rosenbrock *o, dae_status status, dae_error *err)
{
  int column = dae__solver_column(o->solver);
  char name[64] = "one of the variables";
  if (status == DAE_ERROR_MEMORY)
    return dae__fail(err, status, NULL, "out of memory for a new pivot order");
  if (status == DAE_ERROR_RECOVERABLE)
    return dae__fail(err, status, NULL, "the matrix of a step has an entry that is not finite");
  if (column >= 0)
    dae__semi_variable_name(o->s->p, column, name, sizeof name);
  return dae__fail(err, status, column >= 0 ? name : NULL,
                   "the equations of a step do not determine %s: F_y may be singular here", name);
}

/* M/(h gamma) - J */
static dae_status rosenbrock_factor(rosenbrock *o, const dae__rk_step *step, dae_error *err)
{
  double c = 1 / (step->h * o->table->gamma);
  DAE__TRY(dae__semi_mass_at(&o->M, step->t, step->from.z, err));
  dae__semi_matrix_fill(&o->matrix, c, NULL, NULL, o->J);
  dae__semi_mass_add(&o->M, c, &o->matrix.M, o->matrix.values);
  dae_status status = dae__solver_factor(o->solver, o->matrix.values);
  o->memory->factorisations++;
  return status ? rosenbrock_not_factored(o, status, err) : DAE_OK;
}

/* z = z0 + sum_j a_j u_j, sum = sum_j c_j u_j, over `count` increments of n entries */
static void rosenbrock_combine(int count, const double *a, const double *c, int n, const double *u,
                               const double *restrict z0, double *restrict z, double *restrict sum)
{
  int i = 0;
  for (; i + 2 <= n; i += 2) {
    const double *x = u + i;
    dae__pair by_a = dae__pair_from_anywhere(z0 + i), by_c = {0, 0};
    for (int j = 0; j < count; j++, x += n) {
      dae__pair increment = dae__pair_from_anywhere(x);
      by_a += a[j] * increment;
      by_c += c[j] * increment;
    }
    dae__pair_to(z + i, by_a);
    dae__pair_to(sum + i, by_c);
  }
  if (i < n) {
    z[i] = z0[i] + dae__sum_one(count, a, n, u + i);
    sum[i] = dae__sum_one(count, c, n, u + i);
  }
}

/* where stage i is, and what the increments before it add to its right side: z, sum */
static void rosenbrock_begin_stage(rosenbrock *o, const double *z0, int i, const double *u)
{
  const dae__rosenbrock_table *table = o->table;
  int n = o->s->n;
  if (i < table->chained) {
    rosenbrock_combine(i, table->a[i], table->c[i], n, u, z0, o->z, o->sum);
    return;
  }
  dae__axpy(n, 1, u + (size_t)(i - 1) * (size_t)n, o->z);
  dae__sum_rows(i, table->c[i], o->s->nx, n, u, o->sum);
}

/* u = (M/(h gamma) - J) \ (rhs + M sum/h + g h f_t) */
static void rosenbrock_solve_stage(rosenbrock *o, double h, int i, const double *restrict rhs,
                                   double *restrict u)
{
  const double *restrict sum = o->sum;
  int n = o->s->n, own = o->s->p->M ? 0 : o->s->nx; /* rows whose M is the identity */
  double g = o->table->g[i] * h, r = 1 / h;
  /* one number at a time, as callbacks have written them: pairs would wait for memory */
  for (int k = 0; k < own; k++)
    u[k] = rhs[k] + r * sum[k];
  for (int k = own; k < n; k++)
    u[k] = rhs[k];
  if (own == 0)
    dae__semi_mass_times(&o->M, r, sum, u);
  if (o->driven && g != 0)
    dae__axpy(n, g, o->f_t, u);
  dae__solver_solve(o->solver, u);
}

/* the increments, and where the last stage is: z */
static dae_status rosenbrock_stages(rosenbrock *o, const dae__rk_step *step, double *u,
                                    dae_error *err)
{
  const dae__rosenbrock_table *table = o->table;
  int n = o->s->n;
  dae__zero(o->s->nx, o->sum);
  rosenbrock_solve_stage(o, step->h, 0, o->f0, u);
  for (int i = 1; i < table->stages; i++) {
    rosenbrock_begin_stage(o, step->from.z, i, u);
    DAE__TRY(dae__semi_rhs(o->s, step->t + table->alpha[i] * step->h, o->z, o->rhs, err));
    rosenbrock_solve_stage(o, step->h, i, o->rhs, rosenbrock_stage_of(u, n, i));
  }
  return DAE_OK;
}

/* what y moves by within the step as its dense output has it, but for the lowest powers: entry i of
 * the last term */
static double rosenbrock_bend_of(const rosenbrock *o, const double *u, int i)
{
  const double *dense = o->table->dense[o->table->terms - 1];
  return fabs(dae__sum_one(o->table->stages, dense, o->s->n, u + i));
}

/* x^(p/k), with errors O(h^p) and a last term of dense output O(h^k): 4/3, 5/4 */
static double rosenbrock_raise(const dae__rosenbrock_table *table, double x)
{
  return x * (table->estimate_order == 4 ? cbrt(x) : sqrt(sqrt(x)));
}

/* The root mean square of the last increment, relative to atol + rtol max(|z0|, |z1|). Of y it
 * shows how well the equations hold at the end, not what y does on the way there, driven by time,
 * as where a diode blocks. That is seen in the last term d of its dense output, O(h^k), which
 * counts as (c d)^(p/k) relative to the size of y: as the error O(h^p) of the step. */
static double rosenbrock_error_of(const rosenbrock *o, const dae__rk_step *step, const double *u)
{
  const dae__rosenbrock_table *table = o->table;
  const double *z0 = step->from.z, *z1 = step->to.z;
  int n = o->s->n, nx = o->s->nx;
  const double *e = u + (size_t)(table->stages - 1) * (size_t)n;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double a = fabs(z0[i]), b = fabs(z1[i]), weight = o->atol + o->rtol * (a > b ? a : b);
    double x = fabs(e[i]) / weight;
    if (i >= nx)
      x += rosenbrock_raise(table, DRIVEN * rosenbrock_bend_of(o, u, i) * o->rtol / weight) /
           o->rtol;
    sum += x * x;
  }
  return sqrt(sum / n);
}

static dae_status rosenbrock_attempt(void *self, const dae__rk_step *step, double *error,
                                     dae_error *err)
{
  rosenbrock *o = self;
  int n = o->s->n;
  double *u = o->u[!o->memory->last], *e = rosenbrock_stage_of(u, n, o->table->stages - 1);
  DAE__TRY(rosenbrock_looked(o, step) ? DAE_OK : rosenbrock_look(o, step, err));
  DAE__TRY(rosenbrock_factor(o, step, err));
  DAE__TRY(rosenbrock_stages(o, step, u, err));
  for (int i = 0; i < n; i++)
    step->to.z[i] = o->z[i] + e[i];
  *error = rosenbrock_error_of(o, step, u);
  return DAE_OK;
}

/* ---- settle ---- */

/* x' at the end; without M it is f there, which the next step begins with */
static dae_status rosenbrock_complete_step(void *self, const dae__rk_step *step, dae_error *err)
{
  rosenbrock *o = self;
  const dae__rk_adapter *adapter = o->adapter;
  double t = step->t + step->h;
  dae_status status = DAE_OK;
  if (o->s->p->M)
    status = adapter->table->slopes(adapter->self, false, t, step->to.z, step->to.dz, err);
  else
    status = dae__semi_rhs(o->s, t, step->to.z, o->rhs, err);
  DAE__TRY(status);
  if (!o->s->p->M) {
    dae__copy(o->s->n, o->rhs, o->f0);
    dae__copy(o->s->nx, o->rhs, step->to.dz);
  }
  o->memory->known_end = !o->s->p->M;
  o->memory->last = !o->memory->last;
  o->known = false;
  return DAE_OK;
}

/* ---- between the ends ---- */

static void rosenbrock_dense_output(void *self, const dae__rk_step *step, double x, double *z)
{
  const rosenbrock *o = self;
  const dae__rosenbrock_table *table = o->table;
  const double *a = step->from.z, *b = step->to.z;
  double weight[DAE__ROSENBROCK_STAGES] = {0};
  double part = x * (1 - x);
  int n = o->s->n;
  for (int k = 0; k < table->terms; k++, part *= x)
    for (int j = 0; j < table->stages; j++)
      weight[j] += part * table->dense[k][j];
  dae__add_rows(table->stages, weight, 1, n, n, o->u[o->memory->last], a, z);
  for (int i = 0; i < n; i++)
    z[i] += x * (b[i] - a[i]);
}

/* ---- the first step ---- */

static double rosenbrock_weighted(const rosenbrock *o, const double *z, const double *v)
{
  double sum = 0;
  for (int i = 0; i < o->s->nx; i++) {
    double x = v[i] / (o->atol + o->rtol * fabs(z[i]));
    sum += x * x;
  }
  return sqrt(sum / (o->s->nx > 0 ? o->s->nx : 1));
}

/* [HNW93 II.4], with x'' = f_t + f_x x', where y stays */
double dae__rosenbrock_first_step(void *self, double t, const dae__rk_point *from, double t_stop)
{
  rosenbrock *o = self;
  const dae_pattern *J = &o->s->J;
  dae__rk_step step = {.t = t, .h = t_stop - t, .from = *from};
  double d0 = rosenbrock_weighted(o, from->z, from->z),
         d1 = rosenbrock_weighted(o, from->z, from->dz);
  o->memory->known_end = false;
  if (rosenbrock_look(o, &step, NULL))
    return 0;
  dae__copy(o->s->n, o->f_t, o->rhs);
  for (int j = 0; j < o->s->nx; j++)
    for (int e = J->start[j]; e < J->start[j + 1]; e++)
      o->rhs[J->row[e]] += o->J[e] * from->dz[j];
  double d2 = rosenbrock_weighted(o, from->z, o->rhs),
         small = 0.01 * (d0 + 1 / o->rtol) / fmax(d1, DBL_MIN);
  double h = pow(0.01 / fmax(fmax(d1, d2), DBL_MIN), 1.0 / (o->table->order + 1));
  return fmin(fmin(100 * small, h), 0.1 * (t_stop - t));
}

/* ---- the other verbs ---- */

static void rosenbrock_count(const void *self, dae_stats *stats)
{
  const rosenbrock *o = self;
  stats->jacobians += o->memory->jacobians;
  stats->factorisations += o->memory->factorisations;
}

static dae_status rosenbrock_reload(void *self, dae_error *err)
{
  rosenbrock *o = self;
  dae_status status = o->memory->factorisations > 0 ? dae__solver_reload(o->solver) : DAE_OK;
  o->known = false;
  return status ? dae__fail(err, status, NULL, "the factorisation could not be rebuilt") : DAE_OK;
}

static void rosenbrock_release(void *self)
{
  dae__solver_free(((rosenbrock *)self)->solver);
}

static const dae__stepper_table rosenbrock_verbs = {.attempt = rosenbrock_attempt,
                                                    .complete = rosenbrock_complete_step,
                                                    .dense_output = rosenbrock_dense_output,
                                                    .count = rosenbrock_count,
                                                    .reload = rosenbrock_reload,
                                                    .free = rosenbrock_release};

/* ---- creation ---- */

static void rosenbrock_alloc_memory(rosenbrock *o, dae__arena *arena)
{
  int n = o->s->n, all = o->table->stages * n;
  o->memory = DAE__STATE(arena, memory, 1);
  for (int k = 0; k < 2; k++)
    o->u[k] = DAE__STATE(arena, double, all);
  o->f0 = DAE__STATE(arena, double, n);
  o->f_t = DAE__ALLOC(arena, double, n);
  o->z0 = DAE__ALLOC(arena, double, n);
  o->z = DAE__ALLOC(arena, double, n);
  o->rhs = DAE__ALLOC(arena, double, n);
  o->sum = DAE__ALLOC(arena, double, n);
  o->J = DAE__ALLOC(arena, double, dae__pattern_count(&o->s->J));
  o->M = dae__semi_mass_create(arena, o->s);
  o->matrix = dae__semi_matrix_create(arena, o->s);
}

dae_status dae__rosenbrock_create(dae__arena *arena, const dae__rk_adapter *adapter,
                                  const dae_rk_options *opts, int order, dae__stepper *out,
                                  dae_error *err)
{
  rosenbrock *o = DAE__ALLOC(arena, rosenbrock, 1);
  if (!o)
    return dae__out_of_memory(err);
  *o = (rosenbrock){.adapter = adapter,
                    .s = adapter->s,
                    .table = order == 4 ? &dae__rodas4 : &dae__rodas5,
                    .rtol = SHARE * opts->rtol,
                    .atol = SHARE * opts->atol,
                    .fine = opts->rtol < FINE};
  rosenbrock_alloc_memory(o, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  DAE__TRY(dae__solver_create_iteration(arena, &o->matrix.pattern, &o->solver, err));
  dae__controller_options control = dae__controller_defaults(o->table->estimate_order);
  control.predictive = true;
  *out = (dae__stepper){
      .table = &rosenbrock_verbs, .self = o, .order = o->table->order, .control = control};
  return DAE_OK;
}
