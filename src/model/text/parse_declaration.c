/* Parsing of declarations (names with ranges or arguments, values, start rates), and settings of
 * simulate and of systems. */
#include "model/text/parse.h"
#include <stdio.h>
#include <string.h>

/* Largest number of arguments of a function, and of settings in a line, which are searched
 * linearly; chosen, not measured. */
#define MAX_ARGUMENTS 100
#define MAX_SETTINGS 100

/* Parses a range A..B. */
void dae__parser_range(dae__parser *p, dae__range *range)
{
  range->place = p->at.place;
  range->from = dae__parser_expression(p);
  dae__parser_expect(p, DAE__TOKEN_RANGE, "between the ends of the range: 1..N");
  range->to = p->l->status ? NULL : dae__parser_expression(p);
}

/* Parses the ranges of an array, such as [1..N] or [k in 1..N, 1..M]. */
void dae__parser_ranges(dae__parser *p, dae__declaration *d, int most)
{
  do {
    if (d->rank == most) {
      dae__load_fail(p->l, p->at.place,
                     most == 1 ? "a system or part has one index"
                               : "an array has one to three indices");
      return;
    }
    dae__range *range = &d->range[d->rank++];
    const char *name = NULL;
    if (dae__parser_at(p, DAE__TOKEN_NAME) && p->ahead.kind == DAE__TOKEN_NAME) {
      name = dae__parser_new_name(p, "an index");
      if (!p->l->status && !dae__parser_accept_word(p, "in"))
        dae__parser_unexpected(p, "in: [k in 1..N]");
    }
    if (!p->l->status)
      dae__parser_range(p, range);
    range->name = name;
  } while (dae__parser_accept(p, DAE__TOKEN_COMMA));
  dae__parser_expect(p, DAE__TOKEN_CLOSE_INDEX, "after the range of the index");
}

dae__declaration *dae__parser_new_declaration(dae__parser *p, const char *what)
{
  dae__declaration *d = DAE__NEW(p->l->scratch, dae__declaration);
  if (!dae__load_ok(p->l))
    return NULL;
  d->place = p->at.place;
  d->parameters = -1;
  d->name = dae__parser_new_name(p, what);
  return p->l->status ? NULL : d;
}

/* ---- declarations ---- */

/* Parses the parameters of a function f(a, b). */
static void parse_parameters(dae__parser *p, dae__declaration *d)
{
  DAE__LIST(const char *) names = {0};
  d->parameters = 0;
  do {
    int place = p->at.place;
    const char *name = dae__parser_new_name(p, "the name of an argument");
    for (int i = 0; i < names.count; i++)
      if (names.item[i] == name)
        dae__load_fail(p->l, place, "duplicate argument %s of %s", name, d->name);
    if (names.count == MAX_ARGUMENTS)
      dae__load_fail(p->l, place, "a function has at most %d arguments", MAX_ARGUMENTS);
    *DAE__PUSH(p->l->scratch, &names) = name;
  } while (!p->l->status && dae__parser_accept(p, DAE__TOKEN_COMMA));
  dae__parser_expect(p, DAE__TOKEN_CLOSE, "after the arguments");
  d->parameter = names.item;
  d->parameters = names.count;
}

/* Parses the value of atol: the first one of a declaration is that of the variable and its rate, a
 * second one that of the rate of a coordinate. */
static void parse_atol(dae__parser *p, dae__statement_kind kind, int place, dae__declaration *d)
{
  if (kind < DAE__STATEMENT_COORD || kind > DAE__STATEMENT_ALG)
    dae__load_fail(p->l, place, "atol applies to coord, state and alg only");
  else if (d->atol && (kind != DAE__STATEMENT_COORD || d->rate_atol))
    dae__load_fail(p->l, place,
                   kind == DAE__STATEMENT_COORD
                       ? "duplicate atol of %s: a coord has one for itself and one for its rate"
                       : "duplicate atol of %s",
                   d->name);
  const dae__expr *value = p->l->status ? NULL : dae__parser_expression(p);
  *(d->atol ? &d->rate_atol : &d->atol) = value;
}

static dae__declaration *parse_declaration(dae__parser *p, dae__statement_kind kind)
{
  static const char *const what[] = {
      [DAE__STATEMENT_PARAM] = "the name of a param",
      [DAE__STATEMENT_LET] = "the name of a let",
      [DAE__STATEMENT_COORD] = "the name of a coordinate",
      [DAE__STATEMENT_STATE] = "the name of a state",
      [DAE__STATEMENT_ALG] = "the name of an algebraic variable",
      [DAE__STATEMENT_DISCRETE] = "the name of a discrete variable",
      [DAE__STATEMENT_OUTPUT] = "the name of an output",
  };
  bool variable = kind >= DAE__STATEMENT_COORD && kind <= DAE__STATEMENT_DISCRETE;
  dae__declaration *d = dae__parser_new_declaration(p, what[kind]);
  if (!d)
    return NULL;
  if (dae__parser_accept(p, DAE__TOKEN_OPEN_INDEX))
    dae__parser_ranges(p, d, DAE__RANK);
  else if (dae__parser_at(p, DAE__TOKEN_OPEN) && kind == DAE__STATEMENT_LET &&
           dae__parser_accept(p, DAE__TOKEN_OPEN))
    parse_parameters(p, d);
  if (p->l->status)
    return NULL;
  if (dae__parser_accept(p, DAE__TOKEN_ASSIGN))
    d->value = dae__parser_expression(p);
  else if (dae__parser_at(p, DAE__TOKEN_RATE) && variable)
    dae__load_fail(p->l, p->at.place,
                   "' is not allowed in a declaration: write coord x = 1 rate 2 for a start rate, "
                   "and u' = E as a separate statement");
  else if (!variable)
    dae__parser_expect(p, DAE__TOKEN_ASSIGN, "and its value");
  else if (dae__parser_at(p, DAE__TOKEN_NUMBER) || dae__parser_at(p, DAE__TOKEN_MINUS))
    dae__parser_unexpected(p, "= before the start value");
  while (!p->l->status) { /* attributes of a variable: fixed, rate E, atol c, in any order */
    int place = p->at.place;
    if (dae__parser_accept_word(p, "fixed")) {
      if (!variable || kind == DAE__STATEMENT_DISCRETE)
        dae__load_fail(p->l, place, "fixed applies to coord, state and alg only");
      *(d->rate ? &d->rate_fixed : &d->fixed) = true;
    } else if (dae__parser_accept_word(p, "rate")) {
      if (kind != DAE__STATEMENT_COORD)
        dae__load_fail(p->l, place,
                       "only a coord has a start rate; the rate of a state follows from its "
                       "equation");
      else if (d->rate)
        dae__load_fail(p->l, place, "duplicate start rate of %s", d->name);
      d->rate = dae__parser_expression(p);
    } else if (dae__parser_accept_word(p, "atol")) {
      parse_atol(p, kind, place, d);
    } else if (!dae__parser_unit(p, d)) {
      break;
    }
  }
  return p->l->status ? NULL : d;
}

void dae__parser_declarations(dae__parser *p, dae__statement *s)
{
  dae__declaration **last = &s->declared;
  do {
    dae__declaration *d = parse_declaration(p, s->kind);
    if (!d)
      return;
    *last = d;
    last = &d->next;
  } while (dae__parser_accept(p, DAE__TOKEN_COMMA));
}

/* ---- settings ---- */

/* Parses a word of letters, digits and - without spaces, such as gauss-seidel or lie-iteration. */
static const char *parse_word(dae__parser *p, const char *what)
{
  const char *start = p->at.text;
  int length = p->at.length;
  if (!dae__parser_at(p, DAE__TOKEN_NAME)) {
    dae__parser_unexpected(p, what);
    return "";
  }
  dae__parser_advance(p);
  while (dae__parser_at(p, DAE__TOKEN_MINUS) && !p->at.spaced && !p->ahead.spaced &&
         (p->ahead.kind == DAE__TOKEN_NAME || p->ahead.kind == DAE__TOKEN_NUMBER)) {
    length += 1 + p->ahead.length;
    dae__parser_advance(p);
    dae__parser_advance(p);
  }
  return dae__name(p->l, p->names, start, length);
}

bool dae__token_ends_statement(dae__token_kind kind)
{
  switch (kind) {
  case DAE__TOKEN_NEWLINE:
  case DAE__TOKEN_SEMICOLON:
  case DAE__TOKEN_CLOSE_BLOCK:
  case DAE__TOKEN_END:
    return true;
  default:
    return false;
  }
}

/* Value of a setting that is a switch: on, off, or nothing before the next setting; NULL: another
 * value follows. */
static const char *parse_switch(dae__parser *p, const char *name)
{
  if (strcmp(name, "damp") != 0)
    return NULL;
  if (dae__parser_accept_word(p, "off"))
    return "off";
  bool on = dae__parser_accept_word(p, "on") || dae__token_ends_statement(p->at.kind) ||
            p->at.kind == DAE__TOKEN_COMMA || p->at.kind == DAE__TOKEN_NAME;
  return on ? "on" : NULL;
}

void dae__parser_settings(dae__parser *p, dae__statement *s)
{
  dae__setting **last = &s->setting;
  for (int count = 1; !p->l->status && !dae__token_ends_statement(p->at.kind); count++) {
    dae__setting *setting = DAE__NEW(p->l->scratch, dae__setting);
    char expected[96];
    if (!dae__load_ok(p->l))
      return;
    setting->place = p->at.place;
    setting->name = parse_word(p, "a setting, such as to 10 or rtol 1e-6");
    if (!p->l->status && !strcmp(setting->name, "output")) {
      if (!dae__parser_accept_word(p, "every"))
        dae__parser_unexpected(p, "every: output every 0.05");
      setting->name = dae__name(p->l, p->names, "every", 5);
    }
    if (!p->l->status)
      setting->word = parse_switch(p, setting->name);
    bool valued = !p->l->status && !setting->word;
    if (valued && dae__token_ends_statement(p->at.kind)) {
      snprintf(expected, sizeof expected, "a value after %.40s", setting->name);
      dae__parser_unexpected(p, expected);
    } else if (valued && !strcmp(setting->name, "method")) {
      setting->word = parse_word(p, "the name of a method");
    } else if (valued) {
      setting->value = dae__parser_expression(p);
    }
    if (count > MAX_SETTINGS)
      dae__load_fail(p->l, setting->place, "more than %d settings", MAX_SETTINGS);
    if (p->l->status)
      return;
    *last = setting;
    last = &setting->next;
    dae__parser_accept(p, DAE__TOKEN_COMMA);
  }
  if (!p->l->status && !s->setting)
    dae__load_fail(p->l, s->place, "simulate needs an end time: simulate to 10");
}
