/** @file
 * One-step methods.
 *
 * Methods with variable steps:
 *
 * - explicit: pairs of Dormand and Prince of order 5 and 8, with accelerations and multipliers at
 *   every stage; projection onto the constraints needs no additional evaluation
 * - gauss: collocation of order 2s by functional iteration, for high accuracy
 * - radau: Radau IIA with 3, 5, 7 stages of order 2s - 1 in a reduced form, for stiff problems
 * - switching: switches between gauss, explicit and radau
 * - rosenbrock: RODAS of order 4 and Rodas5P of order 5, linearly implicit, for small semi-explicit
 *   problems of index 1 with a constant, regular M, stiff or nonstiff
 *
 * explicit, gauss, radau and switching apply to mechanical problems with constraints of all kinds,
 * and to ordinary differential equations; radau also to algebraic variables, semi-explicit problems
 * of index 1 and 2, and singular M.
 *
 * Methods with fixed steps: euler, heun, rk4, trapezoid, and radau-iia, which is radau with 1 to 3
 * stages. They have no history and restart at no cost, which suits the parts of a dynamic
 * iteration. The classical ones apply to semi-explicit problems of index 1 with regular M, ordinary
 * differential equations, and mechanical problems (trapezoid: without constraints); radau-iia to
 * the problems of radau.
 *
 * Coupled problems are assembled into one of these. */
#ifndef DAEDAL_RK_H
#define DAEDAL_RK_H

#include <daedal/integrator.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options of the one-step methods. */
typedef struct dae_rk_options {
  double rtol; /**< relative tolerance; of the classical methods that of inner iterations, which
                  fail if they stagnate above 1e-3 rtol (|y| + atol/rtol) */
  double atol; /**< absolute tolerance; 0: rtol/100 */
  double step; /**< fixed step size; 0: variable, refused by the classical methods */
  double first_step; /**< initial step size, 0: automatic */
  double max_step;   /**< largest step size, 0: no limit */
  int max_failures;  /**< failed attempts at one step before the run ends */
  int order;         /**< explicit: 5 or 8, rosenbrock: 4 or 5; 0: by the tolerance */
  int stages;        /**< radau-iia: 1 to 3; radau: 3, 5, 7, gauss: 1 to 8, 0: by the tolerance */
  bool project; /**< explicit methods and gauss: projection onto the constraints after every step */
  bool damp;    /**< radau: the smooth motion, without its fast oscillations */
  double damp_time; /**< with damp: time scale below which motion is fast; 0: by the length of the
                       motion (dae_start.to) */
} dae_rk_options;

/** Default options of the classical methods; step must be set. */
dae_rk_options dae_rk_defaults(void);
/** Default options of the methods with variable steps. */
dae_rk_options dae_rk_adaptive_defaults(void);

extern const dae_option_table dae_rk_option_table;         /**< options of euler, heun, rk4 */
extern const dae_option_table dae_trapezoid_option_table;  /**< options of trapezoid */
extern const dae_option_table dae_radau_iia_option_table;  /**< options of radau-iia */
extern const dae_option_table dae_explicit_option_table;   /**< options of explicit */
extern const dae_option_table dae_gauss_option_table;      /**< options of gauss */
extern const dae_option_table dae_radau_option_table;      /**< options of radau */
extern const dae_option_table dae_rosenbrock_option_table; /**< options of rosenbrock */
extern const dae_option_table dae_switching_option_table;  /**< options of switching */

/** @name Constructors of the methods with variable steps
 * Constructors make the start consistent; opts NULL: defaults.
 * @{ */

/** An integrator `explicit`. */
dae_status dae_explicit_create(const dae_problem *problem, const dae_start *start,
                               const dae_rk_options *opts, const dae_env *env, dae_integrator **out,
                               dae_error *err);
/** An integrator `gauss`. */
dae_status dae_gauss_create(const dae_problem *problem, const dae_start *start,
                            const dae_rk_options *opts, const dae_env *env, dae_integrator **out,
                            dae_error *err);
/** An integrator `radau`. */
dae_status dae_radau_create(const dae_problem *problem, const dae_start *start,
                            const dae_rk_options *opts, const dae_env *env, dae_integrator **out,
                            dae_error *err);
/** An integrator `rosenbrock`. */
dae_status dae_rosenbrock_create(const dae_problem *problem, const dae_start *start,
                                 const dae_rk_options *opts, const dae_env *env,
                                 dae_integrator **out, dae_error *err);
/** An integrator `switching`: gauss or explicit steps for nonstiff motion, radau for stiff motion.
 */
dae_status dae_switching_create(const dae_problem *problem, const dae_start *start,
                                const dae_rk_options *opts, const dae_env *env,
                                dae_integrator **out, dae_error *err);

/** @} */

/** @name Constructors of the classical methods
 * The step size is required: opts NULL and a step size of 0 are refused.
 * @{ */

/** An integrator `euler`. */
dae_status dae_euler_create(const dae_problem *problem, const dae_start *start,
                            const dae_rk_options *opts, const dae_env *env, dae_integrator **out,
                            dae_error *err);
/** An integrator `heun`. */
dae_status dae_heun_create(const dae_problem *problem, const dae_start *start,
                           const dae_rk_options *opts, const dae_env *env, dae_integrator **out,
                           dae_error *err);
/** An integrator `rk4`. */
dae_status dae_rk4_create(const dae_problem *problem, const dae_start *start,
                          const dae_rk_options *opts, const dae_env *env, dae_integrator **out,
                          dae_error *err);
/** An integrator `trapezoid`. */
dae_status dae_trapezoid_create(const dae_problem *problem, const dae_start *start,
                                const dae_rk_options *opts, const dae_env *env,
                                dae_integrator **out, dae_error *err);
/** An integrator `radau-iia`. */
dae_status dae_radau_iia_create(const dae_problem *problem, const dae_start *start,
                                const dae_rk_options *opts, const dae_env *env,
                                dae_integrator **out, dae_error *err);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
