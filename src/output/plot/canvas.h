/* A raster of characters: braille with 2 x 4 dots in each, or whole characters. */
#ifndef DAEDAL_OUTPUT_PLOT_CANVAS_H
#define DAEDAL_OUTPUT_PLOT_CANVAS_H

#include "core/arena.h"

typedef struct dae__cell {
  unsigned char dots; /* bits of the braille character */
  char letter;        /* in place of the dots; 0: none */
  int curve;          /* drawn last in this cell, counted from 1; 0: none */
} dae__cell;

typedef struct dae__canvas {
  int columns, rows; /* characters */
  int across, down;  /* dots in a character */
  dae__cell *cell;   /* row by row, from the top */
  int curve;         /* number of the curve being drawn, counted from 1 */
  int at_x, at_y;    /* pen, in dots from the left and the top */
} dae__canvas;

/* Creates an empty canvas; false: out of memory. */
bool dae__canvas_create(dae__arena *arena, int columns, int rows, bool braille, dae__canvas *out);

dae__cell *dae__canvas_cell(const dae__canvas *canvas, int column, int row);

/* Returns the dot, 0 to dots - 1, of a share of the axis, 0 to 1. */
int dae__canvas_dot(double share, int dots);

/* Draws a line to a dot, or (not draw) sets just the dot. */
void dae__canvas_to(dae__canvas *canvas, bool draw, int x, int y);

/* Puts a letter onto the curve in three places, to identify it without colours. offset, 0 to 1,
 * shifts the places, so that letters of different curves do not meet. */
void dae__canvas_mark(dae__canvas *canvas, int curve, double offset, char letter);

#endif
