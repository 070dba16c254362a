/* A semi-explicit problem for the Lie-group method. Which rows of F contain y may change where the
 * motion is started anew, as when an event switches equations; what depends on it is made anew
 * then, in memory of its own. It remembers nothing from one point to the next, so that it need not
 * be saved. */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/lie/adapter.h"
#include "problem/consistent.h"
#include "problem/semi_explicit/semi_newton.h"
#include <math.h>

/* What depends on the rows of F, in an arena of its own. */
typedef struct rows {
  dae__arena *arena;
  dae__surface *surface;
  dae__semi_slopes slopes;
  double *given; /* a start */
  bool *hidden;  /* the rows it was made for */
} rows;

typedef struct adapter {
  dae__semi *s;
  const dae_env *env;
  rows *rows;
  bool *hidden; /* kept: as they are now */
} adapter;

/* ---- rows of F ---- */

static void lie_semi_drop(rows *r)
{
  if (!r)
    return;
  dae__surface_free(r->surface);
  dae__semi_slopes_free(&r->slopes);
  dae__arena_free(r->arena); /* they live in it */
}

/* memory for the slopes; then, where z is given, which rows contain y there */
static dae_status lie_semi_classify(adapter *o, rows *r, double t, const double *z, dae_error *err)
{
  dae__semi *s = o->s;
  double *scratch = DAE__ALLOC(r->arena, double, 3 * s->n);
  r->given = DAE__ALLOC(r->arena, double, s->n);
  r->hidden = DAE__ALLOC(r->arena, bool, s->ny);
  if (dae__arena_failed(r->arena))
    return dae__out_of_memory(err);
  dae_status status = dae__semi_slopes_prepare(r->arena, s, &r->slopes, err);
  if (status || !z)
    return status;
  status = dae__semi_J_by(s, &r->slopes.fine, t, z, r->slopes.J, err);
  s->classified = false;
  return status ? status : dae__semi_classify(s, &r->slopes.fine, t, z, r->slopes.J, scratch, err);
}

/* z NULL: for the rows that are hidden now */
static dae_status lie_semi_make_rows(adapter *o, double t, const double *z, rows **out,
                                     dae_error *err)
{
  dae__arena *arena = dae__arena_create(o->env);
  rows *r = arena ? DAE__ALLOC(arena, rows, 1) : NULL;
  *out = r;
  if (!r) {
    dae__arena_free(arena);
    return dae__out_of_memory(err);
  }
  r->arena = arena;
  dae_status status = lie_semi_classify(o, r, t, z, err);
  if (!status && o->s->hidden_count > 0)
    status = dae__surface_create(arena, o->s, &r->surface, err);
  return status ? status : dae__semi_slopes_create(arena, r->surface, &r->slopes, err);
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

/* the new rows, or the old ones where they could not be made or used */
static dae_status lie_semi_change_rows(adapter *o, rows *made, dae_status status)
{
  if (status) {
    lie_semi_drop(made);
    if (o->rows)
      lie_semi_set_hidden(o->s, o->rows->hidden);
    return status;
  }
  lie_semi_drop(o->rows);
  o->rows = made;
  for (int i = 0; i < o->s->ny; i++)
    o->hidden[i] = made->hidden[i] = o->s->hidden[i];
  return DAE_OK;
}

/* ---- verbs ---- */

/* y counts as far as x' feels it, not by its own size */
static void lie_semi_weigh(const dae__semi_slopes *w)
{
  const dae__semi *s = w->s;
  double rate = dae__max_abs(s->nx, w->u);
  for (int j = s->nx; j < s->n; j++) {
    double f_y = 0;
    for (int e = s->J.start[j]; e < s->J.start[j + 1]; e++)
      if (s->J.row[e] < s->nx)
        f_y = fmax(f_y, fabs(w->J[e]));
    w->newton.typical[j] = f_y > 0 && isfinite(rate) ? 1e-3 * rate / f_y : 0;
  }
}

static dae_status lie_semi_not_found(const dae__semi *s, double t, dae_error *err)
{
  char name[64];
  dae__semi_equation_name(s->p, s->nx, name, sizeof name);
  return dae__fail(err, DAE_ERROR_STEP, name,
                   "Newton's method does not find the y that belongs to x at t = %.10g, by the "
                   "equation of %s and its like",
                   t, name);
}

static dae_status lie_semi_find_slopes(dae__semi_slopes *w, double t, double *z, double *dz,
                                       dae_error *err)
{
  const dae__semi *s = w->s;
  dae__solver_forget(w->newton.solver);
  dae_status status = dae__semi_slopes_solve(w, t, z, dz, err);
  if (status != DAE_ERROR_START)
    return status;
  /* close to where y is not determined, round-off in it is larger than it */
  lie_semi_weigh(w);
  status = dae__semi_slopes_solve(w, t, z, dz, err);
  dae__zero(s->ny, w->newton.typical + s->nx);
  return status == DAE_ERROR_START ? lie_semi_not_found(s, t, err) : status;
}

static dae_status lie_semi_slopes(void *self, bool shown, double t, double *z, double *dz,
                                  dae_error *err)
{
  (void)shown;
  return lie_semi_find_slopes(&((adapter *)self)->rows->slopes, t, z, dz, err);
}

/* y is not determined: it stays as it was given, and so do slopes as far as f says */
static dae_status lie_semi_undetermined(rows *r, double t, const bool *fixed, double *z, double *dz,
                                        dae_error *err)
{
  dae__semi *s = r->slopes.s;
  dae_status status = r->surface ? dae__surface_reach(r->surface, t, fixed, z, err) : DAE_OK;
  if (!status)
    status = dae__semi_rhs(s, t, z, dz, err);
  if (s->p->M)
    dae__zero(s->nx, dz);
  dae__zero(s->ny, dz + s->nx);
  return status;
}

static dae_status lie_semi_too_high(dae_error *err)
{
  return dae__fail(err, DAE_ERROR_UNSUPPORTED, "lie",
                   "lie takes semi-explicit problems of index 1 and 2, and this one is of index 3: "
                   "give it in the mechanical form, or differentiate its constraints once");
}

/* by these rows */
static dae_status lie_semi_find_start(rows *r, double t, const bool *fixed, double *z, double *dz,
                                      dae_error *err)
{
  dae__semi *s = r->slopes.s;
  dae_diagnosis find = {0};
  dae_error why = dae_error_none();
  dae__copy(s->n, z, r->given);
  dae_status status = dae__semi_consistent(s, t, fixed, z, dz, &find, &why);
  if (status == DAE_ERROR_START && find.index == 3)
    return lie_semi_too_high(err);
  if (status == DAE_ERROR_START && r->surface) {
    dae__copy(s->n, r->given, z);
    status = lie_semi_undetermined(r, t, fixed, z, dz, err);
    if (status && status != DAE_ERROR_START)
      return status;
    if (!status && lie_semi_find_slopes(&r->slopes, t, z, dz, NULL) != DAE_ERROR_SINGULAR)
      status = DAE_ERROR_START; /* something else was wrong */
  }
  if (status && err)
    *err = why;
  return status;
}

static dae_status lie_semi_consistent(void *self, double t, const bool *fixed, double *z,
                                      double *dz, dae_error *err)
{
  adapter *o = self;
  rows *made;
  dae_status status = lie_semi_make_rows(o, t, z, &made, err);
  if (!status)
    status = lie_semi_find_start(made, t, fixed, z, dz, err);
  return lie_semi_change_rows(o, made, status);
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
  rows *made;
  lie_semi_set_hidden(o->s, o->hidden);
  dae_status status = lie_semi_make_rows(o, 0, NULL, &made, err);
  return lie_semi_change_rows(o, made, status);
}

static void lie_semi_release(void *self)
{
  lie_semi_drop(((adapter *)self)->rows);
}

static const dae__lie_adapter_table lie_semi_verbs = {.consistent = lie_semi_consistent,
                                                      .slopes = lie_semi_slopes,
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
