/* Radau IIA with 3, 5 and 7 stages at fixed step: order 2s - 1 in positions, velocities,
 * multipliers, other states and algebraic variables, which hold at the ends of steps as well as x
 * does; of index 2 it is 2s - 1 in x and s in y [HW96 VII.4]. Largest errors along the motion, at
 * the ends of steps and between them, against closed forms, published ends, or a finer run of
 * another method (radau's own where no other takes the problem) that has to meet the reference of
 * the problem. */
#include "problems/rk_made.h"
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LOW 0.4         /* observed orders may be lower by this, */
#define LOW_BETWEEN 0.9 /* between the ends by this, */
#define HIGH 1          /* and higher: errors of large steps fall faster at first */
#define SIZES 3         /* step sizes, most: n, 2 n, 4 n steps */
#define PARTS 5         /* of a state vector, most */
#define MOST 16         /* entries of one */
#define GRID 64         /* times of comparison, most */

typedef enum truth { BY_GAUSS, BY_RADAU, MADE, CLOSED, AT_THE_END } truth;

/* a problem: how it is known, and the parts of its state vector */
typedef struct subject {
  test_problem (*make)(void);
  truth known;
  int parts;
  const char *names[PARTS];
  int from[PARTS + 1];
} subject;

enum { PENDULUM, CAR_AXIS, KNIFE_EDGE, CURVILINEAR, MOTOR, INDEX_1, QUASILINEAR, SINGULAR, STATES };
enum { AMPLIFIER = STATES + 1, INDEX_2 };

static const subject subjects[] = {
    [PENDULUM] = {test_pendulum2, BY_GAUSS, 3, {"q", "v", "lambda"}, {0, 2, 4, 5}},
    [CAR_AXIS] = {test_car_axis, BY_GAUSS, 3, {"q", "v", "lambda"}, {0, 4, 8, 10}},
    [KNIFE_EDGE] = {test_knife_edge, BY_GAUSS, 3, {"q", "v", "psi"}, {0, 3, 6, 7}},
    [CURVILINEAR] = {test_curvilinear, BY_GAUSS, 3, {"q", "v", "lambda"}, {0, 2, 4, 5}},
    [MOTOR] = {test_motor, BY_RADAU, 5, {"q", "v", "u", "w", "lambda"}, {0, 2, 4, 5, 6, 7}},
    [INDEX_1] = {rk_made_index1, MADE, 2, {"x", "y"}, {0, 1, 2}},
    [QUASILINEAR] = {rk_made_quasilinear, MADE, 2, {"x", "y"}, {0, 2, 3}},
    [SINGULAR] = {rk_made_singular, MADE, 3, {"x", "x without rate", "y"}, {0, 2, 3, 4}},
    [STATES] = {rk_made_mechanical, MADE, 4, {"q", "v", "u", "w"}, {0, 2, 4, 5, 6}},
    [AMPLIFIER] = {test_transistor_amplifier, AT_THE_END, 1, {"x"}, {0, 8}},
    [INDEX_2] = {test_hessenberg2, CLOSED, 2, {"x", "y"}, {0, 2, 3}},
};

/* ---- runs ---- */

/* states on a grid */
typedef struct path {
  double at[GRID][MOST];
} path;

static dae_integrator *create(const char *name, const test_problem *p, int stages, int steps)
{
  dae_rk_options opts = dae_rk_adaptive_defaults();
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  opts.step = (p->to - p->start.t) / steps;
  opts.stages = stages;
  const dae_method *method = dae_method_find(name, &err);
  assert_non_null(method);
  if (method->create(&p->problem, &p->start, &opts, NULL, &it, &err))
    fail_msg("%s, %s: %s", p->name, name, err.text);
  return it;
}

static double time_of(const test_problem *p, int k, int grid)
{
  return p->start.t + (k + 1) * (p->to - p->start.t) / grid;
}

/* steps: a multiple of the points of the grid */
static void follow(const char *name, const test_problem *p, int stages, int steps, int grid,
                   path *out)
{
  dae_integrator *it = create(name, p, stages, steps);
  dae_error err = dae_error_none();
  for (int k = 0; k < grid; k++) {
    double to = time_of(p, k, grid);
    while (dae_integrator_view(it).t < to)
      if (dae_integrator_step(it, to, &err) < 0)
        fail_msg("%s, %s %d, %d steps: %s", p->name, name, stages, steps, err.text);
    support_state(it, out->at[k], NULL);
  }
  assert_int_equal(dae_integrator_stats(it).steps, steps);
  dae_integrator_free(it);
}

/* ---- what is known ---- */

static void closed(double t, double *y)
{
  y[0] = exp(t);
  y[1] = exp(-2 * t);
  y[2] = exp(2 * t);
}

static void find_truth(const subject *s, const test_problem *p, int grid, path *out)
{
  bool gauss = s->known == BY_GAUSS;
  if (gauss || s->known == BY_RADAU) {
    int per_point = 128 / grid < 4 ? 4 : 128 / grid;
    follow(gauss ? "gauss" : "radau", p, gauss ? 8 : 7, per_point * grid, grid, out);
    assert_true(support_error(p, out->at[grid - 1]) < 1e-12);
  }
  for (int k = 0; k < grid; k++) {
    if (s->known == MADE)
      rk_made_exact(p, time_of(p, k, grid), out->at[k]);
    else if (s->known == CLOSED)
      closed(time_of(p, k, grid), out->at[k]);
    else if (s->known == AT_THE_END)
      memcpy(out->at[k], p->reference, (size_t)p->size * sizeof(double));
  }
}

static double difference(int from, int to, const double *a, const double *b)
{
  double most = 0;
  for (int i = from; i < to; i++) {
    double error = fabs(a[i] - b[i]) / (1 + fabs(b[i]));
    if (!(error <= most)) /* negated: a NaN counts */
      most = error;
  }
  return most;
}

/* ---- orders ---- */

/* Steps of the coarsest run, and how many sizes there are: between the coarsest that converges and
 * round-off. */
typedef struct sample {
  int subject, stages, steps, sizes;
  double low, high; /* 0: as for all */
  int first;        /* of the parts that are above round-off */
} sample;

#define AT(subject, stages, steps, sizes)                                                          \
  {                                                                                                \
    subject, stages, steps, sizes, 0, 0, 0                                                         \
  }
#define BAND(subject, stages, steps, sizes, low, high)                                             \
  {                                                                                                \
    subject, stages, steps, sizes, low, high, 0                                                    \
  }

static void check(const char *name, int stages, const char *part, int sizes, const double *errors,
                  double low, double high)
{
  double found = log2(errors[0] / errors[sizes - 1]) / (sizes - 1);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-20s %d stages: %-14s order %5.2f (%.1e to %.1e)\n", name, stages, part, found,
                  errors[0], errors[sizes - 1]);
  if (!(found >= low && found <= high))
    fail_msg("%s, %d stages: order %.3f of %s", name, stages, found, part);
}

static void find_errors(const sample *a, const test_problem *p, double errors[PARTS][SIZES])
{
  static path exact, found;
  const subject *s = &subjects[a->subject];
  int grid = s->known == AT_THE_END ? 1 : a->steps > GRID ? a->steps / 4 : a->steps;
  find_truth(s, p, grid, &exact);
  for (int i = 0; i < a->sizes; i++) {
    follow("radau", p, a->stages, a->steps << i, grid, &found);
    for (int c = 0; c < s->parts; c++) {
      errors[c][i] = 0;
      for (int k = 0; k < grid; k++)
        errors[c][i] =
            fmax(errors[c][i], difference(s->from[c], s->from[c + 1], found.at[k], exact.at[k]));
    }
  }
}

static void check_sample(const sample *a)
{
  const subject *s = &subjects[a->subject];
  test_problem p = s->make();
  double errors[PARTS][SIZES];
  find_errors(a, &p, errors);
  for (int c = a->first; c < s->parts; c++) {
    double order = 2 * a->stages - 1;
    check(p.name, a->stages, s->names[c], a->sizes, errors[c], order - (a->low > 0 ? a->low : LOW),
          order + (a->high > 0 ? a->high : HIGH));
  }
}

static void test_mechanics_has_order_2s_1_in_positions_velocities_and_multipliers(void **state)
{
  (void)state;
  static const sample samples[] = {
      AT(PENDULUM, 3, 24, 3),    AT(CAR_AXIS, 3, 128, 3),  AT(KNIFE_EDGE, 3, 16, 3),
      AT(CURVILINEAR, 3, 16, 3), AT(PENDULUM, 5, 16, 2),   AT(CAR_AXIS, 5, 64, 3),
      AT(KNIFE_EDGE, 5, 8, 2),   AT(CURVILINEAR, 5, 8, 2), AT(CAR_AXIS, 7, 64, 2),
  };
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
    check_sample(&samples[i]);
}

/* steps so large that they only just converge leave no room for an order above round-off */
static void test_7_stages_leave_next_to_nothing_in_a_dozen_steps(void **state)
{
  (void)state;
  static const sample samples[] = {AT(PENDULUM, 7, 14, 1), AT(KNIFE_EDGE, 7, 10, 1),
                                   AT(CURVILINEAR, 7, 8, 1), AT(STATES, 7, 12, 1),
                                   AT(INDEX_1, 7, 12, 1)};
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
    const subject *s = &subjects[samples[i].subject];
    test_problem p = s->make();
    double errors[PARTS][SIZES];
    find_errors(&samples[i], &p, errors);
    for (int c = 0; c < s->parts; c++) {
      if (getenv("DAEDAL_VERBOSE"))
        print_message("%-20s 7 stages: %-14s %.1e\n", p.name, s->names[c], errors[c][0]);
      assert_true(errors[c][0] < 3e-11);
    }
  }
}

static void test_other_states_and_algebraic_variables_of_mechanics_have_it(void **state)
{
  (void)state;
  static const sample samples[] = {
      AT(MOTOR, 3, 48, 3), AT(STATES, 3, 16, 3),
      BAND(MOTOR, 5, 32, 2, 0.4, 5), /* errors of large steps fall much faster at first */
      BAND(STATES, 5, 12, 2, 0.5, 1)};
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
    check_sample(&samples[i]);
}

static void test_index_1_has_it_in_x_and_y(void **state)
{
  (void)state;
  static const sample samples[] = {AT(INDEX_1, 3, 8, 3),     AT(QUASILINEAR, 3, 8, 3),
                                   AT(SINGULAR, 3, 8, 3),    AT(INDEX_1, 5, 7, 2),
                                   AT(QUASILINEAR, 5, 7, 2), BAND(SINGULAR, 5, 7, 2, 1.5, 1),
                                   AT(AMPLIFIER, 3, 800, 3), AT(AMPLIFIER, 5, 600, 2)};
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
    check_sample(&samples[i]);
}

static void test_index_2_has_order_2s_1_in_x_and_y(void **state)
{
  (void)state;
  static const sample samples[] = {AT(INDEX_2, 3, 16, 3)};
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
    check_sample(&samples[i]);
}

/* ---- between the ends ---- */

/* free motion on a growing circle: x = (1 - t^2)/r, y = 2t/r, r^2 = 1 + t^2 */
static void growing(double t, double *y)
{
  double r = sqrt(1 + t * t);
  y[0] = (1 - t * t) / r;
  y[1] = 2 * t / r;
  y[2] = -t * (3 + t * t) / (r * r * r);
  y[3] = 2 / (r * r * r);
  y[4] = 3 / (r * r * r * r);
}

static double error_between(const test_problem *p, int stages, int steps)
{
  dae_integrator *it = create("radau", p, stages, steps);
  double y[MOST], exact[MOST], most = 0;
  dae_status status = DAE_OK;
  while (status == DAE_OK) {
    status = dae_integrator_step(it, p->to, NULL);
    dae_view view = dae_integrator_view(it);
    for (double x = 0.125; x < 1; x += 0.125) {
      double t = view.t_previous + x * (view.t - view.t_previous);
      assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
      if (p->reference)
        growing(t, exact);
      else
        rk_made_exact(p, t, exact);
      most = fmax(most, difference(0, p->size, y, exact));
    }
  }
  assert_int_equal(status, DAE_END);
  dae_integrator_free(it);
  return most;
}

/* With singular M the finer polynomial is not to be had, and algebraic variables are those of the
 * start and the stages: of order s + 1. */
static void test_rows_between_the_ends_have_order_2s_1(void **state)
{
  (void)state;
  static const struct {
    test_problem (*make)(void);
    int stages, steps, sizes, order;
    double to;
  } all[] = {{test_rheonomic_length, 3, 24, 3, 5, 4}, {test_rheonomic_length, 5, 16, 2, 9, 4},
             {rk_made_index1, 3, 12, 3, 5, 0},        {rk_made_index1, 5, 7, 2, 9, 0},
             {rk_made_mechanical, 3, 24, 3, 5, 0},    {rk_made_mechanical, 5, 16, 2, 9, 0},
             {rk_made_singular, 3, 12, 3, 4, 0},      {rk_made_singular, 5, 7, 2, 6, 0}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    test_problem p = all[i].make();
    double errors[SIZES];
    p.to = fmax(p.to, all[i].to);
    for (int k = 0; k < all[i].sizes; k++)
      errors[k] = error_between(&p, all[i].stages, all[i].steps << k);
    check(p.name, all[i].stages, "rows", all[i].sizes, errors, all[i].order - LOW_BETWEEN,
          all[i].order + 1);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mechanics_has_order_2s_1_in_positions_velocities_and_multipliers),
      cmocka_unit_test(test_7_stages_leave_next_to_nothing_in_a_dozen_steps),
      cmocka_unit_test(test_other_states_and_algebraic_variables_of_mechanics_have_it),
      cmocka_unit_test(test_index_1_has_it_in_x_and_y),
      cmocka_unit_test(test_index_2_has_order_2s_1_in_x_and_y),
      cmocka_unit_test(test_rows_between_the_ends_have_order_2s_1),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
