/* The explicit pairs: order conditions, observed orders of one step, of its error estimates and of
 * the polynomials between its ends; and the kernel that adds slopes. */
#include "onestep/explicit/explicit.h"
#include "uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MOST DAE__EXPLICIT_MAX_SLOPES

static const dae__explicit_pair *const pairs[] = {&dae__explicit_pair5, &dae__explicit_pair8};

#define assert_near(value, expected, tol)                                                          \
  do {                                                                                             \
    double value_ = (value), expected_ = (expected);                                               \
    if (!(fabs(value_ - expected_) <= (tol)))                                                      \
      fail_msg("%s:%d: %s is %.17g, not %.17g", __FILE__, __LINE__, #value, value_, expected_);    \
  } while (0)

/* sum_j w_j c_j^k, and the sum of its terms without sign */
static double sum_of_powers(const dae__explicit_pair *p, const double *w, int k, double *terms)
{
  double sum = 0;
  *terms = 1;
  for (int j = 0; j < MOST; j++) {
    sum += w[j] * pow(p->c[j], k);
    *terms += fabs(w[j]);
  }
  return sum;
}

/* ---- order conditions ---- */

static void test_stages_lie_at_their_times(void **state)
{
  (void)state;
  for (int m = 0; m < 2; m++)
    for (int i = 1; i <= pairs[m]->stages + pairs[m]->extra; i++) {
      double terms, sum = sum_of_powers(pairs[m], pairs[m]->a[i], 0, &terms);
      assert_near(sum, pairs[m]->c[i], 1e-16 * terms);
      for (int j = i; j < MOST; j++)
        assert_true(pairs[m]->a[i][j] == 0);
    }
}

static void test_the_end_integrates_powers_to_the_order_and_no_further(void **state)
{
  (void)state;
  for (int m = 0; m < 2; m++) {
    const dae__explicit_pair *p = pairs[m];
    double terms;
    for (int k = 0; k < p->order; k++)
      assert_near(sum_of_powers(p, p->a[p->stages], k, &terms), 1.0 / (k + 1), 2e-15);
    double more = sum_of_powers(p, p->a[p->stages], p->order, &terms) - 1.0 / (p->order + 1);
    assert_true(fabs(more) > 1e-6);
    assert_true(p->c[p->stages] == 1 && p->c[p->stages - 1] == 1);
  }
}

/* all conditions of order 5 [HNW93 II.2, table 2.2] that powers do not cover */
static void test_trees_of_order_5(void **state)
{
  (void)state;
  for (int m = 0; m < 2; m++) {
    const dae__explicit_pair *p = pairs[m];
    const double *b = p->a[p->stages], *c = p->c;
    double ac = 0, acc = 0, aac = 0, c_ac = 0, ac_ac = 0, accc = 0, c_acc = 0, cc_ac = 0,
           ac_ac2 = 0, c_aac = 0, aacc = 0, aaac = 0;
    for (int i = 0; i < p->stages; i++) {
      double s1 = 0, s2 = 0, s3 = 0, s11 = 0, s12 = 0, s21 = 0, s111 = 0;
      for (int j = 0; j < i; j++) {
        double a = p->a[i][j], t1 = 0, t2 = 0, t11 = 0;
        for (int k = 0; k < j; k++) {
          double u1 = 0;
          for (int l = 0; l < k; l++)
            u1 += p->a[k][l] * c[l];
          t1 += p->a[j][k] * c[k];
          t2 += p->a[j][k] * c[k] * c[k];
          t11 += p->a[j][k] * u1;
        }
        s1 += a * c[j], s2 += a * c[j] * c[j], s3 += a * pow(c[j], 3);
        s11 += a * t1, s12 += a * c[j] * t1, s21 += a * t2, s111 += a * t11;
      }
      ac += b[i] * s1, acc += b[i] * s2, aac += b[i] * s11, c_ac += b[i] * c[i] * s1;
      accc += b[i] * s3, c_acc += b[i] * c[i] * s2, cc_ac += b[i] * c[i] * c[i] * s1;
      ac_ac += b[i] * s1 * s1, c_aac += b[i] * c[i] * s11, ac_ac2 += b[i] * s12;
      aacc += b[i] * s21, aaac += b[i] * s111;
    }
    const double found[] = {ac,    acc,   aac,   c_ac,   accc, c_acc,
                            cc_ac, ac_ac, c_aac, ac_ac2, aacc, aaac};
    const double wanted[] = {6, 12, 24, 8, 20, 15, 10, 20, 30, 40, 60, 120};
    for (int k = 0; k < 12; k++)
      assert_near(found[k], 1 / wanted[k], 1e-14);
  }
}

/* the estimates vanish for what methods of order 4, and of order 5 and 3, integrate exactly */
static void test_estimates_vanish_up_to_their_order(void **state)
{
  (void)state;
  static const int order[2][2] = {{4}, {5, 3}};
  for (int m = 0; m < 2; m++)
    for (int e = 0; e < pairs[m]->estimates; e++) {
      double terms;
      for (int k = 0; k < order[m][e]; k++)
        assert_near(sum_of_powers(pairs[m], pairs[m]->e[e], k, &terms), 0, 2e-15);
      assert_true(fabs(sum_of_powers(pairs[m], pairs[m]->e[e], order[m][e], &terms)) > 1e-5);
    }
}

/* p(x) by the slopes K of one variable that starts at 0 and ends at D */
static double between(const dae__explicit_pair *p, int kind, double h, const double *K, double D,
                      double x)
{
  double y = 1 - x, F[DAE__EXPLICIT_MAX_TERMS] = {0};
  for (int m = 0; m < p->terms[kind]; m++)
    for (int j = 0; j < MOST; j++)
      F[m] += h * p->d[kind][m][j] * K[j];
  double inner = F[0] + x * (F[1] + y * (F[2] + x * F[3]));
  return x * (D + y * (h * K[0] - D + x * (2 * D - h * K[0] - h * K[p->stages] + y * inner)));
}

static void test_polynomials_between_the_ends_integrate_powers(void **state)
{
  (void)state;
  static const int order[2][2] = {{4}, {6, 7}};
  for (int m = 0; m < 2; m++)
    for (int kind = 0; kind < 2; kind++)
      for (int k = 0; k < order[m][kind]; k++) {
        double K[MOST];
        for (int j = 0; j < MOST; j++)
          K[j] = pow(pairs[m]->c[j], k);
        for (double x = 0.125; x < 1; x += 0.125)
          assert_near(between(pairs[m], kind, 1, K, 1.0 / (k + 1), x), pow(x, k + 1) / (k + 1),
                      1e-13);
      }
}

/* its derivative is that of the stages there, whatever they are */
static void test_the_rough_polynomial_of_order_8_has_the_slopes_of_three_stages(void **state)
{
  (void)state;
  static const int stages[] = {6, 9, 10};
  const dae__explicit_pair *p = &dae__explicit_pair8;
  double K[MOST], D = 0, d = 1e-4;
  for (int j = 0; j <= p->stages; j++) {
    K[j] = uniform();
    D += p->a[p->stages][j] * K[j];
  }
  for (int i = 0; i < 3; i++) {
    double x = p->c[stages[i]];
    double slope = (between(p, 0, 1, K, D, x + d) - between(p, 0, 1, K, D, x - d)) / (2 * d);
    assert_near(slope, K[stages[i]], 1e-5);
  }
}

/* ---- observed orders ---- */

static void solution(double t, double *x)
{
  x[0] = exp(sin(t));
  x[1] = 1 / (1 + t * t);
}

/* two equations of that solution which depend on each other */
static void slopes_at(double t, const double *x, double *k)
{
  double exact[2];
  solution(t, exact);
  k[0] = x[0] * (cos(t) + x[1] - exact[1]);
  k[1] = -2 * t * x[1] * x[1] + x[0] * x[0] - exact[0] * exact[0];
}

typedef struct taken {
  double end, estimate[2], between[2];
} taken;

/* errors of one step of size h from t = 0.3 */
static taken one_step(const dae__explicit_pair *p, double h)
{
  double t = 0.3, x0[2], x1[2], exact[2], X[2], K[2][MOST] = {{0}}, k[2];
  solution(t, x0);
  solution(t + h, x1);
  taken e = {0};
  for (int i = 0; i <= p->stages + p->extra; i++) {
    for (int l = 0; l < 2; l++) {
      double sum = 0;
      for (int j = 0; j < i; j++)
        sum += p->a[i][j] * K[l][j];
      X[l] = x0[l] + h * sum;
    }
    slopes_at(t + p->c[i] * h, X, k);
    K[0][i] = k[0], K[1][i] = k[1];
    if (i == p->stages)
      e.end = fmax(fabs(X[0] - x1[0]), fabs(X[1] - x1[1]));
  }
  for (int l = 0; l < 2; l++) {
    double D = x1[l] - x0[l];
    for (int m = 0; m < 2; m++) {
      double sum = 0;
      for (int j = 0; j < MOST; j++)
        sum += h * p->e[m][j] * K[l][j];
      e.estimate[m] = fmax(e.estimate[m], fabs(sum));
      for (double x = 0.25; x < 1; x += 0.25) {
        solution(t + x * h, exact);
        e.between[m] = fmax(e.between[m], fabs(x0[l] + between(p, m, h, K[l], D, x) - exact[l]));
      }
    }
  }
  return e;
}

static void assert_order(double coarse, double fine, double order)
{
  double found = log2(coarse / fine);
  if (!(fabs(found - order) < 0.5))
    fail_msg("order %.3f instead of %g", found, order);
}

static void test_one_step_has_the_orders_it_should_have(void **state)
{
  (void)state;
  taken a = one_step(&dae__explicit_pair5, 0.1), b = one_step(&dae__explicit_pair5, 0.05);
  assert_order(a.end, b.end, 6);
  assert_order(a.estimate[0], b.estimate[0], 5);
  assert_order(a.between[0], b.between[0], 5);
  taken c = one_step(&dae__explicit_pair8, 0.2), d = one_step(&dae__explicit_pair8, 0.1);
  assert_order(c.end, d.end, 9);
  taken e = one_step(&dae__explicit_pair8, 0.05); /* the end is at round-off */
  assert_order(d.estimate[0], e.estimate[0], 6);
  assert_order(d.estimate[1], e.estimate[1], 4);
  assert_order(d.between[0], e.between[0], 6);
  assert_order(d.between[1], e.between[1], 8);
}

/* ---- sums of slopes ---- */

static void test_combinations_are_the_sums_they_stand_for(void **state)
{
  (void)state;
  double K[10 * 40], a[10], base[40], x[41];
  for (int i = 0; i < 10 * 40; i++)
    K[i] = uniform();
  for (int i = 0; i < 40; i++)
    base[i] = uniform();
  for (int i = 0; i < 10; i++)
    a[i] = i % 3 == 1 ? 0 : uniform();
  dae__combination c;
  dae__combination_set(&c, 10, a, 40);
  assert_int_equal(c.count, 7);
  for (int n = 0; n <= 40; n++) {
    x[n] = 77;
    dae__combine(&c, n, 0.3, K, base, x);
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < 10; j++)
        sum += a[j] * K[j * 40 + i];
      assert_near(x[i], base[i] + 0.3 * sum, 1e-15);
    }
    assert_true(x[n] == 77);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stages_lie_at_their_times),
      cmocka_unit_test(test_the_end_integrates_powers_to_the_order_and_no_further),
      cmocka_unit_test(test_trees_of_order_5),
      cmocka_unit_test(test_estimates_vanish_up_to_their_order),
      cmocka_unit_test(test_polynomials_between_the_ends_integrate_powers),
      cmocka_unit_test(test_the_rough_polynomial_of_order_8_has_the_slopes_of_three_stages),
      cmocka_unit_test(test_one_step_has_the_orders_it_should_have),
      cmocka_unit_test(test_combinations_are_the_sums_they_stand_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
