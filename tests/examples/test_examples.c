/* Every example runs in an empty folder, ends well, prints the closing block, and leaves a file
 * whose last row is the reference of the same problem. The README shows one of them. */
#include "problems/problems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define LARGEST 16

typedef struct example {
  const char *name, *header;
  const char *says; /* a line of the closing block */
  double tolerance; /* relative to 1 + |value| */
} example;

/* runs the program in the current folder, its output in text; the exit code */
static int run(const char *name, char *text, size_t size)
{
  char command[512];
  snprintf(command, sizeof command, "'%s/%s'", EXAMPLES, name);
  FILE *out = popen(command, "r");
  assert_non_null(out);
  text[fread(text, 1, size - 1, out)] = 0;
  int status = pclose(out);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

/* first and last line of a file, without their ends */
static void read_lines(const char *path, char *first, char *last, int size)
{
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_non_null(fgets(first, size, file));
  while (fgets(last, size, file))
    ;
  fclose(file);
  first[strcspn(first, "\r\n")] = last[strcspn(last, "\r\n")] = 0;
}

static int read_numbers(char *line, double *values)
{
  int count = 0;
  for (char *word = strtok(line, ","); word && count < LARGEST; word = strtok(NULL, ","))
    values[count++] = strtod(word, NULL);
  return count;
}

static void check_file(const example *e, const test_problem *p)
{
  char path[64], header[1024] = "", row[1024] = "";
  double values[LARGEST];
  snprintf(path, sizeof path, "%s.csv", e->name);
  read_lines(path, header, row, sizeof row);
  assert_string_equal(header, e->header);
  assert_int_equal(read_numbers(row, values), p->size + 1);
  assert_true(values[0] == p->to);
  for (int i = 0; i < p->size; i++) {
    double error = fabs(values[i + 1] - p->reference[i]) / (1 + fabs(p->reference[i]));
    if (!isnan(p->reference[i]) && !(error <= e->tolerance))
      fail_msg("%s: entry %d is %.10g, not %.10g", e->name, i, values[i + 1], p->reference[i]);
  }
  unlink(path);
}

static void check(const example *e, test_problem p)
{
  char home[1024], folder[] = "/tmp/daedal_example_XXXXXX", text[8192];
  assert_non_null(getcwd(home, sizeof home));
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  assert_int_equal(run(e->name, text, sizeof text), 0);
  assert_non_null(strstr(text, e->says));
  check_file(e, &p);
  assert_int_equal(chdir(home), 0);
  assert_int_equal(rmdir(folder), 0); /* nothing else was written */
}

static void test_pendulum_ends_at_the_closed_form(void **state)
{
  (void)state;
  check(&(example){"pendulum", "t,x,y,der(x),der(y),lambda(rod)", "energy       0 at the start",
                   1e-3},
        test_pendulum());
}

static void test_slider_crank_tells_what_moved_and_ends_at_the_reference(void **state)
{
  (void)state;
  check(&(example){"slider_crank",
                   "t,a,x,y,b,s,der(a),der(x),der(y),der(b),der(s),lambda(pin x),lambda(pin y),"
                   "lambda(slide x),lambda(slide y)",
                   "2 values were moved", 1e-3},
        test_slider_crank());
}

static void test_car_axis_ends_at_the_published_values(void **state)
{
  (void)state;
  check(&(example){"car_axis",
                   "t,xl,yl,xr,yr,der(xl),der(yl),der(xr),der(yr),lambda(wheel),lambda(axis)",
                   "index 3, 2 degrees of freedom", 1e-4},
        test_car_axis());
}

static void test_transistor_amplifier_ends_at_the_published_values(void **state)
{
  (void)state;
  check(&(example){"transistor_amplifier", "t,y1,y2,y3,y4,y5,y6,y7,y8", "rank 5 of 8", 1e-4},
        test_transistor_amplifier());
}

static void test_motor_ends_at_its_steady_state(void **state)
{
  (void)state;
  /* U = R i + c w, c i = d w; the slowest mode decays as exp(-34 t) */
  double w = 24 / (2 * 0.04 + 0.5), end[] = {0.04 * w, NAN, w};
  check(&(example){"motor", "t,armature.i,rotor.phi,der(rotor.phi)", "motor: t = 0 to 1", 1e-4},
        (test_problem){.to = 1, .size = 3, .reference = end});
}

static char *read_file(const char *path)
{
  char *text = calloc(1, 1 << 16);
  FILE *file = fopen(path, "r");
  assert_non_null(text);
  assert_non_null(file);
  assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
  fclose(file);
  return text;
}

static void test_readme_shows_the_pendulum_as_it_is(void **state)
{
  (void)state;
  char *readme = read_file(SOURCES "/README.md"), *code = read_file(SOURCES "/examples/pendulum.c");
  assert_non_null(strstr(readme, code));
  free(readme);
  free(code);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum_ends_at_the_closed_form),
      cmocka_unit_test(test_slider_crank_tells_what_moved_and_ends_at_the_reference),
      cmocka_unit_test(test_car_axis_ends_at_the_published_values),
      cmocka_unit_test(test_transistor_amplifier_ends_at_the_published_values),
      cmocka_unit_test(test_motor_ends_at_its_steady_state),
      cmocka_unit_test(test_readme_shows_the_pendulum_as_it_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
