/* The cache of native code and the compiler: what is found again, what is refused, and that a model
 * whose code cannot be made is interpreted as ever. */
#include "counting_env.h"
#include "native_fixture.h"

#include <daedal/daedal.h>
#include <daedal/model.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

static const char text[] = "model pendulum\n"
                           "param m = 1, L = 1, g = 9.81\n"
                           "coord x = L, y = 0\n"
                           "kinetic m*(x'^2 + y'^2)/2\n"
                           "potential m*g*y\n"
                           "constraint x^2 + y^2 = L^2\n"
                           "simulate to 1\n";

static int enter(void **state)
{
  native_fixture *f = malloc(sizeof *f);
  *f = native_fixture_create();
  *state = f;
  return 0;
}

static int leave(void **state)
{
  native_fixture_free(*state);
  free(*state);
  return 0;
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)

static dae_model *load(const char *set)
{
  dae_model *model;
  dae_error err;
  dae_model_options options = dae_model_defaults();
  options.set = &set;
  options.set_count = set != NULL;
  if (dae_model_parse("pendulum", text, strlen(text), &options, NULL, &model, &err) < 0)
    fail_msg("%s", err.text);
  return model;
}

/* y at the end of a run: whatever evaluates the model, the bits are the same */
static double end_of(const dae_model *model)
{
  dae_error err;
  dae_integrator *it;
  dae_start start = dae_model_start(model);
  double y[5];
  const dae_method *method = dae_method_find("gauss", &err);
  assert_true(method->create(dae_model_problem(model), &start, NULL, NULL, &it, &err) >= 0);
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, 1, &err);
  assert_int_equal(status, DAE_END);
  assert_true(dae_integrator_interpolate(it, 1, y, NULL, &err) >= 0);
  dae_integrator_free(it);
  return y[1];
}

static void check_compiles(dae_model *model, const dae_native_options *options, bool cached)
{
  dae_error err;
  double before = end_of(model);
  if (dae_model_compile(model, options, &err) < 0)
    fail_msg("%s", err.text);
  dae_native native = dae_model_native(model);
  assert_int_equal(native.cached, cached);
  assert_int_equal(native.instructions, dae_model_count(model).instructions);
  assert_true(native.seconds > 0);
  assert_true(end_of(model) == before);
}

/* It fails so, says why, and the model is interpreted. */
static void check_fails(const dae_native_options *options, dae_status status, const char *why)
{
  dae_error err;
  dae_model *model = load(NULL);
  double before = end_of(model);
  assert_int_equal(dae_model_compile(model, options, &err), status);
  assert_int_equal(err.status, status);
  if (!strstr(err.text, why))
    fail_msg("'%s' does not say '%s'", err.text, why);
  assert_int_equal(dae_model_native(model).instructions, 0);
  assert_true(end_of(model) == before);
  dae_model_free(model);
  /* no process is left behind */
  assert_true(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static double wall(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static dae_native_options with_script(const native_fixture *f, const char *script)
{
  dae_native_options options = native_fixture_options(f);
  native_fixture_script(f, script);
  options.compiler = f->compiler;
  return options;
}

/* ---- what is kept ---- */

static void test_a_second_run_needs_no_compiler(void **state)
{
  native_fixture *f = *state;
  dae_native_options options = with_script(f, "exec cc \"$@\"");
  dae_model *model = load(NULL);
  check_compiles(model, &options, false);
  dae_model_free(model);
  remove(f->compiler);
  model = load(NULL);
  check_compiles(model, &options, true);
  dae_model_free(model);
}

/* params are no part of the code */
static void test_other_params_find_the_same_code(void **state)
{
  native_fixture *f = *state;
  dae_native_options options = native_fixture_options(f);
  dae_model *model = load(NULL), *other = load("L=1.7");
  check_compiles(model, &options, false);
  check_compiles(other, &options, true);
  assert_true(end_of(model) != end_of(other));
  dae_model_free(model);
  dae_model_free(other);
}

static void test_another_compiler_has_code_of_its_own(void **state)
{
  native_fixture *f = *state;
  dae_native_options options = native_fixture_options(f);
  dae_model *model = load(NULL);
  check_compiles(model, &options, false);
  options.compiler = "cc -DOTHER";
  check_compiles(model, &options, false);
  check_compiles(model, &options, true); /* compiled again, it is the same */
  dae_model_free(model);
}

/* cuts the library short, or changes a byte of it */
static void damage(const char *path, long size, long at)
{
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  long whole = ftell(file);
  if (size > 0)
    assert_int_equal(truncate(path, whole - size), 0);
  if (at > 0) {
    fseek(file, at, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ 1, file);
  }
  fclose(file);
}

static void test_damaged_code_is_compiled_again(void **state)
{
  native_fixture *f = *state;
  dae_native_options options = native_fixture_options(f);
  static const long cut[] = {1, 100, 9000, 0, 0}, changed[] = {0, 0, 0, 100, 9000};
  for (int i = 0; i < 5; i++) {
    dae_model *model = load(NULL);
    check_compiles(model, &options, false);
    dae_model_free(model);
    damage(native_fixture_file(f, ".so"), cut[i], changed[i]);
  }
}

static void test_code_goes_with_its_model(void **state)
{
  native_fixture *f = *state;
  dae_native_options options = native_fixture_options(f);
  dae_model *model = load(NULL);
  check_compiles(model, &options, false);
  dae_model_free(model);
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[1024];
  while (maps && fgets(line, sizeof line, maps))
    assert_null(strstr(line, f->cache));
  if (maps)
    fclose(maps);
}

static void test_processes_may_compile_at_once(void **state)
{
  native_fixture *f = *state;
  dae_native_options options = native_fixture_options(f);
  enum { PROCESSES = 4 };
  dae_model *model = load(NULL);
  double expected = end_of(model);
  pid_t child[PROCESSES];
  for (int i = 0; i < PROCESSES; i++) {
    child[i] = fork();
    if (child[i] == 0)
      _exit(dae_model_compile(model, &options, NULL) == DAE_OK && end_of(model) == expected ? 0
                                                                                            : 1);
  }
  for (int i = 0; i < PROCESSES; i++) {
    int how;
    assert_int_equal(waitpid(child[i], &how, 0), child[i]);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
  }
  check_compiles(model, &options, true);
  assert_int_equal(native_fixture_count(f), 2); /* library and source: nothing else is left */
  dae_model_free(model);
}

/* as a server of a compiler cache may do */
static void test_what_a_compiler_leaves_running_is_not_waited_for(void **state)
{
  dae_native_options options = with_script(*state, "sleep 20 & exec cc \"$@\"");
  dae_model *model = load(NULL);
  double begin = wall();
  check_compiles(model, &options, false);
  assert_true(wall() - begin < 15);
  dae_model_free(model);
}

/* ---- what goes wrong with the compiler ---- */

static void test_a_compiler_that_is_missing_is_named(void **state)
{
  dae_native_options options = native_fixture_options(*state);
  options.compiler = "no-such-compiler -O3";
  check_fails(&options, DAE_ERROR_NATIVE, "cannot start the compiler no-such-compiler");
  check_fails(&options, DAE_ERROR_NATIVE, "environment variable CC");
}

static void test_messages_of_the_compiler_are_told(void **state)
{
  native_fixture *f = *state;
  dae_native_options options = with_script(f, "echo 'I do not like it' >&2; exit 3");
  check_fails(&options, DAE_ERROR_NATIVE, "I do not like it");
  check_fails(&options, DAE_ERROR_NATIVE, native_fixture_file(f, ".c")); /* where the source is */
  assert_int_equal(native_fixture_count(f), 1);
}

static void test_a_compiler_that_makes_nothing_is_noticed(void **state)
{
  dae_native_options options = with_script(*state, "exit 0");
  check_fails(&options, DAE_ERROR_NATIVE, "did not produce a readable library");
}

static void test_a_compiler_that_makes_nonsense_is_noticed(void **state)
{
  /* the word after -o */
  dae_native_options options =
      with_script(*state, "while [ \"$1\" != -o ]; do shift; done; echo nonsense > \"$2\"");
  check_fails(&options, DAE_ERROR_NATIVE, "cannot load native code");
}

static bool refuse(void *user)
{
  return ++*(int *)user < 3;
}

static void test_a_compiler_that_does_not_end_is_stopped(void **state)
{
  dae_native_options options = with_script(*state, "sleep 100 & sleep 100");
  double begin = wall();
  options.seconds = 0.2;
  check_fails(&options, DAE_ERROR_NATIVE, "exceeded 0.2 s");
  int asked = 0;
  options.seconds = 100;
  options.proceed = refuse;
  options.proceed_user = &asked;
  check_fails(&options, DAE_ERROR_INTERRUPTED, "interrupted");
  assert_int_equal(asked, 3);
  assert_true(wall() - begin < 50); /* it did not wait for what the compiler had started */
  assert_int_equal(native_fixture_count(*state), 1); /* the source of the first one */
}

static void test_large_models_are_left_to_the_interpreter(void **state)
{
  dae_native_options options = native_fixture_options(*state);
  options.instructions = 0;
  check_fails(&options, DAE_ERROR_NATIVE, "limit of 0");
  assert_int_equal(native_fixture_count(*state), 0);
  options.seconds = 0;
  check_fails(&options, DAE_ERROR_OPTION, "time");
}

static void test_a_limit_leaves_a_rest_to_the_interpreter(void **state)
{
  dae_native_options options = native_fixture_options(*state);
  dae_error err;
  dae_model *model = load(NULL);
  double before = end_of(model);
  long all = dae_model_count(model).instructions;
  options.instructions = all - 1;
  if (dae_model_compile(model, &options, &err) < 0)
    fail_msg("%s", err.text);
  dae_native native = dae_model_native(model);
  assert_true(native.instructions > 0 && native.interpreted > 0);
  assert_int_equal(native.instructions + native.interpreted, all);
  assert_true(end_of(model) == before);
  dae_model_free(model);
}

/* ---- the folder ---- */

static void test_folders_of_others_are_refused(void **state)
{
  native_fixture *f = *state;
  dae_native_options options = native_fixture_options(f);
  assert_int_equal(mkdir(f->cache, 0700), 0);
  chmod(f->cache, 0770);
  check_fails(&options, DAE_ERROR_NATIVE, "is writable by other users");
  if (geteuid() == 0 && chown(f->cache, 12345, 12345) == 0) {
    chmod(f->cache, 0700);
    check_fails(&options, DAE_ERROR_NATIVE, "belongs to another user");
  }
}

static void test_folders_that_cannot_be_are_refused(void **state)
{
  native_fixture *f = *state;
  dae_native_options options = native_fixture_options(f);
  options.cache = "/dev/null/cache";
  check_fails(&options, DAE_ERROR_NATIVE, "/dev/null/cache");
  FILE *file = fopen(f->cache, "w");
  fclose(file);
  options.cache = f->cache;
  check_fails(&options, DAE_ERROR_NATIVE, "is not a folder");
}

/* ---- what lies in the place of a file ---- */

/* The library of the cache is replaced by what `plant` makes of its path: it is not loaded, the
 * model is compiled again, and what others own stays as it was. */
static void check_planted(native_fixture *f, void (*plant)(const char *path, const char *kept))
{
  dae_native_options options = native_fixture_options(f);
  char path[512], kept[128];
  dae_model *model = load(NULL);
  check_compiles(model, &options, false);
  snprintf(path, sizeof path, "%s", native_fixture_file(f, ".so"));
  snprintf(kept, sizeof kept, "%s/kept.so", f->folder);
  assert_int_equal(rename(path, kept), 0);
  plant(path, kept);
  check_compiles(model, &options, false);
  check_compiles(model, &options, true);
  dae_model_free(model);
}

static void plant_link(const char *path, const char *kept)
{
  assert_int_equal(symlink(kept, path), 0);
}

static void plant_fifo(const char *path, const char *kept)
{
  (void)kept;
  assert_int_equal(mkfifo(path, 0600), 0);
}

static void plant_writable(const char *path, const char *kept)
{
  assert_int_equal(rename(kept, path), 0);
  assert_int_equal(chmod(path, 0722), 0);
}

static void plant_of_another_user(const char *path, const char *kept)
{
  assert_int_equal(rename(kept, path), 0);
  assert_int_equal(chown(path, 12345, 12345), 0);
}

/* Code of another text under the name of this one, as if their keys collided: it is not loaded. */
static void test_code_of_another_text_is_not_loaded(void **state)
{
  native_fixture *f = *state;
  dae_native_options options = native_fixture_options(f);
  char path[512], kept[128];
  dae_model *model = load(NULL);
  options.compiler = "cc -DTHIS";
  check_compiles(model, &options, false);
  snprintf(kept, sizeof kept, "%s/kept.so", f->folder);
  assert_int_equal(rename(native_fixture_file(f, ".so"), kept), 0);
  options.compiler = "cc -DTHAT"; /* a text of the same length */
  check_compiles(model, &options, false);
  snprintf(path, sizeof path, "%s", native_fixture_file(f, ".so"));
  assert_int_equal(rename(kept, path), 0);
  check_compiles(model, &options, false);
  check_compiles(model, &options, true);
  dae_model_free(model);
}

static void test_a_link_is_not_loaded(void **state)
{
  check_planted(*state, plant_link);
}

static void test_a_fifo_is_not_waited_for(void **state)
{
  check_planted(*state, plant_fifo);
}

static void test_a_file_that_others_may_write_is_not_loaded(void **state)
{
  check_planted(*state, plant_writable);
}

static void test_a_file_of_another_user_is_not_loaded(void **state)
{
  if (geteuid() != 0)
    skip();
  check_planted(*state, plant_of_another_user);
}

/* the umask decides about the files of the compiler, not about what is loaded */
static void test_any_umask_will_do(void **state)
{
  mode_t before = umask(0);
  dae_native_options options = native_fixture_options(*state);
  dae_model *model = load(NULL);
  check_compiles(model, &options, false);
  check_compiles(model, &options, true);
  umask(before);
  dae_model_free(model);
}

/* ---- size of the cache ---- */

/* Of three compilers with code of their own two libraries are kept: the one of now, and the one
 * used last; other files are left alone. */
static void test_the_cache_is_bounded(void **state)
{
  native_fixture *f = *state;
  dae_native_options options = native_fixture_options(f);
  static const char *const compilers[] = {"cc -DFIRST", "cc -DSECOND", "cc -DTHIRD"};
  const struct timespec pause = {.tv_nsec = 20000000}; /* more than a tick of time stamps */
  char own[128];
  struct stat is;
  dae_model *model = load(NULL);
  for (int i = 0; i < 2; i++) {
    options.compiler = compilers[i];
    check_compiles(model, &options, false);
    nanosleep(&pause, NULL);
  }
  size_t bytes = 0;
  assert_int_equal(stat(native_fixture_file(f, ".so"), &is), 0);
  bytes += (size_t)is.st_size;
  assert_int_equal(stat(native_fixture_file(f, ".c"), &is), 0);
  bytes += (size_t)is.st_size;
  snprintf(own, sizeof own, "%s/notes.txt", f->cache);
  FILE *file = fopen(own, "w");
  assert_non_null(file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(native_fixture_count(f), 5);
  options.compiler = compilers[0];
  check_compiles(model, &options, true); /* used after the second one */
  nanosleep(&pause, NULL);
  options.compiler = compilers[2];
  options.cache_bytes = 2 * bytes;
  check_compiles(model, &options, false);
  options.compiler = compilers[0];
  check_compiles(model, &options, true);
  options.compiler = compilers[2];
  check_compiles(model, &options, true);
  assert_int_equal(access(own, F_OK), 0);
  options.cache_bytes = 1; /* what was just compiled is kept whatever it takes */
  options.compiler = compilers[1];
  check_compiles(model, &options, false);
  check_compiles(model, &options, true);
  assert_true(native_fixture_count(f) <= 3);
  dae_model_free(model);
}

/* the option before DAEDAL_CACHE before XDG_CACHE_HOME before HOME */
static void test_the_environment_names_the_folder(void **state)
{
  native_fixture *f = *state;
  dae_native_options options = dae_native_defaults();
  dae_model *model = load(NULL);
  char path[160];
  static const char *const variable[] = {"HOME", "XDG_CACHE_HOME", "DAEDAL_CACHE"};
  static const char *const within[] = {"/.cache/daedal", "/daedal", ""};
  for (int i = 0; i < 3; i++)
    unsetenv(variable[i]);
  check_fails(&options, DAE_ERROR_NATIVE, "HOME is not set");
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%d", f->folder, i);
    setenv(variable[i], path, 1);
    check_compiles(model, &options, false);
    snprintf(f->cache, sizeof f->cache, "%s/%d%s", f->folder, i, within[i]);
    assert_int_equal(native_fixture_count(f), 2);
  }
  for (int i = 0; i < 3; i++)
    unsetenv(variable[i]);
  dae_model_free(model);
}

/* ---- memory ---- */

static const native_fixture *at_hand;

static bool build(const dae_env *env)
{
  dae_model *model;
  dae_native_options options = native_fixture_options(at_hand);
  bool built = dae_model_parse("pendulum", text, strlen(text), NULL, env, &model, NULL) == DAE_OK &&
               dae_model_compile(model, &options, NULL) == DAE_OK;
  dae_model_free(model);
  return built;
}

/* With the code in the cache: an allocation that fails there only makes it compile. */
static void test_every_failing_allocation_is_survived(void **state)
{
  at_hand = *state;
  for (long fail_at = 1;; fail_at++) {
    counting_env count = {.fail_at = fail_at};
    dae_env env = counting_env_of(&count);
    bool built = build(&env);
    assert_int_equal(count.live, 0);
    if (count.calls < fail_at) {
      assert_true(built);
      return;
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_a_second_run_needs_no_compiler),
      IN_FOLDER(test_other_params_find_the_same_code),
      IN_FOLDER(test_another_compiler_has_code_of_its_own),
      IN_FOLDER(test_damaged_code_is_compiled_again),
      IN_FOLDER(test_code_goes_with_its_model),
      IN_FOLDER(test_processes_may_compile_at_once),
      IN_FOLDER(test_what_a_compiler_leaves_running_is_not_waited_for),
      IN_FOLDER(test_a_compiler_that_is_missing_is_named),
      IN_FOLDER(test_messages_of_the_compiler_are_told),
      IN_FOLDER(test_a_compiler_that_makes_nothing_is_noticed),
      IN_FOLDER(test_a_compiler_that_makes_nonsense_is_noticed),
      IN_FOLDER(test_a_compiler_that_does_not_end_is_stopped),
      IN_FOLDER(test_large_models_are_left_to_the_interpreter),
      IN_FOLDER(test_a_limit_leaves_a_rest_to_the_interpreter),
      IN_FOLDER(test_folders_of_others_are_refused),
      IN_FOLDER(test_folders_that_cannot_be_are_refused),
      IN_FOLDER(test_code_of_another_text_is_not_loaded),
      IN_FOLDER(test_a_link_is_not_loaded),
      IN_FOLDER(test_a_fifo_is_not_waited_for),
      IN_FOLDER(test_a_file_that_others_may_write_is_not_loaded),
      IN_FOLDER(test_a_file_of_another_user_is_not_loaded),
      IN_FOLDER(test_any_umask_will_do),
      IN_FOLDER(test_the_cache_is_bounded),
      IN_FOLDER(test_the_environment_names_the_folder),
      IN_FOLDER(test_every_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
