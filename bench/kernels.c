/* Nanoseconds of the small dense kernels.
 *
 * Saddle systems [M A'; A 0] with n coordinates and m rows: one factorisation with one and with
 * three solutions, from the values of M and A to those of x and y; and fused solutions. Against it,
 * the whole matrix by dgetrf and dgetrs, and by the own pivoted LU behind dae__solver. The limits
 * of src/linalg/saddle.c are chosen from the second table: a chain of masses, a chain of bodies
 * with three coordinates and two rows each, and full matrices.
 *
 * Complex LU: factorisation and solution by dae__zsolver with its scaling, and by zgetrf and
 * zgetrs. The crossover in src/linalg/zdense.c is chosen from this table.
 * OPENBLAS_VERBOSE and OPENBLAS_CORETYPE as for bench/lu.c. */
#include "linalg/backend.h"
#include "linalg/dense.h"
#include "linalg/pattern.h"
#include "linalg/saddle/saddle.h"
#include "linalg/solver.h"
#include "linalg/zsolver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef DAE_WITH_LAPACK
void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *A, const int *lda,
             const int *pivot, double *B, const int *ldb, int *info, size_t trans_length);
void zgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
void zgetrs_(const char *trans, const int *n, const int *nrhs, const double *A, const int *lda,
             const int *pivot, double *B, const int *ldb, int *info, size_t trans_length);
#endif

#define LARGEST 200 /* unknowns */
#define ROUNDS 15   /* the best of which counts */

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double number(void)
{
  return rand() / (double)RAND_MAX - 0.5;
}

/* what is measured: `what` does it once */
typedef void work(void *what);

static double measure(work *once, void *what, int repeat)
{
  double best = 1e99;
  for (int round = 0; round < ROUNDS; round++) {
    double t = now();
    for (int i = 0; i < repeat; i++)
      once(what);
    t = (now() - t) / repeat;
    best = t < best ? t : best;
  }
  return best;
}

/* ---- saddle systems ---- */

typedef struct mechanism {
  dae__arena *arena;
  dae_pattern M, G, K, dense;
  int n, m, size, sides;
  double *mass, *rows;       /* values */
  double *whole, *LU, *side; /* the whole matrix, its factors, right sides */
  int *pivot;
  dae__saddle *saddle;
  dae__solver *solver;
} mechanism;

static void check(dae_status status)
{
  if (status < 0) {
    fprintf(stderr, "a kernel failed\n");
    exit(1);
  }
}

/* full matrices, M diagonal or not */
static mechanism full(int n, int m, bool diagonal)
{
  mechanism s = {.arena = dae__arena_create(NULL), .n = n, .m = m};
  s.M = diagonal ? dae__pattern_diagonal(s.arena, n) : dae__pattern_dense(s.arena, n, n);
  s.G = dae__pattern_dense(s.arena, m, n);
  s.mass = DAE__ALLOC(s.arena, double, n *n);
  s.rows = DAE__ALLOC(s.arena, double, m *n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++)
      if (!diagonal)
        s.mass[i + j * n] = s.mass[j + i * n] = (i == j ? n : 0) + number();
      else if (i == j)
        s.mass[j] = 1.5 + number();
  for (int i = 0; i < m * n; i++)
    s.rows[i] = number();
  return s;
}

/* parts of `width` coordinates with a full M each, and `held` rows that tie it to the next */
static mechanism chain(int parts, int width, int held)
{
  int n = parts * width, m = parts * held, count = 0;
  mechanism s = {.arena = dae__arena_create(NULL), .n = n, .m = m};
  int *start = DAE__ALLOC(s.arena, int, n + 1), *row = DAE__ALLOC(s.arena, int, width *n);
  s.mass = DAE__ALLOC(s.arena, double, width *n);
  for (int j = 0; j < n; j++) {
    for (int i = j / width * width; i < j / width * width + width; i++)
      if (width > 2 || i == j) { /* masses in the plane have diagonal ones */
        s.mass[count] = i == j ? 2 : 0.3;
        row[count++] = i;
      }
    start[j + 1] = count;
  }
  s.M = (dae_pattern){n, n, start, row};
  start = DAE__ALLOC(s.arena, int, n + 1);
  row = DAE__ALLOC(s.arena, int, 2 * held * n);
  s.rows = DAE__ALLOC(s.arena, double, 2 * held * n);
  count = 0;
  for (int j = 0; j < n; j++) {
    for (int i = j / width * held; i < j / width * held + 2 * held && i < m; i++) {
      s.rows[count] = number() + (i < j / width * held + held ? 1 : -1);
      row[count++] = i;
    }
    start[j + 1] = count;
  }
  s.G = (dae_pattern){m, n, start, row};
  return s;
}

static void prepare(mechanism *s)
{
  int n = s->n, size = s->size = s->n + s->m;
  s->K = dae__pattern_dense(s->arena, 0, n);
  s->dense = dae__pattern_dense(s->arena, size, size);
  s->whole = DAE__ALLOC(s->arena, double, size *size);
  s->LU = DAE__ALLOC(s->arena, double, size *size);
  s->side = DAE__ALLOC(s->arena, double, 3 * size);
  s->pivot = DAE__ALLOC(s->arena, int, size);
  for (int j = 0; j < n; j++) {
    for (int e = s->M.start[j]; e < s->M.start[j + 1]; e++)
      s->whole[s->M.row[e] + j * size] = s->mass[e];
    for (int e = s->G.start[j]; e < s->G.start[j + 1]; e++)
      s->whole[n + s->G.row[e] + j * size] = s->whole[j + (n + s->G.row[e]) * size] = s->rows[e];
  }
  check(dae__saddle_create(s->arena, &s->M, &s->G, &s->K, &s->saddle, NULL));
  check(dae__solver_create(s->arena, &s->dense, &s->solver, NULL));
}

static void finish(mechanism *s)
{
  dae__saddle_free(s->saddle);
  dae__solver_free(s->solver);
  dae__arena_free(s->arena);
}

static void set_sides(mechanism *s)
{
  for (int i = 0; i < s->sides * s->size; i++)
    s->side[i] = i;
}

static void by_saddle(void *what)
{
  mechanism *s = what;
  set_sides(s);
  check(dae__saddle_factor(s->saddle, s->mass, s->rows, NULL, NULL));
  for (int k = 0; k < s->sides; k++)
    dae__saddle_solve(s->saddle, s->side + k * (s->n + s->m), s->side + k * (s->n + s->m) + s->n);
}

static void by_solver(void *what)
{
  mechanism *s = what;
  set_sides(s);
  check(dae__solver_factor(s->solver, s->whole));
  for (int k = 0; k < s->sides; k++)
    dae__solver_solve(s->solver, s->side + k * (s->n + s->m));
}

static void by_own(void *what) /* without the scaling of rows */
{
  mechanism *s = what;
  set_sides(s);
  memcpy(s->LU, s->whole, (size_t)(s->size * s->size) * sizeof *s->LU);
  dae__lu_factor_own(s->size, s->LU, s->pivot);
  for (int k = 0; k < s->sides; k++)
    dae__lu_solve(s->size, s->LU, s->pivot, s->side + k * s->size);
}

static void by_lapack(void *what)
{
#ifdef DAE_WITH_LAPACK
  mechanism *s = what;
  int info, n = s->size;
  set_sides(s);
  memcpy(s->LU, s->whole, (size_t)(n * n) * sizeof *s->LU);
  dgetrf_(&n, &n, s->LU, &n, s->pivot, &info);
  dgetrs_("N", &n, &s->sides, s->LU, &n, s->pivot, s->side, &n, &info, 1);
#else
  (void)what;
#endif
}

/* rows and forces stored one by one, as callbacks do, then the fused solution, where there is one,
 * or a factorisation and a solution; s->sides - 1: whether M is that of the last call */
static void by_fused(void *what)
{
  mechanism *s = what;
  volatile double *rows = s->LU, *side = s->side;
  for (int i = 0; i < s->n * s->m; i++)
    rows[i] = s->rows[i];
  for (int i = 0; i < s->size; i++)
    side[i] = i;
  dae__saddle_forces of = {.A = s->LU,
                           .f = s->side,
                           .c = s->side + s->n,
                           .x = s->side + s->size,
                           .y = s->side + s->size + s->n};
  bool same = s->sides > 1;
  if (!dae__saddle_solve_fused(s->saddle, s->mass, same, &of))
    check(dae__saddle_factor_solve(s->saddle, s->mass, same, s->LU, NULL, s->side, s->side + s->n));
}

/* minimum-norm correction after a fused solution, on top of the latter */
static void by_correction(void *what)
{
  mechanism *s = what;
  by_fused(s);
  if (!dae__saddle_correct(s->saddle, s->LU, s->side + s->n, s->side + 2 * s->size))
    dae__saddle_solve(s->saddle, s->side, s->side + s->n);
}

static void show_fused(mechanism s, const char *name)
{
  prepare(&s);
  printf("%-8s (%3d,%3d)", name, s.n, s.m);
  for (s.sides = 1; s.sides <= 2; s.sides++)
    printf(" %8.1f", measure(by_fused, &s, 20000));
  s.sides = 2;
  printf(" %8.1f\n", measure(by_correction, &s, 20000));
  finish(&s);
}

static void show_fused_all(void)
{
  static const int sizes[][2] = {{2, 1}, {3, 1}, {3, 2}, {4, 2},  {6, 2}, {4, 3},
                                 {6, 3}, {9, 3}, {8, 4}, {10, 5}, {7, 6}, {12, 6}};
  printf("fused solutions: ns with a new M, with the same M, and with a correction\n");
  for (int i = 0; i < 12; i++) {
    show_fused(full(sizes[i][0], sizes[i][1], true), "diagonal");
    show_fused(full(sizes[i][0], sizes[i][1], false), "full");
  }
}

static void show(mechanism s, const char *name)
{
  static work *const ways[] = {by_lapack, by_own, by_solver, by_saddle};
  prepare(&s);
  by_saddle(&s);
  printf("%-8s (%3d,%3d)", name, s.n, s.m);
  for (int w = 0; w < 4; w++)
    for (s.sides = 1; s.sides <= 3; s.sides += 2)
      printf(" %8.0f", measure(ways[w], &s, 1 + 2000000 / (s.size * s.size * s.size + 500)));
  printf("  %s\n", dae__saddle_kind(s.saddle));
  finish(&s);
}

static void show_saddles(void)
{
  static const int sizes[][2] = {{2, 1}, {4, 2}, {7, 6}};
  static const int parts[] = {2, 4, 6, 8, 10, 12, 14, 16, 20, 30};
  printf("saddle systems: ns for a factorisation and 1 or 3 solutions\n%17s", "(n, m)");
  printf(" %17s %17s %17s %17s\n", "dgetrf, dgetrs", "own LU", "dae__solver", "dae__saddle");
  for (int i = 0; i < 3; i++) {
    show(full(sizes[i][0], sizes[i][1], true), "diagonal");
    show(full(sizes[i][0], sizes[i][1], false), "full");
  }
  for (int i = 0; i < 10; i++) {
    show(chain(parts[i], 2, 1), "masses");
    if (parts[i] <= 20)
      show(chain(parts[i], 3, 2), "bodies");
    show(full(2 * parts[i], parts[i], true), "diagonal");
    show(full(2 * parts[i], parts[i], false), "full");
  }
}

/* ---- complex LU ---- */

typedef struct square {
  int n;
  double A[2 * LARGEST * LARGEST]; /* in pairs, by columns */
  double LU[2 * LARGEST * LARGEST], x[LARGEST], y[LARGEST];
  double complex b[LARGEST];
  int pivot[LARGEST];
  dae__zsolver *solver;
} square;

static void factor_solver(void *what)
{
  square *s = what;
  check(dae__zsolver_factor(s->solver, (const double complex *)s->A));
}

static void solve_solver(void *what)
{
  square *s = what;
  memcpy(s->x, s->A, (size_t)s->n * sizeof *s->x);
  memcpy(s->y, s->A + s->n, (size_t)s->n * sizeof *s->y);
  dae__zsolver_solve(s->solver, s->x, s->y);
}

static void factor_lapack(void *what)
{
#ifdef DAE_WITH_LAPACK
  square *s = what;
  int info;
  memcpy(s->LU, s->A, 2 * (size_t)(s->n * s->n) * sizeof *s->LU);
  zgetrf_(&s->n, &s->n, s->LU, &s->n, s->pivot, &info);
#else
  (void)what;
#endif
}

static void solve_lapack(void *what)
{
#ifdef DAE_WITH_LAPACK
  square *s = what;
  int info, one = 1;
  memcpy(s->b, s->A, 2 * (size_t)s->n * sizeof *s->A);
  zgetrs_("N", &s->n, &one, s->LU, &s->n, s->pivot, (double *)s->b, &s->n, &info, 1);
#else
  (void)what;
#endif
}

static void show_complex(int n)
{
  static square s;
  static work *const ways[][2] = {{factor_lapack, solve_lapack}, {factor_solver, solve_solver}};
  dae__arena *arena = dae__arena_create(NULL);
  dae_pattern pattern = dae__pattern_dense(arena, n, n);
  s.n = n;
  for (int i = 0; i < 2 * n * n; i++)
    s.A[i] = number();
  check(dae__zsolver_create(arena, &pattern, &s.solver, NULL));
  printf("%25d", n);
  for (int w = 0; w < 2; w++)
    for (int k = 0; k < 2; k++)
      printf(" %8.0f", measure(ways[w][k], &s, 1 + 2000000 / (4 * n * n * n + 100 * n)));
  printf("\n");
  dae__zsolver_free(s.solver);
  dae__arena_free(arena);
}

int main(void)
{
  static const int sizes[] = {3, 6, 13, 25, 30, 40, 50, 60, 80, 100, 150, 200};
  show_fused_all();
  show_saddles();
  printf(
      "\ncomplex LU: ns for a factorisation and for a solution; the library changes to LAPACK at "
      "n = %d\n%25s %17s %17s\n",
      dae__zlu_crossover, "n", "zgetrf, zgetrs", "dae__zsolver");
  for (int i = 0; i < 12; i++)
    show_complex(sizes[i]);
  return 0;
}
