/** @file
 * Checkpoints: files with a saved run (dae_simulation_save) and a text that says of what.
 *
 * A checkpoint is written beside the last one and takes its name when it is on the disk; the last
 * one stays as FILE.old. Version, build and a checksum of all bytes are checked before it is used.
 */
#ifndef DAEDAL_CHECKPOINT_H
#define DAEDAL_CHECKPOINT_H

#include <daedal/env.h>
#include <daedal/status.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Contents of a checkpoint. */
typedef struct dae_checkpoint {
  const char *about;  /**< what it is of: any text, which may contain zeros */
  size_t about_bytes; /**< number of its bytes */
  const void *state;  /**< saved run */
  size_t state_bytes; /**< number of its bytes */
} dae_checkpoint;

/** Writes a checkpoint to the disk. After a failure the last one is intact. */
dae_status dae_checkpoint_write(const char *path, const dae_checkpoint *checkpoint,
                                const dae_env *env, dae_error *err);
/** Reads a checkpoint; free it with dae_checkpoint_free and the same env. Refused: a file that
 * cannot be read, is no checkpoint or damaged (DAE_ERROR_FILE), and one of another version or build
 * of the library (DAE_ERROR_PROBLEM). */
dae_status dae_checkpoint_read(const char *path, const dae_env *env, dae_checkpoint *out,
                               dae_error *err);
/** Frees what dae_checkpoint_read has allocated. */
void dae_checkpoint_free(dae_checkpoint *checkpoint, const dae_env *env);
/** Whether a file begins as a checkpoint, or is empty or not there: whether one may replace it. */
bool dae_checkpoint_replaces(const char *path);
/** Removes a checkpoint and the one before it, of a run that is complete. */
void dae_checkpoint_remove(const char *path);

#ifdef __cplusplus
}
#endif
#endif
