/* Sinks that write files: rows as comma-separated values by RFC 4180 (records end in CR LF, names
 * with special characters are quoted, numbers have the fewest digits, at most 17, that read back as
 * the same number, and a decimal point in every locale), and the summary as JSON. */
#include "core/arena.h"
#include "core/env.h"
#include "core/error.h"
#include "core/mutant.h"
#include "core/number.h"
#include "core/text.h"

#include <daedal/file.h>
#include <daedal/run.h>
#include <stdbool.h>
#include <string.h>

#define CSV_PIECE_BYTES 4096 /* size of the pieces in which rows are written; chosen */
#define CSV_NUMBER_BYTES 48  /* most bytes of a number, a comma and the end of the line */

typedef struct file_sink {
  dae__arena *arena;
  char *path;
  dae_file *file; /* NULL: not open */
  bool continued; /* the file was begun by another run */
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
      dae_file_put(self->file, DAE__MUTATE(csv_quote, *c == '"' ? "\"" : "", ""));
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
  char text[CSV_PIECE_BYTES];
  size_t length = 0;
  for (int i = 0; i < row->columns; i++) {
    if (length > sizeof text - CSV_NUMBER_BYTES) {
      dae_file_write(self->file, text, length);
      length = 0;
    }
    if (i > 0)
      text[length++] = ',';
    length += dae__number_shortest(row->values[i], text + length);
  }
  text[length++] = '\r';
  text[length++] = '\n';
  dae_file_write(self->file, text, length);
  return dae_file_end_record(self->file, err);
}

static size_t sink_csv_save_size(void *sink)
{
  (void)sink;
  return sizeof(dae_file_position);
}

static dae_status sink_save_csv(void *sink, void *buffer, dae_error *err)
{
  file_sink *self = sink;
  dae_file_position at = {0};
  if (!self->file)
    return dae__fail(err, DAE_ERROR_USAGE, self->path, "%s is not open", self->path);
  DAE__TRY(dae_file_sync(self->file, &at, err));
  memcpy(buffer, &at, sizeof at);
  return DAE_OK;
}

/* Cuts the file back to a saved position, also that of another process. */
static dae_status sink_load_csv(void *sink, int columns, const char *const *names,
                                const void *buffer, size_t size, dae_error *err)
{
  file_sink *self = sink;
  dae_file_position at;
  (void)columns;
  (void)names;
  if (size != sizeof at)
    return dae__fail(err, DAE_ERROR_USAGE, self->path,
                     "%s: what was saved is no position in a CSV file", self->path);
  memcpy(&at, buffer, sizeof at);
  return self->file
             ? dae_file_cut(self->file, &at, err)
             : dae_file_continue(self->path, &at, dae__arena_env(self->arena), &self->file, err);
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

/* The part of the file is created at the start, so that a path that cannot be written is known
 * before the run. */
static dae_status sink_open_json(void *sink, int columns, const char *const *names, dae_error *err)
{
  file_sink *self = sink;
  (void)columns;
  (void)names;
  return self->file ? DAE_OK
                    : dae_file_create(self->path, dae__arena_env(self->arena), &self->file, err);
}

static dae_status sink_close_json(void *sink, dae_summary *summary, dae_error *err)
{
  file_sink *self = sink;
  DAE__TRY(sink_open_json(self, 0, NULL, err));
  dae_file *file = self->file;
  const dae_env *env = dae__arena_env(self->arena);
  size_t other_files = strlen(summary->files);
  self->file = NULL;
  dae__list_add(summary->files, sizeof summary->files, self->path);
  size_t size = dae_summary_json(summary, NULL, 0) + 1;
  char *text = env->allocate(env->user, size);
  dae_status status = DAE_ERROR_MEMORY;
  if (text) {
    dae_summary_json(summary, text, size);
    dae_file_put(file, text);
    env->release(env->user, text);
    status = dae_file_commit(file, NULL, err);
  } else {
    dae_file_discard(file);
    dae__fail(err, status, self->path, "%s was not written: no memory for its text", self->path);
  }
  if (status < 0)
    summary->files[other_files] = '\0';
  return status;
}

static void sink_free(void *sink)
{
  file_sink *self = sink;
  if (!self)
    return;
  /* rows are kept, those of a run that could not be resumed in their part; a summary without a run
   * is none */
  if (self->file && self->continued)
    dae_file_leave(self->file);
  else if (self->file && dae_file_records(self->file) > 1)
    dae_file_commit(self->file, NULL, NULL);
  else
    dae_file_discard(self->file);
  dae__arena_free(self->arena);
}

/* Creates a sink without functions but that to free it; kind: "CSV" or "JSON". */
static dae_status sink_create(const char *path, const char *kind, const dae_env *env, dae_sink *out,
                              dae_error *err)
{
  if (!path || !*path)
    return dae__fail(err, DAE_ERROR_USAGE, "path", "the %s file has no name", kind);
  dae_env own = dae__env_unstopped(env);
  dae__arena *arena = dae__arena_create(&own);
  file_sink *self = DAE__ALLOC(arena, file_sink, 1);
  if (self)
    self->path = DAE__ALLOC(arena, char, strlen(path) + 1);
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
  DAE__TRY(sink_create(path, "CSV", env, out, err));
  out->open = sink_open_csv;
  out->row = sink_write_csv_row;
  out->close = sink_close_csv;
  out->save_size = sink_csv_save_size;
  out->save = sink_save_csv;
  out->load = sink_load_csv;
  return DAE_OK;
}

dae_status dae_json_sink(const char *path, const dae_env *env, dae_sink *out, dae_error *err)
{
  DAE__TRY(sink_create(path, "JSON", env, out, err));
  out->open = sink_open_json;
  out->close = sink_close_json;
  return DAE_OK;
}
