/* The equations of a problem at one stage of a collocation method, in the reduced form. Unknowns
 * are the highest derivatives and the algebraic part,
 *
 *   mechanical      k = (v', u', w, lambda, psi)     at  z = (q, v, u, w, lambda, psi)
 *   semi-explicit   k = (x', y)                      at  z = (x, y)
 *
 *   R(t, z, k) = (M v' + G' lambda + K' psi - f,  u' - s,  -c,  G v' + gamma,  K v' + kappa)
 *                (M x' - f,  -F)
 *
 * where q and v, u, x are integrals of k along the step. With A = T diag(mu) T^-1 the matrix of a
 * simplified Newton iteration on all stages decouples into blocks
 *
 *   B(w) = P0 + w P1 + w^2 P2,   w = h mu,   P0 = R_k,  P1 = R_v + R_u (R_x),  P2 = R_q
 *
 * of the size of one stage. Derivatives of G v' + gamma and K v' + kappa by q are left out: they
 * are not stiff.
 *
 * In small mechanical systems R is preconditioned by R_k of each stage; the Newton iteration then
 * runs on the differential part x = (v', u') alone:
 *
 *   R_k\R = (x - x(t, z),  y - y(t, z)),   B(w) = 1 + w P0\P1 + w^2 P0\P2 in the rows of x.
 *
 * Blocks are smaller, and the rotation of G within a step no longer limits the contraction. The
 * disadvantage: round-off of a stiff force spreads over all rows of x, in directions other than
 * those of the matrices, and is a lower bound of the increments. */
#ifndef DAEDAL_ONESTEP_RADAU_REDUCED_H
#define DAEDAL_ONESTEP_RADAU_REDUCED_H

#include "linalg/pair.h"
#include "linalg/solver.h"
#include "linalg/zsolver.h"
#include "onestep/host/adapter.h"

#define DAE__REDUCED_PAIRS 3 /* number of complex blocks of 7 stages */

/* Time, state and unknowns at which R is evaluated. */
typedef struct dae__reduced_at {
  double t;
  const double *z, *k;
  int stage;     /* index of the stage whose preconditioner R_k is applied */
  bool refactor; /* R_k is factored at this point; false: the last R_k of the stage is used */
  /* point is the end of the step: constraint residuals are stored for correct_end */
  bool end;
} dae__reduced_at;

typedef struct dae__reduced dae__reduced;

typedef struct dae__reduced_table {
  /* Computes r = R by one evaluation, or r = R_k\R with memory->preconditioned. */
  dae_status (*residual)(void *self, const dae__reduced_at *at, double *r, dae_error *err);
  /* Evaluates P0, P1, P2 at the point. */
  dae_status (*linearise)(void *self, const dae__reduced_at *at, dae_error *err);
  /* Factors R_k at the point of linearise; false: R_k is singular. NULL, together with
   * precondition: no preconditioner. */
  bool (*factor_preconditioner)(void *self);
  /* b = R_k\b, with R_k as last factored by residual or factor_preconditioner */
  void (*precondition)(const void *self, double *b);
  /* Corrects the end z of a step towards its constraints in the norm of B(w), with the constraint
   * residuals stored by `residual` and the change dz of z since their evaluation. Evaluates
   * derivatives of velocity constraints only. NULL: no constraints. */
  dae_status (*correct_end)(void *self, double t, const double *dz, double *z, dae_error *err);
  /* Name of unknown i, for messages. */
  void (*name)(const void *self, int i, char *text, size_t size);
} dae__reduced_table;

typedef struct dae__reduced_memory {
  long jacobians, factorisations;
  bool preconditioned; /* blocks are reduced to the differential part by the preconditioner */
} dae__reduced_memory;

struct dae__reduced {
  const dae__reduced_table *table;
  void *self;
  /* Number of coordinates q, of other differential unknowns, and of unknowns; the state has n2 + n
   * entries. */
  int n2, n1, n;
  /* Number of unknowns with an entry on the diagonal of B, the first ones; 0: not known. */
  int late;
  bool *tested;     /* n: unknowns that enter norms, all but multipliers */
  int tested_count; /* number of unknowns that enter norms */
  bool index_2;     /* algebraic variables are of index 2 */
  /* problem has algebraic equations: Jacobians are evaluated at the start of steps only */
  bool algebraic;
  dae_pattern pattern; /* pattern of B for all unknowns */
  /* pattern of B for the differential part; no columns: no preconditioner */
  dae_pattern differential;
  int powers; /* number of matrices P: 3, or 2 without P2 */
  /* saved: P0, P1, P2; preconditioned: P[1] = P0\P1 and P[2] = P0\P2, all rows */
  double *P[3];
  dae__reduced_memory *memory; /* state saved with the integrator */
  dae__solver *real;
  dae__zsolver *pair[DAE__REDUCED_PAIRS];
  dae__solver *other_real; /* second set of solvers, for factors beside those of the steps */
  dae__zsolver *other_pair[DAE__REDUCED_PAIRS];
  int pairs;
  double *values;
  double complex *zvalues;
};

/* Creates the reduced form with at most `pairs` complex blocks. The adapter must outlive it. */
dae_status dae__reduced_create(dae__arena *arena, const dae_adapter *adapter, int pairs,
                               dae__reduced **out, dae_error *err);
void dae__reduced_free(dae__reduced *r); /* r may be NULL */

/* Number of rows of the blocks. */
static inline int dae__reduced_rows(const dae__reduced *r)
{
  return r->memory->preconditioned ? r->n2 + r->n1 : r->n;
}
/* Switches preconditioning on, if wanted and possible, or off; called after linearise. */
void dae__reduced_precondition(dae__reduced *r, bool wanted);
/* Moves y, solved for at z - dz by R_k\R, to the state z to first order; dz = (dq, dv, du). */
void dae__reduced_update_algebraic(const dae__reduced *r, const double *dz, double *y);

/* Factors B(real) and B(pair[i]). */
dae_status dae__reduced_factor(dae__reduced *r, double real, int pairs, const double complex *pair,
                               dae_error *err);

/* Exchanges the two sets of solvers; `other`: the second set is used from here on, independent of
 * its earlier factors. */
void dae__reduced_other_solvers(dae__reduced *r, bool other);

/* to = part[0] P0 + part[1] P1 + part[2] P2 for `count` entries from `first` on; requires powers =
 * 3 */
static inline void dae__reduced_combine(const dae__reduced *r, int first, int count,
                                        const double part[3], double *restrict to)
{
  const double *P0 = r->P[0] + first, *P1 = r->P[1] + first, *P2 = r->P[2] + first;
  int e = 0;
  for (; e + 2 <= count; e += 2)
    dae__pair_to(to + e, part[0] * dae__pair_from_anywhere(P0 + e) +
                             part[1] * dae__pair_from_anywhere(P1 + e) +
                             part[2] * dae__pair_from_anywhere(P2 + e));
  if (e < count)
    to[e] = part[0] * P0[e] + part[1] * P1[e] + part[2] * P2[e];
}

/* Right side P0 e - w P2 e_q of the error filter B(w) e' = P0 e - w P2 e_q in the rows of the
 * blocks; e has the n2 + n1 entries of the differential part, e_q those of the coordinates. */
void dae__reduced_filter(const dae__reduced *r, double w, const double *e, const double *e_q,
                         double *out);

/* ---- assembly of P0, P1, P2 ---- */

/* A term of P[power]: factor times selected columns of a matrix, placed at (row, col). */
typedef struct dae__reduced_term {
  int power;
  double factor;
  const double *values;
  dae_pattern pattern;
  dae__block block;
} dae__reduced_term;

#define DAE__REDUCED_TERMS 20

typedef struct dae__reduced_terms {
  dae__reduced_term at[DAE__REDUCED_TERMS];
  int count;
} dae__reduced_terms;

/* Placement of a term, and the selected columns col0 ... col1 - 1 of its matrix; col1 = 0: all
 * columns. */
typedef struct dae__reduced_place {
  int power;
  double factor;
  int row, col;
  bool transposed;
  int col0, col1;
} dae__reduced_place;

void dae__reduced_term_add(dae__arena *arena, dae__reduced_terms *terms, dae__reduced_place place,
                           const dae_pattern *pattern, const double *values);
/* Creates the pattern of B and the memory of P; a lack of memory is recorded in the arena. */
void dae__reduced_merge(dae__arena *arena, dae__reduced_terms *terms, dae__reduced *r);
/* Assembles P from the present values of the terms. */
void dae__reduced_gather(const dae__reduced_terms *terms, dae__reduced *r);

dae_status dae__reduced_mechanical(dae__arena *arena, const dae_adapter *adapter, dae__reduced *r,
                                   dae_error *err);
dae_status dae__reduced_semi(dae__arena *arena, const dae_adapter *adapter, dae__reduced *r,
                             dae_error *err);

#endif
