/* The inside of a one-step integrator: what moves, and the steppers that move it. Its files:
 *   integrator.c   the verbs
 *   create.c       creation
 *   advance.c      steps */
#ifndef DAEDAL_ONESTEP_HOST_INTEGRATOR_H
#define DAEDAL_ONESTEP_HOST_INTEGRATOR_H

#include "onestep/host/adapter.h"
#include "onestep/host/stepper.h"
#include "step/driver.h"
#include "step/integrator.h"

#define DAE__RK_STEPPERS 8 /* most */

typedef struct dae__rk dae__rk;

/* What a constructor asks for. */
typedef struct dae__rk_descriptor dae__rk_descriptor;
struct dae__rk_descriptor {
  dae__rk_needs needs;
  /* Whether it takes a problem that is not coupled; the reason in err. */
  dae_status (*check_problem)(const dae__rk_descriptor *descriptor, const dae_problem *problem,
                              dae_error *err);
  /* Makes the steppers (dae__rk_add); the first one begins. */
  dae_status (*create_steppers)(dae__rk *o, dae__arena *arena, dae_error *err);
  /* Before the first step of a motion, which is to go on to t_stop: may let another stepper begin
   * (memory->current); NULL: the same as ever. */
  void (*start)(dae__rk *o, double t_stop);
  /* After every accepted step: may let another stepper go on (dae__rk_use); NULL: there is one. */
  void (*select_stepper)(dae__rk *o);
  const void *coefficients; /* read by create_steppers, valid during creation only; NULL: none */
};

typedef struct dae__rk_memory {
  int current;  /* the stepper at work, */
  int last;     /* and the one that made the last step */
  bool refined; /* that step, between its ends, */
  bool swapped; /* the memory of which is where that of the other was at the start */
  long switches;
} dae__rk_memory;

struct dae__rk {
  dae_rk_options opts;
  dae__rk_descriptor descriptor;
  dae__rk_adapter adapter;
  dae__driver driver;
  dae__rk_memory *memory; /* kept */
  dae__stepper stepper[DAE__RK_STEPPERS];
  bool loose[DAE__RK_STEPPERS]; /* leaves ends on their constraints to second order only */
  int steppers;
  void *choice;                /* what descriptor.select_stepper remembers, kept */
  dae__rk_point now, previous; /* kept: the last step, */
  bool swapped;                /* and as memory->swapped is, before a load at least */
  double *in;                  /* kept: the inputs that now was found with */
  dae__rk_point next, shown;   /* the step at hand; a point between */
  dae__integrator_table table;
};

/* An integrator by this descriptor, around the assembly of a coupled problem; opts are valid. */
dae_status dae__rk_create(const dae__rk_descriptor *descriptor, const dae_rk_options *opts,
                          const dae_problem *problem, const dae_start *start, const dae_env *env,
                          dae_integrator **out, dae_error *err);

extern const dae__driver_table dae__rk_driver;
extern const dae__integrator_table dae__rk_verbs; /* without the method's name */

/* One more stepper; there is room for DAE__RK_STEPPERS. */
void dae__rk_add(dae__rk *o, const dae__stepper *stepper, bool loose);
/* The stepper that goes on from here; the controller begins anew. */
void dae__rk_use(dae__rk *o, int stepper);
/* The same for one of the same family, which goes on with what the other knows. */
void dae__rk_shift(dae__rk *o, int stepper);
/* What the driver has to know of the stepper at work. */
void dae__rk_update_driver(dae__rk *o);

/* The last accepted step. */
dae__rk_step dae__rk_last(const dae__rk *o);

/* What was now is previous. */
void dae__rk_swap_ends(dae__rk *o);

/* The inputs at t are those that now was found with. */
dae_status dae__rk_take_inputs(dae__rk *o, double t, dae_error *err);

/* Makes `next` consistent and stands there. */
dae_status dae__rk_reset_at(dae__rk *o, double t, const bool *fixed, dae_error *err);

/* Between the ends of a step: Hermite's cubic for x, a line for y. */
void dae__rk_hermite(const dae__rk_adapter *adapter, const dae__rk_step *step, double x, double *z);

#endif
