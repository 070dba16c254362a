/* A mechanical problem as plain functions of a point z = (t, q, v, u, w, in), for tests of the
 * problems themselves. Uses no code of the library. */
#ifndef DAEDAL_TEST_POINTS_H
#define DAEDAL_TEST_POINTS_H

#include "problems/problems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MAX = 256 };

static inline double largest(int n, const double *x)
{
  double m = 0;
  for (int i = 0; i < n; i++)
    m = fmax(m, fabs(x[i]));
  return m;
}

/* values in the order of a pattern -> dense, column-major; NULL pattern: already so */
static inline void spread(const dae_pattern *p, int rows, int cols, const double *values,
                          double *dense)
{
  if (!p) {
    memcpy(dense, values, (size_t)(rows * cols) * sizeof *dense);
    return;
  }
  assert_int_equal(p->rows, rows);
  assert_int_equal(p->cols, cols);
  assert_int_equal(p->start[0], 0);
  memset(dense, 0, (size_t)(rows * cols) * sizeof *dense);
  for (int j = 0; j < cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      assert_in_range(p->row[e], 0, rows - 1);
      assert_true(e == p->start[j] || p->row[e] > p->row[e - 1]);
      dense[j * rows + p->row[e]] = values[e];
    }
}

typedef enum quantity {
  FORCES, /* (f or F, s, c) */
  MOMENTA,
  G_VALUE,
  G_RATE, /* g_t + G v */
  K_VALUE,
  M_TIMES_S,
  GT_TIMES_S,
  KT_TIMES_S
} quantity;

typedef struct mechanical_view {
  const dae_mechanical *m;
  quantity what;
  const double *s;
} mechanical_view;

static inline dae_mechanical_at mechanical_at(const dae_mechanical *m, const double *z)
{
  const double *q = z + 1, *v = q + m->nq, *u = v + m->nq, *w = u + m->nu;
  return (dae_mechanical_at){.t = z[0], .q = q, .v = v, .u = u, .w = w, .in = w + m->nw};
}

static inline int mechanical_size(const dae_mechanical *m)
{
  return 1 + 2 * m->nq + m->nu + m->nw + m->nin;
}

/* a matrix callback as a dense matrix */
static inline int matrix_of(const dae_mechanical *m, dae_mechanical_fn *fn, const dae_pattern *p,
                            int rows, int cols, const dae_mechanical_at *at, double *dense)
{
  double values[MAX * MAX / 4];
  assert_true(rows * cols <= MAX * MAX / 4);
  int rc = fn(m->user, at, values);
  if (rc == 0)
    spread(p, rows, cols, values, dense);
  return rc;
}

/* out = A' s or A s, A dense rows x cols */
static inline void times(int rows, int cols, const double *A, bool transpose, const double *s,
                         double *out)
{
  for (int i = 0; i < (transpose ? cols : rows); i++)
    out[i] = 0;
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++)
      out[transpose ? j : i] += A[j * rows + i] * s[transpose ? i : j];
}

static inline int mechanical_value(const void *self, const double *z, double *out)
{
  const mechanical_view *view = self;
  const dae_mechanical *m = view->m;
  dae_mechanical_at at = mechanical_at(m, z);
  double A[MAX * MAX / 4];
  int rc = 0;
  switch (view->what) {
  case FORCES:
    rc = (m->f ? m->f : m->F)(m->user, &at, out);
    if (m->nu > 0)
      rc |= m->s(m->user, &at, out + m->nq);
    if (m->nw > 0)
      rc |= m->c(m->user, &at, out + m->nq + m->nu);
    return rc;
  case MOMENTA:
    return m->p(m->user, &at, out);
  case G_VALUE:
    return m->g(m->user, &at, out);
  case K_VALUE:
    return m->k(m->user, &at, out);
  case M_TIMES_S:
    rc = matrix_of(m, m->M, m->M_pattern, m->nq, m->nq, &at, A);
    times(m->nq, m->nq, A, false, view->s, out);
    return rc;
  case GT_TIMES_S:
    rc = matrix_of(m, m->G, m->G_pattern, m->ng, m->nq, &at, A);
    times(m->ng, m->nq, A, true, view->s, out);
    return rc;
  case KT_TIMES_S:
    rc = matrix_of(m, m->K, m->K_pattern, m->nk, m->nq, &at, A);
    times(m->nk, m->nq, A, true, view->s, out);
    return rc;
  case G_RATE:
    rc = matrix_of(m, m->G, m->G_pattern, m->ng, m->nq, &at, A);
    times(m->ng, m->nq, A, false, at.v, out);
    if (m->g_t) {
      double g_t[MAX];
      rc |= m->g_t(m->user, &at, g_t);
      for (int i = 0; i < m->ng; i++)
        out[i] += g_t[i];
    }
    return rc;
  }
  return -1;
}

#endif
