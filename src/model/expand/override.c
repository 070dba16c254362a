/* Params that get another value from outside: "a=3", "A.k=2*pi", "c[2]=0.1". */
#include "model/expand/expand.h"
#include <daedal/options.h>
#include <string.h>

static const char *override_param_name(const void *list, int i)
{
  const dae__symbol *s = &((const dae__expander *)list)->symbols.item[i];
  return s->kind == DAE__STATEMENT_PARAM ? s->d->name : "";
}

/* the scope of A in A.k */
static int override_find_scope(const dae__expander *x, const char *name)
{
  int symbol = dae__find_symbol(x, 0, name);
  bool system = symbol >= 0 && x->symbols.item[symbol].kind == DAE__STATEMENT_SYSTEM;
  return system ? x->symbols.item[symbol].body : -1;
}

static int override_find_param(dae__expander *x, const dae__expr *e)
{
  const dae__expr *last = e->member ? e->member : e;
  int scope = e->member ? override_find_scope(x, e->name) : 0;
  int symbol = scope < 0 ? -1 : dae__find_symbol(x, scope, last->name);
  if (scope < 0)
    dae__complain(x->l, e->place, "the model has no system %s", e->name);
  else if (symbol >= 0 && x->symbols.item[symbol].kind != DAE__STATEMENT_PARAM)
    dae__complain(x->l, e->place, "%s is not a param; only params can be set", last->name);
  else if (symbol < 0) {
    const char *near = dae_suggest(last->name, x->symbols.count, override_param_name, x);
    if (near)
      dae__complain(x->l, e->place, "the model has no param %s; did you mean %s?", last->name,
                    near);
    else
      dae__complain(x->l, e->place, "the model has no param %s", last->name);
  }
  return x->l->status ? -1 : symbol;
}

/* the indices of a name; false after a mistake */
static bool override_take_indices(dae__expander *x, const dae__expr *e, int rank, int *index)
{
  dae__context c = {.x = x, .constant = true, .what = "an index"};
  if (e->count != 0 && e->count != rank) {
    dae__complain(x->l, e->place, "%s has %d indices, not %d", e->name, rank, e->count);
    return false;
  }
  int i = 0;
  for (const dae__expr *a = e->argument; a; a = a->next)
    index[i++] = dae__evaluate_whole(&c, a);
  return !x->l->status;
}

static void add_override(dae__expander *x, const dae__expr *e, const dae__expr *value)
{
  const dae__expr *last = e->member ? e->member : e;
  int symbol = override_find_param(x, e);
  if (symbol < 0)
    return;
  dae__override o = {.symbol = symbol, .place = e->place, .value = value};
  o.rank = last->count;
  if (!override_take_indices(x, last, x->symbols.item[symbol].d->rank, o.index))
    return;
  o.one_system = e->member && e->count > 0;
  if (o.one_system && !override_take_indices(x, e, 1, &o.system))
    return;
  *DAE__PUSH(x->l->scratch, &x->overrides) = o;
}

static void override_one(dae__expander *x, const char *set)
{
  const char *equals = strchr(set, '=');
  int place = dae__open_text(x->l, "set", set, strlen(set));
  if (place < 0)
    return;
  if (!equals) {
    dae__complain(x->l, x->l->files.item[place].first, "this sets nothing: write NAME=VALUE");
    return;
  }
  int left = dae__open_text(x->l, "set", set, (size_t)(equals - set));
  int right = left < 0 ? -1 : dae__open_text(x->l, "set", equals + 1, strlen(equals + 1));
  const dae__expr *e = right < 0 ? NULL : dae__parse_expression(x->l, x->names, left);
  const dae__expr *value = e ? dae__parse_expression(x->l, x->names, right) : NULL;
  if (!value)
    return;
  if (e->kind != DAE__EXPR_NAME || e->rate || (e->member && e->member->kind != DAE__EXPR_NAME))
    dae__complain(x->l, e->place, "the name of a param stands before =");
  else
    add_override(x, e, value);
}

dae_status dae__override_all(dae__expander *x)
{
  for (int i = 0; i < x->l->limits.set_count && !x->l->status; i++)
    override_one(x, x->l->limits.set[i]);
  return x->l->status;
}

const dae__expr *dae__override_of(dae__expander *x, int symbol, int instance, const int *index)
{
  const dae__expr *value = NULL;
  for (int i = 0; i < x->overrides.count; i++) {
    dae__override *o = &x->overrides.item[i];
    const dae__instance *own = &x->instances.item[instance];
    if (o->symbol != symbol ||
        (o->one_system && x->scopes.item[own->scope].index + own->number != o->system))
      continue;
    bool same = true;
    for (int r = 0; r < o->rank; r++)
      same = same && index[r] == o->index[r];
    if (!same)
      continue;
    o->used = true;
    value = o->value;
  }
  return value;
}

dae_status dae__override_check(dae__expander *x)
{
  for (int i = 0; i < x->overrides.count && !x->l->status; i++)
    if (!x->overrides.item[i].used)
      dae__complain(x->l, x->overrides.item[i].place, "the model has no element with this index");
  return x->l->status;
}
