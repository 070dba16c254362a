/* Two systems, solved with meshes that do not match, h and 2h/3, exchange what they read off each
 * other's by interpolation: the order of the whole is the lower one of the solvers' and that of the
 * interpolation. The systems are an oscillator cut in two, and hunters and their prey. */
#include "wave_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define WINDOW 1.0
#define TO 2.0

static const char oscillator[] = "model oscillator\n"
                                 "system one { state x = 1\n x' = two.v }\n"
                                 "system two { state v = 0\n v' = -one.x }\n";

static const char hunters[] = "model hunters\n"
                              "system prey { state u = 1\n u' = u*(1 - hunter.v) }\n"
                              "system hunter { state v = 0.5\n v' = v*(prey.u - 1) }\n";

typedef struct row {
  const char *solver;
  dae_interpolation interpolation;
  int order;
} row;

static const row rows[] = {
    {"rk4", DAE_INTERPOLATION_HOLD, 1},      {"rk4", DAE_INTERPOLATION_LINEAR, 2},
    {"rk4", DAE_INTERPOLATION_QUADRATIC, 3}, {"rk4", DAE_INTERPOLATION_HERMITE, 4},
    {"heun", DAE_INTERPOLATION_HOLD, 1},     {"heun", DAE_INTERPOLATION_LINEAR, 2},
    {"heun", DAE_INTERPOLATION_HERMITE, 2},  {"euler", DAE_INTERPOLATION_HERMITE, 1},
};

/* the state at the end, with `steps` steps of the first system in a window */
static void end_of(const char *model, const row *r, int steps, double *y)
{
  wave_case c;
  wave_parse(&c, model);
  c.opts.update = DAE_WAVE_PLAIN;
  c.opts.atol = 1e-11;
  c.opts.window = WINDOW;
  c.opts.interpolation = r->interpolation;
  wave_child(&c, 0, r->solver, WINDOW / steps);
  wave_child(&c, 1, r->solver, WINDOW / steps * 2 / 3);
  wave_run end = wave_go(&c, TO);
  if (end.status != DAE_END)
    fail_msg("%s: %s", r->solver, end.err.text);
  y[0] = end.y[0];
  y[1] = end.y[1];
  wave_close(&c);
}

static double distance(const double *a, const double *b)
{
  return fmax(fabs(a[0] - b[0]), fabs(a[1] - b[1]));
}

static void check(const char *model, const char *name, const double *exact)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double error[3], y[2];
    for (int k = 0; k < 3; k++) {
      end_of(model, &rows[i], 10 << k, y);
      error[k] = distance(y, exact);
    }
    double order = log2(error[1] / error[2]);
    print_message("%s, %s, interpolation %d: %.1e %.1e %.1e, order %.2f\n", name, rows[i].solver,
                  (int)rows[i].interpolation, error[0], error[1], error[2], order);
    if (!(fabs(order - rows[i].order) < 0.1))
      fail_msg("%s, %s: order %g instead of %d", name, rows[i].solver, order, rows[i].order);
  }
}

static void test_oscillator_has_the_lower_order(void **state)
{
  (void)state;
  const double exact[2] = {cos(TO), -sin(TO)};
  check(oscillator, "oscillator", exact);
}

static void test_hunters_have_the_lower_order(void **state)
{
  (void)state;
  static const row sharp = {"rk4", DAE_INTERPOLATION_HERMITE, 4};
  double exact[2];
  end_of(hunters, &sharp, 400, exact);
  check(hunters, "hunters", exact);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_oscillator_has_the_lower_order),
      cmocka_unit_test(test_hunters_have_the_lower_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
