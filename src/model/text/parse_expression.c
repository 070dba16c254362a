/* Expressions, by precedence climbing.
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

void dae__advance(dae__parser *p)
{
  p->at = p->ahead;
  dae__lexer_next(&p->lexer, &p->ahead);
}

static const char *parse_text_at(const dae__parser *p, const dae__token *token)
{
  return p->lexer.file->text + (token->place - p->lexer.file->first);
}

bool dae__at_word(const dae__parser *p, const char *word)
{
  const char *text = parse_text_at(p, &p->at);
  return p->at.kind == DAE__TOKEN_NAME && text[0] == word[0] &&
         !strncmp(text, word, (size_t)p->at.length) && word[p->at.length] == 0 && !p->l->status;
}

bool dae__accept_word(dae__parser *p, const char *word)
{
  if (!dae__at_word(p, word))
    return false;
  dae__advance(p);
  return true;
}

const char *dae__token_at(const dae__parser *p)
{
  const char *text = parse_text_at(p, &p->at) + (p->at.kind == DAE__TOKEN_STRING);
  return dae__name(p->l, p->names, text, p->at.length);
}

void dae__unexpected(dae__parser *p, const char *expected)
{
  if (p->at.kind == DAE__TOKEN_NAME || p->at.kind == DAE__TOKEN_NUMBER)
    dae__complain(p->l, p->at.place, "expected %s, found %.*s", expected,
                  p->at.length < 40 ? p->at.length : 40, parse_text_at(p, &p->at));
  else
    dae__complain(p->l, p->at.place, "expected %s, found %s", expected,
                  dae__token_text(p->at.kind));
}

bool dae__expect(dae__parser *p, dae__token_kind kind, const char *where)
{
  if (dae__accept(p, kind))
    return true;
  char expected[96];
  strcpy(expected, dae__token_text(kind));
  strcat(expected, " ");
  strncat(expected, where, sizeof expected - strlen(expected) - 1);
  dae__unexpected(p, expected);
  return false;
}

bool dae__expect_close(dae__parser *p, dae__token_kind close, int line)
{
  char where[64] = "or an operator";
  if (line != p->at.line)
    snprintf(where, sizeof where, "for the bracket opened in line %d", line);
  return dae__expect(p, close, where);
}

const char *dae__take_name(dae__parser *p, const char *what)
{
  const char *name = dae__token_at(p);
  if (dae__at(p, DAE__TOKEN_NAME))
    dae__advance(p);
  else
    dae__unexpected(p, what);
  return name;
}

const char *dae__take_new_name(dae__parser *p, const char *what)
{
  int place = p->at.place;
  const char *name = dae__take_name(p, what);
  if (dae__is_reserved(name))
    dae__complain(p->l, place,
                  "%s is a keyword and cannot be declared; choose another name, such as %s_1", name,
                  name);
  return name;
}

bool dae__deeper(dae__parser *p)
{
  if (++p->depth > p->l->limits.max_depth)
    dae__complain(p->l, p->at.place, "nested more than %d deep; name subexpressions with let",
                  p->l->limits.max_depth);
  return !p->l->status;
}

/* ---- nodes ---- */

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

dae__expr *dae__take_list(dae__parser *p, dae__token_kind close, int *count)
{
  dae__expr *first = NULL, **last = &first;
  int line = p->at.line;
  *count = 0;
  if (dae__accept(p, close))
    return NULL;
  do {
    dae__expr *e = dae__take_expression(p);
    if (!e)
      return NULL;
    *last = e;
    last = &e->next;
    ++*count;
  } while (dae__accept(p, DAE__TOKEN_COMMA));
  if (!p->l->status)
    dae__expect_close(p, close, line);
  return first;
}

/* ---- names, calls, sums ---- */

/* sum(i in A..B, E); sum is taken */
static dae__expr *parse_take_sum(dae__parser *p, int place)
{
  dae__expr *e = parse_new_expr(p, DAE__EXPR_SUM, place);
  dae__expect(p, DAE__TOKEN_OPEN, "after sum: sum(i in 1..N, E)");
  const char *index = dae__take_new_name(p, "the index of the sum: sum(i in 1..N, E)");
  if (!p->l->status && !dae__accept_word(p, "in"))
    dae__unexpected(p, "in: sum(i in 1..N, E)");
  dae__expr *from = p->l->status ? NULL : dae__take_expression(p);
  dae__expect(p, DAE__TOKEN_RANGE, "between the ends of the range");
  dae__expr *to = p->l->status ? NULL : dae__take_expression(p);
  dae__expect(p, DAE__TOKEN_COMMA, "after the range of the sum");
  dae__expr *body = p->l->status ? NULL : dae__take_expression(p);
  dae__expect(p, DAE__TOKEN_CLOSE, "at the end of the sum");
  if (p->l->status || !e)
    return NULL;
  e->name = index;
  e->argument = from;
  from->next = to;
  to->next = body;
  e->count = 3;
  return e;
}

/* x, x[i], f(a): one component of a dotted name */
static dae__expr *parse_take_part(dae__parser *p)
{
  dae__expr *e = parse_new_expr(p, DAE__EXPR_NAME, p->at.place);
  const char *name = dae__take_name(p, "a name");
  if (p->l->status || !e)
    return NULL;
  e->name = name;
  if (dae__accept(p, DAE__TOKEN_OPEN)) {
    e->kind = DAE__EXPR_CALL;
    e->argument = dae__take_list(p, DAE__TOKEN_CLOSE, &e->count);
  } else if (dae__accept(p, DAE__TOKEN_OPEN_INDEX)) {
    e->argument = dae__take_list(p, DAE__TOKEN_CLOSE_INDEX, &e->count);
    if (e->count == 0)
      dae__complain(p->l, e->place, "the index of %s is missing", name);
  }
  return e;
}

static dae__expr *parse_take_named(dae__parser *p)
{
  int place = p->at.place;
  if (dae__at_word(p, "sum") && p->ahead.kind == DAE__TOKEN_OPEN) {
    dae__advance(p);
    return parse_take_sum(p, place);
  }
  dae__expr *e = parse_take_part(p);
  if (e && dae__accept(p, DAE__TOKEN_DOT)) {
    e->member = p->l->status ? NULL : parse_take_part(p);
    if (e->kind == DAE__EXPR_CALL)
      dae__complain(p->l, place, "expected the name of a system before the dot, found a call");
    else if (e->member)
      e->kind = e->member->kind;
    if (dae__at(p, DAE__TOKEN_DOT))
      dae__complain(p->l, p->at.place, "systems do not nest: one dot is enough, A.x");
  }
  return e;
}

static dae__expr *parse_take_primary(dae__parser *p)
{
  dae__expr *e = NULL;
  int place = p->at.place, line = p->at.line;
  if (dae__at(p, DAE__TOKEN_NUMBER)) {
    e = parse_new_expr(p, DAE__EXPR_NUMBER, place);
    if (e)
      e->value = p->at.value;
    dae__advance(p);
  } else if (dae__at(p, DAE__TOKEN_NAME)) {
    e = parse_take_named(p);
  } else if (dae__accept(p, DAE__TOKEN_OPEN)) {
    e = dae__take_expression(p);
    if (!p->l->status)
      dae__expect_close(p, DAE__TOKEN_CLOSE, line);
    if (dae__at(p, DAE__TOKEN_RATE))
      dae__complain(p->l, p->at.place, "' gives the rate of a name; write let r = ... and then r'");
  } else if (dae__at(p, DAE__TOKEN_TIMES)) {
    dae__complain(p->l, place, "expected an expression, found *; a power is written with ^");
  } else {
    dae__unexpected(p, "an expression");
  }
  place = p->at.place;
  if (!e || p->l->status || !dae__accept(p, DAE__TOKEN_RATE))
    return p->l->status ? NULL : e;
  if (e->kind != DAE__EXPR_NAME && e->kind != DAE__EXPR_CALL)
    dae__complain(p->l, place, "' gives the rate of a name; write let r = ... and then r'");
  e->rate = true;
  if (dae__at(p, DAE__TOKEN_RATE))
    dae__complain(p->l, p->at.place,
                  "second rates are not written: use coord and kinetic energy, or a second state");
  return p->l->status ? NULL : e;
}

/* ---- operators ---- */

static dae__expr *parse_take_unary(dae__parser *p);

/* a^b^c is a^(b^c); the power may start with - */
static dae__expr *parse_take_power(dae__parser *p)
{
  dae__expr *a = parse_take_primary(p);
  dae__token op = p->at;
  if (!a || !dae__accept(p, DAE__TOKEN_POWER))
    return a;
  dae__expr *b = dae__deeper(p) ? parse_take_unary(p) : NULL;
  p->depth--;
  return b ? parse_operation(p, op, a, b) : NULL;
}

static dae__expr *parse_take_unary(dae__parser *p)
{
  dae__token op = p->at;
  if (dae__accept(p, DAE__TOKEN_PLUS)) {
    dae__complain(p->l, op.place, "unary + does not exist; leave it out");
    return NULL;
  }
  if (!dae__accept(p, DAE__TOKEN_MINUS) && !dae__accept(p, DAE__TOKEN_NOT))
    return parse_take_power(p);
  dae__expr *a = dae__deeper(p) ? parse_take_unary(p) : NULL;
  p->depth--;
  return a ? parse_operation(p, op, a, NULL) : NULL;
}

/* binding strength of binary operators, 0: none */
static const signed char strength[DAE__TOKEN_COUNT] = {
    [DAE__TOKEN_TIMES] = 6, [DAE__TOKEN_DIVIDE] = 6,     [DAE__TOKEN_PLUS] = 5,
    [DAE__TOKEN_MINUS] = 5, [DAE__TOKEN_LESS] = 4,       [DAE__TOKEN_LESS_EQUAL] = 4,
    [DAE__TOKEN_MORE] = 4,  [DAE__TOKEN_MORE_EQUAL] = 4, [DAE__TOKEN_EQUAL] = 3,
    [DAE__TOKEN_AND] = 2,   [DAE__TOKEN_NOT_EQUAL] = 3,  [DAE__TOKEN_OR] = 1,
};

/* Operators of at least this strength, left associative. */
static dae__expr *parse_take_binary(dae__parser *p, int least)
{
  dae__expr *a = parse_take_unary(p);
  while (a && !p->l->status && strength[p->at.kind] >= least) {
    dae__token op = p->at;
    dae__advance(p);
    dae__expr *b = parse_take_binary(p, strength[op.kind] + 1);
    a = b ? parse_operation(p, op, a, b) : NULL;
  }
  return a;
}

dae__expr *dae__take_expression(dae__parser *p)
{
  dae__expr *e = dae__deeper(p) ? parse_take_binary(p, 1) : NULL;
  p->depth--;
  return p->l->status ? NULL : e;
}

const dae__expr *dae__parse_expression(dae__load *l, dae__names *names, int file)
{
  dae__parser p = dae__parser_create(l, names, file);
  const dae__expr *e = dae__take_expression(&p);
  dae__accept(&p, DAE__TOKEN_NEWLINE);
  if (!l->status && !dae__at(&p, DAE__TOKEN_END))
    dae__unexpected(&p, "the end of the value");
  return l->status ? NULL : e;
}
