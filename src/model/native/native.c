/* Native code of a model, dae_model_compile: emits the tapes as C, finds the compiled code in the
 * cache or compiles it, and loads it. */
#include "model/native/native.h"
#include "core/error.h"
#include "model/model.h"
#include "model/tape/tape_code.h"
#include <dlfcn.h>

void dae__native_unload(dae_model *model)
{
  for (int i = 0; i < model->tapes->notes.count; i++) {
    model->tapes->notes.item[i].tape->native = NULL;
    model->tapes->notes.item[i].tape->whole = false;
  }
  if (model->library)
    dlclose(model->library);
  model->library = NULL;
  model->native = (dae_native){.instructions = 0};
}

/* Loads a library of native code, whose functions replace the interpreter. */
static dae_status native_load(dae_model *model, const char *path, dae_error *err)
{
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  dae__tape_native *const *table = library ? dlsym(library, DAE__NATIVE_TABLE) : NULL;
  if (!table) {
    const char *why = dlerror();
    dae__fail(err, DAE_ERROR_NATIVE, NULL, "cannot load native code: %.300s", why ? why : path);
    if (library)
      dlclose(library);
    return DAE_ERROR_NATIVE;
  }
  model->library = library;
  for (int i = 0; i < model->tapes->notes.count; i++) {
    dae__tape *tape = model->tapes->notes.item[i].tape;
    tape->native = table[i];
    tape->whole = tape->native && tape->length <= DAE__NATIVE_WHOLE;
  }
  return DAE_OK;
}

/* Number of instructions of the tapes that are not frequent and not longer than `longest`. */
static long native_count_shorter(const dae__tape_set *tapes, int longest)
{
  long count = 0;
  for (int i = 0; i < tapes->notes.count; i++) {
    const dae__tape_note *note = &tapes->notes.item[i];
    count += !note->frequent && note->tape->length <= longest ? note->tape->length : 0;
  }
  return count;
}

/* Selects tapes up to a number of instructions: frequent ones, then the shortest of the others.
 * Returns the number of instructions. */
static long native_select(dae__tape_set *tapes, long limit)
{
  long count = 0;
  int longest = 0;
  for (int i = 0; i < tapes->notes.count; i++) {
    dae__tape_note *note = &tapes->notes.item[i];
    note->native = note->frequent && count + note->tape->length <= limit;
    count += note->native ? note->tape->length : 0;
  }
  for (int step = INT_MAX / 2 + 1; step > 0; step /= 2) /* the largest that is possible */
    if (native_count_shorter(tapes, longest + (step - 1)) <= limit - count)
      longest += step - 1;
  for (int i = 0; i < tapes->notes.count; i++) {
    dae__tape_note *note = &tapes->notes.item[i];
    if (!note->frequent && note->tape->length <= longest) {
      note->native = true;
      count += note->tape->length;
    }
  }
  return count;
}

/* Loads native code from the cache; compiles it if the cache has none or loading fails. */
static dae_status native_compile(dae_model *model, const dae_native_options *options,
                                 dae__source *s, dae_native *out, dae_error *err)
{
  dae__tape_set *tapes = model->tapes;
  dae__native_place place;
  if (!(options->seconds > 0))
    return dae__fail(err, DAE_ERROR_OPTION, "seconds", "the time of the compiler must be positive");
  out->instructions = native_select(tapes, options->instructions);
  out->interpreted = tapes->instructions - out->instructions;
  if (out->instructions == 0)
    return dae__fail(err, DAE_ERROR_NATIVE, NULL,
                     "the model is too large for the compiler: its equations are %ld instructions, "
                     "and none of them fit into the limit of %ld",
                     tapes->instructions, options->instructions);
  DAE__TRY(dae__native_folder(options->cache, &place, err));
  dae__native_emit(s, model->name, tapes->notes.item, tapes->notes.count);
  dae__native_put_command(s, options);
  if (s->failed)
    return dae__out_of_memory(err);
  out->cached =
      dae__native_find(&place, model->name, s) && native_load(model, place.library, err) == DAE_OK;
  if (out->cached)
    return DAE_OK;
  DAE__TRY(dae__native_build(&place, options, s, err));
  dae__native_trim(&place, options->cache_bytes, s);
  return native_load(model, place.library, err);
}

dae_status dae_model_compile(dae_model *model, const dae_native_options *options, dae_error *err)
{
  dae_native_options own = options ? *options : dae_native_defaults();
  dae__source s = {.env = *dae__arena_env(model->arena)};
  double begin = dae__native_now();
  dae_native native = {.instructions = 0};
  if (err)
    *err = dae_error_none();
  if (own.cache_bytes == 0)
    own.cache_bytes = dae_native_defaults().cache_bytes;
  dae__native_unload(model);
  dae_status status = dae__tapes_compile(model->tapes, &s.env)
                          ? native_compile(model, &own, &s, &native, err)
                          : dae__out_of_memory(err);
  if (s.text)
    s.env.release(s.env.user, s.text);
  native.seconds = dae__native_now() - begin;
  if (!status)
    model->native = native;
  return status;
}
