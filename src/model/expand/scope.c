/* Scopes, instances of systems, symbols, and the elements of arrays. */
#include "model/expand/value.h"
#include "model/space/space.h"
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- tables of names ---- */

/* Slot of a name in a hash table, or the empty slot to insert it at. */
static struct dae__table_slot *scope_table_slot(const dae__table *table, int owner,
                                                const char *name)
{
  uint64_t h = ((uint64_t)(uintptr_t)name >> 4) * 0x9E3779B97F4A7C15u + (uint64_t)(unsigned)owner;
  h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9u;
  unsigned mask = (unsigned)(table->slots - 1), i = (unsigned)(h >> 32) & mask;
  while (table->slot[i].name && (table->slot[i].name != name || table->slot[i].owner != owner))
    i = (i + 1) & mask;
  return &table->slot[i];
}

int dae__table_find(const dae__table *table, int owner, const char *name)
{
  const struct dae__table_slot *s = table->slots > 0 ? scope_table_slot(table, owner, name) : NULL;
  return s && s->name ? s->number : -1;
}

void dae__table_add(dae__load *l, dae__table *table, int owner, const char *name, int number)
{
  if (2 * (table->count + 1) >= table->slots) { /* a hash table is at most half full */
    dae__table larger = {.slots = table->slots > 0 ? 2 * table->slots : 64};
    larger.slot = DAE__NEW_ARRAY(l->scratch, struct dae__table_slot, larger.slots);
    if (!dae__load_ok(l))
      return;
    for (int i = 0; i < table->slots; i++)
      if (table->slot[i].name)
        *scope_table_slot(&larger, table->slot[i].owner, table->slot[i].name) = table->slot[i];
    larger.count = table->count;
    *table = larger;
  }
  *scope_table_slot(table, owner, name) = (struct dae__table_slot){name, owner, number};
  table->count++;
}

/* ---- declarations ---- */

static int scope_add_symbol(dae__expander *x, int scope, dae__statement_kind kind,
                            const dae__declaration *d)
{
  int other = dae__table_find(&x->symbol_table, scope, d->name);
  if (other >= 0)
    dae__load_fail(x->l, d->place, "duplicate declaration of %s; the first one is in line %d",
                   d->name, dae__line_of(&x->l->files, x->symbols.item[other].d->place));
  if (x->l->status)
    return -1;
  *DAE__PUSH(x->l->scratch, &x->symbols) =
      (dae__symbol){.kind = kind, .d = d, .scope = scope, .next = -1};
  if (!dae__load_ok(x->l))
    return -1;
  int symbol = x->symbols.count - 1;
  dae__scope *s = &x->scopes.item[scope];
  *(s->first < 0 ? &s->first : &x->symbols.item[s->last].next) = symbol;
  s->last = symbol;
  dae__table_add(x->l, &x->symbol_table, scope, d->name, symbol);
  return symbol;
}

static bool scope_is_declaration(const dae__statement *s)
{
  return (s->kind >= DAE__STATEMENT_PARAM && s->kind <= DAE__STATEMENT_OUTPUT) ||
         s->kind == DAE__STATEMENT_TABLE || s->kind == DAE__STATEMENT_INPUT;
}

/* Reports an error for statements that are not allowed inside a system, a loop or an event. */
static void scope_check_place(dae__expander *x, const dae__statement *s, int scope, bool in_loop)
{
  bool in_system = scope > 0, in_part = x->scopes.item[scope].part;
  const char *here = in_loop ? "a for loop" : in_part ? "a part" : "a system";
  switch (s->kind) {
  case DAE__STATEMENT_MODEL:
    dae__load_fail(x->l, s->place,
                   "model must be the first statement of the file, and the only one of its kind");
    break;
  case DAE__STATEMENT_SIMULATE:
    dae__load_fail(x->l, s->place,
                   "simulate is not allowed in %s; it belongs at the end of the model", here);
    break;
  case DAE__STATEMENT_SYSTEM:
    dae__load_fail(x->l, s->place,
                   in_loop   ? "a system is not allowed in a for loop: write system "
                               "S[k in 1..N] { ... }"
                   : in_part ? "a part holds no system: a system holds parts"
                             : "systems do not nest: declare this one outside of the other");
    break;
  case DAE__STATEMENT_JOINT:
    if (in_system)
      dae__load_fail(x->l, s->place, "a joint connects systems and must be outside of them");
    break;
  case DAE__STATEMENT_SETTING:
    if (in_loop || !in_system || in_part)
      dae__load_fail(x->l, s->place, "%s can be set inside a system, or in the line simulate",
                     s->setting->name);
    break;
  case DAE__STATEMENT_EVENT:
  case DAE__STATEMENT_IMPACT:
  case DAE__STATEMENT_CONTACT:
    for (const dae__statement *a = s->body; a && !x->l->status; a = a->next)
      if (a->kind != DAE__STATEMENT_EQUATION || a->a->kind != DAE__EXPR_NAME)
        dae__load_fail(x->l, a->place,
                       "the actions of an event set variables: { x' = -e*x'; m = 2 }");
    break;
  case DAE__STATEMENT_BODY:
  case DAE__STATEMENT_PART:
    if (in_loop)
      dae__load_fail(
          x->l, s->place,
          "bodies and parts are not declared in for loops: declare an array, %s[k in 1..N]",
          s->declared->name);
    break;
  case DAE__STATEMENT_TEMPLATE:
  case DAE__STATEMENT_GRAVITY:
    if (in_loop)
      dae__load_fail(x->l, s->place, "%s is not allowed in a for loop; it stands outside",
                     s->kind == DAE__STATEMENT_GRAVITY ? "gravity" : "a part with arguments");
    break;
  default:
    if (in_loop && scope_is_declaration(s) && s->kind != DAE__STATEMENT_LET)
      dae__load_fail(
          x->l, s->place,
          "declarations are not allowed in for loops: declare an array outside, %s[1..N]",
          s->declared->name);
  }
}

static void scope_check_loop(dae__expander *x, const dae__statement *s, int scope)
{
  for (const dae__statement *b = s->body; b && !x->l->status; b = b->next) {
    scope_check_place(x, b, scope, true);
    if (b->kind == DAE__STATEMENT_FOR)
      scope_check_loop(x, b, scope);
    else if (b->kind == DAE__STATEMENT_LET)
      for (const dae__declaration *d = b->declared; d; d = d->next)
        if (d->rank > 0 || d->parameters >= 0)
          dae__load_fail(x->l, d->place,
                         "a let inside a for loop must be a single name; declare arrays and "
                         "functions outside");
  }
}

static void scope_declare(dae__expander *x, int scope, const dae__statement *first);

/* Declares a system or a template of parts, and the names inside of it. */
static void scope_declare_inner(dae__expander *x, int scope, const dae__statement *s)
{
  bool part = s->kind == DAE__STATEMENT_TEMPLATE;
  int symbol = scope_add_symbol(x, scope, s->kind, s->declared);
  *DAE__PUSH(x->l->scratch, &x->scopes) = (dae__scope){.name = s->declared->name,
                                                       .body = s->body,
                                                       .d = s->declared,
                                                       .part = part,
                                                       .outer = scope,
                                                       .symbol = symbol,
                                                       .first = -1,
                                                       .last = -1};
  if (symbol < 0 || !dae__load_ok(x->l))
    return;
  x->symbols.item[symbol].body = x->scopes.count - 1;
  scope_declare(x, x->scopes.count - 1, s->body);
}

static void scope_declare(dae__expander *x, int scope, const dae__statement *first)
{
  bool inner = scope > 0;
  for (const dae__statement *s = first; s && !x->l->status; s = s->next) {
    if (inner || s->kind == DAE__STATEMENT_SETTING || s->kind == DAE__STATEMENT_EVENT ||
        s->kind == DAE__STATEMENT_IMPACT || s->kind == DAE__STATEMENT_CONTACT ||
        (s->kind == DAE__STATEMENT_MODEL && s != first))
      scope_check_place(x, s, scope, false);
    if (x->l->status)
      return;
    if (scope_is_declaration(s))
      for (const dae__declaration *d = s->declared; d && !x->l->status; d = d->next)
        scope_add_symbol(x, scope, s->kind, d);
    else if (s->kind == DAE__STATEMENT_FOR)
      scope_check_loop(x, s, scope);
    else if (s->kind == DAE__STATEMENT_BODY || s->kind == DAE__STATEMENT_PART) {
      int symbol = scope_add_symbol(x, scope, s->kind, s->declared);
      if (symbol >= 0)
        x->symbols.item[symbol].statement = s;
    } else if (s->kind == DAE__STATEMENT_TEMPLATE || (s->kind == DAE__STATEMENT_SYSTEM && !inner)) {
      scope_declare_inner(x, scope, s);
    } else if (s->kind == DAE__STATEMENT_SIMULATE && x->simulate)
      dae__load_fail(x->l, s->place, "duplicate simulate; the first one is in line %d",
                     dae__line_of(&x->l->files, x->simulate->place));
    if (s->kind == DAE__STATEMENT_SIMULATE && !x->l->status)
      x->simulate = s;
  }
}

/* ---- elements ---- */

/* Creates the leaves of a variable, or of the coordinates of bodies, and of their rates. */
static void scope_create_leaves(dae__expander *x, int symbol, int instance, dae__elements *e)
{
  /* by kind of a variable: kinds of the leaves of its value and its rate */
  static const unsigned kinds[][2] = {
      [DAE__STATEMENT_COORD] = {DAE__LEAF_COORD, DAE__LEAF_COORD_RATE},
      [DAE__STATEMENT_STATE] = {DAE__LEAF_STATE, DAE__LEAF_STATE_RATE},
      [DAE__STATEMENT_ALG] = {DAE__LEAF_ALG, 0},
      [DAE__STATEMENT_DISCRETE] = {DAE__LEAF_DISCRETE, 0}};
  dae__statement_kind kind = x->symbols.item[symbol].kind;
  if (kind == DAE__STATEMENT_BODY)
    kind = DAE__STATEMENT_COORD;
  dae__instance *home = &x->instances.item[x->instances.item[instance].home];
  int count = e->count * e->width;
  e->leaf = x->leaves.count;
  if (!x->symbols.item[symbol].derived)
    *DAE__PUSH(x->l->scratch, &home->variables) = (struct dae__variable){symbol, instance};
  if (kind == DAE__STATEMENT_STATE || kind == DAE__STATEMENT_ALG)
    home->unknowns += count;
  for (int i = 0; i < count && dae__load_ok(x->l); i++)
    dae__add_leaf(x, kinds[kind][0], (dae__leaf_info){instance, symbol, i});
  for (int i = 0; i < count && kinds[kind][1] && dae__load_ok(x->l); i++) {
    int rate = dae__add_leaf(x, kinds[kind][1], (dae__leaf_info){instance, symbol, i});
    if (dae__load_ok(x->l))
      x->leaf_rate.item[e->leaf + i] = dae__leaf(x->graph, rate);
  }
}

static void scope_resolve_elements(dae__expander *x, int symbol, int instance, dae__elements *e)
{
  const dae__symbol *s = &x->symbols.item[symbol];
  const dae__declaration *d = s->d;
  dae__statement_kind kind = s->kind;
  dae__context c = dae__context_of(x, instance);
  c.constant = true;
  c.what = "an array bound";
  bool output = kind == DAE__STATEMENT_OUTPUT;
  int width = output ? 3 : dae__width_of(x, symbol, instance);
  long count = 1;
  for (int r = 0; r < d->rank; r++) {
    if (!dae__evaluate_range(&c, &d->range[r], &e->from[r], &e->to[r]))
      return;
    count *= e->to[r] >= e->from[r] ? (long)e->to[r] - e->from[r] + 1 : 0;
    if (count > x->l->limits.max_nodes / width) {
      dae__load_fail(x->l, d->range[r].place,
                     "the array %s is too large: the limit is %ld elements", d->name,
                     x->l->limits.max_nodes / width);
      return;
    }
  }
  e->count = (int)count;
  if (output)
    e->width = width = dae__output_width(x, symbol, instance, e);
  if (kind == DAE__STATEMENT_BODY)
    dae__bodies_create(x, symbol, instance, e);
  if ((kind >= DAE__STATEMENT_COORD && kind <= DAE__STATEMENT_DISCRETE) ||
      kind == DAE__STATEMENT_BODY) {
    scope_create_leaves(x, symbol, instance, e);
  } else {
    e->node = DAE__NEW_ARRAY(x->l->scratch, dae__node, e->count * width);
    for (int i = 0; e->node && i < e->count * width; i++)
      e->node[i] = -1;
  }
  e->stage = DAE__ELEMENTS_RESOLVED;
}

dae__elements *dae__elements_slot(dae__expander *x, int symbol, int instance)
{
  dae__symbol *s = &x->symbols.item[symbol];
  int number = s->generated ? 0 : x->instances.item[instance].number;
  if (number >= s->room) {
    int room = 2 * number + 1;
    dae__elements **in = DAE__NEW_ARRAY(x->l->scratch, dae__elements *, room);
    if (!dae__load_ok(x->l))
      return NULL;
    if (s->room > 0)
      memcpy(in, s->in, (size_t)s->room * sizeof(dae__elements *));
    s->in = in;
    s->room = room;
  }
  if (!s->in[number])
    s->in[number] = DAE__NEW(x->l->scratch, dae__elements);
  return dae__load_ok(x->l) ? s->in[number] : NULL;
}

dae__elements *dae__elements_resolve(dae__expander *x, int symbol, int instance, int place)
{
  dae__elements *e = dae__elements_slot(x, symbol, instance);
  const char *name = x->symbols.item[symbol].d->name;
  if (!e)
    return NULL;
  if (e->stage == DAE__ELEMENTS_RESOLVING)
    dae__load_fail(x->l, place,
                   x->symbols.item[symbol].kind == DAE__STATEMENT_OUTPUT
                       ? "cyclic definition of %s"
                       : "the range of %s depends on %s itself",
                   name, name);
  if (e->stage == DAE__ELEMENTS_UNRESOLVED) {
    e->stage = DAE__ELEMENTS_RESOLVING;
    scope_resolve_elements(x, symbol, instance, e);
  }
  return dae__load_ok(x->l) ? e : NULL;
}

int dae__add_coordinates(dae__expander *x, int instance, const char *name, const dae__statement *s,
                         int width, const dae__symbol *like)
{
  dae__declaration *d = DAE__NEW(x->l->scratch, dae__declaration);
  int symbol = x->symbols.count;
  if (!d || !name)
    return 0;
  d->name = name;
  d->place = s->place;
  d->parameters = -1;
  dae__symbol *own = DAE__PUSH(x->l->scratch, &x->symbols);
  *own = *like;
  own->kind = DAE__STATEMENT_COORD;
  own->d = d;
  own->scope = x->instances.item[instance].scope;
  own->next = -1;
  own->generated = true;
  dae__elements *slot = dae__load_ok(x->l) ? dae__elements_slot(x, symbol, instance) : NULL;
  if (!slot)
    return 0;
  slot->width = width;
  const dae__elements *e = dae__elements_of(x, symbol, instance, s->place);
  return e ? e->leaf : 0;
}

dae_status dae__declare_symbols(dae__expander *x, const dae__statement *first)
{
  if (!first || first->kind != DAE__STATEMENT_MODEL) {
    dae__load_fail(x->l, first ? first->place : 0,
                   "expected the name of the model first: model NAME \"title\"");
    return x->l->status;
  }
  *DAE__PUSH(x->l->scratch, &x->scopes) = (dae__scope){.name = "",
                                                       .body = first,
                                                       .outer = -1,
                                                       .symbol = -1,
                                                       .first = -1,
                                                       .last = -1,
                                                       .instances = 1};
  *DAE__PUSH(x->l->scratch, &x->instances) = (dae__instance){.name = "", .outer = -1, .parent = -1};
  x->systems = 1;
  dae__space_create(x);
  dae__add_leaf(x, DAE__LEAF_TIME, (dae__leaf_info){.symbol = -1});
  if (!dae__load_ok(x->l))
    return x->l->status;
  x->leaf_rate.item[0] = dae__constant(x->graph, 1);
  scope_declare(x, 0, first);
  return x->l->status;
}

/* Creates the instances of a system. */
static void scope_create_system(dae__expander *x, int scope)
{
  dae__scope *s = &x->scopes.item[scope];
  const dae__declaration *d = s->d;
  dae__context c = {.x = x, .constant = true, .what = "the range of a system"};
  int from = 1, to = 1;
  if (d->rank > 0 && !dae__evaluate_range(&c, &d->range[0], &from, &to))
    return;
  if (to < from)
    dae__load_fail(x->l, d->place, "the range of %s is empty: %d..%d", d->name, from, to);
  s->instance = x->instances.count;
  s->index = from;
  for (int k = from; k <= to && dae__load_work(x->l, d->place, DAE__RECORD_NODES * DAE__LOOP_WORK);
       k++) {
    const char *name = d->rank > 0 ? dae__pool_print(x->l->keep, "%s[%d]", d->name, k) : d->name;
    dae__instance own = {.name = name,
                         .scope = scope,
                         .number = k - from,
                         .home = x->instances.count,
                         .outer = 0,
                         .parent = -1};
    if (d->rank > 0) {
      own.frame = DAE__NEW(x->l->scratch, dae__local);
      if (!dae__load_ok(x->l))
        return;
      *own.frame = (dae__local){.name = d->range[0].name ? d->range[0].name : x->index_name[0],
                                .value = dae__as_number(dae__constant(x->graph, k)),
                                .index = true};
    }
    *DAE__PUSH(x->l->scratch, &x->instances) = own;
  }
  s->instances = x->instances.count - s->instance;
}

dae_status dae__resolve_ranges(dae__expander *x)
{
  for (int i = 1; i < x->scopes.count && !x->l->status; i++)
    if (!x->scopes.item[i].part)
      scope_create_system(x, i);
  x->systems = x->instances.count;
  if (dae__load_ok(x->l))
    dae__create_parts(x);
  if (dae__load_ok(x->l))
    dae__declare_connectors(x);
  for (int i = 0; i < x->instances.count && !x->l->status; i++) {
    int s = x->scopes.item[x->instances.item[i].scope].first;
    for (; s >= 0 && !x->l->status; s = x->symbols.item[s].next)
      /* outputs are resolved at their use, when the labels of constraints are known */
      if (x->symbols.item[s].kind < DAE__STATEMENT_OUTPUT ||
          x->symbols.item[s].kind == DAE__STATEMENT_BODY)
        dae__elements_of(x, s, i, x->symbols.item[s].d->place);
  }
  if (dae__load_ok(x->l))
    dae__relative_find(x);
  return x->l->status;
}

/* ---- leaves ---- */

int dae__add_leaf(dae__expander *x, unsigned kind, dae__leaf_info info)
{
  dae__load_record(x->l, info.symbol < 0 ? -1 : x->symbols.item[info.symbol].d->place);
  *DAE__PUSH(x->l->scratch, &x->leaves) = info;
  *DAE__PUSH(x->l->scratch, &x->leaf_kind) = (unsigned char)kind;
  *DAE__PUSH(x->l->scratch, &x->leaf_rate) = DAE__ZERO;
  *DAE__PUSH(x->l->scratch, &x->no_state_rates) = kind == DAE__LEAF_STATE_RATE ? DAE__ZERO : -1;
  *DAE__PUSH(x->l->scratch, &x->explicit_rate) = -1;
  *DAE__PUSH(x->l->scratch, &x->moves) = false;
  return x->leaves.count - 1;
}

const char *dae__local_name(dae__expander *x, int symbol, int instance, int element)
{
  static const char *const space[] = {"x", "y", "z", "e0", "e1", "e2", "e3"};
  static const char *const plane[] = {"x", "y", "angle"};
  const dae__symbol *s = &x->symbols.item[symbol];
  const dae__elements *e = dae__elements_slot(x, symbol, s->scope == 0 ? 0 : instance);
  int width = e ? e->width : 1, component = element % width, i = element / width, index[DAE__RANK];
  const char *text = s->d->name;
  if (!e)
    return text;
  for (int r = s->d->rank - 1; r >= 0; r--) {
    int length = e->to[r] - e->from[r] + 1;
    index[r] = e->from[r] + i % length;
    i /= length;
  }
  if (s->d->rank == 1)
    text = dae__pool_print(x->l->keep, "%s[%d]", text, index[0]);
  else if (s->d->rank == 2)
    text = dae__pool_print(x->l->keep, "%s[%d,%d]", text, index[0], index[1]);
  else if (s->d->rank == 3)
    text = dae__pool_print(x->l->keep, "%s[%d,%d,%d]", text, index[0], index[1], index[2]);
  if (width > 1 && text && !s->derived)
    text = dae__pool_print(x->l->keep, "%s.%s", text,
                           width == 3 && s->kind == DAE__STATEMENT_BODY ? plane[component]
                                                                        : space[component]);
  const char *part = x->instances.item[instance].parent >= 0 ? dae__part_name(x, instance) : "";
  return part[0] && text ? dae__pool_print(x->l->keep, "%s.%s", part, text) : text;
}

const char *dae__name_in_system(dae__expander *x, const char *system, const char *name)
{
  return system[0] && name ? dae__pool_print(x->l->keep, "%s.%s", system, name) : name;
}

const char *dae__element_name(dae__expander *x, int symbol, int instance, int element)
{
  int home = x->instances.item[x->symbols.item[symbol].scope == 0 ? 0 : instance].home;
  const char *system = x->instances.item[home].name;
  return dae__name_in_system(x, system, dae__local_name(x, symbol, instance, element));
}

const char *dae__leaf_name(dae__expander *x, int leaf)
{
  const dae__leaf_info *info = &x->leaves.item[leaf];
  unsigned kind = x->leaf_kind.item[leaf];
  if (kind == DAE__LEAF_TIME)
    return "t";
  if (kind == DAE__LEAF_MULTIPLIER)
    return "a multiplier";
  if (info->symbol < 0)
    return x->guards.item[info->element].name;
  const char *name = dae__element_name(x, info->symbol, info->instance, info->element);
  bool rate = kind == DAE__LEAF_COORD_RATE || kind == DAE__LEAF_STATE_RATE;
  return rate && name ? dae__pool_print(x->l->keep, "%s'", name) : name;
}
