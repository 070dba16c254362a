/* Solutions of the problems of [J09] at the end of their runs: closed forms, or values to 20
 * digits, each by two independent computations. */
#include "j09.h"

#include <math.h>

/* elliptic functions, confirmed by a Taylor method */
static const double pendulum[] = {-0.20419321478828042252, -0.97893060583190838214,
                                  -1.3697548850034141373, 0.28571448453499951468,
                                  2.9367918174957251464};

static j09_exact pendulum_at_2(void)
{
  const double *p = pendulum;
  return (j09_exact){2, {p[0], p[1], p[2], p[3], p[4]}};
}

/* x = q1 + 0.3 q2^2, y = q2 */
static j09_exact curv_lag_at_2(void)
{
  double x = pendulum[0], y = pendulum[1], vx = pendulum[2], vy = pendulum[3];
  return (j09_exact){2, {x - 0.3 * y * y, y, vx - 0.6 * y * vy, vy, pendulum[4]}};
}

/* momenta z = M(q) q' of x' and y' */
static j09_exact curv_ham_at_2(void)
{
  j09_exact e = curv_lag_at_2();
  double y = pendulum[1], vx = pendulum[2], vy = pendulum[3];
  e.values[2] = vx;
  e.values[3] = vy + 0.6 * y * vx;
  return e;
}

static j09_exact sand_at(double t)
{
  double c = cos(t * t), s = sin(t * t);
  return (j09_exact){t, {s, c, 2 * t * c, -2 * t * s, 4 * t * t}};
}

static j09_exact rheo_length_at(double t)
{
  double r = sqrt(1 + t * t), r3 = r * r * r;
  return (j09_exact){
      t, {(1 - t * t) / r, 2 * t / r, -t * (3 + t * t) / r3, 2 / r3, 3 / (r * r * r * r)}};
}

static j09_exact knife_at(double t)
{
  const double G = 1, omega = 1.3;
  double phi = omega * t, a = G / (2 * omega * omega);
  return (j09_exact){t,
                     {a * pow(sin(phi), 2), a * (phi - sin(2 * phi) / 2), phi,
                      a * omega * sin(2 * phi), a * omega * (1 - cos(2 * phi)), omega,
                      2 * G * sin(phi)}};
}

/* knife edge on a rolled-up plane: x is down, y is round the cylinder */
static j09_exact mixed_at(double t)
{
  j09_exact knife = knife_at(t);
  const double *k = knife.values;
  double c = cos(k[1]), s = sin(k[1]), rate = k[4];
  return (j09_exact){t, {c, k[0], s, k[2], -s * rate, k[3], c * rate, k[5], rate * rate, k[6]}};
}

/* quadrature of the closed form of the velocities, confirmed by a Taylor method */
static j09_exact sleigh_at_2(void)
{
  return (j09_exact){2,
                     {0.49156508827613893777, 1.1837985094664224453, 1.5750874900145421954,
                      -0.21973460721285413858, 0.71062856964713261018, 0.54170792572064719072,
                      -0.29201543047513923548}};
}

j09_exact j09_solution(j09_problem problem)
{
  switch (problem) {
  case J09_PENDULUM:
    return pendulum_at_2();
  case J09_SAND:
    return sand_at(1.5);
  case J09_RHEO_LENGTH:
    return rheo_length_at(1);
  case J09_KNIFE:
    return knife_at(2);
  case J09_SLEIGH:
    return sleigh_at_2();
  case J09_MIXED:
    return mixed_at(2);
  case J09_CURV_LAG:
    return curv_lag_at_2();
  case J09_CURV_HAM:
    return curv_ham_at_2();
  case J09_SPRING_PENDULUM:
  case J09_NHPARTICLE:
  case J09_PROBLEMS:
    break;
  }
  return (j09_exact){.t = NAN}; /* runs of the energy only */
}
