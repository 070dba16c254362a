/* Expansion of the equations of motion: energies, forces, constraints and equations of every
 * instance, and joints. */
#include "core/number.h"
#include "model/expand/value.h"
#include "model/space/space.h"
#include <limits.h>
#include <string.h>

/* largest number of lets of a loop, each a level of recursion; chosen, not measured */
#define MAX_LETS 1000

/* ---- permitted quantities of an expression ---- */

unsigned dae__kinds_below(dae__expander *x, dae__node node)
{
  dae__pool *pool = x->l->scratch;
  /* Operands have smaller indices than the nodes that contain them. */
  for (dae__node n = x->node_kinds.count; n <= node && !pool->failed; n++) {
    const dae__entry *e = &x->graph->entry[n];
    dae__node operand[3];
    int count = dae__entry_operands(e, operand);
    unsigned kinds = e->op == DAE__OP_LEAF ? x->leaf_kind.item[e->a] : 0;
    for (int i = 0; i < count; i++)
      kinds |= x->node_kinds.item[operand[i]];
    *DAE__PUSH(pool, &x->node_kinds) = (unsigned char)kinds;
  }
  return dae__load_ok(x->l) ? x->node_kinds.item[node] : 0;
}

void dae__check_leaves(const dae__context *c, dae__node node, int place, const dae__allowed *may)
{
  dae__expander *x = c->x;
  unsigned anywhere = x->systems == 1 ? may->own : may->own & (may->other | DAE__LEAF_TIME);
  if (x->l->status || !(dae__kinds_below(x, node) & ~anywhere))
    return;
  static const struct {
    unsigned kinds;
    const char *name;
  } names[] = {{DAE__LEAF_TIME, "the time"},
               {DAE__LEAF_COORD, "a coordinate"},
               {DAE__LEAF_STATE, "a state"},
               {DAE__LEAF_ALG, "an algebraic variable"},
               {DAE__LEAF_DISCRETE, "a discrete variable"},
               {DAE__LEAF_MULTIPLIER, "a multiplier"},
               {~0u, "a rate"}};
  dae__leaves below = dae__leaves_below(x->walker, 1, &node);
  for (int i = 0; i < below.count; i++) {
    int leaf = below.leaf[i];
    unsigned kind = x->leaf_kind.item[leaf];
    bool own =
        dae__leaf_home(x, leaf) == x->instances.item[c->instance].home || kind == DAE__LEAF_TIME;
    if (kind & (own ? may->own : may->other))
      continue;
    int n = 0;
    while (!(names[n].kinds & kind))
      n++;
    dae__load_fail(x->l, place, "%s may depend on %s, but not on %s, which is %s%s", may->what,
                   may->holds, dae__leaf_name(x, leaf), names[n].name,
                   own ? "" : " of another system");
    return;
  }
}

/* ---- names for messages ---- */

enum { STATEMENT_NAME_LENGTH = 95 }; /* longest name of a statement, in characters */

/* Appends as much of a text as STATEMENT_NAME_LENGTH permits; returns the new length. */
static size_t statements_append(char *text, size_t length, const char *more)
{
  while (*more && length < STATEMENT_NAME_LENGTH)
    text[length++] = *more++;
  return length;
}

const char *dae__statement_name(const dae__context *c, const dae__statement *s)
{
  char text[STATEMENT_NAME_LENGTH], number[DAE__INT_SIZE];
  size_t length = statements_append(text, 0, "line ");
  length = statements_append(text, length, dae__format_int(s->line, number));
  for (dae__local *f = c->frame; f; f = f->outer) {
    double value;
    if (!f->index || !dae__is_constant(c->x->graph, f->value.node, &value))
      continue;
    length = statements_append(text, statements_append(text, length, ", "), f->name);
    length = statements_append(text, statements_append(text, length, " = "),
                               dae__format_int((int)value, number));
  }
  return dae__pool_text(c->x->l->keep, text, length);
}

/* ---- energies and forces ---- */

/* Refuses an input that jumps where it would make velocities or momenta infinite. */
static void statements_check_held(dae__expander *x, dae__node node, int place, const char *what,
                                  bool refused)
{
  const dae__curve *c = refused && !x->l->status ? dae__held_curve_below(x, node) : NULL;
  if (c)
    dae__load_fail(x->l, place,
                   "%s cannot depend on %s, which is held and jumps between its samples: declare "
                   "input %s linear or cubic",
                   what, c->name, c->name);
}

dae__instance *dae__home_of(const dae__context *c)
{
  return &c->x->instances.item[c->x->instances.item[c->instance].home];
}

void dae__check_energy(const dae__context *c, bool kinetic, dae__node node, int place)
{
  static const dae__allowed may[] = {
      {DAE__LEAF_TIME | DAE__LEAF_COORD | DAE__LEAF_DISCRETE,
       DAE__LEAF_COORD | DAE__LEAF_STATE | DAE__LEAF_ALG | DAE__LEAF_DISCRETE,
       "the potential energy", "t and coordinates"},
      {DAE__LEAF_TIME | DAE__LEAF_COORD | DAE__LEAF_COORD_RATE, 0, "the kinetic energy",
       "t, coordinates of its system and their rates"}};
  dae__check_leaves(c, node, place, &may[kinetic]);
  statements_check_held(c->x, node, place, "the kinetic energy", kinetic);
}

void dae__add_energy(const dae__context *c, bool kinetic, dae__node node, int place)
{
  dae__instance *own = dae__home_of(c);
  dae__node *sum = kinetic ? &own->kinetic : &own->potential;
  *sum = DAE__ADD(c->x->graph, *sum, node);
  if (own->energy_place == 0)
    own->energy_place = place;
}

static void statements_add_energy(const dae__context *c, const dae__statement *s)
{
  bool kinetic = s->kind == DAE__STATEMENT_KINETIC;
  dae__node node = dae__evaluate(c, s->a);
  dae__check_energy(c, kinetic, node, s->a->place);
  dae__add_energy(c, kinetic, node, s->place);
}

void dae__check_force(const dae__context *c, dae__node node, int place)
{
  static const dae__allowed may = {
      DAE__LEAF_TIME | DAE__LEAF_COORD_RATE | DAE__LEAF_VALUES | DAE__LEAF_MULTIPLIER,
      DAE__LEAF_COORD_RATE | DAE__LEAF_VALUES, "a force", "t, variables and rates of coordinates"};
  dae__check_leaves(c, node, place, &may);
}

void dae__add_force(const dae__context *c, int leaf, dae__node node, int place)
{
  if (dae__load_record(c->x->l, place))
    *DAE__PUSH(c->x->l->scratch, &dae__home_of(c)->forces) = (dae__force){leaf, place, node};
}

static void statements_add_force(const dae__context *c, const dae__statement *s)
{
  dae__expander *x = c->x;
  dae__found found;
  int count, leaf = dae__find_leaves(c, s->a, &found, &count);
  if (x->l->status)
    return;
  const char *name = found.rest ? found.rest->name : found.last ? found.last->name : s->a->name;
  bool coordinate = leaf >= 0 && x->leaf_kind.item[leaf] == DAE__LEAF_COORD;
  if (!coordinate || dae__leaf_home(x, leaf) != x->instances.item[c->instance].home) {
    dae__load_fail(x->l, s->a->place,
                   coordinate ? "the force on %s must be in the system of %s"
                              : "%s is not a coordinate; a force acts on a coordinate; or write "
                                "force F along s, force F at P",
                   name, name);
    return;
  }
  dae__value force = dae__evaluate_value(c, s->b);
  if (!x->l->status && force.size != count)
    dae__load_fail(x->l, s->b->place, "%s is %s, the force %s", name, dae__size_text(count),
                   dae__size_text(force.size));
  for (int i = 0; i < count && !x->l->status; i++) {
    dae__check_force(c, force.at[i], s->b->place);
    dae__add_force(c, leaf + i, force.at[i], s->place);
  }
}

/* ---- constraints ---- */

dae__node dae__add_constraint(const dae__context *c, const dae__residual *r)
{
  dae__expander *x = c->x;
  dae__instance *own = dae__home_of(c);
  if (x->l->status || !dae__load_record(x->l, r->place))
    return DAE__ZERO;
  if (!r->joint && own->energy_place == 0)
    own->energy_place = r->place;
  dae__constraints *all = r->joint          ? &x->joints
                          : r->nonholonomic ? &own->nonholonomic
                                            : &own->holonomic;
  dae__constraint g = {.node = r->node,
                       .place = r->place,
                       .derived = r->derived,
                       .switched = r->switched,
                       .group = r->group,
                       .name = r->name};
  int home = x->instances.item[c->instance].home;
  g.leaf = dae__add_leaf(x, DAE__LEAF_MULTIPLIER, (dae__leaf_info){home, -1, all->count});
  if (r->label) {
    const char *part = c->instance == home ? "" : dae__part_name(x, c->instance);
    dae__label_kind kind = r->nonholonomic ? DAE__LABEL_NONHOLONOMIC : DAE__LABEL_HOLONOMIC;
    g.label = g.name = dae__name_in_system(x, part, r->label);
    dae__label_add(x, (dae__label){r->label, c->instance, r->label_place, kind, g.leaf, 0});
  }
  *DAE__PUSH(x->l->scratch, all) = g;
  return dae__leaf(x->graph, g.leaf);
}

/* Interned text of a label or name with the name of a component. */
static const char *statements_component(dae__expander *x, const char *text, int component)
{
  const char *more = dae__pool_print(x->l->scratch, "%s.%s", text, dae__component_name(component));
  return more ? dae__name(x->l, x->names, more, (int)strlen(more)) : text;
}

const dae__clause *dae__find_clause(const dae__statement *s, const char *word)
{
  const dae__clause *found = s->clause;
  while (found && strcmp(found->word, word) != 0)
    found = found->next;
  return found;
}

/* Condition of `when COND` of a constraint. */
static dae__node statements_switch(const dae__context *c, const dae__clause *when)
{
  static const dae__allowed may = {DAE__LEAF_TIME | DAE__LEAF_DISCRETE, DAE__LEAF_DISCRETE,
                                   "the condition of a constraint",
                                   "t, params and discretes; an event sets discretes"};
  dae__node node = dae__evaluate_condition(c, when->a);
  if (!c->x->l->status)
    dae__check_leaves(c, node, when->a->place, &may);
  return node;
}

/* Directions of the force of the last constraint by `acts (x: E, ...)` or `acts along S`. */
static void statements_add_directions(const dae__context *c, const dae__statement *s,
                                      dae__constraint *g)
{
  static const unsigned any =
      DAE__LEAF_TIME | DAE__LEAF_COORD | DAE__LEAF_COORD_RATE | DAE__LEAF_DISCRETE;
  static const dae__allowed may[] = {
      {any, DAE__LEAF_DISCRETE, "a direction of a force", "t, coordinates, rates and discretes"},
      {any & ~(unsigned)DAE__LEAF_DISCRETE, 0, "what a force acts along",
       "t, coordinates and rates"}};
  dae__expander *x = c->x;
  for (const dae__clause *a = s->clause; a && !x->l->status; a = a->next) {
    dae__direction d = {.factor = dae__constant(x->graph, 1), .leaf = -1};
    dae__found found;
    int count;
    if (strcmp(a->word, "acts") != 0)
      continue;
    g->acts = true;
    if (a->b) {
      d.leaf = dae__find_leaves(c, a->a, &found, &count);
      if (!x->l->status && (count != 1 || x->leaf_kind.item[d.leaf] != DAE__LEAF_COORD ||
                            dae__leaf_home(x, d.leaf) != x->instances.item[c->instance].home))
        dae__load_fail(x->l, a->a->place,
                       "a force acts on a coordinate of its own system: acts (x: E, y: E)");
      d.factor = x->l->status ? DAE__ZERO : dae__evaluate(c, a->b);
    } else {
      d.of = dae__evaluate(c, a->a);
    }
    if (!x->l->status)
      dae__check_leaves(c, a->b ? d.factor : d.of, a->place, &may[!a->b]);
    unsigned kinds = x->l->status ? ~0u : dae__kinds_below(x, d.of);
    if (!a->b && !(kinds & (DAE__LEAF_COORD | DAE__LEAF_COORD_RATE)))
      dae__load_fail(x->l, a->a->place, "what the force acts along contains no coordinate");
    d.by_rates = !a->b && (kinds & DAE__LEAF_COORD_RATE);
    *DAE__PUSH(x->l->scratch, &g->directions) = d;
  }
}

/* Expands a constraint of a system, or a joint. */
static void statements_add_constraint(const dae__context *c, const dae__statement *s)
{
  static const dae__allowed may[] = {
      {DAE__LEAF_TIME | DAE__LEAF_COORD | DAE__LEAF_COORD_RATE, 0, "a constraint",
       "t, coordinates of its system and their rates (use joint between systems)"},
      {DAE__LEAF_TIME | DAE__LEAF_COORD, DAE__LEAF_COORD, "a joint",
       "t and coordinates of systems"}};
  dae__expander *x = c->x;
  bool joint = s->kind == DAE__STATEMENT_JOINT;
  dae__value a = dae__evaluate_value(c, s->a), b = dae__evaluate_value(c, s->b);
  const dae__clause *when = dae__find_clause(s, "when");
  unsigned kinds = 0;
  if (!x->l->status && a.size != b.size)
    dae__load_fail(x->l, s->place, "the sides of the %s are %s and %s",
                   joint ? "joint" : "constraint", dae__size_text(a.size), dae__size_text(b.size));
  for (int i = 0; i < a.size && !x->l->status; i++) {
    a.at[i] = DAE__SUB(x->graph, a.at[i], b.at[i]);
    dae__check_leaves(c, a.at[i], s->place, &may[joint]);
    unsigned own = x->l->status ? ~0u : dae__kinds_below(x, a.at[i]);
    kinds |= own;
    statements_check_held(x, a.at[i], s->place, joint ? "a joint" : "a constraint",
                          !(own & DAE__LEAF_COORD_RATE));
    if (!(own & (DAE__LEAF_COORD | DAE__LEAF_COORD_RATE)))
      dae__load_fail(x->l, s->place, "the %s contains no coordinate%s%s",
                     joint ? "joint" : "constraint", a.size > 1 ? " in its component " : "",
                     a.size > 1 ? dae__component_name(i) : "");
  }
  if (x->l->status)
    return;
  dae__residual r = {.place = s->place, .joint = joint, .switched = when != NULL};
  r.nonholonomic = !joint && (kinds & DAE__LEAF_COORD_RATE);
  const char *label = s->label ? dae__label_text(c, s->label) : NULL;
  const char *name = label ? label : dae__statement_name(c, s);
  r.label_place = label ? s->label->place : s->place;
  dae__node on = r.switched ? statements_switch(c, when) : DAE__ZERO;
  for (int i = 0; i < a.size && !x->l->status; i++) {
    const char *text = a.size == 1 ? name : statements_component(x, name, i);
    r.node = r.switched ? dae__if(x->graph, on, a.at[i], DAE__ZERO) : a.at[i];
    r.name = text;
    r.label = label ? text : NULL;
    dae__add_constraint(c, &r);
  }
  if (!dae__find_clause(s, "acts") || x->l->status)
    return;
  if (a.size > 1) {
    dae__load_fail(x->l, s->place,
                   "acts gives the direction of one force; write a constraint for each component");
    return;
  }
  dae__instance *own = dae__home_of(c);
  dae__constraints *all = r.nonholonomic ? &own->nonholonomic : &own->holonomic;
  statements_add_directions(c, s, &all->item[all->count - 1]);
}

/* ---- traversal of the statements ---- */

/* Tests for a statement `force ...`. */
static bool statements_is_force(const dae__statement *s)
{
  return s->kind == DAE__STATEMENT_FORCE || s->kind == DAE__STATEMENT_ALONG ||
         s->kind == DAE__STATEMENT_AT;
}

static void statements_handle_motion(const dae__context *c, const dae__statement *s)
{
  switch (s->kind) {
  case DAE__STATEMENT_KINETIC:
  case DAE__STATEMENT_POTENTIAL:
    statements_add_energy(c, s);
    break;
  case DAE__STATEMENT_CONSTRAINT:
  case DAE__STATEMENT_JOINT:
    statements_add_constraint(c, s);
    break;
  case DAE__STATEMENT_EQUATION:
    dae__add_equation(c, s);
    break;
  case DAE__STATEMENT_CONTACT:
    dae__add_contact(c, s);
    break;
  default:
    if (s->kind >= DAE__STATEMENT_BODY && !statements_is_force(s))
      dae__space_expand(c, s);
  }
}

/* Forces come after the constraints whose multipliers they may contain. */
static void statements_handle_force(const dae__context *c, const dae__statement *s)
{
  dae__context with = *c;
  with.reactions = true;
  if (s->kind == DAE__STATEMENT_FORCE)
    statements_add_force(&with, s);
  else if (statements_is_force(s))
    dae__space_expand(&with, s);
}

static void statements_walk(const dae__context *c, const dae__statement *s, dae__handle_fn *handle);

/* Expands the statements after a let of a loop, with the let as a local name. */
static void statements_walk_let(const dae__context *c, const dae__statement *s,
                                const dae__declaration *d, dae__handle_fn *handle)
{
  if (!d) {
    statements_walk(c, s->next, handle);
    return;
  }
  dae__local *frame = DAE__NEW(c->x->l->scratch, dae__local);
  dae__context inner = *c;
  if (!frame)
    return;
  *frame = (dae__local){.name = d->name,
                        .outer = c->frame,
                        .expr = d->value,
                        .instance = c->instance,
                        .frame = c->frame};
  inner.frame = frame;
  if (!c->names_only)
    dae__local_value(c->x, frame, d->place);
  if (++inner.lets > MAX_LETS)
    dae__load_fail(c->x->l, d->place, "more than %d lets in one loop; declare arrays outside of it",
                   MAX_LETS);
  if (!c->x->l->status)
    statements_walk_let(&inner, s, d->next, handle);
}

/* Tests that statements of a loop declare names of connectors. */
static bool statements_have_names(const dae__statement *s)
{
  bool found = false;
  for (; s && !found; s = s->next)
    found = s->kind == DAE__STATEMENT_CONNECTOR ||
            (s->kind == DAE__STATEMENT_FOR && statements_have_names(s->body));
  return found;
}

static void statements_walk(const dae__context *c, const dae__statement *s, dae__handle_fn *handle)
{
  for (; s && dae__load_work(c->x->l, s->place, DAE__LOOP_WORK); s = s->next) {
    if (s->kind == DAE__STATEMENT_LET && c->in_loop) {
      statements_walk_let(c, s, s->declared, handle);
      return;
    }
    if (s->kind != DAE__STATEMENT_FOR) {
      handle(c, s);
      continue;
    }
    if (c->names_only && !statements_have_names(s->body))
      continue;
    dae__context inner = *c;
    int from, to;
    inner.in_loop = true;
    if (!dae__evaluate_range(c, &s->range, &from, &to))
      return;
    for (int i = from; i <= to && dae__load_work(c->x->l, s->place, DAE__LOOP_WORK); i++) {
      dae__local *frame = DAE__NEW(c->x->l->scratch, dae__local);
      if (!frame)
        return;
      *frame = (dae__local){.name = s->range.name,
                            .value = dae__as_number(dae__constant(c->x->graph, i)),
                            .index = true,
                            .outer = c->frame};
      inner.frame = frame;
      statements_walk(&inner, s->body, handle);
    }
  }
}

void dae__walk_instances(dae__expander *x, dae__handle_fn *handle, bool names_only)
{
  for (int i = 0; i < x->instances.count && !x->l->status; i++) {
    dae__context c = dae__context_of(x, i);
    c.names_only = names_only;
    statements_walk(&c, x->scopes.item[x->instances.item[i].scope].body, handle);
  }
}

/* ---- expansion of all instances ---- */

/* Evaluates every param and let in the order of the text, so that errors in unused ones are
 * reported. */
static void statements_evaluate_all(dae__expander *x)
{
  for (int i = 0; i < x->instances.count; i++) {
    int s = x->scopes.item[x->instances.item[i].scope].first;
    for (; s >= 0 && !x->l->status; s = x->symbols.item[s].next) {
      const dae__symbol *symbol = &x->symbols.item[s];
      bool named = symbol->kind == DAE__STATEMENT_PARAM || symbol->kind == DAE__STATEMENT_INPUT ||
                   (symbol->kind == DAE__STATEMENT_LET && symbol->d->parameters < 0);
      bool table = symbol->kind == DAE__STATEMENT_TABLE;
      if ((symbol->kind == DAE__STATEMENT_LET || table) && symbol->d->parameters >= 0) {
        dae__context c = dae__context_of(x, i);
        dae__check_function(&c, symbol->d->value, symbol->d, c.frame);
        if (table && !x->l->status)
          dae__table_curve(x, s, i, symbol->d->place);
      }
      const dae__elements *e = named ? dae__elements_of(x, s, i, symbol->d->place) : NULL;
      for (int k = 0; e && k < e->count && !x->l->status; k++)
        dae__element_value(x, s, i, k, x->symbols.item[s].d->place);
    }
  }
}

dae_status dae__expand_motion(dae__expander *x)
{
  statements_evaluate_all(x);
  for (int i = 0; i < x->overrides.count && !x->l->status; i++)
    if (!x->overrides.item[i].used)
      dae__load_fail(x->l, x->overrides.item[i].place, "the model has no element with this index");
  if (dae__load_ok(x->l))
    dae__walk_instances(x, statements_handle_motion, false);
  if (dae__load_ok(x->l))
    dae__walk_instances(x, statements_handle_force, false);
  if (dae__load_ok(x->l))
    dae__space_finish(x);
  if (dae__load_ok(x->l))
    dae__space_assemble(x);
  if (dae__load_ok(x->l))
    dae__relative_find_starts(x);
  if (dae__load_ok(x->l))
    dae__relative_reduce(x);
  if (dae__load_ok(x->l))
    dae__relative_drop_rows(x);
  if (dae__load_ok(x->l))
    dae__relative_find_rates(x);
  /* lambda and psi are the names of multipliers in a system with constraints */
  static const char *const names[] = {"lambda", "psi"};
  for (int i = 0; i < 2 * x->systems && !x->l->status; i++) {
    const dae__instance *own = &x->instances.item[i / 2];
    const char *name = names[i % 2];
    int constraints = own->holonomic.count + own->nonholonomic.count;
    int s = dae__table_find(&x->symbol_table, own->scope,
                            dae__name(x->l, x->names, name, (int)strlen(name)));
    if (s >= 0 && constraints + (i < 2 ? x->joints.count : 0) > 0)
      dae__load_fail(x->l, x->symbols.item[s].d->place,
                     "%s is the name of multipliers in a system with constraints; choose another "
                     "name, such as %s_1",
                     name, name);
  }
  if (dae__load_ok(x->l))
    dae__find_explicit_rates(x);
  if (dae__load_ok(x->l))
    dae__list_time_functions(x);
  if (dae__load_ok(x->l))
    dae__guard_motion(x);
  return x->l->status;
}
