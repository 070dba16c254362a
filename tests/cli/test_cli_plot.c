/* daedal plot: from a run to a picture, in the terminal and as SVG; tables of others; what it says
 * of mistakes in them. */
#include "command.h"
#include "unit/svg_reader.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BRAILLE "\xe2\xa0" /* how the first quarter of it begins */

static svg_path path;

/* nothing of ours is told from outside */
static int enter(void **state)
{
  const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG", "COLUMNS", "LINES", "NO_COLOR"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    unsetenv(names[i]);
  setenv("TERM", "xterm", 1);
  return command_enter(state);
}

static void run_pendulum(void)
{
  file_write("p.dae", pendulum);
  command_exits(0, "run p.dae --quiet");
}

static int longest_line(const char *text, int *lines)
{
  int longest = 0, length = 0;
  for (*lines = 0; *text; text++) {
    length += ((unsigned char)*text & 0xc0) != 0x80 && *text != '\n';
    longest = length > longest ? length : longest;
    if (*text == '\n')
      length = 0, ++*lines;
  }
  return longest;
}

static void test_results_of_a_run_are_plotted(void **state)
{
  (void)state;
  int lines;
  run_pendulum();
  outcome *o = command_exits(0, "plot pendulum.csv x y");
  assert_string_equal(o->err, "");
  assert_int_equal(strncmp(o->out, "a  x   b  y\n", 12), 0);
  assert_non_null(strstr(o->out, BRAILLE));
  assert_int_equal(longest_line(o->out, &lines), 80);
  assert_int_equal(lines, 23); /* of 24 one is left for the prompt */
  assert_null(strchr(o->out, '\033'));
}

static void test_size_is_what_is_asked_for(void **state)
{
  (void)state;
  int lines;
  run_pendulum();
  outcome *o = command_exits(0, "plot pendulum.csv x --width 50 --height 11");
  assert_int_equal(longest_line(o->out, &lines), 50);
  assert_int_equal(lines, 11);
  setenv("COLUMNS", "61", 1);
  setenv("LINES", "13", 1);
  o = command_exits(0, "plot pendulum.csv x");
  assert_int_equal(longest_line(o->out, &lines), 61);
  assert_int_equal(lines, 12);
  command_refuses(1, "plot pendulum.csv x --width 5", "20 x 6");
  command_refuses(1, "plot pendulum.csv x --height 7.5", "whole number");
  command_refuses(1, "plot pendulum.csv x --svg a.svg --width 5", "160 x 120");
}

static bool is_ascii(const char *text)
{
  for (; *text; text++)
    if ((unsigned char)*text >= 0x80)
      return false;
  return true;
}

static void test_locale_decides_on_the_characters(void **state)
{
  (void)state;
  run_pendulum();
  assert_false(is_ascii(command_exits(0, "plot pendulum.csv x")->out));
  assert_true(is_ascii(command_exits(0, "plot pendulum.csv x --ascii")->out));
  setenv("LANG", "de_DE.ISO-8859-1", 1);
  assert_true(is_ascii(command_exits(0, "plot pendulum.csv x")->out));
  setenv("LC_CTYPE", "C.utf8", 1);
  assert_false(is_ascii(command_exits(0, "plot pendulum.csv x")->out));
  setenv("LC_ALL", "C", 1);
  assert_true(is_ascii(command_exits(0, "plot pendulum.csv x")->out));
}

/* What the command writes to a terminal of this size. */
static const char *on_terminal(const char *const *arguments, int columns, int rows)
{
  static char text[1 << 16];
  size_t length = 0;
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
  int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  assert_true(slave >= 0);
  struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
  assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
  pid_t child = command_start(arguments, slave, -1);
  close(slave);
  for (ssize_t n = 1; n > 0 && length + 1 < sizeof text; length += n > 0 ? (size_t)n : 0)
    n = read(master, text + length, sizeof text - length - 1);
  text[length] = '\0';
  close(master);
  assert_int_equal(command_wait(child), 0);
  return text;
}

static void test_terminals_get_colours_and_their_size(void **state)
{
  (void)state;
  const char *const arguments[] = {"plot", "pendulum.csv", "x", "y", NULL};
  run_pendulum();
  const char *text = on_terminal(arguments, 40, 12);
  int lines;
  longest_line(text, &lines);
  assert_int_equal(lines, 11);
  assert_non_null(strstr(text, "\033[38;5;"));
  setenv("NO_COLOR", "1", 1);
  text = on_terminal(arguments, 40, 12);
  assert_null(strchr(text, '\033'));
  assert_non_null(strstr(text, "a  x   b  y\r\n"));
  assert_int_equal(longest_line(text, &lines), 41); /* with a return */
  unsetenv("NO_COLOR");
  setenv("TERM", "dumb", 1);
  assert_true(is_ascii(on_terminal(arguments, 40, 12)));
}

static void test_svg_shows_the_rows(void **state)
{
  (void)state;
  file_write("a.csv", "t,x\n0,1\n1,3\n4,2\n");
  outcome *o = command_exits(0, "plot a.csv x --svg a.svg --title 'a < b'");
  assert_string_equal(o->out, "a.svg written\n");
  char *svg = file_read("a.svg");
  assert_null(svg_mistake(svg));
  assert_non_null(strstr(svg, "width=\"800\" height=\"450\""));
  assert_non_null(strstr(svg, ">a &lt; b</text>"));
  assert_true(svg_path_read(svg, "x", 0, &path));
  assert_int_equal(path.count, 3);
  double unit = (path.right - path.left) / 4;
  assert_true(fabs(path.at[1].x - path.left - unit) < 0.11);
  assert_true(path.at[1].y == path.top && path.at[0].y == path.bottom);
  free(svg);
}

static void test_svg_may_go_to_a_pipe(void **state)
{
  (void)state;
  file_write("a.csv", "t,x\n0,1\n1,3\n");
  assert_null(svg_mistake(command_exits(0, "plot a.csv --svg /dev/stdout")->out));
}

static void test_another_column_may_be_the_horizontal_axis(void **state)
{
  (void)state;
  run_pendulum();
  command_exits(0, "plot pendulum.csv y --over x --equal --svg a.svg --height 700");
  char *svg = file_read("a.svg");
  assert_null(svg_mistake(svg));
  assert_true(svg_path_read(svg, "y", 0, &path));
  /* half a circle, twice as wide as high */
  assert_true(fabs((path.right - path.left) / (path.bottom - path.top) - 2) < 0.05);
  free(svg);
  outcome *o = command_exits(0, "plot pendulum.csv t --over t --ascii");
  assert_int_equal(strncmp(o->out, "t\n", 2), 0);
  command_refuses(1, "plot pendulum.csv y --over xx", "did you mean x?");
  command_refuses(1, "plot pendulum.csv y --equal --log", "logarithmic");
}

/* the first line of what is plotted: the legend, or the name of the only curve */
static const char *legend(const char *arguments)
{
  static char line[256];
  outcome *o = command_exits(0, arguments);
  snprintf(line, sizeof line, "%.*s", (int)strcspn(o->out, "\n"), o->out);
  return line;
}

static void test_columns_are_named_or_matched(void **state)
{
  (void)state;
  file_write("a.csv", "t,x[1],x[2],x[10],\"a,b\",\"say \"\"hi\"\"\",x1\r\n"
                      "0,1,2,3,4,5,6\r\n1,2,3,4,5,6,7\r\n");
  assert_string_equal(legend("plot a.csv 'x[1]' 'x[10]' --width 200"), "a  x[1]   b  x[10]");
  assert_string_equal(legend("plot a.csv 'x[*]' --width 200"), "a  x[1]   b  x[2]   c  x[10]");
  assert_string_equal(legend("plot a.csv 'x[?]' 'x[1]' --width 200"), "a  x[1]   b  x[2]");
  assert_string_equal(legend("plot a.csv 'a,b' 'say \"hi\"' --width 200"),
                      "a  a,b   b  say \"hi\"");
  assert_string_equal(legend("plot a.csv '*1' --over t --width 200"), "x1");
  assert_string_equal(command_exits(0, "plot a.csv --names")->out,
                      "t\nx[1]\nx[2]\nx[10]\na,b\nsay \"hi\"\nx1\n");
  command_refuses(1, "plot a.csv 'y*'", "no column matches 'y*'; there are t, x[1], x[2]");
  command_refuses(1, "plot a.csv nothing", "there is no column 'nothing'; there are t, x[1]");
  command_refuses(1, "plot a.csv 'x[3]'", "did you mean x[1]? There are t, x[1]");
}

static void test_without_columns_the_first_six_are_shown(void **state)
{
  (void)state;
  file_write("six.csv", "t,a,b,c,d,e,f\n0,1,2,3,4,5,6\n1,1,2,3,4,5,6\n");
  file_write("seven.csv", "t,a,b,c,d,e,f,g\n0,1,2,3,4,5,6,7\n1,1,2,3,4,5,6,7\n");
  const char *const shown = "a  a   b  b   c  c   d  d   e  e   f  f";
  assert_string_equal(legend("plot six.csv"), shown);
  assert_string_equal(command("plot six.csv")->err, "");
  assert_string_equal(legend("plot seven.csv"), shown);
  assert_non_null(strstr(command("plot seven.csv")->err, "the first 6 of 7 columns"));
  assert_string_equal(legend("plot seven.csv '*' --width 100"),
                      "a  a   b  b   c  c   d  d   e  e   f  f   g  g");
}

/* the same picture whatever the file looks like */
static void test_tables_of_others_are_read(void **state)
{
  (void)state;
  const char *const same[] = {
      "t,x\n0,1\n1,2.5\n2,-3\n",
      "t,x\r\n0,1\r\n1,2.5\r\n2,-3\r\n",
      "t,x\n0,1\n1,2.5\n2,-3",
      "\xef\xbb\xbf\"t\",\"x\"\r\n\"0\",\"1\"\r\n1,\"2.5\"\r\n2,-3\r\n",
      "t,x\n 0 , 1\n\n1,\t2.5\n2,-3e0\n\n",
      "t,x\n0,1\n1,+2.50\n2,-30E-1\n",
  };
  char *first = NULL;
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    file_write("a.csv", same[i]);
    outcome *o = command_exits(0, "plot a.csv");
    if (first)
      assert_string_equal(o->out, first);
    else
      first = strdup(o->out);
  }
  free(first);
}

static void test_missing_numbers_are_gaps(void **state)
{
  (void)state;
  file_write("a.csv", "t,x,note\n0,1,start\n1,2,\n2,,gap\n3,4,\n4,nan,\n5,6,\n6,-Inf,\n7,8,end\n");
  command_exits(0, "plot a.csv x --svg a.svg");
  char *svg = file_read("a.svg");
  assert_true(svg_path_read(svg, "x", 0, &path));
  assert_int_equal(path.count, 5);
  assert_int_equal(path.pieces, 4);
  free(svg);
  file_write("b.csv", "t,x\n0,-1\n1,0\n2,1\n3,10\n");
  command_exits(0, "plot b.csv --log --log-x --svg b.svg");
  svg = file_read("b.svg");
  assert_true(svg_path_read(svg, "x", 0, &path) && path.count == 2);
  free(svg);
}

static void test_range_is_cut(void **state)
{
  (void)state;
  file_write("a.csv", "t,x\n0,1\n1,2\n2,3\n3,-50\n");
  command_exits(0, "plot a.csv --from 1 --to 2.5 --svg a.svg");
  char *svg = file_read("a.svg");
  assert_true(svg_path_read(svg, "x", 0, &path) && path.count == 2);
  free(svg);
  command_refuses(1, "plot a.csv --from 3 --to 1", "is not less than");
  command_refuses(1, "plot a.csv --from -9 --to -1", "t is between 0 and 3");
  command_refuses(1, "plot a.csv --from x", "not a number");
}

static void test_standard_input_is_read(void **state)
{
  (void)state;
  file_write("a.csv", "t,x\n0,1\n1,2\n");
  char *wanted = strdup(command_exits(0, "plot a.csv x")->out);
  command_exits(0, "plot - x <a.csv >from_stdin || exit 9; :");
  char *text = file_read("from_stdin");
  assert_string_equal(text, wanted);
  free(text);
  command_exits(0, "plot /dev/stdin x <a.csv >from_stdin || exit 9; :");
  text = file_read("from_stdin");
  assert_string_equal(text, wanted);
  free(text);
  free(wanted);
  command_refuses(7, "plot -", "stdin: the file is empty");
}

static void test_mistakes_in_the_file_are_named_with_their_place(void **state)
{
  (void)state;
  const struct {
    const char *text, *because;
  } cases[] = {
      {"", "a.csv: the file is empty"},
      {"\n\n", "a.csv: the file is empty"},
      {"t,x\r\n", "a.csv: the file has no rows"},
      {"t,x\n0,1\n1,two\n", "a.csv:3:3: 'two' in column x is not a number"},
      {"t,x\n0,1\n1,0x10\n", "a.csv:3:3: '0x10' in column x"},
      {"t,x\n0,1\n1,-\n", "a.csv:3:3: '-' in column x"},
      {"t,x\n0,1\n\"1\n", "a.csv:3:1: this quote is not closed"},
      {"t,x\n0,\"1\" 2\n", "a.csv:2:6: expected a comma or the end of the line"},
      {"t,x\n0\n", "a.csv:2: this row has 1 field, but there are 2 columns"},
      {"t,x,y\n0,1,2\n1,2\n", "a.csv:3: this row has 2 fields, but there are 3 columns"},
      {"t,x\n0,1,2\n", "a.csv:2: this row has more than 2 fields"},
      {"\"two\nlines\",x\n0,y\n", "a.csv:3:3: 'y' in column x"},
      {"0,1\n1,2\n", "a.csv:1: the first line must contain the names of the columns"},
      {"t;x\n0;1\n", "a.csv:1: there is only one column: fields"},
      {"t\n0\n1\n", "a.csv has only one column, t"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    file_write("a.csv", cases[i].text);
    command_refuses(7, "plot a.csv", cases[i].because);
  }
  FILE *file = fopen("a.csv", "wb");
  assert_non_null(file);
  fwrite("t,x\n\0,1\n", 1, 8, file);
  fclose(file);
  command_refuses(7, "plot a.csv", "a.csv: this is not a text file");
}

static void test_files_that_cannot_be_used_are_7(void **state)
{
  (void)state;
  file_write("a.csv", "t,x\n0,1\n1,2\n");
  command_refuses(7, "plot nothing.csv", "nothing.csv could not be read: No such file");
  command_refuses(7, "plot .", "Is a directory");
  command_refuses(7, "plot a.csv --svg no/such/folder.svg", "No such file or directory");
  command_refuses(7, "plot a.csv --svg .", "Is a directory");
  command_refuses(7, "plot a.csv --svg /dev/full", "No space left on device");
}

static void test_results_are_never_overwritten(void **state)
{
  (void)state;
  file_write("a.csv", "t,x\n0,1\n1,2\n");
  command_refuses(1, "plot a.csv --svg a.csv", "would overwrite the results");
  command_refuses(1, "plot a.csv --svg ./a.csv", "would overwrite the results");
  char *text = file_read("a.csv");
  assert_string_equal(text, "t,x\n0,1\n1,2\n");
  free(text);
  command_refuses(1, "plot a.csv --svg a.svg --ascii", "--ascii applies to plots in the terminal");
  command_refuses(1, "plot", "daedal plot needs a FILE");
}

#define ON_ITS_OWN(test) cmocka_unit_test_setup_teardown(test, enter, command_leave)

int main(void)
{
  const struct CMUnitTest tests[] = {
      ON_ITS_OWN(test_results_of_a_run_are_plotted),
      ON_ITS_OWN(test_size_is_what_is_asked_for),
      ON_ITS_OWN(test_locale_decides_on_the_characters),
      ON_ITS_OWN(test_terminals_get_colours_and_their_size),
      ON_ITS_OWN(test_svg_shows_the_rows),
      ON_ITS_OWN(test_svg_may_go_to_a_pipe),
      ON_ITS_OWN(test_another_column_may_be_the_horizontal_axis),
      ON_ITS_OWN(test_columns_are_named_or_matched),
      ON_ITS_OWN(test_without_columns_the_first_six_are_shown),
      ON_ITS_OWN(test_tables_of_others_are_read),
      ON_ITS_OWN(test_missing_numbers_are_gaps),
      ON_ITS_OWN(test_range_is_cut),
      ON_ITS_OWN(test_standard_input_is_read),
      ON_ITS_OWN(test_mistakes_in_the_file_are_named_with_their_place),
      ON_ITS_OWN(test_files_that_cannot_be_used_are_7),
      ON_ITS_OWN(test_results_are_never_overwritten),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
