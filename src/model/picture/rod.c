/* A rod is a constraint g = f(s), with f monotone and
 *
 *   s = sum over the axes of (q - r - c(t))^2   or, along an axis, (q - c(t))^2,
 *
 * in any notation: it is recognised by its derivatives. Those of second order are constant:
 *
 *   s_qq = s_rr = k,   s_qr = -k   along every axis, with the same k,   and all others 0;
 *
 * and c follows from those of first order, s_q = k (q - r - c), at q = r = 0. */
#include "model/picture/rod.h"
#include "model/expand/value.h"
#include <math.h>

#define MAX_COORDINATES (2 * DAE__ROD_AXES)
/* most operators around s; sqrt((x^2 + y^2)/4)*2 - L has 4; chosen, not measured */
#define MAX_WRAPPERS 8
/* relative rounding error of coefficients such as 1/0.3; chosen, not measured */
#define ROUND_OFF 1e-10

/* First and second derivatives of s with respect to its coordinates. */
typedef struct form {
  int count;
  int leaf[MAX_COORDINATES];
  dae__node s_q[MAX_COORDINATES];
  double s_qq[MAX_COORDINATES][MAX_COORDINATES];
} form;

/* Operand of a node that is a monotone function of that operand; else the node itself. */
static dae__node rod_unwrap(dae__expander *x, dae__node node)
{
  dae__node_view v = dae__node_at(x->graph, node);
  switch (v.op) {
  case DAE__OP_NEG:
  case DAE__OP_SQRT:
  case DAE__OP_POWI:
    return v.a;
  case DAE__OP_HYPOT:
    return DAE__ADD(x->graph, dae__powi(x->graph, v.a, 2), dae__powi(x->graph, v.b, 2));
  case DAE__OP_ADD:
  case DAE__OP_SUB:
  case DAE__OP_MUL:
  case DAE__OP_DIV:
  case DAE__OP_POW:
    if (!(dae__kinds_below(x, v.b) & DAE__LEAF_COORD))
      return v.a;
    return dae__kinds_below(x, v.a) & DAE__LEAF_COORD ? node : v.b;
  default:
    return node;
  }
}

/* Differentiates s twice; false: a second derivative is not constant, or s has too many
 * coordinates. */
static bool rod_differentiate(dae__expander *x, dae__node s, form *f)
{
  const dae__kinds coordinates = {x->leaf_kind.item, DAE__LEAF_COORD};
  dae__gradient d = dae__gradient_of(x->walker, s, coordinates);
  *f = (form){.count = d.count};
  if (d.count < 2 || d.count > MAX_COORDINATES)
    return false;
  for (int i = 0; i < d.count; i++) {
    f->leaf[i] = d.leaf[i];
    f->s_q[i] = d.value[i];
  }
  for (int i = 0; i < f->count; i++) {
    int j = 0;
    d = dae__gradient_of(x->walker, f->s_q[i], coordinates);
    for (int k = 0; k < d.count; k++) {
      while (j < f->count && f->leaf[j] != d.leaf[k])
        j++;
      if (j == f->count || !dae__is_constant(x->graph, d.value[k], &f->s_qq[i][j]))
        return false;
    }
  }
  return true;
}

/* Second coordinate r on the axis of the i-th coordinate; -1: none, -2: the constraint is not a
 * rod. */
static int rod_beside(const form *f, int i)
{
  double k = f->s_qq[0][0], close = ROUND_OFF * fabs(k);
  int found = -1;
  if (!(fabs(f->s_qq[i][i] - k) <= close))
    return -2;
  for (int j = 0; j < f->count; j++) {
    if (j == i || fabs(f->s_qq[i][j]) <= close)
      continue;
    if (found >= 0 || !(fabs(f->s_qq[i][j] + k) <= close))
      return -2;
    found = j;
  }
  return found;
}

dae__rod dae__rod_of(dae__binder *b, dae__node node)
{
  const dae__rod none = {.axes = 0};
  dae__graph *graph = b->x->graph;
  dae__rod rod = none;
  form f;
  int mate[MAX_COORDINATES];
  for (int i = 0; i < MAX_WRAPPERS; i++) {
    dae__node inner = rod_unwrap(b->x, node);
    if (inner == node)
      break;
    node = inner;
  }
  if (!rod_differentiate(b->x, node, &f) || !isnormal(f.s_qq[0][0]))
    return none;
  for (int i = 0; i < f.count; i++) {
    mate[i] = rod_beside(&f, i);
    if (mate[i] == -2)
      return none;
    rod.axes += mate[i] < 0 || mate[i] > i;
  }
  if (rod.axes < 2 || rod.axes > DAE__ROD_AXES)
    return none;
  int axis = 0;
  for (int i = 0; i < f.count; i++) {
    if (mate[i] >= 0 && mate[i] < i)
      continue;
    rod.along[axis].q = f.leaf[i];
    rod.along[axis].r = mate[i] < 0 ? -1 : f.leaf[mate[i]];
    for (int k = 0; k < f.count; k++)
      b->by[f.leaf[k]] = DAE__ZERO;
    dae__node at_zero = dae__replace_leaves(b->x->walker, f.s_q[i], b->by);
    for (int k = 0; k < f.count; k++)
      b->by[f.leaf[k]] = -1;
    rod.along[axis++].offset = DAE__DIV(graph, at_zero, dae__constant(graph, -f.s_qq[0][0]));
  }
  return rod;
}
