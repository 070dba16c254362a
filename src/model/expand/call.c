/* Calls: builtin functions, let functions, and the multipliers lambda(rod), psi(rod). */
#include "model/expand/value.h"
#include <string.h>

static dae__node call_smaller(dae__graph *g, dae__node a, dae__node b, dae__node than,
                              dae__node other)
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
    return dae__no_value();
  }
  if (arguments == 3) {
    dae__node condition = dae__truth_of(c, e->argument).node;
    double known;
    if (!c->x->l->status && dae__is_constant(g, condition, &known)) /* the other is not looked at */
      return dae__number_of(c, known != 0 ? e->argument->next : e->argument->next->next);
    dae__node a = dae__number_of(c, e->argument->next).node;
    return dae__as_number(
        dae__if(g, condition, a, dae__number_of(c, e->argument->next->next).node));
  }
  dae__node a = dae__number_of(c, e->argument).node;
  if (arguments == 1)
    return dae__as_number(dae__unary(g, ops[builtin], a));
  dae__node b = dae__number_of(c, e->argument->next).node;
  if (!strcmp(e->name, "min"))
    return dae__as_number(call_smaller(g, a, b, a, b));
  if (!strcmp(e->name, "max"))
    return dae__as_number(call_smaller(g, a, b, b, a));
  if (!strcmp(e->name, "mod"))
    return dae__as_number(
        DAE__SUB(g, a, DAE__MUL(g, b, dae__unary(g, DAE__OP_FLOOR, DAE__DIV(g, a, b)))));
  return dae__as_number(
      dae__binary(g, !strcmp(e->name, "hypot") ? DAE__OP_HYPOT : DAE__OP_ATAN2, a, b));
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
    return dae__no_value();
  }
  dae__frame *frames = DAE__NEW_ARRAY(c->x->l->scratch, dae__frame, d->parameters);
  const dae__expr *a = e->argument;
  if (!dae__load_ok(c->x->l))
    return dae__no_value();
  for (int i = 0; i < d->parameters; i++, a = a->next)
    frames[i] = (dae__frame){d->parameter[i], dae__number_of(c, a).node, false,
                             i > 0 ? &frames[i - 1] : NULL};
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
    return dae__no_value();
  }
  s->busy = true;
  dae__value value = dae__number_of(&inner, d->value);
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
    return dae__no_value();
  }
  if (e->count != 1 || e->argument->kind != DAE__EXPR_NAME || e->argument->rate) {
    dae__complain(c->x->l, e->place, "%s(NAME) needs the label of a constraint", e->name);
    return dae__no_value();
  }
  leaf = dae__find_multiplier(c, e->argument, !strcmp(e->name, "psi"));
  return leaf < 0 ? dae__no_value() : dae__as_number(dae__leaf(c->x->graph, leaf));
}

static bool call_is_function(const dae__context *c, const char *name)
{
  int instance, symbol = dae__look_up(c, name, &instance);
  return symbol >= 0 && c->x->symbols.item[symbol].d->parameters >= 0;
}

dae__value dae__evaluate_call(const dae__context *c, const dae__expr *e)
{
  int instance = c->instance, symbol;
  const dae__expr *last = e->member ? e->member : e;
  int builtin = e->member ? -1 : dae__builtin(e->name);
  dae__value value;
  if (builtin >= 0) {
    value = call_builtin(c, e, builtin);
  } else if (!e->member && (!strcmp(e->name, "lambda") || !strcmp(e->name, "psi")) &&
             !call_is_function(c, e->name)) {
    value = call_multiplier(c, e);
  } else {
    symbol = dae__look_up_path(c, e, &instance);
    if (symbol < 0)
      return dae__no_value();
    if (c->x->symbols.item[symbol].kind != DAE__STATEMENT_LET) {
      dae__complain(c->x->l, last->place,
                    "%s is not a function; write * between factors, and [ ] "
                    "around an index",
                    last->name);
      return dae__no_value();
    }
    value = call_function(c, last, symbol, instance);
  }
  return last->rate || e->rate
             ? dae__as_number(dae__total_rate(c->x, value.node, e->place, last->name))
             : value;
}
