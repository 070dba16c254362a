/* Ends of the problems of bench_work with three rows and more, of the damped crank and of
 * Robertson's reactions, by the classical Runge-Kutta method in long double for two step sizes.
 *
 *   seven_bodies      one crank angle, all others by triangles
 *   damped_crank      angles of crank and rod
 *   triple_pendulum   points, tensions of the rods eliminated
 *   sphere_points     points, forces of the sphere eliminated
 *   robertson         three concentrations
 *
 * cc -O2 references_rows.c -lm */
#define MOST_STATES 120
#include "seven_bodies.h"

#include "../../tests/problems/references/rk4.h"
#include <math.h>
#include <string.h>

static void show(const char *name, int n, const real *x)
{
  printf("%s:", name);
  for (int i = 0; i < n; i++)
    printf(" %.18Lg,", x[i]);
  printf("\n");
}

/* ---- seven bodies ---- */

static const real gravity = 9.81L;

/* a value with its first two derivatives by the crank's angle */
typedef struct jet {
  real f, d, dd;
} jet;

static const real len[7] = {0.3L, 1, 0.9L, 0.9L, 1, 0.9L, 1};
static const real pins[3][2] = {{1.1L, 0}, {-0.6L, 1.2L}, {1.9L, 1.3L}};

/* pin + a e(alpha) + b e(beta) = (x, y); side is the sign of the triangle's area */
static void two_bars(const real *pin, real a, real b, int side, jet x, jet y, jet *alpha, jet *beta)
{
  real px = x.f - pin[0], py = y.f - pin[1], p = hypotl(px, py);
  real to = px < 0 ? acosl(-1) + atan2l(-py, -px) : atan2l(py, px); /* without a jump */
  alpha->f = to - side * acosl((a * a + p * p - b * b) / (2 * a * p));
  beta->f = to + side * acosl((b * b + p * p - a * a) / (2 * b * p));
  real s = sinl(beta->f - alpha->f), c = cosl(beta->f - alpha->f);
  real cosa = cosl(alpha->f), sina = sinl(alpha->f), cosb = cosl(beta->f), sinb = sinl(beta->f);
  alpha->d = (x.d * cosb + y.d * sinb) / (a * s);
  beta->d = -(x.d * cosa + y.d * sina) / (b * s);
  real wa = alpha->d * alpha->d, wb = beta->d * beta->d;
  alpha->dd = (x.dd * cosb + y.dd * sinb + a * wa * c + b * wb) / (a * s);
  beta->dd = -(x.dd * cosa + y.dd * sina + a * wa + b * wb * c) / (b * s);
}

static jet cosine(real l, jet a)
{
  return (jet){l * cosl(a.f), -l * sinl(a.f) * a.d,
               -l * (cosl(a.f) * a.d * a.d + sinl(a.f) * a.dd)};
}
static jet sine(real l, jet a)
{
  return (jet){l * sinl(a.f), l * cosl(a.f) * a.d, l * (-sinl(a.f) * a.d * a.d + cosl(a.f) * a.dd)};
}
static jet plus(jet a, jet b)
{
  return (jet){a.f + b.f, a.d + b.d, a.dd + b.dd};
}

static void seven_at(real th, jet q[7])
{
  q[0] = (jet){th, 1, 0};
  two_bars(pins[0], len[2], len[1], 1, cosine(len[0], q[0]), sine(len[0], q[0]), &q[2], &q[1]);
  q[1].f -= acosl(-1); /* from the crank to the rocker */
  jet x = plus(cosine(len[0], q[0]), cosine(len[1], q[1]));
  jet y = plus(sine(len[0], q[0]), sine(len[1], q[1]));
  two_bars(pins[1], len[3], len[4], 1, x, y, &q[3], &q[4]);
  two_bars(pins[2], len[5], len[6], -1, x, y, &q[5], &q[6]);
}

/* T = m(th) th'^2 / 2; of the bars i (and i + 1): m, m', V' */
static void add_bar(const jet *q, int i, real *m, real *dm, real *dV)
{
  real mass = SEVEN_RHO * len[i], I = mass * len[i] * len[i] / 3;
  *m += I * q[i].d * q[i].d;
  *dm += 2 * I * q[i].d * q[i].dd;
  *dV += gravity * mass * len[i] / 2 * cosl(q[i].f) * q[i].d;
}
static void add_carried(const jet *q, int i, real *m, real *dm, real *dV)
{
  real mass = SEVEN_RHO * len[i + 1], I = mass * len[i] * len[i];
  real B = mass * len[i] * len[i + 1], c = cosl(q[i].f - q[i + 1].f), s = sinl(q[i].f - q[i + 1].f);
  add_bar(q, i, m, dm, dV);
  add_bar(q, i + 1, m, dm, dV);
  *m += I * q[i].d * q[i].d + B * c * q[i].d * q[i + 1].d;
  *dm += 2 * I * q[i].d * q[i].dd + B * c * (q[i].dd * q[i + 1].d + q[i].d * q[i + 1].dd) -
         B * s * (q[i].d - q[i + 1].d) * q[i].d * q[i + 1].d;
  *dV += gravity * mass * len[i] * cosl(q[i].f) * q[i].d;
}

static void seven(const real *y, real *f)
{
  jet q[7];
  real m = 0, dm = 0, dV = 0;
  seven_at(y[0], q);
  add_carried(q, 0, &m, &dm, &dV);
  add_bar(q, 2, &m, &dm, &dV);
  add_carried(q, 3, &m, &dm, &dV);
  add_carried(q, 5, &m, &dm, &dV);
  dV += SEVEN_KAPPA * (q[2].f - SEVEN_RELAXED) * q[2].d - SEVEN_TORQUE;
  f[0] = y[1];
  f[1] = -(dm * y[1] * y[1] / 2 + dV) / m;
}

static void show_seven(const char *name, const real *y)
{
  jet q[7];
  real out[14];
  seven_at(y[0], q);
  for (int i = 0; i < 7; i++)
    out[i] = q[i].f, out[7 + i] = q[i].d * y[1];
  show(name, 14, out);
}

/* ---- damped crank: case_damped_crank.c ---- */

static const real J1 = 0.0027L, J2 = 0.0027L, m2 = 0.15L, r1 = 0.15L, r2 = 0.3L;
static const real k = 1e8L, c = 1e4L, soft = 40, away = 0.3L;

static void crank(const real *y, real *f)
{
  real sp = sinl(y[0]), cp = cosl(y[0]), st = sinl(y[1]), ct = cosl(y[1]);
  real F[] = {-soft * (r1 * cp + r2 * ct - away),
              -k * (r1 * sp + r2 * st) - c * (r1 * cp * y[2] + r2 * ct * y[3])};
  real couple = m2 * r1 * r2 / 2, A = J1 + m2 * r1 * r1, C = J2 + m2 * r2 * r2 / 4;
  real B = couple * cosl(y[0] - y[1]), turn = couple * sinl(y[0] - y[1]);
  real P = r1 * (-F[0] * sp + F[1] * cp) - m2 * gravity * r1 * cp - turn * y[3] * y[3];
  real T = r2 * (-F[0] * st + F[1] * ct) - m2 * gravity * r2 / 2 * ct + turn * y[2] * y[2];
  real det = A * C - B * B;
  f[0] = y[2];
  f[1] = y[3];
  f[2] = (C * P - B * T) / det;
  f[3] = (A * T - B * P) / det;
}

static void show_crank(const char *name, const real *y)
{
  real sp = sinl(y[0]), cp = cosl(y[0]), st = sinl(y[1]), ct = cosl(y[1]);
  real q[] = {y[0],
              r1 * cp + r2 / 2 * ct,
              r1 * sp + r2 / 2 * st,
              y[1],
              y[2],
              -r1 * sp * y[2] - r2 / 2 * st * y[3],
              r1 * cp * y[2] + r2 / 2 * ct * y[3],
              y[3]};
  show(name, 8, q);
}

/* the start as doubles, after a time in which the fast motion decays by e^-50 */
static void relax_crank(real *y)
{
  integrate(crank, 4, 0.01L, 40000, y);
  for (int i = 0; i < 4; i++)
    y[i] = (double)y[i];
  show("damped_crank from", 4, y);
}

/* ---- triple pendulum: case_points.c ---- */

static const real masses[3] = {1, 0.6L, 0.4L};

static void triple(const real *y, real *f)
{
  const real *v = y + 9;
  real d[3][3], w[3][3], S[3], off[3], b[3], T[3];
  for (int i = 0; i < 3; i++)
    for (int e = 0; e < 3; e++) {
      d[i][e] = y[3 * i + e] - (i ? y[3 * i - 3 + e] : 0);
      w[i][e] = v[3 * i + e] - (i ? v[3 * i - 3 + e] : 0);
    }
  for (int i = 0; i < 3; i++) { /* tensions T / length: d.(relative acceleration) = -w.w */
    S[i] = off[i] = b[i] = 0;
    for (int e = 0; e < 3; e++) {
      S[i] += d[i][e] * d[i][e] * (1 / masses[i] + (i ? 1 / masses[i - 1] : 0));
      off[i] -= i ? d[i][e] * d[i - 1][e] / masses[i - 1] : 0;
      b[i] += w[i][e] * w[i][e];
    }
  }
  b[0] -= gravity * d[0][2];
  for (int i = 1; i < 3; i++) {
    S[i] -= off[i] * off[i] / S[i - 1];
    b[i] -= off[i] / S[i - 1] * b[i - 1];
  }
  for (int i = 2; i >= 0; i--)
    T[i] = (b[i] - (i < 2 ? off[i + 1] * T[i + 1] : 0)) / S[i];
  for (int i = 0; i < 9; i++)
    f[i] = v[i];
  for (int i = 0; i < 3; i++)
    for (int e = 0; e < 3; e++)
      f[9 + 3 * i + e] = (-T[i] * d[i][e] + (i < 2 ? T[i + 1] * d[i + 1][e] : 0)) / masses[i] -
                         (e == 2 ? gravity : 0);
}

/* ---- points on a sphere: case_points.c ---- */

enum { N = 20 };

static void points(const real *y, real *f)
{
  const real *v = y + 3 * N;
  real *a = f + 3 * N;
  for (int i = 0; i < 3 * N; i++)
    f[i] = v[i], a[i] = i >= 2 * N ? -gravity : 0;
  for (int i = 0; i < N; i++)
    for (int j = i + 1; j < N; j++) {
      real d[3], s = 0;
      for (int e = 0; e < 3; e++)
        d[e] = y[e * N + i] - y[e * N + j], s += d[e] * d[e];
      s = 1 / (s * sqrtl(s));
      for (int e = 0; e < 3; e++)
        a[e * N + i] += d[e] * s, a[e * N + j] -= d[e] * s;
    }
  for (int i = 0; i < N; i++) {
    real top = 0, below = 0;
    for (int e = 0; e < 3; e++) {
      top += y[e * N + i] * a[e * N + i] + v[e * N + i] * v[e * N + i];
      below += y[e * N + i] * y[e * N + i];
    }
    for (int e = 0; e < 3; e++)
      a[e * N + i] -= top / below * y[e * N + i];
  }
}

static void start_points(real *y)
{
  for (int i = 0; i < N; i++) {
    real z = 1 - (2 * (i + 1) - 1) / (real)N, r = sqrtl(1 - z * z), s = 1 + 0.3L * cosl(i + 1);
    y[i] = r * cosl(2.4L * (i + 1));
    y[N + i] = r * sinl(2.4L * (i + 1));
    y[2 * N + i] = z;
    y[3 * N + i] = -s * y[N + i];
    y[4 * N + i] = s * y[i];
    y[5 * N + i] = 0;
  }
}

/* ---- Robertson ---- */

static void robertson(const real *y, real *f)
{
  real slow = 0.04L * y[0], back = 1e4L * y[1] * y[2], fast = 3e7L * y[1] * y[1];
  f[0] = back - slow;
  f[1] = slow - back - fast;
  f[2] = fast;
}

int main(void)
{
  real from[4] = {0, 0, 10, -5};
  show_seven("seven_bodies from", (real[]){0, SEVEN_RATE});
  for (long steps = 200000; steps <= 400000; steps *= 2) {
    real y[] = {0, SEVEN_RATE};
    integrate(seven, 2, 0.4L, steps, y);
    show_seven("seven_bodies", y);
  }
  relax_crank(from);
  for (long steps = 2000000; steps <= 4000000; steps *= 2) {
    real y[4];
    memcpy(y, from, sizeof y);
    integrate(crank, 4, 0.5L, steps, y);
    show_crank("damped_crank", y);
  }
  for (long steps = 100000; steps <= 200000; steps *= 2) {
    real y[18] = {0.6L, 0,    -0.8L, 0.6L,   0.48L, -1.44L, 0.384L, 0.768L, -1.92L,
                  0.8L, 1.6L, 0.6L,  0.832L, 0.96L, 0.12L,  1.024L, 2.244L, 0.804L};
    integrate(triple, 18, 2, steps, y);
    show("triple_pendulum", 18, y);
  }
  for (long steps = 20000; steps <= 40000; steps *= 2) {
    real y[6 * N];
    start_points(y);
    integrate(points, 6 * N, 1, steps, y);
    show("sphere_points", 6 * N, y);
  }
  for (long steps = 20000000; steps <= 40000000; steps *= 2) {
    real y[] = {1, 0, 0};
    integrate(robertson, 3, 40, steps, y);
    show("robertson", 3, y);
  }
  return 0;
}
