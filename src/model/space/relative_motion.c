/* The motion of trees of relative joints in the coordinates of the joints.
 *
 * Everything was expanded in the poses of all bodies, with leaves for the axes and angular
 * velocities of those in trees. When the motion is complete, forces on these leaves become forces
 * on those of the parent and of the joint, by the chain rule, from the ends of the trees to their
 * roots: the recursion of Newton and Euler. Then the leaves are replaced by expressions of the
 * coordinates, from the roots to the ends; rates x' by R v, e' by (0, W) e / 2. The kinetic energy
 * of carried bodies is made of the velocities in their axes. */
#include "model/space/space.h"
#include <string.h>

/* ---- kinetic energy ---- */

/* Kinetic energy of a carried body; with Euler parameters of its joint the term 2 Jr (e.e')^2 that
 * makes the mass matrix regular. */
static void motion_energy(dae__expander *x, const dae__connector *k)
{
  dae__graph *g = x->graph;
  dae__body *b = k->b;
  dae__context c = dae__context_of(x, b->instance);
  dae__value velocity = b->flow;
  if (b->has_centre)
    velocity =
        dae__vector_add(g, velocity, dae__vector_cross(g, b->spin, dae__vector(g, 3, b->centre)));
  dae__node T = dae__body_turning_energy(x, b, b->spin);
  if (k->kind == DAE__CONNECTOR_SPHERICAL) {
    dae__node e[DAE__RELATIVE], rate[DAE__RELATIVE], along = DAE__ZERO;
    dae__relative_ball(x, k, false, e);
    dae__relative_ball(x, k, true, rate);
    for (int i = 0; i < DAE__RELATIVE; i++)
      along = DAE__ADD(g, along, DAE__MUL(g, e[i], rate[i]));
    /* any positive factor: the term is zero */
    double moment = b->moment > 0 ? b->moment : b->mass > 0 ? b->mass : 1;
    T = DAE__ADD(g, T, DAE__MUL(g, dae__constant(g, 2 * moment), dae__powi(g, along, 2)));
  }
  T = DAE__ADD(g, T, dae__body_moving_energy(x, b, velocity));
  dae__add_energy(&c, true, T, b->s->place);
}

/* Kinetic energy m |v + w x c|^2 / 2 of a point mass at the point c of a carried body. */
static void motion_point_energy(dae__expander *x, const dae__load_point *p)
{
  dae__graph *g = x->graph;
  const dae__body *b = p->body;
  dae__context c = dae__context_of(x, b->instance);
  dae__value v = dae__vector_add(g, b->flow, dae__vector_cross(g, b->spin, p->at));
  dae__node T = DAE__MUL(g, DAE__MUL(g, dae__constant(g, 0.5), p->mass), dae__vector_dot(g, v, v));
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

static void motion_put(dae__expander *x, int leaf, int count, const dae__node *node)
{
  for (int i = 0; i < count; i++)
    x->space->by.item[leaf + i] = dae__relative_reduced(x, node[i]);
}

/* Sets what the leaves of a body of a tree stand for; those of its parent are known. */
static void motion_replace_body(dae__expander *x, dae__body *b, const dae__level *level)
{
  dae__graph *g = x->graph;
  for (int j = 0; j < 3; j++)
    motion_put(x, b->axes_leaf + 3 * j, 3, level->axis[j].at);
  motion_put(x, dae__rate_leaf(x, b->turning_leaf), 3, level->omega.at);
  if (!b->carrier)
    return;
  motion_put(x, b->leaf, 3, level->pos.at);
  motion_put(x, b->leaf + 3, 4, level->e);
  dae__relative_velocities(x, b->carrier);
  dae__value flow = {.size = 3}, e = b->turn_node, rate;
  for (int j = 0; j < 3; j++)
    flow = dae__vector_add(g, flow, dae__vector_scale(g, b->flow.at[j], b->axis[j]));
  motion_put(x, b->rate, 3, flow.at);
  dae__node scalar;
  rate = dae__euler_product(g, DAE__ZERO, b->omega_node, b->e0, e, &scalar);
  rate = dae__vector_scale(g, dae__constant(g, 0.5), rate);
  scalar = DAE__MUL(g, dae__constant(g, 0.5), scalar);
  motion_put(x, b->rate + 3, 1, &scalar);
  motion_put(x, b->rate + 4, 3, rate.at);
}

/* ---- numbers that depend on the shape of a tree ---- */

/* Tests that a body is carried, over any number of joints, by another one. */
static bool motion_is_below(const dae__body *b, const dae__body *root)
{
  while (b != root && b->carrier)
    b = b->carrier->a;
  return b == root;
}

static void motion_put_local(dae__expander *x, dae__node *local, int leaf, int count,
                             const dae__node *node)
{
  for (int i = 0; i < count; i++)
    local[leaf + i] = dae__replace_leaves(x->walker, node[i], local);
}

/* Expression of a scalar: with the poses beside that of its root, which is put into the origin. */
static void motion_replace_scalar(dae__expander *x, const dae__scalar *s, const dae__level *level,
                                  dae__node *local)
{
  const dae__space *space = x->space;
  for (int i = 0; i < x->leaves.count; i++)
    local[i] = -1;
  for (int i = 0; i < 3; i++)
    local[s->root->leaf + i] = DAE__ZERO;
  for (int i = 0; i < 9; i++)
    local[s->root->axes_leaf + i] = dae__constant(x->graph, i % 4 == 0);
  for (int i = 0; i < space->relative.count; i++) {
    const dae__body *b = space->relative.item[i]->b;
    if (b == s->root || !motion_is_below(b, s->root))
      continue;
    for (int j = 0; j < 3; j++)
      motion_put_local(x, local, b->axes_leaf + 3 * j, 3, level[i].axis[j].at);
    motion_put_local(x, local, b->leaf, 3, level[i].pos.at);
  }
  dae__node node = dae__replace_leaves(x->walker, s->node, local);
  x->space->by.item[s->leaf] = node;
  x->space->by.item[dae__rate_leaf(x, s->leaf)] = dae__relative_reduced(
      x, dae__total_rate(x, node, dae__declared_at(x, s->leaf), "the length"));
}

/* ---- forces ---- */

/* Forces on the way to coordinates, by leaf: their sum, and the place of one of them in the text.
 */
typedef struct moving {
  dae__node *force;
  int *place;
} moving;

static void motion_add_force(dae__expander *x, moving *to, int leaf, dae__node F, int place)
{
  to->force[leaf] = DAE__ADD(x->graph, to->force[leaf], F);
  to->place[leaf] = place;
}

/* Adds F d(node)/d(leaf) to the forces on all coordinates in a node; rates: the force on the
 * coordinates of all rates in it. */
static void motion_pass_force(dae__expander *x, moving *all, int leaf, dae__node node, bool rates)
{
  dae__kinds kinds = {x->leaf_kind.item, rates ? DAE__LEAF_COORD_RATE : DAE__LEAF_COORD};
  dae__node F = all->force[leaf];
  if (F == DAE__ZERO)
    return;
  dae__gradient d = dae__gradient_of(x->walker, node, kinds);
  for (int i = 0; i < d.count; i++) {
    int to = rates ? dae__coordinate_of_rate(x, d.leaf[i]) : d.leaf[i];
    motion_add_force(x, all, to, DAE__MUL(x->graph, F, d.value[i]), all->place[leaf]);
  }
}

/* Moves the forces on a body to its parent and its joint, or to its coordinates. */
static void motion_pass_forces(dae__expander *x, moving *all, const dae__body *b,
                               const dae__level *level)
{
  for (int i = 0; i < 3 && b->carrier; i++)
    motion_pass_force(x, all, b->leaf + i, level->pos.at[i], false);
  for (int i = 0; i < 4 && b->carrier; i++)
    motion_pass_force(x, all, b->leaf + 3 + i, level->e[i], false);
  for (int i = 0; i < 9; i++)
    motion_pass_force(x, all, b->axes_leaf + i, level->axis[i / 3].at[i % 3], false);
  for (int i = 0; i < 3; i++)
    motion_pass_force(x, all, b->turning_leaf + i, level->omega.at[i], true);
}

/* Collects the forces on derived leaves, and removes them from the lists. */
static void motion_take_forces(dae__expander *x, moving *all)
{
  for (int i = 0; i < x->instances.count; i++) {
    dae__instance *own = &x->instances.item[i];
    int kept = 0;
    for (int k = 0; k < own->forces.count; k++) {
      dae__force F = own->forces.item[k];
      if (dae__is_derived(x, F.leaf))
        motion_add_force(x, all, F.leaf, F.node, F.place);
      else
        own->forces.item[kept++] = F;
    }
    own->forces.count = kept;
  }
}

static void motion_move_forces(dae__expander *x, const dae__level *level, const dae__level *root)
{
  const dae__space *space = x->space;
  moving all = {DAE__NEW_ARRAY(x->l->scratch, dae__node, x->leaves.count),
                DAE__NEW_ARRAY(x->l->scratch, int, x->leaves.count)};
  if (!dae__load_ok(x->l))
    return;
  motion_take_forces(x, &all);
  for (int i = 0; i < space->scalars.count; i++) {
    int leaf = space->scalars.item[i].leaf;
    motion_pass_force(x, &all, leaf, space->by.item[leaf], false);
  }
  for (int i = space->relative.count - 1; i >= 0; i--)
    motion_pass_forces(x, &all, space->relative.item[i]->b, &level[i]);
  for (int i = 0; i < space->roots.count; i++)
    motion_pass_forces(x, &all, space->roots.item[i], &root[i]);
  for (int leaf = 0; leaf < x->leaves.count && dae__load_ok(x->l); leaf++)
    if (all.force[leaf] != DAE__ZERO && !dae__is_derived(x, leaf))
      *DAE__PUSH(x->l->scratch, &x->instances.item[dae__leaf_home(x, leaf)].forces) =
          (dae__force){leaf, all.place[leaf], all.force[leaf]};
}

void dae__relative_reduce(dae__expander *x)
{
  dae__space *space = x->space;
  int count = space->relative.count, roots = space->roots.count;
  if (count == 0)
    return;
  dae__level *level = DAE__NEW_ARRAY(x->l->scratch, dae__level, count + roots);
  dae__node *local = DAE__NEW_ARRAY(x->l->scratch, dae__node, x->leaves.count);
  dae__relative_reduced(x, DAE__ZERO); /* extends the list to all leaves */
  if (!dae__load_ok(x->l))
    return;
  for (int i = 0; i < count + roots; i++)
    dae__relative_level(x, i < count ? space->relative.item[i]->b : space->roots.item[i - count],
                        &level[i]);
  for (int i = 0; i < space->scalars.count && dae__load_ok(x->l); i++)
    motion_replace_scalar(x, &space->scalars.item[i], level, local);
  motion_move_forces(x, level, level + count);
  for (int i = 0; i < roots && dae__load_ok(x->l); i++)
    motion_replace_body(x, space->roots.item[i], &level[count + i]);
  for (int i = 0; i < count && dae__load_ok(x->l); i++)
    motion_replace_body(x, space->relative.item[i]->b, &level[i]);
  dae__node_places motion = {0};
  dae__list_motion(x, &motion);
  for (int i = 0; i < motion.count; i++)
    *motion.item[i] = dae__relative_reduced(x, *motion.item[i]);
  for (int i = 0; i < x->contacts.count; i++) {
    dae__expanded_contact *contact = &x->contacts.item[i];
    contact->gap = dae__relative_reduced(x, contact->gap);
    contact->slide = dae__relative_reduced(x, contact->slide);
    contact->speed = dae__relative_reduced(x, contact->speed);
  }
  for (int i = 0; i < count && dae__load_ok(x->l); i++)
    motion_energy(x, space->relative.item[i]);
  for (int i = 0; i < space->masses.count && dae__load_ok(x->l); i++)
    motion_point_energy(x, &space->masses.item[i]);
  dae__relations_reduced(x);
}
