/* curv_ham, in the momentum form: the pendulum in the coordinates X = q1 + 0.3 q2^2, Y = q2 by its
 * Hamiltonian H = (a^2 + b^2)/2 + Y, where a = X' = z1, b = Y' = z2 - 0.6 q2 z1. */
#include "j09.h"

#include <daedal/momentum.h>

#define C 0.6

static double X_of(const dae_momentum_at *at)
{
  return at->y[0] + C / 2 * at->y[1] * at->y[1];
}

static double b_of(const dae_momentum_at *at)
{
  return at->z[1] - C * at->y[1] * at->z[0];
}

/* dH/dz */
static int v(void *user, const dae_momentum_at *at, double *v)
{
  double b = b_of(at);
  (void)user;
  v[0] = at->z[0] - C * at->y[1] * b;
  v[1] = b;
  return 0;
}

static int v_z(void *user, const dae_momentum_at *at, double *out)
{
  double Y = at->y[1];
  (void)user;
  out[0] = 1 + C * C * Y * Y;
  out[1] = out[2] = -C * Y;
  out[3] = 1;
  return 0;
}

/* -dH/dq */
static int f(void *user, const dae_momentum_at *at, const double *psi, double *f)
{
  (void)user, (void)psi;
  f[0] = 0;
  f[1] = C * at->z[0] * b_of(at) - 1;
  return 0;
}

static int circle(void *user, const dae_momentum_at *at, double *g)
{
  double X = X_of(at), Y = at->y[1];
  (void)user;
  g[0] = (X * X + Y * Y - 1) / 2;
  return 0;
}

static int circle_y(void *user, const dae_momentum_at *at, double *g_y)
{
  double X = X_of(at), Y = at->y[1];
  (void)user;
  g_y[0] = X;
  g_y[1] = C * Y * X + Y;
  return 0;
}

/* gdot = X a + Y b */
static int circle_rate_y(void *user, const dae_momentum_at *at, double *out)
{
  (void)user;
  out[0] = at->z[0];
  out[1] = b_of(at);
  return 0;
}

static int r(void *user, const dae_momentum_at *at, const double *lambda, double *r)
{
  circle_y(user, at, r);
  r[0] *= -lambda[0];
  r[1] *= -lambda[0];
  return 0;
}

static int r_lambda(void *user, const dae_momentum_at *at, const double *lambda, double *out)
{
  static const double one = 1;
  (void)lambda;
  return r(user, at, &one, out);
}

static const char *const names[] = {"circle"};
static const dae_momentum problem = {.name = "curv_ham",
                                     .ny = 2,
                                     .nz = 2,
                                     .ng = 1,
                                     .g_names = names,
                                     .v = v,
                                     .f = f,
                                     .r = r,
                                     .g = circle,
                                     .v_z = v_z,
                                     .r_lambda = r_lambda,
                                     .g_y = circle_y,
                                     .gdot_y = circle_rate_y,
                                     .time_free_g = true};
static const double start[] = {1, 0, 0, 0, 0};

void j09_curv_ham(dae_run_plan *plan)
{
  *plan = (dae_run_plan){.problem = dae_problem_momentum(&problem), .start = {.y = start}, .to = 2};
}
