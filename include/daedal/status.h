/** @file
 * Status codes and the error record.
 *
 * Every fallible function returns a dae_status: 0 is success, positive values are news, negative
 * values are failures. The details of a failure go into a dae_error that the caller owns; every
 * function that takes one accepts NULL. */
#ifndef DAEDAL_STATUS_H
#define DAEDAL_STATUS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** All statuses: X(enumerator, value, one-line text). */
#define DAE_STATUS_LIST(X)                                                                         \
  X(DAE_OK, 0, "success")                                                                          \
  X(DAE_END, 1, "the end time was reached")                                                        \
  X(DAE_EVENT, 2, "an event was located")                                                          \
  X(DAE_STOPPED, 3, "a terminal event ended the run")                                              \
  X(DAE_ERROR_MEMORY, -1, "out of memory")                                                         \
  X(DAE_ERROR_USAGE, -2, "the call does not make sense")                                           \
  X(DAE_ERROR_OPTION, -3, "an option is not valid")                                                \
  X(DAE_ERROR_PROBLEM, -4, "the problem description is not valid")                                 \
  X(DAE_ERROR_UNSUPPORTED, -5, "the method does not take this problem")                            \
  X(DAE_ERROR_START, -6, "the start values cannot be made consistent")                             \
  X(DAE_ERROR_SINGULAR, -7, "a matrix is singular")                                                \
  X(DAE_ERROR_CALLBACK, -8, "a callback failed")                                                   \
  X(DAE_ERROR_RECOVERABLE, -9, "a callback refused the point")                                     \
  X(DAE_ERROR_STEP, -10, "the integration cannot continue")                                        \
  X(DAE_ERROR_COUPLING, -11, "the iteration of coupled systems diverged")                          \
  X(DAE_ERROR_CHECK, -12, "a required check failed")                                               \
  X(DAE_ERROR_FILE, -13, "a file could not be read or written")                                    \
  X(DAE_ERROR_INTERRUPTED, -14, "the run was interrupted")                                         \
  X(DAE_ERROR_MODEL, -15, "the model text is not valid")                                           \
  X(DAE_ERROR_NATIVE, -16, "native code could not be made")

/** 0 is success, positive values are news, negative values are failures. */
typedef enum dae_status {
#define DAE_STATUS_ENUM(name, value, text) name = value, /**< text */
  DAE_STATUS_LIST(DAE_STATUS_ENUM)
#undef DAE_STATUS_ENUM
} dae_status;

/** What went wrong, where, in the user's own names. */
typedef struct dae_error {
  dae_status status; /**< a failure, or DAE_OK */
  double t;          /**< time, NaN where it means nothing */
  double h;          /**< step size, NaN where it means nothing */
  int line;          /**< in a model file, 0 where there is none */
  int column;        /**< in that line, from 1 */
  char file[128];    /**< the model file, empty where there is none */
  char source[160];  /**< the line of text concerned, cut around the column where it is longer */
  int caret;         /**< offset in source, in bytes, that the column stands for */
  char equation[64]; /**< name of the equation, constraint, variable or option concerned */
  char text[512];    /**< what happened, the likely cause, what to try */
} dae_error;

/** Its name: "DAE_ERROR_STEP". */
const char *dae_status_name(dae_status status);
/** Its one-line text: "the integration cannot continue". */
const char *dae_status_text(dae_status status);

/** An error record that says "no error". */
dae_error dae_error_none(void);

/** The record as a person reads it: where, what, and the line concerned with a mark under the
 * place.
 *
 *     pendulum.dae:6:23: unknown name yy; did you mean y?
 *       constraint rod: x^2 + yy^2 = L^2
 *                             ^
 *
 * Without the place, or without the line, where the record has none. No newline at the end. Returns
 * the length needed, as snprintf does. */
size_t dae_error_text(const dae_error *err, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
