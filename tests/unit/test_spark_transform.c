/* Transformation of a tableau for the simplified Newton iteration: the identities of [J09 section
 * 2]. */
#include "counting_env.h"
#include "eigen_reference.h"
#include "onestep/spark/transform.h"
#include "quadrature/nodes.h"
#include "spark_tables.h"
#include "uniform.h"
#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static dae__arena *arena;
static dae_spark_tableau *t;
static dae__spark_transform tr;

static void set_up(dae_spark_family family, int s)
{
  arena = dae__arena_create(NULL);
  assert_int_equal(dae_spark_tableau_create(family, DAE_SPARK_HAT_SAME, s, NULL, &t, NULL), DAE_OK);
  assert_int_equal(dae__spark_transform_create(arena, t, &tr, NULL), DAE_OK);
  assert_false(dae__arena_failed(arena));
}

static void tear_down(void)
{
  dae_spark_tableau_free(t);
  dae__arena_free(arena);
}

/* every (s,s) family and number of stages */
static void for_all(void (*check)(int s))
{
  for (dae_spark_family f = DAE_SPARK_GAUSS; f <= DAE_SPARK_LOBATTO_D; f++)
    for (int s = f <= DAE_SPARK_RADAU ? 1 : 2; s <= DAE_SPARK_MAX_STAGES; s++) {
      set_up(f, s);
      check(s);
      tear_down();
    }
}

#define assert_near(value, expected, tol)                                                          \
  do {                                                                                             \
    double value_ = (double)(value), expected_ = (double)(expected);                               \
    if (!(fabs(value_ - expected_) <= (tol)))                                                      \
      fail_msg("%s:%d: s = %d: %s is %.17g, not %.17g", __FILE__, __LINE__, tr.s, #value, value_,  \
               expected_);                                                                         \
  } while (0)

/* |A - B| <= tol, with B by rows */
static void assert_equal(const dae__small *A, const double *B, double tol)
{
  for (int i = 0; i < A->rows; i++)
    for (int j = 0; j < A->cols; j++)
      assert_near(A->at[i][j], B[i * A->cols + j], tol);
}

static void assert_unit(const dae__small *A, double tol)
{
  for (int i = 0; i < A->rows; i++)
    for (int j = 0; j < A->cols; j++)
      assert_near(A->at[i][j], i == j, tol);
}

static void test_w_and_gamma_agree_with_references(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof spark_tables / sizeof *spark_tables; k++) {
    const spark_table *ref = &spark_tables[k];
    set_up(ref->family, ref->s);
    for (int i = 0; i < ref->s; i++) { /* which are rounded themselves */
      assert_near(tr.w[i], ref->w[i], 1e-15);
      assert_near(tr.gamma[i], ref->minus_bA[i], 3e-15);
    }
    assert_true(tr.gamma[ref->s] == 1);
    tear_down();
  }
}

static void test_closed_forms(void **state)
{
  (void)state;
  set_up(DAE_SPARK_GAUSS, 2);
  assert_near(tr.w[0], -sqrt(3) / 6, 1e-15);
  assert_near(tr.w[1], sqrt(3) / 6, 1e-15);
  assert_near(tr.gamma[0], sqrt(3), 1e-15);
  assert_near(tr.gamma[1], -sqrt(3), 1e-15);
  tear_down();
  set_up(DAE_SPARK_GAUSS, 3);
  const double w[] = {0.2, -0.25, 0.2}, gamma[] = {-5. / 3, 4. / 3, -5. / 3, 1};
  for (int i = 0; i < 4; i++) {
    assert_near(tr.w[i % 3], w[i % 3], 1e-15);
    assert_near(tr.gamma[i], gamma[i], 1e-15);
  }
  tear_down();
}

/* w_i = sum_j a_ij l_j(1) / b_j, which follows from D(s-1) */
static void check_w(int s)
{
  long double c[DAE_SPARK_MAX_STAGES];
  for (int j = 0; j < s; j++)
    c[j] = t->c[j];
  for (int i = 0; i < s; i++) {
    long double w = 0;
    for (int j = 0; j < s; j++)
      w += t->A[i * s + j] * dae__lagrange(s, c, j, 1) / t->b[j];
    assert_near(tr.w[i], w, 1e-14);
  }
}

static void test_w_is_given_by_lagrange_polynomials_at_the_end(void **state)
{
  (void)state;
  for_all(check_w);
}

static void check_alpha(int s)
{
  dae__small alpha = dae__spark_alpha(s, s, t->A, t->b), gamma = dae__small_of(1, s + 1, tr.gamma);
  dae__small Qt = dae__small_of(s, s + 1, tr.Qt);
  dae__small annihilated = dae__small_times(&gamma, &alpha), A = dae__small_times(&Qt, &alpha);
  const double zero[DAE_SPARK_MAX_STAGES] = {0};
  assert_equal(&annihilated, zero, 1e-15);
  assert_equal(&A, t->A, 1e-15);
}

static void test_gamma_annihilates_alpha_and_qt_takes_it_to_a(void **state)
{
  (void)state;
  for_all(check_alpha);
}

/* for random (W; w1) */
static void check_inverse(int s)
{
  double D[DAE__SMALL_SIZE], W[DAE__SMALL_SIZE], bAW = 0;
  for (int j = 0; j <= s; j++)
    W[j] = uniform();
  for (int i = 0; i <= s; i++) {
    D[i] = 0;
    for (int j = 0; j <= s; j++)
      D[i] += tr.Q[i * (s + 1) + j] * W[j];
  }
  for (int i = 0; i < s; i++) {
    assert_near(D[i] - tr.w[i] * D[s], W[i], 2e-14);
    bAW -= tr.gamma[i] * W[i];
  }
  assert_near(D[s] + bAW, W[s], 2e-14);
}

static void test_stages_come_back_by_the_inverse_formula(void **state)
{
  (void)state;
  for_all(check_inverse);
}

/* Q = (I + w g', w; g', 1) with gamma' = (g', 1): (I -w; 0 1) Q = (I 0; g' 1) */
static void check_determinant(int s)
{
  dae__small Q = dae__small_of(s + 1, s + 1, tr.Q);
  for (int i = 0; i < s; i++)
    for (int j = 0; j <= s; j++)
      assert_near(Q.at[i][j] - tr.w[i] * Q.at[s][j], i == j, 1e-14);
  assert_true(tr.Q[(s + 1) * (s + 1) - 1] == 1);
}

static void test_determinant_of_q_is_one(void **state)
{
  (void)state;
  for_all(check_determinant);
}

static void check_inverses(int s)
{
  dae__small Q = dae__small_of(s + 1, s + 1, tr.Q), Qt = dae__small_of(s, s + 1, tr.Qt);
  dae__small Ac = dae__small_of(s, s, t->Ab + s), D = dae__small_identity(s + 1);
  for (int i = 0; i < s * s; i++)
    D.at[i / s][i % s] = Ac.at[i / s][i % s];
  dae__small Qc = dae__small_of(s + 1, s + 1, tr.Qc), Q_again = dae__small_times(&Qc, &D);
  assert_equal(&Q_again, tr.Q, 1e-14);
  dae__small alphat = dae__spark_alpha(s, s + 1, t->At, t->bt);
  dae__small Qat = dae__small_times(&Q, &alphat);
  dae__small Qat_inv = dae__small_of(s + 1, s + 1, tr.Qat_inv);
  dae__small unit = dae__small_times(&Qat, &Qat_inv);
  assert_unit(&unit, 1e-13);
  dae__small alphah = dae__spark_alpha(s, s, t->Ah, t->bh);
  dae__small Qah = dae__small_times(&Qt, &alphah), Qah_inv = dae__small_of(s, s, tr.Qah_inv);
  unit = dae__small_times(&Qah, &Qah_inv);
  assert_unit(&unit, 1e-13);
}

static void test_inverses_of_what_multiplies_lambda_and_psi(void **state)
{
  (void)state;
  for_all(check_inverses);
}

/* (7) is the moment form: rows b' C^(i-1), i = 1..s-1, and the value at t1 vanish on the kernel of
 * Qt, which is spanned by (-w; 1 + b' A^-1 (-w)) = (W; w1) for D = 0, delta = 1 */
static void check_moments(int s)
{
  double W[DAE__SMALL_SIZE], last = 1;
  for (int i = 0; i < s; i++) {
    W[i] = -tr.w[i];
    last -= tr.gamma[i] * W[i];
  }
  assert_near(last, 0, 2e-14); /* k(t1) = 0 follows from Qt K = 0 only if w1 = 0 there */
  for (int k = 0; k < s - 1; k++) {
    double moment = 0;
    for (int i = 0; i < s; i++)
      moment += t->b[i] * pow(t->c[i], k) * W[i];
    assert_near(moment, 0, 1e-14);
  }
}

static void test_transformed_constraints_are_their_moments(void **state)
{
  (void)state;
  for_all(check_moments);
}

static void check_eigen(int s)
{
  assert_int_equal(2 * tr.blocks - tr.reals, s);
  assert_int_equal(tr.reals, s % 2);
  for (int k = 0; k < tr.blocks; k++) {
    assert_true(creal(tr.mu[k]) > 0);
    assert_true(k < tr.reals ? cimag(tr.mu[k]) == 0 : cimag(tr.mu[k]) > 0);
  }
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) {
      double a = 0;
      for (int k = 0; k < tr.blocks; k++)
        a += (k < tr.reals ? 1 : 2) * creal(tr.T[i * tr.blocks + k] * tr.mu[k] * tr.Ti[k * s + j]);
      assert_near(a, t->A[i * s + j], s <= 8 ? 1e-13 : 2e-12);
    }
}

static void test_a_is_diagonal_in_its_eigenvectors(void **state)
{
  (void)state;
  for_all(check_eigen);
}

static void test_eigenvalues_of_two_stage_gauss(void **state)
{
  (void)state;
  set_up(DAE_SPARK_GAUSS, 2);
  assert_int_equal(tr.blocks, 1);
  assert_near(creal(tr.mu[0]), 0.25, 1e-15);
  assert_near(cimag(tr.mu[0]), sqrt(3) / 12, 1e-15);
  tear_down();
}

static dae__small lower(double subdiagonal)
{
  dae__small A = dae__small_identity(3);
  A.at[1][0] = A.at[2][1] = subdiagonal;
  return A;
}

static void test_defective_matrices_have_no_diagonal_form(void **state)
{
  (void)state;
  dae__small A = lower(1);
  assert_int_equal(dae__eigen_of(&A).blocks, 0);
  A = lower(1e-3);
  assert_int_equal(dae__eigen_of(&A).blocks, 0);
}

static void test_diagonal_and_triangular_matrices(void **state)
{
  (void)state;
  dae__small A = dae__small_identity(3);
  A.at[0][0] = 3;
  dae__eigen e = dae__eigen_of(&A);
  assert_int_equal(e.reals, 3);
  assert_true(e.mu[0] == 1 && e.mu[1] == 1 && e.mu[2] == 3);
  A = lower(0.5);
  A.at[1][1] = 2;
  A.at[2][2] = -1;
  e = dae__eigen_of(&A);
  assert_int_equal(e.reals, 3);
  const double mu[] = {-1, 1, 2};
  for (int k = 0; k < 3; k++)
    assert_near(creall(e.mu[k]), mu[k], 1e-15);
}

static bool build(const dae_env *env)
{
  dae__arena *own = dae__arena_create(env);
  if (!own)
    return false;
  bool built = dae__spark_transform_create(own, t, &tr, NULL) == DAE_OK;
  dae__arena_free(own);
  return built;
}

static void test_every_failing_allocation_is_reported(void **state)
{
  (void)state;
  set_up(DAE_SPARK_GAUSS, 3);
  assert_int_equal(counting_env_fault(build), 0);
  tear_down();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_w_and_gamma_agree_with_references),
      cmocka_unit_test(test_closed_forms),
      cmocka_unit_test(test_w_is_given_by_lagrange_polynomials_at_the_end),
      cmocka_unit_test(test_gamma_annihilates_alpha_and_qt_takes_it_to_a),
      cmocka_unit_test(test_stages_come_back_by_the_inverse_formula),
      cmocka_unit_test(test_determinant_of_q_is_one),
      cmocka_unit_test(test_inverses_of_what_multiplies_lambda_and_psi),
      cmocka_unit_test(test_transformed_constraints_are_their_moments),
      cmocka_unit_test(test_a_is_diagonal_in_its_eigenvectors),
      cmocka_unit_test(test_eigenvalues_of_two_stage_gauss),
      cmocka_unit_test(test_defective_matrices_have_no_diagonal_form),
      cmocka_unit_test(test_diagonal_and_triangular_matrices),
      cmocka_unit_test(test_every_failing_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
