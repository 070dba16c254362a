/* The Lie-group method on mechanical problems at fixed step: order 2 and 4 of states and of
 * multipliers. In the stabilised form all constraints hold to round-off at the end of every step;
 * in the weak form those of velocities do, and positions are off by as much as the order says. */
#include "support.h"

#include <daedal/lie.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define BAND 0.1
#define MOST 32
#define ROUND_OFF 1e-12 /* of the references too */

typedef struct account {
  double x, y;               /* errors at the end */
  double position, velocity; /* largest drift at the ends of steps */
} account;

static account run(const test_problem *p, const dae_lie_options *opts)
{
  const dae_mechanical *m = p->problem.mechanical;
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  double z[MOST] = {0};
  account a = {0};
  dae_status status = dae_lie_create(&p->problem, &p->start, opts, NULL, &it, &err);
  while (status == DAE_OK) {
    double position, velocity;
    status = dae_integrator_step(it, p->to, &err);
    if (status < 0)
      break;
    support_state(it, z, NULL);
    support_drift(m, dae_integrator_view(it).t, z, &position, &velocity);
    a.position = fmax(a.position, position);
    a.velocity = fmax(a.velocity, velocity);
  }
  if (status != DAE_END)
    fail_msg("%s: %s", p->name, err.text);
  int states = 2 * m->nq + m->nu;
  a.x = support_error_of(p, z, 0, states);
  a.y = support_error_of(p, z, states, p->size);
  dae_integrator_free(it);
  return a;
}

static void assert_order(const test_problem *p, const dae_lie_options *opts, const char *what,
                         double coarse, double fine)
{
  double found = log2(coarse / fine);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-17s %s, order %d: %.3f of %s (%.1e, %.1e)\n", p->name,
                  opts->form == DAE_LIE_WEAK ? "weak" : "ggl", opts->order, found, what, coarse,
                  fine);
  if (!(fabs(found - opts->order) <= BAND) || fine < ROUND_OFF)
    fail_msg("%s, form %d, order %d: %.3f of %s, errors %.2e, %.2e", p->name, opts->form,
             opts->order, found, what, coarse, fine);
}

static void check(const test_problem *p, dae_lie_form form, int order, int n)
{
  dae_lie_options opts = dae_lie_defaults();
  account of[2];
  opts.form = form;
  opts.order = order;
  for (int i = 0; i < 2; i++) {
    opts.step = (p->to - p->start.t) / (n << i);
    of[i] = run(p, &opts);
    assert_true(of[i].velocity < 1e-12);
    if (form == DAE_LIE_GGL)
      assert_true(of[i].position < 1e-12);
  }
  assert_order(p, &opts, "states", of[0].x, of[1].x);
  assert_order(p, &opts, "multipliers", of[0].y, of[1].y);
  if (form == DAE_LIE_WEAK && p->problem.mechanical->ng > 0)
    assert_order(p, &opts, "drift", of[0].position, of[1].position);
}

/* steps of the coarser run, for the orders 2 and 4 */
static void check_all(test_problem p, int n2, int n4)
{
  for (int form = DAE_LIE_GGL; form <= DAE_LIE_WEAK; form++) {
    check(&p, (dae_lie_form)form, 2, n2);
    check(&p, (dae_lie_form)form, 4, n4);
  }
}

static void test_order_on_a_circle(void **state)
{
  (void)state;
  check_all(test_pendulum(), 800, 400);
  check_all(test_pendulum2(), 200, 100);
}

static void test_order_with_a_mass_matrix_that_moves_and_with_momenta(void **state)
{
  (void)state;
  check_all(test_bead(), 200, 100);
  check_all(test_curvilinear(), 200, 100);
}

static void test_order_with_nonholonomic_constraints(void **state)
{
  (void)state;
  check_all(test_knife_edge(), 200, 100);
  check_all(test_cylinder_skate(), 200, 100);
}

static void test_order_with_rheonomic_constraints(void **state)
{
  (void)state;
  check_all(test_rheonomic_length(), 100, 50);
  check_all(test_car_axis(), 1600, 400);
}

static void test_order_in_closed_loops_and_with_redundant_constraints(void **state)
{
  (void)state;
  check_all(test_slider_crank(), 400, 200);
  check_all(test_parallel_bars(), 200, 100);
}

static void test_order_with_further_states_and_algebraic_variables(void **state)
{
  (void)state;
  check_all(test_motor(), 200, 100);
}

/* every derivative differenced */
static void test_differenced_derivatives_give_the_same_motion(void **state)
{
  (void)state;
  support_variant memory;
  test_problem full[] = {test_cylinder_skate(), test_motor()}, bare;
  for (int i = 0; i < 2; i++) {
    double z[2][MOST];
    dae_lie_options opts = dae_lie_defaults();
    opts.step = full[i].to / 200;
    assert_true(support_bare(&full[i], &memory, &bare));
    assert_int_equal(support_run_with("lie", &full[i], &opts, 0, NULL, NULL, z[0], NULL), DAE_OK);
    assert_int_equal(support_run_with("lie", &bare, &opts, 0, NULL, NULL, z[1], NULL), DAE_OK);
    for (int k = 0; k < bare.size; k++)
      assert_true(fabs(z[0][k] - z[1][k]) < 1e-6);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_on_a_circle),
      cmocka_unit_test(test_order_with_a_mass_matrix_that_moves_and_with_momenta),
      cmocka_unit_test(test_order_with_nonholonomic_constraints),
      cmocka_unit_test(test_order_with_rheonomic_constraints),
      cmocka_unit_test(test_order_in_closed_loops_and_with_redundant_constraints),
      cmocka_unit_test(test_order_with_further_states_and_algebraic_variables),
      cmocka_unit_test(test_differenced_derivatives_give_the_same_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
