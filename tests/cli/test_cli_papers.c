/* The command with papers of the tests (other_papers.c): changed verdicts, deviations, several
 * papers, an interrupt. */
#include "command.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void test_papers_are_listed_by_key_and_title(void **state)
{
  (void)state;
  outcome *o = command_exits(0, "reproduce");
  assert_non_null(strstr(o->out, "wrong01"));
  assert_non_null(strstr(o->out, "a paper that can\n"));
  assert_non_null(strstr(o->out, "daedal reproduce all"));
  assert_string_equal(command_exits(0, "reproduce --names")->out, "wrong01\nright02\nendless03\n");
  assert_false(file_exists("reproduced"));
}

static void test_a_changed_verdict_is_6_and_named(void **state)
{
  (void)state;
  command_refuses(6, "reproduce wrong01", "1 verdict differs from the recorded ones");
  outcome *o = command_exits(6, "reproduce wrong01");
  assert_non_null(strstr(o->err, "\n  regression: wrong01, Table 1, GGL: steps 82, not within 25 % "
                                 "of 824\n"));
  assert_non_null(strstr(
      o->err, "\n  verdict: wrong01, Table 1: refuted, recorded: reproduced (within 1 %)\n"));
  assert_non_null(strstr(o->out, "OUT\n"));
  assert_non_null(strstr(o->out, "wrong01: regression: 0 of 1 values as before"));
  assert_non_null(strstr(o->out, "CHANGED, recorded: reproduced (within 1 %)"));
  o = command_exits(6, "reproduce wrong01 --quiet");
  assert_string_equal(o->out, "");
  assert_non_null(strstr(o->err, "wrong01, Table 1, GGL"));
  char *csv = file_read("reproduced/wrong01-tables.csv");
  assert_non_null(strstr(csv, ",out,out,,,Table 1,\r\n"));
  free(csv);
}

static void test_verdicts_are_in_text_csv_and_json(void **state)
{
  (void)state;
  outcome *o = command_exits(0, "reproduce right02 --out here --json here.json");
  assert_non_null(strstr(o->out, "right02: 1 of 1 numbers of the paper within 25 %"));
  assert_non_null(strstr(o->out, "right02: regression: 1 of 1 values as before; files in here/\n"));
  assert_non_null(strstr(o->out, "\nverdicts as recorded\n"));
  assert_string_equal(o->err, "");
  assert_true(file_exists("here/right02-tables.csv"));
  char *csv = file_read("here/verdicts.csv"), *json = file_read("here.json");
  assert_non_null(strstr(csv, "\r\n\"right02\",\"Table 1\",\"\",\"reproduced (within 1 %)\","));
  assert_non_null(strstr(json, "\"item\": \"Table 1\", \"verdict\": \"reproduced\", "
                               "\"verdict_within_percent\": 1, "));
  assert_non_null(strstr(json, "\"values\": 1, \"within_25\": 1, \"changed\": 0, "
                               "\"regression_values\": 1"));
  free(csv);
  free(json);
  command_refuses(7, "reproduce right02 --json no/such/file", "no/such/file");
  command_refuses(1, "reproduce right02 --json r.html --report r.html", "different files");
}

static void test_an_interrupt_keeps_the_results_and_is_130(void **state)
{
  (void)state;
  const char *const arguments[] = {"reproduce", "all", NULL};
  pid_t child = command_start(arguments, -1, -1);
  file_await("reproduced/endless03-figure.csv");
  kill(child, SIGINT);
  assert_int_equal(command_wait(child), 130);
  char *out = file_read("out.txt"), *err = file_read("err.txt");
  assert_non_null(strstr(out, "wrong01: a paper")); /* those before it, one after the other */
  assert_non_null(strstr(out, "\nright02: a paper"));
  assert_non_null(strstr(err, "interrupted"));
  assert_non_null(strstr(err, "reproduce"));
  free(out);
  free(err);
  char *csv = file_read("reproduced/endless03-figure.csv");
  assert_string_equal(csv + strlen(csv) - 5, "\r\n1\r\n"); /* whole records */
  free(csv);
}

static void test_unknown_papers_are_refused_with_the_nearest(void **state)
{
  (void)state;
  command_refuses(1, "reproduce right2", "did you mean right02?");
  command_refuses(1, "reproduce al", "did you mean all?");
  command_refuses(1, "reproduce newton1687", "there is no paper 'newton1687'");
  command_refuses(1, "reproduce right02 wrong01", "one [PAPER]");
  assert_false(file_exists("reproduced"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_papers_are_listed_by_key_and_title),
      IN_FOLDER(test_a_changed_verdict_is_6_and_named),
      IN_FOLDER(test_verdicts_are_in_text_csv_and_json),
      IN_FOLDER(test_an_interrupt_keeps_the_results_and_is_130),
      IN_FOLDER(test_unknown_papers_are_refused_with_the_nearest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
