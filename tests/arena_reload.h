/* A save and load of the same arena: its objects rebuild what is not saved. */
#ifndef DAEDAL_TESTS_ARENA_RELOAD_H
#define DAEDAL_TESTS_ARENA_RELOAD_H

#include "core/arena.h"

#include <stdlib.h>

static inline dae_status arena_reload(dae__arena *arena)
{
  void *buffer = malloc(dae__arena_state_size(arena));
  if (!buffer)
    return DAE_ERROR_MEMORY;
  dae__arena_save(arena, buffer);
  dae_status status = dae__arena_load(arena, buffer);
  free(buffer);
  return status;
}

#endif
