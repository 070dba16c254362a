/* The automatic picture of bodies: their shapes, or lines from a body's origin to its joints,
 * joints by their symbols, springs as zigzags, rods and dampers as lines. In the plane a box is its
 * outline, and a round body a circle with a radius. */
#include "model/picture/picture.h"

#include "model/space/space.h"
#include <math.h>
#include <string.h>

#define DISK_THICKNESS 0.08 /* thickness of a disk, in radii; chosen */
#define ROD_RADIUS 0.015    /* radius of a rod, in lengths; chosen */

typedef struct bodies {
  dae__expander *x;
  dae__picture *out;
} bodies;

/* ---- walking over bodies ---- */

typedef void handle_body(bodies *all, dae__body *b);

/* Calls a function for every body of the model; returns the number of bodies that are wanted. */
static int bodies_walk(bodies *all, bool space, bool plane, handle_body *handle)
{
  dae__expander *x = all->x;
  int count = 0;
  for (int i = 0; i < x->systems && dae__load_ok(x->l); i++) {
    const dae__instance *own = &x->instances.item[i];
    for (int k = 0; k < own->variables.count; k++) {
      struct dae__variable of = own->variables.item[k];
      const dae__elements *e = dae__elements_slot(x, of.symbol, of.instance);
      for (int j = 0; e && e->body && j < e->count && dae__load_ok(x->l); j++) {
        dae__body *b = &e->body[j];
        if (!(b->plane ? plane : space))
          continue;
        count++;
        if (handle)
          handle(all, b);
      }
    }
  }
  return count;
}

bool dae__picture_in_space(dae__expander *x)
{
  bodies all = {.x = x};
  return bodies_walk(&all, true, false, NULL) > 0;
}

/* ---- shapes ---- */

static dae_shape *bodies_add(bodies *all, dae_shape shape)
{
  dae_shape *at = DAE__PUSH(all->x->l->keep, &all->out->shapes);
  *at = shape;
  return at;
}

/* Appends a point of the plane or of space to the values. */
static void bodies_put(bodies *all, dae__value point)
{
  int axes = all->out->space ? 3 : 2;
  for (int k = 0; k < axes; k++)
    *DAE__PUSH(all->x->l->scratch, &all->out->values) = k < point.size ? point.at[k] : DAE__ZERO;
}

static void bodies_add_line(bodies *all, dae_shape_kind kind, dae__value p, dae__value q, int group)
{
  bodies_add(
      all, (dae_shape){.kind = kind, .points = 2, .first = all->out->values.count, .group = group});
  bodies_put(all, p);
  bodies_put(all, q);
}

/* Euler parameters that turn z into a unit vector. */
static void bodies_turn_z(const double *u, double *turn)
{
  const double z[3] = {0, 0, 1};
  dae__turn_shortest(z, u, turn);
}

/* A thin rod between two points of a body in space. */
static void bodies_add_rod(bodies *all, dae__body *b, const double *p, const double *q)
{
  dae_shape shape = {.kind = DAE_SHAPE_CYLINDER,
                     .points = 1,
                     .group = dae__picture_group(all->x, b),
                     .first = dae__picture_pose(all->x, all->out, b)};
  double along[3], length = 0.0;
  for (int k = 0; k < 3; k++) {
    along[k] = q[k] - p[k];
    length += along[k] * along[k];
    shape.place[k] = (p[k] + q[k]) / 2;
  }
  shape.size[1] = sqrt(length);
  if (!dae__normalise(along))
    return;
  bodies_turn_z(along, shape.turn);
  bodies_add(all, shape);
}

/* ---- bodies in space ---- */

static void bodies_draw_space(bodies *all, dae__body *b)
{
  dae_shape shape = {.points = 1,
                     .label = b->name,
                     .group = dae__picture_group(all->x, b),
                     .first = dae__picture_pose(all->x, all->out, b)};
  const double *s = b->size, origin[3] = {0}, x[3] = {1, 0, 0};
  memcpy(shape.size, s, sizeof shape.size);
  switch (b->form) {
  case DAE__FORM_BOX:
    shape.kind = DAE_SHAPE_BOX;
    break;
  case DAE__FORM_CYLINDER:
    shape.kind = DAE_SHAPE_CYLINDER;
    break;
  case DAE__FORM_DISK:
    shape.kind = DAE_SHAPE_CYLINDER;
    shape.size[1] = DISK_THICKNESS * s[0];
    break;
  case DAE__FORM_ROD:
    shape.kind = DAE_SHAPE_CYLINDER;
    shape.size[0] = ROD_RADIUS * s[0];
    shape.size[1] = s[0];
    bodies_turn_z(x, shape.turn);
    break;
  case DAE__FORM_SPHERE:
    shape.kind = DAE_SHAPE_ELLIPSOID;
    shape.size[1] = shape.size[2] = s[0];
    break;
  default: /* no shape: the centre of mass, and lines from the origin to the joints */
    shape.kind = DAE_SHAPE_BALL;
    memset(shape.size, 0, sizeof shape.size);
    memcpy(shape.place, b->centre, sizeof shape.place);
    for (const dae__place *p = b->places; p; p = p->next)
      bodies_add_rod(all, b, origin, p->at);
    bodies_add_rod(all, b, origin, b->centre);
  }
  bodies_add(all, shape);
}

/* ---- bodies in the plane ---- */

static dae__value bodies_point(bodies *all, dae__body *b, double u, double v)
{
  const double at[3] = {u, v};
  return dae__body_point(all->x, b, dae__vector(all->x->graph, 2, at));
}

static void bodies_draw_plane(bodies *all, dae__body *b)
{
  static const double corner[5][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
  int group = dae__picture_group(all->x, b), first = all->out->values.count;
  const double *s = b->size;
  dae__value centre = bodies_point(all, b, 0, 0);
  switch (b->form) {
  case DAE__FORM_BOX:
    bodies_add(all, (dae_shape){.points = 5, .first = first, .group = group, .label = b->name});
    for (int i = 0; i < 5; i++)
      bodies_put(all, bodies_point(all, b, corner[i][0] * s[0] / 2, corner[i][1] * s[1] / 2));
    break;
  case DAE__FORM_CYLINDER:
  case DAE__FORM_DISK:
  case DAE__FORM_SPHERE:
    bodies_add(all, (dae_shape){.kind = DAE_SHAPE_CIRCLE,
                                .points = 1,
                                .first = first,
                                .group = group,
                                .label = b->name});
    bodies_put(all, centre);
    *DAE__PUSH(all->x->l->scratch, &all->out->values) = dae__constant(all->x->graph, s[0]);
    if (all->out->space) {
      const double z[3] = {0, 0, 1};
      bodies_put(all, dae__vector(all->x->graph, 3, z));
    }
    bodies_add_line(all, DAE_SHAPE_LINE, centre, bodies_point(all, b, s[0], 0), group);
    break;
  case DAE__FORM_ROD:
    bodies_add_line(all, DAE_SHAPE_LINE, bodies_point(all, b, -s[0] / 2, 0),
                    bodies_point(all, b, s[0] / 2, 0), group);
    break;
  default: { /* two joints: a line between them, else lines from the centre of mass */
    const dae__place *p = b->places;
    dae__value from = bodies_point(all, b, b->centre[0], b->centre[1]);
    if (p && p->next && !p->next->next) {
      from = bodies_point(all, b, p->at[0], p->at[1]);
      p = p->next;
    }
    for (; p; p = p->next)
      bodies_add_line(all, DAE_SHAPE_LINE, from, bodies_point(all, b, p->at[0], p->at[1]), group);
    bodies_add(all, (dae_shape){.kind = DAE_SHAPE_POINT,
                                .points = 1,
                                .first = all->out->values.count,
                                .label = b->name});
    bodies_put(all, bodies_point(all, b, b->centre[0], b->centre[1]));
  }
  }
}

/* ---- connectors ---- */

/* Symbol of a kind of joint; DAE_SHAPE_LINE: it has none. */
static dae_shape_kind bodies_symbol(dae__connector_kind kind)
{
  switch (kind) {
  case DAE__CONNECTOR_SPHERICAL:
  case DAE__CONNECTOR_UNIVERSAL:
  case DAE__CONNECTOR_BUSHING:
    return DAE_SHAPE_BALL;
  case DAE__CONNECTOR_REVOLUTE:
  case DAE__CONNECTOR_CYLINDRICAL:
    return DAE_SHAPE_HINGE;
  case DAE__CONNECTOR_PRISMATIC:
    return DAE_SHAPE_SLIDER;
  default:
    return DAE_SHAPE_LINE;
  }
}

/* Symbol of a joint in space, which belongs to the body B, or A where B is the ground. */
static void bodies_draw_joint(bodies *all, dae__connector *k)
{
  dae__expander *x = all->x;
  dae_shape_kind kind = bodies_symbol(k->kind);
  dae__body *b = k->b->s ? k->b : k->a;
  dae__value axis = b == k->b ? k->ub : k->u;
  const dae__place *p = b->places;
  while (p && p->connector != k)
    p = p->next;
  if (kind == DAE_SHAPE_LINE || !p)
    return;
  dae_shape shape = {.kind = kind, .points = 1, .first = dae__picture_pose(x, all->out, b)};
  memcpy(shape.place, p->at, sizeof shape.place);
  if (kind != DAE_SHAPE_BALL) {
    double u[3], local[3];
    for (int i = 0; i < 3; i++)
      u[i] = dae__start_value(x, axis.at[i], k->s->place);
    dae__body_local_at_start(x, b, u, local);
    if (dae__normalise(local))
      bodies_turn_z(local, shape.turn);
  }
  bodies_add(all, shape);
}

/* A body without shape that rolls: a disk, a ball or an ellipsoid. */
static void bodies_draw_rolling(bodies *all, const dae__connector *k)
{
  dae__expander *x = all->x;
  const dae__clause *radius = dae__clause_of(k->s, "radius"), *axis = dae__clause_of(k->s, "axis"),
                    *ellipsoid = dae__clause_of(k->s, "ellipsoid");
  dae__context c = dae__connector_context(x, k);
  if (k->b->form != DAE__FORM_NONE || !k->b->s)
    return;
  dae_shape shape = {.kind = DAE_SHAPE_ELLIPSOID,
                     .points = 1,
                     .group = dae__picture_group(x, k->b),
                     .first = dae__picture_pose(x, all->out, k->b)};
  if (ellipsoid) {
    dae__clause_numbers(&c, ellipsoid->a, 3, "ellipsoid", shape.size);
  } else if (radius) {
    shape.size[0] = dae__clause_number(&c, radius->a, "the radius");
    shape.size[1] = shape.size[2] = shape.size[0];
  }
  if (axis && radius) {
    double u[3], local[3];
    dae__clause_numbers(&c, axis->a, 3, "the axis", u);
    dae__body_local_at_start(x, k->b, u, local);
    shape.kind = DAE_SHAPE_CYLINDER;
    shape.size[1] = DISK_THICKNESS * shape.size[0];
    shape.size[2] = 0.0;
    if (dae__normalise(local))
      bodies_turn_z(local, shape.turn);
  }
  bodies_add(all, shape);
}

static void bodies_draw_connector(bodies *all, dae__connector *k)
{
  bool points = k->p.size == k->q.size && k->p.size > 1;
  if (k->expanded && k->kind == DAE__CONNECTOR_ROLLING && !k->plane)
    bodies_draw_rolling(all, k);
  if (!k->expanded || !points)
    return;
  if (k->kind >= DAE__CONNECTOR_ROD)
    bodies_add_line(all, k->kind == DAE__CONNECTOR_SPRING ? DAE_SHAPE_SPRING : DAE_SHAPE_LINE, k->p,
                    k->q, 0);
  else if (!k->plane)
    bodies_draw_joint(all, k);
  else if (k->kind != DAE__CONNECTOR_ROLLING) {
    bodies_add(all,
               (dae_shape){.kind = DAE_SHAPE_POINT, .points = 1, .first = all->out->values.count});
    bodies_put(all, k->q);
  }
}

bool dae__picture_bodies(dae__expander *x, dae__picture *out)
{
  bodies all = {.x = x, .out = out};
  if (bodies_walk(&all, true, false, NULL) > 0)
    out->space = true;
  int count = bodies_walk(&all, true, false, bodies_draw_space);
  count += bodies_walk(&all, false, true, bodies_draw_plane);
  for (int i = 0; i < x->space->connectors.count && dae__load_ok(x->l); i++)
    bodies_draw_connector(&all, x->space->connectors.item[i]);
  return count > 0;
}
