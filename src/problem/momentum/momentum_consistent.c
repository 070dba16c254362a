/* Consistent start of a problem in the momentum form.
 *
 * y is projected onto g, and then z onto gdot and k, by steps of least change (dae__level_start). A
 * z without fixed values is projected along the constraint forces instead, where this converges.
 * Then the rows of A = [g_y v_z; k_z] must be independent, and z' and the multipliers follow from
 * the index-1 equations. */
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include "problem/momentum/momentum_motion.h"

/* Projection of z onto gdot and k: along the constraint forces where this converges and no value is
 * fixed, else by the least change. */
static dae_status momentum_start_z(dae__momentum_motion *motion, double t, const bool *fixed,
                                   double *y, double *z, dae_error *err)
{
  int nz = motion->m->nz;
  dae__level *l = dae__momentum_level_at(motion, DAE__LEVEL_FORCES, t, y, z);
  bool free = true, moved = false;
  for (int j = 0; fixed && j < nz; j++)
    free = free && !fixed[j];
  dae__copy(nz, z, motion->unknown);
  if (free) {
    dae_status status = dae__level_project(l, &moved, err);
    if (status != DAE_ERROR_SINGULAR && status != DAE_ERROR_RECOVERABLE)
      return status;
  }
  dae__copy(nz, motion->unknown, z);
  l = dae__momentum_level_at(motion, DAE__LEVEL_Z, t, y, z);
  l->fixed = fixed;
  return dae__level_start(l, err);
}

/* ---- independence of the constraints ---- */

dae_status dae__momentum_find_dependent(dae__momentum_motion *motion, double t, const double *state,
                                        double tol, int *row, dae_error *err)
{
  dae__momentum *m = motion->m;
  const dae__level *l = &motion->level[DAE__LEVEL_Z];
  dae_momentum_at at = {.t = t, .y = state, .z = state + m->at.z};
  int rank;
  DAE__TRY(dae__momentum_jacobian(m, DAE__GDOT_Z, &at, NULL, l->G_values, err));
  DAE__TRY(dae__momentum_jacobian(m, DAE__K_Z, &at, NULL, l->K_values, err));
  for (int i = 0; i < m->nc; i++)
    motion->independent[i] = true;
  DAE__TRY(dae__level_independent(l, tol, dae__arena_env(motion->arena), motion->independent, &rank,
                                  err));
  *row = -1;
  for (int i = m->nc - 1; i >= 0; i--)
    if (!motion->independent[i])
      *row = i;
  return DAE_OK;
}

/* Refuses constraints that are dependent at the state, naming the first one and the rows that it
 * depends on. */
static dae_status momentum_start_check_independent(dae__momentum_motion *motion, double t,
                                                   const double *state, dae_error *err)
{
  const dae__momentum *m = motion->m;
  dae__level l = motion->level[DAE__LEVEL_Z];
  bool exact = (m->ng == 0 || m->given[DAE__V_Z]) && (m->nk == 0 || m->given[DAE__K_Z]);
  char text[300] = "", name[64];
  int row;
  DAE__TRY(dae__momentum_find_dependent(
      motion, t, state, exact ? DAE__RANK_TOLERANCE : DAE__RANK_TOLERANCE_COARSE, &row, err));
  if (row < 0)
    return DAE_OK;
  l.active = motion->independent;
  DAE__TRY(dae__level_factor(&l, 0, err));
  dae__momentum_constraint_name(m->p, row, name, sizeof name);
  if (dae__level_describe(&l, row, NULL, text, sizeof text) == 0)
    dae__fail(err, DAE_ERROR_START, name,
              "constraint %s does not restrict the motion here: its derivative by z is zero", name);
  else
    dae__fail(err, DAE_ERROR_START, name,
              "%s: remove it, the momentum form takes no redundant constraints", text);
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_START;
}

/* ---- consistent start ---- */

dae_status dae__momentum_consistent(dae__momentum_motion *motion, double t, const bool *fixed,
                                    double *state, double *dy, dae_diagnosis *find, dae_error *err)
{
  dae__momentum *m = motion->m;
  double *z = state + m->at.z;
  dae__level *l = dae__momentum_level_at(motion, DAE__LEVEL_Y, t, state, z);
  dae__copy(m->nc, state + m->at.lambda, motion->multiplier);
  dae__zero(m->at.size, dy);
  l->fixed = fixed;
  if (m->ng > 0)
    DAE__TRY(dae__level_start(l, err));
  if (m->nc > 0) {
    DAE__TRY(momentum_start_z(motion, t, fixed ? fixed + m->at.z : NULL, state, z, err));
    DAE__TRY(momentum_start_check_independent(motion, t, state, err));
  }
  DAE__TRY(dae__momentum_accelerate(motion, t, state, dy, err));
  if (find)
    *find = (dae_diagnosis){.index = m->ng > 0   ? 3
                                     : m->nk > 0 ? 2
                                                 : 0,
                            .dof = m->nz - m->nc,
                            .constraints = m->nc,
                            .rank = m->nc};
  return DAE_OK;
}
