#include "command.h"

#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char pendulum[] = "model pendulum \"a point mass on a rigid rod\"\n"
                        "param m = 1, L = 1, g = 9.81\n"
                        "coord x = L, y = 0\n"
                        "kinetic    m*(x'^2 + y'^2)/2\n"
                        "potential  m*g*y\n"
                        "constraint rod: x^2 + y^2 = L^2\n"
                        "output energy = kinetic + potential\n"
                        "simulate to 10 rtol 1e-6\n";

const char decay[] = "model decay\n"
                     "state x = 1\n"
                     "x' = -x\n";

/* ---- folders ---- */

static char folder[1024];

int command_enter(void **state)
{
  (void)state;
  snprintf(folder, sizeof folder, "%s/work_XXXXXX", WORK);
  return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

int command_leave(void **state)
{
  (void)state;
  char remove[1100];
  snprintf(remove, sizeof remove, "rm -rf '%s'", folder);
  return chdir(WORK) == 0 && system(remove) == 0 ? 0 : -1;
}

/* ---- files ---- */

void file_write(const char *path, const char *text)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

char *file_read(const char *path)
{
  struct stat status;
  FILE *file = fopen(path, "rb");
  if (!file)
    fail_msg("%s cannot be read", path);
  assert_int_equal(fstat(fileno(file), &status), 0);
  char *text = calloc(1, (size_t)status.st_size + 1);
  assert_non_null(text);
  size_t length = fread(text, 1, (size_t)status.st_size, file);
  assert_int_equal(length, status.st_size);
  fclose(file);
  return text;
}

bool file_exists(const char *path)
{
  return access(path, F_OK) == 0;
}

void file_await(const char *path)
{
  struct stat status;
  for (int i = 0; i < 1000; i++) {
    if (stat(path, &status) == 0 && status.st_size > 0)
      return;
    nanosleep(&(struct timespec){0, 10000000}, NULL);
  }
  fail_msg("%s did not come", path);
}

/* ---- the command ---- */

static int exit_code(int status)
{
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void read_into(const char *path, char *text, size_t size)
{
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
  unlink(path);
}

outcome *command(const char *arguments)
{
  static outcome result;
  char line[4096];
  snprintf(line, sizeof line, "'%s' %s >.out 2>.err </dev/null", COMMAND, arguments);
  result.code = exit_code(system(line));
  read_into(".out", result.out, sizeof result.out);
  read_into(".err", result.err, sizeof result.err);
  return &result;
}

outcome *command_exits(int code, const char *arguments)
{
  outcome *result = command(arguments);
  if (result->code != code)
    fail_msg("daedal %s: exit code %d, not %d\n%s%s", arguments, result->code, code, result->out,
             result->err);
  return result;
}

void command_refuses(int code, const char *arguments, const char *because)
{
  outcome *result = command_exits(code, arguments);
  if (!strstr(result->err, because))
    fail_msg("daedal %s: does not say '%s' but\n%s", arguments, because, result->err);
  assert_non_null(strstr(result->err, "daedal: error: "));
}

/* in the child: the descriptor becomes the given one, or a file */
static void redirect(int descriptor, int given, const char *path)
{
  int file = given >= 0 ? given : open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0 || dup2(file, descriptor) < 0)
    _exit(99);
}

pid_t command_start(const char *const *arguments, int out, int err)
{
  const char *words[32] = {COMMAND};
  for (int i = 0; arguments[i] && i < 30; i++)
    words[i + 1] = arguments[i];
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child > 0)
    return child;
  signal(SIGINT, SIG_DFL); /* a shell may have started us in the background */
  alarm(60);
  redirect(STDOUT_FILENO, out, "out.txt");
  redirect(STDERR_FILENO, err, "err.txt");
  execv(COMMAND, (char *const *)words);
  _exit(99);
}

int command_wait(pid_t child)
{
  int status;
  assert_true(waitpid(child, &status, 0) == child);
  return exit_code(status);
}

/* ---- CSV ---- */

static int count_fields(const char *line, size_t length)
{
  int count = 1;
  for (size_t i = 0; i < length; i++)
    count += line[i] == ',';
  return count;
}

/* Whether a number is written with the fewest digits that read back as the same number: printf
 * needs as many. */
static bool is_shortest(const char *text, size_t length, double value)
{
  char shorter[400];
  int digits = 0, zeros = 0;
  for (size_t i = 0; i < length && text[i] != 'e'; i++) {
    bool leading = digits == 0 && text[i] == '0';
    if (text[i] < '0' || text[i] > '9' || leading)
      continue;
    zeros = text[i] == '0' ? zeros + 1 : 0;
    digits++;
  }
  digits -= zeros;
  if (digits <= 1 || !isfinite(value))
    return true;
  snprintf(shorter, sizeof shorter, "%.*g", digits - 1, value);
  return strtod(shorter, NULL) != value;
}

/* one record of numbers; its length without the line end */
static size_t read_record(const char *line, double *values, int columns)
{
  const char *at = line;
  for (int i = 0; i < columns; i++) {
    char *end;
    values[i] = strtod(at, &end);
    assert_true(end > at && is_shortest(at, (size_t)(end - at), values[i]));
    assert_true(*end == (i + 1 < columns ? ',' : '\r'));
    at = end + 1;
  }
  return (size_t)(at - 1 - line);
}

table table_read(const char *path)
{
  table t = {0};
  char *text = file_read(path);
  size_t header = strcspn(text, "\r");
  assert_true(header > 0 && header < sizeof t.header);
  memcpy(t.header, text, header);
  t.columns = count_fields(t.header, header);
  for (const char *c = text; *c; c++)
    t.rows += *c == '\n';
  t.values = calloc((size_t)(t.rows * t.columns) + 1, sizeof *t.values);
  assert_non_null(t.values);
  const char *at = text + header;
  for (t.rows = 0; strcmp(at, "\r\n") != 0; t.rows++) {
    assert_memory_equal(at, "\r\n", 2);
    at += 2;
    at += read_record(at, t.values + t.rows * t.columns, t.columns);
  }
  free(text);
  return t;
}

void table_free(table *t)
{
  free(t->values);
}

double table_at(const table *t, int row, int column)
{
  assert_true(column < t->columns);
  return t->values[(row < 0 ? t->rows + row : row) * t->columns + column];
}

/* ---- JSON by RFC 8259 ---- */

static const char *skip_value(const char *at);

static const char *skip_space(const char *at)
{
  return at + strspn(at, " \t\r\n");
}

static const char *skip_string(const char *at)
{
  assert_true(*at == '"');
  for (at++; *at != '"'; at++) {
    assert_true((unsigned char)*at >= 0x20);
    if (*at == '\\')
      assert_non_null(strchr("\"\\/bfnrtu", *++at));
  }
  return at + 1;
}

/* the members of {...} or the elements of [...] */
static const char *skip_list(const char *at, char end, bool keys)
{
  at = skip_space(at + 1);
  while (*at != end) {
    if (keys) {
      at = skip_space(skip_string(at));
      assert_true(*at == ':');
      at = skip_space(at + 1);
    }
    at = skip_space(skip_value(at));
    if (*at == ',') {
      at = skip_space(at + 1);
      assert_true(*at != end);
    } else {
      assert_true(*at == end);
    }
  }
  return at + 1;
}

static const char *skip_value(const char *at)
{
  static const char *const words[] = {"true", "false", "null"};
  if (*at == '{' || *at == '[')
    return skip_list(at, *at == '{' ? '}' : ']', *at == '{');
  if (*at == '"')
    return skip_string(at);
  for (int i = 0; i < 3; i++)
    if (strncmp(at, words[i], strlen(words[i])) == 0)
      return at + strlen(words[i]);
  assert_true(*at == '-' || isdigit((unsigned char)*at));
  char *end;
  strtod(at, &end);
  return end;
}

double json_number(const char *path, const char *key)
{
  char *text = file_read(path), quoted[80];
  assert_true(*skip_space(skip_value(skip_space(text))) == '\0');
  snprintf(quoted, sizeof quoted, "\"%s\": ", key);
  const char *at = strstr(text, quoted);
  if (!at)
    fail_msg("%s has no %s", path, key);
  at += strlen(quoted);
  double value = strncmp(at, "null", 4) == 0 ? NAN : strtod(at, NULL);
  free(text);
  return value;
}
