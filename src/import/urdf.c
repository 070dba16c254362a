/* URDF files as models: read, arrange, write. */
#include "import/urdf.h"

#include "core/env.h"
#include "core/error.h"

dae_status dae_urdf_import(const char *path, const dae_urdf_options *options, const dae_env *env,
                           char **text, dae_error *err)
{
  const dae_urdf_options standard = {.model = NULL};
  dae_env own = dae__env_of(env);
  *text = NULL;
  if (!path || !*path)
    return dae__fail(err, DAE_ERROR_USAGE, "path", "a robot needs the name of its URDF file");
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return dae__out_of_memory(err);
  dae__urdf u = {.options = options ? options : &standard, .err = err};
  u.last_note = &u.notes;
  dae_status status = dae__xml_read(path, arena, &u.file, err);
  if (status == DAE_OK)
    status = dae__urdf_read(&u);
  if (status == DAE_OK)
    status = dae__urdf_arrange(&u);
  if (status == DAE_OK) {
    const char *model = u.options->model ? u.options->model : "robot";
    dae__text measured = dae__text_in(NULL, 0);
    dae__urdf_write(&u, model, &measured);
    *text = own.allocate(own.user, measured.length + 1);
    if (*text) {
      dae__text out = dae__text_in(*text, measured.length + 1);
      dae__urdf_write(&u, model, &out);
    } else {
      status = dae__out_of_memory(err);
    }
  }
  dae__arena_free(arena);
  return status;
}

void dae_urdf_free(char *text, const dae_env *env)
{
  dae_env own = dae__env_of(env);
  if (text)
    own.release(own.user, text);
}
