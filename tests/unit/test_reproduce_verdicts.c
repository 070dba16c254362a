/* The rule of the verdicts of a reproduction, on papers with known evidence. */
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

static char folder[] = "verdicts_XXXXXX";

static int make_folder(void **state)
{
  (void)state;
  strcpy(folder, "verdicts_XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
  (void)state;
  char remove[64];
  snprintf(remove, sizeof remove, "rm -rf %s", folder);
  return system(remove);
}

/* ---- a paper of one table, five rows of one quantity ---- */

#define ROWS 5

static struct {
  double paper[ROWS], ours[ROWS];
  rep_table table;
  bool asks_quick; /* a run of the table is shortened by `quick` */
  bool second;     /* a second reading follows, which agrees with the paper */
} scene;

static const rep_table blank = {.name = "Table 1",
                                .title = "numbers",
                                .setting = "",
                                .label = "",
                                .quantities = 1,
                                .quantity = {"steps"},
                                .item = "Table 1"};

static void set_scene(const double *paper, const double *ours)
{
  memset(&scene, 0, sizeof scene);
  memcpy(scene.paper, paper, sizeof scene.paper);
  memcpy(scene.ours, ours, sizeof scene.ours);
  scene.table = blank;
}

static dae_status run_scene(rep_report *report)
{
  rep_table_begin(report, &scene.table);
  if (scene.asks_quick)
    rep_quick(report);
  for (int i = 0; i < ROWS; i++) {
    char label[16];
    rep_value value = {scene.paper[i], scene.ours[i], NAN, REP_SHOWN, 0};
    snprintf(label, sizeof label, "row %d", i);
    rep_table_row(report, label, &value, NULL);
    if (!scene.second)
      continue;
    value.ours = value.paper;
    rep_table_add(report,
                  &(rep_row){.label = label, .values = &value, .reading = "the second one"});
  }
  rep_table_end(report);
  return rep_status(report);
}

/* Reproduces the scene; the printed verdicts, to be freed. */
static char *judge(rep_verdict recorded, int percent, bool quick, dae_status expected)
{
  const rep_record records[] = {{"Table 1", recorded, percent}, {0}};
  const rep_paper paper = {"k99", "a paper", NULL, run_scene, records};
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  rep_settings settings = {.folder = folder, .out = out, .quick = quick};
  rep_result result;
  dae_error err;
  assert_non_null(out);
  dae_status status = rep_run(&paper, 1, &settings, &result, &err);
  fclose(out);
  if (status != expected)
    fail_msg("%d: %s\n%s", status, err.text, text);
  free(result.list);
  return text;
}

static void judge_as(rep_verdict verdict, int percent)
{
  free(judge(verdict, percent, false, DAE_OK));
}

static const double hundreds[ROWS] = {100, 200, 300, 400, 500};
static const double none[ROWS] = {NAN, NAN, NAN, NAN, NAN};

/* ---- the rule ---- */

static void test_four_fifths_of_the_numbers_decide(void **state)
{
  (void)state;
  const struct {
    double ours[ROWS];
    int percent;
  } cases[] = {{{101, 202, 297, 396, 505}, 1},
               {{102, 204, 294, 392, 5e9}, 2},
               {{105, 190, 315, 380, NAN}, 5},
               {{110, 180, 330, 360, 0}, 10},
               {{125, 150, 375, 300, 1e3}, 25}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    set_scene(hundreds, cases[i].ours);
    judge_as(REP_REPRODUCED, cases[i].percent);
  }
}

static void test_numbers_in_the_same_order_are_order_only(void **state)
{
  (void)state;
  const double larger[ROWS] = {1000, 2000, 3000, 4000, 5000};
  const double turned[ROWS] = {5000, 4000, 3000, 2000, 1000};
  set_scene(hundreds, larger);
  judge_as(REP_ORDER_ONLY, 0);
  set_scene(hundreds, turned);
  judge_as(REP_REFUTED, 0);
  scene.table.missing = "the masses";
  judge_as(REP_DATA_MISSING, 0);
}

static const rep_claim holds[] = {{.text = "the last one is the smallest",
                                   .rows = "row 4",
                                   .relation = REP_IS_LESS,
                                   .factor = 1001},
                                  {0}};
static const rep_claim fails[] = {
    {.text = "the last one is the smallest",
     .rows = "row 4",
     .relation = REP_IS_LESS,
     .factor = 999},
    {.text = "all are finite", .relation = REP_IS_LESS, .factor = 1e9},
    {0}};

static void test_statements_without_the_numbers_are_mechanism_only(void **state)
{
  (void)state;
  const double turned[ROWS] = {5000, 4000, 3000, 2000, 1000};
  set_scene(hundreds, turned);
  scene.table.claims = holds;
  judge_as(REP_MECHANISM_ONLY, 0);
  scene.table.claims = fails;
  scene.table.why = "it is the largest";
  char *text = judge(REP_REFUTED, 0, false, DAE_OK);
  assert_non_null(strstr(text, " 1/2  refuted\n"));
  assert_non_null(strstr(text, "not so: the last one is the smallest. why: it is the largest\n"));
  free(text);
}

static void test_papers_without_numbers_are_judged_by_their_statements(void **state)
{
  (void)state;
  const double ours[ROWS] = {5000, 4000, 3000, 2000, 1000};
  set_scene(none, ours);
  judge_as(REP_DATA_MISSING, 0); /* neither */
  scene.table.claims = holds;
  judge_as(REP_REPRODUCED, 0);
  scene.table.claims = fails;
  judge_as(REP_REFUTED, 0);
}

static void test_relations_hold_between_rows(void **state)
{
  (void)state;
  static const rep_claim halves[] = {{.text = "the second is twice the first",
                                      .rows = "row 1",
                                      .relation = REP_IS_NEAR,
                                      .factor = 2,
                                      .bound = 1e-12,
                                      .other_quantity = "steps"},
                                     {0}};
  static const rep_claim diverges[] = {
      {.text = "row 3 diverges", .rows = "row 3", .relation = REP_DIVERGES}, {0}};
  static const rep_claim nothing[] = {
      {.text = "there is a row 9", .rows = "row 9", .relation = REP_DIVERGES}, {0}};
  const double ours[ROWS] = {1, 2, 3, NAN, 5};
  set_scene(none, ours);
  scene.table.claims = halves; /* of itself */
  judge_as(REP_REFUTED, 0);
  scene.table.claims = diverges;
  judge_as(REP_REPRODUCED, 0);
  scene.table.claims = nothing;
  free(judge(REP_REPRODUCED, 0, false, DAE_ERROR_USAGE));
}

/* ---- readings, records, `quick` ---- */

static void test_the_best_reading_counts(void **state)
{
  (void)state;
  const double far[ROWS] = {5000, 4000, 3000, 2000, 1000};
  set_scene(hundreds, far);
  scene.second = true;
  scene.table.reading = "the first one";
  char *text = judge(REP_REPRODUCED, 1, false, DAE_OK);
  assert_non_null(strstr(text, "k99: 5 of 5 numbers of the paper within 25 %"));
  assert_non_null(strstr(text, "reading: the second one\n"));
  free(text);
}

static void test_a_changed_verdict_is_an_error(void **state)
{
  (void)state;
  set_scene(hundreds, hundreds);
  char *text = judge(REP_REPRODUCED, 5, false, DAE_ERROR_CHECK);
  assert_non_null(strstr(text, "CHANGED, recorded: reproduced (within 5 %)"));
  free(text);
  free(judge(REP_REFUTED, 0, false, DAE_ERROR_CHECK));
  scene.table.item = "Table 2"; /* without a record */
  free(judge(REP_REPRODUCED, 1, false, DAE_ERROR_CHECK));
}

static void test_shortened_runs_have_no_verdict(void **state)
{
  (void)state;
  set_scene(hundreds, none);
  scene.asks_quick = true;
  char *text = judge(REP_REPRODUCED, 5, true, DAE_OK);
  assert_non_null(strstr(text, "not run in full\n"));
  assert_non_null(strstr(text, "recorded: reproduced (within 5 %)"));
  assert_non_null(strstr(text, "1 not run in full"));
  free(text);
  free(judge(REP_REPRODUCED, 5, false, DAE_ERROR_CHECK)); /* the full run changes it */
  scene.asks_quick = false;
  free(judge(REP_REPRODUCED, 5, true, DAE_ERROR_CHECK)); /* `quick` without effect on the table */
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_four_fifths_of_the_numbers_decide),
      IN_FOLDER(test_numbers_in_the_same_order_are_order_only),
      IN_FOLDER(test_statements_without_the_numbers_are_mechanism_only),
      IN_FOLDER(test_papers_without_numbers_are_judged_by_their_statements),
      IN_FOLDER(test_relations_hold_between_rows),
      IN_FOLDER(test_the_best_reading_counts),
      IN_FOLDER(test_a_changed_verdict_is_an_error),
      IN_FOLDER(test_shortened_runs_have_no_verdict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
