#include "model/text/csv.h"
#include "core/error.h"
#include "core/number.h"
#include "model/pool.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* A field of the current line, without quotes and blanks around it. */
typedef struct csv_field {
  const char *text;
  int length, column; /* column in the file, from 1 */
} csv_field;

struct dae__csv {
  dae_env env;
  FILE *file;
  dae_status failure;
  char shown[sizeof((dae_error *)0)->file];
  bool names, pending; /* the first line has names; it was not yet read as numbers */
  int line, columns;
  csv_field *field; /* of the current line */
  /* current line, first line, and the first line with zeros behind its names */
  char *text, *first, *title;
  int length;
  char **name;
};

/* ---- errors ---- */

static dae_status csv_fail_at(const dae__csv *c, int line, int column, const char *source,
                              dae_error *err, const char *text)
{
  dae__fail(err, c->failure, NULL, "%s", text);
  if (!err)
    return c->failure;
  snprintf(err->file, sizeof err->file, "%s", c->shown);
  err->line = line;
  err->column = column;
  int from = column > (int)sizeof err->source - 40 ? column - 40 : 0;
  int size = (int)sizeof err->source - 1, length = (int)strcspn(source + from, "\r\n");
  snprintf(err->source, sizeof err->source, "%.*s", length < size ? length : size, source + from);
  for (char *p = err->source; *p; p++)
    *p = (unsigned char)*p < ' ' ? ' ' : *p;
  err->caret = column > 0 ? column - 1 - from : 0;
  return c->failure;
}

__attribute__((format(printf, 4, 5))) static dae_status
csv_fail(const dae__csv *c, int column, dae_error *err, const char *format, ...)
{
  char text[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return csv_fail_at(c, c->line, column, c->text, err, text);
}

dae_status dae__csv_fail_name(const dae__csv *csv, int column, dae_error *err, const char *format,
                              ...)
{
  char text[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  int place = csv->names && column < csv->columns ? (int)(csv->name[column] - csv->title) + 1 : 1;
  return csv_fail_at(csv, 1, place, csv->first, err, text);
}

/* ---- lines and fields ---- */

/* Reads the next line that is not blank; c->length < 0: end of the file. */
static dae_status csv_next_line(dae__csv *c, dae_error *err)
{
  do {
    c->length = -1;
    if (!fgets(c->text, DAE__CSV_LINE, c->file)) {
      if (ferror(c->file))
        return dae__fail(err, DAE_ERROR_FILE, NULL, "cannot read %s: %s", c->shown,
                         strerror(errno));
      return DAE_OK;
    }
    c->line++;
    c->length = (int)strlen(c->text);
    if (c->length > 0 && c->text[c->length - 1] == '\n')
      c->text[--c->length] = 0;
    else if (!feof(c->file))
      return csv_fail(c, 1, err,
                      c->length < DAE__CSV_LINE - 1 ? "this line has a zero byte: not a text file"
                                                    : "this line has more than 65535 bytes");
    if (c->line == 1 && !strncmp(c->text, "\xEF\xBB\xBF", 3)) /* byte order mark */
      memmove(c->text, c->text + 3, (size_t)(c->length -= 3) + 1);
    if (c->length > 0 && c->text[c->length - 1] == '\r')
      c->text[--c->length] = 0;
  } while (c->text[strspn(c->text, " \t")] == 0);
  return DAE_OK;
}

/* Splits the current line into at most `most` fields; *count: their number. */
static dae_status csv_split(dae__csv *c, int most, int *count, dae_error *err)
{
  char *p = c->text;
  *count = 0;
  for (;;) {
    p += strspn(p, " \t");
    csv_field f = {.text = p, .column = (int)(p - c->text) + 1};
    if (*p == '"') {
      f.text = ++p;
      p += strcspn(p, "\"");
      f.length = (int)(p - f.text);
      if (!*p)
        return csv_fail(c, f.column, err, "unterminated quote: a \" is missing");
      p += 1 + strspn(p + 1, " \t");
    } else {
      p += strcspn(p, ",");
      f.length = (int)(p - f.text);
      while (f.length > 0 && strchr(" \t", f.text[f.length - 1]))
        f.length--;
    }
    if (*p && *p != ',')
      return csv_fail(c, (int)(p - c->text) + 1, err, "expected a comma or the end of the line");
    if (*count == most)
      return csv_fail(c, f.column, err,
                      most < DAE__CSV_COLUMNS ? "this row has more than %d fields, one per column"
                                              : "the file has more than %d columns",
                      most);
    c->field[(*count)++] = f;
    if (!*p)
      return DAE_OK;
    p++;
  }
}

/* Number of a field; false: it is none, or not finite. */
static bool csv_number(const csv_field *f, double *value)
{
  char text[64];
  if (f->length <= 0 || f->length >= (int)sizeof text)
    return false;
  memcpy(text, f->text, (size_t)f->length);
  text[f->length] = 0;
  return dae__decimal_value(text, value) || dae__parse_double(text, value);
}

/* ---- the first line ---- */

static dae_status csv_read_first(dae__csv *c, dae_error *err)
{
  double value;
  DAE__TRY(csv_next_line(c, err));
  if (c->length < 0)
    return csv_fail_at(c, 1, 1, "", err, "the file is empty");
  memcpy(c->first, c->text, (size_t)c->length + 1);
  memcpy(c->title, c->text, (size_t)c->length + 1);
  DAE__TRY(csv_split(c, DAE__CSV_COLUMNS, &c->columns, err));
  for (int i = 0; i < c->columns; i++)
    c->names = c->names || !csv_number(&c->field[i], &value);
  if (c->columns == 1 && strpbrk(c->text, ";\t"))
    return csv_fail(c, 1 + (int)strcspn(c->text, ";\t"), err,
                    "there is one column only: separate the fields by commas");
  c->pending = !c->names;
  c->name = c->env.allocate(c->env.user, (size_t)c->columns * sizeof *c->name);
  if (!c->name)
    return dae__out_of_memory(err);
  for (int i = 0; i < c->columns; i++) {
    c->name[i] = c->title + (c->field[i].text - c->text);
    c->name[i][c->field[i].length] = 0;
  }
  return DAE_OK;
}

dae_status dae__csv_open(const char *path, const char *shown, dae_status failure,
                         const dae_env *env, dae__csv **out, dae_error *err)
{
  dae__csv *c = *out = env->allocate(env->user, sizeof *c);
  if (!c)
    return dae__out_of_memory(err);
  *c = (dae__csv){.env = *env, .failure = failure};
  snprintf(c->shown, sizeof c->shown, "%s", shown);
  c->text = env->allocate(env->user, DAE__CSV_LINE);
  c->first = env->allocate(env->user, DAE__CSV_LINE);
  c->title = env->allocate(env->user, DAE__CSV_LINE);
  c->field = env->allocate(env->user, DAE__CSV_COLUMNS * sizeof *c->field);
  if (!c->text || !c->first || !c->title || !c->field)
    return dae__out_of_memory(err);
  c->text[0] = 0;
  errno = 0;
  c->file = fopen(path, "rbe");
  if (!c->file)
    return dae__fail(err, DAE_ERROR_FILE, NULL, "cannot read %s: %s", c->shown, strerror(errno));
  return csv_read_first(c, err);
}

void dae__csv_close(dae__csv *csv)
{
  if (!csv)
    return;
  if (csv->file)
    fclose(csv->file);
  void *memory[] = {csv->text, csv->first, csv->title, csv->field, csv->name, csv};
  dae_env env = csv->env;
  for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
    if (memory[i])
      env.release(env.user, memory[i]);
}

int dae__csv_columns(const dae__csv *csv)
{
  return csv->columns;
}

const char *dae__csv_name(const dae__csv *csv, int column)
{
  return csv->names && column < csv->columns ? csv->name[column] : NULL;
}

/* ---- rows ---- */

static dae_status csv_read_row(dae__csv *c, int count, const int *column, double *value,
                               const double *before, dae_error *err)
{
  int fields;
  DAE__TRY(csv_split(c, c->columns, &fields, err));
  if (fields < c->columns)
    return csv_fail(c, c->length + 1, err, "this row has %d field%s, but there are %d columns",
                    fields, fields == 1 ? "" : "s", c->columns);
  for (int k = 0; k < count; k++) {
    const csv_field *f = &c->field[column[k]];
    if (!csv_number(f, &value[k]))
      return csv_fail(c, f->column, err, "%.*s is not a finite number%s",
                      f->length < 40 ? f->length : 40, f->length > 0 ? f->text : "this field",
                      f->length > 0 ? "" : ": it is empty");
  }
  if (before && !(value[0] > before[0])) {
    dae__number now = dae__number_text(value[0], 12), last = dae__number_text(before[0], 12);
    return csv_fail(c, c->field[column[0]].column, err,
                    "the first column must rise: %s follows %s; sort the rows, and leave "
                    "one of equal ones",
                    now.text, last.text);
  }
  return DAE_OK;
}

dae_status dae__csv_read(dae__csv *csv, int most, int count, const int *column, int *rows,
                         double **values, dae_error *err)
{
  int room = 0;
  *rows = 0;
  *values = NULL;
  for (;; csv->pending = false) {
    if (!csv->pending)
      DAE__TRY(csv_next_line(csv, err));
    if (csv->length < 0)
      break;
    if (*rows == most)
      return csv_fail(csv, 1, err, "the file has more than %d rows; thin it out", most);
    if (*rows == room) {
      void *larger = dae__array_grow(&csv->env, *values, &room, *rows, *rows + 1,
                                     (size_t)count * sizeof **values);
      if (!larger)
        return dae__out_of_memory(err);
      *values = larger;
    }
    double *value = *values + (size_t)*rows * (size_t)count;
    DAE__TRY(csv_read_row(csv, count, column, value, *rows > 0 ? value - count : NULL, err));
    ++*rows;
  }
  if (*rows < 2)
    return csv_fail_at(csv, csv->line, 1, csv->text, err,
                       "a curve needs at least two rows of numbers");
  return DAE_OK;
}
