/* Parsing of data: tables, inputs, unit texts. */
#include "model/text/parse.h"
#include <daedal/options.h>
#include <string.h>

int dae__parser_at_data(const dae__parser *p)
{
  dae__token_kind after = p->ahead.kind;
  if (after != DAE__TOKEN_NAME && after != DAE__TOKEN_NUMBER && after != DAE__TOKEN_STRING)
    return -1;
  return dae__parser_at_word(p, "table")   ? DAE__STATEMENT_TABLE
         : dae__parser_at_word(p, "input") ? DAE__STATEMENT_INPUT
                                           : -1;
}

static const char *parse_data_word(const void *words, int i)
{
  return ((const char *const *)words)[i];
}

const char *dae__parser_suggest_data(const char *word)
{
  static const char *const words[] = {"table", "input"};
  return dae_suggest(word, 2, parse_data_word, words);
}

bool dae__parser_unit(dae__parser *p, dae__declaration *d)
{
  if (!dae__parser_at(p, DAE__TOKEN_STRING))
    return false;
  if (d->unit)
    dae__load_fail(p->l, p->at.place, "duplicate unit of %s", d->name);
  else if (p->at.length == 0 || p->at.length > 60)
    dae__load_fail(p->l, p->at.place, "a unit is a text of 1 to 60 bytes, such as \"N/m\"");
  d->unit = dae__parser_text(p);
  dae__parser_advance(p);
  return true;
}

/* Parses hold, linear or cubic. */
static bool parse_interpolation(dae__parser *p, bool input, dae__data *data)
{
  static const char *const words[] = {"hold", "linear", "cubic"};
  int how = 0, place = p->at.place;
  while (how < 3 && !dae__parser_at_word(p, words[how]))
    how++;
  if (how == 3)
    return false;
  if (data->chosen)
    dae__load_fail(p->l, place, "%s after %s: one of them", words[how], words[data->how]);
  else if (how == DAE__INTERPOLATE_HOLD && !input)
    dae__load_fail(p->l, place, "a table is linear or cubic; hold belongs to inputs");
  data->how = (dae__interpolation)how;
  data->chosen = true;
  dae__parser_advance(p);
  return true;
}

/* ---- tables ---- */

/* Parses the points [(x, y), ...]. */
static void parse_points(dae__parser *p, dae__data *data)
{
  dae__expr *first = NULL, **last = &first;
  int line = p->at.line, count;
  dae__parser_advance(p);
  do {
    int place = p->at.place;
    if (dae__parser_expect(p, DAE__TOKEN_OPEN, "before a point of a table: (x, y)"))
      *last = dae__parser_list(p, DAE__TOKEN_CLOSE, &count);
    if (!p->l->status && (!*last || count != 2))
      dae__load_fail(p->l, place, "a point of a table has two numbers: (x, y)");
    if (p->l->status)
      return;
    last = &(*last)->next->next;
  } while (dae__parser_accept(p, DAE__TOKEN_COMMA));
  if (dae__parser_at(p, DAE__TOKEN_OPEN))
    dae__parser_unexpected(p, "a comma between the points: (0, 0), (1, 2)");
  else
    dae__parser_expect_close(p, DAE__TOKEN_CLOSE_INDEX, line);
  data->point = first;
}

/* Parses columns "s" "z". */
static bool parse_columns(dae__parser *p, dae__data *data)
{
  int place = p->at.place;
  if (!dae__parser_accept_word(p, "columns"))
    return false;
  if (!data->file)
    dae__load_fail(p->l, place, "columns are those of a file: table NAME \"file.csv\" columns ...");
  else if (data->column[0])
    dae__load_fail(p->l, place, "duplicate columns");
  for (int i = 0; i < 2 && !p->l->status; i++) {
    if (!dae__parser_at(p, DAE__TOKEN_STRING)) {
      dae__parser_unexpected(p, "the names of two columns: columns \"s\" \"z\"");
      break;
    }
    data->column_place[i] = p->at.place;
    data->column[i] = dae__parser_text(p);
    dae__parser_advance(p);
  }
  return true;
}

static void parse_table(dae__parser *p, dae__statement *s)
{
  dae__declaration *d = dae__parser_new_declaration(p, "the name of a table");
  dae__data *data = d ? DAE__NEW(p->l->scratch, dae__data) : NULL;
  if (!data || !dae__load_ok(p->l))
    return;
  static const char *const argument = "x";
  s->declared = d;
  d->data = data;
  d->parameters = 1;
  d->parameter = &argument;
  data->how = DAE__INTERPOLATE_LINEAR;
  if (dae__parser_at(p, DAE__TOKEN_STRING)) {
    data->file_place = p->at.place;
    data->file = dae__parser_text(p);
    dae__parser_advance(p);
  } else if (dae__parser_at(p, DAE__TOKEN_OPEN_INDEX)) {
    parse_points(p, data);
  } else {
    dae__parser_unexpected(p, "points or a file: table road [(0, 0), (1, 0.02)], or table road "
                              "\"road.csv\"");
  }
  while (!p->l->status) { /* attributes in any order */
    int place = p->at.place;
    if (parse_interpolation(p, false, data) || parse_columns(p, data))
      continue;
    if (!dae__parser_accept_word(p, "periodic"))
      break;
    if (data->periodic)
      dae__load_fail(p->l, place, "duplicate periodic");
    data->periodic = true;
  }
  if (dae__parser_at(p, DAE__TOKEN_NAME) || dae__parser_at(p, DAE__TOKEN_STRING))
    dae__parser_unexpected(p, "linear, cubic, periodic, columns, or the end of the table");
}

/* ---- inputs ---- */

static dae__declaration *parse_input(dae__parser *p)
{
  dae__declaration *d = dae__parser_new_declaration(p, "the name of an input");
  dae__data *data = d ? DAE__NEW(p->l->scratch, dae__data) : NULL;
  if (!data || !dae__load_ok(p->l))
    return NULL;
  d->data = data;
  if (dae__parser_accept(p, DAE__TOKEN_OPEN_INDEX))
    dae__parser_ranges(p, d, DAE__RANK);
  if (!p->l->status &&
      dae__parser_expect(p, DAE__TOKEN_ASSIGN, "and the value without data: input u = 0"))
    d->value = dae__parser_expression(p);
  while (!p->l->status) {
    if (dae__parser_at_word(p, "periodic"))
      dae__load_fail(p->l, p->at.place, "an input is not periodic; a table may be");
    if (!parse_interpolation(p, true, data) && !dae__parser_unit(p, d))
      break;
  }
  if (dae__parser_at(p, DAE__TOKEN_NAME))
    dae__parser_unexpected(p, "hold, linear, cubic, or the end of the input");
  return p->l->status ? NULL : d;
}

void dae__parser_data(dae__parser *p, dae__statement *s)
{
  dae__declaration **last = &s->declared;
  if (s->kind == DAE__STATEMENT_TABLE) {
    parse_table(p, s);
    return;
  }
  do {
    *last = parse_input(p);
    if (!*last)
      return;
    last = &(*last)->next;
  } while (dae__parser_accept(p, DAE__TOKEN_COMMA));
}
