/* The equations of a problem at one stage of a collocation method, in the reduced form: unknown are
 * the highest derivatives, and what has none,
 *
 *   mechanical      k = (v', u', w, lambda, psi)     at  z = (q, v, u, w, lambda, psi)
 *   semi-explicit   k = (x', y)                      at  z = (x, y)
 *
 *   R(t, z, k) = (M v' + G' lambda + K' psi - f,  u' - s,  -c,  G v' + gamma,  K v' + kappa)
 *                (M x' - f,  -F)
 *
 * where q and v, u, x are integrals of k along the step. With A = T diag(mu) T^-1 the matrix of a
 * simplified Newton iteration on all stages falls apart into blocks
 *
 *   B(w) = P0 + w P1 + w^2 P2,   w = h mu,   P0 = R_k,  P1 = R_v + R_u (R_x),  P2 = R_q
 *
 * of the size of one stage. Left out are the derivatives of G v' + gamma and K v' + kappa by q,
 * which are not stiff.
 *
 * Few unknowns of mechanics can be solved for what has rates, x = (v', u'): with R_k of every stage
 *
 *   R_k\R = (x - x(t, z),  y - y(t, z)),   B(w) = 1 + w P0\P1 + w^2 P0\P2 in the rows of x.
 *
 * Blocks have fewer rows, and that G turns within a step, which limits the iteration on R, is no
 * longer seen. What is lost: the round-off of a stiff force stands in all rows of x, in a direction
 * that is not that of the matrices, and changes do not get smaller than that makes them. */
#ifndef DAEDAL_ONESTEP_RADAU_REDUCED_H
#define DAEDAL_ONESTEP_RADAU_REDUCED_H

#include "linalg/pair.h"
#include "linalg/solver.h"
#include "linalg/zsolver.h"
#include "onestep/host/adapter.h"

#define DAE__REDUCED_PAIRS 3 /* complex blocks, most; stages are one more than twice as many */

/* A point of a stage. */
typedef struct dae__reduced_at {
  double t;
  const double *z, *k;
  int stage; /* whose R_k goes into R_k\R, */
  bool anew; /* that of this point, or of the last one that was to have its own */
  bool end;  /* of the step: what its projection needs is remembered */
} dae__reduced_at;

typedef struct dae__reduced dae__reduced;

typedef struct dae__reduced_table {
  /* r = R, by one evaluation, or R_k\R where memory->solved. */
  dae_status (*residual)(void *self, const dae__reduced_at *at, double *r, dae_error *err);
  /* P0, P1, P2 there. */
  dae_status (*linearise)(void *self, const dae__reduced_at *at, dae_error *err);
  /* R_k where the matrices are, after linearise; false: it will not do. NULL, as divide is then: R
   * is never solved for what has rates. */
  bool (*prepare)(void *self);
  /* b = R_k\b, with R_k of the stage of the last residual, or of prepare if that was later. */
  void (*divide)(const void *self, double *b);
  /* The end z of a step onto its constraints, in the norm of B(w): from what was remembered there,
   * and the change dz of z since then. Without evaluations, but for the derivatives of velocity
   * constraints there. NULL: there are none. */
  dae_status (*land)(void *self, double t, const double *dz, double *z, dae_error *err);
  /* Name of row i of R, for messages. */
  void (*name)(const void *self, int i, char *text, size_t size);
} dae__reduced_table;

typedef struct dae__reduced_memory {
  long jacobians, factorisations;
  bool solved; /* the blocks are those of what has rates */
} dae__reduced_memory;

struct dae__reduced {
  const dae__reduced_table *table;
  void *self;
  int n2, n1, n;       /* coordinates; other states; unknowns. The state vector has n2 + n */
  bool *tested;        /* n: whose error counts: not multipliers, */
  int tested_count;    /* which are so many */
  bool index_2;        /* algebraic variables are of index 2 */
  bool cautious;       /* there are algebraic equations: matrices are those of known points */
  dae_pattern pattern; /* of B of all unknowns, */
  dae_pattern rates;   /* and of what has rates; no columns: it is not solved for that */
  int powers;          /* of w in B: 3, or 2 where there is no P2 */
  double *P[3];        /* kept; where solved, P[1] = P0\P1 and P[2] = P0\P2, rows of y included */
  dae__reduced_memory *memory; /* kept */
  dae__solver *real;
  dae__zsolver *pair[DAE__REDUCED_PAIRS];
  int pairs;
  double *values;
  double complex *zvalues;
};

/* For up to so many complex blocks. adapter has to stay where it is. */
dae_status dae__reduced_create(dae__arena *arena, const dae__rk_adapter *adapter, int pairs,
                               dae__reduced **out, dae_error *err);
void dae__reduced_free(dae__reduced *r); /* NULL is allowed */
dae_status dae__reduced_reload(dae__reduced *r);

/* Rows of the blocks. */
static inline int dae__reduced_rows(const dae__reduced *r)
{
  return r->memory->solved ? r->n2 + r->n1 : r->n;
}
/* After linearise: the blocks are those of what has rates, if that is wanted and to be had, and of
 * all unknowns if not. */
void dae__reduced_solve_for(dae__reduced *r, bool rates);
/* y that has been found at z - dz, by R_k\R there, where z is; dz = (dq, dv, du). */
void dae__reduced_follow(const dae__reduced *r, const double *dz, double *y);

/* Factors B(real) and B(pair[i]). */
dae_status dae__reduced_factor(dae__reduced *r, double real, int pairs, const double complex *pair,
                               dae_error *err);

/* to = part[0] P0 + part[1] P1 + part[2] P2, count entries from `first` on; where there is a P2. */
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

/* The right side, in rows of the blocks, of B(w) e' = P0 e - w P2 e_q that an error estimate
 * is filtered by: e of what is integrated once (n2 + n1 entries), e_q of coordinates. */
void dae__reduced_filter(const dae__reduced *r, double w, const double *e, const double *e_q,
                         double *out);

/* ---- for the forms ---- */

/* A term of P[power]: factor times some columns of a matrix, at (row, col). */
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

/* Where a term goes, and the columns of its matrix that it takes: col1 = 0 for all. */
typedef struct dae__reduced_place {
  int power;
  double factor;
  int row, col;
  bool transposed;
  int col0, col1;
} dae__reduced_place;

void dae__reduced_term_add(dae__arena *arena, dae__reduced_terms *terms, dae__reduced_place place,
                           const dae_pattern *pattern, const double *values);
/* The pattern of B and memory for it; out of memory shows in the arena. */
void dae__reduced_merge(dae__arena *arena, dae__reduced_terms *terms, dae__reduced *r);
/* P from the values that the terms point to. */
void dae__reduced_gather(const dae__reduced_terms *terms, dae__reduced *r);

dae_status dae__reduced_mechanical(dae__arena *arena, const dae__rk_adapter *adapter,
                                   dae__reduced *r, dae_error *err);
dae_status dae__reduced_semi(dae__arena *arena, const dae__rk_adapter *adapter, dae__reduced *r,
                             dae_error *err);

#endif
