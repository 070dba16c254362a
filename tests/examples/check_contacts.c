/* What is known of the examples with contacts and impacts. */
#include "checks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double gravity = 9.81;

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
