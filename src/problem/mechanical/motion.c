/* Creation of a dae__motion, and projection by the saddle system
 *
 *   [ M  A' ] [ x ]   [ 0 ]
 *   [ A  0  ] [ y ] = [ b ],   A = [G; K]:
 *
 *   projection of q     b = (-g, 0)         q += x, repeated until g = 0
 *   projection of v     b = (-gdot, -k)     v += x
 *
 * x is the minimum-norm correction in the M norm (the position is moved along K x = 0, so that one
 * matrix serves both). The projections reuse an existing factorisation, and form a new one only
 * where it does not converge. */
#include "problem/mechanical/motion.h"
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include <float.h>

/* Largest number of rows of [G; K] for the fused factor and solve of accelerations, see
 * dae__saddle_solve_fused. Chosen, not measured. */
#define SMALL_ROWS 2

/* Dense [G; K] by columns, for the fused factor and solve of small problems. */
static void motion_create_dense_A(dae__motion *motion)
{
  const dae__mech *m = motion->m;
  int entries = dae__pattern_count(&m->G) + dae__pattern_count(&m->K);
  motion->small = m->nc > 0 && m->nc <= SMALL_ROWS;
  motion->contiguous = (m->ng == 0 || m->nk == 0) && entries == m->nc * m->nq;
  motion->fast_path = motion->small && motion->contiguous && m->eval_all && !m->input &&
                      m->nu + m->nw == 0 && m->p->constant_mass;
  if (!motion->small || motion->contiguous)
    return;
  motion->dense_A = DAE__ALLOC(motion->arena, double, m->nc * m->nq);
  for (int k = 0; k < 2; k++) {
    const dae_pattern *p = k ? &m->K : &m->G;
    int *place = DAE__ALLOC(motion->arena, int, dae__pattern_count(p)), first = k ? m->ng : 0;
    for (int j = 0; place && j < p->cols; j++)
      for (int e = p->start[j]; e < p->start[j + 1]; e++)
        place[e] = j * m->nc + first + p->row[e];
    *(k ? &motion->K_in_dense : &motion->G_in_dense) = place;
  }
}

/* Operands of the fused factor and solve for accelerations. */
static void motion_make_forces(dae__motion *motion)
{
  const double *A = motion->m->ng > 0 ? motion->G : motion->K;
  motion->forces = (dae__saddle_forces){
      .A = motion->contiguous ? A : motion->dense_A, .f = motion->top, .c = motion->bottom};
}

/* Recomputes, after a load, the number of dependent rows and their memory. */
static dae_status motion_reload(void *self)
{
  dae__motion *motion = self;
  dae__mech *m = motion->m;
  motion->mass_known = false; /* the last factorisation may be of another motion */
  m->count->dependent = m->nc;
  for (int i = 0; i < m->nc; i++)
    m->count->dependent -= m->active[i];
  return dae__motion_reserve_dependent(motion, NULL);
}

/* Allocates memory that two dae__motion of one problem do not share. */
static void motion_alloc_own_memory(dae__motion *motion)
{
  dae__mech *m = motion->m;
  dae__arena *arena = motion->arena;
  motion->memory = DAE__STATE(arena, dae__motion_memory, 1);
  motion->M = DAE__ALLOC(arena, double, dae__pattern_count(&m->M));
  motion->G = DAE__ALLOC(arena, double, dae__pattern_count(&m->G));
  motion->K = DAE__ALLOC(arena, double, dae__pattern_count(&m->K));
  motion->s = DAE__ALLOC(arena, double, m->nu);
  motion->diagonal = DAE__ALLOC(arena, double, m->nq + m->nc);
  motion->residual = DAE__ALLOC(arena, double, m->nc);
  motion->scale = DAE__ALLOC(arena, double, m->nc);
  motion->terms = DAE__ALLOC(arena, double, m->nc);
  motion->sides = DAE__ALLOC(arena, double, 3 * (m->nq + m->nc));
  motion->projected_G = DAE__ALLOC(arena, double, dae__pattern_count(&m->G));
  if (!motion->sides)
    return;
  dae__arena_on_load(arena, motion_reload, motion);
  DAE__LIMIT_TRUTH(arena, &motion->memory->factored, 1);
  DAE__LIMIT_COUNTER(arena, &motion->memory->projections, 2);
  motion->top = motion->sides;
  motion->bottom = motion->sides + m->nq;
  motion->want = (dae_mechanical_wanted){.f = motion->top, .s = m->nu > 0 ? motion->s : NULL};
  if (m->ng > 0)
    motion->want.G = motion->G, motion->want.gamma = motion->bottom;
  if (m->nk > 0)
    motion->want.K = motion->K, motion->want.kappa = motion->bottom + m->ng;
}

dae_status dae__motion_create(dae__arena *arena, dae__mech *m, dae__motion **out, dae_error *err)
{
  dae__motion *motion = DAE__ALLOC(arena, dae__motion, 1);
  *out = NULL;
  if (!motion)
    return dae__out_of_memory(err);
  motion->m = m;
  motion->arena = arena;
  motion_alloc_own_memory(motion);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  motion_create_dense_A(motion);
  /* memory for dependent rows */
  dae__block blocks[2] = {{.pattern = &m->G}, {.row = m->ng, .pattern = &m->K}};
  motion->A = dae__blocks_merge(arena, m->nc, m->nq, blocks, 2);
  motion->G_in_A = blocks[0];
  motion->K_in_A = blocks[1];
  motion->all = DAE__ALLOC(arena, bool, m->nc);
  motion->full_G = DAE__ALLOC(arena, double, dae__pattern_count(&m->G));
  motion->full_K = DAE__ALLOC(arena, double, dae__pattern_count(&m->K));
  motion->column = DAE__ALLOC(arena, double, m->nq);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  motion->stacked = DAE__ALLOC(arena, double, dae__pattern_count(&motion->A));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int i = 0; i < m->nc; i++)
    motion->all[i] = true;
  motion_make_forces(motion);
  DAE__TRY(dae__saddle_create(arena, &m->M, &m->G, &m->K, &motion->saddle, err));
  *out = motion;
  return DAE_OK;
}

dae_status dae__motion_create_second(dae__arena *arena, const dae__motion *first, dae__motion **out,
                                     dae_error *err)
{
  dae__motion *motion = DAE__ALLOC(arena, dae__motion, 1);
  *out = NULL;
  if (!motion)
    return dae__out_of_memory(err);
  *motion = (dae__motion){.m = first->m,
                          .arena = arena,
                          .A = first->A,
                          .G_in_A = first->G_in_A,
                          .K_in_A = first->K_in_A,
                          .all = first->all,
                          .full_G = first->full_G,
                          .full_K = first->full_K,
                          .stacked = first->stacked,
                          .column = first->column,
                          .small = first->small,
                          .contiguous = first->contiguous,
                          .fast_path = first->fast_path,
                          .dense_A = first->dense_A,
                          .G_in_dense = first->G_in_dense,
                          .K_in_dense = first->K_in_dense};
  motion_alloc_own_memory(motion);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  motion_make_forces(motion);
  dae_status status = dae__saddle_create_sharing(arena, first->saddle, &motion->saddle, err);
  if (!status)
    *out = motion;
  return status;
}

void dae__motion_free(dae__motion *motion)
{
  if (motion)
    dae__saddle_free(motion->saddle);
}

/* ---- factorisation ---- */

/* Message for a singular saddle matrix, naming the variable or constraint at fault. */
static dae_status motion_explain(const dae__motion *motion, dae_status status, dae_error *err)
{
  const dae__mech *m = motion->m;
  char name[64];
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  int column = dae__saddle_column(motion->saddle);
  if (column >= m->nq)
    return dae__fail(err, status,
                     dae__mech_constraint_name(m->p, column - m->nq, name, sizeof name),
                     "constraint %s depends on the others at this point, or cannot be met: the "
                     "matrix [M A'; A 0] is singular",
                     name);
  if (column < 0)
    return dae__fail(err, status, NULL,
                     "the matrix [M A'; A 0] is singular: a coordinate has no mass and no "
                     "constraint that determines it, or constraints are dependent");
  dae_problem_variable(&(dae_problem){.mechanical = m->p}, column, name, sizeof name);
  return dae__fail(err, status, name,
                   "neither mass nor constraints determine the motion of %s: give it kinetic "
                   "energy, or check the constraints that contain it",
                   name);
}

dae_status dae__motion_factored(dae__motion *motion, dae_status status, dae_error *err)
{
  motion->memory->factored = status == DAE_OK;
  motion->memory->factorisations++;
  return status ? motion_explain(motion, status, err) : DAE_OK;
}

dae_status dae__motion_factor(dae__motion *motion, const double *diagonal, dae_error *err)
{
  dae_status status = dae__saddle_factor(motion->saddle, motion->M, motion->G, motion->K, diagonal);
  return dae__motion_factored(motion, status, err);
}

dae_status dae__motion_factor_active(dae__motion *motion, dae_error *err)
{
  const dae__mech *m = motion->m;
  if (m->count->dependent == 0)
    return dae__motion_factor(motion, NULL, err);
  dae__zero(m->nq, motion->diagonal);
  for (int i = 0; i < m->nc; i++)
    motion->diagonal[m->nq + i] = m->active[i] ? 0 : 1;
  return dae__motion_factor(motion, motion->diagonal, err);
}

/* ---- projection ---- */

void dae__row_scale(const dae_pattern *pattern, const double *A, const double *x, double *scale)
{
  double floor = 1e-3 * dae__max_abs(pattern->cols, x);
  dae__zero(pattern->rows, scale);
  for (int j = 0; j < pattern->cols; j++)
    for (int e = pattern->start[j]; e < pattern->start[j + 1]; e++)
      scale[pattern->row[e]] += fabs(A[e]) * (fabs(x[j]) + floor);
}

double dae__row_worst(int n, const double *residual, const double *scale, int *row)
{
  double max = 0;
  for (int i = 0; i < n; i++) {
    double ratio = residual[i] == 0 ? 0 : fabs(residual[i]) / scale[i];
    if (!(ratio <= max))
      max = ratio, *row = i;
  }
  return max;
}

typedef struct projection {
  dae__motion *motion;
  double t;
  double *q, *v;
  bool velocity; /* projection of v, else of q */
} projection;

/* Evaluates the residual and Jacobians of the level that is projected; the velocity level follows
 * the position level and uses its G. */
static dae_status motion_residual(const projection *p, dae_error *err)
{
  dae__motion *motion = p->motion;
  dae__mech *m = motion->m;
  dae_mechanical_at at = {.t = p->t, .q = p->q, .v = p->v};
  dae_mechanical_wanted want = {.g = motion->residual, .G = motion->G};
  if (p->velocity)
    want = (dae_mechanical_wanted){.k = motion->residual + m->ng, .K = motion->K};
  dae__zero(m->nc, motion->residual);
  DAE__TRY(dae__mech_eval(m, &at, &want, err));
  return p->velocity && m->ng > 0 ? dae__mech_gdot(m, &at, motion->G, motion->residual, err)
                                  : DAE_OK;
}

/* Size of the terms of each row before the projection: a value that shrinks during the projection,
 * such as a velocity that must vanish, is measured by its initial terms. */
static void motion_scale(const projection *p)
{
  dae__motion *motion = p->motion;
  dae__mech *m = motion->m;
  dae_mechanical_at at = {.t = p->t, .q = p->q, .v = p->v};
  dae__row_scale(&m->G, motion->G, p->velocity ? p->v : p->q, motion->scale);
  if (!p->velocity)
    return;
  dae__row_scale(&m->K, motion->K, p->v, motion->scale + m->ng);
  /* the scale includes the error of differences, and terms that are not of the form A v, such as
   * g_t */
  double error = dae__mech_gdot_error(m, &at);
  if (error > 0) {
    dae__row_scale(&m->G, motion->G, p->q, motion->bottom);
    dae__axpy(m->ng, error / DAE__ON_CONSTRAINT, motion->bottom, motion->scale);
  }
  dae__copy(m->nc, motion->residual, motion->bottom);
  dae__matrix_times(&m->G, motion->G, -1, p->v, motion->bottom);
  dae__matrix_times(&m->K, motion->K, -1, p->v, motion->bottom + m->ng);
  for (int i = 0; i < m->nc; i++)
    motion->scale[i] += fabs(motion->bottom[i]);
}

static dae_status motion_project_level(const projection *p, bool *moved, dae_error *err)
{
  dae__motion *motion = p->motion;
  dae__mech *m = motion->m;
  dae_mechanical_at at = {.t = p->t, .q = p->q, .v = p->v};
  dae_mechanical_wanted matrices = {.M = motion->M, .G = motion->G, .K = motion->K};
  double before = INFINITY, *x = p->velocity ? p->v : p->q;
  int row = 0, count = p->velocity ? m->nc : m->ng;
  char name[64];
  for (int i = 0; i < DAE__PROJECTION_ITERATIONS; i++) {
    DAE__TRY(motion_residual(p, err));
    if (i == 0)
      motion_scale(p);
    double now = dae__row_worst(count, motion->residual, motion->scale, &row);
    if (now <= DAE__ON_CONSTRAINT)
      return DAE_OK;
    /* an existing factorisation is reused as long as it reduces the residual well */
    if (!motion->memory->factored || now > DAE__PROJECTION_REDUCTION * before) {
      DAE__TRY(dae__mech_eval(m, &at, &matrices, err));
      DAE__TRY(dae__motion_factor_active(motion, err));
    }
    *moved = true;
    dae__zero(m->nq, motion->top);
    for (int j = 0; j < m->nc; j++)
      motion->bottom[j] = -motion->residual[j];
    dae__saddle_solve(motion->saddle, motion->top, motion->bottom);
    double size = dae__max_abs(m->nq, x), change = dae__max_abs(m->nq, motion->top);
    dae__axpy(m->nq, 1, motion->top, x);
    if (change <= 4 * DBL_EPSILON * size)
      return DAE_OK;
    before = now;
  }
  dae__mech_constraint_name(m->p, row, name, sizeof name);
  return dae__fail(err, DAE_ERROR_RECOVERABLE, name,
                   "the projection onto constraint %s does not converge", name);
}

dae_status dae__motion_project(dae__motion *motion, double t, double *q, double *v, bool *moved,
                               dae_error *err)
{
  projection p = {.motion = motion, .t = t, .q = q, .v = v};
  bool changed = false;
  dae_status status = DAE_OK;
  if (motion->m->ng > 0)
    status = motion_project_level(&p, &changed, err);
  p.velocity = true;
  if (!status && motion->m->nc > 0)
    status = motion_project_level(&p, &changed, err);
  motion->memory->projections += changed;
  if (moved)
    *moved = changed;
  return status;
}

dae_status dae__motion_project_velocity(dae__motion *motion, double t, double *q, double *v,
                                        dae_error *err)
{
  dae__mech *m = motion->m;
  projection p = {.motion = motion, .t = t, .q = q, .v = v, .velocity = true};
  dae_mechanical_at at = {.t = t, .q = q, .v = v};
  bool changed = false;
  dae_status status = m->ng > 0 ? dae__mech_G(m, &at, motion->G, err) : DAE_OK;
  if (!status && m->nc > 0)
    status = motion_project_level(&p, &changed, err);
  motion->memory->projections += changed;
  return status;
}
