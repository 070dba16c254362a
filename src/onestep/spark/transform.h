/* Transformation of the stage system for the simplified Newton iteration of an (s,s) tableau
 * [J09 sections 2, 2.1]. With alpha = (A; b'), alphah = (Ah; bh') and alphat = (At; bt'):
 *
 *   gamma' = (-b' A^-1, 1)       gamma' alpha = 0
 *   w      = A M^-1 1
 *   Qt     = (I 0) + w gamma'    Qt alpha = A
 *   Q      = (Qt; gamma')        det Q = 1
 *   Qc     = Q blkdiag(Ac^-1, 1)
 *
 * For (D; delta) = Q (W; w1) the inverse is W_i = D_i - w_i delta, w1 = delta + b' A^-1 W.
 *
 * M has the rows q_i(1) b' - b' q_i'(C) A for a basis q_1..q_s of the polynomials of degree < s:
 * monomials in [J09], Legendre's on [0,1] here. Since q_i(1) = 1 for both, M^-1 1 is the same, but
 * M is well conditioned: for Gauss its rows are orthogonal up to weights. */
#ifndef DAEDAL_ONESTEP_SPARK_TRANSFORM_H
#define DAEDAL_ONESTEP_SPARK_TRANSFORM_H

#include "core/arena.h"
#include "quadrature/small_matrix.h"
#include <complex.h>

/* Matrices of the transformation, stored by rows. */
typedef struct dae__spark_transform {
  int s;
  double *gamma;   /* vector (-b' A^-1, 1), length s + 1 */
  double *w;       /* vector A M^-1 1, length s */
  double *Qt, *Q;  /* matrices s x (s+1) and (s+1) x (s+1) */
  double *Qc;      /* matrix (s+1) x (s+1) */
  double *Qat_inv; /* (Q alphat)^-1, (s+1) x (s+1), for the increments of lambda */
  double *Qah_inv; /* (Qt alphah)^-1, s x s, for the increments of psi */
  /* Numbers of real eigenvalues of A = T diag(mu) Ti, and of all eigenvalues with one of each
   * complex pair; blocks is 0 if A is not diagonalised, as with a multiple eigenvalue. */
  int reals, blocks;
  double complex *mu; /* eigenvalues of A, length blocks */
  /* Eigenvectors, s x blocks: x = sum over real eigenvalues of T_k xi_k + 2 Re sum over pairs. */
  double complex *T;
  double complex *Ti; /* inverse of the eigenvectors, blocks x s: xi = Ti x */
} dae__spark_transform;

/* Computes the transformation of a valid tableau with nt = s + 1, with its matrices in the
 * arena. */
dae_status dae__spark_transform_create(dae__arena *arena, const dae_spark_tableau *t,
                                       dae__spark_transform *out, dae_error *err);

/* Matrices of the transformation in extended precision; dae__spark_Qt needs invertible A and M. */
/* alpha = (A; b') */
dae__small dae__spark_alpha(int s, int cols, const double *A, const double *b);
dae__small dae__spark_M(const dae_spark_tableau *t);
dae__small dae__spark_Qt(const dae_spark_tableau *t, dae__small *gamma, dae__small *w);
/* A rounded to double, by rows, in the arena; NULL: out of memory. */
double *dae__spark_round(dae__arena *arena, const dae__small *A);

#endif
