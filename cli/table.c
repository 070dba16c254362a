/* Tables of numbers from binary result files, or from CSV files by RFC 4180: lines end in CR LF or
 * LF, names and numbers may be quoted, blanks around numbers are ignored. The first record has the
 * names of the columns. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CHUNK ((size_t)1 << 16)

/* ---- the file ---- */

static bool table_is_stdin(const char *path)
{
  return strcmp(path, "-") == 0;
}

static dae_status table_read_error(const char *path, dae_error *err)
{
  return cli_fail(err, DAE_ERROR_FILE, "%.200s could not be read: %s",
                  table_is_stdin(path) ? "the standard input" : path,
                  errno ? strerror(errno) : "unknown reason");
}

static dae_status table_read_all(FILE *file, cli_table *table, dae_error *err)
{
  size_t size = 0, got = 0;
  do {
    table->length += got;
    if (table->length + CHUNK + 1 > size) {
      size = 2 * size + CHUNK + 1;
      char *larger = realloc(table->text, size);
      if (!larger)
        return cli_fail(err, DAE_ERROR_MEMORY, "out of memory for %.200s", table->path);
      table->text = larger;
    }
    got = fread(table->text + table->length, 1, CHUNK, file);
  } while (got > 0);
  table->text[table->length] = '\0';
  return ferror(file) ? table_read_error(table->path, err) : DAE_OK;
}

static dae_status table_read_file(cli_table *table, dae_error *err)
{
  errno = 0;
  FILE *file = table_is_stdin(table->path) ? stdin : fopen(table->path, "rb");
  if (!file)
    return table_read_error(table->path, err);
  dae_status status = table_read_all(file, table, err);
  if (file != stdin)
    fclose(file);
  return status;
}

/* ---- fields ---- */

typedef struct cursor {
  const char *at, *end, *line_start;
  int line;
} cursor;

typedef struct field {
  const char *start; /* without quotes around it */
  size_t length;
  int line, column; /* place of its first character */
  bool quoted;
  bool last; /* last field of its record */
} field;

/* Error at a place in the file. */
static dae_status table_mistake(const cli_table *table, int line, int column, const char *text,
                                dae_error *err)
{
  cli_fail(err, DAE_ERROR_FILE, "%s", text);
  snprintf(err->file, sizeof err->file, "%s", table_is_stdin(table->path) ? "stdin" : table->path);
  err->line = line;
  err->column = column;
  return err->status;
}

static void table_next_line(cursor *c)
{
  c->line++;
  c->line_start = c->at;
}

/* skip to the closing quote; quotes inside are doubled */
static bool table_skip_quoted(cursor *c, field *f)
{
  for (f->start = ++c->at; c->at < c->end; c->at++) {
    if (*c->at == '\n') {
      c->at++;
      table_next_line(c);
      c->at--;
    }
    if (*c->at != '"')
      continue;
    if (c->at + 1 == c->end || c->at[1] != '"') {
      f->length = (size_t)(c->at++ - f->start);
      return true;
    }
    c->at++;
  }
  return false;
}

static void table_skip_plain(cursor *c, field *f)
{
  f->start = c->at;
  while (c->at < c->end && *c->at != ',' && *c->at != '\n' && *c->at != '\r')
    c->at++;
  f->length = (size_t)(c->at - f->start);
}

static dae_status table_next_field(const cli_table *table, cursor *c, field *f, dae_error *err)
{
  *f = (field){.line = c->line,
               .column = (int)(c->at - c->line_start) + 1,
               .quoted = c->at < c->end && *c->at == '"'};
  if (!f->quoted)
    table_skip_plain(c, f);
  else if (!table_skip_quoted(c, f))
    return table_mistake(table, f->line, f->column, "this quote is not closed", err);
  if (c->at < c->end && *c->at == ',') {
    c->at++;
    return DAE_OK;
  }
  f->last = true;
  c->at += c->at < c->end && *c->at == '\r';
  if (c->at < c->end && *c->at != '\n')
    return table_mistake(table, c->line, (int)(c->at - c->line_start) + 1,
                         "expected a comma or the end of the line", err);
  c->at += c->at < c->end;
  table_next_line(c);
  return DAE_OK;
}

static bool table_at_blank_line(const cursor *c)
{
  const char *at = c->at + (*c->at == '\r');
  return at < c->end && *at == '\n';
}

static void table_skip_blank_lines(cursor *c)
{
  while (c->at < c->end && table_at_blank_line(c)) {
    c->at += 1 + (*c->at == '\r');
    table_next_line(c);
  }
}

/* ---- names ---- */

static dae_status table_add_name(cli_table *table, const field *f, dae_error *err)
{
  char **names = realloc(table->names, (size_t)(table->columns + 1) * sizeof *names);
  if (names)
    table->names = names;
  char *name = names ? malloc(f->length + 1) : NULL;
  if (!name)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory for %.200s", table->path);
  size_t length = 0;
  for (size_t i = 0; i < f->length; i++) {
    name[length++] = f->start[i];
    i += f->quoted && f->start[i] == '"';
  }
  name[length] = '\0';
  table->names[table->columns++] = name;
  return DAE_OK;
}

/* common errors of the first line */
static dae_status table_check_names(const cli_table *table, dae_error *err)
{
  double number;
  int numbers = 0;
  for (int i = 0; i < table->columns; i++)
    numbers += cli_parse_number(table->names[i], &number);
  if (table->columns == 1 && strpbrk(table->names[0], ";\t"))
    return table_mistake(table, 1, 0,
                         "there is only one column: fields must be separated by commas", err);
  if (numbers == table->columns)
    return table_mistake(
        table, 1, 0, "the first line must contain the names of the columns, but has numbers", err);
  return DAE_OK;
}

static dae_status table_read_names(cli_table *table, dae_error *err)
{
  cursor c = {table->text, table->text + table->length, table->text, 1};
  field f = {0};
  if (strncmp(c.at, "\xef\xbb\xbf", 3) == 0) /* byte order mark of UTF-8 */
    c.at += 3;
  table_skip_blank_lines(&c);
  if (c.at == c.end)
    return table_mistake(table, 0, 0, "the file is empty", err);
  while (!f.last) {
    dae_status status = table_next_field(table, &c, &f, err);
    if (status >= 0)
      status = table_add_name(table, &f, err);
    if (status < 0)
      return status;
  }
  table->body = (size_t)(c.at - table->text);
  table->body_line = c.line;
  return table_check_names(table, err);
}

/* Reads a file in a binary format. */
static dae_status table_read_binary(cli_table *table, dae_error *err)
{
  dae_status status = dae_results_read(table->path, NULL, &table->binary, err);
  if (status < 0)
    return status;
  const dae_results *r = table->binary;
  table->names = calloc((size_t)r->columns, sizeof *table->names);
  for (int i = 0; table->names && i < r->columns; i++) {
    table->names[i] = strdup(r->names[i]);
    if (!table->names[i])
      return cli_fail(err, DAE_ERROR_MEMORY, "out of memory for %.200s", table->path);
    table->columns++;
  }
  return table->names ? DAE_OK
                      : cli_fail(err, DAE_ERROR_MEMORY, "out of memory for %.200s", table->path);
}

dae_status cli_table_read(const char *path, cli_table *out, dae_error *err)
{
  *out = (cli_table){.path = path};
  if (dae_results_is_binary(path))
    return table_read_binary(out, err);
  dae_status status = table_read_file(out, err);
  if (status >= 0 && memchr(out->text, '\0', out->length))
    return table_mistake(out, 0, 0, "this is not a text file: it contains zero bytes", err);
  return status < 0 ? status : table_read_names(out, err);
}

void cli_table_free(cli_table *table)
{
  for (int i = 0; i < table->columns; i++)
    free(table->names[i]);
  free(table->names);
  free(table->text);
  dae_results_free(table->binary);
}

/* ---- numbers ---- */

/* Number of a field, NaN for an empty field, nan and inf; false: not a number. */
static bool table_read_number(const field *f, double *value)
{
  static const char *const gaps[] = {"", "nan", "inf", "infinity"};
  const char *start = f->start, *end = start + f->length;
  while (start < end && (*start == ' ' || *start == '\t'))
    start++;
  while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  char text[64];
  size_t length = (size_t)(end - start);
  if (length >= sizeof text)
    return false;
  memcpy(text, start, length);
  text[length] = '\0';
  if (cli_parse_number(text, value))
    return true;
  *value = NAN;
  const char *word = text + (text[0] == '-' || text[0] == '+');
  for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
    if (strcasecmp(word, gaps[i]) == 0 && (*word || word == text))
      return true;
  return false;
}

static dae_status table_not_a_number(const cli_table *table, const field *f, int column,
                                     dae_error *err)
{
  char text[256];
  snprintf(text, sizeof text, "'%.*s' in column %.80s is not a number",
           f->length < 60 ? (int)f->length : 60, f->start, table->names[column]);
  return table_mistake(table, f->line, f->column, text, err);
}

static dae_status table_wrong_count(const cli_table *table, int line, int fields, dae_error *err)
{
  char text[160];
  snprintf(text, sizeof text, "this row has %s%d field%s, but there are %d columns",
           fields > table->columns ? "more than " : "",
           fields > table->columns ? table->columns : fields, fields == 1 ? "" : "s",
           table->columns);
  return table_mistake(table, line, 0, text, err);
}

/* Reads one row: the number of column j goes to values[slot[j] * stride] unless slot[j] < 0. */
static dae_status table_read_row(const cli_table *table, cursor *c, const int *slot, double *values,
                                 long stride, dae_error *err)
{
  field f = {0};
  int line = c->line, j = 0;
  for (; !f.last; j++) {
    dae_status status = table_next_field(table, c, &f, err);
    if (status < 0)
      return status;
    if (j == table->columns)
      return table_wrong_count(table, line, j + 1, err);
    if (slot[j] >= 0 && !table_read_number(&f, &values[slot[j] * stride]))
      return table_not_a_number(table, &f, j, err);
  }
  return j < table->columns ? table_wrong_count(table, line, j, err) : DAE_OK;
}

static dae_status table_read_rows(const cli_table *table, const int *slot, cli_numbers *out,
                                  dae_error *err)
{
  cursor c = {.at = table->text + table->body,
              .end = table->text + table->length,
              .line_start = table->text + table->body,
              .line = table->body_line};
  dae_status status = DAE_OK;
  table_skip_blank_lines(&c);
  while (c.at < c.end && status >= 0) {
    status = table_read_row(table, &c, slot, out->values + out->rows, out->stride, err);
    out->rows += status >= 0;
    table_skip_blank_lines(&c);
  }
  if (status >= 0 && out->rows == 0)
    return table_mistake(table, 0, 0, "the file has no rows, only the names of the columns", err);
  return status;
}

/* Copies columns of a binary file, with NaN for numbers that are not finite. */
static dae_status table_copy_columns(const cli_table *table, int count, const int *columns,
                                     cli_numbers *out, dae_error *err)
{
  const dae_results *r = table->binary;
  *out = (cli_numbers){.rows = r->rows, .stride = r->rows};
  if (r->rows == 0)
    return table_mistake(table, 0, 0, "the file has no rows, only the names of the columns", err);
  out->values = calloc((size_t)count, (size_t)r->rows * sizeof *out->values);
  if (!out->values)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory for %.200s", table->path);
  for (int i = 0; i < count; i++)
    for (long k = 0; k < r->rows; k++) {
      double value = r->values[columns[i] * r->rows + k];
      out->values[i * r->rows + k] = isfinite(value) ? value : NAN;
    }
  return DAE_OK;
}

dae_status cli_table_numbers(const cli_table *table, int count, const int *columns,
                             cli_numbers *out, dae_error *err)
{
  if (table->binary)
    return table_copy_columns(table, count, columns, out, err);
  *out = (cli_numbers){.stride = 1};
  for (size_t i = table->body; i < table->length; i++)
    out->stride += table->text[i] == '\n';
  int *slot = malloc((size_t)table->columns * sizeof *slot);
  out->values = calloc((size_t)count * (size_t)out->stride, sizeof *out->values);
  dae_status status = DAE_OK;
  if (slot && out->values) {
    for (int j = 0; j < table->columns; j++)
      slot[j] = -1;
    for (int i = 0; i < count; i++)
      slot[columns[i]] = i;
    status = table_read_rows(table, slot, out, err);
  } else {
    status = cli_fail(err, DAE_ERROR_MEMORY, "out of memory for %.200s", table->path);
  }
  free(slot);
  return status;
}
