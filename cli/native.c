/* --jit: native code for the equations of a model. */
#include "cli.h"

static bool native_proceed(void *user)
{
  (void)user;
  return !cli_interrupted();
}

dae_status cli_compile(const cli_arguments *args, dae_model *model, dae_error *err)
{
  dae_native_options options = dae_native_defaults();
  options.proceed = native_proceed;
  if (!cli_flag(args, "jit"))
    return DAE_OK;
  dae_status status = dae_model_compile(model, &options, err);
  if (status >= 0 || status == DAE_ERROR_INTERRUPTED || status == DAE_ERROR_MEMORY)
    return status;
  cli_note("--jit: %s", err->text);
  cli_note("the model is interpreted instead: same results, longer run time");
  *err = dae_error_none();
  return DAE_OK;
}
