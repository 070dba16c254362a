#include "problems/rk_made.h"

#include <math.h>
#include <string.h>

#define TO 2.0

/* ---- x' = -x^2 + y + in1, 0 = y^3 + y - x - in2 ---- */

static void index1_exact(double t, double *z)
{
  z[0] = 2 + cos(t);
  z[1] = sin(t);
}

static int index1_input(void *user, double t, double *in)
{
  (void)user;
  double z[2];
  index1_exact(t, z);
  in[0] = -sin(t) + z[0] * z[0] - z[1];
  in[1] = pow(z[1], 3) + z[1] - z[0];
  return 0;
}

static int index1_f(void *user, const dae_semi_explicit_at *at, double *out)
{
  (void)user;
  out[0] = -at->x[0] * at->x[0] + at->y[0] + at->in[0];
  return 0;
}

static int index1_F(void *user, const dae_semi_explicit_at *at, double *out)
{
  (void)user;
  out[0] = pow(at->y[0], 3) + at->y[0] - at->x[0] - at->in[1];
  return 0;
}

/* ---- M(t,x) x' = f, with a third row of zeros where user is set ---- */

static void quasilinear_exact(double t, double *x, double *rate)
{
  x[0] = cos(t);
  x[1] = 2 + sin(2 * t);
  rate[0] = -sin(t);
  rate[1] = 2 * cos(2 * t);
}

static int quasilinear_input(void *user, double t, double *in)
{
  (void)user;
  double x[2], rate[2];
  quasilinear_exact(t, x, rate);
  in[0] = rate[0] + x[0] * x[0];
  in[1] = rate[1] + x[0] * x[1];
  in[2] = 0.3 * t * t;
  in[3] = 2 * sin(t) + pow(sin(t), 3) - x[0]; /* of x3 = sin t */
  return 0;
}

static void quasilinear_mass(double t, const double *x, double M[2][2])
{
  M[0][0] = 2 + x[1] * x[1];
  M[0][1] = M[1][0] = 0.3 * cos(t) * x[0];
  M[1][1] = 1 + x[0] * x[0];
}

static int quasilinear_M(void *user, const dae_semi_explicit_at *at, double *out)
{
  int n = user ? 3 : 2;
  double M[2][2];
  quasilinear_mass(at->t, at->x, M);
  memset(out, 0, (size_t)(n * n) * sizeof *out);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      out[i + n * j] = M[i][j];
  return 0;
}

/* M times the slopes -x1^2 + in1, -(y - in3) + in2, which are right for y - in3 = x1 x2 */
static int quasilinear_f(void *user, const dae_semi_explicit_at *at, double *out)
{
  const double *x = at->x, *in = at->in;
  double M[2][2], k[2] = {-x[0] * x[0] + in[0], -(at->y[0] - in[2]) + in[1]};
  quasilinear_mass(at->t, x, M);
  for (int i = 0; i < 2; i++)
    out[i] = M[i][0] * k[0] + M[i][1] * k[1];
  if (user)
    out[2] = 2 * x[2] + pow(x[2], 3) - x[0] - in[3];
  return 0;
}

static int quasilinear_F(void *user, const dae_semi_explicit_at *at, double *out)
{
  (void)user;
  out[0] = at->y[0] - at->x[0] * at->x[1] - at->in[2];
  return 0;
}

/* ---- M(q,v) v' = f, u' = s, 0 = c ---- */

/* q = (sin t, cos 2t), v, u = 1/sqrt(1 + 2t), w = q1 + u^2 */
static void mechanical_exact(double t, double *y)
{
  double q1 = sin(t), u = 1 / sqrt(1 + 2 * t);
  const double exact[] = {q1, cos(2 * t), cos(t), -2 * sin(2 * t), u, q1 + u * u};
  memcpy(y, exact, sizeof exact);
}

static int mechanical_input(void *user, double t, double *in)
{
  (void)user;
  double y[6];
  mechanical_exact(t, y);
  in[0] = -sin(t) + y[2] * y[2] - y[5];
  in[1] = -4 * cos(2 * t) + y[0] * y[3];
  return 0;
}

static void mechanical_mass(const dae_mechanical_at *at, double *M)
{
  M[0] = 2 + at->q[1] * at->q[1];
  M[1] = M[2] = 0.2 * at->v[0];
  M[3] = 1 + at->q[0] * at->q[0] + 0.1 * at->v[1] * at->v[1];
}

static int mechanical_M(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  mechanical_mass(at, out);
  return 0;
}

/* M times the accelerations -v1^2 + w + in1, -q1 v2 + in2 */
static int mechanical_f(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  double M[4],
      a[2] = {-at->v[0] * at->v[0] + at->w[0] + at->in[0], -at->q[0] * at->v[1] + at->in[1]};
  mechanical_mass(at, M);
  for (int i = 0; i < 2; i++)
    out[i] = M[i] * a[0] + M[i + 2] * a[1];
  return 0;
}

static int mechanical_s(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = -(at->w[0] - at->q[0]) * at->u[0]; /* -u^3 */
  return 0;
}

static int mechanical_c(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = at->w[0] - at->q[0] - at->u[0] * at->u[0];
  return 0;
}

/* ---- the list ---- */

static int is_singular = 1;

static const dae_semi_explicit index1 = {
    .name = "made_index1", .nx = 1, .ny = 1, .nin = 2, .f = index1_f, .F = index1_F};
static const dae_semi_explicit quasilinear = {.name = "made_quasilinear",
                                              .nx = 2,
                                              .ny = 1,
                                              .nin = 4,
                                              .f = quasilinear_f,
                                              .F = quasilinear_F,
                                              .M = quasilinear_M};
static const dae_semi_explicit singular = {.name = "made_singular",
                                           .nx = 3,
                                           .ny = 1,
                                           .nin = 4,
                                           .user = &is_singular,
                                           .f = quasilinear_f,
                                           .F = quasilinear_F,
                                           .M = quasilinear_M};
static const dae_mechanical mechanical = {.name = "made_mechanical",
                                          .nq = 2,
                                          .nu = 1,
                                          .nw = 1,
                                          .nin = 2,
                                          .M = mechanical_M,
                                          .f = mechanical_f,
                                          .s = mechanical_s,
                                          .c = mechanical_c};

static test_problem of(const char *name, dae_problem problem, const double *start, int size)
{
  return (test_problem){.name = name,
                        .problem = problem,
                        .start = {.t = 0, .y = start},
                        .to = TO,
                        .size = size,
                        .consistent = true};
}

test_problem rk_made_index1(void)
{
  static const double start[] = {3, 0};
  return of(index1.name, (dae_problem){.semi_explicit = &index1, .input = index1_input}, start, 2);
}

test_problem rk_made_quasilinear(void)
{
  static const double start[] = {1, 2, 2};
  return of(quasilinear.name,
            (dae_problem){.semi_explicit = &quasilinear, .input = quasilinear_input}, start, 3);
}

test_problem rk_made_singular(void)
{
  static const double start[] = {1, 2, 0, 2};
  return of(singular.name, (dae_problem){.semi_explicit = &singular, .input = quasilinear_input},
            start, 4);
}

test_problem rk_made_mechanical(void)
{
  static const double start[] = {0, 1, 1, 0, 1, 1};
  return of(mechanical.name, (dae_problem){.mechanical = &mechanical, .input = mechanical_input},
            start, 6);
}

void rk_made_exact(const test_problem *p, double t, double *y)
{
  double x[2], rate[2];
  if (p->problem.mechanical) {
    mechanical_exact(t, y);
  } else if (p->problem.semi_explicit == &index1) {
    index1_exact(t, y);
  } else {
    quasilinear_exact(t, x, rate);
    memcpy(y, x, sizeof x);
    if (p->problem.semi_explicit == &singular)
      y[2] = sin(t);
    y[p->size - 1] = x[0] * x[1] + 0.3 * t * t;
  }
}
