/** @file
 * A run in steps: create it from a plan, advance it to any time, read the state and the row there,
 * save it and load it again, finish it.
 *
 *     dae_simulation *run;
 *     status = dae_simulation_create(&plan, NULL, &run, &err);
 *     while (status == DAE_OK && (status = dae_simulation_advance(run, t += 0.1, &err)) >= 0)
 *       dae_simulation_state(run, y, &err);
 *     dae_simulation_finish(run, &summary, &err);
 *     dae_simulation_free(run);
 *
 * dae_run is the short form: create, advance to the end, finish. Where a run is advanced to and
 * read has no influence on its steps, rows, events and summary. */
#ifndef DAEDAL_SIMULATION_H
#define DAEDAL_SIMULATION_H

#include <daedal/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque handle of a run. It belongs to one thread at a time. */
typedef struct dae_simulation dae_simulation;

/** Checks the plan, makes the start consistent and creates the integrator. The plan is copied; what
 * it points to must outlive the run. Sinks are opened by the first advance, step or load, and
 * closed after a failure. */
dae_status dae_simulation_create(const dae_run_plan *plan, const dae_env *env, dae_simulation **out,
                                 dae_error *err);
/** Advances the run to t, at most to the end of the plan: DAE_OK, DAE_END at the end of the plan,
 * or DAE_STOPPED at a terminal event. Steps do not end at t, which may lie within one: its events
 * and rows behind t happen later. After DAE_ERROR_INTERRUPTED the run can be advanced on, after
 * another failure it can be finished only. */
dae_status dae_simulation_advance(dae_simulation *run, double t, dae_error *err);
/** Takes one step, or completes the one in which the run is, with its events and rows. */
dae_status dae_simulation_step(dae_simulation *run, dae_error *err);
/** Time that the run has reached: that of the last advance, or the end of the last step. */
double dae_simulation_time(const dae_simulation *run);
/** Extended state vector at that time, behind the events there. */
dae_status dae_simulation_state(dae_simulation *run, double *y, dae_error *err);
/** Names of the columns of the rows; returns their number. */
int dae_simulation_columns(const dae_simulation *run, const char *const **names);
/** Row of the results at the time that the run has reached; its pointers are valid until the next
 * call. */
dae_status dae_simulation_row(dae_simulation *run, dae_row *row, dae_error *err);
/** Integrator of the run, for its view and statistics. */
const dae_integrator *dae_simulation_integrator(const dae_simulation *run);

/** @name Save and load
 * Everything that the run remembers as bytes: integrator, events, held values, drift and energy
 * balance, position in the rows, and what its sinks have (dae_sink.save). A run of the same plan,
 * also in another process, that loads them goes on to the same bits: rows, summary, results of the
 * sinks; only `seconds` counts the time of both. The callback `progress` of a plan may save.
 * @{ */

/** Number of bytes of a saved state; it changes along the run. */
size_t dae_simulation_save_size(const dae_simulation *run);
/** Writes the state into a buffer. Sinks write their files to the disk. Refused after a failure
 * within a step. */
dae_status dae_simulation_save(dae_simulation *run, void *buffer, size_t size, dae_error *err);
/** Goes to a saved state, back or forward; sinks with files cut them back to it. A damaged buffer,
 * and that of another plan, problem, method or version is refused with DAE_ERROR_USAGE. */
dae_status dae_simulation_load(dae_simulation *run, const void *buffer, size_t size,
                               dae_error *err);
/** @} */

/** Ends the run: second runs of the plan, summary (may be NULL), sinks are closed. Returns the
 * status of the run; DAE_OK for one that is ended before its end time. */
dae_status dae_simulation_finish(dae_simulation *run, dae_summary *summary, dae_error *err);
/** Frees a run; NULL is allowed. Sinks of a run that is not finished are not closed. */
void dae_simulation_free(dae_simulation *run);

#ifdef __cplusplus
}
#endif
#endif
