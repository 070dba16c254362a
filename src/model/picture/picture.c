/* The picture of a motion: the shapes of the draw statements, else an automatic picture, as one
 * tape of the time and the state vector.
 *
 * The automatic picture shows point masses in the plane, and the rods between them. Rods are found
 * in the constraints and joints (rod.c). A rod gives the coordinates along each axis; a rod that
 * ends in a pivot also gives the two coordinates of a point. Where a rod has two interpretations,
 * the rods before it decide, then equal masses, then the order of declaration, which also gives the
 * horizontal axis. A rod that contradicts earlier rods is left out.
 *
 * A point without rods is two coordinates of equal mass whose names differ by x and y. Motion in
 * space, along three axes, has no picture. */
#include "model/model.h"
#include "model/picture/rod.h"
#include <math.h>
#include <stdlib.h>

/* Largest number of points drawn on a line: at 10 pixels each they fill half a page width. */
#define MAX_POINTS 30

typedef struct end {
  dae__node x, y;
} end;

typedef struct automatic {
  dae__binder *b;
  dae__picture *out;
  dae__node *mass; /* by leaf: diagonal entry M_qq of a coordinate; 0: M couples it to others */
  int *other;      /* by leaf: y + 1 for x, -(x + 1) for y of a point (x, y); 0: unknown */
  DAE__LIST(dae__rod) rods;
} automatic;

/* ---- coordinates of points ---- */

static bool picture_same_mass(const automatic *a, int x, int y)
{
  return a->mass[x] != DAE__ZERO && a->mass[x] == a->mass[y];
}

/* Number of axes along which both ends of a rod have a coordinate. 2: points (q, q) and (r, r);
 * 1: a point on a line; 0: a pivot. */
static int picture_free_axes(const dae__rod *rod)
{
  return (rod->along[0].r >= 0) + (rod->along[1].r >= 0);
}

/* Tests that the ends of a rod agree with the points found so far. */
static bool picture_fits(const automatic *a, const dae__rod *rod)
{
  bool fits = true;
  for (int k = 0; k < 1 + (picture_free_axes(rod) == 2); k++) {
    int x = k ? rod->along[0].r : rod->along[0].q, y = k ? rod->along[1].r : rod->along[1].q;
    fits = fits && (a->other[x] == 0 || a->other[x] == y + 1) &&
           (a->other[y] == 0 || a->other[y] == -x - 1);
  }
  return fits;
}

/* Assigns the coordinates of a rod to its ends. A rod that contradicts the points found so far, or
 * has an offset from its end points, gets no axes. */
static void picture_assign_ends(automatic *a, dae__rod *rod)
{
  if (picture_free_axes(rod) > 0) { /* alternative interpretation: ends exchanged along one axis */
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
  bool beside = rod->along[0].offset != DAE__ZERO || rod->along[1].offset != DAE__ZERO;
  bool two_points = picture_free_axes(rod) == 2;
  if (!picture_fits(a, rod) || (two_points && beside)) {
    rod->axes = 0;
    return;
  }
  for (int k = 0; k < 1 + two_points; k++) {
    int x = k ? rod->along[0].r : rod->along[0].q, y = k ? rod->along[1].r : rod->along[1].q;
    a->other[x] = y + 1;
    a->other[y] = -x - 1;
  }
}

/* ---- rods ---- */

/* Lists the rods among all constraints and joints, and assigns coordinates to their ends; false: a
 * rod in space, which has three axes. */
static bool picture_find_rods(automatic *a)
{
  dae__expander *x = a->b->x;
  for (int i = 0; i <= x->systems; i++) {
    const dae__constraints *all = i < x->systems ? &x->instances.item[i].holonomic : &x->joints;
    for (int k = 0; k < all->count && !dae__bind_exceeded(a->b, NULL); k++) {
      dae__rod rod = dae__rod_of(a->b, all->item[k].node);
      if (rod.axes == 3)
        return false;
      if (rod.axes == 2)
        *DAE__PUSH(x->l->scratch, &a->rods) = rod;
    }
  }
  if (!dae__load_ok(x->l))
    return false;
  for (int pass = 0; pass < 2; pass++) /* rods with a pivot first */
    for (int i = 0; i < a->rods.count; i++)
      if ((picture_free_axes(&a->rods.item[i]) == 0) == (pass == 0))
        picture_assign_ends(a, &a->rods.item[i]);
  return true;
}

/* ---- shapes ---- */

static void picture_put(automatic *a, end e)
{
  dae__pool *pool = a->b->x->l->scratch;
  *DAE__PUSH(pool, &a->out->values) = e.x;
  *DAE__PUSH(pool, &a->out->values) = e.y;
}

static end picture_end_at(const automatic *a, int first)
{
  const dae__node *value = &a->out->values.item[first];
  return (end){value[0], value[1]};
}

static bool picture_is_same(end a, end b)
{
  return a.x == b.x && a.y == b.y;
}

/* Extends the last line by a rod that begins at the end of the line; a line of one rod may be
 * reversed. */
static bool picture_lengthen(automatic *a, const end rod[2])
{
  if (a->out->shapes.count == 0)
    return false;
  dae_shape *line = &a->out->shapes.item[a->out->shapes.count - 1];
  end first = picture_end_at(a, line->first),
      last = picture_end_at(a, line->first + 2 * line->points - 2);
  bool from_first = picture_is_same(rod[0], first) || picture_is_same(rod[1], first);
  bool from_last = picture_is_same(rod[0], last) || picture_is_same(rod[1], last);
  if (!from_last && !(from_first && line->points == 2))
    return false;
  if (!from_last) {
    a->out->values.count -= 4;
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
    dae__node node[2][2]; /* coordinates of both ends: of r or the pivot, and of q */
    if (r->axes == 0)
      continue;
    for (int k = 0; k < 2; k++)
      node[0][k] =
          DAE__ADD(x->graph, r->along[k].r < 0 ? DAE__ZERO : dae__leaf(x->graph, r->along[k].r),
                   r->along[k].offset);
    for (int k = 0; k < 2; k++)
      node[1][k] = dae__leaf(x->graph, r->along[k].q);
    const end rod[2] = {{node[0][0], node[0][1]}, {node[1][0], node[1][1]}};
    if (picture_lengthen(a, rod))
      continue;
    *DAE__PUSH(x->l->keep, &a->out->shapes) =
        (dae_shape){.kind = DAE_SHAPE_LINE, .points = 2, .first = a->out->values.count};
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
  while (slots < (unsigned)count) /* two values per end: the hash table is at most half full */
    slots *= 2;
  /* hash table of ends: 1 + first value; 0: empty */
  int *slot = DAE__NEW_ARRAY(l->scratch, int, slots);
  for (int i = 0; i < lines; i++) {
    const dae_shape line = a->out->shapes.item[i];
    int stride = line.points > MAX_POINTS ? line.points - 1 : 1;
    for (int k = 0; k < line.points && dae__load_ok(l); k += stride) {
      int first = line.first + 2 * k;
      end e = picture_end_at(a, first);
      uint64_t h = ((uint64_t)(unsigned)e.x << 32 | (unsigned)e.y) * 0x9e3779b97f4a7c15u;
      unsigned at = (unsigned)(h >> 32) & (slots - 1);
      while (slot[at] && !picture_is_same(picture_end_at(a, slot[at] - 1), e))
        at = (at + 1) & (slots - 1);
      if (slot[at])
        continue;
      slot[at] = first + 1;
      *DAE__PUSH(l->keep, &a->out->shapes) =
          (dae_shape){.kind = DAE_SHAPE_POINT, .points = 1, .first = first};
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

/* Draws points with two coordinates of equal mass whose names differ by x and y, unless there is a
 * third with z. */
static void picture_draw_points(automatic *a, int instance, int symbol)
{
  dae__expander *x = a->b->x;
  const dae__symbol *s = &x->symbols.item[symbol];
  for (const char *c = s->d->name; *c && dae__load_ok(x->l); c++) {
    if (*c != 'x' && *c != 'X')
      continue;
    size_t at = (size_t)(c - s->d->name);
    int y = picture_namesake(x, symbol, at, *c + 1), z = picture_namesake(x, symbol, at, *c + 2);
    if (y < 0 || z >= 0 || !dae__load_ok(x->l))
      continue;
    const dae__elements *ex = dae__elements_of(x, symbol, instance, s->d->place);
    const dae__elements *ey = dae__elements_of(x, y, instance, s->d->place);
    bool alike = ex->count == ey->count && !memcmp(ex->from, ey->from, sizeof ex->from) &&
                 !memcmp(ex->to, ey->to, sizeof ex->to);
    for (int i = 0; alike && i < ex->count; i++) {
      int p = ex->leaf + i, q = ey->leaf + i;
      if (a->other[p] || a->other[q] || !picture_same_mass(a, p, q))
        continue;
      *DAE__PUSH(x->l->keep, &a->out->shapes) =
          (dae_shape){.kind = DAE_SHAPE_POINT, .points = 1, .first = a->out->values.count};
      picture_put(a, (end){dae__leaf(x->graph, p), dae__leaf(x->graph, q)});
    }
  }
}

/* Builds the automatic picture; no shapes: nothing is recognised. Adds nodes to the graph, which
 * may exceed a limit (dae__bind_exceeded). */
static void picture_draw(dae__binder *b, const dae__layout *layout, dae__picture *out)
{
  dae__expander *x = b->x;
  automatic a = {.b = b, .out = out};
  if (!b->coordinates)
    return;
  a.mass = DAE__NEW_ARRAY(x->l->scratch, dae__node, x->leaves.count);
  a.other = DAE__NEW_ARRAY(x->l->scratch, int, x->leaves.count);
  if (!dae__load_ok(x->l))
    return;
  for (int i = 0; i < 2 * layout->count; i++) { /* diagonal entries of M, then off-diagonal ones */
    const dae__system *u = &layout->system[i / 2];
    const dae__triplet *M = u->inertia.entries.item;
    for (int k = 0; k < u->inertia.entries.count; k++)
      if ((M[k].row == M[k].col) == (i % 2 == 0))
        a.mass[u->q.item[M[k].row]] = i % 2 == 0 ? M[k].node : DAE__ZERO;
  }
  if (!picture_find_rods(&a))
    return;
  picture_draw_rods(&a);
  picture_draw_ends(&a);
  for (int i = 0; i < x->systems; i++) {
    const dae__instance *own = &x->instances.item[i];
    for (int k = 0; k < own->variables.count && dae__load_ok(x->l); k++)
      if (x->symbols.item[own->variables.item[k].symbol].kind == DAE__STATEMENT_COORD)
        picture_draw_points(&a, own->variables.item[k].instance, own->variables.item[k].symbol);
  }
}

/* ---- the drawing of a model ---- */

/* The tape of a picture, and the number of its values. */
typedef struct picture_tape {
  dae__result_tape result;
  int values;
} picture_tape;

static int picture_eval(void *user, double t, const double *y, double *values)
{
  const picture_tape *p = user;
  if (dae__result_run(&p->result, t, y, NULL, values))
    return -1;
  for (int i = 0; i < p->values; i++)
    if (!isfinite(values[i]))
      return 1;
  return 0;
}

dae_status dae__build_drawing(dae__binder *b, dae_model *model, const dae__layout *layout)
{
  dae__load *l = b->x->l;
  dae__picture found = {0};
  bool written = b->x->picture.shapes.count > 0;
  if (!written)
    picture_draw(b, layout, &found);
  if (!written && dae__bind_exceeded(b, NULL))
    /* a picture beyond the limits is left out, without an error */
    return dae__load_ok(l) ? DAE_OK : l->status;
  const dae__picture *picture = written ? &b->x->picture : &found;
  if (picture->shapes.count > 0) {
    dae__nodes values = {.item = picture->values.item, .count = picture->values.count};
    picture_tape *p = DAE__ALLOC(b->arena, picture_tape, 1);
    if (!dae__bind_ok(b))
      return l->status;
    *p = (picture_tape){{dae__bind_vector_tape(b, "drawing", &values), layout->size}, values.count};
    model->drawing = (dae_drawing){.shapes = picture->shapes.count,
                                   .shape = picture->shapes.item,
                                   .values = values.count,
                                   .eval = picture_eval,
                                   .user = p,
                                   .guessed = !written};
  }
  dae__bind_ok(b);
  return l->status;
}

dae_drawing dae_model_drawing(const dae_model *model)
{
  return model->drawing;
}
