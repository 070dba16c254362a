/* The bordered system: iteration matrix, residual, functions that all correctors share,
 * creation. */
#include "multistep/bordered.h"
#include "core/error.h"
#include "core/vec.h"

/* Remainder of a constraint row after elimination of the others below which a failed iteration is
 * attributed to it: simplified Newton fails at a larger distance from a singular position than
 * accelerations do. Chosen, not measured: where bdf-ggl stops on N-four-bars at rtol 1e-8,
 * remainders lie between DAE__NEARLY_DEPENDENT and this. */
#define NEAR_SINGULAR 1e-2

/* Smallest tolerances, limited by the round-off of residuals, with differenced and with given
 * Jacobians of constraints. Chosen, not measured. */
#define DIFFERENCED_TOLERANCE_FLOOR 1e-10
#define TOLERANCE_FLOOR 1e-13

/* ---- iteration matrix ---- */

/* assembles the iteration matrix; with_H: with the geometric stiffness H(lambda), H(mu),
 * d(K' psi)/d(q,v) */
static dae_status bordered_assemble(dae__bordered *s, double t, const double *Y, const double *dY,
                                    double cj, dae_error *err)
{
  dae__mech *m = s->m;
  dae_mechanical_at at = dae__mech_at(m, t, Y);
  bool known = s->has_M && m->p->constant_mass;
  dae_mechanical_wanted want = {.M = known ? NULL : s->M, .G = s->G, .K = s->K, .B = s->B};
  dae_status status = dae__mech_eval(m, &at, &want, err);
  s->has_M = status == DAE_OK;
  DAE__TRY(status);
  DAE__TRY(dae__mech_derivative(m, DAE__GDOT_Q, &at, NULL, s->gdot_q, err));
  DAE__TRY(dae__mech_derivative(m, DAE__K_Q, &at, NULL, s->k_q, err));
  DAE__TRY(dae__mech_J(m, &at, s->J, err));
  DAE__TRY(dae__mech_derivative(m, DAE__MS_QV, &at, dY + m->at.v, s->Ms, err));
  const struct {
    int block;
    double factor;
    const double *values;
  } parts[] = {{DAE__BLOCK_GT_MU, 1, s->G},     {DAE__BLOCK_GT_LAMBDA, 1, s->G},
               {DAE__BLOCK_G_V, 1, s->G},       {DAE__BLOCK_G_Q, 1, s->G},
               {DAE__BLOCK_KT_PSI, 1, s->K},    {DAE__BLOCK_BT, 1, s->B},
               {DAE__BLOCK_K_V, 1, s->K},       {DAE__BLOCK_GDOT_Q, 1, s->gdot_q},
               {DAE__BLOCK_K_Q, 1, s->k_q},     {DAE__BLOCK_ONE_Q, cj, s->ones},
               {DAE__BLOCK_ONE_V, -1, s->ones}, {DAE__BLOCK_ONE_U, cj, s->ones},
               {DAE__BLOCK_M, cj, s->M},        {DAE__BLOCK_J, -1, s->J},
               {DAE__BLOCK_MS, 1, s->Ms}};
  dae__zero(dae__pattern_count(&s->pattern), s->matrix);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    dae__block_add(&s->block[parts[i].block], parts[i].factor, parts[i].values, s->matrix);
  if (!s->with_H)
    return DAE_OK;
  if (m->directed) {
    DAE__TRY(dae__mech_derivative(m, DAE__BTS_QV, &at, Y + m->at.lambda, s->Bts, err));
    dae__block_add(&s->block[DAE__BLOCK_BTS], 1, s->Bts, s->matrix);
  } else {
    DAE__TRY(dae__mech_derivative(m, DAE__KTS_QV, &at, Y + m->at.psi, s->Kts, err));
    dae__block_add(&s->block[DAE__BLOCK_KTS], 1, s->Kts, s->matrix);
    DAE__TRY(dae__mech_derivative(m, DAE__GTS_Q, &at, Y + m->at.lambda, s->H, err));
    dae__block_add(&s->block[DAE__BLOCK_H_LAMBDA], 1, s->H, s->matrix);
  }
  DAE__TRY(dae__mech_derivative(m, DAE__GTS_Q, &at, Y + s->mu, s->H, err));
  dae__block_add(&s->block[DAE__BLOCK_H_MU], 1, s->H, s->matrix);
  return DAE_OK;
}

/* assembles and factors the iteration matrix */
static dae_status bordered_factor(dae__bordered *s, double t, const double *Y, const double *dY,
                                  double cj, dae_error *err)
{
  const dae__mech *m = s->m;
  const dae__block *b = &s->block[DAE__BLOCK_DEPENDENT];
  s->count->jacobians++;
  DAE__TRY(bordered_assemble(s, t, Y, dY, cj, err));
  /* unit diagonal, the equation "multiplier = 0", in the rows of dependent constraints */
  for (int i = 0; i < m->nc; i++)
    if (!m->active[i])
      s->matrix[b->map[i]] = 1;
  for (int i = 0; i < m->ng; i++)
    if (!m->active[i])
      s->matrix[b->map[m->nc + i]] = 1;
  dae_status status = dae__solver_factor(s->solver, s->matrix);
  s->count->factorisations++;
  if (status == DAE_ERROR_MEMORY)
    dae__out_of_memory(err);
  if (status == DAE_ERROR_RECOVERABLE)
    dae__fail(err, status, NULL, "an entry of the iteration matrix is not finite");
  return status;
}

dae_status dae__bordered_setup(void *self, double t, const double *Y, const double *dY, double cj,
                               dae_error *err)
{
  dae__bordered *s = self;
  const dae__mech *m = s->m;
  char name[64] = "";
  (void)dae__motion_exchange_dependent(s->motion, t, Y);
  dae_status status = bordered_factor(s, t, Y, dY, cj, err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  /* new selection of independent constraints, if another one exists */
  status = dae__motion_select_independent(s->motion, t, Y, NULL, 0, err);
  if (!status)
    status = dae__motion_reserve_dependent(s->output, err);
  if (!status)
    status = bordered_factor(s, t, Y, dY, cj, err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  int column = dae__solver_column(s->solver);
  if (column >= s->mu)
    dae__mech_constraint_name(m->p, column - s->mu, name, sizeof name);
  else if (column >= 0)
    dae_problem_variable(&(dae_problem){.mechanical = m->p}, column, name, sizeof name);
  return dae__fail(err, DAE_ERROR_SINGULAR, name,
                   "the iteration matrix is singular%s%s: constraints "
                   "may have become dependent, or an equation does not determine its variable",
                   name[0] ? " at " : "", name);
}

/* ---- residual ---- */

dae_status dae__bordered_evaluate(dae__bordered *s, double t, const double *Y, double *R,
                                  dae_error *err)
{
  dae__mech *m = s->m;
  const dae__mech_layout *o = &m->at;
  dae_mechanical_at at = dae__mech_at(m, t, Y);
  dae_mechanical_wanted want = {.M = s->has_M && m->p->constant_mass ? NULL : s->M,
                                .f = s->fsc,
                                .s = s->fsc + m->nq,
                                .c = s->fsc + m->nq + m->nu,
                                .g = R + s->mu,
                                .gdot = R + o->lambda,
                                .G = s->G,
                                .k = R + o->psi,
                                .K = s->K,
                                .B = s->B};
  return dae__mech_eval(m, &at, &want, err);
}

void dae__bordered_add_inertia(const dae__bordered *s, const double *Y, const double *dY, double *R)
{
  const dae__mech *m = s->m;
  const dae__mech_layout *o = &m->at;
  for (int i = 0; i < m->nq; i++) {
    R[i] = dY[i] - Y[o->v + i]; /* rows (q): q' - v */
    R[o->v + i] = -s->fsc[i];   /* rows (v): -f */
  }
  dae__matrix_times(&m->M, s->M, 1, dY + o->v, R + o->v); /* rows (v): + M v' */
}

void dae__bordered_add_forces(const dae__bordered *s, const double *G, const double *K,
                              const double *y, const double *mu, double *R)
{
  const dae__mech *m = s->m;
  dae__matrix_transposed_times(&m->G, G, 1, mu, R); /* rows (q): + G' mu */
  if (m->directed) {
    dae__matrix_transposed_times(&m->B, s->B, 1, y, R + m->at.v); /* rows (v): + B' y */
    return;
  }
  dae__matrix_transposed_times(&m->G, G, 1, y, R + m->at.v);         /* rows (v): + G' lambda */
  dae__matrix_transposed_times(&m->K, K, 1, y + m->ng, R + m->at.v); /* rows (v): + K' psi */
}

void dae__bordered_solve(dae__bordered *s, const double *Y, const double *dY, double factor,
                         double *delta)
{
  const dae__mech *m = s->m;
  const dae__mech_layout *o = &m->at;
  for (int i = 0; i < m->nu; i++)
    delta[o->u + i] = dY[o->u + i] - s->fsc[m->nq + i]; /* rows (u): u' - s */
  for (int i = 0; i < m->nw; i++)
    delta[o->w + i] = -s->fsc[m->nq + m->nu + i]; /* rows (w): -c */
  dae__scale(o->w, factor, delta);
  for (int i = 0; i < m->nc; i++)
    if (!m->active[i])
      delta[o->lambda + i] = Y[o->lambda + i];
  for (int i = 0; i < m->ng; i++)
    if (!m->active[i])
      delta[s->mu + i] = Y[s->mu + i];
  dae__scale(s->n, -1, delta);
  dae__solver_solve(s->solver, delta);
}

void dae__bordered_filter(void *self, double cj, const double *e, double *out)
{
  dae__bordered *s = self;
  const dae__mech_layout *o = &s->m->at;
  dae__zero(s->n, out);
  dae__copy(s->m->nq, e, out);
  dae__matrix_times(&s->m->M, s->M, 1, e + o->v, out + o->v);
  dae__copy(s->m->nu, e + o->u, out + o->u);
  dae__scale(o->w, cj, out);
  dae__solver_solve(s->solver, out);
}

/* ---- functions of the corrector's table ---- */

void dae__bordered_start(void *self, const double *y, const double *dy, double *Y, double *dY)
{
  dae__bordered *s = self;
  const dae__mech *m = s->m;
  dae__zero(s->n, Y);
  dae__zero(s->n, dY);
  dae__copy(m->at.size, y, Y);
  dae__copy(m->at.lambda, dy, dY);
  /* the unknowns of the step are the multipliers of the independent rows, not the multipliers of
   * minimum norm */
  for (int i = 0; s->motion->m->count->dependent > 0 && i < m->nc; i++)
    Y[m->at.lambda + i] = 0;
}

dae_status dae__bordered_project(void *self, double t, double *Y, dae_error *err)
{
  dae__bordered *s = self;
  DAE__TRY(dae__motion_project(s->motion, t, Y, Y + s->m->at.v, NULL, err));
  return dae__motion_check_dependent(s->motion, t, Y, Y + s->m->at.v, err);
}

/* computes output states; w is the solution of c = 0, or the value of the step where c = 0 cannot
 * be solved */
dae_status dae__bordered_output(void *self, double t, const double *Y, const double *dY, double *y,
                                double *dy, dae_error *err)
{
  dae__bordered *s = self;
  const dae__mech *m = s->m;
  dae__copy(m->at.size, Y, y);
  if (dy)
    dae__copy(m->at.size, dY, dy);
  if (s->project)
    DAE__TRY(dae__motion_project(s->output, t, y, y + m->at.v, NULL, err));
  if (s->algebraic) {
    dae_status status = dae__algebraic_solve(s->algebraic, t, y, err);
    if (status == DAE_ERROR_RECOVERABLE || status == DAE_ERROR_SINGULAR)
      dae__copy(m->nw, Y + m->at.w, y + m->at.w);
    else
      DAE__TRY(status);
  }
  return dae__motion_accelerate(s->output, t, y, dy, err);
}

dae_status dae__bordered_consistent(void *self, double t, const bool *fixed, double *y, double *dy,
                                    dae_error *err)
{
  dae__bordered *s = self;
  DAE__TRY(dae__mech_consistent(s->motion, t, fixed, y, dy, NULL, err));
  return dae__motion_reserve_dependent(s->output, err);
}

bool dae__bordered_rank(void *self, double t, const double *Y, char *name, size_t size)
{
  dae__bordered *s = self;
  return dae__motion_nearly_dependent(s->output, t, Y, NEAR_SINGULAR, name, size);
}

void dae__bordered_stats(const void *self, dae_stats *stats)
{
  const dae__bordered *s = self;
  stats->evaluations += s->m->count->evaluations;
  stats->jacobians += s->count->jacobians;
  stats->factorisations += s->count->factorisations + s->motion->memory->factorisations +
                           s->output->memory->factorisations;
  stats->projections += s->motion->memory->projections;
}

void dae__bordered_free(void *self)
{
  dae__bordered *s = self;
  dae__solver_free(s->solver);
  dae__motion_free(s->motion);
  dae__motion_free(s->output);
  dae__algebraic_free(s->algebraic);
}

/* ---- creation ---- */

static void bordered_alloc_memory(dae__bordered *s, dae__arena *arena)
{
  const dae__mech *m = s->m;
  const dae__mech_layout *o = &m->at;
  s->count = DAE__STATE(arena, dae__bordered_counts, 1);
  s->none = dae__pattern_empty(arena, 0, 0);
  s->one_q = dae__pattern_diagonal(arena, m->nq);
  s->one_u = dae__pattern_diagonal(arena, m->nu);
  s->one_y = dae__pattern_diagonal(arena, m->nc + m->ng);
  int ones = m->nq > m->nu ? m->nq : m->nu;
  s->ones = DAE__ALLOC(arena, double, ones);
  s->fsc = DAE__ALLOC(arena, double, m->nr);
  s->scratch = DAE__ALLOC(arena, double, s->n);
  if (dae__arena_failed(arena))
    return;
  DAE__LIMIT_COUNTER(arena, &s->count->jacobians, 2);
  for (int i = 0; i < ones; i++)
    s->ones[i] = 1;
  /* forces along the gradients, or along B */
  const dae_pattern *none = &s->none, *along_G = m->directed ? none : &m->G;
  const dae__block layout[DAE__BLOCKS] = {
      [DAE__BLOCK_ONE_Q] = {0, 0, &s->one_q, false, NULL},
      [DAE__BLOCK_ONE_V] = {0, o->v, &s->one_q, false, NULL},
      [DAE__BLOCK_ONE_U] = {o->u, o->u, &s->one_u, false, NULL},
      [DAE__BLOCK_H_MU] = {0, 0, &m->Gts, false, NULL},
      [DAE__BLOCK_GT_MU] = {0, s->mu, &m->G, true, NULL},
      [DAE__BLOCK_J] = {o->v, 0, &m->J, false, NULL},
      [DAE__BLOCK_M] = {o->v, o->v, &m->M, false, NULL},
      [DAE__BLOCK_MS] = {o->v, 0, &m->Ms, false, NULL},
      [DAE__BLOCK_H_LAMBDA] = {o->v, 0, m->directed ? none : &m->Gts, false, NULL},
      [DAE__BLOCK_KTS] = {o->v, 0, m->directed ? none : &m->Kts, false, NULL},
      [DAE__BLOCK_GT_LAMBDA] = {o->v, o->lambda, along_G, true, NULL},
      [DAE__BLOCK_KT_PSI] = {o->v, o->psi, m->directed ? none : &m->K, true, NULL},
      [DAE__BLOCK_BT] = {o->v, o->lambda, &m->B, true, NULL},
      [DAE__BLOCK_BTS] = {o->v, 0, &m->Bts, false, NULL},
      [DAE__BLOCK_GDOT_Q] = {o->lambda, 0, &m->G, false, NULL},
      [DAE__BLOCK_G_V] = {o->lambda, o->v, &m->G, false, NULL},
      [DAE__BLOCK_K_Q] = {o->psi, 0, &m->kq, false, NULL},
      [DAE__BLOCK_K_V] = {o->psi, o->v, &m->K, false, NULL},
      [DAE__BLOCK_G_Q] = {s->mu, 0, &m->G, false, NULL},
      [DAE__BLOCK_DEPENDENT] = {o->lambda, o->lambda, &s->one_y, false, NULL},
  };
  memcpy(s->block, layout, sizeof layout);
  s->pattern = dae__blocks_merge(arena, s->n, s->n, s->block, DAE__BLOCKS);
  if (dae__arena_failed(arena))
    return;
  const struct {
    double **values;
    const dae_pattern *pattern;
  } all[] = {{&s->matrix, &s->pattern},
             {&s->M, &m->M},
             {&s->G, &m->G},
             {&s->K, &m->K},
             {&s->B, &m->B},
             {&s->Bts, &m->Bts},
             {&s->J, &m->J},
             {&s->Ms, &m->Ms},
             {&s->H, &m->Gts},
             {&s->gdot_q, &m->G},
             {&s->k_q, &m->kq},
             {&s->Kts, &m->Kts}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    *all[i].values = DAE__ALLOC(arena, double, dae__pattern_count(all[i].pattern));
}

dae_status dae__bordered_create(dae__arena *arena, const dae_problem *problem,
                                const dae_start *start, const dae_bdf_options *opts, double *y,
                                double *dy, dae__bordered *s, dae_error *err)
{
  s->project = opts->project;
  s->with_H = true;
  dae_status status = dae__mech_create(arena, problem, &s->m, err);
  if (!status)
    status = dae__motion_create(arena, s->m, &s->motion, err);
  if (!status)
    status = dae__motion_create_second(arena, s->motion, &s->output, err);
  if (!status && s->m->nw > 0)
    status = dae__algebraic_create(arena, s->m, &s->algebraic, err);
  if (!status) {
    s->mu = s->m->at.size;
    s->n = s->mu + s->m->ng;
    bordered_alloc_memory(s, arena);
    status = dae__arena_failed(arena) ? dae__out_of_memory(err)
                                      : dae__solver_create(arena, &s->pattern, &s->solver, err);
  }
  if (!status) {
    dae__copy(s->m->at.size, start->y, y);
    status = dae__bordered_consistent(s, start->t, start->fixed, y, dy, err);
  }
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
  DAE__TRY(dae__arena_status(arena, err));
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
                          .positions = o->v,
                          .velocities = o->u,
                          .floor = dae__mech_differenced(s->m->p) ? DIFFERENCED_TOLERANCE_FLOOR
                                                                  : TOLERANCE_FLOOR};
  return DAE_OK;
}
