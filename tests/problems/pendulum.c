/* A point mass on a rigid rod in the plane, in Cartesian coordinates q = (x, y):
 *
 *   m q'' + G' lambda = (0, -gravity),   0 = scale (x^2 + y^2 - 1),   m = 1
 *
 * scale 1: end values by Jacobi elliptic functions (x(0) = 1, at rest, to t = 10);
 * scale 1/2: the form of [YP96], to t = 2, and with unit gravity that of [J09]. */
#include "problems/problems.h"

#include <stddef.h>

typedef struct pendulum_params {
  double scale, gravity;
} pendulum_params;

static int pendulum_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = M[3] = 1;
  M[1] = M[2] = 0;
  return 0;
}

static int pendulum_f(void *user, const dae_mechanical_at *at, double *f)
{
  const pendulum_params *p = user;
  (void)at;
  f[0] = 0;
  f[1] = -p->gravity;
  return 0;
}

static int pendulum_g(void *user, const dae_mechanical_at *at, double *g)
{
  const pendulum_params *p = user;
  const double *q = at->q;
  g[0] = p->scale * (q[0] * q[0] + q[1] * q[1] - 1);
  return 0;
}

static int pendulum_G(void *user, const dae_mechanical_at *at, double *G)
{
  const pendulum_params *p = user;
  G[0] = 2 * p->scale * at->q[0];
  G[1] = 2 * p->scale * at->q[1];
  return 0;
}

static int pendulum_gamma(void *user, const dae_mechanical_at *at, double *gamma)
{
  const pendulum_params *p = user;
  const double *v = at->v;
  gamma[0] = 2 * p->scale * (v[0] * v[0] + v[1] * v[1]);
  return 0;
}

static int pendulum_J(void *user, const dae_mechanical_at *at, double *J)
{
  (void)user, (void)at;
  for (int i = 0; i < 8; i++)
    J[i] = 0;
  return 0;
}

static int pendulum_Gts_q(void *user, const dae_mechanical_at *at, const double *s, double *out)
{
  const pendulum_params *p = user;
  (void)at;
  out[0] = out[3] = 2 * p->scale * s[0];
  out[1] = out[2] = 0;
  return 0;
}

static int pendulum_gdot_q(void *user, const dae_mechanical_at *at, double *out)
{
  const pendulum_params *p = user;
  out[0] = 2 * p->scale * at->v[0];
  out[1] = 2 * p->scale * at->v[1];
  return 0;
}

static int pendulum_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  const pendulum_params *p = user;
  const double *v = at->v;
  *T = (v[0] * v[0] + v[1] * v[1]) / 2;
  *V = p->gravity * at->q[1];
  return 0;
}

static int pendulum_eval(void *user, const dae_mechanical_at *at, const dae_mechanical_wanted *w)
{
  const pendulum_params *p = user;
  const double *q = at->q, *v = at->v;
  if (w->M)
    pendulum_M(user, at, w->M);
  if (w->f)
    pendulum_f(user, at, w->f);
  if (w->g)
    pendulum_g(user, at, w->g);
  if (w->gdot)
    w->gdot[0] = 2 * p->scale * (q[0] * v[0] + q[1] * v[1]);
  if (w->G)
    pendulum_G(user, at, w->G);
  if (w->gamma)
    pendulum_gamma(user, at, w->gamma);
  return 0;
}

static const pendulum_params unit = {1, 9.81}, half = {0.5, 9.81}, light = {0.5, 1};
static const char *const q_names[] = {"x", "y"};
static const char *const g_names[] = {"rod"};

#define PENDULUM_BARE                                                                              \
  .nq = 2, .ng = 1, .user = (void *)&unit, .q_names = q_names, .g_names = g_names,                 \
  .M = pendulum_M, .f = pendulum_f, .g = pendulum_g, .energy = pendulum_energy
#define PENDULUM_DERIVATIVES                                                                       \
  .G = pendulum_G, .gamma = pendulum_gamma, .J = pendulum_J, .Gts_q = pendulum_Gts_q,              \
  .gdot_q = pendulum_gdot_q, .constant_mass = true, .time_free_g = true

static const dae_mechanical pendulum = {.name = "pendulum", PENDULUM_BARE, PENDULUM_DERIVATIVES};
static const dae_mechanical pendulum_with_eval = {
    .name = "pendulum_eval", PENDULUM_BARE, PENDULUM_DERIVATIVES, .eval = pendulum_eval};
static const dae_mechanical pendulum_bare = {.name = "pendulum_bare",
                                             .nq = 2,
                                             .ng = 1,
                                             .user = (void *)&unit,
                                             .M = pendulum_M,
                                             .f = pendulum_f,
                                             .g = pendulum_g};
#define PENDULUM_OF(title, params)                                                                 \
  {                                                                                                \
    .name = title, .nq = 2, .ng = 1, .user = (void *)&params, .q_names = q_names,                  \
    .g_names = g_names, .M = pendulum_M, .f = pendulum_f, .g = pendulum_g,                         \
    .energy = pendulum_energy, PENDULUM_DERIVATIVES                                                \
  }

static const dae_mechanical pendulum2 = PENDULUM_OF("pendulum2", half);
static const dae_mechanical pendulum_light = PENDULUM_OF("pendulum_light", light);

static const double start[] = {1, 0, 0, 0, 0};
/* lambda is half of the classical multiplier: G = (2x, 2y) */
static const double end10[] = {0.275087462576116860, -0.961419205099125064, -4.175598100951728836,
                               -1.194749054560475272, 14.14728360303362532};
static const double end2[] = {0.79356619534332174699, -0.60848393044379151463,
                              2.1024378744361257895, 2.7419353930105090799, 17.907682072960784275};
static const double end_light[] = {-0.20419321478828042252, -0.97893060583190838214,
                                   -1.3697548850034141373, 0.28571448453499951468,
                                   2.9367918174957251464};

static test_problem released(const dae_mechanical *m, double to, const double *end)
{
  return (test_problem){.name = m->name,
                        .problem = {.mechanical = m},
                        .start = {.y = start},
                        .to = to,
                        .size = 5,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true,
                        .conservative = true};
}

test_problem test_pendulum(void)
{
  return released(&pendulum, 10, end10);
}
test_problem test_pendulum_bare(void)
{
  return released(&pendulum_bare, 10, end10);
}
test_problem test_pendulum_eval(void)
{
  return released(&pendulum_with_eval, 10, end10);
}
test_problem test_pendulum2(void)
{
  return released(&pendulum2, 2, end2);
}
test_problem test_pendulum_light(void)
{
  return released(&pendulum_light, 2, end_light);
}

/* -- the pendulum against a wall at x = -1/2, which throws it back elastically: the motion is
 *    symmetric in time about every hit, hence periodic -- */

static int wall_distance(void *user, double t, const double *y, double *value)
{
  (void)user, (void)t;
  *value = y[0] + 0.5;
  return 0;
}

static int wall_throw_back(void *user, double t, const double *before, double *after)
{
  (void)user, (void)t;
  after[2] = -before[2];
  after[3] = -before[3];
  return 0;
}

static const dae_event wall[] = {
    {.name = "wall", .direction = -1, .value = wall_distance, .action = wall_throw_back}};
static const double end_wall[] = {0.92962206392748489399, -0.36851433928573687053,
                                  0.99090287528997080928, 2.499672544260192885,
                                  5.4226885025896180499};

test_problem test_pendulum_wall(void)
{
  test_problem p = released(&pendulum, 4, end_wall);
  p.name = "pendulum_wall";
  p.events = wall;
  p.event_count = 1;
  p.hits = 3;
  return p;
}

/* -- two rods of different lengths between the same points: no position meets both -- */

static int contradiction_g(void *user, const dae_mechanical_at *at, double *g)
{
  const double *q = at->q;
  (void)user;
  g[0] = q[0] * q[0] + q[1] * q[1] - 1;
  g[1] = q[0] * q[0] + q[1] * q[1] - 4;
  return 0;
}

static const char *const rod_names[] = {"short rod", "long rod"};
static const dae_mechanical contradiction = {.name = "contradiction",
                                             .nq = 2,
                                             .ng = 2,
                                             .user = (void *)&unit,
                                             .q_names = q_names,
                                             .g_names = rod_names,
                                             .M = pendulum_M,
                                             .f = pendulum_f,
                                             .g = contradiction_g};

test_problem test_contradiction(void)
{
  static const double y[] = {1, 0, 0, 0, 0, 0};
  return (test_problem){.name = "contradiction",
                        .problem = {.mechanical = &contradiction},
                        .start = {.y = y},
                        .to = 1,
                        .size = 6};
}
