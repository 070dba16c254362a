/** @file
 * A whole run: consistent start, integration, events, output rows, closing summary. */
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

/** Largest difference of two runs in one kind of variable. */
typedef struct dae_difference {
  double tolerances; /**< |a - b| / (rtol max|a| + atol), maximum along the run; NaN: no such
                        variables */
  double absolute;   /**< |a - b| at the maximum */
  double t;          /**< time of the maximum */
  char name[64];     /**< name of the variable */
} dae_difference;

/** Comparison of a dynamic iteration with a run of the assembled system. */
typedef struct dae_verification {
  const char *method; /**< method of the assembled system; NULL: no comparison */
  long rows;          /**< number of compared rows, without rows at jumps of events */
  dae_difference most[DAE_VARIABLE_KINDS]; /**< largest difference by dae_variable_kind */
  char message[256]; /**< reason of a failure of the assembled run; empty: none */
} dae_verification;

/** Comparison of a run with a second run at a tenth of its tolerances, or of its fixed step. */
typedef struct dae_error_check {
  const char *method;  /**< method of the second run; NULL: no comparison */
  double rtol;         /**< relative tolerance of the second run; NaN: the method has none */
  double step;         /**< fixed step size of the second run; 0: variable */
  long rows;           /**< number of compared rows, without rows at jumps of events */
  dae_difference most; /**< largest difference of all variables; outputs are not judged */
  /** one line per column in the order of the results: name, difference in tolerances, absolute
   * difference and time of the maximum, separated by tabs */
  char columns[4096];
  char message[256]; /**< reason of a failure of the second run; empty: none */
  /** first event or branch that the second run has another number of times, with both numbers;
   * empty: none */
  char other_events[160];
} dae_error_check;

/** Verdict on the results of a run, see docs/accuracy.md. */
typedef enum dae_trust {
  DAE_TRUST_GREEN, /**< no sign of errors far above the tolerance */
  DAE_TRUST_AMBER, /**< errors of some hundred tolerances are possible */
  DAE_TRUST_RED    /**< errors of thousands of tolerances are likely, or the run has failed */
} dae_trust;

/** Name of a verdict: green, amber or red. */
const char *dae_trust_name(dae_trust trust);

/** Closing summary of a run. */
typedef struct dae_summary {
  dae_status status;       /**< status of the run */
  char message[512];       /**< reason of an early end; empty: none */
  const char *problem;     /**< name of the problem */
  const char *method;      /**< name of the method */
  double rtol;             /**< relative tolerance; NaN: the method has none */
  double atol;             /**< absolute tolerance; NaN: the method has none */
  double step;             /**< fixed step size; 0: variable */
  double t_start;          /**< start time */
  double t_end;            /**< time reached */
  int order;               /**< highest order used */
  dae_stats stats;         /**< statistics of the run */
  dae_diagnosis diagnosis; /**< diagnosis at the start */
  long rows;               /**< number of written rows */
  long events;             /**< number of events that happened, without guards */
  long switchings;         /**< number of changes of branches by guards */
  double seconds;          /**< CPU time of the integration */
  double position_drift;   /**< largest |g| over all rows; NaN: no such constraints */
  double velocity_drift;   /**< largest |g_t + G v|, |k| over all rows */
  double energy_start;     /**< energy at the start; NaN: the problem has none */
  double energy_change;    /**< change of the energy from start to end */
  double energy_balance;   /**< change of the energy minus the work of forces and constraints */
  /** largest |energy balance| along the run; NaN: not known */
  double energy_error;
  /** change of the energy by an error of one tolerance in every position and velocity, maximum
   * along the run; NaN: not known */
  double energy_tolerance;
  /** energy that steps supplied to keep the energy of a conservative problem constant, counted as
   * work in the balance; 0: none */
  double energy_supplied;
  double
      oscillations; /**< number of oscillations of the fastest-turning variable; 0: not counted */
  /** phase error in radians estimated from the energy error of an oscillation; NaN: not known */
  double phase_error;
  bool damped;         /**< option `damp` of the method */
  dae_damping damping; /**< what it removed, with `damped` */
  union {
    double energy_removed_at_start; /**< by the move onto the slow motion (`damp`); NaN: unknown */
    double energy_settled DAE_DEPRECATED("energy_removed_at_start"); /**< deprecated: the same */
  };
  double energy_removed_at_events; /**< the same at restarts after events */
  const char *caution;             /**< warning of the method about its options; NULL: none */
  bool energy_has_potential; /**< false: kinetic energy only, with the work of all forces in the
                                balance */
  int moved; /**< number of start values changed by the consistent start or the move onto the slow
                motion */
  int moved_given;  /**< number of those that the user gave (dae_start.given); all without it */
  char moves[2048]; /**< one line per changed value: name, old and new value, separated by tabs */
  char files[512];  /**< names of the result files */
  int systems;      /**< number of systems of a dynamic iteration; 0: none */
  dae_contraction contraction;   /**< contraction of the dynamic iteration */
  dae_verification verification; /**< comparison with the assembled system, if requested */
  dae_native native;             /**< native code of the plan */
  dae_error_check check;         /**< comparison with a second run, if requested */
  /** variables that limited the step size (dae_integrator_limits), at most five: name, share of
   * the steps and share of the rejected attempts, separated by tabs, one line each; empty: no error
   * test */
  char limits[512];
  /** variables that limited the iterations: name, share of the iterations and share of those
   * without convergence; empty: no iteration */
  char iteration_limits[512];
  dae_trust trust;    /**< verdict on the results */
  char reasons[1024]; /**< one line per reason of the verdict; empty: none */
  /** extrema of event values within ten tolerances of zero: the number of events depends on the
   * tolerance there */
  long near_misses;
  /** events that happened or nearly did, guards last: kind (event, impact or branch), name, number,
   * first and last time, near misses, separated by tabs, one line each; the last line may count
   * those left out */
  char event_list[2048];
  int unwatched;     /**< number of conditions in the problem that no guard watches */
  long action_moved; /**< number of values that moved at events without having been set */
  /** the first of them for each event: event, time, variable, value before and after, separated by
   * tabs, one line each */
  char action_moves[1024];
  /** data of inputs: name, interpolation, file (or nothing), number of samples (0: a function, or
   * the value in the text), times of the first and the last one, separated by tabs, one line each;
   * NULL: none */
  const char *inputs;
  /** units of columns and params: name and unit, separated by a tab, one line each; NULL: none */
  const char *units;
  const char *provenance; /**< that of the plan */
  char options[2048];     /**< options of the method: name and value, separated by a tab, one line
                             each */
  double energy_lost;     /**< energy that impacts have taken away */
  /** impacts that happened, and contacts that hold: name, largest normal impulse, number of times
   * that their restitution was reduced so that energy does not grow, and that restitution or
   * friction were left out since no velocities after the impact obey them; of contacts also the
   * share of the time that they were closed and their largest force; separated by tabs, one line
   * each */
  char impact_list[1024];
} dae_summary;

/** Closing summary as text. Returns the length needed, as snprintf does. */
size_t dae_summary_text(const dae_summary *summary, char *text, size_t size);
/** Closing summary as JSON. Returns the length needed, as snprintf does. */
size_t dae_summary_json(const dae_summary *summary, char *text, size_t size);

/** An output row, as given to sinks. */
typedef struct dae_row {
  int columns;           /**< number of columns */
  const double *values;  /**< values of the columns; the first is t */
  const double *y;       /**< extended state vector of the row; may be NULL */
  double position_drift; /**< largest |g|; NaN: no such constraints */
  double velocity_drift; /**< largest |g_t + G v|, |k|; NaN: no such constraints */
} dae_row;

/** An accepted step, or a window of a dynamic iteration, as given to sinks. */
typedef struct dae_step_record {
  double t;         /**< end of the step */
  double h;         /**< step size */
  int order;        /**< order of the method */
  dae_stats stats;  /**< statistics of the run so far */
  double energy;    /**< energy at the end of the step; NaN: the problem has none */
  double balance;   /**< change of the energy minus the work of forces and constraints so far */
  int sweeps;       /**< number of sweeps in the window; 0: no dynamic iteration */
  double observed;  /**< largest ratio of changes in the window; NaN: unknown */
  double predicted; /**< contraction factor of a plain sweep by the derivatives; NaN: unknown */
} dae_step_record;

/** A sink receives rows in order of time. A run opens its sinks in the given order, after the
 * consistent start, and closes all of them in that order also after a failure, even if open was not
 * called; a sink that writes the summary should be the last one. Functions may be NULL. The caller
 * frees the sink. */
typedef struct dae_sink {
  void *self; /**< argument of every function */
  /** columns and their names, before the first row */
  dae_status (*open)(void *self, int columns, const char *const *names, dae_error *err);
  /** one row */
  dae_status (*row)(void *self, const dae_row *row, dae_error *err);
  /** largest interval of rows for this sink, by additional rows within steps, unless the plan has
   * output times; 0: no additional rows. Animations need it, since steps may be long */
  double fill;
  /** after every accepted step and its rows */
  dae_status (*step)(void *self, const dae_step_record *step, dae_error *err);
  /** end of the run; may add a file to the summary */
  dae_status (*close)(void *self, dae_summary *summary, dae_error *err);
  void (*free)(void *self); /**< called by the owner of the sink */
  /** @name Saved runs (dae_simulation_save); NULL: the sink has nothing to save, and gets the rows
   * behind the saved state
   * @{ */
  size_t (*save_size)(void *self); /**< number of bytes of what the sink has so far */
  /** writes them into a buffer, and files to the disk; a failure refuses to save the run */
  dae_status (*save)(void *self, void *buffer, dae_error *err);
  /** goes to a saved state, in place of open or after it; a size of another number of columns or
   * of other options is refused */
  dae_status (*load)(void *self, int columns, const char *const *names, const void *buffer,
                     size_t size, dae_error *err);
  /** @} */
} dae_sink;

/** Sink of comma-separated values by RFC 4180 with 17 significant digits. open creates the file. */
dae_status dae_csv_sink(const char *path, const dae_env *env, dae_sink *out, dae_error *err);
/** Sink that writes the closing summary as JSON. */
dae_status dae_json_sink(const char *path, const dae_env *env, dae_sink *out, dae_error *err);

/** A result column: an entry of the extended state vector and its name (NULL: that of
 * dae_problem_variable).
 */
typedef struct dae_column {
  int entry;        /**< index in the extended state vector */
  const char *name; /**< name, or NULL */
} dae_column;

/** Plan of a run. */
typedef struct dae_run_plan {
  dae_problem problem;      /**< problem */
  dae_start start;          /**< start */
  const dae_method *method; /**< method */
  const void *options;      /**< option struct of the method; NULL: defaults */
  double to;                /**< end time */
  double every;             /**< interval of output rows, 0: every accepted step */
  /** ascending output times, with rows also at the start and at the end, instead of a grid, or NULL
   */
  const double *times;
  long time_count;         /**< number of output times */
  const dae_event *events; /**< events */
  int event_count;         /**< number of events */
  /** ascending times between from and to at which a step ends exactly, without an event: edges of
   * narrow features of functions of time. Writes at most max and returns their number, also if it
   * exceeds max, or a negative number to end the run. NULL: none */
  int (*stops)(void *user, double from, double to, int max, double *t);
  void *stops_user; /**< argument of stops */
  /** the stops depend on the held values of the problem: they are asked for again after events that
   * change these, and after every time event, up to the next one */
  bool stops_held;
  int unwatched; /**< number of conditions in the problem that no guard watches, for the summary */
  const char *inputs; /**< data of inputs, for the summary; NULL: none */
  const char *units;  /**< units of columns and params, for the summary; NULL: none */
  /** where the problem comes from, for the summary: kind, name and value, separated by tabs, one
   * line each: `model` and `import`, file name, SHA-256 of the text; `set`, param, expression;
   * `data`, empty, hash of all tables and samples; NULL: nothing known */
  const char *provenance;
  /** columns in this order, after t and before the outputs; NULL: all entries of the extended
   * state vector, by kind */
  const dae_column *columns;
  int column_count;                /**< number of columns */
  int outputs;                     /**< number of additional result columns */
  const char *const *output_names; /**< names of the additional columns */
  /** writes their values; y is the extended state vector */
  int (*output)(void *user, double t, const double *y, double *out);
  void *output_user;     /**< argument of output */
  const dae_sink *sinks; /**< sinks */
  int sink_count;        /**< number of sinks */
  /** comparison with a run of the assembled system by the method of `auto`, with the same
   * tolerances; for dynamic iterations only */
  bool verify;
  /** comparison with a second run at a tenth of the tolerances, or of the fixed step, by another
   * method where one applies */
  bool check_error;
  /** no measurement of drift and energy, whose balance costs as much as output rows; for
   * measurements of time */
  bool unmeasured;
  dae_native native; /**< native code of the problem, for the summary; all zero: interpreted */
  /** called after every step; false interrupts the run, the results so far are kept. May be NULL.
   * dae_env.stop is also asked within steps and between their rows. */
  bool (*progress)(void *user, double t);
  void *progress_user; /**< argument of progress */
} dae_run_plan;

/** Runs the plan. The summary is filled in also after a failure. */
dae_status dae_run(const dae_run_plan *plan, const dae_env *env, dae_summary *summary,
                   dae_error *err);

#ifdef __cplusplus
}
#endif
#endif
