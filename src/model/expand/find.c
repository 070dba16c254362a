/* What a dotted name stands for: x, A.x, B.point(v), W[2].coil.pull. The first component is looked
 * up in the scope of the expression, then in those around it; the next ones in the system or part
 * that the one before stands for. */
#include "model/expand/value.h"
#include "model/space/space.h"
#include <daedal/options.h>
#include <string.h>

typedef struct visible {
  const dae__expander *x;
  int scope;
} visible;

static const char *find_visible_name(const void *list, int i)
{
  const visible *v = list;
  const dae__symbol *s = &v->x->symbols.item[i];
  return s->scope == 0 || s->scope == v->scope ? s->d->name : "";
}

static void find_fail_unknown(const dae__context *c, const dae__expr *e, int scope)
{
  visible v = {c->x, scope};
  const char *kind = e->kind == DAE__EXPR_CALL ? "function" : "name";
  const char *near = dae_suggest(e->name, c->x->symbols.count, find_visible_name, &v);
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
      find_fail_unknown(c, e, c->x->instances.item[c->instance].scope);
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
static bool find_in_instance(search *f, int instance)
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
static void find_fail_component(const search *f, const dae__expr *owner)
{
  dae__expander *x = f->c->x;
  const dae__instance *in = &x->instances.item[f->instance];
  const char *what = in->parent >= 0 ? "part" : "system", *name = f->at->name;
  visible v = {x, in->scope};
  const char *near = dae_suggest(name, x->symbols.count, find_visible_name, &v);
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
static int find_instance(const search *f)
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
static int find_element(const search *f)
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
static bool find_take_symbol(const search *f, dae__found *out)
{
  dae__expander *x = f->c->x;
  const dae__symbol *s = &x->symbols.item[f->symbol];
  const dae__expr *at = f->at;
  bool table = s->kind == DAE__STATEMENT_TABLE;
  bool function = s->d->parameters >= 0 && (s->kind == DAE__STATEMENT_LET || table);
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
  out->element = function ? 0 : find_element(f);
  if (out->element < 0)
    return false;
  if (s->kind == DAE__STATEMENT_BODY && !f->quiet)
    out->body = &dae__elements_of(x, f->symbol, f->instance, at->place)->body[out->element];
  return true;
}

/* Follows the components of a name from the current one, which was found. */
static bool find_follow(search *f, dae__found *out)
{
  dae__expander *x = f->c->x;
  while (!x->l->status && !f->connector) {
    dae__statement_kind kind = x->symbols.item[f->symbol].kind;
    if (kind != DAE__STATEMENT_SYSTEM && kind != DAE__STATEMENT_PART)
      return find_take_symbol(f, out);
    const dae__expr *owner = f->at;
    int instance = find_instance(f);
    if (instance < 0)
      return false;
    out->kind = DAE__FOUND_INSTANCE;
    out->instance = instance;
    out->last = owner;
    out->rest = NULL;
    if (!owner->member)
      return true;
    f->at = owner->member;
    if (!find_in_instance(f, instance)) {
      if (!f->quiet)
        find_fail_component(f, owner);
      return false;
    }
  }
  out->kind = DAE__FOUND_CONNECTOR;
  out->connector = f->connector;
  out->last = f->at;
  out->rest = f->at->member;
  return !x->l->status;
}

static bool find_find(search *f, dae__found *out);

/* Takes a local name: its value, or the body, joint or part that an argument of a part stands for.
 */
static bool find_take_local(search *f, dae__local *local, dae__found *out)
{
  dae__expander *x = f->c->x;
  const dae__expr *at = f->at;
  const dae__expr *alias = local->expr;
  if (alias && alias->kind == DAE__EXPR_NAME && !alias->rate) {
    dae__context inner = dae__local_context(x, local);
    search behind = {.c = &inner, .quiet = f->quiet, .at = alias};
    bool known = !dae__word_is_value(alias) && find_find(&behind, out);
    if (x->l->status)
      return false;
    if (known && out->kind == DAE__FOUND_INSTANCE && at->member) {
      const dae__expr *owner = at;
      f->at = at->member;
      if (find_in_instance(f, out->instance))
        return find_follow(f, out);
      if (!f->quiet)
        find_fail_component(f, owner);
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

static bool find_find(search *f, dae__found *out)
{
  dae__expander *x = f->c->x;
  const dae__expr *first = f->at;
  *out = (dae__found){.kind = DAE__FOUND_NOTHING};
  for (dae__local *local = f->c->frame; local && !first->call; local = local->outer)
    if (local->name == first->name)
      return find_take_local(f, local, out);
  for (int i = f->c->instance; i >= 0; i = x->instances.item[i].outer)
    if (find_in_instance(f, i))
      return !x->l->status && find_follow(f, out);
  if (!strcmp(first->name, "ground") && first->count == 0) {
    *out = (dae__found){.kind = DAE__FOUND_BODY, .last = first, .rest = first->member};
    out->body = dae__ground(x);
    return true;
  }
  if (f->quiet)
    return false;
  find_fail_unknown(f->c, first, x->instances.item[f->c->instance].scope);
  return false;
}

int dae__find_owner(const dae__context *c, int within, const dae__expr **at)
{
  dae__expander *x = c->x;
  search f = {.c = c, .at = *at};
  bool known = within >= 0 && find_in_instance(&f, within);
  for (int i = c->instance; i >= 0 && within < 0 && !known; i = x->instances.item[i].outer)
    known = find_in_instance(&f, i);
  if (!known && within < 0)
    find_fail_unknown(c, f.at, x->instances.item[c->instance].scope);
  if (!known || x->l->status || f.symbol < 0 ||
      (x->symbols.item[f.symbol].kind != DAE__STATEMENT_SYSTEM &&
       x->symbols.item[f.symbol].kind != DAE__STATEMENT_PART))
    return -1;
  *at = f.at->member;
  return find_instance(&f);
}

bool dae__find(const dae__context *c, const dae__expr *e, dae__found *out)
{
  search f = {.c = c, .at = e};
  return find_find(&f, out);
}

bool dae__find_any(const dae__context *c, const dae__expr *e, dae__found *out)
{
  search f = {.c = c, .quiet = true, .at = e};
  return find_find(&f, out);
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
