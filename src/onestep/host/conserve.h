/* Conservation of energy by steps, where the problem is declared to conserve it
 * (dae_mechanical.conservative).
 *
 * A method with variable steps gains or loses energy by a part of the tolerance in every step,
 * mostly of the same sign: the energy drifts in proportion to the time, the frequency with it, and
 * the error of the phase grows as the square. The end of a step is therefore brought back to the
 * level E0 of the start by a factor of the velocities,
 *
 *   v <- (1 - (E - E0) / v.M v) v,   E = v.p - T + V,   p = M v + b,
 *
 * which keeps linear homogeneous constraints on v. The sum of the corrections is recorded: it takes
 * the place of the drift in the energy balance, which judges a run.
 *
 * A change of E that would move v by more than a tolerance is no error of steps: V jumps (an angle
 * that leaves its branch), its changes are lost in rounding, or the problem does not conserve E.
 * The corrections end there. */
#ifndef DAEDAL_ONESTEP_HOST_CONSERVE_H
#define DAEDAL_ONESTEP_HOST_CONSERVE_H

#include "core/arena.h"
#include "problem/mechanical/mech.h"
#include <daedal/stepper.h>

/* State of the corrections, saved with the integrator. */
typedef struct dae__conserve_memory {
  bool known;     /* level and largest belong to the motion since the last start */
  bool refuted;   /* E changes along the motion: no corrections from here on */
  double level;   /* E0 */
  double largest; /* largest v.M v */
  double sum;     /* energy supplied by corrections of accepted steps since creation */
} dae__conserve_memory;

typedef struct dae__conserve {
  dae__mech *m; /* NULL: no corrections */
  double rtol, atol;
  const double *atol_scale;
  dae__conserve_memory *memory;
  double *p, *back; /* workspace: momenta, velocities reversed */
} dae__conserve;

/* Creates the corrections of a mechanical problem that conserves its energy; m = NULL: none. */
dae_status dae__conserve_create(dae__arena *arena, dae__mech *m, const dae_step_options *control,
                                const double *atol_scale, dae__conserve *out, dae_error *err);

/* Corrects the velocities at the end of a step, which is not projected yet, by at most a tolerance;
 * *supplied: the energy that the correction supplies, for memory->sum once the step is accepted. A
 * step of a method that damps ends at a level of its own. */
dae_status dae__conserve_step(dae__conserve *o, const dae_step *step, bool conserves,
                              double *supplied, dae_error *err);

/* The next step begins at a level of its own. */
void dae__conserve_restart(dae__conserve *o);

#endif
