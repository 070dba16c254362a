/* The CM corrector [YP96 section 3]: the coordinate-split iteration of cs.c with the directions of
 * the constraint forces frozen at a point q0, and without H in its matrix:
 *
 *   0 = P(q0) (q' - v),   0 = P(q0) (M v' - f),   0 = g_t + G v,   0 = k,   0 = g       [YP96
 * (3.2)]
 *
 * With the option `projector fresh` q0 is the prediction of every step. With `stale` it is the
 * point of the last Jacobian, as the paper has it: then G(q)' lambda is replaced by G(q0)' lambda
 * with a q0 that may be many steps old, a constraint force that does work. That is an inconsistent
 * discretisation, whose damping is what makes it fast [coordinate-split.md finding 4, erratum 12];
 * it is here to reproduce the paper's tables. */
#include "bdf/bordered.h"
#include "bdf/multipliers.h"
#include "core/error.h"
#include "core/vec.h"

typedef struct cm {
  dae__bordered b;
  dae__multipliers e;
  bool stale;
  double *G0, *K0; /* kept: the frozen directions */
  double *Y;       /* n: a point with the multipliers that belong to it */
} cm;

/* q0 = the point of Y */
static dae_status freeze(cm *s, double t, const double *Y, dae_error *err)
{
  dae__bordered *b = &s->b;
  dae_status status = dae__bordered_evaluate(b, t, Y, b->scratch, err);
  if (!status)
    status = dae__multipliers_choose(&s->e, b->G, b->K, err);
  if (!status && s->e.choose)
    dae__bordered_test_independent(b, b->m->nc, s->e.pivot);
  if (!status)
    status = dae__multipliers_factor(&s->e, b->G, b->K, err);
  if (status)
    return status;
  dae__copy(dae__pattern_count(&b->m->G), b->G, s->G0);
  dae__copy(dae__pattern_count(&b->m->K), b->K, s->K0);
  return DAE_OK;
}

static dae_status predict(void *self, double t, double *Y, double *dY, dae_error *err)
{
  cm *s = self;
  (void)dY;
  return s->stale ? DAE_OK : freeze(s, t, Y, err);
}

static dae_status setup(void *self, double t, const double *Y, const double *dY, double cj,
                        dae_error *err)
{
  cm *s = self;
  dae_status status = s->stale ? freeze(s, t, Y, err) : DAE_OK;
  return status ? status : dae__bordered_setup(&s->b, t, Y, dY, cj, err);
}

static dae_status increment(void *self, double t, const double *Y, const double *dY, double cj,
                            double factor, double *delta, dae_error *err)
{
  cm *s = self;
  dae__bordered *b = &s->b;
  const dae__mech *m = b->m;
  (void)cj;
  dae_status status = dae__bordered_evaluate(b, t, Y, delta, err);
  if (status)
    return status;
  dae__bordered_rates(b, Y, dY, delta);
  dae__multipliers_estimate(&s->e, delta, delta + m->at.v, s->Y + m->at.lambda, s->Y + b->mu);
  dae__bordered_add_forces(b, s->G0, s->K0, s->Y + m->at.lambda, s->Y + b->mu, delta);
  dae__bordered_finish(b, s->Y, dY, factor, delta);
  dae__scale(b->n, -1, delta);
  dae__solver_solve(b->solver, delta);
  for (int i = m->at.lambda; i < b->n; i++)
    delta[i] = s->Y[i] - Y[i];
  return DAE_OK;
}

static dae_status reload(void *self)
{
  cm *s = self;
  dae_status status = dae__bordered_reload(&s->b);
  return status ? status : dae__multipliers_reload(&s->e);
}

static void add_stats(const void *self, dae_stats *stats)
{
  const cm *s = self;
  dae__bordered_stats(&s->b, stats);
  stats->factorisations += s->e.memory->factorisations;
}

static void free_cm(void *self)
{
  cm *s = self;
  dae__multipliers_free(&s->e);
  dae__bordered_free(&s->b);
}

static const dae__corrector_table table = {
    .start = dae__bordered_start,
    .predict = predict,
    .setup = setup,
    .increment = increment,
    .filter = dae__bordered_filter,
    .project = dae__bordered_project,
    .output = dae__bordered_output,
    .consistent = dae__bordered_consistent,
    .stats = add_stats,
    .reload = reload,
    .free = free_cm,
};

dae_status dae__cm_create(dae__arena *arena, const dae_problem *problem, const dae_start *start,
                          const dae_bdf_options *opts, double *y, double *dy, dae__corrector *out,
                          dae_error *err)
{
  cm *s = DAE__TAKE(arena, cm, 1);
  if (!s)
    return dae__out_of_memory(err);
  dae_status status = dae__bordered_create(arena, problem, start, opts, y, dy, &s->b, err);
  if (status)
    return status;
  s->b.with_H = false;
  s->stale = opts->projector == DAE_BDF_PROJECTOR_STALE;
  s->Y = DAE__TAKE(arena, double, s->b.n);
  s->G0 = DAE__KEEP(arena, double, dae__pattern_count(&s->b.m->G));
  s->K0 = DAE__KEEP(arena, double, dae__pattern_count(&s->b.m->K));
  status = dae__multipliers_create(arena, s->b.m, opts, &s->e, err);
  if (!status && dae__arena_failed(arena))
    status = dae__out_of_memory(err);
  if (!status)
    status = dae__bordered_corrector(&s->b, &table, opts, DAE__TEST_NONE, arena, out, err);
  if (status)
    free_cm(s);
  return status;
}
