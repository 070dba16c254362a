/* What a method puts behind the public handle: a table of verbs and its own memory.
 *
 * The verbs of <daedal/integrator.h> check their arguments once, so that the functions of a table
 * need not: step gets a finite t_stop > t, interpolate a time within [t_previous, t], restart a
 * finite time and state.
 *
 * Save and load copy the kept pieces of the arena. A method therefore keeps (DAE__STATE) all that
 * the next step depends on, and takes (DAE__ALLOC) what it can form anew; kept pieces hold no
 * pointers. */
#ifndef DAEDAL_STEP_INTEGRATOR_H
#define DAEDAL_STEP_INTEGRATOR_H

#include "core/arena.h"

#include <daedal/integrator.h>

typedef struct dae__integrator_table {
  const char *method; /* name in the registry */
  dae_status (*step)(void *self, double t_stop, dae_error *err);
  dae_view (*view)(const void *self); /* without the method's name */
  dae_status (*interpolate)(void *self, double t, double *y, double *dy, dae_error *err);
  /* the same as good as it is to be had at once: not as good as the steps, or not projected; NULL:
   * as interpolate */
  dae_status (*interpolate_unprojected)(void *self, double t, double *y, dae_error *err);
  /* the same cheaply: not projected, with any values for multipliers; NULL: as interpolate */
  void (*interpolate_raw)(void *self, double t, double *y);
  dae_status (*restart)(void *self, double t, const double *y, dae_error *err);
  /* Goes on from y, which differs from where it stands by about the tolerance, without forgetting
   * what came before; NULL: by a restart. */
  dae_status (*adjust)(void *self, const double *y, dae_error *err);
  dae_stats (*stats)(const void *self);
  /* after load: forms anew what is not in kept memory; NULL: nothing to do */
  dae_status (*reload)(void *self, dae_error *err);
  void (*free)(void *self); /* releases what is not in the arena; NULL: nothing to do */
  /* integrators inside this one, NULL past the last: they are saved and loaded with it; NULL: none
   */
  dae_integrator *(*child)(const void *self, int i);
} dae__integrator_table;

/* The handle of a method. It owns the arena from here on, and frees it last; where this fails,
 * arena and self stay with the caller. */
dae_status dae__integrator_create(dae__arena *arena, const dae__integrator_table *table, void *self,
                                  dae_integrator **out);

/* A method's own memory, and its table. */
void *dae__integrator_self(const dae_integrator *it, const dae__integrator_table **table);

/* Moves the state where the integrator stands to y nearby, keeping its history. */
dae_status dae__integrator_adjust(dae_integrator *it, const double *y, dae_error *err);

/* A state vector at t within the last step, with its multipliers, for purposes that do not need it
 * as good as the steps are, or on its constraints to the last digit. */
dae_status dae__integrator_interpolate_unprojected(dae_integrator *it, double t, double *y,
                                                   dae_error *err);
/* The same for purposes that need neither multipliers nor a state that lies on its constraints to
 * the last digit. */
dae_status dae__integrator_interpolate_raw(dae_integrator *it, double t, double *y, dae_error *err);

#endif
