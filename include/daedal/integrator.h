/** @file
 * Integrators: one opaque handle with the same verbs for every method.
 *
 * A handle belongs to one thread at a time. Steps and interpolation allocate no memory, with four
 * exceptions: a sparse factorisation that changes its pivots, a new subset of dependent
 * constraints, the first full Newton iteration of a SPARK method, and the first evaluation of a
 * quantity of a model. A restart allocates while it makes its start consistent. The problem must
 * outlive the handle. */
#ifndef DAEDAL_INTEGRATOR_H
#define DAEDAL_INTEGRATOR_H

#include <daedal/env.h>
#include <daedal/options.h>
#include <daedal/problem.h>
#include <daedal/status.h>
#include <daedal/version.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque handle of an integrator. */
typedef struct dae_integrator dae_integrator;

/** All statistics: X(field, text in the closing summary). */
#define DAE_STATS_LIST(X)                                                                          \
  X(steps, "steps taken")                                                                          \
  X(rejected_by_error, "rejected by the error test")                                               \
  X(rejected_by_convergence, "rejected by the convergence test")                                   \
  X(rejected_by_callback, "rejected by a callback")                                                \
  X(evaluations, "evaluations of f")                                                               \
  X(jacobians, "Jacobians")                                                                        \
  X(factorisations, "factorisations")                                                              \
  X(iterations, "Newton iterations")                                                               \
  X(projections, "projections")                                                                    \
  X(decoupled, "steps that needed the decoupled Newton iteration")                                 \
  X(full, "steps that needed the full Newton iteration")                                           \
  X(switches, "switches between explicit and implicit steps")                                      \
  X(sweeps, "inner sweeps of a nested iteration")                                                  \
  X(inner_steps, "steps of the coupled systems")                                                   \
  X(restarts, "restarts")                                                                          \
  X(rates_0_01, "Newton convergence rates below 0.01 (BDF)")                                       \
  X(rates_0_1, "Newton convergence rates from 0.01 to 0.1")                                        \
  X(rates_0_5, "Newton convergence rates from 0.1 to 0.5")                                         \
  X(rates_1, "Newton convergence rates above 0.5")

/** Deprecated names of statistics, written beside the present ones as JSON and CSV:
 * X(deprecated name, field). */
#define DAE_STATS_ALIASES(X) X(richer, decoupled)

/** Statistics of a run so far: the fields of DAE_STATS_LIST. */
typedef struct dae_stats {
  long steps;                   /**< accepted */
  long rejected_by_error;       /**< steps that the error test rejected */
  long rejected_by_convergence; /**< steps whose iteration did not converge */
  long rejected_by_callback;    /**< steps that a callback refused */
  long evaluations;             /**< of f */
  long jacobians;               /**< evaluations of Jacobians */
  long factorisations;          /**< of iteration matrices and saddle systems */
  long iterations;              /**< of Newton's method or by sweeps, over all steps */
  long projections;             /**< onto the constraints */
  union {
    long decoupled; /**< SPARK: steps by the Newton iteration decoupled by the eigenvectors of A */
    long richer DAE_DEPRECATED("decoupled"); /**< deprecated: decoupled */
  };
  long full;        /**< SPARK: steps by the full Newton iteration */
  long switches;    /**< between explicit and implicit steps */
  long sweeps;      /**< inner sweeps of a nested iteration */
  long inner_steps; /**< steps of the coupled systems */
  long restarts;    /**< after events and on request */
  /** BDF: measured convergence rates of Newton's iteration, one for each increment but the first of
   * an attempt, below 0.01 */
  long rates_0_01;
  long rates_0_1; /**< from 0.01 to 0.1 */
  long rates_0_5; /**< from 0.1 to 0.5 */
  long rates_1;   /**< above 0.5, divergence included */
} dae_stats;

/** Counts of the tests in which one variable had the largest share: of the error, relative to its
 * tolerance, in error tests, and of the change in convergence tests of iterations. After the first
 * accepted steps a sample of one in 17 to 24 counts for all. */
typedef struct dae_limits {
  long steps;      /**< accepted steps; of a dynamic iteration: of the systems */
  long rejected;   /**< attempts that the error test rejected */
  long iterations; /**< iterations of accepted steps, or of windows of a dynamic iteration */
  long failed;     /**< iterations without convergence */
} dae_limits;

/** Current state of an integrator. */
typedef struct dae_view {
  double t;           /**< end of the last accepted step */
  double t_previous;  /**< start of the last accepted step; dense output covers [t_previous, t] */
  double h_next;      /**< size of the next step */
  int order;          /**< order of the last step; 0: across a discontinuity, or none yet */
  const char *method; /**< name of the method */
  int size;           /**< number of entries of the state vector */
  /** number of equal intervals of the last step: those of the exchange grid of a dynamic iteration;
   * 0: not divided */
  int pieces;
} dae_view;

/** What the option `damp` did to the start of a motion and to its restarts. */
typedef enum dae_damping_kind {
  DAE_DAMPING_NONE,    /**< nothing was removed: no motion of the start is fast */
  DAE_DAMPING_REMOVED, /**< fast motion was removed */
  DAE_DAMPING_KEPT,    /**< motion that is neither fast nor slow is kept, nothing was removed */
  DAE_DAMPING_ALL,     /**< all motion was fast: what is left is rest */
  DAE_DAMPING_FIXED    /**< fixed values hold the fast motion, nothing was removed */
} dae_damping_kind;

/** Report of the option `damp`. */
typedef struct dae_damping {
  dae_damping_kind kind; /**< what happened at the start */
  double scale;          /**< time scale below which motion counts as fast */
  double cut;            /**< time scale up to which fast motion was removed: `scale`, or a gap
                            below it */
  double amount;         /**< what was removed at the start, in tolerances; 0: nothing */
  double period[2];      /**< shortest and longest period of what was removed; NaN: not known */
  double kept;           /**< period of an oscillation near `scale` that is kept; 0: none */
  double distance;       /**< largest change of a coordinate (or state) by the removal */
  char name[64];         /**< its name */
  long restarts;         /**< number of restarts, after events, at which fast motion was removed */
  /** smallest and largest frequency of what was removed along the motion, relative to that at the
   * start; NaN: it could not be followed */
  double frequency[2];
  /** largest energy along the motion, relative to that removed, that the oscillation would have
   * exchanged with the slow motion; NaN: not known */
  double exchange;
  double drift;        /**< deviation of the true motion by it, in tolerances; NaN: not known */
  double drift_size;   /**< the same in the unit of the variable */
  char drift_name[64]; /**< variable with the largest one */
} dae_damping;

/** Takes one accepted step that does not pass t_stop (the last one ends there exactly; INFINITY: a
 * step without an end in view). Returns DAE_OK, or DAE_END at t_stop. After a failure the last
 * accepted state is intact. */
dae_status dae_integrator_step(dae_integrator *it, double t_stop, dae_error *err);

/** Current state of the integrator. */
dae_view dae_integrator_view(const dae_integrator *it);

/** Dense output: state vector y and (unless NULL) its time derivative dy at t in [t_previous, t],
 * projected onto the constraints, with consistent multipliers. */
dae_status dae_integrator_interpolate(dae_integrator *it, double t, double *y, double *dy,
                                      dae_error *err);

/** Restarts from (t, y) without history; structure and options are kept. y must be consistent up to
 * multipliers; see dae_consistent_start. */
dae_status dae_integrator_restart(dae_integrator *it, double t, const double *y, dae_error *err);

/** @name Save and load
 * The whole state of the integrator as bytes: the steps after a load, in this handle or in another
 * one created from the same problem and options, give the same bits.
 * @{ */

/** Number of bytes of a saved state. */
size_t dae_integrator_save_size(const dae_integrator *it);
/** Writes the state into a buffer; a buffer that is too small is refused. The functions of the
 * problem are evaluated at and near the state, without influence on statistics and steps. */
dae_status dae_integrator_save(const dae_integrator *it, void *buffer, size_t size, dae_error *err);
/** Restores a saved state. A damaged one, and that of another method, problem (names, sizes,
 * patterns, values of its functions near the saved state) or option is refused with
 * DAE_ERROR_USAGE and the difference in err; the integrator then stays as it is. */
dae_status dae_integrator_load(dae_integrator *it, const void *buffer, size_t size, dae_error *err);
/** @} */

/** Statistics so far. */
dae_stats dae_integrator_stats(const dae_integrator *it);
/** How often entry i of the state vector limited steps and iterations so far; 0 for entries in no
 * test, as multipliers, and for methods without the test. */
dae_limits dae_integrator_limits(const dae_integrator *it, int i);
/** Report of the option `damp`; kind DAE_DAMPING_NONE without it. */
dae_damping dae_integrator_damping(const dae_integrator *it);
/** Frees an integrator; NULL is allowed. */
void dae_integrator_free(dae_integrator *it);

/** A method of the registry. opts points to the method's option struct, NULL: defaults. */
typedef struct dae_method {
  const char *name;      /**< name, as "bdf-ggl" */
  const char *summary;   /**< one line: problem class, order */
  const char *reference; /**< key of the paper in docs/references.bib, or NULL */
  /** family of methods with common code, whose agreement is a weak confirmation. NULL: a family of
   * its own; "": composed of methods of several families */
  const char *family;
  const dae_option_table *options; /**< table of the fields of its option struct */
  size_t options_size;             /**< size of its option struct */
  void (*defaults)(void *opts);    /**< sets the default options */
  /** dynamic iteration between the systems of a coupled problem: a step is a window, and the
   * options are dae_wave_options */
  bool iterates;
  bool fixed_step; /**< the option `step` is required */
  /** warning about results with these options, or NULL; the member may be NULL too */
  const char *(*caution)(const void *opts);
  /** DAE_OK, or DAE_ERROR_UNSUPPORTED with the reason in err */
  dae_status (*accepts)(const dae_problem *problem, dae_error *err);
  /** creates an integrator, with a consistent start */
  dae_status (*create)(const dae_problem *problem, const dae_start *start, const void *opts,
                       const dae_env *env, dae_integrator **out, dae_error *err);
} dae_method;

/** Method i in the order of `daedal methods`; NULL past the last one. */
const dae_method *dae_method_at(int i);
/** Method by name; an unknown name is refused with the nearest known one. */
const dae_method *dae_method_find(const char *name, dae_error *err);
/** Tests whether a run by a method would begin at a start, by creating its integrator there with
 * the options of the run (NULL: defaults; a missing `step` of fixed steps counts as given); a
 * dynamic iteration, whose creation is a work of its own, by `accepts` alone unless a joint has
 * several constraints. */
dae_status dae_method_check(const dae_method *method, const dae_problem *problem,
                            const dae_start *start, const void *opts, const dae_env *env,
                            dae_error *err);
/** Method that `auto` selects for a problem and a relative tolerance (0: 1e-6), with the reason in
 * one sentence in why (unless NULL). NULL if no method applies: err has the reason against the
 * first choice. */
const dae_method *dae_method_choose_at(const dae_problem *problem, double rtol, char *why,
                                       size_t size, dae_error *err);
/** dae_method_choose_at with rtol 1e-6. */
const dae_method *dae_method_choose(const dae_problem *problem, char *why, size_t size,
                                    dae_error *err);

#ifdef __cplusplus
}
#endif
#endif
