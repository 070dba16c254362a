/* Relative joints: a joint with the word `relative` carries its second body. The pose of B is no
 * set of coordinates with constraints, but follows from the pose of A and the coordinates of the
 * joint:
 *
 *   revolute angle   prismatic slide   cylindrical angle slide   planar angle slide1 slide2
 *   universal angle1 angle2   spherical e0 e1 e2 e3 (with the constraint e.e = 1)   weld: none
 *
 * Relative joints form trees, whose roots are the ground and bodies with a pose of their own;
 * joints that close loops keep their constraints. */
#include "model/space/space.h"
#include <string.h>

/* Unknowns of a body with a pose of its own: its coordinates, e.e = 1 and the rows of a hinge. */
enum { RELATIVE_OWN_UNKNOWNS = 7 + 1 + 5 };

/* Coordinates of the kinds of relative joints: angles first, then slides. */
static const struct {
  bool possible;
  int angles, slides;
  const char *name[DAE__RELATIVE];
} relative_traits[DAE__CONNECTORS] = {
    [DAE__CONNECTOR_SPHERICAL] = {true, 0, 0, {"e0", "e1", "e2", "e3"}},
    [DAE__CONNECTOR_REVOLUTE] = {true, 1, 0, {"angle"}},
    [DAE__CONNECTOR_UNIVERSAL] = {true, 2, 0, {"angle1", "angle2"}},
    [DAE__CONNECTOR_CYLINDRICAL] = {true, 1, 1, {"angle", "slide"}},
    [DAE__CONNECTOR_PRISMATIC] = {true, 0, 1, {"slide"}},
    [DAE__CONNECTOR_PLANAR] = {true, 1, 2, {"angle", "slide1", "slide2"}},
    [DAE__CONNECTOR_WELD] = {.possible = true},
};

int dae__relative_angles(const dae__connector *k)
{
  return relative_traits[k->kind].angles;
}

int dae__relative_slides(const dae__connector *k)
{
  return relative_traits[k->kind].slides;
}

int dae__relative_coordinate(const dae__connector *k, const char *name)
{
  for (int i = 0; i < DAE__RELATIVE && k->relative; i++) {
    const char *own = relative_traits[k->kind].name[i];
    if (own && !strcmp(own, name))
      return k->coordinate[i];
  }
  return -1;
}

const double *dae__relative_axis(const dae__connector *k, int coordinate)
{
  if (k->kind == DAE__CONNECTOR_UNIVERSAL && coordinate == 1)
    return k->second;
  if (k->kind == DAE__CONNECTOR_PLANAR && coordinate > 0)
    return k->axes[coordinate == 1 ? DAE__AXIS_N : DAE__AXIS_M];
  return k->axes[DAE__AXIS_U];
}

/* ---- the trees ---- */

static void relative_check(dae__expander *x, const dae__connector *k)
{
  const dae__clause *at = dae__clause_of(k->s, "relative");
  const dae__body *b = k->b;
  if (k->plane)
    dae__load_fail(x->l, at->place,
                   "%s joins bodies of the plane, which have no more coordinates than they need: "
                   "leave out relative",
                   k->name);
  else if (!relative_traits[k->kind].possible)
    dae__load_fail(x->l, at->place, "%s cannot be relative: it leaves no pose to coordinates",
                   k->name);
  else if (!b->s)
    dae__load_fail(x->l, k->s->b->place,
                   "a relative joint carries its second body, and the ground does not move: write "
                   "%s %s: ground, %s",
                   k->s->word, k->label, k->a->name);
  else if (b->carrier)
    dae__load_fail(x->l, at->place,
                   "%s is carried by the relative joint %s of line %d already; leave out relative "
                   "at one of both, which then closes a loop",
                   b->name, b->carrier->name, dae__line_of(&x->l->files, b->carrier->s->place));
}

/* Number of relative joints from B to the root of its tree. */
static int relative_depth(dae__expander *x, const dae__connector *k, int joints)
{
  int depth = 1;
  for (const dae__connector *up = k->a->carrier; up && !x->l->status; up = up->a->carrier)
    if (++depth > joints)
      dae__load_fail(x->l, k->s->place,
                     "the relative joint %s carries its own first body %s; leave out relative at "
                     "the joint that closes the loop",
                     k->name, k->a->name);
  return depth;
}

static void relative_add_coordinates(dae__expander *x, dae__connector *k)
{
  for (int i = 0; i < DAE__RELATIVE && relative_traits[k->kind].name[i]; i++) {
    const char *text =
        dae__pool_print(x->l->keep, "%s.%s", k->label, relative_traits[k->kind].name[i]);
    const dae__symbol like = {.connector = k};
    k->coordinate[i] = dae__add_coordinates(x, k->instance, text, k->s, 1, &like);
    if (!dae__load_ok(x->l))
      return;
    if (!strcmp(relative_traits[k->kind].name[i], "angle"))
      k->angle_leaf = k->coordinate[i];
  }
}

/* Adds the leaves for axes and turning of a body of a tree. */
static void relative_add_axes(dae__expander *x, dae__body *b)
{
  const dae__symbol like = {.derived = true, .body_of = b};
  if (!b->s || b->axes_leaf)
    return;
  b->axes_leaf = dae__add_coordinates(x, b->instance, b->s->declared->name, b->s, 9, &like);
  b->turning_leaf = dae__add_coordinates(x, b->instance, b->s->declared->name, b->s, 3, &like);
  if (!b->carrier)
    *DAE__PUSH(x->l->scratch, &x->space->roots) = b;
}

/* Refuses a path so long that coordinates of its own would cost a body less: in multiplications,
 * for each coordinate at the end of a path with n of them, n^2/2 to eliminate it and 6 n for its
 * row of the mass matrix; for a body with coordinates of its own 7 n^3/6 with its n = 7 + 6
 * unknowns, to factor a block of their saddle matrix and to eliminate what couples it to the next.
 */
static void relative_check_path(dae__expander *x, dae__connector *k)
{
  const int own = RELATIVE_OWN_UNKNOWNS;
  int n = 0;
  for (int i = 0; i < DAE__RELATIVE && k->coordinate[i]; i++)
    n++;
  k->path = n + (k->a->carrier ? k->a->carrier->path : 0);
  if (k->path * (k->path + 12) > 7 * own * own * own / 3)
    dae__load_fail(x->l, dae__clause_of(k->s, "relative")->place,
                   "%s: the relative joints on the way to %s have %d coordinates, of which each "
                   "one depends on all others: a body with its own would cost less; leave out "
                   "relative here",
                   k->name, k->b->name, k->path);
}

/* Sorts the relative joints by their depth, those of one depth in the order of the text. */
static void relative_sort(dae__expander *x, int deepest)
{
  dae__space *space = x->space;
  for (int depth = 1; depth <= deepest; depth++)
    for (int i = 0; i < space->connectors.count; i++) {
      dae__connector *k = space->connectors.item[i];
      if (!k->relative || k->depth != depth || x->l->status)
        continue;
      *DAE__PUSH(x->l->scratch, &space->relative) = k;
      relative_check_path(x, k);
    }
}

void dae__relative_find(dae__expander *x)
{
  dae__space *space = x->space;
  int joints = 0, deepest = 0;
  for (int i = 0; i < space->connectors.count && !x->l->status; i++) {
    dae__connector *k = space->connectors.item[i];
    if (!dae__clause_of(k->s, "relative"))
      continue;
    dae__context c = dae__connector_context(x, k);
    dae__connector_bodies(&c, k);
    if (!x->l->status)
      relative_check(x, k);
    if (x->l->status)
      return;
    k->relative = true;
    k->b->carrier = k;
    joints++;
  }
  for (int i = 0; i < space->connectors.count && !x->l->status; i++) {
    dae__connector *k = space->connectors.item[i];
    if (!k->relative)
      continue;
    k->depth = relative_depth(x, k, joints);
    deepest = k->depth > deepest ? k->depth : deepest;
    if (!x->l->status)
      relative_add_coordinates(x, k);
    k->first = k->a->s && !k->a->carrier && !k->a->axes_leaf;
    relative_add_axes(x, k->a);
    relative_add_axes(x, k->b);
  }
  if (dae__load_ok(x->l))
    relative_sort(x, deepest);
}

void dae__relative_fail_leaf(dae__expander *x, const dae__body *b, int place, const char *name)
{
  const dae__connector *k = b->carrier;
  dae__load_fail(
      x->l, place,
      "%s.%s is no coordinate: the relative joint %s carries %s; a force acts as force F "
      "at %s.pos or force F along s, an event can set the coordinates of the joint",
      b->name, name, k->name, b->name, b->name);
}
