/* Forces on bodies equal generalised forces that are written out by hand, to round-off: the right
 * side f of M q'' = f of a model of bodies and of one with plain coordinates, at random q and q',
 * also off the constraints. */
#include <daedal/daedal.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static dae_model *load(const char *text)
{
  dae_model *model;
  dae_error err = dae_error_none();
  if (dae_model_parse("forces", text, strlen(text), NULL, NULL, &model, &err))
    fail_msg("%s\n%d:%d: %s", text, err.line, err.column, err.text);
  return model;
}

/* Deterministic numbers in [-1, 1]. */
static double next_number(unsigned *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 23) - 1;
}

static void check_same(const char *body, const char *hand)
{
  dae_model *model[2] = {load(body), load(hand)};
  const dae_mechanical *p[2];
  unsigned seed = 1;
  for (int i = 0; i < 2; i++)
    p[i] = dae_model_problem(model[i])->mechanical;
  assert_int_equal(p[0]->nq, p[1]->nq);
  for (int trial = 0; trial < 20; trial++) {
    double q[16], v[16], f[2][16], M[2][256], size = 1;
    for (int j = 0; j < p[0]->nq; j++) {
      q[j] = next_number(&seed);
      v[j] = next_number(&seed);
    }
    dae_mechanical_at at = {.t = 0.3, .q = q, .v = v};
    for (int i = 0; i < 2; i++) {
      assert_int_equal(p[i]->f(p[i]->user, &at, f[i]), 0);
      assert_int_equal(p[i]->M(p[i]->user, &at, M[i]), 0);
    }
    for (int j = 0; j < p[0]->nq; j++)
      size = fmax(size, fabs(f[1][j]));
    for (int j = 0; j < p[0]->nq; j++)
      if (!(fabs(f[0][j] - f[1][j]) < 1e-13 * size))
        fail_msg("%s\nf[%d] = %.17g by the body, %.17g by hand", body, j, f[0][j], f[1][j]);
    for (int j = 0; j < p[0]->nq * p[0]->nq; j++)
      assert_true(fabs(M[0][j] - M[1][j]) < 1e-13 * (1 + fabs(M[1][j])));
  }
  dae_model_free(model[0]);
  dae_model_free(model[1]);
}

/* ---- space: x y z and the Euler parameters a, b, c, d ---- */

#define BODY "model m\nbody B mass 2 inertia (0.3, 0.4, 0.5)\n"
#define HAND                                                                                       \
  "model m\n"                                                                                      \
  "coord x = 0, y = 0, z = 0, a = 1, b = 0, c = 0, d = 0\n"                                        \
  "let w1 = 2*(a*b' - b*a' - c*d' + d*c'), w2 = 2*(a*c' - c*a' - d*b' + b*d')\n"                   \
  "let w3 = 2*(a*d' - d*a' - b*c' + c*b')\n"                                                       \
  "kinetic x'^2 + y'^2 + z'^2 + (0.3*w1^2 + 0.4*w2^2 + 0.5*w3^2)/2\n"                              \
  "kinetic 2*0.3*(a*a' + b*b' + c*c' + d*d')^2\n"                                                  \
  "constraint a^2 + b^2 + c^2 + d^2 = 1\n"                                                         \
  "param s1 = 0.1, s2 = -0.2, s3 = 0.3\n"                                                          \
  "let px = x + (1 - 2*(c^2 + d^2))*s1 + 2*(b*c - a*d)*s2 + 2*(b*d + a*c)*s3\n"                    \
  "let py = y + 2*(b*c + a*d)*s1 + (1 - 2*(b^2 + d^2))*s2 + 2*(c*d - a*b)*s3\n"                    \
  "let pz = z + 2*(b*d - a*c)*s1 + 2*(c*d + a*b)*s2 + (1 - 2*(b^2 + c^2))*s3\n"                    \
  "let xa = 2*(c*s3 - d*s2), ya = 2*(d*s1 - b*s3), za = 2*(b*s2 - c*s1)\n"                         \
  "let xb = 2*(c*s2 + d*s3), yb = 2*c*s1 - 4*b*s2 - 2*a*s3, zb = 2*d*s1 + 2*a*s2 - 4*b*s3\n"       \
  "let xc = 2*b*s2 - 4*c*s1 + 2*a*s3, yc = 2*b*s1 + 2*d*s3, zc = 2*d*s2 - 2*a*s1 - 4*c*s3\n"       \
  "let xd = 2*b*s3 - 4*d*s1 - 2*a*s2, yd = 2*a*s1 - 4*d*s2 + 2*c*s3, zd = 2*b*s1 + 2*c*s2\n"       \
  "let W1 = 2*(a*b' - b*a' + c*d' - d*c'), W2 = 2*(a*c' - c*a' + d*b' - b*d')\n"                   \
  "let W3 = 2*(a*d' - d*a' + b*c' - c*b')\n"
/* forces of F1, F2, F3 at the point */
#define HAND_FORCE                                                                                 \
  "force x = F1; force y = F2; force z = F3\n"                                                     \
  "force a = F1*xa + F2*ya + F3*za; force b = F1*xb + F2*yb + F3*zb\n"                             \
  "force c = F1*xc + F2*yc + F3*zc; force d = F1*xd + F2*yd + F3*zd\n"
#define HAND_TORQUE                                                                                \
  "force a = -2*(b*T1 + c*T2 + d*T3); force b = 2*(a*T1 + d*T2 - c*T3)\n"                          \
  "force c = 2*(a*T2 - d*T1 + b*T3); force d = 2*(c*T1 - b*T2 + a*T3)\n"

static void test_a_force_at_a_point(void **unused)
{
  (void)unused;
  check_same(BODY "force (3, -2, B.y*t) at B.point(0.1, -0.2, 0.3)",
             HAND "let F1 = 3, F2 = -2, F3 = y*t\n" HAND_FORCE);
}

static void test_a_force_along_a_length_and_along_a_rate(void **unused)
{
  (void)unused;
  check_same(BODY "let s = norm(B.point(0.1, -0.2, 0.3) - (2, 3, 4))\nforce 5*t along s",
             HAND "let r = sqrt((px - 2)^2 + (py - 3)^2 + (pz - 4)^2)\n"
                  "let F1 = 5*t*(px - 2)/r, F2 = 5*t*(py - 3)/r, F3 = 5*t*(pz - 4)/r\n" HAND_FORCE);
  check_same(BODY "force 5*t along B.x*B.point(0.1, -0.2, 0.3).y'",
             HAND "let F1 = 0, F2 = 5*t*x, F3 = 0\n" HAND_FORCE);
}

static void test_a_torque(void **unused)
{
  (void)unused;
  check_same(BODY "torque (1, 2*t, B.z) on B", HAND "let T1 = 1, T2 = 2*t, T3 = z\n" HAND_TORQUE);
}

static void test_a_dissipation(void **unused)
{
  (void)unused;
  check_same(BODY "dissipation 0.7*dot(B.omega, B.omega)/2 + 0.2*B.x^2*B.y'^2",
             HAND "let T1 = -0.7*W1, T2 = -0.7*W2, T3 = -0.7*W3\nforce y = "
                  "-0.4*x^2*y'\n" HAND_TORQUE);
}

static void test_springs_and_dampers(void **unused)
{
  (void)unused;
  static const char hand[] =
      "let r = sqrt((px - 2)^2 + (py - 3)^2 + (pz - 4)^2), F = 50*(r - 1.5) + 3*r'\n"
      "let F1 = -F*(px - 2)/r, F2 = -F*(py - 3)/r, F3 = -F*(pz - 4)/r\n";
  char text[8000];
  snprintf(text, sizeof text, "%s%s%s", HAND, hand, HAND_FORCE);
  check_same(BODY "spring S: (2, 3, 4) to B.point(0.1, -0.2, 0.3) stiffness 50 damping 3 free 1.5",
             text);
  check_same(BODY "spring S: (2, 3, 4) to B.point(0.1, -0.2, 0.3) stiffness 50 free 1.5\n"
                  "damper D: B.point(0.1, -0.2, 0.3) to (2, 3, 4) damping 3",
             text);
  check_same(BODY "spring S: (2, 3, 4) to B.point(0.1, -0.2, 0.3) stiffness 50 free 0",
             HAND "potential 25*((px - 2)^2 + (py - 3)^2 + (pz - 4)^2)");
  check_same(BODY "spring S: B.x*B.y stiffness 7 damping 2 free 0.3",
             HAND "let s = x*y\nforce x = -y*(7*(s - 0.3) + 2*s')\nforce y = -x*(7*(s - 0.3) + "
                  "2*s')");
}

static void test_a_bushing_in_space(void **unused)
{
  (void)unused;
  check_same(BODY "bushing D: ground, B at (0.1, -0.2, 0.3) stiffness (10, 20, 30) damping (1, 2, "
                  "3) turning (4, 5, 6) damping (7, 8, 9)",
             HAND "potential (10*(px - 0.1)^2 + 20*(py + 0.2)^2 + 30*(pz - 0.3)^2)/2\n"
                  "potential 2*(4*b^2 + 5*c^2 + 6*d^2)\n"
                  "let F1 = -px', F2 = -2*py', F3 = -3*pz'\n" HAND_FORCE
                  "let T1 = -7*W1, T2 = -8*W2, T3 = -9*W3\n" HAND_TORQUE);
}

static void test_a_point_mass_and_gravity(void **unused)
{
  (void)unused;
  check_same(BODY "gravity (1, 2, -3)\nmass 0.5 at B.point(0.1, -0.2, 0.3)",
             HAND "kinetic (px'^2 + py'^2 + pz'^2)/4\npotential -(px + 2*py - 3*pz)/2\n"
                  "potential -2*(x + 2*y - 3*z)");
}

/* ---- the plane ---- */

#define PLANE "model m\nbody B plane mass 2 inertia 0.3\n"
#define HAND_PLANE                                                                                 \
  "model m\ncoord x = 0, y = 0, p = 0\nkinetic x'^2 + y'^2 + 0.15*p'^2\n"                          \
  "let px = x + 0.1*cos(p) + 0.2*sin(p), py = y + 0.1*sin(p) - 0.2*cos(p)\n"                       \
  "let xp = -0.1*sin(p) + 0.2*cos(p), yp = 0.1*cos(p) + 0.2*sin(p)\n"

static void test_forces_in_the_plane(void **unused)
{
  (void)unused;
  check_same(PLANE "force (3, t) at B.point(0.1, -0.2)\ntorque 4*t on B",
             HAND_PLANE "force x = 3; force y = t; force p = 3*xp + t*yp + 4*t");
  check_same(PLANE "bushing D: ground, B at (0.1, -0.2) stiffness (10, 20) damping (1, 2) turning "
                   "4 damping 7",
             HAND_PLANE "potential (10*(px - 0.1)^2 + 20*(py + 0.2)^2 + 4*p^2)/2\n"
                        "force x = -px'; force y = -2*py'; force p = -px'*xp - 2*py'*yp - 7*p'");
  check_same(PLANE "revolute J: ground, B at (0, 0)\nspring S: J.angle stiffness 5 damping 2 free "
                   "0.4\nforce 3 along J.angle",
             HAND_PLANE "constraint x = 0; constraint y = 0\nforce p = -5*(p - 0.4) - 2*p' + 3");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_force_at_a_point),
      cmocka_unit_test(test_a_force_along_a_length_and_along_a_rate),
      cmocka_unit_test(test_a_torque),
      cmocka_unit_test(test_a_dissipation),
      cmocka_unit_test(test_springs_and_dampers),
      cmocka_unit_test(test_a_bushing_in_space),
      cmocka_unit_test(test_a_point_mass_and_gravity),
      cmocka_unit_test(test_forces_in_the_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
