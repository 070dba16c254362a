/* A semi-explicit problem for the Lie-group method. Which rows of F contain y may change where the
 * motion is started anew, as when an event switches equations; what depends on it is made anew
 * then, in memory of its own. It remembers nothing from one point to the next, so that it need not
 * be saved. */
#include "core/error.h"
#include "core/vec.h"
#include "lie/body.h"
#include "problem/consistent.h"
#include "problem/semi_slopes.h"
#include <math.h>

typedef struct body {
  dae__semi *s;
  const dae_env *env;
  dae__arena *arena; /* of the rest */
  dae__surface *surface;
  dae__semi_slopes slopes;
  double *given; /* a start */
  bool *hidden;  /* kept: as they are now */
} body;

/* ---- rows of F ---- */

static void drop(body *o)
{
  if (!o->arena)
    return;
  dae__surface_free(o->surface);
  dae__semi_slopes_free(&o->slopes);
  dae__arena_free(o->arena);
  o->arena = NULL;
  o->surface = NULL;
  o->slopes = (dae__semi_slopes){0};
}

/* memory for the slopes; then, where z is given, which rows contain y there */
static dae_status begin(body *o, double t, const double *z, dae_error *err)
{
  dae__semi *s = o->s;
  drop(o);
  o->arena = dae__arena_create(o->env);
  if (!o->arena)
    return dae__out_of_memory(err);
  double *scratch = DAE__TAKE(o->arena, double, 3 * s->n);
  o->given = DAE__TAKE(o->arena, double, s->n);
  if (dae__arena_failed(o->arena))
    return dae__out_of_memory(err);
  dae_status status = dae__semi_slopes_prepare(o->arena, s, &o->slopes, err);
  if (status || !z)
    return status;
  status = dae__semi_J_by(s, &o->slopes.fine, t, z, o->slopes.J, err);
  s->classified = false;
  return status ? status : dae__semi_classify(s, &o->slopes.fine, t, z, o->slopes.J, scratch, err);
}

/* the surface and the slopes, for the rows that are hidden now */
static dae_status finish(body *o, dae_error *err)
{
  dae_status status = DAE_OK;
  if (o->s->hidden_count > 0)
    status = dae__surface_create(o->arena, o->s, &o->surface, err);
  return status ? status : dae__semi_slopes_create(o->arena, o->surface, &o->slopes, err);
}

/* ---- verbs ---- */

/* y counts as far as x' feels it, not by its own size */
static void weigh(body *o)
{
  const dae__semi *s = o->s;
  const dae__semi_slopes *w = &o->slopes;
  double rate = dae__max_abs(s->nx, w->u);
  for (int j = s->nx; j < s->n; j++) {
    double f_y = 0;
    for (int e = s->J.start[j]; e < s->J.start[j + 1]; e++)
      if (s->J.row[e] < s->nx)
        f_y = fmax(f_y, fabs(w->J[e]));
    w->newton.typical[j] = f_y > 0 && isfinite(rate) ? 1e-3 * rate / f_y : 0;
  }
}

static dae_status not_found(const body *o, double t, dae_error *err)
{
  char name[64];
  dae__semi_equation_name(o->s->p, o->s->nx, name, sizeof name);
  return dae__fail(err, DAE_ERROR_STEP, name,
                   "Newton's method does not find the y that belongs to x at t = %.10g, by the "
                   "equation of %s and its like",
                   t, name);
}

static dae_status slopes(void *self, bool shown, double t, double *z, double *dz, dae_error *err)
{
  body *o = self;
  (void)shown;
  dae__solver_forget(o->slopes.newton.solver);
  dae_status status = dae__semi_slopes_solve(&o->slopes, t, z, dz, err);
  if (status != DAE_ERROR_START)
    return status;
  /* close to where y is not determined, round-off in it is larger than it */
  weigh(o);
  status = dae__semi_slopes_solve(&o->slopes, t, z, dz, err);
  dae__zero(o->s->ny, o->slopes.newton.typical + o->s->nx);
  return status == DAE_ERROR_START ? not_found(o, t, err) : status;
}

/* y is not determined: it stays as it was given, and so do slopes as far as f says */
static dae_status undetermined(body *o, double t, const bool *fixed, double *z, double *dz,
                               dae_error *err)
{
  dae__semi *s = o->s;
  dae_status status = o->surface ? dae__surface_reach(o->surface, t, fixed, z, err) : DAE_OK;
  if (!status)
    status = dae__semi_rhs(s, t, z, dz, err);
  if (s->p->M)
    dae__zero(s->nx, dz);
  dae__zero(s->ny, dz + s->nx);
  return status;
}

static dae_status too_high(dae_error *err)
{
  return dae__fail(err, DAE_ERROR_UNSUPPORTED, "lie",
                   "lie takes semi-explicit problems of index 1 and 2, and this one is of index 3: "
                   "give it in the mechanical form, or differentiate its constraints once");
}

static dae_status consistent(void *self, double t, const bool *fixed, double *z, double *dz,
                             dae_error *err)
{
  body *o = self;
  dae__semi *s = o->s;
  dae_diagnosis find = {0};
  dae_status status = begin(o, t, z, err);
  if (!status)
    status = finish(o, err);
  if (status)
    return status;
  dae_error why = dae_error_none();
  for (int i = 0; i < s->ny; i++)
    o->hidden[i] = s->hidden[i];
  dae__copy(s->n, z, o->given);
  status = dae__semi_consistent(s, t, fixed, z, dz, &find, &why);
  if (status == DAE_ERROR_START && find.index == 3)
    return too_high(err);
  if (status == DAE_ERROR_START && o->surface) {
    dae__copy(s->n, o->given, z);
    status = undetermined(o, t, fixed, z, dz, err);
    if (!status && slopes(o, false, t, z, dz, err) != DAE_ERROR_SINGULAR)
      status = DAE_ERROR_START; /* something else was wrong */
  }
  if (status == DAE_ERROR_START && err && why.text[0])
    *err = why;
  return status;
}

static dae_status project(void *self, double t, double *z, dae_error *err)
{
  body *o = self;
  if (!o->surface)
    return DAE_OK;
  o->surface->memory->factored = o->surface->memory->evaluated = false;
  return dae__surface_project(o->surface, t, z, err);
}

static void count(const void *self, dae_stats *stats)
{
  const body *o = self;
  stats->evaluations += *o->s->evaluations;
}

static dae_status reload(void *self, dae_error *err)
{
  body *o = self;
  dae__semi *s = o->s;
  s->hidden_count = 0;
  for (int i = 0; i < s->ny; i++) {
    s->hidden[i] = o->hidden[i];
    s->hidden_count += s->hidden[i];
  }
  s->classified = true;
  dae_status status = begin(o, 0, NULL, err);
  return status ? status : finish(o, err);
}

static void release(void *self)
{
  drop(self);
}

static const dae__lie_body_table verbs = {.consistent = consistent,
                                          .slopes = slopes,
                                          .project = project,
                                          .count = count,
                                          .reload = reload,
                                          .free = release};

dae_status dae__lie_body_semi(dae__arena *arena, const dae_problem *problem, dae__lie_body *out,
                              dae_error *err)
{
  body *o = DAE__TAKE(arena, body, 1);
  if (!o)
    return dae__out_of_memory(err);
  dae_status status = dae__semi_create(arena, problem, &o->s, err);
  if (status)
    return status;
  o->env = dae__arena_env(arena);
  o->hidden = DAE__KEEP(arena, bool, o->s->ny);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *out = (dae__lie_body){.table = &verbs, .self = o, .s = o->s, .size = o->s->n};
  return DAE_OK;
}
