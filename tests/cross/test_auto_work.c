/* Work of `auto` beside that of the best single method, in evaluations with Jacobians in the same
 * unit: models of systems of examples/models and tests/problems/systems, which are solved as one
 * system and never iterated, at two tolerances. */
#include <daedal/daedal.h>
#include <daedal/model.h>
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define JACOBIAN_WORK 4 /* evaluations that the Jacobians at a point are worth */
#define LARGEST 200     /* size of the state vector above which a model is left to the bench */
/* Largest ratios. They are above the 1.5 of instructions (bench/auto.py): evaluations of an
 * explicit method or of gauss cost no solution of a linear system, and radau takes few of them
 * where the problem is linear, most so at small tolerances. */
#define MOST_OF_EXAMPLES 2
#define MOST_OF_OTHERS 2.2

static const char *const singles[] = {"explicit", "gauss", "radau", "bdf", "bdf-ggl", "rosenbrock"};

/* INFINITY: the method does not apply, or fails */
static double work_of(const dae_method *method, const dae_run_plan *given, double rtol)
{
  dae_error err = dae_error_none();
  dae_summary summary = {0};
  dae_run_plan plan = *given;
  char text[32];
  if (!method || (method->accepts && method->accepts(&plan.problem, NULL) < 0))
    return INFINITY;
  void *opts = malloc(method->options_size);
  assert_non_null(opts);
  method->defaults(opts);
  snprintf(text, sizeof text, "%.17g", rtol);
  assert_int_equal(dae_options_set(method->options, opts, "rtol", text, &err), DAE_OK);
  plan.method = method;
  plan.options = opts;
  plan.unmeasured = true;
  plan.times = &plan.to;
  plan.time_count = 0;
  dae_status status = dae_run(&plan, NULL, &summary, &err);
  free(opts);
  return status < 0 ? INFINITY
                    : (double)(summary.stats.evaluations + JACOBIAN_WORK * summary.stats.jacobians);
}

/* Number of compared tolerances of a model; 0: it has no systems, or is too large. */
static int check_model(const char *path, double most)
{
  static const double rtols[] = {1e-4, 1e-6};
  dae_error err = dae_error_none();
  dae_run_plan plan = {.to = 0};
  dae_model *model;
  if (dae_model_load(path, NULL, NULL, &model, &err))
    fail_msg("%s: %s", path, err.text);
  dae_model_plan(model, &plan);
  int count = 0;
  bool compared = plan.problem.coupled && dae_problem_size(&plan.problem) <= LARGEST;
  for (size_t i = 0; compared && i < sizeof rtols / sizeof *rtols; i++, count++) {
    const dae_method *ours = dae_model_choose_at(model, rtols[i], NULL, 0, &err);
    const char *best = "";
    double least = INFINITY;
    if (!ours || ours->iterates)
      fail_msg("%s: %s", path, ours ? ours->name : err.text);
    for (size_t k = 0; k < sizeof singles / sizeof *singles; k++) {
      double work = work_of(dae_method_find(singles[k], NULL), &plan, rtols[i]);
      if (work < least)
        least = work, best = singles[k];
    }
    double work = work_of(ours, &plan, rtols[i]);
    if (getenv("DAEDAL_VERBOSE"))
      print_message("%-20s %.0e %-10s %6g, %5.2f of %s\n", strrchr(path, '/') + 1, rtols[i],
                    ours->name, work, work / least, best);
    if (!(work <= most * least))
      fail_msg("%s, %g: %s takes %g evaluations, %s %g", path, rtols[i], ours->name, work, best,
               least);
  }
  dae_model_free(model);
  return count;
}

static int check_folder(const char *name, double most)
{
  DIR *folder = opendir(name);
  int count = 0;
  assert_non_null(folder);
  for (const struct dirent *file = readdir(folder); file; file = readdir(folder)) {
    char path[512];
    const char *end = strrchr(file->d_name, '.');
    if (!end || strcmp(end, ".dae") != 0)
      continue;
    snprintf(path, sizeof path, "%s/%s", name, file->d_name);
    count += check_model(path, most);
  }
  closedir(folder);
  return count;
}

static void test_examples_of_systems_take_little_more_than_the_best_single_method(void **state)
{
  (void)state;
  assert_true(check_folder(MODELS, MOST_OF_EXAMPLES) >= 2 * 12);
}

static void test_other_systems_take_little_more_than_the_best_single_method(void **state)
{
  (void)state;
  assert_true(check_folder(SYSTEMS, MOST_OF_OTHERS) >= 2 * 12);
}

/* ---- slow motion after a fast transient ---- */

static void test_slow_motions_after_a_transient_take_at_most_thrice_the_work_of_radau(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "model mount\ncoord x = 0.01, s = 0 rate 1\nkinetic 3*x'^2/2 + (x' + s')^2/2\n"
      "potential 2e5*x^2/2 + 2*s^2/2\nforce x = -900*x' + cos(t)\nforce s = -0.1*s'\n"
      "simulate to 60\n",
      "model dumbbell\ncoord x = 0.5 + 2/3/4e7 rate 0, y = 0 rate 0.6, u = -0.5, w = 0 rate -0.4\n"
      "let L = hypot(x - u, y - w)\nkinetic (x'^2 + y'^2 + 2*u'^2 + 2*w'^2)/2\n"
      "potential 4e7*(L - 1)^2/2 + 9.81*(y + 2*w)\nsimulate to 20\n",
      "model stage\nstate a = 0, b = 5, c = 0\nalg u = 1, w = 0\nlet feed = 5 + sin(20*t)\n"
      "a' = 1e5*(u - a)\nb' = 300*(w - b)\nc' = 2*(b - c)\n"
      "0 = (feed - u) - 0.02*(exp(u/2) - 1) - (u - a)\n0 = (a - w)/3 - (w - b) - 0.1*w^3\n"
      "simulate to 5\n",
      "model tower\nparam N = 12\ncoord x[1..N] = 0\n"
      "for i in 1..N { kinetic x[i]'^2/2 }\npotential 2e6*x[1]^2/2\nforce x[1] = -1500*x[1]'\n"
      "for i in 2..N { potential 2e6*(x[i] - x[i-1])^2/2 }\n"
      "for i in 2..N { force x[i] = -1500*(x[i]' - x[i-1]') }\n"
      "for i in 2..N { force x[i-1] = 1500*(x[i]' - x[i-1]') }\n"
      "force x[N] = 3e3*(1 - exp(-20*t))*sin(t)\nsimulate to 25\n",
      "model cascade\nstate a = 1, b = 0, c = 0, d = 0\na' = -3e4*a*(1 + b)\n"
      "b' = 3e4*a*(1 + b) - 500*b + 0.3*d\nc' = 500*b - 2*c\nd' = 2*c - 0.5*d\n"
      "simulate to 40\n",
      /* undamped modes, excited at the start */
      "model spring\ncoord a = 0, b = 1.001\nkinetic a'^2/2 + b'^2/2\n"
      "potential 1e6*(b - a - 1)^2/2 + a^2/2\nsimulate to 2\n",
      "model tone\nstate p = 1e-3, q = 0, s = 1\np' = 2000*q\nq' = -2000*p\n"
      "s' = -0.5*s + cos(t) + 0.01*p\nsimulate to 2\n",
      "model tyre\ncoord z = 0, u = 0.002\nkinetic 400*z'^2/2 + 30*u'^2/2\n"
      "potential 1.5e4*(z - u)^2/2 + 3e7*u^2/2\nforce z = -1200*(z' - u')\n"
      "force u = 1200*(z' - u')\nsimulate to 2\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    dae_error err = dae_error_none();
    dae_run_plan plan = {.to = 0};
    dae_model *model;
    if (dae_model_parse("transient", texts[i], strlen(texts[i]), NULL, NULL, &model, &err))
      fail_msg("%s", err.text);
    dae_model_plan(model, &plan);
    for (double rtol = 1e-4; rtol > 1e-9; rtol /= 100) {
      const dae_method *ours = dae_model_choose_at(model, rtol, NULL, 0, &err);
      double work = work_of(ours, &plan, rtol);
      double radau = work_of(dae_method_find("radau", NULL), &plan, rtol);
      if (getenv("DAEDAL_VERBOSE"))
        print_message("%-10.10s %.0e %-10s %6g, %5.2f of radau\n", texts[i] + 6, rtol, ours->name,
                      work, work / radau);
      if (!(work <= 3 * radau))
        fail_msg("%.15s, %g: %g evaluations, radau %g", texts[i] + 6, rtol, work, radau);
    }
    dae_model_free(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_examples_of_systems_take_little_more_than_the_best_single_method),
      cmocka_unit_test(test_other_systems_take_little_more_than_the_best_single_method),
      cmocka_unit_test(test_slow_motions_after_a_transient_take_at_most_thrice_the_work_of_radau),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
