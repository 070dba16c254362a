/* Problems of index 1, which all take as they stand: the transistor amplifier, whose mass matrix is
 * singular, and Akzo Nobel's reactions. */
#include "cases.h"

#include <math.h>

/* ---- transistor amplifier, see tests/problems/semi_explicit.c ---- */

static const double ub = 6, uf = 0.026, alpha = 0.99, beta = 1e-6, g0 = 1. / 1000, g = 1. / 9000;

ALWAYS_INLINE int amplifier(double t, const double *y, double *phi)
{
  double Ue = 0.1 * sin(200 * 3.14159265358979323846 * t);
  double F1 = beta * (exp((y[1] - y[2]) / uf) - 1), F2 = beta * (exp((y[4] - y[5]) / uf) - 1);
  phi[0] = (y[0] - Ue) * g0;
  phi[1] = (2 * y[1] - ub) * g + (1 - alpha) * F1;
  phi[2] = y[2] * g - F1;
  phi[3] = (y[3] - ub) * g + alpha * F1;
  phi[4] = (2 * y[4] - ub) * g + (1 - alpha) * F2;
  phi[5] = y[5] * g - F2;
  phi[6] = (y[6] - ub) * g + alpha * F2;
  phi[7] = y[7] * g;
  return 0;
}

/* J comes in zero */
ALWAYS_INLINE int amplifier_slopes(const double *y, double *J, int ld)
{
  double D1 = beta / uf * exp((y[1] - y[2]) / uf), D2 = beta / uf * exp((y[4] - y[5]) / uf);
  J[0] = g0;
  for (int i = 1; i < 8; i++)
    J[i + i * ld] = i == 1 || i == 4 ? 2 * g : g;
  for (int stage = 0; stage < 2; stage++) {
    double D = stage ? D2 : D1;
    int b = stage ? 4 : 1;
    J[b + b * ld] += (1 - alpha) * D;
    J[b + 1 + b * ld] = -D;
    J[b + 2 + b * ld] = alpha * D;
    J[b + (b + 1) * ld] = -(1 - alpha) * D;
    J[b + 1 + (b + 1) * ld] += D;
    J[b + 2 + (b + 1) * ld] = -alpha * D;
  }
  return 0;
}

static int amplifier_phi(double t, const double *y, double *phi)
{
  return amplifier(t, y, phi);
}
static int amplifier_jac(double t, const double *y, double *J, int ld)
{
  (void)t;
  return amplifier_slopes(y, J, ld);
}
static int amplifier_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  return amplifier(at->t, at->x, f);
}
static int amplifier_J(void *user, const dae_semi_explicit_at *at, double *J)
{
  (void)user;
  for (int i = 0; i < 64; i++)
    J[i] = 0;
  return amplifier_slopes(at->x, J, 8);
}

/* [-c c; c -c] for pairs of nodes joined by a capacitor, column by column: above, on, below */
static const double amplifier_mass[] = {0,     -1e-6, 1e-6,  1e-6,  -1e-6, 0,     0,     -2e-6,
                                        0,     0,     -3e-6, 3e-6,  3e-6,  -3e-6, 0,     0,
                                        -4e-6, 0,     0,     -5e-6, 5e-6,  5e-6,  -5e-6, 0};

/* its phi is consistent with these derivatives: those of y2 and y5 are chosen, others follow */
static void amplifier_start(double *y, double *dy)
{
  static const double start[] = {0, 3, 3, 6, 3, 3, 6, 0};
  double phi[8];
  for (int i = 0; i < 8; i++) {
    y[i] = start[i];
    dy[i] = 0;
  }
  amplifier(0, y, phi);
  dy[2] = phi[2] / -2e-6;
  dy[5] = phi[5] / -4e-6;
  dy[0] = phi[0] / -1e-6; /* c (y2' - y1') = phi_1, with y2' = 0; the others alike */
  dy[3] = phi[3] / -3e-6;
  dy[6] = phi[6] / -5e-6;
}

#define AMPLIFIER(title, in_band, jacobian)                                                        \
  {                                                                                                \
    .name = title, .n = 8, .differential = 8, .index = {8}, .phi = amplifier_phi, .jac = jacobian, \
    .banded = in_band, .lower = 2, .upper = 1, .mass_width = 1, .mass = amplifier_mass,            \
    .start = amplifier_start                                                                       \
  }
static const peer_form amplifier_forms[] = {
    AMPLIFIER("full", false, NULL),
    AMPLIFIER("full", false, amplifier_jac),
    AMPLIFIER("banded", true, NULL),
    AMPLIFIER("banded", true, amplifier_jac),
};

bench_case case_amplifier(void)
{
  static dae_semi_explicit ours;
  bench_case c = {.title = "transistor amplifier",
                  .kind = INDEX_1,
                  .problem = test_transistor_amplifier(),
                  .model = "transistor_amplifier",
                  .scored = 8,
                  .forms = amplifier_forms,
                  .form_count = sizeof amplifier_forms / sizeof *amplifier_forms};
  ours = *c.problem.problem.semi_explicit;
  ours.f = amplifier_f;
  ours.J = amplifier_J;
  c.problem.problem.semi_explicit = &ours;
  return c;
}

/* ---- Akzo Nobel ---- */

static const double k1 = 18.7, k2 = 0.58, k3 = 0.09, k4 = 0.42, K = 34.4, kla = 3.3, Ks = 115.83;
static const double inflow = 0.9 / 737;

ALWAYS_INLINE int akzo(const double *x, double y, double *f)
{
  if (x[1] < 0)
    return 1;
  double root = sqrt(x[1]), square = x[0] * x[0];
  double r1 = k1 * square * square * root, r2 = k2 * x[2] * x[3], r3 = k2 / K * x[0] * x[4];
  double r4 = k3 * x[0] * x[3] * x[3], r5 = k4 * y * y * root;
  f[0] = -2 * r1 + r2 - r3 - r4;
  f[1] = -r1 / 2 - r4 - r5 / 2 + kla * (inflow - x[1]);
  f[2] = r1 - r2 + r3;
  f[3] = -r2 + r3 - 2 * r4;
  f[4] = r2 - r3 + r5;
  return 0;
}

ALWAYS_INLINE int akzo_slopes(const double *x, double y, double *J, int ld)
{
  if (x[1] <= 0)
    return 1;
  double root = sqrt(x[1]), cube = x[0] * x[0] * x[0];
  double r1_0 = 4 * k1 * cube * root, r1_1 = k1 * cube * x[0] / (2 * root);
  double r2_2 = k2 * x[3], r2_3 = k2 * x[2], r3_0 = k2 / K * x[4], r3_4 = k2 / K * x[0];
  double r4_0 = k3 * x[3] * x[3], r4_3 = 2 * k3 * x[0] * x[3];
  double r5_1 = k4 * y * y / (2 * root), r5_y = 2 * k4 * y * root;
  double *c = J;
  c[0] = -2 * r1_0 - r3_0 - r4_0;
  c[1] = -r1_0 / 2 - r4_0;
  c[2] = r1_0 + r3_0;
  c[3] = r3_0 - 2 * r4_0;
  c[4] = -r3_0;
  c[5] = Ks * x[3];
  c += ld;
  c[0] = -2 * r1_1;
  c[1] = -r1_1 / 2 - r5_1 / 2 - kla;
  c[2] = r1_1;
  c[4] = r5_1;
  c += ld;
  c[0] = r2_2;
  c[2] = -r2_2;
  c[3] = -r2_2;
  c[4] = r2_2;
  c += ld;
  c[0] = r2_3 - r4_3;
  c[1] = -r4_3;
  c[2] = -r2_3;
  c[3] = -r2_3 - 2 * r4_3;
  c[4] = r2_3;
  c[5] = Ks * x[0];
  c += ld;
  c[0] = -r3_4;
  c[2] = c[3] = r3_4;
  c[4] = -r3_4;
  c += ld;
  c[1] = -r5_y / 2;
  c[4] = r5_y;
  c[5] = -1;
  return 0;
}

static int akzo_phi(double t, const double *y, double *phi)
{
  (void)t;
  phi[5] = Ks * y[0] * y[3] - y[5];
  return akzo(y, y[5], phi);
}
/* goes on below y2 = 0, for a code that cannot be refused a point */
static int akzo_beyond_phi(double t, const double *y, double *phi)
{
  const double x[5] = {y[0], y[1] > 0 ? y[1] : 0, y[2], y[3], y[4]};
  (void)t;
  phi[5] = Ks * y[0] * y[3] - y[5];
  int refused = akzo(x, y[5], phi);
  phi[1] += kla * (x[1] - y[1]);
  return refused;
}
static int akzo_beyond_jac(double t, const double *y, double *J, int ld)
{
  const double x[5] = {y[0], y[1] > 1e-12 ? y[1] : 1e-12, y[2], y[3], y[4]};
  (void)t;
  return akzo_slopes(x, y[5], J, ld);
}
static int akzo_jac(double t, const double *y, double *J, int ld)
{
  (void)t;
  return akzo_slopes(y, y[5], J, ld);
}
static int akzo_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  return akzo(at->x, at->y[0], f);
}
static int akzo_J(void *user, const dae_semi_explicit_at *at, double *J)
{
  (void)user;
  for (int i = 0; i < 36; i++)
    J[i] = 0;
  return akzo_slopes(at->x, at->y[0], J, 6);
}

static void akzo_start(double *y, double *dy)
{
  static const double start[] = {0.444, 0.00123, 0, 0.007, 0};
  for (int i = 0; i < 5; i++)
    y[i] = start[i];
  y[5] = Ks * y[0] * y[3];
  dy[5] = 0;
  akzo(y, y[5], dy);
}

#define AKZO(title, size, f, jacobian)                                                             \
  {                                                                                                \
    .name = title, .n = size, .differential = 5, .index = {size}, .phi = f, .jac = jacobian,       \
    .start = akzo_start                                                                            \
  }
static const peer_form akzo_forms[] = {
    AKZO("index 1", 6, akzo_phi, NULL),
    AKZO("index 1", 6, akzo_phi, akzo_jac),
    AKZO("index 1, beyond y2 = 0", 6, akzo_beyond_phi, NULL),
    AKZO("index 1, beyond y2 = 0", 6, akzo_beyond_phi, akzo_beyond_jac),
};

bench_case case_akzo(void)
{
  static dae_semi_explicit ours;
  bench_case c = {.title = "Akzo Nobel",
                  .kind = INDEX_1,
                  .problem = test_akzo_nobel(),
                  .model = "akzo_nobel",
                  .scored = 6,
                  .forms = akzo_forms,
                  .form_count = sizeof akzo_forms / sizeof *akzo_forms};
  ours = *c.problem.problem.semi_explicit;
  ours.f = akzo_f;
  ours.J = akzo_J;
  ours.time_free = true;
  c.problem.problem.semi_explicit = &ours;
  return c;
}
