/* Classes of problems that methods used to refuse, each by several methods against a reference that
 * shares nothing with them: a closed form, another form of the problem, or an integration here. */
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

/* ---- runs ---- */

enum { COLUMNS_MAX = 32 };

/* The last row of a run by the names of its columns. */
typedef struct last_row {
  int columns;
  char name[COLUMNS_MAX][32];
  double value[COLUMNS_MAX];
} last_row;

static dae_status last_row_open(void *self, int columns, const char *const *names, dae_error *err)
{
  last_row *r = self;
  (void)err;
  assert_true(columns <= COLUMNS_MAX);
  r->columns = columns;
  for (int i = 0; i < columns; i++)
    snprintf(r->name[i], sizeof r->name[i], "%s", names[i]);
  return DAE_OK;
}

static dae_status last_row_keep(void *self, const dae_row *row, dae_error *err)
{
  last_row *r = self;
  (void)err;
  memcpy(r->value, row->values, (size_t)r->columns * sizeof *r->value);
  return DAE_OK;
}

static double value_of(const last_row *r, const char *name)
{
  for (int i = 0; i < r->columns; i++)
    if (strcmp(r->name[i], name) == 0)
      return r->value[i];
  fail_msg("there is no column %s", name);
  return NAN;
}

/* Runs a model to its end; method NULL: that of auto. */
static last_row run_model(const char *text, const char *name, double rtol, double step)
{
  dae_model *model;
  dae_error err;
  char number[40];
  last_row r = {0};
  if (dae_model_parse("text.dae", text, strlen(text), NULL, NULL, &model, &err) < 0)
    fail_msg("%s", err.text);
  const dae_method *method =
      name ? dae_method_find(name, &err) : dae_model_choose(model, NULL, 0, &err);
  assert_non_null(method);
  void *options = calloc(1, method->options_size);
  method->defaults(options);
  snprintf(number, sizeof number, "%.17g", rtol);
  assert_int_equal(dae_options_set(method->options, options, "rtol", number, &err), DAE_OK);
  if (method->fixed_step) {
    snprintf(number, sizeof number, "%.17g", step);
    assert_int_equal(dae_options_set(method->options, options, "step", number, &err), DAE_OK);
  }
  dae_run_plan plan = {.every = 0};
  dae_model_plan(model, &plan);
  dae_sink sink = {.self = &r, .open = last_row_open, .row = last_row_keep};
  plan.sinks = &sink;
  plan.sink_count = 1;
  plan.method = method;
  plan.options = options;
  if (dae_run(&plan, NULL, NULL, &err) < 0)
    fail_msg("%s: %s: %s", dae_model_name(model), method->name, err.text);
  free(options);
  dae_model_free(model);
  return r;
}

static void assert_value(const last_row *r, const char *method, const char *name, double expected,
                         double tolerance)
{
  double value = value_of(r, name), error = fabs(value - expected);
  if (!(error <= tolerance * (1 + fabs(expected))))
    fail_msg("%s: %s = %.12g, expected %.12g: %.3g tolerances", method ? method : "auto", name,
             value, expected, error / tolerance / (1 + fabs(expected)));
}

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* dae_method_check and dae_run refuse a model in the same words. */
static void assert_refused(const char *text, const char *name)
{
  dae_model *model;
  dae_error check, run;
  assert_int_equal(dae_model_parse("text.dae", text, strlen(text), NULL, NULL, &model, &check), 0);
  dae_run_plan plan = {.every = 0};
  dae_model_plan(model, &plan);
  plan.method = dae_method_find(name, NULL);
  void *options = calloc(1, plan.method->options_size);
  plan.method->defaults(options);
  if (plan.method->fixed_step)
    assert_int_equal(dae_options_set(plan.method->options, options, "step", "1e-3", NULL), DAE_OK);
  plan.options = options;
  assert_true(dae_method_check(plan.method, &plan.problem, &plan.start, options, NULL, &check) < 0);
  assert_true(dae_run(&plan, NULL, NULL, &run) < 0);
  assert_string_equal(check.text, run.text);
  free(options);
  dae_model_free(model);
}

/* ---- rows of index 1 and 2 that share variables ---- */

/* tan(angle) = w tan(w t) with w^2 = 1.3; the constraint holds s, which the last row determines. */
static const char circle[] = "model circle\n"
                             "state x = 1, y = 0\n"
                             "alg p = 0, s = 0.5\n"
                             "x' = -y + p*x\n"
                             "y' = 1.3*x + p*y\n"
                             "0 = (s^3 + s)^2 + y^2 - 1\n"
                             "0 = s^3 + s - x\n"
                             "simulate to 2\n";

static void test_mixed_index_has_its_closed_form(void **state)
{
  static const char *const methods[] = {"bdf", "radau", "lie", "radau-iia", NULL};
  (void)state;
  double w = sqrt(1.3), x = cos(2 * w), y = w * sin(2 * w), size = hypot(x, y), s = 0;
  x /= size, y /= size;
  for (int i = 0; i < 60; i++)
    s -= (s * s * s + s - x) / (3 * s * s + 1);
  for (int k = 0; k < COUNT(methods); k++)
    for (double rtol = 1e-4; rtol > 1e-9; rtol /= 100) {
      last_row r = run_model(circle, methods[k], rtol, 2e-3);
      double most = 30 * (methods[k] && strcmp(methods[k], "radau-iia") == 0 ? 1e-6 : rtol);
      assert_value(&r, methods[k], "x", x, most);
      assert_value(&r, methods[k], "y", y, most);
      assert_value(&r, methods[k], "s", s, most);
      assert_value(&r, methods[k], "p", -0.3 * x * y, most);
    }
}

/* A wheel on a profile: x1 = c + 0.2 sin c and x2 = c^2 with the contact parameter c, of index 1;
 * the constraint is on velocity level, of index 2, and holds c too. */
static const char wheel[] = "model wheel\n"
                            "param k = 4, g = 1\n"
                            "state x1 = 0.4 + 0.2*sin(0.4), v1 = 0, x2 = 0.16, v2 = 0\n"
                            "alg c = 0.4, l = 0\n"
                            "let slope = 2*c/(1 + 0.2*cos(c))\n"
                            "x1' = v1\n"
                            "v1' = -k*x1 + l*slope\n"
                            "x2' = v2\n"
                            "v2' = -g - l\n"
                            "0 = v2 - slope*v1\n"
                            "0 = c + 0.2*sin(c) - x1\n"
                            "simulate to 3\n";
static const char profile[] = "model profile\n"
                              "param k = 4, g = 1\n"
                              "coord c = 0.4\n"
                              "let x1 = c + 0.2*sin(c), x2 = c^2\n"
                              "kinetic (x1'^2 + x2'^2)/2\n"
                              "potential k*x1^2/2 + g*x2\n"
                              "output X1 = x1, X2 = x2, V1 = x1', V2 = x2'\n"
                              "simulate to 3\n";

static void test_mixed_index_moves_as_its_generalised_coordinate(void **state)
{
  static const char *const methods[] = {"bdf", "radau", "lie", NULL};
  (void)state;
  last_row exact = run_model(profile, "explicit", 1e-12, 0);
  for (int k = 0; k < COUNT(methods); k++)
    for (double rtol = 1e-4; rtol > 1e-9; rtol /= 100) {
      last_row r = run_model(wheel, methods[k], rtol, 0);
      assert_value(&r, methods[k], "x1", value_of(&exact, "X1"), 30 * rtol);
      assert_value(&r, methods[k], "x2", value_of(&exact, "X2"), 30 * rtol);
      assert_value(&r, methods[k], "v1", value_of(&exact, "V1"), 30 * rtol);
      assert_value(&r, methods[k], "c", value_of(&exact, "c"), 30 * rtol);
      /* l by its equation: v1' = -k x1 + l slope, x1 from c */
      double c = value_of(&exact, "c"), rate = value_of(&exact, "der(c)");
      double a = 1 + 0.2 * cos(c), b = 2 * c, force = -4 * (c + 0.2 * sin(c)) * a - b;
      double second = (force + rate * rate * (0.2 * sin(c) * a - 2 * b)) / (a * a + b * b);
      double v2_rate = b * second + 2 * rate * rate;
      assert_value(&r, methods[k], "l", -1 - v2_rate, 30 * rtol);
    }
}

/* ---- an event changes the index ---- */

/* The equation is that of the flow in one state, of the yield surface in the other; with a product
 * in place of `if` the form of the equation does not change either. */
static const char *const yielding[] = {"if(plastic > 0, (Q1^2 + Q2^2)/Q0^2 - 1, lambda)",
                                       "plastic*((Q1^2 + Q2^2)/Q0^2 - 1) + (1 - plastic)*lambda"};

static void yielding_text(int form, char *text, size_t size)
{
  snprintf(text, size,
           "model yielding\n"
           "param k = 2, Q0 = 1, q0 = 1, bend = 0.4\n"
           "let q1 = q0*sin(t), q2 = bend*q0*sin(2*t)\n"
           "state Q1 = 0, Q2 = 0\n"
           "alg lambda = 0\n"
           "discrete plastic = 0\n"
           "Q1' = k*q1' - k*lambda/Q0*Q1\n"
           "Q2' = k*q2' - k*lambda/Q0*Q2\n"
           "0 = %s\n"
           "event yields: if(plastic > 0, -1, (Q1^2 + Q2^2)/Q0^2 - 1) rising { plastic = 1 }\n"
           "event unloads: if(plastic > 0, lambda, 1) falling { plastic = 0 }\n"
           "simulate to 10\n",
           yielding[form]);
}

/* Stress on the circle by its angle, k (q1', q2') = rates; returns the rate of the angle. */
static double yielding_angle_rate(double t, double angle, double *flow)
{
  double a = cos(t), b = 0.8 * cos(2 * t);
  *flow = cos(angle) * a + sin(angle) * b;
  return 2 * (cos(angle) * b - sin(angle) * a);
}

static double yielding_rk4(double t, double angle, double h)
{
  double flow, k1 = yielding_angle_rate(t, angle, &flow);
  double k2 = yielding_angle_rate(t + h / 2, angle + h / 2 * k1, &flow);
  double k3 = yielding_angle_rate(t + h / 2, angle + h / 2 * k2, &flow);
  double k4 = yielding_angle_rate(t + h, angle + h * k3, &flow);
  return angle + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

/* Q at t = 10: plastic by the angle on the circle, elastic in closed form between. */
static void yielding_reference(double *Q)
{
  double t = 0, h = 1e-3, from[2] = {0, 0}, strain[2] = {0, 0}, angle = 0, flow;
  bool plastic = false;
  while (t < 10) {
    double step = fmin(h, 10 - t), low = 0, high = step;
    for (int i = 0; i < 60; i++) { /* bisection of the step in which the kind changes */
      double d = i == 0 ? step : (low + high) / 2, at = t + d;
      double q[] = {sin(at), 0.4 * sin(2 * at)};
      double x = from[0] + 2 * (q[0] - strain[0]), y = from[1] + 2 * (q[1] - strain[1]);
      if (plastic)
        (void)yielding_angle_rate(at, yielding_rk4(t, angle, d), &flow);
      bool before = plastic ? flow >= 0 : x * x + y * y <= 1;
      if (i == 0 && before) {
        low = high = step;
        break;
      }
      *(before ? &low : &high) = d;
    }
    bool changes = low < step;
    if (plastic)
      angle = yielding_rk4(t, angle, high);
    t += high;
    if (changes || t >= 10) {
      double q[] = {sin(t), 0.4 * sin(2 * t)};
      for (int i = 0; i < 2; i++)
        from[i] = plastic ? (i ? sin(angle) : cos(angle)) : from[i] + 2 * (q[i] - strain[i]);
      strain[0] = q[0], strain[1] = q[1];
      angle = atan2(from[1], from[0]);
      plastic = changes ? !plastic : plastic;
    }
  }
  Q[0] = from[0], Q[1] = from[1];
}

static void test_event_that_changes_the_index(void **state)
{
  static const char *const methods[] = {"bdf", "radau", "lie", "radau-iia", NULL};
  static const char *const refused[] = {"rosenbrock", "euler", "heun", "rk4", "trapezoid"};
  (void)state;
  double Q[2];
  char text[2048];
  yielding_reference(Q);
  for (int form = 0; form < 2; form++) {
    yielding_text(form, text, sizeof text);
    for (int k = 0; k < COUNT(methods); k++) {
      last_row r = run_model(text, methods[k], 1e-7, 1e-3);
      assert_value(&r, methods[k], "Q1", Q[0], 30e-7);
      assert_value(&r, methods[k], "Q2", Q[1], 30e-7);
    }
    dae_model *model;
    dae_error err;
    assert_int_equal(dae_model_parse("text.dae", text, strlen(text), NULL, NULL, &model, &err), 0);
    dae_start start = dae_model_start(model);
    for (int k = 0; k < COUNT(refused); k++)
      assert_true(dae_method_check(dae_method_find(refused[k], NULL), dae_model_problem(model),
                                   &start, NULL, NULL, &err) < 0);
    dae_model_free(model);
  }
}

/* The same inside a system that others feed: cos(t), cos(2 t) = a^2 - b^2. */
static const char yielding_system[] =
    "model yielding_system\n"
    "system drive {\n state a = 1, b = 0\n a' = -b\n b' = a\n}\n"
    "system flow {\n"
    " state Q1 = 0, Q2 = 0\n"
    " alg lambda = 0\n"
    " discrete plastic = 0\n"
    " Q1' = 2*drive.a - 2*lambda*Q1\n"
    " Q2' = 1.6*(drive.a^2 - drive.b^2) - 2*lambda*Q2\n"
    " 0 = if(plastic > 0, Q1^2 + Q2^2 - 1, lambda)\n"
    " event yields: if(plastic > 0, -1, Q1^2 + Q2^2 - 1) rising { plastic = 1 }\n"
    " event unloads: if(plastic > 0, lambda, 1) falling { plastic = 0 }\n"
    "}\n"
    "simulate to 10\n";

static void test_event_that_changes_the_index_in_a_system(void **state)
{
  static const char *const methods[] = {"bdf", "radau", "lie", "gauss-seidel", NULL};
  static const char *const refused[] = {"rosenbrock", "euler", "heun", "rk4", "trapezoid"};
  (void)state;
  double Q[2];
  yielding_reference(Q);
  for (int k = 0; k < COUNT(methods); k++) {
    last_row r = run_model(yielding_system, methods[k], 1e-7, 1e-3);
    assert_value(&r, methods[k], "flow.Q1", Q[0], 30e-7);
    assert_value(&r, methods[k], "flow.Q2", Q[1], 30e-7);
  }
  for (int k = 0; k < COUNT(refused); k++)
    assert_refused(yielding_system, refused[k]);
}

/* ---- index that values decide ---- */

/* Both rows contain y + z alone: x2 = cos t, y = sin t, x1 = 1 + sin t - cos t, z = x1 - y. */
static const char dependent_rows[] = "model dependent_rows\n"
                                     "state x1 = 0, x2 = 1\n"
                                     "alg y = 0, z = 0\n"
                                     "x1' = x2 + y\n"
                                     "x2' = -x1 + z\n"
                                     "0 = y + z - x1\n"
                                     "0 = 2*y + 2*z - 2*x1 + x2 - cos(t)\n"
                                     "simulate to 2\n";
/* Where y = 0, the derivative of its row by y vanishes at this point alone. */
static const char singular_point[] = "model singular_point\n"
                                     "state x1 = 1, x2 = 0\n"
                                     "alg y = 0, z = 1\n"
                                     "x1' = x2 + y\n"
                                     "x2' = -x1 + z\n"
                                     "0 = x1^2 + x2^2 - 1 + y^3\n"
                                     "0 = z - x1\n"
                                     "simulate to 1\n";

static void test_index_that_only_values_reveal(void **state)
{
  static const char *const methods[] = {"bdf", "radau", "lie", NULL};
  static const char *const all[] = {"bdf", "radau", "lie", "rosenbrock", "radau-iia", "heun"};
  (void)state;
  for (int k = 0; k < COUNT(methods); k++)
    for (double rtol = 1e-4; rtol > 1e-9; rtol /= 100) {
      last_row r = run_model(dependent_rows, methods[k], rtol, 0);
      assert_value(&r, methods[k], "x1", 1 + sin(2) - cos(2), 30 * rtol);
      assert_value(&r, methods[k], "x2", cos(2), 30 * rtol);
      assert_value(&r, methods[k], "y", sin(2), 30 * rtol);
      assert_value(&r, methods[k], "z", 1 - cos(2), 30 * rtol);
    }
  assert_refused(dependent_rows, "rosenbrock");
  for (int k = 0; k < COUNT(all); k++)
    assert_refused(singular_point, all[k]);
}

/* At the start any lambda satisfies the equations: lie alone accepts it. x1 = log(1 + t), x2 =
 * lambda = t/(1 + t). */
static void test_auto_takes_a_method_that_accepts_the_start(void **state)
{
  static const char text[] =
      "model undetermined\n"
      "state x1 = 0, x2 = 0\n"
      "alg lambda = 0\n"
      "x1' = t*x2^2 + t*lambda + (1 + t - t^2 - 2*t^3)/(1 + t)^2\n"
      "x2' = t*exp(x1) + t*lambda + (1 - t - 4*t^2 - 4*t^3 - t^4)/(1 + t)^2\n"
      "0 = x1 + t*x2 - log(1 + t) - t^2/(1 + t)\n"
      "simulate to 1\n";
  (void)state;
  for (double rtol = 1e-4; rtol > 1e-9; rtol /= 100) {
    last_row r = run_model(text, NULL, rtol, 0);
    assert_value(&r, NULL, "x1", log(2), 30 * rtol);
    assert_value(&r, NULL, "x2", 0.5, 30 * rtol);
    assert_value(&r, NULL, "lambda", 0.5, 30 * rtol);
  }
}

/* ---- coordinates without mass ---- */

typedef struct massless_case {
  const char *text;    /* with massless coordinates */
  const char *without; /* the same motion without them */
  const char *names[3], *of[3];
} massless_case;

static const massless_case massless[] = {
    {"model angle\n"
     "coord x = 1, y = 0, th = pi/2\n"
     "kinetic (x'^2 + y'^2)/2\n"
     "potential 9.81*y\n"
     "constraint x = sin(th)\n"
     "constraint y = -cos(th)\n"
     "simulate to 3\n",
     "model angle\n"
     "coord th = pi/2\n"
     "kinetic th'^2/2\n"
     "potential -9.81*cos(th)\n"
     "simulate to 3\n",
     {"th", "der(th)", NULL},
     {"th", "der(th)", NULL}},
    /* a rod whose massless tip is driven along a rail */
    {"model tip\n"
     "coord x = 0.6, y = -0.8, px = 0 rate 0.6, py = 0\n"
     "kinetic (x'^2 + y'^2)\n"
     "potential 2*9.81*y\n"
     "constraint (x - px)^2 + (y - py)^2 = 1\n"
     "constraint px = 0.3*sin(2*t)\n"
     "constraint py = 0\n"
     "simulate to 2\n",
     "model tip\n"
     "coord x = 0.6, y = -0.8\n"
     "kinetic (x'^2 + y'^2)\n"
     "potential 2*9.81*y\n"
     "constraint (x - 0.3*sin(2*t))^2 + y^2 = 1\n"
     "simulate to 2\n",
     {"x", "y", "der(x)"},
     {"x", "y", "der(x)"}},
    /* a massless wheel rolls, and a massless pulley adds two lengths */
    {"model wheel\n"
     "coord x = 0 rate 1, y = 1, turn = 0, length = 1\n"
     "kinetic x'^2 + y'^2/2\n"
     "potential 3*x^2 + 9.81*length + 2*y^2\n"
     "force turn = -0.2*turn'\n"
     "constraint length = y + 0.5*x\n"
     "constraint x' = 0.5*turn'\n"
     "simulate to 2\n",
     "model wheel\n"
     "coord x = 0 rate 1, y = 1\n"
     "kinetic x'^2 + y'^2/2\n"
     "potential 3*x^2 + 9.81*(y + 0.5*x) + 2*y^2\n"
     "force x = -0.8*x'\n"
     "simulate to 2\n",
     {"x", "y", "der(y)"},
     {"x", "y", "der(y)"}},
};

static void test_coordinates_without_mass(void **state)
{
  static const char *const methods[] = {"lie",     "spark-lobatto", "spark-gauss", "radau",
                                        "bdf-ggl", "explicit",      NULL};
  (void)state;
  for (int c = 0; c < COUNT(massless); c++) {
    last_row exact = run_model(massless[c].without, "explicit", 1e-12, 0);
    for (int k = 0; k < COUNT(methods); k++)
      for (double rtol = 1e-4; rtol > 1e-8; rtol /= 1000) {
        last_row r = run_model(massless[c].text, methods[k], rtol, 0);
        for (int i = 0; i < 3 && massless[c].names[i]; i++)
          assert_value(&r, methods[k], massless[c].names[i], value_of(&exact, massless[c].of[i]),
                       30 * rtol);
      }
  }
}

/* No degree of freedom is left: the constraints alone determine the motion. */
static void test_motion_without_degrees_of_freedom(void **state)
{
  static const char text[] = "model driven\n"
                             "let a = 3*t + 0.3*sin(2*t)\n"
                             "coord x1 = 1, y1 = 0 rate 3.6, x2 = 3, b = 0\n"
                             "kinetic (x1'^2 + y1'^2 + x2'^2)/2\n"
                             "constraint x1 = cos(a)\n"
                             "constraint y1 = sin(a)\n"
                             "constraint x2 - x1 = 2*cos(b)\n"
                             "constraint y1 = 2*sin(b)\n"
                             "simulate to 2\n";
  static const char *const methods[] = {"lie", "spark-lobatto", "radau", "bdf-ggl", NULL};
  (void)state;
  double a = 6 + 0.3 * sin(4), rate = 3 + 0.6 * cos(4), b = asin(sin(a) / 2);
  double b_rate = cos(a) * rate / (2 * cos(b));
  for (int k = 0; k < COUNT(methods); k++) {
    last_row r = run_model(text, methods[k], 1e-6, 0);
    assert_value(&r, methods[k], "x2", cos(a) + 2 * cos(b), 30e-6);
    assert_value(&r, methods[k], "der(x2)", -sin(a) * rate - 2 * sin(b) * b_rate, 30e-6);
    assert_value(&r, methods[k], "b", b, 30e-6);
  }
}

/* ---- joints that depend on others ---- */

typedef struct joint_case {
  const char *text, *redundant; /* model, and a joint that follows from it */
  const char *names[4];
} joint_case;

static const joint_case joints[] = {
    {"model pendula\n"
     "system a {\n coord x = 0 rate 0.5, y = -1\n kinetic (x'^2 + y'^2)/2\n potential 9.81*y\n"
     " constraint x^2 + y^2 = 1\n}\n"
     "system b {\n coord x = 1 rate 0.5, y = -1\n kinetic x'^2 + y'^2\n potential 15*y\n}\n"
     "joint j1: b.x - a.x = 1\n"
     "joint j2: b.y = a.y\n"
     "simulate to 1\n",
     "joint j3: b.x + b.y - a.x - a.y = 1\n",
     {"a.x", "a.y", "b.x", "der(b.x)"}},
    {"model rail\n"
     "system a {\n coord x = 0, y = 0\n kinetic (x'^2 + y'^2)/2\n potential 5*x^2\n"
     " constraint y = 0\n}\n"
     "system b {\n coord x = 1, y = 0\n kinetic x'^2 + y'^2\n force x = 1\n constraint y = 0\n}\n"
     "joint rod: b.x - a.x = 1\n"
     "simulate to 1\n",
     "joint level: b.y = a.y\n",
     {"a.x", "b.x", "der(a.x)", "der(b.x)"}},
    {"model loop\n"
     "system a {\n coord x = 0\n kinetic x'^2/2\n potential 5*x^2\n}\n"
     "system b {\n coord x = 1\n kinetic x'^2\n force x = 1\n}\n"
     "system c {\n coord x = 2\n kinetic x'^2/3\n force x = -0.5*x'\n}\n"
     "joint j1: b.x - a.x = 1\n"
     "joint j2: c.x - b.x = 1\n"
     "simulate to 1\n",
     "joint j3: c.x - a.x = 2\n",
     {"a.x", "b.x", "c.x", "der(c.x)"}},
};

static void test_joints_that_depend_on_others(void **state)
{
  static const char *const methods[] = {"gauss-seidel", "jacobi", "joint", "radau", NULL};
  (void)state;
  for (int c = 0; c < COUNT(joints); c++) {
    char text[2048];
    const char *end = strstr(joints[c].text, "simulate");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(end - joints[c].text), joints[c].text,
             joints[c].redundant, end);
    last_row exact = run_model(joints[c].text, "explicit", 1e-11, 0);
    last_row all = run_model(text, "explicit", 1e-11, 0);
    for (int k = 0; k < COUNT(methods); k++) {
      last_row r = run_model(text, methods[k], 1e-6, 0);
      for (int i = 0; i < 4; i++)
        assert_value(&r, methods[k], joints[c].names[i], value_of(&exact, joints[c].names[i]),
                     30e-6);
      for (int i = 0; i < r.columns; i++) /* multipliers of minimum norm, as of one system */
        if (strncmp(r.name[i], "lambda", 6) == 0)
          assert_value(&r, methods[k], r.name[i], value_of(&all, r.name[i]), 30e-6);
    }
  }
}

/* One joint of three constraints, of which the last is the sum of the others. */
static int pair_g(void *user, double t, const double *z, double *g)
{
  (void)user, (void)t; /* z: a.x, a.y, b.x, b.y */
  g[0] = z[2] - z[0] - 1;
  g[1] = z[3] - z[1];
  g[2] = g[0] + g[1];
  return 0;
}

static int pair_G(void *user, double t, const double *z, double *G)
{
  static const double values[] = {-1, 0, -1, 0, -1, -1, 1, 0, 1, 0, 1, 1};
  (void)user, (void)t, (void)z;
  memcpy(G, values, sizeof values);
  return 0;
}

enum { PAIR_ENTRIES = 9 }; /* entries of both parts in the state vector */

/* State at t = 1 of the first model of joints[], without its joints and with one of three rows, or
 * (name NULL) with its own by explicit steps; y NULL: the method refuses it. */
static void pair_state(const char *name, double rtol, double *y)
{
  static const dae_port ports[] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  static const dae_joint pair = {
      .name = "pair", .ng = 3, .nz = 4, .z = ports, .g = pair_g, .G = pair_G, .time_free = true};
  char text[1024], number[32];
  const char *own = strstr(joints[0].text, "joint");
  snprintf(text, sizeof text, "%.*s", (int)(own - joints[0].text), joints[0].text);
  const char *from = name ? text : joints[0].text;
  dae_error err;
  dae_model *model;
  dae_integrator *it;
  assert_int_equal(dae_model_parse("t.dae", from, strlen(from), NULL, NULL, &model, &err), 0);
  dae_problem problem = *dae_model_problem(model);
  dae_coupled coupled = *problem.coupled;
  if (name)
    coupled.joints = 1, coupled.joint = &pair, coupled.offset = NULL;
  problem.coupled = &coupled;
  double start_y[PAIR_ENTRIES + 3] = {0}, end[PAIR_ENTRIES + 3];
  dae_start start = dae_model_start(model);
  memcpy(start_y, start.y, PAIR_ENTRIES * sizeof *start_y);
  start = (dae_start){.t = 0, .y = start_y};
  const dae_method *method = dae_method_find(name ? name : "explicit", NULL);
  void *options = calloc(1, method->options_size);
  method->defaults(options);
  snprintf(number, sizeof number, "%.17g", rtol);
  assert_int_equal(dae_options_set(method->options, options, "rtol", number, &err), DAE_OK);
  dae_error why;
  dae_status checked = dae_method_check(method, &problem, &start, options, NULL, &why);
  dae_status status = method->create(&problem, &start, options, NULL, &it, &err);
  assert_int_equal(checked, status);
  if (!y) { /* refused, in the same words */
    assert_int_equal(status, DAE_ERROR_UNSUPPORTED);
    assert_string_equal(why.text, err.text);
    assert_non_null(strstr(err.text, "1 of the 3 constraints of joint pair depend on others"));
    free(options);
    dae_model_free(model);
    return;
  }
  while (status == DAE_OK)
    status = dae_integrator_step(it, 1, &err);
  if (status < 0)
    fail_msg("%s: %s", method->name, err.text);
  assert_int_equal(dae_integrator_interpolate(it, 1, end, NULL, &err), DAE_OK);
  memcpy(y, end, PAIR_ENTRIES * sizeof *y);
  dae_integrator_free(it);
  free(options);
  dae_model_free(model);
}

static void test_joint_of_which_some_rows_depend(void **state)
{
  static const char *const methods[] = {"radau", "bdf-ggl", "explicit", "spark-gauss"};
  (void)state;
  double exact[PAIR_ENTRIES], y[PAIR_ENTRIES];
  pair_state(NULL, 1e-11, exact);
  for (int k = 0; k < COUNT(methods); k++)
    for (double rtol = 1e-4; rtol > 1e-7; rtol /= 100) {
      pair_state(methods[k], rtol, y);
      for (int i = 0; i < PAIR_ENTRIES; i++)
        if (!(fabs(y[i] - exact[i]) <= 30 * rtol * (1 + fabs(exact[i]))))
          fail_msg("%s, %g: entry %d is %.10g, not %.10g", methods[k], rtol, i, y[i], exact[i]);
    }
  pair_state("gauss-seidel", 1e-6, NULL);
  pair_state("joint", 1e-6, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mixed_index_has_its_closed_form),
      cmocka_unit_test(test_mixed_index_moves_as_its_generalised_coordinate),
      cmocka_unit_test(test_event_that_changes_the_index),
      cmocka_unit_test(test_event_that_changes_the_index_in_a_system),
      cmocka_unit_test(test_index_that_only_values_reveal),
      cmocka_unit_test(test_auto_takes_a_method_that_accepts_the_start),
      cmocka_unit_test(test_coordinates_without_mass),
      cmocka_unit_test(test_motion_without_degrees_of_freedom),
      cmocka_unit_test(test_joints_that_depend_on_others),
      cmocka_unit_test(test_joint_of_which_some_rows_depend),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
