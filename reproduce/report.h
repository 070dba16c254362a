/* The report of one paper, shared by the files of the framework. */
#ifndef DAEDAL_REPRODUCE_REPORT_H
#define DAEDAL_REPRODUCE_REPORT_H

#include "reproduce.h"

/* A row of the current table. */
typedef struct rep__row {
  char label[48]; /* label as aligned in the table */
  char name[48];  /* label with single blanks, for messages and files */
  rep_value values[REP_QUANTITIES];
  char trouble[256]; /* reason of a failed run, empty: none */
} rep__row;

struct rep_report {
  const rep_paper *paper;
  const rep_settings *settings;
  dae_error *err; /* first failure */
  rep_file *tables;
  FILE *wrong_list;
  int checked, wrong; /* numbers of checked and wrong values of this paper */
  const rep_table *table;
  rep__row *rows;
  int count, room;
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

/* ---- page.c: tables on a page ---- */

void rep__page_paper(const rep_report *report);
void rep__page_table(const rep_report *report);
void rep__page_count(const rep_report *report);

/* ---- figure.c: curves and plots from the fields of records ---- */

typedef struct rep__drawing rep__drawing;
rep__drawing *rep__drawing_begin(rep_report *report, const rep_figure *figure, const char *header);
void rep__drawing_text(rep__drawing *drawing, const char *text);
void rep__drawing_number(rep__drawing *drawing, double value);
void rep__drawing_record(rep__drawing *drawing);
void rep__drawing_end(rep__drawing *drawing); /* NULL is allowed */

#endif
