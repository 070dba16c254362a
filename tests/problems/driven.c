/* Mechanical problems with more than constraints: a motor with a lag (extra state) and a nonlinear
 * characteristic (algebraic variable), and a ball whose bounces are events. References:
 * references/references.py (the motor in the pendulum's angle, the cubic solved in closed form). */
#include "problems/problems.h"

#include <math.h>
#include <stddef.h>

/* -- motor: a pendulum in Cartesian coordinates, torque u about the anchor,
 *
 *      u' = (w - u)/lag,   0 = w + bend w^3 - drive cos(2t) + back omega,   omega = x vy - y vx
 */

typedef struct motor_params {
  double lag, bend, drive, back, gravity;
} motor_params;

static const motor_params motor_values = {
    .lag = 0.2, .bend = 0.2, .drive = 6, .back = 0.5, .gravity = 9.81};

static int motor_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = M[3] = 1;
  M[1] = M[2] = 0;
  return 0;
}

static int motor_f(void *user, const dae_mechanical_at *at, double *f)
{
  const motor_params *p = user;
  double u = at->u[0];
  f[0] = -u * at->q[1];
  f[1] = u * at->q[0] - p->gravity;
  return 0;
}

static int motor_s(void *user, const dae_mechanical_at *at, double *s)
{
  const motor_params *p = user;
  s[0] = (at->w[0] - at->u[0]) / p->lag;
  return 0;
}

static int motor_c(void *user, const dae_mechanical_at *at, double *c)
{
  const motor_params *p = user;
  double w = at->w[0], omega = at->q[0] * at->v[1] - at->q[1] * at->v[0];
  c[0] = w + p->bend * w * w * w - p->drive * cos(2 * at->t) + p->back * omega;
  return 0;
}

static int motor_J(void *user, const dae_mechanical_at *at, double *J)
{
  const motor_params *p = user;
  const double *q = at->q, *v = at->v;
  double u = at->u[0], w = at->w[0];
  for (int i = 0; i < 24; i++)
    J[i] = 0;
  J[0 + 1] = u; /* rows f1, f2, s, c; columns x, y, vx, vy, u, w */
  J[0 + 3] = p->back * v[1];
  J[4 + 0] = -u;
  J[4 + 3] = -p->back * v[0];
  J[8 + 3] = -p->back * q[1];
  J[12 + 3] = p->back * q[0];
  J[16 + 0] = -q[1];
  J[16 + 1] = q[0];
  J[16 + 2] = -1 / p->lag;
  J[20 + 2] = 1 / p->lag;
  J[20 + 3] = 1 + 3 * p->bend * w * w;
  return 0;
}

static int motor_g(void *user, const dae_mechanical_at *at, double *g)
{
  (void)user;
  g[0] = at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1;
  return 0;
}

static int motor_G(void *user, const dae_mechanical_at *at, double *G)
{
  (void)user;
  G[0] = 2 * at->q[0];
  G[1] = 2 * at->q[1];
  return 0;
}

static int motor_gamma(void *user, const dae_mechanical_at *at, double *gamma)
{
  (void)user;
  gamma[0] = 2 * (at->v[0] * at->v[0] + at->v[1] * at->v[1]);
  return 0;
}

static int motor_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  const motor_params *p = user;
  *T = (at->v[0] * at->v[0] + at->v[1] * at->v[1]) / 2;
  *V = p->gravity * at->q[1];
  return 0;
}

test_problem test_motor(void)
{
  static const char *const q_names[] = {"x", "y"}, *const g_names[] = {"rod"};
  static const char *const u_names[] = {"torque"}, *const w_names[] = {"voltage"};
  static const dae_mechanical motor = {.name = "motor",
                                       .nq = 2,
                                       .ng = 1,
                                       .nu = 1,
                                       .nw = 1,
                                       .user = (void *)&motor_values,
                                       .q_names = q_names,
                                       .u_names = u_names,
                                       .w_names = w_names,
                                       .g_names = g_names,
                                       .M = motor_M,
                                       .f = motor_f,
                                       .s = motor_s,
                                       .c = motor_c,
                                       .g = motor_g,
                                       .G = motor_G,
                                       .gamma = motor_gamma,
                                       .J = motor_J,
                                       .energy = motor_energy,
                                       .constant_mass = true,
                                       .time_free_g = true};
  static const double start[] = {0, -1, 0, 0, 0, 2.577053202120514036, 0};
  static const double end[] = {-0.68226155963859565823, -0.7311081754703000036,
                               -0.24051382306843315304, 0.22444467391676220675,
                               -2.2296549607185651185,  -2.045549220328086947,
                               3.64019675605011916};
  return (test_problem){.name = "motor",
                        .problem = {.mechanical = &motor},
                        .start = {.y = start},
                        .to = 2,
                        .size = 7,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true};
}

/* -- bouncing ball: q = (x, y), no constraint, restitution 0.8 at y = 0 -- */

static int ball_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at;
  f[0] = 0;
  f[1] = -9.81;
  return 0;
}

static int ball_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  (void)user;
  *T = (at->v[0] * at->v[0] + at->v[1] * at->v[1]) / 2;
  *V = 9.81 * at->q[1];
  return 0;
}

static int ball_height(void *user, double t, const double *y, double *value)
{
  (void)user, (void)t;
  *value = y[1];
  return 0;
}

static int ball_bounce(void *user, double t, const double *before, double *after)
{
  (void)user, (void)t;
  after[3] = -0.8 * before[3];
  return 0;
}

test_problem test_bouncing_ball(void)
{
  static const char *const q_names[] = {"x", "y"};
  static const dae_mechanical ball = {.name = "bouncing_ball",
                                      .nq = 2,
                                      .q_names = q_names,
                                      .M = motor_M,
                                      .f = ball_f,
                                      .energy = ball_energy,
                                      .constant_mass = true};
  static const dae_event bounce[] = {
      {.name = "bounce", .direction = -1, .value = ball_height, .action = ball_bounce}};
  static const double start[] = {0, 1, 1, 0};
  static const double end[] = {1.5, 0.40286202182029803914, 1, -0.36359198545313464057};
  return (test_problem){.name = "bouncing_ball",
                        .problem = {.mechanical = &ball},
                        .start = {.y = start},
                        .to = 1.5,
                        .size = 4,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true,
                        .events = bounce,
                        .event_count = 1,
                        .hits = 2};
}
