/* The ways to factor saddle systems without pivoting: accuracy in extended precision, and against
 * the pivoted LU of the whole matrix. */
#include "arena_reload.h"
#include "counting_env.h"
#include "saddle_fixture.h"

/* Gaussian elimination with scaled pivoting in extended precision */
static void reference(const mechanism *s, const double *f, long double *x)
{
  static long double A[LARGEST][LARGEST];
  int n = s->size;
  for (int i = 0; i < n; i++) {
    x[i] = f[i];
    for (int j = 0; j < n; j++)
      A[i][j] = s->whole[i + j * n];
  }
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      p = fabsl(A[i][k]) > fabsl(A[p][k]) ? i : p;
    long double t = x[k];
    x[k] = x[p];
    x[p] = t;
    for (int j = 0; j < n; j++) {
      t = A[k][j];
      A[k][j] = A[p][j];
      A[p][j] = t;
    }
    for (int i = k + 1; i < n; i++) {
      long double l = A[i][k] / A[k][k];
      for (int j = k; j < n; j++)
        A[i][j] -= l * A[k][j];
      x[i] -= l * x[k];
    }
  }
  for (int k = n; k-- > 0;) {
    for (int j = k + 1; j < n; j++)
      x[k] -= A[k][j] * x[j];
    x[k] /= A[k][k];
  }
}

static void test_every_size_is_solved_without_pivoting(void **state)
{
  (void)state;
  for (int full = 0; full < 2; full++)
    for (int n = 1 + full; n <= 14; n++)
      for (int m = 0; m <= n; m++)
        for (int again = 0; again < 3; again++) {
          mechanism s = make(n, m - m / 3, m / 3, full, 0.7);
          strengthen(&s);
          assemble(&s, false);
          dae__saddle *saddle = saddle_for(&s);
          assert_int_equal(factor(&s, saddle, false), DAE_OK);
          assert_string_equal(dae__saddle_kind(saddle), backend_of(m, full));
          assert_int_equal(dae__saddle_column(saddle), -1);
          assert_true(dae__saddle_rcond(saddle) > 0 && dae__saddle_rcond(saddle) <= 1);
          assert_true(error_of(&s, saddle) < 2e-14);
          dae__saddle_free(saddle);
          free_system(&s);
        }
}

/* as long as the condition number is moderate, all but a few digits are right */
static void test_solutions_are_those_of_extended_precision(void **state)
{
  (void)state;
  const int sizes[][2] = {{2, 1}, {3, 1}, {4, 2}, {5, 2}, {7, 6}, {12, 5}, {30, 12}};
  for (int full = 0; full < 2; full++)
    for (int i = 0; i < 7; i++) {
      mechanism s = make(sizes[i][0], sizes[i][1], 0, full, 1);
      int n = s.n;
      strengthen(&s);
      assemble(&s, false);
      dae__saddle *saddle = saddle_for(&s);
      assert_int_equal(factor(&s, saddle, false), DAE_OK);
      assert_string_equal(dae__saddle_kind(saddle), backend_of(s.ng, full));
      double *z = random_side(&s);
      long double x[LARGEST];
      reference(&s, z, x);
      dae__saddle_solve(saddle, z, z + n);
      for (int k = 0; k < s.size; k++)
        assert_true(fabsl(z[k] - x[k]) < 1e-12 * (1 + fabsl(x[k])));
      dae__saddle_free(saddle);
      free_system(&s);
    }
}

/* masses 1e-6 to 1e6, full ones scaled alike; rows 1e-4 to 1e4 */
static void scale_badly(mechanism *s, bool full)
{
  double row[LARGEST], mass[LARGEST];
  for (int j = 0; j < s->n; j++)
    mass[j] = pow(10, between(-6, 6));
  for (int i = 0; i < s->ng + s->nk; i++)
    row[i] = pow(10, between(-4, 4));
  for (int j = 0; j < s->n; j++)
    if (full) /* with the square roots of both coordinates, which keeps it definite */
      for (int i = 0; i <= j; i++)
        s->m[i + j * s->n] = s->m[j + i * s->n] *= sqrt(mass[i] * mass[j]);
    else
      s->m[j] *= mass[j];
  for (int e = 0; e < dae__pattern_count(&s->G); e++)
    s->g[e] *= row[s->G.row[e]];
  for (int e = 0; e < dae__pattern_count(&s->K); e++)
    s->k[e] *= row[s->ng + s->K.row[e]];
}

/* whatever is chosen for a badly scaled system, it loses less than two digits more than pivoted LU,
 * and nearly always none beyond round-off */
static void test_bad_scaling_costs_no_more_digits_than_with_pivoting(void **state)
{
  (void)state;
  int cases = 0, by_way = 0;
  for (int again = 0; again < 4000; again++) {
    int n = 2 + again % 8, m = 1 + again / 8 % (n - 1);
    bool full = again % 3 == 0;
    mechanism s = make(n, m - m / 2, m / 2, full, again % 2 ? 1 : 0.4);
    scale_badly(&s, full);
    assemble(&s, false);
    dae_pattern dense = dae__pattern_dense(s.arena, s.size, s.size);
    dae__solver *lu;
    dae__saddle *saddle = saddle_for(&s);
    assert_int_equal(dae__solver_create(s.arena, &dense, &lu, NULL), DAE_OK);
    if (dae__solver_factor(lu, s.whole) == DAE_OK && dae__solver_rcond(lu) > 1e-10) {
      assert_int_equal(factor(&s, saddle, false), DAE_OK);
      double *f = random_side(&s), *x = DAE__ALLOC(s.arena, double, s.size);
      double *y = DAE__ALLOC(s.arena, double, s.size);
      memcpy(x, f, (size_t)s.size * sizeof *x);
      memcpy(y, f, (size_t)s.size * sizeof *y);
      dae__saddle_solve(saddle, x, x + n);
      dae__solver_solve(lu, y);
      assert_true(backward_error(&s, x, f) < 50 * fmax(2e-14, backward_error(&s, y, f)));
      cases++;
      by_way += strcmp(dae__saddle_kind(saddle), dae__solver_kind(lu)) != 0;
    }
    dae__saddle_free(saddle);
    dae__solver_free(lu);
    free_system(&s);
  }
  assert_true(cases > 3000 && by_way > cases / 2);
}

/* a light body on a heavy one: forces on it would move it a million million times as much as the
 * constraint lets it, but the constraint holds to the last digits */
static void test_constraints_of_light_bodies_hold_to_round_off(void **state)
{
  (void)state;
  for (int m = 1; m <= 4; m++)
    for (int full = 0; full < 2; full++) {
      mechanism s = make(2 * m, m, 0, full, 1);
      memset(s.g, 0, (size_t)(s.ng * s.n) * sizeof *s.g);
      for (int j = 0; j < s.n; j++) {
        double mass = j < m ? 1e-6 : 1e6;
        s.g[j % m + j * m] = j < m ? 1 : -1.1; /* x_j = 1.1 x_{m+j} + b_j */
        if (full)
          for (int i = 0; i < s.n; i++)
            s.m[i + j * s.n] = i == j ? mass : 1e-9;
        else
          s.m[j] = mass;
      }
      assemble(&s, false);
      dae__saddle *saddle = saddle_for(&s);
      assert_int_equal(factor(&s, saddle, false), DAE_OK);
      assert_string_equal(dae__saddle_kind(saddle), backend_of(m, full));
      assert_true(error_of(&s, saddle) < 1e-14);
      dae__saddle_free(saddle);
      free_system(&s);
    }
}

/* sizes whose squares overflow or lose their digits are pivoted, with their scaling of rows */
static void test_extreme_values_are_solved(void **state)
{
  (void)state;
  const double factors[] = {1e-300, 1e-160, 1e-150, 1e-130, 1e130, 1e150, 1e160};
  for (int i = 0; i < 3; i++)
    for (int full = 0; full < 2; full++)
      for (int k = 0; k < 7; k++) {
        mechanism s = make(small[i][0], small[i][1], 0, full, 1);
        strengthen(&s);
        for (int e = 0; e < dae__pattern_count(&s.G); e++)
          s.g[e] *= factors[k];
        assemble(&s, false);
        dae__saddle *saddle = saddle_for(&s);
        assert_int_equal(factor(&s, saddle, false), DAE_OK);
        double *f = random_side(&s), *z = DAE__ALLOC(s.arena, double, s.size);
        for (int j = s.n; j < s.size; j++)
          f[j] *= factors[k];
        memcpy(z, f, (size_t)s.size * sizeof *z);
        dae__saddle_solve(saddle, z, z + s.n);
        assert_true(backward_error(&s, z, f) < 1e-12);
        dae__saddle_free(saddle);
        free_system(&s);
      }
}

static void test_factoring_and_solving_at_once_gives_the_same_bits(void **state)
{
  (void)state;
  for (int i = 0; i < 40; i++) { /* diagonal and full; G and K, dense and not; pivoted */
    bool full = i % 3 == 0;
    int n = 2 + i % 7, m = 1 + i % n;
    mechanism s = make(n, m - i % 2 * (m / 2), i % 2 * (m / 2), full, i % 5 ? 1 : 0.6);
    strengthen(&s);
    if (i % 8 == 7)
      s.m[0] = 0;
    dae__saddle *by_parts = saddle_for(&s), *at_once = saddle_for(&s);
    for (int round = 0; round < 3; round++) { /* the same mass from the second on */
      for (int e = 0; e < dae__pattern_count(&s.G); e++)
        s.g[e] *= 1 + 0.1 * uniform();
      double *x = random_side(&s), *y = DAE__ALLOC(s.arena, double, s.size);
      memcpy(y, x, (size_t)s.size * sizeof *y);
      assert_int_equal(factor(&s, by_parts, false), DAE_OK);
      dae__saddle_solve(by_parts, x, x + n);
      assert_int_equal(dae__saddle_factor_solve(at_once, s.m, round > 0, s.g, s.k, y, y + n),
                       DAE_OK);
      assert_string_equal(dae__saddle_kind(by_parts), dae__saddle_kind(at_once));
      assert_memory_equal(x, y, (size_t)s.size * sizeof *x);
      dae__saddle_solve(by_parts, x, x + n); /* and what is left behind */
      dae__saddle_solve(at_once, y, y + n);
      assert_memory_equal(x, y, (size_t)s.size * sizeof *x);
    }
    dae__saddle_free(by_parts);
    dae__saddle_free(at_once);
    free_system(&s);
  }
}

/* "the same mass" is not believed after a diagonal has been added to it, or after a load */
/* [G; K] with all its entries */
static void spread_rows(const mechanism *s, double *A)
{
  int m = s->ng + s->nk;
  memset(A, 0, (size_t)(m * s->n) * sizeof *A);
  for (int j = 0; j < s->n; j++) {
    for (int e = s->G.start[j]; e < s->G.start[j + 1]; e++)
      A[j * m + s->G.row[e]] = s->g[e];
    for (int e = s->K.start[j]; e < s->K.start[j + 1]; e++)
      A[j * m + s->ng + s->K.row[e]] = s->k[e];
  }
}

/* x and y: to round-off; these are well-conditioned */
static void check_same(int n, const double *x, const double *y)
{
  for (int i = 0; i < n; i++)
    assert_true(fabs(x[i] - y[i]) <= 1e-12 * (1 + fabs(y[i])));
}

/* x with A x = b by the least force, as a pass finds it where no other force acts */
static void check_lead(const mechanism *s, dae__saddle *saddle, const double *A)
{
  int n = s->n, m = s->ng + s->nk;
  double none[LARGEST] = {0}, b[LARGEST], c[LARGEST], x[LARGEST], y[LARGEST], x2[LARGEST];
  for (int i = 0; i < m; i++)
    c[i] = -(b[i] = uniform());
  dae__saddle_forces of = {.A = A, .f = none, .c = c, .x = x, .y = y};
  assert_true(dae__saddle_solve_fused(saddle, s->m, true, &of));
  assert_true(dae__saddle_correct(saddle, A, b, x2));
  check_same(n, x2, x);
}

/* with M, and again with the same one */
static void check_passes(const mechanism *s, dae__saddle *saddle, bool expected)
{
  int n = s->n, m = s->ng + s->nk;
  double A[2 * LARGEST], f[LARGEST], c[LARGEST], x[LARGEST], y[LARGEST], x2[LARGEST], y2[LARGEST];
  spread_rows(s, A);
  for (int i = 0; i < n; i++)
    x2[i] = f[i] = uniform();
  for (int i = 0; i < m; i++)
    y2[i] = -(c[i] = uniform());
  dae__saddle_forces of = {.A = A, .f = f, .c = c, .x = x, .y = y};
  for (int again = 0; again < 2; again++) {
    memset(x, 0, sizeof x);
    assert_int_equal(dae__saddle_solve_fused(saddle, s->m, again, &of), expected);
    if (!expected)
      return;
    if (!again)
      assert_int_equal(dae__saddle_factor_solve(saddle, s->m, false, s->g, s->k, x2, y2), DAE_OK);
    check_same(n, x, x2);
    check_same(m, y, y2);
    memset(x, 0, sizeof x);
    assert_true(
        dae__saddle_solve_fused(saddle, s->m, true, &of)); /* without a factorisation between */
    check_same(n, x, x2);
  }
  check_lead(s, saddle, A);
  of.f = (f[0] = NAN, f); /* what is not finite is for others to explain */
  assert_false(dae__saddle_solve_fused(saddle, s->m, false, &of));
}

static void test_few_rows_are_solved_without_a_factorisation(void **state)
{
  (void)state;
  for (int n = 1; n <= 14; n++)
    for (int m = 0; m <= n && m <= 8; m++)
      for (int full = 0; full < 2 - (n == 1); full++)
        for (int nk = 0; nk <= m; nk++) {
          mechanism s = make(n, m - nk, nk, full, 0.7);
          strengthen(&s);
          dae__saddle *saddle = saddle_for(&s);
          check_passes(&s, saddle, m > 0 && m <= DAE__SCHUR_ROWS && (!full || n <= 12));
          dae__saddle_free(saddle);
          free_system(&s);
        }
}

/* what elimination without pivoting is not for: M that is not symmetric or not definite, rows that
 * depend on each other */
static void test_a_full_mass_that_needs_pivoting_is_not_passed(void **state)
{
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    mechanism s = make(3, 2, 0, true, 1);
    strengthen(&s);
    dae__saddle *saddle = saddle_for(&s);
    double A[6], f[3] = {1, 2, 3}, c[2] = {1, -1}, x[3], y[2];
    spread_rows(&s, A);
    if (kind == 0)
      s.m[1] += 1e-6;
    if (kind == 1)
      s.m[0] = 0;
    for (int j = 0; kind == 2 && j < 3; j++)
      A[2 * j + 1] = 2 * A[2 * j];
    dae__saddle_forces of = {.A = A, .f = f, .c = c, .x = x, .y = y};
    assert_false(dae__saddle_solve_fused(saddle, s.m, false, &of));
    dae__saddle_free(saddle);
    free_system(&s);
  }
}

static void test_a_mass_that_was_shifted_is_taken_anew(void **state)
{
  (void)state;
  for (int reloaded = 0; reloaded < 2; reloaded++) {
    mechanism s = make(4, 2, 0, false, 1);
    strengthen(&s);
    dae__saddle *saddle = saddle_for(&s), *other = saddle_for(&s);
    for (int i = 0; i < s.n; i++)
      s.diagonal[i] = 1;
    double *x = random_side(&s), *y = DAE__ALLOC(s.arena, double, s.size);
    memcpy(y, x, (size_t)s.size * sizeof *y);
    if (reloaded) {
      assert_int_equal(factor(&s, saddle, false), DAE_OK);
      assert_int_equal(arena_reload(s.arena), DAE_OK);
      s.m[0] *= 2;
    } else {
      assert_int_equal(factor(&s, saddle, true), DAE_OK);
    }
    assert_int_equal(dae__saddle_factor_solve(saddle, s.m, true, s.g, s.k, x, x + 4), DAE_OK);
    assert_int_equal(factor(&s, other, false), DAE_OK);
    dae__saddle_solve(other, y, y + 4);
    assert_memory_equal(x, y, (size_t)s.size * sizeof *x);
    dae__saddle_free(saddle);
    dae__saddle_free(other);
    free_system(&s);
  }
}

static void test_a_dense_mass_with_diagonal_values_is_taken_as_diagonal(void **state)
{
  (void)state;
  mechanism s = make(4, 2, 0, true, 1);
  strengthen(&s);
  dae__saddle *saddle = saddle_for(&s);
  assert_int_equal(factor(&s, saddle, false), DAE_OK);
  assert_string_equal(dae__saddle_kind(saddle), "schur");
  for (int j = 0; j < s.n; j++)
    for (int i = 0; i < s.n; i++)
      s.m[i + j * s.n] = i == j ? 1 + j : 0;
  assemble(&s, false);
  assert_int_equal(factor(&s, saddle, false), DAE_OK);
  assert_string_equal(dae__saddle_kind(saddle), "schur");
  assert_true(error_of(&s, saddle) < 2e-14);
  s.m[1] = s.m[4] = 0.1;
  assemble(&s, false);
  assert_int_equal(factor(&s, saddle, false), DAE_OK);
  assert_string_equal(dae__saddle_kind(saddle), "schur");
  assert_true(error_of(&s, saddle) < 2e-14);
  dae__saddle_free(saddle);
  free_system(&s);
}

/* An arena is saved after a factorisation, and loaded into another one whose last factorisation
 * was of the other kind: it then solves with the same bits. */
static void assert_load_is_exact(int n, int m, bool full, bool pivoted)
{
  mechanism s = make(n, m, 0, full, 1);
  dae__arena *arena[2] = {dae__arena_create(NULL), dae__arena_create(NULL)};
  dae__saddle *saddle[2];
  for (int k = 0; k < 2; k++)
    assert_int_equal(dae__saddle_create(arena[k], &s.M, &s.G, &s.K, &saddle[k], NULL), DAE_OK);
  s.diagonal[0] = -s.m[0]; /* no mass: pivoted */
  assert_int_equal(factor(&s, saddle[0], pivoted), DAE_OK);
  const char *kind = dae__saddle_kind(saddle[0]);
  assert_string_equal(kind, pivoted ? "dense" : backend_of(m, full));
  double *f = random_side(&s), *x = DAE__ALLOC(s.arena, double, s.size);
  memcpy(x, f, (size_t)s.size * sizeof *x);
  void *buffer = malloc(dae__arena_state_size(arena[0]));
  dae__arena_save(arena[0], buffer);
  dae__saddle_solve(saddle[0], x, x + n);
  double rcond = dae__saddle_rcond(saddle[0]);

  assert_int_equal(factor(&s, saddle[1], !pivoted), DAE_OK); /* something else before */
  assert_int_equal(dae__arena_load(arena[1], buffer), DAE_OK);
  assert_string_equal(dae__saddle_kind(saddle[1]), kind);
  assert_true(dae__saddle_rcond(saddle[1]) == rcond);
  dae__saddle_solve(saddle[1], f, f + n);
  assert_memory_equal(x, f, (size_t)s.size * sizeof *x);
  free(buffer);
  for (int k = 0; k < 2; k++) {
    dae__saddle_free(saddle[k]);
    dae__arena_free(arena[k]);
  }
  free_system(&s);
}

static void test_load_gives_the_same_bits(void **state)
{
  (void)state;
  for (int i = 0; i < 3; i++)
    for (int full = 0; full < 2; full++)
      for (int pivoted = 0; pivoted < 2; pivoted++)
        assert_load_is_exact(small[i][0], small[i][1], full, pivoted);
}

static void test_large_sparse_systems_are_left_to_the_solver(void **state)
{
  (void)state;
  mechanism s = make(40, 20, 0, false, 0.02), t = make(40, 20, 0, false, 1);
  dae__saddle *sparse = saddle_for(&s), *dense = saddle_for(&t);
  dae__solver *solver;
  dae_pattern chain = dae__pattern_diagonal(s.arena, 100); /* what the solver takes for sparse */
  assert_int_equal(dae__solver_create(s.arena, &chain, &solver, NULL), DAE_OK);
  assert_int_equal(factor(&s, sparse, false), DAE_OK);
  assert_int_equal(factor(&t, dense, false), DAE_OK);
  if (strcmp(dae__solver_kind(solver), "klu") == 0) /* built without it, all matrices are dense */
    assert_string_equal(dae__saddle_kind(sparse), "klu");
  assert_string_equal(dae__saddle_kind(dense), "schur");
  dae__solver_free(solver);
  dae__saddle_free(sparse);
  dae__saddle_free(dense);
  free_system(&s);
  free_system(&t);
}

static bool build_small(const dae_env *env)
{
  mechanism s = make(9, 2, 0, false, 1);
  dae__arena *arena = dae__arena_create(env);
  dae__saddle *saddle = NULL;
  bool built = arena && dae__saddle_create(arena, &s.M, &s.G, &s.K, &saddle, NULL) == DAE_OK;
  assert_int_equal(built, saddle != NULL);
  dae__saddle_free(saddle);
  dae__arena_free(arena);
  free_system(&s);
  return built;
}

static bool build_full(const dae_env *env)
{
  mechanism s = make(30, 14, 0, true, 0.1); /* with KLU behind it */
  dae__arena *arena = dae__arena_create(env);
  dae__saddle *saddle = NULL;
  bool built = arena && dae__saddle_create(arena, &s.M, &s.G, &s.K, &saddle, NULL) == DAE_OK;
  assert_int_equal(built, saddle != NULL);
  dae__saddle_free(saddle);
  dae__arena_free(arena);
  free_system(&s);
  return built;
}

static void test_every_failing_allocation_is_reported(void **state)
{
  (void)state;
  assert_int_equal(counting_env_fault(build_small), 0);
  assert_int_equal(counting_env_fault(build_full), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_size_is_solved_without_pivoting),
      cmocka_unit_test(test_solutions_are_those_of_extended_precision),
      cmocka_unit_test(test_bad_scaling_costs_no_more_digits_than_with_pivoting),
      cmocka_unit_test(test_constraints_of_light_bodies_hold_to_round_off),
      cmocka_unit_test(test_extreme_values_are_solved),
      cmocka_unit_test(test_factoring_and_solving_at_once_gives_the_same_bits),
      cmocka_unit_test(test_few_rows_are_solved_without_a_factorisation),
      cmocka_unit_test(test_a_full_mass_that_needs_pivoting_is_not_passed),
      cmocka_unit_test(test_a_mass_that_was_shifted_is_taken_anew),
      cmocka_unit_test(test_a_dense_mass_with_diagonal_values_is_taken_as_diagonal),
      cmocka_unit_test(test_load_gives_the_same_bits),
      cmocka_unit_test(test_large_sparse_systems_are_left_to_the_solver),
      cmocka_unit_test(test_every_failing_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
