/* The coordinate-split corrector, in the form that is right [YP96], see
 * docs/methods/coordinate-split.md.
 *
 * With P a basis of the directions that the constraint forces leave alone, P G' = 0, the step
 * solves
 *
 *   0 = P(q) (q' - v),   0 = P(q) (M v' - f),   0 = g_t + G v,   0 = k,   0 = g      [YP96 (2.12)]
 *
 * in which no multipliers stand. Simplified Newton for it, with d(P r)/dq = P H(s) and s the
 * multipliers that belong to the residual r (multipliers.h), is exactly a solve with the bordered
 * matrix of bordered.h,
 *
 *   B (dq, dv, ...; tau) = -(r1 + G' s1, r2 + G' s2 + K' s3, ...; gdot, k, g)
 *
 * where s1 (for mu), s2, s3 (for lambda, psi) are estimated anew from the residual at every
 * iterate, and tau is dropped. So the multipliers are unknowns neither of Newton's test nor of the
 * error test, and only their estimate, not their history, enters.
 *
 * Deviations from the paper. Its Algorithms 2.1 and 3.1 commute P with the inverse of the matrix
 * and converge to the wrong point; nonholonomic rows are added,
 * annihilated together with G; the mass matrix may depend on q. The default estimate is by least
 * squares, which needs no split and stays bounded where a split degenerates. */
#include "core/error.h"
#include "core/vec.h"
#include "multistep/estimated.h"

/* residual without multipliers, and their estimates at a point that was evaluated, into R and s->Y
 */
static void cs_estimate(dae__estimated *s, const double *Y, const double *dY, double *R)
{
  const dae__bordered *b = &s->b;
  dae__bordered_rates(b, Y, dY, R);
  dae__multipliers_estimate(&s->e, R, R + b->m->at.v, s->Y + b->m->at.lambda, s->Y + b->mu);
}

static dae_status cs_setup(void *self, double t, const double *Y, const double *dY, double cj,
                           dae_error *err)
{
  dae__estimated *s = self;
  dae__bordered *b = &s->b;
  DAE__TRY(dae__bordered_evaluate(b, t, Y, b->scratch, err));
  DAE__TRY(dae__estimated_renew(s, err));
  dae__copy(b->m->at.lambda, Y, s->Y);
  cs_estimate(s, Y, dY, b->scratch);
  return dae__bordered_setup(b, t, s->Y, dY, cj, err);
}

static dae_status cs_increment(void *self, double t, const double *Y, const double *dY, double cj,
                               double factor, double *delta, dae_error *err)
{
  dae__estimated *s = self;
  dae__bordered *b = &s->b;
  (void)cj;
  DAE__TRY(dae__bordered_evaluate(b, t, Y, delta, err));
  DAE__TRY(dae__multipliers_factor(&s->e, b->G, b->K, err));
  cs_estimate(s, Y, dY, delta);
  dae__bordered_add_forces(b, b->G, b->K, s->Y + b->m->at.lambda, s->Y + b->mu, delta);
  dae__estimated_solve(s, Y, dY, factor, delta);
  return DAE_OK;
}

static const dae__corrector_table cs_table = {
    .start = dae__bordered_start,
    .setup = cs_setup,
    .increment = cs_increment,
    .filter = dae__bordered_filter,
    .project = dae__bordered_project,
    .output = dae__bordered_output,
    .consistent = dae__bordered_consistent,
    .stats = dae__estimated_stats,
    .reload = dae__estimated_reload,
    .free = dae__estimated_free,
};

dae_status dae__cs_create(dae__arena *arena, const dae_problem *problem, const dae_start *start,
                          const dae_bdf_options *opts, double *y, double *dy, dae__corrector *out,
                          dae_error *err)
{
  dae__estimated *s = DAE__ALLOC(arena, dae__estimated, 1);
  if (!s)
    return dae__out_of_memory(err);
  return dae__estimated_create(arena, problem, start, opts, &cs_table, y, dy, s, out, err);
}
