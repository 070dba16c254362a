/* A mechanical system, built from its energies T and V, forces and constraints.
 *
 *   p = T_v,   M = p_v,   p_rate = p_t + p_q v,   F = T_q - V_q + forces,   f = F - p_rate
 *
 * and the derivatives of its constraints
 *
 *   G = g_q,   gdot = g_t + G v,   gamma = gdot_t + gdot_q v,   K = k_v,   kappa = k_t + k_q v
 *
 * Each quantity has a tape of its own; quantities that methods evaluate together also have
 * common tapes, which share subexpressions. */
#include "model/bind/accelerations.h"
#include "model/bind/bind.h"
#include "model/bind/mechanics.h"
#include "model/bind/reactions.h"

/* ---- expressions of the quantities ---- */

typedef struct build {
  dae__binder *b;
  dae__system *u;
  dae__mechanical_tapes *m;
  dae_mechanical *p;
  /* vectors and matrices of expressions, by quantity */
  dae__nodes vector[DAE__QUANTITIES];
  dae__triplets matrix[DAE__QUANTITIES];
  bool is_matrix[DAE__QUANTITIES];
  dae__node T, V;
  dae__reactions reactions;
} build;

static dae__nodes bind_mech_zeros(build *a, int count)
{
  dae__nodes list = {.count = count};
  list.item = DAE__NEW_ARRAY(a->b->x->l->scratch, dae__node, count);
  return list;
}

/* Gradient of a node with respect to q or v, as a dense vector. */
static void bind_mech_gradient_into(build *a, dae__node node, unsigned mask, dae__nodes *out)
{
  dae__gradient d = dae__bind_gradient(a->b, node, mask);
  for (int i = 0; i < d.count; i++)
    out->item[a->b->index[d.leaf[i]]] = d.value[i];
}

/* Sets a matrix to the Jacobian of rows by the classes in mask. */
static void bind_mech_set_jacobian(build *a, int quantity, const dae__nodes *rows, unsigned mask)
{
  a->matrix[quantity] = dae__bind_jacobian(a->b, a->u, rows, mask);
  a->is_matrix[quantity] = true;
}

/* Builds p, M, p_rate, F, f, and the derivatives of M s. */
static void bind_mech_build_inertia(build *a)
{
  dae__binder *b = a->b;
  dae__graph *graph = b->x->graph;
  const dae__instance *own = &b->x->instances.item[a->u->instance];
  int nq = a->u->q.count;
  dae__nodes T_q = bind_mech_zeros(a, nq), V_q = bind_mech_zeros(a, nq), p = bind_mech_zeros(a, nq);
  dae__nodes p_rate = bind_mech_zeros(a, nq), F = bind_mech_zeros(a, nq),
             f = bind_mech_zeros(a, nq);
  if (!dae__bind_ok(b))
    return;
  bind_mech_gradient_into(a, a->T, DAE__BIT(V), &p);
  bind_mech_gradient_into(a, a->T, DAE__BIT(Q), &T_q);
  bind_mech_gradient_into(a, a->V, DAE__BIT(Q), &V_q);
  for (int i = 0; i < nq; i++)
    F.item[i] = DAE__SUB(graph, T_q.item[i], V_q.item[i]);
  for (int i = 0; i < own->forces.count; i++) {
    dae__node *to = &F.item[b->index[own->forces.item[i].leaf]];
    *to = DAE__ADD(graph, *to, dae__reactions_take(&a->reactions, &own->forces.item[i]));
  }
  for (int i = 0; i < nq && dae__bind_ok(b); i++) {
    p_rate.item[i] = dae__bind_rate(b, p.item[i]);
    f.item[i] = DAE__SUB(graph, F.item[i], p_rate.item[i]);
  }
  a->vector[DAE__Q_p] = p;
  a->vector[DAE__Q_p_rate] = p_rate;
  a->vector[DAE__Q_F] = F;
  a->vector[DAE__Q_f] = f;
  bind_mech_set_jacobian(a, DAE__Q_M, &p, DAE__BIT(V));
  a->u->inertia = a->matrix[DAE__Q_M];
  a->p->constant_mass = dae__triplets_constant(graph, &a->u->inertia);
  if (!a->p->constant_mass) {
    dae__nodes Ms = dae__bind_contract(b, &a->u->inertia, true);
    bind_mech_set_jacobian(a, DAE__Q_Ms_qv, &Ms, DAE__BIT(Q) | DAE__BIT(V));
  }
}

/* Builds the Jacobians d(f, s, c)/d(q, v, u, w) and d(f, s, c)/d(in). */
static void bind_mech_build_rows(build *a)
{
  const dae__system *u = a->u;
  dae__pool *pool = a->b->x->l->scratch;
  dae__nodes all = {0};
  const dae__nodes *parts[] = {&a->vector[DAE__Q_f], &u->s, &u->c};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < parts[k]->count; i++)
      *DAE__PUSH(pool, &all) = parts[k]->item[i];
  a->vector[DAE__Q_s] = u->s;
  a->vector[DAE__Q_c] = u->c;
  bind_mech_set_jacobian(a, DAE__Q_J, &all, DAE__BIT(Q) | DAE__BIT(V) | DAE__BIT(U) | DAE__BIT(W));
  if (u->in.count > 0)
    bind_mech_set_jacobian(a, DAE__Q_J_in, &all, DAE__BIT(IN));
}

/* Residuals of constraints; names: set to the names of the constraints. */
static dae__nodes bind_mech_list_constraints(build *a, const dae__constraints *all,
                                             const char *const **names)
{
  dae__nodes nodes = {0};
  const char **copy = DAE__ALLOC(a->b->arena, const char *, all->count);
  for (int i = 0; copy && i < all->count; i++) {
    *DAE__PUSH(a->b->x->l->scratch, &nodes) = all->item[i].node;
    copy[i] = all->item[i].name;
  }
  *names = copy;
  return nodes;
}

static void bind_mech_build_holonomic(build *a, const dae__constraints *all)
{
  dae__binder *b = a->b;
  dae__nodes g = bind_mech_list_constraints(a, all, &a->p->g_names);
  dae__nodes g_t = bind_mech_zeros(a, g.count), gdot = bind_mech_zeros(a, g.count);
  dae__nodes gamma = bind_mech_zeros(a, g.count);
  if (!dae__bind_ok(b))
    return;
  bind_mech_set_jacobian(a, DAE__Q_G, &g, DAE__BIT(Q));
  const dae__triplets *G = &a->matrix[DAE__Q_G];
  a->p->time_free_g = true;
  for (int i = 0; i < g.count; i++) {
    dae__gradient d = dae__bind_gradient(b, g.item[i], DAE__BIT(T));
    gdot.item[i] = g_t.item[i] = d.count > 0 ? d.value[0] : DAE__ZERO;
    a->p->time_free_g = a->p->time_free_g && d.count == 0;
  }
  for (int i = 0; i < G->entries.count; i++) {
    const dae__triplet *e = &G->entries.item[i];
    dae__node v = b->x->leaf_rate.item[a->u->q.item[e->col]];
    gdot.item[e->row] = DAE__ADD(b->x->graph, gdot.item[e->row], DAE__MUL(b->x->graph, e->node, v));
  }
  for (int i = 0; i < g.count && dae__bind_ok(b); i++)
    gamma.item[i] = dae__bind_rate(b, gdot.item[i]);
  a->vector[DAE__Q_g] = g;
  a->vector[DAE__Q_g_t] = g_t;
  a->vector[DAE__Q_gdot] = gdot;
  a->vector[DAE__Q_gamma] = gamma;
  if (g.count == 0)
    return;
  dae__nodes Gts = dae__bind_contract(b, G, false);
  bind_mech_set_jacobian(a, DAE__Q_Gts_q, &Gts, DAE__BIT(Q));
  bind_mech_set_jacobian(a, DAE__Q_gdot_q, &gdot, DAE__BIT(Q));
}

static void bind_mech_build_nonholonomic(build *a, const dae__constraints *all)
{
  dae__binder *b = a->b;
  dae__nodes k = bind_mech_list_constraints(a, all, &a->p->k_names);
  dae__nodes kappa = bind_mech_zeros(a, k.count);
  if (!dae__bind_ok(b))
    return;
  bind_mech_set_jacobian(a, DAE__Q_K, &k, DAE__BIT(V));
  for (int i = 0; i < k.count && dae__bind_ok(b); i++)
    kappa.item[i] = dae__bind_rate(b, k.item[i]);
  a->vector[DAE__Q_k] = k;
  a->vector[DAE__Q_kappa] = kappa;
  if (k.count == 0)
    return;
  dae__nodes Kts = dae__bind_contract(b, &a->matrix[DAE__Q_K], false);
  bind_mech_set_jacobian(a, DAE__Q_Kts_qv, &Kts, DAE__BIT(Q) | DAE__BIT(V));
  bind_mech_set_jacobian(a, DAE__Q_k_q, &k, DAE__BIT(Q));
}

/* Extends gdot_q to the sparsity pattern of G, which contains the pattern of gdot_q. */
static void bind_mech_widen_to_G(build *a)
{
  dae__triplets *m = &a->matrix[DAE__Q_gdot_q], wide = a->matrix[DAE__Q_G];
  dae__pool *pool = a->b->x->l->scratch;
  dae__triplets out = {.rows = wide.rows, .cols = wide.cols, .sparse = wide.sparse};
  int next = 0;
  for (int i = 0; i < wide.entries.count; i++) {
    dae__triplet e = wide.entries.item[i];
    const dae__triplet *own = next < m->entries.count ? &m->entries.item[next] : NULL;
    bool same = own && own->row == e.row && own->col == e.col;
    e.node = same ? own->node : DAE__ZERO;
    next += same;
    *DAE__PUSH(pool, &out.entries) = e;
  }
  *m = out;
}

/* ---- conservation of energy ---- */

/* Whether nodes are functions of q and v alone, without jumps or branches. */
static bool bind_mech_is_autonomous(build *a, const dae__nodes *nodes)
{
  dae__walker *walker = a->b->x->walker;
  const dae__graph *graph = a->b->x->graph;
  if (!dae__walk_below(walker, nodes->count, nodes->item, DAE__WALK_ALL))
    return false;
  for (int i = 0; i < walker->visit.count; i++) {
    const dae__entry *e = &graph->entry[walker->visit.item[i].node];
    bool jumps = e->op == DAE__OP_SIGN || (e->op >= DAE__OP_FLOOR && e->op <= DAE__OP_IF);
    if (jumps || (e->op == DAE__OP_LEAF && !(a->b->kind[e->a] & (DAE__BIT(Q) | DAE__BIT(V)))))
      return false;
  }
  return true;
}

/* Whether a node is linear and homogeneous in v. */
static bool bind_mech_is_homogeneous(build *a, dae__node k)
{
  dae__binder *b = a->b;
  const dae__system *u = a->u;
  if (!dae__is_linear(b->x->walker, k, (dae__kinds){b->kind, DAE__BIT(V)}))
    return false;
  for (int i = 0; i < u->q.count; i++)
    b->by[b->x->graph->entry[b->x->leaf_rate.item[u->q.item[i]]].a] = DAE__ZERO;
  dae__node rest = dae__replace_leaves(b->x->walker, k, b->by);
  for (int i = 0; i < u->q.count; i++)
    b->by[b->x->graph->entry[b->x->leaf_rate.item[u->q.item[i]]].a] = -1;
  return rest == DAE__ZERO;
}

/* Whether v.p - T + V is constant along every motion, and T is quadratic in v. */
static bool bind_mech_conserves(build *a)
{
  const dae__instance *own = &a->b->x->instances.item[a->u->instance];
  const dae__nodes *k = &a->vector[DAE__Q_k];
  dae__nodes energies = {.item = (dae__node[]){a->T, a->V}, .count = 2};
  if (own->forces.count > 0 || a->is_matrix[DAE__Q_B] || !bind_mech_is_autonomous(a, &energies) ||
      !bind_mech_is_autonomous(a, &a->vector[DAE__Q_g]) || !bind_mech_is_autonomous(a, k))
    return false;
  for (int i = 0; i < k->count; i++)
    if (!bind_mech_is_homogeneous(a, k->item[i]))
      return false;
  const dae__triplets *M = &a->matrix[DAE__Q_M];
  for (int i = 0; i < M->entries.count; i++) /* T is quadratic in v */
    if (dae__bind_gradient(a->b, M->entries.item[i].node, DAE__BIT(V)).count > 0)
      return false;
  return true;
}

/* ---- tapes ---- */

/* Builds a tape for each quantity, and the programs. */
static void bind_mech_build_tapes(build *a)
{
  dae__mechanical_tapes *m = a->m;
  for (int i = 0; i < DAE__QUANTITIES; i++) {
    bool empty = a->is_matrix[i] ? a->matrix[i].rows == 0 || a->matrix[i].cols == 0
                                 : a->vector[i].count == 0;
    if (empty)
      continue;
    m->single[i] = a->is_matrix[i]
                       ? dae__bind_matrix_tape(a->b, dae__quantity_names[i], &a->matrix[i])
                       : dae__bind_vector_tape(a->b, dae__quantity_names[i], &a->vector[i]);
    if (i < DAE__WANTED_COUNT && m->single[i])
      m->present |= 1u << i;
  }
  unsigned shared = m->present;
  if (a->p->constant_mass) /* a constant M is evaluated once, by a tape of its own */
    shared &= ~(1u << DAE__Q_M);
  for (int i = 0; i < DAE__PROGRAMS; i++) {
    dae__program_plan t = dae__mechanics_programs[i];
    unsigned mask = t.mask & shared;
    bool known = (mask & (mask - 1)) == 0; /* no program for fewer than two quantities */
    dae__outputs out = {0};
    int zeroed[DAE__WANTED_COUNT] = {0};
    for (int k = 0; k < m->programs; k++)
      known = known || m->program[k].mask == mask;
    if (known)
      continue;
    for (int k = 0; k < DAE__WANTED_COUNT; k++) {
      if (mask & (1u << k) && a->is_matrix[k])
        zeroed[k] = dae__triplets_outputs(a->b->x->l->scratch, &a->matrix[k], k, &out);
      else if (mask & (1u << k))
        dae__bind_vector(a->b, &a->vector[k], k, &out);
    }
    m->program[m->programs++] =
        (dae__program){mask, dae__bind_tape(a->b, t.what, &out, DAE__WANTED_COUNT, zeroed)};
  }
}

/* Builds the tapes of the accelerations. */
static void bind_mech_build_accelerations(build *a)
{
  const dae__nodes *v = a->vector;
  const dae__triplets *m = a->matrix;
  dae__mechanical_nodes of = {.f = &v[DAE__Q_f],
                              .s = &v[DAE__Q_s],
                              .g = &v[DAE__Q_g],
                              .gdot = &v[DAE__Q_gdot],
                              .gamma = &v[DAE__Q_gamma],
                              .k = &v[DAE__Q_k],
                              .kappa = &v[DAE__Q_kappa],
                              .M = &m[DAE__Q_M],
                              .G = &m[DAE__Q_G],
                              .K = &m[DAE__Q_K]};
  dae__bind_accelerations(a->b, a->u, &of, a->m);
}

/* Builds the tapes of T and V, and of their total time derivatives with the rates of inputs as the
 * vector s. */
static void bind_mech_build_energy(build *a)
{
  dae__binder *b = a->b;
  dae__graph *graph = b->x->graph;
  dae__node V_rate = dae__bind_rate(b, a->V), T_rate = dae__bind_rate(b, a->T);
  dae__gradient d = dae__bind_gradient(b, a->V, DAE__BIT(IN));
  for (int i = 0; i < d.count; i++) {
    dae__node s = dae__leaf(graph, b->s.item[b->index[d.leaf[i]]]);
    V_rate = DAE__ADD(graph, V_rate, DAE__MUL(graph, d.value[i], s));
  }
  dae__nodes energy = {.item = (dae__node[]){a->T, a->V}, .count = 2};
  dae__nodes rate = {.item = (dae__node[]){T_rate, V_rate}, .count = 2};
  a->m->energy = dae__bind_vector_tape(b, "energies", &energy);
  a->m->energy_rate = dae__bind_vector_tape(b, "rates of the energies", &rate);
}

/* ---- description of the problem ---- */

/* What the constraints belong to; NULL: all stand for themselves. */
static const char *const *bind_mech_groups(build *a)
{
  const dae__instance *own = &a->b->x->instances.item[a->u->instance];
  const dae__constraints *all[] = {&own->holonomic, &own->nonholonomic};
  const char **groups = DAE__ALLOC(a->b->arena, const char *, all[0]->count + all[1]->count);
  bool any = false;
  for (int k = 0, row = 0; groups && k < 2; k++)
    for (int i = 0; i < all[k]->count; i++, row++) {
      groups[row] = all[k]->item[i].group;
      any = any || groups[row];
    }
  return any ? groups : NULL;
}

/* Which constraints held values may switch off; NULL: none. */
static const bool *bind_mech_switched(build *a)
{
  const dae__instance *own = &a->b->x->instances.item[a->u->instance];
  const dae__constraints *all[] = {&own->holonomic, &own->nonholonomic};
  bool *switched = DAE__ALLOC(a->b->arena, bool, all[0]->count + all[1]->count), any = false;
  for (int k = 0, row = 0; switched && k < 2; k++)
    for (int i = 0; i < all[k]->count; i++, row++) {
      switched[row] = all[k]->item[i].switched;
      any = any || switched[row];
    }
  return any ? switched : NULL;
}

static void bind_mech_describe(build *a, const char *name)
{
  dae_mechanical *p = a->p;
  const dae__system *u = a->u;
  p->name = name;
  p->nq = u->q.count;
  p->nu = u->u.count;
  p->nw = u->w.count;
  p->nin = u->in.count;
  p->ng = a->vector[DAE__Q_g].count;
  p->nk = a->vector[DAE__Q_k].count;
  p->q_names = dae__bind_names(a->b, &u->q, u->q.count);
  p->u_names = dae__bind_names(a->b, &u->u, u->u.count);
  p->groups = bind_mech_groups(a);
  p->switched = bind_mech_switched(a);
  p->w_names = dae__bind_names(a->b, &u->w, u->w.count - u->hidden);
#define SET_PATTERN(member, quantity)                                                              \
  p->member##_pattern = dae__triplets_pattern(a->b->arena, &a->matrix[DAE__Q_##quantity])
  SET_PATTERN(M, M);
  SET_PATTERN(G, G);
  SET_PATTERN(K, K);
  SET_PATTERN(J, J);
  SET_PATTERN(J_in, J_in);
  SET_PATTERN(Ms, Ms_qv);
  SET_PATTERN(Gts, Gts_q);
  SET_PATTERN(k_q, k_q);
  SET_PATTERN(Kts, Kts_qv);
  SET_PATTERN(B, B);
  SET_PATTERN(Bts, Bts_qv);
#undef SET_PATTERN
  p->conservative = bind_mech_conserves(a);
  dae__mechanics_callbacks(a->m, p);
}

const dae_mechanical *dae__bind_mechanical(dae__binder *b, dae__system *u, const char *name)
{
  const dae__instance *own = &b->x->instances.item[u->instance];
  build *a = DAE__NEW(b->x->l->scratch, build);
  dae_mechanical *p = DAE__ALLOC(b->arena, dae_mechanical, 1);
  dae__mechanical_tapes *m = DAE__ALLOC(b->arena, dae__mechanical_tapes, 1);
  if (!dae__bind_ok(b) || !dae__binder_leaves(b, u->in.count))
    return NULL;
  m->held = b->held_value;
  *a = (build){.b = b,
               .u = u,
               .m = m,
               .p = p,
               .T = own->kinetic,
               .V = own->potential,
               .reactions = {.b = b, .u = u}};
  dae__system_place(b, u, true);
  bind_mech_build_inertia(a);
  bind_mech_build_rows(a);
  bind_mech_build_holonomic(a, &own->holonomic);
  bind_mech_build_nonholonomic(a, &own->nonholonomic);
  if (dae__bind_ok(b) && dae__reactions_any(&a->reactions)) {
    a->matrix[DAE__Q_B] =
        dae__reactions_directions(&a->reactions, &a->matrix[DAE__Q_G], &a->matrix[DAE__Q_K]);
    a->is_matrix[DAE__Q_B] = true;
    dae__nodes Bts = dae__bind_contract(b, &a->matrix[DAE__Q_B], false);
    bind_mech_set_jacobian(a, DAE__Q_Bts_qv, &Bts, DAE__BIT(Q) | DAE__BIT(V));
  }
  if (dae__bind_ok(b))
    dae__check_determined(b, u, &a->matrix[DAE__Q_M], &a->matrix[DAE__Q_G], &a->matrix[DAE__Q_K]);
  if (dae__bind_ok(b)) {
    bind_mech_widen_to_G(a);
    bind_mech_build_tapes(a);
    bind_mech_build_energy(a);
    if (!a->is_matrix[DAE__Q_B]) /* elimination is that of a symmetric system */
      bind_mech_build_accelerations(a);
    bind_mech_describe(a, name);
  }
  dae__system_place(b, u, false);
  return dae__bind_ok(b) ? p : NULL;
}
