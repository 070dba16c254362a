/* Mechanisms that pass positions where constraints become dependent and the motion can branch: it
 * goes on along its branch, and the energy is kept. */
#include "support.h"
#include "text_problem.h"
#include <math.h>
#include <stdio.h>

/* N loops of bars of length 1 (library of benchmarks of the IFToMM): all lie on one line
 * where the cranks pass the horizontal, and every loop may then leave the parallelogram y[i] =
 * y[0]. */
static const char loops[] =
    "model loops\n"
    "param N = 1, g = 9.81\n"
    "coord x[i in 0..N] = i rate 1, y[i in 0..N] = 1 rate 0\n"
    "for i in 0..N {\n"
    "  kinetic (x[i]'^2 + y[i]'^2)/6\n"
    "  potential g*y[i]/2\n"
    "  constraint crank[i]: (x[i] - i)^2 + y[i]^2 = 1\n"
    "}\n"
    "for i in 1..N {\n"
    "  kinetic (x[i-1]'^2 + x[i-1]'*x[i]' + x[i]'^2 + y[i-1]'^2 + y[i-1]'*y[i]' + y[i]'^2)/6\n"
    "  potential g*(y[i-1] + y[i])/2\n"
    "  constraint coupler[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n"
    "}\n";

/* A crank and a rod of equal lengths with a slider: at 90 degrees the slider is at the crank's
 * pivot, where the rod may turn about it without the slider. */
static const char equal_crank[] = "model equal_crank\n"
                                  "coord a = 0.3 rate 2, b = -0.3 rate -2, s = 2*cos(0.3)\n"
                                  "kinetic (a'^2 + b'^2)/6 + s'^2/2 + (a'^2 + a'*b'*cos(a - b))/2\n"
                                  "potential 2*s\n"
                                  "constraint along: cos(a) + cos(b) = s\n"
                                  "constraint across: sin(a) + sin(b) = 0\n";

typedef double branch_fn(const dae_problem *p, const double *y);

/* Largest distance of a loop from a parallelogram. */
static double loops_branch(const dae_problem *p, const double *y)
{
  int points = p->mechanical->nq / 2;
  double most = 0;
  for (int i = 1; i < points; i++)
    most = fmax(most, fabs(y[points + i] - y[points]));
  return most;
}

static double crank_branch(const dae_problem *p, const double *y)
{
  (void)p;
  return fabs(y[0] + y[1]);
}

/* Runs a model by a method: true where it goes over all singular positions and keeps its energy.
 * Every step ends on the branch. */
static bool goes_over(const char *text, const char *const *set, int count, const char *name,
                      double rtol, branch_fn *branch)
{
  test_problem p;
  dae_model *model = text_problem(text, set, count, 10, &p);
  const dae_method *method = strcmp(name, "auto") == 0
                                 ? dae_method_choose(&p.problem, NULL, 0, NULL)
                                 : dae_method_find(name, NULL);
  dae_error err = dae_error_none();
  dae_run_plan plan = {0};
  dae_summary summary;
  double options[128], at[1024];
  assert_true(method->options_size <= sizeof options && p.size <= 1024);
  method->defaults(options);
  char value[32];
  snprintf(value, sizeof value, "%g", rtol);
  assert_int_equal(dae_options_set(method->options, options, "rtol", value, &err), DAE_OK);
  dae_integrator *it;
  assert_int_equal(method->create(&p.problem, &p.start, options, NULL, &it, &err), DAE_OK);
  dae_status status = DAE_OK;
  while (status == DAE_OK) {
    status = dae_integrator_step(it, p.to, &err);
    if (status < 0)
      break;
    dae_view view = dae_integrator_view(it);
    assert_int_equal(dae_integrator_interpolate(it, view.t, at, NULL, &err), DAE_OK);
    if (!(branch(&p.problem, at) < 1e-6))
      fail_msg("%s %s at %g: another branch at t = %g", set ? set[0] : "crank", name, rtol, view.t);
  }
  dae_integrator_free(it);
  dae_model_plan(model, &plan);
  plan.method = method;
  plan.options = options;
  plan.to = p.to;
  dae_status again = dae_run(&plan, NULL, &summary, &err);
  dae_model_free(model);
  return status >= 0 && again >= 0 && fabs(summary.energy_change) < 1e3 * rtol * 20;
}

/* A step that ends within 1e-3 of its size before a singular position is not passed by all runs: of
 * 33 runs with N up to 100 two stop, naming the constraint; which ones is a matter of round-off. */
static void test_loops_pass_their_common_line(void **state)
{
  (void)state;
  static const char *const set[] = {"N=1", "N=2", "N=3", "N=5", "N=20", "N=40"};
  int over = 0;
  for (size_t i = 0; i < sizeof set / sizeof *set; i++)
    for (double rtol = 1e-4; rtol > 1e-9; rtol /= 100)
      over += goes_over(loops, &set[i], 1, "auto", rtol, loops_branch);
  assert_true(over >= 15);
}

/* Of 51 tolerances between 3e-7 and 1e-9 about 23 stop at the dead point, naming the constraint;
 * which ones is a matter of round-off. All larger ones pass. */
static void test_a_crank_passes_its_dead_point(void **state)
{
  (void)state;
  for (double rtol = 1e-4; rtol > 0.9e-6; rtol /= sqrt(10))
    assert_true(goes_over(equal_crank, NULL, 0, "auto", rtol, crank_branch));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loops_pass_their_common_line),
      cmocka_unit_test(test_a_crank_passes_its_dead_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
