/* The verbs of a dynamic iteration. */
#include "core/error.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include "wave/iteration/wave.h"

static dae_status wave_step(void *self, double t_stop, dae_error *err)
{
  return dae__wave_window(self, t_stop, err);
}

/* what the subsystem of the lowest order allows */
static int wave_lowest_order(const dae__wave *w)
{
  int order = 0;
  for (int p = 0; p < w->coupling.systems; p++) {
    int own = dae_integrator_view(w->coupling.child[p].it).order;
    order = order == 0 || own < order ? own : order;
  }
  return order;
}

static dae_view wave_view(const void *self)
{
  const dae__wave *w = self;
  return (dae_view){.t = w->m->t,
                    .t_previous = w->m->t_previous,
                    .h_next = w->m->window,
                    .order = wave_lowest_order(w),
                    .pieces = w->m->nodes - 1,
                    .size = w->size};
}

static dae_status wave_interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  return dae__wave_state(self, t, y, dy, err);
}

static void wave_interpolate_raw(void *self, double t, double *y)
{
  dae__wave_interpolate_raw(self, t, y);
}

/* A restart failed half-way: all stand again where they stood, as far as memory allows. */
static void wave_go_back(dae__wave *w)
{
  dae__copy(w->f->unknowns, w->end_before, w->start);
  if (dae__wave_load_all(w, NULL))
    return;
  for (int p = 0; p < w->coupling.systems; p++)
    dae__child_reset(&w->coupling.child[p], NULL);
  dae__wave_reset(w);
}

static dae_status wave_restart(void *self, double t, const double *y, dae_error *err)
{
  dae__wave *w = self;
  const dae_start start = {.t = t, .y = y};
  if (w->coupling.systems == 0)
    return dae__fail(err, DAE_ERROR_USAGE, NULL,
                     "subsystems that are not parts of a problem cannot be restarted from here");
  dae_status status =
      dae_consistent_start(w->coupling.problem, &start, w->env, w->y, w->dy, NULL, err);
  DAE__TRY(status);
  dae__copy(w->f->unknowns, w->start, w->end_before);
  status = dae__wave_begin_at(w, t, err);
  if (status)
    wave_go_back(w);
  else
    w->m->stats.restarts++;
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

static dae_status wave_reload(void *self, dae_error *err)
{
  dae__wave *w = self;
  dae_status status = w->motion ? dae__motion_reload(w->motion) : DAE_OK;
  if (!status && w->shown)
    status = dae__motion_reload(w->shown);
  w->given.nodes = w->computed.nodes = w->m->nodes;
  return status ? dae__fail(err, status, NULL, "the factorisation could not be rebuilt")
                : dae__wave_load_all(w, err);
}

void dae__wave_release(dae__wave *w)
{
  dae__coupling_free(&w->coupling);
  dae__motion_free(w->motion);
  dae__motion_free(w->shown);
  dae__solver_free(w->solver);
  dae__workers_free(w->workers);
}

static void wave_release(void *self)
{
  dae__wave_release(self);
}

const dae__integrator_table dae__wave_verbs = {.step = wave_step,
                                               .view = wave_view,
                                               .interpolate = wave_interpolate,
                                               .interpolate_raw = wave_interpolate_raw,
                                               .restart = wave_restart,
                                               .stats = wave_stats,
                                               .reload = wave_reload,
                                               .free = wave_release};

/* ---- iteration/project_joints.c ---- */
/* Coupled states out of those of the children. The children keep their own constraints; joints are
 * kept at the level of accelerations, from where positions and velocities drift off by the
 * tolerance. States that leave the integrator are therefore projected onto all constraints by the
 * assembly of the parts, and at the end of a window the children go on from there. */

dae_status dae__wave_project_create(dae__wave *w, dae__arena *arena, dae_error *err)
{
  const dae_problem *problem = w->coupling.problem;
  w->assembled = DAE__ALLOC(arena, double, w->size);
  w->assembled_rate = DAE__ALLOC(arena, double, w->size);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  if (w->coupling.systems == 0 || problem->coupled->joints == 0)
    return DAE_OK;
  DAE__TRY(dae__assembly_create(arena, problem, &w->assembly, err));
  DAE__TRY(dae__mech_create(arena, dae__assembly_problem(w->assembly), &w->mech, err));
  DAE__TRY(dae__motion_create(arena, w->mech, &w->motion, err));
  return dae__motion_create_another(arena, w->motion, &w->shown, err);
}

/* the multipliers of joints at t, on the grid of the last window */
static void joints_multipliers_at(const dae__wave *w, double t, double *lambda)
{
  dae_waveform all = w->computed;
  all.nodes = w->m->nodes;
  dae_waveform_at(&all, DAE_INTERPOLATION_LINEAR, t, w->z);
  dae__coupling_multipliers(&w->coupling, w->z, lambda);
}

static void joints_raw_state(const dae__wave *w, double t, double *y, double *dy)
{
  const dae__coupling *c = &w->coupling;
  for (int p = 0; p < c->systems; p++)
    dae__child_state(&c->child[p], t, y + c->first_state[p], dy ? dy + c->first_state[p] : NULL);
  if (dy)
    dae__zero(w->size - c->first_state[c->systems], dy + c->first_state[c->systems]);
  joints_multipliers_at(w, t, y + c->first_state[c->systems]);
}

/* y onto all constraints, with multipliers and accelerations */
static dae_status joints_project(dae__wave *w, dae__motion *motion, double t, double *y, double *dy,
                                 bool *moved, dae_error *err)
{
  double *a = w->assembled, *rate = w->assembled_rate;
  dae__assembly_gather(w->assembly, y, a);
  dae_status status = DAE_OK;
  if (w->opts.project)
    status = dae__motion_project(motion, t, a, a + w->mech->at.v, moved, err);
  if (!status && dy)
    dae__assembly_gather(w->assembly, dy, rate);
  if (!status)
    status = dae__motion_accelerate(motion, t, a, dy ? rate : NULL, err);
  DAE__TRY(status);
  dae__assembly_scatter(w->assembly, a, y);
  if (dy)
    dae__assembly_scatter(w->assembly, rate, dy);
  return DAE_OK;
}

static void joints_outputs_at(dae__wave *w, double t, double *y, double *dy)
{
  dae_waveform all = w->computed;
  all.nodes = w->m->nodes;
  dae_waveform_at(&all, DAE_INTERPOLATION_HERMITE, t, y);
  if (dy)
    dae__zero(w->size, dy);
}

dae_status dae__wave_state(dae__wave *w, double t, double *y, double *dy, dae_error *err)
{
  if (w->coupling.systems == 0) {
    joints_outputs_at(w, t, y, dy);
    return DAE_OK;
  }
  joints_raw_state(w, t, y, dy);
  if (!w->assembly)
    return DAE_OK;
  w->shown->memory->factored = false; /* a row does not depend on those before it */
  return joints_project(w, w->shown, t, y, dy, NULL, err);
}

void dae__wave_interpolate_raw(const dae__wave *w, double t, double *y)
{
  dae_waveform all = w->computed;
  all.nodes = w->m->nodes;
  if (w->coupling.systems > 0)
    joints_raw_state(w, t, y, NULL);
  else
    dae_waveform_at(&all, DAE_INTERPOLATION_HERMITE, t, y);
}

dae_status dae__wave_project_joints(dae__wave *w, dae_error *err)
{
  const dae__coupling *c = &w->coupling;
  bool moved = false;
  if (!w->assembly || !w->opts.project)
    return DAE_OK;
  joints_raw_state(w, w->m->t, w->y, w->dy);
  dae_status status = joints_project(w, w->motion, w->m->t, w->y, w->dy, &moved, err);
  for (int p = 0; p < c->systems && !status && moved; p++)
    status = dae__child_adjust(&c->child[p], w->y + c->first_state[p], err);
  return status;
}
