/* The example of [WHM11]: two structures and a bolt, with the signs of the equations corrected. An
 * iteration that finds the bolt's force from y contracts by 4/11, from x it grows by 11/4, and with
 * the weight (S1 + S2)^-1 it converges superlinearly. Fixed steps, ten to a window; sweeps to 1e-8
 * in the changes of all that is exchanged. */
#include "wave_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define M 10 /* steps of a window */

static const int y_then_x[2] = {1, 0};

static void open_model(wave_case *c, double window)
{
  wave_open(c, coupled_model_find("structures_joint")->path, NULL);
  c->opts.window = window;
  c->opts.begin = DAE_WAVE_BEGIN_CONSTANT;
  c->opts.splitting = DAE_WAVE_SPLIT_SECOND;
  c->opts.update = DAE_WAVE_PLAIN;
  c->opts.order = y_then_x;
  c->opts.depth = 5;
  wave_children(c, "trapezoid", window / M);
}

/* ---- contraction ---- */

/* rate of a window's late sweeps, which are not tested for convergence */
static double late_rate(wave_case *c, int sweeps)
{
  c->opts.sweeps = sweeps;
  wave_run r = wave_go(c, c->opts.window);
  assert_int_equal(r.status, DAE_END);
  return r.late_rate;
}

static void test_force_from_y_contracts_by_4_11(void **state)
{
  (void)state;
  static const double window[] = {0.1, 0.01};
  for (int i = 0; i < 2; i++) {
    wave_case c;
    open_model(&c, window[i]);
    double rate = late_rate(&c, 14);
    print_message("window %g: %.5f\n", window[i], rate);
    assert_true(fabs(rate - 4.0 / 11) < 0.01 * 4 / 11);
    wave_close(&c);
  }
}

/* finite windows make a difference of the order of their square */
static void test_force_from_x_grows_by_11_4(void **state)
{
  (void)state;
  static const double window[] = {1, 0.5, 0.1, 0.01, 0.001};
  for (int i = 0; i < 5; i++) {
    wave_case c;
    open_model(&c, window[i]);
    c.opts.splitting = DAE_WAVE_SPLIT_FIRST;
    c.opts.order = NULL;
    double rate = late_rate(&c, 12);
    print_message("window %g: %.6f\n", window[i], rate);
    assert_true(fabs(rate / 2.75 - 1) < 0.08 * window[i] * window[i] + 1e-3);
    wave_run stopped = (c.opts.sweeps = 0, wave_go(&c, window[i]));
    assert_int_equal(stopped.status, DAE_ERROR_COUPLING);
    wave_close(&c);
  }
}

/* by |1 - 15 omega/11| */
static void test_relaxed_iterations_contract_as_predicted(void **state)
{
  (void)state;
  static const double omega[] = {0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.5};
  for (int i = 0; i < 7; i++) {
    wave_case c;
    double known = fabs(1 - 15 * omega[i] / 11);
    open_model(&c, 0.1);
    c.opts.update = DAE_WAVE_RELAX;
    c.opts.omega = omega[i];
    double rate = late_rate(&c, omega[i] == 0.6 || omega[i] == 0.8 ? 6 : 12);
    print_message("omega %g: %.5f, predicted %.5f\n", omega[i], rate, known);
    assert_true(fabs(rate - known) < 0.01);
    wave_close(&c);
  }
}

/* ---- sweeps ---- */

typedef struct row {
  const char *name;
  dae_wave_splitting splitting;
  dae_wave_update update;
  double parameter; /* theta or omega */
  int sweeps[3];    /* largest in a window of 1, 0.5, 0.1; 0: it diverges, */
  double growth[3]; /* by so much */
} row;

static const double windows[3] = {1, 0.5, 0.1};

/* clang-format off */
static const row rows[] = {
    {"y", DAE_WAVE_SPLIT_SECOND, DAE_WAVE_PLAIN, 0, {23, 21, 19}, {0}},
    {"y by its weight", DAE_WAVE_SPLIT_WEIGHTED, DAE_WAVE_PLAIN, 1, {23, 21, 19}, {0}},
    {"x by its weight", DAE_WAVE_SPLIT_WEIGHTED, DAE_WAVE_PLAIN, 0, {0}, {2.81, 2.77, 2.75}},
    {"theta = 1/2", DAE_WAVE_SPLIT_WEIGHTED, DAE_WAVE_PLAIN, 0.5, {0}, {1.59, 1.57, 1.56}},
    {"theta = 121/105", DAE_WAVE_SPLIT_WEIGHTED, DAE_WAVE_PLAIN, 121.0 / 105, {6, 5, 4}, {0}},
    {"y, omega = 11/15", DAE_WAVE_SPLIT_SECOND, DAE_WAVE_RELAX, 11.0 / 15, {6, 5, 4}, {0}},
    {"x, omega = 4/15", DAE_WAVE_SPLIT_FIRST, DAE_WAVE_RELAX, 4.0 / 15, {6, 5, 4}, {0}},
    {"y, omega found", DAE_WAVE_SPLIT_SECOND, DAE_WAVE_RELAX, 0, {6, 5, 4}, {0}},
    {"optimal", DAE_WAVE_SPLIT_OPTIMAL, DAE_WAVE_PLAIN, 0, {6, 5, 4}, {0}},
    {"optimal, default update", DAE_WAVE_SPLIT_OPTIMAL, DAE_WAVE_AUTO, 0, {6, 5, 4}, {0}},
    {"y, aitken", DAE_WAVE_SPLIT_SECOND, DAE_WAVE_AITKEN, 0, {7, 6, 5}, {0}},
    {"y, anderson", DAE_WAVE_SPLIT_SECOND, DAE_WAVE_ANDERSON, 0, {6, 5, 4}, {0}},
    {"x, aitken", DAE_WAVE_SPLIT_FIRST, DAE_WAVE_AITKEN, 0, {8, 7, 5}, {0}},
    {"x, anderson", DAE_WAVE_SPLIT_FIRST, DAE_WAVE_ANDERSON, 0, {6, 6, 5}, {0}},
};
/* clang-format on */

static void open_row(wave_case *c, const row *r, int i)
{
  open_model(c, windows[i]);
  c->opts.splitting = r->splitting;
  c->opts.update = r->update;
  c->opts.theta = r->update == DAE_WAVE_PLAIN ? r->parameter : 0.5;
  c->opts.omega = r->update == DAE_WAVE_RELAX ? r->parameter : 0;
  c->opts.order = r->splitting == DAE_WAVE_SPLIT_SECOND ? y_then_x : NULL;
}

static void check_growth(const row *r, int i)
{
  wave_case c;
  open_row(&c, r, i);
  wave_run stopped = wave_go(&c, 3);
  assert_int_equal(stopped.status, DAE_ERROR_COUPLING);
  double rate = late_rate(&c, 12);
  print_message("%s, window %g: diverges by %.3f\n", r->name, windows[i], rate);
  if (!(fabs(rate - r->growth[i]) < 0.01 * r->growth[i]))
    fail_msg("%s, window %g: grows by %g, tabulated is %g", r->name, windows[i], rate,
             r->growth[i]);
  wave_close(&c);
}

static void check_sweeps(const row *r, int i)
{
  wave_case c;
  open_row(&c, r, i);
  wave_run got = wave_go(&c, 3);
  if (got.status != DAE_END)
    fail_msg("%s: %s", r->name, got.err.text);
  print_message("%s, window %g: %d sweeps\n", r->name, windows[i], got.seen.most_sweeps);
  if (abs(got.seen.most_sweeps - r->sweeps[i]) > 2)
    fail_msg("%s, window %g: %d sweeps, tabulated are %d", r->name, windows[i],
             got.seen.most_sweeps, r->sweeps[i]);
  wave_close(&c);
}

static void test_sweeps_are_as_tabulated(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    for (int i = 0; i < 3; i++)
      (rows[k].sweeps[i] > 0 ? check_sweeps : check_growth)(&rows[k], i);
}

static void test_optimal_weight_takes_6_sweeps_at_window_1(void **state)
{
  (void)state;
  wave_case c;
  open_model(&c, 1);
  c.opts.splitting = DAE_WAVE_SPLIT_OPTIMAL;
  wave_run r = wave_go(&c, 3);
  assert_int_equal(r.status, DAE_END);
  assert_true(r.seen.most_sweeps <= 6);
  wave_close(&c);
}

/* ---- errors ---- */

enum { X, Y, LAMBDA, CLASSES };
static const int columns[CLASSES][2] = {{0, 2}, {2, 4}, {8, 9}};

/* Errors at t = 2, 3, 10: the largest in each class of variables. */
typedef struct errors {
  double at[3][CLASSES];
  double violation; /* x2 - 2 y1 at t = 10 */
} errors;

static errors errors_of(wave_case *c)
{
  const coupled_model *known = coupled_model_find("structures_joint");
  dae_integrator *it = wave_create(c);
  errors e = {.violation = 0};
  double y[WAVE_SIZE];
  for (int k = 0; k < known->times; k++) {
    dae_status status = DAE_OK;
    while (status == DAE_OK)
      status = dae_integrator_step(it, known->time[k], NULL);
    assert_int_equal(status, DAE_END);
    wave_state(it, y, NULL);
    for (int i = 0; i < CLASSES; i++)
      e.at[k][i] =
          wave_apart(c, y, known, known->value + k * known->columns, columns[i][0], columns[i][1]);
    e.violation = y[wave_entry(c, "x.x2")] - 2 * y[wave_entry(c, "y.y1")];
  }
  dae_integrator_free(it);
  return e;
}

typedef struct pair {
  const char *x, *y;
  int order;
  double window; /* the longest of three */
  bool project;
} pair;

static const pair pairs[] = {
    {"trapezoid", "trapezoid", 2, 0.4, true},
    {"trapezoid", "trapezoid", 2, 0.4, false},
    {"heun", "heun", 2, 0.4, true},
    {"heun", "heun", 2, 0.4, false},
    {"euler", "trapezoid", 1, 0.2, true},
    {"euler", "trapezoid", 1, 0.2, false},
    {"rk4", "rk4", 4, 1, true},
};

static errors errors_of_pair(const pair *p, double window)
{
  wave_case c;
  open_model(&c, window);
  c.opts.splitting = DAE_WAVE_SPLIT_OPTIMAL;
  c.opts.project = p->project;
  wave_child(&c, 0, p->x, window / M);
  wave_child(&c, 1, p->y, window / M);
  errors e = errors_of(&c);
  wave_close(&c);
  return e;
}

static void check_order(const pair *p)
{
  errors last = errors_of_pair(p, p->window);
  for (double window = p->window / 2; window > p->window / 5; window /= 2) {
    errors e = errors_of_pair(p, window);
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < CLASSES; i++) {
        double order = log2(last.at[k][i] / e.at[k][i]);
        if (!(fabs(order - p->order) < 0.15))
          fail_msg("%s and %s, window %g: order %g", p->x, p->y, window, order);
      }
    print_message("%s and %s, window %g: x %.3e, order %.3f\n", p->x, p->y, window, e.at[2][X],
                  log2(last.at[2][X] / e.at[2][X]));
    last = e;
  }
}

static void test_orders_are_those_of_the_lower_child(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    check_order(&pairs[i]);
}

/* ---- values ---- */

static bool near(double a, double b)
{
  return fabs(a - b) < 0.02 * fabs(b);
}

typedef struct tabulated {
  const char *x, *y;
  double window;
  int steps;
  double x_error, lambda_error, violation; /* at t = 10, NaN: not tabulated */
} tabulated;

static const tabulated table[] = {
    {"trapezoid", "trapezoid", 1, 10, 15.04, 10.43, NAN},
    {"trapezoid", "trapezoid", 0.5, 10, 3.753, 2.601, NAN},
    {"trapezoid", "trapezoid", 0.25, 10, 0.9377, 0.6499, NAN},
    {"trapezoid", "trapezoid", 0.1, 10, 0.15, 0.104, NAN},
    {"euler", "trapezoid", 0.1, 10, 118.7, NAN, -31.7},
    {"euler", "trapezoid", 0.05, 10, 59.9, NAN, -16},
    {"heun", "heun", 1, 20, NAN, NAN, -1.99},
    {"heun", "heun", 0.5, 20, NAN, NAN, -0.51},
    {"heun", "heun", 0.25, 20, NAN, NAN, -0.13},
};

/* with the constraint at the level of accelerations alone */
static void test_errors_are_as_tabulated(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const tabulated *t = &table[i];
    wave_case c;
    open_model(&c, t->window);
    c.opts.project = false;
    wave_child(&c, 0, t->x, t->window / t->steps);
    wave_child(&c, 1, t->y, t->window / t->steps);
    errors e = errors_of(&c);
    print_message("%s and %s, window %g: x %.4g, lambda %.4g, x2 - 2 y1 = %.3g\n", t->x, t->y,
                  t->window, e.at[2][X], e.at[2][LAMBDA], e.violation);
    assert_true(isnan(t->x_error) || near(e.at[2][X], t->x_error));
    assert_true(isnan(t->lambda_error) || near(e.at[2][LAMBDA], t->lambda_error));
    /* equal methods integrate the same data by the same quadrature */
    assert_true(isnan(t->violation) ? fabs(e.violation) < 1e-6 : near(e.violation, t->violation));
    wave_close(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_force_from_y_contracts_by_4_11),
      cmocka_unit_test(test_force_from_x_grows_by_11_4),
      cmocka_unit_test(test_relaxed_iterations_contract_as_predicted),
      cmocka_unit_test(test_sweeps_are_as_tabulated),
      cmocka_unit_test(test_optimal_weight_takes_6_sweeps_at_window_1),
      cmocka_unit_test(test_orders_are_those_of_the_lower_child),
      cmocka_unit_test(test_errors_are_as_tabulated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
