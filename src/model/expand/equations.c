/* Equations A = B of states and algebraic variables, and explicit rates of states: u' = E, and c*u'
 * = E with a number c, give the rate of a state; all other equations are implicit, and linear in
 * the rates. */
#include "model/expand/value.h"

/* Leaf of a node that is the rate u' of a state of the current instance; -1 for other nodes. */
static int equations_state_rate_of(const dae__context *c, dae__node node)
{
  dae__node_view v = dae__node_at(c->x->graph, node);
  if (v.op != DAE__OP_LEAF || c->x->leaf_kind.item[v.leaf] != DAE__LEAF_STATE_RATE ||
      dae__leaf_home(c->x, v.leaf) != c->x->instances.item[c->instance].home)
    return -1;
  return v.leaf;
}

/* Finds the rate that is given by u' = E, by E = u', or by c*u' = E with a number c and E without
 * rates. */
static void equations_find_explicit(const dae__context *c, dae__equation *e)
{
  dae__expander *x = c->x;
  dae__graph *graph = x->graph;
  dae__kinds state_rates = {x->leaf_kind.item, DAE__LEAF_STATE_RATE};
  int left = equations_state_rate_of(c, e->a), right = equations_state_rate_of(c, e->b);
  unsigned in_a = dae__kinds_below(x, e->a) & DAE__LEAF_STATE_RATE;
  unsigned in_b = dae__kinds_below(x, e->b) & DAE__LEAF_STATE_RATE;
  e->rate_leaf = -1;
  if (left >= 0 && !in_b) {
    e->rate_leaf = left;
    e->rhs = e->b;
  } else if (right >= 0 && !in_a) {
    e->rate_leaf = right;
    e->rhs = e->a;
    e->second = true;
  }
  if (e->rate_leaf >= 0 || !(in_a | in_b))
    return;
  dae__node residual = DAE__SUB(graph, e->a, e->b);
  if (!dae__is_linear(x->walker, residual, state_rates)) {
    dae__load_fail(x->l, e->place,
                   "the equation is not linear in the rates of states: write c*u' = E, where "
                   "neither c nor E contains a rate");
    return;
  }
  dae__gradient d = dae__gradient_of(x->walker, residual, state_rates);
  double factor;
  if (d.count != 1 || !dae__is_constant(graph, d.value[0], &factor) || factor == 0)
    return;
  e->rate_leaf = d.leaf[0];
  e->second = true;
  e->rhs = DAE__DIV(graph, dae__replace_leaves(x->walker, residual, x->no_state_rates.item),
                    dae__constant(graph, -factor));
}

/* Adds the equation of one component, or of two numbers. name: its name in messages. */
static void equations_add(const dae__context *c, const dae__statement *s, dae__node a, dae__node b,
                          const char *name)
{
  const dae__allowed may = {
      DAE__LEAF_TIME | DAE__LEAF_COORD_RATE | DAE__LEAF_STATE_RATE | DAE__LEAF_VALUES,
      DAE__LEAF_VALUES, "an equation", "t, variables, and rates of its own system"};
  dae__equation e = {.place = s->place};
  e.a = a;
  e.b = b;
  dae__check_leaves(c, e.a, s->place, &may);
  dae__check_leaves(c, e.b, s->place, &may);
  if (c->x->l->status)
    return;
  if (!((dae__kinds_below(c->x, e.a) | dae__kinds_below(c->x, e.b)) & ~(unsigned)DAE__LEAF_TIME)) {
    dae__load_fail(
        c->x->l, s->place,
        "the equation contains no unknown; declare a constant with param a = 1, a name for "
        "an expression with let");
    return;
  }
  int home = c->x->instances.item[c->instance].home;
  dae__instance *own = &c->x->instances.item[home];
  const char *system = own->name[0] ? own->name : "the model";
  if (own->equations.count < own->unknowns)
    equations_find_explicit(c, &e);
  else if (own->unknowns == 0 && home == 0 && c->x->systems > 1)
    dae__load_fail(c->x->l, s->place, "an equation must be in a system with its variables");
  else if (own->unknowns == 0)
    dae__load_fail(c->x->l, s->place, "%s has an equation, but no state or algebraic variable",
                   system);
  else
    dae__load_fail(c->x->l, s->place,
                   "too many equations: %s has %d state%s and algebraic variables together", system,
                   own->unknowns, own->unknowns == 1 ? "" : "s");
  if (c->x->l->status)
    return;
  e.name = name;
  if (dae__load_record(c->x->l, s->place))
    *DAE__PUSH(c->x->l->scratch, &own->equations) = e;
}

void dae__add_equation(const dae__context *c, const dae__statement *s)
{
  dae__load *l = c->x->l;
  dae__value a = dae__evaluate_value(c, s->a), b = dae__evaluate_value(c, s->b);
  const char *name = l->status ? "" : dae__statement_name(c, s);
  if (!l->status && a.size != b.size)
    dae__load_fail(l, s->place, "the sides of the equation are %s and %s", dae__size_text(a.size),
                   dae__size_text(b.size));
  for (int i = 0; i < a.size && !l->status; i++)
    equations_add(c, s, a.at[i], b.at[i],
                  a.size == 1 ? name
                              : dae__pool_print(l->keep, "%s.%s", name, dae__component_name(i)));
}

void dae__find_explicit_rates(dae__expander *x)
{
  for (int i = 0; i < 2 * x->systems; i++) {
    dae__instance *own = &x->instances.item[i / 2];
    bool second = i % 2; /* equations u' = E first, then E = u' and c*u' = E */
    for (int k = 0; k < own->equations.count; k++) {
      dae__equation *e = &own->equations.item[k];
      if (e->rate_leaf < 0 || e->second != second)
        continue;
      if (x->explicit_rate.item[e->rate_leaf] < 0)
        x->explicit_rate.item[e->rate_leaf] = e->rhs;
      else if (second)
        e->rate_leaf = -1; /* the rate is given by another equation: this one is implicit */
      else
        dae__load_fail(x->l, e->place, "two equations give %s; write one of them as 0 = ...",
                       dae__leaf_name(x, e->rate_leaf));
    }
  }
}
