/* What expressions read of bodies and connectors: B.pos, B.point(a, b, c), J.angle, J.force. */
#include "model/space/space.h"
#include <daedal/options.h>
#include <string.h>

/* ---- bodies ---- */

/* Names of a body, X(name, size in space, size in the plane); size 0: not there, -1: a coordinate.
 */
#define BODY_NAMES(X)                                                                              \
  X(x, -1, -1)                                                                                     \
  X(y, -1, -1)                                                                                     \
  X(z, -1, 0)                                                                                      \
  X(angle, 0, -1)                                                                                  \
  X(e0, -1, 0)                                                                                     \
  X(e1, -1, 0)                                                                                     \
  X(e2, -1, 0)                                                                                     \
  X(e3, -1, 0)                                                                                     \
  X(pos, 3, 2)                                                                                     \
  X(com, 3, 2)                                                                                     \
  X(mass, 1, 1)                                                                                    \
  X(omega, 3, 1)                                                                                   \
  X(ex, 3, 2)                                                                                      \
  X(ey, 3, 2)                                                                                      \
  X(ez, 3, 0)                                                                                      \
  X(point, 3, 2)                                                                                   \
  X(dir, 3, 2)                                                                                     \
  X(local, 3, 2)

enum {
#define NAME(name, space, plane) READ_##name,
  BODY_NAMES(NAME) READ_BODY
#undef NAME
};

static const struct {
  const char *name;
  int size[2]; /* in space, in the plane */
} read_body[READ_BODY] = {
#define NAME(name, space, plane) {#name, {space, plane}},
    BODY_NAMES(NAME)
#undef NAME
};

static const char *read_body_name(const void *list, int i)
{
  const bool *plane = list;
  return read_body[i].size[*plane] ? read_body[i].name : "";
}

/* Number of a name of a body; -1, with the error recorded: none. */
static int read_find_body(dae__expander *x, const dae__found *found, bool plane, bool quiet)
{
  const dae__expr *at = found->rest;
  const char *name = found->last->name;
  if (!at) {
    if (!quiet)
      dae__load_fail(x->l, found->last->place, "%s is a body; its place is %s.pos", name, name);
    return -1;
  }
  for (int i = 0; i < READ_BODY; i++)
    if (!strcmp(at->name, read_body[i].name) && read_body[i].size[plane])
      return i;
  const char *near = quiet ? NULL : dae_suggest(at->name, READ_BODY, read_body_name, &plane);
  if (quiet)
    return -1;
  if (plane && (at->name[0] == 'e' || !strcmp(at->name, "z")))
    dae__load_fail(x->l, at->place, "%s is a body of the plane and has no %s", name, at->name);
  else if (!plane && !strcmp(at->name, "angle"))
    dae__load_fail(x->l, at->place,
                   "%s turns in space and has no single angle; a joint has one: J.angle", name);
  else if (near)
    dae__load_fail(x->l, at->place, "body %s has no %s; did you mean %s?", name, at->name, near);
  else
    dae__load_fail(x->l, at->place,
                   "body %s has no %s; it has pos, com, omega, point(..), dir(..), ...", name,
                   at->name);
  return -1;
}

/* Vector of the arguments of point, dir, local: a vector, or its components. */
static dae__value read_argument(const dae__context *c, const dae__expr *at, int size)
{
  dae__expander *x = c->x;
  dae__value v = {.size = at->count};
  const dae__expr *a = at->argument;
  if (!at->call || at->count == 0) {
    dae__load_fail(x->l, at->place, "%s needs a vector: %s(%s)", at->name, at->name,
                   size == 2 ? "a, b" : "a, b, c");
  } else if (at->count == 1) {
    v = dae__evaluate_value(c, a);
  } else if (at->count <= 3) {
    for (int i = 0; i < at->count; i++, a = a->next)
      v.at[i] = dae__evaluate(c, a);
  }
  if (!x->l->status && size && v.size != size)
    dae__load_fail(x->l, at->place, "%s needs %s, found %d component%s", at->name,
                   dae__size_text(size), v.size, v.size == 1 ? "" : "s");
  return x->l->status ? (dae__value){.size = size ? size : 3} : v;
}

static int read_coordinate(const dae__body *b, int name)
{
  if (b->plane)
    return name == READ_angle ? 2 : name;
  return name < READ_angle ? name : name - READ_e0 + 3;
}

static dae__value read_body_value(const dae__context *c, const dae__found *found)
{
  dae__expander *x = c->x;
  dae__graph *g = x->graph;
  dae__body *b = found->body;
  const dae__expr *at = found->rest;
  if (!b->s && at && at->call && dae__size_of(c, at->argument) * at->count == 2)
    b = &x->space->ground[1];
  int name = read_find_body(x, found, b->plane, false), size = b->plane ? 2 : 3;
  if (name < 0)
    return DAE__NO_VALUE;
  bool called = name >= READ_point;
  if (!called && (at->call || at->count > 0))
    dae__load_fail(x->l, at->place, "%s of a body is no function and has no index", at->name);
  dae__body_nodes(x, b);
  if (name == READ_mass) {
    if (b->s)
      dae__body_find_mass(x, b);
    return dae__as_number(dae__constant(g, b->mass));
  }
  if (c->constant && b->s)
    dae__load_fail(x->l, at->place, "%s is a constant and cannot depend on the variable %s.%s",
                   c->what, found->last->name, at->name);
  dae__value v = called ? read_argument(c, at, size) : DAE__NO_VALUE;
  if (x->l->status)
    return DAE__NO_VALUE;
  if (read_body[name].size[b->plane] < 0) {
    if (b->s)
      return dae__as_number(dae__leaf(g, b->leaf + read_coordinate(b, name)));
    return dae__as_number(dae__constant(g, name == READ_e0));
  }
  if (name == READ_com && b->s)
    dae__body_find_pose(x, b);
  switch (name) {
  case READ_pos:
    return b->pos;
  case READ_com:
    return b->has_centre ? dae__body_point(x, b, dae__vector(g, size, b->centre)) : b->pos;
  case READ_omega:
    return b->omega_node;
  case READ_point:
    return dae__body_point(x, b, v);
  case READ_dir:
    return dae__body_dir(x, b, v);
  case READ_local:
    return dae__body_local(x, b, v);
  default:
    return b->axis[name - READ_ex];
  }
}

/* ---- connectors ---- */

/* Names of a connector. */
enum {
  READ_ANGLE,
  READ_RATE,
  READ_SLIDE,
  READ_FORCE,
  READ_TORQUE,
  READ_DRIVE,
  READ_POINT,
  READ_AXIS,
  READ_LENGTH,
  READ_PULL,
  READ_CONNECTOR
};
static const char *const read_connector[READ_CONNECTOR] = {
    "angle", "rate", "slide", "force", "torque", "drive", "point", "axis", "length", "pull"};

static bool read_has(const dae__connector *k, int name)
{
  bool points = k->kind >= DAE__CONNECTOR_ROD, bushing = k->kind == DAE__CONNECTOR_BUSHING;
  switch (name) {
  case READ_ANGLE:
  case READ_RATE:
    return dae__joint_has_angle(k);
  case READ_SLIDE:
    return dae__joint_has_slide(k);
  case READ_FORCE:
  case READ_TORQUE:
  case READ_POINT:
    return !points;
  case READ_DRIVE:
    return k->driven;
  case READ_AXIS:
    return k->u.size > 1 && !points && !bushing && k->kind != DAE__CONNECTOR_ROLLING;
  default:
    return points;
  }
}

/* Reports that a connector has no quantity of a name, and which it has. */
static void read_fail_connector(dae__expander *x, const dae__connector *k, const dae__found *found)
{
  const char *name = found->rest ? found->rest->name : "";
  char has[100] = "";
  for (int i = 0; i < READ_CONNECTOR; i++)
    if (read_has(k, i)) {
      strcat(has, has[0] ? ", " : "");
      strcat(has, read_connector[i]);
    }
  if (!found->rest)
    dae__load_fail(x->l, found->last->place, "%s is a %s; it has %s", found->last->name, k->s->word,
                   has);
  else if (!strcmp(name, "drive") && dae__joint_has_angle(k) != dae__joint_has_slide(k))
    dae__load_fail(x->l, found->rest->place, "%s.drive: %s is not driven; write driven F",
                   found->last->name, found->last->name);
  else
    dae__load_fail(x->l, found->rest->place, "%s.%s: a %s has no %s; it has %s", found->last->name,
                   name, k->s->word, name, has);
}

static int read_find_connector(const dae__found *found)
{
  for (int i = 0; i < READ_CONNECTOR && found->rest; i++)
    if (!strcmp(found->rest->name, read_connector[i]))
      return i;
  return -1;
}

/* Leaf of the coordinate of a relative joint that a name stands for; -1: none. */
static int read_coordinate_of(const dae__found *found)
{
  const dae__expr *at = found->rest;
  return at && !at->member ? dae__relative_coordinate(found->connector, at->name) : -1;
}

static dae__value read_connector_value(const dae__context *c, const dae__found *found)
{
  dae__expander *x = c->x;
  dae__connector *k = found->connector;
  int name = read_find_connector(found);
  dae__connector_resolve(x, k);
  if (x->l->status)
    return DAE__NO_VALUE;
  int leaf = read_coordinate_of(found);
  if (leaf > 0 && !c->constant)
    return dae__as_number(dae__leaf(x->graph, leaf));
  bool reaction = (name >= READ_FORCE && name <= READ_DRIVE && k->kind != DAE__CONNECTOR_BUSHING) ||
                  (name == READ_PULL && k->kind == DAE__CONNECTOR_ROD);
  if (name < 0 || !read_has(k, name))
    read_fail_connector(x, k, found);
  else if (c->constant)
    dae__load_fail(x->l, found->rest->place, "%s is a constant and cannot depend on %s.%s", c->what,
                   found->last->name, found->rest->name);
  else if (reaction && !c->results)
    dae__load_fail(x->l, found->rest->place,
                   "%s.%s is available in outputs, events and drawings only, as multipliers are",
                   found->last->name, found->rest->name);
  else if (k->relative && (name == READ_FORCE || name == READ_TORQUE))
    dae__load_fail(x->l, found->rest->place,
                   "%s.%s: a relative joint has no multipliers that give it; leave out relative at "
                   "line %d, so that %s has coordinates of its own",
                   found->last->name, found->rest->name, dae__line_of(&x->l->files, k->s->place),
                   k->b->name);
  else if (name >= READ_FORCE && name <= READ_TORQUE && !k->expanded)
    dae__load_fail(x->l, found->rest->place,
                   "%s.%s of a bushing is available in outputs, events and drawings only",
                   found->last->name, found->rest->name);
  if (x->l->status)
    return DAE__NO_VALUE;
  switch (name) {
  case READ_ANGLE:
    return dae__as_number(dae__joint_angle(x, k));
  case READ_RATE:
    return dae__as_number(dae__joint_rate(x, k));
  case READ_SLIDE:
    return dae__as_number(dae__joint_slide(x, k));
  case READ_FORCE:
    return k->force;
  case READ_TORQUE:
    return k->torque;
  case READ_DRIVE:
    return dae__as_number(k->drive);
  case READ_POINT:
    return k->q;
  case READ_AXIS:
    return k->u;
  case READ_LENGTH:
    return dae__as_number(k->length);
  default:
    return dae__as_number(k->pull);
  }
}

dae__value dae__space_value(const dae__context *c, const dae__expr *e, const dae__found *found)
{
  dae__expander *x = c->x;
  bool body = found->kind == DAE__FOUND_BODY;
  dae__value v = body ? read_body_value(c, found) : read_connector_value(c, found);
  for (const dae__expr *at = found->rest ? found->rest->member : NULL; at && !x->l->status;
       at = at->member) {
    int component = dae__component_of(at->name);
    if (v.size == 1 || component < 0 || component >= v.size)
      dae__load_fail(x->l, at->place, "%s.%s is %s and has no component %s", found->last->name,
                     found->rest->name, dae__size_text(v.size), at->name);
    else
      v = dae__as_number(v.at[component]);
  }
  if (!e->rate || x->l->status)
    return v;
  return dae__vector_rate(
      x, v, e->place, dae__pool_print(x->l->keep, "%s.%s", found->last->name, found->rest->name));
}

/* ---- sizes ---- */

/* Tests a body that a connector names for the plane, without errors. */
static int read_side_is_plane(dae__expander *x, const dae__connector *k, const dae__expr *e)
{
  dae__context c = dae__connector_context(x, k);
  dae__found found;
  if (!e || e->kind != DAE__EXPR_NAME || dae__word_is_value(e) || !dae__find_any(&c, e, &found) ||
      found.kind != DAE__FOUND_BODY || found.body)
    return -1;
  return dae__width_of(x, found.symbol, found.instance) == 3;
}

int dae__space_size(dae__expander *x, const dae__found *found)
{
  if (!found->rest || found->rest->member)
    return 1;
  if (found->kind == DAE__FOUND_CONNECTOR) {
    const dae__connector *k = found->connector;
    int name = read_find_connector(found);
    if (name < READ_FORCE || name == READ_DRIVE || name > READ_AXIS)
      return 1;
    int a = read_side_is_plane(x, k, k->s->a);
    bool plane = a < 0 ? read_side_is_plane(x, k, k->s->b) == 1 : a == 1;
    return plane ? (name == READ_TORQUE ? 1 : 2) : 3;
  }
  bool plane =
      found->body ? found->body->plane : dae__width_of(x, found->symbol, found->instance) == 3;
  if (found->body && found->rest->call) {
    dae__context c = {.x = x};
    return found->rest->count > 1 ? found->rest->count : dae__size_of(&c, found->rest->argument);
  }
  int name = read_find_body(x, found, plane, true);
  return name < 0 || read_body[name].size[plane] < 0 ? 1 : read_body[name].size[plane];
}

int dae__space_leaves(dae__expander *x, const dae__found *found, bool rate, int *count)
{
  *count = 0;
  if (found->kind == DAE__FOUND_CONNECTOR) {
    dae__connector *k = found->connector;
    dae__connector_resolve(x, k);
    int leaf = x->l->status ? -1 : read_coordinate_of(found);
    *count = 1;
    if (leaf > 0)
      return rate ? dae__rate_leaf(x, leaf) : leaf;
    *count = 0;
    if (x->l->status || k->plane || read_find_connector(found) != READ_ANGLE ||
        !dae__joint_has_angle(k) || found->rest->member)
      return -1;
    dae__joint_angle(x, k);
    *count = 1;
    return rate ? dae__rate_leaf(x, k->angle_leaf) : k->angle_leaf;
  }
  dae__body *b = found->body;
  int name = read_find_body(x, found, b->plane, true);
  if (name < 0 || !b->s)
    return -1;
  int component = name == READ_pos ? 0 : read_coordinate(b, name);
  if (name != READ_pos && (read_body[name].size[b->plane] > 0 || found->rest->member))
    return -1;
  *count = name == READ_pos ? (b->plane ? 2 : 3) : 1;
  if (name == READ_pos && found->rest->member) {
    component = dae__component_of(found->rest->member->name);
    if (component < 0 || component >= *count)
      return -1;
    *count = 1;
  }
  if (b->carrier) {
    dae__relative_fail_leaf(x, b, found->rest->place, found->rest->name);
    return -1;
  }
  return (rate ? b->rate : b->leaf) + component;
}
