/* Sand's track [J09 test set]: a unit mass on the unit circle, driven along it by a force that does
 * work,
 *
 *   q'' + q lambda = (2 q2, -2 q1),   0 = (q1^2 + q2^2 - 1)/2,
 *
 * whose motion from rest at (0, 1) is q = (sin t^2, cos t^2), lambda = 4 t^2. */
#include "problems/problems.h"

#include <stddef.h>

static int track_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = M[3] = 1;
  M[1] = M[2] = 0;
  return 0;
}

static int track_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user;
  f[0] = 2 * at->q[1];
  f[1] = -2 * at->q[0];
  return 0;
}

static int track_J(void *user, const dae_mechanical_at *at, double *J)
{
  (void)user, (void)at;
  for (int i = 0; i < 8; i++)
    J[i] = 0;
  J[1] = -2;
  J[2] = 2;
  return 0;
}

static int track_g(void *user, const dae_mechanical_at *at, double *g)
{
  const double *q = at->q;
  (void)user;
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  return 0;
}

static int track_G(void *user, const dae_mechanical_at *at, double *G)
{
  (void)user;
  G[0] = at->q[0];
  G[1] = at->q[1];
  return 0;
}

static int track_gamma(void *user, const dae_mechanical_at *at, double *gamma)
{
  (void)user;
  gamma[0] = at->v[0] * at->v[0] + at->v[1] * at->v[1];
  return 0;
}

static int track_Gts_q(void *user, const dae_mechanical_at *at, const double *s, double *out)
{
  (void)user, (void)at;
  out[0] = out[3] = s[0];
  out[1] = out[2] = 0;
  return 0;
}

static int track_gdot_q(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = at->v[0];
  out[1] = at->v[1];
  return 0;
}

test_problem test_track(void)
{
  static const char *const q_names[] = {"x", "y"}, *const g_names[] = {"track"};
  static const dae_mechanical track = {.name = "track",
                                       .nq = 2,
                                       .ng = 1,
                                       .q_names = q_names,
                                       .g_names = g_names,
                                       .M = track_M,
                                       .f = track_f,
                                       .g = track_g,
                                       .G = track_G,
                                       .gamma = track_gamma,
                                       .J = track_J,
                                       .Gts_q = track_Gts_q,
                                       .gdot_q = track_gdot_q,
                                       .constant_mass = true,
                                       .time_free_g = true};
  static const double start[] = {0, 1, 0, 0, 0};
  static const double end[] = {0.77807319688792124141, -0.62817362272273908891,
                               -1.8845208681682172667, -2.3342195906637637242, 9};
  return (test_problem){.name = "track",
                        .problem = {.mechanical = &track},
                        .start = {.y = start},
                        .to = 1.5,
                        .size = 5,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true};
}
