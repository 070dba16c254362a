/* Files written as a part and renamed when they are whole. */
#define _XOPEN_SOURCE 700
#include "core/error.h"
#include "core/text.h"
#include "output/file_hash.h"
#include "output/file_place.h"

#include <daedal/file.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Bytes from which on whole records are written; chosen, not measured. */
#define FILE_FLUSH_BYTES ((size_t)1 << 16)
#define FILE_FLUSH_SECONDS 1 /* longest time that whole records wait in the buffer */

struct dae_file {
  dae__arena *arena;
  dae__file_place place;
  char *buffer; /* bytes that are not written yet */
  size_t length, size;
  size_t whole;        /* number of those that belong to whole records */
  long records;        /* whole records, in the file and in the buffer */
  long written;        /* whole records in the file */
  dae__file_hash hash; /* of the bytes in the file */
  time_t flushed;      /* time of the last write */
  dae_error error;     /* first failure */
};

/* ---- memory ---- */

static void file_free(dae_file *f)
{
  const dae_env env = *dae__arena_env(f->arena);
  if (f->place.fd >= 0)
    close(f->place.fd);
  if (f->buffer)
    env.release(env.user, f->buffer);
  dae__arena_free(f->arena);
}

/* ---- failures ---- */

/* Records the first failure, with the reason in errno, and what is left: the whole records of the
 * part, and the older file. */
static void file_fail(dae_file *f, const char *what)
{
  if (f->error.status != DAE_OK)
    return;
  dae__fail_file(&f->error, f->place.path, what);
  if (f->place.direct)
    return;
  dae__text text = {f->error.text, sizeof f->error.text, strlen(f->error.text)};
  if (f->written > 0)
    dae__text_add(&text, "; %s has the first %ld lines", f->place.part, f->written);
  if (f->place.existed)
    dae__text_add(&text, "; %s is as it was before", f->place.path);
}

static dae_status file_outcome(const dae_file *f, dae_error *err)
{
  if (f->error.status != DAE_OK && err)
    *err = f->error;
  return f->error.status;
}

/* Allocates a handle and opens its file, which keeps its contents. */
static dae_status file_begin(const char *path, const dae_env *env, dae_file **out, dae_error *err)
{
  *out = NULL;
  if (!path || !*path)
    return dae__fail(err, DAE_ERROR_USAGE, "path", "a file has no name");
  dae__arena *arena = dae__arena_create(env);
  dae_file *f = DAE__ALLOC(arena, dae_file, 1);
  if (!f) {
    dae__arena_free(arena);
    return dae__out_of_memory(err);
  }
  const dae_env *own = dae__arena_env(arena);
  *f = (dae_file){.arena = arena,
                  .place.fd = -1,
                  .size = 2 * FILE_FLUSH_BYTES,
                  .hash = dae__file_hash_start(),
                  .flushed = time(NULL),
                  .error = dae_error_none()};
  f->buffer = own->allocate(own->user, f->size);
  dae_status status =
      f->buffer ? dae__file_open(arena, path, &f->place, err) : dae__out_of_memory(err);
  if (status < 0)
    file_free(f);
  else
    *out = f;
  return status;
}

dae_status dae_file_create(const char *path, const dae_env *env, dae_file **out, dae_error *err)
{
  DAE__TRY(file_begin(path, env, out, err));
  dae_file *f = *out;
  if (f->place.direct || ftruncate(f->place.fd, 0) == 0)
    return DAE_OK;
  dae__fail_file(err, f->place.part, "written");
  file_free(f);
  *out = NULL;
  return DAE_ERROR_FILE;
}

/* ---- writing ---- */

/* Writes bytes at the end of the file; returns whether all of them were written. */
static bool file_write_all(int fd, const char *bytes, size_t count)
{
  while (count > 0) {
    ssize_t n = write(fd, bytes, count);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes += n;
    count -= (size_t)n;
  }
  return true;
}

/* Writes the first `count` bytes of the buffer; after a failure the part is cut back to its whole
 * records. */
static void file_flush(dae_file *f, size_t count)
{
  if (f->error.status != DAE_OK || count == 0)
    return;
  errno = 0;
  if (!file_write_all(f->place.fd, f->buffer, count)) {
    int why = errno;
    if (!f->place.direct && ftruncate(f->place.fd, (off_t)f->hash.bytes) != 0)
      f->written = 0; /* the end of the part is not known */
    errno = why;
    file_fail(f, "written");
    return;
  }
  dae__file_hash_add(&f->hash, f->buffer, count);
  memmove(f->buffer, f->buffer + count, f->length - count);
  f->length -= count;
  f->whole = 0;
  f->written = f->records;
  f->flushed = time(NULL);
}

/* Makes room for a record that is longer than the buffer. */
static bool file_grow(dae_file *f, size_t count)
{
  size_t size = 2 * (f->length + count);
  const dae_env *env = dae__arena_env(f->arena);
  char *buffer = size > count ? env->allocate(env->user, size) : NULL;
  if (!buffer) {
    if (f->error.status == DAE_OK)
      dae__fail(&f->error, DAE_ERROR_MEMORY, NULL, "no memory for a record of %s", f->place.path);
    return false;
  }
  memcpy(buffer, f->buffer, f->length);
  env->release(env->user, f->buffer);
  f->buffer = buffer;
  f->size = size;
  return true;
}

void dae_file_write(dae_file *f, const void *bytes, size_t count)
{
  if (f->error.status != DAE_OK)
    return;
  if (count > f->size - f->length && !file_grow(f, count))
    return;
  memcpy(f->buffer + f->length, bytes, count);
  f->length += count;
}

void dae_file_put(dae_file *f, const char *text)
{
  dae_file_write(f, text, strlen(text));
}

dae_status dae_file_end_record(dae_file *f, dae_error *err)
{
  f->records++;
  f->whole = f->length;
  if (f->length >= FILE_FLUSH_BYTES || time(NULL) >= f->flushed + FILE_FLUSH_SECONDS)
    file_flush(f, f->whole);
  return file_outcome(f, err);
}

void dae_file_replace(dae_file *f, uint64_t offset, const void *bytes, size_t count)
{
  file_flush(f, f->length);
  if (f->error.status == DAE_OK &&
      pwrite(f->place.fd, bytes, count, (off_t)offset) != (ssize_t)count)
    file_fail(f, "written");
}

dae_status dae_file_sync(dae_file *f, dae_file_position *at, dae_error *err)
{
  if (f->place.direct && !f->place.null)
    return dae__fail(err, DAE_ERROR_FILE, f->place.path,
                     "%s is not a regular file: results there cannot be cut back to a checkpoint",
                     f->place.path);
  file_flush(f, f->whole);
  if (f->error.status == DAE_OK && !dae__file_synchronise(f->place.fd))
    file_fail(f, "written");
  if (at)
    *at = (dae_file_position){
        .bytes = f->hash.bytes, .hash = dae__file_hash_value(&f->hash), .records = f->written};
  return file_outcome(f, err);
}

long dae_file_records(const dae_file *f)
{
  return f->error.status == DAE_OK ? f->records : f->written;
}

const char *dae_file_part(const dae_file *f)
{
  return f->place.part;
}

/* ---- earlier positions ---- */

/* Reads the bytes up to a position from `from`, and writes them to the descriptor `to`, unless that
 * is negative; whether they are those of the position. */
static bool file_read_to(dae_file *f, const dae_file_position *at, int from, int to)
{
  uint64_t left = at->bytes;
  f->hash = dae__file_hash_start();
  if (lseek(from, 0, SEEK_SET) != 0)
    return false;
  while (left > 0) {
    size_t wanted = left < f->size ? (size_t)left : f->size;
    ssize_t n = read(from, f->buffer, wanted);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0 || (to >= 0 && !file_write_all(to, f->buffer, (size_t)n)))
      return false;
    dae__file_hash_add(&f->hash, f->buffer, (size_t)n);
    left -= (uint64_t)n;
  }
  return dae__file_hash_value(&f->hash) == at->hash;
}

/* Copies the bytes up to a position from the whole file into the part. */
static bool file_copy_target(dae_file *f, const dae_file_position *at)
{
  int from = f->place.existed ? open(f->place.target, O_RDONLY | O_CLOEXEC) : -1;
  bool copied = from >= 0 && ftruncate(f->place.fd, 0) == 0 &&
                lseek(f->place.fd, 0, SEEK_SET) == 0 && file_read_to(f, at, from, f->place.fd);
  if (from >= 0)
    close(from);
  return copied;
}

dae_status dae_file_cut(dae_file *f, const dae_file_position *at, dae_error *err)
{
  f->length = f->whole = 0;
  f->records = f->written = at->records;
  f->error = dae_error_none();
  errno = 0;
  bool same = f->place.direct ? f->place.null
                              : file_read_to(f, at, f->place.fd, -1) || file_copy_target(f, at);
  if (!same)
    dae__fail(&f->error, DAE_ERROR_FILE, f->place.path,
              "neither %s nor %s begins with the %llu bytes that were written up to the saved "
              "state: the results cannot be continued",
              f->place.part, f->place.path, (unsigned long long)at->bytes);
  else if (!f->place.direct && (ftruncate(f->place.fd, (off_t)at->bytes) != 0 ||
                                lseek(f->place.fd, (off_t)at->bytes, SEEK_SET) < 0))
    file_fail(f, "cut back");
  return file_outcome(f, err);
}

dae_status dae_file_continue(const char *path, const dae_file_position *at, const dae_env *env,
                             dae_file **out, dae_error *err)
{
  DAE__TRY(file_begin(path, env, out, err));
  dae_status status = dae_file_cut(*out, at, err);
  if (status < 0) {
    file_free(*out);
    *out = NULL;
  }
  return status;
}

/* ---- the end ---- */

dae_status dae_file_commit(dae_file *f, long *records, dae_error *err)
{
  f->records += f->length > f->whole; /* the rest is a record, too */
  file_flush(f, f->length);
  if (f->error.status == DAE_OK && !f->place.direct && !dae__file_rename(&f->place))
    file_fail(f, "written");
  if (f->error.status == DAE_OK && f->place.direct && close(f->place.fd) != 0)
    file_fail(f, "written");
  if (f->place.direct && f->error.status == DAE_OK)
    f->place.fd = -1;
  if (f->error.status != DAE_OK && !f->place.direct && f->written == 0)
    (void)unlink(f->place.part);
  if (records)
    *records = dae_file_records(f);
  dae_status status = file_outcome(f, err);
  file_free(f);
  return status;
}

void dae_file_leave(dae_file *f)
{
  file_flush(f, f->whole);
  file_free(f);
}

void dae_file_discard(dae_file *f)
{
  if (!f)
    return;
  if (!f->place.direct)
    (void)unlink(f->place.part);
  file_free(f);
}
