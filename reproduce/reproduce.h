/* Reproducing papers: what their tables and figures say, beside what daedal gives.
 *
 * A paper is an entry of the table in papers.c and a run function. That function computes, and
 * hands in rows of tables and of figures; printing, checking and writing files is done here. A row
 * shows the paper's value, ours, and the reference: the value of a prototype of the corrected
 * equations, which ours has to be near, whatever the paper says. A value that is not near its
 * reference makes the whole end with DAE_ERROR_CHECK, after everything was printed and written.
 *
 * Failure is sticky: after the first one all functions do nothing, and rep_good is false. */
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
  const char *key;   /* as in docs/references.bib, in lower case */
  const char *title; /* one line */
  const char *notes; /* what its tables need to be read, NULL: nothing */
  dae_status (*run)(rep_report *report);
} rep_paper;

/* All papers; one without a key is past the last one. */
extern const rep_paper rep_papers[];

typedef struct rep_settings {
  FILE *out;                 /* where tables are printed, NULL: nowhere */
  const char *folder;        /* where files go; it is made if there is none */
  dae_page *page;            /* that shows everything, NULL: none; the caller closes it */
  bool quick;                /* long runs are cut short: less is checked, in seconds */
  bool (*go_on)(void *user); /* false interrupts, what was printed and written is kept; or NULL */
  void *user;
} rep_settings;

typedef struct rep_result {
  int checked, wrong; /* values */
  char *wrong_list;   /* a line for each wrong value; to be freed, NULL: none */
} rep_result;

/* Reproduces count papers. DAE_ERROR_CHECK where a value is wrong, which does not keep the others
 * from being computed; the first other failure ends it. */
dae_status rep_run(const rep_paper *papers, int count, const rep_settings *settings,
                   rep_result *result, dae_error *err);

/* The folder of the files, made if there is none. */
dae_status rep_folder_make(const char *folder, dae_error *err);

/* ---- what papers call ---- */

/* Nothing has failed, and nobody interrupted. */
bool rep_good(rep_report *report);
dae_status rep_status(const rep_report *report);
/* Whether long runs are to be cut short. */
bool rep_quick(const rep_report *report);
/* The same as the progress function of a run: user is the report. */
bool rep_progress(void *report, double t);
/* Takes over the failure of a run or of a model, unless there is one already. */
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
  double paper; /* NaN: the paper does not say */
  double ours;
  double reference; /* NaN: none */
  rep_check check;
  double bound;
} rep_value;

typedef struct rep_table {
  const char *name;    /* "Table 5.2", for messages and files */
  const char *title;   /* what it shows */
  const char *setting; /* in one line */
  const char *label;   /* headline of the labels: "method  TOL" */
  int quantities;
  const char *quantity[REP_QUANTITIES];
  const char *reason; /* why paper and ours differ, why a bound is wide or there is none */
} rep_table;

/* One table at a time: begin, rows, end, which prints it. The column of the paper is left out for
 * quantities it does not give, that of the references for quantities that no row checks. */
void rep_table_begin(rep_report *report, const rep_table *table);
/* One value for each quantity. trouble says why a run did not reach its end, NULL: it did; checked
 * values of such a row are wrong. */
void rep_table_row(rep_report *report, const char *label, const rep_value *values,
                   const char *trouble);
void rep_table_end(rep_report *report);

/* ---- files ---- */

#define REP_LOG 6

/* How the data of a file are drawn: every column after x over x, with a curve for each combination
 * of the fields before x. */
typedef struct rep_figure {
  const char *title;
  const char *x;            /* name of its column */
  const char *log[REP_LOG]; /* columns with a logarithmic axis */
  bool all_log;             /* all of them */
  dae_curve_style style;
} rep_figure;

/* KEY-NAME.csv in the folder, by RFC 4180: fields, numbers with 17 significant digits, and the end
 * of each record; figure says how a page shows it, NULL: not at all. NULL after a failure, which
 * all of these take. */
typedef struct rep_file rep_file;
rep_file *rep_file_open(rep_report *report, const char *name, const char *header,
                        const rep_figure *figure);
void rep_file_text(rep_file *file, const char *text);
void rep_file_number(rep_file *file, double value); /* NaN: an empty field */
void rep_file_record(rep_file *file);
void rep_file_close(rep_file *file);

/* ---- models ---- */

/* A model by the name of its file, from reproduce/models or examples/models; err is not NULL. */
dae_status rep_model_load(const char *name, const dae_model_options *options, dae_model **out,
                          dae_error *err);

#endif
