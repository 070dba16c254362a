/* Poses of relative joints at the start, as numbers. The clauses of both bodies tell the turn of B
 * in A and the slides; where they do not fit the joint, B moves to where the joint puts it, and so
 * do the bodies it carries. Rates follow when the motion is known (relative_rates.c). */
#include "model/space/space.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* A whole turn, 2 pi. */
static const double TURN = 6.283185307179586;

static void start_conjugate(const double *e, double *out)
{
  out[0] = e[0];
  for (int i = 1; i < 4; i++)
    out[i] = -e[i];
}

/* Direction of space in the axes of a body, and back. */
static void start_to_local(const dae__body *b, const double *v, double *out)
{
  double back[4];
  start_conjugate(b->turn, back);
  dae__turn_apply(back, v, out);
}

/* Replaces what is a rounding error beside 1 by 0, and what is beside it by 1, so that expressions
 * of parallel axes have few terms. */
static void start_round(int count, double *v, double scale)
{
  const double dust = 8 * DBL_EPSILON * scale;
  for (int i = 0; i < count; i++)
    if (fabs(v[i]) <= dust)
      v[i] = 0;
    else if (fabs(fabs(v[i]) - scale) <= dust)
      v[i] = copysign(scale, v[i]);
}

/* ---- geometry ---- */

/* Turn of B in A by the clauses, made to fit the axes of the joint. Returns its angle. */
static double start_find_turn(dae__connector *k)
{
  double back[4], nb[3], to[3], fit[4], angle = 0;
  const double *u = k->axes[DAE__AXIS_U];
  start_conjugate(k->a->turn, back);
  dae__turn_product(back, k->b->turn, k->turn);
  if (k->kind == DAE__CONNECTOR_SPHERICAL)
    return 0;
  if (k->kind == DAE__CONNECTOR_UNIVERSAL) { /* the second axis becomes square to the first */
    dae__turn_apply(k->turn, k->axes[DAE__AXIS_UB], k->second);
    double along = dae__dot3(u, k->second);
    for (int i = 0; i < 3; i++)
      to[i] = k->second[i] - along * u[i];
    if (dae__normalise(to)) {
      dae__turn_shortest(k->second, to, fit);
      dae__turn_product(fit, k->turn, k->turn);
      memcpy(k->second, to, sizeof to);
    }
    return 0;
  }
  dae__turn_apply(k->turn, k->axes[DAE__AXIS_UB], to);
  dae__turn_shortest(to, u, fit);
  dae__turn_product(fit, k->turn, k->turn);
  dae__turn_apply(k->turn, k->axes[DAE__AXIS_NB], nb);
  angle = atan2(dae__dot3(k->axes[DAE__AXIS_M], nb), dae__dot3(k->axes[DAE__AXIS_N], nb));
  dae__turn_about(k->angle0 - angle, u, fit);
  dae__turn_product(fit, k->turn, k->turn);
  return angle;
}

/* Geometry of a joint, and the start of its coordinates, by the clauses of its bodies. */
static void start_find_geometry(dae__expander *x, dae__connector *k)
{
  const dae__body *a = k->a, *b = k->b;
  int angles = dae__relative_angles(k), slides = dae__relative_slides(k);
  double angle = start_find_turn(k), p[3], d[3];
  for (int i = 0; i < angles; i++)
    k->start[i] = 0;
  if (k->angle_leaf) { /* the turn nearest to the angle that is asked for */
    double F = dae__start_value(x, dae__joint_start_angle(x, k), k->s->place);
    bool exact = dae__clause_of(k->s, "driven") || fabs(remainder(angle - F, TURN)) < 1e-12;
    k->start[0] = exact ? F : F + remainder(angle - F, TURN);
  }
  dae__turn_apply(b->turn, k->place, p);
  for (int i = 0; i < 3; i++)
    p[i] += b->position[i] - a->position[i];
  start_to_local(a, p, d);
  double size = sqrt(dae__dot3(p, p));
  for (int i = 0; i < 3; i++)
    d[i] -= k->from[i];
  for (int i = angles; i < angles + slides; i++) {
    k->start[i] = dae__dot3(d, dae__relative_axis(k, i));
    start_round(1, &k->start[i], size > 1 ? size : 1);
  }
  if (k->kind == DAE__CONNECTOR_SPHERICAL)
    k->start[0] = 1;
  start_round(4, k->turn, 1);
  start_round(3, k->second, 1);
  for (int i = 0; i < DAE__AXES; i++)
    start_round(3, k->axes[i], 1);
}

/* ---- poses ---- */

/* Turn of B in A for the start of the angles; count: number of angles that turn. */
static void start_turn_of(const dae__connector *k, int count, double *turn)
{
  double by[4];
  const double none[4] = {1, 0, 0, 0};
  memcpy(turn, none, sizeof none);
  for (int i = 0; i < count; i++) {
    dae__turn_about(k->start[i] - (i == 0 ? k->angle0 : 0), dae__relative_axis(k, i), by);
    dae__turn_product(turn, by, turn);
  }
}

static void start_find_pose(dae__connector *k)
{
  const dae__body *a = k->a;
  dae__body *b = k->b;
  int angles = dae__relative_angles(k), slides = dae__relative_slides(k);
  double turn[4], p[3], arm[3];
  start_turn_of(k, angles, turn);
  dae__turn_product(turn, k->turn, turn);
  dae__turn_product(a->turn, turn, b->turn);
  memcpy(p, k->from, sizeof p);
  for (int j = angles; j < angles + slides; j++)
    for (int i = 0; i < 3; i++)
      p[i] += k->start[j] * dae__relative_axis(k, j)[i];
  dae__turn_apply(a->turn, p, p);
  dae__turn_apply(b->turn, k->place, arm);
  for (int i = 0; i < 3; i++)
    b->position[i] = a->position[i] + p[i] - arm[i];
}

void dae__relative_find_starts(dae__expander *x)
{
  const dae__space *space = x->space;
  for (int i = 0; i < space->relative.count && !x->l->status; i++) {
    dae__connector *k = space->relative.item[i];
    dae__body_find_rates(x, k->b);
    if (k->a->s)
      dae__body_find_rates(x, k->a);
    if (!x->l->status)
      start_find_geometry(x, k);
  }
  for (int i = 0; i < space->relative.count && !x->l->status; i++) {
    dae__connector *k = space->relative.item[i];
    start_find_pose(k);
    k->started = true;
  }
  if (space->relative.count > 0 && !x->l->status)
    dae__start_forget(x);
}

/* ---- start of the coordinates ---- */

static int start_coordinate(dae__expander *x, const dae__connector *k, int leaf, bool rate)
{
  int i = 0;
  while (leaf != (rate ? dae__rate_leaf(x, k->coordinate[i]) : k->coordinate[i]))
    i++;
  return i;
}

dae__node dae__relative_start(dae__expander *x, dae__connector *k, int leaf, bool rate)
{
  dae__graph *g = x->graph;
  int i = start_coordinate(x, k, leaf, rate);
  if (k->started)
    return dae__constant(g, rate ? k->start_rate[i] : k->start[i]);
  /* before: what the clauses of the bodies tell */
  dae__connector_resolve(x, k);
  if (x->l->status)
    return DAE__ZERO;
  bool angle = k->coordinate[i] == k->angle_leaf;
  if (angle)
    return rate ? dae__joint_rate_of_bodies(x, k) : dae__joint_start_angle(x, k);
  if (!rate && k->kind != DAE__CONNECTOR_SPHERICAL && i >= dae__relative_angles(k)) {
    dae__value axis = k->kind != DAE__CONNECTOR_PLANAR ? k->u : i == 1 ? k->n : k->m;
    return dae__vector_dot(g, axis, k->d);
  }
  return dae__constant(g, !rate && i == 0 && k->kind == DAE__CONNECTOR_SPHERICAL);
}

void dae__relative_held(dae__expander *x, int leaf, bool *given, bool *fixed)
{
  const dae__connector *k = x->symbols.item[x->leaves.item[leaf].symbol].connector;
  const dae__body *b = k->b;
  bool rate = x->leaf_kind.item[leaf] == DAE__LEAF_COORD_RATE;
  int i = start_coordinate(x, k, leaf, rate);
  bool slides = k->kind != DAE__CONNECTOR_SPHERICAL && i >= dae__relative_angles(k);
  if (rate)
    *given = k->rate_given[i];
  else
    *given = slides ? b->position_given : b->turn_given;
  *fixed = b->fixed && !rate;
}
