/* Transformation of the stage system for the simplified Newton iteration of an (s,s) tableau
 * [J09 2, 2.1]. With alpha = (A; b'), alphah = (Ah; bh') and alphat = (At; bt'):
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

/* Matrices by rows. */
typedef struct dae__spark_transform {
  int s;
  double *gamma;      /* s + 1: (-b' A^-1, 1) */
  double *w;          /* s */
  double *Qt, *Q;     /* s x (s+1), (s+1) x (s+1) */
  double *Qc;         /* (s+1) x (s+1) */
  double *Qat_inv;    /* (s+1) x (s+1): (Q alphat)^-1, for the increments of lambda */
  double *Qah_inv;    /* s x s: (Qt alphah)^-1, for the increments of psi */
  int reals, blocks;  /* A = T diag(mu) Ti: real eigenvalues, then one of each complex pair; blocks
                         is 0 if A is not diagonalised, as with a multiple eigenvalue */
  double complex *mu; /* blocks */
  double complex *T;  /* s x blocks: x = sum over reals of T_k xi_k + 2 Re sum over pairs */
  double complex *Ti; /* blocks x s: xi = Ti x */
} dae__spark_transform;

/* For a valid tableau with nt = s + 1. The arena holds the matrices; sticky failure. */
void dae__spark_transform_create(dae__arena *arena, const dae_spark_tableau *t,
                                 dae__spark_transform *out);

/* Matrices in extended precision; dae__spark_Qt needs invertible A and M. */
dae__small dae__spark_alpha(int s, int cols, const double *A, const double *b); /* (A; b') */
dae__small dae__spark_M(const dae_spark_tableau *t);
dae__small dae__spark_Qt(const dae_spark_tableau *t, dae__small *gamma, dae__small *w);
/* A rounded to double, by rows, in the arena; NULL: out of memory. */
double *dae__spark_round(dae__arena *arena, const dae__small *A);

#endif
