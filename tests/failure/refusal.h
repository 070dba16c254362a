/* What every refusal of a model must show: the place of the mistake, the line itself with a caret,
 * and words that say what would be right. */
#ifndef DAEDAL_TESTS_REFUSAL_H
#define DAEDAL_TESTS_REFUSAL_H

#include <daedal/daedal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct wrong {
  const char *text;
  int line, column;
  const char *says;
} wrong;

#define HEAD "model m\n"

/* ---- what every refusal must show ---- */

static int failures; /* of the table at hand: all of them are shown */

static inline void complain(const char *text, const char *what, const dae_error *err)
{
  char shown[2048];
  dae_error_text(err, shown, sizeof shown);
  print_error("%s\n--- %s: %s\n%s\n\n", text, what, dae_status_name(err->status), shown);
  failures++;
}

static inline bool continues_character(char c)
{
  return ((unsigned char)c & 0xC0) == 0x80;
}

/* the line of that number, without its end; its length */
static inline size_t find_line(const char *text, int number, const char **line)
{
  *line = text;
  for (int i = 1; i < number && *line; i++) {
    *line = strchr(*line, '\n');
    *line += *line != NULL;
  }
  return *line ? strcspn(*line, "\r\n") : 0;
}

/* the offset of a column, which counts characters */
static inline int offset_of(const char *line, size_t length, int column)
{
  size_t at = 0;
  for (int i = 1; i < column && at < length; i++)
    do
      at++;
    while (at < length && continues_character(line[at]));
  return (int)at;
}

/* "name:line:column: text", the line, and a mark under the place */
static inline bool is_shown(const dae_error *err, const char *name)
{
  char shown[2048], place[320], line[200];
  dae_error_text(err, shown, sizeof shown);
  snprintf(place, sizeof place, "%s:%d:%d: ", name, err->line, err->column);
  snprintf(line, sizeof line, "\n  %s\n", err->source);
  if (strncmp(shown, place, strlen(place)) != 0)
    return false;
  if (!err->source[0])
    return true; /* an empty line shows nothing */
  const char *mark = strrchr(shown, '\n');
  return strstr(shown, line) && mark && strspn(mark + 1, " \t") == strlen(mark + 1) - 1 &&
         mark[strlen(mark) - 1] == '^';
}

/* the line as it is, control characters as blanks */
static inline bool is_line(const char *source, const char *line, size_t length)
{
  for (size_t i = 0; i < length; i++)
    if (source[i] != line[i] &&
        !(source[i] == ' ' && ((unsigned char)line[i] < ' ' || line[i] == 127)))
      return false;
  return source[length] == 0;
}

static inline void check_error(const char *text, const char *name, const wrong *w,
                               const dae_error *err)
{
  const char *line;
  size_t length = find_line(text, w->line, &line);
  if (err->line != w->line || err->column != w->column)
    complain(text, "another place is expected", err);
  else if (!strstr(err->text, w->says))
    complain(text, w->says, err);
  else if (strcmp(err->file, name) != 0 || !is_shown(err, name))
    complain(text, "the place is not shown", err);
  else if (!is_line(err->source, line, length) || err->caret != offset_of(line, length, w->column))
    complain(text, "the line or its caret is wrong", err);
}

/* All texts of a table, after HEAD, are refused as it says. */
static inline void check_refusals(const wrong *table, size_t size)
{
  failures = 0;
  for (size_t i = 0; i < size; i++) {
    char text[4096];
    dae_error err;
    dae_model *model = NULL;
    int length = snprintf(text, sizeof text, HEAD "%s", table[i].text);
    assert_in_range(length, 1, (int)sizeof text - 1);
    dae_status status =
        dae_model_parse("wrong.dae", text, (size_t)length, NULL, NULL, &model, &err);
    if (status != DAE_ERROR_MODEL || err.status != status || model)
      complain(text, "it is not refused as a model", &err);
    else
      check_error(text, "wrong.dae", &table[i], &err);
    dae_model_free(model);
  }
  assert_int_equal(failures, 0);
}

#endif
