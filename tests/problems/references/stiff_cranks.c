/* The two stiff slider cranks of tests/reference/stiff_cranks.h in minimal coordinates, where they
 * are ordinary differential equations, by the classical Runge-Kutta method in long double with
 * steps far below the fast time scales:
 *
 *   load      (a, z): crank angle, load on a damped spring that the slider carries
 *   bushing   (p, t, s): crank angle, rod angle, slider; the wrist pin is a damped bushing
 *
 * Prints starts that have left the fast motion behind them, then the state vectors at the end for
 * two step sizes: positions, velocities, multipliers.
 * cc -O2 stiff_cranks.c -lm */
#include "rk4.h"
#include <math.h>
#include <string.h>

static void show(const char *name, int n, const real *x)
{
  printf("  %s:", name);
  for (int i = 0; i < n; i++)
    printf(" %.18Lg,", x[i]);
  printf("\n");
}

/* ---- load: the slider crank of mechanisms.c, its slider carries a mass on a spring ---- */

static const real l1 = 0.5L, l2 = 1.25L, m1 = 1, m2 = 2, m3 = 3, m4 = 1, gravity = 9.81L;
static const real J1 = 0.25L / 3, J2 = 3.125L / 12, k = 1e8L, c = 1e4L;

/* a value with its first two derivatives by the crank angle */
typedef struct jet {
  real f, d, dd;
} jet;

typedef struct place {
  jet x, y, b, s;
} place;

static place place_of(real a)
{
  place p;
  real sb = -l1 / l2 * sinl(a), cb = sqrtl(1 - sb * sb), d = -l1 / l2 * cosl(a) / cb;
  real dd = (l1 / l2 * sinl(a) + sb * d * d) / cb; /* cos b b'' = sin b b'^2 - sin b */
  jet half = {l2 / 2 * cb, -l2 / 2 * sb * d, -l2 / 2 * (cb * d * d + sb * dd)};
  p.b = (jet){asinl(sb), d, dd};
  p.x = (jet){l1 * cosl(a) + half.f, -l1 * sinl(a) + half.d, -l1 * cosl(a) + half.dd};
  p.y = (jet){l1 / 2 * sinl(a), l1 / 2 * cosl(a), -l1 / 2 * sinl(a)};
  p.s = (jet){l1 * cosl(a) + 2 * half.f, -l1 * sinl(a) + 2 * half.d, -l1 * cosl(a) + 2 * half.dd};
  return p;
}

/* y = (a, z, a', z') */
static void load(const real *y, real *f)
{
  place p = place_of(y[0]);
  real w = y[2], e = y[1] - p.s.f, rate = y[3] - p.s.d * w, spring = k * e + c * rate;
  real I = J1 + m2 * (p.x.d * p.x.d + p.y.d * p.y.d) + J2 * p.b.d * p.b.d + m3 * p.s.d * p.s.d;
  real dI = m2 * (p.x.d * p.x.dd + p.y.d * p.y.dd) + J2 * p.b.d * p.b.dd + m3 * p.s.d * p.s.dd;
  real Q = -m1 * gravity * l1 / 2 * cosl(y[0]) - m2 * gravity * p.y.d + p.s.d * spring;
  f[0] = w;
  f[1] = y[3];
  f[2] = (Q - dI * w * w) / I;
  f[3] = -spring / m4;
}

static real second(jet j, real w, real dw)
{
  return j.dd * w * w + j.d * dw;
}

static void show_load(const real *y)
{
  real f[4];
  load(y, f);
  place p = place_of(y[0]);
  real w = y[2], cx = l2 / 2 * cosl(p.b.f), cy = l2 / 2 * sinl(p.b.f);
  real spring = k * (y[1] - p.s.f) + c * (y[3] - p.s.d * w);
  real q[] = {y[0], p.x.f, p.y.f, p.b.f, p.s.f, y[1]};
  real v[] = {w, p.x.d * w, p.y.d * w, p.b.d * w, p.s.d * w, y[3]}, lambda[4];
  lambda[2] = m3 * second(p.s, w, f[2]) - spring; /* M v' + G' lambda = f, row by row */
  lambda[0] = -m2 * second(p.x, w, f[2]) - lambda[2];
  real sum = -m2 * gravity - m2 * second(p.y, w, f[2]); /* of lambda 1 and 3 */
  real difference = (J2 * second(p.b, w, f[2]) + cy * (lambda[0] - lambda[2])) / cx;
  lambda[1] = (sum + difference) / 2;
  lambda[3] = (sum - difference) / 2;
  show("q", 6, q), show("v", 6, v), show("lambda", 4, lambda);
}

/* ---- bushing: the crank of bench/stiff.c, damped ---- */

static const real K1 = 0.0027L, K2 = 0.0027L, n2 = 0.15L, n3 = 0.0755L, r1 = 0.15L, r2 = 0.3L;

static void force(const real *y, real *F)
{
  real ex = r1 * cosl(y[0]) + r2 * cosl(y[1]) - y[2], ey = r1 * sinl(y[0]) + r2 * sinl(y[1]);
  real dx = -r1 * sinl(y[0]) * y[3] - r2 * sinl(y[1]) * y[4] - y[5];
  real dy = r1 * cosl(y[0]) * y[3] + r2 * cosl(y[1]) * y[4];
  F[0] = -k * ex - c * dx;
  F[1] = -k * ey - c * dy;
}

/* y = (p, t, s, p', t', s') */
static void bushing(const real *y, real *f)
{
  real F[2], sp = sinl(y[0]), cp = cosl(y[0]), st = sinl(y[1]), ct = cosl(y[1]);
  force(y, F);
  real couple = n2 * r1 * r2 / 2, A = K1 + n2 * r1 * r1, C = K2 + n2 * r2 * r2 / 4;
  real B = couple * cosl(y[0] - y[1]), turn = couple * sinl(y[0] - y[1]);
  real P = r1 * (-F[0] * sp + F[1] * cp) - n2 * gravity * r1 * cp - turn * y[4] * y[4];
  real T = r2 * (-F[0] * st + F[1] * ct) - n2 * gravity * r2 / 2 * ct + turn * y[3] * y[3];
  real det = A * C - B * B;
  memcpy(f, y + 3, 3 * sizeof *f);
  f[3] = (C * P - B * T) / det;
  f[4] = (A * T - B * P) / det;
  f[5] = -F[0] / n3;
}

static void show_bushing(const real *y)
{
  real f[6], F[2], sp = sinl(y[0]), cp = cosl(y[0]), st = sinl(y[1]), ct = cosl(y[1]);
  bushing(y, f);
  force(y, F);
  real q[] = {y[0], r1 * cp + r2 / 2 * ct, r1 * sp + r2 / 2 * st, y[1], y[2]};
  real v[] = {y[3], -r1 * sp * y[3] - r2 / 2 * st * y[4], r1 * cp * y[3] + r2 / 2 * ct * y[4], y[4],
              y[5]};
  real ddx = -r1 * (cp * y[3] * y[3] + sp * f[3]) - r2 / 2 * (ct * y[4] * y[4] + st * f[4]);
  real ddy = r1 * (-sp * y[3] * y[3] + cp * f[3]) + r2 / 2 * (-st * y[4] * y[4] + ct * f[4]);
  real lambda[] = {F[0] - n2 * ddx, F[1] - n2 * gravity - n2 * ddy};
  show("q", 5, q), show("v", 5, v), show("lambda", 2, lambda);
}

/* ---- both ---- */

/* the start as doubles, after a time in which the fast motion decays by e^-50 */
static void settle(rhs *f, int n, real to, real *y)
{
  integrate(f, n, to, lroundl(to * 4e6L), y);
  for (int i = 0; i < n; i++)
    y[i] = (double)y[i];
  show("start", n, y);
}

static void follow(rhs *f, int n, const real *start, void (*result)(const real *))
{
  for (long steps = 2000000; steps <= 4000000; steps *= 2) {
    real y[MOST];
    memcpy(y, start, (size_t)n * sizeof *y);
    integrate(f, n, 0.5L, steps, y);
    printf(" %ld steps to t = 0.5\n", steps);
    result(y);
  }
}

int main(void)
{
  real a[4] = {0, 1.75L, 4, 0}, b[6] = {0, 0, 0.45L, 10, -5, 0};
  printf("load\n");
  settle(load, 4, 0.01L, a);
  follow(load, 4, a, show_load);
  printf("bushing\n");
  settle(bushing, 6, 0.005L, b);
  follow(bushing, 6, b, show_bushing);
  return 0;
}
