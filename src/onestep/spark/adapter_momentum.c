/* Adapter of a problem in the momentum form, which is the form of SPARK itself. Matrices (2) and
 * (3) are assembled from its derivatives. */
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "onestep/spark/decoupled.h"
#include "problem/momentum/momentum_motion.h"

/* Blocks of matrices (2) and (3); the blocks of psi and k come last, because matrix (3) does not
 * contain them. */
enum { P_Z, R_LAMBDA, GDOT_Z, F_PSI, K_Z, BLOCKS, BLOCKS_WITHOUT_PSI = F_PSI };
static const dae__momentum_part block_part[BLOCKS] = {DAE__P_Z, DAE__R_LAMBDA, DAE__GDOT_Z,
                                                      DAE__F_PSI, DAE__K_Z};

typedef struct matrix {
  const char *name;
  dae_pattern pattern;
  dae__block block[BLOCKS];
  int blocks;
  double *values;
  dae__solver *solver;
} matrix;

typedef struct momentum {
  dae__momentum *m;
  /* projection and accelerations: of the steps, of dense output */
  dae__momentum_motion *motion, *output;
  double *values[BLOCKS];
  /* matrices (2) and (3); without k they are equal, and `third` has no solver */
  matrix second, third;
  dae__decoupled decoupled;
  dae__spark_adapter adapter;
} momentum;

/* ---- evaluations ---- */

static dae_status spark_momentum_eval(void *self, const dae_momentum_at *at,
                                      const double *multiplier, const dae__spark_wanted *w,
                                      dae_error *err)
{
  dae__momentum *m = ((momentum *)self)->m;
  if (w->v)
    DAE__TRY(dae__momentum_v(m, at, w->v, err));
  if (w->p)
    DAE__TRY(dae__momentum_p(m, at, w->p, err));
  if (w->f)
    DAE__TRY(dae__momentum_f(m, at, multiplier, w->f, err));
  if (w->r)
    DAE__TRY(dae__momentum_r(m, at, multiplier, w->r, err));
  if (w->r && m->ng > 0)
    DAE__TRY(dae__momentum_g(m, at, w->g, err));
  if (w->k)
    DAE__TRY(dae__momentum_k(m, at, w->k, err));
  return w->gdot ? dae__momentum_gdot(m, at, w->gdot, err) : DAE_OK;
}

static dae_status spark_momentum_linearise(void *self, const dae_momentum_at *at,
                                           const double *multiplier,
                                           const dae__spark_derivatives *wanted, dae_error *err)
{
  dae__momentum *m = ((momentum *)self)->m;
  for (int i = 0; i < DAE__MOMENTUM_PARTS; i++)
    if (wanted->of[i] && dae__pattern_count(&m->pattern[i]) > 0)
      DAE__TRY(
          dae__momentum_jacobian(m, (dae__momentum_part)i, at, multiplier, wanted->of[i], err));
  return DAE_OK;
}

/* ---- matrices (2) and (3) ---- */

static dae_status spark_momentum_factor_matrix(const momentum *o, matrix *A, dae_error *err)
{
  static const double sign[BLOCKS] = {1, -1, 1, -1, 1};
  dae__zero(dae__pattern_count(&A->pattern), A->values);
  for (int i = 0; i < A->blocks; i++)
    dae__block_add(&A->block[i], sign[i], o->values[i], A->values);
  dae_status status = dae__solver_factor(A->solver, A->values);
  if (status == DAE_ERROR_SINGULAR)
    return dae__spark_adapter_singular(&o->adapter, A->name, dae__solver_column(A->solver), err);
  return status == DAE_ERROR_MEMORY ? dae__out_of_memory(err) : status;
}

static dae_status spark_momentum_factor(void *self, const dae_momentum_at *at, const double *lambda,
                                        const double *psi, dae_error *err)
{
  momentum *o = self;
  for (int i = 0; i < BLOCKS; i++)
    if (dae__pattern_count(&o->m->pattern[block_part[i]]) > 0)
      DAE__TRY(dae__momentum_jacobian(o->m, block_part[i], at, i == R_LAMBDA ? lambda : psi,
                                      o->values[i], err));
  DAE__TRY(spark_momentum_factor_matrix(o, &o->second, err));
  return o->third.solver ? spark_momentum_factor_matrix(o, &o->third, err) : DAE_OK;
}

static void spark_momentum_solve(void *self, bool with_psi, double *x)
{
  momentum *o = self;
  dae__solver_solve(!with_psi && o->third.solver ? o->third.solver : o->second.solver, x);
}

static const dae__spark_evaluations spark_momentum_evaluations = {.eval = spark_momentum_eval,
                                                                  .linearise =
                                                                      spark_momentum_linearise,
                                                                  .factor = spark_momentum_factor,
                                                                  .solve = spark_momentum_solve};

/* ---- operations on the state vector ---- */

static dae_status spark_momentum_consistent(void *self, double t, const bool *fixed, double *state,
                                            double *rate, dae_error *err)
{
  return dae__momentum_consistent(((momentum *)self)->motion, t, fixed, state, rate, NULL, err);
}

static dae_status spark_momentum_project(void *self, bool for_output, double t, double *state,
                                         dae_error *err)
{
  momentum *o = self;
  return dae__momentum_project(for_output ? o->output : o->motion, t, state, state + o->m->at.z,
                               NULL, err);
}

static dae_status spark_momentum_accelerate(void *self, bool for_output, double t, double *state,
                                            double *rate, dae_error *err)
{
  momentum *o = self;
  return dae__momentum_accelerate(for_output ? o->output : o->motion, t, state, rate, err);
}

static void spark_momentum_count(const void *self, dae_stats *stats)
{
  const momentum *o = self;
  const dae__momentum_memory *steps = dae__momentum_motion_memory(o->motion);
  stats->evaluations += *o->m->evaluations;
  stats->factorisations +=
      steps->factorisations + dae__momentum_motion_memory(o->output)->factorisations;
  stats->projections += steps->projections;
}

static dae_status spark_momentum_reload(void *self, bool matrices)
{
  momentum *o = self;
  DAE__TRY(dae__momentum_motion_reload(o->motion));
  DAE__TRY(dae__momentum_motion_reload(o->output));
  if (matrices)
    DAE__TRY(dae__solver_reload(o->second.solver));
  return matrices && o->third.solver ? dae__solver_reload(o->third.solver) : DAE_OK;
}

static void spark_momentum_release(void *self)
{
  momentum *o = self;
  dae__momentum_motion_free(o->motion);
  dae__momentum_motion_free(o->output);
  dae__solver_free(o->second.solver);
  dae__solver_free(o->third.solver);
  dae__decoupled_free(&o->decoupled);
}

static const dae__spark_states spark_momentum_states = {.consistent = spark_momentum_consistent,
                                                        .project = spark_momentum_project,
                                                        .accelerate = spark_momentum_accelerate,
                                                        .count = spark_momentum_count,
                                                        .reload = spark_momentum_reload,
                                                        .free = spark_momentum_release};

/* ---- creation ---- */

static dae_status spark_momentum_create_matrix(const momentum *o, dae__arena *arena, bool with_psi,
                                               matrix *A, dae_error *err)
{
  const dae_pattern *pattern = o->m->pattern;
  int nz = o->m->nz, ng = o->m->ng, n = nz + ng + (with_psi ? o->m->nk : 0), psi = nz + ng;
  *A = (matrix){.name =
                    with_psi ? "matrix (2) of the stage system" : "matrix (3) of the stage system",
                .blocks = with_psi ? BLOCKS : BLOCKS_WITHOUT_PSI,
                .block = {[P_Z] = {.pattern = &pattern[DAE__P_Z]},
                          [R_LAMBDA] = {.col = nz, .pattern = &pattern[DAE__R_LAMBDA]},
                          [GDOT_Z] = {.row = nz, .pattern = &pattern[DAE__GDOT_Z]},
                          [F_PSI] = {.col = psi, .pattern = &pattern[DAE__F_PSI]},
                          [K_Z] = {.row = psi, .pattern = &pattern[DAE__K_Z]}}};
  A->pattern = dae__blocks_merge(arena, n, n, A->block, A->blocks);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  A->values = DAE__ALLOC(arena, double, dae__pattern_count(&A->pattern));
  return dae__arena_failed(arena) ? dae__out_of_memory(err)
                                  : dae__solver_create(arena, &A->pattern, &A->solver, err);
}

static dae_status spark_momentum_prepare(momentum *o, dae__arena *arena, const dae_problem *problem,
                                         bool matrices, int blocks, dae_error *err)
{
  DAE__TRY(dae__momentum_create(arena, problem, &o->m, err));
  DAE__TRY(dae__momentum_motion_create(arena, o->m, &o->motion, err));
  DAE__TRY(dae__momentum_motion_create(arena, o->m, &o->output, err));
  const dae__momentum *m = o->m;
  int *at = DAE__ALLOC(arena, int, m->ny + m->nz);
  if (!at)
    return dae__out_of_memory(err);
  for (int i = 0; i < m->ny + m->nz; i++)
    at[i] = i;
  DAE__ASSERT(m->at.z == m->ny);
  o->adapter = (dae__spark_adapter){.table = &spark_momentum_evaluations,
                                    .states = &spark_momentum_states,
                                    .self = o,
                                    .ny = m->ny,
                                    .nz = m->nz,
                                    .ng = m->ng,
                                    .nk = m->nk,
                                    .size = m->at.size,
                                    .pattern = m->pattern,
                                    .problem = *problem,
                                    .y_at = at,
                                    .z_at = at + m->at.z,
                                    .lambda = m->at.lambda,
                                    .psi = m->at.psi};
  if (matrices) {
    for (int i = 0; i < BLOCKS; i++)
      o->values[i] = DAE__ALLOC(arena, double, dae__pattern_count(&m->pattern[block_part[i]]));
    if (dae__arena_failed(arena))
      return dae__out_of_memory(err);
    DAE__TRY(spark_momentum_create_matrix(o, arena, true, &o->second, err));
    if (m->nk > 0)
      DAE__TRY(spark_momentum_create_matrix(o, arena, false, &o->third, err));
    o->adapter.matrices = true;
  }
  if (blocks > 0) {
    DAE__TRY(dae__decoupled_create(arena, &o->adapter, 0, blocks, &o->decoupled, err));
    o->adapter.decoupled = &o->decoupled;
  }
  return DAE_OK;
}

dae_status dae__spark_adapter_momentum(dae__arena *arena, const dae_problem *problem, bool matrices,
                                       int blocks, dae__spark_adapter *out, dae_error *err)
{
  momentum *o = DAE__ALLOC(arena, momentum, 1);
  if (!o)
    return dae__out_of_memory(err);
  dae_status status = spark_momentum_prepare(o, arena, problem, matrices, blocks, err);
  if (status)
    spark_momentum_release(o);
  else
    *out = o->adapter;
  return status;
}
