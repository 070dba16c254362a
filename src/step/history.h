/* The history of a multistep method: modified divided differences of the unknowns, for backward
 * differentiation formulas of variable step and order with a fixed leading coefficient [DASSL].
 *
 *   phi_j = psi_1 ... psi_j [y_n, ..., y_{n-j}],   psi_j = t_{n+1} - t_{n+1-j}
 *
 * predict = sum_j phi_j after phi_j was scaled to the new step; the corrected value y = predict + e
 * satisfies y' = predict' + cj e. */
#ifndef DAEDAL_STEP_HISTORY_H
#define DAEDAL_STEP_HISTORY_H

#include "core/arena.h"

#define DAE__MAX_ORDER 5                  /* largest order of bdf, as in DASSL */
#define DAE__HISTORY (DAE__MAX_ORDER + 2) /* number of differences phi_j */

/* State of the history without phi, saved with the arena. */
typedef struct dae__history_memory {
  double t;      /* time of the newest accepted value */
  double h;      /* step size of the current attempt, or of the last accepted step */
  int order;     /* order of the current attempt, or of the last accepted step */
  double h_old;  /* size of the last accepted step; 0 before the first */
  int order_old; /* order of the last accepted step; 0 before the first */
  int same;      /* number of consecutive steps of the same size and order, bounded by order + 2 */
  double psi_before[DAE__HISTORY]; /* coefficients psi before the current attempt */
  double psi[DAE__HISTORY], alpha[DAE__HISTORY], beta[DAE__HISTORY];
  double sigma[DAE__HISTORY], gamma[DAE__HISTORY];
} dae__history_memory;

typedef struct dae__history {
  int n;
  dae__history_memory *memory; /* saved state */
  double *phi;                 /* saved state: DAE__HISTORY vectors of length n */
} dae__history;

/* Coefficients of the backward differentiation formula of one attempt. */
typedef struct dae__formula {
  double cj;    /* leading coefficient of y' = cj y + const */
  double error; /* error constant: local error = error * |e| */
} dae__formula;

dae__history dae__history_create(dae__arena *arena, int n);

static inline double *dae__history_phi(const dae__history *s, int j)
{
  return s->phi + (size_t)j * (size_t)s->n;
}

/* Starts the history at order 1 from a value and its derivative. */
void dae__history_start(dae__history *s, double t, double h, const double *y, const double *dy);
/* Starts the history at order k from k + 1 equidistant values y_0, ..., y_k, stored one after the
 * other, the last at t. */
void dae__history_start_from(dae__history *s, double t, double h, int order, const double *values);

/* Prepares an attempt with step size h and the given order: scales the differences phi. */
dae__formula dae__history_prepare(dae__history *s, double h, int order);
/* Undoes the preparation of a rejected attempt. */
void dae__history_undo(dae__history *s);
/* Predictor: value y and derivative y' at the end of the attempt. */
void dae__history_predict(const dae__history *s, double *y, double *dy);
/* Accepts y = predict + e at time t as the newest value of the history. */
void dae__history_accept(dae__history *s, double t, const double *e);

/* Dense output: the first n entries of the interpolating polynomial of the last accepted order, and
 * of its derivative (may be NULL). */
void dae__history_interpolate(const dae__history *s, int n, double t, double *restrict y,
                              double *restrict dy);

#endif
