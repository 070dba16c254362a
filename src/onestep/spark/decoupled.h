/* Linear systems of the decoupled Newton iteration: the eigenvectors of A decouple the stages into
 * one block for each eigenvalue mu, which is matrix (2) of the simplified iteration plus the
 * terms of the stage system that couple through A alone. With W = dV + w v_z delta:
 *
 *   [ 1 - h mu v_y                 -v_z                             ] [ W ]
 *   [ h mu p_y - (h mu)^2 f_y   p_z - h mu f_z   -r_lambda   -f_psi ] [ D ]
 *   [ g_y                                                           ] [   ]
 *   [ h mu k_y                     k_z                              ] [   ]
 *
 * The blocks are complex, and solved as real systems of twice the size, [Re -Im; Im Re].
 *
 * The first nq of y are coordinates with y' = z, for which W = D is eliminated. With d = v_z delta,
 * the right side gets the terms of delta, times w, and of e, the change of Y since v was evaluated:
 *
 *   W   -w h mu v_y d + v_y e
 *   D   w (h mu (p_y d - f_z delta) - (h mu)^2 f_y d)
 *   psi w h mu k_y d */
#ifndef DAEDAL_ONESTEP_SPARK_DECOUPLED_H
#define DAEDAL_ONESTEP_SPARK_DECOUPLED_H

#include "linalg/solver.h"
#include "onestep/spark/adapter.h"

#include <complex.h>

enum { DAE__DECOUPLED_TERMS = 20 }; /* upper bound of the number of terms of a block */

/* A term of a block: factor (h mu)^power times a submatrix of a derivative. */
typedef struct dae__decoupled_term {
  dae__momentum_part part; /* the derivative; DAE__MOMENTUM_PARTS: the unit matrix */
  double factor;
  int power;
  dae__submatrix sub;
  dae__block block[4]; /* position of the term in each quarter of [Re -Im; Im Re] */
} dae__decoupled_term;

typedef struct dae__decoupled {
  const dae__spark_adapter *adapter;
  int nq, nw; /* number of coordinates with y' = z; number of the other entries of y, ny - nq */
  int n;      /* number of rows of a complex block */
  int count;  /* number of blocks, one for each eigenvalue mu */
  dae__solver **solver;
  double *values[DAE__MOMENTUM_PARTS];
  dae_pattern unit_w, unit_c, pattern;
  dae__decoupled_term term[DAE__DECOUPLED_TERMS];
  int terms;
  double *matrix, *x; /* real matrix [Re -Im; Im Re] of a block, 2n x 2n, and right side, 2n */
  double complex *W, *d, *delta; /* vectors of length ny, ny, nz */
} dae__decoupled;

/* Creates the blocks; patterns, sizes and active rows of the adapter have to be set before. */
dae_status dae__decoupled_create(dae__arena *arena, const dae__spark_adapter *adapter, int nq,
                                 int count, dae__decoupled *out, dae_error *err);
void dae__decoupled_free(dae__decoupled *o);
dae_status dae__decoupled_reload(dae__decoupled *o);

/* Evaluates the derivatives that all blocks are assembled from. */
dae_status dae__decoupled_linearise(dae__decoupled *o, const dae_momentum_at *at,
                                    const double *lambda, const double *psi, dae_error *err);
dae_status dae__decoupled_factor(dae__decoupled *o, int i, double complex hmu, dae_error *err);
/* Solves block i in place, x = block\x with x = (D, lambda, psi). On return e is the change of Y
 * beyond the increment of Z, h mu (W - w v_z delta). */
void dae__decoupled_solve(dae__decoupled *o, int i, double complex hmu, double complex w,
                          const double *delta, double complex *e, double complex *x);

#endif
