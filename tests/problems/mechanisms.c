/* Mechanisms of rigid bodies: a slider crank in mixed coordinates, and a platform on three
 * parallel bars, one of which is redundant. References: references/references.py. */
#include "problems/problems.h"

#include <math.h>
#include <stddef.h>

/* -- slider crank: q = (a, x, y, b, s), a the crank's angle about its fixed end, (x, y) and b the
 *    rod's centre and angle, s the slider's position on the x axis -- */

typedef struct crank_params {
  double l1, l2;          /* lengths of crank and rod */
  double m1, m2, m3;      /* masses of crank, rod, slider; crank and rod are uniform */
  double J1, J2, gravity; /* crank about its fixed end, rod about its centre */
} crank_params;

static const crank_params crank_values = {.l1 = 0.5,
                                          .l2 = 1.25,
                                          .m1 = 1,
                                          .m2 = 2,
                                          .m3 = 3,
                                          .J1 = 0.25 / 3,
                                          .J2 = 3.125 / 12,
                                          .gravity = 9.81};

static int crank_M(void *user, const dae_mechanical_at *at, double *M)
{
  const crank_params *p = user;
  const double mass[5] = {p->J1, p->m2, p->m2, p->J2, p->m3};
  (void)at;
  for (int i = 0; i < 25; i++)
    M[i] = i % 6 == 0 ? mass[i / 6] : 0;
  return 0;
}

static int crank_f(void *user, const dae_mechanical_at *at, double *f)
{
  const crank_params *p = user;
  f[0] = -p->m1 * p->gravity * p->l1 / 2 * cos(at->q[0]);
  f[1] = f[3] = f[4] = 0;
  f[2] = -p->m2 * p->gravity;
  return 0;
}

static int crank_J(void *user, const dae_mechanical_at *at, double *J)
{
  const crank_params *p = user;
  for (int i = 0; i < 50; i++)
    J[i] = 0;
  J[0] = p->m1 * p->gravity * p->l1 / 2 * sin(at->q[0]);
  return 0;
}

static int crank_g(void *user, const dae_mechanical_at *at, double *g)
{
  const crank_params *p = user;
  const double *q = at->q;
  double cx = p->l2 / 2 * cos(q[3]), cy = p->l2 / 2 * sin(q[3]);
  g[0] = q[1] - cx - p->l1 * cos(q[0]);
  g[1] = q[2] - cy - p->l1 * sin(q[0]);
  g[2] = q[1] + cx - q[4];
  g[3] = q[2] + cy;
  return 0;
}

static int crank_G(void *user, const dae_mechanical_at *at, double *G)
{
  const crank_params *p = user;
  const double *q = at->q;
  double cx = p->l2 / 2 * cos(q[3]), cy = p->l2 / 2 * sin(q[3]);
  for (int i = 0; i < 20; i++)
    G[i] = 0;
  G[0] = p->l1 * sin(q[0]);
  G[1] = -p->l1 * cos(q[0]);
  G[4 + 0] = G[4 + 2] = 1;
  G[8 + 1] = G[8 + 3] = 1;
  G[12 + 0] = cy;
  G[12 + 1] = -cx;
  G[12 + 2] = -cy;
  G[12 + 3] = cx;
  G[16 + 2] = -1;
  return 0;
}

static int crank_gamma(void *user, const dae_mechanical_at *at, double *gamma)
{
  const crank_params *p = user;
  const double *q = at->q, *v = at->v;
  double cx = p->l2 / 2 * cos(q[3]) * v[3] * v[3], cy = p->l2 / 2 * sin(q[3]) * v[3] * v[3];
  gamma[0] = cx + p->l1 * cos(q[0]) * v[0] * v[0];
  gamma[1] = cy + p->l1 * sin(q[0]) * v[0] * v[0];
  gamma[2] = -cx;
  gamma[3] = -cy;
  return 0;
}

static int crank_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  const crank_params *p = user;
  const double *q = at->q, *v = at->v;
  *T = (p->J1 * v[0] * v[0] + p->m2 * (v[1] * v[1] + v[2] * v[2]) + p->J2 * v[3] * v[3] +
        p->m3 * v[4] * v[4]) /
       2;
  *V = p->gravity * (p->m1 * p->l1 / 2 * sin(q[0]) + p->m2 * q[2]);
  return 0;
}

test_problem test_slider_crank(void)
{
  static const char *const q_names[] = {"crank", "x", "y", "rod", "slider"};
  static const char *const g_names[] = {"pin x", "pin y", "slide x", "slide y"};
  static const dae_mechanical slider_crank = {.name = "slider_crank",
                                              .nq = 5,
                                              .ng = 4,
                                              .user = (void *)&crank_values,
                                              .q_names = q_names,
                                              .g_names = g_names,
                                              .M = crank_M,
                                              .f = crank_f,
                                              .g = crank_g,
                                              .G = crank_G,
                                              .gamma = crank_gamma,
                                              .J = crank_J,
                                              .energy = crank_energy,
                                              .constant_mass = true,
                                              .time_free_g = true};
  /* stretched out along x, the crank turning at 4 rad/s */
  static const double start[14] = {0, 1.125, 0, 0, 1.75, 4, 0, 1, -1.6, 0};
  static const double end[] = {
      -0.42210800771925707027, 1.0726645010853423402,  -0.10242108604676443037,
      0.16461620622131798625,  1.6892153271597230698,  4.1688231980930909833,
      1.0118853198271279623,   0.95072863467659486863, -1.5420117765958501979,
      1.169819840682975625,    36.936728774212832505,  -9.9787513744930899422,
      -23.190832035684911972,  -17.456853336843854712};
  return (test_problem){.name = "slider_crank",
                        .problem = {.mechanical = &slider_crank},
                        .start = {.y = start},
                        .to = 2,
                        .size = 14,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true,
                        .conservative = true};
}

/* -- parallel bars: q = (x, y, phi), a platform of mass m and inertia J carried by unit bars from
 *    (b_i, 0) to its points b_i = -1, 0, 1. With phi = 0 the bars stay parallel, G1 + G3 = 2 G2,
 *    and the platform moves on a circle as a pendulum does. The multipliers of least norm are
 *    equal: sum lambda_i = m (v^2 - gravity y), and no torque needs lambda_1 = lambda_3. -- */

static const double bar_foot[3] = {-1, 0, 1};
static const double platform_mass = 2, platform_inertia = 0.5, platform_gravity = 9.81;

static int bars_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  for (int i = 0; i < 9; i++)
    M[i] = 0;
  M[0] = M[4] = platform_mass;
  M[8] = platform_inertia;
  return 0;
}

static int bars_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at;
  f[0] = f[2] = 0;
  f[1] = -platform_mass * platform_gravity;
  return 0;
}

static int bars_g(void *user, const dae_mechanical_at *at, double *g)
{
  const double *q = at->q;
  (void)user;
  for (int i = 0; i < 3; i++) {
    double b = bar_foot[i], dx = q[0] + b * cos(q[2]) - b, dy = q[1] + b * sin(q[2]);
    g[i] = (dx * dx + dy * dy - 1) / 2;
  }
  return 0;
}

static int bars_G(void *user, const dae_mechanical_at *at, double *G)
{
  const double *q = at->q;
  (void)user;
  for (int i = 0; i < 3; i++) {
    double b = bar_foot[i], dx = q[0] + b * cos(q[2]) - b, dy = q[1] + b * sin(q[2]);
    G[i] = dx;
    G[3 + i] = dy;
    G[6 + i] = b * (dy * cos(q[2]) - dx * sin(q[2]));
  }
  return 0;
}

static int bars_gamma(void *user, const dae_mechanical_at *at, double *gamma)
{
  const double *q = at->q, *v = at->v;
  (void)user;
  for (int i = 0; i < 3; i++) {
    double b = bar_foot[i], c = b * cos(q[2]), s = b * sin(q[2]);
    double dx = q[0] + c - b, dy = q[1] + s, ux = v[0] - s * v[2], uy = v[1] + c * v[2];
    gamma[i] = ux * ux + uy * uy - (dx * c + dy * s) * v[2] * v[2];
  }
  return 0;
}

static int bars_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  const double *v = at->v;
  (void)user;
  *T = (platform_mass * (v[0] * v[0] + v[1] * v[1]) + platform_inertia * v[2] * v[2]) / 2;
  *V = platform_mass * platform_gravity * at->q[1];
  return 0;
}

test_problem test_parallel_bars(void)
{
  static const char *const q_names[] = {"x", "y", "phi"};
  static const char *const g_names[] = {"bar1", "bar2", "bar3"};
  static const dae_mechanical bars = {.name = "parallel_bars",
                                      .nq = 3,
                                      .ng = 3,
                                      .q_names = q_names,
                                      .g_names = g_names,
                                      .M = bars_M,
                                      .f = bars_f,
                                      .g = bars_g,
                                      .G = bars_G,
                                      .gamma = bars_gamma,
                                      .energy = bars_energy,
                                      .constant_mass = true,
                                      .time_free_g = true};
  static const double start[9] = {0.6, -0.8};
  static const double end[] = {
      -0.58133954442594873373, -0.81366106831200322494, 0,
      -0.4212455922365249407,  0.30096895405141479806,  0,
      5.5000301602815032734,   5.5000301602815032734,   5.5000301602815032734};
  return (test_problem){.name = "parallel_bars",
                        .problem = {.mechanical = &bars},
                        .start = {.y = start},
                        .to = 3,
                        .size = 9,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true,
                        .conservative = true};
}
