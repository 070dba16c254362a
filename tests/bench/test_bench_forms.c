/* The problems of bench_work as they are written out for the peers: starts meet the equations,
 * given Jacobians are the derivatives, and all forms lead to the same end as daedal's own side. */
#include "support.h"
#include "work/cases.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A y', the mass matrix as a peer reads it */
static void times_mass(const peer_form *f, const double *dy, double *out)
{
  int w = f->mass_width;
  for (int i = 0; i < f->n; i++)
    out[i] = f->mass || i >= f->differential ? 0 : dy[i];
  for (int j = 0; f->mass && j < f->n; j++)
    for (int i = j > w ? j - w : 0; i <= j + w && i < f->n; i++)
      out[i] += f->mass[i - j + w + j * (2 * w + 1)] * dy[j];
}

static void test_starts_meet_the_equations(void **state)
{
  bench_case c;
  (void)state;
  for (int i = 0; case_at(i, &c); i++)
    for (int k = 0; k < c.form_count; k++) {
      const peer_form *f = &c.forms[k];
      double y[MOST_UNKNOWNS], dy[MOST_UNKNOWNS], phi[MOST_UNKNOWNS], left[MOST_UNKNOWNS];
      assert_true(f->n <= MOST_UNKNOWNS);
      f->start(y, dy);
      assert_int_equal(f->phi(c.problem.start.t, y, phi), 0);
      times_mass(f, dy, left);
      for (int e = 0; e < f->n; e++)
        if (!(fabs(phi[e] - left[e]) <= 1e-12 * (1 + fabs(phi[e]))))
          fail_msg("%s, %s: equation %d is off by %g", c.problem.name, f->name, e,
                   phi[e] - left[e]);
    }
}

/* a point off the start, where no entry is zero by chance */
static void go_aside(const peer_form *f, double *y)
{
  double dy[MOST_UNKNOWNS];
  f->start(y, dy);
  for (int i = 0; i < f->n; i++)
    y[i] += 1e-3 * (1 + fabs(y[i])) * (1 + 0.1 * i);
}

static double central_difference(const peer_form *f, double t, const double *at, int i, int j)
{
  double y[MOST_UNKNOWNS], phi[2][MOST_UNKNOWNS], h = 2e-6 * (0.05 + fabs(at[j]));
  memcpy(y, at, (size_t)f->n * sizeof *y);
  for (int side = 0; side < 2; side++) {
    y[j] = at[j] + (side ? h : -h);
    assert_int_equal(f->phi(t, y, phi[side]), 0);
  }
  return (phi[1][i] - phi[0][i]) / (2 * h);
}

/* the largest entry of a row is the measure: stiff springs take digits from the differences */
static void test_given_jacobians_are_the_derivatives(void **state)
{
  bench_case c;
  (void)state;
  for (int k = 0; case_at(k, &c); k++)
    for (int form = 0; form < c.form_count; form++) {
      const peer_form *f = &c.forms[form];
      double y[MOST_UNKNOWNS], J[MOST_UNKNOWNS * MOST_UNKNOWNS] = {0};
      if (!f->jac)
        continue;
      go_aside(f, y);
      assert_int_equal(f->jac(0.1, y, J + f->second_order, f->n), 0);
      for (int i = f->second_order; i < f->n; i++) {
        double scale = 0, worst = 0;
        for (int j = 0; j < f->n; j++) {
          double entry = J[i + j * f->n];
          scale = fmax(scale, fabs(entry));
          worst = fmax(worst, fabs(entry - central_difference(f, 0.1, y, i, j)));
          if (f->banded && (i - j > f->lower || j - i > f->upper))
            assert_true(entry == 0);
        }
        if (!(worst <= 1e-5 * scale))
          fail_msg("%s, %s: row %d of the Jacobian is off by %g of %g", c.problem.name, f->name, i,
                   worst, scale);
      }
    }
}

/* the ends come from elsewhere, and radau takes all problems */
static void test_daedal_reaches_the_references(void **state)
{
  bench_case c;
  dae_rk_options opts = dae_rk_adaptive_defaults();
  (void)state;
  opts.rtol = opts.atol = 1e-9;
  for (int k = 0; case_at(k, &c); k++) {
    double y[MOST_UNKNOWNS];
    assert_true(c.problem.size <= MOST_UNKNOWNS);
    assert_int_equal(support_run_with("radau", &c.problem, &opts, 0, NULL, NULL, y, NULL), DAE_OK);
    double error = support_error_of(&c.problem, y, 0, c.scored);
    if (!(error < 1e-7))
      fail_msg("%s: the end is off by %g", c.problem.name, error);
  }
}

/* and a reference that a form has for itself is the same, in another order */
static void test_forms_with_a_reference_have_the_same_numbers(void **state)
{
  bench_case c;
  (void)state;
  for (int k = 0; case_at(k, &c); k++)
    for (int form = 0; form < c.form_count; form++) {
      const double *own = c.forms[form].reference, *ours = c.problem.reference;
      for (int i = 0; own && i < c.scored; i++) {
        bool found = false;
        for (int j = 0; j < c.scored; j++)
          found = found || fabs(own[i] - ours[j]) < 1e-15;
        assert_true(found);
      }
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_starts_meet_the_equations),
      cmocka_unit_test(test_given_jacobians_are_the_derivatives),
      cmocka_unit_test(test_daedal_reaches_the_references),
      cmocka_unit_test(test_forms_with_a_reference_have_the_same_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
