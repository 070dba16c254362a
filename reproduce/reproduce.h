/* Reproduction of papers: their tables and figures beside the results of daedal.
 *
 * A paper is an entry of the table in papers.c and a run function, which computes rows of tables
 * and figures; the framework prints, judges and writes them. A row shows the published value, the
 * computed value, and the reference: an earlier value of our own, by a prototype of the corrected
 * equations.
 *
 * Published values and statements lead to a verdict on every table, figure and theorem of the
 * paper, by the rule in verdict.c. A verdict that differs from the recorded one ends the
 * reproduction with DAE_ERROR_CHECK, when all tables are printed and written. References are
 * regression tests: a deviation is listed, and changes no verdict.
 *
 * Failures are sticky: after the first one all functions have no effect, and rep_good is false. */
#ifndef DAEDAL_REPRODUCE_H
#define DAEDAL_REPRODUCE_H

#include <daedal/model.h>
#include <daedal/page.h>
#include <daedal/status.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct rep_report rep_report;

/* ---- papers ---- */

/* Verdicts, from the best to the worst. */
typedef enum rep_verdict {
  REP_REPRODUCED,     /* numbers within some per cent, or the statements where there are none */
  REP_ORDER_ONLY,     /* the order of the numbers by size */
  REP_MECHANISM_ONLY, /* the stated effects, not the numbers */
  REP_DATA_MISSING,   /* the paper lacks data that the numbers depend on */
  REP_REFUTED,        /* none of these */
  REP_NOT_RUN         /* not computed in full with `quick` */
} rep_verdict;

/* Recorded verdict on a table, figure or theorem. */
typedef struct rep_record {
  const char *item;
  rep_verdict verdict;
  int percent; /* deviation of reproduced numbers in per cent, 0: statements */
} rep_record;

typedef struct rep_paper {
  const char *key;   /* key in docs/references.bib, in lower case */
  const char *title; /* title in one line */
  const char *notes; /* notes on its tables, NULL: none */
  dae_status (*run)(rep_report *report);
  const rep_record *records; /* recorded verdicts, terminated by an entry without an item */
} rep_paper;

/* All papers, terminated by an entry without a key. */
extern const rep_paper rep_papers[];

typedef struct rep_settings {
  FILE *out;          /* output of tables, NULL: none */
  const char *folder; /* folder of the files, created if missing */
  dae_page *page;     /* page of the report, NULL: none; closed by the caller */
  const char *json;   /* file of the verdicts as JSON, NULL: none */
  bool quick;         /* long runs are shortened to seconds, without verdicts on them */
  /* yp96: only the whole motions by this iteration are computed, without a verdict; NULL: all */
  const char *iteration;
  bool (*go_on)(void *user); /* false interrupts, results so far are kept; or NULL */
  void *user;
} rep_settings;

typedef struct rep_result {
  int checked, wrong; /* numbers of values with a regression test, and of deviating ones */
  int changed;        /* number of verdicts that differ from the recorded ones */
  char *list;         /* one line per deviation and change, allocated by malloc; NULL: none */
} rep_result;

/* Reproduces count papers. DAE_ERROR_CHECK after a changed verdict, at the end of all computations;
 * any other failure ends the reproduction. */
dae_status rep_run(const rep_paper *papers, int count, const rep_settings *settings,
                   rep_result *result, dae_error *err);

/* Creates the folder of the files, if missing. */
dae_status rep_folder_make(const char *folder, dae_error *err);

/* ---- functions for papers ---- */

/* Whether there is no failure and no interrupt. */
bool rep_good(rep_report *report);
dae_status rep_status(const rep_report *report);
/* Whether long runs are to be shortened. The table that ends next then gets no verdict. */
bool rep_quick(rep_report *report);
/* Name of the iteration that alone is wanted, NULL: all tables are. The table that ends next then
 * gets no verdict. */
const char *rep_iteration(rep_report *report);
/* Names of the iterations of whole motions of yp96; NULL behind the last one. */
const char *yp96_iteration_name(int i);
/* Progress function of a run, with the report as user: rep_good. */
bool rep_progress(void *report, double t);
/* Stores the failure of a run or of a model, unless there is one already. */
void rep_fail(rep_report *report, const dae_error *err);

/* ---- tables ---- */

#define REP_QUANTITIES 6

typedef enum rep_check {
  REP_SHOWN,   /* not checked */
  REP_NEAR,    /* |ours - reference| <= bound |reference| */
  REP_AT_MOST, /* ours <= (1 + bound) reference */
  REP_BELOW,   /* ours < reference */
  REP_FAILS    /* ours is NaN: the run has to give up */
} rep_check;

typedef struct rep_value {
  double paper; /* published value, NaN: none */
  double ours;
  double reference; /* reference, NaN: none */
  rep_check check;
  double bound;
} rep_value;

typedef enum rep_relation {
  REP_IS_LESS,     /* left < right */
  REP_IS_AT_LEAST, /* left >= right */
  REP_IS_NEAR,     /* |left - right| <= bound |right| */
  REP_DIVERGES     /* left is NaN: the run gives up */
} rep_relation;

/* Statement of a paper, which holds if the relation holds for all selected values: left is the
 * computed value, right is factor, times the value of another row or quantity if one is named. */
typedef struct rep_claim {
  const char *text;           /* statement in our words */
  const char *item, *reading; /* NULL: those of the table */
  const char *rows;           /* selected rows, a pattern of the shell; NULL: all */
  const char *quantity;       /* selected quantity, NULL: all */
  rep_relation relation;
  double factor, bound;
  const char *other_row;      /* first word of the other row, in place of that of the row */
  const char *other_quantity; /* other quantity */
} rep_claim;

typedef struct rep_table {
  const char *name;    /* name in messages and files: "Table 5.2" */
  const char *title;   /* title of the table */
  const char *setting; /* settings in one line */
  const char *label;   /* headline of the labels: "method  TOL" */
  int quantities;
  const char *quantity[REP_QUANTITIES];
  const char *reason; /* reason for differences, wide bounds or missing checks */
  /* table, figure or theorem of the paper, NULL: the paper has no counterpart; its reading, NULL:
   * the only one; readings of single quantities, NULL: that of the table */
  const char *item, *reading, *readings[REP_QUANTITIES];
  const rep_claim *claims; /* statements, terminated by an entry without a text; NULL: none */
  const char *missing;     /* data missing in the paper, NULL: none */
  const char *why;         /* why the paper is refuted, NULL: none */
} rep_table;

/* Range of a value over perturbed runs, whose median the value is. */
typedef struct rep_spread {
  double low, high;
} rep_spread;

/* Row with all its properties. */
typedef struct rep_row {
  const char *label;
  const rep_value *values;    /* one per quantity */
  const rep_spread *spread;   /* one per quantity, NULL: none */
  const char *item, *reading; /* NULL: those of the table */
  const char *trouble;        /* reason of a failed run, whose regression tests fail; NULL: none */
  const char *note;           /* line below the table, instead of trouble; NULL: none */
} rep_row;

/* Tables are written one at a time: begin, rows, end, which judges and prints the table. The column
 * of the paper is omitted for quantities without published values, that of the references for
 * quantities without checks. */
void rep_table_begin(rep_report *report, const rep_table *table);
void rep_table_add(rep_report *report, const rep_row *row);
/* Adds a row of the table's item and reading. */
void rep_table_row(rep_report *report, const char *label, const rep_value *values,
                   const char *trouble);
void rep_table_end(rep_report *report);
/* Prints a paragraph between tables. */
void rep_note(rep_report *report, const char *text);

/* ---- files ---- */

#define REP_LOG 6

/* Plot of a file: every column after x over x, with a curve for each combination of the fields
 * before x. */
typedef struct rep_figure {
  const char *title;
  const char *x;            /* name of the column of the abscissa */
  const char *log[REP_LOG]; /* columns with a logarithmic axis */
  bool all_log;             /* logarithmic axes for all columns */
  dae_curve_style style;
  const char *item; /* figure of the paper without numbers or statements, NULL: none */
} rep_figure;

/* File KEY-NAME.csv in the folder, by RFC 4180: fields, numbers with 17 significant digits, and
 * ends of records. figure: plot on a page, NULL: none. NULL after a failure, which all functions
 * accept. */
typedef struct rep_file rep_file;
rep_file *rep_file_open(rep_report *report, const char *name, const char *header,
                        const rep_figure *figure);
void rep_file_text(rep_file *file, const char *text);
void rep_file_number(rep_file *file, double value); /* number; NaN: an empty field */
void rep_file_record(rep_file *file);
void rep_file_close(rep_file *file);

/* ---- models ---- */

/* Loads a model by the name of its file, from reproduce/models or examples/models; err is not
 * NULL. */
dae_status rep_model_load(const char *name, const dae_model_options *options, dae_model **out,
                          dae_error *err);

#endif
