/* Plots of a page: a description of each, with its curves by the numbers of their arrays. */
#include "output/page/page.h"

#define STILL_CURVES 12 /* as many as a plot of the page shows at first */
#define STILL_WIDTH 860
#define STILL_HEIGHT 320

static int page_plot_array_of(dae_page *page, const double *values, long count)
{
  return dae__page_array_of(page, values, count, DAE__EITHER);
}

static const char *page_plot_style_name(dae_curve_style style)
{
  switch (style) {
  case DAE_CURVE_POINTS:
    return "points";
  case DAE_CURVE_BOTH:
    return "both";
  case DAE_CURVE_STEPS:
    return "steps";
  default:
    return "line";
  }
}

static void page_plot_write_curve(dae_page *page, const dae_curve *curve)
{
  dae__page_put(page, "{\"label\":");
  dae__page_json(page, curve->label ? curve->label : "");
  dae__page_print(page, ",\"style\":\"%s\",\"x\":%d,\"y\":%d}", page_plot_style_name(curve->style),
                  page_plot_array_of(page, curve->x, curve->count),
                  page_plot_array_of(page, curve->y, curve->count));
}

static void page_plot_write_flag(dae_page *page, const char *name, bool value)
{
  dae__page_print(page, ",\"%s\":%s", name, value ? "true" : "false");
}

/* Without uPlot the page holds a picture, too: what a reader without scripts sees. With them a plot
 * takes its place that can be zoomed. */
static void page_plot_write_still(dae_page *page, const dae_plot *plot)
{
  const dae_env *env = dae__arena_env(page->arena);
  dae_plot still = *plot;
  dae_error err;
  char *text;
  still.title = NULL; /* is above it */
  still.count = plot->count < STILL_CURVES ? plot->count : STILL_CURVES;
  dae_status status = dae_plot_svg(&still, STILL_WIDTH, STILL_HEIGHT, env, &text, &err);
  if (status < 0) {
    dae__page_fail(page, status, "%s", err.text);
    return;
  }
  dae__page_put(page, "<div class=\"still\">");
  dae__page_put(page, text);
  dae__page_put(page, "</div>");
  dae_plot_free(text, env);
}

void dae_page_plot(dae_page *page, const dae_plot *plot)
{
  for (int i = 0; i < plot->count; i++) {
    page_plot_array_of(page, plot->curves[i].x, plot->curves[i].count);
    page_plot_array_of(page, plot->curves[i].y, plot->curves[i].count);
  }
  page->plots = true;
  dae__page_put(page, "<figure class=\"chart\">");
  if (plot->title && *plot->title) {
    dae__page_put(page, "<figcaption>");
    dae__page_escape(page, plot->title);
    dae__page_put(page, "</figcaption>");
  }
  dae__page_put(page, "<script type=\"application/json\">{\"title\":");
  dae__page_json(page, plot->title);
  dae__page_put(page, ",\"xLabel\":");
  dae__page_json(page, plot->x_label);
  dae__page_put(page, ",\"yLabel\":");
  dae__page_json(page, plot->y_label);
  page_plot_write_flag(page, "xLog", plot->x_log);
  page_plot_write_flag(page, "yLog", plot->y_log);
  page_plot_write_flag(page, "equal", plot->equal);
  page_plot_write_flag(page, "alone", plot->alone);
  dae__page_put(page, ",\"curves\":[");
  for (int i = 0; i < plot->count; i++) {
    dae__page_put(page, i > 0 ? "," : "");
    page_plot_write_curve(page, &plot->curves[i]);
  }
  dae__page_put(page, "]}</script>");
  if (!page->uplot)
    page_plot_write_still(page, plot);
  dae__page_put(page, "</figure>\n");
}
