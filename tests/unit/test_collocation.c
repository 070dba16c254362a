/* Collocation rules in double: order conditions, weights that evaluate and integrate polynomials,
 * and tables against what they were made by. */
#include "onestep/gauss/gauss.h"
#include "quadrature/collocation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MOST DAE__COLLOCATION_STAGES_MAX
#define EPS 1e-15

#define assert_near(value, expected, tol)                                                          \
  do {                                                                                             \
    double value_ = (value), expected_ = (expected);                                               \
    if (!(fabs(value_ - expected_) <= (tol)))                                                      \
      fail_msg("%s:%d: %s is %.17g, not %.17g", __FILE__, __LINE__, #value, value_, expected_);    \
  } while (0)

static double sum_of_powers(const dae__collocation_rule *r, const double *w, int power)
{
  double sum = 0;
  for (int j = 0; j < r->s; j++)
    sum += w[j] * pow(r->c[j], power);
  return sum;
}

static void test_weights_integrate_to_the_order_and_no_further(void **state)
{
  (void)state;
  for (int radau = 0; radau < 2; radau++)
    for (int s = 1; s <= MOST; s++) {
      dae__collocation_rule r = dae__collocation_create(s, radau);
      int order = 2 * s - radau;
      for (int k = 0; k < order; k++)
        assert_near(sum_of_powers(&r, r.b, k), 1.0 / (k + 1), EPS);
      double miss = fabs(sum_of_powers(&r, r.b, order) - 1.0 / (order + 1));
      if (s <= 5) /* beyond that it drowns in round-off */
        assert_true(miss > 1e-8);
      assert_true(!radau || r.c[s - 1] == 1);
    }
}

static void test_rows_integrate_to_their_node(void **state)
{
  (void)state;
  for (int radau = 0; radau < 2; radau++)
    for (int s = 1; s <= MOST; s++) {
      dae__collocation_rule r = dae__collocation_create(s, radau);
      for (int i = 0; i < s; i++)
        for (int k = 0; k < s; k++)
          assert_near(sum_of_powers(&r, r.A[i], k), pow(r.c[i], k + 1) / (k + 1), EPS);
    }
}

/* v' = t^k, q' = v: the squares integrate twice where x^(k+1) is still exact along a row; the end
 * always, of Gauss */
static void test_squares_integrate_twice(void **state)
{
  (void)state;
  for (int radau = 0; radau < 2; radau++)
    for (int s = 2; s <= MOST; s++) {
      dae__collocation_rule r = dae__collocation_create(s, radau);
      for (int i = 0; i < s; i++)
        for (int k = 0; k < s - 1; k++)
          assert_near(sum_of_powers(&r, r.A2[i], k), pow(r.c[i], k + 2) / (k + 1) / (k + 2), EPS);
      for (int k = 0; k < 2 * s - 1 - radau && k < s; k++)
        assert_near(sum_of_powers(&r, r.B2, k), 1.0 / (k + 1) / (k + 2), EPS);
      for (int j = 0; j < s; j++) /* D(1) */
        assert_near(r.B2[j], r.b[j] * (1 - r.c[j]), EPS);
    }
}

/* within the step, and as far beyond it as one twice as large reaches */
static void test_weights_at_a_point_evaluate_and_integrate_polynomials(void **state)
{
  (void)state;
  static const double points[] = {0, 0.1, 0.37, 0.5, 0.99, 1, 1.4, 3};
  for (int radau = 0; radau < 2; radau++)
    for (int s = 1; s <= MOST; s++)
      for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        dae__collocation_rule r = dae__collocation_create(s, radau);
        double x = points[i], w[3][MOST], size = 0;
        dae__nodal_values(&r.nodes, x, w[0]);
        dae__nodal_integrals(&r.nodes, x, w[1], w[2]);
        for (int j = 0; j < s; j++)
          size = fmax(size, fmax(1, fmax(fabs(w[0][j]), fabs(w[2][j]))));
        for (int k = 0; k < s; k++) {
          assert_near(sum_of_powers(&r, w[0], k), pow(x, k), 20 * EPS * size);
          assert_near(sum_of_powers(&r, w[1], k), pow(x, k + 1) / (k + 1), 20 * EPS * size);
          assert_near(sum_of_powers(&r, w[2], k), pow(x, k + 2) / (k + 1) / (k + 2),
                      20 * EPS * size);
        }
      }
}

static void test_weights_at_the_nodes_are_the_coefficients(void **state)
{
  (void)state;
  for (int radau = 0; radau < 2; radau++)
    for (int s = 1; s <= MOST; s++) {
      dae__collocation_rule r = dae__collocation_create(s, radau);
      double w[MOST], twice[MOST];
      for (int i = 0; i < s; i++) {
        dae__nodal_values(&r.nodes, r.c[i], w);
        for (int j = 0; j < s; j++)
          assert_near(w[j], i == j, r.s * EPS);
        dae__nodal_integrals(&r.nodes, r.c[i], w, twice);
        for (int j = 0; j < s; j++)
          assert_near(w[j], r.A[i][j], EPS);
      }
      dae__nodal_integrals(&r.nodes, 1, w, twice);
      for (int j = 0; j < s; j++)
        assert_near(w[j], r.b[j], EPS);
      for (int j = 0; j < s && s > radau; j++)
        assert_near(twice[j], r.B2[j], EPS);
    }
}

/* ---- tables ---- */

/* what is 0 may be found as some 1e-20 */
#define assert_same(n, a, b)                                                                       \
  do {                                                                                             \
    for (int k_ = 0; k_ < (n); k_++)                                                               \
      assert_near((a)[k_], (b)[k_], EPS *fabs((b)[k_]) + 1e-18);                                   \
  } while (0)

static void assert_same_nodes(const dae__nodal *a, const dae__nodal *b)
{
  assert_int_equal(a->n, b->n);
  assert_same(a->n, a->x, b->x);
  assert_same(a->n, a->inverse, b->inverse);
  assert_int_equal(a->points, b->points);
  assert_same(a->points, a->at, b->at);
  assert_same(a->points, a->weight, b->weight);
}

static void test_tabulated_rules_are_those_of_the_formulas(void **state)
{
  (void)state;
  int found = 0;
  for (int radau = 0; radau < 2; radau++)
    for (int s = 1; s <= MOST; s++) {
      const dae__collocation_rule *a = dae__collocation_tabulated(s, radau);
      if (!a)
        continue;
      dae__collocation_rule b = dae__collocation_create(s, radau);
      assert_int_equal(a->s, s);
      assert_int_equal(a->radau, radau);
      assert_same(s, a->c, b.c);
      assert_same(s, a->b, b.b);
      assert_same(s, a->B2, b.B2);
      for (int i = 0; i < s; i++) {
        assert_same(s, a->A[i], b.A[i]);
        assert_same(s, a->A2[i], b.A2[i]);
      }
      assert_same_nodes(&a->nodes, &b.nodes);
      found++;
    }
  assert_true(found > 0);
}

static void test_tabulated_nodes_of_gauss_are_those_of_the_formulas(void **state)
{
  (void)state;
  int found = 0;
  for (int s = 1; s <= 8; s++) {
    const dae__dense_nodes *a = dae__gauss_nodes_tabulated(s);
    if (!a)
      continue;
    dae__dense_nodes b = dae__gauss_nodes_create(s);
    assert_same_nodes(&a->wide, &b.wide);
    assert_same_nodes(&a->fine, &b.fine);
    found++;
  }
  assert_true(found > 0);
}

static void test_what_tolerances_ask_for_is_tabulated(void **state)
{
  (void)state;
  for (double rtol = 1e-2; rtol > 1e-15; rtol /= 10) {
    int s = dae__gauss_stages(rtol);
    assert_non_null(dae__collocation_tabulated(s, false));
    assert_non_null(dae__gauss_nodes_tabulated(s));
  }
  for (int s = 3; s <= 7; s += 2) /* of radau */
    assert_non_null(dae__collocation_tabulated(s, true));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_weights_integrate_to_the_order_and_no_further),
      cmocka_unit_test(test_rows_integrate_to_their_node),
      cmocka_unit_test(test_squares_integrate_twice),
      cmocka_unit_test(test_weights_at_a_point_evaluate_and_integrate_polynomials),
      cmocka_unit_test(test_weights_at_the_nodes_are_the_coefficients),
      cmocka_unit_test(test_tabulated_rules_are_those_of_the_formulas),
      cmocka_unit_test(test_tabulated_nodes_of_gauss_are_those_of_the_formulas),
      cmocka_unit_test(test_what_tolerances_ask_for_is_tabulated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
