/* Bound systems: the variables of an instance in the order of the problem form, its inputs from
 * other systems, its equations as rows, and the check of the number of equations.
 *
 * In a model with coordinates a state without an equation u' = E gets an algebraic variable for its
 * rate: u' = r, and r in place of u' in the other equations. In a model without coordinates a
 * system with such a state is quasi-linear, M(t,x) x' = f. */
#include "model/bind/bind.h"
#include "model/expand/value.h"
#include "model/space/space.h"

void dae__system_place(dae__binder *b, const dae__system *u, bool there)
{
  const struct {
    const dae__ints *list;
    int class;
  } all[] = {
      {&u->q, DAE__CLASS_Q}, {&u->u, DAE__CLASS_U}, {&u->w, DAE__CLASS_W}, {&u->in, DAE__CLASS_IN}};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    for (int i = 0; i < all[k].list->count; i++)
      dae__binder_place(b, all[k].list->item[i], there ? all[k].class : -1, i);
  for (int i = 0; i < u->q.count; i++)
    dae__binder_place(b, dae__rate_leaf(b->x, u->q.item[i]), there ? DAE__CLASS_V : -1, i);
}

/* ---- check of the number of equations ---- */

/* Reports an error for a system without variables or with too few equations; dae__add_equation
 * reports too many. */
static void system_check_count(dae__binder *b, const dae__system *u)
{
  dae__expander *x = b->x;
  const dae__instance *own = &x->instances.item[u->instance];
  int unknowns = own->unknowns, equations = own->equations.count, place = -1;
  const dae__scope *scope = &x->scopes.item[own->scope];
  const char *before = u->instance == 0 ? "the model" : "system ";
  if (u->q.count + u->u.count + u->w.count == 0)
    dae__load_fail(x->l, scope->d ? scope->d->place : scope->body->place,
                   "%s%s has no variables: declare coord, state or alg", before, own->name);
  if (equations < unknowns) {
    int last = u->w.count > 0 ? u->w.item[u->w.count - 1] : u->u.item[u->u.count - 1];
    place = dae__declared_at(x, last);
    dae__load_fail(x->l, place,
                   "%s%s has %d state%s and algebraic variables together, but %d equation%s; each "
                   "state needs u' = E, each algebraic variable an equation A = B",
                   before, own->name, unknowns, unknowns == 1 ? "" : "s", equations,
                   equations == 1 ? "" : "s");
  }
}

/* Finds a variable that is absent, with its rate, from the leaves of equations; -1: none. b->by
 * marks the leaves, and is -1 again at the end. */
static int system_find_missing(dae__binder *b, const dae__system *u, dae__leaves below)
{
  const dae__expander *x = b->x;
  int missing = -1;
  for (int i = 0; i < below.count; i++)
    b->by[below.leaf[i]] = DAE__ZERO;
  for (int i = 0; i < u->u.count + u->w.count && missing < 0; i++) {
    int leaf = i < u->u.count ? u->u.item[i] : u->w.item[i - u->u.count];
    bool state = x->leaf_kind.item[leaf] == DAE__LEAF_STATE;
    int rate = state ? dae__rate_leaf(x, leaf) : leaf;
    bool given = state && x->explicit_rate.item[rate] >= 0;
    if (!given && b->by[leaf] < 0 && b->by[rate] < 0)
      missing = leaf;
  }
  for (int i = 0; i < below.count; i++)
    b->by[below.leaf[i]] = -1;
  return missing;
}

/* Reports an error for a variable in no equation; equations u' = E are searched only for variables
 * in no other equation. */
static void system_check_unknowns(dae__binder *b, const dae__system *u)
{
  dae__expander *x = b->x;
  const dae__instance *own = &x->instances.item[u->instance];
  int missing = 0;
  for (int all = 0; all < 2 && missing >= 0; all++) {
    dae__nodes sides = {0};
    for (int i = 0; i < own->equations.count; i++) {
      const dae__equation *e = &own->equations.item[i];
      if (e->rate_leaf >= 0 && !all)
        continue;
      *DAE__PUSH(x->l->scratch, &sides) = e->a;
      *DAE__PUSH(x->l->scratch, &sides) = e->b;
    }
    if (!dae__load_ok(x->l))
      return;
    missing = system_find_missing(b, u, dae__leaves_below(x->walker, sides.count, sides.item));
  }
  if (missing >= 0)
    dae__load_fail(x->l, dae__declared_at(x, missing), "%s is in no equation",
                   dae__leaf_name(x, missing));
}

/* ---- rows of the problem form ---- */

/* Forms the rows u' = s, 0 = c; the rate of a state without an equation u' = E becomes an unnamed
 * algebraic variable. */
static void system_explicit_rows(dae__binder *b, dae__system *u)
{
  dae__expander *x = b->x;
  dae__pool *pool = x->l->scratch;
  const dae__instance *own = &x->instances.item[u->instance];
  for (int i = 0; i < u->u.count && dae__load_ok(x->l); i++) {
    int state = u->u.item[i];
    if (x->explicit_rate.item[dae__rate_leaf(x, state)] >= 0)
      continue;
    *DAE__PUSH(pool, &u->w) = dae__add_leaf(x, DAE__LEAF_ALG, x->leaves.item[state]);
    u->hidden++;
  }
  if (!dae__binder_leaves(b, 0))
    return;
  u->c_names = DAE__NEW_ARRAY(x->l->keep, const char *, own->equations.count);
  int hidden = u->w.count - u->hidden;
  for (int i = 0; i < u->u.count; i++) {
    int rate_leaf = dae__rate_leaf(x, u->u.item[i]);
    dae__node rate = x->explicit_rate.item[rate_leaf];
    if (rate < 0)
      rate = dae__leaf(x->graph, u->w.item[hidden++]);
    b->by[rate_leaf] = rate;
    *DAE__PUSH(pool, &u->s) = rate;
  }
  for (int i = 0; i < own->equations.count && dae__bind_ok(b); i++) {
    const dae__equation *e = &own->equations.item[i];
    if (e->rate_leaf >= 0)
      continue;
    dae__node residual = DAE__SUB(x->graph, e->a, e->b);
    u->c_names[u->c.count] = e->name;
    *DAE__PUSH(pool, &u->c) = dae__replace_leaves(x->walker, residual, b->by);
  }
  for (int i = 0; i < u->u.count; i++)
    b->by[dae__rate_leaf(x, u->u.item[i])] = -1;
}

/* Appends the entries of one row of M; returns the right side of the row, the equation without
 * rates. */
static dae__node system_mass_row(dae__binder *b, dae__system *u, const dae__equation *e, int row)
{
  dae__expander *x = b->x;
  dae__node residual = DAE__SUB(x->graph, e->a, e->b);
  dae__kinds state_rates = {x->leaf_kind.item, DAE__LEAF_STATE_RATE};
  dae__gradient d = dae__gradient_of(x->walker, residual, state_rates);
  int first = u->mass.entries.count;
  for (int i = 0; i < d.count; i++) {
    /* the leaves of a symbol are its values, then as many rates */
    const dae__leaf_info *info = &x->leaves.item[d.leaf[i]];
    const dae__elements *own = dae__elements_of(x, info->symbol, info->instance, e->place);
    int state = d.leaf[i] - own->count * own->width;
    *DAE__PUSH(x->l->scratch, &u->mass.entries) = (dae__triplet){row, b->index[state], d.value[i]};
  }
  const unsigned allowed = DAE__LEAF_TIME | DAE__LEAF_STATE | DAE__LEAF_ALG | DAE__LEAF_DISCRETE;
  for (int i = first; i < u->mass.entries.count && !x->l->status; i++) {
    dae__leaves below = dae__leaves_below(x->walker, 1, &u->mass.entries.item[i].node);
    for (int k = 0; k < below.count; k++) {
      int leaf = below.leaf[k];
      bool mine = dae__leaf_home(x, leaf) == u->instance || leaf == 0;
      if (!mine || !(x->leaf_kind.item[leaf] & allowed))
        dae__load_fail(x->l, e->place,
                       "the coefficient of the rate of a state may not depend on %s",
                       dae__leaf_name(x, leaf));
    }
  }
  return DAE__NEG(x->graph, dae__replace_leaves(x->walker, residual, x->no_state_rates.item));
}

/* Forms as many rows M x' = s as states, equations with rates first; the other equations become 0 =
 * c. */
static void system_quasilinear_rows(dae__binder *b, dae__system *u)
{
  dae__expander *x = b->x;
  dae__pool *pool = x->l->scratch;
  const dae__instance *own = &x->instances.item[u->instance];
  dae__kinds state_rates = {x->leaf_kind.item, DAE__LEAF_STATE_RATE};
  int states = u->u.count, with_rates = 0, row = 0, count = own->equations.count;
  bool *rated = DAE__NEW_ARRAY(pool, bool, count);
  u->s_names = DAE__NEW_ARRAY(x->l->keep, const char *, count + u->u.count);
  u->c_names = DAE__NEW_ARRAY(x->l->keep, const char *, count);
  if (!dae__load_ok(x->l))
    return;
  for (int i = 0; i < count; i++)
    with_rates += rated[i] = dae__kinds_below(x, DAE__SUB(x->graph, own->equations.item[i].a,
                                                          own->equations.item[i].b)) &
                             DAE__LEAF_STATE_RATE;
  /* More equations with rates than states, or algebraic variables in M, need all variables in x. */
  bool all = with_rates > states;
  for (int i = 0; i < count && !all; i++) {
    dae__node residual = DAE__SUB(x->graph, own->equations.item[i].a, own->equations.item[i].b);
    dae__gradient d = dae__gradient_of(x->walker, residual, state_rates);
    for (int k = 0; k < d.count; k++)
      all = all || dae__kinds_below(x, d.value[k]) & DAE__LEAF_ALG;
  }
  if (all) {
    states += u->w.count;
    for (int i = 0; i < u->w.count; i++)
      *DAE__PUSH(pool, &u->u) = u->w.item[i];
    u->w.count = 0;
  }
  dae__system_place(b, u, true);
  u->mass = (dae__triplets){.rows = u->u.count, .cols = u->u.count, .sparse = u->sparse};
  for (int pass = 0; pass < 2; pass++) /* equations with rates, then without */
    for (int i = 0; i < count && dae__bind_ok(b); i++) {
      const dae__equation *e = &own->equations.item[i];
      if (rated[i] != (pass == 0))
        continue;
      dae__node f = system_mass_row(b, u, e, row);
      bool in_s = row < states;
      (in_s ? u->s_names : u->c_names)[in_s ? row : u->c.count] = e->name;
      *DAE__PUSH(pool, in_s ? &u->s : &u->c) = f;
      row += in_s;
    }
  dae__system_place(b, u, false);
}

/* ---- construction of a bound system ---- */

/* Lists the variables of other systems in the equations as inputs. */
static void system_list_inputs(dae__binder *b, dae__system *u)
{
  dae__expander *x = b->x;
  dae__pool *pool = x->l->scratch;
  if (x->systems == 1)
    return;
  const dae__instance *own = &x->instances.item[u->instance];
  dae__nodes all = {0};
  *DAE__PUSH(pool, &all) = own->potential;
  for (int i = 0; i < own->forces.count; i++)
    *DAE__PUSH(pool, &all) = own->forces.item[i].node;
  for (int i = 0; i < u->s.count + u->c.count; i++)
    *DAE__PUSH(pool, &all) = i < u->s.count ? u->s.item[i] : u->c.item[i - u->s.count];
  for (int k = 0; k < all.count; k++) {
    dae__leaves below = dae__leaves_below(x->walker, 1, &all.item[k]);
    for (int i = 0; i < below.count; i++) {
      int leaf = below.leaf[i];
      if (leaf == 0 || dae__leaf_home(x, leaf) == u->instance || b->kind[leaf])
        continue;
      dae__binder_place(b, leaf, DAE__CLASS_IN, u->in.count);
      *DAE__PUSH(pool, &u->in) = leaf;
    }
  }
}

dae_status dae__system_create(dae__binder *b, int instance, dae__system *u)
{
  dae__expander *x = b->x;
  *u = (dae__system){.instance = instance};
  const dae__instance *own = &x->instances.item[instance];
  for (int k = 0; k < own->variables.count && dae__load_ok(x->l); k++) {
    struct dae__variable variable = own->variables.item[k];
    const dae__symbol *symbol = &x->symbols.item[variable.symbol];
    if (symbol->kind == DAE__STATEMENT_DISCRETE)
      continue;
    const dae__elements *e =
        dae__elements_of(x, variable.symbol, variable.instance, symbol->d->place);
    dae__ints *list = symbol->kind == DAE__STATEMENT_ALG     ? &u->w
                      : symbol->kind == DAE__STATEMENT_STATE ? &u->u
                                                             : &u->q;
    for (int i = 0; e && i < e->count * e->width; i++)
      if (!dae__is_derived(x, e->leaf + i))
        *DAE__PUSH(x->l->scratch, list) = e->leaf + i;
  }
  u->mechanical = u->q.count > 0;
  u->sparse = b->sparse;
  if (!dae__binder_leaves(b, 0))
    return x->l->status;
  system_check_count(b, u);
  if (!x->l->status)
    system_check_unknowns(b, u);
  if (x->l->status)
    return x->l->status;
  bool all_explicit = true;
  for (int i = 0; i < u->u.count; i++)
    if (x->explicit_rate.item[dae__rate_leaf(x, u->u.item[i])] < 0)
      all_explicit = false;
  if (all_explicit || b->coordinates)
    system_explicit_rows(b, u);
  else
    system_quasilinear_rows(b, u);
  if (!dae__bind_ok(b))
    return x->l->status;
  dae__system_place(b, u, true);
  system_list_inputs(b, u);
  dae__system_place(b, u, false);
  dae__bind_ok(b);
  return x->l->status;
}
