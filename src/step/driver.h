/* How a one-step method goes on: attempt, judge, take over, choose the next size.
 *
 *   fixed steps     t_origin + k step, the last one cut short; a step that fails ends the run
 *   variable steps  a controller follows the error; a step that fails is tried smaller, and sizes
 * at which the iteration failed are left alone for a while */
#ifndef DAEDAL_STEP_DRIVER_H
#define DAEDAL_STEP_DRIVER_H

#include "step/controller.h"
#include "step/stall.h"
#include <stddef.h>

/* Without pointers: to be kept. */
typedef struct dae__driver_memory {
  double t, t_previous; /* the last accepted step */
  double h;             /* to try */
  bool started;
  double t_origin; /* fixed steps */
  long done;
  double bound; /* of the step size: the iteration has failed above it, */
  int bounded;  /* and is not tried there for so many steps */
  dae__controller controller;
  dae__stall stall;
  dae_stats stats; /* steps, rejections and restarts */
} dae__driver_memory;

typedef struct dae__driver_table {
  /* The motion begins, or begins anew, where it stands. */
  void (*begin)(void *self);
  /* A step of size h from memory->t; *error relative to the tolerance, of variable steps only.
   * DAE_ERROR_STEP, _SINGULAR, _RECOVERABLE: a smaller one may do. */
  dae_status (*attempt)(void *self, double h, double *error, dae_error *err);
  /* The step attempted last is taken; it ends at t. Where this fails, the one before stays. */
  dae_status (*accept)(void *self, double t, dae_error *err);
  /* Largest rate of change of a variable, relative to rtol |y| + atol; its name, unless NULL. */
  double (*rate)(const void *self, double rtol, double atol, char *name, size_t size);
  /* Whether constraints have become dependent where it stands, and which; NULL: there are none. */
  bool (*stuck)(const void *self, char *name, size_t size);
} dae__driver_table;

typedef struct dae__driver {
  const dae__driver_table *table;
  void *self;
  double rtol, atol;
  double step, first_step, max_step; /* 0: variable, chosen, no limit */
  double largest_first;              /* of first steps that are chosen; 0: no limit */
  int max_failures;
  int bounded; /* steps for which sizes at which the iteration failed are left alone */
  int order;   /* of the method */
  dae__controller_options control;
  const dae_env *env;
  dae__driver_memory *memory; /* kept */
} dae__driver;

/* One accepted step that ends at t_stop at the latest: DAE_OK, or DAE_END when it does. */
dae_status dae__driver_step(dae__driver *m, double t_stop, dae_error *err);

/* Stands at t: the next step begins anew. */
void dae__driver_reset(dae__driver *m, double t);

/* Whether a smaller step may do where this one failed. */
bool dae__driver_can_retry(dae_status status);

/* Names the variable that changes fastest, for failures that no equation is to diagnose for. */
void dae__driver_diagnose(const dae__driver *m, const char *what, dae_error *why);

/* What a view tells of it; order: of the last step. */
dae_view dae__driver_view(const dae__driver *m, int size);

/* The state at t could not be shown for this reason; returns the status of err. */
dae_status dae__driver_dense_output_failed(const dae__driver *m, double t, dae_status status,
                                           const dae_error *why, dae_error *err);

#endif
