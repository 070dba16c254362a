/* The integrator that shows another one's state vector in a different order. */
#include "counting_env.h"
#include "step/assembled.h"
#include "step/integrator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* y_i' = i, one step of at most 1; remembers y at the last step */
typedef struct counter {
  double *y, *t; /* kept */
} counter;

static dae_status counter_step(void *self, double t_stop, dae_error *err)
{
  counter *c = self;
  (void)err;
  double h = fmin(1, t_stop - c->t[1]);
  for (int i = 0; i < 3; i++)
    c->y[i] += h * i;
  c->t[0] = c->t[1];
  c->t[1] += h;
  return c->t[1] == t_stop ? DAE_END : DAE_OK;
}

static dae_view counter_view(const void *self)
{
  const counter *c = self;
  return (dae_view){.t = c->t[1], .t_previous = c->t[0], .size = 3};
}

static dae_status counter_interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  const counter *c = self;
  (void)err;
  for (int i = 0; i < 3; i++) {
    y[i] = c->y[i] + (t - c->t[1]) * i;
    if (dy)
      dy[i] = i;
  }
  return DAE_OK;
}

static dae_status counter_restart(void *self, double t, const double *y, dae_error *err)
{
  counter *c = self;
  (void)err;
  memcpy(c->y, y, 3 * sizeof *y);
  c->t[0] = c->t[1] = t;
  return DAE_OK;
}

static dae_stats counter_stats(const void *self)
{
  (void)self;
  return (dae_stats){.steps = 7};
}

static const dae__integrator_table counter_table = {.method = "counter",
                                                    .step = counter_step,
                                                    .view = counter_view,
                                                    .interpolate = counter_interpolate,
                                                    .restart = counter_restart,
                                                    .stats = counter_stats};

static dae_integrator *counter_create(const dae_env *env)
{
  dae__arena *arena = dae__arena_create(env);
  counter *c = DAE__ALLOC(arena, counter, 1);
  dae_integrator *it = NULL;
  c->y = DAE__STATE(arena, double, 3);
  c->t = DAE__STATE(arena, double, 2);
  assert_int_equal(dae__integrator_create(arena, &counter_table, c, &it), DAE_OK);
  return it;
}

static void test_a_permuted_integrator_has_the_same_verbs(void **state)
{
  (void)state;
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  const int order[] = {2, 0, 1};
  const double start[] = {100, 200, 300};
  dae_integrator *it = NULL;
  assert_int_equal(
      dae__permuted_create(dae__arena_create(&env), counter_create(&env), order, 3, &it, NULL),
      DAE_OK);
  double y[3], dy[3], again[3];
  assert_string_equal(dae_integrator_view(it).method, "counter");
  assert_int_equal(dae_integrator_stats(it).steps, 7);
  assert_int_equal(dae_integrator_restart(it, 0, start, NULL), DAE_OK);
  assert_int_equal(dae_integrator_step(it, 5, NULL), DAE_OK);
  assert_int_equal(dae_integrator_interpolate(it, 0.5, y, dy, NULL), DAE_OK);
  assert_memory_equal(y, ((double[]){101, 200, 300.5}), sizeof y);
  assert_memory_equal(dy, ((double[]){2, 0, 1}), sizeof dy);

  /* save, go on, load, go on: the same bits */
  char buffer[1024];
  size_t size = dae_integrator_save_size(it);
  assert_true(size <= sizeof buffer);
  assert_int_equal(dae_integrator_save(it, buffer, size, NULL), DAE_OK);
  for (int round = 0; round < 2; round++) {
    assert_int_equal(dae_integrator_step(it, 2, NULL), DAE_END);
    assert_int_equal(dae_integrator_interpolate(it, 2, round ? again : y, NULL, NULL), DAE_OK);
    assert_int_equal(dae_integrator_load(it, buffer, size, NULL), DAE_OK);
    assert_true(dae_integrator_view(it).t == 1);
  }
  assert_memory_equal(y, again, sizeof y);
  assert_int_equal(dae_integrator_load(it, buffer, size - 1, NULL), DAE_ERROR_USAGE);
  dae_integrator_free(it);
  assert_int_equal(count.live, 0);
}

static void test_an_order_that_is_none_is_refused(void **state)
{
  (void)state;
  const int twice[] = {0, 1, 1}, outside[] = {0, 1, 3};
  dae_integrator *child = counter_create(NULL), *it = NULL;
  dae__arena *arena = dae__arena_create(NULL);
  dae_error err;
  assert_int_equal(dae__permuted_create(arena, child, twice, 3, &it, &err), DAE_ERROR_USAGE);
  assert_int_equal(dae__permuted_create(arena, child, outside, 3, &it, &err), DAE_ERROR_USAGE);
  assert_int_equal(dae__permuted_create(arena, child, twice, 2, &it, &err), DAE_ERROR_USAGE);
  assert_null(it);
  dae__arena_free(arena);
  dae_integrator_free(child);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_permuted_integrator_has_the_same_verbs),
      cmocka_unit_test(test_an_order_that_is_none_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
