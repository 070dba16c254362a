/* Vectors of two or three nodes: (a, b) of the plane, (a, b, c) of space. */
#include "core/mutant.h"
#include "model/expand/value.h"
#include <string.h>

const char *dae__component_name(int component)
{
  static const char *const names[] = {"x", "y", "z"};
  return names[component];
}

int dae__component_of(const char *name)
{
  return name[0] >= 'x' && name[0] <= 'z' && name[1] == 0 ? name[0] - 'x' : -1;
}

const char *dae__size_text(int size)
{
  static const char *const texts[] = {"nothing", "a number", "a vector of 2 components",
                                      "a vector of 3 components"};
  return texts[size];
}

/* ---- operations ---- */

dae__value dae__vector(dae__graph *graph, int size, const double *value)
{
  dae__value v = {.size = size};
  for (int i = 0; i < size; i++)
    v.at[i] = dae__constant(graph, value[i]);
  return v;
}

dae__value dae__vector_add(dae__graph *graph, dae__value a, dae__value b)
{
  for (int i = 0; i < a.size; i++)
    a.at[i] = DAE__ADD(graph, a.at[i], b.at[i]);
  return a;
}

dae__value dae__vector_sub(dae__graph *graph, dae__value a, dae__value b)
{
  for (int i = 0; i < a.size; i++)
    a.at[i] = DAE__SUB(graph, a.at[i], b.at[i]);
  return a;
}

dae__value dae__vector_scale(dae__graph *graph, dae__node c, dae__value a)
{
  for (int i = 0; i < a.size; i++)
    a.at[i] = DAE__MUL(graph, c, a.at[i]);
  return a;
}

dae__value dae__vector_over(dae__graph *graph, dae__value a, dae__node c)
{
  for (int i = 0; i < a.size; i++)
    a.at[i] = DAE__DIV(graph, a.at[i], c);
  return a;
}

dae__value dae__vector_neg(dae__graph *graph, dae__value a)
{
  for (int i = 0; i < a.size; i++)
    a.at[i] = DAE__NEG(graph, a.at[i]);
  return a;
}

dae__node dae__vector_dot(dae__graph *graph, dae__value a, dae__value b)
{
  dae__node sum = DAE__MUL(graph, a.at[0], DAE__MUTATE(vector_dot, b.at[0], a.at[0]));
  for (int i = 1; i < a.size; i++)
    sum = DAE__ADD(graph, sum, DAE__MUL(graph, a.at[i], b.at[i]));
  return sum;
}

dae__value dae__vector_cross(dae__graph *graph, dae__value a, dae__value b)
{
  dae__value out = {.size = a.size == 3 ? 3 : 1};
  for (int i = 0; i < out.size; i++) {
    int j = DAE__MUTATE(cross_product, a.size == 3 ? (i + 1) % 3 : 0,
                        a.size == 3 ? (i + 2) % 3 : 1),
        k = a.size == 3 ? (i + 2) % 3 : 1;
    out.at[i] =
        DAE__SUB(graph, DAE__MUL(graph, a.at[j], b.at[k]), DAE__MUL(graph, a.at[k], b.at[j]));
  }
  return out;
}

dae__node dae__vector_norm(dae__graph *graph, dae__value a)
{
  dae__node square = DAE__ZERO;
  for (int i = 0; i < a.size; i++)
    square = DAE__ADD(graph, square, dae__powi(graph, a.at[i], 2));
  return dae__unary(graph, DAE__OP_SQRT, square);
}

dae__value dae__vector_rate(dae__expander *x, dae__value a, int place, const char *what)
{
  for (int i = 0; i < a.size; i++)
    a.at[i] = dae__total_rate(x, a.at[i], place, what);
  return a;
}

/* ---- functions ---- */

bool dae__vector_function(const dae__context *c, const dae__expr *e, dae__value *out)
{
  static const struct {
    const char *name;
    int arguments;
  } known[] = {{"dot", 2}, {"cross", 2}, {"norm", 1}, {"unit", 1}};
  dae__graph *graph = c->x->graph;
  int which = 0, instance;
  while (which < 4 && strcmp(e->name, known[which].name) != 0)
    which++;
  if (which == 4 || e->member || dae__lookup_symbol(c, e->name, &instance) >= 0)
    return false;
  *out = DAE__NO_VALUE;
  if (e->count != known[which].arguments) {
    dae__load_fail(c->x->l, e->place, "%s takes %d vector%s, not %d arguments", e->name,
                   known[which].arguments, known[which].arguments == 1 ? "" : "s", e->count);
    return true;
  }
  dae__value a[2] = {{.size = 1}};
  const dae__expr *argument = e->argument;
  for (int i = 0; i < e->count; i++, argument = argument->next) {
    a[i] = dae__evaluate_value(c, argument);
    if (!c->x->l->status && a[i].size == 1)
      dae__load_fail(c->x->l, argument->place, "%s takes vectors, found a number", e->name);
  }
  if (!c->x->l->status && e->count == 2 && a[0].size != a[1].size)
    dae__load_fail(c->x->l, e->place, "%s of %s and %s", e->name, dae__size_text(a[0].size),
                   dae__size_text(a[1].size));
  if (c->x->l->status)
    return true;
  if (which == 0)
    *out = dae__as_number(dae__vector_dot(graph, a[0], a[1]));
  else if (which == 1)
    *out = dae__vector_cross(graph, a[0], a[1]);
  else if (which == 2)
    *out = dae__as_number(dae__vector_norm(graph, a[0]));
  else
    *out = dae__vector_over(graph, a[0], dae__vector_norm(graph, a[0]));
  return true;
}
