/* Tools of all problem forms: classes of leaves, matrices of expressions, Jacobians, tapes. */
#include "model/bind/bind.h"
#include "core/assert.h"
#include "core/error.h"
#include <string.h>

/* Copy of the first `used` of `count` elements of an array, in memory of a pool. */
static void *bind_copy(dae__pool *pool, const void *from, int used, int count, size_t size)
{
  void *copy = dae__pool_alloc(pool, (size_t)count, size);
  if (copy && used > 0)
    memcpy(copy, from, (size_t)used * size);
  return copy;
}

bool dae__binder_leaves(dae__binder *b, int count)
{
  dae__expander *x = b->x;
  int had = b->s.count;
  while (b->s.count < count && dae__load_ok(x->l))
    *DAE__PUSH(x->l->scratch, &b->s) = dae__add_leaf(x, 0, (dae__leaf_info){.symbol = -1});
  int needed = x->leaves.count;
  if (needed > b->leaves && dae__load_ok(x->l)) {
    dae__pool *pool = x->l->scratch;
    needed += needed / 2;
    b->kind = bind_copy(pool, b->kind, b->leaves, needed, sizeof *b->kind);
    b->index = bind_copy(pool, b->index, b->leaves, needed, sizeof *b->index);
    b->input = bind_copy(pool, b->input, b->leaves, needed, sizeof *b->input);
    b->by = bind_copy(pool, b->by, b->leaves, needed, sizeof *b->by);
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

void dae__bind_held(dae__binder *b)
{
  dae__expander *x = b->x;
  for (int i = 0; i < x->leaves.count && dae__load_ok(x->l); i++)
    if (x->leaf_kind.item[i] == DAE__LEAF_DISCRETE)
      *DAE__PUSH(x->l->scratch, &b->held) = i;
  b->held_value = DAE__ALLOC(b->arena, double, b->held.count);
  if (!dae__binder_leaves(b, 0))
    return;
  for (int i = 0; i < b->held.count; i++)
    dae__binder_place(b, b->held.item[i], DAE__CLASS_D, i);
}

/* Memory of a matrix entry in all its tapes, in units of a graph node; chosen, not measured. */
#define NODES_PER_ENTRY 4
/* Limit of node visits in graph walks, relative to the node limit of a graph: a chain of 100,000
 * links visits twice the node limit. */
#define MAX_WALKS 10

const char *dae__bind_exceeded(const dae__binder *b, long *limit)
{
  long max_nodes = b->x->l->limits.max_nodes;
  bool visits = b->x->walker->visits / MAX_WALKS > max_nodes, full = b->x->graph->full;
  if (limit)
    *limit = full ? max_nodes : visits ? MAX_WALKS * max_nodes : max_nodes / NODES_PER_ENTRY;
  if (full)
    return "its derivatives have more nodes than";
  if (visits)
    return "differentiating it visits more nodes than";
  return b->entries > max_nodes / NODES_PER_ENTRY ? "its matrices have more entries than" : NULL;
}

bool dae__bind_ok(dae__binder *b)
{
  dae__load *l = b->x->l;
  long limit;
  if (!dae__load_ok(l))
    return false;
  const char *exceeded = dae__bind_exceeded(b, &limit);
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

dae__triplets dae__bind_jacobian(dae__binder *b, const dae__system *u, const dae__nodes *rows,
                                 unsigned mask)
{
  const int count[DAE__CLASSES] = {[DAE__CLASS_Q] = u->q.count,
                                   [DAE__CLASS_V] = u->q.count,
                                   [DAE__CLASS_U] = u->u.count,
                                   [DAE__CLASS_W] = u->w.count,
                                   [DAE__CLASS_IN] = u->in.count};
  int first[DAE__CLASSES]; /* by class: its first column */
  dae__triplets m = {.rows = rows->count, .sparse = u->sparse};
  dae__pool *pool = b->x->l->scratch;
  for (int class = 0; class < DAE__CLASSES; class ++) {
    first[class] = m.cols;
    m.cols += mask >> class & 1 ? count[class] : 0;
  }
  for (int i = 0; i < rows->count && dae__bind_ok(b); i++) {
    dae__gradient d = dae__bind_gradient(b, rows->item[i], mask);
    b->entries += d.count;
    for (int k = 0; k < d.count; k++) {
      int leaf = d.leaf[k];
      *DAE__PUSH(pool, &m.entries) =
          (dae__triplet){i, first[b->input[leaf].class] + b->index[leaf], d.value[k]};
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
  for (int i = 0; names && i < leaves->count; i++) {
    const dae__leaf_info *of = &b->x->leaves.item[leaves->item[i]];
    names[i] = dae__local_name(b->x, of->symbol, of->instance, of->element);
    if (i >= rates && names[i])
      names[i] = dae__pool_print(b->x->l->keep, "%s'", names[i]);
  }
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
  if (!m->sparse)
    return NULL;
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

int dae__triplets_outputs(dae__pool *pool, const dae__triplets *m, int group, dae__outputs *out)
{
  for (int i = 0; i < m->entries.count; i++) {
    const dae__triplet *e = &m->entries.item[i];
    *DAE__PUSH(pool, out) =
        (dae__tape_output){group, m->sparse ? i : e->col * m->rows + e->row, e->node};
  }
  return m->sparse ? 0 : m->rows * m->cols;
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
                         .workspace = &b->tapes->workspace,
                         .lazy = b->lazy,
                         .why = b->lazy ? &b->tapes->why : NULL};
  dae__pool *keep = b->x->l->keep;
  const dae__tape_plan *kept = &plan;
  if (b->lazy) { /* a lazy tape needs copies of its plan and of all arrays of the plan */
    if (!b->lazy_input)
      b->lazy_input = bind_copy(keep, b->input, b->leaves, b->leaves, sizeof *b->input);
    plan.input = b->lazy_input;
    plan.output = bind_copy(keep, plan.output, plan.outputs, plan.outputs, sizeof *plan.output);
    if (plan.zeroed)
      plan.zeroed = bind_copy(keep, plan.zeroed, groups, groups, sizeof *plan.zeroed);
    kept = bind_copy(keep, &plan, 1, 1, sizeof plan);
  }
  dae__tape *tape = dae__load_ok(b->x->l) ? dae__tape_create(b->arena, kept) : NULL;
  if (tape)
    *DAE__PUSH(keep, &b->tapes->notes) =
        (dae__tape_note){.tape = tape, .system = b->system, .what = what};
  else if (!b->x->l->status)
    b->x->l->status = dae__out_of_memory(b->x->l->err);
  return tape;
}

dae__tape *dae__bind_vector_tape(dae__binder *b, const char *what, const dae__nodes *nodes)
{
  dae__outputs out = {0};
  dae__bind_vector(b, nodes, 0, &out);
  return dae__bind_tape(b, what, &out, 1, NULL);
}

dae__tape *dae__bind_matrix_tape(dae__binder *b, const char *what, const dae__triplets *m)
{
  dae__outputs out = {0};
  int zeroed = dae__triplets_outputs(b->x->l->scratch, m, 0, &out);
  return dae__bind_tape(b, what, &out, 1, &zeroed);
}
