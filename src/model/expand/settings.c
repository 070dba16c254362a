/* Overrides of params, such as "a=3", "A.k=2*pi", "c[2]=0.1", and settings of simulate and of
 * systems, which are names with a word or a constant as value. */
#include "core/number.h"
#include "model/expand/value.h"
#include "model/model.h"
#include "model/space/space.h"
#include "model/text/parse.h"
#include <daedal/options.h>
#include <math.h>
#include <string.h>

/* ---- overrides of params ---- */

static const char *settings_param_name(const void *list, int i)
{
  const dae__symbol *s = &((const dae__expander *)list)->symbols.item[i];
  return s->kind == DAE__STATEMENT_PARAM ? s->d->name : "";
}

/* Scope that a component of the name of a param leads to: of a system, or of the part it is made
 * of; -1: neither. */
static int settings_scope(dae__expander *x, int scope, const dae__expr *e)
{
  int symbol = dae__table_find(&x->symbol_table, scope, e->name), owner;
  const dae__symbol *s = symbol < 0 ? NULL : &x->symbols.item[symbol];
  if (s && s->kind == DAE__STATEMENT_SYSTEM)
    return s->body;
  int template =
      s && s->kind == DAE__STATEMENT_PART ? dae__part_template(x, scope, s->statement, &owner) : -1;
  return template <0 ? -1 : x->symbols.item[template].body;
}

/* Evaluates the indices of a name in an override; false after an error. */
static bool settings_override_indices(dae__expander *x, const dae__expr *e, int rank, int *index)
{
  dae__context c = {.x = x, .constant = true, .what = "an index"};
  if (e->count != 0 && e->count != rank) {
    dae__load_fail(x->l, e->place, "%s has %d indices, not %d", e->name, rank, e->count);
    return false;
  }
  int i = 0;
  for (const dae__expr *a = e->argument; a; a = a->next)
    index[i++] = dae__evaluate_whole(&c, a);
  return !x->l->status;
}

/* Finds the param that a name in an override stands for; returns the last component of its name. */
static const dae__expr *settings_find_param(dae__expander *x, const dae__expr *e, dae__override *o)
{
  dae__context c = {.x = x, .constant = true, .what = "an index"};
  int scope = 0;
  o->component = -1;
  for (; e->member; e = e->member) {
    int known = dae__table_find(&x->symbol_table, scope, e->name);
    if (known >= 0 && x->symbols.item[known].kind == DAE__STATEMENT_PARAM) {
      o->component = dae__component_of(e->member->name);
      if (o->component < 0 || e->member->member)
        dae__load_fail(x->l, e->member->place, "%s has no component %s", e->name, e->member->name);
      break;
    }
    int inner = settings_scope(x, scope, e);
    if (inner < 0)
      dae__load_fail(x->l, e->place, "the model has no system %s", e->name);
    if (x->l->status)
      return NULL;
    if (x->scopes.item[inner].part || o->part) {
      const char *text = dae__label_text(&c, e);
      o->part = o->part ? dae__pool_print(x->l->scratch, "%s.%s", o->part, text) : text;
    } else if (e->member->member && settings_scope(x, inner, e->member) >= 0) {
      o->part = dae__label_text(&c, e); /* system before a part */
    } else {
      o->one_system = e->count > 0;
      if (o->one_system && !settings_override_indices(x, e, 1, &o->system))
        return NULL;
    }
    scope = inner;
  }
  o->symbol = dae__table_find(&x->symbol_table, scope, e->name);
  if (o->symbol >= 0 && x->symbols.item[o->symbol].kind != DAE__STATEMENT_PARAM)
    dae__load_fail(x->l, e->place, "%s is not a param; only params can be set", e->name);
  else if (o->symbol < 0) {
    const char *near = dae_suggest(e->name, x->symbols.count, settings_param_name, x);
    if (near)
      dae__load_fail(x->l, e->place, "the model has no param %s; did you mean %s?", e->name, near);
    else
      dae__load_fail(x->l, e->place, "the model has no param %s", e->name);
  }
  return x->l->status ? NULL : e;
}

/* Adds an override NAME = value; false after an error. */
static bool settings_add_override(dae__expander *x, const dae__expr *e, const dae__expr *value)
{
  dae__load *l = x->l;
  if (e->kind != DAE__EXPR_NAME || e->rate)
    dae__load_fail(l, e->place, "expected the name of a param before =");
  if (l->status)
    return false;
  dae__override o = {.place = e->place, .value = value};
  const dae__expr *last = settings_find_param(x, e, &o);
  if (!last || !settings_override_indices(x, last, x->symbols.item[o.symbol].d->rank, o.index))
    return false;
  o.rank = last->count;
  *DAE__PUSH(l->scratch, &x->overrides) = o;
  return dae__load_ok(l);
}

/* Reads a file with lines NAME = EXPRESSION. */
static void settings_read_file(dae__expander *x, const char *path)
{
  int file = dae__open_file(x->l, -1, path, path);
  if (file < 0)
    return;
  dae__parser p = dae__parser_create(x->l, x->names, file);
  while (!x->l->status && !dae__parser_at(&p, DAE__TOKEN_END)) {
    if (dae__parser_accept(&p, DAE__TOKEN_NEWLINE) || dae__parser_accept(&p, DAE__TOKEN_SEMICOLON))
      continue;
    const dae__expr *e = dae__parser_expression(&p), *value = NULL;
    if (e && dae__parser_expect(&p, DAE__TOKEN_ASSIGN, "and a value: a = 3"))
      value = dae__parser_expression(&p);
    if (value && !dae__token_ends_statement(p.at.kind))
      dae__parser_unexpected(&p, "the end of the line");
    if (!value || x->l->status || !settings_add_override(x, e, value))
      return;
  }
}

/* Reads a text such as "A.k[2]=3*pi". */
static void settings_read_text(dae__expander *x, const char *set)
{
  dae__load *l = x->l;
  const char *equals = strchr(set, '=');
  int whole = dae__open_text(l, -1, "set", set, strlen(set));
  if (whole >= 0 && !equals)
    dae__load_fail(l, l->files.item[whole].first, "missing value: write NAME=VALUE");
  if (l->status || !equals)
    return;
  int left = dae__open_text(l, -1, "set", set, (size_t)(equals - set));
  int right = left < 0 ? -1 : dae__open_text(l, -1, "set", equals + 1, strlen(equals + 1));
  const dae__expr *e = right < 0 ? NULL : dae__parse_expression(l, x->names, left);
  const dae__expr *value = e ? dae__parse_expression(l, x->names, right) : NULL;
  if (value)
    settings_add_override(x, e, value);
}

dae_status dae__read_overrides(dae__expander *x)
{
  const dae_model_options *o = &x->l->limits;
  for (int i = 0; i < o->set_file_count && !x->l->status; i++)
    settings_read_file(x, o->set_files[i]);
  for (int i = 0; i < o->set_count && !x->l->status; i++)
    settings_read_text(x, o->set[i]);
  return x->l->status;
}

/* Tests that a name of a part, with or without indices, is that of an instance. */
static bool settings_same_part(const char *name, const char *instance)
{
  while (*instance) {
    if (*name == *instance)
      name++, instance++;
    else if (*instance == '[')
      instance += strcspn(instance, "]") + 1;
    else
      return false;
  }
  return !*name;
}

static bool settings_overrides(const dae__expander *x, const dae__override *o, int symbol,
                               int instance, const int *index)
{
  const dae__instance *own = &x->instances.item[instance];
  bool same = o->symbol == symbol &&
              (!o->one_system || x->scopes.item[own->scope].index + own->number == o->system) &&
              (!o->part || settings_same_part(o->part, own->name));
  for (int r = 0; r < o->rank; r++)
    same = same && index[r] == o->index[r];
  return same;
}

const dae__override *dae__override_next(dae__expander *x, const dae__override *after, int symbol,
                                        int instance, const int *index)
{
  int first = after ? (int)(after - x->overrides.item) + 1 : 0;
  for (int i = first; i < x->overrides.count; i++) {
    dae__override *o = &x->overrides.item[i];
    if (!settings_overrides(x, o, symbol, instance, index))
      continue;
    o->used = true;
    return o;
  }
  return NULL;
}

/* ---- settings ---- */

static void settings_add_setting(const dae__context *c, dae_model *model, const char *system,
                                 const dae__setting *s)
{
  dae__load *l = c->x->l;
  static const char *const numeric[] = {"to",   "from",   "every", "rtol",  "atol",
                                        "step", "window", "order", "stages"};
  dae_model_setting out = {.system = system, .name = s->name, .place = s->place, .value = NAN};
  bool number = false;
  for (size_t i = 0; i < sizeof numeric / sizeof *numeric; i++)
    number = number || !strcmp(s->name, numeric[i]);
  /* A value may be a word, such as on, off, plain, schur, unless the model has such a param or let.
   */
  const dae__expr *e = s->value;
  bool word = !number && e && e->kind == DAE__EXPR_NAME && !e->rate && !e->member &&
              e->count == 0 && dae__word_of(e->name) < 0;
  int instance, symbol = word ? dae__lookup_symbol(c, e->name, &instance) : -1;
  if (symbol >= 0)
    word = c->x->symbols.item[symbol].kind != DAE__STATEMENT_PARAM &&
           c->x->symbols.item[symbol].kind != DAE__STATEMENT_LET;
  if (s->word || word) {
    out.text = s->word ? s->word : e->name;
  } else {
    char text[40];
    out.value = dae__evaluate_constant(c, s->value);
    dae__format_double(out.value, text, sizeof text);
    out.text = dae__pool_text(l->keep, text, strlen(text));
  }
  for (int i = model->settings.count - 1; i >= 0; i--) {
    const dae_model_setting *other = &model->settings.item[i];
    if (other->system != system)
      break;
    if (!strcmp(other->name, s->name))
      dae__load_fail(l, s->place, "duplicate setting %s", s->name);
  }
  if (!system && !strcmp(s->name, "from"))
    model->t_start = c->x->from = out.value;
  if (!system && !strcmp(s->name, "to"))
    c->x->to = out.value;
  *DAE__PUSH(l->keep, &model->settings) = out;
}

dae_status dae__build_settings(dae__expander *x, dae_model *model)
{
  dae__context c = {.x = x, .what = "a setting"};
  x->to = NAN;
  if (x->simulate)
    for (const dae__setting *s = x->simulate->setting; s && !x->l->status; s = s->next)
      settings_add_setting(&c, model, NULL, s);
  for (int i = 1; i < x->systems; i++) {
    dae__context own = dae__context_of(x, i);
    own.what = "a setting";
    const dae__statement *s = x->scopes.item[x->instances.item[i].scope].body;
    for (; s && !x->l->status; s = s->next) {
      const dae__setting *setting = s->kind == DAE__STATEMENT_SETTING ? s->setting : NULL;
      for (; setting && !x->l->status; setting = setting->next) {
        settings_add_setting(&own, model, x->instances.item[i].name, setting);
        if (!x->l->status && !strcmp(setting->name, "atol"))
          x->instances.item[i].atol = model->settings.item[model->settings.count - 1].value;
      }
    }
  }
  dae__load_ok(x->l);
  return x->l->status;
}
