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

#define FORWARDED(DO)                                                                              \
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
/* derivatives of products with a vector s */
#define FORWARDED_WITH_S(DO)                                                                       \
  DO(Ms_qv)                                                                                        \
  DO(Gts_q)                                                                                        \
  DO(Kts_qv)

#define DEFINE(name)                                                                               \
  static int forward_##name(void *user, const dae_mechanical_at *at, double *out)                  \
  {                                                                                                \
    dae__forward *w = user;                                                                        \
    return dae__forward_result(w, w->to->name(w->to->user, at, out), #name, at->t);                \
  }
#define DEFINE_WITH_S(name)                                                                        \
  static int forward_##name(void *user, const dae_mechanical_at *at, const double *s, double *out) \
  {                                                                                                \
    dae__forward *w = user;                                                                        \
    return dae__forward_result(w, w->to->name(w->to->user, at, s, out), #name, at->t);             \
  }
FORWARDED(DEFINE)
FORWARDED_WITH_S(DEFINE_WITH_S)

void dae__forward_callbacks(dae_mechanical *p)
{
#define REPLACE(name) p->name = p->name ? forward_##name : NULL;
  FORWARDED(REPLACE)
  FORWARDED_WITH_S(REPLACE)
#undef REPLACE
}
