/* The legend of a plot as SVG: names behind pieces of their lines. */
#ifndef DAEDAL_OUTPUT_PLOT_SVG_LEGEND_H
#define DAEDAL_OUTPUT_PLOT_SVG_LEGEND_H

#include "output/plot/legend.h"
#include "output/text.h"

#define DAE__SVG_ROW 19.0 /* from one row to the next */

/* room: width of a row; most: of the rows. */
dae__legend dae__svg_legend_fit(const dae_plot *plot, double room, int most);
/* y: base line of the first row. */
void dae__svg_legend_write(dae__text *out, const dae__legend *legend, double x, double y);

#endif
