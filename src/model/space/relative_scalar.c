/* Numbers that do not depend on where a tree of relative joints is as a whole.
 *
 * A vector of space that is a sum of multiples of axes of bodies of one tree, and of differences of
 * their origins, turns with the tree: lengths and scalar products of such vectors depend on the
 * coordinates of the joints between these bodies only. A leaf takes the place of such a number; its
 * expression, beside the body that carries all of them, holds neither the pose of that body nor
 * that of the tree, and so do its derivatives. */
#include "model/space/space.h"
#include <string.h>

/* The body that carries both, over any number of joints, or is one of them; the ground: none. */
static dae__body *scalar_common(dae__body *a, dae__body *b)
{
  int deep_a = a->carrier ? a->carrier->depth : 0, deep_b = b->carrier ? b->carrier->depth : 0;
  while (a != b && (a->carrier || b->carrier)) {
    if (deep_a >= deep_b) {
      a = a->carrier->a;
      deep_a--;
    } else {
      b = b->carrier->a;
      deep_b--;
    }
  }
  return a == b ? a : NULL;
}

/* Body of a tree whose origin or axis has a component x with this leaf; NULL: none. */
static dae__body *scalar_body(dae__expander *x, int leaf, bool *origin)
{
  dae__leaf_info info = x->leaves.item[leaf];
  const dae__symbol *s = info.symbol < 0 ? NULL : &x->symbols.item[info.symbol];
  int component;
  *origin = s && s->kind == DAE__STATEMENT_BODY;
  if (!*origin)
    return s && s->body_of && s->body_of->axes_leaf <= leaf && leaf < s->body_of->axes_leaf + 9 &&
                   (leaf - s->body_of->axes_leaf) % 3 == 0
               ? s->body_of
               : NULL;
  dae__body *b = dae__body_of_leaf(x, leaf, &component);
  return b->axes_leaf && component == 0 ? b : NULL;
}

/* A vector of space as a sum of multiples of origins and axes of bodies of trees. */
typedef struct scalar_sum {
  int count;
  int *leaf; /* of the component x of an origin or axis */
  dae__node *factor;
  dae__node origins; /* sum of the factors of origins */
} scalar_sum;

/* Tests that the gradient of component i is that of component x, for the leaves i further on. */
static bool scalar_same(const dae__gradient *d, const scalar_sum *sum, int i)
{
  bool same = d->count == sum->count;
  for (int n = 0; n < sum->count && same; n++)
    same = d->leaf[n] == sum->leaf[n] + i && d->value[n] == sum->factor[n];
  return same;
}

/* Tests that a vector is such a sum, with factors that hold no poses, and nothing else. */
static bool scalar_find_sum(dae__expander *x, const dae__value *v, scalar_sum *sum)
{
  dae__kinds kinds = {x->leaf_kind.item, DAE__LEAF_COORD | DAE__LEAF_COORD_RATE};
  dae__pool *pool = x->l->scratch;
  if (v->size != 3 || x->l->status)
    return false;
  dae__gradient d = dae__gradient_of(x->walker, v->at[0], kinds);
  *sum = (scalar_sum){d.count, DAE__NEW_ARRAY(pool, int, d.count),
                      DAE__NEW_ARRAY(pool, dae__node, d.count), DAE__ZERO};
  dae__node *zero = DAE__NEW_ARRAY(pool, dae__node, x->leaves.count);
  if (!dae__load_ok(x->l) || d.count == 0)
    return false;
  memcpy(sum->leaf, d.leaf, (size_t)d.count * sizeof *d.leaf);
  memcpy(sum->factor, d.value, (size_t)d.count * sizeof *d.value);
  for (int i = 1; i < 3; i++) {
    d = dae__gradient_of(x->walker, v->at[i], kinds);
    if (!scalar_same(&d, sum, i))
      return false;
  }
  for (int n = 0; n < x->leaves.count; n++)
    zero[n] = x->leaf_kind.item[n] & kinds.mask ? DAE__ZERO : -1;
  for (int i = 0; i < 3; i++)
    if (dae__replace_leaves(x->walker, v->at[i], zero) != DAE__ZERO)
      return false;
  for (int n = 0; n < sum->count; n++) {
    bool origin;
    if (!scalar_body(x, sum->leaf[n], &origin) || dae__kinds_below(x, sum->factor[n]) & kinds.mask)
      return false;
    if (origin)
      sum->origins = DAE__ADD(x->graph, sum->origins, sum->factor[n]);
  }
  return true;
}

/* Tests that a vector turns with one tree; root: set to a body that carries all bodies in it, and
 * the one that is in it already, NULL: none. */
static bool scalar_turns_along(dae__expander *x, const dae__value *v, dae__body **root)
{
  scalar_sum sum;
  if (!scalar_find_sum(x, v, &sum) || sum.origins != DAE__ZERO)
    return false;
  for (int n = 0; n < sum.count; n++) {
    bool origin;
    dae__body *b = scalar_body(x, sum.leaf[n], &origin);
    *root = *root ? scalar_common(*root, b) : b;
    if (!*root || !(*root)->s)
      return false;
  }
  return true;
}

bool dae__relative_take_mass(dae__expander *x, dae__node mass, dae__value point)
{
  scalar_sum sum;
  dae__load_point own = {.mass = mass, .at = {.size = 3}};
  double one;
  if (x->space->relative.count == 0 || !scalar_find_sum(x, &point, &sum) ||
      !dae__is_constant(x->graph, sum.origins, &one) || one != 1)
    return false;
  for (int n = 0; n < sum.count; n++) {
    bool origin;
    dae__body *b = scalar_body(x, sum.leaf[n], &origin);
    if (!b->carrier || (own.body && b != own.body) ||
        dae__kinds_below(x, sum.factor[n]) & ~(unsigned)DAE__LEAF_DISCRETE)
      return false;
    own.body = b;
    if (!origin)
      own.at.at[(sum.leaf[n] - b->axes_leaf) / 3] = sum.factor[n];
  }
  *DAE__PUSH(x->l->scratch, &x->space->masses) = own;
  return true;
}

dae__node dae__relative_scalar(dae__expander *x, dae__connector *k, dae__node node,
                               const dae__value *vectors, int count)
{
  dae__body *root = NULL;
  for (int i = 0; i < count; i++)
    if (x->l->status || x->space->relative.count == 0 || !scalar_turns_along(x, &vectors[i], &root))
      return node;
  const dae__symbol like = {.derived = true, .connector = k};
  int leaf = dae__add_coordinates(x, k->instance, k->label ? k->label : k->name, k->s, 1, &like);
  *DAE__PUSH(x->l->scratch, &x->space->scalars) = (dae__scalar){leaf, node, root};
  return dae__load_ok(x->l) ? dae__leaf(x->graph, leaf) : DAE__ZERO;
}

dae__node dae__relative_derived_start(dae__expander *x, int leaf)
{
  const dae__symbol *s = &x->symbols.item[x->leaves.item[leaf].symbol];
  bool rate = x->leaf_kind.item[leaf] == DAE__LEAF_COORD_RATE;
  dae__body *b = s->body_of;
  for (int i = 0; i < x->space->scalars.count; i++) {
    const dae__scalar *of = &x->space->scalars.item[i];
    if (leaf == of->leaf)
      return of->node;
    if (rate && leaf == dae__rate_leaf(x, of->leaf))
      return dae__total_rate(x, of->node, s->d->place, s->d->name);
  }
  double value = 0, unit[3] = {0}, axis[3];
  if (!rate && leaf < b->axes_leaf + 9 && leaf >= b->axes_leaf) {
    dae__body_find_pose(x, b);
    unit[(leaf - b->axes_leaf) / 3] = 1;
    dae__turn_apply(b->turn, unit, axis);
    value = axis[(leaf - b->axes_leaf) % 3];
  } else if (rate && dae__coordinate_of_rate(x, leaf) >= b->turning_leaf) {
    dae__body_find_rates(x, b);
    value = b->omega[dae__coordinate_of_rate(x, leaf) - b->turning_leaf];
  }
  return dae__constant(x->graph, value);
}
