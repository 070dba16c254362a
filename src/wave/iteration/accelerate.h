/* Acceleration of fixed-point iterations z -> zhat without derivatives: relaxation by Aitken's
 * factor, and Anderson's least squares over the last sweeps. */
#ifndef DAEDAL_WAVE_ITERATION_ACCELERATE_H
#define DAEDAL_WAVE_ITERATION_ACCELERATE_H

#include "core/arena.h"

typedef struct dae__accelerate {
  int capacity, depth;          /* largest number of entries of z; sweeps remembered */
  int n, kept;                  /* entries of z and columns of dz in use */
  int next;                     /* index of the oldest column, overwritten next */
  int sweeps;                   /* number of sweeps since dae__accelerate_begin */
  double omega;                 /* Aitken's factor in the last sweep */
  double *last_z, *last_change; /* z and zhat - z of the sweep before */
  /* differences of z and of zhat - z between sweeps, capacity x depth */
  double *dz, *df;
  double *Q, *R, *rhs; /* QR factors and right side of the least-squares problem */
} dae__accelerate;

/* Accelerator for up to `capacity` entries with `depth` >= 0 columns (Aitken's factor needs none).
 * Lack of memory is reported by dae__arena_failed. Nothing is saved with the integrator: an
 * iteration begins and ends within a step. */
dae__accelerate dae__accelerate_create(dae__arena *arena, int capacity, int depth);

/* Begins a fixed-point iteration over n entries. */
void dae__accelerate_begin(dae__accelerate *a, int n);

/* Next iterate z from z and zhat by Aitken relaxation; w > 0 are the weights in the norm of x_i /
 * w_i. The first sweep is a plain one. */
void dae__accelerate_aitken(dae__accelerate *a, const double *zhat, const double *w, double *z);
/* Next iterate z from z and zhat by Anderson acceleration. Nearly dependent columns are dropped,
 * the oldest first. */
void dae__accelerate_anderson(dae__accelerate *a, const double *zhat, const double *w, double *z);

#endif
