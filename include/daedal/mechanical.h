/** @file
 * The mechanical form: coordinates q, velocities v = q', and constraints.
 *
 *     M(t,q,v) v' + G' lambda + K' psi = f(t,q,v,u,w,in)     G = dg/dq,  K = dk/dv
 *     0  = g(t,q)                                            holonomic
 *     0  = k(t,q,v)                                          nonholonomic
 *     u' = s(t,q,v,u,w,in)                                   extra states
 *     0  = c(t,q,v,u,w,in)                                   algebraic variables w, dc/dw regular
 *
 * or, instead of (M, f), by momenta: d/dt p(t,q,v) = F(t,q,v,u,w,in) - G' lambda - K' psi, where
 * M = dp/dv and f = F - p_t - p_q v. Both formulations may be given: (M, f) is then used for the
 * motion, (p, F) for momenta.
 *
 * Forces of constraints may act in directions of their own, B' (lambda, psi) in place of G' lambda
 * + K' psi: reactions with friction, drives that hold a path.
 *
 * M may be singular if [M G'; G 0] is regular on the constraints. Only sizes, M (or p) and f (or
 * F), g and k are required; every derivative that is NULL is formed by coloured differences. A
 * problem is const: it is never written to and may be shared between threads.
 *
 * Callbacks return 0, a positive number to refuse the point (the step is then repeated with a
 * smaller step size), or a negative number to end the run. */
#ifndef DAEDAL_MECHANICAL_H
#define DAEDAL_MECHANICAL_H

#include <daedal/pattern.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Point of evaluation of a callback. Pointers to empty vectors may be NULL. */
typedef struct dae_mechanical_at {
  double t;         /**< time */
  const double *q;  /**< coordinates */
  const double *v;  /**< velocities */
  const double *u;  /**< extra states */
  const double *w;  /**< algebraic variables */
  const double *in; /**< inputs */
} dae_mechanical_at;

/** Callback that writes a vector, or the values of a matrix in the order of its pattern. */
typedef int dae_mechanical_fn(void *user, const dae_mechanical_at *at, double *out);
/** Callback for a quantity contracted with a given vector s. */
typedef int dae_mechanical_fn_s(void *user, const dae_mechanical_at *at, const double *s,
                                double *out);

/** Quantities of one evaluation by eval; members that are NULL are not requested. */
typedef struct dae_mechanical_wanted {
  double *M;     /**< mass matrix */
  double *f;     /**< forces */
  double *s;     /**< rates of the extra states */
  double *c;     /**< algebraic equations */
  double *g;     /**< holonomic constraints */
  double *gdot;  /**< time derivative of the holonomic constraints, g_t + G v */
  double *G;     /**< dg/dq */
  double *gamma; /**< gamma in G v' = -gamma */
  double *k;     /**< nonholonomic constraints */
  double *K;     /**< dk/dv */
  double *kappa; /**< kappa in K v' = -kappa */
  double *B;     /**< directions of the constraint forces */
} dae_mechanical_wanted;

/** Results of accelerate. */
typedef struct dae_mechanical_motion {
  double *rates;       /**< q', v', u': 2 nq + nu; q' = v is that of the projection if wanted */
  double *multipliers; /**< lambda, then psi, before the projection, as v' and u' are */
  /* the projection; either all NULL, where it is not wanted, or none, where there are constraints
   */
  double *q;      /**< q less its minimum-norm correction, in the M norm, by g and G at q */
  double *v;      /**< v less that by gdot and k at the corrected q, with M, G, K at the old one */
  double *pivots; /**< by constraint: its pivot in [G; K] M^-1 [G; K]' */
  double *sizes;  /**< by constraint: sum_j A_ij^2 / M_jj, its entries A_ij in [G; K] */
} dae_mechanical_motion;

/** A mechanical problem. */
typedef struct dae_mechanical {
  const char *name; /**< name in messages */
  int nq;           /**< number of coordinates */
  int ng;           /**< number of holonomic constraints */
  int nk;           /**< number of nonholonomic constraints */
  int nu;           /**< number of extra states */
  int nw;           /**< number of algebraic variables */
  int nin;          /**< number of inputs; they enter f (or F), s, c and the energies only */
  void *user;       /**< argument of every callback */

  /* names in messages and columns; NULL, or a NULL entry: q[1], u[1], lambda[1], ... */
  const char *const *q_names;  /**< names of the coordinates */
  const char *const *u_names;  /**< names of the extra states */
  const char *const *w_names;  /**< names of the algebraic variables */
  const char *const *in_names; /**< names of the inputs */
  const char *const *g_names;  /**< names of the holonomic constraints */
  const char *const *k_names;  /**< names of the nonholonomic constraints */
  /** by constraint, of g, then of k: what it belongs to, such as a joint, in messages; NULL, or a
   * NULL entry: it stands for itself; "": it is not listed */
  const char *const *groups;
  /** by constraint, of g, then of k: held values may switch it off; its row is then identically
   * zero, which is no redundancy. NULL: none */
  const bool *switched;

  /* formulation by mass matrix and forces */
  dae_mechanical_fn *M; /**< mass matrix, nq x nq, pattern M_pattern */
  dae_mechanical_fn *f; /**< forces, nq */
  /* formulation by momenta. Without f it defines the problem, and M = dp/dv may be NULL; beside
   * (M, f) it is used by methods that need momenta. F requires p */
  dae_mechanical_fn *p;      /**< momenta, nq, a function of t, q, v */
  dae_mechanical_fn *F;      /**< generalised forces of the momenta, nq */
  dae_mechanical_fn *p_rate; /**< nq: p_t + p_q v */

  dae_mechanical_fn *s; /**< rates of the extra states, nu */
  dae_mechanical_fn *c; /**< algebraic equations, nw */
  dae_mechanical_fn *g; /**< holonomic constraints, ng */
  dae_mechanical_fn *k; /**< nonholonomic constraints, nk */

  /** Directions of the constraint forces, (ng + nk) x nq, pattern B_pattern: row i is what stands
   * in place of row i of [G; K] in the forces. NULL: [G; K]. [M B'; G 0; K 0] must be regular on
   * the constraints. Methods that need forces along the gradients refuse such a problem by name. */
  dae_mechanical_fn *B;

  /* first derivatives */
  dae_mechanical_fn *G;     /**< dg/dq, ng x nq, pattern G_pattern */
  dae_mechanical_fn *g_t;   /**< partial derivative in time, ng; NULL with time_free_g: zero */
  dae_mechanical_fn *K;     /**< dk/dv, nk x nq, pattern K_pattern */
  dae_mechanical_fn *gamma; /**< ng: g_tt + 2 G_t v + (G v)_q v, so that G v' = -gamma */
  dae_mechanical_fn *kappa; /**< nk: k_t + k_q v, so that K v' = -kappa */
  dae_mechanical_fn *J;     /**< d(f,s,c)/d(q,v,u,w), pattern J_pattern; with f given df, else dF */
  dae_mechanical_fn *J_in;  /**< d(f,s,c)/d(in), pattern J_in_pattern */

  /* derivatives of contracted quantities */
  dae_mechanical_fn_s *Ms_qv;  /**< d(M s)/d(q,v), nq x 2nq, pattern Ms_pattern */
  dae_mechanical_fn_s *Gts_q;  /**< d(G' s)/dq, nq x nq, pattern Gts_pattern */
  dae_mechanical_fn *gdot_q;   /**< d(g_t + G v)/dq, ng x nq, pattern G_pattern */
  dae_mechanical_fn *k_q;      /**< dk/dq, nk x nq, pattern k_q_pattern */
  dae_mechanical_fn_s *Kts_qv; /**< d(K' s)/d(q,v), nq x 2nq, pattern Kts_pattern */

  dae_mechanical_fn_s *Bts_qv; /**< d(B' s)/d(q,v), s = (lambda, psi), pattern Bts_pattern */

  /* patterns; NULL is dense, except: Gts_pattern follows from a given G_pattern, k_q_pattern and
   * Kts_pattern from a given K_pattern */
  const dae_pattern *M_pattern;    /**< pattern of M */
  const dae_pattern *G_pattern;    /**< pattern of G and gdot_q */
  const dae_pattern *K_pattern;    /**< pattern of K */
  const dae_pattern *J_pattern;    /**< pattern of J */
  const dae_pattern *J_in_pattern; /**< pattern of J_in */
  const dae_pattern *Ms_pattern;   /**< pattern of Ms_qv */
  const dae_pattern *Gts_pattern;  /**< pattern of Gts_q */
  const dae_pattern *k_q_pattern;  /**< pattern of k_q */
  const dae_pattern *Kts_pattern;  /**< pattern of Kts_qv */
  const dae_pattern *B_pattern;    /**< pattern of B */
  const dae_pattern *Bts_pattern;  /**< pattern of Bts_qv */

  /** evaluates several quantities in one call, with common subexpressions; if given, it replaces
   * the separate callbacks. It must support every member whose separate callback is given. */
  int (*eval)(void *user, const dae_mechanical_at *at, const dae_mechanical_wanted *wanted);

  /** kinetic and potential energy, for the energy balance; NULL: v'Mv/2 and no potential */
  int (*energy)(void *user, const dae_mechanical_at *at, double *T, double *V);
  /** Time derivatives of the energies along the motion at fixed v: T_t + T_q v, plus the derivative
   * with respect to the inputs times in_rate, the time derivatives of the inputs (NULL if nin is
   * 0), plus T_u s if T depends on extra states; V alike. NULL: formed by differences. in_rate is
   * NaN for an input wired to a velocity or an algebraic variable, whose time derivative is not
   * available: an energy that depends on it has the rate NaN, and the run has no balance. */
  int (*energy_rate)(void *user, const dae_mechanical_at *at, const double *in_rate, double *T_rate,
                     double *V_rate);

  /** Accelerations, multipliers and projection in closed form, as models have them; NULL: from M,
   * f, G, gamma. They are used instead of these wherever no constraint is dependent. Returns a
   * positive number where they are not finite or not accurate: the general solution is used there.
   */
  int (*accelerate)(void *user, const dae_mechanical_at *at, const dae_mechanical_motion *out);

  bool constant_mass; /**< M does not depend on t, q, v */
  bool time_free_g;   /**< g does not depend on t */
  /** v.p - T + V is constant along every motion: no other forces, nothing depends on t, k is linear
   * and homogeneous in v; and T is quadratic in v. Methods may keep it constant. */
  bool conservative;
} dae_mechanical;

#ifdef __cplusplus
}
#endif
#endif
