/* Instances of parts. A part with arguments is a scope; part FL = corner(chassis, x = 1.2) makes an
 * instance of it, whose statements belong to the system it stands in, its home. Arguments are local
 * names: expressions that are evaluated where the part is made, at their first use. */
#include "model/expand/value.h"
#include "model/space/space.h"
#include <daedal/options.h>
#include <string.h>

const char *dae__part_name(dae__expander *x, int instance)
{
  const dae__instance *own = &x->instances.item[instance];
  const char *home = x->instances.item[own->home].name;
  return own->name + (home[0] ? strlen(home) + 1 : 0);
}

static const char *part_template_name(const void *list, int i)
{
  const dae__symbol *s = &((const dae__expander *)list)->symbols.item[i];
  return s->kind == DAE__STATEMENT_TEMPLATE ? s->d->name : "";
}

int dae__part_template(dae__expander *x, int scope, const dae__statement *s, int *owner)
{
  int symbol = -1;
  for (*owner = scope; *owner >= 0 && symbol < 0; *owner = x->scopes.item[*owner].outer) {
    symbol = dae__table_find(&x->symbol_table, *owner, s->text);
    if (symbol >= 0)
      break;
  }
  if (symbol >= 0 && x->symbols.item[symbol].kind == DAE__STATEMENT_TEMPLATE)
    return symbol;
  const char *near = dae_suggest(s->text, x->symbols.count, part_template_name, x);
  if (symbol >= 0)
    dae__load_fail(x->l, s->range.place,
                   "%s is not a part; parts are declared by part %s(..) { ... }", s->text, s->text);
  else if (near)
    dae__load_fail(x->l, s->range.place, "unknown part %s; did you mean %s?", s->text, near);
  else
    dae__load_fail(x->l, s->range.place, "unknown part %s; declare it by part %s(..) { ... }",
                   s->text, s->text);
  return -1;
}

/* Argument of a part statement for parameter i: by name, else by position; NULL: none. */
static const dae__clause *part_argument(const dae__statement *s, const dae__declaration *d, int i)
{
  int position = 0;
  for (const dae__clause *a = s->clause; a; a = a->next) {
    if (a->word ? a->word == d->parameter[i] : position == i)
      return a;
    position += !a->word;
  }
  return NULL;
}

static void part_check_arguments(dae__expander *x, const dae__statement *s,
                                 const dae__declaration *d)
{
  int position = 0;
  for (const dae__clause *a = s->clause; a && !x->l->status; a = a->next) {
    bool known = !a->word;
    for (int i = 0; i < d->parameters && !known; i++)
      known = d->parameter[i] == a->word;
    if (!known)
      dae__load_fail(x->l, a->place, "part %s has no argument %s", d->name, a->word);
    else if (!a->word && ++position > d->parameters)
      dae__load_fail(x->l, a->place, "part %s has %d argument%s", d->name, d->parameters,
                     d->parameters == 1 ? "" : "s");
    int given = 0;
    for (int i = 0; i < d->parameters && a->word; i++)
      given = a->word == d->parameter[i] && i < position ? i + 1 : given;
    for (const dae__clause *b = s->clause; b != a; b = b->next)
      given = a->word && b->word == a->word ? 1 : given;
    if (given)
      dae__load_fail(x->l, a->place, "argument %s is given twice", a->word);
  }
}

/* Local names of the arguments of an instance, evaluated in the instance `parent`. */
static dae__local *part_bind(dae__expander *x, const dae__statement *s, const dae__declaration *d,
                             int parent, dae__local *frame, int own)
{
  dae__local *names = DAE__NEW_ARRAY(x->l->scratch, dae__local, d->parameters), *outer = NULL;
  for (int i = 0; names && i < d->parameters; i++) {
    const dae__clause *a = part_argument(s, d, i);
    if (!a && !d->standard[i])
      dae__load_fail(x->l, s->place, "part %s needs its argument %s: part %s = %s(.., %s = ..)",
                     d->name, d->parameter[i], s->declared->name, d->name, d->parameter[i]);
    names[i] = (dae__local){.name = d->parameter[i],
                            .outer = outer,
                            .expr = a ? a->a : d->standard[i],
                            .instance = a ? parent : own,
                            .frame = a ? frame : outer};
    outer = &names[i];
  }
  return outer;
}

/* Instance in which a template is declared, seen from the instance that uses it. */
static int part_outer(const dae__expander *x, int instance, int scope)
{
  while (instance > 0 && x->instances.item[instance].scope != scope)
    instance = x->instances.item[instance].outer;
  return instance;
}

static void part_create(dae__expander *x, int parent, int symbol)
{
  const dae__statement *s = x->symbols.item[symbol].statement;
  dae__elements *e = dae__elements_slot(x, symbol, parent);
  dae__context c = dae__context_of(x, parent);
  int owner, template = dae__part_template(x, x->instances.item[parent].scope, s, &owner);
  int from = 1, to = 1;
  if (!e || template <0)
    return;
  int scope = x->symbols.item[template].body;
  const dae__declaration *d = x->symbols.item[template].d;
  for (int i = parent; i >= 0; i = x->instances.item[i].parent)
    if (x->instances.item[i].scope == scope)
      dae__load_fail(x->l, s->place, "part %s holds itself", d->name);
  c.constant = true;
  c.what = "the range of a part";
  if (s->declared->rank > 0 && !dae__evaluate_range(&c, &s->declared->range[0], &from, &to))
    return;
  part_check_arguments(x, s, d);
  e->width = 1;
  e->from[0] = from;
  e->to[0] = to;
  e->instance = x->instances.count;
  for (int k = from; k <= to && dae__load_work(x->l, s->place, DAE__RECORD_NODES * DAE__LOOP_WORK);
       k++) {
    dae__local *frame = c.frame;
    const char *name = s->declared->name, *before = x->instances.item[parent].name;
    if (s->declared->rank > 0) {
      frame = DAE__NEW(x->l->scratch, dae__local);
      if (!dae__load_ok(x->l))
        return;
      const char *index = s->declared->range[0].name;
      *frame = (dae__local){.name = index ? index : x->index_name[0],
                            .value = dae__as_number(dae__constant(x->graph, k)),
                            .index = true,
                            .outer = c.frame};
      name = dae__pool_print(x->l->keep, "%s[%d]", name, k);
    }
    if (before[0])
      name = dae__pool_print(x->l->keep, "%s.%s", before, name);
    int own = x->instances.count;
    *DAE__PUSH(x->l->scratch, &x->instances) =
        (dae__instance){.name = name,
                        .scope = scope,
                        .number = x->scopes.item[scope].instances++,
                        .home = x->instances.item[parent].home,
                        .outer = part_outer(x, parent, owner),
                        .parent = parent,
                        .frame = part_bind(x, s, d, parent, frame, own)};
  }
  e->count = to < from ? 0 : to - from + 1;
  e->stage = DAE__ELEMENTS_RESOLVED;
}

void dae__create_parts(dae__expander *x)
{
  /* instances that are added by a part are visited in their turn */
  for (int i = 0; i < x->instances.count && !x->l->status; i++) {
    int s = x->scopes.item[x->instances.item[i].scope].first;
    for (; s >= 0 && !x->l->status; s = x->symbols.item[s].next)
      if (x->symbols.item[s].kind == DAE__STATEMENT_PART)
        part_create(x, i, s);
  }
}
