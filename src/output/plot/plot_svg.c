/* Plots as SVG.
 *
 *   title
 *   -- x   -- y               the legend
 *  y +-----------------+
 *    |   box           |
 *    +-----------------+
 *             t
 *
 * Light colours are attributes of the elements, dark ones a style sheet for readers who prefer
 * them, with selectors below .daedal-plot only, so that a page with the picture keeps its own
 * style. The text is composed twice, first only to measure its length. */
#include "core/env.h"
#include "core/error.h"
#include "output/plot/svg.h"

#include <daedal/plot.h>
#include <math.h>
#include <stdio.h>

/* Sizes in pixels; chosen, not measured. */
#define SVG_PLOT_MIN_WIDTH 160
#define SVG_PLOT_MIN_HEIGHT 120
#define SVG_PLOT_MAX_SIDE 10000
#define SVG_PLOT_EDGE 12.0 /* margin around the plot */
/* smallest width of the box, which the labels of the y axis reduce */
#define SVG_PLOT_MIN_BOX 40.0

typedef struct layout {
  int width, height;
  dae__frame frame;
  dae__svg_box box; /* box that contains the curves */
  dae__ticks x, y;
  double x_at[DAE__TICKS], y_at[DAE__TICKS]; /* positions of the ticks in pixels */
  dae__axis_name x_name, y_name;
  dae__legend legend;
} layout;

/* ---- layout ---- */

static double svg_plot_widest_label(const dae__ticks *ticks)
{
  double widest = 0;
  for (int i = 0; i < ticks->count; i++)
    widest = fmax(widest, dae__svg_width(ticks->at[i].label, DAE__SVG_NUMBER));
  return widest;
}

/* Computes the layout. The box gets most of the height: a small picture has few rows of the legend,
 * or none. The labels of the y axis determine the width of the box, which with equal units on both
 * axes determines the labels: three iterations. */
static layout svg_plot_make_layout(const dae_plot *plot, const dae__frame *frame, int width,
                                   int height)
{
  layout l = {.width = width, .height = height, .frame = *frame};
  double title = plot->title && plot->title[0] ? 24 : 0;
  int rows = (int)((0.35 * height - title) / DAE__SVG_ROW);
  l.legend = dae__svg_legend_fit(plot, width - 2 * SVG_PLOT_EDGE, rows < 4 ? rows : 4);
  l.box.top = SVG_PLOT_EDGE + title + DAE__SVG_ROW * l.legend.rows;
  l.box.top += title > 0 || l.legend.rows > 0 ? 6 : 0;
  bool named = (plot->x_label && plot->x_label[0]) || dae__axis_needs_name(&frame->x);
  l.box.bottom = height - SVG_PLOT_EDGE - 18 - (named ? 18 : 0);
  l.box.right = width - SVG_PLOT_EDGE - 12;
  for (int pass = 0; pass < 3; pass++) {
    double left = SVG_PLOT_EDGE + (l.y_name.text[0] ? 20 : 0) + svg_plot_widest_label(&l.y) + 8;
    l.box.left = fmin(left, l.box.right - SVG_PLOT_MIN_BOX);
    l.frame = *frame;
    if (plot->equal)
      dae__axis_equal(&l.frame.x, &l.frame.y, l.box.right - l.box.left, l.box.bottom - l.box.top);
    dae__axis_ticks(&l.frame.y, (int)((l.box.bottom - l.box.top) / 38), &l.y);
    l.y_name = dae__frame_name(plot->y_label, &l.y);
  }
  double box = l.box.right - l.box.left;
  dae__axis_ticks(&l.frame.x, (int)(box / 80), &l.x);
  double wanted = svg_plot_widest_label(&l.x) + 16;
  if (wanted > 80)
    dae__axis_ticks(&l.frame.x, (int)(box / wanted), &l.x);
  l.x_name = dae__frame_name(plot->x_label, &l.x);
  for (int i = 0; i < l.x.count; i++)
    l.x_at[i] = l.box.left + l.x.at[i].share * box;
  for (int i = 0; i < l.y.count; i++)
    l.y_at[i] = l.box.bottom - l.y.at[i].share * (l.box.bottom - l.box.top);
  return l;
}

/* ---- axes ---- */

/* Adds grid lines at the ticks with labels or, if minor is true, at the minor ticks. */
static void svg_plot_write_lines(dae__text *out, const layout *l, bool minor)
{
  dae__text_add(out, "<path class=\"daedal-%s\" fill=\"none\" stroke=\"%s\" d=\"",
                minor ? "minor" : "grid", minor ? "#eff1f3" : "#d8dee4");
  for (int i = 0; i < l->x.count; i++)
    if (!l->x.at[i].label[0] == minor) {
      dae__svg_move(out, l->x_at[i], l->box.bottom);
      dae__text_add(out, "v");
      dae__svg_number(out, l->box.top - l->box.bottom);
    }
  for (int i = 0; i < l->y.count; i++)
    if (!l->y.at[i].label[0] == minor) {
      dae__svg_move(out, l->box.left, l->y_at[i]);
      dae__text_add(out, "h");
      dae__svg_number(out, l->box.right - l->box.left);
    }
  dae__text_add(out, "\"/>\n");
}

/* Adds the labels of the ticks, on the x axis only labels that do not overlap. */
static void svg_plot_write_labels(dae__text *out, const layout *l)
{
  double free = 0; /* smallest x of a label that does not overlap the previous one */
  dae__text_add(out, "<g class=\"daedal-faint\" fill=\"#57606a\">\n");
  for (int i = 0; i < l->x.count; i++) {
    const dae__tick *tick = &l->x.at[i];
    double half = dae__svg_width(tick->label, DAE__SVG_NUMBER) / 2;
    double at = fmin(l->x_at[i], l->width - half);
    if (!tick->label[0] || at - half < free)
      continue;
    dae__svg_open(out, at, l->box.bottom + 17, "middle", DAE__SVG_NUMBER);
    dae__text_add(out, ">%s</text>\n", tick->label);
    free = at + half + 6;
  }
  for (int i = 0; i < l->y.count; i++) {
    const dae__tick *tick = &l->y.at[i];
    if (!tick->label[0])
      continue;
    dae__svg_open(out, l->box.left - 7, l->y_at[i] + 4, "end", DAE__SVG_NUMBER);
    dae__text_add(out, ">%s</text>\n", tick->label);
  }
  dae__text_add(out, "</g>\n");
}

/* ---- picture ---- */

/* Adds the title, the legend and the names of the axes. */
static void svg_plot_write_names(dae__text *out, const dae_plot *plot, const layout *l)
{
  double base = SVG_PLOT_EDGE + DAE__SVG_WORD;
  double x = (l->box.left + l->box.right) / 2, y = (l->box.top + l->box.bottom) / 2;
  dae__text_add(out, "<g class=\"daedal-ink\" fill=\"#24292f\">\n");
  if (plot->title && plot->title[0]) {
    dae__svg_open(out, SVG_PLOT_EDGE, base + 2, "start", DAE__SVG_TITLE);
    dae__text_add(out, " font-weight=\"600\">");
    dae__svg_add(out, plot->title, DAE__SVG_TITLE, l->width - 2 * SVG_PLOT_EDGE);
    dae__text_add(out, "</text>\n");
    base += 24;
  }
  dae__svg_legend_write(out, &l->legend, SVG_PLOT_EDGE, base);
  if (l->x_name.text[0]) {
    dae__svg_open(out, x, l->height - SVG_PLOT_EDGE, "middle", DAE__SVG_WORD);
    dae__text_add(out, ">");
    dae__svg_add(out, l->x_name.text, DAE__SVG_WORD, l->box.right - l->box.left);
    dae__text_add(out, "</text>\n");
  }
  if (l->y_name.text[0]) {
    dae__svg_open(out, SVG_PLOT_EDGE + 10, y, "middle", DAE__SVG_WORD);
    dae__text_add(out, " transform=\"rotate(-90 %d ", (int)SVG_PLOT_EDGE + 10);
    dae__svg_number(out, y);
    dae__text_add(out, ")\">");
    dae__svg_add(out, l->y_name.text, DAE__SVG_WORD, l->box.bottom - l->box.top);
    dae__text_add(out, "</text>\n");
  }
  if (l->frame.empty) {
    dae__svg_open(out, x, y, "middle", DAE__SVG_WORD);
    dae__text_add(out, ">nothing to show</text>\n");
  }
  dae__text_add(out, "</g>\n");
}

static void svg_plot_write(dae__text *out, const dae_plot *plot, const layout *l,
                           unsigned char *pixels)
{
  static const char *const dark[] = {"paper{fill:#0d1117",   "ink{fill:#e6edf3",
                                     "faint{fill:#9da7b3",   "grid{stroke:#30363d",
                                     "minor{stroke:#1f252c", "axis{stroke:#6e7681"};
  const char *label = plot->title                                ? plot->title
                      : plot->y_label                            ? plot->y_label
                      : plot->count > 0 && plot->curves[0].label ? plot->curves[0].label
                                                                 : "plot";
  dae__text_add(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"daedal-plot\" role=\"img\" "
                "width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "style=\"max-width:100%%;height:auto\" "
                "font-family=\"system-ui,Helvetica,Arial,sans-serif\" aria-label=\"",
                l->width, l->height, l->width, l->height);
  dae__svg_add(out, label, 1, INFINITY);
  dae__text_add(out, "\">\n<style>@media (prefers-color-scheme:dark){");
  for (size_t i = 0; i < sizeof dark / sizeof *dark; i++)
    dae__text_add(out, ".daedal-plot .daedal-%s}", dark[i]);
  for (int i = 0; i < DAE__COLOURS; i++)
    dae__text_add(out, ".daedal-plot .daedal-c%d{stroke:%s}", i, dae__colours[i].dark);
  dae__text_add(out, "}</style>\n");
  dae__text_add(out, "<rect class=\"daedal-paper\" width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                l->width, l->height);
  svg_plot_write_lines(out, l, true);
  svg_plot_write_lines(out, l, false);
  dae__text_add(out, "<path class=\"daedal-axis\" fill=\"none\" stroke=\"#8c959f\" d=\"");
  dae__svg_move(out, l->box.left, l->box.top);
  dae__text_add(out, "V");
  dae__svg_number(out, l->box.bottom);
  dae__text_add(out, "H");
  dae__svg_number(out, l->box.right);
  dae__text_add(out, "\"/>\n");
  svg_plot_write_labels(out, l);
  dae__text_add(out, "<g fill=\"none\" stroke-width=\"1.7\" stroke-linejoin=\"round\" "
                     "stroke-linecap=\"round\">\n");
  for (int i = 0; i < plot->count; i++)
    dae__svg_curve(out, plot, &l->frame, &l->box, i, pixels);
  dae__text_add(out, "</g>\n");
  svg_plot_write_names(out, plot, l);
  dae__text_add(out, "</svg>\n");
}

dae_status dae_plot_svg(const dae_plot *plot, int width, int height, const dae_env *env,
                        char **text, dae_error *err)
{
  dae__frame frame;
  DAE__TRY(dae__frame_create(plot, &frame, err));
  if (width < SVG_PLOT_MIN_WIDTH || height < SVG_PLOT_MIN_HEIGHT || width > SVG_PLOT_MAX_SIDE ||
      height > SVG_PLOT_MAX_SIDE)
    return dae__fail(err, DAE_ERROR_USAGE, NULL,
                     "a plot as SVG has %d x %d to %d x %d pixels, not %d x %d", SVG_PLOT_MIN_WIDTH,
                     SVG_PLOT_MIN_HEIGHT, SVG_PLOT_MAX_SIDE, SVG_PLOT_MAX_SIDE, width, height);
  dae_env own = dae__env_of(env);
  layout l = svg_plot_make_layout(plot, &frame, width, height);
  unsigned char *pixels = own.allocate(own.user, (size_t)width * (size_t)height);
  dae__text out = dae__text_in(NULL, 0);
  char *buffer = NULL;
  if (pixels) {
    svg_plot_write(&out, plot, &l, pixels);
    buffer = own.allocate(own.user, out.length + 1);
  }
  if (buffer) {
    out = dae__text_in(buffer, out.length + 1);
    svg_plot_write(&out, plot, &l, pixels);
    *text = buffer;
  }
  if (pixels)
    own.release(own.user, pixels);
  return buffer ? DAE_OK : dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the plot");
}

void dae_plot_free(char *text, const dae_env *env)
{
  dae_env own = dae__env_of(env);
  if (text)
    own.release(own.user, text);
}
