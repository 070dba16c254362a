/** @file
 * The version of the library. The build reads it from here. */
#ifndef DAEDAL_VERSION_H
#define DAEDAL_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#define DAE_VERSION_MAJOR 0 /**< of this header */
#define DAE_VERSION_MINOR 1 /**< of this header */
#define DAE_VERSION_PATCH 0 /**< of this header */

/** "0.1.0", of the library that is linked; the macros are those of the header. */
const char *dae_version(void);

#ifdef __cplusplus
}
#endif
#endif
