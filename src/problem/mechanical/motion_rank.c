/* Dependent constraints.
 *
 * Dependent rows D = C I of A = [G; K], with I the independent rows, are found by pivoted
 * elimination and masked. C follows from the saddle matrix of I, since M x + I' c = d' and I x = 0
 * have the solution x = 0 for a row d in the span of I. Multipliers of minimum norm that exert the
 * same force as y_I:
 *
 *   y_D = (1 + C C')^-1 C y_I,   y_I <- y_I - C' y_D. */
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "linalg/dense.h"
#include "problem/consistent.h"
#include <float.h>
#include <math.h>

/* Velocity, relative to the largest one so far, that is rest for a row that follows from others:
 * below it its residual is not tested. Chosen: some thousand units of round-off, over
 * DAE__STILL_DEPENDENT. */
#define REST 1e-5
#define MARGIN_ITERATIONS 2 /* number of inverse iterations of a margin */

/* The level of velocities with no row of its matrices masked. */
static dae__level rank_unmasked(const dae__motion *motion)
{
  dae__level level = motion->velocity;
  level.G_values = motion->full_G;
  level.K_values = motion->full_K;
  return level;
}

/* Evaluates full_G and full_K, the Jacobians with no row masked, and the residuals (g, k) where
 * residual is not NULL. */
static dae_status rank_eval_unmasked(dae__motion *motion, const dae_mechanical_at *at,
                                     double *residual, dae_error *err)
{
  dae__mech *m = motion->m;
  bool *active = m->active;
  dae_mechanical_wanted want = {.G = motion->full_G, .K = motion->full_K};
  if (residual)
    want.g = residual, want.k = residual + m->ng;
  m->active = motion->all;
  dae_status status = dae__mech_eval(m, at, &want, err);
  m->active = active;
  return status;
}

dae_status dae__motion_minimum_norm(dae__motion *motion, const dae_mechanical_at *at, double *y,
                                    dae_error *err)
{
  dae__mech *m = motion->m;
  size_t nc = (size_t)m->nc;
  int nd = 0;
  double *C = motion->C, *S = motion->S, *y_D = motion->y_D;
  dae__level level = rank_unmasked(motion);
  DAE__TRY(rank_eval_unmasked(motion, at, NULL, err));
  for (int i = 0; i < m->nc; i++)
    if (!m->active[i])
      dae__level_combination(&level, i, C + nc * (size_t)nd++);
  for (int i = 0; i < nd; i++) {
    const double *C_i = C + nc * (size_t)i;
    y_D[i] = dae__dot(m->nc, C_i, y);
    for (int j = 0; j < nd; j++)
      S[i + nd * j] = (i == j) + dae__dot(m->nc, C_i, C + nc * (size_t)j);
  }
  dae__lu_factor(nd, S, motion->pivot); /* regular: 1 + C C' is positive definite */
  dae__lu_solve(nd, S, motion->pivot, y_D);
  for (int d = 0; d < nd; d++)
    dae__axpy(m->nc, -y_D[d], C + nc * (size_t)d, y);
  for (int i = 0, d = 0; i < m->nc; i++)
    if (!m->active[i])
      y[i] = y_D[d++];
  return DAE_OK;
}

/* Whether a row of the Jacobian with no row masked is zero. */
static bool rank_is_zero(const dae__motion *motion, int row)
{
  const dae__mech *m = motion->m;
  bool holonomic = row < m->ng, zero = true;
  const dae_pattern *p = holonomic ? &m->G : &m->K;
  const double *values = holonomic ? motion->full_G : motion->full_K;
  int own = holonomic ? row : row - m->ng;
  for (int e = 0; e < dae__pattern_count(p); e++)
    zero = zero && (p->row[e] != own || values[e] == 0);
  return zero;
}

int dae__motion_rows_off(const dae__motion *motion)
{
  const dae__mech *m = motion->m;
  int off = 0;
  for (int i = 0; m->p->switched && i < m->nc; i++)
    off += m->p->switched[i] && !m->active[i] && rank_is_zero(motion, i);
  return off;
}

dae_status dae__motion_select_independent(dae__motion *motion, double t, const double *y,
                                          char *text, size_t size, dae_error *err)
{
  dae__mech *m = motion->m;
  dae_mechanical_at at = dae__mech_at(m, t, y);
  dae_mechanical_wanted want = {.M = motion->M, .G = motion->G, .K = motion->K};
  dae__level level = rank_unmasked(motion);
  int rank;
  if (text && size > 0)
    text[0] = '\0';
  DAE__TRY(rank_eval_unmasked(motion, &at, NULL, err));
  for (int i = 0; i < m->nc; i++)
    m->active[i] = true;
  DAE__TRY(dae__level_independent(&level, DAE__RANK_TOLERANCE, dae__arena_env(motion->arena),
                                  m->active, &rank, err));
  m->count->dependent = m->nc - rank;
  DAE__TRY(dae__motion_reserve_dependent(motion, err));
  if (m->count->dependent == 0)
    return DAE_OK;
  DAE__TRY(dae__mech_eval(m, &at, &want, err));
  DAE__TRY(dae__level_factor(&motion->velocity, 0, err));
  for (int i = 0; i < m->nc && text && size > 0; i++) {
    bool off = m->p->switched && m->p->switched[i] && rank_is_zero(motion, i);
    int names = m->active[i] || off ? -1 : dae__level_describe(&level, i, m->active, text, size);
    if (names >= 0)
      dae__append(text, size, "%s\n", names > 0 ? "" : "nothing that can move");
  }
  return DAE_OK;
}

/* Sizes of the rows, size_i^2 = sum_j A_ij^2 / M_jj: the diagonal of A M^-1 A' for a diagonal M. */
static void rank_row_sizes(const dae__motion *motion, const double *G, const double *K,
                           double *size)
{
  const dae__mech *m = motion->m;
  dae__zero(m->nc, size);
  for (int j = 0; j < m->nq; j++) {
    int first = m->M.start[j], end = m->M.start[j + 1];
    bool whole = end - first == m->nq; /* all rows, in their order */
    double mass = whole ? motion->M[first + j] : 0;
    for (int e = first; !whole && e < end; e++)
      mass = m->M.row[e] == j ? motion->M[e] : mass;
    double r = mass > 0 ? 1 / mass : 1;
    for (int e = m->G.start[j]; e < m->G.start[j + 1]; e++)
      size[m->G.row[e]] += r * G[e] * G[e];
    for (int e = m->K.start[j]; e < m->K.start[j + 1]; e++)
      size[m->ng + m->K.row[e]] += r * K[e] * K[e];
  }
  for (int i = 0; i < m->nc; i++)
    size[i] = sqrt(size[i]);
}

/* Pivots of LU depend on the order of elimination, which changes: inverse iteration in place of
 * them. */
double dae__motion_factored_margin(dae__motion *motion, bool fused)
{
  const dae__mech *m = motion->m;
  double *x = motion->velocity.d, *y = x + m->nq, *size = motion->scale, norm = 0;
  rank_row_sizes(motion, motion->G, motion->K, motion->end_size);
  for (int i = 0; i < m->nc; i++)
    size[i] = dae__larger(motion->row_size[i], motion->end_size[i]);
  if (fused)
    return dae__saddle_margin_fused(motion->saddle, size);
  for (int i = 0; i < m->nc; i++) /* deterministic direction with all components */
    y[i] = m->active[i] ? cos(1 + i * i) : 0;
  for (int k = 0; k < MARGIN_ITERATIONS; k++) {
    double before = sqrt(dae__dot(m->nc, y, y));
    dae__zero(m->nq, x);
    for (int i = 0; i < m->nc; i++)
      y[i] *= size[i] / before;
    dae__saddle_solve(motion->saddle, x, y);
    for (int i = 0; i < m->nc; i++)
      y[i] *= m->active[i] ? size[i] : 0;
    norm = sqrt(dae__dot(m->nc, y, y));
  }
  return norm > 0 ? 1 / norm : 0;
}

/* Largest coefficient of a row j in the combination of a masked row d, relative to the sizes of
 * both rows, by the factorisation at `at`. */
static dae_status rank_largest_coefficient(dae__motion *motion, const dae_mechanical_at *at, int *d,
                                           int *j, double *largest)
{
  dae__mech *m = motion->m;
  dae_mechanical_wanted want = {.M = motion->M, .G = motion->G, .K = motion->K};
  dae__level level = rank_unmasked(motion);
  double *c = motion->C, *size = motion->scale;
  motion->mass_known = false;
  DAE__TRY(dae__mech_eval(m, at, &want, NULL));
  DAE__TRY(dae__level_factor(&motion->velocity, 0, NULL));
  DAE__TRY(rank_eval_unmasked(motion, at, NULL, NULL));
  rank_row_sizes(motion, motion->full_G, motion->full_K, size);
  *largest = 0;
  for (int row = 0; row < m->nc; row++) {
    if (m->active[row] || !(size[row] > 0))
      continue;
    dae__level_combination(&level, row, c);
    for (int i = 0; i < m->nc; i++)
      if (m->active[i] && fabs(c[i]) * size[i] > *largest * size[row])
        *largest = fabs(c[i]) * size[i] / size[row], *d = row, *j = i;
  }
  return DAE_OK;
}

bool dae__motion_exchange_dependent(dae__motion *motion, double t, const double *y)
{
  dae__mech *m = motion->m;
  bool changed = false;
  int d = 0, j = 0;
  double largest;
  if (m->count->dependent == 0)
    return false;
  dae_mechanical_at at = dae__mech_at(m, t, y);
  for (int k = 0; k < m->nc && m->count->dependent > 0; k++) {
    if (rank_largest_coefficient(motion, &at, &d, &j, &largest) ||
        !(largest > DAE__EXCHANGE_COEFFICIENT))
      break;
    m->active[d] = changed = true;
    m->active[j] = false;
    motion->memory->margin = 0;
    motion->memory->factored = false;
  }
  return changed;
}

double dae__motion_margin(dae__motion *motion, double t, const double *q, const double *v)
{
  dae_mechanical_at at = {.t = t, .q = q, .v = v};
  dae_mechanical_wanted want = {.M = motion->M, .G = motion->G, .K = motion->K};
  motion->memory->factored = motion->mass_known = false;
  if (dae__mech_eval(motion->m, &at, &want, NULL) || dae__level_factor(&motion->velocity, 0, NULL))
    return 0;
  motion->memory->factored = false;
  return dae__motion_factored_margin(motion, false);
}

bool dae__motion_nearly_dependent(dae__motion *motion, double t, const double *y, double tol,
                                  char *name, size_t size)
{
  dae__mech *m = motion->m;
  dae_mechanical_at at = dae__mech_at(m, t, y);
  dae__arena *arena = dae__arena_create(dae__arena_env(motion->arena));
  bool *rows = DAE__ALLOC(arena, bool, m->nc);
  dae__level level = rank_unmasked(motion);
  int rank, found = -1;
  for (int i = 0; rows && i < m->nc; i++)
    rows[i] = m->active[i];
  if (rows && !rank_eval_unmasked(motion, &at, NULL, NULL) &&
      !dae__level_independent(&level, tol, dae__arena_env(motion->arena), rows, &rank, NULL))
    for (int i = m->nc - 1; i >= 0; i--)
      if (m->active[i] && !rows[i])
        found = i;
  dae__arena_free(arena);
  if (found >= 0)
    dae__mech_constraint_name(m->p, found, name, size);
  return found >= 0;
}

dae_status dae__motion_check_dependent(dae__motion *motion, double t, const double *q,
                                       const double *v, dae_error *err)
{
  dae__mech *m = motion->m;
  dae_mechanical_at at = {.t = t, .q = q, .v = v};
  char name[64];
  if (m->count->dependent == 0)
    return DAE_OK;
  DAE__TRY(rank_eval_unmasked(motion, &at, motion->residual, err));
  dae__row_scale(&m->G, motion->full_G, q, motion->scale);
  dae__row_scale(&m->K, motion->full_K, v, motion->scale + m->ng);
  /* at rest what is left of velocities is the round-off of earlier ones, and of those that the
   * projection has corrected */
  double *fastest = &motion->memory->fastest;
  double corrected = m->nk > 0 ? dae__max_abs(m->nc, motion->velocity.terms) : 0;
  *fastest = fmax(*fastest, dae__max_abs(m->nq, v));
  for (int e = 0; e < dae__pattern_count(&m->K); e++)
    motion->scale[m->ng + m->K.row[e]] += REST * *fastest * fabs(motion->full_K[e]);
  for (int i = m->ng; i < m->nc; i++)
    motion->scale[i] += corrected;
  for (int i = 0; i < m->nc; i++)
    /* below DBL_MIN no relative accuracy is left */
    if (!m->active[i] && fabs(motion->residual[i]) >= DBL_MIN &&
        fabs(motion->residual[i]) > DAE__STILL_DEPENDENT * motion->scale[i])
      return dae__fail(err, DAE_ERROR_RECOVERABLE,
                       dae__mech_constraint_name(m->p, i, name, sizeof name),
                       "constraint %s followed from the others at the start but no longer does: "
                       "the mechanism may have passed a position where it can branch",
                       name);
  return DAE_OK;
}

/* Allocates, at consistent starts only. */
dae_status dae__motion_reserve_dependent(dae__motion *motion, dae_error *err)
{
  int nd = motion->m->count->dependent;
  size_t n = (size_t)nd;
  if (nd <= motion->capacity)
    return DAE_OK;
  motion->C = DAE__ALLOC(motion->arena, double, n *(size_t)motion->m->nc);
  motion->S = DAE__ALLOC(motion->arena, double, n *n);
  motion->y_D = DAE__ALLOC(motion->arena, double, n);
  motion->pivot = DAE__ALLOC(motion->arena, int, n);
  DAE__TRY(dae__arena_status(motion->arena, err));
  motion->capacity = nd;
  return DAE_OK;
}
