/* Whether the constraints of the momentum form are independent: the rows of A = [g_y v_z; k_z], and
 * so those of g_y. A row a of A that is not is a combination a = sum_j c_j A_j of the others, where
 * c solves [ 1 A'; A 0 ] (x, c) = (a', 0) with x = 0. */
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "linalg/rank.h"
#include "problem/consistent.h"
#include "problem/momentum/momentum_motion.h"
#include <stdio.h>

/* DAE__RANK_TOLERANCE for derivatives by coarse differences, which are good to about 1e-8 */
#define RANK_TOLERANCE_COARSE 1e-6

/* entries of row i of A as a column, taken out of A */
static void momentum_lift_row(const dae__momentum_motion *motion, int i, double *column)
{
  const dae__momentum *m = motion->m;
  dae__momentum_part part = i < m->ng ? DAE__GDOT_Z : DAE__K_Z;
  const dae_pattern *p = &m->pattern[part];
  double *A = motion->part[part];
  int row = i < m->ng ? i : i - m->ng;
  dae__zero(m->nz, column);
  for (int j = 0; j < p->cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      if (p->row[e] == row) {
        column[j] = A[e];
        A[e] = 0;
      }
}

/* the first dependent row, and c in motion->x */
static dae_status momentum_combination(dae__momentum_motion *motion, const bool *active,
                                       int *dependent)
{
  const dae__momentum *m = motion->m;
  double *row = motion->moved_z, *c = motion->x;
  dae__zero(m->nz, motion->diagonal);
  for (int i = m->nc - 1; i >= 0; i--) {
    motion->diagonal[m->nz + i] = active[i] ? 0 : 1;
    if (!active[i])
      momentum_lift_row(motion, *dependent = i, row);
  }
  dae__zero(m->nc, c);
  dae_status status = dae__saddle_factor(motion->least, motion->ones, motion->part[DAE__GDOT_Z],
                                         motion->part[DAE__K_Z], motion->diagonal);
  motion->memory->factorisations++;
  if (!status)
    dae__saddle_solve(motion->least, row, c);
  return status;
}

static const char *momentum_kind_of(const dae__momentum *m, int row)
{
  return row < m->ng ? "g" : "k";
}

/* refuses the first dependent row, naming the rows it is a combination of */
static dae_status momentum_refuse(dae__momentum_motion *motion, double t, const bool *active,
                                  dae_error *err)
{
  const dae__momentum *m = motion->m;
  const double *c = motion->x;
  char names[200] = "", name[64];
  int dependent = 0, count = 0;
  if (momentum_combination(motion, active, &dependent) == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  double largest = dae__max_abs(m->nc, c);
  for (int j = 0; j < m->nc; j++)
    if (j != dependent && fabs(c[j]) > 1e-6 * largest) {
      dae__momentum_constraint_name(m->p, j, name, sizeof name);
      dae__append(names, sizeof names, "%s%s `%s`", count++ ? ", " : "", momentum_kind_of(m, j),
                  name);
    }
  dae__momentum_constraint_name(m->p, dependent, name, sizeof name);
  if (count == 0)
    dae__fail(err, DAE_ERROR_START, name,
              "constraint %s `%s` does not restrict the motion here: its derivative by z is zero",
              momentum_kind_of(m, dependent), name);
  else
    dae__fail(err, DAE_ERROR_START, name,
              "constraint %s `%s` is not independent of %s: remove it, the momentum form takes no "
              "redundant constraints",
              momentum_kind_of(m, dependent), name, names);
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_START;
}

/* active: an independent subset of the rows */
static dae_status momentum_find_rank(dae__momentum_motion *motion, dae__arena *arena, bool *active,
                                     int *rank, dae_error *err)
{
  const dae__momentum *m = motion->m;
  dae__block blocks[2] = {{.pattern = &m->pattern[DAE__GDOT_Z]},
                          {.row = m->ng, .pattern = &m->pattern[DAE__K_Z]}};
  dae_pattern A = dae__blocks_merge(arena, m->nc, m->nz, blocks, 2);
  double *values =
      dae__arena_failed(arena) ? NULL : DAE__ALLOC(arena, double, dae__pattern_count(&A));
  if (!values)
    return dae__out_of_memory(err);
  dae__block_add(&blocks[0], 1, motion->part[DAE__GDOT_Z], values);
  dae__block_add(&blocks[1], 1, motion->part[DAE__K_Z], values);
  for (int i = 0; i < m->nc; i++)
    active[i] = true;
  bool exact = (m->ng == 0 || m->given[DAE__V_Z]) && (m->nk == 0 || m->given[DAE__K_Z]);
  dae_status status =
      dae__rank_rows(&A, values, exact ? DAE__RANK_TOLERANCE : RANK_TOLERANCE_COARSE,
                     dae__arena_env(arena), active, NULL, rank, NULL);
  return status ? dae__fail(err, status, NULL, "the constraints could not be examined: %s",
                            dae_status_text(status))
                : DAE_OK;
}

dae_status dae__momentum_independent(dae__momentum_motion *motion, double t, const double *state,
                                     dae_error *err)
{
  dae__momentum *m = motion->m;
  dae_momentum_at at = {.t = t, .y = state, .z = state + m->at.z};
  int rank = 0;
  dae_status status =
      dae__momentum_jacobian(m, DAE__GDOT_Z, &at, NULL, motion->part[DAE__GDOT_Z], err);
  if (!status)
    status = dae__momentum_jacobian(m, DAE__K_Z, &at, NULL, motion->part[DAE__K_Z], err);
  DAE__TRY(status);
  dae__arena *arena = dae__arena_create(dae__arena_env(motion->arena));
  bool *active = arena ? DAE__ALLOC(arena, bool, m->nc) : NULL;
  status = active ? momentum_find_rank(motion, arena, active, &rank, err) : dae__out_of_memory(err);
  if (!status && rank < m->nc)
    status = momentum_refuse(motion, t, active, err);
  dae__arena_free(arena);
  return status;
}
