/* Skates and sleighs: constraints on velocities that no constraint on positions implies [J09 test
 * set; psi with the sign of M v' + K' psi = f]. References: references/references.py. */
#include "problems/problems.h"

#include <math.h>
#include <stddef.h>

/* -- knife edge on an incline: q = (x, y, phi), unit mass and inertia, slope force 1 along x;
 *    x = sin^2(wt)/(2w^2), y = (wt - sin(2wt)/2)/(2w^2), phi = wt, psi = 2 sin(wt), w = 1.3 -- */

static int unit_M3(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  for (int i = 0; i < 9; i++)
    M[i] = i % 4 == 0;
  return 0;
}

static int knife_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at;
  f[0] = 1;
  f[1] = f[2] = 0;
  return 0;
}

static int knife_k(void *user, const dae_mechanical_at *at, double *k)
{
  double phi = at->q[2];
  (void)user;
  k[0] = at->v[0] * sin(phi) - at->v[1] * cos(phi);
  return 0;
}

static int knife_K(void *user, const dae_mechanical_at *at, double *K)
{
  (void)user;
  K[0] = sin(at->q[2]);
  K[1] = -cos(at->q[2]);
  K[2] = 0;
  return 0;
}

static int knife_k_q(void *user, const dae_mechanical_at *at, double *out)
{
  double phi = at->q[2];
  (void)user;
  out[0] = out[1] = 0;
  out[2] = at->v[0] * cos(phi) + at->v[1] * sin(phi);
  return 0;
}

static int knife_kappa(void *user, const dae_mechanical_at *at, double *kappa)
{
  double phi = at->q[2];
  (void)user;
  kappa[0] = (at->v[0] * cos(phi) + at->v[1] * sin(phi)) * at->v[2];
  return 0;
}

static int knife_Kts_qv(void *user, const dae_mechanical_at *at, const double *s, double *out)
{
  (void)user;
  for (int i = 0; i < 18; i++)
    out[i] = 0;
  out[6] = s[0] * cos(at->q[2]);
  out[7] = s[0] * sin(at->q[2]);
  return 0;
}

static int knife_J(void *user, const dae_mechanical_at *at, double *J)
{
  (void)user, (void)at;
  for (int i = 0; i < 18; i++)
    J[i] = 0;
  return 0;
}

static int knife_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  const double *v = at->v;
  (void)user;
  *T = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
  *V = -at->q[0];
  return 0;
}

static const char *const skate_names[] = {"x", "y", "phi"};
static const char *const blade_names[] = {"blade"};

test_problem test_knife_edge(void)
{
  static const dae_mechanical knife = {.name = "knife_edge",
                                       .nq = 3,
                                       .nk = 1,
                                       .q_names = skate_names,
                                       .k_names = blade_names,
                                       .M = unit_M3,
                                       .f = knife_f,
                                       .k = knife_k,
                                       .K = knife_K,
                                       .kappa = knife_kappa,
                                       .J = knife_J,
                                       .k_q = knife_k_q,
                                       .Kts_qv = knife_Kts_qv,
                                       .energy = knife_energy,
                                       .constant_mass = true};
  static const double start[] = {0, 0, 0, 0, 0, 1.3, 0};
  static const double end[] = {0.078621794186334769432, 0.89991932776925344152, 2.6,
                               -0.33979025220005894795, 0.20441666488447040052, 1.3,
                               1.0310027436429284705};
  return (test_problem){.name = "knife_edge",
                        .problem = {.mechanical = &knife},
                        .start = {.y = start},
                        .to = 2,
                        .size = 7,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true,
                        .conservative = true};
}

/* -- Chaplygin's sleigh: the blade sits a distance a behind the centre of mass -- */

static const double sleigh_inertia = 0.5, sleigh_a = 0.4;

static int sleigh_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  for (int i = 0; i < 9; i++)
    M[i] = 0;
  M[0] = M[4] = 1;
  M[8] = sleigh_inertia;
  return 0;
}

static int sleigh_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at;
  f[0] = f[1] = f[2] = 0;
  return 0;
}

static int sleigh_k(void *user, const dae_mechanical_at *at, double *k)
{
  const double *v = at->v;
  double phi = at->q[2];
  (void)user;
  k[0] = -v[0] * sin(phi) + v[1] * cos(phi) - sleigh_a * v[2];
  return 0;
}

static int sleigh_K(void *user, const dae_mechanical_at *at, double *K)
{
  (void)user;
  K[0] = -sin(at->q[2]);
  K[1] = cos(at->q[2]);
  K[2] = -sleigh_a;
  return 0;
}

static int sleigh_kappa(void *user, const dae_mechanical_at *at, double *kappa)
{
  const double *v = at->v;
  double phi = at->q[2];
  (void)user;
  kappa[0] = -(v[0] * cos(phi) + v[1] * sin(phi)) * v[2];
  return 0;
}

static int sleigh_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  const double *v = at->v;
  (void)user;
  *T = (v[0] * v[0] + v[1] * v[1] + sleigh_inertia * v[2] * v[2]) / 2;
  *V = 0;
  return 0;
}

test_problem test_sleigh(void)
{
  static const dae_mechanical sleigh = {.name = "sleigh",
                                        .nq = 3,
                                        .nk = 1,
                                        .q_names = skate_names,
                                        .k_names = blade_names,
                                        .M = sleigh_M,
                                        .f = sleigh_f,
                                        .k = sleigh_k,
                                        .K = sleigh_K,
                                        .kappa = sleigh_kappa,
                                        .energy = sleigh_energy,
                                        .constant_mass = true};
  static const double start[] = {0.4, 0, 0, 0.2, 0.4, 1, 0};
  static const double end[] = {0.49156508827613893777, 1.1837985094664224453,
                               1.5750874900145421954,  -0.21973460721285413858,
                               0.71062856964713261018, 0.54170792572064719072,
                               -0.29201543047513923548};
  return (test_problem){.name = "sleigh",
                        .problem = {.mechanical = &sleigh},
                        .start = {.y = start},
                        .to = 2,
                        .size = 7,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true,
                        .conservative = true};
}

/* -- skate on a vertical unit cylinder: q = (x, Y, w, phi), x^2 + w^2 = 1, force 1 along Y. The
 *    motion is the knife edge's, wrapped: Y = x_knife, x = cos(y_knife), w = sin(y_knife) -- */

static int cylinder_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  for (int i = 0; i < 16; i++)
    M[i] = i % 5 == 0;
  return 0;
}

static int cylinder_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at;
  f[0] = f[2] = f[3] = 0;
  f[1] = 1;
  return 0;
}

static int cylinder_g(void *user, const dae_mechanical_at *at, double *g)
{
  (void)user;
  g[0] = (at->q[0] * at->q[0] + at->q[2] * at->q[2] - 1) / 2;
  return 0;
}

static int cylinder_G(void *user, const dae_mechanical_at *at, double *G)
{
  (void)user;
  G[0] = at->q[0];
  G[2] = at->q[2];
  G[1] = G[3] = 0;
  return 0;
}

static int cylinder_gamma(void *user, const dae_mechanical_at *at, double *gamma)
{
  (void)user;
  gamma[0] = at->v[0] * at->v[0] + at->v[2] * at->v[2];
  return 0;
}

static int cylinder_K(void *user, const dae_mechanical_at *at, double *K)
{
  const double *q = at->q;
  (void)user;
  K[0] = q[2] * cos(q[3]);
  K[1] = sin(q[3]);
  K[2] = -q[0] * cos(q[3]);
  K[3] = 0;
  return 0;
}

static int cylinder_k(void *user, const dae_mechanical_at *at, double *k)
{
  const double *q = at->q, *v = at->v;
  (void)user;
  k[0] = q[2] * cos(q[3]) * v[0] + sin(q[3]) * v[1] - q[0] * cos(q[3]) * v[2];
  return 0;
}

static int cylinder_k_q(void *user, const dae_mechanical_at *at, double *out)
{
  const double *q = at->q, *v = at->v;
  double c = cos(q[3]), s = sin(q[3]);
  (void)user;
  out[0] = -c * v[2];
  out[1] = 0;
  out[2] = c * v[0];
  out[3] = -q[2] * s * v[0] + c * v[1] + q[0] * s * v[2];
  return 0;
}

static int cylinder_kappa(void *user, const dae_mechanical_at *at, double *kappa)
{
  double k_q[4];
  cylinder_k_q(user, at, k_q);
  kappa[0] = 0;
  for (int i = 0; i < 4; i++)
    kappa[0] += k_q[i] * at->v[i];
  return 0;
}

static int cylinder_Kts_qv(void *user, const dae_mechanical_at *at, const double *s, double *out)
{
  const double *q = at->q;
  (void)user;
  for (int i = 0; i < 32; i++)
    out[i] = 0;
  out[2] = -s[0] * cos(q[3]);
  out[8] = s[0] * cos(q[3]);
  out[12] = -s[0] * q[2] * sin(q[3]);
  out[13] = s[0] * cos(q[3]);
  out[14] = s[0] * q[0] * sin(q[3]);
  return 0;
}

static int cylinder_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  const double *v = at->v;
  (void)user;
  *T = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]) / 2;
  *V = -at->q[1];
  return 0;
}

test_problem test_cylinder_skate(void)
{
  static const char *const q_names[] = {"x", "Y", "w", "phi"};
  static const char *const g_names[] = {"cylinder"};
  static const dae_mechanical skate = {.name = "cylinder_skate",
                                       .nq = 4,
                                       .ng = 1,
                                       .nk = 1,
                                       .q_names = q_names,
                                       .g_names = g_names,
                                       .k_names = blade_names,
                                       .M = cylinder_M,
                                       .f = cylinder_f,
                                       .g = cylinder_g,
                                       .k = cylinder_k,
                                       .G = cylinder_G,
                                       .K = cylinder_K,
                                       .gamma = cylinder_gamma,
                                       .kappa = cylinder_kappa,
                                       .k_q = cylinder_k_q,
                                       .Kts_qv = cylinder_Kts_qv,
                                       .energy = cylinder_energy,
                                       .constant_mass = true,
                                       .time_free_g = true};
  static const double start[] = {1, 0, 0, 0, 0, 0, 0, 1.3, 0, 0};
  static const double end[] = {
      0.62167315897707779527,  0.078621794186334769432, 0.78327676041579387449, 2.6,
      -0.16011482304570894674, -0.33979025220005894795, 0.12708035380628740329, 1.3,
      0.041786172882489874146, 1.0310027436429284705};
  return (test_problem){.name = "cylinder_skate",
                        .problem = {.mechanical = &skate},
                        .start = {.y = start},
                        .to = 2,
                        .size = 10,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true,
                        .conservative = true};
}
