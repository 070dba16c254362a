/* Name lookup: symbols, elements of arrays, labels, multipliers, rates. */
#include "model/expand/value.h"
#include "model/space/space.h"
#include <daedal/options.h>
#include <stdio.h>
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
                         dae__local *indices)
{
  /* Loop over first operands: chains of left operands can be long. Recursion for the others. */
  for (; e && !c->x->l->status; e = e->argument) {
    dae__local own = {.name = e->name, .outer = indices};
    int instance;
    bool known = e->kind != DAE__EXPR_NAME || e->member || dae__word_of(e->name) >= 0 ||
                 dae__lookup_symbol(c, e->name, &instance) >= 0;
    for (int i = 0; i < d->parameters && !known; i++)
      known = d->parameter[i] == e->name;
    for (dae__local *f = indices; f && !known; f = f->outer)
      known = f->name == e->name;
    if (!known)
      lookup_fail_unknown(c, e, c->x->instances.item[c->instance].scope);
    const dae__expr *rest = e->argument ? e->argument->next : NULL;
    for (; rest; rest = rest->next)
      dae__check_function(c, rest, d, e->kind == DAE__EXPR_SUM && !rest->next ? &own : indices);
  }
}

/* ---- dotted names ---- */

/* A search for what a dotted name stands for. quiet: without errors, and without indices. */
typedef struct search {
  const dae__context *c;
  bool quiet;
  const dae__expr *at; /* current component */
  int symbol, instance;
  dae__connector *connector;
} search;

/* Finds the current component in one instance: a symbol, or a connector. */
static bool lookup_in_instance(search *f, int instance)
{
  dae__expander *x = f->c->x;
  f->instance = instance;
  f->connector = NULL;
  f->symbol = dae__table_find(&x->symbol_table, x->instances.item[instance].scope, f->at->name);
  if (f->symbol < 0)
    f->connector = dae__connector_find(f->c, instance, f->at, f->quiet);
  return f->symbol >= 0 || f->connector || x->l->status;
}

/* Reports that a system or part has no component of a name. */
static void lookup_fail_component(const search *f, const dae__expr *owner)
{
  dae__expander *x = f->c->x;
  const dae__instance *in = &x->instances.item[f->instance];
  const char *what = in->parent >= 0 ? "part" : "system", *name = f->at->name;
  visible v = {x, in->scope};
  const char *near = dae_suggest(name, x->symbols.count, lookup_visible_name, &v);
  if (!strcmp(name, "lambda") || !strcmp(name, "psi"))
    dae__load_fail(x->l, owner->place, "the multiplier of a constraint of %s is written %s(%s.rod)",
                   owner->name, name, owner->name);
  else if (near)
    dae__load_fail(x->l, f->at->place, "%s %s has no %s; did you mean %s?", what, owner->name, name,
                   near);
  else
    dae__load_fail(x->l, f->at->place, "%s %s has no %s", what, owner->name, name);
}

/* Instance of a system or part by its index; -1 after an error. */
static int lookup_instance(const search *f)
{
  dae__expander *x = f->c->x;
  const dae__symbol *s = &x->symbols.item[f->symbol];
  const dae__declaration *d = s->d;
  bool part = s->kind == DAE__STATEMENT_PART;
  const char *what = part ? "part" : "system";
  const dae__elements *e = part ? dae__elements_slot(x, f->symbol, f->instance) : NULL;
  const dae__scope *scope = part ? NULL : &x->scopes.item[s->body];
  int first = part ? e->instance : scope->instance, from = part ? e->from[0] : scope->index;
  int count = part ? (e->stage == DAE__ELEMENTS_RESOLVED ? e->count : 0) : scope->instances;
  if (count == 0) {
    dae__load_fail(x->l, f->at->place, "%s is not available in the range of a %s", d->name, what);
    return -1;
  }
  if (f->quiet)
    return first;
  if (f->at->call) {
    dae__load_fail(x->l, f->at->place, "%s is a %s, found a call", d->name, what);
    return -1;
  }
  if (f->at->count != d->rank) {
    dae__load_fail(x->l, f->at->place,
                   d->rank > 0 ? "%s is an array of %ss and needs one index"
                               : "%s is one %s and has no index",
                   d->name, what);
    return -1;
  }
  dae__context inner = *f->c;
  inner.what = "an index";
  int index = d->rank > 0 ? dae__evaluate_whole(&inner, f->at->argument) - from : 0;
  if (!x->l->status && (index < 0 || index >= count))
    dae__load_fail(x->l, f->at->argument->place, "the index %d of %s is out of range %d..%d",
                   index + from, d->name, from, from + count - 1);
  return x->l->status ? -1 : first + index;
}

/* Number of the element that the indices of the current component stand for; -1 after an error. */
static int lookup_element(const search *f)
{
  dae__expander *x = f->c->x;
  const dae__declaration *d = x->symbols.item[f->symbol].d;
  const dae__expr *at = f->at;
  dae__context inner = *f->c;
  inner.what = "an index";
  int element = 0;
  if (f->quiet)
    return 0;
  const dae__elements *elements = dae__elements_of(x, f->symbol, f->instance, at->place);
  if (!elements)
    return -1;
  if (at->count != d->rank && d->rank == 0)
    dae__load_fail(x->l, at->place, "%s is a scalar and has no index", at->name);
  else if (at->count != d->rank)
    dae__load_fail(x->l, at->place, "%s is an array and needs %s", at->name,
                   d->rank == 1   ? "one index: [i]"
                   : d->rank == 2 ? "two indices: [i, j]"
                                  : "three indices: [i, j, k]");
  const dae__expr *a = at->argument;
  for (int r = 0; a && !x->l->status; a = a->next, r++) {
    int i = dae__evaluate_whole(&inner, a), from = elements->from[r], to = elements->to[r];
    if (i < from || i > to) /* after an error in the index, this one is ignored */
      dae__load_fail(x->l, a->place, "the index %d of %s is out of range %d..%d", i, at->name, from,
                     to);
    else
      element = element * (to - from + 1) + i - from;
  }
  return x->l->status ? -1 : element;
}

/* Takes a symbol that is neither a system nor a part. */
static bool lookup_take_symbol(const search *f, dae__found *out)
{
  dae__expander *x = f->c->x;
  const dae__symbol *s = &x->symbols.item[f->symbol];
  const dae__expr *at = f->at;
  bool function = s->d->parameters >= 0 && s->kind == DAE__STATEMENT_LET;
  out->symbol = f->symbol;
  out->instance = f->instance;
  out->last = at;
  out->rest = at->member;
  if (s->kind == DAE__STATEMENT_TEMPLATE)
    dae__load_fail(x->l, at->place, "%s is a part with arguments; make one of it: part p = %s(...)",
                   at->name, at->name);
  else if (function && !at->call)
    dae__load_fail(x->l, at->place, "%s is a function and needs its arguments: %s(...)", at->name,
                   at->name);
  else if (!function && at->call)
    dae__load_fail(x->l, at->place,
                   s->kind == DAE__STATEMENT_LET
                       ? "%s is not a function; write %s without parentheses"
                       : "%s is not a function; write * between factors, and [ ] around an index",
                   at->name, at->name);
  if (x->l->status)
    return false;
  out->kind = function                         ? DAE__FOUND_FUNCTION
              : s->kind == DAE__STATEMENT_BODY ? DAE__FOUND_BODY
                                               : DAE__FOUND_ELEMENT;
  out->element = function ? 0 : lookup_element(f);
  if (out->element < 0)
    return false;
  if (s->kind == DAE__STATEMENT_BODY && !f->quiet)
    out->body = &dae__elements_of(x, f->symbol, f->instance, at->place)->body[out->element];
  return true;
}

/* Follows the components of a name from the current one, which was found. */
static bool lookup_follow(search *f, dae__found *out)
{
  dae__expander *x = f->c->x;
  while (!x->l->status && !f->connector) {
    dae__statement_kind kind = x->symbols.item[f->symbol].kind;
    if (kind != DAE__STATEMENT_SYSTEM && kind != DAE__STATEMENT_PART)
      return lookup_take_symbol(f, out);
    const dae__expr *owner = f->at;
    int instance = lookup_instance(f);
    if (instance < 0)
      return false;
    out->kind = DAE__FOUND_INSTANCE;
    out->instance = instance;
    out->last = owner;
    out->rest = NULL;
    if (!owner->member)
      return true;
    f->at = owner->member;
    if (!lookup_in_instance(f, instance)) {
      if (!f->quiet)
        lookup_fail_component(f, owner);
      return false;
    }
  }
  out->kind = DAE__FOUND_CONNECTOR;
  out->connector = f->connector;
  out->last = f->at;
  out->rest = f->at->member;
  return !x->l->status;
}

static bool lookup_find(search *f, dae__found *out);

/* Takes a local name: its value, or the body, joint or part that an argument of a part stands for.
 */
static bool lookup_take_local(search *f, dae__local *local, dae__found *out)
{
  dae__expander *x = f->c->x;
  const dae__expr *at = f->at;
  const dae__expr *alias = local->expr;
  if (alias && alias->kind == DAE__EXPR_NAME && !alias->rate) {
    dae__context inner = dae__local_context(x, local);
    search behind = {.c = &inner, .quiet = f->quiet, .at = alias};
    bool known = !dae__word_is_value(alias) && lookup_find(&behind, out);
    if (x->l->status)
      return false;
    if (known && out->kind == DAE__FOUND_INSTANCE && at->member) {
      const dae__expr *owner = at;
      f->at = at->member;
      if (lookup_in_instance(f, out->instance))
        return lookup_follow(f, out);
      if (!f->quiet)
        lookup_fail_component(f, owner);
      return false;
    }
    if (known && !out->rest &&
        (out->kind == DAE__FOUND_BODY || out->kind == DAE__FOUND_CONNECTOR ||
         out->kind == DAE__FOUND_INSTANCE)) {
      out->last = at;
      out->rest = at->member;
      return true;
    }
  }
  *out = (dae__found){.kind = DAE__FOUND_VALUE, .local = local, .last = at, .rest = at->member};
  if (at->count > 0)
    dae__load_fail(x->l, at->place, "%s is a scalar and has no index", at->name);
  return !x->l->status;
}

static bool lookup_find(search *f, dae__found *out)
{
  dae__expander *x = f->c->x;
  const dae__expr *first = f->at;
  *out = (dae__found){.kind = DAE__FOUND_NOTHING};
  for (dae__local *local = f->c->frame; local && !first->call; local = local->outer)
    if (local->name == first->name)
      return lookup_take_local(f, local, out);
  for (int i = f->c->instance; i >= 0; i = x->instances.item[i].outer)
    if (lookup_in_instance(f, i))
      return !x->l->status && lookup_follow(f, out);
  if (!strcmp(first->name, "ground") && first->count == 0) {
    *out = (dae__found){.kind = DAE__FOUND_BODY, .last = first, .rest = first->member};
    out->body = dae__ground(x);
    return true;
  }
  if (f->quiet)
    return false;
  if (first->member)
    lookup_fail_unknown(f->c, first, x->instances.item[f->c->instance].scope);
  else
    lookup_fail_unknown(f->c, first, x->instances.item[f->c->instance].scope);
  return false;
}

bool dae__find(const dae__context *c, const dae__expr *e, dae__found *out)
{
  search f = {.c = c, .at = e};
  return lookup_find(&f, out);
}

bool dae__find_any(const dae__context *c, const dae__expr *e, dae__found *out)
{
  search f = {.c = c, .quiet = true, .at = e};
  return lookup_find(&f, out);
}

int dae__find_leaves(const dae__context *c, const dae__expr *e, dae__found *found, int *count)
{
  dae__expander *x = c->x;
  *count = 0;
  if (!dae__find(c, e, found))
    return -1;
  if (found->kind == DAE__FOUND_BODY || found->kind == DAE__FOUND_CONNECTOR)
    return dae__space_leaves(x, found, e->rate, count);
  if (found->kind != DAE__FOUND_ELEMENT)
    return -1;
  dae__statement_kind kind = x->symbols.item[found->symbol].kind;
  const dae__elements *own = dae__elements_of(x, found->symbol, found->instance, e->place);
  if (kind < DAE__STATEMENT_COORD || kind > DAE__STATEMENT_DISCRETE || !own ||
      (e->rate && kind > DAE__STATEMENT_STATE))
    return -1;
  int leaf = own->leaf + found->element * own->width + (e->rate ? own->count * own->width : 0);
  *count = own->width;
  if (!found->rest)
    return leaf;
  int component = own->width > 1 ? dae__component_of(found->rest->name) : -1;
  if (component < 0 || component >= own->width || found->rest->member) {
    dae__load_fail(x->l, found->rest->place, "%s has no component %s", found->last->name,
                   found->rest->name);
    return -1;
  }
  *count = 1;
  return leaf + component;
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

/* ---- labels, multipliers ---- */

const char *dae__label_text(const dae__context *c, const dae__expr *label)
{
  char text[320];
  dae__context inner = *c;
  inner.what = "an index";
  if (label->count > DAE__RANK)
    dae__load_fail(c->x->l, label->place, "a label has one to three indices");
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

/* Text of the components of a name from `at` on, with dots; NULL after an error. */
static const char *lookup_dotted_text(const dae__context *c, const dae__expr *at)
{
  dae__expander *x = c->x;
  const char *text = dae__label_text(c, at);
  for (at = at->member; at && !x->l->status; at = at->member) {
    const char *more = dae__pool_print(x->l->scratch, "%s.%s", text, dae__label_text(c, at));
    text = more ? dae__name(x->l, x->names, more, (int)strlen(more)) : text;
  }
  return dae__load_ok(x->l) ? text : NULL;
}

/* Label of a constraint, or labels of the components of a vector constraint; number: set to how
 * many. */
static const dae__label *lookup_labels(dae__expander *x, int instance, const char *text,
                                       int *number)
{
  int found = dae__table_find(&x->label_table, instance, text);
  *number = 1;
  if (found >= 0)
    return x->labels.item[found].kind == DAE__LABEL_EVENT ? NULL : &x->labels.item[found];
  for (*number = 0; *number < 3; ++*number) {
    const char *name = dae__pool_print(x->l->scratch, "%s.%s", text, dae__component_name(*number));
    const char *known = name ? dae__name(x->l, x->names, name, (int)strlen(name)) : NULL;
    int at = known ? dae__table_find(&x->label_table, instance, known) : -1;
    if (at < 0)
      break;
    found = found < 0 ? at : found;
  }
  return *number > 1 ? &x->labels.item[found] : NULL;
}

/* Finds a label by a dotted name: in the scope of the expression and those around it, or after the
 * name of a system or part. */
static const dae__label *lookup_find_label(const dae__context *c, const dae__expr *label,
                                           int *number, const char **text)
{
  dae__expander *x = c->x;
  search f = {.c = c, .at = label};
  bool known = false;
  *text = lookup_dotted_text(c, label);
  for (int i = c->instance; i >= 0 && *text; i = x->instances.item[i].outer) {
    const dae__label *found = lookup_labels(x, i, *text, number);
    if (found)
      return found;
  }
  for (int i = c->instance; i >= 0 && !known && !x->l->status; i = x->instances.item[i].outer)
    known = lookup_in_instance(&f, i);
  if (!known && label->member)
    lookup_fail_unknown(c, label, x->instances.item[c->instance].scope);
  while (known && f.at->member && f.symbol >= 0 && !x->l->status &&
         (x->symbols.item[f.symbol].kind == DAE__STATEMENT_SYSTEM ||
          x->symbols.item[f.symbol].kind == DAE__STATEMENT_PART)) {
    int instance = lookup_instance(&f);
    f.at = f.at->member;
    *text = instance < 0 ? NULL : lookup_dotted_text(c, f.at);
    const dae__label *found = *text ? lookup_labels(x, instance, *text, number) : NULL;
    if (found)
      return found;
    known = *text && lookup_in_instance(&f, instance);
  }
  return NULL;
}

int dae__multiplier_size(const dae__context *c, const dae__expr *e)
{
  const char *text;
  int number = 1;
  bool named = e->count == 1 && e->argument->kind == DAE__EXPR_NAME;
  return named && lookup_find_label(c, e->argument, &number, &text) ? number : 1;
}

dae__value dae__multiplier_value(const dae__context *c, const dae__expr *e)
{
  dae__expander *x = c->x;
  const dae__expr *label = e->argument, *last = label;
  if (!c->results)
    dae__load_fail(x->l, e->place,
                   "multipliers are available in outputs, events and drawings only");
  else if (e->count != 1 || label->kind != DAE__EXPR_NAME || label->rate)
    dae__load_fail(x->l, e->place, "%s(NAME) needs the label of a constraint", e->name);
  if (x->l->status)
    return DAE__NO_VALUE;
  while (last->member)
    last = last->member;
  bool psi = !strcmp(e->name, "psi");
  int number;
  const char *text;
  const dae__label *found = lookup_find_label(c, label, &number, &text);
  if (x->l->status)
    return DAE__NO_VALUE;
  if (!found) {
    const char *near = dae_suggest(text, x->labels.count, lookup_label_name, x);
    if (near)
      dae__load_fail(x->l, last->place, "no constraint has the label %s; did you mean %s?", text,
                     near);
    else
      dae__load_fail(x->l, last->place, "no constraint has the label %s", text);
  } else if (psi != (found->kind == DAE__LABEL_NONHOLONOMIC))
    dae__load_fail(x->l, last->place, "%s is %s; its multiplier is %s(%s)", text,
                   psi ? "holonomic" : "nonholonomic", psi ? "lambda" : "psi", text);
  if (x->l->status)
    return DAE__NO_VALUE;
  dae__value value = {.size = number};
  for (int i = 0; i < number; i++)
    value.at[i] = dae__leaf(x->graph, found->leaf + i);
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
    if (kind == DAE__LEAF_ALG)
      dae__load_fail(x->l, place, "%s' needs the rate of %s, which is algebraic and has none", what,
                     name);
    else
      dae__load_fail(x->l, place,
                     "%s already contains the rate %s: second derivatives are not supported", what,
                     name);
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
