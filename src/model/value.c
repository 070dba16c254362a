/* Expressions of the tree into nodes of the graph. */
#include "model/value.h"
#include "core/error.h"
#include <limits.h>
#include <math.h>
#include <string.h>

#define DEEPEST 1500 /* nested evaluations; one takes some hundred bytes of the stack */

static dae__value evaluate(const dae__context *c, const dae__expr *e);

static dae__value number(dae__node node)
{
  return (dae__value){node, false};
}

static dae__value nothing(void)
{
  return (dae__value){DAE__ZERO, false};
}

static dae__value number_of(const dae__context *c, const dae__expr *e)
{
  dae__value v = evaluate(c, e);
  if (v.truth)
    dae__complain(c->x->l, e->place,
                  "this is true or false, but a number is needed: if(condition, "
                  "a, b) makes one");
  return v;
}

static dae__value truth_of(const dae__context *c, const dae__expr *e)
{
  dae__value v = evaluate(c, e);
  if (!v.truth)
    dae__complain(c->x->l, e->place, "this is a number, but a condition is needed, such as x > 0");
  return v;
}

/* ---- operators ---- */

static dae__value arithmetic(const dae__context *c, dae__op op, dae__value a, const dae__expr *b)
{
  dae__node right = number_of(c, b).node;
  return number(dae__binary(c->x->graph, op, a.node, right));
}

static dae__value comparison(const dae__context *c, const dae__expr *e, dae__value a)
{
  dae__graph *g = c->x->graph;
  dae__node x = a.node, y = number_of(c, e->argument->next).node, result;
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
static dae__value apply(const dae__context *c, const dae__expr *e, dae__value a)
{
  const dae__expr *left = e->argument, *right = left->next;
  bool logical = e->op == DAE__TOKEN_AND || e->op == DAE__TOKEN_OR;
  if (logical != a.truth) {
    dae__complain(c->x->l, left->place,
                  logical ? "this is a number, but && and || connect conditions, such as x > 0"
                          : "this is true or false and cannot be used as a number");
    return nothing();
  }
  switch (e->op) {
  case DAE__TOKEN_PLUS:
    return arithmetic(c, DAE__OP_ADD, a, right);
  case DAE__TOKEN_MINUS:
    return arithmetic(c, DAE__OP_SUB, a, right);
  case DAE__TOKEN_TIMES:
    return arithmetic(c, DAE__OP_MUL, a, right);
  case DAE__TOKEN_DIVIDE:
    return arithmetic(c, DAE__OP_DIV, a, right);
  case DAE__TOKEN_POWER:
    return arithmetic(c, DAE__OP_POW, a, right);
  case DAE__TOKEN_AND:
  case DAE__TOKEN_OR: {
    dae__node b = truth_of(c, right).node;
    dae__op op = e->op == DAE__TOKEN_AND ? DAE__OP_AND : DAE__OP_OR;
    return (dae__value){dae__binary(c->x->graph, op, a.node, b), true};
  }
  default:
    return comparison(c, e, a);
  }
}

/* a chain of left operands is climbed from its lowest end: it can be long */
static dae__value evaluate_binary(const dae__context *c, const dae__expr *e)
{
  const dae__expr *lowest = e;
  while (lowest->kind == DAE__EXPR_BINARY)
    lowest = lowest->argument;
  dae__value value = evaluate(c, lowest);
  while (lowest != e && !c->x->l->status && dae__load_work(c->x->l, lowest->place)) {
    lowest = lowest->up;
    value = apply(c, lowest, value);
  }
  return value;
}

static dae__value evaluate_unary(const dae__context *c, const dae__expr *e)
{
  if (e->op == DAE__TOKEN_NOT)
    return (dae__value){dae__unary(c->x->graph, DAE__OP_NOT, truth_of(c, e->argument).node), true};
  return number(DAE__NEG(c->x->graph, number_of(c, e->argument).node));
}

static dae__value evaluate_sum(const dae__context *c, const dae__expr *e)
{
  dae__range range = {.place = e->argument->place, .from = e->argument, .to = e->argument->next};
  const dae__expr *body = range.to->next;
  dae__node sum = DAE__ZERO;
  int from, to;
  if (!dae__evaluate_range(c, &range, &from, &to))
    return nothing();
  for (int i = from; i <= to && dae__load_work(c->x->l, e->place); i++) {
    dae__frame frame = {e->name, dae__constant(c->x->graph, i), true, c->frame};
    dae__context inner = *c;
    inner.frame = &frame;
    sum = DAE__ADD(c->x->graph, sum, number_of(&inner, body).node);
    if (i == INT_MAX)
      break;
  }
  return number(sum);
}

/* ---- calls ---- */

static dae__node smaller(dae__graph *g, dae__node a, dae__node b, dae__node than, dae__node other)
{
  return dae__if(g, dae__binary(g, DAE__OP_LESS_EQUAL, a, b), than, other);
}

static dae__value call_builtin(const dae__context *c, const dae__expr *e, int builtin)
{
  static const dae__op ops[] = {DAE__OP_SIN,  DAE__OP_COS,  DAE__OP_TAN,  DAE__OP_ASIN,
                                DAE__OP_ACOS, DAE__OP_ATAN, DAE__OP_SINH, DAE__OP_COSH,
                                DAE__OP_TANH, DAE__OP_EXP,  DAE__OP_LOG,  DAE__OP_LOG10,
                                DAE__OP_SQRT, DAE__OP_ABS,  DAE__OP_SIGN, DAE__OP_FLOOR};
  dae__graph *g = c->x->graph;
  int arguments = dae__builtin_arguments(builtin);
  if (e->count != arguments) {
    dae__complain(c->x->l, e->place, "%s takes %d argument%s, not %d", e->name, arguments,
                  arguments == 1 ? "" : "s", e->count);
    return nothing();
  }
  if (arguments == 3) {
    dae__node condition = truth_of(c, e->argument).node;
    dae__node a = number_of(c, e->argument->next).node;
    return number(dae__if(g, condition, a, number_of(c, e->argument->next->next).node));
  }
  dae__node a = number_of(c, e->argument).node;
  if (arguments == 1)
    return number(dae__unary(g, ops[builtin], a));
  dae__node b = number_of(c, e->argument->next).node;
  if (!strcmp(e->name, "min"))
    return number(smaller(g, a, b, a, b));
  if (!strcmp(e->name, "max"))
    return number(smaller(g, a, b, b, a));
  if (!strcmp(e->name, "mod"))
    return number(DAE__SUB(g, a, DAE__MUL(g, b, dae__unary(g, DAE__OP_FLOOR, DAE__DIV(g, a, b)))));
  return number(dae__binary(g, !strcmp(e->name, "hypot") ? DAE__OP_HYPOT : DAE__OP_ATAN2, a, b));
}

/* the body of a let function, with its arguments for its parameters */
static dae__value call_function(const dae__context *c, const dae__expr *e, int symbol, int instance)
{
  dae__symbol *s = &c->x->symbols.item[symbol];
  const dae__declaration *d = s->d;
  if (d->parameters < 0 || e->count != d->parameters) {
    if (d->parameters < 0)
      dae__complain(c->x->l, e->place, "%s is not a function; write %s without brackets", e->name,
                    e->name);
    else
      dae__complain(c->x->l, e->place, "%s takes %d argument%s, not %d", e->name, d->parameters,
                    d->parameters == 1 ? "" : "s", e->count);
    return nothing();
  }
  dae__frame *frames = DAE__NEW_ARRAY(c->x->l->scratch, dae__frame, d->parameters);
  const dae__expr *a = e->argument;
  if (!dae__load_ok(c->x->l))
    return nothing();
  for (int i = 0; i < d->parameters; i++, a = a->next)
    frames[i] =
        (dae__frame){d->parameter[i], number_of(c, a).node, false, i > 0 ? &frames[i - 1] : NULL};
  dae__frame index;
  dae__context inner = dae__context_of(c->x, instance, &index);
  if (inner.frame)
    frames[0].outer = inner.frame;
  inner.frame = &frames[d->parameters - 1];
  inner.constant = c->constant;
  inner.what = c->what;
  if (s->busy) {
    dae__complain(c->x->l, e->place, "%s calls itself, directly or by way of other functions",
                  e->name);
    return nothing();
  }
  s->busy = true;
  dae__value value = number_of(&inner, d->value);
  c->x->symbols.item[symbol].busy = false;
  return value;
}

/* lambda(rod), psi(rod): labels are found among the constraints expanded so far */
static dae__value call_multiplier(const dae__context *c, const dae__expr *e)
{
  int leaf;
  if (!c->results) {
    dae__complain(c->x->l, e->place,
                  "multipliers can be read in outputs, events and drawings only");
    return nothing();
  }
  if (e->count != 1 || e->argument->kind != DAE__EXPR_NAME || e->argument->rate) {
    dae__complain(c->x->l, e->place, "%s(NAME) needs the label of a constraint", e->name);
    return nothing();
  }
  leaf = dae__find_multiplier(c, e->argument, !strcmp(e->name, "psi"));
  return leaf < 0 ? nothing() : number(dae__leaf(c->x->graph, leaf));
}

static bool is_function(const dae__context *c, const char *name)
{
  int instance, symbol = dae__look_up(c, name, &instance);
  return symbol >= 0 && c->x->symbols.item[symbol].d->parameters >= 0;
}

static dae__value evaluate_call(const dae__context *c, const dae__expr *e)
{
  int instance = c->instance, symbol;
  const dae__expr *last = e->member ? e->member : e;
  int builtin = e->member ? -1 : dae__builtin(e->name);
  dae__value value;
  if (builtin >= 0) {
    value = call_builtin(c, e, builtin);
  } else if (!e->member && (!strcmp(e->name, "lambda") || !strcmp(e->name, "psi")) &&
             !is_function(c, e->name)) {
    value = call_multiplier(c, e);
  } else {
    symbol = dae__look_up_path(c, e, &instance);
    if (symbol < 0)
      return nothing();
    if (c->x->symbols.item[symbol].kind != DAE__STATEMENT_LET) {
      dae__complain(c->x->l, last->place,
                    "%s is not a function; write * between factors, and [ ] "
                    "around an index",
                    last->name);
      return nothing();
    }
    value = call_function(c, last, symbol, instance);
  }
  return last->rate || e->rate ? number(dae__total_rate(c->x, value.node, e->place, last->name))
                               : value;
}

/* ---- names ---- */

static dae__value evaluate_frame(const dae__context *c, const dae__expr *e, const dae__frame *f)
{
  if (e->count > 0)
    dae__complain(c->x->l, e->place, "%s is one value and has no index", e->name);
  if (!e->rate)
    return number(f->node);
  if (f->index)
    dae__complain(c->x->l, e->place, "%s is an index and has no rate", e->name);
  return number(dae__total_rate(c->x, f->node, e->place, e->name));
}

static dae__value evaluate_word(const dae__context *c, const dae__expr *e)
{
  dae__expander *x = c->x;
  if (!strcmp(e->name, "pi") && !e->rate && e->count == 0)
    return number(dae__constant(x->graph, 3.14159265358979323846));
  if (!strcmp(e->name, "t") && !e->rate && e->count == 0) {
    if (c->constant)
      dae__complain(x->l, e->place, "%s is a constant and cannot hold t, the time", c->what);
    return number(dae__leaf(x->graph, 0));
  }
  if (!strcmp(e->name, "kinetic") || !strcmp(e->name, "potential"))
    return number(dae__energy_node(c, e));
  if (!strcmp(e->name, "pi") || !strcmp(e->name, "t"))
    dae__complain(x->l, e->place, "%s is one number and has no %s", e->name,
                  e->rate ? "rate" : "index");
  else if (dae__builtin(e->name) >= 0 || !strcmp(e->name, "sum"))
    dae__complain(x->l, e->place, "%s is a function and needs its arguments: %s(...)", e->name,
                  e->name);
  else
    dae__complain(x->l, e->place, "%s is a word of the language and has no value here", e->name);
  return nothing();
}

static dae__value evaluate_variable(const dae__context *c, const dae__expr *e, dae__target at)
{
  dae__expander *x = c->x;
  const dae__symbol *s = &x->symbols.item[at.symbol];
  dae__elements *elements = dae__elements_of(x, at.symbol, at.instance, e->place);
  if (!elements)
    return nothing();
  if (c->constant) {
    dae__complain(x->l, e->place, "%s is a constant and cannot hold the variable %s", c->what,
                  s->d->name);
    return nothing();
  }
  int leaf = elements->leaf + at.element;
  if (!e->rate)
    return number(dae__leaf(x->graph, leaf));
  if (s->kind == DAE__STATEMENT_ALG)
    dae__complain(x->l, e->place,
                  "%s is algebraic and has no rate; declare it as a state, or let "
                  "its equation give what you need",
                  s->d->name);
  else if (s->kind == DAE__STATEMENT_DISCRETE)
    dae__complain(x->l, e->place, "%s is discrete and has no rate: it changes at events only",
                  s->d->name);
  return number(x->leaf_rate.item[leaf]);
}

static dae__value evaluate_name(const dae__context *c, const dae__expr *e)
{
  dae__target at;
  const dae__expr *last = e->member ? e->member : e;
  if (!e->member)
    for (const dae__frame *f = c->frame; f; f = f->outer)
      if (f->name == e->name)
        return evaluate_frame(c, e, f);
  if (!e->member && dae__is_reserved(e->name))
    return evaluate_word(c, e);
  dae__expr plain = *last; /* the rate sign stands after the whole name */
  plain.rate = e->rate || last->rate;
  if (!dae__find_target(c, e, &at))
    return nothing();
  const dae__symbol *s = &c->x->symbols.item[at.symbol];
  if (s->kind >= DAE__STATEMENT_COORD && s->kind <= DAE__STATEMENT_DISCRETE)
    return evaluate_variable(c, &plain, at);
  if (s->kind == DAE__STATEMENT_OUTPUT && !c->results) {
    dae__complain(c->x->l, e->place, "%s is an output; name the expression with let to use it here",
                  s->d->name);
    return nothing();
  }
  dae__node node = dae__element_node(c->x, at.symbol, at.instance, at.element, e->place);
  double value;
  if (c->constant && !c->x->l->status && !dae__is_constant(c->x->graph, node, &value))
    dae__complain(c->x->l, e->place, "%s is a constant, but %s depends on variables or the time",
                  c->what, s->d->name);
  if (!plain.rate)
    return number(node);
  if (s->kind == DAE__STATEMENT_PARAM)
    dae__complain(c->x->l, e->place, "%s is a param, a constant, and has no rate", s->d->name);
  return number(dae__total_rate(c->x, node, e->place, s->d->name));
}

/* ---- the whole ---- */

static dae__value evaluate_kind(const dae__context *c, const dae__expr *e)
{
  switch (e->kind) {
  case DAE__EXPR_NUMBER:
    return number(dae__constant(c->x->graph, e->value));
  case DAE__EXPR_NAME:
    return evaluate_name(c, e);
  case DAE__EXPR_CALL:
    return evaluate_call(c, e);
  case DAE__EXPR_UNARY:
    return evaluate_unary(c, e);
  case DAE__EXPR_SUM:
    return evaluate_sum(c, e);
  default:
    return evaluate_binary(c, e);
  }
}

static bool graph_ok(dae__expander *x, int place)
{
  if (!dae__graph_failed(x->graph))
    return true;
  if (dae__graph_full(x->graph))
    dae__complain(x->l, place,
                  "the model is too large: its expressions have more than %ld nodes; "
                  "use smaller arrays",
                  x->l->limits.max_nodes);
  else if (!x->l->status)
    x->l->status = dae__out_of_memory(x->l->err);
  return false;
}

static dae__value evaluate(const dae__context *c, const dae__expr *e)
{
  dae__expander *x = c->x;
  if (x->l->status || !dae__load_work(x->l, e->place) || !graph_ok(x, e->place))
    return nothing();
  if (x->depth >= DEEPEST) {
    dae__complain(x->l, e->place,
                  "lets are nested too deeply here; declare them in the order in "
                  "which they need each other");
    return nothing();
  }
  x->depth++;
  dae__value value = evaluate_kind(c, e);
  x->depth--;
  return x->l->status ? nothing() : value;
}

dae__node dae__evaluate(const dae__context *c, const dae__expr *e)
{
  dae__node node = number_of(c, e).node;
  graph_ok(c->x, e->place);
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
