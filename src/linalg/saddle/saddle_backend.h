/* Ways to factor saddle systems without pivoting, behind dae__saddle: where the values do not allow
 * that, the way says so and dae__saddle takes its pivoted LU. */
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

/* the values that go with them; diagonal may be NULL. same_mass: M is that of the way's last
 * factorisation, and neither has a diagonal. */
typedef struct dae__saddle_values {
  const double *M, *G, *K, *diagonal;
  bool same_mass;
} dae__saddle_values;

typedef struct dae__saddle_backend {
  const char *kind;
  /* state goes to the arena, with all that solve needs kept */
  dae_status (*create)(dae__arena *arena, const dae__saddle_patterns *patterns, void **state);
  bool (*factor)(void *state, const dae__saddle_values *values); /* false: pivoting is needed */
  void (*solve)(void *state, double *top, double *bottom);
  /* Takes M for dae__saddle_solve_fused; false: it is not one for that. NULL: there is nothing to
   * be gained. */
  bool (*take_masses)(void *state, const double *M);
  /* Goes by the M of the last call of that, or of factor where M is diagonal and has nothing added.
   */
  dae__saddle_fused (*quick)(const void *state);
  double (*rcond)(const void *state); /* smallest pivot over what it was before elimination */
} dae__saddle_backend;

extern const dae__saddle_backend dae__saddle_small; /* diagonal values of M, one or two rows */
extern const dae__saddle_backend dae__saddle_schur; /* diagonal values of M */
extern const dae__saddle_backend dae__saddle_full;  /* any M that is symmetric and definite */

/* The rows [A E] of the system, E diagonal. A is column-major with leading dimension `stride`. */
typedef struct dae__saddle_rows {
  size_t n, m, stride;
  double *A, *E;    /* kept; E of even length */
  int *of_G, *of_K; /* where entries of G and K go in A */
  const dae_pattern *G, *K;
} dae__saddle_rows;

/* A is given, E and the places are taken from the arena, whose failure is the caller's to notice.
 */
void dae__saddle_rows_create(dae__arena *arena, const dae__saddle_patterns *patterns, size_t stride,
                             double *A, dae__saddle_rows *rows);

/* A and E = the values; false: E is positive in a row that is not zero. */
bool dae__saddle_rows_set(const dae__saddle_rows *rows, const dae__saddle_values *values);

/* A M^-1 A' has lost digits where its diagonal is below this: products have underflowed. */
#define DAE__SADDLE_UNDERFLOW 1e-280

/* Without pivoting A x + E y = b loses digits where M is light in directions that A holds, and
 * where A is ill-conditioned. Solutions are refined [S80] as long as r = b - A x - E y is more than
 * this part of |b| + |A| |x| + |E| |y|: sums of some dozens of products, each good to 1.1e-16, stay
 * below it. */
#define DAE__SADDLE_ROUND_OFF 1e-14
/* Each refinement gains the digits that the factorisation has left, at least nine for one pivot
 * that is just not tiny (DAE__LDL_TINY): more than two are rarely made. */
#define DAE__SADDLE_REFINEMENTS 3

/* r = b - A x - E y, y and r padded; whether any is more than round-off. */
bool dae__saddle_rows_differ(const dae__saddle_rows *rows, const double *b, const double *x,
                             const double *y, double *r);

#endif
