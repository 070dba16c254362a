#include "onestep/spark/mechanical_blocks.h"
#include "core/error.h"
#include "core/vec.h"

/* ---- creation ---- */

enum { S_Q, S_V, S_U, F_Q, F_V, F_U, KTS_Q, KTS_V };

static void spark_blocks_pick_all(dae__mechanical_parts *o, dae__arena *arena)
{
  const dae__mech *m = o->m;
  int nq = m->nq, nu = m->nu;
  const dae_pattern *J = &m->J, *Kts = &m->Kts;
  o->pick[S_Q] = dae__pick_create(arena, J, nq, nq + nu, 0, nq);
  o->pick[S_V] = dae__pick_create(arena, J, nq, nq + nu, nq, 2 * nq);
  o->pick[S_U] = dae__pick_create(arena, J, nq, nq + nu, 2 * nq, 2 * nq + nu);
  o->pick[F_Q] = dae__pick_create(arena, J, 0, nq, 0, nq);
  o->pick[F_V] = dae__pick_create(arena, J, 0, nq, nq, 2 * nq);
  o->pick[F_U] = dae__pick_create(arena, J, 0, nq, 2 * nq, 2 * nq + nu);
  o->pick[KTS_Q] = dae__pick_create(arena, Kts, 0, nq, 0, nq);
  o->pick[KTS_V] = dae__pick_create(arena, Kts, 0, nq, nq, 2 * nq);
}

static void spark_blocks_add(dae__mechanical_parts *o, dae__momentum_part part, double factor,
                             int row, int col, const dae_pattern *pattern, const double *values,
                             bool transposed)
{
  o->term[o->terms++] = (dae__mechanical_term){.part = part,
                                               .factor = factor,
                                               .values = values,
                                               .block = {row, col, pattern, transposed, NULL}};
}

static void spark_blocks_add_pick(dae__mechanical_parts *o, dae__momentum_part part, double factor,
                                  int row, int col, int which)
{
  const dae__pick *p = &o->pick[which];
  spark_blocks_add(o, part, factor, row, col, &p->pattern, which < KTS_Q ? o->J : o->Kts, false);
  o->term[o->terms - 1].pick = p;
}

static void spark_blocks_list_terms(dae__mechanical_parts *o)
{
  const dae__mech *m = o->m;
  int nq = m->nq;
  spark_blocks_add_pick(o, DAE__V_Y, 1, nq, 0, S_Q);
  spark_blocks_add_pick(o, DAE__V_Y, 1, nq, nq, S_U);
  spark_blocks_add(o, DAE__V_Z, 1, 0, 0, &o->unit, o->one, false);
  spark_blocks_add_pick(o, DAE__V_Z, 1, nq, 0, S_V);
  spark_blocks_add(o, DAE__P_Z, 1, 0, 0, &m->M, o->M, false);
  spark_blocks_add_pick(o, DAE__F_Y, 1, 0, 0, F_Q);
  spark_blocks_add_pick(o, DAE__F_Y, 1, 0, nq, F_U);
  spark_blocks_add_pick(o, DAE__F_Y, -1, 0, 0, KTS_Q);
  spark_blocks_add_pick(o, DAE__F_Z, 1, 0, 0, F_V);
  spark_blocks_add_pick(o, DAE__F_Z, -1, 0, 0, KTS_V);
  spark_blocks_add(o, DAE__F_PSI, -1, 0, 0, &m->K, o->K, true);
  spark_blocks_add(o, DAE__R_Y, -1, 0, 0, &m->Gts, o->Gts, false);
  spark_blocks_add(o, DAE__R_LAMBDA, -1, 0, 0, &m->G, o->G, true);
  spark_blocks_add(o, DAE__G_Y, 1, 0, 0, &m->G, o->G, false);
  spark_blocks_add(o, DAE__GDOT_Y, 1, 0, 0, &m->G, o->gdot_q, false);
  spark_blocks_add(o, DAE__GDOT_Z, 1, 0, 0, &m->G, o->G, false);
  spark_blocks_add(o, DAE__K_Y, 1, 0, 0, &m->kq, o->k_q, false);
  spark_blocks_add(o, DAE__K_Z, 1, 0, 0, &m->K, o->K, false);
}

/* the pattern of each part from those of its terms, which stand one after the other */
static void spark_blocks_merge(dae__mechanical_parts *o, dae__arena *arena)
{
  const dae__mech *m = o->m;
  int ny = m->nq + m->nu, nz = m->nq, ng = m->ng, nk = m->nk;
  const struct {
    int rows, cols;
  } size[DAE__MOMENTUM_PARTS] = {
      [DAE__V_Y] = {ny, ny},   [DAE__V_Z] = {ny, nz},    [DAE__P_Y] = {nz, ny},
      [DAE__P_Z] = {nz, nz},   [DAE__F_Y] = {nz, ny},    [DAE__F_Z] = {nz, nz},
      [DAE__F_PSI] = {nz, nk}, [DAE__R_Y] = {nz, ny},    [DAE__R_LAMBDA] = {nz, ng},
      [DAE__G_Y] = {ng, ny},   [DAE__GDOT_Y] = {ng, ny}, [DAE__GDOT_Z] = {ng, nz},
      [DAE__K_Y] = {nk, ny},   [DAE__K_Z] = {nk, nz}};
  dae__block blocks[DAE__MECHANICAL_TERMS];
  for (int part = 0; part < DAE__MOMENTUM_PARTS && !dae__arena_failed(arena); part++) {
    int count = 0;
    for (int i = 0; i < o->terms; i++)
      if (o->term[i].part == (dae__momentum_part)part)
        blocks[count++] = o->term[i].block;
    o->pattern[part] = dae__blocks_merge(arena, size[part].rows, size[part].cols, blocks, count);
    count = 0;
    for (int i = 0; i < o->terms; i++)
      if (o->term[i].part == (dae__momentum_part)part)
        o->term[i].block = blocks[count++];
  }
}

dae_status dae__mechanical_parts_create(dae__arena *arena, dae__mech *m, dae__mechanical_parts *out,
                                        dae_error *err)
{
  dae__mechanical_parts *o = out;
  *o = (dae__mechanical_parts){.m = m};
  o->M = DAE__ALLOC(arena, double, dae__pattern_count(&m->M));
  o->G = DAE__ALLOC(arena, double, dae__pattern_count(&m->G));
  o->K = DAE__ALLOC(arena, double, dae__pattern_count(&m->K));
  o->J = DAE__ALLOC(arena, double, dae__pattern_count(&m->J));
  o->Kts = DAE__ALLOC(arena, double, dae__pattern_count(&m->Kts));
  o->Gts = DAE__ALLOC(arena, double, dae__pattern_count(&m->Gts));
  o->gdot_q = DAE__ALLOC(arena, double, dae__pattern_count(&m->G));
  o->k_q = DAE__ALLOC(arena, double, dae__pattern_count(&m->kq));
  o->one = DAE__ALLOC(arena, double, m->nq);
  o->unit = dae__pattern_diagonal(arena, m->nq);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int i = 0; i < m->nq; i++)
    o->one[i] = 1;
  spark_blocks_pick_all(o, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  spark_blocks_list_terms(o);
  spark_blocks_merge(o, arena);
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

/* ---- evaluation ---- */

static bool spark_blocks_any(const dae__face_parts *wanted, dae__momentum_part a,
                             dae__momentum_part b)
{
  return wanted->of[a] || wanted->of[b];
}

/* the matrices that what is wanted is made of */
static dae_status spark_blocks_evaluate(dae__mechanical_parts *o, const dae_mechanical_at *at,
                                        const double *multiplier, const dae__face_parts *wanted,
                                        dae_error *err)
{
  dae__mech *m = o->m;
  bool f = spark_blocks_any(wanted, DAE__F_Y, DAE__F_Z);
  bool G = spark_blocks_any(wanted, DAE__R_LAMBDA, DAE__G_Y) || wanted->of[DAE__GDOT_Z];
  bool K = spark_blocks_any(wanted, DAE__F_PSI, DAE__K_Z);
  dae_mechanical_wanted want = {
      .M = wanted->of[DAE__P_Z] ? o->M : NULL, .G = G ? o->G : NULL, .K = K ? o->K : NULL};
  dae_status status = dae__mech_eval(m, at, &want, err);
  if (!status && (f || (m->nu > 0 && spark_blocks_any(wanted, DAE__V_Y, DAE__V_Z))))
    status = dae__mech_J(m, at, o->J, err);
  if (!status && f && m->nk > 0)
    status = dae__mech_Kts(m, at, multiplier, o->Kts, err);
  if (!status && wanted->of[DAE__R_Y] && m->ng > 0)
    status = dae__mech_Gts(m, at, multiplier, o->Gts, err);
  if (!status && wanted->of[DAE__GDOT_Y] && m->ng > 0)
    status = dae__mech_gdot_q(m, at, o->gdot_q, err);
  if (!status && wanted->of[DAE__K_Y] && m->nk > 0)
    status = dae__mech_k_q(m, at, o->k_q, err);
  return status;
}

dae_status dae__mechanical_parts_eval(dae__mechanical_parts *o, const dae_mechanical_at *at,
                                      const double *multiplier, const dae__face_parts *wanted,
                                      dae_error *err)
{
  DAE__TRY(spark_blocks_evaluate(o, at, multiplier, wanted, err));
  for (int part = 0; part < DAE__MOMENTUM_PARTS; part++)
    if (wanted->of[part])
      dae__zero(dae__pattern_count(&o->pattern[part]), wanted->of[part]);
  for (int i = 0; i < o->terms; i++) {
    dae__mechanical_term *term = &o->term[i];
    if (!wanted->of[term->part])
      continue;
    if (term->pick)
      dae__pick_fill(term->pick, term->values);
    dae__block_add(&term->block, term->factor, term->pick ? term->pick->values : term->values,
                   wanted->of[term->part]);
  }
  return DAE_OK;
}
