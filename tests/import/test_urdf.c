/* Robots in URDF: the text of their models, what is said about the rest, and wrong files. */
#include "counting_env.h"

#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define PATH "test_urdf.tmp.urdf"

/* Messages of an import, one in a line. */
typedef struct said {
  char text[1 << 14];
} said;

static void say(void *user, const char *message)
{
  said *s = user;
  assert_true(strlen(s->text) + strlen(message) + 2 < sizeof s->text);
  strcat(strcat(s->text, message), "\n");
}

static char *import_file(const char *path, bool floating, said *s)
{
  dae_error err = dae_error_none();
  dae_urdf_options options = {.model = "m", .floating = floating, .report = say, .user = s};
  char *text;
  s->text[0] = '\0';
  if (dae_urdf_import(path, &options, NULL, &text, &err) != DAE_OK)
    fail_msg("%s:%d:%d: %s", err.file, err.line, err.column, err.text);
  return text;
}

static void write_file(const char *path, const char *text, size_t length)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static char *import_text(const char *text, bool floating, said *s)
{
  write_file(PATH, text, strlen(text));
  char *model = import_file(PATH, floating, s);
  remove(PATH);
  return model;
}

static void has(const char *text, const char *part)
{
  if (!strstr(text, part))
    fail_msg("%s\n--- is missing in\n%s", part, text);
}

static void has_not(const char *text, const char *part)
{
  if (strstr(text, part))
    fail_msg("%s\n--- stands in\n%s", part, text);
}

/* ---- models ---- */

static void test_an_arm_has_bodies_joints_and_forces(void **state)
{
  (void)state;
  said s;
  char *text = import_file(MODELS "/arm.urdf", false, &s);
  has(text, "model m \"arm, from arm.urdf\"\n");
  has(text, "# world is the ground");
  has(text, "gravity (0, 0, -9.81)\n");
  has(text,
      "revolute axis_1: ground, shoulder axis shoulder.ez  # from -3.1 to 3.1 rad, at most 150 Nm, "
      "2.5 rad/s\n");
  has(text, "force -0.5*axis_1.rate along axis_1.angle\n");
  has(text, "revolute axis_3: upper_arm, fore_arm axis -fore_arm.ez");
  has(text, "revolute axis_5: wrist_1, wrist_2 axis wrist_2.dir(0, 0.6, 0.8)");
  has(text, "prismatic axis_6: wrist_2, flange axis flange.ez  # from -0.1 to 0.1 m, at most 20 N, "
            "1 m/s\n");
  has(text, "force -3*axis_6.slide' along axis_6.slide\n");
  has(text, "# force -0.1*tanh(axis_2.rate/0.01) along axis_2.angle");
  has(text, "# force -1000*(max(axis_6.slide - 0.1, 0) + min(axis_6.slide - -0.1, 0)) along "
            "axis_6.slide   # stops\n");
  has(text, "# with gripper\nbody flange mass 1.2 inertia (");
  has(text, "let tool0 = flange.point(");
  has(text, "draw cylinder 0.12 length 0.1 on ground at (0, 0, 0.15)");
  has(text, "draw cylinder 0.04 length 0.1 on wrist_1 at (0, 0, 0.05)\n");
  has(text, "output axis_6_slide = axis_6.slide\n");
  has_not(text, "body base"); /* its mass does not move */
  has_not(text, "nan");
  has(s.text, "line 112: <transmission> is left out\n");
  has(s.text, "line 28: joint axis-2: its dry friction is a comment\n");
  has(s.text, "the limits of 5 joints are comments\n");
  has(text, "#   line 113: <gazebo> is left out\n");
  dae_urdf_free(text, NULL);
}

static void test_a_floating_robot_has_a_body_more(void **state)
{
  (void)state;
  said s;
  char *text = import_file(ROBOTS "/quadruped.urdf", false, &s);
  has_not(text, "body trunk");
  has(text, "revolute fl_hip: ground, fl_hip_link");
  dae_urdf_free(text, NULL);
  text = import_file(ROBOTS "/quadruped.urdf", true, &s);
  has(text, "body trunk mass 6 inertia (0.02, 0.07, 0.08, 0, -0.0002, 0) centre (0.01, 0, 0) at "
            "(0, 0, 0)\n");
  has(text, "revolute fl_hip: trunk, fl_hip_link axis fl_hip_link.ex");
  has(text, "# with rr_foot_link\nbody rr_calf_link mass 0.26 ");
  dae_urdf_free(text, NULL);
}

/* Numbers after a word of a text. */
static void read_numbers(const char *text, const char *after, int count, double *value)
{
  const char *at = strstr(text, after);
  assert_non_null(at);
  at += strlen(after);
  for (int i = 0; i < count; i++) {
    char *end;
    at += strcspn(at, "-.0123456789");
    value[i] = strtod(at, &end);
    assert_true(end > at);
    at = end;
  }
}

/* Two balls of mass 1 and 3 at a distance of 2, fixed to each other: mass, centre and moments. */
static void test_fixed_links_are_one_body(void **state)
{
  (void)state;
  said s;
  char *text = import_text(
      "<robot name='r'><link name='w'/>"
      "<joint name='j' type='continuous'><parent link='w'/><child link='a'/></joint>"
      "<link name='a'><inertial><mass value='1'/><inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' "
      "ixz='0' iyz='0'/></inertial></link>"
      "<joint name='f' type='fixed'><parent link='a'/><child link='b'/>"
      "<origin xyz='0 0 1' rpy='0 1.5707963267948966 0'/></joint>"
      "<link name='b'><inertial><origin xyz='0 1 0'/><mass value='3'/>"
      "<inertia ixx='0.3' iyy='0.2' izz='0.4' ixy='0.01' ixz='0' "
      "iyz='0'/></inertial></link></robot>",
      false, &s);
  double v[10];
  read_numbers(text, "body a mass ", 1, v);
  read_numbers(text, " inertia ", 6, v + 1);
  read_numbers(text, " centre ", 3, v + 7);
  /* b lies at (0, 1, 1) of a; its x axis is -z of a, its z axis x of a; reduced mass 3/4 */
  const double
      mu = 0.75,
      expected[] = {
          4, 0.1 + 0.4 + 2 * mu, 0.1 + 0.2 + mu, 0.1 + 0.3 + mu, 0, 0, -0.01 - mu, 0, 0.75, 0.75};
  for (int i = 0; i < 10; i++)
    if (!(fabs(v[i] - expected[i]) < 1e-10))
      fail_msg("%s\n%d: %g for %g", text, i, v[i], expected[i]);
  dae_urdf_free(text, NULL);
}

/* ---- notes ---- */

/* A mesh of one facet in binary STL. */
static void write_stl(const char *path, const float corner[9])
{
  unsigned char bytes[84 + 50] = "binary";
  bytes[80] = 1;
  memcpy(bytes + 84 + 12, corner, 36);
  write_file(path, (const char *)bytes, sizeof bytes);
}

static void test_what_is_assumed_or_left_out_is_said_with_its_line(void **state)
{
  (void)state;
  said s;
  char path[] = "/tmp/daedal_urdf_XXXXXX", name[64];
  assert_non_null(mkdtemp(path));
  const float corner[9] = {-1, 2, 3, 4, 5, 6, 0, 0, 0};
  const char *const ascii = "solid s\n facet normal 0 0 1\n outer loop\n vertex 0 0 0\n"
                            " vertex 1e-1 0 0\n vertex 0 2e-1 0.3\n endloop\n endfacet\nendsolid\n";
  const char *const obj = "# o\nv -1 -2 -3\nv 1 2 3\nvn 9 9 9\nf 1 2 2\n";
  snprintf(name, sizeof name, "%s/base", path);
  assert_int_equal(mkdir(name, 0700), 0);
  snprintf(name, sizeof name, "%s/base/body.stl", path);
  write_stl(name, corner);
  snprintf(name, sizeof name, "%s/text.STL", path);
  write_file(name, ascii, strlen(ascii));
  snprintf(name, sizeof name, "%s/file.obj", path);
  write_file(name, obj, strlen(obj));
  snprintf(name, sizeof name, "%s/body.dae", path);
  write_file(name, obj, strlen(obj));
  FILE *file = fopen(ROBOTS "/base.urdf", "rb");
  assert_non_null(file);
  char urdf[8192];
  size_t length = fread(urdf, 1, sizeof urdf, file);
  fclose(file);
  snprintf(name, sizeof name, "%s/r.urdf", path);
  write_file(name, urdf, length);
  char *text = import_file(name, false, &s);
  static const char *const names[] = {"base/body.stl", "text.STL", "file.obj", "body.dae",
                                      "r.urdf"};
  for (int i = 0; i < 5; i++) {
    snprintf(name, sizeof name, "%s/%s", path, names[i]);
    remove(name);
  }
  snprintf(name, sizeof name, "%s/base", path);
  rmdir(name);
  rmdir(path);
  /* names: a word of the language, a number, and two that become one */
  has(text, "# coord_2 is the ground");
  has(text, "# n1 is called 1 in the file\nbody n1 mass 1 ");
  has(text, "revolute wheel_left: ground, n1 axis n1.ez\n");
  has(text, "revolute wheel_left_2: ground, right axis right.ez\n");
  has(text, "constraint wheel_left_2_mimic: wheel_left_2.angle = -1*wheel_left.angle + 0\n");
  /* meshes as the boxes around them */
  has(text, "draw box (0.5, 0.5, 1.2) on ground at (0.15, 0.25, 0.7)   # box around a mesh\n");
  has(text, "draw box (0.1, 0.2, 0.3) on ground at (0.05, 0.1, 0.15)");
  has(text, "draw box (2, 4, 6) on ground   # box");
  has(s.text, "line 10: link coord: the mesh missing.stl is left out: there is no such file\n");
  has(s.text,
      "line 11: link coord: the mesh body.dae is left out: only STL and OBJ files are read\n");
  has(s.text, "line 30: link right: no body has this inertia; that of its shapes is assumed\n");
  has(s.text, "line 39: link fork moves and has no mass; 0.001 kg are assumed\n");
  has(s.text, "line 33: joint lift: 0, where the model starts, is not between its limits\n");
  has(text, "body right mass 1 inertia (0.00270833333333, 0.00270833333333, 0.005)");
  has(text, "body fork mass 0.001 inertia (");
  has(text, "  # assumed, see above\n");
  dae_urdf_free(text, NULL);
}

/* ---- wrong files ---- */

#define LINK(name) "<link name='" name "'/>"
#define JOINT(name, type, a, b)                                                                    \
  "<joint name='" name "' type='" type "'><parent link='" a "'/><child link='" b "'/></joint>"

static void test_wrong_files_are_refused_at_their_place(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int line, column;
    const char *message;
  } wrong[] = {
      {"", 1, 1, "no element found"},
      {"<robot>\n  <link name='a'>\n</robot>", 3, 3, "mismatched tag"},
      {"<robot>\n<link name=a/></robot>", 2, 12, "not well-formed"},
      {"<robot><link name='a'/>", 1, 24, "no element found"},
      {"\n<sdf version='1.6'/>", 2, 1, "but SDF, which cannot be read"},
      {"<html/>", 1, 1, "expected <robot>, found <html>"},
      {"<robot name='r'/>", 1, 1, "the robot has no links"},
      {"<robot xmlns:xacro='x'>\n<xacro:include filename='a'/></robot>", 2, 1, "xacro template"},
      {"<robot><link/></robot>", 1, 8, "a <link> without a name"},
      {"<robot>" LINK("a") "\n" LINK("a") "</robot>", 2, 1, "two links have the name a"},
      {"<robot>" LINK("a") LINK("b") "</robot>", 1, 24, "links a and b are children of no joint"},
      {"<robot>" LINK("a") "\n" JOINT("j", "hinge", "a", "a") "</robot>", 2, 1,
       "the type hinge is none of fixed, revolute"},
      {"<robot>" LINK("a") "\n<joint name='j'/></robot>", 2, 1, "joint j has no type"},
      {"<robot>" LINK("a") "\n<joint name='j' type='fixed'/></robot>", 2, 1,
       "joint j has no <parent link="},
      {"<robot>" LINK("a") "\n" JOINT("j", "fixed", "a", "b") "</robot>", 2, 48,
       "joint j: there is no link b"},
      {"<robot>" LINK("a") "\n" JOINT("j", "fixed", "a", "a") "</robot>", 2, 1,
       "the joints form a loop"},
      {"<robot>" LINK("a") LINK("b") LINK("c") "\n" JOINT("j", "fixed", "b", "c")
           JOINT("k", "fixed", "c", "b") "</robot>",
       1, 24, "link b does not hang on a: joints form a loop"},
      {"<robot>" LINK("a") LINK("b") LINK("c") "\n" JOINT("j", "fixed", "a", "c") "\n" JOINT(
           "k", "fixed", "b", "c") "</robot>",
       3, 1, "link c is the child of two joints, j and k"},
      {"<robot><link name='a'>\n<inertial><mass value='-1'/></inertial></link></robot>", 2, 11,
       "the mass of link a is negative"},
      {"<robot><link name='a'>\n<inertial><mass value='1 kg'/></inertial></link></robot>", 2, 11,
       "value=\"1 kg\" of <mass>: expected 1 number"},
      {"<robot><link name='a'>\n<inertial><mass value='nan'/></inertial></link></robot>", 2, 11,
       "nan is not a number"},
      {"<robot><link name='a'><visual>\n<origin xyz='0 0'/></visual></link></robot>", 2, 1,
       "xyz=\"0 0\" of <origin>: expected 3 numbers"},
      {"<robot><link name='a'><visual>\n<origin rpy='0 0 ${pi}'/></visual></link></robot>", 2, 1,
       "${pi} is not a number"},
      {"<robot>" LINK("a") LINK("b") "<joint name='j' type='revolute'>\n<parent link='a'/><child "
                                     "link='b'/><axis xyz='0 0 0'/></joint></robot>",
       2, 36, "the axis of joint j is 0"},
      {"<robot>" LINK("a") LINK("b") "<joint name='j' type='revolute'><parent link='a'/><child "
                                     "link='b'/>\n<mimic joint='k'/></joint></robot>",
       2, 1, "joint j: there is no joint k to mimic"},
      {"<!DOCTYPE r [\n<!ENTITY a 'aaaa'>\n<!ENTITY b '&a;&a;'>]>\n<robot name='&b;'/>", 2, 12,
       "entities are not accepted here"},
      {"<!DOCTYPE r [<!ENTITY x SYSTEM '/etc/passwd'>]>\n<robot name='r'/>", 1, 0,
       "entities are not accepted here"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    dae_error err = dae_error_none();
    char *text;
    write_file(PATH, wrong[i].text, strlen(wrong[i].text));
    dae_status status = dae_urdf_import(PATH, NULL, NULL, &text, &err);
    if (status != DAE_ERROR_MODEL || !strstr(err.text, wrong[i].message) ||
        err.line != wrong[i].line || (wrong[i].column > 0 && err.column != wrong[i].column) || text)
      fail_msg("%s\n%d:%d: %s\n%s", wrong[i].text, err.line, err.column, err.text,
               wrong[i].message);
    assert_string_equal(err.file, PATH);
  }
  remove(PATH);
}

static void test_files_that_cannot_be_read_are_said(void **state)
{
  (void)state;
  dae_error err = dae_error_none();
  char *text;
  assert_int_equal(dae_urdf_import("no/such.urdf", NULL, NULL, &text, &err), DAE_ERROR_FILE);
  has(err.text, "no/such.urdf");
  assert_int_equal(dae_urdf_import("/tmp", NULL, NULL, &text, &err), DAE_ERROR_FILE);
  has(err.text, "it is not a file");
  assert_int_equal(dae_urdf_import("/dev/zero", NULL, NULL, &text, &err), DAE_ERROR_FILE);
  assert_int_equal(dae_urdf_import("", NULL, NULL, &text, &err), DAE_ERROR_USAGE);
  assert_null(text);
}

static void test_depth_and_number_of_elements_are_bounded(void **state)
{
  (void)state;
  enum { MANY = 600000 };
  char *text = malloc(7 * MANY + 100), *at = text, *model;
  dae_error err = dae_error_none();
  assert_non_null(text);
  at += sprintf(at, "<robot>");
  for (int i = 0; i < 200; i++)
    at += sprintf(at, "<a>");
  write_file(PATH, text, (size_t)(at - text));
  assert_int_equal(dae_urdf_import(PATH, NULL, NULL, &model, &err), DAE_ERROR_MODEL);
  has(err.text, "elements are nested more than 100 deep");
  assert_int_equal(err.line, 1);
  at = text + sprintf(text, "<robot>");
  for (int i = 0; i < MANY; i++)
    at += sprintf(at, "<a/>");
  write_file(PATH, text, (size_t)(at - text));
  assert_int_equal(dae_urdf_import(PATH, NULL, NULL, &model, &err), DAE_ERROR_MODEL);
  has(err.text, "more than 500000 elements");
  remove(PATH);
  free(text);
}

/* A file cut at any byte, and one with a byte changed, is imported or refused. */
static void test_damaged_files_do_no_harm(void **state)
{
  (void)state;
  FILE *file = fopen(ROBOTS "/base.urdf", "rb");
  assert_non_null(file);
  char urdf[8192], *text;
  size_t length = fread(urdf, 1, sizeof urdf, file);
  fclose(file);
  dae_error err;
  for (size_t cut = 0; cut + 10 < length; cut += 19) {
    write_file(PATH, urdf, cut);
    assert_int_equal(dae_urdf_import(PATH, NULL, NULL, &text, &err), DAE_ERROR_MODEL);
  }
  unsigned seed = 1;
  for (int i = 0; i < 300; i++) {
    seed = seed * 1103515245u + 12345u;
    size_t at = (seed >> 8) % length;
    char old = urdf[at];
    urdf[at] = (char)(seed >> 20);
    write_file(PATH, urdf, length);
    dae_status status = dae_urdf_import(PATH, NULL, NULL, &text, &err);
    assert_true(status == DAE_OK || status == DAE_ERROR_MODEL);
    dae_urdf_free(text, NULL);
    urdf[at] = old;
  }
  remove(PATH);
}

static bool import_in(const dae_env *env)
{
  char *text;
  dae_error err = dae_error_none();
  dae_status status = dae_urdf_import(MODELS "/arm.urdf", NULL, env, &text, &err);
  dae_urdf_free(text, env);
  assert_true(status == DAE_OK || status == DAE_ERROR_MEMORY);
  return status == DAE_OK;
}

static void test_failed_allocations_leak_nothing(void **state)
{
  (void)state;
  assert_int_equal(counting_env_fault(import_in), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_arm_has_bodies_joints_and_forces),
      cmocka_unit_test(test_a_floating_robot_has_a_body_more),
      cmocka_unit_test(test_fixed_links_are_one_body),
      cmocka_unit_test(test_what_is_assumed_or_left_out_is_said_with_its_line),
      cmocka_unit_test(test_wrong_files_are_refused_at_their_place),
      cmocka_unit_test(test_files_that_cannot_be_read_are_said),
      cmocka_unit_test(test_depth_and_number_of_elements_are_bounded),
      cmocka_unit_test(test_damaged_files_do_no_harm),
      cmocka_unit_test(test_failed_allocations_leak_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
