/* The stage system of one SPARK step [J09 (4) to (7)], s stages, and its modified Newton iteration.
 *
 *   Y_i = y0 + h sum_j a_ij v_j                                        i = 1 ... s
 *   p_i = p0 + h sum_j ah_ij f_j + h sum_j at_ij r_j                   r_j at the s + 1 tilde nodes
 *   0   = g(Tt_i, Yt_i),  Yt_i = y0 + h sum_j ab_ij v_j                i = 1 ... s
 *   0   = sum_j b_j c_j^(i-1) k_j                                      i = 1 ... s - 1
 *
 * and y1, p1 by the weights b, bh, bt, with 0 = gdot(t1) and 0 = k(t1). Unknowns: Y, y1, Z, z1,
 * L_0 ... L_s, Psi_1 ... Psi_s. */
#ifndef DAEDAL_SPARK_STAGES_H
#define DAEDAL_SPARK_STAGES_H

#include "spark/face.h"
#include "spark/transform.h"

/* The values of one step: y0, Y_1 ... Y_s, y1; the same of z; L_0 ... L_s; Psi_1 ... Psi_s. */
typedef struct dae__stage_values {
  double *Y, *Z, *L, *Psi;
} dae__stage_values;

typedef struct dae__stages_memory {
  double h;      /* of the last accepted step, 0: there is none yet */
  bool enriched; /* blocks have been factored */
  int rich_left; /* steps that begin with the richer iteration */
  long iterations, jacobians, factorisations;
  long rich_steps; /* that needed it */
} dae__stages_memory;

typedef struct dae__stages {
  const dae_spark_tableau *tableau;
  const dae__spark_transform *transform;
  dae__face face;
  int s;
  dae__stages_memory *memory; /* kept */
  dae__stage_values last;     /* kept: the last accepted step */
  dae__stage_values now;      /* the step at hand */
  double t, h;
  double *V, *p0, *p, *f, *r, *g, *k; /* at its points */
  double *Yt;                         /* one tilde point */
  double *R5, *R6, *R7;               /* residuals */
  double *x;                          /* right sides and solutions of the small systems */
  double *node, *start_weight, *end_weight, *shape; /* s + 2 each: nodes of the polynomials, their
                                                       derivatives at both ends, N */
  bool rich;                                        /* the richer iteration is at work */
  double complex *xi;                               /* one of its blocks */
  double *D;                                        /* solutions of all rows */
} dae__stages;

dae_status dae__stages_create(dae__arena *arena, const dae_spark_tableau *tableau,
                              const dae__spark_transform *transform, const dae__face *face,
                              dae__stages *out, dae_error *err);

/* There is no step to predict from; multipliers are predicted to be these. */
void dae__stages_begin(dae__stages *st, const double *lambda, const double *psi);

/* How far to iterate: until the changes of Y and Z are below `goal` in the maximum norm with these
 * weights, or no longer become smaller and are below `bearable`. */
typedef struct dae__stages_goal {
  const double *y_weight, *z_weight;
  double goal, bearable;
  int most; /* iterations */
} dae__stages_goal;

/* Solves the step from (t, y0, z0), predicted from the last accepted one. y1 and z1 are then the
 * last vectors of now.Y and now.Z. DAE_ERROR_STEP: no convergence. */
dae_status dae__stages_solve(dae__stages *st, double t, double h, const double *y0,
                             const double *z0, const dae__stages_goal *goal, dae_error *err);

/* The step at hand becomes the last accepted one. */
void dae__stages_accept(dae__stages *st);

/* Derivatives at both ends of the last accepted step. */
typedef struct dae__stage_rates {
  const double *y0, *y1, *z0, *z1;
} dae__stage_rates;

/* y and z at t0 + theta h of the last accepted step, by the polynomial through its stages and the
 * derivatives at its ends. */
void dae__stages_interpolate(const dae__stages *st, double theta, const dae__stage_rates *rates,
                             double *y, double *z);

/* ---- between stages.c and predict.c ---- */

/* vector i of length n */
static inline double *dae__stage_vector(double *values, int i, int n)
{
  return values + (size_t)i * (size_t)n;
}

/* Node i of the polynomials of Y and Z: 0, c_1 ... c_s, 1. */
double dae__stages_node(const dae__stages *st, int i);
/* Weight of node i in the derivative at node k, times h, of the polynomial through the first count
 * nodes. */
double dae__stages_derivative_weight(const dae__stages *st, int count, int i, int k);
/* What the polynomials need, once. */
void dae__stages_prepare(dae__stages *st);
/* Z, L and Psi of the step at hand, whose y0 and z0 are there. */
void dae__stages_predict(dae__stages *st);

#endif
