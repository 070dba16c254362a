/* Saddle systems with 1 to DAE__SCHUR_ROWS rows by the kernel of schur_kernel.h. The kernel for a
 * number of rows, diagonal or dense M, is one entry of a table. */
#ifndef DAEDAL_LINALG_SADDLE_SCHUR_SMALL_H
#define DAEDAL_LINALG_SADDLE_SCHUR_SMALL_H

#include "core/arena.h"
#include <daedal/pattern.h>
#include <math.h>
#include <stdbool.h>

#define DAE__SCHUR_ROWS 6 /* largest number of rows with a kernel */

/* Diagonal entry of the Schur complement below which its products count as underflowed. */
#define DAE__SCHUR_UNDERFLOW 1e-280
/* Residual r = b - A x, relative to |b| + |A| |x|, above which a solution is refined [S80]: sums of
 * some dozens of products, each with a relative error of 1.1e-16, stay below it. Without pivoting A
 * x = b loses digits where M is light in directions that A constrains, and where A is
 * ill-conditioned. */
#define DAE__SCHUR_ROUND_OFF 1e-14
/* Largest asymmetry of M that counts as round-off, relative to the masses of the two coordinates:
 * some units in the last place, as the terms of an entry and of its mirror entry may be summed in
 * different order. */
#define DAE__SCHUR_ASYMMETRY (16 * 2.2204460492503131e-16)
/* Range of masses whose squares and products neither underflow nor overflow. */
#define DAE__SCHUR_MASS_MIN 1e-140
#define DAE__SCHUR_MASS_MAX 1e140

/* Smallest pivot, relative to its reference value, that is accepted without pivoting. Iterative
 * refinement repairs solutions after a smaller loss of digits. Of 2e5 random saddle systems (masses
 * 1e-6 to 1e6, rows 1e-4 to 1e4) some with two or more smaller pivots remained inaccurate with a
 * limit of 1e-8, none with 1e-6. */
#define DAE__LDL_TINY 1e-6

/* Smallest pivot, relative to its reference value, after which a solution need not be checked: two
 * digits are lost at most. */
#define DAE__LDL_SMALL 1e-2

/* Whether a pivot has the sign of its reference value `scale`, is finite and not tiny. */
static inline bool dae__ldl_usable(double pivot, double scale)
{
  return (scale < 0 ? -pivot : pivot) >= DAE__LDL_TINY * fabs(scale) && fabs(pivot) < INFINITY;
}

/* Factors of M = L D L': r = 1/D, and the rows of L below the diagonal, n numbers each. M and L
 * have the same envelope: row i is zero before column first_i. That of the present values makes M
 * diagonal, block-diagonal, banded or dense. */
typedef struct dae__schur_mass {
  int n, *diagonal; /* diagonal: whether L = 1 */
  int *first;
  double *r, *L; /* L = NULL: every M is diagonal */
} dae__schur_mass;

/* Factors of one saddle matrix. */
typedef struct dae__schur {
  bool symmetric;  /* B = G */
  double *W, *V;   /* L\B' and L\G', m numbers for each coordinate; V = W where B = G */
  double *a;       /* n numbers: workspace of refined solutions */
  const double *A; /* B = G as it was factored, for refined solutions; NULL: not refined */
  double S[DAE__SCHUR_ROWS][DAE__SCHUR_ROWS], r[DAE__SCHUR_ROWS]; /* see schur_eliminate */
  int order[DAE__SCHUR_ROWS];
  bool refined; /* whether the last solution by solve_fused was checked and had to be refined */
} dae__schur;

/* Right sides f (forces) and c, solution x (accelerations) and y (multipliers) of M x + B'y = f, A
 * x = -c. */
typedef struct dae__saddle_forces {
  const double *A, *f, *c; /* A = [G; K], dense by columns */
  const double *B;         /* directions of the constraint forces like A; NULL: B = A */
  double *x, *y;
  bool unchecked; /* A x = -c is checked, and the solution refined, after small pivots only */
} dae__saddle_forces;

typedef struct dae__schur_kernel {
  /* Factors the saddle matrix, G = NULL: G = B. tiny: smallest pivot relative to its value before
   * the elimination. False: S is singular, or needs pivoting. */
  bool (*factor)(const dae__schur_mass *M, double tiny, const double *B, const double *G,
                 dae__schur *f);
  /* Solves with the factors. In: right sides a in x, b in y. Out: solution x and y, refined where
   * the factors have A. */
  void (*solve)(const dae__schur_mass *M, const dae__schur *f, double *x, double *y);
  /* Factors, solves, checks A x = -c and refines; false: it does not hold to round-off, the
   * solution is not finite, or factor fails. x and y are distinct from f and c; W of a diagonal M
   * is not stored. */
  bool (*solve_fused)(const dae__schur_mass *M, dae__schur *f, const dae__saddle_forces *of);
  /* Minimum-norm correction x, with A x = b and M x + A'y = 0, by the factors of solve_fused with
   * the same A and B = A; y may be NULL. */
  void (*correct)(const dae__schur_mass *M, const dae__schur *f, const double *A, const double *b,
                  double *x, double *y);
} dae__schur_kernel;

/* Allocates the factors of M as state of the arena, and those of `count` saddle matrices with up to
 * m rows; the caller checks the arena. */
void dae__schur_mass_create(dae__arena *arena, int n, bool dense, dae__schur_mass *out);
dae__schur *dae__schur_create(dae__arena *arena, int n, int m, int count);
/* Factors M, n x n with both triangles; false: M is not symmetric, not definite, or not diagonal
 * where L is NULL. A pattern with entries off the diagonal may hold a diagonal matrix. */
bool dae__schur_mass_set(const dae__schur_mass *mass, const dae_pattern *pattern, const double *M);
/* Copies the values of a pattern into A, m numbers for each column, whose row `first` is the
 * pattern's row 0. */
void dae__schur_put_rows(const dae_pattern *p, const double *values, int first, int m, double *A);
/* Kernel for m rows and the M of the last dae__schur_mass_set. */
const dae__schur_kernel *dae__schur_kernel_for(const dae__schur_mass *M, int m);
/* Smallest ratio of a pivot of M or S to its value before the elimination, B = G. */
double dae__schur_rcond(const dae__schur_mass *M, const dae__schur *f, int m);

#endif
