/* A semi-explicit problem of index 1 for the classical methods. Where M is singular, slopes of x
 * are not to be had at a point: radau-iia does without. */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/host/adapter.h"
#include "onestep/host/slopes.h"
#include "problem/consistent.h"

typedef struct adapter {
  dae__semi *s;
  dae__rk_needs needs;
  dae__rk_slopes slopes[2]; /* of the motion, of what is shown */
} adapter;

/* ---- starting ---- */

static dae_status onestep_semi_refuse_index(const adapter *o, int index, dae_error *err)
{
  return dae__fail(err, DAE_ERROR_UNSUPPORTED, o->needs.method,
                   "%s takes semi-explicit problems of index %s, and this one is of index %d: use "
                   "%s",
                   o->needs.method, o->needs.index == 1 ? "1" : "1 and 2", index,
                   index == 2 ? "radau, bdf or lie, or differentiate its constraints once"
                              : "the mechanical form, or differentiate its constraints");
}

static dae_status onestep_semi_consistent(void *self, double t, const bool *fixed, double *z,
                                          double *dz, dae_error *err)
{
  adapter *o = self;
  dae_diagnosis find = {0};
  o->s->classified = false; /* an event may have switched equations */
  dae_status status = dae__semi_consistent(o->s, t, fixed, z, dz, &find, err);
  if ((!status || status == DAE_ERROR_START) && find.index > o->needs.index)
    return onestep_semi_refuse_index(o, find.index, err);
  if (!status)
    for (int i = 0; i < 2; i++)
      dae__rk_slopes_forget(&o->slopes[i]);
  return status;
}

/* ---- the other verbs ---- */

static dae_status onestep_semi_slopes(void *self, bool shown, double t, double *z, double *dz,
                                      dae_error *err)
{
  return dae__rk_slopes_solve(&((adapter *)self)->slopes[shown], t, z, dz, err);
}

static dae_status onestep_semi_inputs(void *self, double t, const double **in, dae_error *err)
{
  adapter *o = self;
  *in = o->s->in;
  return dae__semi_inputs(o->s, t, err);
}

static void onestep_semi_count(const void *self, dae_stats *stats)
{
  const adapter *o = self;
  stats->evaluations += *o->s->evaluations;
  for (int i = 0; i < 2; i++) {
    stats->iterations += o->slopes[i].memory->iterations;
    stats->jacobians += o->slopes[i].memory->jacobians;
    stats->factorisations += o->slopes[i].memory->factorisations;
  }
}

static dae_status onestep_semi_reload(void *self, dae_error *err)
{
  adapter *o = self;
  dae_status status = dae__rk_slopes_reload(&o->slopes[0]);
  if (!status)
    status = dae__rk_slopes_reload(&o->slopes[1]);
  return status ? dae__fail(err, status, NULL, "the factorisation could not be rebuilt") : DAE_OK;
}

static void onestep_semi_release(void *self)
{
  adapter *o = self;
  for (int i = 0; i < 2; i++)
    dae__rk_slopes_free(&o->slopes[i]);
}

static const dae__rk_adapter_table onestep_semi_verbs = {.consistent = onestep_semi_consistent,
                                                         .slopes = onestep_semi_slopes,
                                                         .inputs = onestep_semi_inputs,
                                                         .count = onestep_semi_count,
                                                         .reload = onestep_semi_reload,
                                                         .free = onestep_semi_release};

dae_status dae__rk_adapter_semi(dae__arena *arena, const dae_problem *problem,
                                const dae__rk_needs *needs, const dae_rk_options *opts,
                                dae__rk_adapter *out, dae_error *err)
{
  adapter *o = DAE__ALLOC(arena, adapter, 1);
  if (!o)
    return dae__out_of_memory(err);
  o->needs = *needs;
  dae_status status = dae__semi_create(arena, problem, &o->s, err);
  for (int i = 0; i < 2 && !status; i++)
    status = dae__rk_slopes_create(arena, o->s, opts, &o->slopes[i], err);
  if (status) {
    onestep_semi_release(o);
    return status;
  }
  *out = (dae__rk_adapter){.table = &onestep_semi_verbs,
                           .self = o,
                           .problem = problem,
                           .nx = o->s->nx,
                           .size = o->s->n,
                           .nin = problem->input ? o->s->p->nin : 0,
                           .s = o->s};
  return DAE_OK;
}
