/* Stage system of one SPARK step [J09 (4) to (7)], s stages, and the iterations that solve it.
 *
 *   Y_i = y0 + h sum_j a_ij v_j                                        i = 1 ... s
 *   p_i = p0 + h sum_j ah_ij f_j + h sum_j at_ij r_j                   r_j at the s + 1 tilde nodes
 *   0   = g(Tt_i, Yt_i),  Yt_i = y0 + h sum_j ab_ij v_j                i = 1 ... s
 *   0   = sum_j b_j c_j^(i-1) k_j                                      i = 1 ... s - 1
 *
 * and y1, p1 by the weights b, bh, bt, with 0 = gdot(t1) and 0 = k(t1). Unknowns: Y, y1, Z, z1,
 * L_0 ... L_s, Psi_1 ... Psi_s. Where the tilde nodes are the stages themselves (nt = s), there are
 * as many L as stages, and g holds at all of them but the first, which is y0. */
#ifndef DAEDAL_ONESTEP_SPARK_STAGES_H
#define DAEDAL_ONESTEP_SPARK_STAGES_H

#include "onestep/spark/adapter.h"
#include "onestep/spark/transform.h"

/* Values of one step: y0, Y_1 ... Y_s, y1; the same of z; L_0 ...; Psi_1 ... Psi_s. */
typedef struct dae__stage_values {
  double *Y, *Z, *L, *Psi;
} dae__stage_values;

/* Iterations by rising cost; each converges for problems that are too stiff for the one before. */
typedef enum dae__stages_strategy {
  DAE__STAGES_SIMPLIFIED, /* simplified Newton with matrices (2) and (3): non-stiff problems */
  DAE__STAGES_DECOUPLED,  /* a block for each eigenvalue of A: stiff forces */
  DAE__STAGES_FULL        /* full Newton: stiff curvature of the constraints times multipliers */
} dae__stages_strategy;

/* Saved state. */
typedef struct dae__stages_memory {
  double h;                     /* size of the last accepted step, 0: none yet */
  bool factored, blocks, whole; /* factors exist of matrices (2) and (3), blocks, full Jacobian */
  dae__stages_strategy first_strategy;  /* strategy that steps begin with */
  int first_strategy_steps;             /* remaining steps that begin with first_strategy */
  double contraction[DAE__STAGES_FULL]; /* last observed, per iteration and unit step size */
  int contraction_steps; /* remaining steps for which that of DAE__STAGES_DECOUPLED is valid */
  long iterations, jacobians, factorisations;
  long steps[DAE__STAGES_FULL + 1]; /* accepted steps by strategy */
} dae__stages_memory;

typedef struct dae__stages {
  const dae_spark_tableau *tableau;
  const dae__spark_transform *transform; /* NULL: A is singular */
  const dae__spark_adapter *adapter;
  int s, nt;
  dae__stages_memory *memory; /* saved */
  dae__stage_values last;     /* saved: last accepted step, or its second half */
  dae__stage_values half;     /* saved: first half of that step, if it was halved */
  bool second_half;           /* the current step is the second half of one */
  dae__stage_values now;      /* current step */
  double t, h;
  const double *lambda, *psi;         /* multipliers at t */
  double *V, *p0, *p, *f, *r, *g, *k; /* evaluations of the current iterate */
  double *Yt;                         /* one tilde point */
  double *R5, *R6, *R7;               /* residuals */
  double *x;                          /* right sides and solutions of the small systems */
  int nodes;       /* of the interpolating polynomials: both ends and the inner stages */
  int *node_index; /* vectors of Y and Z at these nodes */
  double *node;    /* times of the nodes in [0, 1] */
  dae__stages_strategy strategy;
  double *refresh_change;        /* s changes of Y since v was evaluated */
  double complex *xi;            /* one block of the decoupled iteration */
  double *D;                     /* solutions of all blocks, and the changes of Y */
  struct dae__full_newton *full; /* full Newton iteration, NULL: not created yet */
  dae__arena *full_arena;        /* memory of a full Newton iteration created on demand */
  const dae_env *env;
} dae__stages;

/* Stopping criterion of the iteration: changes of Y and Z below `tolerance` in the maximum norm
 * with these weights, or stagnation with changes below `stagnation_tolerance`. */
typedef struct dae__stages_goal {
  const double *y_weight, *z_weight;
  double tolerance, stagnation_tolerance;
  int max_iterations;
  bool allow_full; /* full Newton may be tried */
} dae__stages_goal;

/* The adapter has to outlive the stages. */
dae_status dae__stages_create(dae__arena *arena, const dae_spark_tableau *tableau,
                              const dae__spark_transform *transform,
                              const dae__spark_adapter *adapter, dae__stages *out, dae_error *err);
void dae__stages_free(dae__stages *st);
dae_status dae__stages_reload(dae__stages *st); /* the adapter included */

/* Forgets the last step. lambda and psi are the multipliers at the beginning of each step, the
 * prediction where no polynomial exists; the caller keeps them up to date. */
void dae__stages_reset(dae__stages *st, const double *lambda, const double *psi);

/* Solves the step from (t, y0, z0), predicted from the last accepted one. y1 and z1 are then the
 * last vectors of now.Y and now.Z. DAE_ERROR_STEP: no convergence. */
dae_status dae__stages_solve(dae__stages *st, double t, double h, const double *y0,
                             const double *z0, const dae__stages_goal *goal, dae_error *err);

/* Accepts the current step; first_half: keeps it as the first half of one, whose second half is the
 * next step. */
void dae__stages_accept(dae__stages *st, bool first_half);

/* ---- shared by stages.c, iteration.c and full_newton.c ---- */

/* vector i of length n */
static inline double *dae__stage_vector(double *values, int i, int n)
{
  return values + (size_t)i * (size_t)n;
}

/* v at the stages. */
dae_status dae__stages_v(dae__stages *st, dae_error *err);
/* v at the stages, and Y, y1 = y0 + h alpha v; *change: the largest change of Y relative to the
 * weights (NULL: not requested). */
dae_status dae__stages_refresh(dae__stages *st, const double *weight, double *change,
                               dae_error *err);
/* Remaining terms of the residuals, after v: r and g at the tilde nodes; p, f and k at the stages
 * and at the end; gdot at the end, stored in place of g at the first tilde node. */
dae_status dae__stages_evaluate(dae__stages *st, dae_error *err);
/* Point of stage i, 1 ... s, and of the end of the step, s + 1. */
dae_momentum_at dae__stages_at(const dae__stages *st, int i);
/* Row i of [J09 (5)], from 0: p_i - p0 - h sum ah_ij f_j - h sum at_ij r_j. */
void dae__stages_residual5(const dae__stages *st, int i, double *R);
/* Z, L and Psi of the current step, extrapolated from the last one; y0 and z0 are set. */
void dae__stages_predict(dae__stages *st);

#endif
