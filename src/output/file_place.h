/* Place of a file that is being written: its part in the same folder, or the target itself. */
#ifndef DAEDAL_OUTPUT_FILE_PLACE_H
#define DAEDAL_OUTPUT_FILE_PLACE_H

#include "core/arena.h"

#include <sys/stat.h>

typedef struct dae__file_place {
  dae__arena *arena;
  char *path, *target, *part; /* as given; with links followed; name of the part */
  int fd;                     /* -1: not open */
  bool direct;                /* the target itself is written */
  bool null;                  /* the target is /dev/null */
  bool existed;               /* there is an older file of this name */
  mode_t mode;                /* its permissions */
} dae__file_place;

/* Opens and locks the part, which keeps its contents. */
dae_status dae__file_open(dae__arena *arena, const char *path, dae__file_place *out,
                          dae_error *err);
/* Writes the contents of a file to the disk; file systems and targets without this operation go
 * without. Returns false, with the reason in errno, after a failure. */
bool dae__file_synchronise(int fd);
/* Renames the part, if that is still the file that was written, and writes the folder to the disk;
 * the name of the part is lost. Returns false, with the reason in errno, after a failure. */
bool dae__file_rename(dae__file_place *place);

#endif
