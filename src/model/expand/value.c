/* Evaluation of expressions of the syntax tree to nodes of the expression graph. */
#include "model/expand/value.h"
#include <limits.h>
#include <math.h>
#include <string.h>

/* Largest depth of nested evaluations; each takes up to two kilobytes of the stack. */
#define MAX_EVALUATION_DEPTH 500

static dae__value value_evaluate(const dae__context *c, const dae__expr *e);

/* Node of an operand, which must be a condition (truth) or a number. */
static dae__node value_operand(const dae__context *c, const dae__expr *e, bool truth)
{
  dae__value v = value_evaluate(c, e);
  if (v.truth != truth)
    dae__load_fail(c->x->l, e->place,
                   truth ? "expected a condition, such as x > 0, found a number"
                         : "expected a number, found a condition: if(condition, a, b) gives a "
                           "number");
  return v.node;
}

/* ---- operators ---- */

/* Evaluates a chain of binary operators from the innermost left operand outwards, without
 * recursion, since such chains can be long. */
static dae__value value_evaluate_binary(const dae__context *c, const dae__expr *e)
{
  static const dae__op ops[DAE__TOKEN_COUNT] = {
      [DAE__TOKEN_PLUS] = DAE__OP_ADD,        [DAE__TOKEN_MINUS] = DAE__OP_SUB,
      [DAE__TOKEN_TIMES] = DAE__OP_MUL,       [DAE__TOKEN_DIVIDE] = DAE__OP_DIV,
      [DAE__TOKEN_POWER] = DAE__OP_POW,       [DAE__TOKEN_AND] = DAE__OP_AND,
      [DAE__TOKEN_OR] = DAE__OP_OR,           [DAE__TOKEN_LESS] = DAE__OP_LESS,
      [DAE__TOKEN_MORE] = DAE__OP_LESS,       [DAE__TOKEN_LESS_EQUAL] = DAE__OP_LESS_EQUAL,
      [DAE__TOKEN_EQUAL] = DAE__OP_EQUAL,     [DAE__TOKEN_MORE_EQUAL] = DAE__OP_LESS_EQUAL,
      [DAE__TOKEN_NOT_EQUAL] = DAE__OP_EQUAL,
  };
  dae__graph *g = c->x->graph;
  const dae__expr *at = e;
  while (at->kind == DAE__EXPR_BINARY)
    at = at->argument;
  dae__value value = value_evaluate(c, at);
  while (at != e && !c->x->l->status && dae__load_work(c->x->l, at->place, 1)) {
    at = at->up;
    const dae__expr *left = at->argument, *right = left->next;
    bool logical = at->op == DAE__TOKEN_AND || at->op == DAE__TOKEN_OR;
    if (logical != value.truth) {
      dae__load_fail(c->x->l, left->place,
                     logical ? "expected a condition, such as x > 0, found a number"
                             : "expected a number, found a condition");
      return DAE__NO_VALUE;
    }
    dae__node x = value.node, y = value_operand(c, right, logical);
    bool exchanged = at->op == DAE__TOKEN_MORE || at->op == DAE__TOKEN_MORE_EQUAL;
    value.node = dae__binary(g, ops[at->op], exchanged ? y : x, exchanged ? x : y);
    if (at->op == DAE__TOKEN_NOT_EQUAL)
      value.node = dae__unary(g, DAE__OP_NOT, value.node);
    dae__relation_at(c->x, value.node, at->place);
    value.truth = at->op >= DAE__TOKEN_LESS; /* comparisons and logic follow the arithmetic */
  }
  return value;
}

static dae__value value_evaluate_sum(const dae__context *c, const dae__expr *e)
{
  dae__range range = {.place = e->argument->place, .from = e->argument, .to = e->argument->next};
  const dae__expr *body = range.to->next;
  dae__node sum = DAE__ZERO;
  int from, to;
  if (!dae__evaluate_range(c, &range, &from, &to))
    return DAE__NO_VALUE;
  for (int i = from; i <= to && dae__load_work(c->x->l, e->place, DAE__LOOP_WORK); i++) {
    dae__local frame = {e->name, dae__constant(c->x->graph, i), true, c->frame};
    dae__context inner = *c;
    inner.frame = &frame;
    sum = DAE__ADD(c->x->graph, sum, value_operand(&inner, body, false));
    if (i == INT_MAX)
      break;
  }
  return dae__as_number(sum);
}

/* ---- calls: builtin functions, let functions ---- */

static dae__value value_evaluate_builtin(const dae__context *c, const dae__expr *e, int word)
{
  static const dae__op ops[] = {DAE__OP_SIN,  DAE__OP_COS,  DAE__OP_TAN,  DAE__OP_ASIN,
                                DAE__OP_ACOS, DAE__OP_ATAN, DAE__OP_SINH, DAE__OP_COSH,
                                DAE__OP_TANH, DAE__OP_EXP,  DAE__OP_LOG,  DAE__OP_LOG10,
                                DAE__OP_SQRT, DAE__OP_ABS,  DAE__OP_SIGN, DAE__OP_FLOOR};
  dae__graph *g = c->x->graph;
  int arguments = dae__words[word].arguments;
  if (e->count != arguments) {
    dae__load_fail(c->x->l, e->place, "%s takes %d argument%s, not %d", e->name, arguments,
                   arguments == 1 ? "" : "s", e->count);
    return DAE__NO_VALUE;
  }
  if (arguments == 3) {
    dae__node condition = value_operand(c, e->argument, true);
    double known;
    if (!c->x->l->status &&
        dae__is_constant(g, condition, &known)) /* constant condition: one branch evaluated */
      return dae__as_number(
          value_operand(c, known != 0 ? e->argument->next : e->argument->next->next, false));
    dae__node a = value_operand(c, e->argument->next, false);
    return dae__as_number(
        dae__if(g, condition, a, value_operand(c, e->argument->next->next, false)));
  }
  dae__node a = value_operand(c, e->argument, false), relation;
  if (arguments == 1) {
    relation = dae__unary(g, ops[word - DAE__FIRST_FUNCTION], a);
    dae__relation_at(c->x, relation, e->place);
    return dae__as_number(relation);
  }
  dae__node b = value_operand(c, e->argument->next, false);
  bool min = !strcmp(e->name, "min"), mod = !strcmp(e->name, "mod");
  if (min || mod || !strcmp(e->name, "max")) {
    relation = mod ? dae__unary(g, DAE__OP_FLOOR, DAE__DIV(g, a, b))
                   : dae__binary(g, DAE__OP_LESS_EQUAL, a, b);
    dae__relation_at(c->x, relation, e->place);
    return dae__as_number(mod ? DAE__SUB(g, a, DAE__MUL(g, b, relation))
                              : dae__if(g, relation, min ? a : b, min ? b : a));
  }
  return dae__as_number(
      dae__binary(g, !strcmp(e->name, "hypot") ? DAE__OP_HYPOT : DAE__OP_ATAN2, a, b));
}

/* Evaluates the body of a let function, with the arguments as local names. */
static dae__value value_evaluate_function(const dae__context *c, const dae__expr *e, int symbol,
                                          int instance)
{
  dae__symbol *s = &c->x->symbols.item[symbol];
  const dae__declaration *d = s->d;
  if (d->parameters < 0 || e->count != d->parameters) {
    if (d->parameters < 0)
      dae__load_fail(c->x->l, e->place, "%s is not a function; write %s without parentheses",
                     e->name, e->name);
    else
      dae__load_fail(c->x->l, e->place, "%s takes %d argument%s, not %d", e->name, d->parameters,
                     d->parameters == 1 ? "" : "s", e->count);
    return DAE__NO_VALUE;
  }
  dae__local *frames = DAE__NEW_ARRAY(c->x->l->scratch, dae__local, d->parameters);
  const dae__expr *a = e->argument;
  if (!dae__load_ok(c->x->l))
    return DAE__NO_VALUE;
  for (int i = 0; i < d->parameters; i++, a = a->next)
    frames[i] = (dae__local){d->parameter[i], value_operand(c, a, false), false,
                             i > 0 ? &frames[i - 1] : NULL};
  dae__local index;
  dae__context inner = dae__context_of(c->x, instance, &index);
  if (inner.frame)
    frames[0].outer = inner.frame;
  inner.frame = &frames[d->parameters - 1];
  inner.constant = c->constant;
  inner.what = c->what;
  if (s->busy) {
    dae__load_fail(c->x->l, e->place, "recursive call of %s", e->name);
    return DAE__NO_VALUE;
  }
  s->busy = true;
  dae__value value = dae__as_number(value_operand(&inner, d->value, false));
  c->x->symbols.item[symbol].busy = false;
  return value;
}

/* Evaluates a table at its argument. */
static dae__value value_evaluate_table(const dae__context *c, const dae__expr *e, int symbol,
                                       int instance)
{
  if (e->count != 1)
    dae__load_fail(c->x->l, e->place, "%s is a table and takes 1 argument, not %d", e->name,
                   e->count);
  dae__node argument = c->x->l->status ? DAE__ZERO : value_operand(c, e->argument, false);
  int curve = c->x->l->status ? -1 : dae__table_curve(c->x, symbol, instance, e->place);
  return curve < 0 ? DAE__NO_VALUE : dae__as_number(dae__curve_at(c->x, curve, argument, e->place));
}

/* Mark that smooth(E) or noevent(E) gives to the relations in E; WATCHED: e is another call. */
static dae__mark value_mark_of(const dae__context *c, const dae__expr *e)
{
  int instance;
  bool smooth = !strcmp(e->name, "smooth");
  if (e->member || !(smooth || !strcmp(e->name, "noevent")) ||
      dae__lookup_symbol(c, e->name, &instance) >= 0)
    return DAE__MARK_WATCHED;
  return smooth ? DAE__MARK_SMOOTH : DAE__MARK_NOEVENT;
}

/* Evaluates smooth(E) or noevent(E). Lets within E are shared with expressions outside of it:
 * their relations are replaced by marked ones. */
static dae__value value_evaluate_marked(const dae__context *c, const dae__expr *e, dae__mark mark)
{
  dae__expander *x = c->x;
  if (e->count != 1) {
    dae__load_fail(x->l, e->place, "%s takes 1 argument, not %d", e->name, e->count);
    return DAE__NO_VALUE;
  }
  dae__value value = value_evaluate(c, e->argument);
  if (e->rate && value.truth)
    dae__load_fail(x->l, e->place, "a condition has no rate");
  if (x->l->status)
    return DAE__NO_VALUE;
  value.node = dae__mark_relations(x->walker, value.node, mark);
  dae__load_work(x->l, e->place, x->walker->visit.count);
  return value;
}

static dae__value value_evaluate_call(const dae__context *c, const dae__expr *e)
{
  const dae__expr *last = e->member ? e->member : e;
  int instance = c->instance, symbol = -1, word = e->member ? -1 : dae__word_of(e->name);
  bool builtin = word >= DAE__FIRST_FUNCTION, table = false;
  bool multiplier = !e->member && (!strcmp(e->name, "lambda") || !strcmp(e->name, "psi"));
  dae__mark mark = value_mark_of(c, e);
  if (multiplier) { /* multiplier, unless a function has this name */
    symbol = dae__lookup_symbol(c, e->name, &instance);
    multiplier = symbol < 0 || c->x->symbols.item[symbol].d->parameters < 0;
  }
  if (!builtin && !multiplier && mark == DAE__MARK_WATCHED) {
    symbol = dae__lookup_path(c, e, &instance);
    if (symbol < 0)
      return DAE__NO_VALUE;
    dae__statement_kind kind = c->x->symbols.item[symbol].kind;
    table = kind == DAE__STATEMENT_TABLE;
    if (!table && kind != DAE__STATEMENT_LET) {
      dae__load_fail(c->x->l, last->place,
                     "%s is not a function; write * between factors, and [ ] around an index",
                     last->name);
      return DAE__NO_VALUE;
    }
  }
  dae__value value = builtin      ? value_evaluate_builtin(c, e, word)
                     : multiplier ? dae__as_number(dae__multiplier_node(c, e))
                     : mark       ? value_evaluate_marked(c, e, mark)
                     : table      ? value_evaluate_table(c, last, symbol, instance)
                                  : value_evaluate_function(c, last, symbol, instance);
  return last->rate || e->rate
             ? dae__as_number(dae__total_rate(c->x, value.node, e->place, last->name))
             : value;
}

/* ---- names ---- */

static dae__value value_evaluate_word(const dae__context *c, const dae__expr *e)
{
  dae__expander *x = c->x;
  bool pi = !strcmp(e->name, "pi"), time = !strcmp(e->name, "t");
  bool kinetic = !strcmp(e->name, "kinetic"), energy = kinetic || !strcmp(e->name, "potential");
  dae__node node = DAE__ZERO;
  if (energy && !c->results) {
    dae__load_fail(x->l, e->place, "%s is available in outputs and events only", e->name);
  } else if ((pi || time || energy) && (e->rate || e->count > 0)) {
    dae__load_fail(x->l, e->place, "%s is a scalar and has no %s", e->name,
                   e->rate ? "rate" : "index");
  } else if (pi) {
    node = dae__constant(x->graph, 3.14159265358979323846);
  } else if (time) {
    if (c->constant)
      dae__load_fail(x->l, e->place, "%s is a constant and cannot depend on the time t", c->what);
    node = dae__leaf(x->graph, 0);
  } else if (energy) { /* energy of the system, or of all systems at the top level of the model */
    int last = c->instance == 0 ? x->instances.count - 1 : c->instance;
    for (int i = c->instance; i <= last; i++) {
      const dae__instance *own = &x->instances.item[i];
      node = DAE__ADD(x->graph, node, kinetic ? own->kinetic : own->potential);
    }
  } else if (dae__word_of(e->name) >= DAE__FIRST_FUNCTION || !strcmp(e->name, "sum")) {
    dae__load_fail(x->l, e->place, "%s is a function and needs its arguments: %s(...)", e->name,
                   e->name);
  } else {
    dae__load_fail(x->l, e->place, "%s is a keyword and has no value here", e->name);
  }
  return dae__as_number(node);
}

static dae__value value_evaluate_variable(const dae__context *c, const dae__expr *e, bool rate,
                                          dae__element at)
{
  dae__expander *x = c->x;
  const dae__symbol *s = &x->symbols.item[at.symbol];
  dae__elements *elements = dae__elements_of(x, at.symbol, at.instance, e->place);
  if (!elements)
    return DAE__NO_VALUE;
  if (c->constant) {
    dae__load_fail(x->l, e->place, "%s is a constant and cannot depend on the variable %s", c->what,
                   s->d->name);
    return DAE__NO_VALUE;
  }
  int leaf = elements->leaf + at.element;
  if (!rate)
    return dae__as_number(dae__leaf(x->graph, leaf));
  if (s->kind == DAE__STATEMENT_ALG)
    dae__load_fail(x->l, e->place,
                   "%s is algebraic and has no rate; declare it as a state, or add a variable with "
                   "an equation for its rate",
                   s->d->name);
  else if (s->kind == DAE__STATEMENT_DISCRETE)
    dae__load_fail(x->l, e->place, "%s is discrete and has no rate: it changes at events only",
                   s->d->name);
  return dae__as_number(x->leaf_rate.item[leaf]);
}

static dae__value value_evaluate_name(const dae__context *c, const dae__expr *e)
{
  dae__element at;
  const dae__expr *last = e->member ? e->member : e;
  if (!e->member)
    for (const dae__local *f = c->frame; f; f = f->outer)
      if (f->name == e->name) {
        if (e->count > 0)
          dae__load_fail(c->x->l, e->place, "%s is a scalar and has no index", e->name);
        if (!e->rate)
          return dae__as_number(f->node);
        if (f->index)
          dae__load_fail(c->x->l, e->place, "%s is an index and has no rate", e->name);
        return dae__as_number(dae__total_rate(c->x, f->node, e->place, e->name));
      }
  if (!e->member && dae__word_of(e->name) >= 0)
    return value_evaluate_word(c, e);
  /* the prime of a rate stands after the last component of a dotted name */
  bool rate = e->rate || last->rate;
  if (!dae__lookup_element(c, e, &at))
    return DAE__NO_VALUE;
  const dae__symbol *s = &c->x->symbols.item[at.symbol];
  if (s->kind >= DAE__STATEMENT_COORD && s->kind <= DAE__STATEMENT_DISCRETE)
    return value_evaluate_variable(c, last, rate, at);
  if (s->kind == DAE__STATEMENT_OUTPUT && !c->results) {
    dae__load_fail(c->x->l, e->place,
                   "%s is an output and not available here; name the expression with let",
                   s->d->name);
    return DAE__NO_VALUE;
  }
  bool input = s->kind == DAE__STATEMENT_INPUT;
  dae__node node = input ? dae__input_node(c, last, at, rate)
                         : dae__element_node(c->x, at.symbol, at.instance, at.element, e->place);
  double value;
  if (c->constant && !c->x->l->status && !dae__is_constant(c->x->graph, node, &value))
    dae__load_fail(c->x->l, e->place, "%s is a constant, but %s depends on variables or the time",
                   c->what, s->d->name);
  if (!rate)
    return dae__as_number(node);
  if (s->kind == DAE__STATEMENT_PARAM)
    dae__load_fail(c->x->l, e->place, "%s is a param, a constant, and has no rate", s->d->name);
  return dae__as_number(dae__total_rate(c->x, node, e->place, s->d->name));
}

/* ---- expressions ---- */

static bool value_graph_ok(dae__expander *x, int place)
{
  if (!x->graph->failed)
    return true;
  if (x->graph->full)
    dae__load_fail(x->l, place,
                   "the model is too large: its expressions have more than %ld nodes; use smaller "
                   "arrays",
                   x->l->limits.max_nodes);
  else
    dae__load_ok(x->l);
  return false;
}

static dae__value value_evaluate(const dae__context *c, const dae__expr *e)
{
  dae__expander *x = c->x;
  if (x->l->status || !dae__load_work(x->l, e->place, 1) || !value_graph_ok(x, e->place))
    return DAE__NO_VALUE;
  if (x->depth >= MAX_EVALUATION_DEPTH) {
    dae__load_fail(x->l, e->place,
                   "lets are nested too deeply; declare each let after those it depends on");
    return DAE__NO_VALUE;
  }
  x->depth++;
  dae__value value;
  switch (e->kind) {
  case DAE__EXPR_NUMBER:
    value = dae__as_number(dae__constant(x->graph, e->value));
    break;
  case DAE__EXPR_NAME:
    value = value_evaluate_name(c, e);
    break;
  case DAE__EXPR_CALL:
    value = value_evaluate_call(c, e);
    break;
  case DAE__EXPR_UNARY:
    if (e->op == DAE__TOKEN_NOT)
      value = (dae__value){dae__unary(x->graph, DAE__OP_NOT, value_operand(c, e->argument, true)),
                           true};
    else
      value = dae__as_number(DAE__NEG(x->graph, value_operand(c, e->argument, false)));
    break;
  case DAE__EXPR_SUM:
    value = value_evaluate_sum(c, e);
    break;
  default:
    value = value_evaluate_binary(c, e);
  }
  x->depth--;
  return x->l->status ? DAE__NO_VALUE : value;
}

dae__node dae__evaluate(const dae__context *c, const dae__expr *e)
{
  dae__node node = value_operand(c, e, false);
  value_graph_ok(c->x, e->place);
  return c->x->l->status ? DAE__ZERO : node;
}

dae__node dae__evaluate_condition(const dae__context *c, const dae__expr *e)
{
  dae__node node = value_operand(c, e, true);
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
    dae__load_fail(c->x->l, e->place, "%s must be a constant", c->what);
  else if (!isfinite(value))
    dae__load_fail(
        c->x->l, e->place,
        "%s is not a finite number; check for a division by zero, or a root or logarithm "
        "of a negative number",
        c->what);
  return value;
}

int dae__evaluate_whole(const dae__context *c, const dae__expr *e)
{
  double value = dae__evaluate_constant(c, e);
  if (c->x->l->status)
    return 0;
  if (value != floor(value) || fabs(value) > 1e9) {
    dae__load_fail(c->x->l, e->place, "%s must be a whole number, not %.10g", c->what, value);
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
