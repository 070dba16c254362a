/* A picture of characters: dots in braille, 2 x 4 in a character, or whole characters. */
#ifndef DAEDAL_OUTPUT_PLOT_CANVAS_H
#define DAEDAL_OUTPUT_PLOT_CANVAS_H

#include "core/arena.h"

typedef struct dae__cell {
  unsigned char dots; /* bits as the braille of Unicode has them */
  char letter;        /* stands there instead; 0: none */
  int curve;          /* that was drawn here last, counted from 1; 0: none */
} dae__cell;

typedef struct dae__canvas {
  int columns, rows; /* characters */
  int across, down;  /* dots in a character */
  dae__cell *cell;   /* row by row, from the top */
  int curve;         /* that is drawn, counted from 1 */
  int at_x, at_y;    /* where the pen is, in dots from the left and the top */
} dae__canvas;

/* Empty; false: out of memory. */
bool dae__canvas_create(dae__arena *arena, int columns, int rows, bool braille, dae__canvas *out);

dae__cell *dae__canvas_cell(const dae__canvas *canvas, int column, int row);

/* Dots that 0 to 1 stand for, from the left, and from the bottom up. */
int dae__canvas_x(const dae__canvas *canvas, double share);
int dae__canvas_y(const dae__canvas *canvas, double share);

/* Draws a line to a dot, or sets just the dot. */
void dae__canvas_to(dae__canvas *canvas, bool draw, int x, int y);

/* Puts a letter onto the curve that was drawn last, in a few places, so that it can be told from
 * others; offset, from 0 to 1, moves them along, so that letters of different curves do not meet.
 */
void dae__canvas_mark(dae__canvas *canvas, int curve, double offset, char letter);

#endif
