/* The private part of the public integrator handle: a method's table of functions and its memory.
 *
 * The functions of <daedal/integrator.h> check their arguments, so that the functions of a table
 * need not: step gets a finite t_stop > t, interpolate a time within [t_previous, t], restart a
 * finite time and state.
 *
 * Save and load copy the state pieces of the arena. All data that the next step depends on is
 * therefore allocated by DAE__STATE, without pointers, with limits for integers and truth values
 * (DAE__LIMIT), and all data that can be recomputed by DAE__ALLOC. A saved state is loaded only by
 * an integrator with the same identity. */
#ifndef DAEDAL_STEP_INTEGRATOR_H
#define DAEDAL_STEP_INTEGRATOR_H

#include "core/arena.h"

#include <daedal/integrator.h>
#include <stdint.h>

typedef struct dae__integrator_table {
  const char *method; /* name of the method in the registry */
  dae_status (*step)(void *self, double t_stop, dae_error *err);
  dae_view (*view)(const void *self); /* public view, without the name of the method */
  dae_status (*interpolate)(void *self, double t, double *y, double *dy, dae_error *err);
  /* Dense output y with multipliers, unrefined or not projected; NULL: the same as interpolate. */
  dae_status (*interpolate_unprojected)(void *self, double t, double *y, dae_error *err);
  /* Dense output y that is not projected, with arbitrary multipliers and algebraic variables, and
   * its time derivative dy (may be NULL), that of the interpolant; NULL: the same as
   * interpolate. */
  void (*interpolate_raw)(void *self, double t, double *y, double *dy);
  dae_status (*restart)(void *self, double t, const double *y, dae_error *err);
  /* Replaces the current state by y, which differs from it by about the tolerance, keeping the
   * history; NULL: by a restart. */
  dae_status (*adjust)(void *self, const double *y, dae_error *err);
  dae_stats (*stats)(const void *self);
  /* Energy that corrections have supplied since the creation; NULL: none. */
  double (*supplied)(const void *self);
  /* Counts of entry i of the state vector; NULL: a method without tests. */
  dae_limits (*limits)(const void *self, int i);
  /* Allocates what is left for its first use, so that all state exists; NULL: nothing is left. */
  dae_status (*complete_state)(void *self, dae_error *err);
  /* Recomputes unsaved data after a load; NULL: nothing to recompute. */
  dae_status (*reload)(void *self, dae_error *err);
  void (*free)(void *self); /* frees memory outside the arena; NULL: none */
  /* Integrator number i inside this one, saved and loaded with it; returns NULL past the last.
   * NULL: the method has no children. */
  dae_integrator *(*child)(const void *self, int i);
} dae__integrator_table;

/* Limits of saved statistics. */
#define DAE__LIMIT_STATS(arena, stats)                                                             \
  DAE__LIMIT_COUNTER(arena, &(stats)->steps, sizeof(dae_stats) / sizeof(long))

/* Handle; its fields belong to integrator.c and saved.c. */
struct dae_integrator {
  const dae__integrator_table *table;
  void *self;
  dae__arena *arena;
  struct dae__smooth *smooth; /* NULL: every motion is followed */
  double *moved;              /* workspace of restarts with smooth */
  /* identity, see dae__integrator_identify */
  bool has_problem;
  dae_problem problem;
  const dae_option_table *table_of_options;
  int options;
  double *option;     /* values of the options */
  uint64_t other;     /* hash of other settings */
  uint64_t structure; /* fingerprint of the problem's structure; 0: not known yet */
  double *y, *work;   /* workspace: extended state vector and state vector; values of the problem's
                         functions */
};

/* Creates the handle of a method. It owns the arena and frees it last; after a failure arena and
 * self stay with the caller. */
dae_status dae__integrator_create(dae__arena *arena, const dae__integrator_table *table, void *self,
                                  dae_integrator **out);

/* Lets an integrator follow the smooth motion: `smooth`, which moves its restarts, is freed with
 * it. */
dae_status dae__integrator_smooth(dae_integrator *it, struct dae__smooth *smooth, dae_error *err);
/* Whether restarts move the state. */
bool dae__integrator_is_smooth(const dae_integrator *it);

/* Problem and options of an integrator, by which a saved state is recognised. */
typedef struct dae__identity {
  const dae_problem *problem;    /* as the caller gave it; NULL: user subsystems */
  const dae_option_table *table; /* options in force, NULL: none */
  const void *options;
  uint64_t other; /* hash of all other settings of the method, 0: none */
} dae__identity;

/* Records the identity of a new integrator, which is freed if memory runs out. */
dae_status dae__integrator_identify(dae_integrator **it, const dae__identity *identity,
                                    dae_error *err);
/* Hash of all fields of an option struct. */
uint64_t dae__hash_options(uint64_t h, const dae_option_table *table, const void *options);

/* Size, copy and restoration of the state alone, without identity and checksum: for integrators
 * that belong to another one. The restoration refuses integers outside their limits. */
size_t dae__integrator_state_size(const dae_integrator *it);
void dae__integrator_copy_state(const dae_integrator *it, void *buffer);
dae_status dae__integrator_restore_state(dae_integrator *it, const void *buffer, dae_error *err);

/* Memory of the method behind a handle; *table is its table of functions. */
void *dae__integrator_self(const dae_integrator *it, const dae__integrator_table **table);

/* Energy that corrections of steps have supplied since the creation. */
double dae__integrator_supplied(const dae_integrator *it);

/* Replaces the current state by a nearby state y, keeping the history. */
dae_status dae__integrator_adjust(dae_integrator *it, const double *y, dae_error *err);

/* Dense output with multipliers at t within the last step, less accurate than the steps or not
 * projected. */
dae_status dae__integrator_interpolate_unprojected(dae_integrator *it, double t, double *y,
                                                   dae_error *err);
/* Dense output at t within the last step, not projected, with arbitrary multipliers and algebraic
 * variables; dy (may be NULL) receives the derivative of the interpolant. */
dae_status dae__integrator_interpolate_raw(dae_integrator *it, double t, double *y, double *dy,
                                           dae_error *err);

#endif
