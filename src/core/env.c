#include "core/env.h"

#include <stdlib.h>

static void *env_allocate(void *user, size_t bytes)
{
  (void)user;
  return malloc(bytes);
}

static void env_release(void *user, void *memory)
{
  (void)user;
  free(memory);
}

dae_env dae_env_defaults(void)
{
  return (dae_env){.allocate = env_allocate, .release = env_release};
}

dae_env dae__env_of(const dae_env *env)
{
  if (!env)
    return dae_env_defaults();
  dae_env copy = *env;
  if (!copy.allocate || !copy.release) {
    copy.allocate = env_allocate;
    copy.release = env_release;
  }
  return copy;
}
