#include "model/graph/walk.h"
#include "model/tape/tape_code.h"

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
#define FN(name, a) dae__unary(g, DAE__OP_##name, (a))

/* leaf i is in[0][i] */
static dae__tape_input *plain_inputs(int count)
{
  dae__tape_input *input = malloc((size_t)count * sizeof *input);
  for (int i = 0; i < count; i++)
    input[i] = (dae__tape_input){0, i};
  return input;
}

static bool same_bits(double a, double b)
{
  return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* All nodes of random graphs as outputs, so that everything is shared, and single ones, so that
 * combined instructions occur. */
static void check_values(const dae__graph *g, int outputs, const dae__node *node)
{
  double x[LEAVES], *out = malloc((size_t)outputs * sizeof *out);
  const double *in[] = {x};
  dae__tape_output *output = malloc((size_t)outputs * sizeof *output);
  dae__tape_input *input = plain_inputs(LEAVES);
  dae__arena *arena = dae__arena_create(NULL);
  for (int i = 0; i < outputs; i++)
    output[i] = (dae__tape_output){0, i, node[i]};
  dae__tape *tape =
      dae__tape_create(arena, &(dae__tape_plan){.graph = g, input, output, outputs, 1, 1, NULL});
  assert_non_null(tape);
  for (int point = 0; point < 5; point++) {
    for (int i = 0; i < LEAVES; i++)
      x[i] = draw_real(-2, 2);
    double *value = values_at(g, g->count - 1, x);
    dae__tape_run(tape, in, &out);
    for (int i = 0; i < outputs; i++)
      assert_true(same_bits(out[i], value[node[i]]));
    free(value);
  }
  dae__arena_free(arena);
  free(input);
  free(output);
  free(out);
}

static void test_tapes_give_the_bits_of_the_operators(void **state)
{
  (void)state;
  for (int trial = 0; trial < 500; trial++) {
    dae__graph *g = dae__graph_create(NULL, 1000000);
    dae__walker *walker = dae__walker_create(g, NULL);
    static const unsigned char kind[LEAVES] = {1, 1, 1, 1, 1};
    dae__node root[3 + LEAVES];
    for (int i = 0; i < 3; i++)
      root[i] = random_expression(g, 30);
    dae__gradient gradient = dae__gradient_of(walker, root[2], (dae__kinds){kind, 1});
    for (int i = 0; i < gradient.count; i++)
      root[3 + i] = gradient.value[i];
    check_values(g, 3 + gradient.count, root);
    int count = g->count;
    dae__node *node = malloc((size_t)count * sizeof *node);
    for (int i = 0; i < count; i++)
      node[i] = count - 1 - i;
    check_values(g, count, node);
    free(node);
    dae__walker_free(walker);
    dae__graph_free(g);
  }
}

/* sums and differences of products in all arrangements */
static void test_combined_instructions_round_like_separate_ones(void **state)
{
  (void)state;
  dae__graph *g = dae__graph_create(NULL, 1000);
  dae__node x[LEAVES], ab, de;
  for (int i = 0; i < LEAVES; i++)
    x[i] = dae__leaf(g, i);
  ab = MUL(x[0], x[1]);
  de = MUL(x[3], x[4]);
  const dae__node root[] = {ADD(ab, x[2]),
                            ADD(FN(SIN, x[2]), MUL(x[1], x[2])),
                            SUB(MUL(x[2], x[3]), x[2]),
                            SUB(x[2], MUL(x[0], x[3])),
                            ADD(MUL(x[0], x[4]), MUL(x[1], x[4])),
                            SUB(MUL(x[2], x[4]), MUL(x[1], x[3])),
                            SUB(ab, de),
                            ADD(de, de),
                            MUL(C(3), ab),
                            ADD(C(1), MUL(C(2), x[0])),
                            dae__powi(g, x[1], 2),
                            dae__powi(g, x[1], 3),
                            dae__powi(g, x[1], 7),
                            SUB(dae__powi(g, x[1], 2), dae__powi(g, x[2], 2)),
                            FN(SQRT, ADD(dae__powi(g, x[3], 2), dae__powi(g, x[4], 2))),
                            DAE__DIV(g, MUL(x[2], x[0]), x[4]),
                            DAE__NEG(g, MUL(x[4], x[2]))};
  check_values(g, (int)(sizeof root / sizeof root[0]), root);
  for (size_t i = 0; i < sizeof root / sizeof root[0]; i++)
    check_values(g, 1, &root[i]);
  dae__graph_free(g);
}

/* random trees of arithmetic: no node is used twice, so that all combinations occur */
static void test_trees_of_arithmetic_round_like_separate_operators(void **state)
{
  (void)state;
  static const dae__op ops[] = {DAE__OP_ADD, DAE__OP_SUB,  DAE__OP_MUL, DAE__OP_DIV, DAE__OP_MUL,
                                DAE__OP_NEG, DAE__OP_SQRT, DAE__OP_ADD, DAE__OP_MUL, DAE__OP_SUB};
  enum { TREES = 3, PARTS = 12 };
  for (int trial = 0; trial < 5000; trial++) {
    dae__graph *g = dae__graph_create(NULL, 10000);
    dae__node root[TREES], part[PARTS];
    for (int i = 0; i < TREES; i++) {
      int parts = 2 + (int)draw(PARTS - 1);
      for (int j = 0; j < parts; j++) {
        dae__node leaf = dae__leaf(g, (int)draw(LEAVES));
        part[j] = draw(4) ? leaf : draw(2) ? dae__powi(g, leaf, 2) : C(1 + draw(5));
      }
      while (parts > 1) { /* the last two, or the last one, become one */
        dae__op op = ops[draw(sizeof ops / sizeof ops[0])];
        if (dae__op_operands(op) == 2)
          parts--;
        part[parts - 1] = dae__op_operands(op) == 1
                              ? dae__unary(g, op, part[parts - 1])
                              : dae__binary(g, op, part[draw(2) ? parts - 1 : 0], part[parts]);
      }
      root[i] = part[0];
    }
    check_values(g, TREES, root);
    dae__graph_free(g);
  }
}

static void test_inputs_and_outputs_go_where_the_plan_says(void **state)
{
  (void)state;
  dae__graph *g = dae__graph_create(NULL, 1000);
  dae__node x[6];
  for (int i = 0; i < 6; i++)
    x[i] = dae__leaf(g, i);
  static const dae__tape_input input[] = {{1, 2}, {1, 3}, {0, 0}, {2, 1}, {-1, 0}, {1, 0}};
  const dae__tape_output output[] = {
      {0, 1, ADD(x[0], x[1])}, {1, 0, x[2]}, {0, 0, MUL(x[3], x[5])}, {1, 2, C(7)},
      {1, 1, ADD(x[0], x[1])}, {0, 2, x[4]}, {1, 3, DAE__ZERO},       {0, 3, DAE__ZERO}};
  static const double a[] = {2}, b[] = {3, -1, 5, 7}, c[] = {-1, 11};
  double first[6] = {9, 9, 9, 9, 9, 9}, second[5] = {9, 9, 9, 9, 9};
  const double *in[] = {a, b, c};
  double *out[] = {first, second};
  dae__arena *arena = dae__arena_create(NULL);
  dae__tape_plan plan = {g, input, output, 8, 3, 2, NULL, NULL, false, NULL};
  dae__tape_run(dae__tape_create(arena, &plan), in, out);
  assert_true(first[0] == 33 && first[1] == 12 && isnan(first[2]) && first[3] == 0);
  assert_true(second[0] == 2 && second[1] == 12 && second[2] == 7 && second[3] == 0);
  assert_true(first[4] == 9 && second[4] == 9);
  /* set to zero before, also where there is no output */
  first[3] = second[3] = 9;
  plan.zeroed = (int[]){5, 0};
  dae__tape_run(dae__tape_create(arena, &plan), in, out);
  assert_true(first[3] == 0 && first[4] == 0 && first[5] == 9 && first[0] == 33);
  assert_true(second[3] == 0 && second[4] == 9);
  dae__arena_free(arena);
  dae__graph_free(g);
}

static void test_a_postponed_tape_is_made_when_it_runs(void **state)
{
  (void)state;
  dae__graph *g = dae__graph_create(NULL, 1000);
  dae__node x = dae__leaf(g, 0);
  const dae__tape_input input = {0, 1};
  const dae__tape_output output[] = {{0, 0, FN(SIN, MUL(x, x))}, {0, 1, ADD(x, C(1))}};
  const double a[] = {5, 3}, *in[] = {a};
  double now[2], later[2], *out[] = {now}, *out_later[] = {later};
  dae__arena *arena = dae__arena_create(NULL);
  dae__tape_plan plan = {g, &input, output, 2, 1, 1, NULL, NULL, false, NULL};
  dae__tape_plan lazy = plan;
  lazy.lazy = true;
  dae__tape *made = dae__tape_create(arena, &plan), *tape = dae__tape_create(arena, &lazy);
  assert_int_equal(tape->length, 0);
  assert_true(dae__tape_run(made, in, out) && dae__tape_run(tape, in, out_later));
  assert_memory_equal(now, later, sizeof now);
  assert_int_equal(tape->length, made->length);
  assert_true(dae__tape_compile(tape) && dae__tape_compile(made)); /* they are */
  dae__arena_free(arena);
  dae__graph_free(g);
}

static void test_a_tape_without_outputs_runs(void **state)
{
  (void)state;
  dae__graph *g = dae__graph_create(NULL, 1000);
  dae__arena *arena = dae__arena_create(NULL);
  double one = 1, *out[] = {&one};
  dae__tape_plan plan = {.graph = g, .groups = 1, .zeroed = (int[]){1}};
  dae__tape *tape = dae__tape_create(arena, &plan);
  dae__tape_run(tape, NULL, out);
  assert_true(one == 0);
  assert_int_equal(tape->registers, 0);
  assert_int_equal(tape->length, 0);
  dae__arena_free(arena);
  dae__graph_free(g);
}

/* A chain: out_i = sin(x_i x_{i+1}) + (x_{i+1} - x_i)^2. */
static dae__tape *chain_tape(dae__arena *arena, dae__graph *g, int n)
{
  dae__tape_output *output = malloc((size_t)n * sizeof *output);
  dae__tape_input *input = plain_inputs(n + 1);
  for (int i = 0; i < n; i++) {
    dae__node a = dae__leaf(g, i), b = dae__leaf(g, i + 1);
    dae__node f = ADD(FN(SIN, MUL(a, b)), dae__powi(g, SUB(b, a), 2));
    output[i] = (dae__tape_output){0, i, f};
  }
  dae__tape *tape = g->failed ? NULL
                              : dae__tape_create(arena, &(dae__tape_plan){g, input, output, n, 1, 1,
                                                                          NULL, NULL, false, NULL});
  free(input);
  free(output);
  return tape;
}

static void test_local_expressions_need_few_registers(void **state)
{
  (void)state;
  enum { N = 200000 };
  dae__graph *g = dae__graph_create(NULL, 10000000);
  dae__arena *arena = dae__arena_create(NULL);
  dae__tape *tape = chain_tape(arena, g, N);
  double *x = malloc((N + 1) * sizeof *x), *y = malloc(N * sizeof *y);
  const double *in[] = {x};
  assert_non_null(tape);
  assert_in_range(tape->registers, N + 1, N + 1000); /* inputs, and a few */
  for (int i = 0; i <= N; i++)
    x[i] = sin(i);
  dae__tape_run(tape, in, &y);
  for (int i = 0; i < N; i++)
    assert_true(fabs(y[i] - sin(x[i] * x[i + 1]) - pow(x[i + 1] - x[i], 2)) < 1e-14);
  free(x);
  free(y);
  dae__arena_free(arena);
  dae__graph_free(g);
}

static void test_a_million_deep_is_no_depth(void **state)
{
  (void)state;
  enum { DEPTH = 1000000 };
  dae__graph *g = dae__graph_create(NULL, 10000000);
  dae__arena *arena = dae__arena_create(NULL);
  dae__tape_input *input = plain_inputs(DEPTH);
  dae__node sum = dae__leaf(g, 0);
  double *x = malloc(DEPTH * sizeof *x), result, *out[] = {&result};
  const double *in[] = {x};
  for (int i = 1; i < DEPTH; i++)
    sum = ADD(sum, dae__leaf(g, i));
  dae__tape_output output = {0, 0, sum};
  dae__tape *tape = dae__tape_create(
      arena, &(dae__tape_plan){g, input, &output, 1, 1, 1, NULL, NULL, false, NULL});
  for (int i = 0; i < DEPTH; i++)
    x[i] = 1;
  dae__tape_run(tape, in, out);
  assert_true(result == DEPTH);
  free(x);
  free(input);
  dae__arena_free(arena);
  dae__graph_free(g);
}

static bool build_all(const dae_env *env)
{
  dae__graph *g = dae__graph_create(env, 1000000);
  dae__arena *arena = g ? dae__arena_create(env) : NULL;
  bool built = arena && chain_tape(arena, g, 500);
  dae__arena_free(arena);
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
      cmocka_unit_test(test_tapes_give_the_bits_of_the_operators),
      cmocka_unit_test(test_combined_instructions_round_like_separate_ones),
      cmocka_unit_test(test_trees_of_arithmetic_round_like_separate_operators),
      cmocka_unit_test(test_inputs_and_outputs_go_where_the_plan_says),
      cmocka_unit_test(test_a_postponed_tape_is_made_when_it_runs),
      cmocka_unit_test(test_a_tape_without_outputs_runs),
      cmocka_unit_test(test_local_expressions_need_few_registers),
      cmocka_unit_test(test_a_million_deep_is_no_depth),
      cmocka_unit_test(test_every_failing_allocation_shows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
