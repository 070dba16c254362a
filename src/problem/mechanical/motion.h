/* Saddle-point systems of a mechanical problem: projection onto the constraints, accelerations and
 * multipliers, selection of an independent subset of the constraints. */
#ifndef DAEDAL_PROBLEM_MECHANICAL_MOTION_H
#define DAEDAL_PROBLEM_MECHANICAL_MOTION_H

#include "problem/level.h"
#include "problem/mechanical/mech.h"

typedef struct dae__motion_memory {
  /* the fused solution of the last projection held without refinement, so that those of stages are
   * not checked */
  bool unchecked;
  bool factored;    /* the saddle holds a factorisation from some earlier point */
  bool general;     /* the closed form was not accurate at the last projection */
  double fastest;   /* largest velocity at the checks of dependent rows */
  long projections; /* number of states changed by a projection */
  long factorisations;
  double margin;      /* margin of the constraints at recent ends of steps; 0: unknown */
  bool closed_margin; /* it is measured by the pivots of the closed form, in their fixed order */
} dae__motion_memory;

/* The system [M B'; A 0] of accelerations with directions B of the constraint forces of their own.
 */
typedef struct dae__motion_directed {
  dae__block M, A_G, A_K, B, one; /* blocks of its matrix; one: diagonal of masked rows */
  dae_pattern diagonal, pattern;
  dae__solver *solver;
  double *matrix, *solution;
} dae__motion_directed;

typedef struct dae__motion {
  dae__mech *m;
  dae__saddle *saddle;
  dae__motion_directed *directed; /* NULL: the forces act along the gradients [G; K] */
  dae__motion_memory *memory;     /* saved state: flags and counters */
  double *M, *G, *K, *B;          /* values of M, G, K, B at the last point evaluated */
  bool mass_known;                /* M is constant, and that of the last factorisation */
  bool refuse_ends;               /* ends of steps with a small margin are refused */
  double end_margin;              /* margin at the end of the current attempt; 0: unknown */
  bool end_closed;                /* it is measured by the pivots of the closed form */
  double *row_size, *end_size;    /* sizes of rows: largest of recent ends (saved state); current */
  dae_mechanical_wanted want;     /* evaluated quantities of the accelerations, with their memory */
  dae__level position, velocity;  /* q on g; v on (g_t + G v, k), with the same matrix */
  const double *q, *v;            /* point of a projection or start, where it does not move */

  /* fused factor and solve of problems with few rows of [G; K], see dae__saddle_solve_fused */
  bool small;                   /* [G; K] has few rows, but at least one */
  bool contiguous;              /* [G; K] is G or K alone, with a dense pattern */
  bool fast_path;               /* small, contiguous, eval_all, constant M, and no u, w or inputs */
  double *dense_A;              /* dense [G; K] by columns, where G and K are not contiguous */
  int *G_in_dense, *K_in_dense; /* entry of dense_A for each entry of G and of K */
  dae__saddle_forces forces;    /* operands of the fused factor and solve */

  double *s;                /* nu: rates of the extra states */
  double *projected_G;      /* G at the projected q, for gdot */
  double *residual, *scale; /* nc each: those of the level of velocities, also as scratch */
  double *sides; /* three right sides, then solutions, of the saddle system, nq + nc numbers each */
  double *top, *bottom; /* first of the three right sides, split after nq numbers */

  /* masking of dependent rows */
  dae__arena *arena;
  bool *all;               /* nc times true: no row masked */
  double *full_G, *full_K; /* G and K with no row masked */
  int capacity;            /* number of dependent rows that C, S, y_D and pivot have memory for */
  double *C;       /* capacity x nc: coefficients of dependent rows in terms of independent ones */
  double *S, *y_D; /* 1 + C C', and the right side and solution of its system */
  int *pivot;
} dae__motion;

dae_status dae__motion_create(dae__arena *arena, dae__mech *m, dae__motion **out, dae_error *err);
/* A second dae__motion of the same problem, such as for dense output, without a factorisation. It
 * shares memory of the first, which must live as long. */
dae_status dae__motion_create_second(dae__arena *arena, const dae__motion *first, dae__motion **out,
                                     dae_error *err);
void dae__motion_free(dae__motion *motion); /* motion may be NULL */

/* Projects q onto g and v onto g_t + G v and k in the norm of the mass matrix, unless residuals are
 * below DAE__ON_CONSTRAINT already. *moved (may be NULL): whether q or v changed. */
dae_status dae__motion_project(dae__motion *motion, double t, double *q, double *v, bool *moved,
                               dae_error *err);

/* Projects v alone onto g_t + G v and k, at a q that need not satisfy g. */
dae_status dae__motion_project_velocity(dae__motion *motion, double t, double *q, double *v,
                                        dae_error *err);

/* Projects q and v onto the same constraints from any distance; fixed entries of (q, v) do not move
 * (fixed may be NULL). No row may be masked. */
dae_status dae__motion_start(dae__motion *motion, double t, const bool *fixed, double *q, double *v,
                             dae_error *err);

/* Checks that the constraints masked as dependent still hold at (q, v). */
dae_status dae__motion_check_dependent(dae__motion *motion, double t, const double *q,
                                       const double *v, dae_error *err);

/* Accelerations and multipliers at (q, v, u, w) of the state vector y: writes the multipliers into
 * y (of minimum norm where constraints are dependent) and v, v', u' into dy (may be NULL), leaving
 * the other entries of dy alone. */
dae_status dae__motion_accelerate(dae__motion *motion, double t, double *y, double *dy,
                                  dae_error *err);

/* Patterns, memory and solver of the accelerations with directions of the constraint forces. */
dae_status dae__motion_create_directed(dae__motion *motion, dae_error *err);
/* Accelerations, into acceleration, and multipliers, into motion->bottom, from evaluated M, A, B,
 * the forces in motion->top and the right sides (gamma, kappa) in motion->bottom. */
dae_status dae__motion_solve_directed(dae__motion *motion, double *acceleration, dae_error *err);
/* Solution for other right sides, in place, with the matrix of the last accelerations. */
void dae__motion_respond_directed(dae__motion *motion, double *top, double *bottom);

/* Accelerations and multipliers like dae__motion_accelerate, with dy given; by the fused factor and
 * solve where possible, which leaves no factorisation. */
dae_status dae__motion_slopes(dae__motion *motion, double t, double *y, double *dy, dae_error *err);

/* Projection of a state near its constraints, as at the end of a step, fused with accelerations and
 * multipliers, by one evaluation and one factorisation: accelerations and multipliers are those of
 * the state before the projection, v in dy is that after it. The errors of q on g and of v on g_t +
 * G v and k are of second order in the distance to the constraints. */
dae_status dae__motion_project_and_accelerate(dae__motion *motion, double t, double *y, double *dy,
                                              dae_error *err);

/* Refuses y as the end of a step where its margin is far below that of recent ends: close to a
 * position where constraints become dependent, at a distance d of their directions, round-off eps
 * of the constraints moves q by eps/d, v by eps/d^2 and v' by eps/d^3. */
dae_status dae__motion_check_end(dae__motion *motion, double t, const double *y, dae_error *err);
/* Updates the margin of recent ends of steps by that of a step that is accepted. */
void dae__motion_accept_margin(dae__motion *motion);

/* Selects an independent subset of the constraints at the state y, earlier rows preferred. text
 * (may be NULL) receives a line for each dependent row, naming the rows it depends on. */
dae_status dae__motion_select_independent(dae__motion *motion, double t, const double *y,
                                          char *text, size_t size, dae_error *err);

/* Number of rows that are switched off, after a selection of independent rows. */
int dae__motion_rows_off(const dae__motion *motion);

/* Selects other independent rows where those in use become dependent: a row j whose coefficient in
 * the combination of a dependent row d, relative to the sizes of both, is above
 * DAE__EXCHANGE_COEFFICIENT is exchanged for d, so that the volume of the rows in use grows by that
 * factor. True: another subset is in use. */
bool dae__motion_exchange_dependent(dae__motion *motion, double t, const double *y);

/* Margin of the constraints against dependence by the last factorisation, or by that of a fused
 * solution: estimate of the smallest eigenvalue of A M^-1 A', each row of A relative to its size
 * at recent ends of steps. */
double dae__motion_factored_margin(dae__motion *motion, bool fused);
/* Margin at q, v; 0 where the saddle matrix is singular or cannot be evaluated. Leaves no
 * factorisation of use. */
double dae__motion_margin(dae__motion *motion, double t, const double *q, const double *v);

/* True where a constraint depends on the others up to tol at the state y; name: the first such
 * constraint. */
bool dae__motion_nearly_dependent(dae__motion *motion, double t, const double *y, double tol,
                                  char *name, size_t size);

/* Allocates memory for the dependent rows of m, which another dae__motion of the same problem may
 * have selected. */
dae_status dae__motion_reserve_dependent(dae__motion *motion, dae_error *err);

/* Replaces multipliers y (nc) of the active rows by the minimum-norm multipliers of all rows that
 * exert the same force, with the factorisation of the active rows. */
dae_status dae__motion_minimum_norm(dae__motion *motion, const dae_mechanical_at *at, double *y,
                                    dae_error *err);

#endif
