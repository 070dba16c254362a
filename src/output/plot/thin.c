#include "output/plot/thin.h"

#include <math.h>
#include <string.h>

/* distance of points drawn as one, in pixels; chosen, not measured */
#define THIN_INVISIBLE_DISTANCE 0.7

dae__thin dae__thin_start(dae__pen pen, bool ascends, int width, int height, unsigned char *drawn)
{
  if (drawn)
    memset(drawn, 0, (size_t)width * (size_t)height);
  return (dae__thin){
      .pen = pen, .ascends = ascends, .drawn = drawn, .width = width, .height = height};
}

/* ---- record of drawn pixels ---- */

/* Marks a pixel as drawn; returns whether it was not drawn before. */
static bool thin_mark(dae__thin *thin, double x, double y)
{
  int column = (int)floor(x), row = (int)floor(y);
  column = column < 0 ? 0 : column >= thin->width ? thin->width - 1 : column;
  row = row < 0 ? 0 : row >= thin->height ? thin->height - 1 : row;
  unsigned char *pixel = &thin->drawn[(size_t)row * (size_t)thin->width + (size_t)column];
  bool fresh = !*pixel;
  *pixel = 1;
  return fresh;
}

/* ---- pen ---- */

/* Draws the dot at the position of the pen, if the pen was moved there and no line starts there. */
static void thin_end_dot(dae__thin *thin)
{
  if (thin->dot && (!thin->drawn || thin_mark(thin, thin->at.x, thin->at.y)))
    thin->pen.to(thin->pen.self, false, thin->at.x, thin->at.y);
  thin->dot = false;
}

/* Draws a line to p unless all of its pixels are drawn already or, if draw is false, moves the pen
 * to p. */
static void thin_draw_to(dae__thin *thin, bool draw, const dae__thin_point *p)
{
  const dae__thin_point at = thin->at;
  if (!draw) {
    thin_end_dot(thin);
    thin->at = *p;
    thin->lifted = thin->dot = true;
    return;
  }
  bool fresh = !thin->drawn;
  int steps = 1 + (int)fmax(fabs(p->x - at.x), fabs(p->y - at.y));
  for (int i = 0; thin->drawn && i <= steps; i++) {
    double share = (double)i / steps;
    fresh = thin_mark(thin, at.x + share * (p->x - at.x), at.y + share * (p->y - at.y)) || fresh;
  }
  if (fresh && thin->lifted)
    thin->pen.to(thin->pen.self, false, at.x, at.y);
  if (fresh)
    thin->pen.to(thin->pen.self, true, p->x, p->y);
  thin->lifted = !fresh;
  thin->dot = false;
  thin->at = *p;
}

/* ---- runs of points ---- */

static void thin_end_run(dae__thin *thin)
{
  if (thin->count == 0)
    return;
  const dae__thin_point *a = &thin->lowest, *b = &thin->highest;
  if (a->index > b->index)
    a = &thin->highest, b = &thin->lowest;
  thin_draw_to(thin, thin->joined, &thin->first);
  if (thin->ascends && a->index > 0)
    thin_draw_to(thin, true, a);
  if (thin->ascends && b->index > a->index)
    thin_draw_to(thin, true, b);
  if (thin->ascends && thin->last.index > b->index)
    thin_draw_to(thin, true, &thin->last);
  thin->count = 0;
}

void dae__thin_to(dae__thin *thin, bool draw, double x, double y)
{
  bool same_run = thin->ascends ? floor(x) == floor(thin->first.x)
                                : fabs(x - thin->first.x) < THIN_INVISIBLE_DISTANCE &&
                                      fabs(y - thin->first.y) < THIN_INVISIBLE_DISTANCE;
  if (!draw || thin->count == 0 || !same_run) {
    thin_end_run(thin);
    thin->joined = draw;
  }
  dae__thin_point p = {x, y, thin->count++};
  if (p.index == 0)
    thin->first = thin->lowest = thin->highest = p;
  thin->last = p;
  if (y < thin->lowest.y)
    thin->lowest = p;
  if (y > thin->highest.y)
    thin->highest = p;
}

void dae__thin_end(dae__thin *thin)
{
  thin_end_run(thin);
  thin_end_dot(thin);
}
