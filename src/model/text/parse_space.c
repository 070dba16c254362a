/* Parsing of the statements on bodies: body, gravity, mass, joints, springs, torque, dissipation,
 * parts. Their words are not reserved: they begin a statement only where a name, a number or a
 * string follows, or a bracket or sign in a statement without = outside of brackets. */
#include "model/text/parse.h"
#include <daedal/options.h>
#include <stdio.h>
#include <string.h>

/* ---- the first word ---- */

static const struct {
  char word[12];
  dae__statement_kind kind;
} space_words[] = {{"body", DAE__STATEMENT_BODY},
                   {"gravity", DAE__STATEMENT_GRAVITY},
                   {"mass", DAE__STATEMENT_MASS},
                   {"torque", DAE__STATEMENT_TORQUE},
                   {"dissipation", DAE__STATEMENT_DISSIPATION},
                   {"part", DAE__STATEMENT_PART},
#define CONNECTOR(name, text) {text, DAE__STATEMENT_CONNECTOR},
                   DAE__CONNECTOR_LIST(CONNECTOR)
#undef CONNECTOR
};
enum { SPACE_WORDS = sizeof space_words / sizeof *space_words, FIRST_CONNECTOR = 6 };

/* Tests that the statement with a token has an = outside of brackets after it. */
static bool space_has_equals(const dae__token *token)
{
  char last = 0;
  int depth = 0;
  for (const char *c = token->text; *c; c++) {
    if (*c == '#')
      c += strcspn(c, "\n") - 1;
    else if (*c == '"')
      c += 1 + strcspn(c + 1, "\"\n");
    else if (strchr("([", *c))
      depth++;
    else if (strchr(")]", *c))
      depth--;
    else if (depth <= 0 && (strchr(";{}", *c) || (*c == '\n' && !strchr(",=:+-*/^<>&|", last))))
      return false;
    else if (depth <= 0 && *c == '=' && c[1] != '=' && !strchr("=<>!", last))
      return true;
    if (!*c)
      return false;
    if (!strchr(" \t\r\n", *c))
      last = *c;
  }
  return false;
}

int dae__parser_space_statement(const dae__parser *p)
{
  dae__token_kind after = p->ahead.kind;
  bool begins =
      after == DAE__TOKEN_NAME || after == DAE__TOKEN_NUMBER || after == DAE__TOKEN_STRING;
  bool open = after == DAE__TOKEN_OPEN || after == DAE__TOKEN_MINUS;
  bool unnamed = after == DAE__TOKEN_COLON; /* revolute: A, B */
  if (!dae__parser_at(p, DAE__TOKEN_NAME) || !(begins || open || unnamed))
    return -1;
  for (int i = 0; i < SPACE_WORDS; i++)
    if (dae__parser_at_word(p, space_words[i].word))
      return begins || unnamed || !space_has_equals(&p->ahead) ? (int)space_words[i].kind : -1;
  return -1;
}

static const char *space_word_text(const void *list, int i)
{
  (void)list;
  return space_words[i].word;
}

const char *dae__parser_suggest_space(const char *word)
{
  return dae_suggest(word, SPACE_WORDS, space_word_text, NULL);
}

/* ---- clauses ---- */

/* Statements with clauses, as bits of a set. */
enum { BODY = 1, JOINT = 2, ROLLING = 4, BUSHING = 8, ROD = 16, SPRING = 32, DAMPER = 64 };

static const struct {
  char word[12];
  unsigned in;    /* statements that have the clause */
  bool alone;     /* a word without value */
  char before[8]; /* word before the value: rod from P */
  char sign[8];   /* sign or word before a second value */
  bool both;      /* the second value is needed */
  bool repeated;  /* the clause may stand more than once */
} space_clauses[] = {
    {"plane", BODY, true, "", "", false, false},
    {"fixed", BODY, true, "", "", false, false},
    {"box", BODY, false, "", "", false, false},
    {"cylinder", BODY, false, "", "length", true, false},
    {"sphere", BODY, false, "", "", false, false},
    {"disk", BODY, false, "", "", false, false},
    {"rod", BODY, false, "from", "to", true, false},
    {"mass", BODY, false, "", "", false, false},
    {"density", BODY, false, "", "", false, false},
    {"inertia", BODY, false, "", "", false, false},
    {"centre", BODY, false, "", "", false, false},
    {"at", BODY | ROLLING, false, "", "", false, false},
    {"turned", BODY, false, "", "about", true, true},
    {"x", BODY, false, "along", "", false, false},
    {"y", BODY, false, "along", "", false, false},
    {"z", BODY, false, "along", "", false, false},
    {"velocity", BODY, false, "", "", false, false},
    {"omega", BODY, false, "", "", false, false},
    {"angle", BODY | JOINT, false, "", "", false, false},
    {"at", JOINT | BUSHING, false, "", "=", false, false},
    {"axis", JOINT, false, "", "=", false, false},
    {"axes", JOINT, false, "", ",", true, false},
    {"driven", JOINT, false, "", "", false, false},
    {"relative", JOINT, true, "", "", false, false},
    {"radius", ROLLING, false, "", "", false, false},
    {"axis", ROLLING, false, "", "", false, false},
    {"ellipsoid", ROLLING, false, "", "", false, false},
    {"normal", ROLLING, false, "", "", false, false},
    {"length", ROD, false, "", "", false, false},
    {"stiffness", SPRING | BUSHING, false, "", "", false, false},
    {"damping", SPRING | DAMPER | BUSHING, false, "", "", false, true},
    {"free", SPRING, false, "", "", false, false},
    {"turning", BUSHING, false, "", "", false, false},
};
enum { CLAUSES = sizeof space_clauses / sizeof *space_clauses };

static const char *space_clause_text(const void *list, int i)
{
  return ((const char *const *)list)[i];
}

/* Reports an unknown clause, with the nearest known one, or all of them. */
static void space_fail_clause(dae__parser *p, unsigned in, const char *what)
{
  const char *known[CLAUSES], *found = dae__parser_text(p);
  char list[240] = "", expected[300];
  int count = 0;
  for (int i = 0; i < CLAUSES; i++)
    if (space_clauses[i].in & in)
      known[count++] = space_clauses[i].word;
  const char *near =
      p->at.kind == DAE__TOKEN_NAME ? dae_suggest(found, count, space_clause_text, known) : NULL;
  for (int i = 0; i < count && !near; i++) {
    strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
    strncat(list, known[i], sizeof list - strlen(list) - 1);
  }
  snprintf(expected, sizeof expected,
           near ? "a clause of %s; did you mean %s?" : "a clause of %s (%s)", what,
           near ? near : list);
  dae__parser_unexpected(p, expected);
}

/* Parses the sign or word before the second value of a clause. */
static bool space_accept(dae__parser *p, const char *sign)
{
  return sign[0] == '='   ? dae__parser_accept(p, DAE__TOKEN_ASSIGN)
         : sign[0] == ',' ? dae__parser_accept(p, DAE__TOKEN_COMMA)
         : sign[0]        ? dae__parser_accept_word(p, sign)
                          : false;
}

static int space_find_clause(const dae__parser *p, unsigned in)
{
  for (int i = 0; i < CLAUSES; i++)
    if (space_clauses[i].in & in && dae__parser_at_word(p, space_clauses[i].word))
      return i;
  return -1;
}

static void space_parse_clauses(dae__parser *p, dae__statement *s, unsigned in, const char *what)
{
  dae__clause **last = &s->clause;
  while (!p->l->status && !dae__token_ends_statement(p->at.kind)) {
    int k = space_find_clause(p, in);
    dae__clause *c = DAE__NEW(p->l->scratch, dae__clause);
    if (k < 0)
      space_fail_clause(p, in, what);
    if (!dae__load_ok(p->l))
      return;
    c->word = dae__parser_text(p);
    c->place = p->at.place;
    dae__parser_advance(p);
    for (const dae__clause *other = s->clause; other; other = other->next)
      if (other->word == c->word && !space_clauses[k].repeated)
        dae__load_fail(p->l, c->place, "%s is given twice", c->word);
    if (space_clauses[k].before[0] && !dae__parser_accept_word(p, space_clauses[k].before)) {
      char expected[64];
      snprintf(expected, sizeof expected, "%s after %s", space_clauses[k].before, c->word);
      dae__parser_unexpected(p, expected);
    }
    if (!space_clauses[k].alone && !p->l->status)
      c->a = dae__parser_expression(p);
    if (!p->l->status && space_accept(p, space_clauses[k].sign)) {
      c->b = dae__parser_expression(p);
    } else if (!p->l->status && space_clauses[k].both) {
      char expected[64];
      snprintf(expected, sizeof expected, "%s after the first value of %s", space_clauses[k].sign,
               c->word);
      dae__parser_unexpected(p, expected);
    }
    *last = c;
    last = &c->next;
  }
}

/* ---- bodies, connectors ---- */

static void space_parse_body(dae__parser *p, dae__statement *s)
{
  s->declared = dae__parser_new_declaration(p, "the name of a body");
  if (s->declared && !strcmp(s->declared->name, "ground"))
    dae__load_fail(p->l, s->declared->place,
                   "ground is the body that does not move; choose another name");
  if (s->declared && dae__parser_accept(p, DAE__TOKEN_OPEN_INDEX))
    dae__parser_ranges(p, s->declared, DAE__RANK);
  if (!p->l->status && dae__parser_at(p, DAE__TOKEN_COLON))
    dae__load_fail(p->l, p->at.place, "a body has no colon: body %s box (a, b, c) mass m",
                   s->declared->name);
  space_parse_clauses(p, s, BODY, "a body");
}

/* Parses P to Q, or A, B after the label of a connector. */
static void space_parse_connector(dae__parser *p, dae__statement *s)
{
  static const unsigned in[DAE__CONNECTORS] = {
      [DAE__CONNECTOR_ROLLING] = ROLLING, [DAE__CONNECTOR_BUSHING] = BUSHING,
      [DAE__CONNECTOR_ROD] = ROD,         [DAE__CONNECTOR_SPRING] = SPRING,
      [DAE__CONNECTOR_DAMPER] = DAMPER,
  };
  char what[40];
  while (strcmp(space_words[FIRST_CONNECTOR + (int)s->connector].word, s->word) != 0)
    s->connector = (dae__connector_kind)(s->connector + 1);
  snprintf(what, sizeof what, "%s", s->word);
  if (!dae__parser_accept(p, DAE__TOKEN_COLON))
    dae__parser_label(p, s);
  if (!p->l->status && !s->a)
    s->a = dae__parser_expression(p);
  bool points = s->connector >= DAE__CONNECTOR_ROD;
  if (points && dae__parser_accept_word(p, "to")) {
    s->b = dae__parser_expression(p);
  } else if (s->connector == DAE__CONNECTOR_ROD) {
    dae__parser_unexpected(p, "to between the ends of a rod: rod R: P to Q");
  } else if (!points && !p->l->status) {
    dae__parser_expect(p, DAE__TOKEN_COMMA, "between the two bodies of a joint: A, B");
    s->b = p->l->status ? NULL : dae__parser_expression(p);
  }
  space_parse_clauses(p, s, in[s->connector] ? in[s->connector] : JOINT, what);
}

static void space_parse_torque(dae__parser *p, dae__statement *s)
{
  s->a = dae__parser_expression(p);
  if (!p->l->status && !dae__parser_accept_word(p, "on"))
    dae__parser_unexpected(p, "on before the body: torque T on B from A");
  dae__clause *on = DAE__NEW(p->l->scratch, dae__clause);
  if (!dae__load_ok(p->l))
    return;
  on->a = dae__parser_expression(p);
  if (dae__parser_accept_word(p, "from"))
    on->b = dae__parser_expression(p);
  s->clause = on;
}

/* ---- parts ---- */

/* Parses the parameters and statements of part NAME(a, b = 1) { ... }. */
static void space_parse_template(dae__parser *p, dae__statement *s)
{
  dae__declaration *d = s->declared;
  DAE__LIST(const char *) names = {0};
  DAE__LIST(const dae__expr *) values = {0};
  while (!p->l->status && !dae__parser_at(p, DAE__TOKEN_CLOSE)) {
    int place = p->at.place;
    const char *name = dae__parser_new_name(p, "the name of an argument");
    const dae__expr *value = NULL;
    for (int i = 0; i < names.count; i++)
      if (names.item[i] == name)
        dae__load_fail(p->l, place, "duplicate argument %s of %s", name, d->name);
    if (names.count == 100)
      dae__load_fail(p->l, place, "a part has at most 100 arguments");
    if (dae__parser_accept(p, DAE__TOKEN_ASSIGN))
      value = dae__parser_expression(p);
    *DAE__PUSH(p->l->scratch, &names) = name;
    *DAE__PUSH(p->l->scratch, &values) = value;
    if (!dae__parser_accept(p, DAE__TOKEN_COMMA))
      break;
  }
  dae__parser_expect(p, DAE__TOKEN_CLOSE, "after the arguments of a part");
  d->parameter = names.item;
  d->standard = values.item;
  d->parameters = names.count;
  if (!p->l->status)
    s->body = dae__parser_block(p, "after the arguments of a part");
}

/* Parses the arguments of part NAME = TEMPLATE(a, b = 2). */
static void space_parse_arguments(dae__parser *p, dae__statement *s)
{
  dae__clause **last = &s->clause;
  s->range.place = p->at.place;
  s->text = dae__parser_name(p, "the name of a part: part FL = corner(a, b)");
  dae__parser_expect(p, DAE__TOKEN_OPEN, "before the arguments of a part: part FL = corner(a, b)");
  while (!p->l->status && !dae__parser_at(p, DAE__TOKEN_CLOSE)) {
    dae__clause *c = DAE__NEW(p->l->scratch, dae__clause);
    if (!dae__load_ok(p->l))
      return;
    c->place = p->at.place;
    if (dae__parser_at(p, DAE__TOKEN_NAME) && p->ahead.kind == DAE__TOKEN_ASSIGN) {
      c->word = dae__parser_text(p);
      dae__parser_advance(p);
      dae__parser_advance(p);
    }
    c->a = dae__parser_expression(p);
    *last = c;
    last = &c->next;
    if (!dae__parser_accept(p, DAE__TOKEN_COMMA))
      break;
  }
  dae__parser_expect(p, DAE__TOKEN_CLOSE, "after the arguments of a part");
}

static void space_parse_part(dae__parser *p, dae__statement *s)
{
  s->declared = dae__parser_new_declaration(p, "the name of a part");
  if (!s->declared)
    return;
  if (dae__parser_accept(p, DAE__TOKEN_OPEN)) {
    s->kind = DAE__STATEMENT_TEMPLATE;
    space_parse_template(p, s);
    return;
  }
  if (dae__parser_accept(p, DAE__TOKEN_OPEN_INDEX))
    dae__parser_ranges(p, s->declared, 1);
  if (dae__parser_at(p, DAE__TOKEN_OPEN_BLOCK))
    dae__load_fail(p->l, p->at.place, "a part has arguments, if none then ( ): part %s() { ... }",
                   s->declared->name);
  if (dae__parser_expect(p, DAE__TOKEN_ASSIGN,
                         "or ( after the name: part FL = corner(..), part corner(..) { ... }"))
    space_parse_arguments(p, s);
}

/* ---- selection ---- */

void dae__parser_space(dae__parser *p, dae__statement *s)
{
  switch (s->kind) {
  case DAE__STATEMENT_BODY:
    space_parse_body(p, s);
    break;
  case DAE__STATEMENT_CONNECTOR:
    space_parse_connector(p, s);
    break;
  case DAE__STATEMENT_TORQUE:
    space_parse_torque(p, s);
    break;
  case DAE__STATEMENT_PART:
    space_parse_part(p, s);
    break;
  case DAE__STATEMENT_MASS:
    s->a = dae__parser_expression(p);
    if (!p->l->status && !dae__parser_accept_word(p, "at"))
      dae__parser_unexpected(p, "at before the place of a point mass: mass 2 at r");
    s->b = p->l->status ? NULL : dae__parser_expression(p);
    break;
  default: /* gravity, dissipation */
    s->a = dae__parser_expression(p);
  }
}

bool dae__parser_virtual_force(dae__parser *p, dae__statement *s)
{
  bool along = dae__parser_at_word(p, "along");
  if (!along && !dae__parser_at_word(p, "at"))
    return false;
  dae__parser_advance(p);
  s->kind = along ? DAE__STATEMENT_ALONG : DAE__STATEMENT_AT;
  s->b = dae__parser_expression(p);
  return true;
}
