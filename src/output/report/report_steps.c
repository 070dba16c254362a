/* Plots of the method's work: step size, order, iterations, rejections; energy; for a dynamic
 * iteration the sweeps and the contraction of its windows.
 *
 * Not every step of a long run is kept. Counts are therefore plotted as means between the steps
 * kept: differences of the counts since the start of the run. */
#include "output/report/report.h"

#include "core/assert.h"

#include <math.h>

typedef struct curves {
  dae_curve item[4];
  int count;
} curves;

/* Adds a curve if some of its values are finite. */
static void report_add_curve(curves *c, const char *label, const double *x, const double *y,
                             long count, dae_curve_style style)
{
  DAE__ASSERT(c->count < (int)(sizeof c->item / sizeof *c->item));
  bool any = false;
  for (long i = 0; y && i < count && !any; i++)
    any = isfinite(y[i]);
  if (any)
    c->item[c->count++] = (dae_curve){label, x, y, count, style};
}

static void report_plot_curves(const dae__report *r, const char *title, const char *y_label,
                               bool log, const curves *c)
{
  const dae_plot plot = {.title = title,
                         .x_label = "t",
                         .y_label = y_label,
                         .y_log = log,
                         .curves = c->item,
                         .count = c->count};
  if (c->count > 0)
    dae_page_plot(r->page, &plot);
}

/* Returns differences of a count between adjacent records; by_step: divided by the number of
 * steps. */
static double *report_count_rates(dae__arena *arena, const dae__records *steps, int entry,
                                  bool by_step)
{
  double *y = dae__records_series(arena, steps, entry);
  for (long i = steps->count - 1; y && i >= 0; i--) {
    const double *to = steps->value + i * steps->width, *from = to - steps->width;
    double taken = to[DAE__STEP_STEPS] - (i > 0 ? from[DAE__STEP_STEPS] : 0);
    double counted = to[entry] - (i > 0 ? from[entry] : 0);
    y[i] = by_step ? counted / fmax(taken, 1) : counted;
  }
  return y;
}

static void report_write_energy(const dae__report *r, const double *t, dae__arena *arena)
{
  long n = r->steps.count;
  curves energy = {.count = 0}, balance = {.count = 0};
  double *off = dae__records_series(arena, &r->steps, DAE__STEP_BALANCE);
  for (long i = 0; off && i < n; i++)
    off[i] = fabs(off[i]);
  report_add_curve(&energy, "energy", t, dae__records_series(arena, &r->steps, DAE__STEP_ENERGY), n,
                   DAE_CURVE_LINE);
  report_add_curve(&balance, "|balance|", t, off, n, DAE_CURVE_LINE);
  if (energy.count == 0)
    return;
  dae_page_heading(r->page, "Energy");
  dae_page_text(r->page, "The balance is the change of the energy less the work of forces and of "
                         "moving constraints: what it differs from zero is the method's error.");
  report_plot_curves(r, "Energy", "energy", false, &energy);
  report_plot_curves(r, "Energy balance", "|balance|", true, &balance);
}

static void report_write_windows(const dae__report *r, const double *t, dae__arena *arena)
{
  long n = r->steps.count;
  curves sweeps = {.count = 0}, factors = {.count = 0};
  report_add_curve(&sweeps, "sweeps", t, dae__records_series(arena, &r->steps, DAE__STEP_SWEEPS), n,
                   DAE_CURVE_STEPS);
  report_add_curve(&factors, "observed", t,
                   dae__records_series(arena, &r->steps, DAE__STEP_OBSERVED), n, DAE_CURVE_BOTH);
  report_add_curve(&factors, "predicted, plain sweep", t,
                   dae__records_series(arena, &r->steps, DAE__STEP_PREDICTED), n, DAE_CURVE_BOTH);
  dae_page_heading(r->page, "Coupling");
  dae_page_text(
      r->page,
      "The systems are integrated over windows again and again until what they exchange no "
      "longer changes. Observed is the largest ratio of changes from sweep to sweep, with "
      "the update in use; predicted is what the derivatives say of a plain sweep.");
  report_plot_curves(r, "Sweeps over each window", "sweeps", false, &sweeps);
  report_plot_curves(r, "Contraction", "factor", true, &factors);
}

static void report_write_steps(const dae__report *r, const dae_summary *s, const double *t,
                               dae__arena *arena)
{
  const dae__records *steps = &r->steps;
  long n = steps->count;
  curves size = {.count = 0}, order = {.count = 0}, work = {.count = 0}, rejected = {.count = 0};
  /* step sizes; means where steps were not recorded */
  double *h = dae__records_series(arena, steps, DAE__STEP_H);
  for (long i = 1; h && i < n; i++) {
    const double *to = steps->value + i * steps->width, *from = to - steps->width;
    double taken = to[DAE__STEP_STEPS] - from[DAE__STEP_STEPS];
    if (taken > 1)
      h[i] = (to[DAE__STEP_T] - from[DAE__STEP_T]) / taken;
  }
  report_add_curve(&size, s->systems > 0 ? "window" : "step size", t, h, n, DAE_CURVE_STEPS);
  report_add_curve(&order, "order", t, dae__records_series(arena, steps, DAE__STEP_ORDER), n,
                   DAE_CURVE_STEPS);
  if (s->stats.iterations > 0)
    report_add_curve(&work, "iterations", t,
                     report_count_rates(arena, steps, DAE__STEP_ITERATIONS, true), n,
                     DAE_CURVE_STEPS);
  report_add_curve(&work, "evaluations", t,
                   report_count_rates(arena, steps, DAE__STEP_EVALUATIONS, true), n,
                   DAE_CURVE_STEPS);
  report_add_curve(&rejected, "rejected", t,
                   report_count_rates(arena, steps, DAE__STEP_REJECTED, false), n, DAE_CURVE_STEPS);
  dae_page_heading(r->page, "Steps");
  if (steps->stride > 1)
    dae_page_text(r->page, "Means over several steps: there are more than a page can show.");
  report_plot_curves(r, s->systems > 0 ? "Windows" : "Step size", "h", true, &size);
  report_plot_curves(r, "Order", "order", false, &order);
  report_plot_curves(r, "Work of a step", "count", false, &work);
  report_plot_curves(r, "Rejected steps", "count", false, &rejected);
}

void dae__report_steps(const dae__report *r, const dae_summary *s, dae__arena *arena)
{
  const double *t = dae__records_series(arena, &r->steps, DAE__STEP_T);
  if (!t || r->steps.count == 0)
    return;
  report_write_energy(r, t, arena);
  report_write_steps(r, s, t, arena);
  if (s->systems > 0)
    report_write_windows(r, t, arena);
}
