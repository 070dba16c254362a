/* A table as text, and the check of its values.
 *
 *                   steps
 *           paper ours ref
 *   GGL       822  821 824  ok
 *
 * The width of a column is that of its longest cell. A quantity has up to three columns. */
#include "report.h"

#include <math.h>
#include <string.h>

#define WIDTH 80
#define INDENT 2 /* indentation of text; rows begin at the margin */
#define COLUMNS (3 * REP_QUANTITIES)

/* ---- checks ---- */

/* comparisons are false for NaN, which is therefore never right */
bool rep__value_right(const rep_value *v)
{
  switch (v->check) {
  case REP_NEAR:
    return fabs(v->ours - v->reference) <= v->bound * fabs(v->reference);
  case REP_AT_MOST:
    return v->ours <= (1 + v->bound) * v->reference;
  case REP_BELOW:
    return v->ours < v->reference;
  case REP_FAILS:
    return isnan(v->ours);
  case REP_SHOWN:
    break;
  }
  return true;
}

void rep__table_check(rep_report *report, const rep__row *row)
{
  const rep_table *table = report->table;
  for (int i = 0; i < table->quantities; i++) {
    const rep_value *v = &row->values[i];
    if (v->check == REP_SHOWN)
      continue;
    report->checked++;
    if (rep__value_right(v) && !row->trouble[0])
      continue;
    report->wrong++;
    fprintf(report->wrong_list, "  regression: %s, %s, %s: %s %.6g, ", report->paper->key,
            table->name, row->name, table->quantity[i], v->ours);
    if (row->trouble[0])
      fprintf(report->wrong_list, "%s\n", row->trouble);
    else if (v->check == REP_FAILS)
      fprintf(report->wrong_list, "but the run must fail\n");
    else if (v->check == REP_BELOW)
      fprintf(report->wrong_list, "not below %.6g\n", v->reference);
    else if (v->check == REP_AT_MOST)
      fprintf(report->wrong_list, "more than %.3g %% above %.6g\n", 100 * v->bound, v->reference);
    else
      fprintf(report->wrong_list, "not within %.3g %% of %.6g\n", 100 * v->bound, v->reference);
  }
}

/* ---- text ---- */

void rep__wrap(FILE *out, int indent, const char *text)
{
  int column = 0;
  for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
    int length = (int)strcspn(text, " ");
    if (column > 0 && column + 1 + length > WIDTH) {
      fputc('\n', out);
      column = 0;
    }
    column += fprintf(out, "%*s%.*s", column ? 1 : indent, "", length, text);
    text += length;
  }
  if (column > 0)
    fputc('\n', out);
}

typedef struct cell {
  char text[24];
} cell;

void rep__number_text(double value, char *text, size_t size)
{
  if (isnan(value))
    snprintf(text, size, "-");
  else if (value == floor(value) && fabs(value) < 1e6)
    snprintf(text, size, "%.0f", value);
  else
    snprintf(text, size, "%.4g", value);
}

static cell number_cell(double value)
{
  cell c;
  rep__number_text(value, c.text, sizeof c.text);
  return c;
}

/* ---- columns ---- */

typedef enum face { PAPER, OURS, REFERENCE } face;

typedef struct column {
  int quantity, width;
  face face;
} column;

static cell cell_of(const column *c, const rep__row *row)
{
  const rep_value *v = &row->values[c->quantity];
  switch (c->face) {
  case PAPER:
    return number_cell(v->paper);
  case REFERENCE:
    if (v->check == REP_BELOW) {
      cell limit = number_cell(v->reference), text;
      snprintf(text.text, sizeof text.text, "<%.22s", limit.text);
      return text;
    }
    return number_cell(v->reference);
  case OURS:
    break;
  }
  return number_cell(v->ours);
}

bool rep__table_repeats_paper(const rep_table *table, int quantity)
{
  return quantity > 0 && table->readings[quantity];
}

/* the paper's column if the paper has a value, that of the references if a value is checked */
static bool is_shown(const rep_table *table, const column *c, const rep__row *rows, int count)
{
  bool shown = c->face == OURS;
  if (c->face == PAPER && rep__table_repeats_paper(table, c->quantity))
    return false;
  for (int i = 0; i < count && !shown; i++) {
    const rep_value *v = &rows[i].values[c->quantity];
    shown = c->face == PAPER ? !isnan(v->paper) : v->check != REP_SHOWN;
  }
  return shown;
}

static const char *const face_names[] = {"paper", "ours", "ref"};

static int width_of(const column *c, const rep__row *rows, int count)
{
  int widest = (int)strlen(face_names[c->face]);
  for (int i = 0; i < count; i++) {
    int width = (int)strlen(cell_of(c, &rows[i]).text);
    widest = width > widest ? width : widest;
  }
  return widest;
}

/* columns of each quantity, together at least as wide as its name */
static int list_columns(const rep_table *table, const rep__row *rows, int count, column *columns)
{
  int used = 0;
  for (int i = 0; i < table->quantities; i++) {
    int first = used, lacks = (int)strlen(table->quantity[i]) + 1;
    for (int f = PAPER; f <= REFERENCE; f++) {
      column c = {.quantity = i, .face = (face)f};
      if (!is_shown(table, &c, rows, count))
        continue;
      c.width = width_of(&c, rows, count);
      lacks -= c.width + 1;
      columns[used++] = c;
    }
    columns[first].width += lacks > 0 ? lacks : 0;
  }
  return used;
}

/* ---- the whole table ---- */

typedef struct layout {
  column columns[COLUMNS];
  int count;
  int label; /* width of the labels */
  int gap;   /* blanks before the first column of a quantity */
} layout;

static bool begins(const layout *l, int i)
{
  return i == 0 || l->columns[i].quantity != l->columns[i - 1].quantity;
}

/* Layout with two blanks between quantities if the line has room for them. */
static layout lay_out(const rep_table *table, const rep__row *rows, int count)
{
  layout l = {.label = (int)strlen(table->label), .gap = 2};
  int groups = 0;
  l.count = list_columns(table, rows, count, l.columns);
  for (int i = 0; i < count; i++) {
    int width = (int)strlen(rows[i].label);
    l.label = width > l.label ? width : l.label;
  }
  int width = l.label + (int)strlen("  OUT");
  for (int i = 0; i < l.count; i++) {
    width += l.columns[i].width + 1;
    groups += begins(&l, i);
  }
  if (width + groups > WIDTH)
    l.gap = 1;
  return l;
}

/* names of the quantities, right-aligned with their columns */
static void print_quantities(FILE *out, const rep_table *table, const layout *l)
{
  int at = fprintf(out, "%*s", l->label, ""), end = at;
  for (int i = 0; i < l->count; i++) {
    end += (begins(l, i) ? l->gap : 1) + l->columns[i].width;
    if (i + 1 < l->count && !begins(l, i + 1))
      continue;
    const char *name = table->quantity[l->columns[i].quantity];
    at += fprintf(out, "%*s", end - at, name);
  }
  fputc('\n', out);
}

static void print_faces(FILE *out, const rep_table *table, const layout *l)
{
  fprintf(out, "%-*s", l->label, table->label);
  for (int i = 0; i < l->count; i++)
    fprintf(out, "%*s%*s", begins(l, i) ? l->gap : 1, "", l->columns[i].width,
            face_names[l->columns[i].face]);
  fputc('\n', out);
}

static const char *regression_of(const rep_table *table, const rep__row *row)
{
  bool checked = false, right = true;
  for (int i = 0; i < table->quantities; i++) {
    checked = checked || row->values[i].check != REP_SHOWN;
    right = right && rep__value_right(&row->values[i]);
  }
  return !checked ? "-" : right && !row->trouble[0] ? "ok" : "OUT";
}

static void print_row(FILE *out, const rep_table *table, const layout *l, const rep__row *row)
{
  fprintf(out, "%-*s", l->label, row->label);
  for (int i = 0; i < l->count; i++)
    fprintf(out, "%*s%*s", begins(l, i) ? l->gap : 1, "", l->columns[i].width,
            cell_of(&l->columns[i], row).text);
  fprintf(out, "  %s\n", regression_of(table, row));
}

/* range of the first quantity over perturbed runs */
static void print_spread(FILE *out, const rep_table *table, const rep__row *rows, int count)
{
  char text[1200];
  size_t used = 0;
  for (int i = 0; i < count && used < sizeof text; i++) {
    const rep_spread *s = &rows[i].spread[0];
    if (s->low < s->high)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s %s %.6g to %.6g",
                               used ? "," : "", rows[i].name, s->low, s->high);
  }
  if (used == 0)
    return;
  char all[sizeof text + 80];
  snprintf(all, sizeof all, "Spread of %s:%s.", table->quantity[0], text);
  rep__wrap(out, INDENT, all);
}

void rep__table_print(FILE *out, const rep_table *table, const rep__row *rows, int count)
{
  layout l = lay_out(table, rows, count);
  fprintf(out, "\n%s: %s\n", table->name, table->title);
  rep__wrap(out, INDENT, table->setting);
  print_quantities(out, table, &l);
  print_faces(out, table, &l);
  for (int i = 0; i < count; i++)
    print_row(out, table, &l, &rows[i]);
  print_spread(out, table, rows, count);
  for (int i = 0; i < count; i++)
    if (rows[i].note[0]) {
      char text[sizeof rows[i].name + sizeof rows[i].note + 3];
      snprintf(text, sizeof text, "%s: %s", rows[i].name, rows[i].note);
      rep__wrap(out, INDENT, text);
    }
  if (table->reason)
    rep__wrap(out, INDENT, table->reason);
}
