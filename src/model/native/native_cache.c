/* The cache of native code: a folder with a file for each source that was compiled.
 *
 * Files of the folder are loaded and executed. It therefore must belong to the user, and nobody
 * else may write to it. A file is the library, followed by the text it was compiled from (source,
 * compiler, options, machine), followed by a tail with the size of the text and a checksum of
 * library and text. The key in the name only finds the file: the file is valid if the text is the
 * same byte for byte and the checksum is right, so that hash collisions and truncated files are
 * detected. Files are written in a temporary subfolder and renamed: several processes
 * may compile the same model at once, and the last one wins. Each use of a file sets its time; when
 * all files together exceed the limit, those used longest ago are deleted. */
#define _POSIX_C_SOURCE 200809L

#include "core/error.h"
#include "core/hash.h"
#include "core/mutant.h"
#include "model/native/native.h"
#include <dirent.h>
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

/* Opens a file of the cache: a regular file of the user, which nobody else may write to. A symbolic
 * link is not followed, a FIFO does not block. -1: no such file. */
static int cache_open(const char *path, struct stat *is)
{
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  bool ours = file >= 0 && fstat(file, is) == 0 && S_ISREG(is->st_mode) &&
              DAE__MUTATE(cache_owner, is->st_uid == geteuid(), true) &&
              !(is->st_mode & (S_IWGRP | S_IWOTH));
  if (file >= 0 && !ours) {
    close(file);
    return -1;
  }
  return file;
}

/* Contents of a file in memory of env, with its time of use set to now; NULL: not one of the cache,
 * or out of memory. */
static char *cache_read_file(const dae_env *env, const char *path, size_t *size)
{
  struct stat is;
  int file = cache_open(path, &is);
  char *bytes = file >= 0 && is.st_size > 0 ? env->allocate(env->user, (size_t)is.st_size) : NULL;
  *size = 0;
  while (bytes && *size < (size_t)is.st_size) {
    ssize_t count = read(file, bytes + *size, (size_t)is.st_size - *size);
    if (count <= 0 && !(count < 0 && errno == EINTR)) {
      env->release(env->user, bytes);
      bytes = NULL;
    }
    *size += count > 0 ? (size_t)count : 0;
  }
  if (bytes)
    (void)futimens(file, NULL);
  if (file >= 0)
    close(file);
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
            DAE__MUTATE(cache_text, memcmp(bytes + size - length, text->text, length) == 0, true) &&
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
  (void)chmod(compiled, 0700); /* whatever the umask: nobody else may write to it */
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

/* ---- size of the cache ---- */

/* File of the cache that may be deleted. */
typedef struct cache_entry {
  char *name;
  struct timespec used;
  size_t bytes;
} cache_entry;

static int cache_compare_use(const void *a, const void *b)
{
  const struct timespec x = ((const cache_entry *)a)->used, y = ((const cache_entry *)b)->used;
  if (x.tv_sec != y.tv_sec)
    return x.tv_sec < y.tv_sec ? -1 : 1;
  return (x.tv_nsec > y.tv_nsec) - (x.tv_nsec < y.tv_nsec);
}

/* Whether a name is that of a file of the cache: <model>-<16 digits>.so or .c. */
static bool cache_is_entry(const char *name)
{
  const char *end = strrchr(name, '.');
  if (!end || (strcmp(end, ".so") != 0 && strcmp(end, ".c") != 0) || end - name < 17)
    return false;
  return end[-17] == '-' && strspn(end - 16, "0123456789abcdef") == 16;
}

/* Lists the files of the cache; returns their number. */
static int cache_list(DIR *folder, const dae__source *text, cache_entry **list)
{
  int count = 0, room = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    struct stat is;
    if (!cache_is_entry(entry->d_name) ||
        fstatat(dirfd(folder), entry->d_name, &is, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(is.st_mode))
      continue;
    if (count == room) {
      cache_entry *more =
          text->env.allocate(text->env.user, (size_t)(room = 2 * room + 64) * sizeof *more);
      if (!more)
        break;
      if (count > 0)
        memcpy(more, *list, (size_t)count * sizeof *more);
      if (*list)
        text->env.release(text->env.user, *list);
      *list = more;
    }
    size_t length = strlen(entry->d_name) + 1;
    char *name = text->env.allocate(text->env.user, length);
    if (!name)
      break;
    memcpy(name, entry->d_name, length);
    (*list)[count++] = (cache_entry){.name = name, .used = is.st_mtim, .bytes = (size_t)is.st_size};
  }
  return count;
}

void dae__native_trim(const dae__native_place *place, size_t most, const dae__source *text)
{
  DIR *folder = opendir(place->folder);
  cache_entry *list = NULL;
  size_t total = 0;
  if (!folder)
    return;
  int count = cache_list(folder, text, &list);
  for (int i = 0; i < count; i++)
    total += list[i].bytes;
  if (count > 0)
    qsort(list, (size_t)count, sizeof *list, cache_compare_use);
  for (int i = 0; i < count; i++) {
    bool own = strcmp(list[i].name, strrchr(place->library, '/') + 1) == 0;
    if (total > most && !own && unlinkat(dirfd(folder), list[i].name, 0) == 0)
      total -= list[i].bytes;
    text->env.release(text->env.user, list[i].name);
  }
  if (list)
    text->env.release(text->env.user, list);
  closedir(folder);
}
