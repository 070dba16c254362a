/* Curves thinned to the resolution of a raster.
 *
 * Where x ascends, the points in one column of pixels are reduced to the first, lowest, highest and
 * last one: the line through these covers the same pixels. Any other curve loses points close to
 * the one before, and lines whose pixels have all been drawn already. */
#ifndef DAEDAL_OUTPUT_PLOT_THIN_H
#define DAEDAL_OUTPUT_PLOT_THIN_H

#include "output/plot/frame.h"

typedef struct dae__thin_point {
  double x, y;
  long index; /* in its run */
} dae__thin_point;

typedef struct dae__thin {
  dae__pen pen; /* of the thinned curve */
  bool ascends;
  unsigned char *drawn; /* pixels drawn, a byte for each; NULL: every line is drawn */
  int width, height;
  /* run: points in one column of pixels, or close to the first of them */
  long count;
  bool joined; /* a line ends at the first point of the run */
  dae__thin_point first, lowest, highest, last;
  dae__thin_point at; /* end of the last line or move, drawn or not */
  bool lifted;        /* the pen has to be moved to `at` before a line */
  bool dot;           /* no line has left `at` */
} dae__thin;

/* Starts a curve; drawn: width * height bytes, which are cleared, or NULL. */
dae__thin dae__thin_start(dae__pen pen, bool ascends, int width, int height, unsigned char *drawn);
/* Takes a point in pixels, with the arguments of a pen. */
void dae__thin_to(dae__thin *thin, bool draw, double x, double y);
void dae__thin_end(dae__thin *thin);

#endif
