/* Functions of the state vector of a model: start values, columns, outputs, events; and places in
 * the text of the names in error messages of a run. Their tapes have the inputs t, the state vector
 * as class Q, its derivative as class S, the held values as class D. */
#include "model/expand/value.h"
#include "model/model.h"
#include "model/space/space.h"
#include <math.h>
#include <string.h>

/* ---- start values ---- */

static void observe_build_start(dae__binder *b, dae_model *model, const dae__layout *layout)
{
  dae__expander *x = b->x;
  const double *values = dae__start_values(x);
  int size = layout->size + b->held.count;
  model->y = DAE__ALLOC(b->arena, double, size);
  model->fixed = DAE__ALLOC(b->arena, bool, size);
  model->given = DAE__ALLOC(b->arena, bool, size);
  if (!dae__bind_ok(b) || !values)
    return;
  for (int i = 0; i < layout->leaves; i++) {
    unsigned kind = x->leaf_kind.item[i];
    bool rate = kind == DAE__LEAF_COORD_RATE;
    bool mode = kind == DAE__LEAF_DISCRETE && x->leaves.item[i].symbol < 0;
    int entry = layout->entry[i];
    if (mode)
      model->y[entry] = values[i];
    if (entry < 0 || kind == DAE__LEAF_MULTIPLIER || x->leaves.item[i].symbol < 0)
      continue;
    const dae__symbol *symbol = &x->symbols.item[x->leaves.item[i].symbol];
    bool hidden = kind == DAE__LEAF_ALG && symbol->kind == DAE__STATEMENT_STATE;
    if (hidden)
      continue;
    model->y[entry] = values[i];
    model->given[entry] = (rate ? symbol->d->rate : symbol->d->value) != NULL;
    model->fixed[entry] = rate ? symbol->d->rate_fixed : symbol->d->fixed;
    if (symbol->kind == DAE__STATEMENT_BODY)
      dae__body_held(x, i, &model->given[entry], &model->fixed[entry]);
    if (symbol->connector && symbol->connector->relative)
      dae__relative_held(x, i, &model->given[entry], &model->fixed[entry]);
  }
  for (int i = 0; i < b->held.count; i++)
    b->held_value[i] = model->y[layout->size + i];
}

/* Absolute tolerances of the variables, by their declarations or by the settings of systems. */
static void observe_build_atol(dae__binder *b, dae_model *model, const dae__layout *layout)
{
  dae__expander *x = b->x;
  for (int i = 0; i < layout->leaves && dae__bind_ok(b); i++) {
    const dae__leaf_info *leaf = &x->leaves.item[i];
    if (layout->entry[i] < 0 || layout->entry[i] >= layout->size || leaf->symbol < 0 ||
        x->leaf_kind.item[i] == DAE__LEAF_MULTIPLIER)
      continue;
    const dae__symbol *symbol = &x->symbols.item[leaf->symbol];
    const dae__declaration *d = symbol->d;
    bool rate = x->leaf_kind.item[i] == DAE__LEAF_COORD_RATE;
    bool hidden = x->leaf_kind.item[i] == DAE__LEAF_ALG && symbol->kind == DAE__STATEMENT_STATE;
    const dae__expr *expr = rate && d->rate_atol ? d->rate_atol : d->atol;
    double atol = x->instances.item[dae__leaf_home(x, i)].atol;
    if (!(expr || atol > 0) || hidden)
      continue;
    if (!model->atol)
      model->problem.atol = model->atol = DAE__ALLOC(b->arena, double, layout->size);
    if (expr)
      atol = dae__element_constant(x, leaf, expr, "an absolute tolerance");
    if (!x->l->status && !(atol > 0))
      dae__load_fail(x->l, expr->place, "the absolute tolerance %g of %s is not positive", atol,
                     dae__leaf_name(x, i));
    if (dae__bind_ok(b))
      model->atol[layout->entry[i]] = atol;
  }
}

/* ---- columns ---- */

/* Adds columns of the variables of all instances, or of the rates of their coordinates. */
static void observe_add_variables(dae__binder *b, dae_model *model, const dae__layout *layout,
                                  bool rates)
{
  dae__expander *x = b->x;
  dae__pool *keep = x->l->keep;
  for (int i = 0; i < x->systems; i++) {
    const dae__instance *own = &x->instances.item[i];
    for (int j = 0; j < own->variables.count && dae__load_ok(x->l); j++) {
      struct dae__variable of = own->variables.item[j];
      const dae__symbol *symbol = &x->symbols.item[of.symbol];
      bool coordinate = symbol->kind == DAE__STATEMENT_COORD || symbol->kind == DAE__STATEMENT_BODY;
      if (rates && !coordinate)
        continue;
      const dae__elements *e = dae__elements_of(x, of.symbol, of.instance, symbol->d->place);
      int count = e ? e->count * e->width : 0;
      for (int k = 0; k < count && dae__load_ok(x->l); k++) {
        const char *name = dae__element_name(x, of.symbol, of.instance, k);
        if (dae__is_derived(x, e->leaf + k))
          continue;
        int entry = layout->entry[e->leaf + k + (rates ? count : 0)];
        *DAE__PUSH(keep, &model->columns) =
            (dae_column){entry, rates ? dae__pool_print(keep, "der(%s)", name) : name};
        if (!rates)
          *DAE__PUSH(keep, &model->name_places) =
              (dae__name_place){name, symbol->d->place, symbol->kind == DAE__STATEMENT_BODY};
      }
    }
  }
}

/* Adds columns of multipliers, lambda(A.rod) with a label, A.lambda[1] without. unlabelled: number
 * of unlabelled constraints before; returns this number after the constraints added. */
static int observe_add_multipliers(dae__binder *b, dae_model *model, const dae__layout *layout,
                                   const char *letter, const char *system,
                                   const dae__constraints *all, int unlabelled)
{
  dae__load *l = b->x->l;
  const char *dot = system[0] ? "." : "";
  for (int i = 0; i < all->count && dae__load_ok(l); i++) {
    const dae__constraint *g = &all->item[i];
    const char *name =
        g->label ? dae__pool_print(l->keep, "%s(%s%s%s)", letter, system, dot, g->label)
                 : dae__pool_print(l->keep, "%s%s%s[%d]", system, dot, letter, ++unlabelled);
    *DAE__PUSH(l->keep, &model->columns) = (dae_column){layout->entry[g->leaf], name};
    *DAE__PUSH(l->keep, &model->name_places) =
        (dae__name_place){dae__name_in_system(b->x, system, g->name), g->place, false};
  }
  return unlabelled;
}

static void observe_build_columns(dae__binder *b, dae_model *model, const dae__layout *layout)
{
  dae__expander *x = b->x;
  int unlabelled = 0;
  observe_add_variables(b, model, layout, false);
  observe_add_variables(b, model, layout, true);
  for (int i = 0; i < x->systems; i++) {
    const dae__instance *own = &x->instances.item[i];
    int count = observe_add_multipliers(b, model, layout, "lambda", own->name, &own->holonomic, 0);
    observe_add_multipliers(b, model, layout, "psi", own->name, &own->nonholonomic, 0);
    if (i == 0)
      unlabelled = count;
  }
  observe_add_multipliers(b, model, layout, "lambda", "", &x->joints, unlabelled);
  for (int i = 0; i < x->contacts.count && dae__load_ok(x->l); i++) {
    const dae__expanded_contact *contact = &x->contacts.item[i];
    const char *name = dae__pool_print(x->l->keep, "state(%s)", contact->label);
    *DAE__PUSH(x->l->keep, &model->columns) = (dae_column){layout->entry[contact->state], name};
  }
  for (int i = 0; i < x->systems; i++) {
    const dae__instance *own = &x->instances.item[i];
    for (int k = 0; k < own->equations.count && dae__load_ok(x->l); k++) {
      const dae__equation *e = &own->equations.item[k];
      *DAE__PUSH(x->l->keep, &model->name_places) =
          (dae__name_place){dae__name_in_system(x, own->name, e->name), e->place, false};
    }
  }
}

/* ---- events ---- */

int dae__result_run(const dae__result_tape *result, double t, const double *y, const double *dy,
                    double *out)
{
  const double *in[DAE__CLASSES] = {[DAE__CLASS_T] = &t,
                                    [DAE__CLASS_Q] = y,
                                    [DAE__CLASS_S] = dy,
                                    [DAE__CLASS_D] = y + result->size};
  return dae__tape_run(result->tape, in, &out) ? 0 : -1;
}

#define CALLBACK(name)                                                                             \
  static int observe_event_##name(void *user, double t, const double *y, double *out)              \
  {                                                                                                \
    return dae__result_run(&((const dae__event_tapes *)user)->name, t, y, NULL, out);              \
  }
CALLBACK(value)
CALLBACK(action)
#undef CALLBACK

static int observe_event_sample(void *user, double t, const double *y, const double *dy,
                                double *value, double *rate)
{
  double out[2];
  int status = dae__result_run(&((const dae__event_tapes *)user)->rate, t, y, dy, out);
  *value = out[0];
  *rate = out[1];
  return status;
}

static int observe_event_rate(void *user, double t, const double *y, const double *dy, double *rate)
{
  double value;
  return observe_event_sample(user, t, y, dy, &value, rate);
}

/* Values of all events of a group, and rates where they have them. */
static int observe_group_sample(void *user, double t, const double *y, const double *dy,
                                double *values, double *rates)
{
  const dae__result_tape *result = user;
  const double *in[DAE__CLASSES] = {[DAE__CLASS_T] = &t,
                                    [DAE__CLASS_Q] = y,
                                    [DAE__CLASS_S] = dy,
                                    [DAE__CLASS_D] = y + result->size};
  return dae__tape_run(result->tape, in, (double *const[]){values, rates}) ? 0 : -1;
}

static dae__result_tape observe_result(const dae__layout *layout, dae__tape *tape)
{
  return (dae__result_tape){tape, layout->size};
}

/* ---- impacts ---- */

/* Gradient and rate of a gap or sliding coordinate. */
static int observe_gradient(const dae__result_tape *result, double t, const double *y,
                            double *gradient, double *rate)
{
  const double *in[DAE__CLASSES] = {
      [DAE__CLASS_T] = &t, [DAE__CLASS_Q] = y, [DAE__CLASS_D] = y + result->size};
  return dae__tape_run(result->tape, in, (double *const[]){gradient, rate}) ? 0 : -1;
}

static int observe_impact_normal(void *user, double t, const double *y, double *gradient,
                                 double *rate)
{
  return observe_gradient(&((const dae__event_tapes *)user)->normal, t, y, gradient, rate);
}

static int observe_impact_slide(void *user, int k, double t, const double *y, double *gradient,
                                double *rate)
{
  return observe_gradient(&((const dae__event_tapes *)user)->slide[k], t, y, gradient, rate);
}

static int observe_impact_law(void *user, double t, const double *y, dae_contact_law *law)
{
  double out[3];
  int status = dae__result_run(&((const dae__event_tapes *)user)->law, t, y, NULL, out);
  *law = (dae_contact_law){.restitution = out[0], .friction = out[1], .rest_friction = out[2]};
  return status;
}

/* Tape of the gradient of a node with respect to the state vector and of its rate in time. */
static dae__result_tape observe_bind_gradient(dae__binder *b, const dae__layout *layout,
                                              dae__node node)
{
  dae__gradient d = dae__bind_gradient(b, node, DAE__BIT(T) | DAE__BIT(Q));
  dae__outputs out = {0};
  dae__node rate = DAE__ZERO;
  for (int k = 0; k < d.count; k++) {
    if (d.leaf[k] == 0)
      rate = d.value[k];
    else
      *DAE__PUSH(b->x->l->scratch, &out) = (dae__tape_output){0, b->index[d.leaf[k]], d.value[k]};
  }
  *DAE__PUSH(b->x->l->scratch, &out) = (dae__tape_output){1, 0, rate};
  return observe_result(layout, dae__bind_tape(b, "an impact: gradient", &out, 2, NULL));
}

/* Binds the laws of an impact. */
static const dae_contact *observe_bind_impact(dae__binder *b, const dae__layout *layout,
                                              const dae__expanded_event *event,
                                              dae__event_tapes *trigger)
{
  const dae__expanded_impact *impact = event->impact;
  if (!impact || !dae__bind_ok(b))
    return NULL;
  dae__nodes law = {.item =
                        (dae__node[]){impact->restitution, impact->friction, impact->rest_friction},
                    .count = 3};
  trigger->normal = observe_bind_gradient(b, layout, impact->gap);
  for (int k = 0; k < impact->slides && dae__bind_ok(b); k++)
    trigger->slide[k] = observe_bind_gradient(b, layout, impact->slide[k]);
  if (dae__bind_ok(b))
    trigger->law = observe_result(layout, dae__bind_vector_tape(b, "an impact: law", &law));
  trigger->contact = (dae_contact){.slides = impact->slides,
                                   .normal = observe_impact_normal,
                                   .slide = observe_impact_slide,
                                   .law = observe_impact_law};
  if (event->contact) {
    trigger->contact.holds = true;
    trigger->contact.state = layout->entry[event->contact->state];
    trigger->contact.force = layout->entry[event->contact->force];
    trigger->contact.slip = event->contact->rubs ? layout->entry[event->contact->slip] : 0;
    trigger->contact.grip = event->contact->rubs ? layout->entry[event->contact->grip] : 0;
  }
  return &trigger->contact;
}

/* Total time derivative E_t + E_y y' of an event function, with y' as class S. */
static dae__node observe_event_rate_node(dae__binder *b, dae__node E)
{
  dae__graph *graph = b->x->graph;
  dae__gradient d = dae__bind_gradient(b, E, DAE__BIT(T) | DAE__BIT(Q));
  dae__node rate = DAE__ZERO;
  for (int k = 0; k < d.count; k++) {
    dae__node dy =
        d.leaf[k] == 0 ? dae__constant(graph, 1) : dae__leaf(graph, b->s.item[b->index[d.leaf[k]]]);
    rate = DAE__ADD(graph, rate, DAE__MUL(graph, d.value[k], dy));
  }
  return rate;
}

static int observe_event_next(void *user, double t, double end, const double *y, double *next)
{
  const dae__event_tapes *event = user;
  return dae__clock_next(event->clock, t, end, y + event->action.size, next);
}

/* Sets the mode of a guard that is a clock by the side of its function just after t. */
static int observe_event_side(void *user, double t, const double *before, double *after)
{
  const dae__event_tapes *event = user;
  int side;
  int status = dae__clock_side(event->clock, t, before + event->action.size, &side);
  if (!status && side != 0)
    after[event->mode] = side > 0;
  return status;
}

/* Clock of a time event: of given instants, or of a function of time and held values. */
static dae__clock *observe_bind_clock(dae__binder *b, const dae__expanded_event *event)
{
  if (event->period > 0)
    return dae__bind_clock_every(b, event->origin, event->period, event->least);
  if (event->instants.count > 0)
    return dae__bind_clock_at(b, event->instants.count, event->instants.item);
  return dae__bind_is_clock(b, event->node) ? dae__bind_clock(b, event->node, event->direction)
                                            : NULL;
}

/* Makes the event function E a clock, or the tapes of E and of its total time derivative, which is
 * returned; DAE__ZERO for a clock. */
static dae__node observe_bind_trigger(dae__binder *b, const dae__layout *layout,
                                      const dae__expanded_event *event, dae__event_tapes *trigger)
{
  dae__node E = event->node;
  trigger->clock = observe_bind_clock(b, event);
  bool whole = event->kind == DAE_EVENT_GUARD && event->direction != 0; /* of floor(w) */
  if ((trigger->clock && !whole) || !dae__bind_ok(b))
    return DAE__ZERO;
  dae__node E_rate = observe_event_rate_node(b, E);
  dae__nodes value = {.item = &E, .count = 1};
  dae__nodes rate = {.item = (dae__node[]){E, E_rate}, .count = 2};
  trigger->value = observe_result(layout, dae__bind_vector_tape(b, "an event: value", &value));
  trigger->rate =
      observe_result(layout, dae__bind_vector_tape(b, "an event: value and rate", &rate));
  return E_rate;
}

/* Adds an event to the group of those whose zeros are searched for, with or without rates. */
static void observe_add_member(dae__binder *b, dae_model *model, dae__outputs group[2],
                               const dae__expanded_event *event, dae__node rate, dae_event *out)
{
  int rated = out->states_only;
  if (!out->value || out->next || out->contact || event->rubs || out->kind == DAE_EVENT_CONDITION)
    return;
  out->group = &model->event_group[rated];
  out->member = model->event_group[rated].count++;
  *DAE__PUSH(b->x->l->scratch, &group[rated]) = (dae__tape_output){0, out->member, event->node};
  if (rated)
    *DAE__PUSH(b->x->l->scratch, &group[rated]) = (dae__tape_output){1, out->member, rate};
}

static void observe_build_event(dae__binder *b, dae_model *model, const dae__layout *layout,
                                const dae__expanded_event *event, dae__event_tapes *trigger,
                                dae__outputs group[2], dae_event *out)
{
  const unsigned not_states = DAE__LEAF_ALG | DAE__LEAF_STATE_RATE | DAE__LEAF_MULTIPLIER;
  dae__outputs action = {0};
  int *sets = DAE__ALLOC(b->arena, int, event->actions.count);
  dae__node rate = observe_bind_trigger(b, layout, event, trigger);
  if (!dae__bind_ok(b))
    return;
  for (int k = 0; k < event->actions.count; k++) {
    sets[k] = layout->entry[event->actions.item[k].leaf];
    if (event->actions.item[k].node >= 0)
      *DAE__PUSH(b->x->l->scratch, &action) =
          (dae__tape_output){0, sets[k], event->actions.item[k].node};
  }
  bool clock = trigger->clock != NULL;
  const dae_contact *contact = observe_bind_impact(b, layout, event, trigger);
  bool by_side = clock && event->kind == DAE_EVENT_GUARD && action.count == 0;
  trigger->action = observe_result(
      layout, action.count > 0 ? dae__bind_tape(b, "an event: action", &action, 1, NULL) : NULL);
  trigger->mode = by_side ? sets[0] : 0;
  *out = (dae_event){.name = event->name,
                     .direction = event->direction,
                     .stop = event->stop,
                     .user = trigger,
                     .value = trigger->value.tape ? observe_event_value : NULL,
                     .rate = trigger->rate.tape ? observe_event_rate : NULL,
                     .sample = trigger->rate.tape ? observe_event_sample : NULL,
                     .next = clock ? observe_event_next : NULL,
                     .action = by_side            ? observe_event_side
                               : action.count > 0 ? observe_event_action
                                                  : NULL,
                     .states_only = !(dae__kinds_below(b->x, event->node) & not_states),
                     .sets = sets,
                     .set_count = event->actions.count,
                     .kind = event->kind,
                     .passive = event->passive,
                     .contact = contact,
                     .bends = event->bends};
  observe_add_member(b, model, group, event, rate, out);
}

/* Modes of the guards that are clocks just after the start, where their functions may vanish. */
static void observe_start_clocks(dae__binder *b, dae_model *model, const dae__layout *layout)
{
  double *held = model->y + layout->size;
  for (int i = 0; i < b->x->guard_events && dae__bind_ok(b); i++) {
    const dae_event *event = &model->events[i];
    const dae__event_tapes *trigger = event->user;
    int side = 0;
    if (!trigger->clock || dae__clock_side(trigger->clock, model->t_start, held, &side))
      continue;
    if (event->action == observe_event_side && side != 0)
      model->y[trigger->mode] = side > 0;
    else if (event->action == observe_event_action && side * event->direction > 0)
      event->action(event->user, model->t_start, model->y, model->y);
  }
  memcpy(b->held_value, held, (size_t)b->held.count * sizeof *held);
}

static void observe_build_events(dae__binder *b, dae_model *model, const dae__layout *layout)
{
  dae__expander *x = b->x;
  int count = x->events.count;
  model->events = DAE__ALLOC(b->arena, dae_event, count);
  model->event_text = DAE__ALLOC(b->arena, dae_model_event, count);
  dae__event_tapes *trigger = DAE__ALLOC(b->arena, dae__event_tapes, count);
  dae__outputs group[2] = {{0}, {0}};
  if (count == 0 || !dae__binder_leaves(b, layout->size))
    return;
  for (int i = 0; i < count && dae__bind_ok(b); i++) {
    const dae__expanded_event *event = &x->events.item[i];
    observe_build_event(b, model, layout, event, &trigger[i], group, &model->events[i]);
    model->events[i].rubs = event->rubs ? i : 0; /* 1 + index of the event before */
    model->event_text[i] = (dae_model_event){
        .place = event->place,
        .period = event->period,
        .first = event->period > 0 ? event->origin + event->least * event->period : 0};
    if (event->place >= 0)
      *DAE__PUSH(x->l->keep, &model->name_places) =
          (dae__name_place){event->name, event->place, false};
  }
  if (!dae__bind_ok(b))
    return;
  for (int rated = 0; rated < 2; rated++) {
    const char *what = rated ? "events: values and rates" : "events: values";
    if (group[rated].count > 0)
      model->event_samples[rated] =
          observe_result(layout, dae__bind_tape(b, what, &group[rated], 1 + rated, NULL));
    model->event_group[rated].user = &model->event_samples[rated];
    model->event_group[rated].sample = observe_group_sample;
  }
  observe_start_clocks(b, model, layout);
}

dae_status dae__build_results(dae__binder *b, dae_model *model, const dae__layout *layout)
{
  observe_build_start(b, model, layout);
  observe_build_atol(b, model, layout);
  observe_build_columns(b, model, layout);
  if (!dae__bind_ok(b))
    return b->x->l->status;
  for (int i = 0; i < layout->leaves; i++)
    if (layout->entry[i] >= 0 && layout->entry[i] < layout->size)
      dae__binder_place(b, i, DAE__CLASS_Q, layout->entry[i]);
  dae__expander *x = b->x;
  dae__outputs out = {0};
  model->output_names = DAE__ALLOC(b->arena, const char *, x->outputs.count);
  for (int i = 0; i < x->outputs.count && dae__bind_ok(b); i++) {
    model->output_names[i] = x->outputs.item[i].name;
    *DAE__PUSH(x->l->scratch, &out) = (dae__tape_output){0, i, x->outputs.item[i].node};
  }
  model->outputs = observe_result(layout, dae__bind_tape(b, "outputs", &out, 1, NULL));
  observe_build_events(b, model, layout);
  model->stops = dae__bind_stops(b);
  dae__bind_ok(b);
  return b->x->l->status;
}
