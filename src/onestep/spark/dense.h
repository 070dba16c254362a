/* Dense output: the motion within the last accepted step, or within each half of it. */
#ifndef DAEDAL_ONESTEP_SPARK_DENSE_H
#define DAEDAL_ONESTEP_SPARK_DENSE_H

#include "onestep/spark/adapter_table.h"
#include "onestep/spark/stages.h"
#include "quadrature/lagrange.h"

/* A step, or a half of one. */
typedef struct dae__dense_piece {
  long step;  /* its number, from 1 */
  bool first; /* it is the first half of one */
  double t, h;
  const dae__stage_values *stages;
  const double *start_rate, *end_rate; /* of the state vector, at both ends */
} dae__dense_piece;

/* Of whole steps and second halves, and of first halves. */
typedef struct dae__dense_memory {
  long step[2]; /* the one that the sweeps were tried on, 0: none yet */
  bool fine[2]; /* they converged */
} dae__dense_memory;

typedef struct dae__dense_options {
  int order;   /* of the method */
  bool halves; /* there may be some */
  bool fixed;  /* the step size; else rows are to be as good as the tolerances say */
  double rtol, atol;
} dae__dense_options;

typedef struct dae__dense {
  const dae__body *body;
  dae__dense_options opts;
  int sweeps;                    /* at most */
  dae__curve rough, fine;        /* through the stages, through the nodes of the sweeps */
  double *W;                     /* W_ij, by rows */
  dae__dense_memory *memory;     /* kept */
  dae__stage_values values[2];   /* kept: Y and Z at the nodes of the sweeps */
  double *V, *A;                 /* their derivatives */
  double *state, *rate;          /* at one node */
  double *y_rate[2], *z_rate[2]; /* at both ends */
  double *y_weight, *z_weight;
} dae__dense;

/* body and stages have to stay where they are. */
dae_status dae__dense_create(dae__arena *arena, const dae__dense_options *opts,
                             const dae__body *body, const dae__stages *stages, dae__dense *out,
                             dae_error *err);

/* Makes what dae__dense_eval shows of this piece as good as its ends are, once. Where that fails
 * it stays as it is. */
dae_status dae__dense_refine(dae__dense *d, const dae__dense_piece *piece, dae_error *err);

/* y and z at a time within the piece. */
void dae__dense_eval(dae__dense *d, const dae__dense_piece *piece, double t, double *y, double *z);

#endif
