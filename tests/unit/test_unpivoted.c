/* Saddle systems inside iterations: solutions put into the equations, and what is refused. */
#include "linalg/saddle/unpivoted.h"

#include "uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define N 11
#define M DAE__UNPIVOTED_ROWS
#define COUNT 3 /* matrices A at a time */

/* M with a diagonal that outweighs the rest, if any; A by columns of an even number of rows */
typedef struct saddle {
  dae__arena *arena;
  dae__unpivoted *unpivoted;
  int n, m, stride;
  double mass[N * N];
  _Alignas(16) double A[COUNT][M * N];
} saddle;

static saddle make(int n, int m, bool diagonal)
{
  saddle o = {.arena = dae__arena_create(NULL), .n = n, .m = m};
  o.unpivoted = dae__unpivoted_create(o.arena, n, m, COUNT);
  assert_non_null(o.unpivoted);
  o.stride = dae__unpivoted_stride(o.unpivoted);
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++)
      o.mass[i + j * n] = o.mass[j + i * n] = i == j ? 1 + n + uniform() : !diagonal * uniform();
  for (int c = 0; c < COUNT; c++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++)
        o.A[c][i + j * o.stride] = uniform();
  return o;
}

/* largest of |M x + A'y - a| and |A x - b| */
static double left(const saddle *o, int c, const double *x, const double *y, const double *a,
                   const double *b)
{
  double most = 0;
  for (int j = 0; j < o->n; j++) {
    double r = -a[j];
    for (int k = 0; k < o->n; k++)
      r += o->mass[j + k * o->n] * x[k];
    for (int i = 0; i < o->m; i++)
      r += o->A[c][i + j * o->stride] * y[i];
    most = fmax(most, fabs(r));
  }
  for (int i = 0; i < o->m; i++) {
    double r = -b[i];
    for (int j = 0; j < o->n; j++)
      r += o->A[c][i + j * o->stride] * x[j];
    most = fmax(most, fabs(r));
  }
  return most;
}

static void check(const saddle *o, int c)
{
  double a[N], b[M], x[N], y[M];
  for (int j = 0; j < o->n; j++)
    x[j] = a[j] = uniform();
  for (int i = 0; i < o->m; i++)
    y[i] = b[i] = uniform();
  dae__unpivoted_solve(o->unpivoted, c, x, y);
  /* rows of A that are close to each other cost digits */
  if (!(left(o, c, x, y, a, b) < 1e-7))
    fail_msg("%d coordinates, %d rows: %g", o->n, o->m, left(o, c, x, y, a, b));
}

static void test_solutions_satisfy_the_equations_of_each_matrix(void **state)
{
  (void)state;
  for (int n = 1; n <= N; n++)
    for (int m = 1; m <= M && m <= n; m++)
      for (int diagonal = 0; diagonal < 2; diagonal++) {
        saddle o = make(n, m, diagonal);
        assert_true(dae__unpivoted_mass(o.unpivoted, o.mass));
        for (int c = 0; c < COUNT; c++)
          assert_true(dae__unpivoted_factor(o.unpivoted, c, o.A[c]));
        for (int c = 0; c < COUNT; c++)
          check(&o, c);
        dae__arena_free(o.arena);
      }
}

static void test_masses_that_are_singular_or_not_symmetric_are_refused(void **state)
{
  (void)state;
  for (int diagonal = 0; diagonal < 2; diagonal++) {
    saddle o = make(5, 2, diagonal);
    for (int j = 0; j < 5; j++)
      o.mass[2 + 5 * j] = o.mass[j + 5 * 2] = 0;
    assert_false(dae__unpivoted_mass(o.unpivoted, o.mass));
    dae__arena_free(o.arena);
  }
  saddle o = make(5, 2, false);
  o.mass[1] += 1e-3;
  assert_false(dae__unpivoted_mass(o.unpivoted, o.mass));
  dae__arena_free(o.arena);
}

static void test_rows_that_depend_on_each_other_are_refused(void **state)
{
  (void)state;
  for (int m = 2; m <= M; m++) {
    saddle o = make(8, m, true);
    for (int j = 0; j < 8; j++)
      o.A[0][m - 1 + j * o.stride] = 2 * o.A[0][j * o.stride];
    assert_true(dae__unpivoted_mass(o.unpivoted, o.mass));
    assert_false(dae__unpivoted_factor(o.unpivoted, 0, o.A[0]));
    dae__arena_free(o.arena);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solutions_satisfy_the_equations_of_each_matrix),
      cmocka_unit_test(test_masses_that_are_singular_or_not_symmetric_are_refused),
      cmocka_unit_test(test_rows_that_depend_on_each_other_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
