/** @file
 * Backward differentiation formulas, variable step and order 1 to 5, fixed leading coefficient.
 *
 *     bdf           semi-explicit index 1 and 2, quasi-linear, unconstrained mechanical problems
 *     bdf-ggl       mechanical problems, stabilised index-2 form of Gear, Gupta and Leimkuhler
 *     bdf-ggl-star  bdf-ggl with multipliers set again at every prediction
 *     bdf-cs        coordinate split: multipliers eliminated, estimated from the residual
 *     bdf-cm        bdf-cs with frozen constraint directions */
#ifndef DAEDAL_BDF_H
#define DAEDAL_BDF_H

#include <daedal/integrator.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Variables in the error test. */
typedef enum dae_bdf_test {
  DAE_BDF_TEST_QV, /**< positions, velocities and extra states */
  DAE_BDF_TEST_Q,  /**< positions only */
  DAE_BDF_TEST_X,  /**< independent coordinates of a split (bdf-cs, bdf-cm, bdf-ggl-star) */
  DAE_BDF_TEST_XV  /**< independent coordinates of a split and their velocities */
} dae_bdf_test;

/** Rules of the convergence test and the error test. */
typedef enum dae_bdf_rules {
  DAE_BDF_RULES_ACCURATE, /**< convergence rate estimated in every step, errors well below tolerance
                           */
  DAE_BDF_RULES_DASSL,    /**< exact tests of DASSL, as used in the papers */
  DAE_BDF_RULES_STRICT DAE_DEPRECATED("DAE_BDF_RULES_ACCURATE") =
      DAE_BDF_RULES_ACCURATE /**< deprecated: DAE_BDF_RULES_ACCURATE */
} dae_bdf_rules;

/** Estimate of the multipliers from the residual of a step. */
typedef enum dae_bdf_multipliers {
  DAE_BDF_MULTIPLIERS_LEAST_SQUARES, /**< least squares */
  DAE_BDF_MULTIPLIERS_SPLIT, /**< dependent coordinates, selected by a pivoted elimination */
  DAE_BDF_MULTIPLIERS_QR     /**< least squares by an orthogonal factorisation */
} dae_bdf_multipliers;

/** Constraint directions in the elimination of bdf-cm. */
typedef enum dae_bdf_projector {
  DAE_BDF_PROJECTOR_FRESH, /**< directions of the constraint forces at the prediction of each step
                            */
  DAE_BDF_PROJECTOR_STALE  /**< directions at the last Jacobian, as in the paper: not consistent */
} dae_bdf_projector;

/** Options of the BDF methods. */
typedef struct dae_bdf_options {
  double rtol;       /**< relative tolerance */
  double atol;       /**< absolute tolerance; 0: rtol/100 */
  int order;         /**< largest order; with a fixed step, the order */
  double step;       /**< fixed step size, 0: variable */
  double first_step; /**< initial step size, 0: automatic */
  double max_step;   /**< largest step size, 0: no limit */
  int error_test;    /**< a dae_bdf_test; mechanical problems only */
  bool project;      /**< projected values in the history */
  int rules;         /**< a dae_bdf_rules */
  bool stability;   /**< order at most 2, on trial, where stability of orders 3 to 5 limits the step
                       size */
  int max_failures; /**< failed attempts at one step before the run ends */
  int multipliers;  /**< a dae_bdf_multipliers; bdf-cs, bdf-cm, bdf-ggl-star with reset */
  int projector;    /**< a dae_bdf_projector; bdf-cm */
  int independent;  /**< number of a coordinate that a split must keep independent, 0: any */
  bool filter;      /**< filtered error estimate without stiff components; bdf-cs, bdf-cm */
  bool damp;        /**< the smooth motion, without its fast oscillations: bdf-ggl, bdf-cs,
                       bdf-cm */
  double damp_time; /**< with damp: time scale below which motion is fast; 0: by the length of the
                       motion (dae_start.to) */
  bool reset;       /**< bdf-ggl-star: multipliers set again at every prediction */
} dae_bdf_options;

/** Default options. */
dae_bdf_options dae_bdf_defaults(void);

extern const dae_option_table dae_bdf_option_table;          /**< options of bdf */
extern const dae_option_table dae_bdf_ggl_option_table;      /**< options of bdf-ggl */
extern const dae_option_table dae_bdf_ggl_star_option_table; /**< options of bdf-ggl-star */
extern const dae_option_table dae_bdf_cs_option_table;       /**< options of bdf-cs */
extern const dae_option_table dae_bdf_cm_option_table;       /**< options of bdf-cm */

/** @name Constructors
 * Constructors make the start consistent. opts NULL: defaults.
 * @{ */

/** An integrator `bdf`. */
dae_status dae_bdf_create(const dae_problem *problem, const dae_start *start,
                          const dae_bdf_options *opts, const dae_env *env, dae_integrator **out,
                          dae_error *err);
/** An integrator `bdf-ggl`. */
dae_status dae_bdf_ggl_create(const dae_problem *problem, const dae_start *start,
                              const dae_bdf_options *opts, const dae_env *env, dae_integrator **out,
                              dae_error *err);
/** An integrator `bdf-ggl-star`. */
dae_status dae_bdf_ggl_star_create(const dae_problem *problem, const dae_start *start,
                                   const dae_bdf_options *opts, const dae_env *env,
                                   dae_integrator **out, dae_error *err);
/** An integrator `bdf-cs`. */
dae_status dae_bdf_cs_create(const dae_problem *problem, const dae_start *start,
                             const dae_bdf_options *opts, const dae_env *env, dae_integrator **out,
                             dae_error *err);
/** An integrator `bdf-cm`. */
dae_status dae_bdf_cm_create(const dae_problem *problem, const dae_start *start,
                             const dae_bdf_options *opts, const dae_env *env, dae_integrator **out,
                             dae_error *err);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
