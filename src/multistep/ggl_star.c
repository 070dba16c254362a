/* The GGL* corrector [YP96 section 2.3]: Newton on the bordered system as in ggl.c, with
 * multipliers that do not stand in the Newton test, and, with the option `reset`, are not
 * extrapolated but set anew at every prediction from the residual there (multipliers.h). With
 * `reset off` it is the first of the paper's two senses, with `reset on` the second one. The error
 * test may look at the independent coordinates of a split, which is then chosen at every
 * prediction. */
#include "core/error.h"
#include "multistep/estimated.h"

typedef struct star {
  dae__estimated s;
  bool reset;
} star;

static dae_status ggl_star_predict(void *self, double t, double *Y, double *dY, dae_error *err)
{
  star *o = self;
  dae__bordered *b = &o->s.b;
  if (!o->reset && !o->s.e.choose)
    return DAE_OK;
  dae_status status = dae__bordered_evaluate(b, t, Y, b->scratch, err);
  if (!status)
    status = dae__estimated_renew(&o->s, err);
  if (status || !o->reset)
    return status;
  dae__bordered_rates(b, Y, dY, b->scratch);
  dae__multipliers_estimate(&o->s.e, b->scratch, b->scratch + b->m->at.v, Y + b->m->at.lambda,
                            Y + b->mu);
  return DAE_OK;
}

static const dae__corrector_table ggl_star_table = {
    .start = dae__bordered_start,
    .predict = ggl_star_predict,
    .setup = dae__bordered_setup,
    .increment = dae__ggl_increment,
    .project = dae__bordered_project,
    .output = dae__bordered_output,
    .consistent = dae__bordered_consistent,
    .stats = dae__estimated_stats,
    .reload = dae__estimated_reload,
    .free = dae__estimated_free,
};

dae_status dae__ggl_star_create(dae__arena *arena, const dae_problem *problem,
                                const dae_start *start, const dae_bdf_options *opts, double *y,
                                double *dy, dae__corrector *out, dae_error *err)
{
  star *o = DAE__ALLOC(arena, star, 1);
  if (!o)
    return dae__out_of_memory(err);
  o->reset = opts->reset;
  return dae__estimated_create(arena, problem, start, opts, &ggl_star_table, y, dy, &o->s, out,
                               err);
}
