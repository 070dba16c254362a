/* The Schur kernel of small saddle systems [M B'; G 0]: against elimination with pivoting in
 * extended precision, and what is refused. */
#include "linalg/saddle/schur_small.h"

#include "linalg/pattern.h"
#include "uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define N 11
#define M DAE__SCHUR_ROWS
#define SIZE (N + M)
#define COUNT 3 /* saddle matrices at a time */
#define TINY 1e-10

/* M with a diagonal that outweighs the rest, if any; B and G by columns */
typedef struct saddle {
  dae__arena *arena;
  dae_pattern pattern;
  dae__schur_mass mass;
  dae__schur *factors;
  int n, m;
  double values[N * N];
  double B[COUNT][M * N], G[COUNT][M * N];
} saddle;

static saddle make(int n, int m, bool diagonal)
{
  saddle o = {.arena = dae__arena_create(NULL), .n = n, .m = m};
  o.pattern = dae__pattern_dense(o.arena, n, n);
  dae__schur_mass_create(o.arena, n, true, &o.mass);
  o.factors = dae__schur_create(o.arena, n, m, COUNT);
  assert_false(dae__arena_failed(o.arena));
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++)
      o.values[i + j * n] = o.values[j + i * n] =
          i == j ? 1 + n + uniform() : !diagonal * uniform();
  for (int c = 0; c < COUNT; c++)
    for (int i = 0; i < m * n; i++) {
      o.G[c][i] = uniform() + (i / m == i % m ? 2 : 0);
      o.B[c][i] = uniform() + (i / m == i % m ? 2 : 0);
    }
  return o;
}

static bool set_mass(const saddle *o)
{
  return dae__schur_mass_set(&o->mass, &o->pattern, o->values);
}

static const dae__schur_kernel *kernel_of(const saddle *o)
{
  return dae__schur_kernel_for(&o->mass, o->m);
}

/* Gaussian elimination with row exchanges of the whole matrix in extended precision */
static void reference(const saddle *o, const double *B, const double *G, const double *a,
                      const double *b, long double *z)
{
  static long double A[SIZE][SIZE];
  int n = o->n, size = n + o->m;
  memset(A, 0, sizeof A);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++)
      A[i][j] = o->values[i + j * n];
    for (int i = 0; i < o->m; i++) {
      A[n + i][j] = G[j * o->m + i];
      A[j][n + i] = B[j * o->m + i];
    }
  }
  for (int i = 0; i < size; i++)
    z[i] = i < n ? a[i] : b[i - n];
  for (int k = 0; k < size; k++) {
    int p = k;
    for (int i = k + 1; i < size; i++)
      p = fabsl(A[i][k]) > fabsl(A[p][k]) ? i : p;
    for (int j = 0; j < size; j++) {
      long double t = A[k][j];
      A[k][j] = A[p][j];
      A[p][j] = t;
    }
    long double t = z[k];
    z[k] = z[p];
    z[p] = t;
    for (int i = k + 1; i < size; i++) {
      long double l = A[i][k] / A[k][k];
      for (int j = k; j < size; j++)
        A[i][j] -= l * A[k][j];
      z[i] -= l * z[k];
    }
  }
  for (int k = size; k-- > 0;) {
    for (int j = k + 1; j < size; j++)
      z[k] -= A[k][j] * z[j];
    z[k] /= A[k][k];
  }
}

static void check_close(const saddle *o, const double *x, const double *y, const long double *z,
                        double tol)
{
  long double size = 0;
  for (int i = 0; i < o->n + o->m; i++)
    size = fmaxl(size, fabsl(z[i]));
  for (int i = 0; i < o->n; i++)
    assert_true(fabsl(x[i] - z[i]) <= tol * size);
  for (int i = 0; i < o->m; i++)
    assert_true(fabsl(y[i] - z[o->n + i]) <= tol * size);
}

/* G = NULL: G = B */
static void check_stored(const saddle *o, int c, const double *B, const double *G, double tol)
{
  double a[N], b[M], x[N], y[M];
  long double z[SIZE];
  for (int j = 0; j < o->n; j++)
    x[j] = a[j] = uniform();
  for (int i = 0; i < o->m; i++)
    y[i] = b[i] = uniform();
  kernel_of(o)->solve(&o->mass, &o->factors[c], x, y);
  reference(o, B, G ? G : B, a, b, z);
  check_close(o, x, y, z, tol);
}

/* B = NULL: B = A */
static void check_fused(const saddle *o, const double *A, const double *B, double tol)
{
  double f[N], b[M], c[M], x[N], y[M], dx[N], dy[M], none[N] = {0};
  long double z[SIZE];
  for (int j = 0; j < o->n; j++)
    f[j] = uniform();
  for (int i = 0; i < o->m; i++)
    c[i] = -(b[i] = uniform());
  dae__saddle_forces of = {.A = A, .B = B, .f = f, .c = c, .x = x, .y = y};
  assert_true(kernel_of(o)->solve_fused(&o->mass, o->factors, &of));
  reference(o, B ? B : A, A, f, b, z);
  check_close(o, x, y, z, tol);
  if (B)
    return;
  kernel_of(o)->correct(&o->mass, o->factors, A, b, dx, dy);
  reference(o, A, A, none, b, z);
  check_close(o, dx, dy, z, tol);
}

static void test_solutions_are_those_of_extended_precision(void **state)
{
  (void)state;
  for (int n = 1; n <= N; n++)
    for (int m = 1; m <= M && m <= n; m++)
      for (int diagonal = 0; diagonal < 2; diagonal++)
        for (int other = 0; other < 2; other++) { /* B = G, and B of its own */
          saddle o = make(n, m, diagonal);
          assert_true(set_mass(&o));
          assert_int_equal(*o.mass.diagonal, diagonal || n == 1);
          for (int c = 0; c < COUNT; c++)
            assert_true(
                kernel_of(&o)->factor(&o.mass, TINY, o.B[c], other ? o.G[c] : NULL, &o.factors[c]));
          for (int c = 0; c < COUNT; c++)
            check_stored(&o, c, o.B[c], other ? o.G[c] : NULL, 1e-9);
          check_fused(&o, o.G[0], other ? o.B[0] : NULL, 1e-9);
          dae__arena_free(o.arena);
        }
}

/* force directions that have nothing to do with the order of the rows: S has zeros on its
 * diagonal */
static void test_force_directions_in_another_order_are_solved(void **state)
{
  (void)state;
  for (int m = 2; m <= M; m++)
    for (int diagonal = 0; diagonal < 2; diagonal++) {
      saddle o = make(8, m, diagonal);
      for (int j = 0; j < o.n; j++)
        for (int i = 0; i < m; i++) {
          o.G[0][j * m + i] = i == j;
          o.B[0][j * m + i] = (i + 1) % m == j;
        }
      assert_true(set_mass(&o));
      check_fused(&o, o.G[0], o.B[0], 1e-12);
      assert_true(kernel_of(&o)->factor(&o.mass, TINY, o.B[0], o.G[0], o.factors));
      check_stored(&o, 0, o.B[0], o.G[0], 1e-12);
      dae__arena_free(o.arena);
    }
}

/* Blocks of M, which come and go from one value of M to the next: the envelope follows them. */
static void test_blocks_of_M_are_found_anew_for_every_value(void **state)
{
  (void)state;
  for (int m = 1; m <= M; m++) {
    saddle o = make(N, m, false);
    double full[N * N];
    memcpy(full, o.values, sizeof full);
    for (int again = 0; again < 40; again++) {
      int width = 1 + again % 5, shift = again / 5 % 3; /* blocks of 1 to 5 coordinates */
      for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
          bool same = (i + shift) / width == (j + shift) / width;
          o.values[i + j * N] = same || again % 7 == 6 ? full[i + j * N] : 0;
        }
      assert_true(set_mass(&o));
      for (int j = 0; j < N && again % 7 != 6; j++) {
        int begin = (j + shift) / width * width - shift;
        assert_true(*o.mass.diagonal || o.mass.first[j] == (begin > 0 ? begin : 0));
      }
      check_fused(&o, o.G[0], NULL, 1e-9);
      assert_true(kernel_of(&o)->factor(&o.mass, TINY, o.B[0], o.G[0], o.factors));
      check_stored(&o, 0, o.B[0], o.G[0], 1e-9);
    }
    dae__arena_free(o.arena);
  }
}

/* Without a check A x = -c holds to the digits that pivots of at least DAE__LDL_SMALL keep, and
 * after smaller ones as well as with it. */
static void test_unchecked_solutions_are_checked_after_small_pivots(void **state)
{
  (void)state;
  int refined = 0;
  for (int again = 0; again < 2000; again++) {
    int n = 2 + again % 9, m = 2 + again / 9 % (n < M ? n - 1 : M - 1);
    double near = pow(10, -4 * (again % 17) / 16.), f[N], c[M], x[N], y[M], x2[N], y2[M];
    saddle o = make(n, m, again % 2);
    for (int j = 0; j < n; j++)
      o.G[0][j * m + m - 1] = o.G[0][j * m] + near * o.G[0][j * m + m - 1];
    for (int j = 0; j < n; j++)
      f[j] = uniform();
    for (int i = 0; i < m; i++)
      c[i] = uniform();
    assert_true(set_mass(&o));
    dae__saddle_forces of = {.A = o.G[0], .f = f, .c = c, .x = x, .y = y};
    bool good = kernel_of(&o)->solve_fused(&o.mass, o.factors, &of);
    refined += o.factors->refined;
    of.x = x2, of.y = y2, of.unchecked = true;
    assert_int_equal(kernel_of(&o)->solve_fused(&o.mass, o.factors, &of), good);
    double rcond = dae__schur_rcond(&o.mass, o.factors, m), size = 0;
    for (int j = 0; good && j < n; j++)
      size = fmax(size, fabs(x[j]));
    for (int j = 0; good && j < n; j++)
      assert_true(fabs(x2[j] - x[j]) <= (rcond < DAE__LDL_SMALL ? 1e-12 / rcond : 1e-11) * size);
    dae__arena_free(o.arena);
  }
  assert_true(refined > 10);
}

/* light bodies, and rows that are nearly dependent: refinement keeps A x = b to round-off */
static void test_ill_conditioned_systems_are_refined_or_refused(void **state)
{
  (void)state;
  int solved = 0;
  for (int again = 0; again < 2000; again++) {
    int n = 2 + again % 9, m = 1 + again / 9 % (n < M ? n : M);
    saddle o = make(n, m, again % 2);
    double scale[N], f[N], c[M], x[N], y[M];
    for (int j = 0; j < n; j++)
      scale[j] = pow(10, 3 * uniform());
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        o.values[i + j * n] *= scale[i] * scale[j];
    for (int j = 0; m > 1 && j < n; j++)
      o.G[0][j * m + 1] = o.G[0][j * m] + 1e-2 * o.G[0][j * m + 1];
    for (int j = 0; j < n; j++)
      f[j] = uniform();
    for (int i = 0; i < m; i++)
      c[i] = uniform();
    assert_true(set_mass(&o));
    dae__saddle_forces of = {.A = o.G[0], .f = f, .c = c, .x = x, .y = y};
    bool good = kernel_of(&o)->solve_fused(&o.mass, o.factors, &of);
    solved += good;
    for (int i = 0; good && i < m; i++) {
      long double sum = c[i], size = fabsl(sum);
      for (int j = 0; j < n; j++) {
        sum += (long double)o.G[0][j * m + i] * x[j];
        size += fabsl((long double)o.G[0][j * m + i] * x[j]);
      }
      assert_true(fabsl(sum) <= 1.1e-14L * size);
    }
    dae__arena_free(o.arena);
  }
  assert_true(solved > 1000);
}

static void test_masses_that_are_singular_or_not_symmetric_are_refused(void **state)
{
  (void)state;
  for (int diagonal = 0; diagonal < 2; diagonal++) {
    saddle o = make(5, 2, diagonal);
    for (int j = 0; j < 5; j++)
      o.values[2 + 5 * j] = o.values[j + 5 * 2] = 0;
    assert_false(set_mass(&o));
    dae__arena_free(o.arena);
  }
  saddle o = make(5, 2, false);
  o.values[1] += 1e-3;
  assert_false(set_mass(&o));
  dae__arena_free(o.arena);
}

static void test_rows_that_depend_on_each_other_are_refused(void **state)
{
  (void)state;
  for (int m = 2; m <= M; m++)
    for (int diagonal = 0; diagonal < 2; diagonal++)
      for (int other = 0; other < 2; other++) {
        saddle o = make(8, m, diagonal);
        double f[N] = {1}, c[M] = {1}, x[N], y[M];
        for (int j = 0; j < 8; j++) { /* the last row is twice the first, in B and in G */
          o.G[0][m - 1 + j * m] = 2 * o.G[0][j * m];
          o.B[0][m - 1 + j * m] = 2 * o.B[0][j * m];
        }
        assert_true(set_mass(&o));
        const double *B = other ? o.B[0] : NULL;
        dae__saddle_forces of = {.A = o.G[0], .B = B, .f = f, .c = c, .x = x, .y = y};
        assert_false(kernel_of(&o)->solve_fused(&o.mass, o.factors, &of));
        assert_false(kernel_of(&o)->factor(&o.mass, TINY, o.G[0], B, o.factors));
        dae__arena_free(o.arena);
      }
}

static void test_values_that_are_not_finite_are_refused(void **state)
{
  (void)state;
  for (int m = 1; m <= M; m++)
    for (int where = 0; where < 3; where++) {
      saddle o = make(7, m, m % 2);
      double f[N] = {1}, c[M] = {1}, x[N], y[M];
      *(where == 0 ? f : where == 1 ? c : o.G[0]) = m % 2 ? NAN : INFINITY;
      assert_true(set_mass(&o));
      dae__saddle_forces of = {.A = o.G[0], .f = f, .c = c, .x = x, .y = y};
      assert_false(kernel_of(&o)->solve_fused(&o.mass, o.factors, &of));
      of.unchecked = true;
      assert_false(kernel_of(&o)->solve_fused(&o.mass, o.factors, &of));
      dae__arena_free(o.arena);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solutions_are_those_of_extended_precision),
      cmocka_unit_test(test_force_directions_in_another_order_are_solved),
      cmocka_unit_test(test_blocks_of_M_are_found_anew_for_every_value),
      cmocka_unit_test(test_unchecked_solutions_are_checked_after_small_pivots),
      cmocka_unit_test(test_ill_conditioned_systems_are_refined_or_refused),
      cmocka_unit_test(test_masses_that_are_singular_or_not_symmetric_are_refused),
      cmocka_unit_test(test_rows_that_depend_on_each_other_are_refused),
      cmocka_unit_test(test_values_that_are_not_finite_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
