/* Plots of a page: a description in JSON, whose curves refer to arrays by number. */
#include "output/page/page.h"

/* Limits of the static picture: chosen, not measured. */
#define STATIC_PLOT_CURVES 12 /* number of curves, equal to the initial number in plot.js */
#define STATIC_PLOT_WIDTH 860 /* width in pixels */
#define STATIC_PLOT_HEIGHT 320

void dae_page_plot(dae_page *page, const dae_plot *plot)
{
  for (int i = 0; i < plot->count; i++) {
    dae__page_array_of(page, plot->curves[i].x, plot->curves[i].count, DAE__EITHER);
    dae__page_array_of(page, plot->curves[i].y, plot->curves[i].count, DAE__EITHER);
  }
  page->plots = true;
  dae__page_put(page, "<figure class=\"chart\">");
  if (plot->title && *plot->title)
    dae__page_element(page, "figcaption", plot->title, "");
  dae__page_put(page, "<script type=\"application/json\">{\"title\":");
  dae__page_json(page, plot->title);
  dae__page_put(page, ",\"xLabel\":");
  dae__page_json(page, plot->x_label);
  dae__page_put(page, ",\"yLabel\":");
  dae__page_json(page, plot->y_label);
  dae__page_print(page, ",\"xLog\":%s,\"yLog\":%s,\"equal\":%s,\"alone\":%s,\"curves\":[",
                  plot->x_log ? "true" : "false", plot->y_log ? "true" : "false",
                  plot->equal ? "true" : "false", plot->alone ? "true" : "false");
  for (int i = 0; i < plot->count; i++) {
    const dae_curve *curve = &plot->curves[i];
    const char *style = curve->style == DAE_CURVE_POINTS  ? "points"
                        : curve->style == DAE_CURVE_BOTH  ? "both"
                        : curve->style == DAE_CURVE_STEPS ? "steps"
                                                          : "line";
    dae__page_put(page, i > 0 ? ",{\"label\":" : "{\"label\":");
    dae__page_json(page, curve->label ? curve->label : "");
    dae__page_print(page, ",\"style\":\"%s\",\"x\":%d,\"y\":%d}", style,
                    dae__page_array_of(page, curve->x, curve->count, DAE__EITHER),
                    dae__page_array_of(page, curve->y, curve->count, DAE__EITHER));
  }
  dae__page_put(page, "]}</script>");
  if (!page->uplot) {
    /* static picture for browsers without scripts, which the scripts replace by a plot that can be
     * zoomed; its title is in the caption of the figure */
    const dae_env *env = dae__arena_env(page->arena);
    dae_plot picture = *plot;
    dae_error err;
    char *text;
    picture.title = NULL;
    picture.count = plot->count < STATIC_PLOT_CURVES ? plot->count : STATIC_PLOT_CURVES;
    dae_status status =
        dae_plot_svg(&picture, STATIC_PLOT_WIDTH, STATIC_PLOT_HEIGHT, env, &text, &err);
    if (status < 0) {
      dae__page_fail(page, status, "%s", err.text);
      return;
    }
    dae__page_put(page, "<div class=\"still\">");
    dae__page_put(page, text);
    dae__page_put(page, "</div>");
    dae_plot_free(text, env);
  }
  dae__page_put(page, "</figure>\n");
}
