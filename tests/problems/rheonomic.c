/* Constraints that move: a rod of growing length, and the car axis. */
#include "problems/problems.h"

#include <math.h>
#include <stddef.h>

/* -- rheonomic length [J09 test set]: free motion on the circle of radius sqrt(1 + t^2),
 *    x = (1 - t^2)/sqrt(1 + t^2), y = 2t/sqrt(1 + t^2), lambda = 3/(1 + t^2)^2 -- */

static int length_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = M[3] = 1;
  M[1] = M[2] = 0;
  return 0;
}

static int length_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at;
  f[0] = f[1] = 0;
  return 0;
}

static int length_g(void *user, const dae_mechanical_at *at, double *g)
{
  const double *q = at->q;
  (void)user;
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1 - at->t * at->t) / 2;
  return 0;
}

static int length_g_t(void *user, const dae_mechanical_at *at, double *g_t)
{
  (void)user;
  g_t[0] = -at->t;
  return 0;
}

static int length_G(void *user, const dae_mechanical_at *at, double *G)
{
  (void)user;
  G[0] = at->q[0];
  G[1] = at->q[1];
  return 0;
}

static int length_gamma(void *user, const dae_mechanical_at *at, double *gamma)
{
  (void)user;
  gamma[0] = at->v[0] * at->v[0] + at->v[1] * at->v[1] - 1;
  return 0;
}

test_problem test_rheonomic_length(void)
{
  static const char *const q_names[] = {"x", "y"}, *const g_names[] = {"rod"};
  static const dae_mechanical length = {.name = "rheonomic_length",
                                        .nq = 2,
                                        .ng = 1,
                                        .q_names = q_names,
                                        .g_names = g_names,
                                        .M = length_M,
                                        .f = length_f,
                                        .g = length_g,
                                        .G = length_G,
                                        .g_t = length_g_t,
                                        .gamma = length_gamma,
                                        .constant_mass = true};
  static const double start[] = {1, 0, 0, 2, 0};
  static const double end[] = {0, 1.4142135623730950488, -1.4142135623730950488,
                               0.7071067811865475244, 0.75};
  return (test_problem){.name = "rheonomic_length",
                        .problem = {.mechanical = &length},
                        .start = {.y = start},
                        .to = 1,
                        .size = 5,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true};
}

/* -- car axis: q = (xl, yl, xr, yr), the ends of an axis on two springs; the left wheel's foot is
 *    at the origin, the right one's at (xb, yb), yb = r sin(w t), xb^2 + yb^2 = L^2 -- */

typedef struct car_params {
  double L, L0, r, w, k; /* k: mass of each end, M eps^2 / 2; gravity 1 */
} car_params;

static const car_params car_values = {.L = 1, .L0 = 0.5, .r = 0.1, .w = 10, .k = 10 * 1e-4 / 2};

/* the right wheel's foot and its first and second time derivative */
typedef struct foot {
  double x, y, x1, y1, x2, y2;
} foot;

static foot foot_at(const car_params *p, double t)
{
  foot b;
  b.y = p->r * sin(p->w * t);
  b.y1 = p->r * p->w * cos(p->w * t);
  b.y2 = -p->w * p->w * b.y;
  b.x = sqrt(p->L * p->L - b.y * b.y);
  b.x1 = -b.y * b.y1 / b.x;
  b.x2 = -(b.y1 * b.y1 + b.y * b.y2 + b.x1 * b.x1) / b.x;
  return b;
}

static int car_M(void *user, const dae_mechanical_at *at, double *M)
{
  const car_params *p = user;
  (void)at;
  for (int i = 0; i < 16; i++)
    M[i] = i % 5 == 0 ? p->k : 0;
  return 0;
}

static void car_springs(const car_params *p, const foot *b, const double *q, double *f)
{
  double xl = q[0], yl = q[1], dx = q[2] - b->x, dy = q[3] - b->y;
  double Ll = sqrt(xl * xl + yl * yl), Lr = sqrt(dx * dx + dy * dy);
  f[0] = (p->L0 - Ll) * xl / Ll;
  f[1] = (p->L0 - Ll) * yl / Ll - p->k;
  f[2] = (p->L0 - Lr) * dx / Lr;
  f[3] = (p->L0 - Lr) * dy / Lr - p->k;
}

static int car_f(void *user, const dae_mechanical_at *at, double *f)
{
  foot b = foot_at(user, at->t);
  car_springs(user, &b, at->q, f);
  return 0;
}

/* derivative of the force (L0 - l) d/l of a spring, into a 2 x 2 block of J */
static void spring_block(double L0, double dx, double dy, double *J, int ld)
{
  double l = sqrt(dx * dx + dy * dy), c = L0 / l - 1, e = -L0 / (l * l * l);
  J[0] = c + e * dx * dx;
  J[1] = J[ld] = e * dx * dy;
  J[ld + 1] = c + e * dy * dy;
}

static int car_J(void *user, const dae_mechanical_at *at, double *J)
{
  const car_params *p = user;
  foot b = foot_at(p, at->t);
  for (int i = 0; i < 32; i++)
    J[i] = 0;
  spring_block(p->L0, at->q[0], at->q[1], J, 4);
  spring_block(p->L0, at->q[2] - b.x, at->q[3] - b.y, J + 10, 4);
  return 0;
}

static int car_g(void *user, const dae_mechanical_at *at, double *g)
{
  const car_params *p = user;
  const double *q = at->q;
  foot b = foot_at(p, at->t);
  double dx = q[0] - q[2], dy = q[1] - q[3];
  g[0] = q[0] * b.x + q[1] * b.y;
  g[1] = dx * dx + dy * dy - p->L * p->L;
  return 0;
}

static int car_g_t(void *user, const dae_mechanical_at *at, double *g_t)
{
  foot b = foot_at(user, at->t);
  g_t[0] = at->q[0] * b.x1 + at->q[1] * b.y1;
  g_t[1] = 0;
  return 0;
}

/* rows (x, y, 0, 0) and 2 (dx, dy, -dx, -dy) */
static void car_rows(double x, double y, double dx, double dy, double *out)
{
  out[0] = x;
  out[1] = 2 * dx;
  out[2] = y;
  out[3] = 2 * dy;
  out[4] = out[6] = 0;
  out[5] = -2 * dx;
  out[7] = -2 * dy;
}

static int car_G(void *user, const dae_mechanical_at *at, double *G)
{
  const double *q = at->q;
  foot b = foot_at(user, at->t);
  car_rows(b.x, b.y, q[0] - q[2], q[1] - q[3], G);
  return 0;
}

static int car_gamma(void *user, const dae_mechanical_at *at, double *gamma)
{
  const double *q = at->q, *v = at->v;
  foot b = foot_at(user, at->t);
  double dx = v[0] - v[2], dy = v[1] - v[3];
  gamma[0] = q[0] * b.x2 + q[1] * b.y2 + 2 * (v[0] * b.x1 + v[1] * b.y1);
  gamma[1] = 2 * (dx * dx + dy * dy);
  return 0;
}

static int car_gdot_q(void *user, const dae_mechanical_at *at, double *out)
{
  const double *v = at->v;
  foot b = foot_at(user, at->t);
  car_rows(b.x1, b.y1, v[0] - v[2], v[1] - v[3], out);
  return 0;
}

static int car_Gts_q(void *user, const dae_mechanical_at *at, const double *s, double *out)
{
  (void)user, (void)at;
  for (int j = 0; j < 4; j++) /* 2 s2 [I -I; -I I] */
    for (int i = 0; i < 4; i++)
      out[4 * j + i] = i == j ? 2 * s[1] : (i + 2) % 4 == j ? -2 * s[1] : 0;
  return 0;
}

/* the potential depends on time through the right spring's foot */
static int car_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  const car_params *p = user;
  const double *q = at->q, *v = at->v;
  foot b = foot_at(p, at->t);
  double el = sqrt(q[0] * q[0] + q[1] * q[1]) - p->L0;
  double er = sqrt((q[2] - b.x) * (q[2] - b.x) + (q[3] - b.y) * (q[3] - b.y)) - p->L0;
  *T = p->k * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]) / 2;
  *V = (el * el + er * er) / 2 + p->k * (q[1] + q[3]);
  return 0;
}

/* all of them with one look at the foot */
static int car_eval(void *user, const dae_mechanical_at *at, const dae_mechanical_wanted *w)
{
  const car_params *p = user;
  const double *q = at->q, *v = at->v;
  foot b = foot_at(p, at->t);
  double dx = q[0] - q[2], dy = q[1] - q[3];
  if (w->M)
    car_M(user, at, w->M);
  if (w->f)
    car_springs(p, &b, q, w->f);
  if (w->g) {
    w->g[0] = q[0] * b.x + q[1] * b.y;
    w->g[1] = dx * dx + dy * dy - p->L * p->L;
  }
  if (w->gdot) {
    w->gdot[0] = v[0] * b.x + v[1] * b.y + q[0] * b.x1 + q[1] * b.y1;
    w->gdot[1] = 2 * (dx * (v[0] - v[2]) + dy * (v[1] - v[3]));
  }
  if (w->G)
    car_rows(b.x, b.y, dx, dy, w->G);
  if (w->gamma) {
    double ux = v[0] - v[2], uy = v[1] - v[3];
    w->gamma[0] = q[0] * b.x2 + q[1] * b.y2 + 2 * (v[0] * b.x1 + v[1] * b.y1);
    w->gamma[1] = 2 * (ux * ux + uy * uy);
  }
  return 0;
}

static const char *const car_q_names[] = {"xl", "yl", "xr", "yr"};
static const char *const car_g_names[] = {"left wheel", "axis"};
#define CAR_AXIS                                                                                   \
  .nq = 4, .ng = 2, .user = (void *)&car_values, .q_names = car_q_names, .g_names = car_g_names,   \
  .M = car_M, .f = car_f, .g = car_g, .G = car_G, .g_t = car_g_t, .gamma = car_gamma, .J = car_J,  \
  .Gts_q = car_Gts_q, .gdot_q = car_gdot_q, .energy = car_energy, .constant_mass = true
static const dae_mechanical car_axis = {.name = "car_axis", CAR_AXIS};
static const dae_mechanical car_axis_with_eval = {
    .name = "car_axis_eval", CAR_AXIS, .eval = car_eval};
static const dae_mechanical car_axis_bare = {.name = "car_axis_bare",
                                             .nq = 4,
                                             .ng = 2,
                                             .user = (void *)&car_values,
                                             .M = car_M,
                                             .f = car_f,
                                             .g = car_g};

static test_problem car(const dae_mechanical *m)
{
  static const double start[10] = {0, 0.5, 1, 0.5, -0.5, 0, -0.5, 0};
  static const double end[] = {4.934557842752414179e-2,  4.969894602300080546e-1,
                               1.041742524885425595,     3.739110272653659035e-1,
                               -7.705836840359209276e-2, 7.446866592067993708e-3,
                               1.755681575354113629e-2,  7.703410437795998933e-1,
                               4.736886590853324298e-3,  1.104680331259566562e-3};
  return (test_problem){.name = m->name,
                        .problem = {.mechanical = m},
                        .start = {.y = start},
                        .to = 3,
                        .size = 10,
                        .reference = end,
                        .accuracy = 1e-15,
                        .consistent = true};
}

test_problem test_car_axis(void)
{
  return car(&car_axis);
}
test_problem test_car_axis_bare(void)
{
  return car(&car_axis_bare);
}
test_problem test_car_axis_eval(void)
{
  return car(&car_axis_with_eval);
}
