/* A mechanical problem as SPARK sees it: y = (q, u), z = v,
 *
 *   v(t,y,z) = (v, s),   p = p(t,q,v),   f = F(t,q,v,u) - K' psi,   r = -G' lambda,
 *
 * so that matrices (2) and (3) are the saddle systems [M A'; A 0] with A = [G; K] and A = G. */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/spark/adapter_table.h"
#include "onestep/spark/decoupled.h"
#include "onestep/spark/mechanical_blocks.h"
#include "problem/consistent.h"

typedef struct mechanical {
  dae__mech *m;
  dae__saddle *of_A, *of_G; /* of_G is NULL where there is no k: then it is of_A */
  double *state;            /* a state vector to evaluate at */
  double *M, *G, *K;
  double *diagonal; /* ones for rows that were taken out */
  dae__motion *motion, *shown;
  dae__face face;
  dae__mechanical_parts parts;
  dae__decoupled richer;
} mechanical;

/* ---- evaluations ---- */

/* the point as the problem's callbacks know it */
static dae_mechanical_at spark_mechanical_point(const mechanical *o, const dae__face_at *at)
{
  const dae__mech *m = o->m;
  dae__copy(m->nq, at->y, o->state);
  if (at->z)
    dae__copy(m->nq, at->z, o->state + m->at.v);
  dae__copy(m->nu, at->y + m->nq, o->state + m->at.u);
  return dae__mech_at(m, at->t, o->state);
}

static dae_status spark_mechanical_v(void *self, const dae__face_at *at, double *v, dae_error *err)
{
  mechanical *o = self;
  dae__mech *m = o->m;
  dae__copy(m->nq, at->z, v);
  if (m->nu == 0)
    return DAE_OK;
  dae_mechanical_at where = spark_mechanical_point(o, at);
  return dae__mech_eval(m, &where, &(dae_mechanical_wanted){.s = v + m->nq}, err);
}

static dae_status spark_mechanical_p(void *self, const dae__face_at *at, double *p, dae_error *err)
{
  mechanical *o = self;
  dae_mechanical_at where = spark_mechanical_point(o, at);
  return dae__mech_p(o->m, &where, p, err);
}

static dae_status spark_mechanical_f(void *self, const dae__face_at *at, const double *psi,
                                     double *f, dae_error *err)
{
  mechanical *o = self;
  dae__mech *m = o->m;
  dae_mechanical_at where = spark_mechanical_point(o, at);
  dae_status status = dae__mech_F(m, &where, f, err);
  if (status || m->nk == 0)
    return status;
  status = dae__mech_K(m, &where, o->K, err);
  if (!status)
    dae__matrix_transposed_times(&m->K, o->K, -1, psi, f);
  return status;
}

static dae_status spark_mechanical_rg(void *self, const dae__face_at *at, const double *lambda,
                                      double *r, double *g, dae_error *err)
{
  mechanical *o = self;
  dae__mech *m = o->m;
  dae_mechanical_at where = spark_mechanical_point(o, at);
  dae_status status = dae__mech_eval(m, &where, &(dae_mechanical_wanted){.g = g, .G = o->G}, err);
  dae__zero(m->nq, r);
  if (!status)
    dae__matrix_transposed_times(&m->G, o->G, -1, lambda, r);
  return status;
}

static dae_status spark_mechanical_gdot(void *self, const dae__face_at *at, double *gdot,
                                        dae_error *err)
{
  mechanical *o = self;
  dae_mechanical_at where = spark_mechanical_point(o, at);
  return dae__mech_eval(o->m, &where, &(dae_mechanical_wanted){.G = o->G, .gdot = gdot}, err);
}

static dae_status spark_mechanical_k(void *self, const dae__face_at *at, double *k, dae_error *err)
{
  mechanical *o = self;
  dae_mechanical_at where = spark_mechanical_point(o, at);
  return dae__mech_k(o->m, &where, k, err);
}

static dae_status spark_mechanical_linearise(void *self, const dae__face_at *at,
                                             const double *multiplier,
                                             const dae__face_parts *wanted, dae_error *err)
{
  mechanical *o = self;
  dae_mechanical_at where = spark_mechanical_point(o, at);
  return dae__mechanical_parts_eval(&o->parts, &where, multiplier, wanted, err);
}

static const dae__face_table evaluations = {.v = spark_mechanical_v,
                                            .p = spark_mechanical_p,
                                            .f = spark_mechanical_f,
                                            .rg = spark_mechanical_rg,
                                            .gdot = spark_mechanical_gdot,
                                            .k = spark_mechanical_k,
                                            .linearise = spark_mechanical_linearise};

/* ---- matrices (2) and (3) ---- */

static dae_status spark_mechanical_singular(const mechanical *o, const dae__saddle *saddle,
                                            dae_error *err)
{
  return dae__face_singular(&o->face, "matrix (2) of the stages", dae__saddle_column(saddle), err);
}

static dae_status spark_mechanical_factor(void *self, const dae__face_at *at,
                                          const dae__face_multipliers *with, dae_error *err)
{
  (void)with; /* both matrices do not depend on multipliers */
  mechanical *o = self;
  dae__mech *m = o->m;
  dae_mechanical_at where = spark_mechanical_point(o, at);
  dae_mechanical_wanted want = {.M = o->M, .G = o->G, .K = o->K};
  DAE__TRY(dae__mech_eval(m, &where, &want, err));
  for (int i = 0; i < m->nc; i++)
    o->diagonal[m->nq + i] = m->active[i] ? 0 : 1;
  dae_status status = dae__saddle_factor(o->of_A, o->M, o->G, o->K, o->diagonal);
  if (status == DAE_ERROR_SINGULAR)
    return spark_mechanical_singular(o, o->of_A, err);
  if (!status && o->of_G)
    status = dae__saddle_factor(o->of_G, o->M, o->G, NULL, o->diagonal);
  if (status == DAE_ERROR_SINGULAR)
    return spark_mechanical_singular(o, o->of_G, err);
  return status == DAE_ERROR_MEMORY ? dae__out_of_memory(err) : status;
}

static void spark_mechanical_solve2(void *self, double *x)
{
  mechanical *o = self;
  dae__saddle_solve(o->of_A, x, x + o->m->nq);
}

static void spark_mechanical_solve3(void *self, double *x)
{
  mechanical *o = self;
  dae__saddle_solve(o->of_G ? o->of_G : o->of_A, x, x + o->m->nq);
}

static dae_status spark_mechanical_reload_matrices(void *self)
{
  mechanical *o = self;
  dae_status status = dae__saddle_reload(o->of_A);
  return !status && o->of_G ? dae__saddle_reload(o->of_G) : status;
}

static const dae__face_matrices matrices = {.factor = spark_mechanical_factor,
                                            .solve2 = spark_mechanical_solve2,
                                            .solve3 = spark_mechanical_solve3,
                                            .reload = spark_mechanical_reload_matrices};

/* ---- the body ---- */

static dae_status spark_mechanical_consistent(void *self, double t, const bool *fixed,
                                              double *state, double *rate, dae_error *err)
{
  mechanical *o = self;
  dae_status status = dae__mech_consistent(o->motion, t, fixed, state, rate, NULL, err);
  return status ? status : dae__motion_follow(o->shown, err);
}

static dae_status spark_mechanical_project(void *self, bool shown, double t, double *state,
                                           dae_error *err)
{
  mechanical *o = self;
  return dae__motion_project(shown ? o->shown : o->motion, t, state, state + o->m->at.v, NULL, err);
}

static dae_status spark_mechanical_accelerate(void *self, bool shown, double t, double *state,
                                              double *rate, dae_error *err)
{
  mechanical *o = self;
  return dae__motion_accelerate(shown ? o->shown : o->motion, t, state, rate, err);
}

static void spark_mechanical_count(const void *self, dae_stats *stats)
{
  const mechanical *o = self;
  stats->evaluations += o->m->count->evaluations;
  stats->factorisations += o->motion->memory->factorisations + o->shown->memory->factorisations;
  stats->projections += o->motion->memory->projections;
}

static dae_status spark_mechanical_reload(void *self)
{
  mechanical *o = self;
  dae_status status = dae__motion_reload(o->motion);
  return status ? status : dae__motion_reload(o->shown);
}

static void spark_mechanical_release(void *self)
{
  mechanical *o = self;
  dae__motion_free(o->motion);
  dae__motion_free(o->shown);
  dae__saddle_free(o->of_A);
  dae__saddle_free(o->of_G);
  dae__decoupled_free(&o->richer);
}

static const dae__body_table spark_mechanical_verbs = {.consistent = spark_mechanical_consistent,
                                                       .project = spark_mechanical_project,
                                                       .accelerate = spark_mechanical_accelerate,
                                                       .count = spark_mechanical_count,
                                                       .reload = spark_mechanical_reload,
                                                       .free = spark_mechanical_release};

/* ---- creation ---- */

static dae_status spark_mechanical_make_face(mechanical *o, dae__arena *arena,
                                             const dae_problem *problem, dae_error *err)
{
  const dae__mech *m = o->m;
  int ny = m->nq + m->nu;
  int *y_at = DAE__ALLOC(arena, int, ny), *z_at = DAE__ALLOC(arena, int, m->nq);
  DAE__TRY(dae__mechanical_parts_create(arena, o->m, &o->parts, err));
  for (int i = 0; i < ny; i++)
    y_at[i] = i < m->nq ? i : m->at.u + i - m->nq;
  for (int i = 0; i < m->nq; i++)
    z_at[i] = m->at.v + i;
  o->face = (dae__face){.table = &evaluations,
                        .self = o,
                        .ny = ny,
                        .nz = m->nq,
                        .ng = m->ng,
                        .nk = m->nk,
                        .pattern = o->parts.pattern,
                        .active = m->active,
                        .problem = *problem,
                        .y_at = y_at,
                        .z_at = z_at,
                        .lambda = m->at.lambda,
                        .psi = m->at.psi};
  return DAE_OK;
}

static dae_status spark_mechanical_make_matrices(mechanical *o, dae__arena *arena, dae_error *err)
{
  dae__mech *m = o->m;
  dae_pattern *none = DAE__ALLOC(arena, dae_pattern, 1);
  o->diagonal = DAE__ALLOC(arena, double, m->nq + m->nc);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *none = dae__pattern_empty(arena, 0, m->nq);
  dae_status status = dae__saddle_create(arena, &m->M, &m->G, &m->K, &o->of_A, err);
  if (!status && m->nk > 0)
    status = dae__saddle_create(arena, &m->M, &m->G, none, &o->of_G, err);
  o->face.matrices = &matrices;
  return status;
}

static dae_status spark_mechanical_make(mechanical *o, dae__arena *arena,
                                        const dae_problem *problem, const dae__body_needs *needs,
                                        dae_error *err)
{
  DAE__TRY(dae__mech_create(arena, problem, &o->m, err));
  DAE__TRY(dae__motion_create(arena, o->m, &o->motion, err));
  DAE__TRY(dae__motion_create_another(arena, o->motion, &o->shown, err));
  o->state = DAE__ALLOC(arena, double, o->m->at.size);
  o->M = DAE__ALLOC(arena, double, dae__pattern_count(&o->m->M));
  o->G = DAE__ALLOC(arena, double, dae__pattern_count(&o->m->G));
  o->K = DAE__ALLOC(arena, double, dae__pattern_count(&o->m->K));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae_status status = spark_mechanical_make_face(o, arena, problem, err);
  if (!status && needs->matrices)
    status = spark_mechanical_make_matrices(o, arena, err);
  if (!status && needs->blocks > 0) {
    status = dae__decoupled_create(arena, &o->face, o->m->nq, needs->blocks, &o->richer, err);
    o->face.richer = &o->richer;
  }
  return status;
}

dae_status dae__body_mechanical(dae__arena *arena, const dae_problem *problem,
                                const dae__body_needs *needs, dae__body *out, dae_error *err)
{
  mechanical *o = DAE__ALLOC(arena, mechanical, 1);
  if (!o)
    return dae__out_of_memory(err);
  dae_status status = spark_mechanical_make(o, arena, problem, needs, err);
  if (status) {
    spark_mechanical_release(o);
    return status;
  }
  *out = (dae__body){
      .table = &spark_mechanical_verbs, .self = o, .face = o->face, .size = o->m->at.size};
  return DAE_OK;
}
