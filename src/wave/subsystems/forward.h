/* A mechanical problem derived from another one, to which it forwards most callbacks. */
#ifndef DAEDAL_WAVE_SUBSYSTEMS_FORWARD_H
#define DAEDAL_WAVE_SUBSYSTEMS_FORWARD_H

#include <daedal/problem.h>

/* First member of the struct that `user` of a derived problem points to. */
typedef struct dae__forward {
  const dae_mechanical *to;
  const char *name;     /* of the system, for messages */
  const dae_error *why; /* error details of its callbacks, or NULL */
  dae_error last;       /* error of the last callback that failed */
} dae__forward;

/* Replaces all callbacks that do not depend on inputs by forwarding ones: M, p, g, k, their
 * derivatives. */
void dae__forward_callbacks(dae_mechanical *p);

/* Records the error of a forwarded callback; returns code. */
int dae__forward_result(dae__forward *forward, int code, const char *callback, double t);

/* Adds the name of the system or the joint to the message of a failed evaluation. */
dae_status dae__forward_diagnose(const char *name, dae_status status, dae_error *err);

/* Return code of a callback: 0, 1 to refuse the point, -1 to fail. */
int dae__forward_code(dae_status status);

#endif
