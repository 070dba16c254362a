/* A mechanical problem derived from another one, to which it forwards most callbacks. */
#ifndef DAEDAL_WAVE_SUBSYSTEMS_FORWARD_H
#define DAEDAL_WAVE_SUBSYSTEMS_FORWARD_H

#include <daedal/problem.h>

/* Forwarding of callbacks to another problem; first member of the struct that `user` of the derived
 * problem points to. */
typedef struct dae__forward {
  const dae_mechanical *to;
  const char *name;     /* name of the system in messages */
  const dae_error *why; /* error details of the callbacks, or NULL */
  dae_error last;       /* error of the last callback that failed */
} dae__forward;

/* Replaces the callbacks that do not depend on inputs, M, p, g, k and their derivatives, by
 * forwarding ones. */
void dae__forward_callbacks(dae_mechanical *p);

/* Records the error of a forwarded callback with return code `code`; returns code. */
int dae__forward_result(dae__forward *forward, int code, const char *callback, double t);

/* Adds the name of the system or joint to the message of a failed evaluation; returns status. */
dae_status dae__forward_diagnose(const char *name, dae_status status, dae_error *err);

/* Return code of a callback for a status: 0 success, 1 point refused, -1 failure. */
int dae__forward_code(dae_status status);

#endif
