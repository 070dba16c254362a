/* Ends of the double pendulum and the four-bar of bench_work, in minimal coordinates, where they
 * are ordinary differential equations, by the classical Runge-Kutta method in long double for two
 * step sizes: positions and velocities in the coordinates of the problems. cc -O2 references.c -lm
 */
#include "../../tests/problems/references/rk4.h"
#include <math.h>

static void show(const char *name, int n, const real *x)
{
  printf("%s:", name);
  for (int i = 0; i < n; i++)
    printf(" %.18Lg,", x[i]);
  printf("\n");
}

static const real gravity = 9.81L;

/* ---- double pendulum: angles of the rods from the downward vertical, and their rates ---- */

static const real m1 = 1, m2 = 0.5L, L1 = 1, L2 = 0.7L;

static void pendulum(const real *y, real *f)
{
  real delta = y[0] - y[1], s = sinl(delta), c = cosl(delta);
  /* [(m1 + m2) L1, m2 L2 c; L1 c, L2] (th1'', th2'') = (b1, b2) */
  real b1 = -m2 * L2 * y[3] * y[3] * s - (m1 + m2) * gravity * sinl(y[0]);
  real b2 = L1 * y[2] * y[2] * s - gravity * sinl(y[1]);
  real det = (m1 + m2) * L1 * L2 - m2 * L2 * c * L1 * c;
  f[0] = y[2];
  f[1] = y[3];
  f[2] = (L2 * b1 - m2 * L2 * c * b2) / det;
  f[3] = ((m1 + m2) * L1 * b2 - L1 * c * b1) / det;
}

static void show_pendulum(long steps)
{
  real y[] = {acosl(0), 0, 0, 0};
  integrate(pendulum, 4, 3, steps, y);
  real x1 = L1 * sinl(y[0]), y1 = -L1 * cosl(y[0]), u1 = -y1 * y[2], v1 = x1 * y[2];
  real dx = L2 * sinl(y[1]), dy = -L2 * cosl(y[1]);
  show("double_pendulum", 8,
       (real[]){x1, y1, x1 + dx, y1 + dy, u1, v1, u1 - dy * y[3], v1 + dx * y[3]});
}

/* ---- four-bar: the angle of the crank and its rate ---- */

static const real a = 0.4L, b = 1.2L, c = 1, d = 1.3L;
static const real m_a = 0.8L, m_b = 2.4L, m_c = 2;

/* coupler and rocker as functions of the crank's angle, on the branch that is above the frame, with
 * their first and second derivatives */
typedef struct bars {
  real b, c, b1, c1, b2, c2;
} bars;

static bars bars_at(real th)
{
  /* from the crank's pin to the rocker's fixed one; then a triangle with the sides b, c */
  real px = d - a * cosl(th), py = -a * sinl(th), p = hypotl(px, py);
  bars o;
  o.b = atan2l(py, px) + acosl((b * b + p * p - c * c) / (2 * b * p));
  o.c = atan2l(a * sinl(th) + b * sinl(o.b), a * cosl(th) + b * cosl(o.b) - d);
  real s = sinl(o.b - o.c);
  o.b1 = a * sinl(o.c - th) / (b * s);
  o.c1 = a * sinl(o.b - th) / (c * s);
  /* the second derivative of the closed loop, along the rocker and along the coupler */
  o.b2 = -(a * cosl(th - o.c) + b * o.b1 * o.b1 * cosl(o.b - o.c) - c * o.c1 * o.c1) / (b * s);
  o.c2 = -(a * cosl(th - o.b) + b * o.b1 * o.b1 - c * o.c1 * o.c1 * cosl(o.b - o.c)) / (c * s);
  return o;
}

/* T = m(th) th'^2 / 2, so that m th'' + m' th'^2 / 2 + V' = 0 */
static void four_bar(const real *y, real *f)
{
  bars o = bars_at(y[0]);
  real cd = cosl(y[0] - o.b), sd = sinl(y[0] - o.b), B = m_b * a * b;
  real m = m_a * a * a / 3 + m_b * a * a + m_b * b * b * o.b1 * o.b1 / 3 + B * o.b1 * cd +
           m_c * c * c * o.c1 * o.c1 / 3;
  real dm = 2 * m_b * b * b * o.b1 * o.b2 / 3 + B * (o.b2 * cd - o.b1 * sd * (1 - o.b1)) +
            2 * m_c * c * c * o.c1 * o.c2 / 3;
  real dV =
      gravity * (m_a * a / 2 * cosl(y[0]) + m_b * (a * cosl(y[0]) + b / 2 * cosl(o.b) * o.b1) +
                 m_c * c / 2 * cosl(o.c) * o.c1);
  f[0] = y[1];
  f[1] = -(dm * y[1] * y[1] / 2 + dV) / m;
}

static void show_four_bar(long steps)
{
  real y[] = {0, 12};
  integrate(four_bar, 2, 1, steps, y);
  bars o = bars_at(y[0]);
  show("four_bar", 6, (real[]){y[0], o.b, o.c, y[1], o.b1 * y[1], o.c1 * y[1]});
}

int main(void)
{
  for (long steps = 200000; steps <= 400000; steps *= 2)
    show_pendulum(steps);
  for (long steps = 100000; steps <= 200000; steps *= 2)
    show_four_bar(steps);
  return 0;
}
