/* Start values: expressions that may contain start values of other variables, evaluated in the
 * order of their dependence, without recursion. They are kept, so that poses and places of bodies,
 * which are constants, can be asked for while the model is expanded. */
#include "model/expand/value.h"
#include "model/space/space.h"
#include <math.h>

/* Start nodes of leaves that have none, and that are not known yet. */
enum { START_NONE = -1, START_UNKNOWN = -2 };

typedef struct dae__start {
  DAE__LIST(dae__node) start;     /* by leaf: node of its start value */
  DAE__LIST(double) value;        /* by node: its value, if it is DONE */
  DAE__LIST(unsigned char) state; /* by node: state of its evaluation, UNSEEN, BUSY or DONE */
  DAE__LIST(dae__node) stack;
  int at; /* place in the text of what is being evaluated */
} dae__start;

enum { UNSEEN, BUSY, DONE };

/* Extends the arrays to all leaves and nodes. */
static bool start_extend(dae__expander *x)
{
  dae__pool *pool = x->l->scratch;
  if (!x->start)
    x->start = DAE__NEW(pool, dae__start);
  dae__start *w = x->start;
  while (w && !pool->failed && w->start.count < x->leaves.count)
    *DAE__PUSH(pool, &w->start) = START_UNKNOWN;
  while (w && !pool->failed && w->state.count < x->graph->count) {
    *DAE__PUSH(pool, &w->state) = UNSEEN;
    *DAE__PUSH(pool, &w->value) = 0;
  }
  return dae__load_ok(x->l);
}

/* Node of the start value of a leaf, START_NONE for what has none. */
static dae__node start_find(dae__expander *x, int leaf)
{
  const unsigned no_start = DAE__LEAF_STATE_RATE | DAE__LEAF_MULTIPLIER;
  unsigned kind = x->leaf_kind.item[leaf];
  dae__leaf_info info = x->leaves.item[leaf];
  bool rate = kind == DAE__LEAF_COORD_RATE;
  if (kind & no_start || leaf == 0 || !(kind & (DAE__LEAF_VALUES | DAE__LEAF_COORD_RATE)))
    return START_NONE;
  if (info.symbol < 0) { /* mode of a guard */
    dae__node mode = kind == DAE__LEAF_DISCRETE ? x->guards.item[info.element].mode : START_NONE;
    return mode >= 0 && !(dae__kinds_below(x, mode) & no_start) ? mode : START_NONE;
  }
  const dae__symbol *s = &x->symbols.item[info.symbol];
  if (s->kind == DAE__STATEMENT_BODY)
    return dae__body_start(x, leaf);
  if (s->derived)
    return dae__relative_derived_start(x, leaf);
  if (s->connector)
    return dae__connector_start(x, s->connector, leaf, rate);
  if (kind == DAE__LEAF_ALG && s->kind == DAE__STATEMENT_STATE)
    return START_NONE; /* hidden rate of a state */
  int width = dae__width_of(x, info.symbol, info.instance);
  return dae__start_expr(x, info.symbol, info.instance, info.element / width,
                         rate ? s->d->rate : s->d->value)
      .at[info.element % width];
}

/* Start node of a leaf, found at the first use. */
static dae__node start_of_leaf(dae__expander *x, int leaf)
{
  if (!start_extend(x))
    return START_NONE;
  if (x->start->start.item[leaf] == START_UNKNOWN) {
    dae__node node = start_find(x, leaf);
    x->start->start.item[leaf] = node;
    start_extend(x);
  }
  return x->l->status ? START_NONE : x->start->start.item[leaf];
}

/* Pushes all unevaluated operands of a node, or the unevaluated start value of a leaf; true:
 * nothing to push. */
static bool start_push_needs(dae__expander *x, dae__node node)
{
  dae__start *w = x->start;
  dae__node_view v = dae__node_at(x->graph, node);
  dae__node needed[3] = {v.a, v.b, v.c};
  bool complete = true;
  int count = dae__op_operands(v.op);
  if (v.op == DAE__OP_LEAF && v.leaf > 0) {
    needed[0] = start_of_leaf(x, v.leaf);
    count = 1;
    if (needed[0] < 0) {
      dae__load_fail(x->l, w->at, "a start value cannot depend on %s, which has no start value",
                     dae__leaf_name(x, v.leaf));
      return false;
    }
  }
  for (int i = 0; i < count; i++) {
    if (w->state.item[needed[i]] == DONE)
      continue;
    if (w->state.item[needed[i]] == BUSY) {
      int leaf = v.op == DAE__OP_LEAF ? v.leaf : -1;
      dae__load_fail(x->l, leaf > 0 ? dae__declared_at(x, leaf) : w->at, "cyclic start value of %s",
                     leaf > 0 ? dae__leaf_name(x, leaf) : "a variable");
      return false;
    }
    *DAE__PUSH(x->l->scratch, &w->stack) = needed[i];
    complete = false;
  }
  return complete;
}

static double start_operator(const dae__expander *x, dae__node node)
{
  const dae__graph *graph = x->graph;
  const dae__entry *e = &graph->entry[node];
  dae__node operand[3];
  double value[3] = {0};
  int count = dae__entry_operands(e, operand);
  for (int i = 0; i < count; i++)
    value[i] = x->start->value.item[operand[i]];
  return dae__op_value_with(graph->curves.item, (dae__op)e->op, dae__entry_word(e), value);
}

static double start_evaluate(dae__expander *x, dae__node node)
{
  if (!start_extend(x))
    return 0;
  dae__start *w = x->start;
  int base = w->stack.count;
  *DAE__PUSH(x->l->scratch, &w->stack) = node;
  while (w->stack.count > base && dae__load_ok(x->l)) {
    dae__node top = w->stack.item[w->stack.count - 1];
    if (w->state.item[top] == DONE) {
      w->stack.count--;
      continue;
    }
    w->state.item[top] = BUSY;
    if (!start_push_needs(x, top))
      continue;
    dae__node_view v = dae__node_at(x->graph, top);
    double *value = w->value.item;
    if (v.op == DAE__OP_CONSTANT)
      value[top] = v.value;
    else if (v.op == DAE__OP_LEAF)
      value[top] = v.leaf > 0 ? value[w->start.item[v.leaf]] : x->from;
    else
      value[top] = start_operator(x, top);
    w->state.item[top] = DONE;
    w->stack.count--;
  }
  return x->l->status ? 0 : w->value.item[node];
}

double dae__start_value(dae__expander *x, dae__node node, int place)
{
  if (x->l->status || !start_extend(x))
    return 0;
  int before = x->start->at;
  x->start->at = place;
  double value = start_evaluate(x, node);
  x->start->at = before;
  if (!x->l->status && !isfinite(value))
    dae__load_fail(x->l, place,
                   "the value is not a finite number at the start; look for a division by zero, or "
                   "a root or logarithm of a negative number");
  return value;
}

void dae__start_forget(dae__expander *x)
{
  if (x->start)
    x->start->start.count = x->start->state.count = x->start->value.count = 0;
}

const double *dae__start_values(dae__expander *x)
{
  int leaves = x->leaves.count;
  double *values = DAE__NEW_ARRAY(x->l->scratch, double, leaves);
  if (!start_extend(x))
    return NULL;
  dae__start *w = x->start;
  for (int i = 0; i < leaves && !x->l->status; i++) {
    bool mode = x->leaves.item[i].symbol < 0; /* infinite where an algebraic guess is 0 */
    w->at = mode ? -1 : dae__declared_at(x, i);
    dae__node node = start_of_leaf(x, i);
    if (node < 0)
      continue;
    values[i] = start_evaluate(x, node);
    if (mode && !isfinite(values[i]))
      values[i] = 0;
    else if (!x->l->status && !isfinite(values[i]))
      dae__load_fail(x->l, w->at,
                     "the start value of %s is not a finite number; look for a division "
                     "by zero, or a root or logarithm of a negative number",
                     dae__leaf_name(x, i));
  }
  return x->l->status ? NULL : values;
}
