/* The report of a run: what it tells, how large it is, and that it is there however a run ends.
 * What a browser makes of it is tested in tests/page. */
#include "counting_env.h"

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

#define PATH "test_report.html"

static const char pendulum[] = "model pendulum \"a <mass> & a rod\"\n"
                               "param g = 9.81\n"
                               "coord x = 1, y = 0\n"
                               "kinetic (x'^2 + y'^2)/2\n"
                               "potential g*y\n"
                               "constraint rod: x^2 + y^2 = 1\n"
                               "output height = y + 1\n"
                               "simulate to 2\n";

/* A run with its report. */
typedef struct reported {
  dae_status status;
  dae_summary summary;
  dae_error err;
  char *page; /* the file; to be freed */
  size_t size;
} reported;

static void read_page(reported *r)
{
  FILE *file = fopen(PATH, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  r->size = (size_t)ftell(file);
  rewind(file);
  r->page = malloc(r->size + 1);
  assert_non_null(r->page);
  assert_int_equal(fread(r->page, 1, r->size, file), r->size);
  r->page[r->size] = '\0';
  fclose(file);
  remove(PATH);
}

static bool stop_at_once(void *user, double t)
{
  (void)user, (void)t;
  return false;
}

typedef struct how {
  const char *method;
  double every;
  size_t max_bytes;
  bool interrupt;
  const dae_env *env;
} how;

static dae_model *load(const char *text)
{
  dae_model *model;
  dae_error err;
  if (dae_model_parse("test.dae", text, strlen(text), NULL, NULL, &model, &err) < 0)
    fail_msg("%s", err.text);
  return model;
}

static void run_model(const dae_model *model, const how *h, reported *r)
{
  dae_sink sink = {0};
  dae_run_plan plan = {.every = h->every, .sinks = &sink, .sink_count = 1};
  dae_model_plan(model, &plan);
  plan.every = h->every;
  plan.progress = h->interrupt ? stop_at_once : NULL;
  plan.method = h->method ? dae_method_find(h->method, NULL)
                          : dae_method_choose(&plan.problem, NULL, 0, NULL);
  assert_non_null(plan.method);
  const dae_report_options options = {.plan = &plan,
                                      .model = model,
                                      .command = "daedal run test.dae --report",
                                      .why = "it fits",
                                      .max_bytes = h->max_bytes};
  r->status = dae_report_sink(PATH, &options, h->env, &sink, &r->err);
  if (r->status < 0)
    return;
  r->status = dae_run(&plan, h->env, &r->summary, &r->err);
  sink.free(sink.self);
}

static reported report(const char *text, const how *h)
{
  reported r = {0};
  dae_model *model = load(text);
  run_model(model, h, &r);
  dae_model_free(model);
  read_page(&r);
  return r;
}

#define SAYS(r, words)                                                                             \
  do {                                                                                             \
    if (!strstr((r).page, words))                                                                  \
      fail_msg("the page does not say: %s", words);                                                \
  } while (0)
#define SAYS_NOT(r, words) assert_null(strstr((r).page, words))

static void test_a_page_has_everything_of_a_constrained_motion(void **state)
{
  (void)state;
  static const char *const parts[] = {
      "Motion",         "Variables", "Rates",      "Outputs",     "Constraints", "Drift off",
      "Multipliers",    "Energy",    "Step size",  "Order",       "Phase plot",  "Iteration matrix",
      "Rejected steps", "Summary",   "Statistics", "pendulum.csv"};
  reported r = report(pendulum, &(how){0});
  assert_int_equal(r.status, DAE_OK);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    SAYS(r, parts[i]);
  SAYS(r, "daedal run test.dae --report");
  SAYS(r, "constraint rod: x^2 + y^2 = 1");
  SAYS(r, "a &lt;mass&gt; &amp; a rod");
  SAYS(r, "limited by ");
  SAYS(r, " of the steps");
  SAYS(r, " of the iterations");
  SAYS_NOT(r, "<mass>");
  SAYS_NOT(r, ">Coupling<");
  assert_non_null(strstr(r.summary.files, PATH));
  free(r.page);
}

static void test_ten_thousand_rows_stay_below_two_megabytes(void **state)
{
  (void)state;
  reported r = report(pendulum, &(how){.every = 2e-4});
  assert_int_equal(r.summary.rows, 10001);
  assert_true(r.size < 2000000);
  SAYS_NOT(r, "rows; what oscillates"); /* none is left out */
  free(r.page);
}

static void test_what_does_not_fit_is_said(void **state)
{
  (void)state;
  reported r = report(pendulum, &(how){.every = 2e-4, .max_bytes = 300000});
  SAYS(r, "of 10001 rows; what oscillates faster does not show");
  assert_true(r.size < 700000);
  free(r.page);
  r = report("model many\n"
             "param N = 1500\n"
             "state x[1..N] = 1\n"
             "for i in 1..N { x[i]' = -x[i] }\n"
             "output last = x[N]\n"
             "simulate to 1\n",
             &(how){0});
  SAYS(r, "of 1502 columns");
  SAYS(r, "last");
  assert_true(r.size < 2000000);
  free(r.page);
}

static void test_a_run_that_fails_has_its_page(void **state)
{
  (void)state;
  reported r = report("model blow\nstate x = 1\nx' = x^2\nsimulate to 2\n", &(how){0});
  assert_true(r.status < 0);
  SAYS(r, "Failed at t = ");
  SAYS(r, "Variables");
  free(r.page);
  /* one that does not even start */
  r = report("model stuck\ncoord x = 1\nkinetic x'^2/2\nconstraint x^2 = -1\nsimulate to 1\n",
             &(how){0});
  assert_int_equal(r.status, DAE_ERROR_START);
  SAYS(r, "Failed at t = 0");
  SAYS(r, "constraint x^2 = -1");
  SAYS_NOT(r, ">Phase plot<");
  free(r.page);
}

static void test_an_interrupted_run_has_its_page(void **state)
{
  (void)state;
  reported r = report(pendulum, &(how){.interrupt = true});
  assert_int_equal(r.status, DAE_ERROR_INTERRUPTED);
  SAYS(r, "Interrupted at t = ");
  free(r.page);
}

static void test_coupled_systems_have_their_sweeps(void **state)
{
  (void)state;
  reported r = report("model pair\n"
                      "system A { state x = 1\n alg z = 0\n x' = -x + z\n z = 0.5*B.z + x }\n"
                      "system B { state x = 0\n alg z = 0\n x' = -x + z\n z = 0.8*A.z - x }\n"
                      "simulate to 3\n",
                      &(how){.method = "gauss-seidel"});
  SAYS(r, "Coupling");
  SAYS(r, "Sweeps over each window");
  SAYS(r, "predicted, plain sweep");
  SAYS(r, "Variables of A");
  SAYS(r, "Variables of B");
  SAYS_NOT(r, ">Motion<");
  free(r.page);
}

/* ---- a problem in C ---- */

static int turn(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = at->x[1];
  f[1] = -at->x[0];
  return 0;
}

static int hand(void *user, double t, const double *y, double *values)
{
  (void)user, (void)t;
  values[0] = values[1] = 0;
  values[2] = y[0];
  values[3] = y[1];
  return 0;
}

static void test_a_problem_in_c_has_its_drawing(void **state)
{
  (void)state;
  static const dae_semi_explicit circle = {.name = "circle", .nx = 2, .f = turn};
  static const dae_shape line = {.kind = DAE_SHAPE_LINE, .points = 2, .label = "the hand"};
  static const dae_drawing drawing = {.shapes = 1, .shape = &line, .values = 4, .eval = hand};
  const double start[] = {1, 0};
  dae_sink sink;
  reported r = {0};
  dae_run_plan plan = {.problem = dae_problem_semi_explicit(&circle),
                       .start = {.y = start},
                       .method = dae_method_find("explicit", NULL),
                       .to = 6,
                       .sinks = &sink,
                       .sink_count = 1};
  const dae_report_options options = {.plan = &plan, .drawing = &drawing};
  assert_int_equal(dae_report_sink(PATH, &options, NULL, &sink, &r.err), DAE_OK);
  assert_int_equal(dae_run(&plan, NULL, &r.summary, &r.err), DAE_OK);
  sink.free(sink.self);
  read_page(&r);
  SAYS(r, ">Motion<");
  SAYS(r, "the hand");
  SAYS(r, "circle.csv");
  SAYS_NOT(r, "Made up from");
  SAYS_NOT(r, "Model: ");
  free(r.page);
}

static void test_an_unwritable_file_is_refused_before_the_run(void **state)
{
  (void)state;
  dae_error err;
  dae_sink sink;
  dae_run_plan plan = {.to = 1};
  const dae_report_options options = {.plan = &plan};
  assert_int_equal(dae_report_sink("no/such/folder/x.html", &options, NULL, &sink, &err),
                   DAE_ERROR_FILE);
  assert_non_null(strstr(err.text, "no/such/folder/x.html"));
  assert_int_equal(dae_report_sink("", &options, NULL, &sink, &err), DAE_ERROR_USAGE);
  assert_int_equal(dae_report_sink(PATH, NULL, NULL, &sink, &err), DAE_ERROR_USAGE);
}

static void test_every_refused_allocation_is_a_clean_error(void **state)
{
  (void)state;
  dae_model *model = load(pendulum);
  dae_status status = DAE_ERROR_MEMORY;
  for (long n = 1; status == DAE_ERROR_MEMORY; n++) {
    counting_env count = {.fail_at = n};
    dae_env env = counting_env_of(&count);
    reported r = {0};
    run_model(model, &(how){.method = "bdf-ggl", .env = &env}, &r);
    status = r.status;
    if (status != DAE_OK && status != DAE_ERROR_MEMORY)
      fail_msg("allocation %ld: %s", n, r.err.text);
    assert_int_equal(count.live, 0);
    assert_true(n < 3000);
    if (status == DAE_OK && count.calls >= n) /* a picture that was left out */
      status = DAE_ERROR_MEMORY;
  }
  dae_model_free(model);
  remove(PATH);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_page_has_everything_of_a_constrained_motion),
      cmocka_unit_test(test_ten_thousand_rows_stay_below_two_megabytes),
      cmocka_unit_test(test_what_does_not_fit_is_said),
      cmocka_unit_test(test_a_run_that_fails_has_its_page),
      cmocka_unit_test(test_an_interrupted_run_has_its_page),
      cmocka_unit_test(test_coupled_systems_have_their_sweeps),
      cmocka_unit_test(test_a_problem_in_c_has_its_drawing),
      cmocka_unit_test(test_an_unwritable_file_is_refused_before_the_run),
      cmocka_unit_test(test_every_refused_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
