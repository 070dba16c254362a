/* When the ways to factor saddle systems without pivoting give way to pivoted LU. */
#include "saddle_fixture.h"

/* the solution is, bit by bit, that of the whole matrix's LU */
static void assert_pivoted(mechanism *s, dae__saddle *saddle, bool shifted)
{
  dae_pattern dense = dae__pattern_dense(s->arena, s->size, s->size);
  dae__solver *lu;
  assemble(s, shifted);
  assert_int_equal(dae__solver_create(s->arena, &dense, &lu, NULL), DAE_OK);
  assert_int_equal(dae__solver_factor(lu, s->whole), DAE_OK);
  assert_int_equal(factor(s, saddle, shifted), DAE_OK);
  assert_string_equal(dae__saddle_kind(saddle), "dense");
  assert_true(dae__saddle_rcond(saddle) == dae__solver_rcond(lu));
  double *x = random_side(s), *y = DAE__ALLOC(s->arena, double, s->size);
  memcpy(y, x, (size_t)s->size * sizeof *x);
  dae__saddle_solve(saddle, x, x + s->n);
  dae__solver_solve(lu, y);
  assert_memory_equal(x, y, (size_t)s->size * sizeof *x);
  dae__solver_free(lu);
}

static void test_massless_coordinates_are_pivoted(void **state)
{
  (void)state;
  for (int i = 0; i < 3; i++)
    for (int full = 0; full < 2; full++) {
      mechanism s = make(small[i][0], small[i][1], 0, full, 1);
      for (int k = 0; k < s.n; k++) /* the first coordinate has no mass; the constraints hold it */
        s.m[full ? k * s.n : 0] = s.m[full ? k : 0] = 0;
      dae__saddle *saddle = saddle_for(&s);
      assert_pivoted(&s, saddle, false);
      dae__saddle_free(saddle);
      free_system(&s);
    }
}

static void test_masses_that_are_not_symmetric_or_definite_are_pivoted(void **state)
{
  (void)state;
  mechanism s = make(5, 2, 0, true, 1);
  dae__saddle *saddle = saddle_for(&s);
  double m12 = s.m[1 + 2 * 5];
  s.m[1 + 2 * 5] = m12 * (1 + 4 * DBL_EPSILON); /* round-off */
  assemble(&s, false);
  assert_int_equal(factor(&s, saddle, false), DAE_OK);
  assert_string_equal(dae__saddle_kind(saddle), "schur");
  assert_true(error_of(&s, saddle) < 1e-13);
  s.m[1 + 2 * 5] = m12 + 1e-9;
  assert_pivoted(&s, saddle, false);
  s.m[1 + 2 * 5] = s.m[2 + 1 * 5] = 3 * s.m[1 + 1 * 5]; /* symmetric, but not definite */
  assert_pivoted(&s, saddle, false);
  dae__saddle_free(saddle);
  free_system(&s);

  s = make(4, 1, 0, false, 1);
  saddle = saddle_for(&s);
  s.m[2] = -1;
  assert_pivoted(&s, saddle, false);
  dae__saddle_free(saddle);
  free_system(&s);
}

/* nearly dependent rows: pivoted before too many digits are lost */
static void test_nearly_dependent_rows_are_pivoted(void **state)
{
  (void)state;
  for (int full = 0; full < 2; full++)
    for (int m = 2; m <= 3; m++) {
      mechanism s = make(6, m, 0, full, 1);
      for (int j = 0; j < s.n; j++)
        s.g[1 + j * m] = 2 * s.g[j * m] + 1e-5 * uniform();
      dae__saddle *saddle = saddle_for(&s);
      assert_pivoted(&s, saddle, false);
      dae__saddle_free(saddle);
      free_system(&s);
    }
}

static void test_negative_shifts_are_eliminated_and_positive_ones_pivoted(void **state)
{
  (void)state;
  for (int i = 0; i < 3; i++)
    for (int full = 0; full < 2; full++) {
      int m = small[i][1];
      mechanism s = make(small[i][0], m, 0, full, 1);
      dae__saddle *saddle = saddle_for(&s);
      for (int j = 0; j < s.n && m > 1; j++) /* dependent rows */
        s.g[1 + j * m] = s.g[j * m];
      for (int j = 0; j < s.size; j++)
        s.diagonal[j] = j < s.n ? j % 2 : -0.01 * (j + 1);
      assemble(&s, true);
      assert_int_equal(factor(&s, saddle, true), DAE_OK);
      assert_string_equal(dae__saddle_kind(saddle), backend_of(m, full));
      assert_true(error_of(&s, saddle) < 1e-13);
      s.diagonal[s.size - 1] = 0.3;
      assert_pivoted(&s, saddle, true);
      dae__saddle_free(saddle);
      free_system(&s);
    }
}

static void test_rows_taken_out_are_eliminated(void **state)
{
  (void)state;
  for (int i = 0; i < 3; i++)
    for (int full = 0; full < 2; full++) {
      int m = small[i][1];
      mechanism s = make(small[i][0], m, 0, full, 1);
      dae__saddle *saddle = saddle_for(&s);
      for (int j = 0; j < s.n; j++) /* the last row is gone */
        s.g[m - 1 + j * m] = 0;
      s.diagonal[s.size - 1] = 1;
      assemble(&s, true);
      assert_int_equal(factor(&s, saddle, true), DAE_OK);
      assert_string_equal(dae__saddle_kind(saddle), backend_of(m, full));
      assert_true(error_of(&s, saddle) < 1e-13);
      dae__saddle_free(saddle);
      free_system(&s);
    }
}

/* status and column are those of the whole matrix's LU, and the next factorisation is good again */
static void test_singular_systems_are_named_as_by_pivoted_lu(void **state)
{
  (void)state;
  for (int i = 0; i < 3; i++)
    for (int full = 0; full < 2; full++)
      for (int j = 0; j < small[i][0] + small[i][1]; j++) {
        int n = small[i][0], m = small[i][1];
        mechanism s = make(n, m, 0, full, 1);
        double g[LARGEST], mass[LARGEST];
        memcpy(g, s.g, (size_t)(m * n) * sizeof *g);
        memcpy(mass, s.m, (size_t)(full ? n * n : n) * sizeof *mass);
        for (int k = 0; k < n; k++) /* column and row j are zero */
          if (j >= n)
            s.g[j - n + k * m] = 0;
          else
            s.m[full ? j + k * n : j] = s.m[full ? k + j * n : j] = 0;
        for (int k = 0; k < m && j < n; k++)
          s.g[k + j * m] = 0;
        assemble(&s, false);
        dae_pattern dense = dae__pattern_dense(s.arena, s.size, s.size);
        dae__solver *lu;
        dae__saddle *saddle = saddle_for(&s);
        assert_int_equal(dae__solver_create(s.arena, &dense, &lu, NULL), DAE_OK);
        assert_int_equal(dae__solver_factor(lu, s.whole), DAE_ERROR_SINGULAR);
        assert_int_equal(factor(&s, saddle, false), DAE_ERROR_SINGULAR);
        assert_int_equal(dae__saddle_column(saddle), dae__solver_column(lu));
        assert_int_equal(dae__saddle_column(saddle), j);
        memcpy(s.g, g, (size_t)(m * n) * sizeof *g);
        memcpy(s.m, mass, (size_t)(full ? n * n : n) * sizeof *mass);
        assert_int_equal(factor(&s, saddle, false), DAE_OK);
        assert_int_equal(dae__saddle_column(saddle), -1);
        dae__saddle_free(saddle);
        dae__solver_free(lu);
        free_system(&s);
      }
}

static void test_values_that_are_not_finite_are_recoverable(void **state)
{
  (void)state;
  for (int i = 0; i < 3; i++)
    for (int full = 0; full < 2; full++) {
      mechanism s = make(small[i][0], small[i][1], 0, full, 1);
      dae__saddle *saddle = saddle_for(&s);
      double *values[] = {s.m, s.g, s.diagonal};
      int counts[] = {dae__pattern_count(&s.M), dae__pattern_count(&s.G), s.size};
      for (int k = 0; k < 3; k++)
        for (int e = 0; e < counts[k]; e++) {
          double good = values[k][e];
          values[k][e] = e % 3 == 0 ? NAN : e % 3 == 1 ? INFINITY : -INFINITY;
          assert_int_equal(factor(&s, saddle, true), DAE_ERROR_RECOVERABLE);
          values[k][e] = good;
        }
      assert_int_equal(factor(&s, saddle, true), DAE_OK);
      dae__saddle_free(saddle);
      free_system(&s);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_massless_coordinates_are_pivoted),
      cmocka_unit_test(test_masses_that_are_not_symmetric_or_definite_are_pivoted),
      cmocka_unit_test(test_nearly_dependent_rows_are_pivoted),
      cmocka_unit_test(test_negative_shifts_are_eliminated_and_positive_ones_pivoted),
      cmocka_unit_test(test_rows_taken_out_are_eliminated),
      cmocka_unit_test(test_singular_systems_are_named_as_by_pivoted_lu),
      cmocka_unit_test(test_values_that_are_not_finite_are_recoverable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
