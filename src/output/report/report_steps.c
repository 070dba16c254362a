/* Plots of the method's work: step size, order, iterations, rejections; energy; for a dynamic
 * iteration the sweeps and the contraction of its windows.
 *
 * Not every step of a long run is kept. Counts are therefore plotted as means between the steps
 * kept: differences of the counts since the start of the run. */
#include "output/report/report.h"

#include "core/assert.h"

#include <math.h>

void dae__report_add_curve(dae__report_plot *plot, const char *label, const double *y,
                           dae_curve_style style)
{
  DAE__ASSERT(plot->count < (int)(sizeof plot->curves / sizeof *plot->curves));
  bool any = false;
  for (long i = 0; y && i < plot->rows && !any; i++)
    any = isfinite(y[i]);
  if (any)
    plot->curves[plot->count++] = (dae_curve){label, plot->t, y, plot->rows, style};
}

void dae__report_plot_curves(const dae__report *r, const dae__report_plot *plot)
{
  const dae_plot drawn = {.title = plot->title,
                          .x_label = "t",
                          .y_label = plot->y_label,
                          .y_log = plot->log,
                          .curves = plot->curves,
                          .count = plot->count};
  if (plot->count > 0)
    dae_page_plot(r->page, &drawn);
}

/* Values of a curve, of one entry of the step records. */
typedef enum curve_values {
  AS_RECORDED,
  ABSOLUTE,
  STEP_SIZE, /* means where steps were not recorded */
  BY_STEP,   /* increase of a count since the record before, divided by the number of steps */
  INCREASE   /* increase of a count since the record before */
} curve_values;

/* Runs for which a curve is drawn. */
typedef enum curve_runs { ALL, WITH_ITERATIONS, WITH_WINDOWS, WITHOUT_WINDOWS } curve_runs;

/* Plot of entries of the step records; heading, text: those of the section that begins with it. */
typedef struct plot_source {
  const char *heading, *text, *title, *y_label;
  bool log;
  dae_curve_style style;
  struct {
    const char *label; /* NULL: no curve */
    int entry;
    curve_values values;
    curve_runs runs;
  } curve[2];
} plot_source;

static const char means_text[] = "Means over several steps: there are more than a page can show.";

static const plot_source plots[] = {
    {.heading = "Energy",
     .text = "The balance is the change of the energy less the work of forces and of moving "
             "constraints: what it differs from zero is the method's error.",
     .title = "Energy",
     .y_label = "energy",
     .curve = {{.label = "energy", .entry = DAE__STEP_ENERGY}}},
    {.title = "Energy balance",
     .y_label = "|balance|",
     .log = true,
     .curve = {{"|balance|", DAE__STEP_BALANCE, ABSOLUTE, ALL}}},
    {.heading = "Steps",
     .text = means_text,
     .title = "Step size",
     .y_label = "h",
     .log = true,
     .style = DAE_CURVE_STEPS,
     .curve = {{"step size", DAE__STEP_H, STEP_SIZE, WITHOUT_WINDOWS}}},
    {.heading = "Steps",
     .text = means_text,
     .title = "Windows",
     .y_label = "h",
     .log = true,
     .style = DAE_CURVE_STEPS,
     .curve = {{"window", DAE__STEP_H, STEP_SIZE, WITH_WINDOWS}}},
    {.title = "Order",
     .y_label = "order",
     .style = DAE_CURVE_STEPS,
     .curve = {{.label = "order", .entry = DAE__STEP_ORDER}}},
    {.title = "Work of a step",
     .y_label = "count",
     .style = DAE_CURVE_STEPS,
     .curve = {{"iterations", DAE__STEP_ITERATIONS, BY_STEP, WITH_ITERATIONS},
               {"evaluations", DAE__STEP_EVALUATIONS, BY_STEP, ALL}}},
    {.title = "Rejected steps",
     .y_label = "count",
     .style = DAE_CURVE_STEPS,
     .curve = {{"rejected", DAE__STEP_REJECTED, INCREASE, ALL}}},
    {.heading = "Coupling",
     .text = "The systems are integrated over windows again and again until what they exchange no "
             "longer changes. Observed is the largest ratio of changes from sweep to sweep, with "
             "the update in use; predicted is what the derivatives say of a plain sweep.",
     .title = "Sweeps over each window",
     .y_label = "sweeps",
     .style = DAE_CURVE_STEPS,
     .curve = {{"sweeps", DAE__STEP_SWEEPS, AS_RECORDED, WITH_WINDOWS}}},
    {.title = "Contraction",
     .y_label = "factor",
     .log = true,
     .style = DAE_CURVE_BOTH,
     .curve = {{"observed", DAE__STEP_OBSERVED, AS_RECORDED, WITH_WINDOWS},
               {"predicted, plain sweep", DAE__STEP_PREDICTED, AS_RECORDED, WITH_WINDOWS}}}};

/* Returns the values of a curve, in the arena; NULL: out of memory. */
static const double *report_curve_values(dae__arena *arena, const dae__records *steps, int entry,
                                         curve_values values)
{
  double *y = dae__records_series(arena, steps, entry);
  for (long i = 0; y && values != AS_RECORDED && i < steps->count; i++) {
    const double *to = steps->value + i * steps->width, *from = i > 0 ? to - steps->width : NULL;
    double taken = to[DAE__STEP_STEPS] - (from ? from[DAE__STEP_STEPS] : 0);
    double counted = to[entry] - (from ? from[entry] : 0);
    if (values == ABSOLUTE)
      y[i] = fabs(y[i]);
    else if (values == INCREASE)
      y[i] = counted;
    else if (values == BY_STEP)
      y[i] = counted / fmax(taken, 1);
    else if (from && taken > 1)
      y[i] = (to[DAE__STEP_T] - from[DAE__STEP_T]) / taken;
  }
  return y;
}

void dae__report_steps(const dae__report *r, const dae_summary *s, dae__arena *arena)
{
  const bool drawn[] = {[ALL] = true,
                        [WITH_ITERATIONS] = s->stats.iterations > 0,
                        [WITH_WINDOWS] = s->systems > 0,
                        [WITHOUT_WINDOWS] = s->systems == 0};
  const double *t = dae__records_series(arena, &r->steps, DAE__STEP_T);
  for (size_t i = 0; t && r->steps.count > 0 && i < sizeof plots / sizeof *plots; i++) {
    const plot_source *p = &plots[i];
    dae__report_plot plot = {
        .title = p->title, .y_label = p->y_label, .log = p->log, .t = t, .rows = r->steps.count};
    for (int k = 0; k < 2; k++)
      if (p->curve[k].label && drawn[p->curve[k].runs])
        dae__report_add_curve(
            &plot, p->curve[k].label,
            report_curve_values(arena, &r->steps, p->curve[k].entry, p->curve[k].values), p->style);
    if (plot.count > 0 && p->heading)
      dae_page_heading(r->page, p->heading);
    if (plot.count > 0 && p->text && (p->text != means_text || r->steps.stride > 1))
      dae_page_text(r->page, p->text);
    dae__report_plot_curves(r, &plot);
  }
}
