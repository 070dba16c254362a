/* Pictures of iteration matrices: what stands where, counted by hand. */
#include "counting_env.h"
#include "problems/problems.h"
#include "text_problem.h"

#include <daedal/daedal.h>
#include <math.h>
#include <stdlib.h>

static dae_sparsity *picture_of(const test_problem *p)
{
  dae_sparsity *s = NULL;
  dae_error err = dae_error_none();
  double *y = malloc((size_t)p->size * sizeof *y);
  assert_non_null(y);
  if (dae_consistent_start(&p->problem, &p->start, NULL, y, NULL, NULL, &err) ||
      dae_sparsity_create(&p->problem, p->start.t, y, NULL, &s, &err))
    fail_msg("%s: %s", p->name, err.text);
  free(y);
  return s;
}

static bool has(const dae_sparsity *s, int row, int col)
{
  for (int e = s->pattern.start[col]; e < s->pattern.start[col + 1]; e++)
    if (s->pattern.row[e] == row)
      return true;
  return false;
}

static int first_of(const dae_sparsity *s, int block)
{
  int first = 0;
  for (int b = 0; b < block; b++)
    first += s->block[b];
  return first;
}

/* entries of block (row, col) of the matrix */
static int count_in(const dae_sparsity *s, int row, int col)
{
  int count = 0, i = first_of(s, row), j = first_of(s, col);
  for (int c = j; c < j + s->block[col]; c++)
    for (int r = i; r < i + s->block[row]; r++)
      count += has(s, r, c);
  return count;
}

/* rows as lines of x and . */
static void assert_looks(const dae_sparsity *s, const char *const *lines)
{
  assert_int_equal(s->pattern.rows, strlen(lines[0]));
  assert_int_equal(s->pattern.cols, s->pattern.rows);
  for (int i = 0; i < s->pattern.rows; i++)
    for (int j = 0; j < s->pattern.cols; j++)
      if (has(s, i, j) != (lines[i][j] == 'x'))
        fail_msg("entry (%d, %d) should be %c", i + 1, j + 1, lines[i][j]);
}

static void assert_blocks(const dae_sparsity *s, int count, const char *const *names,
                          const int *sizes)
{
  assert_int_equal(s->blocks, count);
  for (int b = 0; b < count; b++) {
    assert_string_equal(s->names[b], names[b]);
    assert_int_equal(s->block[b], sizes[b]);
  }
  assert_int_equal(first_of(s, count), s->pattern.rows);
}

/* ---- mechanical ---- */

/* it is held level: y = 0, so G has a zero at the start, but not beside it */
static void test_a_pendulum_without_patterns_shows_what_is_never_zero(void **state)
{
  static const char text[] = "model pendulum\n"
                             "coord x = 1, y = 0\n"
                             "kinetic (x'^2 + y'^2)/2\n"
                             "potential 9.81*y\n"
                             "constraint rod: x^2 + y^2 = 1\n";
  const test_problem by_hand[] = {test_pendulum(), test_pendulum_bare(), test_pendulum_eval()};
  const char *const lines[] = {"x.x", ".xx", "xx."};
  test_problem p;
  dae_model *model = text_problem(text, NULL, 0, 1, &p);
  (void)state;
  dae_sparsity *s = picture_of(&p);
  assert_looks(s, lines);
  assert_blocks(s, 2, (const char *[]){"q", "lambda"}, (int[]){2, 1});
  assert_true(s->dense);
  dae_sparsity_free(s);
  dae_model_free(model);
  for (int i = 0; i < 3; i++) { /* whether derivatives are given or differenced */
    s = picture_of(&by_hand[i]);
    assert_looks(s, lines);
    dae_sparsity_free(s);
  }
}

/* the first link touches two coordinates, the others four */
static void test_a_chain_is_banded_and_its_constraints_touch_their_neighbours(void **state)
{
  static const char text[] =
      "model chain\n"
      "param N = 50\n"
      "coord x[1..N] = i, y[1..N] = 0\n"
      "for i in 1..N { kinetic (x[i]'^2 + y[i]'^2)/2 }\n"
      "constraint x[1]^2 + y[1]^2 = 1\n"
      "for i in 2..N { constraint (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1 }\n";
  enum { N = 50 };
  test_problem p;
  dae_model *model = text_problem(text, NULL, 0, 1, &p);
  (void)state;
  dae_sparsity *s = picture_of(&p);
  assert_false(s->dense);
  assert_blocks(s, 2, (const char *[]){"q", "lambda"}, (int[]){2 * N, N});
  assert_int_equal(count_in(s, 1, 0), 2 + 4 * (N - 1)); /* G */
  assert_int_equal(count_in(s, 0, 1), 2 + 4 * (N - 1)); /* G' */
  assert_int_equal(count_in(s, 1, 1), 0);
  /* M is diagonal; (G'lambda)_q couples x with x and y with y of neighbours */
  assert_int_equal(count_in(s, 0, 0), 2 * (N + 2 * (N - 1)));
  for (int c = 0; c < 2 * N; c++)
    for (int e = s->pattern.start[c]; e < s->pattern.start[c + 1]; e++) {
      int r = s->pattern.row[e], link = r < 2 * N ? r % N : r - 2 * N;
      assert_true(abs(link - c % N) <= 1);
    }
  dae_sparsity_free(s);
  dae_model_free(model);
}

/* extra states, algebraic variables and a rate in the forces have places of their own */
static void test_states_and_algebraic_variables_stand_between_q_and_lambda(void **state)
{
  static const char text[] = "model lagged\n"
                             "coord x = 1, y = 0\n"
                             "state u = 0\n"
                             "alg w = 0\n"
                             "kinetic (x'^2 + y'^2)/2\n"
                             "force x = -u\n"
                             "force y = -x'\n"
                             "u' = x - u\n"
                             "0 = w - y\n"
                             "constraint x^2 + y^2 = 1\n"
                             "constraint x' = 0\n";
  const char *const lines[] = {"x.x.xx",  /* x: M, u, lambda, psi */
                               "xx..x.",  /* y: its drag, M, lambda */
                               "x.x...",  /* u */
                               ".x.x..",  /* w */
                               "xx....",  /* the circle */
                               "x....."}; /* the rate */
  test_problem p;
  dae_model *model = text_problem(text, NULL, 0, 1, &p);
  dae_sparsity *s = NULL;
  double y[8] = {1, 0};
  (void)state;
  assert_int_equal(dae_sparsity_create(&p.problem, 0, y, NULL, &s, NULL), DAE_OK);
  assert_looks(s, lines);
  assert_blocks(s, 5, (const char *[]){"q", "u", "w", "lambda", "psi"}, (int[]){2, 1, 1, 1, 1});
  dae_sparsity_free(s);
  dae_model_free(model);
}

/* ---- the other forms ---- */

static void test_an_amplifier_shows_its_capacitors_and_transistors(void **state)
{
  const char *const lines[] = {"xx......", "xxx.....", ".xx.....", ".xxxx...",
                               "...xxx..", "....xx..", "....xxxx", "......xx"};
  test_problem p = test_transistor_amplifier();
  (void)state;
  dae_sparsity *s = picture_of(&p);
  assert_looks(s, lines);
  assert_blocks(s, 1, (const char *[]){"x"}, (int[]){8});
  dae_sparsity_free(s);
}

static void test_the_momentum_form_shows_its_equations(void **state)
{
  (void)state;
  for (int given = 0; given < 2; given++) {
    test_problem p = test_mixed(given);
    const dae_momentum *m = p.problem.momentum;
    dae_sparsity *s = picture_of(&p);
    assert_blocks(s, 4, (const char *[]){"y", "z", "lambda", "psi"},
                  (int[]){m->ny, m->nz, m->ng, m->nk});
    assert_int_equal(count_in(s, 2, 2) + count_in(s, 2, 3) + count_in(s, 3, 2), 0);
    assert_int_equal(count_in(s, 2, 1), 0); /* g does not see z */
    assert_true(count_in(s, 2, 0) > 0 && count_in(s, 1, 2) > 0 && count_in(s, 1, 3) > 0);
    for (int i = 0; i < m->ny + m->nz; i++)
      assert_true(has(s, i, i));
    dae_sparsity_free(s);
  }
}

/* one.y one.z two.y two.z: each sees the other's */
static void test_two_circuits_keep_their_unknowns_together(void **state)
{
  const char *const lines[] = {"x.x.", "xx.x", "x.x.", ".xxx"};
  test_problem p = test_two_circuits();
  (void)state;
  dae_sparsity *s = picture_of(&p);
  assert_looks(s, lines);
  assert_blocks(s, 2,
                (const char *[]){p.problem.coupled->part[0].name, p.problem.coupled->part[1].name},
                (int[]){2, 2});
  dae_sparsity_free(s);
}

/* 0 = x2 - 2 y1: the multiplier comes last and touches one coordinate of each structure */
static void test_a_joint_is_a_block_of_its_own(void **state)
{
  test_problem p = test_structures();
  const dae_coupled *c = p.problem.coupled;
  (void)state;
  dae_sparsity *s = picture_of(&p);
  assert_int_equal(s->blocks, 3);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(s->block[i], c->part[i].mechanical->nq);
    assert_int_equal(count_in(s, 2, i), 1);
    assert_int_equal(count_in(s, i, 2), 1);
  }
  assert_int_equal(s->block[2], 1);
  assert_int_equal(count_in(s, 0, 1) + count_in(s, 1, 0) + count_in(s, 2, 2), 0);
  dae_sparsity_free(s);
}

/* an empty row or column would make every step singular */
static void test_no_problem_has_an_empty_row_or_column(void **state)
{
  test_problem p;
  (void)state;
  for (int i = 0; test_problem_at(i, &p); i++) {
    dae_sparsity *s = picture_of(&p);
    bool *seen = calloc((size_t)s->pattern.rows, sizeof *seen);
    assert_non_null(seen);
    for (int c = 0; c < s->pattern.cols; c++)
      for (int e = s->pattern.start[c]; e < s->pattern.start[c + 1]; e++)
        seen[s->pattern.row[e]] = true;
    for (int c = 0; c < s->pattern.cols; c++)
      if (!seen[c] || s->pattern.start[c] == s->pattern.start[c + 1])
        fail_msg("%s: row or column %d is empty", p.name, c + 1);
    free(seen);
    dae_sparsity_free(s);
    test_problem_free(&p);
  }
}

/* ---- failures ---- */

static int refuses(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = sqrt(1 - at->q[0]);
  return at->q[0] > 1;
}

static int unit(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at;
  out[0] = 1;
  return 0;
}

/* where a callback refuses the point beside the start, the start alone counts */
static void test_a_point_beside_the_start_may_be_refused(void **state)
{
  dae_mechanical m = {.nq = 1, .M = unit, .f = unit, .J = NULL, .constant_mass = true};
  dae_problem p = dae_problem_mechanical(&m);
  dae_sparsity *s = NULL;
  (void)state;
  m.M = refuses;
  assert_int_equal(dae_sparsity_create(&p, 0, (double[]){1 - 1e-5, 0}, NULL, &s, NULL), DAE_OK);
  assert_looks(s, (const char *[]){"x"});
  dae_sparsity_free(s);
  dae_error err = dae_error_none();
  assert_int_equal(dae_sparsity_create(&p, 0, (double[]){2, 0}, NULL, &s, &err),
                   DAE_ERROR_RECOVERABLE);
  assert_null(s);
  assert_true(strlen(err.text) > 0);
}

static bool draw(const dae_env *env, test_problem (*make)(void))
{
  test_problem p = make();
  double y[64] = {0};
  dae_sparsity *s = NULL;
  dae_error err = dae_error_none();
  memcpy(y, p.start.y, (size_t)p.size * sizeof *y);
  dae_status status = dae_sparsity_create(&p.problem, p.start.t, y, env, &s, &err);
  assert_true(status == DAE_OK || status == DAE_ERROR_MEMORY);
  assert_true((status == DAE_OK) == (s != NULL));
  dae_sparsity_free(s);
  return status == DAE_OK;
}

static bool draw_pendulum(const dae_env *env)
{
  return draw(env, test_pendulum_bare);
}

static bool draw_structures(const dae_env *env)
{
  return draw(env, test_structures);
}

static void test_every_allocation_may_fail(void **state)
{
  (void)state;
  assert_int_equal(counting_env_fault(draw_pendulum), 0);
  assert_int_equal(counting_env_fault(draw_structures), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_pendulum_without_patterns_shows_what_is_never_zero),
      cmocka_unit_test(test_a_chain_is_banded_and_its_constraints_touch_their_neighbours),
      cmocka_unit_test(test_states_and_algebraic_variables_stand_between_q_and_lambda),
      cmocka_unit_test(test_an_amplifier_shows_its_capacitors_and_transistors),
      cmocka_unit_test(test_the_momentum_form_shows_its_equations),
      cmocka_unit_test(test_two_circuits_keep_their_unknowns_together),
      cmocka_unit_test(test_a_joint_is_a_block_of_its_own),
      cmocka_unit_test(test_no_problem_has_an_empty_row_or_column),
      cmocka_unit_test(test_a_point_beside_the_start_may_be_refused),
      cmocka_unit_test(test_every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
