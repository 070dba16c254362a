/* Labels of constraints and events, and the multipliers that they name. */
#include "model/expand/value.h"
#include <daedal/options.h>
#include <stdio.h>
#include <string.h>

const char *dae__label_text(const dae__context *c, const dae__expr *label)
{
  char text[320];
  dae__context inner = *c;
  inner.what = "an index";
  if (label->count > DAE__RANK)
    dae__load_fail(c->x->l, label->place, "a label has one to three indices");
  int used = snprintf(text, sizeof text, "%s", label->name);
  for (const dae__expr *a = label->argument; a && !c->x->l->status; a = a->next) {
    used += snprintf(text + used, sizeof text - (size_t)used, "%c%d",
                     a == label->argument ? '[' : ',', dae__evaluate_whole(&inner, a));
  }
  if (label->argument && used < (int)sizeof text - 1)
    text[used++] = ']';
  return dae__name(c->x->l, c->x->names, text, used);
}

void dae__label_add(dae__expander *x, dae__label label)
{
  int other = dae__table_find(&x->label_table, label.instance, label.text);
  if (other >= 0)
    dae__load_fail(x->l, label.place, "duplicate label %s; the first one is in line %d", label.text,
                   dae__line_of(&x->l->files, x->labels.item[other].place));
  if (x->l->status)
    return;
  *DAE__PUSH(x->l->scratch, &x->labels) = label;
  if (dae__load_ok(x->l))
    dae__table_add(x->l, &x->label_table, label.instance, label.text, x->labels.count - 1);
}

static const char *label_name(const void *list, int i)
{
  const dae__label *label = &((const dae__expander *)list)->labels.item[i];
  return label->kind == DAE__LABEL_EVENT ? "" : label->text;
}

/* Text of the components of a name from `at` on, with dots; NULL after an error. */
static const char *label_dotted_text(const dae__context *c, const dae__expr *at)
{
  dae__expander *x = c->x;
  const char *text = dae__label_text(c, at);
  for (at = at->member; at && !x->l->status; at = at->member) {
    const char *more = dae__pool_print(x->l->scratch, "%s.%s", text, dae__label_text(c, at));
    text = more ? dae__name(x->l, x->names, more, (int)strlen(more)) : text;
  }
  return dae__load_ok(x->l) ? text : NULL;
}

/* Label of a constraint, or labels of the components of a vector constraint; number: set to how
 * many. */
static const dae__label *label_find(dae__expander *x, int instance, const char *text, int *number)
{
  int found = dae__table_find(&x->label_table, instance, text);
  *number = 1;
  if (found >= 0)
    return x->labels.item[found].kind == DAE__LABEL_EVENT ? NULL : &x->labels.item[found];
  for (*number = 0; *number < 3; ++*number) {
    const char *name = dae__pool_print(x->l->scratch, "%s.%s", text, dae__component_name(*number));
    const char *known = name ? dae__name(x->l, x->names, name, (int)strlen(name)) : NULL;
    int at = known ? dae__table_find(&x->label_table, instance, known) : -1;
    if (at < 0)
      break;
    found = found < 0 ? at : found;
  }
  return *number > 1 ? &x->labels.item[found] : NULL;
}

/* Finds a label by a dotted name: in the scope of the expression and those around it, or after the
 * name of a system or part. */
static const dae__label *label_of_name(const dae__context *c, const dae__expr *label, int *number,
                                       const char **text)
{
  dae__expander *x = c->x;
  int within = -1;
  *text = label_dotted_text(c, label);
  for (int i = c->instance; i >= 0 && *text; i = x->instances.item[i].outer) {
    const dae__label *found = label_find(x, i, *text, number);
    if (found)
      return found;
  }
  while (*text && label->member && (within = dae__find_owner(c, within, &label)) >= 0) {
    *text = label_dotted_text(c, label);
    const dae__label *found = *text ? label_find(x, within, *text, number) : NULL;
    if (found)
      return found;
  }
  return NULL;
}

dae__value dae__multiplier_value(const dae__context *c, const dae__expr *e)
{
  dae__expander *x = c->x;
  const dae__expr *label = e->argument, *last = label;
  if (!c->results && !c->reactions)
    dae__load_fail(x->l, e->place,
                   "multipliers are available in forces, outputs, events and drawings only");
  else if (e->count != 1 || label->kind != DAE__EXPR_NAME || label->rate)
    dae__load_fail(x->l, e->place, "%s(NAME) needs the label of a constraint", e->name);
  if (x->l->status)
    return DAE__NO_VALUE;
  while (last->member)
    last = last->member;
  bool psi = !strcmp(e->name, "psi");
  int number;
  const char *text;
  const dae__label *found = label_of_name(c, label, &number, &text);
  if (x->l->status)
    return DAE__NO_VALUE;
  if (!found) {
    const char *near = dae_suggest(text, x->labels.count, label_name, x);
    if (near)
      dae__load_fail(x->l, last->place, "no constraint has the label %s; did you mean %s?", text,
                     near);
    else
      dae__load_fail(x->l, last->place, "no constraint has the label %s", text);
  } else if (psi && found->grip > 0)
    return dae__as_number(dae__leaf(x->graph, found->grip - 1));
  else if (psi != (found->kind == DAE__LABEL_NONHOLONOMIC))
    dae__load_fail(x->l, last->place, "%s is %s; its multiplier is %s(%s)", text,
                   psi ? "holonomic" : "nonholonomic", psi ? "lambda" : "psi", text);
  if (x->l->status)
    return DAE__NO_VALUE;
  dae__value value = {.size = number};
  for (int i = 0; i < number; i++)
    value.at[i] = dae__leaf(x->graph, found->leaf + i);
  return value;
}
