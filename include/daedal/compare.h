/** @file
 * Comparison of all applicable methods over a range of tolerances, with accuracy against a common
 * reference and work.
 *
 *     dae_compare_plan plan = dae_compare_defaults(&run_plan);
 *     dae_comparison *c;
 *     if (dae_compare(&plan, NULL, &c, &err) >= 0 && c->recommended)
 *       printf("%s\n", c->why);
 *     dae_comparison_free(c);
 *
 * Work and time of a run are measured without output rows, drift and energy; its error is computed
 * from rows at common times, in a second run. The time of short runs is the minimum of several. The
 * definitions are in docs/compare.md. */
#ifndef DAEDAL_COMPARE_H
#define DAEDAL_COMPARE_H

#include <daedal/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One run of a method at a tolerance, or with a step size. */
typedef struct dae_compare_run {
  const dae_method *method; /**< method of the run */
  double rtol;              /**< relative tolerance */
  double step;              /**< step size of a method with fixed steps; 0: variable */
  dae_status status;        /**< status of the run */
  char message[256];        /**< reason of a failure; empty: none */
  double t_end;             /**< time reached: a stop event may end a run early */
  long events;              /**< number of events, as in dae_summary */
  long switchings;          /**< number of changes of branches, as in dae_summary */
  /** event or branch whose number is not that of the reference, with both numbers; error and
   * algebraic are then INFINITY. Empty: none */
  char other_events[256];
  /** error by dae_variable_kind: maximum over rows and variables of
   * |y - reference| / (max |reference| + atol/rtol), with the maximum over rows: a run that meets
   * its tolerance has an error of rtol. NaN: unknown */
  double kind[DAE_VARIABLE_KINDS];
  double error;          /**< error of coordinates, rates and states */
  double algebraic;      /**< error of algebraic variables and multipliers */
  double position_drift; /**< as in dae_summary */
  double velocity_drift; /**< as in dae_summary */
  double energy_balance; /**< as in dae_summary */
  dae_stats stats;       /**< statistics of the run */
  double seconds;        /**< CPU time of the integration; NaN: failed */
  double seconds_rows;   /**< CPU time with rows, drift and energy balance */
} dae_compare_run;

/** Relation between the two runs of a reference. */
typedef enum dae_reference_kind {
  DAE_REFERENCE_NONE,      /**< no two runs agree: errors are unknown */
  DAE_REFERENCE_FAMILIES,  /**< methods of different families */
  DAE_REFERENCE_METHODS,   /**< different methods of one family, with common code */
  DAE_REFERENCE_TOLERANCES /**< one method at two tolerances */
} dae_reference_kind;

/** Reference: one of the two runs that agree best. */
typedef struct dae_reference {
  dae_reference_kind kind; /**< relation between the two runs */
  dae_compare_run run;     /**< the reference; method NULL: there are no two runs */
  dae_compare_run witness; /**< the other run */
  double agreement; /**< error of one run against the other; INFINITY: there are no two runs */
  double floor;     /**< smallest resolvable error: three times the agreement */
  double algebraic_floor; /**< smallest resolvable error of algebraic variables and multipliers */
  int rows;               /**< number of compared rows */
  /** event or branch whose number differs in two runs, so that no two runs, or none of different
   * families, count as agreeing; empty: none */
  char other_events[256];
} dae_reference;

/** Result of a comparison. */
typedef struct dae_comparison {
  const char *problem;        /**< name of the problem */
  double from;                /**< start time */
  double to;                  /**< end time */
  double wanted;              /**< error of the recommendation */
  double atol_ratio;          /**< atol/rtol */
  int runs;                   /**< number of runs of all methods */
  const dae_compare_run *run; /**< runs in the order of methods, the largest tolerance first */
  int method_count;           /**< number of compared methods */
  const dae_method *const *methods; /**< compared methods */
  dae_reference reference;          /**< reference of the errors */
  const dae_method *recommended;    /**< recommended method, or NULL */
  const dae_compare_run *best;      /**< cheapest run of it that reaches the wanted error */
  char why[1024];                   /**< reasons for the recommendation, or against any */
  dae_native native;                /**< native code of the plan */
} dae_comparison;

/** Plan of a comparison. */
typedef struct dae_compare_plan {
  /** problem, start, to, events, held and native of the runs; other members are ignored */
  const dae_run_plan *plan;
  const dae_method *const *methods; /**< methods to compare, NULL: all that apply to the problem */
  int method_count;                 /**< number of methods */
  const double *rtol;               /**< tolerances, the largest first */
  int rtol_count;                   /**< number of tolerances */
  double atol_ratio;                /**< atol = rtol atol_ratio */
  double wanted;                    /**< tolerance of the recommendation */
  double seconds; /**< limit of the CPU time of a run, which ends its method; 0: none */
  int times;      /**< number of compared rows; fewer for very large problems */
  /** sets further options of a method in opts, which has defaults, tolerances and step. NULL: none
   */
  dae_status (*options)(void *user, const dae_method *method, double rtol, double atol, void *opts,
                        dae_error *err);
  /** called after every step of every run with the current run, the number of finished runs and
   * their expected total; false interrupts the comparison. NULL: none */
  bool (*progress)(void *user, const dae_compare_run *run, int done, int total);
  void *user; /**< argument of options and progress */
} dae_compare_plan;

/** Default plan: 1e-3 ... 1e-10 by decades, atol/rtol 0.01, wanted 1e-6, 64 rows, 2 s. */
dae_compare_plan dae_compare_defaults(const dae_run_plan *plan);

/** Runs the comparison. Failed runs are part of the result. After DAE_ERROR_INTERRUPTED *out has
 * the results so far; after any other failure *out is NULL. */
dae_status dae_compare(const dae_compare_plan *plan, const dae_env *env, dae_comparison **out,
                       dae_error *err);
/** Frees a comparison; NULL is allowed. */
void dae_comparison_free(dae_comparison *comparison);

/** Measure of work. */
typedef enum dae_compare_cost {
  DAE_COST_SECONDS,      /**< CPU time */
  DAE_COST_SECONDS_ROWS, /**< CPU time with rows, drift and energy balance */
  DAE_COST_EVALUATIONS   /**< evaluations of f */
} dae_compare_cost;

/** Cost for a method to reach an error: the minimum of its runs that reach it, with logarithmic
 * interpolation between runs. NaN: not reached, or below the resolvable error. */
double dae_comparison_cost(const dae_comparison *comparison, const dae_method *method, double error,
                           dae_compare_cost cost);

/** Writes the methods that reach an error into order, of size method_count, the cheapest first;
 * returns their number. */
int dae_comparison_rank(const dae_comparison *comparison, double error, dae_compare_cost cost,
                        const dae_method **order);

/** Tolerance or step size of a run as text: "1e-6", "h 0.01". Returns the length needed, as
 * snprintf does. */
size_t dae_compare_asked(const dae_compare_run *run, char *text, size_t size);
/** Description of the reference in one sentence. Returns the length needed, as snprintf does. */
size_t dae_reference_text(const dae_comparison *comparison, char *text, size_t size);
/** The whole comparison as JSON. Returns the length needed, as snprintf does. */
size_t dae_comparison_json(const dae_comparison *comparison, char *text, size_t size);
/** The runs as comma-separated values. Returns the length needed, as snprintf does. */
size_t dae_comparison_csv(const dae_comparison *comparison, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
