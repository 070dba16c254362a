/* Plots as SVG.
 *
 *   title
 *   -- x   -- y               the legend
 *  y +-----------------+
 *    |   box           |
 *    +-----------------+
 *             t
 *
 * The light colours are attributes of the elements; where the reader prefers dark ones, a style
 * sheet puts them above. It speaks of classes below .daedal-plot only, so that it disturbs nothing
 * in a page that the picture is put into. The text is made twice: first it is only measured. */
#include "core/env.h"
#include "core/error.h"
#include "output/plot/frame.h"
#include "output/plot/svg_curve.h"
#include "output/plot/svg_legend.h"
#include "output/plot/svg_text.h"

#include <daedal/plot.h>
#include <math.h>
#include <stdio.h>

#define SMALLEST_WIDTH 160
#define SMALLEST_HEIGHT 120
#define LARGEST 10000
#define EDGE 12.0      /* around everything */
#define LEAST_BOX 40.0 /* width that numbers at the y axis leave */
#define INK "#24292f"
#define FAINT "#57606a"

typedef struct layout {
  int width, height;
  dae__frame frame;
  dae__svg_box box; /* of the curves */
  dae__ticks x, y;
  dae__axis_name x_name, y_name;
  dae__legend legend;
} layout;

/* ---- where things are ---- */

static double svg_plot_widest_label(const dae__ticks *ticks)
{
  double widest = 0;
  for (int i = 0; i < ticks->count; i++)
    widest = fmax(widest, dae__svg_width(ticks->at[i].label, DAE__SVG_NUMBER));
  return widest;
}

/* as many ticks as have room for their labels side by side */
static void svg_plot_make_x_ticks(layout *l)
{
  double box = l->box.right - l->box.left;
  dae__axis_ticks(&l->frame.x, (int)(box / 80), &l->x);
  double wanted = svg_plot_widest_label(&l->x) + 16;
  if (wanted > 80)
    dae__axis_ticks(&l->frame.x, (int)(box / wanted), &l->x);
}

/* The box has most of the height: a small picture has fewer rows of the legend, or none. */
static void svg_plot_place_rows(layout *l, const dae_plot *plot)
{
  double title = plot->title && plot->title[0] ? 24 : 0;
  int rows = (int)((0.35 * l->height - title) / DAE__SVG_ROW);
  l->legend = dae__svg_legend_fit(plot, l->width - 2 * EDGE, rows < 4 ? rows : 4);
  l->box.top = EDGE + title + DAE__SVG_ROW * l->legend.rows;
  l->box.top += title > 0 || l->legend.rows > 0 ? 6 : 0;
  bool named = (plot->x_label && plot->x_label[0]) || dae__axis_needs_name(&l->frame.x);
  l->box.bottom = l->height - EDGE - 18 - (named ? 18 : 0);
}

static layout svg_plot_make_layout(const dae_plot *plot, const dae__frame *frame, int width,
                                   int height)
{
  layout l = {.width = width, .height = height, .frame = *frame};
  svg_plot_place_rows(&l, plot);
  l.box.right = width - EDGE - 12;
  /* the numbers at the y axis decide how wide the box is; with the same unit on both axes the width
   * decides on the numbers, too */
  for (int round = 0; round < 3; round++) {
    double left = EDGE + (l.y_name.text[0] ? 20 : 0) + svg_plot_widest_label(&l.y) + 8;
    l.box.left = fmin(left, l.box.right - LEAST_BOX);
    l.frame = *frame;
    if (plot->equal)
      dae__frame_equal(&l.frame, l.box.right - l.box.left, l.box.bottom - l.box.top);
    dae__axis_ticks(&l.frame.y, (int)((l.box.bottom - l.box.top) / 38), &l.y);
    l.y_name = dae__frame_name(plot->y_label, &l.y);
  }
  svg_plot_make_x_ticks(&l);
  l.x_name = dae__frame_name(plot->x_label, &l.x);
  return l;
}

static double svg_plot_x_at(const layout *l, double share)
{
  return l->box.left + share * (l->box.right - l->box.left);
}

static double svg_plot_y_at(const layout *l, double share)
{
  return l->box.bottom - share * (l->box.bottom - l->box.top);
}

/* ---- axes ---- */

static void svg_plot_write_lines(dae__text *out, const layout *l, bool minor)
{
  dae__text_add(out, "<path class=\"daedal-%s\" fill=\"none\" stroke=\"%s\" d=\"",
                minor ? "minor" : "grid", minor ? "#eff1f3" : "#d8dee4");
  for (int i = 0; i < l->x.count; i++)
    if (!l->x.at[i].label[0] == minor) {
      dae__svg_move(out, svg_plot_x_at(l, l->x.at[i].share), l->box.bottom);
      dae__text_add(out, "v");
      dae__svg_number(out, l->box.top - l->box.bottom);
    }
  for (int i = 0; i < l->y.count; i++)
    if (!l->y.at[i].label[0] == minor) {
      dae__svg_move(out, l->box.left, svg_plot_y_at(l, l->y.at[i].share));
      dae__text_add(out, "h");
      dae__svg_number(out, l->box.right - l->box.left);
    }
  dae__text_add(out, "\"/>\n");
}

static void svg_plot_write_number(dae__text *out, double x, double y, const char *anchor,
                                  const char *label)
{
  dae__svg_open(out, x, y, anchor, DAE__SVG_NUMBER);
  dae__text_add(out, ">%s</text>\n", label);
}

static void svg_plot_write_numbers(dae__text *out, const layout *l)
{
  double free = 0; /* to the right of the label before */
  dae__text_add(out, "<g class=\"daedal-faint\" fill=\"" FAINT "\">\n");
  for (int i = 0; i < l->x.count; i++) {
    const dae__tick *tick = &l->x.at[i];
    double half = dae__svg_width(tick->label, DAE__SVG_NUMBER) / 2;
    double at = fmin(svg_plot_x_at(l, tick->share), l->width - half);
    if (!tick->label[0] || at - half < free)
      continue;
    svg_plot_write_number(out, at, l->box.bottom + 17, "middle", tick->label);
    free = at + half + 6;
  }
  for (int i = 0; i < l->y.count; i++)
    if (l->y.at[i].label[0])
      svg_plot_write_number(out, l->box.left - 7, svg_plot_y_at(l, l->y.at[i].share) + 4, "end",
                            l->y.at[i].label);
  dae__text_add(out, "</g>\n");
}

static void svg_plot_write_names(dae__text *out, const layout *l)
{
  double x = (l->box.left + l->box.right) / 2, y = (l->box.top + l->box.bottom) / 2;
  if (l->x_name.text[0]) {
    dae__svg_open(out, x, l->height - EDGE, "middle", DAE__SVG_WORD);
    dae__text_add(out, ">");
    dae__svg_add_cut(out, l->x_name.text, DAE__SVG_WORD, l->box.right - l->box.left);
    dae__text_add(out, "</text>\n");
  }
  if (l->y_name.text[0]) {
    dae__svg_open(out, EDGE + 10, y, "middle", DAE__SVG_WORD);
    dae__text_add(out, " transform=\"rotate(-90 %d ", (int)EDGE + 10);
    dae__svg_number(out, y);
    dae__text_add(out, ")\">");
    dae__svg_add_cut(out, l->y_name.text, DAE__SVG_WORD, l->box.bottom - l->box.top);
    dae__text_add(out, "</text>\n");
  }
}

static void svg_plot_write_box(dae__text *out, const layout *l)
{
  dae__text_add(out, "<path class=\"daedal-axis\" fill=\"none\" stroke=\"#8c959f\" d=\"");
  dae__svg_move(out, l->box.left, l->box.top);
  dae__text_add(out, "V");
  dae__svg_number(out, l->box.bottom);
  dae__text_add(out, "H");
  dae__svg_number(out, l->box.right);
  dae__text_add(out, "\"/>\n");
}

/* ---- the whole ---- */

static void svg_plot_write_style(dae__text *out)
{
  static const char *const rules[] = {"paper{fill:#0d1117",   "ink{fill:#e6edf3",
                                      "faint{fill:#9da7b3",   "grid{stroke:#30363d",
                                      "minor{stroke:#1f252c", "axis{stroke:#6e7681"};
  dae__text_add(out, "<style>@media (prefers-color-scheme:dark){");
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    dae__text_add(out, ".daedal-plot .daedal-%s}", rules[i]);
  for (int i = 0; i < DAE__COLOURS; i++)
    dae__text_add(out, ".daedal-plot .daedal-c%d{stroke:%s}", i, dae__frame_colour(i).dark);
  dae__text_add(out, "}</style>\n");
}

static void svg_plot_write_head(dae__text *out, const dae_plot *plot, const layout *l)
{
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
  dae__svg_add(out, label);
  dae__text_add(out, "\">\n");
  svg_plot_write_style(out);
  dae__text_add(out, "<rect class=\"daedal-paper\" width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                l->width, l->height);
}

static void svg_plot_write_words(dae__text *out, const dae_plot *plot, const layout *l)
{
  double base = EDGE + DAE__SVG_WORD;
  dae__text_add(out, "<g class=\"daedal-ink\" fill=\"" INK "\">\n");
  if (plot->title && plot->title[0]) {
    dae__svg_open(out, EDGE, base + 2, "start", DAE__SVG_TITLE);
    dae__text_add(out, " font-weight=\"600\">");
    dae__svg_add_cut(out, plot->title, DAE__SVG_TITLE, l->width - 2 * EDGE);
    dae__text_add(out, "</text>\n");
    base += 24;
  }
  dae__svg_legend_write(out, &l->legend, EDGE, base);
  svg_plot_write_names(out, l);
  if (l->frame.empty) {
    dae__svg_open(out, (l->box.left + l->box.right) / 2, (l->box.top + l->box.bottom) / 2, "middle",
                  DAE__SVG_WORD);
    dae__text_add(out, ">nothing to show</text>\n");
  }
  dae__text_add(out, "</g>\n");
}

static void svg_plot_write_plot(dae__text *out, const dae_plot *plot, const layout *l,
                                unsigned char *pixels)
{
  svg_plot_write_head(out, plot, l);
  svg_plot_write_lines(out, l, true);
  svg_plot_write_lines(out, l, false);
  svg_plot_write_box(out, l);
  svg_plot_write_numbers(out, l);
  dae__text_add(out, "<g fill=\"none\" stroke-width=\"1.7\" stroke-linejoin=\"round\" "
                     "stroke-linecap=\"round\">\n");
  for (int i = 0; i < plot->count; i++)
    dae__svg_curve(out, plot, &l->frame, &l->box, i, pixels);
  dae__text_add(out, "</g>\n");
  svg_plot_write_words(out, plot, l);
  dae__text_add(out, "</svg>\n");
}

dae_status dae_plot_svg(const dae_plot *plot, int width, int height, const dae_env *env,
                        char **text, dae_error *err)
{
  dae__frame frame;
  dae_status status = dae__frame_create(plot, &frame, err);
  if (status < 0)
    return status;
  if (width < SMALLEST_WIDTH || height < SMALLEST_HEIGHT || width > LARGEST || height > LARGEST)
    return dae__fail(err, DAE_ERROR_USAGE, NULL,
                     "a plot as SVG has %d x %d to %d x %d pixels, not %d x %d", SMALLEST_WIDTH,
                     SMALLEST_HEIGHT, LARGEST, LARGEST, width, height);
  dae_env own = dae__env_of(env);
  layout l = svg_plot_make_layout(plot, &frame, width, height);
  unsigned char *pixels = own.allocate(own.user, (size_t)width * (size_t)height);
  dae__text out = dae__text_in(NULL, 0);
  char *buffer = NULL;
  if (pixels) {
    svg_plot_write_plot(&out, plot, &l, pixels);
    buffer = own.allocate(own.user, out.length + 1);
  }
  if (buffer) {
    out = dae__text_in(buffer, out.length + 1);
    svg_plot_write_plot(&out, plot, &l, pixels);
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
