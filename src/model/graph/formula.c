#include "model/graph/formula.h"

#include <float.h>
#include <math.h>

/* An operator and its operands, earlier items of the list. */
typedef struct item {
  dae__op op;
  int a, b, c;  /* operands; a of a leaf its entry, or DAE__FORMULA_TIME */
  int word;     /* power, curve, or curve and order, of operators that have one */
  double value; /* value of a constant */
  /* with the held values: w0 + w1 t; w1 = NaN: not affine */
  double w0, w1;
  bool decided; /* a jump of known instants, which has one value in the current interval */
  dae__interval range;
} item;

struct dae__formula {
  int count, e, rate; /* number of items, items of e and of its derivative */
  bool holds;         /* held values were taken */
  const dae__curve *const *curves;
  item *item;
};

dae__formula *dae__formula_create(dae__walker *walker, dae__arena *arena, dae__node e,
                                  dae__node rate, const int *entry)
{
  const dae__node roots[2] = {e, rate};
  if (!dae__walk_below(walker, 2, roots, DAE__WALK_ALL))
    return NULL;
  dae__formula *f = DAE__ALLOC(arena, dae__formula, 1);
  item *all = DAE__ALLOC(arena, item, walker->visit.count);
  if (dae__arena_failed(arena))
    return NULL;
  f->count = walker->visit.count;
  f->e = dae__slot_of(walker, e);
  f->rate = dae__slot_of(walker, rate);
  f->item = all;
  f->curves = walker->graph->curves.item;
  for (int i = 0; i < f->count; i++) {
    dae__node_view view = dae__node_at(walker->graph, walker->visit.item[i].node);
    const dae__node operand[3] = {view.a, view.b, view.c};
    int slot[3] = {0}, operands = dae__op_operands(view.op);
    for (int k = 0; k < operands; k++)
      slot[k] = dae__slot_of(walker, operand[k]);
    all[i] = (item){view.op, slot[0], slot[1], slot[2], .value = view.value};
    all[i].word = dae__entry_word(&walker->graph->entry[walker->visit.item[i].node]);
    if (view.op == DAE__OP_LEAF)
      all[i].a = entry[view.leaf];
  }
  return f;
}

/* ---- affine functions of time ---- */

/* Coefficients of a known polynomial of degree 1 at an affine argument. */
static void formula_curve(const dae__curve *c, int order, item *to, const item *a, const item *b)
{
  if (b->w1 != 0 || isnan(a->w1) || dae__curve_degree(c) - order > 1)
    return;
  to->w0 = dae__curve_value(c, a->w0, b->w0, order);
  to->w1 = dae__curve_value(c, a->w0, b->w0, order + 1) * a->w1;
}

/* Range of an item from those of its operands. */
static dae__interval formula_range_of(const dae__formula *f, const item *i)
{
  const dae__interval *a = &f->item[i->a].range, *b = &f->item[i->b].range;
  if (i->op == DAE__OP_CURVE)
    return dae__interval_of_curve(f->curves[i->word / DAE__CURVE_ORDERS],
                                  i->word % DAE__CURVE_ORDERS, a, b);
  if (i->op == DAE__OP_KNOT || i->op == DAE__OP_INTERVAL)
    return dae__interval_of_index(f->curves[i->word], i->op == DAE__OP_KNOT, a);
  return dae__interval_of(i->op, a, b, &f->item[i->c].range, i->word);
}

/* Coefficients of an operator from those of its operands. */
static void formula_combine(const dae__curve *const *curves, item *to, const item *a, const item *b,
                            const item *c)
{
  int operands = dae__op_operands(to->op);
  bool constant = a->w1 == 0 && (operands < 2 || b->w1 == 0) && (operands < 3 || c->w1 == 0);
  to->w1 = NAN;
  if (constant) {
    to->w0 = dae__op_value_with(curves, to->op, to->word, (double[]){a->w0, b->w0, c->w0});
    to->w1 = 0;
    return;
  }
  switch (to->op) {
  case DAE__OP_ADD:
    to->w0 = a->w0 + b->w0;
    to->w1 = a->w1 + b->w1;
    break;
  case DAE__OP_SUB:
    to->w0 = a->w0 - b->w0;
    to->w1 = a->w1 - b->w1;
    break;
  case DAE__OP_NEG:
    to->w0 = -a->w0;
    to->w1 = -a->w1;
    break;
  case DAE__OP_MUL:
    if (a->w1 == 0 || b->w1 == 0) {
      to->w0 = a->w0 * b->w0;
      to->w1 = a->w1 == 0 ? a->w0 * b->w1 : a->w1 * b->w0;
    }
    break;
  case DAE__OP_DIV:
    if (b->w1 == 0) {
      to->w0 = a->w0 / b->w0;
      to->w1 = a->w1 / b->w0;
    }
    break;
  case DAE__OP_CURVE:
    formula_curve(curves[to->word / DAE__CURVE_ORDERS], to->word % DAE__CURVE_ORDERS, to, a, b);
    break;
  case DAE__OP_IF:
    if (a->w1 == 0) {
      to->w0 = a->w0 != 0 ? b->w0 : c->w0;
      to->w1 = a->w0 != 0 ? b->w1 : c->w1;
    }
    break;
  default:
    break;
  }
}

bool dae__formula_hold(dae__formula *f, const double *held)
{
  item *all = f->item;
  bool same = f->holds;
  for (const item *i = all; same && i < all + f->count; i++)
    same = i->op != DAE__OP_LEAF || i->a == DAE__FORMULA_TIME || i->w0 == held[i->a];
  if (same)
    return false;
  f->holds = true;
  for (item *i = all; i < all + f->count; i++) {
    if (i->op == DAE__OP_LEAF) {
      i->w0 = i->a == DAE__FORMULA_TIME ? 0 : held[i->a];
      i->w1 = i->a == DAE__FORMULA_TIME;
    } else if (i->op == DAE__OP_CONSTANT) {
      i->w0 = i->value;
      i->w1 = 0;
    } else {
      formula_combine(f->curves, i, &all[i->a], &all[i->b], &all[i->c]);
    }
    i->decided = i->w1 == 0;
    i->range = dae__interval_point(i->w0);
  }
  return true;
}

bool dae__formula_is_affine(const dae__formula *f, double *w0, double *w1)
{
  *w0 = f->item[f->e].w0;
  *w1 = f->item[f->e].w1;
  return !isnan(*w1);
}

/* ---- jumps at known instants ---- */

/* First instant after t at which floor((w0 + w1 t) / P) jumps; NaN: it is beyond the whole numbers
 * of a double. value: set to its value before. */
static double formula_floor(double w0, double w1, double P, double t, double *value)
{
  double level = floor((w0 + w1 * t) / P), step = w1 / P > 0 ? 1 : -1;
  for (int n = -2; n <= 3; n++) {
    double k = level + n * step, next = (k * P - w0) / w1;
    *value = step > 0 ? k - 1 : k;
    if (next > t && fabs(level) < 1 / DBL_EPSILON)
      return next;
  }
  return NAN;
}

/* Instant after t at which the sign of w0 + w1 t changes. sign: set to the sign just after t. */
static double formula_sign(double w0, double w1, double t, int *sign)
{
  double zero = -w0 / w1;
  bool after = zero <= t;
  *sign = (w1 > 0) == after ? 1 : -1;
  return after ? INFINITY : zero;
}

/* First instant after t of a jump with affine operands, with the value before it; NaN: the item is
 * no such jump. */
static double formula_next_jump(const item *all, const item *i, double t, double *value)
{
  const item *a = &all[i->a], *b = &all[i->b];
  int sign = 0;
  double next = NAN;
  switch (i->op) {
  case DAE__OP_FLOOR:
    if (a->op == DAE__OP_DIV && all[a->b].w1 == 0 && isfinite(all[a->a].w1))
      return formula_floor(all[a->a].w0, all[a->a].w1, all[a->b].w0, t, value);
    return isfinite(a->w1) ? formula_floor(a->w0, a->w1, 1, t, value) : NAN;
  case DAE__OP_SIGN:
    next = isfinite(a->w1) ? formula_sign(a->w0, a->w1, t, &sign) : NAN;
    *value = sign;
    return next;
  case DAE__OP_LESS:
  case DAE__OP_LESS_EQUAL:
  case DAE__OP_EQUAL:
    if (isfinite(a->w1) && isfinite(b->w1) && a->w1 != b->w1) {
      next = formula_sign(a->w0 - b->w0, a->w1 - b->w1, t, &sign);
      *value = i->op != DAE__OP_EQUAL && sign < 0;
    } else if (isfinite(a->w1) && isfinite(b->w1)) { /* parallel */
      next = INFINITY;
      *value = dae__op_value(i->op, a->w0, b->w0, 0);
    }
    return next;
  default:
    return NAN;
  }
}

double dae__formula_enter(dae__formula *f, double l, double r)
{
  double first = INFINITY;
  for (item *i = f->item; i < f->item + f->count; i++) {
    double value = 0, next;
    if (i->w1 == 0 || isnan(next = formula_next_jump(f->item, i, l, &value)))
      continue;
    i->decided = !(next < r);
    if (i->decided)
      i->range = dae__interval_point(value);
    else
      first = fmin(first, next);
  }
  return first;
}

void dae__formula_range(dae__formula *f, double a, double b, dae__interval *e, dae__interval *rate)
{
  item *all = f->item;
  int count = 1 + (rate && f->rate > f->e ? f->rate : f->e);
  for (item *i = all; i < all + count; i++)
    if (i->op == DAE__OP_LEAF && i->a == DAE__FORMULA_TIME)
      i->range = (dae__interval){a, b, DAE__CONTINUOUS};
    else if (!i->decided)
      i->range = formula_range_of(f, i);
  *e = all[f->e].range;
  if (rate)
    *rate = all[f->rate].range;
}
