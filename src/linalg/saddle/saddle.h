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
#include <daedal/pattern.h>
#include <daedal/status.h>
#include <stdbool.h>

/* Right sides f (forces) and c, solution x (accelerations) and y (multipliers) of M x + A'y = f, A
 * x = -c. */
typedef struct dae__saddle_forces {
  const double *A, *f, *c; /* A = [G; K], dense by columns */
  double *x, *y;
} dae__saddle_forces;

/* Functions of the fused factorisation and solution for one M; solve = NULL: not available. */
typedef struct dae__saddle_fused {
  bool (*solve)(const void *state, const dae__saddle_forces *of);
  /* Minimum-norm correction x in the M norm, with A x = b and M x + A'y = 0, by the factors of the
   * last fused solution; not refined. NULL: not available. */
  void (*correct)(const void *state, const double *A, const double *b, double *x);
  const void *state;
} dae__saddle_fused;

typedef struct dae__saddle_system dae__saddle_system;

typedef struct dae__saddle {
  /* fused solution for the M of the last factorisation or fused solution */
  dae__saddle_fused fused;
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

/* Fused solution: accelerations and multipliers without a stored factorisation; the factors for
 * dae__saddle_solve are lost. same_mass: M has the values of the last call. For a diagonal M the
 * result is bit by bit that of dae__saddle_factor_solve. False: the fused solution does not support
 * these patterns or values, and dae__saddle_factor_solve is to be called. */
static inline bool dae__saddle_solve_fused(dae__saddle *saddle, const double *M, bool same_mass,
                                           const dae__saddle_forces *of)
{
  const dae__saddle_fused *fused = &saddle->fused;
  return same_mass && fused->solve ? fused->solve(fused->state, of)
                                   : dae__saddle_solve_fused_with(saddle, M, of);
}

/* Minimum-norm correction x with A x = b after dae__saddle_solve_fused; false: not available, use a
 * fused solution with f = 0 instead. */
static inline bool dae__saddle_correct(dae__saddle *saddle, const double *A, const double *b,
                                       double *x)
{
  const dae__saddle_fused *fused = &saddle->fused;
  if (!fused->correct)
    return false;
  fused->correct(fused->state, A, b, x);
  return true;
}

int dae__saddle_column(const dae__saddle *saddle);
double dae__saddle_rcond(const dae__saddle *saddle);
/* Name of the backend of the last factorisation: "small", "schur" or "full" without pivoting
 * (saddle_backend.h), or that of dae__solver_kind. */
const char *dae__saddle_kind(const dae__saddle *saddle);
void dae__saddle_free(dae__saddle *saddle);

#endif
