/* The blocks of the richer iteration: for an eigenvalue mu of A matrix (2) of the modified one with
 * those terms of the stage system that couple through A alone. With W = dV + w v_z delta:
 *
 *   [ 1 - h mu v_y                 -v_z                             ] [ W ]
 *   [ h mu p_y - (h mu)^2 f_y   p_z - h mu f_z   -r_lambda   -f_psi ] [ D ]
 *   [ g_y                                                           ] [   ]
 *   [ h mu k_y                     k_z                              ] [   ]
 *
 * They are complex, and solved as real systems of twice the size, [Re -Im; Im Re].
 *
 * The first `same` of y have y' = z, so that W is D there: those are left out. To the right side
 * comes, with d = v_z delta, from delta, times w, and from e, by which Y has been moved since v was
 * evaluated:
 *
 *   W   -w h mu v_y d + v_y e
 *   D   w (h mu (p_y d - f_z delta) - (h mu)^2 f_y d)
 *   psi w h mu k_y d */
#ifndef DAEDAL_ONESTEP_SPARK_DECOUPLED_H
#define DAEDAL_ONESTEP_SPARK_DECOUPLED_H

#include "linalg/solver.h"
#include "onestep/spark/adapter.h"
#include "onestep/spark/submatrix.h"

#include <complex.h>

enum { DAE__DECOUPLED_TERMS = 20 };

/* A block of the matrix: factor (h mu)^power times a part, or a piece of it. */
typedef struct dae__decoupled_term {
  dae__momentum_part part; /* DAE__MOMENTUM_PARTS: ones */
  double factor;
  int power;
  dae__pick pick;
  dae__block block[4]; /* in each quarter of the doubled matrix */
} dae__decoupled_term;

typedef struct dae__decoupled {
  const dae__face *face;
  int same, nw, n, count; /* nw = ny - same; rows of a block before doubling; blocks */
  dae__solver **solver;   /* count */
  double *values[DAE__MOMENTUM_PARTS];
  dae_pattern unit_w, unit_c, pattern;
  dae__decoupled_term term[DAE__DECOUPLED_TERMS];
  int terms;
  double *matrix, *x;            /* 2n x 2n, 2n */
  double complex *W, *d, *delta; /* ny, ny, nz */
} dae__decoupled;

/* The face's patterns, sizes and active rows have to be there. */
dae_status dae__decoupled_create(dae__arena *arena, const dae__face *face, int same, int count,
                                 dae__decoupled *out, dae_error *err);
void dae__decoupled_free(dae__decoupled *o);
dae_status dae__decoupled_reload(dae__decoupled *o);

/* The derivatives that blocks are made of. */
dae_status dae__decoupled_derive(dae__decoupled *o, const dae__face_at *at,
                                 const dae__face_multipliers *with, dae_error *err);
dae_status dae__decoupled_factor(dae__decoupled *o, int i, double complex hmu, dae_error *err);
/* x = block i\x, x = (D, lambda, psi). Out of e comes by how much Y has to be moved further,
 * h mu (W - w v_z delta). */
void dae__decoupled_solve(dae__decoupled *o, int i, double complex hmu, double complex w,
                          const double *delta, double complex *e, double complex *x);

#endif
