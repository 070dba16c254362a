/* A part whose rates stand in M x' = f with a singular M, where some of x are algebraic in truth:
 * it is iterated like any other, in windows that do not shrink. */
#include <daedal/daedal.h>
#include <daedal/model.h>
#include <daedal/wave.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char text[] = "model amplifier\n"
                           "system amp {\n"
                           "  state a = 1, b = 0, c = 0.5\n"
                           "  a' - b' = -a + load.v\n"
                           "  -(a' - b') = -b + 0.5*a - c\n"
                           "  0 = c - 0.5*b - 0.3*load.z\n"
                           "}\n"
                           "system load {\n"
                           "  state v = 0\n"
                           "  alg z = 0\n"
                           "  v' = amp.b - v\n"
                           "  0 = z - 0.7*amp.c - v\n"
                           "}\n";

#define SIZE 5
#define END 3.0

static long run(const dae_model *model, const char *method, double tolerance, double *y)
{
  dae_error err = dae_error_none();
  dae_integrator *it = NULL;
  dae_start start = dae_model_start(model);
  double given[SIZE];
  assert_int_equal(dae_problem_size(dae_model_problem(model)), SIZE);
  assert_int_equal(
      dae_consistent_start(dae_model_problem(model), &start, NULL, given, NULL, NULL, &err),
      DAE_OK);
  start.y = given;
  if (method) {
    dae_bdf_options opts = dae_bdf_defaults();
    opts.rtol = opts.atol = tolerance;
    assert_int_equal(dae_bdf_create(dae_model_problem(model), &start, &opts, NULL, &it, &err),
                     DAE_OK);
  } else {
    dae_wave_options opts = dae_wave_defaults();
    opts.rtol = opts.atol = tolerance;
    assert_int_equal(
        dae_gauss_seidel_create(dae_model_problem(model), &start, &opts, NULL, &it, &err), DAE_OK);
  }
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, END, &err);
  if (status != DAE_END)
    fail_msg("%s", err.text);
  assert_int_equal(dae_integrator_interpolate(it, END, y, NULL, &err), DAE_OK);
  long steps = dae_integrator_stats(it).steps;
  dae_integrator_free(it);
  return steps;
}

static void test_a_part_with_singular_mass_is_iterated(void **state)
{
  (void)state;
  dae_model *model;
  dae_error err = dae_error_none();
  double sharp[SIZE], found[SIZE];
  assert_int_equal(dae_model_parse("amplifier", text, sizeof text - 1, NULL, NULL, &model, &err),
                   DAE_OK);
  run(model, "bdf", 1e-10, sharp);
  long windows = run(model, NULL, 1e-6, found);
  for (int i = 0; i < SIZE; i++)
    assert_true(fabs(found[i] - sharp[i]) <= 10 * 1e-6 * (1 + fabs(sharp[i])));
  assert_true(windows < 40); /* 19; with the slopes that states have by themselves, 767 */
  dae_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_part_with_singular_mass_is_iterated)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
