/* Tools of all problem forms: classes of leaves, matrices of expressions, Jacobians, tapes. */
#include "model/bind/bind.h"
#include "core/assert.h"
#include "core/error.h"
#include <string.h>

static void *bind_longer(dae__binder *b, const void *old, size_t size, int count)
{
  char *memory = dae__pool_alloc(b->x->l->scratch, (size_t)count, size);
  if (memory && b->leaves > 0)
    memcpy(memory, old, (size_t)b->leaves * size);
  return memory;
}

bool dae__binder_leaves(dae__binder *b, int count)
{
  dae__expander *x = b->x;
  int had = b->s.count;
  while (b->s.count < count && dae__load_ok(x->l))
    *DAE__PUSH(x->l->scratch, &b->s) = dae__add_leaf(x, 0, (dae__leaf_info){.symbol = -1});
  int needed = x->leaves.count;
  if (needed > b->leaves && dae__load_ok(x->l)) {
    needed += needed / 2;
    b->kind = bind_longer(b, b->kind, sizeof *b->kind, needed);
    b->index = bind_longer(b, b->index, sizeof *b->index, needed);
    b->input = bind_longer(b, b->input, sizeof *b->input, needed);
    b->by = bind_longer(b, b->by, sizeof *b->by, needed);
    if (!dae__load_ok(x->l))
      return false;
    for (int i = b->leaves; i < needed; i++)
      b->input[i].class = b->by[i] = -1;
    b->leaves = needed;
    b->lazy_input = NULL;
    dae__binder_place(b, 0, DAE__CLASS_T, 0);
  }
  for (int i = had; i < b->s.count && dae__load_ok(x->l); i++)
    dae__binder_place(b, b->s.item[i], DAE__CLASS_S, i);
  return dae__load_ok(x->l);
}

void dae__binder_place(dae__binder *b, int leaf, int class, int index)
{
  DAE__ASSERT(leaf >= 0 && leaf < b->leaves && class < DAE__CLASSES);
  b->kind[leaf] = (unsigned char)(class < 0 ? 0 : 1u << class);
  b->index[leaf] = index;
  b->input[leaf] = (dae__tape_input){class, index};
  b->lazy_input = NULL;
}

/* Memory of a matrix entry in all its tapes, in units of a graph node; chosen, not measured. */
#define NODES_PER_ENTRY 4
/* Limit of node visits in graph walks, relative to the node limit of a graph: a chain of 100,000
 * links visits twice the node limit. */
#define MAX_WALKS 10

/* Describes the limit that a model exceeds and sets its value; returns NULL within all limits. */
static const char *bind_exceeded(const dae__binder *b, long *limit)
{
  long max_nodes = b->x->l->limits.max_nodes;
  *limit = max_nodes;
  if (b->x->graph->full)
    return "its derivatives have more nodes than";
  *limit = MAX_WALKS * max_nodes;
  if (b->x->walker->visits / MAX_WALKS > max_nodes)
    return "differentiating it visits more nodes than";
  *limit = max_nodes / NODES_PER_ENTRY;
  return b->entries > *limit ? "its matrices have more entries than" : NULL;
}

bool dae__bind_fits(const dae__binder *b)
{
  long limit;
  return !bind_exceeded(b, &limit);
}

bool dae__bind_ok(dae__binder *b)
{
  dae__load *l = b->x->l;
  long limit;
  if (!dae__load_ok(l))
    return false;
  const char *exceeded = bind_exceeded(b, &limit);
  if (exceeded)
    l->status = dae__fail(
        l->err, DAE_ERROR_MODEL, NULL,
        "the model is too large: %s %ld. An expression of all variables, such as the square of a "
        "sum, makes every derivative depend on all of them: a variable for the sum, with an "
        "equation or constraint of its own, avoids that",
        exceeded, limit);
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
  /* zeroed memory: every node is DAE__ZERO */
  sum.item = DAE__NEW_ARRAY(pool, dae__node, sum.count);
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

const char *const *dae__bind_names(dae__binder *b, const dae__ints *leaves, int rates)
{
  const char **names = DAE__ALLOC(b->arena, const char *, leaves->count);
  for (int i = 0; names && i < leaves->count; i++)
    names[i] = dae__local_name(b->x, leaves->item[i], i >= rates);
  return names;
}

/* ---- matrices ---- */

/* Stable counting sort by column: rows stay in rising order within a column. */
void dae__triplets_sort(dae__pool *pool, dae__triplets *m)
{
  int count = m->entries.count;
  int *next = DAE__NEW_ARRAY(pool, int, m->cols + 1);
  dae__triplet *sorted = DAE__NEW_ARRAY(pool, dae__triplet, count);
  if (pool->failed)
    return;
  for (int i = 0; i < count; i++)
    next[m->entries.item[i].col + 1]++;
  for (int j = 0; j < m->cols; j++)
    next[j + 1] += next[j];
  for (int i = 0; i < count; i++)
    sorted[next[m->entries.item[i].col]++] = m->entries.item[i];
  m->entries.item = sorted;
}

const dae_pattern *dae__triplets_pattern(dae__arena *arena, const dae__triplets *m)
{
  int count = m->entries.count;
  dae_pattern *pattern = DAE__ALLOC(arena, dae_pattern, 1);
  int *start = DAE__ALLOC(arena, int, m->cols + 1), *row = DAE__ALLOC(arena, int, count);
  if (dae__arena_failed(arena))
    return NULL;
  for (int i = 0; i < count; i++) {
    /* entries are sorted by column */
    DAE__ASSERT(i == 0 || m->entries.item[i].col >= m->entries.item[i - 1].col);
    row[i] = m->entries.item[i].row;
    start[m->entries.item[i].col + 1]++;
  }
  for (int j = 0; j < m->cols; j++)
    start[j + 1] += start[j];
  *pattern = (dae_pattern){m->rows, m->cols, start, row};
  return pattern;
}

void dae__triplets_outputs(dae__pool *pool, const dae__triplets *m, bool sparse, int group,
                           dae__outputs *out)
{
  for (int i = 0; i < m->entries.count; i++) {
    const dae__triplet *e = &m->entries.item[i];
    *DAE__PUSH(pool, out) =
        (dae__tape_output){group, sparse ? i : e->col * m->rows + e->row, e->node};
  }
}

bool dae__triplets_constant(const dae__graph *graph, const dae__triplets *m)
{
  double value;
  for (int i = 0; i < m->entries.count; i++)
    if (!dae__is_constant(graph, m->entries.item[i].node, &value))
      return false;
  return true;
}

/* ---- tapes ---- */

static void *bind_kept_copy(dae__binder *b, const void *from, int count, size_t size)
{
  void *copy = dae__pool_alloc(b->x->l->keep, (size_t)count, size);
  if (copy && count > 0)
    memcpy(copy, from, (size_t)count * size);
  return copy;
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
                         .workspace = &b->tapes->workspace};
  dae__tape *tape = NULL;
  if (b->lazy) { /* a lazy tape needs copies of its plan and of all arrays of the plan */
    if (!b->lazy_input)
      b->lazy_input = bind_kept_copy(b, b->input, b->leaves, sizeof *b->input);
    plan.input = b->lazy_input;
    plan.output = bind_kept_copy(b, plan.output, plan.outputs, sizeof *plan.output);
    if (plan.zeroed)
      plan.zeroed = bind_kept_copy(b, plan.zeroed, plan.groups, sizeof *plan.zeroed);
    const dae__tape_plan *kept = bind_kept_copy(b, &plan, 1, sizeof plan);
    tape = dae__load_ok(b->x->l) ? dae__tape_create_lazy(b->arena, kept) : NULL;
  } else {
    tape = dae__tape_create(b->arena, &plan);
  }
  if (tape)
    *DAE__PUSH(b->x->l->keep, &b->tapes->notes) = (dae__tape_note){tape, b->system, what};
  else if (!b->x->l->status)
    b->x->l->status = dae__out_of_memory(b->x->l->err);
  return tape;
}
