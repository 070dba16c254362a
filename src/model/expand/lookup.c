/* Symbols of scopes, elements of arrays, rates, start values. */
#include "model/expand/value.h"
#include <string.h>

dae__context dae__context_of(dae__expander *x, int instance)
{
  return (dae__context){.x = x, .instance = instance, .frame = x->instances.item[instance].frame};
}

dae__context dae__local_context(dae__expander *x, const dae__local *local)
{
  return (dae__context){.x = x, .instance = local->instance, .frame = local->frame};
}

/* ---- symbols ---- */

int dae__lookup_symbol(const dae__context *c, const char *name, int *instance)
{
  const dae__expander *x = c->x;
  for (int i = c->instance; i >= 0; i = x->instances.item[i].outer) {
    int own = dae__table_find(&x->symbol_table, x->instances.item[i].scope, name);
    *instance = i;
    if (own >= 0)
      return own;
  }
  return -1;
}

/* ---- elements ---- */

/* Local names for the indices of an element, inside of the names `outer`. index: set to the values
 * of the indices. */
static dae__local *lookup_element_frames(dae__expander *x, const dae__symbol *s,
                                         const dae__elements *e, int element, dae__local *outer,
                                         dae__local *frame, int *index)
{
  for (int r = DAE__RANK - 1; r >= 0; r--) {
    int length = r < s->d->rank ? e->to[r] - e->from[r] + 1 : 1;
    index[r] = r < s->d->rank ? e->from[r] + element % length : 0;
    element /= length;
  }
  for (int r = 0; r < s->d->rank; r++) {
    const char *name = s->d->range[r].name ? s->d->range[r].name : x->index_name[r];
    frame[r] = (dae__local){.name = name,
                            .value = dae__as_number(dae__constant(x->graph, index[r])),
                            .index = true,
                            .outer = outer};
    outer = &frame[r];
  }
  return outer;
}

dae__context dae__element_context(dae__expander *x, int symbol, int instance, int element,
                                  dae__local *frame, int *index)
{
  const dae__symbol *s = &x->symbols.item[symbol];
  const dae__elements *e = dae__elements_slot(x, symbol, instance);
  dae__context c = dae__context_of(x, instance);
  if (e)
    c.frame = lookup_element_frames(x, s, e, element, c.frame, frame, index);
  return c;
}

/* Expression of an element: the value of the declaration, or its entry in a list. */
static const dae__expr *lookup_element_expr(dae__expander *x, const dae__symbol *s,
                                            const dae__elements *e, const dae__expr *value,
                                            int element)
{
  if (!value || value->kind != DAE__EXPR_LIST)
    return value;
  if (s->d->rank == 0)
    dae__load_fail(x->l, value->place, "%s is no array and has one value: declare %s[1..%d]",
                   s->d->name, s->d->name, value->count);
  else if (value->count != e->count)
    dae__load_fail(x->l, value->place, "%s has %d elements, but the list has %d values", s->d->name,
                   e->count, value->count);
  if (x->l->status)
    return NULL;
  const dae__expr *at = value->argument;
  while (element-- > 0)
    at = at->next;
  return at;
}

/* Sets the components of an element of a param from an overriding value. */
static void lookup_take_override(dae__expander *x, const dae__override *o, dae__elements *e,
                                 dae__node *node)
{
  dae__context outside = {.x = x, .constant = true, .what = "the value of a param"};
  int from = o->component < 0 ? 0 : o->component, size = o->component < 0 ? e->width : 1;
  dae__value value = {.size = 1};
  if (size == 1)
    value.node = dae__constant(x->graph, dae__evaluate_constant(&outside, o->value));
  else
    value = dae__evaluate_value(&outside, o->value);
  if (!x->l->status && value.size != size)
    dae__load_fail(x->l, o->value->place, "the param is %s, the value %s", dae__size_text(size),
                   dae__size_text(value.size));
  for (int i = 0; i < size; i++)
    node[from + i] = value.at[i];
}

/* Evaluates an element of a param, let or output. */
static void lookup_evaluate_element(dae__expander *x, int symbol, int instance, int element,
                                    dae__elements *e)
{
  const dae__symbol *s = &x->symbols.item[symbol];
  dae__local frame[DAE__RANK];
  int index[DAE__RANK];
  dae__node *node = e->node + element * e->width;
  bool param = s->kind == DAE__STATEMENT_PARAM;
  dae__context c = dae__element_context(x, symbol, instance, element, frame, index);
  c.results = s->kind == DAE__STATEMENT_OUTPUT;
  c.constant = param;
  c.what = "a param";
  const dae__expr *expr = lookup_element_expr(x, s, e, s->d->value, element);
  if (!expr || x->l->status)
    return;
  dae__value value = {.size = e->width};
  const dae__override *o = param ? dae__override_next(x, NULL, symbol, instance, index) : NULL;
  bool whole = false;
  for (const dae__override *p = o; p; p = dae__override_next(x, p, symbol, instance, index))
    whole = whole || p->component < 0;
  if (param && e->width == 1 && !whole)
    value.node = dae__constant(x->graph, dae__evaluate_constant(&c, expr));
  else if (!whole)
    value = dae__evaluate_value(&c, expr);
  if (!x->l->status && value.size != e->width)
    dae__load_fail(x->l, expr->place, "%s has elements of different sizes: %s and %s", s->d->name,
                   dae__size_text(e->width), dae__size_text(value.size));
  for (int i = 0; i < e->width && !x->l->status; i++)
    node[i] = value.at[i];
  for (; o && !x->l->status; o = dae__override_next(x, o, symbol, instance, index))
    lookup_take_override(x, o, e, node);
}

int dae__output_width(dae__expander *x, int symbol, int instance, const dae__elements *e)
{
  dae__local frame[DAE__RANK];
  int index[DAE__RANK];
  const dae__symbol *s = &x->symbols.item[symbol];
  if (e->count == 0)
    return 1;
  dae__context c = dae__element_context(x, symbol, instance, 0, frame, index);
  c.results = true;
  const dae__expr *expr = lookup_element_expr(x, s, e, s->d->value, 0);
  return expr ? dae__evaluate_value(&c, expr).size : 1;
}

dae__value dae__element_value(dae__expander *x, int symbol, int instance, int element, int place)
{
  dae__elements *e = dae__elements_of(x, symbol, instance, place);
  if (!e)
    return DAE__NO_VALUE;
  dae__node *node = e->node + element * e->width;
  if (node[0] == -2) {
    dae__load_fail(x->l, place, "cyclic definition of %s", x->symbols.item[symbol].d->name);
    return DAE__NO_VALUE;
  }
  if (node[0] == -1 && dae__load_work(x->l, place, DAE__LOOP_WORK)) {
    node[0] = -2;
    lookup_evaluate_element(x, symbol, instance, element, e);
  }
  if (x->l->status)
    return DAE__NO_VALUE;
  dae__value value = {.size = e->width};
  for (int i = 0; i < e->width; i++)
    value.at[i] = node[i];
  return value;
}

/* ---- rates ---- */

dae__node dae__total_rate(dae__expander *x, dae__node node, int place, const char *what)
{
  const unsigned given = DAE__LEAF_TIME | DAE__LEAF_COORD | DAE__LEAF_STATE;
  if (x->l->status)
    return DAE__ZERO;
  dae__leaves below = dae__leaves_below(x->walker, 1, &node);
  for (int i = 0; i < below.count; i++) {
    unsigned kind = x->leaf_kind.item[below.leaf[i]];
    if (kind & (given | DAE__LEAF_DISCRETE))
      continue;
    const char *name = dae__leaf_name(x, below.leaf[i]);
    if (kind == DAE__LEAF_MULTIPLIER)
      dae__load_fail(x->l, place, "%s' needs the rate of a multiplier, which has none", what);
    else if (kind == DAE__LEAF_ALG)
      dae__load_fail(x->l, place, "%s' needs the rate of %s, which is algebraic and has none", what,
                     name);
    else
      dae__load_fail(x->l, place,
                     "%s already contains the rate %s: second derivatives are not supported", what,
                     name);
    return DAE__ZERO;
  }
  const dae__curve *held = dae__held_curve_below(x, node);
  if (held) {
    dae__load_fail(x->l, place,
                   "%s' needs the rate of %s, which is held between its samples: declare input %s "
                   "linear or cubic",
                   what, held->name, held->name);
    return DAE__ZERO;
  }
  dae__kinds kinds = {x->leaf_kind.item, given};
  return dae__derivative_along(x->walker, node, kinds, x->leaf_rate.item);
}

/* ---- start values ---- */

dae__value dae__start_expr(dae__expander *x, int symbol, int instance, int element,
                           const dae__expr *expr)
{
  const dae__symbol *s = &x->symbols.item[symbol];
  const dae__elements *e = dae__elements_of(x, symbol, instance, s->d->place);
  dae__value value = {.size = e ? e->width : 1};
  dae__local frame[DAE__RANK];
  int index[DAE__RANK];
  if (!e || !expr)
    return value;
  dae__context c = dae__element_context(x, symbol, instance, element, frame, index);
  expr = lookup_element_expr(x, s, e, expr, element);
  if (!expr)
    return value;
  value = dae__evaluate_value(&c, expr);
  if (!x->l->status && value.size != e->width) {
    dae__load_fail(x->l, expr->place, "%s is %s, but this is %s", s->d->name,
                   dae__size_text(e->width), dae__size_text(value.size));
    value = (dae__value){.size = e->width};
  }
  return value;
}

double dae__element_constant(dae__expander *x, const dae__leaf_info *element, const dae__expr *expr,
                             const char *what)
{
  const dae__elements *e = dae__elements_slot(x, element->symbol, element->instance);
  dae__local frame[DAE__RANK];
  int index[DAE__RANK];
  if (!e)
    return 0;
  dae__context c = dae__element_context(x, element->symbol, element->instance,
                                        element->element / e->width, frame, index);
  c.what = what;
  return dae__evaluate_constant(&c, expr);
}
