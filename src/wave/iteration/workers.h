/* Workers: the same task for i = 0 ... count - 1, in threads; a lock for data that tasks share. The
 * result of a task must not depend on the others, so that results are the same for any number of
 * workers. */
#ifndef DAEDAL_WAVE_ITERATION_WORKERS_H
#define DAEDAL_WAVE_ITERATION_WORKERS_H

#include "core/arena.h"
#include <daedal/env.h>
#include <daedal/status.h>

typedef struct dae__workers dae__workers;

/* Creates workers with `count` threads, the caller's own included; 0: one thread per processor; 1,
 * or a library built without threads: the caller's thread alone. A thread that cannot be created is
 * no error but reduces the number of workers. Signals are handled by the caller's threads. */
dae_status dae__workers_create(const dae_env *env, int count, dae__workers **out, dae_error *err);
int dae__workers_count(const dae__workers *workers);

/* Runs task(context, i) for i = 0 ... count - 1 and returns when all tasks are done. It must be
 * called from one thread at a time, and not from within a task of the same workers. */
void dae__workers_run(dae__workers *workers, int count, void (*task)(void *context, int i),
                      void *context);

void dae__workers_free(dae__workers *workers); /* Ends the threads; NULL is allowed. */

/* A mutex in the arena's memory; NULL: out of memory. One thread must not lock it twice. */
typedef struct dae__lock dae__lock;
dae__lock *dae__lock_create(dae__arena *arena);
void dae__lock_set(dae__lock *lock, bool locked);
void dae__lock_free(dae__lock *lock); /* Releases the memory outside the arena; NULL is allowed. */

#endif
