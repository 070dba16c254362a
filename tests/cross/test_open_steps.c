/* Steps without an end in view, dae_integrator_step(it, INFINITY): every method goes on as far as
 * it is asked to, as accurately as towards an end. */
#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A model and the value of its first variable at a time. */
typedef struct open_case {
  const char *text;
  double (*exact)(double t);
  double until;
} open_case;

static double open_decay(double t)
{
  return exp(-t);
}

static double open_fast(double t)
{
  return exp(-1e6 * t);
}

static double open_rest(double t)
{
  (void)t;
  return 1;
}

static double open_turn(double t)
{
  return cos(2 * t);
}

static const open_case cases[] = {
    {"model a\nstate x = 1\nx' = -x\nsimulate to 1\n", open_decay, 3},
    {"model a\nstate x = 1\nx' = -1e6*x\nsimulate to 1\n", open_fast, 3e-6},
    {"model a\nstate x = 1\nx' = 0*x\nsimulate to 1\n", open_rest, 1e4},
    {"model a\nstate x = 1\nalg z = -1\nx' = z\n0 = z + x\nsimulate to 1\n", open_decay, 3},
    {"model a\ncoord x = 1 rate 0, y = 0 rate 2\nkinetic (x'^2 + y'^2)/2\n"
     "constraint x^2 + y^2 = 1\nsimulate to 1\n",
     open_turn, 3},
    {"model a\nsystem A { state x = 1\nx' = -x + 0*B.y\n}\nsystem B { state y = 0\ny' = A.x\n}\n"
     "simulate to 1\n",
     open_decay, 3},
};

/* false: the method does not take the problem */
static bool open_create(const dae_method *method, const dae_model *model, double step,
                        dae_integrator **it)
{
  dae_error err;
  void *options = calloc(1, method->options_size);
  assert_non_null(options);
  dae_start start = dae_model_start(model);
  method->defaults(options);
  if (method->fixed_step)
    assert_true(dae_options_set(method->options, options, "step", step > 1e-4 ? "1e-3" : "1e-9",
                                &err) >= 0);
  dae_status status = method->create(dae_model_problem(model), &start, options, NULL, it, &err);
  free(options);
  return status >= 0;
}

static void open_run(const open_case *k, const dae_method *method, const dae_model *model,
                     int *runs)
{
  dae_integrator *it = NULL;
  dae_error err;
  double y[16];
  if (k->until > 100 && method->fixed_step)
    return;
  if (!open_create(method, model, k->until / 1000, &it))
    return;
  assert_true(dae_integrator_view(it).size <= 16);
  while (dae_integrator_view(it).t < k->until) {
    double before = dae_integrator_view(it).t;
    dae_status status = dae_integrator_step(it, INFINITY, &err);
    if (status != DAE_OK)
      fail_msg("%s, %s: %s", method->name, k->text, status < 0 ? err.text : "end");
    assert_true(dae_integrator_view(it).t > before);
  }
  assert_true(dae_integrator_interpolate(it, dae_integrator_view(it).t, y, NULL, &err) >= 0);
  double exact = k->exact(dae_integrator_view(it).t), error = fabs(y[0] - exact);
  if (!(error < (method->fixed_step ? 2e-2 : 5e-3)))
    fail_msg("%s, %s: %g at t = %g, not %g", method->name, k->text, y[0], dae_integrator_view(it).t,
             exact);
  ++*runs;
  dae_integrator_free(it);
}

static void test_every_method_steps_without_an_end(void **state)
{
  (void)state;
  int runs = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    dae_model *model;
    dae_error err;
    if (dae_model_parse("open", cases[i].text, strlen(cases[i].text), NULL, NULL, &model, &err) < 0)
      fail_msg("%s", err.text);
    for (int m = 0; dae_method_at(m); m++)
      open_run(&cases[i], dae_method_at(m), model, &runs);
    dae_model_free(model);
  }
  assert_true(runs > 60);
}

/* no time lies beyond it, and nothing is a time */
static void test_other_ends_are_refused(void **state)
{
  (void)state;
  dae_model *model;
  dae_error err;
  dae_integrator *it;
  assert_true(
      dae_model_parse("open", cases[0].text, strlen(cases[0].text), NULL, NULL, &model, &err) >= 0);
  assert_true(open_create(dae_method_find("radau", &err), model, 1, &it));
  assert_int_equal(dae_integrator_step(it, -INFINITY, &err), DAE_ERROR_USAGE);
  assert_int_equal(dae_integrator_step(it, NAN, &err), DAE_ERROR_USAGE);
  assert_int_equal(dae_integrator_step(it, 0, &err), DAE_ERROR_USAGE);
  dae_integrator_free(it);
  dae_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_method_steps_without_an_end),
      cmocka_unit_test(test_other_ends_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
