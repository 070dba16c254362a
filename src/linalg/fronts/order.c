/* Minimum degree on the quotient graph of the elimination [ADD96], with unknowns that wait for
 * their neighbours.
 *
 * An eliminated unknown becomes an element, the set of unknowns that its elimination connects. The
 * neighbours of an unknown are its remaining ones in the graph of the matrix and those in its
 * elements; its degree is bounded by the sizes of both. An element whose unknowns are all in a
 * newer one is dropped. */
#include "linalg/fronts/plan.h"
#include "linalg/pattern.h"

typedef struct degree_order {
  int n, late;
  dae_pattern graph;   /* symmetric pattern without diagonal */
  int *list;           /* of each unknown, from graph.start on: its elements, then its neighbours */
  int *elements, *all; /* numbers of both in the list of each unknown */
  int *waiting;        /* number of early neighbours that a late unknown waits for */
  int *mark, *outside; /* stamps; number of unknowns of an element outside the newest */
  int *stamp;          /* stamp for which `outside` is valid */
  int *degree, *head, *next, *last; /* unknowns by degree, in doubly linked lists */
  int least;                        /* no unknown in the lists has a smaller degree */
  int *copy;                        /* list of one unknown */
  int *room;                        /* unused rest of the memory of elements, and its size */
  size_t left;
  bool *dropped; /* elements that are part of a newer one */
  dae__fronts_order out;
} degree_order;

/* Symmetric pattern of A + A' without diagonal. */
static dae_pattern order_graph(dae__arena *arena, const dae_pattern *p)
{
  dae_pattern back = dae__pattern_transpose(arena, p, NULL);
  int n = p->cols, count = 0, *start = DAE__UNINIT(arena, int, n + 1);
  int *row = DAE__UNINIT(arena, int, 2 * (size_t)dae__pattern_count(p));
  for (int j = 0; !dae__arena_failed(arena) && j < n; j++) {
    int a = p->start[j], b = back.start[j], a1 = p->start[j + 1], b1 = back.start[j + 1];
    start[j] = count;
    while (a < a1 || b < b1) {
      int i = a < a1 && (b == b1 || p->row[a] <= back.row[b]) ? p->row[a] : back.row[b];
      a += a < a1 && p->row[a] == i;
      b += b < b1 && back.row[b] == i;
      row[count] = i;
      count += i != j;
    }
    start[j + 1] = count;
  }
  return (dae_pattern){n, n, start, row};
}

static void order_enter(degree_order *o, int v)
{
  int d = o->degree[v], first = o->head[d];
  o->next[v] = first;
  o->last[v] = -1;
  if (first >= 0)
    o->last[first] = v;
  o->head[d] = v;
  o->least = d < o->least ? d : o->least;
}

static void order_leave(degree_order *o, int v)
{
  int next = o->next[v], last = o->last[v];
  if (next >= 0)
    o->last[next] = last;
  if (last >= 0)
    o->next[last] = next;
  else
    o->head[o->degree[v]] = next;
}

/* Makes the element of the unknown p, its neighbours; false: there is no room for it. */
static bool order_make_element(degree_order *o, int p)
{
  const int *list = o->list + o->graph.start[p];
  size_t count = 0;
  int *element = o->out.rest[p] = o->room;
  o->mark[p] = p + 1;
  for (int k = 0; k < o->all[p]; k++) {
    bool whole = k < o->elements[p];
    const int *from = whole ? o->out.rest[list[k]] : list + k;
    for (int i = 0; i < (whole ? o->out.length[list[k]] : 1); i++)
      if (o->mark[from[i]] != p + 1) {
        o->mark[from[i]] = p + 1;
        if (count == o->left)
          return false;
        element[count++] = from[i];
      }
    if (whole)
      o->dropped[list[k]] = true;
  }
  o->out.length[p] = (int)count;
  o->room += count;
  o->left -= count;
  return true;
}

/* Counts, for the elements of the unknowns in element p, the unknowns outside p. */
static void order_count_outside(degree_order *o, int p)
{
  for (int k = 0; k < o->out.length[p]; k++) {
    int i = o->out.rest[p][k], *list = o->list + o->graph.start[i];
    for (int e = 0; e < o->elements[i]; e++) {
      if (o->dropped[list[e]])
        continue;
      if (o->stamp[list[e]] != p + 1) {
        o->stamp[list[e]] = p + 1;
        o->outside[list[e]] = o->out.length[list[e]];
      }
      o->outside[list[e]]--;
    }
  }
}

/* List and degree of unknown i in element p: p in place of what it covers. */
static void order_update(degree_order *o, int p, int i, int left)
{
  int *list = o->list + o->graph.start[i], all = o->all[i], count = 1;
  int degree = o->out.length[p] - 1;
  for (int k = 0; k < all; k++)
    o->copy[k] = list[k];
  list[0] = p;
  for (int k = 0; k < o->elements[i]; k++) {
    int e = o->copy[k];
    if (!o->dropped[e] && o->outside[e] > 0) {
      list[count++] = e;
      degree += o->outside[e];
    }
  }
  int elements = count;
  for (int k = o->elements[i]; k < all; k++)
    if (o->mark[o->copy[k]] != p + 1)
      list[count++] = o->copy[k];
  degree += count - elements;
  o->elements[i] = elements;
  o->all[i] = count;
  o->degree[i] = degree < left ? degree : left;
}

static void order_eliminate(degree_order *o, int p, int left)
{
  int length = o->out.length[p], *element = o->out.rest[p];
  order_count_outside(o, p);
  for (int k = 0; k < length; k++) {
    int i = element[k];
    if (o->waiting[i] == 0)
      order_leave(o, i);
    order_update(o, p, i, left);
    if (o->waiting[i] == 0)
      order_enter(o, i);
  }
  for (int e = o->graph.start[p]; p < o->late && e < o->graph.start[p + 1]; e++) {
    int i = o->graph.row[e];
    if (i >= o->late && --o->waiting[i] == 0)
      order_enter(o, i);
  }
}

static void order_initialise(degree_order *o)
{
  const dae_pattern *g = &o->graph;
  for (int v = 0; v <= o->n; v++)
    o->head[v] = -1;
  for (int v = 0; v < o->n; v++) {
    o->all[v] = o->degree[v] = g->start[v + 1] - g->start[v];
    for (int e = g->start[v]; e < g->start[v + 1]; e++) {
      o->list[e] = g->row[e];
      o->waiting[v] += v >= o->late && g->row[e] < o->late;
    }
    if (o->waiting[v] == 0)
      order_enter(o, v);
  }
}

static bool order_alloc(degree_order *o, dae__arena *arena, size_t most)
{
  size_t n = (size_t)o->n;
  int **parts[] = {&o->elements,  &o->all,          &o->waiting,   &o->mark, &o->outside,
                   &o->stamp,     &o->degree,       &o->next,      &o->last, &o->copy,
                   &o->out.pivot, &o->out.position, &o->out.length};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    *parts[i] = DAE__ALLOC(arena, int, n);
  o->head = DAE__UNINIT(arena, int, n + 1);
  o->out.rest = DAE__ALLOC(arena, int *, n);
  o->dropped = DAE__ALLOC(arena, bool, n);
  o->room = DAE__UNINIT(arena, int, most);
  o->left = most;
  if (!dae__arena_failed(arena))
    o->list = DAE__UNINIT(arena, int, dae__pattern_count(&o->graph));
  return !dae__arena_failed(arena);
}

bool dae__fronts_order_create(dae__arena *arena, const dae_pattern *pattern, int late, size_t most,
                              dae__fronts_order *out)
{
  int n = pattern->cols;
  degree_order o = {.n = n, .late = late, .graph = order_graph(arena, pattern)};
  if (!order_alloc(&o, arena, most))
    return false;
  order_initialise(&o);
  for (int k = 0; k < n; k++) {
    while (o.head[o.least] < 0)
      o.least++;
    int p = o.head[o.least];
    order_leave(&o, p);
    o.out.pivot[k] = p;
    o.out.position[p] = k;
    if (!order_make_element(&o, p))
      return false;
    order_eliminate(&o, p, n - k - 2);
  }
  *out = o.out;
  return true;
}
