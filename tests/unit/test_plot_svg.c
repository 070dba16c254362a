/* Plots as SVG, read back: well-formed whatever they are made of, curves where their numbers are,
 * short however long the curves are. */
#include "counting_env.h"
#include "svg_reader.h"

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

#define MANY 1000000
#define COUNT(array) ((long)(sizeof(array) / sizeof *(array)))

static double many_x[MANY], many_y[MANY];
static svg_path path;

/* the plot as SVG, which is XML; until the next one */
static const char *svg_of(const dae_plot *plot, int width, int height)
{
  static char *text;
  dae_error err;
  dae_plot_free(text, NULL);
  text = NULL;
  if (!plot)
    return NULL;
  if (dae_plot_svg(plot, width, height, NULL, &text, &err) < 0)
    fail_msg("%s", err.text);
  const char *mistake = svg_mistake(text);
  if (mistake)
    fail_msg("not well-formed XML at: %.60s", mistake);
  assert_null(strstr(text, "nan"));
  assert_null(strstr(text, "inf"));
  return text;
}

static int forget(void **state)
{
  (void)state;
  svg_of(NULL, 0, 0);
  return 0;
}

static dae_plot plot_of(const dae_curve *curves, int count)
{
  return (dae_plot){.x_label = "t", .curves = curves, .count = count};
}

static int occurrences(const char *text, const char *word)
{
  int count = 0;
  for (text = strstr(text, word); text; text = strstr(text + 1, word))
    count++;
  return count;
}

static void test_curve_goes_through_its_points(void **state)
{
  (void)state;
  const double x[] = {0, 1, 2, 4}, y[] = {0, 10, -10, 5};
  dae_curve curve = {"y", x, y, 4, DAE_CURVE_LINE};
  dae_plot plot = plot_of(&curve, 1);
  svg_box box;
  const char *svg = svg_of(&plot, 640, 400);
  assert_true(svg_box_read(svg, &box) && svg_path_read(svg, "y", 0, &path));
  assert_int_equal(path.count, 4);
  for (int i = 0; i < 4; i++) { /* 5 % of -10 ... 10 above and below: -11 ... 11 */
    assert_true(fabs(path.at[i].x - (box.left + x[i] / 4 * (box.right - box.left))) < 0.11);
    assert_true(fabs(path.at[i].y - (box.bottom - (y[i] + 11) / 22 * (box.bottom - box.top))) <
                0.11);
    assert_true(path.at[i].draw == (i > 0));
  }
}

static void test_texts_of_others_are_escaped(void **state)
{
  (void)state;
  const double x[] = {0, 1};
  dae_curve curves[] = {{"<b>&\"'", x, x, 2, DAE_CURVE_LINE},
                        {"\x01\xff\xc3", x, x, 2, DAE_CURVE_LINE},
                        {"\xce\xbb(rod)", x, x, 2, DAE_CURVE_LINE}};
  dae_plot plot = plot_of(curves, 3);
  plot.title = "</text><script>alert(1)</script> & \"more\"\n]]>";
  plot.y_label = "<y>";
  const char *svg = svg_of(&plot, 900, 400);
  assert_null(strstr(svg, "<script"));
  assert_non_null(strstr(svg, "&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; "
                              "&quot;more&quot; ]]&gt;</text>"));
  assert_non_null(strstr(svg, ">&lt;b&gt;&amp;&quot;'</text>"));
  assert_non_null(strstr(svg, ">\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd</text>"));
  assert_non_null(strstr(svg, ">\xce\xbb(rod)</text>"));
  assert_non_null(strstr(svg, ">&lt;y&gt;</text>"));
}

static void test_million_points_are_few_bytes_and_keep_their_spikes(void **state)
{
  (void)state;
  const int spikes[] = {3, 123456, 500000, 999990};
  for (int i = 0; i < MANY; i++) {
    many_x[i] = 1e-5 * i;
    many_y[i] = sin(3000 * many_x[i]);
  }
  for (int i = 0; i < 4; i++)
    many_y[spikes[i]] = i % 2 ? 10 : -10;
  dae_curve curve = {"y", many_x, many_y, MANY, DAE_CURVE_LINE};
  dae_plot plot = plot_of(&curve, 1);
  svg_box box;
  const char *svg = svg_of(&plot, 1200, 500);
  assert_in_range(strlen(svg), 1000, 100000);
  assert_true(svg_box_read(svg, &box) && svg_path_read(svg, "y", 0, &path));
  assert_int_equal(path.pieces, 1);
  for (int i = 0; i < 4; i++) {
    double x = box.left + spikes[i] / (MANY - 1.0) * (box.right - box.left);
    double y = box.bottom - (i % 2 ? 21.0 : 1.0) / 22 * (box.bottom - box.top);
    int near = 0;
    for (int k = 0; k < path.count; k++)
      near += fabs(path.at[k].x - x) < 0.11 && fabs(path.at[k].y - y) < 0.11;
    assert_int_equal(near, 1);
  }
}

static void test_motion_to_and_fro_is_drawn_once(void **state)
{
  (void)state;
  for (int i = 0; i < MANY; i++) { /* 1500 times around */
    many_x[i] = cos(1e-2 * i);
    many_y[i] = sin(1e-2 * i);
  }
  dae_curve curve = {"y", many_x, many_y, MANY, DAE_CURVE_LINE};
  dae_plot plot = plot_of(&curve, 1);
  plot.equal = true;
  const char *svg = svg_of(&plot, 500, 500);
  assert_in_range(strlen(svg), 1000, 30000);
  assert_true(svg_path_read(svg, "y", 0, &path));
  bool seen[90] = {0};
  double x = (path.left + path.right) / 2, y = (path.top + path.bottom) / 2;
  double r = (path.right - path.left) / 2;
  assert_true(fabs(r - (path.bottom - path.top) / 2) < 1);
  for (int i = 0; i < path.count; i++) {
    double dx = path.at[i].x - x, dy = path.at[i].y - y;
    assert_true(fabs(hypot(dx, dy) - r) < 1);
    seen[(int)((atan2(dy, dx) / acos(-1) + 1) * 44.99)] = true;
  }
  for (int i = 0; i < 90; i++)
    assert_true(seen[i]);
}

static void test_gaps_part_the_line_and_single_points_are_dots(void **state)
{
  (void)state;
  const double x[] = {0, 1, 2, 3, 4, 5, 6, 7, NAN, 9, 10};
  const double y[] = {1, 2, NAN, 4, INFINITY, 6, 7, -INFINITY, 9, 10, 11};
  dae_curve curve = {"y", x, y, COUNT(x), DAE_CURVE_LINE};
  dae_plot plot = plot_of(&curve, 1);
  assert_true(svg_path_read(svg_of(&plot, 640, 400), "y", 0, &path));
  assert_int_equal(path.pieces, 4); /* 0 1, 3, 5 6, 9 10 */
  assert_int_equal(path.dots, 1);
  assert_int_equal(path.count, 7);
}

static void test_logarithmic_axis_has_gaps_where_values_are_not_positive(void **state)
{
  (void)state;
  const double x[] = {0, 1, 2, 3, 4, 5}, y[] = {1e-8, 1e-6, 0, 1e-4, 1e-2, -1};
  dae_curve curve = {"y", x, y, COUNT(x), DAE_CURVE_LINE};
  dae_plot plot = plot_of(&curve, 1);
  plot.y_log = true;
  const char *svg = svg_of(&plot, 640, 400);
  assert_true(svg_path_read(svg, "y", 0, &path));
  assert_int_equal(path.pieces, 2);
  assert_int_equal(path.count, 4);
  double decades = path.at[0].y - path.at[1].y;
  assert_true(fabs(path.at[1].y - path.at[2].y - decades) < 0.21);
  assert_true(fabs(path.at[2].y - path.at[3].y - decades) < 0.21);
  assert_non_null(strstr(svg, ">1e-6</text>"));
}

static void test_steps_hold_from_the_row_before(void **state)
{
  (void)state;
  const double x[] = {0, 1, 3}, y[] = {NAN, 1, 2};
  dae_curve curve = {"h", x, y, 3, DAE_CURVE_STEPS};
  dae_plot plot = plot_of(&curve, 1);
  assert_true(svg_path_read(svg_of(&plot, 640, 400), "h", 0, &path));
  assert_int_equal(path.count, 4); /* along 1, up, along 2 */
  assert_int_equal(path.pieces, 1);
  const svg_point *p = path.at;
  assert_true(p[0].y == p[1].y && p[1].x == p[2].x && p[2].y == p[3].y && p[2].y < p[1].y);
  assert_true(fabs((p[3].x - p[2].x) - 2 * (p[1].x - p[0].x)) < 0.31);
}

static void test_points_are_dots_alone_or_on_their_line(void **state)
{
  (void)state;
  const double x[] = {0, 1, NAN, 3}, y[] = {1, 2, 3, 4};
  dae_curve curves[] = {{"points", x, y, 4, DAE_CURVE_POINTS}, {"both", x, y, 4, DAE_CURVE_BOTH}};
  dae_plot plot = plot_of(curves, 2);
  const char *svg = svg_of(&plot, 640, 400);
  assert_true(svg_path_read(svg, "points", 0, &path));
  assert_true(path.count == 3 && path.dots == 3);
  assert_false(svg_path_read(svg, "points", 1, &path));
  assert_true(svg_path_read(svg, "both", 0, &path));
  assert_true(path.count == 3 && path.dots == 1);
  assert_true(svg_path_read(svg, "both", 1, &path));
  assert_true(path.count == 3 && path.dots == 3);
}

static void test_equal_units_are_equally_long(void **state)
{
  (void)state;
  const double x[] = {0, 1, 1, 0, 0}, y[] = {5, 5, 6, 6, 5};
  dae_curve curve = {"square", x, y, 5, DAE_CURVE_LINE};
  dae_plot plot = plot_of(&curve, 1);
  const int sizes[][2] = {{640, 200}, {200, 640}, {400, 400}};
  for (int i = 0; i < 3; i++) {
    plot.equal = true;
    assert_true(svg_path_read(svg_of(&plot, sizes[i][0], sizes[i][1]), "square", 0, &path));
    double width = path.right - path.left, height = path.bottom - path.top;
    assert_true(fabs(width - height) < 0.31 && width > 50);
    plot.equal = false;
    assert_true(svg_path_read(svg_of(&plot, sizes[i][0], sizes[i][1]), "square", 0, &path));
    assert_true(path.right - path.left > width + 10 || path.bottom - path.top > height + 10);
  }
}

static void test_any_numbers_stay_in_the_box(void **state)
{
  (void)state;
  const double values[] = {0,       5e-324,   -5e-324, 1e-300, 1e300,
                           DBL_MAX, -DBL_MAX, DBL_MIN, 1,      1 + DBL_EPSILON};
  long n = COUNT(values);
  for (long i = 0; i < n; i++)
    for (long k = 0; k < 2 * n; k++) {
      double x[] = {values[i], values[k / 2]}, y[] = {values[k / 2], values[i]};
      dae_curve curve = {"y", x, y, 2, DAE_CURVE_BOTH};
      dae_plot plot = plot_of(&curve, 1);
      plot.x_log = plot.y_log = k % 2 == 1;
      const char *svg = svg_of(&plot, 300, 200);
      svg_box box;
      assert_true(svg_box_read(svg, &box) && svg_path_read(svg, "y", 1, &path));
      if (path.count > 0)
        assert_true(path.left >= box.left - 0.11 && path.right <= box.right + 0.11 &&
                    path.top >= box.top - 0.11 && path.bottom <= box.bottom + 0.11);
    }
}

static void test_long_numbers_leave_a_box(void **state)
{
  (void)state;
  const double x[] = {-1.2345678e-200, -1.2345612e-200};
  dae_curve curve = {"energy", x, x, 2, DAE_CURVE_LINE};
  dae_plot plot = plot_of(&curve, 1);
  plot.y_label = "energy";
  svg_box box;
  assert_true(svg_box_read(svg_of(&plot, 160, 120), &box));
  assert_true(box.right - box.left >= 39.8 && box.bottom - box.top > 30);
}

static void test_late_digits_are_said_in_the_names_of_the_axes(void **state)
{
  (void)state;
  const double x[] = {1000, 1000 + 1e-6}, y[] = {-4.905, -4.905 + 1e-8};
  dae_curve curve = {"energy", x, y, 2, DAE_CURVE_LINE};
  dae_plot plot = {.curves = &curve, .count = 1};
  const char *svg = svg_of(&plot, 640, 400);
  svg_box box;
  assert_non_null(strstr(svg, ">distance from 1000</text>"));
  assert_non_null(strstr(svg, ">distance from -4.905</text>"));
  assert_true(svg_box_read(svg, &box) && box.bottom < 400 - 40); /* above numbers and name */
  plot.x_label = "t";
  plot.y_label = "energy";
  svg = svg_of(&plot, 640, 400);
  assert_non_null(strstr(svg, ">t - 1000</text>"));
  assert_non_null(strstr(svg, ">energy + 4.905</text>"));
}

static void test_empty_plots_say_so(void **state)
{
  (void)state;
  const double x[] = {1, 2}, y[] = {NAN, NAN};
  dae_curve curves[] = {{"none", x, y, 2, DAE_CURVE_LINE}, {NULL, NULL, NULL, 0, DAE_CURVE_LINE}};
  dae_plot plot = plot_of(curves, 2);
  assert_non_null(strstr(svg_of(&plot, 300, 200), ">nothing to show</text>"));
  plot.count = 0;
  assert_non_null(strstr(svg_of(&plot, 160, 120), ">nothing to show</text>"));
  curves[0].y = x;
  plot.count = 1;
  assert_null(strstr(svg_of(&plot, 300, 200), "nothing to show"));
}

static void test_legend_tells_how_many_it_leaves_out(void **state)
{
  (void)state;
  const double x[] = {0, 1};
  dae_curve curves[60];
  char names[60][32];
  for (int i = 0; i < 60; i++) {
    snprintf(names[i], sizeof names[i], "body%d.der(angle)", i);
    curves[i] = (dae_curve){names[i], x, x, 2, DAE_CURVE_LINE};
  }
  for (int count = 2; count <= 60; count += 29) {
    dae_plot plot = plot_of(curves, count);
    const char *svg = svg_of(&plot, 640, 400), *more = strstr(svg, "... and ");
    int shown = occurrences(svg, ".der(angle)</text>");
    assert_int_equal(shown + (more ? atoi(more + 8) : 0), count);
    assert_true(shown >= 2);
    assert_int_equal(occurrences(svg, ".der(angle)</title>"), count);
  }
  dae_plot plot = plot_of(curves, 1);
  plot.y_label = names[0]; /* the axis says it */
  assert_int_equal(occurrences(svg_of(&plot, 640, 400), ">body0.der(angle)</text>"), 1);
}

/* in a page with others: no ids, and no rule that reaches beyond the picture */
static void test_names_do_not_collide_with_those_of_a_page(void **state)
{
  (void)state;
  const double x[] = {0, 1};
  dae_curve curves[] = {{"a", x, x, 2, DAE_CURVE_BOTH}, {"b", x, x, 2, DAE_CURVE_STEPS}};
  dae_plot plot = plot_of(curves, 2);
  plot.title = "title";
  const char *svg = svg_of(&plot, 640, 400);
  assert_int_equal(occurrences(svg, " id="), 0);
  assert_int_equal(occurrences(svg, "class=\""), occurrences(svg, "class=\"daedal-"));
  char *style = strstr(svg, "<style>");
  assert_non_null(style);
  style = strdup(style + 7);
  *strstr(style, "</style>") = '\0';
  assert_int_equal(strncmp(style, "@media (prefers-color-scheme:dark){", 35), 0);
  assert_int_equal(occurrences(style, "{") - 1, occurrences(style, ".daedal-plot .daedal-"));
  assert_int_equal(occurrences(style, "daedal-c"), 7);
  free(style);
}

static void refused(const dae_plot *plot, int width, int height, const char *because)
{
  char *text = NULL;
  dae_error err;
  assert_int_equal(dae_plot_svg(plot, width, height, NULL, &text, &err), DAE_ERROR_USAGE);
  assert_non_null(strstr(err.text, because));
  assert_null(text);
}

static void test_what_is_not_a_plot_is_refused(void **state)
{
  (void)state;
  const double x[] = {0, 1};
  dae_curve curve = {"a", x, x, 2, DAE_CURVE_LINE};
  dae_plot plot = plot_of(&curve, 1);
  refused(&plot, 100, 400, "160 x 120");
  refused(&plot, 400, 20000, "10000 x 10000");
  refused(NULL, 640, 400, "no plot");
  plot.equal = plot.y_log = true;
  refused(&plot, 640, 400, "logarithmic");
  plot.equal = false;
  plot.count = -1;
  refused(&plot, 640, 400, "no plot");
  plot.count = 1;
  curve.y = NULL;
  refused(&plot, 640, 400, "no points");
  curve.y = x;
  curve.style = (dae_curve_style)9;
  refused(&plot, 640, 400, "style");
}

static bool make(const dae_env *env)
{
  const double x[] = {0, 1};
  dae_curve curve = {"a", x, x, 2, DAE_CURVE_LINE};
  dae_plot plot = plot_of(&curve, 1);
  char *text = NULL;
  dae_status status = dae_plot_svg(&plot, 640, 400, env, &text, NULL);
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
      cmocka_unit_test(test_curve_goes_through_its_points),
      cmocka_unit_test(test_texts_of_others_are_escaped),
      cmocka_unit_test(test_million_points_are_few_bytes_and_keep_their_spikes),
      cmocka_unit_test(test_motion_to_and_fro_is_drawn_once),
      cmocka_unit_test(test_gaps_part_the_line_and_single_points_are_dots),
      cmocka_unit_test(test_logarithmic_axis_has_gaps_where_values_are_not_positive),
      cmocka_unit_test(test_steps_hold_from_the_row_before),
      cmocka_unit_test(test_points_are_dots_alone_or_on_their_line),
      cmocka_unit_test(test_equal_units_are_equally_long),
      cmocka_unit_test(test_any_numbers_stay_in_the_box),
      cmocka_unit_test(test_long_numbers_leave_a_box),
      cmocka_unit_test(test_late_digits_are_said_in_the_names_of_the_axes),
      cmocka_unit_test(test_empty_plots_say_so),
      cmocka_unit_test(test_legend_tells_how_many_it_leaves_out),
      cmocka_unit_test(test_names_do_not_collide_with_those_of_a_page),
      cmocka_unit_test(test_what_is_not_a_plot_is_refused),
      cmocka_unit_test(test_no_memory_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, forget);
}
