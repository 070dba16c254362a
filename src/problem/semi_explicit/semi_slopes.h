/* Slopes and algebraic variables that belong to a state x: Newton for u = (x', y),
 *
 *   M x' - f(x,y) = 0,   -F1(x,y) = 0,   F2_x x' + F2_t = 0
 *
 *   [ M     -f_y  ]
 *   [ 0     -F1_y ]    regular: index at most 2, and exactly 2 where there are rows F2.
 *   [ F2_x   0    ] */
#ifndef DAEDAL_PROBLEM_SEMI_EXPLICIT_SEMI_SLOPES_H
#define DAEDAL_PROBLEM_SEMI_EXPLICIT_SEMI_SLOPES_H

#include "problem/semi_explicit/semi_newton.h"
#include "problem/semi_explicit/surface.h"

/* The matrices above count as singular below this reciprocal condition (rows and columns scaled);
 * differenced derivatives are good to about 1e-12. */
#define DAE__SEMI_SINGULAR 1e-11

typedef struct dae__semi_slopes {
  dae__semi *s;
  dae__surface *surface; /* the rows F2; NULL: none */
  dae__difference fine;  /* of (f, F), fourth order; where the user gave no J */
  double t;
  const double *z;     /* the point */
  double *M, *J, *F_t; /* values there; F_t: the part of dF2/dt that is not F2_x x' */
  double *u, *point;   /* (x', y), (x, y) */
  dae_pattern J_y;     /* the last columns of J */
  dae__block M_at, J_y_at, A_at;
  dae_pattern pattern;
  dae__semi_newton newton;
} dae__semi_slopes;

/* Two stages, since the rows F2 are found with the help of J: memory first, then the matrix. */
dae_status dae__semi_slopes_prepare(dae__arena *arena, dae__semi *s, dae__semi_slopes *out,
                                    dae_error *err);
dae_status dae__semi_slopes_create(dae__arena *arena, dae__surface *surface,
                                   dae__semi_slopes *slopes, dae_error *err);
void dae__semi_slopes_free(dae__semi_slopes *slopes);

/* y of z, from the guess there, and the slopes dx. Without a message: DAE_ERROR_SINGULAR, and
 * DAE_ERROR_START where Newton does not converge. Does not allocate, if the matrix is dense. */
dae_status dae__semi_slopes_solve(dae__semi_slopes *slopes, double t, double *z, double *dx,
                                  dae_error *err);

#endif
