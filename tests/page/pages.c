#include "page/pages.h"

#include "output/page/page.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

const char hostile_text[] = "</script><script>window.harm=1</script><img src=x onerror='harm()'> "
                            "<b>&amp; \"quoted\" 'text' -- --> ]]> \\u0022 \x01\x7f µ≤∞ 長い";

/* ------------------------------------------------------------------------------ every element */

enum { ROWS = 401, FEW = 12 };

/* A swing: time, angle, rate, place of the bob, energies, step sizes. */
typedef struct swing {
  double t[ROWS], angle[ROWS], rate[ROWS], x[ROWS], y[ROWS], drift[ROWS];
  double few_t[FEW], step[FEW];
  double frames[ROWS][11];
} swing;

static void fill_swing(swing *s)
{
  for (int k = 0; k < ROWS; k++) {
    double t = 0.02 * k;
    s->t[k] = t;
    s->angle[k] = 1.2 * cos(2.9 * t) * exp(-0.05 * t);
    s->rate[k] = -1.2 * 2.9 * sin(2.9 * t) * exp(-0.05 * t);
    s->x[k] = sin(s->angle[k]);
    s->y[k] = -cos(s->angle[k]);
    s->drift[k] = k == 0 ? 0.0 : 1e-12 * (1 + fabs(sin(40 * t))) * exp(0.3 * t);
    double place[] = {0, 0, s->x[k], s->y[k], s->x[k], s->y[k], 0.12, 0, 0, 0, 0};
    memcpy(s->frames[k], place, sizeof place);
  }
  for (int k = 0; k < FEW; k++) {
    s->few_t[k] = 8.0 * k / (FEW - 1);
    s->step[k] = 1e-3 * pow(1.8, k);
  }
}

static void add_texts(dae_page *page)
{
  dae_page_verdict(page, DAE_PAGE_GOOD, "The motion stays on its constraints.",
                   "Drift 3.1e-12 m at position level, 8.4e-12 m/s at velocity level.");
  dae_page_text(page, "A pendulum of 1 m, with friction, over 8 s.");
  dae_page_code(page, "Command", "daedal run pendulum.dae --report pendulum.html\n", false);
  dae_page_code(page, "pendulum.dae",
                "model pendulum\n  parameter L = 1\n  constraint rod: x^2 + y^2 = L^2\n", true);
  const char *const header[] = {"method", "order", "steps", "error", "note"};
  const char *const rows[][5] = {{"bdf", "5", "1,204", "3.1e-06", ""},
                                 {"radau", "9", "88", "-", "fewest steps"},
                                 {"spark-gauss", "4", "400", "1.2e-05", "fixed step"}};
  dae_page_table_begin(page, "Methods", COUNT(header), header);
  for (int i = 0; i < COUNT(rows); i++)
    dae_page_table_row(page, (dae_page_mood)i, rows[i]);
  dae_page_table_end(page);
  dae_page_verdict(page, DAE_PAGE_WARNING, "Energy is lost.", NULL);
  dae_page_verdict(page, DAE_PAGE_BAD, "The rod is too long.", "By 0.66 m.");
}

static void add_plots(dae_page *page, const swing *s)
{
  dae_curve states[] = {{"angle", s->t, s->angle, ROWS, DAE_CURVE_LINE},
                        {"rate", s->t, s->rate, ROWS, DAE_CURVE_LINE}};
  dae_page_plot(page, &(dae_plot){.title = "State",
                                  .x_label = "t",
                                  .y_label = "rad, rad/s",
                                  .curves = states,
                                  .count = COUNT(states)});
  dae_curve drift[] = {{"|g|", s->t, s->drift, ROWS, DAE_CURVE_LINE}};
  dae_page_plot(page, &(dae_plot){.title = "Drift",
                                  .x_label = "t",
                                  .y_label = "m",
                                  .y_log = true,
                                  .curves = drift,
                                  .count = COUNT(drift)});
  dae_curve steps[] = {{"step size", s->few_t, s->step, FEW, DAE_CURVE_STEPS},
                       {"tried", s->few_t, s->step, FEW, DAE_CURVE_POINTS},
                       {"angle / 10", s->t, s->angle, ROWS, DAE_CURVE_LINE}};
  dae_page_plot(page, &(dae_plot){.title = "Step size",
                                  .x_label = "t",
                                  .y_label = "s",
                                  .curves = steps,
                                  .count = COUNT(steps)});
  dae_curve way[] = {{"bob", s->x, s->y, ROWS, DAE_CURVE_LINE}};
  dae_page_plot(page, &(dae_plot){.title = "Way of the bob",
                                  .x_label = "x",
                                  .y_label = "y",
                                  .equal = true,
                                  .curves = way,
                                  .count = COUNT(way)});
  static double late[ROWS];
  for (int k = 0; k < ROWS; k++)
    late[k] = 2 + 1e-9 * s->rate[k];
  dae_curve energy[] = {{"energy", s->t, late, ROWS, DAE_CURVE_LINE}};
  dae_page_plot(page, &(dae_plot){.title = "Late digits",
                                  .x_label = "t",
                                  .y_label = "J",
                                  .curves = energy,
                                  .count = COUNT(energy)});
  static const double work[] = {1e2, 3e2, 9e2, 8e2, 4e3}, error[] = {1e-2, 1e-4, 1e-6, 0, 1e-11};
  dae_curve cost[] = {{"radau", work, error, COUNT(work), DAE_CURVE_BOTH}};
  dae_page_plot(page, &(dae_plot){.title = "Work and precision",
                                  .x_label = "evaluations",
                                  .y_label = "error",
                                  .x_log = true,
                                  .y_log = true,
                                  .curves = cost,
                                  .count = COUNT(cost)});
}

/* More than a legend shows at first. */
static void add_many(dae_page *page, const swing *s)
{
  static double values[20][ROWS];
  static char names[20][8];
  dae_curve curves[20];
  for (int i = 0; i < 20; i++) {
    for (int k = 0; k < ROWS; k++)
      values[i][k] = s->angle[k] * (1 + 0.1 * i);
    strcpy(names[i], "x[00]");
    names[i][2] = (char)('0' + i / 10);
    names[i][3] = (char)('0' + i % 10);
    curves[i] = (dae_curve){names[i], s->t, values[i], ROWS, DAE_CURVE_LINE};
  }
  dae_page_plot(page, &(dae_plot){.title = "Many", .x_label = "t", .curves = curves, .count = 20});
}

static void add_matrices(dae_page *page)
{
  static const int start[] = {0, 3, 6, 8, 10, 12}, row[] = {0, 2, 4, 1, 3, 4, 0, 2, 1, 3, 0, 1};
  const dae_pattern small = {5, 5, start, row};
  dae_page_sparsity(page, &small, 3, (const int[]){2, 2, 1}, (const char *const[]){"q", "v", "λ"});
  enum { N = 20000 };
  static int many_start[N + 1], many_row[3 * N];
  int entries = 0;
  for (int c = 0; c < N; c++) {
    many_row[entries++] = c;
    if (c + 2 < N)
      many_row[entries++] = c + 2;
    if (c + N / 2 < N)
      many_row[entries++] = c + N / 2;
    many_start[c + 1] = entries;
  }
  const dae_pattern large = {N, N, many_start, many_row};
  dae_page_sparsity(page, &large, 2, (const int[]){N / 2, N / 2},
                    (const char *const[]){"chain", "multipliers"});
}

static void fill_every(dae_page *page)
{
  static swing s;
  fill_swing(&s);
  dae_page_heading(page, "Result");
  add_texts(page);
  dae_page_heading(page, "Motion");
  const dae_shape shapes[] = {{.kind = DAE_SHAPE_LINE, .points = 2, .first = 0, .label = "rod"},
                              {.kind = DAE_SHAPE_CIRCLE, .points = 1, .first = 4, .label = "bob"},
                              {.kind = DAE_SHAPE_POINT, .points = 1, .first = 9, .label = NULL}};
  const dae_drawing drawing = {.shapes = COUNT(shapes), .shape = shapes, .values = 11};
  dae_page_motion(page, &drawing, s.t, s.frames[0], ROWS);
  dae_page_heading(page, "Plots");
  dae_page_subheading(page, "Over time");
  add_plots(page, &s);
  add_many(page, &s);
  dae_page_heading(page, "Phase plane");
  const char *const names[] = {"t", "angle", "rate", "x", "y"};
  const double *const values[] = {s.t, s.angle, s.rate, s.x, s.y};
  const dae_page_data data = {"swing.csv", COUNT(names),       names, values, ROWS,
                              false,       "Every second row."};
  dae_page_phase(page, &data, 1, 2);
  dae_page_heading(page, "Matrix");
  add_matrices(page);
  dae_page_heading(page, "Data");
  dae_page_download(page, &data);
}

/* --------------------------------------------------------------------------------- hostile */

static void fill_hostile(dae_page *page)
{
  const char *t = hostile_text;
  dae_page_heading(page, t);
  dae_page_heading(page, t);
  dae_page_subheading(page, t);
  dae_page_text(page, t);
  dae_page_verdict(page, DAE_PAGE_BAD, t, t);
  dae_page_code(page, t, t, false);
  dae_page_code(page, t, t, true);
  dae_page_table_begin(page, t, 2, (const char *const[]){t, t});
  dae_page_table_row(page, DAE_PAGE_PLAIN, (const char *const[]){t, t});
  dae_page_table_end(page);
  const double x[] = {0, 1, 2}, y[] = {2, 1, 3};
  const dae_curve curve = {t, x, y, 3, DAE_CURVE_LINE};
  dae_page_plot(page,
                &(dae_plot){.title = t, .x_label = t, .y_label = t, .curves = &curve, .count = 1});
  const dae_page_data data = {
      t, 2, (const char *const[]){t, t}, (const double *const[]){x, y}, 3, false, t};
  dae_page_download(page, &data);
  dae_page_phase(page, &data, 0, 1);
  const dae_shape shape = {.kind = DAE_SHAPE_POINT, .points = 1, .first = 0, .label = t};
  const dae_drawing drawing = {.shapes = 1, .shape = &shape, .values = 2, .guessed = true};
  dae_page_motion(page, &drawing, x, (const double[]){0, 0, 1, 1, 2, 2}, 3);
  const dae_pattern pattern = {1, 1, (const int[]){0, 1}, (const int[]){0}};
  dae_page_sparsity(page, &pattern, 1, (const int[]){1}, (const char *const[]){t});
}

/* ---------------------------------------------------------------------------------- hardly any */

static void fill_small(dae_page *page)
{
  const double one[] = {1.5}, nothing[] = {NAN, INFINITY, -INFINITY, -1};
  const double huge[] = {-DBL_MAX, DBL_MAX, DBL_MIN, -0.0}, four[] = {0, 1, 2, 3};
  dae_page_heading(page, "Small");
  dae_page_text(page, "");
  dae_page_table_begin(page, NULL, 2, (const char *const[]){"a", "b"});
  dae_page_table_end(page);
  dae_page_plot(page, &(dae_plot){.title = "no curves"});
  dae_page_plot(page, &(dae_plot){.title = "no points",
                                  .x_label = "t",
                                  .count = 1,
                                  .curves = &(dae_curve){"none", one, one, 0, DAE_CURVE_LINE}});
  dae_page_plot(page, &(dae_plot){.title = "one point",
                                  .x_label = "t",
                                  .count = 1,
                                  .curves = &(dae_curve){"one", one, one, 1, DAE_CURVE_LINE}});
  dae_page_plot(page, &(dae_plot){.title = "only gaps",
                                  .x_label = "t",
                                  .y_log = true,
                                  .count = 1,
                                  .curves = &(dae_curve){NULL, four, nothing, 4, DAE_CURVE_STEPS}});
  dae_page_plot(page,
                &(dae_plot){.title = "logarithms of nothing",
                            .x_log = true,
                            .count = 1,
                            .curves = &(dae_curve){"y", nothing, nothing, 4, DAE_CURVE_BOTH}});
  dae_page_plot(page, &(dae_plot){.title = "huge",
                                  .count = 1,
                                  .curves = &(dae_curve){"y", four, huge, 4, DAE_CURVE_LINE}});
  const dae_page_data data = {"small.csv",
                              3,
                              (const char *const[]){"t", "a,b", "\"c\""},
                              (const double *const[]){four, nothing, huge},
                              4,
                              false,
                              NULL};
  dae_page_download(page, &data);
  dae_page_phase(page, &data, 0, 2);
  const dae_page_data empty = {
      "empty.csv", 1, (const char *const[]){"t"}, (const double *const[]){four}, 0, true, NULL};
  dae_page_download(page, &empty);
  dae_page_phase(page, &empty, 0, 0);
  const dae_shape shape = {.kind = DAE_SHAPE_CIRCLE, .points = 1, .first = 0, .label = NULL};
  const dae_drawing drawing = {.shapes = 1, .shape = &shape, .values = 3};
  dae_page_motion(page, &drawing, one, (const double[]){1, 1, NAN}, 1);
  const dae_pattern pattern = {2, 3, (const int[]){0, 0, 0, 0}, (const int[]){0}};
  dae_page_sparsity(page, &pattern, 0, NULL, NULL);
}

/* --------------------------------------------------------------------------------------- large */

double large_value(int column, long row)
{
  double t = 1e-3 * (double)row;
  return column == 0 ? t : sin((1 + 0.37 * column) * t) / 3 * pow(10.0, column - 5);
}

static void fill_large(dae_page *page)
{
  static double values[LARGE_COLUMNS][LARGE_ROWS];
  const char *const names[LARGE_COLUMNS] = {"t", "x", "y", "z", "u", "v", "w", "a", "b", "c"};
  const double *columns[LARGE_COLUMNS];
  dae_curve curves[LARGE_COLUMNS];
  for (int i = 0; i < LARGE_COLUMNS; i++) {
    for (long k = 0; k < LARGE_ROWS; k++)
      values[i][k] = large_value(i, k);
    columns[i] = values[i];
    curves[i] = (dae_curve){names[i], values[0], values[i], LARGE_ROWS, DAE_CURVE_LINE};
  }
  dae_page_data data = {"large.csv", LARGE_COLUMNS, names, columns, LARGE_ROWS, false, NULL};
  dae_page_heading(page, "Plots");
  for (int i = 1; i < LARGE_COLUMNS; i++)
    dae_page_plot(page,
                  &(dae_plot){.title = names[i], .x_label = "t", .curves = &curves[i], .count = 1});
  dae_page_heading(page, "Data");
  dae_page_phase(page, &data, 1, 2);
  dae_page_download(page, &data);
}

static void fill_single(dae_page *page)
{
  static double values[2][LARGE_ROWS];
  for (long k = 0; k < LARGE_ROWS; k++) {
    values[0][k] = large_value(0, k);
    values[1][k] = large_value(3, k);
  }
  dae_page_download(page, &(dae_page_data){"single.csv", 2, (const char *const[]){"t", "z"},
                                           (const double *const[]){values[0], values[1]},
                                           LARGE_ROWS, true, NULL});
}

/* ------------------------------------------------------------------------------------ space */

enum { SPACE_FRAMES = 121, SPACE_VALUES = 51 };

/* Euler parameters of a turn about a coordinate axis. */
static void turn(double *e, int axis, double angle)
{
  e[0] = cos(angle / 2);
  e[1] = e[2] = e[3] = 0;
  e[1 + axis] = sin(angle / 2);
}

/* A two-link arm that turns about the vertical, a wheel, a ball on a spring: every kind of shape.
 */
static void fill_space_frame(double t, double *v)
{
  double a = 0.6 * sin(1.5 * t), b = 0.9 * cos(2 * t);
  double elbow[3] = {0.6 * sin(a), 0, 0.2 + 0.6 * cos(a)};
  double hand[3] = {elbow[0] + 0.5 * sin(a + b), 0, elbow[2] + 0.5 * cos(a + b)};
  double *base = v, *upper = v + 7, *fore = v + 14, *wheel = v + 21, *line = v + 28;
  double *spring = v + 34, *ball = v + 40, *ring = v + 44;
  base[0] = base[1] = 0, base[2] = 0.1;
  turn(base + 3, 2, 0.8 * t);
  upper[0] = elbow[0] / 2, upper[1] = 0, upper[2] = (0.2 + elbow[2]) / 2;
  turn(upper + 3, 1, a);
  fore[0] = (elbow[0] + hand[0]) / 2, fore[1] = 0, fore[2] = (elbow[2] + hand[2]) / 2;
  turn(fore + 3, 1, a + b);
  wheel[0] = -0.9 + 0.2 * t, wheel[1] = 0.7, wheel[2] = 0.2;
  turn(wheel + 3, 1, t);
  for (int k = 0; k < 4; k++)
    wheel[3 + k] *= 3; /* of any length */
  memcpy(line, elbow, sizeof elbow);
  memcpy(line + 3, hand, sizeof hand);
  const double hook[3] = {0.8, -0.6, 1.2}, end[3] = {0.8, -0.6, 0.5 + 0.2 * cos(4 * t)};
  memcpy(spring, hook, sizeof hook);
  memcpy(spring + 3, end, sizeof end);
  memcpy(ball, end, sizeof end);
  ball[3] = 0.1;
  memcpy(ring, hook, sizeof hook);
  ring[3] = 0.15;
  ring[4] = ring[5] = 0, ring[6] = 2;
}

static void fill_space(dae_page *page)
{
  static double times[SPACE_FRAMES], values[SPACE_FRAMES][SPACE_VALUES];
  const double down[3] = {0, 0, -0.3}, down2[3] = {0, 0, -0.25};
  dae_shape shapes[] = {
      {.kind = DAE_SHAPE_CYLINDER, .points = 1, .size = {0.18, 0.2}, .group = 12},
      {.kind = DAE_SHAPE_BOX,
       .points = 1,
       .first = 7,
       .size = {0.1, 0.14, 0.6},
       .group = 1,
       .label = "upper arm"},
      {.kind = DAE_SHAPE_BOX,
       .points = 1,
       .first = 14,
       .size = {0.08, 0.08, 0.5},
       .group = 2,
       .label = "fore arm"},
      {.kind = DAE_SHAPE_CYLINDER,
       .points = 1,
       .first = 21,
       .size = {0.2, 0.06},
       .turn = {1, 1, 0, 0},
       .group = 3},
      {.kind = DAE_SHAPE_BOX, .points = 1, .first = 21, .size = {0.36, 0.07, 0.03}, .group = 6},
      {.kind = DAE_SHAPE_LINE, .points = 2, .first = 28},
      {.kind = DAE_SHAPE_SPRING, .points = 2, .first = 34},
      {.kind = DAE_SHAPE_SPHERE, .points = 1, .first = 40, .label = "ball"},
      {.kind = DAE_SHAPE_CIRCLE, .points = 1, .first = 44},
      {.kind = DAE_SHAPE_POINT, .points = 1, .first = 31, .label = "hand"},
      {.kind = DAE_SHAPE_ELLIPSOID,
       .points = 1,
       .first = 14,
       .size = {0.09, 0.06, 0.12},
       .place = {0, 0, 0.3},
       .group = 4},
      {.kind = DAE_SHAPE_HINGE, .points = 1, .first = 7, .turn = {1, 1, 0, 0}, .size = {0.2}},
      {.kind = DAE_SHAPE_HINGE, .points = 1, .first = 14, .turn = {1, 1, 0, 0}},
      {.kind = DAE_SHAPE_BALL, .points = 1, .first = 14, .place = {0, 0, 0.25}},
      {.kind = DAE_SHAPE_SLIDER, .points = 1, .first = 21}};
  memcpy(shapes[11].place, down, sizeof down);
  memcpy(shapes[12].place, down2, sizeof down2);
  for (int k = 0; k < SPACE_FRAMES; k++) {
    times[k] = 4.0 * k / (SPACE_FRAMES - 1);
    fill_space_frame(times[k], values[k]);
  }
  const dae_drawing drawing = {
      .shapes = COUNT(shapes), .shape = shapes, .values = SPACE_VALUES, .space = true};
  dae_page_heading(page, "Motion");
  dae_page_motion(page, &drawing, times, values[0], SPACE_FRAMES);
}

/* A thousand bodies with a hinge each, above a plane that is square to y, seen by a camera. */
static void fill_crowd(dae_page *page)
{
  enum { BODIES = 1000, FRAMES = 40 };
  static double times[FRAMES], values[FRAMES][BODIES][7];
  static dae_shape shapes[2 * BODIES];
  static const dae_shape_kind kinds[] = {DAE_SHAPE_BOX, DAE_SHAPE_CYLINDER, DAE_SHAPE_ELLIPSOID};
  for (int i = 0; i < BODIES; i++) {
    shapes[2 * i] = (dae_shape){.kind = kinds[i % 3],
                                .points = 1,
                                .first = 7 * i,
                                .size = {0.3, 0.6, 0.4},
                                .group = 1 + i % 12};
    shapes[2 * i + 1] = (dae_shape){
        .kind = DAE_SHAPE_HINGE, .points = 1, .first = 7 * i, .size = {0.2}, .place = {0, 0, 0.4}};
    for (int k = 0; k < FRAMES; k++) {
      double *v = values[k][i], a = 0.1 * i + 0.05 * k, r = 2 + 0.012 * i;
      times[k] = 0.1 * k;
      v[0] = r * cos(a), v[1] = 1 + 0.01 * i + sin(0.2 * k + 0.05 * i), v[2] = r * sin(a);
      turn(v + 3, i % 3, a);
    }
  }
  const dae_drawing drawing = {.shapes = COUNT(shapes),
                               .shape = shapes,
                               .values = 7 * BODIES,
                               .space = true,
                               .camera = {{20, 15, 30}, {0, 4, 0}, {0, 1, 0}}};
  dae_page_heading(page, "Motion");
  dae_page_motion(page, &drawing, times, values[0][0], FRAMES);
}

/* Two balls of radius 1 at x = -2 and 2, which do not move. */
static void fill_balls(dae_page *page)
{
  const dae_shape shapes[] = {{.kind = DAE_SHAPE_SPHERE, .points = 1, .label = "left"},
                              {.kind = DAE_SHAPE_SPHERE, .points = 1, .first = 4}};
  const dae_drawing drawing = {
      .shapes = COUNT(shapes), .shape = shapes, .values = 8, .space = true};
  const double times[] = {0, 1}, values[] = {-2, 0, 0, 1, 2, 0, 0, 1, -2, 0, 0, 1, 2, 0, 0, 1};
  dae_page_motion(page, &drawing, times, values, 2);
}

/* A ball that travels out of every picture of its start. */
static void fill_travel(dae_page *page)
{
  const dae_shape ball = {.kind = DAE_SHAPE_SPHERE, .points = 1};
  const dae_drawing drawing = {.shapes = 1, .shape = &ball, .values = 4, .space = true};
  const double times[] = {0, 1}, values[] = {0, 0, 1, 1, 20, 0, 1, 1};
  dae_page_motion(page, &drawing, times, values, 2);
}

/* As where npm could not be had. */
static void fill_plain(dae_page *page)
{
  page->uplot = false;
  fill_every(page);
}

const page_maker page_makers[] = {{"every", fill_every},
                                  {"plain", fill_plain},
                                  {"hostile", fill_hostile},
                                  {"small", fill_small},
                                  {"space", fill_space},
                                  {"crowd", fill_crowd},
                                  {"balls", fill_balls},
                                  {"travel", fill_travel},
                                  {"large", fill_large},
                                  {"single", fill_single},
                                  {NULL, NULL}};

dae_status make_page(const page_maker *maker, const char *path, const dae_env *env, dae_error *err)
{
  dae_page *page;
  const char *title = maker->fill == fill_hostile ? hostile_text : maker->name;
  dae_status status = dae_page_create(path, title, env, &page, err);
  if (status != DAE_OK)
    return status;
  maker->fill(page);
  return dae_page_close(page, err);
}
