/* Linear complementarity problems
 *
 *   0 <= z,   w = M z + q >= 0,   z'w = 0
 *
 * by Lemke's method with lexicographic ties [CPS92 4.4]: it ends after finitely many pivots also
 * where the problem is degenerate, as those of contacts with redundant normals are. M may be any
 * matrix; for copositive M, such as those of impacts, a ray means that there is no solution. */
#ifndef DAEDAL_LINALG_LCP_H
#define DAEDAL_LINALG_LCP_H

#include "core/arena.h"
#include <stdbool.h>

typedef struct dae__lcp {
  int n;
  double *B;      /* [B^-1 q, B^-1], B the basis: n + 1 columns of n numbers */
  double *column; /* B^-1 times the entering column */
  int *basis;     /* variable of each row: w_i as i, z_i as n + i, the artificial one as 2n */
  double *LU, *z; /* matrix and solution of the last basis, solved anew from M and q */
  int *pivot, *basic;
} dae__lcp;

void dae__lcp_create(dae__arena *arena, int n, dae__lcp *out);

/* Solves the problem of n unknowns, at most those of the creation; M by columns. False: the method
 * ends on a ray, or by its limit of pivots. The solution is not checked: see dae__lcp_error. */
bool dae__lcp_solve(dae__lcp *lcp, int n, const double *M, const double *q, double *z);

/* Largest violation of z >= 0, w >= 0 and z_i w_i = 0 (as min(z_i, w_i)) by z. */
double dae__lcp_error(int n, const double *M, const double *q, const double *z);

#endif
