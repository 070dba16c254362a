/** @file
 * The momentum form [J09 (1)], the most general form accepted by SPARK methods:
 *
 *     y' = v(t,y,z)
 *     d/dt p(t,y,z) = f(t,y,z,psi) + r(t,y,lambda)
 *     0 = g(t,y),   0 = k(t,y,z)
 *
 * Lagrangian systems have y = q, z = q', p = dT/dq', Hamiltonian systems y = q, z = p, v = dH/dp.
 * An energy is not required, psi and lambda may enter nonlinearly, and the forces need not be
 * orthogonal to the constraints. The matrix
 *
 *     [ p_z      -r_lambda  -f_psi ]
 *     [ g_y v_z      0         0   ]
 *     [ k_z          0         0   ]
 *
 * must be regular along the motion. Multipliers have the signs of the mechanical form with
 * r = -g_y' lambda and f = ... - k_z' psi.
 *
 * Required are the sizes, v, f, g, k, and with g also r; derivatives that are NULL are formed by
 * coloured differences. Callbacks return as in the mechanical form; a problem is const. */
#ifndef DAEDAL_MOMENTUM_H
#define DAEDAL_MOMENTUM_H

#include <daedal/pattern.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Point of evaluation of a callback; z is NULL for functions of t and y only. */
typedef struct dae_momentum_at {
  double t;        /**< time */
  const double *y; /**< positions */
  const double *z; /**< velocities or momenta */
} dae_momentum_at;

/** Callback that writes a vector, or the values of a matrix in the order of its pattern. */
typedef int dae_momentum_fn(void *user, const dae_momentum_at *at, double *out);
/** Callback for a function of multipliers: psi for f, lambda for r; NULL if there are none. */
typedef int dae_momentum_fn_s(void *user, const dae_momentum_at *at, const double *multiplier,
                              double *out);

/** A problem in the momentum form. */
typedef struct dae_momentum {
  const char *name; /**< name in messages */
  int ny;           /**< number of entries of y */
  int nz;           /**< number of entries of z */
  int ng;           /**< number of holonomic constraints and multipliers lambda */
  int nk;           /**< number of nonholonomic constraints and multipliers psi */
  void *user;       /**< argument of every callback */

  /* names in messages and columns; NULL, or a NULL entry: y[1], z[1], lambda[1], ... */
  const char *const *y_names; /**< names of y */
  const char *const *z_names; /**< names of z */
  const char *const *g_names; /**< names of the holonomic constraints */
  const char *const *k_names; /**< names of the nonholonomic constraints */

  dae_momentum_fn *v;   /**< time derivative of y, ny */
  dae_momentum_fn *p;   /**< momenta, nz; NULL: p = z */
  dae_momentum_fn_s *f; /**< forces, nz, functions of t, y, z, psi */
  dae_momentum_fn_s *r; /**< forces of the holonomic constraints, nz, functions of t, y, lambda */
  dae_momentum_fn *g;   /**< holonomic constraints, ng, functions of t, y */
  dae_momentum_fn *k;   /**< nonholonomic constraints, nk */
  dae_momentum_fn
      *g_t; /**< partial time derivative of g, ng, function of t, y; NULL with time_free_g: zero */

  /* derivatives */
  dae_momentum_fn *v_y;        /**< ny x ny */
  dae_momentum_fn *v_z;        /**< ny x nz */
  dae_momentum_fn *p_y;        /**< nz x ny */
  dae_momentum_fn *p_z;        /**< nz x nz */
  dae_momentum_fn_s *f_y;      /**< nz x ny */
  dae_momentum_fn_s *f_z;      /**< nz x nz */
  dae_momentum_fn_s *f_psi;    /**< nz x nk */
  dae_momentum_fn_s *r_y;      /**< nz x ny */
  dae_momentum_fn_s *r_lambda; /**< nz x ng */
  dae_momentum_fn *g_y;        /**< ng x ny */
  dae_momentum_fn *gdot_y;     /**< ng x ny: d(g_t + g_y v)/dy */
  dae_momentum_fn *k_y;        /**< nk x ny */
  dae_momentum_fn *k_z;        /**< nk x nz */

  /* patterns; NULL is dense */
  const dae_pattern *v_y_pattern;      /**< pattern of v_y */
  const dae_pattern *v_z_pattern;      /**< pattern of v_z */
  const dae_pattern *p_y_pattern;      /**< pattern of p_y */
  const dae_pattern *p_z_pattern;      /**< pattern of p_z */
  const dae_pattern *f_y_pattern;      /**< pattern of f_y */
  const dae_pattern *f_z_pattern;      /**< pattern of f_z */
  const dae_pattern *f_psi_pattern;    /**< pattern of f_psi */
  const dae_pattern *r_y_pattern;      /**< pattern of r_y */
  const dae_pattern *r_lambda_pattern; /**< pattern of r_lambda */
  const dae_pattern *g_y_pattern;      /**< pattern of g_y */
  const dae_pattern *gdot_y_pattern;   /**< pattern of gdot_y */
  const dae_pattern *k_y_pattern;      /**< pattern of k_y */
  const dae_pattern *k_z_pattern;      /**< pattern of k_z */

  /** energy in the summary and the report of a run; NULL: none */
  int (*energy)(void *user, const dae_momentum_at *at, double *energy);

  bool time_free_g; /**< g does not depend on t */
} dae_momentum;

#ifdef __cplusplus
}
#endif
#endif
