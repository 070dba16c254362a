/** @file
 * Status codes and the error record.
 *
 * Every fallible function returns a dae_status: 0 is success, positive values are notifications,
 * negative values are failures. The details of a failure go into a dae_error owned by the caller;
 * every function with such an argument accepts NULL. */
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

/** Status: 0 is success, positive values are notifications, negative values are failures. */
typedef enum dae_status {
#define DAE_STATUS_ENUM(name, value, text) name = value, /**< text */
  DAE_STATUS_LIST(DAE_STATUS_ENUM)
#undef DAE_STATUS_ENUM
} dae_status;

/** Error record, with the names of the user's problem. */
typedef struct dae_error {
  dae_status status; /**< a failure, or DAE_OK */
  double t;          /**< time, NaN: none */
  double h;          /**< step size, NaN: none */
  int line;          /**< line in a model file, 0: none */
  int column;        /**< column in the line, from 1 */
  char file[128];    /**< name of the model file, empty: none */
  char source[160];  /**< source line, cut around the column if it is longer */
  int caret;         /**< offset of the column in source, in bytes */
  char equation[64]; /**< name of the equation, constraint, variable or option */
  char text[512];    /**< failure, likely cause, remedy */
} dae_error;

/** Name of a status: "DAE_ERROR_STEP". */
const char *dae_status_name(dae_status status);
/** One-line text of a status: "the integration cannot continue". */
const char *dae_status_text(dae_status status);

/** Error record without an error. */
dae_error dae_error_none(void);

/** Fills in an error record (may be NULL) and returns the status; name: the equation, variable or
 * option concerned, or NULL; the text is formatted as by printf. For methods and callbacks outside
 * the library. */
dae_status dae_error_set(dae_error *err, dae_status status, const char *name, const char *format,
                         ...);

/** Error record as text: place, message, and the source line with a mark under the place.
 *
 *     pendulum.dae:6:23: unknown name yy; did you mean y?
 *       constraint rod: x^2 + yy^2 = L^2
 *                             ^
 *
 * Place and line are omitted if the record has none. No newline at the end. Returns the length
 * needed, as snprintf does. */
size_t dae_error_text(const dae_error *err, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
