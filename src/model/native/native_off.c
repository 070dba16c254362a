/* Stubs for builds without native code, on systems without processes or a dynamic loader. */
#include "core/error.h"
#include "model/model.h"

void dae__native_unload(dae_model *model)
{
  (void)model; /* native code was never loaded */
}

dae_status dae_model_compile(dae_model *model, const dae_native_options *options, dae_error *err)
{
  (void)model, (void)options;
  return dae__fail(err, DAE_ERROR_UNSUPPORTED, NULL,
                   "this build of daedal has no native code: it was configured with "
                   "-DDAEDAL_WITH_JIT=OFF");
}
