/* The stage system of one SPARK step [J09 (4) to (7)], s stages, and the iterations that solve it.
 *
 *   Y_i = y0 + h sum_j a_ij v_j                                        i = 1 ... s
 *   p_i = p0 + h sum_j ah_ij f_j + h sum_j at_ij r_j                   r_j at the s + 1 tilde nodes
 *   0   = g(Tt_i, Yt_i),  Yt_i = y0 + h sum_j ab_ij v_j                i = 1 ... s
 *   0   = sum_j b_j c_j^(i-1) k_j                                      i = 1 ... s - 1
 *
 * and y1, p1 by the weights b, bh, bt, with 0 = gdot(t1) and 0 = k(t1). Unknowns: Y, y1, Z, z1,
 * L_0 ... L_s, Psi_1 ... Psi_s. Where the tilde nodes are the stages themselves (nt = s), there are
 * as many L as stages, and g holds at all of them but the first, which is y0.
 *
 * Three ways to solve it, each for what the one before it is too slow for:
 *   modified  two small matrices, (2) and (3) of [J09]        what is not stiff
 *   richer    a block for each eigenvalue of A                stiff forces
 *   full      Newton's iteration with the whole Jacobian      where the curvature of the
 * constraints, (full.h), evaluated anew where it is slow       times large multipliers, is stiff
 * too
 */
#ifndef DAEDAL_ONESTEP_SPARK_STAGES_H
#define DAEDAL_ONESTEP_SPARK_STAGES_H

#include "onestep/spark/adapter.h"
#include "onestep/spark/transform.h"

/* The values of one step: y0, Y_1 ... Y_s, y1; the same of z; L_0 ...; Psi_1 ... Psi_s. */
typedef struct dae__stage_values {
  double *Y, *Z, *L, *Psi;
} dae__stage_values;

typedef enum dae__stages_strategy {
  DAE__STAGES_SIMPLIFIED,
  DAE__STAGES_DECOUPLED,
  DAE__STAGES_FULL
} dae__stages_strategy;

typedef struct dae__stages_memory {
  double h;                     /* of the last accepted step, 0: there is none yet */
  bool factored, blocks, whole; /* there are factors of the matrices, the blocks, the Jacobian */
  dae__stages_strategy begin;   /* the next so many steps begin with: */
  int stays;
  double contraction[DAE__STAGES_FULL]; /* per iteration and unit step size, as observed last */
  int trusted; /* so many steps that of the richer way is taken to be still right */
  long iterations, jacobians, factorisations;
  long steps[DAE__STAGES_FULL + 1]; /* accepted ones by the way they were solved */
} dae__stages_memory;

typedef struct dae__stages {
  const dae_spark_tableau *tableau;
  const dae__spark_transform *transform; /* NULL: there is none, A is singular */
  dae__face face;
  int s, nt;
  dae__stages_memory *memory; /* kept */
  dae__stage_values last;     /* kept: the last accepted step, or its second half */
  dae__stage_values half;     /* kept: its first half, where it has two */
  bool halfway;               /* the step at hand is a second half */
  dae__stage_values now;      /* the step at hand */
  double t, h;
  const double *lambda, *psi;         /* at t */
  double *V, *p0, *p, *f, *r, *g, *k; /* at its points */
  double *Yt;                         /* one tilde point */
  double *R5, *R6, *R7;               /* residuals */
  double *x;                          /* right sides and solutions of the small systems */
  int nodes, *at; /* of the polynomials of Y and Z: these vectors, the beginning, stages inside, */
  double *node;   /* the end, are at these times */
  dae__stages_strategy way; /* at work */
  double *moved;            /* s changes of Y since v was evaluated */
  double complex *xi;       /* one block of the richer way */
  double *D;                /* its solutions of all rows, and the changes of Y */
  struct dae__full *full;   /* NULL: not needed so far */
  dae__arena *full_arena;   /* where it is, if not with the rest */
  const dae_env *env;
} dae__stages;

dae_status dae__stages_create(dae__arena *arena, const dae_spark_tableau *tableau,
                              const dae__spark_transform *transform, const dae__face *face,
                              dae__stages *out, dae_error *err);

void dae__stages_free(dae__stages *st); /* what is not in the arena, the face excepted */
dae_status dae__stages_reload(dae__stages *st);

/* There is no step to predict from. Where nothing better is known, multipliers are predicted to be
 * these, those at the beginning of each step, which have to stay where they are. */
void dae__stages_begin(dae__stages *st, const double *lambda, const double *psi);

/* How far to iterate: until the changes of Y and Z are below `goal` in the maximum norm with these
 * weights, or no longer become smaller and are below `bearable`. */
typedef struct dae__stages_goal {
  const double *y_weight, *z_weight;
  double goal, bearable;
  int most;  /* iterations */
  bool full; /* the full iteration may be tried */
} dae__stages_goal;

/* Solves the step from (t, y0, z0), predicted from the last accepted one. y1 and z1 are then the
 * last vectors of now.Y and now.Z. DAE_ERROR_STEP: no convergence. */
dae_status dae__stages_solve(dae__stages *st, double t, double h, const double *y0,
                             const double *z0, const dae__stages_goal *goal, dae_error *err);

/* By how much an iteration contracted in the last solution, 0: not known. */
double dae__stages_contraction(const dae__stages *st);

/* The step at hand becomes the first half of one, and the next one is its second half. */
void dae__stages_halve(dae__stages *st);
/* There is no first half any more. */
void dae__stages_unhalve(dae__stages *st);
/* The step at hand becomes the last accepted one, together with its first half. */
void dae__stages_accept(dae__stages *st);

/* ---- between stages.c, ways.c, full.c and predict.c ---- */

/* vector i of length n */
static inline double *dae__stage_vector(double *values, int i, int n)
{
  return values + (size_t)i * (size_t)n;
}

/* v at the stages. */
dae_status dae__stages_v(dae__stages *st, dae_error *err);
/* The same, and Y, y1 = y0 + h alpha v; *change: the largest change relative to the weights (NULL:
 * not wanted). */
dae_status dae__stages_refresh(dae__stages *st, const double *weight, double *change,
                               dae_error *err);
/* What else the residuals are made of, at the iterate with this v: r and g at the tilde nodes; p, f
 * and k at the stages and the end; gdot there in place of g at the first tilde node. */
dae_status dae__stages_evaluate(dae__stages *st, dae_error *err);

/* Where stage i is, 1 ... s, and s + 1 for the end of the step. */
dae__face_at dae__stages_at(const dae__stages *st, int i);
/* Row i of [J09 (5)], from 0: p_i - p0 - h sum ah_ij f_j - h sum at_ij r_j. */
void dae__stages_residual5(const dae__stages *st, int i, double *R);

/* The nodes of the polynomials, once. */
void dae__stages_prepare(dae__stages *st);
/* Z, L and Psi of the step at hand, whose y0 and z0 are there. */
void dae__stages_predict(dae__stages *st);

#endif
