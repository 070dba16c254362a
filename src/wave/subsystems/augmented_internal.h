/* The state of an augmented system, shared by its files.
 *
 * The system and its joints are evaluated as elements. Forces of the joints are found in steps: the
 * point of each joint, its Jacobian, the forces of joints whose lambda is an input, the KKT system
 * with the eliminated joints. */
#ifndef DAEDAL_WAVE_SUBSYSTEMS_AUGMENTED_INTERNAL_H
#define DAEDAL_WAVE_SUBSYSTEMS_AUGMENTED_INTERNAL_H

#include "linalg/solver.h"
#include "problem/coupled/element.h"
#include "problem/coupled/scatter.h"
#include "wave/subsystems/augmented.h"
#include "wave/subsystems/forward.h"

/* A joint attached to the system. */
typedef struct dae__attached_joint {
  const dae_joint *joint;
  const char *name;
  int number; /* among the joints of the coupled problem */
  bool eliminated;
  int first;  /* input: z, z', lambda, z'' */
  int lambda; /* eliminated: its first multiplier among those of all eliminated joints */
  int *own;   /* nz: coordinate of the system, -1: of another system */
  int count;  /* entries of z that are the system's own */
  int *coordinate, *entry; /* count: coordinate of the system, entry of z */

  dae__element e; /* evaluates it, at the point (e.q, e.v) */
  double *a;      /* nz: accelerations of its coordinates */
  double *G, *gamma;
  double *Gts;    /* nz x nz: d(G' lambda)/dz */
  double *gdot_z; /* ng x nz: half of dgamma/dz' */
  double *r_z;    /* ng x nz: d(gamma + G a)/dz */
  double *G_a;    /* scratch of r_z */
  dae__difference d_r;
  double *block; /* scratch: values of one of the patterns below */
  dae_pattern G_block, J_block, J_in_block;
  int *J_in_col;
} dae__attached_joint;

/* The KKT system with the system's own constraints and the eliminated joints,
 *
 *   [ M  A' ] [ v' ]   [ f ]
 *   [ A  0  ] [ y  ] = [ b ],   A = [G_own; K; G_z,own of the eliminated joints]. */
typedef struct dae__kkt {
  int nq, nc, rows; /* coordinates, own constraints, rows of A */
  dae_pattern A, diagonal, pattern;
  dae__piece *piece; /* of A: G, K, joints */
  dae__block M_at, A_at, At_at, D_at;
  dae__solver *solver;
  bool *active; /* independent rows of A */
  bool picked, factored;
  int dependent; /* number of dependent rows */
  double *M, *G, *K, *A_values, *D, *values, *last;
  double *v_dot, *y;    /* solution: accelerations, multipliers */
  double *top, *bottom; /* a column of derivatives */
  double *x;            /* scratch: top and bottom in one vector */
} dae__kkt;

/* dc/dw of a mechanical system, or dF/dy of a semi-explicit one. */
typedef struct dae__algebraic_block {
  int n, first_row, first_col;
  dae_pattern pattern;
  int *entry; /* entry of J for each entry of the pattern */
  double *values;
  dae__solver *solver;
} dae__algebraic_block;

/* D of a semi-explicit system, see augmented_limit.c. */
typedef struct dae__limit {
  dae__semi_matrix matrix;
  dae__solver *solver, *mass; /* of E/h - J; of M, NULL: identity */
  double *M, *column;
  double *X[4]; /* n x inputs: at h, -h, 2h, -2h */
  double *value[2], *pole[2];
} dae__limit;

struct dae__augmented {
  dae__forward forward; /* to the system */
  dae__arena *arena;    /* its own */
  const dae_coupled *coupled;
  const dae_part *part;
  dae__element element; /* of the system */
  int joints, inputs;
  dae__attached_joint *joint;
  int eliminated; /* number of multipliers of eliminated joints */
  bool lagged;
  dae__lock *const *locks;

  dae_problem problem;
  dae_mechanical mechanical; /* with joints */
  dae__kkt kkt;              /* of mechanical systems */
  dae__algebraic_block algebraic;
  dae__limit limit;

  /* J and J_in of a mechanical problem with joints */
  dae_pattern J, J_in;
  dae__piece *J_piece, *J_in_piece; /* the system's own, each joint's, the elimination's */
  dae_pattern J_eliminated, J_in_eliminated;
  int *touched, touched_count; /* coordinates in eliminated joints */
  int *range;                  /* 0, 1, 2, ... */
  double *J_values, *J_user_values, *J_in_values, *eliminated_values;
  double *f, *p_rate, *dw;
  bool *wanted; /* variables that are outputs */
};

/* ---- augmented_joint.c ---- */

dae_status dae__attached_joint_create(dae__augmented *m, int number, bool eliminated,
                                      dae__attached_joint *h, dae_error *err);
/* Inputs of the system; points of all joints, G there, and gamma of the eliminated ones. */
dae_status dae__augmented_point(dae__augmented *m, const dae_mechanical_at *at, dae_error *err);
/* Derivatives of all joints there, with the multipliers and accelerations of the KKT system. */
dae_status dae__augmented_derivatives(dae__augmented *m, const dae_mechanical_at *at,
                                      dae_error *err);
/* f -= G_z' lambda of the joints that are not eliminated, lambda from the inputs. */
void dae__augmented_input_forces(const dae__augmented *m, const double *in, double *f);
/* f -= G_z' lambda of the eliminated joints, y the multipliers of the KKT system, or a column of
 * their derivatives. */
void dae__augmented_eliminated_forces(const dae__augmented *m, const double *y, double *f);
/* Adds the joints' contribution to a column (top, bottom) of derivatives: with respect to entry j
 * of z = (q, v, u, w), and with respect to input j. */
void dae__augmented_column_z(const dae__augmented *m, int j, double *top, double *bottom);
void dae__augmented_column_in(const dae__augmented *m, int j, double *top, double *bottom);

/* ---- augmented_kkt.c ---- */

dae_status dae__kkt_create(dae__augmented *m, dae_error *err);
/* v' and y at a point whose joints have been evaluated; f includes the forces of joints that are
 * not eliminated. */
dae_status dae__kkt_accelerate(dae__augmented *m, const dae_mechanical_at *at, const double *f,
                               dae_error *err);
/* (x, y) = [M A'; A 0] \ (x, y), as factored by dae__kkt_accelerate */
void dae__kkt_solve(dae__kkt *b, double *x, double *y);

/* ---- augmented_problem.c ---- */

/* The description of a mechanical system with joints. */
dae_status dae__augmented_describe(dae__augmented *m, dae_error *err);

/* ---- augmented_limit.c ---- */

dae_status dae__limit_create(dae__augmented *m, dae_error *err);
/* Derivatives of all variables with respect to all inputs, *out: n x inputs. The limits of wanted
 * variables must be finite. */
dae_status dae__limit_feedthrough(dae__augmented *m, double t, const double *y, const bool *wanted,
                                  const double **out, dae_error *err);

/* ---- augmented.c ---- */

/* From the values of J; DAE_ERROR_SINGULAR without a message. */
dae_status dae__algebraic_block_factor(dae__algebraic_block *block, const double *J);

#endif
