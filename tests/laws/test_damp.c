/* The damped mode: a start with fast oscillations is moved onto the slow motion, which the run then
 * follows in large steps, and the energy that this took is told. The slow motion is known from
 * elsewhere: for a stiff bushing it is that of a rigid joint, from velocities projected onto it. */
#include "support.h"

#include <daedal/model.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* a slider crank whose slider starts with a velocity that its pin does not allow */
#define CRANK                                                                                      \
  "model crank\n"                                                                                  \
  "param k = 1e8, w = 10, J1 = 0.0027, J2 = 0.0027, m2 = 0.15, m3 = 0.0755\n"                      \
  "param l1 = 0.15, l2 = 0.3, push = 0.5\n"                                                        \
  "coord phi = 0 rate w, x = l1 + l2/2, y = 0 rate w*l1/2, th = 0 rate -w*l1/l2\n"                 \
  "coord s = l1 + l2 rate push\n"                                                                  \
  "kinetic J1*phi'^2/2 + m2*(x'^2 + y'^2)/2 + J2*th'^2/2 + m3*s'^2/2\n"                            \
  "let ex = x + l2/2*cos(th) - s, ey = y + l2/2*sin(th)\n"                                         \
  "potential 9.81*m2*y\n"                                                                          \
  "constraint x - l2/2*cos(th) = l1*cos(phi)\n"                                                    \
  "constraint y - l2/2*sin(th) = l1*sin(phi)\n"
static const char bushing[] = CRANK "potential k*(ex^2 + ey^2)/2\n";
static const char rigid[] = CRANK "constraint ex = 0\nconstraint ey = 0\n";
enum { PHI = 0, PHI_RATE = 5, SIZE = 16 };

typedef struct motion {
  double first[SIZE], last[SIZE];
  int rows, kept; /* coordinates and rates */
} motion;

static void keep_row(void *user, double t, const double *y)
{
  motion *m = user;
  (void)t;
  memcpy(m->rows++ == 0 ? m->first : m->last, y, (size_t)m->kept * sizeof *y);
}

static void run_model(const char *text, const dae_bdf_options *opts, double to, motion *m,
                      dae_summary *s)
{
  dae_model *model;
  dae_error err;
  double end[SIZE];
  assert_int_equal(dae_model_parse("crank", text, strlen(text), NULL, NULL, &model, &err), DAE_OK);
  test_problem p = {.name = "crank",
                    .problem = *dae_model_problem(model),
                    .start = dae_model_start(model),
                    .to = to,
                    .size = dae_problem_size(dae_model_problem(model))};
  m->rows = 0;
  m->kept = 2 * dae_model_count(model).coordinates;
  assert_int_equal(support_run_with("bdf-cs", &p, opts, 0, keep_row, m, end, s), DAE_OK);
  s->problem = "crank"; /* the model's own name goes with it */
  dae_model_free(model);
}

/* the oscillation of 0.5 m/s is told from the slow motion up to the ratio of their rates, 10 to
 * 36,000 */
#define BLURRED (0.5 * 10 / 36000)

static void test_a_damped_run_follows_the_slow_motion(void **state)
{
  (void)state;
  motion stiff, reference;
  dae_summary s;
  dae_bdf_options opts = support_options(1e-8);
  run_model(rigid, &opts, 0.3, &reference, &s);
  for (double tolerance = 1e-4; tolerance > 1e-6; tolerance /= 10) {
    opts = support_options(tolerance);
    opts.damp = true;
    run_model(bushing, &opts, 0.3, &stiff, &s);
    double start = stiff.first[PHI_RATE] - reference.first[PHI_RATE];
    double end = stiff.last[PHI] - reference.last[PHI];
    if (getenv("DAEDAL_VERBOSE"))
      print_message("%g: %ld steps, rate off by %.1e at the start, angle by %.1e at the end\n",
                    tolerance, s.stats.steps, start, end);
    assert_true(s.order <= 2);
    assert_true(fabs(start) < 5 * BLURRED);
    assert_true(fabs(end) < 10 * tolerance + 5 * BLURRED * 0.3);
  }
}

static void test_the_energy_that_was_removed_is_told(void **state)
{
  (void)state;
  motion m;
  dae_summary damped, followed;
  char text[4096];
  dae_bdf_options opts = support_options(1e-4);
  run_model(bushing, &opts, 0.1, &m, &followed);
  opts.damp = true;
  run_model(bushing, &opts, 0.1, &m, &damped);
  assert_true(5 * damped.stats.steps < followed.stats.steps);
  assert_false(followed.damped);
  assert_true(damped.damped);
  /* what the projection of the slider's velocity onto the joint takes, and nothing else */
  assert_true(fabs(damped.energy_removed_at_start + damped.energy_start - followed.energy_start) <
              1e-12);
  assert_true(damped.energy_removed_at_start > 0.009 && damped.energy_removed_at_start < 0.01);
  assert_true(fabs(damped.energy_balance) < 0.01 * damped.energy_removed_at_start);
  assert_true(dae_summary_text(&damped, text, sizeof text) < sizeof text);
  assert_non_null(strstr(text, "  damped       unresolved oscillations"));
  assert_non_null(strstr(text, "moved to make it consistent and slow"));
  dae_summary_text(&followed, text, sizeof text);
  assert_null(strstr(text, "damped"));
}

static void test_the_time_scale_can_be_given(void **state)
{
  (void)state;
  motion found, given;
  dae_summary s;
  dae_bdf_options opts = support_options(1e-4);
  opts.damp = true;
  run_model(bushing, &opts, 0.001, &found, &s);
  opts.damp_time = 1e-3;
  run_model(bushing, &opts, 0.001, &given, &s);
  assert_true(s.moved > 0);
  for (int i = 0; i < 10; i++)
    assert_true(fabs(found.first[i] - given.first[i]) < 1e-3);
  /* below the period of the bushing nothing is taken for fast, and nothing is moved */
  opts.damp_time = 1e-6;
  run_model(bushing, &opts, 0.001, &given, &s);
  assert_int_equal(s.moved, 0);
  assert_true(s.energy_removed_at_start == 0);
}

static void test_fixed_values_stay(void **state)
{
  (void)state;
  static const char fixed[] = "model pair\n"
                              "coord x = 0 fixed rate 1 fixed, y = 0 rate 0\n"
                              "kinetic (x'^2 + y'^2)/2\n"
                              "potential 1e8*(x - y)^2/2 + y^2/2\n"
                              "coord z = 1\n"
                              "kinetic z'^2/2\n"
                              "constraint z = 1\n";
  motion m;
  dae_summary s;
  dae_bdf_options opts = support_options(1e-4);
  opts.damp = true;
  opts.damp_time = 0.01;
  run_model(fixed, &opts, 0.001, &m, &s);
  assert_true(m.first[0] == 0 && m.first[3] == 1); /* x, x' */
}

/* no time scales that could be told apart: the start stays as it is, to the last bit */
static void test_ordinary_motions_are_not_moved(void **state)
{
  (void)state;
  static test_problem (*const problems[])(void) = {test_pendulum, test_car_axis, test_slider_crank,
                                                   test_knife_edge};
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
    test_problem p = problems[i]();
    dae_bdf_options opts = support_options(1e-4);
    dae_summary s, plain;
    p.to = 0.1;
    assert_int_equal(support_run_with("bdf-cs", &p, &opts, 0, NULL, NULL, NULL, &plain), DAE_OK);
    opts.damp = true;
    assert_int_equal(support_run_with("bdf-cs", &p, &opts, 0, NULL, NULL, NULL, &s), DAE_OK);
    assert_int_equal(s.moved, plain.moved);
    assert_true(s.energy_removed_at_start == 0 || isnan(s.energy_removed_at_start));
  }
}

static void test_methods_without_a_filter_refuse_to_damp(void **state)
{
  (void)state;
  static const char *const without[] = {"bdf-ggl", "bdf-ggl-star"};
  test_problem p = test_pendulum();
  dae_bdf_options opts = dae_bdf_defaults();
  opts.damp = true;
  for (int i = 0; i < 2; i++) {
    dae_integrator *it = NULL;
    dae_error err = dae_error_none();
    const dae_method *method = dae_method_find(without[i], &err);
    assert_int_equal(method->create(&p.problem, &p.start, &opts, NULL, &it, &err),
                     DAE_ERROR_OPTION);
    assert_null(it);
    assert_string_equal(err.equation, "damp");
    assert_non_null(strstr(err.text, "bdf-cs"));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_damped_run_follows_the_slow_motion),
      cmocka_unit_test(test_the_energy_that_was_removed_is_told),
      cmocka_unit_test(test_the_time_scale_can_be_given),
      cmocka_unit_test(test_fixed_values_stay),
      cmocka_unit_test(test_ordinary_motions_are_not_moved),
      cmocka_unit_test(test_methods_without_a_filter_refuse_to_damp)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
