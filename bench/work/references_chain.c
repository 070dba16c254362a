/* Tips of chains at t = 1, independently of the library: Cartesian coordinates with accelerations
 * eliminated. Masses 1/N and rods of length 1/N make the Schur complement of the multipliers
 * tridiagonal. Classical Runge-Kutta, whose steps are far below the stability limit of 1/N; the
 * rods keep their length to the accuracy of the steps.
 *
 *   references_chain N mode|horizontal STEPS
 *
 * prints the tip for STEPS and for twice as many.
 * cc -O2 references_chain.c -lm */
#define _XOPEN_SOURCE 600 /* j0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int N;
static double *dx, *dy, *diagonal, *side, *tension; /* of the rods, and of the Schur complement */

/* a: accelerations, for positions q = (x1, y1, x2, ...) and velocities v. With rods d_i = q_i -
 * q_(i-1) and tensions s_i, (x_i'', y_i'') = -g + N (s_(i+1) d_(i+1) - s_i d_i), and d_i . d_i'' +
 * d_i' . d_i' = 0 for all rods. The anchor does not move, so that the first rod feels gravity. */
static void accelerate(const double *q, const double *v, double *a)
{
  for (int i = 0; i < N; i++) {
    double ux = v[2 * i], uy = v[2 * i + 1];
    dx[i] = q[2 * i] - (i > 0 ? q[2 * i - 2] : 0);
    dy[i] = q[2 * i + 1] - (i > 0 ? q[2 * i - 1] : 0);
    if (i > 0) {
      ux -= v[2 * i - 2];
      uy -= v[2 * i - 1];
    }
    tension[i] = (ux * ux + uy * uy) / N - (i > 0 ? 0 : 9.81 * dy[0] / N);
  }
  for (int i = 0; i < N; i++) {
    diagonal[i] = (i > 0 ? 2 : 1) * (dx[i] * dx[i] + dy[i] * dy[i]);
    side[i] = i > 0 ? -(dx[i] * dx[i - 1] + dy[i] * dy[i - 1]) : 0;
  }
  for (int i = 1; i < N; i++) { /* symmetric, positive definite */
    double l = side[i] / diagonal[i - 1];
    diagonal[i] -= l * side[i];
    tension[i] -= l * tension[i - 1];
  }
  tension[N - 1] /= diagonal[N - 1];
  for (int i = N - 2; i >= 0; i--)
    tension[i] = (tension[i] - side[i + 1] * tension[i + 1]) / diagonal[i];
  for (int i = 0; i < N; i++) {
    double fx = -tension[i] * dx[i], fy = -tension[i] * dy[i];
    if (i + 1 < N) {
      fx += tension[i + 1] * dx[i + 1];
      fy += tension[i + 1] * dy[i + 1];
    }
    a[2 * i] = N * fx;
    a[2 * i + 1] = N * fy - 9.81;
  }
}

static double across(double s)
{
  return 0.1 * j0(2.404825557695773 * sqrt(1 - s));
}

static void start(int mode, double *q)
{
  double x = 0, y = 0;
  for (int i = 1; i <= N; i++) {
    double sine = mode ? (across((double)i / N) - across((i - 1.) / N)) * N : 1;
    x += sine / N;
    y -= sqrt(1 - sine * sine) / N;
    q[2 * i - 2] = x;
    q[2 * i - 1] = y;
  }
}

/* the stages of y = (q, v) in turn; sum collects them */
static void integrate(long steps, double *y)
{
  const int n = 2 * N;
  double h = 1. / (double)steps;
  double *z = malloc((size_t)(6 * n) * sizeof *z), *k = z + 2 * n, *sum = k + 2 * n;
  static const double node[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  if (!z)
    exit(1);
  for (long step = 0; step < steps; step++) {
    memcpy(sum, y, (size_t)(2 * n) * sizeof *sum);
    for (int stage = 0; stage < 4; stage++) {
      for (int i = 0; i < 2 * n; i++)
        z[i] = stage > 0 ? y[i] + h * node[stage] * k[i] : y[i];
      memcpy(k, z + n, (size_t)n * sizeof *k);
      accelerate(z, z + n, k + n);
      for (int i = 0; i < 2 * n; i++)
        sum[i] += h * weight[stage] * k[i];
    }
    memcpy(y, sum, (size_t)(2 * n) * sizeof *sum);
  }
  free(z);
}

int main(int argc, char **argv)
{
  if (argc != 4)
    return 2;
  N = atoi(argv[1]);
  long steps = atol(argv[3]);
  double *y = N > 0 ? malloc((size_t)(9 * N) * sizeof *y) : NULL;
  if (!y)
    return 1;
  dx = y + 4 * N;
  dy = dx + N;
  diagonal = dy + N;
  side = diagonal + N;
  tension = side + N;
  for (int twice = 1; twice <= 2; twice++) {
    memset(y, 0, (size_t)(4 * N) * sizeof *y);
    start(strcmp(argv[2], "mode") == 0, y);
    integrate(twice * steps, y);
    printf("%d %s %ld: %.15g %.15g, length of the last rod %.3g off\n", N, argv[2], twice * steps,
           y[2 * N - 2], y[2 * N - 1],
           hypot(y[2 * N - 2] - y[2 * N - 4], y[2 * N - 1] - y[2 * N - 3]) * N - 1);
  }
  return 0;
}
