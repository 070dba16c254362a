/** @file
 * Result files in binary formats, by suffix: .mat (MATLAB version 4, in the layout of Dymola's
 * trajectories, which OMEdit and DyMat read), .npz (NumPy, one array per column) and .h5 or .hdf5
 * (HDF5, one dataset per column; builds with libhdf5). Any other name is a CSV file. */
#ifndef DAEDAL_RESULTS_H
#define DAEDAL_RESULTS_H

#include <daedal/env.h>
#include <daedal/run.h>
#include <daedal/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sink that writes the rows in the format of the suffix, with the provenance of the summary
 * inside. Binary files are made at the end of the run, from rows in FILE.rows beside them, which
 * are kept if that fails. DAE_ERROR_UNSUPPORTED: HDF5 in a build without it. */
dae_status dae_results_sink(const char *path, const dae_env *env, dae_sink *out, dae_error *err);

/** Contents of a result file. */
typedef struct dae_results {
  int columns;              /**< number of columns */
  long rows;                /**< number of rows */
  const char *const *names; /**< names of the columns */
  const double *values;     /**< row i of column j: values[j * rows + i] */
  const char *provenance;   /**< JSON text of the provenance; NULL: none */
} dae_results;

/** Whether a name has the suffix of a binary format. */
bool dae_results_is_binary(const char *path);
/** Reads a file in one of the binary formats. env may be NULL. */
dae_status dae_results_read(const char *path, const dae_env *env, dae_results **out,
                            dae_error *err);
/** Frees results; NULL is allowed. */
void dae_results_free(dae_results *results);

#ifdef __cplusplus
}
#endif
#endif
