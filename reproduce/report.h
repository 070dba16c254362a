/* The report of one paper, shared by the files of the framework. */
#ifndef DAEDAL_REPRODUCE_REPORT_H
#define DAEDAL_REPRODUCE_REPORT_H

#include "reproduce.h"

#define REP__FAILED 240

/* A row of the current table. */
typedef struct rep__row {
  char label[48]; /* label as aligned in the table */
  char name[48];  /* label with single blanks, for messages and files */
  rep_value values[REP_QUANTITIES];
  rep_spread spread[REP_QUANTITIES]; /* low = high: none */
  const char *item, *reading;        /* item and reading, NULL: those of the table */
  char trouble[256];                 /* reason of a failed run, empty: none */
  char note[256];                    /* line below the table, empty: none */
} rep__row;

/* Evidence on one reading of a table, figure or theorem. */
#define REP_LEVELS 5
typedef struct rep__evidence {
  const rep_paper *paper;
  const char *item, *reading;     /* reading: empty if there is only one */
  int values, within[REP_LEVELS]; /* published values, and computed ones within each level */
  int pairs, ordered;             /* pairs of published values, and those in the same order */
  int claims, held;               /* statements, and those that hold */
  bool shortened;                 /* runs shortened by `quick` */
  const char *missing, *why;      /* as in rep_table */
  char failed[REP__FAILED];       /* statements that do not hold, separated by semicolons */
} rep__evidence;

/* Evidence on all readings of the papers, in the order of the tables. */
typedef struct rep__evidences {
  rep__evidence *list;
  int count, room;
} rep__evidences;

/* Verdict on an item, and the recorded one. */
typedef struct rep__judgement {
  const rep__evidence *best; /* best reading, NULL: not run */
  const rep_paper *paper;
  const char *item;
  rep_verdict verdict;
  int percent;              /* deviation of reproduced numbers, 0: statements */
  const rep_record *record; /* NULL: none */
} rep__judgement;

struct rep_report {
  rep__evidences *evidences;
  const rep_paper *paper;
  const rep_settings *settings;
  dae_error *err; /* first failure */
  rep_file *tables;
  FILE *wrong_list;
  int checked, wrong; /* numbers of values with a regression test and of deviating ones */
  const rep_table *table;
  rep__row *rows;
  int count, room;
  bool shortened; /* the current table has shortened runs */
};

__attribute__((format(printf, 3, 4))) void rep__fail(rep_report *report, dae_status status,
                                                     const char *format, ...);

/* ---- table.c ---- */

/* Counts checked values, and lists wrong ones. */
void rep__table_check(rep_report *report, const rep__row *row);
void rep__table_print(FILE *out, const rep_table *table, const rep__row *rows, int count);
/* Whether the value passes its check; true without a check. */
bool rep__value_right(const rep_value *value);
/* Prints words in lines of 80 columns, all indented. */
void rep__wrap(FILE *out, int indent, const char *text);

/* Whether the paper's values of a quantity are those of a preceding one, in another reading. */
bool rep__table_repeats_paper(const rep_table *table, int quantity);
/* Text of a value as in a table; "-" for NaN. */
void rep__number_text(double value, char *text, size_t size);

/* ---- evidence.c: published values and statements of the rows of a table ---- */

/* Adds the evidence of the current table. */
void rep__evidence_collect(rep_report *report);
/* Adds a figure whose curves have neither numbers nor statements. */
void rep__evidence_curves(rep_report *report, const char *item);

/* ---- verdict.c: the rule, and the recorded verdicts ---- */

extern const char rep__rule[];
extern const int rep__levels[REP_LEVELS];
/* Verdict on one reading. */
rep_verdict rep__verdict_of(const rep__evidence *evidence, int *percent);
/* Whether the judgement differs from the recorded one; false for items that were not run. */
bool rep__verdict_changed(const rep__judgement *judgement);
/* Judgements on all items of a paper, also on recorded ones that were not run: an array of *count,
 * allocated by malloc; NULL: out of memory. */
rep__judgement *rep__judge(const rep_paper *paper, const rep__evidences *evidences, int *count);
/* Verdict in words: "reproduced (within 5 %)". */
void rep__verdict_text(rep_verdict verdict, int percent, char *text, size_t size);
/* Explanation of a judgement: its reading, statements that do not hold, missing data; may be
 * empty. */
void rep__judgement_text(const rep__judgement *judgement, char *text, size_t size);

/* ---- verdict_files.c: verdicts as text, CSV and JSON ---- */

/* Papers with their results. */
typedef struct rep__verdicts {
  const rep_paper *papers;
  int count;
  const int *checked, *wrong; /* regression tests of each paper */
  const rep__evidences *evidences;
  const rep_settings *settings;
} rep__verdicts;

/* Counts of a paper over its items, each in its best reading. */
typedef struct rep__tally {
  int items, verdict[REP_NOT_RUN + 1];
  int values, within; /* published values, and computed ones within the widest level */
  int changed;
} rep__tally;

rep__tally rep__tally_of(const rep__judgement *judgements, int count);
void rep__verdicts_print(FILE *out, const rep__verdicts *verdicts);
dae_status rep__verdicts_csv(const rep__verdicts *verdicts, dae_error *err);
dae_status rep__verdicts_json(const rep__verdicts *verdicts, dae_error *err);
/* Adds one line per changed verdict; their number. */
int rep__verdicts_changes(FILE *list, const rep__verdicts *verdicts);

/* ---- page.c: tables on a page ---- */

void rep__page_paper(const rep_report *report);
void rep__page_table(const rep_report *report);
void rep__page_count(const rep_report *report);
void rep__page_verdicts(dae_page *page, const rep__verdicts *verdicts);

/* ---- figure.c: curves and plots from the fields of records ---- */

typedef struct rep__drawing rep__drawing;
rep__drawing *rep__drawing_begin(rep_report *report, const rep_figure *figure, const char *header);
void rep__drawing_text(rep__drawing *drawing, const char *text);
void rep__drawing_number(rep__drawing *drawing, double value);
void rep__drawing_record(rep__drawing *drawing);
void rep__drawing_end(rep__drawing *drawing); /* NULL is allowed */

#endif
