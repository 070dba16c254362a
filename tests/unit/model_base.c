#include "model_base.h"

#include "core/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- loading, as in model/model.c up to the problem ---- */

static dae_status expand(base *b, int file)
{
  dae__expander *x = &b->x;
  dae_status status = dae__parse(&b->load, file, &b->parsed);
  x->names = &b->parsed.names;
  for (int r = 0; r < DAE__RANK; r++)
    x->index_name[r] = dae__name(&b->load, x->names, r == 0 ? "i" : "j", 1);
  if (!status)
    status = dae__declare_symbols(x, b->parsed.first);
  if (!status)
    status = dae__read_overrides(x);
  if (!status)
    status = dae__resolve_ranges(x);
  if (!status)
    status = dae__build_settings(x, &b->model);
  if (!status)
    status = dae__expand_motion(x);
  if (!status)
    status = dae__expand_results(x);
  dae__binder binder = {.x = x, .arena = b->model.arena, .tapes = b->model.tapes};
  if (!status)
    status = dae__build_problem(&binder, &b->model, &b->layout);
  dae__tape_workspace_free(&b->model.tapes->workspace, dae__arena_env(b->model.arena));
  return status;
}

static void *zeroed(size_t count, size_t size)
{
  void *memory = calloc(count, size);
  assert_non_null(memory);
  return memory;
}

void base_open(base *b, const char *path, const char *text, const dae_model_options *options)
{
  dae_error err = dae_error_none();
  *b = (base){.model.keep = dae__pool_create(NULL), .model.arena = dae__arena_create(NULL)};
  b->model.tapes = DAE__NEW(b->model.keep, dae__tape_set);
  b->load = (dae__load){.keep = b->model.keep, .scratch = dae__pool_create(NULL), .err = &err};
  b->load.limits = *options;
  b->x = (dae__expander){.l = &b->load, .graph = dae__graph_create(NULL, options->max_nodes)};
  b->x.walker = dae__walker_create(b->x.graph, NULL);
  assert_non_null(b->x.walker);
  b->load.graph = b->x.graph;
  b->load.walker = b->x.walker;
  int file = text ? dae__open_text(&b->load, -1, "text", text, strlen(text))
                  : dae__open_file(&b->load, -1, path, path);
  if (file < 0 || expand(b, file) != DAE_OK)
    fail_msg("%s: %s", path ? path : "text", err.text);
  b->load.err = NULL;
  size_t leaves = (size_t)b->x.leaves.count, nodes = (size_t)b->x.graph->count;
  b->value = zeroed(leaves, sizeof *b->value);
  for (int k = 0; k < BASE_DIRECTIONS; k++)
    b->seed[k] = zeroed(leaves, sizeof *b->seed[k]);
  b->node = zeroed(nodes, sizeof *b->node);
  b->needed = zeroed(nodes, sizeof *b->needed);
}

void base_close(base *b)
{
  free(b->value);
  for (int k = 0; k < BASE_DIRECTIONS; k++)
    free(b->seed[k]);
  free(b->node);
  free(b->needed);
  dae__walker_free(b->x.walker);
  dae__graph_free(b->x.graph);
  dae__pool_free(b->load.scratch);
  dae__arena_free(b->model.arena);
  dae__pool_free(b->model.keep);
}

/* ---- derivatives ---- */

int base_rate(const base *b, int leaf)
{
  return dae__node_at(b->x.graph, b->x.leaf_rate.item[leaf]).leaf;
}

void base_clear(base *b, int k)
{
  memset(b->seed[k], 0, (size_t)b->x.leaves.count * sizeof *b->seed[k]);
}

void base_toward(base *b, int k, int leaf, long double amount)
{
  b->seed[k][leaf] += amount;
}

static hyper leaf_value(const base *b, int leaf, int order)
{
  hyper x = hyper_number(b->value[leaf]);
  for (int k = 0; k < order; k++)
    x.c[1 << k] = b->seed[k][leaf];
  return x;
}

/* Derivative of the polynomial of interval m of a curve. */
static hyper curve_value(const dae__curve *c, int order, hyper x, double m)
{
  int last = c->count - 1;
  double turn = c->periodic ? floor(m / last) : 0, i = m - turn * last;
  if (c->bounded)
    i = i < 0 ? 0 : i > last - 1 ? last - 1 : i;
  bool outside = i < 0 || i >= last;
  const double *p = c->knot + (i < 0 ? 0 : (int)i) * c->stride;
  hyper d = hyper_add(x, hyper_number(p[0] + turn * c->span), -1), sum = hyper_number(0);
  for (int k = c->stride - 2; k >= order; k--) {
    double factor = outside && k > 0 ? 0 : 1;
    for (int n = 0; n < order; n++)
      factor *= k - n;
    sum = hyper_add(hyper_mul(sum, d), hyper_number(factor * p[k + 1]), 1);
  }
  return sum;
}

static hyper node_value(const base *b, dae__node_view n, int order)
{
  const dae__curve *const *curves = b->x.graph->curves.item;
  if (n.op == DAE__OP_CURVE)
    return curve_value(curves[n.word / DAE__CURVE_ORDERS], n.word % DAE__CURVE_ORDERS, b->node[n.a],
                       (double)b->node[n.b].c[0]);
  if (n.op == DAE__OP_INTERVAL)
    return hyper_number(dae__curve_interval(curves[n.word], (double)b->node[n.a].c[0], 0));
  if (n.op == DAE__OP_KNOT)
    return hyper_number(dae__curve_knot(curves[n.word], (double)b->node[n.a].c[0]));
  if (n.op == DAE__OP_CONSTANT)
    return hyper_number(n.value);
  if (n.op == DAE__OP_LEAF)
    return leaf_value(b, n.leaf, order);
  if (n.op == DAE__OP_POWI)
    return hyper_whole_power(b->node[n.a], n.b);
  return hyper_op(n.op, b->node[n.a], b->node[n.b], b->node[n.c], 0);
}

/* rising index is an order of evaluation */
long double base_derivative(base *b, dae__node root, int order)
{
  memset(b->needed, 0, ((size_t)root + 1) * sizeof *b->needed);
  b->needed[root] = true;
  for (dae__node i = root; i >= 0; i--) {
    dae__node_view n = dae__node_at(b->x.graph, i);
    if (!b->needed[i] || n.op == DAE__OP_CONSTANT || n.op == DAE__OP_LEAF)
      continue;
    b->needed[n.a] = true;
    if (n.op != DAE__OP_POWI)
      b->needed[n.b] = b->needed[n.c] = true;
  }
  for (dae__node i = 0; i <= root; i++)
    if (b->needed[i])
      b->node[i] = node_value(b, dae__node_at(b->x.graph, i), order);
  return b->node[root].c[(1 << order) - 1];
}
