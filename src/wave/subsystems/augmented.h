/* The augmented system: the problem of one system of a coupled problem, with the joints as forces
 * and the variables of other systems as inputs.
 *
 *   M v' + G_own' lambda_own + K' psi = f(t,q,v,u,w,in) - sum over its joints of G_z' lambda
 *
 * It has further inputs after those of the system: for each joint attached to the system, in the
 * order of the joints, z (nz), z' (nz), lambda (ng), z'' (nz), where z lists all coordinates of the
 * joint. The system's own coordinates in z are taken from its state.
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

#include "linalg/solver.h"
#include "problem/coupled/element.h"
#include "problem/coupled/scatter.h"
#include "wave/iteration/workers.h"
#include "wave/subsystems/forward.h"

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
  /* system in which each joint of the coupled problem is eliminated, -1: in none; NULL: all so */
  const int *eliminated_in;
  dae__lock *const *locks; /* lock for each joint of the coupled problem; NULL: one thread */
  const dae_error *why;    /* error details of the coupled problem, see dae_problem */
} dae__augmented_options;

/* A joint attached to the system. */
typedef struct dae__attached_joint {
  const dae_joint *joint;
  const char *name;
  int number; /* index among the joints of the coupled problem */
  bool eliminated;
  int first;               /* first of the joint's inputs z, z', lambda, z'' */
  int lambda;              /* index of its first multiplier among those of all eliminated joints */
  int *own;                /* coordinate of the system for each entry of z, -1: of another system */
  int count;               /* number of entries of z that belong to the system */
  int *coordinate, *entry; /* coordinate and entry of z for each of these */

  dae__element e; /* evaluation of the joint at (e.q, e.v) = (z, z') */
  double *a;      /* accelerations z'' */
  double *G, *gamma;
  double *Gts;    /* d(G' lambda)/dz, nz x nz */
  double *gdot_z; /* half of dgamma/dz', ng x nz */
  double *r_z;    /* d(gamma + G a)/dz, ng x nz */
  double *G_a;    /* scratch for r_z, ng x nz */
  dae__difference d_r;
  double *block; /* scratch: values of G_block, J_block or J_in_block */
  dae_pattern G_block, J_block, J_in_block;
  int *J_in_col;
} dae__attached_joint;

/* The KKT system with the system's own constraints and the eliminated joints,
 *
 *   [ M  A' ] [ v' ]   [ f ]
 *   [ A  0  ] [ y  ] = [ b ],   A = [G_own; K; G_z,own of the eliminated joints]. */
typedef struct dae__kkt {
  int nq, nc, rows; /* numbers of coordinates, of own constraints, and of rows of A */
  dae_pattern A, diagonal, pattern;
  dae__piece *piece;   /* pieces of A: G, K, and G_z of each eliminated joint */
  dae__block block[4]; /* blocks M, A, A', D of the matrix, D the diagonal of dropped rows */
  dae__solver *solver;
  bool *active; /* marks independent rows of A */
  bool picked, factored;
  int dependent; /* number of dependent rows of A */
  double *M, *G, *K, *A_values, *D, *values, *last;
  double *v_dot, *y;    /* solution: accelerations v' and multipliers y */
  double *top, *bottom; /* derivatives of (f, b), or of (v', y), for one column */
  double *x;            /* scratch: both parts of a solution in one vector */
} dae__kkt;

/* Feedthrough matrix D of a semi-explicit system as a limit, see augmented_limit.c. */
typedef struct dae__limit {
  dae__semi_matrix matrix;
  dae__solver *solver, *mass; /* factors of E/h - J, and of M (NULL: identity) */
  double *M, *column;
  double *X[4]; /* X at h, -h, 2h and -2h, n x inputs each */
  double *value[2], *pole[2];
} dae__limit;

typedef struct dae__augmented {
  dae__forward forward; /* callbacks of the system without joints */
  dae__arena *arena;    /* arena of the augmented system itself */
  const dae_coupled *coupled;
  const dae_part *part;
  dae__element element; /* evaluation of the system without joints */
  int joints;
  int inputs; /* number of inputs: those of the system, followed by those of its joints */
  dae__attached_joint *joint;
  int eliminated; /* number of multipliers of eliminated joints */
  dae__lock *const *locks;

  dae_problem problem;       /* for one thread; the caller sets `input` and `input_user` */
  dae_mechanical mechanical; /* the system with its joints as forces */
  dae__kkt kkt;              /* KKT system of a mechanical system */
  /* last block of J: dc/dw of a mechanical system, or dF/dy of a semi-explicit one */
  dae__block_solver algebraic;
  dae__limit limit;

  /* matrices J and J_in of a mechanical system with joints */
  dae_pattern J, J_in;
  /* pieces of J and J_in: of the system, of each joint, and of the eliminated forces */
  dae__piece *J_piece, *J_in_piece;
  dae_pattern J_eliminated, J_in_eliminated;
  int *touched, touched_count; /* coordinates that occur in eliminated joints */
  int *range;                  /* the integers 0, 1, 2, ... */
  double *J_values, *J_user_values, *J_in_values, *eliminated_values;
  double *f, *p_rate, *dw;
  bool *wanted; /* marks variables that are outputs */
} dae__augmented;

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

/* The following functions are shared by the files of an augmented system. Forces of the joints are
 * computed in steps: point of each joint, Jacobian of each joint, forces of joints whose lambda is
 * an input, KKT system with the eliminated joints. */

/* ---- augmented_joint.c ---- */

dae_status dae__attached_joint_create(dae__augmented *m, int number, bool eliminated,
                                      dae__attached_joint *h, dae_error *err);
/* Sets the inputs of the system and the points of all joints; evaluates G of all joints, and gamma
 * of eliminated ones. */
dae_status dae__augmented_point(dae__augmented *m, const dae_mechanical_at *at, dae_error *err);
/* Evaluates the derivatives of all joints at the current point, with the multipliers and
 * accelerations of the KKT system. */
dae_status dae__augmented_derivatives(dae__augmented *m, const dae_mechanical_at *at,
                                      dae_error *err);
/* Subtracts G_z' lambda of the joints that are not eliminated from f; lambda from the inputs. */
void dae__augmented_input_forces(const dae__augmented *m, const double *in, double *f);
/* Subtracts G_z' lambda of the eliminated joints from f; y are the multipliers of the KKT system,
 * or a column of their derivatives. */
void dae__augmented_eliminated_forces(const dae__augmented *m, const double *y, double *f);
/* Adds the contribution of the joints to a column (top, bottom) of derivatives with respect to
 * entry j of z = (q, v, u, w), or to input j. */
void dae__augmented_column_z(const dae__augmented *m, int j, double *top, double *bottom);
void dae__augmented_column_in(const dae__augmented *m, int j, double *top, double *bottom);

/* ---- augmented_kkt.c ---- */

dae_status dae__kkt_create(dae__augmented *m, dae_error *err);
/* Solves the KKT system for v' and y at a point whose joints have been evaluated; f includes the
 * forces of joints that are not eliminated. */
dae_status dae__kkt_accelerate(dae__augmented *m, const dae_mechanical_at *at, const double *f,
                               dae_error *err);
/* Solves (x, y) = [M A'; A 0] \ (x, y) with the factors of the last dae__kkt_accelerate. */
void dae__kkt_solve(dae__kkt *b, double *x, double *y);

/* ---- augmented_problem.c ---- */

/* Describes the problem of a mechanical system with joints: callbacks and patterns. */
dae_status dae__augmented_describe(dae__augmented *m, dae_error *err);
/* Accelerations and multipliers of the KKT system at a point set by dae__augmented_point. */
dae_status dae__augmented_accelerate(dae__augmented *m, const dae_mechanical_at *at,
                                     dae_error *err);

/* ---- augmented_limit.c ---- */

dae_status dae__limit_create(dae__augmented *m, dae_error *err);
/* Limits of the derivatives of all variables with respect to all inputs, *out: n x inputs. Limits
 * of wanted variables must be finite. */
dae_status dae__limit_feedthrough(dae__augmented *m, double t, const double *y, const bool *wanted,
                                  const double **out, dae_error *err);

/* ---- augmented.c ---- */

/* Factors the algebraic block of the values of J; DAE_ERROR_SINGULAR without a message. */
dae_status dae__augmented_factor_algebraic(dae__augmented *m);

#endif
