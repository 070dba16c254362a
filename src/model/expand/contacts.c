/* Contacts that hold: rows of the constraints that their states switch, and the directions of their
 * forces. */
#include "model/expand/value.h"

/* Gap of a contact E >= 0 or A >= B. */
static dae__node contact_gap(const dae__context *c, const dae__statement *s)
{
  static const dae__allowed may = {DAE__LEAF_TIME | DAE__LEAF_COORD, 0, "the gap of a contact",
                                   "t and coordinates of its system"};
  dae__expander *x = c->x;
  const dae__expr *e = s->a;
  bool above = e->op == DAE__TOKEN_MORE_EQUAL, below = e->op == DAE__TOKEN_LESS_EQUAL;
  if (e->kind != DAE__EXPR_BINARY || !(above || below)) {
    dae__load_fail(x->l, e->place,
                   "a contact is written E >= 0: contact floor: y >= 0; it is "
                   "closed where E is 0");
    return DAE__ZERO;
  }
  dae__node a = dae__evaluate(c, e->argument), b = dae__evaluate(c, e->argument->next);
  dae__node gap = above ? DAE__SUB(x->graph, a, b) : DAE__SUB(x->graph, b, a);
  if (!x->l->status)
    dae__check_leaves(c, gap, e->place, &may);
  if (!x->l->status && !(dae__kinds_below(x, gap) & DAE__LEAF_COORD))
    dae__load_fail(x->l, e->place, "the gap contains no coordinate");
  return gap;
}

/* Leaf of a held value of a contact, 0 at the start. */
static int contact_leaf(dae__expander *x, const char *label, int place)
{
  int number = x->guards.count;
  int leaf =
      dae__add_leaf(x, DAE__LEAF_DISCRETE, (dae__leaf_info){.symbol = -1, .element = number});
  *DAE__PUSH(x->l->scratch, &x->guards) = (dae__guard){.name = label,
                                                       .place = place,
                                                       .op = DAE__OP_LESS,
                                                       .value = DAE__ZERO,
                                                       .mode = DAE__ZERO,
                                                       .leaf = leaf,
                                                       .motion = true,
                                                       .contact = true};
  return leaf;
}

/* Friction of a contact that holds, along the gradient of its sliding coordinate S: of a contact
 * that slides it is mu times its pressing force and so part of the direction of this force; of one
 * that sticks it is the force of a row S' = 0. */
static void contact_add_friction(const dae__context *c, const dae__statement *s,
                                 dae__expanded_contact *contact)
{
  static const dae__allowed may[] = {
      {DAE__LEAF_TIME | DAE__LEAF_COORD, 0, "the sliding coordinate of a contact",
       "t and coordinates of its system"},
      {DAE__LEAF_TIME | DAE__LEAF_COORD | DAE__LEAF_COORD_RATE | DAE__LEAF_DISCRETE,
       DAE__LEAF_DISCRETE, "the friction of a contact", "t, coordinates, rates and discretes"}};
  dae__expander *x = c->x;
  dae__graph *graph = x->graph;
  const dae__clause *along = dae__find_clause(s, "along"), *mu = dae__find_clause(s, "friction");
  if (!along || !mu)
    return; /* refused with the other clauses, if only one of them is there */
  dae__value slide = dae__evaluate_value(c, along->a);
  if (!x->l->status && slide.size > 1)
    dae__load_fail(x->l, along->a->place,
                   "a contact slides along one coordinate; along several in space is not supported "
                   "yet, except by an impact");
  dae__node friction = dae__evaluate(c, mu->a);
  if (!x->l->status)
    dae__check_leaves(c, slide.at[0], along->a->place, &may[0]);
  if (!x->l->status)
    dae__check_leaves(c, friction, mu->a->place, &may[1]);
  contact->rubs = true;
  contact->slide = slide.at[0];
  contact->slip = contact_leaf(x, contact->label, s->place);
  contact->speed = dae__total_rate(x, slide.at[0], along->a->place, "the sliding coordinate");
  if (!dae__load_ok(x->l))
    return;
  dae__node state = dae__leaf(graph, contact->state), one = dae__constant(graph, 1);
  dae__node sticks = dae__binary(graph, DAE__OP_LESS, one, state);
  dae__node slides = dae__binary(graph, DAE__OP_EQUAL, state, one);
  dae__constraints *rows = &dae__home_of(c)->holonomic;
  *DAE__PUSH(x->l->scratch, &rows->item[rows->count - 1].directions) = (dae__direction){
      .factor = dae__if(graph, slides, DAE__MUL(graph, friction, dae__leaf(graph, contact->slip)),
                        DAE__ZERO),
      .of = contact->slide,
      .leaf = -1};
  dae__residual r = {.node = dae__if(graph, sticks, contact->speed, DAE__ZERO),
                     .name = contact->label,
                     .place = s->place,
                     .nonholonomic = true,
                     .switched = true};
  dae__node grip = dae__add_constraint(c, &r);
  if (!dae__load_ok(x->l))
    return;
  contact->grip = dae__node_at(graph, grip).leaf;
  dae__constraints *sticking = &dae__home_of(c)->nonholonomic;
  sticking->item[sticking->count - 1].label = rows->item[rows->count - 1].label;
  x->labels.item[x->labels.count - 1].grip = 1 + contact->grip;
}

void dae__add_contact(const dae__context *c, const dae__statement *s)
{
  dae__expander *x = c->x;
  dae__graph *graph = x->graph;
  const char *label = dae__label_text(c, s->label);
  dae__node gap = contact_gap(c, s);
  if (x->l->status)
    return;
  int state = contact_leaf(x, label, s->place);
  dae__residual r = {.node =
                         dae__if(graph, dae__leaf(graph, state), DAE__NEG(graph, gap), DAE__ZERO),
                     .label = label,
                     .name = label,
                     .place = s->place,
                     .label_place = s->label->place,
                     .switched = true};
  dae__node force = dae__add_constraint(c, &r);
  if (!dae__load_ok(x->l))
    return;
  dae__expanded_contact contact = {
      .gap = gap, .state = state, .force = dae__node_at(graph, force).leaf, .label = label};
  contact_add_friction(c, s, &contact);
  *DAE__PUSH(x->l->scratch, &x->contacts) = contact;
}
