/* The matrix of the momentum form and the projections by it.
 *
 *       [ p_z      -r_lambda  -f_psi ]
 *   B = [ g_y v_z      0         0   ]
 *       [ k_z          0         0   ]
 *
 *   projection of y     [ 1 g_y'; g_y 0 ] (dy, .) = (0, -g)      y += dy, repeated until g = 0
 *   projection of z     B (dz, ., .) = (0, -gdot, -k)            z += dz
 *
 * The projections reuse an existing factorisation, and form a new one only where it does not
 * converge.
 * r_lambda and f_psi are evaluated at the latest multipliers. */
#include "problem/momentum/momentum_motion.h"
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "problem/mechanical/motion.h"
#include <float.h>

/* ---- creation ---- */

static void momentum_alloc_vectors(dae__momentum_motion *motion, dae__arena *arena)
{
  dae__momentum *m = motion->m;
  int n = m->nz + m->nc, larger = m->ny > m->nz ? m->ny : m->nz;
  int largest = larger > m->nc ? larger : m->nc;
  motion->memory = DAE__STATE(arena, dae__momentum_memory, 1);
  motion->multiplier = DAE__STATE(arena, double, m->nc);
  for (int part = 0; part < DAE__MOMENTUM_PARTS; part++)
    if (part != DAE__F_Y && part != DAE__F_Z && part != DAE__R_Y)
      motion->part[part] = DAE__ALLOC(arena, double, dae__pattern_count(&m->pattern[part]));
  double **of_n[] = {&motion->residual, &motion->scale,   &motion->terms,
                     &motion->x,        &motion->unknown, &motion->rate};
  for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++)
    *of_n[i] = DAE__ALLOC(arena, double, n);
  double **of_y[] = {&motion->v, &motion->v_rate, &motion->v_base, &motion->moved_y};
  for (size_t i = 0; i < sizeof of_y / sizeof *of_y; i++)
    *of_y[i] = DAE__ALLOC(arena, double, m->ny);
  motion->moved_z = DAE__ALLOC(arena, double, m->nz);
  motion->ones = DAE__ALLOC(arena, double, larger);
  motion->diagonal = DAE__ALLOC(arena, double, larger + m->nc);
  motion->size = DAE__ALLOC(arena, double, largest);
  motion->sample = DAE__ALLOC(arena, double, largest);
  if (dae__arena_failed(arena))
    return;
  DAE__LIMIT_TRUTH(arena, &motion->memory->factored, 2);
  DAE__LIMIT_COUNTER(arena, &motion->memory->projections, 2);
  for (int i = 0; i < larger; i++)
    motion->ones[i] = 1;
}

static void momentum_merge_blocks(dae__momentum_motion *motion, dae__arena *arena)
{
  const dae__momentum *m = motion->m;
  const dae_pattern *of = m->pattern;
  int nz = m->nz, n = nz + m->nc;
  motion->block[DAE__BLOCK_P] = (dae__block){.pattern = &of[DAE__P_Z]};
  motion->block[DAE__BLOCK_R] = (dae__block){.col = nz, .pattern = &of[DAE__R_LAMBDA]};
  motion->block[DAE__BLOCK_F] = (dae__block){.col = nz + m->ng, .pattern = &of[DAE__F_PSI]};
  motion->block[DAE__BLOCK_G] = (dae__block){.row = nz, .pattern = &of[DAE__GDOT_Z]};
  motion->block[DAE__BLOCK_K] = (dae__block){.row = nz + m->ng, .pattern = &of[DAE__K_Z]};
  motion->pattern = dae__blocks_merge(arena, n, n, motion->block, DAE__MOMENTUM_BLOCKS);
  motion->one_y = dae__pattern_diagonal(arena, m->ny);
  motion->one_z = dae__pattern_diagonal(arena, nz);
  motion->no_k = dae__pattern_dense(arena, 0, m->ny);
  if (!dae__arena_failed(arena))
    motion->matrix = DAE__ALLOC(arena, double, dae__pattern_count(&motion->pattern));
}

dae_status dae__momentum_motion_create(dae__arena *arena, dae__momentum *m,
                                       dae__momentum_motion **out, dae_error *err)
{
  dae__momentum_motion *motion = DAE__ALLOC(arena, dae__momentum_motion, 1);
  *out = NULL;
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  motion->m = m;
  motion->arena = arena;
  momentum_alloc_vectors(motion, arena);
  momentum_merge_blocks(motion, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae_status status = dae__solver_create(arena, &motion->pattern, &motion->solver, err);
  if (!status && m->ng > 0)
    status = dae__saddle_create(arena, &motion->one_y, &m->pattern[DAE__G_Y], &motion->no_k,
                                &motion->place, err);
  if (!status && m->nc > 0)
    status = dae__saddle_create(arena, &motion->one_z, &m->pattern[DAE__GDOT_Z],
                                &m->pattern[DAE__K_Z], &motion->least, err);
  if (status)
    dae__momentum_motion_free(motion);
  else
    *out = motion;
  return status;
}

void dae__momentum_motion_free(dae__momentum_motion *motion)
{
  if (!motion)
    return;
  dae__solver_free(motion->solver);
  dae__saddle_free(motion->place);
  dae__saddle_free(motion->least);
}

const dae__momentum_memory *dae__momentum_motion_memory(const dae__momentum_motion *motion)
{
  return motion->memory;
}

/* ---- factorisation ---- */

/* Message for a singular matrix, naming the unknown at which the factorisation failed. */
static dae_status momentum_explain_singular(const dae__momentum_motion *motion, int column,
                                            double t, dae_error *err)
{
  const dae__momentum *m = motion->m;
  char name[64];
  if (column >= m->nz) {
    bool holonomic = column < m->nz + m->ng;
    dae__momentum_constraint_name(m->p, column - m->nz, name, sizeof name);
    dae__fail(err, DAE_ERROR_SINGULAR, name,
              "constraint %s is not independent of the others here, or its force %s does not act "
              "against it: the matrix [p_z -r_lambda -f_psi; g_y v_z 0 0; k_z 0 0] is singular",
              name, holonomic ? "r" : "f");
  } else if (column >= 0) {
    dae__momentum_variable_name(m->p, m->ny + column, name, sizeof name);
    dae__fail(err, DAE_ERROR_SINGULAR, name,
              "neither p nor the constraints determine the rate of %s: the matrix [p_z -r_lambda "
              "-f_psi; g_y v_z 0 0; k_z 0 0] is singular",
              name);
  } else {
    dae__fail(err, DAE_ERROR_SINGULAR, NULL,
              "the matrix [p_z -r_lambda -f_psi; g_y v_z 0 0; k_z 0 0] is singular: constraints "
              "are dependent, or p does not determine z");
  }
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_SINGULAR;
}

dae_status dae__momentum_factor(dae__momentum_motion *motion, const dae_momentum_at *at,
                                dae_error *err)
{
  dae__momentum *m = motion->m;
  double *const *part = motion->part, *B = motion->matrix;
  const double *lambda = motion->multiplier, *psi = lambda + m->ng;
  const dae__block *block = motion->block;
  DAE__TRY(dae__momentum_jacobian(m, DAE__P_Z, at, NULL, part[DAE__P_Z], err));
  DAE__TRY(dae__momentum_jacobian(m, DAE__R_LAMBDA, at, lambda, part[DAE__R_LAMBDA], err));
  DAE__TRY(dae__momentum_jacobian(m, DAE__F_PSI, at, psi, part[DAE__F_PSI], err));
  DAE__TRY(dae__momentum_jacobian(m, DAE__GDOT_Z, at, NULL, part[DAE__GDOT_Z], err));
  DAE__TRY(dae__momentum_jacobian(m, DAE__K_Z, at, NULL, part[DAE__K_Z], err));
  dae__zero(dae__pattern_count(&motion->pattern), B);
  dae__block_add(&block[DAE__BLOCK_P], 1, part[DAE__P_Z], B);
  dae__block_add(&block[DAE__BLOCK_R], -1, part[DAE__R_LAMBDA], B);
  dae__block_add(&block[DAE__BLOCK_F], -1, part[DAE__F_PSI], B);
  dae__block_add(&block[DAE__BLOCK_G], 1, part[DAE__GDOT_Z], B);
  dae__block_add(&block[DAE__BLOCK_K], 1, part[DAE__K_Z], B);
  dae_status status = dae__solver_factor(motion->solver, B);
  motion->memory->factored = status == DAE_OK;
  motion->memory->factorisations++;
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status == DAE_ERROR_SINGULAR)
    return momentum_explain_singular(motion, dae__solver_column(motion->solver), at->t, err);
  return status;
}

/* ---- projection ---- */

typedef struct projection {
  dae__momentum_motion *motion;
  double t;
  double *y, *z;
  bool velocity; /* projection of z, else of y */
} projection;

/* Size of the terms of each row before the projection: a value that shrinks during the projection,
 * such as a velocity that must vanish, is measured by its initial terms. */
static dae_status momentum_scale(const projection *p, dae_error *err)
{
  dae__momentum_motion *motion = p->motion;
  dae__momentum *m = motion->m;
  const dae_pattern *G = &m->pattern[DAE__G_Y], *K = &m->pattern[DAE__K_Z];
  double *g_y = motion->part[DAE__G_Y], *k_z = motion->part[DAE__K_Z];
  dae_momentum_at at = {.t = p->t, .y = p->y, .z = p->z};
  DAE__TRY(dae__momentum_jacobian(m, DAE__G_Y, &at, NULL, g_y, err));
  if (!p->velocity) {
    dae__row_scale(G, g_y, p->y, motion->scale);
    return DAE_OK;
  }
  DAE__TRY(dae__momentum_v(m, &at, motion->v, err));
  DAE__TRY(dae__momentum_jacobian(m, DAE__K_Z, &at, NULL, k_z, err));
  dae__row_scale(G, g_y, motion->v, motion->scale);
  dae__row_scale(K, k_z, p->z, motion->scale + m->ng);
  /* the scale includes terms that are not of the form A z, such as g_t, and the error of
   * differences */
  dae__copy(m->nc, motion->residual, motion->x);
  dae__matrix_times(G, g_y, -1, motion->v, motion->x);
  dae__matrix_times(K, k_z, -1, p->z, motion->x + m->ng);
  for (int i = 0; i < m->nc; i++)
    motion->scale[i] += fabs(motion->x[i]);
  dae__row_scale(G, g_y, p->y, motion->size);
  dae__axpy(m->ng, dae__momentum_gdot_error(m, p->y, motion->v) / DAE__ON_CONSTRAINT, motion->size,
            motion->scale);
  return DAE_OK;
}

/* Factors [1 g_y'; g_y 0] at the point. */
static dae_status momentum_factor_position(dae__momentum_motion *motion, const dae_momentum_at *at,
                                           dae_error *err)
{
  dae__momentum *m = motion->m;
  char name[64];
  DAE__TRY(dae__momentum_jacobian(m, DAE__G_Y, at, NULL, motion->part[DAE__G_Y], err));
  dae_status status =
      dae__saddle_factor(motion->place, motion->ones, motion->part[DAE__G_Y], NULL, NULL);
  motion->memory->placed = status == DAE_OK;
  motion->memory->factorisations++;
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  int row = dae__saddle_column(motion->place) - m->ny;
  dae__momentum_constraint_name(m->p, row < 0 ? 0 : row, name, sizeof name);
  dae__fail(err, status, name,
            "constraint %s is not independent of the others here: g_y does not have full rank",
            name);
  dae__fail_at(err, at->t, NAN);
  return status;
}

/* Adds the correction to y or z; returns whether it is at round-off level. */
static bool momentum_correct(const projection *p)
{
  dae__momentum_motion *motion = p->motion;
  dae__momentum *m = motion->m;
  int n = p->velocity ? m->nz : m->ny, rows = p->velocity ? m->nc : m->ng;
  double *x = p->velocity ? p->z : p->y;
  double *d = p->velocity ? motion->x : motion->moved_y;
  double *bottom = p->velocity ? motion->x + n : motion->x;
  dae__zero(n, d);
  for (int i = 0; i < rows; i++)
    bottom[i] = -motion->residual[i];
  if (p->velocity)
    dae__solver_solve(motion->solver, d);
  else
    dae__saddle_solve(motion->place, d, bottom);
  double size = dae__max_abs(n, x), change = dae__max_abs(n, d);
  dae__axpy(n, 1, d, x);
  return change <= 4 * DBL_EPSILON * size;
}

static dae_status momentum_project_level(const projection *p, bool *moved, dae_error *err)
{
  dae__momentum_motion *motion = p->motion;
  dae__momentum *m = motion->m;
  const dae__momentum_memory *memory = motion->memory;
  dae_momentum_at at = {.t = p->t, .y = p->y, .z = p->z};
  double before = INFINITY;
  int row = 0, count = p->velocity ? m->nc : m->ng;
  char name[64];
  for (int i = 0; i < DAE__PROJECTION_ITERATIONS; i++) {
    DAE__TRY(p->velocity ? dae__momentum_gdot(m, &at, motion->residual, err)
                         : dae__momentum_g(m, &at, motion->residual, err));
    if (p->velocity)
      DAE__TRY(dae__momentum_k(m, &at, motion->residual + m->ng, err));
    if (i == 0)
      DAE__TRY(momentum_scale(p, err));
    double now = dae__row_worst(count, motion->residual, motion->scale, &row);
    if (now <= DAE__ON_CONSTRAINT)
      return DAE_OK;
    /* an existing factorisation is reused as long as it reduces the residual well */
    if (!(p->velocity ? memory->factored : memory->placed) ||
        now > DAE__PROJECTION_REDUCTION * before)
      DAE__TRY(p->velocity ? dae__momentum_factor(motion, &at, err)
                           : momentum_factor_position(motion, &at, err));
    *moved = true;
    if (momentum_correct(p))
      return DAE_OK;
    before = now;
  }
  dae__momentum_constraint_name(m->p, row, name, sizeof name);
  dae__fail(err, DAE_ERROR_RECOVERABLE, name, "the projection onto constraint %s does not converge",
            name);
  dae__fail_at(err, p->t, NAN);
  return DAE_ERROR_RECOVERABLE;
}

dae_status dae__momentum_project(dae__momentum_motion *motion, double t, double *y, double *z,
                                 bool *moved, dae_error *err)
{
  projection p = {.motion = motion, .t = t, .y = y, .z = z};
  bool changed = false;
  dae_status status = DAE_OK;
  if (motion->m->ng > 0)
    status = momentum_project_level(&p, &changed, err);
  p.velocity = true;
  if (!status && motion->m->nc > 0)
    status = momentum_project_level(&p, &changed, err);
  motion->memory->projections += changed;
  if (moved)
    *moved = changed;
  return status;
}
