/* Papers for the tests: in place of those of reproduce/papers.c, which the linker then leaves out.
 */
#include "reproduce.h"

static const rep_table table = {.name = "Table 1",
                                .title = "a number",
                                .setting = "none",
                                .label = "",
                                .quantities = 1,
                                .quantity = {"steps"},
                                .item = "Table 1"};

static const rep_record records[] = {{"Table 1", REP_REPRODUCED, 1}, {0}};

static dae_status show(rep_report *report, double ours)
{
  rep_table_begin(report, &table);
  rep_table_row(report, "GGL", &(rep_value){822, ours, 824, REP_NEAR, 0.25}, NULL);
  rep_table_end(report);
  return rep_status(report);
}

static dae_status run_right(rep_report *report)
{
  return show(report, 820);
}

static dae_status run_wrong(rep_report *report)
{
  return show(report, 82);
}

/* until somebody has enough of it */
static dae_status run_endless(rep_report *report)
{
  rep_file *file = rep_file_open(report, "figure", "x", NULL);
  while (rep_good(report)) {
    rep_file_number(file, 1);
    rep_file_record(file);
  }
  rep_file_close(file);
  return rep_status(report);
}

const rep_paper rep_papers[] = {
    {"wrong01", "a paper that cannot be reproduced", NULL, run_wrong, records},
    {"right02", "a paper that can", NULL, run_right, records},
    {"endless03", "a paper without an end", NULL, run_endless, NULL},
    {0},
};
