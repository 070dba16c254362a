/* Damped Newton iterations of semi-explicit problems: a general solver; slopes x' and algebraic
 * variables y for a given x; the consistent start where M is singular. */
#ifndef DAEDAL_PROBLEM_SEMI_EXPLICIT_SEMI_NEWTON_H
#define DAEDAL_PROBLEM_SEMI_EXPLICIT_SEMI_NEWTON_H

#include "linalg/solver.h"
#include "problem/semi_explicit/semi.h"
#include "problem/semi_explicit/surface.h"

/* Reciprocal condition number, with rows and columns scaled, below which a matrix of the consistent
 * start counts as singular. Chosen: derivatives by differences are accurate to about 1e-12. */
#define DAE__SEMI_SINGULAR 1e-11

/* Nonlinear system r(u) = 0 and its Jacobian dr/du. */
typedef struct dae__semi_system {
  void *self;
  dae_status (*residual)(void *self, const double *u, double *r, dae_error *err);
  dae_status (*matrix)(void *self, const double *u, double *values, dae_error *err);
  /* Round-off of the rows of r at the point of the last matrix, at most; NULL: not known. */
  dae_status (*round_off)(void *self, double *r, dae_error *err);
} dae__semi_system;

typedef struct dae__semi_newton {
  int n, split; /* n unknowns in two groups, the first `split` and the others, each with weights of
                   its own */
  double tolerance;  /* reciprocal condition number below which a matrix counts as singular */
  double stagnation; /* relative change below which a stagnating iteration counts as converged */
  int singular;      /* index of the undetermined unknown after DAE_ERROR_SINGULAR */
  double *typical;   /* n: typical size of each unknown; 0: taken from the iterates */
  const dae_pattern *pattern;
  double *values, *column; /* values of the Jacobian dr/du, and the scale of each column */
  double *r, *step, *next, *trial, *weight;
  dae__solver *solver;
} dae__semi_newton;

dae_status dae__semi_newton_create(dae__arena *arena, const dae_pattern *pattern, int split,
                                   dae__semi_newton *out, dae_error *err);
void dae__semi_newton_free(dae__semi_newton *newton);

/* Factors the matrix newton->values, after scaling its columns in place. DAE_ERROR_SINGULAR sets
 * newton->singular. */
dae_status dae__semi_newton_factor(dae__semi_newton *newton, dae_error *err);
/* x = factor (dr/du)^-1 b by the last factorisation; x may be b */
void dae__semi_newton_apply(dae__semi_newton *newton, double factor, const double *b, double *x);

/* Solves r(u) = 0 from the initial guess in u. DAE_ERROR_SINGULAR, and DAE_ERROR_START for lack of
 * convergence, come without a message; errors of callbacks come with theirs. */
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
  dae__surface *surface; /* surface of the rows F2 of F without y; NULL: no such rows */
  dae__difference fine;  /* differences of fourth order for J, where the user gave none */
  double t;
  double *M, *J, *F_t; /* values at z; F_t = dF2/dt at fixed x */
  double *u, *point;   /* unknowns (x', y), and the point (x, y) of an iterate */
  double *later;       /* workspace of round-off: rows a little later */
  dae_pattern J_y;     /* pattern of d(f,F)/dy, the last ny columns of J */
  dae__block M_at, J_y_at, A_at;
  dae_pattern pattern;
  dae__semi_newton newton;
} dae__semi_slopes;

/* Creation in two stages: _prepare gives the memory to evaluate J, by which the rows F2 are found;
 * _create, with the surface of these rows, gives the matrix and its solver. */
dae_status dae__semi_slopes_prepare(dae__arena *arena, dae__semi *s, dae__semi_slopes *out,
                                    dae_error *err);
dae_status dae__semi_slopes_create(dae__arena *arena, dae__surface *surface,
                                   dae__semi_slopes *slopes, dae_error *err);

/* Solves for y, in place in z = (x, y), and for the slopes dx = x'. DAE_ERROR_SINGULAR, and
 * DAE_ERROR_START for lack of convergence, come without a message. Does not allocate if the matrix
 * is dense. */
dae_status dae__semi_slopes_solve(dae__semi_slopes *slopes, double t, double *z, double *dx,
                                  dae_error *err);

/* Solver for the slopes at x, with the data of the rows s->hidden of index 2 (surface NULL: no such
 * rows), in an arena of its own, since they follow the classification of the rows at every restart.
 * Nothing of it is saved. */
typedef struct dae__semi_index_2 {
  dae__arena *arena;
  dae__surface *surface;
  dae__semi_slopes slopes;
} dae__semi_index_2;

dae_status dae__semi_index_2_create(dae__semi *s, dae__semi_index_2 **out, dae_error *err);
void dae__semi_index_2_free(dae__semi_index_2 *index_2); /* index_2 may be NULL */
/* Projection of z as by dae__surface_project, without factors of an earlier one. */
dae_status dae__semi_index_2_project(dae__semi_index_2 *index_2, double t, double *z,
                                     dae_error *err);

/* Consistent start where M is singular. M, J: memory for the values of the two matrices; fine:
 * differences of fourth order for J, where the user gave none. */
typedef struct dae__semi_quasilinear {
  dae__semi *s;
  dae__arena *arena;
  dae__difference *fine;
  double *M, *J;
} dae__semi_quasilinear;

dae_status dae__semi_quasilinear_consistent(dae__semi_quasilinear *q, double t, double *y,
                                            double *dy, dae_diagnosis *find, dae_error *err);

#endif
