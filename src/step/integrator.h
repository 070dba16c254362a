/* The inside of the public handle: a method's table of verbs and its memory.
 *
 * The verbs of <daedal/integrator.h> check their arguments once, so that the functions of a table
 * need not: step gets a finite t_stop > t, interpolate a time within [t_previous, t], restart a
 * finite time and state.
 *
 * Save and load copy the state pieces of the arena. Everything that the next step depends on is
 * therefore allocated by DAE__STATE, without pointers, and everything that can be recomputed by
 * DAE__ALLOC. */
#ifndef DAEDAL_STEP_INTEGRATOR_H
#define DAEDAL_STEP_INTEGRATOR_H

#include "core/arena.h"

#include <daedal/integrator.h>

typedef struct dae__integrator_table {
  const char *method; /* name in the registry */
  dae_status (*step)(void *self, double t_stop, dae_error *err);
  dae_view (*view)(const void *self); /* without the method's name */
  dae_status (*interpolate)(void *self, double t, double *y, double *dy, dae_error *err);
  /* y with multipliers, unrefined or not projected; NULL: as interpolate */
  dae_status (*interpolate_unprojected)(void *self, double t, double *y, dae_error *err);
  /* y not projected, with any values for multipliers; NULL: as interpolate */
  void (*interpolate_raw)(void *self, double t, double *y);
  dae_status (*restart)(void *self, double t, const double *y, dae_error *err);
  /* Continues from y, which differs from the current state by about the tolerance, with its
   * history; NULL: by a restart. */
  dae_status (*adjust)(void *self, const double *y, dae_error *err);
  dae_stats (*stats)(const void *self);
  /* after load: recomputes what is not saved; NULL: nothing to do */
  dae_status (*reload)(void *self, dae_error *err);
  void (*free)(void *self); /* releases memory outside the arena; NULL: none */
  /* i-th integrator inside this one, saved and loaded with it; NULL past the last. NULL: none */
  dae_integrator *(*child)(const void *self, int i);
} dae__integrator_table;

/* The handle of a method. It owns the arena and frees it last; after a failure arena and self stay
 * with the caller. */
dae_status dae__integrator_create(dae__arena *arena, const dae__integrator_table *table, void *self,
                                  dae_integrator **out);

/* The method's memory, and its table. */
void *dae__integrator_self(const dae_integrator *it, const dae__integrator_table **table);

/* Replaces the current state by y nearby, keeping the history. */
dae_status dae__integrator_adjust(dae_integrator *it, const double *y, dae_error *err);

/* State vector with multipliers at t within the last step, less accurate than the steps or not
 * projected. */
dae_status dae__integrator_interpolate_unprojected(dae_integrator *it, double t, double *y,
                                                   dae_error *err);
/* State vector at t within the last step, not projected, with any values for multipliers. */
dae_status dae__integrator_interpolate_raw(dae_integrator *it, double t, double *y, dae_error *err);

#endif
