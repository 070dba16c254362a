/* Pieces of SVG: texts, how wide they are about, and coordinates. */
#ifndef DAEDAL_OUTPUT_PLOT_SVG_TEXT_H
#define DAEDAL_OUTPUT_PLOT_SVG_TEXT_H

#include "output/text.h"

/* Sizes of letters in pixels: of the title, of words, of numbers at ticks. */
#define DAE__SVG_TITLE 15.0
#define DAE__SVG_WORD 13.0
#define DAE__SVG_NUMBER 12.0

/* Width of a text in letters of this size. An estimate: the reader's font is not known. */
double dae__svg_width(const char *text, double size);

/* Adds a text as XML has it, whatever is in it. */
void dae__svg_add(dae__text *out, const char *text);
/* The same, cut where it is wider than the room. */
void dae__svg_add_cut(dae__text *out, const char *text, double size, double room);

/* Adds a number of pixels, to a tenth. */
void dae__svg_number(dae__text *out, double value);
/* The same of whole tenths, behind `part`, which a minus sign makes needless. */
void dae__svg_tenths(dae__text *out, const char *part, long tenths);
/* Mx,y: begins a line in a path. */
void dae__svg_move(dae__text *out, double x, double y);

/* Begins a <text>, which may get further attributes, a >, what it says and its end. anchor: start,
 * middle or end. */
void dae__svg_open(dae__text *out, double x, double y, const char *anchor, double size);

#endif
