/* Filling in the caller's error record. */
#ifndef DAEDAL_CORE_ERROR_H
#define DAEDAL_CORE_ERROR_H

#include <daedal/status.h>
#include <math.h>

/* Records status, the name of what is concerned (may be NULL) and a formatted text; err may be
 * NULL. Returns status, so that `return dae__fail(...)` reads well. */
__attribute__((format(printf, 4, 5))) dae_status
dae__fail(dae_error *err, dae_status status, const char *equation, const char *format, ...);

/* Leaves the calling function with the status of `expression` unless that is DAE_OK. */
#define DAE__TRY(expression)                                                                       \
  do {                                                                                             \
    dae_status try_status = (expression);                                                          \
    if (try_status)                                                                                \
      return try_status;                                                                           \
  } while (0)

/* DAE_ERROR_MEMORY with its text. */
dae_status dae__out_of_memory(dae_error *err);

/* What dae_error_none is, as far as it is looked at, at the price of a few stores: for records that
 * every step begins with and hardly any fills. */
static inline void dae__error_clear(dae_error *err)
{
  err->status = DAE_OK;
  err->t = err->h = NAN;
  err->line = err->column = err->caret = 0;
  err->file[0] = err->source[0] = err->equation[0] = err->text[0] = '\0';
}

/* Adds time and step size to a record that was filled in before. */
void dae__fail_at(dae_error *err, double t, double h);

#endif
