/** @file
 * The implicit GL(n,R) method [L13] for M x' = f(x,y,t), 0 = F(x,y,t): order 2, or 4 by
 * composition. Constraints of x hold to round-off at the end of every step.
 *
 * It takes semi-explicit problems of index 1 and 2 with regular M, plain differential equations
 * among them, mechanical ones, and coupled ones that assemble into one of these. */
#ifndef DAEDAL_LIE_H
#define DAEDAL_LIE_H

#include <daedal/integrator.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How the equations of a step are solved. */
typedef enum dae_lie_iteration {
  DAE_LIE_NEWTON, /**< on x and y at once */
  DAE_LIE_NESTED  /**< the paper's: x by fixed point inside an iteration for y; small problems that
                     are not stiff */
} dae_lie_iteration;

/** How a mechanical problem is given to it. */
typedef enum dae_lie_form {
  DAE_LIE_GGL, /**< positions and velocities on their constraints */
  DAE_LIE_WEAK /**< velocities only: positions drift off by O(h^2), but no further */
} dae_lie_form;

/** Options of the method. */
typedef struct dae_lie_options {
  double rtol;       /**< relative tolerance */
  double atol;       /**< absolute tolerance */
  int order;         /**< 2, or 4: five steps of order 2 composed */
  double step;       /**< fixed step size, 0: variable */
  double first_step; /**< first step size to try, 0: chosen */
  double max_step;   /**< largest step size, 0: no limit */
  double theta;      /**< where f is evaluated: 1/2, the midpoint; other values are of order 1 */
  double kappa; /**< further component that x is given: 0 as in the paper, where x = 0 is a fixed
                   point; INFINITY: the midpoint rule */
  dae_lie_iteration lie_iteration; /**< how the equations of a step are solved */
  double inner_tol;  /**< where the nested iteration for x ends: its change relative to its size; 0:
                        at round-off */
  double outer_tol;  /**< the same for h times the change of y */
  dae_lie_form form; /**< of mechanical problems */
  int max_failures;  /**< failed attempts at one step before giving up */
} dae_lie_options;

/** The options as they are without further words. */
dae_lie_options dae_lie_defaults(void);
extern const dae_option_table dae_lie_option_table; /**< of `lie` */

/** An integrator `lie`. Makes the start consistent itself. opts NULL: defaults. */
dae_status dae_lie_create(const dae_problem *problem, const dae_start *start,
                          const dae_lie_options *opts, const dae_env *env, dae_integrator **out,
                          dae_error *err);

#ifdef __cplusplus
}
#endif
#endif
