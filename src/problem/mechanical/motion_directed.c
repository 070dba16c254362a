/* Accelerations of a problem whose constraint forces have directions B of their own:
 *
 *   [ M  B' ] [ x ]   [  f              ]
 *   [ A  0  ] [ y ] = [ -(gamma, kappa) ],   A = [G; K]
 *
 * One pivoted factorisation: the matrix is not symmetric, and it may be singular where [M A'; A 0]
 * is not. Rows of masked constraints are "multiplier = 0". */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/solver.h"
#include "problem/mechanical/motion.h"

dae_status dae__motion_create_directed(dae__motion *motion, dae_error *err)
{
  const dae__mech *m = motion->m;
  dae__arena *arena = motion->arena;
  dae__motion_directed *d = DAE__ALLOC(arena, dae__motion_directed, 1);
  int n = m->nq, size = n + m->nc;
  DAE__TRY(dae__arena_status(arena, err));
  d->diagonal = dae__pattern_diagonal(arena, m->nc);
  dae__block blocks[] = {{0, 0, &m->M, false, NULL},
                         {n, 0, &m->G, false, NULL},
                         {n + m->ng, 0, &m->K, false, NULL},
                         {0, n, &m->B, true, NULL},
                         {n, n, &d->diagonal, false, NULL}};
  if (!dae__arena_failed(arena))
    d->pattern = dae__blocks_merge(arena, size, size, blocks, sizeof blocks / sizeof *blocks);
  DAE__TRY(dae__arena_status(arena, err));
  d->M = blocks[0];
  d->A_G = blocks[1];
  d->A_K = blocks[2];
  d->B = blocks[3];
  d->one = blocks[4];
  d->matrix = DAE__ALLOC(arena, double, dae__pattern_count(&d->pattern));
  d->solution = DAE__ALLOC(arena, double, size);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__TRY(dae__solver_create(arena, &d->pattern, &d->solver, err));
  motion->directed = d;
  return DAE_OK;
}

/* Failure of a matrix that is singular, though that of the gradients may be regular. */
static dae_status directed_fail(const dae__motion *motion, dae_status status, dae_error *err)
{
  const dae__mech *m = motion->m;
  int column = dae__solver_column(motion->directed->solver);
  char name[64] = "";
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  if (column >= m->nq)
    dae__mech_constraint_name(m->p, column - m->nq, name, sizeof name);
  return dae__fail(err, status, name,
                   "the force of %s%s does not determine the accelerations along the constraints: "
                   "its direction is in the way of none of them, or other forces hold them already",
                   name[0] ? "constraint " : "a constraint", name);
}

void dae__motion_respond_directed(dae__motion *motion, double *top, double *bottom)
{
  const dae__mech *m = motion->m;
  dae__motion_directed *d = motion->directed;
  dae__copy(m->nq, top, d->solution);
  for (int i = 0; i < m->nc; i++)
    d->solution[m->nq + i] = m->active[i] ? bottom[i] : 0;
  dae__solver_solve(d->solver, d->solution);
  dae__copy(m->nq, d->solution, top);
  dae__copy(m->nc, d->solution + m->nq, bottom);
}

dae_status dae__motion_solve_directed(dae__motion *motion, double *acceleration, dae_error *err)
{
  const dae__mech *m = motion->m;
  dae__motion_directed *d = motion->directed;
  dae__zero(dae__pattern_count(&d->pattern), d->matrix);
  dae__block_add(&d->M, 1, motion->M, d->matrix);
  dae__block_add(&d->A_G, 1, motion->G, d->matrix);
  dae__block_add(&d->A_K, 1, motion->K, d->matrix);
  dae__block_add(&d->B, 1, motion->B, d->matrix);
  for (int i = 0; i < m->nc; i++)
    if (!m->active[i])
      d->matrix[d->one.map[i]] = 1;
  motion->memory->factored = false;
  dae_status status = dae__solver_factor(d->solver, d->matrix);
  motion->memory->factorisations++;
  if (status)
    return directed_fail(motion, status, err);
  dae__motion_respond_directed(motion, acceleration, motion->bottom);
  return DAE_OK;
}
