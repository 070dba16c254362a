/* Motions that SPARK methods cannot go on with, constraints that are dependent or contradict each
 * other, and starts that are not consistent, in the mechanical and in the momentum form: runs keep
 * what they have, and what they say names the constraint. */
#include "support.h"
#include "text_problem.h"

#include <math.h>
#include <stdlib.h>

/* every way to make steps */
typedef struct way {
  const char *method;
  dae_spark_options opts;
} way;
enum { FIXED = 3, WAYS = 7 }; /* so many of them have a fixed step */

static way way_at(int i)
{
  static const char *const methods[WAYS] = {"spark-gauss",  "spark-radau", "spark-lobatto",
                                            "spark-gauss",  "spark-radau", "spark-lobatto",
                                            "spark-lobatto"};
  way w = {methods[i], dae_spark_defaults()};
  if (i < FIXED) {
    w.opts.step = 0.01;
    w.opts.stages = 3;
  }
  if (i == WAYS - 1)
    w.opts.member = DAE_SPARK_MEMBER_C;
  return w;
}

typedef struct outcome {
  dae_status status;
  dae_error err;
  dae_summary summary;
  double t_last; /* of the last row */
} outcome;

static dae_status note_row(void *self, const dae_row *row, dae_error *err)
{
  (void)err;
  for (int i = 0; i < row->columns; i++)
    assert_true(isfinite(row->values[i]));
  *(double *)self = row->values[0];
  return DAE_OK;
}

static outcome run(const test_problem *p, const way *w)
{
  outcome o = {.err = dae_error_none(), .t_last = -1};
  dae_sink sink = {.self = &o.t_last, .row = note_row};
  dae_run_plan plan = {.problem = p->problem,
                       .start = p->start,
                       .method = dae_method_find(w->method, NULL),
                       .options = &w->opts,
                       .to = p->to,
                       .sinks = &sink,
                       .sink_count = 1};
  o.status = dae_run(&plan, NULL, &o.summary, &o.err);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%s, %s, step %g: %s [%s] %s\n", p->name, w->method, w->opts.step,
                  dae_status_name(o.status), o.err.equation, o.err.text);
  return o;
}

/* ---- constraints that become dependent on the way ---- */

/* rods to the middle and to a point that moves away: in one line at t = 1, where they must break */
static const char stretched[] = "model stretched\n"
                                "coord x = 0.5, y = sqrt(3)/2, z = 0 rate 1\n"
                                "kinetic (x'^2 + y'^2 + z'^2)/2\n"
                                "constraint left: (x^2 + y^2 - 1)/2 = 0\n"
                                "constraint right: ((x - 1 - t)^2 + y^2 - 1)/2 = 0\n";
/* from t = 1 on the slope is the wall */
static const char merging[] = "model merging\n"
                              "coord x = 0, y = 0, z = 0 rate 1\n"
                              "kinetic (x'^2 + y'^2 + z'^2)/2\n"
                              "potential x + y + z^2\n"
                              "constraint wall: x = 0\n"
                              "constraint slope: x + if(t < 1, (1 - t)^3, 0)*y = 0\n";

/* it stops before t = 1, where it was, and says so */
static void check_end(const test_problem *p, const way *w, const outcome *o)
{
  assert_int_equal(o->status, DAE_ERROR_STEP);
  assert_int_equal(o->summary.status, DAE_ERROR_STEP);
  assert_true(o->err.t > 0.98 && o->err.t < 1 + 1e-9);
  assert_true(o->summary.rows > 5 && o->summary.position_drift < 1e-9);
  if (!strstr(o->err.text, "dense output at t = ")) { /* or a step has led to where they depend */
    assert_true(o->summary.t_end == o->err.t && o->t_last == o->err.t);
    assert_non_null(strstr(o->err.text, "the integration stops at t = "));
    assert_non_null(strstr(o->summary.message, "the integration stops at t = "));
  }
  if (w->opts.step > 0)
    assert_non_null(strstr(o->err.text, "try a smaller one"));
  bool named = strcmp(o->err.equation, "left") == 0 || strcmp(o->err.equation, "right") == 0 ||
               strcmp(o->err.equation, "slope") == 0 || strcmp(o->err.equation, "wall") == 0;
  if (!named)
    fail_msg("%s, %s: no constraint is named in: %s", p->name, w->method, o->err.text);
}

static void test_rods_that_come_into_one_line_end_the_run_there(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(stretched, NULL, 0, 3, &p);
  for (int i = 0; i < WAYS; i++) {
    way w = way_at(i);
    outcome o = run(&p, &w);
    check_end(&p, &w, &o);
  }
  dae_model_free(model);
}

static void test_a_constraint_that_becomes_another_ends_the_run_by_name(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(merging, NULL, 0, 2, &p);
  for (int i = 0; i < FIXED; i++) {
    way w = way_at(i);
    outcome o = run(&p, &w);
    check_end(&p, &w, &o);
    assert_true(strcmp(o.err.equation, "slope") == 0 || strcmp(o.err.equation, "wall") == 0);
    assert_non_null(strstr(o.err.text, "singular"));
  }
  dae_model_free(model);
}

/* the same in the momentum form */
static int merging_v(void *user, const dae_momentum_at *at, double *v)
{
  (void)user;
  for (int i = 0; i < 3; i++)
    v[i] = at->z[i];
  return 0;
}

static int merging_f(void *user, const dae_momentum_at *at, const double *psi, double *f)
{
  (void)user, (void)psi;
  f[0] = f[1] = -1;
  f[2] = -2 * at->y[2];
  return 0;
}

static double slope_at(double t)
{
  return t < 1 ? pow(1 - t, 3) : 0;
}

static int merging_g(void *user, const dae_momentum_at *at, double *g)
{
  (void)user;
  g[0] = at->y[0];
  g[1] = at->y[0] + slope_at(at->t) * at->y[1];
  return 0;
}

static int merging_r(void *user, const dae_momentum_at *at, const double *lambda, double *r)
{
  (void)user;
  r[0] = -lambda[0] - lambda[1];
  r[1] = -slope_at(at->t) * lambda[1];
  r[2] = 0;
  return 0;
}

static void test_the_same_in_the_momentum_form_ends_the_run_by_name(void **state)
{
  (void)state;
  static const char *const names[] = {"wall", "slope"};
  static const double start[] = {0, 0, 0, 0, 0, 1, 0, 0};
  const dae_momentum m = {.name = "merging",
                          .ny = 3,
                          .nz = 3,
                          .ng = 2,
                          .g_names = names,
                          .v = merging_v,
                          .f = merging_f,
                          .g = merging_g,
                          .r = merging_r};
  const test_problem p = {.name = "merging",
                          .problem = dae_problem_momentum(&m),
                          .start = {.y = start},
                          .to = 2,
                          .size = 8};
  for (int i = 0; i < FIXED; i++) {
    way w = way_at(i);
    outcome o = run(&p, &w);
    check_end(&p, &w, &o);
    assert_true(strcmp(o.err.equation, "slope") == 0 || strcmp(o.err.equation, "wall") == 0);
    assert_non_null(strstr(o.err.text, "singular"));
  }
}

/* ---- k that is not independent of g ---- */

#define PENDULUM                                                                                   \
  "model rolling\n"                                                                                \
  "coord x = 0.6 rate 0.8, y = -0.8 rate 0.6\n"                                                    \
  "kinetic (x'^2 + y'^2)/2\n"                                                                      \
  "potential y\n"                                                                                  \
  "constraint rod: (x^2 + y^2 - 1)/2 = 0\n"

static void test_a_k_that_follows_from_g_is_found_redundant(void **state)
{
  (void)state;
  test_problem p, plain;
  dae_model *model =
      text_problem(PENDULUM "constraint roll: 3*x*x' + 3*y*y' = 0\n", NULL, 0, 2, &p);
  dae_model *without = text_problem(PENDULUM, NULL, 0, 2, &plain);
  for (int i = 0; i < WAYS; i++) {
    way w = way_at(i);
    double y[6], expected[5];
    dae_summary summary;
    assert_int_equal(support_run_with(w.method, &p, &w.opts, 0, NULL, NULL, y, &summary), DAE_OK);
    assert_int_equal(summary.diagnosis.constraints, 2);
    assert_int_equal(summary.diagnosis.rank, 1);
    assert_non_null(strstr(summary.diagnosis.text, "roll depends on rod"));
    assert_int_equal(support_run_with(w.method, &plain, &w.opts, 0, NULL, NULL, expected, NULL),
                     DAE_OK);
    for (int k = 0; k < 4; k++) /* the same motion */
      assert_true(fabs(y[k] - expected[k]) < 1e-6);
    /* the force of both together, of minimum norm: lambda + 3 psi, psi = 3 lambda */
    assert_true(fabs(y[4] + 3 * y[5] - expected[4]) < 1e-5 && fabs(y[5] - 3 * y[4]) < 1e-9);
  }
  dae_model_free(model);
  dae_model_free(without);
}

static void refused(const test_problem *p, dae_status status, const char *equation,
                    const char *says, const char *also)
{
  for (int i = 0; i < WAYS; i++) {
    way w = way_at(i);
    dae_integrator *it = (dae_integrator *)&w; /* must be overwritten */
    dae_error err = dae_error_none();
    assert_int_equal(
        dae_method_find(w.method, NULL)->create(&p->problem, &p->start, &w.opts, NULL, &it, &err),
        status);
    assert_null(it);
    if (err.status != status || strcmp(err.equation, equation) != 0 || !strstr(err.text, says) ||
        !strstr(err.text, also))
      fail_msg("%s, %s: [%s] %s", p->name, w.method, err.equation, err.text);
  }
}

static void test_a_k_that_contradicts_g_is_refused(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(PENDULUM "constraint roll: x*x' + y*y' = 1\n", NULL, 0, 2, &p);
  refused(&p, DAE_ERROR_START, "rod", "rod", "cannot be met");
  dae_model_free(model);
}

/* the rate of the rod once more, plus *user */
static int roll(void *user, const dae_momentum_at *at, double *k)
{
  double X = at->y[0] + 0.3 * at->y[1] * at->y[1];
  k[0] = X * (at->z[0] + 0.6 * at->y[1] * at->z[1]) + at->y[1] * at->z[1] + *(double *)user;
  return 0;
}

static int rolled(void *user, const dae_momentum_at *at, const double *psi, double *f)
{
  int code = test_curv_lag(true).problem.momentum->f(user, at, NULL, f);
  f[0] -= 0.3 * psi[0];
  f[1] -= psi[0];
  return code;
}

static void test_a_k_that_is_not_independent_of_g_is_refused_in_the_momentum_form(void **state)
{
  (void)state;
  static const char *const names[] = {"roll"};
  static const double start[] = {0.9, 0.2, 0.4, 0.3, 0, 0};
  double more[] = {0, 1}; /* it follows from g; it contradicts g */
  for (int i = 0; i < 2; i++) {
    dae_momentum m = *test_curv_lag(true).problem.momentum;
    m.nk = 1;
    m.k = roll;
    m.k_names = names;
    m.f = rolled;
    m.user = &more[i];
    const test_problem p = {
        .name = "rolling", .problem = dae_problem_momentum(&m), .start = {.y = start}, .size = 6};
    refused(&p, DAE_ERROR_START, i ? "rod" : "roll", i ? "rod" : "roll", i ? "" : "rod");
  }
}

/* ---- starts that are not consistent ---- */

static void test_a_start_off_the_constraints_is_repaired(void **state)
{
  (void)state;
  /* (1.2, -0.5) has length 1.3; the velocity (1, 1) has the component 7/13 along the rod */
  static const double on[] = {12. / 13, -5. / 13, 85. / 169, 204. / 169};
  static const double off[] = {1.2, -0.5, 1, 1, 0};
  test_problem p = test_pendulum_light(), skate = test_mixed(true);
  p.start.y = off;
  static const double beside[] = {0.9, 0.1, 0.3, 0.2, 0.3, 0.8, 0.6, 1.3, 0, 0};
  skate.start.y = beside;
  for (int i = 0; i < WAYS; i++) {
    way w = way_at(i);
    const dae_method *method = dae_method_find(w.method, NULL);
    dae_integrator *it;
    double y[10];
    assert_int_equal(method->create(&p.problem, &p.start, &w.opts, NULL, &it, NULL), DAE_OK);
    support_state(it, y, NULL);
    for (int j = 0; j < 4; j++)
      assert_true(fabs(y[j] - on[j]) < 1e-12);
    dae_integrator_free(it);
    assert_int_equal(method->create(&skate.problem, &skate.start, &w.opts, NULL, &it, NULL),
                     DAE_OK);
    support_state(it, y, NULL);
    assert_true(fabs(y[0] * y[0] + y[2] * y[2] - 1) < 1e-13);
    assert_true(fabs(y[0] * y[4] + y[2] * y[6]) < 1e-13);
    dae_integrator_free(it);
    outcome o = run(&skate, &w);
    assert_int_equal(o.status, DAE_OK);
    assert_true(o.summary.moved > 0 && o.summary.position_drift < 1e-10);
  }
}

static void test_a_start_that_is_held_off_the_constraints_is_refused_by_name(void **state)
{
  (void)state;
  static const double off[] = {1.2, -0.5, 1, 1, 0};
  static const bool held[] = {true, true, false, false, false};
  test_problem p = test_pendulum_light(), lag = test_curv_lag(true);
  p.start.y = lag.start.y = off;
  p.start.fixed = lag.start.fixed = held;
  refused(&p, DAE_ERROR_START, "rod", "rod", "fixed");
  refused(&lag, DAE_ERROR_START, "rod", "rod", "fixed");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rods_that_come_into_one_line_end_the_run_there),
      cmocka_unit_test(test_a_constraint_that_becomes_another_ends_the_run_by_name),
      cmocka_unit_test(test_the_same_in_the_momentum_form_ends_the_run_by_name),
      cmocka_unit_test(test_a_k_that_follows_from_g_is_found_redundant),
      cmocka_unit_test(test_a_k_that_contradicts_g_is_refused),
      cmocka_unit_test(test_a_k_that_is_not_independent_of_g_is_refused_in_the_momentum_form),
      cmocka_unit_test(test_a_start_off_the_constraints_is_repaired),
      cmocka_unit_test(test_a_start_that_is_held_off_the_constraints_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
