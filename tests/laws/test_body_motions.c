/* Motions of bodies: angles that count turns, gears, the modes of a bicycle, parts, and models with
 * a thousand bodies. */
#include "body_run.h"

#include <complex.h>

/* ---- angles ---- */

static void test_angles_count_turns_in_space_and_in_the_plane(void **unused)
{
  (void)unused;
  run *r = run_of("model m\nbody B cylinder 1 length 1 mass 1 omega (0, 0, 10)\n"
                  "revolute J: ground, B axis (0, 0, 1) angle 0.25\noutput a = J.angle\n"
                  "body P disk 1 mass 1 at (0, 0) omega -7\nrevolute K: ground, P\n"
                  "output p = K.angle\nsimulate to 5 output every 1",
                  NULL, "1e-10");
  assert_true(fabs(end(r, "a") - 50.25) < 1e-7);
  assert_true(fabs(end(r, "J.angle") - 50.25) < 1e-7);
  assert_true(fabs(end(r, "p") + 35) < 1e-9);
  free(r);
}

/* Two wheels, a rack and a screw, driven by a torque of 0.5: one degree of freedom. */
static void test_gears_rack_and_screw_over_many_turns(void **unused)
{
  (void)unused;
  run *r = run_of(
      "model gears\n"
      "body w1 cylinder 0.1 length 0.02 mass 1\nbody w2 cylinder 0.3 length 0.02 mass 9 at (0.4, "
      "0, 0)\nbody bar box (1, 0.02, 0.02) mass 2 at (0, -0.1, 0)\n"
      "body nut box (0.1, 0.1, 0.1) mass 1 at (0.4, 0, 0.5)\n"
      "revolute J1: ground, w1 axis (0, 0, 1)\nrevolute J2: ground, w2 axis (0, 0, 1)\n"
      "prismatic S: ground, bar axis (1, 0, 0)\ncylindrical N: ground, nut axis (0, 0, 1)\n"
      "constraint mesh: 0.1*J1.angle + 0.3*J2.angle = 0\nconstraint rack: S.slide = "
      "0.1*J1.angle\nconstraint screw: N.slide = 0.02/(2*pi)*J2.angle\n"
      "force 0.5 along J1.angle\noutput a1 = J1.angle, a2 = J2.angle, s = S.slide, n = N.slide\n"
      "simulate to 10 output every 1",
      NULL, "1e-9");
  double pitch = 0.02 / (2 * 3.14159265358979323846), J1 = 0.01 / 2, J2 = 9 * 0.09 / 2;
  double a = 0.5 / (J1 + J2 / 9 + 2 * 0.01 + pitch * pitch / 9) * 50;
  assert_true(a > 300);
  assert_true(fabs(end(r, "a1") - a) < 1e-6 * a);
  assert_true(fabs(end(r, "a2") + a / 3) < 1e-6 * a);
  assert_true(fabs(end(r, "s") - a / 10) < 1e-6 * a);
  assert_true(fabs(end(r, "n") + pitch * a / 3) < 1e-6 * a);
  free(r);
}

/* ---- bicycle ---- */

static double complex determinant(double complex A[4][4])
{
  double complex product = 1;
  for (int p = 0; p < 4; p++) {
    int best = p;
    for (int i = p; i < 4; i++)
      best = cabs(A[i][p]) > cabs(A[best][p]) ? i : best;
    for (int j = 0; j < 4; j++) {
      double complex swap = A[p][j];
      A[p][j] = A[best][j];
      A[best][j] = swap;
    }
    product *= best == p ? A[p][p] : -A[p][p];
    for (int i = p + 1; i < 4; i++) {
      double complex factor = A[i][p] / A[p][p];
      for (int j = p; j < 4; j++)
        A[i][j] -= factor * A[p][j];
    }
  }
  return product;
}

/* det(X1 - z X0), which vanishes for the multipliers z of X1 = Phi X0. */
static double complex pencil(double X[5][4], double complex z)
{
  double complex A[4][4];
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++)
      A[i][k] = X[k + 1][i] - z * X[k][i];
  return determinant(A);
}

static void test_the_bicycle_has_the_published_modes(void **unused)
{
  (void)unused;
  static const double complex modes[] = {-0.32286642900409 + 0 * I,
                                         -0.77534188219585 + 4.46486771378823 * I,
                                         -14.07838969279822 + 0 * I};
  static const char *const names[4] = {"lean", "turn", "leaning", "turning"};
  const double h = 0.1;
  double X[5][4];
  run *r = run_of(
      "model bicycle\n"
      "param v = 5, w = 1.02, c = 0.08, rR = 0.3, rF = 0.35, kick = 1e-3\n"
      "gravity (0, 0, 9.81)\n"
      "body rear mass 2 inertia (0.0603, 0.0603, 0.12) at (0, 0, -rR) z along (0, 1, 0) omega "
      "(kick, -v/rR, 0)\n"
      "body frame mass 85 inertia (9.2, 11, 2.8, 0, 2.4, 0) at (0.3, 0, -0.9) omega (kick, 0, 0)\n"
      "body fork mass 4 inertia (0.05892, 0.06, 0.00708, 0, -0.00756, 0) at (0.9, 0, -0.7)\n"
      "body front mass 3 inertia (0.1405, 0.1405, 0.28) at (w, 0, -rF) z along (0, 1, 0)\n"
      "revolute hub1: frame, rear at (0, 0, -rR) axis (0, 1, 0)\n"
      "revolute steer: frame, fork at (w + c, 0, 0) axis (sin(pi/10), 0, cos(pi/10))\n"
      "revolute hub2: fork, front at (w, 0, -rF) axis (0, 1, 0)\n"
      "rolling R: ground, rear radius rR axis (0, 1, 0) normal (0, 0, -1)\n"
      "rolling F: ground, front radius rF axis (0, 1, 0) normal (0, 0, -1)\n"
      "let a = asin(frame.ey.z)\n"
      "output lean = a, turn = steer.angle, leaning = a', turning = steer.rate\n"
      "simulate to 0.4 output every 0.1",
      "kick=3e-5", "1e-13");
  assert_int_equal(r->rows, 5);
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < 4; i++)
      X[k][i] = at(r, k, names[i]) / 3e-5;
  for (int m = 0; m < 3; m++) {
    double complex z = cexp(modes[m] * h), step = 1e-6;
    for (int i = 0; i < 20; i++) {
      double complex slope = (pencil(X, z + step) - pencil(X, z - step)) / (2 * step);
      z -= pencil(X, z) / slope;
    }
    double complex found = clog(z) / h;
    if (!(cabs(found - modes[m]) < 1e-6 * cabs(modes[m])))
      fail_msg("%.8g + %.8gi in place of %.8g + %.8gi", creal(found), cimag(found), creal(modes[m]),
               cimag(modes[m]));
  }
  free(r);
}

/* ---- laws ---- */

static void test_a_free_body_keeps_momentum_and_energy(void **unused)
{
  (void)unused;
  run *r = run_of(
      "model m\nbody B mass 1.3 inertia (0.3, 0.5, 0.7, 0.02, -0.03, 0.04) centre "
      "(0.1, 0.2, -0.3) velocity (1, 2, 3) omega (1, 5, -2)\n"
      "let p = 1.3*B.com', w = B.local(B.omega)\n"
      "let Jw = (0.3*w.x + 0.02*w.y - 0.03*w.z, 0.02*w.x + 0.5*w.y + 0.04*w.z, "
      "-0.03*w.x + 0.04*w.y + 0.7*w.z)\n"
      "output P = p, L = B.dir(Jw) + cross(B.com, p), E = kinetic\nsimulate to 10 output every 1",
      NULL, "1e-10");
  static const char *const kept[] = {"P.x", "P.y", "P.z", "L.x", "L.y", "L.z", "E"};
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    assert_true(fabs(end(r, kept[i]) - at(r, 0, kept[i])) < 1e-8);
  free(r);
}

static void test_redundancy_is_told_by_joints(void **unused)
{
  (void)unused;
  static const char text[] =
      "model door\nbody door box (1, 0.1, 2) mass 20 at (0.5, 0, 1)\n"
      "revolute low: ground, door at (0, 0, 0.2) axis (0, 0, 1)\n"
      "revolute high: ground, door at (0, 0, 1.8) axis (0, 0, 1)\nsimulate to 1\n";
  dae_model *model = load(text, NULL);
  dae_run_plan plan = {.to = 0};
  dae_error err = dae_error_none();
  dae_diagnosis find;
  double y[64];
  dae_model_plan(model, &plan);
  assert_int_equal(dae_consistent_start(&plan.problem, &plan.start, NULL, y, NULL, &find, &err),
                   DAE_OK);
  assert_int_equal(find.dof, 1);
  assert_string_equal(find.text, "high repeats 5 of 5 conditions that low already set; its force "
                                 "and torque are those of least size\n");
  dae_model_free(model);
}

/* ---- names, parts, sizes ---- */

static void test_parts_have_scopes_and_params_of_their_own(void **unused)
{
  (void)unused;
  static const char good[] =
      "model m\nparam k = 5\n"
      "part inner(b, s = 1) { param c = 2*s\n coord u = c\n kinetic u'^2/2\n potential c*u^2/2\n"
      "  spring S: b.pos to (0, 0) stiffness k + c free 0 }\n"
      "part outer(at, n = 1) { body B disk 1 mass n at at; part deep = inner(B, s = n) }\n"
      "part P[i in 1..2] = outer((i, 0), n = i)\npart Q = outer((5, 0))\n"
      "output u2 = P[2].deep.u, pull = Q.deep.S.pull, x = P[1].B.pos\nsimulate to 0.1";
  run *r = run_of(good, NULL, "1e-8");
  assert_true(at(r, 0, "P[2].deep.u") == 4 && at(r, 0, "u2") == 4);
  assert_true(at(r, 0, "P[2].B.x") == 2 && at(r, 0, "Q.B.x") == 5);
  assert_true(fabs(at(r, 0, "pull") - 5 * (5 + 2)) < 1e-12);
  free(r);
  r = run_of(good, "P[2].deep.c=7", "1e-8");
  assert_true(at(r, 0, "P[2].deep.u") == 7 && at(r, 0, "P[1].deep.u") == 2);
  free(r);
  r = run_of(good, "P.deep.c=7", "1e-8");
  assert_true(at(r, 0, "P[2].deep.u") == 7 && at(r, 0, "P[1].deep.u") == 7);
  assert_true(at(r, 0, "Q.deep.u") == 2);
  free(r);
}

static void test_the_words_are_names_elsewhere(void **unused)
{
  (void)unused;
  run *r = run_of("model m\nparam mass = 2, spring = 3, gravity = 9.81, part = 1, rod = 1\n"
                  "let dot(a) = a + 1, norm = 4\n"
                  "state body = 1, torque = 0, damper = 2\ncoord revolute = 1\n"
                  "kinetic mass*revolute'^2/2\npotential spring*revolute^2/2\n"
                  "body' = -body*part\ntorque' = gravity\ndamper' = -(damper) + dot(1)*norm/4\n"
                  "simulate to 1",
                  NULL, "1e-8");
  assert_true(fabs(end(r, "body") - exp(-1)) < 1e-6);
  assert_true(fabs(end(r, "torque") - 9.81) < 1e-6);
  free(r);
}

static void test_vectors_in_arrays_and_lists(void **unused)
{
  (void)unused;
  run *r =
      run_of("model m\nparam p[1..2] = [(1, 2, 3), (4, 5, 6)], a[1..2, 1..2, 1..2] = i + 10*j "
             "+ 100*k\n"
             "coord r[1..2] = p[i] rate [(1, 0, 0), (0, 1, 0)]\n"
             "kinetic sum(i in 1..2, dot(r[i]', r[i]'))/2\n"
             "force r[2] = (0, 0, a[2, 1, 1])\nconstraint L: r[1] = (1 + t, 2, 3)\n"
             "output q = r[1] + 2*r[2], F = lambda(L), s = sum(i in 1..2, r[i]).y\nsimulate to 1",
             "p[2].x=40", "1e-9");
  assert_true(at(r, 0, "r[2].x") == 40 && at(r, 0, "q.x") == 81 && at(r, 0, "s") == 7);
  assert_true(fabs(end(r, "r[2].z") - 6 - 112.0 / 2) < 1e-7);
  assert_true(fabs(end(r, "F.y")) < 1e-9);
  free(r);
}

/* Nodes of the graph of a rope of revolute joints, or of a ring. */
static double nodes_of(int count, bool ring)
{
  char text[1500], set[32];
  snprintf(set, sizeof set, "N=%d", count);
  snprintf(text, sizeof text,
           "model many\nparam N = 3, R = N/(2*pi)\ngravity (0, 0, -9.81)\n"
           "let f(k) = 2*pi*k/N, P(k) = (R*cos(f(k)), R*sin(f(k)), 0)\n"
           "body b[k in 1..N] cylinder 0.1 length 1 mass 1 at P(k) z along (-sin(f(k)), cos(f(k)), "
           "0)\nrevolute j[1]: %s, b[1] at P(0.5) axis (cos(f(0.5)), sin(f(0.5)), 0)\n"
           "for k in 2..N { revolute j[k]: b[k-1], b[k] at P(k - 0.5) axis (0, 0, 1) }\n"
           "simulate to 1",
           ring ? "b[N]" : "ground");
  dae_model *model = load(text, set);
  double nodes = (double)dae_model_count(model).nodes;
  dae_model_free(model);
  return nodes;
}

static void test_many_bodies_load_in_linear_size(void **unused)
{
  (void)unused;
  for (int ring = 0; ring < 2; ring++) {
    double small = nodes_of(50, ring), twice = nodes_of(100, ring), large = nodes_of(400, ring);
    double each = (twice - small) / 50;
    assert_true(fabs(large - twice - 300 * each) < 0.02 * large);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_angles_count_turns_in_space_and_in_the_plane),
      cmocka_unit_test(test_gears_rack_and_screw_over_many_turns),
      cmocka_unit_test(test_the_bicycle_has_the_published_modes),
      cmocka_unit_test(test_a_free_body_keeps_momentum_and_energy),
      cmocka_unit_test(test_redundancy_is_told_by_joints),
      cmocka_unit_test(test_parts_have_scopes_and_params_of_their_own),
      cmocka_unit_test(test_the_words_are_names_elsewhere),
      cmocka_unit_test(test_vectors_in_arrays_and_lists),
      cmocka_unit_test(test_many_bodies_load_in_linear_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
