/* The page of a report, section by section. */
#include "output/report/report.h"

#include "core/error.h"
#include "output/text.h"

#include <daedal/sparsity.h>
#include <stdio.h>
#include <string.h>

/* largest number of unknowns of a matrix that is drawn; chosen, not measured */
#define REPORT_MAX_MATRIX 200000

typedef struct work {
  dae__report *r;
  const dae_summary *summary;
  dae__arena *arena; /* memory that is freed with the page */
  /* kept columns, followed by the drift in position and velocity */
  const double **data;
  char file[300];    /* file name of the download */
  dae_page_data all; /* data of all kept columns */
} work;

/* ---- command, model, motion ---- */

static void report_write_command(const work *w)
{
  const dae_report_options *o = &w->r->options;
  dae_page *page = w->r->page;
  const char *name, *text;
  char caption[300];
  if (o->command)
    dae_page_code(page, "Command", o->command, false);
  if (o->why && *o->why) {
    snprintf(caption, sizeof caption, "Method %s, chosen by auto: %s.", w->summary->method, o->why);
    dae_page_text(page, caption);
  }
  for (int i = 0; o->model && (text = dae_model_source(o->model, i, &name)); i++) {
    snprintf(caption, sizeof caption, i == 0 ? "Model: %.200s" : "Imported: %.200s", name);
    dae_page_code(page, caption, text, true);
  }
}

static void report_write_motion(const work *w)
{
  const dae__records *frames = &w->r->frames;
  int values = w->r->drawing.values;
  if (w->r->drawing.shapes == 0 || frames->count < 2)
    return;
  double *t = dae__records_series(w->arena, frames, 0);
  double *at = DAE__ALLOC(w->arena, double, frames->count *values);
  if (!t || !at)
    return;
  for (long i = 0; i < frames->count; i++)
    memcpy(at + i * values, frames->value + i * frames->width + 1, (size_t)values * sizeof *at);
  dae_page_heading(w->r->page, "Motion");
  dae_page_motion(w->r->page, &w->r->drawing, t, at, frames->count);
}

/* ---- curves over time ---- */

/* Finds the name of the system in a variable name: A in A.x, der(A.x), lambda(A.rod); returns its
 * length. */
static size_t report_system_of(const char *name, const char **at)
{
  const char *inside = strchr(name, '(');
  *at = inside ? inside + 1 : name;
  size_t length = strcspn(*at, ".)");
  return (*at)[length] == '.' ? length : 0;
}

/* Name of a column with its unit: x [m]. */
static const char *report_label(const work *w, const char *name)
{
  const char *line = w->r->options.plan->units;
  size_t length = strlen(name);
  for (; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
    if (strcspn(line, "\t") != length || strncmp(line, name, length) != 0)
      continue;
    const char *unit = line + length + 1;
    size_t size = strcspn(unit, "\n");
    char *label = DAE__ALLOC(w->arena, char, length + size + 4);
    if (label)
      snprintf(label, length + size + 4, "%s [%.*s]", name, (int)size, unit);
    return label ? label : name;
  }
  return name;
}

/* Writes plots of all columns of one kind, one plot for each system. */
static void report_plot_kind(const work *w, dae__column_kind kind, const char *title)
{
  const dae__report *r = w->r;
  dae_curve *curves = DAE__ALLOC(w->arena, dae_curve, r->columns);
  bool *done = DAE__ALLOC(w->arena, bool, r->columns);
  for (int first = 1; curves && done && first < r->columns; first++) {
    const char *system, *other;
    size_t length = report_system_of(r->names[first], &system);
    int count = 0;
    for (int i = first; i < r->columns; i++) {
      if (r->kind[i] != kind || done[i] || report_system_of(r->names[i], &other) != length ||
          memcmp(system, other, length) != 0)
        continue;
      curves[count++] = (dae_curve){report_label(w, r->names[i]), w->data[0], w->data[i],
                                    r->rows.count, DAE_CURVE_LINE};
      done[i] = true;
    }
    char text[200];
    snprintf(text, sizeof text, "%s%s%.*s", title, length > 0 ? " of " : "",
             length > 100 ? 100 : (int)length, system);
    const dae_plot plot = {.title = text, .x_label = "t", .curves = curves, .count = count};
    if (count > 0)
      dae_page_plot(r->page, &plot);
  }
}

/* ---- constraints ---- */

static void report_write_constraints(const work *w)
{
  const dae__report *r = w->r;
  dae__report_plot plot = {.title = "Drift off the constraints",
                           .y_label = "largest |g|, |g'|, |k|",
                           .log = true,
                           .t = w->data[0],
                           .rows = r->rows.count};
  dae__report_add_curve(&plot, "position", w->data[r->columns], DAE_CURVE_LINE);
  dae__report_add_curve(&plot, "velocity", w->data[r->columns + 1], DAE_CURVE_LINE);
  if (plot.count == 0)
    return;
  if (plot.count == 1 && plot.curves[0].y == w->data[r->columns])
    plot.curves[0].label = "residual";
  dae_page_heading(r->page, "Constraints");
  dae__report_plot_curves(r, &plot);
  report_plot_kind(w, DAE__COLUMN_MULTIPLIER, "Multipliers: forces of the constraints");
}

/* ---- data ---- */

/* Writes the data, and a sentence on omitted rows and columns. The plots are written later, since
 * they refer to the same arrays. */
static void report_write_data(const work *w)
{
  const dae__report *r = w->r;
  char text[400], rows[160] = "", columns[100] = "";
  if (r->rows.stride > 1)
    snprintf(rows, sizeof rows, "every %ld%s of %ld rows; what oscillates faster does not show",
             r->rows.stride, r->rows.stride == 2 ? "nd" : "th", r->rows.added);
  if (r->columns < r->all_columns)
    snprintf(columns, sizeof columns, "%d of %d columns", r->columns, r->all_columns);
  snprintf(text, sizeof text, "The page holds %s%s%s. The result file has all of them.", columns,
           rows[0] && columns[0] ? ", " : "", rows);
  if (rows[0] || columns[0])
    dae_page_text(r->page, text);
  dae_page_download(r->page, &w->all);
}

/* ---- matrix ---- */

/* Writes the sparsity pattern of the iteration matrix, if it is available. */
static void report_write_matrix(const work *w)
{
  const dae_run_plan *plan = w->r->options.plan;
  dae_env env = *dae__arena_env(w->arena); /* a run that was stopped has its page, too */
  dae_sparsity *s;
  char text[160];
  env.stop = NULL;
  if (dae_problem_size(&plan->problem) > REPORT_MAX_MATRIX ||
      dae_sparsity_create(&plan->problem, plan->start.t, w->r->start, &env, &s, NULL) < 0)
    return;
  int n = s->pattern.cols, entries = s->pattern.start[n];
  dae_page_heading(w->r->page, "Iteration matrix");
  snprintf(text, sizeof text,
           "%d unknowns of an implicit step, %d entries that may differ from zero: %.3g %% of all.",
           n, entries, 100.0 * entries / ((double)n * n));
  dae_page_text(w->r->page, text);
  dae_page_sparsity(w->r->page, &s->pattern, s->blocks, s->block, s->names);
  dae_sparsity_free(s);
}

/* ---- summary ---- */

static void report_write_summary(const work *w)
{
  static const char *const header[] = {"what", "count"};
  const dae_stats *n = &w->summary->stats;
  dae_page *page = w->r->page;
  size_t size = dae_summary_text(w->summary, NULL, 0) + 1;
  char *text = DAE__ALLOC(w->arena, char, size), number[40];
  dae_page_heading(page, "Summary");
  if (text) {
    dae_summary_text(w->summary, text, size);
    dae_page_code(page, NULL, text, false);
  }
  dae_page_table_begin(page, "Statistics", 2, header);
#define ROW(field, what)                                                                           \
  if (n->field > 0) {                                                                              \
    snprintf(number, sizeof number, "%ld", n->field);                                              \
    dae_page_table_row(page, DAE_PAGE_PLAIN, (const char *const[]){what, number});                 \
  }
  DAE_STATS_LIST(ROW)
#undef ROW
  dae_page_table_end(page);
}

/* Table of version, model, values set from outside, method and its options. */
static void report_write_provenance(const work *w)
{
  dae_page *page = w->r->page;
  const dae_summary *s = w->summary;
  const char *const lists[] = {s->provenance ? s->provenance : "", s->options};
  dae_page_heading(page, "Provenance");
  dae_page_table_begin(page, NULL, 2, (const char *const[]){"what", "value"});
  dae_page_table_row(page, DAE_PAGE_PLAIN, (const char *const[]){"version", dae_version()});
  dae_page_table_row(page, DAE_PAGE_PLAIN, (const char *const[]){"build", dae_build()});
  dae_page_table_row(page, DAE_PAGE_PLAIN, (const char *const[]){"method", s->method});
  for (int i = 0; i < 2; i++)
    for (const char *line = lists[i]; *line; line += strcspn(line, "\n"), line += *line == '\n') {
      char name[300], value[300];
      int length = (int)strcspn(line, "\n"), at = length;
      while (at > 0 && line[at] != '\t')
        at--;
      snprintf(name, sizeof name, "%.*s", at, line);
      for (char *c = name; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
      snprintf(value, sizeof value, "%.*s", length - at - 1, line + at + 1);
      dae_page_table_row(page, DAE_PAGE_PLAIN, (const char *const[]){name, value});
    }
  dae_page_table_end(page);
}

/* ---- page ---- */

dae_status dae__report_write(dae__report *r, const dae_summary *summary, dae_error *err)
{
  work w = {.r = r, .summary = summary, .arena = dae__arena_create(dae__arena_env(r->arena))};
  if (!w.arena)
    return dae__out_of_memory(err);
  if (r->opened)
    w.data = DAE__ALLOC(w.arena, const double *, r->columns + 2);
  for (int i = 0; w.data && i < r->columns + 2; i++)
    w.data[i] = dae__records_series(w.arena, &r->rows, i);
  dae_status status = dae__arena_status(w.arena, err);
  snprintf(w.file, sizeof w.file, "%.250s.csv", summary->problem);
  w.all = (dae_page_data){.name = w.file,
                          .columns = r->columns,
                          .names = (const char *const *)r->names,
                          .values = w.data,
                          .rows = r->rows.count};
  /* seven digits if the doubles need too many bytes */
  w.all.single = 2 * (size_t)r->rows.count * (size_t)r->columns > r->max_values;
  const char *title = r->options.model ? dae_model_title(r->options.model) : "";
  if (*title)
    dae_page_text(r->page, title);
  dae__report_verdict(r, summary);
  report_write_command(&w);
  if (status >= 0 && r->opened && r->rows.count > 0) {
    report_write_data(&w);
    report_write_motion(&w);
    dae_page_heading(r->page, "Over time");
    report_plot_kind(&w, DAE__COLUMN_VARIABLE, "Variables");
    report_plot_kind(&w, DAE__COLUMN_RATE, "Rates");
    report_plot_kind(&w, DAE__COLUMN_OUTPUT, "Outputs");
    report_write_constraints(&w);
    dae__report_steps(r, summary, w.arena);
    /* phase plot, initially of the first variable and its rate, or of the first two columns after
     * t */
    int y = r->columns > 2 ? 2 : 1;
    for (int i = r->columns - 1; i > 0; i--)
      y = r->kind[i] == DAE__COLUMN_RATE ? i : y;
    if (r->columns > 1) {
      dae_page_heading(r->page, "Phase plot");
      dae_page_phase(r->page, &w.all, 1, y);
    }
    report_write_matrix(&w);
  }
  report_write_summary(&w);
  report_write_provenance(&w);
  if (status >= 0 && dae__arena_failed(w.arena))
    status = dae__out_of_memory(err);
  dae__arena_free(w.arena);
  return status;
}
