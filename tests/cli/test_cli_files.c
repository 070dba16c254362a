/* Files that cannot be read or written, and those that must not be: exit code 7 or 1. */
#include "command.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_model_that_cannot_be_read_is_7(void **state)
{
  (void)state;
  command_refuses(7, "run nothing.dae", "nothing.dae");
  command_refuses(7, "run nothing.dae", "No such file or directory");
  command_refuses(7, "check nothing.dae", "No such file or directory");
  assert_int_equal(mkdir("folder.dae", 0777), 0);
  command_refuses(7, "run folder.dae", "folder.dae");
  command_refuses(7, "check folder.dae", "folder.dae");
}

static void test_results_that_cannot_be_written_are_7(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  command_refuses(7, "run p.dae --out no/such/folder.csv", "No such file or directory");
  command_refuses(7, "run p.dae --out .", "Is a directory");
  command_refuses(7, "run p.dae --json no/such/folder.json", "No such file or directory");
  assert_false(file_exists("pendulum.csv")); /* known before the work was done */
}

static void test_full_disk_is_7(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  command_refuses(7, "run p.dae --out /dev/full", "No space left on device");
  command_refuses(7, "run p.dae --out /dev/full --to 0.01", "No space left on device");
  command_refuses(7, "run p.dae --json /dev/full", "No space left on device");

  const char *const arguments[] = {"methods", NULL};
  int full = open("/dev/full", O_WRONLY);
  assert_int_equal(command_wait(command_start(arguments, full, -1)), 7);
  close(full);
  char *err = file_read("err.txt");
  assert_non_null(strstr(err, "No space left on device"));
  free(err);
}

static void test_model_is_never_overwritten(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  file_write("pendulum.csv", pendulum);
  command_refuses(1, "run p.dae --out p.dae", "overwrite the model");
  command_refuses(1, "run p.dae --out ./p.dae", "overwrite the model");
  command_refuses(1, "run p.dae --json p.dae", "overwrite the model");
  command_refuses(1, "run pendulum.csv", "overwrite the model");
  command_refuses(1, "run p.dae --out a --json a", "different files");
  char *text = file_read("p.dae"), *other = file_read("pendulum.csv");
  assert_string_equal(text, pendulum);
  assert_string_equal(other, pendulum);
  free(text);
  free(other);
}

static void test_rows_may_go_to_stdout(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  const char *const places[] = {"--quiet --out /dev/stdout", "--out -"};
  for (int i = 0; i < 2; i++) {
    char line[80];
    snprintf(line, sizeof line, "run p.dae --every 1 %s", places[i]);
    outcome *o = command_exits(0, line);
    int lines = 0;
    for (const char *c = o->out; *c; c++)
      lines += *c == '\n';
    assert_int_equal(lines, 12);
    assert_int_equal(strncmp(o->out, "t,x,y,", 6), 0);
  }
  assert_false(file_exists("-"));
}

/* Results, summary and page of an earlier run stay until the new ones are whole. */
static void test_failed_run_keeps_the_files_of_an_earlier_one(void **state)
{
  (void)state;
  const char *const names[] = {"pendulum.csv", "a.json", "a.html"};
  file_write("p.dae", pendulum);
  for (int i = 0; i < 3; i++)
    file_write(names[i], "old");
  /* a start that cannot be made consistent, a model that is wrong, a result that cannot be written
   */
  command("run p.dae --set L=-1 --set m=0 --quiet");
  command_refuses(1, "run p.dae --to -1 --json a.json --report a.html", "end time");
  command_refuses(7, "run p.dae --out /dev/full --to 1e4 --quiet", "No space left");
  char *text = file_read("pendulum.csv");
  assert_string_equal(text, "old");
  free(text);
  command_exits(0, "run p.dae --json a.json --report a.html");
  for (int i = 0; i < 3; i++) {
    char part[40];
    text = file_read(names[i]);
    assert_string_not_equal(text, "old");
    free(text);
    snprintf(part, sizeof part, "%s.part", names[i]);
    assert_false(file_exists(part));
  }
}

/* A run that is killed leaves the old results, and whole rows in the part. */
static void test_killed_run_keeps_the_results_of_an_earlier_one(void **state)
{
  (void)state;
  const char *const arguments[] = {"run", "p.dae", "--to", "1e7", NULL};
  file_write("p.dae", pendulum);
  file_write("pendulum.csv", "old");
  pid_t child = command_start(arguments, -1, -1);
  file_await("pendulum.csv.part");
  kill(child, SIGKILL);
  assert_int_equal(command_wait(child), 128 + SIGKILL);
  char *text = file_read("pendulum.csv"), *part = file_read("pendulum.csv.part");
  assert_string_equal(text, "old");
  assert_int_equal(strncmp(part, "t,x,y,", 6), 0);
  free(text);
  free(part);
  command_exits(0, "run p.dae");
  table t = table_read("pendulum.csv");
  assert_true(table_at(&t, -1, 0) == 10);
  table_free(&t);
  assert_false(file_exists("pendulum.csv.part"));
}

static void test_two_runs_do_not_write_one_file(void **state)
{
  (void)state;
  const char *const arguments[] = {"run", "p.dae", "--to", "1e7", NULL};
  file_write("p.dae", pendulum);
  pid_t child = command_start(arguments, -1, -1);
  file_await("pendulum.csv.part");
  command_refuses(7, "run p.dae", "pendulum.csv.part is being written by another run");
  kill(child, SIGTERM);
  assert_int_equal(command_wait(child), 130);
}

static void test_robots_are_read_from_urdf_files(void **state)
{
  (void)state;
  file_write("r.urdf",
             "<robot name='r'><link name='a'/>\n<transmission/>"
             "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
             "<link name='b'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' "
             "ixy='0' ixz='0' iyz='0'/></inertial></link></robot>");
  outcome *o = command("new one --from r.urdf");
  if (strstr(o->err, "reads no URDF files"))
    skip();
  assert_int_equal(o->code, 0);
  assert_non_null(strstr(o->err, "r.urdf: line 2: <transmission> is left out"));
  char *text = file_read("one.dae");
  assert_non_null(strstr(text, "model one \"r, from r.urdf\"\n"));
  assert_non_null(strstr(text, "body b mass 2 inertia (1, 1, 1)"));
  free(text);
  command_refuses(7, "new one --from r.urdf", "one.dae exists already");
  command_refuses(7, "new two --from no.urdf", "no.urdf");
  command_refuses(1, "new two --floating", "--from FILE.urdf");
  command_refuses(1, "new two --from", "--from needs a value");
  file_write("r.urdf", "<robot>\n  <link name='a'>\n</robot>");
  command_refuses(2, "new two --from r.urdf",
                  "r.urdf:3:3: the XML is not well-formed: mismatched tag");
  command_refuses(2, "new two --from r.urdf", "  </robot>\n    ^");
  assert_false(file_exists("two.dae"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_model_that_cannot_be_read_is_7),
      IN_FOLDER(test_results_that_cannot_be_written_are_7),
      IN_FOLDER(test_full_disk_is_7),
      IN_FOLDER(test_model_is_never_overwritten),
      IN_FOLDER(test_robots_are_read_from_urdf_files),
      IN_FOLDER(test_rows_may_go_to_stdout),
      IN_FOLDER(test_failed_run_keeps_the_files_of_an_earlier_one),
      IN_FOLDER(test_killed_run_keeps_the_results_of_an_earlier_one),
      IN_FOLDER(test_two_runs_do_not_write_one_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
