/* The method that `auto` stands for takes the problem it was chosen for: over all test problems,
 * the momentum form, and every model of examples/models. */
#include "problems/problems.h"

#include <daedal/daedal.h>
#include <daedal/model.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* it says why, accepts the problem, and its constructor agrees */
static void check(const char *name, const dae_problem *problem, const dae_start *start)
{
  char why[256];
  dae_error err = dae_error_none();
  dae_integrator *it = NULL;
  const dae_method *method = dae_method_choose(problem, why, sizeof why, &err);
  if (!method)
    fail_msg("%s: %s", name, err.text);
  if (!why[0] || strstr(why, "the first that takes the problem"))
    fail_msg("%s: %s was not chosen for a reason", name, method->name);
  if (method->accepts && method->accepts(problem, &err) < 0)
    fail_msg("%s: %s does not take it: %s", name, method->name, err.text);
  if (method->create(problem, start, NULL, NULL, &it, &err) == DAE_ERROR_UNSUPPORTED)
    fail_msg("%s: %s is not created: %s", name, method->name, err.text);
  dae_integrator_free(it);
}

static void test_test_problems_are_taken(void **state)
{
  (void)state;
  test_problem p;
  for (int i = 0; test_problem_at(i, &p); i++) {
    check(p.name, &p.problem, &p.start);
    test_problem_free(&p);
  }
}

static void test_the_momentum_form_is_taken(void **state)
{
  (void)state;
  for (int derivatives = 0; derivatives < 2; derivatives++) {
    test_problem all[] = {test_curv_ham(derivatives), test_curv_lag(derivatives),
                          test_mixed(derivatives)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
      check(all[i].name, &all[i].problem, &all[i].start);
      test_problem_free(&all[i]);
    }
  }
}

static void test_example_models_are_taken(void **state)
{
  (void)state;
  DIR *folder = opendir(MODELS);
  assert_non_null(folder);
  int found = 0;
  for (const struct dirent *file = readdir(folder); file; file = readdir(folder)) {
    char path[512];
    const char *end = strrchr(file->d_name, '.');
    dae_model *model;
    dae_error err = dae_error_none();
    if (!end || strcmp(end, ".dae") != 0)
      continue;
    snprintf(path, sizeof path, "%s/%s", MODELS, file->d_name);
    if (dae_model_load(path, NULL, NULL, &model, &err))
      fail_msg("%s: %s", path, err.text);
    dae_start start = dae_model_start(model);
    check(file->d_name, dae_model_problem(model), &start);
    dae_model_free(model);
    found++;
  }
  closedir(folder);
  assert_true(found > 40);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_test_problems_are_taken),
      cmocka_unit_test(test_the_momentum_form_is_taken),
      cmocka_unit_test(test_example_models_are_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
