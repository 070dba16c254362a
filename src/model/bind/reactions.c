#include "model/bind/reactions.h"
#include "model/expand/value.h"

/* Force without its multipliers, lambda(c) E, which become the entries -E of B. */
dae__node dae__reactions_take(dae__reactions *r, const dae__force *force)
{
  dae__binder *b = r->b;
  dae__expander *x = b->x;
  const dae__instance *own = &x->instances.item[r->u->instance];
  const int ng = own->holonomic.count;
  const unsigned factors =
      DAE__LEAF_TIME | DAE__LEAF_COORD | DAE__LEAF_COORD_RATE | DAE__LEAF_DISCRETE;
  if (!(dae__kinds_below(x, force->node) & DAE__LEAF_MULTIPLIER))
    return force->node;
  dae__kinds multipliers = {x->leaf_kind.item, DAE__LEAF_MULTIPLIER};
  dae__gradient d = dae__gradient_of(x->walker, force->node, multipliers);
  int count = d.count, *leaf = DAE__NEW_ARRAY(x->l->scratch, int, count);
  for (int i = 0; leaf && i < count; i++) {
    const dae__leaf_info *info = &x->leaves.item[leaf[i] = d.leaf[i]];
    const dae__constraints *all[] = {&own->holonomic, &own->nonholonomic};
    int kind = 0, at = info->element;
    while (kind < 2 && !(at < all[kind]->count && all[kind]->item[at].leaf == leaf[i]))
      kind++;
    if (kind == 2)
      dae__load_fail(x->l, force->place,
                     "a force contains the multiplier of another system, or of a joint");
    else if (dae__kinds_below(x, d.value[i]) & ~factors)
      dae__load_fail(x->l, force->place,
                     "%s may enter a force linearly, times t, coordinates, rates and discretes, "
                     "or by abs, min, max and if",
                     dae__leaf_name(x, leaf[i]));
    *DAE__PUSH(x->l->scratch, &r->by_forces) =
        (dae__triplet){kind * ng + at, b->index[force->leaf], DAE__NEG(x->graph, d.value[i])};
  }
  if (!dae__bind_ok(b))
    return DAE__ZERO;
  for (int i = 0; i < count; i++)
    b->by[leaf[i]] = DAE__ZERO;
  dae__node rest = dae__replace_leaves(x->walker, force->node, b->by);
  for (int i = 0; i < count; i++)
    b->by[leaf[i]] = -1;
  return rest;
}

/* ---- the matrix B ---- */

bool dae__reactions_any(const dae__reactions *r)
{
  const dae__instance *own = &r->b->x->instances.item[r->u->instance];
  const dae__constraints *all[] = {&own->holonomic, &own->nonholonomic};
  bool any = r->by_forces.count > 0;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < all[k]->count; i++)
      any = any || all[k]->item[i].directions.count > 0;
  return any;
}

/* Entries of the rows of B, by row. */
typedef struct reactions {
  dae__binder *b;
  int rows, *head; /* by row: 1 + its last entry */
  DAE__LIST(dae__triplet) entries;
  DAE__LIST(int) next; /* by entry: 1 + the one before it in its row */
} reactions;

static void reactions_put(reactions *r, int row, int col, dae__node node)
{
  dae__pool *pool = r->b->x->l->scratch;
  *DAE__PUSH(pool, &r->entries) = (dae__triplet){row, col, node};
  *DAE__PUSH(pool, &r->next) = r->head[row];
  r->head[row] = r->entries.count;
}

/* Adds the directions of a constraint besides the gradient of its residual. */
static void reactions_add_row(reactions *r, int row, const dae__constraint *g)
{
  dae__binder *b = r->b;
  dae__graph *graph = b->x->graph;
  for (int k = 0; k < g->directions.count; k++) {
    const dae__direction *d = &g->directions.item[k];
    if (d->leaf >= 0) {
      reactions_put(r, row, b->index[d->leaf], d->factor);
      continue;
    }
    dae__gradient by = dae__bind_gradient(b, d->of, d->by_rates ? DAE__BIT(V) : DAE__BIT(Q));
    for (int i = 0; i < by.count; i++)
      reactions_put(r, row, b->index[by.leaf[i]], DAE__MUL(graph, d->factor, by.value[i]));
  }
}

/* Sums of the entries of a row at one column, as entries of B. */
static void reactions_merge_row(reactions *r, int row, dae__node *sum, dae__triplets *B)
{
  dae__pool *pool = r->b->x->l->scratch;
  dae__graph *graph = r->b->x->graph;
  for (int e = r->head[row]; e > 0; e = r->next.item[e - 1]) {
    const dae__triplet *t = &r->entries.item[e - 1];
    sum[t->col] = sum[t->col] == -1 ? t->node : DAE__ADD(graph, sum[t->col], t->node);
  }
  for (int e = r->head[row]; e > 0; e = r->next.item[e - 1]) {
    int col = r->entries.item[e - 1].col;
    if (sum[col] > DAE__ZERO)
      *DAE__PUSH(pool, &B->entries) = (dae__triplet){row, col, sum[col]};
    sum[col] = -1;
  }
}

/* Lists the entries of all rows: gradients, other directions, multipliers in forces. */
static void reactions_list(const dae__reactions *of, const dae__triplets *const gradient[2],
                           reactions *r)
{
  dae__binder *b = of->b;
  const dae__instance *own = &b->x->instances.item[of->u->instance];
  const dae__constraints *all[] = {&own->holonomic, &own->nonholonomic};
  for (int k = 0, first = 0; k < 2 && dae__load_ok(b->x->l); first += all[k++]->count) {
    for (int i = 0; i < gradient[k]->entries.count; i++) {
      const dae__triplet *t = &gradient[k]->entries.item[i];
      if (!all[k]->item[t->row].acts)
        reactions_put(r, first + t->row, t->col, t->node);
    }
    for (int i = 0; i < all[k]->count && dae__bind_ok(b); i++)
      reactions_add_row(r, first + i, &all[k]->item[i]);
  }
  for (int i = 0; i < of->by_forces.count; i++) {
    const dae__triplet *t = &of->by_forces.item[i];
    reactions_put(r, t->row, t->col, t->node);
  }
}

dae__triplets dae__reactions_directions(const dae__reactions *of, const dae__triplets *G,
                                        const dae__triplets *K)
{
  dae__load *l = of->b->x->l;
  const int nq = of->u->q.count;
  reactions r = {.b = of->b, .rows = G->rows + K->rows};
  dae__triplets B = {.rows = r.rows, .cols = nq, .sparse = of->u->sparse};
  r.head = DAE__NEW_ARRAY(l->scratch, int, r.rows);
  dae__node *sum = DAE__NEW_ARRAY(l->scratch, dae__node, nq);
  if (!dae__load_ok(l))
    return B;
  for (int j = 0; j < nq; j++)
    sum[j] = -1;
  reactions_list(of, (const dae__triplets *[]){G, K}, &r);
  for (int row = 0; row < r.rows && dae__load_ok(l); row++)
    reactions_merge_row(&r, row, sum, &B);
  if (dae__load_ok(l))
    dae__triplets_sort(l->scratch, &B);
  return B;
}
