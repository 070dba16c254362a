/* The one-step integrator: a problem behind its adapter, and the steppers that integrate it.
 *
 *   driver.c       step-size control: attempt, error test, completion, next step size
 *   integrator.c   functions of the integrator's table: dense output, restart, statistics
 *   conserve.c     corrections that keep the energy of conservative problems
 *   create.c       creation */
#ifndef DAEDAL_ONESTEP_HOST_INTEGRATOR_H
#define DAEDAL_ONESTEP_HOST_INTEGRATOR_H

#include "onestep/host/adapter.h"
#include "onestep/host/conserve.h"
#include "step/controller.h"
#include "step/crossing.h"
#include "step/integrator.h"
#include "step/limits.h"
#include "step/stall.h"

/* Largest number of steppers, reached by switching: gauss, explicit, 6 of radau. */
#define DAE__MAX_STEPPERS 8

/* A stepper and its step-size control. */
typedef struct dae__stepper {
  const dae_stepper_table *table;
  void *self;
  int order;
  dae__controller_options control; /* step-size control of variable steps */
  /* Ends of steps are projected up to second order only (project_and_accelerate), so that output
   * there is projected again. */
  bool second_order;
  /* Ratio of the size of the last completed step to the stability limit, 0: not known; NULL:
   * stepper without such a limit. */
  const double *stiffness;
  /* Work since creation in evaluations, without dense output; only differences are meaningful.
   * NULL: equal work for all attempts. */
  const double *work;
  /* number of steps by which their share of the tolerance decreases (share.h); NULL: constant */
  const long *shared_steps;
  /* steps do not damp, so that energy which they lose is an error, and are completed at the end of
   * the step as it is when complete is called */
  bool conserves;
} dae__stepper;

/* State of the driver that is saved with the integrator. */
typedef struct dae__driver_memory {
  double t, t_previous; /* end and start time of the last accepted step */
  double h;             /* size of the next step */
  double leaving;       /* size of a step away from a discontinuity at t; 0: none */
  bool started;
  double t_origin; /* start time of the sequence of fixed steps */
  long done;       /* number of fixed steps since t_origin */
  double bound;    /* bound of the step size after a failed iteration */
  int bounded;     /* number of further steps with this bound */
  dae__controller controller;
  dae__stall stall;
  dae_stats stats; /* counts of steps, rejections and restarts */
} dae__driver_memory;

typedef struct dae__onestep_memory {
  int current;  /* index of the stepper of the next step */
  int last;     /* index of the stepper of the last step */
  bool swapped; /* `now` and `previous` have exchanged their arrays since creation */
  bool crossed; /* the last step was made by the host, across a discontinuity */
  long switches;
} dae__onestep_memory;

typedef struct dae__onestep dae__onestep;

/* Method descriptor: requirements, accepted problems, constructor and selection of the steppers. */
typedef struct dae__onestep_descriptor dae__onestep_descriptor;
struct dae__onestep_descriptor {
  dae__onestep_needs needs;
  /* Number of steps for which the step size stays below a size at which the iteration failed. */
  int bounded_steps;
  /* Test whether the method accepts a problem that is not coupled; err receives the reason if
   * not. */
  dae_status (*check_problem)(const dae__onestep_descriptor *descriptor, const dae_problem *problem,
                              dae_error *err);
  /* Creates the steppers (dae__onestep_add_stepper) and sets memory->current to the one of the
   * first step. */
  dae_status (*create_steppers)(dae__onestep *o, dae__arena *arena, dae_error *err);
  /* Selection before the first variable step after a start or restart: may set another stepper
   * (memory->current) or the first step size; NULL: no selection. */
  dae_status (*start)(dae__onestep *o, double t_stop, dae_error *err);
  /* Selection after every accepted variable step: may change to another stepper
   * (dae__onestep_switch_stepper); NULL: no selection. */
  dae_status (*select_stepper)(dae__onestep *o, dae_error *err);
  /* Selection after a failed attempt at a variable step of size h: may change to another stepper
   * and set the size of the next attempt; NULL: no selection. */
  dae_status (*select_after_failure)(dae__onestep *o, double h, dae_error *err);
  /* Creates the steppers that create_steppers has left for their first use, unless they exist;
   * NULL: none is left. */
  dae_status (*create_rest)(dae__onestep *o, dae_error *err);
  const void *options;           /* options of the method, valid during creation only */
  bool damp;                     /* only the smooth motion is followed */
  double damp_time;              /* time scale below which motion is fast, 0: by its length */
  const dae_option_table *table; /* fields of the options; NULL: method outside the library */
  uint64_t other;                /* hash of all other settings of the method, 0: none */
  const void *data;              /* coefficients for create_steppers, valid during creation only */
};

struct dae__onestep {
  dae_step_options control;
  dae__onestep_descriptor descriptor;
  dae_adapter adapter;
  const dae_env *env;
  dae__onestep_memory *memory; /* saved */
  dae__driver_memory *driver;  /* saved */
  dae__limits limits;
  double first_step;    /* first step size of variable steps; 0: automatic */
  double largest_first; /* largest automatic first step size; 0: no limit */
  dae__stepper stepper[DAE__MAX_STEPPERS];
  int steppers;
  void *selection;         /* saved: state of descriptor.select_stepper */
  dae_point now, previous; /* saved: ends of the last step */
  /* exchange of the arrays in this object; differs from memory->swapped after a load */
  bool swapped;
  bool singular_mass; /* M is singular at the start */
  double *in;         /* saved: inputs at `now` */
  double *next_in;    /* inputs at `next` */
  dae_point next;     /* end of the attempted step */
  dae_point output;   /* workspace of dense output */
  dae__crossing crossing;
  dae__conserve conserve;
  struct dae__smooth *smooth; /* NULL: every motion is followed */
  dae__integrator_table table;
};

/* Step-size control by the options o of a method, whose struct has these members. */
#define DAE__STEP_OPTIONS(o, projected)                                                            \
  ((dae_step_options){.rtol = (o).rtol,                                                            \
                      .atol = (o).atol,                                                            \
                      .step = (o).step,                                                            \
                      .first_step = (o).first_step,                                                \
                      .max_step = (o).max_step,                                                    \
                      .max_failures = (o).max_failures,                                            \
                      .project = (projected)})

/* Creates an integrator of a method, for a coupled problem by its assembly into one problem. */
dae_status dae__onestep_create(const dae__onestep_descriptor *descriptor,
                               const dae_step_options *control, const dae_problem *problem,
                               const dae_start *start, const dae_env *env, dae_integrator **out,
                               dae_error *err);
/* Validates a problem and checks whether the method accepts it. */
dae_status dae__onestep_accepts(const dae__onestep_descriptor *descriptor,
                                const dae_problem *problem, dae_error *err);

extern const dae__integrator_table dae__onestep_verbs; /* table without the name of the method */

/* Adds a stepper, one of at most DAE__MAX_STEPPERS. */
void dae__onestep_add_stepper(dae__onestep *o, const dae__stepper *stepper);
/* Continues with another stepper; its memory of earlier steps and that of the step-size controller
 * are cleared. */
void dae__onestep_switch_stepper(dae__onestep *o, int stepper);
/* Continues with a stepper of the same family, which shares the memory of the one before. */
void dae__onestep_change_variant(dae__onestep *o, int stepper);

/* ---- driver ---- */

/* Makes one accepted step, not beyond t_stop: DAE_OK, or DAE_END if it ends at t_stop. */
dae_status dae__onestep_advance(dae__onestep *o, double t_stop, dae_error *err);
/* Whether a smaller step may succeed after a failure with this status. */
bool dae__can_retry(dae_status status);
/* Largest rate of change of a variable, relative to rtol |x| + atol scale; name (may be NULL)
 * receives the name of the variable. */
double dae__onestep_largest_rate(const dae__onestep *o, double rtol, double atol, char *name,
                                 size_t size);

/* ---- integrator ---- */

/* Attempt at a step of size h from the time of the driver, and its completion at t, which makes it
 * the last accepted step. */
dae_status dae__onestep_attempt(dae__onestep *o, double h, double *error, dae_error *err);
dae_status dae__onestep_complete(dae__onestep *o, double t, dae_error *err);
/* Step across a discontinuity in place of a failed attempt of size h (step/crossing.h), or, with
 * driver.leaving, away from it; *made: such a step was accepted. No step without slopes
 * (adapter.singular). */
dae_status dae__onestep_cross(dae__onestep *o, double h, bool *made, dae_error *err);
/* Sets adapter.singular by the equations as they are now, which an event may have switched: M is
 * singular, or the index is 2 and the method needs no slopes. */
void dae__onestep_update_singular(dae__onestep *o);
/* Makes the state `next` consistent at t and starts integration there. */
dae_status dae__onestep_reset_at(dae__onestep *o, double t, const bool *fixed, dae_error *err);

#endif
