/* Stiff variables that follow a slow motion through zero, where their tolerance shrinks from rtol
 * |u| to atol: the error at the start of a step there is many tolerances, though it decays within
 * the step and is no error of the step. Exact solutions; radau, with the default atol. */
#include "text_problem.h"

#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* state vector at t_end; false: the run fails */
static bool end_of(const char *text, const char *rate, const char *rtol, double to, double *y)
{
  test_problem p;
  const char *set[] = {rate};
  dae_model *model = text_problem(text, set, 1, to, &p);
  dae_error err = dae_error_none();
  const dae_method *method = dae_method_find("radau", &err);
  void *options = malloc(method->options_size);
  dae_integrator *it;
  method->defaults(options);
  assert_int_equal(dae_options_set(method->options, options, "rtol", rtol, &err), DAE_OK);
  assert_int_equal(method->create(&p.problem, &p.start, options, NULL, &it, &err), DAE_OK);
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, to, &err);
  if (status == DAE_END)
    status = dae_integrator_interpolate(it, to, y, NULL, &err);
  if (status)
    print_message("%s, rtol %s: %s\n", rate, rtol, err.text);
  dae_integrator_free(it);
  free(options);
  dae_model_free(model);
  return status == DAE_OK;
}

static void test_manifolds_through_zero(void **state)
{
  (void)state;
  static const char driven[] =
      "model m\nparam k = 1e4\nstate u = 2\nu' = -k*(u - cos(t)) - sin(t)\n";
  static const char square[] = "model m\nparam k = 1e4\nstate u = 2, x = 1, y = 0\n"
                               "u' = -k*(u - x^2) + 2*x*y\nx' = y\ny' = -4*x\n";
  static const char *const rates[] = {"k=1e2", "k=1e4", "k=1e6", "k=1e8"};
  static const char *const rtols[] = {"1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9", "1e-10"};
  int ends = 0, large = 0;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 7; j++) {
      double y[3], rtol = atof(rtols[j]);
      assert_true(end_of(driven, rates[i], rtols[j], 20, y));
      double error[3] = {fabs(y[0] - cos(20))};
      assert_true(end_of(square, rates[i], rtols[j], 20, y));
      error[1] = fabs(y[0] - cos(40) * cos(40));
      error[2] = fabs(y[1] - cos(40));
      for (int k = 0; k < 3; k++, ends++) {
        assert_true(error[k] <= 300 * rtol);
        large += error[k] > 10 * rtol;
      }
    }
  assert_in_range(large, 0, ends / 30);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_manifolds_through_zero)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
