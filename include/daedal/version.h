/** @file
 * The version of the library. The build reads it from here. */
#ifndef DAEDAL_VERSION_H
#define DAEDAL_VERSION_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DAE_VERSION_MAJOR 0 /**< of this header */
#define DAE_VERSION_MINOR 1 /**< of this header */
#define DAE_VERSION_PATCH 0 /**< of this header */

/** "0.1.0", of the library that is linked; the macros are those of the header. */
const char *dae_version(void);

/** Bytes of the public struct of this name ("dae_error") in the library that is linked, 0: there is
 * none. Bindings to other languages, which mirror structs, compare. */
size_t dae_struct_size(const char *name);

#ifdef __cplusplus
}
#endif
#endif
