/* y and the slopes k that belong to x, semi-explicit problems of index 1:
 *
 *   F(t,x,y) = 0  by Newton for y,   M(t,x) k = f(t,x,y) */
#ifndef DAEDAL_ONESTEP_HOST_SLOPES_H
#define DAEDAL_ONESTEP_HOST_SLOPES_H

#include "linalg/solver.h"
#include "problem/semi_explicit/semi.h"
#include <daedal/rk.h>

typedef struct dae__rk_slopes_memory {
  bool factored, mass_factored;
  long iterations, jacobians, factorisations;
} dae__rk_slopes_memory;

typedef struct dae__rk_slopes {
  dae__semi *s;
  double rtol, atol;
  dae__rk_slopes_memory *memory; /* kept */
  dae_pattern F_y;
  int *entry; /* of J for each entry of F_y */
  double *J, *values, *M, *fF, *d;
  dae__solver *algebraic, *mass; /* NULL: no y, M = 1 */
} dae__rk_slopes;

dae_status dae__rk_slopes_create(dae__arena *arena, dae__semi *s, const dae_rk_options *opts,
                                 dae__rk_slopes *out, dae_error *err);
void dae__rk_slopes_free(dae__rk_slopes *o);
dae_status dae__rk_slopes_reload(dae__rk_slopes *o);
/* What was factored belongs to another motion. */
void dae__rk_slopes_forget(dae__rk_slopes *o);

/* y of z = (x, y), from the guess there, and the slopes dx. Failures name an equation or a
 * variable.
 */
dae_status dae__rk_slopes_solve(dae__rk_slopes *o, double t, double *z, double *dx, dae_error *err);

#endif
