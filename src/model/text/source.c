/* The text of a model: files in memory, places in the text, and errors at a place. */
#define _XOPEN_SOURCE 700 /* for realpath and O_CLOEXEC */

#include "core/env.h"
#include "core/error.h"
#include "model/graph/walk.h"
#include "model/load.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- places ---- */

static const dae__file *source_file_of(const dae__files *files, int place)
{
  for (int i = files->count - 1; i >= 0; i--)
    if (place >= files->item[i].first)
      return &files->item[i];
  return NULL;
}

static bool source_continues_character(char c)
{
  return ((unsigned char)c & 0xC0) == 0x80;
}

/* Finds the line [from, to) that contains an offset; returns its number. */
static int source_find_line(const dae__file *f, int offset, int *from, int *to)
{
  int line = 1;
  *from = 0;
  for (int i = 0; i < offset; i++)
    if (f->text[i] == '\n')
      line++, *from = i + 1;
  for (*to = offset; *to < f->length && f->text[*to] != '\n';)
    ++*to;
  if (*to > *from && f->text[*to - 1] == '\r')
    --*to;
  return line;
}

void dae__locate_error(const dae__files *files, int place, dae_error *err)
{
  const dae__file *f = source_file_of(files, place);
  int from, to;
  if (!f || !err)
    return;
  int offset = place - f->first;
  if (offset > f->length)
    offset = f->length;
  err->line = source_find_line(f, offset, &from, &to);
  if (offset > to)
    offset = to; /* a carriage return is not part of the line */
  err->column = 1;
  for (int i = from; i < offset; i++)
    err->column += !source_continues_character(f->text[i]);
  snprintf(err->file, sizeof err->file, "%s", f->name);
  /* Source line of an error, or the part of it around the offset that fits in err->source. */
  const int room = (int)sizeof err->source - 1;
  if (offset - from > room - 40)
    from = offset - (room - 40);
  while (from < offset && source_continues_character(f->text[from]))
    from++;
  if (to - from > room)
    to = from + room;
  while (to > offset && to < f->length && source_continues_character(f->text[to]))
    to--;
  if (to < from)
    to = from;
  memcpy(err->source, f->text + from, (size_t)(to - from));
  err->source[to - from] = 0;
  for (char *c = err->source; *c; c++)
    if (((unsigned char)*c < ' ' && *c != '\t') || *c == 127)
      *c = ' ';
  err->caret = offset - from;
}

int dae__line_of(const dae__files *files, int place)
{
  const dae__file *f = source_file_of(files, place);
  int from, to;
  return f ? source_find_line(f, place - f->first, &from, &to) : 0;
}

/* ---- errors ---- */

dae_status dae__load_fail(dae__load *l, int place, const char *format, ...)
{
  char text[sizeof l->err->text];
  va_list arguments;
  if (!dae__load_ok(l)) /* after a failure, later errors may be its consequences */
    return l->status;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  dae__fail(l->err, DAE_ERROR_MODEL, NULL, "%s", text);
  dae__locate_error(&l->files, place, l->err);
  return l->status = DAE_ERROR_MODEL;
}

bool dae__load_ok(dae__load *l)
{
  bool failed = l->keep->failed || l->scratch->failed || (l->walker && l->walker->failed) ||
                (l->graph && l->graph->failed && !l->graph->full);
  if (l->status == DAE_OK && failed)
    l->status = dae__out_of_memory(l->err);
  return !l->status;
}

#define WORK_PER_STOP                                                                              \
  10000 /* work between two looks for a request to stop: about a millisecond                       \
         */

dae_status dae__load_check_work(dae__load *l, int place)
{
  l->ask = l->work + WORK_PER_STOP;
  if (l->work > l->limits.max_work)
    dae__load_fail(l, place,
                   "the model is too large: expanding its arrays, loops and lets takes more "
                   "than %ld steps; use smaller arrays",
                   l->limits.max_work);
  if (!l->status)
    l->status = dae__env_proceed(&l->keep->env, l->err);
  return l->status;
}

bool dae__load_record(dae__load *l, int place)
{
  long most = l->limits.max_nodes / DAE__RECORD_NODES;
  if (++l->records > most)
    dae__load_fail(l, place,
                   "the model is too large: it may have %ld variables, rates, multipliers and "
                   "equations together",
                   most);
  return !l->status;
}

/* ---- files ---- */

/* Number of bytes that the files of the model may still have. */
static size_t source_bytes_left(const dae__load *l)
{
  size_t used = 0;
  for (int i = 0; i < l->files.count; i++)
    used += (size_t)l->files.item[i].length;
  return l->limits.max_bytes > used ? l->limits.max_bytes - used : 0;
}

int dae__open_text(dae__load *l, int place, const char *name, const char *text, size_t length)
{
  if (length > source_bytes_left(l)) {
    dae__load_fail(
        l, place,
        "%s is too large: the files of a model may have %zu bytes together; write arrays "
        "and for loops in place of repeated statements",
        name, l->limits.max_bytes);
    return -1;
  }
  const dae__file *last = l->files.count > 0 ? &l->files.item[l->files.count - 1] : NULL;
  int first = last ? last->first + last->length + 1 : 0;
  const char *copy = dae__pool_text(l->keep, text, length);
  *DAE__PUSH(l->keep, &l->files) = (dae__file){.name = dae__pool_text(l->keep, name, strlen(name)),
                                               .text = copy,
                                               .length = (int)length,
                                               .first = first};
  if (!dae__load_ok(l))
    return -1;
  const char *zero = memchr(copy, 0, length);
  if (zero)
    dae__load_fail(l, first + (int)(zero - copy),
                   "zero byte: not a text file; models are UTF-8 text");
  return l->status ? -1 : l->files.count - 1;
}

/* Records an error about a file that cannot be read; returns -1. */
static int source_unreadable(dae__load *l, int place, const char *name, const char *why)
{
  if (l->status)
    return -1;
  l->status = dae__fail(l->err, DAE_ERROR_FILE, NULL, "cannot read %s: %s", name, why);
  dae__locate_error(&l->files, place, l->err);
  return -1;
}

/* Reads a file into scratch memory, up to one byte beyond the limit. size: size of the file, 0 for
 * a pipe. NULL: error in errno, or out of memory. */
static char *source_read_all(dae__load *l, int in, size_t size, size_t *length)
{
  size_t most = source_bytes_left(l) + 1, room = (size < most ? size : most) + 1024;
  char *text = DAE__NEW_ARRAY(l->scratch, char, room);
  *length = 0;
  while (text) {
    ssize_t got = read(in, text + *length, (room < most ? room : most) - *length);
    if (got < 0 && errno != EINTR)
      return NULL;
    *length += got > 0 ? (size_t)got : 0;
    if (got == 0 || *length == size || *length == most)
      break;
    if (*length < room)
      continue;
    char *larger = DAE__NEW_ARRAY(l->scratch, char, 2 * room);
    if (larger)
      memcpy(larger, text, *length);
    text = larger;
    room *= 2;
  }
  return text;
}

int dae__open_file(dae__load *l, int place, const char *name, const char *path)
{
  struct stat info = {.st_mode = 0};
  char *text = NULL;
  size_t length = 0;
  const char *why = "it is not a regular file";
  /* A pipe that is imported is not opened, since that might block for ever. */
  bool irregular = place >= 0 && !stat(path, &info) && !S_ISREG(info.st_mode);
  int in = irregular ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  bool opened = in >= 0 && !fstat(in, &info);
  bool readable = opened && !S_ISDIR(info.st_mode);
  if (readable)
    text = source_read_all(l, in, info.st_size > 0 ? (size_t)info.st_size : 0, &length);
  if (!irregular && (!opened || (readable && !text)))
    why = strerror(errno);
  if (in >= 0)
    close(in);
  if (!dae__load_ok(l))
    return -1;
  if (!text)
    return source_unreadable(l, place, name, why);
  const char *kept_path = dae__pool_text(l->keep, path, strlen(path));
  int file = dae__open_text(l, place, name, text, length);
  if (file >= 0)
    l->files.item[file].path = kept_path;
  return file;
}

/* Length of the folder part of a path, with its final slash. */
static size_t source_folder(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Resolves the links in the path of the model, at the first file that it names: that takes as long
 * as parsing. */
static void source_resolve_model(dae__load *l)
{
  dae__file *main_file = &l->files.item[0];
  if (main_file->canonical)
    return;
  char *own = realpath(main_file->path, NULL);
  if (own) /* a pipe has no real path */
    main_file->path = dae__pool_text(l->keep, own, strlen(own));
  main_file->canonical = true;
  free(own);
}

const char *dae__resolve_path(dae__load *l, int place, const char *path, const char *what,
                              const char *done, const char **shown)
{
  const dae__file *main_file = &l->files.item[0], *from = source_file_of(&l->files, place);
  if (!main_file->path) {
    dae__load_fail(l, place, "a model that was not read from a file cannot %s files",
                   !strcmp(done, "imported") ? "import" : "read");
    return NULL;
  }
  if (path[0] == '/' || path[0] == 0) {
    dae__load_fail(l, place,
                   "the path of %s must be relative to this file, below the folder of the model",
                   what);
    return NULL;
  }
  source_resolve_model(l);
  if (!dae__load_ok(l))
    return NULL;
  *shown = dae__pool_print(l->scratch, "%.*s%s", (int)source_folder(from->name), from->name, path);
  char *joined =
      dae__pool_print(l->scratch, "%.*s%s", (int)source_folder(from->path), from->path, path);
  if (!dae__load_ok(l))
    return NULL;
  char *real = realpath(joined, NULL);
  if (!real) {
    source_unreadable(l, place, *shown, strerror(errno));
    return NULL;
  }
  if (strncmp(real, main_file->path, source_folder(main_file->path)) != 0)
    dae__load_fail(l, place, "%s is outside the folder of the model; only files below it can be %s",
                   *shown, done);
  const char *copy = dae__pool_text(l->scratch, real, strlen(real));
  free(real);
  return dae__load_ok(l) ? copy : NULL;
}

bool dae__load_regular(dae__load *l, int place, const char *name, const char *path)
{
  struct stat info;
  if (stat(path, &info))
    return source_unreadable(l, place, name, strerror(errno)) >= 0;
  return S_ISREG(info.st_mode) ||
         source_unreadable(l, place, name, "it is not a regular file") >= 0;
}

int dae__open_import(dae__load *l, int place, const char *path)
{
  const char *shown, *real = dae__resolve_path(l, place, path, "an import", "imported", &shown);
  if (!real)
    return -1;
  for (int i = 0; i < l->files.count; i++)
    if (l->files.item[i].path && !strcmp(l->files.item[i].path, real))
      return i;
  return dae__open_file(l, place, shown, real);
}
