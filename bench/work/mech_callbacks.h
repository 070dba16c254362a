/* daedal's callbacks for a model of mech_model.h: one call for everything, and derivatives. */
#ifndef DAEDAL_BENCH_MECH_CALLBACKS_H
#define DAEDAL_BENCH_MECH_CALLBACKS_H

#include "mech_model.h"

#include <daedal/mechanical.h>

/* one call for everything but M */
ALWAYS_INLINE void mech_eval(const mech_model *p, const dae_mechanical_at *at,
                             const dae_mechanical_wanted *w)
{
  const int n = p->nq, ng = p->ng, nk = p->nk;
  mech_terms x;
  p->terms(at->t, at->q, at->v, &x);
  for (int r = 0; w->f && r < n; r++)
    w->f[r] = x.f[r];
  for (int i = 0; w->g && i < ng; i++)
    w->g[i] = x.g[i];
  for (int i = 0; w->gdot && i < ng; i++)
    w->gdot[i] = x.gdot[i];
  for (int i = 0; w->gamma && i < ng; i++)
    w->gamma[i] = x.gamma[i];
  for (int r = 0; w->G && r < n; r++)
    for (int i = 0; i < ng; i++)
      w->G[i + r * ng] = x.G[i][r];
  for (int i = 0; w->k && i < nk; i++)
    w->k[i] = x.gdot[ng + i];
  for (int i = 0; w->kappa && i < nk; i++)
    w->kappa[i] = x.gamma[ng + i];
  for (int r = 0; w->K && r < n; r++)
    for (int i = 0; i < nk; i++)
      w->K[i + r * nk] = x.G[ng + i][r];
}

/* d f/d(q, v), column by column */
ALWAYS_INLINE void mech_J(const mech_model *p, const dae_mechanical_at *at, double *J)
{
  const int n = p->nq;
  mech_slopes d = {0};
  p->slopes(at->t, at->q, at->v, &d);
  for (int c = 0; c < n; c++)
    for (int r = 0; r < n; r++) {
      J[r + c * n] = d.f_q[r][c];
      J[r + (n + c) * n] = d.f_v[r][c];
    }
}

ALWAYS_INLINE void mech_Gts_q(const mech_model *p, const dae_mechanical_at *at, const double *s,
                              double *out)
{
  const int n = p->nq;
  mech_slopes d = {0};
  p->slopes(at->t, at->q, at->v, &d);
  for (int c = 0; c < n; c++)
    for (int r = 0; r < n; r++) {
      out[r + c * n] = 0;
      for (int i = 0; i < p->ng; i++)
        out[r + c * n] += d.G_q[i][r][c] * s[i];
    }
}

ALWAYS_INLINE void mech_gdot_q(const mech_model *p, const dae_mechanical_at *at, double *out)
{
  mech_slopes d = {0};
  p->slopes(at->t, at->q, at->v, &d);
  for (int c = 0; c < p->nq; c++)
    for (int i = 0; i < p->ng; i++)
      out[i + c * p->ng] = d.gdot_q[i][c];
}

/* ---- copies for a problem whose model is the static const mech_model name##_model ---- */

/* name##_mass(const double *q, double *M) writes M, column by column */
#define MECH_EVAL(name)                                                                            \
  static int name##_eval(void *user, const dae_mechanical_at *at, const dae_mechanical_wanted *w)  \
  {                                                                                                \
    (void)user;                                                                                    \
    if (w->M)                                                                                      \
      name##_mass(at->q, w->M);                                                                    \
    mech_eval(&name##_model, at, w);                                                               \
    return 0;                                                                                      \
  }

/* the separate callbacks, by name##_eval */
#define MECH_SINGLE_CALLBACKS(name)                                                                \
  static int name##_M(void *user, const dae_mechanical_at *at, double *out)                        \
  {                                                                                                \
    return name##_eval(user, at, &(dae_mechanical_wanted){.M = out});                              \
  }                                                                                                \
  static int name##_f(void *user, const dae_mechanical_at *at, double *out)                        \
  {                                                                                                \
    return name##_eval(user, at, &(dae_mechanical_wanted){.f = out});                              \
  }                                                                                                \
  static int name##_g(void *user, const dae_mechanical_at *at, double *out)                        \
  {                                                                                                \
    return name##_eval(user, at, &(dae_mechanical_wanted){.g = out});                              \
  }                                                                                                \
  static int name##_G(void *user, const dae_mechanical_at *at, double *out)                        \
  {                                                                                                \
    return name##_eval(user, at, &(dae_mechanical_wanted){.G = out});                              \
  }                                                                                                \
  static int name##_gamma(void *user, const dae_mechanical_at *at, double *out)                    \
  {                                                                                                \
    return name##_eval(user, at, &(dae_mechanical_wanted){.gamma = out});                          \
  }

#define MECH_CALLBACKS(name) MECH_EVAL(name) MECH_SINGLE_CALLBACKS(name)

#define MECH_DERIVATIVES(name)                                                                     \
  static int name##_J(void *user, const dae_mechanical_at *at, double *out)                        \
  {                                                                                                \
    (void)user;                                                                                    \
    mech_J(&name##_model, at, out);                                                                \
    return 0;                                                                                      \
  }                                                                                                \
  static int name##_Gts_q(void *user, const dae_mechanical_at *at, const double *s, double *out)   \
  {                                                                                                \
    (void)user;                                                                                    \
    mech_Gts_q(&name##_model, at, s, out);                                                         \
    return 0;                                                                                      \
  }                                                                                                \
  static int name##_gdot_q(void *user, const dae_mechanical_at *at, double *out)                   \
  {                                                                                                \
    (void)user;                                                                                    \
    mech_gdot_q(&name##_model, at, out);                                                           \
    return 0;                                                                                      \
  }

/* the members of a dae_mechanical */
#define MECH_MEMBERS(id)                                                                           \
  .M = id##_M, .f = id##_f, .g = id##_g, .G = id##_G, .gamma = id##_gamma, .eval = id##_eval
#define MECH_DERIVED(id) .J = id##_J, .Gts_q = id##_Gts_q, .gdot_q = id##_gdot_q

#endif
