/* The form of a problem in which its slow motion is found: semi-explicit,
 *
 *   M x' = f(t,x,y),   0 = F(t,x,y),   z = (x, y),
 *
 * of a mechanical problem with the constraints on both levels [GGL85]: x = (q, v, u), y = (w,
 * lambda, psi, mu). Its state vector is the beginning of z. Rows of dependent constraints are
 * "multiplier = 0". */
#ifndef DAEDAL_STEP_SMOOTH_FORM_H
#define DAEDAL_STEP_SMOOTH_FORM_H

#include "linalg/solver.h"
#include "problem/mechanical/motion.h"
#include "problem/semi_explicit/semi.h"

typedef struct dae__smooth_form {
  dae_problem problem, view; /* as given; semi-explicit */
  dae__semi *s;
  dae__motion *motion;   /* NULL: not a mechanical problem */
  int n, nx, size;       /* entries of z, of x, of the state vector */
  int nq;                /* coordinates, whose velocities follow them in x; 0: none */
  double rtol, atol;     /* tolerances of the run */
  double *atol_scale;    /* n: absolute tolerances relative to atol */
  double *M, *Ms, *J;    /* values at the point of the last evaluation */
  dae_pattern algebraic; /* diagonal of y */
  double *masked;        /* its values: 1 in rows of dependent constraints */
  double *fF;            /* n: f and F at the last point */
} dae__smooth_form;

dae_status dae__smooth_form_create(dae__arena *arena, const dae_problem *problem, double rtol,
                                   double atol, dae__smooth_form *out, dae_error *err);
void dae__smooth_form_free(dae__smooth_form *form);

/* Makes the state vector at the beginning of z consistent, sets mu = 0, selects the independent
 * constraints; dz receives x', zero for y. fixed (may be NULL): entries that do not move. */
dae_status dae__smooth_form_consistent(dae__smooth_form *form, double t, const bool *fixed,
                                       double *z, double *dz, dae_error *err);
/* Selects the independent constraints at z, where some are dependent. */
dae_status dae__smooth_form_select(dae__smooth_form *form, double t, const double *z,
                                   dae_error *err);
/* r = (M k - f, -F) at z with x' = k, and M; masked rows: their multiplier. */
dae_status dae__smooth_form_residual(dae__smooth_form *form, double t, const double *z,
                                     const double *k, double *r, dae_error *err);
/* M, Ms = (M k)_x and J at z. */
dae_status dae__smooth_form_linearise(dae__smooth_form *form, double t, const double *z,
                                      const double *k, dae_error *err);
/* Norm of x relative to rtol |at| + atol: root of the mean square. */
double dae__smooth_form_norm(const dae__smooth_form *form, const double *x, const double *at);
/* The same norm of the velocities that the round-off of the coordinates makes at this rate. */
double dae__smooth_form_noise(const dae__smooth_form *form, double rate, const double *at);

/* Largest number of stages of a matrix. */
#define DAE__SMOOTH_STAGES 4

/* Matrix of s stages with blocks c_ij M + delta_ij (Ms - J), c of the stages, each at a point of
 * its own. */
typedef struct dae__smooth_matrix {
  int s;
  dae_pattern pattern;
  dae__block M[DAE__SMOOTH_STAGES * DAE__SMOOTH_STAGES], Ms[DAE__SMOOTH_STAGES];
  dae__block J[DAE__SMOOTH_STAGES], masked[DAE__SMOOTH_STAGES];
  double *values;
  dae__solver *solver;
} dae__smooth_matrix;

dae_status dae__smooth_matrix_create(dae__arena *arena, const dae__smooth_form *form, int s,
                                     dae__smooth_matrix *out, dae_error *err);
/* Adds the rows of stage i, by the last dae__smooth_form_linearise; the first stage clears the
 * matrix. c: s coefficients of M. */
void dae__smooth_matrix_add(dae__smooth_matrix *matrix, const dae__smooth_form *form, int i,
                            const double *c);

#endif
