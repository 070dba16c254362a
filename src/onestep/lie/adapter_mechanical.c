/* Adapter of a mechanical problem: x = (q, v, u) and y = (w, lambda, psi, mu), with the constraints
 * satisfied at the end of each step. y and x' at a point follow from the saddle system of the
 * mechanical problem. */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/lie/adapter.h"
#include "problem/consistent.h"
#include "problem/mechanical/algebraic.h"
#include "problem/mechanical/view.h"

typedef struct adapter {
  dae_problem view;
  dae__semi *s;
  dae__mech *m;
  dae__motion *motion, *output; /* projection and accelerations: of the steps, of dense output */
  dae__algebraic *algebraic;    /* solver for w; NULL: the problem has no w */
  dae_lie_form form;
  bool *active; /* independent rows among the ny rows of F */
} adapter;

/* marks the independent rows of F, which are c, gdot, k, g */
static void lie_mechanical_copy_active(adapter *o)
{
  const dae__mech *m = o->m;
  for (int i = 0; i < o->s->ny; i++)
    o->active[i] = i < m->nw           ? true
                   : i < m->nw + m->nc ? m->active[i - m->nw]
                                       : m->active[i - m->nw - m->nc];
}

static void lie_mechanical_clear_mu(const adapter *o, double *z)
{
  dae__zero(o->s->n - o->m->at.size, z + o->m->at.size);
}

static dae_status lie_mechanical_consistent(void *self, double t, const bool *fixed, double *z,
                                            double *dz, dae_error *err)
{
  adapter *o = self;
  dae_status status = dae__mech_consistent(o->motion, t, fixed, z, dz, NULL, err);
  if (!status)
    status = dae__motion_reserve_dependent(o->output, err);
  lie_mechanical_clear_mu(o, z);
  lie_mechanical_clear_mu(o, dz);
  lie_mechanical_copy_active(o);
  return status;
}

static dae_status lie_mechanical_rates(void *self, bool for_output, double t, double *z, double *dz,
                                       dae_error *err)
{
  adapter *o = self;
  dae_status status = o->algebraic ? dae__algebraic_solve(o->algebraic, t, z, err) : DAE_OK;
  lie_mechanical_clear_mu(o, z);
  return status ? status
                : dae__motion_accelerate(for_output ? o->output : o->motion, t, z, dz, err);
}

static dae_status lie_mechanical_project(void *self, double t, double *z, dae_error *err)
{
  adapter *o = self;
  if (o->form == DAE_LIE_WEAK) /* the weak form satisfies the velocity constraints only */
    return dae__motion_project_velocity(o->output, t, z, z + o->m->at.v, err);
  return dae__motion_project(o->output, t, z, z + o->m->at.v, NULL, err);
}

static void lie_mechanical_count(const void *self, dae_stats *stats)
{
  const adapter *o = self;
  stats->evaluations += o->m->count->evaluations;
  stats->factorisations += o->motion->memory->factorisations + o->output->memory->factorisations;
}

static dae_status lie_mechanical_reload(void *self, dae_error *err)
{
  adapter *o = self;
  dae_status status = dae__motion_reload(o->motion);
  if (!status)
    status = dae__motion_reload(o->output);
  lie_mechanical_copy_active(o);
  return status ? dae__fail(err, status, NULL, "the factorisation could not be rebuilt") : DAE_OK;
}

static void lie_mechanical_release(void *self)
{
  adapter *o = self;
  dae__motion_free(o->motion);
  dae__motion_free(o->output);
  dae__algebraic_free(o->algebraic);
}

static const dae__lie_adapter_table lie_mechanical_verbs = {.consistent = lie_mechanical_consistent,
                                                            .rates = lie_mechanical_rates,
                                                            .project = lie_mechanical_project,
                                                            .count = lie_mechanical_count,
                                                            .reload = lie_mechanical_reload,
                                                            .free = lie_mechanical_release};

static dae_status lie_mechanical_prepare(adapter *o, dae__arena *arena, const dae_problem *problem,
                                         dae_error *err)
{
  dae__view_kind kind = o->form == DAE_LIE_WEAK ? DAE__VIEW_VELOCITY : DAE__VIEW_GGL;
  DAE__TRY(dae__view_semi(arena, problem, kind, &o->view, err));
  o->m = dae__view_mech(&o->view);
  DAE__TRY(dae__semi_create(arena, &o->view, &o->s, err));
  DAE__TRY(dae__motion_create(arena, o->m, &o->motion, err));
  DAE__TRY(dae__motion_create_second(arena, o->motion, &o->output, err));
  if (o->m->nw > 0)
    DAE__TRY(dae__algebraic_create(arena, o->m, &o->algebraic, err));
  o->active = DAE__ALLOC(arena, bool, o->s->ny);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int i = 0; i < o->s->ny; i++)
    o->s->hidden[i] = i >= o->m->nw;
  o->s->hidden_count = o->s->ny - o->m->nw;
  o->s->classified = true;
  return DAE_OK;
}

dae_status dae__lie_adapter_mechanical(dae__arena *arena, const dae_problem *problem,
                                       dae_lie_form form, dae__lie_adapter *out, dae_error *err)
{
  adapter *o = DAE__ALLOC(arena, adapter, 1);
  if (!o)
    return dae__out_of_memory(err);
  o->form = form;
  dae_status status = lie_mechanical_prepare(o, arena, problem, err);
  if (status) {
    lie_mechanical_release(o);
    return status;
  }
  *out = (dae__lie_adapter){.table = &lie_mechanical_verbs,
                            .self = o,
                            .s = o->s,
                            .size = o->m->at.size,
                            .active = o->active};
  return DAE_OK;
}
