/* Integrator interface (verbs) of a dynamic iteration, and its coupled states.
 *
 * The children satisfy their own constraints; joints are enforced at the level of accelerations,
 * so that positions and velocities drift off by the tolerance. Coupled states are therefore
 * projected onto all constraints by the assembly of the systems, and the children start the next
 * window from the projected state. */
#include "core/error.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include "wave/iteration/wave.h"

/* ---- projection onto the joints ---- */

dae_status dae__wave_project_create(dae__wave *w, dae__arena *arena, dae_error *err)
{
  const dae_problem *problem = w->problem;
  DAE__VECTORS(arena, w->size, &w->assembled, &w->assembled_rate);
  DAE__TRY(dae__arena_status(arena, err));
  if (!problem || problem->coupled->joints == 0)
    return DAE_OK;
  DAE__TRY(dae__assembly_create(arena, problem, &w->assembly, err));
  DAE__TRY(dae__mech_create(arena, dae__assembly_problem(w->assembly), &w->mech, err));
  DAE__TRY(dae__motion_create(arena, w->mech, &w->motion, err));
  return dae__motion_create_second(arena, w->motion, &w->output_motion, err);
}

/* Unprojected coupled state at t: states of the children, and multipliers of joints by linear
 * interpolation; for user subsystems their outputs. */
static void wave_raw_state(const dae__wave *w, double t, double *y, double *dy)
{
  const dae__coupling *c = &w->coupling;
  dae_waveform all = w->computed;
  all.nodes = w->m->nodes;
  if (c->systems == 0) {
    dae_waveform_at(&all, DAE_INTERPOLATION_HERMITE, t, y);
    if (dy)
      dae__zero(w->size, dy);
    return;
  }
  for (int p = 0; p < c->systems; p++)
    dae__child_state(&c->child[p], t, y + c->first_state[p], dy ? dy + c->first_state[p] : NULL);
  if (dy)
    dae__zero(w->size - c->first_state[c->systems], dy + c->first_state[c->systems]);
  dae_waveform_at(&all, DAE_INTERPOLATION_LINEAR, t, w->z);
  const dae_coupled *p = w->problem->coupled;
  for (int j = 0, kept = 0, n = c->first_state[c->systems]; j < p->joints; j++) {
    bool own = !w->kept || w->kept[j];
    for (int i = 0; i < p->joint[j].ng; i++, n++)
      y[n] = own ? w->z[dae__coupling_multiplier(c, kept, i)] : 0;
    kept += own;
  }
}

dae_status dae__wave_iterated_start(dae__wave *w, double t, dae_error *err)
{
  const dae_coupled *p = w->problem->coupled;
  if (!w->kept)
    return DAE_OK;
  int from = w->size, to;
  for (int j = 0; j < p->joints; j++)
    from -= p->joint[j].ng;
  dae__copy(from, w->y, w->y_iter);
  to = from;
  for (int j = 0; j < p->joints; j++)
    for (int i = 0; i < p->joint[j].ng; i++, from++)
      if (w->kept[j])
        w->y_iter[to++] = w->y[from];
  const dae_start start = {.t = t, .y = w->y_iter};
  return dae_consistent_start(&w->reduced, &start, w->env, w->y_iter, w->dy_iter, NULL, err);
}

/* Projects y onto all constraints and computes multipliers and accelerations. */
static dae_status wave_project(dae__wave *w, dae__motion *motion, double t, double *y, double *dy,
                               bool *moved, dae_error *err)
{
  double *a = w->assembled, *rate = w->assembled_rate;
  dae__assembly_gather(w->assembly, y, a);
  if (w->opts.project)
    DAE__TRY(dae__motion_project(motion, t, a, a + w->mech->at.v, moved, err));
  if (dy)
    dae__assembly_gather(w->assembly, dy, rate);
  DAE__TRY(dae__motion_accelerate(motion, t, a, dy ? rate : NULL, err));
  dae__assembly_scatter(w->assembly, a, y);
  if (dy)
    dae__assembly_scatter(w->assembly, rate, dy);
  return DAE_OK;
}

dae_status dae__wave_project_joints(dae__wave *w, dae_error *err)
{
  const dae__coupling *c = &w->coupling;
  bool moved = false;
  if (!w->assembly || !w->opts.project)
    return DAE_OK;
  wave_raw_state(w, w->m->t, w->y, w->dy);
  DAE__TRY(wave_project(w, w->motion, w->m->t, w->y, w->dy, &moved, err));
  for (int p = 0; p < c->systems && moved; p++)
    DAE__TRY(dae__child_adjust(&c->child[p], w->y + c->first_state[p], err));
  return DAE_OK;
}

/* ---- verbs ---- */

static dae_view wave_view(const void *self)
{
  const dae__wave *w = self;
  int order = 0; /* lowest order among the children */
  for (int p = 0; p < w->coupling.systems; p++) {
    int own = dae_integrator_view(w->coupling.child[p].it).order;
    order = order == 0 || own < order ? own : order;
  }
  return (dae_view){.t = w->m->t,
                    .t_previous = w->m->t_previous,
                    .h_next = w->m->window,
                    .order = order,
                    .pieces = w->m->nodes - 1,
                    .size = w->size};
}

static dae_status wave_interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  dae__wave *w = self;
  wave_raw_state(w, t, y, dy);
  if (!w->assembly)
    return DAE_OK;
  w->output_motion->memory->factored = false; /* no factors of earlier output are reused */
  return wave_project(w, w->output_motion, t, y, dy, NULL, err);
}

static void wave_interpolate_raw(void *self, double t, double *y, double *dy)
{
  wave_raw_state(self, t, y, dy);
}

static dae_status wave_restart(void *self, double t, const double *y, dae_error *err)
{
  dae__wave *w = self;
  const dae_start start = {.t = t, .y = y};
  if (w->coupling.systems == 0)
    return dae__fail(err, DAE_ERROR_USAGE, NULL,
                     "an iteration between user subsystems cannot restart them: create it anew");
  DAE__TRY(dae_consistent_start(w->problem, &start, w->env, w->y, w->dy, NULL, err));
  DAE__TRY(dae__wave_iterated_start(w, t, err));
  dae__copy(w->f->unknowns, w->start, w->previous_end);
  dae__coupling_unknowns(&w->coupling, w->y_iter, w->dy_iter, w->start);
  dae_status status = dae__coupling_restart(&w->coupling, t, w->y, w->start, err);
  if (!status)
    status = dae__wave_reset_at(w, t, err);
  if (!status) {
    w->m->stats.restarts++;
    return DAE_OK;
  }
  dae__copy(w->f->unknowns, w->previous_end, w->start); /* return to the end of the last window */
  dae__wave_return(w, NULL);
  return status;
}

static dae_stats wave_stats(const void *self)
{
  const dae__wave *w = self;
  dae_stats s = w->m->stats;
  s.sweeps = w->m->sweeps;
  for (int p = 0; p < w->coupling.systems; p++) {
    dae_stats own = *w->coupling.child[p].work;
    own.inner_steps = own.steps;
    own.steps = own.sweeps = own.restarts = 0;
#define ADD(name, text) s.name += own.name;
    DAE_STATS_LIST(ADD)
#undef ADD
  }
  return s;
}

/* Counts of steps are those of the systems, without sweeps that were repeated. */
static dae_limits wave_limits(const void *self, int i)
{
  const dae__wave *w = self;
  const dae__coupling *c = &w->coupling;
  dae_limits out = w->limits.m->count[i];
  for (int p = 0; p < c->systems; p++) {
    int own = i - c->first_state[p];
    if (own < 0 || own >= c->child[p].size)
      continue;
    dae_limits inner =
        dae_integrator_limits(c->child[p].it, c->child[p].entry ? c->child[p].entry[own] : own);
    out.steps = inner.steps;
    out.rejected = inner.rejected;
  }
  return out;
}

static dae_status wave_reload(void *self, dae_error *err)
{
  dae__wave *w = self;
  w->given.nodes = w->computed.nodes = w->m->nodes;
  return dae__wave_save_all(w, false, err);
}

void dae__wave_release(void *self)
{
  dae__wave *w = self;
  dae__coupling_free(&w->coupling);
  dae__motion_free(w->motion);
  dae__motion_free(w->output_motion);
  dae__solver_free(w->solver);
  dae__workers_free(w->workers);
}

const dae__integrator_table dae__wave_verbs = {.step = dae__wave_window,
                                               .view = wave_view,
                                               .interpolate = wave_interpolate,
                                               .interpolate_raw = wave_interpolate_raw,
                                               .restart = wave_restart,
                                               .stats = wave_stats,
                                               .limits = wave_limits,
                                               .reload = wave_reload,
                                               .free = dae__wave_release};
