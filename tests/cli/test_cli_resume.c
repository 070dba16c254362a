/* Runs that are killed at random instants and resumed: the results are those of an undisturbed run,
 * to the last bit. 50 kills over ten models; under DAEDAL_LONG 1000, each followed by a run to the
 * end. */
#include "command.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A model of examples/models and the options of its run. */
typedef struct mission {
  const char *model, *options;
} mission;

static const mission missions[] = {
    {"pendulum", "--to 600 --report"},               /* dense; gauss and explicit steps */
    {"chain", "--set N=60 --to 0.1 --method radau"}, /* sparse */
    {"chain", "--set N=30 --to 0.2 --method bdf-ggl --report"},
    {"two_pendula", "--method gauss-seidel --to 1"},   /* coupled, iterated */
    {"linked_pendula", "--method joint --to 0.3"},     /* joints */
    {"bouncing_ball", "--report"},                     /* events */
    {"sampled_cart", "--to 60 --report --out b.npz"},  /* clocks */
    {"hysteresis", "--to 60 --check-error"},           /* branches, rows of a second run */
    {"bushing", "--method radau --damp --to 10"},      /* the smooth motion */
    {"transistor_amplifier", "--method bdf --to 0.1"}, /* fully implicit */
};
enum { MISSIONS = sizeof missions / sizeof *missions, KILLS = 5, LONG_KILLS = 100 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Pseudo-random share of [0, 1); where a process is at an instant is random anyway. */
static double share(void)
{
  static unsigned seed = 20240607;
  seed = seed * 1664525u + 1013904223u;
  return (seed >> 8) / (double)(1u << 24);
}

/* `daedal WORDS` in the background. */
static pid_t start(const char *words)
{
  static char text[1024];
  const char *arguments[24];
  int count = 0;
  snprintf(text, sizeof text, "%s", words);
  for (char *word = strtok(text, " "); word && count < 23; word = strtok(NULL, " "))
    arguments[count++] = word;
  arguments[count] = NULL;
  return command_start(arguments, -1, -1);
}

/* Kills a process after some seconds, unless it has ended; returns its exit code. */
static int kill_after(pid_t child, double seconds, int signal_number)
{
  double end = now() + seconds;
  int status;
  while (now() < end) {
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child)
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    nanosleep(&(struct timespec){0, 500000}, NULL);
  }
  kill(child, signal_number);
  return command_wait(child);
}

static void shell(const char *line)
{
  if (system(line) != 0)
    fail_msg("%s", line);
}

/* Results of the undisturbed run, in the folder ref; its wall time in seconds. */
static double reference(const mission *m)
{
  char line[600];
  shell("rm -rf ref old && mkdir ref");
  snprintf(line, sizeof line, "cp '%s/examples/models/%s.dae' m.dae", SOURCES, m->model);
  shell(line);
  double begin = now();
  snprintf(line, sizeof line,
           "run m.dae %s --quiet --out a.csv --json a.json --checkpoint c --checkpoint-every 0.1s",
           m->options);
  command_exits(0, line);
  double seconds = now() - begin;
  snprintf(line, sizeof line,
           "mv *.csv *.json ref; mv b.* ref 2>/dev/null; if [ -e %s.html ]; then mv *.html ref; fi",
           m->model);
  shell(line);
  return seconds;
}

/* Cuts the rest of the line behind a mark out of a text. */
static void cut_line(char *text, const char *mark)
{
  char *line = strstr(text, mark);
  if (!line)
    fail_msg("no %s", mark);
  size_t length = strcspn(line, "\n");
  memmove(line, line + length, strlen(line + length) + 1);
}

/* Summary without its time. */
static char *without_seconds(const char *path)
{
  char *text = file_read(path);
  cut_line(text, "  \"seconds\": ");
  return text;
}

/* Page without its time and its command. */
static char *without_time(const char *path)
{
  char *text = file_read(path);
  cut_line(text, " restarts; ");
  cut_line(text, "daedal run ");
  return text;
}

static void same_text(const mission *m, const char *name, char *(*read)(const char *))
{
  char path[100];
  snprintf(path, sizeof path, "ref/%s", name);
  char *a = read(path), *b = read(name);
  size_t i = 0;
  while (a[i] && a[i] == b[i])
    i++;
  if (a[i] != b[i])
    fail_msg("%s %s: %s differs: %.100s instead of %.100s", m->model, m->options, name, b + i,
             a + i);
  free(a);
  free(b);
}

/* Results in this folder are those of the reference, and nothing is left beside them. */
static void same_results(const mission *m)
{
  char page[100];
  same_text(m, "a.csv", file_read);
  same_text(m, "a.json", without_seconds);
  snprintf(page, sizeof page, "%s.html", m->model);
  if (strstr(m->options, "--report"))
    same_text(m, page, without_time);
  if (strstr(m->options, "b.npz"))
    shell("cmp b.npz ref/b.npz");
  assert_false(file_exists("c") || file_exists("c.old"));
  assert_false(file_exists("a.csv.part") || file_exists("a.json.part"));
}

/* An old result is as it was, or the new one is whole. */
static void old_or_whole(const mission *m, const char *old)
{
  char *text = file_read("a.csv");
  if (strcmp(text, old) != 0)
    same_text(m, "a.csv", file_read);
  free(text);
}

/* One kill of a run, or of a resumed one, at a random instant; false: it had ended. */
static bool killed(const char *words, double seconds)
{
  char resume[] = "resume c --quiet";
  int code = kill_after(start(file_exists("c") ? resume : words), seconds * share(), SIGKILL);
  if (code == 0)
    return false;
  if (code != 128 + SIGKILL) {
    char *err = file_read("err.txt");
    fail_msg("exit code %d: %s", code, err);
  }
  return true;
}

/* Runs to the end from the last checkpoint, or from the start where there is none yet. */
static void run_to_the_end(const char *words)
{
  outcome *o = command(file_exists("c") ? "resume c --quiet" : words);
  if (o->code != 0)
    fail_msg("exit code %d: %s", o->code, o->err);
}

static void check_kills(const mission *m, int kills, bool each)
{
  char words[600];
  double seconds = reference(m);
  snprintf(words, sizeof words,
           "run m.dae %s --quiet --out a.csv --json a.json --checkpoint c --checkpoint-every 10ms",
           m->options);
  for (int done = 0; done < kills;) {
    file_write("a.csv", "old");
    for (int i = 0; i < 5 && done < kills; i++, done++) {
      bool ended = !killed(words, 1.3 * seconds + 0.02);
      old_or_whole(m, "old");
      if (ended)
        break;
      if (each) {
        /* to the end, and back to the state after the kill */
        shell("rm -rf copy && mkdir copy && find . -maxdepth 1 -type f | xargs cp -p -t copy");
        run_to_the_end(words);
        same_results(m);
        shell("find . -maxdepth 1 -type f -delete && cp -p copy/* .");
      }
    }
    /* without a checkpoint the run is complete, or it has not begun, or a kill just before its exit
     * was followed by another run that has not got far */
    char *text = file_read("a.csv");
    bool begun = file_exists("c") || file_exists("a.csv.part") || file_exists("a.json.part");
    bool complete = !begun && strcmp(text, "old") != 0;
    free(text);
    if (!complete)
      run_to_the_end(words);
    same_results(m);
  }
}

static void test_killed_runs_resume_to_the_same_bits(void **state)
{
  (void)state;
  bool all = getenv("DAEDAL_LONG") != NULL;
  for (int i = 0; i < MISSIONS; i++)
    check_kills(&missions[i], all ? LONG_KILLS : KILLS, all);
}

static void test_interrupted_runs_resume_to_the_same_bits(void **state)
{
  (void)state;
  const mission m = {"pendulum", "--to 1500 --report --out b.npz --out b.mat"};
  char words[600];
  double seconds = reference(&m);
  snprintf(words, sizeof words, "run m.dae %s --quiet --out a.csv --json a.json --checkpoint c",
           m.options);
  pid_t child = start(words);
  file_await("c");
  int code = kill_after(child, 0.3 * seconds, SIGTERM);
  if (code != 0) {
    assert_int_equal(code, 130);
    char *err = file_read("err.txt");
    assert_non_null(strstr(err, "daedal resume "));
    free(err);
    /* the results so far, and from there on */
    table t = table_read("a.csv");
    assert_true(t.rows > 1 && table_at(&t, -1, 0) < 1500);
    table_free(&t);
    command_exits(0, "resume c --quiet");
  }
  same_results(&m);
  shell("cmp b.npz ref/b.npz && cmp b.mat ref/b.mat");
  assert_false(file_exists("b.npz.rows.part"));
}

/* Leaves the folder with a checkpoint in the middle of a run. */
static void begin_run(const char *set)
{
  char words[300];
  shell("rm -f c c.old *.part *.csv");
  file_write("p.dae", pendulum);
  snprintf(words, sizeof words,
           "run p.dae --to 1e7 --quiet --checkpoint c --checkpoint-every 10ms%s", set);
  pid_t child = start(words);
  file_await("c.old");
  kill(child, SIGKILL);
  command_wait(child);
}

static void test_checkpoints_of_other_models_are_refused(void **state)
{
  (void)state;
  begin_run("");
  char *changed = strdup(pendulum);
  strstr(changed, "9.81")[0] = '8';
  file_write("p.dae", changed);
  free(changed);
  command_refuses(2, "resume c", "the text of p.dae has changed");
  assert_true(file_exists("c") && file_exists("pendulum.csv.part"));

  file_write("values", "L = 2\n");
  begin_run(" --set-from values");
  file_write("values", "L = 3\n");
  command_refuses(2, "resume c", "values has changed");
  command_refuses(7, "resume nothing", "No such file or directory");
  command_refuses(7, "resume p.dae", "is no checkpoint");
  unlink("p.dae");
  command_refuses(7, "resume c", "p.dae");
}

static void test_damaged_checkpoints_are_refused(void **state)
{
  (void)state;
  begin_run("");
  shell("head -c 1000 c > cut; head -c 100 c > start; cp c bit; cp c version");
  shell("printf 'x' | dd of=bit bs=1 seek=2000 conv=notrunc 2>/dev/null");
  shell("printf '\\011' | dd of=version bs=1 seek=8 conv=notrunc 2>/dev/null");
  command_refuses(7, "resume cut", "is torn");
  command_refuses(7, "resume start", "is torn");
  command_refuses(7, "resume bit", "is torn");
  command_refuses(2, "resume version", "has version 9");
  /* the one before it is named, and can be resumed */
  shell("rm c; cp bit c");
  command_refuses(7, "resume c", "c.old");
  /* the results behind it are another matter */
  file_write("pendulum.csv.part", "t,x,y\r\n0,0,0\r\n");
  command_refuses(7, "resume c.old", "cannot be continued");
}

static void test_checkpoints_replace_nothing_else(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  file_write("notes", "precious");
  command_refuses(1, "run p.dae --checkpoint notes", "is not overwritten");
  command_refuses(1, "run p.dae --checkpoint p.dae", "is not overwritten");
  command_refuses(1, "run p.dae --checkpoint-every 5s", "belongs to --checkpoint");
  command_refuses(1, "run p.dae --checkpoint c --checkpoint-every soon", "expected a time");
  command_refuses(1, "run p.dae --checkpoint c --checkpoint-every -1s", "expected a time");
  command_refuses(7, "run p.dae --checkpoint no/folder/c", "No such file");
  command_refuses(7, "run p.dae --checkpoint c --out -", "not a regular file");
  char *text = file_read("notes");
  assert_string_equal(text, "precious");
  free(text);
  command_exits(0, "run p.dae --checkpoint c --out /dev/null --quiet");
  assert_false(file_exists("c"));
}

/* From another folder, and after the folder has moved. */
static void test_runs_resume_from_anywhere(void **state)
{
  (void)state;
  command_exits(0, "run --help");
  file_write("p.dae", pendulum);
  command_exits(0, "run p.dae --to 2000 --quiet --out ref.csv");
  shell("mkdir one two");
  for (int moved = 0; moved < 2; moved++) {
    shell("rm -rf one three && mkdir one && cp p.dae one");
    assert_int_equal(chdir("one"), 0);
    pid_t child =
        start("run p.dae --to 2000 --quiet --out a.csv --checkpoint c --checkpoint-every 5ms");
    file_await("c");
    kill(child, SIGKILL);
    command_wait(child);
    assert_int_equal(chdir(moved ? ".." : "../two"), 0);
    if (moved) {
      shell("mv one three");
      assert_int_equal(chdir("three"), 0);
    }
    command_exits(0, moved ? "resume c" : "resume ../one/c");
    assert_int_equal(chdir(".."), 0);
    shell(moved ? "cmp ref.csv three/a.csv" : "cmp ref.csv one/a.csv");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_killed_runs_resume_to_the_same_bits),
      IN_FOLDER(test_interrupted_runs_resume_to_the_same_bits),
      IN_FOLDER(test_checkpoints_of_other_models_are_refused),
      IN_FOLDER(test_damaged_checkpoints_are_refused),
      IN_FOLDER(test_checkpoints_replace_nothing_else),
      IN_FOLDER(test_runs_resume_from_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
