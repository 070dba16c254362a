/* Sums over stages against the same in a plain loop. */
#include "onestep/radau/radau.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define S DAE__RADAU_STAGES
#define N 13
#define BEYOND 77 /* what must not be written */

typedef struct rows {
  dae__radau_map map;
  double m[S][S], X[S * N], to[S * (N + 3)];
} rows;

static double draw(void)
{
  return (double)rand() / RAND_MAX - 0.5;
}

static void fill(rows *o)
{
  for (int i = 0; i < S; i++)
    for (int j = 0; j < S; j++) {
      double m = o->m[i][j] = draw();
      o->map.m[i][j] = (dae__pair){m, m};
    }
  for (int e = 0; e < S * N; e++)
    o->X[e] = draw();
  for (int e = 0; e < S * (N + 3); e++)
    o->to[e] = BEYOND;
}

/* sum_j m_ij X_je, rows of X n apart */
static double sum(const rows *o, int s, int n, int i, int e)
{
  double total = 0;
  for (int j = 0; j < s; j++)
    total += o->m[i][j] * o->X[j * n + e];
  return total;
}

static void assert_near(double a, double b)
{
  assert_true(fabs(a - b) <= 1e-14);
}

static void test_rows_are_mapped_and_nothing_else_is_written(void **state)
{
  (void)state;
  rows o;
  for (int s = 3; s <= S; s += 2)
    for (int n = 1; n <= N; n++) {
      int stride = n + 3;
      fill(&o);
      dae__radau_map_rows(s, &o.map, n, o.X, n, o.to, stride);
      for (int e = 0; e < S * (N + 3); e++) {
        bool inside = e % stride < n && e / stride < s;
        assert_near(o.to[e], inside ? sum(&o, s, n, e / stride, e % stride) : BEYOND);
      }
    }
}

static void test_integrals_begin_at_the_base_with_its_slope(void **state)
{
  (void)state;
  rows o;
  double base[N], slope[N], at[S];
  for (int s = 3; s <= S; s += 2)
    for (int count = 0; count <= N; count++)
      for (int sloped = 0; sloped < 2; sloped++) {
        int n = N, stride = N + 1;
        fill(&o);
        for (int e = 0; e < N; e++)
          base[e] = draw(), slope[e] = draw();
        for (int i = 0; i < S; i++)
          at[i] = draw();
        dae__radau_integral what = {&o.map, 0.3, base, sloped ? slope : NULL, sloped ? at : NULL,
                                    count};
        dae__radau_integrate(s, &what, n, o.X, stride, o.to);
        for (int e = 0; e < S * (N + 3); e++) {
          int i = e / stride, k = e % stride;
          bool inside = k < count && i < s;
          assert_near(o.to[e], inside
                                   ? base[k] + sloped * at[i] * slope[k] + 0.3 * sum(&o, s, n, i, k)
                                   : BEYOND);
        }
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_are_mapped_and_nothing_else_is_written),
      cmocka_unit_test(test_integrals_begin_at_the_base_with_its_slope),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
