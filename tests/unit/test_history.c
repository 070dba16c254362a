#include "arena_fixture.h"
#include "step/history.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define N 3

static double uniform(void)
{
  static uint64_t seed = 88172645463325252u;
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (double)(seed >> 11) / 9007199254740992.0;
}

/* three polynomials of the given degree, and their derivatives */
static void polynomial(int degree, double t, double y[N], double dy[N])
{
  for (int i = 0; i < N; i++) {
    y[i] = dy[i] = 0;
    for (int j = degree; j >= 0; j--) {
      dy[i] = dy[i] * t + y[i];
      y[i] = y[i] * t + cos(1 + i + 3 * j);
    }
  }
}

static double distance(const double a[N], const double b[N])
{
  double max = 0;
  for (int i = 0; i < N; i++)
    max = fmax(max, fabs(a[i] - b[i]));
  return max;
}

/* takes over the polynomial's value at t + h by a step of the given order; what the predictor of
 * value and derivative missed it by */
static double advance(dae__history *s, int degree, double h, int order, double *missed_rate)
{
  double y[N], dy[N], exact[N], rate[N], e[N], t = s->memory->t + h;
  dae__history_prepare(s, h, order);
  dae__history_predict(s, y, dy);
  polynomial(degree, t, exact, rate);
  for (int i = 0; i < N; i++)
    e[i] = exact[i] - y[i];
  dae__history_accept(s, t, e);
  *missed_rate = distance(dy, rate);
  return distance(y, exact);
}

/* a history of order k with steps of changing size, every value on the polynomial */
static dae__history history_on(int degree, int order)
{
  dae__history s = dae__history_create(arena, N);
  double y[N], dy[N], ignored;
  polynomial(degree, -1, y, dy);
  dae__history_start(&s, -1, 0.05, y, dy);
  for (int step = 0; step < 2 * order + 2; step++) {
    int k = step / 2 + 1 < order ? step / 2 + 1 : order;
    advance(&s, degree, 0.03 + 0.05 * uniform(), k, &ignored);
  }
  return s;
}

static void test_predictor_of_order_k_is_exact_for_degree_k_with_any_steps(void **state)
{
  (void)state;
  for (int k = 1; k <= DAE__MAX_ORDER; k++)
    for (int trial = 0; trial < 20; trial++) {
      dae__history s = history_on(k, k);
      double rate, value = advance(&s, k, 0.02 + 0.08 * uniform(), k, &rate);
      assert_true(value < 1e-13);
      assert_true(rate < 1e-11);
      dae__history above = history_on(k + 1, k); /* and for no higher one */
      value = advance(&above, k + 1, 0.05, k, &rate);
      assert_true(value > 1e-10);
    }
}

static void test_predictor_of_a_lower_order_forgets_the_oldest_value(void **state)
{
  (void)state;
  for (int k = 2; k <= DAE__MAX_ORDER; k++) {
    dae__history s = history_on(k - 1, k);
    double rate, value = advance(&s, k - 1, 0.07, k - 1, &rate);
    assert_true(value < 1e-13);
    assert_true(rate < 1e-11);
  }
}

static void test_an_order_can_be_raised_after_a_step(void **state)
{
  (void)state;
  for (int k = 1; k < DAE__MAX_ORDER; k++) {
    dae__history s = history_on(k + 1, k);
    double rate;
    advance(&s, k + 1, 0.06, k, &rate); /* its correction is the difference of order k + 1 */
    double value = advance(&s, k + 1, 0.05, k + 1, &rate);
    assert_true(value < 1e-13);
    assert_true(rate < 1e-11);
  }
}

static void test_interpolant_of_order_k_is_exact_for_degree_k(void **state)
{
  (void)state;
  for (int k = 1; k <= DAE__MAX_ORDER; k++) {
    dae__history s = history_on(k, k);
    double t = s.memory->t, h = s.memory->h_old;
    for (int i = 0; i <= 8; i++) {
      double at = t - h * i / 4, y[N], dy[N], again[N], exact[N], rate[N];
      dae__history_interpolate(&s, s.n, at, y, dy);
      dae__history_interpolate(&s, s.n, at, again, NULL);
      polynomial(k, at, exact, rate);
      assert_true(distance(y, exact) < 1e-13);
      assert_true(distance(dy, rate) < 1e-11);
      assert_memory_equal(y, again, sizeof y);
    }
    double newest[N];
    dae__history_interpolate(&s, s.n, t, newest, NULL);
    assert_memory_equal(newest, dae__history_phi(&s, 0), sizeof newest);
  }
}

static void test_interpolant_meets_the_values_it_was_made_of(void **state)
{
  (void)state;
  for (int k = 1; k <= DAE__MAX_ORDER; k++) {
    dae__history s = history_on(6, k); /* no polynomial that it could represent */
    double t[2] = {s.memory->t - s.memory->h_old, s.memory->t};
    for (int i = 0; i < 2; i++) {
      double y[N], exact[N], rate[N];
      dae__history_interpolate(&s, s.n, t[i], y, NULL);
      polynomial(6, t[i], exact, rate);
      assert_true(distance(y, exact) < 1e-14);
    }
  }
}

/* largest change of the interpolant in the last step by an attempt that was undone */
static double trace_of_an_attempt(int k, int order, double h)
{
  dae__history s = history_on(6, k);
  double phi[N * DAE__HISTORY], y[N], before[N], dy[N], dy_before[N];
  double t = s.memory->t - s.memory->h_old / 3;
  dae__history_memory was = *s.memory;
  memcpy(phi, s.phi, sizeof phi);
  dae__history_interpolate(&s, s.n, t, before, dy_before);
  dae__history_prepare(&s, h, order);
  dae__history_undo(&s);
  assert_true(s.memory->t == was.t);
  for (int i = 0; i < N * (order + 1); i++)
    assert_true(fabs(s.phi[i] - phi[i]) <= 1e-15 * fabs(phi[i]));
  for (int j = 0; j < order; j++)
    assert_true(fabs(s.memory->psi[j] - was.psi[j]) <= 1e-14 * (was.psi[j] + h));
  dae__history_interpolate(&s, s.n, t, y, dy);
  return fmax(distance(y, before), 0.01 * distance(dy, dy_before));
}

static void test_undo_restores_what_an_attempt_has_changed(void **state)
{
  (void)state;
  for (int k = 1; k <= DAE__MAX_ORDER; k++)
    for (int trial = 0; trial < 20; trial++)
      assert_true(trace_of_an_attempt(k, k, (1 + trial) * (0.01 + 0.1 * uniform())) < 1e-13);
}

static void test_undo_restores_what_an_attempt_of_lower_order_has_changed(void **state)
{
  (void)state;
  for (int k = 2; k <= DAE__MAX_ORDER; k++)
    for (int trial = 0; trial < 20; trial++)
      assert_true(trace_of_an_attempt(k, k - 1, (1 + trial) * (0.01 + 0.1 * uniform())) < 1e-13);
}

static void test_attempts_that_were_undone_leave_no_trace_in_the_next_step(void **state)
{
  (void)state;
  for (int k = 1; k <= DAE__MAX_ORDER; k++) {
    dae__history s = history_on(k, k);
    double rate;
    for (double h = 0.2; h > 1e-3; h /= 4) {
      dae__history_prepare(&s, h, k);
      dae__history_undo(&s);
    }
    double value = advance(&s, k, 0.04, k, &rate);
    assert_true(value < 1e-13);
    assert_true(rate < 1e-10);
  }
}

static void test_a_start_from_equidistant_values_is_of_their_order(void **state)
{
  (void)state;
  const double h = 0.0625;
  for (int k = 1; k <= DAE__MAX_ORDER; k++) {
    double values[(DAE__MAX_ORDER + 1) * N], y[N], dy[N];
    for (int j = 0; j <= k; j++)
      polynomial(k, j * h, values + j * N, dy);
    dae__history s = dae__history_create(arena, N);
    dae__history_start_from(&s, k * h, h, k, values);
    assert_true(s.memory->t == k * h);
    for (int j = 0; j <= k; j++) {
      dae__history_interpolate(&s, s.n, j * h, y, NULL);
      assert_true(distance(y, values + j * N) < 1e-14);
    }
    double rate, value = advance(&s, k, h, k, &rate);
    assert_true(value < 1e-13);
    assert_true(rate < 1e-11);
    value = advance(&s, k, 0.4 * h, k, &rate); /* and goes on with other steps */
    assert_true(value < 1e-13);
  }
}

static void test_with_equal_steps_the_formula_is_that_of_the_textbook(void **state)
{
  (void)state;
  /* y' = 1/h sum_j 1/j D^j y, D the backward difference, for any values */
  const double h = 0.125;
  for (int k = 1; k <= DAE__MAX_ORDER; k++) {
    double values[(DAE__MAX_ORDER + 1) * N], next[N], y[N], dy[N];
    for (int i = 0; i < (k + 1) * N; i++)
      values[i] = uniform();
    dae__history s = dae__history_create(arena, N);
    dae__history_start_from(&s, 0, h, k, values);
    dae__formula formula = dae__history_prepare(&s, h, k);
    dae__history_predict(&s, y, dy);
    assert_true(fabs(formula.error - 1.0 / (k + 1)) < 1e-15);
    for (int i = 0; i < N; i++) {
      double difference[DAE__MAX_ORDER + 1], expected = 0;
      next[i] = uniform();
      for (int j = 0; j <= k; j++) /* of the k newest values and the next one */
        difference[j] = j < k ? values[(j + 1) * N + i] : next[i];
      for (int j = 1; j <= k; j++) {
        for (int l = k; l >= j; l--)
          difference[l] -= difference[l - 1];
        expected += difference[k] / j;
      }
      double rate = dy[i] + formula.cj * (next[i] - y[i]);
      assert_true(fabs(rate - expected / h) < 1e-11);
    }
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_predictor_of_order_k_is_exact_for_degree_k_with_any_steps),
      TEST(test_predictor_of_a_lower_order_forgets_the_oldest_value),
      TEST(test_an_order_can_be_raised_after_a_step),
      TEST(test_interpolant_of_order_k_is_exact_for_degree_k),
      TEST(test_interpolant_meets_the_values_it_was_made_of),
      TEST(test_undo_restores_what_an_attempt_has_changed),
      TEST(test_undo_restores_what_an_attempt_of_lower_order_has_changed),
      TEST(test_attempts_that_were_undone_leave_no_trace_in_the_next_step),
      TEST(test_a_start_from_equidistant_values_is_of_their_order),
      TEST(test_with_equal_steps_the_formula_is_that_of_the_textbook),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
