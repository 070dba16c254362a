/* Callbacks that refuse a point, return something that is not a number, or fail: each kind in each
 * form of problem. A refusal shrinks the step; a lasting one ends the run with a message that
 * names the equation or the callback and the time, and what was computed until then is kept. */
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

/* ---- every kind of callback ---- */

/* who needs it: the residual; the iteration matrix only; a state that is shown outside, on the
 * motion and, where derivatives are differenced, close to it in time */
typedef enum place_of_use { RESIDUAL, MATRIX, SHOWN } place_of_use;

typedef struct kind {
  int setting;
  const char *callback;
  const char *named;    /* in messages about a refusal */
  const char *equation; /* in messages about a value that is not a number, NULL: any */
  place_of_use where;
} kind;

static const kind kinds[] = {
    {FULL, "f", "callback f ", "equation of x", RESIDUAL},
    {FULL, "M", "callback M ", "entry of M of equation of x", RESIDUAL},
    {FULL, "g", "callback g ", "rod", RESIDUAL},
    {FULL, "g_t", "callback g_t ", "rod", RESIDUAL},
    {FULL, "G", "callback G ", "entry of G of rod", RESIDUAL},
    {FULL, "k", "callback k ", "blade", RESIDUAL},
    {FULL, "K", "callback K ", "entry of K of blade", RESIDUAL},
    {FULL, "s", "callback s ", "filter", RESIDUAL},
    {FULL, "c", "callback c ", "valve", RESIDUAL},
    {FULL, "input", "callback input ", "equation of y", RESIDUAL},
    {FULL, "J", "callback J ", "J", MATRIX},
    {FULL, "Ms_qv", "callback Ms_qv ", "Ms_qv", MATRIX},
    {FULL, "Gts_q", "callback Gts_q ", "Gts_q", MATRIX},
    {FULL, "gdot_q", "callback gdot_q ", "gdot_q", MATRIX},
    {FULL, "k_q", "callback k_q ", "k_q", MATRIX},
    {FULL, "Kts_qv", "callback Kts_qv ", "Kts_qv", MATRIX},
    {BARE, "f", "callback f ", "equation of x", RESIDUAL},
    {BARE, "M", "callback M ", "entry of M of equation of x", RESIDUAL},
    {BARE, "g", "callback g ", "rod", RESIDUAL},
    {BARE, "k", "callback k ", "blade", RESIDUAL},
    {MOMENTA, "p", "callback p ", "entry of M of equation of x", RESIDUAL},
    {MOMENTA, "F", "callback F ", "equation of x", RESIDUAL},
    {MOMENTA, "p_rate", "callback p_rate ", NULL, RESIDUAL},
    {JOINTLY, "eval", "callback eval ", "o", RESIDUAL}, /* rod, or equation of x */
    {COUPLED, "part.f", "in upper: the callback f ", "upper", RESIDUAL},
    {COUPLED, "joint.g", "in rods: the callback g ", "rods", RESIDUAL},
    {COUPLED, "joint.G", "in rods: the callback G ", "rods", RESIDUAL},
    {SEMI, "semi.f", "callback f ", "equation of a", RESIDUAL},
    {SEMI, "semi.F", "callback F ", "flow", RESIDUAL},
    {SEMI, "semi.J", "callback J ", "J", MATRIX},
    {SEMI, "semi.M", "callback M ", "the matrix M", RESIDUAL},
    {SEMI, "semi.Ms_x", "callback Ms_x ", "Ms_x", MATRIX},
};

/* evaluated only where a state leaves the integrator, hence on the motion */
static const kind of_the_output[] = {
    {FULL, "gamma", "callback gamma ", "rod", SHOWN},
    {FULL, "kappa", "callback kappa ", "blade", SHOWN},
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const kind *kind_at(size_t i)
{
  if (i < COUNT(kinds))
    return &kinds[i];
  return i < COUNT(kinds) + COUNT(of_the_output) ? &of_the_output[i - COUNT(kinds)] : NULL;
}

static const char *const manners[] = {"", "refuses", "is NaN", "fails"};

static void check(bool good, const kind *kd, manner how, const outcome *o, const char *what)
{
  if (!good)
    fail_msg("%s of %s %s: %s\n  %s [%s] t = %.17g, h = %g: %s\n  %ld rows up to t = %.17g",
             kd->callback, settings[kd->setting].name, manners[how], what,
             dae_status_name(o->status), o->err.equation, o->err.t, o->err.h, o->err.text, o->rows,
             o->t_last);
}

static void check_named(const kind *kd, manner how, const outcome *o)
{
  const char *name = how == IS_NAN ? kd->equation : kd->named;
  check(!name || strstr(o->err.text, name), kd, how, o, "the culprit is not named");
}

static void test_without_faults_all_problems_run(void **state)
{
  (void)state;
  for (int i = 0; i < SETTINGS; i++) {
    set_fault(NULL, FINE, EVERYWHERE);
    outcome o = run_with_fault(i, 0);
    if (o.status)
      fail_msg("%s: %s", settings[i].name, o.err.text);
    assert_true(o.finite);
    assert_int_equal(o.rows, o.summary.rows);
    assert_true(o.t_last == TO);
    assert_int_equal(o.summary.stats.rejected_by_callback, 0);
  }
}

static void test_a_region_of_refusal_shrinks_the_step(void **state)
{
  (void)state;
  const double first_step = 0.5;
  for (size_t i = 0; i < COUNT(kinds); i++)
    for (manner how = REFUSES; how <= IS_NAN; how++) {
      const kind *kd = &kinds[i];
      if (strcmp(kd->callback, "input") == 0) /* a function of time alone */
        continue;
      set_fault(NULL, FINE, EVERYWHERE);
      outcome clean = run_with_fault(kd->setting, first_step);
      assert_int_equal(clean.status, DAE_OK);
      assert_int_equal(clean.summary.stats.rejected_by_callback, 0);
      set_fault(kd->callback, how, FAR_OFF);
      outcome o = run_with_fault(kd->setting, first_step);
      check(o.status == DAE_OK, kd, how, &o, "the run did not go on");
      check(fault.hits > 0, kd, how, &o, "the region was not entered");
      check(o.summary.stats.rejected_by_callback > 0, kd, how, &o, "no rejection was counted");
      check(o.finite && o.rows == o.summary.rows, kd, how, &o, "rows");
      check(fabs(o.value_last - clean.value_last) < 1e-4, kd, how, &o, "another motion");
    }
}

/* what is left of a run that ended early */
static void check_kept(const kind *kd, manner how, const outcome *o)
{
  const dae_summary *sum = &o->summary;
  check(o->finite, kd, how, o, "a row has something that is not a number");
  check(o->rows > 10 && o->rows == sum->rows, kd, how, o, "rows are missing");
  check(sum->status == o->status, kd, how, o, "the summary says something else");
  check(strcmp(sum->message, o->err.text) == 0, kd, how, o, "the summary has another message");
  check(sum->stats.steps >= o->rows - 1, kd, how, o, "steps were not counted");
  check(sum->diagnosis.dof > 0, kd, how, o, "the diagnosis is missing");
  char text[8192];
  check(dae_summary_text(sum, text, sizeof text) > 0, kd, how, o, "no closing block");
}

/* the step was reduced to its end, and the last row is where that happened */
static void check_shrunk(const kind *kd, manner how, const outcome *o)
{
  check(o->err.h > 0 && o->err.h < 1e-10, kd, how, o, "the step was not reduced to its end");
  /* what the residual needs is missed at once, the matrix when it is formed again */
  check(kd->where == MATRIX ? o->err.t < TO : fabs(o->err.t - BREAKS) < 1e-9, kd, how, o, "time");
  check(o->t_last == o->err.t && o->summary.t_end == o->err.t, kd, how, o, "the last row");
  check(o->summary.stats.rejected_by_callback > 10, kd, how, o, "refusals were not counted");
}

/* the step was taken, its end could not be shown */
static void check_not_shown(const kind *kd, manner how, const outcome *o)
{
  check(strstr(o->err.text, "dense output at t = ") != NULL, kd, how, o,
        "not said to be of the output");
  check(o->err.h > 0 && fabs(o->err.t - BREAKS) < 0.1, kd, how, o, "time");
  check(o->t_last < o->err.t && o->t_last > BREAKS - 0.1, kd, how, o, "the last row");
}

static void test_a_lasting_refusal_ends_the_run_with_equation_and_time(void **state)
{
  (void)state;
  for (size_t i = 0; kind_at(i); i++)
    for (manner how = REFUSES; how <= IS_NAN; how++) {
      const kind *kd = kind_at(i);
      set_fault(kd->callback, how, LATE);
      outcome o = run_with_fault(kd->setting, 0);
      char time[40];
      snprintf(time, sizeof time, "t = %.10g ", o.err.t);
      check(o.status == DAE_ERROR_STEP && o.err.status == o.status, kd, how, &o, "status");
      check_named(kd, how, &o);
      check(o.err.equation[0] != '\0', kd, how, &o, "the record names nothing");
      check(strstr(o.err.text, time) != NULL, kd, how, &o, "the time is not in the message");
      if (kd->where == SHOWN)
        check_not_shown(kd, how, &o);
      else
        check_shrunk(kd, how, &o);
      check_kept(kd, how, &o);
    }
}

static void test_a_failing_callback_ends_the_run_at_once(void **state)
{
  (void)state;
  for (size_t i = 0; kind_at(i); i++) {
    const kind *kd = kind_at(i);
    set_fault(kd->callback, FAILS, LATE);
    outcome o = run_with_fault(kd->setting, 0);
    check(o.status == DAE_ERROR_CALLBACK && o.err.status == o.status, kd, FAILS, &o, "status");
    check(fault.hits == 1, kd, FAILS, &o, "it was called again");
    check(strstr(o.err.text, kd->named) != NULL, kd, FAILS, &o, "the callback is not named");
    check(isfinite(o.err.t) && o.err.t > BREAKS - 0.1 && o.err.t < TO, kd, FAILS, &o, "time");
    check(o.t_last <= o.err.t && o.t_last > BREAKS - 0.1, kd, FAILS, &o, "the last row");
    check(o.summary.stats.rejected_by_callback == 0, kd, FAILS, &o, "it counts as a refusal");
    check_kept(kd, FAILS, &o);
  }
}

static void test_a_fault_at_the_start_is_an_error_of_the_start(void **state)
{
  (void)state;
  for (size_t i = 0; kind_at(i); i++)
    for (manner how = REFUSES; how <= FAILS; how++) {
      const kind *kd = kind_at(i);
      set_fault(kd->callback, how, EVERYWHERE);
      outcome o = run_with_fault(kd->setting, 0);
      dae_status expected = how == FAILS ? DAE_ERROR_CALLBACK : DAE_ERROR_START;
      if (o.rows > 0) { /* the start itself did not need it, the first step does */
        check(kd->where == MATRIX && o.rows == 1 && o.err.t == 0, kd, how, &o,
              "it got beyond the start");
        expected = how == FAILS ? DAE_ERROR_CALLBACK : DAE_ERROR_STEP;
      }
      check(o.status == expected && o.err.status == expected, kd, how, &o, "status");
      check_named(kd, how, &o);
      check(o.summary.status == expected, kd, how, &o, "the summary says something else");
      const setting *on = &settings[kd->setting];
      dae_integrator *it = NULL;
      dae_status status =
          dae_method_find(on->method, NULL)
              ->create(&on->problem, &(dae_start){.y = on->y}, NULL, NULL, &it, NULL);
      check(status == (o.rows > 0 ? DAE_OK : expected), kd, how, &o, "the constructor differs");
      dae_integrator_free(it);
      check(o.finite, kd, how, &o, "a row has something that is not a number");
    }
}

/* ---- what is not part of the equations ---- */

static void test_an_energy_that_is_refused_costs_the_balance_only(void **state)
{
  (void)state;
  for (manner how = REFUSES; how <= IS_NAN; how++)
    for (place where = LATE; where <= EVERYWHERE; where++) {
      set_fault("energy", how, where);
      outcome o = run_with_fault(FULL, 0);
      assert_int_equal(o.status, DAE_OK);
      assert_true(fault.hits > 0);
      assert_true(o.finite && o.t_last == TO);
      assert_true(isnan(o.summary.energy_balance));
      assert_true(o.summary.position_drift < 1e-10); /* the other measures are there */
      char text[8192];
      assert_true(dae_summary_json(&o.summary, text, sizeof text) < sizeof text);
      assert_null(strstr(text, ": nan")); /* JSON has no such number */
    }
  set_fault("energy", FAILS, LATE);
  outcome o = run_with_fault(FULL, 0);
  assert_int_equal(o.status, DAE_ERROR_CALLBACK);
  assert_non_null(strstr(o.err.text, "callback energy "));
  assert_true(o.finite && o.rows > 10);
}

static void test_an_event_must_be_defined_on_the_motion(void **state)
{
  (void)state;
  for (manner how = REFUSES; how <= FAILS; how++) {
    set_fault("value", how, LATE);
    outcome o = run_with_fault(SEMI, 0);
    assert_int_equal(o.status, DAE_ERROR_CALLBACK);
    assert_string_equal(o.err.equation, "bell");
    assert_non_null(strstr(o.err.text, "'bell'"));
    assert_non_null(strstr(o.err.text, "t = 0.7"));
    assert_true(o.finite && o.rows > 10 && o.t_last <= BREAKS);
    assert_true(fabs(o.err.t - BREAKS) < 0.1);
    set_fault("value", how, EVERYWHERE);
    o = run_with_fault(SEMI, 0);
    assert_int_equal(o.status, DAE_ERROR_CALLBACK);
    assert_non_null(strstr(o.err.text, "'bell'"));
    assert_true(o.err.t == 0);
  }
  for (manner how = REFUSES; how <= FAILS; how++) {
    set_fault("action", how, LATE);
    outcome o = run_with_fault(SEMI, 0);
    assert_int_equal(o.status, DAE_ERROR_CALLBACK);
    assert_non_null(strstr(o.err.text, "'bell'"));
    assert_true(fabs(o.err.t - 1) < 1e-9);
    assert_true(o.finite && o.rows > 10 && o.t_last <= 1);
    assert_int_equal(fault.hits, 1);
  }
}

static void test_an_output_that_cannot_be_evaluated_ends_the_run(void **state)
{
  (void)state;
  for (manner how = REFUSES; how <= FAILS; how += FAILS - REFUSES) {
    set_fault("output", how, LATE);
    outcome o = run_with_fault(FULL, 0);
    assert_int_equal(o.status, DAE_ERROR_CALLBACK);
    assert_string_equal(o.err.equation, "output");
    assert_true(o.err.t > BREAKS && o.t_last <= BREAKS);
    assert_true(o.finite && o.rows == o.summary.rows);
  }
}

static dae_integrator *after_30_steps(void)
{
  const setting *on = &settings[FULL];
  dae_integrator *it;
  set_fault(NULL, FINE, EVERYWHERE);
  assert_int_equal(
      dae_bdf_ggl_create(&on->problem, &(dae_start){.y = on->y}, NULL, NULL, &it, NULL), DAE_OK);
  for (int i = 0; i < 30; i++)
    assert_int_equal(dae_integrator_step(it, TO, NULL), DAE_OK);
  return it;
}

/* a failure of dense output is an error of that call only: the integrator goes on, with the same
 * bits as one that was not looked at */
static void test_a_state_that_cannot_be_shown_says_when_and_does_no_harm(void **state)
{
  (void)state;
  const char *const culprit[] = {"gamma", "kappa"}, *const equation[] = {"rod", "blade"};
  for (int i = 0; i < 2; i++)
    for (manner how = REFUSES; how <= FAILS; how++) {
      dae_integrator *it = after_30_steps(), *calm = after_30_steps();
      double y[2][10];
      dae_error err = dae_error_none();
      char time[40];
      dae_view view = dae_integrator_view(it);
      double t = (view.t_previous + view.t) / 2;
      set_fault(culprit[i], how, EVERYWHERE);
      assert_int_equal(dae_integrator_interpolate(it, t, y[0], NULL, &err),
                       how == FAILS ? DAE_ERROR_CALLBACK : DAE_ERROR_STEP);
      assert_true(err.t == t && err.h > 0);
      snprintf(time, sizeof time, "t = %.10g ", t);
      assert_non_null(strstr(err.text, time));
      assert_non_null(strstr(err.text, how == IS_NAN ? equation[i] : culprit[i]));
      assert_int_equal(dae_integrator_step(it, TO, NULL), DAE_OK); /* a step does not need it */
      set_fault(NULL, FINE, EVERYWHERE);
      assert_int_equal(dae_integrator_step(calm, TO, NULL), DAE_OK);
      t = dae_integrator_view(it).t;
      assert_true(dae_integrator_view(calm).t == t);
      assert_int_equal(dae_integrator_interpolate(it, t, y[0], NULL, NULL), DAE_OK);
      assert_int_equal(dae_integrator_interpolate(calm, t, y[1], NULL, NULL), DAE_OK);
      assert_memory_equal(y[0], y[1], sizeof y[0]);
      dae_integrator_free(it);
      dae_integrator_free(calm);
    }
}

static void test_after_a_failed_step_the_last_state_is_intact(void **state)
{
  (void)state;
  for (int which = FULL; which <= SEMI; which++) {
    const setting *on = &settings[which];
    const char *const culprit[] = {"f", "f", "F", "eval", "joint.g", "semi.F"};
    dae_integrator *it;
    double before[16], after[16];
    dae_error err = dae_error_none();
    set_fault(culprit[which], REFUSES, LATE);
    assert_int_equal(dae_method_find(on->method, NULL)
                         ->create(&on->problem, &(dae_start){.y = on->y}, NULL, NULL, &it, &err),
                     DAE_OK);
    dae_status status;
    do {
      double t = dae_integrator_view(it).t;
      assert_int_equal(dae_integrator_interpolate(it, t, before, NULL, &err), DAE_OK);
      status = dae_integrator_step(it, TO, &err);
    } while (status == DAE_OK);
    assert_int_equal(status, DAE_ERROR_STEP);
    double t = dae_integrator_view(it).t;
    assert_int_equal(dae_integrator_interpolate(it, t, after, NULL, &err), DAE_OK);
    for (int i = 0; i < dae_problem_size(&on->problem); i++)
      assert_true(fabs(after[i] - before[i]) <= 1e-9 * (1 + fabs(before[i])));
    set_fault(NULL, FINE, EVERYWHERE); /* without the cause it goes on from there */
    assert_int_equal(dae_integrator_restart(it, t, after, &err), DAE_OK);
    do
      status = dae_integrator_step(it, TO, &err);
    while (status == DAE_OK);
    assert_int_equal(status, DAE_END);
    dae_integrator_free(it);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_without_faults_all_problems_run),
      cmocka_unit_test(test_a_region_of_refusal_shrinks_the_step),
      cmocka_unit_test(test_a_lasting_refusal_ends_the_run_with_equation_and_time),
      cmocka_unit_test(test_a_failing_callback_ends_the_run_at_once),
      cmocka_unit_test(test_a_fault_at_the_start_is_an_error_of_the_start),
      cmocka_unit_test(test_an_energy_that_is_refused_costs_the_balance_only),
      cmocka_unit_test(test_an_event_must_be_defined_on_the_motion),
      cmocka_unit_test(test_an_output_that_cannot_be_evaluated_ends_the_run),
      cmocka_unit_test(test_a_state_that_cannot_be_shown_says_when_and_does_no_harm),
      cmocka_unit_test(test_after_a_failed_step_the_last_state_is_intact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
