#include "counting_env.h"
#include "linalg/dense.h"
#include "multistep/bdf.h"
#include "problems/problems.h"
#include "semi_fixture.h"

#include <stdlib.h>

static dae_status plain(dae__arena *arena, const dae_problem *problem, double t, const double *y,
                        dae__corrector *out, dae_error *err)
{
  double consistent_y[MAX], dy[MAX];
  dae_bdf_options opts = {.rtol = 1e-6, .atol = 1e-6, .order = 5, .project = true};
  dae_start start = {.t = t, .y = y};
  return dae__plain_create(arena, problem, &start, &opts, consistent_y, dy, out, err);
}

static void test_corrector_refuses_index_3(void **state)
{
  (void)state;
  dae_problem problem = {.semi_explicit = &pendulum};
  dae__arena *arena = dae__arena_create(NULL);
  dae__corrector c;
  dae_error err;
  const double y[] = {0.6, 0.8, 0, 0, 0};
  assert_int_equal(plain(arena, &problem, 0, y, &c, &err), DAE_ERROR_UNSUPPORTED);
  assert_mentions(err.text, "index 3");
  dae__arena_free(arena);
}

/* ---- sparse: a line of N cells, M x' = f with neighbours, y_i + 0.1 y_i^3 = x_i, but the ends are
 *      held: x_1 = 1 + t and x_N = 2, and y there are the forces that do it ---- */

enum { N = 40 };

typedef struct line {
  bool sparse;
  int M_start[N + 1], M_row[N], J_start[2 * N + 1], J_row[10 * N];
  dae_pattern M, J, Ms;
  dae_semi_explicit p;
} line;

static bool held(int i)
{
  return i == 0 || i == N - 1;
}

static int line_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *x = at->x;
  (void)user;
  for (int i = 0; i < N; i++) {
    double left = i > 0 ? x[i - 1] : 0, right = i < N - 1 ? x[i + 1] : 0;
    f[i] = left - 2 * x[i] + right + (i + 1) * at->y[i];
  }
  return 0;
}

static int line_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  for (int i = 0; i < N; i++) {
    double y = at->y[i];
    F[i] = held(i) ? at->x[i] - (i ? 2 : 1 + at->t) : y + 0.1 * y * y * y - at->x[i];
  }
  return 0;
}

static int line_M(void *user, const dae_semi_explicit_at *at, double *M)
{
  const line *l = user;
  int step = l->sparse ? 1 : N + 1;
  if (!l->sparse)
    memset(M, 0, N * N * sizeof *M);
  for (int i = 0; i < N; i++)
    M[i * step] = 2 + 0.5 * sin(at->x[i]);
  return 0;
}

static bool coupled(int i, int j)
{
  if (i < N)
    return j < N ? abs(i - j) <= 1 : i == j - N;
  return i - N == j || i == j;
}

static void line_create(line *l, bool sparse)
{
  int count = 0;
  l->sparse = sparse;
  l->J_start[0] = l->M_start[0] = 0;
  for (int j = 0; j < 2 * N; j++) {
    for (int i = 0; i < 2 * N; i++)
      if (coupled(i, j))
        l->J_row[count++] = i;
    l->J_start[j + 1] = count;
  }
  for (int j = 0; j < N; j++) {
    l->M_row[j] = j;
    l->M_start[j + 1] = j + 1;
  }
  l->M = (dae_pattern){N, N, l->M_start, l->M_row};
  l->J = (dae_pattern){2 * N, 2 * N, l->J_start, l->J_row};
  l->p = (dae_semi_explicit){.nx = N, .ny = N, .user = l, .f = line_f, .F = line_F, .M = line_M};
  if (sparse) {
    l->p.M_pattern = l->p.Ms_pattern = &l->M;
    l->p.J_pattern = &l->J;
  }
}

static void line_start(double *y)
{
  for (int i = 0; i < 2 * N; i++)
    y[i] = i < N ? 1 + sin(0.2 * i) : 0;
}

static void test_sparse_and_dense_agree(void **state)
{
  (void)state;
  line l[2];
  found r[2];
  double y[2 * N];
  line_start(y);
  for (int k = 0; k < 2; k++) {
    line_create(&l[k], k == 1);
    dae_problem problem = {.semi_explicit = &l[k].p};
    r[k] = consistent(&problem, 0.25, y, NULL);
    assert_int_equal(r[k].status, DAE_OK);
    assert_int_equal(r[k].find.index, 2);
    assert_int_equal(r[k].find.dof, N - 2);
    if (k == 0)
      assert_near(defect(&problem, 0.25, r[k].y, r[k].dy), 0, 1e-12);
  }
  assert_near(r[0].y[0], 1.25, 1e-15);
  assert_near(r[0].dy[0], 1, 1e-10);
  assert_near(r[0].dy[N - 1], 0, 1e-10);
  for (int i = 0; i < 2 * N; i++) {
    assert_near(r[1].y[i], r[0].y[i], 1e-9 * (1 + fabs(r[0].y[i])));
    assert_near(r[1].dy[i], r[0].dy[i], 1e-9 * (1 + fabs(r[0].dy[i])));
  }
}

/* ---- the corrector ---- */

static void point(double *Y, double *dY)
{
  line_start(Y);
  for (int i = 0; i < 2 * N; i++) {
    Y[i] += i < N ? 0 : 0.3 + 0.01 * i;
    dY[i] = cos(i);
  }
}

/* -(dR/dY + cj dR/dY')\R with R differenced column by column */
static void reference_increment(line *l, double t, const double *Y, const double *dY, double cj,
                                double factor, double *delta)
{
  enum { n = 2 * N };
  static double A[n * n];
  double at[n], rate[n], M[N * N], R[3][n];
  int pivot[n];
  for (int column = -1; column < n; column++) {
    for (int side = 0; side < 3; side++) {
      double d = side == 0 ? 1e-5 : side == 1 ? -1e-5 : 0;
      memcpy(at, Y, sizeof at);
      memcpy(rate, dY, sizeof rate);
      if (column >= 0) {
        at[column] += d;
        rate[column] += cj * d;
      }
      dae_semi_explicit_at where = {t, at, at + N, NULL};
      line_f(l, &where, R[side]);
      line_F(l, &where, R[side] + N);
      line_M(l, &where, M);
      for (int i = 0; i < N; i++)
        R[side][i] = M[i + i * N] * rate[i] - R[side][i];
    }
    for (int i = 0; i < n; i++) {
      if (column >= 0)
        A[i + column * n] = (R[0][i] - R[1][i]) / 2e-5;
      else
        delta[i] = -R[2][i] * (i < N ? factor : 1);
    }
  }
  assert_int_equal(dae__lu_factor(n, A, pivot), 0);
  dae__lu_solve(n, A, pivot, delta);
}

static void test_increment_is_a_newton_step(void **state)
{
  (void)state;
  line l[2];
  double y[2 * N], Y[2 * N], dY[2 * N], delta[2 * N], expected[2 * N];
  line_start(y);
  point(Y, dY);
  for (int k = 0; k < 2; k++) {
    dae__arena *arena = dae__arena_create(NULL);
    dae__corrector c;
    line_create(&l[k], k == 1);
    dae_problem problem = {.semi_explicit = &l[k].p};
    assert_int_equal(plain(arena, &problem, 0, y, &c, NULL), DAE_OK);
    assert_int_equal(c.n, 2 * N);
    assert_int_equal(c.role[0], DAE__TEST_FULL);
    assert_int_equal(c.role[N], DAE__TEST_MULTIPLIER);
    assert_int_equal(c.table->setup(c.self, 0.5, Y, dY, 37, NULL), DAE_OK);
    assert_int_equal(c.table->increment(c.self, 0.5, Y, dY, 37, 0.9, delta, NULL), DAE_OK);
    reference_increment(&l[0], 0.5, Y, dY, 37, 0.9, expected);
    for (int i = 0; i < 2 * N; i++)
      assert_near(delta[i], expected[i], 1e-5 * (1e-2 + fabs(expected[i])));
    dae_stats stats = {0};
    c.table->stats(c.self, &stats);
    assert_int_equal(stats.jacobians, 1);
    assert_true(stats.evaluations > 0);
    c.table->free(c.self);
    dae__arena_free(arena);
    if (k == 0)
      l[0].sparse = false;
  }
}

static void test_projection_reaches_the_constraint(void **state)
{
  (void)state;
  test_problem p = test_hessenberg2();
  dae__arena *arena = dae__arena_create(NULL);
  dae__corrector c;
  assert_int_equal(plain(arena, &p.problem, 0, p.start.y, &c, NULL), DAE_OK);
  assert_true(*c.projects);
  for (double off = 1e-1; off > 1e-15; off /= 10) {
    double Y[] = {2 + off, 0.25, 4};
    assert_int_equal(c.table->project(c.self, 0.7, Y, NULL), DAE_OK);
    assert_near(Y[0] * Y[0] * Y[1], 1, 3e-12);
    assert_near(Y[0], 2, 2 * off);
    assert_near(Y[2], 4, 0);
  }
  c.table->free(c.self);
  dae__arena_free(arena);
  test_problem akzo = test_akzo_nobel();
  arena = dae__arena_create(NULL);
  assert_int_equal(plain(arena, &akzo.problem, 0, akzo.start.y, &c, NULL), DAE_OK);
  assert_false(*c.projects);
  assert_int_equal(c.role[5], DAE__TEST_FULL);
  c.table->free(c.self);
  dae__arena_free(arena);
}

/* increments and projections after a load are those before it, bit by bit */
static void test_memory_moves_to_another_corrector(void **state)
{
  (void)state;
  line l;
  dae__arena *arena[2];
  dae__corrector c[2];
  double y[2 * N], Y[2][2 * N], dY[2 * N], delta[2][2 * N];
  line_create(&l, true);
  line_start(y);
  point(Y[0], dY);
  dae_problem problem = {.semi_explicit = &l.p};
  for (int k = 0; k < 2; k++) {
    arena[k] = dae__arena_create(NULL);
    assert_int_equal(plain(arena[k], &problem, 0, y, &c[k], NULL), DAE_OK);
  }
  assert_int_equal(c[0].table->setup(c[0].self, 0.5, Y[0], dY, 37, NULL), DAE_OK);
  assert_int_equal(c[0].table->project(c[0].self, 0.5, Y[0], NULL), DAE_OK);
  void *buffer = malloc(dae__arena_state_size(arena[0]));
  assert_int_equal(dae__arena_state_size(arena[0]), dae__arena_state_size(arena[1]));
  dae__arena_save(arena[0], buffer);
  assert_int_equal(dae__arena_load(arena[1], buffer), DAE_OK);
  for (int k = 0; k < 2; k++) {
    point(Y[k], dY);
    assert_int_equal(c[k].table->increment(c[k].self, 0.6, Y[k], dY, 40, 1, delta[k], NULL),
                     DAE_OK);
    assert_int_equal(c[k].table->project(c[k].self, 0.6, Y[k], NULL), DAE_OK);
  }
  assert_memory_equal(delta[0], delta[1], sizeof delta[0]);
  assert_memory_equal(Y[0], Y[1], sizeof Y[0]);
  for (int k = 0; k < 2; k++) {
    c[k].table->free(c[k].self);
    dae__arena_free(arena[k]);
  }
  free(buffer);
}

/* ---- memory ---- */

static void every_allocation_fails(const dae_problem *problem, const double *start)
{
  dae_status status = DAE_ERROR_MEMORY;
  for (long fail_at = 1; status != DAE_OK; fail_at++) {
    counting_env count = {.fail_at = fail_at};
    dae_env env = counting_env_of(&count);
    dae_error err = dae_error_none();
    dae__corrector c;
    dae__arena *arena = dae__arena_create(&env);
    status = arena ? plain(arena, problem, 0, start, &c, &err) : DAE_ERROR_MEMORY;
    if (status == DAE_OK)
      c.table->free(c.self);
    dae__arena_free(arena);
    assert_int_equal(count.live, 0);
    assert_int_equal(status, count.calls < fail_at ? DAE_OK : DAE_ERROR_MEMORY);
    assert_true(fail_at < 2000);
  }
}

static void test_every_failing_allocation_is_reported(void **state)
{
  (void)state;
  line l;
  double y[2 * N];
  line_create(&l, true);
  line_start(y);
  dae_problem problem = {.semi_explicit = &l.p};
  every_allocation_fails(&problem, y);
  test_problem amplifier = test_transistor_amplifier();
  every_allocation_fails(&amplifier.problem, amplifier.start.y);
}

static void test_steps_do_not_allocate(void **state)
{
  (void)state;
  line l;
  double y[2 * N], Y[2 * N], dY[2 * N], delta[2 * N];
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  line_create(&l, false);
  line_start(y);
  point(Y, dY);
  dae_problem problem = {.semi_explicit = &l.p};
  dae__arena *arena = dae__arena_create(&env);
  dae__corrector c;
  assert_int_equal(plain(arena, &problem, 0, y, &c, NULL), DAE_OK);
  long calls = count.calls;
  for (int i = 0; i < 5; i++) {
    assert_int_equal(c.table->setup(c.self, 0.1 * i, Y, dY, 37 + i, NULL), DAE_OK);
    assert_int_equal(c.table->increment(c.self, 0.1 * i, Y, dY, 37, 1, delta, NULL), DAE_OK);
    assert_int_equal(c.table->project(c.self, 0.1 * i, Y, NULL), DAE_OK);
  }
  assert_int_equal(count.calls, calls);
  c.table->free(c.self);
  dae__arena_free(arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_corrector_refuses_index_3),
      cmocka_unit_test(test_sparse_and_dense_agree),
      cmocka_unit_test(test_increment_is_a_newton_step),
      cmocka_unit_test(test_projection_reaches_the_constraint),
      cmocka_unit_test(test_memory_moves_to_another_corrector),
      cmocka_unit_test(test_every_failing_allocation_is_reported),
      cmocka_unit_test(test_steps_do_not_allocate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
