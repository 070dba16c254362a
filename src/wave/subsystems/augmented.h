/* A part as a member of a coupling: its own problem, into which the joints enter as forces.
 *
 *   M v' + G_own' lambda_own + K' psi = f(t,q,v,u,w,in) - sum over its joints of G_z' lambda
 *
 * The member has further inputs after those of the part: for each joint that touches the part, in
 * the order of the joints, z (nz), z' (nz), lambda (ng), z'' (nz), where z lists all coordinates of
 * the joint. Of z those that are the part's own are taken from its own state, unless `lagged`.
 *
 * A joint may be eliminated by the member: lambda is then not an input but eliminated [WHM11
 * (63)-(71)] from
 *
 *   M v' + G_own' lambda_own + K' psi + G_z' lambda = f,   G_own v' = -gamma_own,  K v' = -kappa,
 *   G_z,own v' = -gamma - G_z,others z''_others
 *
 * at every evaluation of forces. Semi-explicit parts have no joints. */
#ifndef DAEDAL_WAVE_SUBSYSTEMS_MEMBER_H
#define DAEDAL_WAVE_SUBSYSTEMS_MEMBER_H

#include "core/arena.h"
#include "wave/iteration/workers.h"
#include <daedal/problem.h>

typedef struct dae__augmented dae__augmented;

/* What a member is asked for. */
typedef enum dae__output_kind {
  DAE__OUTPUT_VARIABLE,     /* entry `index` of its state vector */
  DAE__OUTPUT_ACCELERATION, /* of coordinate `index` */
  DAE__OUTPUT_MULTIPLIER    /* lambda number `index` among those of all joints it eliminates */
} dae__output_kind;

typedef struct dae__output {
  dae__output_kind kind;
  int index;
} dae__output;

typedef struct dae__augmented_options {
  const bool *eliminated;  /* of each joint of the coupled problem: it eliminates it; NULL: none */
  bool lagged;             /* z of the joints from the inputs throughout */
  dae__lock *const *locks; /* one for each joint of the coupled problem; NULL: one thread */
  const dae_error *why;    /* of the coupled problem, see dae_problem */
} dae__augmented_options;

/* The coupled problem must outlive the member, which must stay where it is; nothing of it is kept
 * in the arena. Derivatives are those of the part and its joints, exact where they gave them; with
 * a eliminated joint J leaves out how the elimination depends on M and on the part's own
 * constraints. Joints may be shared with members of other threads: their callbacks are called by
 * one at a time. Memory is taken at create, and once more when own constraints are examined at the
 * first point. */
dae_status dae__augmented_create(dae__arena *arena, const dae_coupled *coupled, int part,
                                 const dae__augmented_options *opts, dae__augmented **out,
                                 dae_error *err);
void dae__augmented_free(dae__augmented *m); /* what is not in the arena; NULL is allowed */

/* The problem without `input` and `input_user`, which are the caller's to fill in; it belongs to
 * one thread. */
const dae_problem *dae__augmented_problem(const dae__augmented *m);
int dae__augmented_inputs(const dae__augmented *m); /* the part's own first, then those of joints */

/* Where the inputs of a joint begin, -1: it does not touch the part. */
int dae__augmented_joint_inputs(const dae__augmented *m, int joint);

/* Answers at the state y (state vector of the part) and the inputs in: variables as y has them,
 * accelerations and multipliers of joints as they follow; and unless D is NULL their derivatives
 * with respect to the inputs at the same time, count x inputs by columns:
 *
 *   D = lim_{h -> 0} C (E/h - J)^-1 J_in,   E = diag(M, 0)   for variables,
 *
 * zero for coordinates, velocities and states, -c_w^-1 c_in for algebraic variables of index 1; for
 * accelerations and multipliers from the saddle matrix, with w varying. Fails with
 * DAE_ERROR_UNSUPPORTED naming the variable where the limit is not finite (an input enters a
 * constraint of index 2), DAE_ERROR_SINGULAR naming the equation where the part itself is singular.
 */
dae_status dae__augmented_outputs(dae__augmented *m, double t, const double *y, const double *in,
                                  int count, const dae__output *outputs, double *value, double *D,
                                  dae_error *err);

#endif
