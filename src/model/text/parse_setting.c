/* Settings: a name and a value, of simulate and of systems. */
#include "model/text/parse.h"
#include <stdio.h>
#include <string.h>

#define MOST 100 /* settings of a line: they are searched one by one */

/* letters, digits and - without space between them: gauss-seidel, lie-iteration */
static const char *parse_take_word(dae__parser *p, const char *what)
{
  const char *start = p->lexer.file->text + (p->at.place - p->lexer.file->first);
  int length = p->at.length;
  if (!dae__at(p, DAE__TOKEN_NAME)) {
    dae__unexpected(p, what);
    return "";
  }
  dae__advance(p);
  while (dae__at(p, DAE__TOKEN_MINUS) && !p->at.spaced && !p->ahead.spaced &&
         (p->ahead.kind == DAE__TOKEN_NAME || p->ahead.kind == DAE__TOKEN_NUMBER)) {
    length += 1 + p->ahead.length;
    dae__advance(p);
    dae__advance(p);
  }
  return dae__name(p->l, p->names, start, length);
}

bool dae__ends_statement(const dae__parser *p)
{
  switch (p->at.kind) {
  case DAE__TOKEN_NEWLINE:
  case DAE__TOKEN_SEMICOLON:
  case DAE__TOKEN_CLOSE_BLOCK:
  case DAE__TOKEN_END:
    return true;
  default:
    return false;
  }
}

/* NAME value */
static dae__setting *parse_take_setting(dae__parser *p)
{
  char expected[96];
  dae__setting *s = DAE__NEW(p->l->scratch, dae__setting);
  if (!dae__load_ok(p->l))
    return NULL;
  s->place = p->at.place;
  s->name = parse_take_word(p, "a setting, such as to 10 or rtol 1e-6");
  if (!p->l->status && !strcmp(s->name, "output")) {
    if (!dae__accept_word(p, "every"))
      dae__unexpected(p, "every: output every 0.05");
    s->name = dae__name(p->l, p->names, "every", 5);
  }
  if (p->l->status)
    return NULL;
  if (dae__ends_statement(p)) {
    snprintf(expected, sizeof expected, "a value after %.40s", s->name);
    dae__unexpected(p, expected);
  } else if (!strcmp(s->name, "method")) {
    s->word = parse_take_word(p, "the name of a method");
  } else {
    s->value = dae__take_expression(p);
  }
  return p->l->status ? NULL : s;
}

void dae__take_settings(dae__parser *p, dae__statement *s)
{
  dae__setting **last = &s->setting;
  int count = 0;
  while (!p->l->status && !dae__ends_statement(p)) {
    dae__setting *setting = parse_take_setting(p);
    if (!setting)
      return;
    if (++count > MOST)
      dae__complain(p->l, setting->place, "more than %d settings", MOST);
    *last = setting;
    last = &setting->next;
    dae__accept(p, DAE__TOKEN_COMMA);
  }
  if (!p->l->status && !s->setting)
    dae__complain(p->l, s->place, "simulate needs an end time: simulate to 10");
}
