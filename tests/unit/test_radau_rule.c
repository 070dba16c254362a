/* The coefficients of radau against those found in extended precision. */
#include "onestep/radau/radau.h"
#include "quadrature/eigen.h"
#include "quadrature/nodes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define EPS 2e-15 /* relative to the largest of them, about 10 */

static dae__eigen eigen_of(int s)
{
  dae__rule nodes = dae__rule_radau(s);
  dae__small A = dae__collocation(&nodes, s, nodes.c);
  return dae__eigen_of(&A);
}

static void assert_near(long double complex a, long double complex b)
{
  assert_true(cabsl(a - b) <= EPS * (1 + cabsl(b)));
}

static void test_eigenvalues_and_vectors_are_those_of_A(void **state)
{
  (void)state;
  for (int s = 3; s <= 7; s += 2) {
    dae__radau_rule r = dae__radau_rule_create(s);
    dae__eigen e = eigen_of(s);
    assert_int_equal(r.pairs, e.blocks - 1);
    assert_near(r.mu, e.mu[0]);
    for (int i = 0; i < s; i++) {
      assert_near(r.T[i], e.T[i * e.blocks]);
      assert_near(r.Ti[i], e.Ti[i]);
    }
    for (int p = 0; p < r.pairs; p++) {
      assert_near(r.zmu[p], e.mu[p + 1]);
      for (int i = 0; i < s; i++) {
        assert_near(r.zT[p][i], e.T[i * e.blocks + p + 1]);
        assert_near(r.zTi[p][i], e.Ti[(p + 1) * s + i]);
      }
    }
  }
}

/* A = T mu Ti + 2 Re sum of the pairs */
static void test_they_put_A_together(void **state)
{
  (void)state;
  for (int s = 3; s <= 7; s += 2) {
    dae__radau_rule r = dae__radau_rule_create(s);
    for (int i = 0; i < s; i++)
      for (int j = 0; j < s; j++) {
        double a = r.T[i] * r.mu * r.Ti[j];
        for (int p = 0; p < r.pairs; p++)
          a += 2 * creal(r.zT[p][i] * r.zmu[p] * r.zTi[p][j]);
        assert_true(fabs(a - r.c->A[i][j]) <= 1e-13);
      }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_eigenvalues_and_vectors_are_those_of_A),
      cmocka_unit_test(test_they_put_A_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
