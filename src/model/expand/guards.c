/* Branches of the motion as held values. A relation a < b of the motion jumps or bends it where a =
 * b. It is replaced by a leaf, its mode, which is constant in every step, and a guard, a watched
 * function b - a whose zeros change the mode:
 *
 *   a < b     m, 1 where b - a > 0           a <= b    !m of b < a
 *   abs(x)    if(m of 0 < x, x, -x)          sign(x)   if(m of 0 < x, 1, -1)
 *   floor(w)  m, a whole number with m <= w < m + 1
 *   interval(x) of a curve  m with knot(m) <= x < knot(m + 1)
 *
 * (min, max and mod are written with these.) So every step has a smooth right side. Operands are
 * replaced first, so that guards may depend on the modes of others before them. Relations over
 * held values alone are constant between events and stay as they are, so do those within smooth
 * and noevent. */
#include "model/expand/value.h"
#include "model/space/space.h"
#include <string.h>

/* Names are cut to the length of equation names in errors. */
enum { GUARD_NAME_SIZE = sizeof((dae_error *)0)->equation };

/* Name of all entries of tables with a node as owner. */
static const char guards_key[] = "";

void dae__relation_at(dae__expander *x, dae__node node, int place)
{
  const dae__entry *e = &x->graph->entry[node];
  if (e->op == DAE__OP_NOT || e->op == DAE__OP_NEG)
    e = &x->graph->entry[node = e->a];
  if (dae__is_relation(e->op) && dae__table_find(&x->relation_table, node, guards_key) < 0)
    dae__table_add(x->l, &x->relation_table, node, guards_key, place);
}

void dae__relations_reduced(dae__expander *x)
{
  const dae__table table = x->relation_table;
  for (int i = 0; i < table.slots; i++)
    if (table.slot[i].name)
      dae__relation_at(x, dae__relative_reduced(x, table.slot[i].owner), table.slot[i].number);
}

static int guards_place_of(dae__expander *x, dae__node node, int otherwise)
{
  dae__entry e = x->graph->entry[node];
  int place = dae__table_find(&x->relation_table, node, guards_key);
  if (place < 0 && e.op == DAE__OP_SIGN) /* sign(x) of the rate of abs(x) */
    place = dae__table_find(&x->relation_table, dae__unary(x->graph, DAE__OP_ABS, e.a), guards_key);
  return place < 0 ? otherwise : place;
}

static const char *guards_name(dae__expander *x, dae__node relation)
{
  char text[GUARD_NAME_SIZE];
  dae__print_node(x, relation, text, GUARD_NAME_SIZE);
  return dae__pool_text(x->l->keep, text, strlen(text));
}

/* Mode of the relation a < b, or floor(b): the leaf of its guard, which is made at the first use.
 * by: the relation as a function of the variables. like: its description. */
static dae__node guards_mode(dae__expander *x, dae__node a, dae__node b, dae__node by,
                             const dae__guard *like)
{
  dae__graph *graph = x->graph;
  bool whole = like->op != DAE__OP_LESS;
  dae__node relation = like->op == DAE__OP_FLOOR ? dae__unary(graph, DAE__OP_FLOOR, b)
                       : whole                   ? dae__interval_node(graph, like->curve, b)
                                                 : dae__binary(graph, DAE__OP_LESS, a, b);
  dae__node value = whole ? b : DAE__SUB(graph, b, a);
  double constant;
  if (dae__is_constant(graph, value, &constant))
    return like->op == DAE__OP_INTERVAL
               ? relation
               : dae__constant(graph, dae__op_value(whole ? DAE__OP_FLOOR : DAE__OP_LESS,
                                                    whole ? constant : 0, constant, 0));
  int number = dae__table_find(&x->guard_table, relation, guards_key);
  if (number < 0) {
    number = x->guards.count;
    dae__guard guard = *like;
    guard.value = value;
    guard.mode = by;
    guard.leaf =
        dae__add_leaf(x, DAE__LEAF_DISCRETE, (dae__leaf_info){.symbol = -1, .element = number});
    *DAE__PUSH(x->l->scratch, &x->guards) = guard;
    dae__table_add(x->l, &x->guard_table, relation, guards_key, number);
  }
  if (!dae__load_ok(x->l))
    return DAE__ZERO;
  dae__guard *guard = &x->guards.item[number];
  guard->motion = guard->motion || like->motion;
  guard->bends = guard->bends && like->bends;
  return dae__leaf(graph, guard->leaf);
}

/* Node that replaces a watched relation with the operands a, b. */
static dae__node guards_replace(dae__expander *x, dae__node node, dae__node a, dae__node b,
                                const dae__guard *like)
{
  dae__graph *g = x->graph;
  dae__entry e = g->entry[node];
  dae__node one = dae__constant(g, 1), mode;
  switch (e.op) {
  case DAE__OP_LESS:
    return guards_mode(x, a, b, node, like);
  case DAE__OP_LESS_EQUAL:
    mode = guards_mode(x, b, a, dae__binary(g, DAE__OP_LESS, e.b, e.a), like);
    return dae__unary(g, DAE__OP_NOT, mode);
  case DAE__OP_FLOOR:
  case DAE__OP_INTERVAL:
    return guards_mode(x, DAE__ZERO, a, node, like);
  case DAE__OP_EQUAL:
    dae__load_fail(x->l, like->place,
                   "%s compares values that change continuously, and holds at single instants "
                   "only: write < or <=; or smooth(if(...)) where both branches agree",
                   like->name);
    return DAE__ZERO;
  default: /* ABS, SIGN */
    mode = guards_mode(x, DAE__ZERO, a, dae__binary(g, DAE__OP_LESS, DAE__ZERO, e.a), like);
    return e.op == DAE__OP_ABS ? dae__if(g, mode, a, DAE__NEG(g, a))
                               : dae__if(g, mode, one, DAE__NEG(g, one));
  }
}

/* Tests for the interval of a smooth curve of time: its knots are instants at which steps end,
 * without a restart. */
static bool guards_is_smooth_clock(dae__expander *x, const dae__entry *e, dae__node node)
{
  return e->op == DAE__OP_INTERVAL && e->c == DAE__MARK_SMOOTH &&
         dae__curve_is_smooth(x->graph->curves.item[e->b]) &&
         !(dae__kinds_below(x, node) & ~(unsigned)(DAE__LEAF_TIME | DAE__LEAF_DISCRETE));
}

/* Tests that both branches of a relation agree where it changes. */
static bool guards_bends(const dae__expander *x, const dae__entry *e)
{
  return e->op == DAE__OP_ABS || e->c == DAE__MARK_BENDS ||
         (e->op == DAE__OP_INTERVAL && dae__curve_degree(x->graph->curves.item[e->b]) > 0 &&
          !x->graph->curves.item[e->b]->call);
}

/* Replaces the relations below nodes, operands first; each node is visited once. */
static void guards_rewrite(dae__expander *x, const dae__node_places *roots, bool motion, int place)
{
  dae__walker *walker = x->walker;
  dae__node *nodes = DAE__NEW_ARRAY(x->l->scratch, dae__node, roots->count);
  for (int i = 0; nodes && i < roots->count; i++)
    nodes[i] = *roots->item[i];
  if (!dae__load_ok(x->l) || !dae__walk_below(walker, roots->count, nodes, DAE__WALK_ALL))
    return;
  for (int slot = 0; slot < walker->visit.count && dae__load_ok(x->l); slot++) {
    dae__walk_visit *visit = &walker->visit.item[slot];
    dae__entry e = x->graph->entry[visit->node];
    dae__node operand[3] = {0};
    bool changed = dae__walk_operand_values(walker, &e, operand);
    visit->value = changed ? dae__with_operands(x->graph, e, operand) : visit->node;
    if (!dae__is_relation(e.op) ||
        !(dae__kinds_below(x, visit->value) & ~(unsigned)DAE__LEAF_DISCRETE))
      continue;
    x->unwatched += motion && e.c == DAE__MARK_NOEVENT;
    bool smooth = guards_is_smooth_clock(x, &e, visit->value);
    if (e.c > DAE__MARK_BENDS && !smooth)
      continue;
    bool whole = e.op == DAE__OP_FLOOR || e.op == DAE__OP_INTERVAL;
    const dae__guard like = {.name = guards_name(x, visit->node),
                             .place = guards_place_of(x, visit->node, place),
                             .op = whole ? (dae__op)e.op : DAE__OP_LESS,
                             .curve = e.op == DAE__OP_INTERVAL ? e.b : -1,
                             .motion = motion && !smooth,
                             .bends = guards_bends(x, &e)};
    visit->value = guards_replace(x, visit->node, operand[0], operand[1], &like);
  }
  for (int i = 0; i < roots->count && dae__load_ok(x->l); i++)
    *roots->item[i] = walker->visit.item[dae__slot_of(walker, nodes[i])].value;
}

static void guards_list_constraints(dae__pool *pool, const dae__constraints *all,
                                    dae__node_places *out)
{
  for (int i = 0; i < all->count; i++) {
    dae__constraint *g = &all->item[i];
    *DAE__PUSH(pool, out) = &g->node;
    for (int k = 0; k < g->directions.count; k++) {
      *DAE__PUSH(pool, out) = &g->directions.item[k].factor;
      *DAE__PUSH(pool, out) = &g->directions.item[k].of;
    }
  }
}

void dae__list_motion(dae__expander *x, dae__node_places *out)
{
  dae__pool *pool = x->l->scratch;
  for (int i = 0; i < x->instances.count; i++) {
    dae__instance *own = &x->instances.item[i];
    *DAE__PUSH(pool, out) = &own->kinetic;
    *DAE__PUSH(pool, out) = &own->potential;
    for (int k = 0; k < own->forces.count; k++)
      *DAE__PUSH(pool, out) = &own->forces.item[k].node;
    guards_list_constraints(pool, &own->holonomic, out);
    guards_list_constraints(pool, &own->nonholonomic, out);
    for (int k = 0; k < own->equations.count; k++) {
      *DAE__PUSH(pool, out) = &own->equations.item[k].a;
      *DAE__PUSH(pool, out) = &own->equations.item[k].b;
      *DAE__PUSH(pool, out) = &own->equations.item[k].rhs;
    }
  }
  for (int k = 0; k < x->joints.count; k++)
    *DAE__PUSH(pool, out) = &x->joints.item[k].node;
}

/* Marks the leaves that the motion depends on, also through the modes of its guards. */
static void guards_mark_motion(dae__expander *x, const dae__node_places *roots)
{
  int count = roots->count + x->guards.count;
  dae__node *nodes = DAE__NEW_ARRAY(x->l->scratch, dae__node, count);
  if (!dae__load_ok(x->l))
    return;
  for (int i = 0; i < count; i++)
    nodes[i] = i < roots->count ? *roots->item[i] : x->guards.item[i - roots->count].value;
  dae__leaves below = dae__leaves_below(x->walker, count, nodes);
  for (int i = 0; i < below.count; i++)
    x->moves.item[below.leaf[i]] = true;
}

void dae__guard_motion(dae__expander *x)
{
  dae__node_places roots = {0};
  int leaves = x->leaves.count, stated = 0;
  dae__node *rate = DAE__NEW_ARRAY(x->l->scratch, dae__node, leaves);
  dae__list_motion(x, &roots);
  stated = roots.count;
  for (int i = 0; rate && i < leaves; i++) {
    rate[i] = x->explicit_rate.item[i];
    if (rate[i] >= 0)
      *DAE__PUSH(x->l->scratch, &roots) = &rate[i];
  }
  guards_rewrite(x, &roots, true, -1);
  roots.count = stated;
  if (!dae__load_ok(x->l))
    return;
  for (int i = 0; i < leaves; i++)
    x->explicit_rate.item[i] = rate[i];
  guards_mark_motion(x, &roots);
}

dae__node dae__guard_condition(dae__expander *x, dae__node condition, int place)
{
  dae__node_places roots = {0};
  *DAE__PUSH(x->l->scratch, &roots) = &condition;
  if (dae__load_ok(x->l))
    guards_rewrite(x, &roots, false, place);
  if (dae__load_ok(x->l) && dae__kinds_below(x, condition) & ~(unsigned)DAE__LEAF_DISCRETE)
    dae__load_fail(x->l, place,
                   "when needs a condition that is watched: leave smooth and noevent out");
  return x->l->status ? DAE__ZERO : condition;
}

/* ---- events ---- */

/* Adds an event that sets the mode of a guard to a node; node -1: to its relation. */
static void guards_add_event(dae__expander *x, const dae__guard *guard, int direction,
                             dae__node value, dae__node mode)
{
  dae__expanded_event event = {.name = guard->name,
                               .kind = DAE_EVENT_GUARD,
                               .place = guard->place,
                               .direction = direction,
                               .passive = !guard->motion,
                               .bends = guard->bends,
                               .node = value};
  *DAE__PUSH(x->l->scratch, &event.actions) = (dae__action){guard->leaf, mode};
  *DAE__PUSH(x->l->scratch, &x->events) = event;
}

/* Adds the two events of floor(w): at w = m + 1 the mode becomes m + 1, at w = m it becomes m - 1,
 * or what w has jumped to beyond; those of an interval with its knots in place of m + 1 and m. */
static void guards_add_whole(dae__expander *x, const dae__guard *guard)
{
  dae__graph *g = x->graph;
  bool floors = guard->op == DAE__OP_FLOOR;
  dae__node one = dae__constant(g, 1), m = dae__leaf(g, guard->leaf), w = guard->value;
  dae__node above = DAE__ADD(g, m, one), below = DAE__SUB(g, m, one);
  dae__node whole =
      floors ? dae__unary(g, DAE__OP_FLOOR, w) : dae__interval_node(g, guard->curve, w);
  dae__node upper = floors ? above : dae__knot_node(g, guard->curve, above);
  dae__node lower = floors ? m : dae__knot_node(g, guard->curve, m);
  guards_add_event(x, guard, 1, DAE__SUB(g, w, upper),
                   dae__if(g, dae__binary(g, DAE__OP_LESS, above, whole), whole, above));
  guards_add_event(x, guard, -1, DAE__SUB(g, w, lower),
                   dae__if(g, dae__binary(g, DAE__OP_LESS, whole, below), whole, below));
}

void dae__guard_events(dae__expander *x)
{
  const dae__expanded_event *own = x->events.item;
  int count = x->events.count;
  x->events.item = NULL;
  x->events.count = x->events.room = 0;
  for (int i = 0; i < x->guards.count; i++) {
    const dae__guard *guard = &x->guards.item[i];
    if (guard->contact)
      continue;
    if (guard->op != DAE__OP_LESS)
      guards_add_whole(x, guard);
    else
      guards_add_event(x, guard, 0, guard->value, -1);
  }
  x->guard_events = x->events.count;
  for (int i = 0; i < count; i++) {
    dae__expanded_event event = own[i];
    event.passive = event.actions.count > 0 && !event.impact && !event.rubs;
    for (int k = 0; k < event.actions.count; k++) {
      int leaf = event.actions.item[k].leaf;
      event.passive =
          event.passive && x->leaf_kind.item[leaf] == DAE__LEAF_DISCRETE && !x->moves.item[leaf];
    }
    *DAE__PUSH(x->l->scratch, &x->events) = event;
  }
}
