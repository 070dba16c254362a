/* The report of a reproduction: the tables and figures of all papers on one page. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELL 128
#define COLUMNS (4 * REP_QUANTITIES + 2)

/* Cells of a row. It contains pointers to itself and must not be copied. */
typedef struct cells {
  char text[COLUMNS][CELL];
  const char *at[COLUMNS];
  int count;
} cells;

static void add(cells *c, const char *text)
{
  snprintf(c->text[c->count], sizeof c->text[0], "%s", text);
  c->at[c->count] = c->text[c->count];
  c->count++;
}

/* none: text of a missing value */
static void add_number(cells *c, double value, const char *none)
{
  char text[CELL];
  snprintf(text, sizeof text, "%.6g", value);
  add(c, isnan(value) ? none : text);
}

/* number with its range over perturbed runs */
static void add_spread(cells *c, double value, const rep_spread *spread)
{
  char text[CELL];
  if (!(spread->low < spread->high)) {
    add_number(c, value, "-");
    return;
  }
  snprintf(text, sizeof text, "%.6g (%.6g to %.6g)", value, spread->low, spread->high);
  add(c, text);
}

/* Columns of a quantity, as in the printed table. */
typedef struct shape {
  bool paper[REP_QUANTITIES], reference[REP_QUANTITIES];
} shape;

static shape find_shape(const rep_table *table, const rep__row *rows, int count)
{
  shape s = {{false}, {false}};
  for (int i = 0; i < count; i++)
    for (int k = 0; k < table->quantities; k++) {
      s.paper[k] =
          s.paper[k] || (!isnan(rows[i].values[k].paper) && !rep__table_repeats_paper(table, k));
      s.reference[k] = s.reference[k] || rows[i].values[k].check != REP_SHOWN;
    }
  return s;
}

static void add_heading(cells *c, const char *quantity, const char *what)
{
  char text[CELL];
  snprintf(text, sizeof text, "%.60s, %s", quantity, what);
  add(c, text);
}

static void add_header(cells *c, const rep_table *table, const shape *s)
{
  add(c, table->label);
  add(c, "regression");
  for (int k = 0; k < table->quantities; k++) {
    if (s->paper[k])
      add_heading(c, table->quantity[k], "paper");
    add_heading(c, table->quantity[k], "ours");
    if (s->reference[k])
      add_heading(c, table->quantity[k], "ref");
  }
}

static void show_row(const rep_report *report, const shape *s, const rep__row *row)
{
  cells c = {.count = 0};
  bool checked = false, right = true;
  for (int k = 0; k < report->table->quantities; k++) {
    checked = checked || row->values[k].check != REP_SHOWN;
    right = right && rep__value_right(&row->values[k]);
  }
  bool wrong = checked && (!right || row->trouble[0]);
  add(&c, row->name);
  add(&c, row->trouble[0] ? "stopped" : wrong ? "OUT" : checked ? "ok" : "-");
  for (int k = 0; k < report->table->quantities; k++) {
    const rep_value *v = &row->values[k];
    if (s->paper[k])
      add_number(&c, v->paper, "");
    add_spread(&c, v->ours, &row->spread[k]);
    if (s->reference[k])
      add_number(&c, v->reference, "");
  }
  dae_page_table_row(report->settings->page, wrong ? DAE_PAGE_BAD : DAE_PAGE_PLAIN, c.at);
}

void rep__page_table(const rep_report *report)
{
  const rep_table *table = report->table;
  dae_page *page = report->settings->page;
  char caption[400];
  shape s = find_shape(table, report->rows, report->count);
  cells header = {.count = 0};
  add_header(&header, table, &s);
  dae_page_subheading(page, table->name);
  snprintf(caption, sizeof caption, "%s%s%s", table->title, table->setting ? ": " : "",
           table->setting ? table->setting : "");
  dae_page_table_begin(page, caption, header.count, header.at);
  for (int i = 0; i < report->count; i++)
    show_row(report, &s, &report->rows[i]);
  dae_page_table_end(page);
  if (table->reason)
    dae_page_text(page, table->reason);
}

void rep__page_paper(const rep_report *report)
{
  char text[300];
  dae_page *page = report->settings->page;
  snprintf(text, sizeof text, "%s: %s", report->paper->key, report->paper->title);
  dae_page_heading(page, text);
  if (report->paper->notes)
    dae_page_text(page, report->paper->notes);
}

void rep__page_count(const rep_report *report)
{
  char text[200];
  bool good = report->wrong == 0 && report->err->status >= 0;
  snprintf(text, sizeof text, "%s: regression: %d of %d values as before%s", report->paper->key,
           report->checked - report->wrong, report->checked,
           report->err->status < 0 ? "; not finished" : "");
  dae_page_verdict(report->settings->page, good ? DAE_PAGE_GOOD : DAE_PAGE_BAD, text,
                   report->err->status < 0 ? report->err->text : NULL);
}

/* ---- verdicts ---- */

#define EXPLAINED 900

static dae_page_mood mood_of(const rep__judgement *j)
{
  if (rep__verdict_changed(j))
    return DAE_PAGE_BAD;
  return j->verdict == REP_REPRODUCED ? DAE_PAGE_GOOD : DAE_PAGE_PLAIN;
}

static void show_judgement(dae_page *page, const rep__judgement *j)
{
  char verdict[64], values[32] = "", pairs[32] = "", claims[32] = "", text[EXPLAINED];
  const rep__evidence *e = j->verdict != REP_NOT_RUN ? j->best : NULL;
  rep__verdict_text(j->verdict, j->percent, verdict, sizeof verdict);
  rep__judgement_text(j, text, sizeof text);
  if (e && e->values > 0)
    snprintf(values, sizeof values, "%d of %d", e->within[REP_LEVELS - 1], e->values);
  if (e && e->pairs > 0)
    snprintf(pairs, sizeof pairs, "%d of %d", e->ordered, e->pairs);
  if (e && e->claims > 0)
    snprintf(claims, sizeof claims, "%d of %d", e->held, e->claims);
  const char *fields[] = {j->paper->key, j->item, verdict, values, pairs, claims, text};
  dae_page_table_row(page, mood_of(j), fields);
}

static rep__tally show_judgements(dae_page *page, const rep_paper *paper,
                                  const rep__evidences *evidences)
{
  int count;
  rep__judgement *list = rep__judge(paper, evidences, &count);
  rep__tally tally = rep__tally_of(list, count);
  for (int i = 0; i < count; i++)
    show_judgement(page, &list[i]);
  free(list);
  return tally;
}

void rep__page_verdicts(dae_page *page, const rep__verdicts *v)
{
  static const char *const header[] = {"paper",         "item",       "verdict", "within 25 %",
                                       "pairs ordered", "statements", "remarks"};
  char text[200];
  int values = 0, within = 0, changed = 0;
  dae_page_heading(page, "Verdicts on the papers");
  dae_page_text(page, rep__rule);
  dae_page_table_begin(page, NULL, sizeof header / sizeof *header, header);
  for (int i = 0; i < v->count; i++) {
    rep__tally t = show_judgements(page, &v->papers[i], v->evidences);
    values += t.values;
    within += t.within;
    changed += t.changed;
  }
  dae_page_table_end(page);
  snprintf(text, sizeof text, "%d of %d numbers of the papers within 25 %%; %d verdicts changed",
           within, values, changed);
  dae_page_verdict(page, changed ? DAE_PAGE_BAD : DAE_PAGE_GOOD, text,
                   v->settings->quick ? "Shortened runs have no verdict." : NULL);
}
