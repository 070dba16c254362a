/** @file
 * Backward differentiation formulas, variable step and order 1 to 5, fixed leading coefficient.
 *
 *     bdf            semi-explicit index 1 and 2, quasi-linear, unconstrained mechanical problems
 *     bdf-ggl        mechanical problems in the stabilised index-2 form of Gear, Gupta and
 * Leimkuhler bdf-ggl-star   the same, multipliers set anew at every prediction bdf-cs coordinate
 * split: multipliers eliminated, estimated from the residual bdf-cm         the same with frozen
 * constraint directions */
#ifndef DAEDAL_BDF_H
#define DAEDAL_BDF_H

#include <daedal/integrator.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What the error test looks at. */
typedef enum dae_bdf_test {
  DAE_BDF_TEST_QV, /**< error test on positions and velocities (and extra states) */
  DAE_BDF_TEST_Q,  /**< on positions only */
  DAE_BDF_TEST_X,  /**< on the independent coordinates of a split (bdf-cs, bdf-cm, bdf-ggl-star) */
  DAE_BDF_TEST_XV  /**< on these and their velocities */
} dae_bdf_test;

/** How steps are judged. */
typedef enum dae_bdf_rules {
  DAE_BDF_RULES_STRICT, /**< Newton's rate estimated in every step, errors well below tolerance */
  DAE_BDF_RULES_DASSL   /**< the tests of DASSL to the letter, as the papers used them */
} dae_bdf_rules;

/** How multipliers are found from the residual of a step. */
typedef enum dae_bdf_multipliers {
  DAE_BDF_MULTIPLIERS_LEAST_SQUARES, /**< by least squares */
  DAE_BDF_MULTIPLIERS_SPLIT, /**< by dependent coordinates, chosen by a pivoted elimination */
  DAE_BDF_MULTIPLIERS_QR     /**< least squares by an orthogonal factorisation; small problems */
} dae_bdf_multipliers;

/** Along which directions bdf-cm eliminates multipliers. */
typedef enum dae_bdf_projector {
  DAE_BDF_PROJECTOR_FRESH, /**< directions of the constraint forces from each step's prediction */
  DAE_BDF_PROJECTOR_STALE  /**< from the last Jacobian, as in the paper: not consistent */
} dae_bdf_projector;

/** Options of all five. */
typedef struct dae_bdf_options {
  double rtol;       /**< relative tolerance */
  double atol;       /**< absolute tolerance */
  int order;         /**< largest order; with a fixed step, the order */
  double step;       /**< fixed step size, 0: variable */
  double first_step; /**< first step size to try, 0: chosen */
  double max_step;   /**< largest step size, 0: no limit */
  int error_test;    /**< a dae_bdf_test; mechanical problems only */
  bool project;      /**< keep projected values in the history */
  int rules;         /**< a dae_bdf_rules */
  bool stability;    /**< leave orders 3 to 5 where their stability limits the step */
  int max_failures;  /**< failed attempts at one step before giving up */
  int multipliers;   /**< a dae_bdf_multipliers; bdf-cs, bdf-cm, bdf-ggl-star with reset */
  int projector;     /**< a dae_bdf_projector; bdf-cm */
  int independent;   /**< number of a coordinate that a split must keep independent, 0: any */
  bool filter;       /**< of the error estimate: stiff components do not count; bdf-cs, bdf-cm */
  bool damp;         /**< oscillations that the steps do not resolve are damped, not followed:
                        order 2 at most, filter, start moved onto the slow motion; bdf-cs, bdf-cm */
  double damp_time;  /**< with damp: time scale below which motions are taken out of the start, 0:
                        found */
  bool reset;        /**< bdf-ggl-star: multipliers are set anew at every prediction */
} dae_bdf_options;

/** The options as they are without further words. */
dae_bdf_options dae_bdf_defaults(void);

extern const dae_option_table dae_bdf_option_table;          /**< of bdf and bdf-ggl */
extern const dae_option_table dae_bdf_ggl_star_option_table; /**< these, and reset */
extern const dae_option_table dae_bdf_cs_option_table;       /**< these, and those of the split */
extern const dae_option_table dae_bdf_cm_option_table;       /**< these, and the projector */

/** @name Constructors
 * They make the start consistent themselves. opts NULL: defaults.
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
