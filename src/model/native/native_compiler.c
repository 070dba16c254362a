/* The compiler as a child process, without a shell: its messages are read through a pipe, and it is
 * stopped, with everything it has started, when it takes too long or the caller has enough. */
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

/* Every operator rounds as it is written, and functions are those of the library, called as they
 * stand: pow(x, 2) is not x x. Parts of a tape stay apart. */
static const char *const flags[] = {"-std=c99",
                                    "-O1",
                                    "-fPIC",
                                    "-shared",
                                    "-pipe",
                                    "-ffp-contract=off",
                                    "-fno-math-errno",
                                    "-fno-inline",
                                    "-fno-builtin-pow",
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
  dae__put(s, "\n/* daedal ");
  dae__put(s, dae_version());
  dae__put(s, " on ");
  dae__put(s, machine.sysname);
  dae__put(s, " ");
  dae__put(s, machine.machine);
  dae__put(s, ": ");
  dae__put(s, compiler_of(options));
  for (int i = 0; i < FLAGS; i++) {
    dae__put(s, " ");
    dae__put(s, flags[i]);
  }
  dae__put(s, " */\n");
}

/* ---- the process ---- */

typedef struct child {
  pid_t id;
  int messages;    /* end of the pipe to read from */
  char text[2000]; /* the first ones */
  size_t length;
  bool ended, well; /* well: it said that all went well */
} child;

/* The words of the compiler, cut in place. */
static int compiler_cut_words(char *text, char *word[WORDS])
{
  int count = 0;
  for (char *at = strtok_r(text, " ", &text); at && count < WORDS; at = strtok_r(NULL, " ", &text))
    word[count++] = at;
  return count;
}

/* a process of its own group, which messages come from */
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

static int compiler_start(char **words, child *c)
{
  int ends[2];
  if (pipe(ends) != 0)
    return errno;
  for (int i = 0; i < 2; i++)
    fcntl(ends[i], F_SETFD, FD_CLOEXEC);
  c->messages = ends[0];
  int failed = compiler_spawn(words, ends[1], c);
  close(ends[1]);
  if (failed)
    close(ends[0]);
  return failed;
}

static double compiler_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Looks whether it has ended, or waits until it has. Where SIGCHLD is ignored nobody can tell how
 * it ended: the library will show. */
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

/* Reads what there is; false after the last of it. */
static bool compiler_take_messages(child *c)
{
  char bytes[512];
  ssize_t count = read(c->messages, bytes, sizeof bytes);
  size_t room = sizeof c->text - 1 - c->length;
  if (count <= 0)
    return count < 0 && errno == EINTR;
  size_t taken = (size_t)count < room ? (size_t)count : room;
  memcpy(c->text + c->length, bytes, taken);
  c->length += taken;
  return true;
}

/* Until the compiler has closed its end of the pipe; or has ended, and only something it has left
 * running holds it. DAE_ERROR_INTERRUPTED: proceed said no. */
static dae_status compiler_listen_to(child *c, const dae_native_options *options, dae_error *err)
{
  struct pollfd on = {.fd = c->messages, .events = POLLIN};
  for (double end = compiler_now() + options->seconds;;) {
    if (options->proceed && !options->proceed(options->proceed_user))
      return dae__fail(err, DAE_ERROR_INTERRUPTED, NULL, "interrupted while compiling");
    if (compiler_now() > end)
      return dae__fail(err, DAE_ERROR_NATIVE, NULL,
                       "the compiler was stopped after %g s: the model is large", options->seconds);
    int news = poll(&on, 1, 100);
    if (news == 0 ? compiler_has_ended(c, false) : news > 0 && !compiler_take_messages(c))
      return DAE_OK;
  }
}

static dae_status no_compiler(const char *compiler, int why, dae_error *err)
{
  return dae__fail(
      err, DAE_ERROR_NATIVE, NULL,
      "the compiler %.100s could not be started: %s. Install a C compiler, or name one "
      "in the environment variable CC",
      compiler, strerror(why));
}

static dae_status compiler_run(char **words, const dae__native_place *place,
                               const dae_native_options *options, dae_error *err)
{
  child c = {.length = 0};
  int failed = compiler_start(words, &c);
  if (failed)
    return no_compiler(words[0], failed, err);
  dae_status status = compiler_listen_to(&c, options, err);
  if (status)
    kill(-c.id, SIGKILL);
  close(c.messages);
  compiler_has_ended(&c, true);
  if (!status && !c.well)
    status = dae__fail(err, DAE_ERROR_NATIVE, NULL,
                       "%.60s could not compile the source, which is left in %.160s:\n%.220s",
                       words[0], place->source, c.text);
  return status;
}

/* ---- compiling ---- */

static bool compiler_write_source(const char *path, const dae__source *text)
{
  FILE *file = fopen(path, "wb");
  if (!file)
    return false;
  bool written = fwrite(text->text, 1, (size_t)text->length, file) == (size_t)text->length;
  return fclose(file) == 0 && written;
}

/* A folder for this attempt alone, so that processes and threads do not meet. */
typedef struct workshop {
  char folder[DAE__NATIVE_PATH + 32], source[DAE__NATIVE_PATH + 48], library[DAE__NATIVE_PATH + 48];
} workshop;

static bool compiler_open_workshop(const dae__native_place *place, workshop *w)
{
  snprintf(w->folder, sizeof w->folder, "%s/compiling-XXXXXX", place->folder);
  if (!mkdtemp(w->folder))
    return false;
  snprintf(w->source, sizeof w->source, "%s/code.c", w->folder);
  snprintf(w->library, sizeof w->library, "%s/code.so", w->folder);
  return true;
}

static void compiler_close_workshop(const workshop *w)
{
  remove(w->library);
  remove(w->source);
  rmdir(w->folder);
}

static dae_status compiler_compile(const workshop *w, const dae__native_place *place,
                                   char *compiler, const dae_native_options *options,
                                   dae_error *err)
{
  char *words[WORDS + FLAGS + 5];
  int count = compiler_cut_words(compiler, words);
  for (int i = 0; i < FLAGS; i++)
    words[count++] = (char *)flags[i]; /* not written to: argv is as it is for historical reasons */
  words[count++] = (char *)"-o";
  words[count++] = (char *)w->library;
  words[count++] = (char *)w->source;
  words[count++] = (char *)"-lm";
  words[count] = NULL;
  return compiler_run(words, place, options, err);
}

dae_status dae__native_build(const dae__native_place *place, const dae_native_options *options,
                             const dae__source *text, dae_error *err)
{
  workshop w;
  char compiler[512];
  if (snprintf(compiler, sizeof compiler, "%s", compiler_of(options)) >= (int)sizeof compiler)
    return dae__fail(err, DAE_ERROR_NATIVE, NULL, "the name of the compiler is too long");
  if (!compiler_open_workshop(place, &w))
    return dae__fail(err, DAE_ERROR_NATIVE, NULL, "nothing can be written to the folder %.200s: %s",
                     place->folder, strerror(errno));
  dae_status status = DAE_OK;
  if (!compiler_write_source(w.source, text))
    status = dae__fail(err, DAE_ERROR_NATIVE, NULL, "the source cannot be written to %.200s: %s",
                       w.source, strerror(errno));
  if (!status)
    status = compiler_compile(&w, place, compiler, options, err);
  if (!status)
    status = dae__native_keep(place, w.library, text, err);
  if (status != DAE_ERROR_INTERRUPTED)
    rename(w.source, place->source); /* for people */
  compiler_close_workshop(&w);
  return status;
}
