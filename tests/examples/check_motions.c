/* Nonholonomic constraints, motions without constraints, equations of first order, and events. */
#include "checks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double gravity = 9.81;

/* ---- skate: the speed along the blade is a sin(t), a the pull of the slope ---- */

double check_skate(const motion *m)
{
  double a = gravity * sin(0.3), worst = 0;
  for (long row = 0; row < m->rows; row++) {
    double t = motion_at(m, row, "t"), s = sin(t), c = cos(t);
    worst = worse(worst, apart(motion_at(m, row, "x"), a * s * s / 2));
    worst = worse(worst, apart(motion_at(m, row, "y"), a * (t - s * c) / 2));
    worst = worse(worst, apart(motion_at(m, row, "phi"), t));
    worst = worse(worst, apart(motion_at(m, row, "der(x)"), a * s * c));
    worst = worse(worst, apart(motion_at(m, row, "der(y)"), a * s * s));
    worst = worse(worst, apart(motion_at(m, row, "der(phi)"), 1));
    worst = worse(worst, apart(motion_at(m, row, "psi[1]"), 2 * a * s));
  }
  return worst;
}

/* ---- rolling disk: Newton's and Euler's equations in the frame of the heading h, the axis a and
 * the direction r from the contact to the centre, with the contact force eliminated. The angular
 * velocity is (-lean', n, w) there, the frame's (-lean', -w tan(lean), w).
 *
 * y = (x, y, yaw, lean, spin, lean', n, w) ---- */

static void disk_rates(double t, const double *y, double *dy)
{
  const double m = 1, R = 0.5, A = m * R * R / 4, C = m * R * R / 2, I = m * R * R;
  double lean = y[3], rate = y[5], n = y[6], w = y[7], yaw_rate = w / cos(lean);
  double spin_rate = n + yaw_rate * sin(lean);
  (void)t;
  dy[0] = R * spin_rate * cos(y[2]);
  dy[1] = R * spin_rate * sin(y[2]);
  dy[2] = yaw_rate;
  dy[3] = rate;
  dy[4] = spin_rate;
  dy[5] = (m * gravity * R * sin(lean) - A * w * w * tan(lean) - (C + I) * w * n) / (A + I);
  dy[6] = I * w * rate / (C + I);
  dy[7] = rate * (C / A * n + w * tan(lean));
}

static double disk_compare(const motion *m, long row, const double *y)
{
  static const char *const columns[] = {"x", "y", "yaw", "lean", "spin", "der(lean)"};
  double worst = 0, yaw_rate = y[7] / cos(y[3]);
  for (int i = 0; i < 6; i++)
    worst = worse(worst, apart(motion_at(m, row, columns[i]), y[i]));
  worst = worse(worst, apart(motion_at(m, row, "der(yaw)"), yaw_rate));
  return worse(worst, apart(motion_at(m, row, "der(spin)"), y[6] + yaw_rate * sin(y[3])));
}

double check_rolling_disk(const motion *m)
{
  const double start[] = {0, 0, 0, 0.2, 0, 0, 6 - 0.3 * sin(0.2), 0.3 * cos(0.2)};
  assert_int_equal(m->summary.moved, 1); /* the rate of x */
  return apart_from_reduced(m, &(reduced){8, start, disk_rates, disk_compare, .step = 5e-4});
}

/* ---- pursuit: the dog's path y(x), and the master where its tangent meets the axis ---- */

double check_pursuit(const motion *m)
{
  const double a = 10, k = 0.5, run = 2;
  double worst = 0;
  for (long row = 0; row < m->rows; row++) {
    double x = motion_at(m, row, "x"), z = x / a;
    double y = a / 2 * (pow(z, 1 + k) / (1 + k) - pow(z, 1 - k) / (1 - k)) + a * k / (1 - k * k);
    double slope = (pow(z, k) - pow(z, -k)) / 2, speed = run / sqrt(1 + slope * slope);
    worst = worse(worst, apart(motion_at(m, row, "y"), y));
    worst = worse(worst, apart(motion_at(m, row, "t"), y - x * slope));
    worst = worse(worst, apart(motion_at(m, row, "der(x)"), -speed));
    worst = worse(worst, apart(motion_at(m, row, "der(y)"), -speed * slope));
    worst = worse(worst, apart(motion_at(m, row, "distance"), x * sqrt(1 + slope * slope)));
  }
  assert_true(motion_end(m, "x") < a / 4);
  return worst;
}

/* ---- relativistic particle: momenta are (F t, p), the energy E = sqrt(1 + F^2 t^2 + p^2) ---- */

double check_fast_particle(const motion *m)
{
  const double F = 1.5, p = 0.5 / sqrt(1 - 0.25), E0 = sqrt(1 + p * p);
  double worst = 0;
  for (long row = 0; row < m->rows; row++) {
    double t = motion_at(m, row, "t"), E = hypot(E0, F * t);
    worst = worse(worst, apart(motion_at(m, row, "x"), (E - E0) / F));
    worst = worse(worst, apart(motion_at(m, row, "y"), p / F * asinh(F * t / E0)));
    worst = worse(worst, apart(motion_at(m, row, "der(x)"), F * t / E));
    worst = worse(worst, apart(motion_at(m, row, "der(y)"), p / E));
    worst = worse(worst, apart(motion_at(m, row, "energy"), E0));
  }
  return worst;
}

/* ---- three bodies: after a third of the period 1 is where 3 was, 2 where 1 was, 3 where 2 was;
 * the published start values have eight digits ---- */

double check_three_bodies(const motion *m)
{
  static const char *const columns[][3] = {{"x[1]", "x[2]", "x[3]"},
                                           {"y[1]", "y[2]", "y[3]"},
                                           {"der(x[1])", "der(x[2])", "der(x[3])"},
                                           {"der(y[1])", "der(y[2])", "der(y[3])"}};
  static const char *const conserved[] = {"energy", "momentum_x", "momentum_y", "spin"};
  double worst = 0;
  for (int k = 0; k < 4; k++) {
    worst = worse(worst, apart_from_start(m, conserved[k]));
    for (int i = 0; i < 3; i++)
      worst = worse(worst,
                    apart(motion_end(m, columns[k][i]), motion_at(m, 0, columns[k][(i + 2) % 3])));
  }
  return worst;
}

/* ---- bouncing ball: parabolas, each lower than the one before ---- */

typedef struct flight {
  double begin, speed; /* of the last bounce before t, and the speed after it */
  int bounces;
} flight;

static flight flight_at(double t)
{
  double first = sqrt(2 / gravity), speed = 0.8 * gravity * first, begin = first;
  int bounces = 1;
  if (t < first)
    return (flight){-first, gravity * first, 0}; /* as if thrown up before the start */
  while (t >= begin + 2 * speed / gravity) {
    begin += 2 * speed / gravity;
    speed *= 0.8;
    bounces++;
  }
  return (flight){begin, speed, bounces};
}

double check_bouncing_ball(const motion *m)
{
  double worst = 0;
  for (long row = 0; row < m->rows; row++) {
    double t = motion_at(m, row, "t");
    flight f = flight_at(t);
    double s = t - f.begin, left = 2 * f.speed / gravity - s;
    worst = worse(worst, apart(motion_at(m, row, "x"), t));
    worst = worse(worst, apart(motion_at(m, row, "y"), f.speed * s - gravity * s * s / 2));
    if (s < 1e-4 || left < 1e-4)
      continue; /* before the bounce or after it */
    worst = worse(worst, apart(motion_at(m, row, "der(y)"), f.speed - gravity * s));
    assert_true(motion_at(m, row, "bounces") == f.bounces);
  }
  assert_int_equal(m->status, DAE_STOPPED);
  assert_string_equal(m->summary.message, "hit");
  assert_int_equal(m->summary.events, 7);
  worst = worse(worst, apart(motion_end(m, "bounces"), 6));
  return worse(worst, apart(motion_end(m, "t"), 3));
}

/* ---- thermostat: T tends to 35 with the heater on, to 5 without ---- */

double check_thermostat(const motion *m)
{
  const double loss = 0.2, low = 19, high = 21;
  double warm = 35, cold = 5, T = 15, begin = 0, worst = 0;
  bool on = true;
  long switched = 0;
  for (long row = 0; row < m->rows; row++) {
    double t = motion_at(m, row, "t"), to = on ? warm : cold, edge = on ? high : low;
    double end = begin + log((T - to) / (edge - to)) / loss;
    if (t > end) {
      T = edge;
      begin = end;
      on = !on;
      to = on ? warm : cold;
      end = begin + log((T - to) / ((on ? high : low) - to)) / loss;
      switched++;
    }
    worst = worse(worst, apart(motion_at(m, row, "T"), to + (T - to) * exp(-loss * (t - begin))));
    if (t > begin + 1e-4 && t < end - 1e-4)
      assert_true(motion_at(m, row, "heater") == on);
  }
  assert_int_equal(m->summary.events, switched);
  assert_true(switched >= 5);
  return worst;
}

/* ---- yielding: elastic, Q moves with the strain q; plastic, Q = Q0 (cos a, sin a), and what
 * is left is one equation for the angle, a' = k/Q0 q'.(-sin a, cos a), with Q0 lambda = Q.q' ----
 */

typedef struct metal {
  double bend, t; /* reached */
  bool plastic;
  double a;       /* plastic */
  double from[2]; /* elastic: Q - k q, which stays */
  double switched;
  long switches;
} metal;

static const double stiffness = 200000, yield = 200, strain = 0.002;

static void strain_rate(const metal *m, double t, double *rate)
{
  rate[0] = strain * cos(t);
  rate[1] = 2 * m->bend * strain * cos(2 * t);
}

static double angle_rate(const metal *m, double t, double a)
{
  double rate[2];
  strain_rate(m, t, rate);
  return stiffness / yield * (rate[1] * cos(a) - rate[0] * sin(a));
}

static double flow(const metal *m, double t, double a)
{
  double rate[2];
  strain_rate(m, t, rate);
  return rate[0] * cos(a) + rate[1] * sin(a);
}

static void stress(const metal *m, double t, double *Q)
{
  if (m->plastic) {
    Q[0] = yield * cos(m->a);
    Q[1] = yield * sin(m->a);
    return;
  }
  Q[0] = m->from[0] + stiffness * strain * sin(t);
  Q[1] = m->from[1] + stiffness * strain * m->bend * sin(2 * t);
}

static double angle_after(const metal *m, double h)
{
  double t = m->t, a = m->a, k1 = angle_rate(m, t, a),
         k2 = angle_rate(m, t + h / 2, a + h / 2 * k1),
         k3 = angle_rate(m, t + h / 2, a + h / 2 * k2), k4 = angle_rate(m, t + h, a + h * k3);
  return a + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

/* how far it is from the next switch, which is where this falls through zero */
static double distance(const metal *m, double h)
{
  double Q[2];
  if (m->plastic)
    return flow(m, m->t + h, angle_after(m, h));
  stress(m, m->t + h, Q);
  return 1 - hypot(Q[0], Q[1]) / yield;
}

static void switch_over(metal *m)
{
  double Q[2];
  stress(m, m->t, Q);
  m->a = atan2(Q[1], Q[0]);
  m->from[0] = Q[0] - stiffness * strain * sin(m->t);
  m->from[1] = Q[1] - stiffness * strain * m->bend * sin(2 * m->t);
  m->plastic = !m->plastic;
  m->switched = m->t;
  m->switches++;
}

static void move(metal *m, double to)
{
  while (m->t < to) {
    double h = fmin(1e-3, to - m->t), low = 0, high = h;
    /* just after unloading the stress is on the surface still */
    bool fresh = !m->plastic && m->t < m->switched + 1e-3;
    bool ends = !(m->switches > 0 && fresh) && distance(m, h) < 0;
    for (int i = 0; ends && i < 60; i++)
      *(distance(m, (low + high) / 2) < 0 ? &high : &low) = (low + high) / 2;
    h = ends ? high : h;
    if (m->plastic)
      m->a = angle_after(m, h);
    m->t = ends ? m->t + h : m->t + h >= to - 1e-15 ? to : m->t + h;
    if (ends)
      switch_over(m);
  }
}

double check_yielding(const motion *m)
{
  double first = motion_at(m, 1, "t"), worst = 0;
  metal known = {.bend = motion_at(m, 1, "strain2") / (strain * sin(2 * first))};
  for (long row = 0; row < m->rows; row++) {
    double t = motion_at(m, row, "t"), Q[2], lambda;
    move(&known, t);
    stress(&known, t, Q);
    worst = worse(worst, apart(motion_at(m, row, "Q1"), Q[0]));
    worst = worse(worst, apart(motion_at(m, row, "Q2"), Q[1]));
    lambda = known.plastic ? flow(&known, t, known.a) : 0;
    if (fabs(t - known.switched) < 1e-4 || distance(&known, 1e-4) < 1e-4)
      continue; /* on either side of it */
    worst = worse(worst, apart(motion_at(m, row, "lambda") / strain, lambda / strain));
    assert_true(motion_at(m, row, "plastic") == known.plastic);
  }
  assert_int_equal(m->summary.events, known.switches);
  assert_true(known.switches >= 4); /* both ways, and back onto the surface */
  return worst;
}

/* ---- hessenberg: its constraint and equations were made for this solution ---- */

double check_hessenberg(const motion *m)
{
  double worst = 0;
  for (long row = 0; row < m->rows; row++) {
    double t = motion_at(m, row, "t");
    worst = worse(worst, apart(motion_at(m, row, "x1"), log1p(t)));
    worst = worse(worst, apart(motion_at(m, row, "x2"), t / (1 + t)));
    worst = worse(worst, apart(motion_at(m, row, "lambda"), t / (1 + t)));
  }
  return worst;
}

/* ---- track: round the circle with the angle t^2 ---- */

static double apart_from_track(const motion *m, const char *const columns[4])
{
  double worst = 0;
  for (long row = 0; row < m->rows; row++) {
    double t = motion_at(m, row, "t"), s = sin(t * t), c = cos(t * t);
    const double known[4] = {s, c, 2 * t * c, -2 * t * s};
    for (int i = 0; i < 4; i++)
      worst = worse(worst, apart(motion_at(m, row, columns[i]), known[i]));
  }
  return worst;
}

double check_track(const motion *m)
{
  static const char *const columns[] = {"x", "y", "der(x)", "der(y)"};
  double worst = apart_from_track(m, columns);
  for (long row = 0; row < m->rows; row++) {
    double t = motion_at(m, row, "t");
    worst = worse(worst, apart(motion_at(m, row, "lambda(rail)"), 2 * t * t));
    assert_true(fabs(motion_at(m, row, "I1")) < 1e-14);
    assert_true(fabs(motion_at(m, row, "I2")) < 1e-13);
  }
  return worst;
}

double check_track_ode(const motion *m)
{
  static const char *const columns[] = {"x1", "x3", "x2", "x4"};
  double most = 0;
  for (long row = 0; row < m->rows; row++)
    most = worse(most, fabs(motion_at(m, row, "I1")));
  assert_true(most > 1e-12); /* nothing keeps it on the track */
  return apart_from_track(m, columns);
}

/* ---- tank: h^(5/2) falls in proportion to time ---- */

double check_tank(const motion *m)
{
  double c = 2.5 * 2e-4 * sqrt(2 * gravity) / (3.14159265358979323846 * 0.25), worst = 0;
  for (long row = 0; row < m->rows; row++) {
    double h = pow(1 - c * motion_at(m, row, "t"), 0.4);
    worst = worse(worst, apart(motion_at(m, row, "h"), h));
    worst = worse(worst, apart(motion_at(m, row, "flow"), 2e-4 * sqrt(2 * gravity * h)));
  }
  assert_int_equal(m->status, DAE_STOPPED);
  worst = worse(worst, apart(motion_end(m, "h"), 0.1));
  return worse(worst, apart(motion_end(m, "t"), (1 - pow(0.1, 2.5)) / c));
}

/* ---- published values ---- */

double check_transistor_amplifier(const motion *m)
{
  static const char *const columns[] = {"y1", "y2", "y3", "y4", "y5", "y6", "y7", "y8", NULL};
  test_problem p = test_transistor_amplifier();
  return apart_from_reference(m, &p, columns);
}

double check_akzo_nobel(const motion *m)
{
  static const char *const columns[] = {"y1", "y2", "y3", "y4", "y5", "y6", NULL};
  test_problem p = test_akzo_nobel();
  return apart_from_reference(m, &p, columns);
}
