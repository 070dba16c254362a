/* Expansion of the picture: draw and camera. A point of the plane is a point of space at z = 0
 * where any shape of the model has three coordinates. */
#include "model/expand/value.h"
#include "model/space/space.h"
#include <math.h>
#include <string.h>

typedef DAE__LIST(dae__node) coordinates;

static void drawing_put(dae__expander *x, dae__node node)
{
  *DAE__PUSH(x->l->scratch, &x->picture.values) = node;
}

static void drawing_put_vector(dae__expander *x, dae__value v)
{
  for (int i = 0; i < v.size; i++)
    drawing_put(x, v.at[i]);
}

void dae__picture_raise(dae__expander *x)
{
  static const double z[3] = {0, 0, 1};
  dae__picture plane = x->picture, *space = &x->picture;
  if (plane.space)
    return;
  *space = (dae__picture){.space = true,
                          .bodies = plane.bodies,
                          .camera_place = plane.camera_place,
                          .camera = plane.camera};
  for (int i = 0; i < plane.shapes.count && dae__load_ok(x->l); i++) {
    dae_shape shape = plane.shapes.item[i];
    const dae__node *value = plane.values.item + shape.first;
    shape.first = space->values.count;
    for (int k = 0; k < shape.points; k++) {
      drawing_put(x, value[2 * k]);
      drawing_put(x, value[2 * k + 1]);
      drawing_put(x, DAE__ZERO);
    }
    if (shape.kind == DAE_SHAPE_CIRCLE) {
      drawing_put(x, value[2]);
      drawing_put_vector(x, dae__vector(x->graph, 3, z));
    }
    *DAE__PUSH(x->l->keep, &space->shapes) = shape;
  }
}

/* ---- shapes on bodies ---- */

int dae__picture_group(dae__expander *x, dae__body *b)
{
  if (b->group == 0 && b->s)
    b->group = ++x->space->groups;
  return b->group;
}

int dae__picture_pose(dae__expander *x, dae__picture *picture, dae__body *b)
{
  int first = picture->values.count;
  if (b->pose_value > 0)
    return b->pose_value - 1;
  dae__body_nodes(x, b);
  b->pose_value = first + 1;
  dae__pool *pool = x->l->scratch;
  for (int i = 0; i < 3; i++)
    *DAE__PUSH(pool, &picture->values) = b->pos.at[i];
  *DAE__PUSH(pool, &picture->values) = b->e0;
  for (int i = 0; i < 3; i++)
    *DAE__PUSH(pool, &picture->values) = b->turn_node.at[i];
  return first;
}

/* Finds the size of a shape, in its clauses constants as those of the body. */
static void drawing_find_size(const dae__context *c, const dae__statement *s, dae_shape *shape)
{
  dae__load *l = c->x->l;
  bool vector = s->shape == DAE_SHAPE_BOX || s->shape == DAE_SHAPE_ELLIPSOID;
  if (vector)
    dae__clause_numbers(c, s->a, 3, "the size of a shape", shape->size);
  else
    shape->size[0] = dae__clause_number(c, s->a, "the radius of a shape");
  if (s->b && !l->status)
    shape->size[1] = dae__clause_number(c, s->b, "the length of a shape");
  if (s->shape == DAE_SHAPE_SPHERE) {
    shape->kind = DAE_SHAPE_ELLIPSOID;
    shape->size[1] = shape->size[2] = shape->size[0];
  }
  int sizes = shape->kind == DAE_SHAPE_CYLINDER ? 2 : 3;
  for (int k = 0; k < sizes && !l->status; k++)
    if (!(shape->size[k] > 0.0))
      dae__load_fail(l, s->a->place, "the size of a shape is %.10g; it has to be positive",
                     shape->size[k]);
}

/* draw box V on B at P turned A about V: constants in the axes of the body. */
static void drawing_add_solid(const dae__context *c, const dae__statement *s)
{
  dae__expander *x = c->x;
  dae__body *b = dae__body_named(c, s->clause->a);
  dae_shape shape = {.kind = s->shape, .points = 1, .label = s->text, .turn = {1, 0, 0, 0}};
  if (b && b->plane)
    dae__load_fail(x->l, s->clause->a->place,
                   "%s is a plane body; draw lines and circles: draw line %s.pos %s.point(1, 0)",
                   b->name, b->name, b->name);
  if (x->l->status)
    return;
  drawing_find_size(c, s, &shape);
  for (const dae__clause *k = s->clause->next; k && !x->l->status; k = k->next) {
    double v[3], e[4], turn[4];
    if (!k->b) {
      dae__clause_numbers(c, k->a, 3, "the place of a shape", shape.place);
      continue;
    }
    double angle = dae__clause_number(c, k->a, "the angle of a shape");
    dae__clause_numbers(c, k->b, 3, "the axis of a turn", v);
    if (!x->l->status && !dae__normalise(v))
      dae__load_fail(x->l, k->b->place, "the axis has length 0");
    e[0] = cos(angle / 2);
    for (int i = 0; i < 3; i++)
      e[1 + i] = sin(angle / 2) * v[i];
    dae__turn_product(shape.turn, e, turn);
    memcpy(shape.turn, turn, sizeof turn);
  }
  if (shape.turn[0] == 1.0)
    shape.turn[0] = 0.0; /* not turned */
  if (x->l->status)
    return;
  dae__picture_raise(x);
  shape.group = dae__picture_group(x, b);
  shape.first = dae__picture_pose(x, &x->picture, b);
  *DAE__PUSH(x->l->keep, &x->picture.shapes) = shape;
}

/* ---- shapes by points ---- */

/* Evaluates the points of a shape; returns their coordinates, 2 or 3, or 0 after an error. */
static int drawing_find_points(const dae__context *c, const dae__statement *s, coordinates *out)
{
  dae__load *l = c->x->l;
  int axes = 0;
  for (const dae__expr *e = s->point; e && !l->status; e = e->next) {
    dae__value point = dae__evaluate_result(c, e);
    if (!l->status && point.size == 1)
      dae__load_fail(l, e->place, "a point needs two coordinates: (E, E), in space three");
    else if (!l->status && axes > 0 && point.size != axes)
      dae__load_fail(l, e->place, "expected a point of %d coordinates as the one before, found %d",
                     axes, point.size);
    axes = point.size;
    for (int i = 0; i < axes && !l->status; i++)
      *DAE__PUSH(l->scratch, out) = point.at[i];
  }
  return l->status ? 0 : axes;
}

static dae__node drawing_radius(const dae__context *c, const dae__expr *e)
{
  dae__value radius = dae__evaluate_result(c, e);
  if (!c->x->l->status && radius.size != 1)
    dae__load_fail(c->x->l, e->place, "a radius is a number, not a vector");
  return radius.at[0];
}

void dae__expand_shape(const dae__context *c, const dae__statement *s)
{
  static const double z[3] = {0, 0, 1};
  dae__expander *x = c->x;
  dae__picture *picture = &x->picture;
  coordinates points = {0};
  if (!dae__load_record(x->l, s->place))
    return;
  picture->bodies = picture->bodies || s->bodies;
  if (s->bodies)
    return;
  if (s->clause) {
    drawing_add_solid(c, s);
    return;
  }
  int axes = drawing_find_points(c, s, &points);
  if (axes == 2 && s->shape == DAE_SHAPE_SPHERE)
    dae__load_fail(x->l, s->point->place,
                   "the point of a sphere has three coordinates; in the plane: draw circle");
  if (axes == 2 && s->b)
    dae__load_fail(x->l, s->b->place,
                   "a circle has an axis in space only, where its point has "
                   "three coordinates");
  if (axes == 3)
    dae__picture_raise(x);
  dae__node radius = s->a && !x->l->status ? drawing_radius(c, s->a) : DAE__ZERO;
  dae__value axis = dae__vector(x->graph, 3, z);
  if (s->b && !x->l->status)
    axis = dae__evaluate_result(c, s->b);
  if (!x->l->status && axis.size != 3)
    dae__load_fail(x->l, s->b->place, "the axis of a circle is a vector of three components");
  if (x->l->status)
    return;
  dae_shape shape = {.kind = s->shape,
                     .points = points.count / axes,
                     .first = picture->values.count,
                     .label = s->text};
  for (int i = 0; i < points.count; i++) {
    drawing_put(x, points.item[i]);
    if (axes == 2 && picture->space && i % 2 == 1)
      drawing_put(x, DAE__ZERO);
  }
  if (s->a)
    drawing_put(x, radius);
  if (s->shape == DAE_SHAPE_CIRCLE && picture->space)
    drawing_put_vector(x, axis);
  *DAE__PUSH(x->l->keep, &picture->shapes) = shape;
}

/* ---- camera ---- */

void dae__expand_camera(const dae__context *c, const dae__statement *s)
{
  dae__expander *x = c->x;
  dae_camera camera = {.up = {0, 0, 1}};
  double *const value[] = {camera.from, camera.to, camera.up};
  double distance = 0.0, up = 0.0;
  int i = 0;
  if (x->picture.camera_place > 0)
    dae__load_fail(x->l, s->place, "there is a camera already; a model has one");
  for (const dae__expr *e = s->point; e && !x->l->status; e = e->next)
    dae__clause_numbers(c, e, 3, "a point of the camera", value[i++]);
  for (int k = 0; k < 3; k++) {
    distance += fabs(camera.to[k] - camera.from[k]);
    up += fabs(camera.up[k]);
  }
  if (!x->l->status && !(distance > 0.0))
    dae__load_fail(x->l, s->place, "the camera looks from a point to the same point");
  else if (!x->l->status && !(up > 0.0))
    dae__load_fail(x->l, s->place, "the direction up of the camera is 0");
  x->picture.camera = camera;
  x->picture.camera_place = s->place;
}
