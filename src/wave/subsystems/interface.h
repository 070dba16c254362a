/* The interface of coupled subsystems: their outputs and the multipliers of joints are the unknowns
 * of the iteration, and every input is one of the unknowns, or zero.
 *
 *   z_i = Phi_i(inputs of its subsystem),   0 = J(t,z) z'' + gamma(t,z,z')  for each joint
 *
 * Direct unknowns have direct feedthrough: they depend on inputs at the same time. D are the
 * feedthrough matrices of the subsystems. Linearised at one time, the direct unknowns satisfy
 *
 *   G dz = 0,   G = [1 - D L, -D_lambda; J, 0]
 *
 * with L selecting inputs out of unknowns and J the joints' derivative with respect to z''. */
#ifndef DAEDAL_WAVE_SUBSYSTEMS_INTERFACE_H
#define DAEDAL_WAVE_SUBSYSTEMS_INTERFACE_H

#include "problem/coupled/element.h"
#include "problem/coupled/scatter.h"
#include "wave/subsystems/child.h"

/* A joint whose multipliers are unknowns of the iteration, not eliminated in a system. */
typedef struct dae__link_joint {
  dae__element element; /* the joint as a mechanical problem without mass */
  int ng, nz;
  int first;                        /* index of its first multiplier among the unknowns */
  int *z, *zdot, *zddot;            /* indices of its coordinates, rates, accelerations */
  int *system;                      /* subsystem that each coordinate belongs to */
  double *at, *rate, *acceleration; /* scratch: z, z', z'', nz entries each */
  double *G, *gamma;                /* J, ng x nz, and gamma, ng */
} dae__link_joint;

typedef struct dae__interface {
  int systems;
  const dae_subsystem **sub;
  int *first;       /* first unknown of each subsystem; at the end that of the multipliers */
  int *first_input; /* begin in `source` of each subsystem's inputs; at the end their number */
  int *source;      /* unknown that each input is, -1: input always zero */
  int *age;         /* age of each input's iterate, 1: z or zhat of this sweep */
  int *first_D;     /* begin of each subsystem's feedthrough matrix; at the end the total size */
  int unknowns;
  int *owner; /* subsystem of each unknown; `systems` for multipliers */
  bool *direct;
  bool *in_end_norm; /* marks unknowns that are neither rates nor accelerations [WHM11 (10)] */
  const char **name;
  int *entry;           /* entry of the state vector that each unknown belongs to, -1: none */
  bool has_feedthrough; /* whether all subsystems with direct outputs provide D */

  int joints, multipliers;
  dae__link_joint *joint;

  /* linear system G of the unknowns with direct feedthrough */
  int directs;
  int *direct_of;  /* index of each unknown among the direct ones, -1: not direct */
  int *unknown_of; /* unknown of each direct index: inverse of direct_of */
  dae_pattern G;
  dae__piece *piece;  /* pieces of G: each subsystem, the diagonal, each joint */
  int **piece_input;  /* input of each column in the piece of a subsystem */
  int **piece_output; /* output of each row in the piece of a subsystem */
  double *block;      /* scratch: values of one piece of G */
} dae__interface;

/* Numbers unknowns and inputs of the subsystems f->sub, with multipliers of joints as the last
 * unknowns, and allocates what describes them; inputs have no source yet. */
dae_status dae__interface_alloc(dae__arena *arena, dae__interface *f, int systems, int multipliers,
                                dae_error *err);
/* Completes an interface with source, owner, direct and joints set: direct unknowns and the pattern
 * of G. */
dae_status dae__interface_complete(dae__arena *arena, dae__interface *f, dae_error *err);

/* Names of the subsystems in the given order, as "A, C, B". */
void dae__order_names(const dae__interface *f, const int *order, char *text, size_t size);

/* Selects the inputs of subsystem p from the unknowns z. */
void dae__interface_inputs(const dae__interface *f, int p, const double *z, double *in);

/* Values of G at time t, from the feedthrough matrices of all subsystems and the unknowns z. */
dae_status dae__interface_matrix(dae__interface *f, double t, const double *feedthrough,
                                 const double *z, double *G, dae_error *err);

/* Residual r = J z'' + gamma of all joints at the unknowns z; J of joint i in joint[i].G. */
dae_status dae__interface_residual(dae__interface *f, double t, const double *z, double *r,
                                   dae_error *err);

#endif
