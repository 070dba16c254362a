#include "problem/impact.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/coupled/assembly.h"

/* Impact of a mechanical problem at its state vector. */
static dae_status impact_mechanical(dae__arena *arena, const dae_problem *problem, double t,
                                    double *y, int count, const dae__impact_contact *contact,
                                    dae__impact_outcome *out, dae_error *err)
{
  dae__mech *m;
  dae__motion *motion;
  if (!problem->mechanical)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, contact[0].name,
                     "'%s': impacts need a mechanism, a problem with coordinates and masses",
                     contact[0].name);
  DAE__TRY(dae__mech_create(arena, problem, &m, err));
  DAE__TRY(dae__motion_create(arena, m, &motion, err));
  for (int i = 0; i < m->nc; i++)
    m->active[i] = true;
  dae_status status = dae__motion_select_independent(motion, t, y, NULL, 0, err);
  if (!status)
    status = dae__motion_impact(motion, arena, t, y, count, contact, y + m->at.v, out, err);
  dae__motion_free(motion);
  return status;
}

/* The contacts with gradients in the order of the assembled state vector. */
static dae_status impact_gather(dae__arena *arena, const dae__assembly *assembly, int size,
                                int count, const dae__impact_contact *contact,
                                dae__impact_contact *out, dae_error *err)
{
  for (int i = 0; i < count; i++) {
    out[i] = contact[i];
    for (int r = 0; r <= contact[i].slides; r++) {
      double *row = DAE__ALLOC(arena, double, size);
      if (!row)
        break;
      dae__assembly_gather(assembly, r == 0 ? contact[i].normal : contact[i].slide[r - 1], row);
      *(r == 0 ? &out[i].normal : &out[i].slide[r - 1]) = row;
    }
  }
  return dae__arena_status(arena, err);
}

static dae_status impact_coupled(dae__arena *arena, const dae_problem *problem, double t, double *y,
                                 int count, const dae__impact_contact *contact,
                                 dae__impact_outcome *out, dae_error *err)
{
  dae__assembly *assembly;
  int size = dae_problem_size(problem);
  double *z = DAE__ALLOC(arena, double, size);
  dae__impact_contact *inner = DAE__ALLOC(arena, dae__impact_contact, count);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__TRY(dae__assembly_create(arena, problem, &assembly, err));
  DAE__TRY(impact_gather(arena, assembly, size, count, contact, inner, err));
  dae__assembly_gather(assembly, y, z);
  dae_status status =
      impact_mechanical(arena, dae__assembly_problem(assembly), t, z, count, inner, out, err);
  if (!status)
    dae__assembly_scatter(assembly, z, y);
  return status;
}

dae_status dae__impact(const dae_problem *problem, double t, double *y, int count,
                       const dae__impact_contact *contact, const dae_env *env,
                       dae__impact_outcome *out, dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return dae__out_of_memory(err);
  dae_status status = problem->coupled
                          ? impact_coupled(arena, problem, t, y, count, contact, out, err)
                          : impact_mechanical(arena, problem, t, y, count, contact, out, err);
  dae__arena_free(arena);
  return status;
}
