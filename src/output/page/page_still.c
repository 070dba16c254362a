/* Static picture of a motion in space: the first frame as SVG, in parallel projection along the
 * first view, facets from the farthest to the nearest. */
#include "output/page/motion.h"

#include <math.h>
#include <stdlib.h>

/* Limits and sizes of the picture: chosen, not measured. */
#define STILL_MAX_SHAPES 1500
#define STILL_MANY 200   /* shapes from which round ones have few sides */
#define STILL_WIDTH 8600 /* tenths of a pixel */
#define STILL_HEIGHT 4800
#define STILL_MARGIN 300
#define STILL_SYMBOL 0.018 /* size of the symbol of a joint, in sizes of the scene */
#define STILL_ROD 0.006    /* radius of a cylinder without one, in sizes of the scene */
#define STILL_COILS 8
#define STILL_PI 3.14159265358979323846

enum { STILL_SIDES = 16, STILL_FACET_POINTS = 32, STILL_SHADES = 4 };

typedef enum still_style { STILL_FACE, STILL_LINE, STILL_DOT } still_style;

/* Polygon, line or dot on the picture. */
typedef struct facet {
  double depth;
  still_style style;
  int group, shade, count;
  double at[STILL_FACET_POINTS][2]; /* right and up */
} facet;

typedef struct still {
  const dae__motion *m;
  double axis[3][3]; /* right, up, and towards the eye, in space */
  double size;       /* largest extent of the scene */
  int sides;
  facet *facets; /* memory of the arena */
  int count, room;
} still;

/* Pose of a solid: R x + r, with the matrix R by rows. */
typedef struct still_pose {
  double r[3], R[3][3];
} still_pose;

/* ---- vectors ---- */

static double still_dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void still_cross(const double a[3], const double b[3], double c[3])
{
  for (int k = 0; k < 3; k++)
    c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Scales a vector to length 1; false: it is 0 or not finite. */
static bool still_unit(double a[3])
{
  double length = sqrt(still_dot(a, a));
  if (!(length > 0.0) || !isfinite(length))
    return false;
  for (int k = 0; k < 3; k++)
    a[k] /= length;
  return true;
}

/* A vector of length 1 square to another one. */
static void still_square(const double a[3], double b[3])
{
  int least = fabs(a[0]) <= fabs(a[1]) && fabs(a[0]) <= fabs(a[2]) ? 0
              : fabs(a[1]) <= fabs(a[2])                           ? 1
                                                                   : 2;
  const double unit[3] = {least == 0, least == 1, least == 2};
  still_cross(a, unit, b);
  if (!still_unit(b))
    b[0] = 1.0;
}

/* Rotation matrix of Euler parameters of any length but 0. */
static void still_rotation(const double e[4], double R[3][3])
{
  double n = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3], s = n > 0.0 ? 2.0 / n : 0.0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      double skew = (k == (i + 1) % 3) ? -e[0] * e[(i + 2) % 3 + 1]
                    : (i == k)         ? 0.0
                                       : e[0] * e[(i + 1) % 3 + 1];
      double square = i == k ? e[i + 1] * e[i + 1] - (n - e[0] * e[0]) : e[i + 1] * e[k + 1];
      R[i][k] = (i == k) + s * (square + skew);
    }
}

/* ---- the view ---- */

static void still_look(still *s)
{
  const dae_camera *c = &s->m->drawing->camera;
  double *right = s->axis[0], *up = s->axis[1], *back = s->axis[2];
  double vertical[3] = {c->up[0], c->up[1], c->up[2]};
  if (!still_unit(vertical))
    vertical[2] = 1.0;
  for (int k = 0; k < 3; k++)
    back[k] = c->from[k] - c->to[k];
  if (!still_unit(back)) { /* isometric: from the front and the right, above */
    double e1[3] = {1.0, 0.0, 0.0}, e2[3];
    if (fabs(vertical[0]) > 0.9)
      e1[0] = 0.0, e1[1] = 1.0;
    still_cross(vertical, e1, e2);
    still_unit(e2);
    still_cross(e2, vertical, e1);
    for (int k = 0; k < 3; k++)
      back[k] = e1[k] - e2[k] + vertical[k];
    still_unit(back);
  }
  still_cross(vertical, back, right);
  if (!still_unit(right))
    still_square(back, right);
  still_cross(back, right, up);
}

/* ---- facets ---- */

static facet *still_add(still *s, still_style style, int group)
{
  if (s->count == s->room)
    return NULL;
  facet *f = &s->facets[s->count++];
  *f = (facet){.style = style, .group = group};
  return f;
}

static void still_point(const still *s, facet *f, const double p[3])
{
  f->at[f->count][0] = still_dot(s->axis[0], p);
  f->at[f->count][1] = still_dot(s->axis[1], p);
  f->depth = (f->depth * f->count + still_dot(s->axis[2], p)) / (f->count + 1);
  f->count++;
}

static void still_segment(still *s, const double p[3], const double q[3], int group)
{
  facet *f = still_add(s, STILL_LINE, group);
  if (!f)
    return;
  still_point(s, f, p);
  still_point(s, f, q);
}

/* Adds a face of a solid, its corners in the axes of the solid and counterclockwise from outside,
 * unless it looks away. */
static void still_face(still *s, const still_pose *pose, int group, int count,
                       const double corner[][3])
{
  facet *f = still_add(s, STILL_FACE, group);
  double p[3], normal[3] = {0.0}, previous[3] = {0.0};
  for (int i = 0; f && i <= count; i++) {
    const double *c = corner[i % count];
    double local[3], n[3];
    for (int k = 0; k < 3; k++) {
      local[k] = still_dot(pose->R[k], c);
      p[k] = pose->r[k] + local[k];
    }
    if (i < count)
      still_point(s, f, p);
    still_cross(previous, local, n); /* twice the area of a triangle with the origin */
    for (int k = 0; k < 3; k++) {
      normal[k] += i > 0 ? n[k] : 0.0;
      previous[k] = local[k];
    }
  }
  if (!f)
    return;
  if (!still_unit(normal) || still_dot(normal, s->axis[2]) <= 0.0) {
    s->count--;
    return;
  }
  /* light from above and the left of the eye */
  double light = 0.6 * still_dot(normal, s->axis[1]) + 0.5 * still_dot(normal, s->axis[2]) -
                 0.3 * still_dot(normal, s->axis[0]);
  f->shade = light > 0.65 ? 0 : light > 0.4 ? 1 : light > 0.15 ? 2 : STILL_SHADES - 1;
}

static void still_box(still *s, const still_pose *pose, int group, const double size[3])
{
  for (int axis = 0; axis < 3; axis++)
    for (int side = -1; side <= 1; side += 2) {
      double corner[4][3];
      for (int i = 0; i < 4; i++) {
        int u = (axis + 1) % 3, v = (axis + 2) % 3;
        int along = i == 1 || i == 2 ? 1 : -1, across = i > 1 ? 1 : -1;
        corner[i][axis] = side * size[axis] / 2;
        corner[i][u] = along * size[u] / 2;
        corner[i][v] = side * across * size[v] / 2;
      }
      still_face(s, pose, group, 4, (const double(*)[3])corner);
    }
}

static void still_cylinder(still *s, const still_pose *pose, int group, double radius,
                           double length)
{
  double cap[2][STILL_SIDES][3];
  for (int i = 0; i < s->sides; i++)
    for (int end = 0; end < 2; end++) {
      double angle = (end ? 1 : -1) * 2 * STILL_PI * i / s->sides;
      cap[end][i][0] = radius * cos(angle);
      cap[end][i][1] = radius * sin(angle);
      cap[end][i][2] = (end ? 0.5 : -0.5) * length;
    }
  for (int end = 0; end < 2; end++)
    still_face(s, pose, group, s->sides, (const double(*)[3])cap[end]);
  for (int i = 0; i < s->sides && length > 0.0; i++) {
    const double *a = cap[1][i], *b = cap[1][(i + 1) % s->sides];
    const double side[4][3] = {{a[0], a[1], -length / 2},
                               {b[0], b[1], -length / 2},
                               {b[0], b[1], length / 2},
                               {a[0], a[1], length / 2}};
    still_face(s, pose, group, 4, side);
  }
}

/* Adds the outline of an ellipsoid: c + L (cos a, sin a) with L L' = P P', P = view R diag(size).
 */
static void still_ellipsoid(still *s, const still_pose *pose, int group, const double size[3])
{
  double P[2][3], xx = 0.0, xy = 0.0, yy = 0.0;
  facet *f = still_add(s, STILL_FACE, group);
  if (!f)
    return;
  for (int k = 0; k < 3; k++) {
    const double column[3] = {pose->R[0][k], pose->R[1][k], pose->R[2][k]};
    for (int i = 0; i < 2; i++)
      P[i][k] = still_dot(s->axis[i], column) * size[k];
    xx += P[0][k] * P[0][k];
    xy += P[0][k] * P[1][k];
    yy += P[1][k] * P[1][k];
  }
  double a = sqrt(xx), b = a > 0.0 ? xy / a : 0.0, c = sqrt(fmax(0.0, yy - b * b));
  f->depth = still_dot(s->axis[2], pose->r);
  f->shade = 1;
  f->count = 2 * s->sides;
  for (int i = 0; i < f->count; i++) {
    double x = cos(2 * STILL_PI * i / f->count), y = sin(2 * STILL_PI * i / f->count);
    f->at[i][0] = still_dot(s->axis[0], pose->r) + a * x;
    f->at[i][1] = still_dot(s->axis[1], pose->r) + b * x + c * y;
  }
}

/* ---- shapes ---- */

static void still_spring(still *s, const double *p, const double *q, double width, int group)
{
  double along[3], across[3], previous[3], at[3];
  for (int k = 0; k < 3; k++)
    along[k] = q[k] - p[k];
  still_square(along, across);
  for (int i = 0; i <= 2 * STILL_COILS + 1; i++) {
    double part = (i - 0.5) / (2 * STILL_COILS);
    part = i == 0 ? 0.0 : i > 2 * STILL_COILS ? 1.0 : part;
    double side = i == 0 || i > 2 * STILL_COILS ? 0.0 : i % 2 ? 0.5 : -0.5;
    for (int k = 0; k < 3; k++) {
      at[k] = p[k] + part * along[k] + side * width * across[k];
      previous[k] = i == 0 ? at[k] : previous[k];
    }
    if (i > 0)
      still_segment(s, previous, at, group);
    for (int k = 0; k < 3; k++)
      previous[k] = at[k];
  }
}

static void still_circle(still *s, const double *centre, double radius, const double *axis,
                         int group)
{
  double n[3] = {axis[0], axis[1], axis[2]}, u[3], v[3], at[3], previous[3] = {0.0};
  if (!still_unit(n))
    return;
  still_square(n, u);
  still_cross(n, u, v);
  for (int i = 0; i <= 2 * s->sides; i++) {
    double x = cos(STILL_PI * i / s->sides), y = sin(STILL_PI * i / s->sides);
    for (int k = 0; k < 3; k++)
      at[k] = centre[k] + radius * (x * u[k] + y * v[k]);
    if (i > 0)
      still_segment(s, previous, at, group);
    for (int k = 0; k < 3; k++)
      previous[k] = at[k];
  }
}

/* Pose of a shape: that of its values, then place and turn. */
static still_pose still_pose_of(const dae_shape *shape, const double *value)
{
  still_pose body = {.r = {value[0], value[1], value[2]}}, pose;
  const double *turn = shape->turn;
  double T[3][3];
  still_rotation(value + 3, body.R);
  still_rotation(turn, T); /* all 0: the unit matrix */
  for (int i = 0; i < 3; i++) {
    pose.r[i] = body.r[i] + still_dot(body.R[i], shape->place);
    for (int k = 0; k < 3; k++) {
      const double column[3] = {T[0][k], T[1][k], T[2][k]};
      pose.R[i][k] = still_dot(body.R[i], column);
    }
  }
  return pose;
}

static void still_solid(still *s, const dae_shape *shape, const double *value)
{
  still_pose pose = still_pose_of(shape, value);
  const double *size = shape->size;
  double symbol = size[0] > 0.0 ? size[0] : STILL_SYMBOL * s->size;
  const double ball[3] = {symbol / 2, symbol / 2, symbol / 2};
  const double slider[3] = {symbol / 2, symbol / 2, symbol};
  switch (shape->kind) {
  case DAE_SHAPE_BOX:
    still_box(s, &pose, shape->group, size);
    break;
  case DAE_SHAPE_CYLINDER:
    still_cylinder(s, &pose, shape->group, size[0] > 0.0 ? size[0] : STILL_ROD * s->size, size[1]);
    break;
  case DAE_SHAPE_ELLIPSOID:
    still_ellipsoid(s, &pose, shape->group, size);
    break;
  case DAE_SHAPE_HINGE:
    still_cylinder(s, &pose, shape->group, symbol / 3, symbol);
    break;
  case DAE_SHAPE_SLIDER:
    still_box(s, &pose, shape->group, slider);
    break;
  default:
    still_ellipsoid(s, &pose, shape->group, ball);
  }
}

static void still_shape(still *s, const dae_shape *shape, const double *value)
{
  facet *f;
  switch (shape->kind) {
  case DAE_SHAPE_LINE:
    for (int p = 0; p + 1 < shape->points; p++)
      still_segment(s, value + 3 * p, value + 3 * p + 3, shape->group);
    break;
  case DAE_SHAPE_POINT:
    f = still_add(s, STILL_DOT, shape->group);
    if (f)
      still_point(s, f, value);
    break;
  case DAE_SHAPE_SPRING:
    still_spring(s, value, value + 3, shape->size[0] > 0.0 ? shape->size[0] : 0.04 * s->size,
                 shape->group);
    break;
  case DAE_SHAPE_CIRCLE:
    still_circle(s, value, fabs(value[3]), value + 4, shape->group);
    break;
  case DAE_SHAPE_SPHERE: {
    const still_pose pose = {{value[0], value[1], value[2]}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const double radius = fabs(value[3]), size[3] = {radius, radius, radius};
    still_ellipsoid(s, &pose, shape->group, size);
    break;
  }
  default:
    still_solid(s, shape, value);
  }
}

/* ---- the picture ---- */

static int still_by_depth(const void *a, const void *b)
{
  const facet *f = a, *g = b;
  return (f->depth > g->depth) - (f->depth < g->depth);
}

/* Writes the path or circle of a facet: lower left corner of the picture, and its scale. */
static void still_write_facet(const still *s, const facet *f, const double corner[2], double scale)
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

static void still_write(const still *s)
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

/* Largest number of facets of a shape; of a solid those that look towards the eye, and one more. */
static int still_facets_of(const still *s, const dae_shape *shape)
{
  switch (shape->kind) {
  case DAE_SHAPE_LINE:
    return shape->points - 1;
  case DAE_SHAPE_POINT:
  case DAE_SHAPE_SPHERE:
    return 1;
  case DAE_SHAPE_CIRCLE:
    return 2 * s->sides;
  case DAE_SHAPE_SPRING:
    return 2 * STILL_COILS + 1;
  default:
    return s->sides + 3;
  }
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
  still s = {.m = m, .sides = d->shapes > STILL_MANY ? STILL_SIDES / 2 : STILL_SIDES};
  int shapes = d->shapes < STILL_MAX_SHAPES ? d->shapes : STILL_MAX_SHAPES;
  for (int i = 0; i < shapes; i++)
    s.room += still_facets_of(&s, &d->shape[i]);
  s.facets = DAE__ALLOC(m->page->arena, facet, s.room);
  if (!s.facets) {
    dae__page_fail(m->page, DAE_ERROR_MEMORY, "%s: no memory for the motion", m->page->path);
    return;
  }
  s.size = still_size(m, values);
  still_look(&s);
  for (int i = 0; i < shapes; i++)
    still_shape(&s, &d->shape[i], values + d->shape[i].first);
  qsort(s.facets, (size_t)s.count, sizeof *s.facets, still_by_depth);
  still_write(&s);
}
