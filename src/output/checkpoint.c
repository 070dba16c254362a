/* Checkpoints of runs as files of two generations. */
#define _XOPEN_SOURCE 700
#include "core/env.h"
#include "core/error.h"
#include "output/file_hash.h"

#include <daedal/checkpoint.h>
#include <daedal/file.h>
#include <daedal/version.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECKPOINT_MAGIC "daecheck"
#define CHECKPOINT_VERSION 1
#define PUT_BYTES ((size_t)1 << 16)
#define ZERO_BYTES ((size_t)4096) /* block that counts as zero or not; a page of memory */
#define CHECKPOINT_PATH 4096      /* longest name of a file, with the suffix of the older one */

/* Header of a file. The text follows, the saved run as runs of zeros and of other bytes, and the
 * end. Its first two members are those of all versions. */
typedef struct checkpoint_header {
  char magic[8];
  int version;
  int unused;
  char library[16], build[232]; /* version and build of the library */
  uint64_t about_bytes, state_bytes;
} checkpoint_header;

/* A run of zeros and the other bytes that follow it. Much of a saved run is memory that was never
 * used: of a chain of 10^4 links two thirds. */
typedef struct checkpoint_run {
  uint64_t zeros, others;
} checkpoint_run;

/* End of a file: without it, or with another hash of all bytes before it, the file is torn. */
typedef struct checkpoint_end {
  uint64_t bytes, hash;
} checkpoint_end;

static checkpoint_header checkpoint_make_header(const dae_checkpoint *c)
{
  checkpoint_header header;
  memset(&header, 0, sizeof header);
  memcpy(header.magic, CHECKPOINT_MAGIC, sizeof header.magic);
  header.version = CHECKPOINT_VERSION;
  snprintf(header.library, sizeof header.library, "%s", dae_version());
  snprintf(header.build, sizeof header.build, "%s", dae_build());
  header.about_bytes = c->about_bytes;
  header.state_bytes = c->state_bytes;
  return header;
}

/* Name of the checkpoint before the last one; false: too long. */
static bool checkpoint_older(const char *path, char older[CHECKPOINT_PATH])
{
  return snprintf(older, CHECKPOINT_PATH, "%s.old", path) < CHECKPOINT_PATH;
}

/* ---- writing ---- */

/* Keeps the last checkpoint under the name of the older one, beside its own: at every instant there
 * is one. */
static void checkpoint_keep(const char *path)
{
  char older[CHECKPOINT_PATH];
  if (!checkpoint_older(path, older) || access(path, F_OK) != 0)
    return;
  (void)unlink(older);
  if (link(path, older) != 0) /* a file system without links */
    (void)rename(path, older);
}

/* A file that is being written, and the hash of its bytes. */
typedef struct checkpoint_writer {
  dae_file *file;
  dae__file_hash hash;
  dae_status status;
  dae_error *err;
} checkpoint_writer;

/* Adds bytes in blocks, so that the file needs no memory for all of them. */
static void checkpoint_put(checkpoint_writer *w, const void *bytes, size_t count)
{
  const char *from = bytes;
  for (size_t left = count; left > 0 && w->status >= 0;) {
    size_t now = left < PUT_BYTES ? left : PUT_BYTES;
    dae_file_write(w->file, from, now);
    w->status = dae_file_end_record(w->file, w->err);
    from += now;
    left -= now;
  }
  dae__file_hash_add(&w->hash, bytes, count);
}

/* Number of bytes from `from` on, at most `count`, in blocks that are zero, or that are not. */
static size_t checkpoint_run_length(const char *from, size_t count, bool zero)
{
  static const char zeros[ZERO_BYTES];
  size_t length = 0;
  while (length < count) {
    size_t now = count - length < ZERO_BYTES ? count - length : ZERO_BYTES;
    if ((memcmp(from + length, zeros, now) == 0) != zero)
      break;
    length += now;
  }
  return length;
}

static void checkpoint_put_state(checkpoint_writer *w, const char *from, size_t count)
{
  while (count > 0) {
    checkpoint_run run = {.zeros = checkpoint_run_length(from, count, true)};
    run.others = checkpoint_run_length(from + run.zeros, count - run.zeros, false);
    checkpoint_put(w, &run, sizeof run);
    checkpoint_put(w, from + run.zeros, run.others);
    from += run.zeros + run.others;
    count -= run.zeros + run.others;
  }
}

dae_status dae_checkpoint_write(const char *path, const dae_checkpoint *c, const dae_env *env,
                                dae_error *err)
{
  const checkpoint_header header = checkpoint_make_header(c);
  checkpoint_writer w = {.hash = dae__file_hash_start(), .err = err};
  DAE__TRY(dae_file_create(path, env, &w.file, err));
  checkpoint_put(&w, &header, sizeof header);
  checkpoint_put(&w, c->about, c->about_bytes);
  checkpoint_put_state(&w, c->state, c->state_bytes);
  const checkpoint_end end = {w.hash.bytes, dae__file_hash_value(&w.hash)};
  checkpoint_put(&w, &end, sizeof end);
  if (w.status >= 0)
    w.status = dae_file_sync(w.file, NULL, err);
  if (w.status < 0) {
    dae_file_discard(w.file);
    return w.status;
  }
  checkpoint_keep(path);
  return dae_file_commit(w.file, NULL, err);
}

bool dae_checkpoint_replaces(const char *path)
{
  char start[sizeof((checkpoint_header *)0)->magic];
  FILE *file = fopen(path, "rb");
  if (!file)
    return access(path, F_OK) != 0;
  size_t length = fread(start, 1, sizeof start, file);
  fclose(file);
  return length == 0 || (length == sizeof start && memcmp(start, CHECKPOINT_MAGIC, length) == 0);
}

void dae_checkpoint_remove(const char *path)
{
  /* itself last: killed between them, the run can still be resumed */
  static const char *const beside[] = {".part", ".old", ""};
  char name[CHECKPOINT_PATH];
  for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
    if (snprintf(name, sizeof name, "%s%s", path, beside[i]) < CHECKPOINT_PATH)
      (void)unlink(name);
}

/* ---- reading ---- */

static dae_status checkpoint_torn(const char *path, dae_error *err)
{
  char older[CHECKPOINT_PATH];
  bool other = checkpoint_older(path, older) && access(older, R_OK) == 0;
  return dae__fail(err, DAE_ERROR_FILE, path,
                   "the checkpoint %s is torn: its checksum or its length is wrong%s%s%s", path,
                   other ? "; the one before it is " : "", other ? older : "",
                   other ? ", from which the run may be resumed" : "");
}

/* Refuses the checkpoint of another version or build. */
static dae_status checkpoint_check_build(const char *path, const checkpoint_header *header,
                                         dae_error *err)
{
  const dae_checkpoint none = {0};
  const checkpoint_header own = checkpoint_make_header(&none);
  if (strncmp(header->library, own.library, sizeof own.library) != 0)
    return dae__fail(err, DAE_ERROR_PROBLEM, path,
                     "the checkpoint %s was written by daedal %.15s, this is %s: resume it with "
                     "the same version",
                     path, header->library, own.library);
  if (strncmp(header->build, own.build, sizeof own.build) != 0)
    return dae__fail(err, DAE_ERROR_PROBLEM, path,
                     "the checkpoint %s was written by another build of daedal, with other last "
                     "bits (%.140s): this is %.140s",
                     path, header->build, own.build);
  return DAE_OK;
}

/* Checks magic, version, and the end of a file of `size` bytes. */
static dae_status checkpoint_check(const char *bytes, size_t size, const char *path,
                                   checkpoint_header *header, dae_error *err)
{
  checkpoint_end end;
  if (size < sizeof header->magic || memcmp(bytes, CHECKPOINT_MAGIC, sizeof header->magic) != 0)
    return dae__fail(err, DAE_ERROR_FILE, path, "%s is no checkpoint of daedal", path);
  if (size < sizeof *header + sizeof end)
    return checkpoint_torn(path, err);
  memcpy(header, bytes, sizeof *header);
  if (header->version != CHECKPOINT_VERSION)
    return dae__fail(err, DAE_ERROR_PROBLEM, path,
                     "the checkpoint %s has version %d of its format, this daedal reads %d", path,
                     header->version, CHECKPOINT_VERSION);
  memcpy(&end, bytes + size - sizeof end, sizeof end);
  dae__file_hash hash = dae__file_hash_start();
  dae__file_hash_add(&hash, bytes, size - sizeof end);
  if (end.bytes != hash.bytes || end.hash != dae__file_hash_value(&hash) ||
      header->about_bytes > size - sizeof *header - sizeof end)
    return checkpoint_torn(path, err);
  return checkpoint_check_build(path, header, err);
}

/* Expands the runs of a saved run; false: they do not fit. */
static bool checkpoint_expand(const char *from, size_t left, char *to, size_t count)
{
  checkpoint_run run;
  while (count > 0) {
    if (left < sizeof run)
      return false;
    memcpy(&run, from, sizeof run);
    from += sizeof run;
    left -= sizeof run;
    if (run.zeros > count || run.others > count - run.zeros || run.others > left ||
        run.zeros + run.others == 0)
      return false;
    memset(to, 0, (size_t)run.zeros);
    memcpy(to + run.zeros, from, (size_t)run.others);
    to += run.zeros + run.others;
    count -= (size_t)(run.zeros + run.others);
    from += run.others;
    left -= (size_t)run.others;
  }
  return left == 0;
}

/* Makes the contents of a checkpoint from the bytes of its file. */
static dae_status checkpoint_open(const char *bytes, size_t size, const char *path,
                                  const dae_env *env, dae_checkpoint *out, dae_error *err)
{
  checkpoint_header header;
  DAE__TRY(checkpoint_check(bytes, size, path, &header, err));
  size_t about = (size_t)header.about_bytes, state = (size_t)header.state_bytes;
  if (header.state_bytes > SIZE_MAX / 2)
    return checkpoint_torn(path, err);
  char *own = env->allocate(env->user, about + state + 1);
  if (!own)
    return dae__out_of_memory(err);
  *out = (dae_checkpoint){
      .about = own, .about_bytes = about, .state = own + about, .state_bytes = state};
  memcpy(own, bytes + sizeof header, about);
  size_t left = size - sizeof header - about - sizeof(checkpoint_end);
  if (checkpoint_expand(bytes + sizeof header + about, left, own + about, state))
    return DAE_OK;
  dae_checkpoint_free(out, env);
  return checkpoint_torn(path, err);
}

static dae_status checkpoint_read_file(FILE *file, size_t size, const char *path,
                                       const dae_env *env, dae_checkpoint *out, dae_error *err)
{
  char *bytes = env->allocate(env->user, size + 1);
  if (!bytes)
    return dae__out_of_memory(err);
  dae_status status = fread(bytes, 1, size, file) == size
                          ? checkpoint_open(bytes, size, path, env, out, err)
                          : checkpoint_torn(path, err);
  env->release(env->user, bytes);
  return status;
}

dae_status dae_checkpoint_read(const char *path, const dae_env *env, dae_checkpoint *out,
                               dae_error *err)
{
  const dae_env own = dae__env_of(env);
  struct stat status;
  *out = (dae_checkpoint){0};
  errno = EINVAL;
  bool regular = stat(path, &status) == 0 && S_ISREG(status.st_mode);
  FILE *file = regular ? fopen(path, "rb") : NULL;
  if (!file)
    return dae__fail_file(err, path, "read");
  dae_status result = checkpoint_read_file(file, (size_t)status.st_size, path, &own, out, err);
  fclose(file);
  return result;
}

void dae_checkpoint_free(dae_checkpoint *c, const dae_env *env)
{
  const dae_env own = dae__env_of(env);
  if (c->about)
    own.release(own.user, (void *)c->about);
  *c = (dae_checkpoint){0};
}
