/* A cache of native code in a folder of the test's own, and compilers that are scripts in it. */
#ifndef DAEDAL_TESTS_NATIVE_FIXTURE_H
#define DAEDAL_TESTS_NATIVE_FIXTURE_H

#include <daedal/native.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct native_fixture {
  char folder[64], cache[80], compiler[80];
} native_fixture;

/* What is there when a test begins: a folder, in which the cache is not yet. */
static inline native_fixture native_fixture_create(void)
{
  native_fixture f = {.folder = "/tmp/daedal-native-XXXXXX"};
  if (!mkdtemp(f.folder))
    abort();
  snprintf(f.cache, sizeof f.cache, "%s/cache", f.folder);
  snprintf(f.compiler, sizeof f.compiler, "%s/compiler", f.folder);
  return f;
}

/* the path of a file of the cache whose name ends so, "": there is none */
static inline const char *native_fixture_file(const native_fixture *f, const char *end)
{
  static char path[512];
  DIR *folder = opendir(f->cache);
  path[0] = '\0';
  for (struct dirent *e = folder ? readdir(folder) : NULL; e; e = readdir(folder)) {
    size_t length = strlen(e->d_name);
    if (length > strlen(end) && strcmp(e->d_name + length - strlen(end), end) == 0)
      snprintf(path, sizeof path, "%s/%s", f->cache, e->d_name);
  }
  if (folder)
    closedir(folder);
  return path;
}

/* files and folders in the cache */
static inline int native_fixture_count(const native_fixture *f)
{
  int count = 0;
  DIR *folder = opendir(f->cache);
  for (struct dirent *e = folder ? readdir(folder) : NULL; e; e = readdir(folder))
    count += e->d_name[0] != '.';
  if (folder)
    closedir(folder);
  return count;
}

static inline void native_fixture_free(native_fixture *f)
{
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
  if (system(command) != 0)
    abort();
}

/* a compiler that is a script of the shell */
static inline void native_fixture_script(const native_fixture *f, const char *text)
{
  FILE *file = fopen(f->compiler, "w");
  if (!file)
    abort();
  fprintf(file, "#!/bin/sh\n%s\n", text);
  fclose(file);
  chmod(f->compiler, 0700);
}

static inline dae_native_options native_fixture_options(const native_fixture *f)
{
  dae_native_options options = dae_native_defaults();
  options.cache = f->cache;
  return options;
}

#endif
