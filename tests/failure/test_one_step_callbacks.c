/* Callbacks that refuse a point, return something that is not a number, or fail, under the one-step
 * methods with variable steps, the Lie-group method among them: each kind in each form of problem
 * that a method takes. A refusal shrinks the step; a lasting one ends the run with a message that
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
    {PLAIN, "f", "callback f ", "equation of x"},
    {PLAIN, "M", "callback M ", "entry of M of equation of x"},
    {PLAIN, "g", "callback g ", "rod"},
    {PLAIN, "g_t", "callback g_t ", "rod"},
    {PLAIN, "G", "callback G ", "rod"},
    {PLAIN, "k", "callback k ", "blade"},
    {PLAIN, "K", "callback K ", "entry of K of blade"},
    {PLAIN, "s", "callback s ", "filter"},
    {PLAIN, "gamma", "callback gamma ", "rod"},
    {PLAIN, "kappa", "callback kappa ", "blade"},
};

#define KINDS ((int)(sizeof kinds / sizeof *kinds))

static const char *const methods[] = {"explicit", "gauss", "radau", "switching", "lie"};
#define METHODS ((int)(sizeof methods / sizeof *methods))

static const char *const manners[] = {"", "refuses", "is NaN", "fails"};

/* Every callback is called in every attempt at a step of lie, which therefore ends where a lasting
 * refusal begins; the others do without some, and look at points within their steps. */
static bool is_thorough(const char *method)
{
  return strcmp(method, "lie") == 0;
}

/* a callback under a method that takes its problem */
typedef struct sample {
  const char *method;
  const kind *kind;
} sample;

static bool takes(const char *method, int which)
{
  return dae_method_find(method, NULL)->accepts(&settings[which].problem, NULL) == DAE_OK;
}

static bool sample_at(int i, sample *out)
{
  *out = (sample){methods[i / KINDS], &kinds[i % KINDS]};
  return takes(out->method, out->kind->setting);
}

#define SAMPLES (METHODS * KINDS)

static int failures;

static void check(bool good, const sample *s, manner how, const outcome *o, const char *what)
{
  if (good)
    return;
  print_error("%s, %s of %s %s: %s\n  %s [%s] t = %.17g, h = %g: %s\n  %ld rows up to t = %.17g\n",
              s->method, s->kind->callback, settings[s->kind->setting].name, manners[how], what,
              dae_status_name(o->status), o->err.equation, o->err.t, o->err.h, o->err.text, o->rows,
              o->t_last);
  failures++;
}

typedef union options {
  dae_rk_options rk;
  dae_lie_options lie;
} options;

static options options_of(const char *name, double first_step, double max_step)
{
  const dae_method *method = dae_method_find(name, NULL);
  const double value[] = {first_step, max_step};
  static const char *const option[] = {"first_step", "max_step"};
  options opts;
  assert_true(method->options_size <= sizeof opts);
  method->defaults(&opts);
  for (int i = 0; i < 2; i++) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", value[i]);
    assert_int_equal(dae_options_set(method->options, &opts, option[i], text, NULL), DAE_OK);
  }
  return opts;
}

static outcome run(const sample *s, double first_step)
{
  /* there are enough rows */
  options opts = options_of(s->method, first_step, first_step > 0 ? 0 : 0.1);
  return run_by(s->method, &opts, s->kind->setting);
}

static void check_named(const sample *s, manner how, const outcome *o)
{
  const char *name = how == IS_NAN ? s->kind->equation : s->kind->named;
  check(!name || strstr(o->err.text, name), s, how, o, "the culprit is not named");
  check(o->err.equation[0] != '\0', s, how, o, "the record names nothing");
}

static void check_kept(const sample *s, manner how, const outcome *o)
{
  check(o->finite, s, how, o, "a row has something that is not a number");
  check(o->rows > 5 && o->rows == o->summary.rows, s, how, o, "rows are missing");
  check(o->summary.status == o->status, s, how, o, "the summary says something else");
  check(strcmp(o->summary.message, o->err.text) == 0, s, how, o, "the summary differs");
  /* what is looked at may lie before the last row, in the same step */
  check(o->t_last <= o->err.t + (is_thorough(s->method) ? 0 : 0.1) && o->t_last > BREAKS - 0.3, s,
        how, o, "the last row");
}

static void test_without_faults_all_problems_run(void **state)
{
  (void)state;
  for (int m = 0; m < METHODS; m++)
    for (int i = 0; i < SETTINGS; i++) {
      if (!takes(methods[m], i))
        continue;
      set_fault(NULL, FINE, EVERYWHERE);
      outcome o = run(&(sample){methods[m], &(kind){.setting = i}}, 0);
      if (o.status)
        fail_msg("%s, %s: %s", methods[m], settings[i].name, o.err.text);
      assert_true(o.finite && o.rows == o.summary.rows && o.t_last == TO);
      assert_int_equal(o.summary.stats.rejected_by_callback, 0);
    }
}

static void test_a_region_of_refusal_shrinks_the_step(void **state)
{
  (void)state;
  sample s, undisturbed = {0};
  outcome clean = {0};
  int entered[METHODS] = {0};
  failures = 0;
  for (int i = 0; i < SAMPLES; i++)
    for (manner how = REFUSES; how <= IS_NAN && sample_at(i, &s); how++) {
      if (strcmp(s.kind->callback, "input") == 0) /* a function of time alone */
        continue;
      if (s.method != undisturbed.method || s.kind->setting != undisturbed.kind->setting) {
        set_fault(NULL, FINE, EVERYWHERE);
        clean = run(&s, 0.5);
        assert_int_equal(clean.status, DAE_OK);
        undisturbed = s;
      }
      set_fault(s.kind->callback, how, FAR_OFF);
      outcome o = run(&s, 0.5);
      check(o.status == DAE_OK, &s, how, &o, "the run did not go on");
      check(fault.hits == 0 || o.summary.stats.rejected_by_callback > 0, &s, how, &o,
            "no rejection was counted");
      entered[i / KINDS] += fault.hits > 0;
      check(o.finite && o.rows == o.summary.rows, &s, how, &o, "rows");
      check(fabs(o.value_last - clean.value_last) < 1e-4, &s, how, &o, "another motion");
    }
  assert_int_equal(failures, 0);
  for (int m = 0; m < METHODS; m++) {
    if (getenv("DAEDAL_VERBOSE"))
      print_message("%s: %d times\n", methods[m], entered[m]);
    assert_true(entered[m] > 5);
  }
}

static void test_a_lasting_refusal_ends_the_run_with_equation_and_time(void **state)
{
  (void)state;
  sample s;
  failures = 0;
  for (int i = 0; i < SAMPLES; i++)
    for (manner how = REFUSES; how <= IS_NAN && sample_at(i, &s); how++) {
      set_fault(s.kind->callback, how, LATE);
      outcome o = run(&s, 0);
      char time[40];
      snprintf(time, sizeof time, "t = %.10g ", o.err.t);
      bool thorough = is_thorough(s.method);
      if (fault.hits == 0) { /* not needed by this method */
        check(o.status == DAE_OK && !thorough, &s, how, &o, "status");
        continue;
      }
      check(o.status == DAE_ERROR_STEP && o.err.status == o.status, &s, how, &o, "status");
      check_named(&s, how, &o);
      check(strstr(o.err.text, time) != NULL, &s, how, &o, "the time is not in the message");
      check(fabs(o.err.t - BREAKS) < (thorough ? 1e-2 : 0.2), &s, how, &o, "where it ends");
      check(!thorough || (o.err.h < 1e-6 && o.summary.stats.rejected_by_callback > 5), &s, how, &o,
            "how it ends");
      check_kept(&s, how, &o);
    }
  assert_int_equal(failures, 0);
}

static void test_a_failing_callback_ends_the_run_at_once(void **state)
{
  (void)state;
  sample s;
  failures = 0;
  for (int i = 0; i < SAMPLES; i++) {
    if (!sample_at(i, &s))
      continue;
    set_fault(s.kind->callback, FAILS, LATE);
    outcome o = run(&s, 0);
    if (fault.hits == 0) { /* not needed by this method */
      check(o.status == DAE_OK && !is_thorough(s.method), &s, FAILS, &o, "status");
      continue;
    }
    check(o.status == DAE_ERROR_CALLBACK && o.err.status == o.status, &s, FAILS, &o, "status");
    check(fault.hits == 1, &s, FAILS, &o, "it was called again");
    check_named(&s, FAILS, &o);
    check(o.summary.stats.rejected_by_callback == 0, &s, FAILS, &o, "it counts as a refusal");
    check_kept(&s, FAILS, &o);
  }
  assert_int_equal(failures, 0);
}

static void test_a_fault_at_the_start_is_an_error_of_the_start(void **state)
{
  (void)state;
  sample s;
  failures = 0;
  for (int i = 0; i < SAMPLES; i++)
    for (manner how = REFUSES; how <= FAILS && sample_at(i, &s); how++) {
      set_fault(s.kind->callback, how, EVERYWHERE);
      outcome o = run(&s, 0);
      dae_status expected = how == FAILS ? DAE_ERROR_CALLBACK : DAE_ERROR_START;
      if (fault.hits == 0) { /* not needed by this method */
        check(o.status == DAE_OK, &s, how, &o, "status");
        continue;
      }
      if (o.rows > 0) /* the start itself did not need it, the first step does */
        expected = how == FAILS ? DAE_ERROR_CALLBACK : DAE_ERROR_STEP;
      check(o.rows <= 1, &s, how, &o, "it got beyond the start");
      check(o.status == expected && o.err.status == expected, &s, how, &o, "status");
      check_named(&s, how, &o);
    }
  assert_int_equal(failures, 0);
}

/* ---- between steps ---- */

static dae_integrator *after_10_steps(const sample *s)
{
  const setting *on = &settings[s->kind->setting];
  options opts = options_of(s->method, 0, 0.1);
  dae_integrator *it;
  set_fault(NULL, FINE, EVERYWHERE);
  assert_int_equal(dae_method_find(s->method, NULL)
                       ->create(&on->problem, &(dae_start){.y = on->y}, &opts, NULL, &it, NULL),
                   DAE_OK);
  for (int i = 0; i < 10; i++)
    assert_true(dae_integrator_step(it, 10 * TO, NULL) >= 0);
  return it;
}

/* a failure of dense output is an error of that call only: the integrator goes on, with the same
 * bits as one that was not looked at */
static void check_look(const sample *s, manner how)
{
  dae_integrator *it = after_10_steps(s), *calm = after_10_steps(s);
  int size = dae_integrator_view(it).size;
  double y[2][32];
  dae_error err = dae_error_none();
  dae_view view = dae_integrator_view(it);
  double t = (view.t_previous + view.t) / 2;
  assert_true(size <= 32);
  set_fault(s->kind->callback, how, EVERYWHERE);
  dae_status status = dae_integrator_interpolate(it, t, y[0], NULL, &err);
  if (fault.hits > 0 && how == FAILS &&
      (status != DAE_ERROR_CALLBACK || !strstr(err.text, s->kind->named)))
    fail_msg("%s, %s fails: %s %s", s->method, s->kind->callback, dae_status_name(status),
             err.text);
  if (status < 0 && (!strstr(err.text, "dense output at t = ") || err.t != t))
    fail_msg("%s, %s %s: [%s] %s", s->method, s->kind->callback, manners[how], err.equation,
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
  if (memcmp(y[0], y[1], (size_t)size * sizeof **y) != 0)
    fail_msg("%s, %s %s: a look changes the motion", s->method, s->kind->callback, manners[how]);
}

static void test_a_state_that_cannot_be_shown_says_when_and_does_no_harm(void **state)
{
  (void)state;
  sample s;
  for (int i = 0; i < SAMPLES; i++)
    for (manner how = REFUSES; how <= FAILS && sample_at(i, &s); how++)
      check_look(&s, how);
}

static void test_after_a_failed_step_the_last_state_is_intact(void **state)
{
  (void)state;
  sample s;
  for (int i = 0; i < SAMPLES; i++) {
    if (!sample_at(i, &s))
      continue;
    dae_integrator *it = after_10_steps(&s);
    double before[32], after[32], t = dae_integrator_view(it).t;
    int size = dae_integrator_view(it).size;
    dae_error err = dae_error_none();
    assert_int_equal(dae_integrator_interpolate(it, t, before, NULL, NULL), DAE_OK);
    set_fault(s.kind->callback, IS_NAN, EVERYWHERE);
    dae_status status = dae_integrator_step(it, 10 * TO, &err);
    set_fault(NULL, FINE, EVERYWHERE);
    if (status < 0) {
      assert_true(dae_integrator_view(it).t == t);
      assert_int_equal(dae_integrator_interpolate(it, t, after, NULL, NULL), DAE_OK);
      for (int j = 0; j < size; j++)
        assert_true(fabs(after[j] - before[j]) <= 1e-9 * (1 + fabs(before[j])));
    }
    assert_true(dae_integrator_step(it, 10 * TO, &err) >= 0); /* it goes on */
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
      cmocka_unit_test(test_a_state_that_cannot_be_shown_says_when_and_does_no_harm),
      cmocka_unit_test(test_after_a_failed_step_the_last_state_is_intact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
