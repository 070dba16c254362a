/* What a dynamic iteration does not take: each refusal names an option, or what is missing. */
#include "wave_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void show(const dae_error *err)
{
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%s [%s] t = %g: %s\n", dae_status_name(err->status), err->equation, err->t,
                  err->text);
}

static void refused(const wave_case *c, dae_status status, const char *field, const char *says)
{
  dae_integrator *it = (dae_integrator *)(uintptr_t)c; /* must be overwritten */
  dae_error err = dae_error_none();
  dae_status got = wave_try(c, NULL, &it, &err);
  show(&err);
  if (got != status || it || err.status != status || !strstr(err.text, says) ||
      (field && strcmp(err.equation, field) != 0))
    fail_msg("%s [%s]: %s", dae_status_name(got), err.equation, err.text);
}

static void test_one_system_and_missing_joints_are_refused(void **state)
{
  (void)state;
  static const char one[] = "model one\nstate y = 1\ny' = -y\n";
  static const char *const methods[] = {"gauss-seidel", "jacobi", "joint"};
  dae_model *model;
  assert_int_equal(dae_model_parse("one", one, sizeof one - 1, NULL, NULL, &model, NULL), DAE_OK);
  wave_case c = {.model = model,
                 .problem = dae_model_problem(model),
                 .start = dae_model_start(model),
                 .opts = dae_wave_defaults()};
  for (int i = 0; i < 3; i++) {
    c.method = methods[i];
    refused(&c, DAE_ERROR_UNSUPPORTED, NULL, "single system");
  }
  wave_close(&c);
  wave_open(&c, coupled_model_find("two_circuits")->path, NULL);
  c.method = "joint";
  refused(&c, DAE_ERROR_UNSUPPORTED, NULL, "joints");
  wave_close(&c);
}

static void test_updates_that_do_not_fit_are_refused(void **state)
{
  (void)state;
  wave_case c;
  wave_open(&c, coupled_model_find("three_circuits")->path, NULL);
  c.opts.update = DAE_WAVE_XI;
  refused(&c, DAE_ERROR_UNSUPPORTED, "update", "two systems");
  wave_close(&c);
  wave_open(&c, coupled_model_find("linked_pendula")->path, NULL);
  c.opts.update = DAE_WAVE_XI;
  refused(&c, DAE_ERROR_UNSUPPORTED, "update", "schur");
  wave_close(&c);
}

static void test_orders_that_are_no_permutation_are_refused(void **state)
{
  (void)state;
  static const int orders[][3] = {{0, 0, 1}, {0, 1, 3}, {-1, 0, 1}, {1, 1, 1}};
  wave_case c;
  wave_open(&c, coupled_model_find("three_circuits")->path, NULL);
  for (int i = 0; i < 4; i++) {
    c.opts.order = orders[i];
    c.method = i < 2 ? "gauss-seidel" : "jacobi";
    refused(&c, DAE_ERROR_OPTION, "order", "order");
  }
  wave_close(&c);
}

typedef struct wrong {
  const char *name;
  double value;
} wrong;

static void test_options_out_of_range_are_refused_by_name(void **state)
{
  (void)state;
  static const wrong wrongs[] = {
      {"rtol", -1e-6}, {"rtol", 2},    {"rtol", NAN},      {"atol", NAN},
      {"atol", -1},    {"window", -1}, {"window", NAN},    {"max_window", -1},
      {"nodes", -1},   {"theta", NAN}, {"omega", -0.1},    {"omega", 2.5},
      {"depth", 0},    {"depth", 51},  {"max_sweeps", -1}, {"sweeps", -1},
  };
  wave_case c;
  wave_open(&c, coupled_model_find("two_circuits")->path, NULL);
  for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
    const wrong *w = &wrongs[i];
    c.opts = dae_wave_defaults();
    for (int k = 0; k < dae_jacobi_option_table.count; k++) {
      const dae_option *o = &dae_jacobi_option_table.options[k];
      char *at = (char *)&c.opts + o->offset;
      int whole = isnan(w->value) ? 0 : (int)w->value;
      if (!strcmp(o->name, w->name) && o->type == DAE_OPTION_INT)
        memcpy(at, &whole, sizeof whole);
      else if (!strcmp(o->name, w->name))
        memcpy(at, &w->value, sizeof w->value);
    }
    c.method = i % 2 ? "jacobi" : "gauss-seidel";
    refused(&c, DAE_ERROR_OPTION, w->name, w->name);
  }
  c.opts = dae_wave_defaults();
  c.method = "jacobi";
  c.opts.workers = -1;
  refused(&c, DAE_ERROR_OPTION, "workers", "workers");
  wave_close(&c);
}

/* a pendulum in Cartesian coordinates, and a mass that follows it */
static const char held[] = "model held\n"
                           "system swing {\n"
                           "  coord x = 1, y = 0\n"
                           "  kinetic (x'^2 + y'^2)/2\n"
                           "  potential 9.81*y\n"
                           "  constraint rod: x^2 + y^2 = 1\n"
                           "}\n"
                           "system follower {\n"
                           "  coord z = 1\n"
                           "  kinetic z'^2/2\n"
                           "  force z = swing.x - z\n"
                           "}\n";

static void test_children_that_do_not_take_their_part_are_refused(void **state)
{
  (void)state;
  wave_case c;
  wave_parse(&c, held);
  wave_child(&c, 0, "trapezoid", 0.01);
  refused(&c, DAE_ERROR_UNSUPPORTED, "trapezoid", "constraints");
  wave_child(&c, 0, "rk4", 0);
  refused(&c, DAE_ERROR_OPTION, "step", "step");
  wave_close(&c);
}

static void test_terms_whose_weights_do_not_sum_up_are_refused(void **state)
{
  (void)state;
  static const double b[] = {1}, own[] = {0.5, 0.4}, others[] = {1};
  dae_wave_terms terms = {.ages = 1, .terms = 1, .b = b, .own = own, .others = others};
  wave_case c;
  wave_open(&c, coupled_model_find("two_circuits")->path, NULL);
  c.opts.terms = &terms;
  refused(&c, DAE_ERROR_OPTION, "own", "own");
  wave_close(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_system_and_missing_joints_are_refused),
      cmocka_unit_test(test_updates_that_do_not_fit_are_refused),
      cmocka_unit_test(test_orders_that_are_no_permutation_are_refused),
      cmocka_unit_test(test_options_out_of_range_are_refused_by_name),
      cmocka_unit_test(test_children_that_do_not_take_their_part_are_refused),
      cmocka_unit_test(test_terms_whose_weights_do_not_sum_up_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
