/* Callbacks that refuse a point, return something that is not a number, or fail, under the
 * Lie-group method: each kind in each form of problem. A refusal shrinks the step; a lasting one
 * ends the run with a message that names the equation or the callback and the time, and what was
 * computed until then is kept. */
#include "faults.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct kind {
  int setting;
  const char *callback;
  const char *named;    /* in messages about a refusal */
  const char *equation; /* in messages about a value that is not a number, NULL: any */
} kind;

static const kind kinds[] = {
    {FULL, "f", "callback f ", "equation of x"},
    {FULL, "M", "callback M ", "entry of M of equation of x"},
    {FULL, "g", "callback g ", "rod"},
    {FULL, "g_t", "callback g_t ", "rod"},
    {FULL, "G", "callback G ", "rod"},
    {FULL, "k", "callback k ", "blade"},
    {FULL, "K", "callback K ", "entry of K of blade"},
    {FULL, "s", "callback s ", "filter"},
    {FULL, "c", "callback c ", "valve"},
    {FULL, "input", "callback input ", NULL},
    {FULL, "J", "callback J ", "J"},
    {FULL, "Ms_qv", "callback Ms_qv ", "Ms_qv"},
    {FULL, "Gts_q", "callback Gts_q ", "Gts_q"},
    {FULL, "gdot_q", "callback gdot_q ", "gdot_q"},
    {FULL, "k_q", "callback k_q ", "k_q"},
    {FULL, "Kts_qv", "callback Kts_qv ", "Kts_qv"},
    {FULL, "gamma", "callback gamma ", "rod"},
    {FULL, "kappa", "callback kappa ", "blade"},
    {BARE, "f", "callback f ", "equation of x"},
    {BARE, "M", "callback M ", "entry of M of equation of x"},
    {BARE, "g", "callback g ", "rod"},
    {BARE, "k", "callback k ", "blade"},
    {MOMENTA, "p", "callback p ", NULL},
    {MOMENTA, "F", "callback F ", "equation of x"},
    {MOMENTA, "p_rate", "callback p_rate ", NULL},
    {JOINTLY, "eval", "callback eval ", NULL},
    {COUPLED, "part.f", "in upper: the callback f ", "upper"},
    {COUPLED, "joint.g", "in rods: the callback g ", "rods"},
    {COUPLED, "joint.G", "in rods: the callback G ", "rods"},
    {SEMI, "semi.f", "callback f ", "equation of a"},
    {SEMI, "semi.F", "callback F ", "flow"},
    {SEMI, "semi.J", "callback J ", "J"},
    {SEMI, "semi.M", "callback M ", "the matrix M"},
    {SEMI, "semi.Ms_x", "callback Ms_x ", "Ms_x"},
};

#define KINDS (sizeof kinds / sizeof *kinds)

static const char *const manners[] = {"", "refuses", "is NaN", "fails"};
static int failures;

static void check(bool good, const kind *kd, manner how, const outcome *o, const char *what)
{
  if (good)
    return;
  print_error("%s of %s %s: %s\n  %s [%s] t = %.17g, h = %g: %s\n  %ld rows up to t = %.17g\n",
              kd->callback, settings[kd->setting].name, manners[how], what,
              dae_status_name(o->status), o->err.equation, o->err.t, o->err.h, o->err.text, o->rows,
              o->t_last);
  failures++;
}

static outcome run(const kind *kd, double first_step)
{
  dae_lie_options opts = dae_lie_defaults();
  opts.first_step = first_step;
  return run_by("lie", &opts, kd->setting);
}

static void check_named(const kind *kd, manner how, const outcome *o)
{
  const char *name = how == IS_NAN ? kd->equation : kd->named;
  check(!name || strstr(o->err.text, name), kd, how, o, "the culprit is not named");
  check(o->err.equation[0] != '\0', kd, how, o, "the record names nothing");
}

static void check_kept(const kind *kd, manner how, const outcome *o)
{
  check(o->finite, kd, how, o, "a row has something that is not a number");
  check(o->rows > 5 && o->rows == o->summary.rows, kd, how, o, "rows are missing");
  check(o->summary.status == o->status, kd, how, o, "the summary says something else");
  check(strcmp(o->summary.message, o->err.text) == 0, kd, how, o, "the summary differs");
  check(o->t_last <= o->err.t && o->t_last > BREAKS - 0.3, kd, how, o, "the last row");
}

static void test_without_faults_all_problems_run(void **state)
{
  (void)state;
  for (int i = 0; i < SETTINGS; i++) {
    set_fault(NULL, FINE, EVERYWHERE);
    outcome o = run(&(kind){.setting = i}, 0);
    if (o.status)
      fail_msg("%s: %s", settings[i].name, o.err.text);
    assert_true(o.finite && o.rows == o.summary.rows && o.t_last == TO);
    assert_int_equal(o.summary.stats.rejected_by_callback, 0);
  }
}

static void test_a_region_of_refusal_shrinks_the_step(void **state)
{
  (void)state;
  failures = 0;
  for (size_t i = 0; i < KINDS; i++)
    for (manner how = REFUSES; how <= IS_NAN; how++) {
      const kind *kd = &kinds[i];
      if (strcmp(kd->callback, "input") == 0) /* a function of time alone */
        continue;
      set_fault(NULL, FINE, EVERYWHERE);
      outcome clean = run(kd, 0.5);
      assert_int_equal(clean.status, DAE_OK);
      set_fault(kd->callback, how, FAR_OFF);
      outcome o = run(kd, 0.5);
      check(o.status == DAE_OK, kd, how, &o, "the run did not go on");
      check(fault.hits == 0 || o.summary.stats.rejected_by_callback > 0, kd, how, &o,
            "no rejection was counted");
      check(o.finite && o.rows == o.summary.rows, kd, how, &o, "rows");
      check(fabs(o.value_last - clean.value_last) < 1e-4, kd, how, &o, "another motion");
    }
  assert_int_equal(failures, 0);
}

static void test_a_lasting_refusal_ends_the_run_with_equation_and_time(void **state)
{
  (void)state;
  failures = 0;
  for (size_t i = 0; i < KINDS; i++)
    for (manner how = REFUSES; how <= IS_NAN; how++) {
      const kind *kd = &kinds[i];
      set_fault(kd->callback, how, LATE);
      outcome o = run(kd, 0);
      char time[40];
      snprintf(time, sizeof time, "t = %.10g ", o.err.t);
      check(o.status == DAE_ERROR_STEP && o.err.status == o.status, kd, how, &o, "status");
      check_named(kd, how, &o);
      check(strstr(o.err.text, time) != NULL, kd, how, &o, "the time is not in the message");
      check(fabs(o.err.t - BREAKS) < 1e-2 && o.err.h < 1e-6, kd, how, &o, "where it ends");
      check(o.summary.stats.rejected_by_callback > 5, kd, how, &o, "refusals were not counted");
      check_kept(kd, how, &o);
    }
  assert_int_equal(failures, 0);
}

static void test_a_failing_callback_ends_the_run_at_once(void **state)
{
  (void)state;
  failures = 0;
  for (size_t i = 0; i < KINDS; i++) {
    const kind *kd = &kinds[i];
    set_fault(kd->callback, FAILS, LATE);
    outcome o = run(kd, 0);
    check(o.status == DAE_ERROR_CALLBACK && o.err.status == o.status, kd, FAILS, &o, "status");
    check(fault.hits == 1, kd, FAILS, &o, "it was called again");
    check_named(kd, FAILS, &o);
    check(o.summary.stats.rejected_by_callback == 0, kd, FAILS, &o, "it counts as a refusal");
    check_kept(kd, FAILS, &o);
  }
  assert_int_equal(failures, 0);
}

static void test_a_fault_at_the_start_is_an_error_of_the_start(void **state)
{
  (void)state;
  failures = 0;
  for (size_t i = 0; i < KINDS; i++)
    for (manner how = REFUSES; how <= FAILS; how++) {
      const kind *kd = &kinds[i];
      set_fault(kd->callback, how, EVERYWHERE);
      outcome o = run(kd, 0);
      dae_status expected = how == FAILS ? DAE_ERROR_CALLBACK : DAE_ERROR_START;
      if (o.rows > 0) /* the start itself did not need it, the first step does */
        expected = how == FAILS ? DAE_ERROR_CALLBACK : DAE_ERROR_STEP;
      check(o.rows <= 1, kd, how, &o, "it got beyond the start");
      check(o.status == expected && o.err.status == expected, kd, how, &o, "status");
      check_named(kd, how, &o);
    }
  assert_int_equal(failures, 0);
}

/* ---- between steps ---- */

static dae_integrator *after_20_steps(int which)
{
  const setting *on = &settings[which];
  dae_integrator *it;
  set_fault(NULL, FINE, EVERYWHERE);
  assert_int_equal(dae_lie_create(&on->problem, &(dae_start){.y = on->y}, NULL, NULL, &it, NULL),
                   DAE_OK);
  for (int i = 0; i < 20; i++)
    assert_true(dae_integrator_step(it, 10 * TO, NULL) >= 0);
  return it;
}

/* a state that cannot be shown is an error of that look only: the integrator goes on, with the same
 * bits as one that was not looked at */
static void check_look(const kind *kd, manner how)
{
  dae_integrator *it = after_20_steps(kd->setting), *calm = after_20_steps(kd->setting);
  int size = dae_integrator_view(it).size;
  double y[2][32];
  dae_error err = dae_error_none();
  dae_view view = dae_integrator_view(it);
  double t = (view.t_previous + view.t) / 2;
  assert_true(size <= 32);
  set_fault(kd->callback, how, EVERYWHERE);
  dae_status status = dae_integrator_interpolate(it, t, y[0], NULL, &err);
  if (status != (how == FAILS ? DAE_ERROR_CALLBACK : DAE_ERROR_STEP) ||
      !strstr(err.text, "cannot be shown") || err.t != t ||
      !strstr(err.text, how == IS_NAN ? kd->equation : kd->named))
    fail_msg("%s %s: %s [%s] %s", kd->callback, manners[how], dae_status_name(status), err.equation,
             err.text);
  set_fault(NULL, FINE, EVERYWHERE);
  dae_integrator *both[] = {it, calm};
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 5; k++)
      assert_true(dae_integrator_step(both[i], 10 * TO, NULL) >= 0);
    assert_int_equal(
        dae_integrator_interpolate(both[i], dae_integrator_view(both[i]).t, y[i], NULL, NULL),
        DAE_OK);
    dae_integrator_free(both[i]);
  }
  assert_memory_equal(y[0], y[1], (size_t)size * sizeof **y);
}

static void test_a_state_that_cannot_be_shown_says_when_and_does_no_harm(void **state)
{
  (void)state;
  static const kind looked_at[] = {{FULL, "gamma", "callback gamma ", "rod"},
                                   {FULL, "kappa", "callback kappa ", "blade"},
                                   {FULL, "f", "callback f ", "equation of x"},
                                   {SEMI, "semi.f", "callback f ", "equation of a"},
                                   {SEMI, "semi.F", "callback F ", "flow"}};
  for (size_t i = 0; i < sizeof looked_at / sizeof *looked_at; i++)
    for (manner how = REFUSES; how <= FAILS; how++)
      check_look(&looked_at[i], how);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_without_faults_all_problems_run),
      cmocka_unit_test(test_a_region_of_refusal_shrinks_the_step),
      cmocka_unit_test(test_a_lasting_refusal_ends_the_run_with_equation_and_time),
      cmocka_unit_test(test_a_failing_callback_ends_the_run_at_once),
      cmocka_unit_test(test_a_fault_at_the_start_is_an_error_of_the_start),
      cmocka_unit_test(test_a_state_that_cannot_be_shown_says_when_and_does_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
