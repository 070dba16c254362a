#include "wave/iteration/workers.h"

#include "arena_fixture.h"
#include "counting_env.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define TASKS 100

#ifdef DAE_WITH_THREADS
#include <pthread.h>

static int threads_to_be_had = 1000;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument);

/* what the library calls in place of pthread_create */
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument)
{
  if (threads_to_be_had-- <= 0)
    return 11; /* EAGAIN */
  return __real_pthread_create(thread, attributes, function, argument);
}
#endif

static dae__workers *workers_of(int count)
{
  dae__workers *workers = NULL;
  dae_error err = dae_error_none();
  assert_int_equal(dae__workers_create(NULL, count, &workers, &err), DAE_OK);
  assert_non_null(workers);
  return workers;
}

typedef struct series {
  int terms, times[TASKS];
  double sum[TASKS];
} series;

/* a sum whose bits depend on the order within a task */
static void add_up(void *context, int i)
{
  series *s = context;
  double sum = 0;
  for (int k = 1; k <= s->terms; k++)
    sum += sin(i + 0.1 * k) / k;
  s->sum[i] = sum;
  s->times[i]++;
}

static void test_sums_are_the_same_for_any_number_of_workers(void **state)
{
  (void)state;
  series expected = {.terms = 1000};
  for (int i = 0; i < TASKS; i++)
    add_up(&expected, i);
  for (int count = 0; count <= 4; count++)
    for (int tasks = 0; tasks <= TASKS; tasks += tasks < 6 ? 1 : 47) {
      series found = {.terms = 1000};
      dae__workers *workers = workers_of(count);
      dae__workers_run(workers, tasks, add_up, &found);
      for (int i = 0; i < TASKS; i++) {
        assert_int_equal(found.times[i], i < tasks);
        assert_true(found.sum[i] == (i < tasks ? expected.sum[i] : 0));
      }
      dae__workers_free(workers);
    }
}

static void test_workers_are_used_many_times(void **state)
{
  (void)state;
  dae__workers *workers = workers_of(4);
  series s = {.terms = 3};
  for (int round = 1; round <= 3000; round++) {
    dae__workers_run(workers, 7, add_up, &s);
    for (int i = 0; i < 7; i++)
      assert_int_equal(s.times[i], round);
  }
  dae__workers_free(workers);
}

static void test_there_are_as_many_workers_as_asked_for(void **state)
{
  (void)state;
  for (int count = 0; count <= 4; count++) {
    dae__workers *workers = workers_of(count);
    int found = dae__workers_count(workers);
#ifdef DAE_WITH_THREADS
    assert_true(count == 0 ? found >= 1 : found == count);
#else
    assert_int_equal(found, 1);
#endif
    dae__workers_free(workers);
  }
  dae__workers_free(NULL);
}

#ifdef DAE_WITH_THREADS
static void test_threads_that_cannot_be_had_are_no_error(void **state)
{
  (void)state;
  for (int had = 0; had <= 2; had++) {
    series s = {.terms = 10};
    threads_to_be_had = had;
    dae__workers *workers = workers_of(4);
    threads_to_be_had = 1000;
    assert_int_equal(dae__workers_count(workers), had + 1);
    dae__workers_run(workers, TASKS, add_up, &s);
    for (int i = 0; i < TASKS; i++)
      assert_int_equal(s.times[i], 1);
    dae__workers_free(workers);
  }
}

/* two tasks that wait for each other: they do run at the same time */
typedef struct meeting {
  pthread_mutex_t mutex;
  pthread_cond_t arrival;
  int present;
} meeting;

static void meet(void *context, int i)
{
  (void)i;
  meeting *m = context;
  pthread_mutex_lock(&m->mutex);
  m->present++;
  pthread_cond_broadcast(&m->arrival);
  while (m->present < 3)
    pthread_cond_wait(&m->arrival, &m->mutex);
  pthread_mutex_unlock(&m->mutex);
}

static void test_tasks_run_at_the_same_time(void **state)
{
  (void)state;
  meeting m = {.mutex = PTHREAD_MUTEX_INITIALIZER, .arrival = PTHREAD_COND_INITIALIZER};
  dae__workers *workers = workers_of(3);
  dae__workers_run(workers, 3, meet, &m);
  assert_int_equal(m.present, 3);
  dae__workers_free(workers);
}
#endif

/* a counter that tasks share */
typedef struct shared {
  dae__lock *lock;
  long count;
} shared;

static void count_up(void *context, int i)
{
  shared *s = context;
  for (int k = 0; k < 100; k++) {
    dae__lock_set(s->lock, true);
    s->count += i;
    dae__lock_set(s->lock, false);
  }
}

static void test_a_lock_keeps_what_tasks_share(void **state)
{
  (void)state;
  shared s = {.lock = dae__lock_create(arena)};
  dae__workers *workers = workers_of(4);
  assert_non_null(s.lock);
  dae__workers_run(workers, TASKS, count_up, &s);
  assert_int_equal(s.count, 100 * TASKS * (TASKS - 1) / 2);
  dae__workers_free(workers);
  dae__lock_free(s.lock);
  dae__lock_free(NULL);
}

static bool build(const dae_env *env)
{
  dae__workers *workers = NULL;
  dae_error err = dae_error_none();
  dae_status status = dae__workers_create(env, 3, &workers, &err);
  dae__arena *own = dae__arena_create(env);
  dae__lock *lock = own ? dae__lock_create(own) : NULL;
  assert_int_equal(err.status, status);
  assert_true((workers != NULL) == (status == DAE_OK));
  dae__lock_free(lock);
  dae__arena_free(own);
  dae__workers_free(workers);
  return workers && lock;
}

static void test_memory_that_runs_out_is_noticed(void **state)
{
  (void)state;
  for (long fail_at = 0; fail_at <= 4; fail_at++) {
    counting_env count = {.fail_at = fail_at};
    dae_env env = counting_env_of(&count);
    bool built = build(&env);
    assert_int_equal(built, fail_at == 0 || count.calls < fail_at);
    assert_int_equal(count.live, 0);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_sums_are_the_same_for_any_number_of_workers),
      TEST(test_workers_are_used_many_times),
      TEST(test_there_are_as_many_workers_as_asked_for),
#ifdef DAE_WITH_THREADS
      TEST(test_threads_that_cannot_be_had_are_no_error),
      TEST(test_tasks_run_at_the_same_time),
#endif
      TEST(test_a_lock_keeps_what_tasks_share),
      TEST(test_memory_that_runs_out_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
