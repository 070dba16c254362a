#include "output/plot/canvas.h"

#include <math.h>
#include <stdlib.h>

#define MARKS 3 /* places where a letter tells the curve */

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

static int canvas_dot_of(double share, int dots)
{
  double dot = floor(fmin(fmax(share, 0), 1) * dots);
  return dot < dots ? (int)dot : dots - 1;
}

int dae__canvas_x(const dae__canvas *canvas, double share)
{
  return canvas_dot_of(share, canvas->columns * canvas->across);
}

int dae__canvas_y(const dae__canvas *canvas, double share)
{
  return canvas_dot_of(1 - share, canvas->rows * canvas->down);
}

/* the bit of a dot in its character: U+2800 counts three down, twice, then the fourth row */
static void canvas_set_dot(dae__canvas *canvas, int x, int y)
{
  static const unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  dae__cell *cell = dae__canvas_cell(canvas, x / canvas->across, y / canvas->down);
  cell->dots |= bits[y % canvas->down][x % canvas->across];
  cell->curve = canvas->curve;
}

/* a dot in each column or row of dots, whichever are more */
static void canvas_draw_line(dae__canvas *canvas, int x, int y)
{
  int dx = x - canvas->at_x, dy = y - canvas->at_y;
  int steps = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
  for (int i = 1; i <= steps; i++) {
    double share = (double)i / steps;
    canvas_set_dot(canvas, canvas->at_x + (int)lround(share * dx),
                   canvas->at_y + (int)lround(share * dy));
  }
}

void dae__canvas_to(dae__canvas *canvas, bool draw, int x, int y)
{
  if (draw)
    canvas_draw_line(canvas, x, y);
  else
    canvas_set_dot(canvas, x, y);
  canvas->at_x = x;
  canvas->at_y = y;
}

/* the topmost character of the column that shows the curve */
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
  for (int k = 0; k < MARKS; k++) {
    int column = (int)((k + offset) * canvas->columns / MARKS);
    marked = canvas_mark_column(canvas, curve, column, letter) || marked;
  }
  for (int column = canvas->columns - 1; column >= 0 && !marked; column--)
    marked = canvas_mark_column(canvas, curve, column, letter);
}
