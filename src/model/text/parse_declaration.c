/* Declarations: names with ranges or arguments, values, and what a start holds fixed. */
#include "model/text/parse.h"

#define MOST 100 /* arguments of a function: they are searched one by one */

/* A..B */
void dae__take_range(dae__parser *p, dae__range *range)
{
  range->place = p->at.place;
  range->from = dae__take_expression(p);
  dae__expect(p, DAE__TOKEN_RANGE, "between the ends of the range: 1..N");
  range->to = p->l->status ? NULL : dae__take_expression(p);
}

/* [1..N], [k in 1..N, 1..M] */
void dae__take_ranges(dae__parser *p, dae__declaration *d, int most)
{
  do {
    if (d->rank == most) {
      dae__complain(p->l, p->at.place,
                    most == 1 ? "a system has one index" : "an array has one or two indices");
      return;
    }
    dae__range *range = &d->range[d->rank++];
    const char *name = NULL;
    if (dae__at(p, DAE__TOKEN_NAME) && p->ahead.kind == DAE__TOKEN_NAME) {
      name = dae__take_new_name(p, "an index");
      if (!p->l->status && !dae__accept_word(p, "in"))
        dae__unexpected(p, "in: [k in 1..N]");
    }
    if (!p->l->status)
      dae__take_range(p, range);
    range->name = name;
  } while (dae__accept(p, DAE__TOKEN_COMMA));
  dae__expect(p, DAE__TOKEN_CLOSE_INDEX, "after the range of the index");
}

dae__declaration *dae__new_declaration(dae__parser *p, const char *what)
{
  dae__declaration *d = DAE__NEW(p->l->scratch, dae__declaration);
  if (!dae__load_ok(p->l))
    return NULL;
  d->place = p->at.place;
  d->parameters = -1;
  d->name = dae__take_new_name(p, what);
  return p->l->status ? NULL : d;
}

/* ---- declarations ---- */

static const char *parse_kind_of(dae__statement_kind kind)
{
  switch (kind) {
  case DAE__STATEMENT_PARAM:
    return "the name of a param";
  case DAE__STATEMENT_LET:
    return "the name of a let";
  case DAE__STATEMENT_COORD:
    return "the name of a coordinate";
  case DAE__STATEMENT_STATE:
    return "the name of a state";
  case DAE__STATEMENT_ALG:
    return "the name of an algebraic variable";
  case DAE__STATEMENT_DISCRETE:
    return "the name of a discrete variable";
  default:
    return "the name of an output";
  }
}

/* f(a, b) */
static void parse_take_parameters(dae__parser *p, dae__declaration *d)
{
  DAE__LIST(const char *) names = {0};
  d->parameters = 0;
  do {
    int place = p->at.place;
    const char *name = dae__take_new_name(p, "the name of an argument");
    for (int i = 0; i < names.count; i++)
      if (names.item[i] == name)
        dae__complain(p->l, place, "the argument %s of %s stands twice", name, d->name);
    if (names.count == MOST)
      dae__complain(p->l, place, "a function has at most %d arguments", MOST);
    *DAE__PUSH(p->l->scratch, &names) = name;
  } while (!p->l->status && dae__accept(p, DAE__TOKEN_COMMA));
  dae__expect(p, DAE__TOKEN_CLOSE, "after the arguments");
  d->parameter = names.item;
  d->parameters = names.count;
}

/* fixed, rate E, in any order */
static void parse_take_start(dae__parser *p, dae__statement_kind kind, dae__declaration *d)
{
  bool variable =
      kind == DAE__STATEMENT_COORD || kind == DAE__STATEMENT_STATE || kind == DAE__STATEMENT_ALG;
  while (!p->l->status) {
    int place = p->at.place;
    if (dae__accept_word(p, "fixed")) {
      if (!variable)
        dae__complain(p->l, place, "fixed belongs to coord, state and alg only");
      *(d->rate ? &d->rate_fixed : &d->fixed) = true;
    } else if (dae__accept_word(p, "rate")) {
      if (kind != DAE__STATEMENT_COORD)
        dae__complain(p->l, place,
                      "only a coord has a start rate; that of a state follows from its "
                      "equation");
      else if (d->rate)
        dae__complain(p->l, place, "the start rate of %s is given twice", d->name);
      d->rate = dae__take_expression(p);
    } else {
      return;
    }
  }
}

static dae__declaration *parse_take_declaration(dae__parser *p, dae__statement_kind kind)
{
  bool variable = kind >= DAE__STATEMENT_COORD && kind <= DAE__STATEMENT_DISCRETE;
  dae__declaration *d = dae__new_declaration(p, parse_kind_of(kind));
  if (!d)
    return NULL;
  if (dae__accept(p, DAE__TOKEN_OPEN_INDEX))
    dae__take_ranges(p, d, DAE__RANK);
  else if (dae__at(p, DAE__TOKEN_OPEN) && kind == DAE__STATEMENT_LET &&
           dae__accept(p, DAE__TOKEN_OPEN))
    parse_take_parameters(p, d);
  if (p->l->status)
    return NULL;
  if (dae__accept(p, DAE__TOKEN_ASSIGN))
    d->value = dae__take_expression(p);
  else if (dae__at(p, DAE__TOKEN_RATE) && variable)
    dae__complain(p->l, p->at.place,
                  "a declaration holds no ': write coord x = 1 rate 2 for a "
                  "start rate, and u' = E as a statement of its own");
  else if (!variable)
    dae__expect(p, DAE__TOKEN_ASSIGN, "and its value");
  else if (dae__at(p, DAE__TOKEN_NUMBER) || dae__at(p, DAE__TOKEN_MINUS))
    dae__unexpected(p, "= before the start value");
  if (!p->l->status)
    parse_take_start(p, kind, d);
  return p->l->status ? NULL : d;
}

void dae__take_declarations(dae__parser *p, dae__statement *s)
{
  dae__declaration **last = &s->declared;
  do {
    dae__declaration *d = parse_take_declaration(p, s->kind);
    if (!d)
      return;
    *last = d;
    last = &d->next;
  } while (dae__accept(p, DAE__TOKEN_COMMA));
}
