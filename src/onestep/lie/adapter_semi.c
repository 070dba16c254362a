/* Adapter of a semi-explicit problem. The rows of F that contain y may change at a restart,
 * as when an event switches equations; the data that depend on this classification are then
 * created again, in their own arena. They hold no state from one point to the next, and are
 * therefore not saved. */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/lie/adapter.h"
#include "problem/consistent.h"
#include "problem/semi_explicit/semi_newton.h"
#include <math.h>

/* Ratio of f_y dy to the largest derivative of x below which y counts as converged near a point
 * where y is not determined. Chosen, not measured. */
#define TYPICAL_RATE_FRACTION 1e-3

/* Data that depend on the classification of the rows of F, by whether a row contains y. */
typedef struct rows {
  dae__arena *arena;
  dae__surface *surface;
  dae__semi_slopes slopes;
  double *given; /* start values given by the caller */
  bool *hidden;  /* rows of F that do not contain y */
} rows;

typedef struct adapter {
  dae__semi *s;
  const dae_env *env;
  rows *rows;
  /* current classification of the rows of F, saved with the integrator: true for rows without y */
  bool *hidden;
} adapter;

/* ---- rows of F ---- */

static void lie_semi_free_rows(rows *r)
{
  if (!r)
    return;
  dae__surface_free(r->surface);
  dae__semi_slopes_free(&r->slopes);
  dae__arena_free(r->arena);
}

/* creates the data for the rows of F as classified at z, or for z = NULL by the current
 * classification; after a failure the caller has to free *out */
static dae_status lie_semi_create_rows(adapter *o, double t, const double *z, rows **out,
                                       dae_error *err)
{
  dae__semi *s = o->s;
  dae__arena *arena = dae__arena_create(o->env);
  rows *r = *out = arena ? DAE__ALLOC(arena, rows, 1) : NULL;
  if (!r) {
    dae__arena_free(arena);
    return dae__out_of_memory(err);
  }
  r->arena = arena;
  double *scratch = DAE__ALLOC(arena, double, 3 * s->n);
  r->given = DAE__ALLOC(arena, double, s->n);
  r->hidden = DAE__ALLOC(arena, bool, s->ny);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  DAE__TRY(dae__semi_slopes_prepare(arena, s, &r->slopes, err));
  if (z) {
    dae_status status = dae__semi_J_by(s, &r->slopes.fine, t, z, r->slopes.J, err);
    s->classified = false;
    DAE__TRY(status);
    DAE__TRY(dae__semi_classify(s, &r->slopes.fine, t, z, r->slopes.J, scratch, err));
  }
  if (s->hidden_count > 0)
    DAE__TRY(dae__surface_create(arena, s, &r->surface, err));
  return dae__semi_slopes_create(arena, r->surface, &r->slopes, err);
}

static void lie_semi_set_hidden(dae__semi *s, const bool *hidden)
{
  s->hidden_count = 0;
  for (int i = 0; i < s->ny; i++) {
    s->hidden[i] = hidden[i];
    s->hidden_count += hidden[i];
  }
  s->classified = true;
}

/* replaces the data of the rows of F; restores the old data if the creation of the new ones
 * failed */
static dae_status lie_semi_replace_rows(adapter *o, rows *created, dae_status status)
{
  if (status) {
    lie_semi_free_rows(created);
    if (o->rows)
      lie_semi_set_hidden(o->s, o->rows->hidden);
    return status;
  }
  lie_semi_free_rows(o->rows);
  o->rows = created;
  for (int i = 0; i < o->s->ny; i++)
    o->hidden[i] = created->hidden[i] = o->s->hidden[i];
  return DAE_OK;
}

/* ---- functions of the adapter's table ---- */

static dae_status lie_semi_find_rates(dae__semi_slopes *w, double t, double *z, double *dz,
                                      dae_error *err)
{
  const dae__semi *s = w->s;
  char name[64];
  dae__solver_reset(w->newton.solver);
  dae_status status = dae__semi_slopes_solve(w, t, z, dz, err);
  if (status != DAE_ERROR_START)
    return status;
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
  if (status != DAE_ERROR_START)
    return status;
  dae__semi_equation_name(s->p, s->nx, name, sizeof name);
  return dae__fail(err, DAE_ERROR_STEP, name,
                   "Newton's method does not find the algebraic variables at t = %.10g from the "
                   "equation of %s and those after it",
                   t, name);
}

static dae_status lie_semi_rates(void *self, bool for_output, double t, double *z, double *dz,
                                 dae_error *err)
{
  (void)for_output;
  return lie_semi_find_rates(&((adapter *)self)->rows->slopes, t, z, dz, err);
}

/* Consistent start; y that is not determined keeps its given value, and x' follows from f alone. */
static dae_status lie_semi_find_start(rows *r, double t, const bool *fixed, double *z, double *dz,
                                      dae_error *err)
{
  dae__semi *s = r->slopes.s;
  dae_diagnosis find = {0};
  dae_error why = dae_error_none();
  dae__copy(s->n, z, r->given);
  dae_status status = dae__semi_consistent(s, t, fixed, z, dz, &find, &why);
  if (status == DAE_ERROR_START && find.index == 3)
    return dae__fail(
        err, DAE_ERROR_UNSUPPORTED, "lie",
        "lie takes semi-explicit problems of index 1 and 2, and this one is of index 3: "
        "give it in the mechanical form, or differentiate its constraints once");
  if (status == DAE_ERROR_START && r->surface) {
    dae__copy(s->n, r->given, z);
    status = dae__surface_start(r->surface, t, fixed, z, err);
    if (!status)
      status = dae__semi_rhs(s, t, z, dz, err);
    if (s->p->M)
      dae__zero(s->nx, dz);
    dae__zero(s->ny, dz + s->nx);
    if (status && status != DAE_ERROR_START)
      return status;
    if (!status && lie_semi_find_rates(&r->slopes, t, z, dz, NULL) != DAE_ERROR_SINGULAR)
      status = DAE_ERROR_START; /* y is determined, so that the start failed for another reason */
  }
  if (status && err)
    *err = why;
  return status;
}

static dae_status lie_semi_consistent(void *self, double t, const bool *fixed, double *z,
                                      double *dz, dae_error *err)
{
  adapter *o = self;
  rows *created;
  dae_status status = lie_semi_create_rows(o, t, z, &created, err);
  if (!status)
    status = lie_semi_find_start(created, t, fixed, z, dz, err);
  return lie_semi_replace_rows(o, created, status);
}

static dae_status lie_semi_project(void *self, double t, double *z, dae_error *err)
{
  dae__surface *surface = ((adapter *)self)->rows->surface;
  if (!surface)
    return DAE_OK;
  surface->memory->factored = surface->memory->evaluated = false;
  return dae__surface_project(surface, t, z, err);
}

static void lie_semi_count(const void *self, dae_stats *stats)
{
  const adapter *o = self;
  stats->evaluations += *o->s->evaluations;
}

static dae_status lie_semi_reload(void *self, dae_error *err)
{
  adapter *o = self;
  rows *created;
  lie_semi_set_hidden(o->s, o->hidden);
  dae_status status = lie_semi_create_rows(o, 0, NULL, &created, err);
  return lie_semi_replace_rows(o, created, status);
}

static void lie_semi_release(void *self)
{
  lie_semi_free_rows(((adapter *)self)->rows);
}

static const dae__lie_adapter_table lie_semi_verbs = {.consistent = lie_semi_consistent,
                                                      .rates = lie_semi_rates,
                                                      .project = lie_semi_project,
                                                      .count = lie_semi_count,
                                                      .reload = lie_semi_reload,
                                                      .free = lie_semi_release};

dae_status dae__lie_adapter_semi(dae__arena *arena, const dae_problem *problem,
                                 dae__lie_adapter *out, dae_error *err)
{
  adapter *o = DAE__ALLOC(arena, adapter, 1);
  if (!o)
    return dae__out_of_memory(err);
  DAE__TRY(dae__semi_create(arena, problem, &o->s, err));
  o->env = dae__arena_env(arena);
  o->hidden = DAE__STATE(arena, bool, o->s->ny);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *out = (dae__lie_adapter){.table = &lie_semi_verbs, .self = o, .s = o->s, .size = o->s->n};
  return DAE_OK;
}
