/* The page on the model language and the editors' files keep up with the language: every model of
 * the page loads and runs, and every word of the parser is known to all of them. */
#include "model/tree.h"

#include <ctype.h>
#include <daedal/daedal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define PAGE SOURCES "/docs/model_language.md"
#define VIM SOURCES "/editors/vim/syntax/dae.vim"
#define VSCODE SOURCES "/editors/vscode/"
#define GRAMMAR VSCODE "syntaxes/dae.tmLanguage.json"
#define MODEL "model.dae"

/* ---- text ---- */

/* the whole file, to be freed */
static char *read_text(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (!file)
    fail_msg("%s cannot be read", path);
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(size + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, size, file), size);
  text[size] = 0;
  fclose(file);
  return text;
}

static void write_text(const char *path, const char *text, size_t length)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  fclose(file);
}

static bool is_name(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

/* whether the word stands in the text, not as part of another one */
static bool has_word(const char *text, const char *word)
{
  size_t length = strlen(word);
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
    if ((at == text || !is_name(at[-1])) && !is_name(at[length]))
      return true;
  return false;
}

/* ---- blocks between lines that begin with ``` ---- */

typedef struct block {
  const char *text;
  size_t length;
} block;

static const char *next_line(const char *line)
{
  const char *end = strchr(line, '\n');
  return end ? end + 1 : line + strlen(line);
}

static const char *next_fence(const char *line)
{
  while (*line && strncmp(line, "```", 3) != 0)
    line = next_line(line);
  return line;
}

/* the block after *at, which moves behind it; false: there is none */
static bool next_block(const char **at, block *out)
{
  const char *open = next_fence(*at);
  if (!*open)
    return false;
  out->text = next_line(open);
  const char *close = next_fence(out->text);
  assert_true(*close != 0);
  out->length = (size_t)(close - out->text);
  *at = next_line(close);
  return true;
}

/* ---- the models of the page ---- */

/* a block that begins with `# NAME.dae` is a file that a model imports; its name, or "" */
static const char *file_name(const block *b, char *name, size_t size)
{
  size_t length = strcspn(b->text, "\n");
  snprintf(name, size, "%.*s", (int)length, b->text);
  if (strncmp(name, "# ", 2) != 0 || strlen(name) < 7 || strcmp(name + length - 4, ".dae") != 0)
    return "";
  return name + 2;
}

static void check_status(dae_status status, const block *b, const char *what, const dae_error *err)
{
  char text[1024];
  if (status >= 0)
    return;
  dae_error_text(err, text, sizeof text);
  fail_msg("%.*s: %s: %s", (int)strcspn(b->text, "\n"), b->text, what, text);
}

static void load_and_run(const block *b)
{
  dae_model *model;
  dae_error err;
  dae_summary summary;
  write_text(MODEL, b->text, b->length);
  dae_status status = dae_model_load(MODEL, NULL, NULL, &model, &err);
  check_status(status, b, "does not load", &err);
  dae_run_plan plan = {.every = 0};
  dae_model_plan(model, &plan);
  plan.method = dae_method_choose(&plan.problem, NULL, 0, &err);
  if (!plan.method)
    check_status(DAE_ERROR_UNSUPPORTED, b, "no method takes it", &err);
  status = dae_run(&plan, NULL, &summary, &err);
  dae_model_locate(model, &err);
  check_status(status, b, "does not run", &err);
  dae_model_free(model);
}

static void write_files(const char *page, bool there)
{
  char name[128];
  block b;
  for (const char *at = page; next_block(&at, &b);) {
    const char *file = file_name(&b, name, sizeof name);
    if (file[0] && there)
      write_text(file, b.text, b.length);
    else if (file[0])
      unlink(file);
  }
}

static void test_every_model_of_the_page_loads_and_runs(void **state)
{
  (void)state;
  char home[1024], folder[] = "/tmp/daedal_docs_XXXXXX";
  char *page = read_text(PAGE);
  int models = 0;
  block b;
  assert_non_null(getcwd(home, sizeof home));
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  write_files(page, true);
  for (const char *at = page; next_block(&at, &b);)
    if (strncmp(b.text, "model ", 6) == 0) {
      load_and_run(&b);
      models++;
    }
  write_files(page, false);
  unlink(MODEL);
  assert_int_equal(chdir(home), 0);
  assert_int_equal(rmdir(folder), 0);
  assert_true(models >= 15);
  free(page);
}

/* ---- the words of the language ---- */

static void check_word(const char *path, const char *text, const char *word)
{
  if (!has_word(text, word))
    fail_msg("%s does not know the word %s", path, word);
}

static void check_words(const char *path)
{
  static const char *const statements[] = {
#define WORD(name, word) word,
      DAE__STATEMENT_LIST(WORD)
#undef WORD
  };
  static const char *const others[] = {"sum",    "in",     "pi",      "lambda", "psi",  "fixed",
                                       "rate",   "rising", "falling", "stop",   "to",   "from",
                                       "method", "every",  "step",    "rtol",   "atol", "radius"};
  char *text = read_text(path);
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
    check_word(path, text, statements[i]);
  for (int i = 0; dae__builtin_name(i); i++)
    check_word(path, text, dae__builtin_name(i));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    check_word(path, text, others[i]);
  free(text);
}

static void test_page_knows_every_word(void **state)
{
  (void)state;
  check_words(PAGE);
}

static void test_vim_knows_every_word(void **state)
{
  (void)state;
  check_words(VIM);
}

static void test_vscode_knows_every_word(void **state)
{
  (void)state;
  check_words(GRAMMAR);
}

/* ---- JSON ---- */

/* the end of a string that begins at text[at]; escapes are stepped over */
static size_t string_end(const char *text, size_t at)
{
  for (at++; text[at] && text[at] != '"' && text[at] != '\n'; at++)
    at += text[at] == '\\' && text[at + 1];
  return at;
}

/* brackets close in order, strings end on their line, no comma stands before a closing bracket */
static void check_json(const char *path)
{
  char *text = read_text(path), open[64], before = 0;
  int depth = 0;
  for (size_t i = 0; text[i]; i++) {
    char c = text[i];
    if (isspace((unsigned char)c))
      continue;
    if (c == '"') {
      i = string_end(text, i);
      assert_int_equal(text[i], '"');
    } else if (c == '{' || c == '[') {
      assert_true(depth < (int)sizeof open);
      open[depth++] = c;
    } else if (c == '}' || c == ']') {
      assert_true(depth > 0 && before != ',');
      assert_int_equal(open[--depth], c == '}' ? '{' : '[');
    }
    before = c;
  }
  assert_int_equal(depth, 0);
  assert_int_equal(before, '}');
  free(text);
}

static void test_vscode_files_are_json(void **state)
{
  (void)state;
  check_json(VSCODE "package.json");
  check_json(VSCODE "language-configuration.json");
  check_json(GRAMMAR);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_model_of_the_page_loads_and_runs),
      cmocka_unit_test(test_page_knows_every_word),
      cmocka_unit_test(test_vim_knows_every_word),
      cmocka_unit_test(test_vscode_knows_every_word),
      cmocka_unit_test(test_vscode_files_are_json),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
