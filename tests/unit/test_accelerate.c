#include "wave/iteration/accelerate.h"

#include "arena_fixture.h"
#include "core/vec.h"
#include "counting_env.h"
#include "uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LARGEST 40
#define DEPTH 8

typedef void update(dae__accelerate *a, const double *zhat, const double *w, double *z);

/* zhat = T z + c, T by columns */
typedef struct map {
  int n;
  double T[LARGEST * LARGEST], c[LARGEST];
} map;

static void apply(const map *m, const double *z, double *zhat)
{
  dae__copy(m->n, m->c, zhat);
  for (int j = 0; j < m->n; j++)
    dae__axpy(m->n, z[j], m->T + j * m->n, zhat);
}

static double change(const map *m, const double *z)
{
  double zhat[LARGEST];
  apply(m, z, zhat);
  dae__axpy(m->n, -1, z, zhat);
  return dae__max_abs(m->n, zhat);
}

/* Sweeps from zero until the change is below tol, at most `most`. */
static int sweeps_of(update *next, const map *m, int depth, double tol, int most, double *z)
{
  double zhat[LARGEST], w[LARGEST];
  dae__accelerate a = dae__accelerate_create(arena, LARGEST, depth);
  assert_false(dae__arena_failed(arena));
  dae__accelerate_begin(&a, m->n);
  dae__zero(m->n, z);
  for (int i = 0; i < m->n; i++)
    w[i] = 1;
  int sweeps = 0;
  while (sweeps < most && !(change(m, z) < tol)) {
    apply(m, z, zhat);
    next(&a, zhat, w, z);
    sweeps++;
  }
  return sweeps;
}

static map scalar(double T, double c)
{
  map m = {.n = 1};
  m.T[0] = T;
  m.c[0] = c;
  return m;
}

static void test_scalar_maps_are_solved_in_two_sweeps(void **state)
{
  (void)state;
  const double T[] = {-4, -2.75, -1, -0.36, 0, 0.5, 0.9, 1.21, 3, -1000};
  for (size_t k = 0; k < sizeof T / sizeof *T; k++) {
    map m = scalar(T[k], 3);
    double z;
    assert_true(sweeps_of(dae__accelerate_aitken, &m, 0, 1e-12, 9, &z) <= 3);
    assert_true(fabs(z - 3 / (1 - T[k])) < 1e-11);
    assert_true(sweeps_of(dae__accelerate_anderson, &m, 3, 1e-12, 9, &z) <= 3);
    assert_true(fabs(z - 3 / (1 - T[k])) < 1e-11);
  }
}

/* z -> -z + c falls into a 2-cycle when iterated plainly; in several entries it is one mode */
static void test_a_two_cycle_is_left_after_one_sweep(void **state)
{
  (void)state;
  map m = {.n = 5};
  double z[5];
  for (int i = 0; i < m.n; i++) {
    m.T[i + i * m.n] = -1;
    m.c[i] = i - 1.5;
  }
  assert_int_equal(sweeps_of(dae__accelerate_aitken, &m, 0, 1e-14, 9, z), 2);
  assert_int_equal(sweeps_of(dae__accelerate_anderson, &m, 1, 1e-14, 9, z), 2);
  for (int i = 0; i < m.n; i++)
    assert_true(fabs(z[i] - m.c[i] / 2) < 1e-14);
}

static map random_map(int n, double size)
{
  map m = {.n = n};
  for (int i = 0; i < n * n; i++)
    m.T[i] = size * uniform();
  for (int i = 0; i < n; i++)
    m.c[i] = uniform();
  return m;
}

/* n modes and n columns: exact after n + 1 sweeps but for rounding, which one more removes */
static void test_anderson_is_exact_for_as_many_modes_as_columns(void **state)
{
  (void)state;
  for (int n = 1; n <= DEPTH; n++)
    for (int trial = 0; trial < 40; trial++) {
      map m = random_map(n, trial % 2 ? 2 : 0.5);
      double z[DEPTH];
      assert_in_range(sweeps_of(dae__accelerate_anderson, &m, n, 1e-7, 50, z), 1, n + 3);
    }
}

/* I - 2 v v' / v'v turns T, `unstable` modes of which grow, into a full matrix */
static map few_unstable(int n, int unstable)
{
  map m = random_map(n, 0);
  double v[LARGEST], square = 0;
  for (int i = 0; i < n; i++) {
    v[i] = uniform();
    square += v[i] * v[i];
    m.T[i + i * n] = i < unstable ? (i % 2 ? 1.5 : -2.5) + 0.1 * i : 0.2 * uniform();
  }
  for (int side = 0; side < 2; side++) /* T = H T, then T = T H */
    for (int k = 0; k < n; k++) {
      size_t step = (size_t)(side ? n : 1), from = (size_t)(side ? k : k * n);
      double along = 0;
      for (int i = 0; i < n; i++)
        along += 2 * v[i] * m.T[from + (size_t)i * step] / square;
      for (int i = 0; i < n; i++)
        m.T[from + (size_t)i * step] -= along * v[i];
    }
  return m;
}

static void test_anderson_converges_with_a_column_for_each_unstable_mode(void **state)
{
  (void)state;
  for (int unstable = 0; unstable <= 5; unstable++) {
    map m = few_unstable(LARGEST, unstable);
    double z[LARGEST];
    assert_in_range(sweeps_of(dae__accelerate_anderson, &m, unstable + 1, 1e-8, 200, z), 1, 90);
    assert_in_range(sweeps_of(dae__accelerate_anderson, &m, DEPTH, 1e-8, 200, z), 1, 30);
  }
}

/* modes -2 and -1/4, as two chains held together at both ends */
static void test_aitken_converges_where_all_modes_have_one_sign(void **state)
{
  (void)state;
  map m = {.n = 2, .T = {-2, 0, 0, -0.25}, .c = {1, 1}};
  double z[2];
  assert_in_range(sweeps_of(dae__accelerate_aitken, &m, 0, 1e-8, 99, z), 3, 30);
}

/* noise in zhat, of a tenth of the tolerance, does not keep the change above it */
static void test_noise_below_the_tolerance_does_no_harm(void **state)
{
  (void)state;
  for (int trial = 0; trial < 20; trial++) {
    map m = few_unstable(LARGEST, 3);
    double z[LARGEST] = {0}, zhat[LARGEST], w[LARGEST];
    dae__accelerate a = dae__accelerate_create(arena, LARGEST, DEPTH);
    dae__accelerate_begin(&a, m.n);
    int sweeps = 0;
    for (int i = 0; i < m.n; i++)
      w[i] = 1e-6;
    for (; change(&m, z) > 1e-6; sweeps++) {
      apply(&m, z, zhat);
      for (int i = 0; i < m.n; i++)
        zhat[i] += 1e-7 * uniform();
      dae__accelerate_anderson(&a, zhat, w, z);
      assert_true(sweeps < 40);
    }
  }
}

static void test_nothing_breaks_when_nothing_changes(void **state)
{
  (void)state;
  update *const updates[] = {dae__accelerate_aitken, dae__accelerate_anderson};
  for (int k = 0; k < 2; k++) {
    dae__accelerate a = dae__accelerate_create(arena, 3, DEPTH);
    const double w[] = {1e-9, 1, 1e9}, zhat[] = {1, 1e-300, 0};
    double z[] = {1, 1e-300, 0};
    dae__accelerate_begin(&a, 3);
    for (int sweep = 0; sweep < 2 * DEPTH; sweep++) {
      updates[k](&a, zhat, w, z);
      assert_memory_equal(z, zhat, sizeof z);
    }
    double stuck[3] = {0}; /* the same change again and again: f does not depend on z */
    dae__accelerate_begin(&a, 3);
    for (int sweep = 0; sweep < 2 * DEPTH; sweep++) {
      double next[3] = {stuck[0] + 1, stuck[1] + 1, stuck[2] + 1};
      updates[k](&a, next, w, stuck);
      assert_true(dae__all_finite(3, stuck));
    }
    dae__accelerate_begin(&a, 0);
    updates[k](&a, zhat, w, z);
    updates[k](&a, zhat, w, z);
  }
}

/* T = 1 + skew: the change is orthogonal to the step, and Aitken's factor would be zero */
static void test_aitken_does_not_freeze(void **state)
{
  (void)state;
  map m = {.n = 2, .T = {1, 0.5, -0.5, 1}, .c = {1, 0}};
  double z[2], before[2];
  sweeps_of(dae__accelerate_aitken, &m, 0, 1e-12, 4, before);
  sweeps_of(dae__accelerate_aitken, &m, 0, 1e-12, 5, z);
  assert_true(dae__all_finite(2, z));
  assert_true(z[0] != before[0] || z[1] != before[1]);
}

/* other units of the entries, and weights in the same units, change nothing */
static void test_iterates_do_not_depend_on_units(void **state)
{
  (void)state;
  update *const updates[] = {dae__accelerate_aitken, dae__accelerate_anderson};
  map m = random_map(6, 1);
  for (int k = 0; k < 2; k++) {
    dae__accelerate a = dae__accelerate_create(arena, 6, DEPTH);
    dae__accelerate b = dae__accelerate_create(arena, 9, DEPTH);
    double z[6] = {0}, zhat[6], w[6], scaled[6] = {0}, scaled_hat[6], scaled_w[6];
    dae__accelerate_begin(&a, 6);
    dae__accelerate_begin(&b, 6);
    for (int sweep = 0; sweep < 5; sweep++) {
      apply(&m, z, zhat);
      for (int i = 0; i < 6; i++) {
        w[i] = 1 + i;
        scaled_hat[i] = ldexp(zhat[i], 9 * i - 20);
        scaled_w[i] = ldexp(w[i], 9 * i - 20);
      }
      updates[k](&a, zhat, w, z);
      updates[k](&b, scaled_hat, scaled_w, scaled);
      for (int i = 0; i < 6; i++)
        assert_true(ldexp(z[i], 9 * i - 20) == scaled[i]);
    }
  }
}

/* what happened before begin does not matter, bit by bit */
static void test_an_iteration_begins_anew(void **state)
{
  (void)state;
  update *const updates[] = {dae__accelerate_aitken, dae__accelerate_anderson};
  map m = random_map(10, 0.7);
  double w[LARGEST];
  for (int i = 0; i < LARGEST; i++)
    w[i] = 0.5 + fabs(uniform());
  for (int k = 0; k < 2; k++) {
    dae__accelerate a = dae__accelerate_create(arena, LARGEST, 3);
    double first[10];
    for (int run = 0; run < 3; run++) {
      double z[10] = {0}, zhat[10];
      dae__accelerate_begin(&a, m.n);
      for (int sweep = 0; sweep < 9; sweep++) {
        apply(&m, z, zhat);
        updates[k](&a, zhat, w, z);
        if (sweep == 0) /* plain */
          assert_memory_equal(z, m.c, sizeof z);
      }
      if (run == 0)
        memcpy(first, z, sizeof z);
      assert_memory_equal(z, first, sizeof z);
    }
  }
}

static bool build(const dae_env *env)
{
  dae__arena *own = dae__arena_create(env);
  if (!own)
    return false;
  dae__accelerate a = dae__accelerate_create(own, 1000, 9);
  bool built = !dae__arena_failed(own);
  if (built)
    dae__accelerate_begin(&a, 1000);
  dae__arena_free(own);
  return built;
}

static void test_memory_that_runs_out_is_noticed(void **state)
{
  (void)state;
  assert_int_equal(counting_env_fault(build), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_scalar_maps_are_solved_in_two_sweeps, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_a_two_cycle_is_left_after_one_sweep, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_anderson_is_exact_for_as_many_modes_as_columns, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_anderson_converges_with_a_column_for_each_unstable_mode,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_aitken_converges_where_all_modes_have_one_sign, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_noise_below_the_tolerance_does_no_harm, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_nothing_breaks_when_nothing_changes, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_aitken_does_not_freeze, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_iterates_do_not_depend_on_units, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_an_iteration_begins_anew, set_up, tear_down),
      cmocka_unit_test(test_memory_that_runs_out_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
