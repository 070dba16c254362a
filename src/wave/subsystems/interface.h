/* The interface of coupled subsystems: their outputs and the multipliers of joints are the unknowns
 * of the iteration, and inputs are unknowns.
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

/* A joint whose multipliers are unknowns of their own. */
typedef struct dae__link_joint {
  dae__element element; /* the joint as a mechanical problem without mass */
  int ng, nz;
  int first;                        /* its first multiplier among the unknowns */
  int *z, *zdot, *zddot;            /* unknowns that are its coordinates, rates, accelerations */
  int *system;                      /* subsystem of each coordinate */
  double *at, *rate, *acceleration; /* scratch: nz each */
  double *G, *gamma;                /* ng x nz, ng */
} dae__link_joint;

typedef struct dae__interface {
  int systems;
  const dae_subsystem **sub;
  int *first;       /* first unknown of each subsystem; then that of the multipliers */
  int *first_input; /* begin of the inputs of each subsystem in source; then their number */
  int *source;      /* unknown of each input, -1: always zero */
  int *age;         /* iterate of each input, 1: z or zhat of this sweep; NULL: all 1 */
  int *first_D;     /* begin of the feedthrough matrix of each subsystem; then their total size */
  int unknowns;
  int *owner; /* subsystem of each unknown; of multipliers: systems */
  bool *direct;
  bool *in_end_norm; /* unknowns that are neither rates nor accelerations: [WHM11 (10)] */
  const char **name;
  bool has_feedthrough; /* every subsystem with direct outputs gives its D */

  int joints, multipliers;
  dae__link_joint *joint;

  /* the loop of direct unknowns */
  int directs;
  int *direct_of;  /* number of each unknown among the direct ones, -1: not direct */
  int *unknown_of; /* unknown of each direct one */
  dae_pattern G;
  dae__piece *piece;  /* one for each subsystem, then the diagonal, then the joints */
  int **piece_input;  /* inputs of each subsystem that are columns: direct unknowns */
  int **piece_output; /* outputs of each subsystem that are rows */
  double *block;      /* scratch: values of one piece */
} dae__interface;

/* Loop and pattern of G, from sub, first, source, direct and the joints. */
dae_status dae__interface_complete(dae__arena *arena, dae__interface *f, dae_error *err);

/* "A, C, B": the subsystems by name. */
void dae__order_names(const dae__interface *f, const int *order, char *text, size_t size);

/* Inputs of subsystem p out of the unknowns z. */
void dae__interface_inputs(const dae__interface *f, int p, const double *z, double *in);

/* Values of G at one time: feedthrough matrices of all subsystems, unknowns z. */
dae_status dae__interface_matrix(dae__interface *f, double t, const double *feedthrough,
                                 const double *z, double *G, dae_error *err);

/* Residual r = J z'' + gamma of all joints at z, and J of each of them in joint[i].G. */
dae_status dae__interface_residual(dae__interface *f, double t, const double *z, double *r,
                                   dae_error *err);

#endif
