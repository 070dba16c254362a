/** @file
 * One handle for the four problem forms, and the analysis of a problem before its integration:
 * variables, consistent start, diagnosis.
 *
 * The state vector of a problem lists all its unknowns in a fixed order:
 *
 *     mechanical      q, v, u, w, lambda, psi
 *     semi-explicit   x, y
 *     momentum        y, z, lambda, psi
 *     coupled         the state vectors of its parts, then the multipliers of its joints
 *
 * Held values (dae_held) are no unknowns; the extended state vector is the state vector followed by
 * them. */
#ifndef DAEDAL_PROBLEM_H
#define DAEDAL_PROBLEM_H

#include <daedal/coupled.h>
#include <daedal/env.h>
#include <daedal/mechanical.h>
#include <daedal/momentum.h>
#include <daedal/semi_explicit.h>
#include <daedal/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Held values: quantities that the callbacks depend on and that events alone change, such as
 * discrete variables and the branches of guards (event.h). They are constant within every step and
 * unknowns of no method. The callbacks read them in the caller's memory, so that a problem with
 * held values belongs to one run at a time. */
typedef struct dae_held {
  int count;                /**< number of held values; 0: none */
  double *value;            /**< current values; written at starts, by events and by loads */
  const char *const *names; /**< names of the held values; NULL, or a NULL entry: held[1], ... */
} dae_held;

/** A problem: exactly one of the four descriptions is set. For a single problem with inputs, input
 * writes the nin values at time t. (The inputs of the parts of a coupled problem are its wires.) */
typedef struct dae_problem {
  const dae_mechanical *mechanical;               /**< or NULL */
  const dae_semi_explicit *semi_explicit;         /**< or NULL */
  const dae_momentum *momentum;                   /**< or NULL */
  const dae_coupled *coupled;                     /**< or NULL */
  int (*input)(void *user, double t, double *in); /**< inputs at time t, NULL: none */
  void *input_user;                               /**< argument of input */
  const dae_error *why; /**< details of a refusal or failure, written by callbacks, or NULL */
  /** absolute tolerance of each entry of the state vector, in the unit of the variable; NULL, or an
   * entry 0: that of the options of the method */
  const double *atol;
  dae_held held; /**< held values */
} dae_problem;

/** A mechanical problem without inputs. */
dae_problem dae_problem_mechanical(const dae_mechanical *mechanical);
/** A semi-explicit problem without inputs. */
dae_problem dae_problem_semi_explicit(const dae_semi_explicit *semi_explicit);
/** A problem in the momentum form. */
dae_problem dae_problem_momentum(const dae_momentum *momentum);
/** A coupled problem. */
dae_problem dae_problem_coupled(const dae_coupled *coupled);

/** Refuses inconsistent sizes, missing callbacks and patterns, with the name of the field. */
dae_status dae_problem_validate(const dae_problem *problem, dae_error *err);

/** Number of entries of the state vector. */
int dae_problem_size(const dae_problem *problem);

/** Number of entries of the extended state vector: the state vector and the held values. */
int dae_problem_extended_size(const dae_problem *problem);

/** Kind of an entry of the extended state vector. */
typedef enum dae_variable_kind {
  DAE_VARIABLE_COORDINATE, /**< q, or y of the momentum form */
  DAE_VARIABLE_RATE,       /**< velocity of a coordinate */
  DAE_VARIABLE_STATE,      /**< u or x */
  DAE_VARIABLE_ALGEBRAIC,  /**< w or y */
  DAE_VARIABLE_MULTIPLIER, /**< lambda or psi */
  DAE_VARIABLE_HELD        /**< held value */
} dae_variable_kind;

#define DAE_VARIABLE_KINDS 6 /**< number of dae_variable_kind */

/** Kind of entry i of the extended state vector, and its name as a result column: x, der(x),
 * lambda(rod); size 0: the kind alone. */
dae_variable_kind dae_problem_variable(const dae_problem *problem, int i, char *name, size_t size);

/** Start of a motion. */
typedef struct dae_start {
  double t;          /**< time */
  const double *y;   /**< state vector; algebraic variables and multipliers are initial guesses */
  const bool *fixed; /**< entries of y that must not change, or NULL */
  /** entries of y that the user gave, or NULL: dae_consistent_start and the constructors of all
   * methods change only the others where that makes the start consistent */
  const bool *given;
  const double *held; /**< held values, or NULL: their current ones */
  double
      to; /**< end of the motion; 0: not known. Its length tells the option `damp` what is fast */
} dae_start;

/** Diagnosis of a problem at a consistent point. */
typedef struct dae_diagnosis {
  int index;       /**< differential index of the given problem */
  int dof;         /**< degrees of freedom: independent velocities (mechanical), else states */
  int constraints; /**< number of constraint rows, holonomic and nonholonomic */
  int rank;        /**< number of independent constraint rows */
  char text[1024]; /**< one line per finding, with the names of every dependent set */
} dae_diagnosis;

/** Makes the start consistent, at first with the given coordinates and states held, and the given
 * rates; where that has no solution all may change, by the least change: positions are projected
 * onto g, velocities onto g_t + G v and k, then algebraic variables, accelerations and multipliers
 * are computed; in the semi-explicit form x is projected onto the constraints of index 2, then y is
 * computed. y (state vector) receives the result, dy (may be NULL) its time derivative, 0 for
 * multipliers, find (may be NULL) the diagnosis at the result. Fails with DAE_ERROR_START and the
 * name of an equation without solution. */
dae_status dae_consistent_start(const dae_problem *problem, const dae_start *start,
                                const dae_env *env, double *y, double *dy, dae_diagnosis *find,
                                dae_error *err);

#ifdef __cplusplus
}
#endif
#endif
