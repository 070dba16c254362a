/* Coupled states out of those of the children. The children keep their own constraints; joints are
 * kept at the level of accelerations, from where positions and velocities drift off by the
 * tolerance. States that leave the integrator are therefore projected onto all constraints by the
 * assembly of the parts, and at the end of a window the children go on from there. */
#include "core/error.h"
#include "core/vec.h"
#include "wave/iteration/wave.h"

dae_status dae__wave_project_create(dae__wave *w, dae__arena *arena, dae_error *err)
{
  const dae_problem *problem = w->coupling.problem;
  w->assembled = DAE__ALLOC(arena, double, w->size);
  w->assembled_rate = DAE__ALLOC(arena, double, w->size);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  if (w->coupling.parts == 0 || problem->coupled->joints == 0)
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
  for (int p = 0; p < c->parts; p++)
    dae__child_state(&c->child[p], t, y + c->first_state[p], dy ? dy + c->first_state[p] : NULL);
  if (dy)
    dae__zero(w->size - c->first_state[c->parts], dy + c->first_state[c->parts]);
  joints_multipliers_at(w, t, y + c->first_state[c->parts]);
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
  if (w->coupling.parts == 0) {
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
  if (w->coupling.parts > 0)
    joints_raw_state(w, t, y, NULL);
  else
    dae_waveform_at(&all, DAE_INTERPOLATION_HERMITE, t, y);
}

dae_status dae__wave_settle(dae__wave *w, dae_error *err)
{
  const dae__coupling *c = &w->coupling;
  bool moved = false;
  if (!w->assembly || !w->opts.project)
    return DAE_OK;
  joints_raw_state(w, w->m->t, w->y, w->dy);
  dae_status status = joints_project(w, w->motion, w->m->t, w->y, w->dy, &moved, err);
  for (int p = 0; p < c->parts && !status && moved; p++)
    status = dae__child_adjust(&c->child[p], w->y + c->first_state[p], err);
  return status;
}
