/* Schur complement of a diagonal M, common to saddle_schur.c and saddle_small.c (D1 and E the
 * diagonal added):
 *
 *   D = M + D1,  B = A D^-1,  S = A B' - E = L P L'
 *   y = S\(B a - b),  x = D^-1 a - B'y
 *
 * D > 0 and E <= 0 make S definite; a row of zeros may have any E. The first row of the system
 * holds by construction. Where the residual r of the second exceeds round-off, the solution is
 * refined: dy = S\(-r), y += dy, x -= B'dy. */
#ifndef DAEDAL_LINALG_SADDLE_SADDLE_SCHUR_H
#define DAEDAL_LINALG_SADDLE_SADDLE_SCHUR_H

#include "linalg/saddle/saddle_backend.h"

typedef struct dae__schur {
  dae__saddle_rows rows; /* rows A; saddle_schur.c uses the leading dimension `size` */
  size_t size;           /* number of rows, rounded up to an even number */
  /* index of the diagonal entry (j, j) in the values of M, -1: not in the pattern */
  int *place;
  /* saved state. r = D^-1, B = A D^-1, S: factors L and 1/P of dae__ldl_factor */
  double *r, *B, *S;
  double *scale; /* saved state: diagonal of the Schur complement */
  double *u, *y, *residual;
} dae__schur;

/* Creates the state of both backends; stride: leading dimension of A. */
dae_status dae__schur_create(dae__arena *arena, const dae__saddle_patterns *patterns, size_t stride,
                             void **state);
/* Sets r = D^-1, diagonal may be NULL; false: D is not positive, or r not finite. */
bool dae__schur_set_masses(const dae__schur *s, const double *M, const double *diagonal);
/* Sets A, E and r; false: D or E has a wrong sign, or r is not finite. */
bool dae__schur_set(const dae__schur *s, const dae__saddle_values *values);

#endif
