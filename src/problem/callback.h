/* What the return value of a user's callback means: 0 success, > 0 the point is refused, < 0
 * failure. */
#ifndef DAEDAL_PROBLEM_CALLBACK_H
#define DAEDAL_PROBLEM_CALLBACK_H

#include <daedal/status.h>

/* why (may be NULL, or say nothing) is what the callback itself has to say. */
dae_status dae__callback_status(const dae_error *why, int code, const char *callback, double t,
                                dae_error *err);

#endif
