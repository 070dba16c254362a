/* Result files by suffix: the sink that collects the rows and makes the file at the end of the run,
 * and the reader. */
#include "core/env.h"
#include "core/error.h"
#include "core/text.h"
#include "output/results/format.h"
#include "output/summary.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const dae__results_format *const formats[] = {&dae__format_mat, &dae__format_npz,
                                                     &dae__format_hdf5};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Format of a name by its suffix, NULL: CSV. */
static const dae__results_format *results_format(const char *path)
{
  const char *suffix = path ? strrchr(path, '.') : NULL;
  for (int i = 0; suffix && i < FORMATS; i++)
    for (int k = 0; formats[i]->suffix[k]; k++)
      if (strcasecmp(suffix, formats[i]->suffix[k]) == 0)
        return formats[i];
  return NULL;
}

bool dae_results_is_binary(const char *path)
{
  return results_format(path) != NULL;
}

/* ---- the sink ---- */

typedef struct results_sink {
  dae__arena *arena;
  const dae__results_format *format;
  char *path, *rows; /* names of the file, and of that of the rows */
  const char **names;
  dae_file *file; /* the result: its part is there from the start, so that no path fails late */
  dae__spool spool;
  bool saved;       /* a saved run may continue the rows */
  bool interrupted; /* the run has been interrupted: the rows stay for the saved one */
} results_sink;

static dae_status results_keep_names(results_sink *self, int columns, const char *const *names,
                                     dae_error *err)
{
  self->spool.columns = columns;
  self->names = DAE__ALLOC(self->arena, const char *, columns);
  for (int i = 0; self->names && i < columns; i++) {
    char *copy = DAE__ALLOC(self->arena, char, strlen(names[i]) + 1);
    if (copy)
      memcpy(copy, names[i], strlen(names[i]) + 1);
    self->names[i] = copy;
  }
  return dae__arena_status(self->arena, err);
}

static dae_status results_open(void *sink, int columns, const char *const *names, dae_error *err)
{
  results_sink *self = sink;
  DAE__TRY(results_keep_names(self, columns, names, err));
  if (!self->file)
    DAE__TRY(dae_file_create(self->path, self->spool.env, &self->file, err));
  return self->spool.file ? DAE_OK
                          : dae_file_create(self->rows, self->spool.env, &self->spool.file, err);
}

static dae_status results_row(void *sink, const dae_row *row, dae_error *err)
{
  results_sink *self = sink;
  if (!self->spool.file)
    return dae__fail(err, DAE_ERROR_USAGE, self->path,
                     "%s: a row was written before the file was opened", self->path);
  return dae__spool_row(&self->spool, row->values, err);
}

static size_t results_save_size(void *sink)
{
  (void)sink;
  return sizeof(dae_file_position);
}

static dae_status results_save(void *sink, void *buffer, dae_error *err)
{
  results_sink *self = sink;
  dae_file_position at = {0};
  if (!self->spool.file)
    return dae__fail(err, DAE_ERROR_USAGE, self->path, "%s is not open", self->path);
  DAE__TRY(dae_file_sync(self->spool.file, &at, err));
  memcpy(buffer, &at, sizeof at);
  self->saved = true;
  return DAE_OK;
}

static dae_status results_load(void *sink, int columns, const char *const *names,
                               const void *buffer, size_t size, dae_error *err)
{
  results_sink *self = sink;
  dae_file_position at;
  if (size != sizeof at)
    return dae__fail(err, DAE_ERROR_USAGE, self->path,
                     "%s: what was saved is no position in a result file", self->path);
  memcpy(&at, buffer, sizeof at);
  if (self->spool.file)
    return dae_file_cut(self->spool.file, &at, err);
  DAE__TRY(results_keep_names(self, columns, names, err));
  if (!self->file)
    DAE__TRY(dae_file_create(self->path, self->spool.env, &self->file, err));
  return dae_file_continue(self->rows, &at, self->spool.env, &self->spool.file, err);
}

/* Unit of a column in lines "name, tab, unit" as "[unit]", "" if it has none. */
static const char *results_unit(dae__arena *arena, const char *lines, const char *name)
{
  size_t length = strlen(name);
  for (const char *line = lines; line && *line;
       line += strcspn(line, "\n"), line += *line == '\n') {
    if (strncmp(line, name, length) != 0 || line[length] != '\t')
      continue;
    const char *unit = line + length + 1;
    size_t size = strcspn(unit, "\n");
    char *text = DAE__ALLOC(arena, char, size + 3);
    if (text)
      snprintf(text, size + 3, "[%.*s]", (int)size, unit);
    return text;
  }
  return "";
}

static dae_status results_make(results_sink *self, const dae_summary *summary, dae_error *err)
{
  dae__results_source source = {.path = self->path,
                                .names = self->names,
                                .columns = self->spool.columns,
                                .rows = dae__spool_count(&self->spool),
                                .spool = &self->spool};
  dae__text count = dae__text_in(NULL, 0);
  dae__provenance_json(&count, summary);
  char *provenance = DAE__ALLOC(self->arena, char, count.length + 1);
  const char **units = DAE__ALLOC(self->arena, const char *, source.columns);
  for (int i = 0; units && i < source.columns; i++)
    units[i] = results_unit(self->arena, summary->units, self->names[i]);
  DAE__TRY(dae__arena_status(self->arena, err));
  dae__text text = dae__text_in(provenance, count.length + 1);
  dae__provenance_json(&text, summary);
  source.provenance = provenance;
  source.units = units;
  return self->format->write(&source, self->file, err);
}

/* Makes the file from the rows; if that fails the rows are kept, and the message says where. */
static dae_status results_close(void *sink, dae_summary *summary, dae_error *err)
{
  results_sink *self = sink;
  dae_file *rows = self->spool.file;
  self->interrupted = summary->status == DAE_ERROR_INTERRUPTED;
  if (!rows || (summary->status < 0 && dae_file_records(rows) == 0))
    return DAE_OK; /* the parts are removed with the sink */
  dae_error why = dae_error_none();
  dae_status status = results_make(self, summary, &why);
  if (!status) {
    dae_file *file = self->file;
    self->file = NULL;
    status = dae_file_commit(file, NULL, &why);
  }
  if (!status) {
    dae__list_add(summary->files, sizeof summary->files, self->path);
    return DAE_OK;
  }
  long written = 0;
  self->spool.file = NULL;
  dae_file_commit(rows, &written, NULL);
  summary->rows = written;
  return dae__fail(err, why.status, self->path,
                   "%.300s; its %ld rows are kept in %.100s, as doubles row by row", why.text,
                   written, self->rows);
}

static void results_free(void *sink)
{
  results_sink *self = sink;
  if (!self)
    return;
  dae_file_discard(self->file);
  if (self->spool.file && self->saved && self->interrupted)
    dae_file_leave(self->spool.file);
  else
    dae_file_discard(self->spool.file);
  dae__arena_free(self->arena);
}

dae_status dae_results_sink(const char *path, const dae_env *env, dae_sink *out, dae_error *err)
{
  const dae__results_format *format = results_format(path);
  if (!format)
    return dae_csv_sink(path, env, out, err);
  if (format->check)
    DAE__TRY(format->check(path, err));
  dae_env own = dae__env_unstopped(env);
  dae__arena *arena = dae__arena_create(&own);
  results_sink *self = DAE__ALLOC(arena, results_sink, 1);
  size_t size = strlen(path) + sizeof ".rows";
  if (self) {
    self->path = DAE__ALLOC(arena, char, size);
    self->rows = DAE__ALLOC(arena, char, size);
  }
  if (!self || dae__arena_failed(arena)) {
    dae__arena_free(arena);
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the %s file", format->name);
  }
  self->arena = arena;
  self->format = format;
  self->spool.env = dae__arena_env(arena);
  snprintf(self->path, size, "%s", path);
  snprintf(self->rows, size, "%s.rows", path);
  *out = (dae_sink){.self = self,
                    .open = results_open,
                    .row = results_row,
                    .close = results_close,
                    .free = results_free,
                    .save_size = results_save_size,
                    .save = results_save,
                    .load = results_load};
  return DAE_OK;
}

/* ---- reading ---- */

/* Largest number of columns that share one row of data, on average: aliases of Modelica models. */
#define ALIASES ((size_t)100)

typedef struct contents {
  dae_results results; /* first: the caller's pointer */
  dae__arena *arena;
} contents;

dae_status dae__results_refuse(const dae__results_input *in, const char *why, dae_error *err)
{
  return dae__fail(err, DAE_ERROR_FILE, in->path, "%s is not %s, or is damaged", in->path, why);
}

dae_status dae__results_room(const dae__results_input *in, long columns, long rows,
                             const char ***names, double **values, dae_error *err)
{
  if (columns < 1 || columns > INT32_MAX || rows < 0 ||
      (in->size > 0 && rows > (long)(ALIASES * in->size / sizeof **values) / columns))
    return dae__results_refuse(in, "a file with columns of numbers", err);
  *names = DAE__ALLOC(in->arena, const char *, columns);
  *values = dae_arena_alloc(in->arena, (size_t)columns, (size_t)rows * sizeof **values);
  in->out->names = *names;
  in->out->values = *values;
  in->out->columns = (int)columns;
  in->out->rows = rows;
  return dae__arena_status(in->arena, err);
}

/* The whole file in memory of env. */
static dae_status results_load_file(const char *path, const dae_env *env, unsigned char **bytes,
                                    size_t *size, dae_error *err)
{
  FILE *file = fopen(path, "rb");
  *bytes = NULL;
  *size = 0;
  if (!file)
    return dae__fail_file(err, path, "read");
  long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  bool good = end >= 0 && fseek(file, 0, SEEK_SET) == 0;
  *bytes = good ? env->allocate(env->user, (size_t)end + 1) : NULL;
  if (*bytes)
    *size = fread(*bytes, 1, (size_t)end, file);
  fclose(file);
  if (!good || (*bytes && *size != (size_t)end))
    return dae__fail_file(err, path, "read");
  return *bytes ? DAE_OK : dae__out_of_memory(err);
}

dae_status dae_results_read(const char *path, const dae_env *env, dae_results **out, dae_error *err)
{
  const dae__results_format *format = results_format(path);
  *out = NULL;
  if (!format)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, path,
                     "%s is no .mat, .npz or .h5 file: this function reads only these", path);
  dae_env own = dae__env_of(env);
  dae__arena *arena = dae__arena_create(env);
  contents *c = DAE__ALLOC(arena, contents, 1);
  unsigned char *bytes = NULL;
  dae__results_input in = {.path = path, .arena = arena, .out = c ? &c->results : NULL};
  dae_status status = c ? DAE_OK : dae__out_of_memory(err);
  if (c && !format->reads_itself)
    status = results_load_file(path, &own, &bytes, &in.size, err);
  in.bytes = bytes;
  if (!status) {
    c->arena = arena;
    status = format->read(&in, err);
  }
  if (bytes)
    own.release(own.user, bytes);
  if (status)
    dae__arena_free(arena);
  else
    *out = &c->results;
  return status;
}

void dae_results_free(dae_results *results)
{
  if (results)
    dae__arena_free(((contents *)results)->arena);
}
