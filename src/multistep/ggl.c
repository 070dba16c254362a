/* The GGL corrector: Newton's method on the bordered system (bordered.h) with the multipliers among
 * the unknowns [GGL85]. */
#include "core/error.h"
#include "core/vec.h"
#include "multistep/bordered.h"

dae_status dae__ggl_increment(void *self, double t, const double *Y, const double *dY, double cj,
                              double factor, double *delta, dae_error *err)
{
  dae__bordered *s = self;
  (void)cj;
  DAE__TRY(dae__bordered_evaluate(s, t, Y, delta, err));
  dae__bordered_add_inertia(s, Y, dY, delta);
  dae__bordered_add_forces(s, s->G, s->K, Y + s->m->at.lambda, Y + s->mu, delta);
  dae__bordered_solve(s, Y, dY, factor, delta); /* Newton increment delta = -J\R */
  return DAE_OK;
}

#define VERBS                                                                                      \
  .start = dae__bordered_start, .setup = dae__bordered_setup, .increment = dae__ggl_increment,     \
  .project = dae__bordered_project, .output = dae__bordered_output,                                \
  .consistent = dae__bordered_consistent, .rank = dae__bordered_rank,                              \
  .stats = dae__bordered_stats, .free = dae__bordered_free
static const dae__corrector_table ggl_table = {VERBS};
/* the smooth motion: stiff components do not limit the step */
static const dae__corrector_table ggl_smooth_table = {VERBS, .filter = dae__bordered_filter};
#undef VERBS

/* Creates the GGL corrector. Multipliers enter linearly and follow from q and v: only with the
 * rules of DASSL are they in the Newton test, at the price of a new matrix in every second step of
 * the chain of 1000 links. */
dae_status dae__ggl_create(dae__arena *arena, const dae_problem *problem, const dae_start *start,
                           const dae_bdf_options *opts, double *y, double *dy, dae__corrector *out,
                           dae_error *err)
{
  dae__bordered *s = DAE__ALLOC(arena, dae__bordered, 1);
  bool strict = opts->rules == DAE_BDF_RULES_ACCURATE;
  DAE__TRY(dae__arena_status(arena, err));
  DAE__TRY(dae__bordered_create(arena, problem, start, opts, y, dy, s, err));
  dae_status status =
      dae__bordered_corrector(s, opts->damp ? &ggl_smooth_table : &ggl_table, opts,
                              strict ? DAE__TEST_NONE : DAE__TEST_MULTIPLIER, arena, out, err);
  if (status)
    dae__bordered_free(s);
  return status;
}
