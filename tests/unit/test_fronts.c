/* Factorisation by fronts in an order that is known before the values: solutions against
 * elimination with pivoting, the fill of chains, trees and rings, and matrices that are for another
 * solver. */
#include "linalg/fronts/fronts.h"

#include "arena_reload.h"
#include "counting_env.h"
#include "linalg/dense.h"
#include "linalg/pattern.h"
#include "linalg/saddle/saddle.h"
#include "linalg/saddle/schur_small.h"
#include "linalg/solver.h"
#include "linalg/zsolver.h"
#include "uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Bodies of `width` coordinates with a full M each, joined by `held` rows to another one. */
typedef struct machine {
  dae__arena *arena;
  int bodies, width, held, joints, n, m;
  dae_pattern M, G, K, all;
  double *mass, *rows, *values; /* of M, of G, and of the whole matrix */
} machine;

typedef enum shape { ROPE, TREE, RING, POINTS, NET } shape;

/* the two bodies of a joint, -1: the ground */
static void joined(shape kind, int bodies, int joint, int *a, int *b)
{
  *b = joint % bodies;
  *a = *b - 1;
  if (kind == TREE)
    *a = (*b - 1) / 2 - (*b == 0);
  if (kind == RING && joint == bodies)
    *a = bodies - 1;
  if (kind == POINTS)
    *a = -1;
  if (kind == NET) /* each is tied to any of the next four */
    *a = joint < bodies ? *b - 1 : (*b + 2 + joint / bodies) % bodies;
}

static bool belongs(shape kind, int bodies, int joint, int body)
{
  int a, b;
  joined(kind, bodies, joint, &a, &b);
  return body == a || body == b;
}

static machine make(shape kind, int bodies, int width, int held)
{
  int joints = kind == RING ? bodies + 1 : kind == NET ? bodies + bodies / 4 : bodies;
  machine o = {.arena = dae__arena_create(NULL),
               .bodies = bodies,
               .width = width,
               .held = held,
               .joints = joints,
               .n = bodies * width,
               .m = joints * held};
  int *start = DAE__ALLOC(o.arena, int, o.n + 1), *row = DAE__ALLOC(o.arena, int, o.n *width);
  int count = 0;
  o.mass = DAE__ALLOC(o.arena, double, o.n *width);
  for (int j = 0; j < o.n; start[++j] = count)
    for (int i = j / width * width; i < (j / width + 1) * width; i++) {
      row[count] = i;
      o.mass[count++] = i == j ? 1.5 + uniform() : 0.1 * sin(1. + i + j) / width;
    }
  o.M = (dae_pattern){o.n, o.n, start, row};
  start = DAE__ALLOC(o.arena, int, o.n + 1);
  row = DAE__ALLOC(o.arena, int, 6 * o.n * held);
  o.rows = DAE__ALLOC(o.arena, double, 6 * o.n * held);
  count = 0;
  for (int j = 0; j < o.n; start[++j] = count)
    for (int joint = 0; joint < joints; joint++)
      for (int i = 0; belongs(kind, bodies, joint, j / width) && i < held; i++) {
        row[count] = joint * held + i;
        o.rows[count++] = uniform() + (j % width == i % width ? 1.5 : 0);
      }
  o.G = (dae_pattern){o.m, o.n, start, row};
  o.K = dae__pattern_empty(o.arena, 0, o.n);
  dae_pattern diagonal = dae__pattern_diagonal(o.arena, o.n + o.m);
  dae__block block[] = {{0, 0, &o.M, false, NULL},
                        {o.n, 0, &o.G, false, NULL},
                        {0, o.n, &o.G, true, NULL},
                        {0, 0, &diagonal, false, NULL}};
  o.all = dae__blocks_merge(o.arena, o.n + o.m, o.n + o.m, block, 4);
  o.values = DAE__ALLOC(o.arena, double, dae__pattern_count(&o.all));
  dae__block_add(&block[0], 1, o.mass, o.values);
  dae__block_add(&block[1], 1, o.rows, o.values);
  dae__block_add(&block[2], 1, o.rows, o.values);
  assert_false(dae__arena_failed(o.arena));
  return o;
}

/* x = A\b by dense LU with pivoting */
static void solve_dense(const machine *o, const double *values, double *b)
{
  int size = o->n + o->m;
  double *A = calloc((size_t)size * (size_t)size, sizeof *A);
  int *pivot = malloc((size_t)size * sizeof *pivot);
  for (int j = 0; j < size; j++)
    for (int e = o->all.start[j]; e < o->all.start[j + 1]; e++)
      A[j * size + o->all.row[e]] = values[e];
  assert_int_equal(dae__lu_factor(size, A, pivot), 0);
  dae__lu_solve(size, A, pivot, b);
  free(A);
  free(pivot);
}

static void check_near(int n, const double *x, const double *y, double tol)
{
  double size = 0;
  for (int i = 0; i < n; i++)
    size = fmax(size, fabs(y[i]));
  for (int i = 0; i < n; i++)
    assert_true(fabs(x[i] - y[i]) <= tol * size);
}

/* Whether pivots are large enough. */
static bool check_real(const machine *o, bool symmetric, const double *values)
{
  int size = o->n + o->m;
  double *x = DAE__ALLOC(o->arena, double, size), *y = DAE__ALLOC(o->arena, double, size);
  const dae__fronts_plan *plan = dae__fronts_plan_create(o->arena, &o->all, o->n, symmetric);
  dae__fronts fronts;
  assert_non_null(plan);
  dae__fronts_create(o->arena, plan, 1, &fronts);
  assert_false(dae__arena_failed(o->arena));
  for (int i = 0; i < size; i++)
    x[i] = y[i] = uniform();
  double least = (symmetric ? dae__sfronts_factor : dae__fronts_factor)(&fronts, values);
  if (least == 0)
    return false;
  assert_true(least >= DAE__FRONTS_TINY && least <= 1);
  (symmetric ? dae__sfronts_solve : dae__fronts_solve)(&fronts, x);
  solve_dense(o, values, y);
  check_near(size, x, y, 1e-11 / least);
  return true;
}

/* A + i B with B of the same pattern, as a real system of twice the size */
static bool check_complex(const machine *o)
{
  int size = o->n + o->m, count = dae__pattern_count(&o->all);
  double *x = DAE__ALLOC(o->arena, double, size), *y = DAE__ALLOC(o->arena, double, size);
  double *z = DAE__ALLOC(o->arena, double, 2 * count), *r = DAE__ALLOC(o->arena, double, 2 * size);
  double *B = DAE__ALLOC(o->arena, double, count);
  const dae__fronts_plan *plan = dae__fronts_plan_create(o->arena, &o->all, o->n, false);
  dae__fronts fronts;
  dae__fronts_create(o->arena, plan, 2, &fronts);
  for (int j = 0; j < size; j++)
    for (int e = o->all.start[j]; e < o->all.start[j + 1]; e++) {
      B[e] = j >= o->n && o->all.row[e] >= o->n ? 0 : 0.3 * o->values[e] + 0.02 * uniform();
      z[2 * e] = o->values[e];
      z[2 * e + 1] = B[e];
    }
  for (int i = 0; i < size; i++) {
    r[i] = x[i] = uniform();
    r[size + i] = y[i] = uniform();
  }
  if (dae__zfronts_factor(&fronts, z) == 0)
    return false;
  dae__zfronts_solve(&fronts, x, y);
  double most = 1;
  for (int i = 0; i < size; i++)
    most = fmax(most, fabs(x[i]) + fabs(y[i]));
  dae__matrix_times(&o->all, o->values, -1, x, r); /* r -= (A + i B)(x + i y) */
  dae__matrix_times(&o->all, B, 1, y, r);
  dae__matrix_times(&o->all, o->values, -1, y, r + size);
  dae__matrix_times(&o->all, B, -1, x, r + size);
  for (int i = 0; i < 2 * size; i++)
    assert_true(fabs(r[i]) < 1e-8 * most);
  return true;
}

static void test_solutions_are_those_of_elimination_with_pivoting(void **state)
{
  int solved = 0, tried = 0;
  (void)state;
  for (shape kind = ROPE; kind <= NET; kind++)
    for (int width = 1; width <= 7; width++)
      for (int held = 1; held <= (width > 1 ? width - 1 : 1) && held <= 5; held++) {
        if ((kind == RING || kind == NET) && 4 * held > 3 * width) /* more rows than coordinates */
          continue;
        machine o = make(kind, 14, width, held);
        solved += check_real(&o, true, o.values) + check_real(&o, false, o.values);
        for (int e = 0, j = 0; e < dae__pattern_count(&o.all); e++) { /* not symmetric */
          j += e == o.all.start[j + 1];
          o.values[e] *= o.all.row[e] < o.n || j < o.n ? 1 + 0.1 * uniform() : 1;
        }
        solved += check_real(&o, false, o.values) + check_complex(&o);
        tried += 4;
        dae__arena_free(o.arena);
      }
  assert_true(solved > 0.94 * tried);
}

/* entries of the factors for each entry of the matrix, and the largest front */
static double fill_of(const machine *o, int *largest)
{
  const dae__fronts_plan *plan = dae__fronts_plan_create(o->arena, &o->all, o->n, true);
  assert_non_null(plan);
  *largest = plan->largest;
  return (double)plan->factors / dae__pattern_count(&o->all);
}

static void test_fill_of_chains_trees_and_rings_is_proportional_to_their_number(void **state)
{
  static const shape kinds[] = {ROPE, TREE, RING, POINTS};
  (void)state;
  for (int k = 0; k < 4; k++)
    for (int width = 2; width <= 6; width += 2) {
      machine few = make(kinds[k], 50, width, width / 2),
              many = make(kinds[k], 400, width, width / 2);
      int a, b;
      double fill = fill_of(&few, &a), more = fill_of(&many, &b);
      assert_true(more < 1.05 * fill && more < 4);
      assert_true(b <= a + width && b <= 4 * width);
      dae__arena_free(few.arena);
      dae__arena_free(many.arena);
    }
}

static void test_rows_come_after_their_coordinates(void **state)
{
  (void)state;
  for (shape kind = ROPE; kind <= NET; kind++) {
    machine o = make(kind, 30, 3, 2);
    dae__fronts_order order;
    assert_true(dae__fronts_order_create(o.arena, &o.all, o.n, 100000, &order));
    for (int j = 0; j < o.n; j++)
      for (int e = o.G.start[j]; e < o.G.start[j + 1]; e++)
        assert_true(order.position[o.n + o.G.row[e]] > order.position[j]);
    for (int k = 0; k < o.n + o.m; k++)
      assert_int_equal(order.position[order.pivot[k]], k);
    dae__arena_free(o.arena);
  }
}

/* A body with many joints: eliminating it connects all of them, which is for another solver. */
static void test_a_matrix_that_fills_in_has_no_plan(void **state)
{
  int n = 600;
  (void)state;
  dae__arena *arena = dae__arena_create(NULL);
  int *start = DAE__ALLOC(arena, int, n + 1), *row = DAE__ALLOC(arena, int, 8 * n), count = 0;
  unsigned seed = 1;
  for (int j = 0; j < n; start[++j] = count) /* symmetric after A + A', without any structure */
    for (int k = 0, last = -1; k < 8; k++) {
      seed = seed * 1664525u + 1013904223u;
      int i = last + 1 + (int)(seed >> 16) % (n / 8);
      if (i < n)
        row[count++] = last = i;
    }
  dae_pattern p = {n, n, start, row};
  assert_null(dae__fronts_plan_create(arena, &p, n, false));
  dae__arena_free(arena);
}

static dae__saddle *saddle_of(machine *o)
{
  dae__saddle *saddle;
  assert_int_equal(dae__saddle_create(o->arena, &o->M, &o->G, &o->K, &saddle, NULL), DAE_OK);
  return saddle;
}

/* residual of both rows of the saddle system, relative to the solution */
static double residual_of(const machine *o, const double *x, const double *y, const double *a,
                          const double *b)
{
  double *r = DAE__ALLOC(o->arena, double, o->n + o->m), size = 1, most = 0;
  memcpy(r, a, (size_t)o->n * sizeof *r);
  memcpy(r + o->n, b, (size_t)o->m * sizeof *r);
  dae__matrix_times(&o->M, o->mass, -1, x, r);
  dae__matrix_transposed_times(&o->G, o->rows, -1, y, r);
  dae__matrix_times(&o->G, o->rows, -1, x, r + o->n);
  for (int i = 0; i < o->n + o->m; i++) {
    most = fmax(most, fabs(r[i]));
    size = fmax(size, fabs(i < o->n ? x[i] : y[i - o->n]));
  }
  return most / size;
}

/* Rows that are nearly dependent: after small pivots the solution is refined, after smaller ones
 * found with pivoting; afterwards fronts are tried again, with the same results as before. */
static void test_nearly_dependent_rows_are_solved_with_pivoting(void **state)
{
  (void)state;
  for (int power = 0; power <= 7; power++) {
    machine o = make(ROPE, 80, 4, 3);
    double near = pow(10, -power), *x = DAE__ALLOC(o.arena, double, o.n + o.m), *y = x + o.n;
    double *a = DAE__ALLOC(o.arena, double, o.n + o.m), *b = a + o.n;
    double *rows = DAE__ALLOC(o.arena, double, dae__pattern_count(&o.G));
    dae__saddle *saddle = saddle_of(&o);
    memcpy(rows, o.rows, (size_t)dae__pattern_count(&o.G) * sizeof *rows);
    for (int j = 0; j < o.n; j++) /* rows 30 and 31 */
      for (int e = o.G.start[j]; e + 1 < o.G.start[j + 1]; e++)
        if (o.G.row[e] == 30)
          o.rows[e + 1] = o.rows[e] + near * o.rows[e + 1];
    for (int again = 0; again < 3; again++) {
      for (int i = 0; i < o.n + o.m; i++)
        x[i] = a[i] = uniform();
      assert_int_equal(dae__saddle_factor(saddle, o.mass, o.rows, NULL, NULL), DAE_OK);
      dae__saddle_solve(saddle, x, y);
      assert_true(residual_of(&o, x, y, a, b) < 1e-12);
    }
    dae__saddle_free(saddle);
    dae__arena_free(o.arena);
  }
}

static void test_a_mass_that_is_not_symmetric_is_solved(void **state)
{
  (void)state;
  machine o = make(ROPE, 60, 4, 2);
  double *x = DAE__ALLOC(o.arena, double, o.n + o.m), *y = x + o.n;
  double *a = DAE__ALLOC(o.arena, double, o.n + o.m), *b = a + o.n;
  dae__saddle *saddle = saddle_of(&o);
  for (int symmetric = 1; symmetric >= 0; symmetric--) {
    o.mass[1] += symmetric ? 0 : 0.2;
    for (int i = 0; i < o.n + o.m; i++)
      x[i] = a[i] = uniform();
    assert_int_equal(dae__saddle_factor(saddle, o.mass, o.rows, NULL, NULL), DAE_OK);
    dae__saddle_solve(saddle, x, y);
    assert_true(residual_of(&o, x, y, a, b) < 1e-12);
  }
  dae__saddle_free(saddle);
  dae__arena_free(o.arena);
}

/* by fronts, and by KLU after fronts were refused */
static void test_a_load_restores_the_factors_bit_by_bit(void **state)
{
  (void)state;
  for (int refused = 0; refused < 2; refused++) {
    machine o = make(TREE, 90, 3, 2);
    int size = o.n + o.m;
    double *x = calloc(3 * (size_t)size, sizeof *x), *y = x + size, *b = y + size;
    dae__arena *arenas[2] = {dae__arena_create(NULL), dae__arena_create(NULL)};
    dae__saddle *saddle[2];
    for (int i = 0; i < 2; i++)
      assert_int_equal(dae__saddle_create(arenas[i], &o.M, &o.G, &o.K, &saddle[i], NULL), DAE_OK);
    if (refused)
      o.mass[1] += 0.2;
    for (int i = 0; i < size; i++)
      b[i] = x[i] = y[i] = uniform();
    assert_int_equal(dae__saddle_factor(saddle[0], o.mass, o.rows, NULL, NULL), DAE_OK);
    void *buffer = malloc(dae__arena_state_size(arenas[0]));
    assert_int_equal(dae__arena_state_size(arenas[0]), dae__arena_state_size(arenas[1]));
    dae__arena_save(arenas[0], buffer);
    assert_int_equal(dae__arena_load(arenas[1], buffer), DAE_OK);
    dae__saddle_solve(saddle[0], x, x + o.n);
    dae__saddle_solve(saddle[1], y, y + o.n);
    assert_memory_equal(x, y, (size_t)size * sizeof *x);
    for (int i = 0; i < 2; i++) {
      dae__saddle_free(saddle[i]);
      dae__arena_free(arenas[i]);
    }
    free(buffer);
    free(x);
    dae__arena_free(o.arena);
  }
}

static void test_a_lack_of_memory_is_reported_at_every_allocation(void **state)
{
  (void)state;
  machine o = make(ROPE, 100, 3, 2);
  for (int fail = 1;; fail++) {
    counting_env counts = {.fail_at = fail};
    dae_env env = counting_env_of(&counts);
    dae__arena *arena = dae__arena_create(&env);
    dae__saddle *saddle = NULL;
    dae_status status =
        arena ? dae__saddle_create(arena, &o.M, &o.G, &o.K, &saddle, NULL) : DAE_ERROR_MEMORY;
    if (status == DAE_OK)
      assert_int_equal(dae__saddle_factor(saddle, o.mass, o.rows, NULL, NULL), DAE_OK);
    else
      assert_int_equal(status, DAE_ERROR_MEMORY);
    dae__saddle_free(saddle);
    dae__arena_free(arena);
    assert_int_equal(counts.live, 0);
    if (fail > counts.calls)
      break;
  }
  dae__arena_free(o.arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solutions_are_those_of_elimination_with_pivoting),
      cmocka_unit_test(test_fill_of_chains_trees_and_rings_is_proportional_to_their_number),
      cmocka_unit_test(test_rows_come_after_their_coordinates),
      cmocka_unit_test(test_a_matrix_that_fills_in_has_no_plan),
      cmocka_unit_test(test_nearly_dependent_rows_are_solved_with_pivoting),
      cmocka_unit_test(test_a_mass_that_is_not_symmetric_is_solved),
      cmocka_unit_test(test_a_load_restores_the_factors_bit_by_bit),
      cmocka_unit_test(test_a_lack_of_memory_is_reported_at_every_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
