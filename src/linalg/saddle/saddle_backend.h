/* Backends of dae__saddle without pivoting. A backend refuses values that need pivoting, and
 * dae__saddle then uses its pivoted LU. */
#ifndef DAEDAL_LINALG_SADDLE_SADDLE_BACKEND_H
#define DAEDAL_LINALG_SADDLE_SADDLE_BACKEND_H

#include "core/arena.h"
#include "linalg/pair.h"
#include "linalg/saddle/saddle.h"
#include <daedal/pattern.h>
#include <daedal/status.h>
#include <stdbool.h>

typedef struct dae__saddle_patterns {
  const dae_pattern *M, *G, *K;
} dae__saddle_patterns;

/* Matrix values of a saddle system in the order of its patterns; diagonal may be NULL. same_mass: M
 * is that of the backend's last factorisation, and neither has a diagonal added. */
typedef struct dae__saddle_values {
  const double *M, *G, *K, *diagonal;
  bool same_mass;
} dae__saddle_values;

typedef struct dae__saddle_backend {
  const char *kind;
  /* Allocates the backend's state in the arena; everything that solve reads is saved with the
   * arena. */
  dae_status (*create)(dae__arena *arena, const dae__saddle_patterns *patterns, void **state);
  /* Factors the matrix; false: pivoting is needed. */
  bool (*factor)(void *state, const dae__saddle_values *values);
  void (*solve)(void *state, double *top, double *bottom);
  /* Sets M for the fused solution; false: M is not suitable. NULL: there is no fused solution. */
  bool (*set_mass)(void *state, const double *M);
  /* Functions of the fused solution with the M of the last set_mass, or, for a diagonal M without
   * an added diagonal, of the last factor. */
  dae__saddle_fused (*fused)(const void *state);
  /* smallest ratio of a pivot to its value before elimination */
  double (*rcond)(const void *state);
} dae__saddle_backend;

extern const dae__saddle_backend dae__saddle_small; /* diagonal M, one or two rows of A */
extern const dae__saddle_backend dae__saddle_schur; /* diagonal M */
extern const dae__saddle_backend dae__saddle_full;  /* any symmetric definite M */

/* Constraint rows [A E] of the saddle system, E diagonal. A is column-major with leading dimension
 * `stride`. */
typedef struct dae__saddle_rows {
  size_t n, m, stride;
  double *A, *E;    /* saved state; E has even length */
  int *of_G, *of_K; /* index in A of each entry of G, and of K */
  const dae_pattern *G, *K;
} dae__saddle_rows;

/* Allocates E and the indices of_G, of_K; the caller checks the arena. */
void dae__saddle_rows_create(dae__arena *arena, const dae__saddle_patterns *patterns, size_t stride,
                             double *A, dae__saddle_rows *rows);

/* Copies the values into A and E; false: E is positive in a row of A that is not zero. */
bool dae__saddle_rows_set(const dae__saddle_rows *rows, const dae__saddle_values *values);

/* Diagonal entry of A M^-1 A' below which its products count as underflowed. */
#define DAE__SADDLE_UNDERFLOW 1e-280

/* Residual r = b - A x - E y, relative to |b| + |A| |x| + |E| |y|, above which a solution is
 * refined [S80]: sums of some dozens of products, each with a relative error of 1.1e-16, stay below
 * it. Without pivoting A x + E y = b loses digits where M is light in directions that A constrains,
 * and where A is ill-conditioned. */
#define DAE__SADDLE_ROUND_OFF 1e-14
/* Largest number of refinements. Each refinement gains as many digits as the factorisation has
 * kept, at least nine for one pivot just above DAE__LDL_TINY: more than two are rarely needed. */
#define DAE__SADDLE_REFINEMENTS 3

/* Residual r = b - A x - E y, y and r padded to even length; returns whether r exceeds
 * round-off. */
bool dae__saddle_rows_differ(const dae__saddle_rows *rows, const double *b, const double *x,
                             const double *y, double *r);

#endif
