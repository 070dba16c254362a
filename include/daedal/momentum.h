/** @file
 * The momentum form [J09 (1)], the most general one that SPARK takes:
 *
 *     y' = v(t,y,z)
 *     d/dt p(t,y,z) = f(t,y,z,psi) + r(t,y,lambda)
 *     0 = g(t,y),   0 = k(t,y,z)
 *
 * Lagrangian systems have y = q, z = q', p = dT/dq', Hamiltonian ones y = q, z = p, v = dH/dp; but
 * v, p, f and r need not come from an energy, psi and lambda may enter nonlinearly, and the forces
 * need not be perpendicular to the constraints. Required is that the matrix
 *
 *     [ p_z      -r_lambda  -f_psi ]
 *     [ g_y v_z      0         0   ]
 *     [ k_z          0         0   ]
 *
 * is regular along the motion. For multipliers of the sign they have in the mechanical form,
 * r = -g_y' lambda and f = ... - k_z' psi.
 *
 * Required are the sizes, v, f, r where there is a g, g and k; derivatives that are left NULL are
 * formed by coloured differences. Callbacks return as in the mechanical form; a problem is const.
 */
#ifndef DAEDAL_MOMENTUM_H
#define DAEDAL_MOMENTUM_H

#include <daedal/pattern.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The point at which a callback evaluates; z is NULL for what depends on t and y only. */
typedef struct dae_momentum_at {
  double t;        /**< time */
  const double *y; /**< positions */
  const double *z; /**< velocities or momenta */
} dae_momentum_at;

/** Writes a vector, or the values of a matrix in the order of its pattern. */
typedef int dae_momentum_fn(void *user, const dae_momentum_at *at, double *out);
/** The same for what depends on multipliers: psi for f, lambda for r; NULL where there are none. */
typedef int dae_momentum_fn_s(void *user, const dae_momentum_at *at, const double *multiplier,
                              double *out);

/** A problem in the momentum form. */
typedef struct dae_momentum {
  const char *name; /**< in messages */
  int ny;           /**< entries of y */
  int nz;           /**< entries of z */
  int ng;           /**< holonomic constraints, and multipliers lambda */
  int nk;           /**< nonholonomic constraints, and multipliers psi */
  void *user;       /**< handed to every callback */

  /* names in messages and columns; NULL, or a NULL entry: y[1], z[1], lambda[1], ... */
  const char *const *y_names; /**< of y */
  const char *const *z_names; /**< of z */
  const char *const *g_names; /**< of the holonomic constraints */
  const char *const *k_names; /**< of the nonholonomic constraints */

  dae_momentum_fn *v;   /**< rates of y, ny */
  dae_momentum_fn *p;   /**< momenta, nz; NULL: p = z */
  dae_momentum_fn_s *f; /**< forces, nz, of t, y, z, psi */
  dae_momentum_fn_s *r; /**< forces of the holonomic constraints, nz, of t, y, lambda */
  dae_momentum_fn *g;   /**< holonomic constraints, ng, of t, y */
  dae_momentum_fn *k;   /**< nonholonomic constraints, nk */
  dae_momentum_fn
      *g_t; /**< partial derivative of g in time, ng, of t, y; NULL with time_free_g: zero */

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
  const dae_pattern *v_y_pattern;      /**< of v_y */
  const dae_pattern *v_z_pattern;      /**< of v_z */
  const dae_pattern *p_y_pattern;      /**< of p_y */
  const dae_pattern *p_z_pattern;      /**< of p_z */
  const dae_pattern *f_y_pattern;      /**< of f_y */
  const dae_pattern *f_z_pattern;      /**< of f_z */
  const dae_pattern *f_psi_pattern;    /**< of f_psi */
  const dae_pattern *r_y_pattern;      /**< of r_y */
  const dae_pattern *r_lambda_pattern; /**< of r_lambda */
  const dae_pattern *g_y_pattern;      /**< of g_y */
  const dae_pattern *gdot_y_pattern;   /**< of gdot_y */
  const dae_pattern *k_y_pattern;      /**< of k_y */
  const dae_pattern *k_z_pattern;      /**< of k_z */

  /** an energy, for the report of a run; NULL: none */
  int (*energy)(void *user, const dae_momentum_at *at, double *energy);

  bool time_free_g; /**< g does not depend on t */
} dae_momentum;

#ifdef __cplusplus
}
#endif
#endif
