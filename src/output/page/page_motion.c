/* Motions of a page. Positions go into 16 bits each, of the whole picture in x, in y and in radii:
 * finer than a screen, a quarter of the size. One value more says that there is none. */
#include "output/page/page.h"

#include <math.h>

#define STEPS 65534
#define MISSING 65535

/* What the numbers 0 and STEPS stand for. */
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

/* Of a scale that nothing was included in: that of 0. */
static scale page_motion_settled(scale s)
{
  return s.first <= s.last ? s : (scale){0.0, 0.0};
}

/* The whole of a shape, so that the scales of x and y are what there is to see. */
static void page_motion_include_shape(view *v, const dae_shape *shape, const double *value)
{
  double radius = shape->kind == DAE_SHAPE_CIRCLE ? fabs(value[2 * shape->points]) : 0.0;
  for (int p = 0; p < shape->points; p++) {
    page_motion_include(&v->x, value[2 * p] - radius);
    page_motion_include(&v->x, value[2 * p] + radius);
    page_motion_include(&v->y, value[2 * p + 1] - radius);
    page_motion_include(&v->y, value[2 * p + 1] + radius);
  }
  page_motion_include(&v->radius, radius);
}

static view page_motion_view_of(const dae_drawing *drawing, const double *values, long frames)
{
  view v = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
  for (long k = 0; k < frames; k++)
    for (int i = 0; i < drawing->shapes; i++)
      page_motion_include_shape(&v, &drawing->shape[i],
                                values + k * drawing->values + drawing->shape[i].first);
  return (view){page_motion_settled(v.x), page_motion_settled(v.y), page_motion_settled(v.radius)};
}

/* Halves, because the width of a scale may be too large for a number. */
static void page_motion_add(dae__base64 *out, scale s, double value)
{
  double width = s.last / 2 - s.first / 2;
  double part = width > 0.0 ? (value / 2 - s.first / 2) / width : 0.0;
  dae__base64_add(out, isfinite(value) ? (uint64_t)lround(part * STEPS) : MISSING, 2);
}

static void page_motion_add_shape(dae__base64 *out, const view *v, const dae_shape *shape,
                                  const double *value)
{
  for (int p = 0; p < shape->points; p++) {
    page_motion_add(out, v->x, value[2 * p]);
    page_motion_add(out, v->y, value[2 * p + 1]);
  }
  if (shape->kind == DAE_SHAPE_CIRCLE)
    page_motion_add(out, v->radius, fabs(value[2 * shape->points]));
}

static int page_motion_write_positions(dae_page *page, const dae_drawing *drawing, const view *v,
                                       const double *values, long frames)
{
  dae__base64 out;
  int id = dae__page_array_begin(page, "u2");
  dae__base64_begin(&out, page);
  for (long k = 0; k < frames; k++)
    for (int i = 0; i < drawing->shapes; i++)
      page_motion_add_shape(&out, v, &drawing->shape[i],
                            values + k * drawing->values + drawing->shape[i].first);
  dae__base64_end(&out);
  dae__page_array_end(page);
  return id;
}

static void page_motion_write_scale(dae_page *page, const char *name, scale s)
{
  dae__page_print(page, ",\"%s\":[", name);
  dae__page_number(page, s.first);
  dae__page_put(page, ",");
  dae__page_number(page, s.last);
  dae__page_put(page, "]");
}

static void page_motion_write_shapes(dae_page *page, const dae_drawing *drawing)
{
  static const char *const kinds[] = {
      [DAE_SHAPE_LINE] = "line", [DAE_SHAPE_POINT] = "point", [DAE_SHAPE_CIRCLE] = "circle"};
  dae__page_put(page, ",\"shapes\":[");
  for (int i = 0; i < drawing->shapes; i++) {
    const dae_shape *shape = &drawing->shape[i];
    dae__page_print(page, "%s{\"kind\":\"%s\",\"points\":%d,\"label\":", i > 0 ? "," : "",
                    kinds[shape->kind], shape->points);
    dae__page_json(page, shape->label);
    dae__page_put(page, "}");
  }
  dae__page_put(page, "]");
}

static bool page_motion_valid(dae_page *page, const dae_drawing *drawing, long frames)
{
  const char *what = frames < 1 ? "a motion without frames" : NULL;
  for (int i = 0; !what && i < drawing->shapes; i++) {
    const dae_shape *s = &drawing->shape[i];
    int needed = 2 * s->points + (s->kind == DAE_SHAPE_CIRCLE ? 1 : 0);
    if (s->points < 1 || s->first < 0 || s->first > drawing->values - needed)
      what = "a shape takes its place from values that the drawing does not have";
  }
  if (what)
    dae__page_fail(page, DAE_ERROR_USAGE, "%s: %s", page->path, what);
  return !what;
}

void dae_page_motion(dae_page *page, const dae_drawing *drawing, const double *times,
                     const double *values, long frames)
{
  if (drawing->shapes < 1 || !page_motion_valid(page, drawing, frames))
    return;
  view v = page_motion_view_of(drawing, values, frames);
  int time = dae__page_array_of(page, times, frames, DAE__EITHER);
  int positions = page_motion_write_positions(page, drawing, &v, values, frames);
  dae__page_print(page,
                  "<figure class=\"motion\"><script type=\"application/json\">{\"frames\":%ld,"
                  "\"times\":%d,\"positions\":%d",
                  frames, time, positions);
  page_motion_write_scale(page, "x", v.x);
  page_motion_write_scale(page, "y", v.y);
  page_motion_write_scale(page, "radius", v.radius);
  page_motion_write_shapes(page, drawing);
  dae__page_put(page, "}</script>");
  if (drawing->guessed)
    dae__page_put(page, "<figcaption>Made up from masses and constraints: draw statements in the "
                        "model say what to show."
                        "</figcaption>");
  dae__page_put(page, "</figure>\n");
}
