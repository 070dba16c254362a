/* Saddle systems inside an iteration, which corrects what is not quite right:
 *
 *   [ M  A' ] [ x ]   [ a ]
 *   [ A  0  ] [ y ] = [ b ]
 *
 * for few unknowns, one M and many A. M is inverted once, and S = A M^-1 A' is factored without
 * pivoting and without a look at what is lost by that: a fifth of what dae__saddle takes. */
#ifndef DAEDAL_LINALG_SADDLE_UNPIVOTED_H
#define DAEDAL_LINALG_SADDLE_UNPIVOTED_H

#include "core/arena.h"
#include <stdbool.h>

#define DAE__UNPIVOTED_ROWS 6 /* of A, most */

typedef struct dae__unpivoted dae__unpivoted;

/* For up to DAE__SMALL_N coordinates, up to DAE__UNPIVOTED_ROWS rows, and so many A at a time;
 * NULL: out of memory. */
dae__unpivoted *dae__unpivoted_create(dae__arena *arena, int n, int m, int count);
/* M, n x n by columns, whose inverse is kept; false: it is not symmetric, or singular. */
bool dae__unpivoted_mass(dae__unpivoted *o, const double *M);
/* Rows of a column of A as factor takes it: m, made even by a row of zeros. */
int dae__unpivoted_stride(const dae__unpivoted *o);
/* This A, by columns, aligned, which need not stay; false: its rows depend on each other, or M is
 * not definite along them. */
bool dae__unpivoted_factor(const dae__unpivoted *o, int which, const double *A);
/* In: a and b. Out: x and y. */
void dae__unpivoted_solve(const dae__unpivoted *o, int which, double *x, double *y);

#endif
