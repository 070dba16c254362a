/* What the Lie-group method cannot do: each refusal and each failure names an equation, a variable
 * or an option; what was computed is kept, and the handle can be stepped, started anew and freed
 * afterwards. */
#include "problems/l13.h"

#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void show(const char *what, const dae_error *err)
{
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%s: %s [%s] t = %g: %s\n", what, dae_status_name(err->status), err->equation,
                  err->t, err->text);
}

/* ---- refused at the start ---- */

static void refused(const dae_semi_explicit *p, const double *start, const dae_lie_options *opts,
                    dae_status status, const char *equation, const char *says)
{
  dae_problem problem = dae_problem_semi_explicit(p);
  dae_start from = {.y = start};
  dae_integrator *it = (dae_integrator *)&from; /* must be overwritten */
  dae_error err = dae_error_none();
  assert_int_equal(dae_lie_create(&problem, &from, opts, NULL, &it, &err), status);
  assert_null(it);
  show(p->name, &err);
  if (err.status != status || strcmp(err.equation, equation) != 0 || !strstr(err.text, says))
    fail_msg("%s: [%s] %s", p->name, err.equation, err.text);
}

static int sand_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *x = at->x;
  (void)user;
  f[0] = x[2];
  f[1] = x[3];
  f[2] = 2 * x[1] + at->y[0] * x[0];
  f[3] = -2 * x[0] + at->y[0] * x[1];
  return 0;
}

static int sand_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->x[0] * at->x[0] + at->x[1] * at->x[1] - 1;
  return 0;
}

static const char *const sand_names[] = {"track"};

/* Sand's track by its position: index 3, whether it is said or not */
static void test_index_3_is_refused(void **state)
{
  (void)state;
  static const double start[] = {0, 1, 0, 0, 0};
  dae_semi_explicit p = {
      .name = "sand", .nx = 4, .ny = 1, .f = sand_f, .F = sand_F, .F_names = sand_names};
  refused(&p, start, NULL, DAE_ERROR_UNSUPPORTED, "lie", "index 3");
  refused(&p, start, NULL, DAE_ERROR_UNSUPPORTED, "lie", "differentiate its constraints");
  p.index = 3;
  refused(&p, start, NULL, DAE_ERROR_UNSUPPORTED, "lie", "index 3");
  const dae_problem problem = dae_problem_semi_explicit(&p);
  assert_int_equal(dae_method_find("lie", NULL)->accepts(&problem, NULL), DAE_ERROR_UNSUPPORTED);
}

static int twice_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = -at->x[1] + at->x[0] * (at->y[0] + at->y[1]);
  f[1] = at->x[0] + at->x[1] * (at->y[0] + at->y[1]);
  return 0;
}

static int twice_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  F[0] = at->x[0] * at->x[0] + at->x[1] * at->x[1] - 1;
  F[1] = *(const double *)user * F[0];
  return 0;
}

static void test_rows_that_depend_on_each_other_do_not_pass(void **state)
{
  (void)state;
  static const double start[] = {1, 0, 0, 0};
  static const char *const names[] = {"circle", "again"};
  static const double all[] = {2, 0.3, -1e-3};
  for (int i = 0; i < 3; i++) {
    double times = all[i];
    const dae_semi_explicit p = {.name = "twice",
                                 .nx = 2,
                                 .ny = 2,
                                 .f = twice_f,
                                 .F = twice_F,
                                 .F_names = names,
                                 .user = &times};
    dae_problem problem = dae_problem_semi_explicit(&p);
    dae_start from = {.y = start};
    dae_integrator *it = NULL;
    dae_error err = dae_error_none();
    dae_status status = dae_lie_create(&problem, &from, NULL, NULL, &it, &err);
    while (status == DAE_OK)
      status = dae_integrator_step(it, 1, &err);
    show("twice", &err);
    assert_true(status < 0);
    assert_true(strstr(err.text, "circle") || strstr(err.text, "again") || strstr(err.text, "y["));
    dae_integrator_free(it);
  }
}

static void test_the_momentum_form_is_refused(void **state)
{
  (void)state;
  test_problem p = test_curv_ham(true);
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  assert_int_equal(dae_lie_create(&p.problem, &p.start, NULL, NULL, &it, &err),
                   DAE_ERROR_UNSUPPORTED);
  assert_null(it);
  assert_non_null(strstr(err.text, "momentum form"));
  assert_int_equal(dae_method_find("lie", NULL)->accepts(&p.problem, NULL), DAE_ERROR_UNSUPPORTED);
}

/* ---- singular M ---- */

static int decay_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = -at->x[0];
  f[1] = at->x[0] - at->x[1];
  return 0;
}

/* diag(1, 0) */
static int empty_M(void *user, const dae_semi_explicit_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 1;
  M[1] = M[2] = M[3] = 0;
  return 0;
}

static const char *const vessels[] = {"tank", "pipe"};

static void test_a_singular_mass_matrix_is_refused(void **state)
{
  (void)state;
  static const double start[] = {1, 1};
  static const dae_semi_explicit p = {
      .name = "empty", .nx = 2, .f = decay_f, .M = empty_M, .x_names = vessels};
  for (int nested = 0; nested < 2; nested++) {
    dae_lie_options opts = dae_lie_defaults();
    opts.lie_iteration = nested ? DAE_LIE_NESTED : DAE_LIE_NEWTON;
    refused(&p, start, &opts, DAE_ERROR_UNSUPPORTED, "lie", "regular mass matrix");
    refused(&p, start, &opts, DAE_ERROR_UNSUPPORTED, "lie", "pipe");
  }
}

/* The pendulum with its height below the anchor as a third coordinate, without mass. */
static int massless_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  for (int i = 0; i < 9; i++)
    M[i] = i == 0 || i == 4;
  return 0;
}

static int massless_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at;
  f[0] = f[1] = 0;
  f[2] = 1;
  return 0;
}

static int massless_g(void *user, const dae_mechanical_at *at, double *g)
{
  const double *q = at->q;
  (void)user;
  g[0] = q[0] * q[0] + q[1] * q[1] - 1;
  g[1] = q[1] + q[2];
  return 0;
}

/* Newton's method needs no M^-1: a mass matrix that is regular together with the constraints serves
 * it. Energy: |v|^2 / 2 = height below the start. */
static void test_a_massless_coordinate_is_for_newton_only(void **state)
{
  (void)state;
  static const double start[8] = {1, 0, 0};
  static const char *const names[] = {"x", "y", "depth"};
  static const dae_mechanical p = {.name = "massless",
                                   .nq = 3,
                                   .ng = 2,
                                   .M = massless_M,
                                   .f = massless_f,
                                   .g = massless_g,
                                   .q_names = names};
  dae_problem problem = dae_problem_mechanical(&p);
  dae_start from = {.y = start};
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  dae_lie_options opts = dae_lie_defaults();
  opts.order = 4;
  double z[8];
  dae_status status = dae_lie_create(&problem, &from, &opts, NULL, &it, &err);
  while (status == DAE_OK)
    status = dae_integrator_step(it, 3, &err);
  assert_int_equal(status, DAE_END);
  assert_int_equal(dae_integrator_interpolate(it, 3, z, NULL, &err), DAE_OK);
  assert_true(fabs((z[3] * z[3] + z[4] * z[4]) / 2 - z[2]) < 1e-4 && fabs(z[1] + z[2]) < 1e-12);
  dae_integrator_free(it);
  opts.lie_iteration = DAE_LIE_NESTED;
  assert_int_equal(dae_lie_create(&problem, &from, &opts, NULL, &it, &err), DAE_ERROR_UNSUPPORTED);
  assert_null(it);
  show("massless", &err);
  assert_true(strstr(err.text, "regular mass matrix") && strstr(err.text, "depth"));
}

/* ---- options ---- */

typedef struct bad {
  const char *field;
  void (*set)(dae_lie_options *);
  const char *says;
} bad;

static void order_3(dae_lie_options *o)
{
  o->order = 3;
}
static void order_5(dae_lie_options *o)
{
  o->order = 5;
}
static void skew_order_4(dae_lie_options *o)
{
  o->order = 4;
  o->theta = 0.25;
}
static void theta_2(dae_lie_options *o)
{
  o->theta = 2;
}
static void theta_nan(dae_lie_options *o)
{
  o->theta = (double)NAN;
}
static void inner_for_newton(dae_lie_options *o)
{
  o->inner_tol = 1e-10;
}
static void outer_for_newton(dae_lie_options *o)
{
  o->outer_tol = 1e-10;
}
static void midpoint_nested(dae_lie_options *o)
{
  o->lie_iteration = DAE_LIE_NESTED;
  o->kappa = (double)INFINITY;
}
static void kappa_negative(dae_lie_options *o)
{
  o->kappa = -1;
}
static void kappa_nan(dae_lie_options *o)
{
  o->kappa = (double)NAN;
}
static void kappa_minus_infinite(dae_lie_options *o)
{
  o->kappa = -(double)INFINITY;
}
static void rtol_0(dae_lie_options *o)
{
  o->rtol = 0;
}
static void step_infinite(dae_lie_options *o)
{
  o->step = (double)INFINITY;
}
static void no_failures(dae_lie_options *o)
{
  o->max_failures = 0;
}
static void form_7(dae_lie_options *o)
{
  o->form = (dae_lie_form)7;
}

static const bad bads[] = {
    {"order", order_3, "not 3"},
    {"order", order_5, "from 2 to 4"},
    {"theta", skew_order_4, "symmetric"},
    {"theta", theta_2, "from 0 to 1"},
    {"theta", theta_nan, "from 0 to 1"},
    {"inner_tol", inner_for_newton, "nested"},
    {"outer_tol", outer_for_newton, "nested"},
    {"kappa", midpoint_nested, "finite"},
    {"kappa", kappa_negative, "at least 0"},
    {"kappa", kappa_nan, "at least 0"},
    {"kappa", kappa_minus_infinite, "at least 0"},
    {"rtol", rtol_0, "rtol"},
    {"step", step_infinite, "step"},
    {"max_failures", no_failures, "from 1"},
    {"form", form_7, "one of ggl, weak"},
};

static void test_bad_options_are_refused_by_name(void **state)
{
  (void)state;
  test_problem p = l13_problem(L13_ODE, true);
  for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
    dae_lie_options opts = dae_lie_defaults();
    bads[i].set(&opts);
    refused(p.problem.semi_explicit, p.start.y, &opts, DAE_ERROR_OPTION, bads[i].field,
            bads[i].says);
  }
}

/* ---- failures under way ---- */

typedef struct table {
  long rows;
  double t, y[8];
  bool finite;
} table;

static dae_status open_table(void *self, int columns, const char *const *names, dae_error *err)
{
  (void)names, (void)err;
  assert_true(columns <= 9);
  *(table *)self = (table){.finite = true};
  return DAE_OK;
}

static dae_status take_row(void *self, const dae_row *row, dae_error *err)
{
  table *o = self;
  (void)err;
  o->rows++;
  o->t = row->values[0];
  for (int i = 1; i < row->columns; i++) {
    o->y[i - 1] = row->values[i];
    o->finite = o->finite && isfinite(row->values[i]);
  }
  return DAE_OK;
}

typedef struct failing {
  dae_semi_explicit p;
  double start[4], to;
  dae_status status;
  const char *equation; /* NULL: any */
  const char *says;
  double from, until; /* where it stops */
} failing;

/* rows up to the failure are kept */
static void check_run(const failing *c, const dae_lie_options *opts)
{
  table rows;
  const dae_sink sink = {.self = &rows, .open = open_table, .row = take_row};
  const dae_run_plan plan = {.problem = dae_problem_semi_explicit(&c->p),
                             .start = {.y = c->start},
                             .method = dae_method_find("lie", NULL),
                             .options = opts,
                             .to = c->to,
                             .sinks = &sink,
                             .sink_count = 1};
  dae_summary summary;
  dae_error err = dae_error_none();
  dae_status status = dae_run(&plan, NULL, &summary, &err);
  show(c->p.name, &err);
  bool named = c->equation ? strcmp(err.equation, c->equation) == 0 : err.equation[0];
  if (status != c->status || !named || !strstr(err.text, c->says))
    fail_msg("%s: %s [%s] %s", c->p.name, dae_status_name(status), err.equation, err.text);
  assert_true(rows.rows > 3 && rows.finite && rows.rows == summary.rows);
  assert_true(rows.t >= c->from && rows.t <= c->until);
  assert_true(err.t >= c->from && err.t <= c->until && err.t == summary.t_end);
  assert_true(strstr(summary.message, c->says) != NULL);
}

/* the handle stays where it was, and can be started anew */
static void check_handle(const failing *c, const dae_lie_options *opts)
{
  dae_problem problem = dae_problem_semi_explicit(&c->p);
  dae_start start = {.y = c->start};
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  int n = c->p.nx + c->p.ny;
  double before[4] = {0}, after[4] = {0}, t = 0;
  dae_status status = dae_lie_create(&problem, &start, opts, NULL, &it, &err);
  while (status == DAE_OK) {
    t = dae_integrator_view(it).t;
    assert_int_equal(dae_integrator_interpolate(it, t, before, NULL, NULL), DAE_OK);
    status = dae_integrator_step(it, c->to, &err);
  }
  assert_int_equal(status, c->status);
  for (int i = 0; i < 2; i++) {
    assert_true(dae_integrator_view(it).t == t);
    assert_int_equal(dae_integrator_interpolate(it, t, after, NULL, NULL), DAE_OK);
    assert_memory_equal(before, after, (size_t)n * sizeof *before);
    if (c->status != DAE_ERROR_STEP) /* a smaller step may do */
      break;
    err = dae_error_none();
    assert_int_equal(dae_integrator_step(it, c->to, &err), c->status); /* it fails again */
    assert_true(err.text[0] && err.equation[0]);
  }
  assert_int_equal(dae_integrator_restart(it, 0, c->start, &err), DAE_OK);
  assert_true(dae_integrator_step(it, c->to, &err) >= 0);
  dae_integrator_free(it);
}

static void check_failing(const failing *c)
{
  dae_lie_options opts = dae_lie_defaults();
  check_run(c, &opts);
  check_handle(c, &opts);
  opts.step = 0.01;
  check_run(c, &opts);
  check_handle(c, &opts);
  opts.lie_iteration = DAE_LIE_NESTED;
  check_run(c, &opts);
  check_handle(c, &opts);
}

/* x' = -1 - sqrt(x) ends at 0, after 2 - 2 log 2 */
static int tank_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = -1 - sqrt(at->x[0]);
  return 0;
}

static void test_an_x_that_leaves_the_domain_of_f_ends_the_run_there(void **state)
{
  (void)state;
  static const char *const names[] = {"level"};
  check_failing(&(failing){{.name = "tank", .nx = 1, .f = tank_f, .x_names = names},
                           {1},
                           2,
                           DAE_ERROR_STEP,
                           "level",
                           "level",
                           2 - 2 * log(2) - 0.02,
                           2 - 2 * log(2) + 1e-6});
}

typedef struct refusal {
  double from;
  int code;
} refusal;

static int moody_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const refusal *o = user;
  f[0] = cos(at->t);
  return at->t > o->from ? o->code : 0;
}

static void test_callbacks_that_refuse_or_fail_end_the_run_there(void **state)
{
  (void)state;
  refusal refuses = {0.7, 1}, fails = {0.7, -1};
  check_failing(&(failing){{.name = "refuses", .nx = 1, .f = moody_f, .user = &refuses},
                           {0},
                           2,
                           DAE_ERROR_STEP,
                           "f",
                           "callback f",
                           0.68,
                           0.7});
  /* this one is not tried with smaller steps */
  check_failing(&(failing){{.name = "fails", .nx = 1, .f = moody_f, .user = &fails},
                           {0},
                           2,
                           DAE_ERROR_CALLBACK,
                           "f",
                           "callback f",
                           0.1,
                           0.7});
}

/* x1' = 1, x2' = y on the unit circle: F_x f_y = 2 x2, and y grows beyond all bounds at x2 = 0 */
static int steep_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = 1;
  f[1] = at->y[0];
  return 0;
}

static int steep_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->x[0] * at->x[0] + at->x[1] * at->x[1] - 1;
  return 0;
}

static void test_a_matrix_that_becomes_singular_ends_the_run_there(void **state)
{
  (void)state;
  static const char *const names[] = {"circle"};
  check_failing(
      &(failing){{.name = "steep", .nx = 2, .ny = 1, .f = steep_f, .F = steep_F, .F_names = names},
                 {-0.6, 0.8, 0},
                 3,
                 DAE_ERROR_STEP,
                 NULL, /* circle, or x2, which is faster and faster */
                 "1.",
                 1.55,
                 1.6 + 1e-6});
}

/* (x1 - 1/2) x2' = 1, x1 = exp(-t) */
static int fading_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = -at->x[0];
  f[1] = 1;
  return 0;
}

static int fading_M(void *user, const dae_semi_explicit_at *at, double *M)
{
  (void)user;
  M[0] = 1;
  M[1] = M[2] = 0;
  M[3] = at->x[0] - 0.5;
  return 0;
}

static void test_a_mass_matrix_that_becomes_singular_ends_the_run_there(void **state)
{
  (void)state;
  const failing c = {{.name = "fading", .nx = 2, .f = fading_f, .M = fading_M, .x_names = vessels},
                     {1, 0},
                     2,
                     DAE_ERROR_STEP,
                     "pipe",
                     "pipe",
                     log(2) - 1e-3,
                     log(2) + 1e-3};
  dae_lie_options opts = dae_lie_defaults(); /* fixed steps do not see it coming */
  check_run(&c, &opts);
  check_handle(&c, &opts);
}

/* ---- stiffness and the nested iteration ---- */

static int stiff_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = -200 * (at->x[0] - cos(at->t)) - sin(at->t);
  return 0;
}

static void test_the_nested_iteration_fails_where_steps_are_stiff(void **state)
{
  (void)state;
  static const double start[] = {1};
  static const dae_semi_explicit p = {.name = "stiff", .nx = 1, .f = stiff_f};
  dae_problem problem = dae_problem_semi_explicit(&p);
  dae_start from = {.y = start};
  dae_lie_options opts = dae_lie_defaults();
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  double x;
  opts.lie_iteration = DAE_LIE_NESTED;
  opts.step = 0.05;
  assert_int_equal(dae_lie_create(&problem, &from, &opts, NULL, &it, &err), DAE_OK);
  assert_int_equal(dae_integrator_step(it, 1, &err), DAE_ERROR_STEP);
  show("stiff", &err);
  assert_non_null(strstr(err.text, "h |f_x| < 2"));
  assert_non_null(strstr(err.text, "Newton"));
  assert_string_equal(err.equation, "x[1]");
  dae_integrator_free(it);
  /* variable steps become as small as it needs */
  opts.step = 0;
  assert_int_equal(dae_lie_create(&problem, &from, &opts, NULL, &it, &err), DAE_OK);
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, 1, &err);
  if (status < 0)
    fail_msg("%s", err.text);
  assert_int_equal(dae_integrator_interpolate(it, 1, &x, NULL, NULL), DAE_OK);
  assert_true(fabs(x - cos(1)) < 1e-4);
  assert_true(dae_integrator_stats(it).steps >= 100);
  dae_integrator_free(it);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_index_3_is_refused),
      cmocka_unit_test(test_rows_that_depend_on_each_other_do_not_pass),
      cmocka_unit_test(test_the_momentum_form_is_refused),
      cmocka_unit_test(test_a_singular_mass_matrix_is_refused),
      cmocka_unit_test(test_a_massless_coordinate_is_for_newton_only),
      cmocka_unit_test(test_bad_options_are_refused_by_name),
      cmocka_unit_test(test_an_x_that_leaves_the_domain_of_f_ends_the_run_there),
      cmocka_unit_test(test_callbacks_that_refuse_or_fail_end_the_run_there),
      cmocka_unit_test(test_a_matrix_that_becomes_singular_ends_the_run_there),
      cmocka_unit_test(test_a_mass_matrix_that_becomes_singular_ends_the_run_there),
      cmocka_unit_test(test_the_nested_iteration_fails_where_steps_are_stiff),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
