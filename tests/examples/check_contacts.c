/* What is known of the examples with contacts and impacts. */
#include "checks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const double gravity = 9.81, pi = 3.14159265358979323846;

/* ---- ball_to_rest: bounces shorten by the restitution, and end at sqrt(2/g) (1 + e)/(1 - e) ----
 */

double check_ball_to_rest(const motion *m)
{
  const double e = 0.8, first = sqrt(2 / gravity), rest = first * (1 + e) / (1 - e);
  double worst = 0;
  for (long row = 0; row < m->rows; row++) {
    double t = motion_at(m, row, "t"), begin = -first, speed = gravity * first;
    while (t < rest && begin + 2 * speed / gravity < t) {
      begin += 2 * speed / gravity;
      speed *= e;
    }
    double s = t - begin, y = t < rest ? speed * s - gravity * s * s / 2 : 0;
    worst = worse(worst, apart(motion_at(m, row, "y"), y));
    assert_true(motion_at(m, row, "lambda(floor)") >= 0);
  }
  worst = worse(worst, apart(motion_end(m, "lambda(floor)"), gravity));
  assert_true(motion_end(m, "state(floor)") == 1);
  worst = worse(worst, apart(m->summary.energy_lost, gravity));
  return worst;
}

/* ---- ladder: it leaves the wall at 2/3 of its height, and keeps its speed along the floor ---- */

double check_ladder(const motion *m)
{
  const double L = 2, height = sin(1.2);
  const double speed = L / 3 * height * sqrt(gravity * height / L);
  double worst = 0;
  for (long row = 0; row < m->rows; row++) {
    double s = sin(motion_at(m, row, "th"));
    bool closed = motion_at(m, row, "state(wall)") == 1;
    assert_true(closed ? s >= height * 2 / 3 - 1e-6 : s <= height * 2 / 3 + 1e-6);
    if (!closed)
      worst = worse(worst, apart(motion_at(m, row, "der(x)"), speed));
  }
  assert_int_equal(m->status, DAE_STOPPED);
  assert_true(motion_end(m, "state(wall)") == 0 && motion_end(m, "state(floor)") == 1);
  return worse(worst, apart(m->summary.energy_lost, 0));
}

/* ---- rocking_block: the angular velocity falls by 1 - 2 b^2/(J/m + b^2) at each impact ---- */

double check_rocking_block(const motion *m)
{
  const double b = 0.2, h = 0.6, J = (b * b + h * h) / 3, factor = 1 - 2 * b * b / (J + b * b);
  double worst = 0;
  int impacts = 0;
  for (long row = 1; row < m->rows; row++) {
    double before = motion_at(m, row - 1, "der(th)"), after = motion_at(m, row, "der(th)");
    if (motion_at(m, row, "t") != motion_at(m, row - 1, "t") || fabs(after - before) < 1e-3)
      continue;
    worst = worse(worst, apart(after, factor * before));
    impacts++;
  }
  assert_true(impacts >= 2);
  return worst;
}

/* ---- cradle: energy and, with equal masses, the motion of a single pendulum are handed on ---- */

double check_cradle(const motion *m)
{
  double worst = 0, low = motion_at(m, 0, "energy");
  for (long row = 0; row < m->rows; row++) {
    worst = worse(worst, apart(motion_at(m, row, "energy"), low));
    double speed = fabs(motion_at(m, row, "der(x[1])")) + fabs(motion_at(m, row, "der(x[5])"));
    double height = 5 + motion_at(m, row, "y[1]") + motion_at(m, row, "y[5]") - 3;
    double limit = sqrt(2 * gravity * (1 - cos(0.5)));
    assert_true(speed <= limit * (1 + 1e-3) && height <= 1 + (1 - cos(0.5)) + 1e-3);
  }
  assert_int_equal(m->summary.events, 4);
  return worse(worst, apart(m->summary.energy_lost, 0));
}

/* ---- dry_slider: half swings about +d and -d, each shorter by 2 d; rest within d ---- */

double check_dry_slider(const motion *m)
{
  const double k = 20, x0 = 1, w = sqrt(k), d = 0.2 * gravity / k;
  const int swings = (int)ceil((x0 - d) / (2 * d));
  double worst = 0, last = (swings % 2 ? -1 : 1) * (x0 - 2 * swings * d);
  for (long row = 0; row < m->rows; row++) {
    double t = motion_at(m, row, "t");
    int n = (int)fmin(swings, floor(w * t / pi));
    double side = n % 2 ? -1 : 1, middle = side * d, from = side * (x0 - 2 * n * d);
    double x = n < swings ? middle + (from - middle) * cos(w * t - n * pi) : last;
    worst = worse(worst, apart(motion_at(m, row, "x"), x));
  }
  assert_int_equal(swings, 5);
  assert_int_equal(m->summary.events, swings);
  assert_true(motion_end(m, "state(floor)") == 2);
  return worse(worst, apart(motion_end(m, "psi(floor)"), -k * last));
}

/* ---- belt: rides for 2 d/v, slides back for 2 (pi - atan(w d/v))/w ---- */

double check_belt(const motion *m)
{
  const double k = 4, w = 2, v = 0.5, c = 0.2 * gravity / k, d = 0.2 * gravity / k;
  const double slip = 2 * (pi - atan(w * d / v)) / w, period = 2 * d / v + slip;
  const double first = (c + d) / v; /* rides from the start on */
  double worst = 0, since = NAN;
  for (long row = 0; row < m->rows; row++) {
    double t = motion_at(m, row, "t"), s = fmod(t - first + period, period);
    double x = s < slip ? c + d * cos(w * s) + v / w * sin(w * s) : c - d + v * (s - slip);
    x = t < first ? v * t : x;
    worst = worse(worst, apart(motion_at(m, row, "x"), x));
    bool breaks = row > 0 && motion_at(m, row - 1, "state(belt)") == 2 &&
                  motion_at(m, row, "state(belt)") == 1;
    if (breaks && !isnan(since))
      worst = worse(worst, fabs(t - since - period) / period);
    since = breaks ? t : since;
  }
  assert_int_equal(m->summary.events, 9);
  return worst;
}

/* ---- rimless_wheel: the energy gives the speed, its inverse the time; impacts by the law of the
 * angular momentum about the new foot ---- */

typedef struct wheel {
  double J, L, pitch, slope, speed; /* J about the foot; speed where the foot has just landed */
} wheel;

static double wheel_speed(const wheel *w, double angle)
{
  double fall = cos(w->slope - w->pitch / 2) - cos(w->slope + angle);
  return sqrt(w->speed * w->speed + 2 * gravity * w->L / w->J * fall);
}

/* Time from landing to an angle, by Simpson's rule. */
static double wheel_time(const wheel *w, double angle)
{
  enum { PARTS = 200 };
  double from = -w->pitch / 2, h = (angle - from) / PARTS, sum = 0;
  for (int i = 0; i <= PARTS; i++)
    sum += (i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2) / wheel_speed(w, from + i * h);
  return sum * h / 3;
}

double check_rimless_wheel(const motion *m)
{
  wheel w = {.J = 1.2, .L = 1, .pitch = pi / 4, .slope = 0.12, .speed = 1.2};
  double worst = 0, landed = 0, factor = (0.2 + cos(w.pitch)) / w.J;
  int foot = 0;
  for (long row = 0; row < m->rows; row++) {
    char state[32];
    double t = motion_at(m, row, "t"), angle = motion_at(m, row, "th") - foot * w.pitch;
    snprintf(state, sizeof state, "state(foot[%d])", foot + 1);
    if (motion_at(m, row, state) == 0) { /* the next one has landed */
      landed += wheel_time(&w, w.pitch / 2);
      w.speed = factor * wheel_speed(&w, w.pitch / 2);
      angle -= w.pitch;
      foot++;
    }
    worst = worse(worst, apart(motion_at(m, row, "der(th)"), wheel_speed(&w, angle)));
    worst = worse(worst, apart(landed + wheel_time(&w, angle), t));
    worst = worse(worst, apart(motion_at(m, row, "y"), cos(angle)));
    double x = 2 * foot * w.L * sin(w.pitch / 2) + w.L * sin(angle);
    worst = worse(worst, apart(motion_at(m, row, "x"), x));
  }
  assert_int_equal(foot, 6);
  assert_int_equal(m->summary.events, foot);
  return worst;
}

/* ---- geneva: the pin gives the angle of the wheel, the energy the speed of the driver ---- */

static double geneva_ratio(double th) /* rate of the pin's direction, seen from the wheel */
{
  double d = sqrt(2);
  return cos(th) < sqrt(0.5) ? 0 : (d * cos(th) - 1) / (d * d + 1 - 2 * d * cos(th));
}

static void geneva_rates(double t, const double *y, double *dy)
{
  double ratio = geneva_ratio(y[0]);
  (void)t;
  dy[0] = 5 * sqrt(0.5 / (0.5 + 0.3 * ratio * ratio));
}

static double geneva_compare(const motion *m, long row, const double *y)
{
  double passed = floor((y[0] + pi) / (2 * pi)), th = y[0] - 2 * pi * passed, speed;
  double pin =
      cos(th) < sqrt(0.5) ? (th < 0 ? -pi / 4 : pi / 4) : atan2(sin(th), sqrt(2) - cos(th));
  double worst = apart(motion_at(m, row, "th"), y[0]);
  geneva_rates(0, y, &speed);
  worst = worse(worst, apart(motion_at(m, row, "der(th)"), speed));
  worst = worse(worst, apart(motion_at(m, row, "phi"), -pin - passed * pi / 2));
  return worse(worst, apart(motion_at(m, row, "der(phi)"), -geneva_ratio(th) * speed));
}

double check_geneva(const motion *m)
{
  static const double start[] = {-1.5707963267948966};
  assert_true(motion_end(m, "n") == 3);
  return apart_from_reduced(m, &(reduced){1, start, geneva_rates, geneva_compare, .step = 2e-4});
}
