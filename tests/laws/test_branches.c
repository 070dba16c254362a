/* Motions with branches, against closed forms, by every method with variable steps: springs with
 * different sides and stops, dry friction through rest, a rectifier, staircases by floor, switches
 * by when and by discretes. Also: how often branches change and events happen. */
#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979323846
#define TO 7.3

/* Largest error of the first two entries, in tolerances. */
#define ALLOWED 30

/* ---- closed forms ---- */

/* x'' = -x where x > 0, else -9 x, from x = 1 at rest. */
static void bilinear(double y[2])
{
  double s = fmod(TO + PI / 2, PI + PI / 3);
  y[0] = s < PI ? sin(s) : -sin(3 * (s - PI)) / 3;
  y[1] = s < PI ? cos(s) : -cos(3 * (s - PI));
}

/* A mass at speed 1 between two stops of stiffness 50 at x = +-0.2, from the middle. */
static void clearance(double y[2])
{
  double w = sqrt(50), contact = PI / w, s = fmod(TO + 0.2, 0.4 + contact);
  double side = fmod(floor((TO + 0.2) / (0.4 + contact)), 2) == 0 ? 1 : -1;
  y[0] = side * (s < 0.4 ? s - 0.2 : 0.2 + sin(w * (s - 0.4)) / w);
  y[1] = side * (s < 0.4 ? 1 : cos(w * (s - 0.4)));
}

/* x'' = 2 - sign(x')/2 from x' = -1: rest at t = 0.4, where the force exceeds the friction. */
static void friction(double y[2])
{
  y[0] = -0.2 + 0.75 * (TO - 0.4) * (TO - 0.4);
  y[1] = 1.5 * (TO - 0.4);
}

/* v' = max(1 - t - v, 0) from v = 0: the rectifier blocks from t = log 2 on. */
static void rectifier(double y[2])
{
  y[0] = 1 - log(2);
  y[1] = TO;
}

/* x' = 1 + floor(x): speed n + 1 between n and n + 1. */
static void staircase(double y[2])
{
  double t = 0;
  int n = 0;
  for (; t + 1. / (n + 1) < TO / 3; n++)
    t += 1. / (n + 1);
  y[0] = n + (n + 1) * (TO / 3 - t);
  y[1] = TO / 3;
}

/* z' = -1, x' = mod(z, 1) from z = 1/2. */
static void sawtooth(double y[2])
{
  double s = TO + 0.5, whole = floor(s), part = s - whole;
  y[0] = whole / 2 + part - part * part / 2 - 0.375;
  y[1] = 0.5 - TO;
}

/* x' = floor(0.7 t), whose instants k / 0.7 are rounded: at some of them 0.7 t is below k. */
static void rounded_steps(double y[2])
{
  int n = (int)(0.7 * TO);
  y[0] = n * TO - n * (n + 1) / 2 / 0.7;
  y[1] = TO;
}

/* T' = 1 or -1, between 0 and 1. */
static void thermostat(double y[2])
{
  double s = fmod(TO, 2);
  y[0] = s < 1 ? s : 2 - s;
  y[1] = floor((TO + 1) / 2); /* times that the heater was switched off */
}

/* y' = mod(t, 1), s' = 1 or -1 by turns. */
static void clocks(double y[2])
{
  double part = fmod(TO, 1), s = fmod(TO, 2);
  y[0] = floor(TO) / 2 + part * part / 2;
  y[1] = s < 1 ? s : 2 - s;
}

/* x'' = 2 from rest at x = 3, where a branch begins or a value vanishes. */
static void up_from_three(double y[2])
{
  y[0] = 3 + TO * TO;
  y[1] = 2 * TO;
}

/* x'' = -2 from rest at x = 1000. */
static void down_from_a_thousand(double y[2])
{
  y[0] = 1000 - TO * TO;
  y[1] = -2 * TO;
}

/* x'' = 2 t from rest at x = 3. */
static void slowly_up_from_three(double y[2])
{
  y[0] = 3 + TO * TO * TO / 3;
  y[1] = TO * TO;
}

static const struct {
  const char *text;
  void (*exact)(double y[2]);
  int switchings, events; /* changes of branches, events; -1: one of two that coincide */
} cases[] = {
    {"model bilinear\ncoord x = 1\nkinetic x'^2/2\nforce x = if(x > 0, -x, -9*x)\n", bilinear, 4,
     0},
    {"model stiffening\ncoord x = 1\nkinetic x'^2/2\npotential 1/2*x^2 + 4*min(x, 0)^2\n", bilinear,
     4, 0},
    {"model clearance\ncoord x = 0 rate 1\nkinetic x'^2/2\n"
     "force x = if(x > 0.2, -50*(x - 0.2), if(x < -0.2, -50*(x + 0.2), 0))\n",
     clearance, 17, 0},
    {"model clearance\ncoord x = 0 rate 1\nkinetic x'^2/2\n"
     "force x = -50*(max(x - 0.2, 0) + min(x + 0.2, 0))\n",
     clearance, 17, 0},
    {"model friction\ncoord x = 0 rate -1\nkinetic x'^2/2\nforce x = 2 - 0.5*sign(x')\n", friction,
     1, 0},
    {"model friction\nstate x = 0, v = -1\nx' = v\nv' = 2 - 0.5*if(v >= 0, 1, -1)\n", friction, 1,
     0},
    {"model rectifier\nstate v = 0, u = 0\nv' = max(1 - u - v, 0)\nu' = 1\n", rectifier, 1, 0},
    {"model rectifier\nstate v = 0, u = 0\nalg i = 1\nv' = i\nu' = 1\n"
     "0 = if(1 - u - v > 0, i - (1 - u - v), i)\n",
     rectifier, 1, 0},
    {"model staircase\nstate x = 0, s = 0\nx' = (1 + floor(x))/3\ns' = 1/3\n", staircase, 5, 0},
    {"model sawtooth\nstate x = 0, z = 0.5\nx' = mod(z, 1)\nz' = -1\n", sawtooth, 7, 0},
    {"model rounded\nstate x = 0, s = 0\nx' = floor(0.7*t)\ns' = 1\n", rounded_steps, 5, 0},
    {"model thermostat\nstate T = 0, n = 0\ndiscrete on = 1\nT' = 2*on - 1\nn' = 0\n"
     "event off: when T > 1 { on = 0; n = n + 1 }\nevent warm: when T < 0 && on == 0 { on = 1 }\n",
     thermostat, -1, 7},
    {"model hysteresis\nstate T = 0, n = 0\ndiscrete on = 1\nT' = if(on == 1, 1, -1)\nn' = 0\n"
     "event off: T - 1 rising { on = 0; n = n + 1 }\nevent warm: T falling { on = 1 }\n",
     thermostat, 0, 7},
    {"model clocks\nstate x = 0, s = 0\nx' = mod(t, 1)\ns' = if(sin(pi*t) > 0, 1, -1)\n", clocks,
     -1, 0},
    {"model onset\ncoord x = 3\nkinetic x'^2/2\nforce x = if(x <= 3, 1, 2)\n", up_from_three, 0, 0},
    {"model onset\ncoord x = 3\nkinetic x'^2/2\nforce x = t*if(x <= 3, 1, 2)\n",
     slowly_up_from_three, 0, 0},
    {"model onset\ncoord x = 1000\nkinetic x'^2/2\nforce x = -if(x < 1000, 2, 1)\n",
     down_from_a_thousand, 0, 0},
    {"model onset\ncoord x = 3\nkinetic x'^2/2\nforce x = if(x < 3, 0, 2)\n", up_from_three, 0, 0},
    {"model onset\ncoord x = 3\nkinetic x'^2/2\nforce x = 2\n"
     "event left: x - 3 { x = x + 7 }\nevent back: x^2 - 9 falling stop\n",
     up_from_three, 0, 0},
};

/* ---- runs ---- */

static dae_status keep_row(void *self, const dae_row *row, dae_error *err)
{
  (void)err;
  memcpy(self, row->y, 2 * sizeof *row->y);
  return DAE_OK;
}

static void run_case(size_t k, const dae_method *method, const char *rtol)
{
  dae_error err;
  dae_model *model;
  dae_summary summary;
  char text[2048];
  double y[2] = {NAN, NAN}, want[2];
  void *opts = calloc(1, method->options_size);
  assert_int_equal(
      dae_model_parse("m.dae", cases[k].text, strlen(cases[k].text), NULL, NULL, &model, &err),
      DAE_OK);
  dae_sink sink = {.self = y, .row = keep_row};
  dae_run_plan plan = {.to = TO, .sinks = &sink, .sink_count = 1};
  dae_model_plan(model, &plan);
  method->defaults(opts);
  assert_int_equal(dae_options_set(method->options, opts, "rtol", rtol, &err), DAE_OK);
  assert_int_equal(dae_options_set(method->options, opts, "atol", rtol, &err), DAE_OK);
  plan.method = method;
  plan.options = opts;
  plan.to = TO;
  if (dae_method_check(method, &plan.problem, &plan.start, opts, NULL, &err) == DAE_OK) {
    if (dae_run(&plan, NULL, &summary, &err) < 0) {
      dae_error_text(&err, text, sizeof text);
      fail_msg("%s by %s, rtol %s: %s", cases[k].text, method->name, rtol, text);
    }
    cases[k].exact(want);
    for (int i = 0; i < 2; i++) {
      double error = fabs(y[i] - want[i]) / (1 + fabs(want[i])) / strtod(rtol, NULL);
      if (!(error <= ALLOWED))
        fail_msg("%s by %s, rtol %s: %.17g, not %.17g: %.3g tolerances", cases[k].text,
                 method->name, rtol, y[i], want[i], error);
    }
    if ((cases[k].switchings >= 0 && summary.switchings != cases[k].switchings) ||
        summary.events != cases[k].events)
      fail_msg("%s by %s, rtol %s: %ld switchings, %ld events", cases[k].text, method->name, rtol,
               summary.switchings, summary.events);
  }
  free(opts);
  dae_model_free(model);
}

static void test_motions_with_branches_are_exact(void **state)
{
  (void)state;
  static const char *const rtols[] = {"1e-3", "1e-6", "1e-10", "1e-4", "1e-8"};
  size_t tolerances = getenv("DAEDAL_LONG") ? 5 : 3;
  int methods = 0;
  for (int i = 0; dae_method_at(i); i++) {
    const dae_method *method = dae_method_at(i);
    if (method->fixed_step || method->iterates)
      continue;
    methods++;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
      for (size_t r = 0; r < tolerances; r++)
        run_case(k, method, rtols[r]);
  }
  assert_true(methods >= 12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_motions_with_branches_are_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
