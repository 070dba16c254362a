/* Saddle systems of any size with a symmetric, definite M by the Schur complement, without pivoting
 * (D1 and E the diagonal added):
 *
 *   [ M + D1  A' ] [ x ]   [ a ]       M + D1 = L D L',  W = L\A',  S = W'D^-1 W - E,  u = L\a
 *   [ A       E  ] [ y ] = [ b ]       y = S\(W'D^-1 u - b),  x = L'\(D^-1 (u - W y))
 *
 * L = 1 for a diagonal M. E <= 0 makes S definite; a row of zeros may have any E. Where the
 * residual of the second row exceeds round-off, the solution is refined with the residual of the
 * whole system [S80]; the first row of a diagonal M holds by construction. */
#ifndef DAEDAL_LINALG_SADDLE_SADDLE_SCHUR_H
#define DAEDAL_LINALG_SADDLE_SADDLE_SCHUR_H

#include "core/arena.h"
#include <daedal/pattern.h>
#include <stdbool.h>

/* Matrix values of a saddle system in the order of its patterns; diagonal may be NULL. same_mass: M
 * is that of the last factorisation, and neither has a diagonal added. */
typedef struct dae__saddle_values {
  const double *M, *G, *K, *diagonal;
  bool same_mass;
} dae__saddle_values;

typedef struct dae__saddle_schur dae__saddle_schur;

/* Creates the factorisation, all of which is state of the arena; NULL: out of memory. */
dae__saddle_schur *dae__saddle_schur_create(dae__arena *arena, const dae_pattern *M,
                                            const dae_pattern *G, const dae_pattern *K);
/* Factors the matrix; false: pivoting is needed. */
bool dae__saddle_schur_factor(const dae__saddle_schur *s, const dae__saddle_values *values);
/* Solves with the last factorisation. In: right sides a and b. Out: x and y. */
void dae__saddle_schur_solve(const dae__saddle_schur *s, double *a, double *b);
/* Smallest ratio of a pivot to its value before the elimination. */
double dae__saddle_schur_rcond(const dae__saddle_schur *s);

#endif
