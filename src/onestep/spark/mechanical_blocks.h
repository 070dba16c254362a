/* The derivatives of a mechanical problem, sorted as the momentum form has them: y = (q, u), z = v,
 *
 *   v_y = [0 0; s_q s_u]   v_z = [1; s_v]   p_z = M     r_y = -(G' lambda)_q   r_lambda = -G'
 *   f_y = [f_q f_u] - (K' psi)_q            f_z = f_v - (K' psi)_v             f_psi = -K'
 *   g_y = [G 0]            gdot_y = [gdot_q 0]          gdot_z = G
 *   k_y = [k_q 0]          k_z = K
 *
 * p_y is left out, and with it what f_y and f_z lack: f is the force beside M v', and
 * F = f + p_t + p_q v that beside d/dt p. The two cancel in the stage system, since p_y dY is the
 * integral of its derivative along the step, up to terms like h (dM/dt) dZ, which are small beside
 * M dZ and never stiff. */
#ifndef DAEDAL_ONESTEP_SPARK_MECHANICAL_BLOCKS_H
#define DAEDAL_ONESTEP_SPARK_MECHANICAL_BLOCKS_H

#include "onestep/spark/adapter.h"
#include "onestep/spark/submatrix.h"
#include "problem/mechanical/mech.h"

/* A part is a sum of blocks. */
typedef struct dae__mechanical_term {
  dae__momentum_part part;
  double factor;
  const dae__pick *pick; /* NULL: all of values */
  const double *values;
  dae__block block;
} dae__mechanical_term;

enum { DAE__MECHANICAL_TERMS = 19, DAE__PICKS = 8 };

typedef struct dae__mechanical_parts {
  dae__mech *m;
  double *M, *G, *K, *J, *Kts, *Gts, *gdot_q, *k_q, *one; /* values at the last point */
  dae_pattern unit;
  dae__pick pick[DAE__PICKS];
  dae__mechanical_term term[DAE__MECHANICAL_TERMS];
  int terms;
  dae_pattern pattern[DAE__MOMENTUM_PARTS];
} dae__mechanical_parts;

dae_status dae__mechanical_parts_create(dae__arena *arena, dae__mech *m, dae__mechanical_parts *out,
                                        dae_error *err);
/* As the face's linearise. */
dae_status dae__mechanical_parts_eval(dae__mechanical_parts *parts, const dae_mechanical_at *at,
                                      const double *multiplier, const dae__face_parts *wanted,
                                      dae_error *err);

#endif
