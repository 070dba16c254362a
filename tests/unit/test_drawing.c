/* Drawings of models: the shapes that draw statements say, and those that are made up from the
 * constraints where there are none. */
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

/* ---- a drawing at a time and a state ---- */

typedef struct scene {
  dae_model *model;
  dae_drawing drawing;
  double t, *y, *values;
} scene;

static dae_status parse(const char *text, long max_nodes, dae_model **model, dae_error *err)
{
  dae_model_options options = dae_model_defaults();
  if (max_nodes > 0)
    options.max_nodes = max_nodes;
  return dae_model_parse("drawing.dae", text, strlen(text), &options, NULL, model, err);
}

/* the start of a model */
static scene scene_of(const char *text)
{
  scene s = {.t = 0};
  dae_error err;
  if (parse(text, 0, &s.model, &err))
    fail_msg("%s\n%s", text, err.text);
  const dae_problem *p = dae_model_problem(s.model);
  dae_start start = dae_model_start(s.model);
  s.drawing = dae_model_drawing(s.model);
  s.t = start.t;
  s.y = calloc((size_t)dae_problem_extended_size(p), sizeof *s.y);
  s.values = calloc((size_t)s.drawing.values + 1, sizeof *s.values);
  assert_non_null(s.y);
  assert_non_null(s.values);
  memcpy(s.y, start.y, (size_t)dae_problem_extended_size(p) * sizeof *s.y);
  return s;
}

static void scene_free(scene *s)
{
  free(s->y);
  free(s->values);
  dae_model_free(s->model);
}

static void set(scene *s, const char *column, double value)
{
  dae_run_plan plan = {0};
  dae_model_plan(s->model, &plan);
  for (int i = 0; i < plan.column_count; i++)
    if (!strcmp(plan.columns[i].name, column)) {
      s->y[plan.columns[i].entry] = value;
      return;
    }
  fail_msg("no column is called %s", column);
}

static void evaluate(scene *s)
{
  assert_int_equal(s->drawing.eval(s->drawing.user, s->t, s->y, s->values), 0);
}

/* shape i, after evaluate; expected: x and y of its points, then a radius */
static void assert_shape(const scene *s, int i, dae_shape_kind kind, int points, const char *label,
                         const double *expected)
{
  assert_true(i < s->drawing.shapes);
  const dae_shape *shape = &s->drawing.shape[i];
  int count = dae_shape_values(shape, s->drawing.space);
  assert_int_equal(shape->kind, kind);
  assert_int_equal(shape->points, points);
  assert_true(shape->first >= 0 && shape->first + count <= s->drawing.values);
  if (label)
    assert_string_equal(shape->label, label);
  else
    assert_null(shape->label);
  for (int k = 0; k < count; k++) {
    double is = s->values[shape->first + k];
    if (!(fabs(is - expected[k]) <= 1e-12 * fmax(1, fabs(expected[k]))))
      fail_msg("shape %d, value %d: %.17g instead of %.17g", i, k, is, expected[k]);
  }
}

#define ASSERT_LINE(scene, i, ...)                                                                 \
  assert_shape((scene), (i), DAE_SHAPE_LINE,                                                       \
               (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)) / 2, NULL,                  \
               (double[]){__VA_ARGS__})
#define ASSERT_POINT(scene, i, x, y)                                                               \
  assert_shape((scene), (i), DAE_SHAPE_POINT, 1, NULL, (double[]){(x), (y)})

/* ---- written ---- */

static void test_shapes_have_the_values_of_their_expressions(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\nparam L = 2\ncoord x = 1, y = 2\nkinetic x'^2 + y'^2\n"
                     "draw line (0, -L) (x, y) (x*y, sin(t)) \"three points\"\n"
                     "draw point (x + t, 2*y) \"bob\"\n"
                     "draw circle (L*x, y) radius L + y\n"
                     "draw line (x, 0) (y, 0)\n");
  assert_int_equal(s.drawing.shapes, 4);
  assert_int_equal(s.drawing.values, 6 + 2 + 3 + 4);
  assert_false(s.drawing.guessed);
  evaluate(&s);
  assert_shape(&s, 1, DAE_SHAPE_POINT, 1, "bob", (double[]){1, 4});
  s.t = 0.5;
  set(&s, "x", 3);
  set(&s, "y", -5);
  evaluate(&s);
  assert_shape(&s, 0, DAE_SHAPE_LINE, 3, "three points", (double[]){0, -2, 3, -5, -15, sin(0.5)});
  assert_shape(&s, 1, DAE_SHAPE_POINT, 1, "bob", (double[]){3.5, -10});
  assert_shape(&s, 2, DAE_SHAPE_CIRCLE, 1, NULL, (double[]){6, -5, -3});
  ASSERT_LINE(&s, 3, 3, 0, -5, 0);
  scene_free(&s);
}

static void test_shapes_may_hold_whatever_outputs_may(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\ncoord x = 2 rate 3, z = 0\nkinetic (x'^2 + z'^2)/2\n"
                     "constraint rod: z = 0\nstate u = 4\nu' = -2*u\nalg w = 7\nw = 7\n"
                     "discrete d = 1\nevent e: x - 5 { d = d + 1 }\n"
                     "let r = x^2\noutput o = 10*x\n"
                     "draw point (x', u')\ndraw point (r, r')\ndraw point (o, kinetic)\n"
                     "draw point (w, d)\ndraw point (lambda(rod), z)\n");
  set(&s, "d", 6);
  set(&s, "lambda(rod)", -8);
  evaluate(&s);
  assert_int_equal(s.drawing.shapes, 5);
  ASSERT_POINT(&s, 0, 3, -8);
  ASSERT_POINT(&s, 1, 4, 12);
  ASSERT_POINT(&s, 2, 20, 4.5);
  ASSERT_POINT(&s, 3, 7, 6);
  ASSERT_POINT(&s, 4, -8, 0);
  scene_free(&s);
}

static void test_loops_and_arrays_repeat_shapes(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\nparam N = 3\nstate u[i in 1..N] = i^2\n"
                     "for i in 1..N { u[i]' = 1 }\n"
                     "for i in 2..N { let h = i/2; draw line (i - 1, u[i-1]) (i, u[i] + h) }\n"
                     "for i in 1..N { for j in 1..i-1 { draw circle (u[i], j) radius i "
                     "\"disc\" } }\n");
  set(&s, "u[2]", 5);
  evaluate(&s);
  assert_int_equal(s.drawing.shapes, 2 + 3);
  ASSERT_LINE(&s, 0, 1, 1, 2, 6);
  ASSERT_LINE(&s, 1, 2, 5, 3, 10.5);
  assert_shape(&s, 2, DAE_SHAPE_CIRCLE, 1, "disc", (double[]){5, 1, 2});
  assert_shape(&s, 3, DAE_SHAPE_CIRCLE, 1, "disc", (double[]){9, 1, 3});
  assert_shape(&s, 4, DAE_SHAPE_CIRCLE, 1, "disc", (double[]){9, 2, 3});
  scene_free(&s);
}

static void test_systems_draw_what_is_theirs_and_the_model_what_is_between(void **unused)
{
  (void)unused;
  scene s =
      scene_of("model m\nsystem S[k in 1..2] {\n"
               "  coord x = k, y = -k\n  kinetic (x'^2 + y'^2)/2\n"
               "  draw point (x, k)\n}\n"
               "system circuit { state i = 3; i' = S[2].x; draw circle (0, S[1].y) radius i }\n"
               "joint link: S[1].x + 1 = S[2].x\n"
               "draw line (S[1].x, S[1].y) (S[2].x, lambda(link))\n");
  set(&s, "S[1].y", 11);
  set(&s, "S[2].x", 12);
  set(&s, "lambda(link)", 13);
  evaluate(&s);
  assert_int_equal(s.drawing.shapes, 4);
  ASSERT_LINE(&s, 0, 1, 11, 12, 13);
  ASSERT_POINT(&s, 1, 1, 1);
  ASSERT_POINT(&s, 2, 12, 2);
  assert_shape(&s, 3, DAE_SHAPE_CIRCLE, 1, NULL, (double[]){0, 11, 3});
  scene_free(&s);
}

static void test_there_is_no_picture_where_a_value_is_not_finite(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\nstate u = 1\nu' = 1\ndraw point (0, 0)\ndraw point (sqrt(u), 1)");
  evaluate(&s);
  set(&s, "u", -1);
  assert_int_not_equal(s.drawing.eval(s.drawing.user, 0, s.y, s.values), 0);
  set(&s, "u", 4);
  evaluate(&s);
  ASSERT_POINT(&s, 1, 2, 1);
  scene_free(&s);
}

static void test_shapes_in_space_have_three_coordinates(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\nparam camera = 2\ncoord x = 1, y = 2\nkinetic x'^2 + y'^2\n"
                     "draw circle (x, y) radius 3 \"plane\"\n"
                     "draw line (0, 0) (x, y)\n"
                     "draw line (0, 0, 0) (x, y, x*y) (t, 0, camera)\n"
                     "draw circle (x, 0, y) radius y axis (1, 0, y) \"disc\"\n"
                     "draw sphere (x, x, x) radius 2*x\n"
                     "draw spring (0, 0, 0) (x, y, 1)\ndraw point (7, 8)\n"
                     "camera from (4, -camera, 3) to (0, 0, 1) up (0, 1, 0)\n");
  s.t = 0.5;
  set(&s, "x", 3);
  set(&s, "y", 5);
  evaluate(&s);
  assert_true(s.drawing.space);
  assert_int_equal(s.drawing.shapes, 7);
  assert_shape(&s, 0, DAE_SHAPE_CIRCLE, 1, "plane", (double[]){3, 5, 0, 3, 0, 0, 1});
  assert_shape(&s, 1, DAE_SHAPE_LINE, 2, NULL, (double[]){0, 0, 0, 3, 5, 0});
  assert_shape(&s, 2, DAE_SHAPE_LINE, 3, NULL, (double[]){0, 0, 0, 3, 5, 15, 0.5, 0, 2});
  assert_shape(&s, 3, DAE_SHAPE_CIRCLE, 1, "disc", (double[]){3, 0, 5, 5, 1, 0, 5});
  assert_shape(&s, 4, DAE_SHAPE_SPHERE, 1, NULL, (double[]){3, 3, 3, 6});
  assert_shape(&s, 5, DAE_SHAPE_SPRING, 2, NULL, (double[]){0, 0, 0, 3, 5, 1});
  assert_shape(&s, 6, DAE_SHAPE_POINT, 1, NULL, (double[]){7, 8, 0});
  const dae_camera expected = {{4, -2, 3}, {0, 0, 1}, {0, 1, 0}};
  assert_memory_equal(&s.drawing.camera, &expected, sizeof expected);
  scene_free(&s);
  s = scene_of("model m\nstate camera = 1\ncamera' = 1\ndraw spring (0, 0) (camera, 1)\n");
  evaluate(&s);
  assert_false(s.drawing.space);
  assert_shape(&s, 0, DAE_SHAPE_SPRING, 2, NULL, (double[]){0, 0, 1, 1});
  scene_free(&s);
}

/* Pictures that are refused, with the line, the column and a part of the message. */
static void test_wrong_pictures_are_refused_at_their_place(void **unused)
{
  (void)unused;
  static const struct {
    const char *statement, *text;
    int column;
  } wrong[] = {
      {"draw cube (0, 0, 0)",
       "line, point, circle, sphere, spring, box, cylinder, ellipsoid or bodies", 6},
      {"draw point (0, 0, 0, 0)", "two or three components, not 4", 12},
      {"draw point (1)", "a point needs brackets and two coordinates", 13},
      {"draw point x", "a point needs two coordinates", 12},
      {"draw point 1, 2", "a point needs brackets", 12},
      {"draw line (0, 0) (1, 1, 1)", "a point of 2 coordinates as the one before, found 3", 18},
      {"draw line (0, 0, 0)", "a line needs at least two points", 1},
      {"draw spring (0, 0, 0)", "a spring needs at least two points", 1},
      {"draw spring (0, 0) (1, 1) (2, 2)", "found (", 27},
      {"draw sphere (0, 0) radius 1", "three coordinates; in the plane: draw circle", 13},
      {"draw sphere (0, 0, 0)", "expected radius: draw sphere", 22},
      {"draw circle (0, 0) radius (1, 1)", "a radius is a number", 27},
      {"draw circle (0, 0) radius 1 axis (0, 0, 1)", "a circle has an axis in space only", 34},
      {"draw circle (0, 0, 0) radius 1 axis (0, 1)", "a vector of three components", 37},
      {"draw box (1, 1, 1)", "expected on and a body: draw box (a, b, c) on B", 19},
      {"draw box (1, 1, 1) on nobody", "unknown body nobody", 23},
      {"draw box (1, 1) on ground", "the size of a shape needs a vector of 3 components", 10},
      {"draw box (1, -1, 1) on ground", "the size of a shape is -1; it has to be positive", 10},
      {"draw cylinder 1 on ground", "expected length: draw cylinder R length H on B", 17},
      {"draw sphere 1 on ground at (0, 0)", "the place of a shape needs", 28},
      {"draw sphere 1 on ground turned 1", "expected about", 33},
      {"draw sphere 1 on ground turned 1 about (0, 0, 0)", "the axis has length 0", 40},
      {"body B disk 1 mass 1 at (0, 0)\ndraw sphere 1 on B", "B is a plane body", 18},
      {"camera from (0, 0, 1)", "expected to: camera from", 22},
      {"camera from (0, 0) to (1, 1)", "a point of the camera needs", 13},
      {"camera from (0, 0, 1) to (0, 0, 1)", "from a point to the same point", 1},
      {"camera from (0, 0, 1) to (0, 0, 2) up (0, 0, 0)", "direction up of the camera is 0", 1},
      {"camera from (0, 0, 1) to (0, 0, 2)\ncamera from (0, 0, 1) to (0, 0, 2)",
       "there is a camera already", 1}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[400];
    dae_model *model;
    dae_error err;
    snprintf(text, sizeof text, "model m\ncoord x\nkinetic x'^2\n%s\n", wrong[i].statement);
    dae_status status = parse(text, 0, &model, &err);
    int line = strchr(wrong[i].statement, '\n') ? 5 : 4;
    if (status != DAE_ERROR_MODEL || !strstr(err.text, wrong[i].text) || err.line != line ||
        err.column != wrong[i].column)
      fail_msg("%s\n%d:%d: %s", text, err.line, err.column, err.text);
  }
}

/* ---- bodies ---- */

/* Solid shape i, after evaluate: size, and its pose place and turn included. */
static void assert_solid(const scene *s, int i, dae_shape_kind kind, const double *size,
                         const double *at, const double *z)
{
  assert_true(i < s->drawing.shapes);
  const dae_shape *shape = &s->drawing.shape[i];
  const double *v = s->values + shape->first, *t = shape->turn;
  double axis[3] = {2 * (t[1] * t[3] + t[0] * t[2]), 2 * (t[2] * t[3] - t[0] * t[1]),
                    t[0] * t[0] - t[1] * t[1] - t[2] * t[2] + t[3] * t[3]};
  if (t[0] == 0 && t[1] == 0 && t[2] == 0 && t[3] == 0)
    axis[2] = 1;
  assert_int_equal(shape->kind, kind);
  const double *const local[] = {shape->place, axis};
  for (int which = 0; which < 2; which++) {
    const double *p = local[which], *e = v + 4;
    double c[3], d[3];
    for (int k = 0; k < 3; k++) /* p + 2 e x (e x p + e0 p) */
      c[k] = e[(k + 1) % 3] * p[(k + 2) % 3] - e[(k + 2) % 3] * p[(k + 1) % 3] + v[3] * p[k];
    for (int k = 0; k < 3; k++) {
      d[k] = p[k] + 2 * (e[(k + 1) % 3] * c[(k + 2) % 3] - e[(k + 2) % 3] * c[(k + 1) % 3]);
      double is = which ? d[k] : v[k] + d[k], expected = which ? z[k] : at[k];
      if (!(fabs(is - expected) < 1e-12))
        fail_msg("shape %d, %s %d: %g instead of %g", i, which ? "axis" : "place", k, is, expected);
      assert_true(fabs(shape->size[k] - size[k]) < 1e-12);
    }
  }
}
#define SOLID(scene, i, kind, size, at, z)                                                         \
  assert_solid((scene), (i), (kind), (const double[]){size}, (const double[]){at},                 \
               (const double[]){z})
#define V(a, b, c) a, b, c

static void test_bodies_have_their_shapes_and_joints_their_symbols(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\ngravity (0, -9.81, 0)\n"
                     "body a box (1, 2, 3) mass 1 at (0, 0, 5) turned pi/2 about (1, 0, 0)\n"
                     "body b rod from (0, 0, 5) to (0, 0, 9) mass 1 inertia (0.1, 1, 1)\n"
                     "body c mass 2 inertia (1, 1, 1) centre (0, 0, 1) at (0, 4, 9)\n"
                     "revolute hinge: ground, a at (0, 1, 5) axis (0, 1, 0)\n"
                     "spherical ball: a, b at (0, 0, 5)\n"
                     "rod link: b.point(2, 0, 0) to c.point(0, 0, 0)\n"
                     "spring coil: ground.point(7, 8, 9) to c.pos stiffness 1\n"
                     "damper hold: hinge.angle damping 1\n");
  evaluate(&s);
  assert_true(s.drawing.space);
  assert_false(s.drawing.guessed);
  const dae_camera expected = {{0}, {0}, {0, 9.81, 0}};
  assert_memory_equal(&s.drawing.camera, &expected, sizeof expected);
  int i = 0;
  SOLID(&s, i++, DAE_SHAPE_BOX, V(1, 2, 3), V(0, 0, 5), V(0, -1, 0));
  assert_string_equal(s.drawing.shape[0].label, "a");
  SOLID(&s, i++, DAE_SHAPE_CYLINDER, V(0.06, 4, 0), V(0, 0, 7), V(0, 0, 1));
  /* c has no shape: a line to its centre of mass, which has a symbol */
  SOLID(&s, i++, DAE_SHAPE_CYLINDER, V(0, 1, 0), V(0, 4, 9.5), V(0, 0, 1));
  SOLID(&s, i++, DAE_SHAPE_BALL, V(0, 0, 0), V(0, 4, 10), V(0, 0, 1));
  SOLID(&s, i++, DAE_SHAPE_HINGE, V(0, 0, 0), V(0, 1, 5), V(0, 1, 0));
  SOLID(&s, i++, DAE_SHAPE_BALL, V(0, 0, 0), V(0, 0, 5), V(-1, 0, 0));
  assert_shape(&s, i++, DAE_SHAPE_LINE, 2, NULL, (double[]){0, 0, 9, 0, 4, 9});
  assert_shape(&s, i++, DAE_SHAPE_SPRING, 2, NULL, (double[]){7, 8, 9, 0, 4, 9});
  assert_int_equal(s.drawing.shapes, i);
  assert_int_equal(s.drawing.values, 3 * 7 + 2 * 6); /* one pose for each body */
  set(&s, "c.x", 3);
  evaluate(&s);
  SOLID(&s, 3, DAE_SHAPE_BALL, V(0, 0, 0), V(3, 4, 10), V(0, 0, 1));
  scene_free(&s);
}

static void test_shapes_are_drawn_on_bodies(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\nparam h = 2\n"
                     "body a box (1, 1, 1) mass 1 at (1, 0, 0) turned pi/2 about (0, 0, 1)\n"
                     "draw point (1, 2)\ndraw bodies\n"
                     "draw cylinder 0.1 length h on a at (h, 0, 0) turned pi/2 about (0, 1, 0) "
                     "\"axle\"\n"
                     "draw sphere h on ground at (0, 0, h)\n"
                     "draw ellipsoid (1, 2, 3) on a\n");
  evaluate(&s);
  assert_true(s.drawing.space);
  assert_shape(&s, 0, DAE_SHAPE_POINT, 1, NULL, (double[]){1, 2, 0});
  SOLID(&s, 1, DAE_SHAPE_CYLINDER, V(0.1, 2, 0), V(1, 2, 0), V(0, 1, 0));
  assert_string_equal(s.drawing.shape[1].label, "axle");
  SOLID(&s, 2, DAE_SHAPE_ELLIPSOID, V(2, 2, 2), V(0, 0, 2), V(0, 0, 1));
  SOLID(&s, 3, DAE_SHAPE_ELLIPSOID, V(1, 2, 3), V(1, 0, 0), V(0, 0, 1));
  SOLID(&s, 4, DAE_SHAPE_BOX, V(1, 1, 1), V(1, 0, 0), V(0, 0, 1));
  assert_int_equal(s.drawing.shape[1].group, s.drawing.shape[4].group);
  assert_int_equal(s.drawing.shapes, 5);
  scene_free(&s);
}

static void test_plane_bodies_are_lines_and_circles(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\ngravity (0, -9.81)\n"
                     "body crank mass 1 inertia 1 at (0, 0) angle pi/2\n"
                     "body plate box (2, 4) mass 1 at (5, 0)\nbody wheel disk 3 mass 1 at (0, 7)\n"
                     "revolute A: ground, crank at (0, 0)\nrevolute B: crank, plate at (4, 0)\n"
                     "spring S: (9, 9) to wheel.pos stiffness 1\n");
  evaluate(&s);
  assert_false(s.drawing.space);
  assert_int_equal(s.drawing.shapes, 1 + 1 + 1 + 2 + 2 + 1);
  assert_shape(&s, 1, DAE_SHAPE_POINT, 1, "crank", (double[]){0, 0});
  assert_shape(&s, 2, DAE_SHAPE_LINE, 5, "plate", (double[]){4, -2, 6, -2, 6, 2, 4, 2, 4, -2});
  assert_shape(&s, 3, DAE_SHAPE_CIRCLE, 1, "wheel", (double[]){0, 7, 3});
  assert_shape(&s, 4, DAE_SHAPE_LINE, 2, NULL, (double[]){0, 7, 3, 7});
  assert_shape(&s, 5, DAE_SHAPE_POINT, 1, NULL, (double[]){0, 0});
  assert_shape(&s, 7, DAE_SHAPE_SPRING, 2, NULL, (double[]){9, 9, 0, 7});
  scene_free(&s);
}

/* ---- guessed ---- */

#define POINT "coord x = 0.6, y = -0.8\nkinetic (x'^2 + y'^2)/2\n"

static void test_a_written_drawing_is_not_added_to(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\n" POINT "constraint x^2 + y^2 = 1\ndraw point (x, y)\n");
  assert_int_equal(s.drawing.shapes, 1);
  assert_false(s.drawing.guessed);
  scene_free(&s);
}

/* from a pivot to the point of POINT */
static void check_pendulum(const char *text, double t, double x, double y)
{
  scene s = scene_of(text);
  s.t = t;
  set(&s, "x", 5);
  set(&s, "y", 7);
  evaluate(&s);
  assert_true(s.drawing.guessed);
  if (s.drawing.shapes != 3)
    fail_msg("%s\n%d shapes", text, s.drawing.shapes);
  ASSERT_LINE(&s, 0, x, y, 5, 7);
  ASSERT_POINT(&s, 1, x, y);
  ASSERT_POINT(&s, 2, 5, 7);
  assert_int_equal(s.drawing.values, 4); /* the points are those of the line */
  scene_free(&s);
}

static void test_a_rod_is_known_however_it_is_written(void **unused)
{
  (void)unused;
  static const struct {
    const char *constraint;
    double x, y;
  } rods[] = {{"x^2 + y^2 = 1", 0, 0},
              {"0 = 1 - y*y - x*x", 0, 0},
              {"x^2 - 1 = -y^2", 0, 0},
              {"(x^2 + y^2 - 1)/2 = 0", 0, 0},
              {"sqrt(x^2 + y^2) = 1", 0, 0},
              {"3*sqrt((x^2 + y^2)/4) - 1.5 = 0", 0, 0},
              {"(x^2 + y^2)^0.5 = 1", 0, 0},
              {"(x^2 + y^2)^2 = 1", 0, 0},
              {"2/2^(x^2 + y^2) = 1", 0, 0},
              {"hypot(x, y) = 1", 0, 0},
              {"0.3*x^2 + 0.1*y^2 + y^2/5 = 0.3", 0, 0},
              {"(x - 0.6)^2 + (y + 1.8)^2 = 1", 0.6, -1.8},
              {"x^2 + y^2 = 1.2*x + 2", 0.6, 0},
              {"hypot(x - 1.6, y + 0.8) = 1", 1.6, -0.8}};
  for (size_t i = 0; i < sizeof rods / sizeof *rods; i++) {
    char text[300];
    snprintf(text, sizeof text, "model m\n" POINT "constraint %s\n", rods[i].constraint);
    check_pendulum(text, 0, rods[i].x, rods[i].y);
  }
}

static void test_a_pivot_may_move_and_a_rod_grow_with_time(void **unused)
{
  (void)unused;
  check_pendulum("model m\nparam a = 0.1, w = 3\nlet px = a*sin(w*t), py = t^2\n" POINT
                 "constraint (x - px)^2 + (y - py)^2 = 1\n",
                 0.7, 0.1 * sin(2.1), 0.49);
  check_pendulum("model m\n" POINT "constraint hypot(x - t, y) = 1 + t\n", 2, 2, 0);
}

static void test_rods_that_follow_each_other_are_one_line(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\ncoord x1 = 1, y1 = 0, x2 = 1, y2 = -1\n"
                     "kinetic (x1'^2 + y1'^2)/2 + (x2'^2 + y2'^2)/2\n"
                     "constraint upper: x1^2 + y1^2 = 1\n"
                     "constraint lower: (x2 - x1)^2 + (y2 - y1)^2 = 1\n");
  set(&s, "x2", 3);
  set(&s, "y2", 4);
  evaluate(&s);
  assert_true(s.drawing.guessed);
  assert_int_equal(s.drawing.shapes, 4);
  ASSERT_LINE(&s, 0, 0, 0, 1, 0, 3, 4);
  ASSERT_POINT(&s, 1, 0, 0);
  ASSERT_POINT(&s, 2, 1, 0);
  ASSERT_POINT(&s, 3, 3, 4);
  scene_free(&s);
}

static void test_a_chain_of_arrays_is_one_line(void **unused)
{
  (void)unused;
  enum { N = 200 };
  scene s = scene_of("model m\nparam N = 200, L = 1/N\ncoord x[1..N] = i*L, y[1..N] = 0\n"
                     "for i in 1..N { kinetic (x[i]'^2 + y[i]'^2)/2/N }\n"
                     "constraint x[1]^2 + y[1]^2 = L^2\n"
                     "for i in 2..N { constraint hypot(x[i] - x[i-1], y[i] - y[i-1]) = L }\n");
  double at[2 * N + 2] = {0};
  for (int i = 1; i <= N; i++) {
    at[2 * i] = s.y[i - 1] = i;
    at[2 * i + 1] = s.y[N + i - 1] = -i * i;
  }
  evaluate(&s);
  assert_int_equal(s.drawing.shapes, 1 + 2); /* too long for a point at every mass */
  assert_int_equal(s.drawing.values, 2 * (N + 1));
  assert_shape(&s, 0, DAE_SHAPE_LINE, N + 1, NULL, at);
  ASSERT_POINT(&s, 1, 0, 0);
  ASSERT_POINT(&s, 2, at[2 * N], at[2 * N + 1]);
  scene_free(&s);
}

static void test_a_closed_chain_returns_to_its_point(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\ncoord x[1..3] = i, y[1..3] = i^2\n"
                     "for i in 1..3 { kinetic (x[i]'^2 + y[i]'^2)/2\n"
                     "let j = mod(i, 3) + 1\n"
                     "constraint (x[i] - x[j])^2 + (y[i] - y[j])^2 = 2 }\n");
  evaluate(&s);
  assert_int_equal(s.drawing.shapes, 1 + 3);
  ASSERT_LINE(&s, 0, 1, 1, 2, 4, 3, 9, 1, 1);
  scene_free(&s);
}

static void test_a_joint_between_systems_is_a_rod(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\nsystem S[k in 1..2] {\n  coord x = k, y = -1\n"
                     "  kinetic (x'^2 + y'^2)/2\n  constraint (x - k)^2 + y^2 = 1\n}\n"
                     "joint bar: (S[1].x - S[2].x)^2 + (S[1].y - S[2].y)^2 = 1\n");
  set(&s, "S[1].y", -2);
  evaluate(&s);
  assert_int_equal(s.drawing.shapes, 2 + 4);
  ASSERT_LINE(&s, 0, 1, 0, 1, -2);
  ASSERT_LINE(&s, 1, 2, 0, 2, -1, 1, -2);
  scene_free(&s);
}

/* the mass hangs on a cart, which has one coordinate */
static void check_cart(const char *coordinates, const char *constraint)
{
  char text[400];
  snprintf(text, sizeof text, "model m\n%s\nkinetic 5*s'^2/2 + (x'^2 + y'^2)/2\nconstraint %s\n",
           coordinates, constraint);
  scene s = scene_of(text);
  set(&s, "s", 3);
  set(&s, "x", 4);
  set(&s, "y", -1);
  evaluate(&s);
  if (s.drawing.shapes != 3)
    fail_msg("%s\n%d shapes", text, s.drawing.shapes);
  ASSERT_LINE(&s, 0, 3.5, 0.25, 4, -1);
  scene_free(&s);
}

static void test_a_rod_may_end_on_a_cart(void **unused)
{
  (void)unused;
  const char *rod = "(x - s - 0.5)^2 + (y - 0.25)^2 = 1",
             *same = "hypot(s + 0.5 - x, 0.25 - y) = 1";
  const char *const orders[] = {"coord s, x, y", "coord x, y, s", "coord x, s, y"};
  for (int i = 0; i < 3; i++) {
    check_cart(orders[i], rod);
    check_cart(orders[i], same);
  }
  /* of equal masses those that are declared side by side */
  scene s = scene_of("model m\ncoord x = 1, y = 2, s = 3\nkinetic (x'^2 + y'^2 + s'^2)/2\n"
                     "constraint x^2 + (y - s)^2 = 2\n"); /* on an upright rail */
  evaluate(&s);
  ASSERT_LINE(&s, 0, 0, 3, 1, 2);
  scene_free(&s);
  s = scene_of("model m\ncoord s = 3, a = 1, b = 2\nkinetic (a'^2 + b'^2 + s'^2)/2\n"
               "constraint (a - s)^2 + b^2 = 8\n");
  evaluate(&s);
  ASSERT_LINE(&s, 0, 3, 0, 1, 2);
  scene_free(&s);
}

static void test_rods_with_a_pivot_say_which_coordinates_make_a_point(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\ncoord a = 1, b = 2, c = 3, d = 4\n" /* (a, d) and (b, c) */
                     "kinetic (a'^2 + b'^2 + c'^2 + d'^2)/2\n"
                     "constraint (a - b)^2 + (c - d)^2 = 2\n"
                     "constraint a^2 + d^2 = 17\n");
  evaluate(&s);
  assert_int_equal(s.drawing.shapes, 1 + 3);
  ASSERT_LINE(&s, 0, 2, 3, 1, 4, 0, 0);
  scene_free(&s);
}

static void test_equal_masses_say_which_coordinates_make_a_point(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\ncoord a = 1, b = 2, c = 3, d = 4\n"
                     "kinetic 5*(a'^2 + d'^2) + 6*(b'^2 + c'^2)\n"
                     "constraint (a - b)^2 + (c - d)^2 = 2\n");
  evaluate(&s);
  assert_int_equal(s.drawing.shapes, 1 + 2);
  ASSERT_LINE(&s, 0, 2, 3, 1, 4);
  scene_free(&s);
}

/* with coordinates a, b, c, d of equal mass, whose names mean nothing */
static int shapes_with(const char *constraints)
{
  char text[400];
  snprintf(text, sizeof text,
           "model m\ncoord a = 1, b = 1, c = 1, d = 1\nkinetic (a'^2 + b'^2 + c'^2 + d'^2)/2\n%s",
           constraints);
  scene s = scene_of(text);
  int shapes = s.drawing.shapes;
  assert_int_equal(s.drawing.guessed, shapes > 0);
  scene_free(&s);
  return shapes;
}

static void test_what_is_not_a_distance_is_not_drawn(void **unused)
{
  (void)unused;
  static const char *const others[] = {"a = 1",
                                       "a - b = 1",
                                       "(a - b)^2 = 1", /* along a line */
                                       "a^2 + b^2 = 2*a*b",
                                       "a*b = 1",
                                       "a^2 + 2*b^2 = 3",
                                       "a^2 - b^2 = 0",
                                       "a^2 + b = 2",
                                       "a^2 + b^2 = 2*c",
                                       "a^2 + b^2 = 2*c^2",
                                       "a^2 + b^2 + a*b = 3",
                                       "a^2 + b^2 + c^2 + d^2 = 2*a*b + 2*a*c",
                                       "a^4 + b^4 = 2",
                                       "a^2 + b^3 = 2",
                                       "sin(a)^2 + cos(b)^2 = sin(1)^2 + cos(1)^2",
                                       "sqrt(a) + b^2 = 2",
                                       "(a + b)^2 + (c - d)^2 = 4",
                                       "(a - 2*b)^2 + (c - d)^2 = 1",
                                       "(a - b)^2 + 3*(c - d)^2 = 0",
                                       "(a - b)^2 + (b - c)^2 = 0",
                                       "(a - b - 1)^2 + (c - d)^2 = 1", /* beside a point */
                                       "a^2 + b^2 + c^2 + d^2 = 4",
                                       "if(a > 0, a^2, a) + b^2 = 2"};
  assert_int_equal(shapes_with("constraint a^2 + b^2 = 2\n"), 3); /* which is one */
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    char text[200];
    snprintf(text, sizeof text, "constraint %s\n", others[i]);
    if (shapes_with(text) != 0)
      fail_msg("%s", text);
  }
}

static void test_a_rod_that_contradicts_is_left_out(void **unused)
{
  (void)unused;
  /* b has its point with a, on the upright axis */
  assert_int_equal(shapes_with("constraint a^2 + b^2 = 2\nconstraint b^2 + c^2 = 2\n"), 3);
}

static void test_rods_in_space_are_lines_of_three_coordinates(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\ncoord x[1..2] = i, y[1..2] = 0, z[1..2] = 0\n"
                     "for i in 1..2 { kinetic (x[i]'^2 + y[i]'^2 + z[i]'^2)/2 }\n"
                     "constraint x[1]^2 + y[1]^2 + (z[1] - sin(t))^2 = 1\n"
                     "constraint sqrt((x[1] - x[2])^2 + (y[1] - y[2])^2 + (z[1] - z[2])^2) = 1\n");
  const char *const columns[] = {"x[1]", "y[1]", "z[1]", "x[2]", "y[2]", "z[2]"};
  for (int i = 0; i < 6; i++)
    set(&s, columns[i], 2.0 + i);
  s.t = 0.3;
  evaluate(&s);
  assert_true(s.drawing.guessed);
  assert_true(s.drawing.space);
  assert_int_equal(s.drawing.shapes, 4);
  assert_int_equal(s.drawing.values, 9); /* the points are those of the line */
  assert_shape(&s, 0, DAE_SHAPE_LINE, 3, NULL, (double[]){0, 0, sin(0.3), 2, 3, 4, 5, 6, 7});
  assert_shape(&s, 1, DAE_SHAPE_POINT, 1, NULL, (double[]){0, 0, sin(0.3)});
  assert_shape(&s, 3, DAE_SHAPE_POINT, 1, NULL, (double[]){5, 6, 7});
  scene_free(&s);
  /* a circle beside a rod in space is none of its rods */
  assert_int_equal(shapes_with("constraint a^2 + b^2 = 2\nconstraint b^2 + c^2 + d^2 = 3\n"), 3);
}

static void test_masses_called_x_y_and_z_are_points_in_space(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\ncoord x = 1, y = 2, z = 3, px, py, pz, q\n"
                     "kinetic (x'^2 + y'^2 + z'^2)/2 + px'^2 + py'^2 + 3*pz'^2 + q'^2\n");
  evaluate(&s);
  assert_true(s.drawing.space);
  assert_int_equal(s.drawing.shapes, 1); /* p has no mass of its own kind along z */
  assert_shape(&s, 0, DAE_SHAPE_POINT, 1, NULL, (double[]){1, 2, 3});
  scene_free(&s);
}

/* ---- points without rods ---- */

static void test_masses_called_x_and_y_are_points(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\ncoord x[1..2] = i, phi, y[1..2] = -i, bob_y = 5, bob_x = 4\n"
                     "kinetic 2*(x[1]'^2 + y[1]'^2) + 3*(x[2]'^2 + y[2]'^2)*(1 + x[2]^2)\n"
                     "kinetic phi'^2 + bob_x'^2 + bob_y'^2\n");
  evaluate(&s);
  assert_true(s.drawing.guessed);
  assert_int_equal(s.drawing.shapes, 3);
  ASSERT_POINT(&s, 0, 1, -1);
  ASSERT_POINT(&s, 1, 2, -2);
  ASSERT_POINT(&s, 2, 4, 5);
  scene_free(&s);
}

static void test_points_stand_beside_rods(void **unused)
{
  (void)unused;
  scene s = scene_of("model m\ncoord x1 = 1, y1 = 0, x2 = 3, y2 = 4\n"
                     "kinetic x1'^2 + y1'^2 + x2'^2 + y2'^2\nconstraint x1^2 + y1^2 = 1\n");
  evaluate(&s);
  assert_int_equal(s.drawing.shapes, 4);
  ASSERT_LINE(&s, 0, 0, 0, 1, 0);
  ASSERT_POINT(&s, 3, 3, 4);
  scene_free(&s);
}

static void test_other_pairs_are_no_points(void **unused)
{
  (void)unused;
  static const char *const models[] = {
      "model m\ncoord x, y\nkinetic x'^2 + 2*y'^2\n",
      "model m\ncoord x, y\nkinetic x'^2 + x'*y' + y'^2\n",
      "model m\ncoord x1, y2\nkinetic x1'^2 + y2'^2\n",
      "model m\ncoord x[1..2]\nkinetic x[1]'^2 + x[2]'^2\n",
      "model m\ncoord x[1..1], y[0..0]\nkinetic x[1]'^2 + y[0]'^2\n",
      "model m\nstate x, y\nx' = y\ny' = -x\n",
      "model m\nsystem A { coord x; kinetic x'^2 }; system B { coord y; kinetic y'^2 }\n"};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    scene s = scene_of(models[i]);
    if (s.drawing.shapes != 0)
      fail_msg("%s", models[i]);
    assert_false(s.drawing.guessed);
    scene_free(&s);
  }
}

/* ---- limits ---- */

static void test_no_model_is_refused_for_a_guess(void **unused)
{
  (void)unused;
  static const char text[] = "model m\n" POINT "constraint hypot(x - exp(sin(t)), y) = 1\n";
  char written[sizeof text + 20];
  int without = 0;
  snprintf(written, sizeof written, "%sdraw point (0, 0)\n", text);
  for (long limit = 20; limit < 400; limit++) {
    dae_model *model;
    dae_error err;
    if (parse(written, limit, &model, &err))
      continue;
    dae_model_free(model);
    if (parse(text, limit, &model, &err))
      fail_msg("%ld nodes: %s", limit, err.text);
    without += dae_model_drawing(model).shapes == 0;
    dae_model_free(model);
  }
  assert_true(without > 0 && without < 300); /* there is no room for the guess at first */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shapes_have_the_values_of_their_expressions),
      cmocka_unit_test(test_shapes_may_hold_whatever_outputs_may),
      cmocka_unit_test(test_loops_and_arrays_repeat_shapes),
      cmocka_unit_test(test_systems_draw_what_is_theirs_and_the_model_what_is_between),
      cmocka_unit_test(test_there_is_no_picture_where_a_value_is_not_finite),
      cmocka_unit_test(test_shapes_in_space_have_three_coordinates),
      cmocka_unit_test(test_wrong_pictures_are_refused_at_their_place),
      cmocka_unit_test(test_bodies_have_their_shapes_and_joints_their_symbols),
      cmocka_unit_test(test_shapes_are_drawn_on_bodies),
      cmocka_unit_test(test_plane_bodies_are_lines_and_circles),
      cmocka_unit_test(test_a_written_drawing_is_not_added_to),
      cmocka_unit_test(test_a_rod_is_known_however_it_is_written),
      cmocka_unit_test(test_a_pivot_may_move_and_a_rod_grow_with_time),
      cmocka_unit_test(test_rods_that_follow_each_other_are_one_line),
      cmocka_unit_test(test_a_chain_of_arrays_is_one_line),
      cmocka_unit_test(test_a_closed_chain_returns_to_its_point),
      cmocka_unit_test(test_a_joint_between_systems_is_a_rod),
      cmocka_unit_test(test_a_rod_may_end_on_a_cart),
      cmocka_unit_test(test_rods_with_a_pivot_say_which_coordinates_make_a_point),
      cmocka_unit_test(test_equal_masses_say_which_coordinates_make_a_point),
      cmocka_unit_test(test_what_is_not_a_distance_is_not_drawn),
      cmocka_unit_test(test_a_rod_that_contradicts_is_left_out),
      cmocka_unit_test(test_rods_in_space_are_lines_of_three_coordinates),
      cmocka_unit_test(test_masses_called_x_y_and_z_are_points_in_space),
      cmocka_unit_test(test_masses_called_x_and_y_are_points),
      cmocka_unit_test(test_points_stand_beside_rods),
      cmocka_unit_test(test_other_pairs_are_no_points),
      cmocka_unit_test(test_no_model_is_refused_for_a_guess)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
