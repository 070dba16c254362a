/* Inputs: quantities from outside, given by samples or a function, else by their expression. */
#include "core/error.h"
#include "model/expand/value.h"
#include "model/text/csv.h"
#include <daedal/options.h>
#include <math.h>
#include <string.h>

/* Largest number of samples, so that the numbers of a curve are counted in int. */
#define MOST_SAMPLES 100000000

/* ---- elements by name ---- */

static void inputs_list(dae__expander *x)
{
  for (int i = 0; i < x->instances.count; i++) {
    int s = x->scopes.item[x->instances.item[i].scope].first;
    for (; s >= 0 && !x->l->status; s = x->symbols.item[s].next) {
      const dae__symbol *symbol = &x->symbols.item[s];
      const dae__elements *e =
          symbol->kind == DAE__STATEMENT_INPUT ? dae__elements_of(x, s, i, symbol->d->place) : NULL;
      if (e && e->count > 0)
        dae__table_add(x->l, &x->input_table, i, symbol->d->name, x->inputs.count);
      for (int k = 0; e && k < e->count && dae__load_ok(x->l); k++) {
        dae__input input = {.symbol = s, .instance = i, .element = k, .curve = -1};
        input.name = dae__element_name(x, s, i, k);
        input.how = symbol->d->data->how;
        *DAE__PUSH(x->l->keep, &x->inputs) = input;
      }
    }
  }
}

static const char *inputs_name(const void *list, int i)
{
  return ((const dae__expander *)list)->inputs.item[i].name;
}

static dae__input *inputs_find(dae__expander *x, const char *name)
{
  for (int i = 0; i < x->inputs.count; i++)
    if (!strcmp(x->inputs.item[i].name, name))
      return &x->inputs.item[i];
  return NULL;
}

/* Text that follows "NAME is no input of the model". */
static const char *inputs_hint(dae__expander *x, const char *name)
{
  if (x->inputs.count == 0)
    return "; it has none: declare input NAME = 0";
  const char *near = dae_suggest(name, x->inputs.count, inputs_name, x);
  return dae__pool_print(x->l->scratch, near ? "; did you mean %s?" : "; its first one is %s",
                         near ? near : x->inputs.item[0].name);
}

/* ---- data ---- */

static void inputs_set_samples(dae__expander *x, dae__input *input, int count, dae__samples samples)
{
  dae__curve curve = {.name = input->name};
  if (!dae__curve_create(x->l->keep, input->how, false, count, samples, &curve)) {
    dae__load_ok(x->l);
    return;
  }
  input->curve = dae__add_curve(x, &curve);
  input->count = count;
  input->from = curve.first;
  input->to = curve.first + curve.span;
}

static dae_status inputs_read_columns(dae__expander *x, dae__csv *csv, const char *shown)
{
  dae__load *l = x->l;
  int columns = dae__csv_columns(csv), count = 1;
  int *column = DAE__NEW_ARRAY(l->scratch, int, columns + 1);
  dae__input **input = DAE__NEW_ARRAY(l->scratch, dae__input *, columns + 1);
  if (!dae__load_ok(l))
    return l->status;
  if (!dae__csv_name(csv, 0))
    return dae__csv_fail_name(csv, 0, l->err,
                              "the first line has numbers: it must name the columns, t and inputs");
  column[0] = -1;
  for (int i = 0; i < columns; i++) {
    const char *name = dae__csv_name(csv, i);
    if (!strcmp(name, "t") && column[0] < 0) {
      column[0] = i;
      continue;
    }
    input[count] = inputs_find(x, name);
    if (!input[count])
      return dae__csv_fail_name(csv, i, l->err, "%.60s is no input of the model%.120s", name,
                                inputs_hint(x, name));
    if (input[count]->curve >= 0 || input[count]->reading)
      return dae__csv_fail_name(csv, i, l->err, "the input %.60s is given twice", name);
    input[count]->reading = true;
    column[count++] = i;
  }
  if (column[0] < 0)
    return dae__csv_fail_name(csv, 0, l->err,
                              "%.100s has no column t: the time belongs to every input", shown);
  if (count == 1)
    return dae__csv_fail_name(csv, 0, l->err, "%.100s has no column of an input%.120s", shown,
                              inputs_hint(x, ""));
  int rows;
  double *values;
  dae_status status = dae__csv_read(csv, MOST_SAMPLES, count, column, &rows, &values, l->err);
  for (int k = 1; k < count && !status && dae__load_ok(l); k++) {
    inputs_set_samples(x, input[k], rows, (dae__samples){values, values + k, count});
    input[k]->source = dae__pool_text(l->keep, shown, strlen(shown));
  }
  if (values)
    l->scratch->env.release(l->scratch->env.user, values);
  return status;
}

static void inputs_read_file(dae__expander *x, const char *path)
{
  dae__csv *csv;
  dae_status status =
      dae__csv_open(path, path, DAE_ERROR_FILE, &x->l->scratch->env, &csv, x->l->err);
  if (!status)
    status = inputs_read_columns(x, csv, path);
  dae__csv_close(csv);
  if (status && !x->l->status)
    x->l->status = status;
}

static dae_status inputs_fail(dae__expander *x, const dae_model_input *given, const char *text)
{
  return x->l->status = dae__fail(x->l->err, DAE_ERROR_OPTION, given->name, "%s", text);
}

/* Gives an input a function of the caller, with knots at its instants and one before them. */
static void inputs_set_function(dae__expander *x, const dae_model_input *given, dae__input *input)
{
  dae__curve curve = {.name = input->name, .stride = 2 + given->derivatives};
  int count = given->instant_count;
  curve.call = given->function;
  curve.user = given->user;
  if (given->derivatives < 0 || given->derivatives > 3)
    inputs_fail(x, given, "derivatives must lie between 0 and 3");
  for (int i = 0; i < count && !x->l->status; i++)
    if (!(fabs(given->instants[i]) < 1e300) ||
        (i > 0 && !(given->instants[i] > given->instants[i - 1])))
      inputs_fail(x, given, dae__pool_print(x->l->scratch, "the instants must rise: number %d", i));
  double *knot =
      x->l->status || count == 0
          ? NULL
          : DAE__NEW_ARRAY(x->l->keep, double, (size_t)(count + 1) * (size_t)curve.stride);
  for (int i = 0; knot && i <= count; i++)
    knot[i * curve.stride] = i > 0 ? given->instants[i - 1] : given->instants[0] - 1;
  if (knot) {
    curve.knot = knot;
    curve.count = count + 1;
    curve.first = knot[0];
    curve.span = knot[count * curve.stride] - knot[0];
    curve.density = count / curve.span;
  }
  if (dae__load_ok(x->l))
    input->curve = dae__add_curve(x, &curve);
}

/* Checks the samples or the function of the caller. */
static void inputs_set_given(dae__expander *x, const dae_model_input *given)
{
  dae__input *input = given->name ? inputs_find(x, given->name) : NULL;
  if (!input) {
    const char *name = given->name ? given->name : "NULL";
    x->l->status = dae__fail(x->l->err, DAE_ERROR_OPTION, given->name,
                             "%.60s is no input of the model%s", name, inputs_hint(x, name));
    return;
  }
  if (input->curve >= 0) {
    inputs_fail(x, given, "the input is given twice");
  } else if (given->function) {
    inputs_set_function(x, given, input);
  } else if (given->count < 2 || !given->t || !given->value) {
    inputs_fail(x, given, "an input needs at least two samples, or a function");
  } else {
    for (int i = 0; i < given->count && !x->l->status; i++)
      if (!isfinite(given->t[i]) || !isfinite(given->value[i]))
        inputs_fail(x, given, dae__pool_print(x->l->scratch, "sample %d is not finite", i));
      else if (i > 0 && !(given->t[i] > given->t[i - 1]))
        inputs_fail(
            x, given,
            dae__pool_print(x->l->scratch, "the time must rise: that of sample %d does not", i));
    if (!x->l->status)
      inputs_set_samples(x, input, given->count, (dae__samples){given->t, given->value, 1});
  }
}

dae_status dae__read_inputs(dae__expander *x)
{
  const dae_model_options *o = &x->l->limits;
  inputs_list(x);
  for (int i = 0; i < o->input_count && !x->l->status; i++)
    inputs_set_given(x, &o->inputs[i]);
  for (int i = 0; i < o->input_file_count && !x->l->status; i++)
    inputs_read_file(x, o->input_files[i]);
  return dae__load_ok(x->l) ? DAE_OK : x->l->status;
}

/* ---- values ---- */

dae__node dae__input_node(const dae__context *c, const dae__expr *e, dae__element at, bool rate)
{
  dae__expander *x = c->x;
  const dae__symbol *s = &x->symbols.item[at.symbol];
  dae__input *input = x->inputs.item;
  if (c->constant)
    dae__load_fail(x->l, e->place, "%s is a constant and cannot depend on the input %s", c->what,
                   s->d->name);
  else if (rate && s->d->data->how == DAE__INTERPOLATE_HOLD)
    dae__load_fail(x->l, e->place,
                   "%s is held between its samples and has no rate: declare it linear or cubic",
                   s->d->name);
  if (x->l->status)
    return DAE__ZERO;
  int first = dae__table_find(&x->input_table, at.instance, s->d->name);
  if (first >= 0)
    input += first + at.element;
  if (first >= 0 && input->curve >= 0)
    return dae__curve_at(x, input->curve, dae__leaf(x->graph, 0), e->place);
  return dae__element_value(x, at.symbol, at.instance, at.element, e->place).node;
}
