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
  const dae_shape shapes[] = {{DAE_SHAPE_LINE, 2, 0, "rod"},
                              {DAE_SHAPE_CIRCLE, 1, 4, "bob"},
                              {DAE_SHAPE_POINT, 1, 9, NULL}};
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
  const dae_shape shape = {DAE_SHAPE_POINT, 1, 0, t};
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
  const dae_shape shape = {DAE_SHAPE_CIRCLE, 1, 0, NULL};
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

/* As where npm could not be had. */
static void fill_plain(dae_page *page)
{
  page->uplot = false;
  fill_every(page);
}

const page_maker page_makers[] = {
    {"every", fill_every}, {"plain", fill_plain}, {"hostile", fill_hostile},
    {"small", fill_small}, {"large", fill_large}, {"single", fill_single},
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
