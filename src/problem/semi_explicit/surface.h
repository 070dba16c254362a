/* The surface F2(t,x) = 0, F2 the rows of F without y, and the projection of x onto it. */
#ifndef DAEDAL_PROBLEM_SEMI_EXPLICIT_SURFACE_H
#define DAEDAL_PROBLEM_SEMI_EXPLICIT_SURFACE_H

#include "problem/level.h"
#include "problem/semi_explicit/semi.h"

typedef struct dae__surface_memory {
  bool evaluated; /* A_values hold dF2/dx at some earlier point */
  bool factored;  /* the saddle holds a factorisation from some earlier point */
  long projections, factorisations;
} dae__surface_memory;

typedef struct dae__surface {
  dae__semi *s;
  dae_pattern A;               /* pattern of dF2/dx, ny x nx; rows of F that contain y are empty */
  int *entry;                  /* entry of J for each entry of dF2/dx */
  dae__surface_memory *memory; /* saved state: flags and counters */
  double *A_values;            /* saved state: values of dF2/dx at the last point evaluated */
  double *stretch, *row_size;  /* saved state: scalings S and 1/D of the factored matrix */
  dae__difference dA; /* differences of fourth order for dF2/dx, where the user gave no J */
  double *J;          /* values of the user's J */
  double *residual, *change, *before, *row_rate; /* ny each: scratch of the differenced F2_t */
  double *z;                                     /* scratch: (x, y) */
  double *identity, *scaled; /* values of M = I and G = D A S in the matrix of corrections */
  dae_pattern unit, none;    /* patterns of the identity and of a matrix without rows */
  dae__saddle *saddle;
  dae__level level; /* x on F2 */
} dae__surface;

/* Surface of the rows s->hidden, which dae__semi_classify must have set. */
dae_status dae__surface_create(dae__arena *arena, dae__semi *s, dae__surface **out, dae_error *err);
void dae__surface_free(dae__surface *surface); /* surface may be NULL */

/* F2 at z = (x, y), zero in the rows of F that contain y; and dF2/dx, into surface->A_values. */
dae_status dae__surface_residual(dae__surface *surface, double t, const double *z, double *F2,
                                 dae_error *err);
dae_status dae__surface_jacobian(dae__surface *surface, double t, const double *z, dae_error *err);

/* dF2/dt at fixed x: by the user's F_t, or by differences, which include the change of inputs. */
dae_status dae__surface_rate(dae__surface *surface, double t, const double *z, double *F2_t,
                             dae_error *err);

/* Projects x of z = (x, y) from a point near the surface onto it; no change where residuals are
 * below DAE__ON_CONSTRAINT. */
dae_status dae__surface_project(dae__surface *surface, double t, double *z, dae_error *err);

/* Projects x of z = (x, y) onto the surface from any distance, for consistent starts; fixed entries
 * (may be NULL) do not move. Fails with DAE_ERROR_START, naming the rows of F2 that cannot be
 * satisfied. */
dae_status dae__surface_start(dae__surface *surface, double t, const bool *fixed, double *z,
                              dae_error *err);

#endif
