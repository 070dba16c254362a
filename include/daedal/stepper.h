/** @file
 * One-step methods of one's own.
 *
 * A method is a stepper: a table of functions that make one step, over an adapter, which is the
 * problem as a one-step method sees it. The library does the rest: consistent start, step-size
 * control and repeated attempts, fixed steps, dense output at any time with projection onto the
 * constraints, events, restart, save and load, statistics. The built-in methods use the same
 * interface. docs/adding_a_method.md shows a complete method.
 *
 * The state vector is z = (x, y): x are the variables with derivatives, y the algebraic variables
 * and multipliers, which are functions of x. A mechanical problem has x = (q, v, u) and y = (w,
 * lambda, psi). */
#ifndef DAEDAL_STEPPER_H
#define DAEDAL_STEPPER_H

#include <daedal/integrator.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A state z and its derivative dz, of which only the entries of x are defined. */
typedef struct dae_point {
  double *z;  /**< state vector (x, y) */
  double *dz; /**< derivative of x */
} dae_point;

/** A step of size h from time t. */
typedef struct dae_step {
  double t;       /**< start time */
  double h;       /**< step size */
  dae_point from; /**< start: a consistent state and its derivative */
  dae_point to;   /**< end */
} dae_step;

/** Functions of an adapter. The argument `dense` selects the factorisations of dense output, which
 * are separate from those of the steps, so that output does not change the integration. */
typedef struct dae_adapter_table {
  /** Makes z consistent in place and computes its derivative dz; fixed (may be NULL): entries that
   * keep their value. */
  dae_status (*consistent)(void *self, double t, const bool *fixed, double *z, double *dz,
                           dae_error *err);
  /** Solves for y, from the guess in z, and computes the derivative dz of x. Entries of dz for y
   * are not written. */
  dae_status (*slopes)(void *self, bool dense, double t, double *z, double *dz, dae_error *err);
  /** Projects x, which is near its constraints, onto them; NULL: problem without constraints. */
  dae_status (*project)(void *self, bool dense, double t, double *z, dae_error *err);
  /** Solves for y and computes the derivative at the end z of a step, and projects z up to second
   * order of its distance from the constraints, by one evaluation and one factorisation; NULL:
   * project and slopes serve instead. */
  dae_status (*project_and_accelerate)(void *self, double t, double *z, double *dz, dae_error *err);
  /** Residual g of the holonomic constraints; NULL: problem without such constraints. */
  dae_status (*residual)(void *self, double t, const double *z, double *g, dae_error *err);
  /** Minimum-norm correction: M d + G' l = 0, G d = r, with M and G at the state z; z NULL: those
   * of the last call. NULL: not a mechanical problem. */
  dae_status (*correct)(void *self, double t, const double *z, const double *r, double *d,
                        dae_error *err);
  /** Inputs at time t; NULL: problem without inputs. */
  dae_status (*inputs)(void *self, double t, const double **in, dae_error *err);
  /** Rank test: whether a constraint is dependent at z, up to a remainder relative to its row after
   * elimination of the others, and its name; NULL: problem without constraints. */
  bool (*rank)(void *self, double t, const double *z, double remainder, char *name, size_t size);
  /** Adds evaluations, factorisations and projections to the statistics. */
  void (*count)(const void *self, dae_stats *stats);
  /** Restores data derived from the saved state, after a load; NULL: none. */
  dae_status (*reload)(void *self, dae_error *err);
  void (*free)(void *self); /**< frees memory outside the arena */
} dae_adapter_table;

/** Entries of z with the largest share in the tests of an attempt; -1: none, or no such test. */
typedef struct dae_limiting {
  int error;  /**< of the error estimate */
  int change; /**< of the last change of an iteration, in a convergence test */
  /** whether they are counted if the attempt is accepted; those of a failed one always are */
  bool wanted;
} dae_limiting;

/** The problem as a one-step method sees it. */
typedef struct dae_adapter {
  const dae_adapter_table *table; /**< functions */
  void *self;                     /**< their first argument */
  const dae_problem *problem;     /**< problem; a coupled one is assembled into one problem */
  int nx;                         /**< number of entries of x */
  int size;                       /**< number of entries of z */
  int inputs;                     /**< number of inputs */
  bool singular;                  /**< M is singular, or the index is 2: x has no slopes */
  /** absolute tolerance of each entry of z relative to step_options.atol, 1 unless dae_problem.atol
   * gives another one: errors are relative to rtol |z_i| + atol atol_scale[i] */
  const double *atol_scale;
  dae_limiting *limiting;         /**< set by an attempt, -1 before it (dae_integrator_limits) */
  const struct dae__forms *forms; /**< private */
} dae_adapter;

/** Accuracy of dense output. */
typedef enum dae_dense {
  DAE_DENSE_RAW,     /**< interpolant without further evaluations */
  DAE_DENSE_MEASURE, /**< for integrals over the step */
  DAE_DENSE_OUTPUT   /**< accuracy of the steps */
} dae_dense;

/** Functions of a stepper. After DAE_ERROR_STEP, _SINGULAR and _RECOVERABLE a step is repeated with
 * a smaller size; every other failure ends the run. */
typedef struct dae_stepper_table {
  /** Clears the memory of earlier steps: the next step starts at (t, start), after a start, a
   * restart or a change from another stepper. NULL: stepper without such memory. */
  void (*begin)(void *self, double t, const dae_point *start);
  /** One attempt at a step: to->z receives x at the end, and y there or a guess of it; *error the
   * error estimate relative to the tolerance, 0 without an estimate. The start must not change. */
  dae_status (*attempt)(void *self, const dae_step *step, double *error, dae_error *err);
  /** Completes the step after an attempt that passed the error test: projects `to` onto the
   * constraints, computes y and the derivative there, and stores the data of dense output. The step
   * is accepted if this succeeds; a failure leaves the memory of the step before intact. */
  dae_status (*complete)(void *self, const dae_step *step, dae_error *err);
  /** Dense output z at t + x h, 0 < x < 1, within the last completed step; z need not satisfy the
   * constraints, and its y may be a guess. out->dz, unless NULL, receives the derivative of x: it
   * is wanted where the adapter is singular, and with DAE_DENSE_RAW, for the search for events,
   * which takes differences where it is left as it is. Later steps must not be affected. */
  dae_status (*dense_output)(void *self, const dae_step *step, double x, dae_dense accuracy,
                             const dae_point *out, dae_error *err);
  /** Adds iterations, Jacobians and factorisations to the statistics; NULL: none. */
  void (*count)(const void *self, dae_stats *stats);
  /** Restores data derived from the saved state, after a load; NULL: none. */
  dae_status (*reload)(void *self, dae_error *err);
  void (*free)(void *self); /**< frees memory outside the arena; NULL: none */
} dae_stepper_table;

/** Step-size control and projection. */
typedef struct dae_step_options {
  double rtol;       /**< relative tolerance */
  double atol;       /**< absolute tolerance; 0: rtol/100 */
  double step;       /**< fixed step size; 0: variable */
  double first_step; /**< initial step size; 0: automatic */
  double max_step;   /**< largest step size; 0: no limit */
  int max_failures;  /**< failed attempts at one step before the run ends */
  bool project;      /**< projection onto the constraints after every step */
} dae_step_options;

/** Sets the default options: rtol 1e-6, atol rtol/100, variable steps, 30 failures, projection.
 * opts is a dae_step_options. */
void dae_step_defaults(void *opts);
extern const dae_option_table dae_step_option_table; /**< fields of dae_step_options */

/** A one-step method. */
typedef struct dae_onestep_method {
  const char *name; /**< name in messages and in the registry */
  int order;        /**< order of the steps */
  /** power of h in the error estimate: one more than the order of the lower method of a pair; 0:
   * no estimate, fixed steps only */
  int error_order;
  /** fields of the options given to dae_onestep_create, which it validates; NULL: no options */
  const dae_option_table *options;
  /** Refuses problems that the method does not take, with the reason and an alternative
   * (dae_error_set); NULL: all but the momentum form. The problem is not coupled. */
  dae_status (*check_problem)(const dae_problem *problem, dae_error *err);
  /** Creates the memory of the stepper; adapter and arena live as long as the integrator, options
   * (those given to dae_onestep_create) only during the call. */
  dae_status (*create)(dae_arena *arena, const dae_adapter *adapter, const void *options,
                       void **self, dae_error *err);
  dae_stepper_table stepper; /**< functions; attempt, complete and dense_output are required */
} dae_onestep_method;

/** Validates a problem and checks whether a method takes it; err receives the reason if not. */
dae_status dae_onestep_accepts(const dae_onestep_method *method, const dae_problem *problem,
                               dae_error *err);

/** Creates an integrator of a method: makes the start consistent, and assembles a coupled problem.
 * control NULL: defaults; options: passed on to method->create. The method must outlive the
 * integrator. */
dae_status dae_onestep_create(const dae_onestep_method *method, const dae_step_options *control,
                              const void *options, const dae_problem *problem,
                              const dae_start *start, const dae_env *env, dae_integrator **out,
                              dae_error *err);

/** @name Helpers of steppers
 * @{ */

/** Completes the end `to` of a step: solves for y, computes the derivative, and projects it where
 * the problem has constraints and step_options.project is set. */
dae_status dae_adapter_complete(const dae_adapter *adapter, double t, const dae_point *to,
                                dae_error *err);
/** Dense output from the two ends of a step: Hermite's cubic for x, linear interpolation for y. */
void dae_hermite(const dae_adapter *adapter, const dae_step *step, double x, double *z);
/** Time derivative of x of dae_hermite. */
void dae_hermite_rate(const dae_adapter *adapter, const dae_step *step, double x, double *dz);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
