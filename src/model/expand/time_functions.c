/* The functions of time in the motion: the maximal subexpressions that hold time, params and
 * discretes alone, other than polynomials of degree 2 in time, without factors and summands that do
 * not hold time. */
#include "model/expand/value.h"

/* Kind of the modes of guards, beside those of leaves. */
#define MODE (1u << 31)

/* A visited node of the motion. */
typedef struct place {
  unsigned kinds; /* kinds of the leaves below, without discretes */
  bool held;      /* there are discretes below */
  int degree;     /* degree as a polynomial in time; 3: higher, or none */
  bool wanted;    /* its parts are to be looked through */
} place;

static place time_place(const dae__expander *x, const dae__node_view *v, place *const *below)
{
  int operands = dae__op_operands(v->op), degree = 3;
  place p = {.kinds = 0};
  if (v->op == DAE__OP_LEAF) {
    bool discrete = x->leaf_kind.item[v->leaf] == DAE__LEAF_DISCRETE;
    p.held = discrete && x->leaves.item[v->leaf].symbol >= 0;
    p.kinds = p.held ? 0 : discrete ? MODE : x->leaf_kind.item[v->leaf];
  }
  bool call = v->op == DAE__OP_CURVE && x->graph->curves.item[v->word / DAE__CURVE_ORDERS]->call;
  if (v->op == DAE__OP_INTERVAL || call) /* knots are instants anyway; a function has no ranges */
    p.kinds |= MODE;
  for (int i = 0; i < operands; i++) {
    p.kinds |= below[i]->kinds;
    p.held |= below[i]->held;
  }
  if (v->op == DAE__OP_LEAF)
    degree = p.kinds != 0;
  else if (p.kinds == 0)
    degree = 0;
  else if (v->op == DAE__OP_ADD || v->op == DAE__OP_SUB)
    degree = below[0]->degree > below[1]->degree ? below[0]->degree : below[1]->degree;
  else if (v->op == DAE__OP_MUL)
    degree = below[0]->degree + below[1]->degree;
  else if (v->op == DAE__OP_NEG || (v->op == DAE__OP_DIV && below[1]->degree == 0))
    degree = below[0]->degree;
  else if (v->op == DAE__OP_POWI)
    degree = v->b > 2 ? 3 : v->b * below[0]->degree;
  p.degree = degree > 3 ? 3 : degree;
  return p;
}

/* Tests for c + f, c - f, c f, f / c, -f with a c that does not hold time, which have the features
 * of f. */
static bool time_is_scaled(const dae__node_view *v, place *const *below)
{
  return v->op == DAE__OP_NEG ||
         ((v->op == DAE__OP_ADD || v->op == DAE__OP_SUB || v->op == DAE__OP_MUL) &&
          (below[0]->kinds == 0 || below[1]->kinds == 0)) ||
         (v->op == DAE__OP_DIV && below[1]->kinds == 0);
}

/* Node of a slot, and the places of its operands; returns their number. */
static int time_below(const dae__expander *x, place *all, int slot, dae__node_view *v,
                      place *below[3])
{
  *v = dae__node_at(x->graph, x->walker->visit.item[slot].node);
  const dae__node operand[3] = {v->a, v->b, v->c};
  int operands = dae__op_operands(v->op);
  for (int j = 0; j < operands; j++)
    below[j] = &all[dae__slot_of(x->walker, operand[j])];
  return operands;
}

void dae__list_time_functions(dae__expander *x)
{
  dae__node_places motion = {.count = 0};
  dae__walker *walker = x->walker;
  dae__node_view v;
  place *below[3] = {NULL};
  dae__list_motion(x, &motion);
  dae__node *root = DAE__NEW_ARRAY(x->l->scratch, dae__node, motion.count);
  for (int i = 0; root && i < motion.count; i++)
    root[i] = *motion.item[i];
  if (!dae__load_ok(x->l) || !dae__walk_below(walker, motion.count, root, DAE__WALK_ALL))
    return;
  int count = walker->visit.count;
  place *all = DAE__NEW_ARRAY(x->l->scratch, place, count);
  if (!dae__load_ok(x->l))
    return;
  for (int i = 0; i < count; i++) {
    time_below(x, all, i, &v, below);
    all[i] = time_place(x, &v, below);
  }
  for (int i = 0; i < motion.count; i++)
    all[dae__slot_of(walker, root[i])].wanted = true;
  for (int i = count - 1; i >= 0; i--) {
    int operands = time_below(x, all, i, &v, below);
    bool alone = all[i].kinds == DAE__LEAF_TIME;
    if (!all[i].wanted || !(all[i].kinds & DAE__LEAF_TIME) || (alone && all[i].degree <= 2))
      continue;
    if (alone && !time_is_scaled(&v, below)) {
      *DAE__PUSH(x->l->scratch, &x->time_functions) = walker->visit.item[i].node;
      x->time_functions_held |= all[i].held;
    } else
      for (int j = 0; j < operands; j++)
        below[j]->wanted = true;
  }
}
