/* Evidence of a table on the items of its paper: published values beside computed ones, the order
 * of both by size, and statements. */
#include "report.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list of evidence ---- */

static bool evidence_same(const char *a, const char *b)
{
  return strcmp(a, b) == 0;
}

/* Evidence on a reading of an item, new if there is none; NULL after a failure. */
static rep__evidence *evidence_find(rep_report *report, const char *item, const char *reading)
{
  rep__evidences *all = report->evidences;
  for (int i = 0; i < all->count; i++) {
    rep__evidence *e = &all->list[i];
    if (e->paper == report->paper && evidence_same(e->item, item) &&
        evidence_same(e->reading, reading))
      return e;
  }
  if (all->count == all->room) {
    int room = all->room ? 2 * all->room : 32;
    rep__evidence *list = realloc(all->list, (size_t)room * sizeof *list);
    if (!list) {
      rep__fail(report, DAE_ERROR_MEMORY, "out of memory for the verdicts");
      return NULL;
    }
    all->list = list;
    all->room = room;
  }
  rep__evidence *e = &all->list[all->count++];
  *e = (rep__evidence){.paper = report->paper, .item = item, .reading = reading};
  return e;
}

/* Evidence on the item and reading of the current table, or on others if they are given; NULL: the
 * paper has no counterpart. */
static rep__evidence *evidence_of(rep_report *report, const char *item, const char *reading)
{
  const rep_table *table = report->table;
  item = item ? item : table->item;
  reading = reading ? reading : table->reading;
  if (!item)
    return NULL;
  rep__evidence *e = evidence_find(report, item, reading ? reading : "");
  if (e) {
    e->shortened = e->shortened || report->shortened;
    e->missing = table->missing ? table->missing : e->missing;
    e->why = table->why ? table->why : e->why;
  }
  return e;
}

static const char *evidence_reading(const rep_table *table, const rep__row *row, int k)
{
  return table->readings[k] ? table->readings[k] : row->reading;
}

/* ---- published values ---- */

static void evidence_add_value(rep__evidence *e, const rep_value *v)
{
  e->values++;
  for (int i = 0; i < REP_LEVELS; i++)
    if (fabs(v->ours - v->paper) <= rep__levels[i] / 100.0 * fabs(v->paper))
      e->within[i]++;
}

/* Pairs of published values of a quantity that differ by more than the widest level. */
static void evidence_add_pair(rep__evidence *e, const rep_value *a, const rep_value *b)
{
  double widest = rep__levels[REP_LEVELS - 1] / 100.0;
  if (!(fabs(a->paper - b->paper) > widest * fmax(fabs(a->paper), fabs(b->paper))))
    return;
  e->pairs++;
  if ((a->paper - b->paper) * (a->ours - b->ours) > 0)
    e->ordered++;
}

static void evidence_add_pairs(rep_report *report, rep__evidence *e, int row, int k)
{
  const rep__row *a = &report->rows[row];
  for (int i = 0; i < row; i++) {
    const rep__row *b = &report->rows[i];
    if (!isnan(b->values[k].paper) &&
        e == evidence_of(report, b->item, evidence_reading(report->table, b, k)))
      evidence_add_pair(e, &a->values[k], &b->values[k]);
  }
}

static void evidence_add_values(rep_report *report)
{
  for (int i = 0; i < report->count; i++)
    for (int k = 0; k < report->table->quantities; k++) {
      const rep__row *row = &report->rows[i];
      if (isnan(row->values[k].paper))
        continue;
      rep__evidence *e = evidence_of(report, row->item, evidence_reading(report->table, row, k));
      if (!e)
        continue;
      evidence_add_value(e, &row->values[k]);
      evidence_add_pairs(report, e, i, k);
    }
}

/* ---- statements ---- */

/* Row whose name has another first word; NULL: none. */
static const rep__row *evidence_other_row(const rep_report *report, const char *name,
                                          const char *word)
{
  char other[sizeof((rep__row *)0)->name + 16];
  snprintf(other, sizeof other, "%s%s", word, name + strcspn(name, " "));
  for (int i = 0; i < report->count; i++)
    if (strcmp(report->rows[i].name, other) == 0)
      return &report->rows[i];
  return NULL;
}

static int evidence_quantity(const rep_table *table, const char *name)
{
  for (int k = 0; k < table->quantities; k++)
    if (strcmp(table->quantity[k], name) == 0)
      return k;
  return -1;
}

/* Right side of a statement; NaN if there is no such value, for which no relation holds. */
static double evidence_right(const rep_report *report, const rep_claim *claim, const rep__row *row,
                             int k)
{
  if (!claim->other_row && !claim->other_quantity)
    return claim->factor;
  if (claim->other_row)
    row = evidence_other_row(report, row->name, claim->other_row);
  if (claim->other_quantity)
    k = evidence_quantity(report->table, claim->other_quantity);
  return row && k >= 0 ? claim->factor * row->values[k].ours : NAN;
}

static bool evidence_relation(const rep_claim *claim, double left, double right)
{
  switch (claim->relation) {
  case REP_IS_LESS:
    return left < right;
  case REP_IS_AT_LEAST:
    return left >= right;
  case REP_IS_NEAR:
    return fabs(left - right) <= claim->bound * fabs(right);
  case REP_DIVERGES:
    break;
  }
  return isnan(left);
}

/* Whether the statement holds for all selected values; *selected: their number. */
static bool evidence_holds(const rep_report *report, const rep_claim *claim, int *selected)
{
  bool holds = true;
  *selected = 0;
  for (int i = 0; i < report->count; i++)
    for (int k = 0; k < report->table->quantities; k++) {
      const rep__row *row = &report->rows[i];
      if ((claim->rows && fnmatch(claim->rows, row->name, 0) != 0) ||
          (claim->quantity && strcmp(claim->quantity, report->table->quantity[k]) != 0))
        continue;
      ++*selected;
      holds = holds &&
              evidence_relation(claim, row->values[k].ours, evidence_right(report, claim, row, k));
    }
  return holds;
}

static void evidence_add_claim(rep_report *report, const rep_claim *claim)
{
  int selected;
  bool holds = evidence_holds(report, claim, &selected);
  rep__evidence *e = evidence_of(report, claim->item, claim->reading);
  if (selected == 0 && !report->shortened)
    rep__fail(report, DAE_ERROR_USAGE, "%s, %s: no value is selected by the statement '%s'",
              report->paper->key, report->table->name, claim->text);
  if (!e || selected == 0)
    return;
  e->claims++;
  e->held += holds;
  if (!holds) {
    size_t used = strlen(e->failed);
    snprintf(e->failed + used, sizeof e->failed - used, "%s%s", used ? "; " : "", claim->text);
  }
}

static bool evidence_exists(const rep_report *report, const char *item)
{
  const rep__evidences *all = report->evidences;
  for (int i = 0; i < all->count; i++)
    if (all->list[i].paper == report->paper && evidence_same(all->list[i].item, item))
      return true;
  return false;
}

void rep__evidence_collect(rep_report *report)
{
  const rep_table *table = report->table;
  evidence_add_values(report);
  for (const rep_claim *claim = table->claims; claim && claim->text; claim++)
    evidence_add_claim(report, claim);
  if (table->item && !evidence_exists(report, table->item))
    evidence_of(report, NULL, NULL); /* an item without numbers and statements */
}

void rep__evidence_curves(rep_report *report, const char *item)
{
  rep__evidence *e = evidence_find(report, item, "");
  if (e)
    e->missing = "numbers: curves alone, without a statement on them";
}
