/* The CM corrector [YP96 section 3]: the coordinate-split iteration of cs.c with the directions of
 * the constraint forces frozen at a point q0, and without H in its matrix:
 *
 *   0 = P(q0) (q' - v),   0 = P(q0) (M v' - f),   0 = g_t + G v,   0 = k,   0 = g       [YP96
 * (3.2)]
 *
 * With the option `projector fresh` q0 is the prediction of every step. With `stale` it is the
 * point of the last Jacobian, as the paper has it: then G(q)' lambda is replaced by G(q0)' lambda
 * with a q0 that may be many steps old, a constraint force that does work. That is an inconsistent
 * discretisation, whose damping is what makes it fast;
 * it is here to reproduce the paper's tables. */
#include "core/error.h"
#include "core/vec.h"
#include "multistep/estimated.h"

typedef struct cm {
  dae__estimated s;
  bool stale;
  double *G0, *K0; /* kept: the frozen directions */
} cm;

/* q0 = the point of Y */
static dae_status cm_freeze(cm *o, double t, const double *Y, dae_error *err)
{
  dae__bordered *b = &o->s.b;
  DAE__TRY(dae__bordered_evaluate(b, t, Y, b->scratch, err));
  DAE__TRY(dae__estimated_renew(&o->s, err));
  dae__copy(dae__pattern_count(&b->m->G), b->G, o->G0);
  dae__copy(dae__pattern_count(&b->m->K), b->K, o->K0);
  return DAE_OK;
}

static dae_status cm_predict(void *self, double t, double *Y, double *dY, dae_error *err)
{
  cm *o = self;
  (void)dY;
  return o->stale ? DAE_OK : cm_freeze(o, t, Y, err);
}

static dae_status cm_setup(void *self, double t, const double *Y, const double *dY, double cj,
                           dae_error *err)
{
  cm *o = self;
  dae_status status = o->stale ? cm_freeze(o, t, Y, err) : DAE_OK;
  return status ? status : dae__bordered_setup(&o->s.b, t, Y, dY, cj, err);
}

static dae_status cm_increment(void *self, double t, const double *Y, const double *dY, double cj,
                               double factor, double *delta, dae_error *err)
{
  cm *o = self;
  dae__bordered *b = &o->s.b;
  double *y = o->s.Y + b->m->at.lambda, *mu = o->s.Y + b->mu;
  (void)cj;
  DAE__TRY(dae__bordered_evaluate(b, t, Y, delta, err));
  dae__bordered_rates(b, Y, dY, delta);
  dae__multipliers_estimate(&o->s.e, delta, delta + b->m->at.v, y, mu);
  dae__bordered_add_forces(b, o->G0, o->K0, y, mu, delta);
  dae__estimated_solve(&o->s, Y, dY, factor, delta);
  return DAE_OK;
}

static const dae__corrector_table cm_table = {
    .start = dae__bordered_start,
    .predict = cm_predict,
    .setup = cm_setup,
    .increment = cm_increment,
    .filter = dae__bordered_filter,
    .project = dae__bordered_project,
    .output = dae__bordered_output,
    .consistent = dae__bordered_consistent,
    .stats = dae__estimated_stats,
    .reload = dae__estimated_reload,
    .free = dae__estimated_free,
};

dae_status dae__cm_create(dae__arena *arena, const dae_problem *problem, const dae_start *start,
                          const dae_bdf_options *opts, double *y, double *dy, dae__corrector *out,
                          dae_error *err)
{
  cm *o = DAE__ALLOC(arena, cm, 1);
  if (!o)
    return dae__out_of_memory(err);
  dae_status status =
      dae__estimated_create(arena, problem, start, opts, &cm_table, y, dy, &o->s, out, err);
  DAE__TRY(status);
  o->s.b.with_H = false;
  o->stale = opts->projector == DAE_BDF_PROJECTOR_STALE;
  o->G0 = DAE__STATE(arena, double, dae__pattern_count(&o->s.b.m->G));
  o->K0 = DAE__STATE(arena, double, dae__pattern_count(&o->s.b.m->K));
  if (!dae__arena_failed(arena))
    return DAE_OK;
  dae__estimated_free(o);
  return dae__out_of_memory(err);
}
