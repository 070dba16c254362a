/* Pages as files: what stands in them, and what becomes of failures. test_page.mjs looks at them in
 * a browser. */
#include "counting_env.h"
#include "output/page/page.h"
#include "page/pages.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PATH "test_page_file.tmp.html"

/* what stands in the file; the caller frees it */
static char *content(void)
{
  FILE *file = fopen(PATH, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  long length = ftell(file);
  rewind(file);
  char *text = calloc(1, (size_t)length + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, (size_t)length, file), length);
  fclose(file);
  remove(PATH);
  return text;
}

static dae_page *open_page(void)
{
  dae_page *page;
  assert_int_equal(dae_page_create(PATH, "test", NULL, &page, NULL), DAE_OK);
  return page;
}

/* the text of the page, which must have been written */
static char *close_page(dae_page *page)
{
  dae_error err = dae_error_none();
  if (dae_page_close(page, &err) != DAE_OK)
    fail_msg("%s", err.text);
  return content();
}

static int count(const char *text, const char *part)
{
  int n = 0;
  for (; (text = strstr(text, part)); text += strlen(part))
    n++;
  return n;
}

/* ------------------------------------------------------------------------------------- arrays */

static int digit(char c)
{
  const char *const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = strchr(digits, c);
  assert_non_null(at);
  return (int)(at - digits);
}

/* The bytes of array `id`, of the type given; returns how many. */
static size_t decode(const char *text, int id, const char *type, unsigned char *bytes)
{
  char start[64];
  snprintf(start, sizeof start, "id=\"a%d\" data-type=\"%s\">", id, type);
  const char *at = strstr(text, start);
  assert_non_null(at);
  at += strlen(start);
  size_t n = 0;
  for (; *at != '<'; at += 4) {
    int padding = (at[2] == '=') + (at[3] == '=');
    unsigned group = (unsigned)(digit(at[0]) << 18 | digit(at[1]) << 12);
    group |= padding < 2 ? (unsigned)digit(at[2]) << 6 : 0;
    group |= padding < 1 ? (unsigned)digit(at[3]) : 0;
    for (int i = 0; i < 3 - padding; i++)
      bytes[n++] = (unsigned char)(group >> (16 - 8 * i) & 0xff);
  }
  return n;
}

/* Little-endian, whatever this machine is. */
static uint64_t number(const unsigned char *bytes, int size)
{
  uint64_t value = 0;
  for (int i = 0; i < size; i++)
    value |= (uint64_t)bytes[i] << 8 * i;
  return value;
}

static void add_data(dae_page *page, bool single, int columns, const double *const *values,
                     long rows)
{
  const char *const names[] = {"a", "b", "c"};
  dae_page_download(page, &(dae_page_data){"data.csv", columns, names, values, rows, single, NULL});
}

static void test_numbers_are_kept_to_the_last_bit(void **state)
{
  (void)state;
  /* lengths of every remainder in base64, and more than one buffer of it */
  for (long rows = 0; rows <= 2000; rows = rows < 4 ? rows + 1 : rows * 7) {
    double values[2000] = {NAN, -0.0, INFINITY, -DBL_MAX};
    for (long k = 4; k < rows; k++)
      values[k] = sin((double)k) * pow(10.0, (double)(k % 600) - 300.0);
    dae_page *page = open_page();
    add_data(page, false, 1, (const double *const[]){values}, rows);
    char *text = close_page(page);
    unsigned char bytes[8 * 2000];
    assert_int_equal(decode(text, 0, "f8", bytes), 8 * rows);
    for (long k = 0; k < rows; k++) {
      uint64_t bits = number(bytes + 8 * k, 8);
      assert_memory_equal(&bits, &values[k], 8);
    }
    free(text);
  }
}

static void test_an_array_is_written_once(void **state)
{
  (void)state;
  double t[100], copy[100], x[100];
  for (int k = 0; k < 100; k++) {
    t[k] = copy[k] = 0.1 * k;
    x[k] = cos(t[k]);
  }
  dae_page *page = open_page();
  dae_curve curves[] = {{"x", t, x, 100, DAE_CURVE_LINE}, {"less", copy, x, 99, DAE_CURVE_LINE}};
  dae_page_plot(page, &(dae_plot){.curves = curves, .count = 1});
  dae_page_plot(page, &(dae_plot){.curves = curves, .count = 1});
  add_data(page, false, 2, (const double *const[]){copy, x}, 100);
  dae_page_plot(page, &(dae_plot){.curves = curves + 1, .count = 1}); /* another length */
  copy[99] = nextafter(copy[99], 100.0);
  add_data(page, false, 1, (const double *const[]){copy}, 100); /* another bit */
  char *text = close_page(page);
  assert_int_equal(count(text, "data-type=\"f8\""), 5);
  assert_int_equal(count(text, "\"x\":0,\"y\":1}"), 2);
  assert_non_null(strstr(text, "{\"name\":\"a\",\"array\":0},{\"name\":\"b\",\"array\":1}"));
  free(text);
}

static void test_single_is_half_the_size_unless_digits_would_be_lost(void **state)
{
  (void)state;
  const double plain[] = {0.1, -3e30, NAN, 0.0}, wide[] = {1e300, 1}, tiny[] = {1e-300, 1};
  const double *const values[] = {plain, wide, tiny};
  dae_page *page = open_page();
  add_data(page, true, 1, &values[0], 4);
  add_data(page, true, 2, &values[1], 2);
  add_data(page, false, 1, &values[0], 4); /* now in full: written again */
  add_data(page, true, 1, &values[0], 4);
  char *text = close_page(page);
  unsigned char bytes[64];
  assert_int_equal(decode(text, 0, "f4", bytes), 16);
  for (int k = 0; k < 4; k++) {
    uint32_t bits = (uint32_t)number(bytes + 4 * k, 4);
    float single;
    memcpy(&single, &bits, 4);
    assert_true(k == 2 ? isnan(single) : fabs(single - plain[k]) <= 1e-7 * fabs(plain[k]));
  }
  assert_int_equal(decode(text, 1, "f8", bytes), 16);
  assert_int_equal(decode(text, 2, "f8", bytes), 16);
  assert_int_equal(decode(text, 3, "f8", bytes), 32);
  assert_int_equal(count(text, "data-type="), 4);
  free(text);
}

static void test_a_plot_takes_numbers_as_the_page_has_them(void **state)
{
  (void)state;
  const double x[] = {0, 1, 2}, y[] = {0.1, 0.2, 0.3};
  dae_page *page = open_page();
  add_data(page, true, 2, (const double *const[]){x, y}, 3);
  dae_curve curve = {"y", x, y, 3, DAE_CURVE_LINE};
  dae_page_plot(page, &(dae_plot){.curves = &curve, .count = 1});
  char *text = close_page(page);
  assert_int_equal(count(text, "data-type=\"f4\""), 2);
  assert_int_equal(count(text, "data-type=\"f8\""), 0);
  free(text);
}

static void test_positions_of_a_motion_are_fine_and_may_be_missing(void **state)
{
  (void)state;
  enum { FRAMES = 50, VALUES = 5 };
  double t[FRAMES], values[FRAMES * VALUES];
  for (int k = 0; k < FRAMES; k++) {
    double frame[VALUES] = {sin(k), 100 + 3 * cos(k), 0.01 * k, -5 + sin(2 * k), 0.5};
    t[k] = k;
    memcpy(values + VALUES * k, frame, sizeof frame);
  }
  values[VALUES * 7] = NAN;
  const dae_shape shapes[] = {{.kind = DAE_SHAPE_POINT, .points = 1, .first = 0, .label = "a"},
                              {.kind = DAE_SHAPE_CIRCLE, .points = 1, .first = 2, .label = NULL}};
  const dae_drawing drawing = {.shapes = 2, .shape = shapes, .values = VALUES};
  dae_page *page = open_page();
  dae_page_motion(page, &drawing, t, values, FRAMES);
  char *text = close_page(page);
  double range[10];
  const char *at = strstr(text, "\"scales\":[");
  assert_non_null(at);
  assert_int_equal(sscanf(at, "\"scales\":[[%lf,%lf],[%lf,%lf],[%*d,%*d],[%lf,%lf]", &range[0],
                          &range[1], &range[2], &range[3], &range[4], &range[5]),
                   6);
  assert_non_null(strstr(text, "\"roles\":\"01013\""));
  unsigned char bytes[2 * FRAMES * VALUES];
  assert_int_equal(decode(text, 1, "u2", bytes), sizeof bytes);
  for (int k = 0; k < FRAMES * VALUES; k++) {
    const double *r = range + (const int[]){0, 2, 0, 2, 4}[k % VALUES];
    unsigned step = (unsigned)number(bytes + 2 * k, 2);
    double value = r[0] + (r[1] - r[0]) * step / 65534.0;
    assert_true(isnan(values[k]) ? step == 65535
                                 : fabs(value - values[k]) <= (r[1] - r[0]) / 65534);
  }
  free(text);
}

/* Shapes of a body share its pose; a value that is a coordinate of one shape and a radius of
 * another is written for each. */
static void test_shapes_in_space_share_values_of_the_same_role(void **state)
{
  (void)state;
  enum { VALUES = 9 };
  const double t[] = {0, 1},
               values[2][VALUES] = {{1, 2, 3, 1, 0, 0, 0, 4, 5}, {2, 3, 4, 0, 0, 2, 0, 5, 6}};
  const dae_shape shapes[] = {
      {.kind = DAE_SHAPE_BOX, .points = 1, .size = {1, 2, 3}, .group = 7},
      {.kind = DAE_SHAPE_HINGE, .points = 1, .place = {0, 0, 0.5}, .turn = {1, 1, 0, 0}},
      {.kind = DAE_SHAPE_SPHERE, .points = 1, .first = 5}, /* its centre is among the turns */
      {.kind = DAE_SHAPE_POINT, .points = 1, .label = "origin"}};
  const dae_drawing drawing = {.shapes = 4,
                               .shape = shapes,
                               .values = VALUES,
                               .space = true,
                               .camera = {.from = {9, 8, 7}, .up = {0, 1, 0}}};
  dae_page *page = open_page();
  dae_page_motion(page, &drawing, t, values[0], 2);
  char *text = close_page(page);
  assert_non_null(strstr(text, "\"roles\":\"0124444"));
  assert_non_null(strstr(text, "0123\"")); /* appended for the sphere */
  assert_non_null(strstr(text, "\"camera\":{\"space\":true,\"up\":[0,1,0],\"from\":[9,8,7]}"));
  assert_non_null(strstr(text, "{\"kind\":\"box\",\"points\":1,\"first\":0,\"group\":7,"
                               "\"size\":[1,2,3]}"));
  assert_non_null(strstr(text, "{\"kind\":\"hinge\",\"points\":1,\"first\":0,"
                               "\"place\":[0,0,0.5],\"turn\":[1,1,0,0]}"));
  assert_non_null(strstr(text, "{\"kind\":\"sphere\",\"points\":1,\"first\":9}"));
  assert_non_null(strstr(text, "{\"kind\":\"point\",\"points\":1,\"first\":0,"
                               "\"label\":\"origin\"}"));
  assert_int_equal(count(text, "<div class=\"still space\">"), 1);
  assert_null(strstr(strstr(text, "<svg"), "nan,"));
  unsigned char bytes[2 * 2 * 13];
  assert_int_equal(decode(text, 1, "u2", bytes), sizeof bytes);
  assert_int_equal(number(bytes + 2 * 3, 2), 65534.0 / 2); /* e0 = 1 between 0 and 2 */
  free(text);
}

/* The static picture of a unit cube seen along its diagonal: three faces in a regular hexagon. */
static void test_the_static_picture_is_a_projection(void **state)
{
  (void)state;
  const double t[] = {0}, values[] = {5, 6, 7, 1, 0, 0, 0};
  const dae_shape cube = {.kind = DAE_SHAPE_BOX, .points = 1, .size = {1, 1, 1}};
  const dae_drawing drawing = {.shapes = 1, .shape = &cube, .values = 7, .space = true};
  dae_page *page = open_page();
  dae_page_motion(page, &drawing, t, values, 1);
  char *text = close_page(page);
  const char *at = strstr(text, "<svg");
  assert_non_null(at);
  assert_int_equal(count(at, "<path"), 3);
  double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9}, area = 0;
  for (int face = 0; face < 3; face++) {
    int p[4][2];
    at = strstr(at + 1, " d=\"M");
    assert_non_null(at);
    assert_int_equal(sscanf(at, " d=\"M%d %dL%d %dL%d %dL%d %dz", &p[0][0], &p[0][1], &p[1][0],
                            &p[1][1], &p[2][0], &p[2][1], &p[3][0], &p[3][1]),
                     8);
    for (int i = 0; i < 4; i++) {
      const int *a = p[i], *b = p[(i + 1) % 4];
      area += (a[0] * b[1] - a[1] * b[0]) / 2.0;
      for (int k = 0; k < 2; k++) {
        low[k] = fmin(low[k], a[k]);
        high[k] = fmax(high[k], a[k]);
      }
    }
  }
  double edge = (high[1] - low[1]) / 2; /* a regular hexagon that stands on a corner */
  assert_true(fabs((high[0] - low[0]) / edge - sqrt(3)) < 1e-3);
  assert_true(fabs(fabs(area) / (edge * edge) - 1.5 * sqrt(3)) < 1e-3);
  free(text);
}

/* -------------------------------------------------------------------------------------- texts */

static void test_texts_are_escaped_everywhere(void **state)
{
  (void)state;
  const page_maker *maker = page_makers;
  while (strcmp(maker->name, "hostile") != 0)
    maker++;
  assert_int_equal(make_page(maker, PATH, NULL, NULL), DAE_OK);
  char *text = content();
  assert_null(strstr(text, "<script>window.harm"));
  assert_null(strstr(text, "<img"));
  assert_null(strstr(text, "<b>"));
  /* every script that begins also ends, and none begins or ends within another */
  int depth = 0;
  for (const char *at = text; *at; at++) {
    if (strncmp(at, "<script", 7) == 0)
      assert_int_equal(depth++, 0);
    if (strncmp(at, "</script", 8) == 0)
      assert_int_equal(--depth, 0);
  }
  assert_int_equal(depth, 0);
  free(text);
}

static void test_nothing_is_loaded_from_elsewhere(void **state)
{
  (void)state;
  for (const page_maker *maker = page_makers; maker->name; maker++) {
    assert_int_equal(make_page(maker, PATH, NULL, NULL), DAE_OK);
    char *text = content();
    assert_non_null(strstr(text, "content=\"default-src 'none';"));
    assert_null(strstr(text, "<link"));
    assert_null(strstr(text, "@import"));
    assert_null(strstr(text, "url("));
    assert_null(strstr(text, "src=\""));
    assert_string_equal(text + strlen(text) - strlen("</body>\n</html>\n"), "</body>\n</html>\n");
    free(text);
  }
}

static void test_cells_that_look_like_numbers_stand_right(void **state)
{
  (void)state;
  const char *const right[] = {"1",   "-1.5e-07", "+.5",  "12,345", "3 %",
                               "40%", "nan",      "-inf", "-",      "< 1e-9"};
  const char *const left[] = {"", "x", "1.2.dae", "3 steps", "e5", "1e", "--", "1-2", "infinite"};
  for (int i = 0; i < 10; i++) {
    dae_page *page = open_page();
    dae_page_table_begin(page, NULL, 2, (const char *const[]){"r", "l"});
    dae_page_table_row(page, DAE_PAGE_PLAIN, (const char *const[]){right[i], left[i % 9]});
    dae_page_table_end(page);
    char *text = close_page(page);
    assert_non_null(strstr(text, "<th class=\"number\">r</th><th>l</th>"));
    assert_int_equal(count(text, "<td class=\"number\">"), 1);
    free(text);
  }
}

static void test_sections_are_listed_and_closed(void **state)
{
  (void)state;
  dae_page *page = open_page();
  dae_page_heading(page, "one & two");
  dae_page_subheading(page, "part");
  dae_page_heading(page, "three");
  char *text = close_page(page);
  assert_int_equal(count(text, "<section"), 2);
  assert_int_equal(count(text, "</section>"), 2);
  assert_non_null(strstr(text, "<section id=\"s1\">\n<h2>one &amp; two</h2>"));
  assert_non_null(strstr(text, "<a href=\"#s1\">one &amp; two</a>"));
  assert_non_null(strstr(text, "<a href=\"#s2\">three</a>"));
  free(text);
}

static void test_every_entry_of_a_matrix_is_a_square(void **state)
{
  (void)state;
  const int start[] = {0, 2, 2, 3}, row[] = {0, 1, 2};
  const dae_pattern pattern = {3, 3, start, row};
  dae_page *page = open_page();
  dae_page_sparsity(page, &pattern, 2, (const int[]){1, 2}, (const char *const[]){"q", "lambda"});
  char *text = close_page(page);
  assert_non_null(strstr(text, "d=\"M0 0h1v1h-1zM0 1h1v1h-1zM2 2h1v1h-1z\""));
  assert_non_null(strstr(text, "M0 0H3V3H0ZM1 0V3M0 1H3"));
  assert_non_null(strstr(text, "<figcaption>3 × 3, 3 entries (33 %); blocks: q 1, lambda 2<"));
  free(text);
}

static void test_numbers_have_a_point_in_every_locale(void **state)
{
  (void)state;
  const char *const before = setlocale(LC_ALL, NULL);
  const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
  bool found = false;
  for (int i = 0; i < 4 && !found; i++)
    found = setlocale(LC_ALL, names[i]) != NULL;
  if (!found)
    skip();
  const double t[] = {0, 1}, values[] = {0.25, 0.5, 0.75, 1.5};
  const dae_shape shape = {.kind = DAE_SHAPE_POINT, .points = 1, .first = 0, .label = NULL};
  const dae_drawing drawing = {.shapes = 1, .shape = &shape, .values = 2};
  dae_page *page = open_page();
  dae_page_motion(page, &drawing, t, values, 2);
  char *text = close_page(page);
  setlocale(LC_ALL, before);
  assert_non_null(strstr(text, "\"x\":[0.25,0.75],\"y\":[0.5,1.5]"));
  free(text);
}

/* ----------------------------------------------------------------------------------- failures */

static void test_a_path_that_cannot_be_written_is_told_at_once(void **state)
{
  (void)state;
  dae_page *page;
  dae_error err = dae_error_none();
  assert_int_equal(dae_page_create("no/such/folder/a.html", "a", NULL, &page, &err),
                   DAE_ERROR_FILE);
  assert_null(page);
  assert_non_null(strstr(err.text, "no/such/folder/a.html could not be created: "));
  assert_int_equal(dae_page_create("", "a", NULL, &page, NULL), DAE_ERROR_USAGE);
  assert_int_equal(dae_page_close(NULL, NULL), DAE_OK);
}

static void test_a_full_disk_is_told_at_the_end(void **state)
{
  (void)state;
  FILE *full = fopen("/dev/full", "wb");
  if (!full)
    skip();
  fclose(full);
  for (const page_maker *maker = page_makers; maker->name; maker++) {
    dae_error err = dae_error_none();
    assert_int_equal(make_page(maker, "/dev/full", NULL, &err), DAE_ERROR_FILE);
    assert_string_equal(err.text, "/dev/full could not be written: No space left on device");
  }
}

static void misuse_table_twice(dae_page *page)
{
  dae_page_table_begin(page, NULL, 1, (const char *const[]){"a"});
  dae_page_table_begin(page, NULL, 1, (const char *const[]){"a"});
}

static void misuse_table_left_open(dae_page *page)
{
  dae_page_table_begin(page, NULL, 1, (const char *const[]){"a"});
}

static void misuse_table_without_columns(dae_page *page)
{
  dae_page_table_begin(page, NULL, 0, NULL);
}

static void misuse_row(dae_page *page)
{
  dae_page_table_row(page, DAE_PAGE_PLAIN, (const char *const[]){"a"});
}

static void misuse_phase(dae_page *page)
{
  const double values[] = {1};
  const dae_page_data data = {
      "a.csv", 1, (const char *const[]){"a"}, (const double *const[]){values}, 1, false, NULL};
  dae_page_phase(page, &data, 0, 1);
}

static void misuse_data(dae_page *page)
{
  dae_page_download(page, &(dae_page_data){.name = "a.csv", .columns = 1, .rows = -1});
}

static void misuse_drawing(dae_page *page)
{
  const dae_shape shape = {.kind = DAE_SHAPE_CIRCLE, .points = 1, .first = 0, .label = NULL};
  const dae_drawing drawing = {.shapes = 1, .shape = &shape, .values = 2};
  dae_page_motion(page, &drawing, (const double[]){0}, (const double[]){0, 0}, 1);
}

static void misuse_blocks(dae_page *page)
{
  const dae_pattern pattern = {1, 1, (const int[]){0, 0}, NULL};
  dae_page_sparsity(page, &pattern, 1, (const int[]){2}, (const char *const[]){"a"});
}

static void test_misuse_is_remembered_and_told_at_the_end(void **state)
{
  (void)state;
  void (*const misuse[])(dae_page *) = {
      misuse_table_twice, misuse_table_left_open, misuse_table_without_columns,
      misuse_row,         misuse_phase,           misuse_data,
      misuse_drawing,     misuse_blocks};
  for (size_t i = 0; i < sizeof misuse / sizeof *misuse; i++) {
    dae_error err = dae_error_none();
    dae_page *page = open_page();
    misuse[i](page);
    dae_page_text(page, "later");
    assert_int_equal(dae_page_close(page, &err), DAE_ERROR_USAGE);
    assert_memory_equal(err.text, PATH ": ", strlen(PATH ": "));
    remove(PATH);
  }
}

static bool build(const dae_env *env)
{
  dae_error err = dae_error_none();
  for (const page_maker *maker = page_makers; maker->name; maker++) {
    dae_status status = make_page(maker, PATH, env, &err);
    remove(PATH);
    if (status != DAE_OK) {
      assert_int_equal(status, DAE_ERROR_MEMORY);
      return false;
    }
  }
  return true;
}

static void test_every_allocation_may_fail(void **state)
{
  (void)state;
  assert_int_equal(counting_env_fault(build), 0);
}

static void test_without_uplot_plots_are_pictures(void **state)
{
  (void)state;
  static const double x[] = {0, 1, 2}, y[] = {3, 1, 2};
  dae_curve curves[20];
  const dae_plot plot = {.title = "still <here>", .x_label = "t", .curves = curves, .count = 20};
  for (int i = 0; i < 20; i++)
    curves[i] = (dae_curve){.label = i < 12 ? "early" : "late", .x = x, .y = y, .count = 3};
  for (int with = 0; with < 2; with++) {
    dae_page *page = open_page();
    page->uplot = with;
    dae_page_plot(page, &plot);
    char *text = close_page(page);
    assert_int_equal(count(text, "<svg "), with ? 0 : 1);
    assert_int_equal(count(text, "</svg>"), with ? 0 : 1);
    assert_int_equal(count(text, "\"label\":\"late\""), 8); /* for scripts all are there */
    free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers_are_kept_to_the_last_bit),
      cmocka_unit_test(test_an_array_is_written_once),
      cmocka_unit_test(test_single_is_half_the_size_unless_digits_would_be_lost),
      cmocka_unit_test(test_a_plot_takes_numbers_as_the_page_has_them),
      cmocka_unit_test(test_positions_of_a_motion_are_fine_and_may_be_missing),
      cmocka_unit_test(test_shapes_in_space_share_values_of_the_same_role),
      cmocka_unit_test(test_the_static_picture_is_a_projection),
      cmocka_unit_test(test_texts_are_escaped_everywhere),
      cmocka_unit_test(test_nothing_is_loaded_from_elsewhere),
      cmocka_unit_test(test_cells_that_look_like_numbers_stand_right),
      cmocka_unit_test(test_sections_are_listed_and_closed),
      cmocka_unit_test(test_every_entry_of_a_matrix_is_a_square),
      cmocka_unit_test(test_numbers_have_a_point_in_every_locale),
      cmocka_unit_test(test_a_path_that_cannot_be_written_is_told_at_once),
      cmocka_unit_test(test_a_full_disk_is_told_at_the_end),
      cmocka_unit_test(test_misuse_is_remembered_and_told_at_the_end),
      cmocka_unit_test(test_without_uplot_plots_are_pictures),
      cmocka_unit_test(test_every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
