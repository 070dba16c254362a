/* Saddle systems inside an iteration, which corrects inaccurate solutions:
 *
 *   [ M  A' ] [ x ]   [ a ]
 *   [ A  0  ] [ y ] = [ b ]
 *
 * for small systems, one M and many A. M is inverted once, and S = A M^-1 A' is factored without
 * pivoting and without a check of the digits lost, in a fifth of the time of dae__saddle. */
#ifndef DAEDAL_LINALG_SADDLE_UNPIVOTED_H
#define DAEDAL_LINALG_SADDLE_UNPIVOTED_H

#include "core/arena.h"
#include <stdbool.h>

#define DAE__UNPIVOTED_ROWS 6 /* largest number of rows of A */

typedef struct dae__unpivoted dae__unpivoted;

/* Creates a solver for up to DAE__SMALL_N coordinates, 1 to DAE__UNPIVOTED_ROWS rows, and count
 * matrices A at a time; NULL: out of memory. */
dae__unpivoted *dae__unpivoted_create(dae__arena *arena, int n, int m, int count);
/* Inverts M, n x n by columns; false: M is not symmetric, or singular. */
bool dae__unpivoted_mass(dae__unpivoted *o, const double *M);
/* Leading dimension of the matrices A: m, made even by a row of zeros. */
int dae__unpivoted_stride(const dae__unpivoted *o);
/* Factors S for the matrix A number `which`, given by columns and aligned; false: the rows of A
 * depend on each other, or M is not definite along them. */
bool dae__unpivoted_factor(const dae__unpivoted *o, int which, const double *A);
/* Solves with matrix number `which`. In: right sides a in x, b in y. Out: solution x and y. */
void dae__unpivoted_solve(const dae__unpivoted *o, int which, double *x, double *y);

#endif
