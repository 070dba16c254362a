/** @file
 * The implicit GL(n,R) method [L13] for M x' = f(x,y,t), 0 = F(x,y,t): order 4 by composition, or
 * 2. Constraints of x hold to round-off at the end of every step.
 *
 * It applies to semi-explicit problems of index 1 and 2 with regular M, ordinary differential
 * equations, mechanical problems, and coupled problems that assemble into one of these. */
#ifndef DAEDAL_LIE_H
#define DAEDAL_LIE_H

#include <daedal/integrator.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Iteration for the equations of a step. */
typedef enum dae_lie_iteration {
  DAE_LIE_NEWTON, /**< Newton iteration for x and y together */
  DAE_LIE_NESTED  /**< iteration of the paper: fixed point for x inside an iteration for y; small
                     nonstiff problems */
} dae_lie_iteration;

/** Formulation of a mechanical problem. */
typedef enum dae_lie_form {
  DAE_LIE_GGL, /**< constraints on position and velocity level */
  DAE_LIE_WEAK /**< constraints on velocity level: positions have residuals of O(h^2), bounded */
} dae_lie_form;

/** Options of the method. */
typedef struct dae_lie_options {
  double rtol;       /**< relative tolerance */
  double atol;       /**< absolute tolerance; 0: rtol/100 */
  int order;         /**< 4: composition of five steps of order 2; or 2 */
  double step;       /**< fixed step size, 0: variable */
  double first_step; /**< initial step size, 0: automatic */
  double max_step;   /**< largest step size, 0: no limit */
  double theta; /**< relative position of the evaluation of f: 1/2, the midpoint; other values have
                   order 1 */
  double kappa; /**< additional component of x: 0 as in the paper, with a fixed point x = 0;
                   INFINITY: the midpoint rule */
  dae_lie_iteration lie_iteration; /**< iteration for the equations of a step */
  double inner_tol;  /**< relative change of x that ends the inner iteration; 0: round-off */
  double outer_tol;  /**< relative change of h y that ends the outer iteration; 0: round-off */
  dae_lie_form form; /**< formulation of mechanical problems */
  int max_failures;  /**< failed attempts at one step before the run ends */
} dae_lie_options;

/** Default options. */
dae_lie_options dae_lie_defaults(void);
extern const dae_option_table dae_lie_option_table; /**< options of `lie` */

/** Creates an integrator `lie`, with a consistent start. opts NULL: defaults. */
dae_status dae_lie_create(const dae_problem *problem, const dae_start *start,
                          const dae_lie_options *opts, const dae_env *env, dae_integrator **out,
                          dae_error *err);

#ifdef __cplusplus
}
#endif
#endif
