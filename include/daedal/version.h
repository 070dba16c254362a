/** @file
 * The version of the library. The build reads it from here. */
#ifndef DAEDAL_VERSION_H
#define DAEDAL_VERSION_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DAE_VERSION_MAJOR 0 /**< of this header */
#define DAE_VERSION_MINOR 2 /**< of this header */
#define DAE_VERSION_PATCH 0 /**< of this header */

/** Marks a name that the next minor version removes, and names its successor; see
 * docs/compatibility.md. Compilers that can warn where it is used. */
#if defined(__GNUC__)
#define DAE_DEPRECATED(successor) __attribute__((deprecated("use " successor)))
#else
#define DAE_DEPRECATED(successor)
#endif

/** "0.2.0", of the library that is linked; the macros are those of the header. */
const char *dae_version(void);
/** Compiler, its flags and the numerical libraries: other builds may give other last bits. */
const char *dae_build(void);

/** Bytes of the public struct of this name ("dae_error") in the library that is linked, 0: there is
 * none. Bindings to other languages, which mirror structs, compare. */
size_t dae_struct_size(const char *name);

#ifdef __cplusplus
}
#endif
#endif
