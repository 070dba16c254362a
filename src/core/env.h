/* The surroundings as the library uses them. */
#ifndef DAEDAL_CORE_ENV_H
#define DAEDAL_CORE_ENV_H

#include <daedal/env.h>

/* A copy that can be called without asking: NULL, or an env without both memory functions, gets
 * malloc and free. */
dae_env dae__env_of(const dae_env *env);

#endif
