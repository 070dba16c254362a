/* Narrow features of functions of time and held values, such as a pulse 0.02 wide within a run of
 * 100, which steps could jump over while nothing moves.
 *
 * For each function f(t) the run is divided into cells until the range of f on every cell, by
 * interval arithmetic, is at most a quarter of its whole range. The edges of cells that are narrow,
 * within the run and against the cells that cover most of it, become stops: steps end there. Where
 * f varies everywhere, as a sine does, no cell is narrow: the error test sees what it does. */
#include "model/bind/stops.h"

#include "model/graph/formula.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

#define CELLS 4096        /* largest number of cells of one function */
#define ALL_CELLS 1000000 /* and of all functions */
/* Largest range on a cell, over the whole range: with half of it, a cell of any width could end in
 * the middle of a step from one level to another. */
#define SHARE 0.25
#define NARROW_RUN 64   /* width of the run over that of a narrow cell, at least */
#define NARROW_CELLS 16 /* median width of the cells, by time, over that of a narrow one */
#define SHORTEST 1e-12  /* width of a cell that is not divided, over the run */

struct dae__stops {
  int count;
  dae__formula **f;
  const double *held; /* present held values of the model */
  bool depends;       /* some functions hold discretes */
  int cells;          /* largest number of cells of one function */
  dae_env env;
};

/* ---- cells ---- */

typedef struct cell {
  double l, r, lo, hi, jump; /* known instant of a jump inside, or infinity */
  bool divisible;            /* f is continuous, or jumps at known instants */
} cell;

/* Cells of a division, and memory for the next one. */
typedef struct division {
  int count, room;
  cell *cell, *next;
} division;

static cell stops_cell(dae__formula *f, double l, double r)
{
  dae__interval e;
  cell c = {.l = l, .r = r};
  c.jump = dae__formula_enter(f, l, r);
  dae__formula_range(f, l, r, &e, NULL);
  c.lo = e.lo;
  c.hi = e.hi;
  c.divisible = isfinite(e.hi - e.lo) && (e.regularity == DAE__CONTINUOUS || c.jump < r);
  return c;
}

/* Divides the run into cells, in passes from the left to the right over those whose range is too
 * large. */
static void stops_divide(division *d, dae__formula *f, double from, double to)
{
  int before = 0;
  d->count = 1;
  d->cell[0] = stops_cell(f, from, to);
  while (d->count > before && d->count < d->room) {
    double lo = INFINITY, hi = -INFINITY, shortest = SHORTEST * (to - from);
    for (int i = 0; i < d->count; i++) {
      lo = fmin(lo, d->cell[i].lo);
      hi = fmax(hi, d->cell[i].hi);
    }
    before = d->count;
    d->count = 0;
    for (int i = 0; i < before; i++) {
      cell c = d->cell[i];
      double middle = c.l + (c.r - c.l) / 2,
             at = c.jump >= middle && c.jump < c.r ? c.jump : middle;
      if (c.divisible && c.hi - c.lo > SHARE * (hi - lo) && c.r - c.l > shortest &&
          d->count + before - i < d->room) {
        d->next[d->count++] = stops_cell(f, c.l, at);
        c = stops_cell(f, at, c.r);
      }
      d->next[d->count++] = c;
    }
    cell *other = d->cell;
    d->cell = d->next;
    d->next = other;
  }
}

static int stops_by_width(const void *a, const void *b)
{
  const cell *x = a, *y = b;
  double u = x->r - x->l, v = y->r - y->l;
  return (u > v) - (u < v);
}

/* Width such that half of the run is covered by cells that are at least as wide. */
static double stops_median(const division *d)
{
  double covered = 0, run = d->cell[d->count - 1].r - d->cell[0].l;
  memcpy(d->next, d->cell, (size_t)d->count * sizeof(cell));
  qsort(d->next, (size_t)d->count, sizeof(cell), stops_by_width);
  int i = d->count;
  while (i > 0 && covered < 0.5 * run) {
    i--;
    covered += d->next[i].r - d->next[i].l;
  }
  return d->next[i].r - d->next[i].l;
}

static int stops_by_time(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Adds the edges of the narrow cells of a function to the `found` ones; returns their number. */
static int stops_add_edges(const division *d, int found, int max, double *t)
{
  double run = d->cell[d->count - 1].r - d->cell[0].l;
  double narrow = fmin(run / NARROW_RUN, stops_median(d) / NARROW_CELLS);
  for (int k = 1; k < d->count; k++) {
    const cell *a = &d->cell[k - 1], *b = &d->cell[k];
    if (fmin(a->r - a->l, b->r - b->l) >= narrow)
      continue;
    if (found < max)
      t[found] = b->l;
    found++;
  }
  return found;
}

int dae__stops_find(void *stops, double from, double to, int max, double *t)
{
  const dae__stops *s = stops;
  size_t size = (size_t)s->cells * sizeof(cell);
  division d = {.room = s->cells};
  int found = 0, kept = 0;
  cell *memory = s->env.allocate(s->env.user, 2 * size);
  if (!memory)
    return -1;
  d.cell = memory;
  d.next = memory + s->cells;
  for (int i = 0; i < s->count && from < to; i++) {
    dae__formula_hold(s->f[i], s->held);
    stops_divide(&d, s->f[i], from, to);
    found = stops_add_edges(&d, found, max, t);
  }
  s->env.release(s->env.user, memory);
  if (found > max)
    return found;
  qsort(t, (size_t)found, sizeof *t, stops_by_time);
  for (int i = 0; i < found; i++)
    if (kept == 0 || t[i] - t[kept - 1] > 4 * DBL_EPSILON * fabs(t[i]))
      t[kept++] = t[i];
  return kept;
}

bool dae__stops_are_held(const dae__stops *stops)
{
  return stops->depends;
}

/* ---- binding ---- */

dae__stops *dae__bind_stops(dae__binder *b)
{
  dae__expander *x = b->x;
  int count = x->time_functions.count;
  if (!dae__bind_ok(b) || count == 0)
    return NULL;
  dae__stops *s = DAE__ALLOC(b->arena, dae__stops, 1);
  dae__formula **f = DAE__ALLOC(b->arena, dae__formula *, count);
  int *entry = DAE__NEW_ARRAY(x->l->scratch, int, x->leaves.count);
  if (!dae__bind_ok(b))
    return NULL;
  for (int i = 0; i < x->leaves.count; i++)
    entry[i] = x->leaf_kind.item[i] == DAE__LEAF_TIME       ? DAE__FORMULA_TIME
               : x->leaf_kind.item[i] == DAE__LEAF_DISCRETE ? b->index[i]
                                                            : 0;
  *s = (dae__stops){.count = count,
                    .f = f,
                    .held = b->held_value,
                    .depends = x->time_functions_held,
                    .cells = ALL_CELLS / count};
  s->cells = s->cells > CELLS ? CELLS : s->cells + 1;
  s->env = *dae__arena_env(b->arena);
  for (int i = 0; i < count && dae__bind_ok(b); i++) {
    dae__node node = x->time_functions.item[i];
    f[i] = dae__formula_create(x->walker, b->arena, node, node, entry);
  }
  return dae__bind_ok(b) ? s : NULL;
}
