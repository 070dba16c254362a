/* Rosenbrock methods of order 4 and 5 with steps of one size, on a problem whose inputs vary in
 * time: the order shows in x and y at the ends of steps, and between them, where dense output is of
 * one order less but its error does not add up. */
#include "problems/rk_made.h"
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define LOW 0.4
#define HIGH 1.5 /* errors of large steps fall faster at first */
#define SIZES 3  /* n, 2 n, 4 n steps: with 8 n the difference by time shows */

/* largest errors of x and y at the ends of steps, and between them */
typedef struct errors {
  double end[2], between[2];
} errors;

/* all errors are within such tolerances, so that the largest step is taken */
static dae_integrator *create(const test_problem *p, int order, double h)
{
  dae_rk_options opts = dae_rk_adaptive_defaults();
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  opts.rtol = 1;
  opts.atol = 1e3;
  opts.order = order;
  opts.first_step = opts.max_step = h;
  if (dae_rosenbrock_create(&p->problem, &p->start, &opts, NULL, &it, &err))
    fail_msg("%s", err.text);
  return it;
}

static void compare(dae_integrator *it, double t, double worst[2])
{
  double y[2], exact[2] = {2 + cos(t), sin(t)};
  assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
  for (int i = 0; i < 2; i++)
    worst[i] = fmax(worst[i], fabs(y[i] - exact[i]));
}

static errors run(const test_problem *p, int order, int steps)
{
  dae_integrator *it = create(p, order, p->to / steps);
  errors e = {0};
  dae_status status = DAE_OK;
  while (status == DAE_OK) {
    status = dae_integrator_step(it, p->to, NULL);
    assert_true(status >= 0);
    dae_view view = dae_integrator_view(it);
    compare(it, view.t, e.end);
    for (double x = 0.25; x < 1; x += 0.25)
      compare(it, view.t_previous + x * (view.t - view.t_previous), e.between);
  }
  assert_true(dae_integrator_stats(it).steps <= steps + 1);
  dae_integrator_free(it);
  return e;
}

static void observe(int order, const char *what, const double *fine, const double *coarse)
{
  for (int i = 0; i < 2; i++) {
    double slope = log2(coarse[i] / fine[i]);
    if (getenv("DAEDAL_VERBOSE"))
      print_message("order %d, %s, %s: %.2f (%.1e)\n", order, what, i ? "y" : "x", slope, fine[i]);
    if (!(slope > order - LOW && slope < order + HIGH))
      fail_msg("order %d, %s of %s: %g is observed", order, what, i ? "y" : "x", slope);
  }
}

/* differences would be what errors below 1e-10 come from */
static int jacobian(void *user, const dae_semi_explicit_at *at, double *J)
{
  (void)user;
  J[0] = -2 * at->x[0];
  J[1] = -1;
  J[2] = 1;
  J[3] = 3 * at->y[0] * at->y[0] + 1;
  return 0;
}

static void test_ends_and_what_lies_between_are_of_the_order(void **state)
{
  (void)state;
  test_problem p = rk_made_index1();
  dae_semi_explicit with_derivatives = *p.problem.semi_explicit;
  with_derivatives.J = jacobian;
  p.problem.semi_explicit = &with_derivatives;
  for (int order = 4; order <= 5; order++) {
    errors before = {0};
    for (int k = 0, steps = 20; k < SIZES; k++, steps *= 2) {
      errors now = run(&p, order, steps);
      if (k > 0) {
        observe(order, "ends", now.end, before.end);
        observe(order, "between", now.between, before.between);
      }
      before = now;
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ends_and_what_lies_between_are_of_the_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
