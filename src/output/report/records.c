#include "output/report/records.h"

#include <string.h>

dae__records dae__records_create(dae__arena *arena, int width, long room)
{
  dae__records all = {.width = width, .room = room > 2 ? room : 2, .stride = 1};
  all.value = DAE__ALLOC(arena, double, (all.room + 1) * width); /* and the last one */
  all.last = DAE__ALLOC(arena, double, width);
  return all;
}

static void records_put(dae__records *all, long i, const double *record)
{
  memmove(all->value + i * all->width, record, (size_t)all->width * sizeof *record);
}

static void records_halve(dae__records *all)
{
  for (long i = 2; i < all->count; i += 2)
    records_put(all, i / 2, all->value + i * all->width);
  all->count = (all->count + 1) / 2;
  all->stride *= 2;
}

void dae__records_add(dae__records *all, const double *record)
{
  if (all->seen % all->stride == 0 && all->count == all->room)
    records_halve(all);
  if (all->seen % all->stride == 0)
    records_put(all, all->count++, record);
  memcpy(all->last, record, (size_t)all->width * sizeof *record);
  all->seen++;
}

void dae__records_end(dae__records *all)
{
  bool kept = all->seen == 0 || (all->seen - 1) % all->stride == 0;
  if (!kept)
    records_put(all, all->count++, all->last);
}
