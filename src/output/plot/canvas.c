/* Drawing of curves as braille dots and letters, for plots as text. */
#include "output/plot/canvas.h"

#include <math.h>
#include <stdlib.h>

#define CANVAS_LETTERS_PER_CURVE 3 /* number of letters on each curve; chosen, not measured */

bool dae__canvas_create(dae__arena *arena, int columns, int rows, bool braille, dae__canvas *out)
{
  *out = (dae__canvas){.columns = columns,
                       .rows = rows,
                       .across = braille ? 2 : 1,
                       .down = braille ? 4 : 1,
                       .cell = DAE__ALLOC(arena, dae__cell, columns * rows)};
  return out->cell != NULL;
}

dae__cell *dae__canvas_cell(const dae__canvas *canvas, int column, int row)
{
  return &canvas->cell[row * canvas->columns + column];
}

int dae__canvas_dot(double share, int dots)
{
  double dot = floor(fmin(fmax(share, 0), 1) * dots);
  return dot < dots ? (int)dot : dots - 1;
}

static void canvas_set_dot(dae__canvas *canvas, int x, int y)
{
  /* bits of a Unicode braille character: 0-2 and 3-5 down the two columns, 6 and 7 in the fourth
   * row */
  static const unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  dae__cell *cell = dae__canvas_cell(canvas, x / canvas->across, y / canvas->down);
  cell->dots |= bits[y % canvas->down][x % canvas->across];
  cell->curve = canvas->curve;
}

/* Draws a line with one dot in each column of dots, or in each row of dots if it is steeper. */
void dae__canvas_to(dae__canvas *canvas, bool draw, int x, int y)
{
  int dx = x - canvas->at_x, dy = y - canvas->at_y;
  int steps = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
  if (!draw)
    canvas_set_dot(canvas, x, y);
  for (int i = 1; draw && i <= steps; i++) {
    double share = (double)i / steps;
    canvas_set_dot(canvas, canvas->at_x + (int)lround(share * dx),
                   canvas->at_y + (int)lround(share * dy));
  }
  canvas->at_x = x;
  canvas->at_y = y;
}

/* Puts the letter on the topmost character of the curve in this column; returns whether the curve
 * has one. */
static bool canvas_mark_column(dae__canvas *canvas, int curve, int column, char letter)
{
  for (int row = 0; row < canvas->rows; row++) {
    dae__cell *cell = dae__canvas_cell(canvas, column, row);
    if (cell->curve != curve || cell->letter)
      continue;
    cell->letter = letter;
    return true;
  }
  return false;
}

void dae__canvas_mark(dae__canvas *canvas, int curve, double offset, char letter)
{
  bool marked = false;
  for (int k = 0; k < CANVAS_LETTERS_PER_CURVE; k++) {
    int column = (int)((k + offset) * canvas->columns / CANVAS_LETTERS_PER_CURVE);
    marked = canvas_mark_column(canvas, curve, column, letter) || marked;
  }
  for (int column = canvas->columns - 1; column >= 0 && !marked; column--)
    marked = canvas_mark_column(canvas, curve, column, letter);
}
