/* The contraction report: what the derivatives say before a run, and what a run has seen. */
#include "core/error.h"
#include "core/vec.h"
#include "wave/iteration/wave.h"

#include <stdio.h>

/* A consistent state of a coupled problem with joints, which their last systems eliminate, or the
 * first. */
typedef struct dae__growth_at {
  const dae_problem *problem;
  bool last;
  double t;
  const double *y, *dy;
} dae__growth_at;
static dae_status dae__joint_growth(const dae__growth_at *at, const dae_env *env, double *growth,
                                    dae_error *err);

#define LOOP_SHARE 0.2 /* variables that make up a loop: this much of the largest in its mode */

/* A coupled problem at one state, linearised. */
typedef struct look {
  dae__coupling coupling;
  const double *y, *dy;
  double *z, *feedthrough, *G, *weight;
  int *order, *owner;
  dae__loop loop;
} look;

/* at o->y and o->dy, which are consistent */
static dae_status report_linearise(look *o, dae__arena *arena, const dae_problem *problem, double t,
                                   dae_error *err)
{
  dae__coupling_setup setup = {.problem = problem, .t = t, .y = o->y, .dy = o->dy};
  DAE__TRY(dae__coupling_create(arena, &setup, &o->coupling, err));
  dae__interface *f = o->coupling.f;
  o->z = DAE__ALLOC(arena, double, f->unknowns);
  o->feedthrough = DAE__ALLOC(arena, double, f->first_D[f->systems]);
  o->G = DAE__ALLOC(arena, double, f->G.start[f->directs]);
  o->weight = DAE__ALLOC(arena, double, f->directs);
  o->order = DAE__ALLOC(arena, int, f->systems);
  o->owner = DAE__ALLOC(arena, int, f->directs);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae__coupling_unknowns(&o->coupling, o->y, o->dy, o->z);
  dae_status status = dae__coupling_feedthrough(&o->coupling, t, o->y, o->z, o->feedthrough, err);
  return status ? status : dae__interface_matrix(f, t, o->feedthrough, o->z, o->G, err);
}

/* The multipliers of joints belong to their first, or to their last system. */
static void report_take_side(look *o, bool last)
{
  dae__interface *f = o->coupling.f;
  for (int i = 0; i < f->directs; i++)
    o->owner[i] = f->owner[f->unknown_of[i]];
  for (int j = 0; j < f->joints; j++)
    for (int i = 0; i < f->joint[j].ng; i++)
      o->owner[f->direct_of[f->joint[j].first + i]] =
          f->joint[j].part[last ? f->joint[j].nz - 1 : 0];
  o->loop = (dae__loop){f->systems, o->owner, &f->G, o->G};
  for (int i = 0; i < f->systems; i++)
    o->order[i] = i;
}

static void report_name_loop(const look *o, char *text, size_t size)
{
  const dae__interface *f = o->coupling.f;
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < f->directs && used < size; i++)
    if (o->weight[i] >= LOOP_SHARE)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                               f->name[f->unknown_of[i]]);
}

/* joints eliminated by one of their systems; a system that cannot carry them is no failure */
static dae_status report_one_side(look *o, const dae_env *env, double t, bool last, double *rho,
                                  double *growth, dae_error *err)
{
  dae__growth_at at = {o->coupling.problem, last, t, o->y, o->dy};
  report_take_side(o, last);
  dae_status status = dae__contraction_radius(env, &o->loop, o->order, rho, err);
  if (status || !isfinite(*rho))
    return status;
  return dae__joint_growth(&at, env, growth, err);
}

static dae_status report_joints(look *o, const dae_env *env, double t, dae_contraction *out,
                                dae_error *err)
{
  if (o->coupling.f->joints == 0)
    return DAE_OK;
  dae_status status = report_one_side(o, env, t, false, &out->on_first, &out->first_growth, err);
  return status ? status
                : report_one_side(o, env, t, true, &out->on_second, &out->second_growth, err);
}

static dae_status report_examine(look *o, const dae_env *env, double t, dae_contraction *out,
                                 dae_error *err)
{
  const dae__loop *loop = &o->loop;
  dae_status status = report_joints(o, env, t, out, err);
  report_take_side(o, true);
  if (!status)
    status = dae__contraction_radius(env, loop, o->order, &out->gauss_seidel, err);
  if (!status)
    status = dae__contraction_radius(env, loop, NULL, &out->jacobi, err);
  if (!status)
    status = dae__contraction_margin(env, loop, &out->margin, err);
  if (!status)
    status = dae__contraction_mode(env, loop, o->order, o->weight, err);
  if (!status)
    status = dae__contraction_order(env, &o->loop, o->order, &out->best, err);
  return status;
}

static dae_contraction report_nothing(void)
{
  return (dae_contraction){.margin = 1,
                           .on_first = NAN,
                           .on_second = NAN,
                           .first_growth = NAN,
                           .second_growth = NAN,
                           .observed = NAN,
                           .last_observed = NAN,
                           .last_predicted = NAN};
}

static dae_status report_make_consistent(look *o, dae__arena *arena, const dae_problem *problem,
                                         double t, const double *y, dae_error *err)
{
  const dae_start start = {.t = t, .y = y};
  double *own = DAE__ALLOC(arena, double, dae_problem_size(problem));
  double *rate = DAE__ALLOC(arena, double, dae_problem_size(problem));
  o->y = own;
  o->dy = rate;
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae_status status =
      dae_consistent_start(problem, &start, dae__arena_env(arena), own, rate, NULL, err);
  if (status != DAE_ERROR_START)
    return status;
  /* a loop that does not determine its variables is looked at where it is */
  dae__copy(dae_problem_size(problem), y, own);
  dae__zero(dae_problem_size(problem), rate);
  return DAE_OK;
}

dae_status dae__wave_best_order(const dae_problem *problem, double t, const double *y,
                                const double *dy, const dae_env *env, int *order, dae_error *err)
{
  look o = {.y = y, .dy = dy};
  double rho;
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return dae__out_of_memory(err);
  dae_status status = report_linearise(&o, arena, problem, t, err);
  if (!status && o.coupling.f->directs > 0) {
    report_take_side(&o, true);
    status = dae__contraction_order(env, &o.loop, order, &rho, err);
  }
  dae__coupling_free(&o.coupling);
  dae__arena_free(arena);
  return status;
}

dae_status dae_contraction_at(const dae_problem *problem, double t, const double *y,
                              const dae_env *env, dae_contraction *out, dae_error *err)
{
  look o = {0};
  *out = report_nothing();
  DAE__TRY(dae_problem_validate(problem, err));
  if (!problem->coupled)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "problem", "the problem is one system");
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return dae__out_of_memory(err);
  dae_status status = report_make_consistent(&o, arena, problem, t, y, err);
  if (!status)
    status = report_linearise(&o, arena, problem, t, err);
  if (!status && o.coupling.f->directs > 0) {
    status = report_examine(&o, dae__arena_env(arena), t, out, err);
    report_name_loop(&o, out->loop, sizeof out->loop);
    dae__order_names(o.coupling.f, o.order, out->order, sizeof out->order);
  }
  dae__coupling_free(&o.coupling);
  dae__arena_free(arena);
  return status;
}

dae_status dae_contraction_of(const dae_integrator *it, dae_contraction *out, dae_error *err)
{
  const dae__integrator_table *table;
  const dae__wave *w = dae__integrator_self(it, &table);
  *out = report_nothing();
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

/* ---- analysis/growth.c ---- */
/* What the length of a window adds to the contraction of a joint iteration, gamma in [WHM11 (54)].
 *
 * A change of an input moves the accelerations of a part by A at once, and so its coordinates by
 * A W^2/2 at the end of a window of length W, to which its outputs answer by
 *
 *   K = d(outputs)/dq A.
 *
 * A sweep with the gains |D| + W^2/2 |K| in the place of D contracts by rho + growth W^2 + ...;
 * [WHM11]'s model has 4/11 + (E + F/16) W^2 with E = 13/121, F = 4/11. */
#include "wave/analysis/contraction.h"

#define STEP 6e-6  /* of central differences: the third root of the unit round-off */
#define SMALL 1e-6 /* |K| W^2/2 relative to |D|, from which the slope is taken */

typedef struct growth {
  dae__coupling coupling;
  const double *y;
  double *z, *D, *K, *mixed, *G; /* gains of all parts, and what is made of them */
  double *A;                     /* accelerations of one part for its inputs */
  double *moved, *high, *low;    /* its state, and its outputs there */
  dae__output *accelerations;
  int *order, *owner;
} growth;

/* ---- K ---- */

static dae_status growth_answer(growth *g, double t, int p, const double *y, double *value,
                                double *D, dae_error *err)
{
  dae__coupling *c = &g->coupling;
  return dae__augmented_outputs(c->child_problem[p].member, t, y, c->child[p].scratch_in,
                                c->output_count[p], c->outputs[p], value, D, err);
}

/* column of K for one input: central difference along its accelerations */
static dae_status growth_find_column(growth *g, double t, int p, const double *A, double *K,
                                     dae_error *err)
{
  const dae__coupling *c = &g->coupling;
  const double *y = g->y + c->first_state[p];
  int nq = c->problem->coupled->part[p].mechanical->nq;
  int size = c->first_state[p + 1] - c->first_state[p], count = c->output_count[p];
  double speed = dae__max_abs(nq, A), reach = STEP * (1 + dae__max_abs(nq, y));
  dae__zero(count, K);
  if (!(speed > 0))
    return DAE_OK;
  dae_status status = DAE_OK;
  for (int side = 1; side >= -1 && !status; side -= 2) {
    dae__copy(size, y, g->moved);
    dae__axpy(nq, side * reach / speed, A, g->moved);
    status = growth_answer(g, t, p, g->moved, side > 0 ? g->high : g->low, NULL, err);
  }
  for (int i = 0; i < count && !status; i++)
    K[i] = c->outputs[p][i].kind == DAE__OUTPUT_VARIABLE
               ? 0
               : (g->high[i] - g->low[i]) * speed / (2 * reach);
  return status;
}

static dae_status growth_find_part(growth *g, double t, int p, dae_error *err)
{
  dae__coupling *c = &g->coupling;
  const dae_mechanical *m = c->problem->coupled->part[p].mechanical;
  int count = c->output_count[p], inputs = c->child_problem[p].inputs, first = c->f->first_D[p];
  const double *y = g->y + c->first_state[p];
  dae__interface_inputs(c->f, p, g->z, c->child[p].scratch_in);
  dae_status status = growth_answer(g, t, p, y, g->high, g->D + first, err);
  dae__zero(count * inputs, g->K + first);
  if (status || !m)
    return status;
  for (int i = 0; i < m->nq; i++)
    g->accelerations[i] = (dae__output){DAE__OUTPUT_ACCELERATION, i};
  status = dae__augmented_outputs(c->child_problem[p].member, t, y, c->child[p].scratch_in, m->nq,
                                  g->accelerations, g->high, g->A, err);
  for (int j = 0; j < inputs && !status; j++)
    status = growth_find_column(g, t, p, g->A + (size_t)j * (size_t)m->nq,
                                g->K + first + (size_t)j * (size_t)count, err);
  return status;
}

/* ---- memory ---- */

static dae_status growth_alloc_memory(dae__arena *arena, growth *g, dae_error *err)
{
  const dae__coupling *c = &g->coupling;
  const dae__interface *f = c->f;
  int total = f->first_D[f->systems], most = 0, inputs = 0, outputs = 0;
  for (int p = 0; p < c->systems; p++) {
    int size = c->first_state[p + 1] - c->first_state[p];
    most = size > most ? size : most;
    inputs = c->child_problem[p].inputs > inputs ? c->child_problem[p].inputs : inputs;
    outputs = c->output_count[p] > outputs ? c->output_count[p] : outputs;
  }
  outputs = outputs > most ? outputs : most; /* accelerations of all coordinates are asked for */
  g->z = DAE__ALLOC(arena, double, f->unknowns);
  g->D = DAE__ALLOC(arena, double, total);
  g->K = DAE__ALLOC(arena, double, total);
  g->mixed = DAE__ALLOC(arena, double, total);
  g->G = DAE__ALLOC(arena, double, f->G.start[f->directs]);
  g->A = DAE__ALLOC(arena, double, (size_t)most *(size_t)inputs);
  g->moved = DAE__ALLOC(arena, double, most);
  g->high = DAE__ALLOC(arena, double, outputs);
  g->low = DAE__ALLOC(arena, double, outputs);
  g->accelerations = DAE__ALLOC(arena, dae__output, most);
  g->order = DAE__ALLOC(arena, int, f->systems);
  g->owner = DAE__ALLOC(arena, int, f->directs);
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

/* ---- the slope ---- */

/* rho with the gains |D| + s |K| */
static dae_status growth_radius(growth *g, const dae_env *env, double t, double s, double *rho,
                                dae_error *err)
{
  dae__interface *f = g->coupling.f;
  for (int i = 0; i < f->first_D[f->systems]; i++)
    g->mixed[i] = fabs(g->D[i]) + s * fabs(g->K[i]);
  dae_status status = dae__interface_matrix(f, t, g->mixed, g->z, g->G, err);
  dae__loop loop = {f->systems, g->owner, &f->G, g->G};
  return status ? status : dae__contraction_radius(env, &loop, g->order, rho, err);
}

static dae_status growth_slope(growth *g, const dae_env *env, double t, double *out, dae_error *err)
{
  dae__interface *f = g->coupling.f;
  int total = f->first_D[f->systems];
  double D = dae__max_abs(total, g->D), K = dae__max_abs(total, g->K), rho[2];
  *out = 0;
  if (!(K > 0) || f->directs == 0)
    return DAE_OK;
  double s = SMALL * D / K;
  dae_status status = growth_radius(g, env, t, 0, &rho[0], err);
  if (!status)
    status = growth_radius(g, env, t, s, &rho[1], err);
  if (!status)
    *out = (rho[1] - rho[0]) / (2 * s); /* s = W^2/2 */
  return status;
}

static dae_status dae__joint_growth(const dae__growth_at *at, const dae_env *env, double *out,
                                    dae_error *err)
{
  growth g = {.y = at->y};
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return dae__out_of_memory(err);
  dae__coupling_setup setup = {.problem = at->problem,
                               .splitting = at->last ? DAE_WAVE_SPLIT_SECOND : DAE_WAVE_SPLIT_FIRST,
                               .t = at->t,
                               .y = at->y,
                               .dy = at->dy};
  dae_status status = dae__coupling_create(arena, &setup, &g.coupling, err);
  if (!status)
    status = growth_alloc_memory(arena, &g, err);
  if (!status)
    dae__coupling_unknowns(&g.coupling, at->y, at->dy, g.z);
  for (int p = 0; p < g.coupling.systems && !status; p++)
    status = growth_find_part(&g, at->t, p, err);
  for (int i = 0; !status && i < g.coupling.systems; i++)
    g.order[i] = i;
  for (int i = 0; !status && i < g.coupling.f->directs; i++)
    g.owner[i] = g.coupling.f->owner[g.coupling.f->unknown_of[i]];
  if (!status)
    status = growth_slope(&g, env, at->t, out, err);
  dae__coupling_free(&g.coupling);
  dae__arena_free(arena);
  return status;
}
