/* Damped Newton iterations of semi-explicit problems: the general solver, slopes and algebraic
 * variables for a given x, and the consistent start where M is singular. */
#ifndef DAEDAL_PROBLEM_SEMI_EXPLICIT_SEMI_NEWTON_H
#define DAEDAL_PROBLEM_SEMI_EXPLICIT_SEMI_NEWTON_H

#include "linalg/solver.h"
#include "problem/semi_explicit/semi.h"
#include "problem/semi_explicit/surface.h"

/* Reciprocal condition, rows and columns scaled, below which a matrix of the start counts as
 * singular. Chosen: differenced derivatives are good to about 1e-12. */
#define DAE__SEMI_SINGULAR 1e-11

/* The system r(u) = 0 and its matrix dr/du. */
typedef struct dae__semi_system {
  void *self;
  dae_status (*residual)(void *self, const double *u, double *r, dae_error *err);
  dae_status (*matrix)(void *self, const double *u, double *values, dae_error *err);
} dae__semi_system;

typedef struct dae__semi_newton {
  int n, split;     /* unknowns; the first `split` of them are of one kind, the others of another */
  double tolerance; /* reciprocal condition below which a matrix counts as singular */
  double stagnation; /* relative change below which a stagnating iteration is at round-off */
  int singular;      /* the undetermined unknown after DAE_ERROR_SINGULAR */
  double *typical;   /* n: size of the unknowns, 0: taken from the iterates */
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

/* Slopes and algebraic variables of a state x: Newton for u = (x', y),
 *
 *   M x' - f(x,y) = 0,   -F1(x,y) = 0,   F2_x x' + F2_t = 0
 *
 *   [ M     -f_y  ]
 *   [ 0     -F1_y ]    regular: index at most 2, and exactly 2 where there are rows F2.
 *   [ F2_x   0    ] */
typedef struct dae__semi_slopes {
  dae__semi *s;
  dae__surface *surface; /* the rows F2; NULL: none */
  dae__difference fine;  /* of (f, F), fourth order; where the user gave no J */
  double t;
  const double *z;     /* the point */
  double *M, *J, *F_t; /* values at the point; F_t: dF2/dt at fixed x */
  double *u, *point;   /* (x', y), (x, y) */
  dae_pattern J_y;     /* the last columns of J */
  dae__block M_at, J_y_at, A_at;
  dae_pattern pattern;
  dae__semi_newton newton;
} dae__semi_slopes;

/* Memory first, with which J is evaluated and the rows F2 are found, then the matrix. */
dae_status dae__semi_slopes_prepare(dae__arena *arena, dae__semi *s, dae__semi_slopes *out,
                                    dae_error *err);
dae_status dae__semi_slopes_create(dae__arena *arena, dae__surface *surface,
                                   dae__semi_slopes *slopes, dae_error *err);
void dae__semi_slopes_free(dae__semi_slopes *slopes);

/* y of z, from the guess there, and the slopes dx. Without a message: DAE_ERROR_SINGULAR, and
 * DAE_ERROR_START where Newton does not converge. Does not allocate, if the matrix is dense. */
dae_status dae__semi_slopes_solve(dae__semi_slopes *slopes, double t, double *z, double *dx,
                                  dae_error *err);

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
