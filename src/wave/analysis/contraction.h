/* Contraction of a plain iteration between subsystems, from the linearised interface
 *
 *   G dz = 0,   z the unknowns with direct feedthrough.
 *
 * A sweep splits G = G0 - (G0 - G): G0 consists of the diagonal blocks of the subsystems and, in
 * Gauss-Seidel, of the blocks with earlier subsystems. T = 1 - G0^-1 G is the iteration matrix:
 * errors in z become T z, and a sweep contracts by rho(T) whatever the length of the window [E07
 * Remark 2.5]. */
#ifndef DAEDAL_WAVE_ANALYSIS_CONTRACTION_H
#define DAEDAL_WAVE_ANALYSIS_CONTRACTION_H

#include "core/arena.h"
#include <daedal/pattern.h>
#include <daedal/status.h>

/* Share of the largest participation in the slowest mode from which a message names a variable;
 * chosen, not measured. */
#define DAE__LOOP_SHARE 0.2

typedef struct dae__loop {
  int systems;
  const int *owner;           /* subsystem of each row and column of G */
  const dae_pattern *pattern; /* pattern of G, square */
  const double *values;
} dae__loop;

/* Spectral radius rho(T) of a sweep over the subsystems in `order`, or of Jacobi (order NULL);
 * INFINITY where G0 is singular. Dense eigenvalues for small loops, else Arnoldi and power
 * iterations (to about 1e-3). Unless weight is NULL also the participation weight[i] = |y_i x_i| of
 * unknown i in the slowest mode of T, with y and x the left and right eigenvectors; independent of
 * the units, largest weight 1. Zero for unknowns outside loops, and for all unknowns where there is
 * no loop or G0 is singular. All functions of this file return DAE_ERROR_RECOVERABLE for values of
 * G that are not finite. */
dae_status dae__contraction_radius(const dae_env *env, const dae__loop *loop, const int *order,
                                   double *rho, double *weight, dae_error *err);

/* Order of the subsystems with the smallest rho. Up to seven subsystems in loops: all cyclic
 * classes, since cyclic shifts have the same rho (beyond 30 unknowns preselected by a short power
 * iteration); more subsystems, or huge loops: a greedy order. `order` is the initial order on entry
 * and the best one on return: the initial one where none is better, else the first of equals in
 * lexicographic order. Subsystems outside loops, and the first one inside, keep their places. */
dae_status dae__contraction_order(const dae_env *env, const dae__loop *loop, int *order,
                                  double *rho, dae_error *err);

/* Smallest singular value of 1 - T = G0^-1 G of Jacobi's splitting on the unknowns in loops, with
 * rows and columns of T balanced to a factor of two; 1 for unknowns outside loops; 0 where G or G0
 * is singular, that is, where the coupled problem has a higher index than its systems. */
dae_status dae__contraction_margin(const dae_env *env, const dae__loop *loop, double *margin,
                                   dae_error *err);

#endif
