/* Examples of [L13], with the misprints put right:
 *
 *   1  Q' = k q' - (k lambda / Q0) Q,   |Q|^2 = Q0^2,   q = q0 (cos wt, sin wt)
 *   2  x1' = t x2^2 + lambda t + g1,  x2' = t exp(x1) + t lambda + g2,  x1 + t x2 + g3 = 0,
 *      exact: x1 = log(1 + t), x2 = lambda = t/(1 + t)
 *   3  x1' = x2, x2' = 2 x3 + lambda x1, x3' = x4, x4' = -2 x1 + lambda x3, x1 x2 + x3 x4 = 0,
 *      exact: x1 = sin t^2, x3 = cos t^2, lambda = -4 t^2
 *   4  the pendulum x1^2 + x2^2 = 1 in the stabilised form */
#include "problems/l13.h"

#include <math.h>
#include <stddef.h>

/* ---- example 1 ---- */

static const double k_e = 200000, Q0 = 200, q0 = 0.002; /* w = 1, beta = 2, theta0 = 0 */

static int plastic_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *Q = at->x, lambda = at->y[0];
  (void)user;
  f[0] = -k_e * q0 * sin(at->t) - k_e * lambda / Q0 * Q[0];
  f[1] = k_e * q0 * cos(at->t) - k_e * lambda / Q0 * Q[1];
  return 0;
}

static int plastic_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  const double *Q = at->x;
  (void)user;
  F[0] = Q[0] * Q[0] + Q[1] * Q[1] - Q0 * Q0;
  return 0;
}

static int plastic_J(void *user, const dae_semi_explicit_at *at, double *J)
{
  const double *Q = at->x, c = -k_e / Q0;
  const double out[9] = {c * at->y[0], 0,        2 * Q[0], 0, c * at->y[0],
                         2 * Q[1],     c * Q[0], c * Q[1], 0};
  (void)user;
  for (int i = 0; i < 9; i++)
    J[i] = out[i];
  return 0;
}

/* z' = beta w B, and so on: see (33), (34) */
static void plastic_exact(double t, double *z)
{
  double beta = 2, m = sqrt(beta * beta - 1), a = (beta * beta - beta) / (m * m);
  double Z = 1 + a * (cosh(m * t) - 1), dZ = a * m * sinh(m * t), c = cos(t), s = sin(t);
  z[0] = Q0 * ((Z + beta - 1) / (beta * Z) * c - dZ / (beta * Z) * s);
  z[1] = Q0 * (dZ / (beta * Z) * c + (Z + beta - 1) / (beta * Z) * s);
  z[2] = q0 * (-z[0] * s + z[1] * c) / Q0; /* Q.q' / Q0 */
}

/* ---- example 2 ---- */

static int hessenberg_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  double t = at->t, below = (1 + t) * (1 + t), lambda = at->y[0];
  (void)user;
  f[0] = t * at->x[1] * at->x[1] + lambda * t + (1 + t - t * t - 2 * t * t * t) / below;
  f[1] =
      t * exp(at->x[0]) + t * lambda + (1 - t - 4 * t * t - 4 * t * t * t - t * t * t * t) / below;
  return 0;
}

static int hessenberg_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  double t = at->t;
  (void)user;
  F[0] = at->x[0] + t * at->x[1] - log1p(t) - t * t / (1 + t);
  return 0;
}

static int hessenberg_J(void *user, const dae_semi_explicit_at *at, double *J)
{
  double t = at->t;
  const double out[9] = {0, t * exp(at->x[0]), 1, 2 * t * at->x[1], 0, t, t, t, 0};
  (void)user;
  for (int i = 0; i < 9; i++)
    J[i] = out[i];
  return 0;
}

static int hessenberg_F_t(void *user, const dae_semi_explicit_at *at, double *F_t)
{
  double t = at->t, below = 1 + t;
  (void)user;
  F_t[0] = at->x[1] - 1 / below - (2 * t * below - t * t) / (below * below);
  return 0;
}

/* ---- example 3 ---- */

static int track_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *x = at->x, lambda = at->y[0];
  (void)user;
  f[0] = x[1];
  f[1] = 2 * x[2] + lambda * x[0];
  f[2] = x[3];
  f[3] = -2 * x[0] + lambda * x[2];
  return 0;
}

static int track_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  const double *x = at->x;
  (void)user;
  F[0] = x[0] * x[1] + x[2] * x[3];
  return 0;
}

static int track_J(void *user, const dae_semi_explicit_at *at, double *J)
{
  const double *x = at->x, l = at->y[0];
  const double out[25] = {0, l,    0, -2, x[1], 1, 0,    0, 0,    x[0], 0,    2, 0,
                          l, x[3], 0, 0,  1,    0, x[2], 0, x[0], 0,    x[2], 0};
  (void)user;
  for (int i = 0; i < 25; i++)
    J[i] = out[i];
  return 0;
}

static int track_ggl_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *x = at->x, mu = at->y[1];
  track_f(user, at, f);
  f[0] -= mu * x[0];
  f[2] -= mu * x[2];
  return 0;
}

static int track_ggl_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  const double *x = at->x;
  track_F(user, at, F);
  F[1] = (x[0] * x[0] + x[2] * x[2] - 1) / 2;
  return 0;
}

static int track_ggl_J(void *user, const dae_semi_explicit_at *at, double *J)
{
  const double *x = at->x, l = at->y[0], mu = at->y[1];
  const double out[36] = {-mu, l,    0,   -2,   x[1], x[0], 1,     0, 0,     0, x[0], 0,
                          0,   2,    -mu, l,    x[3], x[2], 0,     0, 1,     0, x[2], 0,
                          0,   x[0], 0,   x[2], 0,    0,    -x[0], 0, -x[2], 0, 0,    0};
  (void)user;
  for (int i = 0; i < 36; i++)
    J[i] = out[i];
  return 0;
}

static int ode_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *x = at->x, v2 = x[1] * x[1] + x[3] * x[3];
  (void)user;
  f[0] = x[1];
  f[1] = 2 * x[2] - x[0] * v2;
  f[2] = x[3];
  f[3] = -2 * x[0] - x[2] * v2;
  return 0;
}

/* ---- example 4 ---- */

static int pendulum_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *x = at->x, *y = at->y;
  (void)user;
  f[0] = x[2] - y[1] * x[0];
  f[1] = x[3] - y[1] * x[1];
  f[2] = -y[0] * x[0];
  f[3] = -y[0] * x[1] - 1;
  return 0;
}

static int pendulum_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  const double *x = at->x;
  (void)user;
  F[0] = x[0] * x[2] + x[1] * x[3];
  F[1] = (x[0] * x[0] + x[1] * x[1] - 1) / 2;
  return 0;
}

static int pendulum_J(void *user, const dae_semi_explicit_at *at, double *J)
{
  const double *x = at->x, l = at->y[0], mu = at->y[1];
  const double out[36] = {-mu, 0, -l,    0,     x[2], x[0], 0,     -mu,   0, -l, x[3], x[1],
                          1,   0, 0,     0,     x[0], 0,    0,     1,     0, 0,  x[1], 0,
                          0,   0, -x[0], -x[1], 0,    0,    -x[0], -x[1], 0, 0,  0,    0};
  (void)user;
  for (int i = 0; i < 36; i++)
    J[i] = out[i];
  return 0;
}

/* ---- all of them ---- */

#define SEMI(label, n, m, f_of, F_of, J_of)                                                        \
  {                                                                                                \
    .name = label, .nx = n, .ny = m, .f = f_of, .F = F_of, .J = J_of                               \
  }

static const dae_semi_explicit given[L13_EXAMPLES] = {
    [L13_PLASTIC] = SEMI("plastic", 2, 1, plastic_f, plastic_F, plastic_J),
    [L13_HESSENBERG] = {.name = "hessenberg",
                        .nx = 2,
                        .ny = 1,
                        .f = hessenberg_f,
                        .F = hessenberg_F,
                        .J = hessenberg_J,
                        .F_t = hessenberg_F_t},
    [L13_TRACK] = SEMI("track", 4, 1, track_f, track_F, track_J),
    [L13_TRACK_GGL] = SEMI("track_ggl", 4, 2, track_ggl_f, track_ggl_F, track_ggl_J),
    [L13_PENDULUM] = SEMI("pendulum", 4, 2, pendulum_f, pendulum_F, pendulum_J),
    [L13_ODE] = SEMI("track_ode", 4, 0, ode_f, NULL, NULL)};

static const dae_semi_explicit bare[L13_EXAMPLES] = {
    [L13_PLASTIC] = SEMI("plastic", 2, 1, plastic_f, plastic_F, NULL),
    [L13_HESSENBERG] = SEMI("hessenberg", 2, 1, hessenberg_f, hessenberg_F, NULL),
    [L13_TRACK] = SEMI("track", 4, 1, track_f, track_F, NULL),
    [L13_TRACK_GGL] = SEMI("track_ggl", 4, 2, track_ggl_f, track_ggl_F, NULL),
    [L13_PENDULUM] = SEMI("pendulum", 4, 2, pendulum_f, pendulum_F, NULL),
    [L13_ODE] = SEMI("track_ode", 4, 0, ode_f, NULL, NULL)};

void l13_exact(l13_example which, double t, double *z)
{
  double s = sin(t * t), c = cos(t * t);
  switch (which) {
  case L13_PLASTIC:
    plastic_exact(t, z);
    return;
  case L13_HESSENBERG:
    z[0] = log1p(t);
    z[1] = z[2] = t / (1 + t);
    return;
  case L13_TRACK:
  case L13_TRACK_GGL:
  case L13_ODE:
    z[0] = s, z[1] = 2 * t * c, z[2] = c, z[3] = -2 * t * s;
    if (which != L13_ODE)
      z[4] = -4 * t * t;
    if (which == L13_TRACK_GGL)
      z[5] = 0;
    return;
  default:
    break;
  }
  /* 20 digits, from elliptic functions */
  static const double at_2[] = {-0.20419321478828042252, -0.97893060583190838214,
                                -1.3697548850034141373,  0.28571448453499951468,
                                2.9367918174957251464,   0};
  static const double at_10[] = {-0.81158644619130383427, -0.58423235134539570106,
                                 -0.63152914906501758095, 0.87728879884106932896,
                                 1.7526970540361871032,   0};
  for (int i = 0; i < 6; i++)
    z[i] = t == 2 ? at_2[i] : t == 10 ? at_10[i] : NAN;
}

test_problem l13_problem(l13_example which, bool derivatives)
{
  static const double starts[L13_EXAMPLES][6] = {
      [L13_PLASTIC] = {200, 0, 0},         [L13_HESSENBERG] = {0, 0, 0},
      [L13_TRACK] = {0, 0, 1, 0, 0},       [L13_TRACK_GGL] = {0, 0, 1, 0, 0, 0},
      [L13_PENDULUM] = {1, 0, 0, 0, 0, 0}, [L13_ODE] = {0, 0, 1, 0}};
  static const double ends[L13_EXAMPLES] = {10, 1, 1, 1, 10, 1};
  const dae_semi_explicit *p = derivatives ? &given[which] : &bare[which];
  return (test_problem){.name = p->name,
                        .problem = {.semi_explicit = p},
                        .start = {.y = starts[which]},
                        .to = ends[which],
                        .size = p->nx + p->ny,
                        .consistent = true};
}
