/* BDF k at fixed step is of order k, k = 1 ... 5, in every class of variables: the slope of log
 * error over log h, fitted over three step sizes, where the error is the largest one at forty times
 * of the run, so that a zero of the error at one of them does not matter. The exact motions are
 * closed forms, or the same motion in its one angle by small Runge-Kutta steps. */
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BAND 0.25
#define SAMPLES 40 /* times at which errors are measured */
#define SIZES 3    /* step sizes: n, 2 n, 4 n steps */
#define MOST 16    /* entries of a state vector */
#define KINDS (DAE_VARIABLE_MULTIPLIER + 1)
#define ROUND_OFF 1e-11 /* smaller errors say nothing */

typedef void exact_fn(double t, double *y);

typedef struct order_case {
  test_problem (*make)(void);
  exact_fn *exact;
  int n[6]; /* steps of the coarsest run, for each order */
} order_case;

/* A method and the option that makes a difference to it. */
typedef struct variant {
  const char *method;
  int multipliers;
  bool no_reset;
} variant;

static const variant plain = {"bdf", 0, false};
static const variant constrained[] = {{"bdf-ggl", 0, false},
                                      {"bdf-ggl-star", DAE_BDF_MULTIPLIERS_SPLIT, false},
                                      {"bdf-ggl-star", 0, true},
                                      {"bdf-cs", DAE_BDF_MULTIPLIERS_LEAST_SQUARES, false},
                                      {"bdf-cs", DAE_BDF_MULTIPLIERS_SPLIT, false},
                                      {"bdf-cm", DAE_BDF_MULTIPLIERS_LEAST_SQUARES, false},
                                      {"bdf-cm", DAE_BDF_MULTIPLIERS_SPLIT, false}};

/* ---- exact motions ---- */

/* phi'' = acceleration(phi, phi') from phi(0) at rest, by RK4; eight digits would do for the band,
 * this gives twelve */
typedef double acceleration_fn(double phi, double omega);

static void swing(acceleration_fn *a, double phi, double t, double *at, double *rate)
{
  int n = 1 + (int)(t / 1e-4);
  double h = t / n, omega = 0;
  for (int i = 0; i < n; i++) {
    double k1 = omega, l1 = a(phi, omega);
    double k2 = omega + h / 2 * l1, l2 = a(phi + h / 2 * k1, k2);
    double k3 = omega + h / 2 * l2, l3 = a(phi + h / 2 * k2, k3);
    double k4 = omega + h * l3, l4 = a(phi + h * k3, k4);
    phi += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    omega += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  *at = phi;
  *rate = omega;
}

static double pendulum_acceleration(double phi, double omega)
{
  (void)omega;
  return -9.81 * cos(phi);
}

static void pendulum_exact(double t, double *y)
{
  double phi, omega;
  swing(pendulum_acceleration, 0, t, &phi, &omega);
  y[0] = cos(phi);
  y[1] = sin(phi);
  y[2] = -sin(phi) * omega;
  y[3] = cos(phi) * omega;
  y[4] = omega * omega - 9.81 * sin(phi);
}

/* (A omega^2)/2 + V, A = r^2 + r_phi^2, r = 1 + 0.3 cos phi, V = 9.81 r sin phi */
static double bead_acceleration(double phi, double omega)
{
  double r = 1 + 0.3 * cos(phi), r1 = -0.3 * sin(phi), r2 = -0.3 * cos(phi);
  double A = r * r + r1 * r1, half_A1 = r * r1 + r1 * r2;
  return -(half_A1 * omega * omega + 9.81 * (r1 * sin(phi) + r * cos(phi))) / A;
}

static void bead_exact(double t, double *y)
{
  double phi, omega;
  swing(bead_acceleration, 0, t, &phi, &omega);
  double r = 1 + 0.3 * cos(phi), r1 = -0.3 * sin(phi), r2 = -0.3 * cos(phi);
  y[0] = r;
  y[1] = phi;
  y[2] = r1 * omega;
  y[3] = omega;
  y[4] = r * omega * omega - 9.81 * sin(phi) -
         (r1 * bead_acceleration(phi, omega) + r2 * omega * omega);
}

static void knife_exact(double t, double *y)
{
  double w = 1.3, s = sin(w * t), c = cos(w * t);
  y[0] = s * s / (2 * w * w);
  y[1] = (w * t - s * c) / (2 * w * w);
  y[2] = w * t;
  y[3] = s * c / w;
  y[4] = s * s / w;
  y[5] = w;
  y[6] = 2 * s;
}

static void length_exact(double t, double *y)
{
  double r = sqrt(1 + t * t);
  y[0] = (1 - t * t) / r;
  y[1] = 2 * t / r;
  y[2] = -t * (3 + t * t) / (r * r * r);
  y[3] = 2 / (r * r * r);
  y[4] = 3 / (r * r * r * r);
}

static void circuits_exact(double t, double *y)
{
  double a = 0.9, c = cos(t), s = sin(t);
  y[0] = c;
  y[1] = (c + a * s) / (1 - a * a);
  y[2] = s;
  y[3] = (s + a * c) / (1 - a * a);
}

static void hessenberg_exact(double t, double *y)
{
  y[0] = exp(t);
  y[1] = exp(-2 * t);
  y[2] = exp(2 * t);
}

/* ---- measuring ---- */

/* the exact motion at the sample times */
typedef struct samples {
  double y[SAMPLES][MOST];
} samples;

/* largest error of each kind of variable at the sample times, n steps of order k */
static void errors_of(const variant *with, const test_problem *p, const samples *exact, int k,
                      int n, double error[KINDS])
{
  dae_bdf_options opts = support_options(1e-13);
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  opts.order = k;
  opts.step = p->to / n;
  opts.multipliers = with->multipliers;
  opts.reset = !with->no_reset;
  dae_status status =
      dae_method_find(with->method, NULL)->create(&p->problem, &p->start, &opts, NULL, &it, &err);
  for (int i = 0; i < KINDS; i++)
    error[i] = 0;
  for (int step = 1; step <= n && status == DAE_OK; step++) {
    double y[MOST];
    char name[64];
    status = dae_integrator_step(it, p->to, &err);
    if (status < 0 || step % (n / SAMPLES) != 0)
      continue;
    support_state(it, y, NULL);
    for (int i = 0; i < p->size; i++) {
      double *worst = &error[dae_problem_variable(&p->problem, i, name, sizeof name)];
      *worst = fmax(*worst, fabs(y[i] - exact->y[step / (n / SAMPLES) - 1][i]));
    }
  }
  if (status != DAE_END)
    fail_msg("%s, %s, order %d, %d steps: %s", with->method, p->name, k, n, err.text);
  dae_integrator_free(it);
}

/* slope of log error over log h by least squares */
static double slope(const double error[SIZES])
{
  double sum_xy = 0, sum_xx = 0;
  for (int i = 0; i < SIZES; i++) {
    double x = (SIZES - 1) / 2.0 - i; /* log2 h, centred */
    sum_xy += x * log2(error[i]);
    sum_xx += x * x;
  }
  return sum_xy / sum_xx;
}

static const char *const kind_names[KINDS] = {"coordinates", "rates", "states", "algebraic",
                                              "multipliers"};

static void check_order(const variant *with, const order_case *c, const test_problem *p,
                        const samples *exact, int k)
{
  double error[SIZES][KINDS];
  for (int i = 0; i < SIZES; i++)
    errors_of(with, p, exact, k, c->n[k] << i, error[i]);
  for (int kind = 0; kind < KINDS; kind++) {
    const double of_kind[SIZES] = {error[0][kind], error[1][kind], error[2][kind]};
    if (of_kind[0] == 0) /* no such variables */
      continue;
    double found = slope(of_kind);
    if (getenv("DAEDAL_VERBOSE"))
      print_message("%-12s %-18s order %d, %-11s %.2f  (n = %d: %.1e %.1e %.1e)\n", with->method,
                    p->name, k, kind_names[kind], found, c->n[k], of_kind[0], of_kind[1],
                    of_kind[2]);
    if (!(fabs(found - k) <= BAND) || of_kind[SIZES - 1] < ROUND_OFF)
      fail_msg("%s %d, %s, order %d: slope %.2f of %s, errors %.2e %.2e %.2e", with->method,
               with->multipliers, p->name, k, found, kind_names[kind], of_kind[0], of_kind[1],
               of_kind[2]);
  }
}

static void check_orders(const order_case *c, const variant *variants, int count)
{
  test_problem p = c->make();
  samples exact;
  assert_true(p.size <= MOST);
  for (int i = 0; i < SAMPLES; i++)
    c->exact(p.to * (i + 1) / SAMPLES, exact.y[i]);
  assert_true(support_error(&p, exact.y[SAMPLES - 1]) < 1e-11); /* what is called exact is */
  for (int i = 0; i < count; i++)
    for (int k = 1; k <= 5; k++)
      check_order(&variants[i], c, &p, &exact, k);
}

static void check_constrained(const order_case *c)
{
  check_orders(c, constrained, (int)(sizeof constrained / sizeof *constrained));
}

/* ---- constrained mechanics: bdf-ggl, bdf-ggl-star, bdf-cs, bdf-cm ---- */

static void test_order_is_k_on_a_circle(void **state)
{
  (void)state;
  check_constrained(&(order_case){test_pendulum2, pendulum_exact, {0, 2560, 640, 320, 320, 160}});
}

static void test_order_is_k_with_a_mass_matrix_that_moves(void **state)
{
  (void)state;
  check_constrained(&(order_case){test_bead, bead_exact, {0, 1280, 640, 320, 160, 160}});
}

static void test_order_is_k_on_a_nonholonomic_constraint(void **state)
{
  (void)state;
  check_constrained(&(order_case){test_knife_edge, knife_exact, {0, 160, 160, 160, 80, 80}});
}

static void test_order_is_k_on_a_rheonomic_constraint(void **state)
{
  (void)state;
  check_constrained(&(order_case){test_rheonomic_length, length_exact, {0, 320, 160, 160, 80, 80}});
}

/* ---- bdf ---- */

static void test_order_is_k_for_index_1(void **state)
{
  (void)state;
  check_orders(&(order_case){test_two_circuits, circuits_exact, {0, 160, 160, 160, 80, 80}}, &plain,
               1);
}

/* the hidden constraint has a second root: the small steps of the start values must not leave for
 * it */
static void test_order_is_k_for_index_2(void **state)
{
  (void)state;
  check_orders(&(order_case){test_hessenberg2, hessenberg_exact, {0, 160, 80, 80, 40, 40}}, &plain,
               1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_is_k_on_a_circle),
      cmocka_unit_test(test_order_is_k_with_a_mass_matrix_that_moves),
      cmocka_unit_test(test_order_is_k_on_a_nonholonomic_constraint),
      cmocka_unit_test(test_order_is_k_on_a_rheonomic_constraint),
      cmocka_unit_test(test_order_is_k_for_index_1),
      cmocka_unit_test(test_order_is_k_for_index_2),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
