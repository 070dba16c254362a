/** @file
 * Native code: the equations of a model translated to C, compiled by the system's compiler, and
 * loaded in place of the interpreter. See dae_model_compile in model.h, and docs/jit.md. */
#ifndef DAEDAL_NATIVE_H
#define DAEDAL_NATIVE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Compiler, cache and limits of native code. */
typedef struct dae_native_options {
  const char *compiler; /**< C compiler, with options separated by blanks; NULL: the environment
                           variable CC, or cc */
  const char *cache;  /**< folder of the compiled code; NULL: the environment variable DAEDAL_CACHE,
                         or daedal in XDG_CACHE_HOME or in ~/.cache */
  size_t cache_bytes; /**< limit of all files in it, those used longest ago are deleted; 0: the
                         default, 256 MiB */
  double seconds;     /**< time limit of the compiler */
  long instructions;  /**< limit of the instructions that are compiled: those of the accelerations
                         first, then of short functions; the others are interpreted */
  bool (*proceed)(void *user); /**< called ten times a second; false stops the compiler, or NULL */
  void *proceed_user;          /**< argument of proceed */
} dae_native_options;

/** Default options: compiler and cache of the environment, one minute, and 30,000 instructions,
 * which compile in some seconds. */
dae_native_options dae_native_defaults(void);

/** Native code of a model. All zero: the model is interpreted. */
typedef struct dae_native {
  long instructions; /**< number of instructions that are native code */
  long interpreted;  /**< number of the others, beyond the limit */
  bool cached;       /**< loaded from the cache, without the compiler */
  double seconds;    /**< wall time of compilation and loading */
} dae_native;

/** Short description: "compiled in 0.21 s", "found in the cache", "none". Returns the length
 * needed, as snprintf does. */
size_t dae_native_text(const dae_native *native, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
