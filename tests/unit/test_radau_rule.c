/* The coefficients of radau against those found in extended precision. */
#include "eigen_reference.h"
#include "onestep/radau/radau.h"
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
  dae__small A = dae__collocation_matrix(&nodes, s, nodes.c);
  return dae__eigen_of(&A);
}

static void assert_near(long double complex a, long double complex b)
{
  assert_true(cabsl(a - b) <= EPS * (1 + cabsl(b)));
}

/* entry i of the eigenvector of pair p, and entry i of its row of the inverse */
static double complex column(const dae__radau_rule *r, int i, int p)
{
  return (r->from_eigen.m[i][1 + 2 * p][0] - r->from_eigen.m[i][2 + 2 * p][0] * I) / 2;
}

static double complex row(const dae__radau_rule *r, int p, int i)
{
  return r->to_eigen.m[1 + 2 * p][i][0] + r->to_eigen.m[2 + 2 * p][i][0] * I;
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
      assert_near(r.from_eigen.m[i][0][0], e.T[i * e.blocks]);
      assert_near(r.to_eigen.m[0][i][0], e.Ti[i]);
    }
    for (int p = 0; p < r.pairs; p++) {
      assert_near(r.zmu[p], e.mu[p + 1]);
      for (int i = 0; i < s; i++) {
        assert_near(column(&r, i, p), e.T[i * e.blocks + p + 1]);
        assert_near(row(&r, p, i), e.Ti[(p + 1) * s + i]);
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
        double a = r.from_eigen.m[i][0][0] * r.mu * r.to_eigen.m[0][j][0];
        for (int p = 0; p < r.pairs; p++)
          a += 2 * creal(column(&r, i, p) * r.zmu[p] * row(&r, p, j));
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
