/* Coupled models by dynamic iterations with trapezoidal children: how many sweeps a window takes at
 * most, by every way to form the next waveforms, until nothing changes by more than 1e-8; where
 * plain iterations go wrong, and what is said of it; the order of what comes out [E07, WHM11]. */
#include "wave_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SLACK 2 /* sweeps more than tabulated */

/* ---- sweeps ---- */

static const int one_three_two[3] = {0, 2, 1};
static const int last_first[2] = {1, 0};

typedef struct grid {
  const char *model;
  int windows, steps;
  double to; /* 0: the end of the model */
} grid;

static const grid three = {"three_circuits", 4, 50, 0}, diode = {"diode", 20, 20, 0},
                  pendula = {"two_pendula", 20, 10, 0}, chains = {"two_chains", 20, 25, 0},
                  moving = {"moving_joint", 24, 25, 0}, curved = {"nonlinear_joint", 24, 25, 0},
                  structures = {"structures_joint", 3, 10, 3};

enum { DIVERGES = -1 };

typedef struct row {
  const grid *on;
  const char *method;
  dae_wave_splitting splitting;
  dae_wave_update update;
  double parameter; /* omega, theta, depth */
  const int *order;
  int sweeps;
} row;

#define GS "gauss-seidel"
#define OPTIMAL DAE_WAVE_SPLIT_OPTIMAL
#define ON_X DAE_WAVE_SPLIT_FIRST
#define ON_Y DAE_WAVE_SPLIT_SECOND
#define WEIGHTED DAE_WAVE_SPLIT_WEIGHTED
#define PLAIN DAE_WAVE_PLAIN, 0
#define THETA(theta) DAE_WAVE_PLAIN, theta
#define SCHUR DAE_WAVE_SCHUR, 0
#define ANDERSON(depth) DAE_WAVE_ANDERSON, depth
#define AITKEN DAE_WAVE_AITKEN, 0
#define OMEGA(omega) DAE_WAVE_RELAX, omega

/* clang-format off */
static const row rows[] = {
    {&three, GS, OPTIMAL, PLAIN, NULL, DIVERGES},
    {&three, "jacobi", OPTIMAL, PLAIN, NULL, DIVERGES},
    {&three, GS, OPTIMAL, PLAIN, one_three_two, 14},
    {&three, GS, OPTIMAL, SCHUR, NULL, 8},
    {&three, "jacobi", OPTIMAL, SCHUR, NULL, 9},
    {&three, GS, OPTIMAL, ANDERSON(8), NULL, 12},
    {&three, "jacobi", OPTIMAL, ANDERSON(8), NULL, 17},
    {&three, GS, OPTIMAL, SCHUR, one_three_two, 7},
    {&three, GS, OPTIMAL, OMEGA(0.5), NULL, 52},

    {&diode, GS, OPTIMAL, PLAIN, NULL, DIVERGES},
    {&diode, "jacobi", OPTIMAL, PLAIN, NULL, DIVERGES},
    {&diode, GS, OPTIMAL, SCHUR, NULL, 8},
    {&diode, "jacobi", OPTIMAL, SCHUR, NULL, 11},
    {&diode, GS, OPTIMAL, ANDERSON(8), NULL, 20},
    {&diode, "jacobi", OPTIMAL, ANDERSON(8), NULL, 33},

    {&pendula, GS, OPTIMAL, PLAIN, NULL, DIVERGES},
    {&pendula, "jacobi", OPTIMAL, PLAIN, NULL, DIVERGES},
    {&pendula, GS, OPTIMAL, SCHUR, NULL, 7},
    {&pendula, "jacobi", OPTIMAL, SCHUR, NULL, 13},
    {&pendula, GS, OPTIMAL, ANDERSON(8), NULL, 12},
    {&pendula, "jacobi", OPTIMAL, ANDERSON(8), NULL, 24},

    {&structures, GS, ON_Y, PLAIN, NULL, 22},
    {&structures, "jacobi", ON_Y, PLAIN, NULL, 45},
    {&structures, GS, ON_Y, SCHUR, NULL, 6},
    {&structures, "jacobi", ON_Y, SCHUR, NULL, 6},
    {&structures, GS, ON_Y, ANDERSON(8), NULL, 6},
    {&structures, "jacobi", ON_Y, ANDERSON(8), NULL, 11},

    {&chains, "joint", ON_Y, PLAIN, last_first, DIVERGES},
    {&chains, "joint", ON_X, PLAIN, NULL, DIVERGES},
    {&chains, "joint", WEIGHTED, THETA(0.5), NULL, DIVERGES},
    {&chains, "joint", OPTIMAL, PLAIN, NULL, 6},
    {&chains, "joint", ON_Y, OMEGA(8.0 / 17), last_first, 22},
    {&chains, "joint", ON_X, OMEGA(4.0 / 13), NULL, 31},
    {&chains, "joint", ON_Y, OMEGA(0), last_first, 22},
    {&chains, "joint", ON_Y, AITKEN, last_first, 15},
    {&chains, "joint", ON_Y, ANDERSON(5), last_first, 11},
    {&chains, "joint", ON_X, ANDERSON(5), NULL, 15},

    {&moving, "joint", ON_Y, PLAIN, last_first, 15},
    {&moving, "joint", ON_X, PLAIN, NULL, DIVERGES},
    {&moving, "joint", OPTIMAL, PLAIN, NULL, 8},
    {&moving, "joint", ON_Y, ANDERSON(5), last_first, 6},
    {&moving, "joint", ON_Y, AITKEN, last_first, 9},
};
/* clang-format on */

static double open_grid(wave_case *c, const grid *g, int refined)
{
  const coupled_model *known = coupled_model_find(g->model);
  double to = g->to > 0 ? g->to : known->to;
  wave_open(c, known->path, NULL);
  c->opts.window = to / g->windows;
  wave_children(c, "trapezoid", to / g->windows / g->steps / refined);
  return to;
}

static wave_run run_row(const row *r)
{
  wave_case c;
  double to = open_grid(&c, r->on, 1);
  c.method = r->method;
  c.opts.atol = 1e-8;
  c.opts.stop = DAE_WAVE_STOP_INCREMENT;
  c.opts.splitting = r->splitting;
  c.opts.update = r->update;
  c.opts.omega = r->update == DAE_WAVE_RELAX ? r->parameter : 0;
  c.opts.theta = r->parameter;
  c.opts.depth = r->update == DAE_WAVE_ANDERSON ? (int)r->parameter : 8;
  c.opts.order = r->order;
  wave_run got = wave_go(&c, to);
  wave_close(&c);
  return got;
}

static void show(const row *r, const wave_run *got)
{
  print_message("%s, %s, splitting %d, update %d (%.3g): ", r->on->model, r->method,
                (int)r->splitting, (int)r->update, r->parameter);
  if (got->status < 0)
    print_message("%s\n", got->err.text);
  else
    print_message("%d sweeps, tabulated %d\n", got->seen.most_sweeps, r->sweeps);
}

static bool says_why(const char *text)
{
  return strstr(text, "diverges") || strstr(text, "2-cycle");
}

static void test_sweeps_are_as_tabulated(void **state)
{
  (void)state;
  int wrong = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const row *r = &rows[i];
    wave_run got = run_row(r);
    show(r, &got);
    bool fine = r->sweeps == DIVERGES
                    ? got.status == DAE_ERROR_COUPLING && says_why(got.err.text)
                    : got.status == DAE_END && got.seen.most_sweeps <= r->sweeps + SLACK;
    if (!fine)
      print_error("the line above is wrong\n");
    wrong += !fine;
  }
  assert_int_equal(wrong, 0);
}

/* ---- what is said of a loop ---- */

typedef struct loop {
  const char *model;
  const char *word[3]; /* variables of the loop */
} loop;

static const loop loops[] = {
    {"diode", {"source.i", "load.v", "source, load"}},
    {"three_circuits", {"one.z", "two.z", "three.z"}},
    {"two_pendula", {"left.a", "right.lambda", "left, right"}},
    {"two_chains", {"lambda(last)", "x.x[3]''", "y.y[3]''"}},
};

static void test_failures_name_the_variables_of_the_loop(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
    const coupled_model *known = coupled_model_find(loops[i].model);
    wave_case c;
    wave_open(&c, known->path, NULL);
    c.opts.update = DAE_WAVE_PLAIN;
    c.opts.splitting = DAE_WAVE_SPLIT_FIRST;
    wave_run r = wave_go(&c, known->to);
    assert_int_equal(r.status, DAE_ERROR_COUPLING);
    for (int k = 0; k < 3; k++)
      if (!strstr(r.err.text, loops[i].word[k]))
        fail_msg("%s: nothing is said of %s: %s", loops[i].model, loops[i].word[k], r.err.text);
    wave_close(&c);
  }
}

/* two.z comes back as -tanh(k two.z): its only fixed point repels, towards two states that
 * follow each other */
static const char between_two[] = "model between_two\n"
                                  "param k = 4\n"
                                  "system one {\n"
                                  "  state y = 0\n"
                                  "  alg z = 0\n"
                                  "  y' = 1\n"
                                  "  0 = z + tanh(k*two.z + y)\n"
                                  "}\n"
                                  "system two {\n"
                                  "  state y = 0\n"
                                  "  alg z = 0\n"
                                  "  y' = -y\n"
                                  "  0 = z - one.z + y\n"
                                  "}\n";

static void test_a_2_cycle_is_told_from_growth(void **state)
{
  (void)state;
  for (int jacobi = 0; jacobi < 2; jacobi++) {
    wave_case c;
    wave_parse(&c, between_two);
    c.method = jacobi ? "jacobi" : "gauss-seidel";
    c.opts.update = DAE_WAVE_PLAIN;
    c.opts.window = 1;
    wave_children(&c, "trapezoid", 0.05);
    wave_run r = wave_go(&c, 1);
    print_message("%s\n", r.err.text);
    assert_int_equal(r.status, DAE_ERROR_COUPLING);
    assert_true(jacobi ? says_why(r.err.text) : strstr(r.err.text, "2-cycle") != NULL);
    assert_non_null(strstr(r.err.text, "one.z"));
    assert_non_null(strstr(r.err.text, "two.z"));
    c.opts.update = DAE_WAVE_AUTO; /* which takes the loop into account */
    assert_int_equal(wave_go(&c, 1).status, DAE_END);
    wave_close(&c);
  }
}

/* ---- what the derivatives say ---- */

static bool near(double a, double b)
{
  return isnan(b) || fabs(a - b) <= 1e-6 * fabs(b);
}

/* found by trying all of them where there are few systems */
static bool best_is_right(const wave_case *c, const dae_contraction *now, const coupled_model *m)
{
  return c->parts <= 7 ? near(now->best, m->best)
                       : now->best > m->best * (1 - 1e-6) && now->best <= now->gauss_seidel;
}

static void test_factors_of_a_sweep_are_as_known(void **state)
{
  (void)state;
  const coupled_model *m;
  for (int i = 0; (m = coupled_model_at(i)); i++) {
    wave_case c;
    dae_contraction now;
    double y[WAVE_SIZE];
    wave_open(&c, m->path, NULL);
    assert_int_equal(dae_consistent_start(c.problem, &c.start, NULL, y, NULL, NULL, NULL), DAE_OK);
    assert_int_equal(dae_contraction_at(c.problem, c.start.t, y, NULL, &now, NULL), DAE_OK);
    print_message("%s: %.7g, best %.7g (%s), jacobi %.7g; joints %.7g, %.7g\n", m->name,
                  now.gauss_seidel, now.best, now.order, now.jacobi, now.on_first, now.on_second);
    if (!near(now.gauss_seidel, m->gauss_seidel) || !best_is_right(&c, &now, m) ||
        !near(now.jacobi, m->jacobi) || !near(now.on_first, m->on_first) ||
        !near(now.on_second, m->on_second))
      fail_msg("%s", m->name);
    wave_close(&c);
  }
}

/* signed changes of the last unknown at the end of the window, sweep by sweep */
typedef struct changes {
  double d[16];
} changes;

static void keep_change(void *user, const dae_wave_sweep *sweep)
{
  changes *c = user;
  int last = sweep->given->nodes * sweep->given->width - 1;
  assert_true(sweep->sweep < 16);
  c->d[sweep->sweep] = sweep->computed->value[last] - sweep->given->value[last];
}

/* the modulus of a complex pair of eigenvalues: d_k = r^k cos(k phi + psi) up to a factor */
static double modulus(const double *d)
{
  return sqrt((d[2] * d[2] - d[1] * d[3]) / (d[1] * d[1] - d[0] * d[2]));
}

/* cyclic shifts contract alike, and reversed they do by another factor: seen in the iterates */
static void test_three_circuits_contract_in_one_direction_only(void **state)
{
  (void)state;
  static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (int i = 0; i < 6; i++) {
    wave_case c;
    changes seen;
    wave_open(&c, coupled_model_find("three_circuits")->path, NULL);
    c.opts.update = DAE_WAVE_PLAIN;
    c.opts.window = 0.01;
    c.opts.sweeps = 12;
    c.opts.order = order[i];
    c.opts.watch = keep_change;
    c.opts.user = &seen;
    wave_children(&c, "trapezoid", 0.002);
    assert_int_equal(wave_go(&c, 0.01).status, DAE_END);
    double rate = i < 3 ? fabs(seen.d[12] / seen.d[11]) : modulus(seen.d + 5);
    double known = i < 3 ? 1.384526 : 0.212132;
    print_message("order %d%d%d: %.5f\n", order[i][0] + 1, order[i][1] + 1, order[i][2] + 1, rate);
    assert_true(fabs(rate - known) < 0.02 * known);
    wave_close(&c);
  }
}

/* ---- the order of what comes out ---- */

static double error_of(const grid *g, const char *method, int refined)
{
  const coupled_model *known = coupled_model_find(g->model);
  int last = known->times - 1;
  wave_case c;
  open_grid(&c, g, refined);
  c.method = method;
  wave_run r = wave_go(&c, known->to);
  if (r.status != DAE_END)
    fail_msg("%s: %s", g->model, r.err.text);
  double error =
      wave_apart(&c, r.y, known, known->value + last * known->columns, 0, known->columns);
  wave_close(&c);
  return error;
}

static void test_trapezoids_come_to_the_values_with_order_2(void **state)
{
  (void)state;
  static const grid *const grids[] = {&three, &diode, &pendula, &chains, &moving, &curved};
  for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
    for (int jacobi = 0; jacobi < 2; jacobi++) {
      const char *method = jacobi ? "jacobi" : GS;
      double one = error_of(grids[i], method, 1), half = error_of(grids[i], method, 2);
      double order = log2(one / half);
      print_message("%s, %s: %.3e, %.3e, order %.2f\n", grids[i]->model, method, one, half, order);
      if (!(fabs(order - 2) < 0.2) || !(one < 0.01))
        fail_msg("%s, %s: order %g", grids[i]->model, method, order);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sweeps_are_as_tabulated),
      cmocka_unit_test(test_failures_name_the_variables_of_the_loop),
      cmocka_unit_test(test_a_2_cycle_is_told_from_growth),
      cmocka_unit_test(test_factors_of_a_sweep_are_as_known),
      cmocka_unit_test(test_three_circuits_contract_in_one_direction_only),
      cmocka_unit_test(test_trapezoids_come_to_the_values_with_order_2),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
