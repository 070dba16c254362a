/* Solutions of the examples of [L13], and other schemes for the first one. */
#include "l13.h"

#include <math.h>

static const double k_e = 200000, Q0 = 200, q0 = 0.002; /* w = 1, theta0 = 0 */

/* ---- example 1: (33), (34) ---- */

static void plastic(double t, double *Q, double *lambda)
{
  double beta = k_e * q0 / Q0, m2 = beta * beta - 1, m = sqrt(m2), a = (beta * beta - beta) / m2;
  double z = 1 + a * (cosh(m * t) - 1), rate = a * m * sinh(m * t), c = cos(t), s = sin(t);
  double along = (z + beta - 1) / (beta * z), across = rate / (beta * z);
  Q[0] = Q0 * (along * c - across * s);
  Q[1] = Q0 * (across * c + along * s);
  *lambda = q0 * (Q[1] * c - Q[0] * s) / Q0;
}

/* ---- example 4: x = (cos a, sin a), a'' = -cos a ---- */

static void swing(l13_solution *s, double h)
{
  double a = s->angle, w = s->rate, k1 = -cos(a), k2 = -cos(a + h / 2 * w);
  double k3 = -cos(a + h / 2 * (w + h / 2 * k1)), k4 = -cos(a + h * (w + h / 2 * k2));
  s->angle += h * (w + h / 6 * (k1 + k2 + k3));
  s->rate += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

/* classical Runge-Kutta method, with an error below 1e-13 for these steps */
static void pendulum(l13_solution *s, double t, double *x, double *y)
{
  int steps = (int)ceil((t - s->t) / 5e-4);
  for (int i = 0; i < steps; i++)
    swing(s, (t - s->t) / steps);
  s->t = t;
  double c = cos(s->angle), d = sin(s->angle), w = s->rate;
  x[0] = c;
  x[1] = d;
  x[2] = -w * d;
  x[3] = w * c;
  y[0] = w * w - d; /* |v|^2 - x2 */
  y[1] = 0;
}

/* ---- all examples ---- */

l13_solution l13_begin(l13_problem problem)
{
  return (l13_solution){.problem = problem};
}

void l13_solution_at(l13_solution *s, double t, double *x, double *y)
{
  switch (s->problem) {
  case L13_PLASTIC:
    plastic(t, x, y);
    return;
  case L13_HESSENBERG:
    x[0] = log1p(t);
    x[1] = y[0] = t / (1 + t);
    return;
  case L13_TRACK:
  case L13_ODE:
    x[0] = sin(t * t);
    x[1] = 2 * t * cos(t * t);
    x[2] = cos(t * t);
    x[3] = -2 * t * sin(t * t);
    y[0] = -4 * t * t;
    return;
  case L13_PENDULUM:
    pendulum(s, t, x, y);
    return;
  case L13_STRAIGHT:
    x[0] = 1 - t;
    x[1] = NAN; /* constant, not compared */
    return;
  default:
    x[0] = cos(t);
  }
}

/* ---- other schemes ---- */

/* exponential of (Q X/Q0, X)' = (0 a; a' 0) (Q X/Q0, X) for constant a = k q'/Q0 */
static void exponential(const double ha[2], double *Q)
{
  double size = hypot(ha[0], ha[1]), n[2] = {ha[0] / size, ha[1] / size};
  double u[2] = {Q[0] / Q0, Q[1] / Q0}, along = n[0] * u[0] + n[1] * u[1];
  double push = (cosh(size) - 1) * along + sinh(size), X = cosh(size) + sinh(size) * along;
  for (int i = 0; i < 2; i++)
    Q[i] = Q0 * (u[i] + push * n[i]) / X;
}

void l13_exponential_increment(double t, double h, double *Q)
{
  double beta = k_e * q0 / Q0;
  exponential((double[]){beta * (cos(t + h) - cos(t)), beta * (sin(t + h) - sin(t))}, Q);
}

static void exponential_at(double t, double h, double *Q)
{
  double beta = k_e * q0 / Q0;
  exponential((double[]){-h * beta * sin(t), h * beta * cos(t)}, Q);
}

void l13_exponential_middle(double t, double h, double *Q)
{
  exponential_at(t + h / 2, h, Q);
}

void l13_exponential_start(double t, double h, double *Q)
{
  exponential_at(t, h, Q);
}

void l13_return(double t, double h, double *Q)
{
  double rate[2] = {-k_e * q0 * sin(t + h / 2), k_e * q0 * cos(t + h / 2)}, next[2] = {Q[0], Q[1]};
  for (int sweep = 0; sweep < 100; sweep++) {
    double m[2] = {(Q[0] + next[0]) / 2, (Q[1] + next[1]) / 2};
    double flow = (m[0] * rate[0] + m[1] * rate[1]) / (Q0 * Q0);
    for (int i = 0; i < 2; i++)
      next[i] = Q[i] + h * (rate[i] - flow * m[i]);
  }
  double size = hypot(next[0], next[1]);
  for (int i = 0; i < 2; i++)
    Q[i] = Q0 * next[i] / size;
}
