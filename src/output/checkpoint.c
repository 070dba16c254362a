/* Checkpoints of runs as files of two generations. */
#define _XOPEN_SOURCE 700
#include "core/env.h"
#include "core/error.h"
#include "core/hash.h"

#include <daedal/checkpoint.h>
#include <daedal/file.h>
#include <daedal/version.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECKPOINT_MAGIC "daecheck"
#define CHECKPOINT_VERSION 1
#define CHECKPOINT_PATH 4096 /* longest name of a file, with the suffix of the older one */

/* Header of a file; the text and the saved run follow. Its first two members are those of all
 * versions. */
typedef struct checkpoint_header {
  char magic[8];
  int version;
  int unused;
  char library[16], build[232]; /* version and build of the library */
  uint64_t about_bytes, state_bytes;
  uint64_t checksum; /* of the text, the saved run, and the header without it */
} checkpoint_header;

static uint64_t checkpoint_hash(uint64_t h, const void *bytes, size_t count)
{
  h = dae__hash_words(h, bytes, count / 8);
  return dae__hash(h, (const char *)bytes + count / 8 * 8, count % 8);
}

static uint64_t checkpoint_checksum(const checkpoint_header *header, const dae_checkpoint *c)
{
  checkpoint_header own = *header;
  own.checksum = 0;
  uint64_t h = dae__hash(DAE__HASH_START, &own, sizeof own);
  h = checkpoint_hash(h, c->about, c->about_bytes);
  return checkpoint_hash(h, c->state, c->state_bytes);
}

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
  header.checksum = checkpoint_checksum(&header, c);
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

/* Adds bytes in blocks, so that the file needs no memory for all of them. */
static dae_status checkpoint_put(dae_file *file, const void *bytes, size_t count, dae_error *err)
{
  const size_t block = (size_t)1 << 16;
  const char *from = bytes;
  dae_status status = DAE_OK;
  for (size_t left = count; left > 0 && status >= 0;) {
    size_t now = left < block ? left : block;
    dae_file_write(file, from, now);
    status = dae_file_end_record(file, err);
    from += now;
    left -= now;
  }
  return status;
}

dae_status dae_checkpoint_write(const char *path, const dae_checkpoint *c, const dae_env *env,
                                dae_error *err)
{
  checkpoint_header header = checkpoint_make_header(c);
  dae_file *file;
  DAE__TRY(dae_file_create(path, env, &file, err));
  dae_status status = checkpoint_put(file, &header, sizeof header, err);
  if (status >= 0)
    status = checkpoint_put(file, c->about, c->about_bytes, err);
  if (status >= 0)
    status = checkpoint_put(file, c->state, c->state_bytes, err);
  if (status >= 0)
    status = dae_file_sync(file, NULL, err);
  if (status < 0) {
    dae_file_discard(file);
    return status;
  }
  checkpoint_keep(path);
  return dae_file_commit(file, NULL, err);
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
  static const char *const beside[] = {"", ".old", ".part"};
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

/* Reads and checks the header, and the length of the file. */
static dae_status checkpoint_read_header(FILE *file, const char *path, checkpoint_header *header,
                                         dae_error *err)
{
  struct stat status;
  size_t length = fread(header, 1, sizeof *header, file);
  if (length < sizeof header->magic ||
      memcmp(header->magic, CHECKPOINT_MAGIC, sizeof header->magic) != 0)
    return dae__fail(err, DAE_ERROR_FILE, path, "%s is no checkpoint of daedal", path);
  if (length < sizeof *header || fstat(fileno(file), &status) != 0)
    return checkpoint_torn(path, err);
  if (header->version != CHECKPOINT_VERSION)
    return dae__fail(err, DAE_ERROR_PROBLEM, path,
                     "the checkpoint %s has version %d of its format, this daedal reads %d", path,
                     header->version, CHECKPOINT_VERSION);
  uint64_t rest = (uint64_t)status.st_size - sizeof *header;
  return header->about_bytes <= rest && header->state_bytes == rest - header->about_bytes
             ? DAE_OK
             : checkpoint_torn(path, err);
}

static dae_status checkpoint_read_file(FILE *file, const char *path, const dae_env *env,
                                       dae_checkpoint *out, dae_error *err)
{
  checkpoint_header header;
  DAE__TRY(checkpoint_read_header(file, path, &header, err));
  size_t about = (size_t)header.about_bytes, all = about + (size_t)header.state_bytes;
  char *bytes = env->allocate(env->user, all + 1);
  if (!bytes)
    return dae__out_of_memory(err);
  *out = (dae_checkpoint){
      .about = bytes, .about_bytes = about, .state = bytes + about, .state_bytes = all - about};
  dae_status status = DAE_OK;
  if (fread(bytes, 1, all, file) != all || checkpoint_checksum(&header, out) != header.checksum)
    status = checkpoint_torn(path, err);
  else
    status = checkpoint_check_build(path, &header, err);
  if (status < 0)
    dae_checkpoint_free(out, env);
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
  dae_status result = checkpoint_read_file(file, path, &own, out, err);
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
