/* Static picture of a motion in space: the first frame as SVG, in parallel projection along the
 * first view, facets from the farthest to the nearest. */
#include "output/page/still.h"

#include <math.h>
#include <stdlib.h>

/* Limits and sizes of the picture: chosen, not measured. */
#define STILL_MAX_SHAPES 1500
#define STILL_MANY 200   /* shapes from which round ones have few sides */
#define STILL_WIDTH 8600 /* tenths of a pixel */
#define STILL_HEIGHT 4800
#define STILL_MARGIN 300

static int still_by_depth(const void *a, const void *b)
{
  const dae__still_facet *f = a, *g = b;
  return (f->depth > g->depth) - (f->depth < g->depth);
}

/* Writes the path or circle of a facet: lower left corner of the picture, and its scale. */
static void still_write_facet(const dae__still *s, const dae__still_facet *f,
                              const double corner[2], double scale)
{
  dae_page *page = s->m->page;
  int at[STILL_FACET_POINTS][2];
  for (int i = 0; i < f->count; i++) {
    double x = STILL_MARGIN + (f->at[i][0] - corner[0]) * scale,
           y = STILL_HEIGHT - STILL_MARGIN - (f->at[i][1] - corner[1]) * scale;
    if (!isfinite(x) || !isfinite(y))
      return;
    at[i][0] = (int)lround(fmin(fmax(x, -1e8), 1e8));
    at[i][1] = (int)lround(fmin(fmax(y, -1e8), 1e8));
  }
  char colour[48] = "";
  if (f->group > 0)
    snprintf(colour, sizeof colour, " style=\"color:var(--curve-%d)\"", (f->group - 1) % 12);
  if (f->style == STILL_DOT) {
    dae__page_print(page, "<circle class=\"dot\"%s cx=\"%d\" cy=\"%d\" r=\"50\"/>", colour,
                    at[0][0], at[0][1]);
    return;
  }
  if (f->style == STILL_LINE)
    dae__page_print(page, "<path class=\"line\"%s d=\"", colour);
  else
    dae__page_print(page, "<path class=\"f%d\"%s d=\"", f->shade, colour);
  for (int i = 0; i < f->count; i++)
    dae__page_print(page, "%c%d %d", i > 0 ? 'L' : 'M', at[i][0], at[i][1]);
  dae__page_put(page, f->style == STILL_LINE ? "\"/>" : "z\"/>");
}

static void still_write(const dae__still *s)
{
  dae_page *page = s->m->page;
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int i = 0; i < s->count; i++)
    for (int k = 0; k < 2 * s->facets[i].count; k++) {
      double v = s->facets[i].at[k / 2][k % 2];
      low[k % 2] = fmin(low[k % 2], v);
      high[k % 2] = fmax(high[k % 2], v);
    }
  const double room[2] = {STILL_WIDTH - 2 * STILL_MARGIN, STILL_HEIGHT - 2 * STILL_MARGIN};
  double per_unit = fmax((high[0] - low[0]) / room[0], (high[1] - low[1]) / room[1]);
  if (!(per_unit > 0.0) || !isfinite(per_unit))
    per_unit = 1e-3;
  for (int k = 0; k < 2; k++) /* in the middle */
    low[k] = (low[k] + high[k] - room[k] * per_unit) / 2;
  dae__page_print(
      page,
      "<div class=\"still space\"><svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
      "aria-label=\"The first frame\" viewBox=\"0 0 %d %d\" width=\"%d\">",
      STILL_WIDTH, STILL_HEIGHT, STILL_WIDTH / 10);
  for (int i = 0; i < s->count; i++)
    still_write_facet(s, &s->facets[i], low, 1.0 / per_unit);
  dae__page_put(page, "</svg></div>");
}

/* Largest extent of the points of all shapes. */
static double still_size(const dae__motion *m, const double *values)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  double size = 0.0;
  for (int i = 0; i < m->drawing->shapes; i++) {
    const dae_shape *shape = &m->drawing->shape[i];
    double reach = dae__motion_reach(shape, m->drawing, values + shape->first);
    for (int k = 0; k < 3 * shape->points; k++) {
      low[k % 3] = fmin(low[k % 3], values[shape->first + k] - reach);
      high[k % 3] = fmax(high[k % 3], values[shape->first + k] + reach);
    }
  }
  for (int k = 0; k < 3; k++)
    if (isfinite(high[k] - low[k]))
      size = fmax(size, high[k] - low[k]);
  return size;
}

void dae__motion_still(const dae__motion *m, const double *values)
{
  const dae_drawing *d = m->drawing;
  dae__still s = {.m = m, .sides = d->shapes > STILL_MANY ? STILL_SIDES / 2 : STILL_SIDES};
  int shapes = d->shapes < STILL_MAX_SHAPES ? d->shapes : STILL_MAX_SHAPES;
  for (int i = 0; i < shapes; i++)
    s.room += dae__still_facets_of(&s, &d->shape[i]);
  s.facets = DAE__ALLOC(m->page->arena, dae__still_facet, s.room);
  if (!s.facets) {
    dae__page_fail(m->page, DAE_ERROR_MEMORY, "%s: no memory for the motion", m->page->path);
    return;
  }
  s.size = still_size(m, values);
  dae__still_look(&s);
  for (int i = 0; i < shapes; i++)
    dae__still_shape(&s, &d->shape[i], values + d->shape[i].first);
  qsort(s.facets, (size_t)s.count, sizeof *s.facets, still_by_depth);
  still_write(&s);
}
