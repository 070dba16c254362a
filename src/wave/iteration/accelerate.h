/* Acceleration of fixed-point iterations z -> zhat without derivatives: relaxation by Aitken's
 * factor, and Anderson's least squares over the last sweeps. */
#ifndef DAEDAL_WAVE_ITERATION_ACCELERATE_H
#define DAEDAL_WAVE_ITERATION_ACCELERATE_H

#include "core/arena.h"

typedef struct dae__accelerate {
  int capacity, depth;          /* entries of z, sweeps remembered */
  int n, kept;                  /* entries and columns in use */
  int next;                     /* column to be written next */
  int sweeps;                   /* since begin */
  double omega;                 /* Aitken's last factor */
  double *last_z, *last_change; /* z and zhat - z of the sweep before */
  double *dz, *df;              /* capacity x depth: differences of z and of zhat - z */
  double *Q, *R, *rhs;          /* least squares */
} dae__accelerate;

/* Out of memory shows in dae__arena_failed. Nothing is saved: an iteration begins and ends within a
 * step. depth >= 0; Aitken's factor needs none. */
dae__accelerate dae__accelerate_create(dae__arena *arena, int capacity, int depth);

/* Begins an iteration over n entries. */
void dae__accelerate_begin(dae__accelerate *a, int n);

/* The next iterate z from z and zhat; w > 0 are the weights of the entries (errors count as
 * x_i / w_i). The first sweep is a plain one. */
void dae__accelerate_aitken(dae__accelerate *a, const double *zhat, const double *w, double *z);
/* Nearly dependent columns are dropped, the oldest first. */
void dae__accelerate_anderson(dae__accelerate *a, const double *zhat, const double *w, double *z);

#endif
