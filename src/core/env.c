/* The caller's environment: memory functions and log hook. */
#include "core/env.h"
#include "core/error.h"
#include "core/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  dae_env copy = env ? *env : dae_env_defaults();
  if (!copy.allocate || !copy.release) {
    copy.allocate = env_allocate;
    copy.release = env_release;
  }
  return copy;
}

dae_status dae__env_proceed(const dae_env *env, dae_error *err)
{
  return dae__env_stopped(env) ? dae__env_status(env, DAE_ERROR_INTERRUPTED, err) : DAE_OK;
}

dae_status dae__env_status(const dae_env *env, dae_status status, dae_error *err)
{
  if (status >= 0 || !dae__env_stopped(env))
    return status;
  return dae__fail(err, DAE_ERROR_INTERRUPTED, NULL, "interrupted");
}

dae_env dae__env_unstopped(const dae_env *env)
{
  dae_env own = dae__env_of(env);
  own.stop = NULL;
  return own;
}

void *dae__env_allocate_zeroed(const dae_env *env, size_t bytes)
{
  if (env->allocate == env_allocate)
    return calloc(1, bytes);
  void *memory = env->allocate(env->user, bytes);
  return memory ? memset(memory, 0, bytes) : NULL;
}

void dae__log_line(const dae_env *env, dae_log_level level, const char *format, ...)
{
  char line[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  env->log(env->user, level, line);
}
