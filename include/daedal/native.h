/** @file
 * Native code: the equations of a model written out as C, compiled by the system's compiler, and
 * loaded, in place of the interpreter. See dae_model_compile in model.h, and docs/jit.md. */
#ifndef DAEDAL_NATIVE_H
#define DAEDAL_NATIVE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How native code is made, and where it is kept. */
typedef struct dae_native_options {
  const char *compiler; /**< a C compiler, and options for it after blanks; NULL: the environment
                             variable CC, or cc */
  const char *cache;    /**< folder of what was compiled before; NULL: the environment variable
                             DAEDAL_CACHE, or daedal in XDG_CACHE_HOME or in ~/.cache */
  double seconds;       /**< that the compiler may take before it is stopped */
  long instructions;    /**< that a model may have at most, see dae_model_counts */
  bool (*proceed)(void *user); /**< asked ten times a second; false stops the compiler. May be
                                    NULL */
  void *proceed_user;          /**< handed to proceed */
} dae_native_options;

/** Compiler and cache as the environment says, a minute, and as many instructions as compile in
 * some seconds: 30,000. */
dae_native_options dae_native_defaults(void);

/** How the equations of a model are evaluated. All zero: they are interpreted. */
typedef struct dae_native {
  long instructions; /**< that are native code: all of the model */
  bool cached;       /**< it was compiled before: no compiler was started */
  double seconds;    /**< wall time until it was ready */
} dae_native;

/** In a few words: "compiled in 0.21 s", "found in the cache", "none". Returns the length needed,
 * as snprintf does. */
size_t dae_native_text(const dae_native *native, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
