/* The framework of reproductions, with papers of its own: regression tests, printed tables, files,
 * failures. */
#include "reproduce.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- one reproduction in a folder of its own ---- */

typedef struct outcome {
  dae_status status;
  rep_result result;
  dae_error err;
  char *text, *csv; /* what was printed; the file of tables, NULL: none */
} outcome;

static char folder[] = "reproduce_XXXXXX";

static int make_folder(void **state)
{
  (void)state;
  strcpy(folder, "reproduce_XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
  (void)state;
  char remove[64];
  snprintf(remove, sizeof remove, "rm -rf %s", folder);
  return system(remove);
}

static char *read_file(const char *name)
{
  char path[128], *text = calloc(1, 1 << 16);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(text);
  if (!file) {
    free(text);
    return NULL;
  }
  text[fread(text, 1, (1 << 16) - 1, file)] = '\0';
  fclose(file);
  return text;
}

static outcome reproduce(const rep_paper *papers, int count, const rep_settings *given)
{
  outcome o = {.text = NULL};
  size_t size;
  FILE *out = open_memstream(&o.text, &size);
  rep_settings settings = given ? *given : (rep_settings){.folder = folder};
  char name[64];
  assert_non_null(out);
  settings.out = out;
  o.status = rep_run(papers, count, &settings, &o.result, &o.err);
  assert_int_equal(o.status, o.err.status);
  assert_int_equal(o.result.list != NULL, o.result.wrong + o.result.changed > 0);
  fclose(out);
  snprintf(name, sizeof name, "%s-tables.csv", papers[0].key);
  o.csv = read_file(name);
  return o;
}

static void release(outcome *o)
{
  free(o->text);
  free(o->csv);
  free(o->result.list);
}

static bool has(const char *text, const char *part)
{
  return text && strstr(text, part) != NULL;
}

/* ---- papers ---- */

static const rep_table plain = {.name = "Table 1",
                                .title = "numbers",
                                .setting = "no setting",
                                .label = "",
                                .quantities = 2,
                                .quantity = {"steps", "error"},
                                .reason = "There is a reason."};

static void row(rep_report *report, const char *label, rep_value steps)
{
  const rep_value values[] = {steps, {NAN, 1e-3, NAN, REP_SHOWN, 0}};
  rep_table_row(report, label, values, NULL);
}

/* the third of five is outside, and everything after it still comes */
static dae_status run_wrong(rep_report *report)
{
  rep_table_begin(report, &plain);
  row(report, "exact", (rep_value){12, 100, 100, REP_NEAR, 0.25});
  row(report, "at the bound", (rep_value){12, 75, 100, REP_NEAR, 0.25});
  row(report, "outside   it", (rep_value){12, 74, 100, REP_NEAR, 0.25});
  row(report, "shown", (rep_value){12, 1e5, 100, REP_SHOWN, 0});
  row(report, "below", (rep_value){12, 99, 100, REP_BELOW, 0});
  rep_table_end(report);
  rep_file *file = rep_file_open(report, "figure", "name,x", NULL);
  rep_file_text(file, "a, \"b\"");
  rep_file_number(file, 0.1);
  rep_file_record(file);
  rep_file_close(file);
  return rep_status(report);
}

static dae_status run_nan(rep_report *report)
{
  rep_table_begin(report, &plain);
  row(report, "ours", (rep_value){12, NAN, 100, REP_NEAR, 0.25});
  row(report, "reference", (rep_value){12, 100, NAN, REP_NEAR, 0.25});
  row(report, "limit", (rep_value){12, NAN, 100, REP_BELOW, 0});
  row(report, "infinite", (rep_value){12, INFINITY, 100, REP_NEAR, 0.25});
  row(report, "not checked", (rep_value){12, NAN, NAN, REP_SHOWN, 0});
  rep_table_end(report);
  return rep_status(report);
}

/* the second one should not have got through */
static dae_status run_hopeless(rep_report *report)
{
  rep_table_begin(report, &plain);
  row(report, "fails", (rep_value){12, NAN, NAN, REP_FAILS, 0});
  row(report, "does not", (rep_value){12, 30, NAN, REP_FAILS, 0});
  rep_table_end(report);
  return rep_status(report);
}

static dae_status run_right(rep_report *report)
{
  rep_table_begin(report, &plain);
  row(report, "exact", (rep_value){NAN, 7, 7, REP_NEAR, 0});
  rep_table_end(report);
  return rep_status(report);
}

static dae_status run_trouble(rep_report *report)
{
  const rep_value checked[] = {{12, 100, 100, REP_NEAR, 0.25}, {NAN, 1, NAN, REP_SHOWN, 0}};
  const rep_value shown[] = {{12, 100, 100, REP_SHOWN, 0}, {NAN, 1, NAN, REP_SHOWN, 0}};
  rep_table_begin(report, &plain);
  rep_table_row(report, "held", checked, "it stopped half way");
  rep_table_row(report, "not held", shown, "it stopped, too");
  rep_table_end(report);
  return rep_status(report);
}

static dae_status run_failing(rep_report *report)
{
  dae_error err = dae_error_none();
  err.status = DAE_ERROR_MODEL;
  strcpy(err.text, "a model is wrong");
  run_right(report);
  rep_fail(report, &err);
  row(report, "too late", (rep_value){NAN, 1, 1, REP_NEAR, 0});
  return rep_status(report);
}

static dae_status run_many(rep_report *report)
{
  rep_table_begin(report, &plain);
  for (int i = 0; i < 50 && rep_progress(report, i); i++) {
    char label[32];
    snprintf(label, sizeof label, "row %d", i);
    row(report, label, (rep_value){NAN, i, i, REP_NEAR, 0});
  }
  rep_table_end(report);
  return rep_status(report);
}

static const rep_paper wrong = {"wrong", "a paper", NULL, run_wrong, NULL};
static const rep_paper not_a_number = {"nan", "a paper", NULL, run_nan, NULL};
static const rep_paper right = {"right", "a paper", "Notes of the paper.", run_right, NULL};
static const rep_paper many = {"many", "a paper", NULL, run_many, NULL};

/* ---- checks ---- */

static void test_a_value_outside_its_bound_is_listed_and_the_rest_is_still_shown(void **state)
{
  (void)state;
  outcome o = reproduce(&wrong, 1, NULL);
  assert_int_equal(o.status, DAE_OK); /* a regression changes no verdict */
  assert_int_equal(o.result.checked, 4);
  assert_int_equal(o.result.wrong, 1);
  assert_string_equal(
      o.result.list,
      "  regression: wrong, Table 1, outside it: steps 74, not within 25 % of 100\n");
  const char *const parts[] = {"exact",
                               "at the bound",
                               "outside   it",
                               "OUT\n",
                               "shown",
                               "-\n",
                               "<100",
                               "There is a reason.",
                               "ok\n",
                               "no setting",
                               "wrong: regression: 3 of 4 values as before"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!has(o.text, parts[i]))
      fail_msg("'%s' is missing in\n%s", parts[i], o.text);
  assert_true(has(o.csv, "\r\nTable 1,outside it,steps,12,74,100,near,0.25,out,out,,,,\r\n"));
  assert_true(has(o.csv, "\r\nTable 1,below,steps,12,99,100,below,,ok,ok,,,,\r\n"));
  assert_true(has(o.csv, "\r\nTable 1,below,error,,0.001,,none,,shown,shown,,,,\r\n"));
  char *figure = read_file("wrong-figure.csv");
  assert_string_equal(figure, "name,x\r\n\"a, \"\"b\"\"\",0.10000000000000001\r\n");
  free(figure);
  release(&o);
}

static void test_what_is_no_number_is_outside(void **state)
{
  (void)state;
  outcome o = reproduce(&not_a_number, 1, NULL);
  assert_int_equal(o.status, DAE_OK);
  assert_int_equal(o.result.checked, 4);
  assert_int_equal(o.result.wrong, 4);
  assert_true(has(o.csv, "\r\nTable 1,ours,steps,12,,100,near,0.25,out,out,,,,\r\n"));
  release(&o);
}

static void test_runs_that_have_to_fail_are_wrong_where_they_do_not(void **state)
{
  (void)state;
  const rep_paper paper = {"hopeless", "a paper", NULL, run_hopeless, NULL};
  outcome o = reproduce(&paper, 1, NULL);
  assert_int_equal(o.status, DAE_OK);
  assert_int_equal(o.result.checked, 2);
  assert_string_equal(
      o.result.list,
      "  regression: hopeless, Table 1, does not: steps 30, but the run must fail\n");
  assert_true(has(o.csv, "\r\nTable 1,fails,steps,12,,,fails,,ok,ok,,,,\r\n"));
  assert_true(has(o.csv, "\r\nTable 1,does not,steps,12,30,,fails,,out,out,,,,\r\n"));
  release(&o);
}

static void test_a_checked_run_that_gives_up_is_wrong(void **state)
{
  (void)state;
  const rep_paper paper = {"trouble", "a paper", NULL, run_trouble, NULL};
  outcome o = reproduce(&paper, 1, NULL);
  assert_int_equal(o.status, DAE_OK);
  assert_int_equal(o.result.checked, 1);
  assert_true(has(o.result.list, "held: steps 100, it stopped half way\n"));
  assert_true(has(o.text, "held: it stopped half way\n"));
  assert_true(has(o.text, "not held: it stopped, too\n"));
  release(&o);
}

static void test_right_values_end_well(void **state)
{
  (void)state;
  outcome o = reproduce(&right, 1, NULL);
  assert_int_equal(o.status, DAE_OK);
  assert_true(has(o.text, "right: a paper\n"));
  assert_true(has(o.text, "Notes of the paper."));
  assert_true(has(o.text, "right: regression: 1 of 1 values as before; files in reproduce_"));
  assert_true(has(o.text, "\n       ours ref ")); /* no column for a paper that says nothing */
  release(&o);
}

/* ---- papers one after the other ---- */

static void test_wrong_values_do_not_keep_other_papers_from_being_run(void **state)
{
  (void)state;
  const rep_paper papers[] = {wrong, right, not_a_number};
  outcome o = reproduce(papers, 3, NULL);
  assert_int_equal(o.status, DAE_OK);
  assert_int_equal(o.result.checked, 9);
  assert_int_equal(o.result.wrong, 5);
  assert_true(has(o.text, "wrong: regression: 3 of 4") && has(o.text, "right: regression: 1 of 1"));
  assert_true(has(o.text, "nan: regression: 0 of 4"));
  release(&o);
}

static void test_a_failure_is_sticky_and_ends_it(void **state)
{
  (void)state;
  const rep_paper papers[] = {{"failing", "a paper", NULL, run_failing, NULL}, right};
  outcome o = reproduce(papers, 2, NULL);
  assert_int_equal(o.status, DAE_ERROR_MODEL);
  assert_string_equal(o.err.text, "a model is wrong");
  assert_int_equal(o.result.checked, 1);
  assert_null(strstr(o.csv, "too late"));
  assert_null(strstr(o.text, "right: "));
  release(&o);
}

static bool a_while(void *user)
{
  int *left = user;
  return --*left > 0;
}

static void test_an_interrupt_keeps_what_was_finished(void **state)
{
  (void)state;
  int left = 40;
  rep_settings settings = {.folder = folder, .go_on = a_while, .user = &left};
  outcome o = reproduce(&many, 1, &settings);
  assert_int_equal(o.status, DAE_ERROR_INTERRUPTED);
  assert_true(has(o.text, "\nrow 0 ") && has(o.csv, "\r\nTable 1,row 0,"));
  assert_true(o.result.checked > 10 && o.result.checked < 40);
  assert_null(strstr(o.text, "values as before"));
  assert_string_equal(o.csv + strlen(o.csv) - 2, "\r\n"); /* whole records */
  release(&o);
  outcome whole = reproduce(&many, 1, NULL);
  assert_int_equal(whole.result.checked, 50);
  release(&whole);
}

/* ---- files ---- */

static void test_files_that_cannot_be_written_are_named(void **state)
{
  (void)state;
  char path[64];
  rep_settings settings = {.folder = path};
  snprintf(path, sizeof path, "%s/no/folder", folder);
  outcome o = reproduce(&right, 1, &settings);
  assert_int_equal(o.status, DAE_ERROR_FILE);
  assert_true(has(o.err.text, path) && has(o.err.text, "No such file"));
  assert_string_equal(o.text, "");
  release(&o);

  snprintf(path, sizeof path, "%s/full-tables.csv", folder);
  assert_int_equal(symlink("/dev/full", path), 0);
  const rep_paper paper = {"full", "a paper", NULL, run_right, NULL};
  settings.folder = folder;
  FILE *out = tmpfile();
  rep_result result;
  dae_error err;
  settings.out = out;
  assert_int_equal(rep_run(&paper, 1, &settings, &result, &err), DAE_ERROR_FILE);
  assert_true(has(err.text, path) && has(err.text, "No space left"));
  fclose(out);

  settings.folder = path; /* a file */
  settings.out = NULL;
  assert_int_equal(rep_run(&paper, 1, &settings, &result, &err), DAE_ERROR_FILE);
  assert_true(has(err.text, "is not a folder"));
}

static void test_a_missing_folder_is_made_and_nothing_printed_without_a_stream(void **state)
{
  (void)state;
  char path[64];
  rep_result result;
  dae_error err;
  snprintf(path, sizeof path, "%s/new", folder);
  rep_settings settings = {.folder = path};
  assert_int_equal(rep_run(&right, 1, &settings, &result, &err), DAE_OK);
  char *csv = read_file("new/right-tables.csv");
  assert_true(has(csv, "Table 1,exact,steps,,7,7,near,0,ok,ok,,,,\r\n"));
  free(csv);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_a_value_outside_its_bound_is_listed_and_the_rest_is_still_shown),
      IN_FOLDER(test_what_is_no_number_is_outside),
      IN_FOLDER(test_runs_that_have_to_fail_are_wrong_where_they_do_not),
      IN_FOLDER(test_a_checked_run_that_gives_up_is_wrong),
      IN_FOLDER(test_right_values_end_well),
      IN_FOLDER(test_wrong_values_do_not_keep_other_papers_from_being_run),
      IN_FOLDER(test_a_failure_is_sticky_and_ends_it),
      IN_FOLDER(test_an_interrupt_keeps_what_was_finished),
      IN_FOLDER(test_files_that_cannot_be_written_are_named),
      IN_FOLDER(test_a_missing_folder_is_made_and_nothing_printed_without_a_stream),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
