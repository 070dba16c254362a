/* Energy: constant where the problem is conservative, to the tolerance asked for; where it is
 * driven or loses some at events, the account's balance closes although the energy changes. */
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* energies of the rows of a run */
typedef struct course {
  const dae_mechanical *problem;
  double start, last, largest_T, deviation;
  long rows;
} course;

static double energy_of(const dae_mechanical *m, double t, const double *y, double *T)
{
  dae_mechanical_at at = {
      .t = t, .q = y, .v = y + m->nq, .u = y + 2 * m->nq, .w = y + 2 * m->nq + m->nu};
  double V;
  assert_int_equal(m->energy(m->user, &at, T, &V), 0);
  return *T + V;
}

static void course_row(void *user, double t, const double *y)
{
  course *c = user;
  double T;
  c->last = energy_of(c->problem, t, y, &T);
  if (c->rows++ == 0)
    c->start = c->last;
  c->largest_T = fmax(c->largest_T, T);
  if (!(fabs(c->last - c->start) <= c->deviation)) /* negated: a NaN counts */
    c->deviation = fabs(c->last - c->start);
}

static course run(const test_problem *p, double tolerance, dae_summary *summary)
{
  dae_bdf_options opts = support_options(tolerance);
  course c = {.problem = p->problem.mechanical};
  assert_int_equal(support_run(p, &opts, 0, course_row, &c, NULL, summary), DAE_OK);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-18s %.0e: largest T %.1e, deviation %.1e, change %.1e, balance %.1e\n",
                  p->name, tolerance, c.largest_T, c.deviation, summary->energy_change,
                  summary->energy_balance);
  /* the account against the rows */
  assert_true(summary->energy_has_potential);
  assert_true(fabs(summary->energy_start - c.start) <= 1e-12 * (1 + fabs(c.start)));
  assert_true(fabs(summary->energy_change - (c.last - c.start)) <= 1e-12 * (1 + c.largest_T));
  return c;
}

static void check_conservative(const test_problem *p)
{
  dae_summary summary;
  course loose = run(p, 1e-4, &summary), tight = run(p, 1e-8, &summary);
  if (!(tight.deviation <= 1e3 * 1e-8 * tight.largest_T))
    fail_msg("%s: energy wanders by %.2e", p->name, tight.deviation);
  if (!(tight.deviation <= loose.deviation / 100))
    fail_msg("%s: energy wanders by %.2e at 1e-4 and %.2e at 1e-8", p->name, loose.deviation,
             tight.deviation);
  /* nothing supplies power */
  assert_true(fabs(summary.energy_balance - summary.energy_change) < 1e-9 * (1 + tight.largest_T));
}

static void test_conservative_motions_keep_their_energy(void **state)
{
  (void)state;
  test_problem p;
  int checked = 0;
  for (int i = 0; test_problem_at(i, &p); i++) {
    if (p.conservative && p.problem.mechanical && p.problem.mechanical->energy) {
      check_conservative(&p);
      checked++;
    }
    test_problem_free(&p);
  }
  assert_true(checked >= 12);
}

/* the energy changes by what the reference says, and the balance closes */
static void check_driven(test_problem p, double least_change)
{
  static const double tolerance[] = {1e-4, 1e-6, 1e-8};
  const dae_mechanical *m = p.problem.mechanical;
  double T0, T1, change = energy_of(m, p.to, p.reference, &T1);
  double at_start[64] = {0};
  memcpy(at_start, p.start.y, (size_t)p.size * sizeof *at_start);
  change -= energy_of(m, p.start.t, at_start, &T0);
  assert_true(fabs(change) > least_change);
  double balance[3];
  for (int i = 0; i < 3; i++) {
    dae_summary summary;
    course c = run(&p, tolerance[i], &summary);
    double bound = 1000 * tolerance[i] * (fabs(change) + c.largest_T);
    assert_true(fabs(summary.energy_change - change) <= bound);
    assert_true(fabs(summary.energy_balance) <= bound);
    balance[i] = fabs(summary.energy_balance);
  }
  assert_true(balance[2] <= balance[0] / 100);
}

static void test_balance_closes_where_forces_drive(void **state)
{
  (void)state;
  check_driven(test_motor(), 1);
}

static void test_balance_closes_where_constraints_and_potentials_move(void **state)
{
  (void)state;
  check_driven(test_car_axis(), 1e-4);
}

static void test_balance_closes_where_events_take_energy(void **state)
{
  (void)state;
  check_driven(test_bouncing_ball(), 5);
}

/* without an energy of its own: kinetic energy, and the work of all forces */
static void test_work_of_forces_gives_the_kinetic_energy(void **state)
{
  (void)state;
  test_problem problems[] = {test_pendulum_bare(), test_rheonomic_length(), test_structures()};
  const double change[] = {9.81 * 0.961419205099125064, -0.75, 0};
  for (int i = 0; i < 3; i++) {
    dae_bdf_options opts = support_options(1e-7);
    dae_summary summary;
    assert_int_equal(support_run(&problems[i], &opts, 0, NULL, NULL, NULL, &summary), DAE_OK);
    assert_false(summary.energy_has_potential);
    if (change[i] != 0)
      assert_true(fabs(summary.energy_change - change[i]) < 1e-4);
    assert_true(fabs(summary.energy_change) > 0.5);
    assert_true(fabs(summary.energy_balance) < 1e-5 * (1 + fabs(summary.energy_change)));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_conservative_motions_keep_their_energy),
      cmocka_unit_test(test_balance_closes_where_forces_drive),
      cmocka_unit_test(test_balance_closes_where_constraints_and_potentials_move),
      cmocka_unit_test(test_balance_closes_where_events_take_energy),
      cmocka_unit_test(test_work_of_forces_gives_the_kinetic_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
