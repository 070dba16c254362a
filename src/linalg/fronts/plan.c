/* Fronts from the order of elimination: columns of L with nearly the same unknowns are eliminated
 * together, in one front. */
#include "linalg/fronts/plan.h"
#include "linalg/pattern.h"
#include <stdint.h>

/* Largest number of entries of L for each entry of the matrix: with more of them fronts are large,
 * and a solver that exchanges pivots is as fast. Trees of bodies stay below 2. Chosen, not
 * measured. */
#define FILL_MAX 8
/* Work of a front besides its products, in products: loops, and copies of its rows. Chosen, not
 * measured. */
#define FRONT_WORK 60

typedef struct fronts_build {
  dae__arena *scratch;
  const dae_pattern *pattern;
  dae__fronts_order order;
  int n;
  /* fronts by their last pivot: list of pivots; number of pivots, 0: not the last of a front */
  int *first, *last, *following, *width;
  int *parent;           /* unknown of the column of L that is eliminated first; -1: none */
  int *child, *sibling;  /* tree of the fronts: first child and next one */
  int *ends;             /* last pivots of the fronts, children before parents */
  int *front_of, *where; /* front that eliminates an unknown; place of an unknown in a front */
  int *waiting;          /* fronts whose matrices wait for their parents, the newest last */
  int waits;
  size_t stack; /* number of entries of these matrices */
} fronts_build;

/* ---- tree ---- */

/* Products to eliminate w pivots of a front with r further unknowns, both triangles. */
static double fronts_work(int w, int r)
{
  double s = w + r, t = r;
  return (s * (s + 1) * (2 * s + 1) - t * (t + 1) * (2 * t + 1)) / 6 + FRONT_WORK;
}

static void fronts_adopt(fronts_build *b, int c, int p)
{
  b->sibling[c] = b->child[p];
  b->child[p] = c;
}

/* Makes the front that ends with c a part of that which ends with its parent p. */
static void fronts_merge(fronts_build *b, int c, int p)
{
  b->following[b->last[c]] = b->first[p];
  b->first[p] = b->first[c];
  b->width[p] += b->width[c];
  b->width[c] = 0;
  for (int d = b->child[c], next; d >= 0; d = next) {
    next = b->sibling[d];
    fronts_adopt(b, d, p);
  }
}

/* Collects the fronts below unknown p: those that merging makes cheaper become part of its own. */
static void fronts_collect(fronts_build *b, int p)
{
  int c = b->child[p];
  b->child[p] = -1;
  for (int next; c >= 0; c = next) {
    int w = b->width[p], wc = b->width[c], r = b->order.length[p];
    next = b->sibling[c];
    if (fronts_work(w + wc, r) <= fronts_work(wc, b->order.length[c]) + fronts_work(w, r))
      fronts_merge(b, c, p);
    else
      fronts_adopt(b, c, p);
  }
}

static void fronts_make_tree(fronts_build *b)
{
  const int *position = b->order.position;
  for (int v = 0; v < b->n; v++) {
    b->first[v] = b->last[v] = v;
    b->following[v] = b->child[v] = b->sibling[v] = b->parent[v] = -1;
    b->width[v] = 1;
  }
  for (int k = 0; k < b->n; k++) {
    int p = b->order.pivot[k], *parent = &b->parent[p];
    const int *rest = b->order.rest[p];
    fronts_collect(b, p);
    for (int i = 0; i < b->order.length[p]; i++)
      if (*parent < 0 || position[rest[i]] < position[*parent])
        *parent = rest[i];
    if (*parent >= 0)
      fronts_adopt(b, p, *parent);
  }
}

/* Sets `ends`; returns the number of fronts. Depth first, with the path in `where`. */
static int fronts_number(fronts_build *b)
{
  int count = 0, *path = b->where;
  for (int k = 0; k < b->n; k++) {
    int depth = 0, root = path[0] = b->order.pivot[k];
    if (b->width[root] == 0 || b->parent[root] >= 0)
      continue;
    while (depth >= 0) {
      int v = path[depth], c = b->child[v];
      if (c >= 0) {
        b->child[v] = b->sibling[c];
        path[++depth] = c;
      } else {
        b->ends[count++] = v;
        depth--;
      }
    }
  }
  return count;
}

/* ---- fronts ---- */

/* Sizes of front f, which ends with unknown `end`, and its unknowns. */
static void fronts_list(const fronts_build *b, int f, int end, dae__fronts_plan *plan)
{
  dae__front *front = plan->front + f, *next = front + 1;
  int *unknown = plan->unknown + front->unknowns, rest = b->order.length[end];
  for (int v = b->first[end]; v >= 0; v = v == end ? -1 : b->following[v]) {
    b->front_of[v] = f;
    unknown[front->width++] = v;
  }
  for (int k = 0; k < rest; k++)
    unknown[front->width + k] = b->order.rest[end][k];
  front->size = front->width + rest;
  next->unknowns = front->unknowns + front->size;
  next->places = front->places + rest;
  plan->largest = front->size > plan->largest ? front->size : plan->largest;
  plan->factors += (size_t)front->width * (size_t)(front->size + rest);
}

/* Front that eliminates the first of two unknowns. */
static int fronts_front_of(const fronts_build *b, int i, int j)
{
  return b->front_of[b->order.position[i] < b->order.position[j] ? i : j];
}

/* Whether an entry (i, j) is assembled into a front. */
static bool fronts_takes(const fronts_build *b, const dae__fronts_plan *plan, int i, int j)
{
  return !plan->symmetric || b->order.position[i] >= b->order.position[j];
}

/* Distributes the entries of the matrix to the fronts; column[e]: column of entry e. */
static void fronts_distribute(const fronts_build *b, int *column, dae__fronts_plan *plan)
{
  const dae_pattern *p = b->pattern;
  int entries = 0;
  for (int j = 0; j < b->n; j++) {
    plan->diagonal[j] = -1;
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      column[e] = j;
      plan->diagonal[j] = p->row[e] == j ? e : plan->diagonal[j];
      if (!fronts_takes(b, plan, p->row[e], j))
        continue;
      plan->front[fronts_front_of(b, p->row[e], j) + 1].entries++;
      entries++;
    }
  }
  for (int f = 0; f < plan->count; f++)
    plan->front[f + 1].entries += plan->front[f].entries;
  for (int e = p->start[b->n]; e-- > 0;) { /* from the ends of the fronts, which become begins */
    int f = fronts_front_of(b, p->row[e], column[e]);
    if (fronts_takes(b, plan, p->row[e], column[e]))
      plan->entry[--plan->front[f + 1].entries] = e;
  }
  for (int f = 0; f < plan->count; f++)
    plan->front[f].entries = plan->front[f + 1].entries;
  plan->front[plan->count].entries = entries;
}

/* Lists the pairs of mirror entries off the diagonal of the first `late` unknowns: rows are sorted
 * within each column, so that a column meets its mirror entries in the order of the columns. */
static void fronts_list_pairs(const fronts_build *b, int late, dae__fronts_plan *plan)
{
  const dae_pattern *p = b->pattern;
  int *next = b->where;
  for (int j = 0; j < late; j++)
    next[j] = p->start[j];
  for (int j = 0; j < late; j++)
    for (int e = p->start[j]; e < p->start[j + 1] && p->row[e] < j; e++) {
      int i = p->row[e];
      while (next[i] < p->start[i + 1] && p->row[next[i]] < j)
        next[i]++;
      if (next[i] == p->start[i + 1] || p->row[next[i]] != j)
        continue;
      plan->pair[2 * plan->pairs] = e;
      plan->pair[2 * plan->pairs++ + 1] = next[i];
    }
}

/* Places of the entries, and of the unknowns of the children, in front f. */
static void fronts_place(fronts_build *b, int f, const int *column, dae__fronts_plan *plan)
{
  dae__front *front = plan->front + f;
  const int *unknown = plan->unknown + front->unknowns;
  for (int i = 0; i < front->size; i++)
    b->where[unknown[i]] = i;
  for (int e = front->entries; e < front[1].entries; e++)
    plan->entry_place[e] =
        b->where[b->pattern->row[plan->entry[e]]] + front->size * b->where[column[plan->entry[e]]];
  for (; b->waits > 0; b->waits--, front->children++) {
    const dae__front *child = plan->front + b->waiting[b->waits - 1];
    const int *rest = plan->unknown + child->unknowns + child->width;
    int r = child->size - child->width, parent = b->parent[rest[-1]];
    if (parent < 0 || b->front_of[parent] != f)
      break;
    for (int i = 0; i < r; i++)
      plan->place[child->places + i] = b->where[rest[i]];
    b->stack -= (size_t)r * (size_t)r;
  }
  size_t rest = (size_t)(front->size - front->width);
  b->waiting[b->waits++] = f;
  b->stack += rest * rest;
  plan->stack = b->stack > plan->stack ? b->stack : plan->stack;
}

/* Fills in a plan with the number of its fronts; false: out of memory. */
static bool fronts_fill(fronts_build *b, dae__arena *arena, int late, dae__fronts_plan *plan)
{
  int count = plan->count, entries = dae__pattern_count(b->pattern);
  size_t unknowns = 0;
  for (int f = 0; f < count; f++)
    unknowns += (size_t)(b->width[b->ends[f]] + b->order.length[b->ends[f]]);
  plan->front = DAE__ALLOC(arena, dae__front, (size_t)count + 1);
  plan->unknown = DAE__UNINIT(arena, int, unknowns);
  plan->place = DAE__UNINIT(arena, int, unknowns - (size_t)b->n);
  plan->diagonal = DAE__UNINIT(arena, int, b->n);
  plan->entry = DAE__UNINIT(arena, int, entries);
  plan->entry_place = DAE__UNINIT(arena, int, entries);
  plan->pair = DAE__UNINIT(arena, int, plan->symmetric ? entries : 0);
  int *column = DAE__UNINIT(b->scratch, int, entries);
  b->waiting = DAE__UNINIT(b->scratch, int, count);
  if (dae__arena_failed(arena) || dae__arena_failed(b->scratch))
    return false;
  for (int f = 0; f < count; f++)
    fronts_list(b, f, b->ends[f], plan);
  fronts_distribute(b, column, plan);
  if (plan->symmetric)
    fronts_list_pairs(b, late, plan);
  for (int f = 0; f < count; f++)
    fronts_place(b, f, column, plan);
  return true;
}

/* ---- creation ---- */

static bool fronts_alloc_build(fronts_build *b)
{
  int **parts[] = {&b->first, &b->last,    &b->following, &b->width,    &b->parent,
                   &b->child, &b->sibling, &b->ends,      &b->front_of, &b->where};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    *parts[i] = DAE__UNINIT(b->scratch, int, b->n);
  return !dae__arena_failed(b->scratch);
}

dae__fronts_plan *dae__fronts_plan_create(dae__arena *arena, const dae_pattern *pattern, int late,
                                          bool symmetric)
{
  size_t most = FILL_MAX * (size_t)dae__pattern_count(pattern);
  fronts_build b = {.pattern = pattern, .n = pattern->cols};
  dae__fronts_plan *plan = DAE__ALLOC(arena, dae__fronts_plan, 1);
  b.scratch = plan ? dae__arena_create(dae__arena_env(arena)) : NULL;
  bool good = b.scratch && dae__fronts_order_create(b.scratch, pattern, late, most, &b.order) &&
              fronts_alloc_build(&b);
  if (good) {
    fronts_make_tree(&b);
    plan->n = b.n;
    plan->symmetric = symmetric;
    plan->count = fronts_number(&b);
    good = fronts_fill(&b, arena, late, plan);
  }
  if (dae__arena_failed(b.scratch)) /* recorded in the arena, too */
    (void)dae_arena_alloc(arena, SIZE_MAX, 2);
  dae__arena_free(b.scratch);
  return good ? plan : NULL;
}
