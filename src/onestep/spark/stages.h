/* Stage system of one SPARK step [J09 (4) to (7)], s stages, and the iterations that solve it.
 *
 *   Y_i = y0 + h sum_j a_ij v_j                                        i = 1 ... s
 *   p_i = p0 + h sum_j ah_ij f_j + h sum_j at_ij r_j                   r_j at the s + 1 tilde nodes
 *   0   = g(Tt_i, Yt_i),  Yt_i = y0 + h sum_j ab_ij v_j                i = 1 ... s
 *   0   = sum_j b_j c_j^(i-1) k_j                                      i = 1 ... s - 1
 *
 * and y1, p1 by the weights b, bh, bt, with 0 = gdot(t1) and 0 = k(t1). Unknowns: Y, y1, Z, z1,
 * L_0 ... L_s, Psi_1 ... Psi_s. Where the tilde nodes are the stages themselves (nt = s), there are
 * as many L as stages, and g = 0 is an equation at all stages but the first, which is y0. */
#ifndef DAEDAL_ONESTEP_SPARK_STAGES_H
#define DAEDAL_ONESTEP_SPARK_STAGES_H

#include "onestep/spark/decoupled.h"
#include "onestep/spark/transform.h"

/* Values at the points of one step: Y = y0, Y_1 ... Y_s, y1; Z = z0, Z_1 ... Z_s, z1; L from L_0
 * on; Psi_1 ... Psi_s; in one array that begins with Y. */
typedef struct dae__stage_values {
  double *Y, *Z, *L, *Psi;
} dae__stage_values;

/* Iterations of the stage system by rising cost; each converges for stiffer problems than the one
 * before. */
typedef enum dae__stages_strategy {
  DAE__STAGES_SIMPLIFIED, /* simplified Newton with matrices (2) and (3): non-stiff problems */
  DAE__STAGES_DECOUPLED,  /* decoupled Newton, one block for each eigenvalue of A: stiff forces */
  DAE__STAGES_FULL        /* full Newton: stiff curvature of the constraints times multipliers */
} dae__stages_strategy;

/* State of the iteration, saved with the integrator. */
typedef struct dae__stages_memory {
  double h; /* size of the last accepted step, 0: no step yet */
  /* whether factors exist of matrices (2) and (3), of the decoupled blocks, of the full Jacobian */
  bool factored, blocks, whole;
  dae__stages_strategy first_strategy; /* strategy at the beginning of a step */
  int first_strategy_steps;            /* number of further steps that begin with first_strategy */
  /* last observed contraction of each strategy, per iteration and unit step size */
  double contraction[DAE__STAGES_FULL];
  /* number of further steps for which the contraction of DAE__STAGES_DECOUPLED is valid */
  int contraction_steps;
  long iterations, jacobians, factorisations;
  long steps[DAE__STAGES_FULL + 1]; /* number of accepted steps by strategy */
} dae__stages_memory;

typedef struct dae__stages {
  const dae_spark_tableau *tableau;
  const dae__spark_transform *transform; /* transformation by Q; NULL: A is singular */
  const dae__spark_equations *equations;
  int s, nt;
  int size;                   /* number of entries of the values at the points of a step */
  dae__stages_memory *memory; /* saved with the integrator */
  dae__stage_values last;     /* last accepted step, or its second half; saved */
  dae__stage_values half;     /* first half of the last step, if it was halved; saved */
  /* whether the current step is the second half of a halved step */
  bool second_half;
  dae__stage_values now; /* iterate of the current step */
  double t, h;
  const double *lambda, *psi;         /* multipliers at the start of the step, set by the caller */
  double *V, *p0, *p, *f, *r, *g, *k; /* function values at the current iterate */
  double *Yt;                         /* y at one tilde node */
  double *R5, *R6, *R7;               /* residuals of rows (5), (6), (7) of the stage system */
  /* right sides and solutions of the transformed linear systems */
  double *x;
  /* number of interpolation nodes: both ends and the inner stages */
  int nodes;
  int *node_index; /* index of the vectors of Y and Z at the interpolation nodes */
  double *node;    /* relative times of the interpolation nodes, in [0, 1] */
  dae__stages_strategy strategy;
  /* entry of (y, z) with the largest change in the present iteration, and in the last one, in fixed
   * steps the last one above round-off; -1: none */
  int worst, limiting;
  dae__decoupled decoupled;      /* blocks of the decoupled iteration; count = 0: none */
  double *refresh_change;        /* changes of Y at the s stages since v was evaluated */
  double complex *xi;            /* right side and solution of one decoupled block */
  double *D;                     /* solutions of all decoupled blocks, and the changes of Y */
  struct dae__full_newton *full; /* full Newton iteration; NULL: not created yet */
  dae__arena *full_arena;        /* memory of a full Newton iteration created on demand */
  const dae_env *env;
} dae__stages;

/* Stopping criterion of the iteration: changes of Y and Z below `tolerance` in the maximum norm
 * with these weights, or stagnation with changes below `stagnation_tolerance`. */
typedef struct dae__stages_goal {
  const double *y_weight, *z_weight;
  double tolerance, stagnation_tolerance;
  int max_iterations;
  bool allow_full; /* whether the full Newton iteration may be tried */
} dae__stages_goal;

/* Creates the stage system; the equations have to outlive it. After a failure the caller frees
 * it. */
dae_status dae__stages_create(dae__arena *arena, const dae_spark_tableau *tableau,
                              const dae__spark_transform *transform, const dae__spark_equations *eq,
                              dae__stages *out, dae_error *err);
void dae__stages_free(dae__stages *st);

/* Solves the stage system of the step from (t, y0, z0), predicted from the last accepted step or,
 * with memory->h = 0 or stiff forces, by constant values z0, lambda and psi. y1 and z1 are then the
 * last vectors of now.Y and now.Z. DAE_ERROR_STEP: no convergence. */
dae_status dae__stages_solve(dae__stages *st, double t, double h, const double *y0,
                             const double *z0, const dae__stages_goal *goal, dae_error *err);

/* Accepts the current step; first_half: keeps it as the first half of a step whose second half is
 * solved next. */
void dae__stages_accept(dae__stages *st, bool first_half);

/* ---- shared by stages.c, iteration.c and full_newton.c ---- */

/* vector i of an array of vectors of length n */
static inline double *dae__stage_vector(double *values, int i, int n)
{
  return values + (size_t)i * (size_t)n;
}

/* Evaluates v at all stages. */
dae_status dae__stages_v(dae__stages *st, dae_error *err);
/* Evaluates v at all stages, then Y and y1 = y0 + h alpha v; *change: largest change of Y relative
 * to the weights, NULL: not requested. */
dae_status dae__stages_refresh(dae__stages *st, const double *weight, double *change,
                               dae_error *err);
/* Evaluates the terms of the residuals other than v: r and g at the tilde nodes; p, f and k at the
 * stages and at the end; gdot at the end, stored in place of g at the first tilde node. */
dae_status dae__stages_evaluate(dae__stages *st, dae_error *err);
/* Point (t, y, z) of stage i, 1 ... s, or of the end of the step, i = s + 1. */
dae_momentum_at dae__stages_at(const dae__stages *st, int i);
/* Residual of row i of [J09 (5)], counted from 0: p_i - p0 - h sum ah_ij f_j - h sum at_ij r_j. */
void dae__stages_residual5(const dae__stages *st, int i, double *R);
/* Predicts Z, L and Psi of the current step by extrapolation of the last one; y0 and z0 have to be
 * set. */
void dae__stages_predict(dae__stages *st);

#endif
