/* Symmetric elimination without pivoting, A = L D L', for definite matrices [GSS96]. n is even, A
 * column-major with leading dimension n and aligned to 16 bytes; only the lower triangle is used. L
 * and 1/D overwrite it. */
#ifndef DAEDAL_LINALG_SADDLE_LDL_H
#define DAEDAL_LINALG_SADDLE_LDL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Smallest pivot, relative to its reference value, that is accepted without pivoting. Iterative
 * refinement repairs solutions after a smaller loss of digits. Of 2e5 random saddle systems (masses
 * 1e-6 to 1e6, rows 1e-4 to 1e4) some with two or more smaller pivots remained inaccurate with a
 * limit of 1e-8, none with 1e-6. */
#define DAE__LDL_TINY 1e-6

/* Whether a pivot has the sign of its reference value `scale`, is finite and not tiny. */
static inline bool dae__ldl_usable(double pivot, double scale)
{
  return (scale < 0 ? -pivot : pivot) >= DAE__LDL_TINY * fabs(scale) && fabs(pivot) < INFINITY;
}

/* Factors A. scale: reference value of each pivot, with its sign. u: workspace of 2 n numbers.
 * False: a pivot is not usable. */
bool dae__ldl_factor(size_t n, const double *scale, double *u, double *A);
void dae__ldl_forward(size_t n, const double *A, double *z);  /* z = L\z */
void dae__ldl_backward(size_t n, const double *A, double *z); /* z = L'\(D\z) */
/* smallest ratio of a pivot to its reference value */
double dae__ldl_rcond(size_t n, const double *A, const double *scale);

#endif
