/** @file
 * An integrator: one opaque handle, the same verbs for every method.
 *
 * A handle belongs to one thread at a time. Steps and interpolation allocate nothing, except where
 * a sparse factorisation has to change its pivots, another subset of dependent constraints has to
 * be chosen, a SPARK method needs its full iteration for the first time, or the problem is that of
 * a model, which is asked for something for the first time; a restart allocates while it makes its
 * start consistent. The problem must outlive the handle. */
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

/** The handle. */
typedef struct dae_integrator dae_integrator;

/** All statistics: X(field, text in the closing block). */
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
  X(restarts, "restarts")

/** Deprecated names of statistics, written beside the present ones as JSON and CSV:
 * X(deprecated name, field). */
#define DAE_STATS_ALIASES(X) X(richer, decoupled)

/** What a run has cost so far: the fields of DAE_STATS_LIST. */
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
} dae_stats;

/** Where the integrator stands. */
typedef struct dae_view {
  double t;           /**< end of the last accepted step */
  double t_previous;  /**< its beginning; interpolate serves [t_previous, t] */
  double h_next;      /**< step size it will try */
  int order;          /**< order of the last step */
  const char *method; /**< its name */
  int size;           /**< entries of the state vector */
  /** intervals of equal length that the last step is made of: those of the exchange grid of an
   * iteration; 0: it is one whole */
  int pieces;
} dae_view;

/** One accepted step that does not pass t_stop (the last one ends there exactly). Returns DAE_OK,
 * or DAE_END when t_stop was reached. After a failure the last accepted state is intact. */
dae_status dae_integrator_step(dae_integrator *it, double t_stop, dae_error *err);

/** Where it stands. */
dae_view dae_integrator_view(const dae_integrator *it);

/** State vector y and (unless NULL) its derivative dy at t in [t_previous, t], on the constraints,
 * with the multipliers that belong to it. */
dae_status dae_integrator_interpolate(dae_integrator *it, double t, double *y, double *dy,
                                      dae_error *err);

/** Starts anew from (t, y): history is forgotten, structure and options are kept. y must be
 * consistent up to multipliers; see dae_consistent_start. */
dae_status dae_integrator_restart(dae_integrator *it, double t, const double *y, dae_error *err);

/** @name Save and load
 * The whole memory of the integrator as bytes: stepping on after load, in this handle or in
 * another one made from the same problem and options, gives the same bits.
 * @{ */

/** Bytes that save writes. */
size_t dae_integrator_save_size(const dae_integrator *it);
/** Writes them; a buffer that is too small is refused. */
dae_status dae_integrator_save(const dae_integrator *it, void *buffer, size_t size, dae_error *err);
/** Takes them over; what another method, problem or option wrote is refused. */
dae_status dae_integrator_load(dae_integrator *it, const void *buffer, size_t size, dae_error *err);
/** @} */

/** What it has cost so far. */
dae_stats dae_integrator_stats(const dae_integrator *it);
/** NULL is allowed. */
void dae_integrator_free(dae_integrator *it);

/** A method as the registry lists it. opts points to the method's option struct, NULL: defaults. */
typedef struct dae_method {
  const char *name;      /**< "bdf-ggl" */
  const char *summary;   /**< one line: problem class, order */
  const char *reference; /**< key of the paper in docs/references.bib, or NULL */
  /** methods of one family share code, and mistakes: agreement among them proves little. NULL: it
   * is one of its own; "": made of methods of several families */
  const char *family;
  const dae_option_table *options; /**< the fields of its option struct */
  size_t options_size;             /**< of that struct */
  void (*defaults)(void *opts);    /**< fills that struct in */
  /** iterates between the systems of a coupled problem: a step is a window, and the options are
   * dae_wave_options */
  bool iterates;
  bool fixed_step; /**< its option `step` has to be given */
  /** what a result with these options has to be read with, or NULL; the member may be NULL too */
  const char *(*caution)(const void *opts);
  /** DAE_OK, or DAE_ERROR_UNSUPPORTED with the reason in err */
  dae_status (*accepts)(const dae_problem *problem, dae_error *err);
  /** an integrator; makes the start consistent */
  dae_status (*create)(const dae_problem *problem, const dae_start *start, const void *opts,
                       const dae_env *env, dae_integrator **out, dae_error *err);
} dae_method;

/** All methods, in the order they are listed to a user; NULL past the last one. */
const dae_method *dae_method_at(int i);
/** A method by name; an unknown name is refused with the nearest known one. */
const dae_method *dae_method_find(const char *name, dae_error *err);
/** The method that `auto` stands for on this problem, and (in why, unless NULL) one sentence that
 * says for what reason. NULL where no method takes the problem: err says why the first choice does
 * not. */
const dae_method *dae_method_choose(const dae_problem *problem, char *why, size_t size,
                                    dae_error *err);

#ifdef __cplusplus
}
#endif
#endif
