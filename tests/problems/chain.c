/* N point masses 1/N on massless links 1/N, anchored at the origin, gravity 9.81, planar:
 * q = (x1, y1, ..., xN, yN), 0 = (x_i - x_{i-1})^2 + (y_i - y_{i-1})^2 - 1/N^2, i = 1..N.
 * Every matrix is sparse. Tip at t = 1: N = 1000 from the published set, the others from
 * references/chain.c. */
#include "problems/problems.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct chain {
  int n;
  dae_mechanical mechanical;
  dae_pattern M, G, J, Ms, Gts;
  char name[32];
} chain;

/* difference of masses i and i - 1 in a vector of coordinates; the anchor does not move */
static void chain_link(const double *q, int i, double d[2])
{
  for (int c = 0; c < 2; c++)
    d[c] = q[2 * i + c] - (i > 0 ? q[2 * (i - 1) + c] : 0);
}

static int chain_M(void *user, const dae_mechanical_at *at, double *M)
{
  const chain *p = user;
  (void)at;
  for (int i = 0; i < 2 * p->n; i++)
    M[i] = 1.0 / p->n;
  return 0;
}

static int chain_f(void *user, const dae_mechanical_at *at, double *f)
{
  const chain *p = user;
  (void)at;
  for (int i = 0; i < p->n; i++) {
    f[2 * i] = 0;
    f[2 * i + 1] = -9.81 / p->n;
  }
  return 0;
}

/* J has no entries */
static int chain_J(void *user, const dae_mechanical_at *at, double *J)
{
  (void)user, (void)at, (void)J;
  return 0;
}

static int chain_g(void *user, const dae_mechanical_at *at, double *g)
{
  const chain *p = user;
  double L = 1.0 / p->n;
  for (int i = 0; i < p->n; i++) {
    double d[2];
    chain_link(at->q, i, d);
    g[i] = d[0] * d[0] + d[1] * d[1] - L * L;
  }
  return 0;
}

/* 2 (z_i - z_{i-1}) in the pattern of G: column of mass i, rows i and i + 1 */
static void chain_rows(const chain *p, const double *z, double *out)
{
  for (int i = 0; i < p->n; i++) {
    double here[2], next[2] = {0, 0};
    chain_link(z, i, here);
    if (i + 1 < p->n)
      chain_link(z, i + 1, next);
    for (int c = 0; c < 2; c++) {
      *out++ = 2 * here[c];
      if (i + 1 < p->n)
        *out++ = -2 * next[c];
    }
  }
}

static int chain_G(void *user, const dae_mechanical_at *at, double *G)
{
  chain_rows(user, at->q, G);
  return 0;
}

static int chain_gdot_q(void *user, const dae_mechanical_at *at, double *out)
{
  chain_rows(user, at->v, out);
  return 0;
}

static int chain_gamma(void *user, const dae_mechanical_at *at, double *gamma)
{
  const chain *p = user;
  for (int i = 0; i < p->n; i++) {
    double d[2];
    chain_link(at->v, i, d);
    gamma[i] = 2 * (d[0] * d[0] + d[1] * d[1]);
  }
  return 0;
}

/* column of mass i: rows of masses i - 1, i, i + 1, the same component */
static int chain_Gts_q(void *user, const dae_mechanical_at *at, const double *s, double *out)
{
  const chain *p = user;
  (void)at;
  for (int i = 0; i < p->n; i++)
    for (int c = 0; c < 2; c++) {
      double next = i + 1 < p->n ? s[i + 1] : 0;
      if (i > 0)
        *out++ = -2 * s[i];
      *out++ = 2 * (s[i] + next);
      if (i + 1 < p->n)
        *out++ = -2 * next;
    }
  return 0;
}

static int chain_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  const chain *p = user;
  *T = *V = 0;
  for (int i = 0; i < p->n; i++) {
    const double *v = at->v + 2 * i;
    *T += (v[0] * v[0] + v[1] * v[1]) / 2 / p->n;
    *V += 9.81 * at->q[2 * i + 1] / p->n;
  }
  return 0;
}

/* -- patterns and start -- */

/* entries start[cols] of a pattern; column 2 i + c has rows (i - before ... i + after) * stride + c
 * * (stride > 1), as far as they exist among the n masses */
static dae_pattern band(int n, int cols, int before, int after, int stride, int *start, int *row)
{
  int count = 0;
  for (int j = 0; j < cols; j++) {
    int i = j / 2, c = stride > 1 ? j % 2 : 0;
    start[j] = count;
    for (int k = i - before; k <= i + after; k++)
      if (k >= 0 && k < n)
        row[count++] = k * stride + c;
  }
  start[cols] = count;
  return (dae_pattern){.rows = n * stride, .cols = cols, .start = start, .row = row};
}

/* Bessel function J0 by its series: enough for arguments below 3 */
static double bessel_j0(double x)
{
  double term = 1, sum = 1;
  for (int k = 1; k < 30; k++) {
    term *= -(x * x / 4) / ((double)k * k);
    sum += term;
  }
  return sum;
}

static double mode_shape(double s)
{
  return 0.1 * bessel_j0(2.404825557695773 * sqrt(1 - s));
}

static void chain_start(int n, test_chain_shape shape, double *q)
{
  double x = 0, y = 0;
  for (int i = 1; i <= n; i++) {
    double sine = 1;
    if (shape == TEST_CHAIN_MODE)
      sine = (mode_shape((double)i / n) - mode_shape((i - 1.0) / n)) * n;
    x += sine / n;
    y -= sqrt(1 - sine * sine) / n;
    q[2 * (i - 1)] = x;
    q[2 * (i - 1) + 1] = y;
  }
}

static const struct {
  int n;
  test_chain_shape shape;
  double x, y, accuracy;
} tips[] = {
    {10, TEST_CHAIN_MODE, -0.086138195211365, -0.996077578019895, 1e-14},
    {100, TEST_CHAIN_MODE, -0.081877777986150, -0.996450265978433, 1e-14},
    {1000, TEST_CHAIN_MODE, -0.0813910, -0.9964923, 1e-7},
    {4, TEST_CHAIN_HORIZONTAL, -0.954600532542761, -0.117817806944323, 1e-13},
    {10, TEST_CHAIN_HORIZONTAL, -0.913312229406377, -0.149655141418831, 1e-13},
};

test_problem test_chain(int n, test_chain_shape shape)
{
  const size_t N = (size_t)n, size = 5 * N;
  /* one block: description, state vectors at start and end, then the patterns */
  const size_t ints = (2 * N + 1) + 2 * N    /* M: diagonal */
                      + (2 * N + 1) + 4 * N  /* G */
                      + (4 * N + 1) + 1      /* J: empty */
                      + (4 * N + 1) + 1      /* d(M s)/d(q,v): empty */
                      + (2 * N + 1) + 6 * N; /* Gts */
  chain *p = calloc(1, sizeof *p + 2 * size * sizeof(double) + ints * sizeof(int));
  if (!p)
    return (test_problem){.name = "chain"};
  double *start = (double *)(p + 1), *end = start + size;
  int *k = (int *)(end + size);

  p->n = n;
  p->M = band(n, 2 * n, 0, 0, 2, k, k + 2 * n + 1);
  k += 4 * n + 1;
  p->G = band(n, 2 * n, 0, 1, 1, k, k + 2 * n + 1);
  k += 6 * n + 1;
  p->J = (dae_pattern){.rows = 2 * n, .cols = 4 * n, .start = k, .row = k + 4 * n + 1};
  k += 4 * n + 2;
  p->Ms = (dae_pattern){.rows = 2 * n, .cols = 4 * n, .start = k, .row = k + 4 * n + 1};
  k += 4 * n + 2;
  p->Gts = band(n, 2 * n, 1, 1, 2, k, k + 2 * n + 1);

  memcpy(p->name, shape == TEST_CHAIN_MODE ? "chain_mode" : "chain_horizontal",
         shape == TEST_CHAIN_MODE ? sizeof "chain_mode" : sizeof "chain_horizontal");
  p->mechanical = (dae_mechanical){.name = p->name,
                                   .nq = 2 * n,
                                   .ng = n,
                                   .user = p,
                                   .M = chain_M,
                                   .f = chain_f,
                                   .g = chain_g,
                                   .G = chain_G,
                                   .gamma = chain_gamma,
                                   .J = chain_J,
                                   .Gts_q = chain_Gts_q,
                                   .gdot_q = chain_gdot_q,
                                   .M_pattern = &p->M,
                                   .G_pattern = &p->G,
                                   .J_pattern = &p->J,
                                   .Ms_pattern = &p->Ms,
                                   .Gts_pattern = &p->Gts,
                                   .energy = chain_energy,
                                   .constant_mass = true,
                                   .time_free_g = true};
  test_problem out = {.name = p->name,
                      .problem = {.mechanical = &p->mechanical},
                      .start = {.y = start},
                      .to = 1,
                      .size = 5 * n,
                      .consistent = true,
                      .conservative = true,
                      .memory = p};
  chain_start(n, shape, start);
  for (size_t i = 0; i < size; i++)
    end[i] = NAN;
  for (size_t i = 0; i < sizeof tips / sizeof *tips; i++)
    if (tips[i].n == n && tips[i].shape == shape) {
      end[2 * n - 2] = tips[i].x;
      end[2 * n - 1] = tips[i].y;
      out.reference = end;
      out.accuracy = tips[i].accuracy;
    }
  return out;
}
