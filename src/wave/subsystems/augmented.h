/* The augmented system: the problem of one system of a coupled problem, with the joints as forces
 * and the variables of other systems as inputs.
 *
 *   M v' + G_own' lambda_own + K' psi = f(t,q,v,u,w,in) - sum over its joints of G_z' lambda
 *
 * It has further inputs after those of the system: for each joint attached to the system, in the
 * order of the joints, z (nz), z' (nz), lambda (ng), z'' (nz), where z lists all coordinates of the
 * joint. The system's own coordinates in z are taken from its state, unless `lagged`.
 *
 * A joint may be eliminated in the system: lambda is then not an input but follows [WHM11
 * (63)-(71)] from
 *
 *   M v' + G_own' lambda_own + K' psi + G_z' lambda = f,   G_own v' = -gamma_own,  K v' = -kappa,
 *   G_z,own v' = -gamma - G_z,others z''_others
 *
 * at every evaluation of forces. Semi-explicit systems have no joints. */
#ifndef DAEDAL_WAVE_SUBSYSTEMS_AUGMENTED_H
#define DAEDAL_WAVE_SUBSYSTEMS_AUGMENTED_H

#include "core/arena.h"
#include "wave/iteration/workers.h"
#include <daedal/problem.h>

typedef struct dae__augmented dae__augmented;

typedef enum dae__output_kind {
  DAE__OUTPUT_VARIABLE,     /* entry `index` of the state vector */
  DAE__OUTPUT_ACCELERATION, /* acceleration of coordinate `index` */
  DAE__OUTPUT_MULTIPLIER    /* multiplier `index` among those of all eliminated joints */
} dae__output_kind;

typedef struct dae__output {
  dae__output_kind kind;
  int index;
} dae__output;

typedef struct dae__augmented_options {
  const bool *eliminated;  /* marks joints to be eliminated in the system; NULL: none */
  bool lagged;             /* all coordinates z of joints from the inputs, own ones too */
  dae__lock *const *locks; /* lock for each joint of the coupled problem; NULL: one thread */
  const dae_error *why;    /* error details of the coupled problem, see dae_problem */
} dae__augmented_options;

/* Creates the augmented system of one system of a coupled problem, which must outlive it. It must
 * stay at its address and saves nothing in the arena. Its derivatives are those of the system and
 * its joints, exact where these are exact; with an eliminated joint J omits the derivatives of the
 * elimination by M and by the system's own constraints. Joints may be shared with systems in other
 * threads: their callbacks are called by one thread at a time. Memory is allocated at creation, and
 * once more when own constraints are examined at the first point. */
dae_status dae__augmented_create(dae__arena *arena, const dae_coupled *coupled, int system,
                                 const dae__augmented_options *opts, dae__augmented **out,
                                 dae_error *err);
/* Releases the memory outside the arena; NULL is allowed. */
void dae__augmented_free(dae__augmented *m);

/* Problem of the augmented system, for one thread; the caller sets `input` and `input_user`. */
const dae_problem *dae__augmented_problem(const dae__augmented *m);
/* Number of inputs: those of the system, followed by those of its joints. */
int dae__augmented_inputs(const dae__augmented *m);

/* Index of the first input of a joint; -1: the joint is not attached to the system. */
int dae__augmented_joint_inputs(const dae__augmented *m, int joint);

/* Outputs at the state y (state vector of the system) and the inputs in: variables from y,
 * accelerations and multipliers of joints from the KKT system; and unless D is NULL the feedthrough
 * matrix, their derivatives with respect to the inputs at the same time, count x inputs by columns:
 *
 *   D = lim_{h -> 0} C (E/h - J)^-1 J_in,   E = diag(M, 0)   for variables,
 *
 * zero for coordinates, velocities and states, -c_w^-1 c_in for algebraic variables of index 1; for
 * accelerations and multipliers from the KKT matrix, with w varying. Fails with
 * DAE_ERROR_UNSUPPORTED naming the variable where the limit is not finite (an input enters a
 * constraint of index 2), DAE_ERROR_SINGULAR naming the equation where the system itself is
 * singular. */
dae_status dae__augmented_outputs(dae__augmented *m, double t, const double *y, const double *in,
                                  int count, const dae__output *outputs, double *value, double *D,
                                  dae_error *err);

#endif
