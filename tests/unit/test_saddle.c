#include "linalg/saddle/saddle.h"

#include "counting_env.h"
#include "linalg/pattern.h"
#include "uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A chain of masses in the plane; every third mass slides sideways only (a row of K). */
typedef struct mechanism {
  dae__arena *arena;
  int n, ng, nk;
  dae_pattern M, G, K;
  double *m, *g, *k, *diagonal;
} mechanism;

static mechanism chain(int masses)
{
  mechanism s = {.arena = dae__arena_create(NULL), .n = 2 * masses, .ng = masses, .nk = masses / 3};
  s.M = dae__pattern_diagonal(s.arena, s.n);
  int *start = DAE__ALLOC(s.arena, int, s.n + 1), *row = DAE__ALLOC(s.arena, int, 2 * s.n);
  int *k_start = DAE__ALLOC(s.arena, int, s.n + 1), *k_row = DAE__ALLOC(s.arena, int, s.n);
  s.m = DAE__ALLOC(s.arena, double, s.n);
  s.g = DAE__ALLOC(s.arena, double, 2 * s.n);
  s.k = DAE__ALLOC(s.arena, double, s.n);
  s.diagonal = DAE__ALLOC(s.arena, double, s.n + s.ng + s.nk);
  for (int j = 0, count = 0, k_count = 0; j < s.n; j++) {
    int mass = j / 2;
    s.m[j] = 1 + 0.3 * uniform();
    for (int i = mass; i <= mass + 1 && i < masses; i++) {
      double angle = 1 + 0.5 * sin(3.0 * i);
      s.g[count] = (j % 2 ? sin(angle) : cos(angle)) * (i == mass ? 1 : -1);
      row[count++] = i;
    }
    start[j + 1] = count;
    if (j % 2 == 0 && mass % 3 == 2) {
      s.k[k_count] = 1.5;
      k_row[k_count++] = mass / 3;
    }
    k_start[j + 1] = k_count;
  }
  s.G = (dae_pattern){s.ng, s.n, start, row};
  s.K = (dae_pattern){s.nk, s.n, k_start, k_row};
  return s;
}

static void free_system(mechanism *s)
{
  dae__arena_free(s->arena);
}

static dae__saddle *saddle_for(const mechanism *s)
{
  dae__saddle *saddle;
  assert_int_equal(dae__saddle_create(s->arena, &s->M, &s->G, &s->K, &saddle, NULL), DAE_OK);
  return saddle;
}

/* solves for a random right side and checks both rows of the system, block by block */
static void check_solution(const mechanism *s, dae__saddle *saddle, const double *diagonal)
{
  int n = s->n, m = s->ng + s->nk;
  double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)m + 1, sizeof *y);
  double *a = calloc((size_t)n, sizeof *a), *b = calloc((size_t)m + 1, sizeof *b);
  for (int i = 0; i < n; i++)
    x[i] = a[i] = uniform();
  for (int i = 0; i < m; i++)
    y[i] = b[i] = uniform();
  dae__saddle_solve(saddle, x, y);
  double size = 1;
  for (int i = 0; i < n; i++)
    size = fmax(size, fabs(x[i]));
  for (int i = 0; i < m; i++)
    size = fmax(size, fabs(y[i]));
  dae__matrix_times(&s->M, s->m, -1, x, a); /* a -= M x + G'y_g + K'y_k + D1 x */
  dae__matrix_transposed_times(&s->G, s->g, -1, y, a);
  dae__matrix_transposed_times(&s->K, s->k, -1, y + s->ng, a);
  dae__matrix_times(&s->G, s->g, -1, x, b); /* b -= [G; K] x + D2 y */
  dae__matrix_times(&s->K, s->k, -1, x, b + s->ng);
  for (int i = 0; i < n; i++)
    assert_true(fabs(a[i] - (diagonal ? diagonal[i] * x[i] : 0)) < 1e-10 * size);
  for (int i = 0; i < m; i++)
    assert_true(fabs(b[i] - (diagonal ? diagonal[n + i] * y[i] : 0)) < 1e-10 * size);
  free(x);
  free(y);
  free(a);
  free(b);
}

static const int sizes[] = {1, 2, 3, 9, 30, 400};

static void test_both_rows_hold(void **state)
{
  (void)state;
  for (int i = 0; i < 6; i++) {
    mechanism s = chain(sizes[i]);
    dae__saddle *saddle = saddle_for(&s);
    assert_int_equal(dae__saddle_factor(saddle, s.m, s.g, s.k, NULL), DAE_OK);
    assert_int_equal(dae__saddle_column(saddle), -1);
    assert_true(dae__saddle_rcond(saddle) > 0);
    check_solution(&s, saddle, NULL);
    dae__saddle_free(saddle);
    free_system(&s);
  }
}

static void test_mass_may_be_singular_where_the_constraints_hold_it(void **state)
{
  (void)state;
  for (int i = 0; i < 6; i++) {
    mechanism s = chain(sizes[i]);
    for (int j = 1; j < s.n; j += 2) /* sideways masses vanish; the links determine them */
      s.m[j] = 0;
    dae__saddle *saddle = saddle_for(&s);
    assert_int_equal(dae__saddle_factor(saddle, s.m, s.g, s.k, NULL), DAE_OK);
    check_solution(&s, saddle, NULL);
    dae__saddle_free(saddle);
    free_system(&s);
  }
}

static void test_shifts_make_dependent_rows_solvable(void **state)
{
  (void)state;
  for (int i = 0; i < 6; i++) {
    mechanism s = chain(sizes[i]);
    for (int e = 0; e < dae__pattern_count(&s.G); e++)
      if (s.G.row[e] == s.ng / 2)
        s.g[e] = 0; /* the link is gone, its row depends on nothing */
    dae__saddle *saddle = saddle_for(&s);
    assert_int_equal(dae__saddle_factor(saddle, s.m, s.g, s.k, NULL), DAE_ERROR_SINGULAR);
    assert_int_equal(dae__saddle_column(saddle), s.n + s.ng / 2);
    for (int k = 0; k < s.ng + s.nk; k++)
      s.diagonal[s.n + k] = -0.01 * (k + 1);
    assert_int_equal(dae__saddle_factor(saddle, s.m, s.g, s.k, s.diagonal), DAE_OK);
    check_solution(&s, saddle, s.diagonal);
    dae__saddle_free(saddle);
    free_system(&s);
  }
}

static void test_a_diagonal_of_ones_takes_coordinates_and_rows_out(void **state)
{
  (void)state;
  mechanism s = chain(9);
  for (int e = 0; e < dae__pattern_count(&s.K); e++)
    s.k[e] = 0;
  for (int k = 0; k < s.nk; k++)
    s.diagonal[s.n + s.ng + k] = 1;
  dae__saddle *saddle = saddle_for(&s);
  assert_int_equal(dae__saddle_factor(saddle, s.m, s.g, s.k, s.diagonal), DAE_OK);
  check_solution(&s, saddle, s.diagonal);
  dae__saddle_free(saddle);
  free_system(&s);
}

static void test_an_unconstrained_mechanismis_the_mass_alone(void **state)
{
  (void)state;
  mechanism s = chain(5);
  s.ng = s.nk = 0;
  s.G = s.K = dae__pattern_dense(s.arena, 0, s.n);
  dae__saddle *saddle = saddle_for(&s);
  assert_int_equal(dae__saddle_factor(saddle, s.m, s.g, s.k, NULL), DAE_OK);
  check_solution(&s, saddle, NULL);
  dae__saddle_free(saddle);
  free_system(&s);
}

static void test_reload_gives_the_same_bits(void **state)
{
  (void)state;
  for (int i = 0; i < 6; i++) {
    mechanism s = chain(sizes[i]);
    dae__saddle *saddle = saddle_for(&s);
    double *x = DAE__ALLOC(s.arena, double, s.n), *y = DAE__ALLOC(s.arena, double, s.ng + s.nk + 1);
    double *x2 = DAE__ALLOC(s.arena, double, s.n),
           *y2 = DAE__ALLOC(s.arena, double, s.ng + s.nk + 1);
    x[0] = x2[0] = y[0] = y2[0] = 1;
    assert_int_equal(dae__saddle_factor(saddle, s.m, s.g, s.k, NULL), DAE_OK);
    for (int j = 0; j < s.n; j++)
      s.m[j] *= 1 + 0.1 * uniform();
    assert_int_equal(dae__saddle_factor(saddle, s.m, s.g, s.k, NULL), DAE_OK);
    void *buffer = malloc(dae__arena_state_size(s.arena));
    dae__arena_save(s.arena, buffer);
    dae__saddle_solve(saddle, x, y);
    for (int j = 0; j < s.n; j++)
      s.m[j] *= 2;
    assert_int_equal(dae__saddle_factor(saddle, s.m, s.g, s.k, NULL), DAE_OK);
    assert_int_equal(dae__arena_load(s.arena, buffer), DAE_OK);
    dae__saddle_solve(saddle, x2, y2);
    assert_memory_equal(x, x2, (size_t)s.n * sizeof *x);
    assert_memory_equal(y, y2, (size_t)(s.ng + s.nk) * sizeof *y);
    free(buffer);
    dae__saddle_free(saddle);
    free_system(&s);
  }
}

static void test_every_failing_allocation_is_reported(void **state)
{
  (void)state;
  mechanism s = chain(300);
  dae_status status = DAE_ERROR_MEMORY;
  for (long fail_at = 1; status != DAE_OK; fail_at++) {
    counting_env count = {.fail_at = fail_at};
    dae_env env = counting_env_of(&count);
    dae__arena *arena = dae__arena_create(&env);
    dae__saddle *saddle = NULL, *another = NULL;
    status = arena ? dae__saddle_create(arena, &s.M, &s.G, &s.K, &saddle, NULL) : DAE_ERROR_MEMORY;
    assert_int_equal(saddle == NULL, status != DAE_OK);
    if (saddle)
      status = dae__saddle_create_sharing(arena, saddle, &another, NULL);
    assert_int_equal(another == NULL, status != DAE_OK);
    assert_int_equal(status, count.calls < fail_at ? DAE_OK : DAE_ERROR_MEMORY);
    dae__saddle_free(another);
    dae__saddle_free(saddle);
    dae__arena_free(arena);
    assert_int_equal(count.live, 0);
  }
  free_system(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_both_rows_hold),
      cmocka_unit_test(test_mass_may_be_singular_where_the_constraints_hold_it),
      cmocka_unit_test(test_shifts_make_dependent_rows_solvable),
      cmocka_unit_test(test_a_diagonal_of_ones_takes_coordinates_and_rows_out),
      cmocka_unit_test(test_an_unconstrained_mechanismis_the_mass_alone),
      cmocka_unit_test(test_reload_gives_the_same_bits),
      cmocka_unit_test(test_every_failing_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
