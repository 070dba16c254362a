/* Small saddle systems with random values, and how well they are solved. */
#ifndef DAEDAL_TESTS_SADDLE_FIXTURE_H
#define DAEDAL_TESTS_SADDLE_FIXTURE_H

#include "linalg/pattern.h"
#include "linalg/saddle/saddle.h"
#include "linalg/solver.h"
#include "uniform.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LARGEST 60 /* unknowns */

/* A system with its values, and the whole matrix column by column. */
typedef struct mechanism {
  dae__arena *arena;
  int n, ng, nk, size;
  dae_pattern M, G, K;
  double *m, *g, *k, *diagonal;
  double whole[LARGEST * LARGEST];
} mechanism;

static inline double between(double low, double high)
{
  return low + (high - low) * (uniform() + 1) / 2;
}

/* a pattern with about this part of its entries, and those of column first + i in row i */
static inline dae_pattern some_of(dae__arena *arena, int rows, int cols, int first, double part)
{
  int *start = DAE__ALLOC(arena, int, cols + 1), *row = DAE__ALLOC(arena, int, rows *cols + 1);
  int count = 0;
  for (int j = 0; j < cols; j++) {
    for (int i = 0; i < rows; i++)
      if (j == first + i || between(0, 1) < part)
        row[count++] = i;
    start[j + 1] = count;
  }
  return (dae_pattern){rows, cols, start, row};
}

/* M diagonal with entries 1 to 2, or full and definite; A with this part of its entries */
static inline mechanism make(int n, int ng, int nk, bool full, double part)
{
  mechanism s = {.arena = dae__arena_create(NULL), .n = n, .ng = ng, .nk = nk};
  s.size = n + ng + nk;
  assert_true(s.size <= LARGEST);
  s.M = full ? dae__pattern_dense(s.arena, n, n) : dae__pattern_diagonal(s.arena, n);
  s.G = some_of(s.arena, ng, n, 0, part);
  s.K = some_of(s.arena, nk, n, ng, part);
  s.m = DAE__ALLOC(s.arena, double, n *n);
  s.g = DAE__ALLOC(s.arena, double, ng *n);
  s.k = DAE__ALLOC(s.arena, double, nk *n);
  s.diagonal = DAE__ALLOC(s.arena, double, s.size);
  for (int j = 0; j < n; j++)
    if (full)
      for (int i = 0; i <= j; i++)
        s.m[i + j * n] = s.m[j + i * n] = (i == j ? n : 0) + uniform();
    else
      s.m[j] = between(1, 2);
  for (int e = 0; e < dae__pattern_count(&s.G); e++)
    s.g[e] = uniform();
  for (int e = 0; e < dae__pattern_count(&s.K); e++)
    s.k[e] = uniform();
  return s;
}

/* adds [3 0] to A, which keeps its rows far from dependent */
static inline void strengthen(mechanism *s)
{
  for (int j = 0; j < s->n; j++) {
    for (int e = s->G.start[j]; e < s->G.start[j + 1]; e++)
      s->g[e] += s->G.row[e] == j ? 3 : 0;
    for (int e = s->K.start[j]; e < s->K.start[j + 1]; e++)
      s->k[e] += s->ng + s->K.row[e] == j ? 3 : 0;
  }
}

static inline void free_system(mechanism *s)
{
  dae__arena_free(s->arena);
}

static inline void add(mechanism *s, const dae_pattern *p, const double *values, int first,
                       bool both)
{
  for (int j = 0; j < p->cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      s->whole[first + p->row[e] + j * s->size] += values[e];
      if (both)
        s->whole[j + (first + p->row[e]) * s->size] += values[e];
    }
}

static inline void assemble(mechanism *s, bool shifted)
{
  memset(s->whole, 0, sizeof s->whole);
  add(s, &s->M, s->m, 0, false);
  add(s, &s->G, s->g, s->n, true);
  add(s, &s->K, s->k, s->n + s->ng, true);
  for (int i = 0; shifted && i < s->size; i++)
    s->whole[i + i * s->size] += s->diagonal[i];
}

static inline dae__saddle *saddle_for(const mechanism *s)
{
  dae__saddle *saddle;
  assert_int_equal(dae__saddle_create(s->arena, &s->M, &s->G, &s->K, &saddle, NULL), DAE_OK);
  return saddle;
}

static inline dae_status factor(const mechanism *s, dae__saddle *saddle, bool shifted)
{
  return dae__saddle_factor(saddle, s->m, s->g, s->k, shifted ? s->diagonal : NULL);
}

/* the largest residual of a row relative to the sum of its terms, in extended precision */
static inline double backward_error(const mechanism *s, const double *z, const double *f)
{
  long double worst = 0;
  for (int i = 0; i < s->size; i++) {
    long double r = f[i], bound = fabsl(r);
    for (int j = 0; j < s->size; j++) {
      long double t = (long double)s->whole[i + j * s->size] * z[j];
      r -= t;
      bound += fabsl(t);
    }
    worst = fmaxl(worst, bound > 0 ? fabsl(r) / bound : 0);
  }
  return (double)worst;
}

static inline double *random_side(const mechanism *s)
{
  double *f = DAE__ALLOC(s->arena, double, s->size);
  for (int i = 0; i < s->size; i++)
    f[i] = uniform();
  return f;
}

/* backward error of a solution for a random right side */
static inline double error_of(const mechanism *s, dae__saddle *saddle)
{
  double *f = random_side(s), *z = DAE__ALLOC(s->arena, double, s->size);
  memcpy(z, f, (size_t)s->size * sizeof *z);
  dae__saddle_solve(saddle, z, z + s->n);
  return backward_error(s, z, f);
}

static inline const char *backend_of(int m, bool full)
{
  (void)m, (void)full;
  return "schur";
}

static const int small[][2] = {{3, 1}, {4, 2}, {7, 5}};

#endif
