/* A mechanical problem as SPARK sees it: y = (q, u), z = v,
 *
 *   v(t,y,z) = (v, s),   p = p(t,q,v),   f = F(t,q,v,u) - K' psi,   r = -G' lambda,
 *
 * so that matrices (2) and (3) are the saddle systems [M A'; A 0] with A = [G; K] and A = G. */
#include "core/error.h"
#include "core/vec.h"
#include "spark/face.h"
#include "spark/rich_blocks.h"

typedef struct mechanical {
  dae__mech *m;
  dae__saddle *of_A, *of_G; /* of_G is NULL where there is no k: then it is of_A */
  double *state;            /* a state vector to evaluate at */
  double *M, *G, *K;
  double *diagonal; /* ones for rows that were taken out */
  dae__rich_blocks blocks;
} mechanical;

/* the point as the problem's callbacks know it */
static dae_mechanical_at point(const mechanical *o, const dae__face_at *at)
{
  const dae__mech *m = o->m;
  dae__copy(m->nq, at->y, o->state);
  if (at->z)
    dae__copy(m->nq, at->z, o->state + m->at.v);
  dae__copy(m->nu, at->y + m->nq, o->state + m->at.u);
  return dae__mech_at(m, at->t, o->state);
}

static dae_status v(void *self, const dae__face_at *at, double *v, dae_error *err)
{
  mechanical *o = self;
  dae__mech *m = o->m;
  dae__copy(m->nq, at->z, v);
  if (m->nu == 0)
    return DAE_OK;
  dae_mechanical_at where = point(o, at);
  return dae__mech_eval(m, &where, &(dae_mechanical_wanted){.s = v + m->nq}, err);
}

static dae_status p(void *self, const dae__face_at *at, double *p, dae_error *err)
{
  mechanical *o = self;
  dae_mechanical_at where = point(o, at);
  return dae__mech_p(o->m, &where, p, err);
}

static dae_status f(void *self, const dae__face_at *at, const double *psi, double *f,
                    dae_error *err)
{
  mechanical *o = self;
  dae__mech *m = o->m;
  dae_mechanical_at where = point(o, at);
  dae_status status = dae__mech_F(m, &where, f, err);
  if (status || m->nk == 0)
    return status;
  status = dae__mech_K(m, &where, o->K, err);
  if (!status)
    dae__matrix_transposed_times(&m->K, o->K, -1, psi, f);
  return status;
}

static dae_status rg(void *self, const dae__face_at *at, const double *lambda, double *r, double *g,
                     dae_error *err)
{
  mechanical *o = self;
  dae__mech *m = o->m;
  dae_mechanical_at where = point(o, at);
  dae_status status = dae__mech_eval(m, &where, &(dae_mechanical_wanted){.g = g, .G = o->G}, err);
  dae__zero(m->nq, r);
  if (!status)
    dae__matrix_transposed_times(&m->G, o->G, -1, lambda, r);
  return status;
}

static dae_status gdot(void *self, const dae__face_at *at, double *gdot, dae_error *err)
{
  mechanical *o = self;
  dae_mechanical_at where = point(o, at);
  return dae__mech_eval(o->m, &where, &(dae_mechanical_wanted){.G = o->G, .gdot = gdot}, err);
}

static dae_status k(void *self, const dae__face_at *at, double *k, dae_error *err)
{
  mechanical *o = self;
  dae_mechanical_at where = point(o, at);
  return dae__mech_k(o->m, &where, k, err);
}

static dae_status singular(const mechanical *o, const dae__saddle *saddle, dae_error *err)
{
  const dae__mech *m = o->m;
  int column = dae__saddle_column(saddle);
  char name[64] = "";
  if (column >= m->nq)
    dae__mech_constraint_name(m->p, column - m->nq, name, sizeof name);
  else if (column >= 0)
    dae_problem_variable(&(dae_problem){.mechanical = m->p}, column, name, sizeof name);
  return dae__fail(err, DAE_ERROR_SINGULAR, name,
                   "matrix (2) of the stages is singular%s%s: constraints may have become "
                   "dependent, or a coordinate has neither mass nor a constraint",
                   name[0] ? " at " : "", name);
}

static dae_status factor(void *self, const dae__face_at *at, dae_error *err)
{
  mechanical *o = self;
  dae__mech *m = o->m;
  dae_mechanical_at where = point(o, at);
  dae_mechanical_wanted want = {.M = o->M, .G = o->G, .K = o->K};
  dae_status status = dae__mech_eval(m, &where, &want, err);
  if (status)
    return status;
  for (int i = 0; i < m->nc; i++)
    o->diagonal[m->nq + i] = m->active[i] ? 0 : 1;
  status = dae__saddle_factor(o->of_A, o->M, o->G, o->K, o->diagonal);
  if (status == DAE_ERROR_SINGULAR)
    return singular(o, o->of_A, err);
  if (!status && o->of_G)
    status = dae__saddle_factor(o->of_G, o->M, o->G, NULL, o->diagonal);
  if (status == DAE_ERROR_SINGULAR)
    return singular(o, o->of_G, err);
  return status == DAE_ERROR_MEMORY ? dae__out_of_memory(err) : status;
}

static void solve2(void *self, double *x)
{
  mechanical *o = self;
  dae__saddle_solve(o->of_A, x, x + o->m->nq);
}

static void solve3(void *self, double *x)
{
  mechanical *o = self;
  dae__saddle_solve(o->of_G ? o->of_G : o->of_A, x, x + o->m->nq);
}

static dae_status derive(void *self, const dae__face_at *at, dae_error *err)
{
  mechanical *o = self;
  dae_mechanical_at where = point(o, at);
  return dae__rich_blocks_derive(&o->blocks, &where, err);
}

static dae_status factor_block(void *self, int i, double complex hmu, dae_error *err)
{
  mechanical *o = self;
  return dae__rich_blocks_factor(&o->blocks, i, hmu, err);
}

static void solve_block(void *self, int i, double complex *x)
{
  mechanical *o = self;
  dae__rich_blocks_solve(&o->blocks, i, x);
}

static void move(void *self, double complex hmu, double complex w, const double *delta,
                 double complex *x)
{
  mechanical *o = self;
  dae__rich_blocks_move(&o->blocks, hmu, w, delta, x);
}

static dae_status reload(void *self, bool blocks)
{
  mechanical *o = self;
  dae_status status = dae__saddle_reload(o->of_A);
  if (!status && o->of_G)
    status = dae__saddle_reload(o->of_G);
  for (int i = 0; blocks && i < o->blocks.count && !status; i++)
    status = dae__solver_reload(o->blocks.solver[i]);
  return status;
}

static void release(void *self)
{
  mechanical *o = self;
  dae__saddle_free(o->of_A);
  dae__saddle_free(o->of_G);
  dae__rich_blocks_free(&o->blocks);
}

static const dae__face_table table = {.v = v,
                                      .p = p,
                                      .f = f,
                                      .rg = rg,
                                      .gdot = gdot,
                                      .k = k,
                                      .factor = factor,
                                      .solve2 = solve2,
                                      .solve3 = solve3,
                                      .derive = derive,
                                      .factor_block = factor_block,
                                      .solve_block = solve_block,
                                      .move = move,
                                      .reload = reload,
                                      .free = release};

dae_status dae__face_mechanical(dae__arena *arena, dae__mech *m, int blocks, dae__face *out,
                                dae_error *err)
{
  mechanical *o = DAE__TAKE(arena, mechanical, 1);
  dae_pattern *none = DAE__TAKE(arena, dae_pattern, 1);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  o->m = m;
  o->state = DAE__TAKE(arena, double, m->at.size);
  o->M = DAE__TAKE(arena, double, dae__pattern_count(&m->M));
  o->G = DAE__TAKE(arena, double, dae__pattern_count(&m->G));
  o->K = DAE__TAKE(arena, double, dae__pattern_count(&m->K));
  o->diagonal = DAE__TAKE(arena, double, m->nq + m->nc);
  *none = (dae_pattern){0, m->nq, DAE__TAKE(arena, int, m->nq + 1), DAE__TAKE(arena, int, 0)};
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae_status status = dae__saddle_create(arena, &m->M, &m->G, &m->K, &o->of_A, err);
  if (!status && m->nk > 0)
    status = dae__saddle_create(arena, &m->M, &m->G, none, &o->of_G, err);
  if (!status)
    status = dae__rich_blocks_create(arena, m, blocks, &o->blocks, err);
  *out = (dae__face){
      .table = &table, .self = o, .ny = m->nq + m->nu, .nz = m->nq, .ng = m->ng, .nk = m->nk};
  if (status)
    release(o);
  return status;
}
