/* The semi-explicit view of a mechanical problem. Row i of (f, F) belongs to entry i of (x, y), and
 * the derivatives d(f,s,c)/d(q,v,u,w) form one block of the Jacobian
 *
 *            q                        v          u, w   lambda  psi   mu
 *   q'      [-(G'mu)_q                I                               -G' ]
 *   v'      [f_q - (G'l + K'psi)_q    f_v - ...  f_uw   -G'     -K'       ]
 *   u', c   [s_q, c_q                 ...        ...                      ]
 *   lambda  [G, or gdot_q             G                                   ]
 *   psi     [k_q                      K                                   ]
 *   mu      [G                                                            ]
 *
 * With directions B of the constraint forces B' (l, psi) stands in place of G'l + K'psi. */
#include "problem/mechanical/view.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "problem/mechanical/mech.h"
#include "problem/problem.h"
#include <stdio.h>

enum {
  UNIT_V,
  RHS,
  GTS,
  KTS,
  GT,
  KT,
  BTS,
  BT,
  POSITION,
  POSITION_V,
  NONHOLONOMIC,
  NONHOLONOMIC_V,
  GTMU_Q,
  GTMU,
  MU,
  FULL,
  BLOCKS
};

typedef struct view {
  dae__mech *m;
  dae__view_kind kind;
  dae_semi_explicit semi;
  int nx, n, mu; /* states, all entries, index of the first mu */
  dae_pattern unit_q, unit_u, full_M, full_J, none;
  dae_pattern M, J, Ms;
  dae__block M_block[4], J_block[BLOCKS], Ms_block[2];
  double *ones, *mass, *G, *K, *B, *values;
  dae_error last; /* error of the mechanical problem when a callback of the view refuses */
} view;

/* Point of the mechanical problem; at->y contains w, then the multipliers. */
static dae_mechanical_at view_point(const view *s, const dae_semi_explicit_at *at)
{
  return (dae_mechanical_at){
      .t = at->t, .q = at->x, .v = at->x + s->m->at.v, .u = at->x + s->m->at.u, .w = at->y};
}

static const double *view_multipliers(const view *s, const dae_semi_explicit_at *at, int first)
{
  return at->y ? at->y + (first - s->nx) : NULL;
}

/* ---- right sides ---- */

static int view_eval_f(void *user, const dae_semi_explicit_at *at, double *out)
{
  view *s = user;
  dae__mech *m = s->m;
  int nq = m->nq;
  dae_mechanical_at here = view_point(s, at);
  dae_mechanical_wanted w = {.f = out + nq,
                             .s = out + 2 * nq,
                             .G = m->ng > 0 ? s->G : NULL,
                             .K = m->nk > 0 ? s->K : NULL,
                             .B = s->B};
  dae_status status = dae__mech_eval(m, &here, &w, &s->last);
  if (status)
    return dae__callback_code(status);
  dae__copy(nq, here.v, out);
  if (m->directed)
    dae__matrix_transposed_times(&m->B, s->B, -1, view_multipliers(s, at, m->at.lambda), out + nq);
  if (m->ng > 0 && !m->directed)
    dae__matrix_transposed_times(&m->G, s->G, -1, view_multipliers(s, at, m->at.lambda), out + nq);
  if (m->nk > 0 && !m->directed)
    dae__matrix_transposed_times(&m->K, s->K, -1, view_multipliers(s, at, m->at.psi), out + nq);
  if (s->kind == DAE__VIEW_GGL && m->ng > 0)
    dae__matrix_transposed_times(&m->G, s->G, -1, view_multipliers(s, at, s->mu), out);
  return 0;
}

static int view_eval_F(void *user, const dae_semi_explicit_at *at, double *out)
{
  view *s = user;
  const dae__mech *m = s->m;
  double *g = out + m->nw, *k = g + m->ng, *last = k + m->nk;
  bool velocity = s->kind != DAE__VIEW_POSITION;
  dae_mechanical_at here = view_point(s, at);
  dae_mechanical_wanted w = {.c = out,
                             .g = s->kind == DAE__VIEW_POSITION ? g
                                  : s->kind == DAE__VIEW_GGL    ? last
                                                                : NULL,
                             .gdot = velocity ? g : NULL,
                             .G = velocity ? s->G : NULL,
                             .k = k};
  return dae__callback_code(dae__mech_eval(s->m, &here, &w, &s->last));
}

static int view_eval_M(void *user, const dae_semi_explicit_at *at, double *out)
{
  view *s = user;
  dae_mechanical_at here = view_point(s, at);
  dae_status status = dae__mech_M(s->m, &here, s->mass, &s->last);
  dae__zero(dae__pattern_count(&s->M), out);
  dae__block_add(&s->M_block[0], 1, s->ones, out);
  dae__block_add(&s->M_block[1], 1, s->mass, out);
  dae__block_add(&s->M_block[2], 1, s->ones, out);
  return dae__callback_code(status);
}

static int view_eval_Ms(void *user, const dae_semi_explicit_at *at, const double *a, double *out)
{
  view *s = user;
  dae_mechanical_at here = view_point(s, at);
  dae_status status =
      dae__mech_derivative(s->m, DAE__MS_QV, &here, a + s->m->nq, s->values, &s->last);
  dae__zero(dae__pattern_count(&s->Ms), out);
  if (!status)
    dae__block_add(&s->Ms_block[0], 1, s->values, out);
  return dae__callback_code(status);
}

/* ---- J ---- */

static dae_status view_add_J(view *s, const dae_semi_explicit_at *at, double *J)
{
  dae__mech *m = s->m;
  const dae__block *block = s->J_block;
  dae_mechanical_at here = view_point(s, at);
  dae_mechanical_wanted want = {.G = s->G, .K = s->K, .B = s->B};
  DAE__TRY(dae__mech_eval(m, &here, &want, &s->last));
  /* rows of q', v', u' and c */
  dae__block_add(&block[UNIT_V], 1, s->ones, J);
  DAE__TRY(dae__mech_J(m, &here, s->values, &s->last));
  dae__block_add(&block[RHS], 1, s->values, J);
  if (m->directed) {
    const double *forces = view_multipliers(s, at, m->at.lambda);
    DAE__TRY(dae__mech_derivative(m, DAE__BTS_QV, &here, forces, s->values, &s->last));
    dae__block_add(&block[BTS], -1, s->values, J);
    dae__block_add(&block[BT], -1, s->B, J);
  }
  if (m->ng > 0 && !m->directed) {
    const double *lambda = view_multipliers(s, at, m->at.lambda);
    DAE__TRY(dae__mech_derivative(m, DAE__GTS_Q, &here, lambda, s->values, &s->last));
    dae__block_add(&block[GTS], -1, s->values, J);
    dae__block_add(&block[GT], -1, s->G, J);
  }
  if (m->nk > 0 && !m->directed) {
    DAE__TRY(dae__mech_derivative(m, DAE__KTS_QV, &here, view_multipliers(s, at, m->at.psi),
                                  s->values, &s->last));
    dae__block_add(&block[KTS], -1, s->values, J);
    dae__block_add(&block[KT], -1, s->K, J);
  }
  /* rows of the constraints g or gdot, and k */
  if (m->ng > 0 && s->kind == DAE__VIEW_POSITION)
    dae__block_add(&block[POSITION], 1, s->G, J);
  if (m->ng > 0 && s->kind != DAE__VIEW_POSITION) {
    DAE__TRY(dae__mech_derivative(m, DAE__GDOT_Q, &here, NULL, s->values, &s->last));
    dae__block_add(&block[POSITION], 1, s->values, J);
    dae__block_add(&block[POSITION_V], 1, s->G, J);
  }
  if (m->nk > 0) {
    DAE__TRY(dae__mech_derivative(m, DAE__K_Q, &here, NULL, s->values, &s->last));
    dae__block_add(&block[NONHOLONOMIC], 1, s->values, J);
    dae__block_add(&block[NONHOLONOMIC_V], 1, s->K, J);
  }
  /* terms of the stabilised (GGL) form, with mu */
  if (m->ng > 0 && s->kind == DAE__VIEW_GGL) {
    DAE__TRY(dae__mech_derivative(m, DAE__GTS_Q, &here, view_multipliers(s, at, s->mu), s->values,
                                  &s->last));
    dae__block_add(&block[GTMU_Q], -1, s->values, J);
    dae__block_add(&block[GTMU], -1, s->G, J);
    dae__block_add(&block[MU], 1, s->G, J);
  }
  return DAE_OK;
}

static int view_eval_J(void *user, const dae_semi_explicit_at *at, double *out)
{
  view *s = user;
  dae__zero(dae__pattern_count(&s->J), out);
  return dae__callback_code(view_add_J(s, at, out));
}

/* ---- creation ---- */

static void view_create_J(view *s, dae__arena *arena)
{
  const dae__mech *m = s->m;
  const dae_pattern *none = &s->none;
  bool velocity = s->kind != DAE__VIEW_POSITION, ggl = s->kind == DAE__VIEW_GGL;
  bool directed = m->directed;
  int nq = m->nq, l = m->at.lambda, psi = m->at.psi, mu = s->mu;
  const dae__block blocks[BLOCKS] = {
      [UNIT_V] = {.row = 0, .col = nq, .pattern = &s->unit_q},
      [RHS] = {.row = nq, .col = 0, .pattern = &m->J},
      [GTS] = {.row = nq, .col = 0, .pattern = directed ? none : &m->Gts},
      [KTS] = {.row = nq, .col = 0, .pattern = directed ? none : &m->Kts},
      [GT] = {.row = nq, .col = l, .pattern = directed ? none : &m->G, .transposed = true},
      [KT] = {.row = nq, .col = psi, .pattern = directed ? none : &m->K, .transposed = true},
      [BTS] = {.row = nq, .col = 0, .pattern = &m->Bts},
      [BT] = {.row = nq, .col = l, .pattern = &m->B, .transposed = true},
      [POSITION] = {.row = l, .col = 0, .pattern = &m->G},
      [POSITION_V] = {.row = l, .col = nq, .pattern = velocity ? &m->G : none},
      [NONHOLONOMIC] = {.row = psi, .col = 0, .pattern = &m->kq},
      [NONHOLONOMIC_V] = {.row = psi, .col = nq, .pattern = &m->K},
      [GTMU_Q] = {.row = 0, .col = 0, .pattern = ggl ? &m->Gts : none},
      [GTMU] = {.row = 0, .col = mu, .pattern = ggl ? &m->G : none, .transposed = true},
      [MU] = {.row = mu, .col = 0, .pattern = ggl ? &m->G : none},
      [FULL] = {.row = 0, .col = 0, .pattern = m->sparse ? none : &s->full_J}};
  memcpy(s->J_block, blocks, sizeof blocks);
  s->J = dae__blocks_merge(arena, s->n, s->n, s->J_block, BLOCKS);
}

/* Patterns of M, (M s)_x and J; for a dense problem a block without values makes them dense. */
static void view_create_matrices(view *s, dae__arena *arena)
{
  dae__mech *m = s->m;
  int nq = m->nq, nx = s->nx;
  s->unit_q = dae__pattern_diagonal(arena, nq);
  s->unit_u = dae__pattern_diagonal(arena, m->nu);
  s->full_M = dae__pattern_dense(arena, m->sparse ? 0 : nx, m->sparse ? 0 : nx);
  s->full_J = dae__pattern_dense(arena, m->sparse ? 0 : s->n, m->sparse ? 0 : s->n);
  s->none = dae__pattern_dense(arena, 0, 0);
  if (dae__arena_failed(arena))
    return;
  s->M_block[0] = (dae__block){.pattern = &s->unit_q};
  s->M_block[1] = (dae__block){.row = nq, .col = nq, .pattern = &m->M};
  s->M_block[2] = (dae__block){.row = 2 * nq, .col = 2 * nq, .pattern = &s->unit_u};
  s->M_block[3] = (dae__block){.pattern = &s->full_M};
  s->M = dae__blocks_merge(arena, nx, nx, s->M_block, 4);
  s->Ms_block[0] = (dae__block){.row = nq, .pattern = &m->Ms};
  s->Ms_block[1] = (dae__block){.pattern = &s->full_M};
  s->Ms = dae__blocks_merge(arena, nx, nx, s->Ms_block, 2);
  view_create_J(s, arena);
}

static void view_alloc_scratch(view *s, dae__arena *arena)
{
  const dae__mech *m = s->m;
  const dae_pattern *patterns[] = {&m->J, &m->Ms, &m->Gts, &m->Kts, &m->Bts, &m->G, &m->kq};
  int largest = 0, ones = m->nq > m->nu ? m->nq : m->nu;
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
    if (dae__pattern_count(patterns[i]) > largest)
      largest = dae__pattern_count(patterns[i]);
  s->values = DAE__ALLOC(arena, double, largest);
  s->mass = DAE__ALLOC(arena, double, dae__pattern_count(&m->M));
  s->G = DAE__ALLOC(arena, double, dae__pattern_count(&m->G));
  s->K = DAE__ALLOC(arena, double, dae__pattern_count(&m->K));
  s->B = DAE__ALLOC(arena, double, dae__pattern_count(&m->B));
  s->ones = DAE__ALLOC(arena, double, ones);
  for (int i = 0; s->ones && i < ones; i++)
    s->ones[i] = 1;
}

/* Names of the variables: those of the mechanical problem, and mu(rod) beside lambda(rod). */
static const char *const *view_create_names(view *s, dae__arena *arena)
{
  dae_problem problem = dae_problem_mechanical(s->m->p);
  const char **names = DAE__ALLOC(arena, const char *, s->n);
  for (int i = 0; i < s->n; i++) {
    char name[96], constraint[64];
    if (i < s->mu)
      (void)dae_problem_variable(&problem, i, name, sizeof name);
    else
      snprintf(name, sizeof name, "mu(%s)",
               dae__mech_constraint_name(s->m->p, i - s->mu, constraint, sizeof constraint));
    char *own = DAE__ALLOC(arena, char, strlen(name) + 1);
    if (!own)
      return NULL;
    memcpy(own, name, strlen(name) + 1);
    names[i] = own;
  }
  return names;
}

static void view_describe(view *s, const char *const *names)
{
  const dae__mech *m = s->m;
  s->semi = (dae_semi_explicit){.name = m->p->name,
                                .nx = s->nx,
                                .ny = s->n - s->nx,
                                .index = m->nc == 0                                   ? 1
                                         : s->kind == DAE__VIEW_POSITION && m->ng > 0 ? 3
                                                                                      : 2,
                                .user = s,
                                .x_names = names,
                                .y_names = names + s->nx,
                                .f = view_eval_f,
                                .F = view_eval_F,
                                .M = view_eval_M,
                                .J = view_eval_J,
                                .Ms_x = view_eval_Ms,
                                .M_pattern = m->sparse ? &s->M : NULL,
                                .J_pattern = m->sparse ? &s->J : NULL,
                                .Ms_pattern = m->sparse ? &s->Ms : NULL,
                                .constant_mass = m->p->constant_mass};
}

dae_status dae__view_semi(dae__arena *arena, const dae_problem *mechanical, dae__view_kind kind,
                          dae_problem *out, dae_error *err)
{
  dae__mech *m;
  if (!mechanical->mechanical)
    return dae__fail(err, DAE_ERROR_USAGE, "problem",
                     "only a mechanical problem can be seen as a semi-explicit one");
  DAE__TRY(dae__mech_create(arena, mechanical, &m, err));
  view *s = DAE__ALLOC(arena, view, 1);
  const char *const *names = NULL;
  if (s) {
    s->m = m;
    s->kind = kind;
    s->last = dae_error_none();
    s->nx = m->at.w;
    s->mu = m->at.size;
    s->n = s->mu + (kind == DAE__VIEW_GGL ? m->ng : 0);
    view_create_matrices(s, arena);
    names = view_create_names(s, arena);
  }
  if (!dae__arena_failed(arena))
    view_alloc_scratch(s, arena);
  DAE__TRY(dae__arena_status(arena, err));
  view_describe(s, names);
  *out = dae_problem_semi_explicit(&s->semi);
  out->why = &s->last;
  return DAE_OK;
}

dae__mech *dae__view_mech(const dae_problem *problem)
{
  return ((const view *)problem->semi_explicit->user)->m;
}
