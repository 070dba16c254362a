/* Derivatives of a problem in the momentum form: the user's, or coloured differences of the
 * evaluations; g_y v_z as a product of sparse matrices. */
#include "core/error.h"
#include "core/vec.h"
#include "problem/problem.h"
#include "problem/momentum/momentum.h"
#include <stdio.h>

/* A point in which one part is varied: y, z or the multiplier. */
typedef struct vary {
  dae__momentum *m;
  dae_momentum_at at;
  const double *multiplier;
} vary;

/* The functions that are differenced: name_of_x. */
#define OF_POINT(name, member)                                                                     \
  static dae_status name##_of_##member(void *context, const double *x, double *out,                \
                                       dae_error *err)                                             \
  {                                                                                                \
    vary *c = context;                                                                             \
    c->at.member = x;                                                                              \
    return dae__momentum_##name(c->m, &c->at, out, err);                                           \
  }
OF_POINT(v, y)
OF_POINT(v, z)
OF_POINT(p, y)
OF_POINT(p, z)
OF_POINT(g, y)
OF_POINT(gdot, y)
OF_POINT(k, y)
OF_POINT(k, z)
#undef OF_POINT

#define OF_FORCE(name, suffix, member)                                                             \
  static dae_status name##_of_##suffix(void *context, const double *x, double *out,                \
                                       dae_error *err)                                             \
  {                                                                                                \
    vary *c = context;                                                                             \
    c->member = x;                                                                                 \
    return dae__momentum_##name(c->m, &c->at, c->multiplier, out, err);                            \
  }
OF_FORCE(f, y, at.y)
OF_FORCE(f, z, at.z)
OF_FORCE(f, psi, multiplier)
OF_FORCE(r, y, at.y)
OF_FORCE(r, lambda, multiplier)
#undef OF_FORCE

static dae__difference_fn *const function[DAE__MOMENTUM_PARTS] = {
    [DAE__V_Y] = v_of_y,      [DAE__V_Z] = v_of_z, [DAE__P_Y] = p_of_y,
    [DAE__P_Z] = p_of_z,      [DAE__F_Y] = f_of_y, [DAE__F_Z] = f_of_z,
    [DAE__F_PSI] = f_of_psi,  [DAE__R_Y] = r_of_y, [DAE__R_LAMBDA] = r_of_lambda,
    [DAE__G_Y] = g_of_y,      [DAE__K_Y] = k_of_y, [DAE__K_Z] = k_of_z,
    [DAE__GDOT_Y] = gdot_of_y};

/* what a part is differentiated by */
static const double *momentum_derivative_variable(dae__momentum_part part, const vary *c)
{
  switch (part) {
  case DAE__F_PSI:
  case DAE__R_LAMBDA:
    return c->multiplier;
  case DAE__V_Z:
  case DAE__P_Z:
  case DAE__F_Z:
  case DAE__K_Z:
  case DAE__GDOT_Z:
    return c->at.z;
  default:
    return c->at.y;
  }
}

/* g, r and their derivatives know nothing of z */
static bool momentum_of_y_only(dae__momentum_part part)
{
  return part == DAE__R_Y || part == DAE__R_LAMBDA || part == DAE__G_Y;
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
    bool of_k = part == DAE__K_Y || part == DAE__K_Z, of_v = part == DAE__V_Y || part == DAE__V_Z;
    if (of_k || part == DAE__G_Y || part == DAE__GDOT_Y || part == DAE__GDOT_Z)
      dae__momentum_constraint_name(m->p, p->row[e] + (of_k ? m->ng : 0), name, sizeof name);
    else
      dae__momentum_variable_name(m->p, p->row[e] + (of_v ? 0 : m->ny), name, sizeof name);
    dae__fail(err, DAE_ERROR_RECOVERABLE, name,
              "the derivative %s has an entry in the row of %s that is not a finite number", what,
              name);
    dae__fail_at(err, t, NAN);
    return DAE_ERROR_RECOVERABLE;
  }
  return DAE_OK;
}

static dae_status momentum_gdot_z(dae__momentum *m, const dae_momentum_at *at, double *values,
                                  dae_error *err)
{
  const dae_pattern *of = m->pattern;
  dae_status status = dae__momentum_jacobian(m, DAE__G_Y, at, NULL, m->g_y, err);
  if (!status)
    status = dae__momentum_jacobian(m, DAE__V_Z, at, NULL, m->v_z, err);
  if (!status)
    dae__matrix_product((dae__factor){&of[DAE__G_Y], m->g_y}, (dae__factor){&of[DAE__V_Z], m->v_z},
                        &of[DAE__GDOT_Z], m->row, values);
  return status;
}

/* p = z, or r = 0 */
static bool momentum_known(const dae__momentum *m, dae__momentum_part part, double *values)
{
  for (int i = 0; part == DAE__P_Z && !m->p->p && i < m->nz; i++)
    values[i] = 1;
  return dae__pattern_count(&m->pattern[part]) == 0 || (part == DAE__P_Z && !m->p->p);
}

dae_status dae__momentum_jacobian(dae__momentum *m, dae__momentum_part part,
                                  const dae_momentum_at *at, const double *multiplier,
                                  double *values, dae_error *err)
{
  void *user = m->p->user;
  dae__momentum_given given = dae__momentum_given_of(m->p, part);
  vary c = {m, *at, multiplier};
  dae_status status;
  if (momentum_known(m, part, values))
    return DAE_OK;
  if (momentum_of_y_only(part))
    c.at.z = NULL;
  else if (given.fn_s && m->nk == 0)
    multiplier = NULL;
  if (part == DAE__GDOT_Z)
    status = momentum_gdot_z(m, at, values, err);
  else if (given.fn)
    status = dae__callback_status(m->why, given.fn(user, &c.at, values), given.name, at->t, err);
  else if (given.fn_s)
    status = dae__callback_status(m->why, given.fn_s(user, &c.at, multiplier, values), given.name,
                                  at->t, err);
  else
    status = dae__difference_jacobian(&m->difference[part], function[part], &c,
                                      momentum_derivative_variable(part, &c), values, err);
  return status ? status : momentum_derivative_check(m, part, values, at->t, err);
}
