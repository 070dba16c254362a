/* The driver of a reproduction, and the rows of its tables. */
#include "report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char tables_header[] = "table,row,quantity,paper,ours,reference,check,bound,"
                                    "verdict,regression,low,high,item,reading";

static const char explanation[] =
    "paper: published value; ours: computed value; ref: an earlier value of our own, by a "
    "prototype of the corrected equations, for the regression test; ok: ours agrees with ref, "
    "OUT: it does not, -: no regression test. The verdicts on the paper are at the end.";

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

bool rep_quick(rep_report *report)
{
  report->shortened = report->shortened || report->settings->quick;
  return report->settings->quick;
}

const char *rep_iteration(rep_report *report)
{
  report->shortened = report->shortened || report->settings->iteration;
  return report->settings->iteration;
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

static const char *or_empty(const char *text, const char *other)
{
  return text ? text : other ? other : "";
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
    const char *regression = v->check == REP_SHOWN ? "shown" : right ? "ok" : "out";
    rep_file_text(file, regression); /* deprecated name of the column: verdict */
    rep_file_text(file, regression);
    bool spread = row->spread[i].low < row->spread[i].high;
    rep_file_number(file, spread ? row->spread[i].low : NAN);
    rep_file_number(file, spread ? row->spread[i].high : NAN);
    rep_file_text(file, or_empty(row->item, report->table->item));
    rep_file_text(
        file, or_empty(report->table->readings[i], or_empty(row->reading, report->table->reading)));
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

void rep_table_add(rep_report *report, const rep_row *in)
{
  rep__row *row = rep_good(report) ? new_row(report) : NULL;
  size_t count = (size_t)report->table->quantities;
  if (!row)
    return;
  snprintf(row->label, sizeof row->label, "%s", in->label);
  squeeze(in->label, row->name, sizeof row->name);
  memcpy(row->values, in->values, count * sizeof *in->values);
  if (in->spread)
    memcpy(row->spread, in->spread, count * sizeof *in->spread);
  row->item = in->item;
  row->reading = in->reading;
  snprintf(row->trouble, sizeof row->trouble, "%s", in->trouble ? in->trouble : "");
  snprintf(row->note, sizeof row->note, "%s", in->note ? in->note : row->trouble);
  write_row(report, row);
  rep__table_check(report, row);
}

void rep_table_row(rep_report *report, const char *label, const rep_value *values,
                   const char *trouble)
{
  rep_table_add(report, &(rep_row){.label = label, .values = values, .trouble = trouble});
}

/* Prints a table, also after an interrupt. */
void rep_table_end(rep_report *report)
{
  FILE *out = report->settings->out;
  if (report->count > 0 && rep_good(report))
    rep__evidence_collect(report);
  report->shortened = false;
  if (report->count == 0)
    return;
  if (report->settings->page)
    rep__page_table(report);
  if (!out)
    return;
  rep__table_print(out, report->table, report->rows, report->count);
  fflush(out);
}

void rep_note(rep_report *report, const char *text)
{
  const rep_settings *s = report->settings;
  if (!rep_good(report))
    return;
  if (s->page)
    dae_page_text(s->page, text);
  if (!s->out)
    return;
  fputc('\n', s->out);
  rep__wrap(s->out, 2, text);
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
  free(report->rows);
}

/* ---- all papers ---- */

/* The list grows in memory, and is returned if it is not empty. */
static void finish_list(FILE *list, char **text, rep_result *result)
{
  bool whole = fclose(list) == 0;
  if (whole && result->wrong + result->changed > 0)
    result->list = *text;
  else
    free(*text);
}

/* Prints and writes the verdicts, and counts the changed ones. */
static void report_verdicts(rep_report *report, const rep__verdicts *verdicts, rep_result *result)
{
  const rep_settings *s = verdicts->settings;
  if (!rep_good(report))
    return;
  result->changed = rep__verdicts_changes(report->wrong_list, verdicts);
  if (s->page)
    rep__page_verdicts(s->page, verdicts);
  if (rep__verdicts_csv(verdicts, report->err) >= 0 && s->json)
    rep__verdicts_json(verdicts, report->err);
  if (s->out)
    rep__verdicts_print(s->out, verdicts);
}

dae_status rep_run(const rep_paper *papers, int count, const rep_settings *settings,
                   rep_result *result, dae_error *err)
{
  char *text = NULL;
  size_t size = 0;
  int *checked = calloc(2 * (size_t)count + 1, sizeof *checked),
      *wrong = checked ? checked + count : NULL;
  rep__evidences evidences = {0};
  FILE *list = open_memstream(&text, &size);
  rep_report report = {.settings = settings, .err = err, .wrong_list = list};
  *result = (rep_result){0};
  *err = dae_error_none();
  if (!list || !checked)
    rep__fail(&report, DAE_ERROR_MEMORY, "out of memory");
  else
    rep_folder_make(settings->folder, err);
  if (settings->page)
    dae_page_text(settings->page, explanation);
  for (int i = 0; i < count && rep_good(&report); i++) {
    report = (rep_report){.paper = &papers[i],
                          .settings = settings,
                          .err = err,
                          .wrong_list = list,
                          .evidences = &evidences};
    run_paper(&report);
    result->checked += checked[i] = report.checked;
    result->wrong += wrong[i] = report.wrong;
  }
  const rep__verdicts verdicts = {papers, count, checked, wrong, &evidences, settings};
  report_verdicts(&report, &verdicts, result);
  free(evidences.list);
  free(checked);
  if (list)
    finish_list(list, &text, result);
  if (result->changed > 0)
    rep__fail(&report, DAE_ERROR_CHECK, "%d verdict%s differ%s from the recorded ones",
              result->changed, result->changed == 1 ? "" : "s", result->changed == 1 ? "s" : "");
  return err->status;
}
