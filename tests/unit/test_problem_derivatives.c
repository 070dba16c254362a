/* The shared test problems against themselves: every derivative callback against central
 * differences of what it differentiates, flags against behaviour. Uses no code of the library. */
#include "points.h"

enum { POINTS = 3, TRIES = 100 };
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

/* -- mechanical problems -- */

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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_given_derivatives_agree_with_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
