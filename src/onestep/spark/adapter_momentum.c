/* A problem in the momentum form as SPARK sees it, which is as it stands. Matrices (2) and (3) are
 * put together from its derivatives. */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/spark/adapter_table.h"
#include "onestep/spark/decoupled.h"
#include "problem/momentum/momentum_motion.h"

enum { P_Z, R_LAMBDA, F_PSI, GDOT_Z, K_Z, TERMS };
static const dae__momentum_part parts[TERMS] = {DAE__P_Z, DAE__R_LAMBDA, DAE__F_PSI, DAE__GDOT_Z,
                                                DAE__K_Z};

/* one of the two matrices */
typedef struct matrix {
  dae_pattern pattern;
  dae__block block[TERMS];
  int terms; /* those of psi and k come last, and only matrix (2) has them */
  double *values;
  dae__solver *solver;
} matrix;

typedef struct body {
  dae__momentum *m;
  dae__momentum_motion *motion, *shown;
  dae__face face;
  double *values[TERMS];
  matrix second, third; /* third has no solver where there is no k */
  dae__decoupled richer;
} body;

/* ---- evaluations ---- */

static dae_status spark_momentum_v(void *self, const dae__face_at *at, double *v, dae_error *err)
{
  return dae__momentum_v(((body *)self)->m, at, v, err);
}

static dae_status spark_momentum_p(void *self, const dae__face_at *at, double *p, dae_error *err)
{
  return dae__momentum_p(((body *)self)->m, at, p, err);
}

static dae_status spark_momentum_f(void *self, const dae__face_at *at, const double *psi, double *f,
                                   dae_error *err)
{
  return dae__momentum_f(((body *)self)->m, at, psi, f, err);
}

static dae_status spark_momentum_rg(void *self, const dae__face_at *at, const double *lambda,
                                    double *r, double *g, dae_error *err)
{
  dae__momentum *m = ((body *)self)->m;
  dae_status status = dae__momentum_r(m, at, lambda, r, err);
  return !status && g && m->ng > 0 ? dae__momentum_g(m, at, g, err) : status;
}

static dae_status spark_momentum_gdot(void *self, const dae__face_at *at, double *gdot,
                                      dae_error *err)
{
  return dae__momentum_gdot(((body *)self)->m, at, gdot, err);
}

static dae_status spark_momentum_k(void *self, const dae__face_at *at, double *k, dae_error *err)
{
  return dae__momentum_k(((body *)self)->m, at, k, err);
}

static dae_status spark_momentum_linearise(void *self, const dae__face_at *at,
                                           const double *multiplier, const dae__face_parts *wanted,
                                           dae_error *err)
{
  dae__momentum *m = ((body *)self)->m;
  dae_status status = DAE_OK;
  for (int i = 0; i < DAE__MOMENTUM_PARTS && !status; i++)
    if (wanted->of[i] && dae__pattern_count(&m->pattern[i]) > 0)
      status = dae__momentum_jacobian(m, (dae__momentum_part)i, at, multiplier, wanted->of[i], err);
  return status;
}

static const dae__face_table evaluations = {.v = spark_momentum_v,
                                            .p = spark_momentum_p,
                                            .f = spark_momentum_f,
                                            .rg = spark_momentum_rg,
                                            .gdot = spark_momentum_gdot,
                                            .k = spark_momentum_k,
                                            .linearise = spark_momentum_linearise};

/* ---- matrices (2) and (3) ---- */

static dae_status spark_momentum_factor_one(const body *o, matrix *A, const char *name,
                                            dae_error *err)
{
  static const double sign[TERMS] = {1, -1, -1, 1, 1};
  const int order[TERMS] = {P_Z, R_LAMBDA, GDOT_Z, F_PSI, K_Z};
  dae__zero(dae__pattern_count(&A->pattern), A->values);
  for (int i = 0; i < A->terms; i++)
    dae__block_add(&A->block[i], sign[order[i]], o->values[order[i]], A->values);
  dae_status status = dae__solver_factor(A->solver, A->values);
  if (status == DAE_ERROR_SINGULAR)
    return dae__face_singular(&o->face, name, dae__solver_column(A->solver), err);
  return status == DAE_ERROR_MEMORY ? dae__out_of_memory(err) : status;
}

static dae_status spark_momentum_factor(void *self, const dae__face_at *at,
                                        const dae__face_multipliers *with, dae_error *err)
{
  body *o = self;
  dae_status status = DAE_OK;
  for (int i = 0; i < TERMS && !status; i++)
    if (dae__pattern_count(&o->m->pattern[parts[i]]) > 0)
      status = dae__momentum_jacobian(o->m, parts[i], at, i == R_LAMBDA ? with->lambda : with->psi,
                                      o->values[i], err);
  if (!status)
    status = spark_momentum_factor_one(o, &o->second, "matrix (2) of the stages", err);
  if (!status && o->third.solver)
    status = spark_momentum_factor_one(o, &o->third, "matrix (3) of the stages", err);
  return status;
}

static void spark_momentum_solve2(void *self, double *x)
{
  dae__solver_solve(((body *)self)->second.solver, x);
}

static void spark_momentum_solve3(void *self, double *x)
{
  body *o = self;
  dae__solver_solve(o->third.solver ? o->third.solver : o->second.solver, x);
}

static dae_status spark_momentum_reload_matrices(void *self)
{
  body *o = self;
  dae_status status = dae__solver_reload(o->second.solver);
  return !status && o->third.solver ? dae__solver_reload(o->third.solver) : status;
}

static const dae__face_matrices matrices = {.factor = spark_momentum_factor,
                                            .solve2 = spark_momentum_solve2,
                                            .solve3 = spark_momentum_solve3,
                                            .reload = spark_momentum_reload_matrices};

/* ---- the body ---- */

static dae_status spark_momentum_consistent(void *self, double t, const bool *fixed, double *state,
                                            double *rate, dae_error *err)
{
  return dae__momentum_consistent(((body *)self)->motion, t, fixed, state, rate, NULL, err);
}

static dae_status spark_momentum_project(void *self, bool shown, double t, double *state,
                                         dae_error *err)
{
  body *o = self;
  return dae__momentum_project(shown ? o->shown : o->motion, t, state, state + o->m->at.z, NULL,
                               err);
}

static dae_status spark_momentum_accelerate(void *self, bool shown, double t, double *state,
                                            double *rate, dae_error *err)
{
  body *o = self;
  return dae__momentum_accelerate(shown ? o->shown : o->motion, t, state, rate, err);
}

static void spark_momentum_count(const void *self, dae_stats *stats)
{
  const body *o = self;
  const dae__momentum_memory *own = dae__momentum_motion_memory(o->motion);
  stats->evaluations += *o->m->evaluations;
  stats->factorisations +=
      own->factorisations + dae__momentum_motion_memory(o->shown)->factorisations;
  stats->projections += own->projections;
}

static dae_status spark_momentum_reload(void *self)
{
  body *o = self;
  dae_status status = dae__momentum_motion_reload(o->motion);
  return status ? status : dae__momentum_motion_reload(o->shown);
}

static void spark_momentum_release(void *self)
{
  body *o = self;
  dae__momentum_motion_free(o->motion);
  dae__momentum_motion_free(o->shown);
  dae__solver_free(o->second.solver);
  dae__solver_free(o->third.solver);
  dae__decoupled_free(&o->richer);
}

static const dae__body_table spark_momentum_verbs = {.consistent = spark_momentum_consistent,
                                                     .project = spark_momentum_project,
                                                     .accelerate = spark_momentum_accelerate,
                                                     .count = spark_momentum_count,
                                                     .reload = spark_momentum_reload,
                                                     .free = spark_momentum_release};

/* ---- creation ---- */

static dae_status spark_momentum_make_face(body *o, dae__arena *arena, const dae_problem *problem,
                                           dae_error *err)
{
  const dae__momentum *m = o->m;
  int *at = DAE__ALLOC(arena, int, m->ny + m->nz);
  if (!at)
    return dae__out_of_memory(err);
  for (int i = 0; i < m->ny + m->nz; i++)
    at[i] = i;
  o->face = (dae__face){.table = &evaluations,
                        .self = o,
                        .ny = m->ny,
                        .nz = m->nz,
                        .ng = m->ng,
                        .nk = m->nk,
                        .pattern = m->pattern,
                        .problem = *problem,
                        .y_at = at,
                        .z_at = at + m->at.z,
                        .lambda = m->at.lambda,
                        .psi = m->at.psi};
  return DAE_OK;
}

static dae_status spark_momentum_make_matrix(const body *o, dae__arena *arena, bool with_k,
                                             matrix *A, dae_error *err)
{
  const dae__momentum *m = o->m;
  int nz = m->nz, n = nz + m->ng + (with_k ? m->nk : 0), psi = nz + m->ng;
  A->terms = with_k ? TERMS : 3;
  A->block[0] = (dae__block){.pattern = &m->pattern[DAE__P_Z]};
  A->block[1] = (dae__block){.col = nz, .pattern = &m->pattern[DAE__R_LAMBDA]};
  A->block[2] = (dae__block){.row = nz, .pattern = &m->pattern[DAE__GDOT_Z]};
  A->block[3] = (dae__block){.col = psi, .pattern = &m->pattern[DAE__F_PSI]};
  A->block[4] = (dae__block){.row = psi, .pattern = &m->pattern[DAE__K_Z]};
  A->pattern = dae__blocks_merge(arena, n, n, A->block, A->terms);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  A->values = DAE__ALLOC(arena, double, dae__pattern_count(&A->pattern));
  return dae__arena_failed(arena) ? dae__out_of_memory(err)
                                  : dae__solver_create(arena, &A->pattern, &A->solver, err);
}

static dae_status spark_momentum_make_matrices(body *o, dae__arena *arena, dae_error *err)
{
  for (int i = 0; i < TERMS; i++)
    o->values[i] = DAE__ALLOC(arena, double, dae__pattern_count(&o->m->pattern[parts[i]]));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae_status status = spark_momentum_make_matrix(o, arena, true, &o->second, err);
  if (!status && o->m->nk > 0)
    status = spark_momentum_make_matrix(o, arena, false, &o->third, err);
  o->face.matrices = &matrices;
  return status;
}

static dae_status spark_momentum_make(body *o, dae__arena *arena, const dae_problem *problem,
                                      const dae__body_needs *needs, dae_error *err)
{
  dae_status status = dae__momentum_create(arena, problem, &o->m, err);
  if (!status)
    status = dae__momentum_motion_create(arena, o->m, &o->motion, err);
  if (!status)
    status = dae__momentum_motion_create(arena, o->m, &o->shown, err);
  if (!status)
    status = spark_momentum_make_face(o, arena, problem, err);
  if (!status && needs->matrices)
    status = spark_momentum_make_matrices(o, arena, err);
  if (!status && needs->blocks > 0) {
    status = dae__decoupled_create(arena, &o->face, 0, needs->blocks, &o->richer, err);
    o->face.richer = &o->richer;
  }
  return status;
}

dae_status dae__body_momentum(dae__arena *arena, const dae_problem *problem,
                              const dae__body_needs *needs, dae__body *out, dae_error *err)
{
  body *o = DAE__ALLOC(arena, body, 1);
  if (!o)
    return dae__out_of_memory(err);
  dae_status status = spark_momentum_make(o, arena, problem, needs, err);
  if (status) {
    spark_momentum_release(o);
    return status;
  }
  *out = (dae__body){
      .table = &spark_momentum_verbs, .self = o, .face = o->face, .size = o->m->at.size};
  return DAE_OK;
}
