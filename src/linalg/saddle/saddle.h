/* The saddle system of all mechanical methods:
 *
 *   [ M  A' ] [ x ]   [ a ]           A = [G; K]
 *   [ A  0  ] [ y ] = [ b ]
 *
 * with an optional diagonal: shifts -delta for the proximal treatment of dependent rows, ones for
 * coordinates and rows taken out. M may be singular as long as the whole is regular: where M is
 * symmetric and definite and the system small, it is eliminated first and without pivoting,
 * otherwise the whole is one pivoted factorisation. */
#ifndef DAEDAL_LINALG_SADDLE_SADDLE_H
#define DAEDAL_LINALG_SADDLE_SADDLE_H

#include "core/arena.h"
#include "linalg/saddle/schur_small.h"
#include <daedal/pattern.h>
#include <daedal/status.h>
#include <stdbool.h>

typedef struct dae__saddle_system dae__saddle_system;

typedef struct dae__saddle {
  /* kernel and factors of the fused solution; NULL: not available, or M is not set */
  const dae__schur_kernel *fused;
  dae__schur_mass mass;
  dae__schur *factors;
  dae__saddle_system *system; /* patterns and factorisations, private to saddle.c */
} dae__saddle;

/* Creates a saddle system. M is n x n with both triangles, G is ng x n, K is nk x n. */
dae_status dae__saddle_create(dae__arena *arena, const dae_pattern *M, const dae_pattern *G,
                              const dae_pattern *K, dae__saddle **out, dae_error *err);
/* Creates a saddle system of the same patterns with factorisations of its own. It shares the merged
 * pattern and scratch memory with `first`, which must live as long. */
dae_status dae__saddle_create_sharing(dae__arena *arena, const dae__saddle *first,
                                      dae__saddle **out, dae_error *err);
/* Factors the saddle matrix. diagonal: n + ng + nk numbers added to the diagonal, or NULL.
 * DAE_ERROR_SINGULAR: dae__saddle_column is the unknown concerned (a coordinate below n, then the
 * rows of G, then those of K). */
dae_status dae__saddle_factor(dae__saddle *saddle, const double *M, const double *G,
                              const double *K, const double *diagonal);
/* Solves with the last factorisation. In: right sides a (n) and b (ng + nk). Out: x and y. */
void dae__saddle_solve(dae__saddle *saddle, double *top, double *bottom);
/* Factors without an added diagonal and solves; same_mass: M has the values of the last
 * factorisation. */
dae_status dae__saddle_factor_solve(dae__saddle *saddle, const double *M, bool same_mass,
                                    const double *G, const double *K, double *top, double *bottom);

/* Fused solution of dae__saddle_solve_fused for new values of M. */
bool dae__saddle_solve_fused_with(dae__saddle *saddle, const double *M,
                                  const dae__saddle_forces *of);

/* Fused solution: accelerations and multipliers without a stored factorisation, for at most
 * DAE__SCHUR_ROWS rows. same_mass: M has the values of the last call. False: the fused solution
 * does not support these patterns or values, and dae__saddle_factor_solve is to be called. */
static inline bool dae__saddle_solve_fused(dae__saddle *saddle, const double *M, bool same_mass,
                                           const dae__saddle_forces *of)
{
  return same_mass && saddle->fused ? saddle->fused->solve_fused(&saddle->mass, saddle->factors, of)
                                    : dae__saddle_solve_fused_with(saddle, M, of);
}

/* Whether the last fused solution that was checked had to be refined. */
static inline bool dae__saddle_refined(const dae__saddle *saddle)
{
  return saddle->factors->refined;
}

/* Minimum-norm correction x in the M norm, with A x = b and M x + A'y = 0, after
 * dae__saddle_solve_fused with the same A and B = A; not refined. False: not available. */
static inline bool dae__saddle_correct(dae__saddle *saddle, const double *A, const double *b,
                                       double *x)
{
  if (!saddle->fused)
    return false;
  saddle->fused->correct(&saddle->mass, saddle->factors, A, b, x, NULL);
  return true;
}

int dae__saddle_column(const dae__saddle *saddle);
double dae__saddle_rcond(const dae__saddle *saddle);
/* Smallest ratio of a pivot of A M^-1 A' to size_i^2, after dae__saddle_solve_fused with B = A. */
double dae__saddle_margin_fused(const dae__saddle *saddle, const double *size);
/* Name of the backend of the last factorisation: "schur" without pivoting (saddle_schur.h), or that
 * of dae__solver_kind. */
const char *dae__saddle_kind(const dae__saddle *saddle);
void dae__saddle_free(dae__saddle *saddle);

#endif
