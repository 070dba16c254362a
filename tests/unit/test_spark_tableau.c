/* Coefficients of the SPARK families: references to 20 digits, closed forms, simplifying
 * assumptions, symmetry, symplecticity. */
#include "counting_env.h"
#include "quadrature/nodes.h"
#include "spark_tables.h"
#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define EPS 1e-15

static dae_spark_tableau *create(dae_spark_family family, dae_spark_hat hat, int s)
{
  dae_spark_tableau *t;
  dae_error err = dae_error_none();
  if (dae_spark_tableau_create(family, hat, s, NULL, &t, &err) != DAE_OK)
    fail_msg("family %d, hat %d, s = %d: %s", (int)family, (int)hat, s, err.text);
  return t;
}

static int least(dae_spark_family family)
{
  return family == DAE_SPARK_GAUSS || family == DAE_SPARK_RADAU ? 1 : 2;
}

#define assert_near(value, expected, tol)                                                          \
  do {                                                                                             \
    double value_ = (double)(value), expected_ = (double)(expected);                               \
    if (!(fabs(value_ - expected_) <= (tol)))                                                      \
      fail_msg("%s:%d: %s is %.17g, not %.17g", __FILE__, __LINE__, #value, value_, expected_);    \
  } while (0)

static void assert_values(int n, const double *values, const double *expected)
{
  for (int i = 0; i < n; i++)
    assert_near(values[i], expected[i], EPS * fmin(1, 0.1 + fabs(expected[i])));
}

static void test_coefficients_agree_with_references(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof spark_tables / sizeof *spark_tables; k++) {
    const spark_table *ref = &spark_tables[k];
    int s = ref->s;
    dae_spark_tableau *t = create(ref->family, DAE_SPARK_HAT_SAME, s);
    assert_int_equal(t->s, s);
    assert_int_equal(t->nt, s + 1);
    assert_values(s, t->c, ref->c);
    assert_values(s, t->b, ref->b);
    assert_values(s, t->bh, ref->b);
    assert_values(s + 1, t->ct, ref->ct);
    assert_values(s + 1, t->bt, ref->bt);
    assert_values(s * s, t->A, ref->A);
    assert_values(s * s, t->Ah, ref->A);
    assert_values((s + 1) * s, t->Ab, ref->Ab);
    assert_values(s * (s + 1), t->At, ref->At);
    dae_spark_tableau_free(t);
  }
}

static void test_closed_forms(void **state)
{
  (void)state;
  double r3 = sqrt(3), r5 = sqrt(5), r6 = sqrt(6), r15 = sqrt(15);
  dae_spark_tableau *t = create(DAE_SPARK_GAUSS, DAE_SPARK_HAT_SAME, 2);
  assert_values(2, t->c, (double[]){0.5 - r3 / 6, 0.5 + r3 / 6});
  assert_values(4, t->A, (double[]){0.25, 0.25 - r3 / 6, 0.25 + r3 / 6, 0.25});
  assert_values(6, t->Ab, (double[]){0, 0, 0.25 + r3 / 8, 0.25 - r3 / 8, 0.5, 0.5});
  assert_values(6, t->At, (double[]){1. / 6, 1. / 3 - r3 / 6, 0, 1. / 6, 1. / 3 + r3 / 6, 0});
  dae_spark_tableau_free(t);
  t = create(DAE_SPARK_GAUSS, DAE_SPARK_HAT_SAME, 3);
  assert_values(3, t->c, (double[]){0.5 - r15 / 10, 0.5, 0.5 + r15 / 10});
  assert_values(3, t->b, (double[]){5. / 18, 4. / 9, 5. / 18});
  assert_values(4, t->ct, (double[]){0, (5 - r5) / 10, (5 + r5) / 10, 1});
  assert_values(4, t->bt, (double[]){1. / 12, 5. / 12, 5. / 12, 1. / 12});
  dae_spark_tableau_free(t);
  t = create(DAE_SPARK_RADAU, DAE_SPARK_HAT_SAME, 3);
  assert_values(3, t->c, (double[]){(4 - r6) / 10, (4 + r6) / 10, 1});
  assert_values(3, t->b, (double[]){(16 - r6) / 36, (16 + r6) / 36, 1. / 9});
  dae_spark_tableau_free(t);
}

/* RATTLE [J98]: trapezoidal rule for v, the first force acts on all of the step's first half */
static void test_two_stage_lobatto_matrices(void **state)
{
  (void)state;
  const double A[] = {0, 0, 0.5, 0.5}, B[] = {0.5, 0, 0.5, 0}, C[] = {0.5, -0.5, 0.5, 0.5};
  const double C_star[] = {0, 0, 1, 0}, D[] = {0.25, -0.25, 0.75, 0.25};
  const double *hats[] = {NULL, NULL, B, C, C_star, D};
  for (dae_spark_hat hat = DAE_SPARK_HAT_B; hat < DAE_SPARK_HATS; hat++) {
    dae_spark_tableau *t = create(DAE_SPARK_LOBATTO_A_X_B, hat, 2);
    assert_int_equal(t->nt, 2);
    assert_values(4, t->A, A);
    assert_values(4, t->Ab, A);
    assert_values(4, t->At, B);
    assert_values(4, t->Ah, hats[hat]);
    assert_values(2, t->bt, t->b);
    dae_spark_tableau_free(t);
  }
}

static void test_rules_are_exact_to_their_degree(void **state)
{
  (void)state;
  static dae__rule (*const rules[])(int n) = {dae__rule_gauss, dae__rule_radau, dae__rule_lobatto};
  for (int k = 0; k < 3; k++)
    for (int n = k < 2 ? 1 : 2; n <= DAE__SMALL_SIZE; n++) {
      dae__rule rule = rules[k](n);
      for (int degree = 0; degree <= 2 * n - k; degree++) {
        long double sum = 0; /* of Legendre's polynomials, whose integral is 0 but for degree 0 */
        for (int i = 0; i < n; i++) {
          long double P, dP;
          dae__legendre(degree, 2 * rule.c[i] - 1, &P, &dP);
          sum += rule.b[i] * P;
        }
        if (degree < 2 * n - k)
          assert_near(sum, degree == 0, EPS);
        else
          assert_true(fabsl(sum) > 1e-3L);
      }
      for (int i = 1; i < n; i++)
        assert_true(rule.c[i] > rule.c[i - 1]);
      assert_true(k < 1 || rule.c[n - 1] == 1);
      assert_true(k < 2 || rule.c[0] == 0);
    }
}

/* largest k with C(k): sum_j a_ij x_j^(l-1) = y_i^l / l for l <= k, x columns, y rows */
static int c_holds(int rows, int cols, const double *A, const double *x, const double *y)
{
  for (int l = 1;; l++)
    for (int i = 0; i < rows; i++) {
      double sum = 0;
      for (int j = 0; j < cols; j++)
        sum += A[i * cols + j] * pow(x[j], l - 1);
      if (fabs(sum - pow(y[i], l) / l) > 1e-14)
        return l - 1;
    }
}

/* largest k with D(k): sum_i b_i y_i^(l-1) a_ij = w_j (1 - x_j^l) / l for l <= k */
static int d_holds(int rows, int cols, const double *A, const double *b, const double *y,
                   const double *w, const double *x)
{
  for (int l = 1;; l++)
    for (int j = 0; j < cols; j++) {
      double sum = 0;
      for (int i = 0; i < rows; i++)
        sum += b[i] * pow(y[i], l - 1) * A[i * cols + j];
      if (fabs(sum - w[j] * (1 - pow(x[j], l)) / l) > 1e-14)
        return l - 1;
    }
}

/* as s plus an offset: C(A), D(A), C(Ab), C(At), D(At) */
static void test_simplifying_assumptions_of_the_families(void **state)
{
  (void)state;
  static const int offset[][5] = {[DAE_SPARK_GAUSS] = {0, 0, 1, 0, 1},
                                  [DAE_SPARK_RADAU] = {0, -1, 0, -1, 0},
                                  [DAE_SPARK_LOBATTO_C] = {-1, -1, 0, -2, 0},
                                  [DAE_SPARK_LOBATTO_D] = {-1, -1, 0, -2, 0}};
  for (dae_spark_family f = DAE_SPARK_GAUSS; f <= DAE_SPARK_LOBATTO_D; f++)
    for (int s = least(f); s <= 6; s++) {
      dae_spark_tableau *t = create(f, DAE_SPARK_HAT_SAME, s);
      assert_int_equal(c_holds(s, s, t->A, t->c, t->c), s + offset[f][0]);
      assert_int_equal(d_holds(s, s, t->A, t->b, t->c, t->b, t->c), s + offset[f][1]);
      assert_int_equal(c_holds(s + 1, s, t->Ab, t->c, t->ct), s + offset[f][2]);
      assert_int_equal(c_holds(s, s + 1, t->At, t->ct, t->c), s + offset[f][3]);
      assert_int_equal(d_holds(s, s + 1, t->At, t->b, t->c, t->bt, t->ct), s + offset[f][4]);
      dae_spark_tableau_free(t);
    }
}

static void test_simplifying_assumptions_of_the_lobatto_matrices(void **state)
{
  (void)state;
  static const int offset[][2] = {{0, -2}, {-2, 0}, {-1, -1}, {-1, -1}, {-1, -1}};
  for (dae_spark_hat hat = DAE_SPARK_HAT_A; hat < DAE_SPARK_HATS; hat++)
    for (int s = 2; s <= 6; s++) {
      dae_spark_tableau *t = create(DAE_SPARK_LOBATTO_A_X_B, DAE_SPARK_HAT_B, s);
      dae__rule rule = dae__rule_lobatto(s);
      dae__small X = dae__lobatto_matrix(&rule, hat);
      double A[6 * 6];
      const int *o = offset[hat - DAE_SPARK_HAT_A];
      dae__small_round(&X, A);
      assert_int_equal(c_holds(s, s, A, t->c, t->c), s + o[0]);
      assert_int_equal(d_holds(s, s, A, t->b, t->c, t->b, t->c), s + o[1]);
      bool zero_row = hat == DAE_SPARK_HAT_A || hat == DAE_SPARK_HAT_C_STAR;
      bool zero_column = hat == DAE_SPARK_HAT_B || hat == DAE_SPARK_HAT_C_STAR;
      bool last_is_b = hat == DAE_SPARK_HAT_A || hat == DAE_SPARK_HAT_C;
      bool first_is_b = hat == DAE_SPARK_HAT_B || hat == DAE_SPARK_HAT_C;
      for (int i = 0; i < s; i++) {
        assert_true(!zero_row || A[i] == 0);
        assert_true(!zero_column || A[i * s + s - 1] == 0);
        assert_true(!last_is_b || A[(s - 1) * s + i] == t->b[i]);
        assert_true(!first_is_b || fabs(A[i * s] - t->b[0]) < EPS);
      }
      dae_spark_tableau_free(t);
    }
}

/* by elimination with row pivoting */
static double determinant(int n, const double *values)
{
  dae__small A = dae__small_of(n, n, values);
  long double det = 1;
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      p = fabsl(A.at[i][k]) > fabsl(A.at[p][k]) ? i : p;
    for (int j = 0; j < n; j++) {
      long double keep = A.at[k][j];
      A.at[k][j] = A.at[p][j];
      A.at[p][j] = keep;
    }
    det *= p == k ? A.at[k][k] : -A.at[k][k];
    for (int i = k + 1; i < n; i++)
      for (int j = n - 1; j >= k; j--)
        A.at[i][j] -= A.at[i][k] / A.at[k][k] * A.at[k][j];
  }
  return (double)det;
}

/* det A is the leading coefficient of the stability function's denominator, a Pade approximation's
 * [HW96 IV.3]; the other figures are known to the digits given */
static void test_determinants(void **state)
{
  (void)state;
  static const double Ac[][4] = {
      {1, .217, .0257, .0021}, {1, .188, .0203, .0015}, {0, .125, .0119, .0008}};
  static const double alphat[][4] = {
      {.25, .016, 9.0e-4, 4.3e-5}, {.25, .0185, 1.1e-3, 5.8e-5}, {0, .0093, 7.8e-4, 4.6e-5}};
  for (dae_spark_family f = DAE_SPARK_GAUSS; f <= DAE_SPARK_LOBATTO_D; f++)
    for (int s = least(f); s <= 6; s++) {
      dae_spark_tableau *t = create(f, DAE_SPARK_HAT_SAME, s);
      double at[7 * 7], scale = f == DAE_SPARK_LOBATTO_D ? 0.5 : 1;
      int k = f == DAE_SPARK_GAUSS ? 0 : f == DAE_SPARK_RADAU ? 1 : 2;
      double expected = scale * tgamma(s - k + 1) / tgamma(2 * s - k + 1);
      assert_near(determinant(s, t->A) / expected, 1, 1e-12);
      for (int i = 0; i < (s + 1) * (s + 1); i++)
        at[i] = i < s * (s + 1) ? t->At[i] : t->bt[i - s * (s + 1)];
      if (s <= 4) {
        assert_near(determinant(s, t->Ab + s) / Ac[k][s - 1], 1, 0.05);
        assert_near(determinant(s + 1, at) / alphat[k][s - 1], 1, 0.04);
      }
      dae_spark_tableau_free(t);
    }
}

/* b_i a_ij + b_j a_ji = b_i b_j, b_i at_ij + bt_j ab_ji = b_i bt_j [J98] */
static void test_gauss_lobatto_is_symplectic(void **state)
{
  (void)state;
  for (int s = 1; s <= DAE_SPARK_MAX_STAGES; s++) {
    dae_spark_tableau *t = create(DAE_SPARK_GAUSS, DAE_SPARK_HAT_SAME, s);
    for (int i = 0; i < s; i++) {
      const double *b = t->b, *bt = t->bt;
      for (int j = 0; j < s; j++)
        assert_near(b[i] * t->A[i * s + j] + b[j] * t->A[j * s + i], b[i] * b[j], EPS);
      for (int j = 0; j <= s; j++)
        assert_near(b[i] * t->At[i * (s + 1) + j] + bt[j] * t->Ab[j * s + i], b[i] * bt[j], EPS);
    }
    dae_spark_tableau_free(t);
  }
}

/* the adjoint method, nodes and coefficients counted backwards, is the method itself */
static void test_gauss_lobatto_is_symmetric(void **state)
{
  (void)state;
  for (int s = 1; s <= DAE_SPARK_MAX_STAGES; s++) {
    dae_spark_tableau *t = create(DAE_SPARK_GAUSS, DAE_SPARK_HAT_SAME, s);
    int nt = s + 1, last = s * s - 1, last_t = s * nt - 1;
    for (int i = 0; i < s; i++)
      assert_near(t->c[i] + t->c[s - 1 - i], 1, EPS);
    for (int i = 0; i <= last; i++)
      assert_near(t->A[i] + t->A[last - i], t->b[i % s], EPS);
    for (int i = 0; i <= last_t; i++) {
      assert_near(t->Ab[i] + t->Ab[last_t - i], t->b[i % s], EPS);
      assert_near(t->At[i] + t->At[last_t - i], t->bt[i % nt], EPS);
    }
    dae_spark_tableau_free(t);
  }
}

static void test_stiffly_accurate_rows_are_exact(void **state)
{
  (void)state;
  for (dae_spark_family f = DAE_SPARK_GAUSS; f <= DAE_SPARK_LOBATTO_D; f++)
    for (int s = least(f); s <= DAE_SPARK_MAX_STAGES; s++) {
      dae_spark_tableau *t = create(f, DAE_SPARK_HAT_SAME, s);
      size_t size = (size_t)s * sizeof *t->b;
      assert_memory_equal(t->Ab + s * s, t->b, size);
      if (f == DAE_SPARK_RADAU || f == DAE_SPARK_LOBATTO_C)
        assert_memory_equal(t->A + (s - 1) * s, t->b, size);
      dae_spark_tableau_free(t);
    }
}

static bool build(const dae_env *env)
{
  dae_spark_tableau *t;
  dae_error err = dae_error_none();
  dae_status status =
      dae_spark_tableau_create(DAE_SPARK_GAUSS, DAE_SPARK_HAT_SAME, 3, env, &t, &err);
  assert_int_equal(err.status, status);
  assert_true((status == DAE_OK) == (t != NULL));
  dae_spark_tableau_free(t);
  return status == DAE_OK;
}

static void test_every_failing_allocation_is_reported(void **state)
{
  (void)state;
  assert_int_equal(counting_env_fault(build), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_coefficients_agree_with_references),
      cmocka_unit_test(test_closed_forms),
      cmocka_unit_test(test_two_stage_lobatto_matrices),
      cmocka_unit_test(test_rules_are_exact_to_their_degree),
      cmocka_unit_test(test_simplifying_assumptions_of_the_families),
      cmocka_unit_test(test_simplifying_assumptions_of_the_lobatto_matrices),
      cmocka_unit_test(test_determinants),
      cmocka_unit_test(test_gauss_lobatto_is_symplectic),
      cmocka_unit_test(test_gauss_lobatto_is_symmetric),
      cmocka_unit_test(test_stiffly_accurate_rows_are_exact),
      cmocka_unit_test(test_every_failing_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
