#include "wave/subsystems/forward.h"
#include "core/error.h"
#include "problem/callback.h"

dae_status dae__forward_diagnose(const char *name, dae_status status, dae_error *err)
{
  if (status >= 0 || !err || name[0] == '\0')
    return status;
  dae_error said = *err;
  return dae__fail(err, status, said.equation, "in %s: %s", name, said.text);
}

int dae__forward_result(dae__forward *pass, int code, const char *callback, double t)
{
  dae_status status = dae__callback_status(pass->why, code, callback, t, &pass->last);
  dae__forward_diagnose(pass->name, status, &pass->last);
  return code;
}

int dae__forward_code(dae_status status)
{
  bool refused = status == DAE_ERROR_RECOVERABLE || status == DAE_ERROR_SINGULAR;
  return status == DAE_OK ? 0 : refused ? 1 : -1;
}

#define PASS(name)                                                                                 \
  static int pass_##name(void *user, const dae_mechanical_at *at, double *out)                     \
  {                                                                                                \
    dae__forward *pass = user;                                                                     \
    return dae__forward_result(pass, pass->to->name(pass->to->user, at, out), #name, at->t);       \
  }
PASS(M)
PASS(p)
PASS(p_rate)
PASS(g)
PASS(k)
PASS(G)
PASS(g_t)
PASS(K)
PASS(gamma)
PASS(kappa)
PASS(gdot_q)
PASS(k_q)
#undef PASS

#define PASS_S(name)                                                                               \
  static int pass_##name(void *user, const dae_mechanical_at *at, const double *s, double *out)    \
  {                                                                                                \
    dae__forward *pass = user;                                                                     \
    return dae__forward_result(pass, pass->to->name(pass->to->user, at, s, out), #name, at->t);    \
  }
PASS_S(Ms_qv)
PASS_S(Gts_q)
PASS_S(Kts_qv)
#undef PASS_S

void dae__forward_callbacks(dae_mechanical *p)
{
#define PASS_ON(name) p->name = p->name ? pass_##name : NULL
  PASS_ON(M);
  PASS_ON(p);
  PASS_ON(p_rate);
  PASS_ON(g);
  PASS_ON(k);
  PASS_ON(G);
  PASS_ON(g_t);
  PASS_ON(K);
  PASS_ON(gamma);
  PASS_ON(kappa);
  PASS_ON(gdot_q);
  PASS_ON(k_q);
  PASS_ON(Ms_qv);
  PASS_ON(Gts_q);
  PASS_ON(Kts_qv);
#undef PASS_ON
}
