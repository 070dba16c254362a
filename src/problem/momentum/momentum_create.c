/* Preparing a problem in the momentum form for evaluation: effective patterns, difference objects
 * for what the user left out, scratch memory. */
#include "core/error.h"
#include "problem/momentum/momentum.h"

dae__momentum_layout dae__momentum_layout_of(const dae_momentum *p)
{
  dae__momentum_layout at = {.z = p->ny};
  at.lambda = at.z + p->nz;
  at.psi = at.lambda + p->ng;
  at.size = at.psi + p->nk;
  return at;
}

dae__momentum_given dae__momentum_given_of(const dae_momentum *p, dae__momentum_part part)
{
  int ny = p->ny, nz = p->nz, ng = p->ng, nk = p->nk;
  const dae__momentum_given all[DAE__MOMENTUM_PARTS] = {
      [DAE__V_Y] = {"v_y", p->v_y, NULL, p->v_y_pattern, ny, ny},
      [DAE__V_Z] = {"v_z", p->v_z, NULL, p->v_z_pattern, ny, nz},
      [DAE__P_Y] = {"p_y", p->p_y, NULL, p->p_y_pattern, nz, ny},
      [DAE__P_Z] = {"p_z", p->p_z, NULL, p->p_z_pattern, nz, nz},
      [DAE__F_Y] = {"f_y", NULL, p->f_y, p->f_y_pattern, nz, ny},
      [DAE__F_Z] = {"f_z", NULL, p->f_z, p->f_z_pattern, nz, nz},
      [DAE__F_PSI] = {"f_psi", NULL, p->f_psi, p->f_psi_pattern, nz, nk},
      [DAE__R_Y] = {"r_y", NULL, p->r_y, p->r_y_pattern, nz, ny},
      [DAE__R_LAMBDA] = {"r_lambda", NULL, p->r_lambda, p->r_lambda_pattern, nz, ng},
      [DAE__G_Y] = {"g_y", p->g_y, NULL, p->g_y_pattern, ng, ny},
      [DAE__GDOT_Y] = {"gdot_y", p->gdot_y, NULL, p->gdot_y_pattern, ng, ny},
      [DAE__GDOT_Z] = {"gdot_z", NULL, NULL, NULL, ng, nz},
      [DAE__K_Y] = {"k_y", p->k_y, NULL, p->k_y_pattern, nk, ny},
      [DAE__K_Z] = {"k_z", p->k_z, NULL, p->k_z_pattern, nk, nz}};
  return all[part];
}

/* (g_t + g_y v)_y = g_ty + g_yy v + g_y v_y: entries of g_y and of g_y v_y */
static dae_pattern momentum_gdot_y_pattern(dae__arena *arena, const dae__momentum *m)
{
  dae_pattern product = dae__pattern_product(arena, &m->pattern[DAE__G_Y], &m->pattern[DAE__V_Y]);
  dae__block blocks[2] = {{.pattern = &m->pattern[DAE__G_Y]}, {.pattern = &product}};
  return dae__arena_failed(arena) ? product : dae__blocks_merge(arena, m->ng, m->ny, blocks, 2);
}

static void momentum_choose_patterns(dae__momentum *m, dae__arena *arena)
{
  dae_pattern *of = m->pattern;
  for (int part = 0; part < DAE__MOMENTUM_PARTS; part++) {
    dae__momentum_given given = dae__momentum_given_of(m->p, (dae__momentum_part)part);
    m->given[part] = given.fn || given.fn_s;
    if (part == DAE__GDOT_Z || (part == DAE__GDOT_Y && !m->given[part] && !given.pattern))
      continue; /* follow from others */
    of[part] = given.pattern ? *given.pattern : dae__pattern_dense(arena, given.rows, given.cols);
  }
  m->given[DAE__GDOT_Z] = m->given[DAE__G_Y] && m->given[DAE__V_Z];
  if (!m->p->p) {
    of[DAE__P_Y] = dae__pattern_empty(arena, m->nz, m->ny);
    of[DAE__P_Z] = dae__pattern_diagonal(arena, m->nz);
    m->given[DAE__P_Y] = m->given[DAE__P_Z] = true;
  }
  if (m->ng == 0) {
    of[DAE__R_Y] = dae__pattern_empty(arena, m->nz, m->ny);
    m->given[DAE__R_Y] = true;
  }
  if (dae__arena_failed(arena))
    return;
  of[DAE__GDOT_Z] = dae__pattern_product(arena, &of[DAE__G_Y], &of[DAE__V_Z]);
  if (!m->given[DAE__GDOT_Y] && !m->p->gdot_y_pattern)
    of[DAE__GDOT_Y] = momentum_gdot_y_pattern(arena, m);
}

static void momentum_create_differences(dae__momentum *m, dae__arena *arena)
{
  for (int part = 0; part < DAE__MOMENTUM_PARTS && !dae__arena_failed(arena); part++)
    /* g_y stands in gdot, the others in iteration matrices only */
    if (!m->given[part] && part != DAE__GDOT_Z)
      m->difference[part] = dae__difference_create(arena, &m->pattern[part], part == DAE__G_Y);
  /* differences of what is itself differenced, to about 1e-12 */
  if (!m->exact_gdot)
    m->difference[DAE__GDOT_Y].relative = 1e-6;
}

static int momentum_larger(int a, int b)
{
  return a > b ? a : b;
}

static void momentum_alloc_scratch(dae__momentum *m, dae__arena *arena)
{
  m->evaluations = DAE__STATE(arena, long, 1);
  m->along = dae__along_create(arena, momentum_larger(momentum_larger(m->ny, m->nz), m->nc));
  m->v = DAE__ALLOC(arena, double, m->ny);
  m->g_t = DAE__ALLOC(arena, double, m->ng);
  m->scale = DAE__ALLOC(arena, double, m->ng);
  m->row = DAE__ALLOC(arena, double, m->ng);
  m->g_y = DAE__ALLOC(arena, double, dae__pattern_count(&m->pattern[DAE__G_Y]));
  m->v_z = DAE__ALLOC(arena, double, dae__pattern_count(&m->pattern[DAE__V_Z]));
}

dae_status dae__momentum_create(dae__arena *arena, const dae_problem *problem, dae__momentum **out,
                                dae_error *err)
{
  const dae_momentum *p = problem->momentum;
  dae_status status = dae_problem_validate(problem, err);
  dae__momentum *m = DAE__ALLOC(arena, dae__momentum, 1);
  *out = NULL;
  DAE__TRY(status);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *m = (dae__momentum){.p = p, .ny = p->ny, .nz = p->nz, .ng = p->ng, .nk = p->nk};
  m->at = dae__momentum_layout_of(p);
  m->nc = p->ng + p->nk;
  m->exact_gdot = p->ng == 0 || (p->g_y && (p->g_t || p->time_free_g));
  m->why = problem->why;
  momentum_choose_patterns(m, arena);
  if (!dae__arena_failed(arena))
    momentum_create_differences(m, arena);
  if (!dae__arena_failed(arena))
    momentum_alloc_scratch(m, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *out = m;
  return DAE_OK;
}
