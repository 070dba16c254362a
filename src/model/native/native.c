/* dae_model_compile: the tapes of a model as C, found in the cache or compiled, and loaded. */
#define _POSIX_C_SOURCE 200809L

#include "model/native/native.h"
#include "core/error.h"
#include "model/model.h"
#include "model/tape/tape_code.h"
#include <dlfcn.h>
#include <time.h>

/* gcc 12 takes 0.2 ms for an instruction: some seconds for so many. The equations of larger models
 * are a small part of the work, and the interpreter is half as fast as native code there. */
dae_native_options dae_native_defaults(void)
{
  return (dae_native_options){.seconds = 60, .instructions = 30000};
}

static double native_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the source ---- */

static void native_emit(const dae_model *model, const dae_native_options *options, dae__source *s)
{
  dae__native_emit_head(s, model->name);
  for (int i = 0; i < model->tapes.count && !s->failed; i++)
    dae__native_emit(s, &model->tapes.item[i], i);
  dae__native_emit_table(s, model->tapes.count);
  dae__native_put_command(s, options);
}

/* ---- loading ---- */

void dae__native_unload(dae_model *model)
{
  for (int i = 0; i < model->tapes.count; i++) {
    model->tapes.item[i].tape->native = NULL;
    model->tapes.item[i].tape->whole = false;
  }
  if (model->library)
    dlclose(model->library);
  model->library = NULL;
  model->native = (dae_native){.instructions = 0};
}

/* The functions of the library take the place of the interpreter. */
static dae_status native_load(dae_model *model, const char *path, dae_error *err)
{
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  dae__tape_native *const *table = library ? dlsym(library, DAE__NATIVE_TABLE) : NULL;
  if (!table) {
    const char *why = dlerror();
    dae__fail(err, DAE_ERROR_NATIVE, NULL, "native code could not be loaded: %.300s",
              why ? why : path);
    if (library)
      dlclose(library);
    return DAE_ERROR_NATIVE;
  }
  model->library = library;
  for (int i = 0; i < model->tapes.count; i++) {
    dae__tape *tape = model->tapes.item[i].tape;
    tape->native = table[i];
    tape->whole = dae__native_whole(tape);
  }
  return DAE_OK;
}

/* From the cache, or compiled where it is not there or cannot be loaded. */
static dae_status native_obtain(dae_model *model, const dae__native_place *place,
                                const dae_native_options *options, const dae__source *s,
                                bool *cached, dae_error *err)
{
  *cached = dae__native_find(place, s) && native_load(model, place->library, err) == DAE_OK;
  if (*cached)
    return DAE_OK;
  dae_status status = dae__native_build(place, options, s, err);
  return status ? status : native_load(model, place->library, err);
}

/* ---- all of it ---- */

static dae_status native_compile(dae_model *model, const dae_native_options *options,
                                 dae__source *s, bool *cached, dae_error *err)
{
  dae__native_place place;
  DAE__TRY(dae__native_folder(options->cache, &place, err));
  native_emit(model, options, s);
  if (s->failed)
    return dae__out_of_memory(err);
  dae__native_name(&place, model->name, s);
  return native_obtain(model, &place, options, s, cached, err);
}

static dae_status native_check(const dae_model *model, const dae_native_options *o, dae_error *err)
{
  if (!(o->seconds > 0))
    return dae__fail(err, DAE_ERROR_OPTION, "seconds", "the compiler needs some time");
  if (model->count.instructions > o->instructions)
    return dae__fail(err, DAE_ERROR_NATIVE, NULL,
                     "the model is too large for the compiler: its equations are %ld instructions, "
                     "more than %ld",
                     model->count.instructions, o->instructions);
  return DAE_OK;
}

dae_status dae_model_compile(dae_model *model, const dae_native_options *options, dae_error *err)
{
  dae_native_options own = options ? *options : dae_native_defaults();
  dae__source s = {.env = *dae__arena_env(model->arena)};
  double begin = native_now();
  bool cached = false;
  if (err)
    *err = dae_error_none();
  dae__native_unload(model);
  dae_status status =
      dae__make_tapes(model) ? native_check(model, &own, err) : dae__out_of_memory(err);
  if (!status)
    status = native_compile(model, &own, &s, &cached, err);
  dae__source_free(&s);
  if (!status)
    model->native = (dae_native){.instructions = model->count.instructions,
                                 .cached = cached,
                                 .seconds = native_now() - begin};
  return status;
}

dae_native dae_model_native(const dae_model *model)
{
  return model->native;
}
