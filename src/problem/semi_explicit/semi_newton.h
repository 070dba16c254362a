/* Damped Newton for the consistent starts of semi-explicit problems. */
#ifndef DAEDAL_PROBLEM_SEMI_EXPLICIT_SEMI_NEWTON_H
#define DAEDAL_PROBLEM_SEMI_EXPLICIT_SEMI_NEWTON_H

#include "linalg/solver.h"
#include "problem/semi_explicit/semi.h"

/* The system r(u) = 0 and its matrix dr/du. */
typedef struct dae__semi_system {
  void *self;
  dae_status (*residual)(void *self, const double *u, double *r, dae_error *err);
  dae_status (*matrix)(void *self, const double *u, double *values, dae_error *err);
} dae__semi_system;

typedef struct dae__semi_newton {
  int n, split;     /* unknowns; the first `split` of them are of one kind, the others of another */
  double tolerance; /* reciprocal condition below which a matrix counts as singular */
  double settled;   /* relative change below which round-off may end the iteration */
  int singular;     /* the unknown that is not determined, where solve says so */
  double *typical;  /* n: size of the unknowns, 0: taken from the iterates */
  const dae_pattern *pattern;
  double *values, *column; /* the matrix, and the size of its columns */
  double *r, *step, *next, *trial, *weight;
  dae__solver *solver;
} dae__semi_newton;

dae_status dae__semi_newton_create(dae__arena *arena, const dae_pattern *pattern, int split,
                                   dae__semi_newton *out, dae_error *err);
void dae__semi_newton_free(dae__semi_newton *newton);

/* Factors the matrix at u, columns scaled. DAE_ERROR_SINGULAR sets newton->singular. */
dae_status dae__semi_newton_factor(dae__semi_newton *newton, const dae__semi_system *system,
                                   const double *u, dae_error *err);
/* b = matrix\b */
void dae__semi_newton_apply(dae__semi_newton *newton, double *b);

/* Solves from the guess in u. Without a message: DAE_ERROR_SINGULAR, and DAE_ERROR_START where the
 * iteration does not converge. Failures of callbacks come with theirs. */
dae_status dae__semi_newton_solve(dae__semi_newton *newton, const dae__semi_system *system,
                                  double *u, dae_error *err);

/* Consistent start where M is singular. J and M have room for the values of both matrices; fine
 * serves where the user gave no J. */
typedef struct dae__semi_quasilinear {
  dae__semi *s;
  dae__arena *arena;
  dae__difference *fine;
  double *M, *J;
} dae__semi_quasilinear;

dae_status dae__semi_quasilinear_consistent(dae__semi_quasilinear *q, double t, double *y,
                                            double *dy, dae_diagnosis *find, dae_error *err);

#endif
