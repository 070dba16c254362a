/* The constraints of joints, and the force and torque that a joint exerts on B at its point, in
 * space: - sum lambda dg/dq. With a unit turn of B, W, dg of 0 = n.ub is W.(ub x n), so that the
 * torque of its multiplier is - lambda ub x n. */
#include "model/space/space.h"
#include <stdio.h>
#include <string.h>

dae__node dae__connector_row(dae__expander *x, dae__connector *k, const char *suffix, dae__node g,
                             bool nonholonomic)
{
  dae__context c = dae__connector_context(x, k);
  char text[400];
  int length = snprintf(text, sizeof text, suffix[0] ? "%s.%s" : "%s",
                        k->label ? k->label : k->name, suffix);
  const char *label = length < (int)sizeof text ? dae__name(x->l, x->names, text, length) : k->name;
  dae__residual r = {.node = g,
                     .label = k->label ? label : NULL,
                     .name = label,
                     .place = k->s->place,
                     .label_place = k->s->label ? k->s->label->place : k->s->place,
                     .nonholonomic = nonholonomic,
                     .derived = true,
                     .group = k->name};
  return dae__add_constraint(&c, &r);
}

/* Adds - lambda v to the force or torque of a joint. */
static void rows_react(dae__expander *x, dae__value *sum, dae__node lambda, dae__value v)
{
  *sum = dae__vector_sub(x->graph, *sum, dae__vector_scale(x->graph, lambda, v));
}

/* Rows d = 0. */
static void rows_meet(dae__expander *x, dae__connector *k)
{
  for (int i = 0; i < k->d.size; i++) {
    dae__node lambda = dae__connector_row(x, k, dae__component_name(i), k->d.at[i], false);
    k->force.at[i] = DAE__SUB(x->graph, k->force.at[i], lambda);
  }
}

/* Row v.d = 0 with a direction v of A. */
static void rows_stay(dae__expander *x, dae__connector *k, const char *suffix, dae__value v)
{
  dae__node g = dae__vector_dot(x->graph, v, k->d);
  g = dae__relative_scalar(x, k, g, (dae__value[]){v, k->d}, 2);
  rows_react(x, &k->force, dae__connector_row(x, k, suffix, g, false), v);
}

/* Row v.w = 0 with directions v of A, w of B. */
static void rows_square(dae__expander *x, dae__connector *k, const char *suffix, dae__value v,
                        dae__value w)
{
  dae__node g = dae__vector_dot(x->graph, v, w);
  g = dae__relative_scalar(x, k, g, (dae__value[]){v, w}, 2);
  rows_react(x, &k->torque, dae__connector_row(x, k, suffix, g, false),
             dae__vector_cross(x->graph, w, v));
}

/* Row of the plane: B.angle - A.angle as at the start. */
static void rows_hold_angle(dae__expander *x, dae__connector *k)
{
  dae__graph *g = x->graph;
  dae__node row = DAE__SUB(g, DAE__SUB(g, k->b->angle, k->a->angle), dae__constant(g, k->turn0));
  rows_react(x, &k->torque, dae__connector_row(x, k, "turn", row, false),
             dae__as_number(dae__constant(g, 1)));
}

static void rows_plane(dae__expander *x, dae__connector *k)
{
  if (k->kind == DAE__CONNECTOR_REVOLUTE || k->kind == DAE__CONNECTOR_WELD)
    rows_meet(x, k);
  else
    rows_stay(x, k, "side", k->n);
  if (k->kind == DAE__CONNECTOR_PRISMATIC || k->kind == DAE__CONNECTOR_WELD)
    rows_hold_angle(x, k);
}

static void rows_space(dae__expander *x, dae__connector *k)
{
  bool slides = k->kind == DAE__CONNECTOR_CYLINDRICAL || k->kind == DAE__CONNECTOR_PRISMATIC;
  if (k->kind == DAE__CONNECTOR_PLANAR)
    rows_stay(x, k, "gap", k->u);
  else if (!slides)
    rows_meet(x, k);
  if (slides) {
    rows_stay(x, k, "gn", k->n);
    rows_stay(x, k, "gm", k->m);
  }
  if (k->kind == DAE__CONNECTOR_UNIVERSAL)
    rows_square(x, k, "square", k->u, k->wb);
  else if (k->kind != DAE__CONNECTOR_SPHERICAL) {
    rows_square(x, k, "n", k->n, k->ub);
    rows_square(x, k, "m", k->m, k->ub);
  }
  if (k->kind == DAE__CONNECTOR_PRISMATIC || k->kind == DAE__CONNECTOR_WELD)
    rows_square(x, k, "turn", k->m, k->nb);
}

/* Refuses a drive that does not hold the joint: F = its own angle or slide, or with its angle. */
static void rows_check_drive(dae__expander *x, dae__connector *k, dae__node F, int place)
{
  bool slide = dae__joint_has_slide(k), own = false;
  if (x->l->status)
    return;
  if (slide || k->plane)
    own = F == (slide ? dae__joint_slide(x, k) : dae__joint_angle(x, k));
  dae__leaves below = dae__leaves_below(x->walker, 1, &F);
  for (int i = 0; i < below.count && k->angle_leaf; i++)
    own = own || below.leaf[i] == k->angle_leaf;
  if (own)
    dae__load_fail(x->l, place,
                   "the drive of %s depends on its own %s; a drive gives it as a function of t",
                   k->name, slide ? "slide" : "angle");
}

/* Row of the drive: angle = F, or slide = F. */
static void rows_drive(dae__expander *x, dae__connector *k)
{
  static const dae__allowed may = {DAE__LEAF_TIME | DAE__LEAF_COORD | DAE__LEAF_DISCRETE, 0,
                                   "the drive of a joint", "t and coordinates of its system"};
  dae__graph *g = x->graph;
  dae__context c = dae__connector_context(x, k);
  const dae__clause *driven = dae__clause_of(k->s, "driven");
  dae__node F = dae__evaluate(&c, driven->a);
  dae__check_leaves(&c, F, driven->a->place, &may);
  rows_check_drive(x, k, F, driven->a->place);
  if (x->l->status)
    return;
  dae__node lambda;
  if (dae__joint_has_slide(k)) {
    lambda = dae__connector_row(x, k, "drive", DAE__SUB(g, dae__joint_slide(x, k), F), false);
    rows_react(x, &k->force, lambda, k->u);
  } else if (k->plane || k->relative) {
    lambda = dae__connector_row(x, k, "drive", DAE__SUB(g, dae__joint_angle(x, k), F), false);
    k->torque.node = DAE__SUB(g, k->torque.node, lambda);
  } else { /* m.nb cos F - n.nb sin F, as the one direction m cos F - n sin F of A */
    dae__value v = dae__vector_sub(g, dae__vector_scale(g, dae__unary(g, DAE__OP_COS, F), k->m),
                                   dae__vector_scale(g, dae__unary(g, DAE__OP_SIN, F), k->n));
    lambda = dae__connector_row(x, k, "drive", dae__vector_dot(g, v, k->nb), false);
    rows_react(x, &k->torque, lambda, dae__vector_cross(g, k->nb, v));
  }
  k->drive = DAE__NEG(g, lambda);
}

/* Constraint e.e = 1 of the Euler parameters of a relative spherical joint. */
static void rows_unit(dae__expander *x, dae__connector *k)
{
  dae__graph *g = x->graph;
  dae__node square = DAE__ZERO;
  for (int i = 0; i < DAE__RELATIVE; i++)
    square = DAE__ADD(g, square, dae__powi(g, dae__leaf(g, k->coordinate[i]), 2));
  dae__connector_row(x, k, "unit", DAE__SUB(g, square, dae__constant(g, 1)), false);
}

void dae__joint_expand(dae__expander *x, dae__connector *k)
{
  k->force = (dae__value){.size = k->plane ? 2 : 3};
  k->torque = (dae__value){.size = k->plane ? 1 : 3};
  if (k->relative && k->kind == DAE__CONNECTOR_SPHERICAL)
    rows_unit(x, k);
  else if (k->relative)
    ; /* its coordinates leave nothing to constrain */
  else if (k->plane)
    rows_plane(x, k);
  else
    rows_space(x, k);
  if (k->driven && !x->l->status)
    rows_drive(x, k);
  if (k->kind != DAE__CONNECTOR_SPHERICAL) {
    k->a->turned_by++;
    k->b->turned_by++;
  }
}
