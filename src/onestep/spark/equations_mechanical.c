/* Equations of a mechanical problem: y = (q, u), z = v,
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
 * which are small compared with M dZ and never stiff.
 *
 * Coordinates without mass: where every stage needs Z from p, and where nonholonomic constraints
 * may determine these coordinates, which matrix (3) does not contain, the kinetic energy is
 *
 *   T + sum c_i gdot_i^2 / 2,   p + G' C gdot + K' D k,   F + gdot_q' C gdot,   M + G' C G + K' D
 * K,
 *
 * which differs by nothing on the constraints, forces included, and has a regular mass matrix where
 * the constraints determine these coordinates. c_i is the mass that row i moves, 1 / (G_i M^-1
 * G_i'), over the coordinates with mass. */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/spark/equations.h"

/* Matrices of the mechanical problem that the derivatives are assembled from; ONE: unit matrix. */
typedef enum source { M, G, K, J, KTS, GTS, GDOT_Q, K_Q, ONE, SOURCES } source;
/* Rows and columns of a matrix: all, or those of f and s, or of q, v and u. */
enum { ALL, OF_F, OF_S, OF_Q, OF_V, OF_U, RANGES };

/* Terms of the derivatives: weight times rows and columns of a matrix. */
static const struct {
  dae__momentum_part part;
  source source;
  double weight;
  int rows, cols;
  bool transposed;
} mechanical_terms[] = {
    {DAE__V_Y, J, 1, OF_S, OF_Q, false},       {DAE__V_Y, J, 1, OF_S, OF_U, false},
    {DAE__V_Z, ONE, 1, ALL, ALL, false},       {DAE__V_Z, J, 1, OF_S, OF_V, false},
    {DAE__P_Z, M, 1, ALL, ALL, false},         {DAE__F_Y, J, 1, OF_F, OF_Q, false},
    {DAE__F_Y, J, 1, OF_F, OF_U, false},       {DAE__F_Y, KTS, -1, OF_F, OF_Q, false},
    {DAE__F_Z, J, 1, OF_F, OF_V, false},       {DAE__F_Z, KTS, -1, OF_F, OF_V, false},
    {DAE__F_PSI, K, -1, ALL, ALL, true},       {DAE__R_Y, GTS, -1, ALL, ALL, false},
    {DAE__R_LAMBDA, G, -1, ALL, ALL, true},    {DAE__G_Y, G, 1, ALL, ALL, false},
    {DAE__GDOT_Y, GDOT_Q, 1, ALL, ALL, false}, {DAE__GDOT_Z, G, 1, ALL, ALL, false},
    {DAE__K_Y, K_Q, 1, ALL, ALL, false},       {DAE__K_Z, K, 1, ALL, ALL, false}};
enum { TERMS = sizeof mechanical_terms / sizeof *mechanical_terms, MOST_TERMS = 3 };

typedef struct mechanical {
  dae__mech *m;
  dae__spark_equations *eq;
  /* saddle systems with A = [G; K] and with G; of_G is NULL without k, since A is G then */
  dae__saddle *of_A, *of_G;
  double *state; /* state vector of the point of evaluation */
  dae_pattern one;
  double *values[SOURCES];
  double *added;          /* saved: c of the rows of G, then D of K; NULL: a regular mass matrix */
  dae_pattern mass;       /* pattern of the mass matrix in p_z: that of M, or dense */
  dae__block M_at;        /* M in it */
  double *M_user, *rates; /* values of M, and C gdot and D k */
  dae__terms derivative[DAE__MOMENTUM_PARTS];
  int entries[TERMS]; /* number of entries of each term */
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

/* Adds the momenta of the added kinetic energy to p and their forces to f; both may be NULL. */
static dae_status spark_mechanical_add(mechanical *o, const dae_mechanical_at *at, double *p,
                                       double *f, dae_error *err)
{
  dae__mech *m = o->m;
  double *gdot = m->ng > 0 ? o->rates : NULL, *k = m->nk > 0 ? o->rates + m->ng : NULL;
  DAE__TRY(dae__mech_eval(
      m, at,
      &(dae_mechanical_wanted){
          .G = gdot ? o->values[G] : NULL, .gdot = gdot, .K = k && p ? o->values[K] : NULL, .k = k},
      err));
  for (int i = 0; i < m->nc; i++)
    o->rates[i] *= o->added[i];
  if (p && gdot)
    dae__matrix_transposed_times(&m->G, o->values[G], 1, gdot, p);
  if (p && k)
    dae__matrix_transposed_times(&m->K, o->values[K], 1, k, p);
  if (!f || !gdot)
    return DAE_OK;
  DAE__TRY(dae__mech_derivative(m, DAE__GDOT_Q, at, NULL, o->values[GDOT_Q], err));
  dae__matrix_transposed_times(&m->G, o->values[GDOT_Q], 1, gdot, f);
  return DAE_OK;
}

/* Mass matrix with that of the added energy, dense, into o->values[M]; M is in o->M_user, G and K
 * in o->values. */
static void spark_mechanical_add_mass(const mechanical *o)
{
  const dae__mech *m = o->m;
  double *dense = o->values[M];
  dae__zero(dae__pattern_count(&o->mass), dense);
  dae__block_add(&o->M_at, 1, o->M_user, dense);
  const dae_pattern *pattern[] = {&m->G, &m->K};
  for (int part = 0; part < 2; part++) {
    const dae_pattern *A = pattern[part];
    const double *values = o->values[part ? K : G], *weight = o->added + (part ? m->ng : 0);
    for (int i = 0; i < m->nq; i++)
      for (int j = 0; j < m->nq; j++) /* rows of two columns of A, both rising */
        for (int e = A->start[i], d = A->start[j]; e < A->start[i + 1] && d < A->start[j + 1];) {
          int row = A->row[e], other = A->row[d];
          if (row == other)
            dense[(size_t)j * (size_t)m->nq + (size_t)i] += weight[row] * values[e] * values[d];
          e += row <= other;
          d += other <= row;
        }
  }
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
  if (o->added && (w->p || w->f))
    DAE__TRY(spark_mechanical_add(o, &point, w->p, w->f, err));
  if (w->f && m->nk > 0) {
    DAE__TRY(dae__mech_K(m, &point, o->values[K], err));
    dae__matrix_transposed_times(&m->K, o->values[K], -1, multiplier, w->f);
  }
  if (w->r) {
    DAE__TRY(
        dae__mech_eval(m, &point, &(dae_mechanical_wanted){.g = w->g, .G = o->values[G]}, err));
    dae__zero(m->nq, w->r);
    dae__matrix_transposed_times(&m->G, o->values[G], -1, multiplier, w->r);
  }
  if (w->k)
    DAE__TRY(dae__mech_k(m, &point, w->k, err));
  return w->gdot ? dae__mech_eval(m, &point,
                                  &(dae_mechanical_wanted){.G = o->values[G], .gdot = w->gdot}, err)
                 : DAE_OK;
}

/* ---- derivatives ---- */

static dae_status spark_mechanical_linearise(void *self, const dae_momentum_at *at,
                                             const double *multiplier, unsigned parts,
                                             dae_error *err)
{
  mechanical *o = self;
  dae__mech *m = o->m;
  dae_mechanical_at point = spark_mechanical_point(o, at);
  double *need[SOURCES] = {0}; /* matrices that the derivatives are assembled from */
  for (int k = 0; k < TERMS; k++)
    if ((parts & DAE__SPARK_SET(mechanical_terms[k].part)) && o->entries[k] > 0)
      need[mechanical_terms[k].source] = o->values[mechanical_terms[k].source];
  bool add = o->added && need[M];
  dae_mechanical_wanted want = {.M = add ? o->M_user : need[M],
                                .G = add && m->ng > 0 ? o->values[G] : need[G],
                                .K = add && m->nk > 0 ? o->values[K] : need[K]};
  DAE__TRY(dae__mech_eval(m, &point, &want, err));
  if (add)
    spark_mechanical_add_mass(o);
  if (need[J])
    DAE__TRY(dae__mech_J(m, &point, need[J], err));
  if (need[KTS])
    DAE__TRY(dae__mech_derivative(m, DAE__KTS_QV, &point, multiplier, need[KTS], err));
  if (need[GTS])
    DAE__TRY(dae__mech_derivative(m, DAE__GTS_Q, &point, multiplier, need[GTS], err));
  if (need[GDOT_Q])
    DAE__TRY(dae__mech_derivative(m, DAE__GDOT_Q, &point, NULL, need[GDOT_Q], err));
  if (need[K_Q])
    DAE__TRY(dae__mech_derivative(m, DAE__K_Q, &point, NULL, need[K_Q], err));
  for (int part = 0; part < DAE__MOMENTUM_PARTS; part++)
    if (parts & DAE__SPARK_SET(part))
      dae__terms_add(&o->derivative[part], 0, &(double){1}, o->values);
  return DAE_OK;
}

/* ---- matrices (2) and (3) ---- */

static dae_status spark_mechanical_factor(void *self, const dae_momentum_at *at,
                                          const double *lambda, const double *psi, dae_error *err)
{
  (void)lambda, (void)psi; /* matrices (2) and (3) do not depend on the multipliers */
  mechanical *o = self;
  dae_mechanical_at point = spark_mechanical_point(o, at);
  double *const *A = o->values;
  dae_mechanical_wanted want = {.M = o->added ? o->M_user : A[M], .G = A[G], .K = A[K]};
  DAE__TRY(dae__mech_eval(o->m, &point, &want, err));
  if (o->added)
    spark_mechanical_add_mass(o);
  const dae__saddle *last = o->of_A;
  dae_status status = dae__saddle_factor(o->of_A, A[M], A[G], A[K], o->eq->diagonal);
  if (!status && o->of_G) {
    last = o->of_G;
    status = dae__saddle_factor(o->of_G, A[M], A[G], NULL, o->eq->diagonal);
  }
  return dae__spark_factored(o->eq, status, "matrix (2) of the stage system",
                             status ? dae__saddle_column(last) : -1, err);
}

static void spark_mechanical_solve(void *self, bool with_psi, double *x)
{
  mechanical *o = self;
  dae__saddle_solve(!with_psi && o->of_G ? o->of_G : o->of_A, x, x + o->m->nq);
}

static void spark_mechanical_release(void *self)
{
  mechanical *o = self;
  dae__saddle_free(o->of_A);
  dae__saddle_free(o->of_G);
}

/* ---- creation ---- */

static const dae__spark_equations_table spark_mechanical_table = {.eval = spark_mechanical_eval,
                                                                  .linearise =
                                                                      spark_mechanical_linearise,
                                                                  .factor = spark_mechanical_factor,
                                                                  .solve = spark_mechanical_solve,
                                                                  .free = spark_mechanical_release};

/* allocates the mechanical matrices, and lists the terms of each derivative */
static dae_status spark_mechanical_create_derivatives(mechanical *o, dae__arena *arena,
                                                      dae_error *err)
{
  const dae__mech *m = o->m;
  int nq = m->nq, nu = m->nu, ny = nq + nu, ng = m->ng, nk = m->nk;
  o->one = dae__pattern_diagonal(arena, nq);
  const dae_pattern *pattern[SOURCES] = {&o->mass, &m->G, &m->K,  &m->J,  &m->Kts,
                                         &m->Gts,  &m->G, &m->kq, &o->one};
  const int size[DAE__MOMENTUM_PARTS][2] = {
      [DAE__V_Y] = {ny, ny},   [DAE__V_Z] = {ny, nq},    [DAE__P_Y] = {nq, ny},
      [DAE__P_Z] = {nq, nq},   [DAE__F_Y] = {nq, ny},    [DAE__F_Z] = {nq, nq},
      [DAE__F_PSI] = {nq, nk}, [DAE__R_Y] = {nq, ny},    [DAE__R_LAMBDA] = {nq, ng},
      [DAE__G_Y] = {ng, ny},   [DAE__GDOT_Y] = {ng, ny}, [DAE__GDOT_Z] = {ng, nq},
      [DAE__K_Y] = {nk, ny},   [DAE__K_Z] = {nk, nq}};
  /* first and last index of each range, and its first index in the derivative */
  const int range[RANGES][3] = {[OF_F] = {0, nq, 0},
                                [OF_S] = {nq, ny, nq},
                                [OF_Q] = {0, nq, 0},
                                [OF_V] = {nq, 2 * nq, 0},
                                [OF_U] = {2 * nq, nq + ny, nq}};
  for (int i = 0; i < SOURCES && !dae__arena_failed(arena); i++)
    o->values[i] = DAE__ALLOC(arena, double, dae__pattern_count(pattern[i]));
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < nq; i++)
    o->values[ONE][i] = 1;
  for (int part = 0; part < DAE__MOMENTUM_PARTS; part++)
    o->derivative[part] = dae__terms_create(arena, MOST_TERMS);
  for (int k = 0; k < TERMS && !dae__arena_failed(arena); k++) {
    dae__terms *to = &o->derivative[mechanical_terms[k].part];
    const int *rows = range[mechanical_terms[k].rows], *cols = range[mechanical_terms[k].cols];
    const int of[] = {rows[0], rows[1], cols[0], cols[1]};
    source from = mechanical_terms[k].source;
    dae__terms_list(
        to, arena, (dae__term){(int)from, 0, mechanical_terms[k].weight, 0},
        (dae__block){rows[2], cols[2], pattern[from], mechanical_terms[k].transposed, NULL},
        mechanical_terms[k].rows == ALL ? NULL : of);
    if (!dae__arena_failed(arena))
      o->entries[k] = dae__pattern_count(to->block[to->count - 1].pattern);
  }
  for (int part = 0; part < DAE__MOMENTUM_PARTS; part++) {
    DAE__TRY(dae__terms_merge(&o->derivative[part], arena, size[part][0], size[part][1], err));
    o->eq->pattern[part] = o->derivative[part].pattern;
    o->eq->values[part] = o->derivative[part].values;
  }
  return DAE_OK;
}

/* Prepares the added kinetic energy at the state vector of the start, where M is singular. */
static dae_status spark_mechanical_prepare_mass(mechanical *o, dae__arena *arena, double t,
                                                const double *start, dae_error *err)
{
  dae__mech *m = o->m;
  dae_pattern dense = dae__pattern_dense(arena, m->nq, m->nq);
  dae__block blocks[2] = {{.pattern = &m->M}, {.pattern = &dense}};
  double *mass = DAE__ALLOC(arena, double, m->nq), largest = 0;
  double *A[] = {DAE__ALLOC(arena, double, dae__pattern_count(&m->G)),
                 DAE__ALLOC(arena, double, dae__pattern_count(&m->K))};
  o->M_user = DAE__ALLOC(arena, double, dae__pattern_count(&m->M));
  o->rates = DAE__ALLOC(arena, double, m->nc);
  o->added = DAE__STATE(arena, double, m->nc);
  o->mass = dae__blocks_merge(arena, m->nq, m->nq, blocks, 2);
  o->M_at = blocks[0];
  DAE__TRY(dae__arena_status(arena, err));
  DAE__LIMIT_FINITE(arena, o->added, m->nc);
  dae_mechanical_at at = dae__mech_at(m, t, start);
  DAE__TRY(dae__mech_eval(m, &at,
                          &(dae_mechanical_wanted){.M = o->M_user,
                                                   .G = m->ng > 0 ? A[0] : NULL,
                                                   .K = m->nk > 0 ? A[1] : NULL},
                          err));
  for (int j = 0; j < m->nq; j++)
    for (int e = m->M.start[j]; e < m->M.start[j + 1]; e++)
      if (m->M.row[e] == j)
        mass[j] = fabs(o->M_user[e]), largest = fmax(largest, mass[j]);
  const dae_pattern *pattern[] = {&m->G, &m->K};
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < pattern[part]->rows; i++) {
      double inverse = 0, size = 0;
      for (int j = 0; j < m->nq; j++)
        for (int e = pattern[part]->start[j]; e < pattern[part]->start[j + 1]; e++)
          if (pattern[part]->row[e] == i) {
            size += A[part][e] * A[part][e];
            inverse += mass[j] > 0 ? A[part][e] * A[part][e] / mass[j] : 0;
          }
      o->added[part ? m->ng + i : i] = inverse > 0 ? 1 / inverse
                                       : size > 0  ? (largest > 0 ? largest : 1) / size
                                                   : 1;
    }
  return DAE_OK;
}

dae_status dae__spark_mechanical_create(dae__arena *arena, const dae_adapter *adapter,
                                        bool matrices, dae__spark_equations *out, dae_error *err)
{
  dae__mech *m = adapter->forms->m;
  const double *start = out->massless_start, t = out->t_start;
  mechanical *o = DAE__ALLOC(arena, mechanical, 1);
  dae_pattern *none = DAE__ALLOC(arena, dae_pattern, 1);
  double *state = DAE__ALLOC(arena, double, m->at.size);
  DAE__TRY(dae__arena_status(arena, err));
  *o = (mechanical){.m = m, .eq = out, .state = state};
  *out = (dae__spark_equations){.table = &spark_mechanical_table,
                                .self = o,
                                .problem = adapter->problem,
                                .ny = m->nq + m->nu,
                                .nz = m->nq,
                                .ng = m->ng,
                                .nk = m->nk,
                                .coordinates = m->nq,
                                .split = m->nq,
                                .rest = m->at.u,
                                .z = m->at.v,
                                .lambda = m->at.lambda,
                                .psi = m->at.psi,
                                .active = m->active};
  o->mass = m->M;
  if (start)
    DAE__TRY(spark_mechanical_prepare_mass(o, arena, t, start, err));
  DAE__TRY(spark_mechanical_create_derivatives(o, arena, err));
  DAE__TRY(dae__spark_equations_create_values(arena, out, err));
  if (!matrices)
    return DAE_OK;
  *none = dae__pattern_empty(arena, 0, m->nq);
  DAE__TRY(dae__saddle_create(arena, &o->mass, &m->G, &m->K, &o->of_A, err));
  return m->nk > 0 ? dae__saddle_create(arena, &o->mass, &m->G, none, &o->of_G, err) : DAE_OK;
}
