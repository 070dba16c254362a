/* Adapter of a mechanical problem: y = (q, u), z = v,
 *
 *   v(t,y,z) = (v, s),   p = p(t,q,v),   f = F(t,q,v,u) - K' psi,   r = -G' lambda,
 *
 * so that matrices (2) and (3) are the saddle systems [M A'; A 0] with A = [G; K] and A = G. The
 * derivatives, sorted as in the momentum form:
 *
 *   v_y = [0 0; s_q s_u]   v_z = [1; s_v]   p_z = M     r_y = -(G' lambda)_q   r_lambda = -G'
 *   f_y = [f_q f_u] - (K' psi)_q            f_z = f_v - (K' psi)_v             f_psi = -K'
 *   g_y = [G 0]            gdot_y = [gdot_q 0]          gdot_z = G
 *   k_y = [k_q 0]          k_z = K
 *
 * Deviation: p_y is neglected, and with it the difference between f, the force of M v' = f, and
 * F = f + p_t + p_q v, the force of d/dt p = F. Both neglected terms cancel in the stage system,
 * since p_y dY is the integral of its derivative along the step, up to terms like h (dM/dt) dZ,
 * which are small compared with M dZ and never stiff. */
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "onestep/spark/decoupled.h"
#include "problem/consistent.h"
#include "problem/mechanical/mech.h"

/* Submatrices of J = [f; s]_(q,v,u) and of (K' psi)_(q,v). */
enum { S_Q, S_V, S_U, F_Q, F_V, F_U, KTS_Q, KTS_V, SUBMATRICES };
enum { TERMS = 19 }; /* upper bound of the number of terms of all derivatives */

/* A term of a derivative: factor times a matrix, or a submatrix of it. */
typedef struct term {
  dae__momentum_part part;
  double factor;
  const dae__submatrix *sub; /* submatrix that the term contains; NULL: the whole matrix */
  const double *values;
  dae__block block;
} term;

/* Matrices of the mechanical problem, and the terms by which the derivatives of the momentum form
 * are assembled from them. */
typedef struct derivatives {
  double *M, *G, *K, *J, *Kts, *Gts, *gdot_q, *k_q, *one;
  dae_pattern unit;
  dae__submatrix sub[SUBMATRICES];
  term term[TERMS];
  int terms;
  dae_pattern pattern[DAE__MOMENTUM_PARTS];
} derivatives;

typedef struct mechanical {
  dae__mech *m;
  /* saddle systems with A = [G; K] and with G; of_G is NULL without k, since A is G then */
  dae__saddle *of_A, *of_G;
  double *state; /* state vector of the point of evaluation */
  double *M, *G, *K;
  double *diagonal;             /* unit diagonal entries in the rows of redundant constraints */
  dae__motion *motion, *output; /* projection and accelerations: of the steps, of dense output */
  derivatives derivatives;
  dae__decoupled decoupled;
  dae__spark_adapter adapter;
} mechanical;

/* ---- evaluations ---- */

/* converts a point (t, y, z) to the arguments of the mechanical callbacks */
static dae_mechanical_at spark_mechanical_point(const mechanical *o, const dae_momentum_at *at)
{
  const dae__mech *m = o->m;
  dae__copy(m->nq, at->y, o->state);
  if (at->z)
    dae__copy(m->nq, at->z, o->state + m->at.v);
  dae__copy(m->nu, at->y + m->nq, o->state + m->at.u);
  return dae__mech_at(m, at->t, o->state);
}

static dae_status spark_mechanical_eval(void *self, const dae_momentum_at *at,
                                        const double *multiplier, const dae__spark_wanted *w,
                                        dae_error *err)
{
  mechanical *o = self;
  dae__mech *m = o->m;
  dae_mechanical_at point = spark_mechanical_point(o, at);
  if (w->v)
    dae__copy(m->nq, at->z, w->v);
  if (w->v && m->nu > 0)
    DAE__TRY(dae__mech_eval(m, &point, &(dae_mechanical_wanted){.s = w->v + m->nq}, err));
  if (w->p)
    DAE__TRY(dae__mech_p(m, &point, w->p, err));
  if (w->f)
    DAE__TRY(dae__mech_F(m, &point, w->f, err));
  if (w->f && m->nk > 0) {
    DAE__TRY(dae__mech_K(m, &point, o->K, err));
    dae__matrix_transposed_times(&m->K, o->K, -1, multiplier, w->f);
  }
  if (w->r) {
    DAE__TRY(dae__mech_eval(m, &point, &(dae_mechanical_wanted){.g = w->g, .G = o->G}, err));
    dae__zero(m->nq, w->r);
    dae__matrix_transposed_times(&m->G, o->G, -1, multiplier, w->r);
  }
  if (w->k)
    DAE__TRY(dae__mech_k(m, &point, w->k, err));
  return w->gdot
             ? dae__mech_eval(m, &point, &(dae_mechanical_wanted){.G = o->G, .gdot = w->gdot}, err)
             : DAE_OK;
}

/* ---- derivatives ---- */

/* evaluates the mechanical matrices that the requested derivatives are assembled from */
static dae_status spark_mechanical_eval_matrices(mechanical *o, const dae_mechanical_at *at,
                                                 const double *multiplier, double *const *wanted,
                                                 dae_error *err)
{
  dae__mech *m = o->m;
  derivatives *d = &o->derivatives;
  bool f = wanted[DAE__F_Y] || wanted[DAE__F_Z], s = wanted[DAE__V_Y] || wanted[DAE__V_Z];
  bool G = wanted[DAE__R_LAMBDA] || wanted[DAE__G_Y] || wanted[DAE__GDOT_Z];
  bool K = wanted[DAE__F_PSI] || wanted[DAE__K_Z];
  dae_mechanical_wanted want = {
      .M = wanted[DAE__P_Z] ? d->M : NULL, .G = G ? d->G : NULL, .K = K ? d->K : NULL};
  DAE__TRY(dae__mech_eval(m, at, &want, err));
  if (f || (m->nu > 0 && s))
    DAE__TRY(dae__mech_J(m, at, d->J, err));
  if (f && m->nk > 0)
    DAE__TRY(dae__mech_Kts(m, at, multiplier, d->Kts, err));
  if (wanted[DAE__R_Y] && m->ng > 0)
    DAE__TRY(dae__mech_Gts(m, at, multiplier, d->Gts, err));
  if (wanted[DAE__GDOT_Y] && m->ng > 0)
    DAE__TRY(dae__mech_gdot_q(m, at, d->gdot_q, err));
  if (wanted[DAE__K_Y] && m->nk > 0)
    DAE__TRY(dae__mech_k_q(m, at, d->k_q, err));
  return DAE_OK;
}

static dae_status spark_mechanical_linearise(void *self, const dae_momentum_at *at,
                                             const double *multiplier,
                                             const dae__spark_derivatives *wanted, dae_error *err)
{
  mechanical *o = self;
  derivatives *d = &o->derivatives;
  dae_mechanical_at point = spark_mechanical_point(o, at);
  DAE__TRY(spark_mechanical_eval_matrices(o, &point, multiplier, wanted->of, err));
  for (int part = 0; part < DAE__MOMENTUM_PARTS; part++)
    if (wanted->of[part])
      dae__zero(dae__pattern_count(&d->pattern[part]), wanted->of[part]);
  for (int i = 0; i < d->terms; i++) {
    const term *e = &d->term[i];
    if (!wanted->of[e->part])
      continue;
    if (e->sub)
      dae__submatrix_gather(e->sub, e->values);
    dae__block_add(&e->block, e->factor, e->sub ? e->sub->values : e->values, wanted->of[e->part]);
  }
  return DAE_OK;
}

static void spark_mechanical_add_term(derivatives *d, dae__momentum_part part, double factor,
                                      dae__block block, const double *values)
{
  DAE__ASSERT(d->terms < TERMS);
  d->term[d->terms++] = (term){.part = part, .factor = factor, .values = values, .block = block};
}

static void spark_mechanical_add_submatrix(derivatives *d, dae__momentum_part part, double factor,
                                           int row, int col, int which)
{
  const dae__submatrix *sub = &d->sub[which];
  dae__block block = {row, col, &sub->pattern, false, NULL};
  spark_mechanical_add_term(d, part, factor, block, which < KTS_Q ? d->J : d->Kts);
  d->term[d->terms - 1].sub = sub;
}

static void spark_mechanical_list_terms(derivatives *d, const dae__mech *m)
{
  int nq = m->nq;
  const dae__block K = {.pattern = &m->K}, G = {.pattern = &m->G};
  const dae__block Kt = {.pattern = &m->K, .transposed = true};
  const dae__block Gt = {.pattern = &m->G, .transposed = true};
  spark_mechanical_add_submatrix(d, DAE__V_Y, 1, nq, 0, S_Q);
  spark_mechanical_add_submatrix(d, DAE__V_Y, 1, nq, nq, S_U);
  spark_mechanical_add_term(d, DAE__V_Z, 1, (dae__block){.pattern = &d->unit}, d->one);
  spark_mechanical_add_submatrix(d, DAE__V_Z, 1, nq, 0, S_V);
  spark_mechanical_add_term(d, DAE__P_Z, 1, (dae__block){.pattern = &m->M}, d->M);
  spark_mechanical_add_submatrix(d, DAE__F_Y, 1, 0, 0, F_Q);
  spark_mechanical_add_submatrix(d, DAE__F_Y, 1, 0, nq, F_U);
  spark_mechanical_add_submatrix(d, DAE__F_Y, -1, 0, 0, KTS_Q);
  spark_mechanical_add_submatrix(d, DAE__F_Z, 1, 0, 0, F_V);
  spark_mechanical_add_submatrix(d, DAE__F_Z, -1, 0, 0, KTS_V);
  spark_mechanical_add_term(d, DAE__F_PSI, -1, Kt, d->K);
  spark_mechanical_add_term(d, DAE__R_Y, -1, (dae__block){.pattern = &m->Gts}, d->Gts);
  spark_mechanical_add_term(d, DAE__R_LAMBDA, -1, Gt, d->G);
  spark_mechanical_add_term(d, DAE__G_Y, 1, G, d->G);
  spark_mechanical_add_term(d, DAE__GDOT_Y, 1, G, d->gdot_q);
  spark_mechanical_add_term(d, DAE__GDOT_Z, 1, G, d->G);
  spark_mechanical_add_term(d, DAE__K_Y, 1, (dae__block){.pattern = &m->kq}, d->k_q);
  spark_mechanical_add_term(d, DAE__K_Z, 1, K, d->K);
}

/* merges the sparsity patterns of its terms into the pattern of each derivative */
static void spark_mechanical_merge_patterns(derivatives *d, const dae__mech *m, dae__arena *arena)
{
  int ny = m->nq + m->nu, nz = m->nq, ng = m->ng, nk = m->nk;
  const struct {
    int rows, cols;
  } size[DAE__MOMENTUM_PARTS] = {
      [DAE__V_Y] = {ny, ny},   [DAE__V_Z] = {ny, nz},    [DAE__P_Y] = {nz, ny},
      [DAE__P_Z] = {nz, nz},   [DAE__F_Y] = {nz, ny},    [DAE__F_Z] = {nz, nz},
      [DAE__F_PSI] = {nz, nk}, [DAE__R_Y] = {nz, ny},    [DAE__R_LAMBDA] = {nz, ng},
      [DAE__G_Y] = {ng, ny},   [DAE__GDOT_Y] = {ng, ny}, [DAE__GDOT_Z] = {ng, nz},
      [DAE__K_Y] = {nk, ny},   [DAE__K_Z] = {nk, nz}};
  dae__block blocks[TERMS];
  for (int part = 0; part < DAE__MOMENTUM_PARTS && !dae__arena_failed(arena); part++) {
    int count = 0;
    for (int i = 0; i < d->terms; i++)
      if (d->term[i].part == (dae__momentum_part)part)
        blocks[count++] = d->term[i].block;
    d->pattern[part] = dae__blocks_merge(arena, size[part].rows, size[part].cols, blocks, count);
    count = 0;
    for (int i = 0; i < d->terms; i++)
      if (d->term[i].part == (dae__momentum_part)part)
        d->term[i].block = blocks[count++];
  }
}

static dae_status spark_mechanical_create_derivatives(mechanical *o, dae__arena *arena,
                                                      dae_error *err)
{
  const dae__mech *m = o->m;
  derivatives *d = &o->derivatives;
  int nq = m->nq, nu = m->nu;
  const int range[SUBMATRICES][4] = {[S_Q] = {nq, nq + nu, 0, nq},
                                     [S_V] = {nq, nq + nu, nq, 2 * nq},
                                     [S_U] = {nq, nq + nu, 2 * nq, 2 * nq + nu},
                                     [F_Q] = {0, nq, 0, nq},
                                     [F_V] = {0, nq, nq, 2 * nq},
                                     [F_U] = {0, nq, 2 * nq, 2 * nq + nu},
                                     [KTS_Q] = {0, nq, 0, nq},
                                     [KTS_V] = {0, nq, nq, 2 * nq}};
  d->M = DAE__ALLOC(arena, double, dae__pattern_count(&m->M));
  d->G = DAE__ALLOC(arena, double, dae__pattern_count(&m->G));
  d->K = DAE__ALLOC(arena, double, dae__pattern_count(&m->K));
  d->J = DAE__ALLOC(arena, double, dae__pattern_count(&m->J));
  d->Kts = DAE__ALLOC(arena, double, dae__pattern_count(&m->Kts));
  d->Gts = DAE__ALLOC(arena, double, dae__pattern_count(&m->Gts));
  d->gdot_q = DAE__ALLOC(arena, double, dae__pattern_count(&m->G));
  d->k_q = DAE__ALLOC(arena, double, dae__pattern_count(&m->kq));
  d->one = DAE__ALLOC(arena, double, nq);
  d->unit = dae__pattern_diagonal(arena, nq);
  for (int i = 0; i < SUBMATRICES; i++)
    d->sub[i] = dae__submatrix_create(arena, i < KTS_Q ? &m->J : &m->Kts, range[i]);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int i = 0; i < nq; i++)
    d->one[i] = 1;
  spark_mechanical_list_terms(d, m);
  spark_mechanical_merge_patterns(d, m, arena);
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

/* ---- matrices (2) and (3) ---- */

static dae_status spark_mechanical_factor(void *self, const dae_momentum_at *at,
                                          const double *lambda, const double *psi, dae_error *err)
{
  (void)lambda, (void)psi; /* matrices (2) and (3) do not depend on the multipliers */
  mechanical *o = self;
  dae__mech *m = o->m;
  dae_mechanical_at point = spark_mechanical_point(o, at);
  dae_mechanical_wanted want = {.M = o->M, .G = o->G, .K = o->K};
  DAE__TRY(dae__mech_eval(m, &point, &want, err));
  for (int i = 0; i < m->nc; i++)
    o->diagonal[m->nq + i] = m->active[i] ? 0 : 1;
  const dae__saddle *last = o->of_A;
  dae_status status = dae__saddle_factor(o->of_A, o->M, o->G, o->K, o->diagonal);
  if (!status && o->of_G) {
    last = o->of_G;
    status = dae__saddle_factor(o->of_G, o->M, o->G, NULL, o->diagonal);
  }
  if (status == DAE_ERROR_SINGULAR)
    return dae__spark_adapter_singular(&o->adapter, "matrix (2) of the stage system",
                                       dae__saddle_column(last), err);
  return status == DAE_ERROR_MEMORY ? dae__out_of_memory(err) : status;
}

static void spark_mechanical_solve(void *self, bool with_psi, double *x)
{
  mechanical *o = self;
  dae__saddle_solve(!with_psi && o->of_G ? o->of_G : o->of_A, x, x + o->m->nq);
}

/* ---- operations on the state vector ---- */

static dae_status spark_mechanical_consistent(void *self, double t, const bool *fixed,
                                              double *state, double *rate, dae_error *err)
{
  mechanical *o = self;
  DAE__TRY(dae__mech_consistent(o->motion, t, fixed, state, rate, NULL, err));
  return dae__motion_reserve_dependent(o->output, err);
}

static dae_status spark_mechanical_project(void *self, bool for_output, double t, double *state,
                                           dae_error *err)
{
  mechanical *o = self;
  return dae__motion_project(for_output ? o->output : o->motion, t, state, state + o->m->at.v, NULL,
                             err);
}

static dae_status spark_mechanical_accelerate(void *self, bool for_output, double t, double *state,
                                              double *rate, dae_error *err)
{
  mechanical *o = self;
  return dae__motion_accelerate(for_output ? o->output : o->motion, t, state, rate, err);
}

static void spark_mechanical_count(const void *self, dae_stats *stats)
{
  const mechanical *o = self;
  stats->evaluations += o->m->count->evaluations;
  stats->factorisations += o->motion->memory->factorisations + o->output->memory->factorisations;
  stats->projections += o->motion->memory->projections;
}

static dae_status spark_mechanical_reload(void *self, bool matrices)
{
  mechanical *o = self;
  DAE__TRY(dae__motion_reload(o->motion));
  DAE__TRY(dae__motion_reload(o->output));
  if (matrices)
    DAE__TRY(dae__saddle_reload(o->of_A));
  return matrices && o->of_G ? dae__saddle_reload(o->of_G) : DAE_OK;
}

static void spark_mechanical_release(void *self)
{
  mechanical *o = self;
  dae__motion_free(o->motion);
  dae__motion_free(o->output);
  dae__saddle_free(o->of_A);
  dae__saddle_free(o->of_G);
  dae__decoupled_free(&o->decoupled);
}

/* ---- creation ---- */

static const dae__spark_evaluations spark_mechanical_evaluations = {
    .eval = spark_mechanical_eval,
    .linearise = spark_mechanical_linearise,
    .factor = spark_mechanical_factor,
    .solve = spark_mechanical_solve};

static const dae__spark_states spark_mechanical_states = {.consistent = spark_mechanical_consistent,
                                                          .project = spark_mechanical_project,
                                                          .accelerate = spark_mechanical_accelerate,
                                                          .count = spark_mechanical_count,
                                                          .reload = spark_mechanical_reload,
                                                          .free = spark_mechanical_release};

static dae_status spark_mechanical_prepare(mechanical *o, dae__arena *arena,
                                           const dae_problem *problem, bool matrices, int blocks,
                                           dae_error *err)
{
  DAE__TRY(dae__mech_create(arena, problem, &o->m, err));
  DAE__TRY(dae__motion_create(arena, o->m, &o->motion, err));
  DAE__TRY(dae__motion_create_second(arena, o->motion, &o->output, err));
  const dae__mech *m = o->m;
  int ny = m->nq + m->nu;
  int *y_at = DAE__ALLOC(arena, int, ny), *z_at = DAE__ALLOC(arena, int, m->nq);
  o->state = DAE__ALLOC(arena, double, m->at.size);
  o->M = DAE__ALLOC(arena, double, dae__pattern_count(&m->M));
  o->G = DAE__ALLOC(arena, double, dae__pattern_count(&m->G));
  o->K = DAE__ALLOC(arena, double, dae__pattern_count(&m->K));
  o->diagonal = DAE__ALLOC(arena, double, m->nq + m->nc);
  dae_pattern *none = DAE__ALLOC(arena, dae_pattern, 1);
  DAE__TRY(spark_mechanical_create_derivatives(o, arena, err));
  for (int i = 0; i < ny; i++)
    y_at[i] = i < m->nq ? i : m->at.u + i - m->nq;
  for (int i = 0; i < m->nq; i++)
    z_at[i] = m->at.v + i;
  o->adapter = (dae__spark_adapter){.table = &spark_mechanical_evaluations,
                                    .states = &spark_mechanical_states,
                                    .self = o,
                                    .ny = ny,
                                    .nz = m->nq,
                                    .ng = m->ng,
                                    .nk = m->nk,
                                    .size = m->at.size,
                                    .pattern = o->derivatives.pattern,
                                    .active = m->active,
                                    .problem = *problem,
                                    .y_at = y_at,
                                    .z_at = z_at,
                                    .lambda = m->at.lambda,
                                    .psi = m->at.psi};
  if (matrices) {
    *none = dae__pattern_empty(arena, 0, m->nq);
    DAE__TRY(dae__saddle_create(arena, &m->M, &m->G, &m->K, &o->of_A, err));
    if (m->nk > 0)
      DAE__TRY(dae__saddle_create(arena, &m->M, &m->G, none, &o->of_G, err));
    o->adapter.matrices = true;
  }
  if (blocks > 0) {
    DAE__TRY(dae__decoupled_create(arena, &o->adapter, m->nq, blocks, &o->decoupled, err));
    o->adapter.decoupled = &o->decoupled;
  }
  return DAE_OK;
}

dae_status dae__spark_adapter_mechanical(dae__arena *arena, const dae_problem *problem,
                                         bool matrices, int blocks, dae__spark_adapter *out,
                                         dae_error *err)
{
  mechanical *o = DAE__ALLOC(arena, mechanical, 1);
  if (!o)
    return dae__out_of_memory(err);
  dae_status status = spark_mechanical_prepare(o, arena, problem, matrices, blocks, err);
  if (status)
    spark_mechanical_release(o);
  else
    *out = o->adapter;
  return status;
}
