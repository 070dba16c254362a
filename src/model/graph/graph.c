/* Storage of the expression graph: an array of nodes, and a hash table of node numbers by which a
 * node that is there already is found: open addressing, at most half full.
 *
 * Nodes are mostly made soon after their operands. The first probes therefore go to places that
 * rise with the newest operand, where other young nodes are, which the cache holds; after a few of
 * them the search goes on by double hashing all over the table.
 *
 * A constant is known by its bits: -0 is stored as 0, and all NaNs as one. */
#include "model/expand/nodes.h"

#include "core/env.h"
#include "model/grow.h"

#include <math.h>

#define FIRST_PLACES ((size_t)1024)
#define FIRST_ENTRIES 256 /* enough for a model of twenty lines */
#define NEAR_PROBES 8     /* with 10 million nodes as fast as 4, 16 and 32; 2 is slower */

/* Multiplicative hashing; the constants are the odd integers nearest to 2^64 divided by the golden
 * ratio and by the square root of 2. The halves of an entry are taken as they lie in memory: a word
 * across both would have to wait until they are written. */
static uint64_t graph_hash_of(const dae__entry *e)
{
  uint64_t h = ((uint64_t)(unsigned)e->a << 32 | (unsigned)e->op) * 0x9e3779b97f4a7c15u;
  h ^= h >> 32;
  h = (h ^ ((uint64_t)(unsigned)e->c << 32 | (unsigned)e->b)) * 0xb504f333f9de6485u;
  return h ^ h >> 32;
}

static bool graph_same(const dae__entry *x, const dae__entry *y)
{
  return !memcmp(x, y, sizeof *x);
}

static size_t graph_near_place(const dae__entry *e, uint64_t hash)
{
  if (e->op == DAE__OP_CONSTANT) /* has bits where others have operands */
    return (size_t)(hash >> 3);
  int newest = e->a > e->b ? e->a : e->b;
  newest = newest > e->c ? newest : e->c;
  return 2 * (size_t)(unsigned)newest + (size_t)(hash & 7);
}

/* The place of the entry, or the empty one where it belongs. The odd stride reaches all places. */
static inline size_t graph_find(const dae__graph *graph, const dae__entry *e)
{
  uint64_t hash = graph_hash_of(e);
  size_t mask = graph->places - 1, i = graph_near_place(e, hash) & mask;
  size_t stride = 1;
  for (int probe = 1;; probe++) {
    int node = graph->place[i];
    if (node == 0 || graph_same(&graph->entry[node], e))
      return i;
    if (probe == NEAR_PROBES) {
      i = (size_t)(hash >> 3);
      stride = (size_t)(hash >> 32) | 1;
    }
    i = (i + stride) & mask;
  }
}

static int *graph_empty_places(const dae_env *env, size_t count)
{
  if (count > SIZE_MAX / sizeof(int))
    return NULL;
  int *place = env->allocate(env->user, count * sizeof *place);
  if (place)
    memset(place, 0, count * sizeof *place);
  return place;
}

static bool graph_grow_places(dae__graph *graph)
{
  int *place = graph_empty_places(&graph->env, 2 * graph->places);
  if (!place)
    return false;
  graph->env.release(graph->env.user, graph->place);
  graph->place = place;
  graph->places *= 2;
  for (int node = 1; node < graph->count; node++)
    place[graph_find(graph, &graph->entry[node])] = node;
  return true;
}

static bool graph_grow_entries(dae__graph *graph, int needed)
{
  dae__entry *entry =
      dae__grown(&graph->env, graph->entry, &graph->capacity, graph->count, needed, sizeof *entry);
  if (!entry)
    return false;
  graph->entry = entry;
  return true;
}

dae__graph *dae__graph_create(const dae_env *env, long max_nodes)
{
  dae_env own = dae__env_of(env);
  dae__graph *graph = own.allocate(own.user, sizeof *graph);
  if (!graph)
    return NULL;
  *graph = (dae__graph){.env = own, .places = FIRST_PLACES};
  graph->limit = max_nodes < 1 ? 1 : max_nodes < INT_MAX ? (int)max_nodes : INT_MAX;
  graph->place = graph_empty_places(&own, FIRST_PLACES);
  if (!graph->place || !graph_grow_entries(graph, FIRST_ENTRIES)) {
    dae__graph_free(graph);
    return NULL;
  }
  graph->entry[graph->count++] = (dae__entry){.op = DAE__OP_CONSTANT}; /* the bits of 0. are zero */
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

bool dae__graph_failed(const dae__graph *graph)
{
  return graph->failed;
}

bool dae__graph_full(const dae__graph *graph)
{
  return graph->full;
}

int dae__graph_count(const dae__graph *graph)
{
  return graph->count;
}

/* Room for one more node, in both tables. */
static bool graph_make_room(dae__graph *graph)
{
  if (graph->count == graph->limit)
    graph->full = graph->failed = true;
  else if (graph->count == graph->capacity && !graph_grow_entries(graph, graph->count + 1))
    graph->failed = true;
  else if ((size_t)graph->count >= graph->places / 2 && !graph_grow_places(graph))
    graph->failed = true;
  return !graph->failed;
}

/* a new node, which belongs to the place i unless the table has to grow; not inlined, so that those
 * that are there are found in a few instructions */
__attribute__((noinline)) static dae__node graph_add(dae__graph *graph, dae__entry entry, size_t i)
{
  size_t places = graph->places;
  if (!graph_make_room(graph))
    return DAE__ZERO;
  if (graph->places != places)
    i = graph_find(graph, &entry);
  graph->place[i] = graph->count;
  graph->entry[graph->count] = (dae__entry){entry.op, entry.a, entry.b, entry.c}; /* see hash_of */
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
    view.a = e.a;
    view.b = e.b;
    view.c = e.c;
  }
  return view;
}
