/* Animated motions of a page. Positions are written as integers of 16 bits on the scales of x, y
 * and radii: finer than the pixels of a screen, in a quarter of the size of doubles. */
#include "output/page/page.h"

#include <math.h>

#define MOTION_STEPS 65534   /* integer at the upper end of a scale */
#define MOTION_MISSING 65535 /* integer for a missing position */

/* Coordinates that the integers 0 and MOTION_STEPS stand for. */
typedef struct scale {
  double first, last;
} scale;

typedef struct view {
  scale x, y, radius;
} view;

static void page_motion_include(scale *s, double value)
{
  if (!isfinite(value))
    return;
  s->first = fmin(s->first, value);
  s->last = fmax(s->last, value);
}

/* Returns scales that contain all shapes in all frames; a scale without values contains 0 only. */
static view page_motion_view(const dae_drawing *drawing, const double *values, long frames)
{
  const scale empty = {INFINITY, -INFINITY}, zero = {0.0, 0.0};
  view v = {empty, empty, empty};
  for (long k = 0; k < frames; k++)
    for (int i = 0; i < drawing->shapes; i++) {
      const dae_shape *shape = &drawing->shape[i];
      const double *value = values + k * drawing->values + shape->first;
      double radius = shape->kind == DAE_SHAPE_CIRCLE ? fabs(value[2 * shape->points]) : 0.0;
      for (int p = 0; p < shape->points; p++) {
        page_motion_include(&v.x, value[2 * p] - radius);
        page_motion_include(&v.x, value[2 * p] + radius);
        page_motion_include(&v.y, value[2 * p + 1] - radius);
        page_motion_include(&v.y, value[2 * p + 1] + radius);
      }
      page_motion_include(&v.radius, radius);
    }
  return (view){v.x.first <= v.x.last ? v.x : zero, v.y.first <= v.y.last ? v.y : zero,
                v.radius.first <= v.radius.last ? v.radius : zero};
}

/* Adds a value as an integer on its scale, computed with half ranges, because whole ranges may
 * overflow. */
static void page_motion_add(dae__base64 *out, scale s, double value)
{
  double width = s.last / 2 - s.first / 2;
  double share = width > 0.0 ? (value / 2 - s.first / 2) / width : 0.0;
  dae__base64_add(out, isfinite(value) ? (uint64_t)lround(share * MOTION_STEPS) : MOTION_MISSING,
                  2);
}

/* Writes the array of positions and returns its number in the page. */
static int page_motion_write_positions(dae_page *page, const dae_drawing *drawing, const view *v,
                                       const double *values, long frames)
{
  dae__base64 out;
  int id = dae__base64_begin(&out, page, "u2");
  for (long k = 0; k < frames; k++)
    for (int i = 0; i < drawing->shapes; i++) {
      const dae_shape *shape = &drawing->shape[i];
      const double *value = values + k * drawing->values + shape->first;
      for (int p = 0; p < shape->points; p++) {
        page_motion_add(&out, v->x, value[2 * p]);
        page_motion_add(&out, v->y, value[2 * p + 1]);
      }
      if (shape->kind == DAE_SHAPE_CIRCLE)
        page_motion_add(&out, v->radius, fabs(value[2 * shape->points]));
    }
  dae__base64_end(&out);
  return id;
}

void dae_page_motion(dae_page *page, const dae_drawing *drawing, const double *times,
                     const double *values, long frames)
{
  static const char *const kinds[] = {
      [DAE_SHAPE_LINE] = "line", [DAE_SHAPE_POINT] = "point", [DAE_SHAPE_CIRCLE] = "circle"};
  const char *mistake = frames < 1 ? "a motion without frames" : NULL;
  if (drawing->shapes < 1)
    return;
  for (int i = 0; !mistake && i < drawing->shapes; i++) {
    const dae_shape *s = &drawing->shape[i];
    int needed = 2 * s->points + (s->kind == DAE_SHAPE_CIRCLE ? 1 : 0);
    if (s->points < 1 || s->first < 0 || s->first > drawing->values - needed)
      mistake = "a shape takes its place from values that the drawing does not have";
  }
  if (mistake) {
    dae__page_fail(page, DAE_ERROR_USAGE, "%s: %s", page->path, mistake);
    return;
  }
  view v = page_motion_view(drawing, values, frames);
  int time = dae__page_array_of(page, times, frames, DAE__EITHER);
  int positions = page_motion_write_positions(page, drawing, &v, values, frames);
  dae__page_print(page,
                  "<figure class=\"motion\"><script type=\"application/json\">{\"frames\":%ld,"
                  "\"times\":%d,\"positions\":%d",
                  frames, time, positions);
  for (int i = 0; i < 3; i++) {
    const scale *of = i == 0 ? &v.x : i == 1 ? &v.y : &v.radius;
    dae__page_print(page, ",\"%s\":[", i == 0 ? "x" : i == 1 ? "y" : "radius");
    dae__page_number(page, of->first);
    dae__page_put(page, ",");
    dae__page_number(page, of->last);
    dae__page_put(page, "]");
  }
  dae__page_put(page, ",\"shapes\":[");
  for (int i = 0; i < drawing->shapes; i++) {
    const dae_shape *shape = &drawing->shape[i];
    dae__page_print(page, "%s{\"kind\":\"%s\",\"points\":%d,\"label\":", i > 0 ? "," : "",
                    kinds[shape->kind], shape->points);
    dae__page_json(page, shape->label);
    dae__page_put(page, "}");
  }
  dae__page_put(page, "]}</script>");
  if (drawing->guessed)
    dae__page_put(page, "<figcaption>Made up from masses and constraints: draw statements in the "
                        "model say what to show."
                        "</figcaption>");
  dae__page_put(page, "</figure>\n");
}
