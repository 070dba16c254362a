/* Partial derivatives by one reverse sweep. With the adjoint w(n) = d(root)/d(n),
 *
 *   w(root) = 1,   w(a) = sum over nodes n that have the operand a of  w(n) dn/da,
 *
 * the sweep goes from the root downwards, in falling order of the slots, so that an adjoint is
 * complete before it is propagated. Only nodes that depend on selected leaves take part.
 *
 * n = if(c, x, y) is different. Adjoints if(c, w, 0) and if(c, 0, w) of the branches would multiply
 * the zero of the branch not taken by derivatives inside of it, which need not be finite there:
 * sqrt(x) below 0. The gradient of n is therefore formed first, by a sweep through each branch,
 *
 *   dn/dl = if(c, dx/dl, dy/dl)   for every leaf l,
 *
 * and propagated from n to the leaves directly. The pending nodes of such a sweep are kept in a
 * heap, so that its cost is that of its branch. A branch that is linear with constant coefficients
 * has finite derivatives, and w is propagated in the ordinary way: then the maximum of many
 * variables costs one sweep too. */
#include "model/graph/walk.h"

#include <math.h>

/* Marks the nodes that depend on selected leaves; returns true if one of them is an `if`. */
static bool gradient_find_dependent(dae__walker *walker, dae__kinds kinds)
{
  bool choice = false;
  for (int slot = 0; slot < walker->visit.count; slot++) {
    dae__walk_visit *visit = &walker->visit.item[slot];
    const dae__entry *e = &walker->graph->entry[visit->node];
    dae__node operand[3] = {0};
    int count = dae__smooth_operands(e, operand);
    bool depends = e->op == DAE__OP_LEAF && (kinds.kind[e->a] & kinds.mask);
    for (int i = 0; i < count; i++)
      depends |= walker->visit.item[dae__slot_of(walker, operand[i])].depends;
    visit->depends = depends;
    choice |= depends && e->op == DAE__OP_IF;
  }
  return choice;
}

/* Adds a term to the adjoint of a slot, w(slot) += term. */
static void gradient_add_to_slot(dae__walker *walker, int slot, dae__node term)
{
  dae__walk_visit *visit = &walker->visit.item[slot];
  if (!visit->depends || term == DAE__ZERO)
    return;
  if (visit->sweep == walker->sweep) {
    visit->value = DAE__ADD(walker->graph, visit->value, term);
    return;
  }
  visit->sweep = walker->sweep;
  visit->value = term;
  if (!walker->partly)
    return;
  if (walker->graph->entry[visit->node].op == DAE__OP_LEAF) {
    if (DAE__RESERVE(walker, &walker->reached, 1))
      walker->reached.item[walker->reached.count++] = (dae__walk_pair){slot, 0};
    return;
  }
  if (!DAE__RESERVE(walker, &walker->heap, 1))
    return;
  dae__walk_pair *heap = walker->heap.item;
  int i = walker->heap.count++;
  for (; i > 0 && heap[(i - 1) / 2].key < slot; i = (i - 1) / 2)
    heap[i] = heap[(i - 1) / 2];
  heap[i].key = slot;
}

/* Adds the terms of a node to the adjoints of its operands; of an `if`, to the adjoints of its
 * leaves. */
static void gradient_propagate(dae__walker *walker, int slot)
{
  dae__graph *graph = walker->graph;
  dae__walk_visit visit = walker->visit.item[slot];
  dae__entry e = graph->entry[visit.node];
  dae__node operand[3] = {0}, w = visit.value;
  if (e.op == DAE__OP_IF && visit.plain) {
    gradient_add_to_slot(walker, dae__slot_of(walker, e.b), dae__if(graph, e.a, w, DAE__ZERO));
    gradient_add_to_slot(walker, dae__slot_of(walker, e.c), dae__if(graph, e.a, DAE__ZERO, w));
  } else if (e.op == DAE__OP_IF) {
    for (int i = visit.first; i < visit.first + visit.count; i++) {
      dae__walk_pair p = walker->partial.item[i];
      gradient_add_to_slot(walker, p.key, DAE__MUL(graph, w, p.node));
    }
  } else {
    int count = dae__smooth_operands(&e, operand);
    for (int i = 0; i < count; i++) {
      int below = dae__slot_of(walker, operand[i]);
      if (walker->visit.item[below].depends)
        gradient_add_to_slot(walker, below, dae__partial(graph, visit.node, i, w));
    }
  }
}

/* Starts a sweep with w(root) = 1. partly: a sweep over a branch of an `if`, with the pending nodes
 * in a heap. */
static void gradient_begin_sweep(dae__walker *walker, int root, bool partly)
{
  walker->partly = partly;
  walker->reached.count = walker->heap.count = 0;
  /* no overflow: at most two sweeps per visited node, and these are counted in int */
  walker->sweep++;
  gradient_add_to_slot(walker, root, dae__constant(walker->graph, 1));
}

/* Appends the gradient of one branch of an `if` to walker->partial, in the order of the slots of
 * the leaves. */
static bool gradient_sweep_branch(dae__walker *walker, dae__node branch)
{
  gradient_begin_sweep(walker, dae__slot_of(walker, branch), true);
  while (walker->heap.count > 0 && !walker->failed && !walker->graph->failed) {
    dae__walk_pair *heap = walker->heap.item;
    int top = heap[0].key;
    heap[0] = heap[--walker->heap.count];
    dae__walk_sift_down(walker->heap.count, heap, 0);
    gradient_propagate(walker, top);
  }
  int count = walker->reached.count;
  dae__walk_pair *reached = walker->reached.item;
  for (int i = 0; i < count; i++)
    reached[i].node = walker->visit.item[reached[i].key].value;
  if (walker->failed || walker->graph->failed)
    return false;
  dae__walk_pairs_sort(count, reached);
  if (!DAE__RESERVE(walker, &walker->partial, count))
    return false;
  if (count > 0)
    memcpy(walker->partial.item + walker->partial.count, reached,
           (size_t)count * sizeof(dae__walk_pair));
  walker->partial.count += count;
  return true;
}

/* Computes the adjoints of all leaves; walker->reached: pairs of number of the leaf and adjoint. */
static bool gradient_sweep_all(dae__walker *walker)
{
  gradient_begin_sweep(walker, walker->visit.count - 1, false);
  for (int slot = walker->visit.count - 1; slot >= 0; slot--) {
    const dae__walk_visit *visit = &walker->visit.item[slot];
    if (visit->sweep != walker->sweep)
      continue;
    const dae__entry *e = &walker->graph->entry[visit->node];
    if (e->op != DAE__OP_LEAF)
      gradient_propagate(walker, slot);
    else if (DAE__RESERVE(walker, &walker->reached, 1))
      walker->reached.item[walker->reached.count++] = (dae__walk_pair){e->a, visit->value};
    if (walker->failed || walker->graph->failed)
      return false;
  }
  return true;
}

/* Merges the lists of dx/dl, partial[first, middle), and of dy/dl, partial[middle, end), of two
 * branches into one list of if(c, dx/dl, dy/dl), in their place. */
static bool gradient_merge_branches(dae__walker *walker, dae__node c, int first, int middle)
{
  int end = walker->partial.count, count = 0, i = first, j = middle;
  if (!DAE__RESERVE(walker, &walker->partial, end - first))
    return false;
  dae__walk_pair *pair = walker->partial.item, *merged = pair + end;
  while (i < middle || j < end) {
    bool x = i < middle && (j == end || pair[i].key <= pair[j].key);
    bool y = j < end && (i == middle || pair[j].key <= pair[i].key);
    int key = x ? pair[i].key : pair[j].key;
    dae__node dx = x ? pair[i++].node : DAE__ZERO, dy = y ? pair[j++].node : DAE__ZERO;
    merged[count++] = (dae__walk_pair){key, dae__if(walker->graph, c, dx, dy)};
  }
  memmove(pair + first, merged, (size_t)count * sizeof *pair);
  walker->partial.count = first + count;
  return true;
}

/* Marks the nodes that are linear with constant coefficients, in each branch of an `if`, and
 * computes the gradients of the other `if` nodes, in rising order of slots: nodes inside of
 * branches come first. */
static bool gradient_form_choices(dae__walker *walker)
{
  walker->partial.count = 0;
  for (int slot = 0; slot < walker->visit.count; slot++) {
    dae__walk_visit *visit = &walker->visit.item[slot];
    dae__entry e = walker->graph->entry[visit->node];
    dae__node operand[3] = {0};
    int count = dae__smooth_operands(&e, operand);
    double c = 1;
    visit->plain = e.op == DAE__OP_LEAF || e.op == DAE__OP_ADD || e.op == DAE__OP_SUB ||
                   e.op == DAE__OP_NEG || e.op == DAE__OP_IF ||
                   (e.op == DAE__OP_MUL && dae__is_constant(walker->graph, e.a, &c)) ||
                   (e.op == DAE__OP_DIV && dae__is_constant(walker->graph, e.b, &c));
    visit->plain = visit->plain && isfinite(c) && c != 0;
    for (int i = 0; i < count; i++) {
      const dae__walk_visit *below = &walker->visit.item[dae__slot_of(walker, operand[i])];
      visit->plain = visit->plain && (below->plain || !below->depends);
    }
    if (e.op != DAE__OP_IF || !visit->depends || visit->plain)
      continue;
    visit->first = walker->partial.count;
    if (!gradient_sweep_branch(walker, e.b))
      return false;
    int middle = walker->partial.count;
    if (!gradient_sweep_branch(walker, e.c) ||
        !gradient_merge_branches(walker, e.a, visit->first, middle))
      return false;
    visit->count = walker->partial.count - visit->first;
  }
  return true;
}

dae__gradient dae__gradient_of(dae__walker *walker, dae__node node, dae__kinds kinds)
{
  const dae__gradient none = {0, NULL, NULL};
  walker->sweep = 0;
  if (!dae__walk_below(walker, 1, &node, DAE__WALK_SMOOTH) ||
      (gradient_find_dependent(walker, kinds) && !gradient_form_choices(walker)) ||
      !gradient_sweep_all(walker))
    return none;
  int count = walker->reached.count;
  walker->leaf.count = walker->value.count = 0;
  if (!DAE__RESERVE(walker, &walker->leaf, count) || !DAE__RESERVE(walker, &walker->value, count))
    return none;
  dae__walk_pairs_sort(count, walker->reached.item);
  for (int i = 0; i < count; i++) {
    if (walker->reached.item[i].node == DAE__ZERO)
      continue;
    walker->leaf.item[walker->leaf.count++] = walker->reached.item[i].key;
    walker->value.item[walker->value.count++] = walker->reached.item[i].node;
  }
  return (dae__gradient){walker->leaf.count, walker->leaf.item, walker->value.item};
}
