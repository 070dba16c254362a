/* Forwarding callbacks: each calls that of the base, at the same point with the inputs of the base,
 * and records its error with the name of the system. */
#include "wave/subsystems/forward.h"
#include "core/error.h"
#include "problem/problem.h"

dae_status dae__forward_diagnose(const char *name, dae_status status, dae_error *err)
{
  if (status >= 0 || !err || name[0] == '\0')
    return status;
  dae_error said = *err;
  return dae__fail(err, status, said.equation, "in %s: %s", name, said.text);
}

int dae__forward_result(dae__forward *forward, int code, const char *callback, double t)
{
  dae_status status = dae__callback_status(forward->why, code, callback, t, &forward->last);
  dae__forward_diagnose(forward->name, status, &forward->last);
  return code;
}

int dae__forward_code(dae_status status)
{
  bool refused = status == DAE_ERROR_RECOVERABLE || status == DAE_ERROR_SINGULAR;
  return status == DAE_OK ? 0 : refused ? 1 : -1;
}

/* ---- mechanical problems ---- */

/* callbacks that do not depend on inputs */
#define WITHOUT_INPUTS(DO)                                                                         \
  DO(M)                                                                                            \
  DO(p)                                                                                            \
  DO(p_rate)                                                                                       \
  DO(g)                                                                                            \
  DO(k)                                                                                            \
  DO(G)                                                                                            \
  DO(g_t)                                                                                          \
  DO(K)                                                                                            \
  DO(gamma)                                                                                        \
  DO(kappa)                                                                                        \
  DO(gdot_q)                                                                                       \
  DO(k_q)
#define WITH_INPUTS(DO)                                                                            \
  DO(f)                                                                                            \
  DO(F)                                                                                            \
  DO(s)                                                                                            \
  DO(c)
/* derivatives of products with a vector s */
#define WITH_VECTOR(DO)                                                                            \
  DO(Ms_qv)                                                                                        \
  DO(Gts_q)                                                                                        \
  DO(Kts_qv)

#define DEFINE(name, point, list, ...)                                                             \
  static int forward_##name list                                                                   \
  {                                                                                                \
    dae__forward *w = user;                                                                        \
    dae_mechanical_at here = *at;                                                                  \
    if (point && w->inputs)                                                                        \
      here.in = w->inputs(w, at);                                                                  \
    return dae__forward_result(w, w->to->name(w->to->user, &here, __VA_ARGS__), #name, at->t);     \
  }
#define DEFINE_WITHOUT_INPUTS(name)                                                                \
  DEFINE(name, false, (void *user, const dae_mechanical_at *at, double *out), out)
#define DEFINE_WITH_INPUTS(name)                                                                   \
  DEFINE(name, true, (void *user, const dae_mechanical_at *at, double *out), out)
#define DEFINE_WITH_VECTOR(name)                                                                   \
  DEFINE(name, false, (void *user, const dae_mechanical_at *at, const double *s, double *out), s,  \
         out)
WITHOUT_INPUTS(DEFINE_WITHOUT_INPUTS)
WITH_INPUTS(DEFINE_WITH_INPUTS)
WITH_VECTOR(DEFINE_WITH_VECTOR)
DEFINE(energy, true, (void *user, const dae_mechanical_at *at, double *T, double *V), T, V)
DEFINE(energy_rate, true,
       (void *user, const dae_mechanical_at *at, const double *in_rate, double *T_rate,
        double *V_rate),
       w->to->nin > 0 ? in_rate : NULL, T_rate, V_rate)

#define REPLACE(name) p->name = p->name ? forward_##name : NULL;
void dae__forward_mechanical(dae_mechanical *p)
{
  WITHOUT_INPUTS(REPLACE)
  WITH_INPUTS(REPLACE)
  WITH_VECTOR(REPLACE)
  REPLACE(energy)
  REPLACE(energy_rate)
  p->accelerate = NULL; /* those of other forces */
}

/* ---- semi-explicit problems ---- */

#define DEFINE_SEMI(name, list, ...)                                                               \
  static int forward_semi_##name list                                                              \
  {                                                                                                \
    dae__forward *w = user;                                                                        \
    const dae_semi_explicit *p = w->to_semi;                                                       \
    dae_mechanical_at point = {.t = at->t, .u = at->x, .w = at->y, .in = at->in};                  \
    dae_semi_explicit_at here = *at;                                                               \
    if (w->inputs)                                                                                 \
      here.in = w->inputs(w, &point);                                                              \
    return dae__forward_result(w, p->name(p->user, &here, __VA_ARGS__), #name, at->t);             \
  }
#define DEFINE_SEMI_VECTOR(name)                                                                   \
  DEFINE_SEMI(name, (void *user, const dae_semi_explicit_at *at, double *out), out)
DEFINE_SEMI_VECTOR(f)
DEFINE_SEMI_VECTOR(F)
DEFINE_SEMI_VECTOR(F_t)
DEFINE_SEMI_VECTOR(M)
DEFINE_SEMI(Ms_x, (void *user, const dae_semi_explicit_at *at, const double *a, double *Ms), a, Ms)

void dae__forward_semi(dae_semi_explicit *p)
{
#define REPLACE_SEMI(name) p->name = p->name ? forward_semi_##name : NULL;
  REPLACE_SEMI(f)
  REPLACE_SEMI(F)
  REPLACE_SEMI(F_t)
  REPLACE_SEMI(M)
  REPLACE_SEMI(Ms_x)
}
