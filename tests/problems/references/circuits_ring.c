/* circuits_ring.dae at t = 5 and 10: five lines of 15 coils and capacitors in a ring, in long
 * double by the classical Runge-Kutta method, whose two step sizes are extrapolated to order 5.
 *
 *   i_j' = n (v_{j-1} - v_j) - i_j/10,   v_j' = n (i_j - i_{j+1}) - (exp(2 v_j) - 1)/10,
 *   v_0 the source, i_{n+1} = v_n - z,   2 z_k - (z_{k-1} + z_{k+1})/2 = v_n of line k
 *
 * cc -O2 circuits_ring.c -lm, about half a minute */
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINES = 5, N = 15, LINE = 2 * N, SIZE = LINES * LINE };

/* z = sum_m c_m v_{k+m}, c = the inverse of the circulant (2, -1/2, 0, 0, -1/2) */
static void terminals(const long double *s, long double *z)
{
  const long double pi = acosl(-1);
  for (int k = 0; k < LINES; k++) {
    z[k] = 0;
    for (int m = 0; m < LINES; m++) {
      long double c = 0;
      for (int j = 0; j < LINES; j++)
        c += cosl(2 * pi * j * m / LINES) / (2 - cosl(2 * pi * j / LINES)) / LINES;
      z[k] += c * s[(k + m) % LINES * LINE + LINE - 1];
    }
  }
}

static void rates(long double t, const long double *s, long double *ds)
{
  const long double pi = acosl(-1);
  long double z[LINES];
  terminals(s, z);
  for (int k = 0; k < LINES; k++) {
    const long double *i = s + (size_t)k * LINE, *v = i + N;
    long double *di = ds + (size_t)k * LINE, *dv = di + N;
    for (int j = 0; j < N; j++) {
      long double before = j > 0 ? v[j - 1] : 0.5L + sinl(2 * t + 2 * pi * (k + 1) / 5);
      long double after = j < N - 1 ? i[j + 1] : v[j] - z[k];
      di[j] = N * (before - v[j]) - i[j] / 10;
      dv[j] = N * (i[j] - after) - (expl(2 * v[j]) - 1) / 10;
    }
  }
}

static void step(long double t, long double h, long double *s)
{
  static const long double at[4] = {0, 0.5L, 0.5L, 1}, weight[4] = {1, 2, 2, 1};
  long double k[SIZE] = {0}, y[SIZE], sum[SIZE] = {0};
  for (int stage = 0; stage < 4; stage++) {
    for (int i = 0; i < SIZE; i++)
      y[i] = s[i] + h * at[stage] * k[i];
    rates(t + h * at[stage], y, k);
    for (int i = 0; i < SIZE; i++)
      sum[i] += h * weight[stage] * k[i] / 6;
  }
  for (int i = 0; i < SIZE; i++)
    s[i] += sum[i];
}

/* t = 5 and t = 10 */
static void integrate(int steps, long double s[2][SIZE])
{
  long double h = 5.0L / steps;
  memset(s[0], 0, sizeof s[0]);
  for (int i = 0; i < steps; i++)
    step(i * h, h, s[0]);
  memcpy(s[1], s[0], sizeof s[0]);
  for (int i = 0; i < steps; i++)
    step(5 + i * h, h, s[1]);
}

int main(void)
{
  static long double fine[2][SIZE], coarse[2][SIZE];
  for (int steps = 5000; steps <= 10000; steps *= 2) {
    integrate(steps, coarse);
    integrate(2 * steps, fine);
    for (int end = 0; end < 2; end++) {
      long double s[SIZE], z[LINES];
      for (int i = 0; i < SIZE; i++)
        s[i] = fine[end][i] + (fine[end][i] - coarse[end][i]) / 15;
      terminals(s, z);
      printf("t = %d, %d steps: i[8] %.16Lf  v[1] %.16Lf  z", 5 * end + 5, steps, s[7], s[N]);
      for (int k = 0; k < LINES; k++)
        printf(" %.16Lf", z[k]);
      printf("\n");
    }
  }
  return 0;
}
