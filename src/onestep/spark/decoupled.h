/* Linear systems of the decoupled Newton iteration: the eigenvectors of A decouple the stages into
 * one block for each eigenvalue mu, which is matrix (2) of the simplified iteration plus the
 * terms of the stage system that couple through A alone. With W = dV + w v_z delta:
 *
 *   [ 1 - h mu v_y                 -v_z                             ] [ W ]
 *   [ h mu p_y - (h mu)^2 f_y   p_z - h mu f_z   -r_lambda   -f_psi ] [ D ]
 *   [ g_y                                                           ] [   ]
 *   [ h mu k_y                     k_z                              ] [   ]
 *
 * The first nq of y are coordinates with y' = z, for which W = D is eliminated. With d = v_z delta,
 * the right side gets the terms of delta, times w, and of e, the change of Y since v was evaluated:
 *
 *   W   -w h mu v_y d + v_y e
 *   D   w (h mu (p_y d - f_z delta) - (h mu)^2 f_y d)
 *   psi w h mu k_y d */
#ifndef DAEDAL_ONESTEP_SPARK_DECOUPLED_H
#define DAEDAL_ONESTEP_SPARK_DECOUPLED_H

#include "linalg/zsolver.h"
#include "onestep/spark/equations.h"

#include <complex.h>

typedef struct dae__decoupled {
  const dae__spark_equations *equations;
  int nq, nw; /* number of coordinates with y' = z; number of the other entries of y, ny - nq */
  int n;      /* number of rows of a complex block */
  int count;  /* number of blocks, one for each eigenvalue mu */
  dae__zsolver **solver;
  dae__terms terms;              /* terms of a block; scale: power of h mu */
  double complex *matrix;        /* values of a block */
  double *x;                     /* right side, 2n: real and imaginary parts */
  double complex *W, *d, *delta; /* vectors of length ny, ny, nz */
} dae__decoupled;

/* Creates `count` blocks; their solvers are freed by the caller, also after a failure. */
dae_status dae__decoupled_create(dae__arena *arena, const dae__spark_equations *eq, int count,
                                 dae__decoupled *out, dae_error *err);
/* Evaluates the derivatives, into the values of the equations, and factors the blocks of all h
 * mu. */
dae_status dae__decoupled_factor(dae__decoupled *o, const dae_momentum_at *at, const double *lambda,
                                 const double *psi, const double complex *hmu, dae_error *err);
/* Solves block i in place, x = block\x with x = (D, lambda, psi). On return e is the change of Y
 * beyond the increment of Z, h mu (W - w v_z delta). */
void dae__decoupled_solve(dae__decoupled *o, int i, double complex hmu, double complex w,
                          const double *delta, double complex *e, double complex *x);

#endif
