/* Assembly of sparse matrices from terms. */
#include "onestep/spark/terms.h"
#include "core/error.h"
#include "core/vec.h"

dae__terms dae__terms_create(dae__arena *arena, int capacity)
{
  return (dae__terms){.term = DAE__ALLOC(arena, dae__term, capacity),
                      .block = DAE__ALLOC(arena, dae__block, capacity),
                      .sub = DAE__ALLOC(arena, dae_pattern, capacity),
                      .entry = DAE__ALLOC(arena, int *, capacity)};
}

void dae__terms_list(dae__terms *o, dae__arena *arena, dae__term term, dae__block block,
                     const int *range)
{
  if (dae__arena_failed(arena))
    return;
  int k = o->count++, count = 0;
  o->term[k] = term;
  o->block[k] = block;
  if (!range)
    return;
  const dae_pattern *p = block.pattern;
  int cols = range[3] - range[2], bound = p->start[range[3]] - p->start[range[2]];
  int *start = DAE__ALLOC(arena, int, cols + 1);
  int *row = DAE__ALLOC(arena, int, bound), *entry = DAE__ALLOC(arena, int, bound);
  if (dae__arena_failed(arena))
    return;
  for (int j = range[2]; j < range[3]; j++) {
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      if (p->row[e] >= range[0] && p->row[e] < range[1])
        row[count] = p->row[e] - range[0], entry[count++] = e;
    start[j - range[2] + 1] = count;
  }
  o->sub[k] = (dae_pattern){range[1] - range[0], cols, start, row};
  o->entry[k] = entry;
  o->block[k].pattern = &o->sub[k];
}

dae_status dae__terms_merge(dae__terms *o, dae__arena *arena, int rows, int cols, dae_error *err)
{
  o->pattern = dae__blocks_merge(arena, rows, cols, o->block, o->count);
  if (!dae__arena_failed(arena))
    o->values = DAE__ALLOC(arena, double, dae__pattern_count(&o->pattern));
  return dae__arena_status(arena, err);
}

void dae__terms_add(const dae__terms *o, int group, const double *scale, double *const *source)
{
  if (group == 0)
    dae__zero(dae__pattern_count(&o->pattern), o->values);
  for (int k = 0; k < o->count; k++) {
    const dae__term *term = &o->term[k];
    if (term->group != group)
      continue;
    double factor = term->weight * scale[term->scale];
    const double *from = source[term->source];
    const int *entry = o->entry[k], *map = o->block[k].map;
    if (!entry) {
      dae__block_add(&o->block[k], factor, from, o->values);
      continue;
    }
    for (int e = 0; e < dae__pattern_count(&o->sub[k]); e++)
      o->values[map[e]] += factor * from[entry[e]];
  }
}
