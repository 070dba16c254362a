/* Reproduction of papers: their tables and figures beside the results of daedal.
 *
 * A paper is an entry of the table in papers.c and a run function, which computes rows of tables
 * and figures; the framework prints, checks and writes them. A row shows the published value, the
 * computed value, and the reference: the value of a prototype of the corrected equations, against
 * which the computed value is checked. After a deviation the reproduction ends with
 * DAE_ERROR_CHECK, when all tables are printed and written.
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

typedef struct rep_paper {
  const char *key;   /* key in docs/references.bib, in lower case */
  const char *title; /* title in one line */
  const char *notes; /* notes on its tables, NULL: none */
  dae_status (*run)(rep_report *report);
} rep_paper;

/* All papers, terminated by an entry without a key. */
extern const rep_paper rep_papers[];

typedef struct rep_settings {
  FILE *out;                 /* output of tables, NULL: none */
  const char *folder;        /* folder of the files, created if missing */
  dae_page *page;            /* page of the report, NULL: none; closed by the caller */
  bool quick;                /* long runs are shortened to seconds, with fewer checks */
  bool (*go_on)(void *user); /* false interrupts, results so far are kept; or NULL */
  void *user;
} rep_settings;

typedef struct rep_result {
  int checked, wrong; /* numbers of checked and wrong values */
  char *wrong_list;   /* one line per wrong value, allocated by malloc; NULL: none */
} rep_result;

/* Reproduces count papers. DAE_ERROR_CHECK after a wrong value, at the end of all computations;
 * any other failure ends the reproduction. */
dae_status rep_run(const rep_paper *papers, int count, const rep_settings *settings,
                   rep_result *result, dae_error *err);

/* Creates the folder of the files, if missing. */
dae_status rep_folder_make(const char *folder, dae_error *err);

/* ---- functions for papers ---- */

/* Whether there is no failure and no interrupt. */
bool rep_good(rep_report *report);
dae_status rep_status(const rep_report *report);
/* Whether long runs are to be shortened. */
bool rep_quick(const rep_report *report);
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

typedef struct rep_table {
  const char *name;    /* name in messages and files: "Table 5.2" */
  const char *title;   /* title of the table */
  const char *setting; /* settings in one line */
  const char *label;   /* headline of the labels: "method  TOL" */
  int quantities;
  const char *quantity[REP_QUANTITIES];
  const char *reason; /* reason for differences, wide bounds or missing checks */
} rep_table;

/* Tables are written one at a time: begin, rows, end, which prints the table. The column of the
 * paper is omitted for quantities without published values, that of the references for quantities
 * without checks. */
void rep_table_begin(rep_report *report, const rep_table *table);
/* Adds a row, with one value per quantity. trouble: reason of a failed run, whose checked values
 * count as wrong; NULL: none. */
void rep_table_row(rep_report *report, const char *label, const rep_value *values,
                   const char *trouble);
void rep_table_end(rep_report *report);

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
