/* Parsing of statements, selected by their first word. */
#include "model/text/parse.h"
#include <daedal/options.h>
#include <stdio.h>
#include <string.h>

typedef struct list {
  dae__statement *first, **last;
} list;

/* ---- parts that several statements share ---- */

/* Parses both sides of A = B. */
static void parse_sides(dae__parser *p, dae__statement *s, const char *where)
{
  if (!s->a)
    s->a = dae__parser_expression(p);
  if (!p->l->status && !dae__parser_at(p, DAE__TOKEN_ASSIGN) && s->a->op == DAE__TOKEN_EQUAL)
    dae__load_fail(p->l, s->a->place, "== compares two values; an equation is written with one =");
  if (!p->l->status)
    dae__parser_expect(p, DAE__TOKEN_ASSIGN, where);
  if (!p->l->status)
    s->b = dae__parser_expression(p);
}

/* Parses the label of a statement that continues with an expression. */
static void parse_label(dae__parser *p, dae__statement *s)
{
  dae__parser_label(p, s);
  if (s->a && s->a->kind == DAE__EXPR_NAME &&
      (dae__parser_at(p, DAE__TOKEN_NAME) || dae__parser_at(p, DAE__TOKEN_NUMBER)) &&
      !(s->kind == DAE__STATEMENT_CONSTRAINT && dae__parser_at_word(p, "when")))
    dae__load_fail(p->l, p->at.place, "missing colon after the label: %s: ...", s->a->name);
}

/* Parses `when COND:` of constraint NAME when COND: A = B. */
static void parse_when(dae__parser *p, dae__statement *s)
{
  if (p->l->status || s->label || !dae__parser_at_word(p, "when"))
    return;
  if (s->a->kind != DAE__EXPR_NAME || s->a->member || s->a->rate)
    dae__load_fail(p->l, s->a->place,
                   "a constraint that switches needs a name: constraint stop when on == 1: A = B");
  dae__clause *c = DAE__NEW(p->l->scratch, dae__clause);
  if (!dae__load_ok(p->l))
    return;
  *c = (dae__clause){.word = "when", .place = p->at.place};
  dae__parser_advance(p);
  c->a = dae__parser_expression(p);
  s->clause = c;
  s->label = s->a;
  s->a = NULL;
  if (!p->l->status)
    dae__parser_expect(p, DAE__TOKEN_COLON,
                       "after the condition: constraint stop when COND: A = B");
}

/* Parses `acts (x: E1, y: E2)` or `acts along S` of a constraint: a clause for each coordinate, or
 * one without a coordinate. */
static void parse_acts(dae__parser *p, dae__statement *s)
{
  static const char usage[] = "acts (x: E, y: E), or acts along s";
  dae__clause **last = &s->clause;
  int place = p->at.place;
  if (p->l->status || !dae__parser_at_word(p, "acts"))
    return;
  dae__parser_advance(p);
  while (*last)
    last = &(*last)->next;
  bool along = dae__parser_at_word(p, "along");
  if (!along && !dae__parser_at(p, DAE__TOKEN_OPEN)) {
    dae__load_fail(p->l, p->at.place, "the direction of a force is written %s", usage);
    return;
  }
  do {
    dae__clause *c = DAE__NEW(p->l->scratch, dae__clause);
    if (!dae__load_ok(p->l))
      return;
    *c = (dae__clause){.word = "acts", .place = place};
    dae__parser_advance(p);
    c->a = dae__parser_expression(p);
    if (!along && !p->l->status)
      dae__parser_expect(p, DAE__TOKEN_COLON, "after the coordinate: acts (x: E, y: E)");
    if (!along && !p->l->status)
      c->b = dae__parser_expression(p);
    *last = c;
    last = &c->next;
  } while (!along && !p->l->status && dae__parser_at(p, DAE__TOKEN_COMMA));
  if (!along && !p->l->status)
    dae__parser_expect(p, DAE__TOKEN_CLOSE, "after the directions: acts (x: E, y: E)");
}

/* Tests for a label with a range, S[k in 1..3], which is that of a declaration. */
static bool parse_at_label_range(const dae__parser *p)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  if (!dae__parser_at(p, DAE__TOKEN_NAME) || p->ahead.kind != DAE__TOKEN_OPEN_INDEX)
    return false;
  const char *c = p->ahead.text + 1;
  c += strspn(c, " \t");
  size_t name = strspn(c, letters), blank = strspn(c + name, " \t");
  c += name + blank;
  return name > 0 && blank > 0 && !strncmp(c, "in", 2) && strchr(" \t", c[2]) && c[2];
}

void dae__parser_label(dae__parser *p, dae__statement *s)
{
  if (parse_at_label_range(p))
    dae__load_fail(p->l, p->at.place,
                   "a label has no range; write a loop: for k in 1..3 { %s %.20s[k]: ... }",
                   s->word ? s->word : "constraint", dae__parser_text(p));
  dae__expr *e = p->l->status ? NULL : dae__parser_expression(p);
  if (!e || !dae__parser_at(p, DAE__TOKEN_COLON)) {
    s->a = e;
    return;
  }
  if (e->kind != DAE__EXPR_NAME || e->member || e->rate)
    dae__load_fail(p->l, e->place, "a label must be a name, optionally with indices: rod[i]: ...");
  dae__parser_advance(p);
  s->label = e;
}

/* ---- blocks ---- */

static void parse_statements(dae__parser *p, list *all, dae__token_kind close);

dae__statement *dae__parser_block(dae__parser *p, const char *where)
{
  list all = {.first = NULL};
  int place = p->at.place;
  all.last = &all.first;
  if (!dae__parser_expect(p, DAE__TOKEN_OPEN_BLOCK, where))
    return NULL;
  p->blocks++;
  if (dae__parser_nest(p))
    parse_statements(p, &all, DAE__TOKEN_CLOSE_BLOCK);
  p->blocks--;
  p->depth--;
  if (!p->l->status && !dae__parser_accept(p, DAE__TOKEN_CLOSE_BLOCK))
    dae__load_fail(p->l, place, "unterminated block: a } is missing");
  return all.first;
}

/* ---- events ---- */

/* Tests for the word of a clause: every 0.1, at A, B, and by their spaces at -1, every (2*pi); not
 * every rising, at - 1, every(x), where it is a name. */
static bool parse_at_clause(const dae__parser *p, const char *word)
{
  const dae__token *after = &p->ahead;
  if (!dae__parser_at_word(p, word))
    return false;
  if (after->kind == DAE__TOKEN_NAME)
    return !dae__parser_ahead_word(p, "rising") && !dae__parser_ahead_word(p, "falling") &&
           !dae__parser_ahead_word(p, "stop");
  bool unary = after->kind == DAE__TOKEN_MINUS && !strchr(" \t", after->text[1]);
  return after->kind == DAE__TOKEN_NUMBER || after->kind == DAE__TOKEN_NOT ||
         (after->spaced && (unary || after->kind == DAE__TOKEN_OPEN));
}

/* Parses every T [from T0], at A, B, ..., when CONDITION, or the function E of an event. */
static void parse_trigger(dae__parser *p, dae__statement *s)
{
  bool every = parse_at_clause(p, "every"), when = parse_at_clause(p, "when");
  if (!every && !when && !parse_at_clause(p, "at")) {
    s->a = dae__parser_expression(p);
    return;
  }
  s->trigger = every ? DAE__EVENT_EVERY : when ? DAE__EVENT_WHEN : DAE__EVENT_AT;
  s->word = dae__parser_text(p);
  s->by_spaces = p->ahead.kind == DAE__TOKEN_MINUS || p->ahead.kind == DAE__TOKEN_OPEN;
  dae__parser_advance(p);
  dae__expr *first = dae__parser_expression(p), *e = first;
  if (every || when) {
    s->a = first;
    if (every && dae__parser_accept_word(p, "from"))
      s->b = dae__parser_expression(p);
    return;
  }
  s->point = first;
  while (e && dae__parser_accept(p, DAE__TOKEN_COMMA))
    e = e->next = dae__parser_expression(p);
}

static void parse_event(dae__parser *p, dae__statement *s)
{
  parse_label(p, s);
  if (!p->l->status && !s->label) {
    dae__load_fail(p->l, s->place, "an event needs a name: event bounce: E");
    return;
  }
  if (!p->l->status)
    parse_trigger(p, s);
  while (!p->l->status) { /* attributes of an event: rising, falling, stop, in any order */
    bool rising = dae__parser_at_word(p, "rising"), falling = dae__parser_at_word(p, "falling");
    if ((rising || falling) && s->direction)
      dae__load_fail(p->l, p->at.place,
                     "rising or falling may be given once; leave both out for either direction");
    if ((rising || falling) && s->trigger)
      dae__load_fail(p->l, p->at.place,
                     "rising and falling are for a function that crosses zero; leave them out "
                     "after %s",
                     s->word);
    if (rising || falling)
      s->direction = rising ? 1 : -1;
    else if (dae__parser_at_word(p, "stop"))
      s->stop = true;
    else
      break;
    dae__parser_advance(p);
  }
  if (dae__parser_at(p, DAE__TOKEN_OPEN_BLOCK))
    s->body = dae__parser_block(p, "around the actions of the event");
  if (dae__parser_at_word(p, "rising") || dae__parser_at_word(p, "falling") ||
      dae__parser_at_word(p, "stop"))
    dae__load_fail(p->l, p->at.place, "rising, falling and stop must precede the { of an event");
}

/* ---- imports ---- */

/* Parses an imported file and appends its statements. */
static void parse_import(dae__parser *p, list *all)
{
  int place = p->at.place, known = p->l->files.count;
  if (!dae__parser_at(p, DAE__TOKEN_STRING)) {
    dae__parser_unexpected(p, "the name of a file: import \"parts.dae\"");
    return;
  }
  const char *path = dae__parser_text(p);
  dae__parser_advance(p);
  if (p->l->status)
    return;
  int file = dae__open_import(p->l, place, path);
  if (file < 0)
    return;
  if (file < known && p->l->files.item[file].open)
    dae__load_fail(p->l, place, "circular import of %s", path);
  if (file < known)
    return; /* a file that was imported before */
  dae__parser inner = dae__parser_create(p->l, p->names, file);
  inner.imported = true;
  inner.depth = p->depth;
  p->l->files.item[file].open = true;
  if (dae__parser_nest(&inner))
    parse_statements(&inner, all, DAE__TOKEN_END);
  p->l->files.item[file].open = false;
}

/* ---- selection by the first word ---- */

/* Tests for a setting of a system, such as step H; step' = ... is an equation. */
static bool parse_at_setting(const dae__parser *p)
{
  static const char *const words[] = {"method", "step", "rtol", "atol"};
  dae__token_kind after = p->ahead.kind;
  bool value = after == DAE__TOKEN_NAME || after == DAE__TOKEN_NUMBER ||
               (after == DAE__TOKEN_OPEN && p->ahead.spaced);
  if (!value && !dae__token_ends_statement(after))
    return false;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (dae__parser_at_word(p, words[i]))
      return true;
  return false;
}

/* Reports an error for two adjacent words, of which the first is a misspelt keyword. */
static bool parse_refuse_unknown_word(dae__parser *p)
{
  dae__token_kind after = p->ahead.kind;
  if (!dae__parser_at(p, DAE__TOKEN_NAME) ||
      (after != DAE__TOKEN_NAME && after != DAE__TOKEN_NUMBER && after != DAE__TOKEN_STRING))
    return false;
  const char *word = dae__parser_text(p);
  const char *near = dae_suggest(word, DAE__KEYWORDS, dae__word_text, dae__words);
  near = near ? near : dae__parser_suggest_data(word);
  near = near ? near : dae__parser_suggest_space(word);
  near = near ? near : dae__parser_suggest_contact(word);
  if (near)
    dae__load_fail(p->l, p->at.place, "unknown statement %s; did you mean %s?", word, near);
  else
    dae__load_fail(
        p->l, p->at.place,
        "unknown statement %s; a statement starts with a keyword such as coord, kinetic, "
        "constraint, or is an equation A = B",
        word);
  return true;
}

static void parse_by_kind(dae__parser *p, dae__statement *s)
{
  switch (s->kind) {
  case DAE__STATEMENT_MODEL:
    s->declared = dae__parser_new_declaration(p, "the name of the model");
    dae__parser_string(p, s);
    break;
  case DAE__STATEMENT_KINETIC:
  case DAE__STATEMENT_POTENTIAL:
    if (dae__parser_at(p, DAE__TOKEN_ASSIGN))
      dae__load_fail(p->l, p->at.place, "unexpected = after an energy: write kinetic m*x'^2/2");
    else
      s->a = dae__parser_expression(p);
    break;
  case DAE__STATEMENT_FORCE:
    s->a = dae__parser_expression(p);
    if (dae__parser_virtual_force(p, s))
      break;
    if (s->a && (s->a->kind != DAE__EXPR_NAME || s->a->rate))
      dae__load_fail(
          p->l, s->a->place,
          "expected a coordinate after force: force x = E; or force F along s, force F at P");
    parse_sides(p, s, "after the coordinate: force x = E");
    break;
  case DAE__STATEMENT_CONSTRAINT:
  case DAE__STATEMENT_JOINT:
    parse_label(p, s);
    if (s->kind == DAE__STATEMENT_CONSTRAINT)
      parse_when(p, s);
    parse_sides(p, s, "between the sides of the constraint: A = B");
    if (s->kind == DAE__STATEMENT_CONSTRAINT)
      parse_acts(p, s);
    break;
  case DAE__STATEMENT_EVENT:
    parse_event(p, s);
    break;
  case DAE__STATEMENT_FOR:
    s->range.name = dae__parser_new_name(p, "the index: for i in 1..N { ... }");
    if (!p->l->status && !dae__parser_accept_word(p, "in"))
      dae__parser_unexpected(p, "in: for i in 1..N { ... }");
    if (!p->l->status)
      dae__parser_range(p, &s->range);
    if (!p->l->status)
      s->body = dae__parser_block(p, "after the range: for i in 1..N { ... }");
    break;
  case DAE__STATEMENT_SYSTEM:
    s->declared = dae__parser_new_declaration(p, "the name of a system");
    if (s->declared && dae__parser_accept(p, DAE__TOKEN_OPEN_INDEX))
      dae__parser_ranges(p, s->declared, 1);
    if (!p->l->status)
      s->body = dae__parser_block(p, "after the name of the system");
    break;
  case DAE__STATEMENT_SIMULATE:
  case DAE__STATEMENT_SETTING:
    dae__parser_settings(p, s);
    break;
  case DAE__STATEMENT_DRAW:
    dae__parser_draw(p, s);
    break;
  case DAE__STATEMENT_CAMERA:
    dae__parser_camera(p, s);
    break;
  case DAE__STATEMENT_TABLE:
  case DAE__STATEMENT_INPUT:
    dae__parser_data(p, s);
    break;
  case DAE__STATEMENT_IMPACT:
  case DAE__STATEMENT_CONTACT:
    dae__parser_contact(p, s);
    break;
  case DAE__STATEMENT_EQUATION:
    parse_sides(p, s, "of an equation A = B");
    break;
  default:
    if (s->kind >= DAE__STATEMENT_BODY)
      dae__parser_space(p, s);
    else
      dae__parser_declarations(p, s);
  }
}

static void parse_statement(dae__parser *p, list *all)
{
  if (dae__parser_at(p, DAE__TOKEN_CLOSE_BLOCK)) {
    dae__load_fail(p->l, p->at.place, "unmatched }");
    return;
  }
  if (p->at.kind >= DAE__TOKEN_POWER && p->at.kind != DAE__TOKEN_MINUS &&
      p->at.kind != DAE__TOKEN_NOT) {
    dae__load_fail(
        p->l, p->at.place,
        "a statement cannot start with %s; to continue the previous line, put the operator at "
        "its end",
        dae__token_texts[p->at.kind]);
    return;
  }
  int word = dae__parser_at(p, DAE__TOKEN_NAME) ? dae__word_of(dae__parser_text(p)) : -1;
  int kind = word >= 0 && word < DAE__KEYWORDS ? DAE__STATEMENT_MODEL + word : -1;
  if (kind < 0 && parse_at_setting(p))
    kind = DAE__STATEMENT_SETTING;
  int data = kind < 0 ? dae__parser_at_data(p) : -1;
  kind = data >= 0 ? data : kind;
  kind = kind < 0 ? dae__parser_at_contact(p) : kind;
  if (kind < 0)
    kind = dae__parser_space_statement(p);
  if (kind < 0 && dae__parser_at_word(p, "camera") && dae__parser_ahead_word(p, "from"))
    kind = DAE__STATEMENT_CAMERA;
  if (kind < 0 && parse_refuse_unknown_word(p))
    return;
  dae__statement *s = DAE__NEW(p->l->scratch, dae__statement);
  if (!dae__load_ok(p->l))
    return;
  s->kind = kind < 0 ? DAE__STATEMENT_EQUATION : (dae__statement_kind)kind;
  s->place = p->at.place;
  s->line = p->at.line;
  if (kind >= DAE__STATEMENT_BODY)
    s->word = dae__parser_text(p);
  if (kind >= DAE__STATEMENT_TABLE)
    dae__parser_advance(p);
  if (kind == DAE__STATEMENT_IMPORT) {
    if (p->blocks > 0)
      dae__load_fail(p->l, s->place, "import is allowed outside of systems and loops only");
    else
      parse_import(p, all);
    return;
  }
  parse_by_kind(p, s);
  if (p->imported && p->blocks == 0) {
    if (s->kind == DAE__STATEMENT_MODEL || s->kind == DAE__STATEMENT_SIMULATE)
      return; /* not imported */
    if (s->kind != DAE__STATEMENT_PARAM && s->kind != DAE__STATEMENT_LET &&
        s->kind != DAE__STATEMENT_SYSTEM && s->kind != DAE__STATEMENT_TABLE &&
        s->kind != DAE__STATEMENT_TEMPLATE)
      dae__load_fail(
          p->l, s->place,
          "an imported file may hold params, lets, tables, parts and systems only; move this "
          "statement into a "
          "system, or into the model");
  }
  *all->last = s;
  all->last = &s->next;
}

static void parse_statements(dae__parser *p, list *all, dae__token_kind close)
{
  while (!p->l->status && !dae__parser_at(p, close)) {
    if (dae__parser_accept(p, DAE__TOKEN_NEWLINE) || dae__parser_accept(p, DAE__TOKEN_SEMICOLON))
      continue;
    if (dae__parser_at(p, DAE__TOKEN_END))
      return;
    parse_statement(p, all);
    if (p->l->status || dae__token_ends_statement(p->at.kind))
      continue;
    bool factor = dae__parser_at(p, DAE__TOKEN_NAME) || dae__parser_at(p, DAE__TOKEN_NUMBER) ||
                  dae__parser_at(p, DAE__TOKEN_OPEN);
    dae__parser_unexpected(p, factor ? "an operator (* between factors) or the end of the statement"
                                     : "the end of the statement");
  }
}

dae_status dae__parse(dae__load *l, int file, dae__parsed *out)
{
  list all = {.first = NULL};
  *out = (dae__parsed){.first = NULL};
  all.last = &all.first;
  dae__parser p = dae__parser_create(l, &out->names, file);
  l->files.item[file].open = true;
  parse_statements(&p, &all, DAE__TOKEN_END);
  l->files.item[file].open = false;
  out->first = all.first;
  return dae__load_ok(l) ? DAE_OK : l->status;
}
