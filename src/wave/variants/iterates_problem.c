/* The description of a problem with earlier iterates: (f, s) of a mechanical base and f of a
 * semi-explicit one, J and J_in are those of iterates_terms.c, everything else is passed on. That
 * sees in^(n-1), which comes first among the inputs. */
#include "wave/variants/iterates_parts.h"
#include <string.h>

static int iterates_said(dae__iterates *it, int code, const char *callback, double t)
{
  return dae__pass_said(&it->pass, code, callback, t);
}

/* ---- a mechanical base ---- */

static int iterates_eval_f(void *user, const dae_mechanical_at *at, double *f)
{
  return dae__iterates_rows(user, at, false, f);
}

static int iterates_eval_s(void *user, const dae_mechanical_at *at, double *s)
{
  return dae__iterates_rows(user, at, true, s);
}

static int iterates_eval_c(void *user, const dae_mechanical_at *at, double *c)
{
  const dae_mechanical *m = ((dae__iterates *)user)->base.mechanical;
  return iterates_said(user, m->c(m->user, at, c), "c", at->t);
}

static int iterates_eval_J(void *user, const dae_mechanical_at *at, double *J)
{
  return dae__iterates_J(user, at, J);
}

static int iterates_eval_J_in(void *user, const dae_mechanical_at *at, double *J_in)
{
  return dae__iterates_J_in(user, at, J_in);
}

/* all but f and s in one call of the base's */
static int iterates_eval_all(void *user, const dae_mechanical_at *at,
                             const dae_mechanical_wanted *wanted)
{
  const dae_mechanical *m = ((dae__iterates *)user)->base.mechanical;
  const dae_mechanical_wanted none = {0};
  dae_mechanical_wanted rest = *wanted;
  int code = 0;
  rest.f = rest.s = NULL;
  if (memcmp(&rest, &none, sizeof none) != 0)
    code = iterates_said(user, m->eval(m->user, at, &rest), "eval", at->t);
  if (!code && wanted->f)
    code = dae__iterates_rows(user, at, false, wanted->f);
  if (!code && wanted->s)
    code = dae__iterates_rows(user, at, true, wanted->s);
  return code;
}

static int iterates_eval_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  const dae_mechanical *m = ((dae__iterates *)user)->base.mechanical;
  return iterates_said(user, m->energy(m->user, at, T, V), "energy", at->t);
}

static int iterates_eval_energy_rate(void *user, const dae_mechanical_at *at, const double *in_rate,
                                     double *T_rate, double *V_rate)
{
  const dae_mechanical *m = ((dae__iterates *)user)->base.mechanical;
  const double *own = m->nin > 0 ? in_rate : NULL;
  return iterates_said(user, m->energy_rate(m->user, at, own, T_rate, V_rate), "energy_rate",
                       at->t);
}

/* With both faces given, F = f + p_rate is left to those who ask for it: p_rate is the present one.
 * Differences of a linear part that is itself differenced would be noise: J is then given. The
 * base's energy_rate holds for u' = s at the present point. */
static void iterates_describe_mechanical(dae__iterates *it)
{
  dae_mechanical *p = &it->mechanical;
  *p = *it->base.mechanical;
  p->user = it;
  p->nin = it->J_in.cols;
  p->in_names = it->in_names;
  p->F = p->f ? NULL : iterates_eval_f;
  p->f = p->f ? iterates_eval_f : NULL;
  p->s = p->s ? iterates_eval_s : NULL;
  p->c = p->c ? iterates_eval_c : NULL;
  p->J = p->J || it->terms.linear > 0 ? iterates_eval_J : NULL;
  p->J_in = iterates_eval_J_in;
  p->J_in_pattern = &it->J_in;
  p->eval = p->eval ? iterates_eval_all : NULL;
  p->energy = p->energy ? iterates_eval_energy : NULL;
  p->energy_rate = p->energy_rate && p->nu == 0 ? iterates_eval_energy_rate : NULL;
  dae__pass_on(p);
  it->problem = (dae_problem){.mechanical = p, .why = &it->pass.last};
}

/* ---- a semi-explicit base ---- */

static dae_mechanical_at iterates_at_semi(const dae_semi_explicit_at *at)
{
  return (dae_mechanical_at){.t = at->t, .u = at->x, .w = at->y, .in = at->in};
}

static int iterates_semi_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  dae_mechanical_at point = iterates_at_semi(at);
  return dae__iterates_rows(user, &point, true, f);
}

#define PASS(name)                                                                                 \
  static int semi_##name(void *user, const dae_semi_explicit_at *at, double *out)                  \
  {                                                                                                \
    const dae_semi_explicit *s = ((dae__iterates *)user)->base.semi_explicit;                      \
    return iterates_said(user, s->name(s->user, at, out), #name, at->t);                           \
  }
PASS(F)
PASS(F_t)
PASS(M)
#undef PASS

static int iterates_semi_Ms_x(void *user, const dae_semi_explicit_at *at, const double *a,
                              double *Ms)
{
  const dae_semi_explicit *s = ((dae__iterates *)user)->base.semi_explicit;
  return iterates_said(user, s->Ms_x(s->user, at, a, Ms), "Ms_x", at->t);
}

static int iterates_semi_J(void *user, const dae_semi_explicit_at *at, double *J)
{
  dae_mechanical_at point = iterates_at_semi(at);
  return dae__iterates_J(user, &point, J);
}

static int iterates_semi_J_in(void *user, const dae_semi_explicit_at *at, double *J_in)
{
  dae_mechanical_at point = iterates_at_semi(at);
  return dae__iterates_J_in(user, &point, J_in);
}

static void iterates_describe_semi(dae__iterates *it)
{
  dae_semi_explicit *p = &it->semi_explicit;
  *p = *it->base.semi_explicit;
  p->user = it;
  p->nin = it->J_in.cols;
  p->in_names = it->in_names;
  p->f = p->f ? iterates_semi_f : NULL;
  p->F = p->F ? semi_F : NULL;
  p->F_t = p->F_t ? semi_F_t : NULL;
  p->M = p->M ? semi_M : NULL;
  p->Ms_x = p->Ms_x ? iterates_semi_Ms_x : NULL;
  p->J = p->J || it->terms.linear > 0 ? iterates_semi_J : NULL;
  p->J_in = iterates_semi_J_in;
  p->J_in_pattern = &it->J_in;
  it->problem = (dae_problem){.semi_explicit = p, .why = &it->pass.last};
}

void dae__iterates_describe(dae__iterates *it)
{
  if (it->base.mechanical)
    iterates_describe_mechanical(it);
  else
    iterates_describe_semi(it);
}
