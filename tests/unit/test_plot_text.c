/* Plots as text, read back character by character: dots where the numbers are, never a line too
 * long nor one too many. */
#include "counting_env.h"

#include <daedal/plot.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define WIDEST 220
#define HIGHEST 70

/* The text as characters, without what sets colours. */
typedef struct picture {
  char *text;
  int rows, length[HIGHEST];
  int at[HIGHEST][WIDEST];
} picture;

static picture pic;

static const unsigned char *read_character(const unsigned char *c, int *code)
{
  int more = *c < 0x80 ? 0 : *c < 0xe0 ? 1 : *c < 0xf0 ? 2 : 3;
  *code = more == 0 ? *c : *c & (0x3f >> more);
  for (int i = 0; i < more; i++)
    *code = *code << 6 | (*++c & 0x3f);
  return c + 1;
}

static void read_picture(const char *text)
{
  memset(pic.length, 0, sizeof pic.length);
  pic.rows = 0;
  for (const unsigned char *c = (const unsigned char *)text; *c;) {
    assert_in_range(pic.rows, 0, HIGHEST - 1);
    assert_in_range(pic.length[pic.rows], 0, WIDEST - 1);
    if (*c == '\n') {
      pic.rows++;
      c++;
    } else if (*c == '\033') {
      c = (const unsigned char *)strchr((const char *)c, 'm') + 1;
    } else {
      c = read_character(c, &pic.at[pic.rows][pic.length[pic.rows]++]);
    }
  }
}

/* The plot as text, within its terminal; until the next one. */
static const char *text_of(const dae_plot *plot, int columns, int rows, bool ascii, bool colour)
{
  dae_plot_terminal terminal = {columns, rows, ascii, colour};
  dae_error err;
  dae_plot_free(pic.text, NULL);
  pic.text = NULL;
  if (!plot)
    return NULL;
  if (dae_plot_text(plot, &terminal, NULL, &pic.text, &err) < 0)
    fail_msg("%s", err.text);
  read_picture(pic.text);
  assert_int_equal(pic.rows, rows);
  for (int i = 0; i < rows; i++)
    if (pic.length[i] > columns)
      fail_msg("line %d has %d characters, not %d:\n%s", i, pic.length[i], columns, pic.text);
  return pic.text;
}

static int forget(void **state)
{
  (void)state;
  text_of(NULL, 0, 0, false, false);
  return 0;
}

static dae_plot plot_of(const dae_curve *curves, int count)
{
  return (dae_plot){.x_label = "t", .curves = curves, .count = count};
}

/* Where the canvas is: between the axis of y and the floor. */
typedef struct canvas {
  int left, top, columns, rows;
} canvas;

static bool is_one_of(int code, bool ascii, const char *plain, int a, int b)
{
  return ascii ? code == plain[0] || code == plain[1] : code == a || code == b;
}

/* the lowest line that ends as a floor does, and the axis that stands on its corner */
static canvas find_canvas(bool ascii)
{
  int floor = pic.rows - 1, left = 0;
  for (; floor >= 0; floor--)
    if (pic.length[floor] > 0 &&
        is_one_of(pic.at[floor][pic.length[floor] - 1], ascii, "-+", 0x2500, 0x252c))
      break;
  if (floor < 0)
    fail_msg("there is no floor in\n%s", pic.text);
  while (pic.at[floor][left] == ' ')
    left++;
  int top = floor;
  while (top > 0 && pic.length[top - 1] > left &&
         is_one_of(pic.at[top - 1][left], ascii, "|+", 0x2502, 0x2524))
    top--;
  return (canvas){left + 1, top, pic.length[floor] - left - 1, floor - top};
}

/* whether the dot is set, counted from the left and the top of the canvas */
static bool has_dot(const canvas *c, int x, int y)
{
  static const int bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  int row = c->top + y / 4, column = c->left + x / 2;
  int code = column < pic.length[row] ? pic.at[row][column] : ' ';
  return code >= 0x2800 && code < 0x2900 && (code & bits[y % 4][x % 2]);
}

static void test_diagonal_is_set_dot_by_dot(void **state)
{
  (void)state;
  const double x[] = {0, 1};
  dae_curve curve = {"y", x, x, 2, DAE_CURVE_LINE};
  dae_plot plot = plot_of(&curve, 1);
  text_of(&plot, 60, 20, false, false);
  canvas c = find_canvas(false);
  assert_int_equal(c.left + c.columns, 60);
  int width = 2 * c.columns, height = 4 * c.rows;
  for (int i = 0; i < width; i++) {
    int set = 0;
    for (int k = 0; k < height; k++) {
      /* y runs from -0.05 to 1.05 */
      double line = (1 - ((i + 0.5) / width + 0.05) / 1.1) * height;
      if (has_dot(&c, i, k))
        set++, assert_true(fabs(k + 0.5 - line) < 1.5);
    }
    assert_int_equal(set, 1); /* it is less steep than the dots are */
  }
}

static void test_ascii_diagonal_is_this(void **state)
{
  (void)state;
  const double x[] = {0, 10}, y[] = {0, 5};
  dae_curve curve = {NULL, x, y, 2, DAE_CURVE_LINE};
  dae_plot plot = plot_of(&curve, 1);
  assert_string_equal(text_of(&plot, 20, 8, true, false), "5+                **\n"
                                                          " |            ****\n"
                                                          " |         ***\n"
                                                          " |      ***\n"
                                                          " |  ****\n"
                                                          "0+**\n"
                                                          " ++--------+-------+\n"
                                                          "  0        5      10\n");
}

static void test_circle_is_round(void **state)
{
  (void)state;
  double x[200], y[200];
  for (int i = 0; i < 200; i++) {
    x[i] = 3 * cos(0.04 * i);
    y[i] = 3 * sin(0.04 * i);
  }
  dae_curve curve = {"y", x, y, 200, DAE_CURVE_LINE};
  dae_plot plot = plot_of(&curve, 1);
  plot.equal = true;
  const int sizes[][2] = {{80, 24}, {40, 30}, {60, 12}};
  for (int i = 0; i < COUNT(sizes); i++) {
    text_of(&plot, sizes[i][0], sizes[i][1], false, false);
    canvas c = find_canvas(false);
    int left = 10000, right = 0, top = 10000, bottom = 0;
    for (int k = 0; k < 2 * c.columns; k++)
      for (int m = 0; m < 4 * c.rows; m++)
        if (has_dot(&c, k, m)) {
          left = k < left ? k : left, right = k > right ? k : right;
          top = m < top ? m : top, bottom = m > bottom ? m : bottom;
        }
    assert_in_range(right - left - (bottom - top) + 2, 0, 4);
    assert_true(right - left > 10);
  }
}

/* many plots in many sizes: text_of checks each line */
static void test_lines_fit_into_any_terminal(void **state)
{
  (void)state;
  const double values[] = {0, 1.5, -3e-9, 1e300, DBL_MAX, -DBL_MAX, 5e-324, 123456.789, -4.905};
  const char *const names[] = {"x", "a very long name of a variable, indeed",
                               "\xce\xbb(r\xc3\xb6t)"};
  for (int n = 0; n < COUNT(values); n++)
    for (int columns = 20; columns < 130; columns += 13)
      for (int rows = 6; rows < 40; rows += 3) {
        double x[] = {0, values[n], 2}, y[] = {values[n], 3, -values[n]};
        dae_curve curves[12];
        for (int i = 0; i < 12; i++)
          curves[i] = (dae_curve){names[(i + n) % 3], x, y, 3, (dae_curve_style)(i % 4)};
        dae_plot plot = plot_of(curves, 1 + n);
        plot.title = names[n % 3];
        plot.y_label = n % 2 ? names[1] : NULL;
        plot.y_log = n % 4 == 3;
        plot.equal = n % 4 == 1;
        text_of(&plot, columns, rows, columns % 2 == 0, rows % 2 == 0);
        canvas c = find_canvas(columns % 2 == 0);
        assert_int_equal(c.columns + c.left, columns);
        assert_true(c.columns >= 9 && c.rows >= 2);
      }
}

static void test_ascii_is_ascii_whatever_the_names_are(void **state)
{
  (void)state;
  const double x[] = {0, 1};
  dae_curve curves[] = {{"\xce\xbb", x, x, 2, DAE_CURVE_LINE},
                        {"b\x1b[2J", x, x, 2, DAE_CURVE_BOTH}};
  dae_plot plot = plot_of(curves, 2);
  plot.title = "\xe2\x80\x94 title \xff";
  for (const char *c = text_of(&plot, 60, 20, true, false); *c; c++)
    assert_true(*c == '\n' || (*c >= ' ' && *c < 0x7f));
  assert_non_null(strstr(pic.text, "*  ?   +  b?[2J\n"));
  assert_non_null(strstr(pic.text, "? title ?\n"));
  assert_null(strchr(text_of(&plot, 60, 20, false, false), '\033'));
}

static void test_colours_change_nothing_but_colours(void **state)
{
  (void)state;
  const double x[] = {0, 1, 2}, y[] = {0, 2, 1}, z[] = {1, 1, 0};
  dae_curve curves[] = {{"y", x, y, 3, DAE_CURVE_LINE}, {"z", x, z, 3, DAE_CURVE_LINE}};
  dae_plot plot = plot_of(curves, 1);
  static picture plain;
  text_of(&plot, 60, 20, false, false);
  memcpy(&plain, &pic, sizeof plain);
  text_of(&plot, 60, 20, false, true);
  for (int i = 0; i < 20; i++) {
    assert_int_equal(pic.length[i], plain.length[i]);
    assert_memory_equal(pic.at[i], plain.at[i], (size_t)pic.length[i] * sizeof(int));
  }
  plot.count = 2;
  text_of(&plot, 60, 20, false, true);
  assert_non_null(strstr(pic.text, "\033[38;5;32m\xe2\x94\x80\xe2\x94\x80 \033[0my"));
  assert_non_null(strstr(pic.text, "\033[38;5;166m\xe2\x94\x80\xe2\x94\x80 \033[0mz"));
  assert_true(strstr(strstr(pic.text, "z\n"), "\033[38;5;166m") != NULL);
}

static void test_letters_tell_curves_apart_without_colours(void **state)
{
  (void)state;
  const double x[] = {0, 1}, low[] = {1, 1}, high[] = {2, 2};
  dae_curve curves[] = {{"low", x, low, 2, DAE_CURVE_LINE}, {"high", x, high, 2, DAE_CURVE_LINE}};
  dae_plot plot = plot_of(curves, 2);
  assert_non_null(strstr(text_of(&plot, 60, 20, false, false), "a  low   b  high\n"));
  canvas c = find_canvas(false);
  int found[2] = {0, 0};
  for (int row = c.top; row < c.top + c.rows; row++)
    for (int column = c.left; column < pic.length[row]; column++)
      for (int i = 0; i < 2; i++)
        if (pic.at[row][column] == 'a' + i) {
          found[i]++;
          assert_true((row - c.top > c.rows / 2) == (i == 0));
        }
  assert_int_equal(found[0], 3);
  assert_int_equal(found[1], 3);
}

static void test_gaps_stay_empty(void **state)
{
  (void)state;
  const double x[] = {0, 1, 2, 3, 4}, y[] = {1, 1, NAN, 1, 1};
  dae_curve curve = {"y", x, y, 5, DAE_CURVE_LINE};
  dae_plot plot = plot_of(&curve, 1);
  text_of(&plot, 60, 20, false, false);
  canvas c = find_canvas(false);
  for (int i = 0; i < 2 * c.columns; i++) {
    int set = 0;
    for (int k = 0; k < 4 * c.rows; k++)
      set += has_dot(&c, i, k);
    double t = 4 * (i + 0.5) / (2 * c.columns);
    if (fabs(t - 1) > 0.05 && fabs(t - 3) > 0.05)
      assert_int_equal(set, t < 1 || t > 3);
  }
}

static void test_late_digits_are_said_in_the_name_of_the_axis(void **state)
{
  (void)state;
  const double x[] = {1000, 1000 + 1e-6}, y[] = {-4.905, -4.905 + 1e-8};
  dae_curve curve = {"energy", x, y, 2, DAE_CURVE_LINE};
  dae_plot plot = plot_of(&curve, 1);
  plot.y_label = "energy";
  text_of(&plot, 60, 20, false, false);
  assert_int_equal(strncmp(pic.text, "energy + 4.905\n", 15), 0);
  assert_non_null(strstr(pic.text, " t - 1000\n"));
  plot.x_label = plot.y_label = NULL; /* numbers would be wrong without: it is never left out */
  for (int rows = 6; rows < 24; rows++) {
    assert_non_null(strstr(text_of(&plot, 60, rows, false, false), "distance from -4.905\n"));
    assert_non_null(strstr(pic.text, " distance from 1000\n"));
  }
}

static void test_legend_tells_how_many_it_leaves_out(void **state)
{
  (void)state;
  const double x[] = {0, 1};
  char names[40][24];
  dae_curve curves[40];
  for (int i = 0; i < 40; i++) {
    snprintf(names[i], sizeof names[i], "variable%d", i);
    curves[i] = (dae_curve){names[i], x, x, 2, DAE_CURVE_LINE};
  }
  dae_plot plot = plot_of(curves, 40);
  const char *text = text_of(&plot, 80, 24, false, false), *more = strstr(text, "... and ");
  assert_non_null(more);
  int shown = 0;
  for (const char *c = strstr(text, "variable"); c; c = strstr(c + 1, "variable"))
    shown++;
  assert_int_equal(shown + atoi(more + 8), 40);
  assert_true(shown > 10);
}

static void test_nothing_to_show_is_said(void **state)
{
  (void)state;
  const double x[] = {1, 2}, y[] = {NAN, 0};
  dae_curve curve = {"none", x, y, 2, DAE_CURVE_LINE};
  dae_plot plot = plot_of(&curve, 1);
  plot.y_log = true;
  assert_non_null(strstr(text_of(&plot, 80, 24, false, false), "nothing to show"));
  plot.y_log = false;
  assert_null(strstr(text_of(&plot, 80, 24, false, false), "nothing to show"));
}

static void refused(const dae_plot *plot, dae_plot_terminal terminal, const char *because)
{
  char *text = NULL;
  dae_error err;
  assert_int_equal(dae_plot_text(plot, &terminal, NULL, &text, &err), DAE_ERROR_USAGE);
  assert_non_null(strstr(err.text, because));
  assert_null(text);
}

static void test_impossible_sizes_are_refused(void **state)
{
  (void)state;
  dae_plot plot = plot_of(NULL, 0);
  refused(&plot, (dae_plot_terminal){.columns = 19, .rows = 24}, "20 x 6");
  refused(&plot, (dae_plot_terminal){.columns = 80, .rows = 5}, "20 x 6");
  refused(&plot, (dae_plot_terminal){.columns = 80, .rows = 100000}, "10000");
  refused(NULL, (dae_plot_terminal){.columns = 80, .rows = 24}, "no plot");
  assert_int_equal(dae_plot_text(&plot, NULL, NULL, &(char *){NULL}, NULL), DAE_ERROR_USAGE);
}

static bool make(const dae_env *env)
{
  const double x[] = {0, 1};
  dae_curve curve = {"a", x, x, 2, DAE_CURVE_LINE};
  dae_plot plot = plot_of(&curve, 1);
  char *text = NULL;
  dae_plot_terminal terminal = {.columns = 80, .rows = 24};
  dae_status status = dae_plot_text(&plot, &terminal, env, &text, NULL);
  assert_true(status == (text ? DAE_OK : DAE_ERROR_MEMORY));
  dae_plot_free(text, env);
  return status == DAE_OK;
}

static void test_no_memory_is_a_clean_error(void **state)
{
  (void)state;
  assert_int_equal(counting_env_fault(make), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_diagonal_is_set_dot_by_dot),
      cmocka_unit_test(test_ascii_diagonal_is_this),
      cmocka_unit_test(test_circle_is_round),
      cmocka_unit_test(test_lines_fit_into_any_terminal),
      cmocka_unit_test(test_ascii_is_ascii_whatever_the_names_are),
      cmocka_unit_test(test_colours_change_nothing_but_colours),
      cmocka_unit_test(test_letters_tell_curves_apart_without_colours),
      cmocka_unit_test(test_gaps_stay_empty),
      cmocka_unit_test(test_late_digits_are_said_in_the_name_of_the_axis),
      cmocka_unit_test(test_legend_tells_how_many_it_leaves_out),
      cmocka_unit_test(test_nothing_to_show_is_said),
      cmocka_unit_test(test_impossible_sizes_are_refused),
      cmocka_unit_test(test_no_memory_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, forget);
}
