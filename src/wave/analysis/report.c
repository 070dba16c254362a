/* The contraction report: what the derivatives say before a run, and what a run has seen. */
#include "core/error.h"
#include "core/vec.h"
#include "wave/analysis/growth.h"
#include "wave/iteration/wave.h"

#include <stdio.h>

#define LOOP_SHARE 0.2 /* variables that make up a loop: this much of the largest in its mode */

/* A coupled problem at one state, linearised. */
typedef struct look {
  dae__coupling coupling;
  const double *y, *dy;
  double *z, *gains, *G, *weight;
  int *order, *owner;
  dae__loop loop;
} look;

/* at o->y and o->dy, which are consistent */
static dae_status report_linearise(look *o, dae__arena *arena, const dae_problem *problem, double t,
                                   dae_error *err)
{
  dae__coupling_recipe recipe = {.problem = problem, .t = t, .y = o->y, .dy = o->dy};
  DAE__TRY(dae__coupling_create(arena, &recipe, &o->coupling, err));
  dae__interface *f = o->coupling.f;
  o->z = DAE__ALLOC(arena, double, f->unknowns);
  o->gains = DAE__ALLOC(arena, double, f->first_gain[f->systems]);
  o->G = DAE__ALLOC(arena, double, f->G.start[f->directs]);
  o->weight = DAE__ALLOC(arena, double, f->directs);
  o->order = DAE__ALLOC(arena, int, f->systems);
  o->owner = DAE__ALLOC(arena, int, f->directs);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae__coupling_unknowns(&o->coupling, o->y, o->dy, o->z);
  dae_status status = dae__coupling_gains(&o->coupling, t, o->y, o->z, o->gains, err);
  return status ? status : dae__interface_matrix(f, t, o->gains, o->z, o->G, err);
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

/* joints carried by one of their systems; a system that cannot carry them is no failure */
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

dae_status dae__report_order(const dae_problem *problem, double t, const double *y,
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
  out->last_predicted = m->rho_here;
  out->windows = m->stats.steps;
  out->sweeps = m->sweeps;
  dae__wave_loop_names(w, out->loop, sizeof out->loop);
  dae__order_names(w->f, w->order, out->order, sizeof out->order);
  return DAE_OK;
}
