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
  if (v.size > 1)
    dae__load_fail(c->x->l, e->place,
                   "expected a %s, found %s; its components are .x, .y%s, its length is norm(v)",
                   truth ? "condition" : "number", dae__size_text(v.size),
                   v.size == 3 ? ", .z" : "");
  else if (v.truth != truth)
    dae__load_fail(c->x->l, e->place,
                   truth ? "expected a condition, such as x > 0, found a number"
                         : "expected a number, found a condition: if(condition, a, b) gives a "
                           "number");
  return v.node;
}

dae__value dae__evaluate_value(const dae__context *c, const dae__expr *e)
{
  dae__value v = value_evaluate(c, e);
  if (v.truth)
    dae__load_fail(c->x->l, e->place,
                   "expected a number, found a condition: if(condition, a, b) gives a number");
  return v;
}

/* ---- operators ---- */

/* Checks the sizes of the operands of an operator, one of which is a vector. */
static bool value_check_sizes(const dae__context *c, const dae__expr *at, dae__value a,
                              dae__value b)
{
  bool sum = at->op == DAE__TOKEN_PLUS || at->op == DAE__TOKEN_MINUS;
  if (sum && a.size != b.size)
    dae__load_fail(c->x->l, at->place, "%s of %s and %s",
                   at->op == DAE__TOKEN_PLUS ? "sum" : "difference", dae__size_text(a.size),
                   dae__size_text(b.size));
  else if (at->op == DAE__TOKEN_TIMES && a.size > 1 && b.size > 1)
    dae__load_fail(c->x->l, at->place, "product of two vectors: dot(a, b) or cross(a, b)?");
  else if (at->op == DAE__TOKEN_DIVIDE && b.size > 1)
    dae__load_fail(c->x->l, at->place, "a vector cannot divide; norm(v) is its length");
  else if (at->op == DAE__TOKEN_POWER)
    dae__load_fail(c->x->l, at->place, "a vector has no power; its square is dot(v, v)");
  else if (!sum && at->op != DAE__TOKEN_TIMES && at->op != DAE__TOKEN_DIVIDE)
    dae__load_fail(c->x->l, at->place,
                   "vectors cannot be compared; compare norm(v), or components v.x");
  return !c->x->l->status;
}

/* Sum, difference, multiple or quotient with a vector. */
static dae__value value_vector_operation(const dae__context *c, const dae__expr *at, dae__value a,
                                         dae__value b)
{
  dae__graph *g = c->x->graph;
  if (!value_check_sizes(c, at, a, b))
    return DAE__NO_VALUE;
  if (at->op == DAE__TOKEN_PLUS)
    return dae__vector_add(g, a, b);
  if (at->op == DAE__TOKEN_MINUS)
    return dae__vector_sub(g, a, b);
  if (at->op == DAE__TOKEN_DIVIDE)
    return dae__vector_over(g, a, b.node);
  return a.size > 1 ? dae__vector_scale(g, b.node, a) : dae__vector_scale(g, a.node, b);
}

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
    dae__value b = value_evaluate(c, right);
    if (c->x->l->status)
      return DAE__NO_VALUE;
    if (b.truth != logical) {
      value_operand(c, right, logical); /* reports the error */
      return DAE__NO_VALUE;
    }
    if (value.size > 1 || b.size > 1) {
      value = value_vector_operation(c, at, value, b);
      continue;
    }
    dae__node x = value.node, y = b.node;
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
  dae__value sum = DAE__NO_VALUE;
  int from, to;
  if (!dae__evaluate_range(c, &range, &from, &to))
    return DAE__NO_VALUE;
  for (int i = from; i <= to && dae__load_work(c->x->l, e->place, DAE__LOOP_WORK); i++) {
    dae__local frame = {.name = e->name,
                        .value = dae__as_number(dae__constant(c->x->graph, i)),
                        .index = true,
                        .outer = c->frame};
    dae__context inner = *c;
    inner.frame = &frame;
    dae__value term = dae__evaluate_value(&inner, body);
    if (i == from)
      sum.size = term.size;
    if (term.size != sum.size)
      dae__load_fail(c->x->l, body->place, "sum of %s and %s", dae__size_text(sum.size),
                     dae__size_text(term.size));
    if (c->x->l->status)
      return DAE__NO_VALUE;
    sum = dae__vector_add(c->x->graph, sum, term);
    if (i == INT_MAX)
      break;
  }
  return sum;
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
      return dae__evaluate_value(c, known != 0 ? e->argument->next : e->argument->next->next);
    dae__value a = dae__evaluate_value(c, e->argument->next);
    dae__value b = dae__evaluate_value(c, e->argument->next->next);
    if (a.size != b.size)
      dae__load_fail(c->x->l, e->place, "the branches of if are %s and %s", dae__size_text(a.size),
                     dae__size_text(b.size));
    for (int i = 0; i < a.size && !c->x->l->status; i++)
      a.at[i] = dae__if(g, condition, a.at[i], b.at[i]);
    return a;
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
  for (int i = 0; i < value.size; i++) {
    value.at[i] = dae__mark_relations(x->walker, value.at[i], mark);
    dae__load_work(x->l, e->place, x->walker->visit.count);
  }
  return value;
}

/* Value of a call of a function that belongs to no scope: builtin, multiplier, smooth, dot, ...;
 * false: another call. */
static bool value_evaluate_plain_call(const dae__context *c, const dae__expr *e, dae__value *out)
{
  int instance = c->instance, symbol = -1, word = dae__word_of(e->name);
  bool multiplier = !strcmp(e->name, "lambda") || !strcmp(e->name, "psi");
  dae__mark mark = value_mark_of(c, e);
  if (multiplier) { /* multiplier, unless a function has this name */
    symbol = dae__lookup_symbol(c, e->name, &instance);
    multiplier = symbol < 0 || c->x->symbols.item[symbol].d->parameters < 0;
  }
  if (word >= DAE__FIRST_FUNCTION)
    *out = value_evaluate_builtin(c, e, word);
  else if (multiplier)
    *out = dae__multiplier_value(c, e);
  else if (mark != DAE__MARK_WATCHED)
    *out = value_evaluate_marked(c, e, mark);
  else
    return dae__vector_function(c, e, out);
  return true;
}

static dae__value value_evaluate_call(const dae__context *c, const dae__expr *e)
{
  dae__value value;
  dae__expr first = *e; /* without the components after it: cross(a, b).z */
  first.member = NULL;
  if (!e->call || !value_evaluate_plain_call(c, &first, &value))
    return dae__name_value(c, e);
  for (const dae__expr *rest = e->member; rest && !c->x->l->status; rest = rest->member)
    value = dae__value_component(c, value, rest, rest->name);
  return e->rate ? dae__vector_rate(c->x, value, e->place, e->name) : value;
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

static dae__value value_evaluate_vector(const dae__context *c, const dae__expr *e)
{
  dae__value value = {.size = e->count};
  const dae__expr *a = e->argument;
  if (e->count > 3) {
    dae__load_fail(c->x->l, e->place, "a vector has two or three components, not %d", e->count);
    return DAE__NO_VALUE;
  }
  for (int i = 0; i < e->count; i++, a = a->next)
    value.at[i] = value_operand(c, a, false);
  return value;
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
    value = dae__name_value(c, e);
    break;
  case DAE__EXPR_CALL:
    value = value_evaluate_call(c, e);
    break;
  case DAE__EXPR_UNARY:
    if (e->op == DAE__TOKEN_NOT)
      value = (dae__value){
          .node = dae__unary(x->graph, DAE__OP_NOT, value_operand(c, e->argument, true)),
          .size = 1,
          .truth = true};
    else
      value = dae__vector_neg(x->graph, dae__evaluate_value(c, e->argument));
    break;
  case DAE__EXPR_SUM:
    value = value_evaluate_sum(c, e);
    break;
  case DAE__EXPR_VECTOR:
    value = value_evaluate_vector(c, e);
    break;
  case DAE__EXPR_LIST:
    dae__load_fail(x->l, e->place, "a list stands after = in the declaration of an array only");
    value = DAE__NO_VALUE;
    break;
  case DAE__EXPR_COMPONENT:
    value = dae__value_component(c, value_evaluate(c, e->argument), e, e->name);
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
