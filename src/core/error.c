#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>

dae_status dae__fail(dae_error *err, dae_status status, const char *equation, const char *format,
                     ...)
{
  if (!err)
    return status;
  dae_error record = dae_error_none(); /* the arguments may point into *err */
  record.status = status;
  if (equation)
    snprintf(record.equation, sizeof record.equation, "%s", equation);
  va_list args;
  va_start(args, format);
  vsnprintf(record.text, sizeof record.text, format, args);
  va_end(args);
  *err = record;
  return status;
}

void dae__fail_at(dae_error *err, double t, double h)
{
  if (!err)
    return;
  err->t = t;
  err->h = h;
}

dae_status dae__out_of_memory(dae_error *err)
{
  return dae__fail(err, DAE_ERROR_MEMORY, NULL, "out of memory");
}
