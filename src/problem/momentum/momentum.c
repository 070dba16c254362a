/* Evaluations of a problem in the momentum form: creation with the patterns in use, the user's
 * callbacks with results checked, and derivatives, the user's or coloured differences.
 *
 *   gdot = g_t + g_y v,   gdot_z = g_y v_z
 *
 * with g_y by differences of fourth order and g_t by ones of sixth order where they are missing. */
#include "problem/momentum/momentum.h"
#include "core/assert.h"
#include "core/env.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/level.h"
#include "problem/problem.h"
#include <float.h>
#include <stdio.h>

/* Context of differences for a derivative: the point and multiplier, of which one vector is varied,
 * y, z or the multiplier. */
typedef struct vary {
  dae__momentum *m;
  dae_momentum_at at;
  const double *multiplier;
  dae__momentum_part part;
} vary;

/* ---- creation ---- */

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

static void momentum_choose_patterns(dae__momentum *m, dae__arena *arena)
{
  dae_pattern *of = m->pattern;
  for (int part = 0; part < DAE__MOMENTUM_PARTS; part++) {
    dae__momentum_given given = dae__momentum_given_of(m->p, (dae__momentum_part)part);
    m->given[part] = given.fn || given.fn_s;
    if (part == DAE__GDOT_Z || (part == DAE__GDOT_Y && !m->given[part] && !given.pattern))
      continue; /* gdot_y and gdot_z follow from other patterns */
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
  if (m->given[DAE__GDOT_Y] || m->p->gdot_y_pattern)
    return;
  /* gdot_y = (g_t + g_y v)_y = g_ty + g_yy v + g_y v_y has the entries of g_y and of g_y v_y */
  dae_pattern product = dae__pattern_product(arena, &of[DAE__G_Y], &of[DAE__V_Y]);
  dae__block blocks[2] = {{.pattern = &of[DAE__G_Y]}, {.pattern = &product}};
  if (!dae__arena_failed(arena))
    of[DAE__GDOT_Y] = dae__blocks_merge(arena, m->ng, m->ny, blocks, 2);
}

static void momentum_alloc(dae__momentum *m, dae__arena *arena)
{
  int longest = m->ny > m->nz ? m->ny : m->nz;
  for (int part = 0; part < DAE__MOMENTUM_PARTS && !dae__arena_failed(arena); part++)
    /* fourth order for g_y, which enters gdot; the others enter iteration matrices only */
    if (!m->given[part] && part != DAE__GDOT_Z)
      m->difference[part] = dae__difference_create(arena, &m->pattern[part], part == DAE__G_Y);
  if (dae__arena_failed(arena))
    return;
  if (!m->exact_gdot)
    m->difference[DAE__GDOT_Y].relative = DAE__NOISY_INCREMENT;
  m->evaluations = DAE__STATE(arena, long, 1);
  DAE__LIMIT_COUNTER(arena, m->evaluations, 1);
  m->along = dae__along_create(arena, longest > m->nc ? longest : m->nc);
  m->v = DAE__ALLOC(arena, double, m->ny);
  DAE__VECTORS(arena, m->ng, &m->g_t, &m->scale, &m->row);
  m->g_y = DAE__ALLOC(arena, double, dae__pattern_count(&m->pattern[DAE__G_Y]));
  m->v_z = DAE__ALLOC(arena, double, dae__pattern_count(&m->pattern[DAE__V_Z]));
}

dae_status dae__momentum_create(dae__arena *arena, const dae_problem *problem, dae__momentum **out,
                                dae_error *err)
{
  const dae_momentum *p = problem->momentum;
  *out = NULL;
  DAE__TRY(dae_problem_validate(problem, err));
  dae__momentum *m = DAE__ALLOC(arena, dae__momentum, 1);
  DAE__TRY(dae__arena_status(arena, err));
  *m = (dae__momentum){.p = p, .ny = p->ny, .nz = p->nz, .ng = p->ng, .nk = p->nk};
  m->at = dae__momentum_layout_of(p);
  m->nc = p->ng + p->nk;
  m->exact_gdot = p->ng == 0 || (p->g_y && (p->g_t || p->time_free_g));
  m->why = problem->why;
  m->stop = dae__env_stopping(dae__arena_env(arena));
  momentum_choose_patterns(m, arena);
  if (!dae__arena_failed(arena))
    momentum_alloc(m, arena);
  DAE__TRY(dae__arena_status(arena, err));
  *out = m;
  return DAE_OK;
}

/* ---- names ---- */

const char *dae__momentum_constraint_name(const dae_momentum *p, int row, char *text, size_t size)
{
  bool holonomic = row < p->ng;
  const char *const *names = holonomic ? p->g_names : p->k_names;
  return dae__name_or_number(names, holonomic ? "g" : "k", holonomic ? row : row - p->ng, text,
                             size);
}

const char *dae__momentum_variable_name(const dae_momentum *p, int i, char *text, size_t size)
{
  dae_problem_variable(&(dae_problem){.momentum = p}, i, text, size);
  return text;
}

/* ---- evaluations ---- */

int dae__momentum_rows(const dae__momentum *m, dae__momentum_quantity quantity)
{
  return quantity == DAE__V                            ? m->ny
         : quantity == DAE__K                          ? m->nk
         : quantity == DAE__G || quantity == DAE__GDOT ? m->ng
                                                       : m->nz;
}

static dae_status momentum_g_later(void *context, double e, double *out, dae_error *err)
{
  vary *c = context;
  dae_momentum_at later = c->at;
  later.t += e;
  return dae__momentum_eval(c->m, DAE__G, &later, NULL, out, err);
}

static dae_status momentum_gdot(dae__momentum *m, const dae_momentum_at *at, double *gdot,
                                dae_error *err)
{
  vary c = {.m = m, .at = {.t = at->t, .y = at->y}};
  DAE__TRY(dae__momentum_eval(m, DAE__V, at, NULL, m->v, err));
  DAE__TRY(dae__momentum_jacobian(m, DAE__G_Y, at, NULL, m->g_y, err));
  dae__zero(m->ng, m->g_t);
  if (m->p->g_t) {
    int code = m->p->g_t(m->p->user, &c.at, m->g_t);
    DAE__TRY(dae__callback_status(m->why, code, "g_t", at->t, err));
  } else if (!m->p->time_free_g) {
    dae__row_scale(&m->pattern[DAE__G_Y], m->g_y, at->y, m->scale);
    dae__path path = {momentum_g_later, &c, m->ng, 1, m->scale};
    DAE__TRY(dae__along_rate(&m->along, &path, 1, m->g_t, err));
  }
  dae__copy(m->ng, m->g_t, gdot);
  dae__matrix_times(&m->pattern[DAE__G_Y], m->g_y, 1, m->v, gdot);
  return DAE_OK;
}

dae_status dae__momentum_eval(dae__momentum *m, dae__momentum_quantity quantity,
                              const dae_momentum_at *at, const double *multiplier, double *out,
                              dae_error *err)
{
  static const char *const names[] = {"v", "p", "f", "r", "g", "gdot", "k"};
  const dae_momentum *p = m->p;
  dae_momentum_at without_z = {.t = at->t, .y = at->y};
  int code = 0;
  if (dae__momentum_rows(m, quantity) == 0)
    return DAE_OK;
  if (m->stop)
    DAE__TRY(dae__env_proceed(m->stop, err));
  if (quantity == DAE__V) {
    code = p->v(p->user, at, out);
  } else if (quantity == DAE__P) {
    if (p->p)
      code = p->p(p->user, at, out);
    else
      dae__copy(m->nz, at->z, out);
  } else if (quantity == DAE__F) {
    ++*m->evaluations;
    code = p->f(p->user, at, m->nk > 0 ? multiplier : NULL, out);
  } else if (quantity == DAE__R) {
    if (m->ng > 0)
      code = p->r(p->user, &without_z, multiplier, out);
    else
      dae__zero(m->nz, out);
  } else if (quantity == DAE__G) {
    code = p->g(p->user, &without_z, out);
  } else if (quantity == DAE__GDOT) {
    DAE__TRY(momentum_gdot(m, at, out, err));
  } else {
    code = p->k(p->user, at, out);
  }
  DAE__TRY(dae__callback_status(m->why, code, names[quantity], at->t, err));
  static const char *const what[] = {"the rate v",        "p in the equation", "f in the equation",
                                     "r in the equation", "the residual",      "the rate",
                                     "the residual"};
  bool constraint = quantity >= DAE__G;
  char name[64];
  for (int i = 0; i < dae__momentum_rows(m, quantity); i++) {
    if (isfinite(out[i]))
      continue;
    if (constraint)
      dae__momentum_constraint_name(m->p, quantity == DAE__K ? m->ng + i : i, name, sizeof name);
    else
      dae__momentum_variable_name(m->p, quantity == DAE__V ? i : m->ny + i, name, sizeof name);
    dae__fail(err, DAE_ERROR_RECOVERABLE, name, "%s of %s is not a finite number", what[quantity],
              name);
    dae__fail_at(err, at->t, NAN);
    return DAE_ERROR_RECOVERABLE;
  }
  return DAE_OK;
}

double dae__momentum_gdot_error(const dae__momentum *m, const double *y, const double *v)
{
  double Y = dae__max_abs(m->ny, y), V = dae__max_abs(m->ny, v), error = 0;
  if (!m->p->g_y)
    error += 4 * pow(DBL_EPSILON, 0.8) * (Y > 0 ? V / Y : V);
  if (!m->p->g_t && !m->p->time_free_g)
    error += 1e3 * DBL_EPSILON;
  return error;
}

/* ---- derivatives ---- */

/* The quantity that a derivative is of, and the vector that it is by. */
static const struct {
  dae__momentum_quantity quantity;
  enum { BY_Y, BY_Z, BY_MULTIPLIER } by;
} momentum_part_of[DAE__MOMENTUM_PARTS] = {[DAE__V_Y] = {DAE__V, BY_Y},
                                           [DAE__V_Z] = {DAE__V, BY_Z},
                                           [DAE__P_Y] = {DAE__P, BY_Y},
                                           [DAE__P_Z] = {DAE__P, BY_Z},
                                           [DAE__F_Y] = {DAE__F, BY_Y},
                                           [DAE__F_Z] = {DAE__F, BY_Z},
                                           [DAE__F_PSI] = {DAE__F, BY_MULTIPLIER},
                                           [DAE__R_Y] = {DAE__R, BY_Y},
                                           [DAE__R_LAMBDA] = {DAE__R, BY_MULTIPLIER},
                                           [DAE__G_Y] = {DAE__G, BY_Y},
                                           [DAE__GDOT_Y] = {DAE__GDOT, BY_Y},
                                           [DAE__GDOT_Z] = {DAE__GDOT, BY_Z},
                                           [DAE__K_Y] = {DAE__K, BY_Y},
                                           [DAE__K_Z] = {DAE__K, BY_Z}};

static dae_status momentum_of_x(void *context, const double *x, double *out, dae_error *err)
{
  vary *c = context;
  if (momentum_part_of[c->part].by == BY_MULTIPLIER)
    c->multiplier = x;
  else if (momentum_part_of[c->part].by == BY_Z)
    c->at.z = x;
  else
    c->at.y = x;
  return dae__momentum_eval(c->m, momentum_part_of[c->part].quantity, &c->at, c->multiplier, out,
                            err);
}

static dae_status momentum_derivative_check(const dae__momentum *m, dae__momentum_part part,
                                            const double *values, double t, dae_error *err)
{
  const dae_pattern *p = &m->pattern[part];
  char name[64];
  const char *what = dae__momentum_given_of(m->p, part).name;
  for (int e = 0; e < dae__pattern_count(p); e++) {
    if (isfinite(values[e]))
      continue;
    dae__momentum_quantity of = momentum_part_of[part].quantity;
    if (of >= DAE__G)
      dae__momentum_constraint_name(m->p, p->row[e] + (of == DAE__K ? m->ng : 0), name,
                                    sizeof name);
    else
      dae__momentum_variable_name(m->p, p->row[e] + (of == DAE__V ? 0 : m->ny), name, sizeof name);
    dae__fail(err, DAE_ERROR_RECOVERABLE, name,
              "the derivative %s has an entry in the row of %s that is not a finite number", what,
              name);
    dae__fail_at(err, t, NAN);
    return DAE_ERROR_RECOVERABLE;
  }
  return DAE_OK;
}

dae_status dae__momentum_jacobian(dae__momentum *m, dae__momentum_part part,
                                  const dae_momentum_at *at, const double *multiplier,
                                  double *values, dae_error *err)
{
  void *user = m->p->user;
  const dae_pattern *of = m->pattern;
  dae__momentum_given given = dae__momentum_given_of(m->p, part);
  vary c = {m, *at, multiplier, part};
  if (dae__pattern_count(&of[part]) == 0)
    return DAE_OK;
  if (part == DAE__P_Z && !m->p->p) { /* p = z, so that p_z = 1 */
    for (int i = 0; i < m->nz; i++)
      values[i] = 1;
    return DAE_OK;
  }
  if (part == DAE__R_Y || part == DAE__R_LAMBDA || part == DAE__G_Y)
    c.at.z = NULL; /* g and r do not depend on z */
  else if (given.fn_s && m->nk == 0)
    multiplier = NULL;
  if (part == DAE__GDOT_Z) { /* gdot_z = g_y v_z */
    DAE__TRY(dae__momentum_jacobian(m, DAE__G_Y, at, NULL, m->g_y, err));
    DAE__TRY(dae__momentum_jacobian(m, DAE__V_Z, at, NULL, m->v_z, err));
    dae__matrix_product((dae__factor){&of[DAE__G_Y], m->g_y}, (dae__factor){&of[DAE__V_Z], m->v_z},
                        &of[DAE__GDOT_Z], m->row, values);
  } else if (given.fn || given.fn_s) {
    int code =
        given.fn ? given.fn(user, &c.at, values) : given.fn_s(user, &c.at, multiplier, values);
    DAE__TRY(dae__callback_status(m->why, code, given.name, at->t, err));
  } else {
    const double *by[] = {c.at.y, c.at.z, c.multiplier}, *x = by[momentum_part_of[part].by];
    DAE__TRY(dae__difference_jacobian(&m->difference[part], momentum_of_x, &c, x, values, err));
  }
  return momentum_derivative_check(m, part, values, at->t, err);
}
