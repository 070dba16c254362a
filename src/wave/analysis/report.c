/* The contraction report: contraction factors of the linearised coupling before a run, and
 * contraction factors observed in a run.
 *
 * With joints, the length W of a window adds to the contraction factor, gamma in [WHM11 (54)]: a
 * unit change of an input changes the accelerations of a system by A, its coordinates at the end of
 * the window by A W^2/2, and its outputs by K W^2/2 with
 *
 *   K = d(outputs)/dq A.
 *
 * A sweep with |D| + W^2/2 |K| in place of D contracts by rho + growth W^2 + ...; the model of
 * [WHM11] has 4/11 + (E + F/16) W^2 with E = 13/121, F = 4/11. */
#include "core/error.h"
#include "core/vec.h"
#include "wave/analysis/contraction.h"
#include "wave/iteration/wave.h"
#include <stdio.h>

/* relative step of central differences: third root of the unit round-off */
#define DIFFERENCE_STEP 6e-6
#define SLOPE_SHARE 1e-6 /* |K| W^2/2 over |D| in the difference for the slope of rho; chosen */

/* ---- a coupled problem, linearised at one state ---- */

typedef struct linearisation {
  dae__coupling coupling;
  double t;
  const double *y, *dy;
  double *z, *feedthrough, *G, *weight; /* unknowns, D of all systems, interface matrix */
  int *order, *owner;
  dae__loop loop;
} linearisation;

/* Linearises the coupled problem at the consistent state l->y with derivative l->dy. */
static dae_status report_linearise(linearisation *l, dae__arena *arena, const dae_problem *problem,
                                   dae_wave_splitting splitting, dae_error *err)
{
  dae__coupling_setup setup = {
      .problem = problem, .splitting = splitting, .t = l->t, .y = l->y, .dy = l->dy};
  DAE__TRY(dae__coupling_create(arena, &setup, &l->coupling, err));
  dae__interface *f = l->coupling.f;
  l->z = DAE__ALLOC(arena, double, f->unknowns);
  l->feedthrough = DAE__ALLOC(arena, double, f->first_D[f->systems]);
  l->G = DAE__ALLOC(arena, double, f->G.start[f->directs]);
  l->weight = DAE__ALLOC(arena, double, f->directs);
  l->order = DAE__ALLOC(arena, int, f->systems);
  l->owner = DAE__ALLOC(arena, int, f->directs);
  DAE__TRY(dae__arena_status(arena, err));
  dae__coupling_unknowns(&l->coupling, l->y, l->dy, l->z);
  DAE__TRY(dae__coupling_feedthrough(&l->coupling, l->t, l->y, l->z, l->feedthrough, err));
  return dae__interface_matrix(f, l->t, l->feedthrough, l->z, l->G, err);
}

/* Assigns the multipliers of joints to the first, or to the last, system of each joint. */
static void report_own_joints(linearisation *l, bool last)
{
  dae__interface *f = l->coupling.f;
  for (int i = 0; i < f->directs; i++)
    l->owner[i] = f->owner[f->unknown_of[i]];
  for (int j = 0; j < f->joints; j++)
    for (int i = 0; i < f->joint[j].ng; i++)
      l->owner[f->direct_of[f->joint[j].first + i]] =
          f->joint[j].system[last ? f->joint[j].nz - 1 : 0];
  l->loop = (dae__loop){f->systems, l->owner, &f->G, l->G};
  for (int i = 0; i < f->systems; i++)
    l->order[i] = i;
}

/* ---- growth of rho with the length of a window ---- */

typedef struct growth {
  linearisation l;
  double *K, *mixed;          /* K, and |D| + s |K|, of all systems */
  double *A;                  /* derivatives of one system's accelerations by its inputs */
  double *moved, *high, *low; /* perturbed state of one system, and outputs on both sides */
  dae__output *accelerations;
} growth;

static dae_status growth_alloc_memory(dae__arena *arena, growth *g, dae_error *err)
{
  const dae__coupling *c = &g->l.coupling;
  /* all states, and all accelerations, may be outputs */
  int total = c->f->first_D[c->systems], states = c->first_state[c->systems];
  int outputs = c->f->unknowns > states ? c->f->unknowns : states;
  size_t largest = 0;
  for (int p = 0; p < c->systems; p++) {
    size_t size = (size_t)(c->first_state[p + 1] - c->first_state[p]);
    size *= (size_t)c->child_problem[p].inputs;
    largest = size > largest ? size : largest;
  }
  DAE__VECTORS(arena, total, &g->K, &g->mixed);
  g->A = DAE__ALLOC(arena, double, largest);
  g->moved = DAE__ALLOC(arena, double, states);
  DAE__VECTORS(arena, outputs, &g->high, &g->low);
  g->accelerations = DAE__ALLOC(arena, dae__output, states);
  return dae__arena_status(arena, err);
}

/* Column of K for one input: central difference of the outputs along the accelerations A that the
 * input causes. */
static dae_status growth_column(growth *g, int p, const double *A, double *K, dae_error *err)
{
  dae__coupling *c = &g->l.coupling;
  const double *y = g->l.y + c->first_state[p];
  int nq = c->problem->coupled->part[p].mechanical->nq;
  int size = c->first_state[p + 1] - c->first_state[p], count = c->output_count[p];
  double speed = dae__max_abs(nq, A), reach = DIFFERENCE_STEP * (1 + dae__max_abs(nq, y));
  if (!(speed > 0))
    return DAE_OK;
  for (int side = 1; side >= -1; side -= 2) {
    dae__copy(size, y, g->moved);
    dae__axpy(nq, side * reach / speed, A, g->moved);
    DAE__TRY(dae__augmented_outputs(c->child_problem[p].augmented, g->l.t, g->moved,
                                    c->child[p].scratch_in, count, c->outputs[p],
                                    side > 0 ? g->high : g->low, NULL, err));
  }
  for (int i = 0; i < count; i++)
    K[i] = c->outputs[p][i].kind == DAE__OUTPUT_VARIABLE
               ? 0
               : (g->high[i] - g->low[i]) * speed / (2 * reach);
  return DAE_OK;
}

/* Computes K of system p; it stays zero without coordinates. */
static dae_status growth_system(growth *g, int p, dae_error *err)
{
  dae__coupling *c = &g->l.coupling;
  const dae_mechanical *m = c->problem->coupled->part[p].mechanical;
  double *K = g->K + c->f->first_D[p];
  if (!m)
    return DAE_OK;
  for (int i = 0; i < m->nq; i++)
    g->accelerations[i] = (dae__output){DAE__OUTPUT_ACCELERATION, i};
  DAE__TRY(dae__augmented_outputs(c->child_problem[p].augmented, g->l.t, g->l.y + c->first_state[p],
                                  c->child[p].scratch_in, m->nq, g->accelerations, g->high, g->A,
                                  err));
  for (int j = 0; j < c->child_problem[p].inputs; j++)
    DAE__TRY(growth_column(g, p, g->A + (size_t)j * (size_t)m->nq,
                           K + (size_t)j * (size_t)c->output_count[p], err));
  return DAE_OK;
}

/* Derivative with respect to W^2, at W = 0, of rho(|D| + W^2/2 |K|), by a forward difference. */
static dae_status growth_slope(growth *g, const dae_env *env, double *out, dae_error *err)
{
  linearisation *l = &g->l;
  dae__interface *f = l->coupling.f;
  int total = f->first_D[f->systems];
  double D = dae__max_abs(total, l->feedthrough), K = dae__max_abs(total, g->K), rho[2];
  *out = 0;
  if (!(K > 0) || f->directs == 0)
    return DAE_OK;
  double s = SLOPE_SHARE * D / K;
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < total; i++)
      g->mixed[i] = fabs(l->feedthrough[i]) + (k ? s : 0) * fabs(g->K[i]);
    DAE__TRY(dae__interface_matrix(f, l->t, g->mixed, l->z, l->G, err));
    DAE__TRY(dae__contraction_radius(env, &l->loop, l->order, &rho[k], NULL, err));
  }
  *out = (rho[1] - rho[0]) / (2 * s);
  return DAE_OK;
}

/* rho with every joint eliminated in its first, or its last, system; infinite where that system
 * cannot eliminate the joint. */
static dae_status report_joints(linearisation *l, const dae_env *env, bool last, double *rho,
                                double *slope, dae_error *err)
{
  report_own_joints(l, last);
  DAE__TRY(dae__contraction_radius(env, &l->loop, l->order, rho, NULL, err));
  if (!isfinite(*rho))
    return DAE_OK;
  growth g = {.l = {.t = l->t, .y = l->y, .dy = l->dy}};
  dae__arena *arena = dae__arena_create(env);
  dae_status status = report_linearise(&g.l, arena, l->coupling.problem,
                                       last ? DAE_WAVE_SPLIT_SECOND : DAE_WAVE_SPLIT_FIRST, err);
  if (!status)
    status = growth_alloc_memory(arena, &g, err);
  for (int p = 0; p < g.l.coupling.systems && !status; p++)
    status = growth_system(&g, p, err);
  if (!status) {
    report_own_joints(&g.l, last);
    status = growth_slope(&g, env, slope, err);
  }
  dae__coupling_free(&g.l.coupling);
  dae__arena_free(arena);
  return status;
}

/* ---- reports ---- */

/* Consistent state near y; y itself where the coupling does not determine the algebraic
 * variables. */
static dae_status report_make_consistent(linearisation *l, dae__arena *arena,
                                         const dae_problem *problem, const double *y,
                                         dae_error *err)
{
  const dae_start start = {.t = l->t, .y = y};
  int size = dae_problem_size(problem);
  double *own = DAE__ALLOC(arena, double, size), *rate = DAE__ALLOC(arena, double, size);
  l->y = own;
  l->dy = rate;
  DAE__TRY(dae__arena_status(arena, err));
  dae_status status =
      dae_consistent_start(problem, &start, dae__arena_env(arena), own, rate, NULL, err);
  if (status != DAE_ERROR_START)
    return status;
  dae__copy(size, y, own);
  dae__zero(size, rate);
  return DAE_OK;
}

dae_status dae__wave_best_order(const dae_problem *problem, double t, const double *y,
                                const double *dy, const dae_env *env, int *order, dae_error *err)
{
  linearisation l = {.t = t, .y = y, .dy = dy};
  double rho;
  dae__arena *arena = dae__arena_create(env);
  dae_status status = report_linearise(&l, arena, problem, DAE_WAVE_SPLIT_OPTIMAL, err);
  if (!status && l.coupling.f->directs > 0) {
    report_own_joints(&l, true);
    status = dae__contraction_order(env, &l.loop, order, &rho, err);
  }
  dae__coupling_free(&l.coupling);
  dae__arena_free(arena);
  return status;
}

static const dae_contraction no_contraction = {.margin = 1,
                                               .on_first = NAN,
                                               .on_second = NAN,
                                               .first_growth = NAN,
                                               .second_growth = NAN,
                                               .observed = NAN,
                                               .last_observed = NAN,
                                               .last_predicted = NAN};

dae_status dae_contraction_at(const dae_problem *problem, double t, const double *y,
                              const dae_env *env, dae_contraction *out, dae_error *err)
{
  linearisation l = {.t = t};
  *out = no_contraction;
  DAE__TRY(dae_problem_validate(problem, err));
  if (!problem->coupled)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "problem", "the problem is one system");
  dae__arena *arena = dae__arena_create(env);
  dae_status status = report_make_consistent(&l, arena, problem, y, err);
  if (!status)
    status = report_linearise(&l, arena, problem, DAE_WAVE_SPLIT_OPTIMAL, err);
  if (!status && l.coupling.f->directs > 0) {
    const dae__interface *f = l.coupling.f;
    const dae_env *own = dae__arena_env(arena);
    size_t used = 0, size = sizeof out->loop;
    if (f->joints > 0)
      status = report_joints(&l, own, false, &out->on_first, &out->first_growth, err);
    if (f->joints > 0 && !status)
      status = report_joints(&l, own, true, &out->on_second, &out->second_growth, err);
    report_own_joints(&l, true);
    if (!status)
      status = dae__contraction_radius(own, &l.loop, l.order, &out->gauss_seidel, l.weight, err);
    if (!status)
      status = dae__contraction_radius(own, &l.loop, NULL, &out->jacobi, NULL, err);
    if (!status)
      status = dae__contraction_margin(own, &l.loop, &out->margin, err);
    if (!status)
      status = dae__contraction_order(own, &l.loop, l.order, &out->best, err);
    for (int i = 0; i < f->directs && used < size; i++)
      if (l.weight[i] >= DAE__LOOP_SHARE)
        used += (size_t)snprintf(out->loop + used, size - used, "%s%s", used ? ", " : "",
                                 f->name[f->unknown_of[i]]);
    dae__order_names(f, l.order, out->order, sizeof out->order);
  }
  dae__coupling_free(&l.coupling);
  dae__arena_free(arena);
  return status;
}

dae_status dae_contraction_of(const dae_integrator *it, dae_contraction *out, dae_error *err)
{
  const dae__integrator_table *table;
  const dae__wave *w = dae__integrator_self(it, &table);
  *out = no_contraction;
  if (table->step != dae__wave_verbs.step)
    return dae__fail(err, DAE_ERROR_USAGE, NULL,
                     "%s does not iterate between systems: there is no contraction", table->method);
  const dae__wave_memory *m = w->m;
  out->gauss_seidel = out->jacobi = out->best = m->rho;
  out->margin = NAN;
  out->observed = m->observed;
  out->most_sweeps = m->most_sweeps;
  out->last_sweeps = m->last_sweeps;
  out->last_observed = m->last_observed;
  out->last_predicted = m->rho_last;
  out->windows = m->stats.steps;
  out->sweeps = m->sweeps;
  dae__wave_loop_names(w, out->loop, sizeof out->loop);
  dae__order_names(w->f, w->order, out->order, sizeof out->order);
  return DAE_OK;
}
