/* What a SPARK step keeps by itself: every constraint at every grid point, without projection, and
 * the energy of conservative motions, which oscillates but does not drift as long as the step is
 * fixed. Variable steps are projected. And what a step costs. */
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static dae_spark_options fixed_steps(int s, double h)
{
  dae_spark_options opts = dae_spark_defaults();
  opts.stages = s;
  opts.step = h;
  opts.project = false; /* what is kept is kept by the step itself */
  return opts;
}

/* ---- constraints ---- */

typedef struct worst {
  const dae_mechanical *problem;
  double position, velocity;
  long rows;
} worst;

static void take(void *user, double t, const double *y)
{
  worst *w = user;
  double position, velocity;
  support_drift(w->problem, t, y, &position, &velocity);
  w->rows++;
  if (!(position <= w->position)) /* negated: a NaN counts */
    w->position = position;
  if (!(velocity <= w->velocity))
    w->velocity = velocity;
}

static void check_constraints(const char *method, const test_problem *p,
                              const dae_spark_options *opts, double every, double bound)
{
  worst w = {.problem = p->problem.mechanical};
  assert_int_equal(support_run_with(method, p, opts, every, take, &w, NULL, NULL), DAE_OK);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%s %-16s s = %d %4ld rows: |g| %.1e, |g_t + G v|, |k| %.1e\n", method, p->name,
                  opts->stages, w.rows, w.position, w.velocity);
  if (!(w.position < bound && w.velocity < bound) || w.rows < 3)
    fail_msg("%s, %s, s = %d, %ld rows: |g| %.2e, |g_t + G v|, |k| %.2e", method, p->name,
             opts->stages, w.rows, w.position, w.velocity);
}

static test_problem (*const constrained[])(void) = {
    test_pendulum_light, test_track,          test_rheonomic_length, test_knife_edge,
    test_sleigh,         test_cylinder_skate, test_curvilinear,      test_bead,
    test_slider_crank,   test_parallel_bars};

#define CONSTRAINED (sizeof constrained / sizeof *constrained)

static void test_fixed_steps_keep_all_constraints_without_projection(void **state)
{
  (void)state;
  for (size_t i = 0; i < CONSTRAINED; i++)
    for (int s = 1; s <= 6; s++) {
      test_problem p = constrained[i]();
      dae_spark_options opts = fixed_steps(s, p.to / 80);
      check_constraints("spark-gauss", &p, &opts, 0, 1e-13);
      if (s <= 3)
        check_constraints("spark-radau", &p, &opts, 0, 1e-13);
    }
}

static void test_variable_steps_keep_all_constraints_at_and_between_steps(void **state)
{
  (void)state;
  for (size_t i = 0; i < CONSTRAINED; i++)
    for (int s = 2; s <= 6; s++)
      for (int digits = 4; digits <= 8; digits += 2) {
        test_problem p = constrained[i]();
        dae_spark_options opts = dae_spark_defaults();
        opts.rtol = opts.atol = pow(10, -digits);
        opts.stages = s;
        check_constraints("spark-gauss", &p, &opts, 0, 1e-10);
        check_constraints("spark-gauss", &p, &opts, p.to / 97.3, 1e-10);
      }
}

/* ---- energy ---- */

/* a tenth of the steps where sanitizers make them slow */
static long steps_of(long steps)
{
#ifdef NDEBUG
  return steps;
#else
  return getenv("DAEDAL_LONG") ? steps : steps / 10;
#endif
}

/* H - H(0) over the steps: its size early and late, and a line fitted through it. The weights of
 * the fit vanish at both ends: else the ripple of the energy, cut off there at any phase, would
 * look like a slope. */
typedef struct energy {
  double start, first, last; /* maxima of the first and last tenth */
  double w, wx, wxx, wh, wxh;
} energy;

static void fit(energy *e, double part, double t, double change)
{
  const double pi = 3.14159265358979323846;
  double w = pow(sin(pi * part), 4);
  e->w += w, e->wx += w * t, e->wxx += w * t * t, e->wh += w * change, e->wxh += w * t * change;
}

static double slope_of(const energy *e)
{
  return (e->w * e->wxh - e->wx * e->wh) / (e->w * e->wxx - e->wx * e->wx);
}

static double total_energy(const dae_mechanical *m, double t, const double *y)
{
  dae_mechanical_at at = {.t = t, .q = y, .v = y + m->nq};
  double T, V;
  assert_int_equal(m->energy(m->user, &at, &T, &V), 0);
  return T + V;
}

/* a long run, every step looked at */
static energy energy_of(const char *method, const test_problem *p, int s, double h, long steps)
{
  dae_spark_options opts = fixed_steps(s, h);
  const dae_mechanical *m = p->problem.mechanical;
  dae_integrator *it;
  double y[16], to = h * (double)steps;
  energy e = {.start = total_energy(m, p->start.t, p->start.y)};
  assert_int_equal(
      dae_method_find(method, NULL)->create(&p->problem, &p->start, &opts, NULL, &it, NULL),
      DAE_OK);
  for (long n = 1; n <= steps; n++) {
    assert_true(dae_integrator_step(it, to, NULL) >= 0);
    support_state(it, y, NULL);
    double t = dae_integrator_view(it).t, change = total_energy(m, t, y) - e.start;
    if (n <= steps / 10)
      e.first = fmax(e.first, fabs(change));
    if (n > steps - steps / 10)
      e.last = fmax(e.last, fabs(change));
    fit(&e, (double)n / (double)steps, t - to / 2, change);
  }
  dae_integrator_free(it);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%s %-14s s = %d, %6ld steps of %g: %.4e, at the end %.4e, slope %.1e\n", method,
                  p->name, s, steps, h, e.first, e.last, slope_of(&e));
  return e;
}

static dae_model *model_of(const char *text, test_problem *p)
{
  dae_model *model = NULL;
  dae_error err = dae_error_none();
  if (dae_model_parse("model", text, strlen(text), NULL, NULL, &model, &err))
    fail_msg("%s", err.text);
  *p = (test_problem){.name = dae_model_name(model),
                      .problem = *dae_model_problem(model),
                      .start = dae_model_start(model)};
  p->size = dae_problem_size(&p->problem);
  return model;
}

/* unit mass and gravity on the unit circle, pulled to x = 1/2 */
static const char springy[] = "model springy\n"
                              "coord x = 1, y = 0\n"
                              "kinetic (x'^2 + y'^2)/2\n"
                              "potential y + (x - 0.5)^2\n"
                              "constraint rod: (x^2 + y^2 - 1)/2 = 0\n"
                              "simulate to 1\n";

static bool near(double value, double expected)
{
  return fabs(value - expected) <= 0.01 * expected;
}

static void test_energy_of_a_pendulum_does_not_drift(void **state)
{
  (void)state;
  static const double size[] = {3.018e-3, 2.549e-6, 3.551e-9, 2.37e-12};
  test_problem p;
  dae_model *model = model_of(springy, &p);
  for (int s = 1; s <= 4; s++) {
    energy e = energy_of("spark-gauss", &p, s, 0.1, steps_of(100000));
    assert_true(fabs(slope_of(&e)) < 1e-13);
    if (s < 4)
      assert_true(near(e.first, size[s - 1]) && near(e.last, size[s - 1]));
    else /* round-off has its part in it */
      assert_true(e.first < 1.01 * size[s - 1] && e.last < 1.01 * 3.27e-12);
  }
  dae_model_free(model);
}

static void test_radau_takes_energy(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = model_of(springy, &p);
  energy e = energy_of("spark-radau", &p, 3, 0.1, steps_of(100000));
  assert_true(fabs(slope_of(&e) / -6.8e-8 - 1) < 0.02); /* as tabulated */
  dae_model_free(model);
}

static const char particle[] = "model particle\n"
                               "coord x = 1 rate 0.3, y = 0.5 rate -0.2, z = 0 rate 0.15\n"
                               "kinetic (x'^2 + y'^2 + z'^2)/2\n"
                               "potential (x^2 + y^2)/2\n"
                               "constraint plane: z' = y*x'\n"
                               "simulate to 1\n";

static void test_energy_of_nonholonomic_motions_does_not_drift(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = model_of(particle, &p);
  const test_problem skate = test_cylinder_skate(), knife = test_knife_edge();
  const struct {
    const test_problem *p;
    int s;
    double h;
    long steps;
    double size;
  } rows[] = {{&p, 1, 0.1, 20000, 1.850e-4},
              {&p, 2, 0.1, 20000, 1.175e-7},
              {&skate, 2, 0.05, 10000, 9.269e-8},
              {&knife, 2, 0.1, 10000, 1.568e-6}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    energy e = energy_of("spark-gauss", rows[i].p, rows[i].s, rows[i].h, rows[i].steps);
    assert_true(near(e.first, rows[i].size) && near(e.last, rows[i].size));
    assert_true(fabs(slope_of(&e)) < 1e-13);
  }
  dae_model_free(model);
}

/* ---- iterations ---- */

/* to round-off: up to five more than the reference needs to 1e-12, three of which find out that it
 * is round-off */
static void test_iterations_to_round_off_are_few(void **state)
{
  (void)state;
  static const double to_12_digits[] = {10.8, 7.6, 5.8, 4.5};
  test_problem p = test_pendulum_light();
  for (int i = 0; i < 4; i++) {
    dae_spark_options opts = fixed_steps(3, 0.2 / (1 << i));
    dae_integrator *it;
    dae_status status;
    assert_int_equal(dae_spark_gauss_create(&p.problem, &p.start, &opts, NULL, &it, NULL), DAE_OK);
    do
      status = dae_integrator_step(it, p.to, NULL);
    while (status == DAE_OK);
    assert_int_equal(status, DAE_END);
    dae_stats stats = dae_integrator_stats(it);
    double each = (double)stats.iterations / (double)stats.steps;
    if (getenv("DAEDAL_VERBOSE"))
      print_message("h = %g: %.2f iterations a step\n", opts.step, each);
    assert_true(each <= to_12_digits[i] + 5);
    dae_integrator_free(it);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fixed_steps_keep_all_constraints_without_projection),
      cmocka_unit_test(test_variable_steps_keep_all_constraints_at_and_between_steps),
      cmocka_unit_test(test_energy_of_a_pendulum_does_not_drift),
      cmocka_unit_test(test_radau_takes_energy),
      cmocka_unit_test(test_energy_of_nonholonomic_motions_does_not_drift),
      cmocka_unit_test(test_iterations_to_round_off_are_few),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
