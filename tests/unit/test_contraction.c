#include "wave/analysis/contraction.h"

#include "arena_fixture.h"
#include "counting_env.h"
#include "linalg/dense.h"
#include "linalg/pattern.h"
#include "linalg/spectrum.h"
#include "uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define NEAR(a, b, tol) assert_true(fabs((a) - (b)) <= (tol))

/* G given by rows as one reads it; entries that are zero are not in the pattern */
static dae__loop loop_of(int systems, int n, const int *owner, const double *G)
{
  int *start = DAE__ALLOC(arena, int, n + 1), *row = DAE__ALLOC(arena, int, n *n), count = 0;
  double *values = DAE__ALLOC(arena, double, n *n);
  dae_pattern *p = DAE__ALLOC(arena, dae_pattern, 1);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++)
      if (G[i * n + j] != 0) {
        values[count] = G[i * n + j];
        row[count++] = i;
      }
    start[j + 1] = count;
  }
  *p = (dae_pattern){n, n, start, row};
  return (dae__loop){systems, owner, p, values};
}

static double radius(const dae__loop *loop, const int *order)
{
  double rho;
  dae_error err = dae_error_none();
  assert_int_equal(dae__contraction_radius(NULL, loop, order, &rho, NULL, &err), DAE_OK);
  return rho;
}

static dae_status mode_of(const dae_env *env, const dae__loop *loop, const int *order,
                          double *weight, dae_error *err)
{
  double rho;
  return dae__contraction_radius(env, loop, order, &rho, weight, err);
}

static double margin(const dae__loop *loop)
{
  double sigma;
  assert_int_equal(dae__contraction_margin(NULL, loop, &sigma, NULL), DAE_OK);
  return sigma;
}

static double best(const dae__loop *loop, int *order)
{
  double rho;
  assert_int_equal(dae__contraction_order(NULL, loop, order, &rho, NULL), DAE_OK);
  return rho;
}

/* T = 1 - G0^-1 G in full, n x n by columns */
static double *full_T(const dae__loop *loop, const int *order)
{
  const dae_pattern *p = loop->pattern;
  int n = p->cols, *pivot = DAE__ALLOC(arena, int, n),
      *place = DAE__ALLOC(arena, int, loop->systems);
  size_t size = (size_t)n * (size_t)n;
  double *G0 = DAE__ALLOC(arena, double, size), *T = DAE__ALLOC(arena, double, size);
  for (int k = 0; k < loop->systems; k++)
    place[order ? order[k] : k] = k;
  for (int j = 0; j < n; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      int i = p->row[e], to = place[loop->owner[i]], from = place[loop->owner[j]];
      T[i + j * n] = -loop->values[e];
      if (to == from || (order && to > from))
        G0[i + j * n] = loop->values[e];
    }
  assert_int_equal(dae__lu_factor(n, G0, pivot), 0);
  for (int j = 0; j < n; j++) {
    dae__lu_solve(n, G0, pivot, T + j * n);
    T[j + j * n] += 1;
  }
  return T;
}

static double full_radius(const dae__loop *loop, const int *order)
{
  int n = loop->pattern->cols;
  double *re = DAE__ALLOC(arena, double, n), *im = DAE__ALLOC(arena, double, n), rho = 0;
  assert_int_equal(dae__spectrum_values(NULL, n, full_T(loop, order), re, im, NULL), DAE_OK);
  for (int i = 0; i < n; i++)
    rho = fmax(rho, hypot(re[i], im[i]));
  return rho;
}

static const int each[] = {0, 1, 2, 3, 4, 5, 6};

/* 0 = y_i - z_i + sum_j C_ij z_j */
static dae__loop three(const double *C)
{
  double G[9];
  for (int i = 0; i < 9; i++)
    G[i] = C[i] - (i % 4 == 0);
  return loop_of(3, 3, each, G);
}

static const double cyclic[] = {0, .7, .3, -.3, 0, -.9, -.9, .5, 0};
static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};

static void test_three_subsystems_have_two_classes_of_orders(void **state)
{
  (void)state;
  dae__loop loop = three(cyclic);
  for (int k = 0; k < 6; k++) {
    int order[3];
    memcpy(order, orders[k], sizeof order);
    NEAR(radius(&loop, order), k < 3 ? 1.384526 : 0.212132, 1e-6);
    int first = order[0], before[3];
    memcpy(before, order, sizeof before);
    NEAR(best(&loop, order), 0.212132, 1e-6);
    assert_int_equal(order[0], first);
    assert_true((memcmp(before, order, sizeof before) == 0) == (k >= 3));
  }
  NEAR(radius(&loop, NULL), 1.067594, 1e-6);
}

/* [E07] Example 3.7: alpha^2, and alpha for Jacobi */
static void test_two_subsystems_contract_by_the_product_of_their_gains(void **state)
{
  (void)state;
  const int order[] = {0, 1}, reversed[] = {1, 0};
  for (double alpha = 0.3; alpha < 1.2; alpha += 0.2) {
    const double G[] = {-1, alpha, alpha, -1};
    dae__loop loop = loop_of(2, 2, each, G);
    NEAR(radius(&loop, order), alpha * alpha, 1e-14);
    NEAR(radius(&loop, reversed), alpha * alpha, 1e-14);
    NEAR(radius(&loop, NULL), alpha, 1e-14);
    NEAR(margin(&loop), fabs(1 - alpha), 1e-13);
  }
}

/* the model of [WHM11] with an acceleration and a multiplier as unknowns */
static void test_a_joint_contracts_by_the_ratio_of_mobilities(void **state)
{
  (void)state;
  const int order[] = {0, 1};
  const double G[] = {-1, -4 / 11.0, 1, -1};
  dae__loop loop = loop_of(2, 2, each, G);
  NEAR(radius(&loop, order), 4 / 11.0, 1e-14);
  NEAR(radius(&loop, NULL), 0.603023, 1e-6);
}

/* 1 - T is that of Jacobi; in Gauss-Seidel, order 1 2 3, it would be .114 */
static void test_a_poorly_conditioned_loop_has_a_small_margin(void **state)
{
  (void)state;
  const double C[] = {0, .8, -1.1, -.9, 0, 1.2, 1, .7, 0};
  dae__loop loop = three(C);
  double *T = full_T(&loop, each), sigma;
  for (int i = 0; i < 9; i++)
    T[i] = (i % 4 == 0) - T[i];
  assert_int_equal(dae__spectrum_smallest(NULL, 3, T, &sigma, NULL), DAE_OK);
  NEAR(sigma, 0.114, 5e-4);
  NEAR(margin(&loop), 0.085507, 1e-6);
}

/* two chains held together at both ends: accelerations x1 x3 y1 y3, multipliers of either side */
static void test_chains_contract_by_the_side_that_carries_the_joints(void **state)
{
  (void)state;
  const double G[] = {
      1, 0, 0,  0,  1,    0,    /* x1'' + lambda1 */
      0, 1, 0,  0,  0,    0.25, /* x3'' + lambda2 / 4 */
      0, 0, 1,  0,  -0.5, 0,    /* y1'' - lambda1 / 2 */
      0, 0, 0,  1,  0,    -1,   /* y3'' - lambda2 */
      1, 0, -1, 0,  0,    0,    /* x1'' = y1'' */
      0, 1, 0,  -1, 0,    0,    /* x3'' = y3'' */
  };
  const int on_y[] = {0, 0, 1, 1, 1, 1}, on_x[] = {0, 0, 1, 1, 0, 0}, order[] = {0, 1};
  double weight[6];
  dae__loop loop = loop_of(2, 6, on_y, G);
  NEAR(radius(&loop, order), 2, 1e-13);
  NEAR(radius(&loop, NULL), sqrt(2), 1e-13);
  assert_int_equal(mode_of(NULL, &loop, order, weight, NULL), DAE_OK);
  NEAR(weight[0], 1, 1e-9); /* x1'' and lambda1, which y1'' is not part of */
  NEAR(weight[4], 1, 1e-9);
  for (int i = 0; i < 6; i++)
    assert_true(i == 0 || i == 4 || weight[i] < 1e-8);
  loop.owner = on_x;
  NEAR(radius(&loop, order), 4, 1e-13);
}

/* blocks of random sizes, dominant on the diagonal */
static dae__loop random_loop(int systems, int n, double size, double density)
{
  int *owner = DAE__ALLOC(arena, int, n);
  double *G = DAE__ALLOC(arena, double, n *n);
  for (int i = 0; i < n; i++)
    owner[i] = i < systems ? i : (int)floor(0.5 * (1 + uniform()) * systems * 0.999999);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      bool own = owner[i] == owner[j];
      double a = uniform(), b = uniform();
      G[i * n + j] = i == j ? 2 + a : own ? 0.5 * a : fabs(b) < density ? size * a : 0;
    }
  return loop_of(systems, n, owner, G);
}

static void shuffle(int n, int *order)
{
  for (int k = n - 1; k > 0; k--) {
    int l = (int)floor(0.5 * (1 + uniform()) * (k + 1) * 0.999999), keep = order[k];
    order[k] = order[l];
    order[l] = keep;
  }
}

static void test_random_loops_agree_with_the_full_matrix(void **state)
{
  (void)state;
  for (int trial = 0; trial < 60; trial++) {
    int systems = 2 + trial % 6, n = systems + trial % 23, order[7];
    dae__loop loop = random_loop(systems, n, 0.8, trial % 3 ? 1 : 0.3);
    memcpy(order, each, sizeof order);
    shuffle(systems, order);
    NEAR(radius(&loop, order), full_radius(&loop, order), 1e-7);
    NEAR(radius(&loop, NULL), full_radius(&loop, NULL), 1e-7);
  }
}

/* every order, by recursion */
static double smallest(const dae__loop *loop, int *order, int from)
{
  if (from == loop->systems)
    return full_radius(loop, order);
  double rho = INFINITY;
  for (int k = from; k < loop->systems; k++) {
    int keep = order[from];
    order[from] = order[k];
    order[k] = keep;
    rho = fmin(rho, smallest(loop, order, from + 1));
    order[k] = order[from];
    order[from] = keep;
  }
  return rho;
}

static void test_the_best_order_is_the_best_of_all(void **state)
{
  (void)state;
  for (int trial = 0; trial < 12; trial++) {
    int systems = 2 + trial % 4, order[7], all[7];
    dae__loop loop = random_loop(systems, systems + trial % 5, 1, trial % 2 ? 1 : 0.4);
    memcpy(order, each, sizeof order);
    memcpy(all, each, sizeof order);
    shuffle(systems, order);
    double rho = best(&loop, order);
    NEAR(rho, smallest(&loop, all, 0), 1e-7);
    NEAR(rho, radius(&loop, order), 1e-12);
  }
}

/* With many unknowns not every order is looked at closely; a good one is found all the same. */
static void test_many_unknowns_of_few_subsystems_get_a_good_order(void **state)
{
  (void)state;
  for (int trial = 0; trial < 5; trial++) {
    int order[] = {0, 1, 2, 3}, all[] = {0, 1, 2, 3};
    dae__loop loop = random_loop(4, 34 + 6 * trial, 0.2, 0.8);
    double given = radius(&loop, order), rho = best(&loop, order);
    NEAR(rho, radius(&loop, order), 1e-12);
    assert_true(rho <= given && rho <= 1.02 * smallest(&loop, all, 0));
  }
}

/* all six orders of three subsystems and a fourth that only listens have two values of rho */
static void test_subsystems_outside_loops_keep_their_places(void **state)
{
  (void)state;
  double G[16] = {0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      G[i * 4 + j] = cyclic[i * 3 + j] - (i == j);
  G[15] = 1;
  G[12] = G[13] = 1e6;
  dae__loop loop = loop_of(4, 4, each, G);
  int order[] = {0, 3, 1, 2}, equal[] = {0, 3, 2, 1};
  NEAR(best(&loop, order), 0.212132, 1e-6);
  assert_memory_equal(order, ((int[]){0, 3, 2, 1}), sizeof order);
  best(&loop, equal);
  assert_memory_equal(equal, order, sizeof order);
  NEAR(margin(&loop),
       fmin(1, margin(&(dae__loop){3, each, three(cyclic).pattern, three(cyclic).values})), 1e-12);
}

static void test_units_of_unknowns_and_equations_do_not_matter(void **state)
{
  (void)state;
  for (int trial = 0; trial < 10; trial++) {
    dae__loop loop = random_loop(4, 11, 1, 0.8);
    int order[] = {2, 0, 3, 1}, other[] = {2, 0, 3, 1};
    double rho = radius(&loop, order), jacobi = radius(&loop, NULL), sigma = margin(&loop);
    double *values = DAE__ALLOC(arena, double, 121), weight[11], other_weight[11];
    for (int j = 0; j < 11; j++)
      for (int e = loop.pattern->start[j]; e < loop.pattern->start[j + 1]; e++)
        values[e] = loop.values[e] * pow(10, (j * 5 % 11) - loop.pattern->row[e] * 7 % 11);
    dae__loop scaled = {4, loop.owner, loop.pattern, values};
    NEAR(radius(&scaled, order), rho, 1e-9);
    NEAR(radius(&scaled, NULL), jacobi, 1e-9);
    assert_true(margin(&scaled) < 4 * sigma && margin(&scaled) > sigma / 4);
    assert_int_equal(mode_of(NULL, &loop, order, weight, NULL), DAE_OK);
    assert_int_equal(mode_of(NULL, &scaled, order, other_weight, NULL), DAE_OK);
    for (int i = 0; i < 11; i++)
      NEAR(weight[i], other_weight[i], 1e-6);
    NEAR(best(&loop, order), best(&scaled, other), 1e-9);
    assert_memory_equal(order, other, sizeof order);
  }
}

/* Subsystems of `size` unknowns in a ring: the last one of each enters the first of the next with
 * gain forward(k), the first one the last of the one before with gain back(k). */
static dae__loop ring(int systems, int size, double *forward, double *back)
{
  int n = systems * size, count = 0;
  int *owner = DAE__ALLOC(arena, int, n), *start = DAE__ALLOC(arena, int, n + 1);
  int *row = DAE__ALLOC(arena, int, n *(size + 2));
  double *values = DAE__ALLOC(arena, double, n *(size + 2));
  dae_pattern *p = DAE__ALLOC(arena, dae_pattern, 1);
  for (int j = 0; j < n; j++) {
    int k = owner[j] = j / size, next = (k + 1) % systems, before = (k + systems - 1) % systems;
    for (int i = 0; i < n; i++) {
      double a = i == j ? -1 : i / size == k && i > j ? 1 : 0;
      if (j == (k + 1) * size - 1 && i == next * size)
        a = forward[k];
      if (back && j == k * size && i == (before + 1) * size - 1)
        a = back[k];
      if (a == 0)
        continue;
      values[count] = a;
      row[count++] = i;
    }
    start[j + 1] = count;
  }
  *p = (dae_pattern){n, n, start, row};
  return (dae__loop){systems, owner, p, values};
}

/* gains around `size`; each subsystem of two unknowns passes on what comes in */
static double *gains(int count, double size)
{
  double *g = DAE__ALLOC(arena, double, count);
  for (int k = 0; k < count; k++)
    g[k] = size * (1 + 0.3 * uniform());
  return g;
}

static int *in_turn(int count)
{
  int *order = DAE__ALLOC(arena, int, count);
  for (int k = 0; k < count; k++)
    order[k] = k;
  return order;
}

static void test_a_one_way_ring_contracts_by_the_product_of_its_gains(void **state)
{
  (void)state;
  for (int systems = 3; systems <= 200; systems += 1 + systems / 2) {
    double *forward = gains(systems, 0.9), product = 1;
    for (int k = 0; k < systems; k++)
      product *= forward[k];
    dae__loop loop = ring(systems, 2, forward, NULL);
    int *order = in_turn(systems);
    NEAR(radius(&loop, order), product, 1e-10 * product);
    double jacobi = pow(product, 1.0 / systems);
    NEAR(radius(&loop, NULL), jacobi, 2e-3 * jacobi);
    for (int k = 0; k < systems / 2; k++) { /* the worst order: backwards */
      int keep = order[k];
      order[k] = order[systems - 1 - k];
      order[systems - 1 - k] = keep;
    }
    double backwards = pow(product, 1.0 / (systems - 1));
    NEAR(radius(&loop, order), backwards, 2e-3 * backwards);
    NEAR(best(&loop, order), product, 1e-9 * product);
  }
}

static void test_large_rings_agree_with_the_full_matrix(void **state)
{
  (void)state;
  for (int trial = 0; trial < 4; trial++) {
    int systems = 130;
    double *forward = gains(systems, trial % 2 ? 0.7 : 0.3);
    double *back = gains(systems, trial < 2 ? 0.4 : -0.6);
    dae__loop loop = ring(systems, 1, forward, back);
    int *order = in_turn(systems);
    double rho = full_radius(&loop, order), jacobi = full_radius(&loop, NULL);
    NEAR(radius(&loop, order), rho, 2e-3 * rho);
    NEAR(radius(&loop, NULL), jacobi, 2e-3 * jacobi);
    shuffle(systems, order);
    rho = full_radius(&loop, order);
    NEAR(radius(&loop, order), rho, 2e-3 * rho);
  }
}

static void test_the_margin_of_a_large_ring_agrees_with_that_of_its_matrix(void **state)
{
  (void)state;
  int systems = 150;
  dae__loop loop = ring(systems, 1, gains(systems, 0.4), gains(systems, 0.3));
  double *T = full_T(&loop, NULL), sigma;
  for (int i = 0; i < systems * systems; i++)
    T[i] = (i % (systems + 1) == 0) - T[i];
  assert_int_equal(dae__spectrum_smallest(NULL, systems, T, &sigma, NULL), DAE_OK);
  NEAR(margin(&loop), sigma, 1e-3 * sigma);
}

/* the slow pair among 200 subsystems is found by name */
static void test_the_slowest_mode_of_a_large_ring_is_where_gains_are_large(void **state)
{
  (void)state;
  for (int systems = 50; systems <= 200; systems += 150) {
    double *forward = gains(systems, 0.1), *back = gains(systems, 0.1);
    double *weight = DAE__ALLOC(arena, double, systems);
    forward[17] = back[18] = 0.9;
    dae__loop loop = ring(systems, 1, forward, back);
    for (int jacobi = 0; jacobi < 2; jacobi++) {
      int *order = jacobi ? NULL : in_turn(systems);
      assert_int_equal(mode_of(NULL, &loop, order, weight, NULL), DAE_OK);
      for (int i = 0; i < systems; i++)
        assert_true(i == 17 || i == 18 ? weight[i] > 0.9 : weight[i] < 0.1);
    }
  }
}

/* a loop of two feeds a third, which feeds nobody, and is fed by a fourth */
static void test_a_mode_names_the_loop_and_not_what_hangs_on_it(void **state)
{
  (void)state;
  const double G[] = {-1, 1e-3, 0, 5, 2e3, -1, 0, 0, 7, 8, -1, 0, 0, 0, 0, -1};
  const int order[] = {0, 1, 2, 3};
  double weight[4];
  dae__loop loop = loop_of(4, 4, each, G);
  assert_int_equal(mode_of(NULL, &loop, order, weight, NULL), DAE_OK);
  NEAR(weight[0], 1, 1e-9);
  NEAR(weight[1], 1, 1e-9);
  assert_true(weight[2] == 0 && weight[3] == 0);
  NEAR(radius(&loop, order), 2, 1e-12);
}

static void test_without_loops_one_pass_is_enough(void **state)
{
  (void)state;
  const double G[] = {-1, 0, 0, 1e3, -1, 0, 5, 1e4, -1};
  const int order[] = {2, 1, 0};
  double weight[3];
  dae__loop loop = loop_of(3, 3, each, G);
  assert_true(radius(&loop, order) == 0);
  assert_true(radius(&loop, NULL) == 0);
  assert_true(margin(&loop) == 1);
  assert_int_equal(mode_of(NULL, &loop, NULL, weight, NULL), DAE_OK);
  assert_true(weight[0] == 0 && weight[1] == 0 && weight[2] == 0);
  dae__loop none = loop_of(3, 0, each, G);
  assert_true(radius(&none, order) == 0);
  assert_true(margin(&none) == 1);
}

static void test_singular_parts_and_singular_loops_are_told_apart(void **state)
{
  (void)state;
  const double part[] = {0, 1, 1, -1}, whole[] = {-1, 1, 1, -1};
  int order[] = {1, 0};
  double weight[2];
  dae__loop loop = loop_of(2, 2, each, part);
  assert_true(isinf(radius(&loop, order)) && isinf(radius(&loop, NULL)));
  assert_true(isinf(best(&loop, order)));
  assert_true(order[0] == 1 && order[1] == 0);
  assert_true(margin(&loop) == 0);
  assert_int_equal(mode_of(NULL, &loop, order, weight, NULL), DAE_OK);
  assert_true(weight[0] == 0 && weight[1] == 0);
  loop = loop_of(2, 2, each, whole);
  NEAR(radius(&loop, order), 1, 1e-14);
  NEAR(margin(&loop), 0, 1e-14);
}

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void test_two_hundred_subsystems_are_quick(void **state)
{
  (void)state;
  int systems = 200, *order = in_turn(systems);
  dae__loop loop = ring(systems, 10, gains(systems, 0.05), gains(systems, 0.001));
  double *weight = DAE__ALLOC(arena, double, 10 * systems), begin = seconds();
  shuffle(systems, order);
  double rho = radius(&loop, order);
  assert_true(best(&loop, order) <= rho);
  radius(&loop, NULL);
  margin(&loop);
  assert_int_equal(mode_of(NULL, &loop, NULL, weight, NULL), DAE_OK);
  double spent = seconds() - begin;
  print_message("2000 unknowns of 200 subsystems: %.2f s\n", spent);
  assert_true(spent < 60);
}

static void test_derivatives_that_are_not_finite_are_refused(void **state)
{
  (void)state;
  double G[] = {-1, 0.5, 0.5, -1}, out[2];
  int order[] = {0, 1};
  for (int k = 0; k < 4; k++) {
    double keep = G[k];
    G[k] = k % 2 ? NAN : INFINITY;
    dae__loop loop = loop_of(2, 2, each, G);
    G[k] = keep;
    dae_error err = dae_error_none();
    assert_int_equal(dae__contraction_radius(NULL, &loop, NULL, out, NULL, &err),
                     DAE_ERROR_RECOVERABLE);
    assert_int_equal(err.status, DAE_ERROR_RECOVERABLE);
    assert_int_equal(dae__contraction_margin(NULL, &loop, out, &err), DAE_ERROR_RECOVERABLE);
    assert_int_equal(dae__contraction_order(NULL, &loop, order, out, &err), DAE_ERROR_RECOVERABLE);
    assert_int_equal(mode_of(NULL, &loop, order, out, &err), DAE_ERROR_RECOVERABLE);
  }
}

static dae__loop built;
static int verb;

static bool build(const dae_env *env)
{
  double out[200];
  int order[200];
  dae_error err = dae_error_none();
  for (int k = 0; k < built.systems; k++)
    order[k] = k;
  dae_status status = verb == 0   ? dae__contraction_radius(env, &built, order, out, NULL, &err)
                      : verb == 1 ? dae__contraction_order(env, &built, order, out, &err)
                      : verb == 2 ? dae__contraction_margin(env, &built, out, &err)
                                  : mode_of(env, &built, order, out, &err);
  assert_true(status == DAE_OK || status == DAE_ERROR_MEMORY);
  assert_int_equal(err.status, status);
  return status == DAE_OK;
}

static void test_memory_that_runs_out_is_noticed(void **state)
{
  (void)state;
  for (int large = 0; large < 2; large++)
    for (verb = 0; verb < 4; verb++) {
      built = large ? ring(130, 1, gains(130, 0.2), gains(130, 0.2)) : three(cyclic);
      assert_int_equal(counting_env_fault(build), 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_three_subsystems_have_two_classes_of_orders),
      TEST(test_two_subsystems_contract_by_the_product_of_their_gains),
      TEST(test_a_joint_contracts_by_the_ratio_of_mobilities),
      TEST(test_a_poorly_conditioned_loop_has_a_small_margin),
      TEST(test_chains_contract_by_the_side_that_carries_the_joints),
      TEST(test_random_loops_agree_with_the_full_matrix),
      TEST(test_the_best_order_is_the_best_of_all),
      TEST(test_many_unknowns_of_few_subsystems_get_a_good_order),
      TEST(test_subsystems_outside_loops_keep_their_places),
      TEST(test_units_of_unknowns_and_equations_do_not_matter),
      TEST(test_a_one_way_ring_contracts_by_the_product_of_its_gains),
      TEST(test_large_rings_agree_with_the_full_matrix),
      TEST(test_the_margin_of_a_large_ring_agrees_with_that_of_its_matrix),
      TEST(test_the_slowest_mode_of_a_large_ring_is_where_gains_are_large),
      TEST(test_a_mode_names_the_loop_and_not_what_hangs_on_it),
      TEST(test_without_loops_one_pass_is_enough),
      TEST(test_singular_parts_and_singular_loops_are_told_apart),
      TEST(test_two_hundred_subsystems_are_quick),
      TEST(test_derivatives_that_are_not_finite_are_refused),
      TEST(test_memory_that_runs_out_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
