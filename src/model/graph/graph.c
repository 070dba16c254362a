/* Storage of the expression graph: an array of nodes, and a hash table of their numbers (open
 * addressing, at most half full) that finds equal nodes.
 *
 * Most nodes are made soon after their operands. The first probes therefore go to slots that rise
 * with the newest operand, near the slots of other recent nodes, which are in the cache; after
 * NEAR_PROBES such probes double hashing over the whole table follows.
 *
 * Equal constants have equal bits: -0 is stored as 0, and all NaNs as one. */
#include "model/graph/graph.h"

#include "core/assert.h"
#include "core/env.h"
#include "model/pool.h"

#include <math.h>

#define FIRST_PLACES ((size_t)1024) /* slots of a new hash table; chosen, not measured */
#define FIRST_ENTRIES 256           /* nodes of a new graph, enough for a model of twenty lines */
#define NODES_PER_STOP 16384        /* a millisecond; between these a request to stop is not seen */
/* probes near the newest operand: with 10 million nodes 8 is as fast as 4, 16 and 32, and faster
 * than 2 */
#define NEAR_PROBES 8

/* Slot of an entry in the hash table, or the empty slot to insert it at. The odd stride reaches all
 * slots.
 *
 * Multiplicative hash; the constants are the odd integers nearest to 2^64 divided by the golden
 * ratio and by the square root of 2. The members of an entry are read with the widths they were
 * written with: a wider read would wait for store forwarding. */
static inline size_t graph_find(const dae__graph *graph, const dae__entry *e)
{
  uint64_t hash = ((uint64_t)(unsigned)e->a << 32 | (unsigned)e->op) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 32;
  hash = (hash ^ ((uint64_t)(unsigned)e->c << 32 | (unsigned)e->b)) * 0xb504f333f9de6485u;
  hash ^= hash >> 32;
  size_t mask = graph->places - 1, i, stride = 1;
  if (e->op == DAE__OP_CONSTANT) { /* a constant has the bits of its value in place of operands */
    i = (size_t)(hash >> 3) & mask;
  } else {
    int newest = e->a > e->b ? e->a : e->b;
    newest = newest > e->c ? newest : e->c;
    i = (2 * (size_t)(unsigned)newest + (size_t)(hash & 7)) & mask;
  }
  for (int probe = 1;; probe++) {
    int node = graph->place[i];
    if (node == 0 || !memcmp(&graph->entry[node], e, sizeof *e))
      return i;
    if (probe == NEAR_PROBES) {
      i = (size_t)(hash >> 3);
      stride = (size_t)(hash >> 32) | 1;
    }
    i = (i + stride) & mask;
  }
}

/* Replaces the hash table by one with `places` slots, and inserts all nodes into it. */
static bool graph_resize_table(dae__graph *graph, size_t places)
{
  if (places > SIZE_MAX / sizeof(int))
    return false;
  int *place = graph->env.allocate(graph->env.user, places * sizeof *place);
  if (!place)
    return false;
  memset(place, 0, places * sizeof *place);
  if (graph->place)
    graph->env.release(graph->env.user, graph->place);
  graph->place = place;
  graph->places = places;
  for (int node = 1; node < graph->count; node++) {
    if (node % NODES_PER_STOP == 0 && dae__env_stopped(&graph->env))
      return false;
    place[graph_find(graph, &graph->entry[node])] = node;
  }
  return true;
}

dae__graph *dae__graph_create(const dae_env *env, long max_nodes)
{
  dae_env own = dae__env_of(env);
  dae__graph *graph = own.allocate(own.user, sizeof *graph);
  if (!graph)
    return NULL;
  *graph = (dae__graph){.env = own};
  graph->limit = max_nodes < 1 ? 1 : max_nodes < INT_MAX ? (int)max_nodes : INT_MAX;
  graph->entry =
      dae__array_grow(&own, NULL, &graph->capacity, 0, FIRST_ENTRIES, sizeof(dae__entry));
  if (!graph->entry || !graph_resize_table(graph, FIRST_PLACES)) {
    dae__graph_free(graph);
    return NULL;
  }
  /* node 0 is the constant zero: the bits of 0. are zero */
  graph->entry[graph->count++] = (dae__entry){.op = DAE__OP_CONSTANT};
  return graph;
}

void dae__graph_free(dae__graph *graph)
{
  if (!graph)
    return;
  dae_env env = graph->env;
  if (graph->entry)
    env.release(env.user, graph->entry);
  if (graph->place)
    env.release(env.user, graph->place);
  env.release(env.user, graph);
}

/* Adds a new node, in slot i of the hash table unless the table grows; not inlined, so that
 * existing nodes are found in a few instructions. */
__attribute__((noinline)) static dae__node graph_add(dae__graph *graph, dae__entry entry, size_t i)
{
  bool crowded = (size_t)graph->count >= graph->places / 2;
  graph->full = graph->count == graph->limit;
  if (!graph->full && graph->count == graph->capacity) {
    dae__entry *larger = dae__array_grow(&graph->env, graph->entry, &graph->capacity, graph->count,
                                         graph->count + 1, sizeof *larger);
    graph->entry = larger ? larger : graph->entry;
  }
  bool asked = graph->count % NODES_PER_STOP == 0 && dae__env_stopped(&graph->env);
  if (graph->full || asked || graph->count == graph->capacity ||
      (crowded && !graph_resize_table(graph, 2 * graph->places))) {
    graph->failed = true;
    return DAE__ZERO;
  }
  if (crowded)
    i = graph_find(graph, &entry);
  DAE__ASSERT(entry.op == DAE__OP_CONSTANT || entry.op == DAE__OP_LEAF ||
              dae__op_has_word(entry.op) || (entry.a < graph->count && entry.b < graph->count));
  graph->place[i] = graph->count;
  /* Entry written member by member, with the widths that graph_find reads. */
  graph->entry[graph->count] = (dae__entry){entry.op, entry.a, entry.b, entry.c};
  return graph->count++;
}

dae__node dae__intern(dae__graph *graph, dae__entry entry)
{
  if (graph->failed)
    return DAE__ZERO;
  size_t i = graph_find(graph, &entry);
  return graph->place[i] != 0 ? graph->place[i] : graph_add(graph, entry, i);
}

dae__node dae__constant(dae__graph *graph, double value)
{
  if (value == 0)
    return DAE__ZERO;
  if (isnan(value))
    value = NAN;
  int bits[2];
  memcpy(bits, &value, sizeof value);
  return dae__intern(graph, (dae__entry){DAE__OP_CONSTANT, bits[0], bits[1], 0});
}

dae__node dae__leaf(dae__graph *graph, int leaf)
{
  return dae__intern(graph, (dae__entry){DAE__OP_LEAF, leaf, 0, 0});
}

dae__node_view dae__node_at(const dae__graph *graph, dae__node node)
{
  dae__entry e = graph->entry[node];
  dae__node_view view = {.op = (dae__op)e.op, .leaf = -1, .value = NAN};
  if (e.op == DAE__OP_CONSTANT) {
    view.value = dae__entry_value(&e);
  } else if (e.op == DAE__OP_LEAF) {
    view.leaf = e.a;
  } else {
    bool curve = dae__op_has_word(e.op) && e.op != DAE__OP_POWI;
    view.a = e.a;
    view.b = curve && e.op != DAE__OP_CURVE ? 0 : e.b;
    view.c = curve ? 0 : e.c;
    view.word = dae__op_has_word(e.op) ? dae__entry_word(&e) : 0;
  }
  return view;
}
