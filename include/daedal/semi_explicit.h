/** @file
 * The semi-explicit form and its quasi-linear generalisation:
 *
 *     M(t,x) x' = f(t,x,y,in)        M = I by default; M may be singular
 *     0         = F(t,x,y,in)
 *
 * Only sizes and f (and F if ny > 0) are required; derivatives that are NULL are formed by coloured
 * differences. Callbacks return as in the mechanical form. */
#ifndef DAEDAL_SEMI_EXPLICIT_H
#define DAEDAL_SEMI_EXPLICIT_H

#include <daedal/pattern.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Point of evaluation of a callback. */
typedef struct dae_semi_explicit_at {
  double t;         /**< time */
  const double *x;  /**< states */
  const double *y;  /**< algebraic variables */
  const double *in; /**< inputs */
} dae_semi_explicit_at;

/** Callback that writes a vector, or the values of a matrix in the order of its pattern. */
typedef int dae_semi_explicit_fn(void *user, const dae_semi_explicit_at *at, double *out);
/** Callback for a quantity contracted with a given vector s. */
typedef int dae_semi_explicit_fn_s(void *user, const dae_semi_explicit_at *at, const double *s,
                                   double *out);

/** A semi-explicit or quasi-linear problem. */
typedef struct dae_semi_explicit {
  const char *name; /**< name in messages */
  int nx;           /**< number of states */
  int ny;           /**< number of algebraic variables and equations F */
  int nin;          /**< number of inputs */
  int index;        /**< declared differential index 1 to 3, the largest along the motion, or 0:
                         determined by the diagnosis */
  void *user;       /**< argument of every callback */

  /* names in messages and columns; NULL, or a NULL entry: x[1], y[1], in[1] */
  const char *const *x_names;  /**< names of the states */
  const char *const *y_names;  /**< names of the algebraic variables */
  const char *const *in_names; /**< names of the inputs */
  const char *const *f_names;  /**< names of the equations of states; NULL: those of the states */
  const char *const *F_names;  /**< names of the equations F; NULL: those of the variables */

  dae_semi_explicit_fn *f; /**< right-hand sides, nx */
  dae_semi_explicit_fn *F; /**< algebraic equations, ny */
  dae_semi_explicit_fn *M; /**< nx x nx, pattern M_pattern; NULL: identity */

  dae_semi_explicit_fn *J;    /**< d(f,F)/d(x,y), pattern J_pattern */
  dae_semi_explicit_fn *J_in; /**< d(f,F)/d(in), pattern J_in_pattern */
  dae_semi_explicit_fn *F_t;  /**< ny: partial derivative of F with respect to t at fixed inputs */
  /** d(M s)/dx, nx x nx, pattern Ms_pattern; unused if constant_mass */
  dae_semi_explicit_fn_s *Ms_x;

  /* patterns; NULL is dense */
  const dae_pattern *M_pattern;    /**< pattern of M */
  const dae_pattern *J_pattern;    /**< pattern of J */
  const dae_pattern *J_in_pattern; /**< pattern of J_in */
  const dae_pattern *Ms_pattern;   /**< pattern of Ms_x */
  bool constant_mass;              /**< M does not depend on t and x */
  /** neither f nor F nor M depends on t, and there are no inputs: their time derivatives are not
   * formed by differences */
  bool time_free;
} dae_semi_explicit;

#ifdef __cplusplus
}
#endif
#endif
