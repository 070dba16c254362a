/* Start values: expressions that may contain start values of other variables, evaluated in the
 * order of their dependence, without recursion. */
#include "model/expand/value.h"
#include <math.h>

typedef struct work {
  dae__expander *x;
  dae__node *start;     /* by leaf: node of its start value; -1: none */
  double *value;        /* by node: its value, if it is DONE */
  unsigned char *state; /* by node: state of its evaluation, UNSEEN, BUSY or DONE */
  DAE__LIST(dae__node) stack;
  int at; /* place in the text of the variable being evaluated */
} work;

enum { UNSEEN, BUSY, DONE };

/* Pushes all unevaluated operands of a node, or the unevaluated start value of a leaf; true:
 * nothing to push. */
static bool start_push_needs(work *w, dae__node node)
{
  dae__expander *x = w->x;
  dae__node_view v = dae__node_at(x->graph, node);
  dae__node needed[3];
  bool complete = true;
  if (v.op == DAE__OP_LEAF && v.leaf > 0 && w->start[v.leaf] < 0) {
    dae__load_fail(x->l, w->at, "a start value cannot depend on %s, which has no start value",
                   dae__leaf_name(x, v.leaf));
    return false;
  }
  int count = dae__op_operands(v.op);
  needed[0] = v.a;
  needed[1] = v.b;
  needed[2] = v.c;
  if (v.op == DAE__OP_LEAF && v.leaf > 0) {
    needed[0] = w->start[v.leaf];
    count = 1;
  }
  for (int i = 0; i < count; i++) {
    if (w->state[needed[i]] == DONE)
      continue;
    if (w->state[needed[i]] == BUSY) {
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

static double start_operator(const work *w, dae__node node)
{
  const dae__graph *graph = w->x->graph;
  const dae__entry *e = &graph->entry[node];
  dae__node operand[3];
  double value[3] = {0};
  int count = dae__entry_operands(e, operand);
  for (int i = 0; i < count; i++)
    value[i] = w->value[operand[i]];
  return dae__op_value_with(graph->curves.item, (dae__op)e->op, dae__entry_word(e), value);
}

static double start_evaluate(work *w, dae__node node, double t)
{
  dae__expander *x = w->x;
  w->stack.count = 0;
  *DAE__PUSH(x->l->scratch, &w->stack) = node;
  while (w->stack.count > 0 && dae__load_ok(x->l)) {
    dae__node top = w->stack.item[w->stack.count - 1];
    if (w->state[top] == DONE) {
      w->stack.count--;
      continue;
    }
    w->state[top] = BUSY;
    if (!start_push_needs(w, top))
      continue;
    dae__node_view v = dae__node_at(x->graph, top);
    if (v.op == DAE__OP_CONSTANT)
      w->value[top] = v.value;
    else if (v.op == DAE__OP_LEAF)
      w->value[top] = v.leaf > 0 ? w->value[w->start[v.leaf]] : t;
    else
      w->value[top] = start_operator(w, top);
    w->state[top] = DONE;
    w->stack.count--;
  }
  return x->l->status ? 0 : w->value[node];
}

const double *dae__start_values(dae__expander *x, double t)
{
  dae__pool *pool = x->l->scratch;
  const unsigned no_start = DAE__LEAF_STATE_RATE | DAE__LEAF_MULTIPLIER;
  work w = {.x = x};
  int leaves = x->leaves.count;
  double *values = DAE__NEW_ARRAY(pool, double, leaves);
  w.start = DAE__NEW_ARRAY(pool, dae__node, leaves);
  if (!dae__load_ok(x->l))
    return NULL;
  for (int i = 0; i < leaves; i++)
    w.start[i] = -1;
  for (int i = 0; i < x->instances.count; i++) {
    int symbol = x->scopes.item[x->instances.item[i].scope].first;
    for (; symbol >= 0 && !x->l->status; symbol = x->symbols.item[symbol].next) {
      const dae__symbol *s = &x->symbols.item[symbol];
      if (s->kind < DAE__STATEMENT_COORD || s->kind > DAE__STATEMENT_DISCRETE)
        continue;
      const dae__elements *e = dae__elements_of(x, symbol, i, s->d->place);
      for (int k = 0; e && k < e->count && !x->l->status; k++) {
        w.start[e->leaf + k] = dae__start_node(x, symbol, i, k, s->d->value);
        if (s->kind == DAE__STATEMENT_COORD)
          w.start[e->leaf + e->count + k] = dae__start_node(x, symbol, i, k, s->d->rate);
      }
    }
  }
  for (int i = 0; i < x->guards.count; i++)
    if (!(dae__kinds_below(x, x->guards.item[i].mode) & no_start))
      w.start[x->guards.item[i].leaf] = x->guards.item[i].mode;
  w.value = DAE__NEW_ARRAY(pool, double, x->graph->count);
  w.state = DAE__NEW_ARRAY(pool, unsigned char, x->graph->count);
  if (!dae__load_ok(x->l))
    return NULL;
  for (int i = 0; i < leaves && !x->l->status; i++) {
    if (w.start[i] < 0)
      continue;
    bool mode = x->leaves.item[i].symbol < 0; /* infinite where an algebraic guess is 0 */
    w.at = mode ? -1 : dae__declared_at(x, i);
    values[i] = start_evaluate(&w, w.start[i], t);
    if (mode && !isfinite(values[i]))
      values[i] = 0;
    else if (!x->l->status && !isfinite(values[i]))
      dae__load_fail(x->l, w.at,
                     "the start value of %s is not a finite number; look for a division "
                     "by zero, or a root or logarithm of a negative number",
                     dae__leaf_name(x, i));
  }
  return x->l->status ? NULL : values;
}
