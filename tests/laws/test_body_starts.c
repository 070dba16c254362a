/* Starts of bodies: poses that are written are held, joints pull bodies together and turn them to
 * the side that their axes and drives ask for. */
#include "body_run.h"

/* ---- starts ---- */

static void test_what_is_written_is_held(void **unused)
{
  (void)unused;
  run *r = run_of("model m\ngravity -9.81*(0, 1)\nbody A rod from (0, 0) to (1, 0) mass 1 omega 3\n"
                  "body B rod from (1, 0) to (2, 0) mass 1\n"
                  "revolute J: ground, A at (0, 0)\nrevolute K: A, B at (1, 0)\nsimulate to 0.1",
                  NULL, "1e-6");
  assert_true(at(r, 0, "der(A.angle)") == 3);
  assert_true(at(r, 0, "A.x") == 0.5 && at(r, 0, "B.x") == 1.5);
  assert_true(fabs(at(r, 0, "der(A.y)") - 1.5) < 1e-12);
  assert_int_equal(r->summary.moved_given, 0);
  free(r);
}

static void test_two_places_are_pulled_together(void **unused)
{
  (void)unused;
  run *r = run_of("model m\nbody A box (1, 1, 1) mass 1 at (0, 0, 1)\n"
                  "body B box (1, 1, 1) mass 1 at (2.2, 0.1, 1) turned 0.1 about (0, 0, 1)\n"
                  "revolute J: A, B at A.point(1, 0, 0) = B.point(-1, 0, 0) axis A.ey = B.ey\n"
                  "output gap = norm(B.point(-1, 0, 0) - A.point(1, 0, 0)), square = "
                  "norm(cross(A.ey, B.ey))\nsimulate to 0.1",
                  NULL, "1e-6");
  assert_true(fabs(at(r, 0, "gap")) < 1e-12 && fabs(at(r, 0, "square")) < 1e-12);
  assert_true(r->summary.moved_given > 0);
  free(r);
}

static void test_a_start_that_does_not_close_names_joint_and_gap(void **unused)
{
  (void)unused;
  static const char text[] = "model m\nbody A plane mass 1 inertia 1 at (0, 0) fixed\n"
                             "body B plane mass 1 inertia 1 at (3, 0) fixed\n"
                             "revolute J: A, B at A.point(1, 0) = B.point(-1, 0)\nsimulate to 1\n";
  dae_model *model = load(text, NULL);
  dae_run_plan plan = {.to = 0};
  dae_error err = dae_error_none();
  double y[32];
  dae_model_plan(model, &plan);
  assert_int_equal(dae_consistent_start(&plan.problem, &plan.start, NULL, y, NULL, NULL, &err),
                   DAE_ERROR_START);
  assert_non_null(strstr(err.text, "constraint J cannot be met"));
  assert_non_null(strstr(err.text, "J misses by 1)"));
  dae_model_locate(model, &err);
  assert_int_equal(err.line, 4);
  dae_model_free(model);
}

/* The axis of B begins at an angle from that of A, up to the opposite one: axes become parallel,
 * not antiparallel, and the angle of the weld is that of the places. */
static void test_axes_that_are_given_twice_become_parallel(void **unused)
{
  (void)unused;
  static const double degrees[] = {0, 59, 61, 89, 90, 91, 120, 179, 180, 250};
  static const char *const joints[] = {
      "revolute J: A, B at A.point(0.5, 0, 0) = B.point(-0.5, 0, 0) axis A.ez = B.ez",
      "weld J: A, B at A.point(0.5, 0, 0) = B.point(-0.5, 0, 0) axis A.ez = B.ez",
      "planar J: A, B axis A.ez = B.ez", "prismatic J: A, B axis A.ez = B.ez",
      "cylindrical J: B, A axis B.ez = A.ez"};
  for (size_t k = 0; k < sizeof joints / sizeof *joints; k++)
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
      char text[1000], set[40];
      snprintf(
          text, sizeof text,
          "model m\nparam a = 0\nbody A box (1, 1, 1) mass 1 fixed\n"
          "body B box (1, 2, 3) mass 1 at (1.3, 0.1, 0) turned a*pi/180 about (1, 0.2, 0)\n"
          "body C sphere 1 mass 1 at B.point(0, 0, 2)\nspherical K: B, C\n%s\n"
          "output d = dot(A.ez, B.ez), gap = norm(C.pos - B.point(0, 0, 2))\nsimulate to 0.001",
          joints[k]);
      snprintf(set, sizeof set, "a=%g", degrees[i]);
      run *r = run_of(text, set, "1e-8");
      assert_true(fabs(at(r, 0, "d") - 1) < 1e-12);
      assert_true(at(r, 0, "gap") < 1e-12);
      free(r);
    }
}

/* A drive may begin at any angle: the bodies behind the joint are turned to it, and the angle
 * counts its turns. */
static void test_drives_begin_where_they_say(void **unused)
{
  (void)unused;
  static const double angles[] = {0.5, 1.5, 1.6, 3.1, -2.5, 5, 12, -40};
  for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
    char set[40];
    snprintf(set, sizeof set, "F=%g", angles[i]);
    run *r = run_of("model m\nparam F = 0\n"
                    "body A box (1, 0.1, 0.1) mass 1 at (0.5, 0, 0) omega (0, 0, 1)\n"
                    "body B rod from (1, 0, 0) to (1, 1, 0) mass 1\n"
                    "body P box (1, 1) mass 1 at (0, 0)\n"
                    "revolute J: ground, A at (0, 0, 0) axis (0, 0, 1) driven F + t\n"
                    "revolute K: A, B at (1, 0, 0) axis (0, 0, 1) driven -2*F\n"
                    "revolute L: ground, P driven F\n"
                    "output a = J.angle, b = K.angle, e = A.ex, f = B.ex, p = P.angle\n"
                    "simulate to 0.001",
                    set, "1e-8");
    double F = angles[i];
    assert_true(fabs(at(r, 0, "a") - F) < 1e-10 && fabs(at(r, 0, "b") + 2 * F) < 1e-10);
    assert_true(fabs(at(r, 0, "e.x") - cos(F)) < 1e-10 && fabs(at(r, 0, "e.y") - sin(F)) < 1e-10);
    assert_true(fabs(at(r, 0, "f.x") - sin(F)) < 1e-10 && fabs(at(r, 0, "f.y") - cos(F)) < 1e-10);
    assert_true(fabs(at(r, 0, "p") - F) < 1e-10);
    assert_true(fabs(end(r, "a") - F - 0.001) < 1e-8);
    free(r);
  }
}

/* Angles that follow from a drive through gears begin where the gears say, many turns away. */
static void test_gears_behind_a_drive_begin_where_they_say(void **unused)
{
  (void)unused;
  static const double angles[] = {0.3, 1.5, 5, 12, -7};
  for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
    char set[40];
    snprintf(set, sizeof set, "F=%g", angles[i]);
    run *r = run_of("model m\nparam F = 0\n"
                    "body B[k in 1..4] box (1, 2, 3) mass 1 at (4*k, 0, 0)\n"
                    "for k in 1..4 { revolute J[k]: ground, B[k] axis (0, 0, 1) }\n"
                    "constraint last: J[4].angle = -3*J[3].angle + 1\n"
                    "constraint mesh: J[3].angle = -2*J[1].angle\n"
                    "constraint J[1].angle = F + t\n"
                    "output a = J[4].angle, e = B[4].ex, f = J[2].rate\nsimulate to 0.001",
                    set, "1e-8");
    double last = 6 * angles[i] + 1;
    assert_true(fabs(at(r, 0, "a") - last) < 1e-10);
    assert_true(fabs(at(r, 0, "e.x") - cos(last)) < 1e-10);
    assert_true(fabs(at(r, 0, "e.y") - sin(last)) < 1e-10);
    free(r);
  }
}

/* The rates that are written contradict the joints, which leave none: all vanish. */
static void test_rates_of_bodies_that_cannot_move_vanish(void **unused)
{
  (void)unused;
  run *r = run_of("model m\nbody A box (1, 1, 1) mass 1\n"
                  "body B box (1, 1, 1) mass 1 at (1, 0, 0) omega (0.1, 0.2, 0.3)\n"
                  "weld J: A, B\nweld K: ground, A at (0.1, 0, 0)\nsimulate to 0.1",
                  NULL, "1e-6");
  for (int i = 0; i < r->columns; i++)
    if (!strncmp(r->names[i], "der(", 4))
      assert_true(fabs(r->values[0][i]) < 1e-15);
  free(r);
}

/* A rod on a hinge along its axis turns without inertia: the message names the body, not e1. */
static void test_free_turning_is_told_by_body(void **unused)
{
  (void)unused;
  static const char *const text =
      "model m\nbody r rod from (0, 0, 0) to (1, 0, 0) mass 1\n"
      "revolute J: ground, r at (0, 0, 0) axis (1, 0, 0)\nsimulate to 1";
  dae_error err = dae_error_none();
  dae_model *model = load(text, NULL);
  dae_run_plan plan = {.sink_count = 0};
  dae_model_plan(model, &plan);
  double y[60];
  assert_in_range(dae_problem_size(&plan.problem), 1, 60);
  assert_true(dae_consistent_start(&plan.problem, &plan.start, NULL, y, NULL, NULL, &err) < 0);
  dae_model_locate(model, &err);
  assert_non_null(strstr(err.text, "body r turns freely about a direction"));
  assert_int_equal(err.line, 2);
  dae_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_written_is_held),
      cmocka_unit_test(test_two_places_are_pulled_together),
      cmocka_unit_test(test_a_start_that_does_not_close_names_joint_and_gap),
      cmocka_unit_test(test_axes_that_are_given_twice_become_parallel),
      cmocka_unit_test(test_drives_begin_where_they_say),
      cmocka_unit_test(test_gears_behind_a_drive_begin_where_they_say),
      cmocka_unit_test(test_rates_of_bodies_that_cannot_move_vanish),
      cmocka_unit_test(test_free_turning_is_told_by_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
