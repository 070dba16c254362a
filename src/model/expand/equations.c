/* Equations A = B of states and algebraic variables, and the rates of states that they give.
 *
 * u' = E and c*u' = E with a number c give the rate of a state; all others are taken as they stand,
 * with rates in them linearly. */
#include "model/expand/value.h"

/* leaf of a rate u' of this instance that stands alone, or -1 */
static int equations_lone_slope(const dae__context *c, dae__node node)
{
  dae__node_view v = dae__node_at(c->x->graph, node);
  if (v.op != DAE__OP_LEAF || c->x->leaf_kind.item[v.leaf] != DAE__LEAF_SLOPE ||
      c->x->leaves.item[v.leaf].instance != c->instance)
    return -1;
  return v.leaf;
}

/* c*u' = E with a number c, and no other rate: u' = E/c */
static void equations_find_scaled(const dae__context *c, dae__equation *e)
{
  dae__expander *x = c->x;
  dae__graph *graph = x->graph;
  dae__node residual = DAE__SUB(graph, e->a, e->b);
  dae__kinds slopes = {x->leaf_kind.item, DAE__LEAF_SLOPE};
  dae__gradient d = dae__gradient_of(x->walker, residual, slopes);
  double factor;
  if (d.count != 1 || !dae__is_constant(graph, d.value[0], &factor) || factor == 0)
    return;
  e->slope = d.leaf[0];
  e->second = true;
  e->rhs = DAE__DIV(graph, dae__replace_leaves(x->walker, residual, x->no_slopes),
                    dae__constant(graph, -factor));
}

/* u' = E, or E = u', with no such rate in E */
static void equations_find_explicit(const dae__context *c, dae__equation *e)
{
  int left = equations_lone_slope(c, e->a), right = equations_lone_slope(c, e->b);
  e->slope = -1;
  if (left >= 0 && !(dae__kinds_below(c->x, e->b) & DAE__LEAF_SLOPE))
    e->slope = left, e->rhs = e->b;
  else if (right >= 0 && !(dae__kinds_below(c->x, e->a) & DAE__LEAF_SLOPE))
    e->slope = right, e->rhs = e->a, e->second = true;
  else if (!((dae__kinds_below(c->x, e->a) | dae__kinds_below(c->x, e->b)) & DAE__LEAF_SLOPE))
    return;
  else if (dae__is_linear(c->x->walker, DAE__SUB(c->x->graph, e->a, e->b),
                          (dae__kinds){c->x->leaf_kind.item, DAE__LEAF_SLOPE}))
    equations_find_scaled(c, e);
  else
    dae__complain(c->x->l, e->place,
                  "rates of states stand linearly in an equation: c*u' = E, where "
                  "neither c nor E holds a rate");
}

static void equations_complain_too_many(const dae__context *c, int place)
{
  const dae__instance *own = &c->x->instances.item[c->instance];
  const char *system = own->name[0] ? own->name : "the model";
  if (own->unknowns == 0 && c->instance == 0 && c->x->instances.count > 1)
    dae__complain(c->x->l, place, "an equation belongs into a system, where its variables are");
  else if (own->unknowns == 0)
    dae__complain(c->x->l, place, "an equation, but %s has no state and no algebraic variable",
                  system);
  else
    dae__complain(c->x->l, place,
                  "one equation too many: %s has %d state%s and algebraic variables together",
                  system, own->unknowns, own->unknowns == 1 ? "" : "s");
}

void dae__add_equation(const dae__context *c, const dae__statement *s)
{
  const dae__allowed may = {DAE__LEAF_TIME | DAE__LEAF_RATE | DAE__LEAF_SLOPE | DAE__LEAF_VALUES,
                            DAE__LEAF_VALUES, "an equation",
                            "t, variables, and rates of its own system"};
  dae__equation e = {.place = s->place};
  e.a = dae__evaluate(c, s->a);
  e.b = dae__evaluate(c, s->b);
  dae__check_leaves(c, e.a, s->place, &may);
  dae__check_leaves(c, e.b, s->place, &may);
  if (c->x->l->status)
    return;
  if (!((dae__kinds_below(c->x, e.a) | dae__kinds_below(c->x, e.b)) & ~(unsigned)DAE__LEAF_TIME)) {
    dae__complain(c->x->l, s->place,
                  "this equation holds no unknown; a constant is declared with "
                  "param a = 1, a name for an expression with let");
    return;
  }
  dae__instance *own = &c->x->instances.item[c->instance];
  if (own->equations.count >= own->unknowns) {
    equations_complain_too_many(c, s->place);
    return;
  }
  equations_find_explicit(c, &e);
  e.name = dae__statement_name(c, s);
  if (dae__load_record(c->x->l, s->place))
    *DAE__PUSH(c->x->l->scratch, &own->equations) = e;
}

/* explicit_rate[leaf of u'] = E where an equation says u' = E */
static void equations_take_explicit(dae__expander *x, dae__instance *own, bool second)
{
  for (int k = 0; k < own->equations.count; k++) {
    dae__equation *e = &own->equations.item[k];
    if (e->slope < 0 || e->second != second)
      continue;
    bool given = x->explicit_rate[e->slope] >= 0;
    if (given && second)
      e->slope = -1; /* a second equation with this rate, not the one that gives it */
    else if (given)
      dae__complain(x->l, e->place, "%s is given by two equations; write one of them as 0 = ...",
                    dae__leaf_name(x, e->slope));
    else
      x->explicit_rate[e->slope] = e->rhs;
  }
}

void dae__find_explicit_rates(dae__expander *x)
{
  x->explicit_rate = DAE__NEW_ARRAY(x->l->scratch, dae__node, x->leaves.count);
  if (!dae__load_ok(x->l))
    return;
  for (int i = 0; i < x->leaves.count; i++)
    x->explicit_rate[i] = -1;
  for (int i = 0; i < x->instances.count; i++)
    for (int second = 0; second < 2; second++)
      equations_take_explicit(x, &x->instances.item[i], second);
}

/* no_slopes[leaf of u'] = 0, to take the rates out of an equation */
void dae__prepare_no_slopes(dae__expander *x)
{
  x->no_slopes = DAE__NEW_ARRAY(x->l->scratch, dae__node, x->leaves.count);
  for (int i = 0; x->no_slopes && i < x->leaves.count; i++)
    x->no_slopes[i] = x->leaf_kind.item[i] == DAE__LEAF_SLOPE ? DAE__ZERO : -1;
  dae__load_ok(x->l);
}
