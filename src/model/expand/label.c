/* Labels of constraints, joints and events, found by instance and text. */
#include "model/expand/value.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char *dae__label_text(const dae__context *c, const dae__expr *label)
{
  char text[320];
  dae__context inner = *c;
  inner.what = "an index";
  if (label->count > DAE__RANK)
    dae__complain(c->x->l, label->place, "a label has one or two indices");
  int used = snprintf(text, sizeof text, "%s", label->name);
  for (const dae__expr *a = label->argument; a && !c->x->l->status; a = a->next) {
    used += snprintf(text + used, sizeof text - (size_t)used, "%c%d",
                     a == label->argument ? '[' : ',', dae__evaluate_whole(&inner, a));
  }
  if (label->argument && used < (int)sizeof text - 1)
    text[used++] = ']';
  return dae__name(c->x->l, c->x->names, text, used);
}

static unsigned label_slot_of(const dae__expander *x, int instance, const char *text)
{
  uint64_t h =
      ((uint64_t)(uintptr_t)text >> 4) * 0x9E3779B97F4A7C15u + (uint64_t)(unsigned)instance;
  h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9u;
  return (unsigned)(h >> 32) & (unsigned)(x->label_slots - 1);
}

static void label_insert(dae__expander *x, int number)
{
  const dae__label *label = &x->labels.item[number];
  unsigned i = label_slot_of(x, label->instance, label->text);
  while (x->label_slot[i] >= 0)
    i = (i + 1) & (unsigned)(x->label_slots - 1);
  x->label_slot[i] = number;
}

static bool label_make_room(dae__expander *x)
{
  if (2 * (x->labels.count + 1) < x->label_slots)
    return true;
  x->label_slots = x->label_slots > 0 ? 2 * x->label_slots : 256;
  x->label_slot = DAE__NEW_ARRAY(x->l->scratch, int, x->label_slots);
  if (!dae__load_ok(x->l))
    return false;
  for (int i = 0; i < x->label_slots; i++)
    x->label_slot[i] = -1;
  for (int i = 0; i < x->labels.count; i++)
    label_insert(x, i);
  return true;
}

const dae__label *dae__label_find(const dae__expander *x, int instance, const char *text)
{
  if (x->label_slots == 0)
    return NULL;
  unsigned i = label_slot_of(x, instance, text);
  for (; x->label_slot[i] >= 0; i = (i + 1) & (unsigned)(x->label_slots - 1)) {
    const dae__label *label = &x->labels.item[x->label_slot[i]];
    if (label->instance == instance && label->text == text)
      return label;
  }
  return NULL;
}

void dae__label_add(dae__expander *x, dae__label label)
{
  const dae__label *other = dae__label_find(x, label.instance, label.text);
  if (other)
    dae__complain(x->l, label.place, "the label %s stands twice; the first one is in line %d",
                  label.text, dae__line_of(&x->l->files, other->place));
  if (x->l->status || !label_make_room(x))
    return;
  *DAE__PUSH(x->l->scratch, &x->labels) = label;
  if (dae__load_ok(x->l))
    label_insert(x, x->labels.count - 1);
}
