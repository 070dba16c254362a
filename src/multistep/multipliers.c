#include "multistep/multipliers.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/rank.h"

/* Ratio of the reciprocal condition number of A Y to its value at the selection of the split, below
 * which another split is selected; chosen, not measured. */
#define CONDITION_LOSS 0.1
/* Relative pivot below which a constraint counts as dependent in the selection of a split; chosen,
 * not measured. */
#define SPLIT_RANK_TOLERANCE 1e-14

dae_status dae__multipliers_create(dae__arena *arena, dae__mech *m, const dae_bdf_options *opts,
                                   dae__multipliers *out, dae_error *err)
{
  dae__multipliers *e = out;
  *e = (dae__multipliers){
      .m = m, .kind = (dae_bdf_multipliers)opts->multipliers, .env = dae__arena_env(arena)};
  e->independent = opts->independent - 1;
  if (e->independent >= m->nq)
    return dae__fail(err, DAE_ERROR_OPTION, "independent",
                     "independent = %d: the problem has %d coordinates", opts->independent, m->nq);
  e->split = e->kind == DAE_BDF_MULTIPLIERS_SPLIT || opts->error_test == DAE_BDF_TEST_X ||
             opts->error_test == DAE_BDF_TEST_XV;
  if (e->kind == DAE_BDF_MULTIPLIERS_QR && (m->sparse || m->nk > 0))
    return dae__fail(
        err, DAE_ERROR_OPTION, "multipliers",
        "multipliers qr takes dense problems with holonomic constraints; least-squares "
        "gives the same multipliers");
  dae_pattern *none = DAE__ALLOC(arena, dae_pattern, 2);
  e->memory = DAE__STATE(arena, dae__multipliers_memory, 1);
  e->diagonal = DAE__STATE(arena, double, m->nq + m->nc);
  e->diagonal_G = DAE__STATE(arena, double, m->nq + m->ng);
  e->x = DAE__ALLOC(arena, double, m->nq);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__LIMIT_COUNTER(arena, &e->memory->factorisations, 1);
  for (int i = 0; i < 2; i++)
    none[i] = (dae_pattern){i == 0 ? m->nq : 0, m->nq, DAE__ALLOC(arena, int, m->nq + 1),
                            DAE__ALLOC(arena, int, 0)};
  if (e->split) {
    dae__block blocks[2] = {{.pattern = &m->G}, {.row = m->ng, .pattern = &m->K}};
    e->A = dae__blocks_merge(arena, m->nc, m->nq, blocks, 2);
    e->G_in_A = blocks[0];
    e->K_in_A = blocks[1];
    e->pivot = DAE__ALLOC(arena, int, m->nc);
    e->rows = DAE__ALLOC(arena, bool, m->nc);
    if (!dae__arena_failed(arena))
      e->stacked = DAE__ALLOC(arena, double, dae__pattern_count(&e->A));
  }
  if (e->kind == DAE_BDF_MULTIPLIERS_QR) {
    e->Q = DAE__ALLOC(arena, double, m->nq * m->nc);
    e->tau = DAE__ALLOC(arena, double, m->nc);
  }
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < m->nq; i++)
    e->diagonal[i] = e->diagonal_G[i] = 1;
  dae_status status = dae__saddle_create(arena, &none[0], &m->G, &m->K, &e->of_A, err);
  if (!status && m->nk > 0)
    status = dae__saddle_create(arena, &none[0], &m->G, &none[1], &e->of_G, err);
  if (status)
    dae__multipliers_free(e);
  return status;
}

void dae__multipliers_free(dae__multipliers *e)
{
  dae__saddle_free(e->of_A);
  dae__saddle_free(e->of_G);
}

dae_status dae__multipliers_select_split(dae__multipliers *e, const double *G, const double *K,
                                         dae_error *err)
{
  const dae__mech *m = e->m;
  int rank;
  if (!e->split)
    return DAE_OK;
  dae__zero(dae__pattern_count(&e->A), e->stacked);
  dae__block_add(&e->G_in_A, 1, G, e->stacked);
  dae__block_add(&e->K_in_A, 1, K, e->stacked);
  for (int i = 0; i < m->nc; i++)
    e->rows[i] = m->active[i];
  /* zero column of the independent coordinate, which therefore has no pivot */
  if (e->independent >= 0)
    for (int i = e->A.start[e->independent]; i < e->A.start[e->independent + 1]; i++)
      e->stacked[i] = 0;
  if (dae__rank_rows(&e->A, e->stacked, SPLIT_RANK_TOLERANCE, e->env, e->rows, e->pivot, &rank,
                     NULL))
    return dae__out_of_memory(err);
  if (e->kind != DAE_BDF_MULTIPLIERS_SPLIT)
    return DAE_OK;
  for (int i = 0; i < m->nq; i++)
    e->diagonal[i] = e->diagonal_G[i] = 1;
  for (int i = 0; i < m->nc; i++)
    if (e->pivot[i] >= 0)
      e->diagonal[e->pivot[i]] = 0;
  for (int i = 0; i < m->ng; i++)
    if (e->pivot[i] >= 0)
      e->diagonal_G[e->pivot[i]] = 0;
  e->memory->rcond = 0;
  return DAE_OK;
}

/* ---- factorisation ---- */

/* applies reflection j: x = (1 - tau u u') x */
static void multipliers_reflect(const dae__multipliers *e, int j, double *x)
{
  int n = e->m->nq;
  const double *u = e->Q + j * n;
  if (e->tau[j] == 0)
    return;
  double dot = x[j];
  for (int i = j + 1; i < n; i++)
    dot += u[i] * x[i];
  x[j] -= e->tau[j] * dot;
  for (int i = j + 1; i < n; i++)
    x[i] -= e->tau[j] * dot * u[i];
}

dae_status dae__multipliers_factor(dae__multipliers *e, const double *G, const double *K,
                                   dae_error *err)
{
  const dae__mech *m = e->m;
  for (int i = 0; i < m->nc; i++) {
    e->diagonal[m->nq + i] = m->active[i] ? 0 : 1;
    if (i < m->ng)
      e->diagonal_G[m->nq + i] = e->diagonal[m->nq + i];
  }
  if (e->kind == DAE_BDF_MULTIPLIERS_QR) {
    /* QR factorisation A' = Q R by reflections 1 - tau u u', u = (1, Q below the diagonal), without
     * the dependent rows of A, so that there are at most as many columns as coordinates */
    int n = e->m->nq, nc = e->m->ng, count = 0;
    for (int j = 0; j < nc; j++) { /* dense copy of A' by columns */
      if (!e->m->active[j])
        continue;
      for (int i = 0; i < n; i++)
        e->Q[count * n + i] = G[i * nc + j];
      count++;
    }
    for (int j = 0; j < count; j++) {
      double *a = e->Q + j * n, norm = sqrt(dae__dot(n - j, a + j, a + j));
      double head = a[j] > 0 ? a[j] + norm : a[j] - norm;
      for (int i = j + 1; i < n; i++)
        a[i] /= head;
      e->tau[j] = head / (a[j] > 0 ? norm : -norm);
      a[j] = a[j] > 0 ? -norm : norm;
      for (int k = j + 1; k < count; k++)
        multipliers_reflect(e, j, e->Q + k * n);
    }
    return DAE_OK;
  }
  dae_status status = dae__saddle_factor(e->of_A, NULL, G, K, e->diagonal);
  if (!status && e->of_G)
    status = dae__saddle_factor(e->of_G, NULL, G, NULL, e->diagonal_G);
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status && status != DAE_ERROR_SINGULAR)
    return status;
  bool singular = status == DAE_ERROR_SINGULAR;
  if (!singular) {
    e->memory->factorisations++;
    double rcond = e->kind == DAE_BDF_MULTIPLIERS_SPLIT ? dae__saddle_rcond(e->of_A) : 1;
    if (e->memory->rcond == 0)
      e->memory->rcond = rcond;
    singular = rcond < CONDITION_LOSS * e->memory->rcond;
  }
  return singular ? dae__fail(err, DAE_ERROR_SINGULAR, NULL,
                              "the constraints no longer determine the dependent coordinates: the "
                              "coordinate split has to be selected again")
                  : DAE_OK;
}

/* ---- estimates ---- */

/* estimates the multipliers s of the residual r by the selected method: by the saddle system with
 * this number of rows of A, or by R s = -Q' r */
static void multipliers_solve(dae__multipliers *e, dae__saddle *saddle, int rows, const double *r,
                              double *s)
{
  int n = e->m->nq, nc = e->m->ng, count = 0;
  double *x = e->x;
  for (int i = 0; i < n; i++)
    x[i] = -r[i];
  if (e->kind != DAE_BDF_MULTIPLIERS_QR) {
    dae__zero(rows, s);
    dae__saddle_solve(saddle, x, s);
    return;
  }
  for (int j = 0; j < nc; j++)
    count += e->m->active[j];
  for (int j = 0; j < count; j++)
    multipliers_reflect(e, j, x);
  for (int j = count - 1; j >= 0; j--) {
    for (int k = j + 1; k < count; k++)
      x[j] -= e->Q[k * n + j] * x[k];
    x[j] /= e->Q[j * n + j];
  }
  for (int j = 0, k = 0; j < nc; j++)
    s[j] = e->m->active[j] ? x[k++] : 0;
}

void dae__multipliers_estimate(dae__multipliers *e, const double *r1, const double *r2, double *y,
                               double *mu)
{
  multipliers_solve(e, e->of_A, e->m->nc, r2, y);
  multipliers_solve(e, e->of_G ? e->of_G : e->of_A, e->m->ng, r1, mu);
}
