#include "model/bind/triplets.h"

/* a stable sort by counting: rows stay in rising order within a column */
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
