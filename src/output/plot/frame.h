/* A plot independent of the medium, for SVG and text: its axes, the lines of its curves, its legend
 * and its colours. */
#ifndef DAEDAL_OUTPUT_PLOT_FRAME_H
#define DAEDAL_OUTPUT_PLOT_FRAME_H

#include "output/plot/axis.h"

#include <daedal/plot.h>

/* Function that draws a line to a point or, if draw is false, moves to the point; a point that no
 * line starts from or ends at is a dot. */
typedef struct dae__pen {
  void *self;
  void (*to)(void *self, bool draw, double x, double y);
} dae__pen;

/* Moves the pen along the curve, in the coordinates of the plot: along its line with gaps and steps
 * or, if points is true, from one point to the next. */
void dae__frame_trace(const dae_plot *plot, const dae_curve *curve, bool points,
                      const dae__pen *pen);

/* Returns whether x never decreases along the curve. */
bool dae__frame_ascends(const dae_plot *plot, const dae_curve *curve);

typedef struct dae__frame {
  dae__axis x, y;
  bool empty; /* whether no curve has a point */
} dae__frame;

/* Fits the axes to all curves. Fails if the plot is not valid. */
dae_status dae__frame_create(const dae_plot *plot, dae__frame *out, dae_error *err);

/* Name of an axis, with the base of its tick labels: "t", "t - 1000", "distance from 1000", or
 * empty. */
typedef struct dae__axis_name {
  char text[192];
} dae__axis_name;
dae__axis_name dae__frame_name(const char *label, const dae__ticks *ticks);

/* Colours of the curves, one after the other, for readers with colour vision deficiency [Okabe and
 * Ito, Color Universal Design, 2008]: on a light and on a dark background as #rrggbb, and as a
 * number of the 256 terminal colours. */
#define DAE__COLOURS 7
typedef struct dae__colour {
  const char *light, *dark;
  int terminal;
} dae__colour;
extern const dae__colour dae__colours[DAE__COLOURS];

/* ---- legend ---- */

/* Legend: rows of entries, one entry for each curve, with lengths in the unit of the widths. If
 * some do not fit, the last entry is the number of curves without an entry. */
typedef struct dae__legend {
  const dae_plot *plot;
  double room;  /* width of a row */
  double apart; /* distance between two entries */
  double key;   /* width of an entry before the name of the curve */
  double size;  /* size of the font */
  double (*word_width)(const char *word, double size);
  int rows;    /* number of rows; 0: no legend */
  int entries; /* number of curves with an entry */
} dae__legend;

/* Determines the numbers of rows and entries; most: largest number of rows, no legend if less than
 * 1. There is none either without a named curve, or if the only curve has the name of the y axis.
 */
void dae__legend_fit(dae__legend *legend, int most);

typedef struct dae__place {
  double x, width;
  int row;
} dae__place;

/* Returns the position of entry i, given the position of entry i - 1 (ignored for i = 0). Entry
 * number `entries` is dae__legend_remainder. */
dae__place dae__legend_place(const dae__legend *legend, int i, dae__place before);

/* Text of the last legend entry, for the curves without an entry: "... and 12 more"; empty for 0
 * curves. */
typedef struct dae__legend_more {
  char text[32];
} dae__legend_more;
dae__legend_more dae__legend_remainder(int curves);

#endif
