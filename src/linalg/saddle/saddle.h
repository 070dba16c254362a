/* The saddle system that all mechanical methods share:
 *
 *   [ M  A' ] [ x ]   [ a ]           A = [G; K]
 *   [ A  0  ] [ y ] = [ b ]
 *
 * with a diagonal that may be added: shifts -delta for the proximal treatment of dependent rows,
 * ones for coordinates and rows taken out. M may be singular as long as the whole is regular: where
 * M is symmetric and definite and the system small, it is eliminated first and without pivoting,
 * otherwise the whole is one pivoted factorisation. */
#ifndef DAEDAL_LINALG_SADDLE_SADDLE_H
#define DAEDAL_LINALG_SADDLE_SADDLE_H

#include "core/arena.h"
#include <daedal/pattern.h>
#include <daedal/status.h>
#include <stdbool.h>

typedef struct dae__saddle dae__saddle;

/* M is n x n with both triangles, G is ng x n, K is nk x n. */
dae_status dae__saddle_create(dae__arena *arena, const dae_pattern *M, const dae_pattern *G,
                              const dae_pattern *K, dae__saddle **out, dae_error *err);
/* Another one of the same patterns with factorisations of its own. Places in the matrix and scratch
 * memory are those of the first, which has to live as long. */
dae_status dae__saddle_create_another(dae__arena *arena, const dae__saddle *first,
                                      dae__saddle **out, dae_error *err);
/* diagonal: n + ng + nk numbers added to the diagonal, or NULL. DAE_ERROR_SINGULAR: the unknown
 * concerned is dae__saddle_column (a coordinate below n, a row of G, then of K, above). */
dae_status dae__saddle_factor(dae__saddle *saddle, const double *M, const double *G,
                              const double *K, const double *diagonal);
/* In: a (n) and b (ng + nk). Out: x and y. */
void dae__saddle_solve(dae__saddle *saddle, double *top, double *bottom);
/* Factors without diagonal and solves; same_mass: M has the values of the last factorisation. */
dae_status dae__saddle_factor_solve(dae__saddle *saddle, const double *M, bool same_mass,
                                    const double *G, const double *K, double *top, double *bottom);

/* Forces f and right sides c, and what they lead to: M x + A'y = f, A x = -c. */
typedef struct dae__saddle_forces {
  const double *A, *f, *c; /* A = [G; K], all its entries by columns */
  double *x, *y;
} dae__saddle_forces;

/* How that is solved for the M that is there; pass = NULL: it is not. A dae__saddle begins with
 * one. */
typedef struct dae__saddle_fused {
  bool (*pass)(const void *state, const dae__saddle_forces *of);
  /* x with A x = b that takes the least force, M x + A'y = 0, by what the last pass has made of A;
   * not refined, for corrections. NULL: there is no such way. */
  void (*lead)(const void *state, const double *A, const double *b, double *x);
  const void *state;
} dae__saddle_fused;

bool dae__saddle_solve_fused_new(dae__saddle *saddle, const double *M,
                                 const dae__saddle_forces *of);

/* Solves that without a factorisation: what dae__saddle_solve goes by is gone. same_mass: M has the
 * values of the last time. Of a diagonal M the bits are those of a factorisation and a solution,
 * which are to be taken where this says false: the patterns or the values do not allow it. */
static inline bool dae__saddle_solve_fused(dae__saddle *saddle, const double *M, bool same_mass,
                                           const dae__saddle_forces *of)
{
  const dae__saddle_fused *quick = (const dae__saddle_fused *)saddle;
  return same_mass && quick->pass ? quick->pass(quick->state, of)
                                  : dae__saddle_solve_fused_new(saddle, M, of);
}

/* After dae__saddle_solve_fused, see above; false: a pass has to do. */
static inline bool dae__saddle_correct(dae__saddle *saddle, const double *A, const double *b,
                                       double *x)
{
  const dae__saddle_fused *quick = (const dae__saddle_fused *)saddle;
  if (!quick->lead)
    return false;
  quick->lead(quick->state, A, b, x);
  return true;
}

int dae__saddle_column(const dae__saddle *saddle);
double dae__saddle_rcond(const dae__saddle *saddle);
/* What the last factorisation was made by: "few", "schur" or "full" without pivoting (see
 * saddle_way.h), or what dae__solver_kind says. */
const char *dae__saddle_kind(const dae__saddle *saddle);
dae_status dae__saddle_reload(dae__saddle *saddle);
void dae__saddle_free(dae__saddle *saddle);

#endif
