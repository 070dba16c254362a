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
  bool qr = e->kind == DAE_BDF_MULTIPLIERS_QR;
  if (e->split || qr) {
    dae__block blocks[2] = {{.pattern = &m->G}, {.row = m->ng, .pattern = &m->K}};
    e->A = dae__blocks_merge(arena, m->nc, m->nq, blocks, 2);
    e->G_in_A = blocks[0];
    e->K_in_A = blocks[1];
    e->pivot = DAE__ALLOC(arena, int, m->nc);
    e->rows = DAE__ALLOC(arena, bool, m->nc);
    DAE__TRY(dae__arena_status(arena, err));
    e->stacked = DAE__ALLOC(arena, double, dae__pattern_count(&e->A));
  }
  if (qr) {
    e->factored = DAE__ALLOC(arena, double, dae__pattern_count(&e->A));
    dae__qr_create(arena, &e->A, &e->qr);
  }
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < m->nq; i++)
    e->diagonal[i] = e->diagonal_G[i] = 1;
  if (qr)
    return DAE_OK;
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

static void multipliers_stack(const dae__multipliers *e, const double *G, const double *K,
                              double *values)
{
  dae__zero(dae__pattern_count(&e->A), values);
  dae__block_add(&e->G_in_A, 1, G, values);
  dae__block_add(&e->K_in_A, 1, K, values);
}

dae_status dae__multipliers_select_split(dae__multipliers *e, const double *G, const double *K,
                                         dae_error *err)
{
  const dae__mech *m = e->m;
  int rank;
  if (!e->split)
    return DAE_OK;
  multipliers_stack(e, G, K, e->stacked);
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

dae_status dae__multipliers_factor(dae__multipliers *e, const double *G, const double *K,
                                   dae_error *err)
{
  const dae__mech *m = e->m;
  if (e->kind == DAE_BDF_MULTIPLIERS_QR) {
    multipliers_stack(e, G, K, e->factored);
    dae__qr_factor(&e->qr, e->factored, m->active);
    return DAE_OK;
  }
  for (int i = 0; i < m->nc; i++) {
    e->diagonal[m->nq + i] = m->active[i] ? 0 : 1;
    if (i < m->ng)
      e->diagonal_G[m->nq + i] = e->diagonal[m->nq + i];
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

/* estimates the multipliers s of the residual r by the selected method, with this number of rows of
 * A: those of the saddle system, or leading ones */
static void multipliers_solve(dae__multipliers *e, dae__saddle *saddle, int rows, const double *r,
                              double *s)
{
  for (int i = 0; i < e->m->nq; i++)
    e->x[i] = -r[i];
  if (e->kind == DAE_BDF_MULTIPLIERS_QR) {
    dae__qr_solve(&e->qr, e->factored, e->m->active, rows, e->x, s);
    return;
  }
  dae__zero(rows, s);
  dae__saddle_solve(saddle, e->x, s);
}

void dae__multipliers_estimate(dae__multipliers *e, const double *r1, const double *r2, double *y,
                               double *mu)
{
  multipliers_solve(e, e->of_A, e->m->nc, r2, y);
  multipliers_solve(e, e->of_G ? e->of_G : e->of_A, e->m->ng, r1, mu);
}
