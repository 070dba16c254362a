/* Number of components of expressions, found from the text without evaluating it, so that variables
 * have their leaves before start values are known. */
#include "model/expand/value.h"
#include "model/space/space.h"
#include <string.h>

/* largest depth of operands within operands; each takes some hundred bytes of the stack */
#define MAX_SHAPE_DEPTH 500

/* An expression whose size is looked for; elements whose width it will be. */
typedef struct shape {
  dae__context c;
  const dae__expr *e; /* NULL: the size is known */
  int size;
  DAE__LIST(dae__elements *) named;
} shape;

/* ---- names ---- */

/* Goes on with the value of a param, let or variable of unknown width; memory is taken for the
 * indices of arrays, since the search goes on after the return. */
static void shape_enter_symbol(shape *s, const dae__found *found)
{
  dae__expander *x = s->c.x;
  const dae__symbol *symbol = &x->symbols.item[found->symbol];
  const dae__declaration *d = symbol->d;
  dae__elements *e = dae__elements_slot(x, found->symbol, found->instance);
  bool valued = symbol->kind >= DAE__STATEMENT_PARAM && symbol->kind <= DAE__STATEMENT_OUTPUT &&
                d->parameters < 0;
  s->e = NULL;
  s->size = 1;
  if (!e || e->width < 0 || !valued)
    return;
  if (e->width > 0) {
    s->size = e->width;
    return;
  }
  *DAE__PUSH(x->l->scratch, &s->named) = e;
  dae__local *frame = d->rank > 0 ? DAE__NEW_ARRAY(x->l->scratch, dae__local, d->rank) : NULL;
  if (!dae__load_ok(x->l))
    return;
  e->width = -1;
  s->c = dae__context_of(x, found->instance);
  for (int r = 0; r < d->rank; r++) {
    const char *name = d->range[r].name ? d->range[r].name : x->index_name[r];
    frame[r] = (dae__local){.name = name, .value = {.size = 1}, .index = true, .outer = s->c.frame};
    s->c.frame = &frame[r];
  }
  s->e = d->value;
}

/* Components of a call of a let function: those of its body, with the sizes of the arguments. */
static int shape_of_function(const dae__context *c, const dae__expr *e, const dae__found *found)
{
  dae__expander *x = c->x;
  const dae__symbol *s = &x->symbols.item[found->symbol];
  const dae__declaration *d = s->d;
  if (s->busy || d->parameters != e->count)
    return 1;
  dae__local *frames = DAE__NEW_ARRAY(x->l->scratch, dae__local, d->parameters);
  dae__context inner = dae__context_of(x, found->instance);
  const dae__expr *a = e->argument;
  for (int i = 0; frames && i < d->parameters; i++, a = a->next) {
    frames[i] = (dae__local){
        .name = d->parameter[i], .value = {.size = dae__size_of(c, a)}, .outer = inner.frame};
    inner.frame = &frames[i];
  }
  if (!dae__load_ok(x->l))
    return 1;
  x->symbols.item[found->symbol].busy = true;
  int size = dae__size_of(&inner, d->value);
  x->symbols.item[found->symbol].busy = false;
  return size;
}

/* Takes a call of a function that belongs to no scope; false: another call. */
static bool shape_of_plain_call(shape *s)
{
  const dae__expr *e = s->e;
  int instance;
  bool number = !strcmp(e->name, "dot") || !strcmp(e->name, "norm");
  bool same = !strcmp(e->name, "unit") || !strcmp(e->name, "smooth") || !strcmp(e->name, "noevent");
  bool cross = !strcmp(e->name, "cross"), choice = !strcmp(e->name, "if") && e->count == 3;
  if (e->member || !(number || same || cross || choice) ||
      dae__lookup_symbol(&s->c, e->name, &instance) >= 0)
    return false;
  s->e = choice ? e->argument->next : same ? e->argument : NULL;
  s->size = cross && e->argument && dae__size_of(&s->c, e->argument) == 3 ? 3 : 1;
  return true;
}

static void shape_of_name(shape *s)
{
  const dae__expr *e = s->e;
  dae__found found;
  if (e->call && shape_of_plain_call(s))
    return;
  s->e = NULL;
  s->size = 1;
  if (dae__word_is_value(e) || !dae__find_any(&s->c, e, &found))
    return;
  if (found.kind == DAE__FOUND_BODY || found.kind == DAE__FOUND_CONNECTOR)
    s->size = dae__space_size(s->c.x, &found);
  else if (found.rest)
    s->size = 1;
  else if (found.kind == DAE__FOUND_FUNCTION)
    s->size = shape_of_function(&s->c, found.last, &found);
  else if (found.kind == DAE__FOUND_ELEMENT)
    shape_enter_symbol(s, &found);
  else if (found.kind == DAE__FOUND_VALUE && found.local->value.size > 0)
    s->size = found.local->value.size;
  else if (found.kind == DAE__FOUND_VALUE && found.local->expr) {
    s->e = found.local->expr;
    s->c = dae__local_context(s->c.x, found.local);
  }
}

/* ---- expressions ---- */

/* Goes on with an operand that has the size of the expression. */
static void shape_of_operation(shape *s)
{
  const dae__expr *a = s->e->argument, *b = a->next;
  dae__token_kind op = s->e->op;
  bool sum = op == DAE__TOKEN_PLUS || op == DAE__TOKEN_MINUS || op == DAE__TOKEN_DIVIDE;
  if (op == DAE__TOKEN_TIMES && a->kind == DAE__EXPR_NUMBER) {
    s->e = b;
  } else if (sum || (op == DAE__TOKEN_TIMES && b->kind == DAE__EXPR_NUMBER)) {
    s->e = a;
  } else if (op == DAE__TOKEN_TIMES) {
    s->size = dae__size_of(&s->c, b);
    s->e = s->size > 1 ? NULL : a;
  } else {
    s->e = NULL;
  }
}

static void shape_of_sum(shape *s)
{
  dae__local index = {.name = s->e->name, .value = {.size = 1}, .index = true, .outer = s->c.frame};
  dae__context inner = s->c;
  inner.frame = &index;
  s->size = dae__size_of(&inner, s->e->argument->next->next);
  s->e = NULL;
}

static void shape_step(shape *s)
{
  const dae__expr *e = s->e;
  s->size = 1;
  switch (e->kind) {
  case DAE__EXPR_VECTOR:
    s->size = e->count <= 3 ? e->count : 1;
    s->e = NULL;
    break;
  case DAE__EXPR_LIST:
  case DAE__EXPR_UNARY:
    s->e = e->argument;
    break;
  case DAE__EXPR_BINARY:
    shape_of_operation(s);
    break;
  case DAE__EXPR_SUM:
    shape_of_sum(s);
    break;
  case DAE__EXPR_NAME:
  case DAE__EXPR_CALL:
    shape_of_name(s);
    break;
  default:
    s->e = NULL;
  }
}

/* Follows an expression to its end: chains of operands and of names can be long. */
static int shape_find(shape *s)
{
  dae__expander *x = s->c.x;
  if (x->depth >= MAX_SHAPE_DEPTH)
    dae__load_fail(x->l, s->e->place,
                   "lets are nested too deeply; declare each let after those it depends on");
  x->depth++;
  while (s->e && !x->l->status && dae__load_work(x->l, s->e->place, 1))
    shape_step(s);
  x->depth--;
  int size = x->l->status ? 1 : s->size;
  for (int i = 0; i < s->named.count; i++)
    s->named.item[i]->width = size;
  return size;
}

int dae__size_of(const dae__context *c, const dae__expr *e)
{
  shape s = {.c = *c, .e = e, .size = 1};
  return e ? shape_find(&s) : 1;
}

int dae__width_of(dae__expander *x, int symbol, int instance)
{
  const dae__symbol *s = &x->symbols.item[symbol];
  dae__elements *e = dae__elements_slot(x, symbol, instance);
  if (!e || e->width < 0)
    return 1;
  if (e->width == 0 && s->kind == DAE__STATEMENT_BODY) {
    dae__context c = dae__context_of(x, instance);
    dae__local frame[DAE__RANK];
    for (int r = 0; r < s->d->rank; r++) {
      const char *name = s->d->range[r].name ? s->d->range[r].name : x->index_name[r];
      frame[r] = (dae__local){.name = name, .value = {.size = 1}, .index = true, .outer = c.frame};
      c.frame = &frame[r];
    }
    e->width = -1;
    bool plane = dae__body_is_plane(&c, s->statement);
    e->width = plane ? 3 : 7;
  } else if (e->width == 0) {
    shape s_of = {.c = {.x = x, .instance = instance}};
    const dae__found found = {.symbol = symbol, .instance = instance};
    shape_enter_symbol(&s_of, &found);
    int size = shape_find(&s_of);
    if (e->width <= 0)
      e->width = size;
  }
  return e->width;
}
