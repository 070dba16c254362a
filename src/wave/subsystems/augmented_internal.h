/* The inside of a member, shared by its files.
 *
 * The part and its joints are evaluated as elements. What the joints do to the part is found in
 * steps: the point of each joint, its Jacobian, the forces of those whose lambda is an input, the
 * balance of forces with those that are eliminated. */
#ifndef DAEDAL_WAVE_SUBSYSTEMS_MEMBER_PARTS_H
#define DAEDAL_WAVE_SUBSYSTEMS_MEMBER_PARTS_H

#include "linalg/solver.h"
#include "problem/coupled/element.h"
#include "problem/coupled/scatter.h"
#include "wave/subsystems/augmented.h"
#include "wave/subsystems/forward.h"

/* One joint that touches the part. */
typedef struct dae__attached_joint {
  const dae_joint *joint;
  const char *name;
  int number; /* among the joints of the coupled problem */
  bool eliminated;
  int first;  /* of its inputs: z, z', lambda, z'' */
  int lambda; /* eliminated: first of its multipliers among those of all joints eliminated */
  int *own;   /* nz: coordinate of the part, -1: of another part */
  int count;  /* entries of z that are the part's own: */
  int *coordinate, *entry;

  dae__element e; /* evaluates it, at the point (e.q, e.v) */
  double *a;      /* nz: accelerations of its coordinates */
  double *G, *gamma;
  double *Gts;    /* nz x nz: d(G' lambda)/dz */
  double *gdot_z; /* ng x nz: half of dgamma/dz' */
  double *r_z;    /* ng x nz: d(gamma + G a)/dz */
  double *G_a;    /* scratch of r_z */
  dae__difference d_r;
  double *block; /* scratch: values of one of the pieces below */
  dae_pattern G_block, J_block, J_in_block;
  int *J_in_col;
} dae__attached_joint;

/* What is wanted of a joint at its point; with lambda, derivatives too. */
typedef struct dae__attached_joint_wanted {
  bool G, gamma;
  const double *lambda;
} dae__attached_joint_wanted;

/* The balance of forces with the part's own constraints and the joints it eliminates,
 *
 *   [ M  A' ] [ v' ]   [ f ]
 *   [ A  0  ] [ y  ] = [ b ],   A = [G_own; K; G_z,own of the joints eliminated]. */
typedef struct dae__kkt {
  int nq, nc, rows; /* coordinates, own constraints, rows of A */
  dae_pattern A, diagonal, pattern;
  dae__piece *piece; /* of A: G, K, joints */
  dae__block M_at, A_at, At_at, D_at;
  dae__solver *solver;
  bool *active; /* rows: chosen once, dependent own rows are taken out */
  bool picked, factored;
  int dependent;
  double *M, *G, *K, *A_values, *D, *values, *last;
  double *v_dot, *y;    /* the solution: accelerations, multipliers */
  double *top, *bottom; /* a column of derivatives */
  double *x;            /* scratch: both in one piece */
} dae__kkt;

/* dc/dw of a mechanical part, or dF/dy of a semi-explicit one. */
typedef struct dae__algebraic_block {
  int n, first_row, first_col;
  dae_pattern pattern;
  int *entry; /* entry of J for each entry of the pattern */
  double *values;
  dae__solver *solver;
} dae__algebraic_block;

/* D of a semi-explicit part, see augmented_limit.c. */
typedef struct dae__limit {
  dae__semi_matrix matrix;
  dae__solver *solver, *mass; /* of E/h - J; of M, NULL: identity */
  double *M, *column;
  double *X[4]; /* n x inputs: at h, -h, 2h, -2h */
  double *value[2], *pole[2];
} dae__limit;

struct dae__augmented {
  dae__forward forward; /* to the part */
  dae__arena *arena;    /* its own */
  const dae_coupled *coupled;
  const dae_part *given;
  dae__element part;
  int joints, inputs;
  dae__attached_joint *joint;
  int eliminated; /* multipliers of joints that are eliminated */
  bool lagged;
  dae__lock *const *locks;

  dae_problem problem;
  dae_mechanical mechanical; /* with joints */
  dae__kkt kkt;              /* of mechanical parts */
  dae__algebraic_block algebraic;
  dae__limit limit;

  /* J and J_in of a mechanical problem with joints */
  dae_pattern J, J_in;
  dae__piece *J_piece,
      *J_in_piece; /* the part's own, each joint's, that of the joints eliminated */
  dae_pattern J_carried, J_in_carried;
  int *touched, touched_count; /* coordinates in joints that are eliminated */
  int *range;                  /* 0, 1, 2, ... */
  double *J_values, *J_user_values, *J_in_values, *carried_values;
  double *f, *p_rate, *dw;
  bool *asked; /* of each variable: an answer */
};

/* ---- augmented_joint.c ---- */

dae_status dae__attached_joint_create(dae__augmented *m, int number, bool eliminated,
                                      dae__attached_joint *h, dae_error *err);
/* Inputs of the part; points of all joints, G there, and gamma of those that are eliminated. */
dae_status dae__augmented_point(dae__augmented *m, const dae_mechanical_at *at, dae_error *err);
/* Derivatives of all joints there, with the multipliers and accelerations of the balance. */
dae_status dae__augmented_derivatives(dae__augmented *m, const dae_mechanical_at *at,
                                      dae_error *err);
/* f -= G_z' lambda of the joints that are not eliminated, lambda among the inputs; and of those
 * that are, y being the multipliers of the balance, or a column of their derivatives. */
void dae__augmented_input_forces(const dae__augmented *m, const double *in, double *f);
void dae__augmented_carried_forces(const dae__augmented *m, const double *y, double *f);
/* Adds to (top, bottom) what the joints contribute to a column of derivatives: with respect to
 * entry j of z = (q, v, u, w), and with respect to input j. */
void dae__augmented_column_z(const dae__augmented *m, int j, double *top, double *bottom);
void dae__augmented_column_in(const dae__augmented *m, int j, double *top, double *bottom);
/* ---- augmented_balance.c ---- */

dae_status dae__kkt_create(dae__augmented *m, dae_error *err);
/* v' and y at a point whose joints have been evaluated; f has the forces of joints that are not
 * eliminated. */
dae_status dae__kkt_solve(dae__augmented *m, const dae_mechanical_at *at, const double *f,
                          dae_error *err);
/* (top, bottom) = [M A'; A 0] \ (top, bottom), as factored by dae__kkt_solve */
void dae__kkt_column(dae__kkt *b);

/* ---- augmented_problem.c ---- */

/* The description of a mechanical part with joints. */
dae_status dae__augmented_describe(dae__augmented *m, dae_error *err);

/* ---- augmented_limit.c ---- */

dae_status dae__limit_create(dae__augmented *m, dae_error *err);
/* Derivatives of all variables with respect to all inputs, *out: n x inputs. asked[i]: variable i
 * is asked for, and its limit must be finite. */
dae_status dae__limit_feedthrough(dae__augmented *m, double t, const double *y, const bool *asked,
                                  const double **out, dae_error *err);

/* ---- augmented_answer.c ---- */

dae_status dae__algebraic_block_create(dae__augmented *m, int n, int first_row, int first_col,
                                       dae_error *err);
/* From the values of J; DAE_ERROR_SINGULAR without a message. */
dae_status dae__algebraic_block_factor(dae__algebraic_block *inner, const double *J);

#endif
