#include "problem/semi.h"

#include "bdf/bdf.h"
#include "core/vec.h"
#include "counting_env.h"
#include "linalg/dense.h"
#include "problems/problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX 128

/* ---- helpers ---- */

typedef struct found {
  dae_status status;
  double y[MAX], dy[MAX];
  dae_diagnosis find;
  dae_error err;
} found;

static found consistent(const dae_problem *problem, double t, const double *y, const bool *fixed)
{
  found r = {.err = dae_error_none()};
  dae__arena *arena = dae__arena_create(NULL);
  dae__semi *s;
  memcpy(r.y, y, (size_t)dae_problem_size(problem) * sizeof *y);
  r.status = dae__semi_create(arena, problem, &s, &r.err);
  if (!r.status)
    r.status = dae__semi_consistent(s, t, fixed, r.y, r.dy, &r.find, &r.err);
  dae__arena_free(arena);
  return r;
}

/* largest |M x' - f| and |F|, evaluated by the callbacks alone; M dense */
static double defect(const dae_problem *problem, double t, const double *y, const double *dy)
{
  const dae_semi_explicit *p = problem->semi_explicit;
  double M[64 * 64], f[MAX], F[MAX], max = 0;
  dae_semi_explicit_at at = {t, y, y + p->nx, NULL};
  assert_int_equal(p->f(p->user, &at, f), 0);
  if (p->M)
    assert_int_equal(p->M(p->user, &at, M), 0);
  for (int i = 0; i < p->nx; i++) {
    double r = -f[i];
    for (int j = 0; j < p->nx; j++)
      r += (p->M ? M[i + j * p->nx] : i == j) * dy[j];
    max = fmax(max, fabs(r));
  }
  if (p->ny > 0)
    assert_int_equal(p->F(p->user, &at, F), 0);
  return fmax(max, dae__max_abs(p->ny, F));
}

#define assert_near(a, b, tol)                                                                     \
  do {                                                                                             \
    double a_ = (a), b_ = (b), tol_ = (tol);                                                       \
    if (!(fabs(a_ - b_) <= tol_))                                                                  \
      fail_msg("%s = %.17g differs from %.17g by %.3g", #a, a_, b_, fabs(a_ - b_));                \
  } while (0)

#define assert_mentions(text, word)                                                                \
  do {                                                                                             \
    if (!strstr((text), (word)))                                                                   \
      fail_msg("\"%s\" does not mention \"%s\"", (text), (word));                                  \
  } while (0)

/* ---- index 0 and 1 ---- */

static void test_ordinary_equations_keep_their_start(void **state)
{
  (void)state;
  test_problem p = test_van_der_pol();
  found r = consistent(&p.problem, 0, p.start.y, NULL);
  assert_int_equal(r.status, DAE_OK);
  assert_memory_equal(r.y, p.start.y, 2 * sizeof(double));
  assert_near(r.dy[0], 0, 0);
  assert_near(r.dy[1], -2e6, 1e-8);
  assert_int_equal(r.find.index, 0);
  assert_int_equal(r.find.dof, 2);
}

static void test_algebraic_variables_are_found_from_a_guess(void **state)
{
  (void)state;
  test_problem p = test_akzo_nobel();
  double y[6];
  memcpy(y, p.start.y, sizeof y);
  y[5] = 0;
  found r = consistent(&p.problem, 0, y, NULL);
  assert_int_equal(r.status, DAE_OK);
  assert_memory_equal(r.y, p.start.y, 5 * sizeof(double));
  assert_near(r.y[5], p.start.y[5], 1e-15);
  assert_near(defect(&p.problem, 0, r.y, r.dy), 0, 1e-14);
  assert_near(r.dy[5], 0, 0);
  assert_int_equal(r.find.index, 1);
  assert_int_equal(r.find.dof, 5);
  assert_int_equal(r.find.constraints, 1);
  assert_int_equal(r.find.rank, 1);
}

/* x' = -x, 0 = exp(y) + y - 1e4 x: far from the guess, differenced */
static int exponential_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = -at->x[0] + at->y[0];
  return 0;
}

static int exponential_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = exp(at->y[0]) + at->y[0] - 1e4 * at->x[0];
  return F[0] > 1e30; /* refuses what is far off */
}

static void test_newton_is_damped_and_takes_a_refusal(void **state)
{
  (void)state;
  dae_semi_explicit p = {.nx = 1, .ny = 1, .f = exponential_f, .F = exponential_F};
  dae_problem problem = {.semi_explicit = &p};
  const double y[] = {1, -30};
  found r = consistent(&problem, 0, y, NULL);
  assert_int_equal(r.status, DAE_OK);
  assert_near(exp(r.y[1]) + r.y[1], 1e4, 1e-9);
}

/* 0 = y^2 - x has a singular F_y at y = 0, but is no constraint of x */
static int square_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->y[0] * at->y[0] - at->x[0];
  return 0;
}

static void test_vanishing_derivative_at_a_point_is_not_index_2(void **state)
{
  (void)state;
  const char *const y_names[] = {"root"};
  dae_semi_explicit p = {.nx = 1, .ny = 1, .f = exponential_f, .F = square_F, .y_names = y_names};
  dae_problem problem = {.semi_explicit = &p};
  found r = consistent(&problem, 0, (const double[]){0.36, 0}, NULL);
  assert_int_equal(r.status, DAE_ERROR_START);
  assert_string_equal(r.err.equation, "root");
  r = consistent(&problem, 0, (const double[]){0.36, 0.1}, NULL);
  assert_int_equal(r.status, DAE_OK);
  assert_near(r.y[1], 0.6, 1e-14);
}

/* ---- index 2 ---- */

static void test_index_2_start_is_projected(void **state)
{
  (void)state;
  test_problem p = test_hessenberg2();
  dae_semi_explicit bare = *p.problem.semi_explicit;
  bare.J = NULL;
  const dae_problem forms[] = {p.problem, {.semi_explicit = &bare}};
  for (int i = 0; i < 2; i++) {
    found r = consistent(&forms[i], 0, (const double[]){1.1, 1.05, 1.3}, NULL);
    assert_int_equal(r.status, DAE_OK);
    double x1 = r.y[0], x2 = r.y[1];
    assert_near(defect(&forms[i], 0, r.y, r.dy), 0, 1e-12);
    assert_near(2 * x1 * x2 * r.dy[0] + x1 * x1 * r.dy[1], 0, 1e-11);
    /* the change is along the gradient, x1 and x2 being of one size */
    assert_near((x1 - 1.1) / (2 * x1 * x2), (x2 - 1.05) / (x1 * x1), 5e-2);
    assert_int_equal(r.find.index, 2);
    assert_int_equal(r.find.dof, 1);
    assert_mentions(r.find.text, "y[1]");
  }
}

static void test_consistent_index_2_start_stays(void **state)
{
  (void)state;
  test_problem p = test_hessenberg2();
  found r = consistent(&p.problem, 0, p.start.y, NULL);
  assert_int_equal(r.status, DAE_OK);
  assert_memory_equal(r.y, p.start.y, 2 * sizeof(double));
  assert_near(r.y[2], 1, 1e-14);
  assert_near(r.dy[0], 1, 1e-14);
  assert_near(r.dy[1], -2, 1e-14);
}

/* x1' = y, x2' = -x2, 0 = x1 - sin(w t) */
static int driven_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = at->y[0];
  f[1] = -at->x[1];
  return 0;
}

static int driven_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  F[0] = at->x[0] - sin(*(double *)user * at->t);
  return 0;
}

static void test_time_dependent_constraint_of_any_frequency(void **state)
{
  (void)state;
  for (double w = 1e-2; w < 2e4; w *= 10) {
    dae_semi_explicit p = {.nx = 2, .ny = 1, .user = &w, .f = driven_f, .F = driven_F};
    dae_problem problem = {.semi_explicit = &p};
    double t = 0.3;
    found r = consistent(&problem, t, (const double[]){0, 2, 0}, NULL);
    assert_int_equal(r.status, DAE_OK);
    assert_near(r.y[0], sin(w * t), 1e-14);
    assert_near(r.y[2] / w, cos(w * t), 1e-6 + 1e-10 / w);
    assert_near(r.dy[0], r.y[2], 1e-12 * w);
  }
}

static void test_fixed_values_do_not_move(void **state)
{
  (void)state;
  test_problem p = test_hessenberg2();
  const bool first[] = {true, false, false}, both[] = {true, true, false};
  const double y[] = {1.1, 1.05, 1.3};
  found r = consistent(&p.problem, 0, y, first);
  assert_int_equal(r.status, DAE_OK);
  assert_true(r.y[0] == 1.1);
  assert_near(r.y[1], 1 / (1.1 * 1.1), 1e-14);
  r = consistent(&p.problem, 0, y, both);
  assert_int_equal(r.status, DAE_ERROR_START);
  assert_string_equal(r.err.equation, "y[1]");
  assert_mentions(r.err.text, "fixed");
  assert_memory_equal(r.y, y, sizeof y);
}

static void test_fixed_algebraic_variable_is_refused_by_name(void **state)
{
  (void)state;
  test_problem p = test_akzo_nobel();
  bool fixed[6] = {false};
  double y[6];
  memcpy(y, p.start.y, sizeof y);
  fixed[5] = true;
  assert_int_equal(consistent(&p.problem, 0, y, fixed).status, DAE_OK);
  y[5] += 1e-3;
  found r = consistent(&p.problem, 0, y, fixed);
  assert_int_equal(r.status, DAE_ERROR_START);
  assert_string_equal(r.err.equation, "y6");
  assert_memory_equal(r.y, y, sizeof y);
}

/* 0 = x1^2 + x2^2 + 1 */
static int impossible_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->x[0] * at->x[0] + at->x[1] * at->x[1] + 1;
  return 0;
}

static void test_constraint_that_cannot_be_met_is_named(void **state)
{
  (void)state;
  const char *const F_names[] = {"circle"};
  dae_semi_explicit p = {.nx = 2, .ny = 1, .f = driven_f, .F = impossible_F, .F_names = F_names};
  dae_problem problem = {.semi_explicit = &p};
  found r = consistent(&problem, 0, (const double[]){1, 2, 0}, NULL);
  assert_int_equal(r.status, DAE_ERROR_START);
  assert_string_equal(r.err.equation, "circle");
}

/* ---- index 3 ---- */

static int pendulum_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *x = at->x;
  (void)user;
  f[0] = x[2];
  f[1] = x[3];
  f[2] = -x[0] * at->y[0];
  f[3] = -x[1] * at->y[0] - 9.81;
  return 0;
}

static int pendulum_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->x[0] * at->x[0] + at->x[1] * at->x[1] - 1;
  return 0;
}

static const char *const pendulum_y[] = {"tension"};
static const dae_semi_explicit pendulum = {
    .nx = 4, .ny = 1, .f = pendulum_f, .F = pendulum_F, .y_names = pendulum_y};

static void test_index_3_is_recognised(void **state)
{
  (void)state;
  dae_problem problem = {.semi_explicit = &pendulum};
  found r = consistent(&problem, 0, (const double[]){0.6, 0.8, 0, 0, 0}, NULL);
  assert_int_equal(r.status, DAE_ERROR_START);
  assert_int_equal(r.find.index, 3);
  assert_int_equal(r.find.dof, 2);
  assert_string_equal(r.err.equation, "tension");
  assert_mentions(r.err.text, "index 3");
}

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

/* ---- quasi-linear ---- */

static void test_amplifier_start_stays_and_slopes_solve(void **state)
{
  (void)state;
  test_problem p = test_transistor_amplifier();
  dae_semi_explicit bare = *p.problem.semi_explicit;
  bare.J = NULL;
  bare.constant_mass = false;
  const dae_problem forms[] = {p.problem, {.semi_explicit = &bare}};
  for (int i = 0; i < 2; i++) {
    found r = consistent(&forms[i], 0, p.start.y, NULL);
    assert_int_equal(r.status, DAE_OK);
    assert_memory_equal(r.y, p.start.y, 8 * sizeof(double));
    assert_near(defect(&forms[i], 0, r.y, r.dy), 0, 1e-10);
    /* the sums of paired rows have no derivatives: their time derivative vanishes,
     * (y1' - Ue')/r0 + 2 y2'/r + (1 - alpha) D (y2' - y3') = 0, D = beta/uf */
    double sum = (r.dy[0] - 20 * 3.14159265358979323846) / 1000 + r.dy[1] * 2 / 9000 +
                 0.01 * 1e-6 / 0.026 * (r.dy[1] - r.dy[2]);
    assert_near(sum, 0, 1e-8);
    assert_near((r.dy[6] + r.dy[7]) / 9000 + 0.99e-6 / 0.026 * (r.dy[4] - r.dy[5]), 0, 1e-8);
    assert_int_equal(r.find.index, 1);
    assert_int_equal(r.find.dof, 5);
    assert_mentions(r.find.text, "singular");
  }
}

static void test_inconsistent_amplifier_start_is_repaired(void **state)
{
  (void)state;
  test_problem p = test_transistor_amplifier();
  double y[8];
  memcpy(y, p.start.y, sizeof y);
  y[0] += 0.3;
  y[7] -= 0.2;
  found r = consistent(&p.problem, 0, y, NULL);
  assert_int_equal(r.status, DAE_OK);
  assert_near(defect(&p.problem, 0, r.y, r.dy), 0, 1e-9);
  /* what the capacitors hold does not jump */
  assert_near(r.y[1] - r.y[0], y[1] - y[0], 1e-8);
  assert_near(r.y[7] - r.y[6], y[7] - y[6], 1e-8);
  assert_near(r.y[2], y[2], 1e-8);
  found again = consistent(&p.problem, 0, r.y, NULL);
  assert_memory_equal(again.y, r.y, sizeof y);

  bool fixed[8] = {false};
  fixed[6] = true;
  r = consistent(&p.problem, 0, y, fixed);
  assert_int_equal(r.status, DAE_ERROR_START);
  assert_string_equal(r.err.equation, "y7");
  assert_memory_equal(r.y, y, sizeof y);
}

/* M(x) = [1 x2; 0 0]: x1' + x2 x2' = -x1 - x2^2/2 + y, 0 = x1 x2 - 2, 0 = y - x2 */
static int product_M(void *user, const dae_semi_explicit_at *at, double *M)
{
  (void)user;
  M[0] = 1;
  M[1] = M[3] = 0;
  M[2] = at->x[1];
  return 0;
}

static int product_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *x = at->x;
  (void)user;
  f[0] = -x[0] - x[1] * x[1] / 2 + at->y[0];
  f[1] = x[0] * x[1] - 2;
  return 0;
}

static int product_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->y[0] - at->x[1];
  return 0;
}

static void test_singular_mass_that_depends_on_the_state(void **state)
{
  (void)state;
  dae_semi_explicit p = {.nx = 2, .ny = 1, .M = product_M, .f = product_f, .F = product_F};
  dae_problem problem = {.semi_explicit = &p};
  const double starts[][3] = {{1, 2, 0}, {1.2, 2, 0}};
  for (int i = 0; i < 2; i++) {
    found r = consistent(&problem, 0, starts[i], NULL);
    assert_int_equal(r.status, DAE_OK);
    assert_near(r.y[0] * r.y[1], 2, 1e-10);
    assert_near(r.y[2], r.y[1], 1e-9);
    assert_near(defect(&problem, 0, r.y, r.dy), 0, 1e-8);
    assert_near(r.dy[0] * r.y[1] + r.y[0] * r.dy[1], 0, 1e-7);
    if (i == 0)
      assert_memory_equal(r.y, starts[i], 2 * sizeof(double));
  }
}

/* M = diag(1, 0): x1' = x2, 0 = x1 - sin(t) is of index 2 */
static int higher_M(void *user, const dae_semi_explicit_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 1;
  M[1] = M[2] = M[3] = 0;
  return 0;
}

static int higher_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = at->x[1];
  f[1] = at->x[0] - sin(at->t);
  return 0;
}

static void test_quasi_linear_index_2_is_refused_by_name(void **state)
{
  (void)state;
  const char *const names[] = {"position", "force"};
  dae_semi_explicit p = {.nx = 2, .x_names = names, .M = higher_M, .f = higher_f};
  dae_problem problem = {.semi_explicit = &p};
  found r = consistent(&problem, 0, (const double[]){0, 1}, NULL);
  assert_int_equal(r.status, DAE_ERROR_START);
  assert_string_equal(r.err.equation, "force");
  assert_mentions(r.err.text, "index");
}

/* ---- callbacks ---- */

static int nan_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)at;
  f[0] = 0;
  f[1] = NAN;
  return *(int *)user;
}

static void test_callback_that_fails_is_named(void **state)
{
  (void)state;
  const char *const f_names[] = {"mass balance", "heat balance"};
  int code = 0;
  dae_semi_explicit p = {.nx = 2, .user = &code, .f = nan_f};
  dae_problem problem = {.semi_explicit = &p};
  found r = consistent(&problem, 7, (const double[]){0, 1}, NULL);
  assert_int_equal(r.status, DAE_ERROR_RECOVERABLE);
  assert_string_equal(r.err.equation, "x[2]");
  assert_near(r.err.t, 7, 0);
  p.f_names = f_names;
  r = consistent(&problem, 7, (const double[]){0, 1}, NULL);
  assert_string_equal(r.err.equation, "heat balance");
  code = 1;
  r = consistent(&problem, 7, (const double[]){0, 1}, NULL);
  assert_int_equal(r.status, DAE_ERROR_RECOVERABLE);
  assert_string_equal(r.err.equation, "f");
  code = -1;
  r = consistent(&problem, 7, (const double[]){0, 1}, NULL);
  assert_int_equal(r.status, DAE_ERROR_CALLBACK);
}

/* ---- inputs ---- */

static int input_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = at->y[0];
  return 0;
}

static int input_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->x[0] - at->in[0];
  return 0;
}

static int input(void *user, double t, double *in)
{
  (void)user;
  in[0] = t * t;
  return 0;
}

static void test_inputs_move_with_time(void **state)
{
  (void)state;
  dae_semi_explicit p = {.nx = 1, .ny = 1, .nin = 1, .f = input_f, .F = input_F};
  dae_problem problem = {.semi_explicit = &p, .input = input};
  found r = consistent(&problem, 3, (const double[]){0, 0}, NULL);
  assert_int_equal(r.status, DAE_OK);
  assert_near(r.y[0], 9, 1e-14);
  assert_near(r.y[1], 6, 1e-10);
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
  assert_non_null(c.table->project);
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
  assert_null(c.table->project);
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
  void *buffer = malloc(dae__arena_kept_size(arena[0]));
  assert_int_equal(dae__arena_kept_size(arena[0]), dae__arena_kept_size(arena[1]));
  dae__arena_save(arena[0], buffer);
  dae__arena_load(arena[1], buffer);
  assert_int_equal(c[1].table->reload(c[1].self), DAE_OK);
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
      cmocka_unit_test(test_ordinary_equations_keep_their_start),
      cmocka_unit_test(test_algebraic_variables_are_found_from_a_guess),
      cmocka_unit_test(test_newton_is_damped_and_takes_a_refusal),
      cmocka_unit_test(test_vanishing_derivative_at_a_point_is_not_index_2),
      cmocka_unit_test(test_index_2_start_is_projected),
      cmocka_unit_test(test_consistent_index_2_start_stays),
      cmocka_unit_test(test_time_dependent_constraint_of_any_frequency),
      cmocka_unit_test(test_fixed_values_do_not_move),
      cmocka_unit_test(test_fixed_algebraic_variable_is_refused_by_name),
      cmocka_unit_test(test_constraint_that_cannot_be_met_is_named),
      cmocka_unit_test(test_index_3_is_recognised),
      cmocka_unit_test(test_corrector_refuses_index_3),
      cmocka_unit_test(test_amplifier_start_stays_and_slopes_solve),
      cmocka_unit_test(test_inconsistent_amplifier_start_is_repaired),
      cmocka_unit_test(test_singular_mass_that_depends_on_the_state),
      cmocka_unit_test(test_quasi_linear_index_2_is_refused_by_name),
      cmocka_unit_test(test_callback_that_fails_is_named),
      cmocka_unit_test(test_inputs_move_with_time),
      cmocka_unit_test(test_sparse_and_dense_agree),
      cmocka_unit_test(test_increment_is_a_newton_step),
      cmocka_unit_test(test_projection_reaches_the_constraint),
      cmocka_unit_test(test_memory_moves_to_another_corrector),
      cmocka_unit_test(test_every_failing_allocation_is_reported),
      cmocka_unit_test(test_steps_do_not_allocate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
