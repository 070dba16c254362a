/* Models that switch. The reference follows each of them mode by mode by the classical Runge-Kutta
 * method, with steps so small that its error does not count; the end of a mode is found by
 * bisection of the step. */
#include "checks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { SIZE = 6, HELD = 3 };

typedef struct switched {
  int n;
  double step, t, y[SIZE];
  int mode;
  double held[HELD];
  void (*rates)(const struct switched *s, double t, const double *y, double *dy);
  /* negative beyond the end of the mode */
  double (*left)(const struct switched *s, double t, const double *y);
  void (*change)(struct switched *s); /* to the next mode */
  int changes;
} switched;

static void switched_step(const switched *s, double h, double *z)
{
  const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1 / 6., 1 / 3., 1 / 3., 1 / 6.};
  double k[SIZE] = {0}, at[SIZE];
  for (int j = 0; j < s->n; j++)
    z[j] = s->y[j];
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < s->n; j++)
      at[j] = s->y[j] + part[i] * h * k[j];
    s->rates(s, s->t + part[i] * h, at, k);
    for (int j = 0; j < s->n; j++)
      z[j] += h * weight[i] * k[j];
  }
}

static void switched_advance(switched *s, double to)
{
  while (s->t < to) {
    double h = fmin(s->step, to - s->t), inside = 0, z[SIZE];
    bool last = h == to - s->t;
    switched_step(s, h, z);
    bool ends = s->left(s, s->t + h, z) < 0;
    for (int i = 0; ends && i < 60; i++) {
      double middle = inside + (h - inside) / 2;
      switched_step(s, middle, z);
      *(s->left(s, s->t + middle, z) < 0 ? &h : &inside) = middle;
    }
    switched_step(s, h, z);
    for (int j = 0; j < s->n; j++)
      s->y[j] = z[j];
    s->t = last && !ends ? to : s->t + h;
    if (ends) {
      s->change(s);
      s->changes++;
    }
  }
}

/* Largest distance of columns, in the order of y, over all rows. */
static double switched_apart(switched *s, const motion *m, const char *const *columns)
{
  double worst = 0;
  for (long row = 0; row < m->rows; row++) {
    switched_advance(s, motion_at(m, row, "t"));
    for (int j = 0; columns[j]; j++)
      worst = worse(worst, apart(motion_at(m, row, columns[j]), s->y[j]));
  }
  return worst;
}

/* ---- sampled_cart: mode k holds the force of the sample k ---- */

static void cart_rates(const switched *s, double t, const double *y, double *dy)
{
  (void)t;
  dy[0] = y[1];
  dy[1] = (s->held[0] - 8 * y[0]) / 2;
}

static double cart_left(const switched *s, double t, const double *y)
{
  (void)y;
  return (s->mode + 1) * 0.1 - t;
}

static void cart_change(switched *s)
{
  s->mode++;
  s->held[0] = 10 * (1 - s->y[0]) - 6 * s->y[1] + 8;
}

double check_sampled_cart(const motion *m)
{
  switched s = {.n = 2,
                .step = 1e-3,
                .held = {18},
                .rates = cart_rates,
                .left = cart_left,
                .change = cart_change};
  assert_int_equal(m->summary.events, 41);
  return switched_apart(&s, m, (const char *const[]){"x", "der(x)", NULL});
}

/* ---- ratchet: the mode is whether the pawl holds; held[0] is the tooth ---- */

static const double pitch = 3.14159265358979323846 / 6;

static void ratchet_rates(const switched *s, double t, const double *y, double *dy)
{
  dy[0] = 3 * sin(2 * t) + 0.4 - (s->mode ? 200 * (y[0] - s->held[0] * pitch) : 0);
}

static double ratchet_left(const switched *s, double t, const double *y)
{
  double tooth = s->held[0] * pitch;
  (void)t;
  return s->mode ? tooth - y[0] : fmin(y[0] - tooth, tooth + pitch - y[0]);
}

static void ratchet_change(switched *s)
{
  if (s->mode || s->y[0] < s->held[0] * pitch)
    s->mode = !s->mode;
  else
    s->held[0]++;
}

double check_ratchet(const motion *m)
{
  switched s = {.n = 1,
                .step = 2e-4,
                .y = {0.1},
                .rates = ratchet_rates,
                .left = ratchet_left,
                .change = ratchet_change};
  double worst = switched_apart(&s, m, (const char *const[]){"phi", NULL});
  assert_int_equal(m->summary.events + m->summary.switchings, s.changes);
  return worse(worst, apart(motion_end(m, "n"), s.held[0]));
}

/* ---- clutch: the mode is whether it slips; held[0] counts the edges of the pedal ---- */

static double clutch_pedal(const switched *s)
{
  return s->held[0] == 1 ? 10 : 60;
}

static void clutch_rates(const switched *s, double t, const double *y, double *dy)
{
  double torque = s->mode ? clutch_pedal(s) : 40 * (y[0] - y[1]);
  (void)t;
  dy[0] = (30 - torque) / 2;
  dy[1] = (torque - 0.5 * y[1]) / 8;
}

static double clutch_left(const switched *s, double t, const double *y)
{
  double over = 40 * (y[0] - y[1]) - clutch_pedal(s);
  double edge = s->held[0] == 0 ? 6 : s->held[0] == 1 ? 7 : 100;
  return fmin(edge - t, s->mode ? over : -over);
}

static void clutch_change(switched *s)
{
  const double edges[] = {6, 7, 100};
  s->held[0] += s->t > edges[(int)s->held[0]];
  s->mode = 40 * (s->y[0] - s->y[1]) > clutch_pedal(s);
}

double check_clutch(const motion *m)
{
  switched s = {.n = 2,
                .step = 5e-4,
                .y = {40, 0},
                .mode = 1,
                .rates = clutch_rates,
                .left = clutch_left,
                .change = clutch_change};
  double worst = switched_apart(&s, m, (const char *const[]){"a", "b", NULL});
  assert_int_equal(m->summary.switchings, 5); /* two edges; grips, slips with one of them, grips */
  return worst;
}

/* ---- diode_bridge: the mode is whether a pair of diodes conducts ---- */

static double bridge_over(double t, double u)
{
  return fabs(10 * sin(2 * 3.14159265358979323846 * t)) - 1.4 - u;
}

static void bridge_rates(const switched *s, double t, const double *y, double *dy)
{
  dy[0] = ((s->mode ? bridge_over(t, y[0]) / 0.1 : 0) - y[0] / 5) / 2;
}

static double bridge_left(const switched *s, double t, const double *y)
{
  return s->mode ? bridge_over(t, y[0]) : -bridge_over(t, y[0]);
}

static void bridge_change(switched *s)
{
  s->mode = !s->mode;
}

double check_diode_bridge(const motion *m)
{
  switched s = {
      .n = 1, .step = 1e-3, .rates = bridge_rates, .left = bridge_left, .change = bridge_change};
  double worst = switched_apart(&s, m, (const char *const[]){"u", NULL});
  assert_int_equal(s.changes, 12);
  assert_int_equal(m->summary.switchings, s.changes + 6); /* and the source changes its sign */
  return worst;
}

/* ---- hysteresis: held are the relays ---- */

static void relays_rates(const switched *s, double t, const double *y, double *dy)
{
  (void)t;
  dy[0] = y[1];
  dy[1] = -y[0] - 0.15 * (2 * (s->held[0] + s->held[1] + s->held[2]) - 3);
}

static double relay_left(const switched *s, int i, double x)
{
  return s->held[i] > 0 ? x - (0.25 * (i + 1) - 1) : 0.3 * (i + 1) - x;
}

static double relays_left(const switched *s, double t, const double *y)
{
  (void)t;
  return fmin(relay_left(s, 0, y[0]), fmin(relay_left(s, 1, y[0]), relay_left(s, 2, y[0])));
}

static void relays_change(switched *s)
{
  for (int i = 0; i < 3; i++)
    if (relay_left(s, i, s->y[0]) < 0)
      s->held[i] = 1 - s->held[i];
}

double check_hysteresis(const motion *m)
{
  switched s = {.n = 2,
                .step = 1e-3,
                .y = {2, 0},
                .held = {1, 1, 1},
                .rates = relays_rates,
                .left = relays_left,
                .change = relays_change};
  double worst = switched_apart(&s, m, (const char *const[]){"x", "der(x)", NULL});
  assert_int_equal(s.changes, 21);
  assert_int_equal(m->summary.events, s.changes);
  return worst;
}

/* ---- balls: y holds positions and velocities; energy and what walls turn round are exact ---- */

static void balls_rates(const switched *s, double t, const double *y, double *dy)
{
  (void)s, (void)t;
  for (int i = 0; i < 3; i++) {
    dy[i] = y[3 + i];
    dy[3 + i] = 0;
  }
}

/* Gap i of left wall, balls and right wall where it closes; what opens is as far as any. */
static double balls_gap(const double *y, int i)
{
  double speed = (i < 3 ? y[3 + i] : 0) - (i > 0 ? y[2 + i] : 0);
  return speed < 0 ? (i < 3 ? y[i] : 10) - (i > 0 ? y[i - 1] : 0) : 10;
}

static double balls_left(const switched *s, double t, const double *y)
{
  (void)s, (void)t;
  return fmin(fmin(balls_gap(y, 0), balls_gap(y, 1)), fmin(balls_gap(y, 2), balls_gap(y, 3)));
}

static void balls_change(switched *s)
{
  double *v = s->y + 3;
  for (int i = 0; i < 4; i++) {
    if (balls_gap(s->y, i) >= 0)
      continue;
    if (i == 0 || i == 3) {
      v[i == 0 ? 0 : 2] *= -1;
      continue;
    }
    double m = i * i, n = (i + 1) * (i + 1), mean = (m * v[i - 1] + n * v[i]) / (m + n);
    v[i - 1] = 2 * mean - v[i - 1];
    v[i] = 2 * mean - v[i];
  }
}

double check_balls(const motion *m)
{
  switched s = {.n = 6,
                .step = 1e-3,
                .y = {2, 4, 6, 7 * cos(2), 7 * cos(4), 7 * cos(6)},
                .rates = balls_rates,
                .left = balls_left,
                .change = balls_change};
  double worst = switched_apart(&s, m, (const char *const[]){"x[1]", "x[2]", "x[3]", NULL});
  for (int i = 0; i < 3; i++) {
    char rate[16];
    snprintf(rate, sizeof rate, "der(x[%d])", i + 1);
    worst = worse(worst, apart(motion_end(m, rate), s.y[3 + i]));
  }
  assert_int_equal(m->summary.events, s.changes);
  return worst;
}

/* ---- rough_wire: the mode is the direction in which the bead moves ---- */

static void wire_rates(const switched *s, double t, const double *y, double *dy)
{
  double x = y[0], v = y[1], presses = 9.81 + v * v; /* times the length of (x, 1) */
  (void)t;
  dy[0] = v;
  dy[1] = -(x * v * v + 9.81 * x + 0.1 * s->mode * presses) / (1 + x * x);
}

static double wire_left(const switched *s, double t, const double *y)
{
  (void)t;
  return s->mode * y[1];
}

static void wire_change(switched *s)
{
  s->mode = -s->mode;
}

double check_rough_wire(const motion *m)
{
  switched s = {.n = 2,
                .step = 5e-4,
                .y = {-1, 0.5},
                .mode = 1,
                .rates = wire_rates,
                .left = wire_left,
                .change = wire_change};
  double worst = switched_apart(&s, m, (const char *const[]){"x", "der(x)", NULL});
  assert_int_equal(s.changes, 3);
  assert_int_equal(m->summary.switchings, s.changes);
  return worst;
}

/* ---- four_bar_stop: crank's angle and speed; the mode is whether the rocker rests ---- */

static void stop_rates(const switched *s, double t, const double *y, double *dy)
{
  const double h = 1e-3, weight[] = {1 / 12., -2 / 3., 0, 2 / 3., -1 / 12.};
  double M1 = 0, V1 = 0;
  (void)t;
  for (int i = 0; i < 5; i++) {
    bar_loop l = close_loop(y[0] + (i - 2) * h);
    M1 += weight[i] / h * l.M;
    V1 += weight[i] / h * l.V;
  }
  dy[0] = s->mode ? 0 : y[1];
  dy[1] = s->mode ? 0 : -(M1 * y[1] * y[1] / 2 + V1) / close_loop(y[0]).M;
}

/* room of the rocker, where it approaches the stop */
static double stop_left(const switched *s, double t, const double *y)
{
  bar_loop l = close_loop(y[0]);
  (void)t;
  return s->mode || l.rocker1 * y[1] < 0 ? 1 : 2.2 - l.rocker;
}

static void stop_change(switched *s)
{
  s->y[1] *= -0.5;
  s->mode = fabs(s->y[1]) < 1e-5;
  s->y[1] = s->mode ? 0 : s->y[1];
}

double check_four_bar_stop(const motion *m)
{
  switched s = {
      .n = 2, .step = 2e-4, .rates = stop_rates, .left = stop_left, .change = stop_change};
  double worst = switched_apart(&s, m, (const char *const[]){"crank", NULL});
  bar_loop first = close_loop(0), l = close_loop(s.y[0]);
  assert_int_equal(s.mode, 1);
  worst = worse(worst, apart(motion_end(m, "coupler"), l.coupler));
  worst = worse(worst, apart(motion_end(m, "der(crank)"), 0));
  worst = worse(worst, apart(m->summary.energy_lost, first.V - l.V));
  return worse(worst, apart(motion_end(m, "state(rest)"), 1));
}
