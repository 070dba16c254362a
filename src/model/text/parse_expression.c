/* Parsing of expressions by precedence climbing.
 *
 * Falling precedence: postfix ' [ ] .name; ^ (right associative); unary - !; * /; + -; comparisons;
 * == !=; &&; ||. */
#include "model/text/parse.h"
#include <stdio.h>
#include <string.h>

/* ---- tokens ---- */

dae__parser dae__parser_create(dae__load *l, dae__names *names, int file)
{
  dae__parser p = {.l = l, .names = names, .lexer = dae__lexer_create(l, file)};
  dae__lexer_next(&p.lexer, &p.at);
  dae__lexer_next(&p.lexer, &p.ahead);
  return p;
}

void dae__parser_advance(dae__parser *p)
{
  p->at = p->ahead;
  dae__lexer_next(&p->lexer, &p->ahead);
}

static bool parse_is_word(const dae__parser *p, const dae__token *token, const char *word)
{
  return token->kind == DAE__TOKEN_NAME && token->text[0] == word[0] &&
         !strncmp(token->text, word, (size_t)token->length) && word[token->length] == 0 &&
         !p->l->status;
}

bool dae__parser_at_word(const dae__parser *p, const char *word)
{
  return parse_is_word(p, &p->at, word);
}

bool dae__parser_ahead_word(const dae__parser *p, const char *word)
{
  return parse_is_word(p, &p->ahead, word);
}

bool dae__parser_accept_word(dae__parser *p, const char *word)
{
  if (!dae__parser_at_word(p, word))
    return false;
  dae__parser_advance(p);
  return true;
}

const char *dae__parser_text(const dae__parser *p)
{
  const char *text = p->at.text + (p->at.kind == DAE__TOKEN_STRING);
  return dae__name(p->l, p->names, text, p->at.length);
}

void dae__parser_unexpected(dae__parser *p, const char *expected)
{
  if (p->at.kind == DAE__TOKEN_NAME || p->at.kind == DAE__TOKEN_NUMBER)
    dae__load_fail(p->l, p->at.place, "expected %s, found %.*s", expected,
                   p->at.length < 40 ? p->at.length : 40, p->at.text);
  else
    dae__load_fail(p->l, p->at.place, "expected %s, found %s", expected,
                   dae__token_texts[p->at.kind]);
}

bool dae__parser_expect(dae__parser *p, dae__token_kind kind, const char *where)
{
  if (dae__parser_accept(p, kind))
    return true;
  char expected[96];
  strcpy(expected, dae__token_texts[kind]);
  strcat(expected, " ");
  strncat(expected, where, sizeof expected - strlen(expected) - 1);
  dae__parser_unexpected(p, expected);
  return false;
}

bool dae__parser_expect_close(dae__parser *p, dae__token_kind close, int line)
{
  char where[64] = "or an operator";
  if (line != p->at.line)
    snprintf(where, sizeof where, "for the bracket opened in line %d", line);
  return dae__parser_expect(p, close, where);
}

const char *dae__parser_name(dae__parser *p, const char *what)
{
  const char *name = dae__parser_text(p);
  if (dae__parser_at(p, DAE__TOKEN_NAME))
    dae__parser_advance(p);
  else
    dae__parser_unexpected(p, what);
  return name;
}

const char *dae__parser_new_name(dae__parser *p, const char *what)
{
  int place = p->at.place;
  const char *name = dae__parser_name(p, what);
  if (dae__word_of(name) >= 0)
    dae__load_fail(p->l, place,
                   "%s is a keyword and cannot be declared; choose another name, such as %s_1",
                   name, name);
  return name;
}

bool dae__parser_nest(dae__parser *p)
{
  if (++p->depth > p->l->limits.max_depth)
    dae__load_fail(p->l, p->at.place, "nested more than %d deep; name subexpressions with let",
                   p->l->limits.max_depth);
  return !p->l->status;
}

/* ---- nodes of the syntax tree ---- */

static dae__expr *parse_new_expr(dae__parser *p, dae__expr_kind kind, int place)
{
  dae__expr *e = DAE__NEW(p->l->scratch, dae__expr);
  if (!e) {
    dae__load_ok(p->l);
    return NULL;
  }
  e->kind = kind;
  e->place = place;
  return e;
}

static dae__expr *parse_operation(dae__parser *p, dae__token op, dae__expr *a, dae__expr *b)
{
  dae__expr *e = a ? parse_new_expr(p, b ? DAE__EXPR_BINARY : DAE__EXPR_UNARY, op.place) : NULL;
  if (!e || p->l->status)
    return NULL;
  e->op = op.kind;
  e->argument = a;
  a->next = b;
  a->up = e;
  e->count = b ? 2 : 1;
  return e;
}

dae__expr *dae__parser_list(dae__parser *p, dae__token_kind close, int *count)
{
  dae__expr *first = NULL, **last = &first;
  int line = p->at.line;
  *count = 0;
  if (dae__parser_accept(p, close))
    return NULL;
  do {
    dae__expr *e = dae__parser_expression(p);
    if (!e)
      return NULL;
    *last = e;
    last = &e->next;
    ++*count;
  } while (dae__parser_accept(p, DAE__TOKEN_COMMA));
  if (!p->l->status)
    dae__parser_expect_close(p, close, line);
  return first;
}

/* ---- names, calls, sums ---- */

/* Parses sum(i in A..B, E) after the word sum. */
static dae__expr *parse_sum(dae__parser *p, int place)
{
  dae__expr *e = parse_new_expr(p, DAE__EXPR_SUM, place);
  dae__parser_expect(p, DAE__TOKEN_OPEN, "after sum: sum(i in 1..N, E)");
  const char *index = dae__parser_new_name(p, "the index of the sum: sum(i in 1..N, E)");
  if (!p->l->status && !dae__parser_accept_word(p, "in"))
    dae__parser_unexpected(p, "in: sum(i in 1..N, E)");
  dae__expr *from = p->l->status ? NULL : dae__parser_expression(p);
  dae__parser_expect(p, DAE__TOKEN_RANGE, "between the ends of the range");
  dae__expr *to = p->l->status ? NULL : dae__parser_expression(p);
  dae__parser_expect(p, DAE__TOKEN_COMMA, "after the range of the sum");
  dae__expr *body = p->l->status ? NULL : dae__parser_expression(p);
  dae__parser_expect(p, DAE__TOKEN_CLOSE, "at the end of the sum");
  if (p->l->status || !e)
    return NULL;
  e->name = index;
  e->argument = from;
  from->next = to;
  to->next = body;
  e->count = 3;
  return e;
}

/* Parses one component of a dotted name: x, x[i] or f(a). */
static dae__expr *parse_component(dae__parser *p)
{
  dae__expr *e = parse_new_expr(p, DAE__EXPR_NAME, p->at.place);
  const char *name = dae__parser_name(p, "a name");
  if (p->l->status || !e)
    return NULL;
  e->name = name;
  bool points = p->points; /* in a list of points P (a, b) is two of them */
  if (dae__parser_at(p, DAE__TOKEN_OPEN) && !(points && p->at.spaced)) {
    dae__parser_advance(p);
    p->points = false;
    e->kind = DAE__EXPR_CALL;
    e->call = true;
    e->argument = dae__parser_list(p, DAE__TOKEN_CLOSE, &e->count);
    p->points = points;
  } else if (dae__parser_accept(p, DAE__TOKEN_OPEN_INDEX)) {
    e->argument = dae__parser_list(p, DAE__TOKEN_CLOSE_INDEX, &e->count);
    if (e->count == 0)
      dae__load_fail(p->l, e->place, "the index of %s is missing", name);
  }
  return e;
}

/* Parses a dotted name A.B[i].x; it is a call if one of its components is. */
static dae__expr *parse_name(dae__parser *p)
{
  int place = p->at.place;
  if (dae__parser_at_word(p, "sum") && p->ahead.kind == DAE__TOKEN_OPEN) {
    dae__parser_advance(p);
    return parse_sum(p, place);
  }
  dae__expr *first = parse_component(p), *e = first;
  while (e && dae__parser_accept(p, DAE__TOKEN_DOT)) {
    e = e->member = p->l->status ? NULL : parse_component(p);
    if (e && e->call)
      first->kind = DAE__EXPR_CALL;
  }
  return first;
}

/* Parses a list of expressions and its closing bracket, as one expression. */
static dae__expr *parse_bracketed(dae__parser *p, dae__expr_kind kind, int place, dae__expr *first)
{
  dae__expr *e = parse_new_expr(p, kind, place), *last = first;
  dae__token_kind close = kind == DAE__EXPR_LIST ? DAE__TOKEN_CLOSE_INDEX : DAE__TOKEN_CLOSE;
  int line = p->at.line;
  if (!e || !first)
    return NULL;
  e->argument = first;
  e->count = 1;
  while (dae__parser_accept(p, DAE__TOKEN_COMMA)) {
    if (!(last->next = dae__parser_expression(p)))
      return NULL;
    last = last->next;
    e->count++;
  }
  if (!p->l->status)
    dae__parser_expect_close(p, close, line);
  return e;
}

/* Parses (E), a vector (E, E), or a list [E, ...]. */
static dae__expr *parse_brackets(dae__parser *p, int place, int line)
{
  bool points = p->points;
  p->points = false;
  bool list = p->at.kind == DAE__TOKEN_OPEN_INDEX;
  dae__parser_advance(p);
  dae__expr *e = dae__parser_expression(p);
  if (e && list)
    e = parse_bracketed(p, DAE__EXPR_LIST, place, e);
  else if (e && dae__parser_at(p, DAE__TOKEN_COMMA))
    e = parse_bracketed(p, DAE__EXPR_VECTOR, place, e);
  else if (!p->l->status)
    dae__parser_expect_close(p, DAE__TOKEN_CLOSE, line);
  p->points = points;
  if (dae__parser_at(p, DAE__TOKEN_RATE))
    dae__load_fail(p->l, p->at.place, "' gives the rate of a name; write let r = ... and then r'");
  return e;
}

/* Parses the prime of a rate, and the components that follow it or a bracket: r'.x, (a - b).x. */
static dae__expr *parse_postfix(dae__parser *p, dae__expr *e)
{
  int place = p->at.place;
  while (e && !p->l->status &&
         (dae__parser_at(p, DAE__TOKEN_RATE) || dae__parser_at(p, DAE__TOKEN_DOT))) {
    if (dae__parser_accept(p, DAE__TOKEN_RATE)) {
      if (e->kind != DAE__EXPR_NAME && e->kind != DAE__EXPR_CALL)
        dae__load_fail(p->l, place, "' gives the rate of a name; write let r = ... and then r'");
      e->rate = true;
      if (dae__parser_at(p, DAE__TOKEN_RATE))
        dae__load_fail(p->l, p->at.place,
                       "second derivatives are not supported: use coord and kinetic energy, or a "
                       "second state");
      continue;
    }
    dae__parser_advance(p);
    dae__expr *component = parse_new_expr(p, DAE__EXPR_COMPONENT, p->at.place);
    const char *name = dae__parser_name(p, "the component x, y or z of a vector");
    if (!component || p->l->status)
      return NULL;
    component->name = name;
    component->argument = e;
    component->count = 1;
    e = component;
  }
  return p->l->status ? NULL : e;
}

static dae__expr *parse_primary(dae__parser *p)
{
  dae__expr *e = NULL;
  int place = p->at.place, line = p->at.line;
  if (dae__parser_at(p, DAE__TOKEN_NUMBER)) {
    e = parse_new_expr(p, DAE__EXPR_NUMBER, place);
    if (e)
      e->value = p->at.value;
    dae__parser_advance(p);
  } else if (dae__parser_at(p, DAE__TOKEN_NAME)) {
    e = parse_name(p);
  } else if (dae__parser_at(p, DAE__TOKEN_OPEN) || dae__parser_at(p, DAE__TOKEN_OPEN_INDEX)) {
    e = parse_brackets(p, place, line);
  } else if (dae__parser_at(p, DAE__TOKEN_TIMES)) {
    dae__load_fail(p->l, place, "expected an expression, found *; a power is written with ^");
  } else {
    dae__parser_unexpected(p, "an expression");
  }
  return p->l->status ? NULL : parse_postfix(p, e);
}

/* ---- operators ---- */

/* Parses unary operators and powers; a^b^c is a^(b^c), and an exponent may start with -. */
static dae__expr *parse_unary(dae__parser *p)
{
  dae__token op = p->at;
  dae__expr *a = NULL, *b = NULL;
  if (dae__parser_accept(p, DAE__TOKEN_PLUS)) {
    dae__load_fail(p->l, op.place, "unary + does not exist; leave it out");
    return NULL;
  }
  if (!dae__parser_accept(p, DAE__TOKEN_MINUS) && !dae__parser_accept(p, DAE__TOKEN_NOT)) {
    a = parse_primary(p);
    op = p->at;
    if (!a || !dae__parser_accept(p, DAE__TOKEN_POWER))
      return a;
  }
  dae__expr **operand = a ? &b : &a;
  *operand = dae__parser_nest(p) ? parse_unary(p) : NULL;
  p->depth--;
  return *operand ? parse_operation(p, op, a, b) : NULL;
}

/* binding strength of binary operators; 0: not a binary operator */
static const signed char strength[DAE__TOKEN_COUNT] = {
    [DAE__TOKEN_TIMES] = 6, [DAE__TOKEN_DIVIDE] = 6,     [DAE__TOKEN_PLUS] = 5,
    [DAE__TOKEN_MINUS] = 5, [DAE__TOKEN_LESS] = 4,       [DAE__TOKEN_LESS_EQUAL] = 4,
    [DAE__TOKEN_MORE] = 4,  [DAE__TOKEN_MORE_EQUAL] = 4, [DAE__TOKEN_EQUAL] = 3,
    [DAE__TOKEN_AND] = 2,   [DAE__TOKEN_NOT_EQUAL] = 3,  [DAE__TOKEN_OR] = 1,
};

/* Parses binary operators of at least a given binding strength, left associative. */
static dae__expr *parse_binary(dae__parser *p, int least)
{
  dae__expr *a = parse_unary(p);
  while (a && !p->l->status && strength[p->at.kind] >= least) {
    dae__token op = p->at;
    dae__parser_advance(p);
    dae__expr *b = parse_binary(p, strength[op.kind] + 1);
    a = b ? parse_operation(p, op, a, b) : NULL;
  }
  return a;
}

dae__expr *dae__parser_expression(dae__parser *p)
{
  dae__expr *e = dae__parser_nest(p) ? parse_binary(p, 1) : NULL;
  p->depth--;
  return p->l->status ? NULL : e;
}

const dae__expr *dae__parse_expression(dae__load *l, dae__names *names, int file)
{
  dae__parser p = dae__parser_create(l, names, file);
  const dae__expr *e = dae__parser_expression(&p);
  dae__parser_accept(&p, DAE__TOKEN_NEWLINE);
  if (!l->status && !dae__parser_at(&p, DAE__TOKEN_END))
    dae__parser_unexpected(&p, "the end of the value");
  return l->status ? NULL : e;
}
