/* A semi-explicit problem for one-step methods. With index 1 y and the slopes k of x follow from
 *
 *   F(t,x,y) = 0  by Newton's method for y,   M(t,x) k = f(t,x,y)
 *
 * With index 2, for methods that ask for slopes there, y and k follow from M k = f, F1 = 0 and the
 * time derivative of F2 = 0, F2 the rows of F without y (dae__semi_slopes), and x is projected onto
 * F2 = 0. An event may switch equations: the rows F2 are found again at every restart, and the data
 * that depend on them are then created again, in an arena of their own. These data keep nothing
 * from one point to the next, so that they are not saved and serve steps and dense output alike.
 *
 * With singular M, or index 2 and a method that does not ask for slopes there, the slopes of x are
 * not defined by a state; radau-iia, and radau with singular M, do not use them.
 */
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "linalg/solver.h"
#include "onestep/host/adapter.h"
#include "problem/consistent.h"
#include "problem/semi_explicit/semi_newton.h"
#include "step/newton.h"
#include <math.h>

/* Ratio of f_y dy to the largest derivative of x below which y counts as converged near a point
 * where y is not determined. Chosen, not measured. */
#define TYPICAL_RATE_FRACTION 1e-3

typedef struct slopes_memory {
  bool factored, mass_factored;
  long iterations, jacobians, factorisations;
} slopes_memory;

/* Slopes with index 1. */
typedef struct slopes {
  dae__semi *s;
  double rtol, atol;
  const double *atol_scale; /* scale of atol for each y */
  slopes_memory *memory;    /* state saved with the integrator */
  dae_pattern F_y;
  int *entry; /* index in J of each entry of F_y */
  double *J, *values, *M, *fF, *d;
  dae__solver *algebraic, *mass; /* solvers with F_y (NULL: no y) and with M (NULL: M = 1) */
} slopes;

typedef struct adapter {
  dae__semi *s;
  dae__onestep_needs needs;
  dae__forms forms;
  slopes slopes[2];           /* slopes of the steps [0] and of dense output [1] */
  dae__semi_index_2 *index_2; /* NULL: index 1, or index 2 without slopes */
  bool *hidden;               /* saved: s->hidden of the last consistent start */
  bool undetermined;          /* y kept its guess in the last call of slopes */
} adapter;

/* ---- slopes with index 1 ---- */

static dae_status semi_slopes_create(dae__arena *arena, dae__semi *s,
                                     const dae_step_options *control, const double *atol_scale,
                                     slopes *o, dae_error *err)
{
  int all = dae__pattern_count(&s->J), count = 0;
  *o = (slopes){
      .s = s, .rtol = control->rtol, .atol = control->atol, .atol_scale = atol_scale + s->nx};
  o->memory = DAE__STATE(arena, slopes_memory, 1);
  o->M = DAE__ALLOC(arena, double, dae__pattern_count(&s->M));
  o->fF = DAE__ALLOC(arena, double, s->n);
  o->d = DAE__ALLOC(arena, double, s->ny);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__LIMIT_TRUTH(arena, &o->memory->factored, 2);
  DAE__LIMIT_COUNTER(arena, &o->memory->iterations, 3);
  if (s->p->M)
    DAE__TRY(dae__solver_create(arena, &s->M, &o->mass, err));
  if (s->ny == 0)
    return DAE_OK;
  int *start = DAE__ALLOC(arena, int, s->ny + 1), *row = DAE__ALLOC(arena, int, all);
  o->entry = DAE__ALLOC(arena, int, all);
  DAE__VECTORS(arena, all, &o->J, &o->values);
  DAE__TRY(dae__arena_status(arena, err));
  /* index in J of the entries of F_y, in its rows and columns from nx on */
  for (int j = 0; j < s->ny; j++) {
    for (int e = s->J.start[s->nx + j]; e < s->J.start[s->nx + j + 1]; e++)
      if (s->J.row[e] >= s->nx)
        row[count] = s->J.row[e] - s->nx, o->entry[count++] = e;
    start[j + 1] = count;
  }
  o->F_y = (dae_pattern){s->ny, s->ny, start, row};
  return dae__solver_create(arena, &o->F_y, &o->algebraic, err);
}

/* Evaluates and factors M or F_y at z; DAE_ERROR_SINGULAR also if it is singular to working
 * precision. */
static dae_status semi_factor(slopes *o, bool mass, double t, const double *z, dae_error *err)
{
  const dae__semi *s = o->s;
  dae__solver *solver = mass ? o->mass : o->algebraic;
  bool *factored = mass ? &o->memory->mass_factored : &o->memory->factored;
  char name[64] = "";
  DAE__TRY(mass ? dae__semi_M(o->s, t, z, o->M, err) : dae__semi_J(o->s, NULL, t, z, o->J, err));
  for (int e = 0; !mass && e < dae__pattern_count(&o->F_y); e++)
    o->values[e] = o->J[o->entry[e]];
  dae_status status = dae__solver_factor(solver, mass ? o->M : o->values);
  if (!status && dae__solver_rcond(solver) < DAE__SINGULAR_RCOND)
    status = DAE_ERROR_SINGULAR;
  o->memory->factorisations++;
  o->memory->jacobians += !mass;
  *factored = status == DAE_OK;
  if (!status || status == DAE_ERROR_MEMORY)
    return status ? dae__out_of_memory(err) : DAE_OK;
  if (status != DAE_ERROR_SINGULAR)
    return dae__fail(err, status, NULL, "%s: %s", mass ? "M" : "F_y", dae_status_text(status));
  int column = dae__solver_column(solver);
  if (!mass || column >= 0)
    dae__semi_variable_name(s->p, (mass ? 0 : s->nx) + (column > 0 ? column : 0), name,
                            sizeof name);
  if (mass)
    return dae__fail(err, status, name[0] ? name : NULL,
                     "the mass matrix M is singular%s%s: it does not determine the slopes",
                     name[0] ? " at " : "", name);
  return dae__fail(err, status, name,
                   "the equations F = 0 do not determine %s: F_y is singular, so that the index is "
                   "higher than 1 there",
                   name);
}

/* Newton iteration y -= F_y\F to round-off, with the existing factorisation of F_y or (fresh) a new
 * one */
static dae_status semi_newton(slopes *o, bool fresh, double t, double *z, dae_error *err)
{
  dae__semi *s = o->s;
  double *y = z + s->nx;
  int worst = 0;
  char name[64];
  dae__newton_exact_outcome outcome =
      fresh ? DAE__NEWTON_EXACT_REFRESH : DAE__NEWTON_EXACT_CONTINUE;
  dae__newton_exact it = dae__newton_exact_begin(o->rtol, o->atol, fresh);
  while (outcome < DAE__NEWTON_EXACT_DONE) {
    DAE__TRY(dae__semi_F(s, t, z, NULL, o->d, err));
    if (outcome == DAE__NEWTON_EXACT_REFRESH)
      DAE__TRY(semi_factor(o, false, t, z, err));
    it.fresh = it.fresh || outcome == DAE__NEWTON_EXACT_REFRESH;
    dae__solver_solve(o->algebraic, o->d);
    dae__axpy(s->ny, -1, o->d, y);
    o->memory->iterations++;
    outcome = dae__newton_exact_test(
        &it, dae__newton_exact_change(&it, s->ny, o->atol_scale, o->d, y, &worst));
  }
  if (outcome == DAE__NEWTON_EXACT_DONE)
    return DAE_OK;
  dae__semi_equation_name(s->p, s->nx + worst, name, sizeof name);
  return dae__fail(err, DAE_ERROR_STEP, name,
                   "Newton's method for the algebraic variables does not converge at t = %.10g, "
                   "worst in the equation of %s",
                   t, name);
}

/* Solves F = 0 for y; if the iteration with an old factorisation fails, it is repeated from the
 * same guess, saved in fF, with a new factorisation. */
static dae_status semi_solve_y(slopes *o, double t, double *z, dae_error *err)
{
  const dae__semi *s = o->s;
  dae_error why;
  if (!o->memory->factored)
    return semi_newton(o, true, t, z, err);
  dae__error_clear(&why);
  dae__copy(s->ny, z + s->nx, o->fF);
  dae_status status = semi_newton(o, false, t, z, &why);
  if (!status || status == DAE_ERROR_CALLBACK || status == DAE_ERROR_MEMORY) {
    if (status && err)
      *err = why;
    return status;
  }
  dae__copy(s->ny, o->fF, z + s->nx);
  return semi_newton(o, true, t, z, err);
}

/* ---- slopes with index 2 ---- */

/* Creates the data of the rows s->hidden; *out = NULL where there are none, after a failure, or
 * where the method does not ask for slopes. */
static dae_status semi_index_2_create(const adapter *o, dae__semi_index_2 **out, dae_error *err)
{
  *out = NULL;
  return o->needs.index_2_slopes && o->s->hidden_count > 0
             ? dae__semi_index_2_create(o->s, out, err)
             : DAE_OK;
}

/* y and slopes dz; *undetermined: the constraints do not determine y, and z and dz are unchanged */
static dae_status semi_index_2_solve(dae__semi_slopes *w, double t, double *z, double *dz,
                                     bool *undetermined, dae_error *err)
{
  const dae__semi *s = w->s;
  char name[64];
  dae__solver_reset(w->newton.solver);
  dae_status status = dae__semi_slopes_solve(w, t, z, dz, err);
  if (status == DAE_ERROR_START) {
    /* close to a point where y is not determined, the round-off error of y is larger than y:
     * convergence is then measured by the effect of y on x' */
    double rate = dae__max_abs(s->nx, w->u);
    for (int j = s->nx; j < s->n; j++) {
      double f_y = 0;
      for (int e = s->J.start[j]; e < s->J.start[j + 1]; e++)
        f_y = s->J.row[e] < s->nx ? fmax(f_y, fabs(w->J[e])) : f_y;
      w->newton.typical[j] = f_y > 0 && isfinite(rate) ? TYPICAL_RATE_FRACTION * rate / f_y : 0;
    }
    status = dae__semi_slopes_solve(w, t, z, dz, err);
    dae__zero(s->ny, w->newton.typical + s->nx);
  }
  *undetermined = status == DAE_ERROR_SINGULAR;
  if (status != DAE_ERROR_START)
    return *undetermined ? DAE_OK : status;
  dae__semi_equation_name(s->p, s->nx, name, sizeof name);
  return dae__fail(err, DAE_ERROR_STEP, name,
                   "Newton's method does not find the algebraic variables at t = %.10g from the "
                   "equation of %s and those after it",
                   t, name);
}

/* Consistent start at a point where the constraints do not determine y, which keeps its value; x'
 * follows from f alone. DAE_ERROR_START without a message: y is determined there. */
static dae_status semi_start_undetermined(dae__semi_index_2 *i2, double t, const bool *fixed,
                                          double *z, double *dz, dae_error *err)
{
  dae__semi *s = i2->slopes.s;
  bool undetermined = false;
  DAE__TRY(dae__surface_start(i2->surface, t, fixed, z, err));
  DAE__TRY(dae__semi_rhs(s, t, z, dz, err));
  if (s->p->M)
    dae__zero(s->nx, dz);
  dae__zero(s->ny, dz + s->nx);
  (void)semi_index_2_solve(&i2->slopes, t, z, dz, &undetermined, NULL);
  return undetermined ? DAE_OK : DAE_ERROR_START;
}

/* ---- functions of the table ---- */

static dae_status onestep_semi_slopes(void *self, bool dense, double t, double *z, double *dz,
                                      dae_error *err)
{
  adapter *a = self;
  slopes *o = &a->slopes[dense];
  if (a->index_2)
    return semi_index_2_solve(&a->index_2->slopes, t, z, dz, &a->undetermined, err);
  DAE__TRY(o->algebraic ? semi_solve_y(o, t, z, err) : DAE_OK);
  DAE__TRY(dae__semi_rhs(o->s, t, z, o->fF, err));
  dae__copy(o->s->nx, o->fF, dz);
  if (!o->mass)
    return DAE_OK;
  if (!o->memory->mass_factored || !o->s->constant_mass)
    DAE__TRY(semi_factor(o, true, t, z, err));
  dae__solver_solve(o->mass, dz);
  return DAE_OK;
}

static void semi_restore_hidden(adapter *o)
{
  o->s->hidden_count = 0;
  for (int i = 0; i < o->s->ny; i++)
    o->s->hidden_count += o->s->hidden[i] = o->hidden[i];
}

/* Replaces the data of index 2 and saves the classification of the rows; after a failure restores
 * the classification that belongs to the existing data. */
static dae_status semi_replace_index_2(adapter *o, dae__semi_index_2 *created, dae_status status)
{
  dae__semi_index_2_free(status ? created : o->index_2);
  if (status) {
    semi_restore_hidden(o);
    return status;
  }
  o->index_2 = created;
  o->undetermined = false;
  for (int i = 0; i < o->s->ny; i++)
    o->hidden[i] = o->s->hidden[i];
  return DAE_OK;
}

static dae_status onestep_semi_consistent(void *self, double t, const bool *fixed, double *z,
                                          double *dz, dae_error *err)
{
  adapter *o = self;
  const dae__onestep_needs *needs = &o->needs;
  dae_diagnosis find = {0};
  dae_error why;
  dae__semi_index_2 *created = NULL;
  dae__error_clear(&why);
  o->s->classified = false;
  dae_status status = dae__semi_consistent(o->s, t, fixed, z, dz, &find, &why);
  bool found = !status || status == DAE_ERROR_START;
  if (found && find.index > needs->index) {
    status = dae__fail(&why, DAE_ERROR_UNSUPPORTED, needs->method,
                       "%s takes semi-explicit problems of index %s, and this one is of index %d: "
                       "use %s",
                       needs->method, needs->index == 1 ? "1" : "1 and 2", find.index,
                       find.index == 2 ? "radau, bdf or lie, or differentiate its constraints once"
                                       : "the mechanical form, or differentiate its constraints");
  } else if (found && o->s->classified) {
    dae_status created_status = semi_index_2_create(o, &created, &why);
    if (created_status)
      status = created_status;
    else if (status && created && needs->undetermined_start)
      status = semi_start_undetermined(created, t, fixed, z, dz, &why);
  }
  for (int i = 0; i < 2 && !status; i++)
    o->slopes[i].memory->factored = o->slopes[i].memory->mass_factored = false;
  if (status && err)
    *err = why;
  return semi_replace_index_2(o, created, status);
}

static dae_status onestep_semi_project(void *self, bool dense, double t, double *z, dae_error *err)
{
  const adapter *o = self;
  (void)dense;
  return o->index_2 ? dae__semi_index_2_project(o->index_2, t, z, err) : DAE_OK;
}

static dae_status onestep_semi_inputs(void *self, double t, const double **in, dae_error *err)
{
  adapter *o = self;
  *in = o->s->in;
  return dae__semi_inputs(o->s, t, err);
}

static void onestep_semi_count(const void *self, dae_stats *stats)
{
  const adapter *o = self;
  stats->evaluations += *o->s->evaluations;
  for (int i = 0; i < 2; i++) {
    stats->iterations += o->slopes[i].memory->iterations;
    stats->jacobians += o->slopes[i].memory->jacobians;
    stats->factorisations += o->slopes[i].memory->factorisations;
  }
}

static dae_status onestep_semi_reload(void *self, dae_error *err)
{
  adapter *o = self;
  dae__semi_index_2 *created;
  for (int i = 0; i < 2; i++) { /* flags of solvers that do not exist */
    slopes_memory *m = o->slopes[i].memory;
    m->factored = m->factored && o->slopes[i].algebraic;
    m->mass_factored = m->mass_factored && o->slopes[i].mass;
  }
  semi_restore_hidden(o);
  dae_status status = semi_index_2_create(o, &created, err);
  return semi_replace_index_2(o, created, status);
}

static void onestep_semi_release(void *self)
{
  adapter *o = self;
  for (int i = 0; i < 2; i++) {
    dae__solver_free(o->slopes[i].algebraic);
    dae__solver_free(o->slopes[i].mass);
  }
  dae__semi_index_2_free(o->index_2);
}

static const dae_adapter_table onestep_semi_verbs = {.consistent = onestep_semi_consistent,
                                                     .slopes = onestep_semi_slopes,
                                                     .project = onestep_semi_project,
                                                     .inputs = onestep_semi_inputs,
                                                     .count = onestep_semi_count,
                                                     .reload = onestep_semi_reload,
                                                     .free = onestep_semi_release};

dae_status dae__adapter_semi(dae__arena *arena, const dae_problem *problem,
                             const dae__onestep_needs *needs, const dae_step_options *control,
                             dae_adapter *out, dae_error *err)
{
  adapter *o = DAE__ALLOC(arena, adapter, 1);
  DAE__TRY(dae__arena_status(arena, err));
  o->needs = *needs;
  dae_status status = dae__semi_create(arena, problem, &o->s, err);
  if (!status) {
    o->hidden = DAE__STATE(arena, bool, o->s->ny);
    DAE__LIMIT_TRUTH(arena, o->hidden, o->s->ny);
    o->forms =
        (dae__forms){.s = o->s, .undetermined = needs->index_2_slopes ? &o->undetermined : NULL};
  }
  for (int i = 0; i < 2 && !status; i++)
    status = semi_slopes_create(arena, o->s, control, out->atol_scale, &o->slopes[i], err);
  if (status) {
    onestep_semi_release(o);
    return status;
  }
  *out = (dae_adapter){.table = &onestep_semi_verbs,
                       .self = o,
                       .problem = problem,
                       .nx = o->s->nx,
                       .size = o->s->n,
                       .inputs = problem->input ? o->s->p->nin : 0,
                       .atol_scale = out->atol_scale,
                       .forms = &o->forms};
  return DAE_OK;
}
