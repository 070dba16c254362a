/* Rolling without slip on the plane through P with normal N, fixed in A. With `arm` from the origin
 * of B to its lowest point,
 *
 *   ball      arm = -R N
 *   disk      arm = -R (N - (N.u) u) / |N - (N.u) u|, u its axis
 *   ellipsoid arm = -B.dir(D n) / sqrt(n.D n), n = B.local(N), D = diag(a^2, b^2, c^2)
 *
 * 0 = N.(pos + arm - P) holds the gap, and 0 = t.(velocity of the point of B at arm, relative to A)
 * for t square to N hold the slip. */
#include "model/space/space.h"
#include <math.h>
#include <string.h>

static dae__value rolling_fixed(dae__expander *x, dae__body *b, int size, const double *v)
{
  double local[3];
  dae__body_local_at_start(x, b, v, local);
  return dae__body_dir(x, b, dae__vector(x->graph, size, local));
}

/* Velocity of the point of a body that is at r. */
static dae__value rolling_velocity(dae__expander *x, dae__body *b, dae__value r)
{
  dae__graph *g = x->graph;
  dae__value arm = dae__vector_sub(g, r, b->pos), v = dae__body_velocity(x, b), turn;
  if (!b->s)
    return (dae__value){.size = r.size};
  if (b->plane) {
    dae__node w = b->omega_node.node;
    turn = (dae__value){.at = {DAE__NEG(g, DAE__MUL(g, w, arm.at[1])), DAE__MUL(g, w, arm.at[0])},
                        .size = 2};
  } else {
    turn = dae__vector_cross(g, b->omega_node, arm);
  }
  return dae__vector_add(g, v, turn);
}

/* Vector from the origin of B to its lowest point. */
static dae__value rolling_arm(dae__expander *x, const dae__context *c, dae__connector *k,
                              dae__value N)
{
  dae__graph *g = x->graph;
  const dae__clause *radius = dae__clause_of(k->s, "radius"), *axis = dae__clause_of(k->s, "axis");
  const dae__clause *ellipsoid = dae__clause_of(k->s, "ellipsoid");
  int size = k->plane ? 2 : 3;
  if (ellipsoid) {
    double a[3] = {1, 1, 1};
    dae__clause_numbers(c, ellipsoid->a, size, "ellipsoid (a, b, c)", a);
    dae__value n = dae__body_local(x, k->b, N), Dn = n;
    for (int i = 0; i < size; i++) {
      if (!x->l->status && !(a[i] > 0))
        dae__load_fail(x->l, ellipsoid->place, "a half axis of the ellipsoid is not positive");
      Dn.at[i] = DAE__MUL(g, dae__constant(g, a[i] * a[i]), n.at[i]);
    }
    dae__node root = dae__unary(g, DAE__OP_SQRT, dae__vector_dot(g, n, Dn));
    return dae__vector_neg(g, dae__vector_over(g, dae__body_dir(x, k->b, Dn), root));
  }
  double R = dae__clause_number(c, radius->a, "the radius of rolling"), u[3] = {0};
  if (!x->l->status && !(R > 0))
    dae__load_fail(x->l, radius->place, "the radius %g of rolling is not positive", R);
  dae__value down = N;
  if (axis && !x->l->status) {
    dae__clause_numbers(c, axis->a, 3, "the axis of a disk", u);
    if (!x->l->status && !dae__normalise(u))
      dae__load_fail(x->l, axis->place, "the axis has length 0");
    if (x->l->status)
      return N;
    double N0[3], along = 0;
    for (int i = 0; i < 3; i++) {
      N0[i] = dae__start_value(x, N.at[i], axis->place);
      along += N0[i] * u[i];
    }
    if (!x->l->status && fabs(along) > 1 - 1e-12)
      dae__load_fail(x->l, axis->place,
                     "the disk %s lies flat on its plane: its axis must not be along the normal",
                     k->b->name);
    dae__value own = rolling_fixed(x, k->b, 3, u);
    dae__value across =
        dae__vector_sub(g, N, dae__vector_scale(g, dae__vector_dot(g, N, own), own));
    down = dae__vector_over(g, across, dae__vector_norm(g, across));
  }
  return dae__vector_scale(g, dae__constant(g, -R), down);
}

/* Point P and normal N of the plane of A at the start. */
static void rolling_plane(dae__expander *x, const dae__context *c, dae__connector *k, double *P,
                          double *N)
{
  const dae__clause *at = dae__clause_of(k->s, "at"), *normal = dae__clause_of(k->s, "normal");
  int size = k->plane ? 2 : 3;
  if (k->a->s) {
    dae__body_find_pose(x, k->a);
    memcpy(P, k->a->position, 3 * sizeof *P);
  }
  if (at)
    dae__clause_numbers(c, at->a, size, "the point of the plane", P);
  N[size - 1] = 1;
  if (normal && !x->l->status) {
    dae__clause_numbers(c, normal->a, size, "the normal of the plane", N);
    if (!x->l->status && !dae__normalise(N))
      dae__load_fail(x->l, normal->place, "the normal has length 0");
  }
}

void dae__rolling_resolve(dae__expander *x, dae__connector *k)
{
  dae__context c = dae__connector_context(x, k);
  const dae__clause *radius = dae__clause_of(k->s, "radius"), *axis = dae__clause_of(k->s, "axis");
  const dae__clause *ellipsoid = dae__clause_of(k->s, "ellipsoid");
  double P[3] = {0}, N[3] = {0}, local[3];
  dae__connector_bodies(&c, k);
  if (x->l->status)
    return;
  if (!radius == !ellipsoid)
    dae__load_fail(x->l, k->s->place,
                   radius ? "a body that rolls is a ball or an ellipsoid: radius or "
                            "ellipsoid"
                          : "rolling %s needs radius R, or ellipsoid (a, b, c)",
                   k->name);
  else if (axis && (ellipsoid || k->plane))
    dae__load_fail(x->l, axis->place,
                   ellipsoid ? "an ellipsoid has no axis; its half axes are those "
                               "of the body"
                             : "in the plane a wheel has no axis");
  else if (!k->b->s)
    dae__load_fail(x->l, k->s->b->place,
                   "the second body of rolling rolls; the ground is the first: "
                   "rolling %s: ground, %s",
                   k->name, k->a->name);
  if (!x->l->status)
    rolling_plane(x, &c, k, P, N);
  if (x->l->status)
    return;
  int size = k->plane ? 2 : 3;
  dae__body_nodes(x, k->a);
  dae__body_nodes(x, k->b);
  dae__body_local_point_at_start(x, k->a, P, local);
  k->p = dae__body_point(x, k->a, dae__vector(x->graph, size, local));
  k->u = rolling_fixed(x, k->a, size, N);
  double t[3] = {0};
  if (k->plane) {
    t[0] = N[1];
    t[1] = -N[0];
  } else {
    dae__square_to(N, t);
  }
  k->n = rolling_fixed(x, k->a, size, t);
  k->m = k->plane ? k->n : dae__vector_cross(x->graph, k->u, k->n);
  dae__value arm = rolling_arm(x, &c, k, k->u);
  k->q = dae__vector_add(x->graph, k->b->pos, arm);
  k->d = dae__vector_sub(x->graph, k->q, k->p);
}

void dae__rolling_expand(dae__expander *x, dae__connector *k)
{
  dae__graph *g = x->graph;
  dae__value v =
      dae__vector_sub(g, rolling_velocity(x, k->b, k->q), rolling_velocity(x, k->a, k->q));
  dae__value t[2] = {k->n, k->m};
  k->force = (dae__value){.size = k->plane ? 2 : 3};
  k->torque = (dae__value){.size = k->plane ? 1 : 3};
  dae__node lambda = dae__connector_row(x, k, "gap", dae__vector_dot(g, k->u, k->d), false);
  k->force = dae__vector_sub(g, k->force, dae__vector_scale(g, lambda, k->u));
  for (int i = 0; i < (k->plane ? 1 : 2); i++) {
    dae__node slip = dae__vector_dot(g, t[i], v);
    dae__node psi = dae__connector_row(x, k, i ? "slip2" : "slip1", slip, true);
    k->force = dae__vector_sub(g, k->force, dae__vector_scale(g, psi, t[i]));
  }
  k->a->turned_by++;
  k->b->turned_by++;
}
