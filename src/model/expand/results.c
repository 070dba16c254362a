/* Expansion of outputs, events and impacts. */
#include "model/expand/value.h"
#include "model/space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* largest number of actions of an event, which are searched linearly; chosen, not measured */
#define MAX_ACTIONS 10000

/* Replaces the poses of carried bodies, and the rates of states by the right sides E of the
 * equations u' = E, in an expression. */
static dae__node results_without_state_rates(dae__expander *x, dae__node node, int place)
{
  node = dae__relative_reduced(x, node);
  if (x->l->status)
    return DAE__ZERO;
  if (dae__kinds_below(x, node) & DAE__LEAF_STATE_RATE)
    node = dae__replace_leaves(x->walker, node, x->explicit_rate.item);
  if (!(dae__kinds_below(x, node) & DAE__LEAF_STATE_RATE))
    return node;
  dae__leaves below = dae__leaves_below(x->walker, 1, &node);
  for (int i = 0; i < below.count; i++)
    if (x->leaf_kind.item[below.leaf[i]] == DAE__LEAF_STATE_RATE) {
      dae__load_fail(x->l, place, "%s is not available here, since no equation gives it as %s = E",
                     dae__leaf_name(x, below.leaf[i]), dae__leaf_name(x, below.leaf[i]));
      return DAE__ZERO;
    }
  return node;
}

static dae__node results_evaluate(const dae__context *c, const dae__expr *e)
{
  return results_without_state_rates(c->x, dae__evaluate(c, e), e->place);
}

dae__value dae__evaluate_result(const dae__context *c, const dae__expr *e)
{
  dae__value value = dae__evaluate_value(c, e);
  for (int i = 0; i < value.size; i++)
    value.at[i] = results_without_state_rates(c->x, value.at[i], e->place);
  return value;
}

/* Event function of a condition over held values, 1/2 where it is true, else -1/2. */
static dae__node results_condition(const dae__context *c, const dae__expr *e)
{
  dae__graph *graph = c->x->graph;
  dae__node node = results_without_state_rates(c->x, dae__evaluate_condition(c, e), e->place);
  node = dae__guard_condition(c->x, node, e->place);
  return DAE__SUB(graph, node, dae__constant(graph, 0.5));
}

static void results_add_action(const dae__context *c, const dae__statement *s,
                               dae__expanded_event *event)
{
  dae__expander *x = c->x;
  const unsigned can =
      DAE__LEAF_COORD | DAE__LEAF_COORD_RATE | DAE__LEAF_STATE | DAE__LEAF_DISCRETE;
  dae__found found;
  int count, leaf = dae__find_leaves(c, s->a, &found, &count);
  if (x->l->status)
    return;
  if (leaf < 0 || !(x->leaf_kind.item[leaf] & can)) {
    dae__load_fail(
        x->l, s->a->place,
        "an event can set coordinates and their rates, states and discretes; %s%s is none "
        "of these",
        found.last ? found.last->name : s->a->name, s->a->rate ? "'" : "");
    return;
  }
  dae__value value = dae__evaluate_result(c, s->b);
  if (!x->l->status && value.size != count)
    dae__load_fail(x->l, s->b->place, "%s is %s, the value %s", found.last->name,
                   dae__size_text(count), dae__size_text(value.size));
  for (int i = 0; i < count && !x->l->status; i++) {
    if (event->actions.count == MAX_ACTIONS)
      dae__load_fail(x->l, s->place, "an event has at most %d actions", MAX_ACTIONS);
    for (int k = 0; k < event->actions.count; k++)
      if (event->actions.item[k].leaf == leaf + i)
        dae__load_fail(x->l, s->place, "%s is set twice by one event", dae__leaf_name(x, leaf + i));
    *DAE__PUSH(x->l->scratch, &event->actions) = (dae__action){leaf + i, value.at[i]};
  }
}

/* Instants T0 + k T of `every T from T0`; without T0 start + k T with k >= 1. */
static void results_add_grid(const dae__context *c, const dae__statement *s,
                             dae__expanded_event *event)
{
  dae__expander *x = c->x;
  dae__context constant = *c;
  constant.what = "the period of an event";
  event->period = dae__evaluate_constant(&constant, s->a);
  constant.what = "the first instant of an event";
  event->origin = s->b ? dae__evaluate_constant(&constant, s->b) : x->from;
  event->least = s->b ? 0 : 1;
  if (!x->l->status && !(event->period > 0))
    dae__load_fail(x->l, s->a->place, "the period %.10g of an event is not positive; write every T",
                   event->period);
}

static int results_by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Ascending instants of `at A, B, ...`. */
static void results_add_instants(const dae__context *c, const dae__statement *s,
                                 dae__expanded_event *event)
{
  dae__load *l = c->x->l;
  dae__context constant = *c;
  constant.what = "an instant of an event";
  for (const dae__expr *e = s->point; e && !l->status; e = e->next)
    *DAE__PUSH(l->scratch, &event->instants) = dae__evaluate_constant(&constant, e);
  if (dae__load_ok(l) && event->instants.count > 0)
    qsort(event->instants.item, (size_t)event->instants.count, sizeof(double), results_by_value);
}

/* Function of time and variables whose zeros are the instants. */
static void results_add_function(const dae__context *c, const dae__statement *s,
                                 dae__expanded_event *event)
{
  dae__expander *x = c->x;
  bool when = s->trigger == DAE__EVENT_WHEN;
  double value;
  event->node = when ? results_condition(c, s->a) : results_evaluate(c, s->a);
  if (!x->l->status && dae__is_constant(x->graph, event->node, &value))
    dae__load_fail(x->l, s->a->place,
                   when ? "the condition is constant and never becomes true"
                        : "the event function is constant and never crosses zero");
}

static void results_add_event(const dae__context *c, const dae__statement *s)
{
  dae__expander *x = c->x;
  const char *label = dae__label_text(c, s->label);
  dae__label_add(x, (dae__label){label, c->instance, s->label->place, DAE__LABEL_EVENT, -1, 0});
  dae__expanded_event event = {.place = s->place, .direction = s->direction, .stop = s->stop};
  event.name = dae__name_in_system(x, x->instances.item[c->instance].name, label);
  int instance;
  if (s->by_spaces && dae__lookup_symbol(c, s->word, &instance) >= 0)
    dae__load_fail(x->l, s->place,
                   "%s opens a clause here, but is declared, too: write %s - E or %s(E) "
                   "for what is declared, or give it another name",
                   s->word, s->word, s->word);
  event.kind = s->trigger == DAE__EVENT_WHEN ? DAE_EVENT_CONDITION : DAE_EVENT_CROSSING;
  if (s->trigger == DAE__EVENT_EVERY)
    results_add_grid(c, s, &event);
  else if (s->trigger == DAE__EVENT_AT)
    results_add_instants(c, s, &event);
  else
    results_add_function(c, s, &event);
  for (const dae__statement *a = s->body; a && !x->l->status; a = a->next)
    results_add_action(c, a, &event);
  *DAE__PUSH(x->l->scratch, &x->events) = event;
}

/* ---- impacts ---- */

/* Value of a clause of an impact, 0 without it. */
static dae__value results_clause(const dae__context *c, const dae__statement *s, const char *word,
                                 const dae__clause **found)
{
  *found = dae__find_clause(s, word);
  return *found ? dae__evaluate_result(c, (*found)->a) : dae__as_number(DAE__ZERO);
}

/* A coefficient: a number, and within its bounds where it is constant. */
static dae__node results_coefficient(const dae__context *c, const dae__statement *s,
                                     const char *word, double most)
{
  const dae__clause *clause;
  dae__value value = results_clause(c, s, word, &clause);
  dae__load *l = c->x->l;
  double constant;
  if (l->status || !clause)
    return DAE__ZERO;
  if (value.size != 1)
    dae__load_fail(l, clause->a->place, "%s is a number, not %s", word, dae__size_text(value.size));
  else if (dae__is_constant(c->x->graph, value.at[0], &constant) &&
           !(constant >= 0 && constant <= most))
    dae__load_fail(l, clause->a->place,
                   most < INFINITY ? "%s is %g; it lies between 0 and 1"
                                   : "%s is %g; it is not negative",
                   word, constant);
  return value.at[0];
}

/* Sliding coordinates `along S`. */
static void results_add_slides(const dae__context *c, const dae__statement *s,
                               dae__expanded_impact *impact)
{
  static const dae__allowed may = {DAE__LEAF_TIME | DAE__LEAF_COORD, DAE__LEAF_COORD,
                                   "a sliding coordinate", "t and coordinates"};
  dae__load *l = c->x->l;
  const dae__clause *along, *friction;
  dae__value slide = results_clause(c, s, "along", &along);
  (void)results_clause(c, s, "friction", &friction);
  if (l->status || (!along && !friction))
    return;
  if (!along || !friction) {
    dae__load_fail(l, (along ? along : friction)->place,
                   along ? "along without friction: friction mu along S"
                         : "friction acts along a sliding coordinate: friction mu along x + r*phi; "
                           "its rate is the sliding speed");
    return;
  }
  if (slide.size > DAE_SLIDES)
    dae__load_fail(l, along->a->place,
                   "along takes one sliding coordinate, or two in space: along (s1, s2)");
  impact->slides = slide.size;
  for (int k = 0; k < slide.size && !l->status; k++) {
    impact->slide[k] = slide.at[k];
    dae__check_leaves(c, slide.at[k], along->a->place, &may);
    if (!l->status && !(dae__kinds_below(c->x, slide.at[k]) & DAE__LEAF_COORD))
      dae__load_fail(l, along->a->place, "the sliding coordinate contains no coordinate");
  }
}

/* Gap of an impact, which is the function of its event. */
static dae__node results_gap(const dae__context *c, const dae__statement *s)
{
  static const dae__allowed may = {DAE__LEAF_TIME | DAE__LEAF_COORD, DAE__LEAF_COORD,
                                   "the gap of an impact", "t and coordinates"};
  dae__expander *x = c->x;
  dae__node gap = dae__evaluate(c, s->a);
  if (!x->l->status)
    dae__check_leaves(c, gap, s->a->place, &may);
  if (!x->l->status && !(dae__kinds_below(x, gap) & DAE__LEAF_COORD))
    dae__load_fail(
        x->l, s->a->place,
        "the gap contains no coordinate: impact floor: y closes where y falls through 0");
  return dae__relative_reduced(x, gap);
}

/* Function of the event of a contact that holds: its gap while it is open, then its force. */
static dae__node results_contact(dae__expander *x, dae__expanded_event *event)
{
  dae__graph *graph = x->graph;
  event->contact = &x->contacts.item[x->contacts_named++];
  return dae__if(graph, dae__leaf(graph, event->contact->state),
                 dae__leaf(graph, event->contact->force), event->contact->gap);
}

/* Friction at rest: `static mus`, or that of sliding. */
static dae__node results_rest_friction(const dae__context *c, const dae__statement *s,
                                       dae__node friction)
{
  const dae__clause *clause = dae__find_clause(s, "static");
  dae__load *l = c->x->l;
  double moving, rest;
  if (!clause || l->status)
    return friction;
  dae__node node = results_coefficient(c, s, "static", INFINITY);
  if (!l->status && (s->kind != DAE__STATEMENT_CONTACT || !dae__find_clause(s, "friction")))
    dae__load_fail(
        l, clause->place,
        "static is the friction at rest of a contact with friction: contact foot: y >= 0 "
        "friction 0.3 static 0.4 along x");
  if (!l->status && dae__is_constant(c->x->graph, friction, &moving) &&
      dae__is_constant(c->x->graph, node, &rest) && rest < moving)
    dae__load_fail(l, clause->a->place, "static is %g; it is at least the friction %g of sliding",
                   rest, moving);
  return node;
}

/* Adds the event of the friction of a contact: where sliding ends, or friction at rest is exceeded.
 */
static void results_add_friction(dae__expander *x, const dae__expanded_event *of)
{
  dae__graph *graph = x->graph;
  const dae__expanded_contact *contact = of->contact;
  dae__node state = dae__leaf(graph, contact->state), one = dae__constant(graph, 1);
  dae__node sticks = dae__binary(graph, DAE__OP_LESS, one, state);
  dae__node slides = dae__binary(graph, DAE__OP_EQUAL, state, one);
  dae__node grip = dae__unary(graph, DAE__OP_ABS, dae__leaf(graph, contact->grip));
  dae__node force = dae__leaf(graph, contact->force);
  dae__node left = DAE__SUB(graph, DAE__MUL(graph, of->impact->rest_friction, force), grip);
  dae__node speed = DAE__MUL(graph, dae__leaf(graph, contact->slip), contact->speed);
  dae__expanded_event event = {.name = of->name,
                               .place = of->place,
                               .direction = -1,
                               .kind = DAE_EVENT_CROSSING,
                               .rubs = true};
  event.node = dae__if(graph, sticks, left, dae__if(graph, slides, speed, one));
  *DAE__PUSH(x->l->scratch, &x->events) = event;
}

/* Expands the event of an impact or contact. */
static void results_add_impact(const dae__context *c, const dae__statement *s)
{
  const unsigned can = DAE__LEAF_STATE | DAE__LEAF_DISCRETE;
  dae__expander *x = c->x;
  const char *label = dae__label_text(c, s->label);
  dae__expanded_impact *impact = DAE__NEW(x->l->scratch, dae__expanded_impact);
  if (!impact || x->l->status)
    return;
  bool holds = s->kind == DAE__STATEMENT_CONTACT;
  if (!holds)
    dae__label_add(x, (dae__label){label, c->instance, s->label->place, DAE__LABEL_EVENT, -1, 0});
  dae__expanded_event event = {
      .place = s->place, .direction = -1, .kind = DAE_EVENT_CROSSING, .impact = impact};
  event.name = dae__name_in_system(x, x->instances.item[c->instance].name, label);
  event.node = holds ? results_contact(x, &event) : results_gap(c, s);
  impact->gap = holds ? event.contact->gap : event.node;
  impact->restitution = results_coefficient(c, s, "restitution", 1);
  impact->friction = results_coefficient(c, s, "friction", INFINITY);
  impact->rest_friction = results_rest_friction(c, s, impact->friction);
  results_add_slides(c, s, impact);
  for (const dae__statement *a = s->body; a && !x->l->status; a = a->next) {
    int before = event.actions.count;
    results_add_action(c, a, &event);
    if (!x->l->status && before < event.actions.count &&
        !(x->leaf_kind.item[event.actions.item[before].leaf] & can))
      dae__load_fail(x->l, a->place,
                     "%s sets the velocities itself; its actions may set states and discretes",
                     holds ? "a contact" : "an impact");
  }
  *DAE__PUSH(x->l->scratch, &x->events) = event;
  if (event.contact && event.contact->rubs)
    results_add_friction(x, &event);
}

static void results_handle(const dae__context *c, const dae__statement *s)
{
  dae__context reading = *c;
  dae__expander *x = c->x;
  reading.results = true;
  const dae__declaration *d = s->kind == DAE__STATEMENT_OUTPUT ? s->declared : NULL;
  for (; d && !x->l->status; d = d->next) {
    int symbol = dae__table_find(&x->symbol_table, x->instances.item[c->instance].scope, d->name);
    const dae__elements *e = dae__elements_of(x, symbol, c->instance, d->place);
    for (int i = 0; e && i < e->count && !x->l->status; i++) {
      dae__value value = dae__element_value(x, symbol, c->instance, i, d->place);
      for (int k = 0; k < value.size && !x->l->status; k++)
        *DAE__PUSH(x->l->scratch, &x->outputs) =
            (dae__result){dae__element_name(x, symbol, c->instance, i * value.size + k),
                          results_without_state_rates(x, value.at[k], d->value->place), d->place};
    }
  }
  if (s->kind == DAE__STATEMENT_EVENT)
    results_add_event(&reading, s);
  else if (s->kind == DAE__STATEMENT_IMPACT || s->kind == DAE__STATEMENT_CONTACT)
    results_add_impact(&reading, s);
  else if (s->kind == DAE__STATEMENT_DRAW)
    dae__expand_shape(&reading, s);
  else if (s->kind == DAE__STATEMENT_CAMERA)
    dae__expand_camera(&reading, s);
}

dae_status dae__expand_results(dae__expander *x)
{
  dae__walk_instances(x, results_handle, false);
  if (dae__load_ok(x->l))
    dae__guard_events(x);
  return x->l->status;
}
