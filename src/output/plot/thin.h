/* Curves thinned to what a picture of pixels can show.
 *
 * Where x ascends, points in one column of pixels become the first, the lowest, the highest and the
 * last of them: the line through these covers the same pixels. A curve that runs to and fro is left
 * without points that are near the one before, and where all pixels of a stretch have been drawn
 * already, without the stretch. */
#ifndef DAEDAL_OUTPUT_PLOT_THIN_H
#define DAEDAL_OUTPUT_PLOT_THIN_H

#include "output/plot/frame.h"

typedef struct dae__thin_point {
  double x, y;
  long index; /* in its run */
} dae__thin_point;

typedef struct dae__thin {
  dae__pen pen; /* what is left goes here */
  bool ascends;
  /* pixels that were drawn, a byte for each; NULL: draws them as often as they come */
  unsigned char *drawn;
  int width, height;
  /* the run of points in one column of pixels, or near the first of them */
  long count;
  bool joined; /* a line leads to its first point */
  dae__thin_point first, lowest, highest, last;
  /* where the pen is, and whether it has to be brought there */
  dae__thin_point at;
  bool lifted, dot;
} dae__thin;

/* drawn: width * height bytes, which are cleared, or NULL. */
dae__thin dae__thin_start(dae__pen pen, bool ascends, int width, int height, unsigned char *drawn);
/* As a pen takes them, in pixels. */
void dae__thin_to(dae__thin *thin, bool draw, double x, double y);
void dae__thin_end(dae__thin *thin);

#endif
