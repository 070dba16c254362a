/* The levels of a mechanical problem, positions and velocities, and their corrections
 *
 *   [ M  A' ] [ x ]   [ 0 ]
 *   [ A  0  ] [ y ] = [ b ],   A = [G; K]:
 *
 *   projection of q     b = (-g, 0)         q += x, repeated until g = 0
 *   projection of v     b = (-gdot, -k)     v += x
 *
 * x is the minimum-norm correction in the M norm (the position is moved along K x = 0, so that one
 * matrix serves both). */
#include "problem/mechanical/motion.h"
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"

/* ---- levels ---- */

static const char *motion_name(const dae__level *l, int i, char *text, size_t size)
{
  const dae_mechanical *p = ((const dae__motion *)l->self)->m->p;
  if (i >= l->n)
    return dae__mech_constraint_name(p, i - l->n, text, size);
  dae_problem_variable(&(dae_problem){.mechanical = p}, i, text, size);
  return text;
}

/* Point of a level, with x in place of q or v. */
static dae_mechanical_at motion_at(const dae__level *l, const double *x)
{
  const dae__motion *motion = l->self;
  return l == &motion->position ? (dae_mechanical_at){.t = l->t, .q = x, .v = motion->v}
                                : (dae_mechanical_at){.t = l->t, .q = motion->q, .v = x};
}

static dae_status motion_residual(dae__level *l, const double *x, bool scaled, dae_error *err)
{
  dae__motion *motion = l->self;
  dae__mech *m = motion->m;
  dae_mechanical_at at = motion_at(l, x);
  bool velocity = l == &motion->velocity;
  dae_mechanical_wanted want = {.g = l->residual, .G = motion->G};
  if (velocity) /* a projection of velocities follows that of positions, and uses its G */
    want = (dae_mechanical_wanted){.k = l->residual + m->ng, .K = motion->K};
  if (velocity && l->start)
    want.G = motion->G, want.gdot = l->residual;
  if (!velocity || l->start || m->nk > 0)
    DAE__TRY(dae__mech_eval(m, &at, &want, err));
  if (velocity && !l->start && m->ng > 0)
    DAE__TRY(dae__mech_gdot(m, &at, motion->G, l->residual, err));
  if (!scaled)
    return DAE_OK;
  dae__row_scale(&m->G, motion->G, x, l->scale);
  if (!velocity)
    return DAE_OK;
  dae__row_scale(&m->K, motion->K, x, l->scale + m->ng);
  /* the error of differences, which no iteration reduces, is below the tolerance of the scale */
  double error =
      dae__mech_gdot_error(m, &at) / (l->start ? DAE__START_MET / 2 : DAE__ON_CONSTRAINT);
  if (error > 0) {
    dae__row_scale(&m->G, motion->G, at.q, motion->bottom);
    dae__axpy(m->ng, error, motion->bottom, l->scale);
  }
  return DAE_OK;
}

/* M, G and K at once, so that one factorisation serves both levels; the start of positions does
 * without K. */
static dae_status motion_jacobian(dae__level *l, const double *x, dae_error *err)
{
  dae__motion *motion = l->self;
  dae__mech *m = motion->m;
  dae_mechanical_at at = motion_at(l, x);
  dae_mechanical_wanted want = {.M = motion->M, .G = motion->G, .K = motion->K};
  if (l->start) {
    want.G = want.K = NULL; /* known from the residual */
    motion->mass_known = motion->mass_known && !l->fixed;
    if (l == &motion->position)
      dae__zero(dae__pattern_count(&m->K), motion->K);
  }
  return dae__mech_eval(m, &at, &want, err);
}

static const char *motion_group(const dae__level *l, int row)
{
  const dae__motion *motion = l->self;
  const char *const *groups = motion->m->p->groups;
  return groups ? groups[row] : NULL;
}

static const dae__level_table motion_table = {motion_residual, motion_jacobian, motion_name,
                                              motion_group};

/* ---- creation ---- */

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
  motion->row_size = DAE__STATE(arena, double, m->nc);
  motion->end_size = DAE__ALLOC(arena, double, m->nc);
  motion->M = DAE__ALLOC(arena, double, dae__pattern_count(&m->M));
  DAE__VECTORS(arena, dae__pattern_count(&m->G), &motion->G, &motion->projected_G);
  motion->K = DAE__ALLOC(arena, double, dae__pattern_count(&m->K));
  motion->B = DAE__ALLOC(arena, double, dae__pattern_count(&m->B));
  motion->s = DAE__ALLOC(arena, double, m->nu);
  motion->sides = DAE__ALLOC(arena, double, 3 * (m->nq + m->nc));
  if (dae__arena_failed(arena))
    return;
  dae__arena_on_load(arena, motion_reload, motion);
  DAE__LIMIT_TRUTH(arena, &motion->memory->unchecked, 1);
  DAE__LIMIT_TRUTH(arena, &motion->memory->factored, 1);
  DAE__LIMIT_TRUTH(arena, &motion->memory->general, 1);
  DAE__LIMIT_TRUTH(arena, &motion->memory->closed_margin, 1);
  DAE__LIMIT_COUNTER(arena, &motion->memory->projections, 2);
  motion->top = motion->sides;
  motion->bottom = motion->sides + m->nq;
  motion->want = (dae_mechanical_wanted){.f = motion->top, .s = m->nu > 0 ? motion->s : NULL};
  if (m->ng > 0)
    motion->want.G = motion->G, motion->want.gamma = motion->bottom;
  if (m->nk > 0)
    motion->want.K = motion->K, motion->want.kappa = motion->bottom + m->ng;
  if (m->directed)
    motion->want.B = motion->B;
  /* operands of the fused factor and solve */
  const double *A = m->ng > 0 ? motion->G : motion->K;
  motion->forces = (dae__saddle_forces){
      .A = motion->contiguous ? A : motion->dense_A, .f = motion->top, .c = motion->bottom};
}

/* The levels of positions and velocities, which share all vectors. */
static void motion_create_levels(dae__motion *motion)
{
  dae__mech *m = motion->m;
  motion->velocity = (dae__level){.table = &motion_table,
                                  .self = motion,
                                  .where = " at velocity level",
                                  .n = m->nq,
                                  .rows = m->nc,
                                  .M = &m->M,
                                  .G = &m->G,
                                  .K = &m->K,
                                  .M_values = motion->M,
                                  .G_values = motion->G,
                                  .K_values = motion->K,
                                  .active = m->active,
                                  .factored = &motion->memory->factored,
                                  .factorisations = &motion->memory->factorisations};
  dae__level_alloc(motion->arena, &motion->velocity);
  motion->residual = motion->velocity.residual;
  motion->scale = motion->velocity.scale;
  motion->position = motion->velocity;
  motion->position.where = " at position level";
  motion->position.rows = m->ng;
}

dae_status dae__motion_create_second(dae__arena *arena, const dae__motion *first, dae__motion **out,
                                     dae_error *err)
{
  dae__motion *motion = DAE__ALLOC(arena, dae__motion, 1);
  dae__mech *m = first->m;
  dae_status status = DAE_OK;
  *out = NULL;
  if (motion) {
    *motion = *first;
    motion->arena = arena;
    motion->mass_known = false;
    motion->capacity = 0;
    motion_alloc_own_memory(motion);
  }
  if (!dae__arena_failed(arena))
    motion_create_levels(motion);
  DAE__TRY(dae__arena_status(arena, err));
  /* last, since they have memory outside the arena */
  if (m->directed)
    DAE__TRY(dae__motion_create_directed(motion, err));
  status = first->saddle ? dae__saddle_create_sharing(arena, first->saddle, &motion->saddle, err)
                         : dae__saddle_create(arena, &m->M, &m->G, &m->K, &motion->saddle, err);
  if (status && m->directed)
    dae__solver_free(motion->directed->solver);
  DAE__TRY(status);
  motion->position.saddle = motion->velocity.saddle = motion->saddle;
  *out = motion;
  return DAE_OK;
}

dae_status dae__motion_create(dae__arena *arena, dae__mech *m, dae__motion **out, dae_error *err)
{
  dae__motion shared = {.m = m, .arena = arena}; /* without a saddle system to be shared */
  int entries = dae__pattern_count(&m->G) + dae__pattern_count(&m->K);
  shared.small = m->nc > 0 && m->nc <= DAE__SCHUR_ROWS && !m->directed;
  shared.contiguous = (m->ng == 0 || m->nk == 0) && entries == m->nc * m->nq;
  shared.fast_path = shared.small && shared.contiguous && m->eval_all && !m->input &&
                     m->nu + m->nw == 0 && m->p->constant_mass;
  bool dense = shared.small && !shared.contiguous;
  if (dense) /* [G; K] by columns, for the fused factor and solve */
    shared.dense_A = DAE__ALLOC(arena, double, m->nc * m->nq);
  for (int k = 0; dense && k < 2; k++) {
    const dae_pattern *p = k ? &m->K : &m->G;
    int *place = DAE__ALLOC(arena, int, dae__pattern_count(p)), first = k ? m->ng : 0;
    for (int j = 0; place && j < p->cols; j++)
      for (int e = p->start[j]; e < p->start[j + 1]; e++)
        place[e] = j * m->nc + first + p->row[e];
    *(k ? &shared.K_in_dense : &shared.G_in_dense) = place;
  }
  shared.all = DAE__ALLOC(arena, bool, m->nc);
  shared.full_G = DAE__ALLOC(arena, double, dae__pattern_count(&m->G));
  shared.full_K = DAE__ALLOC(arena, double, dae__pattern_count(&m->K));
  for (int i = 0; !dae__arena_failed(arena) && i < m->nc; i++)
    shared.all[i] = true;
  return dae__motion_create_second(arena, &shared, out, err);
}

void dae__motion_free(dae__motion *motion)
{
  if (!motion)
    return;
  dae__saddle_free(motion->saddle);
  if (motion->directed)
    dae__solver_free(motion->directed->solver);
}

/* ---- projection ---- */

/* Sets the point of both levels. */
static void motion_set_point(dae__motion *motion, double t, const bool *fixed, double *q, double *v)
{
  motion->q = motion->position.x = q;
  motion->v = motion->velocity.x = v;
  motion->position.t = motion->velocity.t = t;
  motion->position.fixed = fixed;
  motion->velocity.fixed = fixed ? fixed + motion->m->at.v : NULL;
}

dae_status dae__motion_project(dae__motion *motion, double t, double *q, double *v, bool *moved,
                               dae_error *err)
{
  bool changed = false;
  dae_status status = DAE_OK;
  motion_set_point(motion, t, NULL, q, v);
  if (motion->m->ng > 0)
    status = dae__level_project(&motion->position, &changed, err);
  if (!status && motion->m->nc > 0)
    status = dae__level_project(&motion->velocity, &changed, err);
  motion->memory->projections += changed;
  if (moved)
    *moved = changed;
  return status;
}

dae_status dae__motion_project_velocity(dae__motion *motion, double t, double *q, double *v,
                                        dae_error *err)
{
  dae__mech *m = motion->m;
  bool changed = false;
  motion_set_point(motion, t, NULL, q, v);
  if (m->ng > 0)
    DAE__TRY(dae__mech_G(m, &(dae_mechanical_at){.t = t, .q = q, .v = v}, motion->G, err));
  dae_status status = m->nc > 0 ? dae__level_project(&motion->velocity, &changed, err) : DAE_OK;
  motion->memory->projections += changed;
  return status;
}

dae_status dae__motion_start(dae__motion *motion, double t, const bool *fixed, double *q, double *v,
                             dae_error *err)
{
  motion_set_point(motion, t, fixed, q, v);
  if (motion->m->ng > 0)
    DAE__TRY(dae__level_start(&motion->position, err));
  return motion->m->nc > 0 ? dae__level_start(&motion->velocity, err) : DAE_OK;
}
