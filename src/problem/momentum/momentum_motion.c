/* The matrix of the momentum form, and its levels with their corrections.
 *
 *       [ p_z      -r_lambda  -f_psi ]
 *   B = [ g_y v_z      0         0   ]
 *       [ k_z          0         0   ]
 *
 *   projection of y     [ 1 g_y'; g_y 0 ] (dy, .) = (0, -g)      y += dy, repeated until g = 0
 *   projection of z     B (dz, ., .) = (0, -gdot, -k)            z += dz
 *
 * r_lambda and f_psi are evaluated at the latest multipliers. */
#include "problem/momentum/momentum_motion.h"
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"

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
  motion->memory->factored[DAE__LEVEL_FORCES] = status == DAE_OK;
  motion->memory->factorisations++;
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status == DAE_ERROR_SINGULAR)
    return momentum_explain_singular(motion, dae__solver_column(motion->solver), at->t, err);
  return status;
}

/* ---- levels ---- */

static const char *momentum_level_name(const dae__level *l, int i, char *text, size_t size)
{
  const dae__momentum_motion *motion = l->self;
  int first = l == &motion->level[DAE__LEVEL_Y] ? 0 : motion->m->ny;
  return i < l->n ? dae__momentum_variable_name(motion->m->p, first + i, text, size)
                  : dae__momentum_constraint_name(motion->m->p, i - l->n, text, size);
}

static dae_status momentum_y_residual(dae__level *l, const double *y, bool scaled, dae_error *err)
{
  dae__momentum_motion *motion = l->self;
  dae_momentum_at at = {.t = l->t, .y = y, .z = motion->z};
  DAE__TRY(dae__momentum_eval(motion->m, DAE__G, &at, NULL, l->residual, err));
  if (scaled) {
    DAE__TRY(dae__momentum_jacobian(motion->m, DAE__G_Y, &at, NULL, l->G_values, err));
    dae__row_scale(l->G, l->G_values, y, l->scale);
  }
  return DAE_OK;
}

static dae_status momentum_z_residual(dae__level *l, const double *z, bool scaled, dae_error *err)
{
  dae__momentum_motion *motion = l->self;
  dae__momentum *m = motion->m;
  const dae_pattern *G = &m->pattern[DAE__G_Y];
  double *g_y = motion->part[DAE__G_Y];
  dae_momentum_at at = {.t = l->t, .y = motion->y, .z = z};
  DAE__TRY(dae__momentum_eval(m, DAE__GDOT, &at, NULL, l->residual, err));
  DAE__TRY(dae__momentum_eval(m, DAE__K, &at, NULL, l->residual + m->ng, err));
  if (!scaled)
    return DAE_OK;
  DAE__TRY(dae__momentum_jacobian(m, DAE__G_Y, &at, NULL, g_y, err));
  DAE__TRY(dae__momentum_eval(m, DAE__V, &at, NULL, motion->v, err));
  DAE__TRY(dae__momentum_jacobian(m, DAE__K_Z, &at, NULL, l->K_values, err));
  dae__row_scale(G, g_y, motion->v, l->scale);
  dae__row_scale(l->K, l->K_values, z, l->scale + m->ng);
  /* the error of differences, which no iteration reduces, is below the tolerance of the scale */
  double error = dae__momentum_gdot_error(m, motion->y, motion->v);
  dae__row_scale(G, g_y, motion->y, motion->size);
  dae__axpy(m->ng, error / (l->start ? DAE__START_MET / 2 : DAE__ON_CONSTRAINT), motion->size,
            l->scale);
  return DAE_OK;
}

/* g_y, known from the residual at a start; g_y v_z, where k_z is known from it; or the matrix of
 * the constraint forces. */
static dae_status momentum_level_jacobian(dae__level *l, const double *x, dae_error *err)
{
  dae__momentum_motion *motion = l->self;
  bool y = l == &motion->level[DAE__LEVEL_Y];
  dae_momentum_at at = {.t = l->t, .y = y ? x : motion->y, .z = y ? motion->z : x};
  if (l->solver)
    return dae__momentum_factor(motion, &at, err);
  return y && l->start ? DAE_OK
                       : dae__momentum_jacobian(motion->m, y ? DAE__G_Y : DAE__GDOT_Z, &at, NULL,
                                                l->G_values, err);
}

static const dae__level_table momentum_y_table = {momentum_y_residual, momentum_level_jacobian,
                                                  momentum_level_name, NULL};
static const dae__level_table momentum_z_table = {momentum_z_residual, momentum_level_jacobian,
                                                  momentum_level_name, NULL};

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
  double **of_n[] = {&motion->residual, &motion->terms, &motion->x, &motion->unknown,
                     &motion->rate};
  for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++)
    *of_n[i] = DAE__ALLOC(arena, double, n);
  double **of_y[] = {&motion->v, &motion->v_rate, &motion->v_base, &motion->moved_y};
  for (size_t i = 0; i < sizeof of_y / sizeof *of_y; i++)
    *of_y[i] = DAE__ALLOC(arena, double, m->ny);
  motion->moved_z = DAE__ALLOC(arena, double, m->nz);
  motion->ones = DAE__ALLOC(arena, double, larger);
  DAE__VECTORS(arena, largest, &motion->size, &motion->sample);
  motion->independent = DAE__ALLOC(arena, bool, m->nc);
  if (dae__arena_failed(arena))
    return;
  DAE__LIMIT_TRUTH(arena, motion->memory->factored, DAE__MOMENTUM_LEVELS);
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

/* A level without its matrix; y: level of y, else of z. */
static dae__level momentum_level(dae__momentum_motion *motion, int index)
{
  dae__momentum *m = motion->m;
  bool y = index == DAE__LEVEL_Y;
  dae__momentum_part G = y ? DAE__G_Y : DAE__GDOT_Z;
  dae__level level = {.table = y ? &momentum_y_table : &momentum_z_table,
                      .self = motion,
                      .where = y ? " at the level of y" : " at the level of z",
                      .n = y ? m->ny : m->nz,
                      .rows = y ? m->ng : m->nc,
                      .M = y ? &motion->one_y : &motion->one_z,
                      .G = &m->pattern[G],
                      .K = y ? &motion->no_k : &m->pattern[DAE__K_Z],
                      .M_values = motion->ones,
                      .G_values = motion->part[G],
                      .K_values = y ? NULL : motion->part[DAE__K_Z],
                      .factored = &motion->memory->factored[index],
                      .factorisations = &motion->memory->factorisations};
  dae__level_alloc(motion->arena, &level);
  return level;
}

dae_status dae__momentum_motion_create(dae__arena *arena, dae__momentum *m,
                                       dae__momentum_motion **out, dae_error *err)
{
  dae__momentum_motion *motion = DAE__ALLOC(arena, dae__momentum_motion, 1);
  *out = NULL;
  DAE__TRY(dae__arena_status(arena, err));
  motion->m = m;
  motion->arena = arena;
  momentum_alloc_vectors(motion, arena);
  momentum_merge_blocks(motion, arena);
  DAE__TRY(dae__arena_status(arena, err));
  dae_status status = dae__solver_create(arena, &motion->pattern, &motion->solver, err);
  for (int i = 0; i < DAE__MOMENTUM_LEVELS && !status; i++) {
    dae__level *l = &motion->level[i];
    *l = momentum_level(motion, i);
    if (i == DAE__LEVEL_FORCES)
      l->solver = motion->solver;
    else if (l->rows > 0)
      status = dae__saddle_create(arena, l->M, l->G, l->K, &l->saddle, err);
  }
  if (!status && dae__arena_failed(arena))
    status = dae__out_of_memory(err);
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
  for (int i = 0; i < DAE__MOMENTUM_LEVELS; i++)
    dae__saddle_free(motion->level[i].saddle);
}

/* ---- projection ---- */

dae__level *dae__momentum_level_at(dae__momentum_motion *motion, int index, double t, double *y,
                                   double *z)
{
  dae__level *l = &motion->level[index];
  l->t = t;
  l->x = index == DAE__LEVEL_Y ? y : z;
  l->fixed = NULL;
  motion->y = y;
  motion->z = z;
  return l;
}

dae_status dae__momentum_project(dae__momentum_motion *motion, double t, double *y, double *z,
                                 bool *moved, dae_error *err)
{
  bool changed = false;
  dae_status status = DAE_OK;
  for (int i = DAE__LEVEL_Y; i <= DAE__LEVEL_FORCES && !status; i++) {
    dae__level *l = dae__momentum_level_at(motion, i, t, y, z);
    if (l->rows > 0)
      status = dae__level_project(l, &changed, err);
  }
  motion->memory->projections += changed;
  if (moved)
    *moved = changed;
  return status;
}
