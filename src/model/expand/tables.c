/* Tables, and what they share with inputs: curves as expressions.
 *
 * A curve at x is the polynomial of the interval that contains x, two nodes. Within the motion the
 * interval of a curve with bends or jumps is a relation, which becomes a mode (guards.c); a cubic
 * curve has no bends inside, and relations tell where its constant parts begin. */
#include "core/error.h"
#include "model/expand/value.h"
#include "model/text/csv.h"
#include <math.h>
#include <string.h>

#define MOST_ROWS 1000000 /* of a file, which may come from anywhere */

int dae__add_curve(dae__expander *x, const dae__curve *curve)
{
  dae__curve *kept = DAE__NEW(x->l->keep, dae__curve);
  if (kept)
    *kept = *curve;
  *DAE__PUSH(x->l->keep, &x->graph->curves) = kept;
  return dae__load_ok(x->l) ? x->graph->curves.count - 1 : -1;
}

dae__node dae__curve_at(dae__expander *x, int number, dae__node argument, int place)
{
  dae__graph *g = x->graph;
  const dae__curve *c = g->curves.item[number];
  bool smooth = dae__curve_is_smooth(c);
  if (c->count == 0)
    return dae__curve_node(g, number, 0, argument, DAE__ZERO);
  if (smooth)
    g->mark = DAE__MARK_SMOOTH;
  dae__node interval = dae__interval_node(g, number, argument);
  g->mark = DAE__MARK_WATCHED;
  dae__relation_at(x, interval, place);
  dae__node value = dae__curve_node(g, number, 0, argument, interval);
  if (!c->bounded)
    return value;
  const double *end = c->knot + (size_t)(c->count - 1) * (size_t)c->stride;
  const double bound[2] = {c->knot[0], end[0]}, outside[2] = {c->knot[1], end[1]};
  for (int i = 0; i < 2; i++) {
    dae__node edge = dae__constant(g, bound[i]);
    g->mark = DAE__MARK_BENDS;
    dae__node beyond = dae__binary(g, DAE__OP_LESS, i ? edge : argument, i ? argument : edge);
    g->mark = DAE__MARK_WATCHED;
    dae__relation_at(x, beyond, place);
    value = dae__if(g, beyond, dae__constant(g, outside[i]), value);
  }
  return value;
}

const dae__curve *dae__held_curve_below(dae__expander *x, dae__node node)
{
  if (x->graph->curves.count == 0 || !dae__walk_below(x->walker, 1, &node, DAE__WALK_ALL))
    return NULL;
  for (int i = 0; i < x->walker->visit.count; i++) {
    const dae__entry *e = &x->graph->entry[x->walker->visit.item[i].node];
    const dae__curve *c =
        e->op == DAE__OP_CURVE ? x->graph->curves.item[e->c / DAE__CURVE_ORDERS] : NULL;
    if (c && !c->call && dae__curve_degree(c) == 0)
      return c;
  }
  return NULL;
}

/* ---- data of tables ---- */

/* Samples of a table, x1, y1, x2, y2, ... */
typedef struct table_data {
  int count;
  double *value;
} table_data;

/* Evaluates the points of the text. */
static void table_read_points(const dae__context *c, const dae__data *data, table_data *out)
{
  dae__load *l = c->x->l;
  DAE__LIST(double) values = {0};
  for (const dae__expr *e = data->point; e && !l->status; e = e->next->next) {
    for (int k = 0; k < 2; k++)
      *DAE__PUSH(l->scratch, &values) = dae__evaluate_constant(c, k ? e->next : e);
    if (!dae__load_ok(l) || values.count < 4)
      continue;
    double before = values.item[values.count - 4], x = values.item[values.count - 2];
    if (!(x > before))
      dae__load_fail(l, e->place, "x must rise: %.10g follows %.10g; sort the points", x, before);
  }
  if (values.count < 4)
    dae__load_fail(l, data->point ? data->point->place : 0, "a table needs at least two points");
  *out = (table_data){values.count / 2, values.item};
}

/* Finds the columns of a file by name, or takes the first two. */
static dae_status table_find_columns(dae__load *l, const dae__data *data, const dae__csv *csv,
                                     int column[2])
{
  if (!data->column[0] && dae__csv_columns(csv) < 2)
    return dae__csv_fail_name(csv, 0, l->err, "a table needs two columns, separated by a comma");
  for (int k = 0; k < 2; k++) {
    column[k] = data->column[0] ? -1 : k;
    for (int i = 0; column[k] < 0 && i < dae__csv_columns(csv); i++)
      if (dae__csv_name(csv, i) && !strcmp(dae__csv_name(csv, i), data->column[k]))
        column[k] = i;
    if (column[k] < 0 && !dae__csv_name(csv, 0))
      return dae__load_fail(l, data->column_place[k],
                            "%s has no names in its first line: leave columns out, or add them",
                            data->file);
    if (column[k] < 0)
      return dae__load_fail(l, data->column_place[k], "%s has no column %s; its first one is %.60s",
                            data->file, data->column[k], dae__csv_name(csv, 0));
  }
  return DAE_OK;
}

static void table_read_file(dae__expander *x, const dae__data *data, table_data *out)
{
  dae__load *l = x->l;
  const dae_env *env = &l->scratch->env;
  const char *shown,
      *path = dae__resolve_path(l, data->file_place, data->file, "a table", "read", &shown);
  double *values = NULL;
  dae__csv *csv = NULL;
  int column[2];
  if (!path || !dae__load_regular(l, data->file_place, shown, path))
    return;
  dae_status status = dae__csv_open(path, shown, DAE_ERROR_MODEL, env, &csv, l->err);
  if (!status)
    status = table_find_columns(l, data, csv, column);
  if (!status)
    status = dae__csv_read(csv, MOST_ROWS, 2, column, &out->count, &values, l->err);
  dae__csv_close(csv);
  if (!status && (out->value = DAE__NEW_ARRAY(l->scratch, double, 2 * (size_t)out->count)))
    memcpy(out->value, values, 2 * sizeof *values * (size_t)out->count);
  if (values)
    env->release(env->user, values);
  if (status)
    l->status = status;
}

/* Makes the curve of a table in an instance. */
static int table_create(dae__expander *x, int symbol, int instance)
{
  const dae__declaration *d = x->symbols.item[symbol].d;
  const dae__data *data = d->data;
  dae__context c = dae__context_of(x, instance);
  table_data samples = {0};
  c.constant = true;
  c.what = "a point of a table";
  if (data->file)
    table_read_file(x, data, &samples);
  else
    table_read_points(&c, data, &samples);
  if (!dae__load_ok(x->l))
    return -1;
  double first = samples.value[1], last = samples.value[2 * samples.count - 1];
  if (data->periodic && first != last) {
    dae__load_fail(x->l, data->file ? data->file_place : d->place,
                   "a periodic table ends with the value it begins with: %.10g is not %.10g", last,
                   first);
    return -1;
  }
  if (!(fabs(samples.value[0]) < 1e300 && fabs(samples.value[2 * samples.count - 2]) < 1e300)) {
    dae__load_fail(x->l, data->file ? data->file_place : d->place, "x goes beyond 1e300");
    return -1;
  }
  dae__curve curve = {.name = dae__element_name(x, symbol, instance, 0)};
  dae__curve_create(x->l->keep, data->how, data->periodic, samples.count,
                    (dae__samples){samples.value, samples.value + 1, 2}, &curve);
  return dae__load_ok(x->l) ? dae__add_curve(x, &curve) : -1;
}

int dae__table_curve(dae__expander *x, int symbol, int instance, int place)
{
  const dae__symbol *s = &x->symbols.item[symbol];
  if (s->d->data->file) /* the same for all instances: read once */
    instance = x->scopes.item[s->scope].instance;
  dae__elements *e = dae__elements_of(x, symbol, instance, place);
  if (e && e->node[0] == -2)
    dae__load_fail(x->l, place, "cyclic definition of %s", x->symbols.item[symbol].d->name);
  if (!e || x->l->status)
    return -1;
  if (e->node[0] == -1) {
    e->node[0] = -2;
    e->node[0] = table_create(x, symbol, instance);
  }
  return e->node[0];
}
