/* Saddle-point systems of a mechanical problem: projection onto the constraints, accelerations and
 * multipliers, selection of an independent subset of the constraints. */
#ifndef DAEDAL_PROBLEM_MECHANICAL_MOTION_H
#define DAEDAL_PROBLEM_MECHANICAL_MOTION_H

#include "linalg/saddle/saddle.h"
#include "problem/mechanical/mech.h"

/* Iterations of a projection at most, and reduction of the residual by one iteration above which
 * the matrix is factored anew. Chosen, not measured. */
#define DAE__PROJECTION_ITERATIONS 12
#define DAE__PROJECTION_REDUCTION 0.1

typedef struct dae__motion_memory {
  bool factored;    /* the saddle holds a factorisation from some earlier point */
  long projections; /* states that were changed by a projection */
  long factorisations;
} dae__motion_memory;

typedef struct dae__motion {
  dae__mech *m;
  dae__saddle *saddle;
  dae__motion_memory *memory; /* saved state */
  double *M, *G, *K;          /* values at the last point evaluated */
  bool mass_known;            /* M is constant and its values are current */
  dae_mechanical_wanted want; /* quantities that accelerations need, and where they are stored */

  /* [G; K] of problems with few rows, see dae__saddle_solve_fused */
  bool small;                   /* one or a few rows of [G; K] */
  bool contiguous;              /* [G; K] is G or K alone, with a dense pattern */
  bool fast_path;               /* small, contiguous, eval_all, constant M, and no u, w or inputs */
  double *dense_A;              /* [G; K] by columns, where it is not contiguous */
  int *G_in_dense, *K_in_dense; /* entry of dense_A for each entry of G and K */
  dae__saddle_forces forces;    /* operands of the fused factor and solve */

  double *s;                /* nu: rates of the extra states */
  double *projected_G;      /* G at the projected q */
  double *diagonal;         /* nq + nc: added to the diagonal of the saddle matrix */
  double *residual, *scale; /* nc */
  double *terms;            /* nc: largest size of the terms of each row during an iteration */
  double *sides;            /* three right sides and solutions of nq + nc numbers */
  double *top, *bottom;     /* the first of the three, split after nq numbers */

  /* dependent rows */
  dae__arena *arena;
  dae_pattern A; /* [G; K] */
  dae__block G_in_A, K_in_A;
  bool *all;                         /* nc times true */
  double *full_G, *full_K, *stacked; /* Jacobians with no row masked, and as one matrix */
  double *column;                    /* nq: one row of A as a column */
  int capacity;                      /* dependent rows that C, S, y_D and pivot have memory for */
  double *C;                         /* capacity x nc: dependent rows as combinations of others */
  double *S, *y_D;                   /* 1 + C C', and its right side */
  int *pivot;
} dae__motion;

dae_status dae__motion_create(dae__arena *arena, dae__mech *m, dae__motion **out, dae_error *err);
/* A second motion of the same problem, for dense output, say, without a factorisation. It shares
 * memory of the first, which must live as long. */
dae_status dae__motion_create_second(dae__arena *arena, const dae__motion *first, dae__motion **out,
                                     dae_error *err);
dae_status dae__motion_reload(dae__motion *motion);
void dae__motion_free(dae__motion *motion); /* NULL is allowed */

/* Projects q onto g and v onto g_t + G v and k in the norm of the mass matrix, unless residuals are
 * below DAE__ON_CONSTRAINT already. *moved (may be NULL): whether q or v changed. */
dae_status dae__motion_project(dae__motion *motion, double t, double *q, double *v, bool *moved,
                               dae_error *err);

/* Projects v alone, at a q that need not satisfy its constraints. */
dae_status dae__motion_project_velocity(dae__motion *motion, double t, double *q, double *v,
                                        dae_error *err);

/* Checks that the constraints that are masked as dependent still hold at (q, v). */
dae_status dae__motion_check_dependent(dae__motion *motion, double t, const double *q,
                                       const double *v, dae_error *err);

/* Accelerations and multipliers at (q, v, u, w) of the state vector y: writes the multipliers into
 * y (of minimum norm where constraints are dependent) and v, v', u' into dy (may be NULL), leaving
 * the other entries of dy alone. */
dae_status dae__motion_accelerate(dae__motion *motion, double t, double *y, double *dy,
                                  dae_error *err);

/* Accelerations and multipliers like dae__motion_accelerate, with dy given, and possibly without a
 * factorisation to use afterwards. */
dae_status dae__motion_slopes(dae__motion *motion, double t, double *y, double *dy, dae_error *err);

/* Projection of a state near its constraints, as at the end of a step, fused with accelerations and
 * multipliers by one evaluation and factorisation: these belong to the state before the projection,
 * v in dy to the one after it. The error of q on g is of second order in its distance d, that of v
 * on g_t + G v and k is |v| d. */
dae_status dae__motion_project_and_accelerate(dae__motion *motion, double t, double *y, double *dy,
                                              dae_error *err);

/* Selects an independent subset of the constraints at the state y, earlier rows preferred. text
 * (may be NULL) receives a line for each dependent row, naming the rows it depends on. */
dae_status dae__motion_select_independent(dae__motion *motion, double t, const double *y,
                                          char *text, size_t size, dae_error *err);

/* Whether a constraint is nearly dependent on the others at the state y; name: the first such. */
bool dae__motion_nearly_dependent(dae__motion *motion, double t, const double *y, char *name,
                                  size_t size);

/* Memory for the dependent rows that another motion of the same problem selected. */
dae_status dae__motion_reserve_dependent(dae__motion *motion, dae_error *err);

/* Factors the saddle matrix of motion->M, G, K with the diagonal added (may be NULL);
 * DAE_ERROR_SINGULAR names the variable or constraint. */
dae_status dae__motion_factor(dae__motion *motion, const double *diagonal, dae_error *err);
/* Factors it with "multiplier = 0" for the rows that are not active. */
dae_status dae__motion_factor_active(dae__motion *motion, dae_error *err);
/* Records the outcome of a factorisation; names what is singular. */
dae_status dae__motion_factored(dae__motion *motion, dae_status status, dae_error *err);

/* Replaces multipliers y (nc) of the active rows by the minimum-norm multipliers of all rows that
 * exert the same force, with the factorisation of the active rows. */
dae_status dae__motion_minimum_norm(dae__motion *motion, const dae_mechanical_at *at, double *y,
                                    dae_error *err);

/* scale_i = sum_j |A_ij| (|x_j| + 1e-3 max |x|), the size of the terms of row i */
void dae__row_scale(const dae_pattern *pattern, const double *A, const double *x, double *scale);
/* largest |residual_i| / scale_i, and its row */
double dae__row_worst(int n, const double *residual, const double *scale, int *row);

#endif
