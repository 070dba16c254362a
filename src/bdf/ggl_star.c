/* The GGL* corrector [YP96 section 2.3]: Newton on the bordered system as in ggl.c, with
 * multipliers that do not stand in the Newton test, and, with the option `reset`, are not
 * extrapolated but set anew at every prediction from the residual there (multipliers.h). With
 * `reset off` it is the first of the paper's two senses, with `reset on` the second one. */
#include "bdf/bordered.h"
#include "bdf/multipliers.h"
#include "core/error.h"
#include "core/vec.h"

typedef struct star {
  dae__bordered b;
  dae__multipliers e;
  bool reset;
} star;

static dae_status predict(void *self, double t, double *Y, double *dY, dae_error *err)
{
  star *s = self;
  dae__bordered *b = &s->b;
  if (!s->reset)
    return DAE_OK;
  dae_status status = dae__bordered_evaluate(b, t, Y, b->scratch, err);
  if (!status)
    status = dae__multipliers_choose(&s->e, b->G, b->K, err);
  if (!status)
    status = dae__multipliers_factor(&s->e, b->G, b->K, err);
  if (status)
    return status;
  dae__bordered_rates(b, Y, dY, b->scratch);
  dae__multipliers_estimate(&s->e, b->scratch, b->scratch + b->m->at.v, Y + b->m->at.lambda,
                            Y + b->mu);
  return DAE_OK;
}

static dae_status reload(void *self)
{
  star *s = self;
  dae_status status = dae__bordered_reload(&s->b);
  return status ? status : dae__multipliers_reload(&s->e);
}

static void add_stats(const void *self, dae_stats *stats)
{
  const star *s = self;
  dae__bordered_stats(&s->b, stats);
  stats->factorisations += s->e.memory->factorisations;
}

static void free_star(void *self)
{
  star *s = self;
  dae__multipliers_free(&s->e);
  dae__bordered_free(&s->b);
}

static const dae__corrector_table table = {
    .start = dae__bordered_start,
    .predict = predict,
    .setup = dae__bordered_setup,
    .increment = dae__ggl_increment,
    .project = dae__bordered_project,
    .output = dae__bordered_output,
    .consistent = dae__bordered_consistent,
    .stats = add_stats,
    .reload = reload,
    .free = free_star,
};

dae_status dae__ggl_star_create(dae__arena *arena, const dae_problem *problem,
                                const dae_start *start, const dae_bdf_options *opts, double *y,
                                double *dy, dae__corrector *out, dae_error *err)
{
  star *s = DAE__TAKE(arena, star, 1);
  if (!s)
    return dae__out_of_memory(err);
  dae_status status = dae__bordered_create(arena, problem, start, opts, y, dy, &s->b, err);
  if (status)
    return status;
  s->reset = opts->reset;
  status = dae__multipliers_create(arena, s->b.m, opts, &s->e, err);
  if (!status)
    status = dae__bordered_corrector(&s->b, &table, opts, DAE__TEST_NONE, arena, out, err);
  if (status)
    free_star(s);
  return status;
}
