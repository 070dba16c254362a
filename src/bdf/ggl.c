/* The GGL corrector: the stabilised index-2 form of Gear, Gupta and Leimkuhler [GGL85], with
 * nonholonomic and rheonomic constraints, extra states and algebraic variables.
 *
 *   unknowns  q v u w lambda psi mu
 *
 *   0 = q' - v + G' mu                              (q)
 *   0 = M v' - f + G' lambda + K' psi               (v)
 *   0 = u' - s                                      (u)
 *   0 = -c                                          (w)
 *   0 = g_t + G v                                   (lambda)
 *   0 = k                                           (psi)
 *   0 = g                                           (mu)
 *
 * mu vanishes on exact solutions and takes up what the discretisation would add to the drift.
 * Without constraints this is the plain first-order form of M q'' = f. The iteration matrix,
 * with H(s) = d(G' s)/dq, D = d(M v' + K' psi - f)/d(q,v), J = d(f,s,c)/d(q,v,u,w):
 *
 *   [ cj I + H(mu)         -I                                 G' ]
 *   [ H(lambda) + D_q       cj M + D_v   -f_u -f_w  G'   K'       ]
 *   [ -s_q                  -s_v     cj I - s_u -s_w              ]
 *   [ -c_q                  -c_v         -c_u -c_w                ]
 *   [ d(gdot)/dq            G                                     ]
 *   [ k_q                   K                                     ]
 *   [ G                                                           ]
 *
 * Rows of dependent constraints hold "multiplier = 0" instead. */
#include "bdf/bdf.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/solver.h"
#include "problem/algebraic.h"
#include "problem/consistent.h"

enum {
  BLOCK_ONE_Q, /* cj I, rows q */
  BLOCK_ONE_V, /* -I */
  BLOCK_ONE_U, /* cj I, rows u */
  BLOCK_H_MU,
  BLOCK_GT_MU,
  BLOCK_J,
  BLOCK_M,
  BLOCK_MS,
  BLOCK_H_LAMBDA,
  BLOCK_KTS,
  BLOCK_GT_LAMBDA,
  BLOCK_KT_PSI,
  BLOCK_GDOT_Q,
  BLOCK_G_V,
  BLOCK_K_Q,
  BLOCK_K_V,
  BLOCK_G_Q,
  BLOCK_TAKEN_OUT, /* diagonal of the multipliers */
  BLOCKS
};

typedef struct counts {
  long jacobians, factorisations;
} counts;

typedef struct ggl {
  dae__mech *m;
  dae__motion *motion; /* projects accepted states */
  dae__motion *shown;  /* the same for states shown outside, with factorisations of its own, */
  dae__algebraic *algebraic; /* and their algebraic variables; NULL: none */
  bool project;
  bool has_M;    /* M holds a mass matrix */
  counts *count; /* kept */
  int mu, n;     /* offset of mu, number of unknowns */
  dae_pattern one_q, one_u, one_y;
  dae__block block[BLOCKS];
  dae_pattern pattern;
  dae__solver *solver;
  double *matrix, *ones;
  double *M, *G, *K, *J, *Ms, *H, *gdot_q, *k_q, *Kts, *fsc;
} ggl;

static dae_mechanical_at point(const ggl *s, double t, const double *Y)
{
  return dae__mech_at(s->m, t, Y);
}

/* ---- the iteration matrix ---- */

static void add(const ggl *s, int which, double factor, const double *values)
{
  dae__block_add(&s->block[which], factor, values, s->matrix);
}

/* where M is to go; a constant one is evaluated once */
static double *wanted_M(const ggl *s)
{
  return s->has_M && s->m->p->constant_mass ? NULL : s->M;
}

/* rows that come from first derivatives alone */
static dae_status add_constraints(ggl *s, const dae_mechanical_at *at, dae_error *err)
{
  dae_mechanical_wanted want = {.M = wanted_M(s), .G = s->G, .K = s->K};
  dae_status status = dae__mech_eval(s->m, at, &want, err);
  s->has_M = status == DAE_OK;
  if (!status)
    status = dae__mech_gdot_q(s->m, at, s->gdot_q, err);
  if (!status)
    status = dae__mech_k_q(s->m, at, s->k_q, err);
  if (status)
    return status;
  add(s, BLOCK_GT_MU, 1, s->G);
  add(s, BLOCK_GT_LAMBDA, 1, s->G);
  add(s, BLOCK_G_V, 1, s->G);
  add(s, BLOCK_G_Q, 1, s->G);
  add(s, BLOCK_KT_PSI, 1, s->K);
  add(s, BLOCK_K_V, 1, s->K);
  add(s, BLOCK_GDOT_Q, 1, s->gdot_q);
  add(s, BLOCK_K_Q, 1, s->k_q);
  return DAE_OK;
}

/* rows of the dynamics */
static dae_status add_dynamics(ggl *s, const dae_mechanical_at *at, const double *Y,
                               const double *dY, double cj, dae_error *err)
{
  dae__mech *m = s->m;
  add(s, BLOCK_ONE_Q, cj, s->ones);
  add(s, BLOCK_ONE_V, -1, s->ones);
  add(s, BLOCK_ONE_U, cj, s->ones);
  add(s, BLOCK_M, cj, s->M);
  dae_status status = dae__mech_J(m, at, s->J, err);
  if (!status)
    status = dae__mech_Ms(m, at, dY + m->at.v, s->Ms, err);
  if (!status)
    status = dae__mech_Kts(m, at, Y + m->at.psi, s->Kts, err);
  if (status)
    return status;
  add(s, BLOCK_J, -1, s->J);
  add(s, BLOCK_MS, 1, s->Ms);
  add(s, BLOCK_KTS, 1, s->Kts);
  status = dae__mech_Gts(m, at, Y + m->at.lambda, s->H, err);
  if (status)
    return status;
  add(s, BLOCK_H_LAMBDA, 1, s->H);
  status = dae__mech_Gts(m, at, Y + s->mu, s->H, err);
  add(s, BLOCK_H_MU, 1, s->H);
  return status;
}

/* "multiplier = 0" in the rows of dependent constraints */
static void add_taken_out(ggl *s)
{
  const dae__mech *m = s->m;
  const dae__block *b = &s->block[BLOCK_TAKEN_OUT];
  for (int i = 0; i < m->nc; i++)
    if (!m->active[i])
      s->matrix[b->map[i]] = 1;
  for (int i = 0; i < m->ng; i++)
    if (!m->active[i])
      s->matrix[b->map[m->nc + i]] = 1;
}

static dae_status singular(const ggl *s, dae_error *err)
{
  const dae__mech *m = s->m;
  int column = dae__solver_column(s->solver);
  char name[64] = "";
  if (column >= s->mu)
    dae__mech_constraint_name(m->p, column - s->mu, name, sizeof name);
  else if (column >= 0)
    dae_problem_variable(&(dae_problem){.mechanical = m->p}, column, name, sizeof name);
  return dae__fail(err, DAE_ERROR_SINGULAR, name,
                   "the iteration matrix is singular%s%s: constraints "
                   "may have become dependent, or an equation does not determine its variable",
                   name[0] ? " at " : "", name);
}

static dae_status assemble(ggl *s, double t, const double *Y, const double *dY, double cj,
                           dae_error *err)
{
  dae_mechanical_at at = point(s, t, Y);
  dae__zero(dae__pattern_count(&s->pattern), s->matrix);
  dae_status status = add_constraints(s, &at, err);
  if (!status)
    status = add_dynamics(s, &at, Y, dY, cj, err);
  add_taken_out(s);
  s->count->jacobians++;
  if (!status) {
    status = dae__solver_factor(s->solver, s->matrix);
    s->count->factorisations++;
    if (status == DAE_ERROR_MEMORY)
      dae__out_of_memory(err);
    if (status == DAE_ERROR_RECOVERABLE)
      dae__fail(err, status, NULL, "the iteration matrix has an entry that is not a finite number");
  }
  return status;
}

static dae_status ggl_setup(void *self, double t, const double *Y, const double *dY, double cj,
                            dae_error *err)
{
  ggl *s = self;
  dae_status status = assemble(s, t, Y, dY, cj, err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  /* another independent subset of the constraints, if there is one */
  status = dae__motion_pick(s->motion, t, Y, NULL, 0, err);
  if (!status)
    status = dae__motion_follow(s->shown, err);
  if (!status)
    status = assemble(s, t, Y, dY, cj, err);
  return status == DAE_ERROR_SINGULAR ? singular(s, err) : status;
}

/* ---- the residual ---- */

/* residual of all rows; those of the dynamics scaled */
static dae_status residual(ggl *s, double t, const double *Y, const double *dY, double factor,
                           double *R, dae_error *err)
{
  dae__mech *m = s->m;
  const dae__mech_layout *o = &m->at;
  dae_mechanical_at at = point(s, t, Y);
  dae_mechanical_wanted want = {.M = wanted_M(s),
                                .f = s->fsc,
                                .s = s->fsc + m->nq,
                                .c = s->fsc + m->nq + m->nu,
                                .g = R + s->mu,
                                .gdot = R + o->lambda,
                                .G = s->G,
                                .k = R + o->psi,
                                .K = s->K};
  dae_status status = dae__mech_eval(m, &at, &want, err);
  if (status)
    return status;
  for (int i = 0; i < m->nq; i++) {
    R[i] = dY[i] - Y[o->v + i]; /* q' - v */
    R[o->v + i] = -s->fsc[i];   /* -f */
  }
  dae__matrix_transposed_times(&m->G, s->G, 1, Y + s->mu, R);            /* + G' mu */
  dae__matrix_times(&m->M, s->M, 1, dY + o->v, R + o->v);                /* + M v' */
  dae__matrix_transposed_times(&m->G, s->G, 1, Y + o->lambda, R + o->v); /* + G' lambda */
  dae__matrix_transposed_times(&m->K, s->K, 1, Y + o->psi, R + o->v);    /* + K' psi */
  for (int i = 0; i < m->nu; i++)
    R[o->u + i] = dY[o->u + i] - s->fsc[m->nq + i]; /* u' - s */
  for (int i = 0; i < m->nw; i++)
    R[o->w + i] = -s->fsc[m->nq + m->nu + i]; /* -c */
  dae__scale(o->w, factor, R);
  for (int i = 0; i < m->nc; i++)
    if (!m->active[i])
      R[o->lambda + i] = Y[o->lambda + i];
  for (int i = 0; i < m->ng; i++)
    if (!m->active[i])
      R[s->mu + i] = Y[s->mu + i];
  return DAE_OK;
}

static dae_status ggl_increment(void *self, double t, const double *Y, const double *dY, double cj,
                                double factor, double *delta, dae_error *err)
{
  ggl *s = self;
  (void)cj;
  dae_status status = residual(s, t, Y, dY, factor, delta, err);
  if (status)
    return status;
  dae__scale(s->n, -1, delta);
  dae__solver_solve(s->solver, delta); /* delta = -J\R */
  return DAE_OK;
}

/* ---- the other verbs ---- */

static void ggl_start(void *self, const double *y, const double *dy, double *Y, double *dY)
{
  ggl *s = self;
  const dae__mech *m = s->m;
  dae__zero(s->n, Y);
  dae__zero(s->n, dY);
  dae__copy(m->at.size, y, Y);
  dae__copy(m->at.lambda, dy, dY);
  /* the unknown multipliers are those of the independent rows, not of minimum norm */
  for (int i = 0; s->motion->m->count->dependent > 0 && i < m->nc; i++)
    Y[m->at.lambda + i] = 0;
}

static dae_status ggl_project(void *self, double t, double *Y, dae_error *err)
{
  ggl *s = self;
  dae_status status = dae__motion_project(s->motion, t, Y, Y + s->m->at.v, NULL, err);
  return status ? status : dae__motion_check_dependent(s->motion, t, Y, Y + s->m->at.v, err);
}

/* w that solves c = 0, where that can be found, else the one of the step */
static dae_status solve_algebraic(ggl *s, double t, const double *Y, double *y, dae_error *err)
{
  dae_status status = dae__algebraic_solve(s->algebraic, t, y, err);
  if (status != DAE_ERROR_RECOVERABLE && status != DAE_ERROR_SINGULAR)
    return status;
  dae__copy(s->m->nw, Y + s->m->at.w, y + s->m->at.w);
  return DAE_OK;
}

static dae_status ggl_output(void *self, double t, const double *Y, const double *dY, double *y,
                             double *dy, dae_error *err)
{
  ggl *s = self;
  dae_status status = DAE_OK;
  dae__copy(s->m->at.size, Y, y);
  if (dy)
    dae__copy(s->m->at.size, dY, dy);
  if (s->project)
    status = dae__motion_project(s->shown, t, y, y + s->m->at.v, NULL, err);
  if (!status && s->algebraic)
    status = solve_algebraic(s, t, Y, y, err);
  return status ? status : dae__motion_accelerate(s->shown, t, y, dy, err);
}

static dae_status ggl_consistent(void *self, double t, const bool *fixed, double *y, double *dy,
                                 dae_error *err)
{
  ggl *s = self;
  dae_status status = dae__mech_consistent(s->motion, t, fixed, y, dy, NULL, err);
  return status ? status : dae__motion_follow(s->shown, err);
}

static void ggl_stats(const void *self, dae_stats *stats)
{
  const ggl *s = self;
  stats->evaluations += s->m->count->evaluations;
  stats->jacobians += s->count->jacobians;
  stats->factorisations += s->count->factorisations + s->motion->memory->factorisations +
                           s->shown->memory->factorisations;
  stats->projections += s->motion->memory->projections;
}

static dae_status ggl_reload(void *self)
{
  ggl *s = self;
  dae_status status = dae__motion_reload(s->motion);
  if (!status)
    status = dae__motion_reload(s->shown);
  if (!status && s->count->factorisations > 0)
    status = dae__solver_reload(s->solver);
  return status;
}

static void ggl_free(void *self)
{
  ggl *s = self;
  dae__solver_free(s->solver);
  dae__motion_free(s->motion);
  dae__motion_free(s->shown);
  dae__algebraic_free(s->algebraic);
}

static const dae__corrector_table table = {
    .start = ggl_start,
    .setup = ggl_setup,
    .increment = ggl_increment,
    .project = ggl_project,
    .output = ggl_output,
    .consistent = ggl_consistent,
    .stats = ggl_stats,
    .reload = ggl_reload,
    .free = ggl_free,
};

/* ---- creation ---- */

static void merge_blocks(ggl *s, dae__arena *arena)
{
  const dae__mech *m = s->m;
  const dae__mech_layout *o = &m->at;
  const dae__block layout[BLOCKS] = {
      [BLOCK_ONE_Q] = {0, 0, &s->one_q, false, NULL},
      [BLOCK_ONE_V] = {0, o->v, &s->one_q, false, NULL},
      [BLOCK_ONE_U] = {o->u, o->u, &s->one_u, false, NULL},
      [BLOCK_H_MU] = {0, 0, &m->Gts, false, NULL},
      [BLOCK_GT_MU] = {0, s->mu, &m->G, true, NULL},
      [BLOCK_J] = {o->v, 0, &m->J, false, NULL},
      [BLOCK_M] = {o->v, o->v, &m->M, false, NULL},
      [BLOCK_MS] = {o->v, 0, &m->Ms, false, NULL},
      [BLOCK_H_LAMBDA] = {o->v, 0, &m->Gts, false, NULL},
      [BLOCK_KTS] = {o->v, 0, &m->Kts, false, NULL},
      [BLOCK_GT_LAMBDA] = {o->v, o->lambda, &m->G, true, NULL},
      [BLOCK_KT_PSI] = {o->v, o->psi, &m->K, true, NULL},
      [BLOCK_GDOT_Q] = {o->lambda, 0, &m->G, false, NULL},
      [BLOCK_G_V] = {o->lambda, o->v, &m->G, false, NULL},
      [BLOCK_K_Q] = {o->psi, 0, &m->kq, false, NULL},
      [BLOCK_K_V] = {o->psi, o->v, &m->K, false, NULL},
      [BLOCK_G_Q] = {s->mu, 0, &m->G, false, NULL},
      [BLOCK_TAKEN_OUT] = {o->lambda, o->lambda, &s->one_y, false, NULL},
  };
  memcpy(s->block, layout, sizeof layout);
  s->pattern = dae__blocks_merge(arena, s->n, s->n, s->block, BLOCKS);
}

static void take_memory(ggl *s, dae__arena *arena)
{
  const dae__mech *m = s->m;
  s->count = DAE__KEEP(arena, counts, 1);
  s->one_q = dae__pattern_diagonal(arena, m->nq);
  s->one_u = dae__pattern_diagonal(arena, m->nu);
  s->one_y = dae__pattern_diagonal(arena, m->nc + m->ng);
  int ones = m->nq > m->nu ? m->nq : m->nu;
  s->ones = DAE__TAKE(arena, double, ones);
  s->fsc = DAE__TAKE(arena, double, m->nr);
  if (dae__arena_failed(arena))
    return;
  for (int i = 0; i < ones; i++)
    s->ones[i] = 1;
  merge_blocks(s, arena);
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
    *all[i].values = DAE__TAKE(arena, double, dae__pattern_count(all[i].pattern));
}

/* Multipliers enter linearly and are known as soon as q and v are: only DASSL's rules ask for them
 * to settle too, which the chain of 1000 links pays with a new matrix in every second step. */
static unsigned char *roles(const ggl *s, const dae_bdf_options *opts, dae__arena *arena)
{
  const dae__mech_layout *o = &s->m->at;
  bool strict = opts->rules == DAE_BDF_RULES_STRICT;
  unsigned char *role = DAE__TAKE(arena, unsigned char, s->n);
  if (!role)
    return NULL;
  for (int i = 0; i < s->n; i++) {
    if (i >= o->lambda)
      role[i] = strict ? DAE__TEST_NONE : DAE__TEST_MULTIPLIER;
    else if (i >= o->w || (i >= o->v && opts->error_test == DAE_BDF_TEST_Q))
      role[i] = DAE__TEST_NEWTON;
    else
      role[i] = DAE__TEST_FULL;
  }
  return role;
}

static dae_status create(ggl *s, dae__arena *arena, const dae_problem *problem, dae_error *err)
{
  dae_status status = dae__mech_create(arena, problem, &s->m, err);
  if (!status)
    status = dae__motion_create(arena, s->m, &s->motion, err);
  if (!status)
    status = dae__motion_create(arena, s->m, &s->shown, err);
  if (!status && s->m->nw > 0)
    status = dae__algebraic_create(arena, s->m, &s->algebraic, err);
  if (status)
    return status;
  s->mu = s->m->at.size;
  s->n = s->mu + s->m->ng;
  take_memory(s, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  return dae__solver_create(arena, &s->pattern, &s->solver, err);
}

dae_status dae__ggl_create(dae__arena *arena, const dae_problem *problem, const dae_start *start,
                           const dae_bdf_options *opts, double *y, double *dy, dae__corrector *out,
                           dae_error *err)
{
  ggl *s = DAE__TAKE(arena, ggl, 1);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  s->project = opts->project;
  dae_status status = create(s, arena, problem, err);
  unsigned char *role = status ? NULL : roles(s, opts, arena);
  if (!status && dae__arena_failed(arena))
    status = dae__out_of_memory(err);
  if (!status) {
    dae__copy(s->m->at.size, start->y, y);
    status = dae__mech_consistent(s->motion, start->t, start->fixed, y, dy, NULL, err);
  }
  if (!status)
    status = dae__motion_follow(s->shown, err);
  if (status) {
    ggl_free(s);
    return status;
  }
  *out = (dae__corrector){.table = &table,
                          .self = s,
                          .n = s->n,
                          .size = s->m->at.size,
                          .role = role,
                          .floor = dae__mech_differenced(s->m->p) ? 1e-10 : 1e-13};
  return DAE_OK;
}
