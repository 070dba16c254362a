#include "model/graph/walk.h"
#include "model/tape/tape.h"

#include "counting_env.h"
#include "expressions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define C(value) dae__constant(g, (value))
#define ADD(a, b) DAE__ADD(g, (a), (b))
#define SUB(a, b) DAE__SUB(g, (a), (b))
#define MUL(a, b) DAE__MUL(g, (a), (b))
#define DIV(a, b) DAE__DIV(g, (a), (b))
#define NEG(a) DAE__NEG(g, (a))
#define POWI(a, n) dae__powi(g, (a), (n))
#define FN(name, a) dae__unary(g, DAE__OP_##name, (a))
#define LESS(a, b) dae__binary(g, DAE__OP_LESS, (a), (b))
#define same assert_int_equal

static const unsigned char all[LEAVES] = {1, 1, 1, 1, 1};
static const dae__kinds every = {all, 1};

typedef struct setting {
  dae__graph *g;
  dae__walker *walker;
  dae__node x, y, z;
} setting;

static setting setting_create(void)
{
  setting s = {.g = dae__graph_create(NULL, 100000000)};
  s.walker = dae__walker_create(s.g, NULL);
  s.x = dae__leaf(s.g, 0);
  s.y = dae__leaf(s.g, 1);
  s.z = dae__leaf(s.g, 2);
  return s;
}

static void setting_free(setting *s)
{
  dae__walker_free(s->walker);
  dae__graph_free(s->g);
}

/* derivative with respect to one leaf, 0 if it is not in the list */
static dae__node derivative(const setting *s, dae__node node, int leaf)
{
  dae__gradient gradient = dae__gradient_of(s->walker, node, every);
  for (int i = 0; i < gradient.count; i++)
    if (gradient.leaf[i] == leaf)
      return gradient.value[i];
  return DAE__ZERO;
}

static void test_derivatives_are_what_one_would_write(void **state)
{
  (void)state;
  setting s = setting_create();
  dae__graph *g = s.g;
  dae__node x = s.x, y = s.y;
  same(derivative(&s, ADD(POWI(x, 2), POWI(y, 2)), 0), MUL(C(2), x));
  same(derivative(&s, MUL(x, y), 0), y);
  same(derivative(&s, x, 0), C(1));
  same(derivative(&s, C(3), 0), C(0));
  same(derivative(&s, FN(SIN, x), 0), FN(COS, x));
  same(derivative(&s, FN(COS, x), 0), NEG(FN(SIN, x)));
  same(derivative(&s, FN(EXP, x), 0), FN(EXP, x));
  same(derivative(&s, FN(LOG, x), 0), DIV(C(1), x));
  same(derivative(&s, FN(ABS, x), 0), FN(SIGN, x));
  same(derivative(&s, FN(FLOOR, x), 0), C(0));
  same(derivative(&s, FN(SIGN, x), 0), C(0));
  same(derivative(&s, LESS(x, y), 0), C(0));
  same(derivative(&s, POWI(x, 3), 0), MUL(C(3), POWI(x, 2)));
  same(derivative(&s, DIV(C(1), x), 0), NEG(POWI(DIV(C(1), x), 2)));
  dae__node length = FN(SQRT, ADD(POWI(x, 2), POWI(y, 2)));
  same(derivative(&s, length, 0), DIV(x, length));
  same(derivative(&s, length, 1), DIV(y, length));
  dae__node largest = dae__if(g, LESS(x, y), y, x);
  same(derivative(&s, largest, 1), dae__if(g, LESS(x, y), C(1), C(0)));
  same(derivative(&s, SUB(MUL(x, y), MUL(y, x)), 0), C(0));
  setting_free(&s);
}

static void test_only_leaves_that_are_meant_appear_in_order(void **state)
{
  (void)state;
  setting s = setting_create();
  dae__graph *g = s.g;
  static const unsigned char kind[LEAVES] = {1, 2, 4, 3, 1};
  dae__node f = ADD(MUL(dae__leaf(g, 4), dae__leaf(g, 3)), MUL(s.y, FN(SIN, MUL(s.x, s.z))));
  dae__gradient gradient = dae__gradient_of(s.walker, f, (dae__kinds){kind, 1});
  same(gradient.count, 3);
  same(gradient.leaf[0], 0);
  same(gradient.leaf[1], 3);
  same(gradient.leaf[2], 4);
  same(gradient.value[1], dae__leaf(g, 4));
  gradient = dae__gradient_of(s.walker, f, (dae__kinds){kind, 4});
  same(gradient.count, 1);
  same(gradient.leaf[0], 2);
  same(dae__gradient_of(s.walker, f, (dae__kinds){kind, 8}).count, 0);
  setting_free(&s);
}

static void test_the_derivative_along_a_direction_is_the_sum(void **state)
{
  (void)state;
  setting s = setting_create();
  dae__graph *g = s.g;
  dae__node rate[LEAVES] = {C(1), s.z, 0, 0, 0};
  same(dae__derivative_along(s.walker, MUL(s.x, s.y), every, rate), ADD(s.y, MUL(s.x, s.z)));
  same(dae__derivative_along(s.walker, s.z, every, rate), C(0));
  setting_free(&s);
}

/* ---- against the complex step ---- */

/* How near to x the expression switches: to choices, corners and jumps. */
static double distance_to_switch(const dae__graph *g, dae__node node, const double *value)
{
  double nearest = INFINITY;
  for (int i = 0; i <= node; i++) {
    dae__node_view n = dae__node_at(g, i);
    double a = value[n.a], b = n.op == DAE__OP_POWI ? 0 : value[n.b];
    if (n.op == DAE__OP_LESS || n.op == DAE__OP_LESS_EQUAL || n.op == DAE__OP_EQUAL)
      nearest = fmin(nearest, fabs(a - b));
    if (n.op == DAE__OP_ABS || n.op == DAE__OP_SIGN)
      nearest = fmin(nearest, fabs(a));
    if (n.op == DAE__OP_HYPOT || n.op == DAE__OP_ATAN2)
      nearest = fmin(nearest, fmax(fabs(a), fabs(b)));
    if (n.op == DAE__OP_INTERVAL) {
      const dae__curve *c = g->curves.item[n.word];
      double m = dae__curve_interval(c, a, 0);
      nearest = fmin(nearest, fmin(a - dae__curve_knot(c, m), dae__curve_knot(c, m + 1) - a));
    }
    if (n.op == DAE__OP_FLOOR)
      nearest = fmin(nearest, fabs(a - rint(a)));
  }
  return nearest;
}

static double largest_of(int count, const double *value)
{
  double largest = 1;
  for (int i = 0; i < count; i++)
    if (!(fabs(value[i]) <= largest))
      largest = fabs(value[i]);
  return largest;
}

/* Derivatives of node by all leaves, by the complex step. */
static void complex_steps(const dae__graph *g, dae__node node, const double *x, double *derivative)
{
  const double d = 1e-60;
  for (int leaf = 0; leaf < LEAVES; leaf++) {
    double complex z[LEAVES];
    for (int i = 0; i < LEAVES; i++)
      z[i] = x[i] + (i == leaf ? d * I : 0);
    double complex *value = complex_values_at(g, node, z);
    derivative[leaf] = cimag(value[node]) / d;
    free(value);
  }
}

/* All derivatives of node, evaluated by a tape. */
static void tape_gradient(const dae__graph *g, dae__gradient gradient, const double *x,
                          double *derivative)
{
  dae__tape_input input[LEAVES];
  dae__tape_output output[LEAVES];
  for (int i = 0; i < LEAVES; i++)
    input[i] = (dae__tape_input){0, i};
  for (int i = 0; i < gradient.count; i++)
    output[i] = (dae__tape_output){0, gradient.leaf[i], gradient.value[i]};
  dae__arena *arena = dae__arena_create(NULL);
  dae__tape *tape =
      dae__tape_create(arena, &(dae__tape_plan){g, input, output, gradient.count, 1, 1,
                                                (int[]){LEAVES}, NULL, false, NULL});
  assert_non_null(tape);
  dae__tape_run(tape, &x, &derivative);
  dae__arena_free(arena);
}

/* 1: checked; 0: left out, too near to a switch or to a pole. The scale of errors is the largest
 * of the values that the derivative is put together of. */
static int check_gradient(setting *s, dae__node node, const double *x)
{
  double expected[LEAVES], found[LEAVES];
  dae__gradient gradient = dae__gradient_of(s->walker, node, every);
  int count = s->g->count;
  double *value = values_at(s->g, count - 1, x);
  double scale = largest_of(count, value);
  bool clear = scale < 1e3 && distance_to_switch(s->g, count - 1, value) > 1e-6;
  free(value);
  if (!clear)
    return 0;
  complex_steps(s->g, node, x, expected);
  tape_gradient(s->g, gradient, x, found);
  for (int i = 0; i < LEAVES; i++)
    if (!(fabs(found[i] - expected[i]) <= 1e-12 * scale))
      fail_msg("leaf %d: %.17g, complex step %.17g, scale %g", i, found[i], expected[i], scale);
  return 1;
}

static void draw_point(double *x)
{
  for (int i = 0; i < LEAVES; i++)
    x[i] = draw_real(-2, 2);
}

static void test_gradients_agree_with_the_complex_step(void **state)
{
  (void)state;
  int checked = 0;
  for (int trial = 0; trial < 1000; trial++) {
    setting s = setting_create();
    double x[LEAVES];
    dae__node node = random_expression(s.g, 5 + (int)draw(25));
    draw_point(x);
    checked += check_gradient(&s, node, x);
    setting_free(&s);
  }
  assert_in_range(checked, 300, 1000);
}

static void test_second_derivatives_agree_with_the_complex_step(void **state)
{
  (void)state;
  int checked = 0;
  for (int trial = 0; trial < 1000; trial++) {
    setting s = setting_create();
    double x[LEAVES];
    dae__node node = random_expression(s.g, 3 + (int)draw(15)), first[LEAVES];
    draw_point(x);
    dae__gradient gradient = dae__gradient_of(s.walker, node, every);
    int count = gradient.count;
    if (count > 0)
      memcpy(first, gradient.value, (size_t)count * sizeof *first);
    for (int i = 0; i < count; i++)
      checked += check_gradient(&s, first[i], x);
    setting_free(&s);
  }
  assert_in_range(checked, 300, 5000);
}

/* ---- choices ---- */

static double at(const setting *s, dae__node node, double x, double y)
{
  return value_at(s->g, node, (double[LEAVES]){x, y});
}

static void test_the_branch_not_taken_never_enters(void **state)
{
  (void)state;
  setting s = setting_create();
  dae__graph *g = s.g;
  dae__node x = s.x, y = s.y, positive_x = LESS(C(0), x), root = FN(SQRT, x);
  dae__node guarded = dae__if(g, positive_x, root, C(0));
  dae__node d = derivative(&s, guarded, 0);
  assert_true(at(&s, d, -1, 0) == 0);
  assert_true(at(&s, d, 4, 0) == 0.25);

  /* within further operations: 3 if(...)^2 */
  d = derivative(&s, MUL(C(3), POWI(ADD(guarded, y), 2)), 0);
  assert_true(at(&s, d, -1, 1) == 0);
  assert_true(at(&s, d, 4, 1) == 3 * 2 * 3 * 0.25);

  /* nested, and sharing what is not defined outside */
  dae__node inner = dae__if(g, LESS(C(1), x), FN(LOG, ADD(C(-1), x)), MUL(root, y));
  dae__node nested = dae__if(g, positive_x, MUL(inner, root), ADD(x, y));
  d = derivative(&s, ADD(nested, MUL(inner, guarded)), 0);
  assert_true(isnan(at(&s, inner, -1, 2)) && isnan(at(&s, ADD(nested, inner), -1, 2)));
  d = derivative(&s, nested, 0);
  assert_true(at(&s, d, -1, 2) == 1);
  assert_true(at(&s, d, 0.25, 2) == 2); /* (x y)' */
  assert_true(fabs(at(&s, d, 4, 2) - (2. / 3 + log(3) / 4)) < 1e-15);

  /* also in second derivatives */
  d = derivative(&s, derivative(&s, guarded, 0), 0);
  assert_true(at(&s, d, -1, 0) == 0);
  assert_true(at(&s, d, 4, 0) == -1. / 32);
  setting_free(&s);
}

static void test_many_choices_in_a_row_cost_no_more_than_their_number(void **state)
{
  (void)state;
  enum { N = 20000 };
  setting s = setting_create();
  dae__graph *g = s.g;
  unsigned char *kind = malloc(N);
  memset(kind, 1, N);
  /* a table of slopes, the largest of many variables, and y = if(c, f(y), y) again and again */
  dae__node table = C(0), largest = s.x, nested = s.x;
  for (int i = 1; i < N; i++) {
    dae__node leaf = dae__leaf(g, i);
    table = dae__if(g, LESS(s.x, C(i)), MUL(C(i), FN(SIN, MUL(C(i), s.x))), table);
    largest = dae__if(g, LESS(largest, leaf), leaf, largest);
    nested = dae__if(g, LESS(nested, C(i)), FN(SQRT, nested), nested);
  }
  const dae__node root[] = {table, largest, nested};
  const int leaves[] = {1, N, 1};
  for (int i = 0; i < 3; i++) {
    int before = g->count;
    same(dae__gradient_of(s.walker, root[i], (dae__kinds){kind, 1}).count, leaves[i]);
    assert_in_range(g->count - before, 1, 10 * N);
  }
  free(kind);
  setting_free(&s);
}

/* ---- size ---- */

static void test_deep_sums_have_gradients_at_linear_cost(void **state)
{
  (void)state;
  enum { DEPTH = 1000000 };
  setting s = setting_create();
  dae__graph *g = s.g;
  unsigned char *kind = malloc(DEPTH);
  memset(kind, 1, DEPTH);
  dae__node sum = s.x, squares = C(0), tower = s.x;
  for (int i = 1; i < DEPTH; i++)
    sum = ADD(sum, dae__leaf(g, i));
  for (int i = 0; i < DEPTH / 5; i++)
    squares = ADD(squares, POWI(dae__leaf(g, i), 2));
  for (int i = 0; i < DEPTH / 5; i++)
    tower = FN(SIN, tower);
  dae__gradient gradient = dae__gradient_of(s.walker, sum, (dae__kinds){kind, 1});
  same(gradient.count, DEPTH);
  same(gradient.value[DEPTH / 3], C(1));
  gradient = dae__gradient_of(s.walker, squares, (dae__kinds){kind, 1});
  same(gradient.count, DEPTH / 5);
  same(gradient.value[DEPTH / 6], MUL(C(2), dae__leaf(g, DEPTH / 6)));
  same(dae__gradient_of(s.walker, tower, (dae__kinds){kind, 1}).count, 1);
  assert_false(g->failed || s.walker->failed);
  free(kind);
  setting_free(&s);
}

/* many small sums in a graph that grows with every one of them */
static void test_small_gradients_in_a_large_graph_are_cheap(void **state)
{
  (void)state;
  enum { N = 300000 };
  setting s = setting_create();
  dae__graph *g = s.g;
  unsigned char *kind = malloc(N + 1);
  memset(kind, 1, N + 1);
  for (int i = 0; i < N; i++) {
    dae__node a = dae__leaf(g, i), b = dae__leaf(g, i + 1);
    dae__node length = ADD(POWI(SUB(b, a), 2), FN(SIN, MUL(a, b)));
    same(dae__gradient_of(s.walker, length, (dae__kinds){kind, 1}).count, 2);
  }
  assert_in_range(g->count, 5 * N, 20 * N);
  free(kind);
  setting_free(&s);
}

/* ---- failure ---- */

static bool build_all(const dae_env *env)
{
  enum { N = 60 };
  static unsigned char kind[N];
  memset(kind, 1, N);
  dae__graph *g = dae__graph_create(env, 1000000);
  dae__walker *walker = g ? dae__walker_create(g, env) : NULL;
  bool built = false;
  if (walker) {
    dae__node sum = dae__leaf(g, 0), wide = DAE__ZERO;
    for (int i = 1; i < N; i++) {
      dae__node leaf = dae__leaf(g, i);
      sum = ADD(sum, dae__if(g, LESS(leaf, sum), MUL(leaf, FN(SIN, sum)), leaf));
      wide = ADD(wide, dae__if(g, LESS(C(i), leaf), FN(SIN, leaf), POWI(sum, 2)));
    }
    int count = dae__gradient_of(walker, wide, (dae__kinds){kind, 1}).count;
    built = !g->failed && !walker->failed;
    same(count, built ? N : 0);
  }
  dae__walker_free(walker);
  dae__graph_free(g);
  return built;
}

static void test_every_failing_allocation_shows(void **state)
{
  (void)state;
  assert_int_equal(counting_env_fault(build_all), 0);
}

static void test_the_node_limit_ends_a_sweep(void **state)
{
  (void)state;
  for (long limit = 10; limit < 200; limit += 7) {
    dae__graph *g = dae__graph_create(NULL, limit);
    dae__walker *walker = dae__walker_create(g, NULL);
    dae__node tower = dae__leaf(g, 0);
    for (int i = 0; i < 30; i++)
      tower = FN(SIN, dae__if(g, LESS(tower, C(i)), FN(EXP, tower), tower));
    dae__gradient gradient = dae__gradient_of(walker, tower, every);
    assert_true(!g->failed || gradient.count == 0);
    assert_int_equal(g->failed, g->full);
    dae__walker_free(walker);
    dae__graph_free(g);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_derivatives_are_what_one_would_write),
      cmocka_unit_test(test_only_leaves_that_are_meant_appear_in_order),
      cmocka_unit_test(test_the_derivative_along_a_direction_is_the_sum),
      cmocka_unit_test(test_gradients_agree_with_the_complex_step),
      cmocka_unit_test(test_second_derivatives_agree_with_the_complex_step),
      cmocka_unit_test(test_the_branch_not_taken_never_enters),
      cmocka_unit_test(test_many_choices_in_a_row_cost_no_more_than_their_number),
      cmocka_unit_test(test_deep_sums_have_gradients_at_linear_cost),
      cmocka_unit_test(test_small_gradients_in_a_large_graph_are_cheap),
      cmocka_unit_test(test_every_failing_allocation_shows),
      cmocka_unit_test(test_the_node_limit_ends_a_sweep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
