/* The smooth motion (`damp`): the start is moved onto the slow motion, which the run then follows
 * in steps of its size, and the summary tells what this took. The slow motion is known from
 * elsewhere: rest, or the motion with rigid joints instead of stiff forces. */
#include "damped_runs.h"
#include "support.h"

#include <daedal/model.h>
#include <daedal/run.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_tolerances_are_those_of_the_start(void **state)
{
  (void)state;
  static const char *const texts[] = {damped_point, damped_spring, damped_crank};
  static const long steps[] = {6, 6, 54};
  for (int i = 0; i < 3; i++) {
    damped_run r = {.text = texts[i], .tolerance = 1e-4, .atol = 1e-6};
    r.set[0] = "eps=1e-6";
    r.sets = i < 2;
    damped_succeeds(&r);
    assert_true(r.summary.stats.steps <= steps[i]);
  }
}

/* Tolerances that resolve more than the time scales separate, and stiff forces whose round-off is
 * above the stopping tolerance: what was removed at the start does not come back. */
static void test_tight_tolerances_take_few_steps(void **state)
{
  (void)state;
  static const struct {
    const char *k, *vr;
    double tolerance;
    long steps;
  } cases[] = {{"k=1e4", "vr=1", 1e-5, 90},    {"k=1e6", "vr=1", 1e-6, 30},
               {"k=1e8", "vr=1", 1e-6, 30},    {"k=1e10", "vr=0.1", 1e-6, 30},
               {"k=1e12", "vr=0.1", 1e-6, 30}, {"k=1e8", "vr=1", 1e-8, 30},
               {"k=1e8", "vr=1", 1e-9, 30},    {"k=1e10", "vr=0.1", 1e-9, 30}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    damped_run r = {.text = damped_elastic,
                    .tolerance = cases[i].tolerance,
                    .atol = 1e-2 * cases[i].tolerance,
                    .set = {cases[i].k, cases[i].vr},
                    .sets = 2};
    damped_succeeds(&r);
    assert_int_equal(r.summary.damping.kind, DAE_DAMPING_REMOVED);
    if (r.summary.stats.steps > cases[i].steps)
      fail_msg("%s at %g: %ld steps", cases[i].k, cases[i].tolerance, r.summary.stats.steps);
  }
  for (double tolerance = 1e-5; tolerance > 3e-9; tolerance /= 10) {
    damped_run r = {.text = damped_chain, .tolerance = tolerance, .atol = 1e-2 * tolerance};
    damped_succeeds(&r);
    assert_true(r.summary.stats.steps < 150);
  }
}

/* Velocities of 1e7 with a tolerance of 1e-8: their round-off is no motion. */
static void test_units_of_microseconds(void **state)
{
  (void)state;
  static const char fast[] = "model fast\n"
                             "coord x = 1.0001, y = 0\n"
                             "let l = sqrt(x^2 + y^2)\n"
                             "kinetic 1e-12*(x'^2 + y'^2)/2\n"
                             "potential 9.81*y + 1e8*(l - 1)^2/2\n"
                             "simulate to 1e-6\n";
  damped_run slow = {.text = damped_pendulum, .tolerance = 1e-10, .follow = true};
  damped_succeeds(&slow);
  for (double tolerance = 1e-3; tolerance > 3e-7; tolerance /= 10) {
    damped_run r = {.text = fast, .tolerance = tolerance, .atol = 1e-2 * tolerance};
    damped_succeeds(&r);
    assert_int_equal(r.summary.damping.kind, DAE_DAMPING_REMOVED);
    assert_true(r.summary.stats.steps < 30);
    assert_true(damped_difference(&r, &slow, 0, 2) < 1);
  }
}

/* Damping of any ratio beside a stiffness: what decays drives nothing, and no caution comes. */
static void test_damped_stiff_forces(void **state)
{
  (void)state;
  static const char damper[] = "model damper\n"
                               "param c = 0\n"
                               "coord x = 1.0001, y = 0\n"
                               "let l = sqrt(x^2 + y^2)\n"
                               "kinetic (x'^2 + y'^2)/2\n"
                               "potential 9.81*y + 1e8*(l - 1)^2/2\n"
                               "dissipation c*l'^2/2\n"
                               "simulate to 1\n";
  static const char *const c[] = {"c=1e3",   "c=6e3", "c=1.12e4", "c=1.633e4",
                                  "c=1.9e4", "c=2e4", "c=6e4"};
  damped_run slow = {.text = damped_pendulum, .tolerance = 1e-10, .follow = true};
  damped_succeeds(&slow);
  for (size_t i = 0; i < sizeof c / sizeof *c; i++)
    for (double tolerance = 1e-3; tolerance > 1e-5; tolerance /= 10) {
      damped_run r = {.text = damper, .tolerance = tolerance, .set = {c[i]}, .sets = 1};
      damped_succeeds(&r);
      assert_int_equal(r.summary.damping.kind, DAE_DAMPING_REMOVED);
      assert_true(r.summary.damping.drift < 1 && r.summary.trust == DAE_TRUST_GREEN);
      assert_true(r.summary.stats.steps < 25);
      assert_true(damped_difference(&r, &slow, 0, 2) < 1);
    }
}

/* Links with sparse matrices: against the rigid ones in the long form. */
static void test_a_chain_of_a_hundred_links(void **state)
{
  (void)state;
  static const double tolerances[] = {1e-3, 1e-4};
  static const long steps[] = {39, 52};
  for (int i = 0; i < 2; i++) {
    damped_run r = {
        .text = damped_chain, .tolerance = tolerances[i], .set = {"N=100", "off=1e-6"}, .sets = 2};
    damped_succeeds(&r);
    assert_true(r.summary.stats.steps <= steps[i]);
    assert_int_equal(r.summary.damping.kind, DAE_DAMPING_REMOVED);
    if (!getenv("DAEDAL_LONG"))
      continue;
    damped_run rigid = r;
    rigid.text = damped_chain_rigid;
    rigid.tolerance = 1e-8;
    rigid.follow = true;
    damped_succeeds(&rigid);
    assert_true(damped_difference(&r, &rigid, 0, 200) < 1);
  }
}

/* ---- what is not fast ---- */

static void test_rest_stays_rest(void **state)
{
  (void)state;
  static const struct {
    const char *text, *set[2];
    int sets;
  } cases[] = {{.text = damped_point, .set = {"vx=0", "eps=1e-4"}, .sets = 2},
               {.text = damped_point, .set = {"vx=0", "eps=1e-8"}, .sets = 2},
               {.text = damped_elastic, .set = {"k=1e8"}, .sets = 1},
               {.text = damped_elastic, .set = {"k=1e12"}, .sets = 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    damped_run r = {.text = cases[i].text, .tolerance = 1e-4, .sets = cases[i].sets};
    memcpy(r.set, cases[i].set, sizeof cases[i].set);
    damped_succeeds(&r);
    damped_run still = r;
    still.follow = true;
    if (i < 2)
      damped_succeeds(&still);
    assert_int_equal(r.summary.damping.kind, DAE_DAMPING_NONE);
    assert_true(damped_tells(&r, "nothing removed"));
    for (int k = 0; k < 4; k++) { /* from rest, below 1e-5 */
      double at = k == 0 ? (i < 2 ? 0 : 1) : k == 1 && i < 2 ? -1 : 0;
      assert_true(fabs(r.first[k] - at) < 1e-5);
      if (i < 2)
        assert_true(fabs(r.last[k] - at) < 1e-5);
    }
  }
}

static void test_a_motion_without_fast_parts_is_not_changed(void **state)
{
  (void)state;
  static test_problem (*const problems[])(void) = {test_pendulum, test_slider_crank,
                                                   test_knife_edge, test_cylinder_skate};
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
    for (double tolerance = 1e-3; tolerance > 1e-6; tolerance /= 10) {
      test_problem p = problems[i]();
      const dae_method *radau = dae_method_find("radau", NULL);
      dae_rk_options opts = dae_rk_adaptive_defaults();
      double end[2][64];
      opts.rtol = opts.atol = tolerance;
      p.start.to = p.to;
      for (int damp = 0; damp < 2; damp++) {
        dae_integrator *it = NULL;
        dae_error err;
        dae_status status = DAE_OK;
        opts.damp = damp;
        assert_true(p.size <= 64);
        assert_int_equal(radau->create(&p.problem, &p.start, &opts, NULL, &it, &err), DAE_OK);
        while (status == DAE_OK)
          status = dae_integrator_step(it, p.to, &err);
        assert_int_equal(status, DAE_END);
        assert_int_equal(dae_integrator_interpolate(it, p.to, end[damp], NULL, &err), DAE_OK);
        dae_integrator_free(it);
      }
      for (int k = 0; k < 2 * p.problem.mechanical->nq; k++)
        assert_true(fabs(end[1][k] - end[0][k]) < 10 * tolerance * (1 + fabs(end[0][k])));
    }
}

static void test_motion_that_is_neither_fast_nor_slow_is_kept_and_told(void **state)
{
  (void)state;
  static const struct {
    const char *text, *set;
    double steps; /* of the prototype */
  } cases[] = {{damped_point, "eps=1e-3", 13},
               {damped_point, "eps=1e-4", 38},
               {damped_spring, "eps=1e-3", 23},
               {damped_bushing, "eps=1e-3", 17}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    damped_run r = {.text = cases[i].text, .tolerance = 1e-3, .set = {cases[i].set}, .sets = 1};
    damped_run exact = r;
    exact.tolerance = 1e-9;
    exact.follow = true;
    damped_succeeds(&r);
    damped_succeeds(&exact);
    assert_int_equal(r.summary.damping.kind, DAE_DAMPING_KEPT);
    assert_true(damped_tells(&r, "neither fast nor slow: kept; --damp-time says which"));
    assert_true(damped_difference(&r, &exact, 0, 2) < 1);
    assert_true((double)r.summary.stats.steps <= 1.5 * cases[i].steps);
  }
}

/* ---- refusals ---- */

static const char oscillator[] = "model oscillator\n"
                                 "coord x = 1\n"
                                 "kinetic x'^2/2\n"
                                 "potential 1e6*x^2/2\n"
                                 "simulate to 1\n";
static const char swings[] = "model swings\n"
                             "coord x = 1, y = 0\n"
                             "kinetic (x'^2 + y'^2)/2\n"
                             "potential 9.81*y\n"
                             "constraint x^2 + y^2 = 1\n"
                             "simulate to 1000\n";

/* A wheel on a stiff tyre, with 50 periods in the run, under a body with two. */
static const char tyre[] = "model tyre\n"
                           "coord z = 0.1, u = 1e-3\n"
                           "kinetic (400*z'^2 + 40*u'^2)/2\n"
                           "potential 16000*(z - u)^2/2 + 1e6*(u - 0.02*sin(2*t))^2/2\n"
                           "force z = -500*(z' - u')\n"
                           "force u = 500*(z' - u')\n"
                           "simulate to 2\n";

static void test_a_wheel_under_a_slow_body_is_fast(void **state)
{
  (void)state;
  damped_run r = {.text = tyre, .tolerance = 1e-3, .atol = 1e-5};
  damped_succeeds(&r);
  assert_int_equal(r.summary.damping.kind, DAE_DAMPING_REMOVED);
  assert_true(r.summary.stats.steps <= 24);
}

/* Bars whose pin is open by 0.8: all motion is that of the gap, no pass separates it, and the
 * summary does not say that none is fast. */
static const char open_pin[] = "model open_pin\n"
                               "coord a = 1.2, b = 0.2, c = 1.0\n"
                               "let gx = cos(a) + 3*cos(b) - 3 - 2*cos(c)\n"
                               "let gy = sin(a) + 3*sin(b) - 2*sin(c)\n"
                               "kinetic a'^2/6 + b'^2/2 + c'^2/2\n"
                               "potential 1e5*(gx^2 + gy^2)/2\n"
                               "simulate to 1\n";

static void test_fast_motion_that_nothing_separates_is_told(void **state)
{
  (void)state;
  damped_run r = {.text = open_pin, .tolerance = 1e-3, .atol = 1e-5};
  damped_succeeds(&r);
  assert_int_equal(r.summary.damping.kind, DAE_DAMPING_KEPT);
  assert_true(r.summary.damping.kept > 0 && r.summary.damping.kept < 1. / 30);
}

static void test_a_run_of_which_nothing_would_be_left_is_refused(void **state)
{
  (void)state;
  static const char *const texts[] = {oscillator, swings};
  for (int i = 0; i < 2; i++) {
    damped_run r = {.text = texts[i], .tolerance = 1e-4};
    damped_go(&r);
    assert_int_equal(r.status, DAE_ERROR_STEP);
    assert_string_equal(r.err.equation, "damp");
    assert_non_null(strstr(r.err.text, "damp_time"));
    r.damp_time = i ? 30 : 0.03;
    damped_succeeds(&r);
    assert_int_equal(r.summary.damping.kind, DAE_DAMPING_ALL);
    assert_true(damped_tells(&r, "all motion of the start was fast: what is left is rest"));
  }
}

static void test_an_oscillation_that_drives_the_motion_is_refused(void **state)
{
  (void)state;
  damped_run r = {
      .text = damped_turning, .tolerance = 1e-3, .set = {"off=1e-2", "w=0.1", "v=0"}, .sets = 3};
  damped_go(&r);
  assert_int_equal(r.status, DAE_ERROR_STEP);
  assert_non_null(strstr(r.err.text, "drives the slow motion"));
  r.damp_time = 0.03;
  damped_succeeds(&r);
}

static void test_the_length_of_the_motion_is_needed(void **state)
{
  (void)state;
  static const char *const names[] = {"radau", "bdf-cs"};
  test_problem p = test_pendulum();
  for (int i = 0; i < 2; i++) {
    dae_rk_options rk = dae_rk_adaptive_defaults();
    dae_bdf_options bdf = dae_bdf_defaults();
    dae_integrator *it = NULL;
    dae_error err = dae_error_none();
    const dae_method *method = dae_method_find(names[i], NULL);
    rk.damp = bdf.damp = true;
    const void *opts = i ? (const void *)&bdf : &rk;
    assert_int_equal(method->create(&p.problem, &p.start, opts, NULL, &it, &err), DAE_ERROR_OPTION);
    assert_null(it);
    assert_string_equal(err.equation, "damp");
    rk.damp_time = bdf.damp_time = 0.01;
    assert_int_equal(method->create(&p.problem, &p.start, opts, NULL, &it, &err), DAE_OK);
    dae_integrator_free(it);
  }
}

/* ---- fixed values, events ---- */

#define PAIR(y)                                                                                    \
  "model pair\n"                                                                                   \
  "coord x = 0 fixed rate 1 fixed, y = 0 " y "\n"                                                  \
  "kinetic (x'^2 + y'^2)/2\n"                                                                      \
  "potential 1e8*(x - y)^2/2 + y^2/2\n"                                                            \
  "simulate to 0.1\n"

static void test_fixed_values_stay_on_the_slow_motion(void **state)
{
  (void)state;
  damped_run r = {.text = PAIR("rate 0"), .tolerance = 1e-4};
  damped_succeeds(&r);
  assert_true(r.first[0] == 0 && r.first[2] == 1); /* x, x' */
  assert_true(fabs(r.first[1]) < 1e-6 && fabs(r.first[3] - 1) < 1e-4);
  assert_true(r.summary.stats.steps < 10);
  assert_true(fabs(r.last[0] - sqrt(2) * sin(0.1 / sqrt(2))) < 1e-4);
}

static void test_fast_motion_in_fixed_values_is_told(void **state)
{
  (void)state;
  damped_run r = {.text = PAIR("fixed rate 0 fixed"), .tolerance = 1e-3};
  damped_succeeds(&r);
  assert_true(r.first[0] == 0 && r.first[1] == 0 && r.first[2] == 1 && r.first[3] == 0);
  assert_int_equal(r.summary.damping.kind, DAE_DAMPING_FIXED);
  assert_true(damped_tells(&r, "`fixed` values"));
}

static void test_events_that_excite_the_fast_motion(void **state)
{
  (void)state;
  static const char kicked[] = "model kicked\n"
                               "coord x = 1, y = 0\n"
                               "let l = sqrt(x^2 + y^2)\n"
                               "kinetic (x'^2 + y'^2)/2\n"
                               "potential 9.81*y + 1e8*(l - 1)^2/2\n"
                               "event kick: t - 0.5 rising { x' = x' + 1 }\n"
                               "simulate to 1\n";
  static const char rigid[] = "model kicked\n"
                              "coord x = 1, y = 0\n"
                              "kinetic (x'^2 + y'^2)/2\n"
                              "potential 9.81*y\n"
                              "constraint x^2 + y^2 = 1\n"
                              "event kick: t - 0.5 rising { x' = x' + y^2; y' = y' - x*y }\n"
                              "simulate to 1\n"; /* the part of the kick along the circle */
  for (double tolerance = 1e-3; tolerance > 1e-5; tolerance /= 10) {
    damped_run r = {.text = kicked, .tolerance = tolerance};
    damped_run reference = {.text = rigid, .tolerance = 1e-10, .follow = true};
    damped_succeeds(&r);
    damped_succeeds(&reference);
    assert_int_equal(r.summary.damping.restarts, 1);
    assert_true(r.summary.energy_removed_at_events > 0.05);
    assert_true(damped_tells(&r, "removed after 1 event"));
    assert_true(r.summary.stats.steps < 150);
    assert_true(damped_difference(&r, &reference, 0, 4) < 2);
  }
}

/* The removal moves the state of an event across its border by less than a tolerance: it happens
 * once all the same. */
static void test_an_event_of_the_state_happens_once(void **state)
{
  (void)state;
  static const char kicked[] = "model kicked\n"
                               "coord x = 1, y = 0\n"
                               "let l = sqrt(x^2 + y^2)\n"
                               "kinetic (x'^2 + y'^2)/2\n"
                               "potential 9.81*y + 1e8*(l - 1)^2/2\n"
                               "event kick: y + 0.5 falling { x' = x' + 1 }\n"
                               "simulate to 1\n";
  static const char rigid[] = "model kicked\n"
                              "coord x = 1, y = 0\n"
                              "kinetic (x'^2 + y'^2)/2\n"
                              "potential 9.81*y\n"
                              "constraint x^2 + y^2 = 1\n"
                              "event kick: y + 0.5 falling { x' = x' + y^2; y' = y' - x*y }\n"
                              "simulate to 1\n";
  damped_run reference = {.text = rigid, .tolerance = 1e-10, .follow = true};
  damped_succeeds(&reference);
  for (double tolerance = 1e-3; tolerance > 1e-9; tolerance /= 10) {
    damped_run r = {.text = kicked, .tolerance = tolerance, .atol = 1e-2 * tolerance};
    damped_succeeds(&r);
    assert_int_equal(r.summary.damping.restarts, 1);
    for (int i = 0; i < 4; i++) /* the rod gives by 3e-7 */
      assert_true(fabs(r.last[i] - reference.last[i]) < tolerance + 1e-5);
  }
}

/* ---- the report ---- */

static void test_the_energy_that_was_removed_is_told(void **state)
{
  (void)state;
  damped_run r = {.text = damped_beside, .tolerance = 1e-4}, plain = r;
  plain.follow = true;
  plain.set[0] = "k=1e4";
  plain.sets = 1;
  damped_succeeds(&r);
  damped_succeeds(&plain);
  const dae_damping *d = &r.summary.damping;
  assert_int_equal(d->kind, DAE_DAMPING_REMOVED);
  assert_true(fabs(r.summary.energy_removed_at_start - 50) < 1e-4); /* k s^2 / 2 */
  assert_true(fabs(d->period[0] - 2 * acos(-1) * 1e-4) < 1e-9);
  assert_string_equal(d->name, "s");
  assert_true(fabs(d->distance - 1e-3) < 1e-9);
  assert_true(d->drift < 0.1 && fabs(d->frequency[1] - 1) < 1e-6);
  assert_true(damped_tells(&r, "it would not have moved the slow motion"));
  assert_false(plain.summary.damped);
  assert_false(damped_tells(&plain, "damp"));
}

/* Mean of the coordinates at the end of the exact motion, over some periods of the fast one, is the
 * motion itself up to its amplitude. */
static void test_a_driven_slow_motion_is_predicted(void **state)
{
  (void)state;
  static const struct {
    const char *text, *set;
    int coordinate;
    double low, high; /* predicted over true deviation */
  } cases[] = {{damped_crank, "push=0.5", 0, 0.4, 1.5}, {damped_turning, "off=1e-3", 2, 0.7, 1.4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    damped_run r = {.text = cases[i].text, .tolerance = 1e-4, .set = {cases[i].set}, .sets = 1};
    damped_run exact = r;
    exact.tolerance = 1e-8;
    exact.follow = true;
    damped_succeeds(&r);
    damped_succeeds(&exact);
    double deviation = fabs(exact.last[cases[i].coordinate] - r.last[cases[i].coordinate]);
    if (i == 0) /* the angle of the pushed damped_crank after 1 s */
      assert_true(fabs(deviation - 0.0158) < 0.0005);
    assert_true(deviation > 1e-2);
    assert_true(r.summary.damping.drift > 10);
    assert_true(r.summary.trust >= DAE_TRUST_AMBER);
    assert_true(damped_tells(&r, "drives the slow motion"));
    /* the largest deviation is that of some variable: of the order of this one */
    assert_true(r.summary.damping.drift_size > cases[i].low * deviation);
  }
}

/* The rocking of a rattleback grows until it turns the spin back: without it the spin stays. */
static void test_a_growing_oscillation_is_told(void **state)
{
  (void)state;
  static const char stone[] =
      "model rattleback\n"
      "param J1 = 2e-4, J2 = 16e-4, J3 = 17e-4, d = 0.1\n"
      "gravity (0, 0, -9.81)\n"
      "body stone mass 1 inertia (J1*cos(d)^2 + J2*sin(d)^2, J1*sin(d)^2 + J2*cos(d)^2, J3, "
      "(J1 - J2)*sin(d)*cos(d), 0, 0) centre (0, 0, -0.01) at (0, 0, 0.02) omega (0.01, 0, -5)\n"
      "rolling C: ground, stone ellipsoid (0.2, 0.03, 0.02)\n"
      "simulate to 3\n";
  damped_run r = {.text = stone, .tolerance = 1e-4, .atol = 1e-6};
  damped_succeeds(&r);
  assert_true(r.summary.trust >= DAE_TRUST_AMBER);
  assert_true(r.summary.damping.drift > 1000);
  assert_true(damped_tells(&r, "drives the slow motion"));
}

/* M of a circuit is singular: its slopes follow from steps alone. */
static void test_a_singular_mass_matrix(void **state)
{
  (void)state;
  static const char circuit[] = "model circuit\n"
                                "state a = 0, b = 0\n"
                                "1e-6*(a' - b') = sin(10*t) - a\n"
                                "1e-6*(b' - a') = -b/10\n"
                                "simulate to 1\n";
  damped_run r = {.text = circuit, .tolerance = 1e-4, .atol = 1e-6}, exact = r;
  exact.follow = true;
  exact.tolerance = 1e-8;
  exact.atol = 1e-10;
  damped_succeeds(&r);
  damped_succeeds(&exact);
  assert_true(damped_difference(&r, &exact, 0, 2) < 10);
}

static void test_other_methods_damp(void **state)
{
  (void)state;
  static const char *const methods[] = {"bdf-cs", "bdf-cm", "bdf-ggl"};
  for (int i = 0; i < 3; i++) {
    damped_run r = {.text = damped_crank, .method = methods[i], .tolerance = 1e-4};
    damped_run rigid = {.text = damped_crank_rigid, .tolerance = 1e-9, .follow = true};
    damped_succeeds(&r);
    damped_succeeds(&rigid);
    assert_int_equal(r.summary.damping.kind, DAE_DAMPING_REMOVED);
    assert_true(r.summary.stats.steps < 500);
    assert_true(damped_difference(&r, &rigid, 0, 5) < 1);
  }
}

/* Steps after a load give the same bits. */
static void test_a_damped_run_is_saved_and_loaded(void **state)
{
  (void)state;
  dae_model *model;
  dae_error err;
  dae_rk_options opts = dae_rk_adaptive_defaults();
  dae_integrator *it[2];
  double y[2][32];
  opts.damp = true;
  opts.rtol = 1e-4;
  assert_int_equal(
      dae_model_parse("rails", damped_rails, strlen(damped_rails), NULL, NULL, &model, &err),
      DAE_OK);
  dae_start start = dae_model_start(model);
  start.to = 1;
  for (int i = 0; i < 2; i++)
    assert_int_equal(dae_radau_create(dae_model_problem(model), &start, &opts, NULL, &it[i], &err),
                     DAE_OK);
  assert_true(dae_integrator_step(it[0], 1, &err) >= 0);
  size_t size = dae_integrator_save_size(it[0]);
  void *buffer = malloc(size);
  assert_non_null(buffer);
  assert_int_equal(dae_integrator_save(it[0], buffer, size, &err), DAE_OK);
  if (dae_integrator_load(it[1], buffer, size, &err))
    fail_msg("%s", err.text);
  free(buffer);
  for (int i = 0; i < 2; i++) {
    assert_true(dae_integrator_step(it[i], 1, &err) >= 0);
    double t = dae_integrator_view(it[i]).t;
    assert_int_equal(dae_integrator_interpolate(it[i], t, y[i], NULL, &err), DAE_OK);
  }
  dae_damping a = dae_integrator_damping(it[0]), b = dae_integrator_damping(it[1]);
  assert_memory_equal(y[0], y[1], 12 * sizeof **y);
  assert_true(a.drift == b.drift && a.exchange == b.exchange && a.kind == b.kind);
  for (int i = 0; i < 2; i++)
    dae_integrator_free(it[i]);
  dae_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tolerances_are_those_of_the_start),
      cmocka_unit_test(test_tight_tolerances_take_few_steps),
      cmocka_unit_test(test_units_of_microseconds),
      cmocka_unit_test(test_damped_stiff_forces),
      cmocka_unit_test(test_a_chain_of_a_hundred_links),
      cmocka_unit_test(test_rest_stays_rest),
      cmocka_unit_test(test_a_motion_without_fast_parts_is_not_changed),
      cmocka_unit_test(test_motion_that_is_neither_fast_nor_slow_is_kept_and_told),
      cmocka_unit_test(test_a_wheel_under_a_slow_body_is_fast),
      cmocka_unit_test(test_fast_motion_that_nothing_separates_is_told),
      cmocka_unit_test(test_a_run_of_which_nothing_would_be_left_is_refused),
      cmocka_unit_test(test_an_oscillation_that_drives_the_motion_is_refused),
      cmocka_unit_test(test_the_length_of_the_motion_is_needed),
      cmocka_unit_test(test_fixed_values_stay_on_the_slow_motion),
      cmocka_unit_test(test_fast_motion_in_fixed_values_is_told),
      cmocka_unit_test(test_events_that_excite_the_fast_motion),
      cmocka_unit_test(test_an_event_of_the_state_happens_once),
      cmocka_unit_test(test_the_energy_that_was_removed_is_told),
      cmocka_unit_test(test_a_driven_slow_motion_is_predicted),
      cmocka_unit_test(test_a_growing_oscillation_is_told),
      cmocka_unit_test(test_a_singular_mass_matrix),
      cmocka_unit_test(test_other_methods_damp),
      cmocka_unit_test(test_a_damped_run_is_saved_and_loaded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
