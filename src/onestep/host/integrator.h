/* A one-step integrator: a problem, and the steppers that integrate it. Its files:
 *   integrator.c   steps and verbs
 *   create.c       creation */
#ifndef DAEDAL_ONESTEP_HOST_INTEGRATOR_H
#define DAEDAL_ONESTEP_HOST_INTEGRATOR_H

#include "onestep/host/adapter.h"
#include "onestep/host/stepper.h"
#include "step/driver.h"
#include "step/integrator.h"

#define DAE__RK_MAX_STEPPERS 8 /* switching: gauss, explicit, 6 of radau */

typedef struct dae__rk dae__rk;

/* Descriptor of a method. */
typedef struct dae__rk_descriptor dae__rk_descriptor;
struct dae__rk_descriptor {
  dae__rk_needs needs;
  /* Whether the method accepts a problem that is not coupled; the reason in err. */
  dae_status (*check_problem)(const dae__rk_descriptor *descriptor, const dae_problem *problem,
                              dae_error *err);
  /* Creates the steppers (dae__rk_add_stepper); memory->current makes the first step. */
  dae_status (*create_steppers)(dae__rk *o, dae__arena *arena, dae_error *err);
  /* Before the first step after a start or restart, with variable steps: may select another stepper
   * (memory->current) or the first step size; NULL: no choice. */
  void (*start)(dae__rk *o, double t_stop);
  /* After every accepted variable step: may select another stepper (dae__rk_switch_stepper); NULL:
   * no choice. */
  void (*select_stepper)(dae__rk *o);
  const void *coefficients; /* read by create_steppers, valid during creation only; NULL: none */
};

typedef struct dae__rk_memory {
  int current;  /* index of the stepper of the next step */
  int last;     /* index of the stepper of the last step */
  bool refined; /* dense output of the last step is refined */
  bool swapped; /* now and previous have exchanged their memory since creation */
  long switches;
} dae__rk_memory;

struct dae__rk {
  dae_rk_options opts;
  dae__rk_descriptor descriptor;
  dae__rk_adapter adapter;
  dae__driver driver;
  dae__rk_memory *memory; /* saved */
  dae__stepper stepper[DAE__RK_MAX_STEPPERS];
  /* project_and_accelerate leaves the end of a step on its constraints up to second order: output
   * there is projected */
  bool projects_to_second_order[DAE__RK_MAX_STEPPERS];
  int steppers;
  void *selection;             /* saved: memory of descriptor.select_stepper */
  dae__rk_point now, previous; /* saved: ends of the last step */
  bool swapped;                /* memory->swapped, of this object: they differ after a load */
  double *in;                  /* saved: inputs at `now` */
  dae__rk_point next;          /* end of the step attempted */
  dae__rk_point output;        /* workspace of dense output */
  dae__integrator_table table;
};

/* An integrator of this method, by the assembly of a coupled problem; opts are valid. */
dae_status dae__rk_create(const dae__rk_descriptor *descriptor, const dae_rk_options *opts,
                          const dae_problem *problem, const dae_start *start, const dae_env *env,
                          dae_integrator **out, dae_error *err);

extern const dae__driver_table dae__rk_driver;
extern const dae__integrator_table dae__rk_verbs; /* without the method's name */

/* At most DAE__RK_MAX_STEPPERS; second_order: see projects_to_second_order. */
void dae__rk_add_stepper(dae__rk *o, const dae__stepper *stepper, bool second_order);
/* Continues with another stepper; it begins without memory, and so does the controller. */
void dae__rk_switch_stepper(dae__rk *o, int stepper);
/* Continues with a stepper of the same family, which shares the memory of the other one. */
void dae__rk_change_variant(dae__rk *o, int stepper);
/* Order and controller options of the current stepper for the driver. */
void dae__rk_update_driver(dae__rk *o);

/* Makes `next` consistent and starts integration there. */
dae_status dae__rk_reset_at(dae__rk *o, double t, const bool *fixed, dae_error *err);

/* Dense output without stages: Hermite's cubic for x, linear interpolation for y. */
void dae__rk_hermite(const dae__rk_adapter *adapter, const dae__rk_step *step, double x, double *z);

#endif
