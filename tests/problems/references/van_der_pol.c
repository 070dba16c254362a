/* van der Pol at t = 2, eps = 1e-6, from (2, 0): Taylor series of order 20 in long double, with
 * steps far below the fast time scale. Prints the result for two truncation tolerances.
 * cc -O2 van_der_pol.c -lm */
#include <math.h>
#include <stdio.h>

enum { ORDER = 20 };

static void integrate(long double tol)
{
  const long double eps = 1e-6L, T = 2;
  long double x[ORDER + 1] = {2}, y[ORDER + 1] = {0}, t = 0;
  long steps = 0;
  while (t < T) {
    long double s[ORDER + 1]; /* 1 - x^2 */
    for (int k = 0; k < ORDER; k++) {
      long double xx = 0, sy = 0;
      for (int j = 0; j <= k; j++)
        xx += x[j] * x[k - j];
      s[k] = (k == 0) - xx;
      for (int j = 0; j <= k; j++)
        sy += s[j] * y[k - j];
      x[k + 1] = y[k] / (k + 1);
      y[k + 1] = (sy - x[k]) / eps / (k + 1);
    }
    /* the last two terms of y, relative to its size, stay below the tolerance */
    long double size = 1 + fabsl(y[0]), h = T - t;
    for (int k = ORDER - 1; k <= ORDER; k++)
      h = fminl(h, powl(tol * size / (fabsl(y[k]) + 1e-4000L), 1.0L / k));
    long double nx = 0, ny = 0;
    for (int k = ORDER; k >= 0; k--) {
      nx = nx * h + x[k];
      ny = ny * h + y[k];
    }
    x[0] = nx;
    y[0] = ny;
    t = h == T - t ? T : t + h;
    steps++;
  }
  printf("%.18Lf %.18Lf  (%ld steps)\n", x[0], y[0], steps);
}

int main(void)
{
  integrate(1e-17L);
  integrate(1e-19L);
  return 0;
}
