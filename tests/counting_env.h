/* An environment that counts what is allocated, and refuses the n-th allocation. */
#ifndef DAEDAL_TESTS_COUNTING_ENV_H
#define DAEDAL_TESTS_COUNTING_ENV_H

#include <daedal/env.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct counting_env {
  long calls;   /* allocations asked for */
  long live;    /* allocations not released yet */
  long fail_at; /* the call that is refused, counted from 1; 0: none */
  long lines;   /* log lines */
} counting_env;

static inline void *counting_env_allocate(void *user, size_t bytes)
{
  counting_env *count = (counting_env *)user;
  if (++count->calls == count->fail_at)
    return NULL;
  void *memory = malloc(bytes);
  if (memory)
    count->live++;
  return memory;
}

static inline void counting_env_release(void *user, void *memory)
{
  if (memory)
    ((counting_env *)user)->live--;
  free(memory);
}

static inline void counting_env_log(void *user, dae_log_level level, const char *line)
{
  (void)level;
  (void)line;
  ((counting_env *)user)->lines++;
}

static inline dae_env counting_env_of(counting_env *count)
{
  dae_env env = {NULL};
  env.allocate = counting_env_allocate;
  env.release = counting_env_release;
  env.log = counting_env_log;
  env.user = count;
  return env;
}

/* Refuses each allocation of `build` in turn. 0: it says so every time and leaves nothing behind;
 * else the number of the allocation that shows otherwise. build gives whether it had all it needs.
 */
static inline long counting_env_fault(bool (*build)(const dae_env *env))
{
  for (long fail_at = 1;; fail_at++) {
    counting_env count = {.fail_at = fail_at};
    dae_env env = counting_env_of(&count);
    bool built = build(&env);
    if (count.live != 0 || built != (count.calls < fail_at))
      return fail_at;
    if (built)
      return 0;
  }
}

#endif
