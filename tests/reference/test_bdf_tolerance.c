/* Errors of the BDF family against closed forms, over the tolerances: errors of many steps add up
 * to a small multiple of the tolerance, the same at every tolerance, and the multipliers of a
 * driven mechanism stay bounded. */
#include "support.h"

#include <daedal/model.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const methods[] = {"bdf-ggl", "bdf-ggl-star", "bdf-cs", "bdf-cm"};
enum { METHODS = 4 };

/* largest error over 1 + |reference| of the first n entries of the state, in units of rtol */
static double error_of(const char *text, const char *method, double rtol, double to, int n,
                       const double *reference)
{
  dae_model *model;
  dae_error err;
  dae_summary s;
  double y[32], worst = 0;
  dae_bdf_options opts = support_options(rtol);
  assert_int_equal(dae_model_parse("motion", text, strlen(text), NULL, NULL, &model, &err), DAE_OK);
  test_problem p = {.name = "motion",
                    .problem = *dae_model_problem(model),
                    .start = dae_model_start(model),
                    .to = to,
                    .size = dae_problem_size(dae_model_problem(model))};
  assert_true(p.size <= (int)(sizeof y / sizeof *y));
  assert_int_equal(support_run_with(method, &p, &opts, 0, NULL, NULL, y, &s), DAE_OK);
  dae_model_free(model);
  for (int i = 0; i < n; i++)
    worst = fmax(worst, fabs(y[i] - reference[i]) / (1 + fabs(reference[i])));
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-12s %.0e: %5ld steps, %.3g rtol\n", method, rtol, s.stats.steps, worst / rtol);
  return worst / rtol;
}

/* an oscillator, 16 periods, seen through a constraint: errors of all steps add up */
static void test_errors_of_steps_add_up_to_30_rtol_at_every_tolerance(void **state)
{
  (void)state;
  static const char text[] = "model oscillator\n"
                             "coord x = 1, y = 2\n"
                             "kinetic x'^2/4 + y'^2/16\n"
                             "potential x^2/2\n"
                             "constraint y = 2*x\n";
  const double reference[] = {cos(100), 2 * cos(100), -sin(100), -2 * sin(100)};
  for (int i = 0; i < METHODS; i++)
    for (double rtol = 1e-3; rtol > 0.9e-10; rtol /= 10)
      assert_true(error_of(text, methods[i], rtol, 100, 4, reference) < 30);
}

/* A crank at a given angle a moves a slider with an oscillator: 3 constraints for the first 3
 * coordinates. These do not depend on the multipliers, whose iteration error nothing but the
 * iteration itself limits; extrapolated by order 5 it grows to 1e302 at 1e-8 and 1e-9. */
static void test_multipliers_of_a_driven_mechanism_stay_bounded(void **state)
{
  (void)state;
  static const char text[] = "model crank\n"
                             "let a = 3*t + 0.3*sin(2*t)\n"
                             "coord x = 1 rate 0, y = 0 rate 3.6, s = 3 rate 0, o = 3.5 rate 0\n"
                             "kinetic (x'^2 + y'^2 + s'^2)/2 + 0.7*o'^2/2\n"
                             "potential 20*(o - s - 0.5)^2\n"
                             "force o = -0.5*(o' - s')\n"
                             "force s = 0.5*(o' - s')\n"
                             "constraint x*sin(a) = y*cos(a)\n"
                             "constraint x^2 + y^2 = 1\n"
                             "constraint (s - x)^2 + y^2 = 4\n";
  double a = 15 + 0.3 * sin(10);
  const double reference[] = {cos(a), sin(a), cos(a) + sqrt(4 - sin(a) * sin(a))};
  for (int i = 0; i < METHODS; i++)
    for (double rtol = 1e-3; rtol > 0.9e-10; rtol /= 10)
      assert_true(error_of(text, methods[i], rtol, 5, 3, reference) < 30);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_errors_of_steps_add_up_to_30_rtol_at_every_tolerance),
      cmocka_unit_test(test_multipliers_of_a_driven_mechanism_stay_bounded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
