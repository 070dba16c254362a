/* Poses and velocities of bodies of a tree of relative joints by those of the parent.
 *
 * With the points p of A and b of B at the joint, its slides s along axes of A, its angles q about
 * axes u of A, the turn r of B in A while all q are 0, the matrices R of the axes in space and the
 * Euler parameters e,
 *
 *   R_B = R_A (turns by q about u) r,   e_B = e_A (turns) r,   x_B = x_A + R_A (p + s) - R_B b,
 *   W_B = W_A + R_A u q',
 *
 * and in the axes of the bodies, with the turns back by q and r,
 *
 *   w_B = back (w_A) + u q',   v_B = back (v_A + w_A x (p + s) + s') - w_B x b,
 *
 * so that velocities cost as much as the joint, whatever its depth, and hold no pose of a parent.
 */
#include "model/space/space.h"
#include <string.h>

static dae__value pose_numbers(dae__expander *x, const double *v)
{
  return dae__vector(x->graph, 3, v);
}

void dae__relative_ball(dae__expander *x, const dae__connector *k, bool rate, dae__node *e)
{
  for (int i = 0; i < DAE__RELATIVE; i++)
    e[i] = rate ? x->leaf_rate.item[k->coordinate[i]] : dae__leaf(x->graph, k->coordinate[i]);
}

/* R v with the turn R by q about a unit vector u, by its matrix
 * u u' + (1 - u u') cos q + [u] sin q; back: R'v. Products with zeros are left out. */
static dae__value pose_turn_by(dae__graph *g, const double *u, dae__node q, dae__value v, bool back)
{
  dae__node c = dae__unary(g, DAE__OP_COS, q), s = dae__unary(g, DAE__OP_SIN, q);
  dae__value out = {.size = 3};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double uu = u[i] * u[j], cross = j == i ? 0 : (j == (i + 1) % 3 ? -1 : 1) * u[3 - i - j];
      dae__node entry =
          DAE__ADD(g, dae__constant(g, uu), DAE__MUL(g, dae__constant(g, (i == j) - uu), c));
      entry = DAE__ADD(g, entry, DAE__MUL(g, dae__constant(g, back ? -cross : cross), s));
      out.at[i] = DAE__ADD(g, out.at[i], DAE__MUL(g, entry, v.at[j]));
    }
  return out;
}

/* Angle of a coordinate from where k->turn holds. */
static dae__node pose_angle(dae__graph *g, const dae__connector *k, int coordinate)
{
  dae__node q = dae__leaf(g, k->coordinate[coordinate]);
  return coordinate == 0 ? DAE__SUB(g, q, dae__constant(g, k->angle0)) : q;
}

/* v turned by the first `count` angles, or by the Euler parameters, of a joint; back: the other
 * way, from the axes of A. */
static dae__value pose_turn(dae__expander *x, const dae__connector *k, int count, dae__value v,
                            bool back)
{
  dae__graph *g = x->graph;
  if (k->kind == DAE__CONNECTOR_SPHERICAL) {
    dae__node e[DAE__RELATIVE];
    dae__value axis[3], out = {.size = 3};
    dae__relative_ball(x, k, false, e);
    dae__turn_axes(g, e[0], e + 1, axis);
    for (int i = 0; i < 3; i++)
      if (back)
        out.at[i] = dae__vector_dot(g, axis[i], v);
      else
        out = dae__vector_add(g, out, dae__vector_scale(g, v.at[i], axis[i]));
    return out;
  }
  for (int n = 0; n < count; n++) {
    int i = back ? n : count - 1 - n;
    v = pose_turn_by(g, dae__relative_axis(k, i), pose_angle(g, k, i), v, back);
  }
  return v;
}

/* v turned by k->turn; back: the other way. */
static dae__value pose_turn_fixed(dae__graph *g, const dae__connector *k, dae__value v, bool back)
{
  dae__value out = {.size = 3};
  for (int i = 0; i < 3; i++) {
    double unit[3] = {0}, axis[3];
    unit[i] = 1;
    dae__turn_apply(k->turn, unit, axis);
    dae__value column = dae__vector(g, 3, axis);
    if (back)
      out.at[i] = dae__vector_dot(g, column, v);
    else
      out = dae__vector_add(g, out, dae__vector_scale(g, v.at[i], column));
  }
  return out;
}

/* Sum of the axes of the slides times the slides, or their rates, in A. */
static dae__value pose_slide(dae__expander *x, const dae__connector *k, bool rate)
{
  dae__graph *g = x->graph;
  dae__value sum = {.size = 3};
  int angles = dae__relative_angles(k), slides = dae__relative_slides(k);
  for (int i = angles; i < angles + slides; i++) {
    int leaf = k->coordinate[i];
    sum = dae__vector_add(g, sum,
                          dae__vector_scale(g, rate ? x->leaf_rate.item[leaf] : dae__leaf(g, leaf),
                                            pose_numbers(x, dae__relative_axis(k, i))));
  }
  return sum;
}

/* Angular velocity of B beside A, in A. */
static dae__value pose_turning(dae__expander *x, const dae__connector *k)
{
  dae__graph *g = x->graph;
  dae__value w = {.size = 3};
  if (k->kind == DAE__CONNECTOR_SPHERICAL) {
    dae__node e[DAE__RELATIVE], rate[DAE__RELATIVE];
    dae__relative_ball(x, k, false, e);
    dae__relative_ball(x, k, true, rate);
    return dae__turn_omega(g, e, rate, false);
  }
  for (int i = 0; i < dae__relative_angles(k); i++) {
    dae__value u = pose_turn(x, k, i, pose_numbers(x, dae__relative_axis(k, i)), false);
    w = dae__vector_add(g, w, dae__vector_scale(g, x->leaf_rate.item[k->coordinate[i]], u));
  }
  return w;
}

/* ---- poses ---- */

/* Euler parameters of B by those of A. */
static void pose_euler(dae__expander *x, const dae__connector *k, dae__node *e)
{
  dae__graph *g = x->graph;
  dae__node scalar = k->a->e0;
  dae__value v = k->a->turn_node, by;
  if (k->kind == DAE__CONNECTOR_SPHERICAL) {
    dae__node ball[DAE__RELATIVE];
    dae__relative_ball(x, k, false, ball);
    by = (dae__value){.at = {ball[1], ball[2], ball[3]}, .size = 3};
    v = dae__euler_product(g, scalar, v, ball[0], by, &scalar);
  }
  for (int i = 0; i < dae__relative_angles(k); i++) {
    dae__node half = DAE__MUL(g, dae__constant(g, 0.5), pose_angle(g, k, i));
    by = dae__vector_scale(g, dae__unary(g, DAE__OP_SIN, half),
                           pose_numbers(x, dae__relative_axis(k, i)));
    v = dae__euler_product(g, scalar, v, dae__unary(g, DAE__OP_COS, half), by, &scalar);
  }
  v = dae__euler_product(g, scalar, v, dae__constant(g, k->turn[0]), pose_numbers(x, k->turn + 1),
                         &scalar);
  e[0] = scalar;
  memcpy(e + 1, v.at, 3 * sizeof *e);
}

void dae__relative_level(dae__expander *x, dae__body *b, dae__level *out)
{
  dae__graph *g = x->graph;
  dae__connector *k = b->carrier;
  *out = (dae__level){.omega = {.size = 3}};
  if (!k) {
    dae__turn_axes(g, b->e0, b->turn_node.at, out->axis);
    out->omega = dae__body_omega(x, b, false);
    return;
  }
  int angles = dae__relative_angles(k);
  for (int j = 0; j < 3; j++) {
    double unit[3] = {0};
    unit[j] = 1;
    dae__value in_a = pose_turn_fixed(g, k, pose_numbers(x, unit), false);
    out->axis[j] = dae__body_dir(x, k->a, pose_turn(x, k, angles, in_a, false));
  }
  pose_euler(x, k, out->e);
  dae__value at = dae__vector_add(g, pose_numbers(x, k->from), pose_slide(x, k, false));
  dae__value arm = dae__body_dir(x, b, pose_numbers(x, k->place));
  out->pos = dae__vector_sub(g, dae__body_point(x, k->a, at), arm);
  out->omega = dae__vector_add(g, k->a->omega_node, dae__body_dir(x, k->a, pose_turning(x, k)));
}

/* ---- velocities ---- */

/* Angular velocity and velocity of the origin of a body, in its axes. */
static void pose_velocities_of(dae__expander *x, dae__body *b, dae__value *w, dae__value *v)
{
  *w = *v = (dae__value){.size = 3};
  if (b->carrier) {
    *w = b->spin;
    *v = b->flow;
  } else if (b->s) {
    *w = dae__body_omega(x, b, true);
    *v = dae__body_local(x, b, dae__body_velocity(x, b));
    for (int i = 0; i < 3; i++)
      v->at[i] = dae__relative_reduced(x, v->at[i]);
  }
}

void dae__relative_velocities(dae__expander *x, dae__connector *k)
{
  dae__graph *g = x->graph;
  dae__body *b = k->b;
  dae__value w, v;
  int angles = dae__relative_angles(k);
  pose_velocities_of(x, k->a, &w, &v);
  dae__value at = dae__vector_add(g, pose_numbers(x, k->from), pose_slide(x, k, false));
  v = dae__vector_add(g, v, dae__vector_cross(g, w, at));
  v = dae__vector_add(g, v, pose_slide(x, k, true));
  v = pose_turn_fixed(g, k, pose_turn(x, k, angles, v, true), true);
  if (k->kind == DAE__CONNECTOR_SPHERICAL) {
    dae__node e[DAE__RELATIVE], rate[DAE__RELATIVE];
    dae__relative_ball(x, k, false, e);
    dae__relative_ball(x, k, true, rate);
    w = dae__vector_add(g, pose_turn(x, k, 0, w, true), dae__turn_omega(g, e, rate, true));
  }
  for (int i = 0; i < angles; i++) {
    const double *u = dae__relative_axis(k, i);
    w = pose_turn_by(g, u, pose_angle(g, k, i), w, true);
    w = dae__vector_add(
        g, w, dae__vector_scale(g, x->leaf_rate.item[k->coordinate[i]], pose_numbers(x, u)));
  }
  b->spin = pose_turn_fixed(g, k, w, true);
  b->flow = dae__vector_sub(g, v, dae__vector_cross(g, b->spin, pose_numbers(x, k->place)));
}
