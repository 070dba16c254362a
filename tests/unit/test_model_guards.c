/* Relations of the motion as guards: with the modes that the relations have at a point, the motion
 * and its Jacobian are those of the expression as written; with other modes they are those of
 * another branch. Which relations are guards, their order, names, places and start values; smooth,
 * noevent and when; what is refused. */
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

enum { MAX = 16 };

static dae_model *load(const char *text)
{
  dae_error err;
  dae_model *model = NULL;
  char shown[2048];
  if (dae_model_parse("model.dae", text, strlen(text), NULL, NULL, &model, &err)) {
    dae_error_text(&err, shown, sizeof shown);
    fail_msg("%s\n%s", text, shown);
  }
  return model;
}

static dae_run_plan plan_of(const dae_model *model)
{
  dae_run_plan plan = {.to = NAN, .every = NAN};
  dae_model_plan(model, &plan);
  return plan;
}

static int guards_of(const dae_run_plan *plan)
{
  int count = 0;
  for (int i = 0; i < plan->event_count; i++)
    count += plan->events[i].kind == DAE_EVENT_GUARD;
  return count;
}

/* Sets the modes of all guards at a point, in their order: operands before the guards that depend
 * on them. z: the extended state vector. */
static void set_modes(const dae_run_plan *plan, double t, double *z)
{
  double end = t + 10, next;
  double value, after[2 * MAX];
  int n = dae_problem_extended_size(&plan->problem), first = dae_problem_size(&plan->problem);
  for (int i = 0; i < plan->event_count; i++) {
    const dae_event *e = &plan->events[i];
    if (e->kind != DAE_EVENT_GUARD)
      continue;
    assert_int_equal(e->set_count, 1);
    if (!e->value) { /* relations of time: the action knows the side just after t */
      assert_int_equal(e->next(e->user, t, end, z, &next), 0);
      memcpy(after, z, (size_t)n * sizeof *z);
      assert_int_equal(e->action(e->user, t, z, after), 0);
      memcpy(z, after, (size_t)n * sizeof *z);
      continue;
    }
    assert_int_equal(e->value(e->user, t, z, &value), 0);
    if (!e->action) {
      z[e->sets[0]] = value > 0;
    } else if (value * e->direction > 0 || (value == 0 && e->direction > 0)) {
      memcpy(after, z, (size_t)n * sizeof *z);
      assert_int_equal(e->action(e->user, t, z, after), 0);
      memcpy(z, after, (size_t)n * sizeof *z);
    }
  }
  memcpy(plan->problem.held.value, z + first, (size_t)(n - first) * sizeof *z);
}

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0 * 8 - 4;
}

/* expressions of the states x, y, the discrete n, and t */
static const char *const expressions[] = {
    "abs(x)",
    "sign(x - y)*y",
    "floor(x) + 0.5*floor(2*y)",
    "mod(x, 0.7)",
    "mod(x*y, 3) + mod(t, 1.5)",
    "min(x, y) - max(x, -y)",
    "min(x, min(y, x*y))",
    "max(max(x, y), max(-x, sin(x)))",
    "if(x < y, x^2, y^3)",
    "if(x > 1, 1, if(x > -1, x, -1))",
    "if(x <= y && !(x*y > 1) || y >= 2, exp(x), cos(y))",
    "if(!(x < 0), sqrt(abs(x)), y)",
    "if(abs(x) < abs(y), x, y)*abs(x - abs(y))",
    "if(floor(x) == 1, x, if(floor(x) != 2, 7, y))",
    "if(n > 1 && x > n, n*x, y)",
    "if(n == 2, x, abs(y))",
    "if(t < x, t, x) + if(t > 2, 1, 0)*y",
    "abs(x)^2 + abs(x)^3 + x*abs(x)",
    "if(x^2 + y^2 > 4, x, y) + if(4 < x^2 + y^2, 1, 0)",
};

static void test_motion_is_that_of_the_text(void **state)
{
  (void)state;
  uint64_t seed = 20261118;
  for (size_t k = 0; k < sizeof expressions / sizeof *expressions; k++) {
    char text[512];
    /* the same let watched and unwatched: relations are told apart although nodes are shared */
    snprintf(text, sizeof text,
             "model m\nstate x = 1, y = 2\ndiscrete n = 2\nlet w = %s\nx' = w\ny' = noevent(w)\n",
             expressions[k]);
    dae_model *model = load(text);
    dae_run_plan plan = plan_of(model);
    const dae_semi_explicit *p = plan.problem.semi_explicit;
    double z[MAX] = {0}, f[2], J[4];
    assert_true(guards_of(&plan) > 0);
    assert_true(plan.unwatched > 0);
    assert_true(dae_problem_extended_size(&plan.problem) <= MAX);
    for (int point = 0; point < 200; point++) {
      double t = uniform(&seed);
      z[0] = uniform(&seed);
      z[1] = uniform(&seed);
      z[2] = point % 4;
      set_modes(&plan, t, z);
      const dae_semi_explicit_at at = {.t = t, .x = z};
      assert_int_equal(p->f(p->user, &at, f), 0);
      assert_int_equal(p->J(p->user, &at, J), 0);
      if (f[0] != f[1] || J[0] != J[1] || J[2] != J[3])
        fail_msg("%s at t = %.17g, x = %.17g, y = %.17g, n = %g: %.17g, as written %.17g",
                 expressions[k], t, z[0], z[1], z[2], f[0], f[1]);
    }
    dae_model_free(model);
  }
}

static double f_at(const dae_run_plan *plan, double x, const double *modes, int count)
{
  const dae_semi_explicit *p = plan->problem.semi_explicit;
  double f = NAN, z[1] = {x};
  assert_int_equal(plan->problem.held.count, count);
  memcpy(plan->problem.held.value, modes, (size_t)count * sizeof *modes);
  assert_int_equal(p->f(p->user, &(dae_semi_explicit_at){.x = z}, &f), 0);
  return f;
}

static void test_held_branch_goes_on_beyond_its_border(void **state)
{
  (void)state;
  dae_model *model = load("model m\nstate x = 1\nx' = if(x > 0, 3*x, x^2) + floor(x)\n");
  dae_run_plan plan = plan_of(model);
  assert_true(f_at(&plan, -2, (double[]){1, 0}, 2) == -6);
  assert_true(f_at(&plan, 2, (double[]){0, 5}, 2) == 9);
  /* the start: x = 1 */
  assert_true(plan.start.y[1] == 1 && plan.start.y[2] == 1);
  dae_model_free(model);
}

/* ---- which relations are guards ---- */

static const struct {
  const char *equation;
  int guards, unwatched;
} counted[] = {
    {"x' = -x", 0, 0},
    {"x' = if(n > 2, 1, -x)", 0, 0},      /* constant between events */
    {"x' = if(n == a, 1, -x)", 0, 0},     /* exact over held values */
    {"x' = if(1 > 2, abs(x), -x)", 0, 0}, /* a constant condition */
    {"x' = abs(x) + sign(x) + if(x > 0, 1, 0)", 1, 0},
    {"x' = if(x < 1, 1, 0) + if(x >= 1, 2, 0)", 1, 0},
    {"x' = min(x, min(2*x, n))", 2, 0},
    {"x' = floor(x) + mod(x, 1)", 2, 0}, /* two events of one mode */
    {"x' = if(floor(x) == 2, 1, 0)", 2, 0},
    {"x' = smooth(max(x, 0)^3)", 0, 0},
    {"x' = noevent(max(x, 0) + abs(x)) + noevent(if(n > 1, 1, 2))", 0, 2},
    {"x' = if(noevent(x > 0), x, 0)", 0, 1},
    {"x' = if(noevent(x > 0) && x < 3, x, 0)", 1, 1},
    {"x' = smooth(noevent(abs(x)) + sign(x)) + noevent(smooth(max(x, 2)))", 0, 1},
    {"x' = w + noevent(w)", 1, 1}, /* let w = abs(x) */
    {"x' = w' + noevent(w)'", 1, 1},
    {"x' = smooth(if(x == 0, 1, sin(x)/x))", 0, 0},
};

static void test_which_relations_are_watched(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof counted / sizeof *counted; k++) {
    char text[512];
    bool rates = strchr(counted[k].equation + 2, '\'') != NULL;
    snprintf(text, sizeof text,
             "model m\nparam a = 2\nstate %s = 1\ndiscrete n = 2\nlet w = abs(%s)\n%s\n%s",
             rates ? "x = 1, y" : "x", rates ? "y" : "x", counted[k].equation,
             rates ? "y' = 1\n" : "");
    if (rates) /* rates of a let give rates of states: as a force on a coordinate */
      snprintf(text, sizeof text,
               "model m\ncoord y = 1\nkinetic y'^2/2\nlet w = abs(y)\nforce y = %s\n",
               counted[k].equation + 5);
    dae_model *model = load(text);
    dae_run_plan plan = plan_of(model);
    if (guards_of(&plan) != counted[k].guards || plan.unwatched != counted[k].unwatched)
      fail_msg("%s: %d guards, %d not watched", counted[k].equation, guards_of(&plan),
               plan.unwatched);
    dae_model_free(model);
  }
}

static void test_declaration_hides_smooth_and_noevent(void **state)
{
  (void)state;
  dae_model *model = load("model m\nlet smooth(u) = 2*u, noevent(u) = 3*u\nstate x = 1\n"
                          "x' = smooth(x) + noevent(abs(x))\n");
  dae_run_plan plan = plan_of(model);
  assert_int_equal(guards_of(&plan), 1);
  assert_int_equal(plan.unwatched, 0);
  assert_true(f_at(&plan, 1, (double[]){1}, 1) == 5);
  dae_model_free(model);
}

/* Outputs and event functions are as written. */
static void test_only_the_motion_is_rewritten(void **state)
{
  (void)state;
  dae_model *model = load("model m\nstate x = 1\nlet w = abs(x)\nx' = -x\noutput o = w\n"
                          "event e: floor(x) - 1/2 { x = max(x, 2) }\ndraw point (abs(x), 0)\n");
  dae_run_plan plan = plan_of(model);
  assert_int_equal(plan.event_count, 1);
  assert_int_equal(plan.problem.held.count, 0);
  dae_model_free(model);
}

/* ---- order, names, places ---- */

static void test_guards_have_names_and_places(void **state)
{
  (void)state;
  static const char *const names[] = {
      "y' > 0.3",     "y^2 <= x - y", "abs(x - y)", "x*(y + 1) > 2.5",
      "floor(0.5*x)", "floor(0.5*x)", "e"};
  static const int lines[] = {5, 6, 7, 8, 8, 8, 9};
  dae_model *model = load("model m\ncoord x = 0, y = 0\nparam a = 0.3\nkinetic (x'^2 + y'^2)/2\n"
                          "force x = if(y' > a, 1, 0)\n"
                          "force x = if(x - y >= y^2, 1, 0)\n"
                          "force x = abs(x - y)\n"
                          "force y = if(x*(1 + y) > 2.5, 1, 0) + floor(x/2)\n"
                          "event e: x\n");
  dae_run_plan plan = plan_of(model);
  assert_int_equal(plan.event_count, 7);
  for (int i = 0; i < plan.event_count; i++) {
    assert_string_equal(plan.events[i].name, names[i]);
    dae_error err = dae_error_none();
    snprintf(err.equation, sizeof err.equation, "%s", plan.events[i].name);
    dae_model_locate(model, &err);
    assert_int_equal(err.line, lines[i]);
  }
  dae_model_free(model);
}

static void test_guard_has_exact_rate(void **state)
{
  (void)state;
  dae_model *model = load("model m\nstate x = 1, y = 2\nx' = if(x*y < t^2, 1, -1)\ny' = x\n");
  dae_run_plan plan = plan_of(model);
  const dae_event *e = &plan.events[0];
  const double z[] = {2, 3, 0}, dz[] = {0.5, -1, 0};
  double value, rate;
  assert_int_equal(e->value(e->user, 4, z, &value), 0);
  assert_int_equal(e->rate(e->user, 4, z, dz, &rate), 0);
  assert_true(e->states_only && !e->action && e->direction == 0 && !e->stop && !e->passive);
  assert_true(value == 10 && rate == 8 - (0.5 * 3 - 2));
  dae_model_free(model);
}

static void test_guard_of_algebraic_variable_is_told(void **state)
{
  (void)state;
  dae_model *model = load("model m\nstate x = 1\nalg z = 1\nx' = if(z > 0, 1, -1)\n0 = z - x\n");
  dae_run_plan plan = plan_of(model);
  assert_false(plan.events[0].states_only);
  dae_model_free(model);
}

/* A far jump of w sets floor(w) at once. */
static void test_floor_follows_far_jumps(void **state)
{
  (void)state;
  dae_model *model = load("model m\nstate x = 0.5\nx' = floor(x)\n");
  dae_run_plan plan = plan_of(model);
  const double w[] = {0.5, 1, 7.25, 2, -3.5, -4, 0}, floors[] = {0, 1, 7, 2, -4, -4, 0};
  double z[MAX] = {0};
  for (int i = 0; i < 7; i++) {
    z[0] = w[i];
    set_modes(&plan, 0, z);
    assert_true(z[1] == floors[i]);
  }
  /* at the border from above and from below, where rounding may leave w on either side */
  const dae_event *up = &plan.events[0], *down = &plan.events[1];
  double after[2];
  assert_int_equal(up->action(up->user, 0, (double[]){3 - 1e-12, 2}, after), 0);
  assert_true(after[1] == 3);
  assert_int_equal(down->action(down->user, 0, (double[]){3 + 1e-12, 3}, after), 0);
  assert_true(after[1] == 2);
  dae_model_free(model);
}

/* ---- when ---- */

static void test_when_is_a_condition_over_modes(void **state)
{
  (void)state;
  dae_model *model = load("model m\nstate x = 1\ndiscrete n = 0, count = 0\n"
                          "x' = if(x > 2, -1, 1) + n\n"
                          "event a: when x > 2 || x < 0 && n == 1 { n = 1 }\n"
                          "event b: when x > 3 stop { count = count + 1 }\n");
  dae_run_plan plan = plan_of(model);
  double z[MAX] = {1}, value;
  assert_int_equal(guards_of(&plan), 3);
  const dae_event *a = &plan.events[3], *b = &plan.events[4];
  for (int i = 0; i < 3; i++) /* the modes of x < 0 and x > 3 stand in no motion */
    assert_int_equal(plan.events[i].passive, strcmp(plan.events[i].name, "x > 2") != 0);
  assert_true(a->kind == DAE_EVENT_CONDITION && !a->passive && !a->stop);
  assert_true(b->kind == DAE_EVENT_CONDITION && b->passive && b->stop);
  const double points[][3] = {{1, 0, 0}, {2.5, 0, 1}, {-1, 0, 0}, {-1, 1, 1}, {3.5, 1, 1}};
  for (int i = 0; i < 5; i++) {
    z[0] = points[i][0];
    z[1] = points[i][1];
    set_modes(&plan, 0, z);
    assert_int_equal(a->value(a->user, 0, z, &value), 0);
    assert_int_equal(value > 0, points[i][2] == 1);
    assert_true(fabs(value) == 0.5);
    assert_int_equal(b->value(b->user, 0, z, &value), 0);
    assert_int_equal(value > 0, z[0] > 3);
  }
  dae_model_free(model);
}

static void test_when_may_be_a_name(void **state)
{
  (void)state;
  dae_model *model = load("model m\nstate when = 1\nwhen' = -when\nevent a: when - 1/2\n"
                          "event b: when rising\nevent c: when^2 - 1/2 falling\n"
                          "event d: when when > 1/2\nevent e: when !(when > 1/2) || when < -1\n");
  dae_run_plan plan = plan_of(model);
  static const dae_event_kind kinds[] = {DAE_EVENT_CROSSING, DAE_EVENT_CROSSING, DAE_EVENT_CROSSING,
                                         DAE_EVENT_CONDITION, DAE_EVENT_CONDITION};
  int first = guards_of(&plan);
  assert_int_equal(plan.event_count, first + 5);
  for (int i = 0; i < 5; i++)
    assert_int_equal(plan.events[first + i].kind, kinds[i]);
  dae_model_free(model);
}

/* Several systems share guards of equal relations, and modes are no inputs. */
static void test_guards_of_several_systems(void **state)
{
  (void)state;
  dae_model *model = load("model m\nsystem a { state x = 1; x' = if(x > 0, b.y, 1) }\n"
                          "system b { state y = 1; y' = if(a.x > 0, 1, y) + abs(y) }\n");
  dae_run_plan plan = plan_of(model);
  assert_int_equal(guards_of(&plan), 2);
  assert_string_equal(plan.events[0].name, "a.x > 0");
  assert_string_equal(plan.events[1].name, "abs(b.y)");
  assert_int_equal(plan.problem.held.count, 2);
  dae_model_free(model);
}

/* The size of the graph, and so the work of loading, is linear in the number of guards. */
static void test_loading_is_linear_in_guards(void **state)
{
  (void)state;
  long nodes[2];
  for (int i = 0; i < 2; i++) {
    char text[200];
    int n = 500 << i;
    snprintf(text, sizeof text,
             "model m\nparam N = %d\nstate x[1..N] = i\nfor i in 2..N-1 { x[i]' = abs(x[i+1] - "
             "x[i]) + if(x[i] > x[i-1], 1, 0) }\nx[1]' = 0\nx[N]' = 0\n",
             n);
    dae_model *model = load(text);
    dae_run_plan plan = plan_of(model);
    assert_int_equal(guards_of(&plan), 2 * (n - 2));
    nodes[i] = dae_model_count(model).nodes;
    dae_model_free(model);
  }
  assert_true((double)nodes[1] < 2.1 * (double)nodes[0]);
}

/* ---- errors ---- */

static const struct {
  const char *text;
  int line, column;
  const char *part;
} refused[] = {
    {"model m\nstate x = 0\nx' = if(x == 1, 1, 2)\n", 3, 11, "write < or <="},
    {"model m\nstate x = 0\nx' = if(x != t, 1, 2)\n", 3, 11, "x == t"},
    {"model m\nstate x = 0\nx' = 1\nevent e: when x == 1 {x = 2}\n", 4, 17, "write < or <="},
    {"model m\nstate x = 0\nx' = 1\nevent e: when smooth(x > 1) {x = 2}\n", 4, 15,
     "leave smooth and noevent out"},
    {"model m\nstate x = 0\nx' = 1\nevent e: when x > 1 rising {x = 2}\n", 4, 21, "leave them out"},
    {"model m\nstate x = 0\nx' = 1\nevent e: when x {x = 2}\n", 4, 15, "expected a condition"},
    {"model m\nstate x = 0\nx' = 1\nevent e: when 1 > 2 {x = 2}\n", 4, 17, "constant"},
    {"model m\nstate x = 0\nx' = smooth(x, 1)\n", 3, 6, "takes 1 argument"},
    {"model m\nstate x = 0\nx' = smooth(x > 1)\n", 3, 6, "found a condition"},
    {"model m\nstate x = 0\nparam smooth = 1\nx' = smooth(x)\n", 4, 6, "not a function"},
};

static void test_what_is_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    dae_error err;
    dae_model *model = NULL;
    const char *text = refused[i].text;
    dae_status status = dae_model_parse("m.dae", text, strlen(text), NULL, NULL, &model, &err);
    if (status != DAE_ERROR_MODEL || err.line != refused[i].line ||
        err.column != refused[i].column || !strstr(err.text, refused[i].part))
      fail_msg("%s: %d, line %d, column %d: %s", text, status, err.line, err.column, err.text);
    assert_null(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_motion_is_that_of_the_text),
      cmocka_unit_test(test_held_branch_goes_on_beyond_its_border),
      cmocka_unit_test(test_which_relations_are_watched),
      cmocka_unit_test(test_declaration_hides_smooth_and_noevent),
      cmocka_unit_test(test_only_the_motion_is_rewritten),
      cmocka_unit_test(test_guards_have_names_and_places),
      cmocka_unit_test(test_guard_has_exact_rate),
      cmocka_unit_test(test_guard_of_algebraic_variable_is_told),
      cmocka_unit_test(test_floor_follows_far_jumps),
      cmocka_unit_test(test_when_is_a_condition_over_modes),
      cmocka_unit_test(test_when_may_be_a_name),
      cmocka_unit_test(test_guards_of_several_systems),
      cmocka_unit_test(test_loading_is_linear_in_guards),
      cmocka_unit_test(test_what_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
