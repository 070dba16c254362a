/* The motion of carried bodies in the coordinates of their relative joints.
 *
 * With the Euler parameters e, R their matrix, the points p of A and b of B at the joint, its slides
 * s along axes of A, its angles q about axes u of A, and the turn r of B in A while all q are 0,
 *
 *   e_B = e_A (turns by q about u) r,   x_B = x_A + R_A (p + s) - R_B b.
 *
 * Velocities, in the axes of the bodies, come from the parent as well, w, v -> turns back by q:
 *
 *   w_B = r' (turns' w_A + u q'),   v_B = r' turns' (v_A + w_A x (p + s) + s') - w_B x b,
 *
 * so that a body costs as much as its joint, whatever its depth, and the kinetic energy holds no pose
 * of a parent that does not matter. Everything else was expanded in the poses of all bodies. Their
 * leaves are replaced: e and x by these expressions, x' by R v, e' by (0, R w) e / 2. Forces on the
 * leaves of B become forces on those of A and of the joint, by the chain rule, from the ends of the
 * trees to their roots. */
#include "model/space/space.h"
#include <string.h>

/* ---- vectors of numbers and nodes ---- */

static dae__value motion_numbers(dae__expander *x, const double *v)
{
  return dae__vector(x->graph, 3, v);
}

/* R'v with the matrix R of Euler parameters that are numbers. */
static dae__value motion_turn_back(dae__graph *g, const double *turn, dae__value v)
{
  dae__value out = {.size = 3};
  for (int i = 0; i < 3; i++) {
    double unit[3] = {0}, axis[3];
    unit[i] = 1;
    dae__turn_apply(turn, unit, axis); /* column i of R */
    out.at[i] = dae__vector_dot(g, dae__vector(g, 3, axis), v);
  }
  return out;
}

/* R'v with the turn R by q about a unit vector u, by its matrix
 * u u' + (1 - u u') cos q + [u] sin q: products with zeros are left out. */
static dae__value motion_angle_back(dae__graph *g, const double *u, dae__node q, dae__value v)
{
  dae__node c = dae__unary(g, DAE__OP_COS, q), s = dae__unary(g, DAE__OP_SIN, q);
  dae__value out = {.size = 3};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double uu = u[i] * u[j], cross = j == i ? 0 : (j == (i + 1) % 3 ? 1 : -1) * u[3 - i - j];
      dae__node entry = DAE__ADD(g, dae__constant(g, uu),
                                 DAE__MUL(g, dae__constant(g, (i == j) - uu), c));
      entry = DAE__ADD(g, entry, DAE__MUL(g, dae__constant(g, cross), s));
      out.at[i] = DAE__ADD(g, out.at[i], DAE__MUL(g, entry, v.at[j]));
    }
  return out;
}

/* Angle of a coordinate from where the turn of the joint is that of numbers. */
static dae__node motion_angle(dae__graph *g, const dae__connector *k, int coordinate)
{
  dae__node q = dae__leaf(g, k->coordinate[coordinate]);
  return coordinate == 0 ? DAE__SUB(g, q, dae__constant(g, k->angle0)) : q;
}

/* Leaves of the Euler parameters of a spherical joint, or of their rates. */
static void motion_ball(dae__expander *x, const dae__connector *k, bool rate, dae__node *e)
{
  for (int i = 0; i < DAE__RELATIVE; i++)
    e[i] = rate ? x->leaf_rate.item[k->coordinate[i]] : dae__leaf(x->graph, k->coordinate[i]);
}

/* Sum of the axes of the slides times the slides, or their rates. */
static dae__value motion_slide(dae__expander *x, const dae__connector *k, bool rate)
{
  dae__graph *g = x->graph;
  dae__value sum = {.size = 3};
  int angles = dae__relative_angles(k), slides = dae__relative_slides(k);
  for (int i = angles; i < angles + slides; i++) {
    int leaf = k->coordinate[i];
    sum = dae__vector_add(g, sum,
                          dae__vector_scale(g, rate ? x->leaf_rate.item[leaf] : dae__leaf(g, leaf),
                                            motion_numbers(x, dae__relative_axis(k, i))));
  }
  return sum;
}

/* ---- poses ---- */

/* Euler parameters of B and its origin by those of A, still in the leaves of A, and of e_B. */
static void motion_pose(dae__expander *x, dae__connector *k, dae__node *e, dae__value *pos)
{
  dae__graph *g = x->graph;
  dae__node scalar = k->a->e0;
  dae__value v = k->a->turn_node, by;
  if (k->kind == DAE__CONNECTOR_SPHERICAL) {
    dae__node ball[DAE__RELATIVE];
    motion_ball(x, k, false, ball);
    by = (dae__value){.at = {ball[1], ball[2], ball[3]}, .size = 3};
    v = dae__euler_product(g, scalar, v, ball[0], by, &scalar);
  }
  for (int i = 0; i < dae__relative_angles(k); i++) {
    dae__node half = DAE__MUL(g, dae__constant(g, 0.5), motion_angle(g, k, i));
    by = dae__vector_scale(g, dae__unary(g, DAE__OP_SIN, half),
                           motion_numbers(x, dae__relative_axis(k, i)));
    v = dae__euler_product(g, scalar, v, dae__unary(g, DAE__OP_COS, half), by, &scalar);
  }
  v = dae__euler_product(g, scalar, v, dae__constant(g, k->turn[0]),
                         motion_numbers(x, k->turn + 1), &scalar);
  e[0] = scalar;
  memcpy(e + 1, v.at, 3 * sizeof *e);
  dae__value at = dae__vector_add(g, motion_numbers(x, k->from), motion_slide(x, k, false));
  dae__value arm = dae__body_dir(x, k->b, motion_numbers(x, k->place));
  *pos = dae__vector_sub(g, dae__body_point(x, k->a, at), arm);
}

/* ---- velocities ---- */

/* Angular velocity and velocity of the origin, in the axes of the body. */
static void motion_of(dae__expander *x, dae__body *b, dae__value *w, dae__value *v)
{
  *w = *v = (dae__value){.size = 3};
  if (b->carrier) {
    *w = b->spin;
    *v = b->flow;
  } else if (b->s) {
    *w = dae__body_omega(x, b, true);
    *v = dae__body_local(x, b, dae__body_velocity(x, b));
  }
}

static void motion_velocities(dae__expander *x, dae__connector *k)
{
  dae__graph *g = x->graph;
  dae__body *b = k->b;
  dae__value w, v;
  motion_of(x, k->a, &w, &v);
  dae__value at = dae__vector_add(g, motion_numbers(x, k->from), motion_slide(x, k, false));
  v = dae__vector_add(g, v, dae__vector_cross(g, w, at));
  v = dae__vector_add(g, v, motion_slide(x, k, true));
  if (k->kind == DAE__CONNECTOR_SPHERICAL) {
    dae__node e[DAE__RELATIVE], rate[DAE__RELATIVE];
    dae__value axis[3], back = {.size = 3}, turning;
    motion_ball(x, k, false, e);
    motion_ball(x, k, true, rate);
    dae__turn_axes(g, e[0], e + 1, axis);
    turning = dae__turn_omega(g, e, rate, true);
    for (int i = 0; i < 3; i++)
      back.at[i] = dae__vector_dot(g, axis[i], w);
    w = dae__vector_add(g, back, turning);
    for (int i = 0; i < 3; i++)
      back.at[i] = dae__vector_dot(g, axis[i], v);
    v = back;
  }
  for (int i = 0; i < dae__relative_angles(k); i++) {
    const double *u = dae__relative_axis(k, i);
    dae__node q = motion_angle(g, k, i);
    w = motion_angle_back(g, u, q, w);
    v = motion_angle_back(g, u, q, v);
    w = dae__vector_add(
        g, w, dae__vector_scale(g, x->leaf_rate.item[k->coordinate[i]], motion_numbers(x, u)));
  }
  b->spin = motion_turn_back(g, k->turn, w);
  v = motion_turn_back(g, k->turn, v);
  b->flow = dae__vector_sub(g, v, dae__vector_cross(g, b->spin, motion_numbers(x, k->place)));
}

/* Kinetic energy of a carried body; with Euler parameters of its joint the term 2 Jr (e.e')^2 that
 * makes the mass matrix regular. */
static void motion_energy(dae__expander *x, const dae__connector *k)
{
  dae__graph *g = x->graph;
  dae__body *b = k->b;
  dae__context c = dae__context_of(x, b->instance);
  dae__value velocity = b->flow;
  if (b->has_centre)
    velocity = dae__vector_add(g, velocity,
                               dae__vector_cross(g, b->spin, motion_numbers(x, b->centre)));
  dae__node T = dae__body_turning_energy(x, b, b->spin);
  if (k->kind == DAE__CONNECTOR_SPHERICAL) {
    dae__node e[DAE__RELATIVE], rate[DAE__RELATIVE], along = DAE__ZERO;
    motion_ball(x, k, false, e);
    motion_ball(x, k, true, rate);
    for (int i = 0; i < DAE__RELATIVE; i++)
      along = DAE__ADD(g, along, DAE__MUL(g, e[i], rate[i]));
    /* any positive factor: the term is zero */
    double moment = b->moment > 0 ? b->moment : b->mass > 0 ? b->mass : 1;
    T = DAE__ADD(g, T, DAE__MUL(g, dae__constant(g, 2 * moment), dae__powi(g, along, 2)));
  }
  T = DAE__ADD(g, T, dae__body_moving_energy(x, b, velocity));
  dae__add_energy(&c, true, T, b->s->place);
}

/* ---- substitution ---- */

dae__node dae__relative_reduced(dae__expander *x, dae__node node)
{
  dae__space *space = x->space;
  if (space->relative.count == 0 || x->l->status)
    return node;
  while (space->by.count < x->leaves.count && dae__load_ok(x->l))
    *DAE__PUSH(x->l->scratch, &space->by) = -1;
  return dae__load_ok(x->l) ? dae__replace_leaves(x->walker, node, space->by.item) : node;
}

/* Sets what the leaves of a carried body stand for; those of its parent are known. */
static void motion_replace(dae__expander *x, dae__connector *k, const dae__node *e, dae__value pos)
{
  dae__graph *g = x->graph;
  dae__body *b = k->b;
  dae__node *by = x->space->by.item, full[4], scalar;
  for (int i = 0; i < 4; i++)
    full[i] = by[b->leaf + 3 + i] = dae__relative_reduced(x, e[i]);
  for (int i = 0; i < 3; i++)
    by[b->leaf + i] = dae__relative_reduced(x, pos.at[i]);
  dae__value axis[3], W = {.size = 3}, v = {.size = 3};
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++)
      axis[j].at[i] = dae__relative_reduced(x, b->axis[j].at[i]);
    axis[j].size = 3;
    W = dae__vector_add(g, W, dae__vector_scale(g, b->spin.at[j], axis[j]));
    v = dae__vector_add(g, v, dae__vector_scale(g, b->flow.at[j], axis[j]));
  }
  for (int i = 0; i < 3; i++)
    by[b->rate + i] = v.at[i];
  dae__value turn = {.at = {full[1], full[2], full[3]}, .size = 3};
  dae__value rate = dae__euler_product(g, DAE__ZERO, W, full[0], turn, &scalar);
  dae__node half = dae__constant(g, 0.5);
  by[b->rate + 3] = DAE__MUL(g, half, scalar);
  for (int i = 0; i < 3; i++)
    by[b->rate + 4 + i] = DAE__MUL(g, half, rate.at[i]);
}

/* ---- forces ---- */

/* Adds F d(node)/d(leaf) to the forces on all coordinates in a node. */
static void motion_pass_force(dae__expander *x, dae__node F, dae__node node, dae__node *force)
{
  dae__kinds kinds = {x->leaf_kind.item, DAE__LEAF_COORD};
  if (F == DAE__ZERO)
    return;
  dae__gradient d = dae__gradient_of(x->walker, node, kinds);
  for (int i = 0; i < d.count; i++)
    force[d.leaf[i]] =
        DAE__ADD(x->graph, force[d.leaf[i]], DAE__MUL(x->graph, F, d.value[i]));
}

/* Collects the forces on the leaves of carried bodies, and removes them from the lists. */
static void motion_take_forces(dae__expander *x, dae__node *force)
{
  for (int i = 0; i < x->instances.count; i++) {
    dae__instance *own = &x->instances.item[i];
    int kept = 0;
    for (int k = 0; k < own->forces.count; k++) {
      dae__force F = own->forces.item[k];
      if (dae__is_carried(x, F.leaf))
        force[F.leaf] = DAE__ADD(x->graph, force[F.leaf], F.node);
      else
        own->forces.item[kept++] = F;
    }
    own->forces.count = kept;
  }
}

/* Moves the forces on carried bodies to their joints and to the roots of the trees. */
static void motion_move_forces(dae__expander *x, dae__node (*e)[4], const dae__value *pos)
{
  const dae__space *space = x->space;
  dae__node *force = DAE__NEW_ARRAY(x->l->scratch, dae__node, x->leaves.count);
  if (!dae__load_ok(x->l))
    return;
  motion_take_forces(x, force);
  for (int i = space->relative.count - 1; i >= 0; i--) {
    const dae__body *b = space->relative.item[i]->b;
    for (int j = 0; j < 3; j++)
      motion_pass_force(x, force[b->leaf + j], pos[i].at[j], force);
    for (int j = 0; j < 4; j++)
      motion_pass_force(x, force[b->leaf + 3 + j], e[i][j], force);
  }
  for (int leaf = 0; leaf < x->leaves.count && dae__load_ok(x->l); leaf++)
    if (force[leaf] != DAE__ZERO && !dae__is_carried(x, leaf))
      *DAE__PUSH(x->l->scratch, &x->instances.item[dae__leaf_home(x, leaf)].forces) =
          (dae__force){leaf, force[leaf]};
}

void dae__relative_reduce(dae__expander *x)
{
  dae__space *space = x->space;
  int count = space->relative.count;
  if (count == 0)
    return;
  dae__node(*e)[4] = dae__pool_alloc(x->l->scratch, (size_t)count, sizeof *e);
  dae__value *pos = DAE__NEW_ARRAY(x->l->scratch, dae__value, count);
  if (!dae__load_ok(x->l))
    return;
  for (int i = 0; i < count; i++)
    motion_pose(x, space->relative.item[i], e[i], &pos[i]);
  motion_move_forces(x, e, pos);
  dae__node_places motion = {0};
  dae__list_motion(x, &motion);
  dae__relative_reduced(x, DAE__ZERO); /* extends the list to all leaves */
  for (int i = 0; i < count && dae__load_ok(x->l); i++) {
    dae__connector *k = space->relative.item[i];
    motion_velocities(x, k);
    motion_replace(x, k, e[i], pos[i]);
  }
  for (int i = 0; i < motion.count; i++)
    *motion.item[i] = dae__relative_reduced(x, *motion.item[i]);
  for (int i = 0; i < x->contacts.count; i++)
    x->contacts.item[i].gap = dae__relative_reduced(x, x->contacts.item[i].gap);
  for (int i = 0; i < count && dae__load_ok(x->l); i++)
    motion_energy(x, space->relative.item[i]);
  dae__relations_reduced(x);
}
