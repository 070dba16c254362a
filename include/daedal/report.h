/** @file
 * Report of a run: a sink that writes one HTML file with summary, animation, plots of all columns,
 * and data. */
#ifndef DAEDAL_REPORT_H
#define DAEDAL_REPORT_H

#include <daedal/drawing.h>
#include <daedal/model.h>
#include <daedal/run.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Contents of the report besides the data of the run. */
typedef struct dae_report_options {
  const dae_run_plan *plan;   /**< plan of the run */
  const dae_model *model;     /**< model with text and drawing; NULL: none */
  const dae_drawing *drawing; /**< drawing of the animation; NULL: that of the model */
  const char *command;        /**< command line of the run; NULL: none */
  const char *why;            /**< reason for the method; NULL: given by the user */
  size_t max_bytes; /**< limit of the data in the page, which omits rows beyond; 0: 1.4 MB, with a
                       drawing in space 2 MB */
} dae_report_options;

/** Creates a sink that writes the report, and its file. The options are copied; their pointers must
 * stay valid until the end of the run. The report lists the files of preceding sinks. */
dae_status dae_report_sink(const char *path, const dae_report_options *options, const dae_env *env,
                           dae_sink *out, dae_error *err);

#ifdef __cplusplus
}
#endif
#endif
