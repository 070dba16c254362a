#include "multistep/estimated.h"
#include "core/error.h"
#include "core/vec.h"

dae_status dae__estimated_create(dae__arena *arena, const dae_problem *problem,
                                 const dae_start *start, const dae_bdf_options *opts,
                                 const dae__corrector_table *table, double *y, double *dy,
                                 dae__estimated *s, dae__corrector *out, dae_error *err)
{
  DAE__TRY(dae__bordered_create(arena, problem, start, opts, y, dy, &s->b, err));
  s->Y = DAE__ALLOC(arena, double, s->b.n);
  dae_status status = dae__multipliers_create(arena, s->b.m, opts, &s->e, err);
  if (!status && dae__arena_failed(arena))
    status = dae__out_of_memory(err);
  if (!status)
    status = dae__bordered_corrector(&s->b, table, opts, DAE__TEST_NONE, arena, out, err);
  if (status)
    dae__estimated_free(s);
  return status;
}

dae_status dae__estimated_renew(dae__estimated *s, dae_error *err)
{
  dae__bordered *b = &s->b;
  dae_status status = dae__multipliers_choose(&s->e, b->G, b->K, err);
  if (!status && s->e.choose)
    dae__bordered_test_independent(b, b->m->nc, s->e.pivot);
  return status ? status : dae__multipliers_factor(&s->e, b->G, b->K, err);
}

void dae__estimated_solve(dae__estimated *s, const double *Y, const double *dY, double factor,
                          double *delta)
{
  dae__bordered *b = &s->b;
  dae__bordered_finish(b, s->Y, dY, factor, delta);
  dae__scale(b->n, -1, delta);
  dae__solver_solve(b->solver, delta);
  /* tau is dropped: the multipliers become their estimates */
  for (int i = b->m->at.lambda; i < b->n; i++)
    delta[i] = s->Y[i] - Y[i];
}

dae_status dae__estimated_reload(void *self)
{
  dae__estimated *s = self;
  dae_status status = dae__bordered_reload(&s->b);
  return status ? status : dae__multipliers_reload(&s->e);
}

void dae__estimated_stats(const void *self, dae_stats *stats)
{
  const dae__estimated *s = self;
  dae__bordered_stats(&s->b, stats);
  stats->factorisations += s->e.memory->factorisations;
}

void dae__estimated_free(void *self)
{
  dae__estimated *s = self;
  dae__multipliers_free(&s->e);
  dae__bordered_free(&s->b);
}
