/* Comma-separated values by RFC 4180: records end in CR LF, names with special characters are
 * quoted, numbers have 17 significant digits and a decimal point in every locale. */
#include "core/arena.h"
#include "core/error.h"
#include "output/text.h"

#include <daedal/run.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CSV_BUFFER_BYTES ((size_t)1 << 16) /* size of the file buffer; chosen, not measured */

typedef struct csv {
  dae__arena *arena;
  char *path;
  char *buffer;
  FILE *file;
} csv;

static dae_status csv_fail(const csv *self, const char *what, dae_error *err)
{
  const char *why = errno ? strerror(errno) : "unknown reason";
  return dae__fail(err, DAE_ERROR_FILE, self->path, "%s could not be %s: %s", self->path, what,
                   why);
}

static dae_status csv_end_record(csv *self, dae_error *err)
{
  fputs("\r\n", self->file);
  return ferror(self->file) ? csv_fail(self, "written", err) : DAE_OK;
}

static dae_status csv_open(void *sink, int columns, const char *const *names, dae_error *err)
{
  csv *self = sink;
  errno = 0;
  if (!self->file)
    self->file = fopen(self->path, "wb");
  if (!self->file)
    return csv_fail(self, "created", err);
  setvbuf(self->file, self->buffer, _IOFBF, CSV_BUFFER_BYTES);
  for (int i = 0; i < columns; i++) {
    const char *quote = strpbrk(names[i], ",\"\r\n") ? "\"" : "";
    fprintf(self->file, "%s%s", i > 0 ? "," : "", quote);
    for (const char *c = names[i]; *c; c++) {
      if (*c == '"')
        fputc('"', self->file);
      fputc(*c, self->file);
    }
    fputs(quote, self->file);
  }
  return csv_end_record(self, err);
}

static dae_status csv_row(void *sink, const dae_row *row, dae_error *err)
{
  csv *self = sink;
  if (!self->file)
    return dae__fail(err, DAE_ERROR_USAGE, self->path,
                     "%s: a row was written before the file was opened", self->path);
  errno = 0;
  for (int i = 0; i < row->columns; i++) {
    char number[1 + 40] = ",";
    dae__number_text(row->values[i], 17, number + 1);
    fputs(number + (i == 0), self->file);
  }
  return csv_end_record(self, err);
}

static dae_status csv_close(void *sink, dae_summary *summary, dae_error *err)
{
  csv *self = sink;
  if (!self->file)
    return DAE_OK;
  errno = 0;
  bool failed = ferror(self->file) != 0;
  failed = fclose(self->file) != 0 || failed;
  self->file = NULL;
  if (summary)
    dae__list_add(summary->files, sizeof summary->files, self->path);
  return failed ? csv_fail(self, "written", err) : DAE_OK;
}

static void csv_free(void *sink)
{
  csv *self = sink;
  if (!self)
    return;
  csv_close(self, NULL, NULL);
  dae__arena_free(self->arena);
}

dae_status dae_csv_sink(const char *path, const dae_env *env, dae_sink *out, dae_error *err)
{
  if (!path || !*path)
    return dae__fail(err, DAE_ERROR_USAGE, "path", "the CSV file has no name");
  dae__arena *arena = dae__arena_create(env);
  csv *self = arena ? DAE__ALLOC(arena, csv, 1) : NULL;
  if (self) {
    self->path = DAE__ALLOC(arena, char, strlen(path) + 1);
    self->buffer = DAE__ALLOC(arena, char, CSV_BUFFER_BYTES);
  }
  if (!self || dae__arena_failed(arena)) {
    dae__arena_free(arena);
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the CSV file");
  }
  self->arena = arena;
  memcpy(self->path, path, strlen(path) + 1);
  *out = (dae_sink){
      .self = self, .open = csv_open, .row = csv_row, .close = csv_close, .free = csv_free};
  return DAE_OK;
}
