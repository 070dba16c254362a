/** @file
 * One-step methods.
 *
 * explicit, gauss, radau, and switching, which goes to and fro between them, and rosenbrock: the
 * fast engines, with variable steps.
 *
 *     explicit   the pairs of Dormand and Prince of order 5 and 8, on accelerations and multipliers
 *                found at every stage; projection onto the constraints costs no evaluation
 *     gauss      collocation of order 2s by functional iteration, for very many digits
 *     radau      Radau IIA with 3, 5, 7 stages of order 2s - 1 in a reduced form, for stiff
 * problems
 *
 *     rosenbrock RODAS of order 4 and Rodas5P of order 5, linearly implicit, for small stiff
 * systems and semi-explicit ones of index 1, with a constant, regular M
 *
 * They take mechanical problems with constraints of all kinds, and plain differential equations;
 * radau also algebraic variables, semi-explicit problems of index 1 and 2, and singular M.
 *
 * euler, heun, rk4, trapezoid, radau-iia: the classical ones with fixed steps. They keep no history
 * and begin anew at no cost, as the parts of a dynamic iteration want it, and they are what
 * textbooks begin with. They take semi-explicit problems of index 1, plain differential equations
 * among them, with regular M (radau-iia: singular M too), mechanical ones (the implicit methods:
 * without constraints).
 *
 * Coupled problems are taken where they assemble into one of these. */
#ifndef DAEDAL_RK_H
#define DAEDAL_RK_H

#include <daedal/integrator.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options of all of them. */
typedef struct dae_rk_options {
  double rtol; /**< relative tolerance of the error; the classical methods: of iterations
                  inside a step, which go to round-off where they can: one that ends above
                  1e-3 rtol (|y| + atol/rtol) has failed */
  double atol; /**< absolute tolerance */
  double step; /**< fixed size of the steps; 0: variable, which the classical methods refuse */
  double first_step; /**< first step size to try, 0: chosen */
  double max_step;   /**< largest step size, 0: no limit */
  int max_failures;  /**< attempts at one step */
  int order;         /**< explicit: 5 or 8, rosenbrock: 4 or 5; 0: by the tolerance */
  int stages;        /**< radau-iia: 1 to 3; radau: 3, 5, 7, gauss: 1 to 8, 0: by the tolerance */
  bool project; /**< explicit methods and gauss: states onto the constraints after every step */
} dae_rk_options;

/** Defaults of the classical methods; the step has to be added. */
dae_rk_options dae_rk_defaults(void);
/** Defaults of those with variable steps. */
dae_rk_options dae_rk_adaptive_defaults(void);

extern const dae_option_table dae_rk_option_table;         /**< of euler, heun, rk4 */
extern const dae_option_table dae_trapezoid_option_table;  /**< of trapezoid */
extern const dae_option_table dae_radau_iia_option_table;  /**< of radau-iia */
extern const dae_option_table dae_explicit_option_table;   /**< of explicit */
extern const dae_option_table dae_gauss_option_table;      /**< of gauss */
extern const dae_option_table dae_radau_option_table;      /**< of radau */
extern const dae_option_table dae_rosenbrock_option_table; /**< of rosenbrock */
extern const dae_option_table dae_switching_option_table;  /**< of switching */

/** @name Constructors of those with variable steps
 * They make the start consistent themselves; opts NULL: defaults.
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
/** An integrator `switching`: gauss or explicit steps as long as the motion is not stiff, radau
 * where it is. */
dae_status dae_switching_create(const dae_problem *problem, const dae_start *start,
                                const dae_rk_options *opts, const dae_env *env,
                                dae_integrator **out, dae_error *err);

/** @} */

/** @name Constructors of the classical methods
 * opts NULL is refused like a step size of 0: it has to be given.
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
