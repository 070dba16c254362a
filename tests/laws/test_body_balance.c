/* Forces and torques of joints against the balances of Newton and Euler, which share no code with
 * the expansion: at a consistent state with its accelerations, for each body with mass m, centre of
 * mass c, inertia J and angular velocity W,
 *
 *   m c'' = m g + F,   d/dt (J W) = T + (P - c) x F,
 *
 * F and T from all joints, each acting on its second body at its point P, and the opposite on the
 * first one. */
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

typedef struct state {
  dae_model *model;
  dae_run_plan plan;
  double *y, *dy, *out;
} state;

static state load(const char *text)
{
  state s = {0};
  dae_error err = dae_error_none();
  dae_status status = dae_model_parse("balance", text, strlen(text), NULL, NULL, &s.model, &err);
  if (status)
    fail_msg("%s\n%d:%d: %s", text, err.line, err.column, err.text);
  dae_model_plan(s.model, &s.plan);
  size_t size = (size_t)dae_problem_extended_size(&s.plan.problem) + 1;
  s.y = calloc(size, sizeof *s.y);
  s.dy = calloc(size, sizeof *s.dy);
  s.out = calloc((size_t)s.plan.outputs + 1, sizeof *s.out);
  status = dae_consistent_start(&s.plan.problem, &s.plan.start, NULL, s.y, s.dy, NULL, &err);
  if (status)
    fail_msg("%s\n%s", text, err.text);
  assert_int_equal(s.plan.output(s.plan.output_user, 0, s.y, s.out), 0);
  return s;
}

static void unload(state *s)
{
  dae_model_free(s->model);
  free(s->y);
  free(s->dy);
  free(s->out);
}

/* Entry of a column in the state vector. */
static int entry_of(const state *s, const char *body, const char *name, bool rate)
{
  char column[64];
  snprintf(column, sizeof column, rate ? "der(%s.%s)" : "%s.%s", body, name);
  for (int i = 0; i < s->plan.column_count; i++)
    if (!strcmp(s->plan.columns[i].name, column))
      return s->plan.columns[i].entry;
  fail_msg("no column %s", column);
  return -1;
}

static void read_vector(const state *s, const char *name, int size, double *v)
{
  static const char *const letters[] = {"x", "y", "z"};
  for (int k = 0; k < size; k++) {
    char full[64];
    int found = -1;
    snprintf(full, sizeof full, size == 1 ? "%s" : "%s.%s", name, letters[k]);
    for (int i = 0; i < s->plan.outputs; i++)
      if (!strcmp(s->plan.output_names[i], full))
        found = i;
    if (found < 0)
      fail_msg("no output %s", full);
    v[k] = s->out[found];
  }
}

static void cross(const double *a, const double *b, double *out)
{
  double c[3];
  for (int i = 0; i < 3; i++)
    c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  memcpy(out, c, sizeof c);
}

/* Motion of a body: axes, angular velocity and acceleration, all in space. */
typedef struct frame {
  double r[3], a[3]; /* origin, its acceleration */
  double R[3][3], W[3], dW[3];
} frame;

static frame frame_of(const state *s, const char *body)
{
  static const char *const names[] = {"x", "y", "z", "e0", "e1", "e2", "e3"};
  double q[7], v[7], acceleration[7];
  frame f;
  for (int i = 0; i < 7; i++) {
    q[i] = s->y[entry_of(s, body, names[i], false)];
    v[i] = s->y[entry_of(s, body, names[i], true)];
    acceleration[i] = s->dy[entry_of(s, body, names[i], true)];
  }
  const double *e = q + 3, *de = v + 3, *dde = acceleration + 3;
  double square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
  assert_true(fabs(square - 1) < 1e-12);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    f.r[i] = q[i];
    f.a[i] = acceleration[i];
    /* twice the vector part of e' conj(e), and of e'' conj(e) */
    f.W[i] =
        2 * (-de[0] * e[1 + i] + e[0] * de[1 + i] - de[1 + j] * e[1 + k] + de[1 + k] * e[1 + j]);
    f.dW[i] = 2 * (-dde[0] * e[1 + i] + e[0] * dde[1 + i] - dde[1 + j] * e[1 + k] +
                   dde[1 + k] * e[1 + j]);
    f.R[i][i] = e[0] * e[0] + e[1 + i] * e[1 + i] - e[1 + j] * e[1 + j] - e[1 + k] * e[1 + k];
    f.R[i][j] = 2 * (e[1 + i] * e[1 + j] - e[0] * e[1 + k]);
    f.R[i][k] = 2 * (e[1 + i] * e[1 + k] + e[0] * e[1 + j]);
  }
  return f;
}

typedef struct inertia {
  double mass, centre[3], J[6]; /* J11 J22 J33 J12 J13 J23 about the centre of mass */
} inertia;

static void apply(double R[3][3], const double *v, bool back, double *out)
{
  for (int i = 0; i < 3; i++) {
    out[i] = 0;
    for (int k = 0; k < 3; k++)
      out[i] += (back ? R[k][i] : R[i][k]) * v[k];
  }
}

/* J w with J in the axes of the body and w in space. */
static void inertia_times(const inertia *m, frame *f, const double *w, double *out)
{
  static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  double own[3], product[3] = {0};
  apply(f->R, w, true, own);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      product[i] += m->J[at[i][k]] * own[k];
  apply(f->R, product, false, out);
}

static const double g[3] = {0.3, -0.2, -9.81};

/* What is missing in the balances of a body, and the scale of its forces. */
static void unbalanced(frame *f, const inertia *m, double *force, double *moment, double *c)
{
  double arm[3], wr[3], wwr[3], wJ[3], JdW[3];
  apply(f->R, m->centre, false, arm);
  cross(f->W, arm, wr);
  cross(f->W, wr, wwr);
  cross(f->dW, arm, wr);
  inertia_times(m, f, f->W, wJ);
  cross(f->W, wJ, wJ);
  inertia_times(m, f, f->dW, JdW);
  for (int i = 0; i < 3; i++) {
    c[i] = f->r[i] + arm[i];
    force[i] = m->mass * (f->a[i] + wr[i] + wwr[i] - g[i]);
    moment[i] = JdW[i] + wJ[i];
  }
}

/* Takes the force and torque of a joint off; sign -1 for its first body. */
static void take_off(const state *s, const char *joint, double sign, const double *c, double *force,
                     double *moment)
{
  double F[3], T[3], P[3], d[3];
  char name[32];
  snprintf(name, sizeof name, "F%s", joint);
  read_vector(s, name, 3, F);
  snprintf(name, sizeof name, "T%s", joint);
  read_vector(s, name, 3, T);
  snprintf(name, sizeof name, "P%s", joint);
  read_vector(s, name, 3, P);
  for (int i = 0; i < 3; i++)
    d[i] = P[i] - c[i];
  cross(d, F, d);
  for (int i = 0; i < 3; i++) {
    force[i] -= sign * F[i];
    moment[i] -= sign * (T[i] + d[i]);
  }
}

#define A_TEXT                                                                                     \
  "gravity (0.3, -0.2, -9.81)\n"                                                                   \
  "body A mass 2 inertia (0.3, 0.4, 0.5, 0.02, -0.03, 0.04) centre (0.1, -0.05, 0.2) at (0.2, "    \
  "0.1, 0.3) turned 0.7 about (1, 2, -1) omega (1, -2, 0.5)\n"
#define B_TEXT                                                                                     \
  "body B mass 1.5 inertia (0.2, 0.3, 0.25, 0.02, -0.01, 0.03) centre (0.05, 0.1, -0.08) at "      \
  "(0.9, 0.4, -0.2) turned 1.1 about (1, -1, 3) velocity (1, 2, 3) omega (-0.5, 0.8, 2)\n"
#define READ_TEXT                                                                                  \
  "output FJ = J.force, TJ = J.torque, PJ = J.point, Fbase = base.force, Tbase = base.torque\n"    \
  "output Pbase = base.point\nsimulate to 1\n"

static void check_pair(const char *joint)
{
  const inertia a = {2, {0.1, -0.05, 0.2}, {0.3, 0.4, 0.5, 0.02, -0.03, 0.04}};
  const inertia b = {1.5, {0.05, 0.1, -0.08}, {0.2, 0.3, 0.25, 0.02, -0.01, 0.03}};
  char text[2000];
  double force[3], moment[3], c[3], worst = 0;
  snprintf(text, sizeof text,
           "model m\n" A_TEXT B_TEXT "spherical base: ground, A at (0, 0.1, 0)\n%s\n" READ_TEXT,
           joint);
  state s = load(text);
  frame fa = frame_of(&s, "A"), fb = frame_of(&s, "B");
  unbalanced(&fb, &b, force, moment, c);
  take_off(&s, "J", 1, c, force, moment);
  for (int i = 0; i < 3; i++)
    worst = fmax(worst, fmax(fabs(force[i]), fabs(moment[i])));
  unbalanced(&fa, &a, force, moment, c);
  take_off(&s, "J", -1, c, force, moment);
  take_off(&s, "base", 1, c, force, moment);
  for (int i = 0; i < 3; i++)
    worst = fmax(worst, fmax(fabs(force[i]), fabs(moment[i])));
  if (!(worst < 1e-9))
    fail_msg("%s: %g is not balanced", joint, worst);
  unload(&s);
}

static void test_joints_in_space_balance_the_motion_of_both_bodies(void **unused)
{
  (void)unused;
  static const char *const joints[] = {
      "spherical J: A, B at (0.5, 0.2, 0.1)",
      "spherical J: A, B at A.point(0.3, 0, 0) = B.point(0, 0.2, 0)",
      "revolute J: A, B at (0.5, 0.2, 0.1) axis (1, 2, 0.5)",
      "revolute J: A, B at A.point(0.1, 0.3, 0) = B.point(0.2, 0, 0) axis A.ey = B.ez",
      "revolute J: A, B at (0.5, 0.2, 0.1) axis (1, 2, 0.5) driven 0.4*t + sin(t)^2",
      "revolute J: A, B at (0.5, 0.2, 0.1) axis (1, 2, 0.5) angle 0.3 driven 0.5 + 0.4*t",
      "universal J: A, B at (0.5, 0.2, 0.1) axes (1, 0, 1), (0, 3, 0)",
      "cylindrical J: A, B at (0.5, 0.2, 0.1) axis (1, 2, 0.5)",
      "prismatic J: A, B at (0.5, 0.2, 0.1) axis (1, 2, 0.5)",
      "prismatic J: A, B axis (1, 2, 0.5) driven 0.1 + 2*t - t^2",
      "planar J: A, B at (0.5, 0.2, 0.1) axis (1, 2, 0.5)",
      "weld J: A, B at (0.5, 0.2, 0.1)",
      "weld J: A, B at A.point(0.1, 0.3, 0) = B.point(0.2, 0, 0) axis A.ey = B.ez",
      "rolling J: A, B radius 0.4 normal (1, 2, 3)",
      "rolling J: A, B radius 0.4 axis (1, -2, 0.4) at (0.1, 0.2, 0)",
      "rolling J: A, B ellipsoid (0.3, 0.4, 0.6) normal (0.1, 0, 1)",
      ("bushing J: A, B at A.point(0.1, 0.3, 0) = B.point(0.2, 0, 0) stiffness (100, 200, 300) "
       "damping (1, 2, 3) turning (50, 60, 70) damping (4, 5, 6)"),
  };
  for (size_t i = 0; i < sizeof joints / sizeof *joints; i++)
    check_pair(joints[i]);
}

/* An angle coordinate, mentioned in an output, changes nothing; it is left alone by forces. */
static void test_angle_coordinates_take_no_force(void **unused)
{
  check_pair("revolute J: A, B at (0.5, 0.2, 0.1) axis (1, 2, 0.5)\noutput angle = J.angle, w = "
             "J.rate, s = J.angle'");
  check_pair("cylindrical J: A, B at (0.5, 0.2, 0.1) axis (1, 2, 0.5)\noutput angle = J.angle, d = "
             "J.slide");
  check_pair("planar J: A, B at (0.5, 0.2, 0.1) axis (1, 2, 0.5)\noutput angle = J.angle");
  (void)unused;
}

/* ---- the plane ---- */

static void plane_unbalanced(const state *s, const char *body, double m, double J,
                             const double *centre, double *out, double *c)
{
  static const char *const names[] = {"x", "y", "angle"};
  double q[3], v[3], a[3];
  for (int i = 0; i < 3; i++) {
    q[i] = s->y[entry_of(s, body, names[i], false)];
    v[i] = s->y[entry_of(s, body, names[i], true)];
    a[i] = s->dy[entry_of(s, body, names[i], true)];
  }
  double arm[2] = {cos(q[2]) * centre[0] - sin(q[2]) * centre[1],
                   sin(q[2]) * centre[0] + cos(q[2]) * centre[1]};
  c[0] = q[0] + arm[0];
  c[1] = q[1] + arm[1];
  out[0] = m * (a[0] - a[2] * arm[1] - v[2] * v[2] * arm[0] - 0.3);
  out[1] = m * (a[1] + a[2] * arm[0] - v[2] * v[2] * arm[1] + 9.81);
  out[2] = J * a[2];
}

static void plane_take_off(const state *s, const char *joint, double sign, const double *c,
                           double *out)
{
  double F[2], T[1], P[2];
  char name[32];
  snprintf(name, sizeof name, "F%s", joint);
  read_vector(s, name, 2, F);
  snprintf(name, sizeof name, "T%s", joint);
  read_vector(s, name, 1, T);
  snprintf(name, sizeof name, "P%s", joint);
  read_vector(s, name, 2, P);
  out[0] -= sign * F[0];
  out[1] -= sign * F[1];
  out[2] -= sign * (T[0] + (P[0] - c[0]) * F[1] - (P[1] - c[1]) * F[0]);
}

static void check_plane_pair(const char *joint)
{
  static const double ca[2] = {0.1, -0.05}, cb[2] = {0.05, 0.1};
  char text[2000];
  double out[3], c[2], worst = 0;
  snprintf(text, sizeof text,
           "model m\ngravity (0.3, -9.81)\n"
           "body A plane mass 2 inertia 0.5 centre (0.1, -0.05) at (0.2, 0.1) angle 0.7 omega 2\n"
           "body B plane mass 1.5 inertia 0.3 centre (0.05, 0.1) at (0.9, 0.4) angle -1.1 "
           "velocity (1, 2) omega -1\n"
           "revolute base: ground, A at (0, 0.1)\n%s\n" READ_TEXT,
           joint);
  state s = load(text);
  plane_unbalanced(&s, "B", 1.5, 0.3, cb, out, c);
  plane_take_off(&s, "J", 1, c, out);
  for (int i = 0; i < 3; i++)
    worst = fmax(worst, fabs(out[i]));
  plane_unbalanced(&s, "A", 2, 0.5, ca, out, c);
  plane_take_off(&s, "J", -1, c, out);
  plane_take_off(&s, "base", 1, c, out);
  for (int i = 0; i < 3; i++)
    worst = fmax(worst, fabs(out[i]));
  if (!(worst < 1e-9))
    fail_msg("%s: %g is not balanced", joint, worst);
  unload(&s);
}

static void test_joints_in_the_plane_balance_the_motion_of_both_bodies(void **unused)
{
  static const char *const joints[] = {
      "revolute J: A, B at (0.5, 0.2)",
      "revolute J: A, B at A.point(0.3, 0) = B.point(0, 0.2)",
      "revolute J: A, B at (0.5, 0.2) driven 0.3*t + t^2",
      "revolute J: A, B at (0.5, 0.2) angle 0.2 driven 0.2 + sin(t)",
      "prismatic J: A, B at (0.5, 0.2) axis (1, 0.5)",
      "prismatic J: A, B axis A.ex = B.ey",
      "prismatic J: A, B at (0.5, 0.2) axis (1, 0.5) driven 0.3*t^2 + t",
      "pin J: A, B at (0.5, 0.2) axis (1, 0.5)\noutput angle = J.angle, d = J.slide",
      "weld J: A, B at (0.5, 0.2)",
      "rolling J: A, B radius 0.4",
      "rolling J: A, B radius 0.4 at (0.1, 0.2) normal (0.3, 1)",
      "rolling J: A, B ellipsoid (0.3, 0.5)",
      ("bushing J: A, B at A.point(0.1, 0.3) = B.point(0.2, 0) stiffness (100, 200) damping (1, 2) "
       "turning 50 damping 4"),
  };
  (void)unused;
  for (size_t i = 0; i < sizeof joints / sizeof *joints; i++)
    check_plane_pair(joints[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joints_in_space_balance_the_motion_of_both_bodies),
      cmocka_unit_test(test_angle_coordinates_take_no_force),
      cmocka_unit_test(test_joints_in_the_plane_balance_the_motion_of_both_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
