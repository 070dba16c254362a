/* Values of names: local names, words, params, lets, variables and their components, let functions.
 */
#include "model/expand/value.h"
#include "model/space/space.h"
#include <string.h>

/* Evaluates the body of a let function, with the arguments as local names. */
static dae__value name_function(const dae__context *c, const dae__expr *e, int symbol, int instance)
{
  dae__symbol *s = &c->x->symbols.item[symbol];
  const dae__declaration *d = s->d;
  if (d->parameters < 0 || e->count != d->parameters) {
    if (d->parameters < 0)
      dae__load_fail(c->x->l, e->place, "%s is not a function; write %s without parentheses",
                     e->name, e->name);
    else
      dae__load_fail(c->x->l, e->place, "%s takes %d argument%s, not %d", e->name, d->parameters,
                     d->parameters == 1 ? "" : "s", e->count);
    return DAE__NO_VALUE;
  }
  dae__local *frames = DAE__NEW_ARRAY(c->x->l->scratch, dae__local, d->parameters);
  const dae__expr *a = e->argument;
  if (!dae__load_ok(c->x->l))
    return DAE__NO_VALUE;
  dae__context inner = dae__context_of(c->x, instance);
  for (int i = 0; i < d->parameters; i++, a = a->next) {
    frames[i] = (dae__local){
        .name = d->parameter[i], .value = dae__evaluate_value(c, a), .outer = inner.frame};
    inner.frame = &frames[i];
  }
  inner.constant = c->constant;
  inner.what = c->what;
  if (s->busy) {
    dae__load_fail(c->x->l, e->place, "recursive call of %s", e->name);
    return DAE__NO_VALUE;
  }
  s->busy = true;
  dae__value value = dae__evaluate_value(&inner, d->value);
  c->x->symbols.item[symbol].busy = false;
  return value;
}

/* Evaluates a table at its argument. */
static dae__value name_table(const dae__context *c, const dae__expr *e, int symbol, int instance)
{
  if (e->count != 1)
    dae__load_fail(c->x->l, e->place, "%s is a table and takes 1 argument, not %d", e->name,
                   e->count);
  dae__node argument = c->x->l->status ? DAE__ZERO : dae__evaluate(c, e->argument);
  int curve = c->x->l->status ? -1 : dae__table_curve(c->x, symbol, instance, e->place);
  return curve < 0 ? DAE__NO_VALUE : dae__as_number(dae__curve_at(c->x, curve, argument, e->place));
}

static dae__value name_word(const dae__context *c, const dae__expr *e)
{
  dae__expander *x = c->x;
  bool pi = !strcmp(e->name, "pi"), time = !strcmp(e->name, "t");
  bool kinetic = !strcmp(e->name, "kinetic"), energy = kinetic || !strcmp(e->name, "potential");
  dae__node node = DAE__ZERO;
  if (energy && !c->results) {
    dae__load_fail(x->l, e->place, "%s is available in outputs and events only", e->name);
  } else if ((pi || time || energy) && (e->rate || e->count > 0)) {
    dae__load_fail(x->l, e->place, "%s is a scalar and has no %s", e->name,
                   e->rate ? "rate" : "index");
  } else if (pi) {
    node = dae__constant(x->graph, 3.14159265358979323846);
  } else if (time) {
    if (c->constant)
      dae__load_fail(x->l, e->place, "%s is a constant and cannot depend on the time t", c->what);
    node = dae__leaf(x->graph, 0);
  } else if (energy) { /* energy of the system, or of all systems at the top level of the model */
    int home = x->instances.item[c->instance].home;
    int last = home == 0 ? x->systems - 1 : home;
    for (int i = home; i <= last; i++) {
      const dae__instance *own = &x->instances.item[i];
      node = DAE__ADD(x->graph, node, kinetic ? own->kinetic : own->potential);
    }
  } else if (dae__word_of(e->name) >= DAE__FIRST_FUNCTION || !strcmp(e->name, "sum")) {
    dae__load_fail(x->l, e->place, "%s is a function and needs its arguments: %s(...)", e->name,
                   e->name);
  } else {
    dae__load_fail(x->l, e->place, "%s is a keyword and has no value here", e->name);
  }
  return dae__as_number(node);
}

/* Value of a variable, of all components of a vector or of one; rate: its rate. */
static dae__value name_variable(const dae__context *c, const dae__found *found, const dae__expr *e,
                                bool rate)
{
  dae__expander *x = c->x;
  const dae__symbol *s = &x->symbols.item[found->symbol];
  dae__elements *elements = dae__elements_of(x, found->symbol, found->instance, e->place);
  if (!elements)
    return DAE__NO_VALUE;
  if (c->constant) {
    dae__load_fail(x->l, e->place, "%s is a constant and cannot depend on the variable %s", c->what,
                   s->d->name);
    return DAE__NO_VALUE;
  }
  if (rate && s->kind == DAE__STATEMENT_ALG)
    dae__load_fail(x->l, e->place,
                   "%s is algebraic and has no rate; declare it as a state, or add a variable with "
                   "an equation for its rate",
                   s->d->name);
  else if (rate && s->kind == DAE__STATEMENT_DISCRETE)
    dae__load_fail(x->l, e->place, "%s is discrete and has no rate: it changes at events only",
                   s->d->name);
  dae__value value = {.size = elements->width};
  for (int i = 0; i < value.size && !x->l->status; i++) {
    int leaf = elements->leaf + found->element * elements->width + i;
    value.at[i] = rate ? x->leaf_rate.item[leaf] : dae__leaf(x->graph, leaf);
  }
  return value;
}

/* Value of a param, let, output or variable, without components that follow. */
static dae__value name_element(const dae__context *c, const dae__found *found, const dae__expr *e,
                               bool rate)
{
  dae__expander *x = c->x;
  const dae__symbol *s = &x->symbols.item[found->symbol];
  dae__statement_kind kind = s->kind;
  const char *name = s->d->name;
  double constant;
  if (kind >= DAE__STATEMENT_COORD && kind <= DAE__STATEMENT_DISCRETE)
    return name_variable(c, found, found->last, rate);
  if (kind == DAE__STATEMENT_OUTPUT && !c->results) {
    dae__load_fail(x->l, e->place,
                   "%s is an output and not available here; name the expression with let", name);
    return DAE__NO_VALUE;
  }
  dae__element at = {found->symbol, found->instance, found->element};
  dae__value value =
      kind == DAE__STATEMENT_INPUT
          ? dae__as_number(dae__input_node(c, found->last, at, rate))
          : dae__element_value(x, found->symbol, found->instance, found->element, e->place);
  for (int i = 0; i < value.size && c->constant && !x->l->status; i++)
    if (!dae__is_constant(x->graph, value.at[i], &constant))
      dae__load_fail(x->l, e->place, "%s is a constant, but %s depends on variables or the time",
                     c->what, name);
  if (!rate)
    return value;
  if (kind == DAE__STATEMENT_PARAM)
    dae__load_fail(x->l, e->place, "%s is a param, a constant, and has no rate", name);
  return dae__vector_rate(x, value, e->place, name);
}

/* Component of a value by its name. */
dae__value dae__value_component(const dae__context *c, dae__value value, const dae__expr *at,
                                const char *name)
{
  int component = dae__component_of(name);
  if (value.size == 1)
    dae__load_fail(
        c->x->l, at->place,
        "a number has no component %s; expected the name of a vector, body, joint, part or "
        "system before the dot",
        name);
  else if (component < 0 || component >= value.size)
    dae__load_fail(c->x->l, at->place, "%s has the components x, y%s, but no %s",
                   dae__size_text(value.size), value.size == 3 ? ", z" : "", name);
  return c->x->l->status ? DAE__NO_VALUE : dae__as_number(value.at[component]);
}

static dae__value name_local(const dae__context *c, const dae__found *found, const dae__expr *e,
                             bool rate)
{
  dae__value value = dae__local_value(c->x, found->local, e->place);
  if (rate && found->local->index)
    dae__load_fail(c->x->l, e->place, "%s is an index and has no rate", e->name);
  return rate ? dae__vector_rate(c->x, value, e->place, e->name) : value;
}

dae__value dae__name_value(const dae__context *c, const dae__expr *e)
{
  dae__expander *x = c->x;
  dae__found found;
  dae__value value = DAE__NO_VALUE;
  bool local = false;
  for (dae__local *f = c->frame; f && !local; f = f->outer)
    local = f->name == e->name;
  if (!local && !e->member && dae__word_of(e->name) >= 0)
    return name_word(c, e);
  if (!dae__find(c, e, &found))
    return value;
  if (found.kind == DAE__FOUND_BODY || found.kind == DAE__FOUND_CONNECTOR)
    return dae__space_value(c, e, &found);
  if (found.kind == DAE__FOUND_INSTANCE) {
    dae__load_fail(
        x->l, found.last->place, "%s is a %s; its variables are written %s.x", found.last->name,
        x->instances.item[found.instance].parent >= 0 ? "part" : "system", found.last->name);
    return value;
  }
  if (found.kind == DAE__FOUND_FUNCTION)
    value = x->symbols.item[found.symbol].kind == DAE__STATEMENT_TABLE
                ? name_table(c, found.last, found.symbol, found.instance)
                : name_function(c, found.last, found.symbol, found.instance);
  else if (found.kind == DAE__FOUND_VALUE)
    value = name_local(c, &found, e, e->rate);
  else
    value = name_element(c, &found, e, e->rate);
  if (found.kind == DAE__FOUND_FUNCTION && e->rate)
    value = dae__vector_rate(x, value, e->place, found.last->name);
  for (const dae__expr *rest = found.rest; rest && !x->l->status; rest = rest->member)
    value = dae__value_component(c, value, rest, rest->name);
  return value;
}

dae__value dae__local_value(dae__expander *x, dae__local *local, int place)
{
  if (local->value.size < 0)
    dae__load_fail(x->l, place, "cyclic definition of %s", local->name);
  if (local->value.size != 0 || x->l->status)
    return x->l->status ? DAE__NO_VALUE : local->value;
  dae__context c = dae__local_context(x, local);
  local->value.size = -1;
  local->value = dae__evaluate_value(&c, local->expr);
  return local->value;
}
