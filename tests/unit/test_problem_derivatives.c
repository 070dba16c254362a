/* The shared test problems against themselves: every derivative callback against central
 * differences of what it differentiates, flags against behaviour, starts and references against
 * the equations they claim to meet. Uses no code of the library. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "problems/problems.h"

enum { MAX = 256, POINTS = 3, TRIES = 100 };
static const double step = 1e-6, tolerance = 1e-6;

/* -- small tools -- */

/* a uniform number in [-1, 1], the same sequence in every run */
static double draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

/* moves a state vector about: 20 % of each entry, or 0.1 where it is zero; NaN counts as zero */
static void scatter(int n, const double *y, uint64_t *seed, double *out)
{
  for (int i = 0; i < n; i++) {
    double c = isnan(y[i]) ? 0 : y[i];
    out[i] = c + draw(seed) * (c == 0 ? 0.1 : 0.2 * fabs(c));
  }
}

static double largest(int n, const double *x)
{
  double m = 0;
  for (int i = 0; i < n; i++)
    m = fmax(m, fabs(x[i]));
  return m;
}

/* values in the order of a pattern -> dense, column-major; NULL pattern: already so */
static void spread(const dae_pattern *p, int rows, int cols, const double *values, double *dense)
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

static void compare(const char *problem, const char *what, int rows, int cols, const double *given,
                    const double *differenced, double noise)
{
  double bound = tolerance * largest(rows * cols, differenced) + noise;
  for (int i = 0; i < rows * cols; i++)
    if (!(fabs(given[i] - differenced[i]) <= bound))
      fail_msg("%s: %s(%d, %d) is %.12g, differences say %.12g", problem, what, i % rows, i / rows,
               given[i], differenced[i]);
}

/* A function of a point z: value into out. */
typedef int point_fn(const void *self, const double *z, double *out);

/* columns d fn / d z[first ... first + cols) by central differences; a negative `first` asks for
 * the one derivative along the direction `along`. Returns the noise of the result. */
static double difference(point_fn *fn, const void *self, int n, const double *z, int first,
                         int cols, const double *along, int rows, double *D)
{
  double zp[MAX], zm[MAX], fp[MAX], fm[MAX], size = 0;
  for (int j = 0; j < cols; j++) {
    double h = first < 0 ? step / (1 + largest(n, along)) : step * (1 + fabs(z[first + j]));
    for (int i = 0; i < n; i++) {
      double d = first < 0 ? along[i] : i == first + j;
      zp[i] = z[i] + h * d;
      zm[i] = z[i] - h * d;
    }
    assert_int_equal(fn(self, zp, fp), 0);
    assert_int_equal(fn(self, zm, fm), 0);
    for (int i = 0; i < rows; i++)
      D[j * rows + i] = (fp[i] - fm[i]) / (2 * h);
    size = fmax(size, largest(rows, fp));
  }
  return 4e-16 * (1 + 4 * largest(n, along ? along : z)) / step * size;
}

/* -- mechanical problems: a point z is (t, q, v, u, w, in) -- */

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

static dae_mechanical_at mechanical_at(const dae_mechanical *m, const double *z)
{
  const double *q = z + 1, *v = q + m->nq, *u = v + m->nq, *w = u + m->nu;
  return (dae_mechanical_at){.t = z[0], .q = q, .v = v, .u = u, .w = w, .in = w + m->nw};
}

static int mechanical_size(const dae_mechanical *m)
{
  return 1 + 2 * m->nq + m->nu + m->nw + m->nin;
}

/* a matrix callback as a dense matrix */
static int matrix_of(const dae_mechanical *m, dae_mechanical_fn *fn, const dae_pattern *p, int rows,
                     int cols, const dae_mechanical_at *at, double *dense)
{
  double values[MAX * MAX / 4];
  assert_true(rows * cols <= MAX * MAX / 4);
  int rc = fn(m->user, at, values);
  if (rc == 0)
    spread(p, rows, cols, values, dense);
  return rc;
}

/* out = A' s or A s, A dense rows x cols */
static void times(int rows, int cols, const double *A, bool transpose, const double *s, double *out)
{
  for (int i = 0; i < (transpose ? cols : rows); i++)
    out[i] = 0;
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++)
      out[transpose ? j : i] += A[j * rows + i] * s[transpose ? i : j];
}

static int mechanical_value(const void *self, const double *z, double *out)
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

/* one given derivative against differences of `what` by z[first ...], or along the motion */
static void check_mechanical_one(const dae_mechanical *m, const char *name, dae_mechanical_fn *fn,
                                 dae_mechanical_fn_s *fn_s, const dae_pattern *p, quantity what,
                                 const double *z, int rows, int first, int cols, const double *s)
{
  if (!fn && !fn_s)
    return;
  const mechanical_view view = {m, what, s};
  dae_mechanical_at at = mechanical_at(m, z);
  double values[MAX * MAX / 4], given[MAX * MAX / 4], D[MAX * MAX / 4], along[MAX] = {1};
  for (int i = 0; i < m->nq; i++) /* d/dt along the motion: (1, v, 0, ...) */
    along[1 + i] = at.v[i];
  assert_int_equal(fn ? fn(m->user, &at, values) : fn_s(m->user, &at, s, values), 0);
  spread(p, rows, cols, values, given);
  double noise = difference(mechanical_value, &view, mechanical_size(m), z, first, cols,
                            first < 0 ? along : NULL, rows, D);
  compare(m->name, name, rows, cols, given, D, noise);
}

static void check_mechanical_at(const dae_mechanical *m, const double *z, uint64_t *seed)
{
  const int nq = m->nq, ng = m->ng, nk = m->nk, rows = nq + m->nu + m->nw;
  double s[MAX];
  for (int i = 0; i < MAX; i++)
    s[i] = draw(seed);
#define CHECK(fn, pattern, what, nrows, first, ncols)                                              \
  check_mechanical_one(m, #fn, m->fn, NULL, pattern, what, z, nrows, first, ncols, s)
#define CHECK_S(fn, pattern, what, nrows, first, ncols)                                            \
  check_mechanical_one(m, #fn, NULL, m->fn, pattern, what, z, nrows, first, ncols, s)
  CHECK(G, m->G_pattern, G_VALUE, ng, 1, nq);
  CHECK(g_t, NULL, G_VALUE, ng, 0, 1);
  CHECK(gamma, NULL, G_RATE, ng, -1, 1);
  CHECK(gdot_q, m->G_pattern, G_RATE, ng, 1, nq);
  CHECK_S(Gts_q, m->Gts_pattern, GT_TIMES_S, nq, 1, nq);
  CHECK(K, m->K_pattern, K_VALUE, nk, 1 + nq, nq);
  CHECK(kappa, NULL, K_VALUE, nk, -1, 1);
  CHECK(k_q, m->k_q_pattern, K_VALUE, nk, 1, nq);
  CHECK_S(Kts_qv, m->Kts_pattern, KT_TIMES_S, nq, 1, 2 * nq);
  CHECK(J, m->J_pattern, FORCES, rows, 1, 2 * nq + m->nu + m->nw);
  CHECK(J_in, m->J_in_pattern, FORCES, rows, 1 + 2 * nq + m->nu + m->nw, m->nin);
  CHECK_S(Ms_qv, m->Ms_pattern, M_TIMES_S, nq, 1, 2 * nq);
  if (m->p) {
    CHECK(M, m->M_pattern, MOMENTA, nq, 1 + nq, nq);
    CHECK(p_rate, NULL, MOMENTA, nq, -1, 1);
  }
#undef CHECK
#undef CHECK_S
}

/* flags: a constant mass matrix is constant, a time-free g does not know the time */
static void check_mechanical_flags(const dae_mechanical *m, const double *z, const double *other)
{
  double shifted[MAX], a[MAX * MAX / 4], b[MAX * MAX / 4];
  dae_mechanical_at at = mechanical_at(m, z), far = mechanical_at(m, other);
  if (m->constant_mass) {
    matrix_of(m, m->M, m->M_pattern, m->nq, m->nq, &at, a);
    matrix_of(m, m->M, m->M_pattern, m->nq, m->nq, &far, b);
    assert_memory_equal(a, b, (size_t)(m->nq * m->nq) * sizeof *a);
  }
  if (m->time_free_g && m->ng > 0) {
    memcpy(shifted, z, (size_t)mechanical_size(m) * sizeof *z);
    shifted[0] += 0.7;
    far = mechanical_at(m, shifted);
    m->g(m->user, &at, a);
    m->g(m->user, &far, b);
    assert_memory_equal(a, b, (size_t)m->ng * sizeof *a);
  }
}

/* energy: T = v'Mv/2; the one-call face gives what the separate callbacks give */
static void check_mechanical_faces(const dae_mechanical *m, const double *z)
{
  dae_mechanical_at at = mechanical_at(m, z);
  double M[MAX * MAX / 4], p[MAX], T, V, sum = 0;
  if (m->energy) {
    matrix_of(m, m->M, m->M_pattern, m->nq, m->nq, &at, M);
    times(m->nq, m->nq, M, false, at.v, p);
    for (int i = 0; i < m->nq; i++)
      sum += p[i] * at.v[i] / 2;
    assert_int_equal(m->energy(m->user, &at, &T, &V), 0);
    assert_true(fabs(T - sum) <= 1e-14 * (1 + fabs(T)) && isfinite(V));
  }
  if (m->eval) {
    double a[MAX], G[MAX], gdot[MAX], gamma[MAX], f[MAX];
    const dae_mechanical_wanted wanted = {.f = f, .G = G, .gdot = gdot, .gamma = gamma};
    const mechanical_view rate = {m, G_RATE, NULL};
    assert_int_equal(m->eval(m->user, &at, &wanted), 0);
    m->f(m->user, &at, a);
    assert_memory_equal(a, f, (size_t)m->nq * sizeof *a);
    m->gamma(m->user, &at, a);
    assert_memory_equal(a, gamma, (size_t)m->ng * sizeof *a);
    mechanical_value(&rate, z, a);
    for (int i = 0; i < m->ng; i++)
      assert_true(fabs(a[i] - gdot[i]) <= 1e-14);
  }
}

/* y: state vector near which to look */
static void check_mechanical(const dae_mechanical *m, double t, const double *y, uint64_t *seed)
{
  const int n = mechanical_size(m), states = n - 1 - m->nin;
  double z[MAX], other[MAX], base[MAX] = {0};
  assert_true(n <= MAX && m->nq * (n - 1) <= MAX * MAX / 4);
  memcpy(base, y, (size_t)states * sizeof *y);
  for (int i = 0; i < POINTS; i++) {
    z[0] = t + 0.3 * draw(seed);
    other[0] = t + 0.3 * draw(seed);
    scatter(n - 1, base, seed, z + 1);
    scatter(n - 1, base, seed, other + 1);
    check_mechanical_at(m, z, seed);
    check_mechanical_flags(m, z, other);
    check_mechanical_faces(m, z);
  }
}

/* -- semi-explicit problems: a point z is (t, x, y, in) -- */

typedef struct semi_explicit_view {
  const dae_semi_explicit *m;
} semi_explicit_view;

static int semi_explicit_value(const void *self, const double *z, double *out)
{
  const dae_semi_explicit *m = ((const semi_explicit_view *)self)->m;
  const double *x = z + 1, *y = x + m->nx;
  dae_semi_explicit_at at = {.t = z[0], .x = x, .y = y, .in = y + m->ny};
  int rc = m->f(m->user, &at, out);
  if (m->ny > 0)
    rc |= m->F(m->user, &at, out + m->nx);
  return rc;
}

static void check_semi_explicit(const dae_semi_explicit *m, double t, const double *y,
                                uint64_t *seed)
{
  const semi_explicit_view view = {m};
  const int rows = m->nx + m->ny, n = 1 + rows + m->nin;
  double z[MAX], base[MAX] = {0}, values[MAX], given[MAX], D[MAX], out[MAX], noise;
  memcpy(base, y, (size_t)rows * sizeof *y);
  for (int i = 0; i < POINTS; i++) {
    int tries = 0;
    do { /* where the problem does not refuse the point */
      z[0] = t + 0.01 * draw(seed);
      scatter(n - 1, base, seed, z + 1);
    } while (semi_explicit_value(&view, z, out) != 0 && ++tries < TRIES);
    assert_true(tries < TRIES);
    dae_semi_explicit_at at = {
        .t = z[0], .x = z + 1, .y = z + 1 + m->nx, .in = z + 1 + m->nx + m->ny};
    if (m->J) {
      assert_int_equal(m->J(m->user, &at, values), 0);
      spread(m->J_pattern, rows, rows, values, given);
      noise = difference(semi_explicit_value, &view, n, z, 1, rows, NULL, rows, D);
      compare(m->name, "J", rows, rows, given, D, noise);
    }
    if (m->J_in) {
      assert_int_equal(m->J_in(m->user, &at, values), 0);
      spread(m->J_in_pattern, rows, m->nin, values, given);
      noise = difference(semi_explicit_value, &view, n, z, 1 + rows, m->nin, NULL, rows, D);
      compare(m->name, "J_in", rows, m->nin, given, D, noise);
    }
  }
}

/* -- joints: a point z is (t, z) -- */

static int joint_value(const void *self, const double *z, double *out)
{
  const dae_joint *joint = self;
  return joint->g(joint->user, z[0], z + 1, out);
}

static void check_joint(const dae_joint *joint, uint64_t *seed)
{
  double z[MAX] = {0}, given[MAX], D[MAX], noise;
  for (int i = 0; i <= joint->nz; i++)
    z[i] = draw(seed);
  if (joint->G) {
    joint->G(joint->user, z[0], z + 1, given);
    noise = difference(joint_value, joint, 1 + joint->nz, z, 1, joint->nz, NULL, joint->ng, D);
    compare(joint->name, "G", joint->ng, joint->nz, given, D, noise);
  }
  if (joint->g_t) {
    joint->g_t(joint->user, z[0], z + 1, given);
    noise = difference(joint_value, joint, 1 + joint->nz, z, 0, 1, NULL, joint->ng, D);
    compare(joint->name, "g_t", joint->ng, 1, given, D, noise);
  }
}

static int part_size(const dae_part *part)
{
  const dae_mechanical *m = part->mechanical;
  const dae_semi_explicit *s = part->semi_explicit;
  return m ? 2 * m->nq + m->nu + m->nw + m->ng + m->nk : s->nx + s->ny;
}

static void check_derivatives_near(const test_problem *p, double t, const double *y, uint64_t *seed)
{
  const dae_coupled *c = p->problem.coupled;
  if (p->problem.mechanical)
    check_mechanical(p->problem.mechanical, t, y, seed);
  if (p->problem.semi_explicit)
    check_semi_explicit(p->problem.semi_explicit, t, y, seed);
  for (int i = 0; c && i < c->parts; y += part_size(&c->part[i++])) {
    if (c->part[i].mechanical)
      check_mechanical(c->part[i].mechanical, t, y, seed);
    else
      check_semi_explicit(c->part[i].semi_explicit, t, y, seed);
  }
  for (int i = 0; c && i < c->joints; i++)
    check_joint(&c->joint[i], seed);
}

static void test_given_derivatives_agree_with_differences(void **state)
{
  uint64_t seed = 20;
  test_problem p;
  (void)state;
  for (int i = 0; test_problem_at(i, &p); i++) {
    check_derivatives_near(&p, p.start.t, p.start.y, &seed);
    if (p.reference)
      check_derivatives_near(&p, p.to, p.reference, &seed);
    test_problem_free(&p);
  }
}

/* -- starts and references meet the equations -- */

/* |value| small against `scale`; NaN passes, because it comes from an unknown entry */
static void check_small(const char *problem, const char *what, int n, const double *value,
                        double bound)
{
  for (int i = 0; i < n; i++)
    if (fabs(value[i]) > bound)
      fail_msg("%s: %s[%d] is %.3g, more than %.3g", problem, what, i + 1, value[i], bound);
}

/* g, g_t + G v, k and c at a state vector */
static void check_on_constraints(const dae_mechanical *m, double t, const double *y, double bound)
{
  double z[MAX], out[MAX], next[MAX];
  mechanical_view view = {m, G_VALUE, NULL};
  z[0] = t;
  memcpy(z + 1, y, (size_t)(2 * m->nq + m->nu + m->nw) * sizeof *y);
  dae_mechanical_at at = mechanical_at(m, z);
  if (m->ng > 0) {
    m->g(m->user, &at, out);
    check_small(m->name, "g", m->ng, out, bound);
    view.what = G_RATE;
    if (m->G) {
      mechanical_value(&view, z, next);
      check_small(m->name, "g_t + G v", m->ng, next, bound);
    }
  }
  if (m->nk > 0) {
    m->k(m->user, &at, out);
    check_small(m->name, "k", m->nk, out, bound);
  }
  if (m->nw > 0) {
    m->c(m->user, &at, out);
    check_small(m->name, "c", m->nw, out, 20 * bound);
  }
}

/* x = A\b, partial pivoting, column-major; A and b are overwritten */
static void solve(int n, double *A, double *b)
{
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      p = fabs(A[k * n + i]) > fabs(A[k * n + p]) ? i : p;
    for (int j = 0; j < n; j++) {
      double a = A[j * n + k];
      A[j * n + k] = A[j * n + p];
      A[j * n + p] = a;
    }
    double c = b[k];
    b[k] = b[p];
    b[p] = c;
    for (int i = k + 1; i < n; i++) {
      double l = A[k * n + i] / A[k * n + k];
      for (int j = k + 1; j < n; j++)
        A[j * n + i] -= l * A[j * n + k];
      b[i] -= l * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      b[i] -= A[j * n + i] * b[j];
    b[i] /= A[i * n + i];
  }
}

/* the multipliers keep the motion on the constraints: with M v' = f - G' lambda - K' psi,
 * G v' = -gamma and K v' = -kappa */
static void check_multipliers(const dae_mechanical *m, double t, const double *y, double bound)
{
  const int nq = m->nq, ng = m->ng, nk = m->nk;
  double z[MAX], A[MAX * MAX / 4], a[MAX], rate[MAX], r[MAX], size;
  if ((ng > 0 && !(m->G && m->gamma)) || (nk > 0 && !(m->K && m->kappa)))
    return;
  const double *lambda = y + 2 * nq + m->nu + m->nw, *psi = lambda + ng;
  z[0] = t;
  memcpy(z + 1, y, (size_t)(2 * nq + m->nu + m->nw) * sizeof *y);
  dae_mechanical_at at = mechanical_at(m, z);
  (m->f ? m->f : m->F)(m->user, &at, a);
  if (!m->f) { /* f = F - p_t - p_q v */
    m->p_rate(m->user, &at, r);
    for (int i = 0; i < nq; i++)
      a[i] -= r[i];
  }
  if (ng > 0) {
    mechanical_value(&(mechanical_view){m, GT_TIMES_S, lambda}, z, r);
    for (int i = 0; i < nq; i++)
      a[i] -= r[i];
  }
  if (nk > 0) {
    mechanical_value(&(mechanical_view){m, KT_TIMES_S, psi}, z, r);
    for (int i = 0; i < nq; i++)
      a[i] -= r[i];
  }
  matrix_of(m, m->M, m->M_pattern, nq, nq, &at, A);
  solve(nq, A, a);
  size = 1 + largest(nq, a) + largest(ng, lambda) + largest(nk, psi);
  if (ng > 0) {
    matrix_of(m, m->G, m->G_pattern, ng, nq, &at, A);
    times(ng, nq, A, false, a, r);
    m->gamma(m->user, &at, rate);
    for (int i = 0; i < ng; i++)
      r[i] += rate[i];
    check_small(m->name, "G v' + gamma", ng, r, bound * size);
  }
  if (nk > 0) {
    matrix_of(m, m->K, m->K_pattern, nk, nq, &at, A);
    times(nk, nq, A, false, a, r);
    m->kappa(m->user, &at, rate);
    for (int i = 0; i < nk; i++)
      r[i] += rate[i];
    check_small(m->name, "K v' + kappa", nk, r, bound * size);
  }
}

static void check_F(const dae_semi_explicit *m, double t, const double *y, double bound)
{
  double out[MAX];
  dae_semi_explicit_at at = {.t = t, .x = y, .y = y + m->nx};
  if (m->ny > 0 && m->nin == 0) {
    assert_int_equal(m->F(m->user, &at, out), 0);
    check_small(m->name, "F", m->ny, out, bound);
  }
}

static void test_starts_are_consistent(void **state)
{
  test_problem p;
  (void)state;
  for (int i = 0; test_problem_at(i, &p); i++) {
    assert_true(p.consistent);
    if (p.problem.mechanical)
      check_on_constraints(p.problem.mechanical, p.start.t, p.start.y, 4e-16);
    if (p.problem.semi_explicit)
      check_F(p.problem.semi_explicit, p.start.t, p.start.y, 4e-16);
    test_problem_free(&p);
  }
}

static void test_references_meet_constraints_and_saddle_equation(void **state)
{
  test_problem p;
  (void)state;
  for (int i = 0; test_problem_at(i, &p); i++) {
    double bound = 40 * (p.accuracy + 1e-16);
    if (p.reference && p.problem.mechanical) {
      check_on_constraints(p.problem.mechanical, p.to, p.reference, bound);
      check_multipliers(p.problem.mechanical, p.to, p.reference, bound);
    }
    if (p.reference && p.problem.semi_explicit)
      check_F(p.problem.semi_explicit, p.to, p.reference, bound);
    test_problem_free(&p);
  }
}

static double energy_of(const dae_mechanical *m, double t, const double *y)
{
  double z[MAX], T, V;
  z[0] = t;
  memcpy(z + 1, y, (size_t)(2 * m->nq + m->nu + m->nw) * sizeof *y);
  dae_mechanical_at at = mechanical_at(m, z);
  assert_int_equal(m->energy(m->user, &at, &T, &V), 0);
  return T + V;
}

static void test_references_of_conservative_problems_keep_the_energy(void **state)
{
  test_problem p;
  (void)state;
  for (int i = 0; test_problem_at(i, &p); i++) {
    const dae_mechanical *m = p.problem.mechanical;
    if (p.conservative && p.reference && m->energy) {
      double start = energy_of(m, p.start.t, p.start.y), end = energy_of(m, p.to, p.reference);
      if (fabs(end - start) > 1e-14 * (1 + fabs(start)) * (1 + fabs(end)))
        fail_msg("%s: energy %.17g at the start, %.17g at the end", p.name, start, end);
    }
    test_problem_free(&p);
  }
}

/* the sign of the joint's multiplier, and the wires: coupled references solved by hand */
static void test_coupled_references_meet_their_equations(void **state)
{
  const test_problem circuits = test_two_circuits(), structures = test_structures();
  const dae_coupled *c = circuits.problem.coupled, *s = structures.problem.coupled;
  double F, f[2], M[4], G[2], z[2], a[2][2];
  (void)state;
  for (int end = 0; end < 2; end++) {
    const double *y = end ? circuits.reference : circuits.start.y;
    for (int i = 0; i < 2; i++) {
      double in[2];
      for (int w = 0; w < c->wires; w++)
        if (c->wire[w].part == i)
          in[c->wire[w].input] = y[2 * c->wire[w].from.part + c->wire[w].from.variable];
      const dae_semi_explicit *m = c->part[i].semi_explicit;
      dae_semi_explicit_at at = {.x = y + 2 * i, .y = y + 2 * i + 1, .in = in};
      assert_int_equal(m->F(m->user, &at, &F), 0);
      assert_true(fabs(F) <= 4e-15);
    }
  }
  const double *y = structures.reference;
  for (int i = 0; i < 2; i++)
    z[i] = y[4 * s->joint->z[i].part + s->joint->z[i].variable];
  s->joint->g(s->joint->user, structures.to, z, &F);
  s->joint->G(s->joint->user, structures.to, z, G);
  assert_true(fabs(F) <= 1e-14);
  for (int i = 0; i < 2; i++) { /* M v' = f - G' lambda */
    const dae_mechanical *m = s->part[i].mechanical;
    dae_mechanical_at at = {.q = y + 4 * i, .v = y + 4 * i + 2};
    m->M(m->user, &at, M);
    m->f(m->user, &at, f);
    f[s->joint->z[i].variable] -= G[i] * y[8];
    solve(2, M, f);
    memcpy(a[i], f, sizeof f);
  }
  assert_true(fabs(a[0][1] - 2 * a[1][0]) <= 1e-13);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_given_derivatives_agree_with_differences),
      cmocka_unit_test(test_starts_are_consistent),
      cmocka_unit_test(test_references_meet_constraints_and_saddle_equation),
      cmocka_unit_test(test_references_of_conservative_problems_keep_the_energy),
      cmocka_unit_test(test_coupled_references_meet_their_equations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
