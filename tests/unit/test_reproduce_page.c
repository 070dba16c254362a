/* A reproduction on a page: every table with the paper's values beside ours, every figure with a
 * curve for each run, and what is wrong marked. */
#include "reproduce.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FOLDER "test_reproduce_page.tmp"
#define PATH FOLDER "/page.html"

static const rep_table numbers = {.name = "Table 7",
                                  .title = "numbers",
                                  .setting = "as they come",
                                  .label = "method",
                                  .quantities = 2,
                                  .quantity = {"steps", "error"},
                                  .reason = "The paper <b>errs</b>.",
                                  .item = "Table 7",
                                  .missing = "the method"};

static const rep_figure figure = {
    .title = "Figure 7", .x = "t", .log = {"error"}, .style = DAE_CURVE_BOTH};

static void row(rep_report *report, const char *label, double paper, double ours, double reference)
{
  const rep_value values[] = {{paper, ours, reference, REP_NEAR, 0.01},
                              {NAN, 1e-3, NAN, REP_SHOWN, 0}};
  rep_table_row(report, label, values, NULL);
}

static dae_status run_all(rep_report *report)
{
  rep_file *file = rep_file_open(report, "figure", "method,tol,t,error,h", &figure);
  for (int i = 0; i < 20; i++) {
    rep_file_text(file, i % 2 ? "one" : "another");
    rep_file_number(file, 1e-3);
    rep_file_number(file, i);
    rep_file_number(file, pow(10, -i));
    rep_file_number(file, i == 3 ? NAN : 0.5);
    rep_file_record(file);
  }
  rep_file_close(file);
  rep_table_begin(report, &numbers);
  row(report, "right", 12, 100, 100);
  row(report, "wrong", 12, 77, 100);
  rep_table_end(report);
  return rep_status(report);
}

/* Reproduces into a page, and reads that; to be freed. */
static char *make_page(const rep_paper *paper, rep_result *result)
{
  dae_error err;
  rep_settings settings = {.folder = FOLDER};
  assert_int_equal(rep_folder_make(FOLDER, &err), DAE_OK);
  assert_int_equal(dae_page_create(PATH, "papers", NULL, &settings.page, &err), DAE_OK);
  rep_run(paper, 1, &settings, result, &err);
  free(result->list);
  assert_int_equal(dae_page_close(settings.page, &err), DAE_OK);
  FILE *file = fopen(PATH, "rb");
  char *text = calloc(1, 1 << 20);
  assert_true(file && text);
  assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
  fclose(file);
  return text;
}

static int occurrences(const char *text, const char *part)
{
  int count = 0;
  for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
    count++;
  return count;
}

static void test_tables_and_figures_are_on_the_page(void **state)
{
  (void)state;
  static const char *const parts[] = {"k99: a paper",
                                      "how to read it",
                                      "Table 7",
                                      "steps, paper",
                                      "steps, ours",
                                      "steps, ref",
                                      "error, ours",
                                      "as they come",
                                      "77",
                                      "OUT",
                                      "regression: 1 of 2 values as before",
                                      "Verdicts on the papers",
                                      "data missing",
                                      "0 of 2 numbers of the papers within 25 %",
                                      "Figure 7: error",
                                      "Figure 7: h",
                                      "one, tol = 0.001",
                                      "another, tol = 0.001",
                                      "\"yLog\":true",
                                      "&lt;b&gt;errs&lt;/b&gt;"};
  const rep_paper paper = {"k99", "a paper", "how to read it", run_all, NULL};
  rep_result result;
  char *page = make_page(&paper, &result);
  assert_int_equal(result.checked, 2);
  assert_int_equal(result.wrong, 1);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!strstr(page, parts[i]))
      fail_msg("the page does not say: %s", parts[i]);
  assert_null(strstr(page, "error, paper")); /* which the paper does not give */
  assert_int_equal(occurrences(page, "\"label\":\"one, tol = 0.001\""), 2);
  free(page);
}

/* errors of both signs on a logarithmic axis: their sizes */
static dae_status run_signed(rep_report *report)
{
  rep_file *file = rep_file_open(report, "signed", "t,error", &figure);
  for (int i = 1; i < 5; i++) {
    rep_file_number(file, i);
    rep_file_number(file, -0.125 * i);
    rep_file_record(file);
  }
  rep_file_close(file);
  return rep_status(report);
}

static void test_signed_values_on_a_logarithmic_axis_are_sizes(void **state)
{
  (void)state;
  const rep_paper paper = {"k99", "a paper", NULL, run_signed, NULL};
  rep_result result;
  char *page = make_page(&paper, &result);
  assert_non_null(strstr(page, "Figure 7: |error|"));
  free(page);
}

static dae_status run_badly(rep_report *report)
{
  dae_error err = dae_error_none();
  err.status = DAE_ERROR_STEP;
  snprintf(err.text, sizeof err.text, "it got stuck");
  rep_fail(report, &err);
  return rep_status(report);
}

static void test_a_failure_is_on_the_page(void **state)
{
  (void)state;
  const rep_paper paper = {"k99", "a paper", NULL, run_badly, NULL};
  rep_result result;
  char *page = make_page(&paper, &result);
  assert_non_null(strstr(page, "not finished"));
  assert_non_null(strstr(page, "it got stuck"));
  free(page);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tables_and_figures_are_on_the_page),
      cmocka_unit_test(test_signed_values_on_a_logarithmic_axis_are_sizes),
      cmocka_unit_test(test_a_failure_is_on_the_page),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
