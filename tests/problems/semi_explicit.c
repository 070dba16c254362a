/* Semi-explicit and quasi-linear problems. */
#include "problems/problems.h"

#include <math.h>
#include <stddef.h>

/* -- transistor amplifier: M y' = f(t, y), M singular and not diagonal, index 1 -- */

static const double ub = 6, uf = 0.026, alpha = 0.99, beta = 1e-6, r0 = 1000, r = 9000;
static const double c1 = 1e-6, c2 = 2e-6, c3 = 3e-6, c4 = 4e-6, c5 = 5e-6;

static int amplifier_M(void *user, const dae_semi_explicit_at *at, double *M)
{
  (void)user, (void)at;
  for (int i = 0; i < 64; i++)
    M[i] = 0;
  M[0] = M[9] = -c1; /* pairs of nodes joined by a capacitor: [-c c; c -c] */
  M[1] = M[8] = c1;
  M[18] = -c2;
  M[27] = M[36] = -c3;
  M[28] = M[35] = c3;
  M[45] = -c4;
  M[54] = M[63] = -c5;
  M[55] = M[62] = c5;
  return 0;
}

static int amplifier_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *y = at->x;
  double Ue = 0.1 * sin(200 * 3.14159265358979323846 * at->t);
  double F1 = beta * expm1((y[1] - y[2]) / uf), F2 = beta * expm1((y[4] - y[5]) / uf);
  (void)user;
  f[0] = (y[0] - Ue) / r0;
  f[1] = y[1] / r + (y[1] - ub) / r + (1 - alpha) * F1;
  f[2] = y[2] / r - F1;
  f[3] = (y[3] - ub) / r + alpha * F1;
  f[4] = y[4] / r + (y[4] - ub) / r + (1 - alpha) * F2;
  f[5] = y[5] / r - F2;
  f[6] = (y[6] - ub) / r + alpha * F2;
  f[7] = y[7] / r;
  return 0;
}

static int amplifier_J(void *user, const dae_semi_explicit_at *at, double *J)
{
  static const double conductance[8] = {1e-3,      2. / 9000, 1. / 9000, 1. / 9000,
                                        2. / 9000, 1. / 9000, 1. / 9000, 1. / 9000};
  const double *y = at->x;
  double D1 = beta / uf * exp((y[1] - y[2]) / uf), D2 = beta / uf * exp((y[4] - y[5]) / uf);
  (void)user;
  for (int i = 0; i < 64; i++)
    J[i] = i % 9 == 0 ? conductance[i / 9] : 0;
  for (int stage = 0; stage < 2; stage++) {
    double D = stage ? D2 : D1;
    double *base = J + (stage ? 36 : 9); /* at (base, base), base = 1 or 4 */
    base[0] += (1 - alpha) * D;
    base[1] = -D;
    base[2] = alpha * D;
    base[8] = -(1 - alpha) * D;
    base[9] += D;
    base[10] = -alpha * D;
  }
  return 0;
}

test_problem test_transistor_amplifier(void)
{
  static const char *const names[] = {"y1", "y2", "y3", "y4", "y5", "y6", "y7", "y8"};
  static const dae_semi_explicit amplifier = {.name = "transistor_amplifier",
                                              .nx = 8,
                                              .x_names = names,
                                              .f = amplifier_f,
                                              .M = amplifier_M,
                                              .J = amplifier_J,
                                              .constant_mass = true};
  static const double start[] = {0, 3, 3, 6, 3, 3, 6, 0};
  static const double end[] = {-5.562145012262281962e-3, 3.006522471903042661, 2.849958788608128444,
                               2.926422536206238869,     2.704617865010551922, 2.761837778393144248,
                               4.770927631616772151,     1.236995868091547657};
  return (test_problem){.name = "transistor_amplifier",
                        .problem = {.semi_explicit = &amplifier},
                        .start = {.y = start},
                        .to = 0.2,
                        .size = 8,
                        .reference = end,
                        .accuracy = 1e-14,
                        .consistent = true};
}

/* -- Chemical Akzo Nobel: index 1, five states, one algebraic variable; sqrt(y2) is refused for
 *    negative y2, where a code that does not listen returns NaN -- */

static const double k1 = 18.7, k2 = 0.58, k3 = 0.09, k4 = 0.42, K = 34.4, kla = 3.3, Ks = 115.83;
static const double p_CO2 = 0.9, H = 737;

static int akzo_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *x = at->x;
  (void)user;
  if (x[1] < 0)
    return 1;
  double root = sqrt(x[1]);
  double r1 = k1 * x[0] * x[0] * x[0] * x[0] * root, r2 = k2 * x[2] * x[3];
  double r3 = k2 / K * x[0] * x[4], r4 = k3 * x[0] * x[3] * x[3];
  double r5 = k4 * at->y[0] * at->y[0] * root;
  f[0] = -2 * r1 + r2 - r3 - r4;
  f[1] = -r1 / 2 - r4 - r5 / 2 + kla * (p_CO2 / H - x[1]);
  f[2] = r1 - r2 + r3;
  f[3] = -r2 + r3 - 2 * r4;
  f[4] = r2 - r3 + r5;
  return 0;
}

static int akzo_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = Ks * at->x[0] * at->x[3] - at->y[0];
  return 0;
}

static int akzo_J(void *user, const dae_semi_explicit_at *at, double *J)
{
  /* how the five reaction rates enter the five states */
  static const double stoichiometry[5][5] = {{-2, -0.5, 1, 0, 0},
                                             {1, 0, -1, -1, 1},
                                             {-1, 0, 1, 1, -1},
                                             {-1, -1, 0, -2, 0},
                                             {0, -0.5, 0, 0, 1}};
  const double *x = at->x;
  double y = at->y[0];
  (void)user;
  if (x[1] <= 0)
    return 1;
  double root = sqrt(x[1]), cube = x[0] * x[0] * x[0];
  /* derivatives of the rates by x1 ... x5, y */
  const double dr[5][6] = {{4 * k1 * cube * root, k1 * cube * x[0] / (2 * root), 0, 0, 0, 0},
                           {0, 0, k2 * x[3], k2 * x[2], 0, 0},
                           {k2 / K * x[4], 0, 0, 0, k2 / K * x[0], 0},
                           {k3 * x[3] * x[3], 0, 0, 2 * k3 * x[0] * x[3], 0, 0},
                           {0, k4 * y * y / (2 * root), 0, 0, 0, 2 * k4 * y * root}};
  for (int i = 0; i < 36; i++)
    J[i] = 0;
  for (int rate = 0; rate < 5; rate++)
    for (int j = 0; j < 6; j++)
      for (int i = 0; i < 5; i++)
        J[6 * j + i] += stoichiometry[rate][i] * dr[rate][j];
  J[6 + 1] -= kla;
  J[5] = Ks * x[3];
  J[18 + 5] = Ks * x[0];
  J[30 + 5] = -1;
  return 0;
}

test_problem test_akzo_nobel(void)
{
  static const char *const x_names[] = {"y1", "y2", "y3", "y4", "y5"}, *const y_names[] = {"y6"};
  static const dae_semi_explicit akzo = {.name = "akzo_nobel",
                                         .nx = 5,
                                         .ny = 1,
                                         .index = 1,
                                         .x_names = x_names,
                                         .y_names = y_names,
                                         .f = akzo_f,
                                         .F = akzo_F,
                                         .J = akzo_J};
  static const double start[] = {0.444, 0.00123, 0, 0.007, 0, 115.83 * 0.444 * 0.007};
  static const double end[] = {1.150794920661701975e-1, 1.203831471567705344e-3,
                               1.611562887407974344e-1, 3.656156421249341359e-4,
                               1.708010885264403504e-2, 4.873531310307553778e-3};
  return (test_problem){.name = "akzo_nobel",
                        .problem = {.semi_explicit = &akzo},
                        .start = {.y = start},
                        .to = 180,
                        .size = 6,
                        .reference = end,
                        .accuracy = 1e-15,
                        .consistent = true};
}

/* -- Hessenberg index 2: x1' = x1 x2^2 y^2, x2' = x1^2 x2^2 - 3 x2^2 y, 0 = x1^2 x2 - 1;
 *    x1 = e^t, x2 = e^-2t, y = e^2t -- */

static int hessenberg_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  double x1 = at->x[0], x2 = at->x[1], y = at->y[0];
  (void)user;
  f[0] = x1 * x2 * x2 * y * y;
  f[1] = x1 * x1 * x2 * x2 - 3 * x2 * x2 * y;
  return 0;
}

static int hessenberg_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->x[0] * at->x[0] * at->x[1] - 1;
  return 0;
}

static int hessenberg_J(void *user, const dae_semi_explicit_at *at, double *J)
{
  double x1 = at->x[0], x2 = at->x[1], y = at->y[0];
  (void)user;
  J[0] = x2 * x2 * y * y;
  J[1] = 2 * x1 * x2 * x2;
  J[2] = 2 * x1 * x2;
  J[3] = 2 * x1 * x2 * y * y;
  J[4] = 2 * x1 * x1 * x2 - 6 * x2 * y;
  J[5] = x1 * x1;
  J[6] = 2 * x1 * x2 * x2 * y;
  J[7] = -3 * x2 * x2;
  J[8] = 0;
  return 0;
}

test_problem test_hessenberg2(void)
{
  static const dae_semi_explicit hessenberg = {.name = "hessenberg2",
                                               .nx = 2,
                                               .ny = 1,
                                               .index = 2,
                                               .f = hessenberg_f,
                                               .F = hessenberg_F,
                                               .J = hessenberg_J};
  static const double start[] = {1, 1, 1};
  static const double end[] = {2.7182818284590452354, 0.13533528323661269189,
                               7.3890560989306502272};
  return (test_problem){.name = "hessenberg2",
                        .problem = {.semi_explicit = &hessenberg},
                        .start = {.y = start},
                        .to = 1,
                        .size = 3,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true};
}

/* -- van der Pol, an ordinary stiff equation: x1' = x2, eps x2' = (1 - x1^2) x2 - x1 -- */

static const double eps = 1e-6;

static int van_der_pol_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *x = at->x;
  (void)user;
  f[0] = x[1];
  f[1] = ((1 - x[0] * x[0]) * x[1] - x[0]) / eps;
  return 0;
}

static int van_der_pol_J(void *user, const dae_semi_explicit_at *at, double *J)
{
  const double *x = at->x;
  (void)user;
  J[0] = 0;
  J[1] = (-2 * x[0] * x[1] - 1) / eps;
  J[2] = 1;
  J[3] = (1 - x[0] * x[0]) / eps;
  return 0;
}

test_problem test_van_der_pol(void)
{
  static const dae_semi_explicit van_der_pol = {
      .name = "van_der_pol", .nx = 2, .f = van_der_pol_f, .J = van_der_pol_J};
  static const double start[] = {2, 0};
  static const double end[] = {1.706167732170465,
                               -0.8928097010248165}; /* references/van_der_pol.c */
  return (test_problem){.name = "van_der_pol",
                        .problem = {.semi_explicit = &van_der_pol},
                        .start = {.y = start},
                        .to = 2,
                        .size = 2,
                        .reference = end,
                        .accuracy = 1e-14,
                        .consistent = true};
}
