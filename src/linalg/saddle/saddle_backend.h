/* Backends of dae__saddle without pivoting: where the values do not allow that, a backend refuses
 * and dae__saddle uses its pivoted LU. */
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

/* Values of these patterns; diagonal may be NULL. same_mass: M is that of the backend's last
 * factorisation, and neither has a diagonal. */
typedef struct dae__saddle_values {
  const double *M, *G, *K, *diagonal;
  bool same_mass;
} dae__saddle_values;

typedef struct dae__saddle_backend {
  const char *kind;
  /* state goes to the arena; all that solve needs is state of the arena */
  dae_status (*create)(dae__arena *arena, const dae__saddle_patterns *patterns, void **state);
  bool (*factor)(void *state, const dae__saddle_values *values); /* false: pivoting is needed */
  void (*solve)(void *state, double *top, double *bottom);
  /* Sets M for the fused solution; false: M is not suitable. NULL: there is no fused solution. */
  bool (*set_mass)(void *state, const double *M);
  /* Fused solution with the M of the last set_mass, or of the last factor for a diagonal M and no
   * added diagonal. */
  dae__saddle_fused (*fused)(const void *state);
  double (*rcond)(const void *state); /* smallest pivot over its value before elimination */
} dae__saddle_backend;

extern const dae__saddle_backend dae__saddle_small; /* diagonal values of M, one or two rows */
extern const dae__saddle_backend dae__saddle_schur; /* diagonal values of M */
extern const dae__saddle_backend dae__saddle_full;  /* any M that is symmetric and definite */

/* The rows [A E] of the system, E diagonal. A is column-major with leading dimension `stride`. */
typedef struct dae__saddle_rows {
  size_t n, m, stride;
  double *A, *E;    /* state; E of even length */
  int *of_G, *of_K; /* places of the entries of G and K in A */
  const dae_pattern *G, *K;
} dae__saddle_rows;

/* Allocates E and the places; the caller checks the arena. */
void dae__saddle_rows_create(dae__arena *arena, const dae__saddle_patterns *patterns, size_t stride,
                             double *A, dae__saddle_rows *rows);

/* A and E = the values; false: E is positive in a row that is not zero. */
bool dae__saddle_rows_set(const dae__saddle_rows *rows, const dae__saddle_values *values);

/* Diagonal entry of A M^-1 A' below which its products have underflowed. */
#define DAE__SADDLE_UNDERFLOW 1e-280

/* Without pivoting A x + E y = b loses digits where M is light in directions that A constrains, and
 * where A is ill-conditioned. Solutions are refined [S80] as long as r = b - A x - E y exceeds this
 * part of |b| + |A| |x| + |E| |y|: sums of some dozens of products, each with a relative error of
 * 1.1e-16, stay below it. */
#define DAE__SADDLE_ROUND_OFF 1e-14
/* Largest number of refinements. Each gains the digits that the factorisation has left, at least
 * nine for one pivot just above DAE__LDL_TINY: more than two are rarely made. */
#define DAE__SADDLE_REFINEMENTS 3

/* r = b - A x - E y, y and r padded to even length; returns whether r exceeds round-off. */
bool dae__saddle_rows_differ(const dae__saddle_rows *rows, const double *b, const double *x,
                             const double *y, double *r);

#endif
