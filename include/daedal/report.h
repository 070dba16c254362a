/** @file
 * The report of a run: one HTML file with the account, the motion, plots of everything, and the
 * data. A sink that watches a run like any other. */
#ifndef DAEDAL_REPORT_H
#define DAEDAL_REPORT_H

#include <daedal/drawing.h>
#include <daedal/model.h>
#include <daedal/run.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What the report is to know besides what the run tells it. */
typedef struct dae_report_options {
  const dae_run_plan *plan;   /**< of the run that is reported */
  const dae_model *model;     /**< its text and drawing are shown; NULL: there is none */
  const dae_drawing *drawing; /**< what the motion shows; NULL: what the model draws */
  const char *command;        /**< that repeats the run; NULL: none */
  const char *why;            /**< the reason for the method; NULL: it was asked for */
  size_t max_bytes;           /**< of data in the page: beyond that rows are left out; 0: 1.4 MB */
} dae_report_options;

/** A sink that writes the report. The options are copied; what they point to must live until the
 * run has ended. The sink comes after those whose files it is to name. The file is created at once.
 */
dae_status dae_report_sink(const char *path, const dae_report_options *options, const dae_env *env,
                           dae_sink *out, dae_error *err);

#ifdef __cplusplus
}
#endif
#endif
