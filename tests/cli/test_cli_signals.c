/* Interrupts, readers that go away, and the line of progress on a terminal. */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void pause_ms(long ms)
{
  nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void check_interrupt(int signal_number)
{
  const char *const arguments[] = {"run", "p.dae", "--to", "1e7", "--json", "a.json", NULL};
  file_write("p.dae", pendulum);
  pid_t child = command_start(arguments, -1, -1);
  file_await("pendulum.csv.part");
  kill(child, signal_number);
  kill(child, signal_number); /* as from timeout(1), to the process and to its group */
  assert_int_equal(command_wait(child), 130);

  /* complete rows only, and the account of them */
  table t = table_read("pendulum.csv");
  assert_string_equal(t.header, "t,x,y,der(x),der(y),lambda(rod),energy");
  assert_true(t.rows > 10);
  assert_true(json_number("a.json", "rows") == t.rows);
  assert_true(json_number("a.json", "t_end") == table_at(&t, -1, 0));
  table_free(&t);
  char *out = file_read("out.txt"), *err = file_read("err.txt");
  assert_non_null(strstr(out, "not finished"));
  assert_non_null(strstr(out, "rows in pendulum.csv, a.json"));
  assert_non_null(strstr(err, "interrupted"));
  assert_null(strchr(err, '%')); /* no progress in a file */
  free(out);
  free(err);
}

static void test_interrupt_keeps_the_results_and_is_130(void **state)
{
  (void)state;
  check_interrupt(SIGINT);
}

static void test_termination_keeps_the_results_and_is_130(void **state)
{
  (void)state;
  check_interrupt(SIGTERM);
}

static void test_hangup_keeps_the_results_and_is_130(void **state)
{
  (void)state;
  check_interrupt(SIGHUP);
}

/* A run that waits for the reader of its results does not come to look at the first interrupt. */
static void test_second_interrupt_ends_at_once(void **state)
{
  (void)state;
  const char *const arguments[] = {"run", "p.dae", "--out", "fifo", NULL};
  int status;
  file_write("p.dae", pendulum);
  assert_int_equal(mkfifo("fifo", 0666), 0);
  pid_t child = command_start(arguments, -1, -1);
  file_await("out.txt");
  pause_ms(200);
  kill(child, SIGINT);
  pause_ms(200);
  assert_int_equal(waitpid(child, &status, WNOHANG), 0);
  kill(child, SIGINT);
  assert_int_equal(command_wait(child), 128 + SIGINT);
}

static void check_reader_gone(const char *const *arguments)
{
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  close(ends[0]);
  pid_t child = command_start(arguments, ends[1], -1);
  close(ends[1]);
  assert_int_equal(command_wait(child), 0);
  char *err = file_read("err.txt");
  assert_string_equal(err, "");
  free(err);
}

static void test_reader_that_goes_away_is_no_failure(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  check_reader_gone((const char *const[]){"--help", NULL});
  check_reader_gone((const char *const[]){"methods", NULL});
  check_reader_gone((const char *const[]){"check", "p.dae", NULL});
  check_reader_gone((const char *const[]){"run", "p.dae", NULL});
  check_reader_gone((const char *const[]){"run", "p.dae", "--quiet", "--out", "/dev/stdout", NULL});
  check_reader_gone((const char *const[]){"run", "p.dae", "--out", "-", NULL});
  /* the results do not suffer */
  table t = table_read("pendulum.csv");
  assert_true(table_at(&t, -1, 0) == 10);
  table_free(&t);
}

/* ---- a terminal ---- */

typedef struct terminal {
  int master, slave;
  char text[1 << 16];
  size_t length;
} terminal;

static void terminal_open(terminal *tty)
{
  tty->length = 0;
  tty->master = posix_openpt(O_RDWR | O_NOCTTY);
  assert_true(tty->master >= 0);
  assert_int_equal(grantpt(tty->master), 0);
  assert_int_equal(unlockpt(tty->master), 0);
  tty->slave = open(ptsname(tty->master), O_RDWR | O_NOCTTY);
  assert_true(tty->slave >= 0);
}

/* what was written until then; stops when all ends are closed */
static void terminal_read(terminal *tty, int ms)
{
  struct pollfd ready = {.fd = tty->master, .events = POLLIN};
  while (poll(&ready, 1, ms) > 0 && tty->length + 1 < sizeof tty->text) {
    ssize_t n = read(tty->master, tty->text + tty->length, sizeof tty->text - tty->length - 1);
    if (n <= 0)
      break;
    tty->length += (size_t)n;
    tty->text[tty->length] = '\0';
    ms = 0;
  }
}

static int count_of(const char *text, const char *word)
{
  int count = 0;
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
    count++;
  return count;
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void test_progress_is_drawn_on_a_terminal_and_erased(void **state)
{
  (void)state;
  static terminal tty;
  const char *const arguments[] = {"run", "p.dae", "--to", "1e7", "--out", "/dev/null", NULL};
  file_write("p.dae", pendulum);
  terminal_open(&tty);
  double begin = now();
  pid_t child = command_start(arguments, -1, tty.slave);
  for (int i = 0; i < 200 && count_of(tty.text, "left") < 4; i++)
    terminal_read(&tty, 100);
  kill(child, SIGINT);
  double seconds = now() - begin;
  for (int i = 0; i < 100 && !strstr(tty.text, "interrupted"); i++)
    terminal_read(&tty, 100);
  assert_int_equal(command_wait(child), 130);
  int drawn = count_of(tty.text, "left");
  assert_true(drawn >= 4 && drawn <= 10 * seconds + 2);
  assert_non_null(strstr(tty.text, "0%  t = "));
  assert_non_null(strchr(tty.text, '['));

  /* blanks over the line, back to its beginning, then the message */
  const char *message = strstr(tty.text, "daedal: error: ");
  assert_non_null(message);
  assert_true(message - tty.text > 20);
  assert_memory_equal(message - 5, "    \r", 5);
  close(tty.master);
  close(tty.slave);
}

static void test_quiet_draws_nothing_on_a_terminal(void **state)
{
  (void)state;
  static terminal tty;
  const char *const arguments[] = {"run",   "p.dae",     "--to",    "300",
                                   "--out", "/dev/null", "--quiet", NULL};
  file_write("p.dae", pendulum);
  terminal_open(&tty);
  pid_t child = command_start(arguments, -1, tty.slave);
  assert_int_equal(command_wait(child), 0);
  terminal_read(&tty, 0);
  assert_int_equal(tty.length, 0);
  close(tty.master);
  close(tty.slave);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_interrupt_keeps_the_results_and_is_130),
      IN_FOLDER(test_termination_keeps_the_results_and_is_130),
      IN_FOLDER(test_hangup_keeps_the_results_and_is_130),
      IN_FOLDER(test_second_interrupt_ends_at_once),
      IN_FOLDER(test_reader_that_goes_away_is_no_failure),
      IN_FOLDER(test_progress_is_drawn_on_a_terminal_and_erased),
      IN_FOLDER(test_quiet_draws_nothing_on_a_terminal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
