/* A picture of a model that does not say how it looks: point masses in the plane, and the rods
 * between them.
 *
 * Rods are found in the constraints and joints (rod.c). They say which coordinates lie along one
 * axis, and those that end in a pivot say which two make a point. Where a rod leaves two ways, the
 * rods before it decide, then equal masses, then the order of declaration, which also says which
 * axis is the horizontal one. A rod that contradicts is left out.
 *
 * A point without rods is known by its name: two coordinates that are called alike but for x and y,
 * and have the same mass. What moves in space, along three axes, has no picture. */
#include "model/picture/guess.h"
#include "model/picture/rod.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_POINTS 30 /* of a line: at 10 pixels each they fill half the width of a page */

typedef struct end {
  dae__node x, y;
} end;

typedef struct guess {
  dae__binder *b;
  dae__sketch *out;
  dae__node *mass; /* by leaf: M_qq of a coordinate; 0 where M couples it to others */
  int *other;      /* by leaf: y + 1 of x, -(x + 1) of y; 0: not known */
  DAE__LIST(dae__rod) rods;
} guess;

/* ---- which coordinates make a point ---- */

static bool guess_may_belong(const guess *a, int x, int y)
{
  return (a->other[x] == 0 || a->other[x] == y + 1) && (a->other[y] == 0 || a->other[y] == -x - 1);
}

static void guess_bind_point(guess *a, int x, int y)
{
  a->other[x] = y + 1;
  a->other[y] = -x - 1;
}

static bool guess_same_mass(const guess *a, int x, int y)
{
  return a->mass[x] != DAE__ZERO && a->mass[x] == a->mass[y];
}

/* one end is the point (q, q) of both axes; the other one (r, r), or the pivot, or on a line */
static bool guess_has_two_points(const dae__rod *rod)
{
  return rod->along[0].r >= 0 && rod->along[1].r >= 0;
}

static bool guess_has_pivot(const dae__rod *rod)
{
  return rod->along[0].r < 0 && rod->along[1].r < 0;
}

static bool guess_fits(const guess *a, const dae__rod *rod)
{
  return guess_may_belong(a, rod->along[0].q, rod->along[1].q) &&
         (!guess_has_two_points(rod) || guess_may_belong(a, rod->along[0].r, rod->along[1].r));
}

/* The same rod, taken in the other way: with the ends exchanged along one axis. */
static dae__rod guess_crossed(dae__expander *x, dae__rod rod)
{
  int axis = rod.along[1].r >= 0;
  int q = rod.along[axis].q;
  rod.along[axis].q = rod.along[axis].r;
  rod.along[axis].r = q;
  rod.along[axis].offset = DAE__NEG(x->graph, rod.along[axis].offset);
  return rod;
}

static bool guess_is_better(const guess *a, const dae__rod *rod, const dae__rod *than)
{
  int x = rod->along[0].q, y = rod->along[1].q, x1 = than->along[0].q, y1 = than->along[1].q;
  if (guess_fits(a, rod) != guess_fits(a, than))
    return guess_fits(a, rod);
  if (guess_same_mass(a, x, y) != guess_same_mass(a, x1, y1))
    return guess_same_mass(a, x, y);
  return !guess_has_two_points(rod) && abs(x - y) < abs(x1 - y1); /* declared side by side */
}

/* Decides for one way; a rod that fits in none, or does not end in its points, gets no axes. */
static void guess_settle(guess *a, dae__rod *rod)
{
  if (!guess_has_pivot(rod)) {
    dae__rod other = guess_crossed(a->b->x, *rod);
    if (guess_is_better(a, &other, rod))
      *rod = other;
  }
  bool beside = rod->along[0].offset != DAE__ZERO || rod->along[1].offset != DAE__ZERO;
  if (!guess_fits(a, rod) || (guess_has_two_points(rod) && beside)) {
    rod->axes = 0;
    return;
  }
  guess_bind_point(a, rod->along[0].q, rod->along[1].q);
  if (guess_has_two_points(rod))
    guess_bind_point(a, rod->along[0].r, rod->along[1].r);
}

/* ---- rods ---- */

/* false: there is one in space */
static bool guess_find_rods(guess *a, const dae__constraints *all)
{
  for (int i = 0; i < all->count && dae__bind_fits(a->b); i++) {
    dae__rod rod = dae__rod_of(a->b, all->item[i].node);
    if (rod.axes == 3)
      return false;
    if (rod.axes == 2)
      *DAE__PUSH(a->b->x->l->scratch, &a->rods) = rod;
  }
  return true;
}

static bool guess_find_all_rods(guess *a)
{
  dae__expander *x = a->b->x;
  for (int i = 0; i < x->instances.count; i++)
    if (!guess_find_rods(a, &x->instances.item[i].holonomic))
      return false;
  if (!guess_find_rods(a, &x->joints) || !dae__load_ok(x->l))
    return false;
  for (int pass = 0; pass < 2; pass++) /* with a pivot, then others */
    for (int i = 0; i < a->rods.count; i++)
      if (guess_has_pivot(&a->rods.item[i]) == (pass == 0))
        guess_settle(a, &a->rods.item[i]);
  return true;
}

/* ---- shapes ---- */

static void guess_add_shape(guess *a, dae_shape_kind kind, int first)
{
  *DAE__PUSH(a->b->x->l->keep, &a->out->shapes) =
      (dae_shape){.kind = kind, .points = kind == DAE_SHAPE_LINE ? 2 : 1, .first = first};
}

static void guess_put(guess *a, end e)
{
  dae__pool *pool = a->b->x->l->scratch;
  *DAE__PUSH(pool, &a->out->values) = e.x;
  *DAE__PUSH(pool, &a->out->values) = e.y;
}

static end guess_end_at(const guess *a, int first)
{
  const dae__node *value = &a->out->values.item[first];
  return (end){value[0], value[1]};
}

static bool guess_is_same(end a, end b)
{
  return a.x == b.x && a.y == b.y;
}

static dae__node guess_leaf_or_zero(dae__graph *graph, int leaf)
{
  return leaf < 0 ? DAE__ZERO : dae__leaf(graph, leaf);
}

/* the end with r, or the pivot; and the one with q */
static void guess_ends_of(dae__graph *graph, const dae__rod *rod, end out[2])
{
  out[0].x = DAE__ADD(graph, guess_leaf_or_zero(graph, rod->along[0].r), rod->along[0].offset);
  out[0].y = DAE__ADD(graph, guess_leaf_or_zero(graph, rod->along[1].r), rod->along[1].offset);
  out[1].x = dae__leaf(graph, rod->along[0].q);
  out[1].y = dae__leaf(graph, rod->along[1].q);
}

/* Goes on with the last line, if the rod begins where that ends; a line of one rod may be turned
 * round for it. */
static bool guess_lengthen(guess *a, const end rod[2])
{
  if (a->out->shapes.count == 0)
    return false;
  dae_shape *line = &a->out->shapes.item[a->out->shapes.count - 1];
  end first = guess_end_at(a, line->first),
      last = guess_end_at(a, line->first + 2 * line->points - 2);
  bool from_first = guess_is_same(rod[0], first) || guess_is_same(rod[1], first);
  bool from_last = guess_is_same(rod[0], last) || guess_is_same(rod[1], last);
  if (!from_last && !(from_first && line->points == 2))
    return false;
  if (!from_last) {
    a->out->values.count -= 4;
    guess_put(a, last);
    guess_put(a, first);
    last = first;
  }
  guess_put(a, guess_is_same(rod[0], last) ? rod[1] : rod[0]);
  line->points++;
  return true;
}

static void guess_draw_rods(guess *a)
{
  dae__expander *x = a->b->x;
  for (int i = 0; i < a->rods.count && dae__load_ok(x->l); i++) {
    end rod[2];
    if (a->rods.item[i].axes == 0)
      continue;
    guess_ends_of(x->graph, &a->rods.item[i], rod);
    if (guess_lengthen(a, rod))
      continue;
    guess_add_shape(a, DAE_SHAPE_LINE, a->out->values.count);
    guess_put(a, rod[0]);
    guess_put(a, rod[1]);
  }
}

/* ---- a point at every end ---- */

/* Hash table of ends: where among the values they first stand, + 1; 0: empty. */
typedef struct table {
  int *slot;
  unsigned slots;
} table;

/* true: the end is not there yet; it is now */
static bool guess_enter(const guess *a, table *known, int first)
{
  end e = guess_end_at(a, first);
  uint64_t h = ((uint64_t)(unsigned)e.x << 32 | (unsigned)e.y) * 0x9e3779b97f4a7c15u;
  unsigned i = (unsigned)(h >> 32) & (known->slots - 1);
  for (; known->slot[i]; i = (i + 1) & (known->slots - 1))
    if (guess_is_same(guess_end_at(a, known->slot[i] - 1), e))
      return false;
  known->slot[i] = first + 1;
  return true;
}

/* The points take their values from the lines, which they cover. On a long line they would run
 * together: it has them where it begins and ends. */
static void guess_draw_ends(guess *a)
{
  dae__load *l = a->b->x->l;
  int lines = a->out->shapes.count, count = a->out->values.count;
  table known = {.slots = 16};
  while (known.slots < (unsigned)count) /* two values an end: at most half full */
    known.slots *= 2;
  known.slot = DAE__NEW_ARRAY(l->scratch, int, known.slots);
  for (int i = 0; i < lines; i++) {
    const dae_shape line = a->out->shapes.item[i];
    int stride = line.points > MOST_POINTS ? line.points - 1 : 1;
    for (int k = 0; k < line.points && dae__load_ok(l); k += stride)
      if (guess_enter(a, &known, line.first + 2 * k))
        guess_add_shape(a, DAE_SHAPE_POINT, line.first + 2 * k);
  }
}

/* ---- points without rods ---- */

/* the coordinate that is called like this one, with another letter at a place of its name; -1 */
static int guess_namesake(dae__expander *x, int symbol, size_t at, int letter)
{
  const dae__symbol *s = &x->symbols.item[symbol];
  char text[64];
  size_t length = strlen(s->d->name);
  if (length >= sizeof text)
    return -1;
  memcpy(text, s->d->name, length + 1);
  text[at] = (char)letter;
  int found = dae__table_find(&x->symbol_table, s->scope, dae__name(x->l, x->names, text, (int)length));
  return found >= 0 && x->symbols.item[found].kind == DAE__STATEMENT_COORD ? found : -1;
}

static void guess_draw_points(guess *a, const dae__elements *x, const dae__elements *y)
{
  dae__graph *graph = a->b->x->graph;
  bool alike = x->count == y->count && !memcmp(x->from, y->from, sizeof x->from) &&
               !memcmp(x->to, y->to, sizeof x->to);
  for (int i = 0; alike && i < x->count; i++) {
    int p = x->leaf + i, q = y->leaf + i;
    if (a->other[p] || a->other[q] || !guess_same_mass(a, p, q))
      continue;
    guess_add_shape(a, DAE_SHAPE_POINT, a->out->values.count);
    guess_put(a, (end){dae__leaf(graph, p), dae__leaf(graph, q)});
  }
}

static void guess_draw_named(guess *a, int instance, int symbol)
{
  dae__expander *x = a->b->x;
  const dae__symbol *s = &x->symbols.item[symbol];
  for (const char *c = s->d->name; *c && dae__load_ok(x->l); c++) {
    if (*c != 'x' && *c != 'X')
      continue;
    size_t at = (size_t)(c - s->d->name);
    int y = guess_namesake(x, symbol, at, *c + 1), z = guess_namesake(x, symbol, at, *c + 2);
    if (y >= 0 && z < 0 && dae__load_ok(x->l))
      guess_draw_points(a, dae__elements_of(x, symbol, instance, s->d->place),
                        dae__elements_of(x, y, instance, s->d->place));
  }
}

static void guess_draw_loose(guess *a)
{
  dae__expander *x = a->b->x;
  for (int i = 0; i < x->instances.count; i++) {
    int s = x->scopes.item[x->instances.item[i].scope].first;
    for (; s >= 0 && dae__load_ok(x->l); s = x->symbols.item[s].next)
      if (x->symbols.item[s].kind == DAE__STATEMENT_COORD)
        guess_draw_named(a, i, s);
  }
}

/* ---- the whole ---- */

static void guess_note_masses(guess *a, const dae__unit *u)
{
  const dae__triplet *M = u->inertia.entries.item;
  int count = u->inertia.entries.count;
  for (int i = 0; i < count; i++)
    if (M[i].row == M[i].col)
      a->mass[u->q.item[M[i].row]] = M[i].node;
  for (int i = 0; i < count; i++)
    if (M[i].row != M[i].col)
      a->mass[u->q.item[M[i].row]] = DAE__ZERO;
}

static bool guess_prepare(guess *a, const dae__units *units)
{
  dae__expander *x = a->b->x;
  dae__pool *pool = x->l->scratch;
  a->mass = DAE__NEW_ARRAY(pool, dae__node, x->leaves.count);
  a->other = DAE__NEW_ARRAY(pool, int, x->leaves.count);
  if (!dae__load_ok(x->l))
    return false;
  for (int i = 0; i < units->count; i++)
    guess_note_masses(a, &units->unit[i]);
  return true;
}

void dae__guess(dae__binder *b, const dae__units *units, dae__sketch *out)
{
  guess a = {.b = b, .out = out};
  if (!b->coordinates || !guess_prepare(&a, units) || !guess_find_all_rods(&a))
    return;
  guess_draw_rods(&a);
  guess_draw_ends(&a);
  guess_draw_loose(&a);
}
