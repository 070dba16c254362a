/* Depth-first walks: leaves, substitution, directional derivatives, linearity.
 *
 * A node on top of the stack is opened (marked, its operands pushed) at the first visit, and closed
 * (given the next slot) at the second one, when all its operands are closed; constants and leaves
 * are closed at once. Slots therefore rise from operands to the nodes that contain them. */
#include "model/graph/walk.h"

#include "core/assert.h"
#include "core/env.h"
#include "model/pool.h"

bool dae__walker_reserve(dae__walker *walker, void *item, int *capacity, int count, int more,
                         size_t size)
{
  void *old, *larger = NULL;
  memcpy(&old, item, sizeof old);
  if (!walker->failed && count <= INT_MAX - more)
    larger = dae__array_grow(&walker->env, old, capacity, count, count + more, size);
  if (!larger) {
    walker->failed = true;
    return false;
  }
  memcpy(item, &larger, sizeof larger);
  return true;
}

dae__walker *dae__walker_create(dae__graph *graph, const dae_env *env)
{
  dae_env own = dae__env_of(env);
  dae__walker *walker = own.allocate(own.user, sizeof *walker);
  if (walker)
    *walker = (dae__walker){.env = own, .graph = graph};
  return walker;
}

void dae__walker_free(dae__walker *walker)
{
  if (!walker)
    return;
  dae_env env = walker->env;
  void *memory[] = {walker->mark.item, walker->stack.item,   walker->visit.item,
                    walker->heap.item, walker->reached.item, walker->partial.item,
                    walker->leaf.item, walker->value.item,   walker};
  for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
    if (memory[i])
      env.release(env.user, memory[i]);
}

/* Provides marks for all nodes, and a number of the new walk that no mark carries. */
static bool walk_begin(dae__walker *walker)
{
  int count = walker->graph->count, more = count - walker->mark.count;
  if (walker->failed || walker->graph->failed)
    return false;
  if (more > 0) {
    if (!DAE__RESERVE(walker, &walker->mark, walker->graph->capacity - walker->mark.count))
      return false;
    memset(walker->mark.item + walker->mark.count, 0, (size_t)more * sizeof(dae__walk_mark));
    walker->mark.count = count;
  }
  if (walker->walk == INT_MAX) {
    memset(walker->mark.item, 0, (size_t)walker->mark.count * sizeof(dae__walk_mark));
    walker->walk = 0;
  }
  walker->walk++;
  walker->visit.count = 0;
  walker->stack.count = 0;
  return true;
}

static bool walk_close_node(dae__walker *walker, dae__node node)
{
  walker->visits++;
  if (!DAE__RESERVE(walker, &walker->visit, 1))
    return false;
  walker->mark.item[node] = (dae__walk_mark){walker->walk, walker->visit.count};
  walker->visit.item[walker->visit.count++] = (dae__walk_visit){.node = node};
  return true;
}

/* Pushes the operands of a node, the first one on top; operands without operands are closed at
 * once. */
static bool walk_open_node(dae__walker *walker, dae__node node, dae__walk_kind kind)
{
  dae__node operand[3];
  const dae__entry *entry = walker->graph->entry, *e = &entry[node];
  int count =
      kind == DAE__WALK_ALL ? dae__entry_operands(e, operand) : dae__smooth_operands(e, operand);
  walker->mark.item[node] = (dae__walk_mark){walker->walk, -1};
  if (!DAE__RESERVE(walker, &walker->stack, 3))
    return false;
  for (int i = count - 1; i >= 0; i--) {
    if (walker->mark.item[operand[i]].walk == walker->walk)
      continue;
    if (dae__op_operands((dae__op)entry[operand[i]].op) > 0)
      walker->stack.item[walker->stack.count++] = operand[i];
    else if (!walk_close_node(walker, operand[i]))
      return false;
  }
  return true;
}

bool dae__walk_below(dae__walker *walker, int count, const dae__node *roots, dae__walk_kind kind)
{
  if (!walk_begin(walker) || !DAE__RESERVE(walker, &walker->stack, count))
    return false;
  for (int i = count - 1; i >= 0; i--)
    walker->stack.item[walker->stack.count++] = roots[i];
  while (walker->stack.count > 0) {
    dae__node node = walker->stack.item[walker->stack.count - 1];
    dae__walk_mark mark = walker->mark.item[node];
    bool open = mark.walk == walker->walk;
    if (!open && !walk_open_node(walker, node, kind))
      return false;
    if (open && mark.slot < 0 && !walk_close_node(walker, node))
      return false;
    if (open)
      walker->stack.count--;
  }
  return true;
}

void dae__walk_sift_down(int count, dae__walk_pair *pair, int i)
{
  dae__walk_pair moved = pair[i];
  for (int child; (child = 2 * i + 1) < count; i = child) {
    if (child + 1 < count && pair[child + 1].key > pair[child].key)
      child++;
    if (pair[child].key <= moved.key)
      break;
    pair[i] = pair[child];
  }
  pair[i] = moved;
}

/* Sorts pairs by rising key: insertion sort of short lists, else heapsort, without recursion or
 * memory. */
void dae__walk_pairs_sort(int count, dae__walk_pair *pair)
{
  bool sorted = true;
  if (count <= 16) {
    for (int i = 1; i < count; i++) {
      dae__walk_pair moved = pair[i];
      int j = i;
      for (; j > 0 && pair[j - 1].key > moved.key; j--)
        pair[j] = pair[j - 1];
      pair[j] = moved;
    }
    return;
  }
  for (int i = 1; i < count && sorted; i++)
    sorted = pair[i - 1].key <= pair[i].key;
  if (sorted)
    return;
  for (int i = count / 2 - 1; i >= 0; i--)
    dae__walk_sift_down(count, pair, i);
  for (int last = count - 1; last > 0; last--) {
    dae__walk_pair largest = pair[0];
    pair[0] = pair[last];
    pair[last] = largest;
    dae__walk_sift_down(last, pair, 0);
  }
}

dae__leaves dae__leaves_below(dae__walker *walker, int count, const dae__node *nodes)
{
  if (!dae__walk_below(walker, count, nodes, DAE__WALK_ALL))
    return (dae__leaves){0, NULL};
  walker->reached.count = walker->leaf.count = 0;
  for (int slot = 0; slot < walker->visit.count; slot++) {
    dae__entry e = walker->graph->entry[walker->visit.item[slot].node];
    if (e.op != DAE__OP_LEAF)
      continue;
    if (!DAE__RESERVE(walker, &walker->reached, 1) || !DAE__RESERVE(walker, &walker->leaf, 1))
      return (dae__leaves){0, NULL};
    walker->reached.item[walker->reached.count++] = (dae__walk_pair){e.a, 0};
    walker->leaf.count++;
  }
  dae__walk_pairs_sort(walker->reached.count, walker->reached.item);
  for (int i = 0; i < walker->leaf.count; i++)
    walker->leaf.item[i] = walker->reached.item[i].key;
  return (dae__leaves){walker->leaf.count, walker->leaf.item};
}

dae__node dae__derivative_along(dae__walker *walker, dae__node node, dae__kinds kinds,
                                const dae__node *rate)
{
  dae__graph *graph = walker->graph;
  dae__gradient gradient = dae__gradient_of(walker, node, kinds);
  dae__node sum = DAE__ZERO;
  for (int i = 0; i < gradient.count; i++)
    sum = DAE__ADD(graph, sum, DAE__MUL(graph, gradient.value[i], rate[gradient.leaf[i]]));
  return sum;
}

/* Degree of a node as a polynomial in the selected leaves, from the degrees of its operands; 2: not
 * linear. */
static int walk_degree_of(const dae__entry *e, const int degree[3])
{
  int largest = degree[0] > degree[1] ? degree[0] : degree[1];
  switch (e->op) {
  case DAE__OP_ADD:
  case DAE__OP_SUB:
  case DAE__OP_NEG:
    return largest;
  case DAE__OP_MUL:
    return degree[0] + degree[1] > 2 ? 2 : degree[0] + degree[1];
  case DAE__OP_DIV:
    return degree[1] > 0 ? 2 : degree[0];
  case DAE__OP_IF:
    return degree[0] > 0 ? 2 : degree[1] > degree[2] ? degree[1] : degree[2];
  default:
    return largest > 0 || degree[2] > 0 ? 2 : 0;
  }
}

bool dae__is_linear(dae__walker *walker, dae__node node, dae__kinds kinds)
{
  if (!dae__walk_below(walker, 1, &node, DAE__WALK_ALL))
    return false;
  for (int slot = 0; slot < walker->visit.count; slot++) {
    dae__walk_visit *visit = &walker->visit.item[slot];
    const dae__entry *e = &walker->graph->entry[visit->node];
    dae__node operand[3];
    int degree[3] = {0, 0, 0}, count = dae__entry_operands(e, operand);
    for (int i = 0; i < count; i++)
      degree[i] = walker->visit.item[dae__slot_of(walker, operand[i])].count;
    visit->count =
        e->op == DAE__OP_LEAF ? (kinds.kind[e->a] & kinds.mask) != 0 : walk_degree_of(e, degree);
  }
  return walker->visit.item[dae__slot_of(walker, node)].count < 2;
}

/* Node rebuilt with other leaves, see dae__replace_leaves, by NULL: the same leaves; and with
 * another mark in place of that of watched relations. */
static dae__node walk_rebuild(dae__walker *walker, dae__node node, const dae__node *by,
                              dae__mark mark)
{
  dae__graph *graph = walker->graph;
  if (!dae__walk_below(walker, 1, &node, DAE__WALK_ALL))
    return DAE__ZERO;
  for (int slot = 0; slot < walker->visit.count; slot++) {
    dae__walk_visit *visit = &walker->visit.item[slot];
    dae__entry e = graph->entry[visit->node];
    dae__node value[3];
    bool changed = dae__walk_operand_values(walker, &e, value);
    if (dae__is_relation(e.op) && e.c <= DAE__MARK_BENDS && mark != DAE__MARK_WATCHED) {
      e.c = (int)mark;
      changed = true;
    }
    if (e.op == DAE__OP_LEAF && by && by[e.a] >= 0)
      visit->value = by[e.a];
    else
      visit->value = changed ? dae__with_operands(graph, e, value) : visit->node;
  }
  /* the root has the last slot */
  DAE__ASSERT(walker->visit.item[walker->visit.count - 1].node == node);
  return walker->visit.item[walker->visit.count - 1].value;
}

dae__node dae__replace_leaves(dae__walker *walker, dae__node node, const dae__node *by)
{
  return walk_rebuild(walker, node, by, DAE__MARK_WATCHED);
}

dae__node dae__mark_relations(dae__walker *walker, dae__node node, dae__mark mark)
{
  return walk_rebuild(walker, node, NULL, mark);
}
