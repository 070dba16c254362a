/* Arrays, and models of several systems. */
#include "checks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

/* ---- chains: the tip, and the energy ---- */

static double check_tip(const motion *m, test_chain_shape shape)
{
  int n = dae_model_count(m->model).coordinates / 2;
  char x[32], y[32];
  double worst = fabs(m->summary.energy_change) / (1 + fabs(m->summary.energy_start));
  test_problem p = test_chain(n, shape);
  assert_non_null(p.memory);
  snprintf(x, sizeof x, "x[%d]", n);
  snprintf(y, sizeof y, "y[%d]", n);
  if (p.reference) {
    worst = worse(worst, apart(motion_end(m, x), p.reference[2 * n - 2]));
    worst = worse(worst, apart(motion_end(m, y), p.reference[2 * n - 1]));
  }
  test_problem_free(&p);
  return worst;
}

double check_chain(const motion *m)
{
  return check_tip(m, TEST_CHAIN_HORIZONTAL);
}

double check_hanging_chain(const motion *m)
{
  return check_tip(m, TEST_CHAIN_MODE);
}

double check_angle_chain(const motion *m)
{
  int n = dae_model_count(m->model).coordinates;
  test_problem p = test_chain(n, TEST_CHAIN_HORIZONTAL);
  assert_non_null(p.reference);
  double x = apart(motion_end(m, "tip_x"), p.reference[2 * n - 2]);
  double y = apart(motion_end(m, "tip_y"), p.reference[2 * n - 1]);
  test_problem_free(&p);
  return worse(x, y);
}

/* ---- bar, net and ring: one mode ---- */

double check_heated_bar(const motion *m)
{
  const double s = sin(pi / 82), rate = 4 * 41 * 41 * s * s;
  double worst = 0;
  for (long row = 0; row < m->rows; row++)
    for (int i = 1; i <= 40; i++) {
      char name[32];
      double left = exp(-rate * motion_at(m, row, "t"));
      snprintf(name, sizeof name, "T[%d]", i);
      worst = worse(worst, apart(motion_at(m, row, name), sin(pi * i / 41) * left));
    }
  return worst;
}

double check_membrane(const motion *m)
{
  const double k = 2, a = sin(pi / 10), b = sin(pi / 5), w = 2 * sqrt(k * (a * a + b * b));
  double worst = 0;
  for (long row = 0; row < m->rows; row++)
    for (int i = 1; i <= 4; i++)
      for (int j = 1; j <= 4; j++) {
        char name[40], rate[48];
        double shape = sin(pi * i / 5) * sin(2 * pi * j / 5), t = motion_at(m, row, "t");
        snprintf(name, sizeof name, "z[%d,%d]", i, j);
        snprintf(rate, sizeof rate, "der(%s)", name);
        worst = worse(worst, apart(motion_at(m, row, name), shape * cos(w * t)));
        worst = worse(worst, apart(motion_at(m, row, rate), -w * shape * sin(w * t)));
      }
  return worst;
}

double check_ring(const motion *m)
{
  const double w = 2 * sqrt(3 / 0.5) * sin(2 * pi / 6);
  double worst = 0;
  for (long row = 0; row < m->rows; row++)
    for (int j = 1; j <= 6; j++) {
      char name[40], rate[48];
      double shape = cos(2 * pi * 2 * j / 6), t = motion_at(m, row, "t");
      snprintf(name, sizeof name, "mass[%d].x", j);
      snprintf(rate, sizeof rate, "der(%s)", name);
      worst = worse(worst, apart(motion_at(m, row, name), shape * cos(w * t)));
      worst = worse(worst, apart(motion_at(m, row, rate), -w * shape * sin(w * t)));
    }
  return worst;
}

/* ---- train: v' = pull/(N m) - c v/m; every wagon takes an equal part of the pull ---- */

double check_train(const motion *m)
{
  const double N = 5, mass = 20, gap = 12, c = 4, pull = 60, limit = pull / (N * c);
  double worst = 0;
  for (long row = 0; row < m->rows; row++) {
    double t = motion_at(m, row, "t"), left = exp(-c * t / mass);
    double v = limit * (1 - left), x = limit * (t - mass / c * (1 - left));
    for (int k = 1; k <= 5; k++) {
      char name[48];
      snprintf(name, sizeof name, "wagon[%d].x", k);
      worst = worse(worst, apart(motion_at(m, row, name), x - gap * (k - 1)));
      snprintf(name, sizeof name, "der(wagon[%d].x)", k);
      worst = worse(worst, apart(motion_at(m, row, name), v));
      snprintf(name, sizeof name, "lambda(coupling[%d])", k);
      if (k < 5)
        worst = worse(worst, apart(motion_at(m, row, name), pull * (1 - k / N)));
    }
  }
  return worst;
}

/* ---- two circuits ---- */

double check_two_circuits(const motion *m)
{
  const double a = 0.9, d = 1 - a * a;
  double worst = 0;
  for (long row = 0; row < m->rows; row++) {
    double t = motion_at(m, row, "t"), one = cos(t), two = sin(t);
    worst = worse(worst, apart(motion_at(m, row, "one.y"), one));
    worst = worse(worst, apart(motion_at(m, row, "two.y"), two));
    worst = worse(worst, apart(motion_at(m, row, "one.z"), (one + a * two) / d));
    worst = worse(worst, apart(motion_at(m, row, "two.z"), (two + a * one) / d));
  }
  return worst;
}

/* ---- two structures: y = (x1, x2, bolt, last, and their rates), the bolted masses as one ---- */

static const double stiffness = 40, left_mass = 1, right_mass = 2, damping = 0.1;

static void structure_rates(double t, const double *y, double *dy)
{
  double k = stiffness, *a = dy + 4;
  const double *v = y + 4;
  (void)t;
  for (int i = 0; i < 4; i++)
    dy[i] = v[i];
  a[0] = (-k * y[0] + k * (y[1] - y[0])) / left_mass;
  a[1] = (-k * (y[1] - y[0]) + k * (y[2] - y[1])) / left_mass;
  a[2] = (-k * (y[2] - y[1]) + k * (y[3] - y[2]) - damping * v[2]) / (left_mass + right_mass);
  a[3] = (-k * (y[3] - y[2]) - k * y[3] - damping * v[3]) / right_mass;
}

static double structure_compare(const motion *m, long row, const double *y)
{
  static const char *const columns[] = {"left.x[1]", "left.x[2]", "left.x[3]", "right.x[2]"};
  static const char *const rates[] = {"der(left.x[1])", "der(left.x[2])", "der(right.x[1])",
                                      "der(right.x[2])"};
  double dy[8], worst = 0;
  structure_rates(0, y, dy);
  for (int i = 0; i < 4; i++) {
    worst = worse(worst, apart(motion_at(m, row, columns[i]), y[i]));
    worst = worse(worst, apart(motion_at(m, row, rates[i]), y[4 + i]));
  }
  double force = -stiffness * (y[2] - y[1]) - left_mass * dy[6];
  worst = worse(worst, apart(motion_at(m, row, "bolt_force"), force));
  return worse(worst, apart(motion_at(m, row, "lambda(bolt)"), force));
}

double check_two_structures(const motion *m)
{
  /* the impact keeps the momentum of the bolted masses */
  static const double start[] = {0, 0, 0, 0, 0, 0, 2.0 / 3, 1};
  assert_int_equal(m->summary.moved, 2);
  return apart_from_reduced(m,
                            &(reduced){8, start, structure_rates, structure_compare, .step = 1e-3});
}

/* ---- drive train: y = (shaft, drum, shaft', drum', i), the motor's rotor as part of the shaft
 * ---- */

static const double ratio = 5, rotor = 0.002, torque_constant = 0.3;

static void drive_rates(double t, const double *y, double *dy)
{
  const double J1 = 0.02, J2 = 0.4, k = 60, d = 1.5, friction = 0.8, L = 0.01, R = 0.5;
  double twist = k * (y[0] - y[1]) + d * (y[2] - y[3]);
  (void)t;
  dy[0] = y[2];
  dy[1] = y[3];
  dy[2] = (ratio * torque_constant * y[4] - twist) / (J1 + ratio * ratio * rotor);
  dy[3] = (twist - friction * y[3]) / J2;
  dy[4] = (24 - R * y[4] - torque_constant * ratio * y[2]) / L;
}

static double drive_compare(const motion *m, long row, const double *y)
{
  double dy[5], worst = apart(motion_at(m, row, "motor.phi"), ratio * y[0]);
  drive_rates(0, y, dy);
  worst = worse(worst, apart(motion_at(m, row, "load.shaft"), y[0]));
  worst = worse(worst, apart(motion_at(m, row, "load.drum"), y[1]));
  worst = worse(worst, apart(motion_at(m, row, "der(motor.phi)"), ratio * y[2]));
  worst = worse(worst, apart(motion_at(m, row, "der(load.drum)"), y[3]));
  worst = worse(worst, apart(motion_at(m, row, "motor.i"), y[4]));
  worst = worse(worst, apart(motion_at(m, row, "twist"), y[0] - y[1]));
  return worse(worst, apart(motion_at(m, row, "lambda(gear)"),
                            torque_constant * y[4] - rotor * ratio * dy[2]));
}

double check_drive_train(const motion *m)
{
  static const double start[5] = {0};
  return apart_from_reduced(m, &(reduced){5, start, drive_rates, drive_compare, .step = 2e-4});
}
