/* What couples subsystems: their outputs and the multipliers of joints are the unknowns of the
 * iteration, and inputs are unknowns.
 *
 *   z_i = Phi_i(inputs of its subsystem),   0 = G(t,z) z'' + gamma(t,z,z')  for each joint
 *
 * Unknowns that answer at once to changes of the inputs at the same time are called direct; D are
 * their derivatives (gains). Linearised at one time, the direct unknowns obey
 *
 *   G dz = 0,   G = [1 - D L, -D_lambda; J, 0]
 *
 * with L picking inputs out of unknowns and J the joints' derivative with respect to z''. */
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
  int *z, *zdot, *zddot;            /* unknowns its coordinates, rates and accelerations are */
  int *part;                        /* subsystem of each coordinate */
  double *at, *rate, *acceleration; /* scratch: nz each */
  double *G, *gamma;                /* ng x nz, ng */
} dae__link_joint;

typedef struct dae__interface {
  int systems;
  const dae_subsystem **sub;
  int *first;       /* first unknown of each subsystem; then that of the multipliers */
  int *first_input; /* of each subsystem in source; then their number */
  int *source;      /* the unknown that each input is, -1: always zero */
  int *age;         /* of which iterate, NULL: all of what a sweep is given or has computed, 1 */
  int *first_D;     /* of each subsystem in a set of gains; then their number */
  int unknowns;
  int *owner; /* subsystem of each unknown; of multipliers: systems */
  bool *direct;
  bool *steady; /* not a rate or an acceleration */
  const char **name;
  bool has_feedthrough; /* every subsystem with direct outputs gives them */

  int joints, multipliers;
  dae__link_joint *joint;

  /* the loop of direct unknowns */
  int directs;
  int *direct_of;  /* of each unknown, -1: not direct */
  int *unknown_of; /* of each direct unknown */
  dae_pattern G;
  dae__piece *piece; /* one for each subsystem, then the diagonal, then the joints */
  int **piece_input; /* for each subsystem: the inputs that are direct unknowns, and so columns */
  int **piece_output;
  double *block; /* scratch: values of one piece */
} dae__interface;

/* Fills in what follows from sub, first, source, direct and the joints. */
dae_status dae__interface_complete(dae__arena *arena, dae__interface *f, dae_error *err);

/* "A, C, B": the subsystems by name. */
void dae__order_names(const dae__interface *f, const int *order, char *text, size_t size);

/* Inputs of subsystem p out of the unknowns z. */
void dae__interface_inputs(const dae__interface *f, int p, const double *z, double *in);

/* Values of G at one time: gains are those of all subsystems; z the unknowns there. */
dae_status dae__interface_matrix(dae__interface *f, double t, const double *gains, const double *z,
                                 double *G, dae_error *err);

/* Residual r = J z'' + gamma of all joints at z, and J of each of them in joint[i].G. */
dae_status dae__interface_residual(dae__interface *f, double t, const double *z, double *r,
                                   dae_error *err);

#endif
