#include "onestep/host/slopes.h"
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "onestep/host/iterate.h"

/* ---- creation ---- */

/* rows and columns of J that are F_y */
static void slopes_find_F_y(dae__rk_slopes *o, int *start, int *row)
{
  const dae__semi *s = o->s;
  int count = 0;
  for (int j = 0; j < s->ny; j++) {
    for (int e = s->J.start[s->nx + j]; e < s->J.start[s->nx + j + 1]; e++)
      if (s->J.row[e] >= s->nx)
        row[count] = s->J.row[e] - s->nx, o->entry[count++] = e;
    start[j + 1] = count;
  }
  o->F_y = (dae_pattern){s->ny, s->ny, start, row};
}

static dae_status slopes_create_algebraic(dae__rk_slopes *o, dae__arena *arena, dae_error *err)
{
  int all = dae__pattern_count(&o->s->J);
  int *start = DAE__ALLOC(arena, int, o->s->ny + 1), *row = DAE__ALLOC(arena, int, all);
  o->entry = DAE__ALLOC(arena, int, all);
  o->J = DAE__ALLOC(arena, double, all);
  o->values = DAE__ALLOC(arena, double, all);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  slopes_find_F_y(o, start, row);
  return dae__solver_create(arena, &o->F_y, &o->algebraic, err);
}

dae_status dae__rk_slopes_create(dae__arena *arena, dae__semi *s, const dae_rk_options *opts,
                                 dae__rk_slopes *out, dae_error *err)
{
  dae__rk_slopes *o = out;
  *o = (dae__rk_slopes){.s = s, .rtol = opts->rtol, .atol = opts->atol};
  o->memory = DAE__STATE(arena, dae__rk_slopes_memory, 1);
  o->M = DAE__ALLOC(arena, double, dae__pattern_count(&s->M));
  o->fF = DAE__ALLOC(arena, double, s->n);
  o->d = DAE__ALLOC(arena, double, s->ny);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae_status status = s->p->M ? dae__solver_create(arena, &s->M, &o->mass, err) : DAE_OK;
  return !status && s->ny > 0 ? slopes_create_algebraic(o, arena, err) : status;
}

void dae__rk_slopes_free(dae__rk_slopes *o)
{
  dae__solver_free(o->algebraic);
  dae__solver_free(o->mass);
}

dae_status dae__rk_slopes_reload(dae__rk_slopes *o)
{
  dae_status status = o->memory->factored ? dae__solver_reload(o->algebraic) : DAE_OK;
  return !status && o->memory->mass_factored ? dae__solver_reload(o->mass) : status;
}

void dae__rk_slopes_forget(dae__rk_slopes *o)
{
  o->memory->factored = o->memory->mass_factored = false;
}

/* ---- y ---- */

/* DAE_ERROR_SINGULAR also where the matrix nearly is */
static dae_status slopes_factor(dae__rk_slopes *o, dae__solver *solver, const double *values)
{
  dae_status status = dae__solver_factor(solver, values);
  o->memory->factorisations++;
  return !status && dae__solver_rcond(solver) < DAE__SINGULAR_RCOND ? DAE_ERROR_SINGULAR : status;
}

static dae_status slopes_fail_F_y(const dae__rk_slopes *o, dae_status status, dae_error *err)
{
  int column = dae__solver_column(o->algebraic);
  char name[64];
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status != DAE_ERROR_SINGULAR)
    return dae__fail(err, status, NULL, "F_y: %s", dae_status_text(status));
  dae__semi_variable_name(o->s->p, o->s->nx + (column > 0 ? column : 0), name, sizeof name);
  return dae__fail(err, status, name,
                   "the equations F = 0 do not determine %s: F_y is singular, so that the index is "
                   "higher than 1 there",
                   name);
}

static dae_status slopes_factor_F_y(dae__rk_slopes *o, double t, const double *z, dae_error *err)
{
  DAE__TRY(dae__semi_J(o->s, t, z, o->J, err));
  for (int e = 0; e < dae__pattern_count(&o->F_y); e++)
    o->values[e] = o->J[o->entry[e]];
  dae_status status = slopes_factor(o, o->algebraic, o->values);
  o->memory->jacobians++;
  o->memory->factored = status == DAE_OK;
  return status ? slopes_fail_F_y(o, status, err) : DAE_OK;
}

static dae_status slopes_not_found(const dae__rk_slopes *o, double t, int worst, dae_error *err)
{
  char name[64];
  dae__semi_equation_name(o->s->p, o->s->nx + worst, name, sizeof name);
  return dae__fail(err, DAE_ERROR_STEP, name,
                   "Newton's method does not find the algebraic variables at t = %.10g, worst in "
                   "the equation of %s",
                   t, name);
}

/* y -= F_y\F until it stays; the matrix at hand, or a new one */
static dae_status slopes_find_y(dae__rk_slopes *o, bool fresh, double t, double *z, dae_error *err)
{
  dae__semi *s = o->s;
  double *y = z + s->nx;
  int worst = 0;
  dae__rk_verdict verdict = fresh ? DAE__RK_REFRESH : DAE__RK_GO_ON;
  dae__rk_iteration it = dae__rk_iteration_begin(o->rtol, o->atol, fresh);
  while (verdict < DAE__RK_DONE) {
    dae_status status = dae__semi_F(s, t, z, NULL, o->d, err);
    if (!status && verdict == DAE__RK_REFRESH)
      status = slopes_factor_F_y(o, t, z, err);
    DAE__TRY(status);
    it.fresh = it.fresh || verdict == DAE__RK_REFRESH;
    dae__solver_solve(o->algebraic, o->d);
    dae__axpy(s->ny, -1, o->d, y);
    o->memory->iterations++;
    verdict = dae__rk_iteration_test(&it, dae__rk_change(&it, s->ny, o->d, y, &worst));
  }
  return verdict == DAE__RK_DONE ? DAE_OK : slopes_not_found(o, t, worst, err);
}

/* where an old matrix leads astray, from the guess again; fF serves as its memory */
static dae_status slopes_solve_y(dae__rk_slopes *o, double t, double *z, dae_error *err)
{
  const dae__semi *s = o->s;
  dae_error why = dae_error_none();
  if (!o->memory->factored)
    return slopes_find_y(o, true, t, z, err);
  dae__copy(s->ny, z + s->nx, o->fF);
  dae_status status = slopes_find_y(o, false, t, z, &why);
  if (!status || status == DAE_ERROR_CALLBACK || status == DAE_ERROR_MEMORY) {
    if (status && err)
      *err = why;
    return status;
  }
  dae__copy(s->ny, o->fF, z + s->nx);
  return slopes_find_y(o, true, t, z, err);
}

/* ---- M k = f ---- */

static dae_status slopes_fail_mass(const dae__rk_slopes *o, dae_status status, dae_error *err)
{
  int column = dae__solver_column(o->mass);
  char name[64] = "";
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status != DAE_ERROR_SINGULAR)
    return dae__fail(err, status, NULL, "M: %s", dae_status_text(status));
  if (column >= 0)
    dae__semi_variable_name(o->s->p, column, name, sizeof name);
  return dae__fail(err, status, name[0] ? name : NULL,
                   "the matrix M is singular%s%s: the slopes are not determined",
                   name[0] ? " at " : "", name);
}

static dae_status slopes_solve_mass(dae__rk_slopes *o, double t, const double *z, double *k,
                                    dae_error *err)
{
  if (!o->mass)
    return DAE_OK;
  if (!o->memory->mass_factored || !o->s->constant_mass) {
    DAE__TRY(dae__semi_M(o->s, t, z, o->M, err));
    dae_status status = slopes_factor(o, o->mass, o->M);
    o->memory->mass_factored = status == DAE_OK;
    if (status)
      return slopes_fail_mass(o, status, err);
  }
  dae__solver_solve(o->mass, k);
  return DAE_OK;
}

dae_status dae__rk_slopes_solve(dae__rk_slopes *o, double t, double *z, double *dx, dae_error *err)
{
  DAE__TRY(o->algebraic ? slopes_solve_y(o, t, z, err) : DAE_OK);
  DAE__TRY(dae__semi_rhs(o->s, t, z, o->fF, err));
  dae__copy(o->s->nx, o->fF, dx);
  return slopes_solve_mass(o, t, z, dx, err);
}
