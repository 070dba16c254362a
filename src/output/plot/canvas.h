/* A raster of characters: braille characters with 2 x 4 dots each, or characters that are set as a
 * whole. */
#ifndef DAEDAL_OUTPUT_PLOT_CANVAS_H
#define DAEDAL_OUTPUT_PLOT_CANVAS_H

#include "core/arena.h"

typedef struct dae__cell {
  unsigned char dots; /* bits of the braille character */
  char letter;        /* letter shown instead of the dots; 0: none */
  int curve;          /* number of the curve drawn last in this cell, from 1; 0: none */
} dae__cell;

typedef struct dae__canvas {
  int columns, rows; /* size in characters */
  int across, down;  /* number of dots in a character, horizontally and vertically */
  dae__cell *cell;   /* cells row by row, from the top */
  int curve;         /* number of the curve being drawn, counted from 1 */
  int at_x, at_y;    /* position of the pen, in dots from the left and the top */
} dae__canvas;

/* Creates an empty canvas; false: out of memory. */
bool dae__canvas_create(dae__arena *arena, int columns, int rows, bool braille, dae__canvas *out);

dae__cell *dae__canvas_cell(const dae__canvas *canvas, int column, int row);

/* Returns the index, 0 to dots - 1, of the dot at a fraction `share` of the axis, 0 to 1. */
int dae__canvas_dot(double share, int dots);

/* Draws a line from the pen to a dot, or, if draw is false, sets that dot only. */
void dae__canvas_to(dae__canvas *canvas, bool draw, int x, int y);

/* Puts a letter on the curve in three places, to identify it without colours. offset, 0 to 1,
 * shifts the places, so that the letters of different curves are apart. */
void dae__canvas_mark(dae__canvas *canvas, int curve, double offset, char letter);

#endif
