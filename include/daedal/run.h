/** @file
 * A whole run: consistent start, integration, events, rows, and an honest account at the end. */
#ifndef DAEDAL_RUN_H
#define DAEDAL_RUN_H

#include <daedal/event.h>
#include <daedal/integrator.h>
#include <daedal/native.h>
#include <daedal/version.h>
#include <daedal/wave.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where two runs differ most in one kind of variable. */
typedef struct dae_difference {
  double
      tolerances;  /**< |a - b| / (rtol max|a| + atol), max along the run; NaN: no such variables */
  double absolute; /**< |a - b| there */
  double t;        /**< when */
  char name[64];   /**< of the variable */
} dae_difference;

#define DAE_VARIABLE_KINDS 5 /**< number of dae_variable_kind */

/** An iterated run beside one of the same problem assembled into one system. */
typedef struct dae_verification {
  const char *method;                      /**< of the other run; NULL: there was none */
  long rows;                               /**< compared; where an event jumps rows are not */
  dae_difference most[DAE_VARIABLE_KINDS]; /**< by dae_variable_kind */
  char message[256]; /**< why the other run could not be finished; empty: it was */
} dae_verification;

/** The closing account of a run. */
typedef struct dae_summary {
  dae_status status;       /**< of the run as a whole */
  char message[512];       /**< what ended the run before its time; empty if nothing did */
  const char *problem;     /**< its name */
  const char *method;      /**< its name */
  double rtol;             /**< NaN where the method has none */
  double atol;             /**< NaN where the method has none */
  double step;             /**< fixed size of the steps; 0: variable */
  double t_start;          /**< where it began */
  double t_end;            /**< how far it came */
  int order;               /**< highest order used */
  dae_stats stats;         /**< what it cost */
  dae_diagnosis diagnosis; /**< at the start */
  long rows;               /**< written */
  long events;             /**< located */
  double seconds;          /**< CPU time of the integration */
  double position_drift;   /**< largest |g| over all rows; NaN: no such constraints */
  double velocity_drift;   /**< largest |g_t + G v|, |k| over all rows */
  double energy_start;     /**< at the start; NaN: the problem has no energy */
  double energy_change;    /**< from start to end */
  double energy_balance;   /**< change minus the integrated power of forces and constraints */
  bool damped;             /**< by the method's option `damp` */
  union {
    /** removed from the start by its move onto the slow motion (option `damp`); NaN: unknown */
    double energy_removed_at_start;
    double energy_settled DAE_DEPRECATED("energy_removed_at_start"); /**< deprecated: the same */
  };
  const char *caution;       /**< the method's, about its options; NULL: none */
  bool energy_has_potential; /**< false: kinetic energy only, the work of all forces is counted */
  int moved;        /**< start values that were moved to make the start consistent, or slow */
  char moves[2048]; /**< a line for each: name, from, to, with tabs between them */
  char files[512];  /**< where the results are */
  int systems;      /**< that the method iterated between; 0: it does not */
  dae_contraction contraction;   /**< of that iteration */
  dae_verification verification; /**< beside one system, where it was asked for */
  dae_native native;             /**< the plan's */
} dae_summary;

/** The closing block as text. Returns the length needed, as snprintf does. */
size_t dae_summary_text(const dae_summary *summary, char *text, size_t size);
/** The same as JSON. */
size_t dae_summary_json(const dae_summary *summary, char *text, size_t size);

/** A row as sinks see it. */
typedef struct dae_row {
  int columns;           /**< their number */
  const double *values;  /**< of the columns; the first is t */
  const double *y;       /**< the state vector that they were taken from; may be NULL */
  double position_drift; /**< largest |g| here; NaN: no such constraints */
  double velocity_drift; /**< largest |g_t + G v|, |k| here; NaN: no such constraints */
} dae_row;

/** An accepted step as sinks see it, or a window of an iteration between systems. */
typedef struct dae_step_record {
  double t;         /**< its end */
  double h;         /**< its size */
  int order;        /**< of the method in it */
  dae_stats stats;  /**< of the run so far, with this step */
  double energy;    /**< at the end; NaN: the problem has none */
  double balance;   /**< its change less the work of forces and constraints up to here */
  int sweeps;       /**< over a window; 0: the method does not iterate */
  double observed;  /**< largest ratio of changes in this window; NaN: none seen */
  double predicted; /**< factor of a plain sweep by the derivatives here; NaN: not known */
} dae_step_record;

/** Where rows go. Rows come in order of time. A run opens its sinks in the order given, after the
 * start was made consistent, and closes all of them in that order whatever happened, even where
 * open was not reached; a sink that writes the account therefore comes last. What a sink does not
 * look at is NULL. The caller frees. */
typedef struct dae_sink {
  void *self; /**< handed to every function */
  /** columns and their names, before the first row */
  dae_status (*open)(void *self, int columns, const char *const *names, dae_error *err);
  /** one row */
  dae_status (*row)(void *self, const dae_row *row, dae_error *err);
  /** for this sink there are further rows between those at steps, so that none are farther apart
   * than this, unless the plan has times of its own; 0: none. Pictures need them: steps may be long
   */
  double fill;
  /** after every accepted step and its rows */
  dae_status (*step)(void *self, const dae_step_record *step, dae_error *err);
  /** the end; may add a file to the summary */
  dae_status (*close)(void *self, dae_summary *summary, dae_error *err);
  void (*free)(void *self); /**< called by the owner of the sink */
} dae_sink;

/** Comma-separated values by RFC 4180, 17 significant digits. The file is created by open. */
dae_status dae_csv_sink(const char *path, const dae_env *env, dae_sink *out, dae_error *err);
/** Writes the closing account as JSON into a file. */
dae_status dae_json_sink(const char *path, const dae_env *env, dae_sink *out, dae_error *err);

/** A result column: an entry of the state vector, and the name it is written under (NULL: the name
 * that dae_problem_variable gives). */
typedef struct dae_column {
  int entry;        /**< of the state vector */
  const char *name; /**< or NULL */
} dae_column;

/** What is to be run, and how. */
typedef struct dae_run_plan {
  dae_problem problem;      /**< what moves */
  dae_start start;          /**< from where */
  const dae_method *method; /**< by which method */
  const void *options;      /**< the method's; NULL: defaults */
  double to;                /**< end time */
  double every;             /**< output grid, 0: every accepted step */
  /** rows at these times, which ascend, at the start and at the end, instead of a grid, or NULL */
  const double *times;
  long time_count;         /**< of these times */
  const dae_event *events; /**< what is watched */
  int event_count;         /**< of the events */
  const bool *held;        /**< entries of the state vector that only events change; NULL: none */
  /** entries of the state vector to write, in this order; NULL: all, by kind. t comes before them,
   * the outputs after them. */
  const dae_column *columns;
  int column_count;                /**< of the columns */
  int outputs;                     /**< additional result columns */
  const char *const *output_names; /**< of these */
  int (*output)(void *user, double t, const double *y, double *out); /**< writes their values */
  void *output_user;                                                 /**< handed to output */
  const dae_sink *sinks;                                             /**< where rows go */
  int sink_count;                                                    /**< of the sinks */
  /** then integrate the coupled problem once more as one system, by the method that `auto` stands
   * for there, with the same tolerances, and compare the rows; for methods that iterate only */
  bool verify;
  /** no account of drift and energy: their balance costs as much as rows, which is not wanted where
   * time is measured */
  bool unmeasured;
  dae_native native; /**< how the problem is evaluated, for the account; all zero: as ever */
  /** called after every step; false interrupts the run, what was computed is kept. May be NULL. */
  bool (*progress)(void *user, double t);
  void *progress_user; /**< handed to progress */
} dae_run_plan;

/** Runs the plan. The summary is filled in whatever happens. */
dae_status dae_run(const dae_run_plan *plan, const dae_env *env, dae_summary *summary,
                   dae_error *err);

#ifdef __cplusplus
}
#endif
#endif
