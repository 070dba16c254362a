/* Plots independent of the medium: points and lines of curves, axes, names, colours, legend. */
#include "output/plot/frame.h"

#include "core/assert.h"
#include "core/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* margin around the curves, relative to the range; chosen, not measured */
#define FRAME_MARGIN 0.05

/* ---- curves ---- */

static bool frame_has_point(const dae_plot *plot, const dae_curve *curve, long i)
{
  return dae__axis_takes(plot->x_log, curve->x[i]) && dae__axis_takes(plot->y_log, curve->y[i]);
}

void dae__frame_trace(const dae_plot *plot, const dae_curve *curve, bool points,
                      const dae__pen *pen)
{
  bool steps = curve->style == DAE_CURVE_STEPS && curve->count > 1;
  bool draw = false;
  for (long i = steps; i < curve->count; i++) {
    bool valid = frame_has_point(plot, curve, i);
    if (steps) /* y[i] is drawn from x[i-1] to x[i]; y[0] belongs to no interval */
      valid = valid && dae__axis_takes(plot->x_log, curve->x[i - 1]);
    if (valid && steps)
      pen->to(pen->self, draw, curve->x[i - 1], curve->y[i]);
    if (valid)
      pen->to(pen->self, steps || (draw && !points), curve->x[i], curve->y[i]);
    draw = valid;
  }
}

bool dae__frame_ascends(const dae_plot *plot, const dae_curve *curve)
{
  double last = -INFINITY;
  for (long i = 0; i < curve->count; i++) {
    if (!frame_has_point(plot, curve, i))
      continue;
    if (curve->x[i] < last)
      return false;
    last = curve->x[i];
  }
  return true;
}

/* ---- axes ---- */

typedef struct range {
  double x_least, x_most, y_least, y_most;
} range;

static void frame_extend(void *self, bool draw, double x, double y)
{
  (void)draw;
  range *r = self;
  r->x_least = fmin(r->x_least, x);
  r->x_most = fmax(r->x_most, x);
  r->y_least = fmin(r->y_least, y);
  r->y_most = fmax(r->y_most, y);
}

dae_status dae__frame_create(const dae_plot *plot, dae__frame *out, dae_error *err)
{
  if (!plot || plot->count < 0 || (plot->count > 0 && !plot->curves))
    return dae__fail(err, DAE_ERROR_USAGE, NULL, "there is no plot");
  if (plot->equal && (plot->x_log || plot->y_log))
    return dae__fail(err, DAE_ERROR_USAGE, NULL,
                     "axes with the same unit cannot be logarithmic: leave out one of the two");
  for (int i = 0; i < plot->count; i++) {
    const dae_curve *curve = &plot->curves[i];
    if (curve->count < 0 || (curve->count > 0 && (!curve->x || !curve->y)))
      return dae__fail(err, DAE_ERROR_USAGE, curve->label, "curve %d of the plot has no points", i);
    if ((int)curve->style < DAE_CURVE_LINE || curve->style > DAE_CURVE_STEPS)
      return dae__fail(err, DAE_ERROR_USAGE, curve->label, "curve %d of the plot has no style %d",
                       i, (int)curve->style);
  }
  range r = {INFINITY, -INFINITY, INFINITY, -INFINITY};
  dae__pen pen = {&r, frame_extend};
  /* whether x ascends along all curves, as time does: the x axis has no margin then */
  bool ascend = true;
  for (int i = 0; i < plot->count; i++) {
    const dae_curve *curve = &plot->curves[i];
    dae__frame_trace(plot, curve, false, &pen);
    bool marked = curve->style == DAE_CURVE_POINTS || curve->style == DAE_CURVE_BOTH;
    ascend = ascend && !marked && dae__frame_ascends(plot, curve);
  }
  out->empty = !(r.x_least <= r.x_most);
  out->x = dae__axis_fit(plot->x_log, r.x_least, r.x_most, ascend ? 0 : FRAME_MARGIN);
  out->y = dae__axis_fit(plot->y_log, r.y_least, r.y_most, FRAME_MARGIN);
  DAE__ASSERT(out->x.low < out->x.high && out->y.low < out->y.high);
  return DAE_OK;
}

/* ---- names and colours ---- */

const dae__colour dae__colours[DAE__COLOURS] = {
    {"#0072b2", "#56b4e9", 32},  /* blue */
    {"#d55e00", "#f0803c", 166}, /* vermilion */
    {"#009e73", "#2fc79b", 36},  /* green */
    {"#cc79a7", "#e39cc4", 175}, /* purple */
    {"#e69f00", "#f0e442", 178}, /* orange; yellow on dark */
    {"#56b4e9", "#8fa8ff", 75},  /* sky blue */
    {"#6e7781", "#c9d1d9", 245}, /* grey */
};

dae__axis_name dae__frame_name(const char *label, const dae__ticks *ticks)
{
  dae__axis_name name = {""};
  const char *base = ticks->base;
  if (!base[0])
    snprintf(name.text, sizeof name.text, "%s", label ? label : "");
  else if (!label || !label[0])
    snprintf(name.text, sizeof name.text, "distance from %s", base);
  else
    snprintf(name.text, sizeof name.text, "%.150s %c %s", label, base[0] == '-' ? '+' : '-',
             base + (base[0] == '-'));
  return name;
}

/* ---- legend ---- */

dae__legend_more dae__legend_remainder(int curves)
{
  dae__legend_more more = {""};
  if (curves > 0)
    snprintf(more.text, sizeof more.text, "... and %d more", curves);
  return more;
}

dae__place dae__legend_place(const dae__legend *legend, int i, dae__place before)
{
  const dae_plot *plot = legend->plot;
  const char *label = i < legend->entries ? plot->curves[i].label : NULL;
  double width = i < legend->entries
                     ? legend->key + legend->word_width(label ? label : "", legend->size)
                     : legend->word_width(dae__legend_remainder(plot->count - legend->entries).text,
                                          legend->size);
  dae__place place = {.width = fmin(width, legend->room)};
  if (i == 0)
    return place;
  place.x = before.x + before.width + legend->apart;
  place.row = before.row;
  if (place.x + place.width > legend->room) {
    place.x = 0;
    place.row++;
  }
  return place;
}

/* Counts the legend entries that fit into `most` rows; reserved: width kept free at the end of the
 * last row. */
static void legend_fill(dae__legend *legend, int most, double reserved)
{
  dae__place place = {0};
  int i = 0, count = legend->plot->count;
  legend->entries = count;
  for (; i < count; i++) {
    dae__place next = dae__legend_place(legend, i, place);
    bool last = next.row == most - 1;
    if (next.row == most || (last && next.x + next.width > legend->room - reserved))
      break;
    place = next;
  }
  legend->entries = i;
  if (i < count)
    place = dae__legend_place(legend, i, place);
  legend->rows = place.row + 1;
}

void dae__legend_fit(dae__legend *legend, int most)
{
  const dae_plot *plot = legend->plot;
  int count = plot->count;
  bool named = false;
  for (int i = 0; i < count; i++)
    named = named || (plot->curves[i].label && plot->curves[i].label[0]);
  bool on_axis = count == 1 && plot->y_label && plot->curves[0].label &&
                 strcmp(plot->y_label, plot->curves[0].label) == 0;
  legend->rows = legend->entries = 0;
  if (most < 1 || !named || on_axis)
    return;
  legend_fill(legend, most, 0);
  if (legend->entries < count)
    legend_fill(legend, most,
                legend->word_width(dae__legend_remainder(count).text, legend->size) +
                    legend->apart);
}
