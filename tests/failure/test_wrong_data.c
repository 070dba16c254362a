/* Wrong tables, inputs, units, and files of them: refused with the place of the mistake, in the
 * model or in the file, the line itself, and what would be right. */
#include "counting_env.h"
#include "refusal.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- texts ---- */

#define X "state x\nx' = 1\n"
#define C "coord q\nkinetic q'^2/2\n"

static void check_text(const wrong *w)
{
  char text[2048];
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  dae_error err;
  dae_model *model = NULL;
  int length = snprintf(text, sizeof text, HEAD "%s", w->text);
  dae_status status = dae_model_parse("wrong.dae", text, (size_t)length, NULL, &env, &model, &err);
  if (status != DAE_ERROR_MODEL || err.status != status || model)
    complain(text, "it is not refused as a model", &err);
  else
    check_error(text, "wrong.dae", w, &err);
  dae_model_free(model);
  assert_int_equal(count.live, 0);
}

static void test_texts(void **state)
{
  (void)state;
  static const wrong table[] = {
      /* tables */
      {"table 3\n" X, 2, 7, "the name of a table"},
      {"table \"road.csv\" cubic\n" X, 2, 7, "expected the name of a table"},
      {"table f\n" X, 2, 8, "points or a file"},
      {"table f (0, 1)\n" X, 2, 9, "table road [(0, 0), (1, 0.02)]"},
      {"table f []\n" X, 2, 10, "expected ( before a point"},
      {"table f [0, 1, 2]\n" X, 2, 10, "(x, y)"},
      {"table f [(0, 1)]\n" X, 2, 11, "at least two points"},
      {"table f [(0, 1), (1)]\n" X, 2, 18, "two numbers: (x, y)"},
      {"table f [(0, 1), (1, 2, 3)]\n" X, 2, 18, "two numbers"},
      {"table f [(0, 1) (1, 2)]\n" X, 2, 17, "a comma between the points"},
      {"table f [(0, 1), (1, 2)\n" X, 3, 1, "bracket opened in line 2"},
      {"table f [(0, 1), (0, 2)]\n" X, 2, 19, "x must rise: 0 follows 0"},
      {"table f [(0, 1), (2, 2), (1, 0)]\n" X, 2, 27, "x must rise: 1 follows 2; sort"},
      {"table f [(0, 1), (1, 1/0)]\n" X, 2, 23, "a point of a table is not a finite number"},
      {"table f [(0, 1), (1, x)]\n" X, 2, 22, "cannot depend on the variable x"},
      {"table f [(0, 1), (1, t)]\n" X, 2, 22, "cannot depend on the time"},
      {"table f [(0, 1), (1, 2)] periodic\n" X, 2, 7, "2 is not 1"},
      {"table f [(0, 1), (1, 2)] hold\n" X, 2, 26, "linear or cubic; hold belongs to inputs"},
      {"table f [(0, 1), (1, 2)] linear cubic\n" X, 2, 33, "cubic after linear"},
      {"table f [(0, 1), (1, 1)] periodic periodic\n" X, 2, 35, "duplicate periodic"},
      {"table f [(0, 1), (1, 2)] columns \"a\" \"b\"\n" X, 2, 26, "columns are those of a file"},
      {"table f [(0, 1), (1, 2)] quintic\n" X, 2, 26, "linear, cubic, periodic"},
      {"table f [(0, 1), (1, 2)] \"m\"\n" X, 2, 26, "linear, cubic, periodic"},
      {"table f \"a.csv\" columns \"s\"\n" X, 2, 28, "the names of two columns"},
      {"table f \"a.csv\"\n" X, 2, 9, "not read from a file"},
      {"table f [(0, 1), (1, 2)]\ntable f [(0, 1), (1, 2)]\n" X, 3, 7,
       "duplicate declaration of f"},
      {"table sin [(0, 1), (1, 2)]\n" X, 2, 7, "sin is a keyword"},
      {"table f [(0, f(0)), (1, 2)]\n" X, 2, 14, "cyclic definition of f"},
      {"for i in 1..2 { table f [(0, 1), (1, 2)] }\n" X, 2, 17, "not allowed in for loops"},
      {"table f [(0, 1), (1, 2)]\nstate x\nx' = f\n", 4, 6, "needs its arguments"},
      {"table f [(0, 1), (1, 2)]\nstate x\nx' = f(1, 2)\n", 4, 6, "takes 1 argument, not 2"},
      {"table f [(0, 1), (1, 2)]\nstate x\nx' = f(x > 0)\n", 4, 10, "found a condition"},
      {"table f [(0, 1), (1, 2)]\nstate x\nx' = f[1]\n", 4, 6, "needs its arguments"},
      {"tabel f [(0, 1), (1, 2)]\n" X, 2, 1, "did you mean table?"},
      /* inputs */
      {"input 3\n" X, 2, 7, "the name of an input"},
      {"input u\n" X, 2, 8, "expected = and the value without data"},
      {"input u hold\n" X, 2, 9, "expected = and the value"},
      {"input u = 0 lineal\n" X, 2, 13, "hold, linear, cubic"},
      {"input u = 0 hold cubic\n" X, 2, 18, "cubic after hold"},
      {"input u = 0 linear periodic\n" X, 2, 20, "an input is not periodic"},
      {"input u = 0\nstate x\nx' = u'\n", 4, 6, "held between its samples and has no rate"},
      {"input u = 0\nparam a = u\n" X, 3, 11, "cannot depend on the input u"},
      {"input u = v\n" X, 2, 11, "unknown name v"},
      {"input u = 0\nstate x\nx' = u(t)\n", 4, 6, "u is not a function"},
      {"input u = 0\nstate x\nx' = u[1]\n", 4, 6, "u is a scalar"},
      {"input u[1..2] = 0\nstate x\nx' = u[3]\n", 4, 8, "out of range 1..2"},
      {"input u = 0, coord = 1\n" X, 2, 14, "coord is a keyword"},
      {"input u = 0\nstate x\nx' = 1\nevent e: x - 1 { u = 2 }\n", 5, 18, "u is none"},
      {"input u = 0\n" C "force u = 1\n", 5, 7, "u is not a coordinate"},
      {"inputs u = 0\n" X, 2, 1, "did you mean input?"},
      /* units */
      {"state x = 0 \"\"\nx' = 1\n", 2, 13, "1 to 60 bytes"},
      {"state x = 0 \"m\" \"s\"\nx' = 1\n", 2, 17, "duplicate unit of x"},
      {"state x = 0 \"m\nx' = 1\n", 2, 13, "a \" is missing"},
      {"state x\nx' = 1 \"m\"\n", 3, 8, "the end of the statement"},
  };
  failures = 0;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    check_text(&table[i]);
  assert_int_equal(failures, 0);
}

/* ---- files ---- */

static char folder[64];

static int make_folder(void **unused)
{
  (void)unused;
  char path[128];
  strcpy(folder, "/tmp/daedal_data_XXXXXX");
  if (!mkdtemp(folder))
    return -1;
  snprintf(path, sizeof path, "%s/model", folder);
  return mkdir(path, 0700);
}

static int remove_folder(void **unused)
{
  (void)unused;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static const char *path_of(const char *name)
{
  static char path[4][256];
  static int last;
  last = (last + 1) % 4;
  snprintf(path[last], sizeof path[last], "%s/model/%s", folder, name);
  return path[last];
}

static void write_text(const char *name, const char *text)
{
  FILE *out = fopen(path_of(name), "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(text, 1, strlen(text), out), strlen(text));
  assert_int_equal(fclose(out), 0);
}

typedef struct wrong_file {
  const char *model, *data; /* text of the model without its head, and of the file */
  int line, column;         /* place in the file; line 0: none, below 0: in the model */
  const char *says;
} wrong_file;

static void check_file(const wrong_file *w, const dae_model_options *options, const char *name,
                       dae_status expected)
{
  char text[1024];
  dae_error err;
  dae_model *model = NULL;
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  snprintf(text, sizeof text, HEAD "%s", w->model);
  write_text("main.dae", text);
  write_text(name, w->data);
  dae_status status = dae_model_load(path_of("main.dae"), options, &env, &model, &err);
  const char *file = w->line < 0 ? path_of("main.dae") : path_of(name);
  int line = w->line < 0 ? -w->line : w->line;
  if (status != expected || err.status != status || err.line != line || err.column != w->column ||
      !strstr(err.text, w->says) || strcmp(err.file, line ? file : "") != 0 ||
      (line && !is_shown(&err, file)))
    complain(w->data, w->says, &err);
  dae_model_free(model);
  assert_int_equal(count.live, 0);
}

static void test_files_of_tables(void **state)
{
  (void)state;
#define T "table f \"a.csv\"\n" X
#define S "table f \"a.csv\" columns \"s\" \"z\"\n" X
  static const wrong_file table[] = {
      {T, "", 1, 1, "the file is empty"},
      {T, "s,z\n", 1, 1, "at least two rows"},
      {T, "0,1\n", 1, 1, "at least two rows"},
      {T, "0\n1\n", 1, 1, "two columns"},
      {T, "0;1\n1;2\n", 1, 2, "separate the fields by commas"},
      {T, "0,1\n1\n", 2, 2, "this row has 1 field, but there are 2 columns"},
      {T, "0,1\n1,2,3\n", 2, 5, "more than 2 fields"},
      {T, "0,1\n1,two\n", 2, 3, "two is not a finite number"},
      {T, "0,1\n1,nan\n", 2, 3, "nan is not a finite number"},
      {T, "0,1\n1,1e999\n", 2, 3, "1e999 is not a finite number"},
      {T, "0,1\n1,\n", 2, 3, "it is empty"},
      {T, "0,1\n\n1,2\n1,3\n", 4, 1, "must rise: 1 follows 1"},
      {T, "0,1\n1,\"2\n", 2, 3, "unterminated quote"},
      {T, "0,1\n1,\"2\"3\n", 2, 6, "expected a comma"},
      {T, "s,z\n0,1\n1,x\n", 3, 3, "x is not a finite number"},
      {S, "s,y\n0,1\n1,2\n", -2, 29, "has no column z; its first one is s"},
      {S, "0,1\n1,2\n", -2, 25, "no names in its first line"},
      {"table f \"b.csv\"\n" X, "", -2, 9, "No such file"},
      {"table f \"../a.csv\"\n" X, "", -2, 9, "No such file"},
      {"table f \"/etc/passwd\"\n" X, "", -2, 9, "must be relative to this file"},
      {"table f \"../../../etc/passwd\"\n" X, "", -2, 9, "outside the folder of the model"},
      {"table f \"link.csv\"\n" X, "", -2, 9, "outside the folder of the model"},
      {"table f \".\"\n" X, "", -2, 9, "outside the folder of the model"},
      {"table f \"sub\"\n" X, "", -2, 9, "not a regular file"},
      {"table f \"a.csv\" periodic\n" X, "0,1\n1,2\n", -2, 9, "2 is not 1"},
  };
  failures = 0;
  assert_int_equal(symlink("/etc/passwd", path_of("link.csv")), 0);
  assert_int_equal(mkdir(path_of("sub"), 0700), 0);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    bool missing = strstr(table[i].says, "No such") || strstr(table[i].says, "regular file");
    check_file(&table[i], NULL, "a.csv", missing ? DAE_ERROR_FILE : DAE_ERROR_MODEL);
  }
  assert_int_equal(failures, 0);
}

static void test_files_of_inputs(void **state)
{
  (void)state;
#define U "input u = 0, w = 0\n" X
  static const wrong_file table[] = {
      {U, "", 1, 1, "the file is empty"},
      {U, "0,1\n1,2\n", 1, 1, "it must name the columns"},
      {U, "u,w\n0,1\n1,2\n", 1, 1, "has no column t"},
      {U, "t\n0\n1\n", 1, 1, "no column of an input; its first one is u"},
      {U, "t,v\n0,1\n1,2\n", 1, 3, "v is no input of the model"},
      {U, "t,u,u\n0,1,1\n1,2,2\n", 1, 5, "u is given twice"},
      {X, "t,u\n0,1\n1,2\n", 1, 3, "it has none: declare input NAME = 0"},
      {U, "t,u\n0,1\n0,2\n", 3, 1, "must rise: 0 follows 0"},
      {U, "u,t\n1,1\n2,0.5\n", 3, 3, "must rise: 0.5 follows 1"},
      {U, "t,u\n0,1\n1,NaN\n", 3, 3, "NaN is not a finite number"},
      {U, "t,u\n0,1\n", 2, 1, "at least two rows"},
      {U, "t,u\n0,1\n1\n", 3, 2, "but there are 2 columns"},
      {"input u = 0\n" C "constraint q = u\n", "t,u\n0,1\n1,2\n", -5, 1, "declare input u linear"},
      {"input u = 0\n" C "kinetic (1 + u^2)*q'^2\n", "t,u\n0,1\n1,2\n", -5, 18,
       "the kinetic energy cannot depend on u"},
      {"input u = 0\nstate x\nlet r = 2*u\nx' = r'\n", "t,u\n0,1\n1,2\n", -5, 6,
       "needs the rate of u, which is held"},
  };
  const char *file = path_of("u.csv");
  char name[256];
  strcpy(name, file);
  const char *const files[] = {name};
  dae_model_options options = dae_model_defaults();
  options.input_files = files;
  options.input_file_count = 1;
  failures = 0;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    check_file(&table[i], &options, "u.csv", table[i].line < 0 ? DAE_ERROR_MODEL : DAE_ERROR_FILE);
  assert_int_equal(failures, 0);
}

static void test_files_of_params(void **state)
{
  (void)state;
#define K "param k = 1, c[1..2] = i\n" X
  static const wrong_file table[] = {
      {K, "k = 2\nq = 3\n", 2, 1, "the model has no param q"},
      {K, "k = 2\nx = 3\n", 2, 1, "x is not a param"},
      {K, "# stiff\n\nk 2\n", 3, 3, "expected = and a value"},
      {K, "k = 2 3\n", 1, 7, "the end of the line"},
      {K, "k = \n", 2, 1, "expected an expression"},
      {K, "k = 2*\n", 2, 1, "expected an expression"},
      {K, "k = t\n", 1, 5, "cannot depend on the time"},
      {K, "k = y\n", 1, 5, "unknown name y"},
      {K, "k' = 2\n", 1, 1, "expected the name of a param"},
      {K, "2 = k\n", 1, 1, "expected the name of a param"},
      {K, "c[3] = 1\n", 1, 1, "no element with this index"},
      {K, "k = 2; A.k = 3\n", 1, 8, "no system A"},
  };
  char name[256];
  strcpy(name, path_of("set.txt"));
  const char *const files[] = {name};
  dae_model_options options = dae_model_defaults();
  options.set_files = files;
  options.set_file_count = 1;
  failures = 0;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    check_file(&table[i], &options, "set.txt", DAE_ERROR_MODEL);
  assert_int_equal(failures, 0);
}

/* ---- memory ---- */

/* Whichever allocation fails, the outcome is a clean error and nothing is left. */
static void test_memory(void **state)
{
  (void)state;
  char text[1024], name[256], set[256];
  snprintf(text, sizeof text,
           HEAD "param k = 1 \"N/m\"\ntable f \"a.csv\" cubic\ntable g [(0, 1), (k, 2)]\n"
                "input u = 0 linear \"m\", w[1..2] = i\ncoord q = 0 \"m\"\nkinetic q'^2/2\n"
                "force q = f(q) + g(t) + u + w[1]\noutput r = f(t)'\n");
  write_text("main.dae", text);
  write_text("a.csv", "s,z\n0,1\n1,2\n2,0\n");
  write_text("u.csv", "t,w[2],u\n0,1,2\n1,2,3\n");
  write_text("set.txt", "k = 2 # stiffer\n");
  strcpy(name, path_of("u.csv"));
  strcpy(set, path_of("set.txt"));
  const char *const inputs[] = {name}, *const sets[] = {set};
  const double t[] = {0, 1}, value[] = {1, 2};
  const dae_model_input given = {.name = "w[1]", .count = 2, .t = t, .value = value};
  dae_model_options options = dae_model_defaults();
  options.input_files = inputs;
  options.set_files = sets;
  options.inputs = &given;
  options.input_file_count = options.set_file_count = options.input_count = 1;
  long calls = 1;
  for (long n = 0; n <= calls; n++) {
    counting_env count = {.fail_at = n};
    dae_env env = counting_env_of(&count);
    dae_error err;
    dae_model *model;
    dae_status status = dae_model_load(path_of("main.dae"), &options, &env, &model, &err);
    if (status != (n == 0 ? DAE_OK : DAE_ERROR_MEMORY))
      fail_msg("allocation %ld of %ld: status %d, %s", n, calls, status, err.text);
    calls = n == 0 ? count.calls : calls;
    dae_model_free(model);
    assert_int_equal(count.live, 0);
  }
  assert_true(calls > 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_texts),           cmocka_unit_test(test_files_of_tables),
      cmocka_unit_test(test_files_of_inputs), cmocka_unit_test(test_files_of_params),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
