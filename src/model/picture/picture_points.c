/* The automatic picture of a motion: point masses in the plane or in space, and the rods between
 * them.
 *
 * Rods are found in the constraints and joints (rod.c). A rod gives the coordinates along each
 * axis; a rod that ends in a pivot also gives the coordinates of a point. Where a rod in the plane
 * has two interpretations, the rods before it decide, then equal masses, then the order of
 * declaration, which also gives the horizontal axis. In space the order of declaration decides. A
 * rod that contradicts earlier rods is left out.
 *
 * A point without rods is two coordinates of equal mass whose names differ by x and y, in space
 * three with x, y and z. The picture is one in space if there is a rod along three axes, or such a
 * point in space and no rod in the plane. */
#include "model/picture/picture.h"

#include "model/picture/rod.h"
#include <math.h>
#include <stdlib.h>

/* Largest number of points drawn on a line: at 10 pixels each they fill half a page width. */
#define MAX_POINTS 30

enum { X, Y, Z };

/* End of a rod: its coordinates; of the plane x and y only, and z = 0. */
typedef struct end {
  dae__node at[DAE__ROD_AXES];
} end;

typedef struct automatic {
  dae__binder *b;
  dae__picture *out;
  int axes;        /* 2 in the plane, 3 in space */
  dae__node *mass; /* by leaf: diagonal entry M_qq of a coordinate; 0: M couples it to others */
  /* by leaf: y + 1 for x, -(x + 1) for y of a point (x, y), in space also -(x + 1) for z; 0:
   * unknown */
  int *other;
  DAE__LIST(dae__rod) rods;
} automatic;

/* ---- coordinates of points ---- */

static bool picture_same_mass(const automatic *a, int x, int y)
{
  return a->mass[x] != DAE__ZERO && a->mass[x] == a->mass[y];
}

/* Number of axes along which both ends of a rod have a coordinate. All: two points; 0: a pivot;
 * else a point that moves along some axes. */
static int picture_free_axes(const dae__rod *rod)
{
  int free_axes = 0;
  for (int k = 0; k < rod->axes; k++)
    free_axes += rod->along[k].r >= 0;
  return free_axes;
}

/* Coordinate of an end of a rod along an axis: q of end 0, r of end 1. */
static int picture_leaf(const dae__rod *rod, int k, int axis)
{
  return k ? rod->along[axis].r : rod->along[axis].q;
}

/* Tests that the ends of a rod agree with the points found so far. */
static bool picture_fits(const automatic *a, const dae__rod *rod)
{
  bool fits = true;
  for (int k = 0; k < 1 + (picture_free_axes(rod) == rod->axes); k++) {
    int x = picture_leaf(rod, k, X), y = picture_leaf(rod, k, Y);
    fits = fits && (a->other[x] == 0 || a->other[x] == y + 1) &&
           (a->other[y] == 0 || a->other[y] == -x - 1);
    if (rod->axes > Z) {
      int z = picture_leaf(rod, k, Z);
      fits = fits && (a->other[z] == 0 || a->other[z] == -x - 1);
    }
  }
  return fits;
}

/* Assigns the coordinates of a rod to its ends. A rod that contradicts the points found so far, or
 * has an offset from its end points, gets no axes. */
static void picture_assign_ends(automatic *a, dae__rod *rod)
{
  if (a->axes == 2 &&
      picture_free_axes(rod) > 0) { /* alternative interpretation: ends exchanged along one axis */
    dae__rod other = *rod;
    int axis = rod->along[1].r >= 0;
    other.along[axis].q = rod->along[axis].r;
    other.along[axis].r = rod->along[axis].q;
    other.along[axis].offset = DAE__NEG(a->b->x->graph, rod->along[axis].offset);
    int x = other.along[0].q, y = other.along[1].q, x1 = rod->along[0].q, y1 = rod->along[1].q;
    bool fits = picture_fits(a, &other), mass = picture_same_mass(a, x, y);
    bool better =
        picture_free_axes(&other) < 2 && abs(x - y) < abs(x1 - y1); /* order of declaration */
    if (mass != picture_same_mass(a, x1, y1))
      better = mass;
    if (fits != picture_fits(a, rod))
      better = fits;
    if (better)
      *rod = other;
  }
  bool beside = false;
  for (int k = 0; k < rod->axes; k++)
    beside = beside || rod->along[k].offset != DAE__ZERO;
  bool two_points = picture_free_axes(rod) == rod->axes;
  if (!picture_fits(a, rod) || (two_points && beside)) {
    rod->axes = 0;
    return;
  }
  for (int k = 0; k < 1 + two_points; k++) {
    int x = picture_leaf(rod, k, X), y = picture_leaf(rod, k, Y);
    a->other[x] = y + 1;
    a->other[y] = -x - 1;
    if (rod->axes > Z)
      a->other[picture_leaf(rod, k, Z)] = -x - 1;
  }
}

/* ---- rods ---- */

/* Lists the rods among all constraints and joints; along three axes where there is one, else in the
 * plane. */
static void picture_list_rods(automatic *a)
{
  dae__expander *x = a->b->x;
  int kept = 0;
  for (int i = 0; i <= x->systems; i++) {
    const dae__constraints *all = i < x->systems ? &x->instances.item[i].holonomic : &x->joints;
    for (int k = 0; k < all->count && !dae__bind_exceeded(a->b, NULL); k++) {
      dae__rod rod = dae__rod_of(a->b, all->item[k].node);
      if (rod.axes > a->axes)
        a->axes = rod.axes;
      if (rod.axes > 0)
        *DAE__PUSH(x->l->scratch, &a->rods) = rod;
    }
  }
  for (int i = 0; i < a->rods.count; i++)
    if (a->rods.item[i].axes == a->axes)
      a->rods.item[kept++] = a->rods.item[i];
  a->rods.count = kept;
}

/* Assigns coordinates to the ends of all rods, to those with a pivot first. */
static void picture_assign_rods(automatic *a)
{
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < a->rods.count; i++)
      if ((picture_free_axes(&a->rods.item[i]) == 0) == (pass == 0))
        picture_assign_ends(a, &a->rods.item[i]);
}

/* ---- shapes ---- */

static void picture_put(automatic *a, end e)
{
  for (int k = 0; k < a->axes; k++)
    *DAE__PUSH(a->b->x->l->scratch, &a->out->values) = e.at[k];
}

static end picture_end_at(const automatic *a, int first)
{
  const dae__node *value = &a->out->values.item[first];
  return (end){{value[X], value[Y], a->axes > Z ? value[Z] : DAE__ZERO}};
}

static bool picture_is_same(end a, end b)
{
  return memcmp(a.at, b.at, sizeof a.at) == 0;
}

/* Adds a shape whose values are appended next. */
static void picture_add(automatic *a, dae_shape_kind kind, int points, int first)
{
  *DAE__PUSH(a->b->x->l->keep, &a->out->shapes) =
      (dae_shape){.kind = kind, .points = points, .first = first};
}

/* Extends the last line by a rod that begins at the end of the line; a line of one rod may be
 * reversed. */
static bool picture_lengthen(automatic *a, const end rod[2])
{
  if (a->out->shapes.count == 0)
    return false;
  dae_shape *line = &a->out->shapes.item[a->out->shapes.count - 1];
  end first = picture_end_at(a, line->first),
      last = picture_end_at(a, line->first + a->axes * (line->points - 1));
  bool from_first = picture_is_same(rod[0], first) || picture_is_same(rod[1], first);
  bool from_last = picture_is_same(rod[0], last) || picture_is_same(rod[1], last);
  if (!from_last && !(from_first && line->points == 2))
    return false;
  if (!from_last) {
    a->out->values.count -= 2 * a->axes;
    picture_put(a, last);
    picture_put(a, first);
    last = first;
  }
  picture_put(a, picture_is_same(rod[0], last) ? rod[1] : rod[0]);
  line->points++;
  return true;
}

static void picture_draw_rods(automatic *a)
{
  dae__expander *x = a->b->x;
  for (int i = 0; i < a->rods.count && dae__load_ok(x->l); i++) {
    const dae__rod *r = &a->rods.item[i];
    end rod[2] = {{{DAE__ZERO}}, {{DAE__ZERO}}}; /* r or the pivot, and q */
    for (int k = 0; k < r->axes; k++) {
      rod[0].at[k] =
          DAE__ADD(x->graph, r->along[k].r < 0 ? DAE__ZERO : dae__leaf(x->graph, r->along[k].r),
                   r->along[k].offset);
      rod[1].at[k] = dae__leaf(x->graph, r->along[k].q);
    }
    if (r->axes == 0 || picture_lengthen(a, rod))
      continue;
    picture_add(a, DAE_SHAPE_LINE, 2, a->out->values.count);
    picture_put(a, rod[0]);
    picture_put(a, rod[1]);
  }
}

/* ---- points at the ends of rods ---- */

/* Draws a point at each end of a rod, once: it shares the coordinates with its line. A long line
 * has points only at its two ends, since more would overlap. */
static void picture_draw_ends(automatic *a)
{
  dae__load *l = a->b->x->l;
  int lines = a->out->shapes.count, count = a->out->values.count;
  unsigned slots = 16;
  while (slots < (unsigned)count) /* at least two values per end: the table is at most half full */
    slots *= 2;
  /* hash table of ends: 1 + first value; 0: empty */
  int *slot = DAE__NEW_ARRAY(l->scratch, int, slots);
  for (int i = 0; i < lines; i++) {
    const dae_shape line = a->out->shapes.item[i];
    int stride = line.points > MAX_POINTS ? line.points - 1 : 1;
    for (int k = 0; k < line.points && dae__load_ok(l); k += stride) {
      int first = line.first + a->axes * k;
      end e = picture_end_at(a, first);
      uint64_t h = ((uint64_t)(unsigned)e.at[X] << 32 | (unsigned)e.at[Y]) * 0x9e3779b97f4a7c15u;
      h = (h ^ (unsigned)e.at[Z]) * 0x9e3779b97f4a7c15u;
      unsigned at = (unsigned)(h >> 32) & (slots - 1);
      while (slot[at] && !picture_is_same(picture_end_at(a, slot[at] - 1), e))
        at = (at + 1) & (slots - 1);
      if (slot[at])
        continue;
      slot[at] = first + 1;
      picture_add(a, DAE_SHAPE_POINT, 1, first);
    }
  }
}

/* ---- points without rods ---- */

/* Coordinate whose name differs from the name of a symbol only by the letter at a position; -1:
 * none. */
static int picture_namesake(dae__expander *x, int symbol, size_t at, int letter)
{
  const dae__symbol *s = &x->symbols.item[symbol];
  char text[64];
  size_t length = strlen(s->d->name);
  const dae__elements *e = s->room > 0 ? s->in[0] : NULL;
  if (length >= sizeof text || (e && e->width > 1))
    return -1;
  memcpy(text, s->d->name, length + 1);
  text[at] = (char)letter;
  int found =
      dae__table_find(&x->symbol_table, s->scope, dae__name(x->l, x->names, text, (int)length));
  return found >= 0 && x->symbols.item[found].kind == DAE__STATEMENT_COORD ? found : -1;
}

/* Tests that the elements of a symbol are as many as those of another one, by the same indices. */
static bool picture_is_alike(const dae__elements *a, const dae__elements *b)
{
  return a->count == b->count && !memcmp(a->from, b->from, sizeof a->from) &&
         !memcmp(a->to, b->to, sizeof a->to);
}

/* Draws points whose coordinates have equal masses and names that differ by x and y, in space by x,
 * y and z. Returns their number; axes: 2 or 3. */
static int picture_draw_points(automatic *a, int instance, int symbol, int axes, bool draw)
{
  dae__expander *x = a->b->x;
  const dae__symbol *s = &x->symbols.item[symbol];
  int points = 0;
  for (const char *c = s->d->name; *c && dae__load_ok(x->l); c++) {
    if (*c != 'x' && *c != 'X')
      continue;
    size_t at = (size_t)(c - s->d->name);
    int y = picture_namesake(x, symbol, at, *c + 1), z = picture_namesake(x, symbol, at, *c + 2);
    if (y < 0 || (z >= 0) != (axes == 3) || !dae__load_ok(x->l))
      continue;
    const dae__elements *ex = dae__elements_of(x, symbol, instance, s->d->place);
    const dae__elements *ey = dae__elements_of(x, y, instance, s->d->place);
    const dae__elements *ez = z < 0 ? ex : dae__elements_of(x, z, instance, s->d->place);
    bool alike = picture_is_alike(ex, ey) && picture_is_alike(ex, ez);
    for (int i = 0; alike && i < ex->count; i++) {
      int p = ex->leaf + i, q = ey->leaf + i, r = ez->leaf + i;
      if (a->other[p] || a->other[q] || a->other[r] || !picture_same_mass(a, p, q) ||
          !picture_same_mass(a, p, r))
        continue;
      points++;
      if (!draw)
        continue;
      picture_add(a, DAE_SHAPE_POINT, 1, a->out->values.count);
      picture_put(a,
                  (end){{dae__leaf(x->graph, p), dae__leaf(x->graph, q), dae__leaf(x->graph, r)}});
    }
  }
  return points;
}

/* Draws, or counts only, the elements of a vector coordinate of as many components as axes. */
static int picture_draw_vectors(automatic *a, int instance, int symbol, int axes, bool draw)
{
  dae__expander *x = a->b->x;
  const dae__elements *e = dae__elements_of(x, symbol, instance, x->symbols.item[symbol].d->place);
  int points = 0;
  for (int i = 0; e && e->width == axes && i < e->count && dae__load_ok(x->l); i++) {
    int p = e->leaf + i * axes;
    end at = {{DAE__ZERO}};
    bool free_point = true;
    for (int k = 0; k < axes; k++) {
      at.at[k] = dae__leaf(x->graph, p + k);
      free_point = free_point && !a->other[p + k] && picture_same_mass(a, p, p + k);
    }
    points += free_point;
    if (!free_point || !draw)
      continue;
    picture_add(a, DAE_SHAPE_POINT, 1, a->out->values.count);
    picture_put(a, at);
  }
  return points;
}

/* Draws, or counts only, the points of all systems that are not ends of rods. */
static int picture_walk_points(automatic *a, int axes, bool draw)
{
  dae__expander *x = a->b->x;
  int points = 0;
  for (int i = 0; i < x->systems; i++) {
    const dae__instance *own = &x->instances.item[i];
    for (int k = 0; k < own->variables.count && dae__load_ok(x->l); k++) {
      struct dae__variable of = own->variables.item[k];
      if (x->symbols.item[of.symbol].kind != DAE__STATEMENT_COORD)
        continue;
      points += picture_draw_points(a, of.instance, of.symbol, axes, draw);
      points += picture_draw_vectors(a, of.instance, of.symbol, axes, draw);
    }
  }
  return points;
}

/* ---- all together ---- */

/* Lists the masses: diagonal entries of M, 0 of coordinates that M couples to others. */
static void picture_list_masses(automatic *a, const dae__layout *layout)
{
  for (int i = 0; i < 2 * layout->count; i++) { /* diagonal entries of M, then off-diagonal ones */
    const dae__system *u = &layout->system[i / 2];
    const dae__triplet *M = u->inertia.entries.item;
    for (int k = 0; k < u->inertia.entries.count; k++)
      if ((M[k].row == M[k].col) == (i % 2 == 0))
        a->mass[u->q.item[M[k].row]] = i % 2 == 0 ? M[k].node : DAE__ZERO;
  }
}

void dae__picture_points(dae__binder *b, const dae__layout *layout, dae__picture *out)
{
  dae__expander *x = b->x;
  automatic a = {.b = b, .out = out, .axes = 2};
  if (!b->coordinates)
    return;
  a.mass = DAE__NEW_ARRAY(x->l->scratch, dae__node, x->leaves.count);
  a.other = DAE__NEW_ARRAY(x->l->scratch, int, x->leaves.count);
  if (!dae__load_ok(x->l))
    return;
  picture_list_masses(&a, layout);
  picture_list_rods(&a);
  if (a.rods.count == 0 && picture_walk_points(&a, 3, false) > 0)
    a.axes = 3;
  out->space = a.axes == 3;
  picture_assign_rods(&a);
  if (!dae__load_ok(x->l))
    return;
  picture_draw_rods(&a);
  picture_draw_ends(&a);
  picture_walk_points(&a, a.axes, true);
}
