/* The page on the model language and the editors' files keep up with the language: every word of
 * the parser is known to all of them. */
#include "model/text/tree.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAGE SOURCES "/docs/model_language.md"
#define BODIES SOURCES "/docs/bodies.md"
#define VIM SOURCES "/editors/vim/syntax/dae.vim"
#define VSCODE SOURCES "/editors/vscode/syntaxes/dae.tmLanguage.json"

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

static void check_word(const char *path, const char *text, const char *word)
{
  if (!has_word(text, word))
    fail_msg("%s does not know the word %s", path, word);
}

/* words that begin statements on bodies, and functions of vectors */
static void check_body_words(const char *path)
{
  static const char *const words[] = {
#define WORD(name, word) word,
      DAE__CONNECTOR_LIST(WORD)
#undef WORD
          "body",
      "gravity",
      "mass",
      "torque",
      "dissipation",
      "part",
      "dot",
      "cross",
      "norm",
      "unit"};
  char *text = read_text(path);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    check_word(path, text, words[i]);
  free(text);
}

static void check_words(const char *path)
{
  static const char *const statements[] = {
#define WORD(name, word) word,
      DAE__STATEMENT_LIST(WORD)
#undef WORD
  };
  static const char *const others[] = {"sum",    "in",      "pi",       "lambda", "psi",   "fixed",
                                       "rate",   "rising",  "falling",  "stop",   "to",    "from",
                                       "method", "every",   "step",     "rtol",   "atol",  "radius",
                                       "smooth", "noevent", "when",     "table",  "input", "hold",
                                       "linear", "cubic",   "periodic", "columns"};
  char *text = read_text(path);
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
    check_word(path, text, statements[i]);
  for (int i = DAE__FIRST_FUNCTION; i < DAE__WORDS; i++)
    check_word(path, text, dae__words[i].text);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    check_word(path, text, others[i]);
  free(text);
}

static void test_page_knows_every_word(void **state)
{
  (void)state;
  check_words(PAGE);
  check_body_words(BODIES);
}

static void test_vim_knows_every_word(void **state)
{
  (void)state;
  check_words(VIM);
  check_body_words(VIM);
}

static void test_vscode_knows_every_word(void **state)
{
  (void)state;
  check_words(VSCODE);
  check_body_words(VSCODE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_page_knows_every_word),
      cmocka_unit_test(test_vim_knows_every_word),
      cmocka_unit_test(test_vscode_knows_every_word),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
