/* The cache of native code: a folder with a file for each source that was compiled.
 *
 * Whatever lies in the folder is loaded and run. It therefore has to belong to the user, and nobody
 * else may write to it. A file is the library, behind it the text it was made of (source, compiler,
 * options, kind of machine), behind that a tail with the size of the text and a checksum of all
 * bytes. The key in the name only leads to the file: it is taken if the text is the same byte for
 * byte and the checksum is right, so that neither two texts with one key nor a file that was cut
 * short can do harm. Files are written elsewhere in the folder and renamed: several processes may
 * compile the same model at once, and the last one wins. */
#define _POSIX_C_SOURCE 200809L

#include "core/error.h"
#include "model/native/native.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct tail {
  char mark[16];
  uint64_t text, sum; /* size of the text; checksum of everything before the tail */
} tail;

static const char tail_mark[16] = "daedal native 1";

/* FNV-1a, continued from a value */
#define FNV_START UINT64_C(14695981039346656037)
static uint64_t cache_checksum(uint64_t sum, const char *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    sum = (sum ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
  return sum;
}

/* ---- the folder ---- */

static dae_status cache_no_folder(dae_error *err, const char *folder, const char *why)
{
  return dae__fail(err, DAE_ERROR_NATIVE, NULL,
                   "the folder of native code, %.200s, %s. Name another one in the environment "
                   "variable DAEDAL_CACHE",
                   folder, why);
}

/* its name: what was wished for, or what the environment says */
static dae_status cache_name_folder(const char *wished, char *folder, size_t size, dae_error *err)
{
  const char *own = getenv("DAEDAL_CACHE"), *cache = getenv("XDG_CACHE_HOME");
  const char *home = getenv("HOME");
  int length = -1;
  if (wished || (own && *own))
    length = snprintf(folder, size, "%s", wished ? wished : own);
  else if (cache && *cache == '/') /* others are to be ignored, says the XDG specification */
    length = snprintf(folder, size, "%s/daedal", cache);
  else if (home && *home)
    length = snprintf(folder, size, "%s/.cache/daedal", home);
  if (length < 0)
    return cache_no_folder(err, "~/.cache/daedal", "has no name, as HOME is not set");
  return (size_t)length < size ? DAE_OK : cache_no_folder(err, folder, "has too long a name");
}

/* with the folders above it, as far as they are missing */
static bool cache_make_folder(const char *folder)
{
  char path[DAE__NATIVE_PATH];
  size_t length = strlen(folder);
  memcpy(path, folder, length + 1);
  for (size_t i = 1; i < length; i++) {
    if (path[i] != '/')
      continue;
    path[i] = 0;
    mkdir(path, 0700); /* where it fails the last one does, too */
    path[i] = '/';
  }
  return mkdir(path, 0700) == 0 || errno == EEXIST;
}

dae_status dae__native_folder(const char *wished, dae__native_place *place, dae_error *err)
{
  struct stat is;
  const char *folder = place->folder;
  DAE__TRY(cache_name_folder(wished, place->folder, sizeof place->folder, err));
  if (!cache_make_folder(folder) || stat(folder, &is) != 0)
    return cache_no_folder(err, folder, strerror(errno));
  if (!S_ISDIR(is.st_mode))
    return cache_no_folder(err, folder, "is no folder");
  if (is.st_uid != geteuid() || getuid() != geteuid())
    return cache_no_folder(err, folder, "belongs to another user, whose code must not be run");
  if (is.st_mode & (S_IWGRP | S_IWOTH))
    return cache_no_folder(err, folder, "can be written to by others, whose code must not be run");
  return DAE_OK;
}

void dae__native_name(dae__native_place *place, const char *model, const dae__source *text)
{
  unsigned long long key = cache_checksum(FNV_START, text->text, (size_t)text->length);
  snprintf(place->library, sizeof place->library, "%s/%.60s-%016llx.so", place->folder, model, key);
  snprintf(place->source, sizeof place->source, "%s/%.60s-%016llx.c", place->folder, model, key);
}

/* ---- files ---- */

/* The whole file in memory of env, or NULL. */
static char *cache_read_file(const dae_env *env, const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  struct stat is;
  char *bytes = NULL;
  if (file && fstat(fileno(file), &is) == 0 && S_ISREG(is.st_mode) && is.st_size > 0) {
    *size = (size_t)is.st_size;
    bytes = env->allocate(env->user, *size);
    if (bytes && fread(bytes, 1, *size, file) != *size) {
      env->release(env->user, bytes);
      bytes = NULL;
    }
  }
  if (file)
    fclose(file);
  return bytes;
}

static bool cache_is_made_of(const char *bytes, size_t size, const dae__source *text)
{
  tail end;
  size_t length = (size_t)text->length;
  if (size < length + sizeof end)
    return false;
  memcpy(&end, bytes + size - sizeof end, sizeof end);
  size -= sizeof end;
  return memcmp(end.mark, tail_mark, sizeof end.mark) == 0 && end.text == length &&
         memcmp(bytes + size - length, text->text, length) == 0 &&
         end.sum == cache_checksum(FNV_START, bytes, size);
}

bool dae__native_find(const dae__native_place *place, const dae__source *text)
{
  size_t size = 0;
  char *bytes = cache_read_file(&text->env, place->library, &size);
  bool found = bytes && cache_is_made_of(bytes, size, text);
  if (bytes)
    text->env.release(text->env.user, bytes);
  return found;
}

static bool cache_append(const char *path, const dae__source *text, const tail *end)
{
  FILE *file = fopen(path, "ab");
  if (!file)
    return false;
  bool written = fwrite(text->text, 1, (size_t)text->length, file) == (size_t)text->length &&
                 fwrite(end, sizeof *end, 1, file) == 1;
  return fclose(file) == 0 && written;
}

dae_status dae__native_keep(const dae__native_place *place, const char *compiled,
                            const dae__source *text, dae_error *err)
{
  size_t size = 0;
  char *bytes = cache_read_file(&text->env, compiled, &size);
  if (!bytes)
    return dae__fail(err, DAE_ERROR_NATIVE, NULL,
                     "the compiler has not made a library that can "
                     "be read");
  tail end = {.text = (uint64_t)text->length};
  memcpy(end.mark, tail_mark, sizeof end.mark);
  end.sum =
      cache_checksum(cache_checksum(FNV_START, bytes, size), text->text, (size_t)text->length);
  text->env.release(text->env.user, bytes);
  if (!cache_append(compiled, text, &end) || rename(compiled, place->library) != 0)
    return dae__fail(err, DAE_ERROR_NATIVE, NULL, "native code could not be written to %.200s: %s",
                     place->library, strerror(errno));
  return DAE_OK;
}
