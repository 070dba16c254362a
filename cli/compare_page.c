/* A comparison as a page: recommendation, reference, work-precision diagrams, tables, the model. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXT 1024
#define WIDEST 16 /* cells in a table row */

/* Page with work memory. */
typedef struct writer {
  dae_page *page;
  const dae_comparison *c;
  const dae_method **order; /* order and scratch of compare_order */
  double *values;           /* x and y of all runs */
  dae_curve *curves;        /* one per method */
} writer;

/* ---- recommendation and reference ---- */

static void page_verdict(dae_page *page, const dae_comparison *c)
{
  char sentence[200];
  snprintf(sentence, sizeof sentence, "%s is recommended for an error of %s.",
           c->recommended ? c->recommended->name : "",
           compare_asked(&(dae_compare_run){.rtol = c->wanted}).text);
  if (c->recommended)
    dae_page_verdict(page, DAE_PAGE_GOOD, sentence, c->why);
  else
    dae_page_verdict(page, DAE_PAGE_WARNING, "The methods cannot be ranked.", c->why);
}

static void page_reference(dae_page *page, const dae_comparison *c)
{
  char text[TEXT], found[512];
  dae_page_heading(page, "Reference");
  dae_reference_text(c, found, sizeof found);
  snprintf(text, sizeof text, "The reference: %s.", found);
  dae_page_text(page, text);
  snprintf(text, sizeof text,
           "The error of a run is the largest difference from the reference over rows and "
           "variables, relative to the largest value of the variable plus %.2g, which is "
           "atol/rtol: a run that meets its tolerance has an error of rtol. Digits are -log10 of "
           "the error. They refer to coordinates, rates and states; the column alg. refers to "
           "algebraic variables and multipliers.%s",
           c->atol_ratio,
           c->reference.kind == DAE_REFERENCE_NONE
               ? ""
               : " Errors below three times the agreement cannot be resolved.");
  dae_page_text(page, text);
  dae_page_text(page,
                "Steps, evaluations, factorisations and CPU time are those of runs without "
                "output rows and without measurement of drift and energy; for short runs the time "
                "is the minimum of five. Energy is the balance: its change minus the work of "
                "forces and constraints.");
}

/* ---- work over error ---- */

static double page_work(const dae_compare_run *r, dae_compare_cost cost)
{
  return cost == DAE_COST_SECONDS ? 1e3 * r->seconds : (double)r->stats.evaluations;
}

/* Curve of a method; the size of x and y is the number of runs. */
static dae_curve page_make_curve(const dae_comparison *c, const dae_method *method,
                                 dae_compare_cost cost, double *x, double *y)
{
  dae_curve curve = {.label = method->name, .x = x, .y = y, .style = DAE_CURVE_BOTH};
  for (int i = 0; i < c->runs; i++) {
    const dae_compare_run *r = &c->run[i];
    if (r->method != method || r->status < 0 || !isfinite(r->error))
      continue;
    x[curve.count] = page_work(r, cost);
    y[curve.count++] = fmax(r->error, c->reference.floor);
  }
  return curve;
}

/* All methods, the fastest first: a page initially shows the first curves only. */
static void page_order_methods(const writer *w)
{
  const dae_comparison *c = w->c;
  int ranked = compare_order(c, w->order, w->order + c->method_count);
  for (int i = 0; i < c->method_count; i++)
    if (!compare_place(w->order, ranked, c->methods[i]))
      w->order[ranked++] = c->methods[i];
}

static void page_plot(const writer *w, dae_compare_cost cost)
{
  bool time = cost == DAE_COST_SECONDS;
  dae_plot plot = {.title = time ? "Error over time" : "Error over evaluations",
                   .x_label = time ? "CPU time, ms" : "evaluations of f",
                   .y_label = "error",
                   .x_log = true,
                   .y_log = true,
                   .curves = w->curves};
  double *x = w->values;
  page_order_methods(w);
  for (int i = 0; i < w->c->method_count; i++) {
    dae_curve curve = page_make_curve(w->c, w->order[i], cost, x, x + w->c->runs);
    if (curve.count > 0)
      w->curves[plot.count++] = curve;
    x += curve.count;
  }
  dae_page_plot(w->page, &plot);
}

static void page_plots(const writer *w)
{
  if (w->c->reference.kind == DAE_REFERENCE_NONE)
    return;
  dae_page_heading(w->page, "Work and error");
  dae_page_text(w->page, "Lower is more accurate, further left is cheaper. Errors that cannot be "
                         "resolved are shown at the limit of resolution.");
  page_plot(w, DAE_COST_SECONDS);
  page_plot(w, DAE_COST_EVALUATIONS);
}

/* ---- time to reach ---- */

static void page_goals(const writer *w)
{
  const dae_comparison *c = w->c;
  compare_cell head[COMPARE_GOALS], cell[COMPARE_GOALS];
  const char *header[1 + COMPARE_GOALS] = {"method"}, *cells[1 + COMPARE_GOALS];
  int count = compare_order(c, w->order, w->order + c->method_count);
  if (count == 0)
    return;
  for (int g = 0; g < COMPARE_GOALS; g++) {
    snprintf(head[g].text, sizeof head[g].text, "%d digits", compare_goals[g]);
    header[1 + g] = head[g].text;
  }
  dae_page_heading(w->page, "Time to reach");
  dae_page_table_begin(w->page, "Milliseconds to reach an accuracy, interpolated between runs",
                       1 + COMPARE_GOALS, header);
  for (int i = 0; i < count; i++) {
    cells[0] = w->order[i]->name;
    for (int g = 0; g < COMPARE_GOALS; g++) {
      double error = pow(10, -compare_goals[g]);
      cell[g] = compare_number(1e3 * dae_comparison_cost(c, w->order[i], error, DAE_COST_SECONDS));
      cells[1 + g] = cell[g].text;
    }
    bool best = w->order[i] == c->recommended;
    dae_page_table_row(w->page, best ? DAE_PAGE_GOOD : DAE_PAGE_PLAIN, cells);
  }
  dae_page_table_end(w->page);
}

/* ---- all runs ---- */

/* Table row under construction. */
typedef struct line {
  int count;
  compare_cell cell[WIDEST];
  const char *at[WIDEST];
} line;

static void page_put(line *l, compare_cell cell)
{
  l->cell[l->count] = cell;
  l->at[l->count] = l->cell[l->count].text;
  l->count++;
}

static compare_cell page_text_cell(const char *text)
{
  compare_cell c;
  snprintf(c.text, sizeof c.text, "%s", text);
  return c;
}

static compare_cell page_count_cell(long count)
{
  compare_cell c;
  snprintf(c.text, sizeof c.text, "%ld", count);
  return c;
}

static compare_cell page_size_cell(double value)
{
  compare_cell c = {"-"};
  if (!isnan(value))
    snprintf(c.text, sizeof c.text, "%.1e", fabs(value));
  return c;
}

static void page_run(dae_page *page, const dae_comparison *c, const dae_compare_run *r)
{
  line l = {0};
  bool ok = r->status >= 0;
  page_put(&l, page_text_cell(r->method->name));
  page_put(&l, compare_asked(r));
  page_put(&l, compare_digits(r->error, c->reference.floor));
  page_put(&l, compare_digits(r->algebraic, c->reference.algebraic_floor));
  page_put(&l, ok ? page_count_cell(r->stats.steps) : page_text_cell("-"));
  page_put(&l, ok ? page_count_cell(r->stats.evaluations) : page_text_cell("-"));
  page_put(&l, ok ? page_count_cell(r->stats.factorisations) : page_text_cell("-"));
  page_put(&l, compare_number(1e3 * r->seconds));
  page_put(&l, compare_number(1e3 * r->seconds_rows));
  page_put(&l, page_size_cell(fmax(r->position_drift, r->velocity_drift)));
  page_put(&l, page_size_cell(r->energy_balance));
  l.at[l.count] = ok ? r->other_events : r->message;
  dae_page_table_row(page,
                     !ok || r->other_events[0] ? DAE_PAGE_BAD
                     : r == c->best            ? DAE_PAGE_GOOD
                                               : DAE_PAGE_PLAIN,
                     l.at);
}

static void page_runs(dae_page *page, const dae_comparison *c)
{
  static const char *const header[] = {
      "method",         "rtol or h", "digits",       "alg. digits", "steps",  "evaluations",
      "factorisations", "ms",        "ms with rows", "drift",       "energy", ""};
  dae_page_heading(page, "All runs");
  dae_page_table_begin(page, NULL, sizeof header / sizeof *header, header);
  for (int i = 0; i < c->runs; i++)
    page_run(page, c, &c->run[i]);
  dae_page_table_end(page);
}

/* ---- the page ---- */

static void page_model(dae_page *page, const dae_model *model, const char *command)
{
  const char *name, *text;
  char caption[300];
  dae_page_heading(page, "Model");
  dae_page_code(page, "Command", command, false);
  for (int i = 0; (text = dae_model_source(model, i, &name)); i++) {
    snprintf(caption, sizeof caption, i == 0 ? "Model: %.200s" : "Imported: %.200s", name);
    dae_page_code(page, caption, text, true);
  }
}

static bool page_alloc(writer *w)
{
  w->order = calloc((size_t)w->c->method_count + 1, 2 * sizeof *w->order);
  w->values = calloc((size_t)w->c->runs + 1, 2 * sizeof *w->values);
  w->curves = calloc((size_t)w->c->method_count + 1, sizeof *w->curves);
  return w->order && w->values && w->curves;
}

dae_status compare_write_page(dae_page *page, const dae_comparison *c, const dae_model *model,
                              const char *command, dae_error *err)
{
  writer w = {.page = page, .c = c};
  dae_error closing = dae_error_none();
  bool room = page_alloc(&w);
  if (room) {
    page_verdict(page, c);
    page_reference(page, c);
    page_plots(&w);
    page_goals(&w);
    page_runs(page, c);
    page_model(page, model, command);
  }
  free(w.order);
  free(w.values);
  free(w.curves);
  dae_status closed = dae_page_close(page, &closing);
  if (!room)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  if (closed < 0)
    *err = closing;
  return closed;
}
