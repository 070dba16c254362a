/* Bushings: springs and dampers between a point of A and one of B, in the axes of A. With
 * d = A.local(q - p), the turn t = 2 vec(r), r = conj(eA) eB conj(r0) with r0 = conj(eA) eB of the
 * start, and w = A.local(W_B - W_A),
 *
 *   V = sum (k d^2 + kt t^2) / 2,   D = sum (c d'^2 + ct w^2) / 2.
 *
 * Force and torque on B: -A.dir(k d + c d'), -A.dir(r0 kt t + vec(r) x kt t + ct w), where r0
 * stands for the scalar of r. In the plane t is B.angle - A.angle. */
#include "model/space/space.h"
#include <string.h>

/* Stiffness or damping of each direction: one number for all, or a vector. */
static dae__value bushing_values(const dae__context *c, const dae__clause *at, int size)
{
  dae__value value = {.size = 1};
  if (at)
    value = dae__evaluate_value(c, at->a);
  if (!c->x->l->status && value.size != 1 && value.size != size)
    dae__load_fail(c->x->l, at->a->place, "%s of a bushing is a number or %s, found %s", at->word,
                   dae__size_text(size), dae__size_text(value.size));
  if (value.size == 1)
    value = (dae__value){.at = {value.node, value.node, value.node}, .size = size};
  for (int i = 0; at && i < size; i++)
    dae__check_force(c, value.at[i], at->a->place);
  return value;
}

/* Clauses of a bushing: damping stands once before and once after turning. */
static void bushing_clauses(dae__expander *x, const dae__connector *k,
                            const dae__clause *damping[2])
{
  int turning = 0;
  for (const dae__clause *at = k->s->clause; at; at = at->next) {
    turning = turning || !strcmp(at->word, "turning");
    if (strcmp(at->word, "damping") != 0)
      continue;
    if (damping[turning])
      dae__load_fail(x->l, at->place, "damping is given twice");
    damping[turning] = at;
  }
  if (!dae__clause_of(k->s, "stiffness") && !damping[0] && !dae__clause_of(k->s, "turning"))
    dae__load_fail(x->l, k->s->place, "bushing %s needs stiffness, damping or turning", k->name);
}

void dae__bushing_resolve(dae__expander *x, dae__connector *k)
{
  dae__context c = dae__connector_context(x, k);
  const dae__clause *at = dae__clause_of(k->s, "at");
  double p[3] = {0}, q[3];
  dae__connector_bodies(&c, k);
  if (x->l->status)
    return;
  int size = k->plane ? 2 : 3;
  if (at) {
    dae__clause_numbers(&c, at->a, size, "the place of a bushing", p);
  } else if (k->b->s) {
    dae__body_find_pose(x, k->b);
    memcpy(p, k->b->position, sizeof p);
  }
  memcpy(q, p, sizeof q);
  if (at && at->b && !x->l->status)
    dae__clause_numbers(&c, at->b, size, "the place of a bushing", q);
  dae__body_nodes(x, k->a);
  dae__body_nodes(x, k->b);
  if (!x->l->status)
    dae__connector_place(x, k, p, q);
}

/* r = conj(eA) eB conj(r0). */
static dae__value bushing_turn(dae__expander *x, dae__connector *k, dae__node *scalar)
{
  dae__graph *g = x->graph;
  dae__node s;
  dae__value back = dae__vector_neg(g, k->a->turn_node);
  dae__value r = dae__euler_product(g, k->a->e0, back, k->b->e0, k->b->turn_node, &s);
  double r0[4];
  r0[0] = dae__start_value(x, s, k->s->place);
  for (int i = 0; i < 3; i++)
    r0[1 + i] = -dae__start_value(x, r.at[i], k->s->place);
  return dae__euler_product(g, s, r, dae__constant(g, r0[0]), dae__vector(g, 3, r0 + 1), scalar);
}

/* sum k v^2 / 2 */
static dae__node bushing_quadratic(dae__graph *g, dae__value k, dae__value v)
{
  dae__node sum = DAE__ZERO;
  for (int i = 0; i < v.size; i++)
    sum = DAE__ADD(g, sum, DAE__MUL(g, k.at[i], dae__powi(g, v.at[i], 2)));
  return DAE__MUL(g, dae__constant(g, 0.5), sum);
}

static dae__value bushing_each(dae__graph *g, dae__value k, dae__value v)
{
  for (int i = 0; i < v.size; i++)
    v.at[i] = DAE__MUL(g, k.at[i], v.at[i]);
  return v;
}

/* Adds potential and dissipation of a displacement d with rate v. */
static void bushing_add(const dae__context *c, const dae__connector *k, dae__value stiffness,
                        dae__value d, dae__value damping, dae__value v)
{
  dae__graph *g = c->x->graph;
  dae__node V = bushing_quadratic(g, stiffness, d);
  dae__check_energy(c, false, V, k->s->place);
  dae__add_energy(c, false, V, k->s->place);
  for (int i = 0; i < v.size && !c->x->l->status; i++) {
    dae__value F = dae__as_number(DAE__NEG(g, DAE__MUL(g, damping.at[i], v.at[i])));
    if (F.node != DAE__ZERO)
      dae__add_virtual_force(c, F, dae__as_number(v.at[i]), k->s->place);
  }
}

void dae__bushing_expand(dae__expander *x, dae__connector *k)
{
  dae__graph *g = x->graph;
  dae__context c = dae__connector_context(x, k);
  const dae__clause *damping[2] = {NULL, NULL}, *turning = dae__clause_of(k->s, "turning");
  int size = k->plane ? 2 : 3, turns = k->plane ? 1 : 3;
  bushing_clauses(x, k, damping);
  if (x->l->status)
    return;
  dae__value K = bushing_values(&c, dae__clause_of(k->s, "stiffness"), size);
  dae__value C = bushing_values(&c, damping[0], size);
  dae__value Kt = bushing_values(&c, turning, turns), Ct = bushing_values(&c, damping[1], turns);
  if (x->l->status)
    return;
  dae__value d = dae__body_local(x, k->a, k->d);
  for (int i = 0; i < size && !k->plane; i++)
    d.at[i] = dae__relative_scalar(x, k, d.at[i], (dae__value[]){k->a->axis[i], k->d}, 2);
  dae__value v = dae__vector_rate(x, d, k->s->place, k->name), w, t, moment;
  if (k->plane) {
    w = dae__vector_sub(g, k->b->omega_node, k->a->omega_node);
    dae__node angle = DAE__SUB(g, k->b->angle, k->a->angle);
    double start = dae__start_value(x, angle, k->s->place);
    t = dae__as_number(DAE__SUB(g, angle, dae__constant(g, start)));
    moment = bushing_each(g, Kt, t);
  } else {
    dae__node scalar;
    dae__value r = bushing_turn(x, k, &scalar);
    w = dae__body_local(x, k->a, dae__vector_sub(g, k->b->omega_node, k->a->omega_node));
    t = dae__vector_scale(g, dae__constant(g, 2), r);
    dae__value kt = bushing_each(g, Kt, t);
    moment = dae__vector_add(g, dae__vector_scale(g, scalar, kt), dae__vector_cross(g, r, kt));
  }
  bushing_add(&c, k, K, d, C, v);
  bushing_add(&c, k, Kt, t, Ct, w);
  dae__value pull = dae__vector_add(g, bushing_each(g, K, d), bushing_each(g, C, v));
  moment = dae__vector_add(g, moment, bushing_each(g, Ct, w));
  k->force = dae__vector_neg(g, dae__body_dir(x, k->a, pull));
  k->torque = dae__vector_neg(g, k->plane ? moment : dae__body_dir(x, k->a, moment));
}
