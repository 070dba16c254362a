/* The solution of [WHM11 (19)] from rest, and the constants of its convergence analysis.
 *
 * M^-1 K has the eigenvalues 7/15, 1/2, 1/2, the latter with one vector only: with
 * c1 = cosh(t sqrt(7/15)), c2 = cosh(t/sqrt 2), s2 = sinh(t/sqrt 2) and k = 5 sqrt(2)/4,
 *
 *   x1 = 64 c1 - 63 c2 + k t s2 - 1,    y1 = -8 c1 + 10 c2 - 2,    x2 = 2 y1,
 *   y2 = -56 c1 + 58 c2 - k t s2 - 2,   lambda = 368/15 c1 - 24 c2 + k/2 t s2 - 2. */
#include "whm11.h"

#include <string.h>

void whm11_exact(double t, double *values)
{
  double c1 = cosh(t * sqrt(7.0 / 15)), c2 = cosh(t / sqrt(2));
  double kts = 5 * sqrt(2) / 4 * t * sinh(t / sqrt(2));
  values[0] = 64 * c1 - 63 * c2 + kts - 1;
  values[2] = -8 * c1 + 10 * c2 - 2;
  values[1] = 2 * values[2];
  values[3] = -56 * c1 + 58 * c2 - kts - 2;
  values[4] = 368.0 / 15 * c1 - 24 * c2 + kts / 2 - 2;
}

void whm11_exact_printed(double t, double *values)
{
  static const struct {
    double t, values[WHM11_VALUES];
  } known[] = {
      {2,
       {2.31272802842373371448, 5.841827151024724057294, 2.920913575512362028647,
        0.4372406022271907331975, 2.799206272772538401344}},
      {3,
       {7.171658907431695958822, 15.70272238447698091374, 7.85136119223849045687,
        0.1797189499625043399606, 9.762221019220515313093}},
      {10,
       {2820.075645501408695451, 2928.595034196893207046, 1464.297517098446603523,
        -377.9221058689660489485, 2139.558752809547526025}},
  };
  for (int i = 0; i < 3; i++)
    if (known[i].t == t)
      memcpy(values, known[i].values, sizeof known[i].values);
}

/* A = [5 1; 2 7]/11 = Q diag(r) P, P = Q^-1; columns of Q: (1, 11 r - 5) */
whm11_bound whm11_bound_of(double window, double series)
{
  whm11_bound b = {0};
  const double slope[2] = {1 - sqrt(3), 1 + sqrt(3)}; /* q21, q22; q11 = q12 = 1 */
  double det = slope[1] - slope[0], h2 = window * window;
  for (int i = 0; i < 2; i++) {
    double r = (5 + slope[i]) / 11, sign = i == 0 ? 1 : -1;
    double p1 = sign * slope[1 - i] / det, p2 = -sign / det; /* row of P */
    double part = fabs(slope[i]) * fabs(p1 - 4 * p2);
    b.E += r * part / 22;
    b.F += part / 11;
  }
  double a = (b.E / 8 + b.F / series) * h2 + b.F / 8, c = -b.F / 2 * h2;
  double p = (b.F / 16 - b.E) * h2 - b.F;
  b.beta = (-p + sqrt(p * p - 4 * a * c)) / (2 * a);
  b.gamma = b.F / 16 * h2 + b.beta * a;
  return b;
}
