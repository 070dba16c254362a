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

/* ---- a potential that depends on an input: a mass, and a spring whose far end is elsewhere ----
 */

#define MASS 2.
#define STIFFNESS 30.

static int mass(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = MASS;
  return 0;
}

static int pull(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user;
  f[0] = -STIFFNESS * (at->q[0] - at->in[0]);
  return 0;
}

static int spring_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  double d = at->q[0] - at->in[0];
  (void)user;
  *T = MASS * at->v[0] * at->v[0] / 2;
  *V = STIFFNESS * d * d / 2;
  return 0;
}

static int spring_rate(void *user, const dae_mechanical_at *at, const double *in_rate,
                       double *T_rate, double *V_rate)
{
  (void)user;
  assert_non_null(in_rate);
  *T_rate = 0;
  *V_rate = STIFFNESS * (at->q[0] - at->in[0]) * (at->v[0] - in_rate[0]);
  return 0;
}

/* the same mass, whose spring is the other's */
static int free_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  (void)user;
  *T = MASS * at->v[0] * at->v[0] / 2;
  *V = 0;
  return 0;
}

static int free_rate(void *user, const dae_mechanical_at *at, const double *in_rate, double *T_rate,
                     double *V_rate)
{
  (void)user, (void)at, (void)in_rate;
  *T_rate = *V_rate = 0;
  return 0;
}

static dae_mechanical pulled(bool owns_spring, bool exact)
{
  dae_mechanical m = {.nq = 1, .nin = 1, .M = mass, .f = pull, .constant_mass = true};
  m.energy = owns_spring ? spring_energy : free_energy;
  if (exact)
    m.energy_rate = owns_spring ? spring_rate : free_rate;
  return m;
}

static dae_summary balance_of(const dae_problem *problem, const double *start)
{
  dae_bdf_options opts = support_options(1e-9);
  dae_run_plan plan = {.problem = *problem,
                       .start = {.y = start},
                       .method = dae_method_find("bdf", NULL),
                       .options = &opts,
                       .to = 2};
  dae_summary summary;
  assert_int_equal(dae_run(&plan, NULL, &summary, NULL), DAE_OK);
  assert_true(summary.energy_has_potential);
  return summary;
}

static void test_a_spring_between_parts_keeps_their_energy(void **state)
{
  (void)state;
  const double start[] = {0, 1, 0.5, 0}; /* q and v of both */
  const double energy = MASS / 2 + STIFFNESS * 0.25 / 2;
  for (int exact = 0; exact < 2; exact++) {
    dae_mechanical a = pulled(true, exact), b = pulled(false, exact);
    const dae_part part[] = {{.name = "a", .mechanical = &a}, {.name = "b", .mechanical = &b}};
    const dae_wire wire[] = {{0, 0, {1, 0}}, {1, 0, {0, 0}}};
    const dae_coupled coupled = {.parts = 2, .wires = 2, .part = part, .wire = wire};
    dae_problem problem = dae_problem_coupled(&coupled);
    dae_summary s = balance_of(&problem, start);
    assert_true(fabs(s.energy_start - energy) < 1e-14);
    assert_true(fabs(s.energy_change) < 1e-5 * energy);
    assert_true(fabs(s.energy_balance - s.energy_change) < 1e-9 * energy); /* no power */
  }
}

/* the far end is moved by x' = cos(3t), 0 = x - y, or is a given function of time */
static int drive_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = cos(3 * at->t);
  return 0;
}

static int drive_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->x[0] - at->y[0];
  return 0;
}

static int drive_input(void *user, double t, double *in)
{
  (void)user;
  in[0] = sin(3 * t) / 3;
  return 0;
}

static void test_balance_closes_where_the_far_end_of_a_spring_is_moved(void **state)
{
  (void)state;
  dae_summary s[2][2];
  for (int exact = 0; exact < 2; exact++) {
    dae_mechanical a = pulled(true, exact);
    dae_semi_explicit drive = {.nx = 1, .ny = 1, .index = 1, .f = drive_f, .F = drive_F};
    const dae_part part[] = {{.name = "drive", .semi_explicit = &drive},
                             {.name = "a", .mechanical = &a}};
    const dae_wire wire = {1, 0, {0, 0}};
    const dae_coupled coupled = {.parts = 2, .wires = 1, .part = part, .wire = &wire};
    dae_problem by_state = dae_problem_coupled(&coupled);
    dae_problem by_time = {.mechanical = &a, .input = drive_input};
    s[exact][0] = balance_of(&by_state, (const double[]){0, 0, 0, 1});
    s[exact][1] = balance_of(&by_time, (const double[]){0, 1});
  }
  for (int exact = 0; exact < 2; exact++)
    for (int i = 0; i < 2; i++) {
      assert_true(fabs(s[exact][i].energy_change) > 0.1);
      assert_true(fabs(s[exact][i].energy_change - s[0][0].energy_change) < 1e-5);
      assert_true(fabs(s[exact][i].energy_balance) < 1e-5);
    }
}

/* the rate of an algebraic variable and of a velocity is not known, and nor is the balance */
static void test_no_balance_where_the_rate_of_an_input_is_not_known(void **state)
{
  (void)state;
  dae_mechanical a = pulled(true, true), b = pulled(false, true);
  dae_semi_explicit drive = {.nx = 1, .ny = 1, .index = 1, .f = drive_f, .F = drive_F};
  const dae_part part[] = {{.name = "drive", .semi_explicit = &drive},
                           {.name = "a", .mechanical = &a},
                           {.name = "b", .mechanical = &b}};
  const dae_port far_end[] = {{0, 1}, {2, 1}};
  for (int i = 0; i < 2; i++) {
    const dae_wire wire[] = {{1, 0, far_end[i]}, {2, 0, {1, 0}}};
    const dae_coupled coupled = {.parts = 3, .wires = 2, .part = part, .wire = wire};
    dae_problem problem = dae_problem_coupled(&coupled);
    dae_summary s = balance_of(&problem, (const double[]){0, 0, 0, 1, 0, 0});
    assert_true(isfinite(s.energy_start) && isfinite(s.energy_change));
    assert_true(isnan(s.energy_balance));
  }
  /* an energy that does not depend on the input has one */
  dae_mechanical c = pulled(false, true);
  const dae_part free[] = {{.name = "drive", .semi_explicit = &drive},
                           {.name = "c", .mechanical = &c}};
  const dae_wire wire = {1, 0, {0, 1}};
  const dae_coupled coupled = {.parts = 2, .wires = 1, .part = free, .wire = &wire};
  dae_problem problem = dae_problem_coupled(&coupled);
  dae_summary s = balance_of(&problem, (const double[]){0, 0, 0, 1});
  assert_true(fabs(s.energy_change) > 0.01 && fabs(s.energy_balance) < 1e-5);
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
      cmocka_unit_test(test_a_spring_between_parts_keeps_their_energy),
      cmocka_unit_test(test_balance_closes_where_the_far_end_of_a_spring_is_moved),
      cmocka_unit_test(test_no_balance_where_the_rate_of_an_input_is_not_known),
      cmocka_unit_test(test_work_of_forces_gives_the_kinetic_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
