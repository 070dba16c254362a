/* Contraction of a plain iteration between subsystems, from the linearised interface
 *
 *   G dz = 0,   z the unknowns with direct feedthrough.
 *
 * A sweep splits G = G0 - (G0 - G): G0 are the blocks of each subsystem with itself and, in
 * Gauss-Seidel, with those before it. T = 1 - G0^-1 G is the iteration matrix: errors in z become
 * T z, and a sweep contracts by rho(T) whatever the length of the window [E07 Remark 2.5]. */
#ifndef DAEDAL_WAVE_ANALYSIS_CONTRACTION_H
#define DAEDAL_WAVE_ANALYSIS_CONTRACTION_H

#include "core/arena.h"
#include <daedal/pattern.h>
#include <daedal/status.h>

/* Variables named as a loop: share of the largest in its slowest mode; chosen, not measured. */
#define DAE__LOOP_SHARE 0.2

typedef struct dae__loop {
  int systems;
  const int *owner;           /* subsystem of each row and column of G */
  const dae_pattern *pattern; /* of G, square */
  const double *values;
} dae__loop;

/* rho(T), order listing the subsystems in turn, or NULL for Jacobi. INFINITY where G0 is singular.
 * Dense eigenvalues for small loops, else Arnoldi and power iterations (to about 1e-3).
 * Derivatives that are not finite are DAE_ERROR_RECOVERABLE, here and below. */
dae_status dae__contraction_radius(const dae_env *env, const dae__loop *loop, const int *order,
                                   double *rho, dae_error *err);

/* The order with the smallest rho: up to seven subsystems in loops by trying all cyclic classes,
 * since cyclic shifts have the same rho (beyond 30 unknowns the best of a short power iteration),
 * else, and in huge loops, greedily. order comes in as the order to start from and goes out as the
 * best: the one given where none is better, else the first of equals in lexicographic order.
 * Subsystems that are in no loop, and the first that is, keep their places. */
dae_status dae__contraction_order(const dae_env *env, const dae__loop *loop, int *order,
                                  double *rho, dae_error *err);

/* Smallest singular value of 1 - T = G0^-1 G, Jacobi, of the unknowns that form loops, in units in
 * which rows and columns of T are of one size (to a factor of two), others counting as 1: 0 where G
 * or G0 is singular, that is, where the coupled problem has a higher index than its systems. */
dae_status dae__contraction_margin(const dae_env *env, const dae__loop *loop, double *margin,
                                   dae_error *err);

/* weight[i]: participation of unknown i in the slowest mode of T (or, with order NULL, of
 * Jacobi's), independent of its unit: |y_i x_i| of the left and right eigenvectors. Largest 1; zero
 * for those outside loops, and for all where there is no loop or G0 is singular. */
dae_status dae__contraction_mode(const dae_env *env, const dae__loop *loop, const int *order,
                                 double *weight, dae_error *err);

#endif
