/* The correctors of [YP96] for constrained mechanics: coordinate split (CS), its modification (CM)
 * and GGL*. All solve the bordered system (bordered.h) and estimate multipliers from the residual
 * (multipliers.h); see docs/methods/coordinate-split.md.
 *
 * CS. With P a basis of the directions without constraint forces, P G' = 0, a step solves
 *
 *   0 = P(q) (q' - v),   0 = P(q) (M v' - f),   0 = g_t + G v,   0 = k,   0 = g      [YP96 (2.12)]
 *
 * which contains no multipliers. Simplified Newton for it, with d(P r)/dq = P H(s) and s the
 * multipliers of the residual r, is exactly a solve with the bordered matrix,
 *
 *   B (dq, dv, ...; tau) = -(r1 + G' s1, r2 + G' s2 + K' s3, ...; gdot, k, g)
 *
 * where s1 (for mu), s2, s3 (for lambda, psi) are estimated from the residual at every iterate, and
 * tau is dropped. Multipliers are therefore neither in the Newton test nor in the error test, and
 * only their estimates, not their history, enter.
 *
 * Deviations from the paper. Its Algorithms 2.1 and 3.1 commute P with the inverse of the matrix
 * and converge to the wrong point; nonholonomic rows are added, annihilated together with G; the
 * mass matrix may depend on q. The default estimate is by least squares, which needs no split and
 * stays bounded where a split degenerates.
 *
 * CM [YP96 section 3]: the same iteration with the directions of the constraint forces frozen at a
 * point q0, and without H in its matrix:
 *
 *   0 = P(q0) (q' - v),   0 = P(q0) (M v' - f),   0 = g_t + G v,   0 = k,   0 = g     [YP96 (3.2)]
 *
 * With the option `projector fresh` q0 is the prediction of every step. With `stale` it is the
 * point of the last Jacobian, as in the paper: then G(q)' lambda is replaced by G(q0)' lambda with
 * a q0 that may be many steps old, a constraint force that does work. That discretisation is
 * inconsistent, and its damping makes it fast; it reproduces the paper's tables.
 *
 * GGL* [YP96 section 5]: Newton as in ggl.c, with multipliers that are not in the Newton test
 * and, with the option `reset`, are not extrapolated but estimated from the residual at every
 * prediction. `reset off` is the first of the paper's two senses, `reset on` the second one. An
 * error test of independent coordinates selects their split at every prediction. */
#include "core/error.h"
#include "core/vec.h"
#include "multistep/bordered.h"
#include "multistep/multipliers.h"

/* ---- bordered system with estimated multipliers ---- */

typedef struct estimated {
  dae__bordered b;
  dae__multipliers e;
  double *Y;       /* copy of Y with estimated multipliers, length n */
  bool reset;      /* option `reset` of GGL* */
  bool stale;      /* option `projector` of CM: stale */
  double *G0, *K0; /* directions G, K of CM, frozen at q0; saved; NULL: CS, GGL* */
} estimated;

/* selects a new coordinate split, and removes its dependent coordinates from an error test that is
 * restricted to independent ones, if the options need one; factors the estimates of the
 * multipliers. G and K of the bordered system have to be current. */
static dae_status estimated_renew(estimated *s, dae_error *err)
{
  dae__bordered *b = &s->b;
  const int *dependent = s->e.pivot;
  int v = b->m->at.v;
  bool rates = b->error_test == DAE_BDF_TEST_XV;
  bool restricted = s->e.split && (rates || b->error_test == DAE_BDF_TEST_X);
  DAE__TRY(dae__multipliers_select_split(&s->e, b->G, b->K, err));
  for (int i = 0; restricted && i < b->m->nq; i++) {
    b->role[i] = DAE__TEST_FULL;
    b->role[v + i] = rates ? DAE__TEST_FULL : DAE__TEST_NEWTON;
  }
  for (int i = 0; restricted && i < b->m->nc; i++)
    if (dependent[i] >= 0)
      b->role[dependent[i]] = b->role[v + dependent[i]] = DAE__TEST_NEWTON;
  return dae__multipliers_factor(&s->e, b->G, b->K, err);
}

/* residual R without multipliers at an evaluated point, and the multipliers estimated from it,
 * stored in `to`, a vector of the n unknowns */
static void estimated_estimate(estimated *s, const double *Y, const double *dY, double *R,
                               double *to)
{
  const dae__bordered *b = &s->b;
  dae__bordered_add_inertia(b, Y, dY, R);
  dae__multipliers_estimate(&s->e, R, R + b->m->at.v, to + b->m->at.lambda, to + b->mu);
}

/* delta = -B^-1 R, with the constraint directions at Y, or the frozen ones of CM. The solution tau
 * for the multipliers is dropped: the estimates replace the multipliers of Y. */
static dae_status estimated_increment(void *self, double t, const double *Y, const double *dY,
                                      double cj, double factor, double *delta, dae_error *err)
{
  estimated *s = self;
  dae__bordered *b = &s->b;
  (void)cj;
  DAE__TRY(dae__bordered_evaluate(b, t, Y, delta, err));
  if (!s->G0)
    DAE__TRY(dae__multipliers_factor(&s->e, b->G, b->K, err));
  estimated_estimate(s, Y, dY, delta, s->Y);
  dae__bordered_add_forces(b, s->G0 ? s->G0 : b->G, s->G0 ? s->K0 : b->K, s->Y + b->m->at.lambda,
                           s->Y + b->mu, delta);
  dae__bordered_solve(b, s->Y, dY, factor, delta);
  for (int i = b->m->at.lambda; i < b->n; i++)
    delta[i] = s->Y[i] - Y[i];
  return DAE_OK;
}

static void estimated_stats(const void *self, dae_stats *stats)
{
  const estimated *s = self;
  dae__bordered_stats(&s->b, stats);
  stats->factorisations += s->e.memory->factorisations;
}

static void estimated_free(void *self)
{
  estimated *s = self;
  dae__multipliers_free(&s->e);
  dae__bordered_free(&s->b);
}

static dae_status estimated_create(dae__arena *arena, const dae_problem *problem,
                                   const dae_start *start, const dae_bdf_options *opts,
                                   const dae__corrector_table *table, double *y, double *dy,
                                   dae__corrector *out, dae_error *err)
{
  estimated *s = DAE__ALLOC(arena, estimated, 1);
  DAE__TRY(dae__arena_status(arena, err));
  s->reset = opts->reset;
  s->stale = opts->projector == DAE_BDF_PROJECTOR_STALE;
  DAE__TRY(dae__bordered_create(arena, problem, start, opts, y, dy, &s->b, err));
  s->Y = DAE__ALLOC(arena, double, s->b.n);
  dae_status status = dae__multipliers_create(arena, s->b.m, opts, &s->e, err);
  if (!status && dae__arena_failed(arena))
    status = dae__out_of_memory(err);
  if (!status)
    status = dae__bordered_corrector(&s->b, table, opts, DAE__TEST_NONE, arena, out, err);
  if (status)
    estimated_free(s);
  return status;
}

#define VERBS                                                                                      \
  .start = dae__bordered_start, .project = dae__bordered_project, .output = dae__bordered_output,  \
  .consistent = dae__bordered_consistent, .rank = dae__bordered_rank, .stats = estimated_stats,    \
  .free = estimated_free

/* ---- CS corrector ---- */

static dae_status cs_setup(void *self, double t, const double *Y, const double *dY, double cj,
                           dae_error *err)
{
  estimated *s = self;
  dae__bordered *b = &s->b;
  (void)dae__motion_exchange_dependent(b->motion, t, Y);
  DAE__TRY(dae__bordered_evaluate(b, t, Y, b->scratch, err));
  DAE__TRY(estimated_renew(s, err));
  dae__copy(b->m->at.lambda, Y, s->Y);
  estimated_estimate(s, Y, dY, b->scratch, s->Y);
  return dae__bordered_setup(b, t, s->Y, dY, cj, err);
}

static const dae__corrector_table cs_table = {
    VERBS, .setup = cs_setup, .increment = estimated_increment, .filter = dae__bordered_filter};

dae_status dae__cs_create(dae__arena *arena, const dae_problem *problem, const dae_start *start,
                          const dae_bdf_options *opts, double *y, double *dy, dae__corrector *out,
                          dae_error *err)
{
  return estimated_create(arena, problem, start, opts, &cs_table, y, dy, out, err);
}

/* ---- CM corrector ---- */

/* freezes the constraint directions of CM at the point Y */
static dae_status cm_freeze(estimated *s, double t, const double *Y, dae_error *err)
{
  dae__bordered *b = &s->b;
  DAE__TRY(dae__bordered_evaluate(b, t, Y, b->scratch, err));
  DAE__TRY(estimated_renew(s, err));
  dae__copy(dae__pattern_count(&b->m->G), b->G, s->G0);
  dae__copy(dae__pattern_count(&b->m->K), b->K, s->K0);
  return DAE_OK;
}

static dae_status cm_predict(void *self, double t, double *Y, double *dY, dae_error *err)
{
  estimated *s = self;
  (void)dY;
  return s->stale ? DAE_OK : cm_freeze(s, t, Y, err);
}

static dae_status cm_setup(void *self, double t, const double *Y, const double *dY, double cj,
                           dae_error *err)
{
  estimated *s = self;
  if (dae__motion_exchange_dependent(s->b.motion, t, Y) || s->stale)
    DAE__TRY(cm_freeze(s, t, Y, err));
  return dae__bordered_setup(&s->b, t, Y, dY, cj, err);
}

static const dae__corrector_table cm_table = {VERBS, .predict = cm_predict, .setup = cm_setup,
                                              .increment = estimated_increment,
                                              .filter = dae__bordered_filter};

dae_status dae__cm_create(dae__arena *arena, const dae_problem *problem, const dae_start *start,
                          const dae_bdf_options *opts, double *y, double *dy, dae__corrector *out,
                          dae_error *err)
{
  DAE__TRY(estimated_create(arena, problem, start, opts, &cm_table, y, dy, out, err));
  estimated *s = out->self;
  s->b.with_H = false;
  s->G0 = DAE__STATE(arena, double, dae__pattern_count(&s->b.m->G));
  s->K0 = DAE__STATE(arena, double, dae__pattern_count(&s->b.m->K));
  if (!dae__arena_failed(arena))
    return DAE_OK;
  estimated_free(s);
  return dae__out_of_memory(err);
}

/* ---- GGL* corrector ---- */

static dae_status ggl_star_predict(void *self, double t, double *Y, double *dY, dae_error *err)
{
  estimated *s = self;
  dae__bordered *b = &s->b;
  if (!s->reset && !s->e.split)
    return DAE_OK;
  DAE__TRY(dae__bordered_evaluate(b, t, Y, b->scratch, err));
  DAE__TRY(estimated_renew(s, err));
  if (s->reset)
    estimated_estimate(s, Y, dY, b->scratch, Y);
  return DAE_OK;
}

static const dae__corrector_table ggl_star_table = {VERBS, .predict = ggl_star_predict,
                                                    .setup = dae__bordered_setup,
                                                    .increment = dae__ggl_increment};

dae_status dae__ggl_star_create(dae__arena *arena, const dae_problem *problem,
                                const dae_start *start, const dae_bdf_options *opts, double *y,
                                double *dy, dae__corrector *out, dae_error *err)
{
  return estimated_create(arena, problem, start, opts, &ggl_star_table, y, dy, out, err);
}
