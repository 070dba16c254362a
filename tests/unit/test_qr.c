/* Least squares by a sparse QR factorisation: A (b - A' s) = 0 for the active leading rows, entries
 * of R on chains, and sizes of all kinds. */
#include "linalg/qr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static dae__arena *arena;

static int make_arena(void **state)
{
  (void)state;
  arena = dae__arena_create(NULL);
  return arena ? 0 : -1;
}

static int free_arena(void **state)
{
  (void)state;
  dae__arena_free(arena);
  return 0;
}

static double uniform(void)
{
  static uint64_t seed = 4711;
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

/* ---- problems ---- */

typedef struct problem {
  dae_pattern A;
  double *values, *b;
  bool *active;
} problem;

/* Random pattern with this share of entries; row i has a large entry in column i, so that the rows
 * are independent. */
static problem make_random(int rows, int cols, double share)
{
  int *start = DAE__ALLOC(arena, int, cols + 1), *row = DAE__ALLOC(arena, int, rows *cols);
  problem p = {.values = DAE__ALLOC(arena, double, rows *cols + 1),
               .b = DAE__ALLOC(arena, double, cols),
               .active = DAE__ALLOC(arena, bool, rows + 1)};
  int count = 0;
  for (int j = 0; j < cols; j++) {
    for (int i = 0; i < rows; i++)
      if (i == (11 * j + 3) % cols || fabs(uniform()) < share) {
        row[count] = i;
        p.values[count++] = uniform() + (i == (11 * j + 3) % cols ? 3 : 0);
      }
    start[j + 1] = count;
    p.b[j] = uniform();
  }
  for (int i = 0; i < rows; i++)
    p.active[i] = true;
  p.A = (dae_pattern){rows, cols, start, row};
  return p;
}

/* links: column j is in the constraints j and j + 1 */
static problem make_chain(int rows)
{
  int *start = DAE__ALLOC(arena, int, 2 * rows + 1), *row = DAE__ALLOC(arena, int, 4 * rows);
  problem p = {.values = DAE__ALLOC(arena, double, 4 * rows),
               .b = DAE__ALLOC(arena, double, 2 * rows),
               .active = DAE__ALLOC(arena, bool, rows)};
  int count = 0;
  for (int j = 0; j < 2 * rows; j++) {
    for (int i = j / 2; i < rows && i <= j / 2 + 1; i++) {
      row[count] = i;
      p.values[count++] = uniform() + (i == j / 2 && j % 2 ? 3 : 0);
    }
    start[j + 1] = count;
    p.b[j] = uniform();
  }
  for (int i = 0; i < rows; i++)
    p.active[i] = true;
  p.A = (dae_pattern){rows, 2 * rows, start, row};
  return p;
}

/* ---- checks ---- */

/* largest entry of A (b - A' s) over the active ones of the leading rows */
static double normal_residual(const problem *p, int count, const double *s)
{
  double *sum = calloc((size_t)p->A.rows + 1, sizeof *sum), most = 0;
  assert_non_null(sum);
  for (int j = 0; j < p->A.cols; j++) {
    double r = p->b[j];
    for (int k = p->A.start[j]; k < p->A.start[j + 1]; k++)
      if (p->A.row[k] < count)
        r -= p->values[k] * s[p->A.row[k]];
    for (int k = p->A.start[j]; k < p->A.start[j + 1]; k++)
      sum[p->A.row[k]] += p->values[k] * r;
  }
  for (int i = 0; i < count; i++)
    most = fmax(most, p->active[i] ? fabs(sum[i]) : fabs(s[i]));
  free(sum);
  return most;
}

static void check(const problem *p, dae__qr *qr, int count)
{
  double *s = calloc((size_t)count + 1, sizeof *s);
  assert_non_null(s);
  dae__qr_factor(qr, p->values, p->active);
  dae__qr_solve(qr, p->values, p->active, count, p->b, s);
  double residual = normal_residual(p, count, s);
  if (!(residual < 1e-11))
    fail_msg("%d of %d x %d: %g", count, p->A.rows, p->A.cols, residual);
  free(s);
}

static void test_residuals_are_orthogonal_to_the_rows(void **state)
{
  (void)state;
  const int sizes[][2] = {{1, 1}, {1, 4}, {3, 5}, {7, 7}, {10, 23}, {40, 60}, {0, 3}};
  const double shares[] = {0, 0.1, 0.4, 1};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
      problem p = make_random(sizes[i][0], sizes[i][1], shares[k]);
      dae__qr qr;
      dae__qr_create(arena, &p.A, &qr);
      for (int count = 0; count <= p.A.rows; count += 1 + p.A.rows / 3)
        check(&p, &qr, count);
      check(&p, &qr, p.A.rows);
    }
}

static void test_rows_that_are_not_active_have_no_part(void **state)
{
  (void)state;
  for (int trial = 0; trial < 30; trial++) {
    problem p = make_random(12, 20, 0.3);
    dae__qr qr;
    dae__qr_create(arena, &p.A, &qr);
    for (int i = 0; i < 12; i++)
      p.active[i] = uniform() < 0.3;
    check(&p, &qr, 12);
    check(&p, &qr, 7);
  }
}

static void test_a_chain_costs_as_many_entries_as_links(void **state)
{
  (void)state;
  for (int links = 10; links <= 10000; links *= 10) {
    problem p = make_chain(links);
    dae__qr qr;
    dae__qr_create(arena, &p.A, &qr);
    assert_int_equal(qr.start[links], 2 * links - 1);
    check(&p, &qr, links);
  }
}

#define IN_ARENA(test) cmocka_unit_test_setup_teardown(test, make_arena, free_arena)

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_ARENA(test_residuals_are_orthogonal_to_the_rows),
      IN_ARENA(test_rows_that_are_not_active_have_no_part),
      IN_ARENA(test_a_chain_costs_as_many_entries_as_links),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
