/* Files of a model that cannot be read or imported. */
#include "counting_env.h"
#include "refusal.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- imports ---- */

static char folder[64];

static int make_folder(void **unused)
{
  (void)unused;
  char path[128];
  strcpy(folder, "/tmp/daedal_wrong_XXXXXX");
  if (!mkdtemp(folder))
    return -1;
  snprintf(path, sizeof path, "%s/model", folder);
  return mkdir(path, 0700);
}

static void write_file(const char *name, const char *text)
{
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(text, 1, strlen(text), out), strlen(text));
  assert_int_equal(fclose(out), 0);
}

static int remove_folder(void **unused)
{
  (void)unused;
  static const char *const names[] = {"model/main.dae", "model/a.dae", "model/b.dae",
                                      "model/link.dae", "outside.dae"};
  char path[256];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  snprintf(path, sizeof path, "%s/model", folder);
  return rmdir(path) || rmdir(folder);
}

typedef struct wrong_import {
  const char *main, *a, *b; /* files; those that import refers to */
  const char *file;         /* the one that the message names */
  dae_status status;
  int line, column;
  const char *says;
} wrong_import;

static void check_import(const wrong_import *w)
{
  char path[256], name[256];
  dae_error err;
  dae_model *model = NULL;
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  write_file("model/main.dae", w->main);
  write_file("model/a.dae", w->a ? w->a : "");
  write_file("model/b.dae", w->b ? w->b : "");
  snprintf(path, sizeof path, "%s/model/main.dae", folder);
  snprintf(name, sizeof name, "%s/model/%s", folder, w->file);
  dae_status status = dae_model_load(path, NULL, &env, &model, &err);
  if (status != w->status || err.status != status || err.line != w->line ||
      err.column != w->column || !strstr(err.text, w->says) || strcmp(err.file, name) != 0 ||
      !is_shown(&err, name))
    complain(w->main, w->says, &err);
  dae_model_free(model);
  assert_int_equal(count.live, 0);
}

static void test_imports(void **unused)
{
  (void)unused;
#define END "state x\nx' = 1\n"
  static const wrong_import table[] = {
      {HEAD "import \"none.dae\"\n" END, NULL, NULL, "main.dae", DAE_ERROR_FILE, 2, 8,
       "cannot read"},
      {HEAD "import \"none/a.dae\"\n" END, NULL, NULL, "main.dae", DAE_ERROR_FILE, 2, 8,
       "cannot read"},
      {HEAD "import \".\"\n" END, NULL, NULL, "main.dae", DAE_ERROR_MODEL, 2, 8, "outside"},
      {HEAD "import \"../outside.dae\"\n" END, NULL, NULL, "main.dae", DAE_ERROR_MODEL, 2, 8,
       "outside the folder of the model"},
      {HEAD "import \"link.dae\"\n" END, NULL, NULL, "main.dae", DAE_ERROR_MODEL, 2, 8,
       "outside the folder of the model"},
      {HEAD "import \"/etc/passwd\"\n" END, NULL, NULL, "main.dae", DAE_ERROR_MODEL, 2, 8,
       "relative to this file"},
      {HEAD "import \"\"\n" END, NULL, NULL, "main.dae", DAE_ERROR_MODEL, 2, 8,
       "relative to this file"},
      {HEAD "import \"main.dae\"\n" END, NULL, NULL, "main.dae", DAE_ERROR_MODEL, 2, 8,
       "circular import"},
      {HEAD "import \"a.dae\"\n" END, "import \"b.dae\"\n", "import \"a.dae\"\n", "b.dae",
       DAE_ERROR_MODEL, 1, 8, "circular import"},
      {HEAD "import \"a.dae\"\n" END, "import \"b.dae\"\n", "import \"main.dae\"\n", "b.dae",
       DAE_ERROR_MODEL, 1, 8, "circular import"},
      {HEAD "import \"a.dae\"\n" END, "param a = 1\ncoord q\n", NULL, "a.dae", DAE_ERROR_MODEL, 2,
       1, "params, lets, tables, parts and systems only"},
      {HEAD "import \"a.dae\"\n" END, "model n\nx' = 1\n", NULL, "a.dae", DAE_ERROR_MODEL, 2, 1,
       "params, lets, tables, parts and systems only"},
      {HEAD "import \"a.dae\"\n" END, "for i in 1..2 { let a = 1 }\n", NULL, "a.dae",
       DAE_ERROR_MODEL, 1, 1, "params, lets, tables, parts and systems only"},
      {HEAD "import \"a.dae\"\n" END, "let a = 1\noutput o = a\n", NULL, "a.dae", DAE_ERROR_MODEL,
       2, 1, "params, lets, tables, parts and systems only"},
      {HEAD "import \"a.dae\"\n" END, "param a = 1 +\n", NULL, "a.dae", DAE_ERROR_MODEL, 2, 1,
       "expected an expression"},
      {HEAD "import \"a.dae\"\n" END, "system A {\n", NULL, "a.dae", DAE_ERROR_MODEL, 1, 10, "}"},
      {HEAD "import \"a.dae\"\n" END, "param a = b\n", NULL, "a.dae", DAE_ERROR_MODEL, 1, 11,
       "unknown name b"},
      {HEAD "import \"a.dae\"\nparam a = 2\n" END, "param a = 1\n", NULL, "main.dae",
       DAE_ERROR_MODEL, 3, 7, "duplicate declaration of a"},
      {HEAD "import \"a.dae\" \"b.dae\"\n" END, "param a = 1\n", NULL, "main.dae", DAE_ERROR_MODEL,
       2, 16, "the end of the statement"},
      {"import \"a.dae\"\nmodel m\n" END, "param a = 1\n", NULL, "a.dae", DAE_ERROR_MODEL, 1, 1,
       "model NAME"},
  };
#undef END
  char from[128], to[128];
  failures = 0;
  write_file("outside.dae", "param a = 1\n");
  snprintf(from, sizeof from, "%s/outside.dae", folder);
  snprintf(to, sizeof to, "%s/model/link.dae", folder);
  assert_int_equal(symlink(from, to), 0);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    check_import(&table[i]);
  assert_int_equal(failures, 0);
}

static void test_files_that_cannot_be_read(void **unused)
{
  (void)unused;
  char path[128];
  dae_error err;
  dae_model *model = NULL;
  snprintf(path, sizeof path, "%s/none.dae", folder);
  assert_int_equal(dae_model_load(path, NULL, NULL, &model, &err), DAE_ERROR_FILE);
  assert_non_null(strstr(err.text, path));
  assert_int_equal(dae_model_load(folder, NULL, NULL, &model, &err), DAE_ERROR_FILE);
  assert_non_null(strstr(err.text, "not a regular file"));
  assert_null(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_imports, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_files_that_cannot_be_read, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
