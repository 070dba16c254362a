/* A problem in the momentum form for one-step methods: x = (y, z), y = (lambda, psi) in the symbols
 * of the adapter; slopes from the index-1 equations of momentum_motion.h. */
#include "core/assert.h"
#include "core/error.h"
#include "core/tolerances.h"
#include "onestep/host/adapter.h"

typedef struct momentum {
  dae__momentum *m;
  dae__momentum_motion *motion[2]; /* [0] for steps, [1] for dense output */
  dae__forms forms;
} momentum;

static dae_status momentum_consistent(void *self, double t, const bool *fixed, double *z,
                                      double *dz, dae_error *err)
{
  return dae__momentum_consistent(((momentum *)self)->motion[0], t, fixed, z, dz, NULL, err);
}

static dae_status momentum_slopes(void *self, bool dense, double t, double *z, double *dz,
                                  dae_error *err)
{
  return dae__momentum_accelerate(((momentum *)self)->motion[dense], t, z, dz, err);
}

static dae_status momentum_project(void *self, bool dense, double t, double *z, dae_error *err)
{
  momentum *o = self;
  return dae__momentum_project(o->motion[dense], t, z, z + o->m->at.z, NULL, err);
}

static bool momentum_rank(void *self, double t, const double *z, double remainder, char *name,
                          size_t size)
{
  momentum *o = self;
  int row;
  if (dae__momentum_find_dependent(o->motion[1], t, z, remainder, &row, NULL) || row < 0)
    return false;
  dae__momentum_constraint_name(o->m->p, row, name, size);
  return true;
}

static void momentum_count(const void *self, dae_stats *stats)
{
  const momentum *o = self;
  stats->evaluations += *o->m->evaluations;
  stats->projections += o->motion[0]->memory->projections;
  for (int i = 0; i < 2; i++)
    stats->factorisations += o->motion[i]->memory->factorisations;
}

static void momentum_free(void *self)
{
  momentum *o = self;
  for (int i = 0; i < 2; i++)
    dae__momentum_motion_free(o->motion[i]);
}

#define MOMENTUM_VERBS                                                                             \
  .consistent = momentum_consistent, .slopes = momentum_slopes, .rank = momentum_rank,             \
  .count = momentum_count, .free = momentum_free
/* Tables of problems without and with projection. */
static const dae_adapter_table momentum_free_verbs = {MOMENTUM_VERBS};
static const dae_adapter_table momentum_verbs = {MOMENTUM_VERBS, .project = momentum_project};

dae_status dae__adapter_momentum(dae__arena *arena, const dae_problem *problem,
                                 const dae__onestep_needs *needs, const dae_step_options *control,
                                 dae_adapter *out, dae_error *err)
{
  momentum *o = DAE__ALLOC(arena, momentum, 1);
  (void)needs;
  DAE__TRY(dae__arena_status(arena, err));
  dae_status status = dae__momentum_create(arena, problem, &o->m, err);
  for (int i = 0; i < 2 && !status; i++)
    status = dae__momentum_motion_create(arena, o->m, &o->motion[i], err);
  if (status) {
    momentum_free(o);
    return status;
  }
  DAE__ASSERT(o->m->at.z == o->m->ny);
  o->forms.momentum = o->m;
  *out = (dae_adapter){.table = control->project && o->m->nc > 0 ? &momentum_verbs
                                                                 : &momentum_free_verbs,
                       .self = o,
                       .problem = problem,
                       .nx = o->m->ny + o->m->nz,
                       .size = o->m->at.size,
                       .atol_scale = out->atol_scale,
                       .forms = &o->forms};
  return DAE_OK;
}
