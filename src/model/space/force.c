/* Forces by virtual work: F along s and F at P give every coordinate q the force F . ds/dq, or
 * F . ds/dq' where s holds rates, linearly. Rods, springs and dampers between two points. */
#include "core/log.h"
#include "model/space/space.h"
#include <string.h>

int dae__coordinate_of_rate(dae__expander *x, int rate)
{
  dae__leaf_info info = x->leaves.item[rate];
  const dae__elements *e = dae__elements_slot(x, info.symbol, info.instance);
  return rate - e->count * e->width;
}

/* Adds F dP/dq, or F dP/dq', for one component. */
static int force_add_component(const dae__context *c, dae__node F, dae__node P, unsigned kind,
                               int place)
{
  dae__expander *x = c->x;
  dae__kinds kinds = {x->leaf_kind.item, kind};
  dae__gradient d = dae__gradient_of(x->walker, P, kinds);
  int home = x->instances.item[c->instance].home;
  for (int i = 0; i < d.count && dae__load_ok(x->l); i++) {
    int leaf = kind == DAE__LEAF_COORD ? d.leaf[i] : dae__coordinate_of_rate(x, d.leaf[i]);
    if (dae__leaf_home(x, leaf) == home)
      dae__add_force(c, leaf, DAE__MUL(x->graph, F, d.value[i]), place);
    else
      dae__load_fail(x->l, place,
                     "%s belongs to another system; write a force in each of the two systems",
                     dae__leaf_name(x, leaf));
  }
  return d.count;
}

void dae__add_virtual_force(const dae__context *c, dae__value F, dae__value P, int place)
{
  dae__expander *x = c->x;
  unsigned kinds = 0, kind;
  int count = 0;
  for (int i = 0; i < P.size && !x->l->status; i++)
    kinds |= dae__kinds_below(x, P.at[i]);
  kind = kinds & DAE__LEAF_COORD_RATE ? DAE__LEAF_COORD_RATE : DAE__LEAF_COORD;
  for (int i = 0; i < P.size && !x->l->status; i++) {
    dae__kinds rates = {x->leaf_kind.item, kind};
    dae__check_force(c, F.at[i], place);
    if (kind == DAE__LEAF_COORD_RATE && !dae__is_linear(x->walker, P.at[i], rates))
      dae__load_fail(x->l, place,
                     "a force acts along a coordinate, or along what is linear in rates");
    if (dae__load_ok(x->l))
      count += force_add_component(c, F.at[i], P.at[i], kind, place);
  }
  if (!x->l->status && count == 0)
    dae__load_fail(x->l, place,
                   "this point or path depends on no coordinate: no force can act there");
}

/* A number, whose coordinates forces act on. `along J.angle` uses the rate: no coordinate is made.
 */
static dae__node force_path(const dae__context *c, const dae__expr *e)
{
  dae__found found;
  if (e->kind == DAE__EXPR_NAME && e->member && !e->rate) {
    if (!dae__find(c, e, &found))
      return DAE__ZERO;
    if (found.kind == DAE__FOUND_CONNECTOR && found.rest && !found.rest->member &&
        !strcmp(found.rest->name, "angle") && dae__joint_has_angle(found.connector)) {
      dae__connector_resolve(c->x, found.connector);
      return c->x->l->status ? DAE__ZERO : dae__joint_rate(c->x, found.connector);
    }
  }
  return dae__evaluate(c, e);
}

static void force_expand_torque(const dae__context *c, const dae__statement *s)
{
  dae__expander *x = c->x;
  dae__value T = dae__evaluate_value(c, s->a);
  dae__body *b = x->l->status ? NULL : dae__body_named(c, s->clause->a);
  dae__body *a = s->clause->b && !x->l->status ? dae__body_named(c, s->clause->b) : NULL;
  if (x->l->status)
    return;
  if (!b->s) {
    dae__load_fail(x->l, s->clause->a->place,
                   "the ground does not turn: torque T on B from ground");
    return;
  }
  if (a == b)
    dae__load_fail(x->l, s->clause->b->place, "a torque acts from %s on itself", b->name);
  if (a && a->s && a->plane != b->plane)
    dae__load_fail(x->l, s->place, "a torque between a plane body and one in space");
  dae__body_nodes(x, b);
  dae__value w = b->omega_node;
  if (a && a->s) {
    dae__body_nodes(x, a);
    w = dae__vector_sub(x->graph, w, a->omega_node);
  }
  if (!x->l->status && T.size != w.size)
    dae__load_fail(x->l, s->a->place, "a torque on %s is %s, found %s", b->name,
                   dae__size_text(w.size), dae__size_text(T.size));
  if (!x->l->status)
    dae__add_virtual_force(c, T, w, s->place);
}

/* Rayleigh's dissipation: force q = -dD/dq'. */
static void force_expand_dissipation(const dae__context *c, const dae__statement *s)
{
  dae__expander *x = c->x;
  dae__node D = dae__evaluate(c, s->a), minus = dae__constant(x->graph, -1);
  dae__check_force(c, D, s->a->place);
  if (x->l->status)
    return;
  if (!(dae__kinds_below(x, D) & DAE__LEAF_COORD_RATE))
    dae__load_fail(x->l, s->a->place,
                   "a dissipation holds rates: dissipation c*x'^2/2 is the damper -c*x'");
  else
    force_add_component(c, minus, D, DAE__LEAF_COORD_RATE, s->place);
}

static void force_expand_at(const dae__context *c, const dae__statement *s)
{
  dae__load *l = c->x->l;
  dae__value F = dae__evaluate_value(c, s->a);
  dae__value P = l->status ? DAE__NO_VALUE : dae__evaluate_value(c, s->b);
  if (!l->status && (P.size == 1 || F.size != P.size))
    dae__load_fail(
        l, s->b->place,
        "force F at P needs two vectors of one size, found %s and %s; force F along s has "
        "numbers",
        dae__size_text(F.size), dae__size_text(P.size));
  if (!l->status)
    dae__add_virtual_force(c, F, P, s->place);
}

void dae__force_expand(const dae__context *c, const dae__statement *s)
{
  dae__expander *x = c->x;
  if (s->kind == DAE__STATEMENT_TORQUE) {
    force_expand_torque(c, s);
  } else if (s->kind == DAE__STATEMENT_DISSIPATION) {
    force_expand_dissipation(c, s);
  } else if (s->kind == DAE__STATEMENT_AT) {
    force_expand_at(c, s);
  } else {
    dae__node F = dae__evaluate(c, s->a), path = x->l->status ? DAE__ZERO : force_path(c, s->b);
    if (!x->l->status)
      dae__add_virtual_force(c, dae__as_number(F), dae__as_number(path), s->place);
  }
}

/* ---- rods, springs, dampers ---- */

/* Warns of an element whose ends meet at the start: it pulls in no direction. */
static void spring_check_length(dae__expander *x, const dae__connector *k)
{
  const dae__clause *free = dae__clause_of(k->s, "free");
  dae__context c = dae__connector_context(x, k);
  if (k->kind == DAE__CONNECTOR_ROD || x->l->status ||
      (k->kind == DAE__CONNECTOR_SPRING && !dae__clause_of(k->s, "damping") &&
       (!free || dae__evaluate(&c, free->a) == DAE__ZERO)))
    return;
  if (dae__start_value(x, k->length, k->s->place) == 0)
    dae__log(&x->graph->env, DAE_LOG_WARNING,
             "line %d: the ends of %s %s meet at the start, where its direction is not defined; a "
             "bushing, or a spring of free length 0 without damping, has none",
             dae__line_of(&x->l->files, k->s->place), k->s->word, k->name);
}

/* Length, or number, with its rate: s and what forces act along. */
static void spring_find_length(dae__expander *x, const dae__context *c, dae__connector *k)
{
  const dae__statement *s = k->s;
  if (!s->b) {
    k->d = dae__as_number(dae__evaluate(c, s->a));
    k->length = k->d.node;
    return;
  }
  k->p = dae__evaluate_value(c, s->a);
  k->q = x->l->status ? k->p : dae__evaluate_value(c, s->b);
  if (!x->l->status && (k->p.size == 1 || k->p.size != k->q.size))
    dae__load_fail(x->l, s->place, "the ends of %s %s are %s and %s; they are points", s->word,
                   k->name, dae__size_text(k->p.size), dae__size_text(k->q.size));
  if (x->l->status)
    return;
  k->plane = k->p.size == 2;
  k->d = dae__vector_sub(x->graph, k->q, k->p);
  k->length = dae__relative_scalar(x, k, dae__vector_norm(x->graph, k->d), &k->d, 1);
  if (!x->l->status)
    spring_check_length(x, k);
}

/* Rate that a spring or damper acts along; for the angle of a joint the rate of the joint. */
static dae__node spring_rate(dae__expander *x, const dae__context *c, dae__connector *k)
{
  dae__node path = k->s->b ? k->length : force_path(c, k->s->a);
  if (x->l->status || dae__kinds_below(x, path) & DAE__LEAF_COORD_RATE)
    return path;
  return dae__total_rate(x, path, k->s->place, k->name);
}

static dae__node spring_clause(const dae__context *c, const dae__clause *at)
{
  dae__node node = at ? dae__evaluate(c, at->a) : DAE__ZERO;
  if (at)
    dae__check_force(c, node, at->a->place);
  return node;
}

static void spring_check(dae__expander *x, const dae__connector *k)
{
  const dae__clause *damping = dae__clause_of(k->s, "damping");
  for (const dae__clause *at = damping ? damping->next : NULL; at; at = at->next)
    if (at->word == damping->word)
      dae__load_fail(x->l, at->place, "damping is given twice");
  if (k->kind == DAE__CONNECTOR_SPRING && !dae__clause_of(k->s, "stiffness"))
    dae__load_fail(x->l, k->s->place, "spring %s needs its stiffness: stiffness K", k->name);
  if (k->kind == DAE__CONNECTOR_DAMPER && !damping)
    dae__load_fail(x->l, k->s->place, "damper %s needs its damping: damping C", k->name);
}

void dae__spring_resolve(dae__expander *x, dae__connector *k)
{
  dae__context c = dae__connector_context(x, k);
  dae__graph *g = x->graph;
  spring_check(x, k);
  if (!x->l->status)
    spring_find_length(x, &c, k);
  if (x->l->status || k->kind == DAE__CONNECTOR_ROD)
    return;
  const dae__clause *damping = dae__clause_of(k->s, "damping"),
                    *free = dae__clause_of(k->s, "free");
  dae__node K = spring_clause(&c, dae__clause_of(k->s, "stiffness"));
  dae__node C = spring_clause(&c, damping);
  /* u: the rate that the damper acts along, m: the free length, n: stiffness and damping */
  k->u = dae__as_number(damping ? spring_rate(x, &c, k) : DAE__ZERO);
  k->n = (dae__value){.at = {K, C}, .size = 2};
  if (free)
    k->m = dae__as_number(spring_clause(&c, free));
  else
    k->m = dae__as_number(dae__constant(g, dae__start_value(x, k->length, k->s->place)));
  k->pull =
      DAE__ADD(g, DAE__MUL(g, K, DAE__SUB(g, k->length, k->m.node)), DAE__MUL(g, C, k->u.node));
}

static void spring_expand_rod(dae__expander *x, dae__connector *k)
{
  dae__context c = dae__connector_context(x, k);
  const dae__clause *length = dae__clause_of(k->s, "length");
  double start = dae__start_value(x, k->length, k->s->place), L = start;
  dae__node node = length ? dae__evaluate(&c, length->a) : dae__constant(x->graph, L);
  if (length)
    L = dae__start_value(x, node, length->a->place);
  if (!x->l->status && !(L > 0))
    dae__load_fail(x->l, length ? length->place : k->s->place,
                   "the length %g of rod %s is not positive", L, k->name);
  if (x->l->status)
    return;
  static const dae__allowed may = {DAE__LEAF_TIME | DAE__LEAF_COORD, 0, "a rod",
                                   "t and coordinates of its system"};
  dae__node g = DAE__SUB(x->graph, k->length, node);
  dae__check_leaves(&c, g, k->s->place, &may);
  if (!x->l->status && !(dae__kinds_below(x, g) & DAE__LEAF_COORD))
    dae__load_fail(x->l, k->s->place, "rod %s connects two points that do not move", k->name);
  k->pull = dae__connector_row(x, k, "", g, false);
}

void dae__spring_expand(dae__expander *x, dae__connector *k)
{
  dae__context c = dae__connector_context(x, k);
  dae__graph *g = x->graph;
  if (k->kind == DAE__CONNECTOR_ROD) {
    spring_expand_rod(x, k);
    return;
  }
  dae__node K = k->n.at[0], C = k->n.at[1], free = k->m.node, square;
  if (K != DAE__ZERO) {
    if (k->s->b && free == DAE__ZERO) /* regular at length 0 */
      square = dae__relative_scalar(x, k, dae__vector_dot(g, k->d, k->d), &k->d, 1);
    else
      square = dae__powi(g, DAE__SUB(g, k->length, free), 2);
    dae__node V = DAE__MUL(g, DAE__MUL(g, dae__constant(g, 0.5), K), square);
    dae__check_energy(&c, false, V, k->s->place);
    dae__add_energy(&c, false, V, k->s->place);
  }
  if (C == DAE__ZERO)
    return;
  dae__node F = DAE__NEG(g, DAE__MUL(g, C, k->u.node));
  dae__add_virtual_force(&c, dae__as_number(F), k->u, k->s->place);
}
