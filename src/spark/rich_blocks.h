/* The blocks of the richer iteration for a mechanical problem: for an eigenvalue mu
 * of A,
 *
 *   [ M - h mu f_v - (h mu)^2 f_q    G'  K' ]
 *   [ G                                     ]
 *   [ K + h mu k_q                          ]
 *
 * complex, and solved as real systems of twice the size, [Re -Im; Im Re]. The derivatives of p with
 * respect to q are left out: they cancel against those of F up to terms that are not stiff. */
#ifndef DAEDAL_SPARK_RICH_BLOCKS_H
#define DAEDAL_SPARK_RICH_BLOCKS_H

#include "linalg/solver.h"
#include "problem/mech.h"
#include <complex.h>

/* f_q or f_v, taken out of J */
typedef struct dae__rich_part {
  dae_pattern pattern; /* nq x nq */
  int *entry;          /* of J */
  double *values;
} dae__rich_part;

typedef struct dae__rich_blocks {
  dae__mech *m;
  int n, count;         /* rows of a block before doubling; blocks */
  dae__solver **solver; /* count */
  dae__rich_part fq, fv;
  double *J, *M, *G, *K, *kq; /* values at the point of the last derivatives */
  double *matrix, *x;         /* 2n x 2n, 2n */
  dae_pattern pattern, one;
  dae__block *block; /* for each quarter: M, f_v, f_q, G', K', G, K, k_q, taken out */
} dae__rich_blocks;

dae_status dae__rich_blocks_create(dae__arena *arena, dae__mech *m, int count,
                                   dae__rich_blocks *out, dae_error *err);
/* Evaluates what the blocks are made of. */
dae_status dae__rich_blocks_derive(dae__rich_blocks *b, const dae_mechanical_at *at,
                                   dae_error *err);
/* Factors block i with h mu. */
dae_status dae__rich_blocks_factor(dae__rich_blocks *b, int i, double complex hmu, dae_error *err);
/* x = block i \ x */
void dae__rich_blocks_solve(dae__rich_blocks *b, int i, double complex *x);
/* out -= (h mu f_v + (h mu)^2 f_q) w delta in the first nq rows, += h mu k_q w delta in those of k
 */
void dae__rich_blocks_move(const dae__rich_blocks *b, double complex hmu, double complex w,
                           const double *delta, double complex *out);
void dae__rich_blocks_free(dae__rich_blocks *b);

#endif
