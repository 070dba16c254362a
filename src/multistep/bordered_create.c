/* The bordered system as a corrector holds it: creation, and the verbs that all correctors share.
 */
#include "core/error.h"
#include "core/vec.h"
#include "multistep/bordered.h"

/* ---- verbs ---- */

void dae__bordered_start(void *self, const double *y, const double *dy, double *Y, double *dY)
{
  dae__bordered *s = self;
  const dae__mech *m = s->m;
  dae__zero(s->n, Y);
  dae__zero(s->n, dY);
  dae__copy(m->at.size, y, Y);
  dae__copy(m->at.lambda, dy, dY);
  /* the unknown multipliers are those of the independent rows, not of minimum norm */
  for (int i = 0; s->motion->m->count->dependent > 0 && i < m->nc; i++)
    Y[m->at.lambda + i] = 0;
}

dae_status dae__bordered_project(void *self, double t, double *Y, dae_error *err)
{
  dae__bordered *s = self;
  dae_status status = dae__motion_project(s->motion, t, Y, Y + s->m->at.v, NULL, err);
  return status ? status : dae__motion_check_dependent(s->motion, t, Y, Y + s->m->at.v, err);
}

/* w that solves c = 0, where that can be found, else the one of the step */
static dae_status bordered_solve_algebraic(dae__bordered *s, double t, const double *Y, double *y,
                                           dae_error *err)
{
  dae_status status = dae__algebraic_solve(s->algebraic, t, y, err);
  if (status != DAE_ERROR_RECOVERABLE && status != DAE_ERROR_SINGULAR)
    return status;
  dae__copy(s->m->nw, Y + s->m->at.w, y + s->m->at.w);
  return DAE_OK;
}

dae_status dae__bordered_output(void *self, double t, const double *Y, const double *dY, double *y,
                                double *dy, dae_error *err)
{
  dae__bordered *s = self;
  dae_status status = DAE_OK;
  dae__copy(s->m->at.size, Y, y);
  if (dy)
    dae__copy(s->m->at.size, dY, dy);
  if (s->project)
    status = dae__motion_project(s->shown, t, y, y + s->m->at.v, NULL, err);
  if (!status && s->algebraic)
    status = bordered_solve_algebraic(s, t, Y, y, err);
  return status ? status : dae__motion_accelerate(s->shown, t, y, dy, err);
}

dae_status dae__bordered_consistent(void *self, double t, const bool *fixed, double *y, double *dy,
                                    dae_error *err)
{
  dae__bordered *s = self;
  dae_status status = dae__mech_consistent(s->motion, t, fixed, y, dy, NULL, err);
  return status ? status : dae__motion_follow(s->shown, err);
}

void dae__bordered_stats(const void *self, dae_stats *stats)
{
  const dae__bordered *s = self;
  stats->evaluations += s->m->count->evaluations;
  stats->jacobians += s->count->jacobians;
  stats->factorisations += s->count->factorisations + s->motion->memory->factorisations +
                           s->shown->memory->factorisations;
  stats->projections += s->motion->memory->projections;
}

dae_status dae__bordered_reload(void *self)
{
  dae__bordered *s = self;
  dae_status status = dae__motion_reload(s->motion);
  if (!status)
    status = dae__motion_reload(s->shown);
  if (!status && s->count->factorisations > 0)
    status = dae__solver_reload(s->solver);
  return status;
}

void dae__bordered_free(void *self)
{
  dae__bordered *s = self;
  dae__solver_free(s->solver);
  dae__motion_free(s->motion);
  dae__motion_free(s->shown);
  dae__algebraic_free(s->algebraic);
}

/* ---- creation ---- */

static void bordered_merge_blocks(dae__bordered *s, dae__arena *arena)
{
  const dae__mech *m = s->m;
  const dae__mech_layout *o = &m->at;
  const dae__block layout[DAE__BLOCKS] = {
      [DAE__BLOCK_ONE_Q] = {0, 0, &s->one_q, false, NULL},
      [DAE__BLOCK_ONE_V] = {0, o->v, &s->one_q, false, NULL},
      [DAE__BLOCK_ONE_U] = {o->u, o->u, &s->one_u, false, NULL},
      [DAE__BLOCK_H_MU] = {0, 0, &m->Gts, false, NULL},
      [DAE__BLOCK_GT_MU] = {0, s->mu, &m->G, true, NULL},
      [DAE__BLOCK_J] = {o->v, 0, &m->J, false, NULL},
      [DAE__BLOCK_M] = {o->v, o->v, &m->M, false, NULL},
      [DAE__BLOCK_MS] = {o->v, 0, &m->Ms, false, NULL},
      [DAE__BLOCK_H_LAMBDA] = {o->v, 0, &m->Gts, false, NULL},
      [DAE__BLOCK_KTS] = {o->v, 0, &m->Kts, false, NULL},
      [DAE__BLOCK_GT_LAMBDA] = {o->v, o->lambda, &m->G, true, NULL},
      [DAE__BLOCK_KT_PSI] = {o->v, o->psi, &m->K, true, NULL},
      [DAE__BLOCK_GDOT_Q] = {o->lambda, 0, &m->G, false, NULL},
      [DAE__BLOCK_G_V] = {o->lambda, o->v, &m->G, false, NULL},
      [DAE__BLOCK_K_Q] = {o->psi, 0, &m->kq, false, NULL},
      [DAE__BLOCK_K_V] = {o->psi, o->v, &m->K, false, NULL},
      [DAE__BLOCK_G_Q] = {s->mu, 0, &m->G, false, NULL},
      [DAE__BLOCK_TAKEN_OUT] = {o->lambda, o->lambda, &s->one_y, false, NULL},
  };
  memcpy(s->block, layout, sizeof layout);
  s->pattern = dae__blocks_merge(arena, s->n, s->n, s->block, DAE__BLOCKS);
}

static void bordered_alloc_memory(dae__bordered *s, dae__arena *arena)
{
  const dae__mech *m = s->m;
  s->count = DAE__STATE(arena, dae__bordered_counts, 1);
  s->one_q = dae__pattern_diagonal(arena, m->nq);
  s->one_u = dae__pattern_diagonal(arena, m->nu);
  s->one_y = dae__pattern_diagonal(arena, m->nc + m->ng);
  int ones = m->nq > m->nu ? m->nq : m->nu;
  s->ones = DAE__ALLOC(arena, double, ones);
  s->fsc = DAE__ALLOC(arena, double, m->nr);
  s->scratch = DAE__ALLOC(arena, double, s->n);
  if (dae__arena_failed(arena))
    return;
  for (int i = 0; i < ones; i++)
    s->ones[i] = 1;
  bordered_merge_blocks(s, arena);
  if (dae__arena_failed(arena))
    return;
  const struct {
    double **values;
    const dae_pattern *pattern;
  } all[] = {{&s->matrix, &s->pattern},
             {&s->M, &m->M},
             {&s->G, &m->G},
             {&s->K, &m->K},
             {&s->J, &m->J},
             {&s->Ms, &m->Ms},
             {&s->H, &m->Gts},
             {&s->gdot_q, &m->G},
             {&s->k_q, &m->kq},
             {&s->Kts, &m->Kts}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    *all[i].values = DAE__ALLOC(arena, double, dae__pattern_count(all[i].pattern));
}

static dae_status bordered_prepare(dae__bordered *s, dae__arena *arena, const dae_problem *problem,
                                   dae_error *err)
{
  dae_status status = dae__mech_create(arena, problem, &s->m, err);
  if (!status)
    status = dae__motion_create(arena, s->m, &s->motion, err);
  if (!status)
    status = dae__motion_create_another(arena, s->motion, &s->shown, err);
  if (!status && s->m->nw > 0)
    status = dae__algebraic_create(arena, s->m, &s->algebraic, err);
  DAE__TRY(status);
  s->mu = s->m->at.size;
  s->n = s->mu + s->m->ng;
  bordered_alloc_memory(s, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  return dae__solver_create(arena, &s->pattern, &s->solver, err);
}

dae_status dae__bordered_create(dae__arena *arena, const dae_problem *problem,
                                const dae_start *start, const dae_bdf_options *opts, double *y,
                                double *dy, dae__bordered *s, dae_error *err)
{
  s->project = opts->project;
  s->with_H = true;
  dae_status status = bordered_prepare(s, arena, problem, err);
  if (!status) {
    dae__copy(s->m->at.size, start->y, y);
    status = dae__mech_consistent(s->motion, start->t, start->fixed, y, dy, NULL, err);
  }
  if (!status)
    status = dae__motion_follow(s->shown, err);
  if (status)
    dae__bordered_free(s);
  return status;
}

dae_status dae__bordered_corrector(dae__bordered *s, const dae__corrector_table *table,
                                   const dae_bdf_options *opts, dae__test_role multipliers,
                                   dae__arena *arena, dae__corrector *out, dae_error *err)
{
  const dae__mech_layout *o = &s->m->at;
  unsigned char *role = DAE__ALLOC(arena, unsigned char, s->n);
  bool positions = opts->error_test == DAE_BDF_TEST_Q || opts->error_test == DAE_BDF_TEST_X;
  if (!role)
    return dae__out_of_memory(err);
  s->role = role;
  s->error_test = opts->error_test;
  for (int i = 0; i < s->n; i++) {
    if (i >= o->lambda)
      role[i] = (unsigned char)multipliers;
    else if (i >= o->w || (i >= o->v && positions))
      role[i] = DAE__TEST_NEWTON;
    else
      role[i] = DAE__TEST_FULL;
  }
  *out = (dae__corrector){.table = table,
                          .self = s,
                          .n = s->n,
                          .size = s->m->at.size,
                          .role = role,
                          .floor = dae__mech_differenced(s->m->p) ? 1e-10 : 1e-13};
  return DAE_OK;
}

void dae__bordered_test_independent(dae__bordered *s, int dependents, const int *dependent)
{
  bool v = s->error_test == DAE_BDF_TEST_XV;
  if (s->error_test != DAE_BDF_TEST_X && !v)
    return;
  for (int i = 0; i < s->m->nq; i++) {
    s->role[i] = DAE__TEST_FULL;
    s->role[s->m->at.v + i] = v ? DAE__TEST_FULL : DAE__TEST_NEWTON;
  }
  for (int i = 0; i < dependents; i++)
    if (dependent[i] >= 0)
      s->role[dependent[i]] = s->role[s->m->at.v + dependent[i]] = DAE__TEST_NEWTON;
}
