/** @file
 * All methods that take a problem, over tolerances, measured against a common reference: which one
 * reaches which accuracy, and for how much work.
 *
 *     dae_compare_plan plan = dae_compare_defaults(&run_plan);
 *     dae_comparison *c;
 *     if (dae_compare(&plan, NULL, &c, &err) >= 0 && c->recommended)
 *       printf("%s\n", c->why);
 *     dae_comparison_free(c);
 *
 * Work and time of a run are those without rows and without measures; its error is found from rows
 * at common times, in another run. Of short runs the time is the least of several. The definitions
 * are in docs/compare.md. */
#ifndef DAEDAL_COMPARE_H
#define DAEDAL_COMPARE_H

#include <daedal/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One run: of a method at a tolerance, or with a step size. */
typedef struct dae_compare_run {
  const dae_method *method; /**< that made it */
  double rtol;              /**< what it was asked for */
  double step;              /**< of a method with fixed steps; 0: variable */
  dae_status status;        /**< of the run */
  char message[256];        /**< why it failed, or was given up; empty: it did not */
  double t_end;             /**< reached: a stop event may end a run before its time */
  /** by dae_variable_kind, the largest over rows and variables of
   * |y - reference| / (max |reference| + atol/rtol), the maximum over rows: an error of rtol is
   * what the tolerance asks for. NaN: not known */
  double kind[DAE_VARIABLE_KINDS];
  double error;          /**< of coordinates, rates and states */
  double algebraic;      /**< of algebraic variables and multipliers */
  double position_drift; /**< as in dae_summary */
  double velocity_drift; /**< as in dae_summary */
  double energy_balance; /**< as in dae_summary */
  dae_stats stats;       /**< what it cost */
  double seconds;        /**< CPU time of the integration; NaN: it failed */
  double seconds_rows;   /**< the same with rows, drift and energy balance */
} dae_compare_run;

/** What two runs that agree have in common. */
typedef enum dae_reference_kind {
  DAE_REFERENCE_NONE,      /**< no two agree: nothing is known of errors */
  DAE_REFERENCE_FAMILIES,  /**< nothing: methods of different families */
  DAE_REFERENCE_METHODS,   /**< the family: other methods, but code in common */
  DAE_REFERENCE_TOLERANCES /**< the method, at another tolerance */
} dae_reference_kind;

/** The reference: the first of the two runs that agree best. */
typedef struct dae_reference {
  dae_reference_kind kind; /**< what the agreement is worth */
  dae_compare_run run;     /**< the reference; method NULL: there were no two runs */
  dae_compare_run witness; /**< the other one */
  double agreement;        /**< error of the one by the other; INFINITY: there were no two runs */
  double floor;            /**< errors below are not known: three times the agreement */
  double algebraic_floor;  /**< the same for algebraic variables and multipliers */
  int rows;                /**< that are compared */
} dae_reference;

/** What came out. */
typedef struct dae_comparison {
  const char *problem;              /**< its name */
  double from;                      /**< time at the start */
  double to;                        /**< time at the end */
  double wanted;                    /**< error that the recommendation is for */
  double atol_ratio;                /**< atol/rtol */
  int runs;                         /**< of all methods */
  const dae_compare_run *run;       /**< by method, in the order of methods; loosest first */
  int method_count;                 /**< methods compared */
  const dae_method *const *methods; /**< which ones */
  dae_reference reference;          /**< what errors are errors from */
  const dae_method *recommended;    /**< NULL: none reached the error wanted, or it is not known */
  const dae_compare_run *best;      /**< its cheapest run that did; NULL as above */
  char why[1024];                   /**< in a few sentences; or why none is recommended */
  dae_native native;                /**< the plan's */
} dae_comparison;

/** What is compared. */
typedef struct dae_compare_plan {
  /** what is run: problem, start, to, events, held, native; the rest of it is not used */
  const dae_run_plan *plan;
  const dae_method *const *methods; /**< NULL: all that take the problem */
  int method_count;                 /**< of methods */
  const double *rtol;               /**< tolerances, loosest first */
  int rtol_count;                   /**< of tolerances */
  double atol_ratio;                /**< atol = rtol atol_ratio */
  double wanted;                    /**< the tolerance that the recommendation is for */
  double seconds; /**< a method is given up where a run takes more CPU time; 0: never */
  int times;      /**< rows that are compared; fewer where the problem is very large */
  /** fills in further options of a method; opts has defaults, tolerances and step. NULL: none */
  dae_status (*options)(void *user, const dae_method *method, double rtol, double atol, void *opts,
                        dae_error *err);
  /** called after every step of every run: what is being run, runs done, and how many there will be
   * about. false interrupts. NULL: nobody asks */
  bool (*progress)(void *user, const dae_compare_run *run, int done, int total);
  void *user; /**< handed to both */
} dae_compare_plan;

/** 1e-3 ... 1e-10 by decades, atol/rtol 0.01, wanted 1e-6, 64 rows, 2 s. */
dae_compare_plan dae_compare_defaults(const dae_run_plan *plan);

/** Compares. Runs that fail are part of the result. DAE_ERROR_INTERRUPTED: *out has what there is
 * so far. After any other failure *out is NULL. */
dae_status dae_compare(const dae_compare_plan *plan, const dae_env *env, dae_comparison **out,
                       dae_error *err);
/** NULL is allowed. */
void dae_comparison_free(dae_comparison *comparison);

/** What an error may cost. */
typedef enum dae_compare_cost {
  DAE_COST_SECONDS,      /**< CPU time */
  DAE_COST_SECONDS_ROWS, /**< CPU time with rows, drift and energy balance */
  DAE_COST_EVALUATIONS   /**< evaluations of f */
} dae_compare_cost;

/** What a method needs to reach an error: the least of its runs that do, and between runs by
 * interpolation of logarithms. NaN: it does not get there, or errors as small are not known. */
double dae_comparison_cost(const dae_comparison *comparison, const dae_method *method, double error,
                           dae_compare_cost cost);

/** The methods that reach an error, cheapest first, into order, which has room for method_count.
 * Returns their number. */
int dae_comparison_rank(const dae_comparison *comparison, double error, dae_compare_cost cost,
                        const dae_method **order);

/** What a run was asked for: "1e-6", "h 0.01". Returns the length needed, as snprintf does. */
size_t dae_compare_asked(const dae_compare_run *run, char *text, size_t size);
/** How the reference was found, in a sentence. Returns the length needed, as snprintf does. */
size_t dae_reference_text(const dae_comparison *comparison, char *text, size_t size);
/** All of it as JSON. Returns the length needed, as snprintf does. */
size_t dae_comparison_json(const dae_comparison *comparison, char *text, size_t size);
/** The runs as comma-separated values. Returns the length needed, as snprintf does. */
size_t dae_comparison_csv(const dae_comparison *comparison, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
