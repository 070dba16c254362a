/* A library without expat reads no URDF files. */
#include <daedal/import.h>

#include "core/error.h"

dae_status dae_urdf_import(const char *path, const dae_urdf_options *options, const dae_env *env,
                           char **text, dae_error *err)
{
  (void)path, (void)options, (void)env;
  *text = NULL;
  return dae__fail(
      err, DAE_ERROR_UNSUPPORTED, NULL,
      "this build of daedal reads no URDF files: it was made with DAEDAL_WITH_EXPAT=OFF");
}

void dae_urdf_free(char *text, const dae_env *env)
{
  (void)text, (void)env;
}
