/* Tip of the hanging chain at t = 1 in relative coordinates, which need no constraints: angles
 * phi_i of the links from the downward vertical, N masses 1/N on links 1/N,
 *
 *   sum_j w_ij cos(phi_i - phi_j) phi_j'' + sum_j w_ij sin(phi_i - phi_j) phi_j'^2
 *     = -g (N - i + 1) sin(phi_i) N,     w_ij = N + 1 - max(i, j),  i, j = 1..N
 *
 * classical Runge-Kutta in long double with Richardson extrapolation of the tip over two step
 * sizes. chain N mode|horizontal STEPS; the two last columns are the difference of the two runs.
 * cc -O2 chain.c -lm */
#define _XOPEN_SOURCE 600 /* j0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef long double real;
static int N;

static void accelerations(const real *phi, const real *om, real *acc, real *A)
{
  for (int i = 0; i < N; i++) {
    real s = -9.81L * (N - i) * N * sinl(phi[i]);
    for (int j = 0; j < N; j++) {
      real w = N - (i > j ? i : j);
      A[i * N + j] = w * cosl(phi[i] - phi[j]);
      s -= w * sinl(phi[i] - phi[j]) * om[j] * om[j];
    }
    acc[i] = s;
  }
  for (int k = 0; k < N; k++) /* A is symmetric and positive definite: no pivots */
    for (int i = k + 1; i < N; i++) {
      real l = A[i * N + k] / A[k * N + k];
      for (int j = k + 1; j < N; j++)
        A[i * N + j] -= l * A[k * N + j];
      acc[i] -= l * acc[k];
    }
  for (int i = N - 1; i >= 0; i--) {
    for (int j = i + 1; j < N; j++)
      acc[i] -= A[i * N + j] * acc[j];
    acc[i] /= A[i * N + i];
  }
}

static void run(int horizontal, long steps, real tip[2])
{
  real *m = calloc((size_t)(7 * N + N * N), sizeof *m), *phi = m, *om = m + N, *p = m + 2 * N;
  real *o = m + 3 * N, *a = m + 4 * N, *dp = m + 5 * N, *dv = m + 6 * N, *A = m + 7 * N;
  const real h = 1.0L / (real)steps, node[4] = {0, 0.5L, 0.5L, 1}, weight[4] = {1, 2, 2, 1};
  double x0 = 2.404825557695773;
  for (int i = 0; i < N; i++)
    phi[i] = horizontal ? acosl(-1) / 2
                        : asinl(0.1L * N *
                                ((real)j0(x0 * sqrt(1 - (i + 1.0) / N)) -
                                 (real)j0(x0 * sqrt(1 - (double)i / N))));
  for (long n = 0; n < steps; n++) {
    for (int i = 0; i < N; i++)
      dp[i] = dv[i] = a[i] = o[i] = 0;
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < N; i++) {
        p[i] = phi[i] + node[s] * h * (s ? o[i] : 0);
        o[i] = om[i] + node[s] * h * a[i];
      }
      accelerations(p, o, a, A);
      for (int i = 0; i < N; i++) {
        dp[i] += weight[s] * o[i];
        dv[i] += weight[s] * a[i];
      }
    }
    for (int i = 0; i < N; i++) {
      phi[i] += h / 6 * dp[i];
      om[i] += h / 6 * dv[i];
    }
  }
  tip[0] = tip[1] = 0;
  for (int i = 0; i < N; i++) {
    tip[0] += sinl(phi[i]) / N;
    tip[1] -= cosl(phi[i]) / N;
  }
  free(m);
}

int main(int argc, char **argv)
{
  if (argc != 4)
    return 1;
  N = atoi(argv[1]);
  real coarse[2], fine[2];
  long steps = atol(argv[3]);
  run(argv[2][0] == 'h', steps, coarse);
  run(argv[2][0] == 'h', 2 * steps, fine);
  printf("%.15Lf %.15Lf  (%.1Le %.1Le)\n", fine[0] + (fine[0] - coarse[0]) / 15,
         fine[1] + (fine[1] - coarse[1]) / 15, fine[0] - coarse[0], fine[1] - coarse[1]);
  return 0;
}
