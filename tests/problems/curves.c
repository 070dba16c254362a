/* Point masses on curves, with what the plain pendulum lacks: a mass matrix that depends on q, a
 * stiff force, and momenta instead of a mass matrix. References: references/references.py. */
#include "problems/problems.h"

#include <math.h>
#include <stddef.h>

/* -- bead: polar coordinates q = (r, phi) on the limacon r = 1 + 0.3 cos phi -- */

static const double gravity = 9.81;

static int bead_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user;
  M[0] = 1;
  M[1] = M[2] = 0;
  M[3] = at->q[0] * at->q[0];
  return 0;
}

static int bead_f(void *user, const dae_mechanical_at *at, double *f)
{
  double r = at->q[0], phi = at->q[1], rdot = at->v[0], omega = at->v[1];
  (void)user;
  f[0] = r * omega * omega - gravity * sin(phi);
  f[1] = -2 * r * rdot * omega - gravity * r * cos(phi);
  return 0;
}

static int bead_J(void *user, const dae_mechanical_at *at, double *J)
{
  double r = at->q[0], phi = at->q[1], rdot = at->v[0], omega = at->v[1];
  (void)user;
  J[0] = omega * omega;
  J[1] = -2 * rdot * omega - gravity * cos(phi);
  J[2] = -gravity * cos(phi);
  J[3] = gravity * r * sin(phi);
  J[4] = 0;
  J[5] = -2 * r * omega;
  J[6] = 2 * r * omega;
  J[7] = -2 * r * rdot;
  return 0;
}

static int bead_g(void *user, const dae_mechanical_at *at, double *g)
{
  (void)user;
  g[0] = at->q[0] - 1 - 0.3 * cos(at->q[1]);
  return 0;
}

static int bead_G(void *user, const dae_mechanical_at *at, double *G)
{
  (void)user;
  G[0] = 1;
  G[1] = 0.3 * sin(at->q[1]);
  return 0;
}

static int bead_gamma(void *user, const dae_mechanical_at *at, double *gamma)
{
  (void)user;
  gamma[0] = 0.3 * cos(at->q[1]) * at->v[1] * at->v[1];
  return 0;
}

static int bead_gdot_q(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = 0;
  out[1] = 0.3 * cos(at->q[1]) * at->v[1];
  return 0;
}

static int bead_Gts_q(void *user, const dae_mechanical_at *at, const double *s, double *out)
{
  (void)user;
  out[0] = out[1] = out[2] = 0;
  out[3] = 0.3 * cos(at->q[1]) * s[0];
  return 0;
}

static int bead_Ms_qv(void *user, const dae_mechanical_at *at, const double *s, double *out)
{
  (void)user;
  for (int i = 0; i < 8; i++)
    out[i] = 0;
  out[1] = 2 * at->q[0] * s[1];
  return 0;
}

static int bead_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  double r = at->q[0], phi = at->q[1], rdot = at->v[0], omega = at->v[1];
  (void)user;
  *T = (rdot * rdot + r * r * omega * omega) / 2;
  *V = gravity * r * sin(phi);
  return 0;
}

test_problem test_bead(void)
{
  static const char *const q_names[] = {"r", "phi"}, *const g_names[] = {"wire"};
  static const dae_mechanical bead = {.name = "bead",
                                      .nq = 2,
                                      .ng = 1,
                                      .q_names = q_names,
                                      .g_names = g_names,
                                      .M = bead_M,
                                      .f = bead_f,
                                      .g = bead_g,
                                      .G = bead_G,
                                      .gamma = bead_gamma,
                                      .J = bead_J,
                                      .Ms_qv = bead_Ms_qv,
                                      .Gts_q = bead_Gts_q,
                                      .gdot_q = bead_gdot_q,
                                      .energy = bead_energy,
                                      .time_free_g = true};
  static const double start[] = {1.3, 0, 0, 0, 0};
  static const double end[] = {1.2542535665984905437, -0.55951640925766250483,
                               0.45516992604043096009, 2.8585164206245873956,
                               18.618888663957641612};
  return (test_problem){.name = "bead",
                        .problem = {.mechanical = &bead},
                        .start = {.y = start},
                        .to = 2,
                        .size = 5,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true,
                        .conservative = true};
}

/* -- spring: mass on the unit circle, spring of stiffness k = 1/eps^2 from (0, -1/2), unstretched
 *    length 0.4, unit gravity; the force is restoring, unlike the paper's print -- */

static const double stiffness = 1e4, unstretched = 0.4;

static int spring_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = M[3] = 1;
  M[1] = M[2] = 0;
  return 0;
}

static int spring_f(void *user, const dae_mechanical_at *at, double *f)
{
  double dx = at->q[0], dy = at->q[1] + 0.5, l = sqrt(dx * dx + dy * dy);
  double c = -stiffness * (l - unstretched) / l;
  (void)user;
  f[0] = c * dx;
  f[1] = c * dy - 1;
  return 0;
}

static int spring_J(void *user, const dae_mechanical_at *at, double *J)
{
  double dx = at->q[0], dy = at->q[1] + 0.5, l = sqrt(dx * dx + dy * dy);
  double c = -stiffness * (l - unstretched) / l, e = -stiffness * unstretched / (l * l * l);
  (void)user;
  J[0] = c + e * dx * dx;
  J[1] = J[2] = e * dx * dy;
  J[3] = c + e * dy * dy;
  J[4] = J[5] = J[6] = J[7] = 0;
  return 0;
}

static int spring_g(void *user, const dae_mechanical_at *at, double *g)
{
  (void)user;
  g[0] = (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1) / 2;
  return 0;
}

static int spring_G(void *user, const dae_mechanical_at *at, double *G)
{
  (void)user;
  G[0] = at->q[0];
  G[1] = at->q[1];
  return 0;
}

static int spring_gamma(void *user, const dae_mechanical_at *at, double *gamma)
{
  (void)user;
  gamma[0] = at->v[0] * at->v[0] + at->v[1] * at->v[1];
  return 0;
}

static int spring_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  double dx = at->q[0], dy = at->q[1] + 0.5, e = sqrt(dx * dx + dy * dy) - unstretched;
  (void)user;
  *T = (at->v[0] * at->v[0] + at->v[1] * at->v[1]) / 2;
  *V = stiffness * e * e / 2 + at->q[1];
  return 0;
}

test_problem test_spring(void)
{
  static const char *const q_names[] = {"x", "y"}, *const g_names[] = {"circle"};
  static const dae_mechanical spring = {.name = "spring",
                                        .nq = 2,
                                        .ng = 1,
                                        .q_names = q_names,
                                        .g_names = g_names,
                                        .M = spring_M,
                                        .f = spring_f,
                                        .g = spring_g,
                                        .G = spring_G,
                                        .gamma = spring_gamma,
                                        .J = spring_J,
                                        .energy = spring_energy,
                                        .constant_mass = true,
                                        .time_free_g = true};
  /* (0.04471, -0.999) scaled onto the circle */
  static const double start[] = {0.044710000355444504239, -0.99900000794205009471, 0, 0, 0};
  static const double end[] = {-0.044162544342106868957, -0.99902435890083853579,
                               0.22144643352103430219, -9.7891886745724571385e-3,
                               -1007.7174329995551839};
  return (test_problem){.name = "spring",
                        .problem = {.mechanical = &spring},
                        .start = {.y = start},
                        .to = 0.5,
                        .size = 5,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true,
                        .conservative = true};
}

/* -- curvilinear: the pendulum under unit gravity in the coordinates X = q1 + 0.3 q2^2, Y = q2,
 *    given by momenta p = dT/dv and F = dT/dq - dV/dq [J09] -- */

typedef struct curve {
  double X, Xdot, q2, v1, v2;
} curve;

static curve curve_at(const dae_mechanical_at *at)
{
  const double *q = at->q, *v = at->v;
  return (curve){q[0] + 0.3 * q[1] * q[1], v[0] + 0.6 * q[1] * v[1], q[1], v[0], v[1]};
}

static int curve_p(void *user, const dae_mechanical_at *at, double *p)
{
  curve c = curve_at(at);
  (void)user;
  p[0] = c.Xdot;
  p[1] = 0.6 * c.q2 * c.Xdot + c.v2;
  return 0;
}

static int curve_M(void *user, const dae_mechanical_at *at, double *M)
{
  double q2 = at->q[1];
  (void)user;
  M[0] = 1;
  M[1] = M[2] = 0.6 * q2;
  M[3] = 1 + 0.36 * q2 * q2;
  return 0;
}

static int curve_F(void *user, const dae_mechanical_at *at, double *F)
{
  curve c = curve_at(at);
  (void)user;
  F[0] = 0;
  F[1] = 0.6 * c.Xdot * c.v2 - 1;
  return 0;
}

static int curve_p_rate(void *user, const dae_mechanical_at *at, double *out)
{
  curve c = curve_at(at);
  (void)user;
  out[0] = 0.6 * c.v2 * c.v2;
  out[1] = (0.6 * c.v1 + 0.72 * c.q2 * c.v2) * c.v2;
  return 0;
}

static int curve_J(void *user, const dae_mechanical_at *at, double *J)
{
  curve c = curve_at(at);
  (void)user;
  J[0] = J[1] = J[2] = J[4] = J[6] = 0;
  J[3] = 0.36 * c.v2 * c.v2;
  J[5] = 0.6 * c.v2;
  J[7] = 0.6 * c.v1 + 0.72 * c.q2 * c.v2;
  return 0;
}

static int curve_Ms_qv(void *user, const dae_mechanical_at *at, const double *s, double *out)
{
  (void)user;
  for (int i = 0; i < 8; i++)
    out[i] = 0;
  out[2] = 0.6 * s[1];
  out[3] = 0.6 * s[0] + 0.72 * at->q[1] * s[1];
  return 0;
}

static int curve_g(void *user, const dae_mechanical_at *at, double *g)
{
  curve c = curve_at(at);
  (void)user;
  g[0] = (c.X * c.X + c.q2 * c.q2 - 1) / 2;
  return 0;
}

static int curve_G(void *user, const dae_mechanical_at *at, double *G)
{
  curve c = curve_at(at);
  (void)user;
  G[0] = c.X;
  G[1] = 0.6 * c.q2 * c.X + c.q2;
  return 0;
}

static int curve_gamma(void *user, const dae_mechanical_at *at, double *gamma)
{
  curve c = curve_at(at);
  (void)user;
  gamma[0] = c.Xdot * c.Xdot + 0.6 * c.X * c.v2 * c.v2 + c.v2 * c.v2;
  return 0;
}

static int curve_Gts_q(void *user, const dae_mechanical_at *at, const double *s, double *out)
{
  curve c = curve_at(at);
  (void)user;
  out[0] = s[0];
  out[1] = out[2] = 0.6 * c.q2 * s[0];
  out[3] = (0.36 * c.q2 * c.q2 + 0.6 * c.X + 1) * s[0];
  return 0;
}

static int curve_gdot_q(void *user, const dae_mechanical_at *at, double *out)
{
  curve c = curve_at(at);
  (void)user;
  out[0] = c.Xdot;
  out[1] = 0.6 * c.q2 * c.v1 + (0.36 * c.q2 * c.q2 + 0.6 * c.X + 1) * c.v2;
  return 0;
}

static int curve_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  curve c = curve_at(at);
  (void)user;
  *T = (c.Xdot * c.Xdot + c.v2 * c.v2) / 2;
  *V = c.q2;
  return 0;
}

test_problem test_curvilinear(void)
{
  static const dae_mechanical curvilinear = {.name = "curvilinear",
                                             .nq = 2,
                                             .ng = 1,
                                             .M = curve_M,
                                             .p = curve_p,
                                             .F = curve_F,
                                             .p_rate = curve_p_rate,
                                             .g = curve_g,
                                             .G = curve_G,
                                             .gamma = curve_gamma,
                                             .J = curve_J,
                                             .Ms_qv = curve_Ms_qv,
                                             .Gts_q = curve_Gts_q,
                                             .gdot_q = curve_gdot_q,
                                             .energy = curve_energy,
                                             .time_free_g = true};
  static const double start[] = {1, 0, 0, 0, 0};
  static const double end[] = {-0.49168475409860857573, -0.97893060583190838214,
                               -1.2019380929389350414, 0.28571448453499951468,
                               2.9367918174957251464};
  return (test_problem){.name = "curvilinear",
                        .problem = {.mechanical = &curvilinear},
                        .start = {.y = start},
                        .to = 2,
                        .size = 5,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true,
                        .conservative = true};
}
