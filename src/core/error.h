/* The caller's error record. */
#ifndef DAEDAL_CORE_ERROR_H
#define DAEDAL_CORE_ERROR_H

#include <daedal/status.h>
#include <math.h>

/* Records status, the name of the equation or field concerned (may be NULL) and a formatted text;
 * err may be NULL. Returns status. */
__attribute__((format(printf, 4, 5))) dae_status
dae_error_set(dae_error *err, dae_status status, const char *name, const char *format, ...);
#define dae__fail dae_error_set

/* Returns from the calling function with the status of `expression`, unless that is DAE_OK. */
#define DAE__TRY(expression)                                                                       \
  do {                                                                                             \
    dae_status try_status = (expression);                                                          \
    if (try_status)                                                                                \
      return try_status;                                                                           \
  } while (0)

/* Records and returns DAE_ERROR_MEMORY. */
dae_status dae__out_of_memory(dae_error *err);
/* Records and returns DAE_ERROR_FILE, with the reason in errno; what: "created", "written". */
dae_status dae__fail_file(dae_error *err, const char *path, const char *what);

/* Clears an error record by a few stores, setting only the members of dae_error_none that are read:
 * for the record that every step clears and rarely fills. */
static inline void dae__error_clear(dae_error *err)
{
  err->status = DAE_OK;
  err->t = err->h = NAN;
  err->line = err->column = err->caret = 0;
  err->file[0] = err->source[0] = err->equation[0] = err->text[0] = '\0';
}

/* Adds time and step size to an error record with a status. */
void dae__fail_at(dae_error *err, double t, double h);

#endif
