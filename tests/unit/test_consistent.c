/* Consistent starts of all test problems: what is found out about each, what is moved, and that
 * the result meets every equation. */
#include "core/vec.h"
#include "problem/consistent.h"
#include "problems/problems.h"

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

#define MAX 128

typedef struct found {
  dae_status status;
  double y[MAX], dy[MAX];
  dae_diagnosis find;
  dae_error err;
} found;

static found consistent(const dae_problem *problem, const dae_start *start)
{
  found r = {.err = dae_error_none()};
  r.status = dae_consistent_start(problem, start, NULL, r.y, r.dy, &r.find, &r.err);
  return r;
}

/* ---- diagnosis ---- */

typedef struct expected {
  const char *name;
  int index, dof, constraints, rank;
} expected;

static const expected table[] = {
    {"pendulum", 3, 1, 1, 1},
    {"pendulum_bare", 3, 1, 1, 1},
    {"pendulum_eval", 3, 1, 1, 1},
    {"pendulum2", 3, 1, 1, 1},
    {"bead", 3, 1, 1, 1},
    {"spring", 3, 1, 1, 1},
    {"curvilinear", 3, 1, 1, 1},
    {"slider_crank", 3, 1, 4, 4},
    {"parallel_bars", 3, 1, 3, 2},
    {"rheonomic_length", 3, 1, 1, 1},
    {"car_axis", 3, 2, 2, 2},
    {"car_axis_bare", 3, 2, 2, 2},
    {"knife_edge", 2, 2, 1, 1},
    {"sleigh", 2, 2, 1, 1},
    {"cylinder_skate", 3, 2, 2, 2},
    {"motor", 3, 1, 1, 1},
    {"bouncing_ball", 0, 2, 0, 0},
    {"pendulum_wall", 3, 1, 1, 1},
    {"transistor_amplifier", 1, 5, 0, 0}, /* M is of rank 5 */
    {"akzo_nobel", 1, 5, 1, 1},
    {"hessenberg2", 2, 1, 1, 1},
    {"van_der_pol", 0, 2, 0, 0},
    {"two_circuits", 1, 2, 2, 2},
    {"structures", 3, 3, 1, 1},
    {"chain_mode", 3, 10, 10, 10},
    {"chain_horizontal", 3, 4, 4, 4},
    {"pendulum_light", 3, 1, 1, 1},
    {"track", 3, 1, 1, 1},
};

static void test_index_degrees_of_freedom_and_rank_of_every_problem(void **state)
{
  (void)state;
  test_problem p;
  int count = 0;
  for (int i = 0; test_problem_at(i, &p); i++, count++) {
    found r = consistent(&p.problem, &p.start);
    if (r.status)
      fail_msg("%s: %s", p.name, r.err.text);
    const expected *e = NULL;
    for (size_t j = 0; j < sizeof table / sizeof *table; j++)
      if (strcmp(table[j].name, p.name) == 0)
        e = &table[j];
    if (!e)
      fail_msg("%s is not in the table", p.name);
    const dae_diagnosis *d = &r.find;
    if (d->index != e->index || d->dof != e->dof || d->constraints != e->constraints ||
        d->rank != e->rank)
      fail_msg("%s: index %d, dof %d, %d constraints of rank %d", p.name, d->index, d->dof,
               d->constraints, d->rank);
    assert_int_equal(strstr(d->text, "depends") != NULL, d->rank < d->constraints);
    test_problem_free(&p);
  }
  assert_int_equal(count, (int)(sizeof table / sizeof *table));
}

static void test_the_dependent_set_is_named(void **state)
{
  (void)state;
  test_problem p = test_parallel_bars();
  found r = consistent(&p.problem, &p.start);
  assert_int_equal(r.status, DAE_OK);
  assert_string_equal(r.find.text, "constraint bar3 depends on bar1, bar2\n");
}

static void test_a_run_without_a_diagnosis_gives_the_same_start(void **state)
{
  (void)state;
  test_problem p = test_slider_crank();
  double y[14];
  found r = consistent(&p.problem, &p.start);
  assert_int_equal(dae_consistent_start(&p.problem, &p.start, NULL, y, NULL, NULL, NULL), DAE_OK);
  assert_memory_equal(y, r.y, sizeof y);
}

/* ---- what is moved ---- */

static bool is_guess(const dae_problem *problem, int i)
{
  char name[64];
  dae_variable_kind kind = dae_problem_variable(problem, i, name, sizeof name);
  return kind == DAE_VARIABLE_ALGEBRAIC || kind == DAE_VARIABLE_MULTIPLIER;
}

static void test_a_consistent_start_is_not_moved(void **state)
{
  (void)state;
  test_problem p;
  for (int i = 0; test_problem_at(i, &p); i++) {
    found r = consistent(&p.problem, &p.start);
    double size = 1 + dae__max_abs(p.size, p.start.y);
    for (int j = 0; p.consistent && j < p.size; j++)
      if (!is_guess(&p.problem, j) && !(fabs(r.y[j] - p.start.y[j]) <= 1e-12 * size))
        fail_msg("%s: entry %d moves from %.17g to %.17g", p.name, j, p.start.y[j], r.y[j]);
    test_problem_free(&p);
  }
}

static void test_the_start_that_is_given_is_not_written_to(void **state)
{
  (void)state;
  test_problem p = test_pendulum();
  const double y[5] = {1.1, 0.2, 0.3, 0.4, 5};
  double copy[5];
  memcpy(copy, y, sizeof copy);
  found r = consistent(&p.problem, &(dae_start){.y = y});
  assert_int_equal(r.status, DAE_OK);
  assert_memory_equal(y, copy, sizeof y);
  found again = consistent(&p.problem, &(dae_start){.y = r.y});
  for (int i = 0; i < 5; i++)
    assert_true(fabs(again.y[i] - r.y[i]) < 1e-14 * (1 + fabs(r.y[i])));
}

static void test_a_start_off_the_circle_goes_to_its_nearest_point(void **state)
{
  (void)state;
  /* unit mass: radially, and the velocity loses its normal part */
  test_problem p = test_pendulum();
  for (int trial = 0; trial < 12; trial++) {
    double angle = 0.5 * trial, r0 = 0.5 + 0.15 * trial, c = cos(angle), s = sin(angle);
    const double y[5] = {r0 * c, r0 * s, 2, 1, 0};
    found r = consistent(&p.problem, &(dae_start){.y = y});
    assert_int_equal(r.status, DAE_OK);
    assert_true(fabs(r.y[0] - c) < 1e-12 && fabs(r.y[1] - s) < 1e-12);
    double speed = -2 * s + c; /* along the tangent (-s, c) */
    assert_true(fabs(r.y[2] + speed * s) < 1e-11 && fabs(r.y[3] - speed * c) < 1e-11);
    /* 2 lambda = v^2 - 9.81 y */
    assert_true(fabs(2 * r.y[4] - speed * speed + 9.81 * s) < 1e-10);
  }
}

static void test_fixed_values_are_held(void **state)
{
  (void)state;
  test_problem p = test_pendulum();
  const double y[5] = {0.6, 0.1, 1, 2, 0};
  for (int held = 0; held < 2; held++) {
    bool fixed[5] = {held == 0, held == 1};
    found r = consistent(&p.problem, &(dae_start){.y = y, .fixed = fixed});
    assert_int_equal(r.status, DAE_OK);
    assert_true(r.y[held] == y[held]);
    assert_true(fabs(r.y[0] * r.y[0] + r.y[1] * r.y[1] - 1) < 1e-14);
    assert_true(fabs(r.y[0] * r.y[2] + r.y[1] * r.y[3]) < 1e-14);
  }
  bool speed[5] = {false, false, true};
  found r = consistent(&p.problem, &(dae_start){.y = y, .fixed = speed});
  assert_int_equal(r.status, DAE_OK);
  assert_true(r.y[2] == 1);
  assert_true(fabs(r.y[0] * r.y[2] + r.y[1] * r.y[3]) < 1e-14);
}

static void test_algebraic_variables_are_found_from_any_guess(void **state)
{
  (void)state;
  test_problem p = test_motor();
  for (int trial = 0; trial < 5; trial++) {
    double y[7];
    memcpy(y, p.start.y, sizeof y);
    y[5] = 2 * trial - 4;
    found r = consistent(&p.problem, &(dae_start){.y = y});
    assert_int_equal(r.status, DAE_OK);
    assert_true(fabs(r.y[5] - p.start.y[5]) < 1e-13);
  }
}

/* ---- the result meets the equations ---- */

/* the state at time t by an accurate integration */
static void integrate(dae_integrator *it, double t, double *y)
{
  dae_status status;
  dae_error err = dae_error_none();
  do
    status = dae_integrator_step(it, t, &err);
  while (status == DAE_OK);
  if (status != DAE_END)
    fail_msg("%s", err.text);
  assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
}

/* against the motion itself: with D(h) = (y(h) - y(0))/h, y'(0) = 2 D(h/2) - D(h) + O(h^2), where
 * no fast mode outruns h */
static void test_derivatives_are_those_of_the_motion(void **state)
{
  (void)state;
  test_problem p;
  for (int i = 0; test_problem_at(i, &p); i++) {
    bool stiff = strcmp(p.name, "transistor_amplifier") == 0 || strcmp(p.name, "van_der_pol") == 0;
    bool ggl = p.problem.mechanical || strcmp(p.name, "structures") == 0;
    double h = 1e-5, half[MAX], whole[MAX];
    found r = consistent(&p.problem, &p.start);
    dae_bdf_options opts = dae_bdf_defaults();
    dae_integrator *it;
    opts.rtol = opts.atol = 1e-10;
    assert_int_equal(
        (ggl ? dae_bdf_ggl_create : dae_bdf_create)(&p.problem, &p.start, &opts, NULL, &it, NULL),
        DAE_OK);
    integrate(it, p.start.t + h / 2, half);
    integrate(it, p.start.t + h, whole);
    double size = 1 + dae__max_abs(p.size, r.dy);
    for (int j = 0; j < p.size && !stiff; j++) {
      double rate = (4 * (half[j] - r.y[j]) - (whole[j] - r.y[j])) / h;
      if (!is_guess(&p.problem, j) && !(fabs(rate - r.dy[j]) < 1e-4 * size))
        fail_msg("%s: rate of entry %d is %g, but it moves by %g", p.name, j, r.dy[j], rate);
    }
    dae_integrator_free(it);
    test_problem_free(&p);
  }
}

static void test_coupled_starts_keep_the_order_of_their_parts(void **state)
{
  (void)state;
  test_problem p = test_two_circuits();
  double y[4] = {p.start.y[0], 7, p.start.y[2], -7}; /* z are guesses */
  found r = consistent(&p.problem, &(dae_start){.y = y});
  assert_int_equal(r.status, DAE_OK);
  for (int i = 0; i < 4; i++)
    assert_true(fabs(r.y[i] - p.start.y[i]) < 1e-13);
  assert_true(fabs(r.dy[0] + p.start.y[2]) < 1e-13); /* y1' = -y2, y2' = y1 */
  assert_true(fabs(r.dy[2] - p.start.y[0]) < 1e-13);
}

/* Of both levels, of given starts that the constructors need not look at again. */
static void test_a_start_that_meets_its_constraints_is_known_to(void **state)
{
  (void)state;
  test_problem pendulum = test_pendulum(), knife = test_knife_edge(), ode = test_van_der_pol();
  const double off[] = {1 + 1e-12, 0, 0, 0}, fast[] = {1, 0, 1e-12, 0},
               aside[] = {0, 0, 0, 0, 1e-12, 1.3};
  assert_true(dae__start_is_met(&pendulum.problem, &pendulum.start, NULL));
  assert_true(dae__start_is_met(&knife.problem, &knife.start, NULL));
  assert_false(dae__start_is_met(&ode.problem, &ode.start, NULL)); /* mechanical problems only */
  pendulum.start.y = off;
  knife.start.y = aside;
  assert_false(dae__start_is_met(&pendulum.problem, &pendulum.start, NULL));
  assert_false(dae__start_is_met(&knife.problem, &knife.start, NULL));
  pendulum.start.y = fast;
  assert_false(dae__start_is_met(&pendulum.problem, &pendulum.start, NULL));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_index_degrees_of_freedom_and_rank_of_every_problem),
      cmocka_unit_test(test_the_dependent_set_is_named),
      cmocka_unit_test(test_a_run_without_a_diagnosis_gives_the_same_start),
      cmocka_unit_test(test_a_consistent_start_is_not_moved),
      cmocka_unit_test(test_the_start_that_is_given_is_not_written_to),
      cmocka_unit_test(test_a_start_off_the_circle_goes_to_its_nearest_point),
      cmocka_unit_test(test_fixed_values_are_held),
      cmocka_unit_test(test_algebraic_variables_are_found_from_any_guess),
      cmocka_unit_test(test_derivatives_are_those_of_the_motion),
      cmocka_unit_test(test_coupled_starts_keep_the_order_of_their_parts),
      cmocka_unit_test(test_a_start_that_meets_its_constraints_is_known_to),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
