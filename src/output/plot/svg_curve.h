/* Curves as paths of SVG, thinned to what can be seen. */
#ifndef DAEDAL_OUTPUT_PLOT_SVG_CURVE_H
#define DAEDAL_OUTPUT_PLOT_SVG_CURVE_H

#include "output/plot/frame.h"
#include "output/text.h"

/* The place of the curves, in pixels from the left and the top of the picture. */
typedef struct dae__svg_box {
  double left, right, top, bottom;
} dae__svg_box;

/* A group with the line of curve i and its points, as its style wants. pixels: a byte for each one
 * of the whole picture, to work with. */
void dae__svg_curve(dae__text *out, const dae_plot *plot, const dae__frame *frame,
                    const dae__svg_box *box, int i, unsigned char *pixels);

/* Attributes of what is drawn for a curve: its colour, and how it is dashed. */
void dae__svg_stroke(dae__text *out, int curve);

#endif
