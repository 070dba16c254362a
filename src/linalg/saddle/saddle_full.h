/* What the two ways for a full M have in common. */
#ifndef DAEDAL_LINALG_SADDLE_SADDLE_FULL_H
#define DAEDAL_LINALG_SADDLE_SADDLE_FULL_H

#include "linalg/saddle/saddle_backend.h"
#include <float.h>

/* Asymmetry that is round-off, relative to the masses of the two coordinates: some units of the
 * last digit, as the terms of an entry may be added in another order than those of its counterpart.
 */
#define DAE__SADDLE_ASYMMETRY (16 * DBL_EPSILON)
/* beyond, squares and products of masses lose digits */
#define DAE__SADDLE_LIGHT 1e-140
#define DAE__SADDLE_HEAVY 1e140

#define DAE__SADDLE_FULL_SMALL 8 /* coordinates up to which there is dae__saddle_small_mass */

/* n coordinates, M = L D L' */
typedef struct dae__saddle_small_mass {
  size_t n;
  double L[DAE__SADDLE_FULL_SMALL][DAE__SADDLE_FULL_SMALL], r[DAE__SADDLE_FULL_SMALL]; /* r = 1/D */
} dae__saddle_small_mass;

/* dae__saddle_solve_fused for up to so many coordinates and one row or two, by the mass that was
 * taken last; M column-major with all entries. */
bool dae__saddle_small_mass_take(dae__saddle_small_mass *mass, const double *M);
dae__saddle_fused dae__saddle_small_mass_fused(const dae__saddle_small_mass *mass, bool two);

#endif
