/* The mechanical form: coordinates q, velocities v = q', and constraints.
 *
 *   M(t,q,v) v' + G' lambda + K' psi = f(t,q,v,u,w,in)     G = dg/dq,  K = dk/dv
 *   0  = g(t,q)                                            holonomic
 *   0  = k(t,q,v)                                          nonholonomic
 *   u' = s(t,q,v,u,w,in)                                   extra states
 *   0  = c(t,q,v,u,w,in)                                   algebraic variables w, dc/dw regular
 *
 * or, instead of (M, f), by momenta: d/dt p(t,q,v) = F(t,q,v,u,w,in) - G' lambda - K' psi, where
 * M = dp/dv and f = F - p_t - p_q v. Both faces may be given: then each is used as it is.
 *
 * M may be singular as long as [M G'; G 0] is regular on the constraints. Only sizes, M (or p)
 * and f (or F), g and k are required; every derivative that is left NULL is formed by coloured
 * differences. A problem is const: it is never written to and may be shared between threads.
 *
 * Callbacks return 0, a positive number to refuse the point (the step is then repeated with a
 * smaller one), or a negative number to end the run. */
#ifndef DAEDAL_MECHANICAL_H
#define DAEDAL_MECHANICAL_H

#include <daedal/pattern.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The point at which a callback evaluates. Pointers to empty parts may be NULL. */
typedef struct dae_mechanical_at {
  double t;
  const double *q, *v, *u, *w, *in;
} dae_mechanical_at;

/* Writes a vector, or the values of a matrix in the order of its pattern. */
typedef int dae_mechanical_fn(void *user, const dae_mechanical_at *at, double *out);
/* The same for a quantity contracted with a given vector s. */
typedef int dae_mechanical_fn_s(void *user, const dae_mechanical_at *at, const double *s,
                                double *out);

/* Everything one model evaluation may be asked for; members that are NULL are not wanted. */
typedef struct dae_mechanical_wanted {
  double *M, *f, *s, *c, *g, *gdot, *G, *gamma, *k, *K, *kappa;
} dae_mechanical_wanted;

typedef struct dae_mechanical {
  const char *name;
  int nq;     /* coordinates */
  int ng;     /* holonomic constraints */
  int nk;     /* nonholonomic constraints */
  int nu;     /* extra states */
  int nw;     /* algebraic variables */
  int nin;    /* inputs; they enter f (or F), s, c and the energies only */
  void *user; /* handed to every callback */

  /* names in messages and columns; NULL, or a NULL entry: q[1], u[1], lambda[1], ... */
  const char *const *q_names, *const *u_names, *const *w_names, *const *in_names;
  const char *const *g_names, *const *k_names;

  /* the (M, f) face */
  dae_mechanical_fn *M; /* nq x nq, pattern M_pattern */
  dae_mechanical_fn *f; /* nq */
  /* the (p, F) face. Without f it is the problem, and M is dp/dv and may be NULL; beside (M, f) it
   * says the same in momenta, to those who ask for momenta. F needs p */
  dae_mechanical_fn *p;      /* nq, a function of t, q, v */
  dae_mechanical_fn *F;      /* nq */
  dae_mechanical_fn *p_rate; /* nq: p_t + p_q v */

  dae_mechanical_fn *s; /* nu */
  dae_mechanical_fn *c; /* nw */
  dae_mechanical_fn *g; /* ng */
  dae_mechanical_fn *k; /* nk */

  /* first derivatives */
  dae_mechanical_fn *G;     /* dg/dq, ng x nq, pattern G_pattern */
  dae_mechanical_fn *g_t;   /* ng; NULL with time_free_g: zero */
  dae_mechanical_fn *K;     /* dk/dv, nk x nq, pattern K_pattern */
  dae_mechanical_fn *gamma; /* ng: g_tt + 2 G_t v + (G v)_q v, so that G v' = -gamma */
  dae_mechanical_fn *kappa; /* nk: k_t + k_q v, so that K v' = -kappa */
  dae_mechanical_fn *J;     /* d(f,s,c)/d(q,v,u,w), pattern J_pattern; with f given df, else dF */
  dae_mechanical_fn *J_in;  /* d(f,s,c)/d(in), pattern J_in_pattern */

  /* derivatives of contracted quantities */
  dae_mechanical_fn_s *Ms_qv;  /* d(M s)/d(q,v), nq x 2nq, pattern Ms_pattern */
  dae_mechanical_fn_s *Gts_q;  /* d(G' s)/dq, nq x nq, pattern Gts_pattern */
  dae_mechanical_fn *gdot_q;   /* d(g_t + G v)/dq, ng x nq, pattern G_pattern */
  dae_mechanical_fn *k_q;      /* dk/dq, nk x nq, pattern k_q_pattern */
  dae_mechanical_fn_s *Kts_qv; /* d(K' s)/d(q,v), nq x 2nq, pattern Kts_pattern */

  /* patterns; NULL is dense, except: Gts_pattern follows from G_pattern, k_q_pattern and
   * Kts_pattern from K_pattern, where those are given */
  const dae_pattern *M_pattern, *G_pattern, *K_pattern, *J_pattern, *J_in_pattern;
  const dae_pattern *Ms_pattern, *Gts_pattern, *k_q_pattern, *Kts_pattern;

  /* everything in one call, sharing subexpressions; used instead of the separate callbacks where
   * given. It must be able to fill every member whose separate callback is given. */
  int (*eval)(void *user, const dae_mechanical_at *at, const dae_mechanical_wanted *wanted);

  /* kinetic and potential energy, for the energy balance; NULL: v'Mv/2 and no potential */
  int (*energy)(void *user, const dae_mechanical_at *at, double *T, double *V);
  /* Their rates of change along the motion at fixed v: T_t + T_q v, plus the derivative with
   * respect to the inputs times in_rate, the rates of the inputs (NULL where nin is 0), plus T_u s
   * where extra states enter; V alike. NULL: differenced. in_rate is NaN for an input that is wired
   * to a velocity or an algebraic variable, whose rate is not at hand: an energy that depends on it
   * gets a rate of NaN, and the run no balance. */
  int (*energy_rate)(void *user, const dae_mechanical_at *at, const double *in_rate, double *T_rate,
                     double *V_rate);

  bool constant_mass; /* M does not depend on t, q, v */
  bool time_free_g;   /* g does not depend on t */
} dae_mechanical;

#ifdef __cplusplus
}
#endif
#endif
