/** @file
 * Plots: curves over an axis, written as SVG or as text for a terminal. A page (page.h)
 * shows the same plots in a browser. */
#ifndef DAEDAL_PLOT_H
#define DAEDAL_PLOT_H

#include <daedal/env.h>
#include <daedal/status.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a curve is drawn. */
typedef enum dae_curve_style {
  DAE_CURVE_LINE,   /**< a line */
  DAE_CURVE_POINTS, /**< its points */
  DAE_CURVE_BOTH,   /**< a line with its points marked */
  DAE_CURVE_STEPS   /**< y[i] holds from x[i-1] to x[i], as step sizes do; y[0] is not shown */
} dae_curve_style;

/** One curve. Where x or y is not finite (on a logarithmic axis: not positive) it has a gap. */
typedef struct dae_curve {
  const char *label;     /**< in the legend, UTF-8 as all texts; NULL: none */
  const double *x;       /**< count numbers */
  const double *y;       /**< count numbers */
  long count;            /**< points */
  dae_curve_style style; /**< how it is drawn */
} dae_curve;

/** Curves over a common axis. */
typedef struct dae_plot {
  const char *title;   /**< NULL: none, here and below */
  const char *x_label; /**< below the horizontal axis */
  const char *y_label; /**< at the vertical axis */
  bool x_log;          /**< a logarithmic horizontal axis */
  bool y_log;          /**< a logarithmic vertical axis */
  bool equal;          /**< a unit is as long on both axes, which are linear: paths in the plane */
  bool alone;          /**< on a page it is zoomed by itself, whatever its x_label */
  const dae_curve *curves; /**< all of them */
  int count;               /**< their number */
} dae_plot;

/** Stand-alone SVG of this size in pixels, 160 x 120 to 10000 x 10000, for light and dark
 * backgrounds. Long curves are thinned to what can be seen; their extremes stay. In a page its
 * style reaches nothing outside of it: all classes begin with daedal-. *text is taken from env and
 * ends in 0; give it back with dae_plot_free and the same env. */
dae_status dae_plot_svg(const dae_plot *plot, int width, int height, const dae_env *env,
                        char **text, dae_error *err);

/** What a terminal can show. */
typedef struct dae_plot_terminal {
  int columns; /**< characters of a line */
  int rows;    /**< lines */
  bool ascii;  /**< without characters beyond ASCII */
  bool colour; /**< with escape sequences for colours */
} dae_plot_terminal;

/** Text for a terminal of 20 x 6 to 10000 x 10000: as many lines as it has rows, none longer than
 * its columns. Curves in braille dots, 2 x 4 in a character (in ASCII by a character for each
 * curve), axes with numbers, a legend. Where colours do not tell curves apart, letters on them do.
 * *text as above. */
dae_status dae_plot_text(const dae_plot *plot, const dae_plot_terminal *terminal,
                         const dae_env *env, char **text, dae_error *err);

/** Gives a text back; NULL is allowed. */
void dae_plot_free(char *text, const dae_env *env);

#ifdef __cplusplus
}
#endif
#endif
