/* A mechanical problem for one-step methods: x = (q, v, u), y = (w, lambda, psi), with slopes from
 *
 *   q' = v,   [ M  A' ] [ v'             ]   [  f              ]
 *             [ A  0  ] [ (lambda, psi)  ] = [ -(gamma, kappa) ],   u' = s,   c = 0 for w.
 *
 * Implicit classical methods, which admit no constraints, use the semi-explicit form of the
 * problem.
 */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/host/adapter.h"
#include "problem/consistent.h"
#include "problem/mechanical/algebraic.h"
#include "problem/mechanical/view.h"

typedef struct adapter {
  dae_problem view; /* semi-explicit form of the problem, for implicit methods */
  dae__semi *s;
  dae__mech *m;
  dae__motion *motion[2];    /* accelerations and projection: [0] for steps, [1] for dense output */
  dae__algebraic *algebraic; /* solver of c = 0 for w; NULL: problem without w */
  bool project;
} adapter;

static dae_status onestep_mechanical_consistent(void *self, double t, const bool *fixed, double *z,
                                                double *dz, dae_error *err)
{
  adapter *o = self;
  DAE__TRY(dae__mech_consistent(o->motion[0], t, fixed, z, dz, NULL, err));
  return dae__motion_reserve_dependent(o->motion[1], err);
}

/* Slopes of a problem with w; noinline, so that the common case without w saves no registers. */
static __attribute__((noinline)) dae_status onestep_mechanical_slopes_with_w(adapter *o, bool dense,
                                                                             double t, double *z,
                                                                             double *dz,
                                                                             dae_error *err)
{
  dae__solver_reset(o->algebraic->solver); /* result independent of earlier factorisations */
  DAE__TRY(dae__algebraic_solve(o->algebraic, t, z, err));
  return dae__motion_slopes(o->motion[dense], t, z, dz, err);
}

static dae_status onestep_mechanical_slopes(void *self, bool dense, double t, double *z, double *dz,
                                            dae_error *err)
{
  adapter *o = self;
  return o->algebraic ? onestep_mechanical_slopes_with_w(o, dense, t, z, dz, err)
                      : dae__motion_slopes(o->motion[dense], t, z, dz, err);
}

static dae_status onestep_mechanical_project(void *self, bool dense, double t, double *z,
                                             dae_error *err)
{
  adapter *o = self;
  double *v = z + o->m->at.v;
  if (!o->project || o->m->nc == 0)
    return DAE_OK;
  if (dense) /* dense output must not depend on earlier dense output */
    o->motion[dense]->memory->factored = false;
  DAE__TRY(dae__motion_project(o->motion[dense], t, z, v, NULL, err));
  return dae__motion_check_dependent(o->motion[dense], t, z, v, err);
}

static dae_status onestep_mechanical_project_and_accelerate(void *self, double t, double *z,
                                                            double *dz, dae_error *err)
{
  adapter *o = self;
  if (!o->project || o->m->nc == 0)
    return onestep_mechanical_slopes(self, false, t, z, dz, err);
  if (o->algebraic) {
    dae__solver_reset(o->algebraic->solver);
    DAE__TRY(dae__algebraic_solve(o->algebraic, t, z, err));
  }
  DAE__TRY(dae__motion_project_and_accelerate(o->motion[0], t, z, dz, err));
  return dae__motion_check_dependent(o->motion[0], t, z, z + o->m->at.v, err);
}

static dae_status onestep_mechanical_inputs(void *self, double t, const double **in, dae_error *err)
{
  adapter *o = self;
  *in = o->m->in;
  return dae__mech_inputs(o->m, t, err);
}

static bool onestep_mechanical_dependent(void *self, double t, const double *z, char *name,
                                         size_t size)
{
  adapter *o = self;
  return dae__motion_nearly_dependent(o->motion[1], t, z, name, size);
}

static void onestep_mechanical_count(const void *self, dae_stats *stats)
{
  const adapter *o = self;
  stats->evaluations += o->m->count->evaluations;
  stats->projections += o->motion[0]->memory->projections;
  for (int i = 0; i < 2; i++)
    stats->factorisations += o->motion[i]->memory->factorisations;
}

static dae_status onestep_mechanical_reload(void *self, dae_error *err)
{
  adapter *o = self;
  dae_status status = dae__motion_reload(o->motion[0]);
  if (!status)
    status = dae__motion_reload(o->motion[1]);
  return status ? dae__fail(err, status, NULL, "load: a factorisation cannot be rebuilt") : DAE_OK;
}

static void onestep_mechanical_release(void *self)
{
  adapter *o = self;
  for (int i = 0; i < 2; i++)
    dae__motion_free(o->motion[i]);
  dae__algebraic_free(o->algebraic);
}

static const dae__rk_adapter_table onestep_mechanical_verbs = {
    .consistent = onestep_mechanical_consistent,
    .slopes = onestep_mechanical_slopes,
    .project = onestep_mechanical_project,
    .project_and_accelerate = onestep_mechanical_project_and_accelerate,
    .inputs = onestep_mechanical_inputs,
    .dependent = onestep_mechanical_dependent,
    .count = onestep_mechanical_count,
    .reload = onestep_mechanical_reload,
    .free = onestep_mechanical_release};

static dae_status onestep_mechanical_make(adapter *o, dae__arena *arena, const dae_problem *problem,
                                          bool semi, dae_error *err)
{
  if (semi) {
    DAE__TRY(dae__view_semi(arena, problem, DAE__VIEW_VELOCITY, &o->view, err));
    o->m = dae__view_mech(&o->view);
    DAE__TRY(dae__semi_create(arena, &o->view, &o->s, err));
  } else {
    DAE__TRY(dae__mech_create(arena, problem, &o->m, err));
  }
  DAE__TRY(dae__motion_create(arena, o->m, &o->motion[0], err));
  DAE__TRY(dae__motion_create_second(arena, o->motion[0], &o->motion[1], err));
  return o->m->nw > 0 ? dae__algebraic_create(arena, o->m, &o->algebraic, err) : DAE_OK;
}

dae_status dae__rk_adapter_mechanical(dae__arena *arena, const dae_problem *problem,
                                      const dae__rk_needs *needs, const dae_rk_options *opts,
                                      dae__rk_adapter *out, dae_error *err)
{
  adapter *o = DAE__ALLOC(arena, adapter, 1);
  if (!o)
    return dae__out_of_memory(err);
  o->project = opts->project;
  dae_status status = onestep_mechanical_make(o, arena, problem, needs->semi, err);
  if (status) {
    onestep_mechanical_release(o);
    return status;
  }
  *out = (dae__rk_adapter){.table = &onestep_mechanical_verbs,
                           .self = o,
                           .problem = problem,
                           .nx = o->m->at.w,
                           .size = o->m->at.size,
                           .nin = problem->input ? o->m->p->nin : 0,
                           .s = o->s,
                           .m = o->m};
  return DAE_OK;
}
