/* Workers: the same task for i = 0 ... count - 1, in threads; a lock for data that tasks share. The
 * result of a task must not depend on the others, so that results are the same for any number of
 * workers. */
#ifndef DAEDAL_WAVE_ITERATION_WORKERS_H
#define DAEDAL_WAVE_ITERATION_WORKERS_H

#include "core/arena.h"
#include <daedal/env.h>
#include <daedal/status.h>

typedef struct dae__workers dae__workers;

/* count threads, the caller's own included; 0: as many as there are processors; 1, or where the
 * library is built without threads: everything in the caller's thread. A thread that cannot be
 * created is no error: there are fewer workers then. Signals are left to the caller's threads. */
dae_status dae__workers_create(const dae_env *env, int count, dae__workers **out, dae_error *err);
int dae__workers_count(const dae__workers *workers);

/* Runs task(context, i) for all i and returns when all are done. From one thread at a time, and not
 * from within a task of the same workers. */
void dae__workers_run(dae__workers *workers, int count, void (*task)(void *context, int i),
                      void *context);

void dae__workers_free(dae__workers *workers); /* NULL is allowed */

/* A mutex in the arena's memory; NULL: out of memory. Not to be locked twice by one thread. */
typedef struct dae__lock dae__lock;
dae__lock *dae__lock_create(dae__arena *arena);
void dae__lock_lock(dae__lock *lock);
void dae__lock_unlock(dae__lock *lock);
void dae__lock_free(dae__lock *lock); /* memory outside the arena; NULL is allowed */

#endif
