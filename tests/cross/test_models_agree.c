/* A model and callbacks written by hand describe one problem: what daedal derives from eight lines
 * of text moves as what a person derived with pencil and paper. With a fixed step the two do the
 * same arithmetic up to round-off, row by row; with variable steps they may step differently. */
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- rows ---- */

typedef struct rows {
  int size;
  long count, room;
  double *value; /* t and the state vector, row by row */
} rows;

static void keep(void *user, double t, const double *y)
{
  rows *r = user;
  size_t width = 1 + (size_t)r->size;
  if (r->count == r->room) {
    r->room = 2 * r->room + 64;
    r->value = realloc(r->value, (size_t)r->room * width * sizeof *r->value);
    assert_non_null(r->value);
  }
  double *row = r->value + (size_t)r->count++ * width;
  row[0] = t;
  memcpy(row + 1, y, (width - 1) * sizeof *y);
}

/* how a problem is run: a method with its options, the largest distance that is allowed */
typedef struct way {
  const char *method;
  const void *opts;
  double step, tolerance; /* of these, for messages */
  double most;
} way;

static rows run(const test_problem *p, const way *w, double every)
{
  rows r = {.size = p->size};
  assert_int_equal(support_run_with(w->method, p, w->opts, every, keep, &r, NULL, NULL), DAE_OK);
  return r;
}

/* the largest |a - b| / (1 + |b|) over all rows and columns */
static double distance(const rows *a, const rows *b)
{
  double max = 0;
  assert_int_equal(a->size, b->size);
  assert_int_equal(a->count, b->count);
  for (long i = 0; i < a->count * (1 + a->size); i++) {
    double d = fabs(a->value[i] - b->value[i]) / (1 + fabs(b->value[i]));
    if (!(d <= max)) /* negated: a NaN counts */
      max = d;
  }
  return max;
}

/* ---- the two of them ---- */

/* the model's problem and start, the rest as in the problem by hand */
static dae_model *load(const char *file, const test_problem *by_hand, test_problem *out)
{
  dae_model *model;
  dae_error err;
  if (dae_model_load(file, NULL, NULL, &model, &err) != DAE_OK)
    fail_msg("%s: %s", file, err.text);
  dae_run_plan plan = {.every = 0};
  dae_model_plan(model, &plan);
  *out = *by_hand;
  out->problem = plan.problem;
  out->start = plan.start;
  assert_true(plan.to == by_hand->to);
  assert_int_equal(dae_problem_size(&plan.problem), by_hand->size);
  for (int i = 0; i < by_hand->size; i++)
    assert_true(plan.start.y[i] == by_hand->start.y[i]);
  return model;
}

static void assert_agree(const test_problem *model, const test_problem *by_hand, const way *w,
                         double every)
{
  rows a = run(model, w, every), b = run(by_hand, w, every);
  double apart = distance(&a, &b);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-10s %-9s h = %-6g rtol = %.0e: %ld rows, %.1e apart\n", by_hand->name,
                  w->method, w->step, w->tolerance, a.count, apart);
  if (!(apart <= w->most))
    fail_msg("%s, %s: %.2e apart", by_hand->name, w->method, apart);
  free(a.value), free(b.value);
}

/* every derivative of the problem by hand is given, so that none is differenced */
static void assert_exact(const dae_mechanical *p)
{
  assert_true(p->M && p->f && p->g && p->G && p->gamma && p->J && p->Gts_q && p->gdot_q);
  assert_true(p->constant_mass && (p->time_free_g || p->g_t));
}

/* the one-step methods; switching has no fixed steps */
static void check_engines(const test_problem *model, const test_problem *by_hand, double step)
{
  static const char *const names[] = {"explicit", "gauss", "radau", "switching"};
  for (int i = 0; i < 4; i++) {
    dae_rk_options opts = dae_rk_adaptive_defaults();
    opts.step = step;
    if (i < 3)
      assert_agree(model, by_hand, &(way){names[i], &opts, step, opts.rtol, 1e-9}, 0);
    opts.step = 0;
    for (double tolerance = 1e-4; tolerance > 1e-9; tolerance /= 100) {
      opts.rtol = opts.atol = tolerance;
      assert_agree(model, by_hand, &(way){names[i], &opts, 0, tolerance, 100 * tolerance},
                   by_hand->to / 100);
    }
  }
}

static void check(const char *file, test_problem by_hand, double step)
{
  test_problem p;
  dae_model *model = load(file, &by_hand, &p);
  assert_exact(by_hand.problem.mechanical);
  for (int order = 1; order <= 5; order++) {
    dae_bdf_options fixed = support_options(1e-12); /* of Newton: no step is rejected */
    fixed.step = step;
    fixed.order = order;
    assert_agree(&p, &by_hand, &(way){"bdf-ggl", &fixed, step, 1e-12, 1e-11}, 0);
  }
  for (double tolerance = 1e-4; tolerance > 1e-9; tolerance /= 100) {
    dae_bdf_options variable = support_options(tolerance);
    assert_agree(&p, &by_hand, &(way){"bdf-ggl", &variable, 0, tolerance, 100 * tolerance},
                 by_hand.to / 100);
  }
  check_engines(&p, &by_hand, 4 * step);
  dae_model_free(model);
}

static void test_pendulum_model_moves_as_the_pendulum_by_hand(void **state)
{
  (void)state;
  check(MODELS "/pendulum.dae", test_pendulum(), 0.005);
}

static void test_car_axis_model_moves_as_the_car_axis_by_hand(void **state)
{
  (void)state;
  check(MODELS "/car_axis.dae", test_car_axis(), 0.001);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum_model_moves_as_the_pendulum_by_hand),
      cmocka_unit_test(test_car_axis_model_moves_as_the_car_axis_by_hand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
