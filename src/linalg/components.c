/* Strongly connected components by one depth-first search [T72]. A vertex gets its number when it
 * is found; low is the smallest number that is reached from it through open vertices. A vertex
 * whose low is its own number forms a component with all vertices opened after it. */
#include "linalg/components.h"

typedef struct search {
  const dae_pattern *p;
  int *number, *low;
  int *next;        /* next entry of a column */
  int *path, *open; /* path from the root; vertices found, but in no component yet */
  int found, open_count, count;
  int *component, *size;
} search;

static void components_discover(search *s, int v)
{
  s->number[v] = s->low[v] = ++s->found;
  s->next[v] = s->p->start[v];
  s->open[s->open_count++] = v;
}

static void components_search_from(search *s, int root)
{
  int depth = 0;
  s->path[0] = root;
  components_discover(s, root);
  while (depth >= 0) {
    int v = s->path[depth];
    if (s->next[v] < s->p->start[v + 1]) {
      int u = s->p->row[s->next[v]++];
      if (s->number[u] == 0) {
        s->path[++depth] = u;
        components_discover(s, u);
      } else if (s->component[u] < 0 && s->number[u] < s->low[v]) {
        s->low[v] = s->number[u];
      }
      continue;
    }
    if (s->low[v] == s->number[v]) {
      for (int u = -1; u != v; s->size[s->count]++) {
        u = s->open[--s->open_count];
        s->component[u] = s->count;
      }
      s->count++;
    }
    if (depth > 0 && s->low[v] < s->low[s->path[depth - 1]])
      s->low[s->path[depth - 1]] = s->low[v];
    depth--;
  }
}

int dae__components(dae__arena *arena, const dae_pattern *p, int *component, int *size)
{
  int n = p->cols;
  search s = {
      .p = p,
      .number = DAE__ALLOC(arena, int, n),
      .low = DAE__ALLOC(arena, int, n),
      .next = DAE__ALLOC(arena, int, n),
      .path = DAE__ALLOC(arena, int, n),
      .open = DAE__ALLOC(arena, int, n),
      .component = component,
      .size = size,
  };
  if (dae__arena_failed(arena))
    return 0;
  for (int v = 0; v < n; v++)
    component[v] = -1;
  for (int v = 0; v < n; v++)
    if (s.number[v] == 0)
      components_search_from(&s, v);
  return s.count;
}
