#include "problem/callback.h"
#include "core/error.h"
#include <math.h>

dae_status dae__callback_status(const dae_error *why, int code, const char *callback, double t,
                                dae_error *err)
{
  if (code == 0)
    return DAE_OK;
  dae_status status = code > 0 ? DAE_ERROR_RECOVERABLE : DAE_ERROR_CALLBACK;
  if (why && why->status < 0)
    dae__fail(err, status, why->equation, "%s", why->text);
  else
    dae__fail(err, status, callback, "the callback %s %s", callback,
              code > 0 ? "refused the point" : "failed");
  dae__fail_at(err, t, NAN);
  return status;
}
