/* The cache of native code: a folder with a file for each source that was compiled.
 *
 * Files of the folder are loaded and executed. It therefore must belong to the user, and nobody
 * else may write to it. A file is the library, followed by the text it was compiled from (source,
 * compiler, options, machine), followed by a tail with the size of the text and a checksum of
 * library and text. The key in the name only finds the file: the file is valid if the text is the
 * same byte for byte and the checksum is right, so that hash collisions and truncated files are
 * detected. Files are written in a temporary subfolder and renamed: several processes
 * may compile the same model at once, and the last one wins. */
#define _POSIX_C_SOURCE 200809L

#include "core/error.h"
#include "core/hash.h"
#include "model/native/native.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct tail {
  char mark[16];
  uint64_t text, sum; /* size of the source text; checksum of all bytes before the tail */
} tail;

static const char tail_mark[16] = "daedal native 1";

/* ---- cache folder ---- */

static dae_status cache_no_folder(dae_error *err, const char *folder, const char *why)
{
  return dae__fail(err, DAE_ERROR_NATIVE, NULL,
                   "the folder of native code, %.200s, %s. Set another one in the environment "
                   "variable DAEDAL_CACHE",
                   folder, why);
}

/* The path of the folder is an option, or comes from the environment. */
dae_status dae__native_folder(const char *wished, dae__native_place *place, dae_error *err)
{
  const char *own = getenv("DAEDAL_CACHE"), *cache = getenv("XDG_CACHE_HOME");
  const char *home = getenv("HOME"), *folder = place->folder;
  struct stat is;
  int count = -1, why = 0;
  if (wished || (own && *own))
    count = snprintf(place->folder, sizeof place->folder, "%s", wished ? wished : own);
  else if (cache && *cache == '/') /* XDG specification: relative paths are ignored */
    count = snprintf(place->folder, sizeof place->folder, "%s/daedal", cache);
  else if (home && *home)
    count = snprintf(place->folder, sizeof place->folder, "%s/.cache/daedal", home);
  if (count < 0)
    return cache_no_folder(err, "~/.cache/daedal", "is unknown, as HOME is not set");
  if ((size_t)count >= sizeof place->folder)
    return cache_no_folder(err, folder, "has a name that is too long");
  char path[DAE__NATIVE_PATH];
  memcpy(path, folder, (size_t)count + 1);
  for (int i = 1; i <= count; i++) { /* creates the folder and all missing parent folders */
    if (path[i] != '/' && path[i] != 0)
      continue;
    char end = path[i];
    path[i] = 0;
    why = mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : errno;
    path[i] = end;
  }
  if (!why && stat(folder, &is) != 0)
    why = errno;
  if (why)
    return cache_no_folder(err, folder, strerror(why));
  if (!S_ISDIR(is.st_mode))
    return cache_no_folder(err, folder, "is not a folder");
  if (is.st_uid != geteuid() || getuid() != geteuid())
    return cache_no_folder(err, folder, "belongs to another user, whose code must not be executed");
  if (is.st_mode & (S_IWGRP | S_IWOTH))
    return cache_no_folder(err, folder,
                           "is writable by other users, whose code must not be executed");
  return DAE_OK;
}

/* ---- files of the cache ---- */

/* Contents of a file in memory of env; NULL: not readable, or out of memory. */
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

bool dae__native_find(dae__native_place *place, const char *model, const dae__source *text)
{
  unsigned long long key = dae__hash(DAE__HASH_START, text->text, (size_t)text->length);
  snprintf(place->library, sizeof place->library, "%s/%.60s-%016llx.so", place->folder, model, key);
  snprintf(place->source, sizeof place->source, "%s/%.60s-%016llx.c", place->folder, model, key);
  size_t size = 0;
  char *bytes = cache_read_file(&text->env, place->library, &size);
  tail end;
  size_t length = (size_t)text->length;
  bool found = bytes && size >= length + sizeof end;
  if (found) {
    size -= sizeof end;
    memcpy(&end, bytes + size, sizeof end);
    found = memcmp(end.mark, tail_mark, sizeof end.mark) == 0 && end.text == length &&
            memcmp(bytes + size - length, text->text, length) == 0 &&
            end.sum == dae__hash(DAE__HASH_START, bytes, size);
  }
  if (bytes)
    text->env.release(text->env.user, bytes);
  return found;
}

dae_status dae__native_keep(const dae__native_place *place, const char *compiled,
                            const dae__source *text, dae_error *err)
{
  size_t size = 0;
  char *bytes = cache_read_file(&text->env, compiled, &size);
  if (!bytes)
    return dae__fail(err, DAE_ERROR_NATIVE, NULL,
                     "the compiler did not produce a readable library");
  tail end = {.text = (uint64_t)text->length};
  memcpy(end.mark, tail_mark, sizeof end.mark);
  end.sum = dae__hash(dae__hash(DAE__HASH_START, bytes, size), text->text, (size_t)text->length);
  text->env.release(text->env.user, bytes);
  FILE *file = fopen(compiled, "ab");
  bool written = file &&
                 fwrite(text->text, 1, (size_t)text->length, file) == (size_t)text->length &&
                 fwrite(&end, sizeof end, 1, file) == 1;
  bool closed = file && fclose(file) == 0;
  if (!written || !closed || rename(compiled, place->library) != 0)
    return dae__fail(err, DAE_ERROR_NATIVE, NULL, "cannot write native code to %.200s: %s",
                     place->library, strerror(errno));
  return DAE_OK;
}
