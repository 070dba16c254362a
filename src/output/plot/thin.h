/* Curves thinned to the resolution of a raster.
 *
 * Where x ascends, the points in one column of pixels are reduced to the first, lowest, highest and
 * last one: the line through these covers the same pixels. Of any other curve, points close to the
 * first point of their run, and lines whose pixels have all been drawn already, are left out. */
#ifndef DAEDAL_OUTPUT_PLOT_THIN_H
#define DAEDAL_OUTPUT_PLOT_THIN_H

#include "output/plot/frame.h"

typedef struct dae__thin_point {
  double x, y;
  long index; /* index of the point in its run */
} dae__thin_point;

typedef struct dae__thin {
  dae__pen pen; /* pen that draws the thinned curve */
  bool ascends;
  /* record of drawn pixels, a byte for each; NULL: every line is drawn */
  unsigned char *drawn;
  int width, height;
  /* Run of points: points in one column of pixels, or close to the first point of the run. */
  long count;
  bool joined; /* whether a line ends at the first point of the run */
  dae__thin_point first, lowest, highest, last;
  /* position of the pen, at the end of the last line or move, even of one that was not drawn */
  dae__thin_point at;
  bool lifted; /* whether the pen has to be moved to `at` before a line is drawn */
  bool dot;    /* whether no line starts at `at` yet */
} dae__thin;

/* Starts the thinning of a curve; drawn: width * height bytes, which are cleared, or NULL. */
dae__thin dae__thin_start(dae__pen pen, bool ascends, int width, int height, unsigned char *drawn);
/* Adds a point in pixels, with the arguments of a pen. */
void dae__thin_to(dae__thin *thin, bool draw, double x, double y);
void dae__thin_end(dae__thin *thin);

#endif
