/* Registration of connectors and dispatch of the statements on bodies. */
#include "model/space/space.h"
#include <string.h>

void dae__space_create(dae__expander *x)
{
  x->space = DAE__NEW(x->l->scratch, dae__space);
  for (int i = 0; x->space && i < 2; i++) {
    dae__body *ground = &x->space->ground[i];
    ground->name = "ground";
    ground->plane = i == 1;
    ground->turn[0] = i == 0;
    ground->pose_stage = ground->rate_stage = ground->mass_stage = 2;
  }
}

/* ---- names of connectors ---- */

static dae__connector *space_new_connector(const dae__context *c, const dae__statement *s)
{
  dae__expander *x = c->x;
  dae__connector *k = DAE__NEW(x->l->scratch, dae__connector);
  if (!dae__load_ok(x->l))
    return NULL;
  k->s = s;
  k->kind = s->connector;
  k->instance = c->instance;
  k->frame = c->frame;
  k->label = s->label ? dae__label_text(c, s->label) : NULL;
  k->name = k->label ? k->label : dae__statement_name(c, s);
  const dae__instance *own = &x->instances.item[c->instance];
  if (k->label && own->parent >= 0)
    k->name = dae__name_in_system(x, dae__part_name(x, c->instance), k->label);
  *DAE__PUSH(x->l->scratch, &x->space->connectors) = k;
  return k;
}

/* Puts a connector into the table, by its name with indices, and the first one without. */
static void space_register(const dae__context *c, const dae__statement *s)
{
  dae__expander *x = c->x;
  dae__space *space = x->space;
  int other =
      dae__table_find(&x->symbol_table, x->instances.item[c->instance].scope, s->label->name);
  if (other >= 0)
    dae__load_fail(x->l, s->label->place,
                   "duplicate declaration of %s; the first one is in line %d", s->label->name,
                   dae__line_of(&x->l->files, x->symbols.item[other].d->place));
  dae__connector *k = x->l->status ? NULL : space_new_connector(c, s);
  if (!k)
    return;
  int number = space->connectors.count - 1;
  int known = dae__table_find(&space->table, c->instance, k->label);
  bool indexed = k->label != s->label->name;
  int base = indexed ? dae__table_find(&space->table, c->instance, s->label->name) : known;
  if (known >= 0 || (indexed && base >= 0 && !space->connectors.item[base]->s->label->count))
    dae__load_fail(
        x->l, s->label->place, "duplicate name %s; the first one is in line %d", k->label,
        dae__line_of(&x->l->files, space->connectors.item[known >= 0 ? known : base]->s->place));
  if (!x->l->status)
    dae__table_add(x->l, &space->table, c->instance, k->label, number);
  if (!x->l->status && indexed && base < 0)
    dae__table_add(x->l, &space->table, c->instance, s->label->name, number);
}

static void space_declare(const dae__context *c, const dae__statement *s)
{
  dae__expander *x = c->x;
  dae__instance *own = &x->instances.item[c->instance];
  if (s->kind == DAE__STATEMENT_CONNECTOR && s->label)
    space_register(c, s);
  if (s->kind != DAE__STATEMENT_GRAVITY)
    return;
  if (own->gravity)
    dae__load_fail(x->l, s->place, "duplicate gravity; the first one is in line %d",
                   dae__line_of(&x->l->files, own->gravity->place));
  own->gravity = s;
}

void dae__declare_connectors(dae__expander *x)
{
  dae__walk_instances(x, space_declare, true);
}

dae__connector *dae__connector_find(const dae__context *c, int instance, const dae__expr *at,
                                    bool any)
{
  dae__expander *x = c->x;
  const dae__space *space = x->space;
  int base = dae__table_find(&space->table, instance, at->name);
  if (base < 0 || any)
    return base < 0 ? NULL : space->connectors.item[base];
  const char *text = at->call ? at->name : dae__label_text(c, at);
  int number = x->l->status ? -1 : dae__table_find(&space->table, instance, text);
  if (at->call)
    dae__load_fail(x->l, at->place, "%s is a %s, not a function", at->name,
                   space->connectors.item[base]->s->word);
  else if (number < 0 && !x->l->status)
    dae__load_fail(x->l, at->place, "there is no %s %s", space->connectors.item[base]->s->word,
                   text);
  else if (number >= 0 && space->connectors.item[number]->s->label->count != at->count)
    dae__load_fail(x->l, at->place, "%s is an array of connectors and needs an index", at->name);
  return x->l->status ? NULL : space->connectors.item[number];
}

/* ---- expansion ---- */

void dae__connector_resolve(dae__expander *x, dae__connector *k)
{
  if (k->stage == 1)
    dae__load_fail(x->l, k->s->place, "cyclic definition of %s", k->name);
  if (k->stage != 0 || x->l->status)
    return;
  if (++x->depth > 400)
    dae__load_fail(x->l, k->s->place, "%s depends on too many others", k->name);
  k->stage = 1;
  if (k->kind >= DAE__CONNECTOR_ROD)
    dae__spring_resolve(x, k);
  else if (k->kind == DAE__CONNECTOR_ROLLING)
    dae__rolling_resolve(x, k);
  else if (k->kind == DAE__CONNECTOR_BUSHING)
    dae__bushing_resolve(x, k);
  else
    dae__joint_resolve(x, k);
  k->stage = 2;
  x->depth--;
}

static void space_expand_connector(const dae__context *c, const dae__statement *s)
{
  dae__expander *x = c->x;
  int number = -1;
  if (s->label)
    number = dae__table_find(&x->space->table, c->instance, dae__label_text(c, s->label));
  dae__connector *k = x->l->status ? NULL
                      : number < 0 ? space_new_connector(c, s)
                                   : x->space->connectors.item[number];
  if (k && !s->label && dae__clause_of(s, "relative"))
    dae__load_fail(x->l, s->place,
                   "a relative joint needs a name for its coordinates: %s NAME: A, B", s->word);
  if (!k)
    return;
  dae__connector_resolve(x, k);
  if (x->l->status || !dae__load_record(x->l, s->place))
    return;
  if (k->kind >= DAE__CONNECTOR_ROD)
    dae__spring_expand(x, k);
  else if (k->kind == DAE__CONNECTOR_ROLLING)
    dae__rolling_expand(x, k);
  else if (k->kind == DAE__CONNECTOR_BUSHING)
    dae__bushing_expand(x, k);
  else
    dae__joint_expand(x, k);
  k->expanded = true;
}

static void space_expand_body(const dae__context *c, const dae__statement *s)
{
  dae__expander *x = c->x;
  int symbol =
      dae__table_find(&x->symbol_table, x->instances.item[c->instance].scope, s->declared->name);
  dae__elements *e = dae__elements_of(x, symbol, c->instance, s->place);
  for (int i = 0; e && i < e->count && dae__load_work(x->l, s->place, DAE__LOOP_WORK); i++)
    dae__body_expand(x, &e->body[i]);
}

/* Point mass: m |P'|^2 / 2 and its weight. */
static void space_expand_mass(const dae__context *c, const dae__statement *s)
{
  dae__expander *x = c->x;
  dae__graph *g = x->graph;
  dae__node m = dae__evaluate(c, s->a);
  dae__value P = x->l->status ? DAE__NO_VALUE : dae__evaluate_value(c, s->b);
  if (!x->l->status && P.size == 1)
    dae__load_fail(x->l, s->b->place, "a point mass is at a point, a vector, not at a number");
  if (!x->l->status && dae__start_value(x, m, s->a->place) < 0)
    dae__load_fail(x->l, s->a->place, "the point mass is negative");
  dae__value v = dae__vector_rate(x, P, s->b->place, "the place of a point mass");
  if (x->l->status)
    return;
  dae__node T = DAE__MUL(g, DAE__MUL(g, dae__constant(g, 0.5), m), dae__vector_dot(g, v, v));
  dae__check_energy(c, true, T, s->b->place);
  if (!dae__relative_take_mass(x, m, P))
    dae__add_energy(c, true, T, s->place);
  dae__weight_expand(c, m, P, s->place, "the point mass");
}

void dae__space_expand(const dae__context *c, const dae__statement *s)
{
  switch (s->kind) {
  case DAE__STATEMENT_BODY:
    space_expand_body(c, s);
    break;
  case DAE__STATEMENT_MASS:
    space_expand_mass(c, s);
    break;
  case DAE__STATEMENT_CONNECTOR:
    space_expand_connector(c, s);
    break;
  case DAE__STATEMENT_TORQUE:
  case DAE__STATEMENT_DISSIPATION:
  case DAE__STATEMENT_ALONG:
  case DAE__STATEMENT_AT:
    dae__force_expand(c, s);
    break;
  default: /* gravity, parts: known before */
    break;
  }
}

/* ---- checks ---- */

/* Counts the constraints written by the user that hold the turning of bodies. */
static void space_count_turning(dae__expander *x, const dae__constraints *all)
{
  for (int i = 0; i < all->count && dae__load_ok(x->l); i++) {
    if (all->item[i].derived)
      continue;
    dae__leaves below = dae__leaves_below(x->walker, 1, &all->item[i].node);
    for (int k = 0; k < below.count; k++) {
      int leaf = below.leaf[k], symbol = x->leaves.item[leaf].symbol, component;
      if (symbol >= 0 && x->symbols.item[symbol].body_of)
        x->symbols.item[symbol].body_of->turned_by++;
      if (symbol < 0 || x->symbols.item[symbol].kind != DAE__STATEMENT_BODY)
        continue;
      dae__body *b = dae__body_of_leaf(x, leaf, &component);
      b->turned_by += component >= 3;
    }
  }
}

void dae__space_finish(dae__expander *x)
{
  bool free = false;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < x->instances.count && !x->l->status; i++) {
      const dae__instance *own = &x->instances.item[i];
      for (int k = 0; k < own->variables.count && !x->l->status; k++) {
        struct dae__variable of = own->variables.item[k];
        const dae__elements *e = dae__elements_slot(x, of.symbol, of.instance);
        for (int j = 0; e && e->body && j < e->count; j++) {
          dae__body *b = &e->body[j];
          bool spins = b->spins_freely && b->turned_by == 0;
          free = free || spins;
          if (spins && pass == 1)
            dae__load_fail(
                x->l, b->s->place,
                "%s spins freely about its x axis and has no inertia there: give a box or "
                "a cylinder, or write rod R: P to Q for a link without mass",
                b->name);
        }
      }
      if (pass == 0 && i == x->instances.count - 1 && free)
        for (int k = 0; k < x->systems; k++) {
          space_count_turning(x, &x->instances.item[k].holonomic);
          space_count_turning(x, &x->instances.item[k].nonholonomic);
        }
    }
}
