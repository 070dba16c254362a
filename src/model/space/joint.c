/* Joints: their geometry at the start, their angle, slide and rates.
 *
 * A point and an axis are where they are at the start, in space, and become fixed in both bodies;
 * at P = Q and axis U = V give the places in A and in B, which the start moves together. p, u, n, m
 * belong to A, n and m square to u; q, ub, nb to B; d = q - p. The angle of a joint in space is a
 * coordinate without mass, made at its first use, which counts turns:
 *
 *   0 = m.nb cos(angle) - n.nb sin(angle),   T = Jr (angle' - u.(W_B - W_A))^2 / 2
 *
 * T is zero, with its forces, wherever the constraint holds, and makes the mass matrix regular. */
#include "model/space/space.h"
#include <daedal/options.h>
#include <math.h>
#include <string.h>

/* What the kinds of joints have. */
static const struct {
  bool space, plane; /* they exist in space, in the plane */
  bool axis;         /* they need an axis in space */
  bool plane_axis;   /* in the plane */
  bool angle, slide;
} joint_traits[DAE__CONNECTORS] = {
    [DAE__CONNECTOR_SPHERICAL] = {.space = true},
    [DAE__CONNECTOR_REVOLUTE] = {.space = true, .plane = true, .axis = true, .angle = true},
    [DAE__CONNECTOR_UNIVERSAL] = {.space = true},
    [DAE__CONNECTOR_CYLINDRICAL] = {.space = true, .axis = true, .angle = true, .slide = true},
    [DAE__CONNECTOR_PRISMATIC] =
        {.space = true, .plane = true, .axis = true, .plane_axis = true, .slide = true},
    [DAE__CONNECTOR_PLANAR] = {.space = true, .axis = true, .angle = true},
    [DAE__CONNECTOR_WELD] = {.space = true, .plane = true},
    [DAE__CONNECTOR_PIN] = {.plane = true, .plane_axis = true, .angle = true, .slide = true},
    [DAE__CONNECTOR_ROLLING] = {.space = true, .plane = true},
    [DAE__CONNECTOR_BUSHING] = {.space = true, .plane = true},
};

bool dae__joint_has_angle(const dae__connector *k)
{
  return joint_traits[k->kind].angle;
}

bool dae__joint_has_slide(const dae__connector *k)
{
  return joint_traits[k->kind].slide;
}

dae__context dae__connector_context(dae__expander *x, const dae__connector *k)
{
  return (dae__context){.x = x, .instance = k->instance, .frame = k->frame, .what = "a clause"};
}

/* ---- bodies ---- */

static const char *joint_body_name(const void *list, int i)
{
  const dae__symbol *s = &((const dae__expander *)list)->symbols.item[i];
  return s->kind == DAE__STATEMENT_BODY ? s->d->name : "";
}

dae__body *dae__body_named(const dae__context *c, const dae__expr *e)
{
  dae__expander *x = c->x;
  dae__found found = {.kind = DAE__FOUND_NOTHING};
  if (e->kind == DAE__EXPR_NAME && !e->rate && !dae__word_is_value(e)) {
    if (!e->member && !dae__find_any(c, e, &found)) {
      const char *near = dae_suggest(e->name, x->symbols.count, joint_body_name, x);
      dae__load_fail(x->l, e->place,
                     near ? "unknown body %s; did you mean %s?"
                          : "unknown body %s; declare it with body %s ..., or write ground",
                     e->name, near ? near : e->name);
    }
    if (x->l->status || !dae__find(c, e, &found))
      return NULL;
    if (found.kind == DAE__FOUND_BODY && !found.rest) {
      int home = x->instances.item[c->instance].home;
      if (found.body->s && x->instances.item[found.body->instance].home != home)
        dae__load_fail(x->l, e->place,
                       "body %s is in another system; across systems write joint NAME: A = B",
                       found.body->name);
      return x->l->status ? NULL : found.body;
    }
  }
  dae__load_fail(x->l, e->place, "expected the name of a body, or ground");
  return NULL;
}

void dae__connector_bodies(const dae__context *c, dae__connector *k)
{
  dae__expander *x = c->x;
  k->a = dae__body_named(c, k->s->a);
  k->b = x->l->status ? NULL : dae__body_named(c, k->s->b);
  if (x->l->status)
    return;
  dae__body *a = k->a, *b = k->b;
  if (!a->s && !b->s)
    dae__load_fail(x->l, k->s->a->place, "%s connects the ground with itself", k->name);
  else if (a == b)
    dae__load_fail(x->l, k->s->b->place, "%s connects %s with itself", k->name, a->name);
  else if (a->s && b->s && a->plane != b->plane)
    dae__load_fail(x->l, k->s->place, "%s %s: %s is a plane body, %s one in space", k->s->word,
                   k->name, a->plane ? a->name : b->name, a->plane ? b->name : a->name);
  k->plane = a->s ? a->plane : b->plane;
  if (!a->s)
    k->a = &x->space->ground[k->plane];
  if (!b->s)
    k->b = &x->space->ground[k->plane];
  if (!x->l->status && !(k->plane ? joint_traits[k->kind].plane : joint_traits[k->kind].space))
    dae__load_fail(x->l, k->s->place,
                   k->plane ? "a %s joint needs bodies in space; %s connects plane bodies"
                            : "a %s joint needs bodies of the plane; %s connects bodies in space",
                   k->s->word, k->name);
}

/* ---- geometry ---- */

/* Remembers a point of a body for pictures. */
static void joint_add_place(dae__expander *x, dae__body *b, dae__connector *k, const double *at)
{
  dae__place *place = b->s ? DAE__NEW(x->l->keep, dae__place) : NULL;
  if (!place)
    return;
  memcpy(place->at, at, sizeof place->at);
  place->connector = k;
  place->next = b->places;
  b->places = place;
}

void dae__connector_place(dae__expander *x, dae__connector *k, const double *pa, const double *pb)
{
  double a[3], b[3];
  int size = k->plane ? 2 : 3;
  dae__body_local_point_at_start(x, k->a, pa, a);
  dae__body_local_point_at_start(x, k->b, pb, b);
  if (x->l->status)
    return;
  memcpy(k->from, a, sizeof a);
  memcpy(k->place, b, sizeof b);
  joint_add_place(x, k->a, k, a);
  joint_add_place(x, k->b, k, b);
  k->p = dae__body_point(x, k->a, dae__vector(x->graph, size, a));
  k->q = dae__body_point(x, k->b, dae__vector(x->graph, size, b));
  k->d = dae__vector_sub(x->graph, k->q, k->p);
}

/* Points of the joint: at P = Q, at P, or the origin of B. */
static void joint_find_points(dae__expander *x, const dae__context *c, dae__connector *k)
{
  const dae__clause *at = dae__clause_of(k->s, "at");
  double p[3] = {0}, q[3];
  int size = k->plane ? 2 : 3;
  if (at)
    dae__clause_numbers(c, at->a, size, "the place of a joint", p);
  else if (k->b->s) {
    dae__body_find_pose(x, k->b);
    memcpy(p, k->b->position, sizeof p);
  }
  memcpy(q, p, sizeof q);
  if (at && at->b && !x->l->status)
    dae__clause_numbers(c, at->b, size, "the place of a joint", q);
  if (!x->l->status)
    dae__connector_place(x, k, p, q);
}

static dae__value joint_fixed(dae__expander *x, dae__body *b, const double *v)
{
  double local[3];
  dae__body_local_at_start(x, b, v, local);
  return dae__body_dir(x, b, dae__vector(x->graph, b->plane ? 2 : 3, local));
}

/* The same for one of the axes of a joint in space, which is kept. */
static dae__value joint_axis(dae__expander *x, dae__connector *k, int axis, const double *v)
{
  dae__body *b = axis < DAE__AXIS_UB ? k->a : k->b;
  dae__body_local_at_start(x, b, v, k->axes[axis]);
  return dae__body_dir(x, b, dae__vector(x->graph, 3, k->axes[axis]));
}

/* Unit vector of an axis of a joint. */
static void joint_direction(const dae__context *c, const dae__connector *k, const dae__expr *e,
                            double *u)
{
  dae__clause_numbers(c, e, k->plane ? 2 : 3, "an axis", u);
  if (!c->x->l->status && !dae__normalise(u))
    dae__load_fail(c->x->l, e->place, "the axis has length 0");
}

/* Axes in space: u, n, m in A; ub, nb in B, nb at angle A0 from n. */
static void joint_find_axes(dae__expander *x, const dae__context *c, dae__connector *k)
{
  const dae__clause *axis = dae__clause_of(k->s, "axis");
  double u[3] = {0, 0, 1}, v[3], n[3], m[3], turn[4], nb[3], mb[3];
  if (axis)
    joint_direction(c, k, axis->a, u);
  memcpy(v, u, sizeof v);
  if (axis && axis->b && !x->l->status)
    joint_direction(c, k, axis->b, v);
  if (x->l->status)
    return;
  dae__square_to(u, n);
  for (int i = 0; i < 3; i++)
    m[i] = u[(i + 1) % 3] * n[(i + 2) % 3] - u[(i + 2) % 3] * n[(i + 1) % 3];
  dae__turn_shortest(u, v, turn);
  dae__turn_apply(turn, n, nb);
  dae__turn_apply(turn, m, mb);
  for (int i = 0; i < 3; i++)
    nb[i] = nb[i] * cos(k->angle0) + mb[i] * sin(k->angle0);
  k->u = joint_axis(x, k, DAE__AXIS_U, u);
  k->n = joint_axis(x, k, DAE__AXIS_N, n);
  k->m = joint_axis(x, k, DAE__AXIS_M, m);
  k->ub = joint_axis(x, k, DAE__AXIS_UB, v);
  k->nb = joint_axis(x, k, DAE__AXIS_NB, nb);
}

/* Axes of a universal joint: u fixed in A, wb in B, square to each other at the start. */
static void joint_find_cross(dae__expander *x, const dae__context *c, dae__connector *k)
{
  const dae__clause *axes = dae__clause_of(k->s, "axes");
  double u[3] = {0}, w[3] = {0}, dot = 0;
  if (!axes)
    dae__load_fail(x->l, k->s->place, "universal %s needs its two axes: axes U, W", k->name);
  if (x->l->status)
    return;
  joint_direction(c, k, axes->a, u);
  joint_direction(c, k, axes->b, w);
  for (int i = 0; i < 3; i++)
    dot += u[i] * w[i];
  if (!x->l->status && fabs(dot) > 1e-6)
    dae__load_fail(x->l, axes->place, "axes of universal %s are not square: %.4g rad", k->name,
                   acos(dot));
  if (x->l->status)
    return;
  k->u = joint_axis(x, k, DAE__AXIS_U, u);
  k->wb = joint_axis(x, k, DAE__AXIS_UB, w);
}

/* Axis of the plane: u, and n square to it, in A; the angle from A to B at which both sides of the
 * axis agree. */
static void joint_find_plane_axes(dae__expander *x, const dae__context *c, dae__connector *k)
{
  const dae__clause *axis = dae__clause_of(k->s, "axis");
  double u[3] = {0}, v[3] = {0}, n[3] = {0};
  if (!axis)
    return;
  joint_direction(c, k, axis->a, u);
  if (axis->b)
    joint_direction(c, k, axis->b, v);
  if (x->l->status)
    return;
  n[0] = -u[1];
  n[1] = u[0];
  k->u = joint_fixed(x, k->a, u);
  k->n = joint_fixed(x, k->a, n);
  if (axis->b)
    k->turn0 += atan2(u[1], u[0]) - atan2(v[1], v[0]);
}

static void joint_check_clauses(dae__expander *x, const dae__connector *k)
{
  const dae__clause *axis = dae__clause_of(k->s, "axis"), *axes = dae__clause_of(k->s, "axes");
  const dae__clause *driven = dae__clause_of(k->s, "driven"),
                    *angle = dae__clause_of(k->s, "angle");
  bool needs = k->plane ? joint_traits[k->kind].plane_axis : joint_traits[k->kind].axis;
  bool takes = needs || k->kind == DAE__CONNECTOR_WELD;
  bool one = joint_traits[k->kind].angle != joint_traits[k->kind].slide;
  if (needs && !axis)
    dae__load_fail(x->l, k->s->place, "%s %s needs an axis: axis (%s)", k->s->word, k->name,
                   k->plane ? "1, 0" : "0, 0, 1");
  else if (axis && !takes)
    dae__load_fail(x->l, axis->place, "a %s joint%s has no axis%s", k->s->word,
                   k->plane ? " of the plane" : "",
                   k->kind == DAE__CONNECTOR_UNIVERSAL ? "; it has two: axes U, W" : "");
  else if (axes && k->kind != DAE__CONNECTOR_UNIVERSAL)
    dae__load_fail(x->l, axes->place, "a %s joint has no two axes", k->s->word);
  else if (driven && k->kind == DAE__CONNECTOR_PLANAR)
    dae__load_fail(x->l, driven->place,
                   "a planar joint cannot be driven: it has three free motions; "
                   "write constraints for those that are given");
  else if (driven && !one)
    dae__load_fail(x->l, driven->place,
                   joint_traits[k->kind].angle
                       ? "a %s joint has an angle and a slide: write constraint %s.slide = .. or "
                         "constraint %s.angle = .. for the one that is driven"
                       : "a %s joint cannot be driven: %s has no angle or slide",
                   k->s->word, k->name, k->name);
  else if (angle && !joint_traits[k->kind].angle)
    dae__load_fail(x->l, angle->place, "a %s joint has no angle", k->s->word);
}

void dae__joint_resolve(dae__expander *x, dae__connector *k)
{
  dae__context c = dae__connector_context(x, k);
  const dae__clause *angle = dae__clause_of(k->s, "angle");
  dae__connector_bodies(&c, k);
  if (!x->l->status)
    joint_check_clauses(x, k);
  if (!x->l->status && angle)
    k->angle0 = dae__clause_number(&c, angle->a, "the angle of a joint");
  if (!x->l->status)
    joint_find_points(x, &c, k);
  if (x->l->status)
    return;
  dae__body_nodes(x, k->a);
  dae__body_nodes(x, k->b);
  if (k->plane) {
    k->turn0 = k->b->turn[0] - k->a->turn[0];
    joint_find_plane_axes(x, &c, k);
  } else if (k->kind == DAE__CONNECTOR_UNIVERSAL) {
    joint_find_cross(x, &c, k);
  } else if (k->kind != DAE__CONNECTOR_SPHERICAL) {
    joint_find_axes(x, &c, k);
  }
  k->driven = dae__clause_of(k->s, "driven");
}

/* ---- angle and slide ---- */

dae__node dae__joint_rate(dae__expander *x, dae__connector *k)
{
  return k->relative ? x->leaf_rate.item[k->angle_leaf] : dae__joint_rate_of_bodies(x, k);
}

dae__node dae__joint_rate_of_bodies(dae__expander *x, dae__connector *k)
{
  dae__graph *g = x->graph;
  dae__value w = dae__vector_sub(g, k->b->omega_node, k->a->omega_node);
  return k->plane ? w.node : dae__vector_dot(g, k->u, w);
}

dae__node dae__joint_slide(dae__expander *x, dae__connector *k)
{
  if (k->relative)
    return dae__leaf(x->graph, dae__relative_coordinate(k, "slide"));
  return dae__vector_dot(x->graph, k->u, k->d);
}

/* Adds the coordinate of the angle, with its constraint and kinetic energy. */
static void joint_make_angle(dae__expander *x, dae__connector *k)
{
  dae__graph *g = x->graph;
  dae__context c = dae__connector_context(x, k);
  const char *text = dae__pool_print(x->l->keep, "%s.angle", k->label ? k->label : k->name);
  dae__body *b = k->b->s ? k->b : k->a;
  dae__body_find_mass(x, b);
  const dae__symbol like = {.connector = k};
  k->angle_leaf = dae__add_coordinates(x, k->instance, text, k->s, 1, &like);
  if (!dae__load_ok(x->l))
    return;
  dae__node angle = dae__leaf(g, k->angle_leaf);
  dae__node turned =
      DAE__SUB(g, DAE__MUL(g, dae__vector_dot(g, k->m, k->nb), dae__unary(g, DAE__OP_COS, angle)),
               DAE__MUL(g, dae__vector_dot(g, k->n, k->nb), dae__unary(g, DAE__OP_SIN, angle)));
  /* any positive factor: the term is zero */
  double moment = b->moment > 0 ? b->moment : b->mass > 0 ? b->mass : 1;
  dae__node lag = DAE__SUB(g, x->leaf_rate.item[k->angle_leaf], dae__joint_rate(x, k));
  dae__connector_row(x, k, "turned", turned, false);
  dae__add_energy(&c, true, DAE__MUL(g, dae__constant(g, moment / 2), dae__powi(g, lag, 2)),
                  k->s->place);
}

dae__node dae__joint_angle(dae__expander *x, dae__connector *k)
{
  dae__graph *g = x->graph;
  if (k->plane)
    return DAE__ADD(g, DAE__SUB(g, k->b->angle, k->a->angle),
                    dae__constant(g, k->angle0 - k->turn0));
  if (!k->angle_leaf)
    joint_make_angle(x, k);
  return x->l->status ? DAE__ZERO : dae__leaf(g, k->angle_leaf);
}

dae__node dae__joint_start_angle(dae__expander *x, dae__connector *k)
{
  dae__context c = dae__connector_context(x, k);
  const dae__clause *driven = dae__clause_of(k->s, "driven");
  return driven ? dae__evaluate(&c, driven->a)
                : dae__constant(x->graph, k->is_far ? k->angle_far : k->angle0);
}

dae__node dae__connector_start(dae__expander *x, dae__connector *k, int leaf, bool rate)
{
  if (k->relative)
    return dae__relative_start(x, k, leaf, rate);
  return rate ? dae__joint_rate(x, k) : dae__joint_start_angle(x, k);
}
