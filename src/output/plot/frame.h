/* A plot without a medium, for SVG and text: its axes, the lines of its curves, its legend and its
 * colours. */
#ifndef DAEDAL_OUTPUT_PLOT_FRAME_H
#define DAEDAL_OUTPUT_PLOT_FRAME_H

#include "output/plot/axis.h"

#include <daedal/plot.h>

/* Draws a line to a point, or (not draw) moves to it; a point without lines is a dot. */
typedef struct dae__pen {
  void *self;
  void (*to)(void *self, bool draw, double x, double y);
} dae__pen;

/* Moves the pen along the curve, in the coordinates of the plot: its line with gaps and steps, or
 * (points) its points one by one. */
void dae__frame_trace(const dae_plot *plot, const dae_curve *curve, bool points,
                      const dae__pen *pen);

/* Returns whether x never decreases along the curve. */
bool dae__frame_ascends(const dae_plot *plot, const dae_curve *curve);

typedef struct dae__frame {
  dae__axis x, y;
  bool empty; /* no curve has a point */
} dae__frame;

/* Fits the axes to all curves. Fails where the plot is not valid. */
dae_status dae__frame_create(const dae_plot *plot, dae__frame *out, dae_error *err);
/* Makes a unit equally long on both axes of a box of this size. */
void dae__frame_equal(dae__frame *frame, double width, double height);

/* Returns whether a curve has a name that is not that of the y axis. */
bool dae__frame_has_legend(const dae_plot *plot);

/* Name of an axis with these ticks: "t", "t - 1000", "distance from 1000", or empty. */
typedef struct dae__axis_name {
  char text[192];
} dae__axis_name;
dae__axis_name dae__frame_name(const char *label, const dae__ticks *ticks);

/* Colours for readers with colour vision deficiency [Okabe and Ito, Color Universal Design, 2008],
 * on a light and a dark ground, as #rrggbb, and of the 256 of a terminal. */
#define DAE__COLOURS 7
typedef struct dae__colour {
  const char *light, *dark;
  int terminal;
} dae__colour;
dae__colour dae__frame_colour(int curve);

/* ---- legend ---- */

/* Rows of entries, one for each curve, in the unit of the widths. Where not all fit, the last entry
 * is the number of the others. */
typedef struct dae__legend {
  const dae_plot *plot;
  double room;                             /* width of a row */
  double apart;                            /* distance of two entries */
  double (*width)(const dae_curve *curve); /* of an entry */
  double (*word_width)(const char *word);
  int rows;    /* 0: no legend */
  int entries; /* curves with an entry */
} dae__legend;

/* Finds rows and entries; most: largest number of rows, no legend below 1. */
void dae__legend_fit(dae__legend *legend, int most);

typedef struct dae__place {
  double x, width;
  int row;
} dae__place;

/* Returns the place of entry i, given that of entry i - 1 (not read for i = 0). Entry number
 * `entries` is dae__legend_remainder. */
dae__place dae__legend_place(const dae__legend *legend, int i, dae__place before);

/* Entry for the curves without one of their own: "... and 12 more"; empty for 0 curves. */
typedef struct dae__legend_more {
  char text[32];
} dae__legend_more;
dae__legend_more dae__legend_remainder(int curves);

#endif
