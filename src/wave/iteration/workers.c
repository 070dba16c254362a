/* Workers as POSIX threads. The threads sleep until a round begins and take tasks until none is
 * left, as does the caller's own thread; a round ends when no thread is busy. All shared state is
 * under one mutex, which is not held while a task runs. */
#define _POSIX_C_SOURCE 200809L
#include "wave/iteration/workers.h"
#include "core/env.h"
#include "core/error.h"
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#define MAX_WORKERS 256 /* upper bound of threads; chosen, not measured */

struct dae__workers {
  dae_env env;
  int count; /* number of threads, the caller's included */
  pthread_mutex_t mutex;
  pthread_cond_t begin, end;
  bool leaving;
  long round;     /* number of rounds begun */
  int busy;       /* number of threads still in the round */
  int next, last; /* next task to be taken, and number of tasks */
  void (*task)(void *context, int i);
  void *context;
  pthread_t thread[]; /* count - 1 threads */
};

/* Runs tasks of the round until none is left; the mutex is held on entry and on return. */
static void workers_work(dae__workers *w)
{
  while (w->next < w->last) {
    int i = w->next++;
    pthread_mutex_unlock(&w->mutex);
    w->task(w->context, i);
    pthread_mutex_lock(&w->mutex);
  }
}

static void *workers_thread_main(void *argument)
{
  dae__workers *w = argument;
  long seen = 0;
  pthread_mutex_lock(&w->mutex);
  for (;;) {
    while (w->round == seen && !w->leaving)
      pthread_cond_wait(&w->begin, &w->mutex);
    if (w->leaving)
      break;
    seen = w->round;
    workers_work(w);
    if (--w->busy == 0)
      pthread_cond_signal(&w->end);
  }
  pthread_mutex_unlock(&w->mutex);
  return NULL;
}

static bool workers_prepare(dae__workers *w)
{
  if (pthread_mutex_init(&w->mutex, NULL))
    return false;
  if (pthread_cond_init(&w->begin, NULL)) {
    pthread_mutex_destroy(&w->mutex);
    return false;
  }
  if (pthread_cond_init(&w->end, NULL)) {
    pthread_cond_destroy(&w->begin);
    pthread_mutex_destroy(&w->mutex);
    return false;
  }
  return true;
}

dae_status dae__workers_create(const dae_env *env, int count, dae__workers **out, dae_error *err)
{
  dae_env own = dae__env_of(env);
  long wanted = count > 0 ? count : sysconf(_SC_NPROCESSORS_ONLN);
  wanted = wanted < 1 ? 1 : wanted > MAX_WORKERS ? MAX_WORKERS : wanted;
  *out = NULL;
  dae__workers *w =
      own.allocate(own.user, offsetof(dae__workers, thread) + (size_t)wanted * sizeof(pthread_t));
  if (!w)
    return dae__out_of_memory(err);
  *w = (dae__workers){.env = own, .count = 1};
  if (!workers_prepare(w)) {
    own.release(own.user, w);
    return dae__out_of_memory(err);
  }
  sigset_t all, before; /* as many threads as can be created, with all signals blocked */
  sigfillset(&all);
  bool blocked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
  while (w->count < wanted &&
         pthread_create(&w->thread[w->count - 1], NULL, workers_thread_main, w) == 0)
    w->count++;
  if (blocked)
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  *out = w;
  return DAE_OK;
}

int dae__workers_count(const dae__workers *workers)
{
  return workers->count;
}

void dae__workers_run(dae__workers *w, int count, void (*task)(void *context, int i), void *context)
{
  if (w->count == 1 || count <= 1) {
    for (int i = 0; i < count; i++)
      task(context, i);
    return;
  }
  pthread_mutex_lock(&w->mutex);
  w->task = task;
  w->context = context;
  w->next = 0;
  w->last = count;
  w->busy = w->count - 1;
  w->round++;
  pthread_cond_broadcast(&w->begin);
  workers_work(w);
  while (w->busy > 0)
    pthread_cond_wait(&w->end, &w->mutex);
  pthread_mutex_unlock(&w->mutex);
}

void dae__workers_free(dae__workers *w)
{
  if (!w)
    return;
  pthread_mutex_lock(&w->mutex);
  w->leaving = true;
  pthread_cond_broadcast(&w->begin);
  pthread_mutex_unlock(&w->mutex);
  for (int k = 0; k < w->count - 1; k++)
    pthread_join(w->thread[k], NULL);
  pthread_cond_destroy(&w->end);
  pthread_cond_destroy(&w->begin);
  pthread_mutex_destroy(&w->mutex);
  dae_env env = w->env;
  env.release(env.user, w);
}

struct dae__lock {
  pthread_mutex_t mutex;
};

dae__lock *dae__lock_create(dae__arena *arena)
{
  dae__lock *lock = DAE__ALLOC(arena, dae__lock, 1);
  return lock && pthread_mutex_init(&lock->mutex, NULL) == 0 ? lock : NULL;
}

void dae__lock_set(dae__lock *lock, bool locked)
{
  if (locked)
    pthread_mutex_lock(&lock->mutex);
  else
    pthread_mutex_unlock(&lock->mutex);
}

void dae__lock_free(dae__lock *lock)
{
  if (lock)
    pthread_mutex_destroy(&lock->mutex);
}
