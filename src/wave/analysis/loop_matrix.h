/* Matrix of a loop between subsystems, condensed to the unknowns that close the loop.
 *
 *   Gd^-1 G = 1 + C,   Gd the diagonal blocks of G, one for each subsystem
 *
 * C_ij is the feedthrough from unknown j to unknown i of another subsystem. Unknowns that only
 * their owner uses, or that lie on no closed path of C, do not contribute to rho(T) and are left
 * out; the other unknowns are scaled by powers of two, D^-1 C D, so that their units play no
 * role. */
#ifndef DAEDAL_WAVE_ANALYSIS_LOOP_MATRIX_H
#define DAEDAL_WAVE_ANALYSIS_LOOP_MATRIX_H

#include "core/arena.h"
#include "wave/analysis/contraction.h"

typedef struct dae__loop_matrix {
  int n, systems;
  const int *unknown, *owner;      /* unknown of G for each row of C, and its subsystem */
  dae_pattern pattern, transposed; /* patterns of C and C'; no entries within a subsystem */
  const double *values, *transposed_values;
} dae__loop_matrix;

/* Condensed loop matrix C, with all memory from the arena. DAE_ERROR_SINGULAR, without a message,
 * where Gd is singular. */
dae_status dae__loop_matrix_create(dae__arena *arena, const dae__loop *loop, dae__loop_matrix *out,
                                   dae_error *err);

#endif
