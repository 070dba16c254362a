/* What binding of all forms shares: leaves and their places, Jacobians, tapes. */
#include "model/bind/bind.h"
#include "core/error.h"
#include <string.h>

static void *bind_longer(dae__binder *b, const void *old, size_t size, int count)
{
  char *memory = dae__pool_take(b->x->l->scratch, (size_t)count, size);
  if (memory && b->leaves > 0)
    memcpy(memory, old, (size_t)b->leaves * size);
  return memory;
}

/* room for as many leaves as there are */
static void bind_make_room(dae__binder *b)
{
  int needed = b->x->leaves.count;
  if (needed <= b->leaves || !dae__load_ok(b->x->l))
    return;
  needed += needed / 2;
  b->kind = bind_longer(b, b->kind, sizeof *b->kind, needed);
  b->index = bind_longer(b, b->index, sizeof *b->index, needed);
  b->input = bind_longer(b, b->input, sizeof *b->input, needed);
  b->by = bind_longer(b, b->by, sizeof *b->by, needed);
  if (!dae__load_ok(b->x->l))
    return;
  for (int i = b->leaves; i < needed; i++)
    b->input[i].class = b->by[i] = -1;
  b->leaves = needed;
  b->placed = NULL;
  dae__binder_place(b, 0, DAE__CLASS_T, 0);
}

bool dae__binder_leaves(dae__binder *b, int count)
{
  dae__expander *x = b->x;
  int had = b->s.count;
  while (b->s.count < count && dae__load_ok(x->l))
    *DAE__PUSH(x->l->scratch, &b->s) = dae__add_leaf(x, 0, (dae__leaf_info){.symbol = -1});
  bind_make_room(b);
  for (int i = had; i < b->s.count && dae__load_ok(x->l); i++)
    dae__binder_place(b, b->s.item[i], DAE__CLASS_S, i);
  return dae__load_ok(x->l);
}

void dae__binder_place(dae__binder *b, int leaf, int class, int index)
{
  b->kind[leaf] = (unsigned char)(class < 0 ? 0 : 1u << class);
  b->index[leaf] = index;
  b->input[leaf] = (dae__tape_input){class, index};
  b->placed = NULL;
}

/* An entry of a matrix stands in several tapes and takes as much memory as this many nodes. */
#define ENTRY 4
/* Walks over the graph, in units of its largest size: the chain with 100,000 links takes 2. */
#define WALKS 10

static dae_status bind_too_large(dae__load *l, const char *what, long most)
{
  return dae__fail(
      l->err, DAE_ERROR_MODEL, NULL,
      "the model is too large: %s %ld. Expressions in which all variables stand, such "
      "as the square of a sum, make every derivative depend on all of them: a variable "
      "for the sum, with an equation or constraint of its own, avoids that",
      what, most);
}

/* more walks, or entries of matrices, than belong to the limit of nodes */
static bool bind_too_many_visits(const dae__binder *b)
{
  return b->x->walker->visits / WALKS > b->x->l->limits.max_nodes;
}

static bool bind_too_many_entries(const dae__binder *b)
{
  return b->entries > b->x->l->limits.max_nodes / ENTRY;
}

bool dae__bind_fits(const dae__binder *b)
{
  return !b->x->graph->full && !bind_too_many_visits(b) && !bind_too_many_entries(b);
}

bool dae__bind_ok(dae__binder *b)
{
  dae__load *l = b->x->l;
  long most = l->limits.max_nodes;
  if (!dae__load_ok(l))
    return false;
  if (b->x->graph->full)
    l->status = bind_too_large(l, "the nodes of its derivatives are more than", most);
  else if (bind_too_many_visits(b))
    l->status = bind_too_large(l, "differentiating it visits more nodes than", WALKS * most);
  else if (bind_too_many_entries(b))
    l->status = bind_too_large(l, "the entries of its matrices are more than", most / ENTRY);
  else if (dae__arena_failed(b->arena))
    l->status = dae__out_of_memory(l->err);
  return !l->status;
}

dae__gradient dae__bind_gradient(dae__binder *b, dae__node node, unsigned mask)
{
  return dae__gradient_of(b->x->walker, node, (dae__kinds){b->kind, mask});
}

dae__node dae__bind_rate(dae__binder *b, dae__node node)
{
  dae__kinds kinds = {b->kind, DAE__BIT(T) | DAE__BIT(Q)};
  return dae__derivative_along(b->x->walker, node, kinds, b->x->leaf_rate.item);
}

dae__triplets dae__bind_jacobian(dae__binder *b, const dae__nodes *rows, const dae__columns_of *by)
{
  dae__triplets m = {.rows = rows->count, .cols = by->cols};
  dae__pool *pool = b->x->l->scratch;
  for (int i = 0; i < rows->count && dae__bind_ok(b); i++) {
    dae__gradient d = dae__bind_gradient(b, rows->item[i], by->mask);
    b->entries += d.count;
    for (int k = 0; k < d.count; k++) {
      int leaf = d.leaf[k];
      *DAE__PUSH(pool, &m.entries) =
          (dae__triplet){i, by->offset[b->input[leaf].class] + b->index[leaf], d.value[k]};
    }
  }
  dae__triplets_sort(pool, &m);
  return m;
}

dae__nodes dae__bind_contract(dae__binder *b, const dae__triplets *A, bool by_rows)
{
  dae__graph *graph = b->x->graph;
  dae__pool *pool = b->x->l->scratch;
  dae__nodes sum = {.count = by_rows ? A->rows : A->cols};
  sum.item = DAE__NEW_ARRAY(pool, dae__node, sum.count); /* zeroed: the node 0 is the number 0 */
  if (!dae__load_ok(b->x->l) || !dae__binder_leaves(b, by_rows ? A->cols : A->rows))
    return (dae__nodes){.count = 0};
  for (int i = 0; i < A->entries.count; i++) {
    const dae__triplet *e = &A->entries.item[i];
    int to = by_rows ? e->row : e->col, from = by_rows ? e->col : e->row;
    dae__node s = dae__leaf(graph, b->s.item[from]);
    sum.item[to] = DAE__ADD(graph, sum.item[to], DAE__MUL(graph, e->node, s));
  }
  return sum;
}

void dae__bind_vector(dae__binder *b, const dae__nodes *nodes, int group, dae__outputs *out)
{
  for (int i = 0; i < nodes->count; i++)
    *DAE__PUSH(b->x->l->scratch, out) = (dae__tape_output){group, i, nodes->item[i]};
}

/* ---- tapes ---- */

static void *bind_kept_copy(dae__binder *b, const void *from, int count, size_t size)
{
  void *copy = dae__pool_take(b->x->l->keep, (size_t)count, size);
  if (copy && count > 0)
    memcpy(copy, from, (size_t)count * size);
  return copy;
}

/* a tape that is made later, with all that its plan points to */
static dae__tape *bind_postpone(dae__binder *b, dae__tape_plan plan)
{
  if (!b->placed)
    b->placed = bind_kept_copy(b, b->input, b->leaves, sizeof *b->input);
  plan.input = b->placed;
  plan.output = bind_kept_copy(b, plan.output, plan.outputs, sizeof *plan.output);
  if (plan.zeroed)
    plan.zeroed = bind_kept_copy(b, plan.zeroed, plan.groups, sizeof *plan.zeroed);
  const dae__tape_plan *kept = bind_kept_copy(b, &plan, 1, sizeof plan);
  return dae__load_ok(b->x->l) ? dae__tape_postpone(b->arena, kept) : NULL;
}

dae__tape *dae__bind_tape(dae__binder *b, const char *what, const dae__outputs *outputs, int groups,
                          const int *zeroed)
{
  if (!dae__bind_ok(b))
    return NULL;
  dae__tape_plan plan = {.graph = b->x->graph,
                         .input = b->input,
                         .output = outputs->item,
                         .outputs = outputs->count,
                         .classes = DAE__CLASSES,
                         .groups = groups,
                         .zeroed = zeroed,
                         .marks = b->marks};
  dae__tape *tape = b->late ? bind_postpone(b, plan) : dae__tape_create(b->arena, &plan);
  if (tape)
    *DAE__PUSH(b->x->l->keep, b->tapes) = (dae__tape_note){tape, b->system, what};
  else if (!b->x->l->status)
    b->x->l->status = dae__out_of_memory(b->x->l->err);
  return tape;
}
