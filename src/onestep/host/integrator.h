/* A one-step integrator: a problem, and the steppers that integrate it. Its files:
 *   integrator.c   steps and functions of the integrator's table
 *   create.c       creation */
#ifndef DAEDAL_ONESTEP_HOST_INTEGRATOR_H
#define DAEDAL_ONESTEP_HOST_INTEGRATOR_H

#include "onestep/host/adapter.h"
#include "onestep/host/stepper.h"
#include "step/driver.h"
#include "step/integrator.h"

/* Largest number of steppers, reached by switching: gauss, explicit, 6 of radau. */
#define DAE__RK_MAX_STEPPERS 8

typedef struct dae__rk dae__rk;

/* Method descriptor: requirements, accepted problems, constructor and selection of the steppers. */
typedef struct dae__rk_descriptor dae__rk_descriptor;
struct dae__rk_descriptor {
  dae__rk_needs needs;
  /* Test whether the method accepts a problem that is not coupled; err receives the reason if
   * not. */
  dae_status (*check_problem)(const dae__rk_descriptor *descriptor, const dae_problem *problem,
                              dae_error *err);
  /* Creates the steppers (dae__rk_add_stepper) and sets memory->current to the one of the first
   * step. */
  dae_status (*create_steppers)(dae__rk *o, dae__arena *arena, dae_error *err);
  /* Selection before the first variable step after a start or restart: may set another stepper
   * (memory->current) or the first step size; NULL: no selection. */
  void (*start)(dae__rk *o, double t_stop);
  /* Selection after every accepted variable step: may change to another stepper
   * (dae__rk_switch_stepper); NULL: no selection. */
  void (*select_stepper)(dae__rk *o);
  /* coefficients for create_steppers, valid during creation only; NULL: none */
  const void *coefficients;
};

typedef struct dae__rk_memory {
  int current;  /* index of the stepper of the next step */
  int last;     /* index of the stepper of the last step */
  bool refined; /* dense output of the last step is refined */
  bool swapped; /* `now` and `previous` have exchanged their arrays since creation */
  long switches;
} dae__rk_memory;

struct dae__rk {
  dae_rk_options opts;
  dae__rk_descriptor descriptor;
  dae__rk_adapter adapter;
  dae__driver driver;
  dae__rk_memory *memory; /* state saved with the integrator */
  dae__stepper stepper[DAE__RK_MAX_STEPPERS];
  /* Ends of the steps by a stepper are projected up to second order only (project_and_accelerate),
   * so that output there is projected again. */
  bool projects_to_second_order[DAE__RK_MAX_STEPPERS];
  int steppers;
  void *selection;             /* saved: state of descriptor.select_stepper */
  dae__rk_point now, previous; /* saved: ends of the last step */
  /* exchange of the arrays in this object; differs from memory->swapped after a load */
  bool swapped;
  double *in;           /* saved: inputs at `now` */
  dae__rk_point next;   /* end of the attempted step */
  dae__rk_point output; /* workspace of dense output */
  dae__integrator_table table;
};

/* Creates an integrator of a method, for a coupled problem by its assembly into one problem; opts
 * have been validated. */
dae_status dae__rk_create(const dae__rk_descriptor *descriptor, const dae_rk_options *opts,
                          const dae_problem *problem, const dae_start *start, const dae_env *env,
                          dae_integrator **out, dae_error *err);

extern const dae__driver_table dae__rk_driver;
extern const dae__integrator_table dae__rk_verbs; /* table without the name of the method */

/* Adds a stepper, one of at most DAE__RK_MAX_STEPPERS; second_order: its value of
 * projects_to_second_order. */
void dae__rk_add_stepper(dae__rk *o, const dae__stepper *stepper, bool second_order);
/* Continues with another stepper; its memory of earlier steps and that of the step-size controller
 * are cleared. */
void dae__rk_switch_stepper(dae__rk *o, int stepper);
/* Continues with a stepper of the same family, which shares the memory of the one before. */
void dae__rk_change_variant(dae__rk *o, int stepper);
/* Sets order and controller options of the driver to those of the current stepper. */
void dae__rk_update_driver(dae__rk *o);

/* Makes the state `next` consistent at t and starts integration there. */
dae_status dae__rk_reset_at(dae__rk *o, double t, const bool *fixed, dae_error *err);

/* Dense output from the two ends of a step: Hermite's cubic for x, linear interpolation for y. */
void dae__rk_hermite(const dae__rk_adapter *adapter, const dae__rk_step *step, double x, double *z);

#endif
