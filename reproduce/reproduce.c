/* The driver of a reproduction, and the rows of its tables. */
#include "report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char tables_header[] = "table,row,quantity,paper,ours,reference,check,bound,verdict";

static const char explanation[] =
    "paper: published value; ours: computed value; ref: reference, from a prototype of the "
    "corrected "
    "equations; ok: ours agrees with ref, OUT: it does not, -: not checked.";

/* ---- failure ---- */

void rep__fail(rep_report *report, dae_status status, const char *format, ...)
{
  dae_error *err = report->err;
  if (err->status < 0)
    return;
  *err = dae_error_none();
  err->status = status;
  va_list args;
  va_start(args, format);
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
}

void rep_fail(rep_report *report, const dae_error *err)
{
  if (report->err->status >= 0)
    *report->err = *err;
}

dae_status rep_status(const rep_report *report)
{
  return report->err->status;
}

bool rep_quick(const rep_report *report)
{
  return report->settings->quick;
}

bool rep_good(rep_report *report)
{
  const rep_settings *s = report->settings;
  if (report->err->status >= 0 && s->go_on && !s->go_on(s->user))
    rep__fail(report, DAE_ERROR_INTERRUPTED, "interrupted; finished tables are in %.200s",
              s->folder);
  return report->err->status >= 0;
}

bool rep_progress(void *report, double t)
{
  (void)t;
  return rep_good(report);
}

/* ---- tables ---- */

void rep_table_begin(rep_report *report, const rep_table *table)
{
  report->table = table;
  report->count = 0;
}

static rep__row *new_row(rep_report *report)
{
  if (report->count == report->room) {
    int room = report->room ? 2 * report->room : 16;
    rep__row *rows = realloc(report->rows, (size_t)room * sizeof *rows);
    if (!rows) {
      rep__fail(report, DAE_ERROR_MEMORY, "out of memory for the rows of a table");
      return NULL;
    }
    report->rows = rows;
    report->room = room;
  }
  rep__row *row = &report->rows[report->count++];
  *row = (rep__row){0};
  return row;
}

/* one record per quantity */
static void write_row(rep_report *report, const rep__row *row)
{
  static const char *const checks[] = {[REP_SHOWN] = "none",
                                       [REP_NEAR] = "near",
                                       [REP_AT_MOST] = "at most",
                                       [REP_BELOW] = "below",
                                       [REP_FAILS] = "fails"};
  rep_file *file = report->tables;
  for (int i = 0; i < report->table->quantities; i++) {
    const rep_value *v = &row->values[i];
    bool right = rep__value_right(v) && !row->trouble[0];
    rep_file_text(file, report->table->name);
    rep_file_text(file, row->name);
    rep_file_text(file, report->table->quantity[i]);
    rep_file_number(file, v->paper);
    rep_file_number(file, v->ours);
    rep_file_number(file, v->reference);
    rep_file_text(file, checks[v->check]);
    rep_file_number(file, v->check == REP_NEAR || v->check == REP_AT_MOST ? v->bound : NAN);
    rep_file_text(file, v->check == REP_SHOWN ? "shown" : right ? "ok" : "out");
    rep_file_record(file);
  }
}

static void squeeze(const char *text, char *out, size_t size)
{
  size_t used = 0;
  for (; *text && used + 1 < size; text++)
    if (*text != ' ' || (used > 0 && text[1] && text[1] != ' '))
      out[used++] = *text;
  out[used] = '\0';
}

void rep_table_row(rep_report *report, const char *label, const rep_value *values,
                   const char *trouble)
{
  rep__row *row = rep_good(report) ? new_row(report) : NULL;
  if (!row)
    return;
  snprintf(row->label, sizeof row->label, "%s", label);
  squeeze(label, row->name, sizeof row->name);
  memcpy(row->values, values, (size_t)report->table->quantities * sizeof *values);
  snprintf(row->trouble, sizeof row->trouble, "%s", trouble ? trouble : "");
  write_row(report, row);
  rep__table_check(report, row);
}

/* Prints a table, also after an interrupt. */
void rep_table_end(rep_report *report)
{
  FILE *out = report->settings->out;
  if (report->count == 0)
    return;
  if (report->settings->page)
    rep__page_table(report);
  if (!out)
    return;
  rep__table_print(out, report->table, report->rows, report->count);
  fflush(out);
}

/* ---- one paper ---- */

static void print_head(const rep_report *report)
{
  FILE *out = report->settings->out;
  if (!out)
    return;
  fprintf(out, "%s: %s\n", report->paper->key, report->paper->title);
  rep__wrap(out, 2, explanation);
  if (report->paper->notes)
    rep__wrap(out, 2, report->paper->notes);
  fflush(out);
}

static void print_end(const rep_report *report)
{
  FILE *out = report->settings->out;
  if (!out || report->err->status < 0)
    return;
  const char *folder = report->settings->folder;
  bool slash = folder[0] && folder[strlen(folder) - 1] == '/';
  fprintf(out, "\n%s: %d of %d checked values agree; files in %s%s\n", report->paper->key,
          report->checked - report->wrong, report->checked, folder, slash ? "" : "/");
  fflush(out);
}

static void run_paper(rep_report *report)
{
  report->tables = rep_file_open(report, "tables", tables_header, NULL);
  if (report->settings->page)
    rep__page_paper(report);
  if (rep_good(report)) {
    print_head(report);
    dae_status status = report->paper->run(report);
    if (status < 0)
      rep__fail(report, status, "%s", dae_status_text(status));
  }
  rep_file_close(report->tables);
  if (report->settings->page)
    rep__page_count(report);
  print_end(report);
  free(report->rows);
}

/* ---- all papers ---- */

/* The list grows in memory, and is returned if it is not empty. */
static void finish_list(FILE *list, char **text, rep_result *result)
{
  bool whole = fclose(list) == 0;
  if (whole && result->wrong > 0)
    result->wrong_list = *text;
  else
    free(*text);
}

dae_status rep_run(const rep_paper *papers, int count, const rep_settings *settings,
                   rep_result *result, dae_error *err)
{
  char *text = NULL;
  size_t size = 0;
  FILE *list = open_memstream(&text, &size);
  rep_report report = {.settings = settings, .err = err, .wrong_list = list};
  *result = (rep_result){0};
  *err = dae_error_none();
  if (!list)
    rep__fail(&report, DAE_ERROR_MEMORY, "out of memory");
  else
    rep_folder_make(settings->folder, err);
  if (settings->page)
    dae_page_text(settings->page, explanation);
  for (int i = 0; i < count && rep_good(&report); i++) {
    report =
        (rep_report){.paper = &papers[i], .settings = settings, .err = err, .wrong_list = list};
    run_paper(&report);
    result->checked += report.checked;
    result->wrong += report.wrong;
  }
  if (list)
    finish_list(list, &text, result);
  if (result->wrong > 0)
    rep__fail(&report, DAE_ERROR_CHECK, "%d of %d checked values deviate from their references",
              result->wrong, result->checked);
  return err->status;
}
