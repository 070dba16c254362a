/* What joints, events, outputs and lets are derived from. */
#include "model_site.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- joints ---- */

typedef struct hinge {
  const char *model;
  base *b;
  dae__node g;
  int nz, *leaf;
} hinge;

/* direction k along coordinate j, or along the motion of all of them */
static void direct_joint(const hinge *h, int k, int j)
{
  base_clear(h->b, k);
  if (j >= 0)
    base_toward(h->b, k, h->leaf[j], 1);
  else
    base_toward(h->b, k, 0, 1);
  for (int i = 0; j < 0 && i < h->nz; i++)
    base_toward(h->b, k, h->leaf[i], h->b->value[base_rate(h->b, h->leaf[i])]);
}

static double joint_derivative(const hinge *h, int order, int first, int second)
{
  direct_joint(h, 0, first);
  direct_joint(h, 1, second);
  return (double)base_derivative(h->b, h->g, order);
}

static void check_joint_at(const hinge *h, const dae_joint *p, double t, const double *z,
                           const double *zdot)
{
  int nz = h->nz;
  const double s = site_random(-2, 2);
  double got[3] = {NAN, 0, NAN}, want[3];
  double *G = site_unwritten(NULL, 1, nz), *gdot_z = site_unwritten(NULL, 1, nz);
  double *Gts = site_unwritten(NULL, nz, nz), *want_z = site_vector(nz * nz);
  base_clear(h->b, 0);
  base_toward(h->b, 0, 0, 1);
  want[1] = (double)base_derivative(h->b, h->g, 1);
  want[0] = joint_derivative(h, 0, MOTION, MOTION);
  want[2] = joint_derivative(h, 2, MOTION, MOTION);
  assert_int_equal(p->g(p->user, t, z, &got[0]), 0);
  if (p->g_t)
    assert_int_equal(p->g_t(p->user, t, z, &got[1]), 0);
  assert_int_equal(p->gamma(p->user, t, z, zdot, &got[2]), 0);
  site_compare(h->model, "joint g, g_t, gamma", 3, 1, got, want);
  for (int j = 0; j < nz; j++)
    want_z[j] = joint_derivative(h, 1, j, j);
  assert_int_equal(p->G(p->user, t, z, G), 0);
  site_compare(h->model, "joint G", 1, nz, G, want_z);
  for (int j = 0; j < nz; j++)
    want_z[j] = joint_derivative(h, 2, MOTION, j);
  assert_int_equal(p->gdot_z(p->user, t, z, zdot, gdot_z), 0);
  site_compare(h->model, "joint gdot_z", 1, nz, gdot_z, want_z);
  for (int i = 0; i < nz * nz; i++)
    want_z[i] = s * joint_derivative(h, 2, i % nz, i / nz);
  assert_int_equal(p->Gts_z(p->user, t, z, &s, Gts), 0);
  site_compare(h->model, "joint Gts_z", nz, nz, Gts, want_z);
  free(G), free(gdot_z), free(Gts), free(want_z);
}

void check_joint(const char *model, base *b, int number, const dae_joint *p)
{
  assert_int_equal(p->ng, 1);
  assert_true(p->G && p->gamma && p->gdot_z && p->Gts_z && (p->time_free || p->g_t));
  hinge h = {model, b, b->x.joints.item[number].node, p->nz, calloc((size_t)p->nz, sizeof(int))};
  double *z = site_vector(p->nz), *zdot = site_vector(p->nz);
  assert_non_null(h.leaf);
  for (int i = 0; i < p->nz; i++) {
    h.leaf[i] = b->layout.system[p->z[i].part].q.item[p->z[i].variable];
    z[i] = b->value[h.leaf[i]];
    zdot[i] = b->value[base_rate(b, h.leaf[i])];
  }
  check_joint_at(&h, p, b->value[0], z, zdot);
  free(z), free(zdot), free(h.leaf);
}

/* ---- events, outputs, lets ---- */

void check_events(const char *model, base *b, const dae_run_plan *plan, const double *y)
{
  double *dy = site_random_vector(b->layout.size),
         *after = site_vector(dae_problem_extended_size(&plan->problem));
  assert_int_equal(plan->event_count, b->x.events.count);
  for (int i = 0; i < plan->event_count; i++) {
    const dae_event *event = &plan->events[i];
    const dae__expanded_event *e = &b->x.events.item[i];
    base_clear(b, 0);
    base_toward(b, 0, 0, 1);
    for (int leaf = 0; leaf < b->layout.leaves; leaf++)
      if (b->layout.entry[leaf] >= 0 && b->layout.entry[leaf] < b->layout.size)
        base_toward(b, 0, leaf, dy[b->layout.entry[leaf]]);
    double got[2] = {NAN, NAN};
    const double want[2] = {(double)base_derivative(b, e->node, 0),
                            (double)base_derivative(b, e->node, 1)};
    bool whole = event->kind == DAE_EVENT_GUARD && event->direction != 0; /* floor, interval */
    assert_true((event->rate == NULL) == (event->next && !whole)); /* time events have none */
    if (event->rate) {
      assert_int_equal(event->value(event->user, b->value[0], y, &got[0]), 0);
      assert_int_equal(event->rate(event->user, b->value[0], y, dy, &got[1]), 0);
      site_compare(model, event->name, 2, 1, got, want);
    }
    memcpy(after, y, (size_t)dae_problem_extended_size(&plan->problem) * sizeof *after);
    assert_int_equal(event->action ? event->action(event->user, b->value[0], y, after) : 0, 0);
    for (int k = 0; k < e->actions.count && e->actions.item[k].node >= 0; k++) {
      double value = (double)base_derivative(b, e->actions.item[k].node, 0);
      site_compare(model, "action", 1, 1, &after[b->layout.entry[e->actions.item[k].leaf]], &value);
    }
  }
  free(dy), free(after);
}

void check_outputs(const char *model, base *b, const dae_run_plan *plan, const double *y)
{
  double *got = site_unwritten(NULL, plan->outputs, 1), *want = site_vector(plan->outputs);
  assert_int_equal(plan->outputs, b->x.outputs.count);
  for (int i = 0; i < plan->outputs; i++)
    want[i] = (double)base_derivative(b, b->x.outputs.item[i].node, 0);
  if (plan->outputs > 0)
    assert_int_equal(plan->output(plan->output_user, b->value[0], y, got), 0);
  site_compare(model, "outputs", plan->outputs, 1, got, want);
  free(got), free(want);
}

/* r' of lets that hold t and coordinates only, the one derivative that expressions may hold */
static void check_let(const char *model, base *b, dae__node node, int place)
{
  dae__leaves below = dae__leaves_below(b->x.walker, 1, &node);
  base_clear(b, 0);
  base_toward(b, 0, 0, 1);
  for (int i = 0; i < below.count; i++) {
    int leaf = below.leaf[i];
    if (leaf > 0 && b->x.leaf_kind.item[leaf] != DAE__LEAF_COORD)
      return;
    if (leaf > 0)
      base_toward(b, 0, leaf, b->value[base_rate(b, leaf)]);
  }
  double want = (double)base_derivative(b, node, 1);
  dae__node rate = dae__total_rate(&b->x, node, place, "a let");
  size_t nodes = (size_t)b->x.graph->count;
  b->node = realloc(b->node, nodes * sizeof *b->node);
  b->needed = realloc(b->needed, nodes * sizeof *b->needed);
  assert_true(b->node && b->needed);
  double got = (double)base_derivative(b, rate, 0);
  site_compare(model, "rate of a let", 1, 1, &got, &want);
}

void check_lets(const char *model, base *b)
{
  for (int i = 0; i < b->x.instances.count; i++) {
    int s = b->x.scopes.item[b->x.instances.item[i].scope].first;
    for (; s >= 0; s = b->x.symbols.item[s].next) {
      const dae__symbol *symbol = &b->x.symbols.item[s];
      if (symbol->kind != DAE__STATEMENT_LET || symbol->d->parameters >= 0)
        continue;
      const dae__elements *e = dae__elements_of(&b->x, s, i, symbol->d->place);
      for (int k = 0; k < e->count; k++)
        check_let(model, b, dae__element_value(&b->x, s, i, k, symbol->d->place).node,
                  symbol->d->place);
    }
  }
}
