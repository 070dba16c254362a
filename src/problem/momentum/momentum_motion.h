/* Linear systems of the momentum form: projection onto the constraints, z' and the multipliers,
 * consistent starts.
 *
 *   [ p_z      -r_lambda  -f_psi ]
 *   [ g_y v_z      0         0   ]
 *   [ k_z          0         0   ] */
#ifndef DAEDAL_PROBLEM_MOMENTUM_MOMENTUM_MOTION_H
#define DAEDAL_PROBLEM_MOMENTUM_MOMENTUM_MOTION_H

#include "problem/level.h"
#include "problem/momentum/momentum.h"

/* Levels of the momentum form: y on g; z on (gdot, k), along the constraint forces or by the least
 * change. */
enum { DAE__LEVEL_Y, DAE__LEVEL_FORCES, DAE__LEVEL_Z, DAE__MOMENTUM_LEVELS };

typedef struct dae__momentum_memory {
  bool factored[DAE__MOMENTUM_LEVELS]; /* there is a factorisation from some earlier point */
  long projections;                    /* number of states changed by a projection */
  long factorisations;
} dae__momentum_memory;

enum { DAE__BLOCK_P, DAE__BLOCK_R, DAE__BLOCK_F, DAE__BLOCK_G, DAE__BLOCK_K, DAE__MOMENTUM_BLOCKS };

typedef struct dae__momentum_motion {
  dae__momentum *m;
  dae__arena *arena;
  dae__momentum_memory *memory; /* saved state: flags and counters */
  double *multiplier; /* nc; saved state: (lambda, psi) of r_lambda and f_psi in the matrix */

  /* matrix of the linear systems, [p_z -r_lambda -f_psi; g_y v_z 0 0; k_z 0 0] */
  dae_pattern pattern;
  dae__block block[DAE__MOMENTUM_BLOCKS];
  double *matrix;
  dae__solver *solver;
  /* minimum-norm corrections are those of [1 g_y'; g_y 0] for y, and of [1 A'; A 0] with
   * A = [g_y v_z; k_z] for z */
  dae__level level[DAE__MOMENTUM_LEVELS];
  const double *y, *z; /* point of a projection or start, where it does not move */
  dae_pattern one_y, one_z, no_k;
  double *ones;

  double *part[DAE__MOMENTUM_PARTS]; /* values of the derivatives at the last point evaluated */
  double *v;                         /* ny: v at the last point evaluated */
  double *residual, *terms;          /* nz + nc: d/dt p - f - r, d/dt gdot, d/dt k; its terms */
  double *x;                         /* nz + nc: right side and solution of a linear system */
  double *unknown;                   /* nz + nc: unknowns (z', lambda, psi) */
  double *rate;                      /* nz + nc: rates d/dt (p, gdot, k) for z' = 0 */
  double *v_rate, *v_base;           /* ny: d/dt v, and d/dt v for z' = 0 */
  double *size;                      /* size of the terms of a differenced value */
  double *moved_y, *moved_z;         /* a point of a path, or a trial of an iteration */
  bool *independent;                 /* nc: rows of an independent subset */
  double *sample;                    /* scratch: one value of a differenced function */
} dae__momentum_motion;

dae_status dae__momentum_motion_create(dae__arena *arena, dae__momentum *m,
                                       dae__momentum_motion **out, dae_error *err);
void dae__momentum_motion_free(dae__momentum_motion *motion); /* motion may be NULL */

/* Projects y onto g, by the least change, and z onto gdot and k, along the constraint forces; no
 * change where residuals are below DAE__ON_CONSTRAINT. *moved (may be NULL): whether y or z
 * changed. */
dae_status dae__momentum_project(dae__momentum_motion *motion, double t, double *y, double *z,
                                 bool *moved, dae_error *err);

/* One of the levels, to project or start from (y, z); y or z is moved in place. */
dae__level *dae__momentum_level_at(dae__momentum_motion *motion, int index, double t, double *y,
                                   double *z);

/* Multipliers at (y, z) of the state vector, written into it, and the derivative (y', z') in dy,
 * whose other entries are left alone; dy may be NULL. From
 *   p_t + p_y v + p_z z' = f + r,   d/dt gdot = 0,   d/dt k = 0
 * with directional derivatives by differences; the multipliers in the state are the guess. */
dae_status dae__momentum_accelerate(dae__momentum_motion *motion, double t, double *state,
                                    double *dy, dae_error *err);

/* Factors [p_z -r_lambda -f_psi; g_y v_z 0 0; k_z 0 0] at a point, with (lambda, psi) in
 * motion->multiplier; DAE_ERROR_SINGULAR names the constraint or variable. */
dae_status dae__momentum_factor(dae__momentum_motion *motion, const dae_momentum_at *at,
                                dae_error *err);

/* Finds the first constraint row that depends on the rows before it at the state, up to tol; *row =
 * -1: none. */
dae_status dae__momentum_find_dependent(dae__momentum_motion *motion, double t, const double *state,
                                        double tol, int *row, dae_error *err);

/* Consistent start: makes the state vector consistent in place and computes its derivative dy;
 * fixed and find may be NULL. Dependent constraints and a singular matrix are refused, naming the
 * constraint. */
dae_status dae__momentum_consistent(dae__momentum_motion *motion, double t, const bool *fixed,
                                    double *state, double *dy, dae_diagnosis *find, dae_error *err);

#endif
