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
  for (int p = 0; p < w->coupling.parts; p++) {
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
  for (int p = 0; p < w->coupling.parts; p++)
    dae__child_reset(&w->coupling.child[p], NULL);
  dae__wave_reset(w);
}

static dae_status wave_restart(void *self, double t, const double *y, dae_error *err)
{
  dae__wave *w = self;
  const dae_start start = {.t = t, .y = y};
  if (w->coupling.parts == 0)
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
  for (int p = 0; p < w->coupling.parts; p++) {
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
