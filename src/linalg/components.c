/* Strongly connected components by one depth-first search [T72]. A vertex gets its number at its
 * first visit; low is the smallest number among the vertices reachable from it that belong to no
 * component yet. A vertex whose low is its own number forms a component with all vertices visited
 * after it that belong to none. */
#include "linalg/components.h"

typedef struct search {
  const dae_pattern *p;
  int *number, *low;
  int *next; /* next entry to follow in each column */
  /* path: vertices from the root to the current one; open: visited vertices in no component yet */
  int *path, *open;
  int found, open_count;
} search;

static void components_discover(search *s, int v)
{
  s->number[v] = s->low[v] = ++s->found;
  s->next[v] = s->p->start[v];
  s->open[s->open_count++] = v;
}

int dae__components(dae__arena *arena, const dae_pattern *p, int *component, int *size)
{
  int n = p->cols, count = 0;
  search s = {
      .p = p,
      .number = DAE__ALLOC(arena, int, n),
      .low = DAE__ALLOC(arena, int, n),
      .next = DAE__ALLOC(arena, int, n),
      .path = DAE__ALLOC(arena, int, n),
      .open = DAE__ALLOC(arena, int, n),
  };
  if (dae__arena_failed(arena))
    return 0;
  for (int v = 0; v < n; v++)
    component[v] = -1;
  for (int root = 0, depth; root < n; root++) {
    depth = s.number[root] ? -1 : 0; /* -1: the root was visited before */
    if (depth == 0)
      components_discover(&s, s.path[0] = root);
    while (depth >= 0) {
      int v = s.path[depth];
      if (s.next[v] < p->start[v + 1]) {
        int u = p->row[s.next[v]++];
        if (s.number[u] == 0)
          components_discover(&s, s.path[++depth] = u);
        else if (component[u] < 0 && s.number[u] < s.low[v])
          s.low[v] = s.number[u];
        continue;
      }
      for (int u = -1; s.low[v] == s.number[v] && u != v; size[count]++) {
        u = s.open[--s.open_count];
        component[u] = count;
      }
      count += s.low[v] == s.number[v];
      if (depth > 0 && s.low[v] < s.low[s.path[depth - 1]])
        s.low[s.path[depth - 1]] = s.low[v];
      depth--;
    }
  }
  return count;
}
