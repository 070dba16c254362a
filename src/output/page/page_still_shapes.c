/* Shapes of a static picture as facets in parallel projection: faces that look towards the eye,
 * outlines of ellipsoids, segments of lines. */
#include "output/page/still.h"

#include <math.h>

/* Sizes: chosen, not measured. */
#define STILL_SYMBOL 0.018 /* size of the symbol of a joint, in sizes of the scene */
#define STILL_ROD 0.006    /* radius of a cylinder without one, in sizes of the scene */
#define STILL_COILS 8
#define STILL_PI 3.14159265358979323846

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

void dae__still_look(dae__still *s)
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

static dae__still_facet *still_add(dae__still *s, dae__still_style style, int group)
{
  if (s->count == s->room)
    return NULL;
  dae__still_facet *f = &s->facets[s->count++];
  *f = (dae__still_facet){.style = style, .group = group};
  return f;
}

static void still_point(const dae__still *s, dae__still_facet *f, const double p[3])
{
  f->at[f->count][0] = still_dot(s->axis[0], p);
  f->at[f->count][1] = still_dot(s->axis[1], p);
  f->depth = (f->depth * f->count + still_dot(s->axis[2], p)) / (f->count + 1);
  f->count++;
}

static void still_segment(dae__still *s, const double p[3], const double q[3], int group)
{
  dae__still_facet *f = still_add(s, STILL_LINE, group);
  if (!f)
    return;
  still_point(s, f, p);
  still_point(s, f, q);
}

/* Adds a face of a solid, its corners in the axes of the solid and counterclockwise from outside,
 * unless it looks away. */
static void still_face(dae__still *s, const still_pose *pose, int group, int count,
                       const double corner[][3])
{
  dae__still_facet *f = still_add(s, STILL_FACE, group);
  double p[3], normal[3] = {0.0}, previous[3] = {0.0};
  for (int i = 0; f && i <= count; i++) {
    const double *c = corner[i < count ? i : 0]; /* closed */
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

static void still_box(dae__still *s, const still_pose *pose, int group, const double size[3])
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

static void still_cylinder(dae__still *s, const still_pose *pose, int group, double radius,
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
static void still_ellipsoid(dae__still *s, const still_pose *pose, int group, const double size[3])
{
  double P[2][3], xx = 0.0, xy = 0.0, yy = 0.0;
  dae__still_facet *f = still_add(s, STILL_FACE, group);
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

static void still_spring(dae__still *s, const double *p, const double *q, double width, int group)
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

static void still_circle(dae__still *s, const double *centre, double radius, const double *axis,
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

static void still_solid(dae__still *s, const dae_shape *shape, const double *value)
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

void dae__still_shape(dae__still *s, const dae_shape *shape, const double *value)
{
  dae__still_facet *f;
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

/* ---- number of facets ---- */

int dae__still_facets_of(const dae__still *s, const dae_shape *shape)
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
