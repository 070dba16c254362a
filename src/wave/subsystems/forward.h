/* A mechanical problem made from another one, of which it passes most callbacks on. */
#ifndef DAEDAL_WAVE_SUBSYSTEMS_PASS_H
#define DAEDAL_WAVE_SUBSYSTEMS_PASS_H

#include <daedal/problem.h>

/* What `user` of such a problem points to begins with this. */
typedef struct dae__forward {
  const dae_mechanical *to;
  const char *name;     /* of the part, for messages */
  const dae_error *why; /* where its callbacks say more, or NULL */
  dae_error last;       /* what the last one that failed had to say */
} dae__forward;

/* Everything that does not depend on inputs: M, p, g, k, their derivatives. */
void dae__forward_callbacks(dae_mechanical *p);

/* Keeps what a callback of the part had to say; returns code. */
int dae__forward_result(dae__forward *pass, int code, const char *callback, double t);

/* Names the part or the joint in what an evaluation of it said. */
dae_status dae__forward_diagnose(const char *name, dae_status status, dae_error *err);

/* What a callback returns: 0, 1 to refuse the point, -1. */
int dae__forward_code(dae_status status);

#endif
