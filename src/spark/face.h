/* A problem as SPARK sees it [J09 (1)]:
 *
 *   y' = v(t,y,z),   d/dt p(t,y,z) = f(t,y,z,psi) + r(t,y,lambda)
 *   0 = g(t,y),   0 = gdot = g_t + g_y v,   0 = k(t,y,z)
 *
 * behind a table, so that the stage system knows nothing of where it comes from. The two matrices
 * of the modified Newton iteration [J09 (2), (3)] are
 *
 *   [ p_z  -r_lambda  -f_psi ]        [ p_z  -r_lambda ]
 *   [ g_y v_z   0        0   ]   and  [ g_y v_z    0   ]
 *   [ k_z       0        0   ] */
#ifndef DAEDAL_SPARK_FACE_H
#define DAEDAL_SPARK_FACE_H

#include "core/arena.h"
#include "problem/motion.h"

#include <complex.h>
#include <daedal/integrator.h>

/* A point; what a function does not depend on may be NULL. */
typedef struct dae__face_at {
  double t;
  const double *y, *z;
} dae__face_at;

typedef struct dae__face_table {
  dae_status (*v)(void *self, const dae__face_at *at, double *v, dae_error *err);
  dae_status (*p)(void *self, const dae__face_at *at, double *p, dae_error *err);
  dae_status (*f)(void *self, const dae__face_at *at, const double *psi, double *f, dae_error *err);
  /* r and, unless NULL, g, which are wanted at the same points */
  dae_status (*rg)(void *self, const dae__face_at *at, const double *lambda, double *r, double *g,
                   dae_error *err);
  dae_status (*gdot)(void *self, const dae__face_at *at, double *gdot, dae_error *err);
  dae_status (*k)(void *self, const dae__face_at *at, double *k, dae_error *err);
  /* Evaluates and factors both matrices. */
  dae_status (*factor)(void *self, const dae__face_at *at, dae_error *err);
  /* x = matrix (2)\x, matrix (3)\x; x = (z, lambda, psi) or (z, lambda) */
  void (*solve2)(void *self, double *x);
  void (*solve3)(void *self, double *x);
  /* The richer iteration, NULL: not offered. Evaluates derivatives; factors block i with h mu;
   * x = block\x; moves the contribution of delta, times w, to the right side. */
  dae_status (*derive)(void *self, const dae__face_at *at, dae_error *err);
  dae_status (*factor_block)(void *self, int i, double complex hmu, dae_error *err);
  void (*solve_block)(void *self, int i, double complex *x);
  void (*move)(void *self, double complex hmu, double complex w, const double *delta,
               double complex *x);
  /* after load; blocks: they had been factored */
  dae_status (*reload)(void *self, bool blocks);
  void (*free)(void *self);
} dae__face_table;

typedef struct dae__face {
  const dae__face_table *table;
  void *self;
  int ny, nz, ng, nk;
} dae__face;

/* A mechanical problem: y = (q, u), z = v, momenta p = dT/dv, r = -G' lambda,
 * f = F - K' psi; with so many blocks of the richer iteration. */
dae_status dae__face_mechanical(dae__arena *arena, dae__mech *m, int blocks, dae__face *out,
                                dae_error *err);

#endif
