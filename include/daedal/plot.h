/** @file
 * Plots: curves over an axis, as SVG or as text for a terminal. A page (page.h) shows the same
 * plots in a browser. */
#ifndef DAEDAL_PLOT_H
#define DAEDAL_PLOT_H

#include <daedal/env.h>
#include <daedal/status.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Style of a curve. */
typedef enum dae_curve_style {
  DAE_CURVE_LINE,   /**< a line */
  DAE_CURVE_POINTS, /**< points */
  DAE_CURVE_BOTH,   /**< a line with marked points */
  DAE_CURVE_STEPS /**< piecewise constant: y[i] from x[i-1] to x[i], as for step sizes; y[0] is not
                     shown */
} dae_curve_style;

/** One curve, with gaps at points that are not finite (on a logarithmic axis: not positive). */
typedef struct dae_curve {
  const char *label;     /**< text in the legend, UTF-8 as all texts; NULL: none */
  const double *x;       /**< abscissas, count numbers */
  const double *y;       /**< ordinates, count numbers */
  long count;            /**< number of points */
  dae_curve_style style; /**< style of the curve */
} dae_curve;

/** Curves over a common axis. */
typedef struct dae_plot {
  const char *title;       /**< title, NULL: none, as for the labels */
  const char *x_label;     /**< label of the horizontal axis */
  const char *y_label;     /**< label of the vertical axis */
  bool x_log;              /**< logarithmic horizontal axis */
  bool y_log;              /**< logarithmic vertical axis */
  bool equal;              /**< equal scale on both linear axes, for paths in the plane */
  bool alone;              /**< on a page, zoom independent of other plots with the same x_label */
  const dae_curve *curves; /**< curves */
  int count;               /**< number of curves */
} dae_plot;

/** Stand-alone SVG of the given size in pixels, 160 x 120 to 10000 x 10000, for light and dark
 * backgrounds. Long curves are thinned to the resolution; their extrema are kept. Its style does
 * not affect other elements of a page: all classes begin with daedal-. *text is allocated by env
 * and ends in 0; release it by dae_plot_free with the same env. */
dae_status dae_plot_svg(const dae_plot *plot, int width, int height, const dae_env *env,
                        char **text, dae_error *err);

/** Capabilities of a terminal. */
typedef struct dae_plot_terminal {
  int columns; /**< characters per line */
  int rows;    /**< number of lines */
  bool ascii;  /**< only ASCII characters */
  bool colour; /**< escape sequences for colours */
} dae_plot_terminal;

/** Text for a terminal of 20 x 6 to 10000 x 10000, which fills its rows within its columns: curves
 * in braille dots, 2 x 4 per character (in ASCII one character per curve), axes with numbers, a
 * legend. Without colours, letters identify the curves. *text is allocated by env; release it by
 * dae_plot_free. */
dae_status dae_plot_text(const dae_plot *plot, const dae_plot_terminal *terminal,
                         const dae_env *env, char **text, dae_error *err);

/** Frees a text; NULL is allowed. */
void dae_plot_free(char *text, const dae_env *env);

#ifdef __cplusplus
}
#endif
#endif
