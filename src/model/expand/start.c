/* Start values: expressions that may hold the start values of other variables, worked out in the
 * order in which they need each other, without recursion. */
#include "model/expand/start.h"
#include <math.h>

typedef struct work {
  dae__expander *x;
  dae__node *start; /* by leaf: its start value as a node; -1: it has none */
  double *value;    /* by node */
  unsigned char *state;
  DAE__LIST(dae__node) stack;
  int at; /* place of the variable at hand */
} work;

enum { UNSEEN, BUSY, DONE };

/* ---- the expressions ---- */

static void set_start(work *w, int symbol, int instance)
{
  dae__expander *x = w->x;
  const dae__symbol *s = &x->symbols.item[symbol];
  const dae__elements *e = dae__elements_of(x, symbol, instance, s->d->place);
  for (int i = 0; e && i < e->count && !x->l->status; i++) {
    w->start[e->leaf + i] = dae__start_node(x, symbol, instance, i, s->d->value);
    if (s->kind == DAE__STATEMENT_COORD)
      w->start[e->leaf + e->count + i] = dae__start_node(x, symbol, instance, i, s->d->rate);
  }
}

/* ---- their values ---- */

static int start_place_of(const dae__expander *x, int leaf)
{
  return x->symbols.item[x->leaves.item[leaf].symbol].d->place;
}

/* the nodes that a node needs */
static int start_needs(const work *w, const dae__node_view *v, dae__node *out)
{
  if (v->op == DAE__OP_LEAF) {
    if (v->leaf > 0)
      out[0] = w->start[v->leaf];
    return v->leaf > 0;
  }
  int count = dae__op_operands(v->op);
  out[0] = v->a;
  out[1] = v->b;
  out[2] = v->c;
  return count;
}

static double start_compute(const work *w, const dae__node_view *v, double t)
{
  if (v->op == DAE__OP_CONSTANT)
    return v->value;
  if (v->op == DAE__OP_LEAF)
    return v->leaf > 0 ? w->value[w->start[v->leaf]] : t;
  double b = v->op == DAE__OP_POWI ? v->b : w->value[v->b];
  return dae__op_value(v->op, w->value[v->a], b, w->value[v->c]);
}

/* pushes what a node needs; true if nothing is missing */
static bool start_push_needs(work *w, dae__node node)
{
  dae__expander *x = w->x;
  dae__node_view v = dae__node_at(x->graph, node);
  dae__node needed[3];
  bool complete = true;
  if (v.op == DAE__OP_LEAF && v.leaf > 0 && w->start[v.leaf] < 0) {
    dae__complain(x->l, w->at, "a start value cannot hold %s, which has none",
                  dae__leaf_name(x, v.leaf));
    return false;
  }
  int count = start_needs(w, &v, needed);
  for (int i = 0; i < count; i++) {
    if (w->state[needed[i]] == DONE)
      continue;
    if (w->state[needed[i]] == BUSY) {
      int leaf = v.op == DAE__OP_LEAF ? v.leaf : -1;
      dae__complain(x->l, leaf > 0 ? start_place_of(x, leaf) : w->at,
                    "the start value of %s depends on itself",
                    leaf > 0 ? dae__leaf_name(x, leaf) : "a variable");
      return false;
    }
    *DAE__PUSH(x->l->scratch, &w->stack) = needed[i];
    complete = false;
  }
  return complete;
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
    w->value[top] = start_compute(w, &v, t);
    w->state[top] = DONE;
    w->stack.count--;
  }
  return x->l->status ? 0 : w->value[node];
}

/* ---- the whole ---- */

static void start_set_all(work *w)
{
  dae__expander *x = w->x;
  for (int i = 0; i < x->instances.count; i++) {
    int s = x->scopes.item[x->instances.item[i].scope].first;
    for (; s >= 0 && !x->l->status; s = x->symbols.item[s].next)
      if (x->symbols.item[s].kind >= DAE__STATEMENT_COORD &&
          x->symbols.item[s].kind <= DAE__STATEMENT_DISCRETE)
        set_start(w, s, i);
  }
}

static bool start_prepare(work *w)
{
  dae__pool *pool = w->x->l->scratch;
  int leaves = w->x->leaves.count;
  w->start = DAE__NEW_ARRAY(pool, dae__node, leaves);
  for (int i = 0; w->start && i < leaves; i++)
    w->start[i] = -1;
  if (!dae__load_ok(w->x->l))
    return false;
  start_set_all(w);
  int nodes = w->x->graph->count;
  w->value = DAE__NEW_ARRAY(pool, double, nodes);
  w->state = DAE__NEW_ARRAY(pool, unsigned char, nodes);
  return dae__load_ok(w->x->l);
}

const double *dae__start_values(dae__expander *x, double t)
{
  work w = {.x = x};
  int leaves = x->leaves.count;
  double *values = DAE__NEW_ARRAY(x->l->scratch, double, leaves);
  if (!start_prepare(&w) || !values)
    return NULL;
  for (int i = 0; i < leaves && !x->l->status; i++) {
    if (w.start[i] < 0)
      continue;
    w.at = start_place_of(x, i);
    values[i] = start_evaluate(&w, w.start[i], t);
    if (!x->l->status && !isfinite(values[i]))
      dae__complain(x->l, w.at,
                    "the start value of %s is not a finite number; look for a division "
                    "by zero, or a root or logarithm of something negative",
                    dae__leaf_name(x, i));
  }
  return x->l->status ? NULL : values;
}
