/* Consistent start of a mechanical problem: positions, then velocities, are projected onto their
 * constraints in the norm of the mass matrix (dae__level_start), the independent constraints are
 * selected, c = 0 is solved for w, and accelerations and multipliers follow from the saddle
 * system. */
#include "core/error.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include "problem/mechanical/algebraic.h"
#include <stdio.h>

static dae_status start_solve_algebraic(dae__motion *motion, double t, double *y, dae_error *err)
{
  dae__algebraic *a = NULL;
  dae__arena *arena = dae__arena_create(dae__arena_env(motion->arena));
  dae_status status = dae__algebraic_create(arena, motion->m, &a, err);
  if (!status)
    status = dae__algebraic_solve(a, t, y, err);
  dae__algebraic_free(a);
  dae__arena_free(arena);
  return status;
}

dae_status dae__mech_consistent(dae__motion *motion, double t, const bool *fixed, double *y,
                                double *dy, dae_diagnosis *find, dae_error *err)
{
  dae__mech *m = motion->m;
  char dependent[sizeof find->text] = "";
  for (int i = 0; i < m->nc; i++)
    m->active[i] = true;
  dae__zero(m->at.size, dy);
  dae__zero(m->nc, motion->row_size);
  motion->memory->margin = 0;
  DAE__TRY(dae__motion_start(motion, t, fixed, y, y + m->at.v, err));
  DAE__TRY(dae__motion_select_independent(motion, t, y, dependent, sizeof dependent, err));
  if (m->nw > 0)
    DAE__TRY(start_solve_algebraic(motion, t, y, err));
  DAE__TRY(dae__motion_accelerate(motion, t, y, dy, err));
  if (!find)
    return DAE_OK;
  find->constraints = m->nc - dae__motion_rows_off(motion);
  find->rank = m->nc - m->count->dependent;
  find->dof = m->nq - find->rank;
  find->index = m->ng > 0 ? 3 : m->nk > 0 ? 2 : m->nw > 0 ? 1 : 0;
  snprintf(find->text, sizeof find->text, "%s", dependent);
  return DAE_OK;
}
