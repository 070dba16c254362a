/* What a plot shows, whatever it is drawn with: its axes, the lines of its curves, its legend and
 * its colours. */
#ifndef DAEDAL_OUTPUT_PLOT_FRAME_H
#define DAEDAL_OUTPUT_PLOT_FRAME_H

#include "output/plot/axis.h"

#include <daedal/plot.h>

/* Draws a line to a point, or (not draw) begins at it; a point that nothing is drawn from or to is
 * a dot. */
typedef struct dae__pen {
  void *self;
  void (*to)(void *self, bool draw, double x, double y);
} dae__pen;

/* Leads the pen along the curve, in the plot's own numbers: its line with gaps and steps, or
 * (points) its points one by one. */
void dae__frame_trace(const dae_plot *plot, const dae_curve *curve, bool points,
                      const dae__pen *pen);

/* Whether x never decreases along the curve. */
bool dae__frame_ascends(const dae_plot *plot, const dae_curve *curve);

typedef struct dae__frame {
  dae__axis x, y;
  bool empty; /* there is not a single point */
} dae__frame;

/* Refuses what is not a plot. */
dae_status dae__frame_create(const dae_plot *plot, dae__frame *out, dae_error *err);
/* Makes a unit as long on both axes of a box of this size. */
void dae__frame_equal(dae__frame *frame, double width, double height);

/* The plot needs no legend where no curve has a name, or the only one has that of its axis. */
bool dae__frame_has_legend(const dae_plot *plot);

/* What an axis with these ticks is called: "t", "t - 1000", "distance from 1000"; "": nothing. */
typedef struct dae__axis_name {
  char text[192];
} dae__axis_name;
dae__axis_name dae__frame_name(const char *label, const dae__ticks *ticks);

/* Colours that differ for eyes that confuse some [Okabe and Ito, Color Universal Design, 2008], on
 * a light and a dark ground, as #rrggbb, and of the 256 of a terminal. */
#define DAE__COLOURS 7
typedef struct dae__colour {
  const char *light, *dark;
  int terminal;
} dae__colour;
dae__colour dae__frame_colour(int curve);

#endif
