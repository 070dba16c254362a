/* Mechanisms that pass positions where constraints become dependent and the motion can branch: it
 * goes on along its branch, and the energy is kept. */
#include "support.h"
#include "text_problem.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

/* A parallelogram in angles: the multipliers tend to infinity at its singular positions. */
static const char angles[] =
    "model angles\n"
    "param c = 1, p = 2, a0 = 0.4, w = 6, g = 9.81, mc = 3\n"
    "coord a = a0 rate w, b = 0 rate 0, d = a0 rate w\n"
    "kinetic (a'^2 + d'^2)*c^2/6 + mc*(c^2*a'^2 + p^2*b'^2/3 + c*p*a'*b'*cos(a - b))/2\n"
    "potential g*(sin(a)*c/2 + sin(d)*c/2 + mc*(c*sin(a) + p*sin(b)/2))\n"
    "constraint x: c*cos(a) + p*cos(b) - c*cos(d) = p\n"
    "constraint y: c*sin(a) + p*sin(b) - c*sin(d) = 0\n";

/* A parallelogram of points in space, and one in the plane whose crank is driven. */
static const char space[] =
    "model space\n"
    "param w = 7, g = 9.81, p = 1.5, a0 = 0.7\n"
    "coord x1 = cos(a0) rate -w*sin(a0), y1 = sin(a0) rate w*cos(a0), z1 = 0\n"
    "coord x2 = cos(a0) + p rate -w*sin(a0), y2 = sin(a0) rate w*cos(a0), z2 = 0\n"
    "kinetic (x1'^2 + y1'^2 + z1'^2)/2 + (x2'^2 + y2'^2 + z2'^2)/2\n"
    "potential g*(y1 + 0.4*x1) + 1.7*g*(y2 + 0.3*x2)\n"
    "constraint c1: x1^2 + y1^2 + z1^2 = 1\n"
    "constraint c2: (x2 - p)^2 + y2^2 + z2^2 = 1\n"
    "constraint rod: (x2 - x1)^2 + (y2 - y1)^2 + (z2 - z1)^2 = p^2\n"
    "constraint plane1: z1 = 0\n"
    "constraint plane2: z2 = 0\n";
static const char driven[] =
    "model driven\n"
    "param w = 3, p = 1.5, g = 9.81\n"
    "coord x1 = cos(0.5), y1 = sin(0.5), x2 = cos(0.5) + p, y2 = sin(0.5)\n"
    "kinetic (x1'^2 + y1'^2)/2 + (x2'^2 + y2'^2)/2 + (x1'*x2' + y1'*y2')/3\n"
    "potential g*(y1 + 2*y2)\n"
    "constraint drive: x1*sin(0.5 + w*t + 0.3*sin(t)) - y1*cos(0.5 + w*t + 0.3*sin(t)) = 0\n"
    "constraint c1: x1^2 + y1^2 = 1\n"
    "constraint c2: (x2 - p)^2 + y2^2 = 1\n"
    "constraint rod: (x2 - x1)^2 + (y2 - y1)^2 = p^2\n";

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

static double angles_branch(const dae_problem *p, const double *y)
{
  (void)p;
  return fabs(sin((y[0] - y[2]) / 2));
}

/* Distance of the y of two points. */
static double points_branch(const dae_problem *p, const double *y)
{
  int dimension = p->mechanical->nq / 2;
  return fabs(y[1] - y[dimension + 1]);
}

/* Runs a model by a method: true where it goes over all singular positions. Every step ends on the
 * branch, and the energy is kept. */
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
  bool over = status >= 0 && again >= 0;
  if (over && text != driven && !(fabs(summary.energy_change) < 1e3 * rtol * 20))
    fail_msg("%s %s at %g: energy changed by %g", set ? set[0] : "crank", name, rtol,
             summary.energy_change);
  return over;
}

static void test_loops_pass_their_common_line(void **state)
{
  (void)state;
  static const char *const set[] = {"N=1",  "N=2", "N=3",  "N=5",  "N=10", "N=20",
                                    "N=40", "N=8", "N=15", "N=30", "N=60", "N=100"};
  size_t count = getenv("DAEDAL_LONG") ? sizeof set / sizeof *set : 6;
  for (size_t i = 0; i < count; i++)
    for (double rtol = 1e-4; rtol > 1e-9; rtol /= 100)
      if (!goes_over(loops, &set[i], 1, "auto", rtol, loops_branch))
        fail_msg("%s at %g stops", set[i], rtol);
}

/* A position within round-off of a singular one may stop a run, with a message: about one in thirty
 * here, other ones after every change of the steps. */
static void test_other_speeds_and_weights_pass(void **state)
{
  (void)state;
  static const char *const set[][2] = {{"w=5.3", "mc=0.7"}, {"w=8.1", "mc=2.2"}, {"w=9", "p=0.8"}};
  static const char *const speed[] = {"w=4.4", "w=6.1", "w=8.3"};
  int runs = 0, stopped = 0;
  for (double rtol = 1e-4; rtol > 1e-9; rtol /= 100)
    for (int i = 0; i < 3; i++, runs += 3) {
      stopped += !goes_over(angles, set[i], 2, "auto", rtol, angles_branch);
      stopped += !goes_over(space, &speed[i], 1, "auto", rtol, points_branch);
      stopped += !goes_over(driven, &speed[i], 1, "auto", rtol, points_branch);
    }
  assert_in_range(stopped, 0, runs / 20);
}

static void test_a_crank_passes_its_dead_point(void **state)
{
  (void)state;
  for (double rtol = 1e-4; rtol > 0.9e-8; rtol /= sqrt(10))
    if (!goes_over(equal_crank, NULL, 0, "auto", rtol, crank_branch))
      fail_msg("%g stops", rtol);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loops_pass_their_common_line),
      cmocka_unit_test(test_other_speeds_and_weights_pass),
      cmocka_unit_test(test_a_crank_passes_its_dead_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
