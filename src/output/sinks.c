/* Sinks that write files: rows as comma-separated values by RFC 4180 (records end in CR LF, names
 * with special characters are quoted, numbers have 17 significant digits and a decimal point in
 * every locale), and the summary as JSON. */
#include "core/arena.h"
#include "core/error.h"
#include "core/number.h"
#include "core/text.h"

#include <daedal/file.h>
#include <daedal/run.h>
#include <string.h>

/* Upper bound of the bytes of a summary: every character of its texts escaped, in six bytes each,
 * and 4 KB for names and keys. */
#define JSON_BYTES (6 * sizeof(dae_summary) + 4096)

typedef struct file_sink {
  dae__arena *arena;
  char *path;
  char *text;     /* text of the JSON file */
  dae_file *file; /* NULL: not open */
} file_sink;

static dae_status sink_open_csv(void *sink, int columns, const char *const *names, dae_error *err)
{
  file_sink *self = sink;
  if (!self->file)
    DAE__TRY(dae_file_create(self->path, dae__arena_env(self->arena), &self->file, err));
  for (int i = 0; i < columns; i++) {
    const char *quote = strpbrk(names[i], ",\"\r\n") ? "\"" : "";
    dae_file_put(self->file, i > 0 ? "," : "");
    dae_file_put(self->file, quote);
    for (const char *c = names[i]; *c; c++) {
      dae_file_put(self->file, *c == '"' ? "\"" : "");
      dae_file_write(self->file, c, 1);
    }
    dae_file_put(self->file, quote);
  }
  dae_file_put(self->file, "\r\n");
  return dae_file_end_record(self->file, err);
}

static dae_status sink_write_csv_row(void *sink, const dae_row *row, dae_error *err)
{
  file_sink *self = sink;
  if (!self->file)
    return dae__fail(err, DAE_ERROR_USAGE, self->path,
                     "%s: a row was written before the file was opened", self->path);
  for (int i = 0; i < row->columns; i++) {
    if (i > 0)
      dae_file_write(self->file, ",", 1);
    dae_file_put(self->file, dae__number_text(row->values[i], 17).text);
  }
  dae_file_write(self->file, "\r\n", 2);
  return dae_file_end_record(self->file, err);
}

/* Gives the file its name; that of a run that failed before its first row is discarded. After a
 * failure the summary counts the rows that are in the part. */
static dae_status sink_close_csv(void *sink, dae_summary *summary, dae_error *err)
{
  file_sink *self = sink;
  dae_file *file = self->file;
  self->file = NULL;
  if (!file)
    return DAE_OK;
  if (summary->status < 0 && dae_file_records(file) <= 1) {
    dae_file_discard(file);
    return DAE_OK;
  }
  long records = 0;
  dae_status status = dae_file_commit(file, &records, err);
  if (status >= 0)
    dae__list_add(summary->files, sizeof summary->files, self->path);
  else
    summary->rows = records > 0 ? records - 1 : 0; /* the first record has the names */
  return status;
}

static dae_status sink_close_json(void *sink, dae_summary *summary, dae_error *err)
{
  file_sink *self = sink;
  dae_file *file = self->file;
  size_t other_files = strlen(summary->files);
  self->file = NULL;
  if (!file)
    return DAE_OK;
  dae__list_add(summary->files, sizeof summary->files, self->path);
  bool fits = dae_summary_json(summary, self->text, JSON_BYTES) < JSON_BYTES;
  dae_file_put(file, fits ? self->text : "");
  dae_status status =
      fits ? dae_file_commit(file, NULL, err)
           : dae__fail(err, DAE_ERROR_FILE, self->path,
                       "%s was not written: the problem's name is too long", self->path);
  if (!fits)
    dae_file_discard(file);
  if (status < 0)
    summary->files[other_files] = '\0';
  return status;
}

static void sink_free(void *sink)
{
  file_sink *self = sink;
  if (!self)
    return;
  /* rows are kept, a summary without a run is none */
  if (self->file && dae_file_records(self->file) > 1)
    dae_file_commit(self->file, NULL, NULL);
  else
    dae_file_discard(self->file);
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
    self->text = DAE__ALLOC(arena, char, bytes);
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
  DAE__TRY(sink_create(path, "CSV", 1, env, out, err));
  out->open = sink_open_csv;
  out->row = sink_write_csv_row;
  out->close = sink_close_csv;
  return DAE_OK;
}

/* The part of the file is created at once, so that a path that cannot be written is known before
 * the run. */
dae_status dae_json_sink(const char *path, const dae_env *env, dae_sink *out, dae_error *err)
{
  DAE__TRY(sink_create(path, "JSON", JSON_BYTES, env, out, err));
  file_sink *self = out->self;
  dae_status status = dae_file_create(path, env, &self->file, err);
  if (status < 0)
    dae__arena_free(self->arena);
  out->close = sink_close_json;
  return status;
}
