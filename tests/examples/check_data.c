/* Models that follow data. The references read the file by themselves, and form the natural spline
 * by relaxation of its equations. */
#include "checks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { MOST = 200 };
static struct {
  int count;
  double x[MOST], y[MOST], M[MOST];
} profile;

static void read_profile(void)
{
  char line[100];
  FILE *file = fopen(MODELS "/road.csv", "r");
  assert_non_null(file);
  assert_non_null(fgets(line, sizeof line, file));
  profile.count = 0;
  while (fscanf(file, "%lf,%lf", &profile.x[profile.count], &profile.y[profile.count]) == 2)
    assert_true(++profile.count < MOST);
  fclose(file);
  /* contracts by a half in each sweep, since the matrix is diagonally dominant */
  for (int i = 0; i < profile.count; i++)
    profile.M[i] = 0;
  for (int sweep = 0; sweep < 100; sweep++)
    for (int i = 1; i < profile.count - 1; i++) {
      double h = profile.x[i] - profile.x[i - 1], k = profile.x[i + 1] - profile.x[i];
      double bend = (profile.y[i + 1] - profile.y[i]) / k - (profile.y[i] - profile.y[i - 1]) / h;
      profile.M[i] = (6 * bend - h * profile.M[i - 1] - k * profile.M[i + 1]) / (2 * (h + k));
    }
}

static double profile_at(double x)
{
  int i = 0;
  if (x >= profile.x[profile.count - 1])
    return profile.y[profile.count - 1];
  while (x >= profile.x[i + 1])
    i++;
  double h = profile.x[i + 1] - profile.x[i], b = (x - profile.x[i]) / h, a = 1 - b;
  return a * profile.y[i] + b * profile.y[i + 1] +
         h * h / 6 * ((a * a * a - a) * profile.M[i] + (b * b * b - b) * profile.M[i + 1]);
}

/* y = z, w, z', w' */
static void car_rates(double t, const double *y, double *dy)
{
  double spring = 2e4 * (y[0] - y[1]) + 1500 * (y[2] - y[3]);
  dy[0] = y[2];
  dy[1] = y[3];
  dy[2] = -spring / 300;
  dy[3] = (spring - 1.8e5 * (y[1] - profile_at(10 * t))) / 40;
}

static double car_apart(const motion *m, long row, const double *y)
{
  static const char *const names[] = {"z", "w", "der(z)", "der(w)"};
  double most = 0;
  for (int i = 0; i < 4; i++)
    most = worse(most, apart(motion_at(m, row, names[i]), y[i]));
  return most;
}

double check_quarter_car(const motion *m)
{
  read_profile();
  const double start[] = {0, 0, 0, 0};
  const reduced ode = {4, start, car_rates, car_apart, 2e-4};
  int knots = 0;
  for (long row = 0; row < m->rows; row++) /* steps end at the knots */
    for (int i = 0; i < profile.count; i++)
      knots += fabs(10 * motion_at(m, row, "t") - profile.x[i]) < 1e-14 * 40;
  assert_true(knots >= profile.count);
  return apart_from_reduced(m, &ode);
}

static void motor_rates(double t, const double *y, double *dy)
{
  dy[0] = (12 * (1 - exp(-t / 0.05)) - 1.2 * y[0] - 0.08 * y[1]) / 0.02;
  dy[1] = (0.08 * y[0] - 1e-4 * y[1]) / 4e-4;
}

static double motor_apart(const motion *m, long row, const double *y)
{
  return worse(apart(motion_at(m, row, "i"), y[0]), apart(motion_at(m, row, "w"), y[1]));
}

double check_measured_motor(const motion *m)
{
  const double start[] = {0, 0};
  const reduced ode = {2, start, motor_rates, motor_apart, 1e-4};
  return apart_from_reduced(m, &ode);
}
