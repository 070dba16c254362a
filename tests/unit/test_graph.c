#include "model/graph/graph.h"
#include "model/graph/walk.h"

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
#define POW(a, b) dae__binary(g, DAE__OP_POW, (a), (b))
#define POWI(a, n) dae__powi(g, (a), (n))
#define FN(name, a) dae__unary(g, DAE__OP_##name, (a))
#define LESS(a, b) dae__binary(g, DAE__OP_LESS, (a), (b))
#define AND(a, b) dae__binary(g, DAE__OP_AND, (a), (b))
#define OR(a, b) dae__binary(g, DAE__OP_OR, (a), (b))
#define same assert_int_equal

static dae__graph *graph_of(dae__node *x, dae__node *y)
{
  dae__graph *g = dae__graph_create(NULL, 100000000);
  *x = dae__leaf(g, 0);
  *y = dae__leaf(g, 1);
  return g;
}

static void test_equal_expressions_are_one_node(void **state)
{
  (void)state;
  dae__node x, y;
  dae__graph *g = graph_of(&x, &y);
  same(ADD(x, y), ADD(y, x));
  same(MUL(FN(SIN, x), y), MUL(y, FN(SIN, x)));
  assert_int_not_equal(SUB(x, y), SUB(y, x));
  assert_int_not_equal(DIV(x, y), DIV(y, x));
  assert_int_not_equal(LESS(x, y), LESS(y, x));
  same(dae__leaf(g, 1), y);
  int count = g->count;
  for (int i = 0; i < 3; i++)
    (void)MUL(FN(SIN, x), ADD(y, x));
  same(g->count, count + 1);
  dae__graph_free(g);
}

static void test_constants_are_known_by_their_value(void **state)
{
  (void)state;
  dae__node x, y;
  dae__graph *g = graph_of(&x, &y);
  double value;
  same(C(0), DAE__ZERO);
  same(C(-0.0), DAE__ZERO);
  same(C(0.1), C(0.1));
  assert_int_not_equal(C(0.1), C(-0.1));
  same(C(NAN), C(-NAN));
  same(FN(LOG, C(-1)), C(NAN));
  same(DIV(C(1), C(0)), C(INFINITY));
  assert_true(dae__is_constant(g, C(2.5), &value));
  assert_true(value == 2.5);
  assert_false(dae__is_constant(g, x, &value));
  assert_true(dae__node_at(g, C(2.5)).value == 2.5);
  dae__graph_free(g);
}

static void test_sums_become_simpler(void **state)
{
  (void)state;
  dae__node x, y;
  dae__graph *g = graph_of(&x, &y);
  same(ADD(C(1), C(2)), C(3));
  same(ADD(x, C(0)), x);
  same(SUB(x, C(0)), x);
  same(SUB(C(0), x), NEG(x));
  same(SUB(x, x), C(0));
  same(ADD(x, x), MUL(C(2), x));
  same(ADD(ADD(x, x), x), MUL(C(3), x));
  same(SUB(MUL(C(3), x), x), MUL(C(2), x));
  same(NEG(NEG(x)), x);
  same(ADD(x, NEG(y)), SUB(x, y));
  same(ADD(NEG(x), y), SUB(y, x));
  same(SUB(x, NEG(y)), ADD(x, y));
  same(SUB(NEG(x), y), NEG(ADD(x, y)));
  same(NEG(SUB(x, y)), SUB(y, x));
  same(ADD(C(1), ADD(C(2), x)), ADD(C(3), x));
  same(ADD(ADD(x, C(2)), C(1)), ADD(C(3), x));
  same(SUB(SUB(x, C(2)), C(1)), ADD(C(-3), x));
  same(SUB(C(5), ADD(x, C(2))), SUB(C(3), x));
  same(SUB(C(5), SUB(C(2), x)), ADD(C(3), x));
  same(ADD(SUB(C(5), x), C(-5)), NEG(x));
  /* 0.1 + 0.2 is rounded: joined first it would give another result */
  assert_int_not_equal(ADD(C(0.1), ADD(C(0.2), x)), ADD(C(0.1 + 0.2), x));
  dae__graph_free(g);
}

static void test_products_become_simpler(void **state)
{
  (void)state;
  dae__node x, y;
  dae__graph *g = graph_of(&x, &y);
  same(MUL(x, C(0)), C(0));
  same(MUL(x, C(1)), x);
  same(MUL(C(-1), x), NEG(x));
  same(DIV(x, C(1)), x);
  same(DIV(C(0), x), C(0));
  same(DIV(x, C(4)), MUL(C(0.25), x));
  same(dae__node_at(g, DIV(x, C(3))).op, DAE__OP_DIV);
  same(MUL(NEG(x), y), NEG(MUL(x, y)));
  same(MUL(NEG(x), NEG(y)), MUL(x, y));
  same(DIV(NEG(x), y), NEG(DIV(x, y)));
  same(DIV(x, NEG(y)), NEG(DIV(x, y)));
  same(DIV(NEG(x), NEG(y)), DIV(x, y));
  same(MUL(C(3), MUL(x, C(2))), MUL(C(6), x));
  same(NEG(MUL(C(3), x)), MUL(C(-3), x));
  same(MUL(C(3), DIV(C(2), x)), DIV(C(6), x));
  same(MUL(C(0.5), MUL(C(2), x)), x);
  same(MUL(DIV(C(0.5), y), MUL(C(2), x)), DIV(x, y));
  same(dae__node_at(g, MUL(x, C(3))).b, x);
  assert_int_not_equal(DIV(x, x), C(1)); /* 0/0 must show */
  /* 1e-200 * 1e-200 is zero, (1e-200 * 1e300) * 1e-200 is not */
  assert_int_not_equal(MUL(C(1e-200), MUL(C(1e-200), x)), C(0));
  dae__graph_free(g);
}

static void test_powers_become_simpler(void **state)
{
  (void)state;
  dae__node x, y;
  dae__graph *g = graph_of(&x, &y);
  same(MUL(x, x), POWI(x, 2));
  same(MUL(POWI(x, 2), x), POWI(x, 3));
  same(MUL(POWI(x, 2), POWI(x, 5)), POWI(x, 7));
  same(POWI(POWI(x, 2), 3), POWI(x, 6));
  same(POWI(x, 1), x);
  same(POWI(x, 0), C(1));
  same(POWI(x, -3), DIV(C(1), POWI(x, 3)));
  same(POWI(NEG(x), 2), POWI(x, 2));
  same(POWI(NEG(x), 3), NEG(POWI(x, 3)));
  same(POWI(C(2), 10), C(1024));
  same(POW(x, C(2)), POWI(x, 2));
  same(POW(x, C(-1)), DIV(C(1), x));
  same(POW(x, C(0.5)), FN(SQRT, x));
  same(POW(x, C(-0.5)), DIV(C(1), FN(SQRT, x)));
  same(POW(x, C(1)), x);
  same(POW(C(1), x), C(1));
  same(dae__node_at(g, POW(x, C(1025))).op, DAE__OP_POW);
  same(dae__node_at(g, POW(x, C(1.5))).op, DAE__OP_POW);
  dae__node_view view = dae__node_at(g, POWI(x, 7));
  assert_true(view.op == DAE__OP_POWI && view.a == x && view.b == 7);
  dae__graph_free(g);
}

static void test_functions_become_simpler(void **state)
{
  (void)state;
  dae__node x, y;
  dae__graph *g = graph_of(&x, &y);
  same(FN(SQRT, C(9)), C(3));
  same(FN(EXP, C(0)), C(1));
  same(FN(LOG, C(1)), C(0));
  same(FN(ABS, FN(ABS, x)), FN(ABS, x));
  same(FN(ABS, NEG(x)), FN(ABS, x));
  same(FN(SIN, NEG(x)), NEG(FN(SIN, x)));
  same(FN(COS, SUB(C(0), x)), FN(COS, x));
  assert_int_not_equal(FN(EXP, NEG(x)), FN(EXP, x));
  dae__graph_free(g);
}

static void test_choices_become_simpler(void **state)
{
  (void)state;
  dae__node x, y;
  dae__graph *g = graph_of(&x, &y);
  dae__node c = LESS(x, y);
  same(dae__if(g, C(2), x, y), x);
  same(dae__if(g, C(0), x, y), y);
  same(dae__if(g, c, x, x), x);
  same(dae__if(g, FN(NOT, c), x, y), dae__if(g, c, y, x));
  same(dae__if(g, c, dae__if(g, c, x, y), C(1)), dae__if(g, c, x, C(1)));
  same(dae__if(g, c, C(1), dae__if(g, c, x, y)), dae__if(g, c, C(1), y));
  same(FN(NOT, FN(NOT, c)), c);
  assert_int_not_equal(FN(NOT, FN(NOT, x)), x); /* 1 or 0, x need not be */
  same(LESS(C(1), C(2)), C(1));
  same(LESS(x, x), C(0));
  same(AND(c, C(0)), C(0));
  same(AND(c, C(7)), c);
  same(OR(C(7), c), C(1));
  same(OR(C(0), c), c);
  same(AND(c, c), c);
  dae__graph_free(g);
}

/* an operator on whole numbers that keeps them whole, so that arithmetic is exact */
static dae__op draw_exact_op(void)
{
  static const dae__op ops[] = {
      DAE__OP_ADD,   DAE__OP_SUB, DAE__OP_MUL,  DAE__OP_NEG,   DAE__OP_ABS,        DAE__OP_SIGN,
      DAE__OP_FLOOR, DAE__OP_IF,  DAE__OP_LESS, DAE__OP_EQUAL, DAE__OP_LESS_EQUAL, DAE__OP_AND,
      DAE__OP_OR,    DAE__OP_NOT, DAE__OP_ADD,  DAE__OP_SUB,   DAE__OP_MUL,        DAE__OP_POWI};
  return ops[draw(sizeof ops / sizeof ops[0])];
}

static dae__node construct(dae__graph *g, dae__op op, const dae__node *n, int power)
{
  if (op == DAE__OP_POWI)
    return POWI(n[0], power);
  if (op == DAE__OP_IF)
    return dae__if(g, n[0], n[1], n[2]);
  return dae__op_operands(op) == 1 ? dae__unary(g, op, n[0]) : dae__binary(g, op, n[0], n[1]);
}

/* what was built has the value of what was written */
static void test_simpler_expressions_have_the_same_value(void **state)
{
  (void)state;
  enum { SIZE = 40 };
  for (int trial = 0; trial < 2000; trial++) {
    dae__graph *g = dae__graph_create(NULL, 100000);
    dae__node node[SIZE];
    double x[LEAVES], value[SIZE];
    for (int i = 0; i < LEAVES; i++)
      x[i] = (int)draw(9) - 4;
    for (int i = 0; i < SIZE; i++) {
      int leaf = (int)draw(LEAVES);
      if (i < 8) {
        value[i] = i < 4 ? x[leaf] : (int)draw(7) - 3;
        node[i] = i < 4 ? dae__leaf(g, leaf) : C(value[i]);
        continue;
      }
      dae__op op = draw_exact_op();
      unsigned n = (unsigned)i;
      int power = (int)draw(4), a = (int)draw(n), b = (int)draw(n), c = (int)draw(n);
      value[i] = dae__op_value(op, value[a], op == DAE__OP_POWI ? power : value[b], value[c]);
      node[i] = construct(g, op, (dae__node[]){node[a], node[b], node[c]}, power);
      if (fabs(value[i]) > 1e4) { /* stay far from rounding */
        value[i] = x[leaf];
        node[i] = dae__leaf(g, leaf);
      }
      assert_true(value_at(g, node[i], x) == value[i]);
    }
    dae__graph_free(g);
  }
}

/* the same expressions a second time make no new node */
static void test_random_expressions_are_built_once(void **state)
{
  (void)state;
  for (int trial = 0; trial < 200; trial++) {
    dae__graph *g = dae__graph_create(NULL, 100000);
    (void)random_expression(g, 40);
    int count = g->count;
    for (int i = 0; i < count; i++) {
      dae__node_view n = dae__node_at(g, i);
      if (dae__op_has_word((int)n.op) && n.op != DAE__OP_POWI)
        same(dae__with_operands(g, g->entry[i], (dae__node[]){n.a, n.b, n.c}), i);
      else if (dae__op_operands(n.op) > 0)
        same(construct(g, n.op, (dae__node[]){n.a, n.b, n.c}, n.b), i);
    }
    same(g->count, count);
    dae__graph_free(g);
  }
}

static void test_operators_have_operands(void **state)
{
  (void)state;
  same(dae__op_operands(DAE__OP_LEAF), 0);
  same(dae__op_operands(DAE__OP_POWI), 1);
  same(dae__op_operands(DAE__OP_HYPOT), 2);
  same(dae__op_operands(DAE__OP_IF), 3);
}

static void test_leaves_below_a_node_come_in_order(void **state)
{
  (void)state;
  dae__graph *g = dae__graph_create(NULL, 1000);
  dae__walker *walker = dae__walker_create(g, NULL);
  dae__node a = dae__leaf(g, 7), b = dae__leaf(g, 3), c = dae__leaf(g, 5), d = dae__leaf(g, 1);
  dae__node sum = ADD(MUL(a, b), ADD(dae__if(g, LESS(d, a), b, c), FN(FLOOR, a)));
  dae__leaves leaves = dae__leaves_below(walker, 1, &sum);
  static const int expected[] = {1, 3, 5, 7};
  same(leaves.count, 4);
  assert_memory_equal(leaves.leaf, expected, sizeof expected);
  same(dae__leaves_below(walker, 1, (const dae__node[]){C(3)}).count, 0);
  same(dae__leaves_below(walker, 1, &b).count, 1);
  leaves = dae__leaves_below(walker, 3, (const dae__node[]){ADD(a, b), MUL(b, c), d});
  same(leaves.count, 4);
  assert_memory_equal(leaves.leaf, expected, sizeof expected);
  same(dae__leaves_below(walker, 0, NULL).count, 0);
  dae__walker_free(walker);
  dae__graph_free(g);
}

static void test_replaced_leaves_give_the_expression_written_with_them(void **state)
{
  (void)state;
  dae__node x, y;
  dae__graph *g = graph_of(&x, &y);
  dae__walker *walker = dae__walker_create(g, NULL);
  dae__node s = FN(SIN, x);
  dae__node f = ADD(dae__if(g, LESS(x, y), POWI(x, 3), MUL(x, y)), FN(COS, y));
  dae__node expected = ADD(dae__if(g, LESS(s, y), POWI(s, 3), MUL(s, y)), FN(COS, y));
  same(dae__replace_leaves(walker, f, (dae__node[]){s, -1}), expected);
  same(dae__replace_leaves(walker, f, (dae__node[]){-1, -1}), f);
  same(dae__replace_leaves(walker, MUL(x, y), (dae__node[]){C(0), -1}), C(0));
  same(dae__replace_leaves(walker, SUB(x, y), (dae__node[]){y, x}), SUB(y, x));
  same(dae__replace_leaves(walker, FN(SIN, x), (dae__node[]){C(0.3), -1}), C(sin(0.3)));
  dae__walker_free(walker);
  dae__graph_free(g);
}

static void test_a_million_deep_is_no_depth(void **state)
{
  (void)state;
  enum { DEPTH = 1000000 };
  dae__graph *g = dae__graph_create(NULL, 10000000);
  dae__walker *walker = dae__walker_create(g, NULL);
  dae__node *by = malloc(DEPTH * sizeof *by), sum = dae__leaf(g, 0);
  for (int i = 1; i < DEPTH; i++)
    sum = ADD(sum, dae__leaf(g, DEPTH - i));
  same(g->count, 1 + 2 * DEPTH - 1);
  dae__leaves leaves = dae__leaves_below(walker, 1, &sum);
  same(leaves.count, DEPTH);
  for (int i = 0; i < DEPTH; i++) {
    same(leaves.leaf[i], i);
    by[i] = C(1);
  }
  same(dae__replace_leaves(walker, sum, by), C(DEPTH));
  assert_false(g->failed || walker->failed);
  free(by);
  dae__walker_free(walker);
  dae__graph_free(g);
}

static void test_the_node_limit_is_kept(void **state)
{
  (void)state;
  dae__graph *g = dae__graph_create(NULL, 100);
  dae__walker *walker = dae__walker_create(g, NULL);
  dae__node x = dae__leaf(g, 0), node = x;
  for (int i = 0; i < 97; i++)
    node = FN(EXP, node);
  same(g->count, 99);
  assert_int_not_equal(FN(SIN, x), 0);
  assert_false(g->failed);
  assert_int_not_equal(FN(SIN, x), 0); /* it is there */
  same(FN(COS, x), 0);
  assert_true(g->failed && g->full);
  same(FN(SIN, x), 0); /* sticky */
  same(g->count, 100);
  same(dae__replace_leaves(walker, node, (dae__node[]){C(1)}), 0);
  dae__walker_free(walker);
  dae__graph_free(g);
}

static bool build_all(const dae_env *env)
{
  dae__graph *g = dae__graph_create(env, 1000000);
  dae__walker *walker = g ? dae__walker_create(g, env) : NULL;
  bool built = false;
  if (walker) {
    dae__node sum = dae__leaf(g, 0), by[2000];
    for (int i = 1; i < 2000; i++) {
      by[i] = C(i);
      sum = ADD(sum, MUL(C(i), dae__leaf(g, i)));
    }
    by[0] = -1;
    dae__leaves leaves = dae__leaves_below(walker, 1, &sum);
    dae__node replaced = dae__replace_leaves(walker, sum, by);
    built = !g->failed && !walker->failed;
    assert_true(built ? leaves.count == 2000 && replaced > 0 : replaced == 0);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equal_expressions_are_one_node),
      cmocka_unit_test(test_constants_are_known_by_their_value),
      cmocka_unit_test(test_sums_become_simpler),
      cmocka_unit_test(test_products_become_simpler),
      cmocka_unit_test(test_powers_become_simpler),
      cmocka_unit_test(test_functions_become_simpler),
      cmocka_unit_test(test_choices_become_simpler),
      cmocka_unit_test(test_simpler_expressions_have_the_same_value),
      cmocka_unit_test(test_random_expressions_are_built_once),
      cmocka_unit_test(test_operators_have_operands),
      cmocka_unit_test(test_leaves_below_a_node_come_in_order),
      cmocka_unit_test(test_replaced_leaves_give_the_expression_written_with_them),
      cmocka_unit_test(test_a_million_deep_is_no_depth),
      cmocka_unit_test(test_the_node_limit_is_kept),
      cmocka_unit_test(test_every_failing_allocation_shows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
