/* Expressions of the tree into nodes of the graph. */
#include "model/expand/value.h"
#include <limits.h>
#include <math.h>
#include <string.h>

#define DEEPEST 500 /* nested evaluations; one takes up to two kilobytes of the stack */

static dae__value value_evaluate(const dae__context *c, const dae__expr *e);

dae__value dae__number_of(const dae__context *c, const dae__expr *e)
{
  dae__value v = value_evaluate(c, e);
  if (v.truth)
    dae__complain(c->x->l, e->place,
                  "this is true or false, but a number is needed: if(condition, "
                  "a, b) makes one");
  return v;
}

dae__value dae__truth_of(const dae__context *c, const dae__expr *e)
{
  dae__value v = value_evaluate(c, e);
  if (!v.truth)
    dae__complain(c->x->l, e->place, "this is a number, but a condition is needed, such as x > 0");
  return v;
}

/* ---- operators ---- */

static dae__value value_arithmetic(const dae__context *c, dae__op op, dae__value a,
                                   const dae__expr *b)
{
  dae__node right = dae__number_of(c, b).node;
  return dae__as_number(dae__binary(c->x->graph, op, a.node, right));
}

static dae__value value_comparison(const dae__context *c, const dae__expr *e, dae__value a)
{
  dae__graph *g = c->x->graph;
  dae__node x = a.node, y = dae__number_of(c, e->argument->next).node, result;
  switch (e->op) {
  case DAE__TOKEN_LESS:
    result = dae__binary(g, DAE__OP_LESS, x, y);
    break;
  case DAE__TOKEN_LESS_EQUAL:
    result = dae__binary(g, DAE__OP_LESS_EQUAL, x, y);
    break;
  case DAE__TOKEN_MORE:
    result = dae__binary(g, DAE__OP_LESS, y, x);
    break;
  case DAE__TOKEN_MORE_EQUAL:
    result = dae__binary(g, DAE__OP_LESS_EQUAL, y, x);
    break;
  case DAE__TOKEN_EQUAL:
    result = dae__binary(g, DAE__OP_EQUAL, x, y);
    break;
  default:
    result = dae__unary(g, DAE__OP_NOT, dae__binary(g, DAE__OP_EQUAL, x, y));
  }
  return (dae__value){result, true};
}

/* one binary operation whose left operand has the value a */
static dae__value value_apply(const dae__context *c, const dae__expr *e, dae__value a)
{
  const dae__expr *left = e->argument, *right = left->next;
  bool logical = e->op == DAE__TOKEN_AND || e->op == DAE__TOKEN_OR;
  if (logical != a.truth) {
    dae__complain(c->x->l, left->place,
                  logical ? "this is a number, but && and || connect conditions, such as x > 0"
                          : "this is true or false and cannot be used as a number");
    return dae__no_value();
  }
  switch (e->op) {
  case DAE__TOKEN_PLUS:
    return value_arithmetic(c, DAE__OP_ADD, a, right);
  case DAE__TOKEN_MINUS:
    return value_arithmetic(c, DAE__OP_SUB, a, right);
  case DAE__TOKEN_TIMES:
    return value_arithmetic(c, DAE__OP_MUL, a, right);
  case DAE__TOKEN_DIVIDE:
    return value_arithmetic(c, DAE__OP_DIV, a, right);
  case DAE__TOKEN_POWER:
    return value_arithmetic(c, DAE__OP_POW, a, right);
  case DAE__TOKEN_AND:
  case DAE__TOKEN_OR: {
    dae__node b = dae__truth_of(c, right).node;
    dae__op op = e->op == DAE__TOKEN_AND ? DAE__OP_AND : DAE__OP_OR;
    return (dae__value){dae__binary(c->x->graph, op, a.node, b), true};
  }
  default:
    return value_comparison(c, e, a);
  }
}

/* a chain of left operands is climbed from its lowest end: it can be long */
static dae__value value_evaluate_binary(const dae__context *c, const dae__expr *e)
{
  const dae__expr *lowest = e;
  while (lowest->kind == DAE__EXPR_BINARY)
    lowest = lowest->argument;
  dae__value value = value_evaluate(c, lowest);
  while (lowest != e && !c->x->l->status && dae__load_work(c->x->l, lowest->place, 1)) {
    lowest = lowest->up;
    value = value_apply(c, lowest, value);
  }
  return value;
}

static dae__value value_evaluate_unary(const dae__context *c, const dae__expr *e)
{
  if (e->op == DAE__TOKEN_NOT)
    return (dae__value){dae__unary(c->x->graph, DAE__OP_NOT, dae__truth_of(c, e->argument).node),
                        true};
  return dae__as_number(DAE__NEG(c->x->graph, dae__number_of(c, e->argument).node));
}

static dae__value value_evaluate_sum(const dae__context *c, const dae__expr *e)
{
  dae__range range = {.place = e->argument->place, .from = e->argument, .to = e->argument->next};
  const dae__expr *body = range.to->next;
  dae__node sum = DAE__ZERO;
  int from, to;
  if (!dae__evaluate_range(c, &range, &from, &to))
    return dae__no_value();
  for (int i = from; i <= to && dae__load_work(c->x->l, e->place, DAE__TURN); i++) {
    dae__frame frame = {e->name, dae__constant(c->x->graph, i), true, c->frame};
    dae__context inner = *c;
    inner.frame = &frame;
    sum = DAE__ADD(c->x->graph, sum, dae__number_of(&inner, body).node);
    if (i == INT_MAX)
      break;
  }
  return dae__as_number(sum);
}

/* ---- names ---- */

static dae__value value_evaluate_frame(const dae__context *c, const dae__expr *e,
                                       const dae__frame *f)
{
  if (e->count > 0)
    dae__complain(c->x->l, e->place, "%s is one value and has no index", e->name);
  if (!e->rate)
    return dae__as_number(f->node);
  if (f->index)
    dae__complain(c->x->l, e->place, "%s is an index and has no rate", e->name);
  return dae__as_number(dae__total_rate(c->x, f->node, e->place, e->name));
}

static dae__value value_evaluate_word(const dae__context *c, const dae__expr *e)
{
  dae__expander *x = c->x;
  if (!strcmp(e->name, "pi") && !e->rate && e->count == 0)
    return dae__as_number(dae__constant(x->graph, 3.14159265358979323846));
  if (!strcmp(e->name, "t") && !e->rate && e->count == 0) {
    if (c->constant)
      dae__complain(x->l, e->place, "%s is a constant and cannot hold t, the time", c->what);
    return dae__as_number(dae__leaf(x->graph, 0));
  }
  if (!strcmp(e->name, "kinetic") || !strcmp(e->name, "potential"))
    return dae__as_number(dae__energy_node(c, e));
  if (!strcmp(e->name, "pi") || !strcmp(e->name, "t"))
    dae__complain(x->l, e->place, "%s is one number and has no %s", e->name,
                  e->rate ? "rate" : "index");
  else if (dae__builtin(e->name) >= 0 || !strcmp(e->name, "sum"))
    dae__complain(x->l, e->place, "%s is a function and needs its arguments: %s(...)", e->name,
                  e->name);
  else
    dae__complain(x->l, e->place, "%s is a word of the language and has no value here", e->name);
  return dae__no_value();
}

static dae__value value_evaluate_variable(const dae__context *c, const dae__expr *e, bool rate,
                                          dae__target at)
{
  dae__expander *x = c->x;
  const dae__symbol *s = &x->symbols.item[at.symbol];
  dae__elements *elements = dae__elements_of(x, at.symbol, at.instance, e->place);
  if (!elements)
    return dae__no_value();
  if (c->constant) {
    dae__complain(x->l, e->place, "%s is a constant and cannot hold the variable %s", c->what,
                  s->d->name);
    return dae__no_value();
  }
  int leaf = elements->leaf + at.element;
  if (!rate)
    return dae__as_number(dae__leaf(x->graph, leaf));
  if (s->kind == DAE__STATEMENT_ALG)
    dae__complain(x->l, e->place,
                  "%s is algebraic and has no rate; declare it as a state, or let "
                  "its equation give what you need",
                  s->d->name);
  else if (s->kind == DAE__STATEMENT_DISCRETE)
    dae__complain(x->l, e->place, "%s is discrete and has no rate: it changes at events only",
                  s->d->name);
  return dae__as_number(x->leaf_rate.item[leaf]);
}

static dae__value value_evaluate_name(const dae__context *c, const dae__expr *e)
{
  dae__target at;
  const dae__expr *last = e->member ? e->member : e;
  if (!e->member)
    for (const dae__frame *f = c->frame; f; f = f->outer)
      if (f->name == e->name)
        return value_evaluate_frame(c, e, f);
  if (!e->member && dae__is_reserved(e->name))
    return value_evaluate_word(c, e);
  bool rate = e->rate || last->rate; /* the sign stands after the whole name */
  if (!dae__find_target(c, e, &at))
    return dae__no_value();
  const dae__symbol *s = &c->x->symbols.item[at.symbol];
  if (s->kind >= DAE__STATEMENT_COORD && s->kind <= DAE__STATEMENT_DISCRETE)
    return value_evaluate_variable(c, last, rate, at);
  if (s->kind == DAE__STATEMENT_OUTPUT && !c->results) {
    dae__complain(c->x->l, e->place, "%s is an output; name the expression with let to use it here",
                  s->d->name);
    return dae__no_value();
  }
  dae__node node = dae__element_node(c->x, at.symbol, at.instance, at.element, e->place);
  double value;
  if (c->constant && !c->x->l->status && !dae__is_constant(c->x->graph, node, &value))
    dae__complain(c->x->l, e->place, "%s is a constant, but %s depends on variables or the time",
                  c->what, s->d->name);
  if (!rate)
    return dae__as_number(node);
  if (s->kind == DAE__STATEMENT_PARAM)
    dae__complain(c->x->l, e->place, "%s is a param, a constant, and has no rate", s->d->name);
  return dae__as_number(dae__total_rate(c->x, node, e->place, s->d->name));
}

/* ---- the whole ---- */

static dae__value value_evaluate_kind(const dae__context *c, const dae__expr *e)
{
  switch (e->kind) {
  case DAE__EXPR_NUMBER:
    return dae__as_number(dae__constant(c->x->graph, e->value));
  case DAE__EXPR_NAME:
    return value_evaluate_name(c, e);
  case DAE__EXPR_CALL:
    return dae__evaluate_call(c, e);
  case DAE__EXPR_UNARY:
    return value_evaluate_unary(c, e);
  case DAE__EXPR_SUM:
    return value_evaluate_sum(c, e);
  default:
    return value_evaluate_binary(c, e);
  }
}

static bool value_graph_ok(dae__expander *x, int place)
{
  if (!x->graph->failed)
    return true;
  if (x->graph->full)
    dae__complain(x->l, place,
                  "the model is too large: its expressions have more than %ld nodes; "
                  "use smaller arrays",
                  x->l->limits.max_nodes);
  else
    dae__load_ok(x->l);
  return false;
}

static dae__value value_evaluate(const dae__context *c, const dae__expr *e)
{
  dae__expander *x = c->x;
  if (x->l->status || !dae__load_work(x->l, e->place, 1) || !value_graph_ok(x, e->place))
    return dae__no_value();
  if (x->depth >= DEEPEST) {
    dae__complain(x->l, e->place,
                  "lets are nested too deeply here; declare them in the order in "
                  "which they need each other");
    return dae__no_value();
  }
  x->depth++;
  dae__value value = value_evaluate_kind(c, e);
  x->depth--;
  return x->l->status ? dae__no_value() : value;
}

dae__node dae__evaluate(const dae__context *c, const dae__expr *e)
{
  dae__node node = dae__number_of(c, e).node;
  value_graph_ok(c->x, e->place);
  return c->x->l->status ? DAE__ZERO : node;
}

double dae__evaluate_constant(const dae__context *c, const dae__expr *e)
{
  double value = 0;
  dae__context constant = *c;
  constant.constant = true;
  dae__node node = dae__evaluate(&constant, e);
  if (c->x->l->status)
    return 0;
  if (!dae__is_constant(c->x->graph, node, &value))
    dae__complain(c->x->l, e->place, "%s must be a constant", c->what);
  else if (!isfinite(value))
    dae__complain(c->x->l, e->place,
                  "%s is not a finite number; look for a division by zero, or a "
                  "root or logarithm of something negative",
                  c->what);
  return value;
}

int dae__evaluate_whole(const dae__context *c, const dae__expr *e)
{
  double value = dae__evaluate_constant(c, e);
  if (c->x->l->status)
    return 0;
  if (value != floor(value) || fabs(value) > 1e9) {
    dae__complain(c->x->l, e->place, "%s must be a whole number, not %.10g", c->what, value);
    return 0;
  }
  return (int)value;
}

bool dae__evaluate_range(const dae__context *c, const dae__range *range, int *from, int *to)
{
  dae__context inner = *c;
  inner.what = "the end of a range";
  *from = dae__evaluate_whole(&inner, range->from);
  *to = dae__evaluate_whole(&inner, range->to);
  return !c->x->l->status;
}
