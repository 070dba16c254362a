/* Sinks that write files: rows as comma-separated values by RFC 4180 (records end in CR LF, names
 * with special characters are quoted, numbers have the fewest digits, at most 17, that read back as
 * the same number, and a decimal point in every locale), and the summary as JSON. */
#include "core/arena.h"
#include "core/error.h"
#include "core/number.h"
#include "core/text.h"

#include <daedal/run.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CSV_BUFFER_BYTES ((size_t)1 << 16) /* size of the file buffer; chosen, not measured */
#define CSV_PIECE_BYTES 4096 /* size of the pieces in which rows are written; chosen */
#define CSV_NUMBER_BYTES 48  /* most bytes of a number, a comma and the end of the line */
/* Upper bound of the bytes of a summary: every character of its texts escaped, in six bytes each,
 * and 4 KB for names and keys. */
#define JSON_BYTES (6 * sizeof(dae_summary) + 4096)

typedef struct file_sink {
  dae__arena *arena;
  char *path;
  char *buffer; /* buffer of the CSV file, or text of the JSON file */
  FILE *file;   /* open CSV file; NULL: not open */
} file_sink;

static dae_status sink_open_csv(void *sink, int columns, const char *const *names, dae_error *err)
{
  file_sink *self = sink;
  errno = 0;
  if (!self->file)
    self->file = fopen(self->path, "wb");
  if (!self->file)
    return dae__fail_file(err, self->path, "created");
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
  fputs("\r\n", self->file);
  return ferror(self->file) ? dae__fail_file(err, self->path, "written") : DAE_OK;
}

static dae_status sink_write_csv_row(void *sink, const dae_row *row, dae_error *err)
{
  file_sink *self = sink;
  if (!self->file)
    return dae__fail(err, DAE_ERROR_USAGE, self->path,
                     "%s: a row was written before the file was opened", self->path);
  char text[CSV_PIECE_BYTES];
  size_t length = 0;
  errno = 0;
  for (int i = 0; i < row->columns; i++) {
    if (length > sizeof text - CSV_NUMBER_BYTES) {
      fwrite(text, 1, length, self->file);
      length = 0;
    }
    if (i > 0)
      text[length++] = ',';
    length += dae__number_shortest(row->values[i], text + length);
  }
  text[length++] = '\r';
  text[length++] = '\n';
  fwrite(text, 1, length, self->file);
  return ferror(self->file) ? dae__fail_file(err, self->path, "written") : DAE_OK;
}

static dae_status sink_close_csv(void *sink, dae_summary *summary, dae_error *err)
{
  file_sink *self = sink;
  if (!self->file)
    return DAE_OK;
  errno = 0;
  bool failed = ferror(self->file) != 0;
  failed = fclose(self->file) != 0 || failed;
  self->file = NULL;
  if (summary)
    dae__list_add(summary->files, sizeof summary->files, self->path);
  return failed ? dae__fail_file(err, self->path, "written") : DAE_OK;
}

static dae_status sink_close_json(void *sink, dae_summary *summary, dae_error *err)
{
  file_sink *self = sink;
  size_t other_files = strlen(summary->files);
  dae__list_add(summary->files, sizeof summary->files, self->path);
  bool fits = dae_summary_json(summary, self->buffer, JSON_BYTES) < JSON_BYTES;
  errno = 0;
  FILE *file = fits ? fopen(self->path, "wb") : NULL;
  bool failed = !file || fputs(self->buffer, file) < 0;
  if (file)
    failed = fclose(file) != 0 || failed;
  if (!failed)
    return DAE_OK;
  summary->files[other_files] = '\0';
  return fits ? dae__fail_file(err, self->path, "written")
              : dae__fail(err, DAE_ERROR_FILE, self->path,
                          "%s was not written: the problem's name is too long", self->path);
}

static void sink_free(void *sink)
{
  file_sink *self = sink;
  if (!self)
    return;
  sink_close_csv(self, NULL, NULL);
  dae__arena_free(self->arena);
}

/* Creates a sink without functions but that to free it; kind: "CSV" or "JSON". */
static dae_status sink_create(const char *path, const char *kind, size_t bytes, const dae_env *env,
                              dae_sink *out, dae_error *err)
{
  if (!path || !*path)
    return dae__fail(err, DAE_ERROR_USAGE, "path", "the %s file has no name", kind);
  dae__arena *arena = dae__arena_create(env);
  file_sink *self = DAE__ALLOC(arena, file_sink, 1);
  if (self) {
    self->path = DAE__ALLOC(arena, char, strlen(path) + 1);
    self->buffer = DAE__ALLOC(arena, char, bytes);
  }
  if (!self || dae__arena_failed(arena)) {
    dae__arena_free(arena);
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the %s file", kind);
  }
  self->arena = arena;
  memcpy(self->path, path, strlen(path) + 1);
  *out = (dae_sink){.self = self, .free = sink_free};
  return DAE_OK;
}

dae_status dae_csv_sink(const char *path, const dae_env *env, dae_sink *out, dae_error *err)
{
  DAE__TRY(sink_create(path, "CSV", CSV_BUFFER_BYTES, env, out, err));
  out->open = sink_open_csv;
  out->row = sink_write_csv_row;
  out->close = sink_close_csv;
  return DAE_OK;
}

dae_status dae_json_sink(const char *path, const dae_env *env, dae_sink *out, dae_error *err)
{
  DAE__TRY(sink_create(path, "JSON", JSON_BYTES, env, out, err));
  out->close = sink_close_json;
  return DAE_OK;
}
