#include "output/plot/thin.h"

#include <math.h>
#include <string.h>

#define NEAR 0.7 /* pixels: such a distance cannot be seen */

dae__thin dae__thin_start(dae__pen pen, bool ascends, int width, int height, unsigned char *drawn)
{
  if (drawn)
    memset(drawn, 0, (size_t)width * (size_t)height);
  return (dae__thin){
      .pen = pen, .ascends = ascends, .drawn = drawn, .width = width, .height = height};
}

/* ---- pixels that were drawn ---- */

static int thin_pixel_of(double x, int size)
{
  int i = (int)floor(x);
  return i < 0 ? 0 : i >= size ? size - 1 : i;
}

/* Marks a pixel; whether it is new. */
static bool thin_mark(dae__thin *thin, double x, double y)
{
  size_t row = (size_t)thin_pixel_of(y, thin->height),
         column = (size_t)thin_pixel_of(x, thin->width);
  unsigned char *pixel = &thin->drawn[row * (size_t)thin->width + column];
  bool fresh = !*pixel;
  *pixel = 1;
  return fresh;
}

/* Marks the pixels of a line; whether one of them is new. */
static bool thin_mark_line(dae__thin *thin, const dae__thin_point *a, const dae__thin_point *b)
{
  bool fresh = false;
  int steps = 1 + (int)fmax(fabs(b->x - a->x), fabs(b->y - a->y));
  for (int i = 0; i <= steps; i++) {
    double share = (double)i / steps;
    fresh = thin_mark(thin, a->x + share * (b->x - a->x), a->y + share * (b->y - a->y)) || fresh;
  }
  return fresh;
}

/* ---- the pen ---- */

static void thin_put(dae__thin *thin, bool draw, const dae__thin_point *p)
{
  thin->pen.to(thin->pen.self, draw, p->x, p->y);
}

/* a point that no line led away from */
static void thin_end_dot(dae__thin *thin)
{
  if (thin->dot && (!thin->drawn || thin_mark(thin, thin->at.x, thin->at.y)))
    thin_put(thin, false, &thin->at);
  thin->dot = false;
}

static void thin_draw_to(dae__thin *thin, bool draw, const dae__thin_point *p)
{
  if (!draw) {
    thin_end_dot(thin);
    thin->at = *p;
    thin->lifted = thin->dot = true;
    return;
  }
  if (!thin->drawn || thin_mark_line(thin, &thin->at, p)) {
    if (thin->lifted)
      thin_put(thin, false, &thin->at);
    thin_put(thin, true, p);
    thin->lifted = false;
  } else {
    thin->lifted = true;
  }
  thin->dot = false;
  thin->at = *p;
}

/* ---- runs ---- */

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

/* whether the point belongs to the run at hand */
static bool thin_goes_on(const dae__thin *thin, double x, double y)
{
  if (thin->ascends)
    return floor(x) == floor(thin->first.x);
  return fabs(x - thin->first.x) < NEAR && fabs(y - thin->first.y) < NEAR;
}

void dae__thin_to(dae__thin *thin, bool draw, double x, double y)
{
  if (!draw || thin->count == 0 || !thin_goes_on(thin, x, y)) {
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
