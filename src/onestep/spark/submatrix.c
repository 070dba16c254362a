#include "onestep/spark/submatrix.h"

dae__pick dae__pick_create(dae__arena *arena, const dae_pattern *p, int row0, int row1, int col0,
                           int col1)
{
  int count = 0, most = p->start[col1] - p->start[col0];
  int *start = DAE__ALLOC(arena, int, col1 - col0 + 1);
  int *row = DAE__ALLOC(arena, int, most), *entry = DAE__ALLOC(arena, int, most);
  if (dae__arena_failed(arena))
    return (dae__pick){0};
  for (int j = col0; j < col1; j++) {
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      if (p->row[e] >= row0 && p->row[e] < row1)
        row[count] = p->row[e] - row0, entry[count++] = e;
    start[j - col0 + 1] = count;
  }
  return (dae__pick){.pattern = {row1 - row0, col1 - col0, start, row},
                     .entry = entry,
                     .values = DAE__ALLOC(arena, double, count)};
}

void dae__pick_fill(const dae__pick *pick, const double *whole)
{
  for (int e = 0; e < dae__pattern_count(&pick->pattern); e++)
    pick->values[e] = whole[pick->entry[e]];
}
