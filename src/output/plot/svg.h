/* SVG elements: texts, coordinates, curves and the legend of a plot. */
#ifndef DAEDAL_OUTPUT_PLOT_SVG_H
#define DAEDAL_OUTPUT_PLOT_SVG_H

#include "core/utf8.h"
#include "output/plot/frame.h"
#include "output/text.h"

/* Font sizes and distances in pixels: chosen, not measured. */
#define DAE__SVG_TITLE 15.0
#define DAE__SVG_WORD 13.0
#define DAE__SVG_NUMBER 12.0 /* font size of the labels of ticks */
#define DAE__SVG_ROW 19.0    /* distance between two rows of the legend */

/* Returns the estimated width of a text in a font of this size; the reader's font is unknown. */
double dae__svg_width(const char *text, double size);

/* Adds a text, escaped for XML and cut to the width `room`. */
void dae__svg_add(dae__text *out, const char *text, double size, double room);

/* Adds a length in pixels, rounded to a tenth. */
void dae__svg_number(dae__text *out, double value);
/* Adds Mx,y, the move to the start of a line in a path. */
void dae__svg_move(dae__text *out, double x, double y);

/* Adds the start of a <text> element, to be followed by further attributes, >, the text and the end
 * tag. anchor: start, middle or end. */
void dae__svg_open(dae__text *out, double x, double y, const char *anchor, double size);

/* Box that contains the curves, in pixels from the left and the top of the picture. */
typedef struct dae__svg_box {
  double left, right, top, bottom;
} dae__svg_box;

/* Adds a group with the line and the points of curve i, depending on its style. pixels: scratch
 * memory, one byte for each pixel of the picture. */
void dae__svg_curve(dae__text *out, const dae_plot *plot, const dae__frame *frame,
                    const dae__svg_box *box, int i, unsigned char *pixels);

/* Fits the legend of a plot; room: width of a row; most: largest number of rows. */
dae__legend dae__svg_legend_fit(const dae_plot *plot, double room, int most);
/* Adds the legend at x; y: base line of its first row. */
void dae__svg_legend_write(dae__text *out, const dae__legend *legend, double x, double y);

#endif
