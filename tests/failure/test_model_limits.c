/* Text that is too much, by accident or on purpose: refused or loaded, in bounded time and memory.
 */
#include "counting_env.h"
#include "refusal.h"

/* ---- limits ---- */

/* the text `count` times into a string that is freed by the caller */
static char *repeated(const char *before, const char *text, size_t count, const char *after)
{
  size_t length = strlen(text), at = strlen(before);
  char *all = malloc(at + count * length + strlen(after) + 1);
  assert_non_null(all);
  memcpy(all, before, at);
  for (size_t i = 0; i < count; i++, at += length)
    memcpy(all + at, text, length);
  strcpy(all + at, after);
  return all;
}

static char *just(const char *text)
{
  return repeated(text, "", 0, "");
}

/* long lines are cut around the place: only the message and its place are looked at */
static void check_limit(char *text, const dae_model_options *options, int line, int column,
                        const char *says)
{
  dae_error err;
  dae_model *model = NULL;
  dae_status status = dae_model_parse("wrong.dae", text, strlen(text), options, NULL, &model, &err);
  free(text);
  if (status != DAE_ERROR_MODEL || err.line != line || err.column != column ||
      !strstr(err.text, says) || (line > 0 && !is_shown(&err, "wrong.dae")))
    complain("(a limit)", says, &err);
  dae_model_free(model);
}

static void test_limits(void **unused)
{
  (void)unused;
  dae_model_options few = dae_model_defaults(), small = few;
  few.max_work = 10000;
  few.max_nodes = 1000;
  small.max_bytes = 20;
  failures = 0;
  check_limit(repeated(HEAD "state x\nx' = ", "(", 300, ""), NULL, 3, 206, "200 deep");
  check_limit(repeated(HEAD "state x\nx' = ", "-", 300, "x"), NULL, 3, 206, "200 deep");
  check_limit(repeated(HEAD "state x\nx' = x", "^x", 300, ""), NULL, 3, 406, "200 deep");
  check_limit(repeated(HEAD "state x\nx' = x", "[x", 300, ""), NULL, 3, 406, "200 deep");
  check_limit(repeated(HEAD, "for i in 1..2 {", 300, ""), NULL, 2, 3010, "200 deep");
  check_limit(repeated(HEAD "state ", "x", 256, ""), NULL, 2, 7, "more than 255 characters");
  check_limit(just(HEAD "coord x\nfor i in 1..9999 { potential x }"), &few, 3, 1, "10000 steps");
  check_limit(just(HEAD "state x\nx' = sum(i in 1..999, i*x)"), &few, 3, 24, "1000 nodes");
  check_limit(just(HEAD "param p[1..1001] = 1"), &few, 2, 9, "1000 elements");
  check_limit(just(HEAD "param p[1..40, 1..40] = 1"), &few, 2, 16, "1000 elements");
  check_limit(just(HEAD "state x[1..1000000000]"), NULL, 2, 9, "too large");
  check_limit(just(HEAD "system S[1..9999999] { state x; x' = 1 }"), &few, 2, 8, "too large");
  check_limit(repeated(HEAD "state x\nfor i in 1..2 { ", "let a = 1;", 1001, "}"), NULL, 3, 10021,
              "more than 1000 lets");
  check_limit(just(HEAD "state x\nx' = 1"), &small, 0, 0, "20 bytes together");
  assert_int_equal(failures, 0);
}

/* a line that is longer than the record's: cut around the place, never inside a character */
static void test_long_lines_are_cut(void **unused)
{
  (void)unused;
  for (int lead = 0; lead < 4; lead++) {
    char before[64];
    snprintf(before, sizeof before, HEAD "state x\n%.*sx' = 1", lead, "   ");
    char *text = repeated(before, " + \xC3\xA4", 200, " + $ and more of the same line");
    dae_error err;
    dae_model *model = NULL;
    assert_int_equal(dae_model_parse("wrong.dae", text, strlen(text), NULL, NULL, &model, &err),
                     DAE_ERROR_MODEL);
    assert_int_equal(err.line, 3);
    assert_int_equal(err.column, lead + 6 + 200 * 4 + 4);
    assert_in_range(err.caret, 1, (int)strlen(err.source) - 1);
    assert_int_equal(err.source[err.caret], '$');
    assert_false(continues_character(err.source[0]));
    assert_non_null(strstr(text, err.source));
    free(text);
  }
}

/* ---- hostile text: refused or loaded, in bounded time and memory ---- */

typedef enum outcome { REFUSED, LOADED } outcome;

static void check_hostile(char *text, const dae_model_options *options, outcome expected)
{
  dae_error err;
  dae_model *model = NULL;
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  dae_status status = dae_model_parse("hostile", text, strlen(text), options, &env, &model, &err);
  text[strlen(text) < 60 ? strlen(text) : 60] = 0;
  if (status != (expected == LOADED ? DAE_OK : DAE_ERROR_MODEL))
    complain(text, expected == LOADED ? "it is not loaded" : "it is not refused", &err);
  free(text);
  dae_model_free(model);
  assert_int_equal(count.live, 0);
}

static void test_hostile_text(void **unused)
{
  (void)unused;
  const size_t m4 = 3999000; /* just below the limit of bytes */
  failures = 0;
  check_hostile(repeated(HEAD "# ", "x", 10000000, ""), NULL, REFUSED);
  check_hostile(repeated(HEAD "state x\nx' = ", "(", m4, ""), NULL, REFUSED);
  check_hostile(repeated(HEAD "state x\nx' = ", "[", m4, ""), NULL, REFUSED);
  check_hostile(repeated(HEAD "state x\nx' = ", "x[", m4 / 2, ""), NULL, REFUSED);
  check_hostile(repeated(HEAD "state x\nx' = ", "-", m4, ""), NULL, REFUSED);
  check_hostile(repeated(HEAD "state x\nx' = ", "if(x>0,x,", m4 / 9, ""), NULL, REFUSED);
  check_hostile(repeated(HEAD "state x\nx' = x", "+x", m4 / 2, "\n"), NULL, LOADED);
  check_hostile(repeated(HEAD "state x\nx' = x", "*x", m4 / 20, "\n"), NULL, LOADED);
  check_hostile(repeated(HEAD "state x\nx' = 2", "^2", m4 / 2, "\n"), NULL, REFUSED);
  check_hostile(repeated(HEAD "state x\nx' = 2", "^2", 150, "\n"), NULL, LOADED);
  check_hostile(repeated(HEAD "state x\nx", "'", m4, " = 1\n"), NULL, REFUSED);
  check_hostile(repeated(HEAD, "for i in 1..1 {", m4 / 15, ""), NULL, REFUSED);
  check_hostile(repeated(HEAD, "system A {", m4 / 10, ""), NULL, REFUSED);
  check_hostile(repeated(HEAD "state x\n", "x'=1\n", m4 / 5, ""), NULL, REFUSED);
  check_hostile(repeated(HEAD "state x\nx' = 1", "\n", m4, ""), NULL, LOADED);
  check_hostile(repeated(HEAD "state x\nx' = 1", ";", m4, ""), NULL, LOADED);
  check_hostile(repeated(HEAD "state ", "\xFF", m4, ""), NULL, REFUSED);
  check_hostile(repeated(HEAD "param x = ", "1", m4, ""), NULL, REFUSED);
  check_hostile(repeated(HEAD, "\"", m4, ""), NULL, REFUSED);
  check_hostile(repeated(HEAD "state x = 1\nx' = ", "if(x>0,x,", 190, "1"), NULL, REFUSED);
  assert_int_equal(failures, 0);
}

/* numbered lines: format holds %d for the number and the one before it */
static char *numbered(const char *before, const char *format, int from, int to, const char *after)
{
  int step = from <= to ? 1 : -1;
  size_t room = strlen(before) + strlen(after) + 1, at = strlen(before);
  room += ((size_t)abs(to - from) + 1) * (strlen(format) + 64);
  char *text = malloc(room);
  assert_non_null(text);
  strcpy(text, before);
  for (int i = from; i != to + step; i += step) {
    const char *f = format;
    for (; *f; f++)
      if (*f == '@')
        at += (size_t)snprintf(text + at, 16, "%d", i);
      else if (*f == '<')
        at += (size_t)snprintf(text + at, 16, "%d", i - 1);
      else
        text[at++] = *f;
  }
  strcpy(text + at, after);
  return text;
}

static void test_hostile_expansion(void **unused)
{
  (void)unused;
  dae_model_options small = dae_model_defaults();
  small.max_work = 1000000;
  small.max_nodes = 1000000;
  failures = 0;
  check_hostile(just(HEAD "state x\nfor i in 1..1000000000 { x' = 1 }"), &small, REFUSED);
  check_hostile(just(HEAD "state x\nx' = 1\nfor i in 1..1000000000 { }"), &small, REFUSED);
  check_hostile(just(HEAD "state x\nx' = 1\nfor i in 1..1000000000 { event e[i]: x - i }"), &small,
                REFUSED);
  check_hostile(just(HEAD "coord x\nkinetic x'^2\nfor i in 1..1000000000 { potential i*x }"),
                &small, REFUSED);
  check_hostile(just(HEAD "coord x\nkinetic x'^2\nfor i in 1..1000000000 { constraint x = i }"),
                &small, REFUSED);
  check_hostile(just(HEAD "state x\nx' = sum(i in 1..100000, sum(j in 1..100000, x*j))"), &small,
                REFUSED);
  check_hostile(just(HEAD "state x\nx' = sum(i in 1..1000000000, sin(x*i))"), &small, REFUSED);
  check_hostile(just(HEAD "state x[1..1000000000]"), NULL, REFUSED);
  check_hostile(just(HEAD "param x[1..100000, 1..100000] = 1"), NULL, REFUSED);
  check_hostile(just(HEAD "alg a[1..900000], b[1..900000], c[1..900000]"), &small, REFUSED);
  check_hostile(just(HEAD "system S[1..1000000000] { state x; x' = 1 }"), &small, REFUSED);
  check_hostile(just(HEAD "let f(y) = f(y) + f(y + 1)\nstate x\nx' = f(x)"), &small, REFUSED);
  check_hostile(numbered(HEAD "let f0(y) = y + 1\n", "let f@(y) = f<(f<(y))\n", 1, 60,
                         "state x\nx' = f60(x)"),
                &small, REFUSED);
  check_hostile(
      numbered(HEAD "let a0 = x\n", "let a@ = a<*a< + sin(a<)\n", 1, 1000, "state x\nx' = a1000"),
      NULL, LOADED);
  check_hostile(just(HEAD "coord x[1..1000]\nkinetic (sum(i in 1..1000, x[i]'))^2"), &small,
                REFUSED);
  check_hostile(just(HEAD "system A { coord x[1..1000]; for i in 1..1000 { kinetic x[i]'^2 } }\n"
                          "joint sin(sum(i in 1..1000, A.x[i])) = 1"),
                &small, REFUSED);
  assert_int_equal(failures, 0);
}

static void test_hostile_lengths(void **unused)
{
  (void)unused;
  failures = 0;
  check_hostile(
      numbered(HEAD "let a0 = 1\n", "let a@ = a< + x\n", 1, 100000, "state x\nx' = a100000"), NULL,
      LOADED);
  check_hostile(numbered(HEAD, "let a@ = a< + x\n", 100000, 1, "let a0 = 1\nstate x\nx' = a100000"),
                NULL, REFUSED);
  check_hostile(numbered(HEAD, "let a@ = a< + x\n", 100, 1, "let a0 = 1\nstate x\nx' = a100"), NULL,
                LOADED);
  check_hostile(numbered(HEAD "state x\nx' = 1\n", "param p@ = 1\n", 1, 200000, ""), NULL, LOADED);
  check_hostile(numbered(HEAD "state x0\nx0' = 1\n", "state x@ = x<; x@' = x<\n", 1, 20000, ""),
                NULL, LOADED);
  check_hostile(numbered(HEAD "state x0\nx0' = 1\n", "state x@ = x<; x@' = x<\n", 20000, 1, ""),
                NULL, LOADED);
  check_hostile(numbered(HEAD "state x[0..9000]\nfor i in 0..9000 { x[i]' = 1 }\n"
                              "event e: x[1] - 1 {",
                         "x[@] = x[<]; ", 1, 9000, "}"),
                NULL, LOADED);
  check_hostile(numbered(HEAD "state x[0..20000]\nfor i in 0..20000 { x[i]' = 1 }\n"
                              "event e: x[1] - 1 {",
                         "x[@] = x[<]; ", 1, 20000, "}"),
                NULL, REFUSED);
  check_hostile(numbered(HEAD "state x\nx' = 1\nsimulate to 1", " a@ 1", 1, 20000, ""), NULL,
                REFUSED);
  check_hostile(numbered(HEAD "state x\nlet f(a0", ",a@", 1, 20000, ") = a1 + a20000\nx' = 1"),
                NULL, REFUSED);
  check_hostile(numbered(HEAD "state x\nlet f(a0", ",a@", 1, 90, ") = a1 + a90\nx' = 1"), NULL,
                LOADED);
  check_hostile(numbered(HEAD, "system S@ { state x; x' = 1 }\n", 1, 5000, ""), NULL, LOADED);
  assert_int_equal(failures, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_limits),          cmocka_unit_test(test_long_lines_are_cut),
      cmocka_unit_test(test_hostile_text),    cmocka_unit_test(test_hostile_expansion),
      cmocka_unit_test(test_hostile_lengths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
