/* Relative joints: a body whose pose follows from that of another one and the coordinates of their
 * joint moves as with a pose and constraints of its own, by every method, and from the same start.
 * In the texts $ stands for the word relative, or for nothing. */
#include "body_run.h"

static const char *with(const char *text, const char *word, char *out, size_t size)
{
  size_t length = 0;
  for (const char *c = text; *c; c++)
    length += *c == '$' ? (size_t)snprintf(out + length, size - length, " %s", word)
                        : (size_t)snprintf(out + length, size - length, "%c", *c);
  assert_true(length < size);
  return out;
}

/* Largest difference of the columns that both runs have, relative to 1 + their size, at their ends;
 * all outputs are among them. */
static double apart(const run *a, const run *b)
{
  double most = 0;
  int common = 0;
  for (int i = 0; i < b->columns; i++)
    for (int k = 0; k < a->columns; k++) {
      double x = a->values[a->rows - 1][k], y = b->values[b->rows - 1][i];
      if (strcmp(a->names[k], b->names[i]) != 0 || !strncmp(a->names[k], "lambda", 6))
        continue;
      common++;
      most = fmax(most, fabs(x - y) / (1 + fabs(x)));
    }
  assert_true(common > 3);
  return most;
}

/* Compares a text with and without the word, by the default method and by those of a list. */
static void agree(const char *text, const char *const *methods, double most)
{
  char own[8192], relative[8192];
  with(text, "", own, sizeof own);
  with(text, "relative", relative, sizeof relative);
  run *a = run_of(own, NULL, "1e-9");
  for (const char *const *method = methods; *method; method++) {
    run *b = run_by(strcmp(*method, "default") != 0 ? *method : NULL, relative, NULL, "1e-9");
    if (!(apart(a, b) <= most))
      fail_msg("%s\n%s: %.1e", relative, *method, apart(a, b));
    assert_true(b->columns < a->columns); /* the poses of carried bodies are no columns */
    free(b);
  }
  free(a);
}

static const char *const default_only[] = {"default", NULL};
static const char *const some_methods[] = {"default", "gauss",       "radau",
                                           "bdf-ggl", "spark-gauss", NULL};

/* Two bodies whose axes are not parallel, and outputs that read all that a body has. */
#define GRAVITY "gravity (0.3, -0.5, -9.81)\n"
#define BODIES                                                                                     \
  "body A box (0.5, 0.1, 0.2) mass 2 centre (0.05, 0.02, -0.01) at (0.2, 0.1, -0.1) turned 0.4 "   \
  "about (1, 2, 3) omega (0, 0.4, 0.4)\n"                                                          \
  "body B mass 1 inertia (0.02, 0.03, 0.04, 0.002, -0.001, 0.003) centre (0.1, 0, 0.02) at (0.7, " \
  "0.2, -0.2) turned 0.7 about (0, 1, 1)\n"
#define READ                                                                                       \
  "output p = B.point(0.3, 0.1, 0.2), w = B.local(B.omega), v = B.pos', E = kinetic + potential\n" \
  "output c = B.com, e = (B.e0^2 + B.e1^2 + B.e2^2 + B.e3^2), d = B.ex, u = J.point\n"             \
  "simulate to 0.4 output every 0.4\n"
#define HINGED "revolute J0: ground, A at (0, 0, 0) axis (0, 1, 1)$\n"
#define HELD "bushing hold: ground, A stiffness 40 turning 5\n"

static const char *const kinds[] = {
    "revolute J: A, B at (0.45, 0.15, -0.1) axis (1, 0.2, 0.1) angle 0.5$\n"
    "spring s: J.angle stiffness 3 damping 0.1 free 0.1\noutput a = J.angle, r = J.rate\n",
    "prismatic J: A, B axis (1, 0.2, 0.1)$\nspring s: J.slide stiffness 30 damping 0.3 free 0.1\n"
    "output a = J.slide, r = J.slide'\n",
    "cylindrical J: A, B at (0.45, 0.15, -0.1) axis (1, 0.2, 0.1)$\n"
    "spring s: J.slide stiffness 30 damping 0.3 free 0.1\nforce 0.1*sin(t) along J.angle\n"
    "output a = J.angle, h = J.slide\n",
    "universal J: A, B at (0.45, 0.15, -0.1) axes (1, 0, 0), (0, 1, 1)$\n"
    "torque (0.1, 0.2*t, 0.1) on B from A\n",
    "spherical J: A, B at (0.45, 0.15, -0.1)$\nforce (0.1, 0.2*t, 0.1) at B.point(0.1, 0.2, 0.3)\n"
    "dissipation 0.01*dot(B.omega - A.omega, B.omega - A.omega)\n",
    "planar J: A, B at (0.45, 0.15, -0.1) axis (0, 0, 1)$\n"
    "spring s: A.point(0.2, 0, 0) to B.point(0.1, 0.1, 0) stiffness 50 damping 1 free 0.2\n"
    "output a = J.angle, pull = s.pull\n",
    "weld J: A, B at (0.45, 0.15, -0.1)$\nmass 0.3 at B.point(0.2, 0.1, 0)\n"
    "spring s: (0, 0, 1) to B.point(0.1, 0.1, 0) stiffness 50 damping 1 free 0.2\n"
    "output pull = s.pull\n",
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void test_every_kind_moves_as_with_constraints(void **unused)
{
  (void)unused;
  for (int i = 0; i < KINDS; i++)
    for (int held = 0; held < 2; held++) {
      char text[4096];
      snprintf(text, sizeof text, "model m\n" GRAVITY BODIES "%s%s" READ, held ? HELD : HINGED,
               kinds[i]);
      agree(text, default_only, 1e-8);
    }
}

/* Three levels, two branches, springs and a bushing between them, masses at points, one of them
 * that moves in its body. */
static void test_a_tree_moves_as_with_constraints_by_all_methods(void **unused)
{
  (void)unused;
  agree("model m\n" GRAVITY BODIES "body C rod from (0.7, 0.3, 0) to (0.9, 0.1, 0.4) mass 0.5\n"
        "body D box (0.1, 0.2, 0.3) mass 0.7 at (1, 0, 0)\n" HINGED
        "universal J: A, B at (0.45, 0.15, -0.1) axes (1, 0, 0), (0, 1, 1)$\n"
        "revolute K: B, C at (0.7, 0.3, 0) axis (0.3, 1, 0)$\n"
        "cylindrical L: A, D axis (0, 0.2, 1)$\n"
        "spring s: C.point(0.1, 0, 0) to D.point(0.1, 0.1, 0) stiffness 50 damping 1 free 0.2\n"
        "bushing b: B, D at (0.8, 0, 0) stiffness (10, 20, 30) damping 0.5 turning (1, 2, 3) "
        "damping (0.1, 0, 0.2)\nmass 0.2 at D.point(0.1, 0, 0.1)\n"
        "mass 0.1*t^2 + 0.1 at C.point(0.1, 0, 0.1*t)\n"
        "output pull = s.pull, f = b.force, tq = b.torque, rr = K.rate, ax = K.axis\n" READ,
        some_methods, 1e-8);
}

/* A rod and a ball joint close loops of a tree; the reaction of the ball joint is read. */
static void test_loops_of_a_tree_keep_their_constraints(void **unused)
{
  (void)unused;
  agree("model m\n" GRAVITY BODIES "body C rod from (0.7, 0.3, 0) to (0.9, 0.1, 0.4) mass "
        "0.5\n" HINGED "spherical J: A, B at (0.45, 0.15, -0.1)$\n"
        "revolute K: B, C at (0.7, 0.3, 0) axis (0.3, 1, 0)$\n"
        "rod L: C.point(0.1, 0, 0) to A.point(0.2, 0, 0.3)\n"
        "spherical M: ground, C at (0.9, 0.1, 0.4)\noutput pull = L.pull, mf = M.force\n" READ,
        some_methods, 1e-8);
}

/* The second hinge of a door says nothing new, rounding errors of its rows neither. */
static void test_a_second_hinge_is_redundant(void **unused)
{
  (void)unused;
  agree("model m\n" GRAVITY
        "body A box (0.1, 0.1, 2) mass 10 at (0, 0, 1) turned 0.3 about (1, 2, 1)\n"
        "body B box (0.8, 0.05, 2) mass 20 at (0.4, 0.1, 1)\n"
        "bushing hold: ground, A at (0, 0, 0) stiffness 1e3 turning 1e3\n"
        "revolute J: A, B at (0, 0, 0.3) axis (0.1, 0.02, 1)$\n"
        "revolute top: A, B at (0.14, 0.028, 1.7) axis (0.1, 0.02, 1)\n" READ,
        default_only, 1e-7);
  char text[1024];
  /* a drive that contradicts the tree is no row that vanishes */
  snprintf(text, sizeof text,
           "model m\nbody B box (1, 1, 1) mass 1\nweld J: ground, B relative\n"
           "revolute K: ground, B axis (0, 0, 1) driven 0.3*sin(t)\n"
           "body C sphere 1 mass 1 at (3, 0, 0)\nsimulate to 1\n");
  dae_model *model = load(text, NULL);
  dae_run_plan plan = {0};
  dae_error err;
  dae_model_plan(model, &plan);
  plan.method = dae_method_choose(&plan.problem, NULL, 0, &err);
  void *options = calloc(1, plan.method->options_size);
  assert_non_null(options);
  plan.method->defaults(options);
  plan.options = options;
  dae_summary summary;
  assert_true(dae_run(&plan, NULL, &summary, &err) < 0);
  free(options);
  dae_model_free(model);
}

static void test_drives_and_gears_act_on_the_coordinates(void **unused)
{
  (void)unused;
  agree("model m\n" GRAVITY "body A box (0.5, 0.1, 0.2) mass 2 at (0.2, 0.1, -0.1)\n"
        "body B box (0.1, 0.1, 0.1) mass 1 at (0.7, 0.2, -0.2)\n"
        "body C rod from (0.7, 0.3, 0) to (0.9, 0.1, 0.4) mass 0.5\n"
        "revolute J0: ground, A at (0, 0, 0) axis (0, 1, 1) driven 0.5*sin(2*t)$\n"
        "prismatic J: A, B at (0.45, 0.15, -0.1) axis (0, 0, 1) driven 0.1*t^2$\n"
        "revolute K: B, C at (0.7, 0.3, 0) axis (0.3, 1, 0)$\n"
        "constraint g: K.angle = -2*J0.angle + 0.3*sin(t)\n"
        "output d0 = J0.drive, d1 = J.drive, a = K.angle\n" READ,
        some_methods, 1e-7);
}

/* Relations and impacts of carried bodies are watched as those of others. */
static void test_events_see_carried_bodies(void **unused)
{
  (void)unused;
  agree("model m\ngravity (0, 0, -9.81)\ndiscrete n = 0\n"
        "body A rod from (0, 0, 0) to (1, 0, 0) mass 1\n"
        "body B rod from (1, 0, 0) to (1.5, 0.2, 0) mass 0.5 y along (0, 0, 1)\n"
        "revolute J0: ground, A at (0, 0, 0) axis (0, 1, 0)$\n"
        "revolute J: A, B at (1, 0, 0) axis (0, 1, 0.2)$\n"
        "force (0, 0, if(B.z < -0.6, -100*(B.z + 0.6), 0)) at B.pos\n"
        "event low: A.point(0.5, 0, 0).z + 0.8 { n = n + 1 }\n"
        "impact floor: B.point(0.2, 0, 0).z + 1.2 restitution 0.5\noutput k = n\n" READ,
        default_only, 1e-7);
}

/* A foot that strikes the ground, rubs and stays; a force in the direction of an expression. */
static void test_contacts_and_directions_of_carried_bodies(void **unused)
{
  (void)unused;
  agree(
      "model m\ngravity (0, 0, -9.81)\n"
      "body A box (0.2, 0.1, 0.1) mass 1 at (0, 0, 1) velocity (0.5, 0, 0)\n"
      "body B rod from (0, 0, 1) to (0.3, 0, 0.4) mass 0.5 y along (0, 1, 0)\n"
      "planar J0: ground, A axis (0, 1, 0)$\nrevolute J: A, B at (0, 0, 1) axis (0, 1, 0)$\n"
      "let P = B.point(norm((0.3, 0.6))/2, 0, 0)\nspring s: J.angle stiffness 5 damping 1 free 0\n"
      "contact foot: P.z >= 0 restitution 0.3 friction 0.4 along P.x\n"
      "output f = lambda(foot), n = J.angle\n" READ,
      default_only, 1e-6);
  agree("model m\ngravity (0, 0, -9.81)\nbody A rod from (0, 0, 0) to (1, 0, 0) mass 1\n"
        "body B rod from (1, 0, 0) to (2, 0.1, 0) mass 1\n"
        "revolute J0: ground, A at (0, 0, 0) axis (0, 1, 0)$\n"
        "revolute J: A, B at (1, 0, 0) axis (0, 1, 0)$\n"
        "constraint drop: B.z = -t^2 acts along B.z + 0.2*B.x\noutput f = lambda(drop)\n" READ,
        default_only, 1e-7);
}

/* A bicycle whose front and wheels are carried by its frame, on two rows of rolling each. */
static void test_rolling_of_carried_bodies(void **unused)
{
  (void)unused;
  agree("model m\ngravity (0, 0, 9.81)\n"
        "body rear mass 2 inertia (0.0603, 0.0603, 0.12) at (0, 0, -0.3) z along (0, 1, 0)\n"
        "body B mass 85 inertia (9.2, 11, 2.8, 0, 2.4, 0) at (0.3, 0, -0.9) velocity (5, 0.09, 0) "
        "omega (0.1, 0, 0)\n"
        "body fork mass 4 inertia (0.05892, 0.06, 0.00708, 0, -0.00756, 0) at (0.9, 0, -0.7)\n"
        "body front mass 3 inertia (0.1405, 0.1405, 0.28) at (1.02, 0, -0.35) z along (0, 1, 0)\n"
        "revolute J: B, rear at (0, 0, -0.3) axis (0, 1, 0)$\n"
        "revolute steer: B, fork at (1.1, 0, 0) axis (sin(pi/10), 0, cos(pi/10))$\n"
        "revolute hub: fork, front at (1.02, 0, -0.35) axis (0, 1, 0)$\n"
        "rolling R: ground, rear radius 0.3 axis (0, 1, 0) normal (0, 0, -1)\n"
        "rolling F: ground, front radius 0.35 axis (0, 1, 0) normal (0, 0, -1)\n"
        "output push = R.force, turn = steer.angle\n" READ,
        default_only, 1e-7);
}

static void draw(const char *text, int *shapes, double *values, int most)
{
  dae_model *model = load(text, NULL);
  dae_drawing drawing = dae_model_drawing(model);
  *shapes = drawing.shapes;
  assert_in_range(drawing.values, 1, most);
  assert_int_equal(drawing.eval(drawing.user, 0, dae_model_start(model).y, values), 0);
  dae_model_free(model);
}

static void test_pictures_show_carried_bodies(void **unused)
{
  (void)unused;
  enum { MOST = 100 };
  static const char text[] = "model m\n" BODIES HINGED
                             "universal J: A, B at (0.45, 0.15, -0.1) axes (1, 0, 0), (0, 1, 1)$\n"
                             "spring s: A.pos to B.point(0.1, 0, 0) stiffness 1\n";
  char own[4096], relative[4096];
  double a[MOST] = {0}, b[MOST] = {0};
  int shapes[2];
  draw(with(text, "", own, sizeof own), &shapes[0], a, MOST);
  draw(with(text, "relative", relative, sizeof relative), &shapes[1], b, MOST);
  assert_int_equal(shapes[0], shapes[1]);
  for (int i = 0; i < MOST; i++)
    assert_true(fabs(a[i] - b[i]) < 1e-12);
}

/* ---- against closed forms ---- */

static void test_relative_angles_and_gears_against_closed_forms(void **unused)
{
  (void)unused;
  run *r = run_of("model gears\n"
                  "body w1 cylinder 0.1 length 0.02 mass 1\n"
                  "body w2 cylinder 0.3 length 0.02 mass 9 at (0.4, 0, 0)\n"
                  "body bar box (1, 0.02, 0.02) mass 2 at (0, -0.1, 0)\n"
                  "body nut box (0.1, 0.1, 0.1) mass 1 at (0.4, 0, 0.5)\n"
                  "revolute J1: ground, w1 axis (0, 0, 1) relative\n"
                  "revolute J2: ground, w2 axis (0, 0, 1) angle 1 relative\n"
                  "prismatic S: ground, bar axis (1, 0, 0) relative\n"
                  "cylindrical N: ground, nut axis (0, 0, 1) relative\n"
                  "constraint mesh: 0.1*J1.angle + 0.3*(J2.angle - 1) = 0\n"
                  "constraint rack: S.slide = 0.1*J1.angle\n"
                  "constraint screw: N.slide = 0.02/(2*pi)*(J2.angle - 1)\n"
                  "force 0.5 along J1.angle\noutput y = w1.ex.y, x = bar.x\n"
                  "simulate to 10 output every 1",
                  NULL, "1e-9");
  double pitch = 0.02 / (2 * 3.14159265358979323846), J1 = 0.01 / 2, J2 = 9 * 0.09 / 2;
  double a = 0.5 / (J1 + J2 / 9 + 2 * 0.01 + pitch * pitch / 9) * 50;
  assert_true(fabs(end(r, "J1.angle") - a) < 1e-6 * a);
  assert_true(fabs(end(r, "J2.angle") - 1 + a / 3) < 1e-6 * a);
  assert_true(fabs(end(r, "S.slide") - a / 10) < 1e-6 * a);
  assert_true(fabs(end(r, "x") - a / 10) < 1e-6 * a);
  assert_true(fabs(end(r, "N.slide") + pitch * a / 3) < 1e-6 * a);
  assert_true(fabs(end(r, "y") - sin(end(r, "J1.angle"))) < 1e-12);
  free(r);
}

/* A free root with arms on all kinds of joints: momentum, angular momentum and energy stay. */
static void test_a_free_tree_keeps_momentum_and_energy(void **unused)
{
  (void)unused;
  run *r = run_of("model m\nbody R box (1, 0.5, 0.2) mass 3 velocity (0.1, 0.2, 0.3) omega (1, 2, "
                  "0.5)\nbody P box (0.1, 0.2, 0.6) mass 1 at (0.5, 0, 0.4) centre (0.1, 0, 0)\n"
                  "body Q cylinder 0.1 length 0.4 mass 0.5 at (-0.5, 0, 0.3) omega (0, 3, 0)\n"
                  "spherical J: R, P at (0.5, 0, 0.1) relative\n"
                  "universal K: R, Q at (-0.5, 0, 0.1) axes (1, 0, 0), (0, 1, 0) relative\n"
                  "spring s: P.point(0, 0, 0.2) to Q.point(0, 0, 0.2) stiffness 9 free 0.5\n"
                  "let L(m, c, v) = m*cross(c, v)\n"
                  "let JR = (3/12*0.29, 3/12*1.04, 3/12*1.25), wR = R.local(R.omega)\n"
                  "let JP = (0.4/12, 0.37/12, 0.05/12), wP = P.local(P.omega)\n"
                  "let JQ = (0.5*(0.03 + 0.16)/12, 0.5*(0.03 + 0.16)/12, 0.5*0.01/2)\n"
                  "let wQ = Q.local(Q.omega)\n"
                  "output M = 3*R.pos' + P.com' + 0.5*Q.pos', E = kinetic + potential\n"
                  "output N = L(3, R.pos, R.pos') + L(1, P.com, P.com') + L(0.5, Q.pos, Q.pos') + "
                  "R.dir((JR.x*wR.x, JR.y*wR.y, JR.z*wR.z)) + "
                  "P.dir((JP.x*wP.x, JP.y*wP.y, JP.z*wP.z)) + "
                  "Q.dir((JQ.x*wQ.x, JQ.y*wQ.y, JQ.z*wQ.z))\n"
                  "simulate to 2 output every 1",
                  NULL, "1e-10");
  static const char *const kept[] = {"M.x", "M.y", "M.z", "N.x", "N.y", "N.z", "E"};
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (!(fabs(end(r, kept[i]) - at(r, 0, kept[i])) < 1e-8))
      fail_msg("%s: %g, at the start %g", kept[i], end(r, kept[i]), at(r, 0, kept[i]));
  free(r);
}

/* ---- starts ---- */

/* B moves to where the joint puts it, with the body that it carries; given rates hold. */
static void test_bodies_start_where_their_joints_put_them(void **unused)
{
  (void)unused;
  run *r = run_of("model m\nbody A box (1, 1, 1) mass 1 omega (0, 0, 2)\n"
                  "body B box (1, 1, 1) mass 1 at (1.4, 0, 0) omega (0, 0, 5)\n"
                  "body C box (1, 1, 1) mass 1 at (2, 0, 0)\n"
                  "revolute J0: ground, A axis (0, 0, 1) relative\n"
                  "revolute J1: A, B at A.point(0.5, 0, 0) = B.point(-0.5, 0, 0) axis (0, 0, 1) "
                  "angle 0.25 relative\n"
                  "weld J2: B, C at B.point(0.5, 0, 0) = C.point(-0.5, 0, 0) relative\n"
                  "output b = B.pos, c = C.pos, w = C.omega\nsimulate to 1 output every 1",
                  NULL, "1e-9");
  assert_true(fabs(at(r, 0, "b.x") - 1) < 1e-14);
  assert_true(fabs(at(r, 0, "c.x") - 2) < 1e-14);
  assert_true(fabs(at(r, 0, "der(J0.angle)") - 2) < 1e-14);
  assert_true(fabs(at(r, 0, "der(J1.angle)") - 3) < 1e-14);
  assert_true(fabs(at(r, 0, "w.z") - 5) < 1e-14);
  assert_true(at(r, 0, "J1.angle") == 0.25);
  free(r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_kind_moves_as_with_constraints),
      cmocka_unit_test(test_a_tree_moves_as_with_constraints_by_all_methods),
      cmocka_unit_test(test_loops_of_a_tree_keep_their_constraints),
      cmocka_unit_test(test_a_second_hinge_is_redundant),
      cmocka_unit_test(test_drives_and_gears_act_on_the_coordinates),
      cmocka_unit_test(test_events_see_carried_bodies),
      cmocka_unit_test(test_contacts_and_directions_of_carried_bodies),
      cmocka_unit_test(test_rolling_of_carried_bodies),
      cmocka_unit_test(test_pictures_show_carried_bodies),
      cmocka_unit_test(test_relative_angles_and_gears_against_closed_forms),
      cmocka_unit_test(test_a_free_tree_keeps_momentum_and_energy),
      cmocka_unit_test(test_bodies_start_where_their_joints_put_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
