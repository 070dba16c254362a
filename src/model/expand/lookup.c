/* Name lookup: symbols, elements of arrays, labels, multipliers, rates. */
#include "model/expand/value.h"
#include <daedal/options.h>
#include <stdio.h>
#include <string.h>

dae__context dae__context_of(dae__expander *x, int instance, dae__local *index)
{
  const dae__instance *own = &x->instances.item[instance];
  const dae__scope *scope = &x->scopes.item[own->scope];
  dae__context c = {.x = x, .instance = instance};
  if (!scope->d || scope->d->rank == 0)
    return c;
  *index = (dae__local){.name = scope->d->range[0].name, .index = true};
  if (!index->name)
    index->name = x->index_name[0];
  index->node = dae__constant(x->graph, scope->index + own->number);
  c.frame = index;
  return c;
}

/* ---- symbols ---- */

int dae__lookup_symbol(const dae__context *c, const char *name, int *instance)
{
  const dae__expander *x = c->x;
  int own = dae__table_find(&x->symbol_table, x->instances.item[c->instance].scope, name);
  if (own >= 0) {
    *instance = c->instance;
    return own;
  }
  *instance = 0;
  return dae__table_find(&x->symbol_table, 0, name);
}

typedef struct visible {
  const dae__expander *x;
  int scope;
} visible;

static const char *lookup_visible_name(const void *list, int i)
{
  const visible *v = list;
  const dae__symbol *s = &v->x->symbols.item[i];
  return s->scope == 0 || s->scope == v->scope ? s->d->name : "";
}

static void lookup_fail_unknown(const dae__context *c, const dae__expr *e, int scope)
{
  visible v = {c->x, scope};
  const char *kind = e->kind == DAE__EXPR_CALL ? "function" : "name";
  const char *near = dae_suggest(e->name, c->x->symbols.count, lookup_visible_name, &v);
  if (!near && e->kind == DAE__EXPR_CALL)
    near = dae_suggest(e->name, DAE__WORDS - DAE__FIRST_FUNCTION, dae__word_text,
                       &dae__words[DAE__FIRST_FUNCTION]);
  if (!strcmp(e->name, "lambda") || !strcmp(e->name, "psi"))
    dae__load_fail(c->x->l, e->place, "a multiplier is named by its constraint: %s(rod)", e->name);
  else if (near)
    dae__load_fail(c->x->l, e->place, "unknown %s %s; did you mean %s?", kind, e->name, near);
  else
    dae__load_fail(c->x->l, e->place,
                   "unknown %s %s; declare it with param, let, coord, state or "
                   "alg",
                   kind, e->name);
}

void dae__check_function(const dae__context *c, const dae__expr *e, const dae__declaration *d,
                         const dae__local *indices)
{
  /* Loop over first operands: chains of left operands can be long. Recursion for the others. */
  for (; e && !c->x->l->status; e = e->argument) {
    dae__local own = {.name = e->name, .outer = indices};
    int instance;
    bool known = e->kind != DAE__EXPR_NAME || e->member || dae__word_of(e->name) >= 0 ||
                 dae__lookup_symbol(c, e->name, &instance) >= 0;
    for (int i = 0; i < d->parameters && !known; i++)
      known = d->parameter[i] == e->name;
    for (const dae__local *f = indices; f && !known; f = f->outer)
      known = f->name == e->name;
    if (!known)
      lookup_fail_unknown(c, e, c->x->instances.item[c->instance].scope);
    const dae__expr *rest = e->argument ? e->argument->next : NULL;
    for (; rest; rest = rest->next)
      dae__check_function(c, rest, d, e->kind == DAE__EXPR_SUM && !rest->next ? &own : indices);
  }
}

/* Instance of a system named A or S[k]; -1 after an error. */
static int lookup_find_system(const dae__context *c, const dae__expr *e)
{
  dae__expander *x = c->x;
  int symbol = dae__table_find(&x->symbol_table, 0, e->name), index = 0;
  if (symbol < 0 || x->symbols.item[symbol].kind != DAE__STATEMENT_SYSTEM) {
    if (symbol < 0)
      lookup_fail_unknown(c, e, 0);
    else
      dae__load_fail(x->l, e->place,
                     "%s is not a system; expected the name of a system before the dot", e->name);
    return -1;
  }
  const dae__scope *s = &x->scopes.item[x->symbols.item[symbol].body];
  dae__context inner = *c;
  inner.what = "an index";
  if (e->count != s->d->rank) {
    dae__load_fail(x->l, e->place,
                   s->d->rank > 0 ? "%s is an array of systems and needs one index"
                                  : "%s is one system and has no index",
                   e->name);
    return -1;
  }
  if (s->instances == 0) {
    dae__load_fail(x->l, e->place, "%s is not available in the range of a system", e->name);
    return -1;
  }
  if (s->d->rank > 0)
    index = dae__evaluate_whole(&inner, e->argument) - s->index;
  if (!x->l->status && (index < 0 || index >= s->instances))
    dae__load_fail(x->l, e->argument->place, "the index %d of %s is out of range %d..%d",
                   index + s->index, e->name, s->index, s->index + s->instances - 1);
  return x->l->status ? -1 : s->instance + index;
}

int dae__lookup_path(const dae__context *c, const dae__expr *e, int *instance)
{
  dae__expander *x = c->x;
  int symbol;
  if (!e->member) {
    symbol = dae__lookup_symbol(c, e->name, instance);
    if (symbol < 0)
      lookup_fail_unknown(c, e, x->instances.item[c->instance].scope);
    return symbol;
  }
  *instance = lookup_find_system(c, e);
  if (*instance < 0)
    return -1;
  int scope = x->instances.item[*instance].scope;
  symbol = dae__table_find(&x->symbol_table, scope, e->member->name);
  bool multiplier = !strcmp(e->member->name, "lambda") || !strcmp(e->member->name, "psi");
  if (symbol < 0 && multiplier)
    dae__load_fail(x->l, e->place, "the multiplier of a constraint of %s is written %s(%s.rod)",
                   e->name, e->member->name, e->name);
  if (symbol < 0) {
    visible v = {x, scope};
    const char *near = dae_suggest(e->member->name, x->symbols.count, lookup_visible_name, &v);
    if (near)
      dae__load_fail(x->l, e->member->place, "system %s has no %s; did you mean %s?", e->name,
                     e->member->name, near);
    else
      dae__load_fail(x->l, e->member->place, "system %s has no %s", e->name, e->member->name);
  }
  return symbol;
}

/* ---- elements ---- */

bool dae__lookup_element(const dae__context *c, const dae__expr *e, dae__element *out)
{
  dae__expander *x = c->x;
  const dae__expr *last = e->member ? e->member : e;
  dae__context inner = *c;
  inner.what = "an index";
  out->symbol = dae__lookup_path(c, e, &out->instance);
  out->element = 0;
  if (out->symbol < 0)
    return false;
  const dae__declaration *d = x->symbols.item[out->symbol].d;
  if (x->symbols.item[out->symbol].kind == DAE__STATEMENT_SYSTEM)
    dae__load_fail(x->l, last->place, "%s is a system; its variables are written %s.x", last->name,
                   last->name);
  else if (d->parameters >= 0)
    dae__load_fail(x->l, last->place, "%s is a function and needs its arguments: %s(...)",
                   last->name, last->name);
  const dae__elements *elements =
      x->l->status ? NULL : dae__elements_of(x, out->symbol, out->instance, last->place);
  if (elements && last->count != d->rank && d->rank == 0)
    dae__load_fail(x->l, last->place, "%s is a scalar and has no index", last->name);
  else if (elements && last->count != d->rank)
    dae__load_fail(x->l, last->place, "%s is an array and needs %s", last->name,
                   d->rank == 1 ? "one index: [i]" : "two indices: [i, j]");
  if (!elements || x->l->status)
    return false;
  const dae__expr *a = last->argument;
  for (int r = 0; a && !x->l->status; a = a->next, r++) {
    int i = dae__evaluate_whole(&inner, a), from = elements->from[r], to = elements->to[r];
    if (i < from || i > to) /* after an error in the index, this one is ignored */
      dae__load_fail(x->l, a->place, "the index %d of %s is out of range %d..%d", i, last->name,
                     from, to);
    else
      out->element = out->element * (to - from + 1) + i - from;
  }
  return !x->l->status;
}

/* Local names for the indices of an element, inside of the names `outer`. index: set to the values
 * of the indices. */
static const dae__local *lookup_element_frames(dae__expander *x, const dae__symbol *s,
                                               const dae__elements *e, int element,
                                               const dae__local *outer, dae__local *frame,
                                               int *index)
{
  int columns = s->d->rank == 2 ? e->to[1] - e->from[1] + 1 : 1;
  index[0] = e->from[0] + element / columns;
  index[1] = e->from[1] + element % columns;
  for (int r = 0; r < s->d->rank; r++) {
    const char *name = s->d->range[r].name ? s->d->range[r].name : x->index_name[r];
    frame[r] = (dae__local){name, dae__constant(x->graph, index[r]), true, outer};
    outer = &frame[r];
  }
  return outer;
}

dae__node dae__element_node(dae__expander *x, int symbol, int instance, int element, int place)
{
  dae__elements *e = dae__elements_of(x, symbol, instance, place);
  if (!e)
    return DAE__ZERO;
  const dae__symbol *s = &x->symbols.item[symbol];
  if (e->node[element] == -2) {
    dae__load_fail(x->l, place, "cyclic definition of %s", s->d->name);
    return DAE__ZERO;
  }
  if (e->node[element] == -1 && dae__load_work(x->l, place, DAE__LOOP_WORK)) {
    dae__local own, frame[DAE__RANK];
    int index[DAE__RANK];
    dae__context c = dae__context_of(x, instance, &own), outside = {.x = x};
    const dae__expr *value = s->d->value, *other = NULL;
    e->node[element] = -2;
    c.frame = lookup_element_frames(x, s, e, element, c.frame, frame, index);
    c.results = s->kind == DAE__STATEMENT_OUTPUT;
    c.what = "a param";
    outside.what = "the value of a param";
    if (s->kind == DAE__STATEMENT_PARAM)
      other = dae__override_of(x, symbol, instance, index);
    if (s->kind != DAE__STATEMENT_PARAM)
      e->node[element] = dae__evaluate(&c, value);
    else
      e->node[element] = dae__constant(x->graph, other ? dae__evaluate_constant(&outside, other)
                                                       : dae__evaluate_constant(&c, value));
  }
  return x->l->status ? DAE__ZERO : e->node[element];
}

/* ---- labels, multipliers ---- */

const char *dae__label_text(const dae__context *c, const dae__expr *label)
{
  char text[320];
  dae__context inner = *c;
  inner.what = "an index";
  if (label->count > DAE__RANK)
    dae__load_fail(c->x->l, label->place, "a label has one or two indices");
  int used = snprintf(text, sizeof text, "%s", label->name);
  for (const dae__expr *a = label->argument; a && !c->x->l->status; a = a->next) {
    used += snprintf(text + used, sizeof text - (size_t)used, "%c%d",
                     a == label->argument ? '[' : ',', dae__evaluate_whole(&inner, a));
  }
  if (label->argument && used < (int)sizeof text - 1)
    text[used++] = ']';
  return dae__name(c->x->l, c->x->names, text, used);
}

void dae__label_add(dae__expander *x, dae__label label)
{
  int other = dae__table_find(&x->label_table, label.instance, label.text);
  if (other >= 0)
    dae__load_fail(x->l, label.place, "duplicate label %s; the first one is in line %d", label.text,
                   dae__line_of(&x->l->files, x->labels.item[other].place));
  if (x->l->status)
    return;
  *DAE__PUSH(x->l->scratch, &x->labels) = label;
  if (dae__load_ok(x->l))
    dae__table_add(x->l, &x->label_table, label.instance, label.text, x->labels.count - 1);
}

static const char *lookup_label_name(const void *list, int i)
{
  const dae__label *label = &((const dae__expander *)list)->labels.item[i];
  return label->kind == DAE__LABEL_EVENT ? "" : label->text;
}

dae__node dae__multiplier_node(const dae__context *c, const dae__expr *e)
{
  dae__expander *x = c->x;
  const dae__expr *label = e->argument;
  if (!c->results)
    dae__load_fail(x->l, e->place,
                   "multipliers are available in outputs, events and drawings only");
  else if (e->count != 1 || label->kind != DAE__EXPR_NAME || label->rate)
    dae__load_fail(x->l, e->place, "%s(NAME) needs the label of a constraint", e->name);
  if (x->l->status)
    return DAE__ZERO;
  const dae__expr *last = label->member ? label->member : label;
  int instance = label->member ? lookup_find_system(c, label) : c->instance;
  if (instance < 0)
    return DAE__ZERO;
  bool psi = !strcmp(e->name, "psi");
  const char *text = dae__label_text(c, last);
  int number = x->l->status ? -1 : dae__table_find(&x->label_table, instance, text);
  const dae__label *found = number < 0 ? NULL : &x->labels.item[number];
  if (!found || found->kind == DAE__LABEL_EVENT) {
    const char *near = dae_suggest(text, x->labels.count, lookup_label_name, x);
    if (near)
      dae__load_fail(x->l, last->place, "no constraint has the label %s; did you mean %s?", text,
                     near);
    else
      dae__load_fail(x->l, last->place, "no constraint has the label %s", text);
  } else if (psi != (found->kind == DAE__LABEL_NONHOLONOMIC))
    dae__load_fail(x->l, last->place, "%s is %s; its multiplier is %s(%s)", text,
                   psi ? "holonomic" : "nonholonomic", psi ? "lambda" : "psi", text);
  return x->l->status ? DAE__ZERO : dae__leaf(x->graph, found->leaf);
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
    if (kind == DAE__LEAF_ALG)
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

dae__node dae__start_node(dae__expander *x, int symbol, int instance, int element,
                          const dae__expr *expr)
{
  const dae__symbol *s = &x->symbols.item[symbol];
  const dae__elements *e = dae__elements_of(x, symbol, instance, s->d->place);
  dae__local own, frame[DAE__RANK];
  int index[DAE__RANK];
  if (!e || !expr)
    return DAE__ZERO;
  dae__context c = dae__context_of(x, instance, &own);
  c.frame = lookup_element_frames(x, s, e, element, c.frame, frame, index);
  return dae__evaluate(&c, expr);
}

double dae__element_constant(dae__expander *x, const dae__leaf_info *element, const dae__expr *expr,
                             const char *what)
{
  const dae__symbol *s = &x->symbols.item[element->symbol];
  const dae__elements *e = dae__elements_of(x, element->symbol, element->instance, s->d->place);
  dae__local own, frame[DAE__RANK];
  int index[DAE__RANK];
  if (!e)
    return 0;
  dae__context c = dae__context_of(x, element->instance, &own);
  c.what = what;
  c.frame = lookup_element_frames(x, s, e, element->element, c.frame, frame, index);
  return dae__evaluate_constant(&c, expr);
}
