/* Workers and locks of a library built without threads: all tasks run in the caller's thread. */
#include "core/env.h"
#include "core/error.h"
#include "wave/iteration/workers.h"

struct dae__workers {
  dae_env env;
};

dae_status dae__workers_create(const dae_env *env, int count, dae__workers **out, dae_error *err)
{
  (void)count;
  dae_env own = dae__env_of(env);
  dae__workers *w = *out = own.allocate(own.user, sizeof *w);
  if (!w)
    return dae__out_of_memory(err);
  w->env = own;
  return DAE_OK;
}

int dae__workers_count(const dae__workers *workers)
{
  (void)workers;
  return 1;
}

void dae__workers_run(dae__workers *workers, int count, void (*task)(void *context, int i),
                      void *context)
{
  (void)workers;
  for (int i = 0; i < count; i++)
    task(context, i);
}

void dae__workers_free(dae__workers *workers)
{
  if (!workers)
    return;
  dae_env env = workers->env;
  env.release(env.user, workers);
}

struct dae__lock {
  char nothing;
};

dae__lock *dae__lock_create(dae__arena *arena)
{
  return DAE__ALLOC(arena, dae__lock, 1);
}

void dae__lock_set(dae__lock *lock, bool locked)
{
  (void)lock, (void)locked;
}

void dae__lock_free(dae__lock *lock)
{
  (void)lock;
}
