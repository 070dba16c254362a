/* Projection, accelerations and independent constraints by the saddle system
 *
 *   [ M  A' ] [ x ]   [ a ]
 *   [ A  0  ] [ y ] = [ b ],   A = [G; K]:
 *
 *   projection of q     a = 0, b = (-g, 0)                q += x, repeated until g = 0
 *   projection of v     a = 0, b = (-gdot, -k)            v += x
 *   accelerations       a = f, b = (-gamma, -kappa)       x = v', y = (lambda, psi)
 *
 * x is the correction of least mass norm (the position is moved along K x = 0, so that one matrix
 * serves both). The projections take the factorisation at hand, and a new one only where that does
 * not converge.
 *
 * Dependent rows D = C I of A are found by pivoted elimination and taken out. C follows from the
 * same saddle matrix, since M x + I' c = d' and I x = 0 has the solution x = 0 for a row d of the
 * span of I. Multipliers of minimum norm that exert the same force as y_I:
 *   y_D = (1 + C C')^-1 C y_I,   y_I <- y_I - C' y_D. */
#include "problem/motion.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/dense.h"
#include "linalg/rank.h"
#include <float.h>
#include <stdio.h>

/* rows are independent while more than this is left of them after elimination; differenced
 * Jacobians are good to about 1e-12 */
#define RANK_TOLERANCE 1e-9
/* a row taken out may be off by this, relative to its terms, before it counts as independent */
#define STILL_DEPENDENT 1e-7
/* DESIGN: states leave an integrator on their constraints to this, relative to their terms */
#define ON_CONSTRAINT 1e-12

/* what finding dependent rows needs */
static void take_rank_memory(dae__motion *motion)
{
  dae__mech *m = motion->m;
  dae__arena *arena = motion->arena;
  dae__block blocks[2] = {{.pattern = &m->G}, {.row = m->ng, .pattern = &m->K}};
  motion->A = dae__blocks_merge(arena, m->nc, m->nq, blocks, 2);
  motion->G_in_A = blocks[0];
  motion->K_in_A = blocks[1];
  motion->all = DAE__TAKE(arena, bool, m->nc);
  motion->full_G = DAE__TAKE(arena, double, dae__pattern_count(&m->G));
  motion->full_K = DAE__TAKE(arena, double, dae__pattern_count(&m->K));
  motion->column = DAE__TAKE(arena, double, m->nq);
  if (dae__arena_failed(arena))
    return;
  motion->stacked = DAE__TAKE(arena, double, dae__pattern_count(&motion->A));
  for (int i = 0; i < m->nc; i++)
    motion->all[i] = true;
}

dae_status dae__motion_create(dae__arena *arena, dae__mech *m, dae__motion **out, dae_error *err)
{
  dae__motion *motion = DAE__TAKE(arena, dae__motion, 1);
  *out = NULL;
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  motion->m = m;
  motion->arena = arena;
  motion->memory = DAE__KEEP(arena, dae__motion_memory, 1);
  motion->M = DAE__TAKE(arena, double, dae__pattern_count(&m->M));
  motion->G = DAE__TAKE(arena, double, dae__pattern_count(&m->G));
  motion->K = DAE__TAKE(arena, double, dae__pattern_count(&m->K));
  motion->fsc = DAE__TAKE(arena, double, m->nr);
  motion->diagonal = DAE__TAKE(arena, double, m->nq + m->nc);
  motion->residual = DAE__TAKE(arena, double, m->nc);
  motion->scale = DAE__TAKE(arena, double, m->nc);
  motion->terms = DAE__TAKE(arena, double, m->nc);
  motion->top = DAE__TAKE(arena, double, m->nq);
  motion->bottom = DAE__TAKE(arena, double, m->nc);
  if (!dae__arena_failed(arena))
    take_rank_memory(motion);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae_status status = dae__saddle_create(arena, &m->M, &m->G, &m->K, &motion->saddle, err);
  if (!status)
    *out = motion;
  return status;
}

void dae__motion_free(dae__motion *motion)
{
  if (motion)
    dae__saddle_free(motion->saddle);
}

dae_status dae__motion_factor(dae__motion *motion, dae_error *err)
{
  const dae__mech *m = motion->m;
  char name[64];
  dae_status status =
      dae__saddle_factor(motion->saddle, motion->M, motion->G, motion->K, motion->diagonal);
  motion->memory->factored = status == DAE_OK;
  motion->memory->factorisations++;
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  int column = dae__saddle_column(motion->saddle);
  if (column >= m->nq)
    return dae__fail(err, status,
                     dae__mech_constraint_name(m->p, column - m->nq, name, sizeof name),
                     "constraint %s depends on the others here, or cannot be met: the matrix "
                     "[M A'; A 0] is singular",
                     name);
  if (column < 0)
    return dae__fail(err, status, NULL,
                     "the matrix [M A'; A 0] is singular: a coordinate has no "
                     "mass and no constraint that determines it, or constraints are dependent");
  dae_problem_variable(&(dae_problem){.mechanical = m->p}, column, name, sizeof name);
  return dae__fail(err, status, name,
                   "neither mass nor constraints determine the motion of %s: "
                   "give it kinetic energy, or check the constraints it stands in",
                   name);
}

void dae__row_scale(const dae_pattern *pattern, const double *A, const double *x, double *scale)
{
  double floor = 1e-3 * dae__max_abs(pattern->cols, x);
  dae__zero(pattern->rows, scale);
  for (int j = 0; j < pattern->cols; j++)
    for (int e = pattern->start[j]; e < pattern->start[j + 1]; e++)
      scale[pattern->row[e]] += fabs(A[e]) * (fabs(x[j]) + floor);
}

/* largest |residual_i| / scale_i, and where */
static double worst(int n, const double *residual, const double *scale, int *row)
{
  double max = 0;
  for (int i = 0; i < n; i++) {
    double ratio = residual[i] == 0 ? 0 : fabs(residual[i]) / scale[i];
    if (!(ratio <= max))
      max = ratio, *row = i;
  }
  return max;
}

/* ---- projection ---- */

typedef struct projection {
  dae__motion *motion;
  double t;
  double *q, *v;
  bool velocity; /* v is being moved, else q */
} projection;

/* residual of the level that is projected, and the Jacobians; the velocity level comes after the
 * position level, with G as that has left it */
static dae_status residual_of(const projection *p, dae_error *err)
{
  dae__motion *motion = p->motion;
  dae__mech *m = motion->m;
  dae_mechanical_at at = {.t = p->t, .q = p->q, .v = p->v};
  dae_mechanical_wanted want = {.g = motion->residual, .G = motion->G};
  if (p->velocity)
    want = (dae_mechanical_wanted){.k = motion->residual + m->ng, .K = motion->K};
  dae__zero(m->nc, motion->residual);
  dae_status status = dae__mech_eval(m, &at, &want, err);
  if (!status && p->velocity && m->ng > 0)
    status = dae__mech_gdot(m, &at, motion->G, motion->residual, err);
  return status;
}

/* size of the terms of each row before anything is moved: what shrinks while it is moved, as a
 * velocity that must vanish does, is not measured by what is left of it */
static void scale_of(const projection *p)
{
  dae__motion *motion = p->motion;
  dae__mech *m = motion->m;
  dae_mechanical_at at = {.t = p->t, .q = p->q, .v = p->v};
  dae__row_scale(&m->G, motion->G, p->velocity ? p->v : p->q, motion->scale);
  if (!p->velocity)
    return;
  dae__row_scale(&m->K, motion->K, p->v, motion->scale + m->ng);
  /* the error of differences, and terms that are not of the form A v, such as g_t */
  double error = dae__mech_gdot_error(m, &at);
  if (error > 0) {
    dae__row_scale(&m->G, motion->G, p->q, motion->bottom);
    dae__axpy(m->ng, error / ON_CONSTRAINT, motion->bottom, motion->scale);
  }
  dae__copy(m->nc, motion->residual, motion->bottom);
  dae__matrix_times(&m->G, motion->G, -1, p->v, motion->bottom);
  dae__matrix_times(&m->K, motion->K, -1, p->v, motion->bottom + m->ng);
  for (int i = 0; i < m->nc; i++)
    motion->scale[i] += fabs(motion->bottom[i]);
}

/* the system of the active rows; "multiplier = 0" for the others */
static dae_status factor_active(dae__motion *motion, dae_error *err)
{
  const dae__mech *m = motion->m;
  dae__zero(m->nq, motion->diagonal);
  for (int i = 0; i < m->nc; i++)
    motion->diagonal[m->nq + i] = m->active[i] ? 0 : 1;
  return dae__motion_factor(motion, err);
}

static dae_status factor_here(const projection *p, dae_error *err)
{
  dae__motion *motion = p->motion;
  dae_mechanical_at at = {.t = p->t, .q = p->q, .v = p->v};
  dae_mechanical_wanted want = {.M = motion->M, .G = motion->G, .K = motion->K};
  dae_status status = dae__mech_eval(motion->m, &at, &want, err);
  return status ? status : factor_active(motion, err);
}

/* x += correction; true where that did not change x */
static bool correct(const projection *p)
{
  dae__motion *motion = p->motion;
  dae__mech *m = motion->m;
  double *x = p->velocity ? p->v : p->q;
  dae__zero(m->nq, motion->top);
  for (int i = 0; i < m->nc; i++)
    motion->bottom[i] = -motion->residual[i];
  dae__saddle_solve(motion->saddle, motion->top, motion->bottom);
  double size = dae__max_abs(m->nq, x), change = dae__max_abs(m->nq, motion->top);
  dae__axpy(m->nq, 1, motion->top, x);
  return change <= 4 * DBL_EPSILON * size;
}

static dae_status project_level(const projection *p, bool *moved, dae_error *err)
{
  dae__motion *motion = p->motion;
  dae__mech *m = motion->m;
  double before = INFINITY;
  int row = 0, count = p->velocity ? m->nc : m->ng;
  char name[64];
  for (int i = 0; i < 12; i++) {
    dae_status status = residual_of(p, err);
    if (status)
      return status;
    if (i == 0)
      scale_of(p);
    double now = worst(count, motion->residual, motion->scale, &row);
    if (now <= ON_CONSTRAINT)
      return DAE_OK;
    /* the factorisation at hand, as long as it reduces the residual well */
    if (!motion->memory->factored || now > 0.1 * before)
      status = factor_here(p, err);
    if (status)
      return status;
    *moved = true;
    if (correct(p))
      return DAE_OK;
    before = now;
  }
  dae__mech_constraint_name(m->p, row, name, sizeof name);
  return dae__fail(err, DAE_ERROR_RECOVERABLE, name,
                   "the state could not be projected onto "
                   "constraint %s",
                   name);
}

dae_status dae__motion_project(dae__motion *motion, double t, double *q, double *v, bool *moved,
                               dae_error *err)
{
  projection p = {.motion = motion, .t = t, .q = q, .v = v};
  bool changed = false;
  dae_status status = DAE_OK;
  if (motion->m->ng > 0)
    status = project_level(&p, &changed, err);
  p.velocity = true;
  if (!status && motion->m->nc > 0)
    status = project_level(&p, &changed, err);
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
    status = project_level(&p, &changed, err);
  motion->memory->projections += changed;
  return status;
}

/* ---- dependent rows ---- */

/* entries of row i of A = [G; K] as a column */
static void row_as_column(const dae__motion *motion, int i, double *x)
{
  const dae__mech *m = motion->m;
  const dae_pattern *p = i < m->ng ? &m->G : &m->K;
  const double *A = i < m->ng ? motion->full_G : motion->full_K;
  int row = i < m->ng ? i : i - m->ng;
  dae__zero(m->nq, x);
  for (int j = 0; j < p->cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      if (p->row[e] == row)
        x[j] = A[e];
}

/* c with A_i = sum_j c_j A_j over the active rows */
static void combination(dae__motion *motion, int i, double *c)
{
  row_as_column(motion, i, motion->column);
  dae__zero(motion->m->nc, c);
  dae__saddle_solve(motion->saddle, motion->column, c);
}

/* full_G and full_K: the Jacobians with no row masked */
static dae_status unmasked(dae__motion *motion, const dae_mechanical_at *at, dae_error *err)
{
  dae__mech *m = motion->m;
  bool *active = m->active;
  m->active = motion->all;
  dae_status status = dae__mech_eval(
      m, at, &(dae_mechanical_wanted){.G = motion->full_G, .K = motion->full_K}, err);
  m->active = active;
  return status;
}

/* y_D = (1 + C C')^-1 C y_I,  y_I -= C' y_D */
static dae_status minimum_norm(dae__motion *motion, const dae_mechanical_at *at, double *y,
                               dae_error *err)
{
  dae__mech *m = motion->m;
  size_t nc = (size_t)m->nc;
  int nd = 0;
  double *C = motion->C, *S = motion->S, *y_D = motion->y_D;
  dae_status status = unmasked(motion, at, err);
  if (status)
    return status;
  for (int i = 0; i < m->nc; i++)
    if (!m->active[i])
      combination(motion, i, C + nc * (size_t)nd++);
  for (int i = 0; i < nd; i++) {
    const double *C_i = C + nc * (size_t)i;
    y_D[i] = dae__dot(m->nc, C_i, y);
    for (int j = 0; j < nd; j++)
      S[i + nd * j] = (i == j) + dae__dot(m->nc, C_i, C + nc * (size_t)j);
  }
  dae__lu_factor(nd, S, motion->pivot); /* positive definite, so always regular */
  dae__lu_solve(nd, S, motion->pivot, y_D);
  for (int d = 0; d < nd; d++)
    dae__axpy(m->nc, -y_D[d], C + nc * (size_t)d, y);
  for (int i = 0, d = 0; i < m->nc; i++)
    if (!m->active[i])
      y[i] = y_D[d++];
  return DAE_OK;
}

dae_status dae__motion_accelerate(dae__motion *motion, double t, double *y, double *dy,
                                  dae_error *err)
{
  dae__mech *m = motion->m;
  dae_mechanical_at at = dae__mech_at(m, t, y);
  dae_mechanical_wanted want = {.M = motion->M,
                                .f = motion->fsc,
                                .s = motion->fsc + m->nq,
                                .G = motion->G,
                                .gamma = motion->bottom,
                                .K = motion->K,
                                .kappa = motion->bottom + m->ng};
  dae_status status = dae__mech_eval(m, &at, &want, err);
  if (!status)
    status = factor_active(motion, err);
  if (status)
    return status;
  dae__copy(m->nq, motion->fsc, motion->top);
  dae__scale(m->nc, -1, motion->bottom);
  dae__saddle_solve(motion->saddle, motion->top, motion->bottom);
  if (dy) {
    dae__copy(m->nq, y + m->at.v, dy);
    dae__copy(m->nq, motion->top, dy + m->at.v);
    dae__copy(m->nu, motion->fsc + m->nq, dy + m->at.u);
  }
  dae__copy(m->nc, motion->bottom, y + m->at.lambda);
  return motion->m->count->dependent > 0 ? minimum_norm(motion, &at, y + m->at.lambda, err)
                                         : DAE_OK;
}

/* "bar3 depends on bar1, bar2" */
static void describe(dae__motion *motion, int i, char *text, size_t size)
{
  const dae__mech *m = motion->m;
  double *c = motion->bottom;
  char name[64];
  size_t used = 0;
  combination(motion, i, c);
  double largest = dae__max_abs(m->nc, c);
#define APPEND(...)                                                                                \
  do {                                                                                             \
    int wrote = snprintf(text + used, size - used, __VA_ARGS__);                                   \
    used = wrote < 0 || used + (size_t)wrote >= size ? size - 1 : used + (size_t)wrote;            \
  } while (0)
  APPEND("constraint %s depends on", dae__mech_constraint_name(m->p, i, name, sizeof name));
  int named = 0;
  for (int j = 0; j < m->nc; j++)
    if (fabs(c[j]) > 1e-6 * largest)
      APPEND("%s %s", named++ ? "," : "", dae__mech_constraint_name(m->p, j, name, sizeof name));
  if (named == 0)
    APPEND(" nothing that can move");
  APPEND("\n");
#undef APPEND
}

/* memory for nd dependent rows; choosing rows is the start's work, where it may be taken */
static dae_status reserve(dae__motion *motion, int nd, dae_error *err)
{
  size_t n = (size_t)nd;
  if (nd <= motion->capacity)
    return DAE_OK;
  motion->C = DAE__TAKE(motion->arena, double, n *(size_t)motion->m->nc);
  motion->S = DAE__TAKE(motion->arena, double, n *n);
  motion->y_D = DAE__TAKE(motion->arena, double, n);
  motion->pivot = DAE__TAKE(motion->arena, int, n);
  if (dae__arena_failed(motion->arena))
    return dae__out_of_memory(err);
  motion->capacity = nd;
  return DAE_OK;
}

/* independent rows of [G; K] by what is in full_G, full_K */
static dae_status choose_rows(dae__motion *motion, dae_error *err)
{
  dae__mech *m = motion->m;
  int rank;
  dae__zero(dae__pattern_count(&motion->A), motion->stacked);
  dae__block_add(&motion->G_in_A, 1, motion->full_G, motion->stacked);
  dae__block_add(&motion->K_in_A, 1, motion->full_K, motion->stacked);
  for (int i = 0; i < m->nc; i++)
    m->active[i] = true;
  dae_status status = dae__rank_rows(&motion->A, motion->stacked, RANK_TOLERANCE,
                                     dae__arena_env(motion->arena), m->active, NULL, &rank, NULL);
  if (status)
    return dae__fail(err, status, NULL, "the constraints could not be examined: %s",
                     dae_status_text(status));
  motion->m->count->dependent = m->nc - rank;
  return reserve(motion, m->nc - rank, err);
}

dae_status dae__motion_pick(dae__motion *motion, double t, const double *y, char *text, size_t size,
                            dae_error *err)
{
  dae__mech *m = motion->m;
  dae_mechanical_at at = dae__mech_at(m, t, y);
  dae_status status = unmasked(motion, &at, err);
  if (!status)
    status = choose_rows(motion, err);
  if (text && size > 0)
    text[0] = '\0';
  if (status || motion->m->count->dependent == 0)
    return status;
  dae_mechanical_wanted want = {.M = motion->M, .G = motion->G, .K = motion->K};
  status = dae__mech_eval(m, &at, &want, err);
  if (!status)
    status = factor_active(motion, err);
  for (int i = 0; i < m->nc && text && !status; i++)
    if (!m->active[i] && size > 1) {
      describe(motion, i, text, size);
      size_t used = strlen(text);
      text += used, size -= used;
    }
  return status;
}

dae_status dae__motion_check_dependent(dae__motion *motion, double t, const double *q,
                                       const double *v, dae_error *err)
{
  dae__mech *m = motion->m;
  dae_mechanical_at at = {.t = t, .q = q, .v = v};
  bool *active = m->active;
  char name[64];
  if (motion->m->count->dependent == 0)
    return DAE_OK;
  m->active = motion->all;
  dae_mechanical_wanted want = {.g = motion->residual,
                                .k = motion->residual + m->ng,
                                .G = motion->full_G,
                                .K = motion->full_K};
  dae_status status = dae__mech_eval(m, &at, &want, err);
  m->active = active;
  dae__row_scale(&m->G, motion->full_G, q, motion->scale);
  dae__row_scale(&m->K, motion->full_K, v, motion->scale + m->ng);
  for (int i = 0; i < m->nc && !status; i++)
    if (!active[i] && fabs(motion->residual[i]) > STILL_DEPENDENT * motion->scale[i])
      status = dae__fail(err, DAE_ERROR_RECOVERABLE,
                         dae__mech_constraint_name(m->p, i, name, sizeof name),
                         "constraint %s followed from the others at the start but no longer does: "
                         "the mechanism may have passed a position where it can branch",
                         name);
  return status;
}

dae_status dae__motion_follow(dae__motion *motion, dae_error *err)
{
  return reserve(motion, motion->m->count->dependent, err);
}

dae_status dae__motion_reload(dae__motion *motion)
{
  dae_status status = dae__motion_follow(motion, NULL);
  if (!status && motion->memory->factored)
    status = dae__saddle_reload(motion->saddle);
  return status;
}
