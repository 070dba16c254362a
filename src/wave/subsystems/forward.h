/* A problem derived from another one, the base, to which it forwards most callbacks. */
#ifndef DAEDAL_WAVE_SUBSYSTEMS_FORWARD_H
#define DAEDAL_WAVE_SUBSYSTEMS_FORWARD_H

#include <daedal/problem.h>

/* Forwarding of callbacks to a base; first member of the struct that `user` of the derived problem
 * points to. */
typedef struct dae__forward dae__forward;
struct dae__forward {
  const dae_mechanical *to;
  const dae_semi_explicit *to_semi; /* semi-explicit base */
  const char *name;                 /* name of the system in messages */
  const dae_error *why;             /* error details of the callbacks, or NULL */
  dae_error last;                   /* error of the last callback that failed */
  /* inputs of the base at a point; NULL: the first inputs of the derived problem */
  const double *(*inputs)(dae__forward *forward, const dae_mechanical_at *at);
};

/* Replaces all callbacks except J, J_in and eval by forwarding ones. */
void dae__forward_mechanical(dae_mechanical *p);
/* Replaces all callbacks except J and J_in by forwarding ones. */
void dae__forward_semi(dae_semi_explicit *p);

/* Defines a callback of a semi-explicit problem by that of a mechanical one with u = x and w = y.
 */
#define DAE__SEMI_CALLBACK(name, mechanical)                                                       \
  static int name(void *user, const dae_semi_explicit_at *at, double *out)                         \
  {                                                                                                \
    dae_mechanical_at point = {.t = at->t, .u = at->x, .w = at->y, .in = at->in};                  \
    return mechanical(user, &point, out);                                                          \
  }

/* Records the error of a forwarded callback with return code `code`; returns code. */
int dae__forward_result(dae__forward *forward, int code, const char *callback, double t);

/* Adds the name of the system or joint to the message of a failed evaluation; returns status. */
dae_status dae__forward_diagnose(const char *name, dae_status status, dae_error *err);

/* Return code of a callback for a status: 0 success, 1 point refused, -1 failure. */
int dae__forward_code(dae_status status);

#endif
