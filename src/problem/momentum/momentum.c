/* Evaluations of a problem in the momentum form: what the user gave is called and checked.
 *
 *   gdot = g_t + g_y v
 *
 * with g_y by differences of fourth order and g_t by ones of sixth order where they are missing. */
#include "problem/momentum/momentum.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/problem.h"
#include "problem/mechanical/motion.h"
#include <float.h>
#include <stdio.h>

/* ---- names ---- */

const char *dae__momentum_constraint_name(const dae_momentum *p, int row, char *text, size_t size)
{
  bool holonomic = row < p->ng;
  const char *const *names = holonomic ? p->g_names : p->k_names;
  int i = holonomic ? row : row - p->ng;
  if (names && names[i])
    snprintf(text, size, "%s", names[i]);
  else
    snprintf(text, size, "%s[%d]", holonomic ? "g" : "k", i + 1);
  return text;
}

const char *dae__momentum_variable_name(const dae_momentum *p, int i, char *text, size_t size)
{
  dae_problem_variable(&(dae_problem){.momentum = p}, i, text, size);
  return text;
}

/* ---- calling the user ---- */

/* What the entries of a value belong to. */
typedef enum rows_of { ROWS_Y, ROWS_Z, ROWS_G, ROWS_K } rows_of;

static dae_status momentum_check(const dae__momentum *m, rows_of rows, int n, const double *x,
                                 const char *what, double t, dae_error *err)
{
  char name[64];
  for (int i = 0; i < n; i++) {
    if (isfinite(x[i]))
      continue;
    if (rows == ROWS_Y || rows == ROWS_Z)
      dae__momentum_variable_name(m->p, rows == ROWS_Y ? i : m->ny + i, name, sizeof name);
    else
      dae__momentum_constraint_name(m->p, rows == ROWS_G ? i : m->ng + i, name, sizeof name);
    dae__fail(err, DAE_ERROR_RECOVERABLE, name, "%s of %s is not a finite number", what, name);
    dae__fail_at(err, t, NAN);
    return DAE_ERROR_RECOVERABLE;
  }
  return DAE_OK;
}

/* the point for what depends on t and y only */
static dae_momentum_at momentum_without_z(const dae_momentum_at *at)
{
  return (dae_momentum_at){.t = at->t, .y = at->y};
}

dae_status dae__momentum_v(dae__momentum *m, const dae_momentum_at *at, double *v, dae_error *err)
{
  dae_status status = dae__callback_status(m->why, m->p->v(m->p->user, at, v), "v", at->t, err);
  return status ? status : momentum_check(m, ROWS_Y, m->ny, v, "the rate v", at->t, err);
}

dae_status dae__momentum_p(dae__momentum *m, const dae_momentum_at *at, double *p, dae_error *err)
{
  if (!m->p->p) {
    dae__copy(m->nz, at->z, p);
    return DAE_OK;
  }
  dae_status status = dae__callback_status(m->why, m->p->p(m->p->user, at, p), "p", at->t, err);
  return status ? status : momentum_check(m, ROWS_Z, m->nz, p, "p in the equation", at->t, err);
}

dae_status dae__momentum_f(dae__momentum *m, const dae_momentum_at *at, const double *psi,
                           double *f, dae_error *err)
{
  ++*m->evaluations;
  dae_status status = dae__callback_status(
      m->why, m->p->f(m->p->user, at, m->nk > 0 ? psi : NULL, f), "f", at->t, err);
  return status ? status : momentum_check(m, ROWS_Z, m->nz, f, "f in the equation", at->t, err);
}

dae_status dae__momentum_r(dae__momentum *m, const dae_momentum_at *at, const double *lambda,
                           double *r, dae_error *err)
{
  dae_momentum_at still = momentum_without_z(at);
  if (m->ng == 0) {
    dae__zero(m->nz, r);
    return DAE_OK;
  }
  dae_status status =
      dae__callback_status(m->why, m->p->r(m->p->user, &still, lambda, r), "r", at->t, err);
  return status ? status : momentum_check(m, ROWS_Z, m->nz, r, "r in the equation", at->t, err);
}

dae_status dae__momentum_g(dae__momentum *m, const dae_momentum_at *at, double *g, dae_error *err)
{
  dae_momentum_at still = momentum_without_z(at);
  if (m->ng == 0)
    return DAE_OK;
  dae_status status = dae__callback_status(m->why, m->p->g(m->p->user, &still, g), "g", at->t, err);
  return status ? status : momentum_check(m, ROWS_G, m->ng, g, "the residual", at->t, err);
}

dae_status dae__momentum_k(dae__momentum *m, const dae_momentum_at *at, double *k, dae_error *err)
{
  if (m->nk == 0)
    return DAE_OK;
  dae_status status = dae__callback_status(m->why, m->p->k(m->p->user, at, k), "k", at->t, err);
  return status ? status : momentum_check(m, ROWS_K, m->nk, k, "the residual", at->t, err);
}

dae_status dae__momentum_energy(dae__momentum *m, const dae_momentum_at *at, double *energy,
                                dae_error *err)
{
  return dae__callback_status(m->why, m->p->energy(m->p->user, at, energy), "energy", at->t, err);
}

/* ---- the rate of g ---- */

typedef struct moment {
  dae__momentum *m;
  dae_momentum_at at;
} moment;

static dae_status momentum_g_later(void *context, double e, double *out, dae_error *err)
{
  moment *c = context;
  dae_momentum_at later = c->at;
  later.t += e;
  return dae__momentum_g(c->m, &later, out, err);
}

/* m->g_t, with m->g_y at hand */
static dae_status momentum_time_rate(dae__momentum *m, const dae_momentum_at *at, dae_error *err)
{
  const dae_momentum *p = m->p;
  dae_momentum_at still = momentum_without_z(at);
  if (p->g_t)
    return dae__callback_status(m->why, p->g_t(p->user, &still, m->g_t), "g_t", at->t, err);
  dae__zero(m->ng, m->g_t);
  if (p->time_free_g)
    return DAE_OK;
  dae__row_scale(&m->pattern[DAE__G_Y], m->g_y, at->y, m->scale);
  dae__path path = {momentum_g_later, &(moment){m, still}, m->ng, 1, m->scale};
  return dae__along_rate(&m->along, &path, m->g_t, err);
}

dae_status dae__momentum_gdot(dae__momentum *m, const dae_momentum_at *at, double *gdot,
                              dae_error *err)
{
  if (m->ng == 0)
    return DAE_OK;
  DAE__TRY(dae__momentum_v(m, at, m->v, err));
  DAE__TRY(dae__momentum_jacobian(m, DAE__G_Y, at, NULL, m->g_y, err));
  DAE__TRY(momentum_time_rate(m, at, err));
  dae__copy(m->ng, m->g_t, gdot);
  dae__matrix_times(&m->pattern[DAE__G_Y], m->g_y, 1, m->v, gdot);
  return momentum_check(m, ROWS_G, m->ng, gdot, "the rate", at->t, err);
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
