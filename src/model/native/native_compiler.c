/* The compiler as a child process, without a shell: its messages are read through a pipe, and it is
 * killed, with its own children, after a time limit or when the caller interrupts. */
#define _POSIX_C_SOURCE 200809L

#include "core/error.h"
#include "model/native/native.h"
#include <daedal/version.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Compiler options for the rounding of the interpreter: every operator rounds by itself, and
 * functions are calls of the library, so that pow(x, 2) is not x x. The functions of a tape are not
 * inlined into one. */
static const char *const flags[] = {"-std=c99",
                                    "-O1",
                                    "-fPIC",
                                    "-shared",
                                    "-pipe",
                                    "-ffp-contract=off",
                                    "-fno-math-errno",
                                    "-fno-inline",
                                    "-fno-builtin-pow",
                                    "-fno-builtin-atan", /* gcc: sin(atan(NaN)) = -1 otherwise */
                                    "-w"};
enum { FLAGS = sizeof flags / sizeof *flags, WORDS = 16 };

static const char *compiler_of(const dae_native_options *options)
{
  const char *named = options->compiler ? options->compiler : getenv("CC");
  return named && named[strspn(named, " ")] ? named : "cc";
}

void dae__native_put_command(dae__source *s, const dae_native_options *options)
{
  struct utsname machine = {.machine = "?"};
  uname(&machine);
  dae__put(s, "\n/* daedal %s on %s %s: %s", dae_version(), machine.sysname, machine.machine,
           compiler_of(options));
  for (int i = 0; i < FLAGS; i++)
    dae__put(s, " %s", flags[i]);
  dae__put(s, " */\n");
}

/* ---- compiler process ---- */

typedef struct child {
  pid_t id;
  int messages;    /* read end of the pipe with the compiler's messages */
  char text[2000]; /* first 2000 bytes of the messages */
  size_t length;
  bool ended, well; /* process has ended; its exit status was 0 */
} child;

/* Starts the compiler in a process group of its own, with its output in a pipe. */
static int compiler_spawn(char **words, int output, child *c)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  if (posix_spawn_file_actions_init(&files) != 0)
    return ENOMEM;
  if (posix_spawnattr_init(&attributes) != 0) {
    posix_spawn_file_actions_destroy(&files);
    return ENOMEM;
  }
  int failed = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  failed = failed ? failed : posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  failed = failed ? failed : posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  failed = failed ? failed : posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  failed = failed ? failed : posix_spawnp(&c->id, words[0], &files, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

double dae__native_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Polls for the end of the compiler, or waits for it. If SIGCHLD is ignored, the exit status is
 * unknown and taken as 0: loading the library detects a failure. */
static bool compiler_has_ended(child *c, bool wait)
{
  int state = 0;
  pid_t id = 0;
  if (c->ended)
    return true;
  do
    id = waitpid(c->id, &state, wait ? 0 : WNOHANG);
  while (id < 0 && errno == EINTR);
  c->ended = id != 0;
  c->well = id < 0 || (id > 0 && WIFEXITED(state) && WEXITSTATUS(state) == 0);
  return c->ended;
}

/* Reads messages until the compiler has closed its end of the pipe, or has ended while one of its
 * children still holds the pipe. DAE_ERROR_INTERRUPTED: stopped by options->proceed. */
static dae_status compiler_listen_to(child *c, const dae_native_options *options, dae_error *err)
{
  struct pollfd on = {.fd = c->messages, .events = POLLIN};
  for (double end = dae__native_now() + options->seconds;;) {
    if (options->proceed && !options->proceed(options->proceed_user))
      return dae__fail(err, DAE_ERROR_INTERRUPTED, NULL, "interrupted while compiling");
    if (dae__native_now() > end)
      return dae__fail(err, DAE_ERROR_NATIVE, NULL,
                       "the compiler exceeded %g s and was stopped: the model is large",
                       options->seconds);
    int news = poll(&on, 1, 100);
    if (news == 0 && compiler_has_ended(c, false))
      return DAE_OK;
    if (news <= 0)
      continue;
    char bytes[512];
    ssize_t count = read(c->messages, bytes, sizeof bytes);
    size_t room = sizeof c->text - 1 - c->length;
    if (count <= 0 && !(count < 0 && errno == EINTR))
      return DAE_OK;
    size_t taken = count < 0 ? 0 : (size_t)count < room ? (size_t)count : room;
    memcpy(c->text + c->length, bytes, taken);
    c->length += taken;
  }
}

static dae_status compiler_run(char **words, const dae__native_place *place,
                               const dae_native_options *options, dae_error *err)
{
  child c = {.length = 0};
  int ends[2], failed = pipe(ends) != 0 ? errno : 0;
  if (!failed) {
    for (int i = 0; i < 2; i++)
      fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    c.messages = ends[0];
    failed = compiler_spawn(words, ends[1], &c);
    close(ends[1]);
    if (failed)
      close(ends[0]);
  }
  if (failed)
    return dae__fail(err, DAE_ERROR_NATIVE, NULL,
                     "cannot start the compiler %.100s: %s. Install a C compiler, or name one in "
                     "the environment variable CC",
                     words[0], strerror(failed));
  dae_status status = compiler_listen_to(&c, options, err);
  if (status)
    kill(-c.id, SIGKILL);
  close(c.messages);
  compiler_has_ended(&c, true);
  if (!status && !c.well)
    status = dae__fail(err, DAE_ERROR_NATIVE, NULL,
                       "%.60s cannot compile the source, which is kept in %.160s:\n%.220s",
                       words[0], place->source, c.text);
  return status;
}

/* ---- compiling ---- */

/* Temporary folder of one compilation, so that processes and threads do not interfere. */
typedef struct work_folder {
  char folder[DAE__NATIVE_PATH + 32], source[DAE__NATIVE_PATH + 48], library[DAE__NATIVE_PATH + 48];
} work_folder;

dae_status dae__native_build(const dae__native_place *place, const dae_native_options *options,
                             const dae__source *text, dae_error *err)
{
  work_folder w;
  char compiler[512], *rest = compiler, *words[WORDS + FLAGS + 5];
  int count = 0;
  if (snprintf(compiler, sizeof compiler, "%s", compiler_of(options)) >= (int)sizeof compiler)
    return dae__fail(err, DAE_ERROR_NATIVE, NULL, "the name of the compiler is too long");
  snprintf(w.folder, sizeof w.folder, "%s/compiling-XXXXXX", place->folder);
  if (!mkdtemp(w.folder))
    return dae__fail(err, DAE_ERROR_NATIVE, NULL, "cannot write to the folder %.200s: %s",
                     place->folder, strerror(errno));
  snprintf(w.source, sizeof w.source, "%s/code.c", w.folder);
  snprintf(w.library, sizeof w.library, "%s/code.so", w.folder);
  for (char *at = strtok_r(rest, " ", &rest); at && count < WORDS; at = strtok_r(NULL, " ", &rest))
    words[count++] = at;
  for (int i = 0; i < FLAGS; i++)
    /* cast of const strings, which posix_spawn does not write to */
    words[count++] = (char *)flags[i];
  words[count++] = (char *)"-o";
  words[count++] = w.library;
  words[count++] = w.source;
  words[count++] = (char *)"-lm";
  words[count] = NULL;
  dae_status status = DAE_OK;
  FILE *file = fopen(w.source, "wb");
  bool written = file && fwrite(text->text, 1, (size_t)text->length, file) == (size_t)text->length;
  bool closed = file && fclose(file) == 0;
  if (!written || !closed)
    status = dae__fail(err, DAE_ERROR_NATIVE, NULL, "cannot write the source to %.200s: %s",
                       w.source, strerror(errno));
  if (!status)
    status = compiler_run(words, place, options, err);
  if (!status)
    status = dae__native_keep(place, w.library, text, err);
  if (status != DAE_ERROR_INTERRUPTED)
    rename(w.source, place->source); /* the source is kept for debugging */
  remove(w.library);
  remove(w.source);
  rmdir(w.folder);
  return status;
}
