/* Poses from which the consistent start begins.
 *
 * The constraints of a joint are met by wrong poses as well: n.ub = m.ub = 0 by opposite axes, and
 * the drive m.nb cos F = n.nb sin F by an angle that is off by pi. Beyond a quarter turn the
 * consistent start would end there, at a quarter turn it has no direction. Where axes, or the angle
 * of a drive, are off by more than SIDE, the bodies on one side of the joint are turned about its
 * point as one: by the shortest turn of the axis, and about it. Their places, and what is nearer,
 * remain for the consistent start. */
#include "model/space/space.h"
#include <math.h>

/* cos 60 degrees: from there the consistent start ends on the right side, with room for what other
 * constraints add */
static const double SIDE = 0.5;

/* Way of an angle to where a constraint asks for it, in rad, that is far. */
static const double FAR = 1;

enum { ITERATIONS = 20, PASSES = 100 };

typedef struct assembly {
  dae__expander *x;
  dae__connector *k; /* the joint at hand */
  DAE__LIST(dae__body *) side;
  int number;  /* of the side */
  bool turned; /* some body was */
} assembly;

static bool assemble_is_rigid(const dae__connector *k)
{
  return k->kind < DAE__CONNECTOR_ROD && k->kind != DAE__CONNECTOR_BUSHING;
}

static void assemble_add(assembly *a, dae__body *b)
{
  if (b->side == a->number)
    return;
  b->side = a->number;
  *DAE__PUSH(a->x->l->scratch, &a->side) = b;
}

/* Finds the bodies that joints other than k connect with `from`; false: they reach `other`, the
 * ground, or a fixed body, so that they cannot turn. */
static bool assemble_find_side(assembly *a, dae__body *from, const dae__body *other)
{
  a->side.count = 0;
  a->number++;
  assemble_add(a, from);
  bool free = true;
  for (int i = 0; i < a->side.count && free && dae__load_ok(a->x->l); i++) {
    const dae__body *b = a->side.item[i];
    free = b->s && !b->fixed && b != other;
    for (const dae__place *p = b->places; p && free; p = p->next) {
      const dae__connector *k = p->connector;
      if (k != a->k && assemble_is_rigid(k))
        assemble_add(a, k->a == b ? k->b : k->a);
    }
  }
  return free;
}

/* Selects the bodies to turn: those on the side of B, or of A; in a loop B or A alone. Returns the
 * sign of the turn, that of B; 0: none can turn. */
static int assemble_select(assembly *a)
{
  dae__body *A = a->k->a, *B = a->k->b;
  bool prefer_a = B->turn_given && A->s && !A->turn_given;
  for (int i = 0; i < 2; i++) {
    bool b = (i == 0) != prefer_a;
    if (assemble_find_side(a, b ? B : A, b ? A : B))
      return b ? 1 : -1;
  }
  a->side.count = 0;
  a->number++;
  for (int i = 0; i < 2; i++) {
    bool b = (i == 0) != prefer_a;
    dae__body *alone = b ? B : A;
    if (!alone->s || alone->fixed)
      continue;
    assemble_add(a, alone);
    return b ? 1 : -1;
  }
  return 0;
}

static void assemble_to_space(const dae__connector *k, int axis, double *v)
{
  dae__turn_apply((axis < DAE__AXIS_UB ? k->a : k->b)->turn, k->axes[axis], v);
}

/* Turns the selected bodies about the point of the joint; turn: that of B. */
static void assemble_turn(assembly *a, const double *turn)
{
  int sign = assemble_select(a);
  const dae__body *B = a->k->b;
  double point[3], d[3];
  const double by[4] = {turn[0], sign * turn[1], sign * turn[2], sign * turn[3]};
  dae__turn_apply(B->turn, a->k->place, point);
  for (int i = 0; i < 3; i++)
    point[i] += B->position[i];
  for (int k = 0; k < a->side.count && sign != 0; k++) {
    dae__body *b = a->side.item[k];
    for (int i = 0; i < 3; i++)
      d[i] = b->position[i] - point[i];
    dae__turn_apply(by, d, d);
    for (int i = 0; i < 3; i++)
      b->position[i] = point[i] + d[i];
    dae__turn_product(by, b->turn, b->turn);
    b->rate_stage = 0; /* its rates may hold its own axes */
    a->turned = true;
  }
}

/* Turns B so that its axis points along that of A. */
static void assemble_axes(assembly *a)
{
  double u[3], ub[3], turn[4];
  assemble_to_space(a->k, DAE__AXIS_U, u);
  assemble_to_space(a->k, DAE__AXIS_UB, ub);
  if (dae__dot3(u, ub) > SIDE)
    return;
  dae__turn_shortest(ub, u, turn);
  assemble_turn(a, turn);
}

/* Turns B about the axis so that the angle is F. */
static void assemble_angle(assembly *a, double F)
{
  double u[3], n[3], m[3], nb[3];
  assemble_to_space(a->k, DAE__AXIS_U, u);
  assemble_to_space(a->k, DAE__AXIS_N, n);
  assemble_to_space(a->k, DAE__AXIS_M, m);
  assemble_to_space(a->k, DAE__AXIS_NB, nb);
  double off = F - atan2(dae__dot3(m, nb), dae__dot3(n, nb));
  if (cos(off) > SIDE)
    return;
  const double s = sin(off / 2), turn[4] = {cos(off / 2), s * u[0], s * u[1], s * u[2]};
  assemble_turn(a, turn);
}

/* ---- angles that constraints determine ---- */

/* The only joint whose angle a constraint of angles and time leaves open; NULL: there is none. */
static dae__connector *assemble_open_joint(dae__expander *x, dae__node node)
{
  dae__connector *open = NULL;
  dae__leaves below = dae__leaves_below(x->walker, 1, &node);
  for (int i = 0; i < below.count; i++) {
    int symbol = x->leaves.item[below.leaf[i]].symbol;
    dae__connector *k = symbol >= 0 ? x->symbols.item[symbol].connector : NULL;
    if (k && k->angle_leaf != below.leaf[i])
      return NULL; /* a slide */
    bool known = k ? k->driven || k->is_far : x->leaf_kind.item[below.leaf[i]] == DAE__LEAF_TIME;
    if (known)
      continue;
    if (!k || open)
      return NULL;
    open = k;
  }
  return open;
}

/* Newton's method for the start of an angle, from A0; false: it is near A0, or not found. */
static bool assemble_solve(dae__expander *x, dae__connector *k, dae__node node, int place)
{
  dae__kinds kinds = {x->leaf_kind.item, DAE__LEAF_COORD};
  dae__gradient d = dae__gradient_of(x->walker, node, kinds);
  dae__node slope = DAE__ZERO;
  for (int i = 0; i < d.count; i++)
    slope = d.leaf[i] == k->angle_leaf ? d.value[i] : slope;
  if (slope == DAE__ZERO)
    return false;
  for (int i = 0; i < ITERATIONS && !x->l->status; i++) {
    double step = dae__start_value(x, node, place) / dae__start_value(x, slope, place);
    double angle = (k->is_far ? k->angle_far : k->angle0) - step;
    if (!isfinite(step) || (i == 0 && fabs(step) <= FAR))
      break;
    k->angle_far = angle;
    k->is_far = true;
    dae__start_forget(x);
    if (fabs(step) <= 1e-12 * (1 + fabs(angle)))
      return true;
  }
  k->is_far = false;
  dae__start_forget(x);
  return false;
}

/* Finds the angles at the start that constraints between angles, such as gears behind a drive, ask
 * for, where they are far from A0: one after the other. */
static void assemble_find_angles(dae__expander *x)
{
  bool found = true;
  for (int pass = 0; found && pass < PASSES; pass++) {
    found = false;
    for (int s = 0; s < x->systems; s++) {
      const dae__constraints *all = &x->instances.item[s].holonomic;
      for (int i = 0; i < all->count && dae__load_ok(x->l); i++) {
        const dae__constraint *g = &all->item[i];
        dae__connector *k = g->derived ? NULL : assemble_open_joint(x, g->node);
        found = (k && assemble_solve(x, k, g->node, g->place)) || found;
      }
    }
  }
}

void dae__space_assemble(dae__expander *x)
{
  assembly a = {.x = x};
  if (x->space->connectors.count > 0)
    assemble_find_angles(x);
  for (int i = 0; i < x->space->connectors.count && !x->l->status; i++) {
    dae__connector *k = x->space->connectors.item[i];
    a.k = k;
    if (k->plane || k->ub.size != 3 || k->kind == DAE__CONNECTOR_ROLLING)
      continue;
    bool angle = k->is_far || (k->driven && dae__joint_has_angle(k));
    bool holds = k->kind == DAE__CONNECTOR_PRISMATIC || k->kind == DAE__CONNECTOR_WELD;
    double F = angle ? dae__start_value(x, dae__joint_start_angle(x, k), k->s->place) : 0;
    if (x->l->status)
      return;
    assemble_axes(&a);
    if (angle || holds)
      assemble_angle(&a, F);
  }
  if (a.turned)
    dae__start_forget(x);
}
