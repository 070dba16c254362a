/* How the systems of a model want to be integrated: methods, options, tolerances, and what does not
 * fit, at its place. */
#include "counting_env.h"

#include <daedal/daedal.h>
#include <daedal/model.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* a circuit, a free body and a rod, each with settings of its own; one without */
#define MODEL(circuit, body, rod)                                                                  \
  "model m\n"                                                                                      \
  "system circuit {\n  state u = 1\n  u' = body.x - u\n" circuit "}\n"                             \
  "system body {\n  coord x = 0\n  kinetic x'^2/2\n  force x = circuit.u\n" body "}\n"             \
  "system rod {\n  coord x = 1, y = 0\n  kinetic (x'^2 + y'^2)/2\n  force y = body.x\n"            \
  "  constraint x^2 + y^2 = 1\n" rod "}\n"                                                         \
  "system last {\n  state u = 0\n  u' = rod.x\n}\n"                                                \
  "simulate to 1\n"

static dae_model *load(const char *text)
{
  dae_model *model;
  dae_error err;
  if (dae_model_parse("m.dae", text, strlen(text), NULL, NULL, &model, &err) != DAE_OK)
    fail_msg("%s", err.text);
  return model;
}

static dae_wave_child *children_of(const dae_model *model)
{
  dae_wave_child *children;
  dae_error err;
  if (dae_model_children(model, 1e-4, 1e-5, NULL, &children, &err) != DAE_OK)
    fail_msg("%s", err.text);
  return children;
}

static void test_systems_that_say_nothing_have_no_children(void **state)
{
  (void)state;
  dae_model *model = load(MODEL("", "", ""));
  assert_null(children_of(model));
  dae_model_free(model);
  model = load("model one\nstate x = 1\nx' = -x\n");
  assert_null(children_of(model));
  dae_model_free(model);
  dae_model_children_free(NULL, NULL);
}

static void test_methods_and_options_are_those_of_the_systems(void **state)
{
  (void)state;
  dae_model *model = load(MODEL("  method bdf order 2, max-step 0.25\n  rtol 1e-9\n",
                                "  method rk4 step 0.01\n", "  atol 1e-3\n"));
  dae_wave_child *c = children_of(model);
  const dae_bdf_options *circuit = c[0].options, *rod = c[2].options;
  const dae_rk_options *body = c[1].options;
  assert_string_equal(c[0].method->name, "bdf");
  assert_true(circuit->order == 2 && circuit->max_step == 0.25);
  assert_true(circuit->rtol == 1e-9 && circuit->atol == (1.0 / 30) * 1e-5);
  assert_string_equal(c[1].method->name, "rk4");
  assert_true(body->step == 0.01 && body->project);
  /* without a method: the one that fits constrained mechanics */
  assert_string_equal(c[2].method->name, "bdf-ggl");
  assert_true(rod->rtol == (1.0 / 30) * 1e-4 && rod->atol == 1e-3);
  assert_null(c[3].method);
  assert_null(c[3].options);
  dae_model_children_free(c, NULL);
  dae_model_free(model);
}

static void test_every_instance_of_a_system_has_its_own(void **state)
{
  (void)state;
  dae_model *model = load("model m\nparam N = 3\n"
                          "system S[k in 1..N] {\n  state u = k\n  u' = -S[mod(k, N) + 1].u\n"
                          "  step 0.1*k\n}\nsimulate to 1\n");
  dae_wave_child *c = children_of(model);
  for (int i = 0; i < 3; i++) {
    const dae_bdf_options *o = c[i].options;
    assert_string_equal(c[i].method->name, "bdf");
    assert_true(o->step == 0.1 * (i + 1));
  }
  dae_model_children_free(c, NULL);
  dae_model_free(model);
}

static void test_tolerances_stay_within_what_the_method_takes(void **state)
{
  (void)state;
  dae_model *model = load(MODEL("  method auto\n", "", ""));
  dae_wave_child *c;
  assert_int_equal(dae_model_children(model, 1e-14, 1e-16, NULL, &c, NULL), DAE_OK);
  const dae_bdf_options *o = c[0].options;
  assert_true(o->rtol == 1e-14 && o->atol == (1.0 / 30) * 1e-16);
  assert_int_equal(dae_options_validate(c[0].method->options, o, NULL), DAE_OK);
  dae_model_children_free(c, NULL);
  dae_model_free(model);
}

static void check_refused(const char *text, const char *place, const char *because)
{
  dae_model *model = load(text);
  dae_wave_child *c = (dae_wave_child *)1;
  dae_error err = dae_error_none();
  char told[2048];
  assert_int_equal(dae_model_children(model, 1e-6, 1e-8, NULL, &c, &err), DAE_ERROR_MODEL);
  assert_null(c);
  dae_error_text(&err, told, sizeof told);
  if (!strstr(told, place) || !strstr(told, because))
    fail_msg("%s does not hold %s, %s", told, place, because);
  assert_int_equal(dae_model_children(model, 1e-6, 1e-8, NULL, &c, NULL), DAE_ERROR_MODEL);
  dae_model_free(model);
}

static void test_what_does_not_fit_is_refused_at_its_place(void **state)
{
  (void)state;
  check_refused(MODEL("  method bdf-ggl\n", "", ""), "m.dae:5:3",
                "system circuit: bdf-ggl takes mechanical problems");
  check_refused(MODEL("  rtol 1e-5\n  method bddf\n", "", ""), "m.dae:6:3",
                "system circuit: there is no method 'bddf': did you mean 'bdf'?");
  check_refused(MODEL("", "", "  method bdf\n"), "m.dae:16:3", "system rod: bdf takes mechanical");
  check_refused(MODEL("  method gauss-seidel\n", "", ""), "m.dae:5:3",
                "this problem is a single system");
  check_refused(MODEL("  method bdf ordr 2\n", "", ""), "m.dae:5:14", "ordr");
  check_refused(MODEL("  method bdf order 9\n", "", ""), "m.dae:5:14", "from 1 to 5");
  check_refused(MODEL("  rtol 2\n", "", ""), "m.dae:5:3", "system circuit: bdf: rtol = 2");
  check_refused(MODEL("", "  method rk4\n", ""), "m.dae:10:3", "add `step H`");
}

static void test_without_memory_nothing_is_left_behind(void **state)
{
  (void)state;
  dae_model *model = load(MODEL("  method bdf\n", "", "  rtol 1e-5\n"));
  counting_env count = {.fail_at = 1};
  dae_env env = counting_env_of(&count);
  dae_wave_child *c;
  dae_error err;
  assert_int_equal(dae_model_children(model, 1e-6, 1e-8, &env, &c, &err), DAE_ERROR_MEMORY);
  assert_null(c);
  count.fail_at = 0;
  assert_int_equal(dae_model_children(model, 1e-6, 1e-8, &env, &c, &err), DAE_OK);
  assert_int_equal(count.live, 1);
  dae_model_children_free(c, &env);
  assert_int_equal(count.live, 0);
  dae_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_systems_that_say_nothing_have_no_children),
      cmocka_unit_test(test_methods_and_options_are_those_of_the_systems),
      cmocka_unit_test(test_every_instance_of_a_system_has_its_own),
      cmocka_unit_test(test_tolerances_stay_within_what_the_method_takes),
      cmocka_unit_test(test_what_does_not_fit_is_refused_at_its_place),
      cmocka_unit_test(test_without_memory_nothing_is_left_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
