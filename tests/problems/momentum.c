/* Problems in the momentum form [J09], each with every derivative or with none:
 *
 *   curv_ham   the pendulum under unit gravity in the coordinates X = q1 + 0.3 q2^2, Y = q2 by its
 *              Hamiltonian: z the momenta, H = (a^2 + b^2)/2 + Y with a = X' = z1 and
 *              b = Y' = z2 - 0.6 q2 z1
 *   curv_lag   the same by its Lagrangian: z = q', p = dT/dz, a = X' = z1 + 0.6 q2 z2
 *   mixed      a skate on a vertical unit cylinder, y = (x, Y, w, phi), z = y', unit force along Y,
 *              of the signs f = ... - k_z' psi, r = -g_y' lambda
 *
 * End values as those of test_curvilinear and test_cylinder_skate. */
#include "problems/problems.h"

#include <math.h>
#include <stddef.h>

#define C 0.6

/* ---- what the two pendulums share ---- */

static double X_of(const double *q)
{
  return q[0] + C / 2 * q[1] * q[1];
}

static int rod(void *user, const dae_momentum_at *at, double *g)
{
  double X = X_of(at->y), Y = at->y[1];
  (void)user;
  g[0] = (X * X + Y * Y - 1) / 2;
  return 0;
}

static int rod_y(void *user, const dae_momentum_at *at, double *g_y)
{
  double X = X_of(at->y), Y = at->y[1];
  (void)user;
  g_y[0] = X;
  g_y[1] = C * Y * X + Y;
  return 0;
}

static int rod_r(void *user, const dae_momentum_at *at, const double *lambda, double *r)
{
  rod_y(user, at, r);
  r[0] *= -lambda[0];
  r[1] *= -lambda[0];
  return 0;
}

static int rod_r_lambda(void *user, const dae_momentum_at *at, const double *lambda, double *out)
{
  (void)lambda;
  rod_y(user, at, out);
  out[0] *= -1;
  out[1] *= -1;
  return 0;
}

static int rod_r_y(void *user, const dae_momentum_at *at, const double *lambda, double *out)
{
  double X = X_of(at->y), Y = at->y[1];
  (void)user;
  out[0] = -lambda[0];
  out[1] = out[2] = -lambda[0] * C * Y;
  out[3] = -lambda[0] * (C * C * Y * Y + C * X + 1);
  return 0;
}

/* ---- Hamiltonian ---- */

static int ham_v(void *user, const dae_momentum_at *at, double *v)
{
  double Y = at->y[1], a = at->z[0], b = at->z[1] - C * Y * a;
  (void)user;
  v[0] = a - C * Y * b;
  v[1] = b;
  return 0;
}

static int ham_v_y(void *user, const dae_momentum_at *at, double *out)
{
  double Y = at->y[1], a = at->z[0], b = at->z[1] - C * Y * a;
  (void)user;
  out[0] = out[1] = 0;
  out[2] = -C * b + C * C * Y * a;
  out[3] = -C * a;
  return 0;
}

static int ham_v_z(void *user, const dae_momentum_at *at, double *out)
{
  double Y = at->y[1];
  (void)user;
  out[0] = 1 + C * C * Y * Y;
  out[1] = out[2] = -C * Y;
  out[3] = 1;
  return 0;
}

static int ham_f(void *user, const dae_momentum_at *at, const double *psi, double *f)
{
  double Y = at->y[1], a = at->z[0], b = at->z[1] - C * Y * a;
  (void)user, (void)psi;
  f[0] = 0;
  f[1] = C * a * b - 1;
  return 0;
}

static int ham_f_y(void *user, const dae_momentum_at *at, const double *psi, double *out)
{
  double a = at->z[0];
  (void)user, (void)psi;
  out[0] = out[1] = out[2] = 0;
  out[3] = -C * C * a * a;
  return 0;
}

static int ham_f_z(void *user, const dae_momentum_at *at, const double *psi, double *out)
{
  double Y = at->y[1], a = at->z[0], b = at->z[1] - C * Y * a;
  (void)user, (void)psi;
  out[0] = out[2] = 0;
  out[1] = C * b - C * C * Y * a;
  out[3] = C * a;
  return 0;
}

static int ham_gdot_y(void *user, const dae_momentum_at *at, double *out)
{
  double Y = at->y[1], a = at->z[0];
  (void)user;
  out[0] = a;
  out[1] = at->z[1] - C * Y * a;
  return 0;
}

static int ham_energy(void *user, const dae_momentum_at *at, double *energy)
{
  double Y = at->y[1], a = at->z[0], b = at->z[1] - C * Y * a;
  (void)user;
  *energy = (a * a + b * b) / 2 + Y;
  return 0;
}

static const char *const g_names[] = {"rod"};

test_problem test_curv_ham(bool derivatives)
{
#define GIVEN                                                                                      \
  .name = "curv_ham", .ny = 2, .nz = 2, .ng = 1, .g_names = g_names, .v = ham_v, .f = ham_f,       \
  .r = rod_r, .g = rod, .energy = ham_energy
  static const dae_momentum bare = {GIVEN};
  static const dae_momentum full = {GIVEN,
                                    .v_y = ham_v_y,
                                    .v_z = ham_v_z,
                                    .f_y = ham_f_y,
                                    .f_z = ham_f_z,
                                    .r_y = rod_r_y,
                                    .r_lambda = rod_r_lambda,
                                    .g_y = rod_y,
                                    .gdot_y = ham_gdot_y,
                                    .time_free_g = true};
#undef GIVEN
  static const double start[] = {1, 0, 0, 0, 0};
  /* p = M q' of the end values below */
  static const double end[] = {-0.49168475409860857573, -0.97893060583190838214,
                               -1.3697548850034141373, 1.0902514721855644340,
                               2.9367918174957251464};
  return (test_problem){.name = "curv_ham",
                        .problem = {.momentum = derivatives ? &full : &bare},
                        .start = {.y = start},
                        .to = 2,
                        .size = 5,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true,
                        .conservative = true};
}

/* ---- Lagrangian ---- */

static double a_of(const dae_momentum_at *at)
{
  return at->z[0] + C * at->y[1] * at->z[1];
}

static int lag_v(void *user, const dae_momentum_at *at, double *v)
{
  (void)user;
  v[0] = at->z[0];
  v[1] = at->z[1];
  return 0;
}

static int lag_v_y(void *user, const dae_momentum_at *at, double *out)
{
  (void)user, (void)at;
  out[0] = out[1] = out[2] = out[3] = 0;
  return 0;
}

static int lag_v_z(void *user, const dae_momentum_at *at, double *out)
{
  (void)user, (void)at;
  out[0] = out[3] = 1;
  out[1] = out[2] = 0;
  return 0;
}

static int lag_p(void *user, const dae_momentum_at *at, double *p)
{
  double a = a_of(at);
  (void)user;
  p[0] = a;
  p[1] = C * at->y[1] * a + at->z[1];
  return 0;
}

static int lag_p_y(void *user, const dae_momentum_at *at, double *out)
{
  (void)user;
  out[0] = out[1] = 0;
  out[2] = C * at->z[1];
  out[3] = C * a_of(at) + C * C * at->y[1] * at->z[1];
  return 0;
}

static int lag_p_z(void *user, const dae_momentum_at *at, double *out)
{
  double Y = at->y[1];
  (void)user;
  out[0] = 1;
  out[1] = out[2] = C * Y;
  out[3] = 1 + C * C * Y * Y;
  return 0;
}

static int lag_f(void *user, const dae_momentum_at *at, const double *psi, double *f)
{
  (void)user, (void)psi;
  f[0] = 0;
  f[1] = C * at->z[1] * a_of(at) - 1;
  return 0;
}

static int lag_f_y(void *user, const dae_momentum_at *at, const double *psi, double *out)
{
  (void)user, (void)psi;
  out[0] = out[1] = out[2] = 0;
  out[3] = C * C * at->z[1] * at->z[1];
  return 0;
}

static int lag_f_z(void *user, const dae_momentum_at *at, const double *psi, double *out)
{
  (void)user, (void)psi;
  out[0] = out[2] = 0;
  out[1] = C * at->z[1];
  out[3] = C * a_of(at) + C * C * at->y[1] * at->z[1];
  return 0;
}

static int lag_gdot_y(void *user, const dae_momentum_at *at, double *out)
{
  double X = X_of(at->y), Y = at->y[1], a = a_of(at), b = at->z[1];
  (void)user;
  out[0] = a;
  out[1] = C * Y * a + C * X * b + b;
  return 0;
}

static int lag_energy(void *user, const dae_momentum_at *at, double *energy)
{
  double a = a_of(at), b = at->z[1];
  (void)user;
  *energy = (a * a + b * b) / 2 + at->y[1];
  return 0;
}

test_problem test_curv_lag(bool derivatives)
{
#define GIVEN                                                                                      \
  .name = "curv_lag", .ny = 2, .nz = 2, .ng = 1, .g_names = g_names, .v = lag_v, .p = lag_p,       \
  .f = lag_f, .r = rod_r, .g = rod, .energy = lag_energy
  static const dae_momentum bare = {GIVEN};
  static const dae_momentum full = {GIVEN,          .v_y = lag_v_y,       .v_z = lag_v_z,
                                    .p_y = lag_p_y, .p_z = lag_p_z,       .f_y = lag_f_y,
                                    .f_z = lag_f_z, .r_y = rod_r_y,       .r_lambda = rod_r_lambda,
                                    .g_y = rod_y,   .gdot_y = lag_gdot_y, .time_free_g = true};
#undef GIVEN
  static const double start[] = {1, 0, 0, 0, 0};
  static const double end[] = {-0.49168475409860857573, -0.97893060583190838214,
                               -1.2019380929389350414, 0.28571448453499951468,
                               2.9367918174957251464};
  return (test_problem){.name = "curv_lag",
                        .problem = {.momentum = derivatives ? &full : &bare},
                        .start = {.y = start},
                        .to = 2,
                        .size = 5,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true,
                        .conservative = true};
}

/* ---- skate on a cylinder ---- */

static int skate_v(void *user, const dae_momentum_at *at, double *v)
{
  (void)user;
  for (int i = 0; i < 4; i++)
    v[i] = at->z[i];
  return 0;
}

static int zero_4x4(void *user, const dae_momentum_at *at, double *out)
{
  (void)user, (void)at;
  for (int i = 0; i < 16; i++)
    out[i] = 0;
  return 0;
}

static int skate_v_z(void *user, const dae_momentum_at *at, double *out)
{
  zero_4x4(user, at, out);
  for (int i = 0; i < 4; i++)
    out[5 * i] = 1;
  return 0;
}

static int skate_k_z(void *user, const dae_momentum_at *at, double *out)
{
  const double *y = at->y;
  (void)user;
  out[0] = y[2] * cos(y[3]);
  out[1] = sin(y[3]);
  out[2] = -y[0] * cos(y[3]);
  out[3] = 0;
  return 0;
}

static int skate_k(void *user, const dae_momentum_at *at, double *k)
{
  double k_z[4];
  skate_k_z(user, at, k_z);
  k[0] = k_z[0] * at->z[0] + k_z[1] * at->z[1] + k_z[2] * at->z[2];
  return 0;
}

static int skate_k_y(void *user, const dae_momentum_at *at, double *out)
{
  const double *y = at->y, *z = at->z;
  (void)user;
  out[0] = -cos(y[3]) * z[2];
  out[1] = 0;
  out[2] = cos(y[3]) * z[0];
  out[3] = -y[2] * sin(y[3]) * z[0] + cos(y[3]) * z[1] + y[0] * sin(y[3]) * z[2];
  return 0;
}

static int skate_f(void *user, const dae_momentum_at *at, const double *psi, double *f)
{
  double k_z[4];
  skate_k_z(user, at, k_z);
  for (int i = 0; i < 4; i++)
    f[i] = -k_z[i] * psi[0];
  f[1] += 1;
  return 0;
}

static int skate_f_psi(void *user, const dae_momentum_at *at, const double *psi, double *out)
{
  (void)psi;
  skate_k_z(user, at, out);
  for (int i = 0; i < 4; i++)
    out[i] *= -1;
  return 0;
}

static int skate_f_y(void *user, const dae_momentum_at *at, const double *psi, double *out)
{
  const double *y = at->y;
  zero_4x4(user, at, out);
  out[2] = cos(y[3]) * psi[0];
  out[8] = -cos(y[3]) * psi[0];
  out[12] = y[2] * sin(y[3]) * psi[0];
  out[13] = -cos(y[3]) * psi[0];
  out[14] = -y[0] * sin(y[3]) * psi[0];
  return 0;
}

static int skate_f_z(void *user, const dae_momentum_at *at, const double *psi, double *out)
{
  (void)psi;
  return zero_4x4(user, at, out);
}

static int skate_g(void *user, const dae_momentum_at *at, double *g)
{
  const double *y = at->y;
  (void)user;
  g[0] = (y[0] * y[0] + y[2] * y[2] - 1) / 2;
  return 0;
}

static int skate_g_y(void *user, const dae_momentum_at *at, double *out)
{
  (void)user;
  out[0] = at->y[0];
  out[1] = out[3] = 0;
  out[2] = at->y[2];
  return 0;
}

static int skate_r(void *user, const dae_momentum_at *at, const double *lambda, double *r)
{
  skate_g_y(user, at, r);
  for (int i = 0; i < 4; i++)
    r[i] *= -lambda[0];
  return 0;
}

static int skate_r_y(void *user, const dae_momentum_at *at, const double *lambda, double *out)
{
  zero_4x4(user, at, out);
  out[0] = out[10] = -lambda[0];
  return 0;
}

static int skate_r_lambda(void *user, const dae_momentum_at *at, const double *lambda, double *out)
{
  (void)lambda;
  skate_g_y(user, at, out);
  for (int i = 0; i < 4; i++)
    out[i] *= -1;
  return 0;
}

static int skate_gdot_y(void *user, const dae_momentum_at *at, double *out)
{
  (void)user;
  out[0] = at->z[0];
  out[1] = out[3] = 0;
  out[2] = at->z[2];
  return 0;
}

static int skate_energy(void *user, const dae_momentum_at *at, double *energy)
{
  const double *z = at->z;
  (void)user;
  *energy = (z[0] * z[0] + z[1] * z[1] + z[2] * z[2] + z[3] * z[3]) / 2 - at->y[1];
  return 0;
}

test_problem test_mixed(bool derivatives)
{
  static const char *const y_names[] = {"x", "Y", "w", "phi"};
  static const char *const z_names[] = {"vx", "vY", "vw", "omega"};
  static const char *const cylinder[] = {"cylinder"}, *const blade[] = {"blade"};
#define GIVEN                                                                                      \
  .name = "mixed", .ny = 4, .nz = 4, .ng = 1, .nk = 1, .y_names = y_names, .z_names = z_names,     \
  .g_names = cylinder, .k_names = blade, .v = skate_v, .f = skate_f, .r = skate_r, .g = skate_g,   \
  .k = skate_k, .energy = skate_energy
  static const dae_momentum bare = {GIVEN};
  static const dae_momentum full = {GIVEN,
                                    .v_y = zero_4x4,
                                    .v_z = skate_v_z,
                                    .f_y = skate_f_y,
                                    .f_z = skate_f_z,
                                    .f_psi = skate_f_psi,
                                    .r_y = skate_r_y,
                                    .r_lambda = skate_r_lambda,
                                    .g_y = skate_g_y,
                                    .gdot_y = skate_gdot_y,
                                    .k_y = skate_k_y,
                                    .k_z = skate_k_z,
                                    .time_free_g = true};
#undef GIVEN
  static const double start[] = {1, 0, 0, 0, 0, 0, 0, 1.3, 0, 0};
  static const double end[] = {
      0.62167315897707779527,  0.078621794186334769432, 0.78327676041579387449, 2.6,
      -0.16011482304570894674, -0.33979025220005894795, 0.12708035380628740329, 1.3,
      0.041786172882489874146, 1.0310027436429284705};
  return (test_problem){.name = "mixed",
                        .problem = {.momentum = derivatives ? &full : &bare},
                        .start = {.y = start},
                        .to = 2,
                        .size = 10,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true,
                        .conservative = true};
}
