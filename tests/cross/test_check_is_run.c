/* Every refusal of a run is foretold by dae_method_check, and every method that it accepts runs:
 * all models of the examples and of the references by all methods, with the settings of the model
 * as the command takes them, over a small part of the time. */
#include <daedal/daedal.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* part of the time of a model that is run, and fixed steps in it */
#define PART 1e-4
#define STEPS 10

/* Default options, overridden by the settings of the model that the method has. */
static dae_status options_of(const dae_model *model, const dae_method *method, double step,
                             void *options, dae_error *err)
{
  const dae_model_setting *s;
  char number[40];
  dae_status status = DAE_OK;
  method->defaults(options);
  for (int i = 0, count = dae_model_settings(model, &s); i < count && status >= 0; i++) {
    bool known = false;
    for (int k = 0; k < method->options->count; k++)
      known = known || strcmp(method->options->options[k].name, s[i].name) == 0;
    if (known && !s[i].system)
      status = dae_options_set(method->options, options, s[i].name, s[i].text, err);
  }
  snprintf(number, sizeof number, "%.17g", step);
  if (method->fixed_step && status >= 0)
    status = dae_options_set(method->options, options, "step", number, err);
  return status;
}

static void check_and_run(const char *file, const dae_model *model, const dae_method *method,
                          int *wrong)
{
  dae_run_plan plan = {.every = 0};
  dae_error why = dae_error_none(), err = dae_error_none();
  void *options = calloc(1, method->options_size);
  dae_model_plan(model, &plan);
  double span = plan.to - plan.start.t;
  plan.to = plan.start.t + PART * span;
  plan.method = method;
  plan.options = options;
  dae_status checked = options_of(model, method, PART * span / STEPS, options, &why), ran;
  ran = checked;
  if (checked >= 0) {
    double *y = calloc((size_t)dae_problem_size(&plan.problem) + 1, sizeof *y);
    dae_start start = plan.start;
    if (dae_consistent_start(&plan.problem, &start, NULL, y, NULL, NULL, NULL) >= 0)
      start = (dae_start){.t = start.t, .y = y, .fixed = start.fixed};
    checked = dae_method_check(method, &plan.problem, &start, options, NULL, &why);
    ran = dae_run(&plan, NULL, NULL, &err);
    free(y);
  }
  if ((checked < 0) != (ran < 0)) {
    print_message("%s by %s: check %s, run %s\n", file, method->name,
                  checked < 0 ? why.text : "accepts", ran < 0 ? err.text : "ends");
    ++*wrong;
  }
  free(options);
}

static void check_folder(const char *folder, int least)
{
  DIR *d = opendir(folder);
  int models = 0, wrong = 0;
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));) {
    size_t length = strlen(e->d_name);
    char path[1024];
    dae_model *model;
    dae_error err;
    if (length < 4 || strcmp(e->d_name + length - 4, ".dae") != 0)
      continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (dae_model_load(path, NULL, NULL, &model, &err) < 0)
      fail_msg("%s: %s", path, err.text);
    for (int i = 0; dae_method_at(i); i++)
      check_and_run(e->d_name, model, dae_method_at(i), &wrong);
    dae_model_free(model);
    models++;
  }
  closedir(d);
  assert_true(models >= least);
  assert_int_equal(wrong, 0);
}

static void test_check_of_all_examples_is_their_run(void **state)
{
  (void)state;
  check_folder(EXAMPLES, 40);
}

static void test_check_of_all_references_is_their_run(void **state)
{
  (void)state;
  check_folder(REFERENCES, 40);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_check_of_all_examples_is_their_run),
      cmocka_unit_test(test_check_of_all_references_is_their_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
